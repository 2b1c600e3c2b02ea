"""A checksum of a whole file, written behind its end, where readers of HDF5 do not look.

It is looked at before the library opens the file: of damaged files some keep the library busy for ever. Who
changes a file by the library cuts the checksum off, so that the file is one of another program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rescorla._core import FormatError, crc32c
from rescorla._weights import hdf5
from rescorla._weights.disk import AGAIN, checksum_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARK = b"rescorla crc32c="
_SIZE = len(_MARK) + 8

# Bytes between which Ctrl-C is heard.
_PIECE = 1 << 24


def seal(checksum: int) -> bytes:
    """What is written behind a file of that checksum."""
    return _MARK + checksum_text(checksum).encode("ascii")


def check_seal(path: str, file: NDArray[np.uint8]) -> None:
    """FormatError where a file is not what was sealed; those of other programs have no seal."""
    end = len(file) - _SIZE
    if end > 0 and file[end : end + len(_MARK)].tobytes() == _MARK:
        checksum = 0
        for start in range(0, end, _PIECE):
            checksum = crc32c(file[start : min(start + _PIECE, end)], checksum)
        if file[end:].tobytes() != seal(checksum):
            expected = file[end + len(_MARK) :].tobytes()
            raise FormatError(
                f"{path}: expected a file with checksum {expected.decode('ascii', 'replace')}, found "
                f"{checksum_text(checksum)}; {AGAIN}"
            )
        return
    said = hdf5.end_of(file)
    # Nobody else leaves some bytes there, and no more.
    if said is not None and (len(file) < said or said < len(file) <= said + _SIZE):
        raise FormatError(
            f"{path}: expected a file of {said:,} bytes and a checksum behind them, found {len(file):,} "
            f"bytes; {AGAIN}"
        )
