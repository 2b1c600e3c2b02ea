"""The perceptron: a unit that answers with a sign, and learns from its mistakes."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.order import token_orders
from rescorla._learn.arrays import products
from rescorla._learn.delta.objective import RECORDS, Record
from rescorla._learn.record import record as recorded_facts
from rescorla._learn.schedule import Schedule, factors_of, name_of
from rescorla._shared.checks import Seed, flag, generator, number, one_of, recorded_seed, whole
from rescorla._shared.progress import Progress, part, watching
from rescorla._weights.vectors import Examples, Table, same_length, table_of, taken, vector_of
from rescorla.perceptrons._plane import LinearFit, signs_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FLOAT64 = np.dtype(np.float64)


def perceptron(
    X: Examples,
    y: ArrayLike,
    *,
    rule: Literal["single", "batch"] = "single",
    eta: float = 1.0,
    bias: bool = True,
    max_sweeps: int = 1000,
    schedule: Schedule | None = None,
    initial: LinearFit | Literal["random"] | ArrayLike | None = None,
    seed: Seed | None = None,
    record: Literal["loss", "accuracy"] | None = None,
    progress: Progress = None,
) -> LinearFit:
    """Learn a plane between two classes by the perceptron rule.

    With f(x) = sum of w_i x_i + w0, an example is a mistake if y f(x) <= 0, and moves the weights towards it:

        dw_i = eta * y * x_i,    dw0 = eta * y

    This goes on in sweeps over the examples, until a sweep has no mistake.

    Parameters
    ----------
    X : array_like, data frame, xarray DataArray or scipy sparse matrix, n_examples x n_features
        The examples. A sparse X is never made dense.
    y : array_like of +1 and -1, n_examples
        Their classes.
    rule : {"single", "batch"}, default "single"
        Single: each mistake is learned from at once, in the order of the rows (Rosenblatt), or in random
        order if there is a seed. Batch: all mistakes that the weights make at the beginning of a sweep are
        found, and then learned from together.
    eta : float, default 1.0
        How much of an example is added, above 0. From zero weights it scales the result and nothing else:
        what is learned with ``eta=1.0`` is multiplied by it at the end.
    bias : bool, default True
        Whether there is a bias w0: the weight of a cue that is always present with the value 1. Rosenblatt's
        unit has one, its threshold; those of `minover` and `adatron` have none by default.
    max_sweeps : int, default 1000
        When to give up. Where a plane separates the classes the single rule ends by itself, after at most
        (R / gamma)^2 mistakes from zero: R the greatest |(x, 1)|, gamma the greatest stability that there is.
    schedule : callable, optional
        Factors on eta: a function of token numbers (int64, from 1 on through all sweeps, an example being a
        token in each) that gives a factor for each, as `rescorla.schedules` have it. A sweep of the batch
        rule has the factor of its first token.
    initial : "random", array_like of n_features or LinearFit, optional
        What to start from: zero; numbers of the normal distribution with mean 0 and standard deviation 1,
        drawn with the seed, the bias last; these weights, with a bias of 0; or the weights and the bias of a
        fit.
    seed : int, numpy.random.Generator or numpy.random.SeedSequence, optional
        Take the examples of each sweep in a fresh random order, after random initial weights are drawn;
        without it in the order of the rows. The order makes no difference to the batch rule. A Generator goes
        on from where it is, and ``parameters["seed"]`` is None then.
    record : {"loss", "accuracy"}, optional
        What to compute of the weights after each sweep, as ``history`` of the result. "loss": the perceptron
        criterion, the sum of -y f(x) over the mistakes, which is 0 also where these lie on the plane.
        "accuracy": the part of the examples that are right.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook. A callable is called by the calling thread; when it
        raises, learning stops.

    Returns
    -------
    LinearFit
        ``errors`` is the learning curve: the mistakes made in each sweep (single), or by the weights at its
        beginning (batch). ``converged``: whether the last sweep had none. ``n_steps``: how often the weights
        were moved, by one mistake or by all of a sweep. ``strengths``: how much of each example was added:
        eta times how often, or with a schedule the sum of its rates. Without examples nothing is learned,
        which counts as converged.

    Raises
    ------
    ValueError
        When shapes do not fit, a number is not finite, a class is not +1 or -1, or a parameter is out of its
        range.
    TypeError
        When an argument is of a wrong type.
    FloatingPointError
        When a weight became infinite or NaN; the message names it.

    See Also
    --------
    delta_rule : the same unit with an answer that is a number.
    minover : the plane with the greatest stability.

    Notes
    -----
    The bits are those of plain loops: f is summed from +0.0 in the order of the columns, the bias last, and
    s = eta * y is rounded before s * x_i. From zero weights s = y, so that whole numbers stay whole: an
    example that lies on the plane lies there exactly, and is a mistake whatever eta is. That classes are not
    separated after some sweeps does not prove that they cannot be: `separable` decides.

    The rule goes down the perceptron criterion: it adds eta times minus its gradient, of one mistake (single)
    or of all (batch). What `record` asks for is computed in numpy, and may differ from plain loops in its
    last digits. A seed takes a copy of X.

    References
    ----------
    Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and organization in
    the brain. Psychological Review 65, 386-408.

    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. In Proceedings of the Symposium on the
    Mathematical Theory of Automata, 12, 615-622. New York: Polytechnic Institute of Brooklyn.

    Examples
    --------
    Learn AND:

    >>> import rescorla as rw
    >>> inputs = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> fit = rw.perceptrons.perceptron(inputs, [-1, -1, -1, 1])
    >>> fit.converged, fit.coef, fit.intercept
    (True, array([3., 2.]), -4.0)
    >>> fit.predict(inputs)
    array([-1, -1, -1,  1])

    The mistakes of each sweep:

    >>> fit.errors
    array([2, 3, 3, 2, 2, 3, 2, 1, 0])

    The perceptron criterion after each:

    >>> rw.perceptrons.perceptron(inputs, [-1, -1, -1, 1], record="loss").history
    array([2., 1., 0., 0., 1., 0., 0., 0., 0.])

    No plane tells XOR:

    >>> rw.perceptrons.perceptron(inputs, [-1, 1, 1, -1], max_sweeps=100).converged
    False
    """
    one_of("rule", rule, ("single", "batch"))
    eta, bias = number("eta", eta), flag("bias", bias)
    if eta <= 0:
        raise ValueError(f"eta must be above 0, not {eta}")
    sweeps = whole("max_sweeps", max_sweeps, 1)
    table = table_of("X", X, _FLOAT64, "x")
    signs = signs_of(y)
    same_length("X", table.shape[0], "y", len(signs))
    if record is not None:
        one_of("record", record, RECORDS)
    rng = None if seed is None else generator(seed)
    weights, start = _start(initial, rng, table, bias)
    # From zero weights eta scales everything; multiples of an eta that is no power of two would round, and
    # put on one side of the plane what lies on it.
    scale = 1.0 if weights.any() or start else eta
    how = _Settings(rule, eta / scale, bias, schedule, rng if rule == "single" else None, record)
    started = perf_counter()
    try:
        with watching(progress, "learning", "sweeps", sweeps) as watch:
            coef, intercept, stability, errors, added, strengths, history = how.learn(
                table, signs, weights, start, sweeps, watch
            )
    except FloatingPointError as error:
        match error.args:
            case (int(row), _, value):
                raise _overflow(table, row, value) from None
        raise
    if scale != 1.0:
        with np.errstate(over="ignore"):
            coef, intercept = coef * scale, float(np.float64(intercept) * scale)
            if record == "loss":
                history = history * scale
        scaled = np.append(coef, intercept)
        if not np.isfinite(scaled).all():
            row = int(np.isfinite(scaled).argmin())
            raise _overflow(table, row, float(scaled[row]))
    parameters = recorded_facts(
        "perceptron",
        started,
        updates=rule,
        eta=eta,
        bias=bias,
        max_sweeps=sweeps,
        initial=initial if isinstance(initial, str) else None,
        continued=initial is not None and not isinstance(initial, str),
        schedule=None if schedule is None else name_of(schedule),
        seed=recorded_seed(seed),
        **({} if record is None else {"record": record}),
        n_examples=table.shape[0],
        n_features=table.shape[1],
    )
    return LinearFit(
        coef=coef,
        intercept=intercept,
        stability=stability,
        n_steps=int(added.sum() if rule == "single" else np.count_nonzero(errors)),
        errors=errors,
        converged=bool(errors[-1] == 0),
        strengths=eta * strengths,
        history=None if record is None else history,
        feature_names=table.names,
        parameters=parameters,
    )


class _Found(NamedTuple):
    """Weights, bias, stability, the errors of each sweep; how often each example was added, and the sum of
    its factors; and a record."""

    coef: NDArray[np.float64]
    intercept: float
    stability: float
    errors: NDArray[np.int64]
    added: NDArray[np.int64]
    strengths: NDArray[np.float64]
    history: NDArray[np.float64]


class _Settings(NamedTuple):
    """How to learn, whatever the examples are."""

    rule: Literal["single", "batch"]
    eta: float
    bias: bool
    schedule: Schedule | None
    rng: np.random.Generator | None
    record: Record | None

    def learn(
        self,
        x: Table,
        y: NDArray[np.float64],
        weights: NDArray[np.float64],
        bias: float,
        sweeps: int,
        watch: Callable[[int, int], object] | None,
    ) -> _Found:
        """All sweeps at once, or one after another where something is to be done between them."""

        def swept(
            x: Table, y: Any, n: int, factors: Any, progress: Any
        ) -> tuple[NDArray[np.float64], float, float, NDArray[np.int64], NDArray[np.int64]]:
            return _core.perceptron(
                x,
                y,
                rule=self.rule,
                eta=self.eta,
                factors=factors,
                initial=weights,
                bias=bias if self.bias else None,
                max_sweeps=n,
                progress=progress,
            )

        if self.rng is None and self.record is None and self.schedule is None:
            found = swept(x, y, sweeps, None, watch)
            return _Found(*found, found[-1].astype(np.float64), np.zeros(0))
        n = len(y)
        ones, added, strengths = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n)
        errors, history = [], []
        for sweep in range(sweeps):
            order = None if self.rng is None else token_orders(1, ones, self.rng)[0]
            ordered, signs = (x, y) if order is None else (taken(x, order), y[order])
            factors = self._factors(sweep, n)
            weights, bias, stability, wrong, more = swept(
                ordered, signs, 1, factors, part(watch, sweep * n, sweeps * n)
            )
            rows = slice(None) if order is None else order
            added[rows] += more
            strengths[rows] += more if factors is None else more * factors
            errors.append(int(wrong[0]))
            if self.record is not None:
                history.append(_recorded(x, y, weights, bias, self.record))
            if not errors[-1]:
                break
        wrongs = np.array(errors, dtype=np.int64)
        return _Found(weights, bias, stability, wrongs, added, strengths, np.array(history, dtype=float))

    def _factors(self, sweep: int, n: int) -> NDArray[np.float64] | None:
        """Those on eta of a sweep's examples."""
        if self.schedule is None:
            return None
        tokens = np.arange(sweep * n + 1, (sweep + 1) * n + 1, dtype=np.int64)
        if self.rule == "batch":
            tokens[1:] = tokens[:1]
        return factors_of(self.schedule, tokens, self.eta, _FLOAT64)


def _recorded(
    x: Table, y: NDArray[np.float64], weights: NDArray[np.float64], bias: float, record: Record
) -> float:
    """The perceptron criterion, or the part of the examples that are right."""
    if not len(y):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        margins = y * (products(x, weights[:, np.newaxis])[:, 0] + bias)
    if record == "accuracy":
        return float((margins > 0).mean())
    return float(np.maximum(-margins, 0.0).sum())


def _overflow(table: Table, row: int, value: float) -> FloatingPointError:
    """The weight of that column, or the bias after the last, became infinite or NaN."""
    which = f"weight of {table.names[row]!r}" if row < len(table.names) else "bias"
    return FloatingPointError(f"the {which} became {value}; lower eta, or scale X")


def _start(
    initial: object, rng: np.random.Generator | None, table: Table, bias: bool
) -> tuple[NDArray[np.float64], float]:
    """The weights and the bias to begin with."""
    p = table.shape[1]
    if initial is None:
        return np.zeros(p), 0.0
    if isinstance(initial, str):
        one_of("initial", initial, ("random",))
        if rng is None:
            raise ValueError("initial 'random' needs a seed, so that the weights can be drawn again")
        drawn = rng.normal(size=p + 1)
        return drawn[:p], float(drawn[p]) if bias else 0.0
    if isinstance(initial, LinearFit):
        weights, start = initial.coef, initial.intercept
        if initial.feature_names not in ((), table.names):
            raise ValueError("initial must have the features of X in the same order")
        if start and not bias:
            raise ValueError(f"initial has the bias {start}, for which there is no place without a bias")
    else:
        weights, start = vector_of("initial", initial, _FLOAT64), 0.0
    if len(weights) != p:
        raise ValueError(f"initial must have {p} weights, one for each feature of X, not {len(weights)}")
    if not np.isfinite(start):
        raise ValueError(f"initial must have a finite bias, not {start}")
    return weights, start
