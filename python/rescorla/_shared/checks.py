"""What callers say, checked and turned into what the engine takes."""

from __future__ import annotations

import math
import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard

import numpy as np

# Loaded with this module: while numpy loads it, an interrupt can be lost, and a long call would go on.
from numpy.random import Generator, SeedSequence, default_rng

import rescorla._core as _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

PathName: TypeAlias = str | os.PathLike[str]
PerName: TypeAlias = "float | Mapping[str, float] | ArrayLike"
"""One number for all names, a mapping from names, or an array in the order of the names."""

Seed: TypeAlias = int | Generator | SeedSequence
"""Where random numbers come from: a Generator goes on from where it is, and the next call draws others."""

Side: TypeAlias = Literal["cues", "outcomes"]

Duplicates: TypeAlias = Literal["drop", "keep", "error"]
"""What becomes of a cue that an event has twice."""

DUPLICATES = ("drop", "keep", "error")

# Names that are compared letter by letter to find a near one.
_MANY = 20_000

_ELEMENTS = (np.dtype(np.float64), np.dtype(np.float32))


# What the engine counts with.
_MOST = 2**63 - 1


def path_name(path: PathName, argument: str = "path") -> str:
    """The str of a path; TypeError if it is none, ValueError if no file can have that name."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"{argument} must be a path, not {shown(path)}")
    name = str(os.fsdecode(path))
    try:
        possible = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise ValueError(f"{argument} must be a path, and no file can be called {name!r}; name another")
    return name


def maybe_path_name(path: PathName | None) -> str | None:
    """The str of a path, if there is one."""
    return None if path is None else path_name(path)


def flag(argument: str, value: object) -> bool:
    """True or False; TypeError for whatever else."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{argument} must be True or False, not {shown(value)}")
    return bool(value)


def named(argument: str, value: object) -> str:
    """A name; TypeError for what is none."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a name, a str, not {shown(value)}")
    return str(value)


def string(argument: str, value: object) -> str:
    """A str that files can hold: TypeError if it is none, ValueError if it has half a character."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a str, not {shown(value)}")
    value = str(value)
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{argument} must be text in Unicode, not {value!r}, which has a lone surrogate")
    return value


def only_names(
    wanted: str, labels: Iterable[object], *, numbers: bool = False, cure: str | None = None
) -> list[str]:
    """Labels that are names, each a str; TypeError that begins with what is wanted, and ends with a cure.

    Where `numbers` are taken as well, the numeral is the name. The cure is for labels that are there, but no
    names; for missing ones it is always the same.
    """
    names = []
    for label in labels:
        if isinstance(label, str):
            names.append(str(label))
        elif is_missing(label):
            raise TypeError(
                f"{wanted}, but {label} is no name; if pandas took a word such as nan or None for a missing "
                "entry, read the table with pandas.read_csv(..., keep_default_na=False)"
            )
        elif numbers and isinstance(label, Real) and not isinstance(label, bool | np.bool_):
            names.append(str(label))
        else:
            made = repr(str(label)) if is_number(label) else "a str"
            raise TypeError(f"{wanted}, but {shown(label)} is no name; {cure or f'write {made}'}")
    return names


def is_missing(value: object) -> bool:
    """Whether an entry is None, NaN or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA does not say whether it differs from itself.
        return True


def several(argument: str, values: Any, kind: str = "names") -> list[Any]:
    """The entries of a list in their order: TypeError if it is none, or a set, which has no order."""
    values = plain(values)
    if isinstance(values, str | bytes | bytearray):
        what = f"the str {values!r}" if isinstance(values, str) else shown(values)
        raise TypeError(f"{argument} must be several {kind}, not {what}; write [{values!r}]")
    ordered(argument, unmasked(argument, values))
    try:
        entries = iter(values)
    except TypeError:
        raise TypeError(f"{argument} must be several {kind}, not {shown(values)}") from None
    return [plain(entry) for entry in entries]


def is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether something has entries: an array of no dimensions has the method, but none."""
    return isinstance(value, Iterable) and not (isinstance(value, np.ndarray) and value.ndim == 0)


def ordered(argument: str, values: object) -> None:
    """TypeError for a set: what comes first in it is another thing in each run."""
    if isinstance(values, set | frozenset):
        raise TypeError(
            f"{argument} must have an order, and a {type(values).__name__} has none; write sorted(...)"
        )


def one_of(argument: str, value: object, choices: tuple[object, ...]) -> None:
    """ValueError that lists the choices, unless the value is one of them."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        listed = " or ".join(map(repr, choices))
        close = near(value, [choice for choice in choices if isinstance(choice, str)])
        raise ValueError(f"{argument} must be {listed}, not {shown(value)}{close}")


def numbered(names: Iterable[str]) -> dict[str, int]:
    """Each name's position."""
    return {name: position for position, name in enumerate(names)}


def chosen(
    argument: str, names: Iterable[str], known: Mapping[str, int], kind: str | None = None
) -> NDArray[np.int64]:
    """The positions of the names that a caller picks; they are of the kind that the argument is called by."""
    picked: dict[str, int] = {}
    for name in only_names(f"{argument} must be names", several(argument, names)):
        if name not in known:
            raise KeyError(
                f"{argument} names {name!r}, which is none of the {len(known)} {kind or argument} there are"
                f"{near(name, known)}"
            )
        if name in picked:
            raise ValueError(f"{argument} names {name!r} twice; name it once")
        picked[name] = known[name]
    return np.fromiter(picked.values(), dtype=np.int64, count=len(picked))


def named_twice(names: Iterable[str]) -> str | None:
    """The first name that comes again, if one does."""
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def places(names: Sequence[str], known: Mapping[str, int]) -> NDArray[np.int64]:
    """The position of each name, -1 where it is unknown."""
    return np.fromiter((known.get(name, -1) for name in names), dtype=np.int64, count=len(names))


def number(argument: str, value: object) -> float:
    """A finite number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{argument} must be a number, not {type(value).__name__}")
    try:
        converted = float(value)
    except OverflowError:
        raise ValueError(f"{argument} must be finite as a float64, not {shown(value)}") from None
    if not np.isfinite(converted):
        raise ValueError(f"{argument} must be finite, not {converted}")
    return converted


def rate(argument: str, value: object) -> float:
    """A finite number that is not negative."""
    converted = number(argument, value)
    if converted < 0:
        raise ValueError(f"{argument} must be 0 or more, not {converted}")
    return converted


def whole(argument: str, value: object, least: int = 0, other: str | None = None, most: float = _MOST) -> int:
    """A whole number of `least` or more; `other`, for the message, is what may be said instead."""
    wanted = f"{argument} must be a whole number of {least} or more"
    if other is not None:
        wanted += f", or {other}"
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{wanted}, not {value}")
    try:
        converted = index(value)  # type: ignore[arg-type]
    except TypeError:
        # A float that is whole is refused as well: what made it may give another one next time.
        raise TypeError(f"{wanted}, not {shown(value)}") from None
    if converted < least:
        raise ValueError(f"{wanted}, not {shown(converted)}")
    if converted > most:
        raise ValueError(f"{argument} must be at most {most}, not {shown(converted)}")
    return converted


def generator(seed: object) -> Generator:
    """Where random numbers come from; None would not come again."""
    return default_rng(seed if isinstance(seed, Generator | SeedSequence) else seed_number(seed))


def seed_number(seed: object) -> int:
    """A number as it is; of a Generator or SeedSequence, one that it draws."""
    if isinstance(seed, Generator | SeedSequence):
        return int(default_rng(seed).integers(np.iinfo(np.int32).max))
    return whole("seed", seed, 0, "a numpy Generator or SeedSequence", most=np.inf)


def recorded_seed(seed: object) -> int | None:
    """What `generator` was told, in a form that JSON has: None unless it was a number."""
    return None if seed is None or isinstance(seed, Generator | SeedSequence) else seed_number(seed)


def shown(value: object) -> str:
    """A value for a message: as it is where that is short, else its type."""
    if isinstance(value, str | bytes | int | float | np.generic | type(None)):
        text = repr(value.item() if isinstance(value, np.generic) else value)
        if len(text) <= 60:
            return text
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' or name == 'ndarray' else 'a'} {name}"


def plain(value: Any) -> Any:
    """A str, number or truth value of numpy's as Python's own, whose repr does not name numpy's type."""
    return value.item() if isinstance(value, np.str_ | np.bytes_ | np.number | np.bool_) else value


def near(name: object, known: Iterable[object]) -> str:
    """A question that names the known name most like an unknown one, to end a message with; or nothing."""
    if not isinstance(name, str):
        return ""
    # The keys of a mapping may be anything.
    wanted, names = _folded(name), [str(other) for other in known if isinstance(other, str)]
    if name in names:
        return ""
    same = next((other for other in names if _folded(other) == wanted), None)
    if same is not None:
        looks_the_same = unicodedata.normalize("NFC", same) == unicodedata.normalize("NFC", name)
        return f"; did you mean {f'{same!a}, which looks the same' if looks_the_same else repr(same)}?"
    # Of very many names difflib would take seconds: only those of nearly the same length can be meant.
    alike = {_folded(other): other for other in names if abs(len(other) - len(name)) <= 2}
    if len(alike) > _MANY:
        alike = {folded: other for folded, other in alike.items() if folded[:1] == wanted[:1]}
    found = get_close_matches(wanted, list(alike)[:_MANY], n=1)
    return f"; did you mean {alike[found[0]]!r}?" if found else ""


def _folded(name: str) -> str:
    """A name without what is easily overlooked: case, blanks at its ends, and how its letters are encoded."""
    return unicodedata.normalize("NFC", name.strip().casefold())


def rates(beta: object) -> tuple[float, float]:
    """beta1 and beta2 of a number or a pair."""
    if isinstance(beta, Sequence | np.ndarray) and np.ndim(unmasked("beta", beta)) > 0:
        if len(beta) != 2:
            raise ValueError(f"beta must be a number or a pair (beta1, beta2), not {len(beta)} numbers")
        return rate("beta", beta[0]), rate("beta", beta[1])
    both = rate("beta", beta)
    return both, both


def is_number(value: object) -> bool:
    """Whether an argument is one number for all names."""
    return isinstance(value, Real) or (isinstance(value, np.ndarray) and value.ndim == 0)


def per_name(
    argument: str,
    value: PerName,
    names: Sequence[str],
    kind: str,
    element: np.dtype[Any],
    *,
    negative: bool = False,
) -> NDArray[np.float64]:
    """An array with one entry for each name, finite in `element`."""
    if is_number(value):
        array = np.full(len(names), (number if negative else rate)(argument, value))
    elif isinstance(value, Mapping):
        array = real_array(argument, [_entry(argument, value, name, kind) for name in names])
    elif isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        raise TypeError(f"{argument} must be a number, a mapping or an array, not {type(value).__name__}")
    else:
        array = real_array(argument, value)
        if array.shape != (len(names),):
            raise ValueError(
                f"{argument} must be an array of {len(names)} numbers, one for each {kind} of the result, "
                f"not of {' x '.join(map(str, array.shape))}"
            )
    with np.errstate(over="ignore"):
        bad = ~np.isfinite(array.astype(element))
    if not negative:
        bad |= array < 0
    if bad.any():
        first = int(bad.argmax())
        wanted = f"finite in {element}" + ("" if negative else " and 0 or more")
        raise ValueError(f"{argument} must be {wanted}, not {array[first]} (for the {kind} {names[first]!r})")
    return array


def recorded(value: PerName, array: NDArray[np.float64]) -> float | list[float]:
    """What `per_name` was told, in a form that JSON has."""
    return float(value) if is_number(value) else array.tolist()  # type: ignore[arg-type]


def element_type(dtype: DTypeLike) -> np.dtype[Any]:
    """float64 or float32."""
    try:
        element = np.dtype(dtype)
    except (TypeError, ValueError):
        element = np.dtype(object)
    if element not in _ELEMENTS:
        raise ValueError(f"dtype must be 'float64' or 'float32', not {shown(dtype)}")
    return element


def thread_count(threads: int | None) -> int:
    """How many threads to use; None: as many as this process may run at once."""
    if threads is not None:
        return whole("threads", threads, 1)
    # From Python 3.13 on: what the user said by -X cpu_count or PYTHON_CPU_COUNT.
    told = getattr(sys, "_get_cpu_count_config", lambda: -1)()
    if told > 0:
        return int(told)
    count = getattr(os, "sched_getaffinity", None)
    processors = len(count(0)) if count is not None else os.cpu_count() or 1
    # Python knows nothing of a container's share of the processors' time.
    return min(processors, _core.available_threads())


def in_rows(array: ArrayLike, element: np.dtype[Any]) -> NDArray[Any]:
    """The numbers as the engine reads them: of the type, aligned, row after row. A copy if they are not."""
    return np.require(array, element, ["C_CONTIGUOUS", "ALIGNED", "ENSUREARRAY"])


def room(what: str, shape: int | tuple[int, ...], element: np.dtype[Any], cure: str) -> NDArray[Any]:
    """Zeros of a shape, or a MemoryError that says for what there is no room."""
    size = element.itemsize * (math.prod(shape) if isinstance(shape, tuple) else shape)
    try:
        if size > sys.maxsize:
            raise MemoryError
        return np.zeros(shape, dtype=element)
    except MemoryError:
        raise MemoryError(
            f"{what} need {size} bytes ({size / 2**30:.1f} GiB) of memory, more than can be had; {cure}"
        ) from None


def _entry(argument: str, mapping: Mapping[str, float], name: str, kind: str) -> float:
    try:
        return mapping[name]
    except KeyError:
        raise KeyError(
            f"{argument} has no entry for the {kind} {name!r}; add one{near(name, mapping)}"
        ) from None


def unmasked(argument: str, value: object) -> Any:
    """What numpy may make an array of; TypeError for bytes, and for a mask, of which it says nothing."""
    if isinstance(value, bytes | bytearray):
        raise TypeError(
            f"{argument} must not be {type(value).__name__}; write list(...) if numbers are meant"
        )
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{argument} must not be a masked array; give {argument}.filled(...), or leave out what is masked"
        )
    return value


def real_array(argument: str, value: object) -> NDArray[np.float64]:
    """Real numbers as float64, of any shape."""
    try:
        array = np.asarray(unmasked(argument, value))
    except ValueError as error:
        raise ValueError(f"{argument} must be an array of numbers: {error}") from None
    if array.size and array.dtype.kind not in "iuf":
        raise TypeError(f"{argument} must consist of numbers, not of {array.dtype}")
    return array.astype(np.float64)
