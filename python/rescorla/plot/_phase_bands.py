"""The phases of a design and the probes of any events, drawn over tokens."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import cycle, islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.phases import Phase
from rescorla._learn.trajectory import Trajectories
from rescorla._shared.warn import warn
from rescorla.plot._dashes import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^vPX"
_LETTER = re.compile(r"[^\W\d_][0-9']*")
# Probes that differ in cues or outcome. More are not told apart, nor has the legend room for them.
_MOST = 50
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


def probes_of_pairs(trajectories: Trajectories, pairs: Sequence[tuple[str, str]]) -> list[Probe]:
    """The probes of trajectories, of the outcomes of these pairs: one for all that ask the same.

    Of very many the first, with a warning.
    """
    found: dict[tuple[tuple[str, ...], str], Probe] = {}
    outcomes = {outcome for _, outcome in pairs}
    for entry in () if trajectories.probes is None else trajectories.probes:
        asked = (entry["cues"], entry["outcome"])
        if entry["outcome"] in outcomes:
            probe = found.setdefault(asked, Probe(*asked, [], []))
            probe.tokens.append(int(entry["token"]))
            probe.activations.append(float(entry["activation"]))
    if len(found) > _MOST:
        warn(
            f"trajectories have {len(found):,} probes that differ in cues or outcome, and the first {_MOST} "
            "are drawn; to draw others, record events without these rows, events[rows], or fewer outcomes"
        )
    return list(islice(found.values(), _MOST))


def draw_probes(
    ax: Axes, probes: Sequence[Probe], style_of: Mapping[tuple[str, str], Style]
) -> dict[str, Any]:
    """Points for probes, in the colour of the line where there is one; what the legend shows, by name."""
    shown: dict[str, Any] = {}
    points: defaultdict[int, list[float]] = defaultdict(list)
    low, high = ax.get_ylim()
    for probe, marker in zip(probes, cycle(_MARKERS), strict=False):
        line = style_of.get((probe.cues[0], probe.outcome)) if len(probe.cues) == 1 else None
        here = list(zip(probe.tokens, probe.activations, strict=True))
        # Points upon each other: each is drawn around those before.
        within = max(
            sum(abs(value - other) < 0.02 * (high - low) for other in points[token]) for token, value in here
        )
        for token, value in here:
            points[token].append(value)
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
    above.tick_params(length=0, labelcolor="0.35", labelsize="small")
    middles = np.array([(tokens.start + tokens.stop) / 2 for tokens in named.values()])
    above.set_ticks(middles, list(named))
    shown, angle = _fitting(above, [len(tokens) for tokens in named.values()])
    above.set_ticks(middles[shown], np.array(list(named), dtype=object)[shown].tolist())
    for label in above.get_xticklabels():
        label.set(rotation=angle, ha="left" if angle == 30 else "center", va="bottom")


def _fitting(above: Any, lengths: Sequence[int]) -> tuple[list[int], int]:
    """Which names have room beside each other, the shortest phases left out first, and at what angle."""
    figure = above.figure.canvas.figure
    figure.draw_without_rendering()
    labels = above.get_xticklabels()
    places = above.transData.transform([(x, 0) for x in above.get_xticks()])[:, 0]
    widths = np.array([label.get_window_extent().width for label in labels])
    height = labels[0].get_fontsize() * figure.dpi / 72
    for n in range(len(lengths), 0, -1):
        shown = sorted(np.argsort(lengths, kind="stable")[len(lengths) - n :].tolist())
        gaps = np.diff(places[shown])
        for angle in _ANGLES:
            # Slanting and upright names need the height of a line, across.
            needed = (
                (widths[shown][1:] + widths[shown][:-1]) / 2 + 0.5 * height if angle == 0 else 1.2 * height
            )
            if (gaps * (np.sin(np.radians(angle)) if angle else 1) > needed).all():
                return shown, angle
    return [], 0
