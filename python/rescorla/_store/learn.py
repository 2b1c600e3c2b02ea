"""``learn`` with a store as its output."""

from __future__ import annotations

import errno
from time import perf_counter
from typing import Any

from rescorla._events.events import Events
from rescorla._learn.plan import warn_unsafe
from rescorla._shared.progress import Progress, watching
from rescorla._store.create import is_there
from rescorla._store.lazy import StoredWeights
from rescorla._store.request import Request, request_of
from rescorla._store.store import Store, made
from rescorla._store.work import go_on


def learn_to_store(
    events: Events,
    path: str,
    *,
    resume: bool,
    method: str | None,
    threads: int,
    event_memory: int | None,
    progress: Progress,
    **arguments: Any,
) -> StoredWeights:
    """Learn what is missing of a store, which is made where there is none."""
    if is_there(path) and not resume:
        raise FileExistsError(
            errno.EEXIST,
            "there is something already; resume=True goes on with a store, or name another output",
            path,
        )
    started = perf_counter()
    store, request, job = opened_or_made(
        events,
        path,
        method=method,
        threads=threads,
        event_memory=event_memory,
        progress=progress,
        **arguments,
    )
    is_new = job is not None
    _, job = go_on(store, events, job=job, threads=threads, event_memory=event_memory, progress=progress)
    weights = StoredWeights(store)
    if job is not None:
        report = job.report
        weights.parameters |= {name: report[name] for name in ("kernel", "threads") if name in report}
        if not is_new:
            warn_unsafe(request.fastest, report, scheduled=request.factors is not None)
    weights.parameters["seconds"] = perf_counter() - started
    return weights


def opened_or_made(
    events: Events,
    path: str,
    *,
    method: str | None,
    threads: int,
    event_memory: int | None = None,
    progress: Progress = None,
    **arguments: Any,
) -> tuple[Store, Request, Any]:
    """A store for what is asked, new or found; with the engine's preparation where it is new.

    Whoever makes the store is warned of a rate that is not safe: before hours of learning, and once for all
    processes that learn its tiles.
    """
    request = request_of(events, **arguments)
    if is_there(path):
        store = Store.open(path)
        store.check_request(request.deciding(events), method)
        job = None
    else:
        with watching(progress, "preparing", "events", len(events)) as watch:
            job = request.job(
                events, method=method, threads=threads, event_memory=event_memory, progress=watch
            )
        warn_unsafe(request.fastest, job.report, scheduled=request.factors is not None)
        store = made(path, events, request, job, threads)
    store.located(request.plan)
    return store, request, job
