"""What learns from events or from arrays takes any source of events, and tells the two apart."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event
from scipy import sparse

ROWS = [("a_b", "x", 2), ("b", "y", 1)]
X, Z = [[1.0, 0.0], [0.5, 1.0]], [[2.0], [3.0]]

Learning = Callable[[Any], Any]
LEARNING: dict[str, Learning] = {
    "widrow_hoff": lambda data: rw.widrow_hoff(data, eta=0.1),
    "delta_rule": lambda data: rw.delta_rule(data, beta=0.1),
}
VECTORS = {"x": [1.0, 0.5], "y": [0.0, 2.0]}
EACH = pytest.mark.parametrize("name", LEARNING)


def as_frame(events: list[Event]) -> pd.DataFrame:
    return pd.DataFrame(
        [(list(c), list(o), f) for c, o, f in events], columns=["cues", "outcomes", "frequency"]
    )


def as_mappings(events: list[Event]) -> list[dict[str, Any]]:
    return [{"cues": c, "outcomes": o, "frequency": f} for c, o, f in events]


def error_of(name: str, data: Any, error: type[Exception] = TypeError) -> str:
    with pytest.raises(error) as raised:
        LEARNING[name](data)
    return str(raised.value)


@EACH
@given(
    events=some.events(frequencies=st.integers(1, 3)).filter(len),
    form=st.sampled_from(
        [list, iter, as_frame, as_mappings, lambda events: pl.from_pandas(as_frame(events))]
    ),
)
def test_any_source_teaches_what_its_events_do(
    name: str, events: list[Event], form: Callable[[list[Event]], Any]
) -> None:
    learning = LEARNING[name]
    assert some.bits(learning(form(events)).values) == some.bits(learning(rw.read_events(events)).values)


@EACH
def test_tables_of_every_kind_and_their_files_are_sources(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS, columns=["Cues", "outcomes", "frequency"])
    frame.to_csv(tmp_path / "e.tab", sep="\t", index=False)
    expected = some.bits(LEARNING[name](rw.read_events(ROWS)).values)
    saved = rw.read_events(ROWS).save(tmp_path / "e.rw")
    arrow = pa.Table.from_pandas(frame)
    files = [tmp_path / "e.tab", str(tmp_path / "e.tab"), tmp_path / "e.rw", saved]
    for source in (frame, pl.from_pandas(frame), arrow, arrow.to_reader(), *files):
        assert some.bits(LEARNING[name](source).values) == expected


def test_vectors_of_names_go_with_any_source() -> None:
    known = rw.widrow_hoff(rw.read_events(ROWS), eta=0.1, outcome_vectors=VECTORS)
    for source in (ROWS, iter(ROWS), pd.DataFrame(ROWS, columns=["cues", "outcomes", "frequency"])):
        found = rw.widrow_hoff(source, eta=0.1, outcome_vectors=VECTORS)
        assert some.bits(found.values) == some.bits(known.values)


@EACH
def test_a_generator_is_asked_once_for_each_event(name: str) -> None:
    asked = []

    def coming() -> Iterator[tuple[str, str, int]]:
        for row in ROWS:
            asked.append(row)
            yield row

    LEARNING[name](coming())
    assert asked == ROWS


@EACH
def test_a_tuple_of_two_is_a_pair_of_arrays(name: str) -> None:
    expected = some.bits(LEARNING[name]((np.array(X), np.array(Z))).values)
    frames = pd.DataFrame(X, columns=["x0", "x1"]), pd.DataFrame(Z, columns=["z0"])
    for pair in ((X, Z), frames, (sparse.csr_array(np.array(X)), np.array(Z))):
        assert some.bits(LEARNING[name](pair).values) == expected
    assert LEARNING[name]((X, [2.0, 3.0])).outcomes == ("y",)


@EACH
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (("a_b", "x"), "events are in a list: rw.{}([('a_b', 'x')], ...)"),
        (("a_b", "x", 2), "events are in a list: rw.{}([('a_b', 'x', 2)], ...)"),
        (tuple(ROWS), "and this one holds names; events are in a list: rw.{}(list(data), ...)"),
        (tuple(ROWS * 2), "events are in a list: rw.{}(list(data), ...)"),
        (((["a"], ["x"]), (["b"], ["y"])), "events are in a list: rw.{}(list(data), ...)"),
        (({"cues": "a", "outcomes": "x"}, {"cues": "b", "outcomes": "y"}), "rw.{}(list(data), ...)"),
        (({"a", "b"}, {"x"}), "events are in a list: rw.{}(list(data), ...)"),
        ((np.array(["a", "b"]), np.array(["x", "y"])), "events are in a list: rw.{}(list(data), ...)"),
        ((X, Z, Z), "not a tuple of 3"),
        ((), "not a tuple of 0"),
        ([X, Z], "not a list; write rw.{}((X, Z), ...)"),
        ([np.array(X), np.array(Z)], "not a list; write rw.{}((X, Z), ...)"),
        ([pd.DataFrame(X), pd.DataFrame(Z)], "not a list; write rw.{}((X, Z), ...)"),
        (X, "not a list; write rw.{}((X, Z), ...)"),
        ([1.0, 2.0], "not a list; write rw.{}((X, Z), ...)"),
        (np.array(X), "not one ndarray; write rw.{}((X, Z), ...)"),
        (sparse.csr_array(np.array(X)), "not one csr_array; write rw.{}((X, Z), ...)"),
        (pd.Series([1.0, 2.0]), "not one Series; write rw.{}((X, Z), ...)"),
        (iter(X), "not a list of numbers; these are a pair of arrays: rw.{}((X, Z), ...)"),
        (pd.DataFrame(X, columns=["p", "q"]), "not ['p', 'q']; numbers are a pair: rw.{}((X, Z), ...)"),
        (3, "not int"),
        (None, "not NoneType"),
        (b"a_b", "not bytes"),
        ({"a": "x"}, "not dict"),
    ],
)
def test_what_may_be_meant_as_either_is_refused_with_the_call_to_write(
    name: str, data: Any, message: str
) -> None:
    assert message.replace("{}", name) in error_of(name, data)


@EACH
def test_of_running_text_the_call_is_written(name: str, tmp_path: Path) -> None:
    text = tmp_path / "kjv.txt"
    text.write_text("In the beginning God created the heaven\nand the earth.\n")
    lines = text.read_text().splitlines()
    call = f"rw.{name}(rw.corpus_events("
    assert f"found running text; write {call}{str(text)!r}), ...)" in error_of(name, text, ValueError)
    assert f"{call}lines), ...)" in error_of(name, lines)
    assert f"{call}lines), ...)" in error_of(name, iter(lines))
    assert f"{call}[line]), ...)" in error_of(name, "the cat sat", FileNotFoundError)
    assert call in error_of(name, tmp_path, IsADirectoryError)
