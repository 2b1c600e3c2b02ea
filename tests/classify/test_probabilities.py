"""The probabilities of RescorlaWagnerClassifier, its labels, and the names of a pipeline's weights."""

import pickle
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from rescorla.estimators import (
    EquilibriumClassifier,
    RescorlaWagnerClassifier,
    RescorlaWagnerRegressor,
    named_weights,
)
from scipy import sparse
from scipy.special import expit, log_softmax, softmax
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_estimators import few_passes, sparse_of, tables

pytestmark = few_passes

IRIS = load_iris(return_X_y=True)
FREQUENCIES = st.sampled_from([0.5, 1.0, 3.0])


@given(tables(2) | tables(3), st.sampled_from([1.0, 0.2, 50.0]), st.sampled_from([None, 0.01]))
def test_probabilities_are_those_of_classes(table: Any, lambda_: float, beta: float | None) -> None:
    X, y = table
    fitted = RescorlaWagnerClassifier(beta=beta, lambda_=lambda_).fit(X, y)
    shares = fitted.predict_proba(X)
    assert shares.shape == (len(X), len(fitted.classes_))
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    codes = np.searchsorted(fitted.classes_, fitted.predict(X))
    # No class is more probable than the predicted one; where rounding makes them equal it may be another.
    assert (shares[np.arange(len(X)), codes] == shares.max(axis=1)).all()
    some.assert_close(
        RescorlaWagnerClassifier(beta=beta, lambda_=lambda_).fit(sparse_of(X), y).predict_proba(X),
        shares,
        1e-6,
    )
    activations = X @ fitted.weights_.values[1:] + fitted.weights_.values[0]
    some.assert_close(shares, softmax(activations / fitted.temperature_, axis=1), 1e-9)


@given(tables(2) | tables(3), st.data())
def test_the_temperature_is_that_of_the_greatest_likelihood(table: Any, data: st.DataObject) -> None:
    X, y = table
    f = np.array(data.draw(st.lists(FREQUENCIES, min_size=len(X), max_size=len(X))))
    fitted = RescorlaWagnerClassifier().fit(X, y, sample_weight=f)
    activations = X @ fitted.weights_.values[1:] + fitted.weights_.values[0]
    codes = np.searchsorted(fitted.classes_, y)

    def loss(temperature: float) -> float:
        logarithms = log_softmax(activations / temperature, axis=1)
        return float(-(f @ logarithms[np.arange(len(X)), codes]) / f.sum())

    best = fitted.temperature_
    assert 1e-3 <= best <= 1e3
    others = best * np.array([0.5, 0.9, 0.99, 1.01, 1.1, 2.0])
    for other in np.clip(others, 1e-3, 1e3).tolist():
        assert loss(best) <= loss(other) + 1e-6 * (1 + loss(other))


@given(tables(3), st.sampled_from([0.01, 7.0]))
def test_the_temperature_has_the_scale_of_lambda(table: Any, lambda_: float) -> None:
    X, y = table
    one, other = RescorlaWagnerClassifier().fit(X, y), RescorlaWagnerClassifier(lambda_=lambda_).fit(X, y)
    some.assert_close(one.predict_proba(X), other.predict_proba(X), 1e-3)


def test_probabilities_are_worth_something() -> None:
    X, y = load_digits(return_X_y=True)
    fitted = RescorlaWagnerClassifier().fit(X[:1200], y[:1200])
    shares = fitted.predict_proba(X[1200:])
    assert log_loss(y[1200:], shares) < 0.6 < log_loss(y[1200:], np.full_like(shares, 0.1))
    # At the temperature 1, activations between 0 and 1 would say next to nothing.
    plain = softmax(fitted.decision_function(X[1200:]), axis=1)
    assert log_loss(y[1200:], shares) < log_loss(y[1200:], plain) / 2


def test_activations_that_are_all_alike() -> None:
    fitted = RescorlaWagnerClassifier(beta=0.0, lambda_=3.0).fit(np.eye(3), [0, 1, 2])
    assert fitted.temperature_ == 3.0
    assert fitted.predict_proba(np.eye(3)).tolist() == [[1 / 3] * 3] * 3


def test_nothing_is_probable_before_fit() -> None:
    with pytest.raises(NotFittedError):
        RescorlaWagnerClassifier().predict_proba([[0.0]])
    assert not hasattr(RescorlaWagnerClassifier(), "temperature_")
    assert not hasattr(RescorlaWagnerRegressor(), "predict_proba")


def test_the_temperature_of_pieces() -> None:
    X, y = load_digits(return_X_y=True)
    whole = RescorlaWagnerClassifier(beta=1e-5).partial_fit(X[:900], y[:900], classes=range(10))
    assert whole.temperature_ == RescorlaWagnerClassifier(beta=1e-5).fit(X[:900], y[:900]).temperature_
    rows = RescorlaWagnerClassifier(beta=1e-5)
    for row in range(900):
        rows.partial_fit(X[[row]], y[[row]], classes=range(10))
    # The same weights; rows are remembered as they were predicted then.
    some.assert_close(rows.coef_, whole.coef_, 1e-12)
    assert log_loss(y[900:], rows.predict_proba(X[900:])) < 0.7
    again = pickle.loads(pickle.dumps(rows))
    assert again.temperature_ == rows.temperature_
    # It goes on after fit, from what was learned then.
    more = RescorlaWagnerClassifier(beta=1e-5).fit(X[:900], y[:900])
    before = more.temperature_
    assert more.partial_fit(X[:1], y[:1]).temperature_ == pytest.approx(before, rel=0.01)


def test_pieces_are_remembered_in_bounded_memory() -> None:
    hashing = HashingVectorizer(n_features=2**18)
    rng = np.random.default_rng(1)
    words = [f"w{number}" for number in range(5000)]

    def piece() -> tuple[Any, Any]:
        labels = rng.integers(0, 5, 100)
        texts = [f"{' '.join(rng.choice(words, 5))} label{label}" for label in labels]
        return hashing.transform(texts), labels

    fitted = RescorlaWagnerClassifier(threads=1).partial_fit(*piece(), classes=range(5))
    for _ in range(15):
        fitted.partial_fit(*piece())
    tracemalloc.start()
    try:
        for _ in range(30):
            fitted.partial_fit(*piece())
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A copy of the weights would have 10 million bytes.
    assert kept < 100_000
    assert peak < 2_000_000
    X, y = piece()
    assert fitted.score(X, y) > 0.9
    assert log_loss(y, fitted.predict_proba(X)) < 0.5


def test_many_rows_are_looked_at_here_and_there() -> None:
    rng = np.random.default_rng(1)
    y = np.sort(rng.integers(0, 3, 60_000))
    X = rng.normal(size=(60_000, 2)) + np.eye(3)[y][:, :2]
    fitted = RescorlaWagnerClassifier(passes=1).fit(X, y)
    shares = fitted.predict_proba(X)
    activations = X @ fitted.weights_.values[1:] + fitted.weights_.values[0]
    losses = [log_loss(y, softmax(activations / t, axis=1)) for t in np.geomspace(0.05, 1.0, 60)]
    assert log_loss(y, shares) == pytest.approx(min(losses), rel=1e-3)


# Several labels.


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Any, Any]:
    """Rows, and which labels each has."""
    X, _ = draw(tables())
    k = draw(st.integers(2, 4))
    flags = st.lists(st.integers(0, 1), min_size=k, max_size=k)
    return X, np.array(draw(st.lists(flags, min_size=len(X), max_size=len(X))))


@given(labelled(), st.sampled_from([None, 0.01]), st.sampled_from([1.0, 4.0]))
def test_each_column_is_an_outcome(table: Any, beta: float | None, lambda_: float) -> None:
    X, Y = table
    told: dict[str, Any] = {"beta": beta, "lambda_": lambda_}
    fitted = RescorlaWagnerClassifier(**told).fit(X, Y)
    regressor = RescorlaWagnerRegressor(beta=beta).fit(X, lambda_ * Y)
    assert some.bits(fitted.weights_.values) == some.bits(regressor.weights_.values)
    assert fitted.classes_.tolist() == list(range(Y.shape[1]))
    assert fitted.coef_.shape == (Y.shape[1], X.shape[1])
    values = fitted.decision_function(X)
    some.assert_close(values, regressor.predict(X), 1e-12)
    assert (fitted.predict(X) == (values > lambda_ / 2)).all()
    shares = fitted.predict_proba(X)
    some.assert_close(shares, expit((2 * values - lambda_) / fitted.temperature_), 1e-12)
    assert ((shares >= 0.5) >= (fitted.predict(X) == 1)).all()
    assert ((shares <= 0.5) >= (fitted.predict(X) == 0)).all()
    forms: list[Any] = [Y.tolist(), sparse.csr_array(Y), sparse.csc_matrix(Y), Y.astype(bool), Y * 1.0]
    for data in forms:
        again = RescorlaWagnerClassifier(**told).fit(sparse_of(X), data)
        some.assert_close(again.weights_.values, fitted.weights_.values, 1e-12)


def test_the_temperature_of_labels() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(300, 3)) > 0).astype(int)
    fitted = RescorlaWagnerClassifier().fit(X, Y)
    signs = np.where(Y == 1, 1, -1) * (2 * fitted.decision_function(X) - 1)

    def loss(temperature: float) -> float:
        return float(np.logaddexp(0, -signs / temperature).mean())

    best = fitted.temperature_
    assert loss(best) < min(loss(best * 0.95), loss(best * 1.05))
    assert loss(best) == pytest.approx(
        -np.log(np.where(Y == 1, fitted.predict_proba(X), 1 - fitted.predict_proba(X))).mean()
    )


def test_columns_have_names() -> None:
    X = pd.DataFrame({"fur": [1.0, 1.0, 0.0], "wings": [0.0, 0.0, 1.0]})
    Y = pd.DataFrame({"cat": [1, 0, 0], "beast": [1, 1, 1]})
    fitted = RescorlaWagnerClassifier(beta=0.1).fit(X, Y)
    assert fitted.weights_.outcomes == ("cat", "beast")
    assert fitted.weights_.cues == ("background", "fur", "wings")
    assert fitted.classes_.tolist() == ["cat", "beast"]
    pieces = RescorlaWagnerClassifier(beta=0.1).partial_fit(X[:2], Y[:2]).partial_fit(X[2:], Y[2:])
    assert some.bits(pieces.weights_.values) == some.bits(fitted.weights_.values)
    told = RescorlaWagnerClassifier(beta=0.1).partial_fit(X, Y.to_numpy(), classes=["p", "q"])
    assert told.partial_fit(X, Y.to_numpy()).weights_.outcomes == ("p", "q")
    with pytest.raises(ValueError, match=r"two columns of one name|unique column names"):
        RescorlaWagnerClassifier().fit(X, pd.DataFrame(np.eye(3, 2, dtype=int), columns=["a", "a"]))


def test_labels_stay_as_they_are() -> None:
    X, Y = np.eye(3), np.array([[1, 0], [1, 1], [0, 1]])
    fitted = RescorlaWagnerClassifier().partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"labels \[0, 1, 2\], which are not .* \[0, 1\]"):
        fitted.partial_fit(X, np.eye(3, dtype=int))
    with pytest.raises(ValueError, match="y was a matrix of labels, and now is a class for each row"):
        fitted.partial_fit(X, [0, 1, 0])
    with pytest.raises(ValueError, match="y was a class for each row, and now is a matrix of labels"):
        RescorlaWagnerClassifier().partial_fit(X, [0, 1, 0], [0, 1]).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"y has 2 columns, but classes has the shape \(3,\)"):
        RescorlaWagnerClassifier().partial_fit(X, Y, classes=list("abc"))
    with pytest.raises(ValueError, match="class_weight is of rows that have one class"):
        RescorlaWagnerClassifier(class_weight="balanced").fit(X, Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RescorlaWagnerClassifier().fit(X, Y[:2])
    # What was a matrix may be classes when it is learned anew.
    assert fitted.fit(X, [0, 1, 0]).predict(X).shape == (3,)


# Names.


def test_names_of_a_pipeline() -> None:
    texts = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"]
    pipeline = make_pipeline(CountVectorizer(), RescorlaWagnerClassifier()).fit(texts, list("cdcd"))
    weights = named_weights(pipeline)
    assert weights.cues == ("background", "cat", "dog", "ran", "sat", "the")
    assert weights.outcomes == ("c", "d")
    assert weights["dog", "d"] > 0.2 > weights["cat", "d"]
    assert np.shares_memory(weights.values, pipeline[-1].weights_.values)
    assert pipeline[-1].weights_.cues[1] == "x0"
    without = make_pipeline(CountVectorizer(), EquilibriumClassifier(fit_intercept=False)).fit(
        texts, list("cdcd")
    )
    assert named_weights(without).cues == weights.cues[1:]
    search = GridSearchCV(pipeline, {"countvectorizer__binary": [True]}, cv=2).fit(texts, list("cdcd"))
    assert named_weights(search).cues == weights.cues


def test_names_of_a_frame_go_through_a_pipeline() -> None:
    X = pd.DataFrame({"red": [1.0, 0.0, 1.0], "blue": [0.0, 1.0, 1.0]})
    pipeline = make_pipeline(StandardScaler(), RescorlaWagnerClassifier()).fit(X, [0, 1, 1])
    assert named_weights(pipeline).cues == ("background", "red", "blue")
    alone = make_pipeline(RescorlaWagnerClassifier()).fit(X, [0, 1, 1])
    assert named_weights(alone).cues == ("background", "red", "blue")
    assert alone[-1].feature_names_in_.tolist() == ["red", "blue"]


def test_a_word_may_be_called_background() -> None:
    texts = ["background cat", "dog"]
    pipeline = make_pipeline(CountVectorizer(), RescorlaWagnerClassifier()).fit(texts, [0, 1])
    with pytest.raises(
        ValueError, match=r"background 'background' is the name of a feature.*'\(background\)'"
    ):
        named_weights(pipeline)
    assert named_weights(pipeline, background="*").cues == ("*", "background", "cat", "dog")


def test_what_has_no_names() -> None:
    texts, y = ["the cat", "the dog"], [0, 1]
    hashed = make_pipeline(HashingVectorizer(n_features=16), RescorlaWagnerClassifier()).fit(texts, y)
    with pytest.raises(ValueError, match=r"cannot name its features.*as CountVectorizer in place of Hashing"):
        named_weights(hashed)
    with pytest.raises(TypeError, match=r"one of rescorla.estimators, not LogisticRegression"):
        named_weights(make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, y))
    with pytest.raises(TypeError, match=r"pipeline must be one.*not RescorlaWagnerClassifier.*has weights_"):
        named_weights(RescorlaWagnerClassifier().fit(*IRIS))
    with pytest.raises((AttributeError, NotFittedError)):
        named_weights(make_pipeline(CountVectorizer(), RescorlaWagnerClassifier()))


def test_weights_of_a_search_are_rw_weights() -> None:
    X, y = IRIS
    search = GridSearchCV(
        make_pipeline(StandardScaler(), RescorlaWagnerClassifier()),
        {
            "rescorlawagnerclassifier__class_weight": [None, "balanced"],
            "rescorlawagnerclassifier__tol": [1e-3, None],
        },
        scoring="neg_log_loss",
        cv=3,
    ).fit(X, y)
    assert isinstance(named_weights(search), rw.Weights)
    assert search.best_score_ > -0.6
