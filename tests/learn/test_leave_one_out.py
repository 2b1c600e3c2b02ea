"""`leave_one_out` against equilibria without the row, and `standard_errors` against samples drawn anew."""

from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import scipy.sparse
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event

RIDGES = st.sampled_from([0.0, 0.5])
ROWS = [("a_b", "x", 3), ("a", "x", 2), ("c", "y", 1), ("b_c", "y", 4), ("a_b", "y", 2), ("d", "x", 1)]


def without(events: list[Event], row: int, tokens: int) -> list[Event]:
    """The events with so many tokens of a row less; all names stay."""
    cues, outcomes, frequency = events[row]
    return [*events[:row], (cues, outcomes, frequency - tokens), *events[row + 1 :]]


@given(some.events(), st.sampled_from(["drop", "keep"]), RIDGES, st.sampled_from(["row", "token"]), st.data())
def test_errors_are_those_of_learning_without_the_row(
    events: list[Event], duplicates: Any, ridge: float, leave: Any, data: st.DataObject
) -> None:
    assume(any(frequency for _, _, frequency in events))
    rows = reference.normalised(events, duplicates)
    source = rw.read_events(events, duplicates=duplicates)
    assume(source.cues)
    assume(source.outcomes)
    vectors = {}
    if data.draw(st.booleans()):
        table = st.lists(st.integers(-3, 3), min_size=2, max_size=2)
        vectors["outcome_vectors"] = {name: data.draw(table) for name in source.outcomes}
    if data.draw(st.booleans()):
        table = st.lists(st.integers(-3, 3), min_size=3, max_size=3)
        vectors["cue_vectors"] = {name: data.draw(table) for name in source.cues}
    how: dict[str, Any] = {"ridge": ridge, **vectors}
    found = rw.leave_one_out(source, leave=leave, **how)
    for row, (cues, outcomes, frequency) in enumerate(rows):
        if frequency == 0:
            continue
        fewer = without(rows, row, frequency if leave == "row" else 1)
        left = rw.read_events(fewer, duplicates=duplicates)
        weights = rw.equilibrium(left, **how)
        x = sum((np.asarray(_vector(name, source.cues, vectors.get("cue_vectors"))) for name in cues), 0.0)
        predicted = x @ weights.values if len(cues) else np.zeros(weights.shape[1])
        target = np.zeros(weights.shape[1])
        for name in outcomes if "outcome_vectors" in vectors else set(outcomes):
            target = target + _vector(name, source.outcomes, vectors.get("outcome_vectors"))
        close = 1e-6 * max(1.0, float(np.abs(weights.values).max(initial=0.0)))
        some.assert_close(found.predictions[row], predicted, close)
        some.assert_close(found.errors[row], target - predicted, close)


def _vector(name: str, names: tuple[str, ...], vectors: Any) -> NDArray[np.float64]:
    return np.asarray(
        np.eye(len(names))[names.index(name)] if vectors is None else vectors[name], dtype=float
    )


@given(st.data(), RIDGES, st.booleans())
def test_rows_of_a_pair(data: st.DataObject, ridge: float, sparse: bool) -> None:
    n, p, q = (data.draw(st.integers(2, 7)) for _ in range(3))
    numbers = st.integers(-3, 3)
    X, Z = (
        np.array(
            data.draw(st.lists(st.lists(numbers, min_size=w, max_size=w), min_size=n, max_size=n)), float
        )
        for w in (p, q)
    )
    given_ = scipy.sparse.csr_array(X) if sparse else X
    found = rw.leave_one_out((given_, Z), ridge=ridge)
    for row in range(n):
        kept = np.arange(n) != row
        predicted = X[row] @ rw.equilibrium((X[kept], Z[kept]), ridge=ridge).values
        some.assert_close(found.predictions[row], predicted, 1e-6 * max(1.0, np.abs(predicted).max()))
    if ridge == 0:
        hat = X @ np.linalg.pinv(X)
        some.assert_close(found.leverages, np.diag(hat), 1e-9)


def test_ranks_and_accuracy() -> None:
    events = rw.read_events(ROWS)
    found = rw.leave_one_out(events)
    expected = []
    for (_, outcome, _), predicted in zip(ROWS, found.predictions, strict=True):
        own = predicted[events.outcomes.index(outcome)]
        expected.append(1 + int((predicted > own).sum()))
    assert found.ranks().tolist() == expected
    assert found.accuracy() == np.mean(np.array(expected) == 1)
    assert found.accuracy(2) == 1.0
    assert repr(found).startswith("<LeaveOneOut: 6 rows x 2 outcomes, root mean squared error ")
    pd = pytest.importorskip("pandas")
    table = found.to_pandas()
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == ["leverage", "x", "y"]
    np.testing.assert_array_equal(table[["x", "y"]].to_numpy(), found.predictions)


def test_ranks_of_vectors_are_by_correlation() -> None:
    random = np.random.default_rng(1)
    words = [f"w{i}" for i in range(30)]
    S = {word: random.normal(size=6) for word in words}
    events = rw.read_events([([f"c{i % 7}", f"d{i % 5}"], [word]) for i, word in enumerate(words)])
    found = rw.leave_one_out(events, outcome_vectors=S)
    expected = rw.measures.nearness_rank(found.predictions, S, words)
    assert found.ranks().tolist() == expected.tolist()
    assert found.accuracy(3) == np.mean(expected <= 3)
    X, Z = random.normal(size=(20, 3)), random.normal(size=(20, 4))
    pair = rw.leave_one_out((X, Z))
    assert pair.ranks().tolist() == rw.measures.nearness_rank(pair.predictions, Z, range(20)).tolist()
    # What nothing is known of is predicted as zeros, which is no success.
    unknown = rw.leave_one_out(rw.read_events([("a", "w0"), ("b", "w1")]), outcome_vectors=S)
    assert (unknown.predictions == 0).all()
    assert unknown.ranks().tolist() == [2, 2]
    assert unknown.accuracy() == 0
    with pytest.raises(ValueError, match="ranks need vectors of two numbers or more"):
        rw.leave_one_out((X, Z[:, 0])).ranks()


def by_hand(rows: list[Event], weights: rw.Weights, sample: str, correction: str, ridge: float) -> Any:
    """The sandwich, token by token or row by row."""
    C = np.array([[cues.count(cue) for cue in weights.cues] for cues, _, _ in rows], float)
    there = np.array([[float(name in outcomes) for name in weights.outcomes] for _, outcomes, _ in rows])
    f = np.array([frequency for _, _, frequency in rows], float)
    P = np.linalg.pinv(C.T @ (f[:, None] * C) + ridge * np.eye(len(weights.cues)), hermitian=True)
    residuals = there - C @ weights.values
    shares = np.einsum("ti,ij,tj->t", C, P, C)
    h = shares if sample == "tokens" else f * shares
    if correction == "hc3":
        residuals = residuals / (1 - h)[:, None]
    weigh = f if sample == "tokens" else f * f
    return np.sqrt(np.square(C @ P).T @ (weigh[:, None] * np.square(residuals)))


@given(
    some.events(frequencies=st.integers(2, 5)),
    st.sampled_from(["tokens", "rows"]),
    st.sampled_from(["hc3", "none"]),
    st.sampled_from([0.5, 3.0]),
)
def test_the_sandwich(events: list[Event], sample: Any, correction: Any, ridge: float) -> None:
    # Each event in two rows, so that no row decides alone.
    rows = [row for row in reference.normalised(events, "drop") for _ in range(2)]
    source = rw.read_events(rows)
    assume(len(source.cues) > 0)
    weights = rw.equilibrium(source, ridge=ridge)
    found = rw.standard_errors(source, weights, sample=sample, correction=correction)
    assert (found.cues, found.outcomes) == (weights.cues, weights.outcomes)
    expected = by_hand(rows, weights, sample, correction, ridge)
    np.testing.assert_allclose(found.values, expected, rtol=1e-7, atol=1e-9)


def test_a_row_that_decides_alone_is_nan() -> None:
    events = rw.read_events([("a", "x", 5), ("a", "y", 5), ("a_b", "x", 1), ("c", "x", 1), ("c", "y", 1)])
    weights = rw.equilibrium(events)
    found = rw.standard_errors(events, weights)
    assert np.isnan(found["b", "x"])
    assert np.isnan(found["b", "y"])
    assert np.isfinite(found.values[[0, 2]]).all()
    # Of rows that have all tokens of their cues each decides.
    of_rows = rw.standard_errors(
        rw.read_events([("a", "x", 5), ("c", "y", 2)]),
        weights=rw.equilibrium(rw.read_events([("a", "x", 5), ("c", "y", 2)])),
        sample="rows",
    )
    assert np.isnan(of_rows.values).all()


def test_errors_are_those_of_samples_drawn_anew() -> None:
    random = np.random.default_rng(7)
    rows = []
    for _ in range(400):
        cues = [cue for cue, share in (("a", 0.5), ("b", 0.4), ("c", 0.3)) if random.random() < share]
        odds = 0.2 + 0.5 * ("a" in cues) - 0.1 * ("b" in cues)
        rows.append((cues or ["d"], ["x" if random.random() < odds else "y"]))
    events = rw.read_events(rows)
    found = rw.standard_errors(events, rw.equilibrium(events)).values
    drawn = []
    for seed in range(200):
        again = rw.equilibrium(events.sample(len(rows), seed=seed))
        drawn.append(again.values)
    spread = np.std(drawn, axis=0, ddof=1)
    # The standard deviation of 200 numbers is itself known to about 5 %.
    np.testing.assert_allclose(found, spread, rtol=0.2)


def test_background_and_lambda() -> None:
    events = rw.read_events([row for row in ROWS for _ in range(2)])
    weights = rw.equilibrium(events, background="here", lambda_={"x": 2.0, "y": 2.0}, ridge=0.1)
    extended = events.with_background("here")
    plain = rw.equilibrium(extended, ridge=0.1)
    found = rw.standard_errors(events, weights)
    np.testing.assert_allclose(found.values, 2 * rw.standard_errors(extended, plain).values, rtol=1e-9)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({"beta": (0.2, 0.1)}, "two rates"),
        ({"alpha": {"a": 0.2, "b": 0.1, "c": 1.0, "d": 1.0}}, "saliences"),
        ({"initial": rw.Weights([[0.5]], ["a"], ["x"])}, "initial weights"),
        ({"outcome_vectors": {"x": [1.0], "y": [2.0]}}, "vectors"),
    ],
)
def test_other_equilibria_are_refused(made: dict[str, Any], told: str) -> None:
    events = rw.read_events(ROWS)
    with pytest.raises(ValueError, match="weights must be those of an equilibrium without") as error:
        rw.standard_errors(events, rw.equilibrium(events, **made))
    assert told in str(error.value)


def test_weights_of_other_events_are_refused() -> None:
    events = rw.read_events(ROWS)
    with pytest.raises(ValueError, match=r"weights must be those of rw.equilibrium\(events\)"):
        rw.standard_errors(events, rw.learn(events))
    with pytest.raises(ValueError, match="names or tokens differ"):
        rw.standard_errors(events[:-1], rw.equilibrium(events))
    with pytest.raises(TypeError, match="weights must be Weights"):
        rw.standard_errors(events, [[1.0]])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="leave must be"):
        rw.leave_one_out(events, leave="event")  # type: ignore[arg-type]
