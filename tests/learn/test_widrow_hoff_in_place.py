"""`widrow_hoff(initial=w, out=w)`: the bits of the call without `out`, in the rows of the events alone."""

import threading
import warnings
from types import SimpleNamespace
from typing import Any

import asked
import numpy as np
import pandas as pd
import pytest
import reference
import rescorla as rw
import strategies as some
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from test_delta_rows import tables
from test_in_place import LAYOUTS, Uncounted, laid

# What no row of an event has; it must stay.
OTHER = 7.25
NUMBERS = st.one_of(st.sampled_from([0.0, -0.0, 1.0, -0.5]), st.floats(-1, 1, width=32))
#: What may differ: how long it took.
ITS_OWN = {"seconds"}
TARGETS = {"x": [1.0, -0.5], "y": [0.0, 2.0], "other": [9.0, 9.0]}


def quiet(source: Any, **keywords: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return asked.widrow_hoff(source, **keywords)


def copy_of(weights: Any) -> Any:
    return rw.Weights(weights.values.copy(order="C"), weights.cues, weights.outcomes)


def table(kind: str, vectors: dict[str, list[float]], columns: Any, in_order: tuple[str, ...]) -> Any:
    """Vectors in whatever holds some."""
    names, values = list(vectors), np.array(list(vectors.values())).reshape(len(vectors), len(columns))
    if kind == "mapping":
        return vectors
    if kind == "weights":
        return rw.Weights(values, names, columns)
    if kind == "frame":
        return pd.DataFrame(values, index=names, columns=list(columns))
    if kind == "xarray":
        return xr.DataArray(values, dims=("w", "d"), coords={"w": names, "d": list(columns)})
    if kind == "keyed":
        numbers = {name: row for row, name in enumerate(names)}
        return SimpleNamespace(index_to_key=names, key_to_index=numbers, vectors=values)
    rows = [vectors[name] for name in in_order]
    return rows if kind == "list" else np.array(rows).reshape(len(rows), len(columns))


KINDS = ["mapping", "weights", "frame", "xarray", "keyed", "array", "list"]


@st.composite
def cases(draw: st.DrawFn, dtype: Any) -> tuple[Any, Any, Any, Any]:
    """Events, weights that have their cues and some more, and the vectors of outcomes, or none."""
    events = draw(some.events(max_cues=4))
    cues, outcomes = reference.vocabularies(events)
    rows = draw(st.permutations([*cues, "a cue of no event", "another"]))
    kind = draw(st.sampled_from([None, *KINDS]))
    columns = (
        [*outcomes, "an outcome of no event"]
        if kind is None
        else [f"z{j}" for j in range(draw(st.integers(1, 3)))]
    )
    values = np.array([[draw(NUMBERS) for _ in columns] for _ in rows], dtype)
    vectors = {
        name: draw(st.lists(NUMBERS, min_size=len(columns), max_size=len(columns)))
        for name in draw(st.permutations([*outcomes, "an outcome of no event"]))
    }
    weights = rw.Weights(laid(values, draw(LAYOUTS)), rows, columns)
    return events, weights, kind, vectors


@given(some.DTYPES.flatmap(cases), some.DUPLICATES, some.THREADS, st.booleans(), st.integers(1, 3), st.data())
def test_it_is_the_same_call_bit_for_bit(
    case: Any, duplicates: Any, threads: int, normalized: bool, passes: int, data: st.DataObject
) -> None:
    events, weights, kind, vectors = case
    source = rw.read_events(events, duplicates=duplicates)
    rule: dict[str, Any] = {"eta": 0.1, "normalized": normalized, "passes": passes, "threads": threads}
    rule["schedule"] = data.draw(st.sampled_from([None, rw.schedules.inverse_time(4.0)]))
    rule["record"] = data.draw(st.sampled_from([None, "loss"]))
    rule["tile"] = data.draw(st.sampled_from([None, 1, 3]))
    if kind is not None:
        rule["outcome_vectors"] = table(kind, vectors, weights.outcomes, source.outcomes)
    before = copy_of(weights)
    expected = quiet(source, initial=before, dtype=weights.values.dtype, **rule)
    found = quiet(source, initial=weights, out=weights, **rule)
    assert found is weights
    assert some.bits(found.values) == some.bits(expected.values)
    if kind is not None:
        kept = [{n: v for n, v in each.parameters.items() if n not in ITS_OWN} for each in (found, expected)]
        histories = [each.pop("history", []) for each in kept]
        assert histories[0] == pytest.approx(histories[1], rel=1e-9)
        assert kept[0] == kept[1]
        assert list(found.parameters) == list(expected.parameters)


@given(
    st.data(), some.DTYPES, st.sampled_from(["auto", "forward", "adjoint"]), st.booleans(), st.integers(1, 3)
)
def test_where_cues_are_vectors_all_rows_are_learned(
    data: st.DataObject, dtype: Any, method: Any, normalized: bool, passes: int
) -> None:
    source = rw.read_events([("a_b", "x", 2), ("b", "y"), ("a", "x_y")])
    rule: dict[str, Any] = {"eta": 0.1, "method": method, "normalized": normalized, "passes": passes}
    rule["cue_vectors"] = {"a": [1.0, 0.3, -0.2], "b": [0.0, 1.0, 0.5]}
    goals: Any = data.draw(st.sampled_from([None, TARGETS]))
    columns = ["y", "other", "x"] if goals is None else ["z1", "z0"]
    values = np.arange(3.0 * len(columns)).reshape(3, -1).astype(dtype) / 10
    weights = rw.Weights(laid(values, data.draw(LAYOUTS)), ["x2", "x0", "x1"], columns)
    if goals is not None:
        # Columns have names of their own, so that their order is that of the weights.
        goals = pd.DataFrame(goals, index=["z0", "z1"]).T
    expected = quiet(source, outcome_vectors=goals, initial=copy_of(weights), dtype=dtype, **rule)
    array = weights.values
    found = quiet(source, outcome_vectors=goals, initial=weights, out=weights, **rule)
    assert found is weights
    assert found.values is array
    assert some.bits(found.values) == some.bits(expected.values)
    assert found.parameters.keys() == expected.parameters.keys()


@pytest.mark.parametrize("is_sparse", [False, True])
@given(st.data(), st.integers(1, 9), some.DTYPES, st.booleans())
def test_pairs_are_learned_in_place(
    is_sparse: bool, data: st.DataObject, n: int, dtype: Any, normalized: bool
) -> None:
    X, Z = data.draw(tables(n, 3)), data.draw(tables(n, 2))
    given_x = sparse.csr_array(X) if is_sparse else X
    rule: dict[str, Any] = {"eta": 0.1, "passes": 2, "normalized": normalized}
    weights = rw.Weights(np.full((3, 2), 0.25, dtype), ["x0", "x1", "x2"], ["z0", "z1"])
    array = weights.values
    expected = quiet((given_x, Z), initial=copy_of(weights), dtype=dtype, **rule)
    assert quiet((given_x, Z), initial=weights, out=weights, **rule) is weights
    assert weights.values is array
    assert some.bits(array) == some.bits(expected.values)


@pytest.mark.parametrize("vectors", [None, TARGETS])
@pytest.mark.parametrize("passes", [1, 2])
def test_other_rows_are_not_touched(vectors: Any, passes: int) -> None:
    # Numbers that are none, each with bits of its own.
    values = (np.arange(12, dtype=np.uint64).reshape(6, 2) + np.uint64(0x7FF8 << 48)).view(np.float64).copy()
    values[[1, 4]] = OTHER
    before = values.view(np.uint64).copy()
    columns = ["x", "y"] if vectors is None else ["z0", "z1"]
    weights = rw.Weights(values, list("abcdef"), columns)
    events = rw.read_events([("e_b", "x", 3)])
    quiet(events, eta=0.1, outcome_vectors=vectors, passes=passes, initial=weights, out=weights)
    after = values.view(np.uint64)
    assert (after[[0, 2, 3, 5]] == before[[0, 2, 3, 5]]).all()
    assert (after[[1, 4]] != before[[1, 4]]).all()


class OfWhatOccurs(dict[str, Any]):
    """Vectors that nobody may go through."""

    def __iter__(self) -> Any:
        raise AssertionError("went through all names")

    items = values = keys = __iter__


@pytest.mark.parametrize("kind", ["mapping", "weights", "frame", "keyed", "array"])
def test_a_trial_costs_nothing_for_names_that_it_does_not_have(kind: str) -> None:
    n, q = 500, 20
    weights = rw.Weights(np.full((n, q), OTHER), [f"c{i}" for i in range(n)], [f"z{j}" for j in range(q)])
    # Of all vectors but one a number is none: to look at it were an error.
    vectors = {f"o{i}": [np.nan] * q if i != 5 else [0.5] * q for i in range(n)}
    stream = rw.read_events([("c7_c99", "o5", 1), *[(f"c{i}", f"o{i}") for i in range(n)]])
    given_vectors = table(kind, vectors, weights.outcomes, stream.outcomes)
    if kind == "mapping":
        given_vectors = OfWhatOccurs(vectors)
    rule: dict[str, Any] = {"eta": 0.1, "outcome_vectors": given_vectors}
    rw.widrow_hoff(stream[:1], **rule, initial=weights, out=weights)
    weights.cues = Uncounted(weights.cues)
    if kind == "weights":
        given_vectors.cues = Uncounted(given_vectors.cues)
    rw.widrow_hoff(stream[:1], **rule, initial=weights, out=weights)
    changed = (weights.values != OTHER).any(axis=1)
    assert np.flatnonzero(changed).tolist() == [7, 99]
    assert weights.parameters["n_outcomes"] == n


def small() -> Any:
    return rw.Weights(np.full((2, 2), 0.5), ["light", "tone"], ["z0", "z1"])


def test_what_does_not_fit_is_refused_before_anything_changes() -> None:
    events = rw.read_events([("light", "x")])
    weights, other = small(), small()
    names = rw.Weights(np.zeros((2, 1)), ["light", "tone"], ["x"])

    def refused(
        error: type[Exception], message: str, source: Any = events, of: Any = weights, **more: Any
    ) -> None:
        rule = {"eta": 0.1, "outcome_vectors": TARGETS, "initial": of, "out": of, **more}
        before, told = of.values.copy(), dict(of.parameters)
        with pytest.raises(error, match=message):
            rw.widrow_hoff(source, **rule)
        assert some.bits(of.values) == some.bits(before)
        assert of.parameters == told

    refused(
        ValueError,
        r"^out may be .* same ones as initial: widrow_hoff\(data, eta=eta, initial=weights, out=",
        initial=None,
    )
    refused(ValueError, r"^out may be weights only to learn them in place", initial=other)
    refused(
        TypeError, r"^out must be the Weights that are initial, or None, not ndarray", out=np.zeros((2, 2))
    )
    refused(
        ValueError, r"^dtype does not go with weights as out: these weights are of float64", dtype="float32"
    )
    cure = r"widrow_hoff\(data, eta=eta, initial=weights\) makes room for new names"
    lacks = f"^.out must have all names .* lacks the {{}}; did you mean .* {cure}"
    refused(KeyError, lacks.format("cue 'lihgt'"), [("light_lihgt", "x")])
    refused(KeyError, r"lacks the outcome 'z'", [("light", "x_z")], names, outcome_vectors=None)
    refused(
        KeyError, r"lacks the outcome 'z'", [("light", "z")], names, outcome_vectors=None, cue_vectors=TARGETS
    )
    refused(KeyError, "outcome_vectors has no row for the outcome 'w'", [("light", "w")])
    refused(
        ValueError,
        "initial weights must have the dimensions of the outcome vectors",
        outcome_vectors={"x": [1.0]},
    )
    refused(
        ValueError,
        r"^outcome_vectors must be finite in float64, but at \(1, 1\)",
        outcome_vectors={"o": [1, 2], "x": [1.0, np.inf]},
    )
    refused(
        ValueError,
        r"^outcome_vectors must be finite in float64, but at \(0, 1\)",
        outcome_vectors=np.array([[1.0, np.inf]]),
    )
    refused(
        ValueError,
        r"^outcome_vectors without names must have a row for each of the 1",
        outcome_vectors=np.ones((2, 2)),
    )
    second = rw.read_events([("light", "x"), ("light", "y")])[1:]
    array = np.array([[1.0, 1.0], [1.0, np.inf]])
    refused(ValueError, r"^outcome_vectors must be finite .* at \(1, 1\)", second, outcome_vectors=array)
    refused(ValueError, "method 'adjoint' is for cues that have vectors", method="adjoint")
    refused(
        ValueError,
        "method 'adjoint' is for cues that have vectors",
        of=names,
        method="adjoint",
        outcome_vectors=None,
    )
    refused(ValueError, "record 'accuracy' is for outcomes that are names", record="accuracy")
    poor = small()
    poor.values[1, 0] = np.nan
    refused(
        ValueError,
        "^out must be finite .* cue 'tone' to outcome 'z0' is nan; nothing was",
        [("tone", "x")],
        poor,
    )
    poor.values.flags.writeable = False
    refused(ValueError, "^out must be writeable to be learned in place", of=poor)


def test_what_diverges_names_the_weight() -> None:
    weights = small()
    with pytest.raises(FloatingPointError, match=r"cue 'light' to outcome 'z0' became .*lower eta"):
        quiet([("light", "x", 3000)], eta=5.0, outcome_vectors=TARGETS, initial=weights, out=weights)
    dense = rw.Weights(np.full((1, 1), 0.25), ["x0"], ["y"])
    with pytest.raises(FloatingPointError, match="lower eta"):
        quiet((np.full((3000, 1), 2.0), np.ones(3000)), eta=5.0, initial=dense, out=dense)
    assert dense.values.tolist() == [[0.25]]
    assert dense.parameters == {}


def test_learning_that_is_stopped_tells_no_new_parameters() -> None:
    weights = rw.Weights(np.zeros((1, 2)), ["light"], ["z0", "z1"])

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    for vectors in (
        {"outcome_vectors": TARGETS},
        {"outcome_vectors": TARGETS, "cue_vectors": {"light": [1.0]}},
    ):
        rule: dict[str, Any] = {"eta": 0.1, "progress": stop, "passes": 3, **vectors}
        of = weights if "cue_vectors" not in vectors else rw.Weights(weights.values, ["x0"], ["z0", "z1"])
        with pytest.raises(KeyboardInterrupt):
            rw.widrow_hoff([("light", "x", 4_000_000_000)], **rule, initial=of, out=of)
        assert of.parameters == {}


def test_a_rate_that_overshoots_is_warned_of() -> None:
    weights = small()
    rule: dict[str, Any] = {"outcome_vectors": TARGETS, "initial": weights, "out": weights}
    with pytest.warns(rw.RescorlaWarning, match=r"^eta = 1 may overshoot: a token has x'x = 2") as record:
        rw.widrow_hoff([("light_tone", "x")], eta=1.0, **rule)
    assert record[0].filename == __file__
    with pytest.warns(rw.RescorlaWarning, match=r"x'x, times its factor, = 4"):
        rw.widrow_hoff([("light_tone", "x")], eta=0.6, schedule=rw.schedules.piecewise([], [2.0]), **rule)


def test_other_threads_learn_other_weights_meanwhile() -> None:
    events = rw.read_events([("light_tone", "x", 2)])
    both = [small(), small()]

    def work(weights: Any) -> None:
        for _ in range(50):
            rw.widrow_hoff(events, eta=0.1, outcome_vectors=TARGETS, initial=weights, out=weights)

    workers = [threading.Thread(target=work, args=(weights,)) for weights in both]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    one = small()
    work(one)
    assert {some.bits(weights.values) for weights in both} == {some.bits(one.values)}


def test_rows_of_a_stream_are_those_of_its_names() -> None:
    """An array has a row for each outcome of the stream, also where a slice has few of them."""
    stream = rw.read_events([(f"c{i % 3}", f"o{i}") for i in range(200)])
    array: NDArray[Any] = np.random.default_rng(1).normal(size=(200, 2))
    weights = rw.Weights(np.zeros((3, 2)), ["c0", "c1", "c2"], ["z0", "z1"])
    for start in range(0, 200, 40):
        rw.widrow_hoff(
            stream[start : start + 40], eta=0.1, outcome_vectors=array, initial=weights, out=weights
        )
    whole = rw.widrow_hoff(stream, eta=0.1, outcome_vectors=array)
    assert some.bits(weights.values) == some.bits(whole.values)
