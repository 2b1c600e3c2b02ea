"""Saving weights as a store that is whole."""

from __future__ import annotations

import errno

import numpy as np

from rescorla._core import FormatError
from rescorla._shared.optional import need
from rescorla._store import create
from rescorla._store.store import Store, whole
from rescorla._weights.disk import as_json, naming, parsed
from rescorla._weights.weights import Weights


def save_store(path: str, weights: Weights) -> None:
    """Write weights to a store, which takes the place of an older one; of nothing else."""
    need("zarr")
    if create.is_there(path):
        _check_replaceable(path)
    parameters = parsed(as_json(weights.parameters))
    values = np.asarray(weights)
    with create.Folder(path) as folder, naming(path):
        whole(folder.temporary, values, weights.cues, weights.outcomes, parameters)
        folder.replace()


def _check_replaceable(path: str) -> None:
    """FileExistsError where there is something else than a store, which may be dear to somebody."""
    try:
        Store.open(path)
    except FormatError as error:
        raise FileExistsError(
            errno.EEXIST, "there is something else than a store of weights; name another output", path
        ) from error
