"""Weights as pyndl has them: arrays of outcomes x cues, with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.optional import need
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray


def is_labelled(weights: object) -> bool:
    """Whether something is an xarray DataArray."""
    return isinstance(weights, need("xarray", "pyndl").DataArray)


def named_array(
    values: NDArray[Any], rows: tuple[str, Sequence[Any]], columns: tuple[str, Sequence[Any]], attrs: Any
) -> xarray.DataArray:
    """A DataArray of a matrix: the names of its dimensions, and their labels."""
    coords = {dim: np.array(labels) if len(labels) else np.array([], "U1") for dim, labels in (rows, columns)}
    array: xarray.DataArray = need("xarray", "pyndl").DataArray(
        values, coords=coords, dims=list(coords), attrs=attrs
    )
    return array


def weights_of(array: Any, outcomes: str = "outcomes", cues: str = "cues") -> Weights:
    """The weights, or vectors, of a DataArray that has these two dimensions, in either order."""
    for dim in (outcomes, cues):
        if dim not in array.dims:
            raise ValueError(f"weights need the dimensions {outcomes!r} and {cues!r}, found {array.dims}")
    array = array.transpose(cues, outcomes)
    return Weights(np.asarray(array.values, dtype=float), labels_of(array, cues), labels_of(array, outcomes))


def labels_of(array: Any, dim: str) -> list[str]:
    """The labels of a dimension, as str."""
    if dim not in array.coords:
        raise ValueError(f"the dimension {dim!r} has no names; give it coordinates")
    return [str(label) for label in array.coords[dim].values.tolist()]


def of_nested(weights: Any, rows: str, columns: str, attrs: Any) -> xarray.DataArray:
    """A DataArray of ``weights[row][column]``, 0.0 where there is none."""
    outcomes = list(weights)
    cues = list(dict.fromkeys(cue for outcome in outcomes for cue in weights[outcome]))
    numbers = {cue: column for column, cue in enumerate(cues)}
    values = np.zeros((len(outcomes), len(cues)))
    for row, outcome in enumerate(outcomes):
        for cue, weight in weights[outcome].items():
            values[row, numbers[cue]] = weight
    return named_array(values, (rows, outcomes), (columns, cues), attrs)
