"""Weights from and to tables: data frames, DataArrays, Arrow, Parquet, CSV."""

import csv
import os
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rescorla._weights import directions, tables
from strategies import VERBATIM_NAMES

VALUES = [[0.5, -1.0, 0.1], [0.25, 1e-300, -0.0]]
PARAMETERS = {
    "rule": "rescorla_wagner",
    "alpha": 0.1,
    "n_events": 3,
    "continued": True,
    "note": "1",
    "x": None,
}
# What the column of cues of a wide table may be called.
HEADERS = st.sampled_from(["cue", "cue_"])
PLAIN = HEADERS | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@st.composite
def weights(
    draw: st.DrawFn, names: st.SearchStrategy[str] = HEADERS | VERBATIM_NAMES, least: int = 0
) -> rw.Weights:
    """Any finite and infinite numbers with any names, and parameters as learning has them."""
    sides = [draw(st.lists(names, min_size=least, max_size=4, unique=True)) for _ in range(2)]
    dtype, bits = draw(st.sampled_from([(np.float64, 64), (np.float32, 32)]))
    values = draw(
        arrays(dtype, tuple(map(len, sides)), elements=st.floats(width=bits, allow_nan=False))  # type: ignore[arg-type]
    )
    parameters = dict(draw(st.dictionaries(st.sampled_from(list(PARAMETERS)), st.just(0))))
    return rw.Weights(values, sides[0], sides[1], {name: PARAMETERS[name] for name in parameters})


def same(found: rw.Weights, expected: rw.Weights) -> bool:
    """Whether the names, the types and the bits agree."""
    return (
        (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
        and found.values.dtype == expected.values.dtype
        and found.values.tobytes() == expected.values.tobytes()
    )


def header(known: rw.Weights) -> str:
    """What the column of cues of a wide table is called."""
    return next(name for name in ("cue", "cue_", "cue__") if name not in known.outcomes)


# DataArrays and data frames.


@given(weights(), st.booleans())
def test_a_data_array_comes_back(known: rw.Weights, turned: bool) -> None:
    array = known.to_xarray()
    found = rw.Weights.from_xarray(array.transpose("outcomes", "cues") if turned else array)
    assert same(found, known)
    assert found.parameters == known.parameters


# A frame without columns has no type.
@given(weights(least=1))
def test_a_data_frame_comes_back(known: rw.Weights) -> None:
    found = rw.Weights.from_pandas(known.to_pandas())
    assert same(found, known)
    assert found.parameters == known.parameters


def test_parameters_of_each_name_go_with_a_data_array_and_not_with_a_frame() -> None:
    known = rw.Weights(VALUES, ["a", "b"], ["x", "y", "z"], {"alpha": [0.1, 0.2], "lambda": [1.0, 2.0, 3.0]})
    turned = known.to_xarray().isel(cues=[1, 0])
    assert rw.Weights.from_xarray(turned).parameters == {"alpha": [0.2, 0.1], "lambda": [1.0, 2.0, 3.0]}
    assert rw.Weights.from_pandas(known.to_pandas()).parameters == {}


def test_what_is_given_is_not_copied() -> None:
    known = rw.Weights(VALUES, ["a", "b"], ["x", "y", "z"])
    assert np.shares_memory(rw.Weights.from_xarray(known.to_xarray()).values, known.values)


def test_numbers_of_other_types_become_floats() -> None:
    frame = pd.DataFrame({"x": [1, 2], "y": [True, False]}, index=["a", "b"])
    for numbers in (frame, frame.astype(int), frame.astype("Float64"), frame.astype({"y": "Int8"})):
        assert rw.Weights.from_pandas(numbers).values.tolist() == [[1.0, 1.0], [2.0, 0.0]]
    kinds: list[tuple[Any, int]] = [("float32", 0), ("Float32", 0), ("float32", 1), ("Float32", 1)]
    for dtype, n in kinds:
        frame = pd.DataFrame({"x": [1.5] * n, "y": [0.5] * n}, index=["a"] * n).astype(dtype)
        assert rw.Weights.from_pandas(frame).values.dtype == np.float32
        small = rw.Weights(np.zeros((n, 2), np.float32), ["a"] * n, ["x", "y"])
        assert rw.Weights.from_pandas(small.to_pandas()).values.dtype == np.float32
    gap = pd.DataFrame({"x": pd.array([1.5, None], "Float32")}, index=["a", "b"])
    assert rw.Weights.from_pandas(gap).values.dtype == np.float32
    mixed = pd.DataFrame({"x": pd.array([], "Float32"), "y": pd.array([], "Float64")}, index=[])
    assert rw.Weights.from_pandas(mixed).values.dtype == np.float64
    lacking = rw.Weights.from_pandas(pd.DataFrame({"x": pd.array([1.5, None], "Float64")}, index=["a", "b"]))
    assert np.isnan(lacking["b", "x"])
    assert (
        rw.Weights.from_xarray(xr.DataArray([[1, 2]], {"cues": ["a"], "outcomes": ["x", "y"]}))["a", "y"]
        == 2.0
    )


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: rw.Weights.from_xarray(VALUES), TypeError, "must be an xarray DataArray, not a list"),  # type: ignore[arg-type]
        (
            lambda: rw.Weights.from_xarray(xr.Dataset({"w": ("cues", [1.0])})),  # type: ignore[arg-type]
            TypeError,
            "not a Dataset; take one of its variables",
        ),
        (
            lambda: rw.Weights.from_xarray(xr.DataArray(VALUES, dims=("a", "b"))),
            ValueError,
            r"dimensions 'cues' and 'outcomes', not 'a', 'b'; rename\(\)",
        ),
        (
            lambda: rw.Weights.from_xarray(xr.DataArray(VALUES, dims=("cues", "outcomes"))),
            ValueError,
            r"no names for the dimension 'cues'; .*assign_coords\(cues=",
        ),
        (
            lambda: rw.Weights.from_pandas(pd.DataFrame([[1.0], [2.0]], index=["a", "a"], columns=["x"])),
            ValueError,
            "cues must be distinct, but 'a' comes twice",
        ),
    ],
)
def test_what_has_no_names_says_how_to_give_some(make: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        make()


WIDE = rw.Weights([[0.5, 1.0], [-2.0, 0.25]], ["nan", "b"], ["1", "y"])
LONG = WIDE.to_pandas().rename_axis("cue").melt(ignore_index=False, var_name="outcome", value_name="weight")


@pytest.mark.parametrize(
    ("frame", "message", "followed"),
    [
        (
            WIDE.to_pandas().reset_index(),
            r"the column 'cues' is not of numbers; write frame.set_index\('cues'\)$",
            lambda frame: frame.set_index("cues"),
        ),
        (
            WIDE.to_pandas().reset_index().assign(pos="N"),
            r"write frame.set_index\('cues'\).drop\(columns=\['pos'\]\)$",
            lambda frame: frame.set_index("cues").drop(columns=["pos"]),
        ),
        (
            WIDE.to_pandas().assign(pos="N"),
            r"the column 'pos' is not of numbers; write frame.drop\(columns=\['pos'\]\), or",
            lambda frame: frame.drop(columns=["pos"]),
        ),
        (
            WIDE.to_pandas().astype(str),
            r"the column '1' is not of numbers; write .*, or frame.astype\(float\) where it has numerals$",
            lambda frame: frame.astype(float),
        ),
        *(
            (
                frame,
                r'write frame.reset_index\(\).pivot\(index="cue", columns="outcome", values="weight"\)$',
                lambda frame: frame.reset_index().pivot(index="cue", columns="outcome", values="weight"),
            )
            for frame in (LONG, LONG.reset_index(), LONG.reset_index().convert_dtypes())
        ),
        (
            WIDE.to_pandas().reset_index(drop=True),
            r"frame.index must be the names of cues, but 0 is no name; write frame.set_axis\(\[...\]\) with",
            lambda frame: frame.set_axis(["nan", "b"]),
        ),
        (
            WIDE.to_pandas().set_axis([0, 1]),
            r"but 0 is no name; .*, or frame.rename\(index=str\) where numbers are names$",
            lambda frame: frame.rename(index=str).rename(index={"0": "nan", "1": "b"}),
        ),
        (
            WIDE.to_pandas().rename(columns={"1": 1}),
            r"frame.columns must be the names of outcomes, but 1 is .*; write frame.rename\(columns=str\)$",
            lambda frame: frame.rename(columns=str),
        ),
        (
            pd.read_csv(StringIO(WIDE.to_pandas().to_csv()), index_col=0),
            "frame.index must be the names of cues, but nan is no name; if pandas took .*, "
            r"read the table with pandas.read_csv\(..., keep_default_na=False\)$",
            lambda _: pd.read_csv(StringIO(WIDE.to_pandas().to_csv()), index_col=0, keep_default_na=False),
        ),
        (
            WIDE.to_arrow(),
            r"frame must be a pandas DataFrame, not a Table; write frame.to_pandas\(\)$",
            lambda table: table.to_pandas().set_index("cue"),
        ),
    ],
)
def test_what_from_pandas_says_can_be_done(frame: Any, message: str, followed: Any) -> None:
    with pytest.raises(TypeError, match=message):
        rw.Weights.from_pandas(frame)
    found = rw.Weights.from_pandas(followed(frame))
    # A pivot sorts names.
    assert found.shape == WIDE.shape
    assert all(found[pair] == WIDE[pair] for pair in product(WIDE.cues, WIDE.outcomes))


@pytest.mark.parametrize("label", [None, float("nan"), True])
def test_labels_of_an_array_that_are_no_names_are_refused(label: Any) -> None:
    # Dimensions of vectors may be numbers.
    array = WIDE.to_xarray().assign_coords(outcomes=np.array([7, "y"], dtype=object))
    assert rw.Weights.from_xarray(array).outcomes == ("7", "y")
    array = array.assign_coords(outcomes=np.array(["x", label], dtype=object))
    with pytest.raises(
        TypeError, match=r"array must have names of the dimension 'outcomes', but .* is no name"
    ):
        rw.Weights.from_xarray(array)


@pytest.mark.parametrize(
    ("make", "given", "message", "followed"),
    [
        (rw.Weights.from_pandas, VALUES, r"not a list; rescorla.Weights\(values, cues, outcomes\)", None),
        (rw.Weights.from_pandas, WIDE.to_xarray(), "from_xarray takes a DataArray", rw.Weights.from_xarray),
        (rw.Weights.from_xarray, WIDE.to_pandas(), "from_pandas takes a data frame", rw.Weights.from_pandas),
        (
            rw.Weights.from_xarray,
            WIDE.to_xarray().to_dataset(name="w"),
            "take one of its variables",
            lambda dataset: rw.Weights.from_xarray(dataset["w"]),
        ),
        (
            rw.Weights.from_xarray,
            WIDE.to_xarray().rename(cues="a", outcomes="b"),
            r"rename\(\) gives it these",
            lambda array: rw.Weights.from_xarray(array.rename(a="cues", b="outcomes")),
        ),
        (
            rw.Weights.from_xarray,
            WIDE.to_xarray().drop_vars("cues"),
            r"give it some by assign_coords\(cues=\[...\]\)",
            lambda array: rw.Weights.from_xarray(array.assign_coords(cues=["nan", "b"])),
        ),
    ],
)
def test_what_other_objects_are_told_can_be_done(make: Any, given: Any, message: str, followed: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make(given)
    if followed is not None:
        assert same(followed(given), WIDE)


# Arrow and what reads it.


@given(weights(PLAIN, 1), st.integers(1, 10))
def test_arrow_has_every_weight_with_its_names(known: rw.Weights, block: int) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install rescorla[arrow]")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directions, "_BLOCK", block)
        long = known.to_arrow(long=True)
        wide = known.to_arrow()
    assert hasattr(long, "__arrow_c_stream__")
    assert long.column_names == ["cue", "outcome", "weight"]
    pairs = [(cue, outcome) for cue in known.cues for outcome in known.outcomes]
    assert list(zip(long["cue"].to_pylist(), long["outcome"].to_pylist(), strict=True)) == pairs
    assert long["weight"].to_numpy().tobytes() == known.values.tobytes()
    assert wide.column_names == [header(known), *known.outcomes]
    assert tuple(wide[0].to_pylist()) == known.cues
    for outcome in known.outcomes:
        assert wide[outcome].to_numpy().tobytes() == known.column(outcome).tobytes()


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0)])
@pytest.mark.parametrize("long", [False, True])
def test_arrow_has_tables_without_weights(shape: tuple[int, int], long: bool) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install rescorla[arrow]")
    table = rw.Weights(np.zeros(shape), ("a", "b")[: shape[0]], ("x", "y")[: shape[1]]).to_arrow(long)
    assert table.num_rows == (0 if long else shape[0])


def test_polars_queries_weights() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed: pip install rescorla[test]")
    known = rw.Weights(VALUES, ["a", "b"], ["x", "y", "z"])
    long = polars.DataFrame(known.to_arrow(long=True))
    found = long.filter((polars.col("cue") == "b") & (polars.col("weight") > 0.1))
    assert found.rows() == [("b", "x", 0.25)]
    assert polars.DataFrame(known.to_arrow()).filter(polars.col("x") < 0.3)["cue"].to_list() == ["b"]


def test_duckdb_queries_weights() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install rescorla[test]")
    known = rw.Weights(VALUES, ["a", "b"], ["x", "y", "z"])
    tables = {"long": known.to_arrow(long=True), "wide": known.to_arrow()}
    with duckdb.connect() as base:
        for name, table in tables.items():
            base.register(name, table)
        assert base.sql("SELECT * FROM long WHERE cue = 'b' AND weight > 0.1").fetchall() == [
            ("b", "x", 0.25)
        ]
        assert base.sql("SELECT cue, z FROM wide ORDER BY x LIMIT 1").fetchall() == [("b", -0.0)]
        # Every bit comes back.
        pivoted = base.sql("SELECT weight FROM long ORDER BY cue, outcome").fetchnumpy()["weight"]
    assert np.asarray(pivoted).tobytes() == known.values.tobytes()


@pytest.mark.parametrize(
    ("outcomes", "header"),
    [(["x", "cue"], "cue_"), (["cue_", "x"], "cue"), (["cue__", "cue", "cue_"], "cue___")],
)
def test_the_first_column_is_called_as_no_outcome_is(
    outcomes: list[str], header: str, tmp_path: Path
) -> None:
    known = rw.Weights([[0.5, 1.0, 2.0][: len(outcomes)]], ["a"], outcomes)
    frames = [known.to_arrow().to_pandas()]
    for suffix, read in (("csv", pd.read_csv), ("tsv", pd.read_table), ("parquet", pd.read_parquet)):
        known.save(tmp_path / f"w.{suffix}")
        frames.append(read(tmp_path / f"w.{suffix}"))
    for frame in frames:
        assert list(frame.columns) == [header, *outcomes]
        assert same(rw.Weights.from_pandas(frame.set_index(frame.columns[0])), known)
    # A long table has columns of its own.
    assert known.to_arrow(long=True)["outcome"].to_pylist() == outcomes
    known.save(tmp_path / "w.csv", long=True)
    assert (tmp_path / "w.csv").read_text().startswith(f"cue,outcome,weight\na,{outcomes[0]},0.5\n")


def test_names_of_columns_are_names_of_a_frame() -> None:
    """The names of cues are the index of a data frame, which no outcome can be mistaken for."""
    known = rw.Weights([[0.5, 1.0], [2.0, 3.0]], ["cue", "cues"], ["cues", "cue"])
    assert same(rw.Weights.from_pandas(known.to_pandas()), known)


# Files.


@pytest.mark.parametrize("long", [False, True])
def test_each_type_has_its_own_digits(tmp_path: Path, long: bool) -> None:
    values = [[0.1, 1 / 3]]
    for dtype, cells in ((np.float32, ["0.1", "0.33333334"]), (np.float64, ["0.1", "0.3333333333333333"])):
        rw.Weights(np.array(values, dtype), ["a"], ["x", "y"]).save(tmp_path / "w.csv", long=long)
        rows = [f"a,x,{cells[0]}", f"a,y,{cells[1]}"] if long else [f"a,{cells[0]},{cells[1]}"]
        assert (tmp_path / "w.csv").read_text().splitlines()[1:] == rows


@given(
    weights(),
    st.sampled_from([(".csv", ","), (".tsv", "\t"), (".CSV", ",")]),
    st.booleans(),
    st.integers(1, 9),
)
def test_the_csv_module_reads_what_is_saved(
    tmp_path_factory: pytest.TempPathFactory, known: rw.Weights, kind: tuple[str, str], long: bool, block: int
) -> None:
    path = tmp_path_factory.mktemp("w") / f"w{kind[0]}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directions, "_BLOCK", block)
        known.save(path, long=long)
    with path.open(encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream, delimiter=kind[1], strict=True)
    numbers: list[str] = []
    if long:
        assert head == ["cue", "outcome", "weight"]
        assert [row[:2] for row in rows] == [[c, o] for c in known.cues for o in known.outcomes]
        numbers = [row[2] for row in rows]
    else:
        assert head == [header(known), *known.outcomes]
        assert [row[0] for row in rows] == list(known.cues)
        numbers = [cell for row in rows for cell in row[1:]]
    # Every bit, in as many digits as it takes.
    assert numbers == [
        repr(number.item()) if number.itemsize == 8 else str(number) for number in known.values.flat
    ]
    assert np.array(list(map(float, numbers)), known.values.dtype).tobytes() == known.values.tobytes()


@pytest.mark.parametrize("long", [False, True])
def test_pandas_reads_what_is_saved(tmp_path: Path, long: bool) -> None:
    known = rw.Weights(VALUES, ["a,b", 'c"d'], ["x", "y\nz", "é"])
    known.save(tmp_path / "w.csv", long=long)
    known.save(tmp_path / "w.parquet", long=long)
    for frame in (
        pd.read_csv(tmp_path / "w.csv"),
        pd.read_parquet(tmp_path / "w.parquet"),
    ):
        wide = (
            frame.pivot(index="cue", columns="outcome", values="weight").loc[
                list(known.cues), list(known.outcomes)
            ]
            if long
            else frame.set_index("cue")
        )
        # Older pandas rounds the last digit of text.
        np.testing.assert_allclose(wide.to_numpy(), VALUES, rtol=1e-15)
        assert (tuple(wide.index), tuple(wide.columns)) == (known.cues, known.outcomes)


@given(weights(PLAIN, 1), st.booleans(), st.integers(1, 10))
def test_parquet_has_every_weight(
    tmp_path_factory: pytest.TempPathFactory, known: rw.Weights, long: bool, block: int
) -> None:
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="pyarrow is not installed: pip install rescorla[arrow]"
    )
    path = tmp_path_factory.mktemp("w") / "w.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directions, "_BLOCK", block)
        known.save(path, long=long)
    assert parquet.read_table(path).equals(known.to_arrow(long).combine_chunks())


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_tables_are_written_whole_or_not_at_all(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"w.{suffix}"
    known = rw.Weights(VALUES, ["a", "b"], ["x", "y", "z"])
    known.save(path)
    before = path.read_bytes()

    def failing(n_rows: int, n_columns: int) -> Any:
        yield slice(0, 1)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables, "blocks", failing)
    with pytest.raises(OSError, match=rf"No space left on device: '.*w\.{suffix}'"):
        known.save(path, long=True)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_tables_are_only_written(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"w.{suffix}"
    for long in (False, True):
        rw.Weights(VALUES, ["a", "b"], ["x", "y", "z"]).save(path, long=long)
        with pytest.raises(
            ValueError, match=rf"\.npz, \.npy, \.nc, \.zarr, found '\.{suffix}': such tables are for other"
        ):
            rw.load_weights(path)


def test_long_is_for_tables(tmp_path: Path) -> None:
    known = rw.Weights([[0.5]], ["a"], ["x"])
    for suffix in ("npz", "npy", "nc", "zarr"):
        with pytest.raises(ValueError, match=r"long is for tables, \.csv, \.tsv, \.parquet; leave it out"):
            known.save(tmp_path / f"w.{suffix}", long=True)
    with pytest.raises(ValueError, match=r"ends in one of .*\.zarr, \.csv, \.tsv, \.parquet, found '\.txt'"):
        known.save(tmp_path / "w.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_name_that_is_no_text_is_named(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the outcome '\\ud800' is no text that UTF-8 has"):
        rw.Weights([[0.5]], ["a"], ["\ud800"]).save(tmp_path / f"w.{suffix}")
    assert list(tmp_path.iterdir()) == []
