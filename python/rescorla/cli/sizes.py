"""Sizes of memory, as options say them."""

from __future__ import annotations

import argparse
import re

_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{unit}": base**power
    for unit, base, prefixes in (("iB", 1024, "KMGT"), ("B", 1000, "kMGT"))
    for power, prefix in enumerate(prefixes, 1)
}


def size(text: str) -> int:
    """A number of bytes, as in 512MiB or 2GB."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)", text)
    if found is None or found[2] not in _UNITS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of bytes; write 512MiB, 2GB or 1000000, with a unit of "
            f"{', '.join(unit for unit in _UNITS if unit)}"
        )
    return int(float(found[1]) * _UNITS[found[2]]) if "." in found[1] else int(found[1]) * _UNITS[found[2]]
