"""Tables in a form of one's own: columns, delimiter, compression, and no older file replaced."""

import gzip
import lzma
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st

EVENTS = [("a_b", "x", 3), ("b", "y", 1), ([], "x", 1)]


def text_of(path: Path) -> str:
    """The text of a table, unpacked where it is packed."""
    packed = path.read_bytes()
    if packed.startswith(b"\x1f\x8b"):
        packed = gzip.decompress(packed)
    elif packed.startswith(b"\xfd7zXZ"):
        packed = lzma.decompress(packed)
    return packed.decode("utf-8")


@given(events=some.events(), delimiter=st.sampled_from(["\t", ",", ";", "|", " || "]))
def test_a_table_by_its_columns_comes_back(events: Any, delimiter: str, folder: Path) -> None:
    source, path = rw.read_events(events), folder / "own.txt"
    names = [*source.cues, *source.outcomes]
    columns = ("first", "second", "third")
    if delimiter != "\t" and any(delimiter in name for name in names):
        with pytest.raises(ValueError, match="contains the delimiter"):
            source.to_table(path, columns=columns, delimiter=delimiter)
        return
    if any(not name or set(name) & set("_\t\n\r") for name in names):
        return
    source.to_table(path, columns=columns, delimiter=delimiter)
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[0] == delimiter.join(columns)
    assert lines[1:] == [
        delimiter.join(["_".join(cues), "_".join(outcomes), str(frequency)])
        for cues, outcomes, frequency in source
    ] + [""]


def test_many_events_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rescorla._events import text_table

    monkeypatch.setattr(text_table, "_BLOCK", 7)
    source = rw.read_events([(f"c{i}", f"o{i % 3}") for i in range(50)])
    seen: list[tuple[int, int]] = []
    source.to_table(tmp_path / "t", columns=("cues", "outcomes"), progress=lambda *at: seen.append(at))
    assert list(rw.read_events(tmp_path / "t")) == list(source)
    assert seen[-1] == (50, 50)
    assert len(seen) == 8


@pytest.mark.parametrize(
    ("name", "compression", "begins"),
    [
        ("t.tab", "gzip", b"\x1f\x8b"),
        ("t.gz", "none", b"cues"),
        ("t.csv", "none", b"cues\t"),
        ("t.csv.xz", "none", b"cues\t"),
        ("t.zst", "gzip", b"\x1f\x8b"),
    ],
)
def test_compression_is_as_it_is_said(name: str, compression: Any, begins: bytes, tmp_path: Path) -> None:
    source = rw.read_events(EVENTS)
    for path in (tmp_path / name, tmp_path / f"again-{name}"):
        source.to_table(path, compression=compression)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert text_of(tmp_path / name) == "cues\toutcomes\tfrequency\na_b\tx\t3\nb\ty\t1\n\tx\t1\n"
    # The same events give the same bytes.
    assert (tmp_path / name).read_bytes() == (tmp_path / f"again-{name}").read_bytes()


@pytest.mark.parametrize("name", ["t.txt", "t.gz", "t.xz"])
def test_compression_is_as_the_name_says(name: str, tmp_path: Path) -> None:
    rw.read_events([("a", "x")]).to_table(tmp_path / name, delimiter=";")
    assert text_of(tmp_path / name) == "cues;outcomes\na;x\n"
    assert (name == "t.txt") == (tmp_path / name).read_bytes().startswith(b"cues")


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"columns": ("a", "b")}, "name a third column, as in columns="),
    ({"columns": ("a",)}, "must be the names of the columns"),
    ({"columns": "cues"}, "must be the names of the columns"),
    ({"columns": ("a\tb", "c", "d")}, "must have no delimiter"),
    ({"columns": ("a\nb", "c", "d")}, "no line break"),
    ({"delimiter": ""}, "must separate cells"),
    ({"delimiter": "_"}, "must separate cells"),
    ({"delimiter": "\n"}, "must separate cells"),
    ({"delimiter": "b"}, "the cue 'b' contains the delimiter"),
    ({"delimiter": "y"}, "the outcome 'y' contains the delimiter"),
    ({"compression": "zip"}, "compression must be 'gzip' or 'none'"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_makes_no_table_is_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("old")
    with pytest.raises(ValueError, match=message):
        rw.read_events(EVENTS).to_table(path, **options)
    assert [each.name for each in tmp_path.iterdir()] == ["t.txt"]
    assert path.read_text() == "old"


def test_what_zst_cannot_have_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"t\.zst: a table with a form of its own"):
        rw.read_events(EVENTS).to_table(tmp_path / "t.zst", delimiter=",")
    with pytest.raises(TypeError, match="delimiter must be a str, not int"):
        rw.read_events(EVENTS).to_table(tmp_path / "t", delimiter=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"delimiter": ","}])
def test_a_file_that_is_there_stays_where_that_is_asked(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    source = rw.read_events(EVENTS)
    source.to_table(path, overwrite=False, **options)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match=r"is not replaced.*t\.txt"):
        source.to_table(path, overwrite=False, **options)
    assert path.read_bytes() == before
    rw.read_events([("q", "x")]).to_table(path, **options)
    assert path.read_bytes() != before


def test_the_events_own_file_is_not_replaced(tmp_path: Path) -> None:
    events = rw.read_events(EVENTS).save(tmp_path / "e.rw")
    with pytest.raises(ValueError, match="is also read"):
        events.to_table(tmp_path / "e.rw", delimiter=",")
    assert len(rw.open_events(tmp_path / "e.rw")) == 3
