"""Lines of text, decoded one after another."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rescorla._core import FormatError, TextStream

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

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
