"""A few curves as a small picture in SVG, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.show import rounded, short

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Near the colours of Okabe and Ito: they stand out on white and on black. Dashes tell them apart as well.
COLOURS = ("#2a86c8", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_DASHES = ("", "6 3", "2 2", "8 3 2 3", "10 4", "1 3")

_WIDTH, _HEIGHT = 480, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 150, 12, 40
# Points of a curve that are drawn: more cannot be told apart.
POINTS = 240


def sketch(tokens: NDArray[np.int64], curves: NDArray[Any], names: Sequence[str]) -> str:
    """Curves over tokens, one for each column, with their names beside their ends' heights.

    Colours of lines are their own, all else has the colour of the text around.
    """
    finite = curves[np.isfinite(curves)]
    if not len(finite) or not len(tokens):
        return ""
    low, high = min(float(finite.min()), 0.0), max(float(finite.max()), 0.0)
    if low == high:
        high = low + 1.0
    first, last = int(tokens[0]), max(int(tokens[-1]), int(tokens[0]) + 1)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def across(token: float) -> float:
        return _LEFT + (token - first) / (last - first) * (right - _LEFT)

    def down(value: float) -> float:
        # Differences of halves: those of the largest numbers would be infinite.
        return bottom - (value / 2 - low / 2) / (high / 2 - low / 2) * (bottom - _TOP)

    parts = [
        _line(_LEFT, bottom, right, bottom),
        _line(_LEFT, _TOP, _LEFT, bottom),
        *(_label(_LEFT - 6, down(value) + 4, rounded(value), "end") for value in sorted({low, 0.0, high})),
        *(_label(across(token), bottom + 15, f"{token:,}", "middle") for token in sorted({first, last})),
        _label((_LEFT + right) / 2, _HEIGHT - 8, "token", "middle"),
        f'<text x="12" y="{(_TOP + bottom) / 2:.0f}" text-anchor="middle" fill="currentColor" '
        f'transform="rotate(-90 12 {(_TOP + bottom) / 2:.0f})">weight</text>',
    ]
    if low < 0 < high:
        parts.append(_line(_LEFT, down(0.0), right, down(0.0), 0.3))
    for place, name in enumerate(names):
        values = curves[:, place].tolist()
        points = " ".join(
            f"{across(token):.1f},{down(value):.1f}"
            for token, value in zip(tokens.tolist(), values, strict=True)
            if np.isfinite(value)
        )
        stroke = f'fill="none" stroke="{COLOURS[place]}" stroke-width="2" stroke-dasharray="{_DASHES[place]}"'
        height = _TOP + 10 + 18 * place
        parts.append(f'<polyline points="{points}" {stroke}/>')
        parts.append(f'<path d="M{right + 10} {height} h18" {stroke}/>')
        parts.append(_label(right + 33, height + 4, short(name, 20), "start", name))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} '
        f'{_HEIGHT}" role="img" aria-label="weights over tokens" font-family="sans-serif" font-size="11" '
        f'style="max-width: 100%; color: inherit">{"".join(parts)}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, opacity: float = 0.7) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'stroke-opacity="{opacity}"/>'
    )


def _label(x: float, y: float, text: str, anchor: str, title: str | None = None) -> str:
    told = "" if title is None else f"<title>{escape(short(title, 300))}</title>"
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {where} fill="currentColor">{told}{escape(text)}</text>'
