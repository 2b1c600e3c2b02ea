"""Events from tables, iterables and data frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import rescorla._core as _core
from rescorla._events.blanks import Blanks
from rescorla._events.events import Events, open_events
from rescorla._events.frames import (
    Chosen,
    Layout,
    chosen_columns,
    entries_of,
    event_columns,
    gives_arrow,
    is_frame,
    is_table,
    names_of,
    only_counts,
    without_runs,
)
from rescorla._events.kinds import PYTHON, Cures, look, not_a_table, warn_of_counts
from rescorla._events.made import made_by
from rescorla._events.phases import phases_in, stored_phases
from rescorla._shared.checks import (
    DUPLICATES,
    Duplicates,
    PathName,
    flag,
    is_iterable,
    maybe_path_name,
    one_of,
    ordered,
    path_name,
    string,
    whole,
)
from rescorla._shared.progress import BYTES, Progress, watching


def read_events(
    source: Any,
    path: PathName | None = None,
    *,
    duplicates: Duplicates = "drop",
    columns: Layout | None = None,
    header: bool = True,
    limit: int | None = None,
    background: str | None = None,
    progress: Progress = None,
) -> Events:
    """Read events into memory, or into a binary event file: then they need not fit into memory.

    Parameters
    ----------
    source : path, iterable or data frame
        The path of an event table (plain, gz, zst or xz; pyndl's tab-separated or R ndl's CSV format, with
        commas or semicolons) or of a binary event file; or an iterable of ``(cues, outcomes)`` or ``(cues,
        outcomes, frequency)``, or of mappings with these keys (in any case); or a table with columns
        ``cues``, ``outcomes`` and perhaps ``frequency`` (in any case): a data frame of pandas or polars, or
        whatever else has ``__arrow_c_stream__``. In iterables and tables a str is split at ``"_"``, another
        iterable gives names verbatim, and a set is taken in sorted order. Whether the buffers of Arrow data
        are long enough is checked by pyarrow for readers of pyarrow and arro3; data of other libraries is
        trusted.
    path : str or path-like, optional
        A binary event file to write, which opens at once and is small: event types are stored once. It
        appears whole or not at all, and an older one is replaced. None keeps the events in memory.
    duplicates : {"drop", "keep", "error"}, default "drop"
        What to do when an event lists a name twice: keep the first, keep both, or raise ValueError. A cue
        that is kept twice counts twice. So does an outcome in counts, in tables, in what `activations` lists
        with ``present_only``, and where vectors of outcomes are added; everywhere else it is present or
        absent, however often it is named.
    columns : mapping, optional
        The columns of a table, where they have other names: ``{"cues": "trigrams", "outcomes": 1}``, by name
        or by position, from 0; ``"frequency"`` likewise. Columns that the mapping leaves out are found by
        their own names. Cells may be separated by tabs, commas, semicolons or blanks.
    header : bool, default True
        Whether the first line of a table file names its columns. False needs positions for cues and outcomes.
    limit : int, optional
        Read this many events (rows) and stop. The rest of the source is not read, so the result lacks names
        that come later.
    background : str, optional
        A cue to add to every event, before its others.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Events
        In memory, or the new file, opened.

    Raises
    ------
    FormatError
        When a file is damaged or malformed; the message names the file and the place in it.
    ValueError, TypeError
        When an event of an iterable or table is malformed (the message has its number), or the source is none
        of the above.
    OSError
        When a file cannot be read or written.

    Warns
    -----
    RescorlaWarning
        When a table has a column ``freq`` or ``count`` and none that is named ``frequency``, or one of whole
        numbers that is not read; when names that stand alone have blanks or other marks between them where
        others are joined by ``_``; when names differ by blanks at their ends.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("h_a_n_d", "hand_singular", 10), (["#ha", "and"], {"hand"})]
    ... )
    >>> [event.cues for event in events]
    [('h', 'a', 'n', 'd'), ('#ha', 'and')]

    A table whose columns have other names:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> table = Path(folder.name, "words.csv")
    >>> _ = table.write_text("trigrams;word;n\\n#ha_han;hand;3\\n#ar_arm;arm;2\\n")
    >>> columns = {"cues": "trigrams", "outcomes": "word", "frequency": 2}
    >>> rw.read_events(table, columns=columns).n_tokens
    5

    From a generator into a binary event file, one event after another:

    >>> path = Path(folder.name, "events.rw")
    >>> len(rw.read_events(((f"c{i}", "x") for i in range(1000)), path))
    1000
    >>> rw.open_events(path).n_cues
    1000
    >>> folder.cleanup()
    """
    one_of("duplicates", duplicates, DUPLICATES)
    return events_of(
        source,
        maybe_path_name(path),
        duplicates=duplicates,
        columns=columns,
        header=header,
        limit=limit,
        background=background,
        progress=progress,
    )


def files_of_events(source: object) -> list[str]:
    """The file that events lie in, or are read from; none where they are in memory."""
    if isinstance(source, Events):
        return [] if source.path is None else [source.path]
    return [path_name(source)] if isinstance(source, str | os.PathLike) else []


def events_of(
    source: Any,
    path: str | None = None,
    *,
    duplicates: Duplicates | None = None,
    columns: Layout | None = None,
    header: bool = True,
    limit: int | None = None,
    background: str | None = None,
    progress: Progress = None,
    words: Cures = PYTHON,
    parameters: str | None = None,
    origin: object = None,
) -> Events:
    """Events of what a caller gives, in the file `path` if there is one; `words` say what helps.

    Without `duplicates` the source is Events, a path or the text of a table that is being read, of which the
    next rows are taken; and event files keep what they have. Where nothing at all is asked for, Events and
    event files are taken as they are. All else is compiled. `parameters` say what made the events, where this
    is no step that a user takes; `origin` is what the user gave, where that is not the source any more.
    """
    argument = "events" if duplicates is None else "source"
    if duplicates is not None:
        one_of("duplicates", duplicates, DUPLICATES)
    elif not isinstance(source, Events | str | os.PathLike | _core.TextStream):
        raise TypeError(
            f"events must be Events or a path, not {type(source).__name__}; rescorla.read_events makes "
            "Events of other sources"
        )
    chosen = chosen_columns(columns, flag("header", header))
    if background is not None:
        background = string("background", background)
    if limit is not None:
        limit = whole("limit", limit)
    if path is not None:
        _core.check_apart(path, files_of_events(source))
    compiler: Callable[..., _core.EventFile]
    given = source
    if isinstance(source, _core.TextStream):
        compiler = _with_columns(_rows_of_stream, chosen, header=header)
    elif isinstance(source, str | os.PathLike):
        source, compiler = _in_file(path_name(source, argument), columns, header, chosen, words)
    elif not header:
        raise ValueError("header is for files, whose first line may be an event; leave it out")
    else:
        source, compiler = _in_rows(source, columns, chosen, limit, words)
    if isinstance(source, Events) and duplicates is None and background is None:
        if limit is not None:
            return source.head(limit, path=path, progress=progress)
        if path is None:
            return source
    blanks = Blanks(source, background, limit)
    if parameters is None:
        parameters = made_by(
            "read_events",
            None if isinstance(given, Events) else given if origin is None else origin,
            source.parameters if isinstance(source, Events) else None,
            duplicates=duplicates,
            columns=columns,
            header=header,
            limit=limit,
            background=background,
            phases=stored_phases(phases_in(source._file, range(len(source))[:limit]))
            if isinstance(source, Events)
            else None,
        )
    with watching(progress, "reading", BYTES if isinstance(source, str) else "events") as watch:
        made = compiler(
            blanks.source,
            path,
            duplicates or "drop",
            background,
            watch,
            limit=limit,
            parameters=parameters,
        )
    return blanks.warn(Events(made))


def _rows_of_stream(
    text: _core.TextStream,
    path: str | None,
    duplicates: Duplicates,
    background: str | None,
    _: object,
    **how: Any,
) -> _core.EventFile:
    """The events of the rows that come next."""
    return text.compile_table(path, duplicates, background, **how)


def _in_file(
    file: str, columns: Layout | None, header: bool, chosen: Chosen, words: Cures
) -> tuple[Any, Callable[..., _core.EventFile]]:
    """What the engine reads of a file, and by which function."""
    seen, named = look(file), columns is not None or not header
    if seen.kind == "events":
        if named:
            raise ValueError(
                f"{file}: columns and header are for tables, and this is a binary event file; leave them out"
            )
        return open_events(file), _core.compile_events
    if not seen.reads_as_table(named):
        raise ValueError(not_a_table(file, seen, words))
    if header and chosen[2] is None:
        warn_of_counts(file, seen.columns, words, seen.counts)
    return file, _with_columns(_core.compile_table, chosen, header=header)


def _in_rows(
    source: Any, columns: Layout | None, chosen: Chosen, limit: int | None, words: Cures
) -> tuple[Any, Callable[..., _core.EventFile]]:
    """What the engine reads of a data frame or of another iterable, and by which function."""
    if is_table(source) and chosen[2] is None:
        warn_of_counts(f"the {type(source).__name__}", names_of(source), words, only_counts(source))
    if gives_arrow(source, columns):
        if is_frame(source):
            # Of a data frame the columns of events alone: it would convert the others as well.
            source = source[labels := event_columns(source, columns)]
            chosen = (0, 1, 2 if len(labels) > 2 else None)
        source = without_runs(source)
        return source, _core.compile_arrow if columns is None else _with_columns(_core.compile_arrow, chosen)
    if columns is not None and not is_table(source):
        raise ValueError("columns is for tables; an iterable gives (cues, outcomes) or with a frequency")
    return _rows(source, columns, limit), _core.compile_events


def _with_columns(
    compiler: Callable[..., _core.EventFile], columns: Chosen, **more: bool
) -> Callable[..., _core.EventFile]:
    return lambda *arguments, **how: compiler(*arguments, columns=columns, **how, **more)


def _rows(source: Any, columns: Layout | None, limit: int | None) -> Iterable[Any]:
    """The rows of a data frame or of another iterable, as the engine takes them."""
    if is_table(source):
        if limit is not None and hasattr(source, "head"):
            source = source.head(limit)
        return zip(*(entries_of(source[name]) for name in event_columns(source, columns)), strict=True)
    check_rows("source", source)
    rows: Iterable[Any] = source
    return rows


def check_rows(argument: str, source: object) -> None:
    """TypeError unless an argument may give one event after another."""
    ordered(argument, source)
    if not is_iterable(source) or isinstance(source, bytes | bytearray | Mapping):
        raise TypeError(
            f"{argument} must be a path, an iterable of (cues, outcomes[, frequency]) or a data frame, not "
            f"{type(source).__name__}"
        )
