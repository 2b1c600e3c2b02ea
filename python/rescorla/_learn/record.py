"""``parameters``: what was learned, from what, in how much time and by which version."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Protocol

import rescorla._core as _core
from rescorla._shared.warn import warn

# What the engine says of how it learned.
_REPORTED = ("method", "updates_forward", "updates_adjoint", "kernel", "threads")


class _Sized(Protocol):
    """Events, or rows that are taken as such."""

    @property
    def n_tokens(self) -> int: ...

    @property
    def n_cues(self) -> int: ...

    @property
    def n_outcomes(self) -> int: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    def __len__(self) -> int: ...


def record(rule: str, started: float, **facts: Any) -> dict[str, Any]:
    """The ``parameters`` of a result that was begun at `started`."""
    seconds = perf_counter() - started
    return {"rule": rule, **facts, "seconds": seconds, "version": _core.__version__}


def of_events(events: _Sized) -> dict[str, Any]:
    """How much the events are, and what made them, where they say so."""
    found: dict[str, Any] = {
        "n_events": len(events),
        "n_tokens": events.n_tokens,
        "n_cues": events.n_cues,
        "n_outcomes": events.n_outcomes,
    }
    try:
        made = events.parameters
    except _core.FormatError as error:
        # What was learned is not thrown away for it.
        warn(f"what made the events is not kept with what is learned of them: {error}")
        made = {}
    return found | {"events": made} if made else found


def rates_of(alpha: Any, betas: tuple[float, float], lambda_: Any) -> dict[str, Any]:
    """The parameters that all learners of the rule's family have."""
    return {"alpha": alpha, "beta1": betas[0], "beta2": betas[1], "lambda": lambda_}


def learned_parameters(
    events: _Sized, report: Mapping[str, Any], started: float, *, rule: str, **facts: Any
) -> dict[str, Any]:
    """The ``parameters`` of what a rule learned."""
    reported = {name: report[name] for name in _REPORTED if name in report}
    return record(rule, started, **facts, **of_events(events), **reported)
