"""Weights as text: a corner of their values, as numpy and xarray show arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# At most so many rows and columns on each side of those that are left out, and so many characters.
_SIDE, _NAME, _LINE = 3, 16, 88

_GAP = "..."


def text_of(
    part: Callable[[list[int], list[int]], NDArray[Any]], cues: Sequence[str], outcomes: Sequence[str]
) -> list[str]:
    """Lines with the name of a cue and numbers, under one with the names of outcomes.

    The first and the last cues and outcomes are shown, as many as fit a screen.
    """
    rows, row_gap = _ends(len(cues), _SIDE)
    columns, _ = _ends(len(outcomes), _SIDE)
    if not rows or not columns:
        return []
    corner = part(rows, columns).tolist()
    for side in range(_SIDE, 0, -1):
        shown, column_gap = _ends(len(outcomes), side)
        table = [["", *(short(outcomes[column]) for column in shown)]]
        for row, values in zip(rows, corner, strict=True):
            table.append([short(cues[row]), *(number(values[columns.index(column)]) for column in shown)])
        if column_gap is not None:
            for line in table:
                line.insert(1 + column_gap, _GAP)
        if row_gap is not None:
            table.insert(1 + row_gap, [_GAP] * len(table[0]))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        if sum(widths) + 2 * len(widths) <= _LINE:
            break
    return [
        "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]).rstrip()
        for name, *cells in table
    ]


def short(name: str) -> str:
    """A name that fits a column and breaks no line."""
    plain = name if name.isprintable() else repr(name)[1:-1]
    return plain if len(plain) <= _NAME else plain[: _NAME - 1] + "…"


def number(value: float) -> str:
    """A weight with four digits."""
    return f"{value:.4g}"


def _ends(n: int, side: int) -> tuple[list[int], int | None]:
    """The first and the last places, and how many stand before the gap; all, and None, where they are few."""
    if n <= 2 * side + 1:
        return list(range(n)), None
    return [*range(side), *range(n - side, n)], side
