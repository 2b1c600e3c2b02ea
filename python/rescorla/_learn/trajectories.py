"""Weights on the way: what they were after chosen tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import rescorla._core as _core
from rescorla._events.given import Source, events_given
from rescorla._learn.plan import Plan, naming_divergence, rule_of, united
from rescorla._learn.probes import probes_of
from rescorla._learn.record import learned_parameters
from rescorla._learn.request import request_of
from rescorla._learn.rule import RuleName, rule_given
from rescorla._learn.schedule import Schedule
from rescorla._learn.trajectory import Trajectories
from rescorla._shared.checks import (
    PerName,
    chosen,
    numbered,
    one_of,
    only_names,
    room,
    several,
    shown,
    thread_count,
    unmasked,
    whole,
)
from rescorla._shared.progress import Progress, watching
from rescorla._shared.warn import warn
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

# What the engine says of how it learned.
_CURE = "record fewer tokens (every=, at=) or fewer weights"
_FEWER = 'record fewer tokens (every=, at=) or outcomes (outcomes=), or give predictions="present"'


def trajectories(
    events: Source,
    pairs: Iterable[tuple[str, str]] | None = None,
    *,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    every: int = 1,
    at: ArrayLike | None = None,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    rule: RuleName = "rescorla_wagner",
    rule_parameters: Mapping[str, float] | None = None,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike = "float64",
    predictions: bool | Literal["present"] = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Trajectories:
    """Learn as `learn` does, and record weights on the way.

    The weights recorded after token t are, bit for bit, those of ``learn(..., method="forward")`` on the
    first t tokens. A row of frequency f is f tokens: weights can be recorded inside it.

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What to learn from: Events, or a source that `read_events` takes, which is read first. An iterable is
        read once.
    pairs : iterable of (str, str), optional
        The weights to record, as pairs (cue, outcome).
    cues, outcomes : iterable of str, optional
        Without `pairs`: record the weights of all these cues to all these outcomes. Without ``cues`` those of
        all cues, without ``outcomes`` those to all outcomes. All cues predict, recorded or not.
    every : int, default 1
        Record the first weights, those after tokens every, 2 * every, ..., and those after the last. If there
        are fewer tokens than `every`, there is a warning.
    at : array_like of int, optional
        Record only after these tokens, in rising order. 0 is before the first token: the initial weights, or
        zeros.
    alpha, beta, lambda_, rule, rule_parameters, retention, schedule, initial, dtype, threads, progress
        As in `learn`. A mapping or array `lambda_` is for the recorded outcomes only.
    predictions : bool or "present", default False
        Also record, for each recorded token, what is predicted just before it is learned: in ``predictions``
        the activations and errors of its outcomes, in ``all_predictions`` the activations of all recorded
        outcomes, also of those that are absent. "present" records the former alone. Token 0 has none.

    Returns
    -------
    Trajectories
        Tokens, values, names; by ``to_xarray()`` and ``to_pandas()`` in the form of these libraries. In
        ``probes`` what was predicted of the recorded outcomes at each probe, which is an event of frequency
        0, up to the last recorded token, whichever cues and tokens are recorded. Of a `design` also its
        phases. By rules that change them, ``saliences``.

    Raises
    ------
    ValueError, KeyError, TypeError, FloatingPointError, FormatError, OSError
        As `learn`.
    MemoryError
        When there is no memory for the record.

    Warns
    -----
    RescorlaWarning
        As `learn`; if `every` is more than the number of tokens; and if there are so many probes that
        ``probes`` would have more than 1,000,000 entries: it is None then.

    Notes
    -----
    Only the recorded outcomes are learned, and only up to the last recorded token.

    What is recorded takes n_times x n_pairs or n_times x n_cues x n_outcomes elements of `dtype`, and 32
    bytes for each of the n_times. Learning takes what `learn` takes, for the outcomes that are recorded.
    Predictions take 80 bytes for each outcome of a recorded token while they are made, and 32 in the result;
    those of all outcomes take n_times x n_outcomes elements of `dtype`. To have the predictions before every
    token of a large corpus, record no weights: ``cues=[]``, and the outcomes that are wanted. A schedule
    takes 8 bytes a token up to the last recorded one, 16 where beta1 and beta2 have different factors.

    See Also
    --------
    learn : the weights after the last token.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("light", "food", 100), ("light_tone", "food", 100)]
    ... )
    >>> traj = rw.trajectories(
    ...     events,
    ...     [("light", "food"), ("tone", "food")],
    ...     every=50,
    ...     alpha=0.2,
    ...     beta=0.2,
    ... )
    >>> traj["light", "food"].round(2)
    array([0.  , 0.87, 0.98, 0.99, 0.99])
    >>> traj["tone", "food"].round(2)
    array([0.  , 0.  , 0.  , 0.01, 0.01])
    >>> early = rw.trajectories(
    ...     events, at=[0, 1, 2], alpha=0.2, beta=0.2, predictions=True
    ... )
    >>> early["light", "food"]
    array([0.    , 0.04  , 0.0784])
    >>> early.predictions["error"]
    array([1.  , 0.96])

    What is predicted before every token, also where the outcome is absent:

    >>> extinction = rw.read_events([("tone", "shock", 2), ("tone", "", 2)])
    >>> rw.trajectories(
    ...     extinction, outcomes=["shock"], alpha=1.0, beta=0.5, predictions=True
    ... ).all_predictions
    array([[0.   ],
           [0.5  ],
           [0.75 ],
           [0.375]])

    A probe is recorded by itself, be it of a design or another event of frequency 0:

    >>> blocking = rw.design("A+ 40 | AB+ 40 | B? / AB?")
    >>> probes = rw.trajectories(blocking, at=[80], alpha=0.2, beta=0.2).probes
    >>> list(zip(probes["cues"], probes["activation"].round(2)))
    [(('B',), np.float64(0.09)), (('A', 'B'), np.float64(0.99))]
    """
    element, _ = rule_of(dtype, beta, initial)
    given = rule_given(rule, rule_parameters, retention, element)
    n_threads, (present, absent) = thread_count(threads), _predicted(predictions)
    cells = None if pairs is None else _pairs(pairs)
    if cells is not None:
        if cues is not None or outcomes is not None:
            raise ValueError(
                "pairs does not go with cues or outcomes, which ask for other weights; give one or the other"
            )
        cues, outcomes = (list(dict.fromkeys(pair[side] for pair in cells)) for side in (0, 1))
    events = events_given(events, "trajectories", progress=progress)
    if cells is not None:
        # A name that is unknown is told as one of pairs, and not as one of cues, which nobody gave.
        for side, kind in enumerate(("cues", "outcomes")):
            known = united(getattr(initial, kind, ()), getattr(events, kind))
            chosen("pairs", dict.fromkeys(pair[side] for pair in cells), known, kind)
    tokens = _tokens(every, at, events.n_tokens)
    n_learned = int(tokens[-1]) if len(tokens) else 0
    request = request_of(
        events,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        rule=given,
        schedule=schedule,
        cues=cues,
        outcomes=outcomes,
        initial=initial,
        dtype=dtype,
        n_tokens=n_learned,
    )
    plan = request.plan
    rows, columns = _places(plan, cells)
    n_cells = len(plan.cues) * len(plan.outcomes) if cells is None else len(cells)
    n_times, n_outcomes = len(tokens), len(plan.outcomes)
    values = room("trajectories", n_times * n_cells, element, _CURE)
    has_salience = "salience" in given.kind.states
    salience = room("saliences", n_times * n_cells if has_salience else 0, element, _CURE)
    before = room("predictions", n_times * n_outcomes if absent else 0, element, _FEWER)
    probes = probes_of(events, n_learned, n_outcomes)
    n_probes = 0 if probes is None else len(probes.tokens)
    probed = np.zeros(n_probes * n_outcomes, dtype=element)
    none = np.zeros(0, dtype=np.int64)
    started = perf_counter()
    named = naming_divergence(plan.all_cues, plan.outcomes)
    with watching(progress, "learning", "tokens", n_learned) as watch, named:
        report = _core.trajectories(
            events._file,
            **request.told(),
            tokens=tokens,
            rows=rows,
            columns=columns,
            predictions=present,
            probes=(none, none, none) if probes is None else probes.told(plan.cue_rows),
            out=values,
            saliences=salience,
            predicted=before,
            probed=probed,
            threads=n_threads,
            progress=watch,
        )
    parameters = learned_parameters(events, report, started, **request.recorded())
    # They have no mean over all tokens.
    del parameters["average"]
    request.warn_unsafe(report)

    def filled(numbers: NDArray[Any]) -> NDArray[Any]:
        # By the engine: outcome after outcome, each token after token, each cue after cue; or pairs.
        if cells is not None:
            return numbers.reshape(len(cells), n_times).T
        return numbers.reshape(n_outcomes, n_times, len(plan.cues)).transpose(1, 2, 0)

    return Trajectories(
        tokens,
        filled(values),
        None if cells is None else tuple(cells),
        plan.cues,
        plan.outcomes,
        parameters,
        _predictions(report, tokens, plan.outcomes, element) if present else None,
        None if probes is None else probes.table(probed.reshape(n_outcomes, n_probes).T, plan.outcomes),
        events.phases,
        before.reshape(n_outcomes, n_times).T[np.count_nonzero(tokens == 0) :] if absent else None,
        filled(salience) if has_salience else None,
    )


def _predicted(predictions: object) -> tuple[bool, bool]:
    """Whether to record the predictions of the present outcomes, and of all."""
    wanted = bool(predictions) if isinstance(predictions, np.bool_) else predictions
    one_of("predictions", wanted, (False, True, "present"))
    return wanted is not False, wanted is True


def _pairs(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], None]:
    """The pairs, each once, in order."""
    found: dict[tuple[str, str], None] = {}
    for pair in several("pairs", pairs, "pairs (cue, outcome)"):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"pairs must be pairs (cue, outcome) of names, not {shown(pair)}")
        cue, outcome = only_names("pairs must be pairs (cue, outcome) of names", pair)
        if (cue, outcome) in found:
            raise ValueError(f"pairs names {(cue, outcome)!r} twice; name it once")
        found[cue, outcome] = None
    return found


def _places(
    plan: Plan, cells: Iterable[tuple[str, str]] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """The rows and columns to record, one by one; all columns of the rows where the columns are None."""
    rows = np.arange(len(plan.cues)) if plan.keep_rows is None else plan.keep_rows
    if cells is None:
        return rows, None
    row_of, column_of = dict(zip(plan.cues, rows.tolist(), strict=True)), numbered(plan.outcomes)
    places = [(row_of[cue], column_of[outcome]) for cue, outcome in cells]
    rows, columns = np.array(places, dtype=np.int64).reshape(-1, 2).T.copy()
    return rows, columns


def _tokens(every: int, at: ArrayLike | None, n_tokens: int) -> NDArray[np.int64]:
    """The tokens to record."""
    step = whole("every", every, 1)
    if at is None:
        if step > n_tokens > 0:
            warn(
                f"every = {step} is more than the number of tokens, {n_tokens}: the first and the last "
                "weights are recorded alone; give a smaller number, or tokens as at"
            )
        # 0, then multiples, then the last token, whether it is one or not.
        n_times = 1 - (-n_tokens // step)
        tokens = room("the tokens to record", n_times, np.dtype(np.int64), _CURE)
        tokens[:-1] = np.arange(n_times - 1) * step
        tokens[-1] = n_tokens
        return tokens
    if step != 1:
        raise ValueError("every and at ask for different things; give one of them")
    given = np.asarray(unmasked("at", at))
    if given.ndim != 1:
        raise TypeError(f"at must be several numbers of tokens, not {shown(at)}; write [10, 20]")
    if given.size and given.dtype.kind not in "iu":
        wrong = next((each for each in given.tolist() if type(each) is not int), at)
        raise TypeError(
            f"at must be whole numbers of tokens from 0 to {n_tokens}, not {shown(wrong)}; write "
            f"[{n_tokens}] for the last, [0] for the first weights"
        )
    if given.size and (int(given.min()) < 0 or int(given.max()) > n_tokens):
        outside = int(given.min()) if int(given.min()) < 0 else int(given.max())
        raise ValueError(f"at must be tokens from 0 to {n_tokens}, as the events have, not {outside}")
    tokens = given.astype(np.int64)
    falling = np.flatnonzero(tokens[1:] <= tokens[:-1])
    if falling.size:
        before, after = tokens[falling[0] : falling[0] + 2].tolist()
        raise ValueError(f"at must rise from token to token, but {after} comes after {before}")
    return tokens


def _predictions(
    report: dict[str, Any], tokens: NDArray[np.int64], outcomes: tuple[str, ...], element: np.dtype[Any]
) -> NDArray[Any]:
    fields = [("token", np.int64), ("outcome", object), ("activation", element), ("error", element)]
    table = np.empty(len(report["records"]), dtype=np.dtype(fields))
    table["token"] = tokens[report["records"]]
    table["outcome"] = np.array(outcomes, dtype=object)[report["columns"]]
    table["activation"] = report["activations"]
    table["error"] = report["errors"]
    return table
