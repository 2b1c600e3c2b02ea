"""What learners share: who has which place, what to start from, what to warn of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

import rescorla._core as _core
from rescorla._shared.checks import (
    PerName,
    chosen,
    element_type,
    in_rows,
    near,
    numbered,
    per_name,
    places,
    rates,
    recorded,
    room,
)
from rescorla._shared.warn import NumericalWarning, some, warn
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


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
    rows = united(() if initial is None else initial.cues, events.cues)
    columns = united(() if initial is None else initial.outcomes, events.outcomes)
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
        initial_columns=None if initial is None else places(all_outcomes, initial._column_numbers),
    )


def rule_of(
    dtype: DTypeLike, beta: float | tuple[float, float], initial: object
) -> tuple[np.dtype[Any], tuple[float, float]]:
    """The type of the weights and the two rates; an error for what is wrong whatever the events are."""
    if initial is not None:
        need_weights(initial, "initial")
    return element_type(dtype), rates(beta)


class Numbers(NamedTuple):
    """A parameter of each name: for the engine, and as the result tells it."""

    values: NDArray[np.float64]
    recorded: float | list[float]


def saliences(alpha: PerName, plan: Plan, events: Named, element: np.dtype[Any]) -> Numbers:
    """The salience of each cue; a mapping need not have those that no event has."""
    if not isinstance(alpha, Mapping):
        values = per_name("alpha", alpha, plan.all_cues, "cue", element)
        return Numbers(values, recorded(alpha, values if plan.keep_rows is None else values[plan.keep_rows]))
    warn_unknown("alpha", alpha, set(plan.all_cues), "cue")
    learned = np.zeros(len(plan.all_cues), dtype=np.bool_)
    learned[plan.cue_rows] = True
    values = _of_mapping("alpha", alpha, plan.all_cues, learned, "cue", element)
    known = np.where(np.isnan(values), 0.0, values)
    # One salience for all is faster than several, and that of a cue that no event has changes nothing.
    values[np.isnan(values)] = next(iter(values[learned]), 0.0)
    return Numbers(values, (known if plan.keep_rows is None else known[plan.keep_rows]).tolist())


def maximal(
    lambda_: PerName, plan: Plan, events: Named, initial: Weights | None, element: np.dtype[Any]
) -> Numbers:
    """The asymptote of each outcome; a mapping need not have those that no event has."""
    if not isinstance(lambda_, Mapping):
        values = per_name("lambda_", lambda_, plan.outcomes, "outcome", element, negative=True)
        return Numbers(values, recorded(lambda_, values))
    known = {*plan.outcomes, *events.outcomes, *(() if initial is None else initial.outcomes)}
    warn_unknown("lambda_", lambda_, known, "outcome")
    learned = np.zeros(len(plan.outcomes), dtype=np.bool_)
    learned[plan.outcome_columns[plan.outcome_columns >= 0]] = True
    values = _of_mapping("lambda_", lambda_, plan.outcomes, learned, "outcome", element, negative=True)
    values = np.where(np.isnan(values), 0.0, values)
    return Numbers(values, values.tolist())


def _of_mapping(
    argument: str,
    mapping: Mapping[str, float],
    names: tuple[str, ...],
    needed: NDArray[np.bool_],
    kind: str,
    element: np.dtype[Any],
    *,
    negative: bool = False,
) -> NDArray[np.float64]:
    """The entry of each name; NaN where there is none for one that is not needed."""
    values = np.full(len(names), np.nan)
    has = needed | np.fromiter((name in mapping for name in names), dtype=np.bool_, count=len(names))
    there = tuple(name for name, there in zip(names, has.tolist(), strict=True) if there)
    values[has] = per_name(argument, mapping, there, kind, element, negative=negative)
    return values


def warn_unknown(
    argument: str, value: PerName, known: Collection[str], kind: Literal["cue", "outcome"]
) -> None:
    """Warn of entries for names that are nowhere, if a parameter is a mapping."""
    unknown = [name for name in value if name not in known] if isinstance(value, Mapping) else []
    if unknown:
        which = {"cue": "a cue", "outcome": "an outcome"}[kind] if len(unknown) == 1 else f"{kind}s"
        warn(
            f"{argument} has entries for {some(unknown)}, not {which} of these events or initial weights: "
            f"they do nothing; correct the names or take them out{near(unknown[0], known)}"
        )


def warn_unshared(initial: Weights, plan: Plan, events: Named) -> None:
    """Warn where no name of the events is in the initial weights."""
    if not events.cues or not initial.cues:
        return
    if int(plan.cue_rows.min()) < len(initial.cues):
        return
    if any(name in initial._column_numbers for name in events.outcomes):
        return
    warn(
        f"initial shares no name with the events, whose cues are {some(events.cues, 3)}, while its own are "
        f"{some(initial.cues, 3)}: nothing goes on from it; give weights that were learned from such events"
    )


def united(first: Iterable[str], more: Iterable[str]) -> dict[str, int]:
    numbers = numbered(first)
    for name in more:
        numbers.setdefault(name, len(numbers))
    return numbers


def sized(shape: tuple[int, int], element: np.dtype[Any]) -> str:
    """Weights of a shape, for a message."""
    return f"{shape[0]:,} x {shape[1]:,} weights of {element} (cues x outcomes)"


def start_of(initial: Weights, element: np.dtype[Any], out: object = None) -> NDArray[Any]:
    """The initial weights as the engine takes them, apart from the array that the result goes to."""
    with np.errstate(over="ignore"):
        values = in_rows(np.asarray(initial), element)
    finite = np.isfinite(values)
    if not finite.all():
        row, column = np.unravel_index(int(finite.argmin()), finite.shape)
        raise ValueError(
            f"initial weights must be finite in {element}, but that of cue {initial.cues[row]!r} to outcome "
            f"{initial.outcomes[column]!r} is {np.asarray(initial)[row, column]}"
        )
    return values.copy() if isinstance(out, np.ndarray) and np.may_share_memory(values, out) else values


def begun(shape: tuple[int, int], initial: Weights, element: np.dtype[Any]) -> NDArray[Any]:
    """The initial weights, whose names come first, and zeros for others."""
    values = np.zeros(shape, dtype=element)
    values[: len(initial.cues), : len(initial.outcomes)] = start_of(initial, element)
    return values


def result_array(
    out: object, shape: tuple[int, ...], element: np.dtype[Any], what: str, cure: str
) -> NDArray[Any]:
    """Zeros to write a result to: a new array, for which there may be no room, or the caller's if it fits."""
    if out is None:
        return room(what, shape, element, cure)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array or the path of a .npy file, not {type(out).__name__}")
    if out.shape != shape or out.dtype != element:
        raise ValueError(
            f"out must be an array of {element} of shape {shape}, not of {out.dtype} of shape {out.shape}"
        )
    if not out.flags.writeable:
        raise ValueError("out must be writeable; this array is read-only")
    # By the engine, which refuses one that is at work in another call, or lies wrong.
    _core.clear(out)
    return out


# What the user calls the learning rate.
RATE: ContextVar[str] = ContextVar("rate", default="beta")


# Whether the rate is known to suit every token, however large its kappa is.
SAFE: ContextVar[bool] = ContextVar("safe", default=False)


@contextmanager
def naming_rate(name: str, *, safe: bool = False) -> Iterator[None]:
    """Messages call the learning rate so, and do not warn of it if it is safe."""
    tokens = RATE.set(name), SAFE.set(safe)
    try:
        yield
    finally:
        RATE.reset(tokens[0])
        SAFE.reset(tokens[1])


_SLOWER = "lower alpha or beta so that max(beta) * sum(alpha * m^2) < 2 in every event"


@contextmanager
def naming_divergence(
    cues: tuple[str, ...], outcomes: tuple[str, ...], cure: str | None = None
) -> Iterator[None]:
    """Name the weight that became infinite or NaN, of which the engine knows only the place."""
    rate = RATE.get()
    if cure is None:
        cure = _SLOWER if rate == "beta" else f"lower {rate} so that {rate} * sum(m^2) < 2 in every event"
    try:
        yield
    except FloatingPointError as error:
        match error.args:
            case (int(row), int(column), value):
                raise FloatingPointError(
                    f"the weight of cue {cues[row]!r} to outcome {outcomes[column]!r} became {value}; "
                    f"learning diverges: {cure}"
                ) from None
        raise


def warn_unsafe(
    fastest: float, kappa: float, *, scheduled: bool, retention: float = 1.0, of_cue: bool = False
) -> None:
    """Warn the user where the fastest rate is not safe in every event; or, for each cue by itself, in any."""
    if SAFE.get() or fastest * kappa < 1 + retention:
        return
    # Who calls it eta has no saliences.
    size = "alpha * m^2" if RATE.get() == "beta" else "m^2"
    has = f"a cue has alpha = {kappa:g}" if of_cue else f"an event has sum({size}) = {kappa:g}"
    safe = (1 + retention) / kappa
    warn(overshooting(RATE.get(), fastest, has, safe, scheduled=scheduled), NumericalWarning)


def overshooting(rate: str, fastest: float, has: str, safe: float, *, scheduled: bool = False) -> str:
    """What to tell the user whose rate is too large for something that has so much of what is learned by."""
    what = f"{rate} * factor, {fastest:g} at most," if scheduled else f"{rate} = {fastest:g}"
    cure = "beta or alpha" if rate == "beta" else rate
    return f"{what} may overshoot: {has}, so a rate is safe only below {safe:g}; lower {cure}"
