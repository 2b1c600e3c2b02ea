"""Probes of designs: what is predicted where nothing is taught."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.events import Events

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class Probe(NamedTuple):
    """An event of a phase that has frequency 0, and how many tokens come before it."""

    phase: str
    token: int
    cues: tuple[str, ...]


def probes_of(events: Events, last: int) -> list[Probe]:
    """The probes with at most so many tokens before them, in their order; none where there are no phases."""
    phases = events.phases
    if not phases:
        return []
    frequencies = events.frequencies
    before = np.cumsum(frequencies) - frequencies
    return [
        Probe(name, int(before[row]), events[int(row)].cues)
        for name, phase in phases.items()
        for row in np.flatnonzero(frequencies[phase.rows.start : phase.rows.stop] == 0) + phase.rows.start
        if before[row] <= last
    ]


def fields(element: DTypeLike) -> np.dtype[Any]:
    """The fields of a table of what is predicted at probes."""
    names = [("phase", object), ("token", np.int64), ("cues", object), ("outcome", object)]
    return np.dtype([*names, ("activation", element)])


def table_of(entries: Iterable[tuple[Any, ...]], element: DTypeLike) -> NDArray[Any]:
    """A table of these entries. In an object of its own each tuple of cues stays one."""
    return np.array(list(entries), dtype=fields(element))


def predicted(
    probes: Sequence[Probe],
    weights: NDArray[Any],
    row_of: dict[str, int],
    time_of: dict[int, int],
    outcomes: Sequence[str],
) -> NDArray[Any]:
    """What is predicted of each outcome at each probe, of weights n_times x n_cues x n_outcomes."""
    entries: list[tuple[Any, ...]] = []
    for probe in probes:
        # Summed as the engine sums: cue after cue, from 0.
        activations = np.zeros(len(outcomes), dtype=weights.dtype)
        for cue in probe.cues:
            activations += weights[time_of[probe.token], row_of[cue]]
        entries += ((*probe, outcome, each) for outcome, each in zip(outcomes, activations, strict=True))
    return table_of(entries, weights.dtype)
