"""What commands print, and where: a report on standard error, with --json an object on standard output."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, cast

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


# What makes a terminal do something else than show it: control characters, those that turn the direction of
# writing, line breaks of Unicode, and bytes of names that are no text.
_COMMANDS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_TEXT = re.compile(f"[{_COMMANDS}]")
_IN_LINE = re.compile(f"[{_COMMANDS}\t\n]")


class ClosedError(Exception):
    """A stream of the process is closed."""


@contextmanager
def streams() -> Iterator[None]:
    """Standard output and standard error as commands use them.

    A terminal gets no character that makes it do something else than show it: names come from files that
    others wrote. Printing to a closed standard output raises `ClosedError`, to a closed standard error it
    does nothing.
    """
    given = sys.stdout, sys.stderr
    _hold_closed()
    with open(os.devnull, "w", encoding="utf-8", errors="backslashreplace") as nowhere:
        sys.stdout = cast("TextIO", _ClosedStream()) if sys.stdout is None else shielded(sys.stdout)
        sys.stderr = nowhere if sys.stderr is None else shielded(sys.stderr)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = given


def standard_input() -> TextIO:
    """Standard input, if it is open."""
    if sys.stdin is None:
        raise ClosedError("standard input is closed, and - reads it; give the name of a file")
    return sys.stdin


def shielded(stream: TextIO) -> TextIO:
    """A stream that, if it is a terminal, is shown escapes in place of what it would take for commands."""
    return cast("TextIO", _Terminal(stream)) if stream.isatty() else stream


def escaped(text: str, stream: TextIO) -> str:
    """A text as this stream is to have it, within a line."""
    return _IN_LINE.sub(_escape, text) if stream.isatty() else text


def row(*cells: str) -> None:
    """Print cells with tabs between."""
    print(*(escaped(cell, sys.stdout) for cell in cells), sep="\t")


def show(lines: Mapping[str, object], *, file: TextIO | None = None) -> None:
    """Print names and values in two columns, on standard error unless they are what was asked for."""
    stream = file or sys.stderr
    names = [escaped(name, stream) for name in lines]
    width = max(map(len, names))
    for name, value in zip(names, lines.values(), strict=True):
        print(f"{name:<{width}}  {escaped(_shown(value), stream)}", file=stream)


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
    return line("read as", getattr(options, "read_as", None)) | line(
        "left out", getattr(options, "left_out", None)
    )


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


def _escape(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]


def _hold_closed() -> None:
    """Keep the numbers of closed streams taken, lest what a library prints lands in a file of that number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)


class _Terminal:
    """A terminal that is shown escapes in place of what it would take for commands."""

    def __init__(self, stream: TextIO) -> None:
        self.unshielded = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unshielded, name)

    def write(self, text: str) -> int:
        return self.unshielded.write(_IN_TEXT.sub(_escape, text))

    def writelines(self, lines: Iterable[str]) -> None:
        for each in lines:
            self.write(each)


class _ClosedStream:
    """A standard output that is closed."""

    def write(self, _: str) -> NoReturn:
        raise ClosedError("standard output is closed, and there is something to print")

    def writelines(self, lines: Iterable[str]) -> None:
        for each in lines:
            self.write(each)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False
