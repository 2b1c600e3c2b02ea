"""Measures with one number for each event."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rescorla._events.cue_sets import cue_events
from rescorla._events.events import Events
from rescorla._learn.activations import activations
from rescorla._shared.checks import PathName, near, one_of, only_names, places, several, thread_count
from rescorla._shared.progress import Progress, part, watching
from rescorla._weights.directions import blocks
from rescorla._weights.weights import Weights, need_weights
from rescorla.measures._of_weights import Norm, sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

CueSource: TypeAlias = "Events | PathName | Iterable[str | Iterable[str]]"
"""What has cue sets: Events, a path, or bare cue sets."""


def activation(
    events: CueSource,
    weights: Weights,
    *,
    targets: Iterable[str] | None = None,
    unknown: Literal["error", "ignore"] = "error",
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """The activations of each event's outcomes, summed; or the activation of its target.

        a_t = sum over the outcomes t of the event, and over its cues i, of w_it

    An outcome that an event names twice is summed once.

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
        owners, _, first = _outcomes(source)
        return np.bincount(owners[first], present[first], len(source)).astype(np.float64)
    columns = _columns(source, weights, targets)
    result = np.zeros(len(source))
    asked, places_asked = np.unique(columns, return_inverse=True)
    names = [weights.outcomes[column] for column in asked]
    for rows, values in _activated(source, weights, unknown, threads, progress, names):
        result[rows] = _own(values, places_asked[rows])
    return result


def diversity(
    events: CueSource,
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
        result[rows] = sizes(values, norm)
    return result


def entropy(
    events: CueSource,
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
    events: CueSource,
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
    events: CueSource,
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


def _checked(events: CueSource, weights: Weights, progress: Progress) -> Events:
    """The events, if these are events and weights, in this order."""
    if isinstance(events, Weights):
        swapped = isinstance(weights, Events | str | os.PathLike)
        raise TypeError(
            "events must be Events, a path or cue sets, not Weights; "
            + ("the two are swapped: events come first, weights second" if swapped else "events come first")
        )
    need_weights(weights)
    return cue_events(events, weights._row_numbers, progress=progress)


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
        owners, of_events, first = _outcomes(events)
        of_events = of_events[first]
        others = np.flatnonzero(np.bincount(owners[first], minlength=len(events)) != 1)
        if len(others):
            number = int(others[0])
            raise ValueError(
                f"event {number}: expected one outcome, found {list(events[number].outcomes)}; let targets "
                "name one for each event"
            )
        known = events.outcomes
    else:
        listed = several("targets", targets, "outcomes, one for each event")
        known = tuple(only_names("targets must be names", listed))
        of_events = np.arange(len(known), dtype=np.int32)
        if len(known) != len(events):
            raise ValueError(f"targets must be {len(events)}, one for each event, not {len(known)}")
    columns: NDArray[np.int64] = places(known, weights._column_numbers)[of_events]
    if (columns < 0).any():
        name = known[int(of_events[columns.argmin()])]
        raise KeyError(
            f"the weights do not have the outcome {name!r}, so that it has no activation"
            f"{near(name, weights._column_numbers)}"
        )
    return columns


def _outcomes(events: Events) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.bool_]]:
    """Of each outcome that events list its event, its number, and whether the event names it here first."""
    ends, outcomes = events._file.csr("outcomes")
    owners = np.repeat(np.arange(len(events)), np.diff(ends))
    first = np.zeros(len(outcomes), dtype=np.bool_)
    # A pair is one number.
    first[np.unique(owners * max(1, events.n_outcomes) + outcomes, return_index=True)[1]] = True
    return owners, outcomes, first


def _own(values: NDArray[Any], columns: NDArray[np.int64]) -> NDArray[Any]:
    """The entry of each row in its column."""
    own: NDArray[Any] = values[np.arange(len(values)), columns]
    return own


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
