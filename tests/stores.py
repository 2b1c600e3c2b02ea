"""What tests of stores share."""

from pathlib import Path
from typing import Any

import numpy as np

EVENTS = [(f"a{i % 7}_b{i % 11}", f"x{i % 13}_y{i % 5}") for i in range(300)]
METHODS = ("forward", "adjoint")
DTYPES = ("float64", "float32")


def bits(weights: Any) -> bytes:
    """All weights, as bytes."""
    return np.ascontiguousarray(np.asarray(weights)).tobytes()


def flip(file: str | Path) -> None:
    """Change one bit of a file."""
    content = bytearray(Path(file).read_bytes())
    content[9] ^= 1
    Path(file).write_bytes(content)
