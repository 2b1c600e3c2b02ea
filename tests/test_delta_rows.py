"""`delta_rule` on arrays: the reference's weights, dense and sparse; the events' weights; what it converges to."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import reference
import rescorla as rw
import strategies as some
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event
from rescorla.neighbours import delta
from scipy import sparse
from test_delta import BATCHES, KINDS, REDUCTIONS, SEEDS, orders

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
    if not sparse.issparse(matrix):
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
        )
    values = np.array(expected, dtype).reshape(p, q)
    names = [f"x{i}" for i in range(p)], [f"z{j}" for j in range(q)]
    rule: dict[str, Any] = {
        "alpha": alpha,
        "beta": beta,
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
            delta._delta_rule((X, targets), **rule)
        return
    result = delta._delta_rule((X, targets), **rule)
    assert (list(result.cues), list(result.outcomes)) == names
    if activation == "identity":
        assert some.bits(result.values) == some.bits(values)
    else:
        # Python's functions may be others than the engine's.
        tolerance = 1e-12 if dtype == np.float64 else 1e-5
        assert result.values.dtype == dtype
        np.testing.assert_allclose(result.values, values, rtol=tolerance, atol=tolerance)
