"""Files that are written: never over one that is read, through links, with the mode of the old one, whole."""

import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import rescorla as rw
from rescorla import cli
from rescorla._core import AtomicFile
from unnamed import can_be_unnamed

TABLE = "cues\toutcomes\na_b\tx\nb_c\ty\na\tx\n"
EVENTS = [("a_b", "x"), ("b_c", "y", 2)]
MESSAGE = "is also read.*: name another output$"
unix = pytest.mark.skipif(os.name != "posix", reason="links, modes and pipes of Unix")


def weights(number: float = 1.0) -> rw.Weights:
    """Weights whose names tell their values."""
    return rw.Weights(np.full((3, 2), number), [f"{number}{name}" for name in "abc"], ["x", "y"])


def links_to(path: Path) -> list[Path]:
    """A file under its own name and, where there are links, under others."""
    names = [path, path.parent / "." / path.name]
    if os.name == "posix":
        (path.parent / "soft").symlink_to(path.name)
        os.link(path, path.parent / "hard")
        names += [path.parent / "soft", path.parent / "hard"]
    return names


# Each takes what is read and what is written.
CALLS: dict[str, tuple[str, Callable[[Path, Path], object]]] = {
    "compile a table": ("e.tab", lambda read, out: rw.read_events(read, out)),
    "compile a file of events": ("e.rw", lambda read, out: rw.read_events(read, out)),
    "compile mapped events": ("e.rw", lambda read, out: rw.read_events(rw.open_events(read), out)),
    "save": ("e.rw", lambda read, out: rw.open_events(read).save(out)),
    "filter": ("e.rw", lambda read, out: rw.open_events(read).filter(path=out, max_cues=1)),
    "filter by a list": ("list", lambda read, out: rw.read_events(EVENTS).filter(path=out, keep_cues=read)),
    "filter by a map": ("map", lambda read, out: rw.read_events(EVENTS).filter(path=out, cue_map=read)),
    "distinct": ("e.rw", lambda read, out: rw.open_events(read).distinct(path=out)),
    "swapped": ("e.rw", lambda read, out: rw.open_events(read).swapped(path=out)),
    "head": ("e.rw", lambda read, out: rw.open_events(read).head(1, path=out)),
    "sample": ("e.rw", lambda read, out: rw.open_events(read).sample(3, 1, path=out)),
    "passes": ("e.rw", lambda read, out: rw.open_events(read).passes(2, path=out)),
    "split": ("e.rw", lambda read, out: rw.open_events(read).split(1, paths=(out, f"{out}.2"))),
    "background": ("e.rw", lambda read, out: rw.open_events(read).with_background("B", path=out)),
    "concat": ("e.rw", lambda read, out: rw.concat_events([rw.read_events(EVENTS), read], out)),
    "concat a table": ("e.tab", lambda read, out: rw.concat_events([read], out)),
    "to_table": ("e.rw", lambda read, out: rw.open_events(read).to_table(out)),
    "corpus": ("list", lambda read, out: rw.corpus_events(read, out)),
    "corpus of files": ("list", lambda read, out: rw.corpus_events([read], out)),
    "stop words": ("list", lambda read, out: rw.corpus_events(["a b", "c"], out, stop_words=read)),
    "vocabulary": ("list", lambda read, out: rw.corpus_events(["a b"], out, vocabulary=read)),
    "cues of a table": ("map", lambda read, out: rw.corpus_events(["a"], out, cues_from=[1, read])),
    "outcomes of a table": ("map", lambda read, out: rw.corpus_events(["a"], out, outcomes_from=read)),
    "learn": ("e.npy", lambda read, out: rw.learn(read, out=out)),
    "learn mapped events": ("e.npy", lambda read, out: rw.learn(rw.open_events(read), out=out)),
    "go on": ("w.npy", lambda r, o: rw.learn(rw.read_events(EVENTS), initial=rw.load_weights(r), out=o)),
    "activations": ("w.npy", lambda r, o: rw.activations(["1.0a"], rw.load_weights(r), out=o)),
    "save mapped weights": ("w.npy", lambda read, out: rw.load_weights(read).save(out)),
}


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A folder with one file of each kind."""
    (tmp_path / "e.tab").write_text(TABLE)
    (tmp_path / "list").write_text("a\nb\n")
    (tmp_path / "map").write_text("a\tA\n")
    for name in ("e.rw", "e.npy"):
        rw.read_events(EVENTS, tmp_path / name)
    weights().save(tmp_path / "w.npy")
    return tmp_path


@pytest.mark.parametrize("call", CALLS)
def test_no_output_replaces_an_input(call: str, inputs: Path) -> None:
    name, work = CALLS[call]
    read = inputs / name
    before = read.read_bytes()
    for out in links_to(read):
        if name.endswith(".npy") and out.suffix != ".npy":
            out = out.rename(out.with_suffix(".npy"))
        with pytest.raises(ValueError, match=MESSAGE):
            work(read, out)
        assert read.read_bytes() == before
    assert not [each for each in inputs.iterdir() if "tmp" in each.name]
    # And another file may be written.
    if name != "w.npy" and call != "split":
        work(read, inputs / ("other" + (".rw" if read.suffix == ".tab" else read.suffix)))


@pytest.mark.parametrize("suffix", [".npz", ".nc"])
def test_weights_that_were_read_whole_may_be_saved_over_their_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"w{suffix}"
    weights(1.0).save(path)
    read = rw.load_weights(path)
    read.save(path)
    np.testing.assert_array_equal(rw.load_weights(path).values, read.values)


@pytest.mark.parametrize(
    "told",
    [
        "events text -o text",
        "events text -o ./text",
        "events e.tab -o e.tab",
        "events e.rw --head 1 -o e.rw",
        "events e.rw text.rw -o text.rw",
        "events e.rw --table e.rw",
        "events e.tab --cue-counts e.tab",
        "events e.tab --outcome-counts e.tab",
        "events e.rw --split 1 -o new.rw --test-output e.rw",
        "events e.rw --keep-cues list -o list",
        "events e.rw --cue-map map --table map",
        "events text --stop-words list -o list",
        "events text --vocabulary list -o list",
        "events text --cues-from @map -o map",
        "events folder -o folder/text",
        "learn w.npz -o w.npz",
        "learn w.npy -o w.npy",
        "equilibrium w.nc -o w.nc",
        "activations e.tab v.npy -o v.npy",
        "activations w.npy v.npz -o w.npy",
        "plot v.npz -o v.npz",
        "export v.npz -o v.npz",
        "export v.npy -o v.npy",
        "export v.npz --cues @list.csv -o list.csv",
        "learn e.tab --initial v.npz -o v.npz",
        "equilibrium e.tab --initial v.npz -o v.npz",
        "learn e.tab --alpha-file list.csv -o list.csv",
        "learn e.tab --outcomes @list.csv -o list.csv",
        "activations e.tab v.npz --outcomes @list.csv -o list.csv",
    ],
)
def test_no_output_of_a_command_replaces_its_input(
    told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("e.tab", "w.npz", "w.npy", "w.nc"):
        Path(name).write_text(TABLE)
    for name in ("text", "list", "list.csv"):
        Path(name).write_text("a b a\n")
    Path("map").write_text("a\tA\n")
    Path("folder").mkdir()
    Path("folder/text").write_text("a b\n")
    for name in ("e.rw", "text.rw"):
        rw.read_events(EVENTS, name)
    for name in ("v.npz", "v.npy"):
        rw.Weights(np.ones((3, 1)), ["a", "b", "c"], ["x"]).save(name)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    capsys.readouterr()
    assert cli.main(told.split()) == 1
    assert re.search(MESSAGE, capsys.readouterr().err.strip())
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_two_outputs_of_a_command_are_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.tab").write_text(TABLE)
    assert cli.main(["events", "e.tab", "-o", "out", "--table", "out"]) == 1
    assert "out is written twice: name another output" in capsys.readouterr().err
    assert not Path("out").exists()


@unix
def test_standard_input_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a b a\n")
    command = [sys.executable, "-m", "rescorla", "events", "-", "-o", "text"]
    with open(tmp_path / "text", "rb") as stream:
        done = subprocess.run(
            command, stdin=stream, cwd=tmp_path, capture_output=True, text=True, check=False
        )
    assert done.returncode == 1
    assert "text is also read, as /dev/stdin: name another output" in done.stderr
    assert (tmp_path / "text").read_text() == "a b a\n"


# What is written to, each as a call with a path. The suffixes are those that the call takes.
WRITERS: dict[str, Callable[[Path], object]] = {
    ".rw": lambda path: rw.read_events(EVENTS, path),
    ".tab": lambda path: rw.read_events(EVENTS).to_table(path),
    ".npz": lambda path: weights().save(path),
    ".npy": lambda path: weights().save(path),
    ".nc": lambda path: weights().save(path),
    ".out.npy": lambda path: rw.learn(rw.read_events(EVENTS), out=path),
    ".act.npy": lambda path: rw.activations(["1.0a"], weights(), out=path),
}
writers = pytest.mark.parametrize("writer", WRITERS)


@unix
@writers
def test_a_link_is_followed(writer: str, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    link, target = tmp_path / f"link{writer}", tmp_path / "below" / f"file{writer}"
    link.symlink_to(os.path.join("below", target.name))
    # To a file that is not there yet, and to one that is.
    for _ in range(2):
        WRITERS[writer](link)
        assert link.is_symlink()
        assert stat.S_ISREG(target.lstat().st_mode)
    assert os.listdir(tmp_path / "below") == [target.name]


@unix
@writers
def test_the_mode_of_the_old_file_stays(writer: str, tmp_path: Path) -> None:
    path = tmp_path / f"file{writer}"
    WRITERS[writer](path)
    plain = tmp_path / "plain"
    plain.write_text("")
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o640)
    WRITERS[writer](path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@unix
@writers
def test_the_owner_of_the_old_file_stays(writer: str, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give a file to another")
    path = tmp_path / f"file{writer}"
    WRITERS[writer](path)
    os.chown(path, 12345, 23456)
    WRITERS[writer](path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@unix
@writers
def test_what_is_no_regular_file_is_not_replaced(writer: str, tmp_path: Path) -> None:
    pipe, link = tmp_path / f"pipe{writer}", tmp_path / f"stdout{writer}"
    os.mkfifo(pipe)
    with open(tmp_path / "open", "w") as stream:
        link.symlink_to(f"/proc/self/fd/{stream.fileno()}")
        for path in [pipe, *([link] if sys.platform == "linux" else [])]:
            with pytest.raises(ValueError, match="expected the path of a regular file to write"):
                WRITERS[writer](path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()
    (tmp_path / f"folder{writer}").mkdir()
    with pytest.raises(IsADirectoryError):
        WRITERS[writer](tmp_path / f"folder{writer}")


@unix
@pytest.mark.parametrize("option", ["-o", "--table", "--cue-counts"])
def test_a_command_writes_to_a_pipe_where_that_makes_sense(option: str, tmp_path: Path) -> None:
    (tmp_path / "e.tab").write_text(TABLE)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "rescorla", "events", "e.tab", option, str(pipe)]
    if option == "-o":
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "expected the path of a regular file to write" in done.stderr
    else:
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL):
            written = pipe.read_text()
        assert written.splitlines()[0] in ("cues\toutcomes", "cues\tfrequency")
        assert len(written.splitlines()) == 4
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    shown = subprocess.run([*command[:-1], "/dev/stdout"], cwd=tmp_path, capture_output=True, check=False)
    assert (shown.returncode == 0) == (option != "-o")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_an_error_has_the_name_of_its_file_whole(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"no folder \xff", b"e.rw")
    for work in (
        lambda: rw.read_events(EVENTS, os.fsdecode(path)),
        lambda: rw.open_events(os.fsdecode(path)),
        lambda: weights().save(os.fsdecode(path) + ".npz"),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            work()
        assert os.fsencode(caught.value.filename).startswith(path)


LONG = """
import sys, numpy as np, rescorla as rw
path, number = sys.argv[1], int(sys.argv[2])
R = np.random.default_rng(number)
w = rw.Weights(R.normal(size=(3000, 3000)), map(str, range(3000)), map(str, range(3000)))
print("begin", flush=True)
while True:
    if path.endswith(".out.npy"):
        events = rw.read_events([([str(i) for i in range(k, 3000, 50)], str(k)) for k in range(3000)])
        rw.learn(events, out=path)
    elif path.endswith(".act.npy"):
        rw.activations([str(i) for i in range(3000)], w, out=path)
    elif path.endswith(".rw"):
        rw.read_events((([str(k % 3000)], [str(k % 7)]) for k in range(1_000_000)), path)
    else:
        w.save(path)
"""


def writes_unnamed(process: int, folder: Path) -> bool:
    """Whether a process writes a file that is in a folder without a name.

    The one by which it tries whether that is possible is empty; one that is whole has a name for a moment.
    """
    for each in Path(f"/proc/{process}/fd").iterdir():
        about = each.stat()
        if os.readlink(each).startswith(f"{folder}/#") and about.st_size > 0 and about.st_nlink == 0:
            return True
    return False


@unix
@pytest.mark.parametrize("suffix", [".npz", ".npy", ".nc", ".csv", ".out.npy", ".act.npy", ".rw"])
def test_a_killed_writer_leaves_nothing_where_files_need_no_name(suffix: str, tmp_path: Path) -> None:
    if not can_be_unnamed(tmp_path):
        pytest.skip("here a file has a name as soon as it is made")
    path = tmp_path / f"w{suffix}"
    path.write_text("the old file")
    with subprocess.Popen([sys.executable, "-c", LONG, str(path), "1"], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        for _ in range(2000):
            time.sleep(0.005)
            child.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, child.pid, os.WSTOPPED)
            if caught := writes_unnamed(child.pid, tmp_path.resolve()):
                break
            child.send_signal(signal.SIGCONT)
        child.kill()
    assert caught, "never seen while it wrote"
    assert os.listdir(tmp_path) == [path.name]


@unix
@writers
def test_the_next_writer_removes_what_a_killed_one_left(writer: str, tmp_path: Path) -> None:
    path = tmp_path / f"w{writer}"
    (tmp_path / f".{path.name}.1-0.rescorla-tmp").write_text("left")
    WRITERS[writer](path)
    assert os.listdir(tmp_path) == [path.name]


@unix
@pytest.mark.parametrize("suffix", [".npz", ".npy", ".nc", ".out.npy"])
def test_the_next_writer_removes_what_was_killed_on_the_way(suffix: str, tmp_path: Path) -> None:
    if can_be_unnamed(tmp_path):
        pytest.skip("here a killed writer leaves nothing")
    path = tmp_path / f"w{suffix}"
    left: list[Path] = []
    for attempt in range(30):
        with subprocess.Popen(
            [sys.executable, "-c", LONG, str(path), str(attempt)], stdout=subprocess.PIPE
        ) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(0.05 + 0.02 * attempt)
            child.send_signal(signal.SIGKILL)
        left = [each for each in tmp_path.iterdir() if each.name != path.name]
        if left:
            break
    assert left, "never killed while it wrote"
    WRITERS[suffix](path)
    assert os.listdir(tmp_path) == [path.name]


def test_the_temporary_of_a_living_writer_stays(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    file = AtomicFile(str(path))
    WRITERS[".npz"](path)
    assert os.path.exists(file.temporary)
    Path(file.temporary).write_text("whole")
    file.finish()
    assert path.read_text() == "whole"
    file.discard()
    with pytest.raises(ValueError, match="neither finished nor discarded"):
        file.finish()


# Checksums.


@pytest.mark.parametrize("suffix", [".npy", ".out.npy", ".nc", ".npz"])
def test_no_changed_byte_is_read_as_other_weights(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"w{suffix}"
    events = rw.read_events([(["name of a cue", "b"], ["name of an outcome"]), ("b", "y")])
    alphas = {"name of a cue": 0.25, "b": 0.5}
    out = path if suffix == ".out.npy" else None
    learned = rw.learn(events, alpha=alphas, out=out)
    if out is None:
        learned.save(path)
    del learned
    read = rw.load_weights(path)
    expected = (read.values.tolist(), read.cues, read.outcomes, read.parameters)
    del read
    assert cli.main(["verify", str(path)]) == 0
    assert "sound, weights of 2 cues x 2 outcomes" in capsys.readouterr().out
    refused = 0
    for file in sorted(tmp_path.iterdir()):
        content = file.read_bytes()
        # Some of what is not empty, evenly.
        places = [place for place, byte in enumerate(content) if byte]
        for place in places[:: max(1, len(places) // 300)]:
            changed = bytearray(content)
            changed[place] ^= 1 << place % 8
            file.write_bytes(changed)
            status = cli.main(["verify", str(path)])
            capsys.readouterr()
            if status:
                refused += 1
            else:
                back = rw.load_weights(path)
                assert (back.values.tolist(), back.cues, back.outcomes, back.parameters) == expected, place
                del back
        file.write_bytes(content)
    assert refused > 30
    assert cli.main(["verify", str(path)]) == 0
