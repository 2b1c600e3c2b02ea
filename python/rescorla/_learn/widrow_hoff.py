"""The Widrow-Hoff rule on vectors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.given import Source, events_unless_pair
from rescorla._learn.arrays import counted, rows_of_events, rows_of_sets, rows_of_tables, rows_of_vectors
from rescorla._learn.delta.delta_rule import delta_rule
from rescorla._learn.delta.objective import RECORDS, Objective, Record
from rescorla._learn.delta.units import unit_of
from rescorla._learn.in_place import (
    Change,
    changed,
    check_weights,
    located,
    placed,
    type_name,
)
from rescorla._learn.plan import begun, naming_divergence, naming_rate, overshooting, united
from rescorla._learn.record import of_events, rates_of
from rescorla._learn.record import record as recorded_facts
from rescorla._learn.rescorla_wagner import Method, learn
from rescorla._learn.schedule import Schedule, check_callable, factors_of, name_of, tabulated
from rescorla._learn.sides import check_dimensions
from rescorla._shared.checks import (
    element_type,
    flag,
    numbered,
    one_of,
    places,
    rate,
    thread_count,
    whole,
)
from rescorla._shared.progress import Progress, part_of_passes, watching
from rescorla._shared.testing import asked
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights.vectors import (
    Examples,
    Table,
    Vectors,
    kappas,
    of_names,
    same_length,
    table_of,
    vectors_of,
)
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_CALL = "widrow_hoff(data, eta=eta, initial=weights)"


def widrow_hoff(
    data: Source | tuple[Examples, Examples],
    *,
    eta: float,
    cue_vectors: Vectors | None = None,
    outcome_vectors: Vectors | None = None,
    initial: Weights | None = None,
    passes: int = 1,
    schedule: Schedule | None = None,
    record: Record | None = None,
    normalized: bool = False,
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    threads: int | None = None,
    out: Weights | None = None,
    progress: Progress = None,
) -> Weights:
    """Learn by the Widrow-Hoff rule, from vectors to vectors, of names or of numbers.

    For each token in order, with x the sum of the vectors of its cues and z that of its outcomes:

        dW = eta * x (z - W'x)'

    A name without a vector stands for itself: its vector has a 1 in its own place and zeros elsewhere. With
    such names on both sides this is the rule of Rescorla and Wagner with alpha = 1, beta1 = beta2 = eta,
    lambda = 1.

    With ``normalized=True`` this is normalized least mean squares (NLMS): long vectors learn no faster than
    short ones.

        dW = (eta / |x|^2) * x (z - W'x)'

    The error of the token itself shrinks by the factor 1 - eta, whatever its x is.

    Parameters
    ----------
    data : Events or a source of them, or pair (X, Z)
        What to learn from. Only a tuple of two is a pair of arrays (array_like, data frame, DataArray or
        sparse matrix): row t of X (n_tokens x p) is x and row t of Z (n_tokens x q, or n_tokens) is z.
        Everything else is events, or whatever `read_events` takes: the path of a binary event file or event
        table; a list, or another iterable that is no tuple, of ``(cues, outcomes[, frequency])``; a data
        frame or Arrow table with columns ``cues`` and ``outcomes``. `corpus_events` makes events of running
        text.
    eta : float
        The learning rate, 0 or more. Safe in any order below 2 / (the greatest x'x of any token). Normalized,
        more than 0 and less than 2, all of which are safe.
    cue_vectors : optional
        The vectors of cues, n x p: an xarray DataArray (first dimension the names, second the dimensions of
        vectors), a pandas DataFrame (index and columns), a mapping from names to vectors, gensim's
        KeyedVectors, Weights (cues and outcomes), or an array_like whose rows are in the order of
        ``events.cues``. Rows of names that do not occur are left alone. Without it cues stand for themselves.
    outcome_vectors : optional
        The vectors of outcomes, n x q, likewise.
    initial : Weights, optional
        What to start from. Where names stand for themselves, its names come first in the result; where there
        are vectors, its names are those of their dimensions.
    passes : int, default 1
        How often to go through the tokens.
    schedule : callable, optional
        Factors on eta: a function of token numbers (int64, from 1 on through all passes) that gives a factor
        for each, as `rescorla.schedules` have it. Not for events whose cues have vectors.
    record : {"loss", "accuracy"}, optional
        What to compute of the weights after each pass, as ``history`` of the result. "loss": the mean over
        the tokens of |z - W'x|^2 / 2. "accuracy", where outcomes are names or columns of Z: the part of the
        tokens whose greatest prediction is that of an outcome that they have, as `delta_rule` counts it.
    normalized : bool, default False
        Divide eta by |x|^2 in each token. Nothing is added to |x|^2; a token whose x is 0 learns nothing. Of
        cues that are names |x|^2 is the sum of squares of how often each is there.
    dtype : {"float64", "float32"}, default "float64"
        The type of the weights, of the vectors and of all operations.
    method : {"auto", "forward", "adjoint"}, default "auto"
        Where cues have vectors: "forward" learns blocks of tokens at 4 p q operations a token; "adjoint" goes
        backward, at 4 p p and what the outcomes need besides; "auto" takes whichever needs fewer. The weights
        are the same up to rounding. Where cues and outcomes are names, "adjoint" is for one pass, and not
        normalized.
    threads : int, optional
        How many threads to use; by default as many as the process may run on. It changes no bit.
    out : Weights, optional
        The Weights that are `initial`, which are then learned in place (see the notes).
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook. A callable is called by the calling thread; when it
        raises, learning stops.

    Returns
    -------
    Weights, p x q
        Its cues are the names of the cues or of the dimensions of their vectors (their labels, or ``x0``,
        ``x1`` ...), its outcomes those of the outcomes or their vectors' (``z0``, ``z1`` ..., and ``y`` for
        a z of one dimension). The prediction of x is ``x @ weights.values``. In place it is `out`.

    Raises
    ------
    KeyError
        When a name has no vector, or weights to learn in place lack a name of the events.
    ValueError
        When a parameter is out of its range, shapes do not fit, a number is not finite, or weights to learn
        in place are read-only.
    TypeError
        When an argument is of a wrong type, a label of vectors is no name, or `data` may be meant as events
        and as arrays: a tuple of names, a list of arrays, one array.
    FloatingPointError
        When a weight became infinite or NaN; the message names it.
    FormatError, OSError
        When the events cannot be read, or are running text: the message writes the call that makes events of
        it.

    Warns
    -----
    RescorlaWarning
        When eta * x'x is 2 or more in a token, which overshoots, unless it is normalized.

    See Also
    --------
    delta_rule : the same rule with an activation function, saliences, batches, and sparse matrices.
    rescorla.measures.correlations, rescorla.measures.accuracy : which outcome a prediction is nearest to.

    Notes
    -----
    With cues that are names the bits are those of plain loops: the sum over cues in the order of the event,
    then ``eta * (z - sum)``, then its addition to each row. With vectors, blocks of tokens are learned by
    matrix products, exactly but for rounding: the difference from plain loops is within 1e-12 of the greatest
    weight in float64 for eta * x'x of 1 or less. Either way the number of threads changes no bit. An event of
    frequency f is f tokens in a row. The rate of a token is eta times its factor, in float64; normalized, of
    cues that are names times 1 / |x|^2, and of vectors divided by |x|^2, which has the type of the weights.
    What `record` asks for is computed in numpy, in float64, and changes no bit.

    ``widrow_hoff(data, eta=eta, initial=weights, out=weights)`` learns in place and returns `weights`, with
    new ``parameters``. Where cues are names its bits are those of the same call without `out` by the forward
    method. It changes the rows of the events' cues. Other rows, and vectors of outcomes that do not occur,
    are neither read nor written, and cost nothing; that holds for vectors in Weights, a mapping,
    KeyedVectors, a DataFrame, a DataArray or an array of numpy. If anything is wrong with the arguments or
    with these rows, an error is raised before anything is changed. When learning is stopped, or a weight
    becomes infinite or NaN, the values are partial: some columns have learned all events of a pass, others
    none. Where cues have vectors, or data are a pair, every token changes all rows: then the weights are
    copied, learned, and put in their place at the end, so that after an error they are as before.

    Otherwise the events are held in memory, decoded; and of vectors those of the names that occur.

    References
    ----------
    Widrow, B. and Hoff, M. E. (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.

    Nagumo, J. and Noda, A. (1967). A learning method for system identification. IEEE Transactions on
    Automatic Control 12, 282-287.

    Widrow, B. and Stearns, S. D. (1985). Adaptive Signal Processing. Prentice-Hall.

    Stone, G. O. (1986). An analysis of the delta rule and the learning of statistical associations. In
    Parallel distributed processing 1, 444-459. MIT Press.

    Examples
    --------
    Words as vectors, learned from their letters:

    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("c_a_t", "cat"), ("h_a_t", "hat"), ("c_o_t", "cot")] * 500
    ... )
    >>> meanings = {"cat": [1.0, 0.2], "hat": [0.0, 0.9], "cot": [0.1, 0.8]}
    >>> weights = rw.widrow_hoff(events, eta=0.1, outcome_vectors=meanings)
    >>> weights.outcomes
    ('z0', 'z1')
    >>> rw.activations(["c_a_t"], weights).round(3)
    array([[1. , 0.2]])

    Numbers to numbers:

    >>> X, Z = [[1.0, 0.0], [0.5, 1.0]] * 200, [[2.0], [3.0]] * 200
    >>> rw.widrow_hoff((X, Z), eta=0.5).values.round(3)
    array([[2.],
           [2.]])

    In place, trial after trial:

    >>> trial = rw.read_events([("h_o_t", "hat")])
    >>> new = rw.Weights([[0.0] * 2] * 3, ["h", "o", "t"], ["z0", "z1"])
    >>> rule = {"eta": 0.5, "outcome_vectors": meanings, "normalized": True}
    >>> for _ in range(3):
    ...     new = rw.widrow_hoff(trial, **rule, initial=new, out=new)
    >>> rw.activations(["h_o_t"], new).round(4)
    array([[0.    , 0.7875]])
    """
    one_of("method", method, ("auto", "forward", "adjoint"))
    element = element_type(dtype)
    n_passes = whole("passes", passes, 1)
    eta = rate("eta", eta)
    normalized = flag("normalized", normalized)
    if normalized and not 0 < eta < 2:
        raise ValueError(f"eta must be more than 0 and less than 2 where normalized is True, not {eta:g}")
    if schedule is not None:
        check_callable(schedule)
    if record is not None:
        one_of("record", record, RECORDS)
    if initial is not None:
        need_weights(initial, "initial")
    if out is not None:
        if not isinstance(out, Weights):
            raise TypeError(f"out must be the Weights that are initial, or None, not {type(out).__name__}")
        check_weights(initial, out, dtype, _CALL)
        element = out.values.dtype
    how = _How(eta, initial, n_passes, schedule, record, normalized, element, method, threads, progress)
    source: _core.EventFile | int
    events = events_unless_pair(data, "widrow_hoff", progress=progress)
    if events is None:
        pair = cast("tuple[Examples, Examples]", data)
        if cue_vectors is not None or outcome_vectors is not None:
            raise ValueError(
                "cue_vectors and outcome_vectors are for Events; of a pair (X, Z) the rows are vectors"
            )
        if any(hasattr(side, "tocsr") for side in pair):
            return _put(_sparse(pair, how), out)
        cues, outcomes, source = _rows_of_pair(pair, element)
    else:
        if cue_vectors is None and out is not None:
            return _in_place(events, out, outcome_vectors, how)
        if cue_vectors is None and outcome_vectors is None:
            return _names_only(events, how)
        if schedule is not None and cue_vectors is not None:
            raise ValueError(
                "schedule is not for events whose cues have vectors, of which tokens with one rate are taken "
                "together; give a pair (X, Z) whose rows are the sums of the vectors"
            )
        if out is not None and outcome_vectors is None:
            located("outcome", events.outcomes, out._column_numbers, _CALL)
        known = (None, None) if initial is None else (initial.cues, initial.outcomes)
        cues = _side("cue", events.cues, cue_vectors, known[0], element, "x")
        outcomes = _side("outcome", events.outcomes, outcome_vectors, known[1], element, "z")
        source = events._file
    _check_how(events, cues, outcomes, how)
    if initial is not None:
        cues, outcomes = cues.reordered("cue", initial.cues), outcomes.reordered("outcome", initial.outcomes)
    return _put(_learned(source, events, cues, outcomes, how), out)


class _How(NamedTuple):
    """How to learn, whatever cues and outcomes are."""

    eta: float
    initial: Weights | None
    passes: int
    schedule: Schedule | None
    record: Record | None
    normalized: bool
    element: np.dtype[Any]
    method: Method
    threads: int | None
    progress: Progress

    def of_names(self, events: Events) -> Schedule | None:
        """The schedule of the tokens of events whose cues are names: normalized, it divides by |x|^2."""
        return _Normalizing(_squares(events), self.schedule) if self.normalized else self.schedule

    def recorded(self) -> dict[str, Any]:
        """What ``parameters`` say of it."""
        return {
            "eta": self.eta,
            "normalized": self.normalized,
            **rates_of(1.0, (self.eta, self.eta), 1.0),
            "passes": self.passes,
            "schedule": None if self.schedule is None else name_of(self.schedule),
            "dtype": type_name(self.element),
            "continued": self.initial is not None,
        }


class _Normalizing:
    """A schedule that divides the rate of each token by its |x|^2."""

    def __init__(self, squares: NDArray[np.float64], schedule: Schedule | None) -> None:
        self._factors = np.divide(1.0, squares, out=np.zeros(len(squares)), where=squares > 0)
        self._schedule = schedule

    def __call__(self, tokens: NDArray[np.int64]) -> Any:
        """The factors of some tokens, those of all passes one after another."""
        factors = self._factors[(tokens - 1) % len(self._factors)]
        if self._schedule is None:
            return factors
        given = self._schedule(tokens)
        if isinstance(given, tuple):
            return tuple(factors * np.asarray(each) for each in given)
        return factors * np.asarray(given)


def _squares(events: Events) -> NDArray[np.float64]:
    """|x|^2 of each token of events whose cues are names."""
    x = counted(*events._file.csr("cues"), len(events.cues))
    return np.repeat(kappas(x, np.ones(x.shape[1])), events.frequencies)


class _Side(NamedTuple):
    """What names stand for: places in the weights, of which there are `size`, or vectors, n x p, and None.

    `names` are those of the rows, or columns, of the weights.
    """

    array: NDArray[Any]
    size: int | None
    names: tuple[str, ...]

    def reordered(self, kind: str, first: tuple[str, ...]) -> _Side:
        """Vectors with their dimensions in the order of the initial weights; names have it."""
        if self.size is not None or self.names == first:
            return self
        check_dimensions(kind, self.names, first)
        found = places(first, numbered(self.names))
        return _Side(np.ascontiguousarray(self.array[:, found]), None, first)


def _learned(
    source: _core.EventFile | int, events: Events | None, cues: _Side, outcomes: _Side, how: _How
) -> Weights:
    """The weights after all passes over events, or over so many rows."""
    schedule, normalized = how.schedule, how.normalized
    if events is not None and cues.size is not None:
        schedule, normalized = how.of_names(events), False
    eta, n_passes, element, initial = how.eta, how.passes, how.element, how.initial
    n_threads = thread_count(how.threads)
    shape = len(cues.names), len(outcomes.names)
    start = None if initial is None else begun(shape, initial, element)
    history: list[float] = []
    look = None if how.record is None else _looking(events, cues, outcomes, how.record)
    kappa = 0.0
    facts: dict[str, Any] = {"n_tokens": source} if events is None else of_events(events)
    started = perf_counter()
    with watching(how.progress, "learning", "tokens", n_passes * facts["n_tokens"]) as watch:
        for made in range(n_passes):
            values = np.zeros(shape, dtype=element)
            n = facts["n_tokens"]
            tokens = np.arange(made * n + 1, (made + 1) * n + 1, dtype=np.int64)
            with naming_divergence(cues.names, outcomes.names, "lower eta"):
                report = _core.widrow_hoff(
                    source,
                    cues=(cues.array, cues.size),
                    outcomes=(outcomes.array, outcomes.size),
                    eta=eta,
                    schedule=None if schedule is None else factors_of(schedule, tokens, eta, element),
                    normalized=normalized,
                    initial=start,
                    out=values,
                    method=None if how.method == "auto" else how.method,
                    threads=n_threads,
                    **asked("kernel", "tile", "block"),
                    progress=part_of_passes(watch, made, 1, n_passes),
                )
            kappa = max(kappa, report["max_kappa"])
            start = values
            if look is not None:
                history.append(look(values))
    _warn_unsafe(how, kappa)
    parameters = _recorded(how, started, facts, (cues, outcomes), report, history)
    return Weights(values, cues.names, outcomes.names, parameters)


def _recorded(
    how: _How,
    started: float,
    facts: dict[str, Any],
    sides: tuple[_Side, _Side],
    report: dict[str, Any],
    history: list[float],
) -> dict[str, Any]:
    """The ``parameters`` of weights that were learned."""
    cues, outcomes = sides
    return recorded_facts(
        "widrow_hoff",
        started,
        **facts,
        cues_are="names" if cues.size is not None else "vectors",
        outcomes_are="names" if outcomes.size is not None else "vectors",
        **how.recorded(),
        method=report["method"],
        threads=report["threads"],
        **({} if how.record is None else {"record": how.record, "history": history}),
    )


def _check_how(events: Events | None, cues: _Side, outcomes: _Side, how: _How) -> None:
    """ValueError for what does not go with such cues or outcomes."""
    if cues.size is not None and how.method == "adjoint":
        raise ValueError(
            "method 'adjoint' is for cues that have vectors; cues that are names have 'forward' only"
        )
    if how.record == "accuracy" and events is not None and outcomes.size is None:
        raise ValueError(
            "record 'accuracy' is for outcomes that are names; rescorla.measures.accuracy says how often the "
            "vector of the right outcome is the nearest to what is predicted"
        )


def _put(learned: Weights, out: Weights | None) -> Weights:
    """The learned weights; in the place of those that are there, if they have one."""
    if out is None:
        return learned
    out.values[...] = learned.values
    out.parameters = learned.parameters
    return out


def _in_place(given: Events, weights: Weights, vectors: Vectors | None, how: _How) -> Weights:
    """Learn events whose cues are names where the weights lie, at the cost of the names that occur."""
    place = placed(given, weights, _CALL)
    events, element = place.events, how.element
    cues = _Side(place.rows, len(weights.cues), weights.cues)
    if vectors is None:
        columns = located("outcome", events.outcomes, weights._column_numbers, _CALL)
        outcomes = _Side(columns, len(weights.outcomes), weights.outcomes)
    else:
        table = _vectors_that_occur(given, events, vectors, element)
        outcomes = _Side(table.values, None, table.names).reordered("outcome", weights.outcomes)
    _check_how(events, cues, outcomes, how)
    schedule, betas = how.of_names(events), (how.eta, how.eta)
    n_tokens = how.passes * events.n_tokens
    factors = None if schedule is None else tabulated(schedule, n_tokens, betas, element)
    change = Change(
        np.ones(len(events.cues)),
        betas,
        np.ones(len(weights.outcomes)),
        factors,
        how.threads,
        how.progress,
        columns=None if outcomes.size is None else outcomes.array,
        vectors=outcomes.array if outcomes.size is None else None,
        passes=how.passes,
        look=None if how.record is None else _looking(events, cues, outcomes, how.record),
    )
    started = perf_counter()
    with naming_rate("eta"):
        report = changed(weights, place, change)
    facts, history = of_events(given), report["history"]
    weights.parameters = _recorded(how, started, facts, (cues, outcomes), report, history)
    _warn_unsafe(how, report["max_kappa"] * (1.0 if factors is None else factors.present.max(initial=0.0)))
    return weights


def _vectors_that_occur(given: Events, events: Events, vectors: Vectors, element: np.dtype[Any]) -> Table:
    """The vectors of the outcomes of events, which are those of the given ones that occur, at their cost."""
    table = of_names("outcome_vectors", vectors, events.outcomes, element, "z")
    if table is not None:
        return table
    rows = {given.outcomes[row]: row for row in np.unique(given._file.csr("outcomes")[1]).tolist()}
    found = [rows[name] for name in events.outcomes]
    if isinstance(vectors, np.ndarray) and vectors.ndim == 2 and len(vectors) == given.n_outcomes:
        with suppress(ValueError):
            return table_of("outcome_vectors", vectors[found], element, "z")
    side = _side("outcome", given.outcomes, vectors, None, element, "z")
    return Table((len(found), len(side.names)), side.array[found], side.names)


def _warn_unsafe(how: _How, kappa: float) -> None:
    """Warn the user where the rate is not safe for every token."""
    if not how.normalized and how.eta * kappa >= 2:
        times = "" if how.schedule is None else ", times its factor,"
        has = f"a token has x'x{times} = {kappa:g}"
        warn(overshooting("eta", how.eta, has, 2 / kappa), NumericalWarning)


def _side(
    kind: str,
    names: tuple[str, ...],
    vectors: Vectors | None,
    known: tuple[str, ...] | None,
    element: np.dtype[Any],
    prefix: str,
) -> _Side:
    """What the names of the events stand for."""
    if vectors is None:
        numbers = united(known or (), names)
        return _Side(places(names, numbers), len(numbers), tuple(numbers))
    table = vectors_of(kind, names, vectors, element, prefix)
    return _Side(np.ascontiguousarray(table.values), None, table.names)


def _rows_of_pair(data: tuple[Examples, Examples], element: np.dtype[Any]) -> tuple[_Side, _Side, int]:
    """The rows of X and of Z."""
    X, Z = data
    x = table_of("X", X, element, "x")
    one = np.ndim(Z) == 1
    z = table_of("Z", np.asarray(Z)[:, None] if one else Z, element, "z")
    same_length("X", x.shape[0], "Z", z.shape[0])
    names = ("y",) if one else z.names
    return _Side(x.values, None, x.names), _Side(z.values, None, names), x.shape[0]


def _looking(
    events: Events | None, cues: _Side, outcomes: _Side, record: Record
) -> Callable[[NDArray[Any]], float]:
    """What is recorded of weights."""
    if events is None:
        x, z = (Table(side.array.shape, side.array, side.names) for side in (cues, outcomes))
        rows = rows_of_tables(x, z)
    elif outcomes.size is None:
        rows = rows_of_vectors(events, outcomes.array)
    else:
        rows = rows_of_events(events, outcomes.array, outcomes.size)
    q = len(outcomes.names)
    rows = rows.aimed(np.ones(q), 0.0)
    objective = Objective(rows, unit_of("identity"), "squared", slice(None), np.zeros(0, dtype=np.bool_))

    def look(values: NDArray[Any]) -> float:
        values = values.astype(np.float64, copy=False)
        if events is not None:
            # Of each name what its vector gives: the sums of vectors are those of these.
            values = values[cues.array] if cues.size is not None else cues.array @ values
        return objective(values, record)

    return look


def _sparse(data: tuple[Examples, Examples], how: _How) -> Weights:
    """Rows of sparse matrices: the delta rule, which skips what does not stand there."""
    if how.method == "adjoint":
        raise ValueError("method 'adjoint' is for dense vectors; sparse matrices have 'forward' only")
    schedule = how.schedule
    if how.normalized:
        x = table_of("X", data[0], how.element, None)
        schedule = _Normalizing(kappas(x, np.ones(x.shape[1])), schedule)
    weights = _by_the_delta_rule(data, schedule, how)
    weights.parameters.update(rule="widrow_hoff", **how.recorded(), method="forward")
    return weights


def _names_only(events: Events, how: _How) -> Weights:
    """Names on both sides: the rule of Rescorla and Wagner, and the delta rule, where it has passes."""
    if how.method == "adjoint" and how.normalized:
        raise ValueError(
            "method 'adjoint' does not go with normalized where cues are names; these have 'forward' only"
        )
    schedule = how.of_names(events)
    if how.passes > 1:
        if how.method == "adjoint":
            raise ValueError(
                "method 'adjoint' is for one pass where cues and outcomes are names, or learn on "
                "events.passes(passes); more passes have 'forward' only"
            )
        weights = _by_the_delta_rule(events, schedule, how)
        weights.parameters["method"] = "forward"
    else:
        with naming_rate("eta", safe=how.normalized):
            weights = learn(
                events,
                alpha=1.0,
                beta=how.eta,
                lambda_=1.0,
                schedule=schedule,
                initial=how.initial,
                dtype=how.element,
                method=how.method,
                threads=how.threads,
                progress=how.progress,
            )
        if how.record is not None:
            columns = places(events.outcomes, weights._column_numbers)
            q = len(weights.outcomes)
            rows = rows_of_sets(events, columns, q).aimed(np.ones(q), 0.0)
            place = np.ix_(places(events.cues, weights._row_numbers), np.arange(q))
            learns = np.ones(len(events.cues), dtype=np.bool_)
            objective = Objective(rows, unit_of("identity"), "squared", place, learns)
            weights.parameters.update(record=how.record, history=[objective(weights.values, how.record)])
    names: dict[str, Any] = {"cues_are": "names", "outcomes_are": "names"}
    weights.parameters.update(rule="widrow_hoff", **how.recorded(), **names)
    return weights


def _by_the_delta_rule(
    data: Events | tuple[Examples, Examples], schedule: Schedule | None, how: _How
) -> Weights:
    with naming_rate("eta", safe=how.normalized):
        return delta_rule(
            data,
            alpha=1.0,
            beta=how.eta,
            passes=how.passes,
            schedule=schedule,
            record=how.record,
            initial=how.initial,
            dtype=how.element,
            threads=how.threads,
            progress=how.progress,
        )
