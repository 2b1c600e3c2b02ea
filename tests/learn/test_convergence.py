"""`convergence` against brute force, exact recursions and learning itself."""

import importlib
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event
from rescorla._learn import spectrum

Floats = NDArray[np.float64]

# The module, whose name is that of its function.
room: Any = importlib.import_module("rescorla._learn.convergence")

SALIENCES = st.sampled_from([0.0, 0.1, 0.5, 1.0])
RATES = st.sampled_from([0.01, 0.1, 0.3, 0.9])
BETAS = st.one_of(RATES, st.tuples(RATES, RATES), st.sampled_from([(0.1, 0.0), (0.0, 0.1)]))


@dataclass
class Problem:
    """Learning as matrices: each kind of token with its share, cues, present outcomes and rates."""

    share: Floats
    cues: Floats
    outcomes: Floats
    alpha: Floats
    beta: tuple[float, float]
    lambda_: Floats

    def steps(self, j: int) -> list[tuple[float, Floats, Floats, float, float]]:
        """Share, A, c, rate and target of each kind of token, for one outcome."""
        found = []
        for share, c, present in zip(self.share, self.cues, self.outcomes[:, j] > 0, strict=True):
            rate = self.beta[0] if present else self.beta[1]
            step = np.eye(len(c)) - rate * np.outer(self.alpha * c, c)
            found.append((float(share), step, c, rate, float(self.lambda_[j]) * present))
        return found

    def moving(self, j: int) -> tuple[Floats, list[tuple[float, Floats, float]]]:
        """A basis of the directions that move, as rows; and each kind of token in it: share, x, rate.

        In it x = D^(1/2) c, and a step is I - rate x x'.
        """
        root = np.sqrt(self.alpha)
        kinds = [(share, root * c, rate) for share, _, c, rate, _ in self.steps(j) if share * rate > 0]
        if not kinds:
            return np.zeros((0, len(root))), []
        cues = np.array([x for _, x, _ in kinds])
        span = np.linalg.svd(cues)[2][: np.linalg.matrix_rank(cues, tol=1e-9)]
        return span, [(share, span @ x, rate) for share, x, rate in kinds]

    def second_moment(self, j: int, factor: float = 1.0) -> Floats:
        """E[A kron A] among the directions that move, at `factor` times the rates."""
        span, kinds = self.moving(j)
        rest = 1 - sum(share for share, _, _ in kinds)
        total = rest * np.eye(len(span) ** 2)
        for share, x, rate in kinds:
            step = np.eye(len(span)) - factor * rate * np.outer(x, x)
            total += share * np.kron(step, step)
        return total

    def radius(self, j: int, factor: float) -> float:
        """rho(E[A kron A])."""
        return float(np.abs(np.linalg.eigvalsh(self.second_moment(j, factor))).max(initial=0.0))


def posed(rows: list[Event], source: rw.Events, alpha: Any, beta: Any, lambda_: Any) -> Problem:
    """The problem in the order of the names."""
    frequency = np.array([float(f) for _, _, f in rows])
    return Problem(
        share=frequency / frequency.sum(),
        cues=reference.incidence(rows, source.cues, "cues"),
        outcomes=np.minimum(reference.incidence(rows, source.outcomes, "outcomes"), 1),
        alpha=np.array([reference.of(alpha, cue) for cue in source.cues]),
        beta=beta if isinstance(beta, tuple) else (beta, beta),
        lambda_=np.array([reference.of(lambda_, outcome) for outcome in source.outcomes]),
    )


Known = tuple[rw.Convergence[Any], Problem]


@st.composite
def problems(draw: st.DrawFn, betas: st.SearchStrategy[Any] = BETAS) -> Known:
    """Events of some tokens with parameters, and the same as matrices."""
    events = draw(some.events(max_events=6, max_cues=5))
    duplicates: Any = draw(some.DUPLICATES)
    assume(any(frequency for _, _, frequency in events))
    source = rw.read_events(events, duplicates=duplicates)
    rows = reference.normalised(events, duplicates)
    alpha = draw(st.one_of(SALIENCES, st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES))))
    lambdas = st.sampled_from([1.0, 0.7, -0.3])
    lambda_ = draw(st.one_of(lambdas, st.fixed_dictionaries(dict.fromkeys(source.outcomes, lambdas))))
    beta = draw(betas)
    found = rw.convergence(source, alpha=alpha, beta=beta, lambda_=lambda_)
    return found, posed(rows, source, alpha, beta, lambda_)


def is_one(found: rw.Convergence[Any]) -> bool:
    """Whether one rate was given, so that numbers are no arrays."""
    return found.eigenvalues.ndim == 1


def of_outcome(value: Any, j: int) -> Any:
    """What a number or an array of one entry for each outcome has for an outcome."""
    return value if isinstance(value, float) else value[j]


# The mean.


@given(problems())
def test_the_spectrum_is_that_of_the_mean_step(problem: Known) -> None:
    found, exact = problem
    root = np.sqrt(exact.alpha)
    fastest = max(exact.beta)
    for j in range(len(found.outcomes)):
        mean = sum(share * rate * np.outer(root * c, root * c) for share, _, c, rate, _ in exact.steps(j))
        expected = np.sort(np.linalg.eigvalsh(mean / fastest))[::-1]
        values = found.eigenvalues if found.eigenvalues.ndim == 1 else found.eigenvalues[j]
        some.assert_close(values, expected, 1e-12)
        known: Any = found.eigenvectors
        vectors = known[j] if isinstance(known, tuple) else known
        rank = vectors.shape[1]
        some.assert_close(vectors.T @ vectors, np.eye(rank), 1e-12)
        some.assert_close(mean / fastest @ vectors, vectors * values[:rank], 1e-12)
        assert (values[rank:] == 0).all()
        largest = float(expected.max(initial=0.0))
        bound = of_outcome(found.mean_rate, j)
        assert bound == pytest.approx(2 / largest) if largest > 1e-9 else np.isinf(bound)


@given(problems(), st.data())
def test_the_mean_trajectory_is_the_exact_recursion(problem: Known, data: st.DataObject) -> None:
    found, exact = problem
    initial = None
    start = np.zeros((len(found.cues), len(found.outcomes)))
    if data.draw(st.booleans()):
        pairs = data.draw(some.initials(found.cues, found.outcomes))
        rows, columns = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
        initial = rw.Weights([[pairs[row, column] for column in columns] for row in rows], rows, columns)
        for i, cue in enumerate(found.cues):
            for j, outcome in enumerate(found.outcomes):
                start[i, j] = pairs.get((cue, outcome), 0.0)
    times = [0, 1, 2, 3, 7, 20]
    for j, outcome in enumerate(found.outcomes):
        weights, path = start[:, j].copy(), []
        for _ in range(max(times) + 1):
            path.append(weights)
            weights = sum(
                (
                    share * (step @ weights + rate * exact.alpha * c * target)
                    for share, step, c, rate, target in exact.steps(j)
                ),
                np.zeros(len(weights)),
            )
        # A mean that diverges has an error of its own size.
        tolerance = 1e-12 * max(1.0, float(np.abs(path).max(initial=0.0)))
        for i, cue in enumerate(found.cues):
            expected = [path[time][i] for time in times]
            some.assert_close(
                found.mean_trajectory(times, cue, outcome, initial=initial), expected, tolerance
            )
            late = found.mean_trajectory(3, cue, outcome, initial=initial)
            some.assert_close(late, path[3][i], tolerance)


@given(problems())
def test_the_mean_step_leaves_the_equilibrium_alone(problem: Known) -> None:
    found, exact = problem
    for j in range(len(found.outcomes)):
        weights = found.equilibrium.values[:, j]
        moved = sum(
            share * (step @ weights + rate * exact.alpha * c * t)
            for share, step, c, rate, t in exact.steps(j)
        )
        some.assert_close(moved, weights, 1e-10)
        assert (weights[exact.alpha == 0] == 0).all()


@given(problems(RATES))
def test_with_one_rate_it_is_the_equilibrium(problem: Known) -> None:
    found, _ = problem
    assume(max(found.beta1, found.beta2) < found.mean_rate)
    parameters = found.parameters
    assert found.equilibrium.values.shape == (parameters["n_cues"], parameters["n_outcomes"])
    for outcome in found.outcomes[:2]:
        for cue in found.cues[:3]:
            late = found.mean_trajectory(10**12, cue, outcome)
            some.assert_close(late, found.equilibrium[cue, outcome], 1e-9)


@given(some.events(), SALIENCES.filter(bool), st.data())
def test_the_equilibrium_is_that_of_equilibrium(
    events: list[Event], alpha: float, data: st.DataObject
) -> None:
    assume(any(frequency for _, _, frequency in events))
    source = rw.read_events(events)
    per_cue = data.draw(st.none() | st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES)))
    saliences = alpha if per_cue is None else per_cue
    lambda_ = data.draw(st.fixed_dictionaries(dict.fromkeys(source.outcomes, some.LAMBDAS)))
    found = rw.convergence(source, alpha=saliences, lambda_=lambda_).equilibrium
    expected = rw.equilibrium(source, alpha=saliences, lambda_=lambda_)
    assert (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
    some.assert_close(found.values, expected.values, 1e-9 * max(1.0, np.abs(expected.values).max(initial=0)))
    assert found.parameters["rank"] == expected.parameters["rank"]


def test_the_mean_of_many_learners_is_the_mean_trajectory() -> None:
    source = rw.read_events([("a", "x", 3), ("a_b", "y", 2), ("b_c", "x"), ("c", "", 2)])
    found = rw.convergence(source, alpha=0.7, beta=(0.9, 0.5))
    learners = [rw.learn(source.sample(12, seed), alpha=0.7, beta=(0.9, 0.5)).values for seed in range(4000)]
    mean, error = np.mean(learners, axis=0), np.std(learners, axis=0) / math.sqrt(len(learners))
    expected = [[found.mean_trajectory(12, cue, outcome) for outcome in "xy"] for cue in "abc"]
    # Six weights: one beyond 4.5 standard errors in 25,000 such tests. Errors are small beside the weights.
    assert (np.abs(mean - expected) < 4.5 * error).all()
    assert error.max() < 0.01


# The bounds.


@given(problems())
def test_the_mean_square_rate_is_where_the_radius_is_one(
    problem: Known,
) -> None:
    found, exact = problem
    fastest = max(exact.beta)
    for j in range(len(found.outcomes)):
        bound = of_outcome(found.mean_square_rate, j)
        if not np.isfinite(bound):
            assert len(exact.moving(j)[0]) == 0
            continue
        assert of_outcome(found.safe_rate, j) <= bound * (1 + 1e-12)
        assert bound <= of_outcome(found.mean_rate, j) * (1 + 1e-12)
        assert exact.radius(j, bound / fastest * (1 - 1e-9)) < 1
        assert exact.radius(j, bound / fastest * (1 + 1e-9)) > 1


@given(problems(RATES))
def test_the_safe_rate_is_that_of_learn(problem: Known) -> None:
    found, exact = problem
    kappa = (exact.alpha * exact.cues**2).sum(axis=1)[exact.share > 0].max()
    if kappa == 0:
        assert found.safe_rate == found.mean_rate == found.mean_square_rate == np.inf
    else:
        some.assert_close(float(np.asarray(found.safe_rate)) * kappa, 2, 1e-12)


@pytest.mark.parametrize(("factor", "grows"), [(0.99, False), (1.01, True)])
def test_above_the_mean_square_rate_the_second_moment_diverges(factor: float, grows: bool) -> None:
    rows: list[Event] = [(("a",), ("x",), 3), (("a", "b"), ("y",), 1), (("b", "c"), ("x",), 2)]
    source = rw.read_events(rows)
    bound = rw.convergence(source, alpha=1.0).mean_square_rate
    assert isinstance(bound, float)
    exact = posed(rows, source, 1.0, bound * factor, 1.0)
    second = np.eye(3)
    sizes = []
    for _ in range(10):
        for _ in range(200):
            second = sum(
                (share * step @ second @ step.T for share, step, *_ in exact.steps(0)), np.zeros((3, 3))
            )
        sizes.append(float(np.trace(second)))
    assert all((after > before) == grows for before, after in pairwise(sizes))
    # The mean converges all the same.
    assert bound * factor < rw.convergence(source, alpha=1.0).mean_rate


def test_a_mean_that_overshoots_comes_from_both_sides() -> None:
    found = rw.convergence(rw.read_events([("a", "x")]), alpha=1, beta=1.5)
    some.assert_close(found.mean_trajectory([0, 1, 2, 3], "a", "x"), [0, 1.5, 0.75, 1.125], 1e-12)
    assert found.half_life("a", "x") == 1
    assert found.half_life().tolist() == [1]


def test_a_mean_that_is_there_at_once() -> None:
    found = rw.convergence(rw.read_events([("a", "x", 4)]), alpha=1, beta=1)
    assert np.asarray(found.mean_trajectory([0, 1, 2], "a", "x")).tolist() == [0, 1, 1]
    assert found.half_life("a", "x") == 1
    assert np.asarray(found.half_life()).tolist() == [0]
    assert found.passes(0.01) == 0.25


def test_a_cue_of_salience_zero_keeps_its_weight_and_predicts() -> None:
    source = rw.read_events([("light_tone", "food")])
    found = rw.convergence(source, alpha={"light": 0.0, "tone": 0.5}, beta=0.5)
    known = rw.Weights([[0.6]], ["light"], ["food"])
    tone = found.mean_trajectory([0, 1, 2, 1000], "tone", "food", initial=known)
    some.assert_close(tone, [0, 0.1, 0.175, 0.4], 1e-12)
    some.assert_close(found.mean_trajectory([0, 9], "light", "food", initial=known), [0.6, 0.6], 0)


def test_between_the_bounds_the_mean_converges_and_there_is_no_steady_state() -> None:
    rows = [("a", "x", 3), ("a_b", "y"), ("b_c", "x", 2)]
    bounds = rw.convergence(rw.read_events(rows), alpha=1)
    assert isinstance(bounds.mean_square_rate, float)
    assert isinstance(bounds.mean_rate, float)
    beta = (bounds.mean_square_rate + bounds.mean_rate) / 2
    found = rw.convergence(rw.read_events(rows), alpha=1, beta=beta)
    some.assert_close(found.mean_trajectory(10_000, "a", "x"), found.equilibrium["a", "x"])
    for method in ("exact", "small_rate"):
        with pytest.raises(ValueError, match=rf"unless beta is below {bounds.mean_square_rate:g}"):
            found.oscillation(method=method)


def test_one_cue_in_closed_form() -> None:
    beta, alpha = 0.3, 0.8
    step = beta * alpha
    found = rw.convergence(rw.read_events([("a", "x"), ("a", "y", 3)]), alpha=alpha, beta=beta)
    assert found.safe_rate == found.mean_square_rate == found.mean_rate == 2 / alpha
    # var = (1 - step)^2 var + step^2 p (1 - p)
    variance = step / (2 - step) * 3 / 16
    some.assert_close(found.oscillation(), np.sqrt([[variance, variance]]), 1e-12)
    some.assert_close(found.oscillation(method="small_rate"), np.full((1, 2), math.sqrt(step / 2 * 3 / 16)))
    some.assert_close(found.half_life(), [math.log(2) / -math.log(1 - step)], 1e-12)
    assert found.half_life("a", "x") == math.ceil(math.log(2) / -math.log(1 - step))


# Oscillation.


def variances(exact: Problem, j: int, weights: Floats) -> Floats:
    """The diagonal of S = E[A S A'] + E[beta^2 r^2 D c c' D]: as many equations as S has entries."""
    span, _ = exact.moving(j)
    noise = np.zeros((len(span), len(span)))
    for share, _, c, rate, target in exact.steps(j):
        push = rate * (target - c @ weights) * (span @ (np.sqrt(exact.alpha) * c))
        noise += share * np.outer(push, push)
    moment = np.eye(noise.size) - exact.second_moment(j)
    second = np.linalg.solve(moment, noise.reshape(-1)).reshape(noise.shape)
    return np.asarray(exact.alpha * (span.T @ second @ span).diagonal())


@given(problems())
def test_oscillation_is_the_fixed_point_of_the_second_moment(
    problem: Known,
) -> None:
    found, exact = problem
    parts = [max(exact.beta) / of_outcome(found.mean_square_rate, j) for j in range(len(found.outcomes))]
    for part, outcome in zip(parts, found.outcomes, strict=True):
        if part >= 1:
            with pytest.raises(ValueError, match=r"no steady state at beta = .* mean_square_rate"):
                found.oscillation(outcome=outcome)
    # Nearer to the bound, brute force loses digits.
    assume(max(parts, default=0) < 0.95)
    whole = np.asarray(found.oscillation())
    for j, outcome in enumerate(found.outcomes):
        expected = variances(exact, j, found.equilibrium.values[:, j])
        column = found.oscillation(outcome=outcome)
        some.assert_close(np.square(column), expected, 1e-10)
        some.assert_close(whole[:, j], column, 0)
        small = found.oscillation(outcome=outcome, method="small_rate")
        assert (np.asarray(small) <= np.asarray(column) + 1e-9).all()
    for i, cue in enumerate(found.cues):
        row = np.asarray(found.oscillation(cue))
        some.assert_close(row, whole[i], 0)
        for outcome, deviation in zip(found.outcomes, row, strict=True):
            assert found.oscillation(cue, outcome) == deviation


def test_rates_too_near_the_bound_are_refused() -> None:
    # There rounding decides whether the system is positive definite.
    with pytest.raises(FloatingPointError, match="too near the mean_square_rate"):
        spectrum._conjugate_gradients(lambda vector: -vector, np.ones(3))
    some.assert_close(
        spectrum._conjugate_gradients(lambda vector: vector * [1, 2, 4], np.ones(3)), [1, 0.5, 0.25]
    )


def test_the_small_rate_form_is_right_for_small_rates() -> None:
    source = rw.read_events([("a", "x", 3), ("a_b", "y", 2), ("b_c", "x"), ("c", "", 2)])
    for beta, tolerance in ((0.1, 0.1), (1e-3, 1e-3)):
        found = rw.convergence(source, alpha=0.5, beta=beta)
        ratio = np.asarray(found.oscillation(method="small_rate")) / np.asarray(found.oscillation())
        assert (ratio < 1).all()
        assert (ratio > 1 - tolerance).all()


def measured(source: rw.Events, seed: int, n_tokens: int, every: int, **rule: Any) -> Floats:
    """Standard deviations of the weights about their equilibrium, every so many tokens of a long sample."""
    target = rw.convergence(source, **rule).equilibrium
    tokens = source.sample(n_tokens, seed)
    weights, squares, times = target, np.zeros(target.values.shape), 0
    for start in range(0, n_tokens, every):
        weights = rw.learn(tokens[start : start + every], initial=weights, method="forward", **rule)
        # The first tenth leads away from the equilibrium, where learning begins.
        if start >= n_tokens // 10:
            squares += (weights.values - target.values) ** 2
            times += 1
    deviations: Floats = np.sqrt(squares / times)
    return deviations


MEASURED = {
    "one rate": ([("a", "x", 3), ("a_b", "y", 2), ("b_c", "x"), ("c", "", 2)], {"alpha": 1.0, "beta": 0.3}),
    "fast": ([("a", "x", 3), ("a_b", "y", 2), ("b_c", "x"), ("c", "", 2)], {"alpha": 1.0, "beta": 0.9}),
    "two rates": (
        [("a", "x", 3), ("a_b", "y", 2), ("b_c", "x"), ("c", "", 2)],
        {"alpha": 0.5, "beta": (0.8, 0.3)},
    ),
    "cues that come together": (
        [("a_b", "x", 3), ("a_b_c", "y", 2), ("c", "x")],
        {"alpha": 0.5, "beta": 0.4},
    ),
}


@pytest.mark.parametrize(("rows", "rule"), MEASURED.values(), ids=MEASURED)
def test_tokens_drawn_with_replacement_oscillate_as_predicted(rows: list[Any], rule: dict[str, Any]) -> None:
    source = rw.read_events(rows)
    predicted = np.asarray(rw.convergence(source, **rule).oscillation())
    found = measured(source, 1, 60_000, 10, **rule)
    assert predicted.min() > 0.01
    np.testing.assert_allclose(found, predicted, rtol=0.1)


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
            st.lists(st.sampled_from("xy"), max_size=2, unique=True),
            st.integers(1, 4),
        ),
        min_size=2,
        max_size=5,
    ),
    st.sampled_from([0.1, 0.3, 0.6]),
    st.integers(0, 2**32),
)
@settings(max_examples=15, derandomize=True)
def test_learners_of_any_events_oscillate_as_predicted(rows: list[Any], part: float, seed: int) -> None:
    source = rw.read_events(rows)
    bounds = rw.convergence(source, alpha=1.0)
    assert isinstance(bounds.safe_rate, float)
    beta = part * bounds.safe_rate
    found = rw.convergence(source, alpha=1.0, beta=beta)
    predicted = np.asarray(found.oscillation())
    # Learners on their own, begun at the equilibrium, until all but 2^-8 of that is forgotten.
    lives = np.asarray(found.half_life())
    slowest = float(lives[np.isfinite(lives)].max())
    assume(slowest < 60)
    n_learners, n_tokens = 1600, 4 * math.ceil(slowest)
    tokens = source.sample(n_learners * n_tokens, seed)
    squares = np.zeros(predicted.shape)
    for start in range(0, len(tokens), n_tokens):
        mine = tokens[start : start + n_tokens]
        learned = rw.learn(mine, alpha=1.0, beta=beta, initial=found.equilibrium, method="forward")
        squares += (learned.values - found.equilibrium.values) ** 2 / n_learners
    # The standard error is about 1 / sqrt(2 * 1600) = 1.8 % of the deviation.
    np.testing.assert_allclose(np.sqrt(squares), predicted, rtol=0.1, atol=1e-12)


# Half-lives and passes.


@given(problems(), st.data())
def test_a_half_life_is_when_half_of_the_way_is_done_for_good(problem: Known, data: st.DataObject) -> None:
    found, _ = problem
    assume(found.cues and found.outcomes)
    cue, outcome = data.draw(st.sampled_from(found.cues)), data.draw(st.sampled_from(found.outcomes))
    life = found.half_life(cue, outcome)
    assert isinstance(life, float)
    target = found.equilibrium[cue, outcome]
    if math.isnan(life):
        assert abs(target) < 1e-9
        return
    if not math.isfinite(life):
        assert max(found.beta1, found.beta2) >= of_outcome(found.mean_rate, found.outcomes.index(outcome))
        return
    assert life == int(life) > 0
    assume(life < 10_000)
    times = np.arange(int(life) - 1, 2 * int(life) + 200)
    away = np.abs(np.asarray(found.mean_trajectory(times, cue, outcome)) - target) - abs(target) / 2
    assert away[0] > -1e-9
    assert (away[1:] < 1e-9).all()


def test_a_half_life_after_a_detour_counts_from_the_last_return() -> None:
    # b first learns what a explains in the end: its weight rises, falls and then goes below zero.
    source = rw.read_events([("a", "x", 50), ("a_b", "x", 1), ("b", "x", 30), ("b", "", 200), ("a_b", "", 3)])
    found = rw.convergence(source, alpha=1, beta=0.3)
    for cue in "ab":
        times = np.arange(100_000)
        away = np.abs(np.asarray(found.mean_trajectory(times, cue, "x")) - found.equilibrium[cue, "x"])
        last = np.flatnonzero(away > abs(found.equilibrium[cue, "x"]) / 2)[-1]
        assert found.half_life(cue, "x") == last + 1


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-0.95, 0.95)), min_size=1, max_size=6), st.floats(0.01, 1)
)
# Below the bound at first, above it soon, and below it again.
@example([(0.5, 0.95), (-0.4, 0.5)], 0.3)
@example([(-0.5, 0.95), (0.4, 0.5)], 0.3)
@example([(0.25, 0.9), (-0.25, -0.9)], 0.3)
def test_settled_is_the_last_crossing(parts: list[tuple[float, float]], bound: float) -> None:
    terms, ratios = np.array(parts).T
    assume((np.abs(ratios) > 1e-3).all())
    times = np.arange(200)
    values = np.abs((terms * np.power(ratios, times[:, None])).sum(axis=1))
    assume((np.abs(values - bound) > 1e-9).all())
    above = np.flatnonzero(values > bound)
    expected = above[-1] + 1 if len(above) else 0
    assert room._last_reached(terms, np.log(np.abs(ratios)), np.sign(ratios), bound) == expected


@given(problems(), st.sampled_from([0.5, 0.1, 1e-3]))
def test_passes_are_those_after_which_the_mean_is_near(problem: Known, tol: float) -> None:
    found, exact = problem
    moves = exact.alpha > 0
    root = np.sqrt(exact.alpha[moves])[:, None]
    target = found.equilibrium.values[moves] / root

    def distance(time: int) -> Floats:
        weights = [[found.mean_trajectory(time, c, o) for o in found.outcomes] for c in found.cues]
        away = np.array(weights).reshape(len(moves), -1)[moves] / root - target
        return np.asarray(np.square(away).sum(axis=0))

    passes = found.passes(tol)
    sizes = np.square(target).sum(axis=0)
    # With one rate, all outcomes together; with two, each on its own.
    groups = [slice(None)] if is_one(found) else [slice(j, j + 1) for j in range(len(sizes))]
    for number, group in zip(np.atleast_1d(np.asarray(passes)), groups, strict=True):
        size = float(sizes[group].sum())
        if size == 0:
            assert number == 0
        elif np.isfinite(number):
            tokens = round(number * found.n_tokens)
            assert distance(tokens)[group].sum() <= tol**2 * size * (1 + 1e-6) + 1e-24
            assert distance(tokens - 1)[group].sum() > tol**2 * size * (1 - 1e-6) - 1e-24


def test_the_slowest_direction_sets_the_passes() -> None:
    found = rw.convergence(rw.read_events([("a", "x", 5), ("b", "y", 5)]), alpha=0.1, beta=0.1)
    # Both directions alike: (1 - 0.005)^t <= 0.01.
    tokens = math.ceil(math.log(0.01) / math.log(1 - 0.005))
    assert found.passes(0.01) == tokens / 10
    assert found.passes(2) == 0
    for tol in (0, -1):
        with pytest.raises(ValueError, match="tol must be more than 0"):
            found.passes(tol)


# Names, shapes, corner cases.


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_events_and_names_does_not_matter(problem: Known, random: Any) -> None:
    found, exact = problem
    cues, outcomes = list(found.cues), list(found.outcomes)
    renamed = {cue: f"{place} {cue}" for place, cue in enumerate(cues)}
    rows = [
        (
            [renamed[cues[i]] for i in np.repeat(np.arange(len(cues)), c.astype(int))],
            [outcomes[j] for j in np.flatnonzero(o)],
            round(share * found.n_tokens),
        )
        for share, c, o in zip(exact.share, exact.cues, exact.outcomes, strict=True)
    ]
    for event_cues, event_outcomes, _ in rows:
        random.shuffle(event_cues)
        random.shuffle(event_outcomes)
    random.shuffle(rows)
    again = rw.convergence(
        rw.read_events(rows, duplicates="keep"),
        alpha={renamed[cue]: float(a) for cue, a in zip(cues, exact.alpha, strict=True)},
        beta=exact.beta[0] if is_one(found) else exact.beta,
        lambda_={outcome: float(x) for outcome, x in zip(outcomes, exact.lambda_, strict=True)},
    )
    picked = [again.outcomes.index(outcome) for outcome in outcomes]
    for name in ("eigenvalues", "safe_rate", "mean_rate", "mean_square_rate"):
        first, second = getattr(found, name), getattr(again, name)
        if not is_one(found):
            second = second[picked]
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12)
    rows_of = [again.cues.index(renamed[cue]) for cue in cues]
    moved = again.equilibrium.values[np.ix_(rows_of, picked)]
    some.assert_close(moved, found.equilibrium.values, 1e-9)


def test_chosen_outcomes_are_the_same() -> None:
    source = rw.read_events([("a", "x", 3), ("a_b", "y_z", 2), ("b_c", "x_z"), ("c", "", 2)])
    for beta in (0.1, (0.1, 0.03)):
        lambda_ = {"x": 1.0, "y": 2.0, "z": -1.0}
        whole = rw.convergence(source, beta=beta, lambda_=lambda_)
        some_of = rw.convergence(source, beta=beta, lambda_=lambda_, outcomes=["z", "x"])
        assert some_of.outcomes == ("z", "x")
        some.assert_close(some_of.equilibrium.values, whole.equilibrium.values[:, [2, 0]], 0)
        some.assert_close(some_of.oscillation(), np.asarray(whole.oscillation())[:, [2, 0]], 0)
        assert some_of.half_life("b", "z") == whole.half_life("b", "z")
        if isinstance(beta, tuple):
            some.assert_close(some_of.mean_rate, np.asarray(whole.mean_rate)[[2, 0]], 0)
            assert some_of.eigenvalues.shape == (2, 3)
            assert np.asarray(some_of.passes(0.1)).shape == (2,)


def test_pairs_of_equal_rates_are_one_rate() -> None:
    source = rw.read_events([("a", "x", 3), ("a_b", "y", 2)])
    one, pair = rw.convergence(source, beta=0.2), rw.convergence(source, beta=(0.2, 0.2))
    assert one.summary() == pair.summary()
    assert repr(one) == repr(pair)
    # What is asked with a pair is answered with an entry for each outcome.
    for name in ("safe_rate", "mean_rate", "mean_square_rate", "eigenvalues"):
        assert np.array_equal(getattr(pair, name), [getattr(one, name)] * 2)
    assert isinstance(one.safe_rate, float)


def test_rates_that_all_but_agree_give_all_but_the_same() -> None:
    source = rw.read_events([("a", "x", 3), ("a_b", "y", 2), ("b_c", "x"), ("c", "", 2)])
    one, pair = rw.convergence(source, beta=0.2), rw.convergence(source, beta=(0.2, 0.2 - 1e-10))
    for name in ("eigenvalues", "safe_rate", "mean_rate", "mean_square_rate"):
        expected = np.array([getattr(one, name)] * 2)
        np.testing.assert_allclose(getattr(pair, name), expected, rtol=1e-8)
    np.testing.assert_allclose(pair.oscillation(), np.asarray(one.oscillation()), rtol=1e-8)


def test_the_fixed_point_of_two_rates_on_the_data_of_danks(shared: Path) -> None:
    source = rw.read_events(shared / "golden" / "danks_events.csv")
    found = rw.convergence(source, beta=(0.2, 0.05), alpha=1)
    expected = {"pots": 4 / 11, "red": 16 / 33, "blue": 8 / 33}
    for cue, weight in expected.items():
        some.assert_close(found.equilibrium[cue, "y"], weight, 1e-12)


def test_blocks_of_pairs_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    source = rw.read_events(some.wide_events(3, 200, 30, 5), duplicates="keep")
    rule: dict[str, Any] = {"alpha": 0.2, "beta": 0.1}
    whole = rw.convergence(source, **rule)
    expected = whole.eigenvalues, whole.oscillation(), whole.mean_trajectory(range(50), "c1", "o1")
    for module in (room, spectrum):
        monkeypatch.setattr(module, "_AT_ONCE", 7)
    monkeypatch.setattr(spectrum, "_KEPT", 0)
    monkeypatch.setattr(spectrum, "_MULTIPLICATIONS", 100)
    parts = rw.convergence(source, **rule)
    found = parts.eigenvalues, parts.oscillation(), parts.mean_trajectory(range(50), "c1", "o1")
    for one, other in zip(expected, found, strict=True):
        some.assert_close(one, other, 1e-12)


def test_long_events_are_taken_in_parts() -> None:
    # Python hears of Ctrl-C between two calls of numpy, so none of them is about all pairs of a long event.
    source = rw.read_events([([f"c{i}" for i in range(3000)], ["x"], 2), (["c1"], ["x"], 1)])
    tokens = spectrum.Tokens(source, np.ones(3000))
    sizes = [len(places) for _, places, _ in tokens._made_pairs()]
    assert sum(sizes) == 3000**2 + 1
    assert max(sizes) <= 1 << 20
    gram = tokens.gram(np.ones(2))
    assert (gram[1, 1], gram.sum()) == (2, 3000**2 + 1)


@pytest.mark.parametrize("alpha", [0.0, {"a": 0.0, "b": 0.0}])
def test_nothing_moves_without_saliences(alpha: Any) -> None:
    found = rw.convergence(rw.read_events([("a_b", "x")]), alpha=alpha)
    assert found.eigenvalues.tolist() == [0, 0]
    assert found.safe_rate == found.mean_rate == found.mean_square_rate == np.inf
    assert np.isinf(found.half_life()).all()
    assert math.isnan(found.half_life("a", "x"))
    assert np.asarray(found.oscillation()).tolist() == [[0], [0]]
    assert found.mean_trajectory([0, 5], "a", "x").tolist() == [0, 0]  # type: ignore[union-attr]
    assert found.passes(0.1) == 0
    assert "0 directions that move" in found.summary()


def test_cues_that_come_together_have_directions_that_do_not_move() -> None:
    found = rw.convergence(rw.read_events([("a_b", "x", 2), ("a_b", "y"), ("c", "y")]), alpha=1, beta=0.1)
    assert found.eigenvalues.round(12).tolist() == [1.5, 0.25, 0.0]
    assert np.isinf(found.half_life()).tolist() == [False, False, True]
    assert found.equilibrium.parameters["rank"] == 2
    some.assert_close(found.equilibrium.values, [[1 / 3, 1 / 6], [1 / 3, 1 / 6], [0, 1]], 1e-12)


def test_without_tokens_or_rates_there_is_nothing_to_say() -> None:
    with pytest.raises(ValueError, match="tokens to draw from"):
        rw.convergence(rw.read_events([("a", "x", 0)]))
    for beta in (0, (0, 0)):
        with pytest.raises(ValueError, match="beta must be more than 0"):
            rw.convergence(rw.read_events([("a", "x")]), beta=beta)


def test_unknown_names_and_times_that_are_none() -> None:
    found = rw.convergence(rw.read_events([("a", "x")]))
    for cue, outcome, kind in (("b", "x", "cue 'b'"), ("a", "y", "outcome 'y'")):
        with pytest.raises(KeyError, match=f"^.{kind} is none of"):
            found.mean_trajectory(1, cue, outcome)
        with pytest.raises(KeyError, match=f"^.{kind} is none of"):
            found.half_life(cue, outcome)
        with pytest.raises(KeyError, match=f"^.{kind} is none of"):
            found.oscillation(cue, outcome)
    with pytest.raises(ValueError, match="cue and outcome go together"):
        found.half_life("a")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="0 or more, not -1"):
        found.mean_trajectory([3, -1], "a", "x")
    with pytest.raises(TypeError, match="whole numbers, not float64"):
        found.mean_trajectory(1.5, "a", "x")
    with pytest.raises(KeyError, match="'nothing'"):
        rw.convergence(rw.read_events([("a", "x")]), outcomes=["nothing"])
    with pytest.raises(ValueError, match="method must be 'exact' or 'small_rate'"):
        found.oscillation(method="other")  # type: ignore[arg-type]


def test_cues_beyond_all_memory_are_refused() -> None:
    n = 1_800_000
    source = rw.read_events(
        ([f"c{i}" for i in range(first, first + 50_000)], ["x"]) for first in range(0, n, 50_000)
    )
    with pytest.raises(MemoryError, match=r"the spectrum of 1800000 cues needs 155520000000000 bytes"):
        _ = rw.convergence(source).eigenvalues


def test_the_summary_says_what_is_beyond_its_bound() -> None:
    source = rw.read_events([("a", "x", 3), ("a_b", "y", 2)])
    assert rw.convergence(source, alpha=1, beta=0.1).summary().count("NOT below") == 0
    bounds = rw.convergence(source, alpha=1)
    assert isinstance(bounds.mean_square_rate, float)
    above = rw.convergence(source, alpha=1, beta=bounds.mean_square_rate * 1.01).summary()
    assert [line.endswith("NOT below") for line in above.splitlines()[2:5]] == [True, True, False]
    assert "beta = (0.1, 0.2)" in rw.convergence(source, beta=(0.1, 0.2)).summary()


# Ways to the equilibrium: tiny rates, rates that fall, the mean of the weights over time.

DRAWN = 40_000
SEVERAL = st.lists(SALIENCES.filter(bool), min_size=1, max_size=3)


@dataclass
class Way:
    """Learning at a part of the safe rate; the tokens in which its slowest direction comes nearer by e."""

    source: rw.Events
    alpha: Floats
    found: rw.Convergence[Any]
    relaxation: float

    def off(self, seed: int, **more: Any) -> Floats:
        """The distance of each learned weight from the least squares that these saliences choose."""
        tokens = self.source.sample(DRAWN, seed)
        learned = rw.learn(tokens, alpha=self.alpha, beta=self.found.beta1, **more)
        target = rw.equilibrium(self.source, alpha=self.alpha)
        return np.asarray(np.abs(learned.values - target.values))

    def oscillation(self) -> Floats:
        """The standard deviation of each weight at this rate."""
        return np.asarray(self.found.oscillation())


def way(rows: list[Event], saliences: list[float], part: float, relaxation: float) -> Way:
    """Learning whose slowest direction takes fewer tokens than `relaxation`."""
    assume(any(frequency for _, _, frequency in rows))
    source = rw.read_events(rows)
    alpha = np.resize(saliences, source.n_cues)
    bound = rw.convergence(source, alpha=alpha).safe_rate
    assert isinstance(bound, float)
    assume(math.isfinite(bound))
    found = rw.convergence(source, alpha=alpha, beta=part * bound)
    moving = np.asarray(found.eigenvalues)
    slowest = 1 / (found.beta1 * float(moving[moving > 0].min()))
    assume(slowest < relaxation)
    return Way(source, alpha, found, slowest)


# Bounds are six standard deviations: one weight in 5 * 10^8 is beyond.
@given(some.events(max_cues=4), SEVERAL, st.integers(0, 9))
def test_learning_at_a_tiny_rate_goes_to_the_equilibrium(
    rows: list[Event], alpha: list[float], seed: int
) -> None:
    steady = way(rows, alpha, 0.01, DRAWN / 40)
    assert (steady.off(seed) <= 6 * steady.oscillation() + 1e-9).all()


@given(some.events(max_cues=4), SEVERAL, st.integers(0, 9))
def test_rates_that_fall_bring_learning_to_the_equilibrium(
    rows: list[Event], alpha: list[float], seed: int
) -> None:
    tau = 200.0
    steady = way(rows, alpha, 0.25, 0.1 * tau)
    # The variance falls with the rate, and a little behind it.
    bound = 6 * math.sqrt(1.2 / (1 + DRAWN / tau)) * steady.oscillation()
    assert (steady.off(seed, schedule=rw.schedules.inverse_time(tau)) <= bound + 1e-9).all()


@given(some.events(max_cues=4), SEVERAL, st.integers(0, 9))
def test_the_mean_over_time_goes_to_the_equilibrium(rows: list[Event], alpha: list[float], seed: int) -> None:
    steady = way(rows, alpha, 0.25, 50.0)
    # Weights further apart than the relaxation are independent. The way from zero is part of the mean, and
    # may be ten times as long by chance.
    share = steady.relaxation / DRAWN
    root = np.sqrt(steady.alpha)[:, None]
    start = root * np.linalg.norm(steady.found.equilibrium.values / root, axis=0) * 10 * share
    bound = 6 * math.sqrt(2 * share) * steady.oscillation() + start
    assert (steady.off(seed, average=True) <= bound + 1e-9).all()
