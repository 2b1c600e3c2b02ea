"""Learning in place: weights that change where they lie, at the cost of what the events have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.given import Source, events_given
from rescorla._learn.plan import Numbers, naming_divergence, warn_unknown, warn_unsafe
from rescorla._learn.record import learned_parameters, rates_of
from rescorla._learn.rule import Rule
from rescorla._learn.schedule import Factors, Schedule, name_of, tabulated
from rescorla._shared.checks import (
    PerName,
    element_type,
    is_number,
    near,
    number,
    per_name,
    rate,
    rates,
    recorded,
    thread_count,
)
from rescorla._shared.progress import Progress, part_of_passes, watching
from rescorla._shared.testing import asked
from rescorla._shared.warn import some
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

LEARN = "learn(events, initial=weights)"
"""The call that makes other weights, as errors write it."""

# What makes it one that learns in place.
_IN_PLACE = ", out=weights)"

# Numbers up to this are finite in every type of weights.
_LARGE = 1e38

# As many events as are read again faster than the names of a long stream are found.
_FEW = 64

# Tokens times columns that are nothing to watch, nor worth a second thread.
_BRIEF = 1 << 14


class Place(NamedTuple):
    """Where the names of events are in weights."""

    given: Events
    """The events as they were given."""
    events: Events
    """The same without names that do not occur."""
    rows: NDArray[np.int64]


class Change(NamedTuple):
    """What to learn, and how."""

    alpha: NDArray[np.float64]
    betas: tuple[float, float]
    lambda_: NDArray[np.float64]
    factors: Factors | None
    threads: int | None
    progress: Progress
    columns: NDArray[np.int64] | None = None
    """The column of each outcome."""
    vectors: NDArray[Any] | None = None
    """Or its vector, with a number for each column."""
    passes: int = 1
    look: Callable[[NDArray[Any]], float] | None = None
    """What is recorded of the weights after each pass."""


def learn_in_place(
    events: Source,
    weights: Weights,
    *,
    alpha: PerName,
    beta: float | tuple[float, float],
    lambda_: PerName,
    schedule: Schedule | None,
    threads: int | None,
    progress: Progress,
) -> Weights:
    """Learn events into weights that have all their names.

    A trial shall cost no more than its rows: so nothing here goes through all names of the weights in
    Python, but for the lists that ``parameters`` has where there is a number for each.
    """
    beta1, beta2 = rates(beta)
    element = weights.values.dtype
    place = placed(events_given(events, "learn", progress=progress), weights, LEARN)
    events = place.events
    columns = located("outcome", events.outcomes, weights._column_numbers, LEARN)
    alphas = _saliences(alpha, events, weights, place.rows, element)
    lambdas = _maximal(lambda_, events, weights, columns, element)
    factors = None if schedule is None else tabulated(schedule, events.n_tokens, (beta1, beta2), element)
    started = perf_counter()
    change = Change(
        alphas.values, (beta1, beta2), lambdas.values, factors, threads, progress, columns=columns
    )
    report = changed(weights, place, change)
    weights.parameters = learned_parameters(
        place.given,
        report,
        started,
        **Rule().recorded(),
        **rates_of(alphas.recorded, (beta1, beta2), lambdas.recorded),
        schedule=None if schedule is None else name_of(schedule),
        average=False,
        dtype=type_name(element),
        continued=True,
    )
    fastest = max(beta1, beta2) if factors is None else factors.fastest
    warn_unsafe(fastest, report["max_kappa"], scheduled=factors is not None)
    return weights


def check_weights(initial: object, out: Weights, dtype: DTypeLike, call: str) -> None:
    """ValueError for weights that cannot be learned in place."""
    if initial is not out:
        raise ValueError(
            "out may be weights only to learn them in place, which needs the same ones as initial: "
            f"{call.removesuffix(')')}{_IN_PLACE}"
        )
    if not isinstance(out.data, np.ndarray):
        raise ValueError(
            "out must be weights in memory to be learned in place, and these are in a store; give the "
            "path of another store"
        )
    if out.state:
        raise ValueError(
            f"out must be weights without states, and these have {', '.join(out.state)}, which do not "
            "change in place; take rescorla.Weights(weights.values, weights.cues, weights.outcomes)"
        )
    element = out.data.dtype
    # The default may be what nobody asked for.
    if element_type(dtype) not in (element, np.float64):
        raise refusal("dtype", f"these weights are of {element} and stay so")
    if not out.data.flags.writeable:
        raise ValueError(
            "out must be writeable to be learned in place, but the array of these weights is read-only, as "
            "load_weights maps .npy files; copy them: Weights(weights.values.copy(), weights.cues, "
            "weights.outcomes)"
        )


def refusal(argument: str, why: str) -> ValueError:
    """The error for what cannot be done to weights in place."""
    return ValueError(f"{argument} does not go with weights as out: {why}; leave one of the two away")


def type_name(element: np.dtype[Any]) -> str:
    """The name of a type of weights: a trial is short, and str of a dtype is not."""
    return "float64" if element == np.float64 else "float32"


def placed(given: Events, weights: Weights, call: str) -> Place:
    """The rows that the cues of events have, at the cost of the names that occur."""
    events = _with_names_that_occur(given, weights)
    return Place(given, events, located("cue", events.cues, weights._row_numbers, call))


def changed(weights: Weights, place: Place, change: Change) -> dict[str, Any]:
    """Learn the events into the weights where they lie, and tell how it went."""
    events, n_tokens, factors = place.events, place.events.n_tokens, change.factors
    brief = n_tokens * change.passes * len(weights.outcomes) < _BRIEF
    # The engine takes one thread for little work, and a bar would be gone before it were drawn.
    threads, progress = change.threads, change.progress
    n_threads = 1 if brief and threads is None else thread_count(threads)
    idle = brief and progress is None
    columns = np.full(len(events.outcomes), -1) if change.columns is None else change.columns
    history: list[float] = []
    n = change.passes * n_tokens
    with nullcontext() if idle else watching(progress, "learning", "tokens", n) as watch:
        for made in range(change.passes):
            those = slice(made * n_tokens, (made + 1) * n_tokens)
            of_pass = None if factors is None else (factors.present[those], factors.absent[those])
            try:
                report = _core.learn_in_place(
                    events._file,
                    alpha=change.alpha,
                    beta1=change.betas[0],
                    beta2=change.betas[1],
                    lambda_=change.lambda_,
                    schedule=of_pass,
                    rows=place.rows,
                    outcome_columns=columns,
                    vectors=change.vectors,
                    out=weights.values,
                    threads=n_threads,
                    **asked("kernel", "tile"),
                    progress=part_of_passes(watch, made, 1, change.passes),
                )
            except FloatingPointError as error:
                with naming_divergence(weights.cues, weights.outcomes):
                    raise error
            except ValueError as error:
                raise _naming_start(error, weights) from None
            if change.look is not None:
                history.append(change.look(weights.values))
    return {**report, "history": history}


def _with_names_that_occur(events: Events, weights: Weights) -> Events:
    """The events without the names that only other events of their stream have.

    To find all names of a long stream takes longer than to learn a few events; and the weights may lack some.
    """
    if len(events) > _FEW:
        cues, outcomes = weights._row_numbers.keys(), weights._column_numbers.keys()
        if cues >= set(events.cues) and outcomes >= set(events.outcomes):
            return events
    return Events(_core.compile_events(events, None, "keep", None, None))


def located(kind: str, names: tuple[str, ...], numbers: Mapping[str, int], call: str) -> NDArray[np.int64]:
    """The place of each name, all of which the weights must have."""
    try:
        return np.array([numbers[name] for name in names], dtype=np.int64)
    except KeyError:
        missing = [name for name in names if name not in numbers]
        raise KeyError(
            f"out must have all names of the events to be learned in place, but lacks the {kind}"
            f"{'s' if len(missing) > 1 else ''} {some(missing)}{near(missing[0], numbers)}; "
            f"{call} makes room for new names"
        ) from None


def _saliences(
    alpha: PerName, events: Events, weights: Weights, rows: NDArray[np.int64], element: np.dtype[Any]
) -> Numbers:
    """The salience of each cue of the events."""
    if isinstance(alpha, Mapping):
        warn_unknown("alpha", alpha, weights._row_numbers, "cue")
        values = per_name("alpha", alpha, events.cues, "cue", element)
        known = np.zeros(len(weights.cues))
        known[rows] = values
        return Numbers(values, known.tolist())
    if is_number(alpha):
        values = _alike("alpha", alpha, events.cues, "cue", element)
        return Numbers(values, recorded(alpha, values))
    values = per_name("alpha", alpha, weights.cues, "cue", element)
    return Numbers(values[rows], values.tolist())


def _maximal(
    lambda_: PerName, events: Events, weights: Weights, columns: NDArray[np.int64], element: np.dtype[Any]
) -> Numbers:
    """The asymptote of each column; that of an outcome that no event has is not looked at."""
    if not isinstance(lambda_, Mapping):
        each = _alike if is_number(lambda_) else per_name
        values = each("lambda_", lambda_, weights.outcomes, "outcome", element, negative=True)
        return Numbers(values, recorded(lambda_, values))
    warn_unknown("lambda_", lambda_, weights._column_numbers, "outcome")
    values = np.zeros(len(weights.outcomes))
    values[columns] = per_name("lambda_", lambda_, events.outcomes, "outcome", element, negative=True)
    return Numbers(values, values.tolist())


def _alike(
    argument: str,
    value: Any,
    names: tuple[str, ...],
    kind: str,
    element: np.dtype[Any],
    *,
    negative: bool = False,
) -> NDArray[np.float64]:
    """As `per_name` for one number, which is checked once and not in every place."""
    one = (number if negative else rate)(argument, value)
    if abs(one) > _LARGE and element != np.float64:
        return per_name(argument, value, names, kind, element, negative=negative)
    return np.full(len(names), one)


def _naming_start(error: ValueError, weights: Weights) -> ValueError:
    """The error with the names of a weight that is not finite, of which the engine knows only the place."""
    match error.args:
        case (int(row), int(column), value):
            return ValueError(
                "out must be finite in the rows of the events' cues to be learned in place, but the weight "
                f"of cue {weights.cues[row]!r} to outcome {weights.outcomes[column]!r} is {value}; nothing "
                "was learned"
            )
    return error
