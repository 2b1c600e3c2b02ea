"""The Widrow-Hoff rule on vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.given import Source, events_unless_pair
from rescorla._learn.arrays import rows_of_events, rows_of_sets, rows_of_tables, rows_of_vectors
from rescorla._learn.delta.delta_rule import delta_rule, part_of
from rescorla._learn.delta.objective import RECORDS, Objective, Record
from rescorla._learn.delta.units import unit_of
from rescorla._learn.plan import naming_rate, start_of
from rescorla._learn.record import of_events, rates_of
from rescorla._learn.record import record as recorded_facts
from rescorla._learn.rescorla_wagner import learn
from rescorla._learn.schedule import Schedule, factors_of, name_of
from rescorla._shared.checks import (
    element_type,
    near,
    numbered,
    one_of,
    places,
    rate,
    thread_count,
    whole,
)
from rescorla._shared.progress import Progress, watching
from rescorla._shared.testing import asked
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights.vectors import Examples, Table, Vectors, labelled, same_length, table_of
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Method = Literal["auto", "forward", "adjoint"]


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
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Weights:
    """Learn by the Widrow-Hoff rule, from vectors to vectors, of names or of numbers.

    For each token in order, with x the sum of the vectors of its cues and z that of its outcomes:

        dW = eta * x (z - W'x)'

    A name without a vector stands for itself: its vector has a 1 in its own place and zeros elsewhere. With
    such names on both sides this is the rule of Rescorla and Wagner with alpha = 1, beta1 = beta2 = eta,
    lambda = 1.

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
        The learning rate, 0 or more. Safe in any order below 2 / (the greatest x'x of any token).
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
        for each, as `rescorla.schedules` have it. Not for events with vectors.
    record : {"loss", "accuracy"}, optional
        What to compute of the weights after each pass, as ``history`` of the result. "loss": the mean over
        the tokens of |z - W'x|^2 / 2. "accuracy", where outcomes are names or columns of Z: the part of the
        tokens whose greatest prediction is that of an outcome that they have, as `delta_rule` counts it.
    dtype : {"float64", "float32"}, default "float64"
        The type of the weights, of the vectors and of all operations.
    method : {"auto", "forward", "adjoint"}, default "auto"
        Where cues have vectors: "forward" learns blocks of tokens at 4 p q operations a token; "adjoint" goes
        backward, at 4 p p and what the outcomes need besides; "auto" takes whichever needs fewer. The weights
        are the same up to rounding. Where cues and outcomes are names, "adjoint" is for one pass.
    threads : int, optional
        How many threads to use; by default as many as the process may run on. It changes no bit.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook. A callable is called by the calling thread; when it
        raises, learning stops.

    Returns
    -------
    Weights, p x q
        Its cues are the names of the cues or of the dimensions of their vectors (their labels, or ``x0``,
        ``x1`` ...), its outcomes those of the outcomes or their vectors' (``z0``, ``z1`` ..., and ``y`` for
        a z of one dimension). The prediction of x is ``x @ weights.values``.

    Raises
    ------
    KeyError
        When a name has no vector.
    ValueError
        When a parameter is out of its range, shapes do not fit, or a number is not finite.
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
        When eta * x'x is 2 or more in a token, which overshoots.

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
    frequency f is f tokens in a row. With a schedule rows of numbers are multiplied by the square root of the
    factor, x and z alike. What `record` asks for is computed in numpy, in float64, and changes no bit.

    The events are held in memory, decoded; and of vectors those of the names that occur.

    References
    ----------
    Widrow, B. and Hoff, M. E. (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.

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
    """
    one_of("method", method, ("auto", "forward", "adjoint"))
    element = element_type(dtype)
    n_threads = thread_count(threads)
    n_passes = whole("passes", passes, 1)
    eta = rate("eta", eta)
    if record is not None:
        one_of("record", record, RECORDS)
    if initial is not None and not isinstance(initial, Weights):
        raise TypeError(f"initial must be Weights, not {type(initial).__name__}")
    how = _How(eta, initial, n_passes, schedule, record, element, method, n_threads, progress)
    source: _core.EventFile | int
    events = events_unless_pair(data, "widrow_hoff", progress=progress)
    if events is None:
        pair = cast("tuple[Examples, Examples]", data)
        if cue_vectors is not None or outcome_vectors is not None:
            raise ValueError(
                "cue_vectors and outcome_vectors are for Events; of a pair (X, Z) the rows are vectors"
            )
        if any(hasattr(side, "tocsr") for side in pair):
            return _sparse(pair, how)
        cues, outcomes, source = _pair(pair, element)
    else:
        if cue_vectors is None and outcome_vectors is None:
            return _names_only(events, how)
        if schedule is not None:
            raise ValueError(
                "schedule is not for events with vectors, of which tokens with one rate are taken together; "
                "give a pair (X, Z) whose rows are the sums of the vectors"
            )
        known = (None, None) if initial is None else (initial.cues, initial.outcomes)
        cues = _side("cue", events.cues, cue_vectors, known[0], element, "x")
        outcomes = _side("outcome", events.outcomes, outcome_vectors, known[1], element, "z")
        source = events._file
    if cues.size is not None and method == "adjoint":
        raise ValueError(
            "method 'adjoint' is for cues that have vectors; cues that are names have 'forward' only"
        )
    if record == "accuracy" and events is not None and outcomes.size is None:
        raise ValueError(
            "record 'accuracy' is for outcomes that are names; rescorla.measures.accuracy says how often the "
            "vector of the right outcome is the nearest to what is predicted"
        )
    if initial is not None:
        cues, outcomes = cues.reordered("cue", initial.cues), outcomes.reordered("outcome", initial.outcomes)
    return _learned(source, events, cues, outcomes, how)


class _How(NamedTuple):
    """How to learn, whatever cues and outcomes are."""

    eta: float
    initial: Weights | None
    passes: int
    schedule: Schedule | None
    record: Record | None
    element: np.dtype[Any]
    method: Method
    threads: int
    progress: Progress

    def recorded(self) -> dict[str, Any]:
        """What ``parameters`` say of it."""
        return {
            "eta": self.eta,
            **rates_of(1.0, (self.eta, self.eta), 1.0),
            "passes": self.passes,
            "schedule": None if self.schedule is None else name_of(self.schedule),
            "dtype": str(self.element),
            "continued": self.initial is not None,
        }


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
        found = places(first, numbered(self.names))
        if len(first) != len(self.names) or (found < 0).any():
            differing = sorted({*first} ^ {*self.names})[0]
            raise ValueError(
                f"initial weights must have the dimensions of the {kind} vectors, but {differing!r} is "
                "only in one of them"
            )
        return _Side(np.ascontiguousarray(self.array[:, found]), None, first)


def _learned(
    source: _core.EventFile | int, events: Events | None, cues: _Side, outcomes: _Side, how: _How
) -> Weights:
    """The weights after all passes over events, or over so many rows."""
    eta, n_passes, element, initial = how.eta, how.passes, how.element, how.initial
    shape = len(cues.names), len(outcomes.names)
    start = None
    if initial is not None:
        start = np.zeros(shape, dtype=element)
        start[: len(initial.cues), : len(initial.outcomes)] = start_of(initial, element)
    history: list[float] = []
    look = None if how.record is None else _looking(events, cues, outcomes, how.record)
    kappa = 0.0
    facts: dict[str, Any] = {"n_tokens": source} if events is None else of_events(events)
    started = perf_counter()
    with watching(how.progress, "learning", "tokens", n_passes * facts["n_tokens"]) as watch:
        for made in range(n_passes):
            values = np.zeros(shape, dtype=element)
            sides = cues.array, outcomes.array
            if how.schedule is not None and isinstance(source, int):
                sides = _scheduled(sides, how.schedule, made, eta, element)
            with _naming(cues, outcomes):
                report = _core.widrow_hoff(
                    source,
                    cues=(sides[0], cues.size),
                    outcomes=(sides[1], outcomes.size),
                    eta=eta,
                    initial=start,
                    out=values,
                    method=None if how.method == "auto" else how.method,
                    threads=how.threads,
                    **asked("kernel", "tile", "block"),
                    progress=part_of(watch, made, 1, n_passes),
                )
            kappa = max(kappa, report["max_kappa"])
            start = values
            if look is not None:
                history.append(look(values))
    _warn_unsafe(how, kappa)
    parameters = recorded_facts(
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
    return Weights(values, cues.names, outcomes.names, parameters)


def _warn_unsafe(how: _How, kappa: float) -> None:
    """Warn the user where the rate is not safe for every token."""
    if how.eta * kappa >= 2:
        times = "" if how.schedule is None else ", times its factor,"
        warn(
            f"eta = {how.eta:g} may overshoot: a token has x'x{times} = {kappa:g}, so a rate is safe only "
            f"below {2 / kappa:g}; lower eta",
            NumericalWarning,
        )


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
        numbers = numbered(known or ())
        for name in names:
            numbers.setdefault(name, len(numbers))
        return _Side(places(names, numbers), len(numbers), tuple(numbers))
    argument = f"{kind}_vectors"
    rows, table = labelled(argument, vectors, element, prefix)
    if rows is None:
        if table.shape[0] != len(names):
            raise ValueError(
                f"{argument} without names must have a row for each of the {len(names)} {kind}s of the "
                f"events, in their order, not {table.shape[0]} rows"
            )
        return _Side(table.values, None, table.names)
    found = places(names, numbered(rows))
    if (found < 0).any():
        missing = names[int(found.argmin())]
        raise KeyError(f"{argument} has no row for the {kind} {missing!r}; add one{near(missing, rows)}")
    return _Side(np.ascontiguousarray(table.values[found]), None, table.names)


def _pair(data: tuple[Examples, Examples], element: np.dtype[Any]) -> tuple[_Side, _Side, int]:
    """The rows of X and of Z."""
    X, Z = data
    x = table_of("X", X, element, "x")
    one = np.ndim(Z) == 1
    z = table_of("Z", np.asarray(Z)[:, None] if one else Z, element, "z")
    for argument, table in (("X", x), ("Z", z)):
        if table.starts is not None:
            raise TypeError(
                f"{argument} must be dense; delta_rule takes sparse matrices, with the same result"
            )
    same_length("X", x.shape[0], "Z", z.shape[0])
    names = ("y",) if one else z.names
    return _Side(x.values, None, x.names), _Side(z.values, None, names), x.shape[0]


@contextmanager
def _naming(cues: _Side, outcomes: _Side) -> Iterator[None]:
    """Name the weight that became infinite or NaN."""
    try:
        yield
    except FloatingPointError as error:
        match error.args:
            case (int(row), int(column), value):
                raise FloatingPointError(
                    f"the weight of cue {cues.names[row]!r} to outcome {outcomes.names[column]!r} became "
                    f"{value}; learning diverges: lower eta"
                ) from None
        raise


def _scheduled(
    sides: tuple[NDArray[Any], NDArray[Any]],
    schedule: Schedule,
    made: int,
    eta: float,
    element: np.dtype[Any],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows times the root of their factors f: eta f x (z - W'x)' is the rule for such x and z."""
    n = len(sides[0])
    tokens = np.arange(made * n + 1, (made + 1) * n + 1, dtype=np.int64)
    roots = np.sqrt(factors_of(schedule, tokens, eta, element))[:, np.newaxis]
    x, z = ((side * roots).astype(element) for side in sides)
    return x, z


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
    weights = _by_the_delta_rule(data, how)
    weights.parameters.update(rule="widrow_hoff", eta=how.eta, method="forward")
    return weights


def _names_only(events: Events, how: _How) -> Weights:
    """Names on both sides: the rule of Rescorla and Wagner, and the delta rule, where it has passes."""
    if how.passes > 1:
        if how.method == "adjoint":
            raise ValueError(
                "method 'adjoint' is for one pass where cues and outcomes are names, or learn on "
                "events.passes(passes); more passes have 'forward' only"
            )
        weights = _by_the_delta_rule(events, how)
        weights.parameters["method"] = "forward"
    else:
        with naming_rate("eta"):
            weights = learn(
                events,
                alpha=1.0,
                beta=how.eta,
                lambda_=1.0,
                schedule=how.schedule,
                initial=how.initial,
                dtype=how.element,
                method=how.method,
                threads=how.threads,
                progress=how.progress,
            )
        weights.parameters["passes"] = 1
        if how.record is not None:
            columns = places(events.outcomes, weights._column_numbers)
            q = len(weights.outcomes)
            rows = rows_of_sets(events, columns, q).aimed(np.ones(q), 0.0)
            place = np.ix_(places(events.cues, weights._row_numbers), np.arange(q))
            learns = np.ones(len(events.cues), dtype=np.bool_)
            objective = Objective(rows, unit_of("identity"), "squared", place, learns)
            weights.parameters.update(record=how.record, history=[objective(weights.values, how.record)])
    weights.parameters.update(rule="widrow_hoff", eta=how.eta, cues_are="names", outcomes_are="names")
    return weights


def _by_the_delta_rule(data: Events | tuple[Examples, Examples], how: _How) -> Weights:
    with naming_rate("eta"):
        return delta_rule(
            data,
            alpha=1.0,
            beta=how.eta,
            passes=how.passes,
            schedule=how.schedule,
            record=how.record,
            initial=how.initial,
            dtype=how.element,
            threads=how.threads,
            progress=how.progress,
        )
