"""Event tables as pyndl reads them: gzipped, by position, and an empty cell is one empty name.

Names are found by the positions of the columns, cues first, unless the first line names them in another
order. Where a name is empty (an empty cell, or `_` at an end of a cell or beside another) `""` is a name like
others. A third cell is a frequency, whatever its column is called, in any row.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import islice
from typing import BinaryIO, Literal, cast

import rescorla._core as _core
from rescorla._core import FormatError
from rescorla._events.events import Events
from rescorla._events.made import made_by
from rescorla._events.renaming import relabelled
from rescorla._shared.checks import Duplicates, PathName, path_name, whole

Compression = Literal["gzip"] | None

# Stands for the empty name while the engine, which refuses one, reads a table. It is no character of any
# text: Unicode keeps it for the inside of programs.
_NOBODY = "\ufdd0"

_EMPTY = re.compile(rb"(?<=[\t\n_])(?=[\t\n_])")
# A line ends in a frequency.
_EMPTY_IN = (b"\t\t", b"\n\t", b"\t_", b"_\t", b"__", b"\n_")
_TWO_CELLS = re.compile(rb"^([^\t\n]*\t[^\t\n]*)$", re.MULTILINE)

_ROLES = ("cues", "outcomes")
_HEADER = b"cues\toutcomes\tfrequency\n"

# Bytes of text that are looked at together.
_PIECE = 1 << 20


def read_by_position(
    path: PathName, *, compression: Compression = "gzip", duplicates: Duplicates = "keep"
) -> Events:
    """The events of a table, in memory.

    Raises what `read_events` raises, and gzip.BadGzipFile, an OSError, for a file that gzip did not compress.
    """
    name = path_name(path)
    made = made_by("read_by_position", path, duplicates=duplicates)
    with _unpacked(name, compression) as unpacked, _naming(name):
        lines = _Lines(unpacked, name)
        text = _core.TextStream(lines, name)
        file = text.compile_table(None, duplicates, None, columns=lines.columns, parameters=made)
    cues, outcomes = (
        ["" if name == _NOBODY else name for name in names] if _NOBODY in names else None
        for names in (file.cue_names(), file.outcome_names())
    )
    return Events(file if cues is outcomes is None else relabelled(file, cues, outcomes))


def rows_by_position(
    path: PathName, *, compression: Compression = "gzip", start: int = 0, step: int = 1
) -> Generator[tuple[list[str], list[str]], None, None]:
    """The cues and outcomes of each token, from the row `start` on, of every `step`-th row.

    Rows are read when they are asked for.
    """
    start, step = whole("start", start), whole("step", step, 1)
    _check(compression)
    return _rows(path, compression, start, step)


def _rows(
    path: PathName, compression: Compression, start: int, step: int
) -> Generator[tuple[list[str], list[str]], None, None]:
    name = path_name(path)
    opened = _unpacked(name, compression)
    with _naming(name), TextIOWrapper(opened, encoding="utf-8") as lines:
        cues, outcomes, frequency = _columns(lines.readline())
        for number, line in enumerate(islice(lines, start, None, step)):
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 2:
                cells.append("1")
            elif len(cells) != 3:
                raise _malformed(name, start + number * step, "2 or 3 cells", f"{len(cells)}: {line!r}")
            times = cells[frequency]
            if times == "1":
                yield cells[cues].split("_"), cells[outcomes].split("_")
                continue
            if not times.isdecimal():
                raise _malformed(name, start + number * step, "a frequency, in digits", repr(times))
            for _ in range(int(times)):
                yield cells[cues].split("_"), cells[outcomes].split("_")


def _malformed(name: str, row: int, expected: str, found: str) -> FormatError:
    return FormatError(f"{name}, line {row + 2}: expected {expected}, found {found}")


def _unpacked(name: str, compression: Compression) -> BinaryIO:
    """The bytes of a table."""
    _check(compression)
    return cast(BinaryIO, open(name, "rb") if compression is None else gzip.open(name))


@contextmanager
def _naming(name: str) -> Generator[None, None, None]:
    """Put the name of a table into the errors of those who unpack and decode it."""
    try:
        yield
    except gzip.BadGzipFile as error:
        raise gzip.BadGzipFile(f"{name}: {error}; compress it by gzip") from error
    except (EOFError, zlib.error) as error:
        raise FormatError(
            f"{name}: expected a table compressed by gzip, found a damaged one: {error}; make it again"
        ) from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}: expected text in UTF-8, found other bytes: {error}") from error


def _check(compression: object) -> None:
    if compression not in ("gzip", None):
        raise ValueError(f"compression needs to be 'gzip' or None, not {compression!r}")


class _Lines:
    """Gives the lines of a table as the engine takes them: three cells each, and none of them empty.

    Invariants: `text[taken:]` is ready and not given yet; `rest` is the line that has no end so far.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._rest, self._text, self._taken = b"", b"", 0
        self._ended = False
        lines = self._more()
        header, _, lines = lines.partition(b"\n")
        self.columns = _columns(header.decode("utf-8", "replace"))
        self._text = _HEADER + self._filled(lines)

    def read(self, n: int) -> bytes:
        """At most so many bytes; none at the end."""
        while self._taken == len(self._text) and not self._ended:
            self._text, self._taken = self._filled(self._more()), 0
        piece = self._text[self._taken : self._taken + n]
        self._taken += len(piece)
        return piece

    def _more(self) -> bytes:
        """The next whole lines, one at least unless the file ends."""
        pieces = [self._rest]
        while True:
            piece = self._file.read(_PIECE)
            if not piece:
                self._ended, self._rest = True, b""
                lines = _unix(b"".join(pieces))
                return lines if not lines or lines.endswith(b"\n") else lines + b"\n"
            pieces.append(piece)
            if b"\n" in piece:
                lines, _, self._rest = b"".join(pieces).rpartition(b"\n")
                return _unix(lines + b"\n")

    def _filled(self, lines: bytes) -> bytes:
        """Lines with a name for each that is empty, and a frequency."""
        if not lines:
            return lines
        nobody = _NOBODY.encode()
        if nobody in lines:
            raise FormatError(
                f"{self._name}: expected text, found U+FDD0, which is no character and stands for empty "
                "names here; delete it"
            )
        if lines.count(b"\t") == lines.count(b"\n"):
            lines = lines.replace(b"\n", b"\t1\n")
        elif lines.count(b"\t") != 2 * lines.count(b"\n"):
            lines = _TWO_CELLS.sub(rb"\1\t1", lines)
        if lines[0] in b"\t_" or any(empty in lines for empty in _EMPTY_IN):
            # Behind the end of a line before these.
            lines = _EMPTY.sub(nobody, b"\n" + lines)[1:]
        return lines


def _unix(lines: bytes) -> bytes:
    """Lines that end in a line feed, whatever they ended in."""
    return lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in lines else lines


def _columns(header: str) -> tuple[int, int, int]:
    """Where cues, outcomes and frequencies stand: in this order, unless the header says otherwise."""
    cells = [cell.strip().lower() for cell in header.split("\t")]
    if len(cells) <= 3 and all(cells.count(role) == 1 for role in _ROLES):
        cues, outcomes = map(cells.index, _ROLES)
        return cues, outcomes, 3 - cues - outcomes
    return 0, 1, 2
