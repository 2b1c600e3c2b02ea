"""Tables as pyndl reads them, held against a reader in plain Python."""

import gzip
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla.compat.pyndl import _by_position as by_position
from rescorla.compat.pyndl._by_position import read_by_position, rows_by_position

NAMES = st.sampled_from(["", "", "a", "b", "ab", "é", "日本", "x y", '"', ",", "#a"])
SIDES = st.lists(NAMES, min_size=1, max_size=4)
ROWS = st.lists(st.tuples(SIDES, SIDES, st.sampled_from([None, 0, 1, 1, 2])), max_size=12)
HEADERS = st.sampled_from(["cues\toutcomes", "outcomes\tcues", "Outcomes\tCues\tFrequency", "a\tb", "x"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def cells_of(row: Any) -> str:
    cues, outcomes, frequency = row
    cells = ["_".join(cues), "_".join(outcomes)]
    return "\t".join(cells if frequency is None else [*cells, str(frequency)])


def plainly(rows: list[Any], header: str) -> list[tuple[list[str], list[str], int]]:
    """What the rows of a table say."""
    swapped = header.lower().startswith("outcomes")
    found = []
    for first, second, frequency in rows:
        # A name that is joined to another may be a name for each side of the "_" in it.
        sides = "_".join(first).split("_"), "_".join(second).split("_")
        cues, outcomes = sides[::-1] if swapped else sides
        found.append((cues, outcomes, 1 if frequency is None else frequency))
    return found


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
@given(rows=ROWS, header=HEADERS, end=ENDS, last=st.booleans(), packed=st.booleans())
def test_a_table_says_what_a_plain_reader_reads(
    piece: int, rows: list[Any], header: str, end: str, last: bool, packed: bool, folder: Path
) -> None:
    text = (end.join([header, *map(cells_of, rows)]) + (end if last else "")).encode("utf-8")
    path = folder / "by-position"
    path.write_bytes(gzip.compress(text) if packed else text)
    expected = plainly(rows, header)
    how: Any = {"compression": "gzip" if packed else None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_position, "_PIECE", piece)
        events = read_by_position(path, **how)
    found = [(list(cues), list(outcomes), frequency) for cues, outcomes, frequency in events]
    assert found == expected
    tokens = [(cues, outcomes) for cues, outcomes, frequency in expected for _ in range(frequency)]
    assert list(rows_by_position(path, **how)) == tokens
    assert events.n_tokens == len(tokens)


@given(rows=ROWS, start=st.integers(0, 14), step=st.integers(1, 5))
def test_rows_come_from_a_start_by_steps(rows: list[Any], start: int, step: int, folder: Path) -> None:
    path = folder / "by-steps"
    path.write_text("\n".join(["cues\toutcomes", *map(cells_of, rows)]), encoding="utf-8", newline="")
    some = plainly(rows, "cues\toutcomes")[start::step]
    expected = [(cues, outcomes) for cues, outcomes, frequency in some for _ in range(frequency)]
    assert list(rows_by_position(path, compression=None, start=start, step=step)) == expected


WRONG = [
    ("cues\toutcomes\na\tb\n\nc\td\n", "line 3"),
    ("cues\toutcomes\na\tb\tc\td\n", "line 2"),
    ("cues\toutcomes\na\tb\nc\n", "line 3"),
    ("cues\toutcomes\na\tb\nc\td\tmany\n", "line 3"),
    ("cues\toutcomes\na\tb\nc\td\t\n", "line 3"),
    ("cues\toutcomes\na\tb\nc\td\t-1\n", "line 3"),
]


@pytest.mark.parametrize(("text", "place"), WRONG)
def test_the_line_of_a_row_that_is_none_is_named(text: str, place: str, tmp_path: Path) -> None:
    path = tmp_path / "t.tab"
    path.write_text(text)
    for read in (read_by_position, lambda *args, **how: list(rows_by_position(*args, **how))):
        with pytest.raises(rw.FormatError, match=rf"t\.tab, {place}"):
            read(path, compression=None)


def test_text_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.tab"
    path.write_bytes(b"cues\toutcomes\n\xff\tx\n")
    for read in (read_by_position, lambda *args, **how: list(rows_by_position(*args, **how))):
        with pytest.raises(rw.FormatError, match=r"t\.tab.*UTF-8"):
            read(path, compression=None)


@pytest.mark.parametrize("duplicates", ["drop", "keep", "error"])
def test_duplicates_are_what_they_are_elsewhere(duplicates: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.tab"
    path.write_text("cues\toutcomes\na_a\tx_x\n__\ty\n")
    if duplicates == "error":
        with pytest.raises(ValueError, match=r"t\.tab, line 2"):
            read_by_position(path, compression=None, duplicates="error")
        return
    events = read_by_position(path, compression=None, duplicates=duplicates)
    n = 1 if duplicates == "drop" else 2
    assert list(events) == [(("a",) * n, ("x",) * n, 1), (("",) * (1 if n == 1 else 3), ("y",), 1)]


def test_no_file_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "t.tab"
    path.write_text("cues\toutcomes\n" + "a\tx\n" * 10_000)
    rows = rows_by_position(path, compression=None)
    assert next(rows) == (["a"], ["x"])
    rows.close()
