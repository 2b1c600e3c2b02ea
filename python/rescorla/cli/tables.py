"""The tables that ``rescorla events`` writes: to files, to standard output, or to another reader."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TextIO

from rescorla.events import Events
from rescorla.files import naming, replacing

STANDARD_OUTPUT = "-"


def target(path: str) -> str:
    """Where a table goes, as an option says it."""
    return STANDARD_OUTPUT if path == "/dev/stdout" else path


def write_events(events: Events, path: str, *, progress: bool | None) -> None:
    """Write an event table."""
    if not _is_stream(path):
        events.to_table(path, progress=progress)
        return
    # Whole or not at all, as a file is.
    with TemporaryDirectory() as folder:
        file = os.path.join(folder, "events.tab")
        events.to_table(file, progress=progress)
        with open(file, encoding="utf-8", newline="\n") as table, _stream(path) as stream:
            copyfileobj(table, stream)


def _is_stream(path: str) -> bool:
    """Whether what is written goes to a reader: standard output, a pipe, a device."""
    if path == STANDARD_OUTPUT:
        return True
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _stream(path: str) -> AbstractContextManager[TextIO]:
    if path == STANDARD_OUTPUT:
        return nullcontext(sys.stdout)
    return open(path, "w", encoding="utf-8", newline="\n")


def write_counts(side: str, names: Sequence[str], counts: Sequence[int], path: str) -> None:
    """Write a table of names and their counts, which may serve as a list of names."""
    for name in names:
        if "\t" in name or "\n" in name or "\r" in name:
            raise ValueError(
                f"{path}: the name {name!r} contains a tab or a line break, which tables of counts "
                "cannot hold"
            )
    lines = [f"{name}\t{count}\n" for name, count in zip(names, counts, strict=True)]
    lines.insert(0, f"{side}\tfrequency\n")
    if _is_stream(path):
        with _stream(path) as stream:
            stream.writelines(lines)
        return
    with replacing(path) as file, naming(path), open(file, "w", encoding="utf-8", newline="\n") as table:
        table.writelines(lines)
