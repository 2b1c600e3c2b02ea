"""Probes: test trials, which are events of frequency 0, and what is predicted there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.events import Events
from rescorla._shared.warn import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Entries of a table of probes: a test has hundreds of them, and a corpus may have a row of frequency 0 for
# each word.
_MOST = 1_000_000


class Probes(NamedTuple):
    """Some probes: the phase of each, or None; how many tokens come before it; its event."""

    phases: NDArray[Any]
    tokens: NDArray[np.int64]
    events: Events

    def told(self, cue_rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """What the engine is told: after how many tokens, of how many cues, and the rows of these."""
        ends, cues = self.events._file.csr("cues")
        return self.tokens, np.diff(ends), cue_rows[cues]

    def table(self, activations: NDArray[Any], outcomes: Sequence[str]) -> NDArray[Any]:
        """What is predicted of each outcome at each probe, of activations n_probes x n_outcomes."""
        cues = np.fromiter((event.cues for event in self.events), dtype=object, count=len(self.events))
        phases, tokens, cues = (np.repeat(each, len(outcomes)) for each in (self.phases, self.tokens, cues))
        return probe_table(phases, tokens, cues, list(outcomes) * len(self.tokens), activations.ravel())


def probes_of(events: Events, last: int, n_outcomes: int) -> Probes | None:
    """The probes with at most so many tokens before them, in their order; None where there are none.

    A row without cues asks nothing. Where the table would be too large there is a warning, and no probe.
    """
    rows, tokens = events._file.probes(last)
    n_entries = len(rows) * n_outcomes
    if n_entries > _MOST:
        warn(
            f"events have {len(rows):,} rows of frequency 0, which are probes: a table of what they predict "
            f"would have {n_entries:,} entries, more than {_MOST:,}, so probes is None; record fewer "
            "outcomes (outcomes=), or leave these rows out, events[events.frequencies > 0]"
        )
        return None
    if not len(rows):
        return None
    phases = np.full(len(rows), None, dtype=object)
    for name, phase in events.phases.items():
        first, end = np.searchsorted(rows, [phase.rows.start, phase.rows.stop])
        phases[first:end] = name
    return Probes(phases, tokens, events[rows])


def probe_table(
    phases: Sequence[str | None] | NDArray[Any],
    tokens: Sequence[int] | NDArray[np.int64],
    cues: Sequence[tuple[str, ...]] | NDArray[Any],
    outcomes: Sequence[str],
    activations: NDArray[Any],
) -> NDArray[Any]:
    """A table of these columns."""
    fields = [("phase", object), ("token", np.int64), ("cues", object), ("outcome", object)]
    table = np.empty(len(activations), dtype=np.dtype([*fields, ("activation", activations.dtype)]))
    table["phase"], table["token"], table["activation"] = phases, tokens, activations
    table["outcome"] = outcomes
    # As an object of its own each tuple of cues stays one.
    table["cues"] = np.fromiter(cues, dtype=object, count=len(cues))
    return table
