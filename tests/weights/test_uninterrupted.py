"""An interrupt ends the wait for zarr, and not zarr in the midst of its own waiting; nor what is short."""

import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from rescorla._weights.disk import undisturbed
from rescorla._weights.zarr.uninterrupted import uninterrupted


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timers that interrupt")
def test_the_work_goes_on_to_its_end() -> None:
    go_on, ended = threading.Event(), threading.Event()

    def work() -> None:
        go_on.wait(30)
        ended.set()

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            uninterrupted(work)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not ended.is_set()
    go_on.set()
    assert ended.wait(30)


def test_what_it_gives_and_raises_comes_through() -> None:
    assert uninterrupted(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        uninterrupted(divmod, 7, 0)


def test_zarr_never_works_in_the_main_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zarr = pytest.importorskip("zarr")
    threads = []

    def counted(made: Any) -> Any:
        def called(*args: Any, **keywords: Any) -> Any:
            threads.append(threading.current_thread())
            return made(*args, **keywords)

        return called

    monkeypatch.setattr(zarr, "open_group", counted(zarr.open_group))
    weights = rw.Weights(np.eye(2), ["a", "b"], ["x", "y"])
    weights.save(tmp_path / "w.zarr")
    assert rw.load_weights(tmp_path / "w.zarr")["a", "x"] == 1
    scheduled: dict[str, Any] = {"out": tmp_path / "s.zarr", "schedule": rw.schedules.inverse_time(9)}
    rw.learn(rw.read_events([("a", "x", 3)]), initial=weights, **scheduled)
    assert rw.verify(tmp_path / "s.zarr")
    assert len(threads) > 5
    assert threading.main_thread() not in threads


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_what_is_short_is_done_before_a_signal_is_heard(name: str) -> None:
    number, done = getattr(signal, name), []
    before = signal.signal(number, signal.default_int_handler)

    def work() -> None:
        with undisturbed():
            signal.raise_signal(number)
            done.append(number)

    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert done
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP")
def test_a_signal_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with undisturbed():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
