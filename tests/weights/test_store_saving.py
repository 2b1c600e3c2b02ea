"""Weights saved as a store."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from rescorla._weights.zarr import folder
from stores import bits

pytestmark = pytest.mark.usefixtures("small_chunks")


def test_saved_weights_come_back(events: rw.Events, tmp_path: Path) -> None:
    whole = rw.learn(events, alpha={cue: 0.01 * (n + 1) for n, cue in enumerate(events.cues)})
    for _ in range(2):
        whole.save(tmp_path / "w.zarr")
    back = rw.load_weights(tmp_path / "w.zarr")
    assert (bits(back), back.cues, back.outcomes) == (bits(whole), whole.cues, whole.outcomes)
    assert back.parameters == whole.parameters
    (tmp_path / "other.zarr").mkdir()
    (tmp_path / "other.zarr" / "dear").write_text("to somebody")
    with pytest.raises(FileExistsError):
        whole.save(tmp_path / "other.zarr")
    assert (tmp_path / "other.zarr" / "dear").exists()
    with pytest.raises(ValueError, match="were saved"):
        rw.learn(events, out=tmp_path / "w.zarr", resume=True)


SAVE = """
import os, shutil, signal, sys
from types import SimpleNamespace
import numpy as np
import rescorla as rw
from rescorla._weights.zarr import folder

path, how, when, left = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

def deadly(call):
    def called(*args):
        global left
        left -= 1
        if left == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            return call(*args)
        finally:
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
    return called

folder.os = SimpleNamespace(**vars(os) | {"rename": deadly(os.rename)})
rmtree = deadly(shutil.rmtree)
folder.shutil = SimpleNamespace(rmtree=lambda *args, **how: rmtree(*args, *how.values()))
folder.exchange = deadly(folder.exchange) if how == "exchange" else lambda *_: False
rw.Weights(np.full((3, 10), 2.0), list("abc"), list("0123456789")).save(path)
"""
# The new store cannot have its name; it is exchanged with the old one, which is removed.
# Where that is not possible: the new store cannot have its name, twice; the old one is set aside; the new one
# appears; the old one is renamed, and removed; so is what is left of the new one, which is nothing.
STEPS = {"exchange": 3, "aside": 7}
HOW = [(how, step) for how, steps in STEPS.items() for step in range(1, steps + 1)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("how", "step"), HOW)
def test_a_kill_while_a_store_replaces_another_leaves_one_of_them(
    tmp_path: Path, how: str, step: int, when: str
) -> None:
    path, old, new = tmp_path / "w.zarr", np.full((2, 9), 1.0), np.full((3, 10), 2.0)
    rw.Weights(old, list("ab"), list("012345678")).save(path)
    command = [sys.executable, "-c", SAVE, str(path), how, when, str(step)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    # However long it takes until somebody looks.
    for left in tmp_path.iterdir():
        os.utime(left, (0, 0))
    for _ in range(2):
        folder.Folder(str(path))
        found = rw.load_weights(path)
        assert bits(found) in (bits(old), bits(new))
        assert rw.verify(path)
    found.save(path)
    assert os.listdir(tmp_path) == ["w.zarr"]


@pytest.mark.parametrize("how", STEPS)
def test_a_save_that_no_kill_stops_has_no_other_steps(tmp_path: Path, how: str) -> None:
    rw.Weights(np.ones((2, 9)), list("ab"), list("012345678")).save(tmp_path / "w.zarr")
    command = [sys.executable, "-c", SAVE, str(tmp_path / "w.zarr"), how, "before", str(STEPS[how] + 1)]
    assert subprocess.run(command, check=False).returncode == 0
    assert os.listdir(tmp_path) == ["w.zarr"]


def test_a_store_that_was_set_aside_is_there_for_every_caller(events: rw.Events, tmp_path: Path) -> None:
    path, whole = tmp_path / "w.zarr", rw.learn(events)
    calls: list[Any] = [
        lambda: rw.load_weights(path),
        lambda: rw.learn(events, out=path, resume=True),
        lambda: rw.learn(events, out=path, part=(0, 2)),
        lambda: rw.verify(path),
    ]
    rw.learn(events, out=path)
    for call in calls:
        path.rename(tmp_path / ".w.zarr.0123456789ab.old")
        call()
        assert bits(rw.load_weights(path)) == bits(whole)
    path.rename(tmp_path / ".w.zarr.0123456789ab.old")
    with pytest.raises(FileExistsError):
        rw.learn(events, out=path)


def test_a_store_that_another_process_puts_back_is_replaced_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rename = tmp_path / "w.zarr", os.rename
    seen: list[float] = []

    def watched(old: str, new: str) -> None:
        rename(old, new)
        if new.endswith(".old") and len(seen) < 2:
            seen.append(rw.load_weights(path)["a", "x"])

    rw.Weights(np.array([[1.0]]), ["a"], ["x"]).save(path)
    monkeypatch.setattr(folder, "exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", watched)
    rw.Weights(np.array([[2.0]]), ["a"], ["x"]).save(path)
    assert seen == [1.0, 1.0]
    assert rw.load_weights(path)["a", "x"] == 2.0
    assert os.listdir(tmp_path) == ["w.zarr"]


@pytest.mark.parametrize(("hours", "goes"), [(5, False), (7, True)])
def test_what_another_process_writes_goes_after_six_hours(hours: int, goes: bool, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.Weights(np.ones((1, 1)), ["a"], ["x"]).save(path)
    beside, within = tmp_path / ".w.zarr.0123456789ab.tmp", path / "weights" / "c" / "0" / "1.rescorla-tmp"
    beside.mkdir()
    within.write_text("half a tile")
    for each in (beside, within):
        os.utime(each, (0, time.time() - 3600 * hours))
    folder.remove_stale(str(path))
    assert [each.exists() for each in (beside, within)] == [not goes] * 2
    assert rw.verify(path)


def test_missing_tiles_are_named_with_their_lanes(tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.Weights(np.ones((2, 10)), list("ab"), list("0123456789")).save(path)
    (path / "checksums" / "c" / "1").unlink()
    stored = rw.load_weights(path)
    with pytest.raises(RuntimeError, match=r"1 of 3 tiles .* yet: 1 \(columns 4 to 7\); learn them"):
        stored.row("a")
    assert stored["b", "3"] == stored["b", "8"] == 1.0


def test_a_link_to_a_store_stays(tmp_path: Path) -> None:
    path, link = tmp_path / "there" / "w.zarr", tmp_path / "link.zarr"
    path.parent.mkdir()
    link.symlink_to(path)
    for value in (1.0, 2.0):
        rw.Weights(np.array([[value]]), ["a"], ["x"]).save(link)
        assert link.is_symlink()
        assert rw.load_weights(path)["a", "x"] == value
    assert os.listdir(path.parent) == ["w.zarr"]
