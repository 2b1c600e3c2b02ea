"""Estimators that learn by the delta rule, with an activation function and in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from rescorla._learn.delta.units import UNBOUNDED
from rescorla._shared.checks import PerName
from rescorla.estimators._error_driven import ErrorDriven
from rescorla.estimators._linear import LinearClassifier, LinearRegressor

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rescorla._learn.delta.delta_rule import Activation, Reduction
    from rescorla._learn.delta.units import Loss


class _DeltaRule(ErrorDriven):
    """What the two estimators share."""

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from the start.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,), or for a regressor also (n_rows, n_targets)
            The class of each row, or its targets.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When there are fewer than two classes, or a number is not finite or out of range.
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
        return self._take_in(X, y)


class DeltaRuleClassifier(LinearClassifier, _DeltaRule):
    """Learn classes by the delta rule: with the defaults, logistic regression by descent, row by row.

    Features are cues, present by any amount x_i; each class is an outcome. For each row and every class j,
    with h_j = sum of x_i w_ij, a target t_j and an activation function g:

        dw_ij = alpha_i * x_i * beta * (t_j - g(h_j))               loss="log"
        dw_ij = alpha_i * x_i * beta * (t_j - g(h_j)) * g'(h_j)     loss="squared"

    The dw of a batch are summed or averaged, and then applied. A row is predicted to be of the class of the
    greatest h_j.

    Parameters
    ----------
    activation : {"logistic", "tanh", "relu", "identity"}, default "logistic"
        The function g: 1 / (1 + exp(-h)), the hyperbolic tangent, max(h, 0), or h itself. The target is 1 for
        the row's class, and 0 for the others; -1 with tanh.
    loss : {"log", "squared"}, default "log"
        What is made smaller: -t log g - (1 - t) log(1 - g), of the logistic function only; or
        (t - g)^2 / 2.
    batch : int or "full", default 1
        Rows in a batch; the last one of a pass may have fewer. "full": all of them.
    reduction : {"sum", "mean"}, default "sum"
        Whether the dw of a batch are summed, or averaged over its rows.
    alpha : float, mapping or array_like of shape (n_cues,), default 1.0
        The salience of cues, 0 or more: one number, or one for each name in ``weights_.cues``. These are
        "background", where there is an intercept, and the features.
    beta : float, optional
        The learning rate, 0 or more. By default, with kappa a row's sum of alpha x^2, background included,
        each row has a rate of its own: 0.05 / max(kappa, median kappa), the median being that of the rows
        whose kappa is not 0. In batches of n rows all rows have the same rate, with the greatest kappa:
        min(0.1, 1/n) / kappa where dw are summed, min(0.1 n, 1) / kappa where they are averaged. ``beta_``
        tells the rate; with single rows, that of a row of the median kappa.
    passes : int, optional
        How many times `fit` goes through the rows. By default once if you give `beta`; otherwise until passes
        improve by less than `tol`, at most 20 times. ``n_iter_`` says how many there were.
    tol : float or None, default 1e-3
        Where neither `beta` nor `passes` is given: stop after 5 passes in a row that do not lower the least
        mean squared error so far by this part. Errors are those of the predictions just before each row is
        learned. None: make all 20 passes.
    initial : {None, "random"}, default None
        Start at zero, or at random numbers of the normal distribution with mean 0 and standard deviation
        0.01, for which there must be a `random_state`.
    fit_intercept : bool, default True
        Whether a background cue of value 1 comes first in each row. Its weight is the intercept.
    random_state : int, Generator, RandomState or None, default None
        The seed by which `fit` takes the rows of each pass in a fresh random order. None: with a `beta` of
        your own, the order of the rows; without one, the seed 0, so that the same rows always give the same
        weights.
    threads : int, optional
        How many threads to use; by default as many as the process may run on. It changes no bit.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted.
    weights_ : Weights of float64, n_cues x n_classes
        Its cues are "background", where there is an intercept, and the features; its outcomes are the classes
        as str. For two classes only the second is learned, since evidence for one is as much evidence against
        the other; with the identity and "relu" both are learned.
    coef_ : ndarray of float64, n_classes x n_features, or 1 x n_features with two classes
        The weights of the features.
    intercept_ : ndarray of float64, n_classes, or 1 with two classes
        The weights of the background cue.
    beta_ : float
        The learning rate; by default that of rows up to the median kappa, or with batches that of all rows.
        `partial_fit` then lowers it when its rows have a greater kappa.
    n_iter_ : int
        How many passes were made; a call of `partial_fit` is one.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.delta_rule : the rule as a function.
    RescorlaWagnerClassifier : the rule with the identity, row by row.

    References
    ----------
    Widrow, B. and Hoff, M. E. (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.

    Examples
    --------
    Full batches of the log loss are logistic regression: the odds of "y" are 2 to 1 at 0, 1 to 2 at 1.

    >>> import rescorla as rw
    >>> classifier = rw.estimators.DeltaRuleClassifier(
    ...     batch="full", reduction="mean", passes=1000
    ... )
    >>> _ = classifier.fit([[0.0]] * 3 + [[1.0]] * 3, list("yynynn"))
    >>> classifier.predict_proba([[0.0]]).round(4)
    array([[0.3333, 0.6667]])
    """

    def __init__(
        self,
        *,
        activation: Activation = "logistic",
        loss: Loss = "log",
        batch: int | Literal["full"] = 1,
        reduction: Reduction = "sum",
        alpha: PerName = 1.0,
        beta: float | None = None,
        passes: int | None = None,
        tol: float | None = 1e-3,
        initial: Literal["random"] | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
        threads: int | None = None,
    ) -> None:
        self.activation = activation
        self.loss = loss
        self.batch = batch
        self.reduction = reduction
        self.alpha = alpha
        self.beta = beta
        self.passes = passes
        self.tol = tol
        self.initial = initial
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.threads = threads

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
        return self._take_in(X, y, classes, piece=True)

    def _has_probabilities(self) -> bool:
        return self.loss == "log"

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes, where the loss is that of probabilities: ``loss="log"``.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of float64, n_rows x n_classes
            In the order of ``classes_``: g(h) of the second of two classes, and 1 - g(h) of the first. Of
            more classes, each against all others, g(h_j) divided by their sum.
        """
        shares: NDArray[np.float64] = expit(self.decision_function(X))
        if shares.ndim == 1:
            return np.column_stack([1 - shares, shares])
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _both(self) -> bool:
        return self._rule().activation in UNBOUNDED

    def _targets(self, y: Any) -> Any:
        targets = super()._targets(y)
        if self.activation != "tanh":
            return targets
        return 2 * (targets if isinstance(targets, np.ndarray) else targets.toarray()) - 1


class DeltaRuleRegressor(LinearRegressor, _DeltaRule):
    """Learn amounts by the delta rule.

    Features are cues, present by any amount x_i; each target t_j is that of an outcome. For each row and
    every target j, with h_j = sum of x_i w_ij and an activation function g:

        dw_ij = alpha_i * x_i * beta * (t_j - g(h_j)) * g'(h_j)     loss="squared"
        dw_ij = alpha_i * x_i * beta * (t_j - g(h_j))               loss="log"

    The dw of a batch are summed or averaged, and then applied. What is predicted is g(h_j).

    Parameters
    ----------
    activation : {"identity", "logistic", "tanh", "relu"}, default "identity"
        The function g: h itself, 1 / (1 + exp(-h)), the hyperbolic tangent, or max(h, 0). With tanh targets
        lie between -1 and 1.
    loss : {"squared", "log"}, default "squared"
        What is made smaller: (t - g)^2 / 2; or -t log g - (1 - t) log(1 - g), of the logistic function only,
        with targets from 0 to 1.
    batch, reduction, alpha, beta, passes, tol, initial : as `DeltaRuleClassifier` has them
    fit_intercept, random_state, threads : as `DeltaRuleClassifier` has them

    Attributes
    ----------
    weights_ : Weights of float64, n_cues x n_targets
        From "background", where there is an intercept, and the features, to "y", or to "y0", "y1" ...
    coef_ : ndarray of float64, n_features, or n_targets x n_features
        The weights of the features.
    intercept_ : float, or ndarray of float64, n_targets
        The weights of the background cue.
    beta_ : float
        The learning rate; by default that of rows up to the median kappa, or with batches that of all rows.
        `partial_fit` then lowers it when its rows have a greater kappa.
    n_iter_ : int
        How many passes were made; a call of `partial_fit` is one.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.delta_rule : the rule as a function.
    RescorlaWagnerRegressor : the rule with the identity, row by row.

    References
    ----------
    Widrow, B. and Hoff, M. E. (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.

    Examples
    --------
    >>> import rescorla as rw
    >>> regressor = rw.estimators.DeltaRuleRegressor(
    ...     batch="full", reduction="mean", passes=1000
    ... )
    >>> _ = regressor.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> regressor.predict([[10.0]]).round(6)
    array([21.])
    """

    def __init__(
        self,
        *,
        activation: Activation = "identity",
        loss: Loss = "squared",
        batch: int | Literal["full"] = 1,
        reduction: Reduction = "sum",
        alpha: PerName = 1.0,
        beta: float | None = None,
        passes: int | None = None,
        tol: float | None = 1e-3,
        initial: Literal["random"] | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
        threads: int | None = None,
    ) -> None:
        self.activation = activation
        self.loss = loss
        self.batch = batch
        self.reduction = reduction
        self.alpha = alpha
        self.beta = beta
        self.passes = passes
        self.tol = tol
        self.initial = initial
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.threads = threads

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
        return self._take_in(X, y, piece=True)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """g(x . coef + intercept) for each row.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of float64, n_rows, or n_rows x n_targets
        """
        predicted: NDArray[np.float64] = _FUNCTIONS[self.activation](super().predict(X))
        return predicted


_FUNCTIONS: dict[str, Any] = {
    "identity": np.positive,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda sums: np.maximum(sums, 0),
}
