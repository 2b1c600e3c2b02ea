"""Stores of weights, learned tile by tile, in as many processes as there are.

A store is a zarr group; a tile is a chunk of it: some columns of the weights, or some rows, which are learned
by themselves, with the same bits wherever and whenever that is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._events.events import Events
from rescorla._events.given import Source, events_given
from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import (
    PathName,
    PerName,
    generator,
    one_of,
    path_name,
    shown,
    thread_count,
    whole,
)
from rescorla._shared.progress import Progress
from rescorla._store.create import remove_stale
from rescorla._store.lazy import MissingTilesError
from rescorla._store.learn import opened_or_made
from rescorla._store.store import Store
from rescorla._store.work import go_on
from rescorla._weights.files import store_path
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["MissingTilesError", "Verified", "create", "learn", "repair", "verify"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class Verified:
    """What `verify` found; true where the store is whole.

    Attributes
    ----------
    n_tiles : int
        How many tiles the store has.
    missing, bad : list of int
        The numbers of the tiles that are not there, and of those that are damaged or differ from what was
        learned again.
    reasons : dict of int to str
        What is wrong with each bad tile.
    """

    n_tiles: int
    missing: list[int]
    bad: list[int]
    reasons: dict[int, str] = field(repr=False)

    def __bool__(self) -> bool:
        return not self.missing and not self.bad


def create(
    events: Source,
    out: PathName,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    schedule: Schedule | None = None,
    average: bool = False,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike = "float64",
    method: Literal["auto", "forward", "adjoint"] = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> None:
    """Make a store of which no tile is learned yet.

    Many processes may do so at once: the first makes it, and the others find it.

    Parameters
    ----------
    events : Events or a source of them
        What is to be learned from: whatever `rescorla.read_events` takes. `learn` is given the same again, by
        each process, which reads it anew; so best is a binary event file, as `rescorla.read_events` makes
        it. A generator is gone when it is read: each call needs another.
    out : path
        Where the store shall be; it ends in ``.zarr``.
    alpha, beta, lambda_, schedule, average, cues, outcomes, initial, dtype, method, threads, progress
        As for `rescorla.learn`.

    Raises
    ------
    ValueError
        When there is a store that was made of other events or with other parameters; or the events are
        running text, and the message writes the call that makes events of it.

    Warns
    -----
    RescorlaWarning
        As `rescorla.learn`; of a rate that is not safe, only the call that makes the store warns.
    """
    one_of("method", method, ("auto", "forward", "adjoint"))
    path = store_path(out)
    opened_or_made(
        _events(events, "create", "{}, " + repr(path), progress),
        path,
        method=None if method == "auto" else method,
        threads=thread_count(threads),
        progress=progress,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        schedule=schedule,
        average=average,
        cues=cues,
        outcomes=outcomes,
        initial=initial,
        dtype=dtype,
    )


def learn(
    out: PathName,
    events: Source,
    *,
    part: tuple[int, int] | None = None,
    threads: int | None = None,
    event_memory: int | None = None,
    progress: Progress = None,
) -> int:
    """Learn tiles of a store that are missing.

    Parameters
    ----------
    out : path
        The store.
    events : Events or a source of them
        The events that the store was made of, as for `create`.
    part : pair of int, optional
        (i, n): only the tiles whose number leaves i when divided by n, i from 0 to n - 1; by default all.
    threads, event_memory, progress
        As for `rescorla.learn`.

    Returns
    -------
    int
        How many tiles were learned.

    Raises
    ------
    ValueError
        When the events are others than those that the store was made of.
    """
    if part is not None:
        part = _checked_part(part)
    n_threads = thread_count(threads)
    store = Store.open(path_name(out))
    source = _events(events, "learn", repr(store.path) + ", {}", progress)
    store.check_events(source)
    learned, _ = go_on(
        store, source, part=part, threads=n_threads, event_memory=event_memory, progress=progress
    )  # fmt: skip
    return learned


def verify(
    out: PathName,
    events: Source | None = None,
    *,
    sample: int = 0,
    seed: Any = None,
    threads: int | None = None,
) -> Verified:
    """Whether all tiles of a store are there and sound.

    Parameters
    ----------
    out : path
        The store.
    events : Events or a source of them, optional
        The events that it was made of, as of `create`; needed for a sample.
    sample : int, default 0
        Learn this many tiles again, drawn at random, and compare them bit for bit.
    seed : int, Generator or SeedSequence, optional
        Where random numbers come from; None draws others each time.
    threads : int, optional
        How many threads learn tiles again.

    Returns
    -------
    Verified
        True where the store is whole; otherwise it names the tiles.
    """
    sample = whole("sample", sample)
    if sample and events is None:
        raise ValueError("sample= learns tiles again, which needs events=")
    store = Store.open(path_name(out))
    missing = store.missing()
    absent = set(missing)
    there = [] if 0 in store.shape else [tile for tile in range(store.n_tiles) if tile not in absent]
    reasons = {tile: found for tile in there if (found := store.defect(tile)) is not None}
    if events is not None:
        source = _events(events, "verify", repr(store.path) + ", {}", None)
        store.check_events(source)
        sound = [tile for tile in there if tile not in reasons]
        if sample and sound:
            random = np.random.default_rng() if seed is None else generator(seed)
            drawn = sorted(random.choice(sound, min(sample, len(sound)), replace=False).tolist())
            n_threads = thread_count(threads)
            job = store.job(source, threads=n_threads)
            for tile in drawn:
                again = store.learned(job, tile, threads=n_threads)
                if again.tobytes() != store.mapped(tile).tobytes():
                    reasons[tile] = f"{store.file(tile)}: expected what these events give, found others"
    return Verified(store.n_tiles, missing, sorted(reasons), reasons)


def repair(out: PathName, *, tiles: Iterable[int] | None = None) -> list[int]:
    """Delete the tiles that are damaged, so that they can be learned again.

    Files that killed processes left half written are deleted too, once they are six hours old; `learn` also
    deletes them.

    Parameters
    ----------
    out : path
        The store.
    tiles : iterable of int, optional
        The numbers of the tiles to delete, as `verify` gives them with a sample; by default those that are
        damaged.

    Returns
    -------
    list of int
        The numbers of those that were deleted.
    """
    path = path_name(out)
    bad = verify(path).bad if tiles is None else sorted({*tiles})
    store = Store.open(path)
    remove_stale(path)
    for tile in bad:
        if not 0 <= tile < store.n_tiles:
            raise ValueError(f"tiles must be numbers from 0 to {store.n_tiles - 1}, not {tile}")
        os.unlink(store.file(tile))
    return bad


def _events(events: Source, function: str, arguments: str, progress: Progress) -> Events:
    """Events of any source; ValueError where it is one that was read before."""
    found = events_given(events, f"tiles.{function}", arguments, progress=progress)
    if isinstance(events, Iterator) and not len(found):
        call = f"rw.tiles.{function}({arguments.replace('{}', 'events', 1)})"
        raise ValueError(
            f"found no events: {shown(events)} is read once, and nothing is left; read it into a file "
            f'before, events = rw.read_events(source, "events.rw"), and write {call}'
        )
    return found


def _checked_part(part: object) -> tuple[int, int]:
    if not isinstance(part, tuple) or len(part) != 2:
        raise TypeError("part must be a pair (i, n), as in part=(3, 100)")
    number, n = whole("part[0]", part[0]), whole("part[1]", part[1], 1)
    if number >= n:
        raise ValueError(f"part must be (i, n) with i from 0 to n - 1, not {(number, n)}")
    return number, n
