"""Data frames: which columns there are, which are wanted, and what they hold; and events as data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rescorla._core import EventFile
from rescorla._shared.checks import is_iterable, is_missing, near, shown, whole
from rescorla._shared.optional import need

if TYPE_CHECKING:
    import pandas
    import polars

Layout: TypeAlias = Mapping[str, str | int]
"""Which columns are cues, outcomes and frequency: by name, or by position, from 0."""

Chosen: TypeAlias = tuple[str | int | None, str | int | None, str | int | None]
"""The columns of cues, outcomes and frequency as a layout says it; None: that of this name."""

Columns: TypeAlias = Mapping[Any, Sequence[Any]]
"""The entries of each column, by its name."""

ROLES = ("cues", "outcomes", "frequency")

# Events decoded at a time.
_BLOCK = 65_536
# Entries that show what a column has.
_SHOWN = 100


def is_table(source: object) -> bool:
    """Whether something is a data frame: pandas, polars, arrow or their like."""
    return hasattr(source, "columns") or hasattr(source, "column_names")


def names_of(table: Any) -> list[Any]:
    """The names of all columns."""
    # Arrow tables have `columns` too, but there they are the data.
    return list(table.column_names if hasattr(table, "column_names") else table.columns)


def columns_of(frame: Any) -> Columns:
    """The columns of a data frame or mapping, as sequences of Python objects."""
    if not isinstance(frame, Mapping) and not is_table(frame):
        raise TypeError(
            f"frame must be a data frame or a mapping from columns to entries, not {type(frame).__name__}"
        )
    names = frame if isinstance(frame, Mapping) else names_of(frame)
    columns: dict[Any, Sequence[Any]] = {}
    for name in names:
        if not is_iterable(frame[name]):
            found = shown(frame[name])
            raise TypeError(f"frame must have entries in each column, and {shown(name)} is {found}")
        columns[name] = _entries(frame[name])
    lengths = {name: len(entries) for name, entries in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"frame must have columns of one length, not {lengths}")
    return columns


def column_of(argument: str, columns: Columns, name: Any) -> Sequence[Any]:
    """The entries of a column that an argument names; KeyError that says which columns there are."""
    try:
        return columns[name]
    except TypeError:
        raise TypeError(f"{argument} must name a column, not {shown(name)}") from None
    except KeyError:
        close = near(name, map(str, columns))
        raise KeyError(
            f"{argument} names the column {shown(name)}, which is none of {list(columns)}{close}"
        ) from None


def chosen_columns(columns: Layout | None, header: bool) -> Chosen:
    """Which columns are cues, outcomes and frequency, None where their own names say it."""
    if columns is None:
        columns = {}
    if not isinstance(columns, Mapping):
        raise TypeError(
            f'columns must be a mapping such as {{"cues": "trigrams", "outcomes": 1}}, not {shown(columns)}'
        )
    for role, column in columns.items():
        if role not in ROLES:
            raise ValueError(
                f"columns tells of cues, outcomes and frequency, not of {shown(role)}{near(role, ROLES)}; "
                'write the name of a table\'s column behind these, as in {"cues": "trigrams"}'
            )
        if not isinstance(column, str):
            whole(f"columns[{role!r}]", column, other="the name of a column")
    if not header and any(isinstance(columns.get(role), str | None) for role in ROLES[:2]):
        raise ValueError(
            "columns must be positions where there is no header, which would name them, as in "
            '{"cues": 0, "outcomes": 1}'
        )
    if not header and isinstance(columns.get("frequency"), str):
        raise ValueError(
            f"columns asks for {columns['frequency']!r}, and without a header no column is named: give its "
            "position"
        )
    cues, outcomes, frequency = (columns.get(role) for role in ROLES)
    return cues, outcomes, frequency


def event_columns(table: Any, columns: Layout | None = None) -> list[Any]:
    """The names of the columns of cues, outcomes and perhaps frequency."""
    names = names_of(table)
    # Columns named exactly so go before those in another case.
    by_name = {str(name).lower(): name for name in sorted(names, key=lambda name: str(name).islower())}
    wanted = []
    for role in ROLES:
        if columns is not None and role in columns:
            wanted.append(_named(names, columns[role]))
        elif role in by_name:
            wanted.append(by_name[role] if columns is None else _named(names, by_name[role]))
        elif role != "frequency":
            raise ValueError(
                f"expected columns cues, outcomes and perhaps frequency, found {names}; add {role}, or let "
                f'columns say which it is, as in {{"{role}": {names[0] if names else ""!r}}}'
            )
    return wanted


def _named(names: list[Any], column: Any) -> Any:
    """The name of a column that the caller gave by name or position."""
    if isinstance(column, int):
        if not 0 <= column < len(names):
            raise ValueError(
                f"columns asks for column {column}, and there are {len(names)}, from 0 on: {names}"
            )
        column = names[column]
    if (found := names.count(column)) != 1:
        what = "none is named so" if found == 0 else f"{found} are named so"
        raise ValueError(f"columns asks for {column!r}, and of {names} {what}{near(column, map(str, names))}")
    return column


def only_counts(table: Any) -> str | None:
    """The only column besides cues and outcomes, if it has whole numbers, and not those of rows."""
    names = names_of(table)
    others = [name for name in names if str(name).lower() not in ROLES]
    if len(names) != 3 or len(others) != 1 or not str(others[0]):
        return None
    entries = list(entries_of(table[others[0]][:_SHOWN]))
    if not entries or not all(is_real(entry) and entry >= 0 and entry == int(entry) for entry in entries):
        return None
    counts_rows = len(entries) > 1 and all(b - a == 1 for a, b in pairwise(entries))
    return None if counts_rows else str(others[0])


def without_runs(table: Any) -> Any:
    """A table of pyarrow whose columns of runs are decoded; anything else as it is."""
    for at, field in enumerate(table.schema if hasattr(table, "set_column") else ()):
        if str(field.type).startswith("run_end_encoded"):
            import pyarrow.compute

            table = table.set_column(at, field.name, pyarrow.compute.run_end_decode(table[at]))
    return table


def gives_arrow(source: Any, columns: Layout | None = None) -> bool:
    """Whether something gives its rows as Arrow data (PyCapsule interface), with the names that it has.

    A data frame of pandas or polars may hold Python objects. Of these only str says the same as Arrow data;
    a set would come in any order. A series of either is an iterable.
    """
    if not hasattr(source, "__arrow_c_stream__") or hasattr(source, "dtype"):
        return False
    if not is_frame(source):
        return True
    if not all(_holds_no_objects(source[name]) for name in event_columns(source, columns)):
        return False
    try:
        source[[]].__arrow_c_stream__()
    except ImportError:  # pandas asks pyarrow.
        return False
    return len(source) > 0  # The columns of an empty frame have any type.


def is_frame(source: Any) -> bool:
    """Whether a data frame is one of pandas or polars, which gives some of its columns by a list of names."""
    return hasattr(source, "dtypes") and hasattr(source, "to_dict")


def _holds_no_objects(column: Any) -> bool:
    """Whether the entries are of a type that Arrow has; str in a column of objects are."""
    kind = str(column.dtype)
    if kind in ("Null", "List(Null)"):
        return False  # Of these polars gives a buffer, where Arrow has none.
    if kind.lower() != "object":
        return True
    if not hasattr(column, "iloc"):
        return False
    from pandas.api.types import infer_dtype

    return infer_dtype(column, skipna=False) == "string"


def is_numeric(values: Sequence[Any]) -> bool:
    """Whether a column has numbers, and nothing else but missing entries."""
    present = [value for value in values if not is_missing(value)]
    return bool(present) and all(map(is_real, present))


def is_real(value: object) -> bool:
    """Whether an entry is a number; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _entries(column: Any) -> Sequence[Any]:
    entries = list(entries_of(column))
    # The levels of a categorical column are names, be they numbers.
    if str(getattr(column, "dtype", "")) == "category":
        return [None if is_missing(entry) else str(entry) for entry in entries]
    return entries


def entries_of(column: Any) -> Iterable[Any]:
    """A column's entries as Python objects: pandas, polars and arrow each have their own word for it."""
    for convert in ("to_list", "to_pylist"):
        if hasattr(column, convert):
            plain: Iterable[Any] = getattr(column, convert)()
            return plain
    return column  # type: ignore[no-any-return]


def to_pandas(file: EventFile) -> pandas.DataFrame:
    """A row for each event: two lists of names, and a number."""
    pd = need("pandas")
    # Left to itself, pandas gives the columns of no events another type.
    frame: pandas.DataFrame = pd.DataFrame(
        {role: pd.Series(column, dtype=dtype) for role, column, dtype in _event_columns(file)}
    )
    return frame


def to_polars(file: EventFile) -> polars.DataFrame:
    """A row for each event: two lists of strings, and a number."""
    pl = need("polars")
    types: dict[type[object], Any] = {object: pl.List(pl.String), np.int64: pl.Int64}
    frame: polars.DataFrame = pl.DataFrame(
        [pl.Series(role, column, dtype=types[dtype]) for role, column, dtype in _event_columns(file)]
    )
    return frame


def _event_columns(file: EventFile) -> list[tuple[str, Any, type[object]]]:
    """The columns: name, entries and type."""
    cues: list[list[str]] = []
    outcomes: list[list[str]] = []
    for start in range(0, file.n_events, _BLOCK):
        for event in file.events(start, min(start + _BLOCK, file.n_events)):
            cues.append(list(event[0]))
            outcomes.append(list(event[1]))
    return list(zip(ROLES, (cues, outcomes, file.frequencies()), (object, object, np.int64), strict=True))
