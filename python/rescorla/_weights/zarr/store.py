"""A store of weights: a zarr group, of which each chunk of the weights is a tile."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._core import FormatError
from rescorla._shared.checks import PathName, path_name, shown
from rescorla._shared.optional import need
from rescorla._weights.disk import naming, reading
from rescorla._weights.parameters import put_back
from rescorla._weights.zarr import chunks, describe, folder
from rescorla._weights.zarr.uninterrupted import uninterrupted

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What stands in the attributes beside the parameters of the weights.
OWN = ("format", "version", "lanes", "digest", "deciding", "identity", "files", "sha256")

# How often a store is opened that others take the place of meanwhile.
_TRIES = 20

# The least bytes of a name in a file of names.
_NAME = 4


class Store:
    """A store on the disk, as it was when it was opened.

    A tile is there when its checksum is: that is written after the tile, over the identity of the store, the
    number of the tile, and its bytes. What a handle reads of a tile for the first time it holds against that.
    """

    def __init__(self, path: str) -> None:
        """Use `open`."""
        self.path = path
        try:
            self._state = _state_of(path)
        except (FileNotFoundError, NotADirectoryError):
            raise FormatError(
                f"{path}: expected a zarr store of weights, found no {describe.METADATA} in it; save it again"
            ) from None
        with naming(path), reading(path, "a zarr store of weights"):
            uninterrupted(self._read)
        # The files of the tiles that were checked.
        self._checked: dict[int, tuple[int, ...]] = {}

    def _read(self) -> None:
        """Read all that describes the store."""
        attributes = self._attributes()
        self.identity: str = attributes["identity"]
        self.lanes: describe.Lanes = "rows" if attributes["lanes"] == "rows" else "columns"
        self.digest: str | None = attributes.get("digest")
        group = self._group(attributes["files"])
        array = group["weights"]
        self._check_array(array, group)
        self.shape: tuple[int, int] = array.shape
        self.dtype: np.dtype[Any] = np.dtype(array.dtype).newbyteorder("=")
        self.chunk: tuple[int, int] = array.chunks
        axis = 1 if self.lanes == "columns" else 0
        self._n_lanes: int = self.shape[axis]
        self._width: int = self.chunk[axis]
        self.cues: tuple[str, ...] = tuple(map(str, group["cues"][:].tolist()))
        self.outcomes: tuple[str, ...] = tuple(map(str, group["outcomes"][:].tolist()))
        self.parameters = _parameters(attributes, group)
        self.deciding = self._deciding(attributes, group)

    @classmethod
    def open(cls, path: PathName) -> Store:
        """The store at a path; FileNotFoundError or FormatError where there is none.

        What is read is of one store: where another takes its place meanwhile, that one is opened.
        """
        name = path_name(path)
        for left in reversed(range(_TRIES)):
            if not folder.is_there(name):
                raise FileNotFoundError(errno.ENOENT, "no such store of weights", name)
            before = _state_or_none(name)
            try:
                store = cls(name)
            except (OSError, FormatError):
                # Between two stores there may be none for a moment, twice.
                if _state_or_none(name) == before and (before or not left):
                    raise
                continue
            if _state_or_none(name) == store._state:
                return store
        raise RuntimeError(f"{name}: other stores took this place {_TRIES} times while it was opened")

    def check_in_place(self) -> None:
        """RuntimeError where another store lies at the path since this one was opened."""
        state = _state_of(self.path)
        if state == self._state:
            return
        # Whoever copies or restores a store changes its files, but not what it is.
        with suppress(OSError, FormatError):
            if Store.open(self.path).identity == self.identity:
                self._state = state
                return
        raise RuntimeError(
            f"{self.path}: another store took the place of this one since it was opened; "
            "rescorla.load_weights reads the one that is there now"
        )

    @property
    def n_tiles(self) -> int:
        """How many tiles there are: chunks of zarr."""
        return -(-self._n_lanes // self._width)

    def bounds(self, tile: int) -> tuple[int, int]:
        """The lanes of a tile: columns or rows from the first up to the second."""
        return tile * self._width, min((tile + 1) * self._width, self._n_lanes)

    def file(self, tile: int) -> str:
        """The file of a tile."""
        place = ("0", str(tile)) if self.lanes == "columns" else (str(tile), "0")
        return os.path.join(self.path, "weights", "c", *place)

    def sum_file(self, tile: int) -> str:
        """The file of its checksum."""
        return os.path.join(self.path, "checksums", "c", str(tile))

    def missing(self) -> list[int]:
        """The tiles that are not there, by the names in folders."""
        if 0 in self.shape:
            return []
        summed = _names_in(os.path.join(self.path, "checksums", "c"))
        tiles = os.path.join(self.path, "weights", "c")
        if self.lanes == "columns":
            there = _names_in(os.path.join(tiles, "0"))
        else:
            there = {name for name in _names_in(tiles) if os.path.lexists(os.path.join(tiles, name, "0"))}
        there &= summed
        return [tile for tile in range(self.n_tiles) if str(tile) not in there]

    def used(self, tile: int) -> tuple[int, int]:
        """How many rows and columns of a chunk are weights; the others fill it up."""
        start, stop = self.bounds(tile)
        return (self.shape[0], stop - start) if self.lanes == "columns" else (stop - start, self.shape[1])

    def mapped(self, tile: int) -> NDArray[Any]:
        """The weights of a tile, mapped; FormatError where they are not what was written here."""
        rows, columns = self.used(tile)
        path = self.file(tile)
        with self._blaming(), chunks.open_regular(path) as stream:
            values = chunks.mapped_chunk(stream, path, self.chunk, self.dtype)
            found = os.fstat(stream.fileno())
            state = (found.st_dev, found.st_ino, found.st_size, found.st_ctime_ns)
            if self._checked.get(tile) != state:
                expected = chunks.read_sum(self.sum_file(tile))
                chunks.check_chunk(stream, path, values, chunks.sum_before(self.identity, tile), expected)
                self._checked[tile] = state
        return values[:rows, :columns]

    def defect(self, tile: int) -> str | None:
        """What is wrong with a tile that is there."""
        self._checked.pop(tile, None)
        try:
            self.mapped(tile)
        except FormatError as error:
            return str(error)
        return None

    def write(self, tile: int, values: NDArray[Any]) -> None:
        """Write a tile, and then its checksum: it is there when it is whole."""
        with naming(self.file(tile)), suppress(FileNotFoundError):
            # It would not be that of the new tile.
            os.unlink(self.sum_file(tile))
        checksum = chunks.write(self.file(tile), values, self.chunk, chunks.sum_before(self.identity, tile))
        chunks.write_sum(self.sum_file(tile), checksum)

    def remove(self, tile: int) -> None:
        """Take a tile out, whatever lies in its place."""
        with suppress(FileNotFoundError):
            os.unlink(self.sum_file(tile))
        file = self.file(tile)
        if os.path.isdir(file) and not os.path.islink(file):
            shutil.rmtree(file)
        else:
            with suppress(FileNotFoundError):
                os.unlink(file)

    @contextmanager
    def _blaming(self) -> Iterator[None]:
        """Say of a defect, before all else, that another store took the place of this one."""
        try:
            yield
        except FormatError:
            self.check_in_place()
            raise

    def _attributes(self) -> Mapping[str, Any]:
        """The attributes of the group; ValueError where they are not as they were written."""
        import json

        with open(os.path.join(self.path, describe.METADATA), "rb") as stream:
            attributes = json.load(stream)["attributes"]
        if attributes.get("format") != describe.FORMAT:
            raise ValueError(f"a group whose format is {attributes.get('format')!r}")
        if attributes.get("version") != describe.VERSION:
            found = attributes.get("version")
            if isinstance(found, int) and found < describe.VERSION:
                raise FormatError(
                    f"{self.path}: expected version {describe.VERSION} of a store, found {found}, made by a "
                    "version before 0.2; save it again"
                )
            raise FormatError(
                f"{self.path}: expected version {describe.VERSION} of a store, found {shown(found)}; a later "
                "version of rescorla may read it"
            )
        if describe.digest_of_attributes(attributes) != attributes["sha256"]:
            raise ValueError("attributes that do not have the SHA-256 that is written with them")
        return attributes  # type: ignore[no-any-return]

    def _group(self, files: Mapping[str, str]) -> Any:
        """The group of the files that the attributes cover, read and checked; zarr reads no others."""
        found: dict[str, bytes] = {}
        for name, digest in files.items():
            path = os.path.join(self.path, *name.split("/"))
            try:
                with open(path, "rb") as stream:
                    content = stream.read()
            except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
                raise FormatError(
                    f"{path}: expected a file of a store, found none; copy the store again, or save it again"
                ) from error
            if describe.digest_of(content) != digest:
                raise FormatError(
                    f"{path}: expected a file with SHA-256 {digest[:12]}..., found another; save it again"
                )
            found[name] = content
        buffer = need("zarr.core.buffer").default_buffer_prototype().buffer
        found[describe.METADATA] = b'{"zarr_format":3,"node_type":"group","attributes":{}}'
        store = need("zarr.storage").MemoryStore(
            store_dict={name: buffer.from_bytes(content) for name, content in found.items()}
        )
        self._lengths = {name: len(content) for name, content in found.items()}
        return need("zarr").open_group(store, mode="r", zarr_format=3, use_consolidated=False)

    def _check_array(self, array: Any, group: Any) -> None:
        """ValueError where the weights are not as tiles are written, or names claim more than there is."""
        names = tuple(group[side].shape[0] for side in ("cues", "outcomes"))
        for side, n in zip(("cues", "outcomes"), names, strict=True):
            if n * _NAME > self._lengths.get(f"{side}/c/0", 0):
                raise ValueError(f"{n:,} {side} in a file of {self._lengths.get(f'{side}/c/0', 0):,} bytes")
        if array.shape != names:
            raise ValueError(f"weights of shape {array.shape} with {names[0]} cues and {names[1]} outcomes")
        if array.dtype.str not in ("<f8", "<f4"):
            raise ValueError(f"weights of {array.dtype}")
        codecs = [codec.to_dict() for codec in array.metadata.codecs]
        found = [codec["name"] for codec in codecs]
        if found != ["bytes", "crc32c"]:
            raise ValueError(f"weights with the codecs {found}, not bytes and crc32c")
        if min(array.chunks) < 1:
            raise ValueError(f"chunks of {array.chunks}")

    def _deciding(self, attributes: Mapping[str, Any], group: Any) -> Any:
        """What decided the bits of weights that are learned here."""
        made = attributes.get("deciding")
        if made is None:
            return None
        decided = {**made, "cues": list(self.cues), "outcomes": list(self.outcomes)}
        for name in ("alpha", "lambda"):
            if name not in made:
                of_all = f"all_{name}"
                decided[name] = group[of_all if of_all in group else name][:].tolist()
        return decided


def _parameters(attributes: Mapping[str, Any], group: Any) -> dict[str, Any]:
    """The parameters of the weights, with lists where there is a number for each name."""
    parameters = {name: value for name, value in attributes.items() if name not in OWN}
    if "made_by" in parameters:
        # The version of the package; "version" is that of the format.
        parameters["version"] = parameters.pop("made_by")
    parameters = put_back(parameters)
    for name in ("alpha", "lambda"):
        if name in group:
            parameters[name] = group[name][:].tolist()
    return parameters


def _state_of(path: str) -> tuple[int, ...]:
    """What shows that another store took a place: its metadata is written once, in a file of its own."""
    found = os.stat(os.path.join(path, describe.METADATA))
    return found.st_dev, found.st_ino, found.st_size, found.st_ctime_ns


def _state_or_none(path: str) -> tuple[int, ...] | None:
    try:
        return _state_of(path)
    except OSError:
        return None


def _names_in(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return set()
