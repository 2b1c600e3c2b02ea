"""A store of weights: a zarr group, of which each chunk is a tile that can be learned by itself."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._core import FormatError
from rescorla._shared.checks import PathName, path_name
from rescorla._shared.optional import need
from rescorla._weights.disk import naming, reading
from rescorla._weights.parameters import put_back
from rescorla._weights.zarr import chunks, describe, folder
from rescorla._weights.zarr.layout import Lanes

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What stands in the attributes beside the parameters of the weights.
OWN = ("format", "version", "lanes", "digest", "parameters_sha256", "deciding")


class Store:
    """A store on the disk. A tile that is there is whole: it appears by a rename."""

    def __init__(self, path: str) -> None:
        """Use `open`."""
        self.path = path
        zarr = need("zarr")
        with naming(path), reading(path, "a zarr store of weights"):
            self.group = zarr.open_group(path, mode="r", zarr_format=3, use_consolidated=False)
            self._state = self._state_now()
            attributes = dict(self.group.attrs)
            if attributes.get("format") != describe.FORMAT:
                raise ValueError(f"a group whose format is {attributes.get('format')!r}")
            if attributes.get("version") != describe.VERSION:
                raise FormatError(
                    f"{path}: expected version {describe.VERSION} of a store, found "
                    f"{attributes.get('version')!r}; a later rescorla may read it"
                )
            self.array = self.group["weights"]
            self.cues: tuple[str, ...] = tuple(map(str, self.group["cues"][:].tolist()))
            self.outcomes: tuple[str, ...] = tuple(map(str, self.group["outcomes"][:].tolist()))
            self._check_array()
            self.shape: tuple[int, int] = self.array.shape
            self.dtype: np.dtype[Any] = np.dtype(self.array.dtype).newbyteorder("=")
            self.chunk: tuple[int, int] = self.array.chunks
            self.lanes: Lanes = "rows" if attributes.get("lanes") == "rows" else "columns"
            self.parameters = self._parameters(attributes)
            self.digest: str | None = attributes.get("digest")
            self.deciding = self._deciding(attributes)

    @classmethod
    def open(cls, path: PathName) -> Store:
        """The store at a path; FileNotFoundError or FormatError where there is none."""
        name = path_name(path)
        if not folder.is_there(name):
            raise FileNotFoundError(errno.ENOENT, "no such store of weights", name)
        return cls(name)

    def _state_now(self) -> tuple[int, int]:
        """What shows that another store took the place of this one: its metadata is written once."""
        found = os.stat(os.path.join(self.path, "zarr.json"))
        return found.st_mtime_ns, found.st_size

    def check_in_place(self) -> None:
        """RuntimeError where another store lies at the path since this one was opened."""
        if self._state_now() != self._state:
            raise RuntimeError(
                f"{self.path}: another store took the place of this one since it was opened; "
                "rescorla.load_weights reads the one that is there now"
            )

    @property
    def n_tiles(self) -> int:
        """How many tiles there are: chunks of zarr."""
        return -(-self._n_lanes // self._width)

    @property
    def _axis(self) -> int:
        return 1 if self.lanes == "columns" else 0

    @property
    def _n_lanes(self) -> int:
        return self.shape[self._axis]

    @property
    def _width(self) -> int:
        return self.chunk[self._axis]

    def bounds(self, tile: int) -> tuple[int, int]:
        """The lanes of a tile: columns or rows from the first up to the second."""
        return tile * self._width, min((tile + 1) * self._width, self._n_lanes)

    def file(self, tile: int) -> str:
        """The file of a tile."""
        place = ("0", str(tile)) if self.lanes == "columns" else (str(tile), "0")
        return os.path.join(self.path, "weights", "c", *place)

    def missing(self) -> list[int]:
        """The tiles that are not there, by the names in a folder."""
        folder = os.path.join(self.path, "weights", "c")
        if self.lanes == "columns":
            folder = os.path.join(folder, "0")
        try:
            there = set(os.listdir(folder))
        except FileNotFoundError:
            there = set()
        if self.lanes == "rows":
            there = {name for name in there if os.path.exists(os.path.join(folder, name, "0"))}
        if 0 in self.shape:
            return []
        return [tile for tile in range(self.n_tiles) if str(tile) not in there]

    def used(self, tile: int) -> tuple[int, int]:
        """How many rows and columns of a chunk are weights; the others fill it up."""
        start, stop = self.bounds(tile)
        return (self.shape[0], stop - start) if self.lanes == "columns" else (stop - start, self.shape[1])

    def mapped(self, tile: int) -> NDArray[Any]:
        """The weights of a tile, mapped."""
        used = self.used(tile)
        return chunks.mapped(self.file(tile), self.chunk, self.dtype)[: used[0], : used[1]]

    def defect(self, tile: int) -> str | None:
        """What is wrong with a tile that is there."""
        return chunks.defect(self.file(tile), self.chunk, self.dtype, self.used(tile))

    def _check_array(self) -> None:
        """ValueError where the array is not as tiles are written."""
        array, names = self.array, (len(self.cues), len(self.outcomes))
        if array.shape != names:
            raise ValueError(f"weights of shape {array.shape} with {names[0]} cues and {names[1]} outcomes")
        if array.dtype.str not in ("<f8", "<f4"):
            raise ValueError(f"weights of {array.dtype}")
        codecs = [codec.to_dict() for codec in array.metadata.codecs]
        found = [codec["name"] for codec in codecs]
        if found != ["bytes", "crc32c"]:
            raise ValueError(f"weights with the codecs {found}, not bytes and crc32c")
        if not np.isnan(array.fill_value):
            raise ValueError(f"weights with the fill value {array.fill_value}, not NaN")

    def _parameters(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of the weights, with lists where there is a number for each name."""
        parameters = {name: value for name, value in attributes.items() if name not in OWN}
        if "made_by" in parameters:
            # The version of the package; "version" is that of the format.
            parameters["version"] = parameters.pop("made_by")
        parameters = put_back(parameters)
        for name in ("alpha", "lambda"):
            if name in self.group:
                parameters[name] = self.group[name][:].tolist()
        return parameters

    def _deciding(self, attributes: Mapping[str, Any]) -> Any:
        """What decided the bits; FormatError where it is not what it was."""
        made = attributes.get("deciding")
        if made is None:
            return None
        deciding = {**made, "cues": list(self.cues), "outcomes": list(self.outcomes)}
        for name in ("alpha", "lambda"):
            if name not in made:
                of_all = f"all_{name}"
                deciding[name] = self.group[of_all if of_all in self.group else name][:].tolist()
        for name in ("dtype", "rule", "method", "average"):
            if attributes.get(name) != deciding[name]:
                raise ValueError(f"{name} of {attributes.get(name)!r} and of {deciding[name]!r}")
        if str(self.dtype) != deciding["dtype"] or sha256_of(deciding) != attributes["parameters_sha256"]:
            raise ValueError("parameters that do not have the SHA-256 that is written with them")
        return deciding


def sha256_of(deciding: Mapping[str, Any]) -> str:
    """The SHA-256 of what decided the bits, as JSON without blanks, names in order."""
    import hashlib
    import json

    text = json.dumps(deciding, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
