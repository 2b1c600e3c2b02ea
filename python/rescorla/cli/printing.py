"""What commands print: a report on standard error, and with --json an object on standard output."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rescorla._events.events import Events
from rescorla._weights.disk import plain

COUNTED = {
    "read_as": "the format that the files were read as",
    "events": "how many events there are",
    "tokens": "how many tokens: events, each as often as its frequency says",
    "cues": "how many cues the events have",
    "outcomes": "how many outcomes the events have",
}
"""What --json prints of events: of `read_as` and `counts`."""


def show(lines: Mapping[str, object], *, file: Any = None) -> None:
    """Print names and values in two columns, on standard error unless they are what was asked for."""
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name:<{width}}  {_shown(value)}", file=file or sys.stderr)


def data(options: argparse.Namespace, values: Mapping[str, object]) -> None:
    """Print an object of these keys, if --json asks for it."""
    if options.json:
        print(_json(values))


def listing(values: Mapping[str, object], key: str, items: Iterable[object]) -> None:
    """Print an object whose last key has a list, of which one item is held at a time."""
    head = _json(values)[1:-1]
    sys.stdout.write(f"{{{head}{', ' if head else ''}{_json(key)}: [")
    for number, item in enumerate(items):
        sys.stdout.write(("\n" if number == 0 else ",\n") + _json(item))
    sys.stdout.write("]}\n")


def read_as(options: argparse.Namespace) -> dict[str, object]:
    """The format that the files were read as."""
    return line("read as", getattr(options, "read_as", None))


def counts(events: Events) -> dict[str, object]:
    """How many there are of what."""
    return {
        "events": len(events),
        "tokens": events.n_tokens,
        "cues": events.n_cues,
        "outcomes": events.n_outcomes,
    }


def line(name: str, value: str | None) -> dict[str, object]:
    """A line, if there is something to say."""
    return {} if value is None else {name: value}


def _json(value: object) -> str:
    return json.dumps(_plain(value), allow_nan=False)


def _plain(value: Any) -> Any:
    """A value as JSON has it: null for a number that is not finite."""
    value = plain(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return f"{len(value):,} numbers"
    if isinstance(value, Mapping):
        return f"{len(value):,} values"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
