"""A disk that is full leaves the old file whole and nothing else behind, and is seen before the work."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
import pytest
import rescorla as rw
from terminal import said

FULL_DISK = """
import resource, signal, sys
import numpy as np
import rescorla as rw
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = sys.argv[1]
events = rw.read_events(([f"a{i}", f"b{i}"], [f"o{i}"]) for i in range(1000))
weights = rw.Weights(np.ones((200, 200)), [f"a{i}" for i in range(200)], [f"o{i}" for i in range(200)])
told = []

def fill_the_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

def learn_until_the_disk_is_full(method):
    # Room was reserved; then, while the weights are learned, writing them becomes impossible.
    def tell(done, total):
        told.append(done)
        fill_the_disk()
    long = rw.read_events(([f"a{i % 997}", f"b{i % 991}"], [f"o{i % 5003}"]) for i in range(300_000))
    rw.learn(long, method=method, threads=1, out=path, progress=tell)

work = {
    "event file": lambda: events.save(path),
    "compiled": lambda: rw.read_events(iter(events), path),
    "sample": lambda: events.sample(10_000, 1, path=path),
    "filtered": lambda: events.filter(path=path, remove_cues=["a1"]),
    "put together": lambda: rw.concat_events([events, events], path),
    "table": lambda: events.to_table(path),
    "gz table": lambda: events.to_table(path),
    "weights": lambda: weights.save(path),
    "mapped weights": lambda: weights.save(path),
    "netCDF weights": lambda: weights.save(path),
    "stored weights": lambda: weights.save(path),
    "out": lambda: rw.learn(events[:5], out=path, progress=lambda done, total: told.append(done)),
    "out by columns": lambda: learn_until_the_disk_is_full("forward"),
    "out by rows": lambda: learn_until_the_disk_is_full("adjoint"),
}[sys.argv[2]]
if "by" not in sys.argv[2]:
    fill_the_disk()
try:
    work()
except OSError as error:
    print("OSError", error.errno, error.filename, "before any work" if not told else "at work")
"""
TARGETS = {
    "event file": "e.bin",
    "compiled": "e.bin",
    "sample": "e.bin",
    "filtered": "e.bin",
    "put together": "e.bin",
    "table": "e.tab",
    "gz table": "e.tab.gz",
    "weights": "w.npz",
    "mapped weights": "w.npy",
    "netCDF weights": "w.nc",
    "stored weights": "w.zarr",
    "out": "w.npy",
    "out by columns": "w.npy",
    "out by rows": "w.npy",
}


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder and what they hold."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no RLIMIT_FSIZE")
@pytest.mark.parametrize("work", TARGETS)
def test_a_full_disk_leaves_the_old_file(work: str, tmp_path: Path) -> None:
    path = tmp_path / TARGETS[work]
    if path.suffix == ".zarr":
        rw.Weights(np.ones((2, 2)), ["a", "b"], ["x", "y"]).save(path)
    else:
        path.write_bytes(b"the old file")
    old = content(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), work],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.startswith(f"OSError {errno.EFBIG} {path} "), done.stdout + done.stderr
    assert done.stdout.endswith("at work\n" if "by" in work else "before any work\n")
    assert content(tmp_path) == old


# Weights of two cues and three outcomes, and how many bytes they take at least.
LEAST = {"w.npz": 48, "w.npy": 48, "w.nc": 48, "w.csv": 24, "w.tsv": 24, "w.parquet": 0}
EVENTS = [("a_b", "x"), ("a", "y_z")]


class Disk(NamedTuple):
    """What shutil.disk_usage says."""

    total: int
    used: int
    free: int


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The free bytes of every disk."""
    found = [0]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(99, 99 - found[0], found[0]))
    return found


@pytest.mark.parametrize("command", ["learn", "equilibrium"])
@pytest.mark.parametrize("output", LEAST)
def test_a_command_does_not_begin_what_its_disk_has_no_room_for(
    command: str, output: str, free: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(*_: object, **__: object) -> NoReturn:
        raise RuntimeError("begun")

    monkeypatch.setattr(rw._core, command, begun)
    monkeypatch.chdir(tmp_path)
    rw.read_events(EVENTS, "e.rw")
    for room in {LEAST[output], LEAST[output] - 1} - {-1}:
        free[0] = room
        found = said(command, "e.rw", "-o", output)
        assert found.status == 1
        if room == LEAST[output]:
            assert found.error == "rescorla: error: begun\n"
        else:
            assert found.error.startswith(
                f"rescorla: error: {output}: 2 x 3 weights of float64 need {LEAST[output]} bytes or more, "
                f"and the disk has {room} free; "
            )
        assert os.listdir() == ["e.rw"]


def test_what_is_learned_is_what_needs_room(free: list[int], tmp_path: Path) -> None:
    rw.read_events(EVENTS, tmp_path / "e.rw")
    rw.Weights([[0.0]], ["new"], ["x"]).save(tmp_path / "initial.npz")
    for told, n in (
        ("--outcomes x", 2 * 8),
        ("--cues b", 3 * 8),
        ("--dtype float32", 6 * 4),
        (f"--initial {tmp_path / 'initial.npz'}", 9 * 8),
    ):
        path = tmp_path / "w.npz"
        free[0] = n - 1
        found = said("learn", tmp_path / "e.rw", "-o", path, *told.split())
        assert f" need {n} bytes or more" in found.error
        free[0] = n
        assert said("learn", tmp_path / "e.rw", "-o", path, *told.split()).status == 0


def test_learning_into_a_file_does_not_begin_where_there_is_no_room(free: list[int], tmp_path: Path) -> None:
    path, told, events = tmp_path / "w.npy", [], rw.read_events(EVENTS)
    free[0] = 47
    with pytest.raises(
        OSError, match=r"need 48 bytes or more, and the disk has 47 free; learn fewer"
    ) as caught:
        rw.learn(events, out=path, progress=lambda *done: told.append(done))
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))
    assert not told
    assert os.listdir(tmp_path) == []


def test_what_is_kept_for_root_is_free_for_root_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(99, 40, 10))
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    rw.learn(EVENTS, out=tmp_path / "w.npy")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(OSError, match="the disk has 10 free"):
        rw.learn(EVENTS, out=tmp_path / "w.npy")


def test_a_disk_that_does_not_say_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(0, 0, 0))
    rw.learn(EVENTS, out=tmp_path / "w.npy")
