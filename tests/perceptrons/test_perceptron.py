"""`perceptron`: the reference's plane, Novikoff's bound, what a plane can tell apart."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from test_delta import factor_of
from test_delta_rows import VALUES, standing, tables

RULES = st.sampled_from(["single", "batch"])
SWEEPS = st.integers(1, 12)
# Factors on the rate, which is 0 after a while in one of them.
SCHEDULES = st.sampled_from(
    [None, rw.schedules.inverse_time(3.0), rw.schedules.piecewise([5, 19], [1.0, 0.5, 0.0])]
)
ETAS = st.sampled_from([1.0, 0.1, 0.3, 2.0])


@st.composite
def problems(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Examples and their classes."""
    n, p = draw(st.tuples(st.integers(0, 30), st.integers(0, 5)))
    y = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n))
    return draw(tables(n, p)), np.array(y)


@given(problems(), st.data(), RULES, ETAS, st.booleans(), SWEEPS, st.booleans(), SCHEDULES)
def test_the_perceptron_is_the_reference(
    problem: tuple[Any, Any],
    data: st.DataObject,
    rule: Any,
    eta: float,
    bias: bool,
    sweeps: int,
    is_sparse: bool,
    schedule: Any,
) -> None:
    X, y = problem
    p = X.shape[1]
    start = data.draw(st.one_of(st.none(), st.lists(some.WEIGHTS, min_size=p, max_size=p)))
    examples = sparse.csr_array(X) if is_sparse else X
    first = start or [0.0] * p
    weights, intercept, errors, added = reference.rosenblatt(
        standing(examples),
        y.tolist(),
        rule,
        eta,
        first,
        0.0 if bias else None,
        sweeps,
        None if schedule is None else factor_of(schedule),
    )
    fit = rw.perceptrons.perceptron(
        examples, y, rule=rule, eta=eta, bias=bias, max_sweeps=sweeps, schedule=schedule, initial=start
    )
    assert some.bits(fit.coef) == some.bits(np.array(weights))
    assert fit.intercept == (intercept or 0.0)
    assert fit.errors.tolist() == errors
    if schedule is None:
        assert fit.strengths.tolist() == [eta * n for n in added]
    else:
        assert fit.parameters["schedule"] == repr(schedule)
    assert fit.converged == (errors[-1] == 0)
    assert fit.n_steps == (sum(added) if rule == "single" else sum(wrong > 0 for wrong in errors))
    # The weights are the start and the examples, as often as these were added.
    some.assert_close(fit.coef, np.array(first) + X.T @ (y * fit.strengths), 1e-9)


@given(problems(), RULES, st.booleans(), st.integers(0, 99))
def test_stability_is_the_least_margin(problem: tuple[Any, Any], rule: Any, bias: bool, seed: int) -> None:
    X, y = problem
    assume(len(y))
    for start in (None, "random"):
        fit = rw.perceptrons.perceptron(X, y, rule=rule, bias=bias, max_sweeps=5, initial=start, seed=seed)
        size = math.hypot(*fit.coef, fit.intercept)
        if size == 0:
            assert fit.stability == 0
            continue
        assert fit.stability == pytest.approx(fit.functional_margins(X, y).min() / size, abs=1e-12)
        assert fit.converged <= (fit.stability > 0)


@st.composite
def separable(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Examples that a known plane separates, the last weight being the bias."""
    X = draw(tables(draw(st.integers(1, 30)), draw(st.integers(1, 5))))
    teacher = np.array(draw(st.lists(VALUES, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)))
    f = X @ teacher[:-1] + teacher[-1]
    X, f = X[np.abs(f) > 0.05], f[np.abs(f) > 0.05]
    assume(len(f))
    return X, np.sign(f), teacher


@given(separable(), ETAS)
def test_mistakes_are_no_more_than_novikoff_says(problem: tuple[Any, Any, Any], eta: float) -> None:
    # From zero at most (R / gamma)^2 for the gamma of any plane that separates.
    X, y, teacher = problem
    gamma = (y * (X @ teacher[:-1] + teacher[-1])).min() / np.linalg.norm(teacher)
    bound = (np.square(X).sum(axis=1).max() + 1) / gamma**2
    fit = rw.perceptrons.perceptron(X, y, eta=eta, max_sweeps=10**6)
    assert fit.converged
    assert fit.errors.sum() == fit.n_steps <= bound * (1 + 1e-9)
    assert (fit.predict(X) == y).all()


@given(separable())
def test_the_batch_rule_separates_too(problem: tuple[Any, Any, Any]) -> None:
    X, y, _ = problem
    fit = rw.perceptrons.perceptron(X, y, rule="batch", max_sweeps=10**6)
    assert fit.converged
    assert fit.stability > 0


@given(problems(), RULES, st.sampled_from([0.1, 0.25, 0.7, 1 / 3, 2.0, 1024.0]))
def test_eta_scales_what_starts_from_zero(problem: tuple[Any, Any], rule: Any, eta: float) -> None:
    X, y = problem
    one = rw.perceptrons.perceptron(X, y, rule=rule, max_sweeps=10)
    scaled = rw.perceptrons.perceptron(X, y, rule=rule, max_sweeps=10, eta=eta)
    assert scaled.coef.tolist() == (eta * one.coef).tolist()
    assert scaled.intercept == eta * one.intercept
    assert scaled.errors.tolist() == one.errors.tolist()


@pytest.mark.parametrize("eta", [0.1, 0.3, 1e-3, 7.0])
@pytest.mark.parametrize("rule", ["single", "batch"])
def test_eta_does_not_decide_ties(rule: Any, eta: float) -> None:
    # Of inputs of +1 and -1 the sums are whole, and often 0: on the plane, which is wrong.
    rng = np.random.default_rng(4)
    for _ in range(50):
        X = 2.0 * rng.integers(0, 2, (30, 6)) - 1
        y = 2.0 * rng.integers(0, 2, 30) - 1
        one, other = (
            rw.perceptrons.perceptron(X, y, rule=rule, eta=rate, max_sweeps=20) for rate in (1.0, eta)
        )
        assert other.errors.tolist() == one.errors.tolist()
        assert other.strengths.tolist() == (eta * one.strengths).tolist()
        assert (other.coef.tolist(), other.intercept) == ((eta * one.coef).tolist(), eta * one.intercept)
        # Zeros that the caller gives are zeros as well.
        given = rw.perceptrons.perceptron(X, y, rule=rule, eta=eta, max_sweeps=20, initial=np.zeros(6))
        assert given.coef.tolist() == other.coef.tolist()


def test_eta_matters_where_the_start_is_not_zero() -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]], [1, -1]
    start = [-3.0, 0.5]
    errors = [
        rw.perceptrons.perceptron(X, y, bias=False, initial=start, eta=eta).errors.sum() for eta in (1.0, 8.0)
    ]
    assert errors[0] > errors[1]


@given(problems(), RULES, st.integers(1, 4), st.integers(1, 4))
def test_learning_on_is_learning_at_once(
    problem: tuple[Any, Any], rule: Any, first: int, second: int
) -> None:
    X, y = problem
    half = rw.perceptrons.perceptron(X, y, rule=rule, max_sweeps=first)
    more = rw.perceptrons.perceptron(X, y, rule=rule, max_sweeps=second, initial=half)
    whole = rw.perceptrons.perceptron(X, y, rule=rule, max_sweeps=first + second)
    assert (more.coef.tolist(), more.intercept) == (whole.coef.tolist(), whole.intercept)


@pytest.mark.parametrize("rule", ["single", "batch"])
def test_many_rows_in_blocks_of_eight(rule: Any) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(203, 17))
    y = np.where(X @ rng.normal(size=17) + 0.3 > 0, 1.0, -1.0)
    for rule in ("single", "batch"):
        weights, bias, errors, _ = reference.rosenblatt(
            standing(X), y.tolist(), rule, 0.1, [0.0] * 17, 0.0, 40
        )
        fit = rw.perceptrons.perceptron(X, y, rule=rule, eta=0.1, max_sweeps=40)
        assert some.bits(fit.coef) == some.bits(np.array(weights))
        assert (fit.intercept, fit.errors.tolist()) == (bias, errors)


# The truth tables of functions of two inputs.
TABLES = {
    "and": [-1, -1, -1, 1],
    "or": [-1, 1, 1, 1],
    "nand": [1, 1, 1, -1],
    "not the first": [1, 1, -1, -1],
    "xor": [-1, 1, 1, -1],
}
INPUTS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize("function", TABLES)
@pytest.mark.parametrize("rule", ["single", "batch"])
@pytest.mark.parametrize("start", [None, "random"])
def test_what_a_plane_separates_is_learned(function: str, rule: Any, start: Any) -> None:
    fit = rw.perceptrons.perceptron(INPUTS, TABLES[function], rule=rule, initial=start, seed=1)
    learned = fit.predict(INPUTS).tolist() == TABLES[function]
    assert learned == fit.converged == (function != "xor")
    assert len(fit.errors) == 1000 or fit.converged


@pytest.mark.parametrize("function", TABLES)
def test_without_a_bias_the_origin_is_never_right(function: str) -> None:
    fit = rw.perceptrons.perceptron(INPUTS, TABLES[function], bias=False, max_sweeps=50)
    assert fit.intercept == 0
    assert not fit.converged
    assert (fit.errors >= 1).all()
    told = rw.perceptrons.perceptron(INPUTS, TABLES[function], bias=False, max_sweeps=50, record="accuracy")
    assert told.history is not None
    assert (told.history < 1).all()


# Odd data.


@pytest.mark.parametrize("rule", ["single", "batch"])
def test_no_examples_are_learned_at_once(rule: Any) -> None:
    fit = rw.perceptrons.perceptron(np.zeros((0, 2)), [], rule=rule)
    assert (fit.converged, fit.errors.tolist(), fit.coef.tolist()) == (True, [0], [0.0, 0.0])
    assert fit.stability == math.inf


@pytest.mark.parametrize("rule", ["single", "batch"])
def test_one_class_is_learned(rule: Any) -> None:
    for sign in (1, -1):
        fit = rw.perceptrons.perceptron([[1.0, 2.0], [-1.0, -2.0]], [sign, sign], rule=rule)
        assert fit.converged
        assert fit.predict([[0.0, 0.0]]).tolist() == [sign]


def test_without_features_only_the_bias_answers() -> None:
    assert rw.perceptrons.perceptron(np.zeros((3, 0)), [1, 1, 1]).converged
    mixed = rw.perceptrons.perceptron(np.zeros((3, 0)), [1, -1, 1], max_sweeps=7)
    assert (mixed.converged, len(mixed.errors)) == (False, 7)
    nothing = rw.perceptrons.perceptron(np.zeros((2, 0)), [1, 1], bias=False, max_sweeps=7)
    assert (nothing.converged, nothing.errors.tolist(), nothing.stability) == (False, [2] * 7, 0.0)


def test_a_random_start_is_of_the_seed() -> None:
    still: dict[str, Any] = {"max_sweeps": 1, "initial": "random", "seed": 5}
    fit = rw.perceptrons.perceptron(np.zeros((0, 3)), [], **still)
    drawn = np.random.default_rng(5).normal(size=4)
    assert [*fit.coef, fit.intercept] == drawn.tolist()
    without = rw.perceptrons.perceptron(np.zeros((0, 3)), [], **still, bias=False)
    assert (without.coef.tolist(), without.intercept) == (drawn[:3].tolist(), 0.0)


def test_parameters_tell_what_was_done() -> None:
    told = rw.perceptrons.perceptron([[1.0]], [1], rule="batch", eta=0.5, max_sweeps=3, bias=False).parameters
    expected = {
        "updates": "batch",
        "eta": 0.5,
        "max_sweeps": 3,
        "bias": False,
        "initial": None,
        "n_examples": 1,
    }
    assert expected.items() <= told.items()
    assert rw.perceptrons.perceptron(np.zeros((1, 2)), [1]).feature_names == ("x0", "x1")


# Errors.

PLANE = rw.perceptrons.LinearFit(np.array([1.0]), 2.0)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"rule": "both"}, ValueError, "'single' or 'batch'"),
        ({"eta": 0.0}, ValueError, "eta must be above 0"),
        ({"eta": "1"}, TypeError, "eta must be a number"),
        ({"max_sweeps": 0}, ValueError, "max_sweeps must be a whole number of 1 or more"),
        ({"max_sweeps": 1.5}, TypeError, "max_sweeps must be a whole number of 1 or more, not 1.5"),
        ({"initial": "zero"}, ValueError, "'random'"),
        ({"initial": "random"}, ValueError, "needs a seed"),
        ({"initial": [1.0, 2.0]}, ValueError, "initial must have 1 weights"),
        ({"initial": [math.nan]}, ValueError, "initial must be finite"),
        ({"initial": PLANE, "bias": False}, ValueError, "the bias 2.0, for which"),
        ({"initial": rw.perceptrons.LinearFit(np.array([1.0]), math.inf)}, ValueError, "finite bias"),
        (
            {"initial": rw.perceptrons.LinearFit(np.ones(1), feature_names=("a",))},
            ValueError,
            "the features of X",
        ),
        ({"y": [1]}, ValueError, "as many rows"),
        ({"y": [1, 0]}, ValueError, r"\+1 or -1"),
        ({"X": [[1.0], [math.inf]]}, ValueError, "X must be finite"),
    ],
)
def test_arguments_are_checked(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rw.perceptrons.perceptron(**{"X": [[1.0], [2.0]], "y": [1, -1], **keywords})


@pytest.mark.parametrize("rule", ["single", "batch"])
def test_a_weight_that_overflows_is_named(rule: Any) -> None:
    X = np.array([[0.0, 1e308], [0.0, 1e308]])
    with pytest.raises(FloatingPointError, match="weight of 'x1' became inf; lower eta, or scale X"):
        rw.perceptrons.perceptron(X, [1, 1], rule=rule, eta=10.0)
    with pytest.raises(FloatingPointError, match="weight of 'x1' became inf; lower eta, or scale X"):
        rw.perceptrons.perceptron(X, [1, 1], rule=rule, eta=10.0, initial=[1.0, 0.0])
    with pytest.raises(FloatingPointError, match="the bias became -inf"):
        rw.perceptrons.perceptron(np.zeros((2, 1)), [-1, -1], rule="batch", eta=1e308)


# Orders and records.


@given(problems(), ETAS, st.booleans(), SWEEPS, st.integers(0, 9), st.booleans(), st.sampled_from([None, 1]))
def test_a_seed_takes_the_examples_in_a_random_order(
    problem: tuple[Any, Any], eta: float, bias: bool, sweeps: int, seed: int, is_sparse: bool, start: Any
) -> None:
    # Sweep after sweep by the reference, each in the order that the delta rule would take.
    X, y = problem
    n, p = X.shape
    random = np.random.default_rng(seed)
    weights, intercept = [0.0] * p, 0.0
    if start is not None:
        *weights, intercept = random.normal(size=p + 1).tolist()
    weights, free = list(weights), intercept if bias else None
    # From zero eta is multiplied at the end.
    pace = 1.0 if start is None else eta
    errors: list[int] = []
    added, criteria, right = np.zeros(n), [], []
    for _ in range(sweeps):
        order = random.permutation(n)
        weights, free, wrong, more = reference.rosenblatt(
            standing(X[order]), y[order].tolist(), "single", pace, weights, free, 1
        )
        errors += wrong
        added[order] += more
        margins = y * (X @ np.array(weights) + (free or 0.0))
        criteria.append(-margins[margins <= 0].sum())
        right.append((margins > 1e-12).mean() if n else 0.0)
        if not wrong[-1]:
            break
    rule: dict[str, Any] = {"eta": eta, "bias": bias, "max_sweeps": sweeps, "seed": seed}
    rule |= {"initial": None if start is None else "random"}
    examples = sparse.csr_array(X) if is_sparse else X
    fit = rw.perceptrons.perceptron(examples, y, **rule, record="loss")
    scale = eta if start is None else 1.0
    assert some.bits(fit.coef) == some.bits(np.array(weights) * scale)
    assert fit.errors.tolist() == errors
    assert fit.strengths.tolist() == (eta * added).tolist()
    assert fit.n_steps == sum(errors)
    assert fit.history is not None
    np.testing.assert_allclose(fit.history, np.array(criteria) * scale, rtol=1e-9, atol=1e-9)
    bare = rw.perceptrons.perceptron(examples, y, **rule)
    assert some.bits(fit.coef) == some.bits(bare.coef)
    assert bare.history is None
    accuracy = rw.perceptrons.perceptron(examples, y, **rule, record="accuracy").history
    assert accuracy is not None
    if not (abs(margins) < 1e-9).any():
        assert accuracy[-1] == pytest.approx(right[-1])


@given(problems(), RULES, ETAS, st.booleans(), SWEEPS)
def test_a_record_changes_no_bit(
    problem: tuple[Any, Any], rule: Any, eta: float, bias: bool, sweeps: int
) -> None:
    X, y = problem
    keywords: dict[str, Any] = {"rule": rule, "eta": eta, "bias": bias, "max_sweeps": sweeps}
    bare = rw.perceptrons.perceptron(X, y, **keywords)
    fit = rw.perceptrons.perceptron(X, y, **keywords, record="loss")
    assert some.bits(fit.coef) == some.bits(bare.coef)
    assert (fit.intercept, fit.stability, fit.n_steps) == (bare.intercept, bare.stability, bare.n_steps)
    assert (fit.errors.tolist(), fit.strengths.tolist()) == (bare.errors.tolist(), bare.strengths.tolist())
    assert fit.history is not None
    assert len(fit.history) == len(fit.errors)
    # The last value is that of the weights, and the order is none of the batch rule.
    margins = fit.functional_margins(X, y)
    assert fit.history[-1] == pytest.approx(-margins[margins <= 0].sum(), abs=1e-12)
    if rule == "batch":
        seeded = rw.perceptrons.perceptron(X, y, **keywords, seed=3)
        assert some.bits(seeded.coef) == some.bits(bare.coef)


@given(problems(), ETAS)
def test_the_batch_rule_goes_down_the_criterion(problem: tuple[Any, Any], eta: float) -> None:
    X, y = problem
    start = rw.perceptrons.LinearFit(np.linspace(-1, 1, X.shape[1]), 0.3)

    def criterion(w: NDArray[np.float64]) -> float:
        margins = y * (X @ w[:-1] + w[-1])
        return float(-margins[margins <= 0].sum())

    w = np.append(start.coef, start.intercept)
    margins = y * (X @ w[:-1] + w[-1])
    assume((abs(margins) > 1e-3).all())
    step = 1e-6
    slopes = [(criterion(w + d) - criterion(w - d)) / (2 * step) for d in step * np.eye(len(w))]
    fit = rw.perceptrons.perceptron(X, y, rule="batch", eta=eta, initial=start, max_sweeps=1)
    some.assert_close(np.append(fit.coef, fit.intercept), w - eta * np.array(slopes), 1e-6)


# What a plane can tell apart, of all functions.


@pytest.mark.parametrize(("n", "expected"), [(1, 4), (2, 14), (3, 104)])
def test_so_many_functions_of_inputs_are_separable(n: int, expected: int) -> None:
    inputs = np.array(list(itertools.product([0, 1], repeat=n)))
    separated = 0
    for values in itertools.product([-1, 1], repeat=2**n):
        y = np.array(values)
        can = rw.perceptrons.separable(inputs, y, bias=True)
        # So many sweeps are enough for what can be learned.
        assert rw.perceptrons.perceptron(inputs, y, max_sweeps=200).converged == can
        separated += can
    assert separated == expected


@pytest.mark.parametrize(
    ("name", "y"),
    [("and", [-1, -1, -1, 1]), ("or", [-1, 1, 1, 1]), ("nand", [1, 1, 1, -1]), ("nor", [1, -1, -1, -1])],
)
def test_gates_of_two_inputs(name: str, y: list[int]) -> None:
    assert rw.perceptrons.separable(INPUTS, y, bias=True)
    assert rw.perceptrons.perceptron(INPUTS, y, seed=1).predict(INPUTS).tolist() == y


def test_not_is_separable_and_xor_is_not() -> None:
    assert rw.perceptrons.perceptron([[0], [1]], [1, -1]).predict([[0], [1]]).tolist() == [1, -1]
    assert not rw.perceptrons.separable(INPUTS, [-1, 1, 1, -1], bias=True)
    assert not rw.perceptrons.separable(INPUTS, [1, -1, -1, 1], bias=True)
