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
from rescorla._weights.zarr.store import Store
from stores import DTYPES, METHODS, bits, flip, made

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
        ready = made(source, path, method, dtype=dtype)
    store = ready.store
    for tile in data.draw(st.permutations([*range(store.n_tiles)] * 2)) if store.missing() else ():
        ready.learn(tile)
    assert bits(rw.load_weights(path)) == bits(whole)


def test_missing_tiles_are_an_error_and_never_nan(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    stored = rw.learn(events, out=path, method="forward")
    Store.open(path).remove(1)
    assert stored.missing() == [1]
    uses: list[Any] = [
        lambda: np.asarray(stored),
        lambda: stored.values,
        lambda: stored.data[0],
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
        rw.learn(events, out=path, part=(number, n), threads=1)


@pytest.mark.parametrize("time", range(2))
def test_processes_that_race_make_one_store(events: rw.Events, tmp_path: Path, time: int) -> None:
    """By hand many more times: whoever comes first makes the store, and the others find it."""
    file, path = str(tmp_path / "e.rw"), str(tmp_path / "w.zarr")
    events.save(file)
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=learn_part, args=(path, file, n, 8)) for n in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 8
    assert rw.load_weights(path).missing() == []
    assert bits(rw.load_weights(path)) == bits(rw.learn(events))
    assert sorted(os.listdir(tmp_path)) == ["e.rw", "w.zarr"]


def test_a_part_is_told_what_is_wrong_with_it(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    for out in (None, tmp_path / "w.npy"):
        with pytest.raises(
            ValueError, match=r"part learns some tiles of a store: let out be a path that ends in .zarr"
        ):
            rw.learn(events, out=out, part=(0, 2))
    for part, error in (
        ((2, 2), ValueError),
        ((0, 0), ValueError),
        ([0, 2], TypeError),
        ((0.0, 2), TypeError),
    ):
        with pytest.raises(error, match="part"):
            rw.learn(events, out=path, part=part)  # type: ignore[arg-type]
    assert not path.exists()


def test_the_weights_of_a_part_are_those_of_the_store(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    first = rw.learn(events, out=path, part=(0, 2), method="forward")
    assert first.missing() == [1, 3]
    second = rw.learn(events, out=path, part=(1, 2), method="forward")
    assert (first.missing(), second.missing()) == ([], [])
    assert bits(first) == bits(second) == bits(rw.learn(events, method="forward"))


def test_values_are_an_array_and_data_reads_parts(events: rw.Events, tmp_path: Path) -> None:
    whole, stored = rw.learn(events), rw.learn(events, out=tmp_path / "w.zarr")
    data: Any = stored.data
    assert type(stored.values) is np.ndarray
    assert bits(stored.values) == bits(whole)
    assert (data.shape, data.dtype, data.ndim, data.size, len(data)) == (
        whole.values.shape,
        whole.values.dtype,
        2,
        whole.values.size,
        len(whole.cues),
    )
    keys: list[Any] = [
        0,
        -1,
        slice(2, 9),
        [3, 1],
        (0, 1),
        (slice(None), 2),
        (slice(1, 5), [2, 0]),
        ([1, 0], 3),
    ]
    for key in keys:
        assert np.array_equal(data[key], whole.values[key])
    for wrong in ((0, 1, 2), ..., (None, 0), ([0, 1], [0, 1]), len(data)):
        with pytest.raises(IndexError):
            data[wrong]


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
    from rescorla._learn.request import Request
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
        rw.learn(events, out=tmp_path / "made.zarr", beta=30, part=(0, 2))
    assert [each.filename for each in seen] == [__file__]
    # Neither those who find the store nor those who learn its tiles are warned again.
    rw.learn(events, out=tmp_path / "made.zarr", beta=30, part=(1, 2))
    rw.learn(events, out=tmp_path / "made.zarr", beta=30, resume=True)
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
        left = [rw.learn(source(), out=out, part=(i, 2), method="forward").missing() for i in range(2)]
    assert left == [[1], []]
    assert bits(rw.load_weights(out).values) == bits(rw.learn(known, method="forward").values)
    assert rw.verify(out, source(), sample=2, seed=1)
