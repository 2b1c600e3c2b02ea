"""The delta rule with an activation function, token by token or in batches."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rescorla._events.given import Source
from rescorla._events.order import token_orders
from rescorla._learn.delta.descent import Descent
from rescorla._learn.delta.objective import RECORDS, Record
from rescorla._learn.delta.sources import ArraySource, TokenSource, source_of
from rescorla._learn.delta.units import ENGINE, UNBOUNDED, Function, Loss, Unit, unit_of
from rescorla._learn.plan import RATE, SAFE, begun, overshooting, plan_of, warn_unknown, warn_unshared
from rescorla._learn.record import of_events, rates_of
from rescorla._learn.record import record as recorded_facts
from rescorla._learn.schedule import Schedule, factors_of, name_of
from rescorla._shared.checks import (
    PerName,
    Seed,
    element_type,
    generator,
    one_of,
    per_name,
    rate,
    recorded,
    recorded_seed,
    thread_count,
    whole,
)
from rescorla._shared.progress import Progress, part_of_passes, watching
from rescorla._shared.testing import asked
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights.vectors import Examples
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Activation = Literal["identity", "logistic", "tanh", "relu", "threshold"]
"""The functions that the engine has."""

AnyActivation: TypeAlias = Literal[Activation, "softmax"] | tuple[Function, Function]

Reduction = Literal["sum", "mean"]

# The standard deviation of random initial weights: small, so that sums of a few of them are near zero, where
# logistic and tanh are steepest.
SPREAD = 0.01

# Tokens put in random order, or given factors, at a time, unless a pass has more: 128 MiB.
ORDERED = 1 << 24


def delta_rule(
    data: Source | tuple[Examples, Examples],
    *,
    alpha: PerName = 1.0,
    beta: float,
    lambda_: PerName = 1.0,
    activation: AnyActivation = "identity",
    loss: Loss = "squared",
    batch: int | Literal["full"] = 1,
    reduction: Reduction = "sum",
    passes: int = 1,
    tol: float | None = None,
    schedule: Schedule | None = None,
    record: Record | None = None,
    initial: Weights | Literal["random"] | None = None,
    seed: Seed | None = None,
    dtype: DTypeLike = "float64",
    threads: int | None = None,
    progress: Progress = None,
) -> Weights:
    """Learn by the delta rule, with an activation function, token by token or in batches.

    For each token and every outcome j, with h_j = sum of x_i w_ij over the cues and an activation function g:

        dw_ij = alpha_i * x_i * beta * (t_j - g(h_j)) * g'(h_j)    loss="squared"
        dw_ij = alpha_i * x_i * beta * (t_j - g(h_j))              loss="log"

    This is beta times minus the gradient of the token's loss, with the salience of the cue in front. In
    events x_i is 1 where cue i is present and 0 where it is absent; in arrays any number.

    All tokens of a batch see the weights as they were before it; their dw are summed or averaged, and then
    applied. With g the identity and batches of one token this is the rule of Rescorla and Wagner: the weights
    are those of ``learn(events.passes(passes, seed), method="forward")`` with the same rates, bit for bit.

    Parameters
    ----------
    data : Events or a source of them, or pair (X, Z)
        What to learn from. Only a tuple of two is a pair of arrays. Everything else is events, or a source
        that `read_events` takes: the path of a binary event file or event table; a list, or another iterable
        that is no tuple, of ``(cues, outcomes[, frequency])``; a data frame or Arrow table with columns
        ``cues`` and ``outcomes``. `corpus_events` makes events of running text.

        X : array_like, data frame, xarray DataArray or scipy sparse matrix, n_tokens x n_cues
            Each row is a token, and its numbers are the values of the cues. A sparse X is never made dense:
            only the numbers that it stores are read. Cues have the names of the columns, or "x0", "x1" and so
            on.
        Z : the same, n_tokens x n_outcomes, or array_like of n_tokens
            The targets, taken as they are. Outcomes have the names of the columns, or "z0", "z1" and so on;
            if Z is one number for each token, the outcome has Z's own name, or "y".
    alpha : float, mapping or array_like of shape (n_cues,), default 1.0
        The salience of cues: one number, or one per cue, 0 or more. A mapping covers all cues; an array has
        the order of the rows of the result.
    beta : float
        The learning rate, 0 or more.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The target t of an outcome that is present: one number, or one per outcome. That of an absent outcome
        is 0, and with tanh -lambda. Logistic and tanh approach 1 and never reach it; with tanh a lambda below
        1 keeps weights finite where a plane separates the events. With arrays it must be 1.0: scale Z
        instead.
    activation : {"identity", "logistic", "tanh", "relu", "threshold", "softmax"} or pair, default "identity"
        The function g: h itself; 1 / (1 + exp(-h)); the hyperbolic tangent; max(h, 0); 1 where h > 0 and else
        0; or exp(h_j) divided by the sum of exp(h) over all outcomes. Or a pair of functions of your own: the
        first gives g(h) for an array of sums, tokens x outcomes, the second its derivative at the same sums.
        They are called by the calling thread, for some tokens at a time, and need a `batch` of more than one.
        The slope of "relu" at 0 is taken to be 1, so that weights that begin at zero can learn. "threshold"
        has no slope, and g' is left out: this is the perceptron rule, which learns from mistakes alone.
    loss : {"squared", "log"}, default "squared"
        The loss to minimise, summed over the outcomes: (t - g)^2 / 2; or -t log g - (1 - t) log(1 - g) of the
        logistic function, and -t log g of softmax, with targets from 0 to 1. Full-batch descent of the log
        loss is logistic regression, with softmax multinomial logistic regression. Under softmax and the log
        loss a token with several outcomes counts as one choice for each, and one without an outcome teaches
        nothing.
    batch : int or "full", default 1
        Tokens in a batch; the last one of a pass may have fewer. A batch may end within an event of frequency
        f, which is f tokens. "full": all tokens of a pass.
    reduction : {"sum", "mean"}, default "sum"
        Whether the dw of a batch are summed, or averaged over its tokens.
    passes : int, default 1
        How often to go through the tokens; with `tol` at most so often.
    tol : float, optional
        Stop after the first pass whose weights have a gradient of the mean loss near zero: no derivative, by
        a weight of a cue whose salience is above 0, is outside -tol to tol. ``parameters`` say whether this
        was reached ("converged"), how many passes were made ("passes"), and what the greatest derivative is
        ("gradient"). For full batches and small steps; single tokens scatter about the minimum unless the
        rate falls.
    schedule : callable, optional
        Factors on beta: a function of token numbers (int64, from 1 on through all passes) that gives a factor
        for each, as `rescorla.schedules` have it. A batch has the factor of its first token.
    record : {"loss", "accuracy"}, optional
        What to compute from the weights after each pass, for the ``history`` of the result. "loss": the mean
        of the tokens' losses. "accuracy": the part of the tokens for which the outcome of the greatest h, the
        first of equal ones, is one of theirs; with one outcome alone, for which g(h) is nearer to the right
        target than to the other: in the middle between the two it is taken for absent. With arrays, for which
        the outcome of the greatest h has the greatest target, if that is above 0 (-1 with tanh).
    initial : Weights or "random", optional
        Where to start: at zero; at these weights, whose names come first in the result; or at "random",
        numbers of the normal distribution with mean 0 and standard deviation 0.01, drawn with the seed.
        Columns of arrays are matched by name; weights of cues that X lacks, or to outcomes that Z lacks, stay
        as they are.
    seed : int, numpy.random.Generator or numpy.random.SeedSequence, optional
        Take the tokens of each pass in a fresh random order, that of ``events.passes(passes, seed)``; random
        initial weights are drawn first. Without a seed, in the order of the events. Each row of arrays is an
        event. A Generator continues from its present state; then ``parameters["seed"]`` is None. The order
        does not matter for full batches.
    dtype : {"float64", "float32"}, default "float64"
        The type of the weights; parameters and all operations are rounded to it.
    threads : int, optional
        How many threads to use; by default as many as the process may run on. It changes no bit.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook. A callable is called by the calling thread; when it
        raises, learning stops.

    Returns
    -------
    Weights, n_cues x n_outcomes
        Names are in the order of the events, or of the columns of X and Z. ``parameters`` says how the
        weights were learned.

    Raises
    ------
    ValueError
        When a parameter is out of its range, an array has the wrong shape, or a number in it is not finite.
    KeyError
        When a mapping lacks a name.
    TypeError
        When an argument is of a wrong type, or `data` may be meant as events and as arrays: a tuple of names,
        a list of arrays, one array.
    FloatingPointError
        When a weight became infinite or NaN; the message names it, and the greatest safe rate.
    FormatError, OSError
        When the events cannot be read, or are running text: the message writes the call that makes events of
        it.

    Warns
    -----
    RescorlaWarning
        When g is the identity or "relu" and beta is so large that a token overshoots by its own error or
        more: beta * sum of alpha x^2 is 2 or more, or 2 n or more where n tokens are averaged. When `tol` was
        not reached.

    See Also
    --------
    learn : the rule of Rescorla and Wagner, with more choices.
    equilibrium : what full batches converge to, where g is the identity.

    Notes
    -----
    The bits are those of plain loops in the order that the documentation states (Background, The mathematics,
    Batches). The functions are computed by the system's library in float64 and rounded: their last digit may
    depend on the system. Softmax and functions of your own are computed in numpy, in one thread: softmax
    needs the sums of all outcomes of a token at once, so outcomes cannot be shared out among threads. Their
    weights are those of the rule up to rounding.

    What `tol` and `record` ask for is computed in numpy, too, from the sets of cues that tokens have, in
    float64, in one thread: after each pass, the work of about a full batch. A gradient takes the memory of
    the weights once more. It changes no bit of the weights.

    Decoded events are held in memory; so are the batches made of them, up to 512 MiB, or one batch if that is
    more. Arrays are used where they are if they have the type of the weights and lie row after row in memory
    (CSR, if sparse), and copied otherwise. A seed takes 8 bytes a token besides, for one pass or for as many
    as 128 MiB hold; while the orders are drawn, 24 bytes for each event and 5 for each token of a pass; and
    where there are more passes than that, a second copy of the weights.

    References
    ----------
    Widrow, B. and Hoff, M. E. (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.

    Bridle, J. S. (1990). Probabilistic interpretation of feedforward classification network outputs, with
    relationships to statistical pattern recognition. In Neurocomputing, 227-236. Springer.

    Evert, S. and Arppe, A. (2015). Some theoretical and experimental observations on naive discriminative
    learning. In Proceedings of the 6th Conference on Quantitative Investigations in Theoretical Linguistics.
    Tuebingen.

    Examples
    --------
    Full batches go where the equilibrium is:

    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("pots", "n", 5), ("pots_red", "y", 10), ("pots_red", "n", 5)]
    ... )
    >>> weights = rw.delta_rule(
    ...     events, beta=0.5, batch="full", reduction="mean", passes=200
    ... )
    >>> round(weights["red", "y"], 4), round(rw.equilibrium(events)["red", "y"], 4)
    (0.6667, 0.6667)

    Logistic regression: the log-odds of y are log(10 / 5) where there is red.

    >>> weights = rw.delta_rule(
    ...     rw.read_events([("red", "y", 10), ("red", "n", 5)]),
    ...     beta=1.0,
    ...     activation="logistic",
    ...     loss="log",
    ...     batch="full",
    ...     reduction="mean",
    ...     passes=100,
    ... )
    >>> round(weights["red", "y"], 4)
    0.6931

    The learning curve, until the gradient is small:

    >>> weights = rw.delta_rule(
    ...     events,
    ...     beta=0.5,
    ...     batch="full",
    ...     reduction="mean",
    ...     passes=1000,
    ...     tol=1e-6,
    ...     record="loss",
    ... )
    >>> weights.parameters["converged"], weights.parameters["passes"]
    (True, 196)
    >>> weights.history[[0, 1, 2, -1]].round(4)
    array([0.2559, 0.239 , 0.2308, 0.1667])

    Arrays, of a line y = 2 x - 1 with a column of ones as the intercept:

    >>> X = [[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    >>> y = [-3.0, -1.0, 1.0, 3.0]
    >>> weights = rw.delta_rule(
    ...     (X, y), beta=0.5, batch="full", reduction="mean", passes=100
    ... )
    >>> weights.column("y").round(4)
    array([ 2., -1.])
    """
    unit = unit_of(activation)
    size = batch_size(unit, loss, batch, reduction)
    most = whole("passes", passes, 1)
    tol = None if tol is None else rate("tol", tol)
    if record is not None:
        one_of("record", record, RECORDS)
    element = element_type(dtype)
    n_threads = thread_count(threads)
    beta = rate("beta", beta)
    rng = None if seed is None else generator(seed)
    known = _known(initial, rng)
    source = source_of(data, element, progress)
    plan = plan_of(source, None, None, known)
    if isinstance(initial, Weights):
        warn_unshared(initial, plan, source)
    alphas = per_name("alpha", alpha, plan.cues, "cue", element)
    warn_unknown("alpha", alpha, set(plan.cues), "cue")
    lambdas = _lambdas(source, lambda_, plan.outcomes, loss, element)
    shape = len(plan.cues), len(plan.outcomes)
    start = None if known is None else begun(shape, known, element)
    if initial == "random" and rng is not None:
        start = rng.normal(0.0, SPREAD, shape).astype(element)
    # An error that is bounded overshoots, too, but cannot grow.
    grows = unit.name in UNBOUNDED and not SAFE.get()
    kappa = source.kappa(alphas[plan.cue_rows]) if grows else 0.0
    safe = safe_rate(kappa, size, source.n_tokens, reduction)
    rate_name = RATE.get()
    rows = None
    if unit.name not in ENGINE:
        rows = source.rows(plan, lambdas, unit.absent, sets=size is None)
    descent = Descent(source, plan, unit, loss, alphas, lambdas, beta, size, reduction == "mean", rows)
    how = _Course(
        passes=most,
        tol=tol,
        record=record,
        schedule=schedule,
        # In full batches the order is nothing but rounding.
        rng=rng if size else None,
        threads=n_threads,
        cure=slower(rate_name, kappa, size, source.n_tokens, reduction),
        progress=progress,
    )
    started = perf_counter()
    done = _descended(descent, start, shape, element, how)
    parameters = recorded_facts(
        "delta",
        started,
        **rates_of(recorded(alpha, alphas), (beta, beta), recorded(lambda_, lambdas)),
        activation=unit.name,
        loss=loss,
        batch="full" if size is None else size,
        reduction=reduction,
        passes=done.passes,
        **({} if tol is None else {"tol": tol, "converged": done.steepest <= tol, "gradient": done.steepest}),
        schedule=None if schedule is None else name_of(schedule),
        seed=recorded_seed(seed),
        initial="random" if initial == "random" else None,
        continued=known is not None,
        **of_events(source),
        dtype=str(element),
        **done.report,
        **({} if record is None else {"record": record, "history": done.history}),
    )
    _warn_of(done, rate_name, kappa, safe, source.what, how)
    return Weights(done.values, plan.cues, plan.outcomes, parameters)


def _warn_of(done: _Descended, rate: str, kappa: float, safe: float, what: str, how: _Course) -> None:
    """Warn the user of a rate that is not safe, and of a tolerance that is not reached."""
    if done.fastest >= safe:
        has = f"{what} has sum({'alpha * x^2' if rate == 'beta' else 'x^2'}) = {kappa:g}"
        scheduled = how.schedule is not None
        warn(overshooting(rate, done.fastest, has, safe, scheduled=scheduled), NumericalWarning)
    if how.tol is not None and done.steepest > how.tol:
        warn(
            f"tol = {how.tol:g} is not reached: after {done.passes} passes the gradient is "
            f"{done.steepest:.3g}; raise passes, or {rate} where it is safe",
            NumericalWarning,
        )


def _lambdas(
    source: TokenSource,
    lambda_: PerName,
    outcomes: tuple[str, ...],
    loss: Loss,
    element: np.dtype[Any],
) -> NDArray[np.float64]:
    """The asymptotes of events; rows of arrays have targets of their own."""
    if isinstance(source, ArraySource):
        source.check(lambda_, loss)
        return np.ones(len(outcomes))
    lambdas = per_name("lambda_", lambda_, outcomes, "outcome", element, negative=True)
    warn_unknown("lambda_", lambda_, set(outcomes), "outcome")
    if loss == "log" and not ((lambdas >= 0) & (lambdas <= 1)).all():
        raise ValueError(
            "lambda_ must be between 0 and 1 for the loss 'log': no weights make the loss of other "
            "targets least"
        )
    return lambdas


class _Course(NamedTuple):
    """How far a descent goes, in which order, and what is looked at."""

    passes: int
    tol: float | None
    record: Record | None
    schedule: Schedule | None
    rng: np.random.Generator | None
    threads: int
    cure: str
    progress: Progress


class _Descended(NamedTuple):
    """Where a descent came, after how many passes."""

    values: NDArray[Any]
    passes: int
    steepest: float
    fastest: float
    history: list[float]
    report: dict[str, Any]
    """The kernel and the threads."""


def _descended(
    descent: Descent,
    start: NDArray[Any] | None,
    shape: tuple[int, int],
    element: np.dtype[Any],
    how: _Course,
) -> _Descended:
    """All passes, or as many as the gradient needs to be small."""
    schedule, tol, n_tokens = how.schedule, how.tol, descent.source.n_tokens
    objective = None if tol is None and how.record is None else descent.objective()
    history: list[float] = []
    made, steepest, fastest = 0, np.inf, descent.beta if schedule is None else 0.0
    with watching(how.progress, "learning", "tokens", how.passes * n_tokens) as watch:
        at_once = 1 if objective is not None else asked("ordered")["ordered"] or ORDERED
        for first, some, order in _orders(how.passes, descent.source, how.rng, schedule, at_once):
            factors = None
            if schedule is not None:
                factors = factors_of(schedule, descent.first_tokens(first, some), descent.beta, element)
                fastest = max(fastest, descent.beta * float(factors.max(initial=0.0)))
            values = np.zeros(shape, dtype=element)
            report = descent.learn(
                start,
                values,
                passes=some,
                order=order,
                factors=factors,
                threads=how.threads,
                cure=how.cure,
                watch=part_of_passes(watch, first, some, how.passes),
            )
            start, made = values, first + some
            if objective is None:
                continue
            if how.record is not None:
                history.append(objective(values, how.record))
            if tol is not None:
                steepest = objective.steepest(values)
                if steepest <= tol:
                    break
    report = {name: report[name] for name in ("kernel", "threads")}
    return _Descended(values, made, steepest, fastest, history, report)


def batch_size(unit: Unit, loss: Loss, batch: object, reduction: Reduction) -> int | None:
    """The tokens of a batch, None for all of them; ValueError for what does not go together."""
    one_of("loss", loss, ("squared", "log"))
    one_of("reduction", reduction, ("sum", "mean"))
    if loss == "log" and (unit.own or unit.name not in ("logistic", "softmax")):
        raise ValueError(
            f"loss 'log' goes with the activations 'logistic' and 'softmax', not {unit.name!r}: only of "
            "these the values are probabilities"
        )
    size = None if isinstance(batch, str) and batch == "full" else whole("batch", batch, 1, "'full'")
    if unit.own and size == 1:
        raise ValueError(
            "activation by functions of your own is for batches: with a batch of 1 Python would be called "
            "twice for every token, which takes longer than to learn it; take 'full' or some hundreds, or "
            f"one of {', '.join(map(repr, ENGINE))}"
        )
    return size


def safe_rate(kappa: float, size: int | None, n_tokens: int, reduction: Reduction) -> float:
    """Below which rate no token takes away twice its error: 2 / kappa, times the batch where it averages."""
    if not kappa:
        return np.inf
    batch = max(1, n_tokens if size is None else min(size, n_tokens))
    return 2 / kappa * (batch if reduction == "mean" else 1)


def slower(rate_name: str, kappa: float, size: int | None, n_tokens: int, reduction: Reduction) -> str:
    """What helps where weights become infinite or NaN, with a rate at which they do not; kappa may be 0."""
    at_once = n_tokens if size is None else min(size, n_tokens)
    # Tokens that are summed may all have the same error.
    safe = 2 / kappa / (at_once if reduction == "sum" else 1) if kappa else 0.0
    bound = f", which is safe below {safe:g}" if safe else ""
    others = ", or alpha" if rate_name == "beta" else ""
    others += ", or take the reduction 'mean' or smaller batches" if at_once > 1 else ""
    return f"lower {rate_name}{bound}{others}"


def _known(initial: object, rng: np.random.Generator | None) -> Weights | None:
    """The initial weights that the caller has."""
    if initial is None or isinstance(initial, Weights):
        return initial
    if not isinstance(initial, str):
        raise TypeError(f"initial must be Weights or 'random', not {type(initial).__name__}")
    one_of("initial", initial, ("random",))
    if rng is None:
        raise ValueError("initial 'random' needs a seed, so that the weights can be drawn again")
    return None


def _orders(
    passes: int, source: TokenSource, rng: np.random.Generator | None, schedule: object, at_once: int
) -> Iterator[tuple[int, int, NDArray[np.int64] | None]]:
    """Some passes at a time: the first of them, how many, and their tokens in random order, or None.

    As many as have `at_once` tokens, or one; all, where neither order nor factors take memory, unless
    `at_once` is 1.
    """
    together = passes
    if rng is not None or schedule is not None or at_once == 1:
        together = max(1, at_once // max(1, source.n_tokens))
    frequencies = source.frequencies()
    for first in range(0, passes, together):
        some = min(together, passes - first)
        yield first, some, None if rng is None else token_orders(some, frequencies, rng)
