"""What tests of stores share."""

from pathlib import Path
from typing import Any

import numpy as np
import rescorla as rw
import strategies
from rescorla._learn.request import request_of
from rescorla._learn.rule import Rule
from rescorla._learn.tiles import Tiles, opened_or_made, tiles_of

EVENTS = [(f"a{i % 7}_b{i % 11}", f"x{i % 13}_y{i % 5}") for i in range(300)]
METHODS = ("forward", "adjoint")
DTYPES = ("float64", "float32")


RULE: dict[str, Any] = {"alpha": 0.1, "beta": 0.1, "lambda_": 1.0, "dtype": "float64", "rule": Rule()}


def made(events: rw.Events, path: Path | str, method: str | None = None, **rule: Any) -> Tiles:
    """A store of which no tile is learned yet, ready to be learned."""
    request = request_of(events, **(RULE | rule))
    store, ready = opened_or_made(events, request, str(path), method=method, threads=1)
    return tiles_of(store, events, threads=1) if ready is None else ready


def bits(weights: Any) -> tuple[Any, ...]:
    """What all weights must share with others to be equal bit for bit."""
    return strategies.bits(np.asarray(weights))


def flip(file: str | Path) -> None:
    """Change one bit of a file."""
    content = bytearray(Path(file).read_bytes())
    content[9] ^= 1
    Path(file).write_bytes(content)
