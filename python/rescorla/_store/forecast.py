"""How much memory a process needs that learns tiles of a store, by the number of its threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rescorla._learn.rescorla_wagner import forecast

if TYPE_CHECKING:
    from rescorla._events.events import Events
    from rescorla._shared.progress import Progress
    from rescorla._store.store import Store


class Needs(NamedTuple):
    """Bytes at most, besides what the process has already."""

    process: int
    thread: int

    def of(self, threads: int) -> int:
        """With so many threads."""
        return self.process + threads * self.thread

    def threads(self, room: int) -> int:
        """How many threads fit."""
        return max(0, (room - self.process) // self.thread)


def needs(events: Events, store: Store, progress: Progress = False) -> Needs:
    """What learning tiles of the store takes: events for the process; a tile and a chunk for each thread."""
    one, two = (
        _learning(events, store, threads=threads, progress=progress if threads == 1 else False)
        for threads in (1, 2)
    )
    # A thread learns a chunk into memory of its own, which is then written as it lies or as a copy in rows.
    start, stop = store.bounds(0) if store.n_tiles else (0, 0)
    n_lines = store.shape[0] if store.lanes == "columns" else store.shape[1]
    chunk = (stop - start) * n_lines * store.dtype.itemsize
    thread = two - one
    return Needs(process=max(0, one - thread), thread=thread + 2 * chunk)


def _learning(events: Events, store: Store, **how: Any) -> int:
    memory = forecast(
        events, dtype=store.dtype, method="forward" if store.lanes == "columns" else "adjoint", **how
    )["memory"]
    return sum(size for purpose, size in memory.items() if purpose != "lines")
