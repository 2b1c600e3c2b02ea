"""The order in which pyndl has the names of events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rescorla._events.events import Events
from rescorla._shared.checks import Side

# Rows whose names are looked at together.
_ROWS = 1 << 22

# More names than events have in all.
_SLOTS = 1 << 42
_NEVER = np.iinfo(np.int64).max


class Names(NamedTuple):
    """The names of events in pyndl's order."""

    cues: list[str]
    outcomes: list[str]


def names_by_jobs(events: Events, n_jobs: int) -> Names:
    """The names as pyndl's count has them.

    Each of n processes counts every n-th row, and their names come one process after another.
    """
    return Names(
        [events.cues[place] for place in _order(events, "cues", n_jobs)],
        [events.outcomes[place] for place in _order(events, "outcomes", n_jobs)],
    )


def _order(events: Events, side: Side, n_jobs: int) -> list[int]:
    n_names = events.n_cues if side == "cues" else events.n_outcomes
    first = np.full(n_names, _NEVER)
    frequencies = events.frequencies
    n_rows, slots = len(events), 0
    for start in range(0, n_rows, _ROWS):
        n = min(_ROWS, n_rows - start)
        part = events if n == n_rows else events[start : start + n]
        ends, names = part._file.csr(side)
        lengths = np.diff(ends)
        rows = np.repeat(np.arange(start, start + n), lengths)
        counted = np.repeat(frequencies[start : start + n] > 0, lengths)
        # The least number tells when a name comes: by the process first, then by the place among all names.
        when = (rows % n_jobs) * _SLOTS + np.arange(slots, slots + len(names))
        np.minimum.at(first, names[counted], when[counted])
        slots += len(names)
    order = np.argsort(first, kind="stable")
    return [int(name) for name in order if first[name] < _NEVER]
