"""Weights that are known, saved as a store that is whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.optional import need
from rescorla._weights.disk import Content, as_json, naming, parsed
from rescorla._weights.parameters import MORE, PER_NAME, set_apart
from rescorla._weights.zarr import chunks
from rescorla._weights.zarr.describe import FORMAT, METADATA, Shape, describe, lanes_of_chunk
from rescorla._weights.zarr.folder import Folder, is_there
from rescorla._weights.zarr.store import OWN

if TYPE_CHECKING:
    from numpy.typing import NDArray


def save_store(path: str, content: Content) -> None:
    """Write weights to a store, which takes the place of an older one; of nothing else."""
    need("zarr")
    if is_there(path):
        _check_replaceable(path)
    parameters = parsed(as_json(content.parameters))
    with Folder(path) as folder, naming(path):
        write_whole(folder.temporary, *content[:3], parameters)
        folder.replace()


def write_whole(
    folder: str,
    values: NDArray[Any],
    cues: Sequence[str],
    outcomes: Sequence[str],
    parameters: Mapping[str, Any],
) -> None:
    """Write weights to a folder as a store has them."""
    attributes = set_apart(parameters, _fits)
    per_name: dict[str, tuple[str, NDArray[np.float64]]] = {}
    for name, dimension in PER_NAME.items():
        if isinstance(attributes.get(name), list):
            per_name[name] = dimension, np.array(attributes.pop(name), dtype=np.float64)
    chunk = lanes_of_chunk(values.shape[1], values.shape[0], 1, values.dtype, 1)
    identity = describe(
        folder,
        Shape(values.shape[0], values.shape[1], values.dtype, "columns", chunk),
        cues=cues,
        outcomes=outcomes,
        attributes=attributes | {"digest": None},
        per_name=per_name,
    )
    for start in range(0, values.shape[1] if len(values) else 0, chunk):
        part = np.ascontiguousarray(values[:, start : start + chunk])
        tile = start // chunk
        file = os.path.join(folder, "weights", "c", "0", str(tile))
        checksum = chunks.write(
            file, part, (max(1, values.shape[0]), chunk), chunks.sum_before(identity, tile)
        )
        chunks.write_sum(os.path.join(folder, "checksums", "c", str(tile)), checksum)


def _fits(name: str, _value: object) -> bool:
    """Whether a parameter may be an attribute of a store."""
    # `describe` gives "version" another name.
    return name == "version" or name not in (*OWN, "made_by", MORE)


def _check_replaceable(path: str) -> None:
    """FileExistsError where there is something else than a store, which may be dear to somebody."""
    try:
        with open(os.path.join(path, METADATA), "rb") as stream:
            is_store = FORMAT.encode("ascii") in stream.read()
    except (FileNotFoundError, NotADirectoryError):
        # Another process may be about to put a store there.
        is_store = not is_there(path)
    if not is_store:
        raise FileExistsError(
            errno.EEXIST, "there is something else than a store of weights; name another output", path
        )
