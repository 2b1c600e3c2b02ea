"""What is largest: in a vector, in each row of a matrix, in weights as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Weights that are looked at at a time.
_BLOCK = 1 << 22


def largest(vector: NDArray[Any], n: int) -> NDArray[np.intp]:
    """The positions of the n largest entries, largest first, equal ones in order; NaN counts as smallest."""
    falling = -vector
    if n < len(falling):
        # Everything that can be among the first n, ties with the n-th included, so that only these need
        # sorting.
        limit = np.partition(falling, n)[n]
        candidates = np.flatnonzero(~(falling > limit))
    else:
        candidates = np.arange(len(falling))
    return candidates[np.argsort(falling[candidates], kind="stable")][:n]


def largest_of_rows(matrix: NDArray[Any], n: int) -> NDArray[np.intp]:
    """`largest` of each row: n_rows x n, or as many columns as there are."""
    n_rows, n_columns = matrix.shape
    n = min(n, n_columns)
    if n == 0 or n_rows == 0:
        return np.empty((n_rows, n), dtype=np.intp)
    if n == 1 and not np.isnan(matrix).any():
        first: NDArray[np.intp] = np.argmax(matrix, axis=1).reshape(-1, 1)
        return first
    falling = -matrix
    if n == n_columns:
        return np.argsort(falling, axis=1, kind="stable")
    limit = np.partition(falling, n - 1, axis=1)[:, n - 1 : n]
    # NaN is beyond all numbers, and as large as NaN.
    unlimited = np.isnan(limit)
    before = (falling < limit) | (unlimited & ~np.isnan(falling))
    equal = (falling == limit) | (unlimited & np.isnan(falling))
    room = n - before.sum(axis=1, keepdims=True)
    taken = before | (equal & (equal.cumsum(axis=1) <= room))
    columns = np.nonzero(taken)[1].reshape(n_rows, n)
    order = np.argsort(np.take_along_axis(falling, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def strongest(
    part: Callable[[slice, slice], NDArray[Any]], shape: tuple[int, int], n: int, *, by_columns: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Rows, columns and values of the n entries of the largest size; equal ones row by row, NaN last.

    `part` gives a part of the matrix, which is looked at in the order in which it lies, some at a time.
    """
    n_rows, n_columns = shape
    along, across = (n_columns, n_rows) if by_columns else (n_rows, n_columns)
    step = max(1, _BLOCK // max(1, across))
    best: NDArray[Any] | None = None
    places = np.empty(0, dtype=np.int64)
    for start in range(0, along if across and n else 0, step):
        stop = min(start + step, along)
        first = (0, start) if by_columns else (start, 0)
        block = part(slice(None), slice(start, stop)) if by_columns else part(slice(start, stop), slice(None))
        values = block.ravel()
        sizes = np.abs(values)
        if best is None or len(best) < n:
            found = largest(sizes, n)
        else:
            # Mostly few; and NaN, as before.
            rivals = np.flatnonzero(~(sizes < np.abs(best[-1:])))
            found = rivals[largest(sizes[rivals], n)]
        rows, columns = np.divmod(found, block.shape[1])
        here = (rows + first[0]) * n_columns + columns + first[1]
        best = values[found] if best is None else np.concatenate([best, values[found]])
        places = np.concatenate([places, here])
        kept = np.lexsort((places, -np.abs(best)))[:n]
        best, places = best[kept], places[kept]
    if best is None:
        return places, places, np.empty(0)
    return places // n_columns, places % n_columns, best
