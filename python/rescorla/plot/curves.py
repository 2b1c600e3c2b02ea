"""Weights over tokens, as lines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle, islice, product
from typing import TYPE_CHECKING

import numpy as np

from rescorla._learn.trajectory import Trajectories
from rescorla._weights.weights import Weights
from rescorla.plot.axes import COLOURS, axes, legend_beside, unframe
from rescorla.plot.kinds import of_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Pair = tuple[str, str]

_DASHES = ("-", "--", "-.")


def trajectories(
    trajectories: Trajectories,
    pairs: Iterable[Pair] | None = None,
    *,
    equilibrium: Weights | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Weights over tokens: a solid line for each pair, its equilibrium dotted in the same colour.

    Parameters
    ----------
    trajectories : Trajectories
        What `rescorla.trajectories` recorded.
    pairs : iterable of (str, str), optional
        The cues and outcomes to draw, in this order; by default all that were recorded.
    equilibrium : Weights, optional
        Where the weights tend to: that of `rescorla.equilibrium`, or any other weights of these pairs.
    legend : bool, default True
        Whether to name the pairs, beside the axes, from the largest last weight down.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure of 6 x 4 inches.

    Returns
    -------
    matplotlib.axes.Axes
        Seven colours take turns. From the eighth pair on, lines are dashed as well.

    Raises
    ------
    TypeError
        When trajectories are none, or the equilibrium is no Weights.
    KeyError
        When a pair was not recorded, or is not in the equilibrium.
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light", "shock", 40), ("light_tone", "shock", 40)])
    >>> recorded = rw.trajectories(events, [("light", "shock"), ("tone", "shock")])
    >>> ax = rw.plot.trajectories(recorded, equilibrium=rw.equilibrium(events))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['light → shock', 'tone → shock']
    """
    of_kind("trajectories", trajectories, Trajectories)
    if equilibrium is not None:
        of_kind("equilibrium", equilibrium, Weights)
    ax = axes(ax)
    from matplotlib.patheffects import withStroke

    drawn = _recorded(trajectories) if pairs is None else list(pairs)
    styles = islice(cycle(product(_DASHES, COLOURS)), len(drawn))
    lines = []
    for (cue, outcome), (dash, colour) in zip(drawn, styles, strict=True):
        values = trajectories[cue, outcome]
        lines += ax.plot(
            trajectories.tokens, values, dash, color=colour, linewidth=1.2, label=f"{cue} → {outcome}"
        )
        if equilibrium is not None:
            # The white around the dots shows them on a line that shakes.
            ax.axhline(
                equilibrium[cue, outcome],
                color=colour,
                linestyle=":",
                linewidth=1.6,
                zorder=3,
                path_effects=[withStroke(linewidth=3.2, foreground="white")],
            )
    ax.set(xlabel="token", ylabel="weight")
    ax.margins(x=0)
    unframe(ax)
    if legend and lines and len(trajectories.tokens):
        # Named in the order in which the lines end, so that the eye need not search.
        lines.sort(key=lambda line: -float(np.asarray(line.get_ydata())[-1]))
        legend_beside(ax, handles=lines)
    return ax


def _recorded(trajectories: Trajectories) -> list[Pair]:
    """All pairs of trajectories: those asked for, or those of a block, row by row."""
    if trajectories.pairs is not None:
        return list(trajectories.pairs)
    return list(product(trajectories.cues, trajectories.outcomes))
