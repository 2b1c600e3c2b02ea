"""What each row of least squares does to the solution: its leverage, and where it moves the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.arrays import (
    Rows,
    counted,
    dense,
    products,
    rows_of_events,
    rows_of_tables,
    rows_of_vectors,
)
from rescorla._learn.sides import Sides
from rescorla._weights.vectors import Table, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECIDES = 1e-10
"""A row alone decides what it is predicted, if its leverage is less than this below 1."""

# Rows that are solved for at a time.
_AT_A_TIME = 256


class DistinctRows(NamedTuple):
    """The rows that differ, among those with tokens."""

    x: Table
    tokens: NDArray[np.float64]
    numbers: NDArray[np.int64]
    """Of all rows, which of these each is; -1 without tokens."""


class Solved(NamedTuple):
    """Some distinct rows, with what they do to the solution."""

    x: Table
    g: NDArray[np.float64]
    """(X'FX + ridge I)^+ x of each, one after another."""
    shares: NDArray[np.float64]
    """x'g of each."""
    rows: NDArray[np.int64]
    """All rows that are one of these,"""
    local: NDArray[np.int64]
    """and which of these each is."""


def rows_and_targets(events: Events | None, sides: Sides) -> Rows:
    """The rows to predict from and their targets: of events, or of a pair (X, Z)."""
    x, z = sides.cue_vectors, sides.outcome_vectors
    if events is None:
        if x is None or z is None:
            raise TypeError("a pair has vectors on both sides")
        return rows_of_tables(x, z)
    n_outcomes = len(events.outcomes)
    if z is None:
        rows = rows_of_events(events, np.arange(n_outcomes), n_outcomes)
    else:
        rows = rows_of_vectors(events, dense(z))
    if x is None:
        return rows._replace(x=counted(*events._file.csr("cues"), len(events.cues)))
    sums = products(rows.x, dense(x))
    return rows._replace(x=Table(sums.shape, sums, x.names))


def distinct_rows(rows: Rows) -> DistinctRows:
    """The different rows, with the tokens of all that are equal."""
    x = rows.x
    there = np.flatnonzero(rows.tokens > 0)
    numbers = np.full(len(rows.tokens), -1, dtype=np.int64)
    if x.starts is None or x.columns is None:
        numbers[there] = np.arange(len(there))
        return DistinctRows(taken(x, there), rows.tokens[there], numbers)
    known: dict[bytes, int] = {}
    firsts: list[int] = []
    for row in there.tolist():
        some = slice(x.starts[row], x.starts[row + 1])
        key = x.columns[some].tobytes() + x.values[some].tobytes()
        number = known.setdefault(key, len(known))
        if number == len(firsts):
            firsts.append(row)
        numbers[row] = number
    tokens = np.bincount(numbers[there], rows.tokens[there], len(firsts)).astype(np.float64)
    return DistinctRows(taken(x, np.array(firsts, dtype=np.int64)), tokens, numbers)


def solutions(
    rows: DistinctRows, ridge: float, threads: int, watch: Callable[[int, int], object] | None
) -> Iterator[Solved]:
    """All distinct rows, some at a time."""
    n, p = rows.x.shape
    order = np.argsort(rows.numbers, kind="stable")
    numbers = rows.numbers[order]
    solver = _core.RowSolver(rows.x, rows.tokens, ridge=ridge, threads=threads, progress=None)
    for start in range(0, n, _AT_A_TIME):
        stop = min(start + _AT_A_TIME, n)
        g = np.empty((stop - start, p))
        solver.solve(start, g, progress=None)
        x = taken(rows.x, np.arange(start, stop))
        if x.starts is None or x.columns is None:
            shares = np.einsum("ij,ij->i", x.values, g)
        else:
            of = np.repeat(np.arange(len(g)), np.diff(x.starts))
            shares = np.bincount(of, x.values * g[of, x.columns], len(g))
        mine = order[slice(*np.searchsorted(numbers, [start, stop]))]
        yield Solved(x, g, shares, mine, rows.numbers[mine] - start)
        if watch is not None:
            watch(stop, n)
