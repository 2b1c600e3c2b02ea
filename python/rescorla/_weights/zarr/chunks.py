"""Chunks of a store as zarr has them: elements, row after row, little-endian, then their CRC32C."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._core import FormatError, crc32c
from rescorla._weights.disk import naming, pieces, replacing, reserve

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes of the checksum.
_SUM = 4

# What to do about a damaged chunk.
_AGAIN = "rescorla.tiles.repair takes it out, so that it can be learned again"


def write(path: str, values: NDArray[Any], shape: tuple[int, int]) -> None:
    """Write a chunk, whole or not at all; one at the edge is filled up with NaN, as zarr asks."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    if values.shape != shape:
        padded = np.full(shape, np.nan, dtype=little.dtype)
        padded[: values.shape[0], : values.shape[1]] = little
        little = padded
    _make_folder(os.path.dirname(path))
    with replacing(path) as file, naming(path), open(file, "wb", buffering=0) as stream:
        reserve(stream.fileno(), little.nbytes + _SUM)
        checksum = 0
        for piece in pieces(little):
            checksum = crc32c(piece, checksum)
            _write_all(stream, piece)
        _write_all(stream, np.frombuffer(checksum.to_bytes(_SUM, "little"), dtype=np.uint8))


def mapped(path: str, shape: tuple[int, int], element: np.dtype[Any]) -> NDArray[Any]:
    """The elements of a chunk, mapped; FormatError where it is not as long as it must be."""
    _check_length(path, shape, element)
    return np.memmap(path, dtype=element.newbyteorder("<"), mode="r", shape=shape)


def defect(path: str, shape: tuple[int, int], element: np.dtype[Any], used: tuple[int, int]) -> str | None:
    """What is wrong with a chunk, of which the first rows and columns are used; None if nothing is."""
    try:
        values = mapped(path, shape, element)
    except FormatError as error:
        return str(error)
    checksum = 0
    for piece in pieces(values):
        checksum = crc32c(piece, checksum)
    with open(path, "rb") as stream:
        stream.seek(-_SUM, os.SEEK_END)
        expected = int.from_bytes(stream.read(_SUM), "little")
    if checksum != expected:
        return f"{path}: expected elements with checksum {expected:08x}, found {checksum:08x}; {_AGAIN}"
    inside = values[: used[0], : used[1]]
    if not all(np.isfinite(inside[row : row + 64]).all() for row in range(0, len(inside), 64)):
        return f"{path}: expected finite weights, found one that is not; {_AGAIN}"
    return None


def _check_length(path: str, shape: tuple[int, int], element: np.dtype[Any]) -> None:
    expected = shape[0] * shape[1] * element.itemsize + _SUM
    found = os.path.getsize(path)
    if found != expected:
        raise FormatError(f"{path}: expected a chunk of {expected} bytes, found {found}; {_AGAIN}")


def _write_all(stream: Any, piece: NDArray[np.uint8]) -> None:
    """All bytes: without a buffer the system may take fewer at a time."""
    rest = memoryview(piece.data)
    while rest:
        rest = rest[stream.write(rest) :]


def _make_folder(folder: str) -> None:
    """A folder, and those above it, which survive a power failure."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    _make_folder(above)
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
