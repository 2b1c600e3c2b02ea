"""`rescorla.compat.pyndl.ndl` beside pyndl's: the same weights, bit for bit, names, order and attributes."""

import copy
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from beside_pyndl import REASON, assert_close, assert_same_array, beside, case, raised, rows, text, write

pyndl = pytest.importorskip("pyndl", reason=REASON)

import xarray as xr  # noqa: E402
from pyndl import ndl as theirs  # noqa: E402
from rescorla.compat.pyndl import ndl as ours  # noqa: E402

# Some of the rates are large, and some tables have no name in common.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*may overshoot"),
    pytest.mark.filterwarnings("ignore:.*shares no name with the events"),
]

# From Python 3.12 on `sum`, which dict_ndl uses, compensates for what rounding loses.
COMPENSATED = sys.version_info >= (3, 12)
SAME = 1e-14 if COMPENSATED else 0.0
# Here pyndl goes through a set: it sums in an order of its own.
UNORDERED = 1e-14


def rule(rng: random.Random) -> dict[str, Any]:
    """Parameters of the rule."""
    return {
        "alpha": rng.choice([0.1, 0.5, 1, 0.0, rng.random()]),
        "betas": (rng.random() / 5, rng.choice([0.1, 0.0, rng.random() / 5])),
        "lambda_": rng.choice([1.0, 1, -2.5, rng.random() * 10]),
    }


def how(rng: random.Random) -> dict[str, Any]:
    """What changes no weight."""
    return {
        "method": rng.choice(["openmp", "threading"]),
        "n_jobs": rng.randint(1, 4),
        "n_outcomes_per_job": rng.randint(1, 12),
        "verbose": False,
        "events_per_temporary_file": rng.choice([2, 3, 10_000_000]),
    }


def test_ndl_gives_the_weights_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            duplicates = rng.choice([None, True, False])
            events = rows(rng, twice=duplicates is not None)
            path = str(write(tmp_path / "e.tab.gz", events, rng))
            options = rule(rng) | how(rng) | {"remove_duplicates": duplicates}
            if len(open_rows(path)) % options["events_per_temporary_file"] == 0:
                # pyndl waits for ever where the last file is full.
                options["events_per_temporary_file"] += 10_000
            found, expected = ours.ndl(path, **options), beside(theirs.ndl, path, **options)
            assert_same_array(found, expected, UNORDERED if duplicates else 0.0)
            assert found.values.flags.c_contiguous
            for name in ("event_path", "number_events", "alpha", "betas", "lambda", "method", "hostname"):
                assert found.attrs[name].strip() == expected.attrs[name].strip()


def open_rows(path: str) -> list[Any]:
    """The tokens of a table, as pyndl reads them."""
    from pyndl import io

    return list(io.events_from_file(path))


def test_ndl_goes_on_as_pyndl_does(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            parts = [str(write(tmp_path / f"{i}.tab.gz", rows(rng), rng)) for i in range(2)]
            options = rule(rng)
            first = beside(theirs.ndl, parts[0], **options)
            before = copy.deepcopy(first)
            found = ours.ndl(parts[1], weights=first, **options)
            assert first.identical(before)
            expected = beside(theirs.ndl, parts[1], weights=first, **options)
            assert_same_array(found, expected, ordered=False)
            n = len(first.coords["cues"]), len(first.coords["outcomes"])
            assert found.coords["cues"].values[: n[0]].tolist() == first.coords["cues"].values.tolist()
            assert (
                found.coords["outcomes"].values[: n[1]].tolist() == first.coords["outcomes"].values.tolist()
            )
            assert all(value.count(" | ") == 1 for value in found.attrs.values())
            # And from what ours gave, as well as from a transposed array.
            again = ours.ndl(parts[1], weights=ours.ndl(parts[0], **options).T, **options)
            assert_same_array(again, found, ordered=False)


def test_ndl_learns_what_a_generator_gives_as_pyndl_does(seeds: Iterator[int]) -> None:
    for seed in seeds:
        with case(seed) as rng:
            events = rows(rng)
            given = [
                ("_".join(cues), outcomes) if rng.random() < 0.5 else (cues, "_".join(outcomes))
                for cues, outcomes in events
            ]
            options = rule(rng)
            found = ours.ndl((event for event in given), **options)
            expected = beside(theirs.ndl, (event for event in given), **options)
            assert_same_array(found, expected)


def test_dict_ndl_gives_the_weights_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            duplicates = rng.choice([None, True, False])
            events = rows(rng, twice=duplicates is not None)
            options = rule(rng) | {"remove_duplicates": duplicates}
            alpha = options.pop("alpha")
            by_cue = {cue: rng.random() for cues, _ in events for cue in cues}
            alphas: Any = rng.choice([float(alpha), by_cue, defaultdict(lambda: 0.3, by_cue)])
            tolerance = UNORDERED if duplicates else SAME
            source: Any = events
            if rng.random() < 0.5:
                source = str(write(tmp_path / "e.tab.gz", events, rng))
            found = ours.dict_ndl(source, alphas, **options)
            expected = beside(theirs.dict_ndl, source, alphas, **options)
            assert_same_nested(found, expected, tolerance)
            assert set(found.attrs) == set(expected.attrs)
            assert found.attrs["number_events"].strip() == expected.attrs["number_events"].strip()
            arrays = [
                module.dict_ndl(source, alphas, make_data_array=True, **options) for module in (ours, theirs)
            ]
            assert_same_array(arrays[0], arrays[1], tolerance, ordered=False)
            # Learning goes on in place, or not.
            more = rows(rng, twice=duplicates is not None)
            alphas = rng.random()
            inplace = rng.random() < 0.5
            start: Any = rng.choice([found, xr.DataArray(arrays[0])])
            kept = copy.deepcopy(start)
            went_on = ours.dict_ndl(more, alphas, weights=start, inplace=inplace, **options)
            expected = beside(theirs.dict_ndl, more, alphas, weights=copy.deepcopy(kept), **options)
            assert_same_nested(went_on, expected, tolerance)
            assert all(value.count(" | ") == 1 for value in went_on.attrs.values())
            if isinstance(start, ours.WeightDict):
                assert (went_on is start) == inplace
                assert inplace or start == kept
            else:
                assert start.identical(kept)


def assert_same_nested(found: Any, expected: Any, tolerance: float) -> None:
    """The same outcomes, in the order in which they came, the same cues of each, the same weights."""
    assert set(found) == set(expected)
    for outcome in found:
        assert set(found[outcome]) == set(expected[outcome])
        cues = list(found[outcome])
        assert_close(
            [found[outcome][cue] for cue in cues], [expected[outcome][cue] for cue in cues], tolerance
        )


def test_pyndls_own_nested_weights_are_learned_in_place() -> None:
    start = theirs.dict_ndl([(["a"], ["x"])], 0.1, (0.1, 0.1))
    expected = beside(theirs.dict_ndl, [(["a"], ["y"])], 0.1, (0.1, 0.1), weights=start)
    found = ours.dict_ndl([(["a"], ["y"])], 0.1, (0.1, 0.1), weights=start, inplace=True)
    assert found is start
    assert found == expected


def test_names_may_be_anything_hashable() -> None:
    events: Any = [([1, ("a", "b")], [None]), ([1], [frozenset("x")])]
    found = ours.dict_ndl(events, 0.5, (0.5, 0.1))
    assert found == theirs.dict_ndl(events, 0.5, (0.5, 0.1))
    assert found[None][1] != 0.0


def test_data_array_gives_the_array_of_pyndl(seeds: Iterator[int]) -> None:
    for seed in seeds:
        with case(seed) as rng:
            events = rows(rng)
            weights = theirs.dict_ndl(events, 0.1, (0.1, 0.2))
            assert_same_array(ours.data_array(weights), theirs.data_array(weights), ordered=False)
            nested = defaultdict(lambda: defaultdict(float), weights)
            arrays = [module.data_array(nested, attrs={"made": "here"}) for module in (ours, theirs)]
            assert_same_array(arrays[0], arrays[1], ordered=False)
            assert ours.data_array(arrays[0]) is arrays[0]


WRONG: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "a list": (([("a", "x")], 0.1, (0.1, 0.1)), {}),
    "a number": ((3, 0.1, (0.1, 0.1)), {}),
    "no method": (("e.tab.gz", 0.1, (0.1, 0.1)), {"method": "magic"}),
    "weights that are a list": (("e.tab.gz", 0.1, (0.1, 0.1)), {"weights": [1]}),
    "weights that are an array": (("e.tab.gz", 0.1, (0.1, 0.1)), {"weights": np.zeros((2, 2))}),
    "duplicates": (("e.tab.gz", 0.1, (0.1, 0.1)), {"remove_duplicates": "maybe"}),
    "no file": (("missing.tab.gz", 0.1, (0.1, 0.1)), {"n_jobs": 1}),
    "not packed": (("plain.tab", 0.1, (0.1, 0.1)), {"n_jobs": 1}),
    "one beta": (("e.tab.gz", 0.1, 0.1), {}),
    "three betas": (("e.tab.gz", 0.1, (0.1, 0.1, 0.1)), {}),
    "alpha is a str": (("e.tab.gz", "0.1", (0.1, 0.1)), {"n_jobs": 1}),
    "no jobs": (("e.tab.gz", 0.1, (0.1, 0.1)), {"n_jobs": 0}),
    "few events in a file": (("e.tab.gz", 0.1, (0.1, 0.1)), {"events_per_temporary_file": 1}),
    "a folder that is not there": (("e.tab.gz", 0.1, (0.1, 0.1)), {"temporary_directory": "/none"}),
    "one cell": (("one.tab.gz", 0.1, (0.1, 0.1)), {"n_jobs": 1}),
    "four cells": (("four.tab.gz", 0.1, (0.1, 0.1)), {"n_jobs": 1}),
    "no frequency": (("words.tab.gz", 0.1, (0.1, 0.1)), {"n_jobs": 1}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_ndl_refuses_what_pyndl_refuses(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\n")
    text(tmp_path / "one.tab.gz", "cues\toutcomes\na\n")
    text(tmp_path / "four.tab.gz", "cues\toutcomes\na\tb\t1\td\n")
    text(tmp_path / "words.tab.gz", "cues\toutcomes\na\tb\tmany\n")
    (tmp_path / "plain.tab").write_text("cues\toutcomes\na\tx\n")
    args, kwargs = WRONG[wrong]
    found, expected = raised(ours.ndl, *args, **kwargs), raised(theirs.ndl, *args, **kwargs)
    assert isinstance(found, type(expected)), (found, expected)


WRONG_IN_DICTS: dict[str, dict[str, Any]] = {
    "array or not": {"make_data_array": "yes"},
    "duplicates": {"remove_duplicates": 1.5},
    "weights that are a dict": {"weights": {"x": {"a": 1.0}}},
    "a cue twice": {"events": [(["a", "a"], ["x"])]},
    "an outcome twice": {"events": [(["a"], ["x", "x"])]},
    "no salience": {"alphas": {"b": 0.1}},
    "no number": {"alphas": "many"},
    "one beta": {"betas": 0.1},
    "no pair": {"events": [(["a"],)]},
}


@pytest.mark.parametrize("wrong", WRONG_IN_DICTS)
def test_dict_ndl_refuses_what_pyndl_refuses(wrong: str) -> None:
    kwargs = {"events": [(["a"], ["x"])], "alphas": 0.1, "betas": (0.1, 0.1)} | WRONG_IN_DICTS[wrong]
    found, expected = raised(ours.dict_ndl, **kwargs), raised(theirs.dict_ndl, **kwargs)
    assert isinstance(found, type(expected)), (found, expected)


def test_old_names_of_arguments_warn_as_in_pyndl(tmp_path: Path) -> None:
    path = str(text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\nb\ty\nc\ty\n"))
    for module in (ours, theirs):
        with pytest.warns(DeprecationWarning, match="n_jobs|n_outcomes_per_job") as caught:
            found = module.ndl(path, 0.1, (0.1, 0.1), number_of_threads=2, len_sublists=2)
        assert len(caught) == 2
        assert all(warning.filename == __file__ for warning in caught)
        assert found.coords["cues"].values.tolist() == ["a", "c", "b"]
