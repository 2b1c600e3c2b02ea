"""`activations`: the sums of the reference, and the half of the rule that predicts."""

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event


@st.composite
def weighted(draw: st.DrawFn, dtype: Any) -> tuple[list[Event], Any, dict[tuple[str, str], float]]:
    """Events, and weights of their cues to some outcomes, as the product and as the reference have them."""
    events = draw(some.events())
    cues, outcomes = reference.vocabularies(events)
    rows = draw(st.permutations(cues))
    weights = {(c, o): draw(some.WEIGHTS) for c in rows for o in outcomes}
    return events, rw.Weights(reference.matrix(weights, rows, outcomes, dtype), rows, outcomes), weights


def expected_activations(
    rows: list[Event], weights: dict[tuple[str, str], float], outcomes: list[str], dtype: Any
) -> np.ndarray[Any, Any]:
    number = float if dtype == np.float64 else dtype
    typed = {pair: number(weight) for pair, weight in weights.items()}
    values = [
        [reference.activation(typed, cues, outcome, number) for outcome in outcomes] for cues, _, _ in rows
    ]
    return np.array(values, dtype).reshape(len(rows), len(outcomes))


@given(
    some.DTYPES.flatmap(lambda dtype: st.tuples(weighted(dtype), st.just(dtype))), some.DUPLICATES, st.data()
)
def test_activations_are_the_reference(case: Any, duplicates: Any, data: st.DataObject) -> None:
    (events, weights, plain), dtype = case
    rows = reference.normalised(events, duplicates)
    outcomes = data.draw(st.one_of(st.none(), some.subsets(weights.outcomes)))
    found = rw.activations(rw.read_events(events, duplicates=duplicates), weights, outcomes=outcomes)
    columns = list(weights.outcomes) if outcomes is None else outcomes
    assert some.bits(found) == some.bits(expected_activations(rows, plain, columns, dtype))


@given(weighted(np.float64))
def test_bare_cue_sets_are_events_without_outcomes(case: Any) -> None:
    events, weights, _ = case
    bare = rw.activations([cues for cues, _, _ in events], weights)
    assert some.bits(bare) == some.bits(rw.activations(rw.read_events(events), weights))


@given(some.events(frequencies=st.just(1)), st.data())
def test_a_step_of_learning_by_hand(events: list[Event], data: st.DataObject) -> None:
    *before, (cues, outcomes, _) = reference.normalised(events)
    # The last event alone at first, at frequency 0, so that all its names are known.
    weights = rw.learn(
        rw.read_events([(cues, outcomes, 0), *before]), alpha=0.1, beta=(0.2, 0.1), lambda_=0.9
    )
    [activation] = rw.activations([cues], weights)
    values = weights.values.copy()
    for j, outcome in enumerate(weights.outcomes):
        step = 0.1 * (0.2 * (0.9 - activation[j]) if outcome in outcomes else 0.1 * (0 - activation[j]))
        for cue in cues:
            values[weights.cues.index(cue), j] += step
    after = rw.learn(
        rw.read_events([(cues, outcomes, 1)]),
        alpha=0.1,
        beta=(0.2, 0.1),
        lambda_=0.9,
        initial=weights,
        method="forward",
    )
    assert some.bits(after.values) == some.bits(values)


def test_more_events_than_a_chunk_holds() -> None:
    weights = rw.Weights(np.arange(6.0).reshape(3, 2), ["a", "b", "c"], ["x", "y"])
    cues, outcomes = np.arange(140_000) % 7 % 3, np.arange(140_000) % 5 % 2
    events = rw.read_events((["abc"[i]], ["xy"[j]]) for i, j in zip(cues, outcomes, strict=True))
    found = rw.activations(events, weights, threads=2)
    assert some.bits(found) == some.bits(weights.values[cues])
    found = rw.activations(events, weights, present_only=True, threads=2)
    assert some.bits(found) == some.bits(weights.values[cues, outcomes])


def test_an_unknown_cue_is_an_error_or_ignored() -> None:
    weights = rw.Weights(np.array([[1.0, 2.0]]), ["a"], ["x", "y"])
    events = rw.read_events([(["a", "b"], ["x"], 1)])
    with pytest.raises(KeyError, match="b"):
        rw.activations(events, weights)
    assert rw.activations(events, weights, unknown="ignore").tolist() == [[1.0, 2.0]]


@given(weighted(np.float64))
def test_present_only_gives_the_outcomes_of_each_event(case: Any) -> None:
    events, weights, _ = case
    source = rw.read_events(events)
    whole = rw.activations(source, weights)
    present = [
        whole[i, weights.outcomes.index(name)] for i, event in enumerate(source) for name in event.outcomes
    ]
    assert some.bits(rw.activations(source, weights, present_only=True)) == some.bits(
        np.array(present, np.float64)
    )


# Weights are read where they lie.


def laid(values: np.ndarray[Any, Any], order: str) -> np.ndarray[Any, Any]:
    """The same numbers: rows one after another, columns so, or neither."""
    if order in "CF":
        return np.array(values, order=order)  # type: ignore[call-overload, no-any-return]
    wide = np.full((3 * values.shape[0], 2 * values.shape[1]), np.nan, values.dtype)
    view = wide[::-3, ::2]
    view[...] = values
    return view


@given(
    some.DTYPES.flatmap(weighted),
    st.sampled_from(["C", "F", "neither"]),
    some.DUPLICATES,
    st.sampled_from([None, "float32", "float64"]),
    st.integers(0, 40),
    st.data(),
)
def test_every_order_in_memory_gives_the_same_bits(
    case: Any, order: str, duplicates: Any, dtype: Any, more: int, data: st.DataObject
) -> None:
    events, weights, _ = case
    # More columns than are gathered at a time, and a cue that no event has.
    extra = np.linspace(-1, 1, (len(weights.cues) + 1) * more).reshape(-1, more) if more else None
    values = np.vstack([weights.values, np.full(weights.values.shape[1:], 0.3)[np.newaxis]])
    if extra is not None:
        values = np.hstack([values, extra.astype(values.dtype)])
    values = values.astype(weights.values.dtype)
    names = [*weights.outcomes, *(f"more {i}" for i in range(more))]
    other = rw.Weights(laid(values, order), [*weights.cues, "a cue of no event"], names)
    source = rw.read_events(events, duplicates=duplicates)
    outcomes = data.draw(st.one_of(st.none(), some.subsets(names)))
    found = rw.activations(source, other, outcomes=outcomes, dtype=dtype)
    element = np.dtype(dtype or values.dtype)
    columns = names if outcomes is None else outcomes
    chosen = values[:, [names.index(name) for name in columns]].astype(element)
    plain = {
        (cue, name): float(chosen[i, j]) for i, cue in enumerate(other.cues) for j, name in enumerate(columns)
    }
    rows = reference.normalised(events, duplicates)
    assert some.bits(found) == some.bits(expected_activations(rows, plain, columns, element.type))
    present = rw.activations(source, other, present_only=True, dtype=dtype)
    whole = rw.activations(source, rw.Weights(values.astype(element), other.cues, names))
    wanted = [whole[i, names.index(name)] for i, event in enumerate(source) for name in event.outcomes]
    assert some.bits(present) == some.bits(np.array(wanted, element))


@pytest.mark.parametrize("chunked", [False, True])
def test_more_cues_than_are_gathered_at_once(chunked: bool) -> None:
    n = 50 if chunked else 5
    rng = np.random.default_rng(2)
    values = rng.normal(size=(500, 20))
    weights = rw.Weights(
        np.asfortranarray(values), [f"c{i}" for i in range(500)], [f"o{j}" for j in range(20)]
    )
    sets = [[f"c{i}" for i in rng.permutation(500)] for _ in range(n)]
    # 11 million cues: more than twice what is gathered at once.
    events = rw.read_events([(cues, ()) for cues in sets] * (450 if chunked else 1))
    found = rw.activations(events, weights, outcomes=["o3", "o17"], threads=2)
    plain = rw.activations(events, rw.Weights(values, weights.cues, weights.outcomes), outcomes=["o3", "o17"])
    assert some.bits(found) == some.bits(plain)


@pytest.mark.parametrize("dtype", [None, "float32"])
@pytest.mark.parametrize("order", ["C", "F", "neither"])
def test_no_weights_are_copied(order: str, dtype: Any) -> None:
    values = laid(np.ones((2000, 1000)), order)
    weights = rw.Weights(values, [f"c{i}" for i in range(2000)], [f"o{j}" for j in range(1000)])
    for outcomes in (None, ["o7", "o3"]):
        for present_only in (False, outcomes is None):
            events = rw.read_events([("c5_c7", "o1"), ("c9", "o2")])
            rw.activations(events, weights, outcomes=outcomes, present_only=present_only, dtype=dtype)
            tracemalloc.start()
            try:
                rw.activations(events, weights, outcomes=outcomes, present_only=present_only, dtype=dtype)
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            # Places of the columns, and the result; the weights are 16 MB.
            assert peak < 100_000


PROTECTED = """
import ctypes, mmap, sys
import numpy as np, rescorla as rw
libc = ctypes.CDLL(None, use_errno=True)
order, n = sys.argv[1], 64
memory = mmap.mmap(-1, n * mmap.PAGESIZE)
lines = np.frombuffer(memory, dtype=np.float64).reshape(n, -1)
lines[...] = np.arange(lines.size).reshape(lines.shape) / 7
values = lines if order == "C" else lines.T
names = [[f"{side}{i}" for i in range(length)] for side, length in zip("co", values.shape)]
weights = rw.Weights(values, *names)
# Of rows those of the cues are read, and of columns those that are asked for.
kept = (7, 20)
events = rw.read_events([("c7_c20", "o20"), ("c20_c7", "o7"), ("c7", "o20_o7")])
told = {"unknown": "error"} if order == "C" else {"outcomes": ["o20", "o7"]}
def look():
    found = [rw.activations(events, weights, dtype=dtype, **told) for dtype in (None, "float32")]
    found.append(rw.activations(events, weights, present_only=True))
    return [array.tobytes() for array in found]
before = look()
for line in range(n):
    if line not in kept:
        at = ctypes.c_void_p(lines.ctypes.data + line * mmap.PAGESIZE)
        assert libc.mprotect(at, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
assert look() == before
print("looked")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="protects pages as Linux does")
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_is_not_asked_for_may_be_memory_that_cannot_be_read(order: str) -> None:
    child = subprocess.run([sys.executable, "-c", PROTECTED, order], capture_output=True, text=True)
    assert (child.stdout, child.returncode) == ("looked\n", 0), child.stderr


@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_weights_in_a_file_of_either_order(method: Any, tmp_path: Path) -> None:
    events = rw.read_events(some.wide_events(3, 50, 20, 40))
    rw.learn(events, method=method, out=tmp_path / "w.npy")
    mapped = rw.load_weights(tmp_path / "w.npy")
    assert mapped.values.flags.f_contiguous == (method == "forward")
    in_memory = rw.Weights(np.array(mapped.values, order="C"), mapped.cues, mapped.outcomes)
    for dtype in (None, "float32"):
        found, expected = (rw.activations(events, each, dtype=dtype) for each in (mapped, in_memory))
        assert some.bits(found) == some.bits(expected)


def test_a_weight_that_a_smaller_type_does_not_have_is_told() -> None:
    weights = rw.Weights([[1e300, 1.0], [np.inf, 2.0]], ["a", "b"], ["x", "y"])
    with pytest.warns(
        rw.RescorlaWarning, match="too large for float32 and counts as infinite; leave dtype away"
    ):
        assert rw.activations(["a"], weights, dtype="float32").tolist() == [[np.inf, 1.0]]
    # What was infinite before is no news, nor is what was not asked for.
    assert rw.activations(["b"], weights, dtype="float32").tolist() == [[np.inf, 2.0]]
    assert rw.activations(["a"], weights, outcomes=["y"], dtype="float32").tolist() == [[1.0]]


def test_elements_that_lie_askew_are_copied() -> None:
    records = np.zeros(2, dtype=[("flag", "i1"), ("row", "f8", (2,))])
    records["row"] = [[1, 2], [3, 4]]
    weights = rw.Weights(records["row"], ["a", "b"], ["x", "y"])
    assert rw.activations(["b"], weights).tolist() == [[3.0, 4.0]]


# Mistakes.


def plain() -> Any:
    return rw.Weights([[0.5, 0.0], [0.25, -0.5]], ["a", "b"], ["x", "y"])


@pytest.mark.parametrize(
    "pair",
    [
        ("a_b", "x"),
        ("a_b", "x_y"),
        ("a_b", "x", 3),
        (["a", "b"], "x"),
        (["a", "b"], ["x"]),
        [("a", "b"), ("x",)],
        ({"a", "b"}, "x"),
        ["a_b", "x"],
        ["a_other", "x", 1],
        {"cues": "a_b", "outcomes": "x"},
    ],
)
def test_events_are_not_taken_for_cue_sets(pair: Any) -> None:
    with pytest.raises(ValueError, match=r"event 2 must be a set of cues, found .*rescorla\.read_events"):
        rw.activations(["a", pair], plain(), unknown="ignore")


def test_cue_sets_that_look_like_events_and_are_none() -> None:
    known = rw.Weights([[1.0], [2.0], [4.0]], ["number_sg", "gender_m", "a"], ["x"])
    # Both are cues; three names; a list; no blank between names in the first.
    sets: list[Any] = [
        ("number_sg", "gender_m"),
        ("number_sg", "a", "gender_m"),
        ["number_sg", "other"],
        ["gender_f", "a"],
        ("a", "other_x"),
    ]
    found = rw.activations(sets, known, unknown="ignore")
    assert found.tolist() == [[3.0], [7.0], [1.0], [4.0], [4.0]]


def test_a_str_is_a_path() -> None:
    with pytest.raises(FileNotFoundError, match=r"a str is a path; write \['a_b'\] for one set of cues"):
        rw.activations("a_b", plain())


def test_arguments_that_changed_places() -> None:
    others: list[Any] = [rw.read_events([("a", "x")]), ["a"], "a"]
    for first in others:
        with pytest.raises(
            TypeError, match=r"found weights: the events come first, activations\(events, wei"
        ):
            rw.activations(plain(), first)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("w.npz", "not 'w.npz'; rescorla.load_weights reads a file of weights"),
        (Path("folder/w.npy"), "rescorla.load_weights reads a file of weights"),
        (np.zeros((2, 2)), r"not an ndarray; rescorla\.Weights\(values, cues, outcomes\) gives"),
        (None, "not None; rescorla.learn makes weights of events"),
    ],
)
def test_weights_that_are_none(weights: Any, message: str) -> None:
    with pytest.raises(TypeError, match="weights must be Weights, .*" + message):
        rw.activations(["a"], weights)


def test_an_unknown_name_asks_whether_another_was_meant() -> None:
    weights = rw.Weights([[1.0]], ["light"], ["food"])
    with pytest.raises(
        KeyError, match=r"do not have the cue 'lihgt'; did you mean 'light'\?; let unknown be 'ignore'"
    ):
        rw.activations(["lihgt"], weights)
    with pytest.raises(KeyError, match=r"did you mean 'food'\?"):
        rw.activations(["light"], weights, outcomes=["fodo"])


def test_a_result_that_lies_column_after_column_is_refused() -> None:
    weights = rw.Weights(np.arange(6.0).reshape(3, 2), ["a", "b", "c"], ["x", "y"])
    cues, wanted = ["a_b", "c", "a_c"], np.full((3, 2), 7.0)
    expected = rw.activations(cues, weights)
    columns = np.asfortranarray(wanted)
    with pytest.raises(ValueError, match="row after row in memory"):
        rw.activations(cues, weights, out=columns)
    assert (columns == 7.0).all()
    assert rw.activations(cues, weights, out=wanted) is wanted
    assert np.array_equal(wanted, expected)
