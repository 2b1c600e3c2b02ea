"""Names in a str: "_" joins them, and blanks or other marks may have been meant to join them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from rescorla._events.frames import is_table, names_of
from rescorla._shared.warn import some, warn

if TYPE_CHECKING:
    from rescorla._events.events import Events

_SIDES = ("cues", "outcomes")

# Marks that other programs write between names.
_MARKS = ",;+|:"
# Events that are looked at, where there are names with blanks or such marks at all.
_LOOKED_AT = 1 << 16
_AT_A_TIME = 1 << 12
# Names that show which marks most have.
_SHOWN = 1 << 9


class Blanks:
    """A source of events, of which it is known whether it gives cues as str.

    Reading costs nothing more: only where such names came of it the events are looked at.
    """

    def __init__(self, source: Any, background: str | None = None, limit: int | None = None) -> None:
        self.background = background
        # Of these it is not known which names came as a list, or were written from one: so where others are
        # joined, those with blanks are taken for names.
        self.is_opaque = isinstance(source, str) or hasattr(source, "__next__")
        self.is_table = isinstance(source, str)
        self.joined, self.source = ((), source) if limit == 0 else _looked_at(source)

    def warn(self, events: Events) -> Events:
        """Warn of names in a str that may be several, and of those that differ by blanks; the events."""
        for side in self.joined:
            names = getattr(events, side)
            # One search through all names is faster than one through each.
            has_blanks = " " in "_".join(names)
            self._warn_of_joined(events, side, names, has_blanks)
            if has_blanks and self._has_str(side):
                _warn_of_ends(side, names)
        return events

    def _warn_of_joined(self, events: Events, side: str, names: Sequence[str], has_blanks: bool) -> None:
        blank = {name for name in names if " " in name.strip(" ")} if has_blanks else set()
        first = names[:_SHOWN]
        marks = _MARKS if side == "cues" else _MARKS.replace(":", "")
        mark = next(
            (mark for mark in marks if 2 * sum(mark in name[1:-1] for name in first) > len(first)), ""
        )
        marked = {name for name in names if mark and mark in name[1:-1]}
        # Words that are outcomes may well have blanks; if most have, they may be several.
        if side == "outcomes" and 2 * len(blank) <= len(names):
            blank = set()
        for suspects, what in ((marked, f"{mark!r}"), (blank, "blanks")):
            if suspects and (alone := self._alone(events, side, suspects)):
                first = alone[0]
                parts = first.split() if suspects is blank else [part for part in first.split(mark) if part]
                cure = f"write {'_'.join(part.strip() for part in parts)!r} for several"
                if self.is_table:
                    cure += ", and nothing for one name"
                else:
                    cure += f", or [{first!r}] for one name"
                have = "has" if len(alone) == 1 else "have"
                warn(f"a str of {side} has _ between them, and {some(alone)} {have} {what} and no _; {cure}")
                return

    def _has_str(self, side: str) -> bool:
        """Whether names are joined in str; in rows of a list, in one of the first at least."""
        if not isinstance(self.source, list | tuple):
            return True
        return any(isinstance(_cell_of(row, _SIDES.index(side)), str) for row in self.source[:_AT_A_TIME])

    def _alone(self, events: Events, side: str, suspects: set[str]) -> list[str]:
        """The suspects of which each is the only cue, or outcome, of an event."""
        found: dict[str, None] = {}
        at = _SIDES.index(side)
        if isinstance(self.source, list | tuple):
            # Rows of str and of lists may come together.
            cells = (_cell_of(row, at) for row in self.source[:_LOOKED_AT])
            return list(dict.fromkeys(cell for cell in cells if isinstance(cell, str) and cell in suspects))
        for start in range(0, min(len(events), _LOOKED_AT), _AT_A_TIME):
            for event in events._file.events(start, min(start + _AT_A_TIME, len(events))):
                own = [name for name in (event[0], event[1])[at] if at or name != self.background]
                if len(own) == 1 and own[0] in suspects:
                    found[own[0]] = None
                elif len(own) > 1 and self.is_opaque:
                    return []
        return list(found)


def _warn_of_ends(side: str, names: Sequence[str]) -> None:
    """Warn of names that differ by blanks at their ends alone."""
    if padded := [name for name in names if name != name.strip()]:
        known = set(names)
        if twins := [name for name in padded if name.strip() in known]:
            warn(
                f"{side} {some(twins)} differ from {some([name.strip() for name in twins])} by blanks at "
                "their ends alone; remove the blanks"
            )


def _looked_at(source: Any) -> tuple[Sequence[str], Any]:
    """The sides of which names are joined in str, told by the first row, and the source with that row."""
    if isinstance(source, str):
        return _SIDES, source  # The path of a table.
    if hasattr(source, "__arrow_c_stream__"):
        return [side for side in _SIDES if _has_column_of_str(source, side)], source
    if isinstance(source, list | tuple):
        return _SIDES, source  # Each row is looked at.
    if not hasattr(source, "__next__"):
        # It may be iterated over again, and may know its length.
        return [] if not isinstance(source, Iterable) else _joined(list(islice(source, 1))), source
    row = list(islice(source, 1))
    return _joined(row), chain(row, source)


def _joined(rows: list[object]) -> Sequence[str]:
    return [side for at, side in enumerate(_SIDES) if any(isinstance(_cell_of(row, at), str) for row in rows)]


def _cell_of(row: object, at: int) -> object:
    """The cues (0) or outcomes (1) of a row; nothing, where it is none."""
    if isinstance(row, Mapping):
        return next((row[key] for key in row if str(key).lower() == _SIDES[at]), None)
    return row[at] if isinstance(row, list | tuple) and len(row) > at else None


def _has_column_of_str(table: Any, side: str) -> bool:
    """Whether a column has str, of a data frame or Arrow data that tell their types."""
    schema: Any = getattr(table, "schema", None)
    names = names_of(table) if is_table(table) else []
    name = next((name for name in names if str(name).lower() == side), None)
    if name is None:
        return False
    try:
        kind = schema[name] if isinstance(schema, Mapping) else table[name].dtype
    except (AttributeError, KeyError, TypeError):
        kind = schema.field(name).type if hasattr(schema, "field") else ""
    return str(kind).lower().removeprefix("large_") in ("string", "str", "object", "string_view")
