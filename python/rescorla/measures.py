"""Measures of learned weights and activations, as the literature on discriminative learning uses them.

Most measures are an array with one number for each event, in the order of the events, or for each name of the
weights, in their order. So ``pandas.DataFrame({"prior": rw.measures.prior(weights)},
index=weights.outcomes)`` is a table of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.activations import activations, cue_events
from rescorla._shared.checks import PathName, Side, chosen, near, one_of, places, thread_count, whole
from rescorla._shared.progress import Progress, part, watching
from rescorla._weights.nearness import (
    accuracy,
    blocks,
    bounded,
    correlation,
    correlations,
    directions,
    nearness_rank,
)
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "accuracy",
    "activation",
    "correlation",
    "correlations",
    "density",
    "diversity",
    "entropy",
    "margin",
    "nearness_rank",
    "prior",
    "rank",
    "similarity",
    "typicality",
]

Norm: TypeAlias = Literal["l1", "l2", "mad"]
Source: TypeAlias = "Events | PathName | Iterable[str | Iterable[str]]"
"""What has cue sets: Events, a path, or bare cue sets."""


def activation(
    events: Source,
    weights: Weights,
    *,
    targets: Iterable[str] | None = None,
    unknown: Literal["error", "ignore"] = "error",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """The activations of each event's outcomes, summed; or the activation of its target.

        a_t = sum over the outcomes t of the event, and over its cues i, of w_it

    Parameters
    ----------
    events : Events, path or iterable of cue sets
        As `rescorla.activations` takes them.
    weights : Weights, n_cues x n_outcomes
    targets : iterable of str, optional
        One outcome for each event; by default those that the event has, whose activations are summed, as
        Baayen et al. do for words of several meanings. Bare cue sets have no outcomes, so it is 0.
    unknown : {"error", "ignore"}, default "error"
        What to do with a cue that the weights do not have: raise KeyError, or leave it out.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    ndarray of float64, n_events

    Raises
    ------
    KeyError
        When a name is not in the weights.
    ValueError
        When targets are too few or too many.

    References
    ----------
    Baayen, R. H., Milin, P., Filipovic Djurdjevic, D., Hendrix, P. and Marelli, M. (2011). An amorphous model
    for morphological processing in visual comprehension based on naive discriminative learning. Psychological
    Review 118, 438-481.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.25], [0.25, -0.5]], ["s", "h"], ["hand", "plural"]
    ... )
    >>> rw.measures.activation(
    ...     rw.read_events([("s_h", "hand_plural"), ("h", "hand")]), weights
    ... )
    array([0.5 , 0.25])
    >>> rw.measures.activation(["s", "s_h"], weights, targets=["plural", "hand"])
    array([0.25, 0.75])
    """
    source = _checked(events, weights, progress)
    if targets is None:
        present = activations(
            source, weights, present_only=True, unknown=unknown, threads=threads, progress=progress
        )
        # The number of the event of each of its outcomes.
        owners = np.repeat(np.arange(len(source)), np.diff(source._file.csr("outcomes")[0]))
        return np.bincount(owners, present, len(source)).astype(np.float64)
    columns = _columns(source, weights, targets)
    result = np.zeros(len(source))
    asked, places_asked = np.unique(columns, return_inverse=True)
    names = [weights.outcomes[column] for column in asked]
    for rows, values in _activated(source, weights, unknown, threads, progress, names):
        result[rows] = _own(values, places_asked[rows])
    return result


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
    return _sizes(np.asarray(weights).T, norm)


def diversity(
    events: Source,
    weights: Weights,
    *,
    norm: Norm = "l1",
    unknown: Literal["error", "ignore"] = "error",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """How much the cues of each event activate altogether: the size of the vector of activations.

        diversity = sum over all outcomes j of |a_j|    "l1"

    Many different outcomes are active where it is large, so that the event says little about any of them.

    Parameters
    ----------
    events : Events, path or iterable of cue sets
        As `rescorla.activations` takes them.
    weights : Weights, n_cues x n_outcomes
    norm : {"l1", "l2", "mad"}, default "l1"
        As for `prior`: the sum of absolute activations, their Euclidean length, or their median absolute
        deviation.
    unknown : {"error", "ignore"}, default "error"
        What to do with a cue that the weights do not have: raise KeyError, or leave it out.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    ndarray of float64, n_events

    Raises
    ------
    KeyError
        When a cue is not in the weights.

    References
    ----------
    Milin, P., Divjak, D., Dimitrijevic, S. and Baayen, R. H. (2016). Towards cognitively plausible data
    science in language research. Cognitive Linguistics 27, 507-526.

    Milin, P., Feldman, L. B., Ramscar, M., Hendrix, P. and Baayen, R. H. (2017). Discrimination in lexical
    decision. PLOS ONE 12, e0171935.

    Schmitz, D., Plag, I., Baer-Henney, D. and Stein, S. D. (2021). Durational differences of word-final /s/
    emerge from the lexicon. Frontiers in Psychology 12, 680889. "l2"

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.25], [0.25, -0.5]], ["s", "h"], ["hand", "plural"]
    ... )
    >>> rw.measures.diversity(["s", "s_h"], weights)
    array([0.75, 1.  ])
    """
    one_of("norm", norm, ("l1", "l2", "mad"))
    source = _checked(events, weights, progress)
    result = np.zeros(len(source))
    for rows, values in _activated(source, weights, unknown, threads, progress):
        result[rows] = _sizes(values, norm)
    return result


def entropy(
    events: Source,
    weights: Weights,
    *,
    method: Literal["absolute", "softmax"] = "absolute",
    unknown: Literal["error", "ignore"] = "error",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """How evenly the activation of each event is spread over the outcomes, in bits.

        H = -sum over j of p_j log2 p_j,    p_j = |a_j| / sum of |a_k|        "absolute"
                                            p_j = exp a_j / sum of exp a_k    "softmax"

    Parameters
    ----------
    events : Events, path or iterable of cue sets
        As `rescorla.activations` takes them.
    weights : Weights, n_cues x n_outcomes
    method : {"absolute", "softmax"}, default "absolute"
        How activations are turned into a distribution.
    unknown : {"error", "ignore"}, default "error"
        What to do with a cue that the weights do not have: raise KeyError, or leave it out.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    ndarray of float64, n_events
        From 0, all on one outcome, to log2 of their number. Where no outcome is active at all, that greatest
        number.

    Raises
    ------
    KeyError
        When a cue is not in the weights.

    References
    ----------
    Shannon, C. E. (1948). A mathematical theory of communication. Bell System Technical Journal 27, 379-423.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.5], [0.0, -0.5]], ["s", "h"], ["hand", "plural"]
    ... )
    >>> rw.measures.entropy(["s", "h", "s_h"], weights)
    array([1., 0., 0.])
    """
    one_of("method", method, ("absolute", "softmax"))
    source = _checked(events, weights, progress)
    result = np.zeros(len(source))
    for rows, values in _activated(source, weights, unknown, threads, progress):
        result[rows] = _entropies(values.astype(np.float64), method)
    return result


def rank(
    events: Source,
    weights: Weights,
    *,
    targets: Iterable[str] | None = None,
    unknown: Literal["error", "ignore"] = "error",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.int64]:
    """The place of each event's target among all outcomes, by activation: 1 is the most active.

        rank = 1 + number of outcomes j with a_j > a_t

    Parameters
    ----------
    events : Events, path or iterable of cue sets
        As `rescorla.activations` takes them.
    weights : Weights, n_cues x n_outcomes
    targets : iterable of str, optional
        One outcome t for each event; by default the one that the event has.
    unknown : {"error", "ignore"}, default "error"
        What to do with a cue that the weights do not have: raise KeyError, or leave it out.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    ndarray of int64, n_events
        1: no outcome is more active. Equal ones share the better place.

    Raises
    ------
    KeyError
        When a name is not in the weights.
    ValueError
        When there are no targets and an event has not exactly one outcome, or targets are too few or too
        many.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.25], [0.25, -0.5]], ["s", "h"], ["hand", "plural"]
    ... )
    >>> rw.measures.rank(
    ...     rw.read_events([("s_h", "hand"), ("s", "plural")]), weights
    ... )
    array([1, 2])
    """
    source = _checked(events, weights, progress)
    columns = _columns(source, weights, targets)
    result = np.zeros(len(source), dtype=np.int64)
    for rows, values in _activated(source, weights, unknown, threads, progress):
        result[rows] = 1 + (values > _own(values, columns[rows])[:, None]).sum(axis=1)
    return result


def margin(
    events: Source,
    weights: Weights,
    *,
    targets: Iterable[str] | None = None,
    unknown: Literal["error", "ignore"] = "error",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """By how much the activation of each event's target is above that of its strongest competitor.

        margin = a_t - max over j other than t of a_j

    Parameters
    ----------
    events : Events, path or iterable of cue sets
        As `rescorla.activations` takes them.
    weights : Weights, n_cues x n_outcomes
    targets : iterable of str, optional
        One outcome t for each event; by default the one that the event has.
    unknown : {"error", "ignore"}, default "error"
        What to do with a cue that the weights do not have: raise KeyError, or leave it out.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    ndarray of float64, n_events
        More than 0 where the target has the rank 1 alone. Infinite where there is no other outcome.

    Raises
    ------
    KeyError
        When a name is not in the weights.
    ValueError
        When there are no targets and an event has not exactly one outcome, or targets are too few or too
        many.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.25], [0.25, -0.5]], ["s", "h"], ["hand", "plural"]
    ... )
    >>> rw.measures.margin(["s", "s"], weights, targets=["hand", "plural"])
    array([ 0.25, -0.25])
    """
    source = _checked(events, weights, progress)
    columns = _columns(source, weights, targets)
    result = np.zeros(len(source))
    for rows, values in _activated(source, weights, unknown, threads, progress):
        own = _own(values, columns[rows])
        values[np.arange(len(values)), columns[rows]] = -np.inf
        result[rows] = own - values.max(axis=1)
    return result


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


def _checked(events: Source, weights: Weights, progress: Progress) -> Events:
    """The events, if these are events and weights, in this order."""
    if isinstance(events, Weights):
        swapped = isinstance(weights, Events | str | os.PathLike)
        raise TypeError(
            "events must be Events, a path or cue sets, not Weights; "
            + ("the two are swapped: events come first, weights second" if swapped else "events come first")
        )
    need_weights(weights)
    return cue_events(events, progress=progress, weights=weights)


def _activated(
    events: Events,
    weights: Weights,
    unknown: Literal["error", "ignore"],
    threads: int | None,
    progress: Progress,
    outcomes: list[str] | None = None,
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The activations of outcomes, so many events at a time as any memory bears."""
    n_threads, n_events = thread_count(threads), len(events)
    n_outcomes = len(weights.outcomes if outcomes is None else outcomes)
    with watching(progress, "measuring", "events") as watch:
        for rows in blocks(n_events, n_outcomes):
            values = activations(
                events[rows],
                weights,
                outcomes=outcomes,
                unknown=unknown,
                threads=n_threads,
                progress=part(watch, rows.start, n_events) or False,
            )
            yield rows, values
            if watch is not None:
                watch(rows.stop, n_events)


def _columns(events: Events, weights: Weights, targets: Iterable[str] | None) -> NDArray[np.int64]:
    """The column of the target of each event."""
    if targets is None:
        ends, of_events = events._file.csr("outcomes")
        others = np.flatnonzero(np.diff(ends) != 1)
        if len(others):
            number = int(others[0])
            raise ValueError(
                f"event {number}: expected one outcome, found {list(events[number].outcomes)}; targets= "
                "names one for each event"
            )
        known = events.outcomes
    elif isinstance(targets, str):
        raise TypeError(f"targets must be one outcome for each event, not the str {targets!r}")
    else:
        known = tuple(targets)
        of_events = np.arange(len(known), dtype=np.int32)
        if len(known) != len(events):
            raise ValueError(f"expected {len(events)} targets, one for each event, found {len(known)}")
    columns = places(known, weights.outcome_numbers)[of_events]
    if (columns < 0).any():
        name = known[int(of_events[columns.argmin()])]
        raise KeyError(
            f"unknown outcome {name!r}: the weights do not have it, so that it has no activation"
            f"{near(name, weights.outcome_numbers)}"
        )
    return columns


def _own(values: NDArray[Any], columns: NDArray[np.int64]) -> NDArray[Any]:
    """The entry of each row in its column."""
    own: NDArray[Any] = values[np.arange(len(values)), columns]
    return own


def _sizes(vectors: NDArray[Any], norm: Norm) -> NDArray[np.float64]:
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


def _entropies(values: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    if values.shape[1] == 0:
        return np.zeros(len(values))
    if method == "softmax":
        sizes = np.exp(values - values.max(axis=1, keepdims=True))
    else:
        sizes = np.abs(values)
        sizes[~sizes.any(axis=1)] = 1.0
    shares = sizes / sizes.sum(axis=1, keepdims=True)
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    # Not -sum, whose zero would be negative.
    bits: NDArray[np.float64] = np.abs((shares * logarithms).sum(axis=1))
    return bits


def _vectors(weights: Weights, names: Iterable[str] | None, side: Side) -> NDArray[np.float64]:
    """Rows of weights, or columns as rows."""
    need_weights(weights)
    one_of("side", side, ("cues", "outcomes"))
    values, numbers = (
        (np.asarray(weights), weights.cue_numbers)
        if side == "cues"
        else (np.asarray(weights).T, weights.outcome_numbers)
    )
    vectors = np.asarray(values, dtype=np.float64)
    return vectors if names is None else vectors[chosen("names", names, numbers)]
