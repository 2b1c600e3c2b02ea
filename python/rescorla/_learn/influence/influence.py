"""What each event did to a weight or to a prediction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

import numpy as np

import rescorla._core as _core
from rescorla._events.given import Source
from rescorla._learn.influence.asked import Pair, asked_of
from rescorla._learn.influence.event_influence import Influence
from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import PerName, room, whole
from rescorla._shared.progress import Progress
from rescorla._weights.weights import Weights

_CURE = "ask for fewer pairs, or keep the greatest alone (n=)"


@overload
def influence(
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
    n: int | None = None,
    progress: Progress = None,
) -> Influence: ...


@overload
def influence(
    events: Source,
    *,
    pairs: Iterable[Pair],
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    n: int | None = None,
    progress: Progress = None,
) -> list[Influence]: ...


def influence(
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
    n: int | None = None,
    progress: Progress = None,
) -> Influence | list[Influence]:
    """What each event did to a weight or to a prediction, exactly and without learning again.

    The weight of a cue to an outcome, or the activation of an outcome by several cues, is v'w: w are the
    weights to the outcome, v counts the cues. For a row of one token, with c its cues, a its activation and D
    the saliences, going backward through the events:

        s = v'Dc
        contribution = beta * lambda * s   where the outcome is present, 0 where it is absent
        effect = -s * beta * (lambda * o - a)
        v <- retention * v - beta * s * c

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What is learned from: Events, or a source that `read_events` takes, which is read first. An iterable
        is read once.
    cues : str or sequence of str
        A cue, for its weight; several, for the activation by all of them. A cue that is named twice counts
        twice.
    outcome : str
        The outcome.
    pairs : iterable of (str or sequence of str, str), optional
        Instead of `cues` and `outcome`: several pairs of both. Asked together they take less time.
    alpha, beta, lambda_, retention, schedule, initial, progress
        As in `learn`. A mapping or array `lambda_` is for the outcomes that are asked for only.
    n : int, optional
        Keep only the n rows with the greatest effects, fewer where others have none; by default all rows.

    Returns
    -------
    Influence, or a list of Influence where there are `pairs`
        ``rows``, ``contributions`` and ``effects``, each an array with one number a row; `top`, `by`,
        `to_pandas`.

    Raises
    ------
    ValueError, KeyError, TypeError, FloatingPointError, FormatError, OSError
        As `learn`.
    MemoryError
        When there is no memory for the result.

    Warns
    -----
    RescorlaWarning
        As `learn`.

    Notes
    -----
    Contributions sum to the weight less what the initial weights left in it. A row without the outcome adds
    nothing of its own: its contribution is 0. It may still have an effect, since it changes weights.

    An effect is the weight without the row, less the weight with it. Names of the row are kept. With
    retention below 1 or a schedule, "without" means that time passes: the tokens of the row shrink all
    weights and count in the schedule, but teach nothing. Effects of two rows do not add up: without one, the
    other has another effect.

    A row of frequency f is f tokens, and all of them are left out together. The rule is rescorla_wagner.
    Numbers are float64.

    The work is two passes over the events. Learning again without each row would be as many passes as there
    are rows. Memory is 24 bytes for each row and pair; with `n` it is 8 bytes.

    See Also
    --------
    sensitivity : what each cue's salience and the other parameters do to a weight.
    trajectories : weights on the way.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("light", "food"), ("light_tone", "food"), ("light", "")]
    ... )
    >>> found = rw.influence(events, "light", "food", alpha=1.0, beta=0.5)
    >>> found.value
    0.375
    >>> found.contributions
    array([0.125, 0.25 , 0.   ])
    >>> found.effects
    array([-0.125, -0.125,  0.375])

    The second event left out:

    >>> rw.learn(
    ...     [("light", "food"), ("light", "")], alpha=1.0, beta=0.5
    ... )["light", "food"]
    0.25
    """
    asked = asked_of(
        "influence",
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
    kept, out = None if n is None else whole("n", n, 1), None
    shape = (len(asked.events), len(asked.cues))
    if kept is None:
        contributions, effects = (
            room("influence", shape, np.dtype(np.float64), _CURE).ravel() for _ in range(2)
        )
        out = contributions, effects
    report, parameters = asked.answered(_core.influence, progress, n=kept or 0, out=out)
    if out is None:
        numbers = report["greatest"]
    else:
        rows = np.arange(len(asked.events))
        numbers = [(rows, *each) for each in zip(*(array.reshape(shape).T for array in out), strict=True)]
    found = [
        Influence(asked.events, cues, outcome, each, sums, kept, parameters)
        for cues, outcome, each, *sums in zip(
            asked.cues, asked.outcomes, numbers, report["values"], report["initial"], strict=True
        )
    ]
    return found[0] if asked.single else found
