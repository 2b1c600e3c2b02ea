"""Learning in place: weights that change where they lie, at the cost of what the events have."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.given import Source, events_given
from rescorla._learn.plan import Numbers, naming_divergence, warn_unknown, warn_unsafe
from rescorla._learn.record import learned, rates_of
from rescorla._learn.rule import Rule
from rescorla._learn.schedule import Schedule, name_of, tabulated
from rescorla._shared.checks import (
    PerName,
    is_number,
    near,
    number,
    per_name,
    rate,
    rates,
    recorded,
    thread_count,
)
from rescorla._shared.progress import Progress, watching
from rescorla._shared.testing import asked
from rescorla._shared.warn import some
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers up to this are finite in every type of weights.
_LARGE = 1e38

# As many events as are read again faster than the names of a long stream are found.
_FEW = 64

# Tokens times columns that are nothing to watch, nor worth a second thread.
_BRIEF = 1 << 14


class _Names(NamedTuple):
    """The names of the places in the weights."""

    all_cues: tuple[str, ...]
    outcomes: tuple[str, ...]


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
    values = weights.values
    if not values.flags.writeable:
        raise ValueError(
            "out must be writeable to be learned in place, but the array of these weights is read-only, as "
            "load_weights maps .npy files; copy them: Weights(weights.values.copy(), weights.cues, "
            "weights.outcomes)"
        )
    element = values.dtype
    given = events_given(events, "learn", progress=progress)
    events = _with_names_that_occur(given, weights)
    rows = _located("cue", events.cues, weights._row_numbers)
    columns = _located("outcome", events.outcomes, weights._column_numbers)
    alphas = _saliences(alpha, events, weights, rows, element)
    lambdas = _maximal(lambda_, events, weights, columns, element)
    factors = None if schedule is None else tabulated(schedule, events.n_tokens, (beta1, beta2), element)
    brief = events.n_tokens * len(weights.outcomes) < _BRIEF
    # The engine takes one thread for little work, and a bar would be gone before it were drawn.
    n_threads = 1 if brief and threads is None else thread_count(threads)
    started = perf_counter()
    idle = brief and progress is None
    with nullcontext() if idle else watching(progress, "learning", "tokens", events.n_tokens) as watch:
        try:
            report = _core.learn_in_place(
                events._file,
                alpha=alphas.values,
                beta1=beta1,
                beta2=beta2,
                lambda_=lambdas.values,
                schedule=None if factors is None else (factors.present, factors.absent),
                rows=rows,
                outcome_columns=columns,
                out=values,
                threads=n_threads,
                **asked("kernel", "tile"),
                progress=watch,
            )
        except FloatingPointError as error:
            with naming_divergence(_Names(weights.cues, weights.outcomes)):
                raise error
        except ValueError as error:
            raise _naming_start(error, weights) from None
    weights.parameters = learned(
        given,
        report,
        started,
        **Rule().recorded(),
        **rates_of(alphas.recorded, (beta1, beta2), lambdas.recorded),
        schedule=None if schedule is None else name_of(schedule),
        average=False,
        # A trial is short, and str of a dtype is not.
        dtype="float64" if element == np.float64 else "float32",
        continued=True,
    )
    fastest = max(beta1, beta2) if factors is None else factors.fastest
    warn_unsafe(fastest, report["max_kappa"], scheduled=factors is not None)
    return weights


def _with_names_that_occur(events: Events, weights: Weights) -> Events:
    """The events without the names that only other events of their stream have.

    To find all names of a long stream takes longer than to learn a few events; and the weights may lack some.
    """
    if len(events) > _FEW:
        cues, outcomes = weights._row_numbers.keys(), weights._column_numbers.keys()
        if cues >= set(events.cues) and outcomes >= set(events.outcomes):
            return events
    return Events(_core.compile_events(events, None, "keep", None, None))


def _located(kind: str, names: tuple[str, ...], numbers: Mapping[str, int]) -> NDArray[np.int64]:
    """The place of each name, all of which the weights must have."""
    try:
        return np.array([numbers[name] for name in names], dtype=np.int64)
    except KeyError:
        missing = [name for name in names if name not in numbers]
        raise KeyError(
            f"out must have all names of the events to be learned in place, but lacks the {kind}"
            f"{'s' if len(missing) > 1 else ''} {some(missing)}{near(missing[0], numbers)}; "
            "learn(events, initial=weights) makes room for new names"
        ) from None


def _saliences(
    alpha: PerName, events: Events, weights: Weights, rows: NDArray[np.int64], element: np.dtype[Any]
) -> Numbers:
    """The salience of each cue of the events."""
    if isinstance(alpha, Mapping):
        _check_names("alpha", alpha, weights._row_numbers, "cue")
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
    if is_number(lambda_):
        values = _alike("lambda_", lambda_, weights.outcomes, "outcome", element, negative=True)
        return Numbers(values, recorded(lambda_, values))
    if not isinstance(lambda_, Mapping):
        values = per_name("lambda_", lambda_, weights.outcomes, "outcome", element, negative=True)
        return Numbers(values, recorded(lambda_, values))
    _check_names("lambda_", lambda_, weights._column_numbers, "outcome")
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


def _check_names(argument: str, mapping: Mapping[str, float], numbers: Mapping[str, int], kind: str) -> None:
    """Warn of entries for names that the weights do not have."""
    # Of dicts it is C that goes through the names.
    if not mapping.keys() <= numbers.keys():
        warn_unknown(argument, mapping, numbers, kind)


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
