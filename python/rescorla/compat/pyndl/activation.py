"""What weights predict: pyndl's ``activation``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.activations import activations
from rescorla._shared.checks import whole
from rescorla._weights.weights import Weights
from rescorla.compat.pyndl._arguments import (
    Path,
    Rows,
    duplicates_of,
    event_path,
    renamed,
    threads_of,
    unique,
)
from rescorla.compat.pyndl._by_position import read_by_position
from rescorla.compat.pyndl._labelled import is_labelled, weights_of

__all__ = ["activation"]


def activation(
    events: Path | Rows,
    weights: Any,
    *,
    n_jobs: int = 1,
    number_of_threads: int | None = None,
    remove_duplicates: bool | None = None,
    ignore_missing_cues: bool = False,
) -> Any:
    """The activations of all outcomes by the cues of each token, by `rescorla.activations`.

    Parameters
    ----------
    events : path or iterable
        A table compressed by gzip (see `io.events_from_file`), or pairs of cues and outcomes; outcomes are
        not looked at.
    weights : xarray.DataArray or dict of dicts
        Of the dimensions ``outcomes`` and ``cues``, or ``weights[outcome][cue]``.
    n_jobs : int, default 1
        The most threads to use; with nested weights 1.
    number_of_threads : int, optional
        The old name of `n_jobs`.
    remove_duplicates : {None, True, False}, default None
        What to do when an event lists a cue twice: raise ValueError, count it once, or twice.
    ignore_missing_cues : bool, default False
        Whether to leave out cues that the weights do not have, rather than to raise KeyError.

    Returns
    -------
    xarray.DataArray, n_outcomes x n_tokens
        Of the dimensions ``outcomes`` and ``events``: an event of frequency f has f columns.

        Or, of nested weights, a defaultdict: an array of n_tokens for each outcome.

    Raises
    ------
    KeyError
        When the weights do not have a cue.
    ValueError
        When an event lists a cue twice, or the weights have other dimensions.

    Examples
    --------
    >>> from rescorla.compat.pyndl import activation, ndl
    >>> weights = ndl.data_array({"hand": {"#ha": 0.5, "and": 0.25}}, attrs={})
    >>> activation.activation([(["#ha", "and"], []), (["and"], [])], weights).values
    array([[0.75, 0.25]])
    """
    n_jobs = whole("n_jobs", renamed("number_of_threads", "n_jobs", number_of_threads, n_jobs), 1)
    unknown = "ignore" if ignore_missing_cues else "error"
    if is_labelled(weights):
        matrix = weights_of(weights)
        found = _activations(_events(events, remove_duplicates), matrix, unknown, threads_of(n_jobs))
        return type(weights)(found, coords={"outcomes": list(matrix.outcomes)}, dims=("outcomes", "events"))
    if not isinstance(weights, Mapping):
        raise ValueError(
            f"Weights other than xarray.DataArray or dicts are not supported, found {type(weights).__name__}"
        )
    if n_jobs != 1:
        raise AssertionError("n_jobs must be 1 where weights are dicts")
    return _of_nested(_events(events, remove_duplicates), weights, ignore_missing_cues)


def _events(events: Path | Rows, remove_duplicates: bool | None) -> Events:
    """The cues of events, without outcomes."""
    duplicates = duplicates_of(remove_duplicates)
    if event_path(events):
        try:
            return read_by_position(events, duplicates=duplicates)  # type: ignore[arg-type]
        except ValueError:
            # Perhaps an outcome is named twice, of which nothing is asked.
            source = read_by_position(events)  # type: ignore[arg-type]
        rows = ((event.cues, (), event.frequency) for event in source)
        return Events(_core.compile_events(rows, None, duplicates, None, None))
    given: Any = events
    cues_alone = unique(((cues, ()) for cues, _ in given), remove_duplicates)
    return Events(_core.compile_events(cues_alone, None, "keep", None, None))


def _activations(events: Events, weights: Weights, unknown: Any, threads: int) -> Any:
    """A row for each outcome, a column for each token."""
    found = activations(events, weights, unknown=unknown, threads=threads, progress=False)
    frequencies = events.frequencies
    # Transposed without a copy, which would take as long as all the rest.
    return (found if (frequencies == 1).all() else np.repeat(found, frequencies, axis=0)).T


def _of_nested(
    events: Events, weights: Mapping[Any, Mapping[Any, float]], ignore_missing_cues: bool
) -> defaultdict[Any, Any]:
    """An array for each outcome."""
    cues = list(events.cues)
    outcomes = list(weights)
    # A defaultdict says itself what it has for a cue that is missing.
    values = np.array([[_weight(weights[o], cue, ignore_missing_cues) for o in outcomes] for cue in cues])
    values = values.reshape(len(cues), len(outcomes)).astype(float)
    labels = [f"{i}" for i in range(len(outcomes))]
    found = _activations(events, Weights(values, cues, labels), "error", 1)
    n_tokens = events.n_tokens
    result: defaultdict[Any, Any] = defaultdict(lambda: np.zeros(n_tokens))
    result.update(zip(outcomes, found, strict=True))
    return result


def _weight(weights: Mapping[Any, float], cue: str, ignore: bool) -> float:
    if cue in weights:
        return weights[cue]
    if isinstance(weights, defaultdict) and weights.default_factory is not None:
        return float(weights.default_factory())
    if ignore:
        return 0.0
    raise KeyError(f"the weights do not have the cue {cue!r}; ignore_missing_cues=True leaves it out")
