"""rescorla completion: scripts that shells read."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rescorla import cli
from rescorla.cli.command import all_of
from rescorla.cli.completion import SHELLS
from terminal import ok, said


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command_and_option(shell: str) -> None:
    pytest.importorskip("shtab")
    script = ok("completion", shell)
    for name, command in all_of(cli.parser()).items():
        assert name in script
        for action in command._actions:
            for flag in action.option_strings:
                # fish names options without their dashes.
                assert (flag if shell != "fish" else flag.lstrip("-")) in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    (tmp_path / "w.npz").touch()
    asked = """
complete_words() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _shtab_rescorla; echo "${COMPREPLY[@]}"
}
complete_words rescorla eq
complete_words rescorla learn --sch
complete_words rescorla learn e.tab --method a
complete_words rescorla top w
complete_words rescorla learn e.tab --initial w
"""
    script = ok("completion", "bash") + asked
    done = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines() == ["equilibrium", "--schedule", "auto adjoint", "w.npz", "w.npz"]


def test_without_shtab_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    found = said("completion", "bash")
    assert found.status == 1
    assert "pip install 'rescorla[completion]'" in found.error


def test_another_shell_is_wrong_usage() -> None:
    assert said("completion", "fsh").status == 2
