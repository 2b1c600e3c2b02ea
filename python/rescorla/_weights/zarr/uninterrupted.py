"""Work of zarr's that an interrupt does not end in its midst."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread, current_thread, main_thread
from typing import Any, TypeVar

Result = TypeVar("Result")

# Seconds between looks for an interrupt, which ends the wait at once on most systems.
_LOOK = 0.1


def uninterrupted(work: Callable[..., Result], *args: Any, **keywords: Any) -> Result:
    """Call a function on a thread of its own, and wait for it.

    An interrupt is raised in the main thread alone: it ends the wait, and the work goes on to its end. In the
    midst of zarr's own waiting it would leave a lock taken, and zarr's next call would wait for ever. So the
    work must change nothing that others see.
    """
    if current_thread() is not main_thread():
        return work(*args, **keywords)
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work(*args, **keywords))
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=copy_context().run, args=(run,), name="rescorla-zarr", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK)
    if errors:
        raise errors[0]
    return results[0]
