"""How far long work has come, shown to whoever waits for it."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any, Protocol, TypeAlias

Progress: TypeAlias = bool | Callable[[int, int], object] | None
"""None (a bar on a terminal or in a notebook), True (a bar), False (none) or a function of (done, total)."""


class _Bar(Protocol):
    def show(self, done: int, total: int) -> None: ...

    def close(self) -> None: ...


# Seconds that work in a notebook takes before there is a bar.
_PATIENCE = 0.2


@contextmanager
def watching(
    progress: Progress, label: str, whole: tuple[int, str] | None = None
) -> Iterator[Callable[[int, int], object] | None]:
    """Turn a ``progress=`` argument into what the engine calls, and take the bar away when the work ends.

    The engine calls it every 50 ms from the calling thread, so an exception in it stops the work. A total of
    0 means that it is not known yet. The engine counts what it does; a bar counts what the user knows, if
    `whole` says how much of what that is, such as (1000, "tokens").
    """
    if progress is None:
        progress = sys.stderr is not None and (sys.stderr.isatty() or _in_notebook())
    if not isinstance(progress, bool):
        if not callable(progress):
            kind = type(progress).__name__
            raise TypeError(f"progress must be None, True, False or a function of (done, total), not {kind}")
        yield progress
        return
    if not progress:
        yield None
        return
    bar = _new_bar(label, whole)
    try:
        yield bar.show
    finally:
        bar.close()


def part(
    watch: Callable[[int, int], object] | None, before: int, total: int
) -> Callable[[int, int], object] | None:
    """What the engine calls in one of several parts of the work, of which so much is done before."""
    return None if watch is None else lambda done, _: watch(before + done, total)


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this: what `tqdm.auto` asks, too."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return "IPKernelApp" in (getattr(shell, "config", None) or ())


def _new_bar(label: str, whole: tuple[int, str] | None) -> _Bar:
    try:
        return _TqdmBar(label, whole)
    except ImportError:
        return _PlainBar(label, whole)


def _known(done: int, total: int, n: int) -> int:
    """So many of n are done, where the engine has done so much of its total."""
    return min(done, total) * n // total if total else 0


class _TqdmBar:
    """tqdm's bar: a line on a terminal, a widget in a notebook."""

    def __init__(self, label: str, whole: tuple[int, str] | None) -> None:
        with warnings.catch_warnings():
            # Where a notebook has no widgets, tqdm draws a line and warns of it.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm

        self._whole = whole
        unit = "it" if whole is None else f" {whole[1]}"
        self._make = partial(tqdm, desc=label, unit=unit, unit_scale=True, leave=False, file=sys.stderr)
        self._bar: Any = None
        self._begins = monotonic() + (_PATIENCE if _in_notebook() else 0.0)

    def show(self, done: int, total: int) -> None:
        if self._whole is not None:
            done, total = _known(done, total, self._whole[0]), self._whole[0]
        if self._bar is None:
            # In a notebook each bar leaves its room behind: brief work has none.
            if monotonic() < self._begins:
                return
            self._bar = self._make(total=total or None)
        elif (total or None) != self._bar.total:
            # A widget learns of another total by `reset` alone, which would count the time from now on.
            started = self._bar.start_t
            self._bar.reset(total or None)
            self._bar.start_t = started
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _PlainBar:
    """One line on standard error, for when tqdm is not installed."""

    WIDTH = 30

    def __init__(self, label: str, whole: tuple[int, str] | None) -> None:
        self._label, self._whole = label, whole
        self._started = monotonic()
        self._shown = 0

    def show(self, done: int, total: int) -> None:
        share = min(done / total, 1.0) if total else 0.0
        bar = ("#" * round(share * self.WIDTH)).ljust(self.WIDTH)
        how_far = f"{share:4.0%} [{bar}]" if total else f"{done:,}"
        if self._whole is not None:
            n, unit = self._whole
            how_far = f"{share:4.0%} [{bar}] {_known(done, total, n):,} of {n:,} {unit},"
        self._write(f"{self._label}: {how_far} {monotonic() - self._started:.0f} s")

    def close(self) -> None:
        if self._shown:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, line: str) -> None:
        # Padded, so that a shorter line leaves nothing of the longer one before it.
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(line)
