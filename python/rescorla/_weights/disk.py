"""What all writers and readers of files have in common: whole files, errors with names, checksums."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from time import sleep
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._core import AtomicFile, FormatError, crc32c

if TYPE_CHECKING:
    from numpy.typing import NDArray

AGAIN = "save the weights again"
"""What to do about a damaged file."""

# How often, and after how many seconds each time, something is tried again that another process is at.
_TRIES, _PAUSE = 100, 0.01

# Signals by whose handlers work is stopped.
_INTERRUPTS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

# Bytes taken at a time.
_PIECE = 1 << 24


class Content(NamedTuple):
    """What a file of weights holds."""

    values: NDArray[Any]
    cues: list[str]
    outcomes: list[str]
    parameters: dict[str, Any]
    state: Mapping[str, NDArray[Any]] = {}


def check_folder(folder: str) -> None:
    """FileNotFoundError where there is no such folder to write to."""
    if not os.path.isdir(folder):
        # As the engine says it of its own files.
        missing = f"no folder {folder}; make it first, or write elsewhere"
        raise FileNotFoundError(errno.ENOENT, missing, folder)


def free_bytes(folder: str) -> int | None:
    """How much this process may write to a folder's disk; None where the system does not say."""
    disk = shutil.disk_usage(folder)
    if disk.total == 0:
        return None
    # A part of some disks is kept for root.
    return disk.total - disk.used if hasattr(os, "geteuid") and os.geteuid() == 0 else disk.free


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """A temporary file to open and write to, which becomes the path when it is complete; on failure it goes.

    It may have no name: what is given is then the path of an open file, of this process alone.
    """
    file = AtomicFile(path)
    try:
        yield file.temporary
        file.finish()
    finally:
        file.discard()


@contextmanager
def writing(path: str, mode: str = "wb", **how: Any) -> Iterator[IO[Any]]:
    """A file to write to, opened so, which becomes the path when it is complete; errors name the path."""
    with replacing(path) as file, naming(path), open(file, mode, **how) as stream:
        yield stream


def mapped_files(values: object) -> list[str]:
    """The files that the elements of an array lie in."""
    files = []
    array: Any = values
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and array.filename is not None:
            files.append(os.fspath(array.filename))
        array = array.base
    return files


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Put the user's own name for a file into errors of the system, in place of a temporary's or of none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), path) from error


def reserve(descriptor: int, size: int) -> None:
    """Raise what the system says where a disk has no room for so many bytes of a file."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            # A file system that cannot reserve room is no reason not to try.
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise


@contextmanager
def reading(path: str, expected: str) -> Iterator[None]:
    """Turn whatever a reader of another library trips over into one kind of error that names the file."""
    try:
        yield
    except (MemoryError, FormatError):
        raise
    except Exception as error:
        # Libraries raise OSError for damaged files too: without an error number of the system, or for a wrong
        # seek.
        if isinstance(error, OSError) and (error.errno or 0) > 0 and error.errno != errno.EINVAL:
            raise
        found = (error.args and error.args[0]) or type(error).__name__
        raise FormatError(
            f"{path}: expected {expected}, found a foreign or damaged one: {found}; save it again"
        ) from error


def pieces(values: NDArray[Any]) -> Iterator[NDArray[np.uint8]]:
    """The bytes of a matrix, row after row, some at a time."""
    rows = max(1, _PIECE // max(1, values.itemsize * values.shape[1]))
    for start in range(0, len(values), rows):
        yield np.ascontiguousarray(values[start : start + rows]).reshape(-1).view(np.uint8)


def labels_checksum(*labels: object) -> str:
    """The checksum of labels, as JSON has them, whatever the order of the names in a mapping."""
    import json

    text = json.dumps(labels, default=_plain_or_error, sort_keys=True)
    return checksum_text(crc32c(np.frombuffer(text.encode("ascii"), dtype=np.uint8)))


def values_checksum(values: NDArray[Any]) -> str:
    """The checksum of a matrix, row after row."""
    checksum = 0
    for piece in pieces(values):
        checksum = crc32c(piece, checksum)
    return checksum_text(checksum)


def checksum_text(checksum: int) -> str:
    """A checksum as files have it."""
    return f"{checksum:08x}"


def check_values(path: str, checksum: object, values: NDArray[Any]) -> None:
    """FormatError where values are not those that were written; files of other programs have no checksum."""
    if checksum is not None and (found := values_checksum(values)) != checksum:
        raise FormatError(f"{path}: expected values with checksum {checksum}, found {found}; {AGAIN}")


def as_json(value: object) -> str:
    """What JSON has for a value."""
    import json

    return json.dumps(value, default=_plain_or_error)


def parsed(text: str) -> dict[str, Any]:
    """What JSON says, if it says names and values."""
    import json

    parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise ValueError(f"a {type(parsed).__name__} in place of names and values")
    return parsed


def as_python(value: Any) -> Any:
    """A number or an array of numpy's as Python's own."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _plain_or_error(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return as_python(value)
    raise TypeError(f"parameters must be values that JSON has, not {type(value).__name__}")


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """Wait while another process renames several things in this folder: some milliseconds."""
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        # No locks here. Two writers may then leave a part of each, which is refused when it is read.
        yield
        return
    try:
        for _ in range(_TRIES):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                sleep(_PAUSE)
            except OSError:
                break
        yield
    finally:
        with suppress(OSError):
            os.close(descriptor)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let an interrupt wait until something short is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[tuple[Any, ...]] = []
    handlers = {each: signal.getsignal(each) for each in _INTERRUPTS}
    before = {each: handler for each, handler in handlers.items() if callable(handler)}
    for each in before:
        signal.signal(each, lambda *given: waiting.append(given))
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        if waiting:
            before[waiting[0][0]](*waiting[0])
