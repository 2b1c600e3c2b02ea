"""Learning by the rule of Rescorla and Wagner."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rescorla import _core, storage
from rescorla.arguments import (
    PathName,
    PerName,
    chosen,
    element_type,
    numbered,
    one_of,
    per_name,
    places,
    rate,
    rates,
    recorded,
    result_array,
    thread_count,
)
from rescorla.events import Events, as_events
from rescorla.progress import Progress, watching
from rescorla.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Method = Literal["auto", "forward", "adjoint"]

# What the engine says of how it learned.
_TOLD = ("method", "updates_forward", "updates_adjoint", "kernel", "threads")


def learn(
    events: Events | PathName,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    threads: int | None = None,
    out: NDArray[Any] | PathName | None = None,
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

    Parameters
    ----------
    events : Events or path
        What to learn from; a path is that of a binary event file or of an event table, told apart by content.
    alpha : float, mapping or array_like of shape (n_cues,), default 0.1
        The salience of cues: one number, or one per cue, 0 or more; 0 freezes the row of a cue. A mapping
        covers all cues; an array has the order that the rows of the result have without ``cues=``.
    beta : float or pair of float, default 0.1
        The learning rate, or the pair (beta1, beta2) of the rates for present and for absent outcomes, 0 or
        more.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The maximal activation: one number, or one per outcome. A mapping covers all outcomes of the result;
        an array has their order.
    cues, outcomes : iterable of str, optional
        Learn the weights of these only, in this order. All cues still predict.
    initial : Weights, optional
        Weights to start from; zero where it has none. It stays as it is. Its names come first in the result.
    dtype : {"float64", "float32"}, default "float64"
        The type of the weights; parameters and all operations are rounded to it.
    method : {"auto", "forward", "adjoint"}, default "auto"
        How to compute. The forward method follows the rule step by step, with the bits of the rule written as
        plain loops. The adjoint method goes through the events backward, once for each cue instead of once
        for each outcome: the same weights up to rounding (1e-12 of the largest of lambda and weights in
        float64, 1e-5 in float32, while beta * kappa <= 1 and saliences are within a factor of 1000). It needs
        beta1 = beta2. "auto" takes the one with less work, but the forward method where that is small or the
        adjoint method's precision is not promised. Either gives the same bits for any number of threads. The
        ``parameters`` of the result tell which it was, and how many updates each makes.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    out : ndarray or path, optional
        Where to put the weights: an array of the shape and dtype of the result, or a path that ends in
        ``.npy``. The file may exceed the memory: it is written tile by tile, in Fortran order by the forward
        method and in C order by the adjoint method, and mapped at the end. Room for it is reserved at the
        beginning. It appears whole or not at all, with the names beside it in ``.npy.json``, and
        `load_weights` reads it.
    progress : None, bool or callable(done, total), default None
        None shows a bar if standard error is a terminal. A callable is called by the calling thread; when it
        raises, learning stops.

    Returns
    -------
    Weights, n_cues x n_outcomes
        Names are in the order of the events. ``parameters`` tells how the weights came about.

    Raises
    ------
    ValueError
        When a parameter or an initial weight is not finite, a rate is negative, or an array has the wrong
        length.
    KeyError
        When a mapping lacks a name, or ``cues=`` or ``outcomes=`` has one that is unknown.
    TypeError
        When an argument is of a wrong type.
    FloatingPointError
        When a weight left the finite numbers; the message names it.
    FormatError, OSError
        When the events cannot be read, or the result not be written.

    Warns
    -----
    RuntimeWarning
        When max(beta) * kappa >= 2 for an event, kappa = sum of alpha_i m_i^2 over its cues, m_i times
        present: then that event, repeated, would drive its activation away from its target instead of towards
        it.

    Notes
    -----
    Apart from a result in memory, learning takes at most 512 MiB for decoded events, 256 bytes for each name,
    and for each thread: 40 MiB for a run of events and a stack; a tile of weights, which is n_cues x width
    elements, with the adjoint method (n_cues + n_outcomes) x width, where width is 512 to 2048 bytes, the
    less the more cues an event has; and for a file max(1 MiB, 64 bytes x the length of a column, with the
    adjoint method of a row).

    See Also
    --------
    equilibrium : the weights at which the expected change is zero.
    activations : what the weights predict.

    References
    ----------
    Rescorla, R. A. and Wagner, A. R. (1972). A theory of Pavlovian conditioning: variations in the
    effectiveness of reinforcement and nonreinforcement. In A. H. Black and W. F. Prokasy (eds.), Classical
    Conditioning II, 64-99. New York: Appleton-Century-Crofts.

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
    >>> events = rw.read_events([("light", "food", 100), ("light_tone", "food", 100)])
    >>> weights = rw.learn(events, alpha=0.2, beta=0.2)
    >>> round(weights["light", "food"], 2), round(weights["tone", "food"], 2)
    (0.99, 0.01)

    Learning goes on from where it was:

    >>> more = rw.learn(rw.read_events([("tone", "shock", 10)]), initial=weights)
    >>> more
    <Weights: 2 cues x 2 outcomes, float64>
    >>> more["light", "food"] == weights["light", "food"]
    True
    """
    return _learn(
        events,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        cues=cues,
        outcomes=outcomes,
        initial=initial,
        dtype=dtype,
        method=method,
        threads=threads,
        out=out,
        progress=progress,
    )


def _learn(
    events: Events | PathName,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    threads: int | None = None,
    out: NDArray[Any] | PathName | None = None,
    progress: Progress = None,
    kernel: str | None = None,
    tile: int | None = None,
) -> Weights:
    """`learn`, with a choice of the engine's kernel and tile width, which must not change a bit."""
    one_of("method", method, ("auto", "forward", "adjoint"))
    element = element_type(dtype)
    beta1, beta2 = rates(beta)
    n_threads = thread_count(threads)
    if initial is not None and not isinstance(initial, Weights):
        raise TypeError(f"initial must be Weights, not {type(initial).__name__}")
    path = storage.npy_path(out)
    events = as_events(events, progress=progress)
    plan = _plan(events, cues, outcomes, initial)
    alphas = per_name("alpha", alpha, plan.all_cues, "cue", element)
    lambdas = per_name("lambda_", lambda_, plan.outcomes, "outcome", element, negative=True)
    start = None if initial is None else _start(initial, element, out)
    shape = len(plan.cues), len(plan.outcomes)
    parameters: dict[str, Any] = {
        "rule": "rescorla-wagner",
        "alpha": recorded(alpha, alphas if plan.keep_rows is None else alphas[plan.keep_rows]),
        "beta1": beta1,
        "beta2": beta2,
        "lambda": recorded(lambda_, lambdas),
        "n_events": len(events),
        "n_tokens": events.n_tokens,
        "n_cues": events.n_cues,
        "n_outcomes": events.n_outcomes,
        "dtype": str(element),
        "continued": initial is not None,
        "version": _core.__version__,
    }

    def run(values: NDArray[Any] | storage.NpyRoom) -> dict[str, Any]:
        started = perf_counter()
        with watching(progress, "learning") as watch, _naming_divergence(plan):
            report = _core.learn(
                events._file,
                alpha=alphas,
                beta1=beta1,
                beta2=beta2,
                lambda_=lambdas,
                cue_rows=plan.cue_rows,
                outcome_columns=plan.outcome_columns,
                keep_rows=plan.keep_rows,
                initial=start,
                initial_columns=plan.initial_columns,
                out=values,
                method=None if method == "auto" else method,
                threads=n_threads,
                kernel=kernel,
                tile=tile,
                progress=watch,
            )
        parameters.update({name: report[name] for name in _TOLD})
        parameters["seconds"] = perf_counter() - started
        return report

    if path is None:
        values = result_array(out, shape, element)
        report = run(values)
        weights = Weights(values, plan.cues, plan.outcomes, parameters)
    else:
        with storage.replacing(path, storage.sidecar(path)) as (array, labels):
            room = storage.npy_room(array, path, element)
            report = run(room)
            storage.write_npy_header(room, shape, fortran_order=report["fortran_order"])
            storage.write_labels(labels, path, plan.cues, plan.outcomes, parameters)
        weights = Weights._in_file(path, plan.cues, plan.outcomes, parameters)
    fastest, kappa = max(beta1, beta2), report["max_kappa"]
    if fastest * kappa >= 2:
        warnings.warn(
            f"beta = {fastest:g} may overshoot: an event has sum(alpha * m^2) = {kappa:g}, so beta is "
            f"safe only below {report['safe_rate']:g}; lower beta or alpha",
            RuntimeWarning,
            stacklevel=3,
        )
    return weights


def forecast(
    events: Events,
    *,
    alpha: float = 0.1,
    beta: float | tuple[float, float] = 0.1,
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    threads: int | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """What `learn` would do with these arguments: its ``method`` and the updates of either, its ``memory``.

    ``memory`` is in bytes, at most, by purpose, without a result in memory: see the notes of `learn`.
    """
    one_of("method", method, ("auto", "forward", "adjoint"))
    beta1, beta2 = rates(beta)
    with watching(progress, "looking at the events") as watch:
        return _core.forecast(
            events._file,
            alpha=rate("alpha", alpha),
            beta1=beta1,
            beta2=beta2,
            dtype=str(element_type(dtype)),
            method=None if method == "auto" else method,
            threads=thread_count(threads),
            progress=watch,
        )


@contextmanager
def _naming_divergence(plan: _Plan) -> Iterator[None]:
    """Name the weight that left the finite numbers, of which the engine knows only the place."""
    try:
        yield
    except FloatingPointError as error:
        match error.args:
            case (int(row), int(column), value):
                raise FloatingPointError(
                    f"the weight of cue {plan.all_cues[row]!r} to outcome {plan.outcomes[column]!r} became "
                    f"{value}; learning diverges: lower alpha or beta so that "
                    "max(beta) * sum(alpha * m^2) < 2 in every event"
                ) from None
        raise


class _Plan(NamedTuple):
    """Which name has which place: in the events, the engine, the result and the initial weights."""

    all_cues: tuple[str, ...]
    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    cue_rows: NDArray[np.int64]
    outcome_columns: NDArray[np.int64]
    keep_rows: NDArray[np.int64] | None
    initial_columns: NDArray[np.int64] | None


def _plan(
    events: Events, cues: Iterable[str] | None, outcomes: Iterable[str] | None, initial: Weights | None
) -> _Plan:
    rows = _united(() if initial is None else initial.cues, events.cues)
    columns = _united(() if initial is None else initial.outcomes, events.outcomes)
    all_cues, all_outcomes = tuple(rows), tuple(columns)
    keep_rows = None if cues is None else chosen("cues", cues, rows)
    if outcomes is not None:
        keep_columns = chosen("outcomes", outcomes, columns)
        all_outcomes = tuple(all_outcomes[column] for column in keep_columns)
        columns = numbered(all_outcomes)
    return _Plan(
        all_cues=all_cues,
        cues=all_cues if keep_rows is None else tuple(all_cues[row] for row in keep_rows),
        outcomes=all_outcomes,
        cue_rows=places(events.cues, rows),
        outcome_columns=places(events.outcomes, columns),
        keep_rows=keep_rows,
        initial_columns=None if initial is None else places(all_outcomes, initial.outcome_numbers),
    )


def _united(first: Iterable[str], more: Iterable[str]) -> dict[str, int]:
    numbers = numbered(first)
    for name in more:
        numbers.setdefault(name, len(numbers))
    return numbers


def _start(initial: Weights, element: np.dtype[Any], out: object) -> NDArray[Any]:
    """The initial weights as the engine takes them, apart from the array that the result goes to."""
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(initial.values, dtype=element)
    finite = np.isfinite(values)
    if not finite.all():
        row, column = np.unravel_index(int(finite.argmin()), finite.shape)
        raise ValueError(
            f"initial weights must be finite in {element}, but that of cue {initial.cues[row]!r} to outcome "
            f"{initial.outcomes[column]!r} is {initial.values[row, column]}"
        )
    return values.copy() if isinstance(out, np.ndarray) and np.may_share_memory(values, out) else values
