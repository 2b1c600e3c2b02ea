"""What is a table and what is text, where the columns are, how much is read, and what names say of files."""

import gzip
import io
import lzma
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla import _core, cli

EVENTS = [(("a", "b"), ("x",), 1), (("b",), ("y",), 1)]

# Tables that nobody takes for prose, whatever their columns are called.
TABLES = {
    "no header": "a_b\tx\nb\ty\n",
    "singular": "cue\toutcome\na_b\tx\nb\ty\n",
    "other names": "trigrams\twords\na_b\tx\nb\ty\n",
    "R with commas": "Cue,Outcome\na_b,x\nb,y\n",
    "R with semicolons": "Cue;Outcome\na_b;x\nb;y\n",
    "blanks": "cue outcome\na_b x\nb y\n",
}


def kind(content: str | bytes, folder: Path) -> str:
    path = folder / "any"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return _core.look(str(path))[0]


def rows(events: rw.Events) -> list[tuple[Any, ...]]:
    return [tuple(event) for event in events]


class Piped:
    """Standard input, which says how much of it was taken."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def command(
    capsys: pytest.CaptureFixture[str], *told: object, piped: bytes | None = None, status: int = 0
) -> tuple[str, str]:
    """The report and what was asked for; and what is wrong."""
    before = sys.stdin
    if piped is not None:
        sys.stdin = Piped(piped)
    try:
        found = cli.main([str(each) for each in told])
    finally:
        sys.stdin = before
    shown = capsys.readouterr()
    assert found == status, shown.err
    lines = shown.err.splitlines(keepends=True)
    wrong = [line for line in lines if line.startswith("rescorla")]
    return "".join(line for line in lines if line not in wrong) + shown.out, "".join(wrong)


# What looks like a table.


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("packed", [False, True])
def test_a_table_is_never_taken_for_prose(
    name: str, packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, content = tmp_path / "table", TABLES[name].encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    first = TABLES[name].splitlines()[0].replace("\t", "\\t")
    with pytest.raises(ValueError, match="looks like a table") as caught:
        rw.read_events(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line 1: expected the columns cues and outcomes")
    assert f'"{first}"' in message
    assert 'columns={"cues": 0' in message
    assert "corpus_events" not in message
    for told, piped, where in ((path, None, str(path)), ("-", path.read_bytes(), "standard input")):
        for verb in ("learn", "equilibrium", "info"):
            _, error = command(capsys, verb, told, piped=piped, status=1)
            assert error.startswith(f"rescorla: error: {where}, line 1: ")
            assert f'"{first}"' in error
            assert "--columns cues=1,outcomes=2" in error
            assert "--format text" in error
            assert "columns={" not in error
    with pytest.warns(
        rw.RescorlaWarning, match="table: this looks like a table, and is read as running text"
    ):
        rw.corpus_events(path)


@pytest.mark.parametrize("name", TABLES)
def test_columns_and_header_say_what_a_table_is(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, header = tmp_path / "table", name != "no header"
    path.write_text(TABLES[name])
    layouts: list[dict[str, str | int]] = [{"cues": 0, "outcomes": 1}]
    if header:
        names = TABLES[name].splitlines()[0].replace("\t", " ").replace(",", " ").replace(";", " ").split()
        layouts += [dict(zip(("cues", "outcomes"), names, strict=True)), {"cues": names[0], "outcomes": 1}]
    for columns in layouts:
        assert rows(rw.read_events(path, columns=columns, header=header)) == EVENTS
        made = rw.read_events(path, tmp_path / "e.rw", columns=columns, header=header)
        assert rows(made) == EVENTS
        told = ",".join(
            f"{role}={column + 1 if isinstance(column, int) else column}" for role, column in columns.items()
        )
        options = ["--columns", told, *([] if header else ["--no-header"])]
        for piped in (None, path.read_bytes()):
            source = path if piped is None else "-"
            out, _ = command(capsys, "events", source, *options, "-o", tmp_path / "e.rw", piped=piped)
            assert "read as   event table\n" in out
            assert rows(rw.open_events(tmp_path / "e.rw")) == EVENTS
            out, _ = command(capsys, "events", source, *options, "--table", "-", piped=piped)
            assert out == "cues\toutcomes\na_b\tx\nb\ty\n"


def test_format_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, prose = tmp_path / "table.tab", tmp_path / "prose.txt"
    table.write_text("cues\toutcomes\na_b\tx\n")
    prose.write_text("In the beginning\n")
    binary = rw.read_events(table, tmp_path / "e.rw").path
    for piped in (None, table.read_bytes()):
        source = table if piped is None else "-"
        out, error = command(capsys, "learn", source, "--format", "text", piped=piped)
        assert "read as    running text (trigrams of words -> words)\n" in out
        # Whoever says it is text is not told that it looks otherwise.
        assert error == ""
        out, _ = command(capsys, "learn", source, "--format", "table", piped=piped)
        assert "read as    event table\n" in out
    assert "read as    binary event file\n" in command(capsys, "learn", binary, "--format", "events")[0]
    for told, message in (
        ((prose, "--format", "table"), "--format text reads running text"),
        ((prose, "--format", "events"), "expected a binary event file, found running text"),
        ((table, "--format", "events"), "expected a binary event file, found an event table"),
        ((binary, "--format", "table"), "found a binary event file; leave out --format"),
        ((binary, "--format", "text"), "expected running text, found a binary event file"),
        ((binary, "--columns", "cues=1,outcomes=2"), "found a binary event file; leave out --columns"),
        ((table, "--format", "text", "--columns", "cues=1"), "--columns is for tables"),
        ((table, "--no-header"), "say which they are, as in --columns cues=1,outcomes=2"),
        ((table, "--columns", "cues=trigrams"), 'found the columns "cues", "outcomes"'),
        ((table, "--columns", "cues=3"), "expected at least 3 columns"),
    ):
        assert message in command(capsys, "learn", *told, status=1)[1]
    for which, message in (
        ("cues", "'cues' does not say which column is which"),
        ("cue=1", "'cue=1' does not say"),
        ("cues=0", "columns are counted from 1"),
    ):
        with pytest.raises(SystemExit):
            cli.main(["learn", str(table), "--columns", which])
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("told", "described"),
    [
        ("", "trigrams of words -> words"),
        ("--cues-from 2,words --outcomes-from none", "bigrams of words, words -> nothing"),
        ("--cues-from 4 --window 3", "4-grams of up to 3 words -> up to 3 words"),
        ("--cues-from words --window 2,1", "up to 2 words before and 1 after -> words"),
        ("--window context", "trigrams of all words of a line -> all words of a line"),
    ],
)
def test_the_report_says_what_text_was_read_as(
    told: str, described: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "prose.txt"
    path.write_text("In the beginning was the word\n")
    outputs = {
        "learn": ["-o", tmp_path / "w.npz"],
        "equilibrium": [],
        "events": ["-o", tmp_path / "e.rw"],
        "activations": [tmp_path / "w.npz", "--unknown", "ignore", "-o", tmp_path / "a.npy"],
    }
    for verb, output in outputs.items():
        for piped in (None, path.read_bytes()):
            source = path if piped is None else "-"
            out, _ = command(capsys, verb, source, *output, *told.split(), piped=piped)
            shown = out.splitlines()[0].split("  ")[-1].strip()
            if verb == "activations" and not told:
                assert shown == f"the events of {tmp_path / 'w.npz'}: all options by default"
            else:
                assert shown == f"running text ({described})"
    assert "read as" in command(capsys, "info", path)[0]


def test_the_report_counts_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "a.tab"
    table.write_text("cues\toutcomes\na_b\tx\n")
    rw.read_events(table, tmp_path / "b.rw")
    for files, what in (
        ([table, table], "2 event tables"),
        ([tmp_path / "b.rw"] * 3, "3 binary event files"),
        ([table, tmp_path / "b.rw"], "2 files: event tables and binary event files"),
    ):
        assert command(capsys, "learn", *files)[0].splitlines()[0] == f"read as    {what}"


# Words without line ends of any kind; sentences have the marks of prose.
_WORDS = st.text("abcdeéß", min_size=1, max_size=6)
_SENTENCES = st.builds(
    lambda words, marks, end: (
        "".join(f"{word}{mark} " for word, mark in zip(words, marks, strict=False))[:-1] + end
    ),
    st.lists(_WORDS, min_size=1, max_size=8),
    st.lists(st.sampled_from(["", "", "", ",", ";", ", and", " -", ":"]), min_size=8, max_size=8),
    st.sampled_from([".", "!", "?", '."', ""]),
)


@given(
    sentences=st.lists(_SENTENCES, min_size=1, max_size=30),
    indent=st.sampled_from(["", "\t", "\t\t", "  \t"]),
    plain=_WORDS,
    at=st.integers(0, 30),
)
def test_prose_is_prose(sentences: list[str], indent: str, plain: str, at: int, folder: Path) -> None:
    # A line without commas and semicolons is in any prose: a heading, the end of a paragraph.
    sentences.insert(at, plain)
    text = "".join(f"{indent}{sentence}\n" for sentence in sentences)
    assert kind(text, folder) == "text"
    # Three lines of a list in prose are no table.
    rows = "red,1,2\ngreen,3,4\nblue,5,6\n"
    assert kind(f"{text}{rows}", folder) == "text"
    assert kind(f"{rows}{text}", folder) == "text"


_CELLS = st.text("abc_é", min_size=1, max_size=5)


@given(
    table=st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(_CELLS, min_size=n, max_size=n), min_size=3)),
    separator=st.sampled_from(["\t", ",", ";"]),
    end=st.sampled_from(["\n", "\r\n"]),
    prose=st.lists(_SENTENCES, max_size=2),
)
def test_tables_are_tables(
    table: list[list[str]], separator: str, end: str, prose: list[str], folder: Path
) -> None:
    lines = [separator.join(row) for row in table]
    assert kind(end.join(lines), folder) == "unnamed"
    assert kind(gzip.compress(end.join(lines).encode()), folder) == "unnamed"
    if separator == "\t":
        # Most lines are enough.
        assert kind(end.join([*lines, *prose[: len(lines) - 1]]), folder) == "unnamed"
    # The names of columns are enough by themselves.
    header = separator.join(["cues", "outcomes", *"xy"[: len(table[0]) - 2]])
    assert kind(f"{header}{end}", folder) == "table"


def test_only_the_first_hundred_lines_are_looked_at(folder: Path) -> None:
    table = "a_b\tx\n" * 100
    assert kind(table + "prose\n" * 1000, folder) == "unnamed"
    assert kind("prose\n" * 100 + table, folder) == "text"


# Each has a sentence of its own.


def foreign_files(folder: Path) -> Iterator[tuple[str, bytes, str, str, str]]:
    """Name, content, what is found, the cure in Python and on the command line."""
    weights = rw.learn(rw.read_events([("a", "x")]))
    for suffix in ("npz", "npy", "nc"):
        weights.save(folder / f"w.{suffix}")
        content = (folder / f"w.{suffix}").read_bytes()
        yield f"w.{suffix}", content, "found weights", "rescorla.load_weights", "rescorla info, activations"
    yield "p.png", b"\x89PNG\r\n\x1a\n\0\0", "found a picture", "give the file of events", "events or text"
    yield "e.xlsx", b"PK\x03\x04" + bytes(30), "found a zip archive", "as .csv", "as .csv"
    yield "e.txt", b"", "found an empty file", "that has events", "that has events or text"
    utf16 = "cues\toutcomes\na\tx\n".encode("utf-16")
    yield "u.tab", utf16, "found text in UTF-16", "save the file as UTF-8", "save the file as UTF-8"
    packed = rw.read_events([("a", "x")], folder / "e.rw").path
    assert packed is not None
    content = gzip.compress(Path(packed).read_bytes())
    yield "e.rw.gz", content, "found a binary event file that is compressed", "decompress", "decompress"


def test_what_is_no_table_has_a_sentence_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for name, content, what, in_python, on_the_command_line in list(foreign_files(tmp_path)):
        path = tmp_path / name
        path.write_bytes(content)
        for read in (rw.read_events, rw.learn):
            with pytest.raises(ValueError, match=rf"^{path}: expected an event table, {what}") as caught:
                read(path)
            assert in_python in str(caught.value)
            assert "corpus_events" not in str(caught.value)
        for source, piped in ((path, None), ("-", content)):
            _, error = command(capsys, "learn", source, piped=piped, status=1)
            assert what in error
            assert on_the_command_line in error
            assert "load_weights" not in error
        found.append(str(caught.value).partition("found")[2])
    assert len(set(found)) == len(found) - 2  # three files of weights


def test_running_text_is_sent_to_corpus_events(tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text("In the beginning\n")
    with pytest.raises(ValueError, match=r"found running text; rescorla\.corpus_events makes events"):
        rw.read_events(path)


def test_an_empty_file_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, prose = tmp_path / "empty.txt", tmp_path / "prose.txt"
    path.write_text("\n")
    prose.write_text("In the beginning\n")
    with pytest.warns(rw.RescorlaWarning, match="empty.txt: this file is empty, and gives no events"):
        assert len(rw.corpus_events(path)) == 0
    # One of several may be.
    assert len(rw.corpus_events([path, prose])) == 3
    assert "tokens     3" in command(capsys, "learn", path, prose)[0]


# Columns of data frames.


def frames() -> dict[str, Any]:
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    columns = {"n": [2, 1], "word": ["x", "y"], "grams": ["a_b", "b"]}
    return {
        "pandas": pd.DataFrame(columns),
        "pandas objects": pd.DataFrame(columns | {"grams": [("a", "b"), ("b",)]}),
        "polars": polars.DataFrame(columns),
        "pyarrow": arrow.table(columns),
        "stream": arrow.RecordBatchReader.from_batches(
            arrow.table(columns).schema, arrow.table(columns).to_batches()
        ),
    }


@pytest.mark.parametrize("name", ["pandas", "pandas objects", "polars", "pyarrow", "stream"])
def test_columns_of_data_frames_by_name_or_position(name: str) -> None:
    layouts: list[dict[str, str | int]] = [
        {"cues": "grams", "outcomes": "word", "frequency": "n"},
        {"cues": 2, "outcomes": 1, "frequency": 0},
        {"cues": 2, "outcomes": "word", "frequency": 0},
    ]
    for columns in layouts:
        assert rows(rw.read_events(frames()[name], columns=columns)) == [
            (("a", "b"), ("x",), 2),
            (("b",), ("y",), 1),
        ]
    found = rw.read_events(frames()[name], columns={"cues": 2, "outcomes": 1}, limit=1)
    assert rows(found) == [(("a", "b"), ("x",), 1)]
    wrong: list[dict[str, str | int]] = [{"cues": "gram", "outcomes": 1}, {"cues": 3, "outcomes": 1}]
    for columns in wrong:
        with pytest.raises(ValueError, match=r"columns asks for .*word"):
            rw.read_events(frames()[name], columns=columns)


def test_a_column_named_twice_is_not_guessed() -> None:
    frame = pd.DataFrame([["a", "x", "b"]], columns=["cues", "outcomes", "cues"])
    with pytest.raises(ValueError, match="2 are named so"):
        rw.read_events(frame, columns={"outcomes": "outcomes"})


def test_columns_that_make_no_sense(tmp_path: Path) -> None:
    table, binary = tmp_path / "e.tab", tmp_path / "e.rw"
    table.write_text("cues\toutcomes\na_b\tx\n")
    rw.read_events(table, binary)
    for source, told, error, message in (
        (table, {"columns": {"cue": 0}}, ValueError, "not of 'cue'; did you mean 'cues'"),
        (table, {"columns": ["cues"]}, TypeError, "must be a mapping"),
        (table, {"columns": {"cues": 0.0}}, TypeError, r"columns\['cues'\] must be a whole number of 0"),
        (table, {"columns": {"cues": -1}}, ValueError, r"columns\['cues'\] must be a whole number of 0"),
        (table, {"header": False}, ValueError, "columns must be positions"),
        (
            table,
            {"header": False, "columns": {"cues": 0, "outcomes": "x"}},
            ValueError,
            "columns must be positions",
        ),
        (table, {"limit": -1}, ValueError, "limit must be a whole number of 0 or more, not -1"),
        (table, {"limit": "5"}, TypeError, "limit must be a whole number of 0 or more, not '5'"),
        (binary, {"columns": {"cues": 0}}, ValueError, "this is a binary event file; leave them out"),
        ([("a", "x")], {"columns": {"cues": 0}}, ValueError, "columns is for tables"),
        ([("a", "x")], {"header": False, "columns": {"cues": 0, "outcomes": 1}}, ValueError, "for files"),
    ):
        with pytest.raises(error, match=message):
            rw.read_events(source, **told)


# A column of counts that is not named frequency.


@pytest.mark.parametrize("name", ["freq", "Freq", "count"])
def test_counts_under_another_name_are_warned_of(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "e.csv"
    path.write_text(f"Cues,Outcomes,{name}\na_b,x,3\n")
    frame = pd.read_csv(path)
    sources: list[Any] = [path, frame, frame.assign(Cues=pd.Series([("a", "b")]))]
    for source in sources:
        with pytest.warns(
            rw.RescorlaWarning, match=f"the column '{name}' is not read.*\"frequency\""
        ) as caught:
            assert rw.read_events(source).n_tokens == 1
        assert caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert rw.read_events(source, columns={"frequency": name}).n_tokens == 3
    for piped in (None, path.read_bytes()):
        source = path if piped is None else "-"
        out, error = command(capsys, "learn", source, piped=piped)
        assert f"the column '{name}' is not read, and each row counts as one token; --columns" in error
        assert error.count("\n") == 1
        out, error = command(capsys, "learn", source, "--columns", f"frequency={name}", piped=piped)
        assert "tokens     3" in out
        assert error == ""


@pytest.mark.parametrize(
    ("header", "numbers", "counted"),
    [
        ("cues,outcomes,n", ["5"], True),
        ("cues,outcomes,n", ["1", "3"], True),
        ("cues,outcomes,n", ["2", "2"], True),
        ("cues,outcomes,n", ["1", "2"], False),
        ("cues,outcomes,n", ["7", "8", "9"], False),
        ("cues,outcomes,n", ["7", "8", "8"], True),
        ("cues,outcomes,n", ["5", "2.5"], False),
        ("cues,outcomes,", ["5"], False),
        ("cues,outcomes,n,m", ["5,5"], False),
        ("cues,outcomes,frequency", ["5"], False),
    ],
)
def test_whole_numbers_that_do_not_number_the_rows_are_counts(
    header: str, numbers: list[str], counted: bool, tmp_path: Path
) -> None:
    path = tmp_path / "e.csv"
    path.write_text("".join(f"{row}\n" for row in [header, *(f"a_b,x,{number}" for number in numbers)]))
    assert _core.look(str(path))[3] == ("n" if counted else None)


# How much is read.


def big_table(path: Path) -> int:
    with path.open("w") as file:
        file.write("cues\toutcomes\n")
        file.writelines(f"c{i}_d{i % 7}\to{i % 5}\n" for i in range(400_000))
    return path.stat().st_size


def bytes_read() -> int:
    """What this process has read so far."""
    path = Path("/proc/self/io")
    if not path.exists():
        pytest.skip("the system does not say how much is read")
    return int(path.read_text().split()[1])


def test_a_limit_stops_reading(tmp_path: Path) -> None:
    path = tmp_path / "big.tab"
    size = big_table(path)
    packed = tmp_path / "big.tab.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    whole = rw.read_events(path)
    for source in (path, packed):
        for limit in (0, 5, 1000):
            before = bytes_read()
            found = rw.read_events(source, limit=limit)
            assert bytes_read() - before < min(1 << 20, size // 4)
            assert rows(found) == rows(whole[:limit])
            made = rw.read_events(source, tmp_path / "e.rw", limit=limit)
            assert rows(made) == rows(whole[:limit])
    # Nothing of what was not read is there.
    assert rw.read_events(path, limit=2).cues == ("c0", "d0", "c1", "d1")
    assert len(rw.read_events(path, limit=1_000_000)) == 400_000


def test_a_limit_stops_asking() -> None:
    asked = 0

    def source() -> Iterator[tuple[str, str]]:
        nonlocal asked
        for i in range(10):
            asked += 1
            yield f"c{i}", "x"

    assert len(rw.read_events(source(), limit=3)) == 3
    assert asked == 3
    assert len(rw.read_events(source(), limit=0)) == 0
    assert asked == 3
    events = rw.read_events(source())
    assert rows(rw.read_events(pd.DataFrame({"cues": ["a", "b"], "outcomes": "x"}), limit=1)) == [
        (("a",), ("x",), 1)
    ]
    assert len(events) == 10


def test_head_of_the_command_line_reads_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "big.tab"
    size = big_table(path)
    for told in (["-o", tmp_path / "e.rw"], ["--table", tmp_path / "t.tab"], ["--cue-counts", "-"]):
        before = bytes_read()
        command(capsys, "events", path, "--head", 5, *told)
        assert bytes_read() - before < size // 4
    assert rows(rw.open_events(tmp_path / "e.rw")) == rows(rw.read_events(path, limit=5))
    assert rw.open_events(tmp_path / "e.rw").n_cues == 10
    # Of what names are removed the rest is known only when all is read.
    command(capsys, "events", path, "--head", 5, "--max-outcomes", 1, "-o", tmp_path / "e.rw")
    assert [event.outcomes for event in rw.open_events(tmp_path / "e.rw")] == [("o0",), *[()] * 4]
    # Several files: the first ones of all.
    command(capsys, "events", tmp_path / "t.tab", path, "--head", 7, "-o", tmp_path / "e.rw")
    expected = [*rw.read_events(path, limit=5), *rw.read_events(path, limit=2)]
    assert rows(rw.open_events(tmp_path / "e.rw")) == [tuple(event) for event in expected]
    piped = Piped(path.read_bytes())
    before_stdin, sys.stdin = sys.stdin, piped
    try:
        assert cli.main(["events", "-", "--head", "5", "-o", str(tmp_path / "e.rw")]) == 0
    finally:
        sys.stdin = before_stdin
    assert piped.buffer.tell() < size // 4
    assert len(rw.open_events(tmp_path / "e.rw")) == 5


@pytest.mark.parametrize(
    "content",
    [
        "cues\toutcomes\n",
        "cues\toutcomes\n" + "a_a_b\tx\n" * 5000,
        "cues\toutcomes\tfrequency\n" + "a\tx\t1\n" * 5000,
        "cues\toutcomes\tfrequency\n" + "a\tx\t1\n" * 5000 + "b\ty\t2\n",
        "cues\toutcomes\tfrequency\n" + "a\tx\t0\n" + "b\ty\t1\n" * 5000,
    ],
)
def test_a_table_to_standard_output_is_that_of_a_file(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "e.tab"
    path.write_text(content)
    for told in ([], ["--background", "always"], ["--head", "1500"], ["--duplicates", "keep"]):
        command(capsys, "events", path, *told, "--table", tmp_path / "t.tab")
        expected = (tmp_path / "t.tab").read_text()
        assert command(capsys, "events", path, *told, "--table", "-")[0] == expected
        assert command(capsys, "events", "-", *told, "--table", "-", piped=content.encode())[0] == expected


def test_a_piped_table_that_is_wrong_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    broken = b"cues\toutcomes\na\tx\nb\n"
    assert (
        "standard input, line 3, column 2: expected 2 cells"
        in command(capsys, "learn", "-", piped=broken, status=1)[1]
    )
    packed = gzip.compress(b"cues\toutcomes\na\tx\n")
    assert "tokens     1" in command(capsys, "learn", "-", piped=packed)[0]
    assert "read as    running text" in command(capsys, "learn", "-", piped=lzma.compress(b"In the"))[0]
    assert "cannot be piped in" in command(capsys, "learn", "-", piped=b"\x89RWEV\r\n\x1a", status=1)[1]


def test_whoever_raises_while_text_is_piped_in_is_heard() -> None:
    class Raising(io.BytesIO):
        def read(self, n: int | None = -1) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _core.TextStream(Raising(), "any")
    with pytest.raises(TypeError, match="a stream of bytes"):
        _core.TextStream(io.StringIO("a"), "any")


# What names say of files that are written.


def unpacked(path: Path) -> str:
    """The text of a file that is compressed as its name says."""
    unpack: dict[str, Any] = {".gz": gzip.decompress, ".xz": lzma.decompress}
    return str(unpack.get(path.suffix, bytes)(path.read_bytes()).decode("utf-8"))


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
@pytest.mark.parametrize("kind", [".tab", ".csv"])
def test_tables_are_written_as_their_names_say(
    kind: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = rw.read_events([('a_"b"', "x,y", 3), (["c d"], "z", 1), ([], "z", 0)])
    binary = events.save(tmp_path / "e.rw").path
    path, again = tmp_path / f"t{kind}{suffix}", tmp_path / f"again{kind}{suffix}"
    events.to_table(path)
    command(capsys, "events", binary, "--table", again)
    assert path.read_bytes() == again.read_bytes()
    assert rows(rw.read_events(path)) == rows(events)
    magic = {
        "": b"cues" if kind == ".tab" else b'"cues"',
        ".gz": b"\x1f\x8b",
        ".xz": b"\xfd7zXZ",
        ".zst": b"\x28\xb5\x2f\xfd",
    }
    assert path.read_bytes().startswith(magic[suffix])
    if suffix != ".zst":
        text = unpacked(path)
        assert (
            text
            == {
                ".tab": 'cues\toutcomes\tfrequency\na_"b"\tx,y\t3\nc d\tz\t1\n\tz\t0\n',
                ".csv": '"cues","outcomes","frequency"\n"a_""b""","x,y",3\n"c d","z",1\n"","z",0\n',
            }[kind]
        )
    command(capsys, "events", binary, "--cue-counts", again)
    assert again.read_bytes().startswith(magic[suffix])
    if suffix != ".zst":
        text = unpacked(again)
        assert (
            text
            == {
                ".tab": 'cues\tfrequency\na\t3\n"b"\t3\nc d\t1\n',
                ".csv": '"cues","frequency"\n"a",3\n"""b""",3\n"c d",1\n',
            }[kind]
        )


def test_names_with_line_ends_go_into_csv_only(tmp_path: Path) -> None:
    events = rw.read_events([(["a\tb", "c\nd"], ["x"])])
    events.to_table(tmp_path / "t.csv")
    assert rows(rw.read_events(tmp_path / "t.csv")) == rows(events)
    with pytest.raises(ValueError, match="no `_`, tab or line end"):
        events.to_table(tmp_path / "t.tab")
    with pytest.raises(ValueError, match="have no `_`, for a table"):
        rw.read_events([(["a_b"], "x")]).to_table(tmp_path / "t.csv")


@pytest.mark.parametrize("name", ["e.csv", "e.TSV", "e.tab", "e.txt", "e.tab.gz", "e.csv.xz", "e.rw.zst"])
def test_a_binary_file_is_not_given_the_name_of_a_table(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events, path = rw.read_events([("a", "x")] * 3), tmp_path / name
    for write in (
        events.save,
        lambda path: rw.read_events([("a", "x")], path),
        lambda path: rw.corpus_events(["a"], path),
        lambda path: events.head(1, path=path),
    ):
        with pytest.raises(ValueError, match=f"{name}: this writes a binary file; to_table writes tables"):
            write(path)
    events.save(tmp_path / "e.rw")
    for flag in (["-o", path], ["-o", tmp_path / "a.rw", "--split", 1, "--test-output", path]):
        error = command(capsys, "events", tmp_path / "e.rw", *flag, status=1)[1]
        assert f"{name}: {flag[-2]} writes a binary file; --table writes tables" in error
    assert sorted(each.name for each in tmp_path.iterdir()) == ["e.rw"]


def test_reading_is_by_content(tmp_path: Path) -> None:
    events = rw.read_events([("a_b", "x")])
    events.to_table(tmp_path / "t.gz")
    (tmp_path / "t.gz").rename(tmp_path / "t.csv")
    assert rows(rw.read_events(tmp_path / "t.csv")) == rows(events)
