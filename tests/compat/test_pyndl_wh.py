"""`rescorla.compat.pyndl.wh` beside pyndl's: the same weights in all four modes, and from nested mappings."""

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from beside_pyndl import (
    NAMES,
    REASON,
    Row,
    assert_close,
    assert_same_array,
    beside,
    case,
    raised,
    rows,
    text,
    write,
)

pyndl = pytest.importorskip("pyndl", reason=REASON)

import xarray as xr  # noqa: E402
from pyndl import wh as theirs  # noqa: E402
from rescorla.compat.pyndl import wh as ours  # noqa: E402

# Some of the rates are large, and some tables have no name in common.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*may overshoot"),
    pytest.mark.filterwarnings("ignore:.*shares no name with the events"),
]

# Vectors of cues are learned in blocks, by matrix products: equal up to rounding.
BLOCKS = 1e-13
# Here pyndl goes through a set: it sums in an order of its own.
UNORDERED = 1e-14

DIMENSIONS = {"cues": "cue_vector_dimensions", "outcomes": "outcome_vector_dimensions"}


def vectors(rng: random.Random, side: str) -> xr.DataArray:
    """A vector for each name, in any order."""
    names = [*NAMES, ""]
    rng.shuffle(names)
    n = rng.randint(1, 5)
    dims: Any = rng.choice([[f"d{i}" for i in range(n)], list(range(n))])
    values = np.array([[rng.uniform(-1, 1) for _ in range(n)] for _ in names])
    return xr.DataArray(values, [(side, names), (DIMENSIONS[side], dims)])


def options_of(rng: random.Random, mode: str) -> dict[str, Any]:
    """Vectors for one mode, and what changes no weight."""
    options: dict[str, Any] = {"n_jobs": rng.randint(1, 4), "n_outcomes_per_job": rng.randint(1, 12)}
    if mode in ("cues", "both"):
        options["cue_vectors"] = vectors(rng, "cues")
    if mode in ("outcomes", "both"):
        options["outcome_vectors"] = vectors(rng, "outcomes")
    return options


@pytest.mark.parametrize("mode", ["neither", "cues", "outcomes", "both"])
def test_wh_gives_the_weights_of_pyndl(mode: str, seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            duplicates = rng.choice([None, True, False])
            paths = [
                str(write(tmp_path / f"{i}.tab.gz", rows(rng, twice=duplicates is not None), rng))
                for i in range(2)
            ]
            eta = rng.random() / 20
            options = options_of(rng, mode) | {"remove_duplicates": duplicates}
            tolerance = BLOCKS if mode in ("cues", "both") else UNORDERED if duplicates else 0.0
            found, expected = ours.wh(paths[0], eta, **options), beside(theirs.wh, paths[0], eta, **options)
            assert_same_array(found, expected, tolerance)
            assert found.values.flags.c_contiguous
            for name in ("event_path", "number_events", "lambda", "method", "hostname"):
                assert found.attrs[name].strip() == expected.attrs[name].strip()
            # Learning goes on.
            before = copy.deepcopy(expected)
            went_on = ours.wh(paths[1], eta, weights=expected, **options)
            assert expected.identical(before)
            expected = beside(theirs.wh, paths[1], eta, weights=expected, **options)
            assert_same_array(went_on, expected, tolerance, ordered=False)
            assert all(value.count(" | ") == 1 for value in went_on.attrs.values())


def single(rng: random.Random) -> list[Row]:
    """Events of one cue and one outcome."""
    return [([rng.choice(NAMES)], [rng.choice(NAMES)]) for _ in range(rng.randint(1, 30))]


def test_dict_wh_and_numpy_give_the_weights_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            events, eta = single(rng), rng.random() / 10
            path = str(write(tmp_path / "e.tab.gz", events, rng, frequencies=False))
            options = options_of(rng, "both")
            by_numpy = {"method": "numpy", "n_jobs": 1}
            found = ours.wh(path, eta, **options | by_numpy)
            # The names of the last event are left over in pyndl.
            expected = beside(theirs.wh, path, eta, **options | by_numpy).reset_coords(drop=True)
            assert_same_array(found, expected, BLOCKS)
            both = options["cue_vectors"], options["outcome_vectors"]
            if both[0].coords[DIMENSIONS["cues"]].dtype.kind != "U":
                continue  # pyndl looks for numbers by their names, and does not find them.
            if both[1].coords[DIMENSIONS["outcomes"]].dtype.kind != "U":
                continue
            source: Any = rng.choice([events, path])
            kept = rng.choice([None, False])
            nested = ours.dict_wh(source, eta, *both, remove_duplicates=kept)
            expected = beside(theirs.dict_wh, source, eta, *both, remove_duplicates=kept)
            assert_same_nested(nested, expected)
            assert set(nested.attrs) == set(expected.attrs)
            arrays = [
                module.dict_wh(source, eta, *both, remove_duplicates=kept, make_data_array=True)
                for module in (ours, theirs)
            ]
            assert_same_array(arrays[0], arrays[1], BLOCKS, ordered=False)
            inplace = rng.random() < 0.5
            before = copy.deepcopy(nested)
            went_on = ours.dict_wh(single_again(events), eta, *both, weights=nested, inplace=inplace)
            assert (went_on is nested) == inplace
            assert inplace or nested == before
            assert_same_nested(
                went_on, beside(theirs.dict_wh, single_again(events), eta, *both, weights=before)
            )


def single_again(events: list[Row]) -> list[Row]:
    return events[::-1]


def assert_same_nested(found: Any, expected: Any) -> None:
    assert list(found) == list(expected)
    for outcome in found:
        assert list(found[outcome]) == list(expected[outcome])
        assert_close(list(found[outcome].values()), list(expected[outcome].values()), BLOCKS)


def array(rows: int, columns: int, **changes: Any) -> xr.DataArray:
    """Vectors of names a, b ..."""
    side = changes.pop("side", "cues")
    dim = changes.pop("dim", DIMENSIONS[side])
    values = np.ones((rows, columns), **changes)
    return xr.DataArray(values, [(side, list("abcdef")[:rows]), (dim, [f"d{i}" for i in range(columns)])])


WRONG: dict[str, dict[str, Any]] = {
    "no vector": {"cue_vectors": array(1, 2)},
    "no vector of an outcome": {"outcome_vectors": array(1, 2, side="outcomes")},
    "numbers of four bytes": {"cue_vectors": array(2, 2, dtype=np.float32)},
    "outcomes of four bytes": {"outcome_vectors": array(2, 2, side="outcomes", dtype=np.float32)},
    "columns one after another": {"cue_vectors": array(2, 2, order="F")},
    "another dimension": {"cue_vectors": array(2, 2, dim="meanings")},
    "a dict": {"cue_vectors": {"a": [1.0]}},
    "a dict of outcomes": {"outcome_vectors": {"a": [1.0]}},
    "threads for vectors": {"cue_vectors": array(2, 2), "method": "threading"},
    "numpy for names": {"method": "numpy"},
    "numpy for outcomes": {"outcome_vectors": array(2, 2, side="outcomes"), "method": "numpy"},
    "magic": {"cue_vectors": array(2, 2), "outcome_vectors": array(2, 2, side="outcomes"), "method": "magic"},
    "weights that are a list": {"cue_vectors": array(2, 2), "weights": [1]},
    "weights of other dimensions": {
        "cue_vectors": array(2, 2),
        "outcome_vectors": array(2, 2, side="outcomes"),
        "weights": xr.DataArray(
            np.zeros((3, 2)), [(DIMENSIONS["outcomes"], list("xyz")), (DIMENSIONS["cues"], ["d0", "d1"])]
        ),
    },
    "duplicates": {"cue_vectors": array(2, 2), "remove_duplicates": "maybe"},
    "a list": {"events": [("a", "b")], "cue_vectors": array(2, 2)},
    "no file": {"events": "missing.tab.gz", "cue_vectors": array(2, 2), "n_jobs": 1},
    "several cues by numpy": {
        "events": "several.tab.gz",
        "cue_vectors": array(2, 2),
        "outcome_vectors": array(2, 2, side="outcomes"),
        "method": "numpy",
    },
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wh_refuses_what_pyndl_refuses(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tb\nb\ta\n")
    text(tmp_path / "several.tab.gz", "cues\toutcomes\na_b\tb\n")
    kwargs = {"events": "e.tab.gz", "eta": 0.1} | WRONG[wrong]
    found, expected = raised(ours.wh, **kwargs), raised(theirs.wh, **kwargs)
    assert isinstance(found, type(expected)), (found, expected)


WRONG_IN_DICTS: dict[str, dict[str, Any]] = {
    "array or not": {"make_data_array": "yes"},
    "duplicates": {"remove_duplicates": 1.5},
    "a dict": {"weights": {}},
    "an array": {"weights": array(2, 2)},
    "several cues": {"events": [(["a", "b"], ["a"])]},
    "several outcomes": {"events": [(["a"], ["a", "b"])]},
    "a cue twice": {"events": [(["a", "a"], ["a"])]},
    "no vector": {"events": [(["z"], ["a"])]},
}


@pytest.mark.parametrize("wrong", WRONG_IN_DICTS)
def test_dict_wh_refuses_what_pyndl_refuses(wrong: str) -> None:
    kwargs: dict[str, Any] = {
        "events": [(["a"], ["a"])],
        "eta": 0.1,
        "cue_vectors": array(2, 2),
        "outcome_vectors": array(2, 2, side="outcomes"),
    }
    kwargs |= WRONG_IN_DICTS[wrong]
    found, expected = raised(ours.dict_wh, **kwargs), raised(theirs.dict_wh, **kwargs)
    assert isinstance(found, type(expected)), (found, expected)
