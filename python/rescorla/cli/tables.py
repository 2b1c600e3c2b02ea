"""The tables that ``rescorla events`` writes: to files, or to standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from rescorla import storage
from rescorla.events import Events

STANDARD_OUTPUT = "-"


def write_events(events: Events, path: str, *, progress: bool | None) -> None:
    """Write an event table."""
    if path != STANDARD_OUTPUT:
        events.to_table(path, progress=progress)
        return
    # Whole or not at all, as a file is.
    with TemporaryDirectory() as folder:
        file = os.path.join(folder, "events.tab")
        events.to_table(file, progress=progress)
        with open(file, encoding="utf-8", newline="\n") as table:
            copyfileobj(table, sys.stdout)


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
    if path == STANDARD_OUTPUT:
        sys.stdout.writelines(lines)
        return
    with storage.replacing(path) as (file,), open(file, "w", encoding="utf-8", newline="\n") as table:
        table.writelines(lines)
