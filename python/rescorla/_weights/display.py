"""Weights as they show themselves: a corner of them as text, and in a notebook the strongest, shaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared import show
from rescorla._weights.directions import blocks
from rescorla._weights.ranking import largest

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cues and outcomes that a notebook shows.
_SHOWN = 8
# Weights that are looked at for the strongest, at most: a notebook does not wait for a disk.
_LOOKED_AT = 1 << 26
# Positive and negative, as in pictures; the share of the colour leaves text readable on white and on black.
_BLUE, _RED, _FULL = "33, 102, 172", "178, 24, 43", 0.6


def text_of(
    part: Callable[[Sequence[int], Sequence[int]], NDArray[Any]], cues: Sequence[str], outcomes: Sequence[str]
) -> list[str]:
    """Lines with the name of a cue and numbers, under one with the names of outcomes.

    The first and the last cues and outcomes are shown, as many as fit a screen.
    """

    def heads(columns: Sequence[int]) -> list[list[str]]:
        return [["", *(show.short(outcomes[column], show.NARROW) for column in columns)]]

    def rows(places: Sequence[int], columns: Sequence[int]) -> list[list[str]]:
        names = [show.short(cues[place], show.NARROW) for place in places]
        return _lines(names, part(places, columns))

    return show.grid(len(cues), len(outcomes), heads, rows)


def html_of(
    head: str,
    values: NDArray[Any],
    cues: Sequence[str],
    outcomes: Sequence[str],
    parameters: Mapping[str, Any],
) -> str:
    """The strongest cues and outcomes, their weights shaded by sign and size, and the parameters."""
    table = _table(values, cues, outcomes) if values.size else ""
    return show.notebook_html(head, table, show.details(parameters))


def _table(values: NDArray[Any], cues: Sequence[str], outcomes: Sequence[str]) -> str:
    rows, columns, which = _corner(values)
    corner = values[np.ix_(rows, columns)]
    most = float(np.abs(corner[np.isfinite(corner)]).max(initial=0.0))
    shades = [["", *(_shade(value, most) for value in line)] for line in corner.tolist()]
    lines = _lines([cues[row] for row in rows], corner)
    heads = ["", *(outcomes[column] for column in columns)]
    return show.table(heads, lines, caption=which, most=show.NARROW, shades=shades)


def _lines(names: Sequence[str], values: NDArray[Any]) -> list[list[str]]:
    """A name and its numbers in each line."""
    return [[name, *map(show.rounded, line)] for name, line in zip(names, values.tolist(), strict=True)]


def _corner(values: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp], str]:
    """The rows and columns to show, and which they are of more."""
    n_rows, n_columns = values.shape
    first = np.arange(min(n_rows, _SHOWN)), np.arange(min(n_columns, _SHOWN))
    if n_rows <= _SHOWN and n_columns <= _SHOWN:
        return *first, ""
    if values.size > _LOOKED_AT:
        return *first, "the first cues and outcomes; weights.strongest(n) looks at all"
    by_row, by_column = np.zeros(n_rows), np.zeros(n_columns)
    for some in blocks(n_rows, n_columns):
        sizes = np.abs(values[some])
        by_row[some] = np.fmax.reduce(sizes, axis=1)
        by_column = np.fmax(by_column, np.fmax.reduce(sizes, axis=0))
    return largest(by_row, _SHOWN), largest(by_column, _SHOWN), "the strongest cues and outcomes"


def _shade(value: float, most: float) -> str:
    """The background of a number: the fuller, the larger it is."""
    if not value or not most or not np.isfinite(value):
        return ""
    return f"rgba({_BLUE if value > 0 else _RED}, {_FULL * abs(value) / most:.3f})"
