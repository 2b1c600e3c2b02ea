"""The phases and probes of a design, drawn over its tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.phases import Phase
from rescorla._learn.trajectory import Trajectories
from rescorla.plot.dashes import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^vPX"
_LETTER = re.compile(r"[^\W\d_][0-9']*")
# The angles at which names are tried.
_ANGLES = (0, 30, 90)


class Probe(NamedTuple):
    """What probes of the same cues predict of an outcome: activations, each after so many tokens."""

    cues: tuple[str, ...]
    outcome: str
    tokens: list[int]
    activations: list[float]

    @property
    def name(self) -> str:
        """As designs write it: AB?, or tone + light?."""
        between = "" if all(map(_LETTER.fullmatch, self.cues)) else " + "
        return f"{between.join(self.cues)}? → {self.outcome}"


def probes_of(trajectories: Trajectories, pairs: Sequence[tuple[str, str]]) -> list[Probe]:
    """The probes of trajectories, of the outcomes of these pairs: one for all that ask the same."""
    found: dict[tuple[tuple[str, ...], str], Probe] = {}
    outcomes = {outcome for _, outcome in pairs}
    for entry in () if trajectories.probes is None else trajectories.probes:
        asked = (entry["cues"], entry["outcome"])
        if entry["outcome"] in outcomes:
            probe = found.setdefault(asked, Probe(*asked, [], []))
            probe.tokens.append(int(entry["token"]))
            probe.activations.append(float(entry["activation"]))
    return list(found.values())


def draw_probes(
    ax: Axes, probes: Sequence[Probe], style_of: Mapping[tuple[str, str], Style]
) -> dict[str, Any]:
    """Points for probes, in the colour of the line where there is one; what the legend shows, by name."""
    shown: dict[str, Any] = {}
    points: list[tuple[int, float]] = []
    low, high = ax.get_ylim()
    for probe, marker in zip(probes, cycle(_MARKERS), strict=False):
        line = style_of.get((probe.cues[0], probe.outcome)) if len(probe.cues) == 1 else None
        here = list(zip(probe.tokens, probe.activations, strict=True))
        # Points upon each other: each is drawn around those before.
        within = max(
            sum(token == before and abs(value - other) < 0.02 * (high - low) for before, other in points)
            for token, value in here
        )
        points += here
        (shown[probe.name],) = ax.plot(
            probe.tokens,
            probe.activations,
            linestyle="none",
            marker=marker,
            markersize=6 + 4 * within,
            markerfacecolor="none" if within else "white",
            markeredgewidth=1.4,
            color="0.2" if line is None else line.colour,
            clip_on=False,
            zorder=5,
            label=probe.name,
        )
    return shown


def draw_phases(ax: Axes, phases: Mapping[str, Phase]) -> None:
    """A line where a phase begins, and its name above it, at an angle where names have room.

    Where there is no room even for names that stand upright, those of the shortest phases are left out.
    """
    for before, after in pairwise(phases.values()):
        if len(after.tokens) and before.tokens.stop == after.tokens.start:
            ax.axvline(after.tokens.start, color="0.8", linewidth=1, zorder=0)
    named = {name: phase.tokens for name, phase in phases.items() if len(phase.tokens)}
    if len(named) < 2:
        return
    above = ax.secondary_xaxis("top")
    above.spines[:].set_visible(False)
    while named:
        for angle in _ANGLES:
            _name(above, named, angle)
            if _apart(above, angle):
                return
        del named[min(named, key=lambda name: len(named[name]))]


def _name(above: Any, named: Mapping[str, range], angle: int) -> None:
    """Names above the middle of their tokens."""
    above.set_ticks([(tokens.start + tokens.stop) / 2 for tokens in named.values()], list(named))
    above.tick_params(length=0, labelcolor="0.35", labelsize="small")
    for label in above.get_xticklabels():
        label.set(
            rotation=angle, ha="left" if angle == 30 else "center", va="bottom", rotation_mode="default"
        )


def _apart(above: Any, angle: int) -> bool:
    """Whether names leave each other room: side by side, or line above line where they slant or stand."""
    figure = above.figure.canvas.figure
    figure.draw_without_rendering()
    labels = above.get_xticklabels()
    if angle == 0:
        boxes = [label.get_window_extent() for label in labels]
        return all(left.x1 + 4 < right.x0 for left, right in pairwise(boxes))
    places = above.transData.transform([(x, 0) for x in above.get_xticks()])[:, 0]
    height = labels[0].get_fontsize() * figure.dpi / 72
    return bool((np.diff(places) * np.sin(np.radians(angle)) > 1.2 * height).all())
