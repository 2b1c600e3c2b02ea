"""Events from files, lists and data frames, and back: pyndl's ``io``."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from rescorla._shared.warn import warn
from rescorla.compat.pyndl._arguments import Path
from rescorla.compat.pyndl._by_position import rows_by_position
from rescorla.compat.pyndl._text_file import writing_text

if TYPE_CHECKING:
    import pandas

__all__ = ["events_from_dataframe", "events_from_file", "events_from_list", "events_to_file"]

Row = tuple[list[str], list[str]]

_LEGACY = ("Cues", "Outcomes", "Frequency")


def events_from_file(
    event_path: Path, compression: Literal["gzip"] | None = "gzip", start: int = 0, step: int = 1
) -> Generator[Row, None, None]:
    """Give the events of a table, one token after another, as it is read.

    Parameters
    ----------
    event_path : str or path-like
        A table with a header, and a row for each event: cues, outcomes and perhaps a frequency, with a tab
        between. Names are joined by ``_``; an empty cell is one empty name. Columns are found by position,
        unless the header has ``cues`` and ``outcomes`` in another order.
    compression : {"gzip", None}, default "gzip"
        How the table is compressed.
    start : int, default 0
        The first row.
    step : int, default 1
        Every how many rows.

    Yields
    ------
    cues, outcomes : list of str, list of str
        As many times as the frequency of the row says.

    Raises
    ------
    ValueError
        When a row is malformed; the message names it.
    OSError
        When the file cannot be read, or is not compressed so.

    Examples
    --------
    >>> import os, tempfile
    >>> from rescorla.compat.pyndl import io
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "events.tab.gz")
    >>> io.events_to_file([("a_b", "x"), ("b", "y")], path)
    >>> list(io.events_from_file(path, start=1))
    [(['b'], ['y'])]
    >>> folder.cleanup()
    """
    return rows_by_position(event_path, compression=compression, start=start, step=step)


def events_to_file(
    events: pandas.DataFrame | Iterable[tuple[Any, Any]],
    file_path: Path,
    delimiter: str = "\t",
    compression: Literal["gzip"] | None = "gzip",
    columns: Sequence[str] = ("cues", "outcomes"),
    compatible: bool = False,
) -> None:
    """Write events to a table, whole or not at all.

    Parameters
    ----------
    events : data frame or iterable
        A pandas DataFrame with the columns ``cues`` and ``outcomes``, or rows of cues and outcomes, each a
        str, whose names are joined by ``_``, or a list of names.
    file_path : str or path-like
        Where; an older file is replaced.
    delimiter : str, default a tab
        What separates cells.
    compression : {"gzip", None}, default "gzip"
        How to compress the table.
    columns : sequence of str, default ("cues", "outcomes")
        The first line.
    compatible : bool, default False
        Whether to add a column of frequencies, all 1, as R's ndl2 wants it; columns are then called
        ``Cues``, ``Outcomes`` and ``Frequency``.

    Raises
    ------
    ValueError
        When a row has something else than a str or list, or a name contains the delimiter or a line break.

    Warns
    -----
    RescorlaWarning
        When names in a list contain ``_``, which makes several of them; when `compatible` changes the names
        of the columns.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rescorla.compat.pyndl import io
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "events.tab")
    >>> io.events_to_file([(["a", "b"], "x")], path, compression=None)
    >>> path.read_text()
    'cues\\toutcomes\\na_b\\tx\\n'
    >>> folder.cleanup()
    """
    if compression not in ("gzip", None):
        raise ValueError(f"compression needs to be 'gzip' or None, not {compression!r}")
    if hasattr(events, "iterrows"):
        rows: Iterator[tuple[Any, Any]] = events_from_dataframe(cast(Any, events))
    elif isinstance(events, Iterable):
        rows = events_from_list(events)
    else:
        raise ValueError(f"events should be a data frame or an iterable of rows, not {type(events).__name__}")
    if compatible and tuple(columns) != _LEGACY:
        warn(
            f"events_to_file sets the columns to the legacy names {_LEGACY} for ndl2 compatibility; set "
            "columns= to them to remove this warning"
        )
        columns = _LEGACY
    end = f"{delimiter}1\n" if compatible else "\n"
    with writing_text(os.fsdecode(file_path), compression) as out:
        out.write((delimiter.join(columns) + "\n").encode("utf-8"))
        split = False
        for number, row in enumerate(rows):
            if any(isinstance(side, tuple) or not isinstance(side, Iterable) for side in row):
                raise ValueError(
                    f"event {number}: cues and outcomes should either be a list or a string, not {row!r}"
                )
            cells = ["_".join(side) for side in row]
            if any(end in cell for cell in cells for end in (delimiter, "\n", "\r")):
                raise ValueError(
                    f"event {number}: a name must not contain the delimiter {delimiter!r} or a line break: "
                    f"{cells}"
                )
            if not split and any("_" in name for side in row for name in side):
                split = True
                warn(
                    f"event {number}: names of a list contain '_', which joins names in a table, and will be "
                    f"read as several: {row}"
                )
            out.write(f"{cells[0]}{delimiter}{cells[1]}{end}".encode())


def events_from_dataframe(
    df: pandas.DataFrame, columns: Sequence[str] = ("cues", "outcomes")
) -> Generator[Row, None, None]:
    """Give the events of a data frame, one row after another.

    Parameters
    ----------
    df : pandas.DataFrame
        Cues and outcomes as str, whose names are joined by ``_``.
    columns : pair of str, default ("cues", "outcomes")
        What the columns are called.

    Yields
    ------
    cues, outcomes : list of str, list of str

    Examples
    --------
    >>> import pandas as pd
    >>> from rescorla.compat.pyndl import io
    >>> list(
    ...     io.events_from_dataframe(
    ...         pd.DataFrame({"cues": ["a_b"], "outcomes": ["x"]})
    ...     )
    ... )
    [(['a', 'b'], ['x'])]
    """
    cues, outcomes = columns
    for number, row in enumerate(zip(df[cues], df[outcomes], strict=True)):
        if not all(isinstance(side, str) for side in row):
            raise AttributeError(
                f"row {number}: cues and outcomes must be str, in which names are joined by '_', not {row}"
            )
        yield row[0].split("_"), row[1].split("_")


def events_from_list(lst: Iterable[tuple[Any, Any]]) -> Generator[tuple[Any, Any], None, None]:
    """Give the events of a list, or another iterable, one row after another.

    Parameters
    ----------
    lst : iterable of pairs
        Cues and outcomes, each a str, whose names are joined by ``_``, or a list of names, which is given as
        it is.

    Yields
    ------
    cues, outcomes : list of str, list of str

    Examples
    --------
    >>> from rescorla.compat.pyndl import io
    >>> list(io.events_from_list([("a_b", ["x"])]))
    [(['a', 'b'], ['x'])]
    """
    for cues, outcomes in lst:
        yield (
            cues.split("_") if isinstance(cues, str) else cues,
            outcomes.split("_") if isinstance(outcomes, str) else outcomes,
        )
