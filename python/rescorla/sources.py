"""Events from tables, iterables and data frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rescorla import _core
from rescorla.arguments import DUPLICATES, Duplicates, PathName, one_of, path_name
from rescorla.blanks import Blanks
from rescorla.events import Events, open_events
from rescorla.hints import hinting
from rescorla.progress import Progress, watching


@hinting
def read_events(
    source: Any,
    *,
    duplicates: Duplicates = "drop",
    background: str | None = None,
    progress: Progress = None,
) -> Events:
    """Read events into memory.

    Parameters
    ----------
    source : path, iterable or data frame
        The path of an event table (plain, gz, zst or xz; pyndl's tab-separated or R ndl's CSV format) or of a
        binary event file; or an iterable of ``(cues, outcomes)`` or ``(cues, outcomes, frequency)``, or of
        mappings with these keys (in any case); or a
        table with columns ``cues``, ``outcomes`` and perhaps ``frequency`` (in any case): a data frame of
        pandas or polars, or whatever else has ``__arrow_c_stream__``. In iterables and tables a str is split
        at ``"_"``, another iterable gives names verbatim, and a set is taken in sorted order. Of Arrow data
        nobody but pyarrow, which is asked, can tell whether buffers are as long as their types need; of
        others this is taken on trust.
    duplicates : {"drop", "keep", "error"}, default "drop"
        What to do when an event lists a name twice: keep the first, keep both, or raise ValueError. A cue
        that is kept twice counts twice. So does an outcome in counts, in tables and where vectors of outcomes
        are added; to the other rules it is there, however often it is named.
    background : str, optional
        A cue to add to every event, before its others.
    progress : None, bool or callable(done, total), default None
        None shows a bar if standard error is a terminal.

    Returns
    -------
    Events
        In memory.

    Raises
    ------
    FormatError
        When a file is damaged or malformed; the message names the file and the place in it.
    ValueError, TypeError
        When an event of an iterable or table is malformed, whose number the message names; or the source is
        none of the above.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("h_a_n_d", "hand_singular", 10), (["#ha", "and"], {"hand"})])
    >>> [event.cues for event in events]
    [('h', 'a', 'n', 'd'), ('#ha', 'and')]
    """
    return _compile(source, None, duplicates, background, progress)


@hinting
def compile_events(
    source: Any,
    path: PathName,
    *,
    duplicates: Duplicates = "drop",
    background: str | None = None,
    progress: Progress = None,
) -> Events:
    """Write events to a binary event file, which opens at once and is small: event types are stored once.

    The source streams: events need not fit into memory. The file appears whole or not at all.

    Parameters
    ----------
    source : path, iterable or data frame
        As for `read_events`.
    path : str or path-like
        The file to write; an older one is replaced.
    duplicates : {"drop", "keep", "error"}, default "drop"
        What to do when an event lists a name twice: keep the first, keep both, or raise ValueError. A cue
        that is kept twice counts twice. So does an outcome in counts, in tables and where vectors of outcomes
        are added; to the other rules it is there, however often it is named.
    background : str, optional
        A cue to add to every event, before its others.
    progress : None, bool or callable(done, total), default None
        None shows a bar if standard error is a terminal.

    Returns
    -------
    Events
        The new file, opened.

    Raises
    ------
    FormatError
        When a file is damaged or malformed; the message names the file and the place in it.
    ValueError, TypeError
        When an event of an iterable or table is malformed, whose number the message names; or the source is
        none of the above.
    OSError
        When a file cannot be read or written.

    Examples
    --------
    >>> import rescorla as rw, os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "events.rw")
    >>> len(rw.compile_events(((f"c{i}", "x") for i in range(1000)), path))
    1000
    >>> rw.open_events(path).n_cues
    1000
    >>> folder.cleanup()
    """
    return _compile(source, path_name(path), duplicates, background, progress)


def as_events(events: object, *, progress: Progress = None) -> Events:
    """Events as they are; or those of an event file or table, told apart by content."""
    if isinstance(events, Events):
        return events
    if isinstance(events, str | os.PathLike):
        path = path_name(events)
        return (
            open_events(path)
            if _core.content_kind(path) == "events"
            else read_events(path, progress=progress)
        )
    kind = type(events).__name__
    raise TypeError(
        f"events must be Events or a path, not {kind}; rescorla.read_events makes Events of other sources"
    )


def files_of_events(source: object) -> list[str]:
    """The file that events lie in, or are read from; none where they are in memory."""
    if isinstance(source, Events):
        return [] if source.path is None else [source.path]
    return [path_name(source)] if isinstance(source, str | os.PathLike) else []


def is_table(source: object) -> bool:
    """Whether something is a data frame: pandas, polars, arrow or their like."""
    return hasattr(source, "columns") or hasattr(source, "column_names")


def _compile(
    source: Any, path: str | None, duplicates: Duplicates, background: str | None, progress: Progress
) -> Events:
    one_of("duplicates", duplicates, DUPLICATES)
    if path is not None:
        _core.check_apart(path, files_of_events(source))
    compile_source: Callable[..., _core.EventFile] = _core.compile_events
    if isinstance(source, str | os.PathLike):
        source = path_name(source)
        kind = _core.content_kind(source)
        if kind == "text":
            raise ValueError(
                f"{source}: expected an event table, whose first line names the columns cues and outcomes, "
                "found running text; rescorla.corpus_events makes events of running text"
            )
        if kind == "events":
            source = open_events(source)
        else:
            compile_source = _core.compile_table
    elif streams(source):
        source, compile_source = _arrow_columns(source), _core.compile_arrow
    else:
        source = _rows(source)
    blanks = Blanks(source, background)
    with watching(progress, "reading") as watch:
        events = Events(compile_source(blanks.source, path, duplicates, background, watch))
    return blanks.warn(events)


def streams(source: Any) -> bool:
    """Whether something gives its rows as Arrow data (PyCapsule interface), with the names that it has.

    A data frame of pandas or polars may hold Python objects. Of these only str says the same as Arrow data;
    a set would come in any order. A series of either is an iterable.
    """
    if not hasattr(source, "__arrow_c_stream__") or hasattr(source, "dtype"):
        return False
    if not _is_frame(source):
        return True
    columns = [source[name] for name in _wanted(source)]
    if not all(map(_holds_no_objects, columns)):
        return False
    try:
        source[[]].__arrow_c_stream__()
    except ImportError:  # pandas asks pyarrow.
        return False
    return len(source) > 0  # The columns of an empty frame have any type.


def _is_frame(source: Any) -> bool:
    return hasattr(source, "dtypes") and hasattr(source, "to_dict")


def _holds_no_objects(column: Any) -> bool:
    if str(column.dtype).lower() != "object":
        return True
    if not hasattr(column, "iloc"):
        return False
    from pandas.api.types import infer_dtype

    return infer_dtype(column, skipna=False) == "string"


def _arrow_columns(source: Any) -> Any:
    """Of a data frame the columns of events alone: it would convert the others as well."""
    return source[_wanted(source)] if _is_frame(source) else source


def _rows(source: Any) -> Iterable[Any]:
    """The rows of a data frame or of another iterable, as the engine takes them."""
    if is_table(source):
        return _table_rows(source)
    if isinstance(source, Iterable) and not isinstance(source, bytes | bytearray | Mapping):
        return source
    kind = type(source).__name__
    raise TypeError(
        f"events come from a path, an iterable of (cues, outcomes[, frequency]) or a data frame, not {kind}"
    )


def _table_rows(table: Any) -> Iterator[tuple[Any, ...]]:
    return zip(*(plain(table[name]) for name in _wanted(table)), strict=True)


def _wanted(table: Any) -> list[Any]:
    """The names of the columns of cues, outcomes and perhaps frequency."""
    # Arrow tables have `columns` too, but there they are the data.
    names = list(table.column_names if hasattr(table, "column_names") else table.columns)
    # Columns named exactly so go before those in another case.
    by_name = {str(name).lower(): name for name in sorted(names, key=lambda name: str(name).islower())}
    for name in ("cues", "outcomes"):
        if name not in by_name:
            raise ValueError(
                f"expected columns cues, outcomes and perhaps frequency, found {names}; add {name}"
            )
    return [by_name[name] for name in ("cues", "outcomes", "frequency") if name in by_name]


def plain(column: Any) -> Iterable[Any]:
    """A column's entries as Python objects: pandas, polars and arrow each have their own word for it."""
    for convert in ("to_list", "to_pylist"):
        if hasattr(column, convert):
            plain: Iterable[Any] = getattr(column, convert)()
            return plain
    return column  # type: ignore[no-any-return]
