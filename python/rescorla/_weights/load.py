"""Weights read from files and stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rescorla._core import FormatError
from rescorla._shared.checks import PathName, path_name
from rescorla._weights import files
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from rescorla._weights.zarr.lazy import StoredArray


def load_weights(path: PathName) -> Weights:
    """Read weights that `Weights.save` wrote, or pyndl's netCDF files.

    Parameters
    ----------
    path : str or path-like
        A ``.npz``, ``.npy`` (mapped read-only) or ``.nc`` file; or a ``.zarr`` store, of which parts are read
        when they are used: ``missing()`` of its weights lists the tiles that are not learned yet, whose use
        is an error. A netCDF file needs one variable over the dimensions
        ``cues`` and ``outcomes``, in either order; pyndl's ``wh`` has ``cue_vector_dimensions``,
        ``outcome_vector_dimensions`` or both in their place.

    Returns
    -------
    Weights

    Raises
    ------
    FormatError
        When the file is damaged or holds something else, such as events.
    ValueError
        When the suffix is none of these.
    OSError
        When the file cannot be read; FileNotFoundError when there is none.
    ImportError
        When a library that the format needs is not installed.

    Notes
    -----
    A ``.nc`` file that `Weights.save` wrote is held against a checksum of all of it before the netCDF library
    opens it. Those of other programs have none: the library opens them as they are, and a damaged one may
    keep it busy for ever.

    A ``.npy`` file stays mapped; a ``.nc`` file is mapped only while it is read. If another process cuts a
    mapped file short, the system ends this process with SIGBUS. `Weights.save` replaces files, and never
    changes one in place.

    Examples
    --------
    >>> import os, tempfile
    >>> import rescorla as rw
    >>> weights = rw.learn(rw.read_events([("light_tone", "shock", 2)]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "weights.npz")
    ...     weights.save(path)
    ...     rw.load_weights(path)["light", "shock"] == weights["light", "shock"]
    True
    """
    name = path_name(path)
    if files.is_store(name):
        # Loaded when a store is read.
        from rescorla._weights.zarr.lazy import StoredArray
        from rescorla._weights.zarr.store import Store

        return weights_in(StoredArray(Store.open(name)))
    content = files.load(name)
    try:
        return Weights(*content)
    except (TypeError, ValueError) as error:
        raise FormatError(
            f"{name}: expected weights with their names, found a defect: {error}; save it again"
        ) from error


def weights_in(data: StoredArray) -> Weights:
    """The weights of a store, whose values stay where they are."""
    store = data.store
    return Weights._in_file(store.path, data, store.cues, store.outcomes, dict(store.parameters))
