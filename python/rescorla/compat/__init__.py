"""Faces of other packages: their functions, with their names and results, over the engine of this one.

`rescorla.compat.pyndl` is pyndl.
"""

__all__ = ["pyndl"]


def __dir__() -> list[str]:
    return sorted(__all__)
