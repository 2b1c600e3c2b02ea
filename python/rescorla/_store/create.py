"""Making a store: beside its place, then renamed to it, so that whoever comes second finds it whole."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.optional import need
from rescorla._store import chunks
from rescorla._store.layout import Lanes
from rescorla._weights.disk import check_folder, naming

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT, VERSION = "rescorla-weights", 1

# Seconds after which a temporary folder is that of a process that is gone.
_STALE = 6 * 3600


class Folder:
    """A store being made in a temporary folder; on failure that goes."""

    def __init__(self, path: str) -> None:
        above, name = os.path.split(os.path.abspath(path))
        check_folder(above)
        _remove_stale(above, name)
        self.path = path
        self.temporary = os.path.join(above, f".{name}.{secrets.token_hex(6)}.tmp")

    def __enter__(self) -> Folder:
        with naming(self.path):
            os.mkdir(self.temporary)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)

    def appear(self) -> bool:
        """Let the store have its name; False where another is there already."""
        with naming(self.path):
            _sync(self.temporary)
            try:
                os.rename(self.temporary, self.path)
            except OSError:
                if os.path.lexists(self.path):
                    return False
                raise
            chunks.sync_folder(os.path.dirname(self.temporary))
        return True


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


def _sync(folder: str) -> None:
    for root, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(root, name), "rb+") as stream:
                os.fsync(stream.fileno())
        chunks.sync_folder(root)


def _remove_stale(above: str, name: str) -> None:
    """Remove what processes that were killed left of stores of this name."""
    with os.scandir(above) as entries:
        for entry in entries:
            if entry.name.startswith(f".{name}.") and entry.name.endswith(".tmp") and entry.is_dir():
                try:
                    old = time.time() - entry.stat().st_mtime > _STALE
                except OSError:
                    continue
                if old:
                    shutil.rmtree(entry.path, ignore_errors=True)
