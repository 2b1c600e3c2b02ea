"""Clusters of processes on this machine, and what is done to their workers; imported by the workers too."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import rescorla as rw
import zarr
from distributed import Client, LocalCluster, WorkerPlugin
from rescorla._shared.testing import asking
from rescorla._store import stage, task
from rescorla._store.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray


@contextmanager
def cluster(n_workers: int = 2, threads: int = 1, **more: Any) -> Iterator[Client]:
    """The client of a cluster of processes, without a dashboard."""
    how: dict[str, Any] = {"processes": True, "dashboard_address": ":0", "memory_limit": None} | more
    with LocalCluster(n_workers=n_workers, threads_per_worker=threads, **how) as made, Client(made) as client:
        yield client


@contextmanager
def small_tiles() -> Iterator[None]:
    """Stores are made with four columns or rows in a tile, so that few weights have many."""
    with asking(chunk=4):
        yield


def weights_in(out: str) -> NDArray[Any]:
    """All weights of a store, as zarr reads them."""
    weights = zarr.open_group(out, mode="r")["weights"]
    assert isinstance(weights, zarr.Array)
    values = np.asarray(weights[:])
    assert not np.isnan(values).any()
    return values


def files_of_tiles(out: str) -> list[Path]:
    """The files of the tiles that are there."""
    return sorted(path for path in Path(out, "weights", "c").rglob("*") if path.is_file())


class Doing(WorkerPlugin):
    """Calls a function of this module on every worker, also on those that come later."""

    def __init__(self, what: Callable[..., None], *args: Any) -> None:
        self.what, self.args = what, args
        self.name = what.__name__

    def setup(self, worker: Any) -> None:
        self.what(*self.args)


def doing(client: Client, what: Callable[..., None], *args: Any) -> None:
    """Have the workers do this before anything else."""
    client.register_plugin(Doing(what, *args))


def random_events(
    path: Path, n: int = 3000, n_cues: int = 40, n_outcomes: int = 60, seed: int = 1
) -> rw.Events:
    """Three cues and one outcome an event, in a file."""
    random = Random(seed)
    cues, outcomes = range(n_cues), range(n_outcomes)
    rows = (
        ([f"c{cue}" for cue in random.sample(cues, 3)], [f"o{random.choice(outcomes)}"]) for _ in range(n)
    )
    return rw.read_events(rows, path)


# What workers are made to do.


def before_each_tile(what: Callable[[int], None]) -> None:
    """Call this before a tile is learned."""
    learn_tile = Store.learn_tile

    def learn(self: Store, job: Any, tile: int, **how: Any) -> None:
        what(tile)
        learn_tile(self, job, tile, **how)

    Store.learn_tile = learn  # type: ignore[method-assign]


def be_slow(seconds: float) -> None:
    """Each tile takes so long at least."""
    before_each_tile(lambda tile: time.sleep(seconds))


def die_at(bad: int, most: int, folder: str) -> None:
    """The process is killed when it is to learn a tile, so many times in all; each leaves a file."""

    def die(tile: int) -> None:
        if tile == bad and len(os.listdir(folder)) < most:
            (Path(folder) / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    before_each_tile(die)


def see_nothing(hidden: str) -> None:
    """The worker does not see this event file, or those made in this folder."""
    opened = stage.opened

    def blind(path: str, digest: str, *, mapped: bool) -> rw.Events | None:
        unseen = path == hidden or path.startswith(os.path.join(hidden, "rescorla-"))
        return None if unseen else opened(path, digest, mapped=mapped)

    stage.opened = blind


seen: Counter[str] = Counter()


def count() -> None:
    """Count jobs, tiles, the tiles that are learned at a time, copies and their pieces."""
    lock, job, learn_tile, write = Lock(), Store.job, Store.learn_tile, stage.Copy.write
    at_work = 0

    def counted_job(self: Store, events: Any, **how: Any) -> Any:
        seen["jobs"] += 1
        seen["threads of the job"] = how["threads"]
        return job(self, events, **how)

    def counted_tile(self: Store, job: Any, tile: int, *, threads: int = 1) -> None:
        nonlocal at_work
        with lock:
            at_work += 1
            seen["tiles"] += 1
            seen["at a time"] = max(seen["at a time"], at_work)
            seen["threads of a tile"] = max(seen["threads of a tile"], threads)
        time.sleep(0.1)
        learn_tile(self, job, tile, threads=threads)
        with lock:
            at_work -= 1

    def counted_write(self: stage.Copy, token: str, piece: bytes) -> None:
        seen["bytes"] += len(piece)
        write(self, token, piece)

    Store.job, Store.learn_tile = counted_job, counted_tile  # type: ignore[method-assign]
    stage.Copy.write = counted_write  # type: ignore[method-assign]


# What is asked of workers and of the scheduler.


def counts() -> Counter[str]:
    """What `count` counted in this process."""
    return seen


def copies(*, dask_worker: Any) -> list[str]:
    """The files in the folder for copies of events."""
    folder = stage.folder_of(dask_worker.local_directory)
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def kept() -> int:
    """How many jobs the process keeps."""
    return len(task._KEPT)


def silences(*, dask_scheduler: Any) -> list[float]:
    """For how many seconds each worker has not told that it lives."""
    return [time.time() - worker.last_seen for worker in dask_scheduler.workers.values()]


def tasks_as_sent(*, dask_scheduler: Any) -> list[int]:
    """How many bytes each task is."""
    from distributed.protocol.pickle import dumps

    return [len(dumps(each.run_spec)) for each in dask_scheduler.tasks.values() if each.run_spec is not None]


def n_tasks(*, dask_scheduler: Any) -> int:
    """How many tasks the scheduler knows."""
    return len(dask_scheduler.tasks)


memory_before = 0


def measure_memory() -> None:
    """Note how much memory the process has before it learns."""
    global memory_before
    memory_before = task.peak_of_memory()


def measured() -> int:
    """How many bytes of memory the process had at most beyond that."""
    return task.peak_of_memory() - memory_before
