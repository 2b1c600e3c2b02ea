"""Rows of events: mappings, and cues with blanks in a str."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rescorla as rw


class Row(Mapping[str, Any]):
    """A mapping that is no dict."""

    def __init__(self, **cells: Any) -> None:
        self.cells = cells

    def __getitem__(self, key: str) -> Any:
        return self.cells[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


@pytest.mark.parametrize("row", [dict, Row, lambda **cells: MappingProxyType(cells)])
def test_a_mapping_is_an_event(row: Any) -> None:
    rows = [
        row(cues="a_b", outcomes="x"),
        row(Frequency=3, Outcomes=["x_y"], CUES={"c", "b"}),
        ("a", "x"),
        ["b", "y", 2],
    ]
    for source in (rows, iter(rows)):
        assert [tuple(event) for event in rw.read_events(source)] == [
            (("a", "b"), ("x",), 1),
            (("b", "c"), ("x_y",), 3),
            (("a",), ("x",), 1),
            (("b",), ("y",), 2),
        ]


def test_of_keys_that_differ_in_case_that_in_small_letters_counts() -> None:
    for row in ({"Cues": "b", "cues": "a", "outcomes": "x"}, {"cues": "a", "outcomes": "x", "Cues": "b"}):
        assert rw.read_events([row]).cues == ("a",)


@pytest.mark.parametrize(
    "row",
    [
        {"cue": "a", "outcomes": "x"},
        {"cues": "a"},
        {},
        {1: "a", 2: "x"},
        {"cues": "a", "outcomes": "x", "n": 3},
    ],
)
def test_a_mapping_with_other_keys_is_refused(row: Any) -> None:
    with pytest.raises(ValueError, match="event 1: expected a mapping with the keys cues") as refused:
        rw.read_events([("a", "x"), row])
    assert str(list(row)) in str(refused.value)
    assert "; rename them, or give tuples (cues, outcomes)" in str(refused.value)


def test_what_is_wrong_in_a_mapping_is_said_as_in_a_tuple() -> None:
    with pytest.raises(TypeError, match=r"event 0: expected a whole number as frequency, found 1\.5"):
        rw.read_events([{"cues": "a", "outcomes": "x", "frequency": 1.5}])
    with pytest.raises(TypeError, match="event 0: expected a str or an iterable of names, found 3"):
        rw.read_events([{"cues": 3, "outcomes": "x"}])


@pytest.mark.parametrize("two", [2, 2.0, np.float64(2), np.float32(2), np.int8(2)])
def test_a_frequency_may_be_a_float_that_is_whole(two: Any) -> None:
    expected = [("a", "x", 2)]
    assert rw.read_events([("a", "x", two)]).digest == rw.read_events(expected).digest
    frame = pd.DataFrame({"cues": ["a"], "outcomes": ["x"], "frequency": [two]})
    assert rw.read_events(frame).digest == rw.read_events(expected).digest


@pytest.mark.parametrize("bad", [1.5, -1.0, math.nan, math.inf, 1e300, True, np.True_, "2.0"])
def test_other_floats_are_no_frequencies(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"event 0: expected a (whole number as )?frequency"):
        rw.read_events([("a", "x", bad)])
    frame = pd.DataFrame({"cues": ["a"], "outcomes": ["x"], "frequency": [bad]})
    with pytest.raises((TypeError, ValueError), match=r"expected (a frequency|whole numbers)|null"):
        rw.read_events(frame)


# Blanks.

ROWS = [("light tone", "shock"), ("light", "shock"), ("a_b c", "x")]
WARNING = "a str of cues has _ between them, and 'light tone' has blanks and no _; write 'light_tone' for"


def written(folder: Path) -> Path:
    path = folder / "events.tab"
    # Without a row of joined cues, which would tell that the writer knows how to join them.
    path.write_text("cues\toutcomes\n" + "".join(f"{cues}\t{outcomes}\n" for cues, outcomes in ROWS[:2]))
    return path


def frame(make: Any) -> Any:
    return make({"cues": [row[0] for row in ROWS], "outcomes": [row[1] for row in ROWS]})


@pytest.mark.parametrize(
    "source",
    [
        lambda folder: ROWS,
        lambda folder: iter(ROWS[:2]),
        lambda folder: (row for row in ROWS[:2]),
        lambda folder: [{"Cues": cues, "outcomes": outcomes} for cues, outcomes in ROWS],
        lambda folder: frame(pd.DataFrame),
        lambda folder: frame(pl.DataFrame),
        lambda folder: frame(pa.table),
        written,
    ],
    ids=["list", "iterator", "generator", "mappings", "pandas", "polars", "arrow", "file"],
)
def test_cues_with_blanks_in_a_str_are_warned_of(source: Any, tmp_path: Path) -> None:
    with pytest.warns(rw.RescorlaWarning, match=WARNING) as seen:
        events = rw.read_events(source(tmp_path))
    assert [each.filename for each in seen] == [__file__]
    # What is read is what is there.
    assert events.cues[:2] == ("light tone", "light")
    with pytest.warns(rw.RescorlaWarning, match=WARNING):
        rw.read_events(source(tmp_path), tmp_path / "events.rw", background="always")


def test_five_cues_with_blanks_are_named() -> None:
    with pytest.warns(rw.RescorlaWarning, match="'c 3', 'c 4' and 3 more have blanks") as seen:
        rw.read_events([(f"c {i}", "x") for i in range(8)] * 3)
    assert len(seen) == 1


@pytest.mark.parametrize(
    "rows",
    [
        [(["light tone"], "shock")],
        [({"light tone"}, "shock")],
        [("light_New York", "shock")],
        [("light", ["electric shock"])],
        [{"cues": ["light tone"], "outcomes": "shock"}],
        [],
        [(" light", "shock")],
        [("a_b", "x"), (["light tone"], "shock")],
    ],
)
def test_names_with_blanks_are_ordinary_elsewhere(rows: Any, tmp_path: Path) -> None:
    rw.read_events(rows)
    rw.read_events(iter(rows))
    # A binary event file has names, of whatever origin.
    rw.read_events(rows, tmp_path / "events.rw")
    rw.read_events(tmp_path / "events.rw")


def test_names_with_blanks_are_ordinary_in_a_table_that_joins_others(tmp_path: Path) -> None:
    events = rw.read_events([(["New York", "big"], "city"), (["New York"], "city")])
    for path in (tmp_path / "events.tab", tmp_path / "events.csv"):
        events.to_table(path)
        assert rw.read_events(path).cues == events.cues


def test_lists_of_names_in_a_data_frame_are_ordinary() -> None:
    columns = {"cues": [["light tone"], ["light"]], "outcomes": ["x", "y"]}
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert rw.read_events(make(columns)).cues == ("light tone", "light")


def test_rows_are_read_one_by_one_as_before() -> None:
    given: list[int] = []

    def rows() -> Iterator[tuple[str, str]]:
        for i in range(3):
            given.append(i)
            yield f"c{i}", "x"

    assert rw.read_events(rows()).cues == ("c0", "c1", "c2")
    assert given == [0, 1, 2]
