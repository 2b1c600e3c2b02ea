"""Correlations between vectors: pyndl's ``correlation``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rescorla.measures._nearness import correlations

__all__ = ["correlation"]


def correlation(
    semantics: ArrayLike, activations: ArrayLike, *, verbose: bool = False, allow_nan: bool = False
) -> NDArray[np.float64]:
    """The correlation of each vector of outcomes with the activations of each event.

    Parameters
    ----------
    semantics : array_like, n_dimensions x n_outcomes
        A vector for each outcome, as a column.
    activations : array_like, n_dimensions x n_events
        A vector for each event, as a column.
    verbose : bool, default False
        It changes nothing.
    allow_nan : bool, default False
        Whether to allow vectors that have no correlation (all numbers equal, or NaN among them); it is then
        NaN.

    Returns
    -------
    ndarray, n_outcomes x n_events

    Raises
    ------
    ValueError
        When a vector has no correlation and ``allow_nan=False``; the message names its column.
    AssertionError
        When vectors have different lengths.

    Examples
    --------
    >>> from rescorla.compat.pyndl import correlation
    >>> correlation.correlation(
    ...     [[1.0, 3.0], [2.0, 2.0], [3.0, 0.0]], [[0.0], [1.0], [2.0]]
    ... ).round(3)
    array([[ 1.   ],
           [-0.982]])
    """
    tables = np.asarray(semantics, dtype=float), np.asarray(activations, dtype=float)
    if tables[0].shape[0] != tables[1].shape[0]:
        raise AssertionError(
            "number of vector dimensions in semantics and activations need to be the same, found "
            f"{tables[0].shape[0]} and {tables[1].shape[0]}"
        )
    flat = [_without_correlation(table) for table in tables]
    if not allow_nan:
        for name, columns in zip(("semantics", "activations"), flat, strict=True):
            if columns.any():
                raise ValueError(
                    f"Standard deviations of {name} are not different to zero or nan, as in column "
                    f"{int(columns.argmax())}; allow_nan=True gives NaN there"
                )
    found = np.full((tables[0].shape[1], tables[1].shape[1]), np.nan)
    kept = [np.flatnonzero(~columns) for columns in flat]
    if all(map(len, kept)):
        found[np.ix_(*kept)] = correlations(tables[1][:, kept[1]].T, tables[0][:, kept[0]].T).T
    return found


def _without_correlation(table: NDArray[Any]) -> NDArray[np.bool_]:
    """Which columns do not vary, or have no number somewhere."""
    if table.shape[0] < 2:
        return np.ones(table.shape[1], dtype=bool)
    flat: NDArray[np.bool_] = ~np.isfinite(table).all(axis=0) | (table == table[0]).all(axis=0)
    return flat
