"""How near predicted vectors are to those of outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from rescorla._shared.checks import (
    near,
    numbered,
    one_of,
    only_names,
    places,
    real_array,
    several,
    shown,
    unmasked,
    whole,
)
from rescorla._weights.directions import blocks, bounded, directions
from rescorla._weights.vectors import Vectors, named_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Nearness = Literal["correlation", "cosine", "distance"]


def correlation(predicted: ArrayLike, target: ArrayLike) -> NDArray[np.float64]:
    """How well each predicted vector agrees with its target: Pearson's r, row by row.

        r_i = p_i.t_i / (|p_i| |t_i|),    p and t less their means

    For outcomes that are vectors: what Widrow-Hoff learning predicts, and what it should.

    Parameters
    ----------
    predicted, target : array_like of shape (n_events, n_dimensions)

    Returns
    -------
    ndarray of float64, n_events
        From -1 to 1. NaN where a row is constant.

    Raises
    ------
    ValueError
        When the shapes differ.

    References
    ----------
    Stein, S. D. and Plag, I. (2021). Morpho-phonetic effects in speech production. Frontiers in Psychology
    12, 678712.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.measures.correlation(
    ...     [[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]], [[1.0, 2.0, 3.0], [0.0, 1.0, 1.0]]
    ... )
    array([ 1., -1.])
    """
    left, right = _matrix("predicted", predicted), _matrix("target", target)
    if left.ndim != 2 or left.shape != right.shape:
        raise ValueError(
            f"predicted and target must be matrices of one shape, events x dimensions, not of {left.shape} "
            f"and {right.shape}"
        )
    products = directions(left, "correlation") * directions(right, "correlation")
    return bounded(products.sum(axis=1))


def correlations(predicted: ArrayLike, vectors: Vectors) -> NDArray[np.float64]:
    """How well each predicted vector agrees with each of some vectors: Pearson's r.

        r_ik = p_i.t_k / (|p_i| |t_k|),    p and t less their means

    pyndl's ``correlation`` is the transpose of it, with vectors in columns.

    Parameters
    ----------
    predicted : array_like of shape (n_events, n_dimensions)
    vectors : array_like of shape (n_vectors, n_dimensions), or as `rescorla.widrow_hoff` takes vectors

    Returns
    -------
    ndarray of float64, n_events x n_vectors
        From -1 to 1. NaN where a vector is constant.

    Raises
    ------
    ValueError
        When the dimensions differ.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.measures.correlations(
    ...     [[0.0, 1.0, 2.0]], {"up": [1.0, 2.0, 3.0], "down": [1.0, 0.0, -1.0]}
    ... )
    array([[ 1., -1.]])
    """
    left, _, right = _prepared(predicted, vectors, "correlation")
    return bounded(left @ right.T)


def nearness_rank(
    predicted: ArrayLike,
    vectors: Vectors,
    targets: Iterable[str] | Iterable[int],
    *,
    method: Nearness = "correlation",
) -> NDArray[np.int64]:
    """The place of the target's vector among all vectors, by their nearness to what is predicted.

        rank = 1 + number of vectors nearer than that of the target

    Parameters
    ----------
    predicted : array_like of shape (n_events, n_dimensions)
        What is predicted of each event, such as the `rescorla.activations` of outcome dimensions.
    vectors : array_like of shape (n_vectors, n_dimensions), or as `rescorla.widrow_hoff` takes vectors
        Those of all outcomes in question.
    targets : iterable of str or int, n_events
        The right outcome of each event: its name, or the number of its row from 0 on.
    method : {"correlation", "cosine", "distance"}, default "correlation"
        What near means: a large Pearson correlation, a large cosine, or a small Euclidean distance.

    Returns
    -------
    ndarray of int64, n_events
        1: no vector is nearer. Equal ones share the better place. The last place where the target or
        the prediction has no direction.

    Raises
    ------
    ValueError
        When the dimensions differ, there are too few or too many targets, or numbers are out of range.
    KeyError
        When vectors have no such name.
    TypeError
        When targets are names and vectors have none.

    Examples
    --------
    >>> import rescorla as rw
    >>> vectors = {
    ...     "cat": [1.0, 0.0, 0.0],
    ...     "hat": [0.0, 1.0, 0.0],
    ...     "cot": [0.0, 0.0, 1.0],
    ... }
    >>> predicted = [[0.9, 0.1, 0.0], [0.5, 0.4, 0.1]]
    >>> rw.measures.nearness_rank(predicted, vectors, ["cat", "hat"])
    array([1, 2])
    """
    left, names, right = _prepared(predicted, vectors, method)
    rows = _targets(targets, names, len(left), len(right))
    squares = (right * right).sum(axis=1)
    result = np.zeros(len(left), dtype=np.int64)
    for some in blocks(len(left), len(right)):
        nearness = left[some] @ right.T
        if method == "distance":
            # |p - t|^2 = |p|^2 - 2 p.t + |t|^2, and |p| is the same for all.
            nearness = 2.0 * nearness - squares
        own = nearness[np.arange(len(nearness)), rows[some]][:, None]
        nearer = (nearness > own).sum(axis=1)
        result[some] = np.where(np.isnan(own[:, 0]), len(right), 1 + nearer)
    return result


def accuracy(
    predicted: ArrayLike,
    vectors: Vectors,
    targets: Iterable[str] | Iterable[int],
    *,
    k: int = 1,
    method: Nearness = "correlation",
) -> float:
    """How often the target's vector is among the k nearest to what is predicted: accuracy at rank k.

    Parameters
    ----------
    predicted, vectors, targets, method : as `nearness_rank` has them
    k : int, default 1

    Returns
    -------
    float
        The share of events whose target has rank k or better. NaN without events.

    Raises
    ------
    ValueError
        When k is below 1; and those of `nearness_rank`.

    Examples
    --------
    >>> import rescorla as rw
    >>> vectors = {
    ...     "cat": [1.0, 0.0, 0.0],
    ...     "hat": [0.0, 1.0, 0.0],
    ...     "cot": [0.0, 0.0, 1.0],
    ... }
    >>> predicted = [[0.9, 0.1, 0.0], [0.5, 0.4, 0.1]]
    >>> [
    ...     rw.measures.accuracy(predicted, vectors, ["cat", "hat"], k=k)
    ...     for k in (1, 2)
    ... ]
    [0.5, 1.0]
    """
    k = whole("k", k, 1)
    ranks = nearness_rank(predicted, vectors, targets, method=method)
    return float((ranks <= k).mean()) if len(ranks) else float("nan")


def _prepared(
    predicted: ArrayLike, vectors: Vectors, method: str
) -> tuple[NDArray[np.float64], tuple[str, ...] | None, NDArray[np.float64]]:
    """Rows whose products say how near they are; NaN where there is no direction."""
    one_of("method", method, ("correlation", "cosine", "distance"))
    left = _matrix("predicted", predicted)
    names, table = named_rows("vectors", vectors, np.dtype(np.float64), "z")
    right: NDArray[np.float64] = table.values
    if left.ndim != 2 or left.shape[1] != right.shape[1]:
        raise ValueError(
            f"predicted must be a matrix of {right.shape[1]} columns, the dimensions of the vectors, not of "
            f"shape {left.shape}; predicted come first, then the vectors of outcomes"
        )
    return (
        (left, names, right)
        if method == "distance"
        else (directions(left, method), names, directions(right, method))
    )


def _matrix(argument: str, rows: ArrayLike) -> NDArray[np.float64]:
    """Numbers, events x dimensions."""
    if isinstance(rows, Mapping | str):
        raise TypeError(
            f"{argument} must be a matrix, events x dimensions, not {shown(rows)}; predicted come first, "
            "then the vectors of outcomes, which may have names"
        )
    return real_array(argument, rows)


def _targets(
    targets: Iterable[str] | Iterable[int], names: tuple[str, ...] | None, n_events: int, n_vectors: int
) -> NDArray[np.int64]:
    """The row of each target."""
    listed = several("targets", unmasked("targets", targets), "outcomes, one for each event")
    if len(listed) != n_events:
        raise ValueError(f"targets must be {n_events}, one for each event, not {len(listed)}")
    if any(isinstance(target, str) for target in listed):
        if names is None:
            raise TypeError(
                "targets are names, but the vectors have none; give a mapping, or numbers of rows"
            )
        rows = places(only_names("targets must be names", listed), numbered(names))
        if (rows < 0).any():
            name = listed[int(rows.argmin())]
            raise KeyError(f"vectors have no row for the target {name!r}{near(name, names)}")
        return rows
    rows = np.array(listed).astype(np.int64, casting="safe") if listed else np.zeros(0, dtype=np.int64)
    outside = (rows < 0) | (rows >= n_vectors)
    if outside.any():
        raise ValueError(f"targets must be rows from 0 to {n_vectors - 1}, not {rows[outside][0]}")
    return rows
