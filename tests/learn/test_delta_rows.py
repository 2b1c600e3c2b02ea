"""`delta_rule` on arrays: the reference's weights, dense and sparse; those of events; logistic regression."""

from typing import Any

import asked
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference
import rescorla as rw
import strategies as some
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event
from scipy import sparse
from test_delta import BATCHES, KINDS, REDUCTIONS, SCHEDULES, SEEDS, factor_of, orders

# Sums and products of these round; zeros stand in sparse matrices too, where somebody put them.
VALUES = st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0, 0.1, 0.7, -0.3, 1.3])
RATES = st.sampled_from([0.0, 0.01, 0.05, 0.1])
SALIENCES = st.sampled_from([0.0, 0.1, 0.3, 1.0])


def tables(n: int, p: int, values: st.SearchStrategy[float] = VALUES) -> st.SearchStrategy[NDArray[Any]]:
    """An n x p array."""
    row = st.lists(values, min_size=p, max_size=p)
    return st.lists(row, min_size=n, max_size=n).map(lambda rows: np.array(rows, float).reshape(n, p))


def standing(matrix: Any) -> list[dict[int, float]]:
    """What stands in each row of an array or a CSR matrix, in the order of the columns."""
    if isinstance(matrix, np.ndarray):
        return [dict(enumerate(row.tolist())) for row in matrix]
    bounds = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return [
        dict(zip(matrix.indices[a:b].tolist(), matrix.data[a:b].tolist(), strict=True)) for a, b in bounds
    ]


@pytest.mark.parametrize(("activation", "loss"), KINDS)
@given(
    st.data(),
    st.tuples(st.integers(0, 30), st.integers(0, 5), st.integers(0, 20)),
    some.DTYPES,
    some.THREADS,
    BATCHES,
    REDUCTIONS,
    st.integers(1, 3),
    SEEDS,
)
def test_arrays_are_learned_as_the_reference_learns_them(
    activation: Any,
    loss: Any,
    data: st.DataObject,
    size: tuple[int, int, int],
    dtype: Any,
    threads: int,
    batch: Any,
    reduction: Any,
    passes: int,
    seed: int | None,
) -> None:
    n, p, q = size
    X: Any = data.draw(tables(n, p))
    Z: Any = data.draw(tables(n, q, st.sampled_from([0.0, 1.0, 0.3]) if loss == "log" else VALUES))
    initial = data.draw(st.one_of(st.none(), tables(p, q, some.WEIGHTS)))
    alpha = data.draw(st.one_of(st.just([1.0] * p), st.lists(SALIENCES, min_size=p, max_size=p)))
    beta = data.draw(RATES)
    schedule = data.draw(SCHEDULES)
    if data.draw(st.booleans()):
        X = sparse.csr_array(X)
    number = float if dtype == np.float64 else dtype
    with np.errstate(all="ignore"):
        expected = reference.delta_rule_on_rows(
            standing(X),
            Z.tolist(),
            alpha,
            beta,
            q,
            activation,
            loss,
            batch,
            reduction,
            passes,
            None if initial is None else initial.tolist(),
            None if batch == "full" else orders(seed, passes, n),
            number,
            factor_of(schedule),
        )
    values = np.array(expected, dtype).reshape(p, q)
    names = [f"x{i}" for i in range(p)], [f"z{j}" for j in range(q)]
    rule: dict[str, Any] = {
        "alpha": alpha,
        "beta": beta,
        "schedule": schedule,
        "activation": activation,
        "loss": loss,
        "batch": batch,
        "reduction": reduction,
        "passes": passes,
        "initial": None if initial is None else rw.Weights(initial, *names),
        "seed": seed,
        "dtype": dtype,
        "threads": threads,
        "tile": data.draw(st.one_of(st.none(), st.integers(1, 40))),
    }
    targets = sparse.csr_array(Z) if data.draw(st.booleans()) else Z
    if not np.isfinite(values).all():
        with pytest.raises(FloatingPointError, match="diverges"):
            asked.delta_rule((X, targets), **rule)
        return
    result = asked.delta_rule((X, targets), **rule)
    assert (list(result.cues), list(result.outcomes)) == names
    if activation in ("identity", "relu", "threshold"):
        assert some.bits(result.values) == some.bits(values)
    else:
        # Python's functions may be others than the engine's.
        tolerance = 1e-12 if dtype == np.float64 else 1e-5
        assert result.values.dtype == dtype
        np.testing.assert_allclose(result.values, values, rtol=tolerance, atol=tolerance)


# The same as events.


@pytest.mark.parametrize(("activation", "loss"), KINDS)
@given(some.events(), some.DTYPES, SALIENCES, st.integers(1, 3), SEEDS)
def test_a_cue_matrix_is_learned_as_the_events_are(
    activation: Any, loss: Any, events: list[Event], dtype: Any, alpha: float, passes: int, seed: int | None
) -> None:
    # Cues listed in the order of the columns; each event a token.
    names: Event = (*reference.vocabularies(events), 0)
    tokens = [(tuple(sorted(set(c), key=names[0].index)), o, 1) for c, o, f in events for _ in range(f)]
    source = rw.read_events([names, *tokens])
    X, O = source.cue_matrix(), source.outcome_matrix()  # noqa: E741
    # The row of frequency 0 is a row of the matrices too.
    X, Z = X[1:], O[1:].toarray() * 2.0 - 1.0 if activation == "tanh" else O[1:]
    rule: dict[str, Any] = {
        "alpha": alpha,
        "beta": 0.1,
        "activation": activation,
        "loss": loss,
        "passes": passes,
        "seed": seed,
        "dtype": dtype,
    }
    expected = rw.delta_rule(source, **rule).values
    assert some.bits(rw.delta_rule((X, Z), **rule).values) == some.bits(expected)
    dense = rw.delta_rule((X.toarray(), Z), **rule).values
    assert some.bits(dense) == some.bits(expected)


@given(st.data(), st.integers(1, 20), st.integers(1, 5), st.sampled_from(KINDS), BATCHES)
def test_dense_and_sparse_rows_give_equal_weights(
    data: st.DataObject, n: int, p: int, kind: tuple[Any, Any], batch: Any
) -> None:
    X, Z = data.draw(tables(n, p)), data.draw(tables(n, 3, st.sampled_from([0.0, 1.0, 0.3])))
    start = data.draw(tables(p, 3, some.WEIGHTS))
    rule: dict[str, Any] = dict(zip(("activation", "loss"), kind, strict=True))
    rule |= {"beta": 0.1, "batch": batch, "passes": 2}
    rule["initial"] = rw.Weights(start, [f"x{i}" for i in range(p)], ["z0", "z1", "z2"])
    dense = rw.delta_rule((X, Z), **rule).values
    for form in (sparse.csr_array, sparse.coo_matrix, sparse.csc_matrix):
        values = rw.delta_rule((form(X), form(Z)), **rule).values
        # Zeros that do not stand add 0 * w and 0 * u: they may turn -0.0 into +0.0, and nothing else.
        assert some.bits(values + 0.0) == some.bits(dense + 0.0)


# Sizes at which vectors, blocks of rows, tiles and threads are all at work.

RNG = np.random.default_rng(7)
WIDE_X, WIDE_Z = RNG.normal(size=(83, 30)), RNG.uniform(size=(83, 700))
WIDE_X[RNG.uniform(size=WIDE_X.shape) < 0.5] = 0


@pytest.mark.parametrize(("activation", "loss"), KINDS)
@pytest.mark.parametrize("batch", [1, 19, "full"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_tiles_threads_and_instruction_sets_change_no_bit(
    activation: Any, loss: Any, batch: Any, form: Any
) -> None:
    rule: dict[str, Any] = {"beta": 0.002, "activation": activation, "loss": loss, "batch": batch}
    rule |= {"passes": 3, "seed": 2, "alpha": np.linspace(0.5, 1.5, 30)}
    data = form(WIDE_X), WIDE_Z
    whole = asked.delta_rule(data, **rule, threads=1)
    busy = asked.delta_rule(data, **rule, threads=3, tile=64)
    assert (whole.parameters["threads"], busy.parameters["threads"]) == (1, 3)
    assert some.bits(busy.values) == some.bits(whole.values)
    portable = asked.delta_rule(data, **rule, threads=2, tile=9, kernel="portable")
    assert some.bits(portable.values) == some.bits(whole.values)
    one = asked.delta_rule((data[0], WIDE_Z[:, 699]), **rule)
    assert some.bits(one.values[:, 0]) == some.bits(whole.values[:, 699])


def test_full_batches_are_matrix_products() -> None:
    found = rw.delta_rule((WIDE_X, WIDE_Z), beta=0.3, batch="full", reduction="mean", passes=50).values
    expected = np.zeros((30, 700))
    for _ in range(50):
        expected += 0.3 / 83 * (WIDE_X.T @ (WIDE_Z - WIDE_X @ expected))
    some.assert_close(found, expected, 1e-12)


@given(st.data(), st.sampled_from(KINDS), st.integers(1, 5), st.integers(1, 20), st.integers(1, 20))
def test_learning_on_is_learning_at_once(
    data: st.DataObject, kind: tuple[Any, Any], batch: int, first: int, second: int
) -> None:
    # The first rows end where a batch does.
    first = first * batch
    X, Z = (
        data.draw(tables(first + second, 3)),
        data.draw(tables(first + second, 2, st.sampled_from([0.0, 1.0]))),
    )
    rule: dict[str, Any] = dict(zip(("activation", "loss"), kind, strict=True)) | {
        "beta": 0.1,
        "batch": batch,
    }
    half = rw.delta_rule((X[:first], Z[:first]), **rule)
    more = rw.delta_rule((X[first:], Z[first:]), **rule, initial=half)
    assert some.bits(more.values) == some.bits(rw.delta_rule((X, Z), **rule).values)


# Where it converges to.


def test_full_batches_of_the_log_loss_are_the_logistic_regression_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(11)
    X = rng.normal(size=(400, 3))
    p = 1 / (1 + np.exp(-(X @ [1.0, -2.0, 0.5] + 0.3)))
    y = (rng.uniform(size=400) < p).astype(float)
    rule: dict[str, Any] = {"beta": 2.0, "activation": "logistic", "loss": "log", "batch": "full"}
    rule |= {"reduction": "mean", "passes": 2000}
    for with_intercept in (True, False):
        model = linear_model.LogisticRegression(
            C=np.inf, fit_intercept=with_intercept, tol=1e-12, max_iter=10_000
        )
        model.fit(X, y)
        expected = [*model.coef_[0], *(model.intercept_ if with_intercept else [])]
        # The intercept is the weight of a cue that is always there.
        cues = np.column_stack([X, np.ones(400)]) if with_intercept else X
        for form in (np.asarray, sparse.csr_array):
            found = rw.delta_rule((form(cues), y), **rule).column("y")
            assert np.abs(found - expected).max() < 1e-6
            early = rw.delta_rule((form(cues), y), **rule | {"passes": 5}).column("y")
            assert np.abs(early - expected).max() > 1e-3


# Names.


def test_names_are_those_of_the_columns() -> None:
    X, Z = np.arange(6.0).reshape(3, 2), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    rule: dict[str, Any] = {"beta": 0.01}
    plain = rw.delta_rule((X, Z), **rule)
    assert (plain.cues, plain.outcomes) == (("x0", "x1"), ("z0", "z1"))
    frames = rw.delta_rule((pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame(Z, columns=[7, 8])), **rule)
    assert (frames.cues, frames.outcomes) == (("a", "b"), ("7", "8"))
    for frame in (pl.DataFrame(X, schema=["a", "b"]), pa.table({"a": X[:, 0], "b": X[:, 1]})):
        found = rw.delta_rule((frame, Z), **rule)
        assert (found.cues, some.bits(found.values)) == (("a", "b"), some.bits(plain.values))
    labelled = xr.DataArray(X, dims=("t", "cue"), coords={"cue": ["a", "b"]})
    series = rw.delta_rule((labelled, pd.Series(Z[:, 1], name="out")), **rule)
    assert (series.cues, series.outcomes) == (("a", "b"), ("out",))
    for y in (Z[:, 1], Z[:, 1].tolist(), pd.Series(Z[:, 1])):
        alone = rw.delta_rule((X, y), **rule)
        assert alone.outcomes == ("y",)
        assert some.bits(alone.values[:, 0]) == some.bits(plain.values[:, 1])
    assert some.bits(frames.values) == some.bits(plain.values)
    assert some.bits(series.values) == some.bits(alone.values)


def test_initial_weights_are_matched_by_name() -> None:
    X = pd.DataFrame(WIDE_X[:, :3], columns=["a", "b", "c"])
    Z = pd.DataFrame(WIDE_Z[:, :2], columns=["u", "v"])
    start = rw.Weights(np.arange(1.0, 10.0).reshape(3, 3) / 10, ["c", "old", "a"], ["v", "gone", "u"])
    alpha = {"c": 0.1, "old": 9.0, "a": 0.2, "b": 0.3}
    for batch in (1, 16):
        found = rw.delta_rule((X, Z), alpha=alpha, beta=0.01, initial=start, batch=batch)
        assert found.cues == ("c", "old", "a", "b")
        assert found.outcomes == ("v", "gone", "u")
        # What the arrays lack stays.
        assert found.row("old").tolist() == [0.4, 0.5, 0.6]
        assert found.column("gone").tolist() == [0.2, 0.5, 0.8, 0.0]
        mapping = [start[c, o] if c != "b" else 0.0 for c in "abc" for o in "uv"]
        ordered = rw.Weights(np.array(mapping).reshape(3, 2), ["a", "b", "c"], ["u", "v"])
        expected = rw.delta_rule((X, Z), alpha=[0.2, 0.3, 0.1], beta=0.01, initial=ordered, batch=batch)
        for cue in "abc":
            for outcome in "uv":
                assert found[cue, outcome] == expected[cue, outcome]
    array = rw.delta_rule((X, Z), alpha=[0.1, 9.0, 0.2, 0.3], beta=0.01, initial=start, batch=16)
    assert some.bits(array.values) == some.bits(found.values)


def test_a_random_start_is_small_and_of_the_seed() -> None:
    still: dict[str, Any] = {"beta": 0.0, "initial": "random", "seed": 5}
    found = rw.delta_rule((WIDE_X, WIDE_Z), **still).values
    assert some.bits(found) == some.bits(np.random.default_rng(5).normal(0.0, 0.01, found.shape))


@pytest.mark.parametrize(
    "rule",
    [
        {"beta": 0.1},
        {"beta": 1.0, "activation": "logistic", "loss": "log"},
        {"beta": 0.5, "activation": "tanh"},
    ],
    ids=["identity", "logistic", "tanh"],
)
@pytest.mark.parametrize("batch", [1, 2, "full"])
def test_the_functions_of_logic(rule: dict[str, Any], batch: Any) -> None:
    X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    truths = pd.DataFrame(
        {
            "and": [0, 0, 0, 1],
            "or": [0, 1, 1, 1],
            "nand": [1, 1, 1, 0],
            "not": [1, 1, 0, 0],
            "xor": [0, 1, 1, 0],
        }
    )
    targets = truths * 2 - 1 if rule.get("activation") == "tanh" else truths
    weights = rw.delta_rule((X, targets), **rule, batch=batch, passes=1000)
    threshold = 0.5 if "activation" not in rule else 0.0
    learned = (((X @ weights.values > threshold) == truths.to_numpy(bool)).all(axis=0)).tolist()
    assert learned == [name != "xor" for name in truths]


# Odd data, errors.


@pytest.mark.parametrize("batch", [1, 3, "full"])
def test_nothing_to_learn_leaves_what_there_was(batch: Any) -> None:
    for n, p, q in [(0, 2, 3), (4, 0, 3), (4, 2, 0), (0, 0, 0)]:
        for form in (np.asarray, sparse.csr_array):
            found = rw.delta_rule(
                (form(np.ones((n, p))), form(np.ones((n, q)))), beta=0.1, batch=batch, passes=9
            )
            assert found.values.shape == (p, q)
            assert (found.values == 0).all() == (n == 0 or p == 0 or q == 0)


X1, Z1 = [[1.0], [2.0]], [[0.0], [1.0]]


@pytest.mark.parametrize(
    ("data", "keywords", "error", "message"),
    [
        ((X1,), {}, TypeError, "a pair"),
        ((X1, Z1, Z1), {}, TypeError, "a pair"),
        ((X1, [1.0]), {}, ValueError, "X and Z must have as many rows"),
        (([1.0, 2.0], Z1), {}, ValueError, "X must have two dimensions"),
        (([["a"], ["b"]], Z1), {}, TypeError, "a pair .*, and this one holds names"),
        ((np.array([["a"], ["b"]]), Z1), {}, TypeError, "a pair .*, and this one holds names"),
        ((np.array([[None], [None]]), Z1), {}, TypeError, "X must consist of numbers"),
        (([[1.0], [np.nan]], Z1), {}, ValueError, r"X must be finite in float64, but at \(1, 0\)"),
        ((X1, [0.0, np.inf]), {}, ValueError, r"Z must be finite in float64, but at \(1,\)"),
        ((X1, [0.0, 1e200]), {"dtype": "float32"}, ValueError, "finite in float32"),
        ((X1, Z1), {"lambda_": 2.0}, ValueError, "scale Z"),
        ((X1, Z1), {"lambda_": {"z0": 1.0}}, ValueError, "scale Z"),
        ((X1, Z1), {"alpha": [1.0, 1.0]}, ValueError, "array of 1 numbers"),
        ((X1, Z1), {"alpha": {"a": 1.0}}, KeyError, "'x0'"),
        (
            (X1, [0.0, 1.5]),
            {"loss": "log", "activation": "logistic"},
            ValueError,
            "Z must be between 0 and 1",
        ),
        ((pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), [1.0]), {}, ValueError, "two columns called 'a'"),
    ],
)
def test_arguments_are_checked(
    data: Any, keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rw.delta_rule(data, **{"beta": 0.1, **keywords})


@pytest.mark.parametrize("batch", [1, "full"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_weight_that_diverges_is_named(batch: Any, form: Any) -> None:
    # In dense rows 0 times an infinite update is no number: there the first cue is named, whichever it was.
    X = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], columns=["b", "a"])
    Z = pd.DataFrame([[0.0, 0.0], [0.0, 1.0]], columns=["u", "v"])
    known = rw.Weights([[0.0, 0.0]], ["a"], ["other", "v"])
    names = rw.Weights(np.zeros((2, 2)), ["a", "b"], ["v", "u"])
    rule: dict[str, Any] = {"beta": 1.0, "batch": batch, "passes": 9, "alpha": 1e300}
    for initial in (None, known, names):
        with pytest.raises(FloatingPointError, match=r"cue 'b' to outcome 'v' became .*; learning diverges"):
            rw.delta_rule((X, Z), **rule, initial=initial)
    with pytest.raises(FloatingPointError, match=r"cue 'x0' to outcome 'z1'"):
        rw.delta_rule((form(X.to_numpy()), form(Z.to_numpy())), **rule)


class Stop(Exception):  # noqa: N818
    """What the callback raises."""


@pytest.mark.parametrize("batch", [1, 1000, "full"])
def test_progress_rises_to_the_total_and_stops_the_work(batch: Any) -> None:
    X, Z = RNG.normal(size=(20_000, 20)), RNG.normal(size=(20_000, 30))
    seen: list[tuple[int, int]] = []
    rule: dict[str, Any] = {"beta": 0.0001, "batch": batch, "reduction": "mean"}
    asked.delta_rule(
        (X, Z), **rule, passes=20, seed=1, ordered=1, progress=lambda done, total: seen.append((done, total))
    )
    done = [d for d, _ in seen]
    assert done == sorted(done)
    assert all(total == 0 or d <= total for d, total in seen)
    assert seen[-1][0] == seen[-1][1] > 0

    def refuse(_done: int, _total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        rw.delta_rule((X, Z), **rule, passes=10**6, progress=refuse)
