"""Stores that were damaged."""

import os
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from rescorla._weights.zarr.store import Store
from stores import METHODS, bits, flip

pytestmark = pytest.mark.usefixtures("small_chunks")


@pytest.mark.parametrize("method", METHODS)
def test_damage_is_found_and_mended(events: rw.Events, tmp_path: Path, method: Any) -> None:
    path = tmp_path / "w.zarr"
    whole = bits(rw.learn(events, out=path, method=method))
    store = Store.open(path)
    flip(store.file(0))
    os.truncate(store.file(2), 20)
    os.unlink(store.file(3))
    found = rw.verify(path)
    assert not found
    assert (found.missing, found.bad) == ([3], [0, 2])
    for tile in (0, 2):
        with pytest.raises(rw.FormatError, match="repair"):
            Store.open(path).mapped(tile)
    assert rw.tiles.repair(path) == [0, 2]
    assert rw.learn(events, out=path, method=method, part=(0, 2)).missing() == [3]
    assert bits(rw.learn(events, out=path, method=method, resume=True)) == whole
    assert rw.verify(path, events, sample=3, seed=1)


def test_a_sample_finds_what_checksums_do_not(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, method="forward")
    store = Store.open(path)
    store.write(1, store.mapped(0))
    assert rw.verify(path)
    assert rw.verify(path, events, sample=store.n_tiles).bad == [1]


@pytest.mark.parametrize("old", ['"alpha": 0.1', '"forward"', '"little"', '"crc32c"', "{"])
def test_damaged_metadata_are_refused(events: rw.Events, tmp_path: Path, old: str) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, method="forward")
    for name in ("zarr.json", "weights/zarr.json"):
        text = (path / name).read_text()
        (path / name).write_text(text.replace(old, old.replace("0.1", "0.2").swapcase().replace("{", "")))
    with pytest.raises(rw.FormatError, match=r"w\.zarr"):
        rw.load_weights(path)
