"""Cues with blanks in a str: names are joined by "_", and blanks may have been meant to join them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from rescorla._events.frames import is_table, names_of
from rescorla._shared.warn import some, warn

if TYPE_CHECKING:
    from rescorla._events.events import Events

# Events that are looked at, where there are names with blanks at all.
_LOOKED_AT = 1 << 16
_AT_A_TIME = 1 << 12


class Blanks:
    """A source of events, of which it is known whether it gives cues as str.

    Reading costs nothing more: only where names with blanks came of it the events are looked at.
    """

    def __init__(self, source: Any, background: str | None = None, limit: int | None = None) -> None:
        self.background = background
        # Of these it is not known which names came as a list, or were written from one: so where others are
        # joined, those with blanks are taken for names.
        self.is_opaque = isinstance(source, str) or hasattr(source, "__next__")
        self.joined, self.source = (False, source) if limit == 0 else _looked_at(source)

    def warn(self, events: Events) -> Events:
        """Warn of a str of cues with blanks and no "_"; the events."""
        if self.joined:
            blank = {name for name in events.cues if " " in name.strip(" ")}
            if blank and (alone := self._alone(events, blank)):
                first = alone[0]
                have = "has" if len(alone) == 1 else "have"
                warn(
                    f"a str of cues has _ between them, and {some(alone)} {have} blanks and no _; write "
                    f"{'_'.join(first.split())!r} for several cues, or [{first!r}] for a name that has blanks"
                )
        return events

    def _alone(self, events: Events, blank: set[str]) -> list[str]:
        """The names with blanks of which each is the only cue of an event."""
        found: dict[str, None] = {}
        if isinstance(self.source, list | tuple):
            # Rows of str and of lists may come together.
            cells = map(_cues_of, self.source[:_LOOKED_AT])
            return list(dict.fromkeys(cell for cell in cells if isinstance(cell, str) and cell in blank))
        for start in range(0, min(len(events), _LOOKED_AT), _AT_A_TIME):
            for cues, _, _ in events._file.events(start, min(start + _AT_A_TIME, len(events))):
                own = [cue for cue in cues if cue != self.background]
                if len(own) == 1 and own[0] in blank:
                    found[own[0]] = None
                elif len(own) > 1 and self.is_opaque:
                    return []
        return list(found)


def _looked_at(source: Any) -> tuple[bool, Any]:
    """Whether cues are str, told by the first row, and the source with that row."""
    if isinstance(source, str):
        return True, source  # The path of a table.
    if hasattr(source, "__arrow_c_stream__"):
        return _has_column_of_str(source), source
    if isinstance(source, list | tuple):
        return True, source  # Each row is looked at.
    if not hasattr(source, "__next__"):
        # It may be iterated over again, and may know its length.
        return False if not isinstance(source, Iterable) else any(map(_is_joined, islice(source, 1))), source
    row = list(islice(source, 1))
    return any(map(_is_joined, row)), chain(row, source)


def _is_joined(row: object) -> bool:
    return isinstance(_cues_of(row), str)


def _cues_of(row: object) -> object:
    """The cues of a row; nothing, where it is none."""
    if isinstance(row, Mapping):
        return next((row[key] for key in row if str(key).lower() == "cues"), None)
    return row[0] if isinstance(row, list | tuple) and row else None


def _has_column_of_str(table: Any) -> bool:
    """Whether the column of cues has str, of a data frame or Arrow data that tell their types."""
    schema: Any = getattr(table, "schema", None)
    names = names_of(table) if is_table(table) else []
    name = next((name for name in names if str(name).lower() == "cues"), None)
    if name is None:
        return False
    try:
        kind = schema[name] if isinstance(schema, Mapping) else table[name].dtype
    except (AttributeError, KeyError, TypeError):
        kind = schema.field(name).type if hasattr(schema, "field") else ""
    return str(kind).lower().removeprefix("large_") in ("string", "str", "object", "string_view")
