"""Weights over tokens, as lines: by groups side by side, with the phases and probes of a design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

import numpy as np

from rescorla._learn.trajectory import Trajectories
from rescorla._shared.checks import flag, near, plain, several, shown
from rescorla._shared.optional import need
from rescorla._weights.weights import Weights
from rescorla.plot._axes import axes, legend_beside, token_ticks, unframe
from rescorla.plot._dashes import Style, dots, styles
from rescorla.plot._drawable import of_kind
from rescorla.plot._phase_bands import draw_phases, draw_probes, probes_of_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

Pair = tuple[str, str]
Equilibrium = Weights | Mapping[str, Weights]


class _Panel(NamedTuple):
    """What is drawn on one Axes: a group, or all there is."""

    trajectories: Trajectories
    pairs: list[Pair]
    equilibrium: Equilibrium | None


@overload
def trajectories(
    trajectories: Trajectories,
    pairs: Iterable[Pair] | None = None,
    *,
    equilibrium: Equilibrium | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes: ...


@overload
def trajectories(
    trajectories: Mapping[str, Trajectories],
    pairs: Iterable[Pair] | None = None,
    *,
    equilibrium: Mapping[str, Equilibrium] | None = None,
    legend: bool = True,
    ax: Iterable[Axes] | None = None,
) -> NDArray[Any]: ...


def trajectories(
    trajectories: Trajectories | Mapping[str, Trajectories],
    pairs: Iterable[Pair] | None = None,
    *,
    equilibrium: Equilibrium | Mapping[str, Equilibrium] | None = None,
    legend: bool = True,
    ax: Axes | Iterable[Axes] | None = None,
) -> Axes | NDArray[Any]:
    """Weights over tokens: a solid line for each pair, its equilibrium dotted in the same colour.

    Parameters
    ----------
    trajectories : Trajectories, or mapping from str to Trajectories
        What `rescorla.trajectories` recorded. Groups, by their names, are drawn side by side on the same
        scale. The phases of a `rescorla.design` are divided by lines and named above; probes, which are
        events of frequency 0, are points.
    pairs : iterable of (str, str), optional
        The cues and outcomes to draw, in this order; by default all that were recorded. For each group, those
        that it recorded are drawn.
    equilibrium : Weights, mapping from str to Weights, or mapping from groups to either, optional
        Where the weights tend to: what `rescorla.equilibrium` gives, or any other weights of these pairs.
        What ``rescorla.equilibrium(events, by="phase")`` gives is drawn phase by phase.
    legend : bool, default True
        Whether to name the pairs (the largest last weight first) and the probes beside the axes.
    ax : matplotlib.axes.Axes, or an iterable of them, optional
        Where to draw, for groups one for each; by default in a new figure of 6 x 4 inches, for groups of
        3 x 3.5 inches each.

    Returns
    -------
    matplotlib.axes.Axes, or an ndarray of them for groups
        Seven colours take turns. From the eighth pair on, lines are dashed as well. Of lines that lie upon
        each other over at least a fifth of what was recorded, all but the first have gaps through which the
        others show.

    Raises
    ------
    TypeError
        When `trajectories` are no Trajectories, or the equilibrium is no Weights, or is not given by group
        where there are groups.
    KeyError
        When a pair was not recorded, or is not in the equilibrium; when a group or a phase is not there.
    ValueError
        When there are no groups, or not as many Axes as groups.
    ImportError
        When matplotlib is not installed.

    Warns
    -----
    RescorlaWarning
        When there are more than 50 probes that differ in cues or outcome: the first 50 are drawn.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("light", "shock", 40), ("light_tone", "shock", 40)]
    ... )
    >>> recorded = rw.trajectories(events, [("light", "shock"), ("tone", "shock")])
    >>> ax = rw.plot.trajectories(recorded, equilibrium=rw.equilibrium(events))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['light → shock', 'tone → shock']

    Two groups of an experiment, with their phases and a probe:

    >>> groups = rw.design(
    ...     {"blocking": "A+ 40 | AB+ 40 | B?", "control": "AB+ 40 | B?"}
    ... )
    >>> recorded = {
    ...     name: rw.trajectories(events) for name, events in groups.items()
    ... }
    >>> blocking, control = rw.plot.trajectories(recorded)
    >>> blocking.get_title(), control.get_title()
    ('blocking', 'control')
    >>> [text.get_text() for text in control.get_legend().get_texts()]
    ['A → US', 'B → US', 'B? → US']
    """
    grouped = isinstance(trajectories, Mapping)
    legend = flag("legend", legend)
    panels = _panels(trajectories, pairs, equilibrium)
    drawn = list(dict.fromkeys(pair for panel in panels.values() for pair in panel.pairs))
    curves = [
        {
            i: panel.trajectories[pair].astype(np.float64)
            for i, panel in enumerate(panels.values())
            if pair in panel.pairs
        }
        for pair in drawn
    ]
    height = float(np.ptp(np.concatenate([[0.0], *(v for curve in curves for v in curve.values())]))) or 1.0
    style_of = dict(zip(drawn, styles(curves, height), strict=True))
    places = _places(ax, len(panels), grouped)
    handles: dict[Pair, Any] = {}
    points: dict[str, Any] = {}
    for place, (name, panel) in zip(places, panels.items(), strict=True):
        _draw(place, panel, style_of, height, handles)
        points |= draw_probes(place, probes_of_pairs(panel.trajectories, panel.pairs), style_of)
        if grouped:
            place.set_title(name)
    # All lines stand before names are laid out beside and above them.
    if legend and handles and any(len(panel.trajectories.tokens) for panel in panels.values()):
        # Named in the order in which the lines end, so that the eye need not search.
        last = {pair: max(v[-1] for v in curve.values()) for pair, curve in zip(drawn, curves, strict=True)}
        ranked = sorted(handles, key=lambda pair: -last[pair])
        legend_beside(
            places[-1], handles=[*(handles[pair] for pair in ranked), *points.values()], handlelength=2.4
        )
    for place, panel in zip(places, panels.values(), strict=True):
        draw_phases(place, panel.trajectories.phases)
    return np.array(places, dtype=object) if grouped else places[0]


def _draw(
    ax: Axes, panel: _Panel, style_of: Mapping[Pair, Style], height: float, handles: dict[Pair, Any]
) -> None:
    """The lines of a panel, and their equilibria."""
    tokens = panel.trajectories.tokens
    for pair in panel.pairs:
        colour, dash = style_of[pair]
        (line,) = ax.plot(
            tokens,
            panel.trajectories[pair],
            color=colour,
            linestyle=dash,
            linewidth=1.4,
            dash_capstyle="butt",
            label=" → ".join(pair),
        )
        handles.setdefault(pair, line)
    for weights, span in _equilibria(panel):
        levels = [weights[pair] for pair in panel.pairs]
        for pair, level, dash in zip(panel.pairs, levels, dots(levels, height), strict=True):
            _level(ax, level, span, style_of[pair].colour, dash)
    ax.set(xlabel="token", ylabel="weight")
    ax.margins(x=0)
    ax.label_outer()
    token_ticks(ax, int(tokens[-1]) if len(tokens) else 0)
    unframe(ax)


def _level(ax: Axes, level: float, span: range | None, colour: str, dash: Any) -> None:
    """An equilibrium: a dotted line through the whole, or through a phase."""
    from matplotlib.patheffects import withStroke

    # The white around the dots shows them on a line that shakes.
    style: dict[str, Any] = {
        "color": colour,
        "linestyle": dash,
        "linewidth": 1.6,
        "zorder": 3,
        "path_effects": [withStroke(linewidth=3.2, foreground="white")],
    }
    if span is None:
        ax.axhline(level, **style)
    else:
        ax.plot([span.start, span.stop], [level, level], label="_equilibrium", **style)


def _equilibria(panel: _Panel) -> list[tuple[Weights, range | None]]:
    """The equilibria of a panel, each with the tokens of its phase."""
    if panel.equilibrium is None:
        return []
    if isinstance(panel.equilibrium, Weights):
        return [(panel.equilibrium, None)]
    phases = panel.trajectories.phases
    for name in panel.equilibrium:
        if name not in phases:
            raise KeyError(
                f"equilibrium has {name!r}, which is none of the phases {list(phases)}{near(name, phases)}"
            )
    return [(weights, phases[name].tokens) for name, weights in panel.equilibrium.items()]


def _panels(
    trajectories: Trajectories | Mapping[str, Trajectories],
    pairs: Iterable[Pair] | None,
    equilibrium: Equilibrium | Mapping[str, Equilibrium] | None,
) -> dict[str, _Panel]:
    """What to draw for each group, or for one without a name; all arguments checked."""
    groups: dict[str, Trajectories]
    if isinstance(trajectories, Mapping):
        groups = {plain(name): recorded for name, recorded in trajectories.items()}
        if not groups:
            raise ValueError("trajectories has no groups; give what rescorla.trajectories recorded")
        tends_to = _by_group(equilibrium, groups)
    else:
        groups, tends_to = {"": trajectories}, {"": equilibrium}
    for name, recorded in groups.items():
        of_kind("trajectories", recorded, Trajectories)
        if isinstance(tends_to[name], Mapping):
            for weights in tends_to[name].values():
                of_kind("equilibrium", weights, Weights)
        elif tends_to[name] is not None:
            of_kind("equilibrium", tends_to[name], Weights)
    wanted = (
        None if pairs is None else [_pair(pair) for pair in several("pairs", pairs, "pairs (cue, outcome)")]
    )
    panels = {}
    for name, recorded in groups.items():
        there = list(recorded.pairs or product(recorded.cues, recorded.outcomes))
        if wanted is not None:
            # Of several groups some may be without a pair; one alone has to have it.
            there = wanted if len(groups) == 1 else [pair for pair in wanted if pair in set(there)]
        panels[name] = _Panel(recorded, there, tends_to[name])
    for pair in wanted or []:
        if not any(pair in panel.pairs for panel in panels.values()):
            cues = [cue for recorded in groups.values() for cue in recorded.cues]
            outcomes = [outcome for recorded in groups.values() for outcome in recorded.outcomes]
            raise KeyError(
                f"pairs has {pair!r}, which no group has recorded"
                f"{near(pair[0], cues) or near(pair[1], outcomes)}"
            )
    return panels


def _by_group(equilibrium: Any, groups: Mapping[str, object]) -> dict[str, Any]:
    """An equilibrium for each group, or None."""
    if equilibrium is None:
        return dict.fromkeys(groups)
    if not isinstance(equilibrium, Mapping):
        raise TypeError(
            f"equilibrium must be a mapping from the groups {list(groups)}, not {shown(equilibrium)}"
        )
    for name in equilibrium:
        if name not in groups:
            raise KeyError(
                f"equilibrium has {name!r}, which is none of the groups {list(groups)}{near(name, groups)}"
            )
    return {name: equilibrium.get(name) for name in groups}


def _pair(pair: object) -> Pair:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"pairs must be pairs (cue, outcome) of names, not {shown(pair)}")
    return plain(pair[0]), plain(pair[1])


def _places(ax: Axes | Iterable[Axes] | None, n: int, grouped: bool) -> list[Axes]:
    """An Axes for each panel: the caller's, or those of a new figure."""
    if not grouped:
        return [axes(cast("Axes | None", ax))]
    if ax is None:
        found = need("matplotlib.pyplot").subplots(
            1, n, figsize=(3.0 * n + 1.0, 3.5), sharey=True, squeeze=False, layout="constrained"
        )[1]
        return list(found.flat)
    places = [axes(place) for place in np.ravel(cast("Any", ax))]
    if len(places) != n:
        raise ValueError(f"ax must have an Axes for each of the {n} groups, not {len(places)}")
    return places
