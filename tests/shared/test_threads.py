"""How many threads there are where nobody says it."""

import os
import sys

import pytest
import rescorla._core as _core
from rescorla._shared.checks import thread_count

needs_affinity = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux knows affinity")


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python was started without a number of processors."""
    monkeypatch.setattr(sys, "_get_cpu_count_config", lambda: -1, raising=False)


def test_a_share_of_the_processors_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    for share, count in [(3, 3), (8, 8), (64, 8)]:
        monkeypatch.setattr(_core, "available_threads", lambda share=share: share)
        assert thread_count(None) == count


def test_where_there_is_no_affinity_the_processors_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(_core, "available_threads", lambda: 64)
    for processors, count in [(5, 5), (None, 1)]:
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        assert thread_count(None) == count


def test_what_the_user_tells_python_counts_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_get_cpu_count_config", lambda: 7)
    monkeypatch.setattr(_core, "available_threads", lambda: 2)
    assert thread_count(None) == 7


def test_what_is_said_counts_whatever_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "available_threads", lambda: 1)
    assert thread_count(3) == 3


@needs_affinity
def test_the_engine_knows_affinity() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert _core.available_threads() == thread_count(None) == 1
    finally:
        os.sched_setaffinity(0, before)
    assert 1 <= _core.available_threads() <= len(before)
