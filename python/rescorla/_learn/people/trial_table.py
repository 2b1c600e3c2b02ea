"""The table of trials, read, and its trials as events."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.frames import column_of, columns_of, is_frame, is_table
from rescorla._events.names import cells_of_lines
from rescorla._events.read import read_events
from rescorla._shared.checks import is_missing, path_name
from rescorla._shared.optional import need

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TrialTable(NamedTuple):
    """The trials, person after person."""

    events: Events
    persons: tuple[Any, ...]
    starts: NDArray[np.int64]
    """Where the trials of each person begin in the events."""
    order: NDArray[np.int64]
    """The row of each event."""
    carried: dict[str, NDArray[Any]]
    columns: Mapping[Any, Sequence[Any]]

    @classmethod
    def of(cls, trials: Any, by: str, cues: str, outcomes: str, order: str | None) -> TrialTable:
        columns = columns_of_trials(trials)
        column_of("cues", columns, cues)
        column_of("outcomes", columns, outcomes)
        people = column_of("by", columns, by)
        nobody = next((row for row, person in enumerate(people) if is_missing(person)), None)
        if nobody is not None:
            raise ValueError(
                f"by must name a column with a person in each row, and row {nobody} of {by!r} has none"
            )
        if by != "person" and "person" in columns:
            raise ValueError(
                f"trials has a column 'person' besides {by!r}, which the result calls so; rename it"
            )
        numbers: dict[Any, int] = {}
        try:
            codes = np.array([numbers.setdefault(person, len(numbers)) for person in people], dtype=np.int64)
        except TypeError:
            raise TypeError(f"by must name a column of persons, and {by!r} has lists") from None
        if order is None:
            rows = np.argsort(codes, kind="stable")
        else:
            ranks = np.asarray(column_of("order", columns, order))
            if ranks.dtype == object:
                raise TypeError(f"order must name a column of numbers or of str, and {order!r} has others")
            rows = np.lexsort((ranks, codes))
        events = _events(trials, columns, cues, outcomes)
        if not np.array_equal(rows, np.arange(len(rows))):
            events = events[rows]
        counts = np.bincount(codes, minlength=len(numbers))
        starts = np.append(0, np.cumsum(counts)).astype(np.int64)
        trial = np.zeros(len(rows), dtype=np.int64)
        trial[rows] = np.arange(len(rows)) - np.repeat(starts[:-1], counts) + 1
        carried = {"person": as_column(people), "trial": trial}
        carried |= {
            str(name): as_column(each) for name, each in columns.items() if str(name) not in ("person", by)
        }
        return cls(events, tuple(numbers), starts, rows, carried, columns)

    def beside(self, found: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The columns that are carried along, and beside them what was found, in the order of the rows."""
        twice = next((name for name in found if name in self.carried), None)
        if twice is not None:
            raise ValueError(f"trials has a column {twice!r}, and so has the result; rename it")
        columns = dict(self.carried)
        for name, values in found.items():
            columns[name] = np.empty_like(values)
            columns[name][self.order] = values
        return columns


def columns_of_trials(trials: Any) -> Mapping[Any, Sequence[Any]]:
    """The columns of a table, or of a file."""
    if isinstance(trials, str | os.PathLike):
        name = path_name(trials, "trials")
        if name.endswith(".parquet"):
            return columns_of(need("pyarrow.parquet").read_table(name))
        header, *rows = cells_of_lines(name)
        wrong = next((line for line, row in enumerate(rows, 2) if len(row) != len(header)), None)
        if wrong is not None:
            raise _core.FormatError(
                f"{name}, line {wrong}: expected {len(header)} cells as in the header, found "
                f"{len(rows[wrong - 2])}; put cells with commas in quotes"
            )
        cells = zip(*rows, strict=True) if rows else ((),) * len(header)
        return {name: _as_numbers(list(column)) for name, column in zip(header, cells, strict=True)}
    if hasattr(trials, "__arrow_c_stream__") and not is_table(trials):
        trials = need("pyarrow").table(trials)
    try:
        return columns_of(trials)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(str(error).replace("frame", "trials", 1)) from None


def _as_numbers(cells: list[str]) -> list[Any]:
    """The cells of a file as numbers, if all are; empty ones are missing then."""
    if not any(cells):
        return cells
    try:
        found = [float(cell) if cell else float("nan") for cell in cells]
    except ValueError:
        return cells
    return [int(each) for each in found] if all(each.is_integer() for each in found) else found


def _events(trials: Any, columns: Mapping[Any, Sequence[Any]], cues: str, outcomes: str) -> Events:
    """The cues, outcomes and frequencies as events, in the order of the rows."""
    given = {"cues": cues, "outcomes": outcomes}
    if "frequency" in columns:
        given["frequency"] = "frequency"
    if is_frame(trials):
        return read_events(trials[list(given.values())], columns=given)
    return read_events(zip(*(columns[name] for name in given.values()), strict=True))


def as_column(column: Sequence[Any]) -> NDArray[Any]:
    """A column as an array: of its own type if it has one, else of objects."""
    try:
        array = np.asarray(column)
    except ValueError:
        array = np.zeros(0, dtype=object)
    if array.ndim != 1 or array.dtype.kind not in "biufU" or len(array) != len(column):
        array = np.empty(len(column), dtype=object)
        array[:] = column
    elif array.dtype.kind == "U":
        array = array.astype(object)
    return array
