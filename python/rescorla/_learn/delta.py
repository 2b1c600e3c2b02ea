"""The delta rule with an activation function, token by token or in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from rescorla import _core
from rescorla._events.events import Events
from rescorla._events.given import Source, events_unless_pair
from rescorla._events.order import token_orders
from rescorla._learn.plan import (
    RATE,
    Plan,
    naming_divergence,
    plan_of,
    start_of,
    warn_of_entries,
    warn_unshared,
)
from rescorla._learn.record import of_events, rates_of, record
from rescorla._shared.checks import (
    PerName,
    Seed,
    element_type,
    generator,
    is_number,
    one_of,
    per_name,
    rate,
    recorded,
    recorded_seed,
    thread_count,
    whole,
)
from rescorla._shared.hints import hinting
from rescorla._shared.progress import Progress, watching
from rescorla._shared.testing import asked
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights.vectors import Examples, Table, kappas, same_length, table_of, targets_of
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Activation = Literal["identity", "logistic", "tanh"]
Loss = Literal["squared", "log"]
Reduction = Literal["sum", "mean"]

# The standard deviation of random initial weights: small, so that sums of a few of them are near zero, where
# logistic and tanh are steepest.
SPREAD = 0.01

# Tokens put in random order at a time, unless a pass has more: 128 MiB.
ORDERED = 1 << 24


@hinting
def delta_rule(
    data: Source | tuple[Examples, Examples],
    *,
    alpha: PerName = 1.0,
    beta: float,
    lambda_: PerName = 1.0,
    activation: Activation = "identity",
    loss: Loss = "squared",
    batch: int | Literal["full"] = 1,
    reduction: Reduction = "sum",
    passes: int = 1,
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

    In events x_i is 1 where cue i is present and 0 where it is absent; in arrays any number.

    All tokens of a batch see the weights as they were before it; their dw are summed or averaged, and then
    applied. With g the identity and batches of one token this is the rule of Rescorla and Wagner: the weights
    are those of ``learn(events.passes(passes, seed), method="forward")`` with the same rates, bit for bit.

    Parameters
    ----------
    data : Events or a source of them, or pair (X, Z)
        What to learn from. A tuple of two is a pair of arrays, and nothing else is. All else are events, or
        whatever `read_events` takes: the path of a binary event file or event table; a list, or another
        iterable that is no tuple, of ``(cues, outcomes[, frequency])``; a data frame or Arrow table with
        columns ``cues`` and ``outcomes``. `corpus_events` makes events of running text.

        X : array_like, data frame, xarray DataArray or scipy sparse matrix, n_tokens x n_cues
            Each row is a token, and its numbers are the values of the cues. A sparse X is never made dense:
            of a row only what stands there is looked at. Cues have the names of the columns, or "x0", "x1"
            and so on.
        Z : the same, n_tokens x n_outcomes, or array_like of n_tokens
            The targets, taken as they are. Outcomes have the names of the columns, or "z0", "z1" and so on;
            that of one number a token has its own name, or "y".
    alpha : float, mapping or array_like of shape (n_cues,), default 1.0
        The salience of cues: one number, or one per cue, 0 or more. A mapping covers all cues; an array has
        the order of the rows of the result.
    beta : float
        The learning rate, 0 or more.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The target t of an outcome that is present: one number, or one per outcome. That of an absent outcome
        is 0, and with tanh -lambda. Logistic and tanh come near 1 and never reach it; with tanh a lambda
        below 1 keeps weights finite where a plane separates the events. With arrays it stays 1.0: scale Z.
    activation : {"identity", "logistic", "tanh"}, default "identity"
        The function g: h itself, 1 / (1 + exp(-h)), or the hyperbolic tangent.
    loss : {"squared", "log"}, default "squared"
        What is made smaller: (t - g)^2 / 2, or -t log g - (1 - t) log(1 - g). The log loss is for the
        logistic function and targets from 0 to 1; its full-batch descent is logistic regression.
    batch : int or "full", default 1
        Tokens in a batch; the last one of a pass may have fewer. A batch may end within an event of frequency
        f, which is f tokens. "full": all tokens of a pass.
    reduction : {"sum", "mean"}, default "sum"
        Whether the dw of a batch are summed, or averaged over its tokens.
    passes : int, default 1
        How often to go through the tokens.
    initial : Weights or "random", optional
        What to start from: zero; these weights, whose names come first in the result; or "random", numbers of
        the normal distribution with mean 0 and standard deviation 0.01, drawn with the seed. Columns of
        arrays are matched by name; weights of cues that X lacks, or to outcomes that Z lacks, stay what they
        are.
    seed : int, numpy.random.Generator or numpy.random.SeedSequence, optional
        Take the tokens of each pass in a fresh random order, the one in which ``events.passes(passes, seed)``
        has them, after random initial weights are drawn; without it in the order of the events. Each row of
        arrays is an event. A Generator goes on from where it is, and ``parameters["seed"]`` is None then. The
        order makes no difference to full batches.
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
        Names are in the order of the events, or of the columns of X and Z. ``parameters`` tells how the
        weights came about.

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
        When a weight left the finite numbers; the message names it, and the greatest safe rate.
    FormatError, OSError
        When the events cannot be read, or are running text: the message writes the call that makes events of
        it.

    Warns
    -----
    RescorlaWarning
        When g is the identity and beta so large that a token takes away twice its own error, or more: where
        beta * sum of alpha x^2 is 2 or more, or n times as much where n tokens are averaged.

    See Also
    --------
    learn : the rule of Rescorla and Wagner, with more choices.
    equilibrium : what full batches converge to, where g is the identity.

    Notes
    -----
    The bits are those of plain loops in the order that the documentation states (Background, The mathematics,
    Batches). The functions are computed by the system's library in float64 and rounded: their last digit may
    depend on the system.

    Events are held in memory, decoded, and the batches made of them up to 512 MiB, or one batch if that
    is more. Arrays are used where they are if they have the type of the weights and lie row after row in
    memory (CSR, if sparse), and copied otherwise. A seed takes 8 bytes a token besides, for as many passes as
    128 MiB hold or for one, and while they are drawn 24 for each event and 5 for each token of a pass; and
    where there are more passes, a second copy of the weights.

    References
    ----------
    Widrow, B. and Hoff, M. E. (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.

    Evert, S. and Arppe, A. (2015). Some theoretical and experimental observations on naive discriminative
    learning. In Proceedings of the 6th Conference on Quantitative Investigations in Theoretical Linguistics.
    Tuebingen.

    Examples
    --------
    Full batches go where the equilibrium is:

    >>> import rescorla as rw
    >>> events = rw.read_events([("pots", "n", 5), ("pots_red", "y", 10), ("pots_red", "n", 5)])
    >>> weights = rw.delta_rule(events, beta=0.5, batch="full", reduction="mean", passes=200)
    >>> round(weights["red", "y"], 4), round(rw.equilibrium(events)["red", "y"], 4)
    (0.6667, 0.6667)

    Logistic regression: the log-odds of y are log(10 / 5) where there is red.

    >>> weights = rw.delta_rule(
    ...     rw.read_events([("red", "y", 10), ("red", "n", 5)]),
    ...     beta=1.0, activation="logistic", loss="log", batch="full", reduction="mean", passes=100,
    ... )
    >>> round(weights["red", "y"], 4)
    0.6931

    Arrays, of a line y = 2 x - 1 with a column of ones as the intercept:

    >>> X = [[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    >>> y = [-3.0, -1.0, 1.0, 3.0]
    >>> weights = rw.delta_rule((X, y), beta=0.5, batch="full", reduction="mean", passes=100)
    >>> weights.column("y").round(4)
    array([ 2., -1.])
    """
    size = batch_size(activation, loss, batch, reduction)
    n_passes = whole("passes", passes, 1)
    element = element_type(dtype)
    n_threads = thread_count(threads)
    beta = rate("beta", beta)
    rng = None if seed is None else generator(seed)
    known = _known(initial, rng)
    given = events_unless_pair(data, "delta_rule", progress=progress)
    pair = cast("tuple[Examples, Examples]", data)
    events = _arrays(pair, element) if given is None else _Tokens(given)
    plan = plan_of(events, None, None, known)
    if isinstance(initial, Weights):
        warn_unshared(initial, plan, events)
    alphas = per_name("alpha", alpha, plan.cues, "cue", element)
    warn_of_entries("alpha", alpha, plan.cues, "cue")
    if isinstance(events, _Arrays):
        events.check(lambda_, loss)
        lambdas = np.ones(len(plan.outcomes))
    else:
        lambdas = per_name("lambda_", lambda_, plan.outcomes, "outcome", element, negative=True)
        warn_of_entries("lambda_", lambda_, plan.outcomes, "outcome")
        if loss == "log" and not ((lambdas >= 0) & (lambdas <= 1)).all():
            raise ValueError(
                "lambda_ must be between 0 and 1 for loss='log': no weights make the loss of other targets "
                "least"
            )
    shape = len(plan.cues), len(plan.outcomes)
    start: NDArray[Any] | None = None
    if known is not None:
        start = _start(known, shape, element)
    elif rng is not None and initial == "random":
        start = rng.normal(0.0, SPREAD, shape).astype(element)
    arguments: dict[str, Any] = {
        "beta": beta,
        "activation": activation,
        "loss": loss,
        "batch": size,
        "mean": reduction == "mean",
        "threads": n_threads,
        **asked("kernel", "tile"),
    }
    # An error that is bounded overshoots, too, but cannot grow.
    kappa = events.kappa(alphas[plan.cue_rows]) if activation == "identity" else 0.0
    safe = safe_rate(kappa, size, events.n_tokens, reduction)
    rate_name = RATE.get()
    cure = slower(rate_name, kappa, size, events.n_tokens, reduction)
    ordered = asked("ordered")["ordered"] or ORDERED
    started = perf_counter()
    with watching(progress, "learning", "tokens", n_passes * events.n_tokens) as watch:
        # In full batches the order is nothing but rounding.
        for first, some, order in _orders(n_passes, events, rng if size else None, ordered):
            values = np.zeros(shape, dtype=element)
            step = arguments | {
                "passes": some,
                "order": order,
                "progress": _part(watch, first, some, n_passes),
            }
            if isinstance(events, _Arrays):
                report = events.learn(plan, alphas, start, values, step, cure)
            else:
                with naming_divergence(plan, cure):
                    report = _core.delta_rule(
                        events.events._file,
                        alpha=alphas,
                        lambda_=lambdas,
                        cue_rows=plan.cue_rows,
                        outcome_columns=plan.outcome_columns,
                        initial=start,
                        out=values,
                        **step,
                    )
            start = values
    parameters = record(
        "delta",
        started,
        **rates_of(recorded(alpha, alphas), (beta, beta), recorded(lambda_, lambdas)),
        activation=activation,
        loss=loss,
        batch="full" if size is None else size,
        reduction=reduction,
        passes=n_passes,
        seed=recorded_seed(seed),
        initial="random" if initial == "random" else None,
        continued=known is not None,
        **of_events(events),
        dtype=str(element),
        kernel=report["kernel"],
        threads=report["threads"],
    )
    if beta >= safe:
        warn(overshooting(rate_name, beta, kappa, safe, events.what), NumericalWarning)
    return Weights(values, plan.cues, plan.outcomes, parameters)


def batch_size(activation: Activation, loss: Loss, batch: object, reduction: Reduction) -> int | None:
    """The tokens of a batch, None for all of them; ValueError for what does not go together."""
    one_of("activation", activation, ("identity", "logistic", "tanh"))
    one_of("loss", loss, ("squared", "log"))
    one_of("reduction", reduction, ("sum", "mean"))
    if loss == "log" and activation != "logistic":
        raise ValueError(
            f"loss='log' goes with activation='logistic', not {activation!r}: only of the logistic function "
            "the values are probabilities"
        )
    return None if isinstance(batch, str) and batch == "full" else whole("batch", batch, 1, "'full'")


def safe_rate(kappa: float, size: int | None, n_tokens: int, reduction: Reduction) -> float:
    """Below which rate no token takes away twice its error: 2 / kappa, times the batch where it averages."""
    if not kappa:
        return np.inf
    batch = max(1, n_tokens if size is None else min(size, n_tokens))
    return 2 / kappa * (batch if reduction == "mean" else 1)


def slower(rate_name: str, kappa: float, size: int | None, n_tokens: int, reduction: Reduction) -> str:
    """What helps where weights leave the finite numbers, with a rate at which they do not; kappa may be 0."""
    at_once = n_tokens if size is None else min(size, n_tokens)
    # Tokens that are summed may all have the same error.
    safe = 2 / kappa / (at_once if reduction == "sum" else 1) if kappa else 0.0
    bound = f", which is safe below {safe:g}" if safe else ""
    others = ", or alpha" if rate_name == "beta" else ""
    others += ", or take reduction='mean' or smaller batches" if at_once > 1 else ""
    return f"lower {rate_name}{bound}{others}"


def overshooting(rate_name: str, beta: float, kappa: float, safe: float, what: str) -> str:
    """What to tell the user whose rate is too large for some token."""
    size, cure = ("alpha * x^2", "beta or alpha") if rate_name == "beta" else ("x^2", rate_name)
    return (
        f"{rate_name} = {beta:g} may overshoot: {what} has sum({size}) = {kappa:g}, so a rate is safe only "
        f"below {safe:g}; lower {cure}"
    )


class _Tokens:
    """Events, as much as learning needs of them."""

    what = "an event"

    def __init__(self, events: Events) -> None:
        self.events = events
        self.n_tokens, self.n_cues, self.n_outcomes = events.n_tokens, events.n_cues, events.n_outcomes
        self.cues, self.outcomes = events.cues, events.outcomes

    def __len__(self) -> int:
        return len(self.events)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What made them."""
        return self.events.parameters

    def frequencies(self) -> NDArray[np.int64]:
        """How many tokens each event stands for."""
        return self.events.frequencies

    def kappa(self, alphas: NDArray[np.float64]) -> float:
        """The greatest sum of alpha m^2 of an event."""
        (pointers, cues, _), _ = self.events._file.cue_sets()
        sets = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
        # A cue that is there m times is m slots side by side.
        pairs, times = np.unique(sets * self.n_cues + cues, return_counts=True)
        if not len(pairs):
            return 0.0
        squares = alphas[pairs % self.n_cues] * np.square(times, dtype=np.float64)
        return float(np.bincount(pairs // self.n_cues, weights=squares).max())


class _Arrays:
    """Rows of X, each a token, and its targets in Z: what `Events` tell of themselves."""

    what = "a row"

    def __init__(self, x: Table, z: Table) -> None:
        same_length("X", x.shape[0], "Z", z.shape[0])
        self.x, self.z = x, z
        self.n_tokens, self.n_cues = x.shape
        self.n_outcomes = z.shape[1]
        self.cues, self.outcomes = x.names, z.names

    def __len__(self) -> int:
        return self.n_tokens

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What made them, which arrays do not say."""
        return {}

    def check(self, lambda_: object, loss: Loss) -> None:
        """ValueError where targets are not those of Z, or not such as the loss has."""
        if not is_number(lambda_) or lambda_ != 1:
            raise ValueError(
                f"lambda_ must be 1.0 with arrays, where the targets are those of Z, not {lambda_!r}; scale Z"
            )
        check_targets("Z", self.z, loss)

    def frequencies(self) -> NDArray[np.int64]:
        """How many tokens each row stands for."""
        return np.ones(self.n_tokens, dtype=np.int64)

    def kappa(self, alphas: NDArray[np.float64]) -> float:
        """The greatest sum of alpha x^2 of a row."""
        return float(kappas(self.x, alphas).max(initial=0.0))

    def learn(
        self,
        plan: Plan,
        alphas: NDArray[np.float64],
        start: NDArray[Any] | None,
        values: NDArray[Any],
        step: dict[str, Any],
        cure: str,
    ) -> dict[str, Any]:
        """Learn the rows and columns of the result that X and Z name; the others stay what they were."""
        place = np.ix_(plan.cue_rows, plan.outcome_columns)
        if start is not None:
            values[...] = start
            # The engine takes the same columns in the order of X and Z.
            start = np.ascontiguousarray(start[place])
        out = np.zeros((self.n_cues, self.n_outcomes), dtype=values.dtype)
        names = plan._replace(all_cues=self.cues, outcomes=self.outcomes)
        with naming_divergence(names, cure):
            report = _core.delta_rule_rows(
                self.x, self.z, alpha=alphas[plan.cue_rows], initial=start, out=out, **step
            )
        values[place] = out
        return report


def check_targets(argument: str, z: Table, loss: Loss) -> None:
    """ValueError where targets are not such as the loss has."""
    wrong = (z.values < 0) | (z.values > 1)
    if loss == "log" and wrong.any():
        raise ValueError(
            f"{argument} must be between 0 and 1 for loss='log', not {z.values.flat[int(wrong.argmax())]}: "
            "no weights make the loss of other targets least"
        )


def _arrays(data: tuple[Examples, Examples], element: np.dtype[Any]) -> _Arrays:
    return _Arrays(table_of("X", data[0], element, "x"), targets_of("Z", data[1], element))


def _known(initial: object, rng: np.random.Generator | None) -> Weights | None:
    """The initial weights that the caller has."""
    if initial is None or isinstance(initial, Weights):
        return initial
    if not isinstance(initial, str):
        raise TypeError(f"initial must be Weights or 'random', not {type(initial).__name__}")
    one_of("initial", initial, ("random",))
    if rng is None:
        raise ValueError("initial='random' needs a seed=, so that the weights can be drawn again")
    return None


def _start(known: Weights, shape: tuple[int, int], element: np.dtype[Any]) -> NDArray[Any]:
    """The initial weights in the place that they have in the result, and zeros."""
    values = np.zeros(shape, dtype=element)
    values[: len(known.cues), : len(known.outcomes)] = start_of(known, element)
    return values


def _orders(
    passes: int, events: _Tokens | _Arrays, rng: np.random.Generator | None, ordered: int
) -> Iterator[tuple[int, int, NDArray[np.int64] | None]]:
    """Some passes at a time: the first of them, how many, and their tokens in random order, or None."""
    if rng is None:
        yield 0, passes, None
        return
    at_once = max(1, ordered // max(1, events.n_tokens))
    frequencies = events.frequencies()
    for first in range(0, passes, at_once):
        some = min(at_once, passes - first)
        yield first, some, token_orders(some, frequencies, rng)


def _part(
    watch: Callable[[int, int], object] | None, first: int, some: int, passes: int
) -> Callable[[int, int], object] | None:
    """Tells of some passes as a part of all of them."""
    if watch is None:
        return None

    def report(done: int, total: int) -> None:
        # A later part begins with a total that is not known yet: progress would fall to zero.
        if total > 0 or first == 0:
            watch(done + total // some * first, total // some * passes)

    return report
