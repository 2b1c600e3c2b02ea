"""Trajectories as they show themselves: a few curves, of a few tokens. What is not shown is not read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._learn.sketch import COLOURS, POINTS, sketch
from rescorla._shared import show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rescorla._learn.trajectory import Trajectories


def text_of(traj: Trajectories) -> list[str]:
    """The first and the last tokens under the names of the first and the last weights."""
    return show.grid(
        len(traj.tokens), prod(traj.values.shape[1:]), partial(_heads, traj), partial(_rows, traj)
    )


def html_of(head: str, traj: Trajectories) -> str:
    """The first few curves, and the parameters."""
    n_tokens, n_curves = len(traj.tokens), prod(traj.values.shape[1:])
    places = range(min(n_curves, len(COLOURS)))
    times = np.unique(np.linspace(0, max(n_tokens - 1, 0), min(n_tokens, POINTS)).astype(int))
    names = [f"{cue} \N{RIGHTWARDS ARROW} {outcome}" for cue, outcome in _pairs(traj, places)]
    picture = sketch(traj.tokens[times], _curves(traj, times, places), names)
    more = n_curves - len(places)
    note = f'<div style="opacity: 0.7">and {more:,} more</div>' if more and picture else ""
    return show.page(head, picture, note, show.details(traj.parameters))


def _heads(traj: Trajectories, places: Sequence[int]) -> list[list[str]]:
    pairs = _pairs(traj, places)
    return [
        [kind, *(show.short(pair[side], show.NARROW) for pair in pairs)]
        for side, kind in enumerate(("cue", "outcome"))
    ]


def _rows(traj: Trajectories, times: Sequence[int], places: Sequence[int]) -> list[list[str]]:
    return [
        [str(traj.tokens[time]), *map(show.number, values)]
        for time, values in zip(times, _curves(traj, times, places).tolist(), strict=True)
    ]


def _pairs(traj: Trajectories, places: Sequence[int]) -> list[tuple[str, str]]:
    """The pairs at these places, those of a block counted row by row."""
    if traj.pairs is not None:
        return [traj.pairs[place] for place in places]
    n_outcomes = len(traj.outcomes)
    return [(traj.cues[place // n_outcomes], traj.outcomes[place % n_outcomes]) for place in places]


def _curves(traj: Trajectories, times: Any, places: Sequence[int]) -> NDArray[Any]:
    """The weights at these times, a column for each of these places."""
    rows = np.asarray(times, dtype=np.intp)[:, np.newaxis]
    columns = np.asarray(places, dtype=np.intp)
    if traj.pairs is not None:
        found: NDArray[Any] = traj.values[rows, columns]
    else:
        cues, outcomes = np.divmod(columns, max(len(traj.outcomes), 1))
        found = traj.values[rows, cues, outcomes]
    return found
