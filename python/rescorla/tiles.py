"""Stores of weights, whose tiles `rescorla.learn` learns, and with ``part=`` in many processes."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rescorla._learn.verify import verify
from rescorla._shared.checks import PathName, path_name
from rescorla._weights.zarr.folder import remove_stale
from rescorla._weights.zarr.lazy import MissingTilesError
from rescorla._weights.zarr.store import Store

__all__ = ["MissingTilesError", "repair"]

MissingTilesError.__module__ = "rescorla.tiles"


def __dir__() -> list[str]:
    return __all__


def repair(out: PathName, *, tiles: Iterable[int] | None = None) -> list[int]:
    """Delete the tiles of a store that are damaged, so that they can be learned again.

    Files that killed processes left half written are deleted too, once they are six hours old;
    `rescorla.learn` also deletes them.

    Parameters
    ----------
    out : path
        The store.
    tiles : iterable of int, optional
        The numbers of the tiles to delete, as `rescorla.verify` gives them with a sample; by default those
        that are damaged.

    Returns
    -------
    list of int
        The numbers of those that were deleted.

    Raises
    ------
    ValueError
        When there is no tile of such a number.
    FormatError, OSError
        When there is no store, or a tile cannot be deleted.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light_tone", "shock", 3), ("tone", "food")])
    >>> weights = rw.learn(events, out="weights.zarr")
    >>> rw.tiles.repair("weights.zarr")
    []
    """
    path = path_name(out)
    store = Store.open(path)
    bad = list(verify(path).bad) if tiles is None else sorted({*tiles})
    remove_stale(path)
    for tile in bad:
        if not 0 <= tile < store.n_tiles:
            raise ValueError(f"tiles must be numbers from 0 to {store.n_tiles - 1}, not {tile}")
        os.unlink(store.file(tile))
    return bad
