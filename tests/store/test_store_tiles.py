"""Tiles of a store: learned in any order, by many processes, told of, and missing."""

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given, settings
from hypothesis import strategies as st
from rescorla._shared.testing import asking
from rescorla._store.store import Store
from stores import DTYPES, METHODS, bits, flip

pytestmark = pytest.mark.usefixtures("small_chunks")


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


def test_progress_tells_of_all_tiles(events: rw.Events, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    rw.learn(events, out=tmp_path / "w.zarr", progress=lambda done, total: seen.append((done, total)))
    n_tiles = Store.open(tmp_path / "w.zarr").n_tiles
    learning = [(done, total) for done, total in seen if total]
    assert n_tiles > 1
    assert {total for _, total in learning} == {1000 * n_tiles}
    assert learning[-1][0] == 1000 * n_tiles
    assert [done for done, _ in learning] == sorted(done for done, _ in learning)


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


def test_the_process_that_makes_a_store_prepares_once(
    events: rw.Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rescorla._store.request import Request
    from rescorla.cli import main

    prepared, job = [], Request.job

    def counted(self: Request, *args: Any, **how: Any) -> Any:
        prepared.append(self)
        return job(self, *args, **how)

    monkeypatch.setattr(Request, "job", counted)
    events.save(tmp_path / "e.rw")
    for number, times in ((0, 1), (1, 2), (1, 2)):
        command = ["learn", str(tmp_path / "e.rw"), "-o", str(tmp_path / "w.zarr")]
        assert main([*command, "--part", f"{number}/2"]) == 0
        assert len(prepared) == times
    assert bits(rw.load_weights(tmp_path / "w.zarr")) == bits(rw.learn(events))


def test_whoever_makes_a_store_is_warned_of_a_rate_that_is_not_safe(
    events: rw.Events, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from rescorla.cli import main

    file, path, said = (
        str(tmp_path / "e.rw"),
        str(tmp_path / "w.zarr"),
        "beta = 30 may overshoot: an event has",
    )
    events.save(file)
    with pytest.warns(rw.RescorlaWarning, match=said) as seen:
        rw.tiles.create(events, tmp_path / "made.zarr", beta=30)
    assert [each.filename for each in seen] == [__file__]
    # Neither those who find the store nor those who learn its tiles are warned again.
    rw.tiles.create(events, tmp_path / "made.zarr", beta=30)
    rw.tiles.learn(tmp_path / "made.zarr", events)
    for number, times in ((0, 1), (1, 0)):
        assert main(["learn", file, "-o", path, "--beta", "30", "--part", f"{number}/2"]) == 0
        assert capsys.readouterr().err.count(said) == times
    with pytest.warns(rw.RescorlaWarning, match=said) as seen:
        rw.learn(events, beta=30, out=tmp_path / "w2.zarr")
    assert len(seen) == 1


SOURCES: dict[str, Callable[[list[Any], Path], Any]] = {
    "list": lambda rows, folder: rows,
    "tuple": lambda rows, folder: tuple(rows),
    "generator": lambda rows, folder: (row for row in rows),
    "pandas": lambda rows, folder: pd.DataFrame(rows, columns=["cues", "outcomes"]),
    "arrow": lambda rows, folder: pa.table(
        dict(zip(("cues", "outcomes"), zip(*rows, strict=True), strict=True))
    ),
    "table": lambda rows, folder: folder / "e.tab",
}


@pytest.mark.parametrize("form", SOURCES)
def test_parts_are_learned_from_any_source_of_the_same_events(form: str, tmp_path: Path) -> None:
    rows = [(f"c{i % 7}_c{i % 5}x", f"o{i % 11}") for i in range(200)]
    known = rw.read_events(rows)
    known.to_table(tmp_path / "e.tab")
    out = tmp_path / "w.zarr"

    def source() -> Any:
        return SOURCES[form](rows, tmp_path)

    with asking(chunk=4):
        rw.tiles.create(source(), out, method="forward")
        learned = [rw.tiles.learn(out, source(), part=(i, 2)) for i in range(2)]
    assert learned == [2, 1]
    assert bits(rw.load_weights(out).values[:, :]) == bits(rw.learn(known, method="forward").values)
    assert rw.tiles.verify(out, source(), sample=2, seed=1)


def test_an_iterator_that_was_read_before_is_named(tmp_path: Path) -> None:
    rows = [("a_b", "x"), ("b", "y")]
    out = str(tmp_path / "w.zarr")
    once = iter(rows)
    rw.tiles.create(once, out)
    for call, written in (
        (lambda: rw.tiles.learn(out, once), f"rw.tiles.learn({out!r}, events)"),
        (lambda: rw.tiles.verify(out, once), f"rw.tiles.verify({out!r}, events)"),
        (lambda: rw.tiles.create(once, out), f"rw.tiles.create(events, {out!r})"),
    ):
        with pytest.raises(ValueError, match="is read once, and nothing is left") as raised:
            call()
        assert f'events = rw.read_events(source, "events.rw"), and write {written}' in str(raised.value)
    with pytest.raises(ValueError, match="the store was made of 2 events, these are 1"):
        rw.tiles.learn(out, rows[:1])
    assert rw.tiles.learn(out, iter(rows)) == 1


def test_of_running_text_the_call_is_written(tmp_path: Path) -> None:
    text, out = tmp_path / "kjv.txt", str(tmp_path / "w.zarr")
    text.write_text("In the beginning God created the heaven\nand the earth.\n")
    events = f"rw.corpus_events({str(text)!r})"
    with pytest.raises(ValueError, match="found running text") as raised:
        rw.tiles.create(text, out)
    assert f"write rw.tiles.create({events}, {out!r})" in str(raised.value)
    rw.tiles.create([("a", "x")], out)
    with pytest.raises(ValueError, match="found running text") as raised:
        rw.tiles.learn(out, text)
    assert f"write rw.tiles.learn({out!r}, {events})" in str(raised.value)
