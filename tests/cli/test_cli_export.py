"""rescorla export: weights in other formats, whole or in part."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from terminal import json_of, ok, said

CUES, OUTCOMES = ["red", "blue", "a,b"], ["y", "n", 'q"']
WEIGHTS = rw.Weights(np.arange(9.0).reshape(3, 3) / 7, CUES, OUTCOMES)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("w.npz", "w.zarr"):
        WEIGHTS.save(name)


@pytest.mark.parametrize("source", ["w.npz", "w.zarr"])
@pytest.mark.parametrize("suffix", ["npz", "npy", "nc", "zarr"])
def test_weights_are_weights(source: str, suffix: str) -> None:
    ok("export", source, "-o", f"v.{suffix}", "--cues", "a,b", "red")
    found = rw.load_weights(f"v.{suffix}")
    assert (found.cues, found.outcomes) == (("a,b", "red"), tuple(OUTCOMES))
    assert np.array_equal(np.asarray(found), WEIGHTS.values[[2, 0]])


@pytest.mark.parametrize("source", ["w.npz", "w.zarr"])
def test_tables_are_wide_or_long(source: str) -> None:
    told = ["--outcomes", "n", "y"]
    found = json_of("export", source, "-o", "w.csv", *told)
    assert found == {"weights": source, "saved_to": "w.csv", "cues": 3, "outcomes": 2}
    expected = WEIGHTS.to_pandas()[["n", "y"]]
    frame = pd.read_csv("w.csv", index_col=0)
    assert np.array_equal(frame.to_numpy(), expected.to_numpy())
    assert list(frame.index) == CUES
    ok("export", source, "-o", "w.tsv", "--long", *told)
    long = pd.read_csv("w.tsv", sep="\t")
    assert list(long.columns) == ["cue", "outcome", "weight"]
    assert {(cue, outcome): weight for cue, outcome, weight in long.itertuples(index=False)} == {
        (cue, outcome): WEIGHTS[cue, outcome] for cue in CUES for outcome in ("n", "y")
    }
    ok("export", source, "-o", "w.parquet", *told)
    assert np.array_equal(pd.read_parquet("w.parquet").set_index("cue").to_numpy(), expected.to_numpy())


@given(
    cues=st.none() | st.lists(st.sampled_from(CUES), min_size=1, unique=True),
    outcomes=st.none() | st.lists(st.sampled_from(OUTCOMES), min_size=1, unique=True),
)
def test_a_part_is_what_pandas_picks(cues: Any, outcomes: Any, folder: Path) -> None:
    WEIGHTS.save(folder / "w.npz")
    options = [] if cues is None else ["--cues", *cues]
    options += [] if outcomes is None else ["--outcomes", *outcomes]
    ok("export", folder / "w.npz", "-o", folder / "v.npz", *options)
    expected = WEIGHTS.to_pandas().loc[cues or slice(None), outcomes or slice(None)]
    pd.testing.assert_frame_equal(rw.load_weights(folder / "v.npz").to_pandas(), expected)


def test_names_come_from_a_list() -> None:
    Path("list").write_text('n\nq"\n', encoding="utf-8")
    ok("export", "w.npz", "-o", "v.npz", "--outcomes", "@list")
    assert rw.load_weights("v.npz").outcomes == ("n", 'q"')


def test_learn_writes_tables_as_well() -> None:
    Path("e.tab").write_text("cues\toutcomes\na_b\tx\n")
    ok("learn", "e.tab", "-o", "new.csv")
    assert Path("new.csv").read_text().startswith("cue,x\na,")


@pytest.mark.parametrize(
    ("told", "status", "message"),
    [
        ("w.npz -o w.npz", 1, "w.npz is also read: name another output"),
        ("w.npz -o v.npz --outcomes @w.npz -o w.npz", 1, "w.npz is also read: name another output"),
        ("w.zarr -o ./w.zarr", 1, "./w.zarr is also read: name another output"),
        ("w.npz -o v.npz --long", 2, "--long is for tables"),
        ("w.npz -o v.txt", 1, ".npz, .npy, .nc"),
        ("w.npz -o none/v.csv", 1, "no folder"),
        ("w.npz -o v.csv --outcomes z", 1, "'z'"),
        ("e.tab -o v.csv", 1, "expected weights"),
        ("w.npz", 2, "-o"),
    ],
)
def test_what_is_wrong_is_said(told: str, status: int, message: str) -> None:
    Path("e.tab").write_text("cues\toutcomes\na_b\tx\n")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    found = said("export", *told.split())
    assert (found.status, found.out) == (status, "")
    assert message in found.error
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_wide_table_has_one_column_called_cue() -> None:
    rw.Weights([[0.5, 1.0]], ["a"], ["x", "cue"]).save("v.npz")
    found = said("export", "v.npz", "-o", "v.csv")
    assert found.status == 1
    assert "an outcome is called 'cue'" in found.error
    assert "a long one has room" in found.error
    ok("export", "v.npz", "-o", "v.csv", "--long")
    ok("export", "v.npz", "-o", "w2.csv", "--outcomes", "x")
