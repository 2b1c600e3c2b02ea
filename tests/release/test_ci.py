"""What runs before a change lands, run by hand."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / ".ci" / "run"

pytestmark = pytest.mark.skipif(
    not RUN.exists() or os.name != "posix", reason="a source distribution, or no shell"
)


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


def commands_of_the_readme(folder: Path, failing: str, options: str) -> tuple[int, list[str]]:
    """The status of the README's second block and what was called, where one of the tools fails."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    for tool in (".venv/bin/pip", ".venv/bin/python", "cargo"):
        path = folder / tool
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {path.name}\ntest {path.name} != {failing}\n")
        path.chmod(0o755)
    done = subprocess.run(
        ["bash", options, 'eval "$1"', "bash", blocks[1]],
        cwd=folder,
        env={"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.split()


def test_the_engine_is_tested_even_where_a_test_of_the_package_fails(tmp_path: Path) -> None:
    assert commands_of_the_readme(tmp_path, "python", "-c") == (0, ["pip", "python", "cargo"])


@pytest.mark.parametrize("failing", ["pip", "python", "cargo"])
def test_where_any_command_of_the_readme_fails_ci_does(failing: str, tmp_path: Path) -> None:
    status, called = commands_of_the_readme(tmp_path, failing, "-euc")
    assert status == 1
    assert called[-1] == failing
