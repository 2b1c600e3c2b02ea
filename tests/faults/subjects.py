"""The writers of files that the package has: what each writes in some version, and how to tell what a file
holds.

Names and values of everything tell the version that it is of, so that a file of two versions is known for
what it is.
"""

import gzip
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rescorla as rw
from rescorla import cli
from rescorla._shared.testing import asking
from rescorla._weights.zarr.store import Store

Parts = tuple[str, ...]
"""What a file holds, part by part."""

MIXED = "mixed"
DAMAGED = "damaged"
MISSING = "missing"
BETWEEN = "between"
"""Of two files that do not belong together, or of parts that appear alone, one is old and one is new."""

N_TILES = 4


class CommandError(Exception):
    """A command ended with status 1 and this on standard error."""


class Material:
    """Version `version` of everything that is written, in `size` events or so many weights.

    Files that writers read lie in `folder`, which is not the one where they write.
    """

    def __init__(self, version: int, size: int, folder: Path) -> None:
        self.version, self.size = version, size
        self.folder = folder / f"{version}-{size}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def _file(self, name: str, write: Callable[[Path], object]) -> str:
        """A file that is made once, also for other processes."""
        path = self.folder / name
        if not path.exists():
            write(path)
        return str(path)

    @cached_property
    def rows(self) -> list[tuple[list[str], list[str], int]]:
        v = f"v{self.version}"
        return [
            ([f"{v}a{i % 997}", f"{v}b{i % 991}"], [f"{v}x{i % 53}"], self.version) for i in range(self.size)
        ]

    @cached_property
    def events(self) -> rw.Events:
        """In memory."""
        return self.mapped.head(self.size)

    @cached_property
    def event_file(self) -> str:
        return self._file("events.rw", lambda path: rw.read_events(iter(self.rows), path))

    @cached_property
    def mapped(self) -> rw.Events:
        return rw.open_events(self.event_file)

    @cached_property
    def table(self) -> str:
        return self._file("events.tab", self.mapped.to_table)

    @cached_property
    def text(self) -> str:
        words = (f"v{self.version}w{i % 997}{'.' if i % 10 == 9 else ''}" for i in range(self.size))
        lines = " ".join(words).replace(". ", ".\n")
        return self._file("text.txt", lambda path: path.write_text(lines + "\n"))

    @cached_property
    def weights(self) -> rw.Weights:
        n = max(2, int(self.size**0.5))
        v = f"v{self.version}"
        values = np.full((n, n), float(self.version))
        return rw.Weights(values, [f"{v}a{i}" for i in range(n)], [f"{v}x{i}" for i in range(n)])

    @cached_property
    def weights_file(self) -> str:
        return self._file("weights.npz", self.weights.save)

    @cached_property
    def square(self) -> rw.Events:
        """Events each of whose cues is to have the weight `version` to all outcomes."""
        n = max(2, int(self.size**0.5))
        v = f"v{self.version}"
        outcomes = [f"{v}x{i}" for i in range(n)]
        path = self._file(
            "square.rw",
            lambda path: rw.read_events((([f"{v}a{i}"], outcomes) for i in range(n)), path),
        )
        return rw.open_events(path)

    @cached_property
    def learned(self) -> rw.Weights:
        """Weights of the names of `mapped`, few outcomes."""
        return rw.learn(self.mapped, lambda_=self.version)

    @cached_property
    def learned_file(self) -> str:
        return self._file("learned.npz", self.learned.save)


class Writer(NamedTuple):
    """A way to write a file, or two."""

    name: str
    files: tuple[str, ...]
    """What it is told to write, in a folder."""
    read: Callable[[Path], Parts]
    """What a file holds, or an exception."""
    ready: Callable[[Material], object]
    """Makes what is written, as this takes time."""
    write: Callable[[Material, str], object]
    """Writes the file of that name; the first of two."""
    small: int = 60
    large: int = 300_000
    in_parts: bool = False
    """Whether parts appear one after another, so that some may be new and others old."""


def learn(material: Material, path: str, method: Any) -> rw.Weights:
    """Weights that all are the version."""
    return rw.learn(
        material.square, alpha=1, beta=1, lambda_=material.version, method=method, out=path, threads=1
    )


def learn_tiles(material: Material, path: str) -> None:
    """A store of such weights; no store of the first version, as learning never replaces another."""
    if material.version > 1:
        with asking(chunk=-(-len(material.square.outcomes) // N_TILES)):
            rw.learn(
                material.square,
                alpha=1,
                beta=1,
                lambda_=material.version,
                method="forward",
                out=path,
                resume=True,
                threads=1,
            )


def command(*arguments: str) -> None:
    """Run a command in this process."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as told:
        status = cli.main([*arguments, "--no-progress"])
    if status:
        raise CommandError(told.getvalue())


def read_events(path: Path) -> Parts:
    events = rw.open_events(path)
    events.verify()
    ends = repr((len(events), events.n_tokens, events[0], events[-1]))
    return (
        hashed(ends.encode(), events.cue_counts.tobytes(), events.outcome_counts.tobytes()),
        named(events.cues),
        named(events.outcomes),
    )


def read_weights(path: Path) -> Parts:
    weights = rw.load_weights(path)
    values = np.ascontiguousarray(np.asarray(weights))
    about = repr((values.shape, values.dtype)).encode()
    return hashed(about, values.tobytes()), named(weights.cues), named(weights.outcomes)


def read_store(path: Path) -> Parts:
    """A store that is whole; where another took its place while it was read, that one."""
    while True:
        try:
            weights, found = read_weights(path), rw.verify(path)
        except RuntimeError as error:
            if "took the place" not in str(error):
                raise
        else:
            if not found:
                raise ValueError("a damaged store")
            return weights


def read_tiles(path: Path) -> Parts:
    """A store of which tiles may be missing, or all, and it too."""
    try:
        found = rw.verify(path)
    except FileNotFoundError:
        return (MISSING,) * N_TILES
    if found.bad:
        raise ValueError(found.wrong)
    store, absent = Store.open(path), {*found.missing}
    return tuple(
        MISSING if tile in absent else hashed(Path(store.file(tile)).read_bytes()) for tile in range(N_TILES)
    )


def read_array(path: Path) -> Parts:
    values = np.load(path)
    return (hashed(repr((values.shape, values.dtype)).encode(), values.tobytes()),)


def read_text(path: Path) -> Parts:
    """What the bytes of a file say, also where they are compressed."""
    content = path.read_bytes()
    return (hashed(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content),)


def hashed(*pieces: bytes) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def named(names: Iterable[str]) -> str:
    return hashed("\n".join(names).encode())


def versions(writer: Writer, folder: Path, of: Iterable[int], size: int) -> dict[int, list[Parts]]:
    """What the writer's files hold in each version; they stay in `folder`/version."""
    found = {}
    for version in of:
        material = Material(version, size, folder / "material")
        where = folder / str(version)
        where.mkdir(exist_ok=True)
        writer.write(material, str(where / writer.files[0]))
        found[version] = [writer.read(where / file) for file in writer.files]
    return found


def state(writer: Writer, folder: Path, known: Mapping[int, list[Parts]]) -> str:
    """Which version the writer's files are of, or what is wrong with them."""
    states = [
        _state(writer, folder / file, {version: parts[i] for version, parts in known.items()})
        for i, file in enumerate(writer.files)
    ]
    if len(set(states)) == 1:
        return states[0]
    return BETWEEN if all(state.isdigit() for state in states) else ", ".join(states)


def _state(writer: Writer, path: Path, known: Mapping[int, Parts]) -> str:
    try:
        parts = writer.read(path)
    except Exception as error:
        if not path.exists():
            return MISSING
        return f"{DAMAGED}: {type(error).__name__}: {error}"
    found = told(parts, known)
    return BETWEEN if found == MIXED and writer.in_parts else found


def told(parts: Parts, known: Mapping[int, Parts]) -> str:
    """The version of which all parts are."""
    of = [{version for version, whole in known.items() if whole[i] == part} for i, part in enumerate(parts)]
    if whole := set.intersection(*of):
        return str(min(whole))
    return MIXED if all(of) else f"{DAMAGED}: nobody's content"


def renew(folder: Path, old: Path | None) -> None:
    """Make the folder anew with the files of another one."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if old is not None:
        shutil.copytree(old, folder, dirs_exist_ok=True)


def leftovers(writer: Writer, folder: Path) -> list[str]:
    """What is in the folder and should not be; in stores, what is hidden."""
    beside = {name for name in os.listdir(folder) if name not in writer.files}
    inside = {str(path.relative_to(folder)) for path in folder.rglob(".*") if path.parent != folder}
    return sorted(beside | inside)


def grow_old(writer: Writer, folder: Path) -> None:
    """What a killed process left of a store goes hours later: let them pass."""
    for name in leftovers(writer, folder):
        os.utime(folder / name, (0, 0))


def _second(path: str) -> str:
    return os.path.join(os.path.dirname(path), "test.rw")


WRITERS = {
    writer.name: writer
    for writer in (
        Writer(
            "Events.save",
            ("e.rw",),
            read_events,
            lambda m: m.events,
            lambda m, path: m.events.save(path),
            large=1_000_000,
        ),
        Writer(
            "Events.save of a file",
            ("e.rw",),
            read_events,
            lambda m: m.mapped,
            lambda m, path: m.mapped.save(path),
            large=1_000_000,
        ),
        Writer(
            "read_events",
            ("e.rw",),
            read_events,
            lambda m: m.rows,
            lambda m, path: rw.read_events(iter(m.rows), path),
            large=100_000,
        ),
        Writer(
            "read_events of a table",
            ("e.rw",),
            read_events,
            lambda m: m.table,
            lambda m, path: rw.read_events(m.table, path),
        ),
        Writer(
            "corpus_events",
            ("e.rw",),
            read_events,
            lambda m: m.text,
            lambda m, path: rw.corpus_events(m.text, path, threads=1),
            large=1_000_000,
        ),
        Writer(
            "filter",
            ("e.rw",),
            read_events,
            lambda m: m.mapped,
            lambda m, path: m.mapped.filter(path=path, remove_outcomes=[f"v{m.version}x1"]),
        ),
        Writer(
            "concat_events",
            ("e.rw",),
            read_events,
            lambda m: m.mapped,
            lambda m, path: rw.concat_events([m.mapped, m.mapped], path),
        ),
        Writer(
            "sample",
            ("e.rw",),
            read_events,
            lambda m: m.mapped,
            lambda m, path: m.mapped.sample(m.size, 1, path=path),
            large=50_000,
        ),
        Writer(
            "head",
            ("e.rw",),
            read_events,
            lambda m: m.mapped,
            lambda m, path: m.mapped.head(m.size - 5, path=path),
        ),
        Writer(
            "split",
            ("e.rw", "test.rw"),
            read_events,
            lambda m: m.mapped,
            lambda m, path: m.mapped.split(0.5, paths=(path, _second(path))),
        ),
        Writer(
            "to_table",
            ("e.tab",),
            read_text,
            lambda m: m.mapped,
            lambda m, path: m.mapped.to_table(path),
            large=600_000,
        ),
        Writer(
            "to_table .gz",
            ("e.tab.gz",),
            read_text,
            lambda m: m.mapped,
            lambda m, path: m.mapped.to_table(path),
            large=600_000,
        ),
        Writer(
            "Weights.save .npz",
            ("w.npz",),
            read_weights,
            lambda m: m.weights,
            lambda m, path: m.weights.save(path),
            large=4_000_000,
        ),
        Writer(
            "Weights.save .npy",
            ("w.npy",),
            read_weights,
            lambda m: m.weights,
            lambda m, path: m.weights.save(path),
            large=9_000_000,
        ),
        Writer(
            "Weights.save .nc",
            ("w.nc",),
            read_weights,
            lambda m: m.weights,
            lambda m, path: m.weights.save(path),
            large=4_000_000,
        ),
        Writer(
            "Weights.save .csv",
            ("w.csv",),
            read_text,
            lambda m: m.weights,
            lambda m, path: m.weights.save(path),
            large=1_000_000,
        ),
        Writer(
            "Weights.save .parquet",
            ("w.parquet",),
            read_text,
            lambda m: m.weights,
            lambda m, path: m.weights.save(path, long=True),
            large=1_000_000,
        ),
        Writer(
            "learn out=, forward",
            ("w.npy",),
            read_weights,
            lambda m: m.square,
            lambda m, path: learn(m, path, "forward"),
            large=4_000_000,
        ),
        Writer(
            "learn out=, adjoint",
            ("w.npy",),
            read_weights,
            lambda m: m.square,
            lambda m, path: learn(m, path, "adjoint"),
            large=4_000_000,
        ),
        Writer(
            "Weights.save .zarr",
            ("w.zarr",),
            read_store,
            lambda m: m.weights,
            lambda m, path: m.weights.save(path),
            large=4_000_000,
        ),
        Writer(
            "learn out= .zarr",
            ("w.zarr",),
            read_tiles,
            lambda m: m.square,
            learn_tiles,
            large=4_000_000,
            in_parts=True,
        ),
        Writer(
            "activations out=",
            ("a.npy",),
            read_array,
            lambda m: m.learned,
            lambda m, path: rw.activations(m.mapped, m.learned, out=path),
            large=100_000,
        ),
        Writer(
            "rescorla events -o",
            ("e.rw",),
            read_events,
            lambda m: m.text,
            lambda m, path: command("events", m.text, "-o", path),
            large=1_000_000,
        ),
        Writer(
            "rescorla events -o, in steps",
            ("e.rw",),
            read_events,
            lambda m: m.table,
            lambda m, path: command(
                "events", m.table, "-o", path, *("--head", str(m.size - 5), "--shuffle", "--seed", "1")
            ),
            large=30_000,
        ),
        Writer(
            "rescorla events --table",
            ("e.tab",),
            read_text,
            lambda m: m.event_file,
            lambda m, path: command("events", m.event_file, "--table", path),
        ),
        Writer(
            "rescorla events --cue-counts",
            ("c.tab",),
            read_text,
            lambda m: m.event_file,
            lambda m, path: command("events", m.event_file, "--cue-counts", path),
        ),
        Writer(
            "rescorla learn -o .npy",
            ("w.npy",),
            read_weights,
            lambda m: m.event_file,
            lambda m, path: command("learn", m.event_file, "--lambda", str(m.version), "-o", path),
        ),
        Writer(
            "rescorla learn -o .npz",
            ("w.npz",),
            read_weights,
            lambda m: m.event_file,
            lambda m, path: command("learn", m.event_file, "--lambda", str(m.version), "-o", path),
        ),
        Writer(
            "rescorla equilibrium -o .nc",
            ("w.nc",),
            read_weights,
            lambda m: m.event_file,
            lambda m, path: command(
                "equilibrium", m.event_file, "--lambda", str(m.version), "--ridge", "1", "-o", path
            ),
            large=3_000,
        ),
        Writer(
            "rescorla activations -o",
            ("a.npy",),
            read_array,
            lambda m: m.learned_file,
            lambda m, path: command("activations", m.event_file, m.learned_file, "-o", path),
            large=100_000,
        ),
    )
}
"""All of them, by name."""

PICTURE = Writer(
    "rescorla plot -o",
    ("w.png",),
    read_text,
    lambda m: m.weights_file,
    lambda m, path: command("plot", m.weights_file, "-o", path),
    large=4_000,
)
"""Pictures are written in place, by matplotlib."""
