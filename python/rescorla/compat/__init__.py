"""The functions of other packages, under their own names, over the engine of this one.

`rescorla.compat.pyndl` is pyndl.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rescorla.compat import pyndl

__all__ = ["pyndl"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
