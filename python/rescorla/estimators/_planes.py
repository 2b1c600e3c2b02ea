"""Estimators that put a plane between classes: the perceptron, and those of optimal stability."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from rescorla._shared.warn import some
from rescorla.estimators._inputs import seed_of
from rescorla.estimators._linear import LinearClassifier
from rescorla.perceptrons import LinearFit, adatron, minover, perceptron

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# How long MinOver goes by default.
_STEPS_PER_ROW, _LEAST_STEPS = 100, 10_000


class PlaneClassifier(LinearClassifier):
    """A plane between two classes; of more, one between each class and all others."""

    fits_: tuple[LinearFit, ...]
    n_iter_: int

    # The parameter that says how long `fit` may take.
    _limit = "max_sweeps"

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the planes.

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

        Warns
        -----
        RescorlaWarning
            When a plane did not come to its goal.
        """
        X, labels = self._read(X, y)
        self._part(labels, self._learner(X))
        self.n_iter_ = max(1, *(self._n_iter(fit) for fit in self.fits_))
        planes = zip(self._outcomes(len(self.fits_)), self.fits_, strict=True)
        late = [name for name, fit in planes if not fit.converged]
        if late:
            tol = getattr(self, "tol", None)
            self._warn_of_stop(
                f"did not come to its goal for {some(late)} in {self.n_iter_:,} {self._limit[4:]}"
                f"{'' if tol is None else f' (tol = {tol:g})'}: allow more by {self._limit}, unless no plane "
                "parts the classes",
                X,
                at_limit=True,
            )
        return self

    def _learner(self, X: Any) -> Callable[[NDArray[np.float64], int], LinearFit]:
        """What finds a plane for examples of +1 and -1, the plane of the number given."""
        raise NotImplementedError

    def _n_iter(self, fit: LinearFit) -> int:
        """How many sweeps a plane took, or steps where there are none."""
        return len(fit.errors)

    def _part(self, labels: NDArray[Any], learn: Callable[[NDArray[np.float64], int], LinearFit]) -> None:
        """Learn a plane for each class, or one for the second of two."""
        codes = self._codes(labels)
        first = int(len(self.classes_) == 2)
        self.fits_ = tuple(
            learn(np.where(codes == code, 1.0, -1.0), code - first)
            for code in range(first, len(self.classes_))
        )
        values = np.column_stack([fit.coef for fit in self.fits_])
        if self.fit_intercept:
            values = np.vstack([[fit.intercept for fit in self.fits_], values])
        values = self._scaled(values)
        parameters = {
            **self.fits_[0].parameters,
            "n_steps": [fit.n_steps for fit in self.fits_],
            "stability": [fit.stability for fit in self.fits_],
            "converged": [fit.converged for fit in self.fits_],
        }
        self._keep(values, parameters)

    def _scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights as they are compared between planes."""
        return values


class Perceptron(PlaneClassifier):
    """Rosenblatt's perceptron: an example that is wrong is added to the weights.

    With y = 1 for the class and -1 for the others, and f(x) = w.x + w0, while examples are wrong:

        w += eta * y * x,    w0 += eta * y    where y f(x) <= 0

    Of more than two classes, each has a plane that separates it from all others, and the greatest f(x) wins.

    Parameters
    ----------
    rule : {"single", "batch"}, default "single"
        Whether an example is added as soon as it is found wrong, or all that a sweep finds wrong at its end.
    eta : float, default 1.0
        How much of an example is added. From a start at zero it scales the weights and nothing else.
    max_sweeps : int, default 1000
        The most times that `fit` goes through the rows; it stops after a sweep without errors.
    initial : {None, "random"}, default None
        Start at zero, or at random weights, for which there must be a `random_state`.
    fit_intercept : bool, default True
        Whether there is a bias: the weight of a cue that is always present with the value 1.
    random_state : int, Generator, RandomState or None, default None
        The seed by which `fit` draws random initial weights, and with the single rule takes the rows of each
        sweep in a fresh random order. None: the order in which they stand.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted.
    weights_ : Weights of float64, n_cues x n_classes
        From "background", where there is an intercept, and the features, to the classes as str; of two
        classes to the second.
    coef_ : ndarray of float64, n_classes x n_features, or 1 x n_features with two classes
        The weights of the features.
    intercept_ : ndarray of float64, n_classes, or 1 with two classes
        The biases.
    fits_ : tuple of LinearFit
        One for each plane: its learning curve, stability and more.
    n_iter_ : int
        The most sweeps that a plane took.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.perceptrons.perceptron : the same as a function.

    Notes
    -----
    Without a `random_state` the rows are taken in their order. If no plane parts a class from the others the
    errors never end, and after `max_sweeps` the last weights stand, whatever they are worth.

    References
    ----------
    Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and organization in
    the brain. Psychological Review 65, 386-408.

    Examples
    --------
    >>> import rescorla as rw
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> unit = rw.estimators.Perceptron().fit(X, ["no", "no", "no", "yes"])
    >>> unit.predict(X).tolist()
    ['no', 'no', 'no', 'yes']
    """

    def __init__(
        self,
        *,
        rule: Literal["single", "batch"] = "single",
        eta: float = 1.0,
        max_sweeps: int = 1000,
        initial: Literal["random"] | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.rule = rule
        self.eta = eta
        self.max_sweeps = max_sweeps
        self.initial = initial
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn on: one sweep through these rows.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_rows, n_features)
        y : array_like of shape (n_rows,)
            The class of each row.
        classes : array_like of shape (n_classes,), optional
            All classes that there will be; needed in the first call.

        Returns
        -------
        Perceptron
            Itself.

        Raises
        ------
        ValueError
            When a row has another class, or another number of features, than was said before.
        """
        more = hasattr(self, "_values")
        X, labels = self._read(X, y, classes, piece=True)
        self._part(labels, self._learner(X, self.fits_ if more else None, max_sweeps=1))
        self.n_iter_ = self.n_iter_ + 1 if more else 1
        return self

    def _learner(
        self, X: Any, start: tuple[LinearFit, ...] | None = None, max_sweeps: int | None = None
    ) -> Callable[[NDArray[np.float64], int], LinearFit]:
        seed = seed_of(self.random_state)
        return lambda signs, plane: perceptron(
            X,
            signs,
            rule=self.rule,
            eta=self.eta,
            bias=self.fit_intercept,
            max_sweeps=self.max_sweeps if max_sweeps is None else max_sweeps,
            initial=self.initial if start is None else start[plane],
            seed=None if start is not None or seed is None else seed + plane,
            progress=False,
        )


class OptimalStability(PlaneClassifier):
    """Planes of the widest margin. Weights are of length 1, for only their direction counts."""

    def _scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        lengths = np.linalg.norm(values, axis=0)
        return values / np.where(lengths > 0, lengths, 1.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Where no plane parts the classes there is no margin to be wide, and nothing is promised.
        tags.classifier_tags.poor_score = True
        return tags


class MinOver(OptimalStability):
    """The perceptron of optimal stability, by minimal overlaps: the plane with the widest margin.

    With y = 1 for the class and -1 for the others, and a cue of value 1 for the bias: at each step the
    example of the least stability y w.x / |w| is added to the weights,

        w += y * x / n_cues

    so that w tends to the direction in which the least stability is greatest, that of the hard-margin support
    vector machine. Of more than two classes, each has a plane that parts it from all others, and the greatest
    w.x / |w| wins.

    Parameters
    ----------
    max_steps : int, optional
        The most steps for a plane. By default 100 for each row, and 10,000 or more.
    tol : float or None, default 0.01
        Stop as soon as the stability is certainly within this part of the greatest possible. None: make all
        steps; the goal is then that all examples are right.
    fit_intercept : bool, default True
        Whether there is a bias: the weight of a cue that is always present with the value 1. There is one by
        default, as in all estimators; the function has none by default, as in the original paper. The margin
        is that of the space with this cue.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted.
    weights_ : Weights of float64, n_cues x n_classes
        Of length 1, from "background", where there is an intercept, and the features, to each class as str;
        of two classes to the second.
    coef_ : ndarray of float64, n_classes x n_features, or 1 x n_features with two classes
        The weights of the features.
    intercept_ : ndarray of float64, n_classes, or 1 with two classes
        The biases.
    fits_ : tuple of LinearFit
        One for each plane: its stability, the examples that it rests on, and more.
    n_iter_ : int
        The most steps that a plane took.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.perceptrons.minover : the same as a function.
    AdaTron : another way to the same plane.

    Notes
    -----
    If no plane parts a class from the others there is no margin, and the last weights stand, whatever they
    are worth. `rescorla.perceptrons.separable` tells whether there is one.

    References
    ----------
    Krauth, W. and Mezard, M. (1987). Learning algorithms with optimal stability in neural networks. Journal
    of Physics A 20, L745-L752.

    Examples
    --------
    >>> import rescorla as rw
    >>> X = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]]
    >>> plane = rw.estimators.MinOver().fit(X, ["a", "a", "b", "b"])
    >>> plane.predict([[0.8, 5.0], [1.2, -5.0]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self, *, max_steps: int | None = None, tol: float | None = 0.01, fit_intercept: bool = True
    ) -> None:
        self.max_steps = max_steps
        self.tol = tol
        self.fit_intercept = fit_intercept

    _limit = "max_steps"

    def _n_iter(self, fit: LinearFit) -> int:
        return fit.n_steps

    def _learner(self, X: Any) -> Callable[[NDArray[np.float64], int], LinearFit]:
        steps = max(_LEAST_STEPS, _STEPS_PER_ROW * X.shape[0]) if self.max_steps is None else self.max_steps
        return lambda signs, plane: minover(
            X, signs, max_steps=steps, tol=self.tol, bias=self.fit_intercept, record=False, progress=False
        )


class AdaTron(OptimalStability):
    """The perceptron of optimal stability, by adapting how strongly each example takes part.

    With y = 1 for the class and -1 for the others, and a cue of value 1 for the bias, the weights are
    w = sum of s * y * x. Example after example adapts its strength s, which stays 0 or more, so that its own
    y w.x comes to 1:

        s += max(gamma * (1 - y w.x) / |x|^2, -s)

    until all are at least 1, and those of strength above 0 are 1: w is the plane of the widest margin. Of
    more than two classes, each has a plane that parts it from all others, and the greatest w.x / |w| wins.

    Parameters
    ----------
    max_sweeps : int, default 1000
        The most times to go through the rows.
    gamma : float, default 1.0
        How far an example goes, between 0 and 2: 1 makes it exactly right, more goes beyond.
    tol : float, default 1e-6
        Stop as soon as the stability is certainly within this part of the greatest possible.
    fit_intercept : bool, default True
        Whether there is a bias: the weight of a cue that is always present with the value 1. There is one by
        default, as in all estimators; the function has none by default, as in the original paper. The margin
        is that of the space with this cue.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted.
    weights_ : Weights of float64, n_cues x n_classes
        Of length 1, from "background", where there is an intercept, and the features, to each class as str;
        of two classes to the second.
    coef_ : ndarray of float64, n_classes x n_features, or 1 x n_features with two classes
        The weights of the features.
    intercept_ : ndarray of float64, n_classes, or 1 with two classes
        The biases.
    fits_ : tuple of LinearFit
        One for each plane: its stability, the examples that it rests on, and more.
    n_iter_ : int
        The most sweeps that a plane took.
    n_features_in_, feature_names_in_ : int, ndarray of str
        How many features there were; and their names, if X was a data frame.

    See Also
    --------
    rescorla.perceptrons.adatron : the same as a function.
    MinOver : another way to the same plane.

    Notes
    -----
    If no plane parts a class from the others strengths grow without end, and after `max_sweeps` the last
    weights stand, whatever they are worth. `rescorla.perceptrons.separable` tells whether there is one.

    References
    ----------
    Anlauf, J. K. and Biehl, M. (1989). The AdaTron: an adaptive perceptron algorithm. Europhysics Letters 10,
    687-692.

    Examples
    --------
    >>> import rescorla as rw
    >>> X = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]]
    >>> plane = rw.estimators.AdaTron().fit(X, ["a", "a", "b", "b"])
    >>> plane.predict([[0.8, 5.0], [1.2, -5.0]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        *,
        max_sweeps: int = 1000,
        gamma: float = 1.0,
        tol: float = 1e-6,
        fit_intercept: bool = True,
    ) -> None:
        self.max_sweeps = max_sweeps
        self.gamma = gamma
        self.tol = tol
        self.fit_intercept = fit_intercept

    def _learner(self, X: Any) -> Callable[[NDArray[np.float64], int], LinearFit]:
        return lambda signs, plane: adatron(
            X,
            signs,
            max_sweeps=self.max_sweeps,
            gamma=self.gamma,
            tol=self.tol,
            bias=self.fit_intercept,
            progress=False,
        )
