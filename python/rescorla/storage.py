"""Weights in files: written whole or not at all, read with a clear word about what is wrong."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rescorla._core import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xarray import DataArray

# Parameters that may be one number for each label, and the dimension of those labels.
_PER_NAME = {"alpha": "cues", "lambda": "outcomes"}

# Bytes before the elements of a .npy file that learning fills, whatever the order, shape and type.
_NPY_HEADER = 128

# The library below netCDF4 must not run in two threads at once.
_NETCDF_ALONE = Lock()


class Content(NamedTuple):
    """What a file of weights holds."""

    values: NDArray[Any]
    cues: list[str]
    outcomes: list[str]
    parameters: dict[str, Any]


def save(path: str, content: Content) -> None:
    """Write weights in the format that the suffix names."""
    _format(path).save(path, content)


def load(path: str) -> Content:
    """Read weights in the format that the suffix names; .npy files are mapped."""
    form = _format(path)
    with open(path, "rb") as stream:
        start = stream.read(8)
    if not start.startswith(form.magic):
        raise FormatError(
            f"{path}: expected {form.noun}, which starts with {form.magic[0]!r}, found {start!r}; "
            "give the file the suffix of its format, or save the weights again"
        )
    return form.load(path)


def check_target(path: str) -> None:
    """Raise what `save` would raise after hours of work: an unknown suffix, a missing folder or library."""
    if _format(path).save is _save_nc:
        _netcdf()
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)


def is_weights_name(path: str) -> bool:
    """Whether a file's suffix is one of those that weights are saved with."""
    return os.path.splitext(path)[1].lower() in _FORMATS


def npy_path(out: object) -> str | None:
    """The path that an ``out=`` argument names, checked; None where it is no path."""
    if not isinstance(out, str | os.PathLike):
        return None
    path = os.fsdecode(out)
    if os.path.splitext(path)[1].lower() != ".npy":
        raise ValueError(
            f"{path}: expected an out= path that ends in .npy; Weights.save writes other formats"
        )
    check_target(path)
    return path


@contextmanager
def replacing(*paths: str) -> Iterator[list[str]]:
    """Temporary siblings to write to: each becomes its path when all are complete; on failure all go."""
    targets = [os.path.realpath(path) for path in paths]
    unique = f"{os.getpid()}-{os.urandom(4).hex()}"
    temporaries = [f"{target}.{unique}.tmp" for target in targets]
    try:
        for path, target, temporary in zip(paths, targets, temporaries, strict=True):
            with naming(path):
                if os.path.isdir(target):
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
                open(temporary, "xb").close()
        yield temporaries
        for path, temporary in zip(paths, temporaries, strict=True):
            with naming(path):
                _sync(temporary, os.O_RDWR)
        for target, temporary in zip(targets, temporaries, strict=True):
            os.replace(temporary, target)
        if hasattr(os, "O_DIRECTORY"):
            for folder in {os.path.dirname(target) for target in targets}:
                _sync(folder, os.O_RDONLY | os.O_DIRECTORY)
    finally:
        for temporary in temporaries:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Put the user's own name for a file into errors of the system, in place of a temporary's or of none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), path) from error


def create_npy(
    file: str, path: str, shape: tuple[int, ...], dtype: np.dtype[Any], *, fortran_order: bool = False
) -> NDArray[Any]:
    """Map zeros in an existing empty file; a disk without room fails here, not when pages are written."""
    descr = np.lib.format.dtype_to_descr(dtype)
    header = {"descr": descr, "fortran_order": fortran_order, "shape": shape}
    size = dtype.itemsize * int(np.prod(shape, dtype=object))
    with naming(path), open(file, "r+b") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        start = stream.tell()
        stream.flush()
        stream.truncate(start + size)
        _reserve(stream.fileno(), start + size)
    order: Literal["F", "C"] = "F" if fortran_order else "C"
    return np.asarray(np.memmap(file, dtype=dtype, mode="r+", offset=start, shape=shape, order=order))


def _reserve(descriptor: int, size: int) -> None:
    """Raise what the system says where a disk has no room for so many bytes of a file."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            # A file system that cannot reserve room is no reason not to try.
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise


class NpyRoom(NamedTuple):
    """A file that the engine fills with the elements of an array; `write_npy_header` makes it a .npy file."""

    file: str
    path: str
    start: int
    dtype: str


def npy_room(file: str, path: str, dtype: np.dtype[Any]) -> NpyRoom:
    """The existing empty file `file` as room for an array that is to be called `path`."""
    return NpyRoom(file, path, _NPY_HEADER, str(dtype))


def write_npy_header(room: NpyRoom, shape: tuple[int, int], *, fortran_order: bool) -> None:
    """Say what the elements are, in the order in which the engine wrote them."""
    about = {"descr": np.dtype(room.dtype).str, "fortran_order": fortran_order, "shape": shape}
    text = repr(about).encode("ascii").ljust(_NPY_HEADER - 11) + b"\n"
    with naming(room.path), open(room.file, "r+b") as stream:
        stream.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)


def map_npy(path: str) -> NDArray[Any]:
    """An array in a .npy file, mapped read-only."""
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError(
            f"{path} is whole, but this process has no room to map its {os.path.getsize(path)} bytes; raise "
            "its limit (ulimit -v)"
        ) from error


def write_labels(
    file: str, path: str, cues: Sequence[str], outcomes: Sequence[str], parameters: Mapping[str, Any]
) -> None:
    """Write what stands beside the .npy file `path` into the file `file`."""
    labels = {"cues": cues, "outcomes": outcomes, "parameters": parameters}
    with naming(sidecar(path)), open(file, "w", encoding="ascii") as stream:
        stream.write(_json(labels))


def to_xarray(content: Content) -> DataArray:
    """Weights as a DataArray whose attributes netCDF can hold."""
    xarray = _xarray(netcdf=False)
    per_name, attributes = _labels_and_attributes(content.parameters)
    coordinates = {"cues": content.cues, "outcomes": content.outcomes, **per_name}
    array: DataArray = xarray.DataArray(
        content.values, dims=("cues", "outcomes"), coords=coordinates, name="weights", attrs=attributes
    )
    return array


def _labels_and_attributes(
    parameters: Mapping[str, Any],
) -> tuple[dict[str, tuple[str, list[float]]], dict[str, Any]]:
    """Parameters as labels, each with its dimension, and as attributes, which are for small things."""
    per_name = {
        name: (dimension, parameters[name])
        for name, dimension in _PER_NAME.items()
        if isinstance(parameters.get(name), list)
    }
    return per_name, netcdf_attributes({n: value for n, value in parameters.items() if n not in per_name})


def netcdf_attributes(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as values that netCDF has."""
    attributes: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, str | float):
            attributes[name] = value
        elif isinstance(value, int):  # a bool too, as netCDF has none
            attributes[name] = int(value)
        elif value is not None:
            attributes[name] = _json(value)
    return attributes


def _save_npz(path: str, content: Content) -> None:
    values, cues, outcomes, parameters = content
    for kind, names in (("cue", cues), ("outcome", outcomes)):
        for name in names:
            if name.endswith("\0"):
                raise ValueError(
                    f"{path}: the {kind} {name!r} ends in a NUL character, which arrays of str in .npz files "
                    "cannot hold; save to a .npy file"
                )
    arrays: dict[str, Any] = {
        "values": values,
        "cues": np.array(cues, dtype=np.str_),
        "outcomes": np.array(outcomes, dtype=np.str_),
        "parameters": np.array(_json(parameters)),
    }
    with replacing(path) as (file,), naming(path), open(file, "wb") as stream:
        np.savez(stream, **arrays)


def _load_npz(path: str) -> Content:
    # Opened here, as numpy leaves a damaged file open.
    with (
        _reading(path, "an .npz file of weights"),
        open(path, "rb") as stream,
        np.load(stream, allow_pickle=False) as archive,
    ):
        cues, outcomes = (archive[name].tolist() for name in ("cues", "outcomes"))
        return Content(archive["values"], cues, outcomes, _parsed(str(archive["parameters"])))


def _save_npy(path: str, content: Content) -> None:
    with replacing(path, sidecar(path)) as (array, labels):
        # In the order in which they lie, for weights that exceed the memory lie in a file themselves.
        values = content.values
        columns_first = values.flags.f_contiguous and not values.flags.c_contiguous
        create_npy(array, path, values.shape, values.dtype, fortran_order=columns_first)[...] = values
        write_labels(labels, path, *content[1:])


def _load_npy(path: str) -> Content:
    with _reading(path, "a .npy file of weights"):
        values = map_npy(path)
    beside = sidecar(path)
    if not os.path.exists(beside):
        raise FormatError(
            f"{path}: expected its labels in {beside}, found no such file; keep the two files together"
        )
    with _reading(beside, "the labels of weights"), open(beside, encoding="utf-8") as stream:
        labels = _parsed(stream.read())
        return Content(values, labels["cues"], labels["outcomes"], labels["parameters"])


def _save_nc(path: str, content: Content) -> None:
    # What xarray would write, without the time that it takes to import.
    netcdf = _netcdf()
    for name in (*content.cues, *content.outcomes):
        if "\0" in name:
            raise ValueError(
                f"{path}: the name {name!r} has a NUL character, which .nc files cut; save to a .npy file"
            )
    with replacing(path) as (file,), naming(path):
        try:
            with _NETCDF_ALONE:
                _write_nc(netcdf, file, content)
        except RuntimeError as error:
            # netCDF keeps what the system says to itself.
            with open(file, "r+b") as stream:
                _reserve(stream.fileno(), content.values.nbytes)
            raise OSError(errno.EIO, str(error)) from error


def _write_nc(netcdf: Any, file: str, content: Content) -> None:
    values, cues, outcomes, parameters = content
    names = {"cues": cues, "outcomes": outcomes}
    per_name, attributes = _labels_and_attributes(parameters)
    if per_name:
        attributes["coordinates"] = " ".join(per_name)
    with netcdf.Dataset(file, "w") as dataset:
        dataset.set_auto_maskandscale(False)
        for dimension, labels in names.items():
            dataset.createDimension(dimension, len(labels))
            dataset.createVariable(dimension, str, (dimension,))[:] = np.array(labels, dtype=object)
        for name, (dimension, numbers) in per_name.items():
            dataset.createVariable(name, "f8", (dimension,), fill_value=np.nan)[:] = numbers
        weights = dataset.createVariable("weights", values.dtype, tuple(names), fill_value=np.nan)
        weights.setncatts(attributes)
        weights[:] = values


def _load_nc(path: str) -> Content:
    xarray = _xarray()
    with (
        _NETCDF_ALONE,
        _reading(path, "a netCDF file of weights"),
        xarray.open_dataset(path, engine="netcdf4") as dataset,
    ):
        variables = [each for each in dataset.data_vars.values() if set(each.dims) == {"cues", "outcomes"}]
        if len(variables) != 1:
            raise ValueError(f"{len(variables)} variables over the dimensions cues and outcomes")
        array = variables[0].transpose("cues", "outcomes")
        parameters = {str(name): _plain(value) for name, value in array.attrs.items()}
        for name, dimension in _PER_NAME.items():
            if name in array.coords and array.coords[name].dims == (dimension,):
                parameters[name] = array.coords[name].to_numpy().tolist()
        for name in ("average", "continued"):
            if name in parameters:
                parameters[name] = bool(parameters[name])
        cues, outcomes = (array.coords[name].to_numpy().tolist() for name in ("cues", "outcomes"))
        return Content(array.to_numpy(), cues, outcomes, parameters)


class _Format(NamedTuple):
    noun: str
    magic: tuple[bytes, ...]
    save: Callable[[str, Content], None]
    load: Callable[[str], Content]


_FORMATS = {
    ".npz": _Format("an .npz file", (b"PK\x03\x04",), _save_npz, _load_npz),
    ".npy": _Format("a .npy file", (b"\x93NUMPY",), _save_npy, _load_npy),
    ".nc": _Format("a netCDF file", (b"\x89HDF\r\n\x1a\n", b"CDF"), _save_nc, _load_nc),
}


def _format(path: str) -> _Format:
    suffix = os.path.splitext(path)[1]
    try:
        return _FORMATS[suffix.lower()]
    except KeyError:
        known = ", ".join(_FORMATS)
        raise ValueError(
            f"{path}: expected a file name that ends in one of {known}, found {suffix!r}"
        ) from None


def sidecar(path: str) -> str:
    """The file beside a .npy file that holds its labels."""
    return path + ".json"


@contextmanager
def _reading(path: str, expected: str) -> Iterator[None]:
    """Turn whatever a reader of another library trips over into one kind of error that names the file."""
    try:
        yield
    except (MemoryError, FormatError):
        raise
    except Exception as error:
        # Libraries raise OSError for damaged files too: without an error number of the system, or for a wrong
        # seek.
        if isinstance(error, OSError) and (error.errno or 0) > 0 and error.errno != errno.EINVAL:
            raise
        found = (error.args and error.args[0]) or type(error).__name__
        raise FormatError(
            f"{path}: expected {expected}, found a foreign or damaged one: {found}; save it again"
        ) from error


def _xarray(*, netcdf: bool = True) -> Any:
    extra = "netcdf" if netcdf else "xarray"
    try:
        import xarray
    except ImportError as error:
        raise ImportError(f"this needs {error.name}: pip install 'rescorla[{extra}]'") from error
    if netcdf:
        _netcdf()
    return xarray


def _netcdf() -> Any:
    try:
        import netCDF4
    except ImportError as error:
        raise ImportError(f"this needs {error.name}: pip install 'rescorla[netcdf]'") from error
    return netCDF4


def _json(value: object) -> str:
    import json

    return json.dumps(value, default=_plain_or_error)


def _parsed(text: str) -> dict[str, Any]:
    import json

    parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise ValueError(f"a {type(parsed).__name__} in place of names and values")
    return parsed


def _plain(value: Any) -> Any:
    """A number or an array of numpy's as Python's own."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _plain_or_error(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value)
    raise TypeError(f"parameters must be values that JSON has, not {type(value).__name__}")


def _sync(path: str, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
