"""Estimators that learn by the rule of Rescorla and Wagner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from rescorla._shared.checks import PerName, number
from rescorla.estimators import _temperature as temperature
from rescorla.estimators._error_driven import ErrorDriven
from rescorla.estimators._inputs import (
    frequencies_of,
    indicators,
    is_indicators,
    matrix_of,
    names_of_labels,
    present,
    require,
)
from rescorla.estimators._linear import LinearClassifier, LinearRegressor

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class _RescorlaWagner(ErrorDriven):
    """What the two estimators share."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the start.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,), or array_like or sparse matrix of shape (n_rows, n_outcomes)
            The class of each row; or 1 where a row has a label, and 0 where not. For a regressor the targets,
            not sparse.
        sample_weight : array_like of shape (n_rows,), optional
            f, how many tokens in a row each row is: 0 or more, by default 1.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When there are fewer than two classes, or a number is not finite or out of range; when a row's
            weight is no whole number, and its beta * kappa is 1 or more. The message names the greatest rate
            at which it would not be.
        FloatingPointError
            When a weight became infinite or NaN: `beta` is too large. The message names the weight, and the
            greatest safe rate.

        Warns
        -----
        RescorlaWarning
            When `beta` is so large that a row takes away twice its own error, or more. By default also when
            20 passes were not enough for `tol`, or when the greatest scale of a feature is more than 100
            times the smallest one.
        """
        return self._take_in(X, y, sample_weight=sample_weight)


class RescorlaWagnerClassifier(LinearClassifier, _RescorlaWagner):
    """Learn classes by the Rescorla-Wagner rule, row by row.

    Features are cues, present by any amount x_i; each class is an outcome. For each row and every class j,
    with a_j = sum of x_i w_ij:

        dw_ij = alpha_i * x_i * beta * (lambda * o_j - a_j)

    o_j is 1 for the row's class and 0 for the others. The predicted class of a row is that of the greatest
    activation a_j. A row of sample weight f is learned in one step as f tokens one after another; f may be
    any number from 0 on. With kappa the sum of alpha_i x_i^2:

        dw_ij = alpha_i * x_i * (lambda * o_j - a_j) * (1 - (1 - beta * kappa)^f) / kappa

    Where y is a matrix of 0 and 1 each of its columns is an outcome, present in any number of rows: a row is
    predicted to have it where a_j is above lambda / 2.

    Parameters
    ----------
    alpha : float, mapping or array_like of shape (n_cues,), default 1.0
        The salience of cues, 0 or more: one number, or one for each name in ``weights_.cues``. These are
        "background", where there is an intercept, and the features.
    beta : float, optional
        The learning rate, 0 or more. By default each row has a rate of its own, by which it takes away a
        twentieth of its error, or less: 0.05 / max(kappa, median kappa), with kappa the row's sum of alpha
        x^2, background included, and the median that of the rows whose kappa is not 0. ``beta_`` tells the
        rate of a row of the median kappa. With sample weights a row counts in the median as often as its
        weight says; and a row whose weight is no whole number needs a rate with beta * kappa below 1.
    lambda_ : float, default 1.0
        The asymptote.
    passes : int, optional
        How many times `fit` goes through the rows. By default once if you give `beta`; otherwise until passes
        improve by less than `tol`, at most 20 times. ``n_iter_`` says how many there were.
    tol : float or None, default 1e-3
        Where neither `beta` nor `passes` is given: stop after 5 passes in a row that do not lower the least
        mean squared error so far by this part. Errors are those of the predictions just before each row is
        learned; with sample weights other than 0 and 1, those of the predictions after the pass, each row as
        often as its weight says. None: make all 20 passes.
    fit_intercept : bool, default True
        Whether a background cue of value 1 comes first in each row. Its weight is the intercept.
    random_state : int, Generator, RandomState or None, default None
        The seed by which `fit` takes the rows of each pass in a fresh random order. None: with a `beta` of
        your own, the order of the rows; without one, the seed 0, so that the same rows always give the same
        weights.
    class_weight : mapping, "balanced" or None, default None
        What the sample weights of each class are multiplied by; 1 for classes that a mapping leaves out.
        "balanced": n / (k * n_j), with n tokens in all, n_j of the class, and k classes; in `fit` only. Not
        where y is a matrix.
    threads : int, optional
        How many threads to use; by default as many as the process may run on. It changes no bit.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted. Where y is a matrix, its columns: their names, if it is a data frame, or numbers.
    temperature_ : float
        The T of `predict_proba`: the temperature, from lambda / 1000 to 1000 lambda, at which the learned
        weights make the classes of the rows learned from most likely, a row of sample weight f counting f
        times.
    weights_ : Weights of float64, n_cues x n_classes
        From "background", where there is an intercept, and the features, to the classes as str.
    coef_ : ndarray of float64, n_classes x n_features, or 1 x n_features with two classes
        The weights of the features; of two classes those to the second less those to the first.
    intercept_ : ndarray of float64, n_classes, or 1 with two classes
        The weights of the background cue.
    beta_ : float
        The learning rate; by default that of rows of the median kappa. `partial_fit` may lower it.
    n_iter_ : int
        How many passes were made; a call of `partial_fit` is one.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.learn, rescorla.delta_rule : the rule as a function.
    EquilibriumClassifier : what it tends to.

    Notes
    -----
    With a `beta` of your own this is the plain rule, one pass in the order of the rows unless you say
    otherwise: where X is made of 0 and 1 the weights are those of `rescorla.learn` on the same events, bit
    for bit, and for any X those of `rescorla.delta_rule`. Without a `beta`, it is made to predict, as other
    classifiers of scikit-learn are: see `beta`, `passes` and `random_state`. It then minimises the squared
    error, divided by kappa in rows whose kappa is above the median.

    Without a `beta`, `partial_fit` in pieces is not one pass of `fit`: the first piece does not know the rows
    of the others. ``partial_fit`` costs what its rows cost, however many features there are, and changes the
    values of ``weights_`` in place.

    Sample weights are frequencies: 2 for every row is every row twice, and not the same as 1 for every row.
    With a `beta` of your own, ``sample_weight=f`` is ``np.repeat(X, f, axis=0)`` but for rounding; without
    one, each pass takes the rows in random order, each of them f times in succession, and the passes end by
    the mean squared error after each pass, in which a row counts f times.

    Probabilities are as good as the one temperature can make them. Where features are many, activations of
    the rows that were learned from are nearer to their targets than those of others, and probabilities are
    too bold: scikit-learn's `CalibratedClassifierCV` uses rows that were not learned from. If there are many
    rows, the temperature is fitted to some, at even distances: as many as have 65,536 activations together,
    or a thousand if that is more. `partial_fit` fits it to the last thousand rows, each as predicted at the
    end of its piece. With more than 262 classes both take fewer rows, as many as have 262,144 activations.

    References
    ----------
    Rescorla, R. A. and Wagner, A. R. (1972). A theory of Pavlovian conditioning: variations in the
    effectiveness of reinforcement and nonreinforcement. In Classical Conditioning II, 64-99.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("pots_red", "yes"), ("pots", "no"), ("pots_blue", "no")]
    ... )
    >>> X, y = events.cue_matrix(), ["yes", "no", "no"]
    >>> classifier = rw.estimators.RescorlaWagnerClassifier(
    ...     beta=0.01, fit_intercept=False
    ... ).fit(X, y)
    >>> weights = rw.learn(events, alpha=1.0, beta=0.01)
    >>> classifier.weights_["x0", "yes"] == weights["pots", "yes"]
    True
    >>> often = rw.estimators.RescorlaWagnerClassifier(passes=20).fit(
    ...     X, y, sample_weight=[30, 10, 20]
    ... )
    >>> often.classes_[often.predict_proba(X).argmax(axis=1)].tolist()
    ['yes', 'no', 'no']
    """

    _several: bool
    _lambda: float
    _temperature: float | None
    _remembered: temperature.Remembered

    def __init__(
        self,
        *,
        alpha: PerName = 1.0,
        beta: float | None = None,
        lambda_: float = 1.0,
        passes: int | None = None,
        tol: float | None = 1e-3,
        fit_intercept: bool = True,
        random_state: Any = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.lambda_ = lambda_
        self.passes = passes
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.class_weight = class_weight
        self.threads = threads

    @property
    def temperature_(self) -> float:
        """The temperature of `predict_proba`."""
        if not hasattr(self, "_values"):
            raise AttributeError(f"{type(self).__name__} has no temperature_ before fit: call fit first")
        if self._temperature is None:
            self._temperature = temperature.temperature_of(self._remembered.all(), self._lambda)
        return self._temperature

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn on: one pass through these rows, in their order.

        Rows of weight 0 change nothing, be it all of them.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,), or array_like or sparse matrix of shape (n_rows, n_classes)
            The class of each row; or 1 where a row has a label, and 0 where not.
        classes : array_like of shape (n_classes,), optional
            All classes that there will be, needed in the first call; if y is a matrix, names for its columns,
            not needed.
        sample_weight : array_like of shape (n_rows,), optional
            f, how many tokens in a row each row is: 0 or more, by default 1.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When a row has another class, or another number of features, than was said before; and as by
            `fit`.
        """
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' needs all rows, so it is not for partial_fit: give a mapping, as "
                "sklearn.utils.class_weight.compute_class_weight makes one of a sample, or sample_weight"
            )
        return self._take_in(X, y, classes, sample_weight, piece=True)

    def _read(self, X: Any, y: Any, classes: Any = None, *, piece: bool = False) -> tuple[Any, Any]:
        more = piece and hasattr(self, "_values")
        require(self, y, "class")
        several = is_indicators(y)
        if more and several != self._several:
            kinds = "a class for each row", "a matrix of labels"
            raise ValueError(
                f"y was {kinds[self._several]}, and now is {kinds[several]}: give it as in the first call"
            )
        if several:
            self._learn_labels(names_of_labels(y), y, classes, more)
            X = self._examples(X, reset=not more)
            y = indicators(X, y)
        else:
            X, y = super()._read(X, y, classes, piece=piece)
        self._several = several
        return X, y

    def _learn_labels(self, names: NDArray[Any], y: Any, classes: ArrayLike | None, more: bool) -> None:
        """The labels are told at the start; more pieces have the same."""
        told = names if classes is None else np.asarray(classes)
        if not more:
            if told.shape != names.shape:
                raise ValueError(f"y has {len(names)} columns, but classes has the shape {told.shape}")
            self.classes_ = told
            return
        nameless = classes is None and not hasattr(y, "columns")
        same = len(names) == len(self.classes_) if nameless else np.array_equal(told, self.classes_)
        if not same or len(names) != len(self.classes_):
            raise ValueError(
                f"y has the labels {told.tolist()}, which are not those of the first call, "
                f"{self.classes_.tolist()}: give the same columns"
            )

    def _take_in(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        piece: bool = False,
    ) -> Self:
        """Learn the rows, and look at what is then predicted of them."""
        more = piece and hasattr(self, "_values")
        X, labels = self._read(X, y, classes, piece=piece)
        frequencies = self._weighted_by_class(X, labels, frequencies_of(sample_weight, X))
        X, labels, frequencies = present(X, labels, frequencies, piece=piece)
        x, weights = self._learn(X, self._targets(labels), frequencies, piece=piece)
        if more and not x.shape[0]:
            return self
        if not more:
            self._remembered = temperature.Remembered()
        self._lambda = number("lambda_", self.lambda_)
        n, n_outcomes = x.shape[0], weights.shape[1]
        rows = temperature.latest(n, n_outcomes) if piece else temperature.spread(n, n_outcomes)
        seen = self._seen(matrix_of(x), weights, labels, frequencies, rows)
        # Of pieces it is made when it is asked for: there may be one for each row.
        self._temperature = None if piece else temperature.temperature_of(seen, self._lambda)
        self._remembered.add(seen if piece else seen.of(temperature.latest(len(rows), n_outcomes)))
        return self

    def _seen(
        self,
        X: Any,
        weights: NDArray[np.float64],
        labels: Any,
        frequencies: NDArray[np.float64] | None,
        rows: NDArray[np.int64],
    ) -> temperature.Seen:
        """What is predicted of some rows, beside what they are."""
        often = np.ones(len(rows)) if frequencies is None else frequencies[rows]
        if len(rows) < X.shape[0]:
            X, labels = X[rows], labels[rows]
        activations = np.asarray(X @ weights)
        if self._several:
            return temperature.of_labels(activations, labels, often, self._lambda)
        return temperature.of_classes(activations, self._codes(labels), often)

    def _weighted_by_class(
        self, X: Any, labels: Any, frequencies: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """The frequencies, multiplied by the weights of classes."""
        if self.class_weight is None:
            return frequencies
        if self._several:
            raise ValueError(
                "class_weight is of rows that have one class each, and y is a matrix of labels: "
                "give sample_weight"
            )
        often = np.ones(X.shape[0]) if frequencies is None else frequencies
        codes = self._codes(labels)
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            tokens = np.bincount(codes, often, len(self.classes_))
            # A class without tokens has no row that this would be for.
            each = tokens.sum() / (len(tokens) * np.where(tokens > 0, tokens, np.inf))
        else:
            each = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        return frequencies_of(often * each[codes], X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, or its labels.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray, n_rows, or of int64, n_rows x n_classes
            The class of the greatest activation, the first of equal ones. Where y was a matrix, 1 where the
            activation is above lambda / 2, and 0 elsewhere.
        """
        if getattr(self, "_several", False):
            return (self._sums(X) > self._lambda / 2).astype(np.int64)
        return super().predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes, or of labels: activations as logits, at the fitted temperature.

        With T = ``temperature_``, the probability of the class j is

            exp(a_j / T) / sum over all classes k of exp(a_k / T)

        and that of a label, beside its absence, 1 / (1 + exp(-(2 a_j - lambda) / T)).

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of float64, n_rows x n_classes
            In the order of ``classes_``. Those of classes sum to 1, and the class that `predict` gives has
            the greatest. Where y was a matrix each is by itself, and those of the labels that `predict` gives
            are at least a half.

        See Also
        --------
        sklearn.calibration.CalibratedClassifierCV : probabilities from rows that were not learned from.
        """
        check_is_fitted(self)
        values = self.decision_function(X)
        if self._several:
            return np.asarray(expit((2 * values - self._lambda) / self.temperature_))
        if values.ndim == 1:
            second = expit(values / self.temperature_)
            return np.column_stack([1 - second, second])
        return np.asarray(softmax(values / self.temperature_, axis=1))

    def _planes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        # Two labels are no two classes, of which one says all of the other.
        return values if self._several else super()._planes(values)

    def _targets(self, y: Any) -> Any:
        return (y if self._several else super()._targets(y)) * number("lambda_", self.lambda_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class RescorlaWagnerRegressor(LinearRegressor, _RescorlaWagner):
    """Learn amounts by the Rescorla-Wagner rule, row by row: the least mean squares of Widrow and Hoff.

    Features are cues, present by any amount x_i; each target is an outcome, present by any amount z_j. For
    each row and every target j:

        dw_ij = alpha_i * x_i * beta * (z_j - a_j),    a_j = sum of x_i w_ij

    A row of the weight f is learned as f tokens in a row, as by `RescorlaWagnerClassifier`.

    Parameters
    ----------
    alpha, beta, passes, tol, fit_intercept, random_state, threads : as `RescorlaWagnerClassifier` has them

    Attributes
    ----------
    weights_ : Weights of float64, n_cues x n_targets
        From "background", where there is an intercept, and the features, to "y", or to "y0", "y1" ...
    coef_ : ndarray of float64, n_features, or n_targets x n_features
        The weights of the features.
    intercept_ : float, or ndarray of float64, n_targets
        The weights of the background cue.
    beta_ : float
        The learning rate; by default that of rows of the median kappa. `partial_fit` may lower it.
    n_iter_ : int
        How many passes were made; a call of `partial_fit` is one.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.delta_rule : the rule as a function.
    EquilibriumRegressor : what it tends to.

    References
    ----------
    Rescorla, R. A. and Wagner, A. R. (1972). A theory of Pavlovian conditioning: variations in the
    effectiveness of reinforcement and nonreinforcement. In Classical Conditioning II, 64-99.

    Widrow, B. and Hoff, M. E. (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.

    Examples
    --------
    >>> import rescorla as rw
    >>> regressor = rw.estimators.RescorlaWagnerRegressor(beta=0.1, passes=200)
    >>> _ = regressor.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> regressor.predict([[10.0]]).round(6)
    array([21.])
    """

    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn on: one pass through these rows, in their order.

        Rows of weight 0 change nothing, be it all of them.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,) or (n_rows, n_targets)
            The targets.
        sample_weight : array_like of shape (n_rows,), optional
            f, how many tokens in a row each row is: 0 or more, by default 1.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When a row has another number of features or targets than before; and as by `fit`.
        """
        return self._take_in(X, y, sample_weight=sample_weight, piece=True)
