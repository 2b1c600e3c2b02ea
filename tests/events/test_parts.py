"""Parts of events, and events put together: head, split, concat; and all that is made, in files."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from eventfiles import unmade
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import Event
from rescorla._events import order

SEEDS = st.integers(0, 2**32)


def as_rows(events: Any) -> list[Event]:
    """Events as the reference has them."""
    return [(tuple(cues), tuple(outcomes), frequency) for cues, outcomes, frequency in events]


def numbered(n: int) -> rw.Events:
    """Events that are all different."""
    return rw.read_events((f"c{i}", f"o{i % 3}", 1 + i % 4) for i in range(n))


def numbers(events: rw.Events) -> list[int]:
    """Which of them these are."""
    return [int(event.cues[0][1:]) for event in events]


@pytest.fixture(params=[1 << 18, 4], ids=["one block", "several blocks"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether events are picked at once or in blocks."""
    monkeypatch.setattr(order, "PICKED", request.param)


@pytest.mark.usefixtures("blocks")
class TestAnyEvents:
    """What holds for all events, in one block or in several."""

    @given(some.events(max_events=20), some.DUPLICATES, st.integers(0, 25))
    def test_the_head_is_a_slice(self, events: list[Event], duplicates: Any, n: int) -> None:
        source = rw.read_events(events, duplicates=duplicates)
        head = source.head(n)
        assert as_rows(head) == as_rows(source)[:n]
        assert (head.cues, head.outcomes) == (source.cues, source.outcomes)

    @given(some.events(max_events=20), st.one_of(st.floats(0.01, 0.99), st.integers(1, 19)), SEEDS)
    def test_a_split_shares_the_events_out(self, events: list[Event], test: float, seed: int) -> None:
        rows = [(cues, (*outcomes, f"event {i}"), n) for i, (cues, outcomes, n) in enumerate(events)]
        source = rw.read_events(rows)
        n_test = test if isinstance(test, int) else int(np.ceil(test * len(rows)))
        assume(0 < n_test < len(rows))
        all_rows = as_rows(source)
        for drawn in (None, seed):
            train, held = source.split(test, drawn)
            assert len(held) == n_test
            assert sorted(as_rows(train) + as_rows(held)) == sorted(all_rows)
            for part in (train, held):
                places = [all_rows.index(row) for row in as_rows(part)]
                assert places == sorted(places)
                assert (part.cues, part.outcomes) == (source.cues, source.outcomes)
                part.verify()
        in_order = source.split(test)
        assert as_rows(in_order[0]) + as_rows(in_order[1]) == all_rows

    @given(some.events(max_events=20), some.DUPLICATES, st.lists(st.integers(0, 20), max_size=3))
    def test_slices_one_after_another_are_the_whole(
        self, folder: Path, events: list[Event], duplicates: Any, cuts: list[int]
    ) -> None:
        source = rw.read_events(events, duplicates=duplicates)
        ends = [0, *sorted(min(cut, len(source)) for cut in cuts), len(source)]
        parts = [source[start:end] for start, end in pairwise(ends)]
        whole = source.save(folder / "whole.bin")
        for joined in (
            rw.concat_events(parts, folder / "joined.bin"),
            rw.concat_events(parts).save(folder / "joined.bin"),
        ):
            assert as_rows(joined) == as_rows(whole)
            assert unmade(folder / "joined.bin") == unmade(folder / "whole.bin")

    @given(st.lists(some.events(some.VERBATIM_NAMES), min_size=1, max_size=4), some.DUPLICATES)
    def test_events_one_after_another_are_read_at_once(
        self, folder: Path, parts: list[list[Event]], duplicates: Any
    ) -> None:
        joined = rw.concat_events([rw.read_events(part, duplicates=duplicates) for part in parts])
        at_once = rw.read_events([event for part in parts for event in part], duplicates=duplicates)
        assert (joined.cues, joined.outcomes) == (at_once.cues, at_once.outcomes)
        assert as_rows(joined) == as_rows(at_once)
        joined.save(folder / "joined.bin")
        at_once.save(folder / "at_once.bin")
        assert unmade(folder / "joined.bin") == unmade(folder / "at_once.bin")


MAKERS: dict[str, Callable[..., Any]] = {
    "sample": lambda events, **where: events.sample(40, 1, **where),
    "passes": lambda events, **where: events.passes(2, 1, **where),
    "passes in order": lambda events, **where: events.passes(2, **where),
    "shuffled": lambda events, **where: events.shuffled(1, **where),
    "repeated": lambda events, **where: events.passes(3, **where),
    "with_background": lambda events, **where: events.with_background("always", **where),
    "filter": lambda events, **where: events.filter(remove_cues=["c1"], **where),
    "distinct": lambda events, **where: events.distinct(**where),
    "swapped": lambda events, **where: events.swapped(**where),
    "head": lambda events, **where: events.head(5, **where),
    "concat": lambda events, **where: rw.concat_events([events, events], **where),
    "concat_events": lambda events, **where: rw.concat_events([events, events], **where),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_file_has_the_bytes_of_memory(make: Callable[..., Any], tmp_path: Path) -> None:
    source = numbered(30).save(tmp_path / "source.bin")
    rows = as_rows(source)
    make(source).save(tmp_path / "saved.bin")
    written = make(source, path=tmp_path / "written.bin")
    assert written.path == str(tmp_path / "written.bin")
    assert (tmp_path / "written.bin").read_bytes() == (tmp_path / "saved.bin").read_bytes()
    assert as_rows(source) == rows
    # In place of an older file, too, from which events are open.
    again = rw.open_events(tmp_path / "saved.bin")
    assert as_rows(make(source, path=tmp_path / "saved.bin")) == as_rows(written)
    assert as_rows(again) == as_rows(written), "what was open stays as it was"
    assert sorted(os.listdir(tmp_path)) == ["saved.bin", "source.bin", "written.bin"]


def test_a_split_goes_to_files(tmp_path: Path) -> None:
    source = numbered(30).save(tmp_path / "source.bin")
    paths: tuple[Path, str] = (tmp_path / "rest.bin", str(tmp_path / "test.bin"))
    expected = [as_rows(part) for part in source.split(0.3, seed=5)]
    written = source.split(0.3, seed=5, paths=paths)
    assert [part.path for part in written] == [str(path) for path in paths]
    assert [as_rows(part) for part in written] == expected
    for part, name in zip(source.split(0.3, seed=5), ["rest.bin", "test.bin"], strict=True):
        part.save(tmp_path / "saved.bin")
        assert (tmp_path / name).read_bytes() == (tmp_path / "saved.bin").read_bytes()


def test_split_counts_as_scikit_learn_does() -> None:
    selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed")
    for n in (2, 3, 7, 10, 101):
        for test in (0.05, 0.1, 0.25, 0.5, 0.9, 1, n - 1):
            if test == 0.9 and n < 10:
                continue
            train, held = selection.train_test_split(range(n), test_size=test, shuffle=False)
            found = numbered(n).split(test)
            assert [numbers(part) for part in found] == [list(train), list(held)]


def test_every_event_is_as_likely_to_be_held_out_as_any_other() -> None:
    source = numbered(20)
    drawn = np.zeros(20)
    random = np.random.default_rng(1)
    for _ in range(2000):
        drawn[numbers(source.split(5, random)[1])] += 1
    # A quarter of the times each; five standard deviations.
    assert (np.abs(drawn - 500) < 5 * np.sqrt(2000 * 0.25 * 0.75)).all()


def test_the_same_seed_splits_the_same() -> None:
    source = numbered(40)
    seeds: list[Any] = [7, np.int64(7), np.random.SeedSequence(7), np.random.default_rng(7)]
    for seed in seeds:
        assert numbers(source.split(10, seed)[1]) == numbers(source.split(10, 7)[1])
    assert numbers(source.split(10, 8)[1]) != numbers(source.split(10, 7)[1])


def test_a_row_stays_whole() -> None:
    train, test = rw.read_events([("a", "x", 5), ("b", "y", 3)]).split(1)
    assert (train.n_tokens, test.n_tokens) == (5, 3)


@pytest.mark.parametrize(
    ("test", "error", "message"),
    [
        (
            0,
            ValueError,
            "test must leave each part one event at least, but 0 of 4 would leave 4 to learn from and 0 to",
        ),
        (4, ValueError, "4 of 4 would leave 0 to learn from and 4"),
        (0.9, ValueError, "0.9 of 4 would leave 0 to learn from and 4"),
        (-1, ValueError, "-1 of 4 would leave"),
        (
            1.0,
            ValueError,
            "test must be more than 0 and less than 1 where it is a share of the events, not 1.0",
        ),
        (float("nan"), ValueError, "a share of the events, not nan"),
        (True, TypeError, "test must be a share of the events or a number of events, not True"),
        ("half", TypeError, "not 'half'"),
    ],
)
def test_a_test_part_that_is_none_is_refused(test: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        numbered(4).split(test)


def test_split_takes_two_paths(tmp_path: Path) -> None:
    for paths in ((tmp_path / "a",), (tmp_path / "a", tmp_path / "a"), (tmp_path / "a",) * 3):
        with pytest.raises(ValueError, match="paths must be a pair of two different paths"):
            numbered(4).split(1, paths=paths)  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == []
    with pytest.raises(TypeError, match="seed must be a whole number"):
        numbered(4).split(1, "a")  # type: ignore[arg-type]


def test_head_takes_a_number() -> None:
    with pytest.raises(ValueError, match="n must be a whole number of 0 or more, not -1"):
        numbered(4).head(-1)
    assert numbers(numbered(4).head(np.int64(2))) == [0, 1]  # type: ignore[arg-type]


def test_files_and_tables_are_put_together(tmp_path: Path) -> None:
    binary, table = tmp_path / "a.bin", tmp_path / "b.tab"
    source = numbered(9)
    source[:4].save(binary)
    source[4:].to_table(table)
    assert as_rows(rw.concat_events([binary, str(table)])) == as_rows(source)
    assert as_rows(rw.concat_events(part for part in [source])) == as_rows(source)


def test_what_cannot_be_put_together_is_refused(tmp_path: Path) -> None:
    source = numbered(3)
    for parts in (source, "a.bin", tmp_path / "a.bin"):
        with pytest.raises(TypeError, match="parts must be several Events or paths, not one"):
            rw.concat_events(parts)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parts must be one or more"):
        rw.concat_events([])
    with pytest.raises(TypeError, match="parts must be Events or paths, not 3"):
        rw.concat_events([source, 3])  # type: ignore[list-item]


@pytest.mark.parametrize("make", ["head", "split", "concat"])
def test_progress_rises_to_its_total_and_may_stop_the_work(make: str, tmp_path: Path) -> None:
    source = rw.read_events([("a", "x", 3), ("b", "y")] * 300_000)
    calls: dict[str, Callable[[Any], object]] = {
        "head": lambda progress: source.head(500_000, path=tmp_path / "new", progress=progress),
        "split": lambda progress: source.split(
            0.5, 1, paths=(tmp_path / "new", tmp_path / "newer"), progress=progress
        ),
        "concat": lambda progress: rw.concat_events([source] * 6, tmp_path / "new", progress=progress),
    }
    total = {"head": 500_000, "split": 600_000, "concat": 3_600_000}[make]
    seen: list[tuple[int, int]] = []
    calls[make](lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (total, total)
    assert {total for _, total in seen} == {total}

    class Stop(Exception):  # noqa: N818
        pass

    def stop(_done: int, _total: int) -> None:
        raise Stop

    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(Stop):
        calls[make](stop)


MEMORY = """
import sys
import rescorla as rw
path, n = sys.argv[1], int(sys.argv[2])

def resident():
    status = open("/proc/self/status").read()
    return int(status.split("RssAnon:")[1].split()[0])

peak = 0
def look(done, total):
    global peak
    peak = max(peak, resident())

some = rw.read_events((f"c{i % 1009}_d{i % 8}", f"o{i % 31}") for i in range(100_000))
before = resident()
events = rw.concat_events([some] * n, path + "0", progress=look)
cues = [name for name in events.cues if name[0] == "d"]
events.filter(path=path + "1", keep_cues=cues, max_outcomes=20, progress=look)
names = {name: name[0] for name in events.cues}
events.filter(path=path + "1", cue_map=names, min_cue_count=1, progress=look)
print(peak - before, len(rw.open_events(path + "1")))
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux says how much memory is resident and no file's"
)
def test_memory_does_not_grow_with_the_events(tmp_path: Path) -> None:
    grown, sizes = [], []
    # Both are many chunks: memory grows until every buffer was full once, which takes a million events.
    for n in (20, 100):
        arguments = [sys.executable, "-c", MEMORY, str(tmp_path / "events"), str(n)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=120)
        kilobytes, n_events = map(int, done.stdout.split())
        assert n_events == n * 100_000
        grown.append(kilobytes)
        sizes.append((tmp_path / "events0").stat().st_size // 1024)
    assert sizes[1] > sizes[0] + 40_000
    assert grown[1] < grown[0] + (sizes[1] - sizes[0]) // 2
