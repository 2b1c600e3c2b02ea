"""Trajectories are saved whole or not at all, and read back with the same bits."""

import itertools
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event

EVENTS = some.events(some.VERBATIM_NAMES, frequencies=st.integers(0, 3))


def check_same(one: rw.Trajectories, other: rw.Trajectories) -> None:
    assert some.bits(one.values) == some.bits(other.values)
    assert one.values.dtype == other.values.dtype
    assert one.tokens.tolist() == other.tokens.tolist()
    assert (one.pairs, one.cues, one.outcomes) == (other.pairs, other.cues, other.outcomes)
    assert one.parameters == other.parameters
    assert (one.predictions is None) == (other.predictions is None)
    if one.predictions is not None and other.predictions is not None:
        assert one.predictions.dtype == other.predictions.dtype
        assert one.predictions.tolist() == other.predictions.tolist()
    assert (one.all_predictions is None) == (other.all_predictions is None)
    if one.all_predictions is not None and other.all_predictions is not None:
        assert one.all_predictions.dtype == other.all_predictions.dtype
        assert one.all_predictions.shape == other.all_predictions.shape
        assert some.bits(one.all_predictions) == some.bits(other.all_predictions)


@pytest.mark.filterwarnings("ignore:every = ")
@given(EVENTS, some.DTYPES, st.integers(1, 3), st.sampled_from([False, True, "present"]), st.data())
def test_what_is_saved_comes_back(
    events: list[Event], dtype: Any, every: int, predictions: Any, data: st.DataObject
) -> None:
    source = rw.read_events(events)
    all_pairs = list(itertools.product(source.cues, source.outcomes))
    pairs = data.draw(st.one_of(st.none(), some.subsets(all_pairs)))
    traj = rw.trajectories(source, pairs, every=every, dtype=dtype, predictions=predictions)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.npz")
        traj.save(path)
        assert [each.name for each in Path(folder).iterdir()] == ["t.npz"]
        again = rw.Trajectories.load(path)
    check_same(traj, again)
    for pair in all_pairs if pairs is None else pairs:
        assert some.bits(again[pair]) == some.bits(traj[pair])


def saved(folder: Path, **more: Any) -> tuple[rw.Trajectories, Path]:
    source = rw.read_events([("light", "food", 2), ("light_tone", "food_shock", 2)])
    traj = rw.trajectories(source, predictions=True, **more)
    traj.save(folder / "t.npz")
    return traj, folder / "t.npz"


def test_names_may_end_in_nul(tmp_path: Path) -> None:
    traj = rw.trajectories([(["a\0"], ["x\0"])])
    traj.save(tmp_path / "t.npz")
    check_same(traj, rw.Trajectories.load(tmp_path / "t.npz"))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    traj, path = saved(tmp_path)
    content = path.read_bytes()
    refused = 0
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        try:
            found = rw.Trajectories.load(path)
        except rw.FormatError:
            refused += 1
        else:
            check_same(traj, found)  # A date or a hint in the archive.
    assert refused > len(content) / 6
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(rw.FormatError):
            rw.Trajectories.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": np.zeros((2, 2, 2))}, "values of the shape"),
        ({"values": np.zeros((5, 2, 2), dtype=np.int64)}, "float64 or float32, found int64"),
        ({"tokens": np.array([0, 1, 2, 2, 3])}, "numbers of tokens that rise"),
        ({"tokens": np.array([0.0, 1, 2, 3, 4])}, "numbers of tokens that rise"),
        ({"outcome": np.array([0, 0, 0, 1, 0, 7])}, "outcomes below 2"),
        ({"token": np.array([1])}, "columns of one length"),
        ({"error": np.zeros(6, dtype=np.float32)}, "predictions of float64"),
        ({"all_predictions": np.zeros((5, 2))}, "all_predictions of float64 of the shape"),
        ({"all_predictions": np.zeros((4, 2), dtype=np.float32)}, "found float32 of the shape"),
        ({"kind": "weights"}, "expected the kind 'rescorla trajectories'"),
        ({"version": 2}, "found version 2, of a later rescorla"),
        ({"cues": ["light", "light"]}, "names that differ"),
        ({"cues": ["light", 3]}, "expected names"),
        ({"pairs": [["light", "food"]]}, "values of the shape"),
        ({"pairs": 3}, "found a foreign or damaged one"),
        ({"values": np.array([None])}, "found a foreign or damaged one"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    _, path = saved(tmp_path)
    with np.load(path) as archive:
        arrays: dict[str, Any] = dict(archive)
    about = json.loads(arrays["about"].tobytes())
    for name, value in change.items():
        (arrays if name in arrays else about)[name] = value
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(rw.FormatError, match=message) as raised:
        rw.Trajectories.load(path)
    assert str(path) in str(raised.value)


def test_other_files_are_told_apart(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    for name in ("w.npz", "w.npy", "w.nc"):
        rw.learn([("a", "x")]).save(tmp_path / name)
        with pytest.raises(
            rw.FormatError, match=rf"{name}: expected .* rescorla\.load_weights reads weights"
        ):
            rw.Trajectories.load(tmp_path / name)
    with pytest.raises(rw.FormatError, match=r"found one of trajectories; rescorla\.Trajectories\.load"):
        rw.load_weights(path)
    with pytest.raises(FileNotFoundError):
        rw.Trajectories.load(tmp_path / "none.npz")


def test_what_cannot_be_saved_leaves_the_old_file(tmp_path: Path) -> None:
    traj, path = saved(tmp_path)
    before = path.read_bytes()
    traj.parameters["what"] = object()
    with pytest.raises(TypeError, match="values that JSON has"):
        traj.save(path)
    with pytest.raises(ValueError, match=r"trajectories are saved to \.npz files"):
        traj.save(tmp_path / "t.csv")
    del traj.parameters["what"]
    with pytest.raises(OSError, match="nowhere"):
        traj.save(tmp_path / "nowhere" / "t.npz")
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["t.npz"]
