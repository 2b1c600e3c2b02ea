"""`show_versions` prints what a report of an error needs."""

import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import rescorla as rw

ROOT = Path(__file__).parents[2]


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    rw.show_versions()
    lines = capsys.readouterr().out.splitlines()
    return dict(line.strip().split(": ", 1) for line in lines if line.startswith(" "))


def test_what_is_installed_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys)
    assert found["rescorla"] == rw.__version__
    assert found["python"].startswith(platform.python_version())
    assert found["numpy"] == np.__version__
    assert found["machine"] == platform.platform()
    weights = rw.learn([("a", "x")])
    assert found["kernel"] == weights.parameters["kernel"]
    assert int(found["threads"]) >= 1


def test_every_library_of_the_extras_is_among_them(capsys: pytest.CaptureFixture[str]) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    wanted = {
        re.split("[><=~]", each)[0]
        for extra in re.findall(r"\w+", everything.partition("[")[2])
        for each in extras[extra]
        if not each.startswith("rescorla[")
    }
    assert wanted <= printed(capsys).keys()


def test_no_library_is_loaded_and_none_is_needed() -> None:
    program = (
        "import sys, importlib.metadata as m\n"
        "import rescorla as rw\n"
        "known = m.version\n"
        "def missing(name):\n"
        "    if name != 'numpy': raise m.PackageNotFoundError(name)\n"
        "    return known(name)\n"
        "m.version = missing\n"
        "rw.show_versions()\n"
        "assert not {'pandas', 'scipy', 'sklearn', 'xarray'} & set(sys.modules)\n"
    )
    out = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert re.search(r"pandas: None\n", out)
    assert re.search(r"numpy: \d", out)
