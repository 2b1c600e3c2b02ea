"""Weights in files: written whole or not at all, read with a clear word about what is wrong."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np

from rescorla._core import FormatError, check_apart, crc32c
from rescorla._events.kinds import look
from rescorla._shared.checks import PathName, only_names, shown
from rescorla._shared.optional import need
from rescorla._weights import hdf5, npy, tables
from rescorla._weights.disk import (
    AGAIN,
    Content,
    as_json,
    as_python,
    check_folder,
    check_values,
    free_bytes,
    labels_checksum,
    mapped_files,
    parsed,
    pieces,
    reading,
    reserve,
    values_checksum,
    writing,
)
from rescorla._weights.parameters import (
    fits_netcdf,
    labels_and_attributes,
    parameters_of,
    per_name_of,
    set_apart,
)
from rescorla._weights.seal import check_seal, seal

if TYPE_CHECKING:
    from xarray import DataArray

# The library below netCDF4 must not run in two threads at once. The thread that holds the lock may come in
# again: where Python runs, so do finalisers.
_NETCDF_ALONE = RLock()


STORE = ".zarr"
"""How the names of stores of weights end."""


# The format that keeps states, and what their arrays are called there.
_STATES_IN, _STATE = ".npz", "state_"

# Bytes that a weight takes at least, where that is not the size of its type: in text "0.0" and a separator.
# Parquet packs, and many equal weights take next to nothing.
_LEAST = {".csv": 4, ".tsv": 4, ".parquet": 0}


def save(path: str, content: Content, long: bool = False) -> None:
    """Write weights in the format that the suffix names; tables may be long."""
    table = tables.WRITERS.get(_suffix(path))
    if long and table is None:
        raise ValueError(f"{path}: long is for tables, {TABLES}; leave it out, or name a table")
    write: Callable[[str, Content], None]
    if is_store(path):
        # Loaded when a store is written: it needs more of the standard library than all else.
        from rescorla._weights.zarr.save import save_store

        path, write = store_path(path), save_store
    else:
        write = _format(path, SAVED).save if table is None else partial(table, long=long)
    check_states(path, tuple(content.state))
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"no folder {folder!r} to write it in; make it first", path)
    check_apart(path, mapped_files(content.values))
    write(path, content)


def check_states(path: str, states: Sequence[str]) -> None:
    """ValueError where weights have states, and the format that the suffix names does not keep them."""
    if states and _suffix(path) not in (_STATES_IN, *tables.WRITERS):
        raise ValueError(
            f"{path}: these weights have states ({', '.join(states)}), which only {_STATES_IN} files keep; "
            "save to one, or without states: rescorla.Weights(weights.values, weights.cues, weights.outcomes)"
        )


def load(path: str) -> Content:
    """Read weights in the format that the suffix names; .npy files are mapped."""
    if not is_weights_name(path):
        _refuse_events(path)
        if _suffix(path) in tables.WRITERS:
            raise ValueError(
                f"{path}: expected weights, in a file that ends in {NAMES}, found {_suffix(path)!r}: such "
                "tables are for other programs; rescorla.Weights.from_pandas takes a data frame of one"
            )
    form = _format(path)
    with open(path, "rb") as stream:
        start = stream.read(8)
    if not start.startswith(form.magic):
        _refuse_events(path)
        raise FormatError(
            f"{path}: expected {form.noun}, which starts with {form.magic[0]!r}, found {start!r}; "
            "give the file the suffix of its format, or save the weights again"
        )
    return form.load(path)


def events_in(path: str) -> str | None:
    """What a file of events is, for a message; None where it is no such file."""
    kinds = {"events": "a binary event file", "table": "an event table"}
    return kinds.get(look(path).kind) if os.path.isfile(path) else None


def _refuse_events(path: str) -> None:
    """FormatError that says what reads a file, where this is not weights but events."""
    found = events_in(path)
    if found is not None:
        reader = "open_events" if "binary" in found else "read_events"
        raise FormatError(
            f"{path}: expected weights, in a file that ends in {NAMES}, found {found}; rescorla.{reader} "
            "reads it, and rescorla.learn makes weights of events"
        )


def verify(path: str) -> Content:
    """Read weights wholly and hold every part against its checksum."""
    content = load(path)
    if _suffix(path) == ".npy":
        npy.verify(path)
    return content


def check_target(path: str) -> None:
    """Raise what `save` would raise after hours of work: an unknown suffix, a missing folder or library."""
    if _suffix(path) == ".parquet":
        need("pyarrow")
    elif _suffix(path) not in tables.WRITERS and _format(path, SAVED).save is _save_nc:
        need("netCDF4")
    check_folder(os.path.dirname(os.path.realpath(path)))


def check_room(path: str, shape: tuple[int, int], dtype: np.dtype[Any], cure: str) -> None:
    """OSError where a disk has surely no room for weights, which `save` would find after hours of work.

    A file that the new one is to replace takes its room until that is whole.
    """
    needed = shape[0] * shape[1] * _LEAST.get(_suffix(path), dtype.itemsize)
    free = free_bytes(os.path.dirname(os.path.realpath(path)))
    if free is not None and needed > free:
        raise OSError(
            errno.ENOSPC,
            f"{shape[0]:,} x {shape[1]:,} weights of {dtype} need {needed:,} bytes or more, and the disk has "
            f"{free:,} free; {cure}",
            path,
        )


def is_weights_name(path: str) -> bool:
    """Whether a file's suffix is one of those that weights are saved with."""
    return _suffix(path) in _FORMATS


def npy_path(out: object) -> str | None:
    """The path that the argument `out` names, checked; None where it is no path."""
    if not isinstance(out, str | os.PathLike):
        return None
    path = str(os.fsdecode(out))
    if os.path.splitext(path)[1].lower() != ".npy":
        raise ValueError(
            f"out must be a path that ends in .npy, not {path!r}; Weights.save writes other formats"
        )
    check_target(path)
    return path


def is_store(path: object) -> TypeGuard[PathName]:
    """Whether something is a path that names a store of weights."""
    if not isinstance(path, str | os.PathLike):
        return False
    return os.path.splitext(os.fsdecode(path).rstrip(os.sep))[1].lower() == STORE


def store_path(out: object) -> str:
    """The path of a store that the argument `out` names, checked."""
    if not is_store(out):
        raise ValueError(f"out must be a path that ends in {STORE}, not {shown(out)}")
    path = os.fsdecode(out).rstrip(os.sep)
    check_folder(os.path.dirname(os.path.realpath(path)))
    return path


def to_xarray(content: Content) -> DataArray:
    """Weights as a DataArray whose attributes netCDF can hold."""
    xarray = need("xarray")
    per_name, attributes = labels_and_attributes(set_apart(content.parameters, fits_netcdf))
    names = {"cues": _labels(content.cues), "outcomes": _labels(content.outcomes)}
    coordinates = {**names, **per_name}
    array: DataArray = xarray.DataArray(
        content.values, dims=("cues", "outcomes"), coords=coordinates, name="weights", attrs=attributes
    )
    return array


def _labels(names: Sequence[str]) -> Any:
    """Names as xarray takes them: objects where one ends in NUL, which is lost in numpy's text."""
    if not any(name.endswith("\0") for name in names):
        return names
    labels = np.empty(len(names), dtype=object)
    labels[:] = names
    return labels


def from_xarray(array: Any) -> Content:
    """What a DataArray over cues and outcomes holds, as `to_xarray` makes it or pyndl does."""
    if not hasattr(array, "dims") or not hasattr(array, "coords") or not hasattr(array, "to_numpy"):
        cure = (
            "take one of its variables" if hasattr(array, "data_vars") else "from_pandas takes a data frame"
        )
        raise TypeError(f"array must be an xarray DataArray, not {shown(array)}; {cure}")
    sides = _sides(array.dims)
    if sides is None:
        told = ", ".join(map(repr, array.dims))
        raise ValueError(
            f"array must have the dimensions 'cues' and 'outcomes', not {told or 'none'}; rename() gives it "
            "these"
        )
    for side in sides:
        if side not in array.coords:
            raise ValueError(
                f"array has no names for the dimension {side!r}; give it some by assign_coords({side}=[...])"
            )
    # In the order in which they lie: netCDF's library takes long to turn what it reads.
    values = array.to_numpy()
    return Content(
        values if array.dims == sides else values.T,
        _names(array, sides[0]),
        _names(array, sides[1]),
        parameters_of(array) | per_name_of(array),
    )


def _names(array: Any, side: str) -> list[str]:
    """The labels of a dimension: text, bytes of it, as R writes them, or numbers, as of vectors."""
    labels = array.coords[side].to_numpy().tolist()
    try:
        names = [name.decode() if isinstance(name, bytes) else name for name in labels]
    except UnicodeDecodeError as error:
        raise ValueError(f"the names of {side} must be UTF-8: {error}") from None
    return only_names(f"array must have names of the dimension {side!r}", names, numbers=True)


def _save_npz(path: str, content: Content) -> None:
    values, cues, outcomes, parameters, state = content
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
        "parameters": np.array(as_json(parameters)),
        **{f"{_STATE}{name}": numbers for name, numbers in state.items()},
    }
    with writing(path) as stream:
        np.savez(stream, **arrays)


def _load_npz(path: str) -> Content:
    # Opened here, as numpy leaves a damaged file open.
    with (
        reading(path, "an .npz file of weights"),
        open(path, "rb") as stream,
        np.load(stream, allow_pickle=False) as archive,
    ):
        if "about" in archive and "tokens" in archive:
            raise FormatError(
                f"{path}: expected an .npz file of weights, found one of trajectories; "
                "rescorla.Trajectories.load reads them"
            )
        cues, outcomes = (archive[name].tolist() for name in ("cues", "outcomes"))
        names = [name for name in archive.files if name.startswith(_STATE)]
        state = {name.removeprefix(_STATE): archive[name] for name in names}
        return Content(archive["values"], cues, outcomes, parsed(str(archive["parameters"])), state)


def _save_nc(path: str, content: Content) -> None:
    # What xarray would write, without the time that it takes to import.
    netcdf = need("netCDF4")
    for name in (*content.cues, *content.outcomes):
        if "\0" in name:
            raise ValueError(
                f"{path}: the name {name!r} has a NUL character, which .nc files cut; save to a .npy file"
            )
    values = content.values
    try:
        with _NETCDF_ALONE:
            frame = hdf5.with_room(_netcdf_bytes(netcdf, content, False), values.nbytes)
            made = _netcdf_bytes(netcdf, content, True) if frame is None else frame
    except RuntimeError as error:
        raise MemoryError(
            f"{path}: a .nc file is made in memory, and that failed: {error}; save to a .npy file"
        ) from error
    # Not by the library, which does not survive every error of a disk, and holds all of it twice.
    with writing(path) as stream:
        reserve(stream.fileno(), len(made) + (0 if frame is None else values.nbytes) + len(seal(0)))
        stream.write(made)
        checksum = crc32c(np.frombuffer(made, dtype=np.uint8))
        if frame is not None:
            for piece in pieces(values):
                stream.write(piece.data)
                checksum = crc32c(piece, checksum)
        stream.write(seal(checksum))


def _netcdf_bytes(netcdf: Any, content: Content, elements: bool) -> bytes:
    """A netCDF file of weights, in memory, with their values or without."""
    values, cues, outcomes, parameters = content[:4]
    names = {"cues": cues, "outcomes": outcomes}
    per_name, attributes = labels_and_attributes(set_apart(parameters, fits_netcdf))
    if per_name:
        attributes["coordinates"] = " ".join(per_name)
    attributes["labels_crc32c"] = labels_checksum(cues, outcomes, {n: per_name[n][1] for n in per_name})
    attributes["values_crc32c"] = values_checksum(values)
    size = max(1 << 20, values.nbytes if elements else 0)
    dataset = netcdf.Dataset("weights.nc", "w", memory=size)
    try:
        dataset.set_auto_maskandscale(False)
        for dimension, labels in names.items():
            dataset.createDimension(dimension, len(labels))
            dataset.createVariable(dimension, str, (dimension,))[:] = np.array(labels, dtype=object)
        for name, (dimension, numbers) in per_name.items():
            dataset.createVariable(name, "f8", (dimension,), fill_value=np.nan)[:] = numbers
        weights = dataset.createVariable("weights", values.dtype, tuple(names), fill_value=np.nan)
        weights.setncatts(attributes)
        if elements:
            weights[:] = values
    except BaseException:
        dataset.close()
        raise
    # In memory it grows by steps, beyond its end.
    made = dataset.close()
    return bytes(made[: hdf5.end_of(made)])


def _load_nc(path: str) -> Content:
    xarray, netcdf = need("xarray", "netcdf"), need("netCDF4")
    # Mapped: the library locks files that it opens, and fails beside others that do; and a copy takes longer.
    with open(path, "rb") as stream:
        file = _mapped(path, stream.fileno())
    check_seal(path, np.frombuffer(file, dtype=np.uint8))
    with (
        _NETCDF_ALONE,
        reading(path, "a netCDF file of weights"),
        netcdf.Dataset(path, memory=file) as opened,
    ):
        dataset = xarray.open_dataset(xarray.backends.NetCDF4DataStore(opened))
        arrays = [each for each in dataset.data_vars.values() if _sides(each.dims)]
        if len(arrays) != 1:
            raise ValueError(f"{len(arrays)} variables over the dimensions cues and outcomes")
        # As they were written: pyndl puts text behind all attributes of weights that it goes on from.
        checksums = [
            found if isinstance(found, str) and len(found) == 8 else None
            for found in (as_python(arrays[0].attrs.get(f"{part}_crc32c")) for part in ("labels", "values"))
        ]
        content, per_name = from_xarray(arrays[0]), per_name_of(arrays[0])
    if checksums[0] is not None and checksums[0] != labels_checksum(content.cues, content.outcomes, per_name):
        raise FormatError(f"{path}: expected labels with checksum {checksums[0]}, found others; {AGAIN}")
    check_values(path, checksums[1], content.values)
    return content


def _sides(dimensions: tuple[Any, ...]) -> tuple[str, str] | None:
    """Which dimensions are cues and outcomes; None where they are others. pyndl's wh has those of vectors."""
    for cues in ("cues", "cue_vector_dimensions"):
        for outcomes in ("outcomes", "outcome_vector_dimensions"):
            if set(dimensions) == {cues, outcomes}:
                return cues, outcomes
    return None


def _mapped(path: str, descriptor: int) -> Any:
    """A file, mapped until nothing uses it any more."""
    import mmap

    try:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError(
            f"{path}: this process has no room to map its {os.fstat(descriptor).st_size:,} bytes; raise its "
            "limit (ulimit -v)"
        ) from error


class _Format(NamedTuple):
    noun: str
    magic: tuple[bytes, ...]
    save: Callable[[str, Content], None]
    load: Callable[[str], Content]


_FORMATS = {
    ".npz": _Format("an .npz file", (b"PK\x03\x04",), _save_npz, _load_npz),
    ".npy": _Format("a .npy file", (b"\x93NUMPY",), npy.save, npy.load),
    ".nc": _Format("a netCDF file", (b"\x89HDF\r\n\x1a\n", b"CDF"), _save_nc, _load_nc),
}


NAMES = ", ".join([*_FORMATS, ".zarr"])
"""How the names of files and stores of weights end, for a message."""


TABLES = ", ".join(tables.WRITERS)
"""How the names of tables end, which are only written."""

SAVED = f"{NAMES}, {TABLES}"
"""How the names of files and stores end that weights are saved to."""


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def _format(path: str, names: str = NAMES) -> _Format:
    suffix = os.path.splitext(path)[1]
    try:
        return _FORMATS[suffix.lower()]
    except KeyError:
        raise ValueError(
            f"{path}: expected a file name that ends in one of {names}, found {suffix!r}; give weights the "
            "name of their format"
        ) from None
