"""Where weights come from: the attributes that pyndl writes on them."""

from __future__ import annotations

import getpass
import socket
import time
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import rescorla.compat.pyndl as package

# Values are padded to one width, this at least, so that histories stand in columns.
_WIDTH = 19


def clock() -> tuple[float, float]:
    """The time of the world and that of the processor."""
    return time.perf_counter(), time.process_time()


def attributes(
    began: tuple[float, float],
    *,
    event_path: str,
    number_events: int,
    function: str,
    method: str | None,
    before: Mapping[str, Any] | None,
    **parameters: object,
) -> dict[str, str]:
    """What made weights, as pyndl says it; where learning went on, behind what made those `before`."""
    wall, cpu = (now - then for now, then in zip(clock(), began, strict=True))
    values = {
        "date": time.strftime("%Y-%m-%d %H:%M:%S"),
        "event_path": event_path,
        "number_events": number_events,
        **parameters,
        "function": function,
        "method": method,
        "cpu_time": cpu,
        "wall_time": wall,
        "hostname": socket.gethostname(),
        "username": _user(),
        "pyndl": package.__version__,
        "numpy": _installed("numpy"),
        "pandas": _installed("pandas"),
        "xarray": _installed("xarray"),
        "cython": _installed("cython"),
    }
    texts = {name: str(value) for name, value in values.items()}
    width = max(_WIDTH, *map(len, texts.values()))
    now = {name: text.ljust(width) for name, text in texts.items()}
    if before is None:
        return now
    names = dict.fromkeys([*now, *before])
    return {name: f"{before.get(name, '')} | {now.get(name, '')}" for name in names}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # In a container nobody may have that number.
        return ""


@cache
def _installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
