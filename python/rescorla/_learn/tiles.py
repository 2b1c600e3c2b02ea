"""Learning by tiles into a store, by as many processes as there are.

A tile is a chunk of the store: some columns of the weights, or some rows. It is learned by itself, with the
same bits wherever and whenever that is, and is there when it is whole.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from threading import Event, Lock, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.deciding import deciding
from rescorla._learn.plan import naming_divergence
from rescorla._learn.request import Request
from rescorla._learn.tiled_store import check_request, made, request_in
from rescorla._shared.progress import Progress, watching
from rescorla._weights.load import weights_in
from rescorla._weights.weights import Weights
from rescorla._weights.zarr.folder import is_there, remove_stale
from rescorla._weights.zarr.lazy import StoredArray
from rescorla._weights.zarr.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Seconds between looks at how far the work has come.
_LOOK = 0.05
# Steps of a bar for each tile.
_PARTS = 1000


class Tiles(NamedTuple):
    """The tiles of a store, and the engine's preparation to learn any of them."""

    store: Store
    request: Request
    job: Any

    def values(self, tile: int, *, threads: int = 1) -> NDArray[Any]:
        """The weights of a tile, learned."""
        start, stop = self.store.bounds(tile)
        values = np.zeros(self.store.used(tile), dtype=self.store.dtype)
        plan = self.request.plan
        with naming_divergence(plan.all_cues, plan.outcomes):
            self.job.learn(start, stop, values, threads=threads)
        return values

    def learn(self, tile: int, *, threads: int = 1) -> None:
        """Learn a tile and write it."""
        values = self.values(tile, threads=threads)
        self.store.check_in_place()
        try:
            self.store.write(tile, values)
        except OSError as error:
            cure = "tiles that are whole stay: mend this, and resume"
            raise OSError(error.errno, f"{error.strerror}; {cure}", error.filename) from error


def tiles_of(
    store: Store,
    events: Events,
    request: Request | None = None,
    *,
    threads: int,
    event_memory: int | None = None,
    progress: Progress = False,
) -> Tiles:
    """The tiles of a store, ready to be learned; ValueError where it was made of other events."""
    if request is None:
        request = request_in(store, events)
    method = None if store.deciding is None else store.deciding["method"]
    job = request.job(events, method=method, threads=threads, event_memory=event_memory, progress=progress)
    return Tiles(store, request, job)


def learn_to_store(
    events: Events,
    request: Request,
    path: str,
    *,
    resume: bool,
    part: tuple[int, int] | None,
    method: str | None,
    threads: int,
    event_memory: int | None,
    progress: Progress,
) -> Weights:
    """Learn what is missing of a store, or part i of n of it. The store is made where there is none."""
    if is_there(path) and not resume and part is None:
        raise FileExistsError(
            errno.EEXIST,
            "there is something already; resume goes on with a store, or name another output",
            path,
        )
    started = perf_counter()
    how: dict[str, Any] = {"threads": threads, "event_memory": event_memory, "progress": progress}
    store, ready = opened_or_made(events, request, path, method=method, **how)
    remove_stale(path)
    mine = [tile for tile in range(store.n_tiles) if part is None or tile % part[1] == part[0]]
    absent = set(store.missing())
    missing = [tile for tile in mine if tile in absent]
    if 0 not in store.shape:
        # What was learned before is held against its checksums now, and not after hours.
        for tile in mine:
            if tile not in absent:
                store.mapped(tile)
    if missing and ready is None:
        ready = tiles_of(store, events, request, **how)
    weights = weights_in(StoredArray(store))
    if ready is not None:
        learn_tiles(ready, missing, threads=threads, progress=progress)
        report = ready.job.report
        weights.parameters |= {name: report[name] for name in ("kernel", "threads") if name in report}
    weights.parameters["seconds"] = perf_counter() - started
    return weights


def opened_or_made(
    events: Events,
    request: Request,
    path: str,
    *,
    method: str | None,
    threads: int,
    event_memory: int | None = None,
    progress: Progress = None,
) -> tuple[Store, Tiles | None]:
    """A store for what is asked, found or made; with its tiles, ready to be learned, where it is made.

    Whoever makes the store is warned of a rate that is not safe: before hours of learning, and once for all
    processes that learn its tiles.
    """
    if is_there(path):
        store = Store.open(path)
        check_request(store, deciding(request, events), method)
        return store, None
    job = request.job(events, method=method, threads=threads, event_memory=event_memory, progress=progress)
    request.warn_unsafe(job.report)
    store = made(path, events, request, job, threads)
    return store, Tiles(store, request, job)


def learn_tiles(tiles: Tiles, numbers: Sequence[int], *, threads: int, progress: Progress) -> None:
    """Learn some tiles, the dearest first; what was whole stays when it is stopped.

    Columns that occur early have the most tokens to learn, and rows of cues that occur early mostly occur
    late, too: so the dearest tiles are those of the lowest numbers.
    """
    if not numbers:
        return
    # With fewer tiles than threads the engine shares each among its own.
    n_workers, each = (threads, 1) if len(numbers) >= threads else (1, threads)
    work = _Queue(tiles, sorted(numbers), each)
    workers = [Thread(target=work.run, name=f"rescorla-tile-{n}", daemon=True) for n in range(n_workers)]
    with watching(progress, "learning", "tiles", len(numbers)) as watch:
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


class _Queue:
    """Tiles that are left, and what went wrong with which."""

    def __init__(self, tiles: Tiles, numbers: list[int], threads: int) -> None:
        self._tiles, self._threads = tiles, threads
        self._left = iter(numbers)
        self._n, self._begun = len(numbers), 0
        self._lock = Lock()
        self._stopped = Event()
        self.over = Event()
        self.errors: dict[int, BaseException] = {}

    def stop(self) -> None:
        """Stop all threads at once."""
        self._stopped.set()
        self._tiles.job.stop()

    def progress(self) -> tuple[int, int]:
        """How much is done and how much there is to do, in thousandths of a tile."""
        done, begun = self._tiles.job.progress()
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
                self._tiles.learn(tile, threads=self._threads)
            except BaseException as error:
                # Once stopped, the engine raises KeyboardInterrupt everywhere: that is no error of a tile.
                if not self._stopped.is_set():
                    self.errors[tile] = error
                    self.over.set()
                return
