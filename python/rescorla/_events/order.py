"""Which events to take, and in what order: their numbers, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Events picked at a time when making other events of these, and at most so many parts of a permutation:
# enough that crossing into Rust costs nothing, few enough that Ctrl-C and the progress bar need not wait.
PICKED = 1 << 18
PARTS = 1 << 10


def in_order(rows: range) -> Iterator[NDArray[np.int64]]:
    """The numbers of a range in blocks."""
    for start in range(0, len(rows), PICKED):
        block = rows[start : start + PICKED]
        yield np.arange(block.start, block.stop, block.step, dtype=np.int64)


def positions(key: object, n: int) -> NDArray[np.int64] | None:
    """The numbers that numpy would take of n by a list or an array; None if this is neither.

    Raises IndexError where numpy does.
    """
    if isinstance(key, str | bytes | tuple) or not hasattr(key, "__len__") or np.ndim(key) == 0:  # type: ignore[arg-type]
        return None
    found = np.asarray(key)
    if found.ndim != 1:
        raise IndexError(f"events have one dimension, and positions in {found.ndim} were given")
    if found.dtype == bool:
        if len(found) != n:
            raise IndexError(f"a mask needs a truth value for each of the {n} events, and has {len(found)}")
        return np.flatnonzero(found)
    if not len(found) and isinstance(key, list | range):
        return np.empty(0, dtype=np.int64)
    if found.dtype.kind not in "iu":
        raise IndexError(f"positions must be integers, or a mask of truth values, not {found.dtype}")
    outside = found[(found >= n) | (found < -n)] if n else found
    if len(outside):
        raise IndexError(f"there is no event {outside[0]} among {n} events")
    found = found.astype(np.int64)
    return np.where(found < 0, found + n, found)


def in_blocks(numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Numbers in blocks."""
    for start in range(0, len(numbers), PICKED):
        yield numbers[start : start + PICKED]


def members(chosen: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """The numbers of the chosen ones, in order and in blocks."""
    for start in range(0, len(chosen), PICKED):
        yield np.flatnonzero(chosen[start : start + PICKED]) + start


def permutation(frequencies: NDArray[np.int64], random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """The events of all tokens in a random order, in blocks.

    Each token goes to one of the blocks at random, and each block is shuffled: a permutation, each as likely
    as any other (Rao 1961, Sandelius 1962). No step is long, and none jumps about in memory.
    """
    ends = np.cumsum(frequencies)
    n_tokens = int(ends[-1]) if len(ends) else 0
    if n_tokens <= PICKED:
        # The one block that there would be below, with the same bits.
        block = np.repeat(np.arange(len(ends), dtype=np.int64), frequencies)
        random.shuffle(block)
        yield block
        return
    n_parts = min(-(-n_tokens // PICKED), PARTS)
    number = np.uint32 if len(ends) < 1 << 32 else np.int64
    parts: list[list[NDArray[Any]]] = [[] for _ in range(n_parts)]
    for start in range(0, n_tokens, PICKED):
        tokens = np.arange(start, min(start + PICKED, n_tokens))
        events = np.searchsorted(ends, tokens, side="right").astype(number)
        part_of = random.integers(n_parts, size=len(events), dtype=np.uint16)
        by_part = events[np.argsort(part_of, kind="stable")]
        counts = np.bincount(part_of, minlength=n_parts)
        for part, some in zip(parts, np.split(by_part, np.cumsum(counts)[:-1]), strict=True):
            part.append(some)
    for part in parts:
        block = np.concatenate(part)
        part.clear()
        random.shuffle(block)
        yield block.astype(np.int64)


def token_orders(n: int, frequencies: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """The tokens of n passes, each pass in the order of `permutation`: row by row, the numbers of tokens.

    The tokens of an event are alike. Each time that the event comes its first token stands for it.
    """
    first_tokens = np.cumsum(frequencies) - frequencies
    found = np.empty((n, int(frequencies.sum())), dtype=np.int64)
    for tokens in found:
        start = 0
        for events in permutation(frequencies, random):
            tokens[start : start + len(events)] = first_tokens[events]
            start += len(events)
    return found


def evenly(counts: Sequence[int]) -> NDArray[np.int64]:
    """So many of each kind spread as evenly as can be, always in the same way: the kinds in their order.

    After each t of n in all, of kind i, which has n_i, there are t * n_i / n, but for at most
    1 - 1 / (2 * kinds - 2): no order of kinds has a smaller bound.

    Of the kinds whose next one is not too early, that comes first whose next one would be too late first
    (Tijdeman 1980, The chairman assignment problem, Discrete Mathematics 32, 323-330); of several such kinds
    the one that is listed first.
    """
    common = gcd(*counts)
    counts = [count // common for count in counts]
    n, slack = sum(counts), 2 * len(counts) - 2
    if not slack:
        return np.zeros(n * common, dtype=np.int64)
    waiting = [(_earliest(0, count, n, slack), kind) for kind, count in enumerate(counts)]
    heapify(waiting)
    ready: list[tuple[int, int]] = []
    taken = [0] * len(counts)
    found = np.empty(n, dtype=np.int64)
    for position in range(n):
        while waiting and waiting[0][0] <= position + 1:
            _, kind = heappop(waiting)
            heappush(ready, (_latest(taken[kind], counts[kind], n, slack), kind))
        _, kind = heappop(ready)
        found[position] = kind
        taken[kind] += 1
        if taken[kind] < counts[kind]:
            heappush(waiting, (_earliest(taken[kind], counts[kind], n, slack), kind))
    return np.tile(found, common)


def _earliest(taken: int, count: int, n: int, slack: int) -> int:
    """The first t with t * count / n - taken >= 1 / slack."""
    return -(-n * (1 + slack * taken) // (slack * count))


def _latest(taken: int, count: int, n: int, slack: int) -> int:
    """The last t with (t - 1) * count / n - taken <= 1 - 1 / slack."""
    return n * (slack * (taken + 1) - 1) // (slack * count) + 1
