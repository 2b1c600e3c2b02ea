"""The outcomes that weights predict most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._events.cue_sets import cue_events
from rescorla._events.events import Events
from rescorla._shared.checks import PathName, one_of, thread_count, whole
from rescorla._weights.product import known_places, multiply
from rescorla._weights.ranking import largest_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rescorla._weights.weights import Weights

# Activations that are kept at a time.
_BLOCK = 1 << 22


def predict(
    cue_sets: Events | PathName | Iterable[str | Iterable[str]],
    weights: Weights,
    n: int,
    unknown: Literal["error", "ignore"],
    threads: int | None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The n most active outcomes of each cue set and their activations: what `Weights.predict` gives."""
    n = min(whole("n", n), len(weights.outcomes))
    one_of("unknown", unknown, ("error", "ignore"))
    source = cue_events(cue_sets, weights._row_numbers)
    rows = known_places("cue", source.cues, weights._row_numbers, unknown)
    columns, n_threads = np.arange(len(weights.outcomes)), thread_count(threads)
    places = np.empty((len(source), n), dtype=np.int64)
    found = np.empty((len(source), n), dtype=weights.data.dtype)
    step = max(1, _BLOCK // max(1, len(weights.outcomes)))
    for start in range(0, len(source), step):
        some = source if len(source) <= step else source[start : start + step]
        active = np.zeros((len(some), len(columns)), dtype=found.dtype)
        multiply(some, weights.data, rows, columns, active, threads=n_threads)
        best = largest_of_rows(active, n)
        places[start : start + step] = best
        found[start : start + step] = np.take_along_axis(active, best, axis=1)
    names = np.array([*weights.outcomes, None], dtype=object)[:-1][places]
    # Without a cue that the weights have all activations are 0, and nothing is predicted.
    ends, cues = source._file.csr("cues")
    n_known = np.concatenate([[0], np.cumsum(rows[cues] >= 0)])[ends]
    names[n_known[1:] == n_known[:-1]] = None
    return names, found
