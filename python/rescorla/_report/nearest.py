"""The names whose weights are most alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._report.lists import Part
from rescorla._report.page import packed, packed_numbers
from rescorla._weights.directions import blocks, bounded, directions

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Products that are too many to wait for (half a minute); numbers of vectors that are too many for float64.
MOST, _MANY = 2_000_000_000_000, 1 << 22
# Vectors that are compared at a time with as many others.
_LINES = 2048
# To find the largest takes as long as so many products, for each pair of vectors.
_SORTED = 5000


def cost(shape: tuple[int, int], side: str) -> int:
    """How much work `nearest` is, in products of two numbers."""
    n_lines, across = shape if side == "rows" else shape[::-1]
    return n_lines * n_lines * (across + _SORTED)


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
    parts = [slice(start, min(start + _LINES, n_lines)) for start in range(0, max(n_lines, 1), _LINES)]
    found: list[list[tuple[NDArray[Any], NDArray[Any]]]] = [[] for _ in parts]
    # Each pair of lines is compared once.
    for one, left in enumerate(parts):
        for other, right in enumerate(parts[: one + 1]):
            with np.errstate(invalid="ignore"):
                alike = bounded(vectors[left] @ vectors[right].T)
            if one == other:
                np.fill_diagonal(alike, np.nan)
            else:
                found[other].append(_largest(alike.T, left.start, n))
            found[one].append(_largest(alike, right.start, n))
            watch(alike.size * (across + _SORTED) * (1 if one == other else 2))
    best = [_best(each, n) for each in found]
    places, values = (np.concatenate(each) for each in zip(*best, strict=True))
    there = ~np.isnan(values)
    return {
        "ends": packed(np.cumsum(there.sum(axis=1)), "u4"),
        "ids": packed_numbers(places[there], n_lines),
        "values": packed(values[there], "f4"),
    }


def _largest(alike: NDArray[Any], first: int, n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of each line the n largest values, in any order, and whose they are: columns count from `first`."""
    places = np.argpartition(-alike, min(n, alike.shape[1]) - 1, axis=1)[:, :n]
    return places + first, np.take_along_axis(alike, places, axis=1)


def _best(found: list[tuple[NDArray[Any], NDArray[Any]]], n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of each line the n largest of all, the largest first, equal ones in order; what is no number last."""
    places, values = (np.concatenate(each, axis=1) for each in zip(*found, strict=True))
    order = np.lexsort((places, -values), axis=1)[:, :n]
    return np.take_along_axis(places, order, axis=1), np.take_along_axis(values, order, axis=1)
