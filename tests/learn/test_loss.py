"""The loss that `delta_rule` makes small: what it is, its gradient, curves of it, where learning stops."""

import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event
from rescorla._learn.arrays import Rows, rows_of_sets, rows_of_tables
from rescorla._learn.delta.objective import Objective
from rescorla._learn.delta.units import unit_of
from rescorla._weights.vectors import table_of, targets_of
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from test_delta import KINDS, NOISY, REDUCTIONS, SEEDS, as_weights, factor_of, orders, tokens_of
from test_delta_rows import tables

ALL: list[tuple[Any, Any]] = [*KINDS, ("softmax", "squared"), ("softmax", "log")]
SLOPING = [kind for kind in ALL if kind[0] != "threshold"]
OWN = (np.arctan, lambda h: 1 / (1 + h**2))
FLOAT64 = np.dtype(np.float64)
SOME = some.events(max_cues=4, max_outcomes=3, frequencies=st.integers(0, 4))


def objective(rows: Rows, activation: Any, loss: Any) -> Objective:
    learns = np.ones(rows.x.shape[1], dtype=np.bool_)
    return Objective(rows, unit_of(activation), loss, slice(None), learns)


def targets(token: Event, outcomes: Any, lambda_: Any, activation: str) -> list[float]:
    absent = -1.0 if activation == "tanh" else 0.0
    each = {outcome: float(reference.of(lambda_, outcome)) for outcome in outcomes}
    return [each[o] if o in token[1] else absent * each[o] for o in outcomes]


def sums(weights: rw.Weights, cues: Any) -> list[float]:
    return [math.fsum(weights[cue, outcome] for cue in cues) for outcome in weights.outcomes]


def mean(numbers: list[float]) -> float:
    return math.fsum(numbers) / (len(numbers) or 1)


# What is recorded.


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@pytest.mark.parametrize(("activation", "loss"), ALL)
@given(SOME, some.DUPLICATES, some.DTYPES, st.integers(1, 3), st.data())
def test_history_ends_with_the_loss_of_the_weights(
    activation: Any, loss: Any, events: list[Event], duplicates: Any, dtype: Any, passes: int, data: Any
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    lambda_ = data.draw(st.fixed_dictionaries(dict.fromkeys(outcomes, st.sampled_from([1.0, 0.6]))))
    initial = data.draw(st.one_of(st.just({}), some.initials(cues, outcomes)))
    start = as_weights(initial) if initial else None
    if start is not None:
        lambda_ |= {outcome: 1.0 for outcome in start.outcomes if outcome not in lambda_}
    source = rw.read_events(events, duplicates=duplicates)
    rule: dict[str, Any] = {"beta": 0.1, "lambda_": lambda_, "activation": activation, "loss": loss}
    rule |= {"passes": passes, "initial": start, "dtype": dtype, "seed": 3}
    weights = rw.delta_rule(source, **rule, record="loss")
    expected = mean(
        [
            reference.loss_of(
                sums(weights, token[0]),
                targets(token, weights.outcomes, lambda_, activation),
                activation,
                loss,
            )
            for token in tokens_of(source)
        ]
    )
    assert weights.history is not None
    assert len(weights.history) == passes
    assert weights.history[-1] == pytest.approx(expected, rel=1e-12, abs=1e-14)
    # What is recorded changes nothing.
    assert some.bits(weights.values) == some.bits(rw.delta_rule(source, **rule).values)
    # Each value is that of the weights which so many passes give.
    if passes > 1:
        sooner = rw.delta_rule(source, **rule | {"passes": passes - 1}, record="loss")
        assert sooner.history is not None
        assert sooner.history.tolist() == weights.history[:-1].tolist()


@pytest.mark.parametrize("activation", ["identity", "tanh", "softmax"])
@given(SOME, st.integers(1, 2))
def test_accuracy_is_how_often_the_most_active_outcome_is_there(
    activation: Any, events: list[Event], passes: int
) -> None:
    source = rw.read_events(events, duplicates="keep")
    weights = rw.delta_rule(source, beta=0.05, activation=activation, passes=passes, record="accuracy")
    right = []
    for token_cues, token_outcomes, _ in tokens_of(source):
        h = sums(weights, token_cues)
        if len(h) == 1:
            middle = 0.0 if activation == "tanh" else 0.5
            value = reference.values_of(h, activation)[0]
            assume(abs(value - middle) > 1e-9 or not token_cues)
            right.append(float((value > middle) == (weights.outcomes[0] in token_outcomes)))
        else:
            best = sorted(h, reverse=True)
            assume(len(h) < 2 or best[0] - best[1] > 1e-9 or best[0] == best[1])
            right.append(float(bool(h) and weights.outcomes[int(np.argmax(h))] in token_outcomes))
    assert weights.history is not None
    assert weights.history[-1] == pytest.approx(mean(right), abs=1e-12)


@given(st.data(), st.integers(1, 12), st.integers(1, 3), st.integers(1, 3))
def test_losses_and_hits_of_arrays(data: Any, n: int, p: int, q: int) -> None:
    X, Z = data.draw(tables(n, p)), data.draw(tables(n, q, st.sampled_from([0.0, 1.0, 0.3])))
    names = [f"x{i}" for i in range(p)], [f"z{j}" for j in range(q)]
    start = rw.Weights(data.draw(tables(p, q, some.WEIGHTS)), *names)
    given_x = sparse.csr_array(X) if data.draw(st.booleans()) else X
    given_z = sparse.csr_array(Z) if data.draw(st.booleans()) else Z
    for activation, loss in ALL:
        rule: dict[str, Any] = {"beta": 0.0, "activation": activation, "loss": loss, "initial": start}
        found = rw.delta_rule((given_x, given_z), **rule, record="loss").history
        h = X @ start.values
        losses = [
            reference.loss_of(a, t, activation, loss) for a, t in zip(h.tolist(), Z.tolist(), strict=True)
        ]
        assert found is not None
        assert found[-1] == pytest.approx(mean(losses), rel=1e-12, abs=1e-14)
    right = rw.delta_rule((given_x, given_z), beta=0.0, initial=start, record="accuracy").history
    if q > 1:
        # What ties but for rounding may be told otherwise by another order of sums.
        apart = np.sort(h, axis=1)
        assume((apart[:, -1] - apart[:, -2] > 1e-9).all())
        best = Z[np.arange(n), h.argmax(axis=1)]
        hits = (best == Z.max(axis=1)) & (best > 0)
    else:
        assume((abs(h[:, 0] - 0.5) > 1e-9).all())
        hits = (h[:, 0] > 0.5) == (Z[:, 0] > 0.5)
    assert right is not None
    assert right[-1] == pytest.approx(hits.mean())


def test_targets_that_differ_cost_what_no_weights_can_spare() -> None:
    # Nine of ten: the least squares are those of the variance, the least log loss the entropy.
    source = rw.read_events([("a", "x", 9), ("a", "", 1)])
    rule: dict[str, Any] = {"beta": 1.0, "batch": "full", "reduction": "mean", "record": "loss"}
    squares = rw.delta_rule(source, **rule, passes=50).history
    logs = rw.delta_rule(source, **rule, activation="logistic", loss="log", passes=500).history
    assert squares is not None
    assert logs is not None
    assert squares[-1] == pytest.approx(0.9 * 0.1 / 2)
    assert logs[-1] == pytest.approx(-0.9 * math.log(0.9) - 0.1 * math.log(0.1))


def test_a_log_loss_is_finite_where_the_function_is_full() -> None:
    start = rw.Weights([[1000.0, -1000.0]], ["a"], ["x", "y"])
    for activation, expected in (("logistic", 2000.0), ("softmax", 2000.0)):
        rule: dict[str, Any] = {"beta": 0.0, "activation": activation, "loss": "log", "initial": start}
        found = rw.delta_rule(rw.read_events([("a", "y")]), **rule, record="loss").history
        assert found is not None
        assert found[0] == pytest.approx(expected)


def test_files_keep_the_history(tmp_path: Path) -> None:
    source = rw.read_events(NOISY)
    weights = rw.delta_rule(source, beta=0.1, passes=4000, record="loss")
    assert weights.history is not None
    assert len(weights.history) == 4000
    for suffix in (".npz", ".npy", ".nc", ".zarr"):
        weights.save(tmp_path / f"weights{suffix}")
        loaded = rw.load_weights(tmp_path / f"weights{suffix}").history
        assert loaded is not None
        assert loaded.tolist() == weights.history.tolist()
    assert rw.learn(source).history is None
    assert rw.Weights([[1.0]], ["a"], ["x"]).history is None


# Its gradient.


@pytest.mark.parametrize(("activation", "loss"), [*SLOPING, (OWN, "squared")])
@given(st.data(), st.integers(1, 8), st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_the_gradient_is_that_of_finite_differences(
    activation: Any, loss: Any, data: Any, n: int, p: int, q: int, is_sparse: bool
) -> None:
    X = data.draw(tables(n, p))
    Z = data.draw(tables(n, q, st.sampled_from([0.0, 1.0, 0.3])))
    W = data.draw(tables(p, q, st.sampled_from([0.9, -0.4, 0.1, 0.0])))
    if activation == "relu":
        assume((abs(X @ W) > 1e-3).all())
    x = table_of("X", sparse.csr_array(X) if is_sparse else X, FLOAT64, "x")
    rows = rows_of_tables(x, targets_of("Z", Z, FLOAT64))
    check_gradient(objective(rows, activation, loss), W)


@pytest.mark.parametrize(("activation", "loss"), SLOPING)
@given(st.data(), some.events(max_events=5, max_cues=3, max_outcomes=3))
def test_the_gradient_of_events_is_that_of_finite_differences(
    activation: Any, loss: Any, data: Any, events: list[Event]
) -> None:
    source = rw.read_events(events, duplicates="keep")
    p, q = source.n_cues, source.n_outcomes
    W = data.draw(tables(p, q, st.sampled_from([0.9, -0.4, 0.1])))
    if activation == "relu":
        assume(
            all(
                abs(sum(W[source.cues.index(c), j] for c in cs)) > 1e-3 or not cs
                for cs, _, _ in source
                for j in range(q)
            )
        )
    rows = rows_of_sets(source, np.arange(q), q).aimed(np.ones(q), unit_of(activation).absent)
    check_gradient(objective(rows, activation, loss), W)


def check_gradient(goal: Objective, W: NDArray[np.float64]) -> None:
    found, step = goal.gradient(W), 1e-5
    for place in np.ndindex(W.shape):
        up, down = W.copy(), W.copy()
        up[place] += step
        down[place] -= step
        slope = (goal(up, "loss") - goal(down, "loss")) / (2 * step)
        assert found[place] == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("activation", "loss"), [*ALL, (OWN, "squared")])
@given(SOME, st.data())
def test_a_full_batch_is_a_step_down_the_gradient(
    activation: Any, loss: Any, events: list[Event], data: Any
) -> None:
    source = rw.read_events(events)
    p, q = source.n_cues, source.n_outcomes
    W = data.draw(tables(p, q, st.sampled_from([0.9, -0.4, 0.1])))
    alpha = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=p, max_size=p)))
    rows = rows_of_sets(source, np.arange(q), q).aimed(np.ones(q), unit_of(activation).absent)
    step = -0.3 * alpha[:, np.newaxis] * objective(rows, activation, loss).gradient(W)
    start = rw.Weights(W, source.cues, source.outcomes)
    rule: dict[str, Any] = {"alpha": alpha, "beta": 0.3, "activation": activation, "loss": loss}
    found = rw.delta_rule(source, **rule, batch="full", reduction="mean", initial=start)
    np.testing.assert_allclose(found.values, W + step, rtol=1e-12, atol=1e-12)


# Where it stops.


@pytest.mark.parametrize(("activation", "loss"), SLOPING)
def test_tol_stops_at_the_first_small_gradient(activation: Any, loss: Any) -> None:
    source = rw.read_events(NOISY)
    rule: dict[str, Any] = {"beta": 1.0, "activation": activation, "loss": loss, "batch": "full"}
    rule |= {"reduction": "mean"}
    stopped = rw.delta_rule(source, **rule, passes=100_000, tol=1e-3)
    made = stopped.parameters["passes"]
    assert 1 < made < 100_000
    assert stopped.parameters["converged"] is True
    assert some.bits(stopped.values) == some.bits(rw.delta_rule(source, **rule, passes=made).values)
    q = source.n_outcomes
    rows = rows_of_sets(source, np.arange(q), q).aimed(np.ones(q), unit_of(activation).absent)
    goal = objective(rows, activation, loss)
    assert stopped.parameters["gradient"] == abs(goal.gradient(stopped.values)).max() <= 1e-3
    before = rw.delta_rule(source, **rule, passes=made - 1)
    assert abs(goal.gradient(before.values)).max() > 1e-3


def test_a_gradient_that_stays_large_is_warned_of() -> None:
    source = rw.read_events(NOISY)
    with pytest.warns(
        rw.RescorlaWarning, match=r"tol = .* is not reached: after 3 passes the gradient is"
    ) as record:
        weights = rw.delta_rule(source, beta=0.01, passes=3, tol=1e-6)
    assert record[0].filename == __file__
    assert weights.parameters["converged"] is False
    assert weights.parameters["passes"] == 3


def test_weights_that_are_frozen_do_not_keep_it_from_stopping() -> None:
    source = rw.read_events([("a_b", "x", 3), ("b", "y", 2)])
    weights = rw.delta_rule(
        source, alpha={"a": 0.0, "b": 1.0}, beta=0.5, batch="full", reduction="mean", passes=200, tol=1e-9
    )
    assert weights.parameters["converged"]
    assert weights["a", "x"] == 0


# How fast.


@given(SOME, st.sampled_from(KINDS), st.sampled_from([1, 3, "full"]), REDUCTIONS, SEEDS, some.DTYPES)
def test_a_factor_of_one_changes_no_bit(
    events: list[Event], kind: Any, batch: Any, reduction: Any, seed: int | None, dtype: Any
) -> None:
    source = rw.read_events(events)
    rule: dict[str, Any] = {"beta": 0.03, "activation": kind[0], "loss": kind[1], "batch": batch}
    rule |= {"reduction": reduction, "seed": seed, "dtype": dtype, "passes": 3}
    constant = rw.delta_rule(source, **rule, schedule=rw.schedules.piecewise([], [1.0]))
    assert some.bits(constant.values) == some.bits(rw.delta_rule(source, **rule).values)
    assert constant.parameters["schedule"] == "piecewise(ends=(), factors=(1.0,))"
    halved = rw.delta_rule(source, **rule, schedule=rw.schedules.piecewise([], [0.5]))
    assert some.bits(halved.values) == some.bits(rw.delta_rule(source, **rule | {"beta": 0.015}).values)


@given(SOME, st.integers(1, 3), some.DTYPES)
def test_single_tokens_have_the_schedule_of_learn(events: list[Event], passes: int, dtype: Any) -> None:
    source = rw.read_events(events)
    schedule = rw.schedules.inverse_time(5.0)
    rule: dict[str, Any] = {"alpha": 0.3, "beta": 0.1, "schedule": schedule, "dtype": dtype}
    learned = rw.learn(source.passes(passes), **rule, method="forward")
    found = rw.delta_rule(source, **rule, passes=passes)
    assert some.bits(found.values) == some.bits(learned.values)


def test_schedules_are_checked() -> None:
    source = rw.read_events(NOISY)
    for schedule, error, message in (
        (0.5, TypeError, "must be a function of token numbers"),
        (lambda t: (t * 0.5, t * 0.5), ValueError, "one learning rate, not two"),
        (lambda t: -1.0 * t, ValueError, "for token 1 it gave -1"),
        (lambda t: np.ones(1), ValueError, "numbers for tokens 1 to"),
    ):
        with pytest.raises(error, match=message):
            rw.delta_rule(source, beta=0.1, schedule=schedule)  # type: ignore[arg-type]
    with pytest.warns(rw.RescorlaWarning, match=r"beta \* factor, 2 at most, may overshoot"):
        rw.delta_rule(source, beta=0.1, schedule=lambda t: np.where(t == 3, 20.0, 0.0))


# Softmax.


def examples(n: int, p: int, k: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, p)), np.ones(n)])
    return X, (X @ rng.normal(size=(p + 1, k)) + 2 * rng.gumbel(size=(n, k))).argmax(axis=1)


@pytest.mark.parametrize(("p", "k"), [(2, 3), (4, 5), (1, 2)])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_full_batches_of_softmax_are_multinomial_logistic_regression(p: int, k: int, is_sparse: bool) -> None:
    X, y = examples(300, p, k, p + k)
    Z = np.eye(k)[y]
    likely = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(X, y)
    weights = rw.delta_rule(
        (sparse.csr_array(X) if is_sparse else X, Z),
        beta=2.0,
        activation="softmax",
        loss="log",
        batch="full",
        reduction="mean",
        passes=50_000,
        tol=1e-9,
        record="loss",
    )
    h = X @ weights.values
    found = np.exp(h) / np.exp(h).sum(axis=1, keepdims=True)
    assert np.abs(found - likely.predict_proba(X)).max() < 1e-6
    # What is added to all outcomes of a cue changes nothing: differences are what there is to know.
    if k > 2:
        differences = likely.coef_ - likely.coef_.mean(axis=0)
        mine = weights.values - weights.values.mean(axis=1, keepdims=True)
        assert np.abs(mine.T - differences).max() < 1e-6
    assert weights.history is not None
    assert weights.history[-1] == pytest.approx(-np.log(found[np.arange(300), y]).mean(), rel=1e-12)


def test_softmax_of_events_is_softmax_of_their_matrices() -> None:
    rng = np.random.default_rng(5)
    events = [
        (
            [f"c{i}" for i in np.flatnonzero(rng.random(4) < 0.5)],
            [f"o{rng.integers(3)}"],
            int(rng.integers(4)),
        )
        for _ in range(60)
    ]
    source = rw.read_events([(["c0", "c1", "c2", "c3"], ["o0", "o1", "o2"], 0), *events])
    tokens = rw.read_events([(list(source.cues), list(source.outcomes), 0), *tokens_of(source)])
    rows = tokens.cue_matrix()[1:], tokens.outcome_matrix()[1:]
    for batch in (1, 7, "full"):
        rule: dict[str, Any] = {"beta": 0.1, "activation": "softmax", "loss": "log", "batch": batch}
        rule |= {"passes": 2, "seed": None if batch == "full" else 4}
        of_events, of_rows = rw.delta_rule(source, **rule), rw.delta_rule(rows, **rule)
        np.testing.assert_allclose(of_events.values, of_rows.values, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("activation", "loss"), [("softmax", "log"), ("softmax", "squared"), (OWN, "squared")]
)
@given(st.data(), st.integers(1, 12), st.integers(1, 3), st.integers(1, 4), REDUCTIONS, SEEDS, some.DTYPES)
def test_batches_in_numpy_are_those_of_plain_loops(
    activation: Any, loss: Any, data: Any, n: int, p: int, q: int, reduction: Any, seed: Any, dtype: Any
) -> None:
    X, Z = data.draw(tables(n, p)), data.draw(tables(n, q, st.sampled_from([0.0, 1.0, 0.3])))
    alpha = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=p, max_size=p)))
    batch = data.draw(st.sampled_from([2, 5, 40, "full"] if activation is OWN else [1, 2, 5, "full"]))
    schedule = data.draw(st.sampled_from([None, rw.schedules.inverse_time(3.0)]))
    factor = factor_of(schedule)
    W = np.zeros((p, q))
    size = n if batch == "full" else batch
    for made, order in enumerate(orders(None if batch == "full" else seed, 2, n) or [list(range(n))] * 2):
        for first in range(0, n, size):
            before, taken = W.copy(), order[first : first + size]
            rate = 0.2 * factor(made * n + first + 1) / (len(taken) if reduction == "mean" else 1)
            for t in taken:
                h = X[t] @ before
                if activation is OWN:
                    slopes = np.diag(1 / (1 + h**2))
                    downhill = slopes @ (Z[t] - np.arctan(h))
                else:
                    y = np.array(reference.values_of(h.tolist(), "softmax"))
                    slopes = np.diag(y) - np.outer(y, y)
                    downhill = slopes @ (Z[t] - y if loss == "squared" else Z[t] / y)
                W += rate * np.outer(alpha * X[t], downhill)
    given_x = sparse.csr_array(X) if data.draw(st.booleans()) else X
    rule: dict[str, Any] = {"alpha": alpha, "beta": 0.2, "activation": activation, "loss": loss}
    rule |= {"batch": batch, "reduction": reduction, "seed": seed, "schedule": schedule, "passes": 2}
    found = rw.delta_rule((given_x, Z), **rule, dtype=dtype)
    assert found.values.dtype == dtype
    some.assert_close(found.values, W, 1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("batch", [1, 2, "full"])
def test_a_cue_that_is_kept_twice_has_the_value_two(batch: Any) -> None:
    source = rw.read_events(
        [(["a", "b", "a"], ["x"]), (["b"], ["y"]), (["a", "a"], ["y"])], duplicates="keep"
    )
    X, Z = [[2.0, 1.0], [0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    rule: dict[str, Any] = {"beta": 0.1, "activation": "softmax", "loss": "log", "batch": batch, "passes": 3}
    found = rw.delta_rule(source, **rule).values
    np.testing.assert_allclose(found, rw.delta_rule((X, Z), **rule).values, rtol=1e-12)


# Functions of one's own.


@pytest.mark.parametrize("batch", [4, "full"])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_function_that_the_engine_has_gives_its_weights(batch: Any, seed: Any) -> None:
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(50, 3)), rng.uniform(-1, 1, size=(50, 2))
    pair = (np.tanh, lambda h: 1 - np.tanh(h) ** 2)
    rule: dict[str, Any] = {"beta": 0.05, "batch": batch, "passes": 3, "seed": seed}
    own = rw.delta_rule((X, Z), **rule, activation=pair)
    np.testing.assert_allclose(
        own.values, rw.delta_rule((X, Z), **rule, activation="tanh").values, rtol=1e-12
    )
    assert own.parameters["activation"].startswith("(tanh, ")


def test_own_functions_are_called_by_the_calling_thread_and_checked() -> None:
    source = rw.read_events(NOISY)
    callers: set[int] = set()

    def g(h: NDArray[Any]) -> NDArray[Any]:
        callers.add(threading.get_ident())
        return h

    rule: dict[str, Any] = {"beta": 0.01, "batch": 5}
    rw.delta_rule(source, **rule, activation=(g, np.ones_like), threads=2)
    assert callers == {threading.get_ident()}

    def spoiling(h: NDArray[Any]) -> NDArray[Any]:
        h += 1
        return h

    for pair, error, message in (
        ((lambda h: h.sum(), np.ones_like), ValueError, "activation must give an array of .* but g gave"),
        ((g, lambda h: h[:1]), ValueError, r"activation must give .* but g' gave"),
        ((spoiling, np.ones_like), ValueError, "read-only"),
        ((lambda h: 1 / 0, np.ones_like), ZeroDivisionError, "division"),
        ((g, 1.0), TypeError, "or a pair of functions"),
        ((g,), TypeError, "or a pair of functions"),
    ):
        with pytest.raises(error, match=message):
            rw.delta_rule(source, **rule, activation=pair)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"is for batches: with a batch of 1 Python would be called"):
        rw.delta_rule(source, beta=0.1, activation=(g, np.ones_like))
    with pytest.raises(ValueError, match="only of these the values are probabilities"):
        rw.delta_rule(source, **rule, activation=(g, np.ones_like), loss="log")


def test_batches_in_numpy_name_what_diverges_and_can_be_stopped() -> None:
    source = rw.read_events([("a", "x", 2), ("b", "y", 2)])
    square = (lambda h: h**2 + h, lambda h: 2 * h + 1)
    with pytest.raises(FloatingPointError, match=r"weight of cue '[ab]' to outcome '[xy]' became"):
        rw.delta_rule(source, beta=50.0, activation=square, batch=2, passes=50)
    seen: list[tuple[int, int]] = []
    rule: dict[str, Any] = {"beta": 0.1, "activation": "softmax", "loss": "log", "passes": 40}
    rw.delta_rule(source, **rule, record="loss", progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (160, 160)

    class Stop(Exception):  # noqa: N818
        pass

    def refuse(_done: int, _total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        rw.delta_rule(source, **rule | {"passes": 10**6}, progress=refuse)


@pytest.mark.parametrize("data", [rw.read_events([("", "")]), (np.zeros((0, 2)), np.zeros((0, 2)))])
@pytest.mark.parametrize("activation", ["identity", "softmax"])
def test_nothing_to_learn_from(data: Any, activation: Any) -> None:
    for record in ("loss", "accuracy"):
        weights = rw.delta_rule(data, beta=0.1, activation=activation, record=record, tol=0.1)
        assert weights.history is not None
        assert weights.history.tolist() == [0.0]
        assert weights.parameters["converged"]
    with pytest.raises(ValueError, match="record must be 'loss' or 'accuracy'"):
        rw.delta_rule(data, beta=0.1, record="errors")  # type: ignore[arg-type]
