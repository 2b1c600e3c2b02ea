"""Estimators that learn row by row from errors: what those of the rule and of the delta rule share."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_random_state

from rescorla.arguments import PerName, is_number, per_name, rate
from rescorla.estimators.linear import (
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
    is_sparse,
    one_hot,
)
from rescorla.neighbours import delta_rule
from rescorla.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# Of its error, what the default rate lets the longest token take away.
_PART = 0.1


class ErrorDriven(LinearEstimator):
    """Tokens of real-valued cues and outcomes, learned by `rescorla.delta_rule`."""

    alpha: PerName
    beta: float | None
    passes: int
    random_state: Any
    threads: int | None
    beta_: float
    n_iter_: int

    def _rule(self) -> dict[str, Any]:
        """What `delta_rule` is told besides rates and passes."""
        return {"activation": "identity", "loss": "squared", "batch": 1, "reduction": "sum", "initial": None}

    def _learn(self, X: Any, Z: Any, outcomes: Sequence[str], *, piece: bool = False) -> None:
        """Learn all passes from the start; or a piece, once and in its order, from where we are."""
        A = self._cues(X)
        names = self._cue_names()
        alpha = per_name("alpha", self.alpha, names, "cue", np.dtype(np.float64))
        more = piece and hasattr(self, "weights_")
        told: dict[str, Any] = {
            **self._rule(),
            "alpha": float(self.alpha) if is_number(self.alpha) else alpha,  # type: ignore[arg-type]
            "passes": 1 if piece else self.passes,
            "seed": seed_of(self.random_state),
            "threads": self.threads,
            "progress": False,
        }
        beta = self._rate(A, alpha, told["batch"], told["reduction"], self.beta_ if more else np.inf)
        if more:
            told["initial"] = _numbered(self.weights_.values)
        elif piece and told["initial"] == "random":
            # A rate of 0 leaves the start as it was drawn.
            told["initial"] = delta_rule((A, Z), beta=0.0, **told)
        if piece:
            told["seed"] = None
        found = delta_rule((A, Z), beta=beta, **told)
        self.weights_ = Weights(found.values, names, outcomes, found.parameters)
        self.beta_ = beta
        self.n_iter_ = self.n_iter_ + 1 if more else told["passes"]

    def _rate(self, A: Any, alpha: NDArray[np.float64], batch: Any, reduction: str, before: float) -> float:
        """beta, or the default rate, which never rises from one piece of the data to the next.

        A token changes its own sum by beta * kappa of its error, kappa = sum of alpha x^2. Where the changes
        of n tokens are summed each has to do with 1/n, lest they overshoot together; where they are averaged,
        n are as steady as one with an n-th of the rate.
        """
        if self.beta is not None:
            return rate("beta", self.beta)
        size = A.shape[0] if isinstance(batch, str) else max(int(batch), 1)
        part = min(_PART, 1 / size) if reduction == "sum" else min(_PART * size, 1.0)
        squares = A.multiply(A) if is_sparse(A) else A * A
        kappa = float((squares @ alpha).max(initial=0.0))
        return min(part / kappa if kappa else part, before)


class ErrorDrivenClassifier(LinearClassifier, ErrorDriven):
    """Each class is an outcome, present or absent."""

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from the start, in as many passes as `passes` says.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,)
            The class of each row.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When there are fewer than two classes, or a number is not finite or out of range.
        FloatingPointError
            When the weights left the finite numbers: `beta` is too large.
        """
        X = self._examples(X, reset=True)
        labels = self._labels(X, y)
        self._learn_classes(labels)
        self._learn(X, self._targets(labels), self._learned_outcomes())
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn on: one pass through these rows, in their order.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,)
            The class of each row.
        classes : array_like of shape (n_classes,), optional
            All classes that there will be; needed in the first call.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When a row has another class, or another number of features, than was said before.
        """
        more = self._is_known(classes)
        X = self._examples(X, reset=not more)
        self._learn(X, self._targets(self._labels(X, y)), self._learned_outcomes(), piece=True)
        return self

    def _both(self) -> bool:
        """Whether two classes are learned as two outcomes, or as one: where that says all of the other."""
        return True

    def _learned_outcomes(self) -> list[str]:
        return self._outcomes if len(self.classes_) > 2 or self._both() else self._outcomes[1:]

    def _targets(self, labels: NDArray[Any]) -> Any:
        """1 where the class is present, 0 where not."""
        places = self._places(labels)
        if len(self.classes_) > 2 or self._both():
            return one_hot(places, len(self.classes_))
        return (places == 1).astype(np.float64)[:, np.newaxis]


class ErrorDrivenRegressor(LinearRegressor, ErrorDriven):
    """Targets are the amounts of outcomes."""

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from the start, in as many passes as `passes` says.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,) or (n_rows, n_targets)
            The targets.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When a number is not finite or out of range.
        FloatingPointError
            When the weights left the finite numbers: `beta` is too large.
        """
        X = self._examples(X, reset=True)
        targets = self._targets(X, y, reset=True)
        self._learn(X, targets, self._target_names(targets))
        return self

    def partial_fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn on: one pass through these rows, in their order.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,) or (n_rows, n_targets)
            The targets.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When a row has another number of features or targets than before.
        """
        more = hasattr(self, "weights_")
        X = self._examples(X, reset=not more)
        targets = self._targets(X, y, reset=not more)
        self._learn(X, targets, self._target_names(targets), piece=True)
        return self


def _numbered(values: NDArray[np.float64]) -> Weights:
    """Weights under the names that `delta_rule` gives columns without names."""
    n_cues, n_outcomes = values.shape
    return Weights(values, [f"x{i}" for i in range(n_cues)], [f"z{j}" for j in range(n_outcomes)])


def seed_of(random_state: Any) -> int | None:
    """What `delta_rule` takes for a seed: an int is the seed itself."""
    if random_state is None or isinstance(random_state, Integral):
        return random_state  # type: ignore[return-value]
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
