"""Cue sets, of which outcomes are to be predicted: those of events, or bare ones."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AnySet
from typing import Any

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.frames import gives_arrow, is_table
from rescorla._events.read import events_of, read_events
from rescorla._shared.checks import is_iterable, ordered, shown
from rescorla._shared.progress import Progress, watching


def cue_events(
    events: object, known: Mapping[str, int], *, present_only: bool = False, progress: Progress = None
) -> Events:
    """Events as they are, of a path or data frame, or made of bare cue sets, which have no outcomes.

    Cues that are known say that a pair is one of cues.
    """
    if isinstance(events, str) and not os.path.lexists(events):
        name = str(events)
        raise FileNotFoundError(
            errno.ENOENT, f"no such file: a str is a path; write [{name!r}] for one set of cues", name
        )
    if isinstance(events, Events | str | os.PathLike):
        return events_of(events, progress=progress)
    if is_table(events) or gives_arrow(events):
        return read_events(events, progress=progress)
    if not is_iterable(events) or isinstance(events, bytes | bytearray | Mapping):
        raise TypeError(
            f"events must be Events, a path or an iterable of cue sets, not {type(events).__name__}"
        )
    ordered("events", events)
    if present_only:
        raise ValueError("present_only needs Events, which say what is present; these are bare cue sets")
    with watching(progress, "reading", "events") as watch:
        return Events(_core.compile_events(_bare(events, known), None, "drop", None, watch))


def _bare(sets: Iterable[Any], known: Mapping[str, int]) -> Iterator[tuple[Any, tuple[()]]]:
    """Cue sets as events without outcomes, and none that are whole events."""
    for number, cues in enumerate(sets, 1):
        if _is_event(cues, known):
            raise ValueError(
                f"event {number} must be a set of cues, found {_told(cues)}, which looks like cues and "
                "outcomes: give the cues alone, or make events of the pairs with rescorla.read_events; "
                "two cues with such names are a list of them"
            )
        yield cues, ()


def _is_event(item: object, known: Mapping[str, int]) -> bool:
    """Whether an item says cues and outcomes."""
    if isinstance(item, Mapping):
        return "cues" in item
    if not isinstance(item, tuple | list) or len(item) not in (2, 3):
        return False
    first = item[0]
    if isinstance(first, list | tuple | AnySet):
        return True
    if not isinstance(first, str) or "_" not in first or (len(item) == 3 and isinstance(item[2], str)):
        return False
    if isinstance(item, tuple):
        return any(name not in known for name in item)
    # Names in a list are mostly meant as they are: unless only what they are made of is known.
    return first not in known and any(name in known for name in first.split("_"))


def _told(item: object) -> str:
    """An event that is none, for a message."""
    text = repr(item)
    return text if len(text) <= 60 else shown(item)
