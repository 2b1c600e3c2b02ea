"""What a worker of a cluster does: it learns tiles of a store, with one job for all its threads."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from time import perf_counter
from typing import Any

from rescorla._store.stage import events_here
from rescorla._store.store import Store

Learned = tuple[tuple[int, ...], float, int]
"""The tiles that were missing and now are there, their seconds, and the most memory of the process."""


class StoppedError(RuntimeError):
    """Learning was stopped from outside: the tile that was being learned is not there."""


def learn_tiles(run: str, path: str, digest: str, store: str, tiles: Sequence[int]) -> Learned:
    """Learn those of these tiles that are missing, one after another, on this thread.

    This is all that a task is: it names its run, events and store, and reads the rule in the store.
    """
    with _prepared(run, path, digest, store) as prepared:
        place, job = prepared.ready()
        started = perf_counter()
        # A task comes a second time where a worker died before it told that it was done.
        missing = set(place.missing())
        mine = tuple(tile for tile in tiles if tile in missing)
        for tile in mine:
            with prepared.stopping():
                place.learn_tile(job, tile, threads=1)
        return mine, perf_counter() - started, peak_of_memory()


def stop(run: str) -> None:
    """Stop what learns tiles for a run in this process. Whole tiles stay."""
    prepared = _ended(run)
    if prepared is not None:
        prepared.stop()


def forget(run: str) -> None:
    """Let go of the events and the job that were kept for a run."""
    _ended(run)


def peak_of_memory() -> int:
    """The most bytes that this process ever had in memory; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    with suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as file:
        # What getrusage gives was handed down by the process that started this one, if that was larger.
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    from resource import RUSAGE_SELF, getrusage

    most = getrusage(RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


class _Prepared:
    """The events, the store and the job of a process, made by the first thread that needs them."""

    def __init__(self, path: str, digest: str, store: str) -> None:
        self._path, self._digest, self._store = path, digest, store
        self._made: tuple[Store, Any] | None = None
        self._lock = Lock()
        self._stopped = False
        self.n_users = 0

    def ready(self) -> tuple[Store, Any]:
        from distributed import get_worker

        with self._lock:
            if self._made is None:
                worker = get_worker()
                events = events_here(self._path, self._digest, worker.local_directory)
                store = Store.open(self._store)
                threads = worker.state.nthreads
                self._made = store, store.job(events, threads=threads, progress=self._heed)
            # Whoever stops looks for the job after he has said so: one of the two sees the other.
            if self._stopped:
                raise StoppedError("learning was stopped")
            return self._made

    def stop(self) -> None:
        self._stopped = True
        if self._made is not None:
            self._made[1].stop()

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """The interrupt of a stopped job as an error: an interrupt would end the whole worker."""
        try:
            yield
        except KeyboardInterrupt:
            raise StoppedError("learning was stopped") from None

    def _heed(self, done: int, total: int) -> None:
        if self._stopped:
            raise StoppedError("learning was stopped")


_KEPT: dict[str, _Prepared] = {}
# A task may start after the run has ended: what cancels it can be slower than what ends the run here.
_ENDED: set[str] = set()
_LOCK = Lock()


@contextmanager
def _prepared(run: str, path: str, digest: str, store: str) -> Iterator[_Prepared]:
    with _LOCK:
        if run in _ENDED:
            raise StoppedError("the run of this task has ended")
        if run not in _KEPT:
            # Of a run whose client vanished nothing else would let go.
            for other in [other for other, prepared in _KEPT.items() if prepared.n_users == 0]:
                del _KEPT[other]
        prepared = _KEPT.setdefault(run, _Prepared(path, digest, store))
        prepared.n_users += 1
    try:
        yield prepared
    finally:
        with _LOCK:
            prepared.n_users -= 1


def _ended(run: str) -> _Prepared | None:
    with _LOCK:
        _ENDED.add(run)
        return _KEPT.pop(run, None)
