"""The strongest weights of each row and of each column: what a page has of weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._report.page import packed, packed_numbers
from rescorla._weights.directions import blocks
from rescorla._weights.ranking import largest_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

Part = Callable[[slice, slice], "NDArray[Any]"]
"""Gives a part of a matrix."""


class Lists(NamedTuple):
    """Of each line the largest positive and the smallest negative weights, the strongest first."""

    up: NDArray[np.integer[Any]]
    """The places of the positive ones, n_lines x n."""
    up_values: NDArray[Any]
    down: NDArray[np.integer[Any]]
    """The same of the negative ones."""
    down_values: NDArray[Any]
    positive: NDArray[np.int64]
    """How many weights of each line are positive."""
    negative: NDArray[np.int64]
    across: int
    """How many weights a line has."""

    @property
    def most(self) -> int:
        """The largest number of weights of one sign that a line has."""
        return int(max(self.positive.max(initial=0), self.negative.max(initial=0)))

    def some(self, lines: slice) -> Lists:
        """Those of some lines."""
        return self._replace(
            **{name: getattr(self, name)[lines] for name in self._fields if name != "across"}
        )

    def data(self, n: int, kind: str) -> dict[str, Any]:
        """The n strongest of either sign of each line, from the most positive down."""
        shape = self.up[:, :n].shape
        places = np.arange(shape[1])
        # The weakest negative ones first, so that values fall along the line.
        ids = np.concatenate([self.up[:, :n], self.down[:, :n][:, ::-1]], axis=1)
        values = np.concatenate([self.up_values[:, :n], self.down_values[:, :n][:, ::-1]], axis=1)
        there = np.concatenate(
            [places < self.positive[:, None], (places < self.negative[:, None])[:, ::-1]], axis=1
        )
        return {
            "ends": packed(np.cumsum(there.sum(axis=1)), "u4"),
            "ids": packed_numbers(ids[there], self.across),
            "values": packed(values[there], kind),
            "positive": packed(self.positive, "u4"),
            "negative": packed(self.negative, "u4"),
        }


def lists_of(part: Part, shape: tuple[int, int], side: str, n: int, watch: Callable[[int], None]) -> Lists:
    """The n strongest of either sign of each row, or of each column. What is not a number is left out."""
    n_lines, across = shape if side == "rows" else shape[::-1]
    everything = slice(None)
    found: list[tuple[NDArray[Any], ...]] = []
    # None, once, where there are no lines.
    for some in [*blocks(n_lines, across)] or [slice(0)]:
        lines = part(some, everything) if side == "rows" else part(everything, some).T
        lines = np.ascontiguousarray(lines)
        up, down = largest_of_rows(lines, n), largest_of_rows(-lines, n)
        found.append(
            (
                up.astype(np.uint32),
                np.take_along_axis(lines, up, axis=1),
                down.astype(np.uint32),
                np.take_along_axis(lines, down, axis=1),
                (lines > 0).sum(axis=1),
                (lines < 0).sum(axis=1),
            )
        )
        watch(lines.size)
    up, up_values, down, down_values, positive, negative = (
        np.concatenate(each) for each in zip(*found, strict=True)
    )
    return Lists(up, up_values, down, down_values, positive, negative, across)
