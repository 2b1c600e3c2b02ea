"""The engine's job: learning that is prepared once and done in slices, as stores and clusters do it."""

from collections.abc import Iterable, Sequence
from threading import Lock, Thread
from typing import Any

import numpy as np
import rescorla as rw
import rescorla._core as _core
from numpy.typing import NDArray
from rescorla._learn.request import request_of
from rescorla._learn.rule import Rule

Slice = tuple[int, int]


def job_of(
    events: rw.Events,
    *,
    method: str | None,
    threads: int,
    dtype: str = "float64",
    event_memory: int | None = None,
) -> _core.Job:
    """What `learn` prepares for these events, with the parameters that it has by default."""
    request = request_of(
        events,
        alpha=0.1,
        beta=0.1,
        lambda_=1.0,
        rule=Rule(),
        schedule=None,
        average=False,
        cues=None,
        outcomes=None,
        initial=None,
        dtype=dtype,
    )
    job: _core.Job = request.job(events, method=method, threads=threads, event_memory=event_memory)
    return job


def learned(
    job: _core.Job, slices: Sequence[Slice], threads: int, dtype: str = "float64"
) -> list[NDArray[Any]]:
    """Each slice in an array of its own: columns by the forward method, rows by the adjoint method.

    So many threads take one slice after another, each on one thread of the engine, as for a store.
    """
    results: list[NDArray[Any]] = [np.empty(0)] * len(slices)
    errors: list[BaseException] = []
    left, lock = iter(range(len(slices))), Lock()

    def work() -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None or errors:
                return
            start, stop = slices[number]
            try:
                results[number] = values = np.zeros(shape_of(job, start, stop), dtype=dtype)
                job.learn(start, stop, values)
            except BaseException as error:
                errors.append(error)

    at_work(work, threads)
    if errors:
        raise errors[0]
    return results


def at_work(work: Any, threads: int) -> None:
    """Runs a function on so many threads at once, and waits for them."""
    workers = [Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def shape_of(job: _core.Job, start: int, stop: int) -> tuple[int, int]:
    """Rows and columns of a slice."""
    rows, columns = job.shape
    return (rows, stop - start) if job.method == "forward" else (stop - start, columns)


def together(job: _core.Job, parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """The weights that slices make up."""
    return np.concatenate(list(parts), axis=1 if job.method == "forward" else 0)
