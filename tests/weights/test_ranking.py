"""What is strongest in weights, and what they predict: in a defined order, in bounded memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rescorla._weights import predict, ranking

# Few values, so that many are equal; and what sorts in its own ways.
NUMBERS = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.inf, -np.inf, np.nan])
SHAPES = st.tuples(st.integers(0, 6), st.integers(0, 6))
COUNTS = st.integers(0, 40)


def named(values: Any) -> rw.Weights:
    rows, columns = values.shape
    return rw.Weights(values, [f"c{i}" for i in range(rows)], [f"o{j}" for j in range(columns)])


def falling(value: float) -> tuple[bool, float]:
    """What sorts numbers from the largest down, and what is none last."""
    return bool(np.isnan(value)), 0.0 if np.isnan(value) else -value


@given(arrays(np.float64, SHAPES, elements=NUMBERS), COUNTS, st.integers(1, 40), st.sampled_from("CF"))
@example(np.zeros((2, 2)), 0, 1, "C")
def test_strongest_are_those_of_sorting(values: Any, n: int, block: int, order: Any) -> None:
    known = named(np.array(values, order=order))
    pairs = [(f"c{i}", f"o{j}", value) for (i, j), value in np.ndenumerate(values)]
    expected = sorted(pairs, key=lambda pair: falling(abs(pair[2])))[:n]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "_BLOCK", block)
        found = known.strongest(n)
    assert repr(found) == repr([(cue, outcome, float(value)) for cue, outcome, value in expected])


def test_strongest_shows_signs_and_takes_a_count() -> None:
    known = named(np.array([[0.5, -2.0], [1.0, 0.0]]))
    assert known.strongest() == [("c0", "o1", -2.0), ("c1", "o0", 1.0), ("c0", "o0", 0.5), ("c1", "o1", 0.0)]
    assert known.strongest(1) == [("c0", "o1", -2.0)]
    for wrong, error in ((-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="n must be a whole number"):
            known.strongest(wrong)  # type: ignore[arg-type]


def test_strongest_of_files_and_stores_is_that_of_memory(tmp_path: Path) -> None:
    pytest.importorskip("zarr", reason="zarr is not installed: pip install rescorla[zarr]")
    known = named(np.random.default_rng(1).integers(-3, 4, (9, 5)).astype(float))
    for suffix in ("npy", "zarr"):
        known.save(tmp_path / f"w.{suffix}")
        assert rw.load_weights(tmp_path / f"w.{suffix}").strongest(20) == known.strongest(20)


@given(arrays(np.float64, SHAPES, elements=NUMBERS), st.integers(0, 8))
def test_the_largest_of_rows_are_those_of_each(values: Any, n: int) -> None:
    found = ranking.largest_of_rows(values, n)
    assert found.shape == (values.shape[0], min(n, values.shape[1]))
    assert found.tolist() == [ranking.largest(row, n).tolist() for row in values]


@given(
    arrays(np.float64, (3, 4), elements=st.sampled_from([0.0, 0.25, 0.5, -1.0])),
    st.lists(st.lists(st.sampled_from(["c0", "c1", "c2", "new"]), unique=True), max_size=6),
    st.integers(0, 5),
    st.integers(1, 12),
)
def test_predictions_are_the_most_active_outcomes(
    values: Any, cue_sets: list[list[str]], n: int, block: int
) -> None:
    known = named(values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(predict, "_BLOCK", block)
        names, active = known.predict(cue_sets, n, unknown="ignore")
    assert names.shape == active.shape == (len(cue_sets), min(n, 4))
    for cues, found, numbers in zip(cue_sets, names.tolist(), active.tolist(), strict=True):
        sums = {o: sum(known[cue, o] for cue in cues if cue != "new") for o in known.outcomes}
        best = sorted(sums, key=lambda outcome: -sums[outcome])[:n]
        assert found == (best if {*cues} - {"new"} else [None] * len(best))
        assert numbers == [sums[outcome] for outcome in best]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_predictions_of_events_and_of_cue_sets_agree(dtype: Any, tmp_path: Path) -> None:
    events = rw.read_events([("a_b", "x"), ("b", "y", 2), ("c", "x_z")] * 3, tmp_path / "e.rw")
    known = rw.learn(events, dtype=dtype)
    names, active = known.predict(events)
    assert (names.dtype, active.dtype, names.shape) == (np.dtype(object), dtype, (9, 1))
    assert names[:3, 0].tolist() == ["x", "y", "x"]
    for other in ("a_b", ("a", "b")):
        assert known.predict([other])[0].tolist() == [["x"]]
    assert known.predict(tmp_path / "e.rw")[0].tolist() == names.tolist()
    assert known.predict([])[0].shape == (0, 1)


def test_an_unknown_cue_is_named_before_anything_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = named(np.eye(2))
    monkeypatch.setattr(predict, "multiply", None)
    with pytest.raises(KeyError, match=r"do not have the cue 'c9'.*let unknown be 'ignore'"):
        known.predict(["c0", "c9"])
    with pytest.raises(ValueError, match="unknown must be 'error' or 'ignore'"):
        known.predict(["c0"], unknown="drop")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match=r"write \['c0'\] for one set of cues"):
        known.predict("c0")
