"""Lines of text, decoded one after another; of files of small formats, lines of running text."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rescorla._core import FormatError, TextStream
from rescorla._events.captions import captions
from rescorla._events.chat import chat
from rescorla._events.conll import conll

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_Read = Callable[[Iterable[str], str], Iterator[str]]

# How much text is read at once.
_AT_ONCE = 1 << 18


def lines_of(text: TextStream, name: str) -> Iterator[str]:
    """The lines of a text that is plain or compressed; messages call it `name`."""
    for number, line in enumerate(io.BufferedReader(_Rest(text), _AT_ONCE), 1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{name}, line {number}: expected UTF-8, found the byte 0x{line[error.start]:02x}; convert "
                "the text to UTF-8, or decompress it first"
            ) from None


class _Rest(io.RawIOBase):
    """What follows in a text that was looked at."""

    def __init__(self, text: TextStream) -> None:
        self._text = text

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer)
        block = self._text.read(len(room))
        room[: len(block)] = block
        return len(block)


def reads(format: str, has_captions: bool, speakers: Collection[str] | None, found: set[str]) -> _Read | None:
    """What makes lines of the lines of a file; None for the formats that the engine reads itself.

    `has_captions`: subtitles are not in XML. Of transcripts `found` gets the speakers that occur.
    """
    if format == "subtitles" and has_captions:
        return captions
    if format == "conll":
        return lambda lines, name: map(" ".join, conll(lines, name))
    if format == "chat":
        return lambda lines, name: map(" ".join, chat(lines, name, speakers, found))
    return None


def lines_of_files(files: Sequence[str], read: _Read, end: str, apart: bool) -> Iterator[str]:
    """The lines of files, and the mark that ends a document behind each.

    `apart`: an empty line follows each line.
    """
    for file in files:
        with open(file, "rb") as stream:
            for line in read(lines_of(TextStream(stream, file), file), file):
                yield line
                if apart:
                    yield ""
        yield end
