"""All of a store but its tiles: shapes, names, parameters, and the digest that covers them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rescorla._shared.optional import need
from rescorla._shared.testing import asked
from rescorla._weights.zarr.chunks import make_folder
from rescorla._weights.zarr.uninterrupted import uninterrupted

if TYPE_CHECKING:
    from numpy.typing import NDArray

Lanes = Literal["columns", "rows"]

FORMAT, VERSION = "rescorla-weights", 3

METADATA = "zarr.json"
"""The file of the group, whose attributes cover all other files but tiles and their checksums."""

# Bytes of a chunk.
_LEAST, _AIM, _MOST = 1 << 20, 64 << 20, 128 << 20
# Chunks for each thread where the result is small, so that no thread waits long for the last.
_PER_THREAD = 4
# Lanes of a chunk where one tile of the engine is larger than a chunk may be.
_FEWEST = 8


class Shape(NamedTuple):
    """How the weights of a store are cut into tiles."""

    n_cues: int
    n_outcomes: int
    element: np.dtype[Any]
    lanes: Lanes
    chunk: int


def lanes_of_chunk(n_lanes: int, length: int, width: int, element: np.dtype[Any], threads: int) -> int:
    """How many lanes of so many elements a chunk has: whole tiles of the engine, where they fit."""
    wished = asked("chunk")["chunk"]
    if wished is not None:
        return int(wished)
    lane = max(1, length) * element.itemsize
    if width * lane > _MOST:
        return max(_FEWEST, _MOST // lane)
    size = min(_AIM, max(_LEAST, n_lanes * lane // max(1, _PER_THREAD * threads)))
    return max(1, size // (width * lane)) * width


def describe(
    folder: str,
    shape: Shape,
    *,
    cues: Sequence[str],
    outcomes: Sequence[str],
    attributes: Mapping[str, Any],
    per_name: Mapping[str, tuple[str, NDArray[np.float64]]],
) -> str:
    """Write all of a group of weights but its tiles; the identity that it has from now on.

    What describes groups that the folder has already is covered as its own.

    It is made in memory and then written: a writer of zarr's goes on in threads of its own where an interrupt
    ends the call.
    """
    below = _described_below(folder)
    names = {"cues": cues, "outcomes": outcomes}
    files, identity = uninterrupted(_described, shape, names, attributes, per_name, below)
    _write(folder, files)
    return identity


def _described(
    shape: Shape,
    names: Mapping[str, Sequence[str]],
    attributes: Mapping[str, Any],
    per_name: Mapping[str, tuple[str, NDArray[np.float64]]],
    below: Mapping[str, str],
) -> tuple[dict[str, Any], str]:
    """The files of a group, and its identity."""
    import secrets

    codecs = need("zarr.codecs")
    files, group = _group()
    checked = {"compressors": [codecs.Crc32cCodec()]}
    along = max(1, shape.n_cues), max(1, shape.n_outcomes)
    by_columns = shape.lanes == "columns"
    group.create_array(
        "weights",
        shape=(shape.n_cues, shape.n_outcomes),
        chunks=(along[0], shape.chunk) if by_columns else (shape.chunk, along[1]),
        dtype=shape.element.newbyteorder("<"),
        fill_value=float("nan"),
        dimension_names=("cues", "outcomes"),
        # xarray takes the arrays that are named here for labels.
        attributes={
            "coordinates": " ".join(n for n, (d, _) in per_name.items() if d in ("cues", "outcomes"))
        },
        **checked,
    )
    # An element for each tile, in a file of its own, written after the tile.
    group.create_array(
        "checksums",
        shape=(-(-(shape.n_outcomes if by_columns else shape.n_cues) // shape.chunk),),
        chunks=(1,),
        dtype="uint64",
        fill_value=0,
        compressors=None,
        dimension_names=("tiles",),
    )
    for name, labels in names.items():
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
        _add_numbers(group, name, dimension, values)
    made_by = {"made_by" if name == "version" else name: value for name, value in attributes.items()}
    identity = secrets.token_hex(16)
    own = {"format": FORMAT, "version": VERSION, "lanes": shape.lanes, "identity": identity}
    covered = {name: digest_of(file.to_bytes()) for name, file in files.items() if name != METADATA}
    described = {**made_by, **own, "files": covered | dict(below)}
    group.attrs.put(described | {"sha256": digest_of_attributes(described)})
    return files, identity


def write_numbers(folder: str, arrays: Mapping[str, tuple[str, NDArray[Any]]]) -> None:
    """Write a group of arrays of one dimension, each with the name of that."""

    def made() -> dict[str, Any]:
        files, group = _group()
        for name, (dimension, values) in arrays.items():
            _add_numbers(group, name, dimension, values)
        return files

    _write(folder, uninterrupted(made))


def digest_of(content: bytes) -> str:
    """The SHA-256 of a file."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def digest_of_attributes(attributes: Mapping[str, Any]) -> str:
    """The SHA-256 of attributes as JSON without blanks, names in order; their own digest does not count."""
    import json

    counted = {name: value for name, value in attributes.items() if name != "sha256"}
    return digest_of(json.dumps(counted, sort_keys=True, separators=(",", ":")).encode("ascii"))


def _described_below(folder: str) -> dict[str, str]:
    """The digests of what describes groups that lie in the folder already."""
    found = {}
    for root, _, names in os.walk(folder):
        if METADATA in names:
            path = os.path.join(root, METADATA)
            with open(path, "rb") as stream:
                found[os.path.relpath(path, folder).replace(os.sep, "/")] = digest_of(stream.read())
    return found


def _group() -> tuple[dict[str, Any], Any]:
    """The files of a group that is made in memory, and the group."""
    files: dict[str, Any] = {}
    store = need("zarr.storage").MemoryStore(store_dict=files)
    return files, need("zarr").open_group(store, mode="w", zarr_format=3)


def _add_numbers(group: Any, name: str, dimension: str, values: NDArray[Any]) -> None:
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


def _write(folder: str, files: Mapping[str, Any]) -> None:
    for name, content in files.items():
        path = os.path.join(folder, *name.split("/"))
        make_folder(os.path.dirname(path))
        with open(path, "wb") as stream:
            stream.write(content.to_bytes())
