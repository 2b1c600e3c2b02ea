"""`rescorla.compat.pyndl.activation` beside pyndl's: the same activations, token by token."""

import copy
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from beside_pyndl import NAMES, REASON, assert_close, beside, case, raised, rows, text, write

pyndl = pytest.importorskip("pyndl", reason=REASON)

import xarray as xr  # noqa: E402
from pyndl import activation as theirs  # noqa: E402
from rescorla.compat.pyndl import activation as ours  # noqa: E402

# numpy sums in pairs.
SUMS = 1e-15


def weights_of(rng: Any, cues: list[str]) -> xr.DataArray:
    """Weights of these cues to some outcomes."""
    outcomes = rng.sample(NAMES, k=rng.randint(1, 6))
    values = np.array([[rng.uniform(-1, 1) for _ in cues] for _ in outcomes])
    return xr.DataArray(values, [("outcomes", outcomes), ("cues", cues)], attrs={"made": "here"})


def test_activation_gives_the_activations_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            duplicates = rng.choice([None, True, False])
            events = rows(rng, twice=duplicates is not None)
            if duplicates is None and rng.random() < 0.5:
                # What is named twice among outcomes is nothing to it.
                events = [(cues, outcomes * 2) for cues, outcomes in events]
            ignore = rng.random() < 0.5
            known = [*NAMES, ""] if not ignore else rng.sample([*NAMES, ""], k=12)
            weights = weights_of(rng, known)
            path = str(write(tmp_path / "e.tab.gz", events, rng))
            options: dict[str, Any] = {"remove_duplicates": duplicates, "ignore_missing_cues": ignore}
            for source in (path, events, iter(events)):
                given = [source, source] if source is not events else [iter(events), iter(events)]
                if source is not path:
                    given = [iter(events), iter(events)]
                found = ours.activation(given[0], weights, n_jobs=rng.randint(1, 3), **options)
                expected = beside(theirs.activation, given[1], weights, **options)
                assert (found.dims, set(found.coords)) == (expected.dims, set(expected.coords))
                assert found.coords["outcomes"].values.tolist() == expected.coords["outcomes"].values.tolist()
                assert found.dtype == expected.dtype
                assert found.attrs == expected.attrs
                assert_close(found.values, expected.values, SUMS * 4)


def test_activation_by_nested_weights_gives_that_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            events = rows(rng)
            array = weights_of(rng, [*NAMES, ""])
            nested: Any = {
                outcome: {cue: float(array.loc[outcome, cue]) for cue in array.coords["cues"].values}
                for outcome in array.coords["outcomes"].values
            }
            if rng.random() < 0.5:
                gone = rng.choice(NAMES)
                nested = {
                    o: defaultdict(float, {c: w for c, w in row.items() if c != gone})
                    for o, row in nested.items()
                }
            kept = copy.deepcopy(nested)
            path = str(write(tmp_path / "e.tab.gz", events, rng))
            found = ours.activation(path, nested)
            assert nested == kept
            expected = beside(theirs.activation, list(pyndl_rows(path)), copy.deepcopy(kept))
            assert list(found) == list(expected)
            assert isinstance(found, defaultdict)
            for outcome in found:
                assert_close(found[outcome], expected[outcome], SUMS * 4)


def pyndl_rows(path: str) -> Any:
    from pyndl import io

    return io.events_from_file(path)


ARRAY = xr.DataArray([[1.0, 2.0]], [("outcomes", ["x"]), ("cues", ["a", "b"])])
WRONG: dict[str, tuple[list[Any], Any, dict[str, Any]]] = {
    "a cue twice": ([(["a", "a"], [])], ARRAY, {}),
    "a cue that is missing": ([(["c"], [])], ARRAY, {}),
    "a cue that is missing in a dict": ([(["c"], [])], {"x": {"a": 1.0}}, {}),
    "threads for dicts": ([(["a"], [])], {"x": {"a": 1.0}}, {"n_jobs": 2}),
    "a list": ([(["a"], [])], [1.0], {}),
    "no threads": ([(["a"], [])], ARRAY, {"n_jobs": 0}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_activation_refuses_what_pyndl_refuses(wrong: str) -> None:
    events, weights, options = WRONG[wrong]
    found = raised(ours.activation, iter(events), weights, **options)
    expected = raised(theirs.activation, iter(events), weights, **options)
    assert isinstance(found, type(expected)) or isinstance(expected, AssertionError), (found, expected)


def test_the_old_name_of_n_jobs_warns_as_in_pyndl(tmp_path: Path) -> None:
    path = str(text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\n"))
    for module in (ours, theirs):
        with pytest.warns(DeprecationWarning, match="n_jobs|n_outcomes_per_job") as caught:
            module.activation(path, ARRAY, number_of_threads=1)
        assert [warning.filename for warning in caught] == [__file__]
