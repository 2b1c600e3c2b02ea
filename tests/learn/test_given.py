"""What learns takes whatever events can be read from, and says what to write where it is running text."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event

ROWS = [("a_b", "x", 2), ("b", "y", 1)]

Learning = Callable[..., Any]
LEARNING: dict[str, Learning] = {
    "learn": lambda source: rw.learn(source).values,
    "trajectories": lambda source: rw.trajectories(source).values,
    "equilibrium": lambda source: rw.equilibrium(source).values,
    "convergence": lambda source: rw.convergence(source).equilibrium.values,
}
EACH = pytest.mark.parametrize("name", LEARNING)


def as_frame(events: list[Event]) -> pd.DataFrame:
    return pd.DataFrame(
        [(list(c), list(o), f) for c, o, f in events], columns=["cues", "outcomes", "frequency"]
    )


def as_mappings(events: list[Event]) -> list[dict[str, Any]]:
    return [{"cues": c, "outcomes": o, "frequency": f} for c, o, f in events]


@EACH
@given(
    events=some.events(frequencies=st.integers(1, 3)).filter(len),
    form=st.sampled_from([list, tuple, iter, as_frame, as_mappings]),
)
def test_any_source_teaches_what_its_events_do(
    name: str, events: list[Event], form: Callable[[list[Event]], Any]
) -> None:
    learning = LEARNING[name]
    assert some.bits(learning(form(events))) == some.bits(learning(rw.read_events(events)))


@EACH
def test_tables_of_every_kind_and_their_files_are_sources(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS, columns=["cues", "outcomes", "frequency"])
    frame.to_csv(tmp_path / "e.tab", sep="\t", index=False)
    learning = LEARNING[name]
    expected = some.bits(learning(rw.read_events(ROWS)))
    saved = rw.read_events(ROWS).save(tmp_path / "e.rw")
    files = [tmp_path / "e.tab", str(tmp_path / "e.tab"), tmp_path / "e.rw", saved]
    for source in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), *files):
        assert some.bits(learning(source)) == expected


@EACH
def test_a_generator_is_asked_once_for_each_event(name: str) -> None:
    asked = []

    def coming() -> Iterator[tuple[str, str, int]]:
        for row in ROWS:
            asked.append(row)
            yield row

    LEARNING[name](coming())
    assert asked == ROWS


def test_learning_in_place_and_to_files_takes_them_as_well(tmp_path: Path) -> None:
    weights = rw.learn(ROWS)
    again = rw.learn(iter(ROWS), initial=weights, out=weights)
    assert some.bits(again.values) == some.bits(rw.learn([*ROWS, *ROWS]).values)
    for file in ("w.npy", "w.zarr"):
        found = rw.learn(iter(ROWS), out=tmp_path / file)
        assert some.bits(found.values[:, :]) == some.bits(rw.learn(ROWS).values)


@EACH
def test_of_running_text_the_call_is_written(name: str, tmp_path: Path) -> None:
    text, tagged = tmp_path / "kjv.txt", tmp_path / "tagged.conllu"
    text.write_text("In the beginning God created the heaven\nand the earth.\n")
    tagged.write_text("1\tdogs\tdog\tNOUN\t_\tNumber=Plur\t0\troot\t_\t_\n\n")
    function = getattr(rw, name)

    def message(source: Any, error: type[Exception] = ValueError) -> str:
        with pytest.raises(error) as raised:
            function(source)
        return str(raised.value)

    assert f"found running text; write rw.{name}(rw.corpus_events({str(text)!r}))" in message(text)
    assert f"write rw.{name}(rw.corpus_events({str(tagged)!r}))" in message(tagged)
    assert f"found a folder; if its files are running text: rw.{name}(rw.corpus_events(" in message(
        tmp_path, IsADirectoryError
    )
    lines = text.read_text().splitlines()
    for source in (lines, iter(lines), lines[:1]):
        assert f"rw.{name}(rw.corpus_events(lines))" in message(source, TypeError)
    for missing in ("the cat sat", "corpus/*.txt"):
        assert f"rw.{name}(rw.corpus_events([line]))" in message(missing, FileNotFoundError)
    assert "No such file" in message("nowhere.tab", FileNotFoundError)


@EACH
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (("a_b", "x"), r"write \[\('a_b', 'x'\)\]"),
        (("a_b", "x", 2), r"write \[\('a_b', 'x', 2\)\]"),
        (b"a_b", "not bytes"),
        ({"a": "x"}, "not dict"),
        (3, "not int"),
        (None, "not NoneType"),
        ([("a",)], r"event 0: expected \(cues, outcomes\)"),
    ],
)
def test_what_is_no_source_is_refused(name: str, source: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        getattr(rw, name)(source)


def test_no_events_are_events() -> None:
    assert rw.learn([]).values.shape == (0, 0)
    assert rw.learn(iter(())).values.shape == (0, 0)
