"""A disk that is full leaves the old file whole and nothing else behind."""

import errno
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rescorla as rw

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
