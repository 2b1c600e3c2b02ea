"""Batch after batch in numpy: for functions that the engine does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._learn.arrays import Rows
from rescorla._learn.delta.units import Loss, Unit, updates

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Seconds between two looks of who watches.
_OFTEN = 0.05


class Batches(NamedTuple):
    """How batches go down a loss; saliences are of the type of the weights, one a cue of the rows."""

    unit: Unit
    loss: Loss
    alphas: NDArray[Any]
    beta: float
    size: int | None
    mean: bool

    def learn(
        self,
        rows: Rows,
        weights: NDArray[Any],
        *,
        passes: int,
        factors: NDArray[np.float64] | None,
        order: NDArray[np.int64] | None,
        watch: Callable[[int, int], object] | None,
    ) -> None:
        """Go through the tokens of the rows; FloatingPointError with the place of a weight not finite."""
        n = int(rows.n_tokens)
        number, looked = 0, monotonic()
        for made in range(passes):
            done = made * n
            for taken, tokens in self._batches(rows, n, None if order is None else order[made]):
                factor = 1.0 if factors is None else float(factors[number])
                number += 1
                with np.errstate(over="ignore", invalid="ignore"):
                    if self.size == 1:
                        self._single(rows, int(taken[0]), weights, factor)
                        done += 1
                    else:
                        batch = rows if self.size is None else rows.some(taken, tokens)
                        self._step(batch, weights, factor)
                        done += int(batch.n_tokens)
                if watch is not None and monotonic() > looked + _OFTEN:
                    watch(done, passes * n)
                    looked = monotonic()
            finite = np.isfinite(weights)
            if not finite.all():
                row, column = map(int, np.unravel_index(int(finite.argmin()), finite.shape))
                raise FloatingPointError(row, column, float(weights[row, column]))
        if watch is not None:
            watch(passes * n, passes * n)

    def _batches(
        self, rows: Rows, n: int, order: NDArray[np.int64] | None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """The rows of each batch of a pass, and how many tokens of each."""
        if self.size is None:
            if n:
                yield np.arange(len(rows.tokens)), rows.tokens
            return
        tokens = np.arange(n) if order is None else order
        row_of = np.searchsorted(np.cumsum(rows.tokens).astype(np.int64), tokens, side="right")
        one = np.ones(1)
        for first in range(0, n, self.size):
            taken = row_of[first : first + self.size]
            if self.size == 1:
                yield taken, one
            else:
                some, often = np.unique(taken, return_counts=True)
                yield some, often.astype(np.float64)

    def _single(self, rows: Rows, row: int, weights: NDArray[Any], factor: float) -> None:
        """Take one token."""
        element = weights.dtype
        cues, values, targets = rows.one(row)
        values = values.astype(element, copy=False)
        used: Any = slice(None) if cues is None else cues
        before = weights[used]
        sums = (values @ before)[np.newaxis]
        step = updates(self.unit, self.loss, sums, targets.astype(element, copy=False)[np.newaxis])
        pace = self.alphas[used] * values * element.type(self.beta * factor)
        if cues is None or len(set(cues.tolist())) == len(cues):
            weights[used] = before + pace[:, np.newaxis] * step
        else:
            # A cue that is there twice is moved twice.
            np.add.at(weights, used, pace[:, np.newaxis] * step)

    def _step(self, batch: Rows, weights: NDArray[Any], factor: float) -> None:
        """Take all tokens of a batch together."""
        element = weights.dtype.type
        rate = element(self.beta * factor)
        if self.mean:
            rate = element(rate / batch.n_tokens)
        used: Any = slice(None)
        if batch.x.columns is not None:
            # Of all weights those of the cues that there are.
            used, columns = np.unique(batch.x.columns, return_inverse=True)
            x = batch.x._replace(
                shape=(batch.x.shape[0], len(used)), columns=columns.reshape(-1).astype(np.uint32)
            )
            batch = batch._replace(x=x)
        before = weights[used]
        changes = np.zeros_like(before)
        for rows in batch.blocks(weights.shape[1]):
            sums, targets = rows.sums(before), rows.targets(weights.dtype)
            steps = updates(self.unit, self.loss, sums, targets)
            rows.add_to(changes, rows.tokens[:, np.newaxis].astype(weights.dtype) * steps)
        weights[used] = before + self.alphas[used, np.newaxis] * (rate * changes)
