"""What weights predict."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla import _core, npy, storage
from rescorla.arguments import (
    PathName,
    chosen,
    element_type,
    in_rows,
    one_of,
    places,
    result_array,
    thread_count,
)
from rescorla.events import Events
from rescorla.files import mapped_files, replacing
from rescorla.hints import hinting
from rescorla.progress import Progress, watching
from rescorla.sources import as_events, files_of_events, is_table, read_events, streams
from rescorla.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


@hinting
def activations(
    events: Events | PathName | Iterable[str | Iterable[str]],
    weights: Weights,
    *,
    outcomes: Iterable[str] | None = None,
    present_only: bool = False,
    unknown: Literal["error", "ignore"] = "error",
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | PathName | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[Any]:
    """The activations of outcomes by the cues of each event: a = W'c.

    a_j = sum of w_ij over the cues i of the event, starting at +0.0 and in the order in which the event lists
    them: the same bits as in learning, for any number of threads. A cue that an event keeps twice counts
    twice.

    Parameters
    ----------
    events : Events, path or iterable of cue sets
        Events, the path of a binary event file or event table, or bare cue sets: a str is split at ``"_"``,
        another iterable gives names verbatim, and a cue that comes twice in a bare cue set counts once.
    weights : Weights, n_cues x n_outcomes
        What predicts.
    outcomes : iterable of str, optional
        The outcomes whose activations are wanted, in this order; by default those of the weights.
    present_only : bool, default False
        Give the activations of the outcomes that are present in each event only. Needs Events or a path.
    unknown : {"error", "ignore"}, default "error"
        What to do with a cue that the weights do not have: raise KeyError, or leave it out of the sum; and,
        where only present outcomes are wanted, with an outcome that they do not have: raise KeyError, or give
        NaN.
    dtype : {"float64", "float32"}, optional
        The type to compute in; by default that of the weights.
    out : ndarray or path, optional
        Where to put the result: an array of its shape and dtype, or a path that ends in ``.npy``, which is
        mapped, so that the result may exceed the memory, and appears whole or not at all.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar if standard error is a terminal.

    Returns
    -------
    ndarray, n_events x n_outcomes
        One row for each event (not: token). With ``present_only``, an array of one dimension: one value for
        each outcome of each event, event after event, in the order in which events list them.

    Raises
    ------
    KeyError
        When a cue or outcome is not in the weights.
    ValueError
        When an argument is not one of those listed, or `out` does not fit.
    TypeError
        When an argument is of a wrong type.
    FormatError, OSError
        When the events cannot be read, or the result not be written.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights([[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"])
    >>> rw.activations(["red", "red_blue", {"blue"}], weights)
    array([[ 0.5 ,  0.  ],
           [ 0.75, -0.5 ],
           [ 0.25, -0.5 ]])
    >>> events = rw.read_events([("red_blue", "n"), ("red", "n_y")])
    >>> rw.activations(events, weights, present_only=True)
    array([-0.5,  0. ,  0.5])
    """
    one_of("unknown", unknown, ("error", "ignore"))
    if not isinstance(weights, Weights):
        raise TypeError(f"weights must be Weights, not {type(weights).__name__}")
    if present_only and outcomes is not None:
        raise ValueError("outcomes= and present_only=True ask for different things; give one of them")
    element = weights.values.dtype if dtype is None else element_type(dtype)
    path = storage.npy_path(out)
    if path is not None:
        _core.check_apart(path, [*files_of_events(events), *mapped_files(weights.values)])
    n_threads = thread_count(threads)
    source = cue_events(events, present_only, progress)
    cue_rows = _known("cue", source.cues, weights.cue_numbers, unknown)
    shape: tuple[int, ...]
    if present_only:
        columns = _known("outcome", source.outcomes, weights.outcome_numbers, unknown)
        shape = (int(source._file.csr("outcomes")[0][-1]),)
    elif outcomes is None:
        columns = np.arange(len(weights.outcomes), dtype=np.int64)
        shape = len(source), len(columns)
    else:
        columns = chosen("outcomes", outcomes, weights.outcome_numbers)
        shape = len(source), len(columns)
    values = in_rows(weights.values, element)

    def run(result: NDArray[Any]) -> None:
        with watching(progress, "activating") as watch:
            _core.activations(
                source._file,
                values,
                cue_rows=cue_rows,
                columns=columns,
                present_only=present_only,
                out=result,
                threads=n_threads,
                progress=watch,
            )

    if path is None:
        result = result_array(out, shape, element)
        run(result)
        return result
    with replacing(path) as file:
        run(npy.create(file, path, shape, element))
        # As soon as it has its name another may take its place.
        result, _ = npy.mapped(file, path)
    return result


def cue_events(events: object, present_only: bool = False, progress: Progress = None) -> Events:
    """Events as they are, of a path or data frame, or made of bare cue sets, which have no outcomes."""
    if isinstance(events, Events | str | os.PathLike):
        return as_events(events, progress=progress)
    if is_table(events) or streams(events):
        return read_events(events, progress=progress)
    if not isinstance(events, Iterable) or isinstance(events, bytes | bytearray | Mapping):
        raise TypeError(
            f"events must be Events, a path or an iterable of cue sets, not {type(events).__name__}"
        )
    if present_only:
        raise ValueError("present_only=True needs Events, which say what is present; these are bare cue sets")
    with watching(progress, "reading") as watch:
        return Events(_core.compile_events(((cues, ()) for cues in events), None, "drop", None, watch))


def _known(kind: str, names: tuple[str, ...], numbers: Mapping[str, int], unknown: str) -> NDArray[np.int64]:
    """The place of each name in the weights, -1 for an unknown one that is to be ignored."""
    found = places(names, numbers)
    if unknown == "error" and (found < 0).any():
        name = names[int(found.argmin())]
        raise KeyError(
            f"unknown {kind} {name!r}: the weights do not have it; unknown='ignore' leaves such {kind}s out"
        )
    return found
