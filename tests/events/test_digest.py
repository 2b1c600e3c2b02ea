"""Events in other processes and on other machines: digests, pickles, copies, files that are not mapped."""

import copy
import multiprocessing
import os
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given

EVENTS = [(f"a{i % 7}_b{i % 11}", f"x{i % 13}", 1 + i % 3) for i in range(1000)]


def weights(events: rw.Events) -> bytes:
    return rw.learn(events).values.tobytes()


@given(events=some.events())
def test_equal_events_have_equal_digests(events: Any) -> None:
    one, other = (rw.read_events(events, duplicates="keep") for _ in range(2))
    assert one.digest == other.digest
    assert len(one.digest) == 64


@pytest.mark.parametrize(
    "changed",
    [
        EVENTS[:-1],
        [("other", "x0", 1), *EVENTS[1:]],
        [(*EVENTS[0][:2], 9), *EVENTS[1:]],
        [EVENTS[1], EVENTS[0], *EVENTS[2:]],
    ],
)
def test_other_events_have_another_digest(changed: Any) -> None:
    assert rw.read_events(changed).digest != rw.read_events(EVENTS).digest


def test_a_file_has_the_digest_of_its_events(tmp_path: Path) -> None:
    events = rw.read_events(EVENTS)
    path = tmp_path / "e.rw"
    assert rw.read_events(EVENTS, path).digest == events.digest
    assert rw.open_events(path).digest == events.digest
    assert rw.open_events(path, mapped=False).digest == events.digest
    assert events.__dask_tokenize__() == rw.open_events(path).__dask_tokenize__()


@given(events=some.events())
def test_pickles_and_copies_of_events_in_memory_are_the_same_events(events: Any) -> None:
    source = rw.read_events(events, duplicates="keep")
    for again in (pickle.loads(pickle.dumps(source)), copy.copy(source), copy.deepcopy(source)):
        assert list(again) == list(source)
        assert (again.cues, again.outcomes, again.digest) == (source.cues, source.outcomes, source.digest)


def test_a_pickle_of_a_file_is_small_and_opens_it(tmp_path: Path) -> None:
    for mapped in (True, False):
        rw.read_events(EVENTS * 50, tmp_path / "e.rw")
        events = rw.open_events(tmp_path / "e.rw", mapped=mapped)
        pickled = pickle.dumps(events)
        assert len(pickled) < 1000 < os.path.getsize(tmp_path / "e.rw")
        again = pickle.loads(pickled)
        assert again.path == str(tmp_path / "e.rw")
        assert again._file.mapped is mapped
        assert weights(again) == weights(events)


def test_a_pickle_opens_the_file_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    events = rw.read_events(EVENTS, "e.rw")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir("below")
    again = pickle.loads(pickle.dumps(events))
    assert (again.path, list(again)) == (str(tmp_path / "e.rw"), list(events))
    assert pickle.loads(pickle.dumps(again)).path == again.path


def test_a_pickle_refuses_another_file_and_one_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    events = rw.read_events(EVENTS, path)
    pickled = pickle.dumps(events)
    other = rw.read_events(EVENTS[:-1], path)
    with pytest.raises(rw.FormatError, match=f"{events.digest}.*{other.digest}"):
        pickle.loads(pickled)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(pickled)


def test_events_go_to_a_process_that_was_spawned(tmp_path: Path) -> None:
    in_memory, in_file = rw.read_events(EVENTS), rw.read_events(EVENTS, tmp_path / "e.rw")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(weights, [in_memory, in_file]) == [weights(in_memory)] * 2


def test_a_file_that_is_read_in_parts_gives_an_error_where_it_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    rw.read_events(EVENTS, path)
    events = rw.open_events(path, mapped=False)
    assert weights(events) == weights(rw.read_events(EVENTS))
    os.truncate(path, 200)
    with pytest.raises(rw.FormatError, match=r"e\.rw.*cut the file short"):
        list(events)
    with pytest.raises((rw.FormatError, OSError)):
        events.save(tmp_path / "other.rw")
    assert not (tmp_path / "other.rw").exists()


def test_threads_read_parts_of_a_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    expected = list(rw.read_events([(f"a{i}", f"x{i % 13}", 1) for i in range(150_000)], path))
    events = rw.open_events(path, mapped=False)
    assert events.info()["n_chunks"] > 2
    with ThreadPoolExecutor(4) as pool:
        starts = [random.Random(i).randrange(150_000 - 10) for i in range(64)]
        parts = list(pool.map(lambda start: list(events[start : start + 10]), starts))
    assert parts == [expected[start : start + 10] for start in starts]


def test_saving_takes_the_bytes_of_a_file_that_is_not_mapped(tmp_path: Path) -> None:
    rw.read_events(EVENTS, tmp_path / "e.rw")
    rw.open_events(tmp_path / "e.rw", mapped=False).save(tmp_path / "other.rw")
    assert (tmp_path / "other.rw").read_bytes() == (tmp_path / "e.rw").read_bytes()
    np.testing.assert_array_equal(rw.open_events(tmp_path / "other.rw").frequencies, [n for *_, n in EVENTS])
