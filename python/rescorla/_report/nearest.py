"""The names whose weights are most alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._report.lists import Part, blocks
from rescorla._report.packed import numbers, packed
from rescorla._weights.nearness import bounded, directions
from rescorla._weights.ranking import largest_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Products of vectors that are too many to wait for; numbers of vectors from which on they are of single precision.
MOST, _MANY = 5_000_000_000_000, 1 << 22


def cost(shape: tuple[int, int]) -> int:
    """How many products `nearest` takes for rows and columns together."""
    return shape[0] * shape[1] * (shape[0] + shape[1])


def nearest(
    part: Part, shape: tuple[int, int], side: str, method: str, n: int, watch: Callable[[int], None]
) -> dict[str, Any]:
    """The n names whose rows, or columns, of weights are nearest; of a line without a direction none."""
    n_lines, across = shape if side == "rows" else shape[::-1]
    vectors = np.empty((n_lines, across), np.float64 if n_lines * across <= _MANY else np.float32)
    everything = slice(None)
    for some in blocks(n_lines, across):
        lines = part(some, everything) if side == "rows" else part(everything, some).T
        # Infinite weights have no direction.
        with np.errstate(invalid="ignore"):
            vectors[some] = directions(np.asarray(lines, dtype=np.float64), method)
    ids: list[NDArray[Any]] = []
    values: list[NDArray[Any]] = []
    counts: list[NDArray[Any]] = []
    for some in blocks(n_lines, n_lines):
        with np.errstate(invalid="ignore"):
            alike = bounded(vectors[some] @ vectors.T)
        own = np.arange(len(alike))
        alike[own, some.start + own] = np.nan
        places = largest_of_rows(alike, n)
        near = np.take_along_axis(alike, places, axis=1)
        there = ~np.isnan(near)
        ids.append(places[there])
        values.append(near[there])
        counts.append(there.sum(axis=1))
        watch(alike.size * across)
    return {
        "ends": packed(np.cumsum(np.concatenate(counts)), "u4"),
        "ids": numbers(np.concatenate(ids), n_lines),
        "values": packed(np.concatenate(values), "f4"),
    }
