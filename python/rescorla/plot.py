"""Pictures of learning, drawn with matplotlib.

Every function draws into the Axes it is given, or into those of a new figure, and returns them. None shows or
saves anything or changes matplotlib's settings: that is the caller's.

    trajectories    weights over tokens, with the equilibrium they tend to
    spectrum        how fast learning is in each direction, and the bounds of the rate
    weights         a heat map of cues and outcomes
    network         the strongest associations as lines between cues and outcomes
    activations     how activations are distributed

Colours are those of Okabe and Ito, which the colour-blind can tell apart, and blue and red around white.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import cycle, islice, product
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.convergence import Convergence
from rescorla._learn.trajectory import Trajectories
from rescorla._shared.checks import chosen, one_of, shown, whole
from rescorla._shared.optional import need
from rescorla._weights.ranking import largest
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

__all__ = ["activations", "network", "spectrum", "trajectories", "weights"]

Pair = tuple[str, str]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ("-", "--", "-.")
_DIVERGING = "RdBu"
_INCHES = (6.0, 4.0)


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
    _of_kind("trajectories", trajectories, Trajectories)
    if equilibrium is not None:
        _of_kind("equilibrium", equilibrium, Weights)
    ax = _axes(ax)
    from matplotlib.patheffects import withStroke

    drawn = _recorded(trajectories) if pairs is None else list(pairs)
    styles = islice(cycle(product(_DASHES, _COLOURS)), len(drawn))
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
    _unframe(ax)
    if legend and lines and len(trajectories.tokens):
        # Named in the order in which the lines end, so that the eye need not search.
        lines.sort(key=lambda line: -float(np.asarray(line.get_ydata())[-1]))
        _legend_beside(ax, handles=lines)
    return ax


def spectrum(
    convergence: Convergence,
    *,
    show: Literal["eigenvalues", "half_lives"] = "eigenvalues",
    ax: Axes | None = None,
) -> Axes:
    """How fast learning is in each direction of the cues, on a logarithmic scale.

    In the direction of an eigenvalue mu of D^(1/2) R D^(1/2) the expected distance from the equilibrium is
    multiplied by 1 - beta mu at every token. A rate beta is a horizontal line at 2 / beta: where it lies
    above all eigenvalues, learning converges in the mean.

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
    _of_kind("convergence", convergence, Convergence)
    one_of("show", show, ("eigenvalues", "half_lives"))
    ax = _axes(ax)
    halves = show == "half_lives"
    eigenvalues = np.atleast_2d(convergence.eigenvalues)
    shown = np.atleast_2d(convergence.half_life()) if halves else eigenvalues
    # Rounding leaves of a zero some n eps of the largest eigenvalue.
    floor = 8 * eigenvalues.shape[1] * np.finfo(np.float64).eps * eigenvalues.max(initial=0.0)
    learned = eigenvalues > floor
    one_rate = np.ndim(convergence.eigenvalues) == 1
    names = [None] if one_rate else convergence.outcomes
    for name, values, kept, colour in zip(names, shown, learned, cycle(_COLOURS)):
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
    _whole_numbers(ax)
    _unframe(ax)
    if ax.get_legend_handles_labels()[0]:
        _legend_beside(ax) if not one_rate else ax.legend(frameon=False)
    return ax


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
        those drawn, in the order of the weights: with ``outcomes=`` the strongest cues of these outcomes.
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
    _of_kind("weights", weights, Weights)
    rows, columns, block = _block(weights, cues, outcomes, n)
    if limit is not None and not limit > 0:
        raise ValueError(f"limit must be more than 0, not {limit}")
    if ax is None:
        # 0.17 inches a row leave room for a line of letters; columns carry theirs upright.
        height, width = (0.17 * count + 1.5 for count in (len(rows), len(columns)))
        ax = _axes(None, (max(_INCHES[0], width + 1.5), max(_INCHES[1], height)))
    greatest = float(np.abs(block).max()) if limit is None else limit
    image = ax.imshow(block, cmap=_DIVERGING, vmin=-(greatest or 1), vmax=greatest or 1, aspect="auto")
    _name_ticks(ax.yaxis, [weights.cues[row] for row in rows])
    _name_ticks(ax.xaxis, [weights.outcomes[column] for column in columns])
    _tilt(ax, [weights.outcomes[column] for column in columns])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel="outcome", ylabel="cue")
    bar = ax.figure.colorbar(image, ax=ax, label="weight")
    bar.outline.set_visible(False)
    return ax


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
    >>> some = rw.Weights([[0.9, 0.1], [0.25, -0.5]], ["s", "h"], ["plural", "land"])
    >>> ax = rw.plot.network(some, n=2)
    >>> [line.get_label() for line in ax.lines], sorted(text.get_text() for text in ax.texts)
    (['-0.5', '+0.9'], ['h', 'land', 'plural', 's'])
    """
    _of_kind("weights", weights, Weights)
    rows, columns, block = _block(weights, cues, outcomes, n)
    width = block.shape[1]
    # Sorting keeps equal ones in order, so the same weights give the same picture.
    places = [divmod(place, width) for place in largest(np.abs(block).ravel(), n).tolist()]
    edges = [(row, column) for row, column in places if block[row, column] != 0]
    if not edges:
        raise ValueError(
            "there is no line to draw: all of these weights are zero; choose other cues or outcomes"
        )
    heights = _untangled(edges, np.abs(block))
    ax = _axes(ax)
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
    >>> ax = rw.plot.activations([0.1, 0.8, 0.9, 0.2], by=["absent", "present", "present", "absent"], bins=2)
    >>> [(patch.get_label(), patch.get_data().values.tolist()) for patch in ax.patches]
    [('absent', [2.0, 0.0]), ('present', [0.0, 2.0])]
    """
    if isinstance(values, (*_DRAWN, Events, str, os.PathLike)):
        raise TypeError(
            f"values must be activations, not {shown(values)}; rescorla.activations(events, weights) has "
            f"them{_drawn_by(values)}"
        )
    groups = _groups(values, outcomes, by, frequencies)
    edges = np.histogram_bin_edges(np.concatenate([group for group, _ in groups.values()]), bins)
    ax = _axes(ax)
    for (name, (group, counts)), colour in zip(groups.items(), cycle(_COLOURS)):
        heights, _ = np.histogram(group, edges, weights=counts)
        ax.stairs(
            heights, edges, fill=True, facecolor=(colour, 0.08), edgecolor=colour, linewidth=1.4, label=name
        )
    ax.set(xlabel="activation", ylabel="tokens")
    ax.margins(x=0)
    _unframe(ax)
    if len(groups) > 1:
        ax.legend(frameon=False)
    return ax


# What draws, or makes, what.
_DRAWN: dict[type, str] = {
    Weights: "rescorla.plot.weights and rescorla.plot.network draw weights",
    Trajectories: "rescorla.plot.trajectories draws trajectories",
    Convergence: "rescorla.plot.spectrum draws a convergence",
}
_MADE: dict[type, str] = {
    Trajectories: "rescorla.trajectories records them of events",
    Convergence: "rescorla.convergence computes it of events",
}


def _of_kind(argument: str, value: object, kind: type) -> None:
    """TypeError that names the right function, where a picture is asked for of something else."""
    if isinstance(value, kind):
        return
    if kind is Weights and not isinstance(value, tuple(_DRAWN)):
        need_weights(value, argument)
    cure = _drawn_by(value) or f"; {_MADE[kind]}"
    raise TypeError(f"{argument} must be {kind.__name__}, not {shown(value)}{cure}")


def _drawn_by(value: object) -> str:
    """Which function draws something, to end a message with; or nothing."""
    return "".join(f"; {function}" for kind, function in _DRAWN.items() if isinstance(value, kind))


def _axes(ax: Axes | None, inches: tuple[float, float] = _INCHES) -> Axes:
    """The Axes to draw into: the caller's, or those of a new figure."""
    if ax is not None:
        return ax
    ax = need("matplotlib.pyplot").subplots(figsize=inches, layout="constrained")[1]
    return cast("Axes", ax)


def _unframe(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def _legend_beside(ax: Axes, **choices: Any) -> None:
    """A legend right of the axes, where it hides nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, **choices)


def _recorded(trajectories: Trajectories) -> list[Pair]:
    """All pairs of trajectories: those asked for, or those of a block, row by row."""
    if trajectories.pairs is not None:
        return list(trajectories.pairs)
    return list(product(trajectories.cues, trajectories.outcomes))


def _whole_numbers(ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _block(
    weights: Weights, cues: Iterable[str] | None, outcomes: Iterable[str] | None, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """The rows and columns to draw, and their weights.

    The names that are given are cut out first: the strongest of the rest are those of what is drawn. Of two
    sides without names, the n strongest pairs are all among the n rows, and among the n columns, of the
    largest absolute weights.
    """
    whole("n", n, 1)
    rows = None if cues is None else chosen("cues", cues, weights.cue_numbers)
    columns = None if outcomes is None else chosen("outcomes", outcomes, weights.outcome_numbers)
    # All of them without a copy: weights may be as large as the memory.
    values = np.asarray(weights)
    if rows is not None:
        values = values[rows]
    if columns is not None:
        values = values[:, columns]
    if rows is None:
        rows = _peaks(values, 1, n)
        values = values[rows]
    if columns is None:
        columns = _peaks(values, 0, n)
        values = values[:, columns]
    if not values.size:
        raise ValueError(
            f"there is nothing to draw: {len(rows)} cues and {len(columns)} outcomes; name one of each at "
            "least, or leave cues= and outcomes= out"
        )
    return rows, columns, values


def _peaks(values: NDArray[Any], axis: int, n: int) -> NDArray[np.int64]:
    """The n places along the other axis where absolute values reach highest, in their order."""
    # Without the absolute values of everything: weights may be as large as the memory.
    highest = np.maximum(values.max(axis=axis, initial=0), -values.min(axis=axis, initial=0))
    return np.sort(largest(highest, n))


def _name_ticks(axis: Any, names: Sequence[str]) -> None:
    axis.set_ticks(range(len(names)), names)


def _tilt(ax: Axes, names: Sequence[str]) -> None:
    """Column names lie where they have room, and stand where not."""
    ax.tick_params(axis="x", labelrotation=0 if sum(map(len, names)) + 2 * len(names) <= 40 else 90)


def _signed(weight: float, share: float) -> Any:
    """Blue for positive, red for negative; pale for weak, but never too pale to see."""
    import matplotlib

    return matplotlib.colormaps[_DIVERGING](0.5 + np.sign(weight) * (0.2 + 0.28 * share))


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


def _groups(
    values: ArrayLike, outcomes: Sequence[str] | None, by: Sequence[Any] | None, frequencies: ArrayLike | None
) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Each outline's name, values and how often each counts."""
    array = np.asarray(values)
    if array.ndim not in (1, 2) or not array.size:
        shape = " x ".join(map(str, array.shape))
        raise ValueError(f"values must be events x outcomes or one for each event, not an array of {shape}")
    counts = np.ones(len(array)) if frequencies is None else np.asarray(frequencies)
    if counts.shape != (len(array),):
        raise ValueError(f"expected a frequency for each of {len(array)} events, found {counts.shape}")
    if array.ndim == 2:
        names = range(array.shape[1]) if outcomes is None else outcomes
        if by is not None:
            raise ValueError(
                "by= sorts events by one number each, and these have one for each outcome; pick a column"
            )
        if len(names) != array.shape[1]:
            raise ValueError(f"values have {array.shape[1]} columns, but {len(names)} outcomes are named")
        return {str(name): (column, counts) for name, column in zip(names, array.T, strict=True)}
    if outcomes is not None:
        raise ValueError("outcomes= names columns, and these values have none; by= sorts them into groups")
    if by is None:
        return {"": (array, counts)}
    groups = [str(name) for name in by]
    if len(groups) != len(array):
        raise ValueError(f"expected a group for each of {len(array)} events, found {len(groups)}")
    labels = np.array(groups)
    return {name: (array[labels == name], counts[labels == name]) for name in dict.fromkeys(groups)}
