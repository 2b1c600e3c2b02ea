"""Activations as outlines of their counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.events import Events
from rescorla._shared.checks import real_array, several, shown, whole
from rescorla.plot._axes import COLOURS, axes, unframe
from rescorla.plot._drawable import DRAWN, drawn_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray


def activations(
    values: ArrayLike,
    *,
    outcomes: Sequence[str] | None = None,
    by: Sequence[Any] | None = None,
    frequencies: ArrayLike | None = None,
    bins: int | ArrayLike = 30,
    ax: Axes | None = None,
) -> Axes:
    """How activations are distributed: an outline for each outcome, or for each group of events.

    Parameters
    ----------
    values : array_like, n_events x n_outcomes, or n_events
        Activations, as `rescorla.activations` gives them; or one number for each event, such as the largest
        activation or a probability.
    outcomes : sequence of str, optional
        The names of the columns, where there are several: one outline for each.
    by : sequence of n_events, optional
        What sorts the events into groups, where there is one number for each: the outcome that is present,
        say, or the one that was chosen. One outline for each group, in the order of first appearance.
    frequencies : array_like of int, n_events, optional
        How many tokens each event stands for; by default one.
    bins : int or array_like, default 30
        How many bins of equal width, over the range of all values; or their edges.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure of 6 x 4 inches.

    Returns
    -------
    matplotlib.axes.Axes
        The heights are counts of tokens.

    Raises
    ------
    TypeError
        When values are weights, events or something else that has no activations.
    ValueError
        When the lengths do not fit, or there is nothing to draw.
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> import rescorla as rw
    >>> ax = rw.plot.activations(
    ...     [0.1, 0.8, 0.9, 0.2],
    ...     by=["absent", "present", "present", "absent"],
    ...     bins=2,
    ... )
    >>> [
    ...     (patch.get_label(), patch.get_data().values.tolist())
    ...     for patch in ax.patches
    ... ]
    [('absent', [2.0, 0.0]), ('present', [0.0, 2.0])]
    """
    if isinstance(values, (*DRAWN, Events, str, os.PathLike)):
        raise TypeError(
            f"values must be activations, not {shown(values)}; rescorla.activations(events, weights) has "
            f"them{drawn_by(values)}"
        )
    groups = _groups(values, outcomes, by, frequencies)
    edges = np.histogram_bin_edges(np.concatenate([group for group, _ in groups.values()]), _bins(bins))
    ax = axes(ax)
    for (name, (group, counts)), colour in zip(groups.items(), cycle(COLOURS)):
        heights, _ = np.histogram(group, edges, weights=counts)
        ax.stairs(
            heights, edges, fill=True, facecolor=(colour, 0.08), edgecolor=colour, linewidth=1.4, label=name
        )
    ax.set(xlabel="activation", ylabel="tokens")
    ax.margins(x=0)
    unframe(ax)
    if len(groups) > 1:
        ax.legend(frameon=False)
    return ax


def _bins(bins: object) -> Any:
    """A number of bins, or their edges, which rise."""
    if np.ndim(bins) == 0:  # type: ignore[arg-type]
        return whole("bins", bins, 1, "an array of their edges")
    edges = real_array("bins", bins)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ValueError("bins must be a number of bins, or two edges or more that rise")
    return edges


def _groups(
    values: ArrayLike, outcomes: Sequence[str] | None, by: Sequence[Any] | None, frequencies: ArrayLike | None
) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Each outline's name, values and how often each counts."""
    array = real_array("values", values)
    if array.ndim not in (1, 2) or not array.size:
        shape = " x ".join(map(str, array.shape))
        raise ValueError(f"values must be events x outcomes or one for each event, not an array of {shape}")
    counts = np.ones(len(array)) if frequencies is None else real_array("frequencies", frequencies)
    if counts.shape != (len(array),):
        raise ValueError(f"frequencies must be one for each of {len(array)} events, not {counts.shape}")
    if array.ndim == 2:
        names = range(array.shape[1]) if outcomes is None else several("outcomes", outcomes)
        if by is not None:
            raise ValueError(
                "by sorts events by one number each, and these have one for each outcome; pick a column"
            )
        if len(names) != array.shape[1]:
            raise ValueError(f"values have {array.shape[1]} columns, but {len(names)} outcomes are named")
        return {str(name): (column, counts) for name, column in zip(names, array.T, strict=True)}
    if outcomes is not None:
        raise ValueError("outcomes names columns, and these values have none; by sorts them into groups")
    if by is None:
        return {"": (array, counts)}
    groups = list(map(str, several("by", by, "groups, one for each event")))
    if len(groups) != len(array):
        raise ValueError(f"by must be a group for each of {len(array)} events, not {len(groups)}")
    labels = np.array(groups)
    return {name: (array[labels == name], counts[labels == name]) for name in dict.fromkeys(groups)}
