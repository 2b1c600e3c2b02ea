"""Weights keep what made their events, in every format."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import rescorla._core as _core
from eventfiles import unmade
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import check_page

SUFFIXES = ("npz", "npy", "nc", "zarr")
ROWS = [("a_b", "x"), ("b_c", "y"), ("a", "x_y")]
# What JSON has. Low surrogates stand for bytes of the names of files.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\0"\udcff{[]}'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)
MADE = st.dictionaries(TEXTS, VALUES, max_size=4)

LEARNERS: dict[str, Callable[[rw.Events], Any]] = {
    "learn": rw.learn,
    "adjoint": lambda events: rw.learn(events, method="adjoint"),
    "in place": lambda events: rw.learn(events, out=(w := rw.learn(events)), initial=w),
    "equilibrium": rw.equilibrium,
    "widrow_hoff": lambda events: rw.widrow_hoff(events, eta=0.1),
    "widrow_hoff, vectors": lambda events: rw.widrow_hoff(events, eta=0.1, cue_vectors=np.eye(3)),
    "delta_rule": lambda events: rw.delta_rule(events, beta=0.1),
    "trajectories": rw.trajectories,
    "convergence": rw.convergence,
}


@pytest.mark.parametrize("name", LEARNERS)
def test_whatever_learns_of_events_keeps_what_made_them(name: str) -> None:
    events = rw.read_events(ROWS).head(2).passes(2)
    assert LEARNERS[name](events).parameters["events"] == events.parameters


def test_rows_are_named_by_what_they_were() -> None:
    rows = [("a_b", "x"), ("b", "y")]
    for source, name in (
        (rows, "<list>"),
        (iter(rows), "<list_iterator>"),
        ((row for row in rows), "<generator>"),
    ):
        assert rw.learn(source).parameters["events"]["source"] == name


def test_going_on_keeps_the_last_events() -> None:
    first, second = rw.read_events(ROWS), rw.read_events(ROWS).head(2)
    weights = rw.learn(second, initial=rw.learn(first))
    assert (weights.parameters["continued"], weights.parameters["events"]) == (True, second.parameters)


def test_arrays_and_events_that_do_not_say_have_nothing(tmp_path: Path) -> None:
    rw.read_events(ROWS, tmp_path / "e.rw")
    (tmp_path / "e.rw").write_bytes(unmade(tmp_path / "e.rw"))
    for weights in (
        rw.learn(tmp_path / "e.rw"),
        rw.delta_rule((np.eye(2), np.eye(2)), beta=0.1),
        rw.widrow_hoff((np.eye(2), np.eye(2)), eta=0.1),
    ):
        assert "events" not in weights.parameters


def test_what_cannot_be_read_does_not_end_learning(tmp_path: Path) -> None:
    _core.compile_events(ROWS, str(tmp_path / "e.rw"), "drop", None, None, parameters="[1]")
    with pytest.warns(rw.RescorlaWarning, match=r"not kept with what is learned of them: .*e\.rw") as caught:
        weights = rw.learn(tmp_path / "e.rw")
    assert caught[0].filename == __file__
    assert "events" not in weights.parameters
    assert weights.values.any()


# Each case saves and loads eight times.
@settings(max_examples=min(settings().max_examples, 80))
@given(MADE)
def test_any_nested_mapping_survives_every_format(folder: Path, made: dict[str, Any]) -> None:
    parameters = {"rule": "rescorla_wagner", "lambda": [1.0, 2.0], "events": made}
    weights = rw.Weights(np.eye(2), ["a", "b"], ["x", "y"], parameters)
    for suffix in SUFFIXES:
        path = folder / f"w.{suffix}"
        weights.save(path)
        found = rw.load_weights(path)
        assert found.parameters == parameters, suffix
        # Not True for 1, nor 1 for 1.0.
        assert json.dumps(found.parameters["events"]) == json.dumps(made)
        # And once more, of what was read.
        found.save(folder / f"again.{suffix}")
        assert rw.load_weights(folder / f"again.{suffix}").parameters == parameters
    assert rw.Weights.from_xarray(weights.to_xarray()).parameters == parameters
    # A frame has no numbers of names that may be sorted.
    assert rw.Weights.from_pandas(weights.to_pandas()).parameters == {
        n: parameters[n] for n in ("rule", "events")
    }
    assert json.loads(weights.to_arrow().schema.metadata[b"parameters"]) == parameters


@given(MADE)
def test_any_nested_mapping_survives_files_of_trajectories(folder: Path, made: dict[str, Any]) -> None:
    known = rw.trajectories(rw.read_events(ROWS))
    known.parameters["events"] = made
    known.save(folder / "t.npz")
    assert rw.Trajectories.load(folder / "t.npz").parameters == known.parameters
    assert json.loads(known.to_xarray().attrs["events"]) == made


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_long_one_survives(suffix: str, tmp_path: Path) -> None:
    # As much as is kept: a mebibyte.
    made = {"of": [{"function": "f", "source": ["name" * 9] * 100} for _ in range(250)]}
    assert len(json.dumps(made)) > 1_000_000
    rw.Weights(np.eye(2), ["a", "b"], ["x", "y"], {"events": made}).save(tmp_path / f"w.{suffix}")
    found = rw.load_weights(tmp_path / f"w.{suffix}")
    assert found.parameters == {"events": made}
    assert np.array_equal(np.asarray(found), np.eye(2))


def test_numpy_numbers_within_are_numbers(tmp_path: Path) -> None:
    made = {"list": [np.float32(0.5), np.arange(3)], "n": np.int8(3)}
    for suffix in SUFFIXES:
        rw.Weights(np.eye(2), ["a", "b"], ["x", "y"], {"events": made}).save(tmp_path / f"w.{suffix}")
        found = rw.load_weights(tmp_path / f"w.{suffix}").parameters
        assert found == {"events": {"list": [0.5, [0, 1, 2]], "n": 3}}


def test_text_that_is_no_value_of_ours_stays_text() -> None:
    xr = pytest.importorskip("xarray")
    deep = "[" * 100_000
    for text in ('{"a":1}', '{"a": 1} | ', "{}x", deep):
        array = xr.DataArray(
            np.eye(1), {"cues": ["a"], "outcomes": ["x"]}, ("cues", "outcomes"), attrs={"p": text}
        )
        assert rw.Weights.from_xarray(array).parameters == {"p": text}
    # And text of ours that looks like a mapping is one no more than it was.
    known = rw.Weights(np.eye(1), ["a"], ["x"], {"p": '{"a": 1}', "q": {"a": 1}})
    assert rw.Weights.from_xarray(known.to_xarray()).parameters == known.parameters


def test_a_store_keeps_it_and_goes_on_with_the_same_events_made_otherwise(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    path = tmp_path / "w.zarr"
    events, same = rw.read_events(ROWS), rw.read_events(iter(ROWS))
    assert events.parameters != same.parameters
    rw.learn(events, out=path, part=(0, 2))
    assert rw.load_weights(path).parameters["events"] == events.parameters
    # The bits depend on the events, not on what made them.
    learned = rw.learn(same, out=path, resume=True)
    assert learned.parameters["events"] == events.parameters
    assert learned.missing() == []
    assert rw.verify(path, same).bad == []
    with pytest.raises(ValueError, match="events: "):
        rw.learn(rw.read_events(ROWS[1:] + ROWS[:1]), out=path, resume=True)
    # Weights of a store can be saved elsewhere, and gone on from.
    learned.save(tmp_path / "w.nc")
    assert rw.load_weights(tmp_path / "w.nc").parameters["events"] == events.parameters
    assert rw.learn(events, initial=learned).parameters["continued"] is True


@pytest.mark.parametrize("suffix", ["npy", "zarr"])
def test_what_is_learned_to_a_file_keeps_it(suffix: str, tmp_path: Path) -> None:
    events = rw.read_events(ROWS).head(2)
    rw.learn(events, out=tmp_path / f"w.{suffix}")
    assert rw.load_weights(tmp_path / f"w.{suffix}").parameters["events"] == events.parameters


def test_it_is_not_shown_whole() -> None:
    made = {"function": "concat_events", "of": [{"source": "name" * 99}] * 999, "n": 1, "version": "0"}
    weights = rw.Weights(
        np.eye(30), map(str, range(30)), map(str, range(30)), {"events": made, "list": [made]}
    )
    assert len(repr(weights).splitlines()) <= 10
    assert "concat" not in repr(weights)
    page = check_page(weights)
    assert "4 values, function: concat_events, of: 999 values, n: 1, ..." in page.texts
    assert "[4 values]" in page.texts
    assert len(weights._repr_html_()) < 30_000
    of_few = rw.Weights(np.eye(1), ["a"], ["x"], {"events": {"a": 1}})
    assert "1 value, a: 1" in check_page(of_few).texts
