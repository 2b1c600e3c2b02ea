"""Styles that tell lines apart, those that lie upon each other too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla.plot._axes import COLOURS

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A dash as matplotlib takes it: a name, or an offset and the lengths of a stroke and a gap.
Dash = str | tuple[float, tuple[float, float]]

_DASHES = ("-", "--", "-.")
# Two lines lie upon each other where less than this share of the height is between them, over at least this
# share of what was recorded.
_NEAR, _LONG = 0.01, 0.2
# In widths of the line.
_STROKE, _DOT = 5.0, 1.2


class Style(NamedTuple):
    """The colour and the dash of a line."""

    colour: str
    dash: Dash


def styles(curves: Sequence[Mapping[int, NDArray[Any]]], height: float) -> list[Style]:
    """A style for each curve, which has values in some panels of this height.

    Seven colours take turns, and after each seven the dash changes. Of k curves that lie upon each other the
    first is drawn as it is; the others, above it, have strokes with gaps of k - 1 strokes, each in a place of
    its own, so that all show in turn.
    """
    turns = islice(cycle(product(_DASHES, COLOURS)), len(curves))
    found = [Style(colour, dash) for dash, colour in turns]

    def alike(i: int, j: int) -> bool:
        shared = curves[i].keys() & curves[j].keys()
        return any(_near(curves[i][panel], curves[j][panel], height) for panel in shared)

    for group in _grouped(len(curves), alike):
        for place, curve in enumerate(group[1:], 1):
            found[curve] = found[curve]._replace(dash=_stroke(place, len(group), _STROKE))
    return found


def dots(levels: Sequence[float], height: float) -> list[Dash]:
    """Dots for each level; those of equal levels take turns along the line."""
    found: list[Dash] = [":"] * len(levels)
    for group in _grouped(len(levels), lambda i, j: abs(levels[i] - levels[j]) <= _NEAR * height):
        for place, level in enumerate(group):
            found[level] = _stroke(2 * place, 2 * len(group), _DOT)
    return found


def _stroke(place: int, n: int, length: float) -> Dash:
    """A stroke in n places, in the one that is given, again and again."""
    return ((n - place) % n * length, (length, (n - 1) * length))


def _near(a: NDArray[Any], b: NDArray[Any], height: float) -> bool:
    return bool(a.size) and a.shape == b.shape and float(np.mean(abs(a - b) <= _NEAR * height)) >= _LONG


def _grouped(n: int, alike: Callable[[int, int], bool]) -> list[list[int]]:
    """The numbers below n in groups of those that are like the first of their group; no group of one."""
    groups: list[list[int]] = []
    for i in range(n):
        home = next((group for group in groups if alike(group[0], i)), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return [group for group in groups if len(group) > 1]
