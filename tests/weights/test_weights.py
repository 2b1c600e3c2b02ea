"""`Weights`: names, ranking, and files that hold all of it or say what is wrong."""

import errno
import gzip
import json
import os
import pickle
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import rescorla._core as _core
from rescorla._weights import disk, files, hdf5, npy

VALUES = [[0.5, -1.0, 0.0], [0.25, 0.1, 0.1]]
CUES, OUTCOMES = ("red", "#é𝒳"), ("y", "n", "a b")
PARAMETERS = {
    "rule": "rescorla_wagner",
    "alpha": 0.1,
    "lambda": [1.0, 0.5, 2.0],
    "n_events": 3,
    "continued": True,
}
SUFFIXES = ("npz", "npy", "nc")
WRONG = (
    "save it again",
    "save the weights again",
    "keep the two files together",
    "suffix of its format",
    "makes weights of events",
)


def weights(dtype: Any = np.float64, parameters: dict[str, Any] = PARAMETERS) -> rw.Weights:
    return rw.Weights(np.array(VALUES, dtype), CUES, OUTCOMES, parameters)


def same(found: rw.Weights, expected: rw.Weights) -> bool:
    """Whether two weights agree in everything."""
    return (
        found.values.dtype == expected.values.dtype
        and np.array_equal(found.values, expected.values)
        and (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
        and found.parameters == expected.parameters
    )


# Names.


def test_a_pair_of_names_gives_a_number() -> None:
    assert weights()["red", "n"] == -1.0
    assert type(weights(np.float32)["#é𝒳", "y"]) is float


def test_rows_and_columns_are_views() -> None:
    known = weights()
    assert known.row("red").tolist() == VALUES[0]
    assert known.column("a b").tolist() == [0.0, 0.1]
    known.row("red")[0] = 7
    known.column("a b")[1] = 8
    assert (known["red", "y"], known["#é𝒳", "a b"]) == (7, 8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: w["blue", "y"], "cue 'blue'"),
        (lambda w: w["red", "x"], "outcome 'x'"),
        (lambda w: w.row("y"), "cue 'y'"),
        (lambda w: w.column("red"), "outcome 'red'"),
        (lambda w: w.top(cue="blue"), "cue 'blue'"),
    ],
)
def test_an_unknown_name_is_named_with_its_kind(call: Any, message: str) -> None:
    with pytest.raises(KeyError, match=message):
        call(weights())


@pytest.mark.parametrize("key", ["red", 0, ("red",), ("red", "y", "n"), "ry"])
def test_anything_but_a_pair_is_a_type_error(key: Any) -> None:
    with pytest.raises(TypeError, match="two keys"):
        weights()[key]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda w: w["y", "red"],
            KeyError,
            r"'y' is an outcome and 'red' a cue: weights\[cue, outcome\].*'red', 'y'\]",
        ),
        (
            lambda w: w["y", "n"],
            KeyError,
            "cue 'y' is no cue of these weights but an outcome: cues are rows",
        ),
        (lambda w: w["red", "red"], KeyError, "outcome 'red' is no outcome of these weights but a cue"),
        (
            lambda w: w.column("red"),
            KeyError,
            "'red' is no outcome of these weights but a cue: cues are rows",
        ),
        (lambda w: w.top(cue="y"), KeyError, "'y' is no cue of these weights but an outcome"),
        (lambda w: w["redd", "y"], KeyError, "cue 'redd' is none of the 2 cues .*; did you mean 'red'"),
        (lambda w: w["red", "a_b"], KeyError, "outcome 'a_b' is none of .*; did you mean 'a b'"),
        (lambda w: w["red"], TypeError, r"two keys, .* not 'red'; .*weights.row\('red'\)"),
        (lambda w: w[w.values > 0], TypeError, r"two keys, .* not an ndarray; weights.values\[...\]"),
        (lambda w: w[()], TypeError, "two keys, .* not a tuple"),
        (lambda w: w.row(0), TypeError, "cue must be a name, a str, not 0"),
    ],
)
def test_a_wrong_key_says_what_to_write(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(weights())


def test_an_unknown_name_is_compared_to_the_known_only_when_the_message_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[object] = []

    def near(name: object, _: object) -> str:
        compared.append(name)
        return ""

    monkeypatch.setattr("rescorla._weights.weights.near", near)
    with pytest.raises(KeyError) as caught:
        weights()["blue", "y"]
    assert compared == []
    assert "cue 'blue' is none of" in str(caught.value)
    assert compared == ["blue"]
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (type(copied), copied.args) == (KeyError, (str(caught.value),))


def test_a_pair_is_in_weights_or_not() -> None:
    known = weights()
    pairs = [("red", "y"), ("red", "a b"), ("y", "red"), ("red", "x"), ("blue", "y")]
    assert [pair in known for pair in pairs] == [True, True, False, False, False]
    for wrong in ("red", ("red",), ("red", 0), ("red", "y", "n"), ["red", "y"], 0.5):
        with pytest.raises(
            TypeError, match=r"\(cue, outcome\) in weights takes two names, not .*`in weights.cues`"
        ):
            wrong in known  # noqa: B015


@pytest.mark.parametrize("iterate", [iter, list, enumerate, lambda w: [*w], lambda w: dict(w)])
def test_weights_are_not_iterable(iterate: Any) -> None:
    with pytest.raises(TypeError, match=r"not iterable: take weights.cues, .*weights.values"):
        iterate(weights())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_are_an_array_to_numpy(dtype: Any) -> None:
    known = weights(dtype)
    assert known.shape == (2, 3)
    assert np.asarray(known) is known.values
    assert np.asarray(known).dtype == dtype
    assert np.asarray(known, dtype=dtype) is known.values
    copied = np.array(known)
    assert np.array_equal(copied, known.values)
    assert not np.shares_memory(copied, known.values)
    other = np.float32 if dtype == np.float64 else np.float64
    assert np.asarray(known, dtype=other).tolist() == known.values.astype(other).tolist()
    assert np.asarray(known, dtype=other).dtype == other
    assert np.abs(known).tolist() == np.abs(known.values).tolist()
    # What numpy 2 asks for, and numpy 1 does not know of.
    assert known.__array__(copy=False) is known.values
    assert known.__array__(dtype, copy=False) is known.values
    assert not np.shares_memory(known.__array__(copy=True), known.values)
    assert not np.shares_memory(known.__array__(dtype, True), known.values)
    with pytest.raises(ValueError, match=r"copy cannot be False: .* needs a copy"):
        known.__array__(other, copy=False)


def test_an_array_of_mapped_weights_is_the_map(tmp_path: Path) -> None:
    weights().save(tmp_path / "w.npy")
    loaded = rw.load_weights(tmp_path / "w.npy")
    assert np.shares_memory(np.asarray(loaded), loaded.values)
    assert isinstance(np.asarray(loaded).base, np.memmap)


def test_weights_are_equal_by_identity() -> None:
    known = weights()
    assert known == known
    assert known != weights()
    assert len({known, weights()}) == 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((VALUES, ["a"], OUTCOMES), ValueError, "2 cues, but 1 names"),
        ((VALUES, CUES, ["y"]), ValueError, "3 outcomes, but 1 names"),
        ((VALUES, OUTCOMES, CUES), ValueError, "2 cues, but 3 names are given; .* give values.T"),
        ((VALUES, ["a", "a"], OUTCOMES), ValueError, "cues must be distinct, but 'a'"),
        ((VALUES, CUES, ["x", "y", "x"]), ValueError, "outcomes must be distinct, but 'x'"),
        ((VALUES, "ab", OUTCOMES), TypeError, "not the str 'ab'"),
        ((VALUES, ["a", 1], OUTCOMES), TypeError, "cues must be names, but 1 is no name; write '1'"),
        (
            (VALUES, ["a", np.True_], OUTCOMES),
            TypeError,
            "cues must be names, but True is no name; write 'True'",
        ),
        ((VALUES, ["a", ()], OUTCOMES), TypeError, "cues must be names, but a tuple is no name; write a str"),
        (
            (VALUES, ["a", None], OUTCOMES),
            TypeError,
            "cues must be names, but None is no name; if pandas took .*keep_default_na=False",
        ),
        (([1.0, 2.0], CUES, OUTCOMES), ValueError, "1 dimensions"),
        ([[["a", "b", "c"], ["d", "e", "f"]], CUES, OUTCOMES], TypeError, "real numbers"),
    ],
)
def test_values_and_names_that_do_not_fit_are_refused(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        rw.Weights(*arguments)


@pytest.mark.parametrize(
    ("given", "kept"), [("f4", "f4"), ("f8", "f8"), (">f8", "f8"), ("i8", "f8"), ("f2", "f8"), ("?", "f8")]
)
def test_floats_are_kept_and_other_numbers_become_floats(given: str, kept: str) -> None:
    values = np.array([[1, 0, 1]], dtype=given)
    found = rw.Weights(values, ["a"], OUTCOMES).values
    assert found.dtype == np.dtype(kept)
    assert found.tolist() == [[1, 0, 1]]
    assert np.shares_memory(found, values) == (given in {"f4", "f8"})


# Ranking.


def test_top_is_by_falling_weight_and_ties_by_position() -> None:
    ranked = rw.Weights([[0.1, -9, 0.3, 0.1, 0.3]], ["a"], list("vwxyz"))
    every = [("x", 0.3), ("z", 0.3), ("v", 0.1), ("y", 0.1), ("w", -9.0)]
    for n in range(8):
        assert ranked.top(cue="a", n=n) == every[:n]
    assert ranked.top(cue="a") == every
    assert rw.Weights(ranked.values.T, list("vwxyz"), ["o"]).top(outcome="o", n=3) == every[:3]


def test_top_of_many_is_that_of_sorting() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(-3, 4, (1, 500)).astype(float)
    ranked = rw.Weights(values, ["a"], [str(i) for i in range(500)])
    expected = sorted(enumerate(values[0]), key=lambda pair: -pair[1])
    for n in (1, 2, 70, 71, 499, 500, 501):
        assert ranked.top(cue="a", n=n) == [(str(i), value) for i, value in expected[:n]]


def test_top_puts_what_is_no_number_last() -> None:
    ranked = rw.Weights([[np.nan, -np.inf, 1.0]], ["a"], ["x", "y", "z"])
    assert [name for name, _ in ranked.top(cue="a", n=2)] == ["z", "y"]


@pytest.mark.parametrize("keywords", [{}, {"cue": "red", "outcome": "y"}, {"cue": "red", "n": -1}])
def test_top_takes_one_name_and_a_count(keywords: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"and not both|0 or more"):
        weights().top(**keywords)


def test_a_count_is_one_that_the_engine_can_have() -> None:
    assert weights().top(cue="red", n=2**63 - 1) == weights().top(cue="red")
    with pytest.raises(ValueError, match="n must be at most 9223372036854775807, not 9223372036854775808"):
        weights().top(cue="red", n=2**63)


# Other libraries.


def test_to_xarray() -> None:
    array = weights().to_xarray()
    assert array.dims == ("cues", "outcomes")
    assert float(array.sel(cues="#é𝒳", outcomes="n")) == 0.1
    assert array.attrs == {"rule": "rescorla_wagner", "alpha": "0.1", "n_events": "3", "continued": "true"}
    assert array.coords["lambda"].to_dict()["dims"] == ("outcomes",)
    assert array.coords["lambda"].values.tolist() == [1.0, 0.5, 2.0]


def test_to_pandas() -> None:
    frame = weights().to_pandas()
    assert frame.loc["red", "n"] == -1.0
    assert (frame.index.name, frame.columns.name) == ("cues", "outcomes")


@pytest.mark.parametrize(
    ("library", "extra", "call"),
    [
        ("pandas", "pandas", "w.to_pandas()"),
        ("xarray", "xarray", "w.to_xarray()"),
        ("pyarrow", "arrow", "w.to_arrow()"),
        ("pyarrow", "arrow", "w.save('w.parquet')"),
        ("xarray", "netcdf", "rw.load_weights(nc)"),
        ("netCDF4", "netcdf", "w.save('w.nc')"),
        ("scipy.sparse", "scipy", "rw.read_events([('a', 'x')]).cue_matrix()"),
    ],
)
def test_a_missing_library_names_the_extra(library: str, extra: str, call: str, tmp_path: Path) -> None:
    nc = tmp_path / "nc" / "w.nc"
    nc.parent.mkdir()
    weights().save(nc)
    script = f"""
import sys
nc = {str(nc)!r}
sys.modules[{library!r}] = None
import rescorla as rw
w = rw.Weights([[1.0]], ["a"], ["x"])
try:
    {call}
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert f"pip install 'rescorla[{extra}]'" in done.stdout, done.stderr
    assert list(tmp_path.iterdir()) == [nc.parent]


def test_importing_needs_numpy_alone() -> None:
    script = (
        "import numpy, sys; before = set(sys.modules); import rescorla; print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"argparse", "dataclasses", "json", "pandas", "pathlib", "scipy", "tempfile", "tqdm", "xarray"}
    assert heavy.isdisjoint(done.stdout.split())


# Files.


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_holds_everything(suffix: str, dtype: Any, order: Any, tmp_path: Path) -> None:
    saved = rw.Weights(np.array(VALUES, dtype, order=order), CUES, OUTCOMES, PARAMETERS)
    saved.save(tmp_path / f"w.{suffix}")
    loaded = rw.load_weights(str(tmp_path / f"w.{suffix}"))
    assert same(loaded, saved)
    assert type(loaded.values) is np.ndarray
    assert loaded.parameters["continued"] is True


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0), (1, 1)])
def test_a_file_holds_no_weights_too(suffix: str, shape: tuple[int, int], tmp_path: Path) -> None:
    saved = rw.Weights(np.zeros(shape), ("a", "b")[: shape[0]], ("x", "y")[: shape[1]])
    saved.save(tmp_path / f"w.{suffix}")
    assert same(rw.load_weights(tmp_path / f"w.{suffix}"), saved)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_was_learned_comes_back_with_its_parameters(suffix: str, tmp_path: Path) -> None:
    events = rw.read_events([("a_b", "x"), ("b", "y", 3)])
    for learned in (rw.learn(events, alpha=[0.1, 0.2]), rw.equilibrium(events, lambda_={"x": 1, "y": 2})):
        learned.save(tmp_path / f"w.{suffix}")
        loaded = rw.load_weights(tmp_path / f"w.{suffix}")
        parameters = {name: value for name, value in learned.parameters.items() if value is not None}
        assert {name: value for name, value in loaded.parameters.items() if value is not None} == parameters


def test_npz_is_plain_numpy(tmp_path: Path) -> None:
    weights().save(tmp_path / "w.npz")
    with np.load(tmp_path / "w.npz", allow_pickle=False) as archive:
        assert archive["cues"].tolist() == list(CUES)
        assert archive["outcomes"].tolist() == list(OUTCOMES)
        assert archive["values"].tolist() == VALUES
        assert json.loads(str(archive["parameters"])) == PARAMETERS


def test_npy_is_mapped_read_only(tmp_path: Path) -> None:
    weights().save(tmp_path / "w.npy")
    loaded = rw.load_weights(tmp_path / "w.npy")
    assert isinstance(loaded.values.base, np.memmap)
    assert not loaded.values.flags.writeable
    assert loaded.cues == CUES


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("alpha", [0.1, [0.25, 0.5]])
def test_netcdf_is_what_xarray_writes(dtype: Any, alpha: float | list[float], tmp_path: Path) -> None:
    import xarray as xr

    saved = weights(dtype, PARAMETERS | {"alpha": alpha, "method": "", "cue": "#é𝒳"})
    saved.save(tmp_path / "ours.nc")
    saved.to_xarray().to_netcdf(tmp_path / "theirs.nc", engine="netcdf4")
    ours, theirs = (xr.load_dataarray(tmp_path / f"{name}.nc") for name in ("ours", "theirs"))
    for checksum in CHECKSUMS:
        assert len(ours.attrs.pop(checksum)) == 8
    xr.testing.assert_identical(ours, theirs)
    assert ours.dtype == theirs.dtype == dtype
    assert {name: each.dtype for name, each in ours.coords.items()} == {
        name: each.dtype for name, each in theirs.coords.items()
    }
    assert _stored(tmp_path / "ours.nc") == _stored(tmp_path / "theirs.nc")


CHECKSUMS = ("labels_crc32c", "values_crc32c")


def _stored(path: Path) -> dict[str, Any]:
    """The variables of a netCDF file: dimensions, types, attributes with their types, but for checksums."""
    import netCDF4

    with netCDF4.Dataset(path) as dataset:
        assert dataset.ncattrs() == []
        return {
            name: (
                each.dimensions,
                each.dtype,
                {a: repr(each.getncattr(a)) for a in each.ncattrs() if a not in CHECKSUMS},
            )
            for name, each in dataset.variables.items()
        }


def test_netcdf_in_many_threads(tmp_path: Path) -> None:
    # In a process of its own, as it is one that crashes.
    script = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import rescorla as rw
names = [str(i) for i in range(300)]
w = rw.Weights(np.arange(90_000.0).reshape(300, 300), names, names)
def work(i):
    path = f"{sys.argv[1]}/{i}.nc"
    for _ in range(10):
        w.save(path)
        assert np.array_equal(rw.load_weights(path).values, w.values)
with ThreadPoolExecutor(8) as pool:
    list(pool.map(work, range(8)))
print("whole")
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout == "whole\n", (done.returncode, done.stderr)


def test_netcdf_in_a_finaliser_while_netcdf_is_written(tmp_path: Path) -> None:
    """The garbage collector runs finalisers wherever Python runs. If this hangs it ends itself, and fails."""
    script = """
import faulthandler, gc, sys
import rescorla as rw
faulthandler.dump_traceback_later(60, exit=True)
weights = rw.Weights([[0.5]], ["a"], ["x"])
weights.save(sys.argv[1])
read = []
class Node:
    def __init__(self):
        self.me = self
    def __del__(self):
        read.append(rw.load_weights(sys.argv[1])["a", "x"])
from rescorla._weights import files
write = files._netcdf_bytes
def collect_and_write(*about):
    Node()
    gc.collect()
    return write(*about)
files._netcdf_bytes = collect_and_write
weights.save(sys.argv[2])
assert read and set(read) == {0.5}
print("finished")
"""
    paths = [str(tmp_path / name) for name in ("one.nc", "other.nc")]
    done = subprocess.run([sys.executable, "-c", script, *paths], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "finished\n", "")


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("name", ["weights", None, "anything"])
def test_netcdf_of_others_is_read_by_the_names_of_its_dimensions(
    transposed: bool, name: str | None, tmp_path: Path
) -> None:
    import xarray as xr

    coordinates = {"outcomes": list(OUTCOMES), "cues": list(CUES)}
    array = xr.DataArray(VALUES, coordinates, ("cues", "outcomes"), name, attrs={"method": "threading"})
    (array.T if transposed else array).to_netcdf(tmp_path / "w.nc", engine="netcdf4")
    loaded = rw.load_weights(tmp_path / "w.nc")
    assert same(loaded, weights(parameters={"method": "threading"}))


def _table(path: Path, events: list[tuple[str, str]]) -> str:
    """A table that pyndl reads."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("cues\toutcomes\n" + "".join(f"{cues}\t{outcomes}\n" for cues, outcomes in events))
    return str(path)


def test_pyndl_goes_on_from_our_weights(tmp_path: Path) -> None:
    pyndl = pytest.importorskip("pyndl.ndl", reason="pyndl is not installed: pip install rescorla[bench]")
    import xarray as xr

    before = _table(tmp_path / "a.tab.gz", [("a_b", "x"), ("b_c", "y"), ("a", "x_y")])
    after = _table(tmp_path / "b.tab.gz", [("c_d", "z"), ("a_d", "x"), ("b", "y")])
    ours = rw.learn(before, alpha=[0.1, 0.2, 0.3], beta=0.3, lambda_={"x": 1.0, "y": 2.0})
    ours.save(tmp_path / "w.nc")
    expected = rw.learn(after, alpha=0.1, beta=0.3, initial=ours, method="forward")
    with xr.open_dataarray(tmp_path / "w.nc") as opened:
        saved = opened.load()
    assert ours.parameters["events"]["source"] == "a.tab.gz"
    for array in (ours.to_xarray(), saved):
        found = pyndl.ndl(
            after, 0.1, (0.3, 0.3), method="threading", weights=array.transpose("outcomes", "cues"), n_jobs=1
        )
        for cue, outcome in product(expected.cues, expected.outcomes):
            assert float(found.loc[{"cues": cue, "outcomes": outcome}]) == expected[cue, outcome]
        # And what it gives comes back.
        found.to_netcdf(tmp_path / "pyndl.nc")
        loaded = rw.load_weights(tmp_path / "pyndl.nc")
        assert {loaded[pair] == expected[pair] for pair in product(expected.cues, expected.outcomes)} == {
            True
        }
        assert loaded.parameters["function"].strip().endswith("pyndl.ndl.ndl")
        # pyndl puts text behind each parameter: what is nested is text then.
        assert str(loaded.parameters["events"]).startswith('{"function": "read_events"')


@pytest.mark.parametrize("cue_vectors", [False, True])
@pytest.mark.parametrize("outcome_vectors", [False, True])
def test_what_pyndl_learns_of_vectors_is_read(
    cue_vectors: bool, outcome_vectors: bool, tmp_path: Path
) -> None:
    pyndl = pytest.importorskip("pyndl.wh", reason="pyndl is not installed: pip install rescorla[bench]")
    import xarray as xr

    # One of each, as pyndl's vectors need.
    table = _table(tmp_path / "e.tab.gz", [("a", "x"), ("b", "y"), ("a", "y"), ("c", "x")])
    rng = np.random.default_rng(1)
    vectors = {
        side: xr.DataArray(
            rng.normal(size=(len(names), n)),
            [(side, names), (f"{side[:-1]}_vector_dimensions", [f"{side[0]}{i}" for i in range(n)])],
        )
        for side, names, n in (("cues", ["a", "b", "c"], 4), ("outcomes", ["x", "y"], 5))
    }
    chosen = {
        "cue_vectors": vectors["cues"] if cue_vectors else None,
        "outcome_vectors": vectors["outcomes"] if outcome_vectors else None,
    }
    theirs = pyndl.wh(table, 0.1, method="openmp", n_jobs=1, **chosen)
    theirs.to_netcdf(tmp_path / "w.nc")
    loaded = rw.load_weights(tmp_path / "w.nc")
    sides = [
        f"{side[:-1]}_vector_dimensions" if wanted else side
        for side, wanted in (("cues", cue_vectors), ("outcomes", outcome_vectors))
    ]
    assert set(theirs.dims) == set(sides)
    assert loaded.shape == (4 if cue_vectors else 3, 5 if outcome_vectors else 2)
    assert loaded.values.any()
    for cue, outcome in product(loaded.cues, loaded.outcomes):
        assert loaded[cue, outcome] == float(theirs.loc[{sides[0]: cue, sides[1]: outcome}])


def test_dimensions_of_vectors_may_be_numbers(tmp_path: Path) -> None:
    import xarray as xr

    coordinates = [("outcome_vector_dimensions", [0, 1, 2]), ("cues", ["a", "b"])]
    xr.DataArray(np.arange(6.0).reshape(3, 2), coordinates).to_netcdf(tmp_path / "w.nc", engine="netcdf4")
    loaded = rw.load_weights(tmp_path / "w.nc")
    assert (loaded.cues, loaded.outcomes) == (("a", "b"), ("0", "1", "2"))
    assert loaded["b", "2"] == 5.0


@pytest.mark.parametrize("name", ["e.rw", "e.tab", "e.csv", "e.npz", "e.npy", "e.nc"])
@pytest.mark.parametrize("binary", [True, False])
def test_events_in_place_of_weights_name_what_reads_them(name: str, binary: bool, tmp_path: Path) -> None:
    events = rw.read_events([("a_b", "x"), ("b", "y")])
    if binary:
        (tmp_path / name).write_bytes(Path(str(events.save(tmp_path / "e.events").path)).read_bytes())
        found = "found a binary event file; rescorla.open_events reads it"
    else:
        (tmp_path / name).write_text("cues\toutcomes\na_b\tx\n")
        found = "found an event table; rescorla.read_events reads it"
    with pytest.raises(
        rw.FormatError, match=rf"{name}: expected weights, .*\.npz, \.npy, \.nc, \.zarr, {found}"
    ):
        rw.load_weights(tmp_path / name)


# Files that the library of netCDF makes without the elements.


def test_the_checksum_of_hdf5_is_that_of_its_author() -> None:
    assert hdf5.lookup3(b"") == 0xDEADBEEF
    assert hdf5.lookup3(b"Four score and seven years ago") == 0x17770551


@pytest.mark.parametrize("n_attributes", [0, 1, 40])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (301, 203)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_elements_are_not_given_to_the_library(
    n_attributes: int, shape: tuple[int, int], dtype: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import netCDF4

    given: list[bool] = []
    make = files._netcdf_bytes

    def listening(netcdf: Any, content: Any, elements: bool) -> bytes:
        made = make(netcdf, content, elements)
        given.append(elements)
        assert len(made) < content.values.nbytes or min(shape) < 100
        return made

    monkeypatch.setattr(files, "_netcdf_bytes", listening)
    values = np.random.default_rng(1).normal(size=shape).astype(dtype)
    names = [[f"{kind}{i}" for i in range(n)] for kind, n in zip("co", shape, strict=True)]
    parameters = {f"p{i}": "x" * 100 for i in range(n_attributes)}
    saved = rw.Weights(values, names[0], names[1], parameters)
    saved.save(tmp_path / "w.nc")
    assert given == [False]
    assert same(rw.load_weights(tmp_path / "w.nc"), saved)
    # By the library itself, from the disk.
    with netCDF4.Dataset(tmp_path / "w.nc") as dataset:
        dataset.set_auto_maskandscale(False)
        assert np.array_equal(dataset["weights"][:], values)
        assert dataset["cues"][:].tolist() == names[0]


def test_a_file_that_is_not_as_expected_is_left_to_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import netCDF4

    saved = weights()
    frame = files._netcdf_bytes(netCDF4, saved._content(), False)
    size = saved.values.nbytes
    whole = hdf5.with_room(frame, size)
    assert whole is not None
    assert len(whole) % 8 == 0
    assert whole[: len(frame)] != frame
    changed = [at for at, (old, new) in enumerate(zip(frame, whole, strict=False)) if old != new]
    # Two numbers of eight bytes and two checksums of four.
    assert len(changed) <= 24
    place = changed[-1]
    for wrong in (
        b"",
        frame[:-1],
        frame + b"\0",
        b"x" + frame[1:],
        frame[:8] + b"\0" + frame[9:],
        frame[:9] + b"\4" + frame[10:],
        frame[:40] + bytes([frame[40] ^ 1]) + frame[41:],
        frame[: place - 8] + bytes([frame[place - 8] ^ 1]) + frame[place - 7 :],
    ):
        assert hdf5.with_room(wrong, size) is None
    assert hdf5.with_room(frame, size + 8) is None
    assert hdf5.with_room(frame, 0) is None
    monkeypatch.setattr(hdf5, "with_room", lambda file, size: None)
    saved.save(tmp_path / "w.nc")
    assert same(rw.load_weights(tmp_path / "w.nc"), saved)


def test_netcdf_of_something_else_is_refused(tmp_path: Path) -> None:
    import xarray as xr

    xr.DataArray(VALUES, dims=("x", "y")).to_netcdf(tmp_path / "w.nc", engine="netcdf4")
    with pytest.raises(rw.FormatError, match=r"w\.nc: expected .*0 variables over the dimensions cues and"):
        rw.load_weights(tmp_path / "w.nc")


@pytest.mark.parametrize(
    ("suffix", "name"), [("npz", "a\0"), ("npz", "\0"), ("nc", "a\0"), ("nc", "\0a"), ("nc", "a\0b")]
)
def test_a_name_that_a_format_cannot_hold_is_refused(suffix: str, name: str, tmp_path: Path) -> None:
    for odd in (rw.Weights([[1.0]], [name], ["x"]), rw.Weights([[1.0]], ["a"], [name])):
        with pytest.raises(ValueError, match=r"NUL.*\.npy"):
            odd.save(tmp_path / f"w.{suffix}")
        assert list(tmp_path.iterdir()) == []
        odd.save(tmp_path / "w.npy")
        loaded = rw.load_weights(tmp_path / "w.npy")
        assert (loaded.cues, loaded.outcomes) == (odd.cues, odd.outcomes)
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()


@pytest.mark.parametrize("name", ["", " ", "a\0b", "\t\n", "_", "\u2028"])
@pytest.mark.parametrize("suffix", ["npz", "npy"])
def test_odd_names_come_back(suffix: str, name: str, tmp_path: Path) -> None:
    rw.Weights([[1.0]], [name], [name]).save(tmp_path / f"w.{suffix}")
    assert rw.load_weights(tmp_path / f"w.{suffix}").cues == (name,)


@pytest.mark.parametrize("name", ["w", "w.txt", "w.npz.gz", ".npz"])
def test_an_unknown_suffix_lists_the_known_ones(name: str, tmp_path: Path) -> None:
    for call in (weights().save, rw.load_weights):
        with pytest.raises(ValueError, match=r"\.npz, \.npy, \.nc"):
            call(tmp_path / name)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_file_is_file_not_found(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        rw.load_weights(tmp_path / f"w.{suffix}")
    assert caught.value.filename == str(tmp_path / f"w.{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_cannot_be_written_has_its_own_name(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / f"w.{suffix}"
    with pytest.raises(FileNotFoundError) as caught:
        weights().save(path)
    assert caught.value.filename == str(path)
    assert f"no folder '{tmp_path / 'nowhere'}' to write it in; make it first" in str(caught.value)
    (tmp_path / f"w.{suffix}").mkdir()
    with pytest.raises(IsADirectoryError) as found:
        weights().save(tmp_path / f"w.{suffix}")
    assert found.value.filename == str(tmp_path / f"w.{suffix}")
    assert [each.name for each in tmp_path.iterdir()] == [f"w.{suffix}"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_link_stays_a_link(suffix: str, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / f"w.{suffix}"
    link.symlink_to(target)
    weights().save(link)
    assert link.is_symlink()
    assert target.is_file()
    assert same(rw.load_weights(link), weights())


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("keep", [0, 1, 5, 60, 0.5, 0.9, -1])
def test_a_truncated_file_is_refused(suffix: str, keep: float, tmp_path: Path) -> None:
    path = tmp_path / f"w.{suffix}"
    weights().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(keep * len(whole)) if 0 < keep < 1 else int(keep)])
    assert_refused(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "content", [b"", b"cues\toutcomes\n", b"\x80\x04N.", bytes(1000), b"PK\x03\x04" + bytes(50)]
)
def test_a_foreign_file_is_refused(suffix: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"w.{suffix}"
    path.write_bytes(content)
    assert_refused(path)


def test_a_changed_byte_of_npz_is_refused_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    weights().save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x15]) + whole[at + 1 :])
        try:
            loaded = rw.load_weights(path)
        except rw.FormatError:
            continue
        assert same(loaded, weights())


@pytest.mark.parametrize(
    "arrays",
    [
        {"values": np.ones((2, 3))},
        {"values": np.ones(2), "cues": ["a", "b"], "outcomes": ["x"], "parameters": "{}"},
        {"values": np.ones((1, 1)), "cues": [1], "outcomes": ["x"], "parameters": "{}"},
        {"values": np.ones((1, 1)), "cues": ["a"], "outcomes": [["x"]], "parameters": "{}"},
        {"values": np.ones((1, 1)), "cues": ["a"], "outcomes": ["x"], "parameters": "3"},
        {"values": np.ones((1, 1), "c8"), "cues": ["a"], "outcomes": ["x"], "parameters": "{}"},
    ],
)
def test_npz_of_something_else_is_refused(arrays: dict[str, Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", **arrays)
    assert_refused(tmp_path / "w.npz")


def test_npz_with_a_pickle_is_refused(tmp_path: Path) -> None:
    odd = np.array([{"an": "object"}], dtype=object)
    np.savez(tmp_path / "w.npz", values=odd, cues=["a"], outcomes=["x"], parameters="{}")
    assert_refused(tmp_path / "w.npz")


def assert_refused(path: Path) -> None:
    """The file is refused with its name, what was expected, and what to do."""
    with pytest.raises(rw.FormatError) as caught:
        rw.load_weights(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "expected" in message
    assert any(cure in message for cure in WRONG)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failing_save_leaves_the_old_file(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"w.{suffix}"
    weights().save(path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}

    class Full:
        """A file on a disk that turns out to be full when it is to be complete."""

        def __init__(self, path: str) -> None:
            file = _core.AtomicFile(path)
            self.temporary, self.discard = file.temporary, file.discard

        def settle(self) -> None:
            raise OSError(28, "No space left on device", str(path))

        finish = settle

    with monkeypatch.context() as patch:
        for module in (disk, npy):
            patch.setattr(module, "AtomicFile", Full)
        with pytest.raises(OSError, match="No space left") as caught:
            rw.Weights([[9.0]], ["other"], ["names"]).save(path)
    assert caught.value.filename == str(path)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


# Learning into a file or an array.

EVENTS = [("a_b", "x"), ("b_c", "y"), ("a_c", "x_z", 2)]


def test_out_is_a_mapped_file_with_its_labels(tmp_path: Path) -> None:
    events = rw.read_events(EVENTS)
    path = tmp_path / "w.npy"
    learned = rw.learn(events, out=path)
    expected = rw.learn(events)
    assert isinstance(learned.values.base, np.memmap)
    assert not learned.values.flags.writeable
    for found in (learned, rw.load_weights(path)):
        assert np.array_equal(found.values, expected.values)
        assert (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
        assert found.parameters == learned.parameters
    assert [each.name for each in tmp_path.iterdir()] == ["w.npy"]
    again = rw.learn(events, initial=learned, out=tmp_path / "again.npy")
    assert np.array_equal(again.values, rw.learn(events, initial=expected).values)
    assert not np.array_equal(again.values, learned.values)


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("order", ["C", "F"])
def test_out_is_an_array_of_any_layout(order: Any, step: int) -> None:
    # The outcome w never occurs, so learning writes nothing to its column.
    events = rw.read_events([*EVENTS[:2], ("a_c", "x_w", 0)])
    whole = np.full((3 * step, 3 * step), 7.0, order=order)
    out = whole[::step, ::step]
    learned = rw.learn(events, out=out)
    assert learned.values is out
    assert np.array_equal(out, rw.learn(events).values)
    if step == 2:
        whole[::2, ::2] = 7
        assert (whole == 7).all()


def test_learning_goes_on_in_place() -> None:
    events = rw.read_events(EVENTS)
    first = rw.learn(events)
    expected = rw.learn(events, initial=first).values
    second = rw.learn(events, initial=first, out=first.values)
    assert second.values is first.values
    assert np.array_equal(second.values, expected)


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros((3, 2)), ValueError, r"shape \(3, 3\), not of float64 of shape \(3, 2\)"),
        (np.zeros((3, 3), "f4"), ValueError, "not of float32"),
        (np.zeros((3, 3), ">f8"), ValueError, "not of >f8"),
        (np.broadcast_to(0.0, (3, 3)), ValueError, "writeable"),
        (np.lib.stride_tricks.as_strided(np.zeros(5), (3, 3), (8, 8)), ValueError, "share memory"),
        ([[0.0] * 3] * 3, TypeError, "not list"),
        ("w.npz", ValueError, r"out must be a path that ends in \.npy, not 'w\.npz'"),
    ],
)
def test_out_that_does_not_fit_is_refused(out: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        rw.learn(rw.read_events(EVENTS), out=out)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system reserves no room")
def test_a_disk_without_room_is_an_error_of_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", fail)
    with pytest.raises(OSError, match="No space left") as caught:
        rw.Weights([[1.0]], ["a"], ["x"]).save(tmp_path / "w.npy")
    assert caught.value.filename == str(tmp_path / "w.npy")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_out_file(tmp_path: Path) -> None:
    events = rw.read_events(EVENTS)
    path = tmp_path / "w.npy"
    rw.learn(events, out=path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    with pytest.raises(FloatingPointError, match=r"of cue '[ab]' to outcome 'x' became .*diverges"):
        rw.learn(rw.read_events([("a_b", "x", 5000)]), alpha=9.0, beta=9.0, out=path)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    with pytest.raises(FileNotFoundError) as caught:
        rw.learn(events, out=tmp_path / "nowhere" / "w.npy")
    assert caught.value.filename == str(tmp_path / "nowhere")
    assert f"no folder {tmp_path / 'nowhere'}; make it first" in str(caught.value)


# Arguments of learning that are about names and types.


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"method": "backward"}, ValueError, "method must be 'auto' or 'forward' or 'adjoint'"),
        ({"dtype": "int64"}, ValueError, "float64' or 'float32', not 'int64"),
        ({"threads": 0}, ValueError, "threads must be a whole number of 1 or more, not 0"),
        ({"threads": 1.5}, TypeError, "threads must be a whole number of 1 or more, not 1.5"),
        ({"alpha": "0.1"}, TypeError, "alpha must be a number, a mapping or an array, not str"),
        ({"alpha": True}, TypeError, "alpha must be a number, not bool"),
        ({"alpha": None}, TypeError, "alpha"),
        ({"alpha": -0.1}, ValueError, "alpha must be .*0 or more"),
        ({"alpha": [0.1, 0.1]}, ValueError, "array of 3 numbers, one for each cue of the result, not of 2"),
        ({"alpha": [[0.1] * 3]}, ValueError, "not of 1 x 3"),
        ({"alpha": ["0.1"] * 3}, TypeError, "alpha must consist of numbers"),
        ({"alpha": {"a": 0.1, "b": 0.1}}, KeyError, "cue 'c'"),
        ({"alpha": {"a": 0.1, "b": -0.1, "c": 0.1}}, ValueError, "cue 'b'"),
        ({"alpha": {"a": 0.1, "b": "0.1", "c": 0.1}}, TypeError, "numbers"),
        ({"alpha": 1e300, "dtype": "float32"}, ValueError, "finite in float32"),
        ({"beta": (0.1,)}, ValueError, r"pair \(beta1, beta2\), not 1 numbers"),
        ({"beta": (0.1, 0.1, 0.1)}, ValueError, "not 3 numbers"),
        ({"beta": "0.1"}, TypeError, "beta must be a number, not str"),
        ({"beta": "01"}, TypeError, "beta must be a number, not str"),
        ({"beta": -1}, ValueError, "beta must be 0 or more"),
        ({"beta": (0.1, -0.1)}, ValueError, "beta must be 0 or more"),
        ({"lambda_": [1.0]}, ValueError, "array of 3 numbers, one for each outcome of the result, not of 1"),
        ({"lambda_": {"x": 1.0, "y": 1.0}}, KeyError, "outcome 'z'"),
        ({"cues": "a"}, TypeError, r"cues must be several names, not the str 'a'"),
        ({"outcomes": "xy"}, TypeError, "outcomes must be several names"),
        ({"outcomes": ["x", "x"]}, ValueError, "outcomes names 'x' twice"),
        ({"cues": ["a", "a"]}, ValueError, "cues names 'a' twice"),
        ({"outcomes": ["w"]}, KeyError, "'w', which is none of the 3 outcomes"),
        ({"cues": ["w"]}, KeyError, "'w', which is none of the 3 cues"),
        ({"initial": np.zeros((3, 3))}, TypeError, "initial must be Weights, not an ndarray"),
        ({"progress": 1}, TypeError, "progress must be"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(keywords: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        rw.learn(rw.read_events(EVENTS), **keywords)


def test_arrays_have_the_order_of_names() -> None:
    events = rw.read_events(EVENTS)
    alphas, lambdas = [0.1, 0.2, 0.3], [1.0, 2.0, 3.0]
    by_array = rw.learn(events, alpha=alphas, lambda_=np.array(lambdas, "f4"))
    by_name = rw.learn(
        events,
        alpha=dict(zip("cba", reversed(alphas), strict=True)),
        lambda_=dict(zip("xyz", lambdas, strict=True)),
    )
    assert np.array_equal(by_array.values, by_name.values)
    assert by_array.parameters["alpha"] == alphas
    chosen = rw.learn(events, cues=["c", "a"], outcomes=["z", "x"], alpha=alphas, lambda_=[3.0, 1.0])
    assert np.array_equal(chosen.values, by_array.values[[2, 0]][:, [2, 0]])
    assert (chosen.parameters["alpha"], chosen.parameters["lambda"]) == ([0.3, 0.1], [3.0, 1.0])


def test_parameters_say_how_weights_came_about() -> None:
    events = rw.read_events(EVENTS)
    first = rw.learn(events, beta=(0.2, 0.1), dtype="float32", threads=1)
    assert json.loads(json.dumps(first.parameters)) == first.parameters
    expected = {
        "rule": "rescorla_wagner",
        "alpha": 0.1,
        "beta1": 0.2,
        "beta2": 0.1,
        "lambda": 1.0,
        "n_events": 3,
        "n_tokens": 4,
        "n_cues": 3,
        "n_outcomes": 3,
        "dtype": "float32",
        "method": "forward",
        "threads": 1,
        "continued": False,
        "version": rw.__version__,
    }
    assert {name: first.parameters[name] for name in expected} == expected
    assert first.parameters["seconds"] > 0
    assert first.parameters["kernel"]
    assert rw.learn(events, initial=first).parameters["continued"] is True


def test_the_warning_points_at_the_call() -> None:
    with pytest.warns(RuntimeWarning, match=r"beta = 2 .* = 1, .*safe only below 2;") as caught:
        rw.learn(rw.read_events(EVENTS), alpha=0.5, beta=2.0)
    assert caught[0].filename == __file__


def test_equilibrium_says_how_it_was_solved() -> None:
    weights = rw.equilibrium(rw.read_events(EVENTS), beta=(0.5, 0.5), background="always")
    assert weights.parameters["rule"] == "equilibrium"
    assert weights.parameters["rank"] == 3
    assert {"tolerance", "solver"} <= weights.parameters.keys()
    assert weights.parameters["background"] == "always"
    assert weights.cues == ("always", "a", "b", "c")


def test_equilibrium_of_a_part_keeps_all_names() -> None:
    part = rw.read_events(EVENTS)[1:2]
    for keywords, cues in (({}, ("a", "b", "c")), ({"background": "always"}, ("always", "a", "b", "c"))):
        weights = rw.equilibrium(part, **keywords)  # type: ignore[call-overload]
        assert (weights.cues, weights.outcomes) == (cues, ("x", "y", "z"))
        assert not weights.row("a").any()
        assert weights.row("b").sum() == pytest.approx(1 / (len(cues) - 1))
    with pytest.raises(ValueError, match="'b' is a cue of the events already"):
        rw.equilibrium(part, background="b")


@pytest.mark.parametrize(
    ("beta", "message"),
    [((0, 0), "more than 0"), (0, "more than 0"), (-1, "0 or more"), ((1, 1, 1), "3 numbers")],
)
def test_equilibrium_needs_a_rate(beta: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rw.equilibrium(rw.read_events(EVENTS), beta=beta)
