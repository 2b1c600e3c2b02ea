"""What commands print, and where: a report on standard error, with --json an object on standard output."""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO, cast

from rescorla._events.events import Events
from rescorla._weights.disk import as_python

COUNTED = {
    "read_as": "the format that the files were read as",
    "events": "how many events there are",
    "tokens": "how many tokens: events, each as often as its frequency says",
    "cues": "how many cues the events have",
    "outcomes": "how many outcomes the events have",
}
"""What --json prints of events: of `read_as` and `counts`."""


# What makes a terminal do something else than show it: control characters, those that turn the direction of
# writing, line breaks of Unicode, marks that nobody sees, and bytes of names that are no text.
_COMMANDS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f"
)
_IN_TEXT = re.compile(f"[{_COMMANDS}]")
_IN_LINE = re.compile(f"[{_COMMANDS}\t\n]")


class StreamError(Exception):
    """A stream of the process is closed, or cannot be written."""


@contextmanager
def streams() -> Iterator[None]:
    """Standard output and standard error as commands use them.

    A terminal gets no character that makes it do something else than show it: names come from files that
    others wrote. A file or a pipe gets names as they are, in UTF-8 whatever the locale. Where standard output
    is closed or cannot be written, printing raises `StreamError`. What standard error does not take is lost.
    """
    given = sys.stdout, sys.stderr
    _hold_closed()
    with (
        open(os.devnull, "w", encoding="utf-8", errors="backslashreplace") as nowhere,
        _encoded(sys.stdout, utf8=True),
        _encoded(sys.stderr, utf8=False),
    ):
        sys.stdout = shielded(cast("TextIO", _ClosedStream() if sys.stdout is None else _Output(sys.stdout)))
        sys.stderr = shielded(cast("TextIO", nowhere if sys.stderr is None else _Report(sys.stderr)))
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                # At the end of the process nobody could say any more what is wrong.
                with suppress(OSError, StreamError):
                    stream.flush()
            sys.stdout, sys.stderr = given


def standard_input() -> TextIO:
    """Standard input, if it is open."""
    if sys.stdin is None:
        raise StreamError("standard input is closed, and - reads it; give the name of a file")
    return sys.stdin


def shielded(stream: TextIO) -> TextIO:
    """A stream that, if it is a terminal, is shown escapes in place of what it would take for commands."""
    return cast("TextIO", _Terminal(stream)) if stream.isatty() else stream


def escaped(text: str, stream: TextIO) -> str:
    """A text as this stream is to have it, within a line."""
    return _IN_LINE.sub(_escape, text) if stream.isatty() else text


def row(*cells: str) -> None:
    """Print cells with tabs between."""
    print("\t".join(escaped(cell, sys.stdout) for cell in cells))


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
    value = as_python(value)
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


@contextmanager
def _encoded(stream: TextIO | None, *, utf8: bool) -> Iterator[None]:
    """Let a stream take any character: in UTF-8, or as an escape where a terminal or the locale lacks it."""
    if not isinstance(stream, io.TextIOWrapper):
        yield
        return
    encoding, errors = stream.encoding, stream.errors
    if utf8 and not stream.isatty():
        # Bytes of the names of files that are no text go out as they came in.
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    else:
        stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        stream.reconfigure(encoding=encoding, errors=errors)


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


class _Output:
    """Standard output: an error says that it is this that cannot be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._fail(error)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for each in lines:
            self.write(each)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        with suppress(OSError):
            # Python writes at exit what a stream still holds, and that must not fail again.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
        if isinstance(error, BrokenPipeError):
            raise error
        raise StreamError(f"standard output: {error.strerror}") from error


class _Report(_Output):
    """Standard error: where it cannot be written there is no place to say so."""

    def _fail(self, error: OSError) -> None:
        with suppress(StreamError):
            super()._fail(error)


class _ClosedStream:
    """A standard output that is closed."""

    def write(self, _: str) -> NoReturn:
        raise StreamError("standard output is closed, and there is something to print")

    def writelines(self, lines: Iterable[str]) -> None:
        for each in lines:
            self.write(each)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False
