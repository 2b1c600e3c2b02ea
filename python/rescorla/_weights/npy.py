"""Arrays in .npy files, mapped; weights in such a file, with their names behind the elements.

    header | elements | names and parameters, as JSON | footer: length, a checksum of them and the header

Readers of .npy files read as many elements as the header says, and no more. So a file of weights is an array
to everybody; and whoever writes another array over it leaves none of the names.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

import numpy as np

from rescorla._core import AtomicFile, FormatError, crc32c
from rescorla._weights.disk import (
    AGAIN,
    Content,
    as_json,
    check_values,
    checksum_text,
    naming,
    parsed,
    pieces,
    reading,
    reserve,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes before the elements of a file, whatever the order, shape and type.
_HEADER = 128
_MAGIC = b"\x93NUMPY\x01\x00"

# The last bytes of a file of weights: the length of the JSON, its checksum with the header's, and this mark.
_FOOTER = struct.Struct("<QI20s")
_MARK = b"rescorla weights 0.2"


def create(file: str, path: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Map zeros in an existing empty file; a disk without room fails here, not when pages are written."""
    with naming(path), open(file, "r+b") as stream:
        stream.write(_header(shape, dtype, fortran_order=False))
        start = stream.tell()
        size = start + dtype.itemsize * int(np.prod(shape, dtype=object))
        stream.truncate(size)
        reserve(stream.fileno(), size)
        return np.asarray(np.memmap(stream, dtype=dtype, mode="r+", offset=start, shape=shape))


def _header(shape: tuple[int, ...], dtype: np.dtype[Any], *, fortran_order: bool) -> bytes:
    """What stands before the elements of a .npy file, always as long."""
    about = {"descr": np.dtype(dtype).str, "fortran_order": fortran_order, "shape": shape}
    text = repr(about).ljust(_HEADER - len(_MAGIC) - 3) + "\n"
    return _MAGIC + len(text).to_bytes(2, "little") + text.encode("ascii")


class Room(NamedTuple):
    """A file that the engine fills with the elements of an array; `Target.finish` makes it a .npy file."""

    file: str
    path: str
    start: int
    dtype: str


class Target:
    """A file of weights that is written, and appears when it is complete."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = AtomicFile(path)

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.discard()

    def room(self, dtype: np.dtype[Any]) -> Room:
        """Room for the elements."""
        return Room(self._file.temporary, self._path, _HEADER, str(dtype))

    def finish(
        self,
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        cues: Sequence[str],
        outcomes: Sequence[str],
        parameters: Mapping[str, Any],
        *,
        fortran_order: bool,
        checksum: int,
    ) -> NDArray[Any] | None:
        """Say what the elements are, and give the array, mapped; None where there is no room for a map."""
        said = {
            "cues": list(cues),
            "outcomes": list(outcomes),
            "parameters": dict(parameters),
            "values_crc32c": checksum_text(checksum),
        }
        header = _header(shape, dtype, fortran_order=fortran_order)
        text = as_json(said).encode("ascii")
        with naming(self._path), open(self._file.temporary, "r+b") as stream:
            stream.write(header)
            stream.seek(_HEADER + shape[0] * shape[1] * dtype.itemsize)
            stream.write(text)
            stream.write(_FOOTER.pack(len(text), _checksum(header, text), _MARK))
            stream.truncate()
        self._file.settle()
        try:
            # As soon as it has its name another may take its place.
            values = mapped(self._file.temporary, self._path)
        except MemoryError:
            values = None
        self._file.finish()
        return values


def _checksum(header: bytes, text: bytes) -> int:
    return crc32c(np.frombuffer(text, np.uint8), crc32c(np.frombuffer(header, np.uint8)))


def mapped(file: str, path: str) -> NDArray[Any]:
    """An array in a .npy file, mapped read-only; errors and the map call the file `path`."""
    with naming(path), open(file, "rb") as stream:
        return _mapped(stream, path)[0]


def _mapped(stream: BinaryIO, path: str) -> tuple[NDArray[Any], int]:
    """An array, mapped read-only, and where its elements begin."""
    version = np.lib.format.read_magic(stream)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in read:
        raise ValueError(f"version {version} of the .npy format; versions 1.0 and 2.0 can be read")
    shape, fortran_order, dtype = read[version](stream)
    if dtype.hasobject:
        raise ValueError("Python objects in place of numbers")
    order: Literal["F", "C"] = "F" if fortran_order else "C"
    start = stream.tell()
    try:
        array = np.memmap(stream, dtype=dtype, mode="r", offset=start, shape=shape, order=order)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        size = os.fstat(stream.fileno()).st_size
        raise MemoryError(
            f"{path} is whole, but this process has no room to map its {size} bytes; raise its limit "
            "(ulimit -v)"
        ) from error
    array.filename = os.path.abspath(path)
    return np.asarray(array), start


def save(path: str, content: Content) -> None:
    """Write weights with their names."""
    values, cues, outcomes, parameters, _ = content
    # In the order in which they lie, for weights that exceed the memory lie in a file themselves.
    columns_first = values.flags.f_contiguous and not values.flags.c_contiguous
    with Target(path) as target:
        checksum = 0
        with naming(path), open(target.room(values.dtype).file, "r+b") as stream:
            reserve(stream.fileno(), _HEADER + values.nbytes)
            stream.seek(_HEADER)
            for piece in pieces(values.T if columns_first else values):
                checksum = crc32c(piece, checksum)
                stream.write(piece.data)
        about = values.shape, values.dtype, cues, outcomes, parameters
        target.finish(*about, fortran_order=columns_first, checksum=checksum)


def load(path: str) -> Content:
    """Weights, mapped, and what stands behind them: cues, outcomes, parameters."""
    values, said = _read(path)
    return Content(values, said["cues"], said["outcomes"], said["parameters"])


def verify(path: str) -> None:
    """Read all values and hold them against their checksum."""
    values, said = _read(path)
    check_values(path, said["values_crc32c"], values if values.flags.c_contiguous else values.T)


def _read(path: str) -> tuple[NDArray[Any], dict[str, Any]]:
    """A mapped array, and what stands behind its elements."""
    # One file is opened once: another that takes its place meanwhile is not looked at.
    with reading(path, "a .npy file of weights"), naming(path), open(path, "rb") as stream:
        values, start = _mapped(stream, path)
        end = start + values.nbytes
        length = os.fstat(stream.fileno()).st_size - end - _FOOTER.size
        if length == -_FOOTER.size:
            raise FormatError(f"{path}: {_no_names(path)}")
        # Before the names are read: what lies behind other arrays may be anything, and long.
        stream.seek(end + max(length, 0))
        footer = stream.read()
        if length >= 0 and footer.endswith(_MARK) and footer.startswith(length.to_bytes(8, "little")):
            stream.seek(0)
            header = stream.read(start)
            stream.seek(end)
            text = stream.read(length)
            if footer == _FOOTER.pack(length, _checksum(header, text), _MARK):
                return values, parsed(text.decode("ascii"))
        raise FormatError(f"{path}: expected the names of the weights behind them, found damage; {AGAIN}")


def _no_names(path: str) -> str:
    if os.path.lexists(path + ".json"):
        return "expected names behind the elements, found a file made by a version before 0.2; save it again"
    return (
        "expected the names of weights behind the elements, found an array without names; read it by "
        "numpy.load, and give it names: rescorla.Weights(array, cues, outcomes)"
    )
