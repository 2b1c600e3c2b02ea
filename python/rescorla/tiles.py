"""Stores of weights, whose tiles `rescorla.learn` learns, and with ``part=`` in many processes."""

from __future__ import annotations

from collections.abc import Iterable

from rescorla._learn.verify import verify as _verify
from rescorla._shared.checks import PathName, path_name, several, whole
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
    >>> weights = rw.learn(events, out="store.zarr")
    >>> rw.tiles.repair("store.zarr")
    []
    """
    path = path_name(out, "out")
    store = Store.open(path)
    bad = list(_verify(path).bad) if tiles is None else _checked(tiles, store.n_tiles)
    absent = set(store.missing())
    bad = [tile for tile in bad if tile not in absent]
    # All is checked: nothing is deleted before.
    remove_stale(path)
    for tile in bad:
        store.remove(tile)
    return bad


def _checked(tiles: Iterable[int], n_tiles: int) -> list[int]:
    """Numbers of tiles, in order."""
    entries = tiles if isinstance(tiles, set | frozenset) else several("tiles", tiles, "numbers of tiles")
    numbers = sorted({whole("tiles", tile) for tile in entries})
    if numbers and numbers[-1] >= n_tiles:
        raise ValueError(f"tiles must be numbers from 0 to {n_tiles - 1}, not {numbers[-1]}")
    return numbers
