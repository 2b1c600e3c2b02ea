"""pyndl 1.2.4 over the engine of rescorla: the functions that scripts call, with the same results.

Change the import, and scripts stay as they are:

>>> import rescorla.compat.pyndl as pyndl  # import pyndl
>>> # from pyndl import activation, ndl, preprocess
>>> from rescorla.compat.pyndl import activation, ndl, preprocess

Weights are what pyndl gives, an xarray DataArray of outcomes x cues whose attributes say how it was learned.
`docs/api/pyndl.md` says, for each function and argument, what the native one is, and where results differ and
why.

It needs xarray, and netCDF4 for files: ``pip install 'rescorla[pyndl]'``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import rescorla._core as _core
from rescorla._shared.optional import need

need("xarray", "pyndl")

if TYPE_CHECKING:
    from rescorla.compat.pyndl import (
        activation,
        corpus,
        correlation,
        count,
        io,
        ndl,
        preprocess,
        wh,
    )

__all__ = [
    "__version__",
    "activation",
    "corpus",
    "correlation",
    "count",
    "io",
    "ndl",
    "preprocess",
    "wh",
]

# The version whose functions these are, and whose code it is.
__version__ = f"1.2.4+rescorla.{_core.__version__}"


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
