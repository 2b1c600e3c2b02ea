"""Phases: which rows and tokens of events belong to which part of an experiment. Event files keep them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rescorla._core import EventFile, FormatError
from rescorla._events.made import parameters_of
from rescorla._shared.warn import some, warn


class Phase(NamedTuple):
    """Where a phase lies in events.

    Attributes
    ----------
    rows : range
        Its events: ``events[phase.rows]`` are these.
    tokens : range
        Its tokens, counted from 0. ``phase.tokens.stop`` is the token after which `trajectories` records what
        the phase taught. Empty if all rows are probes.
    """

    rows: range
    tokens: range


def phases_of(file: EventFile) -> dict[str, Phase]:
    """The phases that a file has; none where nothing says so."""
    found = parameters_of(file).get("phases", {})
    try:
        return of_json(found, file.n_events, file.n_tokens)
    except ValueError as error:
        raise FormatError(f"{file.path or 'events in memory'}: {error}; write the file again") from None


def of_json(found: object, n_rows: int, n_tokens: int) -> dict[str, Phase]:
    """The phases of so many rows and tokens, as files keep them; ValueError where these are none."""
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise _no_phases(found)
    return {
        name: Phase(_range(each.get("rows"), n_rows), _range(each.get("tokens"), n_tokens))
        for name, each in found.items()
    }


def stored_phases(phases: Mapping[str, Phase]) -> dict[str, Any]:
    """Phases as a file keeps them."""
    return {
        name: {
            "rows": [phase.rows.start, phase.rows.stop],
            "tokens": [phase.tokens.start, phase.tokens.stop],
        }
        for name, phase in phases.items()
    }


def phases_in(file: EventFile, rows: range) -> dict[str, Phase]:
    """The phases of some rows of a file, as far as they lie among them; none where rows have gaps."""
    phases = phases_of(file)
    if not phases or rows.step != 1:
        return {}
    before = np.concatenate([[0], np.cumsum(file.frequencies())])
    first = int(before[rows.start]) if len(rows) else 0
    found: dict[str, Phase] = {}
    for name, phase in phases.items():
        start, stop = max(phase.rows.start, rows.start), min(phase.rows.stop, rows.stop)
        if start < stop:
            tokens = range(int(before[start]) - first, int(before[stop]) - first)
            found[name] = Phase(range(start - rows.start, stop - rows.start), tokens)
    return found


def joined(parts: Iterable[tuple[Mapping[str, Phase], int, int]]) -> dict[str, Phase]:
    """The phases of parts, each with its rows and tokens, one after another; none where two have one name."""
    found: dict[str, Phase] = {}
    twice: dict[str, None] = {}
    rows = tokens = 0
    for phases, n_rows, n_tokens in parts:
        for name, phase in phases.items():
            if name in found:
                twice[name] = None
            found[name] = Phase(_moved(phase.rows, rows), _moved(phase.tokens, tokens))
        rows, tokens = rows + n_rows, tokens + n_tokens
    if twice:
        warn(
            f"several of these parts have phases named {some(twice)}, so together they have no phases; name "
            "them apart, as in rw.design('first: A+ 40')"
        )
        return {}
    return found


def _moved(positions: range, by: int) -> range:
    return range(positions.start + by, positions.stop + by)


def _range(ends: object, n: int) -> range:
    """The positions between two ends, which lie in 0 .. n."""
    if not isinstance(ends, list) or len(ends) != 2 or any(type(end) is not int for end in ends):
        raise _no_phases(ends)
    if not 0 <= ends[0] <= ends[1] <= n:
        raise _no_phases(ends)
    return range(*ends)


def _no_phases(found: object) -> ValueError:
    return ValueError(
        f"expected phases, each with the first row and token and the ends, found {str(found)[:40]!r}"
    )
