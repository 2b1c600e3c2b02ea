"""Who reads a store: zarr, xarray, and all that takes weights."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
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
