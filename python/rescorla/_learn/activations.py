"""What weights predict."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AnySet
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla import _core
from rescorla._events.events import Events
from rescorla._events.frames import is_table, streams
from rescorla._events.read import events_of, files_of_events, read_events
from rescorla._learn.plan import result_array
from rescorla._shared.checks import (
    PathName,
    chosen,
    element_type,
    near,
    one_of,
    places,
    shown,
    thread_count,
)
from rescorla._shared.hints import hinting
from rescorla._shared.progress import Progress, watching
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights import files, npy
from rescorla._weights.disk import mapped_files, replacing
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


# Weights of a store that are read at a time.
_BLOCK = 1 << 25


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
        each outcome of each event, event after event, in the order in which events list them.

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
    _check_places(events, weights)
    if present_only and outcomes is not None:
        raise ValueError("outcomes= and present_only=True ask for different things; give one of them")
    element = weights.values.dtype if dtype is None else element_type(dtype)
    path = files.npy_path(out)
    if path is not None:
        _core.check_apart(path, [*files_of_events(events), *mapped_files(weights.values)])
    n_threads = thread_count(threads)
    source = cue_events(events, present_only, progress, weights)
    cue_rows = known_places("cue", source.cues, weights.cue_numbers, unknown)
    shape: tuple[int, ...]
    if present_only:
        columns = known_places("outcome", source.outcomes, weights.outcome_numbers, unknown)
        shape = (int(source._file.csr("outcomes")[0][-1]),)
    elif outcomes is None:
        columns = np.arange(len(weights.outcomes), dtype=np.int64)
        shape = len(source), len(columns)
    else:
        columns = chosen("outcomes", outcomes, weights.outcome_numbers)
        shape = len(source), len(columns)
    stored = getattr(weights, "part", None)

    def activate(
        values: NDArray[Any],
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        result: NDArray[Any],
        watch: Any,
    ) -> bool:
        return _core.activations(
            source._file,
            values,
            cue_rows=rows,
            columns=columns,
            present_only=present_only,
            out=result,
            threads=n_threads,
            progress=watch,
        )

    def run(result: NDArray[Any]) -> None:
        with watching(progress, "activating", "events") as watch:
            if stored is None:
                overflow = activate(_as_it_lies(weights.values), cue_rows, columns, result, watch)
            else:
                overflow = _in_blocks(stored, activate, source, cue_rows, columns, present_only, result)
        if overflow:
            warn(
                f"a weight is too large for {element} and counts as infinite; "
                f"leave dtype= away, so that sums are of {weights.values.dtype}",
                NumericalWarning,
            )

    if path is None:
        if isinstance(out, np.ndarray) and out.flags.fnc:
            raise ValueError(
                "out must lie row after row in memory, as numpy.zeros makes it; this array has its columns "
                "one after another"
            )
        result = result_array(out, shape, element)
        run(result)
        return result
    with replacing(path) as file:
        run(npy.create(file, path, shape, element))
        # As soon as it has its name another may take its place.
        result, _ = npy.mapped(file, path)
    return result


def _in_blocks(
    part: Callable[..., NDArray[Any]],
    activate: Callable[..., bool],
    source: Events,
    cue_rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    present_only: bool,
    result: NDArray[Any],
) -> bool:
    """Activations by weights in a store: some columns at a time of the rows that the events have."""
    rows, places_in_block = np.unique(cue_rows[cue_rows >= 0], return_inverse=True)
    block_rows = np.full(len(cue_rows), -1, dtype=np.int64)
    block_rows[cue_rows >= 0] = places_in_block
    known = np.unique(columns[columns >= 0])
    n = max(1, _BLOCK // max(1, len(rows)))
    overflow = False
    present = source._file.csr("outcomes")[1] if present_only else None
    if present is not None:
        result[...] = np.nan
    # What no weight is needed for is computed as well: events without known cues activate by 0.
    for start in range(0, max(1, len(known)), n):
        taken = known[start : start + n]
        values = np.ascontiguousarray(part(rows, taken))
        here = np.searchsorted(taken, columns)
        inside = np.isin(columns, taken)
        if present is None:
            found = np.zeros((len(result), int(inside.sum())), dtype=result.dtype)
            overflow |= activate(values, block_rows, here[inside], found, None)
            result[:, inside] = found
        else:
            found = np.zeros_like(result)
            overflow |= activate(values, block_rows, np.where(inside, here, -1), found, None)
            mine = inside[present]
            result[mine] = found[mine]
    return overflow


def cue_events(
    events: object, present_only: bool = False, progress: Progress = None, weights: Weights | None = None
) -> Events:
    """Events as they are, of a path or data frame, or made of bare cue sets, which have no outcomes.

    Where there are weights, their cues say that a pair is one of cues.
    """
    if isinstance(events, str) and not os.path.lexists(events):
        raise FileNotFoundError(
            errno.ENOENT, f"no such file: a str is a path; write [{events!r}] for one set of cues", events
        )
    if isinstance(events, Events | str | os.PathLike):
        return events_of(events, progress=progress)
    if is_table(events) or streams(events):
        return read_events(events, progress=progress)
    if not isinstance(events, Iterable) or isinstance(events, bytes | bytearray | Mapping):
        raise TypeError(
            f"events must be Events, a path or an iterable of cue sets, not {type(events).__name__}"
        )
    if present_only:
        raise ValueError("present_only=True needs Events, which say what is present; these are bare cue sets")
    with watching(progress, "reading", "events") as watch:
        return Events(_core.compile_events(_bare(events, weights), None, "drop", None, watch))


def _bare(sets: Iterable[Any], weights: Weights | None) -> Iterator[tuple[Any, tuple[()]]]:
    """Cue sets as events without outcomes, and none that are whole events."""
    for number, cues in enumerate(sets, 1):
        if _is_event(cues, weights):
            raise ValueError(
                f"event {number} must be a set of cues, found {_told(cues)}, which looks like cues and "
                "outcomes: give the cues alone, or make events of the pairs with rescorla.read_events; "
                "two cues with such names are a list of them"
            )
        yield cues, ()


def _is_event(item: object, weights: Weights | None) -> bool:
    """Whether an item says cues and outcomes."""
    if isinstance(item, Mapping):
        return "cues" in item
    if not isinstance(item, tuple | list) or len(item) not in (2, 3):
        return False
    first = item[0]
    if isinstance(first, list | tuple | AnySet):
        return True
    if not isinstance(first, str) or "_" not in first or (len(item) == 3 and isinstance(item[2], str)):
        return False
    known: Mapping[str, int] = {} if weights is None else weights.cue_numbers
    if isinstance(item, tuple):
        return any(name not in known for name in item)
    # Names in a list are mostly meant as they are: unless only what they are made of is known.
    return first not in known and any(name in known for name in first.split("_"))


def _told(item: object) -> str:
    """An event that is none, for a message."""
    text = repr(item)
    return text if len(text) <= 60 else shown(item)


def _check_places(events: object, weights: object) -> None:
    """TypeError that says what to do where weights are none, or are in the place of the events."""
    if isinstance(events, Weights):
        raise TypeError(
            "events must be Events, a path or cue sets, found weights: the events come first, "
            "activations(events, weights)"
        )
    if isinstance(weights, Weights):
        return
    if isinstance(weights, str | os.PathLike):
        name = os.fsdecode(weights)
        raise TypeError(
            f"weights must be Weights, found a path: load_weights({name!r}) reads them"
            if files.is_weights_name(name)
            else f"weights must be Weights, not {shown(name)}: load_weights reads them from a file"
        )
    raise TypeError(
        f"weights must be Weights, not {shown(weights)}: "
        "rescorla.Weights(values, cues, outcomes) makes them of a matrix and its names"
    )


def _as_it_lies(values: NDArray[Any]) -> NDArray[Any]:
    """The array itself, or a copy where elements lie askew, as in a field of records."""
    steps = zip(values.shape, values.strides, strict=True)
    if values.flags.aligned and all(n <= 1 or step % values.itemsize == 0 for n, step in steps):
        return values
    return np.require(values, None, ["C_CONTIGUOUS", "ALIGNED"])


def known_places(
    kind: str, names: tuple[str, ...], numbers: Mapping[str, int], unknown: str
) -> NDArray[np.int64]:
    """The place of each name in the weights, -1 for an unknown one that is to be ignored."""
    found = places(names, numbers)
    if unknown == "error" and (found < 0).any():
        name = names[int(found.argmin())]
        raise KeyError(
            f"unknown {kind} {name!r}: the weights do not have it{near(name, numbers)}; "
            f"unknown='ignore' leaves such {kind}s out"
        )
    return found
