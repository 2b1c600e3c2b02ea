"""Values in a store, of which no more is read than is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.checks import shown
from rescorla._shared.optional import need
from rescorla._weights.zarr.store import Store

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class MissingTilesError(RuntimeError):
    """Tiles that are needed are not learned yet.

    Attributes
    ----------
    tiles : list of int
        Their numbers.
    """

    def __init__(self, message: str, tiles: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.tiles = list(tiles)

    def __reduce__(self) -> tuple[type[MissingTilesError], tuple[str, list[int]]]:
        return MissingTilesError, (str(self), self.tiles)


class StoredArray:
    """The values of weights in a store: an array of which parts are read when they are asked for.

    ``array[rows, columns]`` takes numbers, slices, and on one of the two sides a list. A use of tiles that
    are not learned yet raises `MissingTilesError`; they are never taken for NaN. Once another store took the
    place of this one, every use raises RuntimeError.

    Attributes
    ----------
    shape : tuple of (int, int)
    dtype : dtype
    ndim, size : int
    chunks : tuple of (int, int)
        The shape of a tile, as dask takes it: ``dask.array.from_array(array, chunks=array.chunks)``.
    """

    ndim = 2

    def __init__(self, store: Store) -> None:
        self.store = store
        self.shape, self.dtype, self.chunks = store.shape, store.dtype, store.chunk

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.shape[0] * self.shape[1]

    @property
    def by_columns(self) -> bool:
        """Whether a tile is some columns, not some rows."""
        return self.store.lanes == "columns"

    def missing(self) -> list[int]:
        """The numbers of the tiles that are not learned yet."""
        self.store.check_in_place()
        return self.store.missing()

    def part(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[Any]:
        """The values of rows and of columns, which are their numbers."""
        lanes = columns if self.by_columns else rows
        width = self.store.bounds(0)[1] if self.store.n_tiles else 1
        found = lanes // max(1, width)
        needed = np.unique(found).tolist() if len(rows) and len(columns) else []
        self._check(needed)
        result = np.empty((len(rows), len(columns)), dtype=self.dtype)
        for tile in needed:
            start, _ = self.store.bounds(tile)
            values, among = self.store.mapped(tile), found == tile
            if self.by_columns:
                result[:, among] = values[np.ix_(rows, lanes[among] - start)]
            else:
                result[among] = values[np.ix_(lanes[among] - start, columns)]
        self.store.check_in_place()
        return result

    def read(self) -> NDArray[Any]:
        """All values."""
        self._check(range(self.store.n_tiles))
        try:
            values = np.empty(self.shape, dtype=self.dtype)
        except MemoryError:
            n_bytes = self.size * self.dtype.itemsize
            raise MemoryError(
                f"{self.store.path}: no room for all {self.shape[0]:,} x {self.shape[1]:,} weights, "
                f"{n_bytes:,} bytes; weights[cues, outcomes] and weights.data[rows, columns] read a part"
            ) from None
        if values.size:
            for tile in range(self.store.n_tiles):
                start, stop = self.store.bounds(tile)
                lanes = values[:, start:stop] if self.by_columns else values[start:stop]
                lanes[...] = self.store.mapped(tile)
        self.store.check_in_place()
        return values

    def at(self, rows: Any, columns: Any) -> Any:
        """The values where rows and columns meet, each a number, which drops its axis, a slice or a list."""
        sides = (rows, columns)
        values = self.part(*(_places(each, n) for each, n in zip(sides, self.shape, strict=True)))
        return values[tuple(0 if _is_number(each) else slice(None) for each in sides)]

    def __getitem__(self, key: Any) -> Any:
        pair = key if isinstance(key, tuple) else (key,)
        if len(pair) > 2 or any(each is None or each is Ellipsis for each in pair):
            raise IndexError(f"data[rows, columns] takes numbers, slices and one list, not {shown(key)}")
        rows, columns = (*pair, slice(None))[:2]
        if not any(_is_number(each) or isinstance(each, slice) for each in (rows, columns)):
            raise IndexError("data[rows, columns] takes one list; write data[rows][:, columns]")
        return self.at(rows, columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("copy must not be False: values of a store are read; leave it out")
        return np.asarray(self.read(), dtype=dtype)

    def __repr__(self) -> str:
        return f"<StoredArray: {self.shape[0]} x {self.shape[1]}, {self.dtype}, in {self.store.path}>"

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        self.store.check_in_place()
        return _reopened, (os.path.abspath(self.store.path), self.store.identity)

    def __deepcopy__(self, memo: object) -> StoredArray:
        # Nothing of it changes.
        return self

    def in_chunks(self) -> Any:
        """An array of dask's, which reads a tile when it is asked for."""
        self._check(range(self.store.n_tiles))
        return need("dask.array", "cluster").from_array(self, chunks=self.chunks)

    def _check(self, tiles: Any) -> None:
        """MissingTilesError where some of these are not there."""
        absent = set(self.missing())
        needed = [tile for tile in tiles if tile in absent]
        if not needed:
            return
        listed = ", ".join(
            f"{tile} ({self.store.lanes} {self.store.bounds(tile)[0]} to {self.store.bounds(tile)[1] - 1})"
            for tile in needed[:3]
        )
        more = f" and {len(needed) - 3} more" if len(needed) > 3 else ""
        raise MissingTilesError(
            f"{self.store.path}: {len(needed)} of {self.store.n_tiles} tiles that this needs are not "
            f"learned yet: {listed}{more}; learn them with resume",
            needed,
        )


def _reopened(path: str, identity: str) -> StoredArray:
    """A pickled array; RuntimeError where another store lies at its path."""
    array = StoredArray(Store.open(path))
    if array.store.identity != identity:
        raise RuntimeError(f"{path}: another store took the place of these weights; load it")
    return array


def _places(key: Any, n: int) -> NDArray[np.int64]:
    """The numbers that a key of one side means, as numpy takes it."""
    return np.atleast_1d(np.arange(n)[key])


def _is_number(key: object) -> bool:
    return isinstance(key, int | np.integer) and not isinstance(key, bool)
