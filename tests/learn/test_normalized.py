"""`widrow_hoff(normalized=True)`: normalized least mean squares, as plain loops have it."""

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
from reference import Event
from scipy import sparse
from test_delta_rows import tables
from test_widrow_hoff import METHODS, SIZES, near, units, vectors

ETAS = st.sampled_from([0.1, 0.5, 1.0, 1.9])
# Every vector is zero or not too short: |x|^2 of a short one is no number of float32.
STEPS = st.integers(-4, 4).map(lambda i: i / 4)


@st.composite
def stepped(draw: st.DrawFn, names: Any, size: int) -> dict[str, list[float]]:
    known = [*names, "a name that does not occur"]
    return {name: draw(st.lists(STEPS, min_size=size, max_size=size)) for name in known}


@given(
    st.data(),
    some.events(max_cues=3),
    some.DUPLICATES,
    some.DTYPES,
    some.THREADS,
    ETAS,
    st.one_of(st.none(), SIZES),
    st.one_of(st.none(), SIZES),
    METHODS,
    st.integers(1, 2),
)
def test_it_is_the_reference(
    data: st.DataObject,
    events: list[Event],
    duplicates: Any,
    dtype: Any,
    threads: int,
    eta: float,
    p: int | None,
    q: int | None,
    method: Any,
    passes: int,
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    inputs = None if p is None else data.draw(stepped(cues, p))
    targets = None if q is None else data.draw(vectors(outcomes, q))
    sizes = len(cues) if p is None else p, len(outcomes) if q is None else q
    own = inputs or units(cues), targets or units(outcomes)
    tokens = [
        (
            reference.vector_of(c, own[0], sizes[0]),
            reference.vector_of(o if targets else dict.fromkeys(o), own[1], sizes[1]),
        )
        for c, o, frequency in rows
        for _ in range(frequency)
    ]
    wanted = reference.normalized(tokens * passes, eta, np.zeros(sizes).tolist())
    with warnings.catch_warnings():
        # No rate is told to overshoot.
        warnings.simplefilter("error")
        found = asked.widrow_hoff(
            rw.read_events(events, duplicates=duplicates),
            eta=eta,
            cue_vectors=inputs,
            outcome_vectors=targets,
            normalized=True,
            passes=passes,
            dtype=dtype,
            threads=threads,
            method=method if inputs else "auto",
            block=data.draw(st.one_of(st.none(), st.integers(1, 5))),
        )
    assert found.parameters["normalized"] is True
    assert found.parameters["schedule"] is None
    near(found.values, wanted, dtype, scale=10.0 if dtype == np.float64 else 1000.0)


@pytest.mark.parametrize("is_sparse", [False, True])
@given(st.data(), st.integers(1, 9), some.DTYPES, ETAS, METHODS, st.integers(1, 3), st.booleans())
def test_pairs_are_the_reference(
    is_sparse: bool,
    data: st.DataObject,
    n: int,
    dtype: Any,
    eta: float,
    method: Any,
    passes: int,
    scheduled: bool,
) -> None:
    X = np.array(data.draw(st.lists(st.lists(STEPS, min_size=3, max_size=3), min_size=n, max_size=n)))
    Z = data.draw(tables(n, 2))
    schedule = rw.schedules.inverse_time(4.0) if scheduled else None
    factors = np.ones(n * passes) if schedule is None else schedule(np.arange(1, n * passes + 1))
    tokens = list(zip(X.tolist(), Z.tolist(), strict=True)) * passes
    wanted = reference.normalized(tokens, eta, np.zeros((3, 2)).tolist(), factors)
    found = rw.widrow_hoff(
        (sparse.csr_array(X) if is_sparse else X, Z),
        eta=eta,
        normalized=True,
        schedule=schedule,
        passes=passes,
        dtype=dtype,
        method="auto" if is_sparse else method,
    )
    near(found.values, wanted, dtype, scale=10.0 if dtype == np.float64 else 100.0)
    assert found.parameters["schedule"] == (None if schedule is None else "inverse_time(tau=4.0)")


def test_a_token_takes_away_the_same_part_of_its_error_whatever_its_length() -> None:
    for length in (1e-3, 1.0, 1e3):
        found = rw.widrow_hoff(([[0.6 * length, 0.8 * length]], [[2.0]]), eta=0.25, normalized=True)
        assert length * (np.array([0.6, 0.8]) @ found.values) == pytest.approx([0.5])
    # Three cues, one of them twice: |x|^2 = 6.
    kept = rw.read_events([("a_b_c_b", "x")], duplicates="keep")
    found = rw.widrow_hoff(kept, eta=0.6, normalized=True)
    assert found.values[:, 0] == pytest.approx([0.1, 0.2, 0.1])


def test_a_token_of_no_length_learns_nothing() -> None:
    found = rw.widrow_hoff(([[0.0, 0.0], [1.0, 0.0]], [[5.0], [1.0]]), eta=1.0, normalized=True)
    assert found.values.tolist() == [[1.0], [0.0]]
    opposite = {"a": [1.0, -1.0], "b": [-1.0, 1.0]}
    none = rw.widrow_hoff([("a_b", "x")], eta=1.0, normalized=True, cue_vectors=opposite)
    assert none.values.tolist() == [[0.0], [0.0]]
    background = rw.widrow_hoff([([], ["x"]), (["a"], ["x"])], eta=1.0, normalized=True)
    assert background.values.tolist() == [[1.0]]


def test_with_one_length_it_is_the_rule_at_another_rate() -> None:
    events = rw.read_events([("a_b", "x", 3), ("b_c", "y", 2), ("a_c", "x_y")])
    choices: list[dict[str, Any]] = [{}, {"outcome_vectors": {"x": [1.0, 2.0], "y": [0.5, 0.0]}}]
    for more in choices:
        found = rw.widrow_hoff(events, eta=1.0, normalized=True, **more)
        assert some.bits(found.values) == some.bits(rw.widrow_hoff(events, eta=0.5, **more).values)


@pytest.mark.parametrize("rule", [{}, {"passes": 2}, {"outcome_vectors": {"x": [1.0], "y": [2.0]}}])
def test_a_schedule_multiplies_the_rate(rule: Any) -> None:
    events = rw.read_events([("a_b", "x", 2), ("b", "y"), ("a_b", "y", 2)])
    schedule = rw.schedules.piecewise([2, 4], [1.0, 0.0, 0.5])
    found = rw.widrow_hoff(events, eta=0.5, normalized=True, schedule=schedule, **rule)
    passes = rule.get("passes", 1)
    factors = schedule(np.arange(1, 5 * passes + 1))
    tokens = [([1.0, 1.0], [1.0, 0.0])] * 2 + [([0.0, 1.0], [0.0, 1.0])] + [([1.0, 1.0], [0.0, 1.0])] * 2
    goals = np.array([[1.0], [2.0]]) if "outcome_vectors" in rule else np.eye(2)
    coded = [(x, (np.array(z) @ goals).tolist()) for x, z in tokens]
    start = np.zeros((2, goals.shape[1])).tolist()
    near(found.values, reference.normalized(coded * passes, 0.5, start, factors), np.float64)
    assert found.parameters["schedule"] == rw.schedules.piecewise([2, 4], [1.0, 0.0, 0.5]).__repr__()
    assert found.parameters["normalized"] is True


def test_what_does_not_go_with_it_is_refused() -> None:
    events = rw.read_events([("a_b", "x")])
    for eta in (0.0, 2.0, 3.5):
        with pytest.raises(
            ValueError, match=r"^eta must be more than 0 and less than 2 where normalized is True"
        ):
            rw.widrow_hoff(events, eta=eta, normalized=True)
    with pytest.raises(TypeError, match=r"^normalized must be"):
        rw.widrow_hoff(events, eta=0.1, normalized=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="method 'adjoint' does not go with normalized where cues are names"):
        rw.widrow_hoff(events, eta=0.1, normalized=True, method="adjoint")
    with pytest.raises(ValueError, match="cues that are names have 'forward' only"):
        rw.widrow_hoff(events, eta=0.1, normalized=True, method="adjoint", outcome_vectors=[[1.0]])
    with pytest.raises(TypeError, match="schedule must be a function of token numbers"):
        rw.widrow_hoff(events, eta=0.1, normalized=True, schedule=0.5)  # type: ignore[arg-type]


@given(some.events(max_cues=3), st.integers(1, 2))
def test_the_loss_is_that_of_the_vectors_themselves(events: list[Event], passes: int) -> None:
    source = rw.read_events(events)
    rule: dict[str, Any] = {"eta": 0.5, "normalized": True, "passes": passes, "record": "loss"}
    names = rw.widrow_hoff(source, **rule)
    others = rw.widrow_hoff(
        source, **rule, cue_vectors=np.eye(source.n_cues), outcome_vectors=np.eye(source.n_outcomes)
    )
    assert names.history == pytest.approx(others.history, rel=1e-9, abs=1e-12)
    X, Z = source.cue_matrix().toarray(), source.outcome_matrix().toarray()
    some_rows = source.frequencies > 0
    if (source.frequencies[some_rows] == 1).all():
        rows = rw.widrow_hoff((sparse.csr_array(X[some_rows]), Z[some_rows]), **rule)
        assert rows.history == pytest.approx(names.history, rel=1e-9, abs=1e-12)
