"""Estimators that learn row by row from errors: what those of the rule and of the delta rule share."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

import rescorla._core as _core
from rescorla._events.order import token_orders
from rescorla._learn.delta.delta_rule import (
    ORDERED,
    SPREAD,
    batch_size,
    safe_rate,
    slower,
)
from rescorla._learn.delta.sources import check_targets
from rescorla._learn.delta.units import SLOPING, UNBOUNDED, unit_of
from rescorla._learn.plan import overshooting
from rescorla._learn.record import rates_of, record
from rescorla._shared.checks import (
    PerName,
    generator,
    is_number,
    one_of,
    per_name,
    rate,
    recorded,
    thread_count,
    whole,
)
from rescorla._shared.warn import warn
from rescorla._weights.vectors import Table, kappas, table_of
from rescorla.estimators._inputs import frequencies_of, mean_square, median, paces_of, present, seed_of
from rescorla.estimators._linear import EstimatorWarning, LinearEstimator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rescorla._learn.delta.delta_rule import Activation, Reduction
    from rescorla._learn.delta.units import Loss

_FLOAT64 = np.dtype(np.float64)

# Of its error, what the default rate lets a token of the median length take away, and at the most so much
# a longer one; and what it lets the longest token of a batch.
_PART, _PART_OF_BATCH = 0.05, 0.1

# How many passes a learner of default rates makes at the most, and after how many that hardly improve it
# stops.
_PASSES, _PATIENCE = 20, 5

# A thread for fewer outcomes would save less time than it takes.
_OUTCOMES_A_THREAD = 16


class _Rule(NamedTuple):
    """What is learned by, besides rates and passes."""

    activation: Activation = "identity"
    loss: Loss = "squared"
    batch: Any = 1
    reduction: Reduction = "sum"
    initial: str | None = None


def _begun(rule: _Rule, rng: np.random.Generator | None, shape: tuple[int, int]) -> NDArray[np.float64]:
    """The weights that learning starts from."""
    if rule.initial != "random":
        return np.zeros(shape)
    if rng is None:
        raise ValueError("initial 'random' needs a random_state, so that the weights can be drawn again")
    return rng.normal(0.0, SPREAD, shape)


class ErrorDriven(LinearEstimator):
    """Tokens of real-valued cues and outcomes, learned as by `rescorla.delta_rule`."""

    beta_: float
    n_iter_: int
    _reference: float

    def __init__(
        self,
        *,
        alpha: PerName = 1.0,
        beta: float | None = None,
        passes: int | None = None,
        tol: float | None = 1e-3,
        fit_intercept: bool = True,
        random_state: Any = None,
        threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.passes = passes
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.threads = threads

    def _take_in(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        piece: bool = False,
    ) -> Self:
        """Learn rows from the start; or a piece, once and in its order."""
        X, y = self._read(X, y, classes, piece=piece)
        X, y, frequencies = present(X, y, frequencies_of(sample_weight, X), piece=piece)
        self._learn(X, self._targets(y), frequencies, piece=piece)
        return self

    def _rule(self) -> _Rule:
        """What the estimator says of its rule."""
        rule = _Rule(**{name: getattr(self, name) for name in _Rule._fields if hasattr(self, name)})
        one_of("activation", rule.activation, SLOPING)
        one_of("initial", rule.initial, (None, "random"))
        return rule

    def _learn(
        self,
        X: Any,
        Z: Any,
        frequencies: NDArray[np.float64] | None,
        *,
        piece: bool,
    ) -> tuple[Table, NDArray[np.float64]]:
        """Learn all passes from the start; or a piece, once and in its order, from where we are.

        What is given back is the rows, and the weights of the cues that occur in them.

        Only the rows of the weights are worked on whose cues occur: of a million features a piece may have a
        hundred, and then it costs what a hundred do.
        """
        rule = self._rule()
        size = batch_size(unit_of(rule.activation), rule.loss, rule.batch, rule.reduction)
        more = piece and hasattr(self, "_values")
        x, used = _occurring(table_of("X", self._cues(X), _FLOAT64, None))
        z = table_of("y", Z, _FLOAT64, None)
        check_targets("y", z, rule.loss)
        n_cues = self.n_features_in_ + int(self.fit_intercept)
        alphas, alpha = self._saliences(n_cues, used)
        kappa = kappas(x, alphas)
        before = self._reference if more else 0.0
        beta, paces, reference = self._rates(kappa, frequencies, size, rule.reduction, before)
        if frequencies is not None:
            paces = paces_of(frequencies, beta, paces, kappa)
        tol = None if self.tol is None else rate("tol", self.tol)
        n_passes = int(x.shape[0] > 0) if piece else self._most_passes()
        seed = seed_of(self.random_state)
        rng = None if seed is None else generator(seed)
        values = self._values if more else _begun(rule, rng, (n_cues, z.shape[1]))
        if more and not n_passes:
            # A piece of no tokens teaches nothing.
            return x, values[used]
        if self.beta is None and not piece and rng is None:
            rng = generator(0)
        # In full batches the order is nothing but rounding.
        shuffling = rng if size and not piece else None
        greatest = float(kappa.max(initial=0.0))
        settings: dict[str, Any] = {
            "alpha": alphas,
            "beta": beta,
            "paces": paces,
            "activation": rule.activation,
            "loss": rule.loss,
            "batch": size,
            "mean": rule.reduction == "mean",
            "threads": self._threads(z.shape[1]),
            "kernel": None,
            "tile": None,
            "progress": None,
        }
        stopping = tol if self.beta is None and self.passes is None and not piece else None
        started = perf_counter()
        try:
            learned, n_iter, settled = _passes(
                x, z, values[used], settings, n_passes, shuffling, stopping, frequencies
            )
        except FloatingPointError as error:
            bound = greatest if rule.activation in UNBOUNDED else 0.0
            cure = slower("beta", bound, size, len(kappa), rule.reduction)
            raise self._divergence(error, np.arange(n_cues)[used], z.shape[1], cure) from None
        values[used] = learned
        if self.beta is not None and rule.activation in UNBOUNDED:
            safe = safe_rate(greatest, size, len(kappa), rule.reduction)
            if beta >= safe:
                what = overshooting("beta", beta, f"a row of X has sum(alpha * x^2) = {greatest:g}", safe)
                warn(f"{what}, scale X, or let beta be None", EstimatorWarning)
        if stopping is not None and settled:
            last = f"the last {_PATIENCE} of which improved by less than tol = {stopping:g}"
            self._warn_of_stop(f"stopped after {n_iter} passes, {last}", X, at_limit=False)
        elif stopping is not None:
            self._warn_of_stop(
                f"stopped at its limit of {n_iter} passes, while it still improved by more than "
                f"tol = {stopping:g}: let passes be more, such as 100, or tol larger",
                X,
                at_limit=True,
            )
        self.beta_, self._reference = beta, reference
        self.n_iter_ = self.n_iter_ + n_iter if more else n_iter
        parameters = record(
            "delta",
            started,
            **rates_of(alpha, (beta, beta), 1.0),
            rates="one" if paces is None else "by row",
            **rule._asdict(),
            passes=self.n_iter_,
            seed=seed,
            n_tokens=x.shape[0] if frequencies is None else float(frequencies.sum()),
            n_cues=n_cues,
            n_outcomes=z.shape[1],
            dtype="float64",
        )
        self._keep(values, parameters)
        return x, learned

    def _divergence(
        self, error: FloatingPointError, used: NDArray[np.int64], n_outcomes: int, cure: str
    ) -> FloatingPointError:
        """The error with the names of the weight that became infinite or NaN."""
        match error.args:
            case (int(row), int(column), value):
                cue = str(self._cue_names()[used[row]])
                return FloatingPointError(
                    f"the weight of cue {cue!r} to outcome {self._outcomes(n_outcomes)[column]!r} became "
                    f"{value}; learning diverges: {cure}, or scale X"
                )
        return error

    def _saliences(self, n_cues: int, used: Any) -> tuple[NDArray[np.float64], float | list[float]]:
        """Those of the cues that occur, and what to record of all."""
        if is_number(self.alpha):
            one = per_name("alpha", self.alpha, ("",), "cue", _FLOAT64)
            n_used = n_cues if isinstance(used, slice) else len(used)
            return np.full(n_used, one[0]), float(one[0])
        alphas = per_name("alpha", self.alpha, self._cue_names(), "cue", _FLOAT64)
        return alphas[used], recorded(self.alpha, alphas)

    def _threads(self, n_outcomes: int) -> int:
        """Of those that there are as many as are worth it, unless the user says how many."""
        n_threads = thread_count(self.threads)
        return n_threads if self.threads is not None else min(n_threads, -(-n_outcomes // _OUTCOMES_A_THREAD))

    def _most_passes(self) -> int:
        if self.passes is not None:
            return whole("passes", self.passes, 1, "None")
        return _PASSES if self.beta is None else 1

    def _rates(
        self,
        kappa: NDArray[np.float64],
        frequencies: NDArray[np.float64] | None,
        size: int | None,
        reduction: Reduction,
        before: float,
    ) -> tuple[float, NDArray[np.float64] | None, float]:
        """The rate, factors on it by row, and the kappa of which the default rates are made.

        These never rise from one piece of the data to the next.

        A token changes its own sum by beta * kappa of its error, kappa = sum of alpha x^2. Single tokens have
        rates of their own, so that one long row does not slow down all others. In batches rows have one rate,
        lest the errors of long ones count less in what is made least. Where the changes of n tokens are
        summed each has to do with 1/n, lest they overshoot together; where they are averaged, n are as
        steady as one with an n-th of the rate.
        """
        if self.beta is not None:
            return rate("beta", self.beta), None, before
        if not np.isfinite(kappa).all():
            row = int(np.isfinite(kappa).argmin())
            raise ValueError(
                f"the sum of alpha * x^2 of row {row} of X is not finite: no rate is small enough; scale X"
            )
        teaching = kappa[kappa > 0]
        if size == 1:
            often = None if frequencies is None else frequencies[kappa > 0]
            reference = max(median(teaching, often), before)
            factors = reference / np.maximum(kappa, reference) if reference else None
            return _PART / reference if reference else _PART, factors, reference
        n = len(kappa) if size is None else size
        part = min(_PART_OF_BATCH, 1 / n) if reduction == "sum" else min(_PART_OF_BATCH * n, 1.0)
        reference = max(float(teaching.max(initial=0.0)), before)
        return part / reference if reference else part, None, reference


def _occurring(x: Table) -> tuple[Table, Any]:
    """The columns in which something stands, and which of all these are: an array, or all."""
    if x.starts is None or x.columns is None:
        return x, slice(None)
    n_columns = x.shape[1]
    if len(x.columns) < n_columns // 16:
        used, columns = map(np.asarray, np.unique(x.columns, return_inverse=True))
    else:
        there = np.zeros(n_columns, dtype=bool)
        there[x.columns] = True
        used = np.flatnonzero(there)
        columns = np.asarray((np.cumsum(there) - 1)[x.columns])
    return x._replace(shape=(x.shape[0], len(used)), columns=columns.astype(np.uint32)), used


def _passes(
    x: Table,
    z: Table,
    start: NDArray[np.float64],
    settings: dict[str, Any],
    most: int,
    rng: np.random.Generator | None,
    tol: float | None,
    frequencies: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], int, bool]:
    """The weights after all passes, or after some that improve too little; how many; whether these ended it.

    Improvement is that of the mean squared error: of the predictions as they were when each row came; where
    rows have frequencies, of those after the pass, each as often as it is.
    """
    n, n_outcomes = x.shape[0], z.shape[1]
    spare = np.empty_like(start)
    ones = np.ones(n, dtype=np.int64)
    made, least, idle = 0, np.inf, 0
    while made < most and idle < _PATIENCE:
        some = min(most - made, max(1, ORDERED // max(1, n)))
        squares = None
        if tol is not None and frequencies is not None:
            some = 1
        elif tol is not None:
            # So many that none comes after the last: patience does not end before.
            some = min(some, _PATIENCE - idle)
            squares = np.zeros((some, n_outcomes))
        order = None if rng is None else token_orders(some, ones, rng)
        _core.delta_rule_rows(
            x, z, initial=start, out=spare, passes=some, order=order, squares=squares, **settings
        )
        start, spare = spare, start
        made += some
        if tol is None:
            continue
        if frequencies is not None:
            errors = mean_square(x, z, start, frequencies)
        elif squares is not None:
            errors = squares.sum(axis=1) / (n * n_outcomes)
        for error in errors.tolist():
            idle = 0 if np.isinf(least) or error < least * (1 - tol) else idle + 1
            least = min(least, error)
    return start, made, idle >= _PATIENCE
