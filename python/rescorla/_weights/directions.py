"""Vectors as directions, compared in blocks that any memory bears."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.checks import one_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How many numbers are computed at a time: 32 MB of float64, few enough for any memory.
_BLOCK = 1 << 22


def blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """The rows of a large matrix, as many at a time as any memory bears."""
    step = max(_BLOCK // max(n_columns, 1), 1)
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def directions(vectors: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    """Each row divided by its length; NaN where it has none."""
    one_of("method", method, ("cosine", "correlation"))
    if method == "correlation" and vectors.shape[1]:
        constant = (vectors == vectors[:, :1]).all(axis=1)
        vectors = vectors - vectors.mean(axis=1, keepdims=True)
        # The mean of equal numbers may round.
        vectors[constant] = 0.0
    # First by the largest entry, so that no square overflows or vanishes.
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    none = np.full_like(vectors, np.nan)
    scaled = np.divide(vectors, largest, out=none, where=largest > 0)
    directions: NDArray[np.float64] = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return directions


def bounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines, within their bounds in spite of rounding."""
    cosines: NDArray[np.float64] = np.clip(values, -1.0, 1.0)
    return cosines


def best_ranks(near: NDArray[np.float64], starts: Any, own: Any) -> NDArray[np.int64]:
    """1 + the number in each row greater than the greatest of its own; 0 without any, last with NaN."""
    ranks = np.zeros(len(near), dtype=np.int64)
    for row, values in enumerate(near):
        mine = own[starts[row] : starts[row + 1]]
        if len(mine):
            best = np.fmax.reduce(values[mine])
            ranks[row] = len(values) if np.isnan(best) else 1 + np.count_nonzero(values > best)
    return ranks
