"""The outcomes that weights predict most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.activations import activations, cue_events, known_places
from rescorla._shared.checks import PathName, one_of, shown, whole
from rescorla._shared.warn import warn
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
    if unknown == "ignore":
        _warn_of_strangers(source, weights, threads)
    step = max(1, _BLOCK // max(1, len(weights.outcomes)))
    for start in range(0, len(source), step):
        some = source if len(source) <= step else source[start : start + step]
        active = activations(some, weights, unknown=unknown, threads=threads, progress=False)
        best = largest_of_rows(active, n)
        places[start : start + step] = best
        found[start : start + step] = np.take_along_axis(active, best, axis=1)
    names = np.array([*weights.outcomes, None], dtype=object)[:-1]
    return names[places], found


def _warn_of_strangers(source: Events, weights: Weights, threads: int | None) -> None:
    """Warn of sets of cues of which the weights know none: what is predicted of them means nothing."""
    ones = Weights(np.ones((len(weights.cues), 1)), weights.cues, ["known"])
    known = activations(source, ones, unknown="ignore", threads=threads, progress=False)[:, 0] > 0
    if known.all():
        return
    first = int(np.argmin(known))
    warn(
        f"{len(known) - int(known.sum()):,} of {len(known):,} sets have no cue that the weights know; the first is "
        f"number {first}, {shown(source[first].cues)}: all their activations are 0, and the names given mean "
        "nothing; code them as the events were coded that the weights are of, or leave them out"
    )
