"""Saving weights as a store that is whole."""

from __future__ import annotations

import errno
import os
import secrets
import shutil

import numpy as np

from rescorla._core import FormatError
from rescorla._shared.optional import need
from rescorla._store import create
from rescorla._store.store import Store, whole
from rescorla._weights.disk import plain
from rescorla._weights.weights import Weights


def save_store(path: str, weights: Weights) -> None:
    """Write weights to a store, which takes the place of an older one; of nothing else."""
    need("zarr")
    if os.path.lexists(path):
        _check_replaceable(path)
    parameters = {name: plain(value) for name, value in weights.parameters.items()}
    values = np.asarray(weights)
    with create.Folder(path) as folder:
        whole(folder.temporary, values, weights.cues, weights.outcomes, parameters)
        if folder.appear():
            return
        # A folder cannot take the place of another: for a moment there is none.
        old = f"{folder.temporary[:-4]}{secrets.token_hex(4)}.tmp"
        os.rename(path, old)
        if not folder.appear():
            raise FileExistsError(errno.EEXIST, "another process saved a store meanwhile; save again", path)
        shutil.rmtree(old, ignore_errors=True)


def _check_replaceable(path: str) -> None:
    """FileExistsError where there is something else than a store, which may be dear to somebody."""
    try:
        Store.open(path)
    except FormatError as error:
        raise FileExistsError(
            errno.EEXIST, "there is something else than a store of weights; name another output", path
        ) from error
