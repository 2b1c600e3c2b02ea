"""Figures that are the same bytes for the same numbers, in colours that the colour-blind can tell apart."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib as mpl
from cycler import cycler
from matplotlib.figure import Figure

Numbers: TypeAlias = dict[str, Any]
Save: TypeAlias = Callable[[Figure, str], None]
"""Takes a finished figure and its name."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def panels(rows: int, columns: int, inches: tuple[float, float], **choices: Any) -> tuple[Figure, Any]:
    """A figure and its axes, as an array of rows x columns."""
    with mpl.rc_context({"axes.prop_cycle": cycler(color=COLOURS), "font.size": 9}):
        figure = Figure(figsize=inches, layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False, **choices)


def plain(ax: Any) -> None:
    """Axes without a box around them."""
    ax.spines[["top", "right"]].set_visible(False)


def saver(folder: Path) -> Save:
    """Writes figures as SVG without a date, with names of parts that do not change."""

    def save(figure: Figure, name: str) -> None:
        with mpl.rc_context({"svg.hashsalt": "rescorla", "savefig.facecolor": "white"}):
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})

    return save
