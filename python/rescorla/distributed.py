"""Learning on many machines, by a cluster of dask.distributed, into a store of tiles.

Each worker learns tiles of the store from the event file; nothing else is sent. The weights have the bits of
`rescorla.learn`, whatever the number of workers and whatever happens to them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from uuid import uuid4

from rescorla._core import FormatError, __version__
from rescorla._events.events import Events, open_events
from rescorla._events.given import Source, events_given
from rescorla._learn.request import request_of
from rescorla._learn.rescorla_wagner import Method, forecast
from rescorla._learn.rule import RuleName, rule_given
from rescorla._learn.schedule import Schedule
from rescorla._learn.tiles import Tiles, opened_or_made, tiles_of
from rescorla._shared.checks import PathName, PerName, element_type, one_of, shown, thread_count
from rescorla._shared.optional import need
from rescorla._shared.progress import Progress, watching
from rescorla._shared.warn import some
from rescorla._weights.files import store_path
from rescorla._weights.load import load_weights
from rescorla._weights.weights import Weights
from rescorla._weights.zarr.store import Store

if TYPE_CHECKING:
    from distributed import Client, Future, Worker
    from numpy.typing import DTypeLike

__all__ = ["learn"]

# Tasks for each thread, so that threads end together and a worker that dies takes little with it.
_TASKS = 8
# Seconds between looks at how far the work has come.
_LOOK = 0.1
# Asked in words that need no package, for where there is none.
_VERSION = "__import__('rescorla').__version__"


def __dir__() -> list[str]:
    return __all__


def learn(
    client: Client | None,
    events: Source,
    out: PathName,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    rule: RuleName = "rescorla_wagner",
    rule_parameters: Mapping[str, float] | None = None,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    average: bool = False,
    cues: Iterable[str] | None = None,
    outcomes: Iterable[str] | None = None,
    initial: Weights | None = None,
    dtype: DTypeLike = "float64",
    method: Method = "auto",
    progress: Progress = None,
) -> Weights:
    """Learn association weights on the workers of a dask cluster, into a store of tiles.

    The store is made, or, where it is there already, what it lacks is learned: the same call goes on after a
    cluster was closed, a job ran out of its time or a disk was full. Tiles that are there are whole.

    Parameters
    ----------
    client : distributed.Client or None
        The client of the cluster; None is the default client, the one that was made last.
    events : Events or a source of them
        What to learn from: whatever `rescorla.read_events` takes. Best is a binary event file in a folder
        that client and workers see under the same path. All else is read once by this process and written to
        a file beside the store, which goes at the end.
    out : path
        The store, a folder whose name ends in ``.zarr``. Client and workers must see it under the same path.
    alpha, beta, lambda_, rule, rule_parameters, retention, average : as `rescorla.learn` has them
    schedule : as `rescorla.learn` has it
        Called by this process, before learning.
    cues, outcomes, initial, dtype, method : as `rescorla.learn` has them
    progress : None, bool or callable(done, total), default None
        In tiles. None shows a bar on a terminal and in a notebook. A callable is called by the calling
        thread; when it raises, learning stops.

    Returns
    -------
    Weights, n_cues x n_outcomes
        Those of the store, read as they are used.

    Raises
    ------
    ValueError
        When there is no client, or the store is there for other parameters or other events.
    ImportError, RuntimeError
        When the scheduler or a worker has no rescorla, or another version of it.
    MemoryError
        When a worker has less memory than learning may take with its number of threads. The message says how
        many threads would fit.
    FileNotFoundError
        When a worker does not see the events or the store.
    RuntimeError
        When workers died again and again with the same tiles.
    ConnectionError
        When the cluster is gone.
    FloatingPointError
        When a weight became infinite or NaN; the message names it.

    Notes
    -----
    Versions, files and memory are looked at before any tile is learned. Whatever is raised, the tiles that
    were learned stay.

    A task is a call that names the event file, the store and some tiles; dask gives it to another worker when
    a worker dies, three times. A worker prepares learning once, and learns as many tiles at a time as it has
    threads. An interrupt or an exception of ``progress=`` cancels the tasks, and stops the tiles that are
    being learned.

    See Also
    --------
    rescorla.learn : on this machine; with ``part=`` on many machines without dask.

    Examples
    --------
    A cluster of one worker, in this process, to see how it goes:

    >>> import rescorla as rw
    >>> from distributed import Client
    >>> events = rw.read_events(
    ...     [("light_tone", "shock", 3), ("tone", "food")], "events.rw"
    ... )
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     weights = rw.distributed.learn(
    ...         client, events, "weights.zarr", alpha=0.2
    ...     )
    >>> weights["tone", "food"] == rw.learn(events, alpha=0.2)["tone", "food"]
    True
    """
    client = _client(client)
    one_of("method", method, ("auto", "forward", "adjoint"))
    path = store_path(out)
    # A function is told of tiles alone.
    before: Progress = False if callable(progress) else progress
    source = events_given(events, "distributed.learn", "client, {}, " + repr(path), progress=before)
    request = request_of(
        source,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        rule=rule_given(rule, rule_parameters, retention, element_type(dtype)),
        schedule=schedule,
        average=average,
        cues=cues,
        outcomes=outcomes,
        initial=initial,
        dtype=dtype,
    )
    request.check_out()
    store, _ = opened_or_made(
        source,
        request,
        path,
        method=None if method == "auto" else method,
        # Small weights are cut into tiles for as many threads.
        threads=max(thread_count(None), sum(client.nthreads().values())),
        progress=before,
    )
    missing = store.missing()
    if missing:
        with _in_file(source, path) as file, watching(progress, "learning", "tiles") as watch:
            work = _Work(file, source.digest, os.path.abspath(path), uuid4().hex)
            # A cluster that grows by its tasks is given one.
            if not client.nthreads():
                client.submit(int, pure=False).result()
            _check_workers(client, work, source, store)
            _learn_missing(client, work, store, missing, watch)
    return load_weights(path)


class _Work(NamedTuple):
    """What a task is told, but for the numbers of its tiles."""

    events: str
    digest: str
    store: str
    run: str


class _Seen(NamedTuple):
    """What a worker finds where it is."""

    sees_out: bool
    sees_events: bool
    n_threads: int
    room: int | None
    """Bytes of memory until dask gives the worker nothing more to do, if there is a limit."""


def _client(client: Client | None) -> Client:
    """The client, or the default one."""
    distributed = need("distributed", "cluster")
    found: Any = client
    if found is None:
        try:
            found = distributed.get_client()
        except ValueError:
            raise ValueError(
                "client is None and there is no default one: make one, distributed.Client(address of the "
                "scheduler)"
            ) from None
    if not isinstance(found, distributed.Client):
        raise TypeError(f"client must be a distributed.Client or None, not {shown(found)}")
    if found.asynchronous:
        raise TypeError(
            "client is asynchronous, and this call waits for it; make one that is not, the default"
        )
    return cast("Client", found)


@contextmanager
def _in_file(events: Events, store: str) -> Iterator[str]:
    """The file that the events lie in; those in memory are written beside the store, which workers see."""
    if events.path is not None:
        yield os.path.abspath(events.path)
        return
    path = f"{os.path.abspath(store)}.{uuid4().hex[:12]}.events"
    events.save(path)
    try:
        yield path
    finally:
        with suppress(OSError):
            os.unlink(path)


def _check_workers(client: Client, work: _Work, events: Events, store: Store) -> None:
    """Raise what would keep a worker from learning tiles."""
    try:
        scheduler: Any = client.run_on_scheduler(eval, _VERSION)
    except Exception as error:
        scheduler = error
    answers = {"the scheduler": scheduler, **client.run(eval, _VERSION, on_error="return")}
    for who, answer in answers.items():
        if isinstance(answer, ImportError):
            raise ImportError(
                f"{who} has no rescorla that works ({answer}): install rescorla {__version__} in the "
                "environment of the scheduler and of all workers: pip install 'rescorla[cluster]'"
            ) from answer
        if isinstance(answer, str) and answer != __version__:
            raise RuntimeError(
                f"{who} has rescorla {answer}, and this process {__version__}: install the same version in "
                "the environments of client, scheduler and workers"
            )
    with _beacon(work.store) as beacon:
        seen: dict[str, _Seen] = client.run(_look, work, beacon)
    for argument, path, other in (
        ("out", work.store, "another folder"),
        ("events", work.events, "other events"),
    ):
        blind = [worker for worker, each in seen.items() if not getattr(each, f"sees_{argument}")]
        if blind:
            who = f"worker {blind[0]}" if len(blind) == 1 else f"{len(blind)} workers ({some(blind, 3)})"
            raise FileNotFoundError(
                f"{argument} must lie in a folder that client and workers share under the same path: {who} "
                f"cannot see {path}, or sees {other} there"
            )
    _check_memory(seen, events, store)


def _check_memory(seen: Mapping[str, _Seen], events: Events, store: Store) -> None:
    """MemoryError where a worker has not the memory that its threads may take."""
    needs = {n: _bytes(events, store, n) for n in {each.n_threads for each in seen.values()}}
    for worker, each in seen.items():
        if each.room is None or needs[each.n_threads] <= each.room:
            continue
        fit = [n for n in range(1, each.n_threads) if _bytes(events, store, n) <= each.room]
        cure = f"start workers with at most {_threads(fit[-1])}" if fit else "one thread alone would not fit"
        need, room = _mebibytes(needs[each.n_threads]), _mebibytes(each.room)
        raise MemoryError(
            f"worker {worker} with {_threads(each.n_threads)} would need up to {need} more than it has, and "
            f"from {room} more on dask gives it nothing to do; {cure}, or give them a larger memory_limit"
        )


def _bytes(events: Events, store: Store, threads: int) -> int:
    """What learning tiles takes at most, with so many threads: as `forecast` has it, and chunks to write."""
    method: Method = "forward" if store.lanes == "columns" else "adjoint"
    taken = forecast(events, dtype=store.dtype, method=method, threads=threads)["memory"]
    # Lines are those of a .npy file. A chunk is there twice where it is filled up at the edge.
    total: int = sum(size for purpose, size in taken.items() if purpose != "lines")
    total += 2 * threads * store.chunk[0] * store.chunk[1] * store.dtype.itemsize
    weights = store.shape[0] * store.shape[1] * store.dtype.itemsize
    known = store.deciding or {}
    # Initial weights are read and held; a mean has sums in float64; a schedule has two factors a token.
    total += 2 * weights if known.get("initial") else 0
    total += threads * taken["tiles"] * 8 // store.dtype.itemsize if known.get("average") else 0
    return total + (16 * events.n_tokens if known.get("schedule") else 0)


def _learn_missing(client: Client, work: _Work, store: Store, missing: Sequence[int], watch: Any) -> None:
    """Give the missing tiles to workers, and wait until they are there."""
    n_tasks = min(len(missing), _TASKS * max(1, sum(client.nthreads().values())))
    # Every part has dear tiles, which come first, and cheap ones.
    parts = [missing[number::n_tasks] for number in range(n_tasks)]
    futures = client.map(_learn_part, parts, work=work, pure=False)
    try:
        left = list(futures)
        while left:
            if watch is not None:
                watch(store.n_tiles - len(store.missing()), store.n_tiles)
            sleep(_LOOK)
            for future in [each for each in left if each.done()]:
                left.remove(future)
                _settle(future)
    except BaseException:
        # The first exception is what the caller is to see, even where the cluster is gone.
        with suppress(Exception):
            client.cancel(futures, force=True)
        _end(client, work)
        raise
    _end(client, work)
    lost = store.missing()
    if lost:
        raise RuntimeError(
            f"{store.path}: all tasks ended, but {len(lost)} tiles are not there, {lost[0]} the first: do "
            "client and workers see the same folder? The same call learns what is missing"
        )
    if watch is not None:
        watch(store.n_tiles, store.n_tiles)


def _settle(future: Future[None]) -> None:
    """Raise what went wrong with a task, for a caller who has no look at the worker."""
    from distributed import KilledWorker

    try:
        future.result(timeout=30)
    except KilledWorker as error:
        raise RuntimeError(
            f"workers died again and again with the same tiles: {error}. Workers die where memory ends or "
            "their job does: look at their logs. What was learned stays, and the same call goes on from it"
        ) from error
    except (CancelledError, TimeoutError) as error:
        raise ConnectionError(
            "the client lost its cluster; what was learned stays, and the same call with another client goes "
            "on from it"
        ) from error


def _end(client: Client, work: _Work) -> None:
    """Let workers stop what they learn, and let go of what they prepared. The cluster may be gone."""
    with suppress(Exception):
        client.run(_forget, work.run, on_error="ignore")


def _threads(n: int) -> str:
    return "1 thread" if n == 1 else f"{n} threads"


def _mebibytes(n: int) -> str:
    return f"{n / (1 << 20):,.0f} MiB"


@contextmanager
def _beacon(store: str) -> Iterator[str]:
    """The name of a file beside the store, which is there for as long as workers look for it."""
    name = f"{store}.{uuid4().hex[:12]}.look"
    with open(name, "xb"):
        pass
    try:
        yield name
    finally:
        with suppress(OSError):
            os.unlink(name)


# What follows runs on workers.


def _look(work: _Work, beacon: str, dask_worker: Worker) -> _Seen:
    """What there is for this work."""
    memory = dask_worker.memory_manager
    room = None
    if memory.memory_limit is not None:
        limit = memory.memory_limit * (memory.memory_pause_fraction or 1.0)
        room = int(limit) - dask_worker.monitor.get_process_memory()
    try:
        sees_events = open_events(work.events).digest == work.digest
    except (OSError, FormatError):
        sees_events = False
    sees_out = os.path.exists(beacon) and os.path.isdir(work.store)
    return _Seen(sees_out, sees_events, dask_worker.state.nthreads, room)


# What the process prepared, by the run that it belongs to: one at a time, as it holds the events.
_prepared: dict[str, Tiles] = {}
# Runs that ended: what is prepared for one of them too late is let go of at once.
_ended: set[str] = set()
_lock = Lock()


def _learn_part(numbers: Sequence[int], work: _Work) -> None:
    """Learn those of these tiles that are missing; a task comes again where a worker died."""
    tiles = _tiles(work)
    missing = set(tiles.store.missing())
    for number in numbers:
        if number in missing:
            try:
                tiles.learn(number)
            except KeyboardInterrupt:
                # Of a stopped job, on this thread: an interrupt would end the whole worker.
                raise RuntimeError("learning was stopped") from None


def _tiles(work: _Work) -> Tiles:
    """The tiles of a run, prepared by the first thread that needs them."""
    from distributed import get_worker

    with _lock:
        tiles = _prepared.get(work.run)
        if tiles is None:
            _prepared.clear()
            # A file on a network disk may be cut or change under a map, so it is read.
            events = open_events(work.events, mapped=False)
            threads = get_worker().state.nthreads
            tiles = _prepared[work.run] = tiles_of(Store.open(work.store), events, threads=threads)
    if work.run in _ended:
        _forget(work.run)
        raise RuntimeError("learning was stopped")
    return tiles


def _forget(run: str) -> None:
    """Stop what is being learned for a run, and let go of it."""
    _ended.add(run)
    tiles = _prepared.pop(run, None)
    if tiles is not None:
        tiles.job.stop()
