"""Events as they are given to what learns from them: made already, or anything that they can be read from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Protocol, TypeAlias

from rescorla._events.events import Events
from rescorla._events.frames import is_table, streams
from rescorla._events.kinds import PYTHON
from rescorla._events.read import events_of
from rescorla._shared.checks import PathName, path_name, shown
from rescorla._shared.progress import Progress


class ArrowStream(Protocol):
    """Whatever gives its rows as Arrow data."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Source: TypeAlias = Events | PathName | Iterable[Any] | ArrowStream
"""Events, or whatever `read_events` takes."""


def events_given(source: Source, function: str, *, progress: Progress = None) -> Events:
    """Events, as they are or read once; of running text, an error that writes the call of `function`."""
    if isinstance(source, Events):
        return source
    if isinstance(source, str | os.PathLike):
        return _in_file(path_name(source), function, progress)
    if is_table(source) or streams(source) or not isinstance(source, Iterable):
        return events_of(source, duplicates="drop", progress=progress)
    return events_of(_no_text(source, function), duplicates="drop", progress=progress, origin=source)


def _in_file(file: str, function: str, progress: Progress) -> Events:
    """The events of a table or an event file."""
    of_text = f"rw.{function}(rw.corpus_events({file!r}))"
    if os.path.isdir(file):
        raise IsADirectoryError(
            f"{file}: expected the file of an event table or of events, found a folder; if its files are "
            f"running text: {of_text}"
        )
    if not os.path.lexists(file) and any(sign in file for sign in "*? \n"):
        raise FileNotFoundError(
            f"no such file: {shown(file)}; a str is the path of events. Files of running text: "
            f'rw.{function}(rw.corpus_events("corpus/*.txt")), lines: rw.{function}(rw.corpus_events([line]))'
        )
    words = PYTHON._replace(
        text=f"write {of_text}", conllu=f'write rw.{function}(rw.corpus_events({file!r}, format="conllu"))'
    )
    return events_of(file, progress=progress, words=words)


def _no_text(rows: Iterable[Any], function: str) -> Iterable[Any]:
    """The rows, each still to come, if the first is no str."""
    if isinstance(rows, bytes | bytearray | Mapping):
        return rows  # No rows at all, and `events_of` says so.
    if isinstance(rows, tuple) and len(rows) in (2, 3) and isinstance(rows[0], str):
        raise TypeError(
            f"expected several events, found what may be one: {rows!r}; write [{rows!r}]; if these are lines "
            f"of running text: rw.{function}(rw.corpus_events(list(lines)))"
        )
    coming: Iterator[Any] = iter(rows)
    for first in coming:
        if isinstance(first, str):
            raise TypeError(
                "expected events, each (cues, outcomes) or (cues, outcomes, frequency), found the str "
                f"{shown(first)}; if these are lines of running text: rw.{function}(rw.corpus_events(lines))"
            )
        return chain([first], coming)
    return ()
