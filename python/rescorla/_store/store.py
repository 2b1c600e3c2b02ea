"""A store of weights: a zarr group, of which each chunk is a tile that can be learned by itself."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._core import FormatError
from rescorla._events.events import Events
from rescorla._learn.plan import Numbers, naming_divergence, plan_of
from rescorla._learn.schedule import Factors
from rescorla._shared.checks import PathName, path_name
from rescorla._shared.optional import need
from rescorla._store import chunks, create
from rescorla._store.layout import Lanes, lanes_of_chunk
from rescorla._store.request import (
    Request,
    difference,
    digest_of,
    hash_of,
    initial_hash,
    sha256_of,
)
from rescorla._weights.disk import naming, reading
from rescorla._weights.parameters import MORE, put_back, set_apart
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What stands in the attributes beside the parameters of the weights.
_OWN = ("format", "version", "lanes", "digest", "parameters_sha256", "deciding")


class Store:
    """A store on the disk. A tile that is there is whole: it appears by a rename."""

    def __init__(self, path: str) -> None:
        """Use `open`."""
        self.path = path
        zarr = need("zarr")
        with naming(path), reading(path, "a zarr store of weights"):
            self._group = zarr.open_group(path, mode="r", zarr_format=3, use_consolidated=False)
            self._state = self._state_now()
            attributes = dict(self._group.attrs)
            if attributes.get("format") != create.FORMAT:
                raise ValueError(f"a group whose format is {attributes.get('format')!r}")
            if attributes.get("version") != create.VERSION:
                raise FormatError(
                    f"{path}: expected version {create.VERSION} of a store, found "
                    f"{attributes.get('version')!r}; a later rescorla may read it"
                )
            self.array = self._group["weights"]
            self.cues: tuple[str, ...] = tuple(map(str, self._group["cues"][:].tolist()))
            self.outcomes: tuple[str, ...] = tuple(map(str, self._group["outcomes"][:].tolist()))
            self._check_array()
            self.shape: tuple[int, int] = self.array.shape
            self.dtype: np.dtype[Any] = np.dtype(self.array.dtype).newbyteorder("=")
            self.chunk: tuple[int, int] = self.array.chunks
            self.lanes: Lanes = "rows" if attributes.get("lanes") == "rows" else "columns"
            self.parameters = self._parameters(attributes)
            self.digest: str | None = attributes.get("digest")
            self.deciding = self._deciding(attributes)
        self._located: Any = None

    @classmethod
    def open(cls, path: PathName) -> Store:
        """The store at a path; FileNotFoundError or FormatError where there is none."""
        name = path_name(path)
        if not create.is_there(name):
            raise FileNotFoundError(errno.ENOENT, "no such store of weights", name)
        return cls(name)

    def _state_now(self) -> tuple[int, int]:
        """What shows that another store took the place of this one: its metadata is written once."""
        found = os.stat(os.path.join(self.path, "zarr.json"))
        return found.st_mtime_ns, found.st_size

    def check_in_place(self) -> None:
        """RuntimeError where another store lies at the path since this one was opened."""
        if self._state_now() != self._state:
            raise RuntimeError(
                f"{self.path}: another store took the place of this one since it was opened; "
                "rescorla.load_weights reads the one that is there now"
            )

    @property
    def n_tiles(self) -> int:
        """How many tiles there are: chunks of zarr."""
        return -(-self._n_lanes // self._width)

    @property
    def _axis(self) -> int:
        return 1 if self.lanes == "columns" else 0

    @property
    def _n_lanes(self) -> int:
        return self.shape[self._axis]

    @property
    def _width(self) -> int:
        return self.chunk[self._axis]

    def bounds(self, tile: int) -> tuple[int, int]:
        """The lanes of a tile: columns or rows from the first up to the second."""
        return tile * self._width, min((tile + 1) * self._width, self._n_lanes)

    def file(self, tile: int) -> str:
        """The file of a tile."""
        place = ("0", str(tile)) if self.lanes == "columns" else (str(tile), "0")
        return os.path.join(self.path, "weights", "c", *place)

    def missing(self) -> list[int]:
        """The tiles that are not there, by the names in a folder."""
        folder = os.path.join(self.path, "weights", "c")
        if self.lanes == "columns":
            folder = os.path.join(folder, "0")
        try:
            there = set(os.listdir(folder))
        except FileNotFoundError:
            there = set()
        if self.lanes == "rows":
            there = {name for name in there if os.path.exists(os.path.join(folder, name, "0"))}
        if 0 in self.shape:
            return []
        return [tile for tile in range(self.n_tiles) if str(tile) not in there]

    def used(self, tile: int) -> tuple[int, int]:
        """How many rows and columns of a chunk are weights; the others fill it up."""
        start, stop = self.bounds(tile)
        return (self.shape[0], stop - start) if self.lanes == "columns" else (stop - start, self.shape[1])

    def mapped(self, tile: int) -> NDArray[Any]:
        """The weights of a tile, mapped."""
        used = self.used(tile)
        return chunks.mapped(self.file(tile), self.chunk, self.dtype)[: used[0], : used[1]]

    def defect(self, tile: int) -> str | None:
        """What is wrong with a tile that is there."""
        return chunks.defect(self.file(tile), self.chunk, self.dtype, self.used(tile))

    def request(self, events: Events) -> Request:
        """What the store was made to learn; ValueError where it was of other events."""
        self.check_events(events)
        made = self.deciding
        initial = self._initial()
        plan = plan_of(events, None if made["all_cues"] else self.cues, self.outcomes, initial)
        factors = self._factors()
        return Request(
            plan,
            not made["all_cues"],
            Numbers(_spread(made["alpha"], len(plan.all_cues)), self.parameters["alpha"]),
            (made["beta1"], made["beta2"]),
            Numbers(_spread(made["lambda"], len(plan.outcomes)), self.parameters["lambda"]),
            self.parameters["schedule"],
            factors,
            made["average"],
            self.dtype,
            initial,
            None if initial is None else np.asarray(initial),
        )

    def check_events(self, events: Events) -> None:
        """ValueError where the store is not of these events, or not of events at all."""
        made = {name: self._made[name] for name in ("digest", "n_events", "n_tokens")}
        has = {"n_events": len(events), "n_tokens": events.n_tokens, "digest": digest_of(events)}
        found = difference(made, has)
        if found is not None:
            raise ValueError(f"{self.path}: {found}")

    def check_request(self, deciding: Mapping[str, Any], method: str | None) -> None:
        """ValueError that names the first thing in which a call differs from what the store was made with."""
        wanted = dict(deciding)
        if method is not None:
            wanted["method"] = method
        found = difference(self._made, wanted)
        if found is not None:
            raise ValueError(f"{self.path}: {found}; give the same, or another path")

    @property
    def _made(self) -> Mapping[str, Any]:
        """What decided the bits; ValueError where weights were saved."""
        if self.deciding is None:
            raise ValueError(
                f"{self.path}: these weights were saved, and no store that learning goes on in; give "
                "another path to out="
            )
        made: Mapping[str, Any] = self.deciding
        return made

    def job(
        self, events: Events, *, threads: int, event_memory: int | None = None, progress: Any = None
    ) -> Any:
        """The engine's preparation to learn tiles; ValueError where the events are others."""
        request = self.request(events)
        self._located = request.plan
        return request.job(
            events,
            method=self.deciding["method"],
            threads=threads,
            event_memory=event_memory,
            progress=progress,
        )

    def learn_tile(self, job: Any, tile: int, *, threads: int = 1) -> None:
        """Learn a tile and write it; it is there when it is whole."""
        values, file = self.learned(job, tile, threads=threads), self.file(tile)
        self.check_in_place()
        try:
            chunks.write(file, values, self.chunk)
        except OSError as error:
            cure = "tiles that are whole stay: mend this, and go on with resume=True or rescorla.tiles.learn"
            raise OSError(error.errno, f"{error.strerror}; {cure}", file) from error

    def learned(self, job: Any, tile: int, *, threads: int = 1) -> NDArray[Any]:
        """The weights of a tile, learned."""
        start, stop = self.bounds(tile)
        values = np.zeros(self.used(tile), dtype=self.dtype)
        with naming_divergence(self._located or _Names(self.cues, self.outcomes)):
            job.learn(start, stop, values, threads=threads)
        return values

    def located(self, plan: Any) -> None:
        """Say whose places the engine's are, for messages."""
        self._located = plan

    def _check_array(self) -> None:
        """ValueError where the array is not as tiles are written."""
        array, names = self.array, (len(self.cues), len(self.outcomes))
        if array.shape != names:
            raise ValueError(f"weights of shape {array.shape} with {names[0]} cues and {names[1]} outcomes")
        if array.dtype.str not in ("<f8", "<f4"):
            raise ValueError(f"weights of {array.dtype}")
        codecs = [codec.to_dict() for codec in array.metadata.codecs]
        found = [codec["name"] for codec in codecs]
        if found != ["bytes", "crc32c"]:
            raise ValueError(f"weights with the codecs {found}, not bytes and crc32c")
        if not np.isnan(array.fill_value):
            raise ValueError(f"weights with the fill value {array.fill_value}, not NaN")

    def _parameters(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of the weights, with lists where there is a number for each name."""
        parameters = {name: value for name, value in attributes.items() if name not in _OWN}
        if "made_by" in parameters:
            # The version of the package; "version" is that of the format.
            parameters["version"] = parameters.pop("made_by")
        parameters = put_back(parameters)
        for name in ("alpha", "lambda"):
            if name in self._group:
                parameters[name] = self._group[name][:].tolist()
        return parameters

    def _deciding(self, attributes: Mapping[str, Any]) -> Any:
        """What decided the bits; FormatError where it is not what it was."""
        made = attributes.get("deciding")
        if made is None:
            return None
        deciding = {**made, "cues": list(self.cues), "outcomes": list(self.outcomes)}
        for name in ("alpha", "lambda"):
            if name not in made:
                of_all = f"all_{name}"
                deciding[name] = self._group[of_all if of_all in self._group else name][:].tolist()
        for name in ("dtype", "rule", "method", "average"):
            if attributes.get(name) != deciding[name]:
                raise ValueError(f"{name} of {attributes.get(name)!r} and of {deciding[name]!r}")
        if str(self.dtype) != deciding["dtype"] or sha256_of(deciding) != attributes["parameters_sha256"]:
            raise ValueError("parameters that do not have the SHA-256 that is written with them")
        return deciding

    def _initial(self) -> Weights | None:
        expected = self.deciding["initial"]
        if expected is None:
            return None
        path = os.path.join(self.path, "initial")
        with reading(path, "the initial weights of a store"):
            group = self._group["initial"]
            values = np.asarray(group["weights"][:], dtype=self.dtype)
            cues, outcomes = (tuple(map(str, group[n][:].tolist())) for n in ("cues", "outcomes"))
            if initial_hash(values, cues, outcomes) != expected:
                raise ValueError("other weights")
        return Weights(values, cues, outcomes)

    def _factors(self) -> Factors | None:
        expected = self.deciding["schedule"]
        if expected is None:
            return None
        path = os.path.join(self.path, "schedule")
        with reading(path, "the factors of a store's schedule"):
            group = self._group["schedule"]
            present = group["present"][:]
            absent = group["absent"][:] if "absent" in group else present
            if hash_of(present, absent) != expected:
                raise ValueError("other factors")
        betas = self.deciding["beta1"], self.deciding["beta2"]
        largest = (float(each.max(initial=0.0)) for each in (present, absent))
        return Factors(present, absent, max(b * f for b, f in zip(betas, largest, strict=True)))


class _Names:
    """The names of the places in the weights."""

    def __init__(self, all_cues: tuple[str, ...], outcomes: tuple[str, ...]) -> None:
        self.all_cues = all_cues
        self.outcomes = outcomes


def made(path: str, events: Events, request: Request, job: Any, threads: int) -> Store:
    """Make a store for what is asked, unless another process does so first: then hold that against it."""
    need("zarr")
    shape = len(request.plan.cues), len(request.plan.outcomes)
    lanes: Lanes = "columns" if job.method == "forward" else "rows"
    axis = 1 if lanes == "columns" else 0
    chunk = lanes_of_chunk(shape[axis], shape[1 - axis], job.width, request.element, threads)
    parameters = request.parameters(events, {**job.report, "method": job.method})
    asked_for = request.deciding(events)
    deciding = {**asked_for, "method": job.method}
    per_name: dict[str, tuple[str, NDArray[np.float64]]] = {}
    for name, dimension in (("alpha", "cues"), ("lambda", "outcomes")):
        recorded = parameters[name]
        if isinstance(recorded, list):
            per_name[name] = dimension, np.array(parameters.pop(name), dtype=np.float64)
        if isinstance(deciding[name], list) and deciding[name] != recorded:
            per_name[f"all_{name}"] = f"all_{dimension}", np.array(deciding[name], dtype=np.float64)
    kept = {
        name: value
        for name, value in deciding.items()
        if name not in ("cues", "outcomes") and not isinstance(value, list)
    }
    attributes = {
        **parameters,
        "digest": deciding["digest"],
        "parameters_sha256": sha256_of(deciding),
        "deciding": kept,
    }
    with create.Folder(path) as folder, naming(path):
        create.describe(
            folder.temporary,
            shape=shape,
            element=request.element,
            lanes=lanes,
            chunk=chunk,
            cues=request.plan.cues,
            outcomes=request.plan.outcomes,
            attributes=attributes,
            per_name=per_name,
        )
        _keep(folder.temporary, request)
        folder.appear()
    store = Store.open(path)
    store.check_request(asked_for, job.method)
    return store


def _keep(folder: str, request: Request) -> None:
    """Put initial weights and the factors of a schedule into a store that is being made."""
    zarr = need("zarr")
    group = zarr.open_group(folder, mode="a", zarr_format=3)
    if request.factors is not None:
        inside = group.create_group("schedule")
        create.numbers(inside, "present", "tokens", request.factors.present)
        if request.factors.absent is not request.factors.present:
            create.numbers(inside, "absent", "tokens", request.factors.absent)
    if request.initial is not None and request.start is not None:
        start = request.start
        whole(os.path.join(folder, "initial"), start, request.initial.cues, request.initial.outcomes, {})


def whole(
    folder: str,
    values: NDArray[Any],
    cues: tuple[str, ...],
    outcomes: tuple[str, ...],
    attributes: Mapping[str, Any],
) -> None:
    """Write weights that are known to a folder as a store has them."""
    attributes = set_apart(attributes, _fits)
    per_name: dict[str, tuple[str, NDArray[np.float64]]] = {}
    for name, dimension in (("alpha", "cues"), ("lambda", "outcomes")):
        if isinstance(attributes.get(name), list):
            per_name[name] = dimension, np.array(attributes.pop(name), dtype=np.float64)
    chunk = lanes_of_chunk(values.shape[1], values.shape[0], 1, values.dtype, 1)
    create.describe(
        folder,
        shape=(values.shape[0], values.shape[1]),
        element=values.dtype,
        lanes="columns",
        chunk=chunk,
        cues=cues,
        outcomes=outcomes,
        attributes=attributes | {"digest": None},
        per_name=per_name,
    )
    for start in range(0, values.shape[1] if len(values) else 0, chunk):
        part = np.ascontiguousarray(values[:, start : start + chunk])
        file = os.path.join(folder, "weights", "c", "0", str(start // chunk))
        chunks.write(file, part, (max(1, values.shape[0]), chunk))


def _fits(name: str, _value: object) -> bool:
    """Whether a parameter may be an attribute of a store."""
    # `describe` gives "version" another name.
    return name == "version" or name not in (*_OWN, "made_by", MORE)


def _spread(value: float | list[float], n: int) -> NDArray[np.float64]:
    return np.array(value, dtype=np.float64) if isinstance(value, list) else np.full(n, value)
