"""`delta_rule`: the reference's weights, in batches of any size; where batches converge to."""

import math
import warnings
from collections.abc import Sequence
from typing import Any
from unittest import mock

import asked
import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event
from rescorla._events import order

# Activation functions with their losses.
KINDS = [
    ("identity", "squared"),
    ("logistic", "squared"),
    ("logistic", "log"),
    ("tanh", "squared"),
    ("relu", "squared"),
    ("threshold", "squared"),
]
BENT = [kind for kind in KINDS if kind[0] != "identity"]
# Small, large, and all tokens: there are 40 at most.
BATCHES = st.one_of(st.integers(1, 7), st.just(30), st.just("full"))
REDUCTIONS = st.sampled_from(["sum", "mean"])
SEEDS = st.one_of(st.none(), st.integers(0, 9))
# Factors on the rate.
SCHEDULES = st.sampled_from(
    [None, rw.schedules.inverse_time(3.0), rw.schedules.piecewise([2, 9], [1.0, 0.0, 0.3])]
)
# So that sums over batches of 40 tokens do not overflow in float32.
RATES = st.sampled_from([0.0, 0.01, 0.05, 0.1])


def orders(seed: int | None, passes: int, n_tokens: int) -> list[list[int]] | None:
    """The order of the tokens in each pass, as long as they are few."""
    if seed is None:
        return None
    rng = np.random.default_rng(seed)
    return [rng.permutation(n_tokens).tolist() for _ in range(passes)]


def factor_of(schedule: Any) -> Any:
    """The factor of one token."""
    return lambda token: 1.0 if schedule is None else float(schedule(np.array([token]))[0])


def learn(source: rw.Events, **keywords: Any) -> rw.Weights:
    """The rule by the forward method, without the warning that names the safe rate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return rw.learn(source, method="forward", **keywords)


def tokens_of(source: rw.Events) -> list[Event]:
    """Each token as an event of its own."""
    return [(tuple(cues), tuple(outcomes), 1) for cues, outcomes, f in source for _ in range(f)]


def as_weights(initial: dict[tuple[str, str], float]) -> rw.Weights:
    known = [reference.distinct(pair[side] for pair in initial) for side in (0, 1)]
    return rw.Weights(reference.matrix(initial, known[0], known[1]), known[0], known[1])


# Equal to the reference.


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@pytest.mark.parametrize(("activation", "loss"), KINDS)
@given(
    st.data(),
    some.events(),
    some.DUPLICATES,
    some.DTYPES,
    some.THREADS,
    BATCHES,
    REDUCTIONS,
    st.integers(1, 3),
    SEEDS,
)
def test_the_delta_rule_is_the_reference(
    activation: Any,
    loss: Any,
    data: st.DataObject,
    events: list[Event],
    duplicates: Any,
    dtype: Any,
    threads: int,
    batch: Any,
    reduction: Any,
    passes: int,
    seed: int | None,
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    initial = data.draw(st.one_of(st.just({}), some.initials(cues, outcomes)))
    all_cues = tuple(reference.distinct([*(c for c, _ in initial), *cues]))
    all_outcomes = tuple(reference.distinct([*(o for _, o in initial), *outcomes]))
    lambdas = st.sampled_from([1.0, 0.7, 0.0]) if loss == "log" else some.LAMBDAS
    alpha = data.draw(
        st.one_of(some.SALIENCES, st.fixed_dictionaries(dict.fromkeys(all_cues, some.SALIENCES)))
    )
    lambda_ = data.draw(st.one_of(lambdas, st.fixed_dictionaries(dict.fromkeys(all_outcomes, lambdas))))
    beta = data.draw(RATES)
    schedule = data.draw(SCHEDULES)
    source = rw.read_events(events, duplicates=duplicates)
    rule: dict[str, Any] = {
        "schedule": schedule,
        "alpha": alpha,
        "beta": beta,
        "lambda_": lambda_,
        "activation": activation,
        "loss": loss,
        "batch": batch,
        "reduction": reduction,
        "passes": passes,
        "initial": as_weights(initial) if initial else None,
        "seed": seed,
        "dtype": dtype,
        "threads": threads,
        "tile": data.draw(st.one_of(st.none(), st.integers(1, 9))),
    }
    number = float if dtype == np.float64 else dtype
    with np.errstate(all="ignore"):
        expected = reference.delta_rule(
            rows,
            alpha,
            beta,
            lambda_,
            all_cues,
            all_outcomes,
            activation,
            loss,
            batch,
            reduction,
            passes,
            initial,
            None if batch == "full" else orders(seed, passes, source.n_tokens),
            number,
            factor_of(schedule),
        )
    values = reference.matrix(expected, all_cues, all_outcomes, dtype)
    if not np.isfinite(values).all():
        with pytest.raises(FloatingPointError, match="diverges"):
            asked.delta_rule(source, **rule)
        return
    result = asked.delta_rule(source, **rule)
    assert (result.cues, result.outcomes) == (all_cues, all_outcomes)
    if activation in ("identity", "relu", "threshold"):
        assert some.bits(result.values) == some.bits(values)
    else:
        # Python's functions may be others than the engine's.
        tolerance = 1e-12 if dtype == np.float64 else 1e-5
        assert result.values.dtype == dtype
        np.testing.assert_allclose(result.values, values, rtol=tolerance, atol=tolerance)


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@given(st.data(), some.events(), some.DUPLICATES, some.DTYPES)
def test_single_tokens_and_the_identity_are_the_rule(
    data: st.DataObject, events: list[Event], duplicates: Any, dtype: Any
) -> None:
    cues, outcomes = reference.vocabularies(events)
    rule = data.draw(some.rules(cues, outcomes)).keywords()
    if isinstance(rule["beta"], tuple):
        rule["beta"] = rule["beta"][0]
    source = rw.read_events(events, duplicates=duplicates)
    learned = learn(source, **rule, dtype=dtype)
    assert some.bits(rw.delta_rule(source, **rule, dtype=dtype).values) == some.bits(learned.values)


WIDE = some.wide_events(4, 400, 40, 700)


@pytest.mark.parametrize(("activation", "loss"), KINDS)
@pytest.mark.parametrize("batch", [1, 7, "full"])
def test_tiles_threads_and_instruction_sets_change_no_bit(activation: Any, loss: Any, batch: Any) -> None:
    source = rw.read_events(WIDE, duplicates="keep")
    rule: dict[str, Any] = {
        "beta": 0.002,
        "activation": activation,
        "loss": loss,
        "batch": batch,
        "passes": 2,
    }
    whole = asked.delta_rule(source, **rule, threads=1)
    busy = asked.delta_rule(source, **rule, threads=3, tile=64)
    assert (whole.parameters["threads"], busy.parameters["threads"]) == (1, 3)
    assert some.bits(busy.values) == some.bits(whole.values)
    portable = asked.delta_rule(source, **rule, threads=2, tile=9, kernel="portable")
    assert some.bits(portable.values) == some.bits(whole.values)
    if (activation, batch) == ("identity", 1):
        twice = rw.read_events([*WIDE, *WIDE], duplicates="keep")
        learned = learn(twice, alpha=1.0, beta=0.002)
        assert some.bits(whole.values) == some.bits(learned.values)


@given(some.events(), st.sampled_from(KINDS), BATCHES, REDUCTIONS, SEEDS)
def test_a_frequency_is_a_number_of_equal_events(
    events: list[Event], kind: tuple[Any, Any], batch: Any, reduction: Any, seed: int | None
) -> None:
    tokens = [(c, o, 1) for c, o, frequency in events for _ in range(frequency)]
    rule: dict[str, Any] = dict(zip(("activation", "loss"), kind, strict=True))
    rule |= {"beta": 0.1, "batch": batch, "reduction": reduction, "seed": seed, "passes": 2}
    once = rw.delta_rule(rw.read_events([(c, o, 0) for c, o, _ in events] + tokens), **rule)
    assert some.bits(once.values) == some.bits(rw.delta_rule(rw.read_events(events), **rule).values)


@given(some.events(), some.events(), st.sampled_from(KINDS), st.integers(1, 5))
def test_learning_on_is_learning_at_once(
    first: list[Event], second: list[Event], kind: tuple[Any, Any], batch: int
) -> None:
    n_tokens = sum(frequency for _, _, frequency in first)
    rule: dict[str, Any] = dict(zip(("activation", "loss"), kind, strict=True)) | {"beta": 0.1}
    # So that the first batch of the second events begins where they do, and all names are there.
    names = reference.vocabularies([*first, *second])
    first = [*first, ((first[0][0]), first[0][1], -n_tokens % batch), (*names, 0)]
    halfway = rw.delta_rule(rw.read_events(first), batch=batch, **rule)
    whole = rw.delta_rule(rw.read_events([*first, *second]), batch=batch, **rule)
    more = rw.delta_rule(rw.read_events(second), batch=batch, **rule, initial=halfway)
    assert some.by_label(more) == some.by_label(whole)


@given(
    some.events(),
    some.DUPLICATES,
    some.DTYPES,
    st.integers(0, 99),
    st.integers(1, 4),
    st.integers(1, 100),
    st.sampled_from([4, 1 << 18]),
)
def test_a_seed_draws_the_passes_of_the_events(
    events: list[Event], duplicates: Any, dtype: Any, seed: int, passes: int, ordered: int, picked: int
) -> None:
    # A permutation is made in parts if there are more tokens than `picked`.
    source = rw.read_events(events, duplicates=duplicates)
    rule: dict[str, Any] = {"alpha": 0.3, "beta": 0.1, "dtype": dtype}
    with mock.patch.object(order, "PICKED", picked):
        learned = learn(source.passes(passes, seed), **rule)
        found = asked.delta_rule(source, **rule, passes=passes, seed=seed, ordered=ordered)
        # Tokens are rows of arrays, and have no order of cues but that of the columns.
        if duplicates == "drop":
            once = rw.read_events([(*reference.vocabularies(events), 0), *tokens_of(source)])
            rows = once.cue_matrix()[1:], once.outcome_matrix()[1:]
            learned_from_rows = rw.delta_rule(rows, **rule, passes=passes, seed=seed).values
            some.assert_close(learned_from_rows, learned.values, 1e-12 if dtype == np.float64 else 1e-5)
    assert (found.cues, found.outcomes) == (learned.cues, learned.outcomes)
    assert some.bits(found.values) == some.bits(learned.values)


def test_passes_in_the_order_of_the_events_are_repeated_events() -> None:
    source, thrice = rw.read_events(WIDE[:50]), rw.read_events(WIDE[:50] * 3)
    for kind in KINDS:
        rule: dict[str, Any] = dict(zip(("activation", "loss"), kind, strict=True)) | {"beta": 0.01}
        passes = rw.delta_rule(source, **rule, passes=3)
        assert some.bits(passes.values) == some.bits(rw.delta_rule(thrice, **rule).values)


def test_more_tokens_than_a_section_has() -> None:
    # 65,536 tokens are made ready at a time: 7 do not divide them, and 100,000 are more.
    events = [(("a", "b"), ("x",), 70_000), (("b",), (), 3), (("a",), ("y",), 70_000)]
    apart = [(c, o, 1) for c, o, frequency in events for _ in range(frequency)]
    for batch in (7, 100_000):
        weights = [
            rw.delta_rule(rw.read_events(some_events), beta=0.1, batch=batch, reduction="mean")
            for some_events in (events, apart)
        ]
        assert some.bits(weights[0].values) == some.bits(weights[1].values)
    # The mean over a batch is a token's update where all its tokens are equal.
    one = rw.delta_rule(rw.read_events([(("a", "b"), ("x",), 10_000)]), beta=0.1)
    many = rw.delta_rule(rw.read_events([(("a", "b"), ("x",), 70_000)]), beta=0.1, batch=7, reduction="mean")
    np.testing.assert_allclose(many.values, one.values, rtol=1e-12)


# Where it converges to.


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[Event], dict[str, float], float]:
    """Events, saliences, and a part of the greatest rate of a full batch."""
    frequencies = st.integers(1, 5)
    events = draw(some.events(max_events=6, max_cues=4, max_outcomes=2, frequencies=frequencies))
    cues, outcomes = reference.vocabularies(events)
    assume(cues and outcomes)
    saliences = st.sampled_from([0.3, 0.5, 1.0])
    return events, {cue: draw(saliences) for cue in cues}, draw(st.sampled_from([0.3, 0.5, 0.9]))


def moments(rows: Sequence[Event]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """R = C'FC / m and C'FO / m."""
    cues, outcomes = reference.vocabularies(rows)
    frequencies = np.array([[float(f)] for _, _, f in rows])
    c = reference.incidence(rows, cues, "cues")
    o = np.minimum(reference.incidence(rows, outcomes, "outcomes"), 1)
    return c.T @ (frequencies * c) / frequencies.sum(), c.T @ (frequencies * o) / frequencies.sum()


@given(problems(), st.integers(1, 60))
def test_full_batches_have_a_closed_form(problem: tuple[Any, dict[str, float], float], passes: int) -> None:
    # W_t = W* + (I - beta D R)^t (W_0 - W*).
    events, alpha, part = problem
    rows = reference.normalised(events)
    correlations, _ = moments(rows)
    d = np.diag(list(alpha.values()))
    greatest = np.linalg.eigvals(d @ correlations).real.max()
    beta = 2 * part / greatest
    source = rw.read_events(events)
    limit = rw.equilibrium(source, alpha=alpha).values
    power = np.linalg.matrix_power(np.eye(len(alpha)) - beta * d @ correlations, passes)
    keywords: dict[str, Any] = {"alpha": alpha, "beta": beta, "batch": "full", "reduction": "mean"}
    found = rw.delta_rule(source, **keywords, passes=passes)
    some.assert_close(found.values, limit - power @ limit, 1e-9)


@given(problems())
def test_full_batches_reach_the_equilibrium_within_the_predicted_passes(
    problem: tuple[Any, dict[str, float], float],
) -> None:
    # In the norm of w^2 / alpha a pass multiplies the error by at most rho = max |1 - beta lambda| over the
    # nonzero eigenvalues lambda of D^(1/2) R D^(1/2).
    events, alpha, part = problem
    root = np.sqrt(list(alpha.values()))
    correlations, _ = moments(reference.normalised(events))
    eigenvalues = np.linalg.eigvalsh(root[:, None] * correlations * root)
    greatest = eigenvalues.max()
    nonzero = eigenvalues[eigenvalues > 1e-10 * greatest]
    beta, tolerance = 2 * part / greatest, 1e-6
    rho = np.abs(1 - beta * nonzero).max()
    passes = math.ceil(math.log(tolerance) / math.log(rho)) if rho > 0 else 1
    assume(passes < 20_000)
    source = rw.read_events(events)
    limit = rw.equilibrium(source, alpha=alpha).values / root[:, None]
    found = rw.delta_rule(source, alpha=alpha, beta=beta, batch="full", reduction="mean", passes=passes)
    error = np.linalg.norm(found.values / root[:, None] - limit, axis=0)
    assert (error <= 1.001 * tolerance * np.linalg.norm(limit, axis=0) + 1e-10).all()


NOISY: list[Event] = [
    (("a", "b"), ("x",), 6),
    (("a",), ("y",), 3),
    (("b", "c"), ("x", "y"), 2),
    (("c",), (), 5),
    (("a", "c"), ("x",), 4),
    (("a", "b"), ("y",), 4),
]


def test_small_batches_come_nearer_the_smaller_the_rate_and_the_larger_they_are() -> None:
    source = rw.read_events(NOISY)
    limit = rw.equilibrium(source).values

    def distance(beta: float, batch: int) -> float:
        rule: dict[str, Any] = {"beta": beta, "batch": batch, "reduction": "mean", "seed": 3}
        end = rw.delta_rule(source, **rule, passes=3000)
        # What the last hundred passes have, in the mean of squares.
        squares = []
        for seed in range(100):
            end = rw.delta_rule(source, **rule | {"seed": seed}, initial=end)
            squares.append(np.mean((end.values - limit) ** 2))
        return math.sqrt(np.mean(squares))

    fast, slow, large = distance(0.3, 4), distance(0.03, 4), distance(0.3, 12)
    assert slow < fast / 2
    assert large < fast / 2
    assert slow < 0.02


def test_a_falling_rate_converges() -> None:
    source = rw.read_events(NOISY)
    limit = rw.equilibrium(source).values
    weights, distances = None, []
    for n in range(12):
        rule: dict[str, Any] = {"beta": 0.3 / 2**n, "batch": 4, "reduction": "mean", "seed": n}
        weights = rw.delta_rule(source, **rule, passes=30 * 2**n, initial=weights)
        distances.append(np.abs(weights.values - limit).max())
    assert distances[-1] < 1e-3 < 0.05 < distances[0]


def gradient(source: rw.Events, weights: rw.Weights) -> NDArray[np.float64]:
    """Of the log loss, a token: C'F (O - g(CW)) / m."""
    c, o = source.cue_matrix().toarray(), source.outcome_matrix().toarray()
    frequencies = source.frequencies[:, None]
    predicted = 1 / (1 + np.exp(-c @ weights.values))
    return np.asarray(c.T @ (frequencies * (o - predicted)) / frequencies.sum())


# Not separable: of every set of cues some events have the outcome, and some have not.
MIXED: list[Event] = [
    ((*cues, "background"), outcomes, frequency)
    for cues, yes, no in [((), 2, 7), (("a",), 5, 3), (("b",), 1, 6), (("a", "b"), 8, 2), (("c", "a"), 3, 4)]
    for outcomes, frequency in [(("x",), yes), ((), no)]
]


def test_full_batches_of_the_log_loss_are_logistic_regression() -> None:
    source = rw.read_events(MIXED)
    rule: dict[str, Any] = {"activation": "logistic", "loss": "log", "batch": "full", "reduction": "mean"}
    found = rw.delta_rule(source, beta=2.0, **rule, passes=3000)
    assert np.abs(gradient(source, found)).max() < 1e-12
    early = rw.delta_rule(source, beta=2.0, **rule, passes=30)
    assert np.abs(gradient(source, early)).max() > 1e-4


def test_full_batches_of_the_log_loss_are_those_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    source = rw.read_events(MIXED)
    rule: dict[str, Any] = {"activation": "logistic", "loss": "log", "batch": "full", "reduction": "mean"}
    found = rw.delta_rule(source, beta=2.0, **rule, passes=3000)
    X, y = source.cue_matrix(), source.outcome_matrix().toarray()[:, 0]
    model = linear_model.LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=10_000)
    model.fit(X, y, source.frequencies)
    assert np.abs(found.column("x") - model.coef_[0]).max() < 1e-6
    # The background is the intercept.
    place = source.cues.index("background")
    others = [i for i in range(len(source.cues)) if i != place]
    model = linear_model.LogisticRegression(C=np.inf, fit_intercept=True, tol=1e-12, max_iter=10_000)
    model.fit(X[:, others], y, source.frequencies)
    assert np.abs(found.column("x")[others] - model.coef_[0]).max() < 1e-6
    assert abs(found["background", "x"] - model.intercept_[0]) < 1e-6


def test_the_squared_loss_of_a_bent_function_has_another_minimum() -> None:
    source = rw.read_events(MIXED)
    rule: dict[str, Any] = {"activation": "logistic", "batch": "full", "reduction": "mean", "beta": 2.0}
    squared = rw.delta_rule(source, **rule, passes=20_000)
    c, o = source.cue_matrix().toarray(), source.outcome_matrix().toarray()
    y = 1 / (1 + np.exp(-c @ squared.values))
    slopes = c.T @ (source.frequencies[:, None] * (o - y) * y * (1 - y)) / source.n_tokens
    assert np.abs(slopes).max() < 1e-10
    assert np.abs(gradient(source, squared)).max() > 1e-3


# Other learners.


# Some rates overshoot; the rule is the same.
@pytest.mark.filterwarnings("ignore:beta = .* may overshoot")
@given(some.events(max_outcomes=1), st.data(), st.sampled_from([0.01, 0.05, 0.2]))
def test_evert_and_arppes_perceptron_is_the_rule(
    events: list[Event], data: st.DataObject, delta: float
) -> None:
    # Inputs a_i and rate delta are saliences alpha_i = a_i^2 and beta = 2 delta; weights V = a w.
    rows = reference.normalised(events)
    cues, outcomes = reference.vocabularies(rows)
    inputs = {cue: data.draw(st.sampled_from([0.3, 0.7, 1.0, 1.2])) for cue in cues}
    alpha = {cue: a**2 for cue, a in inputs.items()}
    source = rw.read_events(events)
    single = rw.delta_rule(source, alpha=alpha, beta=2 * delta)
    learned = learn(source, alpha=alpha, beta=2 * delta)
    for outcome in outcomes:
        tokens = [(c, outcome in o) for c, o, frequency in rows for _ in range(frequency)]
        perceptron = reference.perceptron(tokens, inputs, delta)
        for cue in cues:
            expected = pytest.approx(inputs[cue] * perceptron[cue], rel=1e-9, abs=1e-12)
            assert learned[cue, outcome] == expected
            assert single[cue, outcome] == expected


# The truth tables of functions of two inputs, with the background as bias.
TABLES = {"and": [0, 0, 0, 1], "or": [0, 1, 1, 1], "nand": [1, 1, 1, 0], "xor": [0, 1, 1, 0]}
INPUTS = [("background",), ("background", "b"), ("background", "a"), ("background", "a", "b")]


def table_events(function: str) -> rw.Events:
    names: Event = (("background", "a", "b"), ("true",), 0)
    rows = zip(INPUTS, TABLES[function], strict=True)
    return rw.read_events([names, *((cues, ("true",) if truth else (), 1) for cues, truth in rows)])


@pytest.mark.parametrize("function", TABLES)
@pytest.mark.parametrize(
    "rule",
    [
        {"beta": 0.1},
        {"beta": 1.0, "batch": "full", "activation": "logistic", "loss": "log"},
        {"beta": 0.5, "batch": 2, "activation": "tanh"},
    ],
    ids=["identity", "logistic", "tanh"],
)
def test_what_a_plane_separates_is_learned(function: str, rule: dict[str, Any]) -> None:
    weights = rw.delta_rule(table_events(function), **rule, passes=500, initial="random", seed=1)
    h = rw.activations(INPUTS, weights)[:, 0]
    threshold = 0.5 if "activation" not in rule else 0.0
    learned = ((h > threshold).astype(int).tolist()) == TABLES[function]
    assert learned == (function != "xor")


def test_not_is_learned() -> None:
    source = rw.read_events([("background", "true"), (["background", "a"], [])])
    weights = rw.delta_rule(source, beta=0.5, activation="tanh", passes=100)
    off, on = rw.activations([("background",), ("background", "a")], weights)[:, 0]
    assert off > 0 > on


# Starting.


def test_a_random_start_is_small_and_of_the_seed() -> None:
    source = rw.read_events(some.wide_events(1, 20, 40, 50))
    still: dict[str, Any] = {"beta": 0.0, "initial": "random"}
    found = rw.delta_rule(source, **still, seed=5).values
    rng = np.random.default_rng(5)
    assert some.bits(found) == some.bits(rng.normal(0.0, 0.01, found.shape))
    single = rw.delta_rule(source, **still, seed=5, dtype="float32").values
    assert some.bits(single) == some.bits(found.astype(np.float32))
    assert (rw.delta_rule(source, **still, seed=6).values != found).any()


def test_parameters_tell_what_was_done() -> None:
    rule: dict[str, Any] = {"beta": 0.5, "batch": "full", "reduction": "mean", "passes": 7, "seed": 3}
    told = rw.delta_rule(rw.read_events(NOISY), **rule, activation="tanh", lambda_=0.8).parameters
    betas = {"beta1": rule.pop("beta"), "beta2": 0.5}
    expected = (
        rule | betas | {"rule": "delta", "activation": "tanh", "loss": "squared", "lambda": 0.8, "alpha": 1.0}
    )
    assert expected.items() <= told.items()


def test_no_events_leave_what_there_was() -> None:
    nothing = rw.read_events([(("a",), ("x",), 0)])
    for kind in KINDS:
        for batch in (1, "full"):
            rule: dict[str, Any] = dict(zip(("activation", "loss"), kind, strict=True)) | {"batch": batch}
            found = rw.delta_rule(nothing, beta=0.1, **rule, reduction="mean", passes=3, seed=1)
            assert found.values.tolist() == [[0.0]]


# Errors.


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"beta": -0.1}, ValueError, "beta must be 0 or more"),
        ({"beta": (0.1, 0.2)}, TypeError, "beta must be a number"),
        ({"activation": "step"}, ValueError, "'tanh' or 'relu' or 'threshold' or 'softmax'"),
        ({"loss": "hinge"}, ValueError, "'squared' or 'log'"),
        ({"loss": "log"}, ValueError, "the activations 'logistic' and 'softmax'"),
        ({"loss": "log", "activation": "logistic", "lambda_": 1.5}, ValueError, "between 0 and 1"),
        ({"reduction": "median"}, ValueError, "'sum' or 'mean'"),
        ({"batch": 0}, ValueError, "batch must be a whole number of 1 or more"),
        ({"batch": "half"}, TypeError, "batch must be a whole number of 1 or more, or 'full', not 'half'"),
        ({"batch": 1.5}, TypeError, "batch must be a whole number of 1 or more, or 'full', not 1.5"),
        ({"passes": 0}, ValueError, "passes must be a whole number of 1 or more"),
        ({"passes": "2"}, TypeError, "passes must be a whole number of 1 or more, not '2'"),
        ({"initial": "random"}, ValueError, "seed"),
        ({"initial": "zero"}, ValueError, "'random'"),
        ({"initial": [[1.0]]}, TypeError, "Weights or 'random'"),
        ({"initial": rw.Weights([[np.nan]], ["a"], ["x"])}, ValueError, "cue 'a' to outcome 'x' is nan"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number"),
        ({"dtype": "int64"}, ValueError, "float32"),
        ({"alpha": {"b": 1.0}}, KeyError, "'a'"),
    ],
)
def test_arguments_are_checked(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rw.delta_rule(rw.read_events([("a", "x")]), **{"beta": 0.1, **keywords})


@pytest.mark.parametrize("data", [np.zeros((2, 3)), [[1.0]], (("a", "x"), ("b", "x"))])
def test_data_are_events_or_a_pair_of_arrays(data: Any) -> None:
    with pytest.raises(TypeError, match=r"a pair \(X, Z\) of arrays"):
        rw.delta_rule(data, beta=0.1)


@pytest.mark.parametrize("batch", [1, "full"])
def test_the_weight_that_diverges_is_named(batch: Any) -> None:
    source = rw.read_events([(("a",), ("x",), 0), (("a",), ("y",), 3), (("b",), ("z",), 3)])
    with pytest.raises(FloatingPointError, match=r"cue 'b' to outcome 'z' became .*; learning diverges"):
        rw.delta_rule(source, alpha={"a": 0.1, "b": 1e200}, beta=1.0, batch=batch, passes=5)


class Stop(Exception):  # noqa: N818
    """What the callback raises."""


@pytest.mark.parametrize("batch", [1, 1000, "full"])
def test_progress_rises_to_the_total_and_stops_the_work(batch: Any) -> None:
    source = rw.read_events([(["a", f"c{i % 991}"], [f"o{i % 1009}"]) for i in range(20_000)])
    seen: list[tuple[int, int]] = []

    def look(done: int, total: int) -> None:
        seen.append((done, total))

    rule: dict[str, Any] = {"beta": 0.001, "batch": batch, "reduction": "mean"}
    asked.delta_rule(source, **rule, passes=2, seed=1, ordered=1, progress=look)
    done = [d for d, _ in seen]
    assert done == sorted(done)
    assert all(total == 0 or d <= total for d, total in seen)
    assert seen[-1][0] == seen[-1][1] > 0

    def refuse(_done: int, _total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        rw.delta_rule(source, **rule, passes=10**6, progress=refuse)


def test_a_rate_that_overshoots_is_warned_of() -> None:
    events = rw.read_events([("a_b_c_d", "x", 3), ("a", "y")])
    with pytest.warns(
        rw.RescorlaWarning,
        match=r"^beta = 1 may overshoot: an event has sum\(alpha \* x\^2\) = 2, .* safe only below 1; lower",
    ) as record:
        rw.delta_rule(events, alpha=0.5, beta=1.0)
    assert record[0].filename == __file__
    # A cue that is kept twice counts four times.
    kept = rw.read_events([(["a", "a", "b"], ["x"])], duplicates="keep")
    with pytest.warns(rw.RescorlaWarning, match=r"= 5, so a rate is safe only below 0.4"):
        rw.delta_rule(kept, beta=0.4)
    with pytest.warns(rw.RescorlaWarning, match=r"a row has sum\(alpha \* x\^2\) = 10, .* below 0.2"):
        rw.delta_rule(([[3.0, 1.0]], [1.0]), beta=0.2)
    rw.delta_rule(events, alpha=0.5, beta=0.99)
    # Means of four take a quarter of each; bounded errors cannot grow.
    rw.delta_rule(events, alpha=0.5, beta=3.9, batch="full", reduction="mean")
    rw.delta_rule(events, beta=1.0, activation="logistic", loss="log")
    with pytest.raises(FloatingPointError, match=r"lower beta, which is safe below 0\.5, or alpha$"):
        rw.delta_rule(rw.read_events([("a_b_c_d", "x", 3000)]), beta=5.0)
    # Four tokens at once may have the same error.
    with pytest.raises(
        FloatingPointError, match=r"safe below 0\.125, or alpha, or take the reduction 'mean'"
    ):
        rw.delta_rule(rw.read_events([("a_b_c_d", "x", 4)]), beta=0.4, batch="full", passes=3000)
