"""Whether the workers of a cluster can learn tiles of a store, asked before they are given any."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from socket import gethostname
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

from rescorla._core import __version__
from rescorla._shared.warn import some
from rescorla._store import stage
from rescorla._store.stage import Copy, folder_of

if TYPE_CHECKING:
    from distributed import Client, Worker

    from rescorla._store.forecast import Needs

T = TypeVar("T")

# Asked in words that need no package, for where there is none.
_VERSION = "__import__('rescorla').__version__"


class Work(NamedTuple):
    """What a task is told, but for the numbers of its tiles."""

    path: str
    digest: str
    store: str


class Seen(NamedTuple):
    """What a worker finds where it is."""

    place: tuple[str, str]
    """Its host and the folder for copies there."""
    sees_store: bool
    sees_events: bool
    n_threads: int
    limit: int | None
    """Bytes of memory from which on dask gives the worker nothing more to do, if there is a limit."""
    used: int
    """Bytes of memory that its process has already."""


class Crew:
    """The workers of a client that were looked at, and can learn tiles of a store.

    `shared` is the ``stage=`` of `rescorla.distributed.learn`; the events were `made` for that call, or have
    a file of their own.
    """

    def __init__(
        self, client: Client, work: Work, needs: Needs, shared: str | None, *, made: bool = False
    ) -> None:
        self._client, self._work, self._needs, self._shared = client, work, needs, shared
        self._made = made
        self._known: set[str] = set()
        self._staged: dict[tuple[str, str], str] = {}
        self.n_threads = 0

    def look(self, *, again: bool = False) -> None:
        """Look at workers that are new, or at all again, and give their hosts the events that they lack.

        Raises what is wrong with them.
        """
        threads: Mapping[str, int] = self._client.nthreads()
        self.n_threads = sum(threads.values())
        new = [worker for worker in threads if again or worker not in self._known]
        if not new:
            return
        if not self._known:
            self._check_version({"the scheduler": _asked_scheduler(self._client)})
        self._check_version(self._on(new, eval, _VERSION))
        seen = self._seen(new)
        self._check_store(seen)
        self._check_memory(seen)
        blind = [worker for worker, each in seen.items() if not each.sees_events]
        if blind:
            self._stage({worker: seen[worker] for worker in blind})
            still = [worker for worker, each in self._seen(blind).items() if not each.sees_events]
            if still:
                raise FileNotFoundError(f"a copy of the events was made, but {_who(still)} cannot read it")
        self._known.update(seen)

    def leave(self, what: Callable[[str], None], run: str) -> None:
        """Call `task.stop` or `task.forget` of a run everywhere, and remove the copies made for it."""
        # The cluster may be gone, in any of many ways.
        with suppress(Exception):
            self._client.run(what, run, on_error="ignore")
            if self._staged:
                one_each = list(self._staged.values())
                self._client.run(_remove, self._work.digest, workers=one_each, on_error="ignore")

    def _seen(self, workers: list[str]) -> dict[str, Seen]:
        with _beacon(self._work.store) as beacon:
            return self._on(workers, _look, *self._work, beacon)

    def _on(self, workers: list[str], function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """What workers answer, but for those that went away meanwhile."""
        from distributed.comm.core import CommClosedError

        answers = self._client.run(function, *args, workers=workers, on_error="return")
        there = self._client.nthreads()
        return {
            worker: answer
            for worker, answer in answers.items()
            # One that was killed is listed until the scheduler sees that it is gone.
            if worker in there and not isinstance(answer, CommClosedError)
        }

    def _check_version(self, answers: Mapping[str, Any]) -> None:
        for who, answer in answers.items():
            if isinstance(answer, ImportError):
                raise ImportError(
                    f"{who} has no rescorla that works ({answer}): install rescorla {__version__} in the "
                    "environment of the scheduler and of all workers: pip install 'rescorla[cluster]'"
                ) from answer
            if isinstance(answer, Exception):
                raise answer
            if answer != __version__:
                raise RuntimeError(
                    f"{who} has rescorla {answer}, and this process {__version__}: install the same version "
                    "in the environments of client, scheduler and workers"
                )

    def _check_store(self, seen: dict[str, Seen]) -> None:
        _raise_first(seen)
        blind = [worker for worker, each in seen.items() if not each.sees_store]
        if blind:
            raise FileNotFoundError(
                f"{_who(blind)} cannot see {self._work.store}, or sees another folder there: out= must lie "
                "in a folder that client and workers share under the same path"
            )

    def _check_memory(self, seen: dict[str, Seen]) -> None:
        for worker, each in seen.items():
            if each.limit is None or each.used + self._needs.of(each.n_threads) <= each.limit:
                continue
            fit = self._needs.threads(each.limit - each.used)
            wanted = each.used + self._needs.of(each.n_threads)
            cure = f"start workers with at most {_threads(fit)}" if fit else "one thread alone would not fit"
            raise MemoryError(
                f"worker {worker} with {_threads(each.n_threads)} would need up to {_bytes(wanted)}, and "
                f"dask gives it nothing to do from {_bytes(each.limit)} on: its process has "
                f"{_bytes(each.used)}, the events take up to {_bytes(self._needs.process)}, and each thread "
                f"up to {_bytes(self._needs.thread)}; {cure}, or give them a larger memory_limit"
            )

    def _stage(self, blind: dict[str, Seen]) -> None:
        """Give the events to one worker of each host."""
        path, digest, _ = self._work
        if self._shared is None and self._made:
            store = self._work.store
            raise FileNotFoundError(
                f"{_who(blind)} cannot see the events, which are in memory here: compile them into a folder "
                'that client and workers share, events = rw.read_events(source, "SHARED/events.rw"), and '
                f'write rw.distributed.learn(client, events, {store!r}); or give stage="auto", which copies '
                "them to each host"
            )
        if self._shared is None:
            raise FileNotFoundError(
                f"{_who(blind)} cannot see the events at {path}, or sees others there: put the file in a "
                'folder that client and workers share, or give stage="auto", which copies it to each host'
            )
        one_each = {each.place: worker for worker, each in blind.items()}
        token = uuid4().hex
        if self._shared == "auto":
            made = self._sent(path, digest, token, list(one_each.values()))
        else:
            source = os.path.join(self._shared, f"{digest}.rw")
            made = self._on(list(one_each.values()), _fetch, source, digest, token)
            _raise_first(made)
        self._staged |= {place: worker for place, worker in one_each.items() if made.get(worker)}

    def _sent(self, path: str, digest: str, token: str, workers: list[str]) -> dict[str, bool]:
        """Send the file in pieces to these workers; which of them made a copy of it."""
        size = os.path.getsize(path)
        claims: dict[str, Any] = {}
        waiting = workers
        made: list[str] = []
        while waiting:
            claims = self._on(waiting, _claim, digest, token, size)
            _raise_first(claims)
            ours = [worker for worker, claim in claims.items() if claim == "ours"]
            try:
                if ours:
                    for piece in stage.pieces(path):
                        _raise_first(self._on(ours, _write, digest, token, piece))
                    _raise_first(self._on(ours, _finish, digest, token))
            except BaseException:
                self._client.run(_abandon, digest, token, workers=ours, on_error="ignore")
                raise
            made += ours
            # Another client is giving these the same file.
            waiting = [worker for worker, claim in claims.items() if claim == "busy"]
            if waiting and not ours:
                _pause()
        return dict.fromkeys(made, True)


def wait_for_workers(client: Client) -> None:
    """Wait until there is a worker; a cluster that grows by its tasks is given one."""
    if not client.nthreads():
        client.submit(int, pure=False).result()


def _pause() -> None:
    from time import sleep

    sleep(0.5)


def _asked_scheduler(client: Client) -> Any:
    try:
        return client.run_on_scheduler(eval, _VERSION)
    except Exception as error:
        return error


def _raise_first(answers: Mapping[str, Any]) -> None:
    for answer in answers.values():
        if isinstance(answer, Exception):
            raise answer


def _who(workers: Iterable[str]) -> str:
    names = list(workers)
    return f"worker {names[0]}" if len(names) == 1 else f"{len(names)} workers ({some(names, 3)})"


def _threads(n: int) -> str:
    return "1 thread" if n == 1 else f"{n} threads"


def _bytes(n: int) -> str:
    return f"{n / (1 << 20):,.0f} MiB"


@contextmanager
def _beacon(store: str) -> Iterator[str]:
    """The name of a file beside the store, which is there for as long as workers look for it."""
    name = f"{store.rstrip(os.sep)}.{uuid4().hex[:12]}.look"
    with open(name, "xb"):
        pass
    try:
        yield name
    finally:
        with suppress(OSError):
            os.unlink(name)


# What follows runs on workers, beside their tasks. A thread does it, for their loop must tell that they live.


async def _look(path: str, digest: str, store: str, beacon: str, *, dask_worker: Worker) -> Seen:
    return await asyncio.to_thread(_found, path, digest, store, beacon, dask_worker)


def _found(path: str, digest: str, store: str, beacon: str, worker: Worker) -> Seen:
    # What a task imports counts in what the process has.
    from rescorla._store import task

    assert task is not None
    folder = folder_of(worker.local_directory)
    copy = Copy(folder, digest)
    memory = worker.memory_manager
    limit = memory.memory_limit
    if limit is not None and memory.memory_pause_fraction:
        limit = int(limit * memory.memory_pause_fraction)
    return Seen(
        place=(gethostname(), folder),
        sees_store=os.path.exists(beacon) and os.path.isdir(store),
        sees_events=(copy.events() or stage.opened(path, digest, mapped=False)) is not None,
        n_threads=worker.state.nthreads,
        limit=limit or None,
        used=worker.monitor.get_process_memory(),
    )


def _copy(digest: str, worker: Worker) -> Copy:
    return Copy(folder_of(worker.local_directory), digest)


async def _claim(digest: str, token: str, size: int, *, dask_worker: Worker) -> stage.Claim:
    copy = _copy(digest, dask_worker)

    def claim() -> stage.Claim:
        claim = copy.claim(token)
        if claim == "ours":
            try:
                stage.check_room(copy.folder, size)
            except OSError:
                copy.abandon(token)
                raise
        return claim

    return await asyncio.to_thread(claim)


async def _write(digest: str, token: str, piece: bytes, *, dask_worker: Worker) -> None:
    await asyncio.to_thread(_copy(digest, dask_worker).write, token, piece)


async def _finish(digest: str, token: str, *, dask_worker: Worker) -> None:
    await asyncio.to_thread(_copy(digest, dask_worker).finish, token)


async def _abandon(digest: str, token: str, *, dask_worker: Worker) -> None:
    await asyncio.to_thread(_copy(digest, dask_worker).abandon, token)


async def _fetch(source: str, digest: str, token: str, *, dask_worker: Worker) -> bool:
    return await asyncio.to_thread(_copy(digest, dask_worker).fetch, source, token)


async def _remove(digest: str, *, dask_worker: Worker) -> None:
    await asyncio.to_thread(_copy(digest, dask_worker).remove)
