"""What learning tends to."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast, overload

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.given import Source, events_given, is_pair
from rescorla._learn.plan import Numbers, Plan, maximal, plan_of, saliences, sized, start_of, warn_unshared
from rescorla._learn.record import of_events, rates_of, record
from rescorla._learn.sides import Sides, sides_of_events, sides_of_pair
from rescorla._shared.checks import PerName, one_of, rate, rates, room, string, thread_count
from rescorla._shared.progress import Progress, watching
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights.vectors import Examples, Vectors
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Watch: TypeAlias = Callable[[int, int], object] | None

# Units of progress of a phase.
_UNITS = 1000

_ELEMENT = np.dtype(np.float64)

_NO_MEMORY = "keep fewer outcomes of the events, by Events.filter or rescorla events --keep-outcomes"

Solver = Literal["auto", "dense", "iterative"]


@overload
def equilibrium(
    events: Source | tuple[Examples, Examples],
    *,
    beta: float | tuple[float, float] = 1.0,
    lambda_: PerName = 1.0,
    alpha: PerName | None = None,
    ridge: float = 0.0,
    background: str | None = None,
    method: Solver = "auto",
    tol: float | None = None,
    threads: int | None = None,
    initial: Weights | None = None,
    cue_vectors: Vectors | None = None,
    outcome_vectors: Vectors | None = None,
    by: None = None,
    progress: Progress = None,
) -> Weights: ...


@overload
def equilibrium(
    events: Source | tuple[Examples, Examples],
    *,
    beta: float | tuple[float, float] = 1.0,
    lambda_: PerName = 1.0,
    alpha: PerName | None = None,
    ridge: float = 0.0,
    background: str | None = None,
    method: Solver = "auto",
    tol: float | None = None,
    threads: int | None = None,
    initial: Weights | None = None,
    cue_vectors: Vectors | None = None,
    outcome_vectors: Vectors | None = None,
    by: Literal["phase"],
    progress: Progress = None,
) -> dict[str, Weights]: ...


def equilibrium(
    events: Source | tuple[Examples, Examples],
    *,
    beta: float | tuple[float, float] = 1.0,
    lambda_: PerName = 1.0,
    alpha: PerName | None = None,
    ridge: float = 0.0,
    background: str | None = None,
    method: Solver = "auto",
    tol: float | None = None,
    threads: int | None = None,
    initial: Weights | None = None,
    cue_vectors: Vectors | None = None,
    outcome_vectors: Vectors | None = None,
    by: Literal["phase"] | None = None,
    progress: Progress = None,
) -> Weights | dict[str, Weights]:
    """The weights at which the Rescorla-Wagner rule expects no change: Danks' equilibrium.

    E[dW] = 0 for a token drawn at random. With one learning rate that is the system of normal equations

        (C'FC) W = C'F O diag(lambda)

    with C the matrix of events and cues (how often each event has each cue), O that of events and outcomes,
    and F the frequencies: weighted least squares. With two rates each outcome j has least squares of its own:

        w_j minimises  sum over the events of  f * b_j * (lambda_j o_j - c'w)^2

    where b_j is beta1 if the event has outcome j and beta2 if not. Where cues always come together the
    solution is not unique. You get the smallest one (of least norm), which the pseudo-inverse gives and where
    learning from zero ends.

    A learner that starts at other weights W_0 (`initial`) tends to the solution that is nearest to them, with
    squared changes divided by alpha. Differences on which no event depends stay as they were:

        W = W_0 + D^(1/2) (F^(1/2) C D^(1/2))^+ F^(1/2) (O diag(lambda) - C W_0)

    with D the diagonal matrix of saliences; with two rates f * b_j replaces f. With `by`, each phase begins
    where the one before it ended.

    Cues and outcomes may stand for vectors. With X the matrix of the events' summed cue vectors and Z that of
    their summed outcome vectors,

        W = (X'F X + ridge I)^+ X'F Z

    where W has a row for each number of the cues' vectors, a column for each of the outcomes'. On the vectors
    of words this is the endstate of learning, or with frequencies frequency-informed learning, of linear
    discriminative learning.

    Parameters
    ----------
    events : Events, path, iterable or data frame; or a pair (X, Z)
        What is learned from: Events, or a source that `read_events` takes, which is read first. An iterable
        is read once. A tuple of two is a pair of arrays (array_like, data frame, DataArray or sparse matrix):
        row t of X (n x p) is what token t predicts from, row t of Z (n x q, or n numbers) what is predicted.
    beta : float or pair of float, default 1.0
        The learning rate, or the pair (beta1, beta2) for present and for absent outcomes; 0 or more. Their
        ratio alone matters. With beta2 = 0 the absence of an outcome teaches nothing; what is left is to
        predict lambda where it is present. With beta1 = 0 nothing is learned: all weights are 0, and
        `initial` weights are extinguished where the outcome is absent.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The asymptote: one number, or one per outcome. A mapping covers the outcomes of the events; an array
        has the order of the result.
    alpha : float, mapping or array_like of shape (n_cues,), optional
        The salience of cues, 0 or more. Where the solution is not unique, return the one with the least sum
        of w^2 / alpha, or with `initial` of (w - w_0)^2 / alpha: a learner with these saliences tends to it.
        A cue of salience 0 keeps the weights that it starts with: 0, or those of `initial`, which still
        predict. A mapping covers the cues of the events; an array has the order of the result.
    ridge : float, default 0.0
        Minimise sum of f (lambda o - c'w)^2 + ridge |w - w_0|^2 instead: the penalty is on the change, in
        each phase on its own. Without `initial` w_0 is zero. With two rates an event weighs f times its rate
        relative to the larger of the two.
    background : str, optional
        A cue to add to every event, before its others, of a name that no cue of the events has. `initial`
        may have it.
    method : "auto", "dense" or "iterative", default "auto"
        "dense" factorises the normal equations; "iterative" takes conjugate gradients on the events. "auto"
        is "dense" for up to 10,000 cues; cues that always come together count as one. See the notes.
    tol : float, optional
        "dense": eigenvalues below this fraction of the greatest count as zero. By default pivots decide, cue
        by cue; see the notes. "iterative": stop where the gradient is below this part of what it was at zero
        weights (with `initial`, of the gradients of O lambda and of C |W_0| together); by default 1e-12.
    threads : int, optional
        How many threads to use at the most; by default as many as the process may run on. The bits of the
        result do not depend on it.
    initial : Weights, optional
        Weights to start from; names that it lacks start at zero. Its names come first in the result. It is
        not changed. Rows of cues that no event has keep their weights; an outcome that no event has is
        learned as absent from all events.
    cue_vectors : optional
        The vectors of cues, n x p: Weights (cues and outcomes), a mapping from names to vectors, a pandas
        DataFrame (index and columns), an xarray DataArray, gensim's KeyedVectors, a pair of a matrix and the
        names of its rows, or a matrix whose rows are in the order of ``events.cues``. A matrix may be sparse
        (scipy) and stays so. An event's vector is the sum over its cues. Not with `alpha` or `background`.
    outcome_vectors : optional
        The vectors of outcomes, n x q, likewise; an outcome counts as often as an event names it. There is
        one rate then, and lambda_ is 1.
    by : None or "phase", default None
        "phase": the weights at the end of each phase of the events (`Events.phases`), each solved from those
        at the end of the phase before it, the first from zero or from `initial`. Long training in phases
        tends to these weights. A phase that has only probes, so no tokens, changes nothing.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Weights of float64, n_cues x n_outcomes; by="phase": dict of the phases' names and their Weights
        Where there are vectors, their numbers take the place of names: their labels, or ``x0``, ``x1`` ...
        and ``z0``, ``z1`` ..., and ``y`` for a Z of one dimension. All phases have the same names, those of
        all events. ``parameters`` has ``solver`` ("cholesky", "eigen" or "cgls"), ``rank`` (None where none
        was found that all outcomes share), ``tolerance``, ``iterations`` (None if dense), ``converged`` and
        ``residual``: the size of C'F (O lambda - C W) - ridge (W - W_0), computed from the events, relative
        to that of C'F O lambda, and of C'F C |W_0| where there are `initial` weights. Where frequencies lie
        far apart ``residual`` is small for wrong weights, too; ``converged`` looks at the weights.
        ``continued`` says whether there were `initial` weights, and ``phase`` is the name of the phase.

    Raises
    ------
    ValueError
        When both rates are 0, another parameter is out of its range, a number is not finite, shapes do not
        fit, an argument is given that vectors leave no room for, or by="phase" is asked of events that have
        no phases.
    KeyError
        When a mapping lacks a name, or a name has no vector.
    TypeError
        When an argument is of a wrong type.
    FormatError, OSError
        When the events cannot be read.
    MemoryError
        When the counts, or n_cues x n_cues numbers for "dense", do not fit into memory.
    RuntimeError
        When the system starts no thread.
    ArithmeticError
        When a matrix cannot be factorised.

    Warns
    -----
    RescorlaWarning
        When "iterative" did not reach its tolerance, or rounding errors are left in the result of "dense".
        When a mapping has names that occur nowhere, `initial` shares no name with the events, or tokens are
        in no phase.

    See Also
    --------
    learn : the weights after one pass; ``learn(initial=...)`` goes on from weights in the same way.
    widrow_hoff : learning from vectors to vectors, token by token.

    Notes
    -----
    The events are first counted: each set of cues that occurs, how often, and how often with each outcome.
    With s sets that list k cues in all, and p pairs of a set and an outcome, this takes 4 k + 16 (s + p)
    bytes, and while counting at most 24 k + 64 s + 128 p bytes + 64 MB. Cues that always come together,
    equally often, are one from then on; n below is the number of cues so counted.

    *dense* takes 8 n^2 bytes twice, some n r^2 multiplications for the factors, r being the rank, and 2 r^2
    for each outcome, twice that where solutions need to be refined. It is Cholesky's factorisation with
    complete pivoting of C'FC, brought to a diagonal of ones. A pivot is the part of a cue's sum of squares
    that the cues before it do not explain. Pivots of 1e-8 and more count. If all others are below 8 n eps
    they are 0, and the solution of least norm is made from the basis that was found. Otherwise, and where
    `tol` is given, eigenvalues decide: those below `tol` (8 n eps) times the greatest are 0. R's ndl takes
    MASS's ``ginv`` of the matrix of conditional probabilities, for which singular values below 1.5e-8 of the
    greatest are 0. Solutions are refined by what the events say is left, so that errors are of the order of
    the condition of C, not of its square. Where rounding may still have moved weights by more than 1e-11 of
    the outcome's largest (what a rare set of cues adds may be less than the rounding of the frequent ones),
    they are refined further by residuals of twice the digits, until they are exact to rounding.

    Where there are 1.5 times as many outcomes as independent cues, the pseudo-inverse itself is made, of 8 n
    r bytes. It is multiplied with the few numbers that C'F O has. Estimates of the errors of one outcome in
    16 decide for each block of outcomes whether this is exact enough; else the block is solved by the
    factors. ``residual`` is that of these outcomes then.

    With two rates an outcome that occurs with q sets of cues costs 2 r^2 q multiplications more; where 6 q is
    more than n, where beta2 is 0, or where `tol` is given, it has a factorisation of its own instead.

    *iterative* takes 16 (s + 3 n) bytes for each thread and outcome, for up to 32 outcomes at a time (fewer
    where that would be more than 256 MiB a thread), and no n^2 numbers. An iteration costs two
    multiplications for each of the k cues and each outcome. How many there are depends on how nearly
    dependent the cues are: dozens, or thousands.

    Vectors of cues are added up for each of the s sets of cues, or rows of X: 8 s p bytes, or 16 for each
    number that is not zero where they are sparse. n is p then, and the same pivots tell which columns of X
    depend on others. With vectors of outcomes the cost is that of q outcomes, however many names have them.

    `initial` takes 8 bytes more for each cue and outcome of a block: with "dense" 256 outcomes and with
    "iterative" 32 at the most for each thread. The changes are added to a copy of `initial`, which is the
    result. Where `initial` has other names than the events, or in another order, the rows of the events' cues
    are copied once more. by="phase" keeps one result for each phase, and the events of one phase at a time.

    Ctrl-C is heard within 0.2 s, except while eigenvalues are computed: that is one call, of about 0.5 s for
    1,000 cues, 3.5 s for 2,000 and, by n^3, seven minutes for 10,000. For products of matrices "dense" asks
    for address space besides, of which it uses little: twice the third-level caches of the machine for each
    thread. That matters where address space is limited (ulimit -v).

    References
    ----------
    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Evert, S. and Arppe, A. (2015). Some theoretical and experimental observations on naive discriminative
    learning. In Proceedings of the 6th Conference on Quantitative Investigations in Theoretical Linguistics.
    Tuebingen.

    Bjorck, A. (1996). Numerical methods for least squares problems. SIAM.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("pots", "n", 5), ("pots_red", "y", 10), ("pots_red", "n", 5)]
    ... )
    >>> weights = rw.equilibrium(events)
    >>> [round(weights[cue, "y"], 4) + 0.0 for cue in weights.cues]
    [0.0, 0.6667]

    Where the absence of an outcome teaches less than its presence, more is expected:

    >>> weights = rw.equilibrium(events, beta=(0.2, 0.05))
    >>> [round(weights[cue, "y"], 4) + 0.0 for cue in weights.cues]
    [0.0, 0.8889]

    Blocking: of two cues that come together both get a half, but nothing is left for the second where the
    first is learned before:

    >>> first = rw.read_events([("light", "food")])
    >>> both = rw.read_events([("light_tone", "food")])
    >>> rw.equilibrium(both)
    <Weights: 2 cues x 1 outcomes, float64>
           food
    light   0.5
    tone    0.5
    >>> rw.equilibrium(both, initial=rw.equilibrium(first))
    <Weights: 2 cues x 1 outcomes, float64>
           food
    light     1
    tone      0

    Meanings of words, from their letters:

    >>> words = rw.read_events(
    ...     [("c_a_t", "cat"), ("h_a_t", "hat"), ("c_o_t", "cot")]
    ... )
    >>> meanings = {"cat": [1.0, 0.2], "hat": [0.0, 0.9], "cot": [0.1, 0.8]}
    >>> endstate = rw.equilibrium(words, outcome_vectors=meanings)
    >>> rw.activations(["c_a_t"], endstate).round(3)
    array([[1. , 0.2]])
    """
    one_of("method", method, ("auto", "dense", "iterative"))
    one_of("by", by, (None, "phase"))
    betas = rates(beta)
    if betas == (0, 0):
        raise ValueError("beta must be more than 0: without learning everything is an equilibrium")
    told: dict[str, Any] = {
        "beta1": betas[0],
        "beta2": betas[1],
        "ridge": rate("ridge", ridge),
        "method": None if method == "auto" else method,
        "tol": None if tol is None else rate("tol", tol),
        "threads": thread_count(threads),
    }
    if initial is not None:
        need_weights(initial, "initial")
    vectors = cue_vectors is not None, outcome_vectors is not None
    pair = cast("tuple[Examples, Examples]", events) if is_pair(events) else None
    if pair is not None:
        if by is not None or background is not None or any(vectors):
            raise ValueError(
                "by, background and vectors are for events; of a pair (X, Z) the rows are vectors"
            )
        vectors = True, True
    _check_together(betas, lambda_, alpha, background, *vectors)
    if pair is not None:
        sides = sides_of_pair(pair)
        extended = phases = None
    else:
        events = events_given(events, "equilibrium", progress=progress)
        phases = None if by is None else _phases_of(events)
        extended = (
            events
            if background is None
            else events.with_background(string("background", background), progress=progress)
        )
        sides = sides_of_events(extended, cue_vectors, outcome_vectors)
    plan = plan_of(sides, None, None, initial)
    lambdas = maximal(lambda_, plan, sides, initial, _ELEMENT)
    alphas = None if alpha is None else saliences(alpha, plan, sides, _ELEMENT)
    with np.errstate(over="ignore"):
        total = 0.0 if alphas is None else alphas.values.sum()
    if not np.isfinite(total):
        raise ValueError("alpha must have a finite sum over the cues; divide it, for only ratios count here")
    if initial is not None:
        sides.check_initial(initial)
        warn_unshared(initial, plan, sides)
    values, continued = _start(plan, initial), initial is not None
    problem = _Problem(plan, sides, alphas, lambdas, background, told)
    with watching(progress, "solving", "%", 100) as watch:
        if extended is None:
            n = sides.n_rows
            return problem.solved(n, {"n_tokens": n}, values, watch, continued=continued)
        counted = {"n_cues": len(extended.cues), "n_outcomes": len(extended.outcomes)}
        bare = cast("Events", events)
        if phases is None:
            facts = of_events(bare) | counted
            return problem.solved(extended._file, facts, values, watch, continued=continued)
        solved: dict[str, Weights] = {}
        for number, (name, rows) in enumerate(phases.items()):
            facts = of_events(bare[rows.start : rows.stop]) | counted
            part = extended[rows.start : rows.stop]._file
            share = _of_phase(watch, number, len(phases))
            solved[name] = problem.solved(part, facts, values.copy(), share, continued=continued, phase=name)
            values, continued = np.asarray(solved[name].values), True
        return solved


def _check_together(
    betas: tuple[float, float],
    lambda_: PerName,
    alpha: PerName | None,
    background: str | None,
    of_cues: bool,
    of_outcomes: bool,
) -> None:
    """Refuse what vectors leave no room for."""
    if of_outcomes:
        if betas[0] != betas[1]:
            raise ValueError("beta must be one rate where outcomes are vectors: no outcome is absent")
        if not np.isscalar(lambda_) or lambda_ != 1:
            raise ValueError("lambda_ must be 1 where outcomes are vectors; scale the vectors")
    if of_cues:
        if alpha is not None:
            raise ValueError("alpha must be None where cues are vectors; scale their columns")
        if background is not None:
            raise ValueError("background must be None where cues are vectors; add a column of ones to them")


class _Problem(NamedTuple):
    """What is asked of all events, and of each phase."""

    plan: Plan
    sides: Sides
    alphas: Numbers | None
    lambdas: Numbers
    background: str | None
    told: dict[str, Any]
    """What the engine is told in its own words."""

    def solved(
        self,
        source: _core.EventFile | int,
        counted: dict[str, Any],
        values: NDArray[np.float64],
        watch: Watch,
        *,
        continued: bool,
        **facts: str,
    ) -> Weights:
        """The weights of some events, or of so many rows, put in the place of those to start from."""
        plan, alphas, lambdas, told = self.plan, self.alphas, self.lambdas, self.told
        started = perf_counter()
        columns = _columns(plan)
        here = values
        places = plan.cue_rows, columns
        apart = any(
            not np.array_equal(each, np.arange(n)) for each, n in zip(places, values.shape, strict=True)
        )
        if apart:
            here = np.ascontiguousarray(values[np.ix_(*places)])
        # Where outcomes are vectors there is one rate, and its size does not matter.
        betas = {} if self.sides.outcome_vectors is None else {"beta1": 1.0, "beta2": 1.0}
        report = _core.equilibrium(
            source,
            cue_vectors=self.sides.cue_vectors,
            outcome_vectors=self.sides.outcome_vectors,
            initial=continued,
            alpha=None if alphas is None else alphas.values[plan.cue_rows],
            lambda_=lambdas.values[columns],
            out=here,
            progress=watch,
            **told | betas,
        )
        if apart:
            values[np.ix_(*places)] = here
        _warn_of(report, facts.get("phase"))
        parameters = record(
            "equilibrium",
            started,
            **rates_of(
                None if alphas is None else alphas.recorded, (told["beta1"], told["beta2"]), lambdas.recorded
            ),
            ridge=told["ridge"],
            background=self.background,
            **counted,
            **self.sides.recorded(),
            dtype=str(_ELEMENT),
            **report,
            threads=told["threads"],
            continued=continued,
            **facts,
        )
        return Weights(values, plan.cues, plan.outcomes, parameters)


def _phases_of(events: Events) -> dict[str, range]:
    """The rows of each phase; ValueError where the events have none."""
    phases = dict(events.phases)
    if not phases:
        raise ValueError(
            "by 'phase' needs events that have phases, and these have none: make them by "
            "rw.design('A+ 40 | AB+ 40'), or solve part after part: first = equilibrium(events[:40]), then "
            "equilibrium(events[40:], initial=first)"
        )
    apart = events.n_tokens - sum(len(phase.tokens) for phase in phases.values())
    if apart > 0:
        warn(
            f"by 'phase' leaves out {apart:,} of the {events.n_tokens:,} tokens, which are in no phase; make "
            "the phases by rw.design, so that all events are in one"
        )
    return {name: phase.rows for name, phase in phases.items()}


def _start(plan: Plan, initial: Weights | None) -> NDArray[np.float64]:
    """Zeros, or the initial weights, whose names come first, and zeros for the others."""
    shape = len(plan.cues), len(plan.outcomes)
    values = room(sized(shape, _ELEMENT), shape, _ELEMENT, _NO_MEMORY)
    if initial is not None:
        values[: len(initial.cues), : len(initial.outcomes)] = start_of(initial, values.dtype)
    return values


def _columns(plan: Plan) -> NDArray[np.int64]:
    """The columns of the result as the engine takes them: the outcomes of the events first."""
    others = np.ones(len(plan.outcomes), dtype=np.bool_)
    others[plan.outcome_columns] = False
    return np.concatenate([plan.outcome_columns, np.flatnonzero(others)])


def _of_phase(watch: Watch, number: int, parts: int) -> Watch:
    """What the engine calls in one of several parts of the work, which count alike."""
    if watch is None:
        return None

    def told(done: int, total: int) -> object:
        return watch(number * _UNITS + (done * _UNITS // total if total else 0), parts * _UNITS)

    return told


def _warn_of(report: dict[str, Any], phase: str | None) -> None:
    """Warn the user where what was found is not exact."""
    if report["converged"]:
        return
    what = "the equilibrium" if phase is None else f"the equilibrium of phase {phase!r}"
    if report["iterations"] is None:
        reached = (
            f"{what} is not exact to rounding (residual {report['residual']:.2g}): frequencies "
            "or rates are too far apart for a factorisation"
        )
        cure = "a ridge, or the method 'iterative'"
    else:
        reached = (
            f"{what} is not within tol = {report['tolerance']:g} after {report['iterations']:,} "
            f"iterations (residual {report['residual']:.2g})"
        )
        cure = "a larger tol, a ridge, or the method 'dense'"
    warn(f"{reached}; give {cure}", NumericalWarning)
