"""Weights in a store, of which no more is read than is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared import show
from rescorla._shared.optional import need
from rescorla._store.store import Store
from rescorla._weights import files
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray
    from xarray import DataArray


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


class StoredWeights(Weights):
    """Weights in a store: ``values`` is its zarr array, and methods read what they need.

    A use of tiles that are not learned yet raises `MissingTilesError`; they are never taken for NaN. Once
    another store took the place of this one, methods raise RuntimeError.
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store
        self.values = store.array
        self.cues, self.outcomes = store.cues, store.outcomes
        self.parameters = dict(store.parameters)
        self._cue_numbers = self._outcome_numbers = None

    def missing(self) -> list[int]:
        """The numbers of the tiles that are not learned yet."""
        self._store.check_in_place()
        return self._store.missing()

    def part(self, rows: Any = None, columns: Any = None) -> NDArray[Any]:
        """The weights of rows and of columns, which are their numbers; None is all of them."""
        rows = _numbers(rows, self._store.shape[0])
        columns = _numbers(columns, self._store.shape[1])
        lanes = columns if self._store.lanes == "columns" else rows
        width = self._store.bounds(0)[1] if self._store.n_tiles else 1
        found = lanes // max(1, width)
        needed = np.unique(found).tolist()
        if len(rows) and len(columns):
            self._check(needed)
        result = np.empty((len(rows), len(columns)), dtype=self._store.dtype)
        for tile in needed if len(rows) and len(columns) else ():
            start, _ = self._store.bounds(tile)
            values, among = self._store.mapped(tile), found == tile
            if self._store.lanes == "columns":
                result[:, among] = values[np.ix_(rows, lanes[among] - start)]
            else:
                result[among] = values[np.ix_(lanes[among] - start, columns)]
        return result

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """All weights, read."""
        if copy is False:
            raise ValueError("weights in a store are read, which is a copy; leave copy=False out")
        self._check(range(self._store.n_tiles))
        values = np.empty(self._store.shape, dtype=self._store.dtype)
        if values.size:
            for tile in range(self._store.n_tiles):
                start, stop = self._store.bounds(tile)
                lanes = values[:, start:stop] if self._store.lanes == "columns" else values[start:stop]
                lanes[...] = self._store.mapped(tile)
        array: NDArray[Any] = np.asarray(values, dtype=dtype)
        return array

    def __repr__(self) -> str:
        return self._head()

    def _repr_html_(self) -> str:
        """What is known without reading weights."""
        absent = len(self.missing())
        head = f"{self._head()} in {self._store.path}" + (f", {absent} tiles missing" if absent else "")
        return show.page(head, show.details(self.parameters))

    def _at(self, rows: Any, columns: Any) -> Any:
        """The weights at these places, each a number, a list or a slice, read."""
        n_rows, n_columns = self._store.shape
        values = self.part(_listed(rows, n_rows), _listed(columns, n_columns))
        return values[
            0 if isinstance(rows, int) else slice(None), 0 if isinstance(columns, int) else slice(None)
        ]

    def _by_columns(self) -> bool:
        return self._store.lanes == "columns"

    def row(self, cue: str) -> NDArray[Any]:
        """The weights of one cue, read."""
        row: NDArray[Any] = self.part([self._row_of(cue)])[0]
        return row

    def column(self, outcome: str) -> NDArray[Any]:
        """The weights to one outcome, read."""
        return self.part(None, [self._column_of(outcome)])[:, 0]

    def to_xarray(self, chunks: Any = None) -> DataArray:
        """The weights as an xarray DataArray.

        Parameters
        ----------
        chunks : optional
            None reads all weights. Anything else is for dask, which reads a chunk when it is asked for: {}
            takes the chunks of the store. It needs dask.
        """
        if chunks is None:
            return files.to_xarray(self._content())
        xarray = need("xarray")
        self._check(range(self._store.n_tiles))
        opened = xarray.open_zarr(self._store.path, consolidated=False, chunks=chunks)
        array: DataArray = opened["weights"]
        return array

    def _content(self) -> files.Content:
        return files.Content(np.asarray(self), list(self.cues), list(self.outcomes), self.parameters)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return load_stored, (self._store.path,)

    def _check(self, tiles: Any) -> None:
        """MissingTilesError where some of these are not there."""
        absent = set(self.missing())
        needed = [tile for tile in tiles if tile in absent]
        if not needed:
            return
        shown = ", ".join(
            f"{tile} ({self._store.lanes} {self._store.bounds(tile)[0]} to {self._store.bounds(tile)[1] - 1})"
            for tile in needed[:3]
        )
        more = f" and {len(needed) - 3} more" if len(needed) > 3 else ""
        raise MissingTilesError(
            f"{self._store.path}: {len(needed)} of {self._store.n_tiles} tiles that this needs are not "
            f"learned yet: {shown}{more}; learn with out= and resume=True, or rescorla.tiles.learn, goes on",
            needed,
        )


def load_stored(path: str) -> StoredWeights:
    """The weights in a store."""
    return StoredWeights(Store.open(path))


def _numbers(wanted: Any, n: int) -> NDArray[np.int64]:
    return np.arange(n) if wanted is None else np.asarray(wanted, dtype=np.int64)


def _listed(places: Any, n: int) -> Any:
    """The numbers of places."""
    if isinstance(places, int):
        return [places]
    return range(n)[places] if isinstance(places, slice) else places
