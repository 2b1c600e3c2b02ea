"""Weights in a notebook: the strongest cues and outcomes, shaded by sign and size, and the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._weights.display import number, short
from rescorla._weights.ranking import largest

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cues and outcomes that are shown.
_SHOWN = 8
# Weights that are looked at for the strongest, at most and at a time: a notebook does not wait for a disk.
_LOOKED_AT, _BLOCK = 1 << 26, 1 << 22
# Positive and negative, as in pictures; the share of the colour leaves text readable on white and on black.
_BLUE, _RED, _FULL = "33, 102, 172", "178, 24, 43", 0.6

_CELL = "text-align: right; padding: 0.15em 0.6em; font-variant-numeric: tabular-nums"
_NAME = "text-align: left; padding: 0.15em 0.6em; font-weight: normal; white-space: pre"


def html_of(
    head: str,
    values: NDArray[Any] | None,
    cues: Sequence[str],
    outcomes: Sequence[str],
    parameters: Mapping[str, Any],
) -> str:
    """A summary without scripts, whose colours go with a light page and with a dark one.

    Without values only the head and the parameters are shown.
    """
    parts = [f"<div>{_escaped(head)}</div>"]
    if values is not None and values.size:
        parts.append(_table(values, cues, outcomes))
    if parameters:
        lines = "".join(
            f'<tr><th style="{_NAME}">{_escaped(name)}</th>'
            f'<td style="{_NAME}">{_escaped(_told(value))}</td></tr>'
            for name, value in parameters.items()
        )
        parts.append(
            f"<details><summary>{len(parameters)} parameters</summary>"
            f'<table style="border-collapse: collapse">{lines}</table></details>'
        )
    return '<div class="rescorla-weights" style="color: inherit">' + "".join(parts) + "</div>"


def _table(values: NDArray[Any], cues: Sequence[str], outcomes: Sequence[str]) -> str:
    rows, columns, which = _corner(values)
    corner = values[np.ix_(rows, columns)]
    sizes = np.abs(corner[np.isfinite(corner)])
    most = float(sizes.max(initial=0.0))
    heads = "".join(
        f'<th style="{_NAME}" title="{_escaped(outcomes[j])}">{_name(outcomes[j])}</th>' for j in columns
    )
    lines = [f'<tr><th style="{_NAME}"></th>{heads}</tr>']
    for row, numbers in zip(rows, corner.tolist(), strict=True):
        cells = "".join(f'<td style="{_CELL}{_shade(value, most)}">{number(value)}</td>' for value in numbers)
        name = cues[row]
        lines.append(f'<tr><th style="{_NAME}" title="{_escaped(name)}">{_name(name)}</th>{cells}</tr>')
    caption = f'<caption style="text-align: left; opacity: 0.7">{which}</caption>' if which else ""
    return f'<table style="border-collapse: collapse">{caption}{"".join(lines)}</table>'


def _corner(values: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp], str]:
    """The rows and columns to show, and which they are of more."""
    n_rows, n_columns = values.shape
    if values.size > _LOOKED_AT:
        which = "the first cues and outcomes; weights.strongest(n) looks at all"
        return np.arange(min(n_rows, _SHOWN)), np.arange(min(n_columns, _SHOWN)), which
    by_row, by_column = np.zeros(n_rows), np.zeros(n_columns)
    step = max(1, _BLOCK // n_columns)
    for start in range(0, n_rows, step):
        sizes = np.abs(values[start : start + step])
        by_row[start : start + step] = np.fmax.reduce(sizes, axis=1)
        by_column = np.fmax(by_column, np.fmax.reduce(sizes, axis=0))
    whole = n_rows <= _SHOWN and n_columns <= _SHOWN
    if whole:
        return np.arange(n_rows), np.arange(n_columns), ""
    return largest(by_row, _SHOWN), largest(by_column, _SHOWN), "the strongest cues and outcomes"


def _shade(value: float, most: float) -> str:
    """The background of a number: the fuller, the larger it is."""
    if not value or not most or not np.isfinite(value):
        return ""
    return f"; background-color: rgba({_BLUE if value > 0 else _RED}, {_FULL * abs(value) / most:.3f})"


def _told(value: object) -> str:
    if isinstance(value, list | tuple) and len(value) > 6:
        return f"{len(value):,} values, {', '.join(map(str, value[:3]))}, ..."
    text = str(value)
    return text if len(text) <= 200 else text[:199] + "…"


def _name(name: str) -> str:
    return _escaped(short(name))


def _escaped(text: str) -> str:
    from html import escape

    return escape(text)
