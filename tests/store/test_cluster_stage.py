"""Copies of event files on the disks of workers."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Thread

import pytest
import rescorla as rw
from clusters import random_events
from rescorla._store import stage
from rescorla._store.stage import Copy, NotHereError, check_room, events_here, folder_of, pieces


@pytest.fixture
def events(tmp_path: Path) -> rw.Events:
    return random_events(tmp_path / "events.rw", 500)


@pytest.fixture
def copy(tmp_path: Path, events: rw.Events, monkeypatch: pytest.MonkeyPatch) -> Copy:
    monkeypatch.setattr(stage, "PIECE", 700)
    return Copy(str(tmp_path / "copies"), events.digest)


def test_a_copy_is_there_when_it_is_whole(events: rw.Events, copy: Copy) -> None:
    path = str(events.path)
    assert copy.claim("mine") == "ours"
    assert copy.claim("yours") == "busy"
    for piece in pieces(path):
        assert copy.events() is None
        copy.write("mine", piece)
    copy.finish("mine")
    assert Path(copy.path).read_bytes() == Path(path).read_bytes()
    assert os.listdir(copy.folder) == [f"{events.digest}.rw"]
    assert copy.claim("yours") == "here"
    copy.remove()
    assert not os.path.exists(copy.folder)


def test_what_was_sent_in_part_is_no_copy(events: rw.Events, copy: Copy) -> None:
    assert copy.claim("mine") == "ours"
    copy.write("mine", next(pieces(str(events.path))))
    with pytest.raises(OSError, match="is not what was sent"):
        copy.finish("mine")
    assert os.listdir(copy.folder) == []


def test_other_events_are_no_copy(tmp_path: Path, copy: Copy) -> None:
    other = random_events(tmp_path / "other.rw", 500, seed=2)
    with pytest.raises(OSError, match="is not what was sent"):
        copy.fetch(str(other.path), "mine")
    assert os.listdir(copy.folder) == []


def test_a_lock_that_nobody_holds_is_taken_over(copy: Copy) -> None:
    assert copy.claim("dead") == "ours"
    assert copy.claim("mine") == "busy"
    long_ago = time.time() - 61
    os.utime(copy.lock, (long_ago, long_ago))
    assert copy.claim("mine") == "ours"
    assert sorted(os.listdir(copy.folder)) == sorted(map(os.path.basename, [copy.lock, copy.part("mine")]))
    # What the first one gives up is not the lock of the second.
    copy.abandon("dead")
    assert copy.claim("other") == "busy"
    copy.abandon("mine")
    assert os.listdir(copy.folder) == []


def test_a_host_fetches_once(events: rw.Events, copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write = Copy.write

    def slowly(self: Copy, token: str, piece: bytes) -> None:
        written.append(len(piece))
        time.sleep(0.01)
        write(self, token, piece)

    monkeypatch.setattr(Copy, "write", slowly)
    monkeypatch.setattr(stage, "sleep", lambda _: time.sleep(0.01))
    made: list[bool] = []
    threads = [
        Thread(target=lambda token: made.append(copy.fetch(str(events.path), token)), args=(str(number),))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False, False, False, True]
    assert sum(written) == os.path.getsize(str(events.path))


def test_the_copy_comes_before_the_path(tmp_path: Path, events: rw.Events) -> None:
    path, local = str(events.path), str(tmp_path / "scratch" / "worker-1")
    assert events_here(path, events.digest, local).path == path
    copy = Copy(folder_of(local), events.digest)
    copy.fetch(path, "mine")
    assert events_here(path, events.digest, local).path == copy.path
    with pytest.raises(NotHereError, match="not seen by this worker"):
        events_here(path, "0" * 64, local)
    with pytest.raises(NotHereError):
        events_here(str(tmp_path / "nothing.rw"), "0" * 64, local)


def test_a_disk_without_room(tmp_path: Path) -> None:
    check_room(str(tmp_path), 1)
    with pytest.raises(OSError, match="bytes free, and a copy of the events takes"):
        check_room(str(tmp_path), 1 << 60)
