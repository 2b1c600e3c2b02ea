"""Threads that learn tiles of a store, one after another, each into memory of its own."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event, Lock, Thread
from typing import Any

from rescorla._events.events import Events
from rescorla._shared.progress import Progress, watching
from rescorla._store.create import remove_stale
from rescorla._store.store import Store

# Seconds between looks at how far the work has come.
_LOOK = 0.05
# Steps of a bar for each tile.
_PARTS = 1000


def learn_missing(store: Store, job: Any, tiles: Sequence[int], *, threads: int, progress: Progress) -> None:
    """Learn tiles, the dearest first; what was whole stays when it is stopped.

    Columns that occur early have the most tokens to learn, and rows of cues that occur early mostly occur
    late, too: so the dearest tiles are those of the lowest numbers.
    """
    if not tiles:
        return
    # With fewer tiles than threads the engine shares each among its own.
    n_workers, each = (threads, 1) if len(tiles) >= threads else (1, threads)
    work = _Work(store, job, sorted(tiles), each)
    workers = [Thread(target=work.run, name=f"rescorla-tile-{n}", daemon=True) for n in range(n_workers)]
    with watching(progress, "learning", "tiles", len(tiles)) as watch:
        try:
            for worker in workers:
                worker.start()
            while not work.over.wait(_LOOK) and any(worker.is_alive() for worker in workers):
                if watch is not None:
                    watch(*work.progress())
        except BaseException:
            work.stop()
            raise
        finally:
            if work.errors:
                work.stop()
            for worker in workers:
                if worker.ident is not None:
                    worker.join()
        if work.errors:
            raise work.errors[min(work.errors)]
        if watch is not None:
            watch(*work.progress())


class _Work:
    """Tiles that are left, and what went wrong with which."""

    def __init__(self, store: Store, job: Any, tiles: list[int], threads: int) -> None:
        self._store, self._job, self._threads = store, job, threads
        self._left = iter(tiles)
        self._n, self._begun = len(tiles), 0
        self._lock = Lock()
        self._stopped = Event()
        self.over = Event()
        self.errors: dict[int, BaseException] = {}

    def stop(self) -> None:
        """Stop all threads at once."""
        self._stopped.set()
        self._job.stop()

    def progress(self) -> tuple[int, int]:
        """How much is done and how much there is to do, in thousandths of a tile."""
        done, begun = self._job.progress()
        # The engine knows of the tiles that were begun, finished ones among them.
        share = done / begun if begun else 0.0
        return int(_PARTS * self._begun * share), _PARTS * self._n

    def run(self) -> None:
        """Learn one tile after another."""
        while not self._stopped.is_set():
            with self._lock:
                tile = next(self._left, None)
                self._begun += tile is not None
            if tile is None:
                return
            try:
                self._store.learn_tile(self._job, tile, threads=self._threads)
            except BaseException as error:
                # Once stopped, the engine raises KeyboardInterrupt everywhere: that is no error of a tile.
                if not self._stopped.is_set():
                    self.errors[tile] = error
                    self.over.set()
                return


def part_of(tiles: Sequence[int], part: tuple[int, int] | None) -> list[int]:
    """The tiles of part i of n: those whose number leaves i when divided by n."""
    if part is None:
        return list(tiles)
    number, n = part
    return [tile for tile in tiles if tile % n == number]


def go_on(
    store: Store,
    events: Events,
    *,
    job: Any = None,
    part: tuple[int, int] | None = None,
    threads: int,
    event_memory: int | None = None,
    progress: Progress = None,
) -> tuple[int, Any]:
    """Learn what is missing of a store; how many tiles that were, and the job, if there was one."""
    remove_stale(store.path)
    tiles = part_of(store.missing(), part)
    if not tiles:
        return 0, job
    if job is None:
        with watching(progress, "preparing", "events", len(events)) as watch:
            job = store.job(events, threads=threads, event_memory=event_memory, progress=watch)
    learn_missing(store, job, tiles, threads=threads, progress=progress)
    return len(tiles), job
