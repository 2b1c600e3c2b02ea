"""The stability that a student of a rule ends with: it learns again from the same draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rescorla.perceptrons._margins import adatron, minover
from rescorla.perceptrons._perceptron import perceptron

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The engine's AdaTron is done when its stability is this near the greatest.
_TOLERANCE = 1e-6
# And eigenvalues below this many n eps, of the greatest, are rounding errors.
_SLACK = 8.0


def stability_of(
    student: str,
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    start: NDArray[np.float64],
    steps: int,
    n_max: int,
) -> float:
    """The least y w.x / |w| over the examples; 0 while w is zero, infinite without examples.

    The engine says what a student is wrong about and not what its weights are, so it learns once more, by the
    function of its name. MinOver's end may depend on the teacher, so its number of steps is given.
    """
    if not len(y):
        return float("inf")
    match student:
        case "minover":
            return minover(X, y, max_steps=steps, record=False, progress=False).stability
        case "adatron":
            return adatron(X, y, tol=_TOLERANCE, max_sweeps=n_max, progress=False).stability
        case "rosenblatt":
            return perceptron(X, y, bias=False, max_sweeps=n_max, progress=False).stability
        case "rosenblatt_random":
            rate = 1 / X.shape[1]
            fit = perceptron(X, y, bias=False, eta=rate, initial=start, max_sweeps=n_max, progress=False)
            return fit.stability
        case "least_squares":
            # Singular values are the roots of eigenvalues.
            least = math.sqrt(_SLACK * min(X.shape) * np.finfo(np.float64).eps)
            return _least(np.asarray(np.linalg.lstsq(X, y, rcond=least)[0], np.float64), X, y)
        case _:
            return _least(y @ X, X, y)


def _least(w: NDArray[np.float64], X: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    size = float(np.linalg.norm(w))
    return float((y * (X @ w)).min()) / size if size else 0.0
