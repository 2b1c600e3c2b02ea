"""Captions of films: SubRip (.srt) and WebVTT (.vtt) as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

import rescorla._core as _core

# If a caption begins more milliseconds than this after the end of the one before, there is a pause. It is the
# same pause as in OpenSubtitles' XML.
_PAUSE = 5000

# Hours may be missing, and so may be fractions of seconds; behind the times there may be settings.
_TIME = r"(?:(\d{1,9})\s*:\s*)?(\d{1,9})\s*:\s*(\d{1,9})(?:\s*[.,:]\s*(\d+))?"
_TIMES = re.compile(rf"{_TIME}\s*-->\s*{_TIME}(?!\S)")

# Blocks of WebVTT that are no captions. Each ends at an empty line.
_BLOCK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)(?!\S)")

# Line ends within a line; tags, times between words, and codes such as {\an8}. "<3" and "a < b" are text.
_BREAKS = re.compile(r"<br\s*/?>|\\[Nh]", re.IGNORECASE)
_CODES = re.compile(r"</?[a-zA-Z][^<>]*>|<[\d:.]+>|\{(?:\\|[Yy]:)[^{}]*\}")
_REFERENCES = re.compile(r"&#?\w{1,40};")


def captions(lines: Iterable[str], name: str) -> Iterator[str]:
    """The captions of one file in SubRip or WebVTT, each a str; an empty str before each pause.

    The lines of a caption are joined by blanks. Numbers, identifiers, times, settings and tags are left out,
    and in WebVTT the header and the blocks NOTE, STYLE and REGION; references such as ``&amp;`` are decoded.
    All else is kept as it is, also dashes before turns, and sounds such as "[door slams]". A caption without
    text is left out, and one that repeats those before it, as automatic captions do, is not.

    There is a pause where a caption starts more than five seconds after the end of the one before.

    Digits alone on the line before the times are the number of a caption, if an empty line stands before them
    or the caption before has a number. All other digits are text.
    """
    ended = None
    for start, end, said in _timed(lines, name):
        text = _CODES.sub("", _BREAKS.sub(" ", " ".join(said)))
        text = " ".join(unescaped(text).split())
        if text:
            if ended is not None and start > ended + _PAUSE:
                yield ""
            yield text
            ended = end


def unescaped(text: str) -> str:
    """A text without references to characters, such as ``&amp;`` and ``&#233;``: with the characters."""
    return _REFERENCES.sub(lambda found: unescape(found[0]), text)


def _timed(lines: Iterable[str], name: str) -> Iterator[tuple[int, int, list[str]]]:
    """Start and end of each caption in milliseconds, and its lines: "" for an empty one."""
    times: tuple[int, int] | None = None
    last: int | None = None
    said: list[str] = []
    is_webvtt = in_block = False
    for number, line in enumerate(lines, 1):
        line = line.lstrip("\ufeff").strip()
        if found := _TIMES.match(line):
            following = _take_number(said, last, is_webvtt)
            if times:
                yield *times, said
            # Numbers before the first times were not kept as lines.
            last = following if times else last
            times = _milliseconds(*found.groups()[:4]), _milliseconds(*found.groups()[4:])
            said, in_block = [], False
        elif "-->" in line and line[:1].isdigit():
            raise _core.FormatError(
                f"{name}, line {number}: expected times such as 00:00:01,000 --> 00:00:02,500, found "
                f"{line[:40]!r}; correct the times, or delete the caption"
            )
        elif in_block:
            in_block = line != ""
        elif is_webvtt and said[-1:] == [""] and _BLOCK.match(line):
            in_block = True
        elif times:
            said.append(line)
        elif line.startswith("WEBVTT"):
            is_webvtt = True
        elif line.isdecimal():
            last = _number(line)
        elif line and not is_webvtt:
            raise _core.FormatError(
                f"{name}, line {number}: expected WEBVTT, or the number or times of a caption, found "
                f"{line[:40]!r}; give a file of captions in SubRip or WebVTT"
            )
    if times:
        # Digits at the end are text, but for the next number behind an empty line: there the file is cut.
        said.append("")
        _take_number(said, last, is_webvtt)
        yield *times, said


def _take_number(said: list[str], last: int | None, is_webvtt: bool) -> int | None:
    """Take the number or identifier of a caption off the lines before its times, if it is there; the number.

    `last` is the number of the caption before, whose lines these are.
    """
    is_direct = said[-1:] != [""]
    while said[-1:] == [""]:
        said.pop()
    is_apart = said[-2:-1] == [""]
    number = _number(said[-1]) if said else None
    if number is None:
        is_taken = is_webvtt and is_direct and is_apart
    elif is_direct:
        is_taken = is_apart or last is not None
    else:
        # In some files an empty line follows each line.
        is_taken = is_apart and last is not None and number == last + 1
    if is_taken:
        said.pop()
    return number if is_taken else None


def _number(line: str) -> int | None:
    return int(line) if line.isdecimal() and len(line) < 10 else None


def _milliseconds(hours: str | None, minutes: str | None, seconds: str, fraction: str | None) -> int:
    whole = 3600 * int(hours or 0) + 60 * int(minutes or 0) + int(seconds)
    return 1000 * whole + int((fraction or "")[:3].ljust(3, "0"))
