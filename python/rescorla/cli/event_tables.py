"""The tables that ``rescorla events`` writes: to files, to standard output, or to another reader."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TextIO

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla.cli import printing

STANDARD_OUTPUT = "-"

QUOTE = '"'


def target(path: str) -> str:
    """Where a table goes, as an option says it."""
    return STANDARD_OUTPUT if path == "/dev/stdout" else path


def write_events(events: Events, path: str, *, progress: bool | None) -> None:
    """Write an event table."""
    if not is_stream(path):
        events.to_table(path, progress=progress)
        return
    # Whole or not at all, as a file is.
    with TemporaryDirectory() as folder:
        file = os.path.join(folder, "events.tab")
        events.to_table(file, progress=progress)
        with open(file, encoding="utf-8", newline="\n") as table, _stream(path) as stream:
            copyfileobj(table, stream)


def is_stream(path: str) -> bool:
    """Whether what is written goes to a reader: standard output, a pipe, a device."""
    if path == STANDARD_OUTPUT:
        return True
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


@contextmanager
def _stream(path: str) -> Iterator[TextIO]:
    if path == STANDARD_OUTPUT:
        yield sys.stdout
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        yield printing.shielded(file)


def write_counts(side: str, names: Sequence[str], counts: Sequence[int], path: str) -> None:
    """Write a table of names and their counts, which may serve as a list of names where it has tabs."""
    csv = not is_stream(path) and _core.written_as(path) == "csv"
    if csv:
        rows = [f'"{name.replace(QUOTE, 2 * QUOTE)}",{n}' for name, n in zip(names, counts, strict=True)]
        lines = [f'"{side}","frequency"', *rows]
    else:
        for name in names:
            if "\t" in name or "\n" in name or "\r" in name:
                raise ValueError(
                    f"{path}: the name {name!r} contains a tab or a line break, which tables of counts "
                    "cannot hold"
                )
        rows = [f"{name}\t{count}" for name, count in zip(names, counts, strict=True)]
        lines = [f"{side}\tfrequency", *rows]
    if is_stream(path):
        with _stream(path) as stream:
            stream.writelines(f"{line}\n" for line in lines)
        return
    _core.write_lines(path, lines)
