"""How fast learning is in each direction, as points."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._learn.convergence import Convergence
from rescorla._shared.checks import one_of
from rescorla._shared.optional import need
from rescorla.plot._axes import COLOURS, axes, legend_beside, unframe
from rescorla.plot._drawable import of_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def spectrum(
    convergence: Convergence[Any],
    *,
    show: Literal["eigenvalues", "half_lives"] = "eigenvalues",
    ax: Axes | None = None,
) -> Axes:
    """How fast learning is in each direction of the cues, on a logarithmic scale.

    In the direction of an eigenvalue mu of D^(1/2) R D^(1/2) (see `rescorla.convergence`) the expected
    distance from the equilibrium is multiplied by 1 - beta mu at every token. A rate beta is a horizontal
    line at 2 / beta: where it lies above all eigenvalues, learning converges in the mean.

    Parameters
    ----------
    convergence : Convergence
        What `rescorla.convergence` computed. With a pair of rates there are points for each outcome.
    show : {"eigenvalues", "half_lives"}, default "eigenvalues"
        The eigenvalues, with the greatest rates that are safe, that converge in mean square and that converge
        in the mean (with a pair of rates: the least over outcomes); or, in tokens, the time in which the
        distance from the equilibrium is halved.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure of 6 x 4 inches.

    Returns
    -------
    matplotlib.axes.Axes
        Directions in which nothing is learned, of eigenvalue 0, are left out, and counted in the label below.

    Raises
    ------
    TypeError
        When it is no Convergence.
    ValueError
        When `show` is not one of those listed.
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("a_b", "x", 5), ("a", "y", 3), ("a_b_c", "y", 1)])
    >>> ax = rw.plot.spectrum(rw.convergence(events))
    >>> ax.get_yscale()
    'log'
    """
    of_kind("convergence", convergence, Convergence)
    one_of("show", show, ("eigenvalues", "half_lives"))
    ax = axes(ax)
    halves = show == "half_lives"
    eigenvalues = np.atleast_2d(convergence.eigenvalues)
    shown = np.atleast_2d(convergence.half_life()) if halves else eigenvalues
    # Rounding leaves of a zero some n eps of the largest eigenvalue.
    floor = 8 * eigenvalues.shape[1] * np.finfo(np.float64).eps * eigenvalues.max(initial=0.0)
    learned = eigenvalues > floor
    one_rate = np.ndim(convergence.eigenvalues) == 1
    names = [None] if one_rate else convergence.outcomes
    for name, values, kept, colour in zip(names, shown, learned, cycle(COLOURS)):
        number = np.arange(1, len(values) + 1)
        ax.plot(number[kept], values[kept], "o", color=colour, markersize=3.5, label=name)
    if not halves:
        bounds = {
            "in the mean": (convergence.mean_rate, ":"),
            "in mean square": (convergence.mean_square_rate, "--"),
            "in any order": (convergence.safe_rate, "-"),
        }
        for name, (rates, dash) in bounds.items():
            rate = float(np.min(rates))
            ax.axhline(
                2 / rate, color="0.45", linestyle=dash, linewidth=1, label=f"{name}: beta < {rate:.3g}"
            )
    ax.set(yscale="log", ylabel="half-life in tokens" if halves else "eigenvalue, or 2 / beta")
    lost = int((~learned).sum(axis=1).max(initial=0))
    ax.set_xlabel(f"direction ({lost} more with eigenvalue 0)" if lost else "direction")
    ax.xaxis.set_major_locator(need("matplotlib.ticker").MaxNLocator(integer=True))
    unframe(ax)
    if ax.get_legend_handles_labels()[0]:
        legend_beside(ax) if not one_rate else ax.legend(frameon=False)
    return ax
