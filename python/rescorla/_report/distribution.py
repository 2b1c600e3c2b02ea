"""How weights are distributed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rescorla._report.lists import Part
from rescorla._weights.directions import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BINS = 60


class Histogram(NamedTuple):
    """Weights in bins of equal width, zero in the middle of one of them."""

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    zeros: int
    """How many weights are exactly 0."""
    unfit: int
    """How many weights are not finite; they are in no bin."""


def histogram(part: Part, shape: tuple[int, int]) -> Histogram:
    """The weights, some at a time."""
    everything = slice(None)
    low = high = 0.0
    zeros = unfit = 0
    for some in blocks(*shape):
        values = part(some, everything)
        finite = np.isfinite(values)
        unfit += int(values.size - finite.sum())
        zeros += int((values == 0).sum())
        low = min(low, float(values.min(initial=0, where=finite)))
        high = max(high, float(values.max(initial=0, where=finite)))
    # Halves, since the difference of the largest numbers is infinite.
    width = (high / 2 - low / 2) / _BINS * 2 or 1 / _BINS
    first, last = math.floor(low / width - 0.5), math.ceil(high / width + 0.5)
    limit = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        edges = np.clip((np.arange(first, last, dtype=np.float64) + 0.5) * width, -limit, limit)
    if edges[-1] < high:
        edges = np.append(edges, min((last + 0.5) * width, limit))
    counts = np.zeros(len(edges) - 1, dtype=np.int64)
    for some in blocks(*shape):
        values = part(some, everything)
        counts += np.histogram(values[np.isfinite(values)], edges)[0]
    return Histogram(edges, counts, zeros, unfit)
