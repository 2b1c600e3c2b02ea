"""`learn(events, initial=w, out=w)`: the bits of learning on, in the rows of the events alone."""

import ctypes
import subprocess
import sys
import tracemalloc
import warnings
from typing import Any

import asked
import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event

LAYOUTS = st.sampled_from(["rows", "columns", "every second row", "backward"])
#: What may differ: how long it took, and how much was done for columns that are zero in these rows.
ITS_OWN = {"seconds", "updates_forward", "updates_adjoint", "alpha", "lambda", "threads"}


def laid(values: NDArray[Any], layout: str) -> NDArray[Any]:
    """The same numbers in another order in memory."""
    if layout == "rows":
        return np.ascontiguousarray(values)
    if layout == "columns":
        return np.asfortranarray(values)
    wide = np.full((2 * len(values), values.shape[1]), np.nan, values.dtype)
    view = wide[::2] if layout == "every second row" else wide[::-1, ::-1][1::2]
    view[...] = values
    return view


def learn(*arguments: Any, **keywords: Any) -> Any:
    """`learn`, with or without a warning of rates, and with the engine's choices where they are given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return asked.learn(*arguments, **keywords)


@st.composite
def continued(draw: st.DrawFn, dtype: Any) -> tuple[list[Event], Any]:
    """Events, and weights that have all their names and some more."""
    events = draw(some.events())
    cues, outcomes = reference.vocabularies(events)
    rows = draw(st.permutations([*cues, "a cue of no event", "another"]))
    columns = draw(st.permutations([*outcomes, "an outcome of no event"]))
    numbers = st.one_of(st.just(0.0), st.just(-0.0), some.WEIGHTS)
    values = np.array([[draw(numbers) for _ in columns] for _ in rows], dtype)
    return events, rw.Weights(laid(values, draw(LAYOUTS)), rows, columns)


def copy_of(weights: Any) -> Any:
    return rw.Weights(weights.values.copy(order="C"), weights.cues, weights.outcomes)


@given(some.DTYPES.flatmap(continued), some.DUPLICATES, some.THREADS, st.data())
def test_it_is_learning_on_bit_for_bit(case: Any, duplicates: Any, threads: int, data: st.DataObject) -> None:
    events, weights = case
    source = rw.read_events(events, duplicates=duplicates)
    rule = data.draw(some.rules(source.cues, source.outcomes)).keywords()
    rule["schedule"] = data.draw(st.one_of(st.none(), some.schedules(events)))
    rule["tile"] = data.draw(st.sampled_from([None, 1, 3, 16]))
    before, element = copy_of(weights), weights.values.dtype
    expected = learn(source, initial=before, method="forward", dtype=element, **rule, kernel=None)
    found = learn(source, initial=weights, out=weights, threads=threads, **rule, kernel=None)
    assert found is weights
    assert some.bits(found.values) == some.bits(expected.values)
    kept = [{n: v for n, v in each.parameters.items() if n not in ITS_OWN} for each in (found, expected)]
    assert kept[0] == kept[1]
    assert found.parameters.keys() == expected.parameters.keys()


def test_a_number_for_all_names_is_told_as_one_and_a_mapping_as_a_list() -> None:
    weights = rw.Weights(np.zeros((3, 2)), ["a", "b", "c"], ["x", "y"])
    events = rw.read_events([("c_a", "y", 2)])
    rw.learn(events, initial=weights, out=weights, alpha=0.5)
    assert (weights.parameters["alpha"], weights.parameters["lambda"]) == (0.5, 1.0)
    rw.learn(events, initial=weights, out=weights, alpha={"a": 0.25, "c": 0.5}, lambda_={"y": 2.0})
    # 0: none was needed.
    assert (weights.parameters["alpha"], weights.parameters["lambda"]) == ([0.25, 0.0, 0.5], [0.0, 2.0])
    rw.learn(events, initial=weights, out=weights, alpha=[0.1, 0.2, 0.3], lambda_=[1, 2])
    assert (weights.parameters["alpha"], weights.parameters["lambda"]) == ([0.1, 0.2, 0.3], [1.0, 2.0])
    assert weights.parameters["continued"] is True


def test_many_events_of_many_columns_by_several_threads() -> None:
    events = rw.read_events(some.wide_events(4, 600, 40, 1500))
    rng = np.random.default_rng(1)
    cues, outcomes = [*events.cues[::-1], "other"], [*events.outcomes, "other"]
    for layout in ("C", "F"):
        values = np.array(rng.normal(size=(len(cues), len(outcomes))), order=layout)
        # Columns of zeros begin where their outcomes do.
        values[:, ::3] = 0
        weights = rw.Weights(values, cues, outcomes)
        expected = rw.learn(events, initial=copy_of(weights), method="forward")
        learned = rw.learn(events, initial=weights, out=weights, threads=3)
        assert learned.parameters["threads"] == 3
        assert some.bits(learned.values) == some.bits(expected.values)


def test_other_rows_are_not_touched() -> None:
    # Numbers that are none, each with bits of its own.
    bits = np.arange(6 * 5, dtype=np.uint64).reshape(6, 5) + np.uint64(0x7FF8 << 48)
    values = bits.view(np.float64).copy()
    values[[1, 4]] = 0.25
    before = values.view(np.uint64).copy()
    weights = rw.Weights(values, list("abcdef"), list("vwxyz"))
    rw.learn(rw.read_events([("e_b", "x", 3)]), initial=weights, out=weights)
    after = values.view(np.uint64)
    others = [0, 2, 3, 5]
    assert (after[others] == before[others]).all()
    assert (after[[1, 4]] != before[[1, 4]]).all()


PROTECTED = """
import ctypes, mmap, sys
import numpy as np, rescorla as rw
libc = ctypes.CDLL(None, use_errno=True)
n, width = 64, mmap.PAGESIZE // 8
memory = mmap.mmap(-1, n * mmap.PAGESIZE)
values = np.frombuffer(memory, dtype=np.float64).reshape(n, width)
values[...] = 0.25
cues, outcomes = [f"c{i}" for i in range(n)], [f"o{j}" for j in range(width)]
weights = rw.Weights(values, cues, outcomes)
events = rw.read_events([("c7_c20_c21", "o5_o9", 3), ("c20", "o5")])
expected = rw.learn(events, initial=rw.Weights(values.copy(), cues, outcomes), method="forward")
def protect(row, how):
    at = ctypes.c_void_p(values.ctypes.data + row * mmap.PAGESIZE)
    assert libc.mprotect(at, ctypes.c_size_t(mmap.PAGESIZE), how) == 0
others = [row for row in range(n) if row not in (7, 20, 21)]
# Not even to be read.
for row in others:
    protect(row, 0)
rw.learn(events, initial=weights, out=weights)
for row in others:
    protect(row, 3)
assert values.tobytes() == expected.values.tobytes()
print("learned")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="protects pages as Linux does")
def test_other_rows_may_be_memory_that_cannot_be_read() -> None:
    assert ctypes.CDLL(None).mprotect
    child = subprocess.run([sys.executable, "-c", PROTECTED], capture_output=True, text=True)
    assert (child.stdout, child.returncode) == ("learned\n", 0), child.stderr


class Uncounted(tuple[str, ...]):
    """Names that nobody may go through."""

    def __iter__(self) -> Any:
        raise AssertionError("went through all names")


def test_a_trial_costs_nothing_for_names_that_it_does_not_have() -> None:
    n = 2000
    weights = rw.Weights(np.zeros((n, n)), [f"c{i}" for i in range(n)], [f"o{i}" for i in range(n)])
    events = rw.read_events([("c7_c99", "o5", 1)])
    rw.learn(events, initial=weights, out=weights)
    weights.cues, weights.outcomes = Uncounted(weights.cues), Uncounted(weights.outcomes)
    tracemalloc.start()
    try:
        rw.learn(events, initial=weights, out=weights)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A few numbers for each outcome; a matrix has 32 MB.
    assert peak < 100 * n
    assert weights["c7", "o5"] > 0


def small() -> Any:
    return rw.Weights(np.full((2, 2), 0.5), ["light", "tone"], ["food", "shock"])


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([("light_lihgt", "food")], "lacks the cue 'lihgt'; did you mean 'light'"),
        ([("light", "fod")], "lacks the outcome 'fod'; did you mean 'food'"),
        ([(f"c{i}", "food") for i in range(9)], "lacks the cues 'c0', 'c1', 'c2', 'c3', 'c4' and 4 more; "),
    ],
)
def test_names_must_be_there_before_anything_changes(events: Any, message: str) -> None:
    weights = small()
    with pytest.raises(KeyError, match=message) as caught:
        rw.learn(rw.read_events([("light", "food"), *events]), initial=weights, out=weights)
    assert "learn(events, initial=weights) makes room" in str(caught.value)
    assert (weights.values == 0.5).all()
    assert weights.parameters == {}


@pytest.mark.parametrize("n", [1, 100])
def test_of_a_slice_only_the_names_that_occur_count(n: int) -> None:
    rows = [("a_b", "x", 2), *[("b", "x")] * (n - 1)]
    stream = rw.read_events([*rows, *[(f"c{i}", f"o{i}") for i in range(200)]])
    weights, alone = (rw.Weights(np.zeros((2, 1)), ["a", "b"], ["x"]) for _ in range(2))
    rw.learn(stream[:n], initial=weights, out=weights, alpha={"a": 0.2, "b": 0.1})
    rw.learn(rw.read_events(rows), initial=alone, out=alone, alpha={"a": 0.2, "b": 0.1})
    assert weights.values.tobytes() == alone.values.tobytes()
    assert weights.parameters["n_cues"] == 202


def test_weights_that_are_read_only_are_refused(tmp_path: Any) -> None:
    events = rw.read_events([("light", "food")])
    small().save(tmp_path / "w.npy")
    weights = rw.load_weights(tmp_path / "w.npy")
    with pytest.raises(ValueError, match=r"read-only.*copy them"):
        rw.learn(events, initial=weights, out=weights)
    # A map that can be written to is as good as memory.
    values = np.load(tmp_path / "w.npy", mmap_mode="r+")
    mapped = rw.Weights(values, weights.cues, weights.outcomes)
    rw.learn(events, initial=mapped, out=mapped, alpha=0.5, beta=0.5)
    values.flush()
    assert np.load(tmp_path / "w.npy")[0, 0] == 0.625


def test_numbers_that_are_not_finite_are_refused_before_anything_changes() -> None:
    values = np.array([[0.5, np.inf, 0.5], [0.5, np.nan, np.nan], [np.nan] * 3])
    weights = rw.Weights(values, ["light", "tone", "bell"], ["food", "shock", "rest"])
    before = values.copy()
    with pytest.raises(
        ValueError, match=r"finite in the rows .* cue 'tone' to outcome 'shock' is nan; nothing"
    ):
        rw.learn(rw.read_events([("tone_light", "food")]), initial=weights, out=weights)
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"average": True}, r"average does not go .* gives means"),
        ({"cues": ["light"]}, "cues does not go"),
        ({"outcomes": ["food"]}, "outcomes does not go"),
        ({"method": "adjoint"}, "method does not go"),
        ({"dtype": "float32"}, "dtype does not go .* of float64"),
        ({"initial": None}, "needs the same ones as initial:"),
        ({"initial": small()}, "needs the same ones as initial:"),
        ({"alpha": -1.0}, "alpha must be 0 or more"),
        ({"alpha": {"light": -1.0}}, "alpha must be .* 0 or more"),
        ({"lambda_": {"food": np.inf}}, "lambda_ must be finite"),
        ({"schedule": lambda tokens: -1.0 * tokens}, "schedule"),
    ],
)
def test_what_cannot_be_done_in_place_is_refused(keywords: dict[str, Any], message: str) -> None:
    weights = small()
    with pytest.raises(ValueError, match=message):
        rw.learn(rw.read_events([("light", "food")]), **{"initial": weights, "out": weights, **keywords})
    assert (weights.values == 0.5).all()


def test_a_weight_that_diverges_is_named_and_what_is_there_stays_finite() -> None:
    weights = small()
    events = rw.read_events([("tone", "shock", 3000)])
    with pytest.raises(FloatingPointError, match=r"'tone' to outcome 'food' became .*diverges"):
        learn(events, initial=weights, out=weights, alpha=3.0, beta=3.0)
    assert np.isfinite(weights.values).all()
    assert weights.parameters == {}


def test_a_rate_that_is_not_safe_is_a_warning() -> None:
    weights = small()
    with pytest.warns(RuntimeWarning, match="safe only below 2"):
        rw.learn(rw.read_events([("tone", "shock")]), initial=weights, out=weights, alpha=1.0, beta=3.0)


def test_columns_have_learned_all_events_or_none_when_it_is_stopped() -> None:
    events = rw.read_events(
        [([f"c{i}", f"c{i * i % 50}"], [f"o{j}" for j in range(i, 2000, 50)], 300) for i in range(50)]
    )
    shape = events.n_cues, events.n_outcomes
    weights = rw.Weights(np.random.default_rng(1).normal(size=shape), events.cues, events.outcomes)
    before = weights.values.copy()
    after = rw.learn(events, initial=copy_of(weights), method="forward").values

    def stop(done: int, total: int) -> None:
        if done:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        rw.learn(events, initial=weights, out=weights, threads=1, progress=stop)
    learned = (weights.values == after).all(axis=0)
    assert (learned | (weights.values == before).all(axis=0)).all()
    assert weights.parameters == {}


def test_nobody_reads_or_writes_weights_that_are_being_learned() -> None:
    weights = small()
    messages: list[str] = []

    def look(done: int, total: int) -> None:
        for call in (
            lambda: rw.activations(["light"], weights),
            lambda: rw.learn(events, initial=weights, out=weights, progress=False),
        ):
            with pytest.raises(ValueError, match="wait until it is done") as caught:
                call()
            messages.append(str(caught.value))

    events = rw.read_events([("light", "food")])
    rw.learn(events, initial=weights, out=weights, progress=look)
    assert len(messages) >= 2
    assert rw.activations(["light"], weights).shape == (1, 2)


def test_events_without_names_change_nothing() -> None:
    weights = small()
    for events in ([], [("light", "food", 0)], [((), ("food",), 2)]):
        rw.learn(rw.read_events(events), initial=weights, out=weights)
        assert (weights.values == 0.5).all()
    nothing = rw.Weights(np.zeros((1, 0)), ["a"], [])
    rw.learn(rw.read_events([("a", "")]), initial=nothing, out=nothing)
    none = rw.Weights(np.zeros((0, 1)), [], ["x"])
    rw.learn(rw.read_events([((), ["x"])]), initial=none, out=none)
