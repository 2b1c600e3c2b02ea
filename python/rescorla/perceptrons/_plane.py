"""A plane that separates two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._learn.arrays import dense
from rescorla._weights.vectors import Examples, same_length, table_of, vector_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FLOAT64 = np.dtype(np.float64)


class LinearFit:
    """A plane w.x + w0 = 0 between two classes, and how it was found.

    An example is right if y (w.x + w0) > 0, y being +1 or -1; on the plane it is wrong. Learners make these;
    a plane from elsewhere needs only `coef` and `intercept`.

    Parameters
    ----------
    coef : ndarray of float64, n_features
        The normal w of the plane.
    intercept : float
        The bias w0: the weight of a cue that is always present with the value 1. 0.0 where there is none.
    stability : float
        The least y (w.x + w0) / |(w, w0)| over the examples learned from: in the space in which the learner
        works, where the bias is a cue as any other. 0.0 while all weights are zero, and ``inf`` without
        examples.
    n_steps : int
        How many updates were made.
    errors : ndarray of int64
        The learning curve: how many examples were wrong, in each sweep or before each step, as the function
        says.
    converged : bool
        Whether the learner came to its goal, as the function says.
    strengths : ndarray of float64, n_examples
        How much of each example is in the weights: w is a multiple of the sum of strength * y * x, plus the
        start.
    stabilities : ndarray of float64
        The stability before each step, where it was recorded; else empty.
    history : ndarray of float64, or None
        The learning curve that was recorded, as the function says; None where none was.
    feature_names : tuple of str
        The names of the columns of X.
    parameters : dict
        How the plane was found.

    Examples
    --------
    >>> import rescorla as rw
    >>> fit = rw.perceptrons.LinearFit([3.0, 4.0], 10.0)
    >>> fit.distance
    2.0
    >>> fit.predict([[0.0, 0.0], [-6.0, 0.0]])
    array([ 1, -1])
    >>> fit.geometric_margins([[0.0, 0.0], [-6.0, 0.0]], [1, 1])
    array([ 2. , -1.6])
    """

    # What a plane has is seen without making one.
    __slots__ = (
        "coef",
        "converged",
        "errors",
        "feature_names",
        "history",
        "intercept",
        "n_steps",
        "parameters",
        "stabilities",
        "stability",
        "strengths",
    )

    def __init__(
        self,
        coef: ArrayLike,
        intercept: float = 0.0,
        *,
        stability: float = float("nan"),
        n_steps: int = 0,
        errors: NDArray[np.int64] | None = None,
        converged: bool = False,
        strengths: NDArray[np.float64] | None = None,
        stabilities: NDArray[np.float64] | None = None,
        history: NDArray[np.float64] | None = None,
        feature_names: tuple[str, ...] = (),
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self.coef = vector_of("coef", coef, _FLOAT64)
        self.intercept = float(intercept)
        self.stability = stability
        self.n_steps = n_steps
        self.errors = np.zeros(0, dtype=np.int64) if errors is None else errors
        self.converged = converged
        self.strengths = np.zeros(0) if strengths is None else strengths
        self.stabilities = np.zeros(0) if stabilities is None else stabilities
        self.history = history
        self.feature_names = feature_names
        self.parameters = dict(parameters or {})

    def __repr__(self) -> str:
        ended = "converged" if self.converged else "not converged"
        size = f"{len(self.coef)} features"
        return f"<LinearFit: {size}, stability {self.stability:.4g}, {self.n_steps} steps, {ended}>"

    @property
    def support(self) -> NDArray[np.int64]:
        """The numbers of the examples that the weights are made of: those of a strength other than 0."""
        return np.flatnonzero(self.strengths).astype(np.int64)

    @property
    def distance(self) -> float:
        """The distance of the plane from the origin, w0 / |w|: positive if the origin is on the side of +1.

        NaN where w is zero.
        """
        size = float(np.linalg.norm(self.coef))
        return self.intercept / size if size else float("nan")

    def decision_function(self, X: Examples) -> NDArray[np.float64]:
        """f(x) = w.x + w0 of each row.

        Parameters
        ----------
        X : array_like, sparse matrix or data frame, n_examples x n_features

        Returns
        -------
        ndarray of float64, n_examples

        Raises
        ------
        ValueError
            When X has another number of features.
        """
        table = table_of("X", X, _FLOAT64, "x")
        if table.shape[1] != len(self.coef):
            raise ValueError(f"X must have {len(self.coef)} features, not {table.shape[1]}")
        if table.starts is None or table.columns is None:
            return np.asarray(table.values @ self.coef + self.intercept)
        products = np.append(table.values * self.coef[table.columns], 0.0)
        # reduceat gives an empty row the element after it.
        sums = np.add.reduceat(products, table.starts[:-1]) if table.shape[0] else np.zeros(0)
        sums[np.diff(table.starts) == 0] = 0.0
        return np.asarray(sums + self.intercept)

    def predict(self, X: Examples) -> NDArray[np.int64]:
        """+1 where f(x) > 0, else -1.

        Parameters
        ----------
        X : array_like, sparse matrix or data frame, n_examples x n_features

        Returns
        -------
        ndarray of int64, n_examples
        """
        return np.where(self.decision_function(X) > 0, 1, -1)

    def functional_margins(self, X: Examples, y: ArrayLike) -> NDArray[np.float64]:
        """y f(x) of each example: positive where it is right.

        Parameters
        ----------
        X : array_like, sparse matrix or data frame, n_examples x n_features
        y : array_like of +1 and -1, n_examples

        Returns
        -------
        ndarray of float64, n_examples
        """
        f = self.decision_function(X)
        signs = signs_of(y)
        same_length("X", len(f), "y", len(signs))
        return np.asarray(signs * f)

    def geometric_margins(self, X: Examples, y: ArrayLike) -> NDArray[np.float64]:
        """y f(x) / |w| of each example: its distance from the plane, negative where it is wrong.

        Parameters
        ----------
        X : array_like, sparse matrix or data frame, n_examples x n_features
        y : array_like of +1 and -1, n_examples

        Returns
        -------
        ndarray of float64, n_examples
            NaN where w is zero.
        """
        size = float(np.linalg.norm(self.coef))
        margins = self.functional_margins(X, y)
        return margins / size if size else np.full(len(margins), np.nan)

    def projection(self, X: Examples) -> NDArray[np.float64]:
        """The point of the plane that is nearest to each example.

            x = x_p + r w / |w|,    r = f(x) / |w|

        with x_p the projection and r the distance of x from the plane, positive on the side of +1.

        Parameters
        ----------
        X : array_like, sparse matrix or data frame, n_examples x n_features

        Returns
        -------
        ndarray of float64, n_examples x n_features
            Dense. NaN where w is zero.

        Raises
        ------
        ValueError
            When X has another number of features.

        Examples
        --------
        >>> import rescorla as rw
        >>> X, y = [[2.0, 0.0], [-2.0, 0.0]], [1, -1]
        >>> fit = rw.perceptrons.minover(X, y, max_steps=9)
        >>> fit.projection([[3.0, 4.0]])
        array([[0., 4.]])
        """
        f = self.decision_function(X)
        square = float(self.coef @ self.coef)
        if not square:
            return np.full((len(f), len(self.coef)), np.nan)
        points = dense(table_of("X", X, _FLOAT64, "x"))
        return np.asarray(points - np.outer(f / square, self.coef))


def signs_of(y: object) -> NDArray[np.float64]:
    """The classes, +1 and -1; ValueError where something else stands."""
    signs = vector_of("y", y, _FLOAT64)
    wrong = np.flatnonzero(np.abs(signs) != 1)
    if len(wrong):
        raise ValueError(
            f"y must be +1 or -1, but at {wrong[0]} it is {signs[wrong[0]]:g}; "
            "classes 0 and 1 become these by 2 * y - 1"
        )
    return signs
