"""A command that a signal ends: it cleans up, says so in one line, and ends by that signal."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import rescorla as rw
from rescorla import cli
from rescorla.cli import ending

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of Unix")

COMMAND = [sys.executable, "-m", "rescorla"]
TERM, HUP = signal.SIGTERM, signal.SIGHUP


@pytest.fixture
def hours(tmp_path: Path) -> str:
    """Events whose tokens take hours, in a folder of their own."""
    (tmp_path / "read").mkdir()
    rows = ((f"a{i}_b{i}", f"x{i}", 4_000_000_000) for i in range(500))
    path = rw.read_events(rows, tmp_path / "read" / "e.rw").path
    assert path is not None
    return os.fspath(path)


@contextmanager
def learning(*command: str) -> Iterator[tuple[subprocess.Popen[bytes], Callable[[], str]]]:
    """A process that learns, on a terminal of its own; and what gives its last line."""
    reads, writes = os.openpty()
    seen = b""

    def last_line() -> str:
        nonlocal seen
        child.wait(30)
        with suppress(OSError):  # The end of a terminal that nobody has open.
            while more := os.read(reads, 1 << 16):
                seen += more
        return seen.decode().replace("\r", "\n").rstrip().split("\n")[-1]

    try:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writes, stderr=writes) as child:
            os.close(writes)
            try:
                # The bar is there as soon as something is learned.
                while b"%" not in seen:
                    seen += os.read(reads, 1 << 16)
                yield child, last_line
            finally:
                child.kill()
    finally:
        os.close(reads)


def learn(hours: str, output: Path) -> list[str]:
    return [*COMMAND, "learn", hours, "--method", "forward", "-o", str(output)]


@pytest.mark.parametrize("number", [TERM, HUP], ids=["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_a_signal_ends_learning_and_leaves_the_old_file(
    suffix: str, number: signal.Signals, hours: str, tmp_path: Path
) -> None:
    output = tmp_path / "w" / f"w{suffix}"
    output.parent.mkdir()
    output.write_text("the old file")
    with learning(*learn(hours, output)) as (child, last_line):
        child.send_signal(number)
        # As a closing terminal and its shell do.
        child.send_signal(number)
        assert last_line().endswith(f"rescorla: ended by {number.name}")
        assert child.returncode == -number
    assert os.listdir(output.parent) == [output.name]
    assert output.read_text() == "the old file"


def test_a_shell_sees_143(hours: str, tmp_path: Path) -> None:
    with learning("sh", "-c", '"$@"; echo status $?', "sh", *learn(hours, tmp_path / "w.npz")) as (
        shell,
        last_line,
    ):
        (child,) = Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()
        os.kill(int(child), TERM)
        assert last_line() == "status 143"


def test_what_is_written_for_the_steps_of_events_goes(tmp_path: Path) -> None:
    output = tmp_path / "w" / "e.rw"
    output.parent.mkdir()
    table = tmp_path / "e.tab"
    table.write_text("cues\toutcomes\n" + "".join(f"a{i}_b{i}\tx{i}\n" for i in range(1_000_000)))
    told = [
        "events",
        str(table),
        "--remove-cues",
        "a1",
        "--sample",
        "900000",
        "--seed",
        "1",
        "-o",
        str(output),
    ]
    with subprocess.Popen([*COMMAND, *told], stderr=subprocess.PIPE, text=True) as child:
        while not os.listdir(output.parent):
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(TERM)
        assert child.communicate(timeout=30)[1].endswith("rescorla: ended by SIGTERM\n")
    assert child.returncode == -TERM
    assert os.listdir(output.parent) == []


def test_who_ignores_a_signal_goes_on(hours: str, tmp_path: Path) -> None:
    # As nohup does it, which also takes the terminal away.
    with learning("sh", "-c", 'trap "" HUP; exec "$@"', "sh", *learn(hours, tmp_path / "w.npy")) as (
        child,
        last_line,
    ):
        child.send_signal(HUP)
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(1)
        child.send_signal(TERM)
        assert last_line().endswith("rescorla: ended by SIGTERM")
        assert child.returncode == -TERM


def test_who_has_a_handler_keeps_it(tmp_path: Path) -> None:
    def handler(*_: object) -> None:
        pass

    before = {number: signal.signal(number, handler) for number in (TERM, HUP)}
    try:
        assert cli.main(["info", str(tmp_path / "missing")]) == 1
        assert {signal.getsignal(number) for number in before} == {handler}
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def test_a_signal_that_follows_at_once_is_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (TERM, HUP)}
    try:
        with ending.stopping() as came:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(HUP)
            signal.raise_signal(HUP)
            signal.raise_signal(TERM)
            assert came == [HUP]
        monkeypatch.setattr(ending, "_DEAF", 0)
        with ending.stopping() as came:
            # Where a library dropped the first, a later one is heard.
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(TERM)
            assert came == [TERM, TERM]
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def test_handlers_last_as_long_as_the_command(tmp_path: Path) -> None:
    before = [signal.getsignal(number) for number in (TERM, HUP)]
    assert cli.main(["info", str(tmp_path / "missing")]) == 1
    assert [signal.getsignal(number) for number in (TERM, HUP)] == before


def test_a_library_hears_no_signals() -> None:
    script = (
        "import signal, rescorla as rw\n"
        "rw.learn([('a', 'x')])\n"
        "print({signal.getsignal(each) is signal.SIG_DFL for each in (signal.SIGTERM, signal.SIGHUP)})\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "{True}\n"
