"""The reference against arithmetic by hand, exact arithmetic and R; without the product."""

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
import reference
import strategies as some
from hypothesis import given
from hypothesis import strategies as st

EXACT = st.fractions(-2, 2, max_denominator=10)


def test_one_event_by_hand() -> None:
    weights = reference.learn(
        [(("a", "b"), ("x",), 1)], 0.5, (0.5, 0.25), 2.0, ("a", "b"), ("x", "y"), {("a", "y"): 4.0}
    )
    assert weights == {("a", "x"): 0.5, ("b", "x"): 0.5, ("a", "y"): 3.5, ("b", "y"): -0.5}


def test_a_cue_kept_twice_counts_twice_and_is_updated_twice() -> None:
    events = reference.normalised([(("a", "a", "b"), ("x", "x"), 2)], "keep")
    # First token: a = 0, u = 1/4. Second: a = 1/2 + 1/2 + 1/4 = 5/4, u = 1/4 (1 - 5/4) = -1/16.
    assert reference.learn(events, 1, 0.25, 1, "ab", "x") == {
        ("a", "x"): 0.5 - 0.125,
        ("b", "x"): 0.25 - 0.0625,
    }


def test_every_operation_is_rounded_to_float32() -> None:
    weights = reference.learn([(("a",), ("x",), 2)], 0.1, 0.1, 1.0, "a", "x", number=np.float32)
    tenth, one = np.float32(0.1), np.float32(1)
    first = np.float32(tenth * np.float32(tenth * one))
    assert weights["a", "x"] == np.float32(
        first + np.float32(tenth * np.float32(tenth * np.float32(one - first)))
    )
    assert type(weights["a", "x"]) is np.float32
    assert weights["a", "x"] != reference.learn([(("a",), ("x",), 2)], 0.1, 0.1, 1.0, "a", "x")["a", "x"]


def test_duplicates() -> None:
    events = [(("b", "a", "b"), ("y", "x", "y"), 3)]
    assert reference.normalised(events) == [(("b", "a"), ("y", "x"), 3)]
    assert reference.normalised(events, "keep") == [(("b", "a", "b"), ("y", "x", "y"), 3)]
    assert reference.normalised(events, background="a") == [(("a", "b"), ("y", "x"), 3)]
    with pytest.raises(ValueError, match="twice"):
        reference.normalised(events, "error")


def test_names_counts_and_incidence() -> None:
    events = [(("b",), ("x",), 0), (("a", "b", "b"), ("y",), 3)]
    assert reference.vocabularies(events) == (("b", "a"), ("x", "y"))
    assert reference.counts(events, ("b", "a"), "cues") == [6, 3]
    assert reference.counts(events, ("x", "y"), "outcomes") == [0, 3]
    assert reference.incidence(events, ("b", "a"), "cues").tolist() == [[1, 0], [2, 1]]


def test_ngrams() -> None:
    assert reference.ngrams("cat", 3) == ["#ca", "cat", "at#"]
    assert reference.ngrams("a", 3) == ["#a#"]
    assert reference.ngrams("ab", 2) == ["#a", "ab", "b#"]
    assert reference.ngrams("ab", 1) == ["a", "b"]


@given(st.data(), some.events(max_events=4, frequencies=st.integers(0, 2)), EXACT, EXACT, EXACT)
def test_in_exact_arithmetic_each_token_does_what_the_equations_say(
    data: st.DataObject, events: list[reference.Event], alpha: Fraction, beta1: Fraction, beta2: Fraction
) -> None:
    cues, outcomes = reference.vocabularies(events)
    start = {(c, o): data.draw(EXACT) for c in cues[:2] for o in outcomes[:2]}
    before = reference.learn([], alpha, (beta1, beta2), 1, cues, outcomes, start, Fraction)
    for event_cues, event_outcomes, _ in events:
        after = reference.learn(
            [(event_cues, event_outcomes, 1)], alpha, (beta1, beta2), 1, cues, outcomes, before, Fraction
        )
        for (cue, outcome), weight in after.items():
            a = sum((event_cues.count(c) * before[c, outcome] for c in cues), Fraction())
            error = beta1 * (1 - a) if outcome in event_outcomes else beta2 * (0 - a)
            assert weight == before[cue, outcome] + event_cues.count(cue) * alpha * error
        before = after


@given(st.data(), some.events(max_events=4, frequencies=st.integers(0, 3)), EXACT, EXACT)
def test_in_exact_arithmetic_the_mean_is_that_of_the_trajectory(
    data: st.DataObject, events: list[reference.Event], alpha: Fraction, beta: Fraction
) -> None:
    cues, outcomes = reference.vocabularies(events)
    start = {(c, o): data.draw(EXACT) for c in cues[:2] for o in outcomes[:2]}
    tokens = [(c, o, 1) for c, o, frequency in events for _ in range(frequency)]
    schedule = {t: (Fraction(1, t), Fraction(2, t)) for t in range(1, len(tokens) + 1)}.__getitem__
    rule = (alpha, beta, 1, cues, outcomes, start, Fraction)
    every = range(len(tokens) + 1)
    steps = reference.trajectory(events, every, *rule, schedule=schedule)
    assert steps == {t: reference.learn(tokens[:t], *rule, schedule=schedule) for t in every}
    mean = reference.mean(events, *rule, schedule=schedule)
    for pair, weight in mean.items():
        total = sum((steps[t][pair] for t in every[1:]), Fraction())
        assert weight == (total / len(tokens) if tokens else steps[0][pair])


def test_a_schedule_by_hand() -> None:
    # Token 1: rate 1/2, so 1/2. Token 2: rate 1/4, so 1/2 + 1/8. The absent outcome: 1 - 1, then 0.
    weights = reference.learn(
        [(("a",), ("x",), 2)],
        1,
        (0.5, 1.0),
        1,
        "a",
        "xy",
        {("a", "y"): 1.0},
        schedule=lambda token: (1 / token, 1.0),
    )
    assert weights == {("a", "x"): 0.625, ("a", "y"): 0.0}


@given(some.events(max_events=4))
def test_a_frequency_is_a_number_of_tokens(events: list[reference.Event]) -> None:
    cues, outcomes = reference.vocabularies(events)
    tokens = [(c, o, 1) for c, o, frequency in events for _ in range(frequency)]
    assert reference.learn(events, 0.1, 0.1, 1, cues, outcomes) == reference.learn(
        tokens, 0.1, 0.1, 1, cues, outcomes
    )


def test_the_equilibrium_of_the_least_norm_and_of_the_least_weighted_norm() -> None:
    events = [(("a", "b"), ("x",), 3), (("a", "b"), (), 1)]
    np.testing.assert_allclose(reference.equilibrium(events, "ab", "x", 2.0), [[0.75], [0.75]])
    # The learner moves b three times as far as a, whatever the event.
    np.testing.assert_allclose(
        reference.equilibrium(events, "ab", "x", 2.0, {"a": 0.1, "b": 0.3}), [[0.375], [1.125]]
    )
    # 4 (w - 3/4)^2 of the sum w of both, plus the ridge: 4 * 2 * (w - 3/4) + ridge * w = 0 for each.
    np.testing.assert_allclose(reference.equilibrium(events, "ab", "x", ridge=2.0), [[0.3], [0.3]])


@given(some.events(), EXACT, EXACT, EXACT)
def test_the_delta_rule_with_single_tokens_is_the_rule(
    events: list[reference.Event], alpha: Fraction, beta: Fraction, lambda_: Fraction
) -> None:
    cues, outcomes = reference.vocabularies(events)
    single = reference.delta_rule(events, alpha, beta, lambda_, cues, outcomes, number=Fraction)
    assert single == reference.learn(events, alpha, beta, lambda_, cues, outcomes, number=Fraction)


def test_batches_by_hand() -> None:
    events = [(("a",), ("x",), 1), (("a", "b"), (), 1), (("a",), (), 1), (("b",), ("x",), 1)]
    rule: dict[str, Any] = {"batch": 3, "initial": {("a", "x"): Fraction(1), ("b", "x"): Fraction(2)}}
    half = Fraction(1, 2)
    # Errors of the first three: 1 - 1, 0 - 3, 0 - 1. Then b = 1/2, with an error of 1 - 1/2.
    found = reference.delta_rule(events, 1, half, 1, "ab", "x", **rule, number=Fraction)
    assert found == {("a", "x"): -1, ("b", "x"): Fraction(3, 4)}
    # Those of the last, the first, the second: 1 - 2, 1 - 1, 0 - 3. Then a = 1/2, with an error of 0 - 1/2.
    rule |= {"reduction": "mean", "orders": [[3, 0, 1, 2]]}
    found = reference.delta_rule(events, 1, half, 1, "ab", "x", **rule, number=Fraction)
    assert found == {("a", "x"): Fraction(1, 4), ("b", "x"): Fraction(4, 3)}


@pytest.mark.parametrize(
    ("function", "loss"),
    [("identity", "squared"), ("logistic", "squared"), ("logistic", "log"), ("tanh", "squared")],
)
@given(some.events(max_events=4, frequencies=st.integers(0, 2)), st.floats(-1, 1), st.floats(-1, 1))
def test_a_full_batch_goes_down_the_gradient(
    function: Literal["identity", "logistic", "tanh"],
    loss: Literal["squared", "log"],
    events: list[reference.Event],
    first: float,
    second: float,
) -> None:
    cues, outcomes = reference.vocabularies(events)
    start = {(c, o): first + second * i for i, c in enumerate(cues) for o in outcomes}
    target = 0.9

    def total(weights: reference.Weights) -> float:
        """The loss, summed over tokens and outcomes."""
        result = 0.0
        for event_cues, event_outcomes, frequency in events:
            for outcome in outcomes:
                h = reference.activation(weights, event_cues, outcome)
                t = target if outcome in event_outcomes else -target if function == "tanh" else 0.0
                g = {"identity": h, "logistic": 1 / (1 + math.exp(-h)), "tanh": math.tanh(h)}[function]
                if loss == "squared":
                    result += frequency * (t - g) ** 2 / 2
                else:
                    # log g = -log(1 + exp(-h)), log(1 - g) = -log(1 + exp(h))
                    result += frequency * (t * math.log1p(math.exp(-h)) + (1 - t) * math.log1p(math.exp(h)))
        return result

    after = reference.delta_rule(
        events, 0.5, 0.1, target, cues, outcomes, function, loss, "full", initial=start
    )
    for pair, weight in start.items():
        by = 1e-5
        slope = (total(start | {pair: weight + by}) - total(start | {pair: weight - by})) / (2 * by)
        assert after[pair] - weight == pytest.approx(-0.5 * 0.1 * slope, rel=1e-5, abs=1e-7)


def test_the_logistic_function_of_any_number() -> None:
    assert [reference.logistic(h) for h in (-1e9, 0.0, 1e9)] == [0.0, 0.5, 1.0]
    assert reference.logistic(1.0) == pytest.approx(math.e / (1 + math.e))


def test_a_perceptron_by_hand() -> None:
    # Predictions 0 and 1/2 * 2; moves by 2 * 1/8 * error * input.
    tokens = [(("a",), True), (("a", "b"), False)]
    assert reference.perceptron(tokens, {"a": 2.0, "b": 3.0}, 0.125) == {"a": 0.5 - 0.5, "b": -0.75}


def test_the_exact_equilibrium() -> None:
    # One cue: present 3 times of 4 at rates 1 and 1/2, so 3 / (3 + 1/2).
    events = [(("a",), ("x",), 3), (("a",), (), 1)]
    np.testing.assert_allclose(reference.exact_equilibrium(events, "a", "x", (1, 0.5), 2), [[12 / 7]])
    danks = [
        (("pots", "red", "blue"), ("y",), 5),
        (("pots", "red"), ("y",), 10),
        (("pots", "red"), ("n",), 5),
        (("pots", "blue"), ("y",), 5),
        (("pots", "blue"), ("n",), 10),
        (("pots",), ("n",), 5),
    ]
    names = ("pots", "red", "blue")
    found = reference.exact_equilibrium(danks, names, "y", (Fraction(1, 5), Fraction(1, 20)))
    np.testing.assert_allclose(found, [[12 / 33], [16 / 33], [8 / 33]])
    # Two cues that come together, of saliences 1 and 3, share 1 : 3; one of salience 0 has nothing.
    together = [(("a", "b", "c"), ("x",), 2)]
    found = reference.exact_equilibrium(together, "abc", "x", (1, 1), 1, {"a": 1, "b": 3, "c": 0})
    np.testing.assert_allclose(found, [[0.25], [0.75], [0.0]])
    # With one rate: least squares.
    np.testing.assert_allclose(
        reference.exact_equilibrium(danks, names, "yn", (1, 1)),
        reference.equilibrium(danks, names, "yn"),
        atol=1e-14,
    )


def test_the_exact_equilibrium_from_initial_weights() -> None:
    both = [(("a", "b"), ("x",), 2)]
    # Blocking; then a is 1/2, and the rest is shared 1 : 3; then b is frozen, and predicts.
    cases: tuple[tuple[Any, Any, Any], ...] = (
        ({("a", "x"): 1}, 1, [[1], [0]]),
        ({("a", "x"): 0.5}, {"a": 1, "b": 3}, [[0.625], [0.375]]),
        ({("b", "x"): 0.25}, {"a": 1, "b": 0}, [[0.75], [0.25]]),
    )
    for start, alpha, expected in cases:
        np.testing.assert_allclose(
            reference.exact_equilibrium(both, "ab", "x", (1, 0.5), 1, alpha, start), expected
        )
    # Two rates: a comes to 3 / (3 + 1/2) whatever it was; c is in no event.
    events = [(("a",), ("x",), 3), (("a",), (), 1)]
    found = reference.exact_equilibrium(events, "ac", "x", (1, 0.5), 1, 1, {("a", "x"): 5, ("c", "x"): -2})
    np.testing.assert_allclose(found, [[6 / 7], [-2.0]])


@given(st.integers(1, 4), st.data())
def test_solving_in_fractions(n: int, data: st.DataObject) -> None:
    numbers = st.integers(-2, 2).map(Fraction)
    matrix = data.draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=n, max_size=n))
    wanted = data.draw(st.lists(numbers, min_size=n, max_size=n))
    right = [sum((a * b for a, b in zip(row, wanted, strict=True)), Fraction(0)) for row in matrix]
    found = reference.solve(matrix, right)
    assert [sum((a * b for a, b in zip(row, found, strict=True)), Fraction(0)) for row in matrix] == right
