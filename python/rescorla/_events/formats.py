"""Files of small formats as lines of running text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from rescorla._core import TextStream
from rescorla._events.captions import captions
from rescorla._events.chat import chat
from rescorla._events.conll import conll
from rescorla._events.lines import lines_of
from rescorla._shared.warn import some, warn

_Read = Callable[[Iterable[str], str], Iterator[str]]


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


def warn_of_speakers(speakers: Collection[str], found: Collection[str]) -> None:
    """Warn of speakers who do not occur."""
    missing = [each for each in speakers if each not in found]
    if missing:
        warn(f"speakers {some(missing)} do not occur; those who do: {some(sorted(found)) or 'none'}")
