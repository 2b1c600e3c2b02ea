"""Tables as matrices that multiply weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rescorla._weights.vectors import Table

# Numbers that are made at a time, 8 MB.
_AT_ONCE = 1 << 20


def matrix_of(table: Table) -> Any:
    """The same numbers, as an array or in sparse rows."""
    if table.starts is None or table.columns is None:
        return table.values
    return sparse.csr_array((table.values, table.columns, table.starts), shape=table.shape)


def mean_square(
    x: Table, z: Table, weights: NDArray[np.float64], frequencies: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean squared error of what weights predict, each row as often as it is: one number."""
    rows, targets = matrix_of(x), matrix_of(z)
    n, n_outcomes = z.shape
    step = max(1, _AT_ONCE // max(1, n_outcomes))
    total = 0.0
    for start in range(0, n, step):
        part = slice(start, start + step)
        errors = np.asarray(rows[part] @ weights - targets[part])
        total += float(frequencies[part] @ np.einsum("ij,ij->i", errors, errors))
    return np.array([total / (float(frequencies.sum()) * n_outcomes)])
