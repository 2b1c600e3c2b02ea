"""``weights[cues, outcomes]``: as pandas' ``.loc`` on a data frame of the same values."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

CUES, OUTCOMES = ("red", "blue", "any", "green"), ("y", "n", "a b")
VALUES = np.arange(12.0).reshape(4, 3)
NAMES = st.lists(st.text("abcz_é", max_size=3), min_size=1, max_size=6, unique=True)


def weights(parameters: dict[str, Any] | None = None) -> rw.Weights:
    return rw.Weights(VALUES.copy(), CUES, OUTCOMES, parameters)


@st.composite
def keys(draw: st.DrawFn, names: list[str]) -> Any:
    """A name, some names, each once, or a slice, open or not, forward or backward."""
    name = st.sampled_from(names)
    end = st.none() | name
    several = st.lists(name, unique=True)
    return draw(
        name | several | several.map(lambda some: np.array(some, dtype=np.str_)) | st.builds(slice, end, end)
    )


@given(st.data(), NAMES, NAMES, st.sampled_from([np.float64, np.float32]), st.sampled_from("CF"))
def test_a_key_picks_what_loc_of_pandas_picks(
    data: st.DataObject, cues: list[str], outcomes: list[str], dtype: Any, order: Any
) -> None:
    values = np.arange(len(cues) * len(outcomes), dtype=dtype).reshape(len(cues), len(outcomes), order=order)
    known = rw.Weights(values, cues, outcomes, {"rule": "x"})
    frame = pd.DataFrame(values, index=pd.Index(cues, dtype=object), columns=pd.Index(outcomes, dtype=object))
    rows, columns = data.draw(keys(cues)), data.draw(keys(outcomes))
    found, expected = known[rows, columns], frame.loc[rows, columns]
    dropped = isinstance(rows, str) + isinstance(columns, str)
    if dropped == 2:
        assert type(found) is float
        assert found == expected
    elif dropped == 1:
        assert type(found) is np.ndarray
        assert found.dtype == dtype
        assert found.tolist() == expected.tolist()
    else:
        assert type(found) is rw.Weights
        assert found.values.tolist() == expected.to_numpy().tolist()
        assert (found.cues, found.outcomes) == (tuple(expected.index), tuple(expected.columns))
        assert (found.values.dtype, found.parameters) == (dtype, {"rule": "x"})


def test_the_types_are_known_beforehand() -> None:
    known = weights()
    assert_type(known["red", "y"], float)
    assert_type(known["red", :], NDArray[Any])
    assert_type(known[["red"], "y"], NDArray[Any])
    assert_type(known["red":"any", ["y", "n"]], rw.Weights)


def test_slices_are_views_and_lists_are_copies() -> None:
    known = weights()
    for part in (known["red", :], known[:, "n"], known["blue":"any", :].values):
        assert np.shares_memory(part, known.values)
    for part in (known[["red"], "y"], known[["red"], ["y"]].values, known[:, ["y"]].values):
        assert not np.shares_memory(part, known.values)


def test_a_slice_includes_both_ends_in_the_order_of_the_names() -> None:
    known = weights()
    assert known["blue":"green", "y"].tolist() == [3.0, 6.0, 9.0]
    assert known["green":"blue", :].shape == (0, 3)
    assert known[:, :].outcomes == OUTCOMES


def test_tuples_and_generators_name_several() -> None:
    known = weights()
    assert known[known.cues[::2], "y"].tolist() == [0.0, 6.0]
    assert known[(cue for cue in CUES if "e" in cue), "y"].tolist() == [0.0, 3.0, 9.0]
    assert known[pd.Index(["any", "red"]), "y"].tolist() == [6.0, 0.0]


def test_a_name_may_come_twice_only_in_an_array() -> None:
    assert weights()[["red", "red"], "n"].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="cues names 'red' twice; name it once"):
        weights()[["red", "red"], ["n"]]
    with pytest.raises(ValueError, match="outcomes names 'n' twice"):
        weights()[:, ["n", "y", "n"]]


def test_parameters_of_each_name_go_with_the_names() -> None:
    known = weights({"alpha": [0.1, 0.2, 0.3, 0.4], "lambda": [1.0, 2.0, 3.0], "beta1": 0.5, "cues": [1]})
    part = known[["green", "red"], "n":]
    assert part.parameters == {"alpha": [0.4, 0.1], "lambda": [2.0, 3.0], "beta1": 0.5, "cues": [1]}
    assert part.to_xarray().coords["alpha"].to_numpy().tolist() == [0.4, 0.1]
    assert known.parameters["alpha"] == [0.1, 0.2, 0.3, 0.4]


MASK = np.array([True, False, True, False])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            0,
            r"names of cues, .* not numbers such as 0; write weights.values\[...\], or weights.cues\[",
        ),
        (np.int64(2), "not numbers such as 2"),
        (slice(0, 2), "not numbers such as 0"),
        ([1, 2], "not numbers such as 1"),
        (np.arange(2), "not numbers such as 0"),
        (MASK, r"not masks; write weights.values\[...\]"),
        (MASK.tolist(), "not masks"),
        (True, "not masks"),
        (slice(None, None, 2), r"without a step; take a list of names: weights.cues\[::2\]"),
        (slice("red", "any", 1), "without a step"),
        (slice(None, None, -1), "without a step"),
        (None, "not None"),
        (..., "not ...; write : for all cues"),
        (b"red", "not b'red'"),
        (["red", None], "not None"),
        ({"red"}, r"cues in a set have no order; write sorted\(...\)"),
        ({"red": 1}, "cues in a dict have no order"),
        (np.array([["red"]]), "cues must be .* not an ndarray of 2 dimensions"),
    ],
)
def test_what_is_no_name_says_what_to_write(rows: Any, message: str) -> None:
    for other in ("y", slice(None)):
        with pytest.raises(TypeError, match=message):
            weights()[rows, other]
    with pytest.raises(TypeError, match=message.replace("cues", "outcomes")):
        rw.Weights(VALUES.T, OUTCOMES, CUES)["y", rows]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((["redd"], "y"), "cue 'redd' is none of .*did you mean 'red'"),
        (("red", ["y", "nn"]), "outcome 'nn' is none of"),
        ((slice("redd", None), "y"), "cue 'redd' is none of .*did you mean 'red'"),
        ((slice(None), slice("y", "z")), "outcome 'z' is none of"),
        ((["y"], "y"), "cue 'y' is no cue of these weights but an outcome"),
    ],
)
def test_an_unknown_name_is_named(key: Any, message: str) -> None:
    with pytest.raises(KeyError, match=message):
        weights()[key]


def test_mapped_weights_stay_mapped(tmp_path: Path) -> None:
    weights({"rule": "x"}).save(tmp_path / "w.npy")
    loaded = rw.load_weights(tmp_path / "w.npy")
    part = loaded["blue":, :]
    assert np.shares_memory(part.values, loaded.values)
    assert part.values.tolist() == VALUES[1:].tolist()
    assert part.parameters == {"rule": "x"}


def test_a_store_reads_what_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("zarr", reason="zarr is not installed: pip install rescorla[zarr]")
    known = weights({"rule": "x"})
    known.save(tmp_path / "w.zarr")
    stored = rw.load_weights(tmp_path / "w.zarr")
    every: list[Any] = ["blue", ["green", "red"], [], slice("blue", None), slice("any", "red"), slice(None)]
    for rows in every:
        for columns in ("n", ["a b", "y"], slice("n", None)):
            found, expected = stored[rows, columns], known[rows, columns]
            assert type(found) is type(expected)
            assert np.asarray(found).tolist() == np.asarray(expected).tolist()
            if isinstance(found, rw.Weights):
                assert (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
                assert found.parameters["rule"] == "x"
    with pytest.raises(TypeError, match="not numbers such as 0"):
        stored[0, :]  # type: ignore[index]
    with pytest.raises(KeyError, match="cue 'x' is none of"):
        stored[["x"], :]
