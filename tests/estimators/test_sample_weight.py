"""Rows that count as several tokens or as a part of one, and classes whose rows do."""

from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rescorla.estimators import RescorlaWagnerClassifier, RescorlaWagnerRegressor
from sklearn.datasets import load_iris
from test_estimators import few_passes, one_hot, sparse_of, tables, with_background

pytestmark = few_passes

IRIS = load_iris(return_X_y=True)
WHOLE = st.integers(0, 6)
REAL = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.floats(1e-3, 20))


@st.composite
def weighted(draw: st.DrawFn, weight: st.SearchStrategy[float]) -> tuple[Any, Any, NDArray[np.float64]]:
    """A table, and a weight for each row, one of which is not 0."""
    X, y = draw(tables())
    f = np.array(draw(st.lists(weight, min_size=len(X), max_size=len(X))), dtype=np.float64)
    assume(f.any())
    return X, y, f


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@given(weighted(WHOLE), st.sampled_from([0.01, 0.1, 0.4]), st.sampled_from([1.0, 0.3]), st.integers(1, 3))
def test_whole_weights_are_rows_repeated(table: Any, beta: float, alpha: float, passes: int) -> None:
    X, y, f = table
    # Where a token more than cancels its error, tokens in a row are rounding made larger.
    assume((beta * alpha * (with_background(X) ** 2).sum(axis=1) < 1.9).all())
    told: dict[str, Any] = {"beta": beta, "alpha": alpha, "passes": passes}
    rows = np.repeat(np.arange(len(X)), f.astype(int))
    expected = rw.delta_rule((with_background(X)[rows], one_hot(y)[rows]), **told).values
    for data in (X, sparse_of(X)):
        fitted = RescorlaWagnerClassifier(**told).fit(data, y, sample_weight=f)
        some.assert_close(fitted.weights_.values, expected, 1e-12)
        assert fitted.weights_.parameters["n_tokens"] == f.sum()
    regressor = RescorlaWagnerRegressor(**told).fit(X, one_hot(y), sample_weight=f)
    some.assert_close(regressor.weights_.values, expected, 1e-12)


def test_by_how_much_a_row_is_learned() -> None:
    x, f, beta = np.array([1.0, 2.0, 3.0]), 2.5, 0.04
    regressor = RescorlaWagnerRegressor(alpha=[0.5, 1.0, 0.25], beta=beta)
    fitted = regressor.fit([x[1:]], [3.0], sample_weight=[f])
    alpha = np.array([0.5, 1.0, 0.25])
    kappa = alpha @ x**2
    expected = alpha * x * 3.0 * (1 - (1 - beta * kappa) ** f) / kappa
    some.assert_close(fitted.weights_.values[:, 0], expected, 1e-14)
    assert fitted.predict([x[1:]])[0] == pytest.approx(3.0 * (1 - (1 - beta * kappa) ** f))


@given(weighted(REAL), st.integers(1, 4))
def test_parts_of_tokens_make_tokens(table: Any, parts: int) -> None:
    # f in as many pieces, one after another, is f.
    X, y, f = table
    beta = 0.9 / (with_background(X) ** 2).sum(axis=1).max()
    whole, pieces = (RescorlaWagnerClassifier(beta=beta) for _ in range(2))
    for row in range(len(X)):
        if f[row] == 0:
            continue
        told: dict[str, Any] = {"classes": list("abc")}
        whole.partial_fit(X[row : row + 1], y[row : row + 1], sample_weight=f[row : row + 1], **told)
        for _ in range(parts):
            pieces.partial_fit(X[[row]], y[[row]], sample_weight=[f[row] / parts], **told)
    some.assert_close(pieces.weights_.values, whole.weights_.values, 1e-9)
    at_once = RescorlaWagnerClassifier(beta=beta).partial_fit(X, y, list("abc"), f)
    some.assert_close(at_once.weights_.values, whole.weights_.values, 1e-12)


@given(tables(), st.sampled_from([None, 0.01]))
def test_weights_of_one_change_no_bit(table: Any, beta: float | None) -> None:
    X, y = table
    plain = RescorlaWagnerClassifier(beta=beta).fit(X, y)
    ones = RescorlaWagnerClassifier(beta=beta).fit(X, y, sample_weight=np.ones(len(X)))
    assert some.bits(ones.weights_.values) == some.bits(plain.weights_.values)
    assert ones.temperature_ == plain.temperature_
    # Nor do rows of weight 0.
    none = np.append(np.ones(len(X)), 0.0)
    more = RescorlaWagnerClassifier(beta=beta).fit(np.vstack([X, X[:1] + 5]), np.append(y, "a"), none)
    assert some.bits(more.weights_.values) == some.bits(plain.weights_.values)


def test_a_row_of_weight_one_among_others_changes_no_bit() -> None:
    # Of one row in forty the rate would be rounded otherwise.
    rng = np.random.default_rng(1)
    X, y = rng.random((1000, 4)), rng.integers(0, 3, 1000)
    ones = np.append(np.ones(len(X) - 1), 2.5)
    at_once, apart = (RescorlaWagnerClassifier(beta=0.3, threads=1) for _ in range(2))
    at_once.partial_fit(X, y, [0, 1, 2], ones)
    apart.partial_fit(X[:-1], y[:-1], [0, 1, 2]).partial_fit(X[-1:], y[-1:], None, [2.5])
    assert some.bits(at_once.weights_.values) == some.bits(apart.weights_.values)


@given(weighted(WHOLE))
def test_the_default_rate_is_that_of_all_tokens(table: Any) -> None:
    X, y, f = table
    kappa = (with_background(X) ** 2).sum(axis=1)
    fitted = RescorlaWagnerClassifier(passes=1).fit(X, y, sample_weight=f)
    assert fitted.beta_ == pytest.approx(0.05 / np.median(np.repeat(kappa, f.astype(int))), rel=1e-12)


def test_passes_end_by_the_errors_of_weighted_rows() -> None:
    # What is learned is a few rows; of the others, which hardly count, nothing can be.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(1000, 5)), rng.normal(size=1000)
    y[:100] = X[:100] @ np.arange(5.0)
    f = np.where(np.arange(1000) < 100, 1.0, 1e-6)
    fitted = RescorlaWagnerRegressor().fit(X, y * np.where(f == 1, 1, 100), sample_weight=f)
    assert fitted.score(X[:100], y[:100]) > 0.95
    assert fitted.n_iter_ > 6


def test_parts_of_tokens_need_a_small_rate() -> None:
    X, y = [[1.0], [3.0]], [0, 1]
    # kappa is 2 and 10.
    with pytest.raises(
        ValueError, match=r"weight 0\.5, .* = 2: parts .* below 1; give a beta below 0\.1, let it"
    ):
        RescorlaWagnerClassifier(beta=0.2).fit(X, y, sample_weight=[0.5, 0.5])
    with pytest.raises(ValueError, match=r"give a beta below 0\.1,"):
        RescorlaWagnerClassifier(beta=0.1).fit(X, y, sample_weight=[0.5, 0.5])
    RescorlaWagnerClassifier(beta=0.0999).fit(X, y, sample_weight=[0.5, 0.5])
    # Whole tokens do not, nor the rows of which there are parts if their own rate is small.
    fitted = RescorlaWagnerClassifier(beta=0.15).fit(X, y, sample_weight=[0.5, 3])
    repeated = RescorlaWagnerClassifier(beta=0.15).partial_fit([[1.0]], [0], [0, 1], [0.5])
    for _ in range(3):
        repeated.partial_fit([[3.0]], [1])
    some.assert_close(fitted.weights_.values, repeated.weights_.values, 1e-12)


@pytest.mark.parametrize("estimator", [RescorlaWagnerClassifier(), RescorlaWagnerRegressor()], ids=str)
def test_weights_that_are_none(estimator: Any) -> None:
    X, y = np.eye(2), [0, 1]
    for wrong, message in (([1.0, -1.0], "[Nn]egative"), ([1.0], "shape"), ([np.nan, 1.0], "NaN")):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, y, sample_weight=wrong)
    with pytest.raises(ValueError, match=r"zero|weight 0"):
        estimator.fit(X, y, sample_weight=[0.0, 0.0])


def states(estimator: Any) -> list[Any]:
    """What pieces change."""
    found = [some.bits(estimator.weights_.values), estimator.beta_, estimator.n_iter_]
    parameters = {k: v for k, v in estimator.weights_.parameters.items() if k != "seconds"}
    return [*found, parameters, getattr(estimator, "temperature_", None)]


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("beta", [None, 0.01])
@pytest.mark.parametrize("of", [RescorlaWagnerClassifier, RescorlaWagnerRegressor])
def test_a_piece_of_no_tokens_changes_nothing(of: Any, beta: float | None, is_sparse: bool) -> None:
    X, y = IRIS
    X = sparse_of(X) if is_sparse else X
    classes: dict[str, Any] = {"classes": [0, 1, 2]} if of is RescorlaWagnerClassifier else {}
    nothing, some_of = np.zeros(10), np.arange(150) % 3 * 1.0
    plain, with_empty = of(beta=beta), of(beta=beta)
    with_empty.partial_fit(X[:10], y[:10], **classes, sample_weight=nothing)
    assert with_empty.n_iter_ == 0
    assert not with_empty.weights_.values.any()
    assert len(with_empty.predict(X)) == 150
    for one in (plain, with_empty):
        one.partial_fit(X, y, **classes, sample_weight=some_of)
    assert states(with_empty) == states(plain)
    with_empty.partial_fit(X[:10], y[:10], sample_weight=nothing)
    assert states(with_empty) == states(plain)
    for one in (plain, with_empty):
        one.partial_fit(X[::-1], y[::-1])
    assert states(with_empty) == states(plain)
    with pytest.raises(ValueError, match="features"):
        with_empty.partial_fit(X[:10, :2], y[:10], sample_weight=nothing)
    with pytest.raises(ValueError, match="all rows have a weight of zero"):
        with_empty.fit(X[45:55], y[45:55], sample_weight=nothing)


# Classes.


@given(weighted(REAL), st.sampled_from([None, 0.01]))
def test_weights_of_classes_multiply_those_of_rows(table: Any, beta: float | None) -> None:
    X, y, f = table
    each = {"a": 0.5, "b": 3.0}
    by_row = np.array([each.get(label, 1.0) for label in y])
    fitted = RescorlaWagnerClassifier(beta=beta, class_weight=each).fit(X, y, sample_weight=f)
    expected = RescorlaWagnerClassifier(beta=beta).fit(X, y, sample_weight=f * by_row)
    assert some.bits(fitted.weights_.values) == some.bits(expected.weights_.values)
    assert fitted.temperature_ == expected.temperature_


@given(weighted(WHOLE))
def test_balanced_classes_are_as_many_tokens(table: Any) -> None:
    X, y, f = table
    assume(all(f[y == label].any() for label in "abc"))
    fitted = RescorlaWagnerClassifier(class_weight="balanced").fit(X, y, sample_weight=f)
    share = {label: f.sum() / (3 * f[y == label].sum()) for label in "abc"}
    expected = RescorlaWagnerClassifier(class_weight=share).fit(X, y, sample_weight=f)
    some.assert_close(fitted.weights_.values, expected.weights_.values, 1e-9)
    assert fitted.weights_.parameters["n_tokens"] == pytest.approx(f.sum())


def test_a_rare_class_is_found() -> None:
    rng = np.random.default_rng(1)
    y = (np.arange(600) % 20 == 0).astype(int)
    X = rng.normal(size=(600, 3)) + y[:, np.newaxis] * 0.8
    plain, balanced = (
        RescorlaWagnerClassifier(class_weight=weight).fit(X, y).predict(X)[y == 1].mean()
        for weight in (None, "balanced")
    )
    assert plain < 0.3 < 0.7 < balanced


def test_weights_of_classes_that_are_none() -> None:
    X, y = IRIS
    with pytest.raises(ValueError, match="class_weight"):
        RescorlaWagnerClassifier(class_weight={7: 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="class_weight"):
        RescorlaWagnerClassifier(class_weight="equal").fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        RescorlaWagnerClassifier(class_weight={0: -1.0}).fit(X, y)
    with pytest.raises(ValueError, match=r"'balanced' needs all rows.*give a mapping"):
        RescorlaWagnerClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])
    in_piece = RescorlaWagnerClassifier(beta=0.01, class_weight={0: 2.0}).partial_fit(X, y, [0, 1, 2])
    expected = RescorlaWagnerClassifier(beta=0.01, class_weight={0: 2.0}).fit(X, y)
    assert some.bits(in_piece.coef_) == some.bits(expected.coef_)
