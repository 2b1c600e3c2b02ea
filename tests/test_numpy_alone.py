"""Whatever numpy is enough for is called where there is nothing else, and no network."""

import subprocess
import sys
from pathlib import Path

import numpy
import rescorla

PROGRAM = Path(__file__).with_name("numpy_alone.py")


def packages(folder: Path) -> Path:
    """A folder with numpy and rescorla, and no other package."""
    for package in (numpy, rescorla):
        place = Path(str(package.__file__)).parent
        for each in (place, place.with_name(f"{place.name}.libs")):
            if each.exists():
                (folder / each.name).symlink_to(each)
    return folder


def test_all_that_numpy_is_enough_for(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", str(PROGRAM), str(packages(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 35
