"""Text files that appear whole or not at all, compressed as the caller says and not as their names say."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedWriter
from typing import BinaryIO, Literal, cast

from rescorla._core import AtomicFile


@contextmanager
def writing(path: str, compression: Literal["gzip"] | None) -> Iterator[BinaryIO]:
    """A file to write to, which takes its name when it is complete."""
    file = AtomicFile(path)
    try:
        with ExitStack() as stack:
            out = cast(BinaryIO, stack.enter_context(open(file.temporary, "wb")))
            if compression == "gzip":
                # Without a name or a time in it: the same events give the same bytes.
                packed = gzip.GzipFile("", "wb", compresslevel=6, fileobj=out, mtime=0)
                out = cast(BinaryIO, stack.enter_context(BufferedWriter(packed)))
            yield out
        file.finish()
    finally:
        file.discard()


def check_new(path: str) -> None:
    """FileExistsError where there is a file already."""
    if os.path.lexists(path):
        message = "File exists, and is not replaced: remove it, or name another output"
        raise FileExistsError(errno.EEXIST, message, path)
