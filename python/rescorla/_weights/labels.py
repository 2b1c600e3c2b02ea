"""What a key of ``weights[cues, outcomes]`` picks, as pandas' ``.loc`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AnySet
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rescorla._shared.checks import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

Names: TypeAlias = slice | Iterable[str]
"""Several names: a list of them, or a slice from one to another, both included."""

Places: TypeAlias = "int | slice | NDArray[np.int64]"
"""Where they are: a name's place, whose axis goes; a run of places; or places in any order."""


def places_of(
    kind: str, key: object, numbers: Mapping[str, int], unknown: Callable[[str], Exception]
) -> Places:
    """The places that one half of a key picks: of a name, of several, or of a slice by name.

    `kind` is "cue" or "outcome", `unknown` makes the error of a name that is not among the numbers.
    """
    if isinstance(key, str):
        return _place(key, numbers, unknown)
    if isinstance(key, slice):
        if key.step is not None:
            raise TypeError(
                f"a slice of {kind}s goes from one name to another, without a step; take a list of names: "
                f"weights.{kind}s[::2] has every other one"
            )
        for end in (key.start, key.stop):
            if end is not None and not isinstance(end, str):
                raise _no_name(kind, end)
        start = 0 if key.start is None else _place(key.start, numbers, unknown)
        stop = len(numbers) if key.stop is None else _place(key.stop, numbers, unknown) + 1
        return slice(start, max(start, stop))
    if isinstance(key, np.ndarray) and key.ndim != 1:
        raise TypeError(
            f"{kind}s must be a name, a list of names or a slice, not {shown(key)} of {key.ndim} dimensions"
        )
    if isinstance(key, AnySet | Mapping):
        raise TypeError(f"{kind}s in {shown(key)} have no order; write sorted(...)")
    if not isinstance(key, Iterable) or isinstance(key, bytes | bytearray):
        raise _no_name(kind, key)
    found = []
    for name in key:
        if not isinstance(name, str):
            raise _no_name(kind, name)
        found.append(_place(name, numbers, unknown))
    return np.array(found, dtype=np.int64)


def _place(name: str, numbers: Mapping[str, int], unknown: Callable[[str], Exception]) -> int:
    place = numbers.get(name)
    if place is None:
        raise unknown(name)
    return place


def _no_name(kind: str, value: object) -> TypeError:
    """What to write in place of a number, of a mask, or of what else is no name."""
    told = (
        f"weights[cues, outcomes] takes names of {kind}s, lists of them and slices from one to another, not "
    )
    if isinstance(value, bool | np.bool_):
        return TypeError(f"{told}masks; write weights.values[...], or a list of the names that are wanted")
    if isinstance(value, int | float | np.number):
        return TypeError(
            f"{told}numbers such as {value}; write weights.values[...], or weights.{kind}s[number]"
        )
    if value is Ellipsis:
        return TypeError(f"{told}...; write : for all {kind}s")
    return TypeError(f"{told}{shown(value)}")
