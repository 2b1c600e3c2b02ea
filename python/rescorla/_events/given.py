"""Events as they are given to what learns from them: made already, or anything that they can be read from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AnySet
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeAlias

from rescorla._events.events import Events
from rescorla._events.frames import gives_arrow, is_real, is_table, names_of
from rescorla._events.kinds import PYTHON
from rescorla._events.read import check_rows, events_of
from rescorla._shared.checks import PathName, path_name, shown
from rescorla._shared.progress import Progress

# Lists in lists, down to which it is looked whether they hold names or numbers: rows of an array of rows.
_DEPTH = 4


class ArrowStream(Protocol):
    """Whatever gives its rows as Arrow data."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Source: TypeAlias = Events | PathName | Iterable[Any] | ArrowStream
"""Events, or whatever `read_events` takes."""


class _Call(NamedTuple):
    """A function and its arguments, {} where the events stand, to be written in errors."""

    function: str
    arguments: str
    argument: str = "events"
    """The name of the argument that the events are."""

    def __call__(self, events: str) -> str:
        arguments = self.arguments.replace("{}", events, 1)
        return f"rw.{self.function}({arguments})"


def events_given(
    source: Source, function: str, arguments: str = "{}", *, progress: Progress = None
) -> Events:
    """Events, as they are or read once; of running text, an error that writes the call of `function`.

    `arguments` are those of the call, with {} where the events stand.
    """
    return _read(source, _Call(function, arguments), _no_text, progress)


def events_unless_pair(data: object, function: str, *, progress: Progress = None) -> Events | None:
    """Events, as `events_given` has them; None for a pair (X, Z) of arrays, which a tuple of two is.

    Only tuples are pairs, and no tuple is read as events: TypeError for a tuple that holds names, and for
    arrays in anything else.
    """
    call = _Call(function, "{}, ...", "data")
    if isinstance(data, tuple):
        if _one_event(data) or any(_holds(_is_name, part) for part in data):
            written = f"[{data!r}]" if _one_event(data) else "list(data)"
            raise TypeError(
                "data must be a pair (X, Z) of arrays where it is a tuple, and this one holds names; events "
                f"are in a list: {call(written)}"
            )
        if len(data) != 2:
            raise TypeError(f"data must be events or a pair (X, Z) of arrays, not a tuple of {len(data)}")
        return None
    if is_table(data):
        there = {str(name).lower() for name in names_of(data)}
        if not there.issuperset(("cues", "outcomes")):
            raise TypeError(
                f"data must have the columns cues and outcomes where it is a data frame, not {names_of(data)}"
                f"; numbers are a pair: {call('(X, Z)')}"
            )
    elif _is_array(data) or (isinstance(data, list) and data and _holds_numbers(data[0])):
        raise TypeError(
            f"data must be events or a pair (X, Z) of arrays, which is a tuple, not {_kind(data)}; write "
            f"{call('(X, Z)')}"
        )
    return _read(data, call, _no_text_and_no_numbers, progress)  # type: ignore[arg-type]


def is_pair(data: object) -> bool:
    """Whether something is a pair (X, Z) of arrays: a tuple of two, of which neither is or has names."""
    if not isinstance(data, tuple) or len(data) != 2:
        return False
    # A tuple may be an event, also one that has no names.
    return not any(isinstance(part, tuple) or _holds(_is_name, part) for part in data)


def _read(
    source: Source, call: _Call, checked: Callable[[Any, _Call], Iterable[Any]], progress: Progress
) -> Events:
    if isinstance(source, Events):
        return source
    if isinstance(source, str | os.PathLike):
        return _in_file(path_name(source, call.argument), call, progress)
    if isinstance(source, Mapping) and source and all(isinstance(each, Events) for each in source.values()):
        raise TypeError(
            f"{call.argument} must be those of one group at a time, not of {len(source)}; with the groups in "
            f"`groups`: {call(f'groups[{next(iter(source))!r}]')}"
        )
    if is_table(source) or gives_arrow(source):
        return events_of(source, duplicates="drop", progress=progress)
    return events_of(checked(source, call), duplicates="drop", progress=progress, origin=source)


def _in_file(file: str, call: _Call, progress: Progress) -> Events:
    """The events of a table or an event file."""
    of_text = call(f"rw.corpus_events({file!r})")
    if os.path.isdir(file):
        raise IsADirectoryError(
            f"{file}: expected the file of an event table or of events, found a folder; if its files are "
            f"running text: {of_text}"
        )
    if not os.path.lexists(file) and any(sign in file for sign in "*?+>|\n "):
        of_files, of_lines = call('rw.corpus_events("corpus/*.txt")'), call("rw.corpus_events([line])")
        raise FileNotFoundError(
            f"no such file: {shown(file)}; a str is the path of events. Of a design: "
            f"{call('rw.design(text)')}, of files of running text: {of_files}, of lines: {of_lines}"
        )
    words = PYTHON._replace(text=f"write {of_text}")
    return events_of(file, progress=progress, words=words)


def _no_text(rows: Iterable[Any], call: _Call) -> Iterable[Any]:
    """The rows, each still to come, if the first is no str."""
    check_rows(call.argument, rows)
    if isinstance(rows, tuple) and _one_event(rows):
        raise TypeError(
            f"{call.argument} must be several events, not what may be one: {rows!r}; write [{rows!r}]; if "
            f"these are lines of running text: {call('rw.corpus_events(list(lines))')}"
        )
    coming: Iterator[Any] = iter(rows)
    for first in coming:
        if isinstance(first, str):
            raise TypeError(
                f"{call.argument} must each be (cues, outcomes) or (cues, outcomes, frequency), not the str "
                f"{shown(first)}; if these are lines of running text: {call('rw.corpus_events(lines)')}"
            )
        return chain([first], coming)
    return ()


def _no_text_and_no_numbers(rows: Iterable[Any], call: _Call) -> Iterable[Any]:
    """The rows, each still to come, if the first is neither a str nor a row of numbers."""
    checked = _no_text(rows, call)
    if not isinstance(checked, chain):
        return checked
    for first in checked:
        if _holds_numbers(first):
            raise TypeError(
                f"{call.argument} must each be (cues, outcomes) or (cues, outcomes, frequency), not "
                f"{shown(first)} of numbers; these are a pair of arrays: {call('(X, Z)')}"
            )
        return chain([first], checked)
    return ()


def _one_event(rows: tuple[Any, ...]) -> bool:
    """Whether a tuple may be one event, whose first part are its cues."""
    return len(rows) in (2, 3) and isinstance(rows[0], str)


def _holds(what: Callable[[object], bool], value: object) -> bool:
    """Whether the first thing in lists of lists is one of those."""
    for _ in range(_DEPTH):
        if what(value):
            return True
        if not isinstance(value, list | tuple) or not value:
            return False
        value = value[0]
    return False


def _holds_numbers(value: object) -> bool:
    """Whether something is an array, or begins with a number or an array."""
    return _holds(lambda each: is_real(each) or _is_array(each) or is_table(each), value)


def _is_name(value: object) -> bool:
    """Whether something is a name, or has some where an array has numbers."""
    if isinstance(value, AnySet):
        return any(isinstance(each, str) for each in value)
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return isinstance(value, str | Mapping) or kind in ("U", "T")


def _is_array(value: object) -> bool:
    """Whether something is an array of numbers, dense or sparse."""
    if hasattr(value, "tocsr"):
        return True
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind is not None and kind in "biufc"


def _kind(data: object) -> str:
    return "a list" if isinstance(data, list) else f"one {type(data).__name__}"
