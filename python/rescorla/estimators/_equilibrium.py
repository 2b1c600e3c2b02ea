"""Estimators at the equilibrium: least squares of least norm."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rescorla._learn.record import record
from rescorla._shared.checks import rate, whole
from rescorla._shared.progress import Progress, watching
from rescorla._shared.warn import warn
from rescorla.estimators._inputs import frequencies_of
from rescorla.estimators._least_squares import decompose, solve
from rescorla.estimators._linear import (
    EstimatorWarning,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
    is_sparse,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


# Of a ridge: times what features have it stays finite.
_GREATEST = 1e150


class _Equilibrium(LinearEstimator):
    """What the two estimators share."""

    n_iter_: int

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        ridge: float = 0.0,
        tol: float = 1e-12,
        max_iter: int = 10_000,
        progress: Progress = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.progress = progress

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Solve the equations.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,), or for a regressor also (n_rows, n_targets)
            The class of each row, or its targets.
        sample_weight : array_like of shape (n_rows,), optional
            f, the frequency of each row: 0 or more, by default 1.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            When there are fewer than two classes, or a number is not finite or out of range.

        Warns
        -----
        RescorlaWarning
            When `max_iter` iterations were not enough; it is scikit-learn's ConvergenceWarning, too.
        """
        X, y = self._read(X, y)
        Z = self._targets(y)
        ridge, tol = rate("ridge", self.ridge), rate("tol", self.tol)
        if ridge > _GREATEST:
            raise ValueError(f"ridge must be at most {_GREATEST:g}, not {ridge:g}")
        max_iter = whole("max_iter", self.max_iter, 1)
        frequencies = frequencies_of(sample_weight, X)
        if frequencies is not None and not frequencies.any():
            raise ValueError("sample_weight must be more than zero in one row at least")
        started = perf_counter()
        with watching(self.progress, "solving", "%", 100) as watch:
            if is_sparse(X):
                A = self._cues(X)
                if frequencies is not None:
                    root = np.sqrt(frequencies)[:, np.newaxis]
                    A, Z = A.multiply(root).tocsr(), Z.multiply(root).tocsc() if is_sparse(Z) else Z * root
                found = solve(A, Z, ridge, tol, max_iter, self.fit_intercept, watch)
            else:
                found = decompose(X, Z, ridge, frequencies, self.fit_intercept)
        if not found.converged:
            warn(
                f"{type(self).__name__}: least squares did not come within tol = {tol:g} in "
                f"{max_iter} iterations: allow more, or take a larger tol or a ridge",
                EstimatorWarning,
            )
        parameters = record(
            "equilibrium",
            started,
            ridge=ridge,
            solver="cgls" if is_sparse(X) else "svd",
            rank=found.rank,
            converged=found.converged,
            n_events=X.shape[0],
        )
        self._keep(found.values, parameters)
        self.n_iter_ = found.n_iter
        return self


class EquilibriumClassifier(LinearClassifier, _Equilibrium):
    """Learn classes by least squares: the equilibrium of the Rescorla-Wagner rule (Danks 2003), at once.

    Each class is an outcome, present (1) or absent (0), and the weights to it minimise

        sum over the rows of  f * (o - x'w)^2  +  ridge * |w|^2

    A row is predicted to be of the class of the greatest activation x'w: a linear probability model.

    Parameters
    ----------
    fit_intercept : bool, default True
        Whether a background cue of value 1 is added to each row. Its weight is the intercept; it is a cue as
        all others, so the ridge, and the choice of least norm, take it in.
    ridge : float, default 0.0
        The penalty on large weights, 0 or more.
    tol : float, default 1e-12
        For sparse X: stop when the gradient is below this part of its size at zero weights; see the notes.
        With sample weights a row counts in both as often as its weight says.
    max_iter : int, default 10,000
        Of sparse X: the most iterations.
    progress : None, bool or callable(done, total), default None
        Of sparse X: None shows a bar on a terminal and in a notebook.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted.
    weights_ : Weights of float64, n_cues x n_classes
        From "background", where there is an intercept, and the features, to the classes as str.
    coef_ : ndarray of float64, n_classes x n_features, or 1 x n_features with two classes
        The weights of the features; of two classes those to the second less those to the first.
    intercept_ : ndarray of float64, n_classes, or 1 with two classes
        The weights of the background cue.
    n_iter_ : int
        The iterations that were made, of all classes side by side; 1 for dense X.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.equilibrium : the same of events, with two rates.
    rescorla.classify.NDLClassifier : the same of tables of factors.

    Notes
    -----
    Where features, the background cue included, depend on each other, the solution is not unique. You get the
    smallest one (of least norm), which the pseudo-inverse gives and where learning from zero ends.

    What features say does not depend on how far from zero they are: of times in seconds since 1970 it is what
    they differ by. Dense X is centred, if there is an intercept, and each feature is scaled to length 1. Then
    it is decomposed into singular values; those below n eps times the greatest, n being the larger dimension,
    are 0, and so is what is not more than the last digits of the features as they were. The smallest weights
    are still those in your units, with the intercept. Sparse X stays sparse; features without a 0 are
    centred. Conjugate gradients (CGLS, Bjorck 1996) go from zero to the same solution, all classes side by
    side. They stop where, for each class, the gradient A'(o - Aw) - ridge w (A the rows, each feature scaled
    to length 1) is below `tol` times what it was at zero weights, or is mere rounding; if that takes more
    than `max_iter` iterations there is a warning. Features that are multiples of each other count as one.
    Others are scaled to one length, which saves iterations, unless that would change which solution is the
    shortest: features that depend on each other keep one scale, except that a few such dependences are found
    and corrected for. Weights are then off by about `tol` times the square of the condition number of the
    scaled features, at the most. Ctrl-C stops between iterations; a dense X is one call of LAPACK, which it
    does not interrupt.

    scikit-learn's RidgeClassifier has the targets 1 and -1, and its penalty leaves out the intercept.
    Without a ridge, and with an intercept, both predict the same.

    References
    ----------
    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Bjorck, A. (1996). Numerical methods for least squares problems. SIAM.

    Examples
    --------
    >>> import rescorla as rw
    >>> classifier = rw.estimators.EquilibriumClassifier().fit(
    ...     [[0.0], [1.0], [2.0], [3.0]], list("aabb")
    ... )
    >>> classifier.predict([[1.4], [1.6]])
    array(['a', 'b'], dtype='<U1')
    >>> round(classifier.weights_["x0", "b"], 3)
    0.4
    """


class EquilibriumRegressor(LinearRegressor, _Equilibrium):
    """Learn amounts by least squares of least norm: the equilibrium of the Rescorla-Wagner rule, at once.

    For each target, an outcome that is present by any amount z, the weights minimise

        sum over the rows of  f * (z - x'w)^2  +  ridge * |w|^2

    Parameters
    ----------
    fit_intercept, ridge, tol, max_iter, progress : as `EquilibriumClassifier` has them

    Attributes
    ----------
    weights_ : Weights of float64, n_cues x n_targets
        From "background", where there is an intercept, and the features, to "y", or to "y0", "y1" ...
    coef_ : ndarray of float64, n_features, or n_targets x n_features
        The weights of the features.
    intercept_ : float, or ndarray of float64, n_targets
        The weights of the background cue.
    n_iter_ : int
        The iterations that were made, of all targets side by side; 1 for dense X.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    References
    ----------
    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Examples
    --------
    >>> import rescorla as rw
    >>> regressor = rw.estimators.EquilibriumRegressor().fit(
    ...     [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    ... )
    >>> regressor.predict([[10.0]]).round(6)
    array([21.])
    """
