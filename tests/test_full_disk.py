"""A disk that is full leaves the old file whole and nothing else behind."""

import subprocess
import sys
from pathlib import Path

import pytest

FULL_DISK = """
import resource, signal, sys
import numpy as np
import rescorla as rw
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = sys.argv[1]
events = rw.read_events(([f"a{i}", f"b{i}"], [f"o{i}"]) for i in range(1000))
weights = rw.Weights(np.ones((200, 200)), [f"a{i}" for i in range(200)], [f"o{i}" for i in range(200)])
work = {
    "event file": lambda: events.save(path),
    "compiled": lambda: rw.compile_events(iter(events), path),
    "table": lambda: events.to_table(path),
    "gz table": lambda: events.to_table(path),
    "weights": lambda: weights.save(path),
    "mapped weights": lambda: weights.save(path),
    "out": lambda: rw.learn(events[:5], out=path),
}[sys.argv[2]]
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    work()
except OSError as error:
    print("OSError", error.errno, error.filename)
"""
TARGETS = {
    "event file": "e.bin",
    "compiled": "e.bin",
    "table": "e.tab",
    "gz table": "e.tab.gz",
    "weights": "w.npz",
    "mapped weights": "w.npy",
    "out": "w.npy",
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no RLIMIT_FSIZE")
@pytest.mark.parametrize("work", TARGETS)
def test_a_full_disk_leaves_the_old_file(work: str, tmp_path: Path) -> None:
    path = tmp_path / TARGETS[work]
    path.write_bytes(b"the old file")
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), work],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.startswith("OSError"), done.stderr
    assert path.read_bytes() == b"the old file"
    assert list(tmp_path.iterdir()) == [path]
