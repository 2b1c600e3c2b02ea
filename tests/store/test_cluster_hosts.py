"""Two hosts: two network namespaces of this machine, with a cable between them that is long, lossy or cut.

The scheduler and the client are on one host, the worker on the other, which does not see the event file. It
needs Linux, root and /dev/net/tun.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, NamedTuple

import pytest
import rescorla as rw
from clusters import random_events, weights_in
from strategies import bits

TESTS = Path(__file__).resolve().parents[1]
HERE, THERE = "10.211.0.1", "10.211.0.2"
CLIENT = """
import sys
import clusters
import rescorla as rw
from distributed import Client

address, events, out, stage = sys.argv[1:]
with Client(address, timeout="60s") as client:
    client.wait_for_workers(1, timeout=60)
    clusters.doing(client, clusters.be_slow, 0.2)
    with clusters.small_tiles():
        rw.distributed.learn(
            client,
            rw.open_events(events),
            out,
            method="forward",
            progress=lambda done, total: print(done, total, flush=True),
        )
"""


class Hosts(NamedTuple):
    """Two namespaces, the cable between them, and the processes that end with the test."""

    names: tuple[str, str]
    cable: subprocess.Popen[str]
    processes: ExitStack

    def start(self, host: int, *command: str, hiding: Path | None = None) -> subprocess.Popen[str]:
        """Run Python on a host, where it does not see what lies in a folder."""
        python = [sys.executable, *command]
        if hiding is not None:
            python = ["sh", "-c", f'mount -t tmpfs none "{hiding}" && exec "$@"', "sh", *python]
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.names[host], *python],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])},
        )
        self.processes.callback(ended, process)
        return process

    def tell(self, what: str) -> None:
        """Cut or mend the cable."""
        said(self.cable.stdin).write(f"{what}\n")
        said(self.cable.stdin).flush()


def said(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def ended(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.fixture
def hosts(request: pytest.FixtureRequest) -> Iterator[Hosts]:
    """Hosts with the delay of the cable, in seconds, and the share of packets that it loses."""
    delay, loss = request.param
    names = f"rescorla-{os.getpid()}-here", f"rescorla-{os.getpid()}-there"
    if not sys.platform.startswith("linux") or not os.path.exists("/dev/net/tun"):
        pytest.skip("needs Linux with /dev/net/tun")
    with ExitStack() as stack:
        for name in names:
            try:
                made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
            except FileNotFoundError:
                pytest.skip("needs the command ip (iproute2)")
            if made.returncode != 0:
                pytest.skip(f"network namespaces are not allowed here: {made.stderr.strip()}")
            stack.callback(subprocess.run, ["ip", "netns", "delete", name], check=True)
        cable = subprocess.Popen(
            [sys.executable, TESTS / "faults" / "cable.py", names[0], HERE, names[1], THERE, delay, loss],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(ended, cable)
        if said(cable.stdout).readline() != "ready\n":
            pytest.skip("interfaces cannot be made in network namespaces here")
        with ExitStack() as processes:
            yield Hosts(names, cable, processes)


@pytest.mark.parametrize(
    ("hosts", "cut"),
    [(("0.001", "0"), 10.0), (("0.05", "0.02"), 0.0)],
    indirect=["hosts"],
    ids=["cut for 10 s", "50 ms and 2 % lost"],
)
def test_the_bits_are_the_same_over_a_bad_cable(hosts: Hosts, cut: float, tmp_path: Path) -> None:
    hidden, shared = tmp_path / "hidden", tmp_path / "shared"
    hidden.mkdir()
    shared.mkdir()
    events, out = random_events(hidden / "events.rw", 20_000), str(shared / "weights.zarr")
    address = f"tcp://{HERE}:8786"
    hosts.start(0, "-m", "distributed.cli.dask_scheduler", "--host", HERE, "--port", "8786", "--no-dashboard")
    local = ["--local-directory", str(shared / "local")]
    worker = [
        "-m",
        "distributed.cli.dask_worker",
        address,
        "--host",
        THERE,
        "--nthreads",
        "2",
        "--no-dashboard",
    ]
    hosts.start(1, *worker, *local, hiding=hidden)
    client = hosts.start(0, "-c", CLIENT, address, str(events.path), out, "auto")
    done = 0
    for line in said(client.stdout):
        done, total = map(int, line.split())
        if cut and 3 <= done < total:
            hosts.tell("cut")
            time.sleep(cut)
            hosts.tell("mend")
            cut = 0.0
    _, errors = client.communicate(timeout=60)
    assert client.returncode == 0, errors
    assert not cut
    assert done == total
    assert bits(weights_in(out)) == bits(rw.learn(events, method="forward").values)
