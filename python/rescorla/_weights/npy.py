"""Arrays in .npy files, mapped; weights as a pair of such a file and its labels."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from time import sleep
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rescorla._core import AtomicFile, FormatError, check_apart, crc32c
from rescorla._weights.disk import (
    AGAIN,
    alone,
    as_json,
    check_values,
    checksum_text,
    labels_checksum,
    naming,
    parsed,
    pieces,
    reading,
    reserve,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes before the elements of a file, whatever the order, shape and type.
_HEADER = 192
_MAGIC = b"\x93NUMPY\x01\x00"
_TOKEN_BITS = 64

# How often, and after how many seconds each time, something is tried again that another process is at.
_TRIES, _PAUSE = 100, 0.01


def check_pair_apart(path: str, inputs: Sequence[str]) -> None:
    """ValueError where a .npy file that is to be written, or that of its labels, is also read."""
    for output in (path, sidecar(path)):
        check_apart(output, inputs)


def sidecar(path: str) -> str:
    """The file beside a .npy file that holds its labels: where the path is a link, beside what it leads to.

    Stores of files that link each file to a place of its own have a link for the labels, too.
    """
    beside = path + ".json"
    if os.path.islink(path) and not os.path.lexists(beside):
        return os.path.realpath(path) + ".json"
    return beside


def create(file: str, path: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Map zeros in an existing empty file; a disk without room fails here, not when pages are written."""
    with naming(path), open(file, "r+b") as stream:
        stream.write(_header(shape, dtype, fortran_order=False))
        start = stream.tell()
        size = start + dtype.itemsize * int(np.prod(shape, dtype=object))
        stream.truncate(size)
        reserve(stream.fileno(), size)
        return np.asarray(np.memmap(stream, dtype=dtype, mode="r+", offset=start, shape=shape))


def _header(
    shape: tuple[int, ...], dtype: np.dtype[Any], *, fortran_order: bool, token: int | None = None
) -> bytes:
    """What stands before the elements of a .npy file, always as long.

    A token, 64 bits, is written into the white space at its end, a tab for 1 and a blank for 0: all readers
    of such files skip that.
    """
    about = {"descr": np.dtype(dtype).str, "fortran_order": fortran_order, "shape": shape}
    bits = "" if token is None else f"{token:064b}".replace("0", " ").replace("1", "\t")
    text = repr(about).ljust(_HEADER - len(_MAGIC) - 3 - _TOKEN_BITS) + bits.rjust(_TOKEN_BITS) + "\n"
    return _MAGIC + len(text).to_bytes(2, "little") + text.encode("ascii")


def _token_of(header: bytes) -> int | None:
    """The token in the header of a .npy file; None where another program wrote it."""
    bits = header[-1 - _TOKEN_BITS : -1]
    if len(header) != _HEADER or bits.strip(b" \t") or b"\t" not in bits:
        return None
    return int(bits.replace(b" ", b"0").replace(b"\t", b"1"), 2)


class Room(NamedTuple):
    """A file that the engine fills with the elements of an array; `Pair.describe` makes it a .npy file."""

    file: str
    path: str
    start: int
    dtype: str


class Pair:
    """A .npy file of weights and its labels beside it, which appear together.

    The two are bound by a random token, which stands in both. They cannot be renamed at once: so the labels
    go first, and hold those of the file before as well. Whenever a writer is stopped, the file at the path
    has its labels; a reader who comes between two writers finds others, and tries again.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._array = AtomicFile(path)
        try:
            self._labels = AtomicFile(sidecar(path))
        except BaseException:
            self._array.discard()
            raise
        # Never 0, which would be no token.
        self._token = int.from_bytes(os.urandom(8), "little") | 1

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *_: object) -> None:
        self._array.discard()
        self._labels.discard()

    def room(self, dtype: np.dtype[Any]) -> Room:
        """Room for the elements."""
        return Room(self._array.temporary, self._path, _HEADER, str(dtype))

    def describe(self, shape: tuple[int, int], dtype: np.dtype[Any], *, fortran_order: bool) -> None:
        """Say what the elements are, in the order in which they were written."""
        header = _header(shape, dtype, fortran_order=fortran_order, token=self._token)
        with naming(self._path), open(self._array.temporary, "r+b") as stream:
            stream.write(header)

    def write(self, values: NDArray[Any]) -> int:
        """Write an array, and give the checksum of its elements."""
        # In the order in which they lie, for weights that exceed the memory lie in a file themselves.
        columns_first = values.flags.f_contiguous and not values.flags.c_contiguous
        self.describe(values.shape, values.dtype, fortran_order=columns_first)
        checksum = 0
        with naming(self._path), open(self._array.temporary, "r+b") as stream:
            reserve(stream.fileno(), _HEADER + values.nbytes)
            stream.seek(_HEADER)
            for piece in pieces(values.T if columns_first else values):
                checksum = crc32c(piece, checksum)
                stream.write(piece.data)
        return checksum

    def finish(
        self, cues: Sequence[str], outcomes: Sequence[str], parameters: Mapping[str, Any], checksum: int
    ) -> NDArray[Any] | None:
        """Let the two appear, and give the array, mapped; None where a limit leaves no room for a map."""
        entry = _labels_entry(cues, outcomes, parameters)
        entry |= {"token": f"{self._token:016x}", "values_crc32c": checksum_text(checksum)}
        self._array.settle()
        try:
            # As soon as it has its name another may take its place.
            values, _ = mapped(self._array.temporary, self._path)
        except MemoryError:
            values = None
        with alone(os.path.dirname(os.path.realpath(self._path))):
            before = _present_entry(self._path)
            labels = entry if before is None else entry | {"previous": before}
            with naming(sidecar(self._path)), open(self._labels.temporary, "w", encoding="ascii") as stream:
                stream.write(as_json(labels))
            self._labels.finish()
            self._array.finish()
        return values


def _labels_entry(
    cues: Sequence[str], outcomes: Sequence[str], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Labels and parameters as JSON has them, with their checksum."""
    entry: dict[str, Any] = {"cues": list(cues), "outcomes": list(outcomes), "parameters": dict(parameters)}
    return entry | {"labels_crc32c": labels_checksum(*entry.values())}


def _present_entry(path: str) -> dict[str, Any] | None:
    """The labels of the .npy file that is there, if there is one that has some."""
    try:
        with open(path, "rb") as stream:
            token = _token_of(stream.read(_HEADER))
        with open(sidecar(path), encoding="utf-8") as stream:
            found = _entry_of(parsed(stream.read()), token)
    except (OSError, ValueError):
        return None
    return None if found is None else {name: found[name] for name in found if name != "previous"}


def _entry_of(labels: dict[str, Any], token: int | None) -> dict[str, Any] | None:
    """Which labels belong to the array with a token."""
    wanted = None if token is None else f"{token:016x}"
    previous = labels.get("previous")
    for entry in (labels, previous):
        if isinstance(entry, dict) and entry.get("token") == wanted:
            return entry
    return None


def mapped(file: str, path: str | None = None) -> tuple[NDArray[Any], int | None]:
    """An array in a .npy file, mapped read-only, and its token; errors and the map call the file `path`."""
    path = path or file
    with naming(path), open(file, "rb") as stream:
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in read:
            raise ValueError(f"version {version} of the .npy format; versions 1.0 and 2.0 can be read")
        shape, fortran_order, dtype = read[version](stream)
        if dtype.hasobject:
            raise ValueError("Python objects in place of numbers")
        start = stream.tell()
        stream.seek(0)
        token = _token_of(stream.read(start))
        order: Literal["F", "C"] = "F" if fortran_order else "C"
        try:
            array = np.memmap(stream, dtype=dtype, mode="r", offset=start, shape=shape, order=order)
        except OSError as error:
            if error.errno != errno.ENOMEM:
                raise
            raise MemoryError(
                f"{path} is whole, but this process has no room to map its {os.path.getsize(file)} bytes; "
                "raise its limit (ulimit -v)"
            ) from error
    array.filename = os.path.abspath(path)
    return np.asarray(array), token


def save(
    path: str,
    values: NDArray[Any],
    cues: Sequence[str],
    outcomes: Sequence[str],
    parameters: Mapping[str, Any],
) -> None:
    """Write weights and their labels."""
    with Pair(path) as pair:
        pair.finish(cues, outcomes, parameters, pair.write(values))


def load(path: str) -> tuple[NDArray[Any], list[str], list[str], dict[str, Any]]:
    """Weights, mapped, and their labels: cues, outcomes, parameters."""
    values, entry = _matching(path)
    try:
        labels = entry["cues"], entry["outcomes"], entry["parameters"]
    except KeyError as error:
        raise FormatError(f"{sidecar(path)}: expected labels of weights, found no {error}; {AGAIN}") from None
    checksum = entry.get("labels_crc32c")
    if checksum is not None and checksum != labels_checksum(*labels):
        raise FormatError(f"{sidecar(path)}: expected labels with checksum {checksum}, found others; {AGAIN}")
    return values, *labels


def verify(path: str) -> None:
    """Read all values and hold them against their checksum."""
    values, entry = _matching(path)
    check_values(path, entry.get("values_crc32c"), values if values.flags.c_contiguous else values.T)


def _matching(path: str) -> tuple[NDArray[Any], dict[str, Any]]:
    """A mapped array and its labels; where a writer is at them it is tried again for a moment."""
    beside = sidecar(path)
    for _ in range(_TRIES):
        with reading(path, "a .npy file of weights"):
            values, token = mapped(path)
        try:
            with reading(beside, "the labels of weights"), open(beside, encoding="utf-8") as stream:
                entry = _entry_of(parsed(stream.read()), token)
        except FileNotFoundError:
            raise FormatError(
                f"{path}: expected its labels in {beside}, found no such file; keep the two files together"
            ) from None
        if entry is not None:
            return values, entry
        sleep(_PAUSE)
    raise FormatError(
        f"{path}: expected the file that the labels in {beside} were written for, found another one; "
        f"keep the two files together, or {AGAIN}"
    )
