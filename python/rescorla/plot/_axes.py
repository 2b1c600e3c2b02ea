"""What pictures share: colours, axes, legends and ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from rescorla._shared.checks import shown
from rescorla._shared.optional import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DIVERGING = "RdBu"
INCHES = (6.0, 4.0)


def axes(ax: Axes | None, inches: tuple[float, float] = INCHES) -> Axes:
    """The Axes to draw into: the caller's, or those of a new figure."""
    if ax is not None:
        if not hasattr(ax, "stairs"):
            raise TypeError(f"ax must be Axes of matplotlib, not {shown(ax)}; plt.subplots() gives them")
        return ax
    ax = need("matplotlib.pyplot").subplots(figsize=inches, layout="constrained")[1]
    return cast("Axes", ax)


def unframe(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def legend_beside(ax: Axes, **choices: Any) -> None:
    """A legend right of the axes, where it hides nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, **choices)


def token_ticks(ax: Axes, n_tokens: int) -> None:
    """Ticks at whole numbers of tokens, as many as have room; 20k for 20,000."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))
    if n_tokens >= 10_000:
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))
