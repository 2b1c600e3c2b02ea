"""`classify`: naive discriminative classification and its statistics."""

import math
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rescorla as rw
import strategies as some
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rescorla import classify
from rescorla.classify import NDLClassifier
from rescorla.estimators import EquilibriumClassifier, RescorlaWagnerClassifier
from scipy.special import softmax
from scipy.stats import chi2
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

# Rows that are drawn may all be of one class.
ONE_CLASS = pytest.mark.filterwarnings("ignore:observed has no class but")

TABLE = {
    "agent": ["person", "person", "group", "group", "person", "group"],
    "polarity": ["yes", "no", "yes", "no", "yes", "yes"],
    "length": [1, 2, 3, 4, 5, 6],
}
CLASSES = ["think", "think", "ponder", "consider", "think", "ponder"]

LEVELS = st.sampled_from(["a", "b", "c"])
ROWS = st.lists(st.tuples(LEVELS, LEVELS, st.sampled_from("xyz")), min_size=2, max_size=8)
MATRICES = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.floats(-3, 3), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


def table_of(rows: list[tuple[str, str, str]]) -> tuple[pd.DataFrame, list[str]]:
    return pd.DataFrame([row[:2] for row in rows], columns=["p", "q"]), [row[2] for row in rows]


# Probabilities.


@given(MATRICES)
def test_shift_is_the_formula_of_r(activations: list[list[float]]) -> None:
    least = abs(min(map(min, activations))) or 1e-10
    found = classify.probabilities(activations)
    for row, shares in zip(activations, found, strict=True):
        total = sum(a + least for a in row)
        expected = [(a + least) / total for a in row] if total else [1 / len(row)] * len(row)
        some.assert_close(shares, expected, 1e-12)


@given(MATRICES, st.sampled_from(["shift", "softmax"]), st.none() | st.floats(-2, 2))
def test_probabilities_sum_to_one_and_rise_with_activations(
    activations: list[list[float]], method: Any, minimum: float | None
) -> None:
    found = classify.probabilities(activations, method=method, minimum=minimum)
    some.assert_close(found.sum(axis=1), 1, 1e-12)
    assert ((found >= 0) & (found <= 1)).all()
    for row, shares in zip(activations, found, strict=True):
        assert shares[int(np.argmax(row))] == shares.max()


@given(MATRICES)
def test_softmax_is_that_of_scipy(activations: list[list[float]]) -> None:
    expected = softmax(np.array(activations), axis=1)
    some.assert_close(classify.probabilities(activations, method="softmax"), expected, 1e-12)


def test_special_cases_of_shift() -> None:
    # No activation is negative, and one is zero: R adds 1e-10.
    assert classify.probabilities([[0.0, 0.0], [0.0, 1.0]])[0].tolist() == [0.5, 0.5]
    assert classify.probabilities([[0.0, 1.0]])[0, 0] == pytest.approx(1e-10, rel=1e-6)
    # The least one is positive: it is added as well.
    some.assert_close(classify.probabilities([[1.0, 2.0]]), [[0.4, 0.6]], 1e-12)
    # A row of the least activation alone, where R divides by zero.
    assert classify.probabilities([[-1.0, -1.0], [0.0, 1.0]])[0].tolist() == [0.5, 0.5]
    # Less than a given minimum.
    assert classify.probabilities([[-3.0, 1.0]], minimum=-1.0).tolist() == [[0.0, 1.0]]
    assert classify.probabilities([[-1000.0, 1000.0]], method="softmax").tolist() == [[0.0, 1.0]]
    assert classify.probabilities(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("activations", [[1.0, 2.0], [[np.nan, 1.0]], [[np.inf, 1.0]]])
def test_activations_are_a_finite_matrix(activations: Any) -> None:
    with pytest.raises(ValueError, match="activations must be"):
        classify.probabilities(activations)
    with pytest.raises(ValueError, match="method must be"):
        classify.probabilities([[1.0]], method="no")  # type: ignore[arg-type]


# Statistics.


def test_statistics_by_hand() -> None:
    # 10 observations: 6 of a, 4 of b; a is predicted 7 times, 5 of them rightly.
    observed = ["a"] * 6 + ["b"] * 4
    predicted = ["a"] * 5 + ["b"] + ["a"] * 2 + ["b"] * 2
    shares = [[0.8, 0.2]] * 5 + [[0.4, 0.6]] + [[0.6, 0.4]] * 2 + [[0.1, 0.9]] * 2
    fit = classify.statistics(observed, predicted, shares, n_parameters=3)
    assert fit.outcomes == ("a", "b")
    assert fit.crosstable.tolist() == [[5, 1], [2, 2]]
    assert (fit.n, fit.accuracy) == (10, 0.7)
    some.assert_close(fit.recall, [5 / 6, 2 / 4])
    some.assert_close(fit.precision, [5 / 7, 2 / 3])
    # Errors: 3 with the model, 4 when predicting a, 6 * .4 + 4 * .6 = 4.8 when drawing at random.
    assert fit.lambda_prediction == pytest.approx(1 - 3 / 4)
    assert fit.tau_classification == pytest.approx(1 - 3 / 4.8)
    assert fit.d_lambda_prediction == pytest.approx(0.1 / math.sqrt(0.4 * 0.6 / 10))
    assert fit.d_tau_classification == pytest.approx(0.18 / math.sqrt(0.48 * 0.52 / 10))
    assert fit.p_lambda_prediction == pytest.approx(0.2593025, abs=1e-7)
    likelihood = 5 * math.log(0.8) + math.log(0.4) + 2 * math.log(0.4) + 2 * math.log(0.9)
    null = 6 * math.log(0.6) + 4 * math.log(0.4)
    assert fit.log_likelihood == pytest.approx(likelihood)
    assert fit.log_likelihood_null == pytest.approx(null)
    assert (fit.deviance, fit.deviance_null) == pytest.approx((-2 * likelihood, -2 * null))
    assert fit.r2 == pytest.approx(1 - likelihood / null)
    nagelkerke = (1 - math.exp(null - likelihood) ** (2 / 10)) / (1 - math.exp(null) ** (2 / 10))
    assert fit.r2_nagelkerke == pytest.approx(nagelkerke)
    assert (fit.aic, fit.bic) == pytest.approx((6 - 2 * likelihood, 3 * math.log(10) - 2 * likelihood))
    assert (fit.n_parameters, fit.df_null, fit.df_model) == (3, 20, 17)
    # Of 24 pairs of an a and a b: a has the greater probability of a in 5 * 4 + 2, and the smaller in 2.
    assert fit.c_index == pytest.approx(22 / 24)


LABELS = st.lists(
    st.tuples(*[st.sampled_from("xyz")] * 2, *[st.integers(1, 9)] * 3, st.integers(0, 3)),
    min_size=1,
    max_size=9,
)


@ONE_CLASS
@given(LABELS, st.booleans())
def test_statistics_are_those_of_scikit_learn(rows: list[Any], binary: bool) -> None:
    names = ["x", "y"] if binary else ["x", "y", "z"]
    observed, predicted = (["x" if binary and row[i] == "z" else row[i] for row in rows] for i in (0, 1))
    shares = np.array([row[2 : 2 + len(names)] for row in rows], dtype=float)
    shares /= shares.sum(axis=1, keepdims=True)
    counts = np.array([row[5] for row in rows])
    assume(counts.sum() > 0)
    fit = classify.statistics(observed, predicted, shares, outcomes=names, sample_weight=counts)
    weights = {"sample_weight": counts}
    table = confusion_matrix(observed, predicted, labels=names, **weights)
    assert fit.crosstable.tolist() == table.tolist()
    assert fit.accuracy == pytest.approx(accuracy_score(observed, predicted, **weights))
    for found, score in ((fit.recall, recall_score), (fit.precision, precision_score)):
        expected = score(observed, predicted, labels=names, average=None, zero_division=np.nan, **weights)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    total = log_loss(observed, shares, labels=names, normalize=False, **weights)
    assert fit.log_likelihood == pytest.approx(-total)
    seen = Counter(np.repeat(observed, counts).tolist())
    if binary and len(seen) == 2:
        truth = [name == "y" for name in observed]
        assert fit.c_index == pytest.approx(roc_auc_score(truth, shares[:, 1], **weights))
    else:
        assert np.isnan(fit.c_index)


@ONE_CLASS
@given(LABELS)
def test_a_frequency_is_as_many_rows(rows: list[Any]) -> None:
    assume(any(row[5] for row in rows))
    repeated = [row for row in rows for _ in range(row[5])]

    def fit(rows: list[Any], counts: Any) -> classify.Statistics:
        columns: Any = list(zip(*rows, strict=True))
        shares = np.array(columns[2:5], dtype=float).T
        return classify.statistics(
            columns[0], columns[1], shares, outcomes=list("xyz"), sample_weight=counts, n_parameters=4
        )

    short, long = fit(rows, [row[5] for row in rows]), fit(repeated, None)
    pd.testing.assert_series_equal(short.to_pandas(), long.to_pandas(), rtol=1e-12)


def test_a_probability_of_zero_counts_as_the_floor() -> None:
    shares = [[0.0, 1.0], [0.5, 0.5]]
    fit = classify.statistics(["a", "b"], ["b", "b"], shares)
    assert fit.log_likelihood == pytest.approx(math.log(1e-10) + math.log(0.5))
    assert classify.statistics(["a", "b"], ["b", "b"], shares, floor=0.0).log_likelihood == -np.inf
    # What never occurred does not count.
    observed, shares, often = ["a", "b", "a"], [*shares, [0.5, 0.5]], [0, 1, 1]
    assert classify.statistics(observed, ["b"] * 3, shares, floor=0.0, sample_weight=often).deviance < 3


@pytest.mark.parametrize(
    ("observed", "predicted", "outcomes", "often"),
    [
        (["a", "a"], ["a", "a"], ["a", "b"], None),
        (["a", "a"], ["a", "b"], ["a", "b"], None),
        (["a", "b"], ["a", "b"], None, [2, 0]),
        (["a", "a"], ["a", "a"], ["a", "b", "c"], None),
    ],
)
def test_where_one_class_is_observed_nothing_is_left_to_explain(
    observed: Any, predicted: Any, outcomes: Any, often: Any
) -> None:
    shares = [[0.8, 0.2], [0.7, 0.3]] if outcomes is None else [[0.5, 0.25, 0.25][: len(outcomes)]] * 2
    with pytest.warns(rw.RescorlaWarning, match="observed has no class but 'a', so") as caught:
        fit = classify.statistics(observed, predicted, shares, outcomes=outcomes, sample_weight=often)
    assert caught[0].filename == __file__
    assert np.isnan([fit.r2, fit.r2_nagelkerke]).all()
    assert str(fit.deviance_null) == "0.0"
    assert fit.log_likelihood < 0
    with pytest.warns(rw.RescorlaWarning, match="no class but 'a'"):
        certain = classify.statistics(["a"], ["a"], [[1.0]])
    assert np.isnan(certain.r2)
    assert str(certain.deviance) == "0.0"


def test_rows_of_probabilities_are_divided_by_their_sums() -> None:
    one = classify.statistics(["a", "b", "a"], ["a", "a", "b"], [[0.6, 0.4], [0.3, 0.7], [0.5, 0.5]])
    other = classify.statistics(["a", "b", "a"], ["a", "a", "b"], [[6.0, 4.0], [0.3, 0.7], [2.0, 2.0]])
    pd.testing.assert_series_equal(one.to_pandas(), other.to_pandas(), rtol=1e-12)


def test_statistics_as_tables() -> None:
    fit = classify.statistics(["a", "b", "b"], ["a", "a", "b"], [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    numbers = fit.to_pandas()
    assert numbers["accuracy"] == pytest.approx(2 / 3)
    assert np.isnan(numbers["aic"])
    assert "crosstable" not in numbers
    table = fit.crosstable_to_pandas()
    assert table.loc["b", "a"] == 1
    assert (table.index.name, table.columns.name) == ("observed", "predicted")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (["a"], ["a"], [[0.5, 0.5]]),
            r"probabilities must have the shape \(1, 1\).*outcomes names the columns",
        ),
        ((["a", "b"], ["a"], [[1, 0], [0, 1]]), "predicted must be 2 classes"),
        (
            (["a", "b"], ["a", "c"], [[1, 0], [0, 1]]),
            r"predicted must be of the classes \['a', 'b'\], but row 1 has 'c'",
        ),
        (([["a"]], ["a"], [[1]]), "not of 2 dimensions"),
        ((["a", "b"], ["a", "b"], [[1, 0], [0, 0]]), "not all 0"),
        ((["a", "b"], ["a", "b"], [[2, -1], [0, 1]]), "0 or more"),
        (([], [], np.zeros((0, 0))), "observed must be one class or more"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        classify.statistics(*arguments)


@pytest.mark.parametrize("sample_weight", [[1], [-1, 3], [np.nan, 1], ["a", "b"], [0, 0]])
def test_frequencies_are_numbers(sample_weight: Any) -> None:
    with pytest.raises(ValueError, match=r"sample_weight must|every row is zero"):
        classify.statistics(["a", "b"], ["a", "b"], [[1, 0], [0, 1]], sample_weight=sample_weight)


# The classifier.

NOT_FOR_LEARNERS = {
    "check_sample_weight_equivalence_on_dense_data": "the learner depends on the order of tokens",
    "check_decision_proba_consistency": "activations do not sum to one, so that shares rank otherwise",
}


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [NDLClassifier(quantiles=8, threads=1), NDLClassifier(method="learn", quantiles=8, threads=1)],
    expected_failed_checks=lambda estimator: NOT_FOR_LEARNERS if estimator.method == "learn" else {},
)
def test_it_passes_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@given(ROWS, st.sampled_from([None, "always"]), st.sampled_from([0.0, 0.5]))
def test_weights_are_the_equilibrium(rows: Any, background: str | None, ridge: float) -> None:
    table, classes = table_of(rows)
    fitted = NDLClassifier(background=background, ridge=ridge).fit(table, classes)
    events = rw.factor_events(table.assign(o=classes), "o", background=background)
    expected = rw.equilibrium(events, ridge=ridge, progress=False)
    assert (fitted.weights_.cues, fitted.weights_.outcomes) == (expected.cues, expected.outcomes)
    assert some.bits(fitted.weights_.values) == some.bits(expected.values)
    assert fitted.n_parameters_ == expected.values.size
    some.assert_close(
        fitted.activations(table), rw.activations(events, expected, outcomes=sorted(set(classes)))
    )


@given(ROWS, st.integers(1, 3))
def test_weights_are_those_of_the_rule(rows: Any, passes: int) -> None:
    table, classes = table_of(rows)
    learner = NDLClassifier(method="learn", alpha=0.3, beta=(0.2, 0.1), lambda_=2.0, passes=passes)
    events = rw.factor_events(table.assign(o=classes), "o")
    expected = None
    for _ in range(passes):
        expected = rw.learn(events, alpha=0.3, beta=(0.2, 0.1), lambda_=2.0, initial=expected, progress=False)
    assert expected is not None
    assert some.by_label(learner.fit(table, classes).weights_) == some.by_label(expected)


def test_a_seed_draws_an_order_of_all_tokens() -> None:
    def weights(seed: Any, rows: list[str], counts: list[int] | None = None) -> Any:
        learner = NDLClassifier(method="learn", beta=0.5, alpha=1.0, passes=3, random_state=seed)
        cues, classes = [row.split("-")[0] for row in rows], [row.split("-")[1] for row in rows]
        return learner.fit(cues, classes, counts).weights_

    rows = ["a-x", "a_b-y", "b-x", "a-y"]
    assert some.by_label(weights(1, rows)) == some.by_label(weights(1, rows))
    assert some.by_label(weights(1, rows)) != some.by_label(weights(2, rows))
    assert some.by_label(weights(1, rows)) != some.by_label(weights(None, rows))
    for kind in (np.random.RandomState, np.random.default_rng):
        assert some.by_label(weights(kind(3), rows)) == some.by_label(weights(kind(3), rows))
    events = rw.read_events([tuple(row.split("-")) for row in rows]).passes(3, seed=1)
    assert some.by_label(weights(1, rows)) == some.by_label(rw.learn(events, alpha=1.0, beta=0.5))
    # Three tokens in a row, or three rows: the same tokens to be shuffled.
    assert some.by_label(weights(1, ["a-x", "a_b-y", "a-y"], [1, 3, 2])) == some.by_label(
        weights(1, ["a-x", *["a_b-y"] * 3, *["a-y"] * 2])
    )


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: Any, random: Any) -> None:
    table, classes = table_of(rows)
    order = list(range(len(rows)))
    random.shuffle(order)
    one = NDLClassifier().fit(table, classes)
    other = NDLClassifier().fit(table.iloc[order], [classes[i] for i in order])
    some.assert_close(one.predict_proba(table), other.predict_proba(table), 1e-8)


@given(ROWS)
def test_the_names_of_classes_and_levels_do_not_matter(rows: Any) -> None:
    table, classes = table_of(rows)
    # Sorted alike, so that the columns keep their order.
    named = {"x": 10, "y": 20, "z": 30}
    one = NDLClassifier().fit(table, classes)
    other = NDLClassifier().fit(table.replace({"a": "A_1", "b": "é"}), [named[c] for c in classes])
    renamed = table.replace({"a": "A_1", "b": "é"})
    assert [named[c] for c in one.classes_] == other.classes_.tolist()
    some.assert_close(one.activations(table), other.activations(renamed), 1e-12)
    assert other.predict(renamed).dtype.kind == "i"


@given(ROWS)
def test_the_choice_is_the_largest_activation(rows: Any) -> None:
    table, classes = table_of(rows)
    fitted = NDLClassifier().fit(table, classes)
    activations = fitted.activations(table)
    assert fitted.predict(table).tolist() == [fitted.classes_[np.argmax(row)] for row in activations]
    some.assert_close(fitted.predict_proba(table), classify.probabilities(activations), 1e-12)
    decision = fitted.decision_function(table)
    if len(fitted.classes_) == 2:
        some.assert_close(decision, activations[:, 1] - activations[:, 0], 1e-12)
    else:
        some.assert_close(decision, activations, 1e-12)


def test_probabilities_do_not_depend_on_the_rows_beside() -> None:
    fitted = NDLClassifier().fit(TABLE, CLASSES)
    rows = pd.DataFrame(TABLE)
    apart = np.vstack([fitted.predict_proba(rows.iloc[[i]].to_dict("list")) for i in range(len(rows))])
    some.assert_close(apart, fitted.predict_proba(TABLE), 1e-12)
    soft = NDLClassifier(probability="softmax").fit(TABLE, CLASSES)
    some.assert_close(soft.predict_proba(TABLE), softmax(soft.activations(TABLE), axis=1), 1e-12)


def test_the_golden_weights_of_r(shared: Path) -> None:
    for name, background in (("danks", None), ("danks", "Environ")):
        events = pd.read_csv(shared / "golden" / f"{name}_events.csv")
        suffix = "_background" if background else ""
        golden = pd.read_csv(shared / "golden" / f"{name}_weights{suffix}.csv", index_col=0)
        fitted = NDLClassifier(background=background).fit(
            events["Cues"].tolist(), events["Outcomes"], events["Frequency"]
        )
        found = fitted.weights_.to_pandas().loc[golden.index, golden.columns]
        some.assert_close(found.to_numpy(), golden.to_numpy())


def think(shared: Path) -> tuple[pd.DataFrame, Any]:
    table = pd.read_csv(shared / "data" / "ndl" / "think.csv", keep_default_na=False)
    return table.iloc[:, 1:24], table["Lexeme"].to_numpy()


NEUTRAL = ["None", "Other", "Overt", "FiniteVerbChain", "Absent"]


def test_think_agrees_with_logistic_regression_as_with_r(shared: Path) -> None:
    table, verbs = think(shared)
    events = rw.factor_events(table.assign(Lexeme=verbs), "Lexeme", ignore=NEUTRAL)
    features = events.cue_matrix().toarray().astype(float)
    regression = OneVsRestClassifier(LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-9)).fit(
        features, verbs
    )
    expected = regression.predict(features)
    assert features.shape == (3404, 46)
    for classifier in (NDLClassifier(), NDLClassifier(ignore=NEUTRAL, background="Environ")):
        choice = classifier.fit(table, verbs).predict(table)
        # R's ndl gives 3226 of 3404.
        assert ((choice == expected).sum(), (choice == verbs).sum()) == (3226, 2155)
    alone = NDLClassifier(ignore=NEUTRAL).fit(table, verbs).predict(table)
    assert ((alone == expected).sum(), (alone == verbs).sum()) == (3199, 2159)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_every_kind_of_table_is_classified_alike(make: Any) -> None:
    expected = NDLClassifier().fit(TABLE, CLASSES)
    fitted = NDLClassifier().fit(make(TABLE), CLASSES)
    assert some.by_label(fitted.weights_) == some.by_label(expected.weights_)
    assert fitted.predict(make(TABLE)).tolist() == expected.predict(TABLE).tolist()
    assert fitted.n_features_in_ == 3


def test_arrays_are_tables_and_lists_are_cue_sets() -> None:
    array = np.array([["a", "b"], ["a", "c"]], dtype=object)
    assert NDLClassifier().fit(array, ["x", "y"]).weights_.cues == ("x0a", "x1b", "x1c")
    numbers = NDLClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["x", "x", "y", "y"])
    assert numbers.weights_.cues == ("x0[1,3)", "x0[3,4]")
    assert numbers.predict([[-9.0], [2.5], [9.0]]).tolist() == ["x", "x", "y"]
    for cue_sets in (
        ["a_b", "a_c"],
        [["a", "b"], ["a", "c"]],
        [{"b", "a"}, {"a", "c"}],
        np.array(["a_b", "a_c"]),
    ):
        fitted = NDLClassifier().fit(cue_sets, ["x", "y"])
        assert fitted.weights_.cues == ("a", "b", "c")
        assert fitted.predict(["c", ["b"]]).tolist() == ["y", "x"]
        assert fitted.terms_ == ()


def test_intervals_are_those_of_the_rows_learned_from() -> None:
    fitted = NDLClassifier().fit({"n": [1, 2, 3, 4]}, ["x", "x", "y", "y"])
    assert fitted.predict({"n": [3, 4, 4.5, 100]}).tolist() == ["y"] * 4
    with pytest.raises(TypeError, match="'n', row 0: expected a number"):
        fitted.predict({"n": ["many"]})


def test_what_was_never_seen_is_left_out() -> None:
    fitted = NDLClassifier(factors=["agent"]).fit(TABLE, CLASSES)
    assert fitted.activations({"agent": ["ghost", None]}).tolist() == [[0.0, 0.0, 0.0]] * 2


def test_without_cues_the_choice_is_the_first_class() -> None:
    fitted = NDLClassifier().fit({"p": [None, None, None]}, ["y", "x", "y"])
    assert fitted.predict({"p": ["a"]}).tolist() == ["x"]
    assert fitted.predict_proba({"p": ["a"]}).tolist() == [[0.5, 0.5]]


def test_ignored_levels_are_no_cues() -> None:
    fitted = NDLClassifier(factors=["agent", "polarity"], ignore={"polarity": ["no"]}).fit(TABLE, CLASSES)
    assert set(fitted.weights_.cues) == {"agentperson", "agentgroup", "polarityyes"}


def test_terms_and_columns() -> None:
    fitted = NDLClassifier(factors=["agent", ("agent", "polarity")]).fit(TABLE, CLASSES)
    assert fitted.terms_ == (("agent",), ("agent", "polarity"))
    assert fitted.factor_columns_ == ("agent", "polarity")
    assert "agentperson:polarityyes" in fitted.weights_.cues


@pytest.mark.parametrize(
    ("parameters", "X", "y", "error", "message"),
    [
        ({"method": "no"}, TABLE, CLASSES, ValueError, "method must be"),
        ({"probability": "no"}, TABLE, CLASSES, ValueError, "probability must be"),
        (
            {"method": "learn", "passes": 0},
            TABLE,
            CLASSES,
            ValueError,
            "passes must be a whole number of 1 or more",
        ),
        ({"factors": ["no"]}, TABLE, CLASSES, KeyError, "factors names the column 'no'"),
        ({}, TABLE, CLASSES[1:], ValueError, "y must be one class for each of the 6 rows"),
        ({}, TABLE, None, ValueError, "y is None"),
        ({"ridge": -1.0}, TABLE, CLASSES, ValueError, "ridge"),
    ],
)
def test_a_wrong_argument_is_named(
    parameters: Any, X: Any, y: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        NDLClassifier(**parameters).fit(X, y)


def test_frequencies_are_whole_numbers() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        NDLClassifier().fit(["a", "b"], ["x", "y"], sample_weight=[0.5, 1.0])


def test_tables_and_cue_sets_are_not_mixed() -> None:
    with pytest.raises(TypeError, match="X must be a table"):
        NDLClassifier().fit(TABLE, CLASSES).predict(["agentperson"])
    with pytest.raises(TypeError, match="X must be cue sets"):
        NDLClassifier().fit(["a", "b"], ["x", "y"]).predict(TABLE)


# Within scikit-learn.


def test_it_is_searched_and_cross_validated_by_scikit_learn() -> None:
    table = pd.concat([pd.DataFrame(TABLE)] * 4, ignore_index=True)
    search = GridSearchCV(NDLClassifier(), {"ridge": [0.0, 1e6], "factors": [["agent"], None]}, cv=2)
    search.fit(table, CLASSES * 4)
    assert search.best_params_ == {"ridge": 0.0, "factors": None}
    assert cross_val_score(NDLClassifier(), table, CLASSES * 4, cv=4).tolist() == [1.0] * 4
    cues = ["a_b", "a_c", "b_c"] * 4
    assert cross_val_score(NDLClassifier(), cues, ["x", "y", "z"] * 4, cv=4).tolist() == [1.0] * 4


@ONE_CLASS
@settings(max_examples=40)
@given(ROWS.map(lambda rows: rows * 3), st.integers(2, 4), st.integers(0, 9))
def test_folds_are_disjoint_and_each_is_predicted_by_the_others(rows: Any, k: int, seed: int) -> None:
    table, classes = table_of(rows)
    names = np.array(classes)
    folds = KFold(k, shuffle=True, random_state=seed)
    splits = list(folds.split(table))
    assume(all(set(names[test]) <= set(names[train]) for train, test in splits))
    found = classify.cross_validate(NDLClassifier(), table, classes, cv=folds)
    assert sorted(np.concatenate(found.folds).tolist()) == list(range(len(rows)))
    for (train, test), fold, fit in zip(splits, found.folds, found.fits, strict=True):
        assert fold.tolist() == test.tolist()
        model = NDLClassifier().fit(table.iloc[train], names[train])
        expected = model.statistics(table.iloc[test], names[test])
        pd.testing.assert_series_equal(fit.to_pandas(), expected.to_pandas())
    summary, frame = found.summary(), found.to_pandas()
    for name in ("accuracy", "deviance"):
        assert summary[name]["mean"] == pytest.approx(frame[name].mean())
        assert summary[name]["minimum"] == frame[name].min()
        assert summary[name]["maximum"] == frame[name].max()
    assert (frame.index.name, len(frame)) == ("fold", k)


def test_cross_validation_with_frequencies_and_other_classifiers() -> None:
    # More rows are of y, but more tokens of x.
    cues, classes, counts = ["a"] * 6, ["x", "y", "y"] * 2, [3, 1, 1, 4, 1, 1]
    found = classify.cross_validate(NDLClassifier(), cues, classes, cv=KFold(2), sample_weight=counts)
    assert [fit.n for fit in found.fits] == [5, 6]
    assert [fit.accuracy for fit in found.fits] == [3 / 5, 4 / 6]
    features = np.array([[0.0], [1.0]] * 5)
    other = classify.cross_validate(LogisticRegression(), features, ["x", "y"] * 5, cv=5)
    assert other.summary()["accuracy"]["minimum"] == 1.0
    assert np.isnan(other.fits[0].aic)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table, dict, lambda table: pd.DataFrame(table).to_numpy()]
)
def test_rows_of_every_kind_of_table_are_taken(make: Any) -> None:
    table = {"p": ["a", "b"] * 4, "q": ["c", "c", "d", "d"] * 2}
    found = classify.cross_validate(NDLClassifier(), make(table), ["x", "y"] * 4, cv=2)
    assert [(fit.n, fit.accuracy) for fit in found.fits] == [(4, 1.0)] * 2


def test_there_are_ten_folds_by_default() -> None:
    found = classify.cross_validate(NDLClassifier(), ["red", "blue"] * 12, ["y", "n"] * 12)
    assert len(found.folds) == 10


def test_a_class_that_was_not_learned_is_named() -> None:
    with pytest.raises(ValueError, match=r"observed must be of the classes .*row 0 has"):
        classify.cross_validate(NDLClassifier(), ["a", "b"], ["x", "y"], cv=KFold(2))


# Importance.


def informative(seed: int, n: int, kinds: int) -> tuple[pd.DataFrame, Any]:
    """One factor that decides, and one that says nothing."""
    rng = np.random.default_rng(seed)
    signal, noise = rng.integers(kinds, size=n), rng.integers(3, size=n)
    classes = np.where(rng.random(n) < 0.9, signal, rng.integers(kinds, size=n))
    names = np.array(["red", "green", "blue"])
    return pd.DataFrame({"noise": names[noise], "signal": names[signal]}), names[classes]


@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("kinds", [2, 3])
def test_only_factors_that_matter_are_important(refit: bool, kinds: int) -> None:
    table, classes = informative(kinds, 600, kinds)
    found = classify.variable_importance(
        NDLClassifier(), table, classes, repeats=4, refit=refit, random_state=3
    )
    assert found.factors == ("noise", "signal")
    assert found.baseline == NDLClassifier().fit(table, classes).score(table, classes)
    assert abs(found.importance[0]) < 0.02
    assert found.importance[1] > 0.25
    frame = found.to_pandas()
    assert frame.index.tolist() == ["signal", "noise"]
    assert ("c_index" in frame) == (kinds == 2)
    if found.c_index is not None:
        assert found.c_index[1].mean() < 0.65 < 0.9 < found.c_index[0].mean()


def test_importance_without_refitting_is_that_of_scikit_learn() -> None:
    table, classes = informative(5, 600, 3)
    fitted = NDLClassifier().fit(table, classes)
    expected = permutation_importance(fitted, table, classes, n_repeats=20, random_state=1)
    found = classify.variable_importance(fitted, table, classes, repeats=20, refit=False, random_state=2)
    some.assert_close(found.importance, expected.importances_mean, 0.01)


def test_importance_is_reproducible_and_leaves_the_classifier_alone() -> None:
    table, classes = informative(1, 60, 2)
    model = NDLClassifier()
    for random_state in (lambda: 9, lambda: np.random.RandomState(9), lambda: np.random.default_rng(9)):
        one, other = (
            classify.variable_importance(model, table, classes, repeats=3, random_state=random_state())
            for _ in range(2)
        )
        assert some.bits(one.accuracy) == some.bits(other.accuracy)
        assert one.accuracy.shape == (2, 3)
    assert not hasattr(model, "weights_")
    with pytest.raises(ValueError, match="repeats must be a whole number of 1 or more"):
        classify.variable_importance(model, table, classes, repeats=0)


def test_a_refit_learns_from_the_permuted_table() -> None:
    # Two rows: exchanged entries are learned as well as those that were there, but predicted wrongly.
    table = {"p": ["a", "b"]}
    seeds = range(20)
    again, once = (
        [
            classify.variable_importance(
                NDLClassifier(), table, ["x", "y"], refit=refit, random_state=seed
            ).importance[0]
            for seed in seeds
        ]
        for refit in (True, False)
    )
    assert set(again) == {0.0}
    assert set(once) == {0.0, 1.0}


# Analysis of deviance.


def test_identical_models_do_not_differ() -> None:
    found = classify.anova([NDLClassifier(), NDLClassifier()], TABLE, CLASSES)
    assert (found.df[1], found.deviance_difference[1]) == (0, 0)
    assert np.isnan(found.p).tolist() == [True, True]


@ONE_CLASS
@given(ROWS)
def test_anova_is_the_difference_of_deviances(rows: Any) -> None:
    table, classes = table_of(rows)
    small, large = NDLClassifier(factors=["q"]), NDLClassifier(factors=["q", "p"])
    fits = [clone(model).fit(table, classes).statistics(table, classes) for model in (small, large)]
    found = classify.anova([small, large], table, classes)
    assert found.models == ("q", "q + p")
    assert found.deviance.tolist() == [fit.deviance for fit in fits]
    assert found.df_residual.tolist() == [fit.df_model for fit in fits]
    difference = fits[0].deviance - fits[1].deviance
    parameters = len({row[0] for row in rows}) * len(set(classes))
    assert found.df[1] == parameters
    assert found.deviance_difference[1] == difference
    assert found.p[1] == pytest.approx(chi2.sf(difference, parameters) if difference > 0 else 1.0)


def test_the_terms_of_one_model_are_added_one_after_another() -> None:
    terms: Any = ["agent", ("agent", "polarity")]
    weights = [1, 1, 1, 3, 1, 1]
    found = classify.anova(NDLClassifier(factors=terms), TABLE, CLASSES, sample_weight=weights)
    first = NDLClassifier(factors=terms[:1]).fit(TABLE, CLASSES, weights)
    assert found.deviance[1] == first.statistics(TABLE, CLASSES, weights).deviance
    assert found.models == ("no terms", "agent", "agent + agent:polarity")
    # 3 classes, 8 tokens; 2 levels; 4 combinations.
    assert found.df_residual.tolist() == [24, 18, 6]
    null = -2 * (3 * math.log(3 / 8) + 2 * math.log(2 / 8) + 3 * math.log(3 / 8))
    assert found.deviance[0] == pytest.approx(null)
    assert found.deviance_difference[1:] == pytest.approx(found.deviance[:-1] - found.deviance[1:])
    frame = found.to_pandas()
    assert frame.columns.tolist() == ["df_residual", "deviance", "df", "deviance_difference", "p"]
    assert frame.loc["agent", "df"] == 6


def test_cue_sets_are_compared_too() -> None:
    cues = ["a_b", "a_c"] * 3
    models = [NDLClassifier(ridge=5.0), NDLClassifier()]
    found = classify.anova(models, cues, ["x", "y"] * 3)
    assert found.models == ("cue sets", "cue sets")
    with pytest.raises(ValueError, match="models must be one or more"):
        classify.anova([], cues, ["x", "y"] * 3)


# What must be installed.


@pytest.mark.parametrize(
    ("library", "extra", "call"),
    [
        ("sklearn.base", "sklearn", "rw.classify.NDLClassifier"),
        ("sklearn.metrics", "sklearn", "rw.classify.statistics(['a', 'b'], ['a', 'b'], [[1, 0], [0, 1]])"),
        ("sklearn.base", "sklearn", "rw.classify.cross_validate(None, ['a'], ['x'])"),
        ("sklearn.base", "sklearn", "rw.classify.variable_importance(None, {'a': ['b']}, ['x'])"),
        ("scipy.special", "sklearn", "rw.classify.anova([], ['a'], ['x'])"),
        ("pandas", "pandas", "rw.classify.statistics(['a'], ['a'], [[1]]).to_pandas()"),
    ],
)
def test_a_missing_library_names_the_extra(library: str, extra: str, call: str) -> None:
    script = f"""
import sys
sys.modules[{library!r}] = None
import rescorla as rw
try:
    {call}
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert f"pip install 'rescorla[{extra}]'" in done.stdout, done.stderr


def test_rooms_are_loaded_when_asked_for() -> None:
    script = (
        "import sys, rescorla as rw\n"
        "assert 'rescorla.classify' not in sys.modules and {'classify', 'measures'} <= set(dir(rw))\n"
        "rw.classify.probabilities([[0.0, 1.0]]), rw.measures.prior\n"
        "assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules\n"
        "rw.classify.NDLClassifier\n"
        "assert 'sklearn' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    for module in (rw, classify):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            module.nothing  # noqa: B018


# The class among the factors.


def leaking(n: int, column: str = "verb") -> tuple[dict[str, list[Any]], list[str]]:
    """A table with a column that is the class, or tells it; and the classes."""
    verbs = [("give", "send", "lend")[row % 3] for row in range(n)]
    table: dict[str, list[Any]] = {"theme": ["new", "old"] * (n // 2) + ["new"] * (n % 2)}
    table[column] = list(verbs) if column == "verb" else [f"{verb}s" for verb in verbs]
    return table, verbs


def test_a_factor_that_is_y_under_its_name_is_refused() -> None:
    table = pd.DataFrame(leaking(6)[0])
    for y in (table["verb"], table["verb"].astype("category"), pl.Series("verb", table["verb"].tolist())):
        with pytest.raises(ValueError, match=r"X has the column 'verb', which is y itself.*as factors"):
            NDLClassifier().fit(table, y)
    with pytest.raises(ValueError, match="X has the column 'verb', which is y itself"):
        NDLClassifier(factors=["theme", ("theme", "verb")]).fit(table, table["verb"])
    for labels in (table["verb"], pl.Series("verb", table["verb"].tolist())):
        with pytest.raises(ValueError, match="X has the column 'verb', which is y itself"):
            classify.cross_validate(NDLClassifier(), table, labels, cv=2)
        with pytest.raises(ValueError, match="X has the column 'verb', which is y itself"):
            classify.anova(NDLClassifier(), table, labels)
    # Not where it is no factor, nor where another column has the name.
    NDLClassifier(factors=["theme"]).fit(table, table["verb"])
    NDLClassifier().fit(table.drop(columns="verb"), table["verb"])
    other = table["verb"].replace({"give": "send"})
    NDLClassifier().fit(table, other)


def test_a_column_that_tells_the_class_is_warned_of() -> None:
    for kind in (dict, pd.DataFrame, pl.DataFrame):
        table, verbs = leaking(31, "form")
        with pytest.warns(
            rw.RescorlaWarning,
            match=r"^X has the column 'form' that has one class for each level, in all 31 rows",
        ) as record:
            NDLClassifier().fit(kind(table), verbs)
        assert record[0].filename == __file__
        assert "as factors" in str(record[0].message)
    # By another number of rows, by chance; by numbers; by frequencies; with classes of several levels.
    table, verbs = leaking(30, "form")
    NDLClassifier().fit(table, verbs)
    numbers = {"length": list(range(40)), "theme": ["new", "old"] * 20}
    with pytest.warns(rw.RescorlaWarning, match="X has the column 'length' that has"):
        NDLClassifier().fit(numbers, ["short"] * 20 + ["long"] * 20)
    table, verbs = leaking(31, "form")
    NDLClassifier().fit(table, verbs, sample_weight=[1] * 30 + [0])
    with pytest.warns(rw.RescorlaWarning, match="X has columns 'form', 'more' that have each"):
        NDLClassifier().fit(
            table | {"more": [f"{form}{row}" for row, form in enumerate(table["form"])]}, verbs
        )


def test_a_column_that_tells_nearly_all_is_a_good_factor() -> None:
    table, verbs = leaking(40, "form")
    verbs[-1] = "send"
    NDLClassifier().fit(table, verbs)
    # What is missing, or ignored, tells nothing; nor is there anything to tell of one class.
    table, verbs = leaking(40, "form")
    NDLClassifier(ignore=["gives"]).fit(table, verbs)
    table["form"][3] = None
    NDLClassifier().fit(table, verbs)
    NDLClassifier().fit(table, ["give"] * 40)


def test_the_name_of_a_column_is_not_y() -> None:
    table = pd.DataFrame(leaking(6)[0])
    with pytest.raises(
        TypeError,
        match=r"y must be one class for each row, not the str 'verb'; write fit\(table, table\['verb'\]\)",
    ):
        NDLClassifier().fit(table, "verb")


def test_a_cross_validation_is_shown_in_a_line() -> None:
    cues = ["red_round", "red_square", "blue_round", "blue_square"] * 50
    classes = ["y", "n", "n", "n"] * 50
    fit = classify.cross_validate(classify.NDLClassifier(), cues, classes, cv=KFold(7))
    shown = repr(fit)
    assert "\n" not in shown
    assert len(shown) < 200
    assert shown.startswith("<CrossValidation: 7 folds of 28 to 29 rows; accuracy ")
    found = fit.summary()["accuracy"]
    assert f"accuracy {found['mean']:.3g} ({found['minimum']:.3g} to {found['maximum']:.3g}); r2 " in shown
    assert repr(classify.CrossValidation((), ())) == "<CrossValidation: 0 folds>"


def test_levels_that_pandas_takes_for_missing_are_told(shared: Path) -> None:
    table = pd.read_csv(shared / "data" / "ndl" / "think.csv").iloc[:, :24]
    factors = table.drop(columns="Lexeme")
    with pytest.warns(
        rw.RescorlaWarning, match="entries are missing and give no cue: .*keep_default_na=False"
    ) as told:
        found = NDLClassifier().fit(factors, table["Lexeme"]).weights_.cues
    assert told[0].filename == __file__
    # As it is advised the word None is kept.
    kept = NDLClassifier().fit(*think(shared)).weights_.cues
    assert found == tuple(cue for cue in kept if not cue.endswith("None")) != kept
    # In a mapping they are missing on purpose, and in numbers nobody takes them for a word.
    NDLClassifier().fit({"a": ["x", None, "y"]}, [0, 1, 0])
    NDLClassifier().fit(pd.DataFrame({"a": [1.0, None, 2.0]}), [0, 1, 0])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=str)
@pytest.mark.parametrize("learner", [NDLClassifier(), EquilibriumClassifier(), RescorlaWagnerClassifier()])
def test_classes_that_are_missing_are_told(learner: Any, missing: Any) -> None:
    labels = ["a", "b", missing, "a"]
    X = [[0.0], [1.0], [2.0], [3.0]]
    for y in (labels, np.array(labels, dtype=object), pd.Series(labels), pd.Series(labels, dtype="category")):
        with pytest.raises(
            ValueError, match="y must have a class for each row, but row 2 has None or NaN: leave"
        ):
            clone(learner).fit(X, y)
    with pytest.raises(ValueError, match="y must have a class for each row, but row 1 has"):
        clone(learner).fit(X[:3], [0.0, np.nan, 1.0])
