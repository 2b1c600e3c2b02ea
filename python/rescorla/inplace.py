"""Learning in place: weights that change where they lie, at the cost of what the events have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla import _core
from rescorla.arguments import (
    PathName,
    PerName,
    is_number,
    near,
    per_name,
    rates,
    recorded,
    thread_count,
)
from rescorla.events import Events
from rescorla.plan import Numbers, naming_divergence, warn_unknown, warn_unsafe
from rescorla.progress import Progress, watching
from rescorla.schedules import Schedule, name_of, tabulated
from rescorla.sources import as_events
from rescorla.warn import some
from rescorla.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What the engine says of how it learned.
_TOLD = ("method", "updates_forward", "updates_adjoint", "kernel", "threads")

# Tokens times columns from which on there may be something to see of the progress.
_LONG = 1_000_000


class _Names(NamedTuple):
    """The names of the places in the weights."""

    all_cues: tuple[str, ...]
    outcomes: tuple[str, ...]


def learn_in_place(
    events: Events | PathName,
    weights: Weights,
    *,
    alpha: PerName,
    beta: float | tuple[float, float],
    lambda_: PerName,
    schedule: Schedule | None,
    threads: int | None,
    progress: Progress,
    kernel: str | None,
    tile: int | None,
) -> Weights:
    """Learn events into weights that have all their names.

    A trial shall cost no more than its rows: so nothing here goes through all names of the weights in
    Python, but for the lists that ``parameters`` has where there is a number for each.
    """
    beta1, beta2 = rates(beta)
    n_threads = thread_count(threads)
    values = weights.values
    if not values.flags.writeable:
        raise ValueError(
            "weights to learn in place must be writeable, but their array is read-only, as load_weights maps "
            ".npy files; copy them: Weights(weights.values.copy(), weights.cues, weights.outcomes)"
        )
    element = values.dtype
    events = as_events(events, progress=progress)
    rows = _located("cue", events.cues, weights.cue_numbers)
    columns = _located("outcome", events.outcomes, weights.outcome_numbers)
    alphas = _saliences(alpha, events, weights, rows, element)
    lambdas = _maximal(lambda_, events, weights, columns, element)
    factors = None if schedule is None else tabulated(schedule, events.n_tokens, (beta1, beta2), element)
    if progress is None and events.n_tokens * len(weights.outcomes) < _LONG:
        # Before a bar were drawn it would be over.
        progress = False
    started = perf_counter()
    names = _Names(weights.cues, weights.outcomes)
    with watching(progress, "learning") as watch, naming_divergence(names), _naming_start(weights):
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
            kernel=kernel,
            tile=tile,
            progress=watch,
        )
    parameters = told(
        events,
        element,
        alpha=alphas.told,
        betas=(beta1, beta2),
        lambda_=lambdas.told,
        schedule=schedule,
        average=False,
        continued=True,
    )
    weights.parameters = parameters | of_report(report, perf_counter() - started)
    fastest = max(beta1, beta2) if factors is None else factors.fastest
    warn_unsafe(fastest, report, scheduled=factors is not None)
    return weights


def _located(kind: str, names: tuple[str, ...], numbers: Mapping[str, int]) -> NDArray[np.int64]:
    """The place of each name, all of which the weights must have."""
    try:
        return np.array([numbers[name] for name in names], dtype=np.int64)
    except KeyError:
        missing = [name for name in names if name not in numbers]
        raise KeyError(
            f"weights to learn in place must have all names of the events, but lack the {kind}"
            f"{'s' if len(missing) > 1 else ''} {some(missing)}{near(missing[0], numbers)}; "
            "learn(events, initial=weights) makes room for new names"
        ) from None


def _saliences(
    alpha: PerName, events: Events, weights: Weights, rows: NDArray[np.int64], element: np.dtype[Any]
) -> Numbers:
    """The salience of each cue of the events."""
    if isinstance(alpha, Mapping):
        _check_names("alpha", alpha, weights.cue_numbers, "cue")
        values = per_name("alpha", alpha, events.cues, "cue", element)
        told = np.zeros(len(weights.cues))
        told[rows] = values
        return Numbers(values, told.tolist())
    if is_number(alpha):
        values = per_name("alpha", alpha, events.cues, "cue", element)
        return Numbers(values, recorded(alpha, values))
    values = per_name("alpha", alpha, weights.cues, "cue", element)
    return Numbers(values[rows], values.tolist())


def _maximal(
    lambda_: PerName, events: Events, weights: Weights, columns: NDArray[np.int64], element: np.dtype[Any]
) -> Numbers:
    """The maximal activation of each column; that of an outcome that no event has is not looked at."""
    if not isinstance(lambda_, Mapping):
        values = per_name("lambda_", lambda_, weights.outcomes, "outcome", element, negative=True)
        return Numbers(values, recorded(lambda_, values))
    _check_names("lambda_", lambda_, weights.outcome_numbers, "outcome")
    values = np.zeros(len(weights.outcomes))
    values[columns] = per_name("lambda_", lambda_, events.outcomes, "outcome", element, negative=True)
    return Numbers(values, values.tolist())


def _check_names(argument: str, mapping: Mapping[str, float], numbers: Mapping[str, int], kind: str) -> None:
    """Warn of entries for names that the weights do not have."""
    # Of dicts it is C that goes through the names.
    if not mapping.keys() <= numbers.keys():
        warn_unknown(argument, mapping, numbers, kind)


@contextmanager
def _naming_start(weights: Weights) -> Iterator[None]:
    """Name the weight that is not finite, of which the engine knows only the place."""
    try:
        yield
    except ValueError as error:
        match error.args:
            case (int(row), int(column), value):
                raise ValueError(
                    "weights to learn in place must be finite in the rows of the events' cues, but that of "
                    f"cue {weights.cues[row]!r} to outcome {weights.outcomes[column]!r} is {value}; nothing "
                    "was learned"
                ) from None
        raise


def told(
    events: Events,
    element: np.dtype[Any],
    *,
    alpha: float | list[float],
    betas: tuple[float, float],
    lambda_: float | list[float],
    schedule: Schedule | None,
    average: bool,
    continued: bool,
) -> dict[str, Any]:
    """The ``parameters`` of weights that `learn` makes, but for what the engine tells."""
    return {
        "rule": "rescorla-wagner",
        "alpha": alpha,
        "beta1": betas[0],
        "beta2": betas[1],
        "lambda": lambda_,
        "schedule": None if schedule is None else name_of(schedule),
        "average": average,
        "n_events": len(events),
        "n_tokens": events.n_tokens,
        "n_cues": events.n_cues,
        "n_outcomes": events.n_outcomes,
        "dtype": str(element),
        "continued": continued,
        "version": _core.__version__,
    }


def of_report(report: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """What the engine tells for ``parameters``."""
    return {name: report[name] for name in _TOLD} | {"seconds": seconds}
