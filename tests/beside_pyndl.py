"""What tests of `rescorla.compat.pyndl` share: random events and tables, and pyndl kept from waiting.

Everything random comes from a seed, which a failure names.
"""

import gzip
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

REASON = "pyndl is not installed: pip install 'rescorla[bench]'"

# A call of pyndl that takes longer does not end.
PATIENCE = 60

# Names of one letter and more, of several scripts; some have blanks, quotes or marks.
NAMES = [*"abcdefghij", "#ha", "and#", "é", "日本", "b c", '"q', "x,y", "0", "😀"]

Row = tuple[list[str], list[str]]


@contextmanager
def case(seed: int) -> Iterator[random.Random]:
    """The random numbers of a case."""
    try:
        yield random.Random(seed)
    except Exception as error:
        error.add_note(f"with seed {seed}")
        raise


@contextmanager
def patience(seconds: int = PATIENCE) -> Iterator[None]:
    """TimeoutError where a call does not end."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError(f"pyndl did not end within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def beside(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What pyndl gives, unless it does not end."""
    with patience():
        return function(*args, **kwargs)


def names(rng: random.Random, known: list[str], most: int, twice: bool) -> list[str]:
    """Some names, of which the same may come twice."""
    n = rng.randint(1, most)
    return rng.choices(known, k=n) if twice else rng.sample(known, k=min(n, len(known)))


def rows(rng: random.Random, *, twice: bool = False, empty: bool = True, most: int = 40) -> list[Row]:
    """Events of cues and outcomes; some have an empty name."""
    cues, outcomes = (rng.sample(NAMES, k=rng.randint(1, len(NAMES))) for _ in range(2))
    found = []
    for _ in range(rng.randint(1, most)):
        sides = names(rng, cues, 5, twice), names(rng, outcomes, 3, twice)
        for side in sides:
            if empty and rng.random() < 0.05:
                side[:] = rng.choice([[""], [*side, ""], ["", *side]])
        found.append(sides)
    return found


def write(path: Path, events: list[Row], rng: random.Random, *, frequencies: bool = True) -> Path:
    """A table of one token at least, as different programs write them; of none pyndl waits for ever."""
    has_frequencies = frequencies and rng.random() < 0.3
    end = rng.choice(["\n", "\n", "\r\n"])
    lines = [rng.choice(["cues\toutcomes", "Cues\tOutcomes\tFrequency", "one\tother"])]
    for cues, outcomes in events:
        cells = ["_".join(cues), "_".join(outcomes)]
        if has_frequencies and rng.random() < 0.8:
            cells.append(str(rng.choice([0, 1, 2, 3]) if len(lines) > 1 else 1))
        lines.append("\t".join(cells))
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        file.write(end.join(lines) + rng.choice([end, ""]))
    return path


def text(path: Path, content: str) -> Path:
    """A table with this text."""
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        file.write(content)
    return path


def content(path: Path) -> str:
    """The text of a table."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return file.read()


def assert_same_array(ours: Any, theirs: Any, tolerance: float = 0.0, ordered: bool = True) -> None:
    """The same dimensions, names, order and numbers; and attributes of the same names."""
    assert ours.dims == theirs.dims
    assert type(ours) is type(theirs)
    assert set(ours.coords) == set(theirs.coords)
    assert list(ours.attrs) == list(theirs.attrs) or set(ours.attrs) == set(theirs.attrs)
    assert all(type(value) is str for value in ours.attrs.values())
    if not ordered:
        for dim in ours.coords:
            assert sorted(ours.coords[dim].values.tolist()) == sorted(theirs.coords[dim].values.tolist())
        theirs = theirs.loc[{dim: ours.coords[dim].values for dim in ours.coords}]
    for dim in ours.coords:
        assert ours.coords[dim].values.tolist() == theirs.coords[dim].values.tolist()
        assert ours.coords[dim].dtype.kind == theirs.coords[dim].dtype.kind
    assert ours.dtype == theirs.dtype
    assert_close(ours.values, theirs.values, tolerance)


def assert_close(ours: Any, theirs: Any, tolerance: float) -> None:
    """The same bits, or numbers that differ by so much of the greatest one at most."""
    assert np.shape(ours) == np.shape(theirs)
    if tolerance == 0.0:
        assert np.array_equal(ours, theirs)
    elif np.size(ours):
        scale = max(1.0, float(np.abs(theirs).max()))
        assert float(np.abs(np.asarray(ours) - np.asarray(theirs)).max()) <= tolerance * scale


def raised(function: Callable[..., Any], *args: Any, **kwargs: Any) -> BaseException:
    """What a call raises; it must raise something."""
    try:
        with patience():
            result = function(*args, **kwargs)
            if hasattr(result, "__next__"):
                list(result)
    except Exception as error:
        if isinstance(error, TimeoutError):
            raise
        return error
    raise AssertionError("nothing was raised")
