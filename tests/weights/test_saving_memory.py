"""How much memory saving takes beside the weights: some pieces of them, however many there are."""

import subprocess
import sys
from pathlib import Path

import pytest

# What the most memory rose by, in MiB, while weights of 128 MiB were saved.
SAVES = """
import sys
import numpy as np
import rescorla as rw

# Twice, so that what is loaded once is there.
rw.Weights(np.ones((2, 2)), ["a", "b"], ["x", "y"]).save(sys.argv[1])
weights = rw.Weights(np.ones((4096, 4096)), map(str, range(4096)), map(str, range(4096)))
with open("/proc/self/clear_refs", "w") as stream:
    stream.write("5")
def most():
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith("VmHWM")) / 1024
before = most()
weights.save(sys.argv[1])
print(most() - before)
"""


@pytest.mark.parametrize(("suffix", "most"), [("npz", 48), ("npy", 48), ("nc", 48), ("zarr", 100)])
def test_saving_takes_no_copy(suffix: str, most: float, tmp_path: Path) -> None:
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("only Linux says how much memory a process had at most")
    command = [sys.executable, "-c", SAVES, str(tmp_path / f"w.{suffix}")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(found.stdout) < most
