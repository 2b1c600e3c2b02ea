"""From activations to probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._shared.checks import number, one_of, real_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ProbabilityMethod = Literal["shift", "softmax"]
METHODS = ("shift", "softmax")

# What R's acts2probs adds where the least activation is zero, so that rows of zeros have a sum.
_LEAST_SHIFT = 1e-10


def probabilities(
    activations: ArrayLike, *, method: ProbabilityMethod = "shift", minimum: float | None = None
) -> NDArray[np.float64]:
    """The probabilities of outcomes, made of their activations.

    With a_ij the activation of outcome j in row i, and m the least activation of all rows,

        p_ij = (a_ij + |m|) / sum over k of (a_ik + |m|)        "shift"
        p_ij = exp(a_ij) / sum over k of exp(a_ik)              "softmax"

    Parameters
    ----------
    activations : array_like of shape (n_rows, n_outcomes)
    method : {"shift", "softmax"}, default "shift"
        R's formula (``acts2probs``), or the softmax.
    minimum : float, optional
        m; by default the least of the activations at hand, as in R. Then the probabilities of a row depend on
        the other rows: give the m of the rows that were learned from to make them independent.

    Returns
    -------
    ndarray of float64, n_rows x n_outcomes
        Each row has the sum 1, and rises with the activations.

    Raises
    ------
    ValueError
        When the activations are no matrix of finite numbers.

    Notes
    -----
    Special cases of "shift". Where m = 0, 1e-10 is added in its place, as in R. R adds |m| also where m is
    positive; so does this function. A row that consists of m < 0 alone has equal probabilities; R gives NaN.
    Activations below a given `minimum` count as -|m|: their probability is 0.

    References
    ----------
    Arppe, A., Hendrix, P., Milin, P., Baayen, R. H., Sering, T. and Shaoul, C. (2018). ndl: Naive
    Discriminative Learning. R package version 0.2.18. ``acts2probs``.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.classify.probabilities([[0.75, 0.25], [-0.25, 0.5]])
    array([[0.66666667, 0.33333333],
           [0.        , 1.        ]])
    >>> rw.classify.probabilities([[0.0, 0.0]], method="softmax")
    array([[0.5, 0.5]])
    """
    one_of("method", method, METHODS)
    values = real_array("activations", activations)
    if values.ndim != 2:
        raise ValueError(f"activations must be a matrix, rows x outcomes, not of {values.ndim} dimensions")
    if not np.isfinite(values).all():
        raise ValueError("activations must be finite")
    if values.size == 0:
        return values.copy()
    if method == "softmax":
        # Less their maximum, so that nothing overflows.
        return _shares(np.exp(values - values.max(axis=1, keepdims=True)))
    least = float(values.min()) if minimum is None else number("minimum", minimum)
    return _shares(np.maximum(values + (abs(least) or _LEAST_SHIFT), 0.0))


def _shares(values: NDArray[Any]) -> NDArray[np.float64]:
    """Each row divided by its sum; equal shares where the sum is zero."""
    sums = values.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(
        values, sums, out=np.full_like(values, 1 / values.shape[1]), where=sums > 0
    )
    return shares
