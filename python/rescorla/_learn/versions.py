"""What is installed, as reports of errors need it."""

from __future__ import annotations

import sys

import rescorla._core as _core
from rescorla._learn.rescorla_wagner import learn
from rescorla._shared.checks import thread_count

# What the package needs, and what its extras bring.
_LIBRARIES = (
    *("numpy", "scipy", "scikit-learn", "pandas", "polars", "pyarrow", "xarray", "netCDF4", "zarr"),
    *("dask", "distributed", "matplotlib", "tqdm", "shtab", "pyndl"),
)


def show_versions() -> None:
    """Print what is installed: paste it into a report of an error.

    It prints the versions of rescorla and Python, the system, the kernel (the instruction set that the engine
    uses here), the number of threads that learning takes, and the versions of numpy and of the libraries of
    the extras, None for those that are not installed. It loads none of these libraries.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.show_versions()
    System:
        rescorla: ...
          python: ...
    """
    from platform import platform

    system = {
        "rescorla": _core.__version__,
        "python": sys.version.replace("\n", " "),
        "executable": sys.executable,
        "machine": platform(),
        "kernel": str(learn([("a", "x")], progress=False).parameters["kernel"]),
        "threads": str(thread_count(None)),
    }
    for title, found in (("System", system), ("Libraries", {each: _installed(each) for each in _LIBRARIES})):
        width = max(map(len, found))
        print(f"{title}:", *(f"    {name.rjust(width)}: {what}" for name, what in found.items()), sep="\n")


def _installed(library: str) -> str | None:
    # Not loaded with the package: it brings much along.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        return None
