"""Learning on many machines, by a cluster of dask.distributed, into a store of tiles.

Each worker learns tiles of the store from the event file; nothing else is sent. The weights have the bits of
`rescorla.learn`, whatever the number of workers and whatever happens to them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from rescorla._events.events import Events
from rescorla._events.given import Source, events_given
from rescorla._learn.rescorla_wagner import Method
from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import PathName, PerName, one_of, path_name, shown, thread_count, whole
from rescorla._shared.optional import need
from rescorla._shared.progress import Progress, watching
from rescorla._store.cluster_run import Run
from rescorla._store.cluster_tasks import Tasks, costs
from rescorla._store.cluster_workers import Crew, Work, wait_for_workers
from rescorla._store.forecast import needs
from rescorla._store.learn import opened_or_made
from rescorla._weights.files import store_path
from rescorla._weights.weights import Weights, load_weights

if TYPE_CHECKING:
    from distributed import Client
    from numpy.typing import DTypeLike

__all__ = ["learn"]


def learn(
    client: Client | None,
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
    method: Method = "auto",
    stage: PathName | None = "auto",
    tasks: int | None = None,
    retries: int = 3,
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
        that all workers see. All else, a list as well as the path of a table, is read once by this process
        and written to a temporary file, which workers on this host read and those on others get by `stage`.
    out : path
        The store, a folder whose name ends in ``.zarr``. Client and workers must see it under the same path.
    alpha, beta, lambda_, schedule, average, cues, outcomes, initial, dtype, method
        As `rescorla.learn` takes them. A schedule is called by this process, before learning.
    stage : "auto", path or None, default "auto"
        How workers that do not see the event file get it. "auto": it is sent through the scheduler, once to
        each host, into the folder beside the workers' ``local_directory``. A path: a folder that client and
        workers share, from which each host copies it; it stays there. None: not at all, which is an error. A
        worker that sees the file, with the same digest, reads it where it is. Copies on hosts are removed at
        the end.
    tasks : int, optional
        In how many tasks to cut what is missing. By default each is to take 10 seconds to 10 minutes, by the
        time that the first tiles took. A task is at least a whole tile, so there may be fewer.
    retries : int, default 3
        How many times one after another a tile may be lost with its worker while no other tile is learned.
    progress : None, bool or callable(done, total), default None
        In tiles. None shows a bar on a terminal and in a notebook. A callable is called by the calling
        thread; when it raises, learning stops.

    Returns
    -------
    Weights, n_cues x n_outcomes
        Read from the store as they are used.

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
        When a worker does not see the store or, without staging, the events.
    RuntimeError
        When tiles were lost with their workers too often; the message names them.
    ConnectionError
        When the cluster is gone.
    FloatingPointError
        When a weight became infinite or NaN; the message names it.

    Notes
    -----
    All errors but the last three come before any tile is learned, unless the worker came later. Whatever is
    raised, the tiles that were learned stay.

    A task is a call that names the event file, its digest, the store and some tiles, in less than 1 KB. No
    data are sent to workers or kept there, and the tiles that take longest are learned first. A worker opens
    events and store once, prepares learning once, and learns as many tiles at a time as it has threads, one
    thread each.

    An interrupt or an exception of ``progress=`` cancels the tasks, and stops the tiles that are being
    learned.

    Workers may come and go. A worker that is killed loses the tiles that it was learning, and others learn
    them: dask gives a task to another worker three times, and then this function does.

    See Also
    --------
    rescorla.learn : on this machine.
    rescorla.tiles : the store, and its parts on machines without dask.

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
    shared = _stage(stage)
    if tasks is not None:
        whole("tasks", tasks, 1)
    whole("retries", retries)
    one_of("method", method, ("auto", "forward", "adjoint"))
    path = store_path(out)
    # A function is told of tiles alone.
    before: Progress = False if callable(progress) else progress
    events = events_given(events, "distributed.learn", "client, {}, " + repr(path), progress=before)
    # The decoded events of its preparation are of no use here.
    store = opened_or_made(
        events,
        path,
        method=None if method == "auto" else method,
        # Small weights are cut into tiles for as many threads.
        threads=max(thread_count(None), sum(client.nthreads().values())),
        progress=before,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        schedule=schedule,
        average=average,
        cues=cues,
        outcomes=outcomes,
        initial=initial,
        dtype=dtype,
    )[0]
    missing = store.missing()
    if missing:
        with _in_file(events) as source, watching(progress, "learning", "tiles") as watch:
            if watch is not None:
                watch(store.n_tiles - len(missing), store.n_tiles)
            wait_for_workers(client)
            work = Work(source, events.digest, os.path.abspath(store.path))
            if shared not in (None, "auto"):
                _share(events, shared)
            crew = Crew(client, work, needs(events, store), shared, made=events.path is None)
            crew.look()
            plan = Tasks(costs(events, store), missing, tasks)
            Run(client, crew, work, store, plan, retries, watch).finish()
    return load_weights(path)


def _client(client: Client | None) -> Client:
    """The client, or the default one."""
    distributed = need("distributed", "cluster")
    found: Any = client
    if found is None:
        try:
            found = distributed.get_client()
        except ValueError:
            raise ValueError(
                "there is no dask client: make one, distributed.Client(address of the scheduler), and give "
                "it as client= or leave it the default"
            ) from None
    if not isinstance(found, distributed.Client):
        raise TypeError(f"client must be a distributed.Client or None, not {shown(found)}")
    if found.asynchronous:
        raise TypeError(
            "client is asynchronous, and this call waits for it; make one with asynchronous=False, the "
            "default"
        )
    return cast("Client", found)


def _stage(stage: object) -> str | None:
    """Where copies of the events come from: nowhere, the client ("auto") or a folder."""
    if stage is None or stage == "auto":
        return stage
    folder = os.path.abspath(path_name(stage))  # type: ignore[arg-type]
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f'stage must be "auto", None or a folder that client and workers share: no {folder}'
        )
    return folder


def _share(events: Events, folder: str) -> None:
    """Put the events where hosts copy them from, unless they are there."""
    from rescorla._store.stage import Copy

    copy = Copy(folder, events.digest)
    if copy.events() is None:
        events.save(copy.path)


@contextmanager
def _in_file(events: Events) -> Iterator[str]:
    """The file that the events lie in; those in memory are written to one."""
    if events.path is not None:
        yield os.path.abspath(events.path)
        return
    with TemporaryDirectory(prefix="rescorla-") as folder:
        path = os.path.join(folder, "events.rw")
        events.save(path)
        yield path
