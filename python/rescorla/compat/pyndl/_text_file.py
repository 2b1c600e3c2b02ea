"""Text files that appear whole or not at all, compressed as the caller says and not as their names say."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from typing import IO, Any, Literal

from rescorla._weights import disk


@contextmanager
def writing_text(path: str, compression: Literal["gzip"] | None) -> Iterator[IO[Any]]:
    """A file to write to, which takes its name when it is complete."""
    with disk.writing(path) as out:
        if compression is None:
            yield out
            return
        # Without a name or a time in it: the same events give the same bytes.
        packed: Any = gzip.GzipFile("", "wb", compresslevel=6, fileobj=out, mtime=0)
        with packed, BufferedWriter(packed) as text:
            yield text


def check_new(path: str) -> None:
    """FileExistsError where there is a file already."""
    if os.path.lexists(path):
        message = "File exists, and is not replaced: remove it, or name another output"
        raise FileExistsError(errno.EEXIST, message, path)
