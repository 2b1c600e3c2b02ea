"""Who reads a store: zarr, xarray, and all that takes weights."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from rescorla._learn.tiles import tiles_of
from rescorla._weights.zarr.store import Store
from stores import DTYPES, METHODS, bits

zarr = pytest.importorskip("zarr")
xarray = pytest.importorskip("xarray")
pytestmark = pytest.mark.usefixtures("small_chunks")


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


def test_a_store_that_took_the_place_of_another_is_not_taken_for_it(
    events: rw.Events, tmp_path: Path
) -> None:
    path = tmp_path / "w.zarr"
    stored: Any = rw.learn(events, out=path, alpha=0.1)
    old = tiles_of(Store.open(path), events, threads=1)
    rw.learn(events, alpha=0.2).save(path)
    uses: list[Any] = [
        lambda: stored["a1", "x1"],
        lambda: stored.row("a1"),
        lambda: stored.column("x1"),
        lambda: stored.top(cue="b3"),
        lambda: np.asarray(stored),
        lambda: stored.to_xarray(),
        lambda: stored.to_xarray(chunks={}),
        lambda: stored.missing(),
        lambda: rw.activations(events, stored),
        lambda: rw.learn(events, initial=stored),
        # A tile with the parameters of the old store has no place in the new one.
        lambda: old.learn(0),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match=r"w\.zarr: another store took the place of this one"):
            use()
    again = rw.load_weights(path)
    assert bits(again) == bits(rw.learn(events, alpha=0.2))
    assert rw.verify(path)
    shutil.rmtree(path)
    with pytest.raises(FileNotFoundError, match=r"w\.zarr"):
        again.row("a1")


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

    monkeypatch.setattr(importlib.import_module("rescorla._weights.product"), "_BLOCK", 60)
    for arguments in ({}, {"outcomes": ["y3", "x1"]}, {"present_only": True}):
        got, expected = (rw.activations(events, each, **arguments) for each in (stored, whole))
        assert bits(got) == bits(expected)
    with pytest.raises(ValueError, match="in place"):
        rw.learn(events, initial=stored, out=stored)
