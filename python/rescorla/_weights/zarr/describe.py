"""All of a store but its tiles: shapes, names, parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.optional import need
from rescorla._weights.zarr.layout import Lanes

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT, VERSION = "rescorla-weights", 1


def describe(
    folder: str,
    *,
    shape: tuple[int, int],
    element: np.dtype[Any],
    lanes: Lanes,
    chunk: int,
    cues: Sequence[str],
    outcomes: Sequence[str],
    attributes: Mapping[str, Any],
    per_name: Mapping[str, tuple[str, NDArray[np.float64]]],
) -> None:
    """Write all of a group of weights but the chunks of the weights."""
    zarr, codecs = need("zarr"), need("zarr.codecs")
    group = zarr.open_group(folder, mode="a", zarr_format=3)
    made_by = {"made_by" if name == "version" else name: value for name, value in attributes.items()}
    group.attrs.put({**made_by, "format": FORMAT, "version": VERSION, "lanes": lanes})
    checked = {"compressors": [codecs.Crc32cCodec()]}
    along = max(1, shape[0]), max(1, shape[1])
    group.create_array(
        "weights",
        shape=shape,
        chunks=(along[0], chunk) if lanes == "columns" else (chunk, along[1]),
        dtype=element.newbyteorder("<"),
        fill_value=float("nan"),
        dimension_names=("cues", "outcomes"),
        # xarray takes the arrays that are named here for labels.
        attributes={
            "coordinates": " ".join(n for n, (d, _) in per_name.items() if d in ("cues", "outcomes"))
        },
        **checked,
    )
    for name, labels in (("cues", cues), ("outcomes", outcomes)):
        array = group.create_array(
            name,
            shape=(len(labels),),
            chunks=(max(1, len(labels)),),
            dtype="string",
            dimension_names=(name,),
            **checked,
        )
        if labels:
            array[:] = np.array(labels, dtype=object)
    for name, (dimension, values) in per_name.items():
        numbers(group, name, dimension, values)


def numbers(group: Any, name: str, dimension: str, values: NDArray[Any]) -> None:
    """Write an array of one dimension to a group."""
    codecs = need("zarr.codecs")
    array = group.create_array(
        name,
        shape=values.shape,
        chunks=(max(1, min(len(values), 1 << 20)),),
        dtype=values.dtype.newbyteorder("<"),
        fill_value=float("nan"),
        dimension_names=(dimension,),
        compressors=[codecs.Crc32cCodec()],
    )
    if len(values):
        array[:] = values
