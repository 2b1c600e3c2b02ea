"""`fit_each`: gradients, recovery, pooling, and what is refused."""

from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rescorla._learn.people.fit_each import _Model
from rescorla._learn.people.free import free_of
from rescorla._learn.people.pooling import Persons
from rescorla._learn.rule import RULES, RuleName, rule_given

CHOICES = ["x", "y", "z"]


def simulated(
    persons: int, n: int, seed: int, *, link: str = "softmax", spread: float = 0.5
) -> tuple[dict[str, list[Any]], NDArray[np.float64]]:
    """Persons who learn which of three outcomes two cues announce, and respond before each trial; and their
    rates."""
    random = np.random.default_rng(seed)
    table: dict[str, list[Any]] = {"who": [], "cues": [], "outcomes": [], "answer": []}
    rates = 0.1 * np.exp(random.normal(0, spread, persons))
    for person in range(persons):
        weights = np.zeros((3, 3))
        theta = 5 * np.exp(random.normal(0, 0.2))
        for _ in range(n):
            cues = [int(random.integers(2)), 2] if random.random() < 0.5 else [int(random.integers(3))]
            outcome = cues[0] if random.random() < 0.8 else int(random.integers(3))
            a = weights[cues].sum(axis=0)
            powers = np.exp(theta * a)
            answer: Any = CHOICES[int(random.choice(3, p=powers / powers.sum()))]
            if link == "normal":
                answer = 0.4 + 2.0 * a[outcome] + random.normal(0, 0.2)
            table["who"].append(f"p{person}")
            table["cues"].append([f"c{cue}" for cue in cues])
            table["outcomes"].append(CHOICES[outcome])
            table["answer"].append(answer)
            weights[cues] += rates[person] * (np.eye(3)[outcome] - a)
    return table, rates


def likelihood(
    table: Any,
    free: list[str],
    link: str,
    initial: rw.Weights | None,
    groups: Any = None,
    rule: str = "rescorla_wagner",
) -> Any:
    """The log likelihoods and their gradients, by the numbers on their scales."""
    choices = CHOICES if link == "softmax" else None
    model = _Model(
        "who", "answer", "cues", "outcomes", choices, None, link, rule_given(rule), initial, groups or {}, 1
    )
    study = model.study(table)
    names = model.group_names(study)
    given: dict[str, Any] = {
        "alpha": 0.7,
        "beta": (0.2, 0.1),
        "lambda_": 1.0,
        "retention": 0.98 if rule == "rescorla_wagner" else 1.0,
        "theta": 2.0,
    }
    what = free_of(free, None, given, names, study.columns, link, rule_given(rule), from_zero=False)
    return Persons(study.engine(model, names), what, 1), what


@given(
    st.sampled_from(["softmax", "normal"]),
    st.sets(
        st.sampled_from(["beta1", "beta2", "lambda_", "retention", "theta", "bias"]),
        min_size=1,
    ),
    st.booleans(),
    st.sampled_from(["rescorla_wagner", "van_hamme_wasserman"]),
    st.integers(0, 99),
)
def test_gradients_are_those_of_differences(
    link: str, free: set[str], grouped: bool, rule: str, seed: int
) -> None:
    table, _ = simulated(2, 12, seed, link=link)
    random = np.random.default_rng(seed)
    table["frequency"] = random.integers(0, 3, 24).tolist()
    table["answer"][5] = None
    names = sorted(free if rule == "rescorla_wagner" else {*free} - {"retention"} | {"theta"})
    if grouped:
        names = ["alpha", *(name for name in names if name not in ("beta1", "beta2"))]
    if link == "softmax":
        names.append("lapse")
    initial = rw.Weights(random.normal(0, 0.3, (2, 2)), ["c0", "c2"], ["x", "w"])
    persons, what = likelihood(table, names, link, initial, {"c0": "one"} if grouped else None, rule)
    assert persons.n_responses.tolist() == [11, 12]
    phi = np.tile(what.start(), (2, 1)) + random.normal(0, 0.2, (2, len(what.names)))
    both = np.arange(2)
    _, gradient = persons.evaluate(both, phi)
    for at in range(len(what.names)):
        step = np.zeros(len(what.names))
        step[at] = 1e-4
        ll = [persons.evaluate(both, phi + by * step)[0] for by in (-2, -1, 1, 2)]
        difference = (8 * (ll[2] - ll[1]) - (ll[3] - ll[0])) / 12e-4
        np.testing.assert_allclose(gradient[:, at], difference, rtol=1e-7, atol=1e-7)


def test_gradients_by_differences_are_near_exact_ones() -> None:
    table, _ = simulated(3, 60, 2)
    persons, what = likelihood(table, ["beta1", "beta2", "theta"], "softmax", None)
    phi, everybody = np.tile(what.start(), (3, 1)), np.arange(3)
    found, exact = persons.evaluate(everybody, phi)
    persons._free = what._replace(by_differences=np.array([0, 1]))
    again, near = persons.evaluate(everybody, phi)
    assert again.tolist() == found.tolist()
    assert near[:, 2].tolist() == exact[:, 2].tolist()
    np.testing.assert_allclose(near, exact, rtol=1e-3, atol=1e-3)
    assert near.tolist() != exact.tolist()


@pytest.mark.filterwarnings("ignore:responses show no differences")
@pytest.mark.parametrize("rule", RULES)
def test_each_rule_recovers_its_rates(rule: RuleName) -> None:
    table, _ = simulated(12, 80, 8)
    rates = dict(zip(dict.fromkeys(table["who"]), np.geomspace(0.07, 0.4, 12).tolist(), strict=True))
    how: dict[str, Any] = {"by": "who", "choices": CHOICES, "rule": rule}
    learned = rw.learn_each(table, alpha=1.0, beta=rates, record=["choices"], **how)
    a = 5 * np.stack([learned[f"activation_{each}"] for each in CHOICES], axis=1)
    cumulated = np.exp(a - a.max(axis=1, keepdims=True)).cumsum(axis=1)
    drawn = np.random.default_rng(1).random((len(a), 1)) * cumulated[:, -1:]
    table["answer"] = [CHOICES[each] for each in (cumulated < drawn).sum(axis=1)]
    fit = rw.fit_each(table, response="answer", free=["beta"], theta=5.0, **how)
    true, found = np.log([*rates.values()]), np.log(fit.parameters["estimate"])
    assert np.corrcoef(true, found)[0, 1] > 0.8
    assert abs((found - true).mean()) < 0.25
    assert (rule in repr(fit)) == (rule != "rescorla_wagner")
    assert ("by differences" in repr(fit)) == (rule not in ("rescorla_wagner", "van_hamme_wasserman"))
    assert np.isfinite(fit.recover(1, seed=1)["found"]).all()
    likely = fit.predictions["p"]
    assert fit.score(table) == pytest.approx(np.log(likely).sum())
    again = rw.learn_each(
        table,
        alpha=1.0,
        beta=dict(zip(fit.parameters["person"].tolist(), fit.parameters["estimate"].tolist(), strict=True)),
        record=["choices"],
        **how,
    )
    for each in CHOICES:
        np.testing.assert_allclose(fit.predictions[f"activation_{each}"], again[f"activation_{each}"])


@pytest.mark.filterwarnings("ignore:.* at a bound")
@pytest.mark.parametrize(
    ("rule", "name"), [(rule, name) for rule, kind in RULES.items() for name in kind.parameters]
)
def test_what_only_a_rule_has_may_be_fitted(rule: RuleName, name: str) -> None:
    table, _ = simulated(4, 60, 9)
    how: dict[str, Any] = {"by": "who", "response": "answer", "choices": CHOICES, "rule": rule}
    fixed = rw.fit_each(table, free=["beta"], theta=5.0, pooling="complete", **how)
    both = rw.fit_each(table, free=["beta", name], theta=5.0, pooling="complete", **how)
    assert both.group["name"].tolist() == ["beta", name]
    assert both.log_likelihood > fixed.log_likelihood - 0.1
    best = dict(zip(both.group["name"].tolist(), both.group["typical"].tolist(), strict=True))
    same = rw.fit_each(
        table, free=["beta"], theta=5.0, pooling="complete", rule_parameters={name: best[name]}, **how
    )
    assert same.log_likelihood == pytest.approx(both.log_likelihood, abs=0.1)


@pytest.mark.filterwarnings("ignore:responses show no differences")
def test_other_starts_find_the_same() -> None:
    table, _ = simulated(20, 80, 10)
    how: dict[str, Any] = {"by": "who", "response": "answer", "choices": CHOICES}
    starts = [(0.1, 1.0), (0.01, 1.0), (0.5, 20.0), (0.02, 10.0), (0.3, 2.0)]
    fits = [rw.fit_each(table, beta=beta, theta=theta, **how) for beta, theta in starts]
    estimates = np.log([fit.parameters["estimate"] for fit in fits])
    errors = fits[0].parameters["standard_error"] / fits[0].parameters["estimate"]
    assert (np.ptp(estimates, axis=0) < 0.02 * errors).all()


def test_intervals_cover_the_truth() -> None:
    """As in benches/fit.py, which has more and greater studies."""
    shares = []
    for seed in range(4):
        table, rates = simulated(30, 100, 20 + seed)
        fit = rw.fit_each(table, by="who", response="answer", choices=CHOICES)
        own = fit.parameters["name"] == "beta"
        estimate, error = fit.parameters["estimate"][own], fit.parameters["standard_error"][own]
        shares.append((np.abs(np.log(estimate / rates)) <= 1.96 * error / estimate).mean())
    assert 0.88 <= np.mean(shares) <= 0.99


def test_the_likelihood_is_that_of_learn_each() -> None:
    table, _ = simulated(3, 30, 5)
    fit = rw.fit_each(table, by="who", response="answer", choices=CHOICES, pooling="none")
    estimates = fit.parameters
    of = {
        name: {
            who: value
            for who, each, value in zip(
                estimates["person"], estimates["name"], estimates["estimate"], strict=True
            )
            if each == name
        }
        for name in ("beta", "theta")
    }
    trials = rw.learn_each(table, by="who", choices=CHOICES, alpha=1.0, beta=of["beta"], record=["choices"])
    total = 0.0
    for row, answer in enumerate(table["answer"]):
        logits = np.array(
            [of["theta"][table["who"][row]] * trials[f"activation_{each}"][row] for each in CHOICES]
        )
        p = np.exp(logits - logits.max())
        p /= p.sum()
        total += float(np.log(p[CHOICES.index(answer)]))
        assert fit.predictions["p"][row] == pytest.approx(p[CHOICES.index(answer)], rel=1e-9)
        assert fit.predictions["p_y"][row] == pytest.approx(p[1], rel=1e-9)
    assert fit.log_likelihood == pytest.approx(total, rel=1e-10)
    assert (fit.n_parameters, fit.n_responses) == (6, 90)
    assert fit.aic == pytest.approx(12 - 2 * total)
    assert fit.bic == pytest.approx(6 * np.log(90) - 2 * total)
    assert fit.score(table) == pytest.approx(total, rel=1e-10)


def test_choices_may_differ_from_trial_to_trial() -> None:
    table, _ = simulated(2, 30, 5)
    how: dict[str, Any] = {"by": "who", "response": "answer", "free": ["beta"], "theta": 5.0}
    how["pooling"] = "complete"
    same = rw.fit_each(table, choices=CHOICES, **how)
    table["options"] = [["x_y_z", "z_x_y", "y_z_x"][row % 3] for row in range(60)]
    turned = rw.fit_each(table, choices="options", **how)
    assert turned.log_likelihood == pytest.approx(same.log_likelihood, rel=1e-10)
    for name in ("p", "p_x", "p_y", "p_z"):
        np.testing.assert_allclose(turned.predictions[name], same.predictions[name], rtol=1e-6)
    # What the same draws choose among turned options is the same.
    found = [fit.recover(1, seed=3)["found"] for fit in (same, turned)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    table["options"] = [f"{own}_{'y' if own == 'x' else 'x'}" for own in table["answer"]]
    two = rw.fit_each(table, choices="options", **how).predictions
    closed = [next(each for each in CHOICES if each not in options) for options in table["options"]]
    assert [two[f"p_{each}"][row] for row, each in enumerate(closed)] == [0.0] * 60
    np.testing.assert_allclose(two["p_x"] + two["p_y"] + two["p_z"], 1.0)
    own = [two[f"p_{answer}"][row] for row, answer in enumerate(table["answer"])]
    assert two["p"].tolist() == own


def test_pooling_recovers_rates_better_than_each_person_alone() -> None:
    table, rates = simulated(30, 60, 1)
    how: dict[str, Any] = {"by": "who", "response": "answer", "choices": CHOICES}
    pooled = rw.fit_each(table, **how)
    with pytest.warns(rw.RescorlaWarning, match="at a bound"):
        alone = rw.fit_each(table, pooling="none", bounds={"beta": (1e-3, 2.0)}, **how)

    def error(fit: rw.Fit) -> float:
        found = fit.parameters["estimate"][fit.parameters["name"] == "beta"]
        return float(((np.log(found) - np.log(rates)) ** 2).mean())

    assert error(pooled) < 0.7 * error(alone)
    group = pooled.group
    assert group["name"].tolist() == ["beta", "theta"]
    assert 0.07 < group["typical"][0] < 0.15
    assert 0.2 < group["sd"][0] < 0.9
    compared = pooled.compare(alone)
    assert sorted(compared["fit"].tolist()) == [0, 1]
    best_first = sorted((pooled, alone), key=lambda fit: fit.aic)
    for name in ("aic", "bic", "log_likelihood", "n_parameters"):
        assert compared[name].tolist() == [getattr(fit, name) for fit in best_first]
    assert compared["fit"].tolist() == [(pooled, alone).index(fit) for fit in best_first]
    recovered = pooled.recover(1, seed=2)
    own = recovered["name"] == "beta"
    assert np.corrcoef(np.log(recovered["true"][own]), np.log(recovered["found"][own]))[0, 1] > 0.5
    assert "beta" in repr(pooled)


@pytest.mark.parametrize("pooling", ["none", "complete"])
def test_a_group_without_a_prior_is_that_of_the_estimates(pooling: Any) -> None:
    table, _ = simulated(4, 80, 1)
    how: dict[str, Any] = {"response": "answer", "choices": CHOICES, "free": ["beta"], "theta": 5.0}
    fit = rw.fit_each(table, by="who", pooling=pooling, **how)
    logs = np.log(fit.parameters["estimate"])
    group = {name: column[0] for name, column in fit.group.items()}
    assert (group["name"], group["scale"]) == ("beta", "log")
    assert group["mean"] == pytest.approx(logs.mean())
    assert group["typical"] == pytest.approx(np.exp(logs.mean()))
    if pooling == "complete":
        assert group["sd"] == pytest.approx(0.0, abs=1e-12)
        # The error of an estimate is that of its logarithm times the estimate.
        errors = fit.parameters["standard_error"] / fit.parameters["estimate"]
        np.testing.assert_allclose(errors, group["standard_error"])
    else:
        assert group["sd"] == pytest.approx(logs.std(ddof=1))
        assert group["standard_error"] == pytest.approx(logs.std(ddof=1) / 2)
    again = fit.recover(2, seed=1)
    assert again["study"].tolist() == [1] * 4 + [2] * 4
    np.testing.assert_allclose(again["true"], np.tile(fit.parameters["estimate"], 2))


def test_numbers_are_fitted_by_a_normal_link() -> None:
    table, rates = simulated(12, 80, 3, link="normal")
    table["answer"][7] = float("nan")
    with pytest.warns(rw.RescorlaWarning, match="no differences between persons in (theta|bias|sigma)"):
        fit = rw.fit_each(table, by="who", response="answer", link="normal")
    group = dict(zip(fit.group["name"].tolist(), fit.group["typical"].tolist(), strict=True))
    assert group["theta"] == pytest.approx(2.0, rel=0.1)
    assert group["bias"] == pytest.approx(0.4, abs=0.1)
    assert group["sigma"] == pytest.approx(0.2, rel=0.1)
    found = fit.parameters["estimate"][fit.parameters["name"] == "beta"]
    assert np.corrcoef(np.log(found), np.log(rates))[0, 1] > 0.95
    assert fit.n_responses == 12 * 80 - 1
    assert np.isnan(fit.predictions["p"][7])


def test_somebody_without_responses_is_as_the_group() -> None:
    table, _ = simulated(8, 40, 4)
    missing = [row for row, who in enumerate(table["who"]) if who == "p3"]
    for row in missing:
        table["answer"][row] = ""
    fit = rw.fit_each(table, by="who", response="answer", choices=CHOICES, free=["beta"], theta=5.0)
    own = fit.parameters["person"] == "p3"
    assert fit.parameters["estimate"][own][0] == pytest.approx(fit.group["typical"][0], rel=0.05)
    logarithmic = fit.parameters["standard_error"] / fit.parameters["estimate"]
    assert logarithmic[own][0] == pytest.approx(fit.group["sd"][0], rel=0.01)
    assert logarithmic[own][0] == logarithmic.max()


def test_one_person_and_everybody_together() -> None:
    table, _ = simulated(4, 60, 6, spread=0.0)
    how: dict[str, Any] = {"response": "answer", "choices": CHOICES}
    together = rw.fit_each(table, by="who", pooling="complete", **how)
    assert len(set(together.parameters["estimate"].tolist())) == 2
    assert together.n_parameters == 2
    one = {name: column[:60] for name, column in table.items()}
    alone = rw.fit_each(one, by=None, pooling="none", **how)
    same = rw.fit_each(one, by="who", pooling="none", **how)
    assert alone.parameters["estimate"].tolist() == same.parameters["estimate"].tolist()
    with pytest.raises(ValueError, match="pooling must be 'none' or 'complete' for one person"):
        rw.fit_each(one, by=None, **how)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"choices": None}, ValueError, "choices must be given"),
        ({"choices": ["x", "y"]}, ValueError, "response must be one of the choices"),
        ({"link": "normal"}, ValueError, "choices must be left out"),
        ({"link": "probit"}, ValueError, "link must be"),
        ({"pooling": "some"}, ValueError, "pooling must be"),
        ({"free": ["alpha", "beta"]}, ValueError, "free must not have alpha and beta"),
        ({"free": ["lambda_", "theta"]}, ValueError, "free must not have lambda_ and theta"),
        ({"free": ["beta", "beta1"]}, ValueError, "free must have beta, or beta1 and beta2"),
        ({"free": []}, ValueError, "free must have a name or more"),
        ({"free": ["sigma"]}, ValueError, "free must be"),
        ({"free": ["k"]}, ValueError, "free must be"),
        ({"free": ["retention"], "rule": "hybrid"}, ValueError, "free must be"),
        ({"retention": 0.9, "rule": "hybrid"}, ValueError, "retention must be 1 for the rule hybrid"),
        ({"rule": "hebb"}, ValueError, "rule must be"),
        ({"rule": "hybrid", "rule_parameters": {"k": 1}}, ValueError, "rule_parameters has 'k'"),
        (
            {"rule": "le_pelley", "lambda_": 2.0},
            ValueError,
            "lambda_ must be at most 1 for the rule le_pelley",
        ),
        ({"bounds": {"beta": (1.0, 0.1)}}, ValueError, "bounds of beta must rise"),
        ({"bounds": {"beta": (0.1, 0.1)}}, ValueError, "bounds of beta must rise"),
        ({"bounds": {"beta": (0.0, 0.1)}}, ValueError, "bounds of beta must rise within its range"),
        ({"free": ["retention"], "bounds": {"retention": (0.5, 1.0)}}, ValueError, "within its range"),
        ({"bounds": {"beta": 1.0}}, ValueError, r"bounds must have a pair \(least, most\) for beta"),
        ({"bounds": {"lapse": (0.1, 0.2)}}, ValueError, "bounds has 'lapse', which is not fitted"),
        ({"response": "reply"}, KeyError, "response names the column 'reply'"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    table, _ = simulated(2, 10, 1)
    how: dict[str, Any] = {"by": "who", "response": "answer", "choices": CHOICES, **keywords}
    with pytest.raises(error, match=message):
        rw.fit_each(table, **how)


def test_responses_of_one_kind_are_told() -> None:
    table, _ = simulated(2, 10, 1)
    table["answer"] = ["x"] * 20
    with pytest.warns(rw.RescorlaWarning) as told:
        rw.fit_each(table, by="who", response="answer", choices=CHOICES, pooling="none")
    assert any("responses are all of one kind" in str(each.message) for each in told)
    assert any("at a bound, or the responses do not determine" in str(each.message) for each in told)
