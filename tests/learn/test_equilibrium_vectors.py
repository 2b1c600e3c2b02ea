"""`equilibrium` of cues and outcomes that stand for vectors, and of arrays."""

from fractions import Fraction
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

METHODS = st.sampled_from(["dense", "iterative"])
RIDGES = st.sampled_from([0.0, 0.5, 10.0])
# Whole numbers, so that sums are exact, and some vectors depend on each other.
NUMBERS = st.integers(-3, 3)


def vectors(data: st.DataObject, names: tuple[str, ...], width: int) -> NDArray[np.float64]:
    """A vector for each name."""
    row = st.lists(NUMBERS, min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=len(names), max_size=len(names)))
    return np.array(rows, dtype=np.float64).reshape(len(names), width)


def sums(
    rows: list[Event], names: tuple[str, ...], table: NDArray[np.float64], side: int
) -> NDArray[np.float64]:
    """For each event the sum of its vectors, as often as it has the names."""
    of = dict(zip(names, table, strict=True))
    return np.array(
        [sum((of[name] for name in (row[0], row[1])[side]), np.zeros(table.shape[1])) for row in rows]
    )


def least_squares(X: Any, Z: Any, f: Any, ridge: float) -> NDArray[np.float64]:
    """By the singular values of the rows, each times the root of its frequency."""
    root = np.sqrt(np.asarray(f, dtype=np.float64))[:, np.newaxis]
    u, s, v = np.linalg.svd(root * X, full_matrices=False)
    kept = s > 1e-10 * s.max(initial=0.0)
    share = s[kept] / (s[kept] ** 2 + ridge)
    return np.asarray(v[kept].T @ (share[:, np.newaxis] * (u[:, kept].T @ (root * Z))))


@given(some.events(), st.sampled_from(["drop", "keep"]), METHODS, RIDGES, st.booleans(), st.data())
def test_vectors_are_least_squares_of_their_sums(
    events: list[Event], duplicates: Any, method: Any, ridge: float, sparse: bool, data: st.DataObject
) -> None:
    assume(any(frequency for _, _, frequency in events))
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    source = rw.read_events(events, duplicates=duplicates)
    given_ = scipy.sparse.csr_array if sparse else np.asarray
    V, S = vectors(data, cues, 3), vectors(data, outcomes, 2)
    f = [frequency for _, _, frequency in rows]
    times = sums(rows, cues, np.eye(len(cues)), 0)
    there = np.minimum(sums(rows, outcomes, np.eye(len(outcomes)), 1), 1)
    Z = sums(rows, outcomes, S, 1)
    how: dict[str, Any] = {"method": method, "ridge": ridge}
    for found, X, targets in (
        (rw.equilibrium(source, outcome_vectors=given_(S), **how), times, Z),
        (rw.equilibrium(source, cue_vectors=given_(V), **how), times @ V, there),
        (rw.equilibrium(source, cue_vectors=given_(V), outcome_vectors=given_(S), **how), times @ V, Z),
    ):
        expected = least_squares(X, targets, f, ridge)
        some.assert_close(found.values, expected, 1e-8 * max(1.0, np.abs(expected).max(initial=0.0)))
        assert found.parameters["converged"]


@given(some.events(), st.data())
def test_vectors_of_outcomes_are_the_weights_of_names_times_them(
    events: list[Event], data: st.DataObject
) -> None:
    assume(any(frequency for _, _, frequency in events))
    source = rw.read_events(events, duplicates="drop")
    assume(source.outcomes)
    S = vectors(data, source.outcomes, 3)
    initial = rw.equilibrium(source).values @ S
    found = rw.equilibrium(source, outcome_vectors=dict(zip(source.outcomes, S, strict=True)))
    some.assert_close(found.values, initial, 1e-9 * max(1.0, np.abs(initial).max(initial=0.0)))
    assert (found.cues, found.outcomes) == (source.cues, ("z0", "z1", "z2"))
    # Learning that is at its end stays there.
    again = rw.equilibrium(source, outcome_vectors=S, initial=found)
    some.assert_close(again.values, found.values, 1e-9 * max(1.0, np.abs(initial).max(initial=0.0)))


@given(st.data(), METHODS, RIDGES, st.booleans(), st.booleans())
def test_a_pair_is_least_squares(
    data: st.DataObject, method: Any, ridge: float, sparse_x: bool, sparse_z: bool
) -> None:
    n, p, q = (data.draw(st.integers(1, 8)) for _ in range(3))
    X = vectors(data, ("",) * n, p)
    Z = vectors(data, ("",) * n, q)
    pair = tuple(
        scipy.sparse.csr_array(side) if is_sparse else side
        for side, is_sparse in ((X, sparse_x), (Z, sparse_z))
    )
    found = rw.equilibrium(pair, method=method, ridge=ridge)
    expected = least_squares(X, Z, np.ones(n), ridge)
    some.assert_close(found.values, expected, 1e-8 * max(1.0, np.abs(expected).max()))
    if ridge == 0:
        some.assert_close(found.values, np.linalg.pinv(X) @ Z, 1e-8 * max(1.0, np.abs(expected).max()))
        if method == "dense":
            assert found.parameters["rank"] == np.linalg.matrix_rank(X)


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_small_cases_in_fractions(data: st.DataObject, n: int, p: int) -> None:
    X = data.draw(st.lists(st.lists(NUMBERS, min_size=p, max_size=p), min_size=n, max_size=n))
    z = data.draw(st.lists(NUMBERS, min_size=n, max_size=n))
    f = data.draw(st.lists(st.integers(1, 1000), min_size=n, max_size=n))
    # W = G y for a solution y of G G y = X'F z, which lies in the range of G.
    gram = [
        [Fraction(sum(w * x[i] * x[k] for w, x in zip(f, X, strict=True))) for k in range(p)]
        for i in range(p)
    ]
    right = [Fraction(sum(w * x[i] * t for w, x, t in zip(f, X, z, strict=True))) for i in range(p)]
    y = reference.solve(reference.product(gram, gram), right)
    expected = [sum((g * each for g, each in zip(row, y, strict=True)), Fraction(0)) for row in gram]
    events = rw.read_events([([f"c{t}"], [f"o{t}"], f[t]) for t in range(n)])
    found = rw.equilibrium(
        events,
        cue_vectors={f"c{t}": X[t] for t in range(n)},
        outcome_vectors={f"o{t}": [z[t]] for t in range(n)},
    )
    np.testing.assert_allclose(found.values[:, 0], [float(each) for each in expected], rtol=1e-9, atol=1e-9)


def test_what_gives_vectors() -> None:
    pd = pytest.importorskip("pandas")
    events = rw.read_events([("c_a_t", "cat"), ("h_a_t", "hat"), ("c_o_t", "cot")])
    S = np.array([[0.1, 0.8], [1.0, 0.2], [0.0, 0.9]])
    names = ["cot", "cat", "hat"]
    expected = rw.equilibrium(events, outcome_vectors=S[[1, 2, 0]]).values
    of_weights = rw.Weights(S, names, ["animal", "thing"])
    for given_, dimensions in (
        (dict(zip(names, S, strict=True)), ("z0", "z1")),
        (pd.DataFrame(S, index=names, columns=["p", "q"]), ("p", "q")),
        (of_weights, ("animal", "thing")),
        ((S, names), ("z0", "z1")),
        ((scipy.sparse.csr_array(S), names), ("z0", "z1")),
    ):
        found = rw.equilibrium(events, outcome_vectors=given_)
        np.testing.assert_allclose(found.values, expected, atol=1e-15)
        assert found.outcomes == dimensions
        assert found.parameters["outcomes_are"] == "vectors"
        assert found.parameters["cues_are"] == "names"


def test_the_names_of_initial_weights_may_stand_in_another_order() -> None:
    events = rw.read_events([("c_a_t", "cat"), ("h_a_t", "hat")])
    S = np.array([[1.0, 2.0], [3.0, 4.0]])
    start = rw.Weights(np.arange(8.0).reshape(4, 2), ["t", "new", "a", "h"], ["z1", "z0"])
    found = rw.equilibrium(events, outcome_vectors=S, initial=start)
    assert found.cues == ("t", "new", "a", "h", "c")
    assert found.outcomes == ("z1", "z0")
    np.testing.assert_allclose(found["new", ["z1", "z0"]], [2.0, 3.0])
    np.testing.assert_allclose(rw.activations(events, found)[:, ::-1], S)


def test_phases_of_vectors() -> None:
    design = rw.design("A+ 40 | AB+ 40")
    outcome = design.outcomes[0]
    found = rw.equilibrium(design, by="phase", outcome_vectors={outcome: [1.0, -2.0]})
    plain = rw.equilibrium(design, by="phase")
    for name, weights in found.items():
        expected = plain[name].values[:, :1] * [1.0, -2.0]
        np.testing.assert_allclose(weights.values, expected, atol=1e-14)


def test_many_columns_are_solved_by_iterations() -> None:
    X = scipy.sparse.random_array((50, 10_500), density=0.002, random_state=np.random.default_rng(1)).tocsr()
    Z = np.random.default_rng(2).normal(size=(50, 2))
    found = rw.equilibrium((X, Z))
    assert found.parameters["solver"] == "cgls"
    np.testing.assert_allclose(found.values, np.linalg.pinv(X.toarray()) @ Z, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            {"outcome_vectors": [[1.0]], "beta": (0.1, 0.2)},
            "beta must be one rate where outcomes are vectors",
        ),
        ({"outcome_vectors": [[1.0]], "lambda_": 2.0}, "lambda_ must be 1 where outcomes are vectors"),
        ({"outcome_vectors": [[1.0]], "lambda_": {"x": 1.0}}, "lambda_ must be 1"),
        ({"cue_vectors": [[1.0], [2.0]], "alpha": 0.1}, "alpha must be None where cues are vectors"),
        (
            {"cue_vectors": [[1.0], [2.0]], "background": "here"},
            "background must be None where cues are vectors",
        ),
        ({"cue_vectors": [[1.0]]}, "cue_vectors without names must have a row for each of the 2 cues"),
        ({"cue_vectors": {"a": [1.0]}}, "cue_vectors has no row for the cue 'b'"),
        ({"cue_vectors": ([[1.0], [2.0]], ["a", "a"])}, "cue_vectors has two rows for 'a'"),
        ({"outcome_vectors": {"x": [np.nan]}}, "outcome_vectors must be finite"),
        (
            {"outcome_vectors": [[1.0]], "initial": rw.Weights([[1.0]], ["a"], ["x"])},
            "initial weights must have the dimensions of the outcome vectors",
        ),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises((ValueError, KeyError)) as error:
        rw.equilibrium(rw.read_events([("a_b", "x")]), **arguments)
    assert told in str(error.value)


def test_a_pair_that_does_not_fit_is_refused() -> None:
    X, Z = np.ones((3, 2)), np.ones((3, 1))
    with pytest.raises(ValueError, match="by, background and vectors are for events"):
        rw.equilibrium((X, Z), by="phase")
    with pytest.raises(ValueError, match="alpha must be None"):
        rw.equilibrium((X, Z), alpha=1.0)
    with pytest.raises(ValueError, match="beta must be one rate"):
        rw.equilibrium((X, Z), beta=(1.0, 0.5))
    with pytest.raises(ValueError, match="X and Z must have as many rows"):
        rw.equilibrium((X, Z[:2]))
