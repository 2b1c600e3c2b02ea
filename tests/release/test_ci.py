"""What runs before a change lands, run by hand."""

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[2] / ".ci" / "run"


@pytest.mark.skipif(not RUN.exists() or os.name != "posix", reason="a source distribution, or no shell")
def test_by_hand_it_tests_what_ci_tests(tmp_path: Path) -> None:
    # The first tool that is called says how it was called, and fails, which ends the run.
    tool = tmp_path / "cargo"
    tool.write_text("#!/bin/sh\necho CI is $CI\nexit 7\n")
    tool.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(["bash", str(RUN)], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 7, done.stderr
    assert done.stdout.splitlines()[-1] == "CI is true"
