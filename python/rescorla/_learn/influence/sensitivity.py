"""What each parameter of the rule does to a weight or to a prediction."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import overload

import rescorla._core as _core
from rescorla._events.given import Source
from rescorla._learn.influence.asked import Pair, asked_of
from rescorla._learn.influence.derivatives import Sensitivity
from rescorla._learn.plan import naming_divergence
from rescorla._learn.record import learned
from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import PerName
from rescorla._shared.progress import Progress, watching
from rescorla._weights.weights import Weights


@overload
def sensitivity(
    events: Source,
    cues: str | Iterable[str],
    outcome: str,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    progress: Progress = None,
) -> Sensitivity: ...


@overload
def sensitivity(
    events: Source,
    *,
    pairs: Iterable[Pair],
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    progress: Progress = None,
) -> list[Sensitivity]: ...


def sensitivity(
    events: Source,
    cues: str | Iterable[str] | None = None,
    outcome: str | None = None,
    *,
    pairs: Iterable[Pair] | None = None,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    progress: Progress = None,
) -> Sensitivity | list[Sensitivity]:
    """The exact derivatives of a weight or a prediction by the parameters of the rule.

    With y = v'w the weight, or the activation by several cues, as in `influence`; for each token, from the
    last to the first, with e = y at first, s = v'Dc and u = beta * (lambda * o - a):

        dy/dalpha_i   += c_i * v_i * u
        dy/dbeta1     += s * (lambda - a)   where the outcome is present
        dy/dbeta2     += -s * a             where it is absent
        dy/dlambda    += beta1 * s          where it is present
        dy/dretention += (e - s * u) / retention
        e <- e - s * u - beta * s * a
        v <- retention * v - beta * s * c

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What is learned from, as for `influence`.
    cues : str or sequence of str
        A cue, for its weight; several, for the activation by all of them.
    outcome : str
        The outcome.
    pairs : iterable of (str or sequence of str, str), optional
        Instead of `cues` and `outcome`: several pairs of both.
    alpha, beta, lambda_, retention, schedule, initial, progress
        As in `learn`. A mapping or array `lambda_` is for the outcomes that are asked for only.

    Returns
    -------
    Sensitivity, or a list of Sensitivity where there are `pairs`
        ``alpha``, an array with a number for each cue; the numbers ``beta1``, ``beta2``, ``lambda_`` and
        ``retention``; `top`.

    Raises
    ------
    ValueError, KeyError, TypeError, FloatingPointError, FormatError, OSError, MemoryError
        As `influence`.

    Warns
    -----
    RescorlaWarning
        As `learn`.

    Notes
    -----
    Where all cues have one salience, the derivative by it is ``alpha.sum()``. Where there is one rate beta,
    it is ``beta1 + beta2``. Factors of a schedule stay as they are. The derivative by the retention is there
    also where nothing is forgotten.

    The work is two passes over the events. Memory is 8 bytes for each row and outcome, and for each cue and
    pair.

    See Also
    --------
    influence : what each event does.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light", "food"), ("light_tone", "food")])
    >>> found = rw.sensitivity(
    ...     events, ["light", "tone"], "food", alpha=0.5, beta=0.5
    ... )
    >>> found.alpha
    array([0.625, 0.375])
    >>> found.top(1)
    [('light', 0.625)]
    """
    asked = asked_of(
        "sensitivity",
        events,
        cues,
        outcome,
        pairs,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        retention=retention,
        schedule=schedule,
        initial=initial,
        progress=progress,
    )
    events, request = asked.events, asked.request
    started = perf_counter()
    with (
        watching(progress, "sensitivity", "events", len(events)) as watch,
        naming_divergence(request.plan.all_cues, request.plan.outcomes),
    ):
        report = _core.sensitivity(
            events._file, **request.told(), sums=asked.told(), threads=1, progress=watch
        )
    parameters = learned(events, report, started, **request.recorded())
    # There is no mean over all tokens, and one type.
    del parameters["average"], parameters["dtype"]
    request.warn_unsafe(report)
    found = [
        Sensitivity(cues, outcome, value, request.plan.all_cues, derivatives, parameters)
        for cues, outcome, value, derivatives in zip(
            asked.cues, asked.outcomes, report["values"], report["derivatives"], strict=True
        )
    ]
    return found[0] if asked.single else found
