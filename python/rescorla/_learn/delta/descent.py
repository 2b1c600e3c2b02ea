"""A descent: from what, by which function and loss, at which rate; made by the engine, or in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._learn.arrays import Rows
from rescorla._learn.delta.batches import Batches
from rescorla._learn.delta.objective import Objective
from rescorla._learn.delta.sources import TokenSource
from rescorla._learn.delta.units import Loss, Unit
from rescorla._learn.plan import Plan, naming_divergence
from rescorla._shared.testing import asked

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Descent(NamedTuple):
    """What all passes have in common. Saliences and lambdas are those of the result's rows and columns."""

    source: TokenSource
    plan: Plan
    unit: Unit
    loss: Loss
    alphas: NDArray[np.float64]
    lambdas: NDArray[np.float64]
    beta: float
    size: int | None
    mean: bool
    in_numpy: Rows | None
    """What batches are made of in numpy; None where the engine makes them."""

    def objective(self) -> Objective:
        """The loss that is made small."""
        rows = self.source.rows(self.plan, self.lambdas, self.unit.absent, sets=True)
        learns = self.alphas[self.plan.cue_rows] > 0
        return Objective(rows, self.unit, self.loss, self._place(), learns)

    def first_tokens(self, first: int, passes: int) -> NDArray[np.int64]:
        """The number of the first token of each batch, in some passes after the first ones."""
        n = self.source.n_tokens
        of_pass = np.arange(0, n, self.size or max(1, n), dtype=np.int64)
        return np.add.outer(np.arange(first, first + passes, dtype=np.int64) * n, of_pass + 1).reshape(-1)

    def learn(
        self,
        start: NDArray[Any] | None,
        values: NDArray[Any],
        *,
        passes: int,
        order: NDArray[np.int64] | None,
        factors: NDArray[np.float64] | None,
        threads: int,
        cure: str,
        watch: Callable[[int, int], object] | None,
    ) -> dict[str, Any]:
        """Learn some passes into `values`, and tell how."""
        if self.in_numpy is not None:
            if start is not None:
                values[...] = start
            columns, place = self.source.columns(self.plan), self._place()
            alphas = self.alphas[self.plan.cue_rows].astype(values.dtype)
            batches = Batches(self.unit, self.loss, alphas, self.beta, self.size, self.mean)
            outcomes = tuple(self.plan.outcomes[column] for column in columns)
            weights = values[place]
            with naming_divergence(self.source.cues, outcomes, cure):
                how: dict[str, Any] = {"passes": passes, "factors": factors, "order": order, "watch": watch}
                batches.learn(self.in_numpy, weights, **how)
            values[place] = weights
            return {"kernel": "numpy", "threads": 1}
        step: dict[str, Any] = {
            "beta": self.beta,
            "activation": self.unit.name,
            "loss": self.loss,
            "batch": self.size,
            "mean": self.mean,
            "factors": factors,
            "passes": passes,
            "order": order,
            "threads": threads,
            "progress": watch,
            **asked("kernel", "tile"),
        }
        return self.source.learn(self.plan, self.alphas, self.lambdas, start, values, step, cure)

    def _place(self) -> Any:
        """Where the weights that the source knows are among all: as slices, which copy nothing, if all."""
        places = self.plan.cue_rows, self.source.columns(self.plan)
        shape = len(self.plan.cues), len(self.plan.outcomes)
        if all(np.array_equal(each, np.arange(n)) for each, n in zip(places, shape, strict=True)):
            return slice(None), slice(None)
        return np.ix_(*places)
