"""What the delta rule learns from: events, or rows of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.given import events_unless_pair
from rescorla._learn.arrays import Rows, counted, rows_of_events, rows_of_sets, rows_of_tables
from rescorla._learn.delta.units import Loss
from rescorla._learn.plan import Plan, naming_divergence
from rescorla._shared.checks import is_number, shown
from rescorla._shared.progress import Progress
from rescorla._weights.vectors import Examples, Table, kappas, same_length, table_of, targets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EventSource:
    """Events, as much as learning needs of them."""

    what = "an event"

    def __init__(self, events: Events) -> None:
        self.events = events
        self.n_tokens, self.n_cues, self.n_outcomes = events.n_tokens, events.n_cues, events.n_outcomes
        self.cues, self.outcomes = events.cues, events.outcomes

    def __len__(self) -> int:
        return len(self.events)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What made them."""
        return self.events.parameters

    def frequencies(self) -> NDArray[np.int64]:
        """How many tokens each event stands for."""
        return self.events.frequencies

    def kappa(self, alphas: NDArray[np.float64]) -> float:
        """The greatest sum of alpha m^2 of an event."""
        (starts, cues, _), _ = self.events._file.cue_sets()
        return float(kappas(counted(starts, cues, self.n_cues), alphas).max(initial=0.0))

    def columns(self, plan: Plan) -> NDArray[np.int64]:
        """The columns of the result that are learned: an outcome that no event has is absent from all."""
        return np.arange(len(plan.outcomes), dtype=np.int64)

    def rows(self, plan: Plan, lambdas: NDArray[np.float64], absent: float, *, sets: bool) -> Rows:
        """The events as rows, or the sets of cues that tokens have."""
        make = rows_of_sets if sets else rows_of_events
        return make(self.events, plan.outcome_columns, len(plan.outcomes)).aimed(lambdas, absent)

    def learn(
        self,
        plan: Plan,
        alphas: NDArray[np.float64],
        lambdas: NDArray[np.float64],
        start: NDArray[Any] | None,
        values: NDArray[Any],
        step: dict[str, Any],
        cure: str,
    ) -> dict[str, Any]:
        """Learn all weights of the result by the engine."""
        with naming_divergence(plan.all_cues, plan.outcomes, cure):
            return _core.delta_rule(
                self.events._file,
                alpha=alphas,
                lambda_=lambdas,
                cue_rows=plan.cue_rows,
                outcome_columns=plan.outcome_columns,
                initial=start,
                out=values,
                **step,
            )


class ArraySource:
    """Rows of X, each a token, and its targets in Z: what `Events` tell of themselves."""

    what = "a row"

    def __init__(self, x: Table, z: Table) -> None:
        same_length("X", x.shape[0], "Z", z.shape[0])
        self.x, self.z = x, z
        self.n_tokens, self.n_cues = x.shape
        self.n_outcomes = z.shape[1]
        self.cues, self.outcomes = x.names, z.names

    def __len__(self) -> int:
        return self.n_tokens

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What made them, which arrays do not say."""
        return {}

    def check(self, lambda_: object, loss: Loss) -> None:
        """ValueError where targets are not those of Z, or not such as the loss has."""
        if not is_number(lambda_) or lambda_ != 1:
            raise ValueError(
                "lambda_ must be 1.0 with arrays, where the targets are those of Z, not "
                f"{shown(lambda_)}; scale Z"
            )
        check_targets("Z", self.z, loss)

    def frequencies(self) -> NDArray[np.int64]:
        """How many tokens each row stands for."""
        return np.ones(self.n_tokens, dtype=np.int64)

    def kappa(self, alphas: NDArray[np.float64]) -> float:
        """The greatest sum of alpha x^2 of a row."""
        return float(kappas(self.x, alphas).max(initial=0.0))

    def columns(self, plan: Plan) -> NDArray[np.int64]:
        """The columns of the result that are learned."""
        return plan.outcome_columns

    def rows(self, plan: Plan, lambdas: NDArray[np.float64], absent: float, *, sets: bool) -> Rows:
        """The rows; `sets` makes no difference."""
        return rows_of_tables(self.x, self.z).aimed(np.ones(self.n_outcomes), absent)

    def learn(
        self,
        plan: Plan,
        alphas: NDArray[np.float64],
        lambdas: NDArray[np.float64],
        start: NDArray[Any] | None,
        values: NDArray[Any],
        step: dict[str, Any],
        cure: str,
    ) -> dict[str, Any]:
        """Learn the rows and columns of the result that X and Z name; the others stay what they were."""
        place = np.ix_(plan.cue_rows, plan.outcome_columns)
        if start is not None:
            values[...] = start
            # The engine takes the same columns in the order of X and Z.
            start = np.ascontiguousarray(start[place])
        out = np.zeros((self.n_cues, self.n_outcomes), dtype=values.dtype)
        with naming_divergence(self.cues, self.outcomes, cure):
            report = _core.delta_rule_rows(
                self.x, self.z, alpha=alphas[plan.cue_rows], initial=start, out=out, **step
            )
        values[place] = out
        return report


TokenSource = EventSource | ArraySource


def source_of(data: object, element: np.dtype[Any], progress: Progress) -> TokenSource:
    """What a caller gives to learn from."""
    events = events_unless_pair(data, "delta_rule", progress=progress)
    if events is not None:
        return EventSource(events)
    x, z = cast("tuple[Examples, Examples]", data)
    return ArraySource(table_of("X", x, element, "x"), targets_of("Z", z, element))


def check_targets(argument: str, z: Table, loss: Loss) -> None:
    """ValueError where targets are not such as the loss has."""
    wrong = (z.values < 0) | (z.values > 1)
    if loss == "log" and wrong.any():
        raise ValueError(
            f"{argument} must be between 0 and 1 for the loss 'log', not {z.values.flat[int(wrong.argmax())]}"
            ": no weights make the loss of other targets least"
        )
