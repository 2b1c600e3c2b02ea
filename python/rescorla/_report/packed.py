"""Arrays in a page: compressed, in letters, as the page's `unpacked` reads them."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TYPES = {"f8": "<f8", "f4": "<f4", "u4": "<u4", "u2": "<u2"}


def packed(values: NDArray[Any] | Sequence[int] | Sequence[float], kind: str) -> dict[str, str]:
    """An array of this kind: f8, f4, u4 or u2. Little-endian, as every machine with a browser is."""
    content = np.ascontiguousarray(values, dtype=_TYPES[kind]).tobytes()
    return {"type": kind, "packed": base64.b64encode(zlib.compress(content)).decode("ascii")}


def numbers(values: NDArray[Any] | Sequence[int], below: int) -> dict[str, str]:
    """Whole numbers that are less than `below`, as small as they can be."""
    return packed(values, "u2" if below <= 1 << 16 else "u4")
