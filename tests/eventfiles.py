"""Bytes of event files."""

from pathlib import Path

import numpy as np
from rescorla._core import crc32c

# Where the header of a file has what is needed here, in bytes.
FEATURES, DIRECTORY, LENGTH, PARAMETERS, SEAL = 12, 80, 88, 104, 124


def unmade(path: Path) -> bytes:
    """The bytes of a file, without those that say what made it: files of the same events have the same."""
    file = bytearray(path.read_bytes())
    start, directory = number(file, PARAMETERS), number(file, DIRECTORY)
    assert start, f"{path} does not say what made it"
    del file[start:directory]
    file[FEATURES] &= ~4
    for field in (DIRECTORY, LENGTH):
        put(file, field, number(file, field) - (directory - start))
    put(file, PARAMETERS, 0)
    file[SEAL : SEAL + 4] = crc32c(np.frombuffer(file[:SEAL], dtype=np.uint8)).to_bytes(4, "little")
    return bytes(file)


def number(file: bytes | bytearray, at: int) -> int:
    """The whole number of eight bytes there."""
    return int.from_bytes(file[at : at + 8], "little")


def put(file: bytearray, at: int, number: int) -> None:
    """Write a whole number of eight bytes there."""
    file[at : at + 8] = number.to_bytes(8, "little")
