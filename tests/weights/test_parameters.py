"""Parameters of weights: whatever their names and values, files and arrays of xarray keep them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st

SUFFIXES = ("npz", "npy", "nc", "zarr")
ODD = {
    "number": "3",
    "text": "nan",
    "quoted": '"3"',
    "padded": "3 ",
    "version": "1.2.3",
    "empty": "",
    "yes": True,
    "none": None,
    "null": "null",
    "share": 0.1,
    "list": [1, None, "x"],
    "mapping": {"é": 1.5},
    "infinite": float("inf"),
}
# Names that a format uses itself: ours, those of netCDF, of HDF5, of xarray and of Zarr.
TAKEN = (
    *("format", "version", "lanes", "digest", "deciding", "parameters_sha256", "made_by", "more_parameters"),
    *("labels_crc32c", "values_crc32c", "_FillValue", "_NCProperties", "_Netcdf4Dimid", "_ARRAY_DIMENSIONS"),
    *("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "coordinates", "missing_value", "scale_factor"),
    *("add_offset", "dtype", "units", "calendar", "cues", "outcomes", "values", "weights", "parameters"),
    *("zarr_format", "node_type", "attributes", "history", "alpha", "lambda", "all_alpha", "é", "e\u0301"),
    *("", " ", "a b", "a/b", "1", "\0", "a\0b"),
)


def weights(parameters: dict[str, Any]) -> rw.Weights:
    return rw.Weights(np.array([[0.5, -1.0], [0.25, 0.1]]), ("red", "#é𝒳"), ("y", "n"), parameters)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_parameters_come_back_as_they_were(tmp_path: Path, suffix: str) -> None:
    weights(ODD).save(tmp_path / f"w.{suffix}")
    loaded = rw.load_weights(tmp_path / f"w.{suffix}")
    assert loaded.parameters == ODD
    assert loaded.parameters["yes"] is True


def test_attributes_of_xarray_are_text() -> None:
    assert {type(value) for value in weights(ODD).to_xarray().attrs.values()} == {str}


@pytest.mark.parametrize("value", [3, "bool", {"a": [1]}], ids=str)
@pytest.mark.parametrize("name", TAKEN)
def test_any_name_of_a_parameter_comes_back(tmp_path: Path, name: str, value: Any) -> None:
    made = weights({name: value, "rule": "mine"})
    assert rw.Weights.from_xarray(made.to_xarray()).parameters == made.parameters
    for suffix in SUFFIXES:
        made.save(tmp_path / f"w.{suffix}")
        assert rw.load_weights(tmp_path / f"w.{suffix}").parameters == made.parameters


texts = st.text(st.characters(codec="utf-8"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | texts
parameters = st.dictionaries(
    st.sampled_from(TAKEN) | texts,
    st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2)
    ),
    max_size=5,
)


@given(parameters)
def test_parameters_of_any_kind_come_back(
    tmp_path_factory: pytest.TempPathFactory, parameters: dict[str, Any]
) -> None:
    # A list of these two must have one number for each name.
    kept = {
        name: value
        for name, value in parameters.items()
        if not (name in ("alpha", "lambda") and isinstance(value, list))
    }
    made = weights(kept)
    assert rw.Weights.from_xarray(made.to_xarray()).parameters == kept
    folder = tmp_path_factory.mktemp("weights")
    for suffix in SUFFIXES:
        made.save(folder / f"w.{suffix}")
        assert rw.load_weights(folder / f"w.{suffix}").parameters == kept
