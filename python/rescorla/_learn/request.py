"""What a call asks to learn, checked: the rule and its parameters, the names, and what to start from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.plan import (
    Numbers,
    Plan,
    maximal,
    plan_of,
    rule_of,
    saliences,
    start_of,
    warn_unsafe,
    warn_unshared,
)
from rescorla._learn.record import rates_of
from rescorla._learn.rule import Rule
from rescorla._learn.schedule import Factors, Schedule, name_of, tabulated
from rescorla._shared.checks import PerName, flag
from rescorla._shared.progress import Progress, watching
from rescorla._shared.testing import asked
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class Request(NamedTuple):
    """All that the engine is told, but for how it works."""

    rule: Rule
    plan: Plan
    alphas: Numbers
    betas: tuple[float, float]
    lambdas: Numbers
    schedule: str | None
    factors: Factors | None
    average: bool
    element: np.dtype[Any]
    initial: Weights | None
    start: NDArray[Any] | None
    states: NDArray[Any] | None

    @property
    def fastest(self) -> float:
        """The largest rate of any token."""
        return max(self.betas) if self.factors is None else self.factors.fastest

    def warn_unsafe(self, report: dict[str, Any]) -> None:
        """Warn the user where the fastest rate is not safe in every event."""
        scheduled, retention = self.factors is not None, self.rule.retention
        if not self.rule.kind.own_error:
            # Saliences that change are 1 at most.
            warn_unsafe(self.fastest, report["max_kappa"], scheduled=scheduled, retention=retention)
            return
        greatest = float(self.alphas.values.max(initial=0.0))
        warn_unsafe(self.fastest, greatest, scheduled=scheduled, of_cue=True)

    def check_out(self) -> None:
        """ValueError where weights that are learned onto a disk have states, or go on from some."""
        if self.state_names or self.states is not None:
            states = ", ".join(self.rule.kind.states)
            raise ValueError(
                f"out must be an array, or left out, for the rule {self.rule.name}: its states ({states}) "
                "are kept in memory; save the weights to a .npz file, which keeps them too"
            )

    @property
    def state_names(self) -> tuple[str, ...]:
        """The states that the result has. Nothing can go on from a mean, so it has none."""
        return () if self.average else self.rule.kind.states

    def told(self) -> dict[str, Any]:
        """What the engine is told of it."""
        return {
            "alpha": self.alphas.values,
            "beta1": self.betas[0],
            "beta2": self.betas[1],
            "lambda_": self.lambdas.values,
            **self.rule.told(),
            "schedule": None if self.factors is None else (self.factors.present, self.factors.absent),
            "cue_rows": self.plan.cue_rows,
            "outcome_columns": self.plan.outcome_columns,
            "initial": self.start,
            "initial_columns": self.plan.initial_columns,
            "initial_states": self.states,
            **asked("kernel", "tile"),
        }

    def wanted(self) -> dict[str, Any]:
        """What the engine is told of the weights that are the result."""
        return {"average": self.average, "keep_rows": self.plan.keep_rows}

    def job(
        self,
        events: Events,
        *,
        method: str | None,
        threads: int,
        event_memory: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """The engine's preparation to learn any part of the weights from these events."""
        engine: Any = _core
        with watching(progress, "preparing", "events", len(events)) as watch:
            return engine.Job(
                events._file,
                dtype=str(self.element),
                **self.told(),
                **self.wanted(),
                method=method,
                threads=threads,
                event_memory=event_memory,
                progress=watch,
            )

    def recorded(self) -> dict[str, Any]:
        """What the ``parameters`` of the weights say of it."""
        return {
            **self.rule.recorded(),
            **rates_of(self.alphas.recorded, self.betas, self.lambdas.recorded),
            "schedule": self.schedule,
            "average": self.average,
            "dtype": str(self.element),
            "continued": self.initial is not None,
        }


def request_of(
    events: Events,
    *,
    alpha: PerName,
    beta: float | tuple[float, float],
    lambda_: PerName,
    rule: Rule,
    schedule: Schedule | None = None,
    average: bool = False,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike,
    out: object = None,
    n_tokens: int | None = None,
) -> Request:
    """Check the arguments of a call against the events, of which the first n tokens, or all, are learned.

    Initial weights are copied where they lie in the array `out`, which takes the result.
    """
    average, (element, betas) = flag("average", average), rule_of(dtype, beta, initial)
    plan = plan_of(events, cues, outcomes, initial)
    alphas = saliences(alpha, plan, events, element)
    lambdas = maximal(lambda_, plan, events, initial, element)
    rule.refuse_above(float(lambdas.values.max(initial=-np.inf)))
    if initial is not None:
        warn_unshared(initial, plan, events)
    return Request(
        rule,
        plan,
        alphas,
        betas,
        lambdas,
        None if schedule is None else name_of(schedule),
        None
        if schedule is None
        else tabulated(schedule, events.n_tokens if n_tokens is None else n_tokens, betas, element),
        average,
        element,
        initial,
        None if initial is None else start_of(initial, element, out),
        None if initial is None else rule.states_of(initial, element),
    )
