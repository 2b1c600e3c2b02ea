"""`equilibrium`: where the mean update vanishes, and where learning goes."""

import csv
import itertools
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import Event

METHODS = st.sampled_from(["dense", "iterative"])
# (1, 0) has a matrix of its own rank for each outcome.
BETAS = st.sampled_from([(1.0, 1.0), (0.2, 0.05), (0.05, 0.2), (1.0, 0.0)])
DANKS: list[Event] = [
    (("pots", "red", "blue"), ("y",), 5),
    (("pots", "red"), ("y",), 10),
    (("pots", "red"), ("n",), 5),
    (("pots", "blue"), ("y",), 5),
    (("pots", "blue"), ("n",), 10),
    (("pots",), ("n",), 5),
]
SALIENCES = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])


def some_token(events: list[Event]) -> bool:
    """Whether there is anything to learn from."""
    return any(frequency for _, _, frequency in events)


# Large counts round, so that singular normal equations look regular; small ones are exact.
COUNTS = st.one_of(some.FREQUENCIES, st.integers(900, 2000))


@given(some.events(frequencies=COUNTS), some.DUPLICATES, st.data())
def test_equilibrium_is_least_squares_of_the_least_norm(
    events: list[Event], duplicates: Any, data: st.DataObject
) -> None:
    assume(some_token(events))
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    lambda_ = data.draw(st.one_of(some.LAMBDAS, st.fixed_dictionaries(dict.fromkeys(outcomes, some.LAMBDAS))))
    result = rw.equilibrium(rw.read_events(events, duplicates=duplicates), lambda_=lambda_)
    assert (tuple(result.cues), tuple(result.outcomes)) == (cues, outcomes)
    # Weights grow with lambda, and so do their errors.
    expected = reference.equilibrium(rows, cues, outcomes, lambda_)
    some.assert_close(result.values, expected, 1e-9 * max(1.0, np.abs(expected).max(initial=0.0)))


def mean_update(
    rows: list[Event], weights: rw.Weights, beta: tuple[float, float], lambda_: Any
) -> list[float]:
    """The sum over all tokens of what each would change, of every pair."""
    start = {(c, o): weights[c, o] for c in weights.cues for o in weights.outcomes}
    mean = dict.fromkeys(start, 0.0)
    for cues, outcomes, frequency in rows:
        token = [(cues, outcomes, 1)]
        after = reference.learn(token, 1.0, beta, lambda_, weights.cues, weights.outcomes, start)
        for pair in mean:
            mean[pair] += frequency * (after[pair] - start[pair])
    return list(mean.values())


@given(some.events(), some.DUPLICATES, BETAS, some.LAMBDAS, METHODS)
def test_the_mean_update_is_zero(
    events: list[Event], duplicates: Any, beta: Any, lambda_: float, method: Any
) -> None:
    assume(some_token(events))
    rows = reference.normalised(events, duplicates)
    source = rw.read_events(events, duplicates=duplicates)
    weights = rw.equilibrium(source, beta=beta, lambda_=lambda_, method=method)
    some.assert_close(mean_update(rows, weights, beta, lambda_), 0, 1e-9 * max(1.0, abs(lambda_)))


@given(some.events(), some.DUPLICATES, BETAS, st.data())
def test_it_is_the_exact_fixed_point(
    events: list[Event], duplicates: Any, beta: Any, data: st.DataObject
) -> None:
    assume(some_token(events))
    rows = reference.normalised(events, duplicates)
    source = rw.read_events(events, duplicates=duplicates)
    alpha = data.draw(st.none() | st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES)))
    lambda_ = data.draw(st.fixed_dictionaries(dict.fromkeys(source.outcomes, some.LAMBDAS)))
    keywords: dict[str, Any] = {"beta": beta, "lambda_": lambda_, "alpha": alpha}
    names = source.cues, source.outcomes
    expected = reference.exact_equilibrium(rows, *names, beta, lambda_, 1 if alpha is None else alpha)
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    some.assert_close(rw.equilibrium(source, **keywords).values, expected, 1e-12 * size)
    iterated = rw.equilibrium(source, **keywords, method="iterative")
    some.assert_close(iterated.values, expected, 1e-8 * size)


def test_two_rates_in_danks_data() -> None:
    weights = rw.equilibrium(rw.read_events(DANKS), beta=(0.2, 0.05))
    assert {cue: round(weights[cue, "y"], 4) for cue in weights.cues} == {
        "pots": 0.3636,
        "red": 0.4848,
        "blue": 0.2424,
    }


@pytest.mark.parametrize("beta", [(0.2, 0.05), (1e-3, 1.0), (1.0, 1e-3), (1.0, 0.0)])
@pytest.mark.parametrize("method", ["dense", "iterative"])
def test_two_rates_where_outcomes_are_rare(beta: Any, method: Any) -> None:
    # Few cue sets have a given outcome, so that its matrix is an update of the one that all share.
    events = some.wide_events(5, 300, 60, 40)
    rows = reference.normalised(events)
    source = rw.read_events(events)
    weights = rw.equilibrium(source, beta=beta, method=method)
    assert weights.parameters["residual"] < (1e-14 if method == "dense" else 1e-11)
    for outcome in ("o0", "o13", "o39"):
        frequency = np.array([f * (beta[0] if outcome in o else beta[1]) for _, o, f in rows])
        present = np.array([outcome in o for _, o, _ in rows], dtype=float)
        root = np.sqrt(frequency)
        matrix = root[:, None] * reference.incidence(rows, source.cues, "cues")
        expected = np.linalg.lstsq(matrix, root * present, rcond=1e-10)[0]
        some.assert_close(weights.column(outcome), expected, 1e-10 if method == "dense" else 1e-7)


def test_a_rate_of_zero() -> None:
    events = rw.read_events([("a_b", "x", 3), ("a", "y", 1), ("a_b", "", 5)])
    # Learned of where it is present only: all its events predict lambda.
    only = rw.equilibrium(events, beta=(0.1, 0.0), lambda_=2.0)
    some.assert_close(only.values, [[1, 2], [1, 0]])
    nothing = rw.equilibrium(events, beta=(0.0, 0.1))
    assert not nothing.values.any()
    assert nothing.parameters["residual"] == 0
    with pytest.raises(ValueError, match="beta must be more than 0"):
        rw.equilibrium(events, beta=(0.0, 0.0))


@given(some.events(), BETAS, st.data())
def test_lambda_scales_its_column(events: list[Event], beta: Any, data: st.DataObject) -> None:
    assume(some_token(events))
    source = rw.read_events(events)
    lambda_ = data.draw(st.fixed_dictionaries(dict.fromkeys(source.outcomes, some.LAMBDAS)))
    one = rw.equilibrium(source, beta=beta)
    each = rw.equilibrium(source, beta=beta, lambda_=lambda_)
    factors = np.array([lambda_[outcome] for outcome in source.outcomes])
    some.assert_close(each.values, one.values * factors, 1e-12 * max(1.0, np.abs(each.values).max(initial=0)))


@given(some.events(frequencies=COUNTS), some.DUPLICATES, BETAS, st.sampled_from([0.0, 0.01, 3.0]), st.data())
def test_both_methods_agree(
    events: list[Event], duplicates: Any, beta: Any, ridge: float, data: st.DataObject
) -> None:
    assume(some_token(events))
    source = rw.read_events(events, duplicates=duplicates)
    alpha = data.draw(st.none() | st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES)))
    keywords: dict[str, Any] = {"beta": beta, "ridge": ridge, "alpha": alpha}
    dense, iterative = (
        rw.equilibrium(source, method=method, **keywords) for method in ("dense", "iterative")
    )
    size = max(1.0, float(np.abs(dense.values).max(initial=0.0)))
    bound = 1e-8 * size
    if ridge:
        # The iterations end at a gradient of 1e-12 times C'FO, and no eigenvalue is below the ridge.
        counts = source.cue_matrix().T @ (source.outcome_matrix() * source.frequencies[:, None])
        bound = max(bound, 1e-12 * float(np.linalg.norm(counts.toarray())) / ridge)
    some.assert_close(iterative.values, dense.values, bound)
    assert dense.parameters["solver"] in ("cholesky", "eigen")
    assert dense.parameters["iterations"] is None
    assert (iterative.parameters["solver"], iterative.parameters["rank"]) == ("cgls", None)
    assert iterative.parameters["converged"]
    assert max(dense.parameters["residual"], iterative.parameters["residual"]) < 1e-10


@given(st.integers(0, 99), st.sampled_from([1.0, (0.2, 0.05), (0.1, 0.0)]), METHODS, some.THREADS)
def test_threads_do_not_change_a_bit(seed: int, beta: Any, method: Any, threads: int) -> None:
    source = rw.read_events(some.wide_events(seed, 200, 50, 40))
    one = rw.equilibrium(source, beta=beta, method=method, threads=1)
    several = rw.equilibrium(source, beta=beta, method=method, threads=threads)
    assert some.bits(one.values) == some.bits(several.values)
    same = ("residual", "iterations", "rank", "solver")
    assert [one.parameters[name] for name in same] == [several.parameters[name] for name in same]


@given(some.events(), BETAS, METHODS, st.randoms(use_true_random=False))
def test_names_and_the_order_of_events_do_not_matter(
    events: list[Event], beta: Any, method: Any, random: Any
) -> None:
    assume(some_token(events))
    other = {name: f"{name}, renamed" for cues, outcomes, _ in events for name in (*cues, *outcomes)}
    moved = [([other[c] for c in cues], [other[o] for o in outcomes], f) for cues, outcomes, f in events]
    random.shuffle(moved)
    found, again = (
        rw.equilibrium(rw.read_events(each), beta=beta, method=method) for each in (events, moved)
    )
    for cue in found.cues:
        for outcome in found.outcomes:
            assert again[other[cue], other[outcome]] == pytest.approx(found[cue, outcome], rel=0, abs=1e-9)


@given(some.events(frequencies=st.integers(0, 4)), BETAS, METHODS)
def test_a_frequency_is_that_many_events(events: list[Event], beta: Any, method: Any) -> None:
    assume(some_token(events))
    # Names in the same order, for that of the cues decides about rounding.
    names: Event = (*reference.vocabularies(events), 0)
    apart = [(cues, outcomes, 1) for cues, outcomes, frequency in events for _ in range(frequency)]
    found, other = (
        rw.equilibrium(rw.read_events(each), beta=beta, method=method) for each in (events, [names, *apart])
    )
    assert (found.cues, found.outcomes) == (other.cues, other.outcomes)
    assert some.bits(found.values) == some.bits(other.values)


@pytest.mark.parametrize("method", ["dense", "iterative"])
def test_the_residual_is_that_of_the_normal_equations(method: Any) -> None:
    events = some.wide_events(2, 60, 30, 20)
    rows = reference.normalised(events)
    source = rw.read_events(events)
    # Far from the solution: conjugate gradients stopped early, small eigenvalues taken for zero.
    weights = rw.equilibrium(source, method=method, tol=0.1, lambda_=3.0)
    frequency = np.array([[f] for _, _, f in rows])
    cues = reference.incidence(rows, source.cues, "cues")
    targets = 3.0 * reference.incidence(rows, source.outcomes, "outcomes")
    rest = cues.T @ (frequency * (targets - cues @ weights.values))
    expected = np.linalg.norm(rest) / np.linalg.norm(cues.T @ (frequency * targets))
    assert expected > 1e-3
    assert weights.parameters["residual"] == pytest.approx(expected, rel=1e-9)


# A rare set of cues leaves less than what a common one rounds off.
WIDE_COUNTS = st.sampled_from([1, 2, 7, 1000, 10**6 + 1, 10**8 + 7, 4 * 10**9 - 1, 4 * 10**9, 2**32 - 1])
COMMON = st.sampled_from([3 * 10**9 + 1, 4 * 10**9 - 1, 4 * 10**9, 2**32 - 1])
FEW_CUES = [tuple(cues) for n in (1, 2, 3) for cues in itertools.combinations("abcd", n)]
# Sets that tell all cues apart, one of which is rare,
ONE_RARE = st.tuples(
    st.permutations(FEW_CUES).map(lambda sets: sets[:5]),
    st.lists(st.sampled_from("xy"), min_size=5, max_size=5),
    st.lists(COMMON, min_size=4, max_size=4).map(lambda counts: [2, *counts]),
).map(lambda drawn: [(cues, (outcome,), f) for cues, outcome, f in zip(*drawn, strict=True)])
# and any sets, of cues that may come twice, of which some say no more than others.
ANY_SETS = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(FEW_CUES), st.lists(st.sampled_from("abc"), max_size=4).map(tuple)),
        st.sampled_from([(), ("x",), ("y",), ("x", "y")]),
        WIDE_COUNTS,
    ),
    min_size=4,
    max_size=8,
)


def warned_of(caught: list[warnings.WarningMessage]) -> bool:
    """Whether a warning said that the solution is not exact."""
    assert all(issubclass(each.category, RuntimeWarning) for each in caught)
    return bool(caught)


@given(st.one_of(ONE_RARE, ANY_SETS), some.DUPLICATES, BETAS, st.data())
def test_frequencies_far_apart_do_not_cost_digits(
    events: list[Event], duplicates: Any, beta: Any, data: st.DataObject
) -> None:
    rows = reference.normalised(events, duplicates)
    source = rw.read_events(events, duplicates=duplicates)
    saliences = st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES.filter(bool)))
    alpha = data.draw(st.none() | saliences)
    expected = reference.exact_equilibrium(
        rows, source.cues, source.outcomes, beta, 1, 1 if alpha is None else alpha
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = rw.equilibrium(source, beta=beta, alpha=alpha, method="dense")
    assert found.parameters["converged"] is not warned_of(caught)
    if not caught:
        sizes = np.maximum(1.0, np.abs(expected).max(axis=0, initial=0.0))
        some.assert_close(found.values / sizes, expected / sizes, 1e-10)


FAR_APART: list[Event] = [
    (("b",), ("x",), 4_000_000_000),
    (("a", "c"), ("y",), 3_999_999_999),
    (("c",), ("y",), 2),
    (("a", "b", "c"), ("y",), 4_000_000_000),
]


@pytest.mark.parametrize("beta", [(1.0, 1.0), (0.2, 0.05), (0.01, 0.1)])
@pytest.mark.parametrize("more", [[], [(("a", "d"), ("x",), 5), (("d",), (), 4_000_000_000)]])
def test_the_residual_is_that_of_a_solution_to_the_last_digit(beta: Any, more: list[Event]) -> None:
    events = FAR_APART + more
    source = rw.read_events(events)
    # No warning: those are errors here.
    found = rw.equilibrium(source, beta=beta, method="dense")
    expected = reference.exact_equilibrium(events, source.cues, source.outcomes, beta)
    some.assert_close(found.values, expected, 1e-14)
    # That of the numbers as they are rounded: it is not zero, and no more than rounding.
    assert 0 < found.parameters["residual"] < 1e-15


@pytest.mark.parametrize("beta", [(1.0, 1e-9), (1.0, 1e-14)])
def test_rates_too_far_apart_are_said(beta: Any) -> None:
    # What the rarest events weigh is rounding beside the others: cues that they tell apart look the same.
    events: list[Event] = [(("a", "b"), ("x",), 4_000_000_000), (("a",), ("y",), 1), (("c",), ("x",), 5)]
    source = rw.read_events(events)
    with pytest.warns(
        RuntimeWarning, match="not exact to rounding .* give a ridge, or the method 'iterative'"
    ):
        found = rw.equilibrium(source, beta=beta, method="dense")
    assert found.parameters["converged"] is False
    # Who says what counts as zero is not warned, and cues that cannot be told apart are none of it.
    assert rw.equilibrium(source, beta=beta, method="dense", tol=1e-10).parameters["converged"]
    together = [*events, (("a", "b", "d"), (), 3), (("d",), ("y",), 2)]
    together += [((e, f), ("x",), 7) for e in "ef" for f in "gh"]
    assert rw.equilibrium(rw.read_events(together), method="dense").parameters["converged"]


def test_pivots_in_doubt_leave_it_to_eigenvalues() -> None:
    # The part of b that a does not explain is 2.5e-10 of it: much for a rounding error, little to be sure.
    weights = rw.equilibrium(rw.read_events([("a_b", "x", 4_000_000_000), ("a", "y", 1)]))
    assert (weights.parameters["solver"], weights.parameters["rank"]) == ("eigen", 2)
    some.assert_close(weights.values, [[0, 1], [1, -1]])


def test_no_convergence_is_said() -> None:
    events = rw.read_events(some.wide_events(3, 60, 30, 20))
    with pytest.warns(RuntimeWarning, match="not within tol = 1e-200 after .* give a larger tol"):
        weights = rw.equilibrium(events, method="iterative", tol=1e-200)
    assert weights.parameters["converged"] is False
    some.assert_close(weights.values, rw.equilibrium(events).values)


def test_without_a_cue_or_an_outcome_there_is_nothing_to_solve() -> None:
    cases: list[list[Event]] = [[((), ("x",), 1)], [(("a",), (), 1)], [(("a",), ("x",), 0)]]
    for events in cases:
        for method in ("dense", "iterative"):
            for beta in (1.0, (0.2, 0.1), (1.0, 0.0)):
                weights = rw.equilibrium(rw.read_events(events), beta=beta, method=method)
                assert not weights.values.any()
                assert weights.parameters["residual"] == 0


@given(some.events(), st.sampled_from([0.01, 1.0, 30.0]), METHODS, st.data())
def test_ridge(events: list[Event], ridge: float, method: Any, data: st.DataObject) -> None:
    assume(some_token(events))
    rows = reference.normalised(events)
    source = rw.read_events(events)
    # With a ridge there is one solution, so that saliences have nothing to choose.
    positive = st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES.filter(bool)))
    result = rw.equilibrium(source, ridge=ridge, method=method, alpha=data.draw(st.none() | positive))
    expected = reference.equilibrium(rows, result.cues, result.outcomes, ridge=ridge)
    some.assert_close(result.values, expected)


@given(some.events(frequencies=COUNTS), st.data())
def test_saliences_choose_among_the_solutions(events: list[Event], data: st.DataObject) -> None:
    assume(some_token(events))
    rows = reference.normalised(events)
    source = rw.read_events(events)
    alpha = data.draw(st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES)))
    result = rw.equilibrium(source, alpha=alpha)
    expected = reference.equilibrium(rows, source.cues, source.outcomes, alpha=alpha)
    some.assert_close(result.values, expected)


def test_many_outcomes() -> None:
    events = some.wide_events(1, 40, 6, 600)
    result = rw.equilibrium(rw.read_events(events))
    rows = reference.normalised(events)
    some.assert_close(result.values, reference.equilibrium(rows, result.cues, result.outcomes))


def test_the_tolerance_decides_what_counts_as_singular() -> None:
    # Cues that all but always come together: one eigenvalue is 4000 times the other.
    events = rw.read_events([("a_b", "x", 1000), ("a", "y", 1)])
    apart, together = rw.equilibrium(events), rw.equilibrium(events, tol=0.01)
    assert (apart.parameters["rank"], together.parameters["rank"]) == (2, 1)
    some.assert_close(apart.values, [[0.0, 1.0], [1.0, -1.0]])
    some.assert_close(together.values, [[0.5, 0.0], [0.5, 0.0]], 1e-3)


TRAINING: dict[str, list[Event]] = {
    "independent cues": [(("a", "b"), ("x",), 1), (("a",), ("y",), 2), (("b",), ("x",), 1)],
    "cues that come together": [
        (("a", "b", "c"), ("x",), 2),
        (("c",), ("y",), 1),
        (("a", "b", "c"), ("y",), 1),
    ],
    "twice the same cue": [(("a", "a", "b"), ("x",), 1), (("b",), ("x", "y"), 1), (("a", "a", "b"), (), 1)],
}


@pytest.mark.parametrize("events", TRAINING.values(), ids=TRAINING)
@pytest.mark.parametrize("ratio", [1.0, 0.3, 3.0])
def test_long_training_approaches_it(events: list[Event], ratio: float) -> None:
    present = {cue for cues, _, _ in events for cue in cues}
    alpha = {cue: value for cue, value in (("a", 1.0), ("b", 0.5), ("c", 0.25)) if cue in present}
    target = rw.equilibrium(rw.read_events(events, duplicates="keep"), alpha=alpha, beta=(ratio, 1.0))
    passes = rw.read_events(events * 4000, duplicates="keep")
    # From zero, with a rate that falls, so that the steps no longer shake the weights.
    reached = None
    distances = []
    for rate in (0.1, 0.01, 0.001):
        reached = rw.learn(passes, alpha=alpha, beta=(ratio * rate, rate), initial=reached)
        distances.append(float(np.abs(reached.values - target.values).max()))
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 0.01


@given(some.events())
def test_a_background_cue_is_a_cue_of_every_event(events: list[Event]) -> None:
    assume(some_token(events))
    late = rw.equilibrium(rw.read_events(events), background="always there")
    early = rw.equilibrium(rw.read_events(events, background="always there"))
    expected = reference.normalised(events, background="always there")
    for result in (late, early):
        some.assert_close(result.values, reference.equilibrium(expected, result.cues, result.outcomes))


@pytest.mark.parametrize("multiplicities", [(1, 1), (1, 1, 1), (1, 2), (3, 1, 2)])
def test_cues_that_always_come_together_share_alike_at_every_count(multiplicities: tuple[int, ...]) -> None:
    cues = [f"c{i}" for i, times in enumerate(multiplicities) for _ in range(times)]
    # One set of cues: w is a multiple of the multiplicities m, and predicts x as often as it comes.
    expected = np.array(multiplicities)[:, None] / np.dot(multiplicities, multiplicities)
    wrong = [
        count
        for count in range(1, 2500)
        if not np.allclose(
            rw.equilibrium(rw.read_events([(cues, ["x"], count)], duplicates="keep")).values,
            expected,
            atol=1e-9,
        )
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "keywords",
    [
        {"method": "svd"},
        {"tol": -1.0},
        {"beta": -1.0},
        {"beta": (1.0, -1.0)},
        {"ridge": -1.0},
        {"ridge": np.nan},
        {"lambda_": np.inf},
        {"alpha": -1.0},
    ],
)
def test_a_parameter_out_of_range_is_refused(keywords: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(keywords))):
        rw.equilibrium(rw.read_events([(["a"], ["x"], 1)]), **keywords)


# Published data, beside the pseudo-inverse of F^(1/2) C by singular values.


def table(shared: Path, name: str) -> list[dict[str, str]]:
    """The rows of one of R ndl's data sets."""
    with (shared / "data" / "ndl" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def serbian(shared: Path, n: int) -> list[Event]:
    """n-grams of word forms, to lemma, case and number."""
    cases = [
        (row["WordForm"], row["LemmaCase"].split("_"), int(row["Frequency"]))
        for row in table(shared, "serbian")
    ]
    return [(reference.ngrams(word, n), outcomes, frequency) for word, outcomes, frequency in cases]


def think(shared: Path, unsaid: tuple[str, ...]) -> list[Event]:
    """Finnish verbs of thinking: the levels of 23 factors, without those that say nothing."""
    rows = table(shared, "think")
    factors = list(rows[0])[1:-3]
    return [
        ([factor + row[factor] for factor in factors if row[factor] not in unsaid], [row["Lexeme"]], 1)
        for row in rows
    ]


def dative(shared: Path) -> list[Event]:
    """The dative alternation: the levels of all factors, lengths among them."""
    rows = table(shared, "dative")
    factors = [name for name in rows[0] if name != "RealizationOfRecipient"]
    return [([name + row[name] for name in factors], [row["RealizationOfRecipient"]], 1) for row in rows]


def numbers(shared: Path) -> list[Event]:
    """Set sizes to number words."""
    rows = table(shared, "numbers")
    return [(row["Cues"].split("_"), row["Outcomes"].split("_"), int(row["Frequency"])) for row in rows]


NOTHING = ("None", "Other", "Overt", "FiniteVerbChain", "Absent")
PUBLISHED: dict[str, tuple[Callable[[Path], list[Event]], int, int]] = {
    "think, 46 features": (lambda shared: think(shared, NOTHING), 46, 46),
    "think, all levels": (lambda shared: think(shared, ()), 69, 47),
    "serbian bigrams": (lambda shared: serbian(shared, 2), 355, 332),
    "serbian trigrams": (lambda shared: serbian(shared, 3), 1371, 845),
    "numbers": (numbers, 33, 15),
    "dative": (dative, 581, 566),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_data(shared: Path, name: str) -> None:
    make, n_cues, rank = PUBLISHED[name]
    rows = make(shared)
    events = rw.read_events(rows)
    root = np.sqrt([[float(frequency)] for _, _, frequency in rows])
    cues = root * reference.incidence(reference.normalised(rows), events.cues, "cues")
    expected = np.linalg.pinv(cues, rcond=1e-12) @ (
        root * reference.incidence(reference.normalised(rows), events.outcomes, "outcomes")
    )
    dense = rw.equilibrium(events, method="dense")
    assert (events.n_cues, dense.parameters["rank"]) == (n_cues, rank)
    some.assert_close(dense.values, expected, 1e-10)
    # In full: what the rank says is what eigenvalues say.
    by_eigenvalues = rw.equilibrium(events, method="dense", tol=1e-13)
    assert (by_eigenvalues.parameters["solver"], by_eigenvalues.parameters["rank"]) == ("eigen", rank)
    some.assert_close(by_eigenvalues.values, expected, 1e-10)
    some.assert_close(rw.equilibrium(events, method="iterative").values, expected, 1e-8)


# Threads.


def test_more_threads_than_there_can_be_are_as_many_as_help() -> None:
    source = rw.read_events(some.wide_events(3, 100, 30, 20))
    methods: tuple[Any, ...] = ("dense", "iterative")
    for method in methods:
        one, most = (rw.equilibrium(source, method=method, threads=n) for n in (1, 2**31))
        assert some.bits(one.values) == some.bits(most.values)


FEW_THREADS = """
import os, resource
import rescorla as rw
events = rw.read_events([("a_b", "x", 3), ("a", "y", 1)], progress=False)
if os.getuid() == 0:
    # No limit binds root.
    os.setuid(65534)
for limit in (0, *range(1, 40)):
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
    try:
        weights = rw.equilibrium(events, threads=8, progress=False)
    except RuntimeError as error:
        print(error)
    else:
        assert abs(weights["b", "x"] - 1) < 1e-9
        print("done")
        break
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are those of Linux")
def test_a_thread_that_cannot_start_is_a_runtime_error() -> None:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", FEW_THREADS], capture_output=True, text=True, check=True, env=environment
    )
    first, *others = done.stdout.splitlines()
    assert first.startswith("cannot start a thread: ")
    assert "ulimit" in first
    # As soon as there are two, one to look at signals and one to solve, the work is done.
    assert others[-1] == "done"
    assert set(others[:-1]) <= {first}


# In bounded memory.

LIMITED = """
import resource, sys
import numpy as np
import rescorla as rw

def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field + ":"))

n, n_outcomes, threads = map(int, sys.argv[1:])
rng = np.random.default_rng(1)
others = rng.integers(0, n, 2 * n)
rows = [([f"c{i % n}", f"c{other}"], [f"o{i % n_outcomes}"]) for i, other in enumerate(others)]
events = rw.read_events(rows)
# The formula of the notes: s sets that list k cues, p pairs, n columns; the result; stacks of threads.
sets = {tuple(sorted(cues)) for cues, _ in rows}
s, k, p = len(sets), sum(map(len, sets)), len({(tuple(sorted(c)), o) for c, (o,) in rows})
counting = 24 * k + 64 * s + 128 * p + 64_000_000
block = threads * 16 * (s + 3 * n) * -(-n_outcomes // threads)
needed = counting + block + 2 * 8 * n * n_outcomes + threads * (8 << 20)
limit = status("VmSize") + needed
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    rw.equilibrium(events, method="dense", threads=threads, progress=False)
except MemoryError as error:
    print(error)
weights = rw.equilibrium(events, threads=threads, progress=False)
print(limit, weights.parameters["solver"], weights.parameters["residual"])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are those of Linux")
def test_a_hundred_thousand_cues_in_bounded_memory() -> None:
    n = 100_000
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(n), "2", "2"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    refused, report = done.stdout.splitlines()
    assert refused.startswith("the normal equations needs ") or "method" in refused
    limit, solver, residual = report.split()
    assert int(limit) < 8 * n * n / 50
    assert (solver, float(residual) < 1e-9) == ("cgls", True)


SCARCE = """
import resource, sys
import rescorla as rw

def size():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmSize:"))

method, rate, ridge, *extras = sys.argv[1:]
rows = [([f"c{i * i % 307}", f"c{i * 7 % 311}", f"c{i % 101}"], [f"o{i % 23}"]) for i in range(2000)]
events = rw.read_events(rows, progress=False)
keywords = dict(method=method, beta=(1.0, float(rate)), ridge=float(ridge), threads=2, progress=False)
for extra in extras:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (size() + (int(extra) << 20), hard))
    try:
        rw.equilibrium(events, **keywords)
        print("done")
    except (MemoryError, RuntimeError) as error:
        print(error or "no memory for an array")
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are those of Linux")
@pytest.mark.parametrize(
    "call",
    [("dense", 1, 0), ("dense", 1, 2), ("dense", 0.3, 0), ("dense", 0, 0), ("iterative", 1, 0)],
    ids=["dense", "ridge", "two rates", "no beta2", "iterative"],
)
def test_where_memory_is_scarce_an_error_says_so(call: tuple[Any, ...]) -> None:
    # Less than a thread takes, than the counts, than the matrix, than the packed parts of matrices.
    extras = ["1", "4", "8", "24", "96", "400"]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCARCE, *map(str, call), *extras],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(extras)
    assert "memory" in done.stdout
