"""What docs/relatives.md says holds for any data, not only for its examples."""

import numpy as np
import pytest
import rescorla as rw
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

pytest.importorskip("sklearn", reason="compared with scikit-learn: pip install 'rescorla[sklearn]'")

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

TABLES = st.integers(2, 6).flatmap(lambda n: arrays(np.int8, (12, n), elements=st.integers(0, 1)))
CLASSES = np.repeat([0, 1, 2], 4)


@given(TABLES)
def test_naive_bayes_is_the_linear_form_of_the_page(table: np.ndarray) -> None:
    classes = np.eye(3)[CLASSES]
    counts, sizes = table.T @ classes, classes.sum(axis=0)
    theta = (counts + 1) / (sizes + 2)
    weights = np.log(theta) - np.log(1 - theta)
    bias = np.log(sizes / sizes.sum()) + np.log(1 - theta).sum(axis=0)
    model = BernoulliNB().fit(table, CLASSES)
    np.testing.assert_allclose(model.predict_joint_log_proba(table), table @ weights + bias, atol=1e-12)


@given(TABLES)
def test_multinomial_naive_bayes_has_weights_log_theta(table: np.ndarray) -> None:
    counts = table.T @ np.eye(3)[CLASSES] + 1
    model = MultinomialNB().fit(table, CLASSES)
    expected = table @ np.log(counts / counts.sum(axis=0)) + np.log(1 / 3)
    np.testing.assert_allclose(model.predict_joint_log_proba(table), expected, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(10, 40), st.integers(10, 40))
def test_least_squares_has_the_direction_of_lda(seed: int, n: int, n0: int, n1: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n0 + n1, n)) @ rng.standard_normal((n, n)) + rng.standard_normal(n)
    X[n0:] += rng.standard_normal(n)
    assume(np.linalg.cond(X - X.mean(axis=0)) < 1e3)
    y = np.repeat([0.0, 1.0], [n0, n1])
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    ours = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y)[0][:-1]
    assume(min(np.linalg.norm(lda), np.linalg.norm(ours)) > 1e-6)
    np.testing.assert_allclose(ours / np.linalg.norm(ours), lda / np.linalg.norm(lda), atol=1e-7)


@st.composite
def squares(draw: st.DrawFn) -> np.ndarray:
    """Square tables of 0 and 1 with linearly independent rows: triangles, their rows and columns permuted."""
    n = draw(st.integers(2, 5))
    table = np.tril(draw(arrays(np.int8, (n, n), elements=st.integers(0, 1))), -1) + np.eye(n, dtype=np.int8)
    rows, columns = draw(st.permutations(range(n))), draw(st.permutations(range(n)))
    return table[np.ix_(rows, columns)]


@given(squares(), st.integers(0, 2**32 - 1))
def test_as_many_patterns_as_inputs_are_learned_exactly(table: np.ndarray, seed: int) -> None:
    n = len(table)
    outcomes = np.random.default_rng(seed).integers(0, 3, n)
    names = [f"c{i}" for i in range(n)]
    events = rw.read_events(
        [
            ([name for name, there in zip(names, row, strict=True) if there], [f"o{outcome}"])
            for row, outcome in zip(table, outcomes, strict=True)
        ]
    )
    X, Y = (matrix.toarray().astype(float) for matrix in (events.cue_matrix(), events.outcome_matrix()))
    exact = np.linalg.solve(X, Y)
    np.testing.assert_allclose(rw.equilibrium(events).values, exact, atol=1e-9)


@given(squares())
def test_a_step_at_the_rate_of_one_over_the_cues_makes_the_error_zero(table: np.ndarray) -> None:
    row = [f"c{i}" for i in np.flatnonzero(table[0])]
    before = {name: 0.3 * i - 0.5 for i, name in enumerate(row)}
    start = rw.Weights(np.array([[value] for value in before.values()]), row, ["x"])
    event = rw.read_events([(row, "x")])
    after = rw.learn(event, alpha=1.0, beta=1 / len(row), initial=start)
    moved = after.column("x") - start.column("x")
    assert rw.activations(event, after)[0, 0] == pytest.approx(1)
    # A projection at a right angle: the step has the direction of the row, the same for each of its cues.
    np.testing.assert_allclose(moved, moved[0], atol=1e-12)
