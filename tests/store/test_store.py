"""Stores of weights: learned tile by tile, stopped, damaged and gone on with."""

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given, settings
from hypothesis import strategies as st
from rescorla._shared.testing import asking
from rescorla._store.store import Store

zarr = pytest.importorskip("zarr")
xarray = pytest.importorskip("xarray")

EVENTS = [(f"a{i % 7}_b{i % 11}", f"x{i % 13}_y{i % 5}") for i in range(300)]
METHODS = ("forward", "adjoint")
DTYPES = ("float64", "float32")


@pytest.fixture
def events() -> rw.Events:
    return rw.read_events(EVENTS)


@pytest.fixture(autouse=True)
def small_chunks() -> Iterator[None]:
    with asking(chunk=4):
        yield


def bits(weights: Any) -> bytes:
    return np.ascontiguousarray(np.asarray(weights)).tobytes()


def flip(file: str | Path) -> None:
    content = bytearray(Path(file).read_bytes())
    content[9] ^= 1
    Path(file).write_bytes(content)


@given(
    events=some.events(),
    method=st.sampled_from(METHODS),
    dtype=st.sampled_from(DTYPES),
    chunk=st.integers(1, 9),
    data=st.data(),
)
@settings(max_examples=30, deadline=None)
def test_tiles_in_any_order_each_twice_are_the_whole(
    tmp_path_factory: pytest.TempPathFactory,
    events: Any,
    method: Any,
    dtype: str,
    chunk: int,
    data: st.DataObject,
) -> None:
    source = rw.read_events(events, duplicates="keep")
    whole = rw.learn(source, method=method, dtype=dtype)
    path = tmp_path_factory.mktemp("store") / "w.zarr"
    with asking(chunk=chunk):
        rw.tiles.create(source, path, method=method, dtype=dtype)
    store = Store.open(path)
    tiles = data.draw(st.permutations([*range(store.n_tiles)] * 2))
    if store.missing():
        job = store.job(source, threads=1)
        for tile in tiles:
            store.learn_tile(job, tile)
    assert bits(rw.load_weights(path)) == bits(whole)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_zarr_and_xarray_read_a_store(events: rw.Events, tmp_path: Path, method: Any, dtype: str) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, method=method, dtype=dtype)
    whole = rw.learn(events, method=method, dtype=dtype)
    opened = xarray.open_zarr(path, consolidated=False, chunks=None)
    assert opened["weights"].dims == ("cues", "outcomes")
    assert bits(opened["weights"].to_numpy()) == bits(whole)
    assert tuple(opened["cues"].to_numpy().tolist()) == whole.cues
    array = zarr.open_array(path / "weights", mode="r")
    assert bits(array[:]) == bits(whole)
    assert np.isnan(array.fill_value)


def test_a_store_has_the_face_of_weights(
    events: rw.Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "w.zarr", rw.learn(events)
    stored = rw.learn(events, out=path)
    assert isinstance(stored, rw.Weights)
    assert stored["a1", "x1"] == whole["a1", "x1"]
    assert bits(stored.row("a2")) == bits(whole.row("a2"))
    assert bits(stored.column("y3")) == bits(whole.column("y3"))
    assert stored.top(cue="b3") == whole.top(cue="b3")
    assert stored.to_pandas().equals(whole.to_pandas())
    assert bits(stored.to_xarray()) == bits(whole)
    assert bits(pickle.loads(pickle.dumps(stored))) == bits(whole)
    assert bits(rw.learn(events, initial=stored).values) == bits(rw.learn(events, initial=whole).values)
    import importlib

    monkeypatch.setattr(importlib.import_module("rescorla._learn.activations"), "_BLOCK", 60)
    for arguments in ({}, {"outcomes": ["y3", "x1"]}, {"present_only": True}):
        got, expected = (rw.activations(events, each, **arguments) for each in (stored, whole))
        assert bits(got) == bits(expected)
    with pytest.raises(ValueError, match="in place"):
        rw.learn(events, initial=stored, out=stored)


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
    rw.tiles.create(events, tmp_path / "w.zarr", **arguments)
    assert rw.tiles.learn(tmp_path / "w.zarr", events) == 1
    assert bits(rw.load_weights(tmp_path / "w.zarr")) == bits(rw.learn(events, **arguments))
    assert rw.learn(events, out=tmp_path / "w.zarr", resume=True, **arguments).missing() == []


def test_missing_tiles_are_an_error_and_never_nan(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    stored = rw.learn(events, out=path, method="forward")
    (path / "weights" / "c" / "0" / "1").unlink()
    assert stored.missing() == [1]
    uses: list[Any] = [
        lambda: np.asarray(stored),
        lambda: stored.row("a1"),
        lambda: stored.column(stored.outcomes[5]),
        lambda: stored["a1", stored.outcomes[5]],
        lambda: stored["a1", :],
        lambda: stored[["a1"], stored.outcomes[5:6]],
        lambda: stored[:, stored.outcomes[0] : stored.outcomes[4]],
        lambda: stored.strongest(2),
        lambda: stored.predict(events),
        lambda: stored.to_arrow(),
        lambda: stored.to_pandas(),
        lambda: stored.to_xarray(),
        lambda: stored.save(tmp_path / "w.npz"),
        lambda: rw.activations(events, stored),
    ]
    for use in uses:
        with pytest.raises(rw.tiles.MissingTilesError, match=r"1 \(columns 4 to 7\)"):
            use()
    assert np.isfinite(stored.column(stored.outcomes[0])).all()


def test_other_events_or_parameters_are_refused(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, alpha=0.1)
    with pytest.raises(FileExistsError, match="resume=True"):
        rw.learn(events, out=path)
    with pytest.raises(ValueError, match=r"alpha: the store was made with 0\.1, this call has 0\.2"):
        rw.learn(events, out=path, resume=True, alpha=0.2)
    with pytest.raises(ValueError, match=r"dtype: .* 'float64', this call has 'float32'"):
        rw.tiles.create(events, path, dtype="float32")
    others = rw.read_events([*EVENTS[1:], EVENTS[0]])
    for refused in (
        lambda: rw.learn(others, out=path, resume=True),
        lambda: rw.tiles.learn(path, others),
        lambda: rw.tiles.verify(path, others),
    ):
        with pytest.raises(ValueError, match="events: "):
            refused()
    with pytest.raises(ValueError, match=r"ends in \.zarr"):
        rw.learn(events, resume=True)


@pytest.mark.parametrize("method", METHODS)
def test_damage_is_found_and_mended(events: rw.Events, tmp_path: Path, method: Any) -> None:
    path = tmp_path / "w.zarr"
    whole = bits(rw.learn(events, out=path, method=method))
    store = Store.open(path)
    flip(store.file(0))
    os.truncate(store.file(2), 20)
    os.unlink(store.file(3))
    found = rw.tiles.verify(path)
    assert not found
    assert (found.missing, found.bad) == ([3], [0, 2])
    with pytest.raises(rw.FormatError, match="repair"):
        store.mapped(2)
    assert rw.tiles.repair(path) == [0, 2]
    assert rw.tiles.learn(path, events, part=(0, 2)) == 2
    assert bits(rw.learn(events, out=path, method=method, resume=True)) == whole
    assert rw.tiles.verify(path, events, sample=3, seed=1)


def test_a_sample_finds_what_checksums_do_not(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, method="forward")
    store = Store.open(path)
    os.replace(store.file(0), store.file(1))
    rw.learn(events, out=path, method="forward", resume=True)
    assert rw.tiles.verify(path)
    assert rw.tiles.verify(path, events, sample=store.n_tiles).bad == [1]


@pytest.mark.parametrize("old", ['"alpha": 0.1', '"forward"', '"little"', '"crc32c"', "{"])
def test_damaged_metadata_are_refused(events: rw.Events, tmp_path: Path, old: str) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, method="forward")
    for name in ("zarr.json", "weights/zarr.json"):
        text = (path / name).read_text()
        (path / name).write_text(text.replace(old, old.replace("0.1", "0.2").swapcase().replace("{", "")))
    with pytest.raises(rw.FormatError, match=r"w\.zarr"):
        rw.load_weights(path)


def test_a_missing_folder_says_so(events: rw.Events, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no folder"):
        rw.learn(events, out=tmp_path / "none" / "w.zarr")
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_what_is_whole(
    events: rw.Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "w.zarr", Store.learn_tile

    def failing(store: Store, job: Any, tile: int, **more: Any) -> None:
        if tile >= 2:
            raise OSError(28, f"no room for {tile}")
        write(store, job, tile, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "learn_tile", failing)
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

    rw.tiles.create(events, tmp_path / "w.zarr")
    with pytest.raises(EnoughError):
        rw.tiles.learn(tmp_path / "w.zarr", events, progress=enough)
    rw.tiles.learn(tmp_path / "w.zarr", events)
    assert rw.tiles.verify(tmp_path / "w.zarr")


def learn_part(path: str, events: str, number: int, n: int) -> None:
    with asking(chunk=4):
        rw.tiles.create(events, path)
        rw.tiles.learn(path, events, part=(number, n), threads=1)


def test_processes_that_race_make_one_store(events: rw.Events, tmp_path: Path) -> None:
    file, path = str(tmp_path / "e.rw"), str(tmp_path / "w.zarr")
    events.save(file)
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=learn_part, args=(path, file, n, 3)) for n in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert bits(rw.load_weights(path)) == bits(rw.learn(events))
    assert [each for each in os.listdir(tmp_path) if each.endswith(".tmp")] == []


def write_for_ever(path: str, events: str) -> None:
    store = Store.open(path)
    job = store.job(rw.open_events(events), threads=1)
    while True:
        for tile in range(store.n_tiles):
            store.learn_tile(job, tile)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_writer_leaves_whole_tiles(events: rw.Events, tmp_path: Path) -> None:
    file, path = str(tmp_path / "e.rw"), str(tmp_path / "w.zarr")
    events.save(file)
    rw.tiles.create(events, path)
    process = multiprocessing.get_context("spawn").Process(target=write_for_ever, args=(path, file))
    process.start()
    while process.is_alive() and len(Store.open(path).missing()) > 2:
        time.sleep(0.01)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert rw.tiles.verify(path).bad == []
    assert bits(rw.learn(events, out=path, resume=True)) == bits(rw.learn(events))


def test_the_command_line(events: rw.Events, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rescorla.cli import main

    file, path = str(tmp_path / "e.rw"), str(tmp_path / "w.zarr")
    events.save(file)
    assert main(["learn", file, "-o", path, "--part", "1/2"]) == 0
    assert main(["verify", path]) == 3
    assert "missing: 0, 2, 4" in capsys.readouterr().out
    assert main(["learn", file, "-o", path]) == 1
    assert main(["learn", file, "-o", path, "--resume"]) == 0
    assert main(["verify", path]) == 0
    flip(Store.open(path).file(1))
    assert main(["verify", path, "--repair"]) == 3
    assert main(["learn", file, "-o", path, "--part", "1/2"]) == 0
    assert main(["verify", path + "/"]) == 0
    assert bits(rw.load_weights(path)) == bits(rw.learn(events))
    with pytest.raises(SystemExit):
        main(["learn", file, "-o", path, "--part", "2/2"])


def test_progress_tells_of_all_tiles(events: rw.Events, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    rw.learn(events, out=tmp_path / "w.zarr", progress=lambda done, total: seen.append((done, total)))
    n_tiles = Store.open(tmp_path / "w.zarr").n_tiles
    learning = [(done, total) for done, total in seen if total]
    assert n_tiles > 1
    assert {total for _, total in learning} == {1000 * n_tiles}
    assert learning[-1][0] == 1000 * n_tiles
    assert [done for done, _ in learning] == sorted(done for done, _ in learning)
