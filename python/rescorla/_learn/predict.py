"""The outcomes that weights predict most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.activations import activations, cue_events, known_places
from rescorla._shared.checks import PathName, one_of, whole
from rescorla._weights.ranking import largest_of_rows
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    source = cue_events(cue_sets, weights=weights)
    # Before long work, not in the middle of it.
    known_places("cue", source.cues, weights.cue_numbers, unknown)
    places = np.empty((len(source), n), dtype=np.int64)
    found = np.empty((len(source), n), dtype=weights.values.dtype)
    step = max(1, _BLOCK // max(1, len(weights.outcomes)))
    for start in range(0, len(source), step):
        some = source if len(source) <= step else source[start : start + step]
        active = activations(some, weights, unknown=unknown, threads=threads, progress=False)
        best = largest_of_rows(active, n)
        places[start : start + step] = best
        found[start : start + step] = np.take_along_axis(active, best, axis=1)
    names = np.array([*weights.outcomes, None], dtype=object)[:-1][places]
    names[~_known(source, weights, unknown, threads)] = None
    return names, found


def _known(
    source: Events, weights: Weights, unknown: Literal["error", "ignore"], threads: int | None
) -> NDArray[np.bool_]:
    """Of which sets the weights have a cue: without one all activations are 0, and nothing is predicted."""
    ones = Weights(np.ones((len(weights.cues), 1)), weights.cues, ["known"])
    known: NDArray[np.bool_] = (
        activations(source, ones, unknown=unknown, threads=threads, progress=False)[:, 0] > 0
    )
    return known
