"""The page of weights: what is strongest of every name, and what is near."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._report import page
from rescorla._report.cited import cited
from rescorla._report.distribution import histogram
from rescorla._report.lists import Lists, strongest
from rescorla._report.nearest import MOST, cost, nearest
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Strongest weights of all, and nearest names, that are shown.
_OF_ALL, _NEAREST = 20, 10

_SHRINK = 0.9


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

    work = _Work(shape, nearness is not None and cost(shape) <= MOST, watch)
    lists = {side: strongest(part, shape, side, n, work.looked) for side in ("rows", "columns")}
    most = max(each.most for each in lists.values())
    n = min(n, most)
    bars = histogram(part, shape)
    near = None
    if work.near:
        assert nearness is not None
        near = {
            side: nearest(part, shape, side, nearness, _NEAREST, work.multiplied)
            for side in ("rows", "columns")
        }
    top = [[weights._row_numbers[c], weights._column_numbers[o], w] for c, o, w in weights.strongest(_OF_ALL)]
    data: dict[str, Any] = {
        "cues": weights.cues,
        "outcomes": weights.outcomes,
        "nearness": nearness if near else None,
        "nearest": near,
        "strongest": [each for each in top if each[2] != 0 and np.isfinite(each[2])],
        "histogram": {
            "edges": bars.edges.tolist(),
            "counts": bars.counts.tolist(),
            "zeros": bars.zeros,
        },
    }
    while True:
        whole = n >= most
        kind = "f8" if whole and values.dtype == np.float64 else "f4"
        left_out = _left_out(lists, n, whole, kind, values.dtype, bars.unfit)
        left_out += _of_nearest(nearness, near is not None)
        made = page.page(
            page.Content(
                title=title or f"Weights of {shape[0]:,} cues and {shape[1]:,} outcomes",
                lead=_lead(weights, bars.unfit),
                body="weights",
                scripts=("weights",),
                data=data
                | {"digits": 17 if kind == "f8" else 7}
                | {s: lists[s].data(n, kind) for s in lists},
                facts=page.section("What is in this file", page.sentences(left_out))
                + page.parameters(weights.parameters)
                + cited(weights.parameters.get("rule")),
            )
        )
        if len(made) <= page.LARGEST:
            return made
        if n <= 1:
            raise ValueError(
                f"the page would have {len(made):,} bytes, more than {page.LARGEST:,}, with one weight of "
                "each name alone; report some of the weights, as in weights[cues, outcomes]"
            )
        n = max(1, min(n - 1, int(n * page.LARGEST / len(made) * _SHRINK)))


class _Work:
    """How far the work has come: looking at weights, then multiplying them."""

    def __init__(
        self, shape: tuple[int, int], near: bool, watch: Callable[[int, int], object] | None
    ) -> None:
        self.near, self._watch, self._done = near, watch, 0
        # Looking for what is strongest takes as long as so many products a weight.
        self._look = 2000
        size = shape[0] * shape[1]
        self._total = 2 * size * self._look + (cost(shape) if near else 0)

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


def _of_nearest(nearness: str | None, there: bool) -> list[str]:
    if there:
        lines = "of rows of weights for cues, and of columns for outcomes"
        return [f"Nearest names are the {_NEAREST} of the largest {nearness} {lines}."]
    why = "" if nearness is None else ": these weights are too many to compare all"
    return [f"Nearest names are left out{why}."]
