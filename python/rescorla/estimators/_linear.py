"""What all estimators share: validated numbers, the background cue, weights with names, planes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from rescorla._shared.checks import flag, several, unmasked
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights.weights import Weights
from rescorla.estimators._inputs import classes_of, require

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

BACKGROUND = "background"
"""The cue that is always there, with the value 1: the first row of the weights, if there is an intercept."""

# How many times as large as the smallest scale of features the greatest may be before it is told of.
_SPREAD = 100


class EstimatorWarning(NumericalWarning, ConvergenceWarning):  # type: ignore[misc]
    """An estimator did not come to its goal, or its rate is so large that it may not.

    It is a `rescorla.RescorlaWarning` and scikit-learn's ConvergenceWarning: filters of either package apply.

    Examples
    --------
    >>> import warnings
    >>> import rescorla as rw
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", rw.estimators.EstimatorWarning)
    ...     fitted = rw.estimators.Perceptron(max_sweeps=10).fit(
    ...         [[0.0], [1.0], [2.0]], ["a", "b", "a"]
    ...     )
    """


# Users see the name of a warning of this package, and of scikit-learn's.
EstimatorWarning.__module__ = "rescorla.estimators"


class LinearEstimator(BaseEstimator):  # type: ignore[misc]
    """Numbers in, weights with names, sums of weights out."""

    n_features_in_: int
    fit_intercept: bool
    _values: NDArray[np.float64]
    _named: Weights | None

    @property
    def weights_(self) -> Weights:
        """What was learned, as `Weights` with names; ``partial_fit`` changes its values in place.

        Its cues are "background", where there is an intercept, and the features, by the names of the columns
        of a data frame or as "x0", "x1" and so on. Its outcomes are the classes as str; or "y", where y has
        one dimension, else "y0", "y1" and so on.
        """
        if not hasattr(self, "_values"):
            raise AttributeError(f"{type(self).__name__} has no weights_ before fit: call fit first")
        if self._named is None:
            # Made when they are asked for: there may be millions of features.
            self._named = Weights(self._values, self._cue_names(), self._learned_names, self._parameters)
        return self._named

    def _keep(self, values: NDArray[np.float64], parameters: dict[str, Any]) -> None:
        """What was learned, in the order of the background, the features, and the outcomes."""
        self._values, self._parameters, self._named = values, parameters, None
        # Should a later fit fail, which has told of other classes, these are still of these.
        self._learned_names = self._outcomes(values.shape[1])

    def _read(self, X: Any, y: Any, classes: Any = None, *, piece: bool = False) -> tuple[Any, Any]:
        """X as float64, and the class or the targets of each row, from the start or of one more piece."""
        raise NotImplementedError

    def _targets(self, y: Any) -> Any:
        """What is to be learned of the rows, a column for each outcome."""
        return y

    def _outcomes(self, n: int) -> list[str]:
        """The names of so many outcomes that are learned."""
        raise NotImplementedError

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of the features, n_outcomes x n_features: a view of ``weights_``.

        Two classes have one row, as those of scikit-learn: where both are learned, the weights to the second
        less those to the first. A target that has one dimension has n_features.
        """
        coefficients: NDArray[np.float64] = self._learned_values[int(self.fit_intercept) :].T
        return self._planes(coefficients)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The weights of the background cue, n_outcomes; zeros where there is none. As ``coef_``."""
        values = self._learned_values
        intercepts: NDArray[np.float64] = values[0] if self.fit_intercept else np.zeros(values.shape[1])
        return self._planes(intercepts)

    @property
    def _learned_values(self) -> NDArray[np.float64]:
        """`_values`; before fit the error that `weights_` makes."""
        return self._values if hasattr(self, "_values") else np.asarray(self.weights_)

    def _planes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights to outcomes, or what is predicted of them where it is something else."""
        return values

    def _examples(self, X: Any, *, reset: bool) -> Any:
        """X as float64, dense or in sparse rows."""
        flag("fit_intercept", self.fit_intercept)
        try:
            examples = validate_data(
                self,
                unmasked("X", X),
                reset=reset,
                accept_sparse="csr",
                dtype=np.float64,
                order="C",
                ensure_min_samples=1,
            )
        except OverflowError:
            raise ValueError("X must be finite as float64, and has a number that is not") from None
        if reset and self.fit_intercept and BACKGROUND in getattr(self, "feature_names_in_", ()):
            raise ValueError(
                f"a feature is called {BACKGROUND!r}, which is the name of the cue for the intercept: "
                "rename it, or let fit_intercept be False, so that it is the intercept"
            )
        return examples

    def _cues(self, X: Any) -> Any:
        """X, with the background cue in front if there is to be one."""
        if not self.fit_intercept:
            return X
        return _after_ones(X) if is_sparse(X) else np.hstack([np.ones((X.shape[0], 1)), X])

    def _cue_names(self) -> list[str]:
        """The names of the rows of the weights."""
        names = getattr(self, "feature_names_in_", None)
        features = [f"x{i}" for i in range(self.n_features_in_)] if names is None else names.tolist()
        return [BACKGROUND, *features] if self.fit_intercept else features

    def _warn_of_stop(self, what: str, X: Any, *, at_limit: bool) -> None:
        """Warn of a limit that came before the goal, or of scales that let learning stop too early."""
        scales = _scales(X)
        if self.fit_intercept:
            scales = np.append(scales, 1.0)
        spread = scales.max() / scales.min() if len(scales) else 1.0
        if _SPREAD < spread < np.inf:
            of = "columns of X and the intercept's 1" if self.fit_intercept else "columns of X"
            scaler = f"StandardScaler({'with_mean=False' if is_sparse(X) else ''})"
            what += (
                f"; the {of} differ in scale by a factor of {spread:,.0f} (of root mean squares), and small "
                f"ones are learned slowly: put sklearn.preprocessing.{scaler} before it"
            )
        elif not at_limit:
            return
        warn(f"{type(self).__name__} {what}", EstimatorWarning)

    def _sums(self, X: Any) -> NDArray[np.float64]:
        """The sum of weights times features, for each row and each plane."""
        check_is_fitted(self)
        X = self._examples(X, reset=False)
        sums: NDArray[np.float64] = X @ self.coef_.T + self.intercept_
        return sums

    def __sklearn_is_fitted__(self) -> bool:
        # scikit-learn would take the parameter lambda_ for something learned.
        return hasattr(self, "_values")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearClassifier(ClassifierMixin, LinearEstimator):  # type: ignore[misc]
    """Classes are outcomes; the one of the greatest sum wins."""

    classes_: NDArray[Any]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How strongly each row speaks for each class: x . coef + intercept.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of float64
            n_rows x n_classes; with two classes n_rows, positive for the second class.
        """
        sums = self._sums(X)
        return sums[:, 0] if sums.shape[1] == 1 else sums

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray, n_rows
            The class of the greatest value of `decision_function`, the first of equal ones.
        """
        values = self.decision_function(X)
        codes = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[codes]
        return predicted

    def _planes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        # As scikit-learn's linear classifiers: for two classes the second less the first.
        return values[1:] - values[:1] if len(self.classes_) == 2 and len(values) == 2 else values

    def _read(self, X: Any, y: Any, classes: Any = None, *, piece: bool = False) -> tuple[Any, Any]:
        more = piece and self._is_known(classes)
        X = self._examples(X, reset=not more)
        require(self, y, "class")
        labels = classes_of(y)
        check_consistent_length(X, labels)
        if not piece:
            self._learn_classes(labels)
        return X, labels

    def _both(self) -> bool:
        """Whether two classes are learned as two outcomes, or as one: where that says all of the other."""
        return True

    def _targets(self, y: Any) -> Any:
        """1 where the class is present, 0 where not."""
        codes = self._codes(y)
        if len(self.classes_) > 2 or self._both():
            n = len(codes)
            return sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, len(self.classes_)))
        return (codes == 1).astype(np.float64)[:, np.newaxis]

    def _outcomes(self, n: int) -> list[str]:
        # One of two is the second.
        return [str(label) for label in self.classes_.tolist()[-n:]]

    def _learn_classes(self, labels: ArrayLike) -> None:
        """The distinct classes, which must be two or more."""
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs examples of two classes or more, but found one class, "
                f"{self.classes_.tolist()[0]!r}"
            )

    def _is_known(self, classes: ArrayLike | None) -> bool:
        """Whether something was learned before; the first call of partial_fit tells the classes."""
        known = hasattr(self, "_values")
        listed = None if classes is None else several("classes", classes, "classes")
        if listed is not None and not np.size(listed):
            raise ValueError("classes must be all that there will be, and are none")
        # Of an array the type is kept.
        classes = classes if isinstance(classes, np.ndarray) else listed
        if not known:
            if classes is None:
                raise ValueError(
                    "classes must be passed on the first call to partial_fit: all classes that there will be"
                )
            self._learn_classes(classes)
        elif classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(
                f"classes must be those of the first call, {self.classes_.tolist()}, or None, not {listed}"
            )
        return known

    def _codes(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """The number of each label's class; ValueError for a label that is no class."""
        codes = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        unknown = self.classes_[codes] != labels
        if unknown.any():
            raise ValueError(
                f"y has {labels[unknown].tolist()[0]!r}, which is none of the classes "
                f"{self.classes_.tolist()}: give all of them as classes in the first call of partial_fit"
            )
        return codes


class LinearRegressor(RegressorMixin, MultiOutputMixin, LinearEstimator):  # type: ignore[misc]
    """Targets are the amounts of outcomes; sums of weights predict them."""

    _one_target: bool

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The sum of weights for each row: x . coef + intercept.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of float64, n_rows, or n_rows x n_targets
        """
        return self._sums(X)

    def _planes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        # As scikit-learn's linear regressors: without a dimension for targets where y has none.
        return values[0] if self._one_target else values

    def _read(self, X: Any, y: Any, classes: Any = None, *, piece: bool = False) -> tuple[Any, Any]:
        reset = not (piece and hasattr(self, "_values"))
        X = self._examples(X, reset=reset)
        require(self, y, "number")
        targets: NDArray[np.float64]
        try:
            targets = check_array(unmasked("y", y), ensure_2d=False, dtype=np.float64, input_name="y")
        except OverflowError:
            raise ValueError("y must be finite as float64, and has a number that is not") from None
        check_consistent_length(X, targets)
        if reset:
            self._one_target = targets.ndim == 1
        targets = targets.reshape(len(targets), -1)
        if not reset and targets.shape[1] != self._values.shape[1]:
            raise ValueError(
                f"y has {targets.shape[1]} targets, but {self._values.shape[1]} were learned before"
            )
        return X, targets

    def _outcomes(self, n: int) -> list[str]:
        return ["y"] if self._one_target else [f"y{i}" for i in range(n)]


def _scales(X: Any) -> NDArray[np.float64]:
    """The root mean square of each column where it is not 0: something rare may be large."""
    with np.errstate(over="ignore"):
        if is_sparse(X):
            of_columns = partial(np.bincount, X.indices, minlength=X.shape[1])
            squares, counts = of_columns(np.square(X.data)), of_columns(X.data != 0)
        else:
            squares, counts = np.square(X).sum(axis=0), (X != 0).sum(axis=0)
    there = squares > 0
    scales: NDArray[np.float64] = np.sqrt(squares[there] / counts[there])
    return scales


def _after_ones(X: Any) -> sparse.csr_array:
    """A column of ones before the others, and columns in their order; X is left as it is."""
    ones = sparse.csr_array(np.ones((X.shape[0], 1)))
    result: sparse.csr_array = sparse.hstack([ones, X], format="csr")
    # In place: nobody else has these numbers.
    result.sum_duplicates()
    return result


def is_sparse(X: Any) -> bool:
    """`scipy.sparse.issparse`, which tells type checkers too much."""
    return bool(sparse.issparse(X))
