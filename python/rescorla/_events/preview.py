"""Events as they show themselves: the first ones and the last ones."""

from __future__ import annotations

from rescorla._core import EventFile
from rescorla._events.frames import ROLES
from rescorla._shared import show

_LONGEST = 36
# Of a longer list of names these are looked at.
_NAMES = 50


def text_of(file: EventFile) -> list[str]:
    """Lines under each other as in a table of events."""
    lines = _lines(file)
    if not lines:
        return []
    table = [["", *ROLES], *([number, *(show.short(c, _LONGEST) for c in cells)] for number, *cells in lines)]
    return show.columns(table, left=3)


def html_of(head: str, file: EventFile) -> str:
    """The same for a notebook."""
    lines = _lines(file)
    return show.notebook_html(head, show.table(["", *ROLES], lines, left=3) if lines else "")


def _lines(file: EventFile) -> list[list[str]]:
    """Number, cues, outcomes and frequency of the first and the last events."""
    first, last = show.ends(file.n_events)
    try:
        return show.with_gap(_cells(file, first), _cells(file, last)) if first else []
    except (OSError, ValueError):
        return []  # Whoever reads the events is told what is wrong with their file.


def _cells(file: EventFile, events: range) -> list[list[str]]:
    rows = file.events(events.start, events.stop) if events else []
    return [
        [f"{number}", _joined(cues), _joined(outcomes), f"{frequency}"]
        for number, (cues, outcomes, frequency) in zip(events, rows, strict=True)
    ]


def _joined(names: tuple[str, ...]) -> str:
    """The names as a table has them, if perhaps not all."""
    return "_".join(names[:_NAMES]) + ("_…" if len(names) > _NAMES else "")
