"""The rows and columns of weights that a picture shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.checks import chosen, whole
from rescorla._weights.ranking import largest
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def block_of(
    weights: Weights, cues: Iterable[str] | None, outcomes: Iterable[str] | None, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """The rows and columns to draw, and their weights.

    The names that are given are cut out first: the strongest of the rest are those of what is drawn.
    """
    whole("n", n, 1)
    rows, columns, values = named_block(weights, cues, outcomes)
    if cues is None:
        rows = _peaks(values, 1, n)
        values = values[rows]
    if outcomes is None:
        columns = _peaks(values, 0, n)
        values = values[:, columns]
    return rows, columns, values


def named_block(
    weights: Weights, cues: Iterable[str] | None, outcomes: Iterable[str] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """The rows and columns of these names, by default all, and their weights."""
    rows = None if cues is None else chosen("cues", cues, weights._row_numbers)
    columns = None if outcomes is None else chosen("outcomes", outcomes, weights._column_numbers)
    # All of them without a copy: weights may be as large as the memory.
    values = np.asarray(weights)
    if rows is not None:
        values = values[rows]
    if columns is not None:
        values = values[:, columns]
    rows = np.arange(len(values)) if rows is None else rows
    columns = np.arange(values.shape[1]) if columns is None else columns
    if not values.size:
        raise ValueError(
            f"cues and outcomes must be one each at least to be drawn, not {len(rows)} and {len(columns)}; "
            "name more, or leave both out"
        )
    return rows, columns, values


def _peaks(values: NDArray[Any], axis: int, n: int) -> NDArray[np.int64]:
    """The n places along the other axis where absolute values reach highest, in their order."""
    # Without the absolute values of everything: weights may be as large as the memory.
    highest = np.maximum(values.max(axis=axis, initial=0), -values.min(axis=axis, initial=0))
    return np.sort(largest(highest, n))
