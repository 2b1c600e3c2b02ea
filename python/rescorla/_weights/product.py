"""Activations: the product of cue sets and weights, which lie in an array or in a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._shared.checks import near, places
from rescorla._shared.warn import NumericalWarning, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rescorla._weights.zarr.lazy import StoredArray

# Weights of a store that are read at a time.
_BLOCK = 1 << 25


def multiply(
    source: Events,
    values: NDArray[Any] | StoredArray,
    cue_rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    result: NDArray[Any],
    *,
    present_only: bool = False,
    threads: int,
    watch: Any = None,
) -> None:
    """The activations of columns by the cues of events, whose rows in the weights are given.

    With `present_only`, `columns` are those of the events' outcomes, and there is one number for each outcome
    of each event. Numbers are of the type of `result`.
    """

    activate = partial(_core.activations, source._file, present_only=present_only, threads=threads)
    if isinstance(values, np.ndarray):
        overflow = activate(
            _as_it_lies(values), cue_rows=cue_rows, columns=columns, out=result, progress=watch
        )
    else:
        overflow = _in_blocks(values.part, activate, source, cue_rows, columns, present_only, result)
    if overflow:
        warn(
            f"a weight is too large for {result.dtype} and counts as infinite; "
            f"leave dtype away, so that sums are of {values.dtype}",
            NumericalWarning,
        )


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
            overflow |= activate(values, cue_rows=block_rows, columns=here[inside], out=found, progress=None)
            result[:, inside] = found
        else:
            found = np.zeros_like(result)
            known_here = np.where(inside, here, -1)
            overflow |= activate(values, cue_rows=block_rows, columns=known_here, out=found, progress=None)
            mine = inside[present]
            result[mine] = found[mine]
    return overflow


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
            f"the weights do not have the {kind} {name!r}{near(name, numbers)}; let unknown be 'ignore' to "
            f"leave such {kind}s out"
        )
    return found
