"""What small files are taken for, by their content: the rule of `src/text/kind.rs`, case by case.

A test for each: what a look says; whether `read_events` and `corpus_events` read it, and what they make of
its first event; that the command line reads it as the same.
"""

import bz2
import gzip
import lzma
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import rescorla as rw
from rescorla import _core, cli

CSV = b"cues,outcomes\na_b,x\nb,y\nc,x\n"
WORD = "1\tWe\twe\tPRON\t_\t_\t2\tnsubj\t_\t_\n"


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le")


class Case(NamedTuple):
    """A file and what it is; of an event table and of text, the cues and outcomes of its first event."""

    name: str
    content: str | bytes
    kind: str
    first: str = ""


AB = "a,b:x"
TABLES = [
    Case("pyndl", "cues\toutcomes\na_b\tx\n", "table", AB),
    Case("pyndl with frequencies", "cues\toutcomes\tfrequency\na_b\tx\t3\n", "table", AB + "*3"),
    Case("floats for frequencies", "cues\toutcomes\tfrequency\na_b\tx\t3.0\n", "table", AB + "*3"),
    Case("a number as R prints it", "cues\toutcomes\tfrequency\na_b\tx\t1e+05\n", "table", AB + "*100000"),
    Case("columns in another order", "Outcomes\tx\tCUES\nx\t\ta_b\n", "table", AB),
    Case("names with quotes", 'cues\toutcomes\n"_a\t"\n', "table", '",a:"'),
    Case("a table of R", '"Cues"\t"Outcomes"\t"Frequency"\n"a_b"\t"x"\t3\n', "table", AB + "*3"),
    Case("a header without quotes", 'Cues\tOutcomes\n"a_b"\t"x"\n', "table", AB),
    Case("a table of R with row names", '"Cues"\t"Outcomes"\n"1"\t"a_b"\t"x"\n"2"\t"b"\t"y"\n', "table", AB),
    Case("row names without quotes", "Cues\tOutcomes\n1\ta_b\tx\n3\tb\ty\n", "table", AB),
    Case("a CSV", CSV, "table", AB),
    Case("a CSV of R", '"Cues","Outcomes","Frequency"\r\n"a_b","x",3\r\n', "table", AB + "*3"),
    Case("a CSV of R with row names", '"","Cues","Outcomes"\n"1","a_b","x"\n', "table", AB),
    Case("semicolons", "Cues;Outcomes\na_b;x\n", "table", AB),
    Case("bars", "Cues|Outcomes|Frequency\na_b|x|3\nb|y|2\n", "table", AB + "*3"),
    Case("blanks", "cues outcomes frequency\na_b x 3\n", "table", AB + "*3"),
    Case("quoted cells between blanks", '"Cues" "Outcomes"\n"1" "a_b" "x"\n"2" "b" "y"\n', "table", AB),
    Case("blanks behind commas", "cues, outcomes, frequency\na_b, x, 3\n", "table", AB + "*3"),
    Case("blanks around tabs", "cues \t outcomes\na_b \t x\n", "table", AB),
    Case("line ends of a Mac", CSV.replace(b"\n", b"\r"), "table", AB),
    Case("line ends of Windows", CSV.replace(b"\n", b"\r\n"), "table", AB),
    Case("a byte order mark", b"\xef\xbb\xbf" + CSV, "table", AB),
    Case("joined tables", CSV + b"\xef\xbb\xbf" + CSV, "table", AB),
    Case("a header alone", "cues\toutcomes", "table"),
    Case("gz", gzip.compress(CSV), "table", AB),
    Case("xz", lzma.compress(CSV), "table", AB),
    Case("two columns of cues", "cues\toutcomes\tcues\n", "unnamed"),
    Case("other names", "trigrams\twords\na_b\tx\n", "unnamed"),
    Case("other names with commas", "cue,outcome\na_b,x\nb,y\n", "unnamed"),
    Case("other names with bars", "cue|outcome\na_b|x\nb|y\n", "unnamed"),
    Case("other names with blanks", "cue outcome\na_b x\nb y\n", "unnamed"),
    Case("rows alone", "a_b\tx\nb\ty\n", "unnamed"),
    Case("rows of quoted cells", '"a_b" "x" 3\n"b" "y" 1\n"c" "x" 2\n', "unnamed"),
]
TEXTS = [
    Case("prose", "In the beginning\nGod created\n", "text", "#in,in#:in"),
    Case("prose of a Mac", "In the\rbeginning\r", "text", "#in,in#:in"),
    Case(
        "prose about cues",
        "cues and outcomes\nof three words\nare no table\n",
        "text",
        "#cu,cue,ues,es#:cues",
    ),
    Case("a name of columns", "cues outcomes\nin a line of prose\n", "text", "#cu,cue,ues,es#:cues"),
    Case("an indented line", "\tIn\n\tthe\n\tbeginning\n", "text", "#in,in#:in"),
    Case(
        "dialogue", '"In," he said.\n"No," said she, "not so."\n"Ah."\n', "text", '#"i,"in,in,,n,",,"#:"in,"'
    ),
    Case("OpenSubtitles", '<document><s id="1"><w id="1.1">In</w></s></document>', "subtitles", "#in,in#:in"),
    Case(
        "OpenSubtitles, raw",
        "<?xml version='1.0'?>\n<document>\n<s id='1'>In it</s></document>",
        "subtitles",
        "#in,in#:in",
    ),
    Case("SubRip", "1\n00:00:01,000 --> 00:00:02,500\n<i>In</i>\n", "captions", "#in,in#:in"),
    Case("SubRip without a number", "00:00:01,000 --> 00:00:02,500\nIn\n", "captions", "#in,in#:in"),
    Case("WebVTT", "WEBVTT\n\n00:01.000 --> 00:02.500 align:start\nIn\n", "captions", "#in,in#:in"),
    Case("CHAT", "@UTF8\n@Begin\n*CHI:\tin it .\n%mor:\tx\n@End\n", "chat", "#in,in#:in"),
    Case("CoNLL-U", "# newdoc\n" + WORD, "conllu", "#we,we#:we"),
    Case("CoNLL-U with a blank in the empty line", WORD + " \n" + WORD, "conllu", "#we,we#:we"),
    Case("CoNLL-U Plus", "# global.columns = ID FORM\n1\tWe\n", "conll", "#we,we#:we"),
    Case("CoNLL-2003", "-DOCSTART- -X- O O\n\nWe PRP B-NP O\n", "conll", "#we,we#:we"),
    Case("CoNLL-2009", 2 * ("1\tWe\twe\tP\n2\tgo\tgo\tV\n\n"), "conll", "#we,we#:we"),
    Case("vertical text", "<s>\nWe\tPP\twe\n</s>\n<s>\nGo\tVV\tgo\n</s>\n", "conll", "#we,we#:we"),
]
OTHERS = [
    Case("nothing", "", "empty"),
    Case("white space", "\n \n", "empty"),
    Case("JSON", '{"text": "In it"}\n', "json"),
    Case("a JSON list", '[\n  {"text": "In it"}\n]\n', "json"),
    Case("HTML", "<!DOCTYPE html>\n<html><body>In it</body></html>", "html"),
    Case("other XML", "<?xml version='1.0'?>\n<TEI><p>In it</p></TEI>", "html"),
    Case("rich text", r"{\rtf1\ansi In it}", "rtf"),
    Case("UTF-16", b"\xff\xfe" + utf16("cues\toutcomes\n"), "utf16"),
    Case("UTF-16 without a mark", utf16("cues\toutcomes\n"), "utf16"),
    Case("an array", b"\x93NUMPY\x01\0", "weights"),
    Case("netCDF", b"\x89HDF\r\n\x1a\n", "weights"),
    Case("Parquet", b"PAR1\x15\x04", "frames"),
    Case("R's own file", gzip.compress(b"RDX3\nX\n\0\0"), "frames"),
    Case("a spreadsheet", b"PK\x03\x04" + bytes(22) + b"\x0a\0\0\0workbook.x", "archive"),
    Case("an old document", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "archive"),
    Case("a picture", b"\x89PNG\r\n\x1a\n", "picture"),
    Case("a drawing", "<?xml version='1.0'?>\n<svg>", "picture"),
    Case("PDF", b"%PDF-1.4", "picture"),
    Case("bz2", bz2.compress(CSV), "compressed"),
    Case("tar", bytes(257) + b"ustar\x0000", "compressed"),
]


def written(folder: Path, case: Case) -> Path:
    """The file."""
    path = folder / "file"
    path.write_bytes(case.content.encode() if isinstance(case.content, str) else case.content)
    return path


def first(events: rw.Events) -> str:
    """The first event, as cases have it."""
    cues, outcomes, frequency = events[0]
    return f"{','.join(cues)}:{','.join(outcomes)}" + (f"*{frequency}" if frequency > 1 else "")


def by_name(cases: list[Case]) -> Callable[..., Callable[..., None]]:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


def test_there_are_sixty_files() -> None:
    assert len({case.content for case in TABLES + TEXTS + OTHERS}) >= 60


@by_name(TABLES + TEXTS + OTHERS)
def test_a_file_is_known_by_its_content(tmp_path: Path, case: Case) -> None:
    path = written(tmp_path, case)
    assert _core.look(str(path))[0] == case.kind
    with path.open("rb") as stream:
        assert _core.TextStream(stream, "-").look()[0] == case.kind


@by_name([case for case in TABLES if case.kind == "table"])
def test_tables_are_read(tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, case)
    events = rw.read_events(path)
    if case.first:
        assert first(events) == case.first
        assert "cues" not in events.cues
    if len(events):
        assert cli.main(["learn", str(path), "--top", "1"]) == 0
        assert "event table" in capsys.readouterr().err
    with pytest.warns(rw.RescorlaWarning, match=r"looks like a table.*read_events"):
        rw.corpus_events(path)


@by_name([case for case in TABLES if case.kind == "unnamed"])
def test_tables_without_the_names_are_refused(tmp_path: Path, case: Case) -> None:
    path = written(tmp_path, case)
    with pytest.raises(ValueError, match=r"looks like a table: columns="):
        rw.read_events(path)
    assert cli.main(["learn", str(path)]) == 1


@by_name(TEXTS)
def test_texts_are_read(tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, case)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert first(rw.corpus_events(path)) == case.first
        with pytest.raises(
            ValueError, match=r"expected an event table.*rescorla\.corpus_events makes events of it"
        ):
            rw.read_events(path)
    assert cli.main(["learn", str(path), "--top", "1"]) == 0
    told = {"text": "running text", "captions": "subtitles", "chat": "CHAT", "conllu": "CoNLL-U"}
    assert told.get(case.kind, case.kind.replace("conll", "a relative of CoNLL-U")) in capsys.readouterr().err
    # Whoever says that it is running text knows it.
    assert rw.corpus_events(path, format="text").parameters["format"] == "text"


@by_name(OTHERS)
def test_other_files_are_refused_with_the_way_out(tmp_path: Path, case: Case) -> None:
    path = written(tmp_path, case)
    with pytest.raises(ValueError, match=r"expected an event table, found .*; .+"):
        rw.read_events(path)
    assert cli.main(["learn", str(path)]) == 1
    if case.kind == "empty":
        with pytest.warns(rw.RescorlaWarning, match="this file is empty"):
            rw.corpus_events(path)
    else:
        with pytest.raises(ValueError, match=r"expected running text, found .*; .+"):
            rw.corpus_events(path)


def test_files_of_two_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("In the beginning\n")
    (tmp_path / "b.cha").write_text("@UTF8\n@Begin\n*CHI:\tin it .\n@End\n")
    with pytest.raises(ValueError, match=r"b\.cha: expected the format of .*a\.txt, which is 'text'"):
        rw.corpus_events(tmp_path)
