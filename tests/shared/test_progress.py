"""Bars count what users know: events, tokens, tiles, bytes."""

import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._shared.progress import watching
from rescorla.cli import printing

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
        (lambda events: rw.influence(events, "a", "x", progress=True), "events", 3),
        (lambda events: rw.activations(events, rw.learn(events), progress=True), "events", 3),
        (lambda events: rw.equilibrium(events, progress=True), "%", 100),
        (lambda events: rw.delta_rule(events, beta=0.1, passes=2, progress=True), "tokens", 2000),
        (
            lambda events: rw.widrow_hoff(events, eta=0.1, cue_vectors=np.eye(3), progress=True),
            "tokens",
            1000,
        ),
        (lambda events: rw.measures.diversity(events, rw.learn(events), progress=True), "events", 3),
        (lambda events: rw.read_events(events, duplicates="keep", progress=True), "events", 3),
        (lambda events: rw.read_events(events.to_pandas(), progress=True), "events", 3),
        (lambda events: rw.read_events(EVENTS, progress=True), "events", 3),
        (lambda events: rw.activations(["a", "b_c"], rw.learn(events), progress=True), "events", 2),
        (lambda events: rw.corpus_events(["a b", "c d"], progress=True), "lines", 2),
        (lambda events: rw.corpus_events(["a b", "c"], context="document", progress=True), "documents", 2),
        (lambda events: events.filter(cue_map={"a": "q", "b": "q"}, progress=True), "events", 3),
        (lambda events: events.sample(20, 1, progress=True), "tokens", 20),
        (lambda events: events.passes(2, 1, progress=True), "tokens", 2000),
        (lambda events: events.passes(2, progress=True), "events", 6),
        (lambda events: events.split(1, progress=True), "events", 3),
        (lambda events: rw.concat_events([events, events], progress=True), "events", 6),
        (lambda events: events.verify(progress=True), "events", 3),
        (lambda _: rw.perceptrons.perceptron([[1.0], [-1.0]], [1, -1], progress=True), "sweeps", 1000),
    ],
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
        with watching(True, "work", "tokens", n) as watch:
            assert watch is not None
            for done, total in steps:
                watch(done, total)
    counts = re.findall(r"([\d,]+) of ([\d,]+) tokens", error.getvalue())
    assert len(counts) >= len(steps)
    for (count, whole), (done, total) in zip(counts, steps, strict=False):
        assert int(whole.replace(",", "")) == n
        assert int(count.replace(",", "")) == (min(done, total) * n // total if total else 0)


@pytest.mark.parametrize("with_tqdm", [True, False])
@pytest.mark.parametrize("read", [rw.read_events, rw.corpus_events], ids=["table", "text"])
def test_bytes_of_files_are_scaled(
    read: Callable[..., object], with_tqdm: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "e.tab"
    line = "ab_bc\tx\n" if read is rw.read_events else "ab bc\n"
    path.write_text(("cues\toutcomes\n" if read is rw.read_events else "") + line * 200_000)
    said = shown(monkeypatch, lambda: read(path, progress=True), with_tqdm=with_tqdm)
    size = path.stat().st_size / 1e6
    expected = f"/{size:.2f}M [" if with_tqdm else f"{size:.1f} MB of {size:.1f} MB"
    assert expected in said
    assert ("B/s" in said) == with_tqdm


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_writing_a_table_counts_events(
    with_tqdm: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = rw.read_events(EVENTS)
    said = shown(monkeypatch, lambda: events.to_table(tmp_path / "e.tab", progress=True), with_tqdm=with_tqdm)
    assert " events" in said if with_tqdm else "3 of 3 events" in said


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (12_345_678, "12.3 MB"),
        (5 * 10**12, "5.0 TB"),
        (5 * 10**15, "5000.0 TB"),
    ],
)
def test_bytes_have_the_unit_of_their_size(n: int, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def watched() -> None:
        with watching(True, "reading", "bytes") as watch:
            assert watch is not None
            watch(n, 0)  # Of a pipe nobody knows the total.

    assert f"reading: {text}, 0 s" in shown(monkeypatch, watched, with_tqdm=False)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("columns", "width"), [(0, 79), (50, 49)])
@pytest.mark.parametrize("around", [nullcontext, printing.streams])
def test_a_terminal_of_no_columns_has_a_bar(
    columns: int,
    width: int,
    around: Callable[[], AbstractContextManager[None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import fcntl
    import pty
    import struct
    import termios

    # They count more than what a terminal says.
    for name in ("COLUMNS", "LINES", "TQDM_NCOLS"):
        monkeypatch.delenv(name, raising=False)
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    # Without lines, too.
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", min(columns, 24), columns, 0, 0))
    with open(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with around(), watching(None, "learning", "tokens") as watch:
            assert watch is not None
            watch(0, 3)
            terminal.flush()
            shown = os.read(ours, 1 << 12).decode()
    os.close(ours)
    assert shown.startswith("\rlearning:   0%|")
    assert len(shown) == 1 + width
