"""Room for the elements of an array in an HDF5 file that the library makes without them.

The library gives an array its place in a file when elements are first written. Until then the file has ones
in place of an address. Here the array gets the place behind the end of the file, so that whoever writes the
file can write the elements there: they need not be copied into memory first, let alone twice. Two things
change, and each is under a checksum: the address and the end of the file. A file that is not exactly as the
specification has it is left to the library.

HDF5 File Format Specification Version 3.0: II.A (superblock), IV.A.1.b (object headers of version 2) and
IV.A.2.i (layout). https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_BITS = 0xFFFFFFFF
# Places in a superblock of version 2 or 3: the end of the file, and the checksum of what stands before it.
_END, _SUM = 28, 44
# Elements begin at a multiple of this.
_ALIGNED = 8
# A layout of version 3 or 4, contiguous.
_LAYOUTS = (b"\x03\x01", b"\x04\x01")
_NOWHERE = b"\xff" * 8


def end_of(file: bytes | memoryview | NDArray[np.uint8]) -> int | None:
    """Where a file ends, as its superblock says; None where that is of an older version."""
    start = bytes(file[: _SUM + 4])
    if len(start) < _SUM + 4 or start[:8] != _SIGNATURE or start[8] not in (2, 3):
        return None
    return _number(start[_END : _END + 8])


def with_room(file: bytes, size: int) -> bytes | None:
    """What to write before so many bytes of elements; None where the file is not as expected.

    The file has one array of that size whose elements were not written.
    """
    if size == 0 or file[:8] != _SIGNATURE or file[8] not in (2, 3) or file[9:11] != b"\x08\x08":
        return None
    about = [layout + _NOWHERE + size.to_bytes(8, "little") for layout in _LAYOUTS]
    found = [place for each in about if (place := file.find(each)) >= 0]
    if len(found) != 1 or len(file) != _number(file[_END : _END + 8]):
        return None
    header = _header(file, found[0])
    if header is None or not all(_is_sound(file, part) for part in (header, slice(0, _SUM))):
        return None
    start = -(-len(file) // _ALIGNED) * _ALIGNED
    changed = bytearray(file.ljust(start, b"\0"))
    address = found[0] + len(_LAYOUTS[0])
    changed[address : address + 8] = start.to_bytes(8, "little")
    changed[_END : _END + 8] = (start + size).to_bytes(8, "little")
    for part in (header, slice(0, _SUM)):
        changed[part.stop : part.stop + 4] = lookup3(changed[part]).to_bytes(4, "little")
    return bytes(changed)


def _header(file: bytes, place: int) -> slice | None:
    """The part of an object header, up to its checksum, in which a place lies."""
    start = max(file.rfind(signature, 0, place) for signature in (b"OHDR", b"OCHK"))
    if start < 0:
        return None
    if file[start : start + 4] == b"OHDR":
        flags = file[start + 5]
        # Times of access and limits of attributes may stand before the size of the messages.
        sized = start + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
        messages = sized + (1 << (flags & 3))
        stop = messages + _number(file[sized:messages])
    else:
        # Whatever continues in this part says where it is and how long, with its checksum.
        at = file.find(start.to_bytes(8, "little"))
        if at < 0:
            return None
        stop = start + _number(file[at + 8 : at + 16]) - 4
    return slice(start, stop) if place < stop <= len(file) - 4 else None


def _is_sound(file: bytes, part: slice) -> bool:
    return lookup3(file[part]) == _number(file[part.stop : part.stop + 4])


def _number(digits: bytes) -> int:
    return int.from_bytes(digits, "little")


def lookup3(data: bytes | bytearray) -> int:
    """The checksum of HDF5's metadata: Bob Jenkins's lookup3, ``hashlittle`` with 0 to begin with."""
    a = b = c = (0xDEADBEEF + len(data)) & _BITS
    # The last twelve bytes, or what there is of them, come into the final round.
    for start in range(0, len(data), 12):
        piece = bytes(data[start : start + 12]).ljust(12, b"\0")
        a, b, c = ((x + _number(piece[i : i + 4])) & _BITS for x, i in ((a, 0), (b, 4), (c, 8)))
        if start + 12 < len(data):
            for shift in (4, 6, 8, 16, 19, 4):
                a = (a - c & _BITS) ^ _turned(c, shift)
                a, b, c = b, (c + b) & _BITS, a
    if data:
        for shift in (14, 11, 25, 16, 4, 14, 24):
            c = (c ^ b) - _turned(b, shift) & _BITS
            a, b, c = b, c, a
        # The last turn put the sum there.
        c = b
    return c


def _turned(x: int, shift: int) -> int:
    return (x << shift | x >> (32 - shift)) & _BITS
