"""Chunks of a store as zarr has them: elements, row after row, little-endian, then their CRC32C."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rescorla._core import FormatError, crc32c
from rescorla._weights.disk import pieces, reserve, writing

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes of the checksum at the end of a chunk, which is zarr's, and of that which binds it to its place.
_SUM, _BOUND = 4, 8

# What to do about a damaged chunk.
_AGAIN = "rescorla.tiles.repair takes it out, so that it can be learned again"


def write(path: str, values: NDArray[Any], shape: tuple[int, int], before: int) -> int:
    """Write a chunk, whole or not at all; its checksum, which goes on from `before`.

    One at the edge is filled up with NaN, as zarr asks.
    """
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    if values.shape != shape:
        padded = np.full(shape, np.nan, dtype=little.dtype)
        padded[: values.shape[0], : values.shape[1]] = little
        little = padded
    make_folder(os.path.dirname(path))
    with writing(path, buffering=0) as stream:
        reserve(stream.fileno(), little.nbytes + _SUM)
        checksum, bound = 0, before
        for piece in pieces(little):
            checksum, bound = crc32c(piece, checksum), crc32c(piece, bound)
            _write_all(stream, piece)
        _write_all(stream, np.frombuffer(checksum.to_bytes(_SUM, "little"), dtype=np.uint8))
    return _joined(bound, checksum)


def sum_before(identity: str, tile: int) -> int:
    """The checksum of what stands before a tile's bytes: whose tile it is, and which."""
    return crc32c(np.frombuffer(f"{identity} {tile}".encode("ascii"), dtype=np.uint8), 0)


def write_sum(path: str, checksum: int) -> None:
    """Write the checksum of a tile."""
    make_folder(os.path.dirname(path))
    with writing(path) as stream:
        stream.write(checksum.to_bytes(_BOUND, "little"))


def read_sum(path: str) -> int:
    """The checksum of a tile that was written; FormatError where it is none."""
    with open_regular(path) as stream:
        found = stream.read(_BOUND + 1)
    if len(found) != _BOUND:
        raise FormatError(f"{path}: expected {_BOUND} bytes, found {len(found)} or more; {_AGAIN}")
    return int.from_bytes(found, "little")


def mapped_chunk(
    stream: IO[bytes], path: str, shape: tuple[int, int], element: np.dtype[Any]
) -> NDArray[Any]:
    """The elements of a chunk, mapped; FormatError where it is not as long as it must be."""
    expected = shape[0] * shape[1] * element.itemsize + _SUM
    found = os.fstat(stream.fileno()).st_size
    if found != expected:
        raise FormatError(f"{path}: expected a chunk of {expected} bytes, found {found}; {_AGAIN}")
    return np.memmap(stream, dtype=element.newbyteorder("<"), mode="r", shape=shape)


def check_chunk(stream: IO[bytes], path: str, values: NDArray[Any], before: int, expected: int) -> None:
    """FormatError where a chunk is not what was written, at this place of this store."""
    found = before
    for piece in pieces(values):
        found = crc32c(piece, found)
    stream.seek(-_SUM, os.SEEK_END)
    found = _joined(found, int.from_bytes(stream.read(_SUM), "little"))
    if found != expected:
        raise FormatError(
            f"{path}: expected elements with checksum {expected:016x}, found {found:016x}; {_AGAIN}"
        )


def _joined(bound: int, end: int) -> int:
    """Both checksums of a tile: over its place and its elements, and over its elements alone.

    One over all of these would be the same for all elements, as those are followed by their own.
    """
    return bound | end << 32


def open_regular(path: str) -> IO[bytes]:
    """A file to read; FormatError where there is a folder, or a link that leads nowhere."""
    try:
        return open(path, "rb")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise FormatError(f"{path}: expected a file, found none ({error.strerror}); {_AGAIN}") from error


def _write_all(stream: Any, piece: NDArray[np.uint8]) -> None:
    """All bytes: without a buffer the system may take fewer at a time."""
    rest = memoryview(piece.data)
    while rest:
        rest = rest[stream.write(rest) :]


def make_folder(folder: str) -> None:
    """A folder, and those above it, which survive a power failure."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    make_folder(above)
    os.makedirs(folder, exist_ok=True)
    sync_folder(above)


def sync_folder(folder: str) -> None:
    """Let the names in a folder survive a power failure, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
