"""Parameters of weights: as attributes of a file, and those that are one number for each name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._weights.disk import as_json, as_python

if TYPE_CHECKING:
    from xarray import DataArray

PER_NAME = {"alpha": "cues", "lambda": "outcomes"}
"""Parameters that may be one number for each label, and the dimension of those labels."""

MORE = "more_parameters"
"""The attribute for parameters with names that a format cannot have or that it uses itself."""

# Names that netCDF, the dimension scales of HDF5, xarray and our checksums use.
_NETCDF = frozenset(
    (
        *("CLASS", "NAME", "DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST"),
        *("missing_value", "scale_factor", "add_offset", "units", "calendar"),
        *("coordinates", "grid_mapping", "bounds"),
        *("labels_crc32c", "values_crc32c", MORE),
    )
)
# netCDF keeps names with a leading underscore for itself, and changes the form of Unicode in others.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.@+-]*")


def fits_netcdf(name: str, value: object) -> bool:
    """Whether a parameter may be an attribute of a netCDF file."""
    # xarray reads numbers whose attribute "dtype" is "bool" as truth values.
    is_bool = name == "dtype" and isinstance(value, str) and value == "bool"
    return _PLAIN.fullmatch(name) is not None and name not in _NETCDF and not is_bool


def set_apart(parameters: Mapping[str, Any], fits: Callable[[str, object], bool]) -> dict[str, Any]:
    """Parameters that fit a format as they are, the others together under the name `MORE`."""
    found = {name: value for name, value in parameters.items() if fits(name, value)}
    more = {name: value for name, value in parameters.items() if name not in found}
    return found | {MORE: more} if more else found


def put_back(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that `set_apart` was given."""
    found = dict(attributes)
    more = found.pop(MORE, {})
    # pyndl puts text behind every attribute of weights that it goes on from.
    return found | (more if isinstance(more, dict) else {MORE: more})


def parameters_of(array: DataArray) -> dict[str, Any]:
    """What the attributes of a DataArray say, but for checksums."""
    return put_back(
        {
            str(name): decoded(value)
            for name, value in array.attrs.items()
            if name not in ("labels_crc32c", "values_crc32c")
        }
    )


def per_name_of(array: DataArray) -> dict[str, list[float]]:
    """Parameters that are one number for each label."""
    return {
        name: array.coords[name].to_numpy().tolist()
        for name, dimension in PER_NAME.items()
        if name in array.coords and array.coords[name].dims == (dimension,)
    }


def of_part(parameters: Mapping[str, Any], shape: tuple[int, int], rows: Any, columns: Any) -> dict[str, Any]:
    """The parameters of some rows and columns: what is one number for each name goes with the names."""
    parts = {"cues": (shape[0], rows), "outcomes": (shape[1], columns)}
    found = dict(parameters)
    for name, dimension in PER_NAME.items():
        n, places = parts[dimension]
        if isinstance(found.get(name), list) and len(found[name]) == n:
            found[name] = np.array(found[name], dtype=np.float64)[places].tolist()
    return found


def without_lists(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters but for those that are one number for each name."""
    return {
        name: value
        for name, value in parameters.items()
        if not (name in PER_NAME and isinstance(value, list))
    }


def labels_and_attributes(
    parameters: Mapping[str, Any],
) -> tuple[dict[str, tuple[str, list[float]]], dict[str, Any]]:
    """Parameters as labels, each with its dimension, and as attributes, which are for small things."""
    per_name = {
        name: (dimension, parameters[name])
        for name, dimension in PER_NAME.items()
        if isinstance(parameters.get(name), list)
    }
    return per_name, text_attributes({n: value for n, value in parameters.items() if n not in per_name})


def netcdf_attributes(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as values that netCDF has."""
    attributes: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, str | float):
            attributes[name] = value
        elif isinstance(value, int):  # a bool too, as netCDF has none
            attributes[name] = int(value)
        elif value is not None:
            attributes[name] = as_json(value)
    return attributes


def text_attributes(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as text: netCDF has no bool and no None, and pyndl puts text behind each when it goes on.

    A str is itself, unless it looks like another value or has a NUL, which ends it for netCDF. All else is as
    in JSON.
    """
    return {
        name: value
        if isinstance(value, str) and decoded(value) == value and "\0" not in value
        else as_json(value)
        for name, value in parameters.items()
    }


def decoded(attribute: Any) -> Any:
    """The parameter that an attribute stands for; text of other programs, and what they padded, as it is."""
    if not isinstance(attribute, str):
        return as_python(attribute)
    import json

    try:
        found = json.loads(attribute)
    except (ValueError, RecursionError):
        return attribute
    return found if as_json(found) == attribute else attribute
