"""What tests of stores share."""

from pathlib import Path
from typing import Any

import numpy as np
import strategies

EVENTS = [(f"a{i % 7}_b{i % 11}", f"x{i % 13}_y{i % 5}") for i in range(300)]
METHODS = ("forward", "adjoint")
DTYPES = ("float64", "float32")


def bits(weights: Any) -> tuple[Any, ...]:
    """What all weights must share with others to be equal bit for bit."""
    return strategies.bits(np.asarray(weights))


def flip(file: str | Path) -> None:
    """Change one bit of a file."""
    content = bytearray(Path(file).read_bytes())
    content[9] ^= 1
    Path(file).write_bytes(content)
