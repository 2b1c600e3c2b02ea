"""Tables of events in a form of one's own, and text files that appear whole or not at all."""

from __future__ import annotations

import errno
import gzip
import lzma
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO, Literal, cast

import numpy as np

import rescorla._core as _core
from rescorla._shared.checks import one_of

Compression = Literal["gzip", "none"] | None

# Events whose text is made at a time.
_BLOCK = 65_536


def write_table(
    file: _core.EventFile,
    path: str,
    columns: Sequence[str] | None,
    delimiter: str,
    compression: Compression,
    watch: Callable[[int, int], object] | None,
) -> None:
    """Write events as a table with columns of these names, which the delimiter separates."""
    _core.check_apart(path, [] if file.path is None else [file.path])
    _check_names(file, delimiter)
    header, frequency = _header(file, columns, delimiter)
    separator = delimiter.encode()
    with writing(path, compression) as out:
        out.write(header)
        for start in range(0, file.n_events, _BLOCK):
            n = min(_BLOCK, file.n_events - start)
            text = file.select([np.arange(start, start + n)], n).table_text(False, frequency)
            out.write(text if delimiter == "\t" else text.replace(b"\t", separator))
            if watch is not None:
                watch(start + n, file.n_events)


@contextmanager
def writing(path: str, compression: Compression) -> Iterator[BinaryIO]:
    """A file to write to, which takes its name when it is complete; compressed as said, or as named."""
    one_of("compression", compression, ("gzip", "none", None))
    suffix = os.path.splitext(path)[1].lower() if compression is None else compression
    if suffix == ".zst":
        raise ValueError(f"{path}: a table with a form of its own is written as .gz, .xz or as it is")
    file = _core.AtomicFile(path)
    try:
        with ExitStack() as stack:
            out = cast(BinaryIO, stack.enter_context(open(file.temporary, "wb")))
            if suffix in (".gz", "gzip"):
                # Without a name or a time in it: the same events give the same bytes.
                packed = gzip.GzipFile("", "wb", compresslevel=6, fileobj=out, mtime=0)
                out = cast(BinaryIO, stack.enter_context(packed))
            elif suffix == ".xz":
                out = cast(BinaryIO, stack.enter_context(lzma.open(out, "wb")))
            yield out
        file.finish()
    finally:
        file.discard()


def check_new(path: str) -> None:
    """FileExistsError where there is a file already that is not to be replaced."""
    if os.path.lexists(path):
        message = "File exists, and is not replaced: remove it, or name another output"
        raise FileExistsError(errno.EEXIST, message, path)


def _header(file: _core.EventFile, columns: Sequence[str] | None, delimiter: str) -> tuple[bytes, bool]:
    """The first line, and whether there is a column of frequencies."""
    has_frequencies = file.has_frequencies()
    if columns is None:
        columns = ("cues", "outcomes", "frequency")[: 3 if has_frequencies else 2]
    elif isinstance(columns, str) or len(columns) not in (2, 3):
        raise ValueError(
            "columns must be the names of the columns of cues and outcomes, and perhaps of frequencies, "
            f"not {columns!r}"
        )
    elif has_frequencies and len(columns) == 2:
        raise ValueError(
            "events have frequencies other than 1: name a third column, as in "
            f"columns=({columns[0]!r}, {columns[1]!r}, 'frequency')"
        )
    if bad := [name for name in columns if delimiter in name or "\n" in name or "\r" in name]:
        raise ValueError(f"the name of a column must have no delimiter and no line break, not {bad[0]!r}")
    return (delimiter.join(columns) + "\n").encode(), len(columns) == 3


def _check_names(file: _core.EventFile, delimiter: str) -> None:
    if not isinstance(delimiter, str):
        raise TypeError(f"delimiter must be a str, not {type(delimiter).__name__}")
    if delimiter in ("", "_", "\n", "\r") or '"' in delimiter:
        raise ValueError(f"delimiter must separate cells, such as a tab or a comma, not {delimiter!r}")
    if delimiter != "\t":
        for kind, names in (("cue", file.cue_names()), ("outcome", file.outcome_names())):
            found = next((name for name in names if delimiter in name), None)
            if found is not None:
                raise ValueError(
                    f"the {kind} {found!r} contains the delimiter {delimiter!r}; choose another delimiter, "
                    "or rename it"
                )
