"""The end of a command by a signal: it stops as Ctrl-C stops it, and then ends by the signal itself."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

# Those that end a process which does nothing about them. Windows has no SIGHUP.
_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

# Seconds in which no other signal is heard. Where a terminal closes, the system and the shell each send one:
# the second must not disturb the end that the first began.
_DEAF = 1.0


@contextmanager
def stopping() -> Iterator[list[signal.Signals]]:
    """Let signals raise KeyboardInterrupt, and be listed, as long as this lasts.

    Only those that would end the process: nohup has SIGHUP ignored, and it stays so. Python hears signals in
    the main thread alone.
    """
    came: list[signal.Signals] = []
    until = 0.0

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal until
        if time.monotonic() < until:
            return
        until = time.monotonic() + _DEAF
        came.append(signal.Signals(number))
        raise KeyboardInterrupt

    in_main_thread = threading.current_thread() is threading.main_thread()
    ours = [each for each in _SIGNALS if in_main_thread and signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, stop)
    try:
        yield came
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


def end_by(number: signal.Signals) -> int:
    """End this process by a signal, so that its parent sees it; the exit status where it is blocked."""
    # Python does so at its own end, which does not come.
    if sys.stdout is not None:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
    os.kill(os.getpid(), number)
    return 128 + number
