"""The strongest weights as lines between names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._weights.ranking import largest
from rescorla._weights.weights import Weights
from rescorla.plot._axes import DIVERGING, axes
from rescorla.plot._block import block_of
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
        Among which cues and outcomes to look; by default all. Only those with a line are drawn, in an order
        in which few lines cross.
    n : int, default 20
        How many lines to draw, of the largest absolute weights; weights of zero have none.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure of 6 x 4 inches.

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
    """
    of_kind("weights", weights, Weights)
    rows, columns, block = block_of(weights, cues, outcomes, n)
    width = block.shape[1]
    # Sorting keeps equal ones in order, so the same weights give the same picture.
    places = [divmod(place, width) for place in largest(np.abs(block).ravel(), n).tolist()]
    edges = [(row, column) for row, column in places if block[row, column] != 0]
    if not edges:
        raise ValueError(
            "there is no line to draw: all of these weights are zero; choose other cues or outcomes"
        )
    heights = _untangled(edges, np.abs(block))
    ax = axes(ax)
    greatest = abs(float(block[edges[0]]))
    extremes: dict[float, Any] = {}
    # The weakest first, so that strong lines lie on top, and the strongest of either sign is kept.
    for row, column in reversed(edges):
        weight = float(block[row, column])
        share = abs(weight) / greatest
        (extremes[np.sign(weight)],) = ax.plot(
            [0, 1],
            [heights[0][row], heights[1][column]],
            color=_signed(weight, share),
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


def _signed(weight: float, share: float) -> Any:
    """Blue for positive, red for negative; pale for weak, but never too pale to see."""
    import matplotlib

    return matplotlib.colormaps[DIVERGING](0.5 + np.sign(weight) * (0.2 + 0.28 * share))


def _untangled(
    edges: Sequence[tuple[int, int]], strengths: NDArray[Any]
) -> tuple[dict[int, float], dict[int, float]]:
    """Heights from 1 down to 0 for both ends of the edges, so that few edges cross.

    Each side in turn is sorted by the mean height of its neighbours, weighted by strength.
    """
    sides = tuple(list(dict.fromkeys(edge[side] for edge in edges)) for side in (0, 1))
    heights = tuple(_spread(places) for places in sides)
    for sweep in range(8):
        side = 1 - sweep % 2
        means = {
            place: float(
                np.average(
                    [heights[1 - side][edge[1 - side]] for edge in edges if edge[side] == place],
                    weights=[strengths[edge] for edge in edges if edge[side] == place],
                )
            )
            for place in sides[side]
        }
        ordered = _spread(sorted(sides[side], key=lambda place: -means[place]))
        heights = (ordered, heights[1]) if side == 0 else (heights[0], ordered)
    return heights[0], heights[1]


def _spread(places: Sequence[int]) -> dict[int, float]:
    """Evenly from 1 down to 0; one alone in the middle."""
    if len(places) == 1:
        return {places[0]: 0.5}
    return {place: 1 - rank / (len(places) - 1) for rank, place in enumerate(places)}
