"""Which tiles make a task: the dearest first, and some seconds to some minutes each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rescorla._events.events import Events
    from rescorla._store.store import Store

# Seconds. What a task costs the scheduler is nothing beside the one; a worker that dies loses no more than
# the other.
SHORTEST, LONGEST = 10.0, 600.0

# A task names at most so many tiles, to remain a short message.
MOST = 100


def costs(events: Events, store: Store) -> NDArray[np.float64]:
    """What the tiles cost, one beside another, by how often their names occur.

    A column costs the events from its first on, a row those up to its last. A name that occurs k times among
    T tokens in random order comes first after T / (k + 1) of them, so that k / (k + 1) of all are left.
    """
    if store.lanes == "columns":
        names, own, counts = store.outcomes, events.outcomes, events.outcome_counts
    else:
        names, own, counts = store.cues, events.cues, events.cue_counts
    known = dict(zip(own, counts.tolist(), strict=True))
    # A name that no event has comes from initial weights, with which a column costs all events.
    times = np.fromiter((known.get(name, events.n_tokens) for name in names), np.float64, len(names))
    shares = times / (times + 1)
    return np.array([shares[slice(*store.bounds(tile))].sum() for tile in range(store.n_tiles)])


class Tasks:
    """Tiles that are to be learned, given out in tasks.

    Until a rate is known a task is one tile; then it is what takes a quarter of a thread's share of what is
    left, but 10 s to 10 min. So the last tasks are the shortest, and threads end together. A whole tile is
    the least.
    """

    def __init__(self, costs: NDArray[np.float64], missing: Iterable[int], n_tasks: int | None) -> None:
        self._costs = costs
        self._left = sorted(missing, key=lambda tile: (-costs[tile], tile))
        self._done = self._seconds = 0.0
        self._size = None if n_tasks is None else float(costs[self._left].sum()) / n_tasks

    def __bool__(self) -> bool:
        return bool(self._left)

    @property
    def measured(self) -> bool:
        """Whether the size of a task is known: asked for, or by the time that tiles took."""
        return self._size is not None or self._seconds > 0

    def measure(self, tiles: Sequence[int], seconds: float) -> None:
        """So long took these tiles; none of them where all were there already, which tells nothing."""
        if tiles:
            self._done += float(self._costs[list(tiles)].sum())
            self._seconds += seconds

    def put_back(self, tiles: Iterable[int]) -> None:
        """These could not be learned where they were given to: they come next."""
        self._left[:0] = tiles

    def take(self, n_threads: int) -> tuple[int, ...]:
        """The tiles of the next task, for so many threads in all."""
        size = self._next_size(n_threads)
        n, cost = 1, self._costs[self._left[0]]
        while n < min(MOST, len(self._left)) and cost + self._costs[self._left[n]] / 2 <= size:
            cost += self._costs[self._left[n]]
            n += 1
        task, self._left = tuple(self._left[:n]), self._left[n:]
        return task

    def _next_size(self, n_threads: int) -> float:
        """The cost that the next task is to have."""
        if self._size is not None:
            return self._size
        if not self._seconds:
            return 0.0
        rate = self._done / self._seconds
        share = float(self._costs[self._left].sum()) / rate / (4 * max(1, n_threads))
        return rate * min(max(share, SHORTEST), LONGEST)
