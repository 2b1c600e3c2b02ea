"""Rows of cues with their targets, in numpy: the sums of weights, and what errors give back to weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.events import Events
from rescorla._weights.vectors import Table, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers that are worked on at a time: 16 MiB of them are still in a cache.
_AT_ONCE = 1 << 21


class Rows(NamedTuple):
    """Rows of cues, each of which stands for some tokens, with their targets.

    The target of outcome j in a row is absent_j + share * (present_j - absent_j): of events `shares` says in
    which part of the row's tokens it is present; of arrays it is the target, absent being 0 and present 1.
    Those two are what the target is either near to, where only one outcome is there to choose from. Where
    outcomes have `vectors`, the target is the sum of share times vector.
    """

    x: Table
    tokens: NDArray[np.float64]
    shares: Table
    absent: NDArray[Any]
    present: NDArray[Any]
    vectors: NDArray[Any] | None = None
    counted: bool = True

    @property
    def n_tokens(self) -> float:
        """How many tokens the rows stand for."""
        return float(self.tokens.sum())

    def aimed(self, lambdas: NDArray[Any], absent: float) -> Rows:
        """The rows with the targets of present outcomes, and these times `absent` for those that are not."""
        return self._replace(present=lambdas, absent=absent * lambdas)

    def some(self, rows: NDArray[np.int64], tokens: NDArray[np.float64]) -> Rows:
        """Some rows, with other numbers of tokens."""
        return self._replace(x=taken(self.x, rows), shares=taken(self.shares, rows), tokens=tokens)

    def one(self, row: int) -> tuple[NDArray[Any] | None, NDArray[Any], NDArray[Any]]:
        """Of one row the cues, if not all, what they are there by, and the targets."""
        cues = None
        values = self.x.values
        if self.x.starts is None or self.x.columns is None:
            values = values[row]
        else:
            there = slice(self.x.starts[row], self.x.starts[row + 1])
            cues, values = self.x.columns[there], values[there]
        if self.shares.starts is None or self.shares.columns is None:
            return cues, values, self.shares.values[row]
        stands = slice(self.shares.starts[row], self.shares.starts[row + 1])
        columns, shares = self.shares.columns[stands], self.shares.values[stands]
        if not self.counted:
            targets = np.zeros(self.shares.shape[1], dtype=shares.dtype)
            targets[columns] = shares
            return cues, values, targets
        targets = self.absent.astype(np.float64)
        targets[columns] += shares * (self.present[columns] - self.absent[columns])
        return cues, values, targets

    def blocks(self, n_outcomes: int) -> Iterator[Rows]:
        """All rows, some at a time: so few that their sums fit into a cache."""
        n = self.x.shape[0]
        slots = n if self.x.starts is None else max(n, int(self.x.starts[-1]))
        length = max(1, _AT_ONCE * n // max(1, n_outcomes * slots))
        for start in range(0, n, length):
            stop = min(start + length, n)
            yield self._replace(
                x=_between(self.x, start, stop),
                shares=_between(self.shares, start, stop),
                tokens=self.tokens[start:stop],
            )

    def sums(self, weights: NDArray[Any]) -> NDArray[Any]:
        """h = W'x of each row."""
        return products(self.x, weights)

    def targets(self, element: np.dtype[Any]) -> NDArray[Any]:
        """The targets of each row."""
        if self.vectors is not None:
            return products(self.shares, self.vectors).astype(element, copy=False)
        shares = dense(self.shares)
        if self.counted:
            shares = self.absent + shares * (self.present - self.absent)
        return shares.astype(element, copy=False)

    def add_to(self, weights: NDArray[Any], updates: NDArray[Any]) -> None:
        """Adds X' updates to the weights."""
        if self.x.starts is None or self.x.columns is None:
            weights += self.x.values.T @ updates
            return
        # Cue by cue, so that each row of the weights is added to once.
        order = np.argsort(self.x.columns, kind="stable")
        cues = self.x.columns[order]
        if not len(cues):
            return
        rows = np.repeat(np.arange(self.x.shape[0]), np.diff(self.x.starts))[order]
        firsts = np.flatnonzero(np.append(True, cues[1:] != cues[:-1]))
        terms = updates[rows] * self.x.values[order, np.newaxis].astype(updates.dtype, copy=False)
        weights[cues[firsts]] += np.add.reduceat(terms, firsts, axis=0)

    def spread(self) -> float:
        """The sum of squares of the tokens' targets about the targets of their rows."""
        if not self.counted:
            return 0.0
        shares = self.shares.values.astype(np.float64)
        variances = self.tokens[_row_of(self.shares)] * shares * (1 - shares)
        ranges = np.square(self.present - self.absent, dtype=np.float64)
        return float((variances * ranges[self.shares.columns]).sum())

    def hits(self, chosen: NDArray[np.bool_] | NDArray[np.int64], targets: NDArray[Any]) -> float:
        """How many tokens are told right, given the outcome chosen, or of one outcome whether it is."""
        rows = np.arange(self.x.shape[0])
        if chosen.dtype == np.bool_:
            middle = (self.present + self.absent)[0] / 2
            if not self.counted:
                return float((self.tokens * (chosen == (targets[:, 0] > middle))).sum())
            shares = dense(self.shares)[:, 0]
            return float((self.tokens * np.where(chosen, shares, 1 - shares)).sum())
        if not self.counted:
            # As if no outcome were there, where all are absent.
            found = targets[rows, chosen]
            right = (found == targets.max(axis=1)) & (found > self.absent[chosen])
            return float((self.tokens * right).sum())
        return float((self.tokens * dense(self.shares)[rows, chosen]).sum())


def rows_of_events(events: Events, columns: NDArray[np.int64], n_outcomes: int) -> Rows:
    """A row for each event, in their order; outcomes have these columns."""
    starts, cues = events._file.csr("cues")
    shares = _once(*events._file.csr("outcomes"), columns, n_outcomes)
    return _rows(starts, cues, len(events.cues), events.frequencies, shares)


def rows_of_sets(events: Events, columns: NDArray[np.int64], n_outcomes: int) -> Rows:
    """A row for each set of cues that tokens have; outcomes have these columns."""
    (starts, cues, tokens), (sets, outcomes, counts) = events._file.cue_sets()
    order = np.lexsort((columns[outcomes], sets))
    sets, found, parts = sets[order], columns[outcomes][order], (counts / tokens[sets])[order]
    missing = events.n_tokens - int(tokens.sum())
    if missing:
        # Tokens without cues have no set.
        lonely = np.flatnonzero(np.diff(events._file.csr("cues")[0]) == 0)
        table = taken(_once(*events._file.csr("outcomes"), columns, n_outcomes), lonely)
        often = events.frequencies[lonely][_row_of(table)]
        present = np.bincount(np.asarray(table.columns, dtype=np.int64), often, n_outcomes)
        some = np.flatnonzero(present)
        sets = np.append(sets, np.full(len(some), len(tokens)))
        found, parts = np.append(found, some), np.append(parts, present[some] / missing)
        starts, tokens = np.append(starts, starts[-1]), np.append(tokens, missing)
    ends = np.cumsum(np.bincount(sets, minlength=len(tokens)))
    shares = Table(
        (len(tokens), n_outcomes), parts, (), np.append(0, ends).astype(np.int64), found.astype(np.uint32)
    )
    return _rows(starts, cues, len(events.cues), tokens, shares)


def rows_of_vectors(events: Events, vectors: NDArray[Any]) -> Rows:
    """A row for each event, to whose target the vector of an outcome is added as often as it is named."""
    starts, cues = events._file.csr("cues")
    ends, outcomes = events._file.csr("outcomes")
    shape = len(events), len(vectors)
    shares = Table(shape, np.ones(len(outcomes)), (), ends, outcomes.astype(np.uint32))
    rows = _rows(starts, cues, len(events.cues), events.frequencies, shares)
    return rows._replace(vectors=vectors, counted=False)


def rows_of_tables(x: Table, z: Table) -> Rows:
    """Rows of arrays, each a token."""
    q = z.shape[1]
    return Rows(x, np.ones(x.shape[0]), z, np.zeros(q), np.ones(q), counted=False)


def _rows(
    starts: NDArray[np.int64], cues: NDArray[Any], n_cues: int, tokens: NDArray[np.int64], shares: Table
) -> Rows:
    x = Table((len(tokens), n_cues), np.ones(len(cues)), (), starts, cues.astype(np.uint32))
    q = shares.shape[1]
    return Rows(x, tokens.astype(np.float64), shares, np.zeros(q), np.ones(q))


def counted(starts: NDArray[np.int64], names: NDArray[Any], n_names: int) -> Table:
    """For each row its names, rising, and how often it has each."""
    n = len(starts) - 1
    rows = np.repeat(np.arange(n), np.diff(starts))
    # A pair is one number.
    pairs, times = np.unique(rows * max(1, n_names) + names, return_counts=True)
    ends = np.cumsum(np.bincount(pairs // max(1, n_names), minlength=n))
    found = (pairs % max(1, n_names)).astype(np.uint32)
    return Table((n, n_names), times.astype(np.float64), (), np.append(0, ends).astype(np.int64), found)


def _once(starts: NDArray[np.int64], outcomes: NDArray[Any], columns: NDArray[np.int64], q: int) -> Table:
    """The outcomes of each row, each once."""
    table = counted(starts, columns[outcomes], q)
    return table._replace(values=np.ones(len(table.values)))


def _row_of(table: Table) -> NDArray[np.int64]:
    """The row of each number that stands in a sparse table."""
    return np.repeat(np.arange(table.shape[0]), np.diff(np.asarray(table.starts)))


def _between(table: Table, start: int, stop: int) -> Table:
    shape = stop - start, table.shape[1]
    if table.starts is None or table.columns is None:
        return table._replace(shape=shape, values=table.values[start:stop])
    first, last = table.starts[start], table.starts[stop]
    starts = table.starts[start : stop + 1] - first
    return Table(shape, table.values[first:last], table.names, starts, table.columns[first:last])


def products(table: Table, weights: NDArray[Any]) -> NDArray[Any]:
    """The table times the weights."""
    if table.starts is None or table.columns is None:
        return np.asarray(table.values @ weights)
    sums = np.zeros((table.shape[0], weights.shape[1]), dtype=weights.dtype)
    # Of an empty row `reduceat` would give what stands in the next one.
    filled = np.diff(table.starts) > 0
    if filled.any():
        terms = weights[table.columns]
        if not (table.values == 1).all():
            terms *= table.values[:, np.newaxis]
        sums[filled] = np.add.reduceat(terms, table.starts[:-1][filled], axis=0)
    return sums


def dense(table: Table) -> NDArray[Any]:
    if table.starts is None or table.columns is None:
        return table.values
    values = np.zeros(table.shape, dtype=table.values.dtype)
    np.add.at(values, (_row_of(table), table.columns), table.values)
    return values
