"""Bars count what users know: events, tokens, tiles."""

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._shared.progress import watching

EVENTS = [("a_b", "x", 300), ("b_c", "y", 200), ("a", "x", 500)]


def shown(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object], *, with_tqdm: bool) -> str:
    """What a bar says of some work, all its states."""
    error = io.StringIO()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", error)
        if not with_tqdm:
            patched.setitem(sys.modules, "tqdm.auto", None)
        work()
    return error.getvalue()


@pytest.mark.parametrize("with_tqdm", [True, False])
@pytest.mark.parametrize(
    ("work", "unit", "n"),
    [
        (lambda events: rw.learn(events, method="adjoint", progress=True), "tokens", 1000),
        (lambda events: rw.learn(events, method="forward", progress=True), "tokens", 1000),
        (lambda events: rw.trajectories(events, progress=True), "tokens", 1000),
        (lambda events: rw.activations(events, rw.learn(events), progress=True), "events", 3),
        (lambda events: rw.equilibrium(events, progress=True), "%", 100),
    ],
    ids=["adjoint", "forward", "trajectories", "activations", "equilibrium"],
)
def test_a_bar_ends_with_all_of_what_the_user_knows(
    work: Callable[[rw.Events], object], unit: str, n: int, with_tqdm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = rw.read_events(EVENTS)
    said = shown(monkeypatch, lambda: work(events), with_tqdm=with_tqdm)
    if with_tqdm:
        # Rates have the unit, as in 1000 tokens/s.
        assert f" {unit}" in said
    else:
        assert f"{n:,} of {n:,} {unit}" in said


def test_a_store_counts_tiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = rw.read_events(EVENTS)
    said = shown(
        monkeypatch, lambda: rw.learn(events, out=tmp_path / "w.zarr", progress=True), with_tqdm=False
    )
    assert "1 of 1 tiles" in said


@given(
    steps=st.lists(st.tuples(st.integers(0, 10**12), st.integers(0, 10**12)), min_size=1),
    n=st.integers(0, 10**9),
)
def test_a_bar_never_counts_more_than_there_is(steps: list[tuple[int, int]], n: int) -> None:
    error = io.StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stderr", error)
        patched.setitem(sys.modules, "tqdm.auto", None)
        with watching(True, "work", (n, "tokens")) as watch:
            assert watch is not None
            for done, total in steps:
                watch(done, total)
    counts = re.findall(r"([\d,]+) of ([\d,]+) tokens", error.getvalue())
    assert len(counts) >= len(steps)
    for (count, whole), (done, total) in zip(counts, steps, strict=False):
        assert int(whole.replace(",", "")) == n
        assert int(count.replace(",", "")) == (min(done, total) * n // total if total else 0)
