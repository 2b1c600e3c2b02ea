"""Weights larger than the memory, learned into a store by processes that are killed, and resumed. Linux only.

    python benches/outgrow.py --folder /scratch       # 60,000 x 60,000 of float32: 14.4 GB on the disk
    python benches/outgrow.py --smoke                 # small: does it work

Learning runs in processes of their own whose address space is limited. First one learns all weights and is
not disturbed; its store is removed. Then three are killed (SIGKILL), each at a random moment, and a fourth
learns what is missing. The store must be whole: every tile has the checksum that it had when nothing was
killed, and that of its content, and three tiles that are drawn are learned again and have the same bits.

The events are those of large.py, in which every name occurs. The seconds are those of learning, from opening
the events to the last tile, without the start of Python and its imports.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from shutil import rmtree
from typing import Any

from large import made_up, status

KILLS = 3
SAMPLE = 3
# Shares of the undisturbed time within which kills fall.
EARLIEST, LATEST = 0.05, 0.9


def work(events: str, out: str, dtype: str, threads: int, limit: int) -> None:
    """A process that learns what is missing of a store, and verifies it, in so much address space."""
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    import rescorla as rw
    import zarr

    # Imported before the clock starts, as learning would do it.
    assert zarr.__version__
    print("ready", flush=True)
    sys.stdin.readline()
    begun = time.perf_counter()
    opened = rw.open_events(events)
    weights = rw.learn(opened, out=out, dtype=dtype, threads=threads, resume=True, progress=False)
    seconds = time.perf_counter() - begun
    print(
        json.dumps(
            {
                "seconds": seconds,
                "method": weights.parameters["method"],
                "resident": status("VmHWM"),
                "addresses": status("VmPeak"),
            }
        ),
        flush=True,
    )
    begun = time.perf_counter()
    found = rw.verify(out, opened, sample=SAMPLE, threads=threads)
    print(
        json.dumps(
            {
                "whole": bool(found),
                "tiles": found.n_tiles,
                "seconds": time.perf_counter() - begun,
                "addresses": status("VmPeak"),
            }
        ),
        flush=True,
    )


class Worker:
    """Such a process."""

    def __init__(self, *arguments: object) -> None:
        # Stacks of threads, and the arenas that malloc has for each, count as address space, though hardly
        # any of it is used: without these limits a process of 16 threads had three times as much.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--work", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def begin(self) -> None:
        """Lets it learn."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def finish(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """How it learned, and what it verified."""
        learned, verified = json.loads(self._line()), json.loads(self._line())
        assert self._process.wait() == 0
        return learned, verified

    def kill_after(self, seconds: float) -> None:
        """Kills it when it has worked so long; an error where it was done before."""
        try:
            self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.wait()
        assert not self._line(), "the process was done before it was to be killed: take more --events"


def checksums(out: Path) -> dict[str, bytes]:
    """The checksum of each tile, which is at its end."""
    found = {}
    for path in sorted((out / "weights" / "c").rglob("*")):
        if path.is_file() and path.name.isdecimal():
            with path.open("rb") as stream:
                stream.seek(-4, os.SEEK_END)
                found[str(path.relative_to(out))] = stream.read()
    return found


def n_tiles(out: Path) -> int:
    """How many tiles are there."""
    return len(checksums(out)) if out.exists() else 0


def size_of(out: Path) -> int:
    """Bytes of all files of a store."""
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def measure(events: Path, out: Path, options: argparse.Namespace) -> None:
    """Learns undisturbed, then with kills, and prints the figures."""
    limit = int(options.limit * 1e9)
    how = (events, out, options.dtype, options.threads, limit)
    worker = Worker(*how)
    worker.begin()
    undisturbed, verified = worker.finish()
    assert verified["whole"], "the store is not whole"
    expected, size = checksums(out), size_of(out)
    rmtree(out)
    print(
        f"{undisturbed['method']}, {options.dtype}, {options.threads} threads: {options.size:,} x "
        f"{options.size:,} weights, {verified['tiles']} tiles, {size / 1e9:.2f} GB, address space limited to "
        f"{limit / 1e9:.2f} GB"
    )
    print(
        f"  undisturbed: {undisturbed['seconds']:.1f} s; address space at its peak "
        f"{undisturbed['addresses'] / 1e9:.2f} GB, resident memory {undisturbed['resident'] / 1e9:.2f} GB, "
        "pages of files among it"
    )
    chance = random.Random(options.seed)
    moments = sorted(chance.uniform(EARLIEST, LATEST) for _ in range(KILLS))
    lives = [(b - a) * undisturbed["seconds"] for a, b in zip([0.0, *moments], moments, strict=False)]
    for number, life in enumerate(lives, 1):
        worker = Worker(*how)
        worker.begin()
        worker.kill_after(life)
        print(f"  kill {number} after {life:.1f} s: {n_tiles(out)} tiles are there", flush=True)
    worker = Worker(*how)
    worker.begin()
    last, verified = worker.finish()
    assert verified["whole"], "the store is not whole"
    assert checksums(out) == expected, "tiles differ from those that were learned undisturbed"
    left = size_of(out) - size
    total = sum(lives) + last["seconds"]
    print(
        f"  resumed: {last['seconds']:.1f} s; {total:.1f} s of work in all, "
        f"{total / undisturbed['seconds']:.3f} times the undisturbed run; files that "
        f"were being written when processes were killed: {left / 1e6:.0f} MB"
    )
    print(
        f"  verified in {verified['seconds']:.1f} s: {verified['tiles']} checksums, and {SAMPLE} tiles "
        f"learned again; address space at its peak {verified['addresses'] / 1e9:.2f} GB"
    )


def main() -> None:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--size", type=int, default=60_000, help="cues, and outcomes")
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument("--folder", type=Path, default=Path(), help="where the files go for a while")
    parser.add_argument("--limit", type=float, default=4.0, help="of the address space, in GB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, help="of the moments; drawn and printed by default")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--work", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        events, out, dtype, threads, limit = options.work
        work(events, out, dtype, int(threads), int(limit))
        return

    import rescorla as rw

    if options.smoke:
        options.size, options.events = 3000, 100_000
    if options.events < options.size:
        parser.error("--events must be as many as --size, so that every name occurs")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "events.rw"
        rw.read_events(made_up(options.size, options.size, options.events), path, progress=False)
        print(
            f"{options.events:,} events, {path.stat().st_size / 1e6:.1f} MB; moments of seed {options.seed}"
        )
        measure(path, Path(folder) / "weights.zarr", options)


if __name__ == "__main__":
    main()
