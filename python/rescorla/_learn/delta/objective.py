"""What learning makes small: the loss of all tokens, its gradient, and how many tokens are told right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._learn.arrays import Rows
from rescorla._learn.delta.units import Loss, Unit, losses, updates

if TYPE_CHECKING:
    from numpy.typing import NDArray

Record = Literal["loss", "accuracy"]

RECORDS = ("loss", "accuracy")


class Objective:
    """The mean loss of tokens, as a function of the weights; in float64, block after block of rows.

    `place` says where the rows and columns that rows know are among all weights, and `learns` which rows may
    change.
    """

    def __init__(self, rows: Rows, unit: Unit, loss: Loss, place: Any, learns: NDArray[np.bool_]) -> None:
        self._rows, self._unit, self._loss = rows, unit, loss
        self._place, self._learns = place, learns
        # What the targets of the tokens of one row differ by, no weights can tell.
        self._least = rows.spread() / 2 if loss == "squared" else 0.0

    def __call__(self, weights: NDArray[Any], record: Record) -> float:
        """The mean loss of the tokens, or the part of them that is told right."""
        weights = weights[self._place].astype(np.float64, copy=False)
        if not weights.shape[1]:
            return 0.0
        whole = self._least if record == "loss" else 0.0
        for rows in self._rows.blocks(weights.shape[1]):
            sums, targets = rows.sums(weights), rows.targets(weights.dtype)
            if record == "loss":
                whole += float(rows.tokens @ losses(self._unit, self._loss, sums, targets))
            else:
                whole += self._hits(rows, sums, targets)
        return whole / (self._rows.n_tokens or 1.0)

    def steepest(self, weights: NDArray[Any]) -> float:
        """The greatest derivative of the mean loss, up or down, by a weight that may change."""
        slopes = self.gradient(weights)[self._learns]
        return float(np.abs(slopes).max(initial=0.0))

    def gradient(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """The derivatives of the mean loss by the weights of these rows and columns."""
        weights = weights[self._place].astype(np.float64, copy=False)
        downhill = np.zeros(weights.shape)
        for rows in self._rows.blocks(weights.shape[1]):
            steps = updates(self._unit, self._loss, rows.sums(weights), rows.targets(weights.dtype))
            rows.add_to(downhill, rows.tokens[:, np.newaxis] * steps)
        return downhill / -(self._rows.n_tokens or 1.0)

    def _hits(self, rows: Rows, sums: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
        if sums.shape[1] > 1:
            return rows.hits(sums.argmax(axis=1), targets)
        middle = (rows.present[0] + rows.absent[0]) / 2
        return rows.hits(self._unit.value(sums)[:, 0] > middle, targets)
