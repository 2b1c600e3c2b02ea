"""Arguments that several functions of pyndl have, checked as pyndl checks them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from rescorla._shared.checks import Duplicates, thread_count, whole
from rescorla._shared.warn import warn
from rescorla.compat.pyndl._by_position import rows_by_position

Path: TypeAlias = str | os.PathLike[str]
Rows: TypeAlias = Iterable[tuple[Any, Any]]

_DUPLICATES: dict[bool | None, Duplicates] = {None: "error", True: "drop", False: "keep"}


def duplicates_of(remove_duplicates: bool | None) -> Duplicates:
    """What becomes of a name that an event has twice."""
    if remove_duplicates is None or isinstance(remove_duplicates, bool):
        return _DUPLICATES[remove_duplicates]
    raise ValueError(f"remove_duplicates must be None, True or False, not {remove_duplicates!r}")


def renamed(old: str, new: str, old_value: Any, value: Any) -> Any:
    """The value of an argument that once had another name."""
    if old_value is None:
        return value
    warn(f"{old}= is called {new}= since pyndl 0.9; write {new}={old_value!r}", DeprecationWarning)
    return old_value


def threads_of(n_jobs: int) -> int:
    """As many threads as are asked for, and not more than there is room for."""
    return min(n_jobs, thread_count(None))


def check_temporary(directory: Path | None, events_per_file: int) -> None:
    """Raise what pyndl would: these say where it writes its own files, which there are none of here."""
    if whole("events_per_temporary_file", events_per_file) < 2:
        raise ValueError("events_per_temporary_file has to be larger than 1")
    if directory is not None and not os.path.isdir(directory):
        raise FileNotFoundError(errno.ENOENT, "no such folder for temporary files", os.fspath(directory))


def unique(rows: Rows, remove_duplicates: bool | None) -> Iterator[tuple[list[Any], list[Any]]]:
    """Rows whose cues and outcomes are as told: each once, or as often as they are named."""
    for number, (cues, outcomes) in enumerate(rows):
        names = _listed(cues), _listed(outcomes)
        once = [list(dict.fromkeys(side)) for side in names]
        if remove_duplicates is None and [len(side) for side in once] != [len(side) for side in names]:
            raise ValueError(
                f"event {number}: cues or outcomes needs to be unique: cues {names[0]}; outcomes {names[1]}; "
                "use remove_duplicates=True"
            )
        yield (once[0], once[1]) if remove_duplicates else names


def rows_of(events: Path | Rows) -> Rows:
    """The rows of a table, or rows as they are."""
    return rows_by_position(events) if isinstance(events, str | os.PathLike) else events


def event_path(events: object) -> str:
    """The path of a table, as attributes have it; none of rows."""
    return os.fsdecode(events) if isinstance(events, str | os.PathLike) else ""


def _listed(names: Any) -> list[Any]:
    """The names of one side of a row; a str has them joined, as in a table."""
    return names.split("_") if isinstance(names, str) else list(names)
