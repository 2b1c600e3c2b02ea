"""Weights in .npy files: an array to everybody, with names behind the elements, taken only where they fit."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st

VALUES = np.arange(6.0).reshape(2, 3)
CUES, OUTCOMES = ["a", "ü\n"], ["x", "", "z_"]


def saved(path: Path, values: Any = VALUES) -> bytes:
    """What a file of weights holds."""
    rw.Weights(values, CUES, OUTCOMES, parameters={"alpha": 0.5, "by": ["a"]}).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numpy_reads_the_array(tmp_path: Path, order: Any, dtype: str) -> None:
    values = np.asarray(VALUES, dtype, order=order)
    path = tmp_path / "w.npy"
    content = saved(path, values)
    for found in (
        np.load(path),
        np.load(str(path), mmap_mode="r"),
        np.load(io.BytesIO(content)),
        np.lib.format.open_memmap(path, "r"),
    ):
        np.testing.assert_array_equal(found, values)
        assert found.dtype == values.dtype
    with path.open("rb") as stream:
        np.testing.assert_array_equal(np.load(stream), values)
    found = rw.load_weights(path)
    assert (list(found.cues), list(found.outcomes)) == (CUES, OUTCOMES)
    assert found.parameters == {"alpha": 0.5, "by": ["a"]}
    assert [each.name for each in tmp_path.iterdir()] == ["w.npy"]


@given(st.lists(st.text(max_size=5), unique=True, max_size=5), st.sampled_from(["C", "F"]))
def test_names_come_back(tmp_path_factory: pytest.TempPathFactory, names: list[str], order: Any) -> None:
    path = tmp_path_factory.mktemp("npy") / "w.npy"
    values = np.asarray(np.arange(3.0 * len(names)).reshape(len(names), 3), order=order)
    rw.Weights(values, names, ["x", "y", "z"]).save(path)
    found = rw.load_weights(path)
    np.testing.assert_array_equal(found.values, values)
    assert list(found.cues) == names
    assert rw.verify(path)


def test_an_array_that_is_written_over_weights_has_no_names(tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    saved(path)
    np.save(path, VALUES)
    with pytest.raises(rw.FormatError, match="found an array without names"):
        rw.load_weights(path)
    # Another array of as many bytes, written into the file as it stands.
    content = saved(path)
    other = io.BytesIO()
    np.save(other, np.asfortranarray(VALUES))
    path.write_bytes(other.getvalue() + content[len(other.getvalue()) :])
    with pytest.raises(rw.FormatError, match="found damage; save the weights again"):
        rw.load_weights(path)


def test_a_pair_of_files_of_an_older_version_is_refused_as_such(tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    np.save(path, np.eye(2))
    labels = {"cues": ["a", "b"], "outcomes": ["x", "y"], "parameters": {}}
    (tmp_path / "w.npy.json").write_text(json.dumps(labels))
    with pytest.raises(rw.FormatError, match=r"made by a version before 0\.2; save it again"):
        rw.load_weights(path)


def test_every_cut_and_every_flipped_bit_behind_the_elements_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    content = saved(path)
    start = 128
    end = start + VALUES.nbytes
    for length in range(start, len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(rw.FormatError, match=r"w\.npy: expected"):
            rw.load_weights(path)
    for place in range(end, len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises(rw.FormatError, match="found damage"):
            rw.load_weights(path)
    path.write_bytes(content + b"x")
    with pytest.raises(rw.FormatError, match="found damage"):
        rw.load_weights(path)
    # Of the elements themselves it is known when all are read.
    changed = bytearray(content)
    changed[start + 3] ^= 1
    path.write_bytes(changed)
    assert not rw.verify(path)
