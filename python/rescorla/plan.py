"""What learners share: who has which place, what to start from, what to warn of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from rescorla.arguments import chosen, in_rows, numbered, places
from rescorla.warn import NumericalWarning, warn
from rescorla.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Named(Protocol):
    """What has cues and outcomes."""

    @property
    def cues(self) -> tuple[str, ...]: ...

    @property
    def outcomes(self) -> tuple[str, ...]: ...


class Plan(NamedTuple):
    """Which name has which place: in the events, the engine, the result and the initial weights."""

    all_cues: tuple[str, ...]
    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    cue_rows: NDArray[np.int64]
    outcome_columns: NDArray[np.int64]
    keep_rows: NDArray[np.int64] | None
    initial_columns: NDArray[np.int64] | None


def plan_of(
    events: Named, cues: Iterable[str] | None, outcomes: Iterable[str] | None, initial: Weights | None
) -> Plan:
    """The names of the initial weights first, then those of the events; or those that are chosen."""
    rows = _united(() if initial is None else initial.cues, events.cues)
    columns = _united(() if initial is None else initial.outcomes, events.outcomes)
    all_cues, all_outcomes = tuple(rows), tuple(columns)
    keep_rows = None if cues is None else chosen("cues", cues, rows)
    if outcomes is not None:
        keep_columns = chosen("outcomes", outcomes, columns)
        all_outcomes = tuple(all_outcomes[column] for column in keep_columns)
        columns = numbered(all_outcomes)
    return Plan(
        all_cues=all_cues,
        cues=all_cues if keep_rows is None else tuple(all_cues[row] for row in keep_rows),
        outcomes=all_outcomes,
        cue_rows=places(events.cues, rows),
        outcome_columns=places(events.outcomes, columns),
        keep_rows=keep_rows,
        initial_columns=None if initial is None else places(all_outcomes, initial.outcome_numbers),
    )


def _united(first: Iterable[str], more: Iterable[str]) -> dict[str, int]:
    numbers = numbered(first)
    for name in more:
        numbers.setdefault(name, len(numbers))
    return numbers


def start_of(initial: Weights, element: np.dtype[Any], out: object = None) -> NDArray[Any]:
    """The initial weights as the engine takes them, apart from the array that the result goes to."""
    with np.errstate(over="ignore"):
        values = in_rows(initial.values, element)
    finite = np.isfinite(values)
    if not finite.all():
        row, column = np.unravel_index(int(finite.argmin()), finite.shape)
        raise ValueError(
            f"initial weights must be finite in {element}, but that of cue {initial.cues[row]!r} to outcome "
            f"{initial.outcomes[column]!r} is {initial.values[row, column]}"
        )
    return values.copy() if isinstance(out, np.ndarray) and np.may_share_memory(values, out) else values


_SLOWER = "lower alpha or beta so that max(beta) * sum(alpha * m^2) < 2 in every event"


@contextmanager
def naming_divergence(plan: Plan, cure: str | None = None, *, rate: str = "beta") -> Iterator[None]:
    """Name the weight that left the finite numbers, of which the engine knows only the place."""
    if cure is None:
        cure = _SLOWER if rate == "beta" else f"lower {rate} so that {rate} * sum(m^2) < 2 in every event"
    try:
        yield
    except FloatingPointError as error:
        match error.args:
            case (int(row), int(column), value):
                raise FloatingPointError(
                    f"the weight of cue {plan.all_cues[row]!r} to outcome {plan.outcomes[column]!r} became "
                    f"{value}; learning diverges: {cure}"
                ) from None
        raise


def warn_unsafe(fastest: float, report: dict[str, Any], *, scheduled: bool, rate: str = "beta") -> None:
    """Warn the user where the fastest rate is not safe in every event: `rate` is what the user calls it."""
    kappa = report["max_kappa"]
    if fastest * kappa >= 2:
        what = f"the largest {rate} * factor," if scheduled else f"{rate} ="
        # Who calls it eta has no saliences.
        size, cure = ("alpha * m^2", "beta or alpha") if rate == "beta" else ("m^2", rate)
        warn(
            f"{what} {fastest:g} may overshoot: an event has sum({size}) = {kappa:g}, so a rate is "
            f"safe only below {report['safe_rate']:g}; lower {cure}",
            NumericalWarning,
        )
