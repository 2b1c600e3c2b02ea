"""What weights predict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import rescorla._core as _core
from rescorla._events.cue_sets import cue_events
from rescorla._events.events import Events
from rescorla._events.read import files_of_events
from rescorla._learn.plan import result_array
from rescorla._shared.checks import PathName, chosen, element_type, flag, one_of, thread_count
from rescorla._shared.progress import Progress, watching
from rescorla._weights import files, npy
from rescorla._weights.disk import mapped_files, replacing
from rescorla._weights.product import known_places, multiply
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_NO_MEMORY = (
    "take fewer events or outcomes at a time, or in float32, or only the outcomes that are present in each "
    "event, or write them to a .npy file"
)


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
        another iterable gives names verbatim, and a cue that comes twice in a bare cue set counts once. A str
        by itself is a path; one cue set is ``["a_b"]``. Pairs ``("a_b", "x")`` of cues and outcomes are
        refused, unless both are cues of the weights; `read_events` takes those.
    weights : Weights, n_cues x n_outcomes
        The weights that predict. Only those that are needed are read, some columns at a time: they may be
        mapped from a file that is larger than the memory.
    outcomes : iterable of str, optional
        The outcomes whose activations are wanted, in this order; by default those of the weights.
    present_only : bool, default False
        Return only the activations of the outcomes that are present in each event. Needs Events or a path.
    unknown : {"error", "ignore"}, default "error"
        What to do with a cue that the weights do not have: raise KeyError, or leave it out of the sum. With
        `present_only`, it also says what to do with a present outcome that the weights do not have: raise
        KeyError, or return NaN.
    dtype : {"float64", "float32"}, optional
        The type to compute in; by default that of the weights.
    out : ndarray or path, optional
        Where to put the result: an array of its shape and dtype, or a path that ends in ``.npy``, which is
        mapped, so that the result may exceed the memory, and appears whole or not at all.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    ndarray, n_events x n_outcomes
        One row for each event (not: token). With ``present_only``, an array of one dimension: one value for
        each outcome of each event, event after event, in the order in which events list them; an outcome that
        an event lists twice has two.

    Raises
    ------
    KeyError
        When a cue or outcome is not in the weights.
    ValueError
        When an argument is not one of those listed, or `out` does not fit.
    TypeError
        When an argument is of a wrong type, or events and weights are swapped.
    FormatError, OSError
        When the events cannot be read, or the result not be written.
    MemoryError
        When there is no memory for the result.

    Warns
    -----
    RescorlaWarning
        When a weight is too large for `dtype`, so that it counts as infinite.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"]
    ... )
    >>> rw.activations(["red", "red_blue", {"blue"}], weights)
    array([[ 0.5 ,  0.  ],
           [ 0.75, -0.5 ],
           [ 0.25, -0.5 ]])
    >>> events = rw.read_events([("red_blue", "n"), ("red", "n_y")])
    >>> rw.activations(events, weights, present_only=True)
    array([-0.5,  0. ,  0.5])
    """
    one_of("unknown", unknown, ("error", "ignore"))
    if isinstance(events, Weights):
        raise TypeError(
            "events must be Events, a path or cue sets, found weights: the events come first, "
            "activations(events, weights)"
        )
    need_weights(weights)
    present_only = flag("present_only", present_only)
    if present_only and outcomes is not None:
        raise ValueError("outcomes and present_only ask for different things; give one of them")
    element = weights.data.dtype if dtype is None else element_type(dtype)
    path = files.npy_path(out)
    if path is not None:
        _core.check_apart(path, [*files_of_events(events), *mapped_files(weights.data)])
    n_threads = thread_count(threads)
    source = cue_events(events, weights._row_numbers, present_only=present_only, progress=progress)
    cue_rows = known_places("cue", source.cues, weights._row_numbers, unknown)
    shape: tuple[int, ...]
    if present_only:
        columns = known_places("outcome", source.outcomes, weights._column_numbers, unknown)
        shape = (int(source._file.csr("outcomes")[0][-1]),)
    else:
        columns = (
            np.arange(len(weights.outcomes))
            if outcomes is None
            else chosen("outcomes", outcomes, weights._column_numbers)
        )
        shape = len(source), len(columns)

    def run(result: NDArray[Any]) -> None:
        with watching(progress, "activating", "events") as watch:
            multiply(
                source,
                weights.data,
                cue_rows,
                columns,
                result,
                present_only=present_only,
                threads=n_threads,
                watch=watch,
            )

    if path is None:
        if isinstance(out, np.ndarray) and out.flags.fnc:
            raise ValueError(
                "out must lie row after row in memory, as numpy.zeros makes it; this array has its columns "
                "one after another"
            )
        what = f"{' x '.join(f'{n:,}' for n in shape)} activations of {element}"
        result = result_array(out, shape, element, what, _NO_MEMORY)
        run(result)
        return result
    with replacing(path) as file:
        run(npy.create(file, path, shape, element))
        # As soon as it has its name another may take its place.
        return npy.mapped(file, path)
