"""Tiles given to the workers of a cluster, until none is missing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING
from uuid import uuid4

from rescorla._shared.warn import warn
from rescorla._store import task
from rescorla._store.stage import NotHereError
from rescorla._store.task import Learned, StoppedError, learn_tiles

if TYPE_CHECKING:
    from distributed import Client, Future

    from rescorla._store.cluster_tasks import Tasks
    from rescorla._store.cluster_workers import Crew, Work
    from rescorla._store.store import Store

Watch = Callable[[int, int], object] | None

# Seconds between two calls of a progress function, and between two looks at what there is.
_TICK, _LOOK = 0.05, 2.0

# Seconds without a worker after which the caller is told: clusters that grow need some to start one.
_ALONE = 60.0


class Run:
    """One call of `rescorla.distributed.learn`, from the first task to the last tile.

    What is missing in the store decides what is left, not what futures say: a worker may die after a tile is
    there and before it tells.
    """

    def __init__(
        self, client: Client, crew: Crew, work: Work, store: Store, tasks: Tasks, retries: int, watch: Watch
    ) -> None:
        self._client, self._crew, self._work, self._store = client, crew, work, store
        self._tasks, self._retries, self._watch = tasks, retries, watch
        self._name = uuid4().hex
        self._left = set(store.missing())
        self._running: dict[Future[Learned], tuple[int, ...]] = {}
        self._landed: SimpleQueue[Future[Learned]] = SimpleQueue()
        self._lost: Counter[int] = Counter()
        # Tiles that were lost, the tasks that learn them again, and how many of these there may be at a time.
        self._suspects: list[int] = []
        self._on_trial: set[Future[Learned]] = set()
        self._trust = 1
        self._n_submitted = 0
        self._alone_since = monotonic()

    def finish(self) -> None:
        """Learn what is missing."""
        try:
            self._learn()
        except BaseException:
            # The first exception is what the caller is to see, even where the cluster is gone.
            with suppress(Exception):
                self._client.cancel(list(self._running), force=True)
            self._crew.leave(task.stop, self._name)
            raise
        self._crew.leave(task.forget, self._name)

    def _learn(self) -> None:
        looked = monotonic()
        while self._left:
            self._submit()
            if self._watch is not None:
                self._watch(self._store.n_tiles - len(self._left), self._store.n_tiles)
            # A signal interrupts the wait at once.
            with suppress(Empty):
                self._settle(self._landed.get(timeout=_TICK))
                while True:
                    self._settle(self._landed.get_nowait())
            if monotonic() - looked >= _LOOK or not (self._running and self._left):
                self._look()
                looked = monotonic()
                if not (self._running or self._tasks or self._suspects):
                    self._again(sorted(self._left), None)
        if self._watch is not None:
            self._watch(self._store.n_tiles, self._store.n_tiles)

    def _submit(self) -> None:
        """Give out tasks: two a thread until it is known how long tiles take, and then all.

        Whatever a worker has when it dies is lost with it, and one tile of that may have been why. So tiles
        that were lost are learned after all others, and alone until one comes: the culprit is known then.
        """
        while self._tasks and (self._tasks.measured or len(self._running) < 2 * max(1, self._crew.n_threads)):
            self._give(self._tasks.take(self._crew.n_threads))
        if not self._tasks and len(self._running) == len(self._on_trial):
            while self._suspects and len(self._on_trial) < self._trust:
                self._on_trial.add(self._give((self._suspects.pop(0),)))

    def _give(self, tiles: tuple[int, ...]) -> Future[Learned]:
        # Negative, so that what others give to the cluster comes first.
        future = self._client.submit(
            learn_tiles, self._name, *self._work, tiles, pure=False, priority=-self._n_submitted
        )
        self._n_submitted += 1
        self._running[future] = tiles
        future.add_done_callback(self._landed.put)
        return future

    def _settle(self, future: Future[Learned]) -> None:
        """What became of a task."""
        tiles = self._running.pop(future)
        on_trial = future in self._on_trial
        self._on_trial.discard(future)
        error = _error_of(future)
        if error is None:
            with suppress(TimeoutError, CancelledError):
                learned, seconds, _ = future.result(timeout=30)
                self._tasks.measure(learned, seconds)
            self._arrived(tiles)
            self._trust *= 1 + on_trial
        elif isinstance(error, NotHereError):
            self._crew.look(again=True)
            self._tasks.put_back(tiles)
        elif _is_loss(error):
            self._trust = 1
            self._look()
            self._again([tile for tile in tiles if tile in self._left], error)
        else:
            raise _told(error)

    def _arrived(self, tiles: Iterable[int]) -> None:
        """These tiles are in the store: whatever was lost before, the cluster gets on."""
        if self._left.intersection(tiles):
            self._left.difference_update(tiles)
            self._lost.clear()

    def _again(self, tiles: list[int], error: BaseException | None) -> None:
        """Learn tiles again that were lost, but not for ever."""
        self._lost.update(tiles)
        if any(self._lost[tile] > self._retries for tile in tiles):
            raise RuntimeError(
                f"{_tiles(tiles)} of {self._work.store} did not come, {self._retries + 1} times one after "
                f"another, while no other came: {error or 'tasks ended, and their tiles are not there'}. "
                "Workers die where memory ends or their job does: look at their logs. What was learned "
                "stays, and the same call goes on from it"
            ) from error
        self._suspects += tiles

    def _look(self) -> None:
        """See which tiles are there, and which workers."""
        missing = set(self._store.missing())
        self._arrived(self._left - missing)
        self._left = missing
        if self._client.status in ("closed", "closing"):
            raise ConnectionError(
                "the client lost its cluster; what was learned stays, and the same call with another client "
                "goes on from it"
            )
        self._crew.look()
        if self._crew.n_threads:
            self._alone_since = monotonic()
        elif monotonic() - self._alone_since >= _ALONE:
            self._alone_since = math.inf
            warn(
                f"the cluster has had no worker for {_ALONE:.0f} s, and learning waits for one: "
                f"{len(self._left)} tiles are missing; start workers, or interrupt, and make the same call "
                "again with another client: what was learned stays"
            )


def _error_of(future: Future[Learned]) -> BaseException | None:
    if future.status == "finished":
        return None
    try:
        error: BaseException | None = future.exception(timeout=30)
    except (CancelledError, TimeoutError) as cancelled:
        return cancelled
    return error or CancelledError()


def _is_loss(error: BaseException) -> bool:
    """Whether a task was lost through no fault of what it learns."""
    from distributed import KilledWorker

    return isinstance(error, KilledWorker | CancelledError | StoppedError | TimeoutError)


def _told(error: BaseException) -> BaseException:
    """What went wrong on a worker, for a caller who has no look at it."""
    error.add_note("(on a worker of the cluster; what was learned stays in the store)")
    return error


def _tiles(tiles: list[int]) -> str:
    if len(tiles) == 1:
        return f"tile {tiles[0]}"
    listed = ", ".join(map(str, tiles[:10])) + (f" and {len(tiles) - 10} more" if len(tiles) > 10 else "")
    return f"tiles {listed}"
