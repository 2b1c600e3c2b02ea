"""Files of trajectories: .npz, which numpy alone reads and writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._core import FormatError
from rescorla._events.phases import Phase, of_json, stored_phases
from rescorla._learn.probes import probe_table
from rescorla._shared.checks import numbered
from rescorla._weights import disk

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KIND = "rescorla trajectories"
_VERSION = 1
_EXPECTED = "an .npz file of trajectories"
_CURE = "save the trajectories again"

# The fields of predictions; outcomes are numbers in the file.
_FIELDS = ("token", "outcome", "activation", "error")
# Trajectories do not say how many rows and tokens their events had.
_ANY = sys.maxsize

# The fields of probes that are no numbers of the type of the weights.
_PROBED = ("phase", "token", "cues", "outcome")
_COUNTS = (np.dtype(np.int64), np.dtype(np.int64))


class TrajectoryContent(NamedTuple):
    """What trajectories consist of."""

    tokens: NDArray[np.int64]
    values: NDArray[Any]
    pairs: tuple[tuple[str, str], ...] | None
    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    parameters: Mapping[str, Any]
    predictions: NDArray[Any] | None
    probes: NDArray[Any] | None
    phases: Mapping[str, Phase]
    all_predictions: NDArray[Any] | None
    saliences: NDArray[Any] | None


def save(path: str, content: TrajectoryContent) -> None:
    """Write a file, whole or not at all."""
    if not path.endswith(".npz"):
        raise ValueError(f"{path}: trajectories are saved to .npz files; give a name that ends so")
    arrays: dict[str, NDArray[Any]] = {"tokens": content.tokens, "values": content.values}
    if content.predictions is not None:
        number = numbered(content.outcomes)
        outcomes = [number[name] for name in content.predictions["outcome"].tolist()]
        arrays |= {field: content.predictions[field] for field in _FIELDS}
        arrays["outcome"] = np.array(outcomes, dtype=np.int64)
    about = {
        "kind": _KIND,
        "version": _VERSION,
        "pairs": content.pairs,
        "cues": content.cues,
        "outcomes": content.outcomes,
        "parameters": content.parameters,
        "predictions": content.predictions is not None,
        "all_predictions": content.all_predictions is not None,
        "saliences": content.saliences is not None,
        "probes": None if content.probes is None else [content.probes[field].tolist() for field in _PROBED],
        "phases": stored_phases(content.phases),
    }
    if content.probes is not None:
        arrays["probed"] = content.probes["activation"]
    if content.all_predictions is not None:
        arrays["all_predictions"] = content.all_predictions
    if content.saliences is not None:
        arrays["saliences"] = content.saliences
    # As bytes: arrays of str lose NUL characters at the end.
    labels = np.frombuffer(disk.as_json(about).encode("ascii"), dtype=np.uint8)
    with disk.replacing(path) as file, disk.naming(path), open(file, "wb") as stream:
        np.savez(stream, about=labels, **arrays)  # type: ignore[arg-type]


def is_one(path: str) -> bool:
    """Whether a file is one of trajectories, be it sound or not."""
    import zipfile

    if not (path.lower().endswith(".npz") and zipfile.is_zipfile(path)):
        return False
    with zipfile.ZipFile(path) as archive:
        return "about.npy" in archive.namelist()


def load(path: str) -> TrajectoryContent:
    """Read a file, and check that its parts fit together."""
    if os.path.isfile(path) and path.lower().endswith((".npy", ".nc")):
        raise FormatError(
            f"{path}: expected {_EXPECTED}, found a file of another kind; rescorla.load_weights reads weights"
        )
    # Opened here, as numpy leaves a damaged file open.
    with (
        disk.reading(path, _EXPECTED),
        open(path, "rb") as stream,
        np.load(stream, allow_pickle=False) as archive,
    ):
        if "about" not in archive:
            cure = "; rescorla.load_weights reads weights" if "cues" in archive else ""
            raise FormatError(f"{path}: expected {_EXPECTED}, found one of other arrays{cure}")
        about = disk.parsed(archive["about"].tobytes().decode("ascii"))
        _expect(path, about.get("kind") == _KIND, f"the kind {_KIND!r}", about.get("kind"))
        version = about.get("version")
        _expect(path, version == _VERSION, f"version {_VERSION}", f"version {version}, of a later rescorla")
        content = TrajectoryContent(
            archive["tokens"],
            archive["values"],
            None if about["pairs"] is None else tuple((cue, outcome) for cue, outcome in about["pairs"]),
            tuple(about["cues"]),
            tuple(about["outcomes"]),
            dict(about["parameters"]),
            _predictions(path, archive, about["outcomes"]) if about["predictions"] else None,
            _probes(path, archive["probed"], about["probes"]) if about.get("probes") else None,
            of_json(about.get("phases", {}), _ANY, _ANY),
            archive["all_predictions"] if about.get("all_predictions") else None,
            archive["saliences"] if about.get("saliences") else None,
        )
    _check_whole(path, content)
    return content


def _predictions(path: str, archive: Any, outcomes: list[str]) -> NDArray[Any]:
    columns = {field: archive[field] for field in _FIELDS}
    shapes = {column.shape for column in columns.values()}
    _expect(path, len(shapes) == 1 and len(next(iter(shapes))) == 1, "columns of one length", shapes)
    types = columns["token"].dtype, columns["outcome"].dtype
    _expect(path, types == _COUNTS, "tokens and outcomes of int64", types)
    numbers = columns["outcome"]
    known = not len(numbers) or (numbers.min() >= 0 and numbers.max() < len(outcomes))
    _expect(path, known, f"outcomes below {len(outcomes)}", "others")
    names = np.array([*outcomes, None], dtype=object)[:-1]
    columns["outcome"] = names[numbers]
    table = np.empty(len(numbers), dtype=np.dtype([(name, array.dtype) for name, array in columns.items()]))
    for name, array in columns.items():
        table[name] = array
    return table


def _probes(path: str, activations: NDArray[Any], columns: list[list[Any]]) -> NDArray[Any]:
    phases, tokens, cues, outcomes = columns
    lengths = {len(activations), *map(len, columns)}
    _expect(path, len(lengths) == 1, "probes in columns of one length", lengths)
    table = probe_table(phases, tokens, [tuple(each) for each in cues], outcomes, activations)
    inside = [phase for phase in phases if phase is not None]
    names = [*inside, *outcomes, *(cue for each in cues for cue in each)]
    _expect(path, all(isinstance(name, str) for name in names), "names at probes", "what is none")
    return table


def _check_whole(path: str, content: TrajectoryContent) -> None:
    """FormatError where parts do not fit together."""
    tokens, values, pairs, cues, outcomes, _, table, probes, _, predicted, saliences = content
    cells = (len(cues), len(outcomes)) if pairs is None else (len(pairs),)
    shape = (len(tokens), *cells)
    _expect(path, values.shape == shape, f"values of the shape {shape}", values.shape)
    _expect(path, values.dtype in (np.float64, np.float32), "float64 or float32", values.dtype)
    rising = tokens.dtype == np.int64 and bool((np.diff(tokens, prepend=-1) > 0).all())
    _expect(path, rising, "numbers of tokens that rise", tokens.dtype)
    for names in (cues, outcomes, *([pairs] if pairs is not None else [])):
        _expect(path, len(set(names)) == len(names), "names that differ", "one that comes twice")
    flat = [*cues, *outcomes, *(name for pair in pairs or () for name in pair)]
    _expect(path, all(isinstance(name, str) for name in flat), "names", "what is none")
    if table is not None:
        types = table.dtype["activation"], table.dtype["error"]
        _expect(path, types == (values.dtype, values.dtype), f"predictions of {values.dtype}", types)
    if probes is not None:
        found = probes.dtype["activation"]
        _expect(path, found == values.dtype, f"activations at probes of {values.dtype}", found)
    if saliences is not None:
        fits = saliences.shape == values.shape and saliences.dtype == values.dtype
        expected = f"saliences of {values.dtype} of the shape {values.shape}"
        _expect(path, fits, expected, f"{saliences.dtype} of the shape {saliences.shape}")
    if predicted is not None:
        shape = (int((tokens > 0).sum()), len(outcomes))
        fits = predicted.shape == shape and predicted.dtype == values.dtype
        expected = f"all_predictions of {values.dtype} of the shape {shape}"
        _expect(path, fits, expected, f"{predicted.dtype} of the shape {predicted.shape}")


def _expect(path: str, holds: bool, expected: str, found: object) -> None:
    if not holds:
        raise FormatError(f"{path}: expected {expected}, found {found}; {_CURE}")
