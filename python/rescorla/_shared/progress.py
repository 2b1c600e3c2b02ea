"""How far long work has come, shown to whoever waits for it."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any, TextIO, TypeAlias

Progress: TypeAlias = bool | Callable[[int, int], object] | None
"""None (a bar on a terminal or in a notebook), True (a bar), False (none) or a function of (done, total)."""


BYTES = "bytes"
"""What bars count where files are read."""

# Seconds that work in a notebook takes before there is a bar.
_PATIENCE = 0.2


@contextmanager
def watching(
    progress: Progress, label: str, unit: str, n: int | None = None
) -> Iterator[Callable[[int, int], object] | None]:
    """Turn a ``progress=`` argument into what the engine calls, and take the bar away when the work ends.

    The engine calls it every 50 ms from the calling thread, so an exception in it stops the work. A total of
    0 means that it is not known yet. A bar counts what the user knows, such as "tokens", or "bytes", which
    are scaled. The engine counts the same, or, where there is an `n`, steps of its own, whose share of their
    total is that of these n.
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
    bar = _new_bar(label, unit, n)
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
    """Whether a notebook's kernel runs this."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return "IPKernelApp" in (getattr(shell, "config", None) or ())


def _stream() -> TextIO:
    """Where bars are: standard error, without the shield that the command line puts before a terminal."""
    stream: TextIO = getattr(sys.stderr, "unshielded", sys.stderr)
    return stream


def _room() -> dict[str, int]:
    """The size of the terminal, if there is one; that of some editors says 0, for which tqdm shows no bar."""
    if not _stream().isatty():
        return {}
    try:
        columns, lines = os.get_terminal_size(_stream().fileno())
    except OSError:
        columns, lines = 0, 0
    # A column stays free, lest the line break.
    return {"ncols": (columns or 80) - 1, "nrows": lines or 24}


def _begins() -> float:
    """From when on there is a bar. In a notebook each leaves its room behind: brief work has none."""
    return monotonic() + (_PATIENCE if _in_notebook() else 0.0)


def _new_bar(label: str, unit: str, n: int | None) -> "_TqdmBar | _PlainBar":
    try:
        return _TqdmBar(label, unit, n)
    except ImportError:
        return _PlainBar(label, unit, n)


def _known(done: int, total: int, n: int | None) -> tuple[int, int]:
    """What is done and the total in what a bar counts: n, if the engine counts other steps."""
    if n is None:
        return done, total
    return (min(done, total) * n // total if total else 0), n


def _scaled(n: int) -> str:
    """Bytes, as in 12.3 MB."""
    size, units = float(n), ["B", "kB", "MB", "GB", "TB"]
    while size >= 999.95 and len(units) > 1:
        size /= 1000
        del units[0]
    return f"{n} B" if n < 1000 else f"{size:.1f} {units[0]}"


class _TqdmBar:
    """tqdm's bar: a line on a terminal, a widget in a notebook."""

    def __init__(self, label: str, unit: str, n: int | None) -> None:
        with warnings.catch_warnings():
            # Where a notebook has no widgets, tqdm draws a line and warns of it.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm

        self._n = n
        # As in 3.10k tokens/s and 1.20MB/s.
        suffix = "B" if unit == BYTES else f" {unit}"
        self._make = partial(
            tqdm, desc=label, unit=suffix, unit_scale=True, leave=False, file=_stream(), **_room()
        )
        self._bar: Any = None
        self._begins = _begins()

    def show(self, done: int, total: int) -> None:
        done, total = _known(done, total, self._n)
        if self._bar is None:
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

    def __init__(self, label: str, unit: str, n: int | None) -> None:
        self._label, self._unit, self._n = label, unit, n
        self._started, self._begins = monotonic(), _begins()
        self._shown = 0

    def show(self, done: int, total: int) -> None:
        if monotonic() < self._begins:
            return
        share = min(done / total, 1.0) if total else 0.0
        bar = ("#" * round(share * self.WIDTH)).ljust(self.WIDTH)
        done, whole = _known(done, total, self._n)
        how_far = self._counted(done)
        if whole or self._n is not None:
            how_far = f"{share:4.0%} [{bar}] {self._counted(done, bare=True)} of {self._counted(whole)}"
        self._write(f"{self._label}: {how_far}, {monotonic() - self._started:.0f} s")

    def _counted(self, n: int, *, bare: bool = False) -> str:
        """How many of what; the unit of bytes goes with each number."""
        if self._unit == BYTES:
            return _scaled(n)
        return f"{n:,}" if bare else f"{n:,} {self._unit}"

    def close(self) -> None:
        if self._shown:
            self._write("")
            _stream().write("\r")
            _stream().flush()

    def _write(self, line: str) -> None:
        # Padded, so that a shorter line leaves nothing of the longer one before it.
        _stream().write("\r" + line.ljust(self._shown))
        _stream().flush()
        self._shown = len(line)


def part_of_passes(
    watch: Callable[[int, int], object] | None, first: int, some: int, passes: int
) -> Callable[[int, int], object] | None:
    """Tells of some passes as a part of all of them."""
    if watch is None:
        return None

    def report(done: int, total: int) -> None:
        # A later part begins with a total that is not known yet: progress would fall to zero.
        if total > 0 or first == 0:
            watch(done + total // some * first, total // some * passes)

    return report
