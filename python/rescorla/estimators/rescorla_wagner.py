"""Estimators that learn by the rule of Rescorla and Wagner."""

from __future__ import annotations

from typing import Any

from rescorla._shared.checks import PerName, number
from rescorla.estimators.error_driven import ErrorDrivenClassifier, ErrorDrivenRegressor


class RescorlaWagnerClassifier(ErrorDrivenClassifier):
    """Learn classes by the Rescorla-Wagner rule, row by row.

    Features are cues, present by any amount x_i; each class is an outcome. For each row and every class j,
    with a_j = sum of x_i w_ij:

        dw_ij = alpha_i * x_i * beta * (lambda * o_j - a_j),    o_j = 1 for the row's class, 0 for the others

    A row is predicted to be of the class of the greatest activation a_j.

    Parameters
    ----------
    alpha : float, mapping or array_like of shape (n_cues,), default 1.0
        The salience of cues, 0 or more: one number, or one for each name in ``weights_.cues``. These are
        "background", where there is an intercept, and the features.
    beta : float, optional
        The learning rate, 0 or more. By default each row has a rate of its own, by which it takes away a
        twentieth of its error, or less: 0.05 / max(kappa, median kappa), with kappa the row's sum of alpha
        x^2, background included, and the median that of the rows whose kappa is not 0. ``beta_`` tells the
        rate of a row of the median kappa.
    lambda_ : float, default 1.0
        The maximal activation.
    passes : int, optional
        How many times `fit` goes through the rows. By default once with a `beta` of your own; and without
        one until passes improve by less than `tol`, at most 20 times. ``n_iter_`` tells how many there were.
    tol : float or None, default 1e-3
        Where neither `beta` nor `passes` is given: stop after 5 passes in a row whose mean squared error is
        not smaller, by this part, than the least before. Errors are those of the predictions as they were
        when each row came. None: make all 20 passes.
    fit_intercept : bool, default True
        Whether a background cue of value 1 comes first in each row. Its weight is the intercept.
    random_state : int, Generator, RandomState or None, default None
        The seed by which `fit` takes the rows of each pass in a fresh random order. None: the order in
        which they stand with a `beta` of your own; without one the seed 0, so that the same rows always
        give the same weights.
    threads : int, optional
        How many threads to use; by default as many as the process may run on. It changes no bit.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted.
    weights_ : Weights of float64, n_cues x n_classes
        Its cues are "background", where there is an intercept, and the features; its outcomes are the classes
        as str.
    coef_ : ndarray of float64, n_classes x n_features
        The weights of the features. With two classes 1 x n_features: those to the second less those to the
        first.
    intercept_ : ndarray of float64, n_classes, or 1 with two classes
        The weights of the background cue.
    beta_ : float
        The learning rate; by default that of rows up to the median kappa. `partial_fit` then lowers it when
        the rows that it gets have a greater median.
    n_iter_ : int
        How many passes were made; a call of `partial_fit` is one.
    n_features_in_ : int
        How many features there were.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

    See Also
    --------
    rescorla.learn, rescorla.delta_rule : the rule as a function.
    EquilibriumClassifier : what it tends to.

    Notes
    -----
    With a `beta` of your own this is the plain rule, one pass in the order of the rows unless you say
    otherwise: where X is made of 0 and 1 the weights are those of `rescorla.learn` on the same events, bit
    for bit, and for any X those of `rescorla.delta_rule`. Without, it is made to predict, as other
    classifiers of scikit-learn are: see `beta`, `passes` and `random_state`. What is made least is then the
    squared error, divided by kappa in rows where that is above the median.

    Without a `beta`, `partial_fit` in pieces is not one pass of `fit`: the first piece does not know the rows
    of the others. ``partial_fit`` costs what its rows cost, however many features there are, and changes the
    values of ``weights_`` in place.

    There is no ``sample_weight``. A row of frequency f is f rows in a row: ``np.repeat(X, f, axis=0)``, or
    ``X[np.repeat(np.arange(len(f)), f)]`` of a sparse matrix.

    References
    ----------
    Rescorla, R. A. and Wagner, A. R. (1972). A theory of Pavlovian conditioning: variations in the
    effectiveness of reinforcement and nonreinforcement. In Classical Conditioning II, 64-99.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("pots_red", "yes"), ("pots", "no"), ("pots_blue", "no")])
    >>> X, y = events.cue_matrix(), ["yes", "no", "no"]
    >>> classifier = rw.estimators.RescorlaWagnerClassifier(beta=0.01, fit_intercept=False).fit(X, y)
    >>> classifier.weights_["x0", "yes"] == rw.learn(events, alpha=1.0, beta=0.01)["pots", "yes"]
    True
    """

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
        threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.lambda_ = lambda_
        self.passes = passes
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.threads = threads

    def _targets(self, labels: Any) -> Any:
        return super()._targets(labels) * number("lambda_", self.lambda_)


class RescorlaWagnerRegressor(ErrorDrivenRegressor):
    """Learn amounts by the Rescorla-Wagner rule, row by row: the least mean squares of Widrow and Hoff.

    Features are cues, present by any amount x_i; each target is an outcome, present by any amount z_j. For
    each row and every target j:

        dw_ij = alpha_i * x_i * beta * (z_j - a_j),    a_j = sum of x_i w_ij

    Parameters
    ----------
    alpha : float, mapping or array_like of shape (n_cues,), default 1.0
        The salience of cues, 0 or more: one number, or one for each name in ``weights_.cues``. These are
        "background", where there is an intercept, and the features.
    beta : float, optional
        The learning rate, 0 or more. By default each row has a rate of its own, by which it takes away a
        twentieth of its error, or less: 0.05 / max(kappa, median kappa), with kappa the row's sum of alpha
        x^2, background included, and the median that of the rows whose kappa is not 0. ``beta_`` tells the
        rate of a row of the median kappa.
    passes : int, optional
        How many times `fit` goes through the rows. By default once with a `beta` of your own; and without
        one until passes improve by less than `tol`, at most 20 times. ``n_iter_`` tells how many there were.
    tol : float or None, default 1e-3
        Where neither `beta` nor `passes` is given: stop after 5 passes in a row whose mean squared error is
        not smaller, by this part, than the least before. Errors are those of the predictions as they were
        when each row came. None: make all 20 passes.
    fit_intercept : bool, default True
        Whether a background cue of value 1 comes first in each row. Its weight is the intercept.
    random_state : int, Generator, RandomState or None, default None
        The seed by which `fit` takes the rows of each pass in a fresh random order. None: the order in
        which they stand with a `beta` of your own; without one the seed 0, so that the same rows always
        give the same weights.
    threads : int, optional
        How many threads to use; by default as many as the process may run on. It changes no bit.

    Attributes
    ----------
    weights_ : Weights of float64, n_cues x n_targets
        Its cues are "background", where there is an intercept, and the features; its outcome is "y", or
        "y0", "y1" ... where y has two dimensions.
    coef_ : ndarray of float64, n_features, or n_targets x n_features
        The weights of the features.
    intercept_ : float, or ndarray of float64, n_targets
        The weights of the background cue.
    beta_ : float
        The learning rate; by default that of rows up to the median kappa. `partial_fit` then lowers it when
        the rows that it gets have a greater median.
    n_iter_ : int
        How many passes were made; a call of `partial_fit` is one.
    n_features_in_ : int
        How many features there were.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

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
    >>> regressor.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[10.0]]).round(6)
    array([21.])
    """
