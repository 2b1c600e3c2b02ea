"""Measures with one number for each name of the weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rescorla._shared.checks import Side, chosen, one_of, whole
from rescorla._weights.directions import blocks, bounded, directions
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Norm: TypeAlias = Literal["l1", "l2", "mad"]


def prior(weights: Weights, *, norm: Norm = "l1") -> NDArray[np.float64]:
    """How available each outcome is, whatever the cues: the size of its column of weights.

        prior_j = sum over cues i of |w_ij|                        "l1"
                  sqrt(sum of w_ij^2)                              "l2"
                  median over i of |w_ij - median over k of w_kj|  "mad"

    Parameters
    ----------
    weights : Weights, n_cues x n_outcomes
    norm : {"l1", "l2", "mad"}, default "l1"
        The sum of absolute weights (Milin et al. 2016), the Euclidean length, or the median absolute
        deviation (Milin et al. 2017), unscaled: R's ``mad`` is 1.4826 times that.

    Returns
    -------
    ndarray of float64, n_outcomes
        In the order of ``weights.outcomes``. The median absolute deviation of no weights is NaN.

    References
    ----------
    Milin, P., Divjak, D., Dimitrijevic, S. and Baayen, R. H. (2016). Towards cognitively plausible data
    science in language research. Cognitive Linguistics 27, 507-526.

    Milin, P., Feldman, L. B., Ramscar, M., Hendrix, P. and Baayen, R. H. (2017). Discrimination in lexical
    decision. PLOS ONE 12, e0171935.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.0], [-0.25, 1.0], [0.0, 0.0]], ["a", "b", "c"], ["x", "y"]
    ... )
    >>> rw.measures.prior(weights)
    array([0.75, 1.  ])
    >>> rw.measures.prior(weights, norm="mad")
    array([0.25, 0.  ])
    """
    need_weights(weights)
    return sizes(np.asarray(weights).T, norm)


def similarity(
    weights: Weights,
    names: Iterable[str] | None = None,
    *,
    side: Side = "cues",
    method: Literal["cosine", "correlation"] = "cosine",
) -> NDArray[np.float64]:
    """How alike the weights of cues, or of outcomes, are.

        s_ik = w_i.w_k / (|w_i| |w_k|)

    That is "cosine"; "correlation" subtracts the mean of each w first.

    Where cues and outcomes are both words, w_i is a semantic vector of the word i.

    Parameters
    ----------
    weights : Weights, n_cues x n_outcomes
    names : iterable of str, optional
        Which cues, or outcomes, in this order; by default all.
    side : {"cues", "outcomes"}, default "cues"
        Whether rows or columns of the weights are compared.
    method : {"cosine", "correlation"}, default "cosine"

    Returns
    -------
    ndarray of float64, n_names x n_names
        From -1 to 1. NaN for weights that are all zero ("correlation": all equal).

    Raises
    ------
    KeyError
        When a name is not in the weights.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], ["a", "b", "c"], ["x", "y"]
    ... )
    >>> rw.measures.similarity(weights, ["a", "b", "c"]).round(3)
    array([[1.   , 0.707, 0.   ],
           [0.707, 1.   , 0.707],
           [0.   , 0.707, 1.   ]])
    """
    rows = directions(_vectors(weights, names, side), method)
    return bounded(rows @ rows.T)


def typicality(weights: Weights, *, side: Side = "cues") -> NDArray[np.float64]:
    """How alike the weights of each cue, or outcome, are to the average: semantic typicality.

        t_i = w_i.m / (|w_i| |m|),    m the mean of all w_k

    Parameters
    ----------
    weights : Weights, n_cues x n_outcomes
    side : {"cues", "outcomes"}, default "cues"
        Whether rows or columns of the weights are compared.

    Returns
    -------
    ndarray of float64, n_cues or n_outcomes
        From -1 to 1. NaN where a vector or the mean is zero.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], ["a", "b", "c"], ["x", "y"]
    ... )
    >>> rw.measures.typicality(weights).round(3)
    array([0.707, 0.707, 1.   ])
    """
    vectors = _vectors(weights, None, side)
    # The direction of the mean is that of the sum, which nothing has too.
    centre = directions(vectors.sum(axis=0, keepdims=True), "cosine")[0]
    return bounded(directions(vectors, "cosine") @ centre)


def density(
    weights: Weights,
    n: int = 10,
    *,
    side: Side = "cues",
    method: Literal["cosine", "correlation"] = "cosine",
) -> NDArray[np.float64]:
    """How near the nearest neighbours of each cue, or outcome, are: semantic density.

        d_i = mean of the n greatest s_ik,  k other than i

    with s the `similarity`.

    Parameters
    ----------
    weights : Weights, n_cues x n_outcomes
    n : int, default 10
        How many neighbours; at most as many as there are.
    side : {"cues", "outcomes"}, default "cues"
        Whether rows or columns of the weights are compared.
    method : {"cosine", "correlation"}, default "cosine"

    Returns
    -------
    ndarray of float64, n_cues or n_outcomes
        Vectors without a direction are nobody's neighbours, and have the density NaN; so has a vector without
        neighbours.

    Raises
    ------
    ValueError
        When n is less than 1.

    References
    ----------
    Stein, S. D. and Plag, I. (2021). Morpho-phonetic effects in speech production. Frontiers in Psychology
    12, 678712. There the vectors are predicted ones.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], ["a", "b", "c"], ["x", "y"]
    ... )
    >>> rw.measures.density(weights, 1).round(3)
    array([0.707, 0.707, 0.707])
    """
    need_weights(weights)
    whole("n", n, 1)
    vectors = directions(_vectors(weights, None, side), method)
    known = ~np.isnan(vectors).any(axis=1)
    neighbours = vectors[known]
    count = min(n, len(neighbours) - 1)
    result = np.full(len(vectors), np.nan)
    if count < 1:
        return result
    means = []
    for rows in blocks(len(neighbours), len(neighbours)):
        alike = bounded(neighbours[rows] @ neighbours.T)
        # Nobody is a neighbour of itself.
        alike[np.arange(len(alike)), np.arange(rows.start, rows.stop)] = -np.inf
        means.append(np.partition(alike, -count, axis=1)[:, -count:].mean(axis=1))
    result[known] = np.concatenate(means)
    return result


def sizes(vectors: NDArray[Any], norm: Norm) -> NDArray[np.float64]:
    """The size of each row."""
    one_of("norm", norm, ("l1", "l2", "mad"))
    rows = np.asarray(vectors, dtype=np.float64)
    sizes: NDArray[np.float64]
    if norm == "l1":
        sizes = np.abs(rows).sum(axis=1)
    elif norm == "l2":
        sizes = np.linalg.norm(rows, axis=1)
    elif rows.shape[1] == 0:
        sizes = np.full(len(rows), np.nan)
    else:
        sizes = np.median(np.abs(rows - np.median(rows, axis=1, keepdims=True)), axis=1)
    return sizes


def _vectors(weights: Weights, names: Iterable[str] | None, side: Side) -> NDArray[np.float64]:
    """Rows of weights, or columns as rows."""
    need_weights(weights)
    one_of("side", side, ("cues", "outcomes"))
    values, numbers = (
        (np.asarray(weights), weights._row_numbers)
        if side == "cues"
        else (np.asarray(weights).T, weights._column_numbers)
    )
    vectors = np.asarray(values, dtype=np.float64)
    return vectors if names is None else vectors[chosen("names", names, numbers)]
