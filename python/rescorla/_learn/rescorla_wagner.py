"""Learning by the rule of Rescorla and Wagner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.given import Source, events_given
from rescorla._events.read import files_of_events
from rescorla._learn.in_place import LEARN, check_weights, learn_in_place, refusal
from rescorla._learn.plan import naming_divergence, result_array, rule_of, sized
from rescorla._learn.record import learned_parameters
from rescorla._learn.request import Request, request_of
from rescorla._learn.rule import FIRST, Rule, RuleName, rule_given
from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import (
    PathName,
    PerName,
    element_type,
    flag,
    one_of,
    rate,
    rates,
    room,
    thread_count,
    whole,
)
from rescorla._shared.progress import Progress, watching
from rescorla._weights import files, npy
from rescorla._weights.disk import mapped_files
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Method = Literal["auto", "forward", "adjoint"]

FEWER = "learn fewer outcomes, or in float32, or into a file on another disk"
"""What to do where a disk has no room for weights."""

_NO_ROOM = "learn fewer outcomes, or in float32"
_NO_MEMORY = "learn fewer outcomes, or in float32, or into a .npy file, which needs no memory for them"


def learn(
    events: Source,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    rule: RuleName = "rescorla_wagner",
    rule_parameters: Mapping[str, float] | None = None,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    average: bool = False,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    threads: int | None = None,
    event_memory: int | None = None,
    out: NDArray[Any] | PathName | Weights | None = None,
    resume: bool = False,
    part: tuple[int, int] | None = None,
    progress: Progress = None,
) -> Weights:
    """Learn association weights from a stream of events by the Rescorla-Wagner rule.

    For each token in order and every outcome j, with the activation a_j = sum of w_ij over the cues of the
    event:

        dw_ij = alpha_i * beta1 * (lambda_j - a_j)    cue i present, outcome j present
        dw_ij = alpha_i * beta2 * (0 - a_j)           cue i present, outcome j absent
        dw_ij = 0                                     cue i absent

    Where events keep duplicates, a cue that comes twice counts twice in a_j and is updated twice. An outcome
    that comes twice counts once. A row of frequency f is f tokens one after another.

    With ``retention=`` below 1 each token first multiplies all weights by it, those of cues that are absent,
    too; the activations are still those from before the token.

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What to learn from: Events, or a source that `read_events` takes, which is read first. An iterable is
        read once.
    alpha : float, mapping or array_like of shape (n_cues,), default 0.1
        The salience of cues: one number, or one per cue, 0 or more; 0 freezes the row of a cue. A mapping
        must have all cues of the events; an array is in the order of the rows of the result as it is without
        ``cues=``.
    beta : float or pair of float, default 0.1
        The learning rate, or the pair (beta1, beta2) of the rates for present and for absent outcomes, 0 or
        more.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The asymptote, the activation that a present outcome is to have: one number, or one per outcome. A
        mapping must have those outcomes of the result that the events have; an array is in the order of the
        result's outcomes.
    rule : str, default "rescorla_wagner"
        The rule; all but the first need the forward method, and events without duplicates:

        - "rescorla_wagner".
        - "no_competition": each cue has an error of its own, lambda_j - w_ij where the outcome is present and
          0 - w_ij where it is absent. None blocks another.
        - "hybrid": the first rule, whose changes are multiplied by a salience for each cue and outcome, which
          follows the size of the error.
        - "pearce_kaye_hall": the outcome itself excites, in proportion to such a salience; where less comes
          than was predicted, a second strength inhibits. The weight is the difference of the two.
        - "mackintosh": each cue has an error of its own, and a salience that grows where the cue predicts
          better than the other cues do, and falls where it predicts worse.
        - "le_pelley": two strengths, and two saliences that are multiplied, one as in each of the two before.
          It needs lambda of at most 1.
        - "van_hamme_wasserman": the first rule, where absent cues learn the opposite if they are expected,
          that is, if they occurred on an earlier token of these events with a cue that is present.

        The saliences begin at 1, those of "mackintosh" and "le_pelley" at 0.9. The page "Saliences, rates and
        lambda" of the documentation has the equations.
    rule_parameters : mapping from str to float, optional
        What a rule has besides alpha, beta and lambda, numbers from 0 to 1. "salience_rate" (0.1 unless
        given): how fast saliences change, in "hybrid", "pearce_kaye_hall", "mackintosh" and "le_pelley".
        "excitatory_rate" and "inhibitory_rate" (0.1): how fast the salience that compares cues changes in
        "le_pelley", where more and where less comes than was predicted. "k" (1.0): how much of what a present
        cue learns an absent one unlearns, in "van_hamme_wasserman".
    retention : float, default 1.0
        What a token leaves of every weight, above 0 and at most 1: gamma, where 1 forgets nothing. A weight
        is halved in log(0.5) / log(gamma) tokens. For tokens drawn at random, with one salience alpha and one
        rate beta, the expected weights tend to ``equilibrium(events, ridge=r)``, where r is
        m * (1 - gamma) / (alpha * beta) and m the number of tokens. It goes with the rule of Rescorla and
        Wagner, not with an average nor with learning in place.
    schedule : callable, optional
        Factors on the learning rate: a function that takes an array of token numbers (int64, from 1 on, some
        tens of thousands at a time, in order) and gives an array of factors, or a tuple of two, for beta1 and
        for beta2. The rate of a token is beta * factor in float64, rounded to `dtype`. See
        `rescorla.schedules`. The calling thread calls the function before learning. A schedule needs the
        forward method.
    average : bool, default False
        Return the mean of W_1 to W_T, the weights after each token, instead of W_T (Polyak-Ruppert
        averaging). Sums are kept in float64. It needs the forward method.
    cues, outcomes : iterable of str, optional
        Learn the weights of these only, in this order. All cues still predict. The weights are the same as
        when all are learned: to the bit with the same `method`, up to rounding where "auto" takes another
        method for the part.
    initial : Weights, optional
        Weights to start from; names that it lacks start at zero. Its names come first in the result. It is
        not changed, unless it is `out` as well. Its ``state`` must be of the same rule; without one,
        saliences begin as the rule says, and a weight is one strength: excitatory above 0, inhibitory below.
    dtype : {"float64", "float32"}, default "float64"
        The type of the weights; parameters and all operations are rounded to it. Learning in place keeps the
        type of the weights.
    method : {"auto", "forward", "adjoint"}, default "auto"
        How to compute. The forward method follows the rule step by step: every weight is bit for bit what a
        plain loop over the rule gives. The adjoint method goes through the events backward, once for each cue
        instead of once for each outcome: the same weights up to rounding (1e-12 of the largest of lambda and
        weights in float64, 1e-5 in float32, while beta * kappa <= retention and saliences are within a
        factor of 1000). It needs beta1 = beta2, no schedule and no average. "auto" takes the one with less
        work, but the forward method where the work is small or the adjoint method's precision is not
        promised. Either gives the same bits for any number of threads. The ``parameters`` of the result say
        which method it was, and how many updates each one makes.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    event_memory : int, optional
        Bytes for decoded events; by default 512 MiB. If the events take more, they are not kept: each thread
        decodes them again for each tile, or for up to four tiles together if the additional tiles of all
        threads fit into these bytes. Learning in place ignores it.
    out : ndarray, path or Weights, optional
        Where to put the weights: the Weights that are `initial`, which are then learned in place (see the
        notes), an array of the shape and dtype of the result, or a path that ends in
        ``.npy``. The file may exceed the memory: it is written tile by tile, in Fortran order by the forward
        method and in C order by the adjoint method, and mapped at the end. Room for it is reserved at the
        beginning. It appears whole or not at all, with the names behind the elements, and
        `load_weights` reads it. Or a path that ends in ``.zarr``: a store, whose tiles appear one after
        another, each whole.
    resume : bool, default False
        Learn what is missing in the store that `out` names. It must have the same events and parameters; a
        store that does not exist is made.
    part : pair of int, optional
        (i, n): of what is missing in the store, learn only the tiles whose number leaves i when divided by n,
        i from 0 to n - 1. So n processes, on as many machines as see the store, learn it together: whoever
        comes first makes it. It implies `resume`. ``missing()`` of the result lists what is left.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook. A callable is called by the calling thread; when it
        raises, learning stops.

    Returns
    -------
    Weights, n_cues x n_outcomes
        Names are in the order of the events, after those of `initial`; or as `cues` and `outcomes` list them.
        ``parameters`` says how the weights were learned; ``state`` has the saliences and strengths of the
        rules that have some.

    Raises
    ------
    ValueError
        When a parameter or an initial weight is not finite, a rate or a factor of the schedule is negative,
        an array has the wrong length, or weights to learn in place are read-only.
    KeyError
        When a mapping lacks a name, ``cues=`` or ``outcomes=`` has an unknown name, or weights to learn in
        place lack a name of the events.
    TypeError
        When an argument is of a wrong type.
    FloatingPointError
        When a weight became infinite or NaN; the message names it.
    FormatError, OSError
        When the events cannot be read, or the result not be written.
    MemoryError
        When there is no memory for the result, or for what the notes list.

    Warns
    -----
    RescorlaWarning
        When max(beta) * kappa >= 1 + retention for an event, with kappa = sum of alpha_i m_i^2 over its cues
        i, each of which it has m_i times: repeating that event would drive its activation away from its
        target instead of towards it. With a schedule max(beta) is the largest rate of any token. When a
        mapping has names that occur nowhere, or `initial` shares no name with the events. When `retention`
        halves weights within 100 tokens.

    Notes
    -----
    ``learn(events, initial=weights, out=weights)`` learns in place, by the forward method, and returns
    `weights`, with new ``parameters``. Its bits are those of ``learn(events, initial=weights)``. Rows of cues
    that no event has are neither read nor written, and cost nothing; in the rows of the events' cues all
    columns are learned. All names that occur must be in the weights, so that trials cut out of a long stream
    cost no more than others. If anything is wrong with the
    arguments or with these rows, an error is raised before anything is changed. When learning is stopped, or
    a weight becomes infinite or NaN, the values are partial: some columns have learned all events, others
    none.

    Apart from a result in memory, learning takes at most `event_memory` for events or, where they are not
    kept, for additional tiles; 256 bytes for each name; and for each thread: 40 MiB for a chunk of events and
    a stack; a tile of n_cues rows (with the adjoint method n_cues + n_outcomes) of 512 to 2048 bytes, the
    fewer the more cues an event has, and as much again for each state of a rule; for a mean, as many elements
    in float64, and 8 bytes a cue; where weights are forgotten, 8 bytes a cue; by van_hamme_wasserman, 16
    bytes for each pair of cues that occur together; for a result in a file, 1 MiB or 64 bytes x the length of
    a column (with the adjoint method, of a row), whichever is more. A schedule takes 8 bytes a token, 16
    where beta1 and beta2 have different factors.

    See Also
    --------
    equilibrium : the weights at which the expected change is zero.
    activations : what the weights predict.
    trajectories : the weights on the way.

    References
    ----------
    Rescorla, R. A. and Wagner, A. R. (1972). A theory of Pavlovian conditioning: variations in the
    effectiveness of reinforcement and nonreinforcement. In A. H. Black and W. F. Prokasy (eds.), Classical
    Conditioning II, 64-99. New York: Appleton-Century-Crofts.

    Polyak, B. T. and Juditsky, A. B. (1992). Acceleration of stochastic approximation by averaging. SIAM
    Journal on Control and Optimization 30, 838-855.

    Baayen, R. H., Milin, P., Djurdjevic, D. F., Hendrix, P. and Marelli, M. (2011). An amorphous model for
    morphological processing in visual comprehension based on naive discriminative learning. Psychological
    Review 118, 438-481.

    Evert, S. and Arppe, A. (2015). Some theoretical and experimental observations on naive discriminative
    learning. In Proceedings of the 6th Conference on Quantitative Investigations in Theoretical Linguistics.
    Tuebingen.

    Examples
    --------
    Blocking: a cue that is learned first leaves little to learn for one that joins it.

    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("light", "food", 100), ("light_tone", "food", 100)]
    ... )
    >>> weights = rw.learn(events, alpha=0.2, beta=0.2)
    >>> round(weights["light", "food"], 2), round(weights["tone", "food"], 2)
    (0.99, 0.01)

    Learning goes on from earlier weights:

    >>> more = rw.learn(rw.read_events([("tone", "shock", 10)]), initial=weights)
    >>> more
    <Weights: 2 cues x 2 outcomes, float64>
               food    shock
    light    0.9916        0
    tone   0.007627  0.09562
    >>> more["light", "food"] == weights["light", "food"]
    True

    In place, trial after trial:

    >>> trial = rw.read_events([("light_tone", "food")])
    >>> for _ in range(3):
    ...     weights = rw.learn(trial, initial=weights, out=weights)
    >>> round(weights["tone", "food"], 3)
    0.008

    Where either outcome may follow the same cue, the weights follow the latest events. Their mean does not:

    >>> either = rw.read_events([("a", "x"), ("a", "y")] * 500)
    >>> last, mean = (
    ...     rw.learn(either, beta=1.0, alpha=0.5, average=average)
    ...     for average in (False, True)
    ... )
    >>> round(last["a", "x"], 2), round(mean["a", "x"], 2)
    (0.33, 0.5)

    Where weights are forgotten, what is not repeated fades:

    >>> half_in_100 = 0.5 ** (1 / 100)
    >>> then = rw.read_events([("light", "food", 100), ("tone", "food", 100)])
    >>> faded = rw.learn(then, retention=half_in_100)
    >>> round(faded["light", "food"], 3), round(faded["tone", "food"], 3)
    (0.242, 0.484)
    """
    one_of("method", method, ("auto", "forward", "adjoint"))
    if isinstance(events, Weights):
        raise TypeError(
            "events must be Events or a source of them, found weights: learn(events, initial=weights) "
            "goes on from them"
        )
    if isinstance(out, Weights):
        given = rule_given(rule, rule_parameters, retention, out.data.dtype)
        _check_in_place(given, average, cues, outcomes, method)
        check_weights(initial, out, dtype, LEARN)
        return learn_in_place(
            events,
            out,
            alpha=alpha,
            beta=beta,
            lambda_=lambda_,
            schedule=schedule,
            threads=threads,
            progress=progress,
        )
    how: dict[str, Any] = {
        "method": None if method == "auto" else method,
        "threads": thread_count(threads),
        "event_memory": None if event_memory is None else whole("event_memory", event_memory),
        "progress": progress,
    }
    resume = flag("resume", resume)
    element, _ = rule_of(dtype, beta, initial)
    given = rule_given(rule, rule_parameters, retention, element)
    if part is not None:
        part = _checked_part(part)
    store = files.store_path(out) if files.is_store(out) else None
    if store is None and (resume or part is not None):
        name, does = ("part", "learns some tiles of") if part is not None else ("resume", "goes on with")
        raise ValueError(f"{name} {does} a store: let out be a path that ends in .zarr, or leave {name} out")
    path = files.npy_path(out) if store is None else None
    if path is not None:
        reads = [] if initial is None else mapped_files(initial.data)
        _core.check_apart(path, [*files_of_events(events), *reads])
    events = events_given(events, "learn", progress=progress)
    request = request_of(
        events,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        rule=given,
        schedule=schedule,
        average=average,
        cues=cues,
        outcomes=outcomes,
        initial=initial,
        dtype=dtype,
        out=out,
    )
    if store is not None or path is not None:
        request.check_out()
    if store is None:
        return _learned(events, request, out, path, **how)
    # Loaded when a store is learned.
    from rescorla._learn.tiles import learn_to_store

    return learn_to_store(events, request, store, resume=resume, part=part, **how)


def _learned(
    events: Events, request: Request, out: Any, path: str | None, *, progress: Progress, **how: Any
) -> Weights:
    """The weights of a request, in memory, or at the path of a .npy file."""
    plan = request.plan
    shape = len(plan.cues), len(plan.outcomes)
    parameters: dict[str, Any] = {}

    def run(values: NDArray[Any] | npy.Room, states: NDArray[Any] | None = None) -> dict[str, Any]:
        started, n_tokens = perf_counter(), events.n_tokens
        named = naming_divergence(plan.all_cues, plan.outcomes)
        with watching(progress, "learning", "tokens", n_tokens) as watch, named:
            told = {**request.told(), **request.wanted(), **how}
            report = _core.learn(events._file, **told, out=values, states=states, progress=watch)
        parameters.update(learned_parameters(events, report, started, **request.recorded()))
        return report

    if path is None:
        values = result_array(out, shape, request.element, sized(shape, request.element), _NO_MEMORY)
        names = request.state_names
        of_states = len(names) * shape[0], shape[1]
        states = room("the states", of_states, request.element, _NO_ROOM) if names else None
        report = run(values, states)
        each = () if states is None else states.reshape(len(names), *shape)
        state = dict(zip(names, each, strict=True))
        weights = Weights(values, plan.cues, plan.outcomes, parameters, state)
    else:
        files.check_room(path, shape, request.element, FEWER)
        with npy.Target(path) as target:
            report = run(target.room(request.element))
            about = shape, request.element, plan.cues, plan.outcomes, parameters
            how_written = {"fortran_order": report["fortran_order"], "checksum": report["crc32c"]}
            values_in_file = target.finish(*about, **how_written)
        weights = Weights._in_file(path, values_in_file, plan.cues, plan.outcomes, parameters)
    request.warn_unsafe(report)
    return weights


def _checked_part(part: object) -> tuple[int, int]:
    if not isinstance(part, tuple) or len(part) != 2:
        raise TypeError("part must be a pair (i, n), such as (3, 100)")
    number, n = whole("part[0]", part[0]), whole("part[1]", part[1], 1)
    if number >= n:
        raise ValueError(f"part must be (i, n) with i from 0 to n - 1, not {(number, n)}")
    return number, n


def _check_in_place(rule: Rule, average: object, cues: object, outcomes: object, method: Method) -> None:
    """ValueError for what cannot be done to weights in place."""
    refused = None
    if rule.retention < 1:
        refused = "retention", "it forgets the rows of all cues, and learning in place leaves others alone"
    elif rule.name != FIRST:
        refused = "rule", f"only the rule {FIRST} learns in place"
    elif flag("average", average):
        refused = "average", "it gives means, from which nothing can go on"
    elif cues is not None or outcomes is not None:
        name = "outcomes" if cues is None else "cues"
        refused = name, "all columns of the rows of the events' cues are learned"
    elif method == "adjoint":
        refused = "method", "the adjoint method makes all rows anew, and this is what the forward method does"
    if refused is not None:
        raise refusal(*refused)


def forecast(
    events: Events,
    *,
    alpha: float = 0.1,
    beta: float | tuple[float, float] = 0.1,
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    threads: int | None = None,
    event_memory: int | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """What `learn` would do with these arguments: its ``method`` and the updates of either, its ``memory``.

    ``memory`` is in bytes, at most, by purpose, without a result in memory: see the notes of `learn`.
    """
    one_of("method", method, ("auto", "forward", "adjoint"))
    beta1, beta2 = rates(beta)
    with watching(progress, "looking at the events", "events", len(events)) as watch:
        return _core.forecast(
            events._file,
            alpha=np.full(events.n_cues, rate("alpha", alpha)),
            beta1=beta1,
            beta2=beta2,
            lambda_=np.ones(events.n_outcomes),
            dtype=str(element_type(dtype)),
            method=None if method == "auto" else method,
            threads=thread_count(threads),
            event_memory=event_memory,
            progress=watch,
        )
