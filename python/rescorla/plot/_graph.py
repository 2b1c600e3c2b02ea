"""The strongest weights as lines between names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.checks import whole
from rescorla._shared.optional import need
from rescorla._weights.ranking import strongest
from rescorla._weights.weights import Weights
from rescorla.plot._axes import DIVERGING, INCHES, axes
from rescorla.plot._block import named_block
from rescorla.plot._drawable import of_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray


def network(
    weights: Weights,
    *,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    n: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """The strongest associations as lines between cues, on the left, and outcomes, on the right.

    Wide lines are strong; blue ones are positive, red ones negative.

    Parameters
    ----------
    weights : Weights
    cues, outcomes : iterable of str, optional
        Among which cues and outcomes to look; by default all. All that are named are drawn; of the others
        those with a line. They stand in an order in which few lines cross.
    n : int, default 20
        How many lines to draw, of the largest absolute weights: so many of each cue and of each outcome that
        is named; where none is named, so many in all. Weights of zero have no line.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure of 6 x 4 inches, higher where many names need room.

    Returns
    -------
    matplotlib.axes.Axes
        The legend shows the most positive and the most negative line.

    Raises
    ------
    TypeError
        When weights are no Weights.
    KeyError
        When a cue or outcome is not in the weights.
    ValueError
        When a name is asked for twice, nothing is left to draw, or `n` is not more than 0.
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> import rescorla as rw
    >>> some = rw.Weights(
    ...     [[0.9, 0.1], [0.25, -0.5]], ["s", "h"], ["plural", "land"]
    ... )
    >>> ax = rw.plot.network(some, n=2)
    >>> (
    ...     [line.get_label() for line in ax.lines],
    ...     sorted(text.get_text() for text in ax.texts),
    ... )
    (['-0.5', '+0.9'], ['h', 'land', 'plural', 's'])

    The strongest cue of each outcome:

    >>> ax = rw.plot.network(some, outcomes=["plural", "land"], n=1)
    >>> [line.get_label() for line in ax.lines]
    ['-0.5', '+0.9']
    """
    of_kind("weights", weights, Weights)
    n = whole("n", n, 1)
    rows, columns, values = named_block(weights, cues, outcomes)
    edges = _edges(values, n, cues is not None, outcomes is not None)
    if not edges:
        raise ValueError(
            "there is no line to draw: all of these weights are zero; choose other cues or outcomes"
        )
    heights = _untangled(
        edges, ([] if cues is None else range(len(rows)), [] if outcomes is None else range(len(columns)))
    )
    # 0.17 inches are a line of letters.
    ax = axes(ax, (INCHES[0], max(INCHES[1], 0.17 * max(map(len, heights)) + 0.5)))
    greatest = max(map(abs, edges.values()))
    # Blue for positive, red for negative; pale for weak, but never too pale to see.
    colours = need("matplotlib").colormaps[DIVERGING]
    extremes: dict[float, Any] = {}
    # The weakest first, so that strong lines lie on top, and the strongest of either sign is kept.
    for (row, column), weight in reversed(edges.items()):
        share = abs(weight) / greatest
        (extremes[np.sign(weight)],) = ax.plot(
            [0, 1],
            [heights[0][row], heights[1][column]],
            color=colours(0.5 + np.sign(weight) * (0.2 + 0.28 * share)),
            linewidth=0.4 + 4.6 * share,
            solid_capstyle="butt",
            label=f"{weight:+.3g}",
        )
    for side, numbers, names in ((0, rows, weights.cues), (1, columns, weights.outcomes)):
        for place, height in heights[side].items():
            ax.annotate(
                names[numbers[place]],
                (side, height),
                xytext=((-4, 4)[side], 0),
                textcoords="offset points",
                horizontalalignment=("right", "left")[side],
                verticalalignment="center",
            )
    ax.set(xlim=(0, 1), ylim=(-0.05, 1.05))
    ax.set_axis_off()
    handles = [extremes[sign] for sign in (1.0, -1.0) if sign in extremes]
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
    return ax


def _edges(values: NDArray[Any], n: int, of_rows: bool, of_columns: bool) -> dict[tuple[int, int], float]:
    """The n strongest weights of all, or of each row and each column, by place; the strongest first.

    Equal ones are in order, so the same weights give the same picture.
    """
    n_rows, n_columns = values.shape
    parts = [(slice(row, row + 1), slice(None)) for row in range(n_rows if of_rows else 0)]
    parts += [(slice(None), slice(column, column + 1)) for column in range(n_columns if of_columns else 0)]
    found: dict[tuple[int, int], float] = {}
    for rows, columns in parts or [(slice(None), slice(None))]:
        first = rows.start or 0, columns.start or 0
        for row, column, weight in _strongest(values[rows, columns], n):
            # Neither zero nor NaN.
            if abs(weight) > 0:
                found[first[0] + row, first[1] + column] = weight
    return dict(sorted(found.items(), key=lambda edge: (-abs(edge[1]), edge[0])))


def _strongest(values: NDArray[Any], n: int) -> Iterator[tuple[int, int, float]]:
    """The places and values of the n entries of the largest size."""
    found = strongest(lambda rows, columns: values[rows, columns], values.shape, n, by_columns=False)
    return zip(*(each.tolist() for each in found), strict=True)


def _untangled(
    edges: Mapping[tuple[int, int], float], named: tuple[Iterable[int], Iterable[int]]
) -> tuple[dict[int, float], dict[int, float]]:
    """Heights from 1 down to 0 for both ends of the edges, so that few edges cross; and for what is named.

    Each side in turn is sorted by the mean height of its neighbours, weighted by strength; what has none
    stands below.
    """
    sides = tuple(list(dict.fromkeys([*(edge[side] for edge in edges), *named[side]])) for side in (0, 1))
    heights = tuple(_spread(places) for places in sides)
    for sweep in range(8):
        side = 1 - sweep % 2
        sums = dict.fromkeys(sides[side], 0.0)
        strengths = dict.fromkeys(sides[side], 0.0)
        for edge, weight in edges.items():
            sums[edge[side]] += abs(weight) * heights[1 - side][edge[1 - side]]
            strengths[edge[side]] += abs(weight)
        means = {place: sums[place] / strengths[place] if strengths[place] else -1.0 for place in sides[side]}
        ordered = _spread(sorted(sides[side], key=lambda place: -means[place]))
        heights = (ordered, heights[1]) if side == 0 else (heights[0], ordered)
    return heights[0], heights[1]


def _spread(places: Sequence[int]) -> dict[int, float]:
    """Evenly from 1 down to 0; one alone in the middle."""
    if len(places) == 1:
        return {places[0]: 0.5}
    return {place: 1 - rank / (len(places) - 1) for rank, place in enumerate(places)}
