"""What a call asks to learn, checked; and what of it decides the bits of the result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.plan import Numbers, Plan, maximal, plan_of, rule_of, saliences, start_of, warn_unshared
from rescorla._learn.record import of_events, rates_of
from rescorla._learn.schedule import Factors, Schedule, name_of, tabulated
from rescorla._shared.checks import PerName, shown
from rescorla._shared.testing import asked
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

RULE = "rescorla-wagner"


class Request(NamedTuple):
    """All that the engine is told, but for how it works."""

    plan: Plan
    chosen: bool
    alphas: Numbers
    betas: tuple[float, float]
    lambdas: Numbers
    schedule: str | None
    factors: Factors | None
    average: bool
    element: np.dtype[Any]
    initial: Weights | None
    start: NDArray[Any] | None

    @property
    def fastest(self) -> float:
        """The largest rate of any token."""
        return max(self.betas) if self.factors is None else self.factors.fastest

    def job(
        self,
        events: Events,
        *,
        method: str | None,
        threads: int,
        event_memory: int | None = None,
        progress: Any = None,
    ) -> Any:
        """The engine's preparation for these events."""
        engine: Any = _core
        return engine.Job(
            events._file,
            dtype=str(self.element),
            alpha=self.alphas.values,
            beta1=self.betas[0],
            beta2=self.betas[1],
            lambda_=self.lambdas.values,
            schedule=None if self.factors is None else (self.factors.present, self.factors.absent),
            average=self.average,
            cue_rows=self.plan.cue_rows,
            outcome_columns=self.plan.outcome_columns,
            keep_rows=self.plan.keep_rows,
            initial=self.start,
            initial_columns=self.plan.initial_columns,
            method=method,
            threads=threads,
            event_memory=event_memory,
            **asked("kernel", "tile"),
            progress=progress,
        )

    def parameters(self, events: Events, report: Mapping[str, Any]) -> dict[str, Any]:
        """The ``parameters`` of the weights, without how long it took and on what."""
        reported = {n: report[n] for n in ("method", "updates_forward", "updates_adjoint") if n in report}
        return {
            "rule": RULE,
            **rates_of(self.alphas.recorded, self.betas, self.lambdas.recorded),
            "schedule": self.schedule,
            "average": self.average,
            "dtype": str(self.element),
            "continued": self.initial is not None,
            **of_events(events),
            **reported,
            "version": _core.__version__,
        }

    def deciding(self, events: Events) -> dict[str, Any]:
        """What decides the bits, but for the method."""
        factors = self.factors
        return {
            "digest": digest_of(events),
            "n_events": len(events),
            "n_tokens": events.n_tokens,
            "rule": RULE,
            "dtype": str(self.element),
            "cues": list(self.plan.cues),
            "outcomes": list(self.plan.outcomes),
            "all_cues": not self.chosen,
            "alpha": _one_or_all(self.alphas.values),
            "beta1": self.betas[0],
            "beta2": self.betas[1],
            "lambda": _one_or_all(self.lambdas.values),
            "average": self.average,
            "schedule": None if factors is None else hash_of(factors.present, factors.absent),
            "initial": None
            if self.initial is None or self.start is None
            else initial_hash(self.start, self.initial.cues, self.initial.outcomes),
        }


def request_of(
    events: Events,
    *,
    alpha: PerName,
    beta: float | tuple[float, float],
    lambda_: PerName,
    schedule: Schedule | None = None,
    average: bool = False,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike,
) -> Request:
    """Check the arguments of a call against the events."""
    element, betas = rule_of(dtype, beta, average, initial)
    plan = plan_of(events, cues, outcomes, initial)
    alphas = saliences(alpha, plan, events, element)
    lambdas = maximal(lambda_, plan, events, initial, element)
    if initial is not None:
        warn_unshared(initial, plan, events)
    return Request(
        plan,
        cues is not None,
        alphas,
        betas,
        lambdas,
        None if schedule is None else name_of(schedule),
        None if schedule is None else tabulated(schedule, events.n_tokens, betas, element),
        average,
        element,
        initial,
        None if initial is None else start_of(initial, element),
    )


def digest_of(events: Any) -> str:
    """The SHA-256 of events."""
    return str(events.digest)


def sha256_of(deciding: Mapping[str, Any]) -> str:
    """The SHA-256 of what decides the bits, as JSON without blanks, names in order."""
    text = json.dumps(deciding, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def hash_of(*arrays: NDArray[Any]) -> str:
    """The SHA-256 of the shapes and elements of arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(repr(array.shape).encode("ascii"))
        found.update(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).data)
    return found.hexdigest()


def initial_hash(start: NDArray[Any], cues: tuple[str, ...], outcomes: tuple[str, ...]) -> str:
    """The SHA-256 of initial weights and their names."""
    names = hashlib.sha256(json.dumps([cues, outcomes]).encode("ascii")).hexdigest()
    return hashlib.sha256(f"{names} {hash_of(start)}".encode("ascii")).hexdigest()


def difference(made: Mapping[str, Any], asked_for: Mapping[str, Any]) -> str | None:
    """The first difference between what a store was made with and what a call has; None if there is none."""
    for name, wanted in asked_for.items():
        found = made.get(name)
        if found == wanted:
            continue
        if name == "digest":
            return "events: the store was made of others; give the events that it was made of"
        if name in ("n_events", "n_tokens"):
            return f"events: the store was made of {found} {name[2:]}, these are {wanted}"
        if name in ("cues", "outcomes") and isinstance(found, list):
            return f"{name}: {_different_names(found, wanted)}"
        if name in ("schedule", "initial"):
            had, has = ("none" if each is None else "some" for each in (found, wanted))
            if had == has:
                return f"{name}: the store was made with others than this call has"
            return f"{name}: the store was made with {had}, this call has {has}"
        return f"{name}: the store was made with {_told(found)}, this call has {_told(wanted)}"
    return None


def _different_names(found: list[str], wanted: list[str]) -> str:
    if len(found) != len(wanted):
        return f"the store has {len(found)}, this call {len(wanted)}"
    at = next(place for place, pair in enumerate(zip(found, wanted, strict=True)) if pair[0] != pair[1])
    return f"number {at + 1} is {found[at]!r} in the store, and {wanted[at]!r} in this call"


def _told(value: object) -> str:
    return f"{len(value)} numbers" if isinstance(value, list) else shown(value)


def _one_or_all(values: NDArray[np.float64]) -> float | list[float]:
    """One number where it is that of all names."""
    if len(values) and (values == values[0]).all():
        return float(values[0])
    return values.tolist()  # type: ignore[no-any-return]
