"""The page of weights: what is strongest of every name, what is near, and how weights are distributed."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._report import page
from rescorla._report.cited import cited
from rescorla._report.lists import Lists, Part, lists_of
from rescorla._report.nearest import MOST, cost, nearest
from rescorla._weights.directions import blocks
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Strongest weights of all, and nearest names, that are shown.
_OF_ALL, _NEAREST = 20, 10

# Lines by which the size of all lists is estimated, and the share of what is left that they may take then.
_SAMPLE, _SHARE = 1000, 0.97
_SHRINK = 0.9

_SIDES = ("rows", "columns")

# Bars of the histogram.
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


def page_of(
    weights: Weights,
    title: str | None,
    n: int,
    nearness: str | None,
    watch: Callable[[int, int], object] | None,
) -> bytes:
    """The page, with as many of the n strongest of each name as there is room for."""
    shape = weights.shape
    values: NDArray[Any] = np.asarray(weights)

    def part(rows: slice, columns: slice) -> NDArray[Any]:
        return values[rows, columns]

    compared = [side for side in _SIDES if nearness is not None and cost(shape, side) <= MOST]
    work = _Progress(shape, compared, watch)
    lists = {side: lists_of(part, shape, side, n, work.looked) for side in _SIDES}
    most = max(each.most for each in lists.values())
    n = min(n, most)
    bars = histogram(part, shape)
    near = {side: nearest(part, shape, side, str(nearness), _NEAREST, work.multiplied) for side in compared}
    top = [[weights._row_numbers[c], weights._column_numbers[o], w] for c, o, w in weights.strongest(_OF_ALL)]
    data: dict[str, Any] = {
        "cues": weights.cues,
        "outcomes": weights.outcomes,
        "nearness": nearness,
        "nearest": near,
        "strongest": [each for each in top if each[2] != 0 and np.isfinite(each[2])],
        "histogram": {
            "edges": bars.edges.tolist(),
            "counts": bars.counts.tolist(),
            "zeros": bars.zeros,
        },
    }

    def made(n: int, lists: dict[str, Lists]) -> bytes:
        whole, kind = n >= most, kind_of(n)
        left_out = _left_out(lists, n, whole, kind, values.dtype, bars.unfit)
        left_out += _of_nearest(nearness, compared, shape)
        return page.page(
            title=title or f"Weights of {shape[0]:,} cues and {shape[1]:,} outcomes",
            lead=_lead(weights, bars.unfit),
            body="weights",
            scripts=("weights",),
            data=data | {"digits": 17 if kind == "f8" else 7} | {s: lists[s].data(n, kind) for s in lists},
            facts=page.section("What is in this file", page.sentences(left_out))
            + page.parameters(weights.parameters)
            + cited(weights.parameters.get("rule")),
        )

    def kind_of(n: int) -> str:
        return "f8" if n >= most and values.dtype == np.float64 else "f4"

    n = _fitting(lists, n, page.LARGEST - len(made(n, {s: lists[s].some(slice(0)) for s in lists})), kind_of)
    while len(content := made(n, lists)) > page.LARGEST:
        if n <= 1:
            raise ValueError(
                f"the page would have {len(content):,} bytes, more than {page.LARGEST:,}, with one weight of "
                "each name alone; report some of the weights, as in weights[cues, outcomes]"
            )
        n = max(1, min(n - 1, int(n * _SHRINK)))
    return content


def _fitting(lists: dict[str, Lists], n: int, room: int, kind_of: Callable[[int], str]) -> int:
    """The largest number, of n, for which lists have room, as some of their lines let expect.

    To pack all of them, again and again, would take most of the time.
    """
    steps = {side: max(1, len(each.up) // _SAMPLE) for side, each in lists.items()}
    some = {side: each.some(slice(None, None, steps[side])) for side, each in lists.items()}

    def size(n: int) -> int:
        packed = {side: each.data(n, kind_of(n)).values() for side, each in some.items()}
        return sum(steps[side] * sum(len(each["packed"]) for each in found) for side, found in packed.items())

    return n if size(n) <= room else max(1, bisect_right(range(1, n), _SHARE * room, key=size))


class _Progress:
    """How far the work has come: looking at weights, then multiplying them."""

    def __init__(
        self, shape: tuple[int, int], compared: list[str], watch: Callable[[int, int], object] | None
    ) -> None:
        self._watch, self._done = watch, 0
        # Looking for what is strongest takes as long as so many products a weight.
        self._look = 2000
        size = shape[0] * shape[1]
        self._total = 2 * size * self._look + sum(cost(shape, side) for side in compared)

    def looked(self, n: int) -> None:
        self.multiplied(n * self._look)

    def multiplied(self, n: int) -> None:
        self._done += n
        if self._watch is not None:
            self._watch(self._done, self._total)


def _lead(weights: Weights, unfit: int) -> str:
    about = f"{weights.data.dtype}, {weights.shape[0] * weights.shape[1]:,} weights"
    tokens = weights.parameters.get("n_tokens")
    if isinstance(tokens, int):
        about += f", learned from {tokens:,} tokens"
    return about + (f"; {unfit:,} are not finite" if unfit else "")


def _left_out(
    lists: dict[str, Lists], n: int, whole: bool, kind: str, dtype: np.dtype[Any], unfit: int
) -> list[str]:
    if whole:
        said = ["All weights that are not zero are in this file."]
    else:
        kept = {side: _kept(each, n) for side, each in lists.items()}
        said = [
            f"Of every cue the {n:,} strongest positive and the {n:,} strongest negative weights are in this "
            f"file, and of every outcome the same. The others, {kept['rows']} of cues and {kept['columns']} "
            "of outcomes, are left out: rescorla's Weights have them."
        ]
    if kind == "f4" and dtype != np.float32:
        said.append("Weights are rounded to 7 digits.")
    if unfit:
        said.append(f"{unfit:,} weights are not finite: they are in no list and in no bar.")
    said.append("The histogram counts all weights. The network has the strongest lines, 40 at most.")
    return said


def _kept(lists: Lists, n: int) -> str:
    there = int(lists.positive.sum() + lists.negative.sum())
    kept = int(np.minimum(lists.positive, n).sum() + np.minimum(lists.negative, n).sum())
    return f"{100 * (1 - kept / max(there, 1)):.1f} % of those"


def _of_nearest(nearness: str | None, compared: list[str], shape: tuple[int, int]) -> list[str]:
    if nearness is None:
        return ["Nearest names are left out."]
    return [
        f"Nearest {names} are the {_NEAREST} of the largest {nearness} of {side} of weights."
        if side in compared
        else f"Nearest {names} are left out: {count:,} {names} are too many to compare each with every other."
        for side, names, count in zip(_SIDES, ("cues", "outcomes"), shape, strict=True)
    ]
