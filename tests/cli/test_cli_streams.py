"""Where commands print: terminals, which names must not command, and streams that are closed."""

import argparse
import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from rescorla import cli

# They clear a screen, write a clipboard, set a title, turn the direction of writing, end a line, and hide.
WILD = [
    "\x1b[2Jx",
    "\x1b]52;c;aGFja2Vk\x07y",
    "\u202ez",
    "\x9b2J",
    "u\r\n\tv\u2028w",
    "\ufeffs\xadt\U000e0041\u2060",
]
NOT_SHOWN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)

# Names of which each character is shown: blanks and joiners of many scripts are text.
TAME = ["نمی\u200cخواهم", "a\u00a0b", "你\u3000好", "é", "\\x1b"]


class Screen(io.StringIO):
    """A terminal, as far as programs ask."""

    def isatty(self) -> bool:
        return True


def printed(*told: str, kind: type[io.StringIO] = Screen) -> tuple[str, str]:
    """What a command prints, and its report."""
    out, error = kind(), kind()
    with redirect_stdout(out), redirect_stderr(error):
        with suppress(SystemExit):
            cli.main([*told])
        assert sys.stdout is out
        assert sys.stderr is error
    return out.getvalue(), error.getvalue()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights and events of names that are commands to a terminal."""
    monkeypatch.chdir(tmp_path)
    names = [*WILD, *TAME]
    values = [[float(place) for place in range(len(names))]] * len(names)
    parameters = {"note": "\x1b]0;t\x07", "\x1b[2J": 1}
    rw.Weights(values, names, names, parameters).save("w.npz")
    rw.read_events([([names[0]], [names[1]]), (names[4:], names[2:4])], "e.rw", progress=False)
    # Tables have no names with tabs or line breaks.
    rw.read_events([(names[:2], names[2:4])], "t.rw", progress=False)
    rw.Weights([[1.0]], ["a"], ["x"]).save("\x1b[31mw\n.npz")
    return tmp_path


COMMANDS = [
    ["top", "w.npz", "-n", "100"],
    ["top", "w.npz", "--cue", "\x1b]0;t\x07"],
    ["info", "w.npz"],
    ["info", "e.rw"],
    ["info", "\x1b[31mw\n.npz"],
    ["verify", "\x1b[31mw\n.npz"],
    ["export", "\x1b[31mw\n.npz", "-o", "\x1b[31mw.csv"],
    ["activations", "e.rw", "w.npz", "--top", "20"],
    ["activations", "e.rw", "\x1b[31mw\n.npz", "--unknown", "ignore", "--top", "2"],
    ["activations", "e.rw", "\x1b[31mw\n.npz", "--top", "2"],
    ["events", "e.rw", "--table", "-"],
    ["events", "t.rw", "--table", "-"],
    ["events", "t.rw", "--cue-counts", "-", "--remove-cues", "list"],
    ["learn", "e.rw", "-o", "\u202eo.npz", "--top", "5"],
    ["learn", "\x1b[2J"],
    ["learn", "e.rw", "\x1b[2J\n", "--\x1b[2J"],
    ["\x1b[2J"],
    ["top", "w.npz", "-n", "\x1b[2J"],
    ["plot", "w.npz", "-o", "p.png", "--outcomes", "\x1b[2J"],
]


@pytest.mark.parametrize("told", COMMANDS, ids=lambda told: repr(" ".join(told)))
def test_a_terminal_is_shown_names_and_not_commanded(files: Path, told: list[str]) -> None:
    (files / "list").write_text("u\r\n\x1b[2Jx\n", encoding="utf-8")
    for text in printed(*told, "--no-progress"):
        tabs = "\t" if told[0] in ("top", "activations", "events", "learn") else ""
        assert not NOT_SHOWN.search(text.replace("\t", "", -1 if tabs else 0)), repr(text)


def test_what_a_terminal_shows_is_escaped_and_else_unchanged(files: Path) -> None:
    shown, _ = printed("top", "w.npz", "-n", "1000")
    piped, _ = printed("top", "w.npz", "-n", "1000", kind=io.StringIO)
    names = [*WILD, *TAME]
    expected = [name if name in TAME else repr(name)[1:-1] for name in names]
    assert {line.split("\t")[0] for line in shown.splitlines()} == {*expected}
    for name in names:
        assert f"{name}\t{name}\t" in piped
    table, _ = printed("events", "t.rw", "--table", "-", "--no-progress", kind=io.StringIO)
    assert WILD[0] in table
    shown, _ = printed("info", "w.npz")
    assert "note      \\x1b]0;t\\x07\n\\x1b[2J   1\n" in shown


def test_help_keeps_the_colours_of_argparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(argparse.ArgumentParser, "format_help", lambda _: "\x1b[1mhelp\x1b[0m\n")
    assert printed("--help")[0] == "\x1b[1mhelp\x1b[0m\n"
    assert printed("top", "--help")[0] == "\x1b[1mhelp\x1b[0m\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_bar_moves_on_a_terminal_and_names_do_not(files: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    told = ["learn", "e.rw", "-o", "o.npz", "--top", "3"]
    done = subprocess.Popen([sys.executable, "-m", "rescorla", *told], stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 1 << 16):
            shown += block
    except OSError:
        # So Linux says that nobody writes any more.
        pass
    assert done.wait() == 0
    os.close(ours)
    assert b"\rlearning" in shown
    assert b"\x1b" not in shown
    assert b"\\x1b[2Jx\t" in shown


def test_results_show_names_and_do_not_command() -> None:
    weights = rw.Weights([[1.0, 2.0]] * 2, WILD[:2], WILD[2:4], {WILD[0]: WILD[1]})
    events = rw.read_events([([name], [name]) for name in WILD])
    fitted = rw.classify.statistics(WILD[:3], WILD[:3], np.eye(3), outcomes=WILD[:3])
    results: list[Any] = [weights, events, events[0], rw.convergence(events), rw.trajectories(events), fitted]
    for result in results:
        for text in (repr(result), str(result)):
            assert not NOT_SHOWN.search(text), repr(text)


CLOSED = [
    (["top", "w.npz"], 1),
    (["top", "w.npz", "--json"], 1),
    (["info", "e.rw"], 1),
    (["verify", "e.rw"], 1),
    (["activations", "e.rw", "w.npz", "--top", "1"], 1),
    (["activations", "e.rw", "w.npz", "--top", "1", "--json"], 1),
    (["events", "e.rw", "--table", "-"], 1),
    (["events", "e.rw", "--table", "/dev/stdout"], 1),
    (["events", "e.rw", "--cue-counts", "-"], 1),
    (["completion", "bash"], 1),
    (["learn", "e.rw", "--top", "1"], 1),
    (["equilibrium", "e.rw", "--top", "1"], 1),
    (["export", "w.npz", "-o", "w.csv", "--json"], 1),
    (["plot", "w.npz", "-o", "w.svg", "--json"], 1),
    (["report", "w.npz", "-o", "w.html", "--json"], 1),
    (["--help"], 1),
    (["--version"], 1),
    (["top", "-h"], 1),
    (["learn", "-h"], 1),
    (["learn", "e.rw", "-o", "o.npz"], 0),
    (["export", "w.npz", "-o", "w.csv"], 0),
]


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights and events."""
    monkeypatch.chdir(tmp_path)
    rw.Weights([[1.0]], ["a"], ["x"]).save("w.npz")
    rw.read_events([("a", "x")], "e.rw", progress=False)
    return tmp_path


@pytest.mark.parametrize(("told", "status"), CLOSED, ids=lambda given: str(given))
def test_a_closed_standard_output_is_said(
    plain: Path, monkeypatch: pytest.MonkeyPatch, told: list[str], status: int
) -> None:
    error = io.StringIO()
    with redirect_stderr(error):
        monkeypatch.setattr(sys, "stdout", None)
        assert cli.main(told) == status
        assert sys.stdout is None
    said = "rescorla: error: standard output is closed, and there is something to print\n"
    assert error.getvalue().endswith(said) == bool(status)


def test_a_closed_standard_input_is_said(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    said = "rescorla: error: standard input is closed, and - reads it; give the name of a file\n"
    for told in (
        ["learn", "-"],
        ["events", "-", "--table", "-"],
        ["activations", "-", "w.npz", "--top", "1"],
    ):
        assert printed(*told)[1] == said


def test_without_a_standard_error_nothing_is_reported(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        monkeypatch.setattr(sys, "stderr", None)
        assert cli.main(["learn", "e.rw", "--top", "1"]) == 0
        assert out.getvalue() == "a\tx\t0.01\n"
        assert cli.main(["top", "none.npz"]) == 1
        with pytest.raises(SystemExit, match="2"):
            cli.main(["top"])
    assert out.getvalue() == "a\tx\t0.01\n"


@pytest.mark.skipif(sys.platform == "win32", reason="the shell is that of Unix")
def test_the_process_without_streams(plain: Path) -> None:
    command = f"'{sys.executable}' -m rescorla learn e.rw -o o.npz"
    assert subprocess.run(f"{command} <&- >&- 2>&-", shell=True, check=False).returncode == 0
    assert rw.load_weights("o.npz")["a", "x"] == pytest.approx(0.01)
    ended = subprocess.run(f"{command} --json >&-", shell=True, check=False, stderr=subprocess.PIPE)
    assert ended.returncode == 1
    assert ended.stderr.endswith(
        b"rescorla: error: standard output is closed, and there is something to print\n"
    )


def ended(*told: str | bytes, **how: Any) -> tuple[int, bytes, bytes]:
    """The status of a process, with the two streams that are not redirected; it holds back what it prints."""
    with_buffer = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
    how["env"] = with_buffer | how.get("env", {})
    done: Any = subprocess.run([sys.executable, "-m", "rescorla", *told], check=False, **how)
    return done.returncode, done.stdout or b"", done.stderr or b""


PRINTING = [["top", "w.npz"], ["--help"], ["learn", "-h"]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is full")
def test_a_full_disk_is_said_once(plain: Path) -> None:
    with open("/dev/full", "wb") as full:
        for told in PRINTING:
            assert ended(*told, stdout=full) == (
                1,
                b"",
                b"rescorla: error: standard output: No space left on device\n",
            )
        # Reports are lost, and nothing else is.
        for told, status in (
            (["learn", "e.rw", "-o", "o.npz"], 0),
            (["top", "no.npz"], 1),
            (["top"], 2),
        ):
            assert ended(*told, stderr=full) == (status, b"", b"")
    assert rw.load_weights("o.npz")["a", "x"] == pytest.approx(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are those of Unix")
def test_a_reader_who_goes_away_is_no_error(plain: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for told in PRINTING:
        assert ended(*told, stdout=writing) == (141, b"", b"")
    for told in (["top", "no.npz"], ["top"]):
        assert ended(*told, stderr=writing) == (141, b"", b"")
    os.close(writing)


LOCALES = [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONIOENCODING": "ascii:strict"},
]


@pytest.mark.parametrize("locale", LOCALES, ids=str)
def test_data_are_utf8_in_any_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locale: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rw.Weights([[1.0]], ["你"], ["é"]).save("w.npz")
    rw.read_events([(["你"], ["é"])], "e.rw", progress=False)
    assert ended("top", "w.npz", env=locale) == (0, "你\té\t1\n".encode(), b"")
    table = ended("events", "e.rw", "--table", "-", "--no-progress", env=locale)
    assert table[:2] == (0, "cues\toutcomes\n你\té\n".encode())
    # Messages have escapes for what the locale lacks.
    rw.Weights([[1.0]], ["x"], ["é"]).save("w.npz")
    status, _, error = ended("activations", "e.rw", "w.npz", "--top", "1", env=locale)
    assert (status, b"the cue '\\u4f60'" in error) == (1, True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_the_name_of_a_file_goes_out_as_it_came_in(plain: Path) -> None:
    name = b"w\xff.npz"
    os.rename("w.npz", name)
    assert ended("verify", name)[1] == name + b": sound, weights of 1 cues x 1 outcomes\n"


def test_streams_are_left_as_they_were(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("out", "w", encoding="latin-1", errors="strict") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert cli.main(["top", "w.npz"]) == 0
        assert (sys.stdout, out.encoding, out.errors) == (out, "latin-1", "strict")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_keeps_its_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pty

    monkeypatch.chdir(tmp_path)
    # In UTF-8 the second has the byte 0x9b, which commands a terminal of Latin-1.
    rw.Weights([[1.0]], ["é"], ["Л"]).save("w.npz")
    ours, theirs = pty.openpty()
    assert ended("top", "w.npz", stdout=theirs, env={"PYTHONIOENCODING": "latin-1"}) == (0, b"", b"")
    os.close(theirs)
    assert os.read(ours, 1 << 10) == b"\xe9\t\\u041b\t1\r\n"
    os.close(ours)


def test_an_argument_is_checked_also_where_it_is_not_used(plain: Path) -> None:
    for told in (["events", "e.rw", "-o", "f.rw"], ["events", "e.rw", "--table", "-"]):
        for threads in ("0", "-1"):
            said = printed(*told, "--threads", threads)[1]
            assert said == f"rescorla: error: --threads must be a whole number of 1 or more, not {threads}\n"
    assert not (plain / "f.rw").exists()
