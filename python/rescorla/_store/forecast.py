"""How much memory a process needs that learns tiles of a store, by the number of its threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rescorla._learn.rescorla_wagner import Method, forecast

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
    """What learning tiles of the store takes.

    A process has decoded events, or tiles of the engine in their place, and the initial weights and the
    factors of the schedule that the store keeps; a thread has a tile of the engine, what a mean needs
    besides, and a chunk of the store, twice where it is filled up at the edge.
    """
    one, two = (
        _learning(events, store, threads=threads, progress=progress if threads == 1 else False)
        for threads in (1, 2)
    )
    start, stop = store.bounds(0) if store.n_tiles else (0, 0)
    n_lines = store.shape[0] if store.lanes == "columns" else store.shape[1]
    thread = sum(two.values()) - sum(one.values())
    process = max(0, sum(one.values()) - thread)
    thread += 2 * (stop - start) * n_lines * store.dtype.itemsize
    made: Mapping[str, Any] = store.deciding
    if made["initial"] is not None:
        # All of them, read and held; the adjoint method takes 256 columns at a time besides.
        process += 2 * store.shape[0] * store.shape[1] * store.dtype.itemsize
        thread += 256 * store.shape[0] * store.dtype.itemsize
    if made["schedule"] is not None:
        process += 16 * events.n_tokens
    if made["average"]:
        thread += one["tiles"] * 8 // store.dtype.itemsize + 8 * store.shape[0]
    return Needs(process, thread)


def _learning(events: Events, store: Store, **how: Any) -> dict[str, int]:
    method: Method = "forward" if store.lanes == "columns" else "adjoint"
    memory = forecast(events, dtype=store.dtype, method=method, **how)["memory"]
    # Lines are those of a .npy file.
    return {purpose: size for purpose, size in memory.items() if purpose != "lines"}
