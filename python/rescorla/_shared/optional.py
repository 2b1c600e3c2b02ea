"""Libraries that only some functions need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The libraries whose extra has another name.
_EXTRAS = {"matplotlib": "plot", "netCDF4": "netcdf", "pyarrow": "arrow"}


def need(module: str, extra: str | None = None) -> Any:
    """The module, or an ImportError that says which extra brings it."""
    library = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError as error:
        extra = extra or _EXTRAS.get(library, library)
        missing = error.name or library
        raise ImportError(f"this needs {missing}: pip install 'rescorla[{extra}]'") from error
