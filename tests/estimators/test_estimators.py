"""`estimators`: the learners as scikit-learn estimators."""

import inspect
import re
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rescorla import perceptrons
from rescorla.estimators import (
    AdaTron,
    DeltaRuleClassifier,
    DeltaRuleRegressor,
    EquilibriumClassifier,
    EquilibriumRegressor,
    EstimatorWarning,
    MinOver,
    Perceptron,
    RescorlaWagnerClassifier,
    RescorlaWagnerRegressor,
)
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

CLASSIFIERS = [
    RescorlaWagnerClassifier(threads=1),
    EquilibriumClassifier(),
    DeltaRuleClassifier(threads=1),
    Perceptron(),
    MinOver(),
    AdaTron(),
]
REGRESSORS = [RescorlaWagnerRegressor(threads=1), EquilibriumRegressor(), DeltaRuleRegressor(threads=1)]
VARIANTS = [
    RescorlaWagnerClassifier(passes=5, random_state=1, threads=1),
    RescorlaWagnerClassifier(lambda_=2.0, tol=None, threads=1),
    EquilibriumClassifier(ridge=0.5),
    EquilibriumRegressor(ridge=0.5),
    DeltaRuleClassifier(activation="tanh", loss="squared", threads=1),
    DeltaRuleClassifier(activation="identity", loss="squared", batch=16, threads=1),
    DeltaRuleClassifier(batch="full", passes=10, threads=1),
    DeltaRuleClassifier(batch=8, reduction="mean", passes=3, initial="random", random_state=1, threads=1),
    DeltaRuleRegressor(batch=16, reduction="mean", passes=5, threads=1),
    Perceptron(rule="batch", max_sweeps=100),
    RescorlaWagnerClassifier(fit_intercept=False, threads=1),
]
INCREMENTAL: list[Any] = [
    RescorlaWagnerClassifier(beta=0.01, threads=1),
    RescorlaWagnerRegressor(beta=0.01, threads=1),
    DeltaRuleClassifier(beta=0.01, threads=1),
    DeltaRuleClassifier(beta=0.01, activation="tanh", loss="squared", threads=1),
    DeltaRuleRegressor(beta=0.01, threads=1),
    Perceptron(max_sweeps=1),
]
PLANES: list[Any] = [Perceptron(), MinOver(), AdaTron()]

# As many passes as there are by default, and features of any scale, do here: something else is looked at.
few_passes = pytest.mark.filterwarnings(
    r"ignore:\w+ stopped (at its limit of|after) \d+ passes:sklearn.exceptions.ConvergenceWarning"
)
pytestmark = few_passes

IRIS = load_iris(return_X_y=True)

NUMBERS = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5]), st.floats(-2, 2, width=32))


@st.composite
def tables(draw: st.DrawFn, n_classes: int = 3) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Rows of numbers, and classes, each of which occurs."""
    p = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=p, max_size=p), min_size=n_classes, max_size=9))
    some_class = st.sampled_from("abc"[:n_classes])
    rest = draw(st.lists(some_class, min_size=len(rows) - n_classes, max_size=len(rows) - n_classes))
    return np.array(rows), np.array([*"abc"[:n_classes], *rest])


def with_background(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([np.ones(len(X)), X])


def one_hot(y: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(y[:, np.newaxis] == np.unique(y), dtype=np.float64)


def sparse_of(X: NDArray[np.float64]) -> sparse.csr_array:
    return sparse.csr_array(X)


# What scikit-learn asks of all. Its check_array_api_input skips itself unless SCIPY_ARRAY_API=1 is set before
# scipy is imported, which would change scipy for all other tests; with it these checks pass too.


def failures(estimator: Any) -> dict[str, str]:
    """The checks that an estimator fails, and why that is right."""
    if not isinstance(estimator, RescorlaWagnerClassifier | RescorlaWagnerRegressor):
        return {}
    # Rows with weights come in another order than those that are repeated.
    order = "rows are learned one after another: what is learned depends on their order"
    expected = {f"check_sample_weight_equivalence_on_{kind}_data": order for kind in ("dense", "sparse")}
    # Some rows weigh ten million times what others do, and all have to be predicted to be of their class.
    if not estimator.fit_intercept:
        expected["check_class_weight_classifiers"] = (
            "without an intercept what is active on one side of the origin is not on the other"
        )
    elif estimator.passes is not None:
        expected["check_class_weight_classifiers"] = "a few passes are too few for features of this scale"
    return expected


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [*CLASSIFIERS, *REGRESSORS, *VARIANTS], expected_failed_checks=failures
)
# Among the data of the checks are classes that no plane parts, and then a learner of planes says so.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_they_pass_the_checks_of_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_they_go_where_scikit_learn_has_them(estimator: Any) -> None:
    X, y = IRIS
    X, y = X[y != 1], np.array(["setosa", "versicolor", "virginica"])[y[y != 1]]
    pipeline = make_pipeline(StandardScaler(), estimator)
    assert cross_val_score(pipeline, X, y, cv=5).min() > 0.9
    for decide in (OneVsRestClassifier, OneVsOneClassifier):
        assert decide(pipeline).fit(X, y).score(X, y) == 1.0
    search = GridSearchCV(
        pipeline, {f"{type(estimator).__name__.lower()}__fit_intercept": [True, False]}, cv=3
    )
    assert search.fit(X, y).best_score_ == 1.0


def test_one_against_the_rest_and_all_pairs() -> None:
    X, y = load_digits(return_X_y=True)
    learner = EquilibriumClassifier()
    rest, pairs = (
        decide(learner).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
        for decide in (OneVsRestClassifier, OneVsOneClassifier)
    )
    # Classes learned side by side are each against the rest.
    assert rest == clone(learner).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    assert 0.8 < rest < pairs - 0.02


def test_words_of_texts() -> None:
    texts = ["the cat sat", "a cat ran", "the dog sat", "a dog ran", "cat and cat"]
    animals = ["cat", "cat", "dog", "dog", "cat"]
    for classifier in CLASSIFIERS:
        pipeline = make_pipeline(CountVectorizer(), clone(classifier)).fit(texts, animals)
        assert pipeline.predict(["one dog", "one cat"]).tolist() == ["dog", "cat"]


def test_names_are_in_the_weights() -> None:
    X = pd.DataFrame({"red": [1.0, 0.0, 1.0], "blue": [0.0, 1.0, 1.0]})
    fitted = EquilibriumClassifier().fit(X, [1, 2, 3])
    assert fitted.weights_.cues == ("background", "red", "blue")
    assert fitted.weights_.outcomes == ("1", "2", "3")
    assert fitted.feature_names_in_.tolist() == ["red", "blue"]
    regressor = RescorlaWagnerRegressor(fit_intercept=False).fit(X.to_numpy(), np.eye(3)[:, :2])
    assert (regressor.weights_.cues, regressor.weights_.outcomes) == (("x0", "x1"), ("y0", "y1"))
    with pytest.raises(ValueError, match="a feature is called 'background'"):
        EquilibriumClassifier().fit(X.rename(columns={"red": "background"}), [1, 2, 3])
    EquilibriumClassifier(fit_intercept=False).fit(X.rename(columns={"red": "background"}), [1, 2, 3])


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_shapes_are_those_of_scikit_learn(classifier: Any, n_classes: int) -> None:
    X, y = np.eye(3), np.array([0, 1, n_classes - 1])
    fitted, theirs = clone(classifier).fit(X, y), LogisticRegression().fit(X, y)
    for attribute in ("coef_", "intercept_"):
        assert getattr(fitted, attribute).shape == getattr(theirs, attribute).shape
    assert fitted.decision_function(X).shape == theirs.decision_function(X).shape
    sums = np.squeeze(X @ fitted.coef_.T + fitted.intercept_)
    some.assert_close(fitted.decision_function(X), sums, 1e-12)
    without = clone(classifier).set_params(fit_intercept=False).fit(X, y)
    assert without.intercept_.tolist() == [0.0] * len(theirs.intercept_)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=lambda e: type(e).__name__)
def test_nothing_is_known_before_fit(estimator: Any) -> None:
    assert not hasattr(clone(estimator), "coef_")
    with pytest.raises(NotFittedError):
        clone(estimator).predict([[0.0]])


def test_weights_have_the_names_of_what_was_learned() -> None:
    fitted = EquilibriumClassifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="ridge must be"):
        fitted.set_params(ridge=-1.0).fit([[0.0], [1.0]], ["c", "d"])
    assert fitted.weights_.outcomes == ("a", "b")


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_one_class_is_no_problem_to_solve(classifier: Any) -> None:
    with pytest.raises(ValueError, match=r"two classes or more, but found one class, .*'a'"):
        clone(classifier).fit([[0.0], [1.0]], ["a", "a"])


# The rule.


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@given(
    tables(),
    st.sampled_from([0.0, 0.1, 0.5]),
    st.integers(1, 3),
    st.none() | st.integers(0, 9),
    st.booleans(),
)
def test_the_rule_has_the_bits_of_the_function(
    table: Any, beta: float, passes: int, seed: int | None, background: bool
) -> None:
    X, y = table
    told: dict[str, Any] = {"alpha": 0.5, "beta": beta, "passes": passes}
    A = with_background(X) if background else X
    weights = rw.delta_rule((A, one_hot(y)), seed=seed, **told)
    for data in (X, sparse_of(X)):
        fitted = RescorlaWagnerClassifier(fit_intercept=background, random_state=seed, **told).fit(data, y)
        assert some.bits(fitted.weights_.values) == some.bits(weights.values)
        assert some.bits(fitted.coef_) == some.bits(weights.values[int(background) :].T)
        assert fitted.intercept_.tolist() == (weights.values[0].tolist() if background else [0.0] * 3)
    regressor = RescorlaWagnerRegressor(fit_intercept=background, random_state=seed, **told)
    assert some.bits(regressor.fit(X, one_hot(y)).weights_.values) == some.bits(weights.values)


@given(
    st.lists(st.tuples(st.lists(st.sampled_from("pqrs"), unique=True), st.sampled_from("abc")), min_size=1),
    st.sampled_from([0.05, 0.3]),
    st.sampled_from([1.0, 0.7]),
    st.booleans(),
)
def test_events_as_a_matrix_are_learned_as_by_learn(
    rows: list[tuple[list[str], str]], beta: float, lambda_: float, background: bool
) -> None:
    # All classes, and the cues of each event in one order, as a matrix has them.
    rows = [(list("pqrs"), "a"), ([], "b"), ([], "c"), *((sorted(cues), outcome) for cues, outcome in rows)]
    events = rw.read_events([(cues, [outcome]) for cues, outcome in rows])
    learned = rw.learn(
        events.with_background("background") if background else events,
        alpha=0.5, beta=beta, lambda_=lambda_, method="forward",
    )  # fmt: skip
    classifier = RescorlaWagnerClassifier(alpha=0.5, beta=beta, lambda_=lambda_, fit_intercept=background)
    fitted = classifier.fit(events.cue_matrix(), [outcome for _, outcome in rows])
    assert some.bits(fitted.weights_.values) == some.bits(learned.values)


@pytest.mark.parametrize("estimator", INCREMENTAL, ids=str)
@given(table=tables(), cut=st.integers(1, 8))
def test_pieces_are_one_pass(estimator: Any, table: Any, cut: int) -> None:
    X, y = table
    if not is_classifier(estimator):
        y = X[:, 0] - 0.5
    whole = clone(estimator)
    if isinstance(estimator, Perceptron):
        whole.partial_fit(X, y, classes=list("abc"))
    else:
        whole.fit(X, y)
    pieces = clone(estimator)
    first = {"classes": list("cba")} if is_classifier(estimator) else {}
    pieces.partial_fit(X[:cut], y[:cut], **first)
    assert pieces.n_iter_ == 1
    if cut < len(X):
        pieces.partial_fit(sparse_of(X[cut:]), y[cut:])
        assert pieces.n_iter_ == 2
    assert some.bits(pieces.weights_.values) == some.bits(whole.weights_.values)


@pytest.mark.parametrize("estimator", INCREMENTAL[:1] + INCREMENTAL[2:3] + INCREMENTAL[5:], ids=str)
def test_classes_are_told_once(estimator: Any) -> None:
    X = np.eye(2)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        clone(estimator).partial_fit(X, [0, 1])
    fitted = clone(estimator).partial_fit(X, [0, 1], classes=[0, 1, 2])
    fitted.partial_fit(X, [2, 1], classes=[2, 1, 0])
    with pytest.raises(ValueError, match=r"classes must be those of the first call, \[0, 1, 2\]"):
        fitted.partial_fit(X, [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"y has .*3.*, which is none of the classes \[0, 1, 2\]"):
        fitted.partial_fit(X, [0, 3])
    with pytest.raises(ValueError, match=r"features"):
        fitted.partial_fit(np.eye(3), [0, 1, 2])


def test_a_piece_is_learned_in_its_order() -> None:
    X, y = IRIS
    told: dict[str, Any] = {"beta": 0.001}
    pieces = RescorlaWagnerClassifier(passes=5, random_state=1, **told).partial_fit(X, y, classes=[0, 1, 2])
    assert some.bits(pieces.coef_) == some.bits(RescorlaWagnerClassifier(**told).fit(X, y).coef_)
    assert pieces.n_iter_ == 1
    # Only the start is drawn.
    start = DeltaRuleRegressor(initial="random", random_state=1, beta=0.0).fit(X, y).weights_.values
    drawn = DeltaRuleRegressor(initial="random", random_state=1, beta=0.001).partial_fit(X, y)
    from_there = DeltaRuleRegressor(beta=0.0).fit(X, y)
    from_there.weights_.values[:] = start
    from_there.set_params(beta=0.001).partial_fit(X, y)
    assert np.abs(start).max() > 0
    assert some.bits(drawn.weights_.values) == some.bits(from_there.weights_.values)


def test_targets_are_as_many_as_before() -> None:
    fitted = RescorlaWagnerRegressor().partial_fit(np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match="y has 3 targets, but 2 were learned before"):
        fitted.partial_fit(np.eye(2), np.ones((2, 3)))


def test_more_passes_after_fit() -> None:
    X, y = IRIS
    fitted = RescorlaWagnerClassifier(beta=0.001, passes=2).fit(X, y).partial_fit(X, y)
    thrice = RescorlaWagnerClassifier(beta=0.001, passes=3).fit(X, y)
    assert some.bits(fitted.coef_) == some.bits(thrice.coef_)
    assert fitted.n_iter_ == 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda e: type(e).__name__)
@given(table=tables(), names=st.permutations("abc"))
def test_names_of_classes_do_not_matter(classifier: Any, table: Any, names: list[str]) -> None:
    X, y = table
    new = dict(zip("abc", names, strict=True))
    order = ["abc".index(old) for old in sorted(new, key=new.__getitem__)]
    fitted = clone(classifier).fit(X, y)
    renamed = clone(classifier).fit(X, [new[label] for label in y])
    some.assert_close(renamed.coef_, fitted.coef_[order], 1e-12)
    some.assert_close(renamed.intercept_, fitted.intercept_[order], 1e-12)


# The default rates.


def learned_by_hand(
    X: NDArray[np.float64], Z: NDArray[np.float64], seed: int, most: int = 20, tol: float | None = 1e-3
) -> tuple[NDArray[np.float64], int, float]:
    """Rows in random order, each with its rate, until passes hardly improve: weights, passes, the rate."""
    A = with_background(X)
    kappa = (A * A).sum(axis=1)
    median = float(np.median(kappa))
    W, rng = np.zeros((A.shape[1], Z.shape[1])), np.random.default_rng(seed)
    least, idle, passes = np.inf, 0, 0
    while passes < most and idle < 5:
        passes += 1
        squares = 0.0
        for row in rng.permutation(len(A)):
            error = Z[row] - A[row] @ W
            squares += float(error @ error)
            W += 0.05 / max(kappa[row], median) * np.outer(A[row], error)
        mean = squares / Z.size
        if tol is not None:
            idle = 0 if passes == 1 or mean < least * (1 - tol) else idle + 1
        least = min(least, mean)
    return W, passes, 0.05 / median


@given(tables(), st.integers(0, 9), st.sampled_from([1e-3, 0.1, 0.5, None]))
def test_default_rates_are_those_of_the_rows(table: Any, seed: int, tol: float | None) -> None:
    X, y = table
    W, passes, beta = learned_by_hand(X, one_hot(y), seed, tol=tol)
    for data in (X, sparse_of(X)):
        fitted = RescorlaWagnerClassifier(tol=tol, random_state=seed).fit(data, y)
        assert fitted.beta_ == pytest.approx(beta, rel=1e-12)
        assert fitted.n_iter_ == passes
        some.assert_close(fitted.weights_.values, W, 1e-12)
    regressor = RescorlaWagnerRegressor(tol=tol, random_state=seed).fit(X, one_hot(y))
    some.assert_close(regressor.weights_.values, W, 1e-12)


def test_how_many_passes_there_are() -> None:
    X, y = IRIS
    found = RescorlaWagnerClassifier(random_state=3).fit(X, y)
    assert 5 < found.n_iter_ < 20
    assert RescorlaWagnerClassifier(tol=None).fit(X, y).n_iter_ == 20
    assert RescorlaWagnerClassifier(tol=1.0).fit(X, y).n_iter_ == 6
    # A number of passes is that number; a beta of one's own is the plain rule, once.
    assert RescorlaWagnerClassifier(passes=40, tol=1.0).fit(X, y).n_iter_ == 40
    assert RescorlaWagnerClassifier(beta=0.001).fit(X, y).n_iter_ == 1
    assert RescorlaWagnerClassifier(beta=0.001, random_state=1, tol=1.0).fit(X, y).n_iter_ == 1
    for tol in (-1.0, np.inf):
        with pytest.raises(ValueError, match="tol must be"):
            RescorlaWagnerClassifier(tol=tol).fit(X, y)


def test_the_same_rows_give_the_same_weights() -> None:
    X, y = IRIS
    once, twice, zero, other = (
        RescorlaWagnerClassifier(random_state=seed).fit(X, y) for seed in (None, None, 0, 1)
    )
    assert some.bits(once.coef_) == some.bits(twice.coef_) == some.bits(zero.coef_) != some.bits(other.coef_)


@given(tables(), st.sampled_from([0.0, 0.01, 0.1]))
def test_a_beta_of_ones_own_is_the_plain_rule(table: Any, beta: float) -> None:
    X, y = table
    A, Z = with_background(X), one_hot(y)
    plain = rw.delta_rule((A, Z), beta=beta).values
    assert some.bits(RescorlaWagnerClassifier(beta=beta).fit(X, y).weights_.values) == some.bits(plain)
    told: dict[str, Any] = {"activation": "identity", "loss": "squared", "beta": beta}
    assert some.bits(DeltaRuleClassifier(**told).fit(X, y).weights_.values) == some.bits(plain)


def test_one_long_row_does_not_slow_down_all_others() -> None:
    rng = np.random.default_rng(5)
    X = rng.poisson(0.3, (600, 40)).astype(float)
    y = np.argmax(X @ rng.normal(size=(40, 4)) + np.array([0.3, 0.2, 0.1, 0.0]), axis=1)
    X[17] *= 300
    for classifier in (RescorlaWagnerClassifier(), DeltaRuleClassifier()):
        assert classifier.fit(sparse_of(X), y).score(X, y) > 0.8


@pytest.mark.parametrize("activation", ["logistic", "tanh"])
def test_default_rates_of_other_functions(activation: Any) -> None:
    # A row at a time: the rate of each is that of its kappa.
    X = np.array([[1.0], [3.0], [1.0], [1.0]])
    y = np.array([0.5, 0.25, 0.5, 0.75])
    fitted = DeltaRuleRegressor(activation=activation, passes=1, tol=None, random_state=2).fit(X, y)
    w, g = np.zeros(2), {"logistic": expit, "tanh": np.tanh}[activation]
    for row in np.random.default_rng(2).permutation(4):
        x = np.array([1.0, X[row, 0]])
        value = g(w @ x)
        slope = value * (1 - value) if activation == "logistic" else 1 - value**2
        w += 0.05 / max(x @ x, 2.0) * (y[row] - value) * slope * x
    some.assert_close(fitted.weights_.values[:, 0], w, 1e-12)
    assert fitted.beta_ == 0.025


def test_the_default_rate_in_batches() -> None:
    X, y = np.ones((40, 1)), np.arange(40.0)
    told = {
        (1, "sum"): 0.05, (4, "sum"): 0.1, (20, "sum"): 1 / 20, ("full", "sum"): 1 / 40,
        (1, "mean"): 0.05, (4, "mean"): 0.4, (20, "mean"): 1.0, ("full", "mean"): 1.0,
    }  # fmt: skip
    for (batch, reduction), part in told.items():
        fitted = DeltaRuleRegressor(batch=batch, reduction=reduction, fit_intercept=False).fit(X, y)  # type: ignore[arg-type]
        assert fitted.beta_ == pytest.approx(part)
    # All rows of batches have one rate: that of the longest.
    X[7] = 3.0
    assert DeltaRuleRegressor(batch=4, fit_intercept=False).fit(X, y).beta_ == pytest.approx(0.1 / 9)


def test_the_default_rate_falls_and_never_rises() -> None:
    fitted = RescorlaWagnerRegressor().partial_fit([[1.0]], [1.0])
    assert fitted.beta_ == 0.05 / 2
    assert fitted.partial_fit([[3.0]], [1.0]).beta_ == 0.05 / 10
    assert fitted.partial_fit([[1.0]], [1.0]).beta_ == 0.05 / 10
    assert RescorlaWagnerRegressor(fit_intercept=False).fit([[0.0]], [1.0]).beta_ == 0.05
    # Rows in which nothing stands teach nothing, and have no say in the median.
    rows = [[0.0], [0.0], [0.0], [2.0]]
    assert RescorlaWagnerRegressor(fit_intercept=False).fit(rows, [1.0] * 4).beta_ == 0.05 / 4


def test_no_rate_is_small_enough_for_what_is_not_finite() -> None:
    with pytest.raises(ValueError, match=r"sum of alpha \* x\^2 of row 1 of X is not finite.*scale X"):
        RescorlaWagnerRegressor().fit([[1.0], [1e200]], [0.0, 1.0])


# Rates that are too large.


def test_a_rate_that_overshoots_is_warned_of() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 20)), rng.integers(0, 2, 200)
    safe = 2 / (1 + (X * X).sum(axis=1)).max()
    for estimator in (RescorlaWagnerClassifier, RescorlaWagnerRegressor):
        with pytest.warns(rw.RescorlaWarning, match=r"^beta = 0.3 may overshoot: a row of X has") as record:
            estimator(beta=0.3, passes=3).fit(X, y)
        assert f"safe only below {safe:g}; lower beta or alpha, scale X, or let beta be None" in str(
            record[0].message
        )
        assert record[0].filename == __file__
        with pytest.warns(ConvergenceWarning, match="beta = 0.3 may overshoot"):
            make_pipeline(StandardScaler(), estimator(beta=0.3)).fit(X, y)
        estimator(beta=safe * 0.99).fit(X, y)
    with pytest.warns(rw.RescorlaWarning, match="beta = 0.3 may overshoot"):
        RescorlaWagnerClassifier(beta=0.3).partial_fit(X, y, classes=[0, 1])
    # Bounded errors cannot grow, and averages of n take an n-th.
    DeltaRuleClassifier(beta=0.3).fit(X, y)
    DeltaRuleRegressor(beta=0.3, batch=50, reduction="mean").fit(X, y)
    with pytest.warns(rw.RescorlaWarning, match="beta = 0.3 may overshoot"):
        DeltaRuleRegressor(beta=0.3, batch=2).fit(X, y)


def test_weights_that_overflow_are_named() -> None:
    X, y = np.full((3000, 2), 2.0), np.arange(3000.0)
    for data in (X, sparse_of(X)):
        with pytest.raises(
            FloatingPointError,
            match=r"cue 'background' to outcome 'y' became .*: lower beta, which is safe below 0.222222,",
        ):
            RescorlaWagnerRegressor(beta=1.0).fit(data, y)
    named = pd.DataFrame(X, columns=["red", "blue"])
    fitted = RescorlaWagnerRegressor(beta=0.1, fit_intercept=False).partial_fit(named, y)
    before = fitted.coef_.copy()
    with pytest.raises(
        FloatingPointError,
        match=r"cue 'red' to outcome 'y' became .*lower beta, which is safe below 0\.25, or ",
    ):
        fitted.set_params(beta=1.0).partial_fit(named, y)
    # What did not come to an end changed nothing.
    assert some.bits(fitted.coef_) == some.bits(before)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=lambda e: type(e).__name__)
def test_the_name_of_a_column_is_not_y(estimator: Any) -> None:
    X = pd.DataFrame({"red": [1.0, 0.0], "verb": [0.0, 1.0]})
    with pytest.raises(
        TypeError, match=r"y must be one .* for each row, not the str 'verb'; .*table\['verb'\]"
    ):
        clone(estimator).fit(X, "verb")


@pytest.mark.parametrize(
    ("estimator", "parameter", "least"),
    [
        (RescorlaWagnerClassifier(), "passes", 1),
        (DeltaRuleClassifier(), "batch", 1),
        (DeltaRuleRegressor(), "threads", 1),
        (EquilibriumClassifier(), "max_iter", 1),
        (Perceptron(), "max_sweeps", 1),
        (AdaTron(), "max_sweeps", 0),
        (MinOver(), "max_steps", 0),
    ],
    ids=str,
)
def test_whole_numbers_name_themselves(estimator: Any, parameter: str, least: int) -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    for value, error in (("2", TypeError), (1.5, TypeError), (least - 1, ValueError)):
        with pytest.raises(
            error, match=f"{parameter} must be a whole number of {least} or more.*, not {value!r}"
        ):
            clone(estimator).set_params(**{parameter: value}).fit(sparse_of(np.array(X)), y)


def of_scales(spread: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows of two classes, told apart by a feature that is smaller than another by this factor."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    return np.column_stack([np.where(y == 1, 1.0, -1.0), rng.choice([-1.0, 1.0], 60) * spread]), y


@pytest.fixture
def loud() -> Iterator[None]:
    """Warnings are errors, all of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


BY_ERRORS: list[Any] = [RescorlaWagnerClassifier, DeltaRuleClassifier, DeltaRuleRegressor]


@pytest.mark.usefixtures("loud")
@pytest.mark.parametrize("estimator", BY_ERRORS)
def test_a_limit_of_passes_is_told(estimator: Any) -> None:
    X, y = of_scales(3.0)
    with pytest.warns(ConvergenceWarning) as caught:
        # So strict that 20 passes never do. It is told at this line, through scikit-learn.
        make_pipeline(estimator(tol=1e-9)).fit(X, y)
    assert [str(each.message) for each in caught] == [
        f"{estimator.__name__} stopped at its limit of 20 passes, while it still improved by more than "
        "tol = 1e-09: let passes be more, such as 100, or tol larger"
    ]
    assert caught[0].filename == __file__
    assert issubclass(caught[0].category, rw.RescorlaWarning)
    # What was advised can be done; and what was told to go so far has not stopped too early.
    for told in ({"passes": 100}, {"tol": 1.0}, {"passes": 20}, {"tol": None}, {"beta": 0.01}):
        estimator(**told).fit(X, y)
    if is_classifier(estimator()):
        estimator(tol=1e-9).partial_fit(X, y, classes=[0, 1])


@pytest.mark.usefixtures("loud")
@pytest.mark.parametrize("estimator", BY_ERRORS)
@pytest.mark.parametrize("sparse_rows", [False, True])
def test_features_of_different_scales_are_told(estimator: Any, sparse_rows: bool) -> None:
    X, y = of_scales(2e4)
    data, scaler = (sparse_of(X), "with_mean=False") if sparse_rows else (X, "")
    message = (
        r"stopped after \d+ passes, the last 5 of which improved by less than tol = 0.001; the columns of X "
        r"and the intercept's 1 differ in scale by a factor of 20,000 .*: put "
        rf"sklearn.preprocessing.StandardScaler\({scaler}\) before it$"
    )
    with pytest.warns(ConvergenceWarning, match=message):
        raw = estimator().fit(data, y)
    scaled = make_pipeline(StandardScaler(with_mean=not sparse_rows), estimator(passes=20)).fit(data, y)
    assert raw.score(data, y) < 0.7 < 0.9 < scaled.score(data, y)
    # Both where the limit was met, too.
    with pytest.warns(
        ConvergenceWarning, match=r"at its limit of 20 passes, .*; the columns of X .* of 2,118 "
    ):
        RescorlaWagnerClassifier().fit(*load_wine(return_X_y=True))
    X, y = of_scales(90.0)
    estimator(tol=1.0).fit(sparse_of(X) if sparse_rows else X, y)


@pytest.mark.usefixtures("loud")
def test_what_a_scale_is() -> None:
    y = np.arange(100) % 2
    # The intercept's 1 is a scale as others are.
    years = np.column_stack([2000.0 + y])
    with pytest.warns(ConvergenceWarning, match="the columns of X and the intercept's 1 differ .* of 2,001 "):
        DeltaRuleRegressor(tol=1.0).fit(years, y)
    DeltaRuleRegressor(tol=1.0, fit_intercept=False).fit(years, y)
    # A rare feature is no small one, and one that never is there has no scale.
    rare = np.zeros((100_000, 3))
    rare[::2, 0], rare[:3, 1] = 1.0, 1.0
    for rows in (rare, sparse_of(rare)):
        DeltaRuleClassifier(tol=1.0).fit(rows, rare[:, 0])


def test_warnings_are_of_either_package() -> None:
    assert issubclass(EstimatorWarning, rw.RescorlaWarning)
    assert issubclass(EstimatorWarning, ConvergenceWarning)


def test_saliences_by_name() -> None:
    X, y = pd.DataFrame({"red": [1.0, 0.0], "blue": [1.0, 1.0]}), ["a", "b"]
    alpha = {"red": 0.5, "blue": 0.0, "background": 1.0}
    by_name = RescorlaWagnerClassifier(alpha=alpha, beta=0.1).fit(X, y)
    by_place = RescorlaWagnerClassifier(alpha=[1.0, 0.5, 0.0], beta=0.1).fit(X, y)
    assert some.bits(by_name.coef_) == some.bits(by_place.coef_)
    assert by_name.weights_.row("blue").tolist() == [0.0, 0.0]
    assert by_name.weights_["red", "a"] > 0
    with pytest.raises(KeyError, match="alpha has no entry for the cue 'background'"):
        RescorlaWagnerClassifier(alpha={"red": 1.0, "blue": 1.0}).fit(X, y)


@pytest.mark.parametrize(("parameter", "value"), [("beta", -1.0), ("alpha", -1.0), ("passes", 0)])
def test_parameters_out_of_range(parameter: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{parameter} must be"):
        RescorlaWagnerClassifier().set_params(**{parameter: value}).fit(np.eye(2), [0, 1])


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.default_rng])
@pytest.mark.parametrize(
    "estimator", [RescorlaWagnerClassifier(passes=2), Perceptron(initial="random", max_sweeps=2)], ids=str
)
def test_a_generator_of_random_numbers_is_drawn_from(estimator: Any, kind: Any) -> None:
    X, y = IRIS
    random = kind(5)
    first, second, again = (
        clone(estimator).set_params(random_state=each).fit(X, y) for each in (random, random, kind(5))
    )
    assert some.bits(first.coef_) != some.bits(second.coef_)
    assert some.bits(first.coef_) == some.bits(again.coef_)


# A piece costs what its rows cost.


@pytest.mark.parametrize("learner", [RescorlaWagnerClassifier, DeltaRuleClassifier])
def test_a_piece_makes_no_names_and_copies_no_weights(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    n_features, n_classes = 2**20, 12
    rng = np.random.default_rng(1)

    def row() -> sparse.csr_array:
        columns = np.unique(rng.integers(0, n_features, 100))
        shape = (1, n_features)
        return sparse.csr_array((np.ones(len(columns)), columns, [0, len(columns)]), shape=shape)

    named: list[int] = []
    init = rw.Weights.__init__

    def counting(self: Any, values: Any, cues: Any, *more: Any) -> None:
        names = list(cues)
        named.append(len(names))
        init(self, values, names, *more)

    monkeypatch.setattr(rw.Weights, "__init__", counting)
    fitted = learner(threads=1).partial_fit(row(), [0], classes=range(n_classes))
    tracemalloc.start()
    try:
        for y in range(1, 5):
            fitted.partial_fit(row(), [y])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A copy of the weights would have 100 million bytes, a number for each feature 8 million.
    assert peak < 1_000_000
    assert named == []
    assert fitted.n_iter_ == 5
    assert fitted.weights_.values.shape == (n_features + 1, n_classes)
    assert named == [n_features + 1]
    assert fitted.weights_.cues[-1] == f"x{n_features - 1}"


@given(table=tables(), cut=st.integers(1, 8))
def test_rows_of_some_features_are_learned_as_those_of_all(table: Any, cut: int) -> None:
    X, y = table
    # Columns that never occur, and between others.
    wide = np.zeros((len(X), 3 * X.shape[1] + 50))
    wide[:, 1 : 3 * X.shape[1] : 3] = X
    told: dict[str, Any] = {"beta": 0.01, "classes": None}
    pieces, whole = (RescorlaWagnerClassifier(beta=told["beta"]) for _ in range(2))
    for rows in (slice(0, cut), slice(cut, None)):
        if len(X[rows]):
            pieces.partial_fit(sparse_of(wide[rows]), y[rows], classes=list("abc"))
    whole.fit(wide, y)
    assert some.bits(pieces.weights_.values) == some.bits(whole.weights_.values)


# The delta rule.


@given(tables(2), st.sampled_from(["logistic", "tanh"]), st.sampled_from([1, 2, "full"]))
def test_one_outcome_says_all_of_two_classes(table: Any, activation: Any, batch: Any) -> None:
    X, y = table
    told: dict[str, Any] = {"activation": activation, "loss": "squared", "batch": batch, "passes": 3}
    fitted = DeltaRuleClassifier(beta=0.1, **told).fit(X, y)
    assert fitted.weights_.outcomes == ("b",)
    targets = one_hot(y) if activation == "logistic" else 2 * one_hot(y) - 1
    both = rw.delta_rule((with_background(X), targets), beta=0.1, **told).values
    assert some.bits(fitted.weights_.values[:, 0]) == some.bits(both[:, 1])
    some.assert_close(both[:, 0], -both[:, 1], 1e-12)


@given(tables(3), st.sampled_from(["logistic", "tanh", "identity", "relu"]))
def test_the_delta_rule_has_the_bits_of_the_function(table: Any, activation: Any) -> None:
    X, y = table
    told: dict[str, Any] = {"activation": activation, "loss": "squared", "beta": 0.1, "passes": 2, "batch": 2}
    targets = 2 * one_hot(y) - 1 if activation == "tanh" else one_hot(y)
    weights = rw.delta_rule((with_background(X), targets), reduction="mean", **told)
    for data in (X, sparse_of(X)):
        fitted = DeltaRuleClassifier(reduction="mean", **told).fit(data, y)
        assert some.bits(fitted.weights_.values) == some.bits(weights.values)
    regressor = DeltaRuleRegressor(reduction="mean", **told).fit(X, targets)
    assert some.bits(regressor.weights_.values) == some.bits(weights.values)
    functions: Any = {"logistic": expit, "tanh": np.tanh, "identity": np.positive}
    g: Any = functions.get(activation, lambda h: np.maximum(h, 0))
    some.assert_close(regressor.predict(X), g(with_background(X) @ weights.values), 1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_full_batches_of_the_log_loss_are_logistic_regression(fit_intercept: bool) -> None:
    X, y = IRIS
    X, y = X[y > 0][:, :2] - X[y > 0][:, :2].mean(axis=0), y[y > 0]
    ours = DeltaRuleClassifier(
        batch="full", reduction="mean", beta=4.0, passes=5000, fit_intercept=fit_intercept
    )
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000, fit_intercept=fit_intercept).fit(X, y)
    some.assert_close(ours.fit(X, y).coef_, theirs.coef_, 1e-6)
    some.assert_close(ours.intercept_, theirs.intercept_, 1e-6)
    some.assert_close(ours.predict_proba(X), theirs.predict_proba(X), 1e-6)


def test_probabilities_are_there_where_the_loss_is_theirs() -> None:
    X, y = IRIS
    fitted = DeltaRuleClassifier(passes=5).fit(X, y)
    shares = expit(fitted.decision_function(X))
    some.assert_close(fitted.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), 1e-12)
    assert not hasattr(DeltaRuleClassifier(loss="squared"), "predict_proba")
    assert not hasattr(EquilibriumClassifier(), "predict_proba")


def test_random_starts_need_a_seed() -> None:
    with pytest.raises(ValueError, match="needs a random_state"):
        DeltaRuleClassifier(initial="random").fit(np.eye(2), [0, 1])
    first = DeltaRuleClassifier(initial="random", random_state=1).fit(np.eye(2), [0, 1])
    second = DeltaRuleClassifier(initial="random", random_state=2).fit(np.eye(2), [0, 1])
    assert some.bits(first.coef_) != some.bits(second.coef_)
    # A start is made once: what is learned on goes on from where it is.
    more = DeltaRuleClassifier(initial="random", random_state=1, beta=0.0).fit(np.eye(2), [0, 1])
    before = more.coef_.copy()
    assert some.bits(more.partial_fit(np.eye(2), [0, 1]).coef_) == some.bits(before)


# The equilibrium.


@given(tables(), st.booleans())
def test_the_equilibrium_is_least_squares_of_least_norm(table: Any, background: bool) -> None:
    X, y = table
    # Not nearly dependent: what is one to take for zero?
    X = np.round(X * 4) / 4
    A = with_background(X) if background else X
    expected = np.linalg.lstsq(A, one_hot(y), rcond=None)[0]
    for data in (X, sparse_of(X)):
        fitted = EquilibriumRegressor(fit_intercept=background).fit(data, one_hot(y))
        some.assert_close(fitted.weights_.values, expected, 1e-9)
        classifier = EquilibriumClassifier(fit_intercept=background).fit(data, y)
        some.assert_close(classifier.weights_.values, expected, 1e-9)


@given(tables(), st.sampled_from([0.01, 1.0, 30.0]))
def test_a_ridge(table: Any, ridge: float) -> None:
    X, y = table
    A = with_background(X)
    expected = np.linalg.solve(A.T @ A + ridge * np.eye(A.shape[1]), A.T @ one_hot(y))
    for data in (X, sparse_of(X)):
        fitted = EquilibriumClassifier(ridge=ridge).fit(data, y)
        some.assert_close(fitted.weights_.values, expected, 1e-9)


@given(st.data())
def test_the_equilibrium_of_events(data: st.DataObject) -> None:
    cues = st.lists(st.sampled_from("pqrs"), min_size=1, unique=True)
    rows = data.draw(st.lists(st.tuples(cues, st.sampled_from("ab"), st.integers(1, 5)), max_size=8))
    rows = [(["p"], "a", 1), (["q"], "b", 2), *rows]
    events = rw.read_events([(cues, [outcome], f) for cues, outcome, f in rows])
    ridge = data.draw(st.sampled_from([0.0, 0.5]))
    fitted = EquilibriumClassifier(fit_intercept=False, ridge=ridge)
    fitted.fit(events.cue_matrix(), [row[1] for row in rows], sample_weight=events.frequencies)
    some.assert_close(fitted.weights_.values, rw.equilibrium(events, ridge=ridge).values, 1e-9)


def test_sparse_features_of_other_scales() -> None:
    rng = np.random.default_rng(1)
    scales = np.array([1.0, 1e5, 1e-5])
    X = rng.normal(size=(30, 3)) * scales
    y = X @ (1 / scales) + rng.normal(size=30)
    expected = np.linalg.lstsq(X, y, rcond=None)[0]
    fitted = EquilibriumRegressor(fit_intercept=False).fit(sparse_of(X), y)
    np.testing.assert_allclose(fitted.coef_, expected, rtol=1e-6)


def test_frequencies_that_are_negative() -> None:
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        EquilibriumRegressor().fit(np.eye(2), [0.0, 1.0], sample_weight=[1.0, -1.0])


@pytest.mark.parametrize(("parameter", "value"), [("ridge", -1.0), ("tol", -1.0), ("max_iter", 0)])
def test_parameters_of_the_equilibrium_out_of_range(parameter: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{parameter} must be"):
        EquilibriumRegressor().set_params(**{parameter: value}).fit(np.eye(2), [0.0, 1.0])


def test_the_greatest_ridge() -> None:
    assert EquilibriumRegressor(ridge=1e150).fit(np.eye(2), [0.0, 1.0]).coef_.max() < 1e-149
    with pytest.raises(ValueError, match=r"ridge must be at most 1e\+150, not 1\.1e\+150"):
        EquilibriumRegressor(ridge=1.1e150).fit(np.eye(2), [0.0, 1.0])


def test_iterations_may_not_do() -> None:
    rng = np.random.default_rng(1)
    X, y = sparse_of(rng.normal(size=(40, 20))), rng.normal(size=40)
    with pytest.warns(ConvergenceWarning, match="did not come within tol = 1e-12 in 2 iterations") as record:
        fitted = EquilibriumRegressor(max_iter=2).fit(X, y)
    assert issubclass(record[0].category, rw.RescorlaWarning)
    assert record[0].filename == __file__
    assert not fitted.weights_.parameters["converged"]
    assert fitted.n_iter_ == 2
    assert EquilibriumRegressor().fit(X, y).weights_.parameters["converged"]


def words(n_rows: int, n_words: int, seed: int) -> NDArray[np.float64]:
    """Counts of words that follow Zipf's law: a few are everywhere, most come once."""
    rng = np.random.default_rng(seed)
    return rng.poisson(12.0 / np.arange(1, n_words + 1) / np.log(n_words), (n_rows, n_words)).astype(
        np.float64
    )


@pytest.mark.parametrize(("n_rows", "n_words"), [(400, 300), (150, 300), (400, 380), (60, 25)])
def test_words_of_all_frequencies(n_rows: int, n_words: int) -> None:
    X = words(n_rows, n_words, 3)
    y = np.arange(n_rows) * 5 // n_rows
    expected = np.linalg.lstsq(with_background(X), one_hot(y), rcond=1e-11)[0]
    fitted = EquilibriumClassifier().fit(sparse_of(X), y)
    some.assert_close(fitted.weights_.values, expected, 1e-8)


def test_frequent_words_do_not_slow_the_iterations() -> None:
    X = words(3000, 800, 1)
    y = np.arange(3000) * 12 // 3000
    # Unscaled, it was 289 for the slowest class; and of a whole Bible more than anybody waited for.
    assert EquilibriumClassifier(max_iter=100).fit(sparse_of(X), y).n_iter_ < 100


@given(st.data())
def test_features_that_depend_on_each_other(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n = data.draw(st.integers(2, 40))
    levels = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    # Dummies of each factor sum to the background; some column is a multiple of another, some are 0.
    parts: list[Any] = [np.eye(count)[rng.integers(0, count, n)] for count in levels]
    parts += [parts[0][:, :1] * -2.5, np.zeros((n, 2)), rng.integers(0, 3, (n, 2)) * 40.0]
    X, Z = np.hstack(parts), rng.normal(size=(n, 3))
    for background in (True, False):
        A = with_background(X) if background else X
        fitted = EquilibriumRegressor(fit_intercept=background).fit(sparse_of(X), Z)
        some.assert_close(fitted.weights_.values, np.linalg.lstsq(A, Z, rcond=1e-11)[0], 1e-9)


@pytest.mark.parametrize("few", [0, 3, 48])
def test_dependences_are_dealt_with_in_either_way(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Few that are found, or many that take one scale.
    monkeypatch.setattr("rescorla.estimators._least_squares._FEW", few)
    rng = np.random.default_rng(2)
    factors = [np.eye(count)[rng.zipf(1.5, 300).clip(max=count) - 1] for count in (3, 5, 9, 20)]
    X = np.hstack([*factors, words(300, 30, 1)])
    Z = rng.normal(size=(300, 2))
    fitted = EquilibriumRegressor().fit(sparse_of(X), Z)
    some.assert_close(fitted.weights_.values, np.linalg.lstsq(with_background(X), Z, rcond=1e-11)[0], 1e-9)


def test_products_in_parts_and_targets_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Z = words(200, 60, 1), np.random.default_rng(1).normal(size=(200, 7))
    whole = EquilibriumRegressor().fit(sparse_of(X), Z)
    sizes: list[int] = []
    product = sparse.csr_array.__matmul__

    def counting(self: Any, other: Any) -> Any:
        sizes.append(self.nnz * (other.shape[1] if other.ndim > 1 else 1))
        return product(self, other)

    monkeypatch.setattr("rescorla.estimators._least_squares._AT_ONCE", 2000)
    monkeypatch.setattr("rescorla.estimators._least_squares._NUMBERS", 600)
    monkeypatch.setattr(sparse.csr_array, "__matmul__", counting)
    parts = EquilibriumRegressor().fit(sparse_of(X), Z)
    assert len(sizes) > 100
    # A row is never cut.
    assert max(sizes) <= 2 * 2000 + 7 * 60
    some.assert_close(parts.weights_.values, whole.weights_.values, 1e-10)


def test_the_bar_and_ctrl_c() -> None:
    X, y = sparse_of(words(300, 100, 1)), np.arange(300) * 3 // 300
    seen: list[tuple[int, int]] = []
    EquilibriumClassifier(progress=lambda done, total: seen.append((done, total))).fit(X, y)
    assert len(seen) > 10
    assert len({total for _, total in seen}) == 1
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1]

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EquilibriumClassifier(progress=stop).fit(X, y)
    with pytest.raises(TypeError, match="progress must be"):
        EquilibriumClassifier(progress="yes").fit(X, y)  # type: ignore[arg-type]


def test_it_predicts_as_the_ridge_classifier_does() -> None:
    X, y = IRIS
    theirs = RidgeClassifier(alpha=1e-12).fit(X, y)
    assert (EquilibriumClassifier().fit(X, y).predict(X) == theirs.predict(X)).all()


# Planes.


@pytest.mark.parametrize("classifier", PLANES, ids=lambda e: type(e).__name__)
def test_planes_are_those_of_the_functions(classifier: Any) -> None:
    X, y = IRIS
    X, y = X[y != 1], y[y != 1]
    fitted = clone(classifier).fit(X, y)
    signs = np.where(y == 2, 1.0, -1.0)
    fit = {
        "Perceptron": lambda: rw.perceptrons.perceptron(X, signs),
        "MinOver": lambda: rw.perceptrons.minover(X, signs, max_steps=10_000, tol=0.01, bias=True),
        "AdaTron": lambda: rw.perceptrons.adatron(X, signs, bias=True),
    }[type(classifier).__name__]()
    assert fit.converged
    weights = np.append(fit.intercept, fit.coef)
    if not isinstance(classifier, Perceptron):
        weights /= np.linalg.norm(weights)
    some.assert_close(np.append(fitted.intercept_, fitted.coef_), weights, 1e-12)
    assert fitted.fits_[0].stability == pytest.approx(fit.stability)
    assert (fitted.predict(X) == y).all()
    some.assert_close(clone(classifier).fit(sparse_of(X), y).coef_, fitted.coef_, 1e-9)


@pytest.mark.parametrize(
    ("classifier", "function"),
    [
        (Perceptron(rule="batch"), lambda X, y: perceptrons.perceptron(X, y, rule="batch")),
        (Perceptron(eta=0.5, max_sweeps=2), lambda X, y: perceptrons.perceptron(X, y, eta=0.5, max_sweeps=2)),
        (MinOver(tol=None, max_steps=50), lambda X, y: perceptrons.minover(X, y, max_steps=50, bias=True)),
        (MinOver(tol=0.3), lambda X, y: perceptrons.minover(X, y, max_steps=10_000, tol=0.3, bias=True)),
        (
            AdaTron(gamma=0.5, max_sweeps=3),
            lambda X, y: perceptrons.adatron(X, y, gamma=0.5, max_sweeps=3, bias=True),
        ),
        (AdaTron(tol=0.5), lambda X, y: perceptrons.adatron(X, y, tol=0.5, bias=True)),
    ],
    ids=lambda value: str(value) if hasattr(value, "fit") else "function",
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_parameters_of_planes_are_handed_on(classifier: Any, function: Any) -> None:
    X, y = IRIS
    X, y = X[y != 1], y[y != 1]
    fit = function(X, np.where(y == 2, 1.0, -1.0))
    found = clone(classifier).fit(X, y).fits_[0]
    assert some.bits(found.coef) == some.bits(fit.coef)
    assert found.intercept == fit.intercept
    steps = fit.n_steps if isinstance(classifier, MinOver) else len(fit.errors)
    assert clone(classifier).fit(X, y).n_iter_ == max(steps, 1)


@pytest.mark.parametrize("classifier", PLANES, ids=lambda e: type(e).__name__)
def test_what_no_plane_parts(classifier: Any) -> None:
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    goals = {
        "Perceptron": "1,000 sweeps: allow more by max_sweeps",
        "MinOver": r"10,000 steps \(tol = 0.01\): allow more by max_steps",
        "AdaTron": r"1,000 sweeps \(tol = 1e-06\): allow more by max_sweeps",
    }
    name = type(classifier).__name__
    message = f"{name} did not come to its goal for '1' in {goals[name]}, unless no plane parts the classes"
    with pytest.warns(ConvergenceWarning, match=f"{message}$"):
        clone(classifier).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=f"{message}; the columns of X .* by a factor of 5,000 "):
        clone(classifier).fit(np.array(X) * [5000.0, 1.0], y)


def test_the_wider_margin() -> None:
    X, y = IRIS
    X, y = X[y < 2], y[y < 2]
    margins = {
        type(classifier).__name__: classifier.fit(X, y).fits_[0].stability
        for classifier in map(clone, PLANES)
    }
    assert margins["AdaTron"] == pytest.approx(margins["MinOver"], rel=0.01)
    assert margins["Perceptron"] < margins["MinOver"]


def test_random_starts_of_planes_are_drawn_apart() -> None:
    X, y = IRIS
    X, y = X[y != 1], y[y != 1]
    first = Perceptron(initial="random", random_state=1).fit(X, y)
    assert some.bits(first.coef_) == some.bits(Perceptron(initial="random", random_state=1).fit(X, y).coef_)
    assert some.bits(first.coef_) != some.bits(Perceptron(initial="random", random_state=2).fit(X, y).coef_)


def test_each_plane_has_draws_of_its_own() -> None:
    X, y = IRIS
    fitted = Perceptron(initial="random", random_state=4, max_sweeps=1).partial_fit(X, y, [0, 1, 2])
    for code, found in enumerate(fitted.fits_):
        signs = np.where(y == code, 1, -1)
        fit = perceptrons.perceptron(X, signs, initial="random", seed=4 + code, max_sweeps=1)
        assert some.bits(found.coef) == some.bits(fit.coef)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_many_rows_have_a_hundred_steps_each() -> None:
    X, y = [[0.0], [1.0], [2.0]] * 50, [0, 1, 0] * 50
    assert MinOver().fit(X, y).n_iter_ == 15_000


# Sparse rows stay sparse.


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=lambda e: type(e).__name__)
def test_sparse_rows_stay_sparse(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # As a dense array X would need 800 GB.
    n, p = 100_000, 1_000_000
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    # A feature tells the class, and two others are noise.
    columns = np.column_stack([y, rng.integers(2, p // 2, n), rng.integers(p // 2, p, n)])
    X = sparse.csr_array((np.ones(3 * n), columns.ravel(), np.arange(0, 3 * n + 1, 3)), shape=(n, p))

    def refuse(*_args: Any, **_keywords: Any) -> None:
        raise AssertionError("made dense")

    monkeypatch.setattr(sparse.csr_array, "toarray", refuse)
    monkeypatch.setattr(sparse.csr_array, "todense", refuse)
    few = {"max_sweeps": 10} if isinstance(estimator, AdaTron) else {}
    fitted = clone(estimator).set_params(**few).fit(X, y)
    assert fitted.coef_.shape[-1] == p
    assert fitted.score(X[:1000], y[:1000]) > 0.5
    if hasattr(fitted, "partial_fit"):
        fitted.partial_fit(X[:1000], y[:1000])


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=lambda e: type(e).__name__)
def test_help_has_all_that_can_be_given(estimator: Any) -> None:
    methods = ("fit", "partial_fit", "predict", "predict_proba", "decision_function")
    described = [type(estimator), *(getattr(estimator, name) for name in methods if hasattr(estimator, name))]
    for each in described:
        text = inspect.getdoc(each) or ""
        named = re.findall(r"^(\w+(?:, \w+)*)(?: : .*)?$", text.partition("Parameters\n---")[2], re.M)
        listed = [name for line in named for name in line.split(", ")]
        assert set(inspect.signature(each).parameters) <= set(listed)
    for name in ("weights_", "coef_", "intercept_"):
        assert f"\n{name} : " in (inspect.getdoc(type(estimator)) or "")
        assert inspect.getdoc(getattr(type(estimator), name))


# The room.


def test_the_room_is_loaded_when_asked_for() -> None:
    script = (
        "import sys, rescorla as rw\n"
        "assert 'estimators' in dir(rw) and 'rescorla.estimators' not in sys.modules\n"
        "assert 'sklearn' not in sys.modules\n"
        "rw.estimators.Perceptron\n"
        "assert 'sklearn' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_without_scikit_learn() -> None:
    script = (
        "import sys\n"
        "sys.modules['sklearn'] = None\n"
        "import rescorla as rw\n"
        "try:\n"
        "    rw.estimators\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "pip install 'rescorla[sklearn]'" in done.stdout, done.stderr


def test_rectified_units_of_two_classes_are_two_and_softmax_is_of_the_function() -> None:
    X, y = IRIS
    X, y = X[y > 0], y[y > 0]
    told: dict[str, Any] = {"loss": "squared", "batch": "full", "reduction": "mean", "passes": 3000}
    fitted = DeltaRuleClassifier(activation="relu", **told).fit(X, y)
    assert fitted.weights_.shape == (5, 2)
    assert fitted.score(X, y) > 0.9
    with pytest.raises(ValueError, match="activation must be 'identity' or 'logistic' or 'tanh' or 'relu'"):
        DeltaRuleClassifier(activation="softmax").fit(X, y)  # type: ignore[arg-type]
