"""Weights as a map of colours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rescorla._shared.checks import number
from rescorla._weights.weights import Weights
from rescorla.plot._axes import DIVERGING, INCHES, axes
from rescorla.plot._block import block_of
from rescorla.plot._drawable import of_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def weights(
    weights: Weights,
    *,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    n: int = 30,
    limit: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A heat map of weights: rows are cues, columns are outcomes, white is zero, blue positive, red negative.

    Parameters
    ----------
    weights : Weights
    cues, outcomes : iterable of str, optional
        The rows and the columns, in this order. By default the n with the largest absolute weights among
        those drawn, in the order in which `weights` has them: with ``outcomes=`` the strongest cues of these
        outcomes.
    n : int, default 30
        How many cues, and how many outcomes, to draw where they are not named.
    limit : float, optional
        The absolute weight of the fullest colours; by default the largest one drawn. Two pictures with the
        same limit can be compared.
    ax : matplotlib.axes.Axes, optional
        Where to draw, with a colour bar beside it; by default in a new figure, whose size is that of the
        map, from 6 x 4 inches up.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError
        When weights are no Weights.
    KeyError
        When a cue or outcome is not in the weights.
    ValueError
        When a name is asked for twice, nothing is left to draw, or `n` or `limit` is not more than 0.
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> import rescorla as rw
    >>> some = rw.Weights([[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"])
    >>> ax = rw.plot.weights(some, cues=["blue"])
    >>> ax.images[0].get_array().tolist(), ax.images[0].get_clim()
    ([[0.25, -0.5]], (-0.5, 0.5))
    """
    of_kind("weights", weights, Weights)
    rows, columns, block = block_of(weights, cues, outcomes, n)
    if limit is not None:
        limit = number("limit", limit)
        # The width of the scale is twice that.
        if not 0 < limit < 1e308 / 2:
            raise ValueError(f"limit must be more than 0, and no larger than pictures have, not {limit}")
    # 0.17 inches a row leave room for a line of letters; columns carry theirs upright.
    height, width = (0.17 * count + 1.5 for count in (len(rows), len(columns)))
    inches = max(INCHES[0], width + 1.5), max(INCHES[1], height)
    ax = axes(ax, inches)
    greatest = float(np.abs(block).max()) if limit is None else limit
    image = ax.imshow(block, cmap=DIVERGING, vmin=-(greatest or 1), vmax=greatest or 1, aspect="auto")
    names = [weights.outcomes[column] for column in columns]
    ax.set_yticks(range(len(rows)), [weights.cues[row] for row in rows])
    ax.set_xticks(range(len(names)), names)
    # Column names lie where they have room, and stand where not.
    ax.tick_params(axis="x", labelrotation=0 if sum(map(len, names)) + 2 * len(names) <= 40 else 90)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel="outcome", ylabel="cue")
    bar = ax.figure.colorbar(image, ax=ax, label="weight")
    bar.outline.set_visible(False)
    return ax
