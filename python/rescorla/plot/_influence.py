"""What each event did, as lines over the rows of the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._learn.influence.event_influence import Influence
from rescorla.plot._axes import COLOURS, axes, legend_beside, token_ticks, unframe
from rescorla.plot._drawable import of_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

# Lines side by side that a picture can show.
_LINES = 600


def influence(influence: Influence, *, ax: Axes | None = None) -> Axes:
    """Contributions and effects over time: an upright line from 0 for each row of the events.

    Parameters
    ----------
    influence : Influence
        What `rescorla.influence` found.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure of 6 x 4 inches.

    Returns
    -------
    matplotlib.axes.Axes
        Of more than 600 rows, neighbours share a line, which goes from the least to the greatest of them.

    Raises
    ------
    TypeError
        When it is no Influence.
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light", "food"), ("light", "")] * 50)
    >>> ax = rw.plot.influence(rw.influence(events, "light", "food"))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['contribution', 'effect']
    """
    of_kind("influence", influence, Influence)
    ax = axes(ax)
    n_rows = len(influence.events)
    kinds = {"contribution": influence.contributions, "effect": influence.effects}
    for (name, values), colour in zip(kinds.items(), COLOURS, strict=False):
        rows, low, high = _lines(influence.rows, values, n_rows)
        ax.vlines(rows, low, high, color=colour, linewidth=1, label=name, alpha=0.8)
    ax.axhline(0, color="0.45", linewidth=0.8)
    ax.set(
        xlabel="row of the events",
        ylabel="change of the value",
        title=f"{' '.join(influence.cues)} → {influence.outcome}",
        xlim=(-0.5, max(n_rows, 1) - 0.5),
    )
    token_ticks(ax, n_rows)
    unframe(ax)
    legend_beside(ax)
    return ax


def _lines(rows: NDArray[np.int64], values: NDArray[np.float64], n_rows: int) -> tuple[NDArray[Any], ...]:
    """Where lines are, and from where to where they go."""
    there = values != 0
    rows, values = rows[there], values[there]
    if n_rows > _LINES:
        width = n_rows / _LINES
        place = (rows / width).astype(np.int64)
        places, first = np.unique(place, return_index=True)
        if len(places):
            low = np.minimum.reduceat(values, first)
            high = np.maximum.reduceat(values, first)
            return (places + 0.5) * width, np.minimum(low, 0.0), np.maximum(high, 0.0)
    return rows, np.minimum(values, 0.0), np.maximum(values, 0.0)
