"""Stores that learning goes on in."""

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from rescorla._learn.tiles import Tiles, tiles_of
from rescorla._weights.zarr.store import Store
from stores import EVENTS, bits, made

pytestmark = pytest.mark.usefixtures("small_chunks")


def test_learning_goes_on_with_the_path_and_the_events_alone(events: rw.Events, tmp_path: Path) -> None:
    initial = rw.learn(rw.read_events([("a1_q", "x1_zz", 20)]))
    arguments: dict[str, Any] = {
        "initial": initial,
        "schedule": rw.schedules.inverse_time(100),
        "cues": ["a3", "q", "b1"],
        "outcomes": ["x2", "zz"],
        "alpha": {cue: 0.1 + 0.01 * n for n, cue in enumerate((*events.cues, "q"))},
        "beta": (0.2, 0.1),
    }
    store = made(events, tmp_path / "w.zarr", **arguments).store
    assert store.missing() == [0]
    # What the events alone do not tell is read in the store, as workers of a cluster do.
    tiles_of(store, events, threads=1).learn(0)
    assert bits(rw.load_weights(tmp_path / "w.zarr")) == bits(rw.learn(events, **arguments))
    assert rw.learn(events, out=tmp_path / "w.zarr", resume=True, **arguments).missing() == []


def test_other_events_or_parameters_are_refused(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, alpha=0.1)
    with pytest.raises(FileExistsError, match="resume goes on"):
        rw.learn(events, out=path)
    with pytest.raises(ValueError, match=r"alpha: the store was made with 0\.1, this call has 0\.2"):
        rw.learn(events, out=path, resume=True, alpha=0.2)
    with pytest.raises(ValueError, match=r"dtype: .* 'float64', this call has 'float32'"):
        rw.learn(events, out=path, part=(0, 2), dtype="float32")
    others = rw.read_events([*EVENTS[1:], EVENTS[0]])
    for refused in (
        lambda: rw.learn(others, out=path, resume=True),
        lambda: rw.learn(others, out=path, part=(0, 2)),
        lambda: rw.verify(path, others),
    ):
        with pytest.raises(ValueError, match="events: "):
            refused()
    with pytest.raises(ValueError, match=r"ends in \.zarr"):
        rw.learn(events, resume=True)


def test_an_error_leaves_what_is_whole(
    events: rw.Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, learn = tmp_path / "w.zarr", Tiles.learn

    def failing(tiles: Tiles, tile: int, **more: Any) -> None:
        if tile >= 2:
            raise OSError(28, f"no room for {tile}")
        learn(tiles, tile, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Tiles, "learn", failing)
        with pytest.raises(OSError, match="no room for 2"):
            rw.learn(events, out=path, threads=1, method="forward")
    assert rw.load_weights(path).missing() == [2, 3, 4]
    assert bits(rw.learn(events, out=path, resume=True, method="forward")) == bits(
        rw.learn(events, method="forward")
    )


def test_what_progress_raises_stops_learning(events: rw.Events, tmp_path: Path) -> None:
    class EnoughError(Exception):
        pass

    def enough(done: int, total: int) -> None:
        raise EnoughError

    made(events, tmp_path / "w.zarr")
    with pytest.raises(EnoughError):
        rw.learn(events, out=tmp_path / "w.zarr", resume=True, progress=enough)
    rw.learn(events, out=tmp_path / "w.zarr", resume=True)
    assert rw.verify(tmp_path / "w.zarr")


def write_for_ever(path: str, events: str) -> None:
    tiles = tiles_of(Store.open(path), rw.open_events(events), threads=1)
    while True:
        for tile in range(tiles.store.n_tiles):
            tiles.learn(tile)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_writer_leaves_whole_tiles(events: rw.Events, tmp_path: Path) -> None:
    file, path = str(tmp_path / "e.rw"), str(tmp_path / "w.zarr")
    events.save(file)
    made(events, path)
    process = multiprocessing.get_context("spawn").Process(target=write_for_ever, args=(path, file))
    process.start()
    while process.is_alive() and len(Store.open(path).missing()) > 2:
        time.sleep(0.01)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert rw.verify(path).bad == []
    assert bits(rw.learn(events, out=path, resume=True)) == bits(rw.learn(events))
