"""Clusters of processes on this machine, and what is done to their workers; imported by the workers too."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import rescorla as rw
from distributed import Client, LocalCluster, WorkerPlugin
from rescorla._learn.tiles import Tiles


@contextmanager
def cluster(n_workers: int = 2, threads: int = 1, **more: Any) -> Iterator[Client]:
    """The client of a cluster of processes, without a dashboard."""
    how: dict[str, Any] = {"processes": True, "dashboard_address": ":0", "memory_limit": None} | more
    with LocalCluster(n_workers=n_workers, threads_per_worker=threads, **how) as made, Client(made) as client:
        yield client


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


def be_slow(seconds: float) -> None:
    """Each tile takes so long at least."""
    learn = Tiles.learn

    def slow(self: Tiles, tile: int, **how: Any) -> None:
        time.sleep(seconds)
        learn(self, tile, **how)

    Tiles.learn = slow  # type: ignore[method-assign]


def die_at(bad: int) -> None:
    """The process is killed when it is to learn this tile."""
    learn = Tiles.learn

    def deadly(self: Tiles, tile: int, **how: Any) -> None:
        if tile == bad:
            os.kill(os.getpid(), 9)
        learn(self, tile, **how)

    Tiles.learn = deadly  # type: ignore[method-assign]


def kept() -> int:
    """How many runs the process keeps the events of."""
    from rescorla import distributed

    return len(distributed._prepared)
