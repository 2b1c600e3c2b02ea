"""Events as data frames, which `read_events` reads back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._core import EventFile
from rescorla._events.frames import ROLES
from rescorla._shared.optional import need

if TYPE_CHECKING:
    import pandas
    import polars

# Events decoded at a time.
_BLOCK = 65_536


def to_pandas(file: EventFile) -> pandas.DataFrame:
    """A row for each event: two lists of names, and a number."""
    pd = need("pandas")
    # Left to itself, pandas gives the columns of no events another type.
    frame: pandas.DataFrame = pd.DataFrame(
        {role: pd.Series(column, dtype=dtype) for role, column, dtype in _columns(file)}
    )
    return frame


def to_polars(file: EventFile) -> polars.DataFrame:
    """A row for each event: two lists of strings, and a number."""
    pl = need("polars")
    types: dict[type[object], Any] = {object: pl.List(pl.String), np.int64: pl.Int64}
    frame: polars.DataFrame = pl.DataFrame(
        [pl.Series(role, column, dtype=types[dtype]) for role, column, dtype in _columns(file)]
    )
    return frame


def _columns(file: EventFile) -> list[tuple[str, Any, type[object]]]:
    """The columns: name, entries and type."""
    cues: list[list[str]] = []
    outcomes: list[list[str]] = []
    for start in range(0, file.n_events, _BLOCK):
        for event in file.events(start, min(start + _BLOCK, file.n_events)):
            cues.append(list(event[0]))
            outcomes.append(list(event[1]))
    return list(zip(ROLES, (cues, outcomes, file.frequencies()), (object, object, np.int64), strict=True))
