"""How the weights of a store are cut into chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rescorla._shared.testing import asked

if TYPE_CHECKING:
    import numpy as np

Lanes = Literal["columns", "rows"]

_LEAST, _AIM, _MOST = 1 << 20, 64 << 20, 128 << 20
# Chunks for each thread where the result is small, so that no thread waits long for the last.
_PER_THREAD = 4
# Lanes of a chunk where one tile of the engine is larger than a chunk may be.
_FEWEST = 8


def lanes_of_chunk(n_lanes: int, length: int, width: int, element: np.dtype[Any], threads: int) -> int:
    """How many lanes of so many elements a chunk has: whole tiles of the engine, where they fit."""
    wished = asked("chunk")["chunk"]
    if wished is not None:
        return int(wished)
    lane = max(1, length) * element.itemsize
    if width * lane > _MOST:
        return max(_FEWEST, _MOST // lane)
    size = min(_AIM, max(_LEAST, n_lanes * lane // max(1, _PER_THREAD * threads)))
    return max(1, size // (width * lane)) * width
