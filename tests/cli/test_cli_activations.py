"""rescorla activations: tables of events and outcomes."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla import cli
from terminal import ok, said

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="_\0"), min_size=1, max_size=4)


@given(
    outcomes=st.lists(NAMES, min_size=1, max_size=4, unique=True),
    values=st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=8),
    single=st.booleans(),
)
def test_a_table_has_the_numbers_and_the_names(
    outcomes: list[str], values: list[float], single: bool, folder: Path
) -> None:
    matrix = np.array(values).reshape(2, 4)[:, : len(outcomes)].astype("float32" if single else "float64")
    weights = rw.Weights(matrix, ["a", "b"], outcomes)
    weights.save(folder / "w.npz")
    rw.read_events([("a_b", "x", 2), ("b", "x"), ("a", "y")]).to_table(folder / "e.tab")
    expected = rw.activations(["a_b", "b", "a"], weights)
    for suffix, delimiter in (("csv", ","), ("tsv", "\t")):
        path = folder / f"a.{suffix}"
        ok("activations", folder / "e.tab", folder / "w.npz", "-o", path)
        with path.open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file, delimiter=delimiter)
        assert head == ["cues", *outcomes]
        assert [row[0] for row in rows] == ["a_b", "b", "a"]
        # Every bit of them.
        assert np.array_equal(np.array([row[1:] for row in rows], dtype=expected.dtype), expected)


def test_a_table_of_some_outcomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.activations, "_BLOCK", 2)
    table, weights = tmp_path / "e.tab", rw.Weights([[0.5, 0.25, -1.0]], ["a"], ["x", "y", "z"])
    rw.read_events([("a", "x"), ("q", "x"), ("a_q", "x")]).to_table(table)
    weights.save(tmp_path / "w.npz")
    told = ["activations", table, tmp_path / "w.npz", "--outcomes", "z", "x", "--unknown", "ignore"]
    ok(*told, "-o", tmp_path / "a.csv")
    frame = pd.read_csv(tmp_path / "a.csv", index_col=0)
    assert frame.to_dict() == {"z": {"a": -1.0, "q": 0.0, "a_q": -1.0}, "x": {"a": 0.5, "q": 0.0, "a_q": 0.5}}
    ok(*told, "-o", tmp_path / "a.npy")
    assert np.array_equal(np.load(tmp_path / "a.npy"), frame.to_numpy())
    assert ok(*told, "--top", 1) == "a\tx\t0.5\nq\t(no known cue)\na_q\tx\t0.5\n"


def test_what_is_wrong_is_said_before_the_work(tmp_path: Path) -> None:
    table = tmp_path / "e.tab"
    rw.read_events([("a", "x")]).to_table(table)
    rw.learn(table).save(tmp_path / "w.npz")
    for name, message in (("a.txt", "-o writes .csv, .tsv or .npy"), ("none/a.csv", "no folder")):
        found = said("activations", table, tmp_path / "w.npz", "-o", tmp_path / name)
        assert found.status == 1
        assert message in found.error
    assert (
        "'q'"
        in said("activations", table, tmp_path / "w.npz", "-o", tmp_path / "a.csv", "--outcomes", "q").error
    )
    rw.read_events([("b", "x")]).to_table(table)
    (tmp_path / "a.csv").write_text("old")
    assert said("activations", table, tmp_path / "w.npz", "-o", tmp_path / "a.csv").status == 1
    # Whole or not at all.
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv", "e.tab", "w.npz"]
    assert (tmp_path / "a.csv").read_text() == "old"


def test_a_table_replaces_no_input(tmp_path: Path) -> None:
    table = tmp_path / "e.csv"
    table.write_text("cues,outcomes\na,x\n")
    rw.learn(table).save(tmp_path / "w.npz")
    found = said("activations", table, tmp_path / "w.npz", "-o", table)
    assert found.status == 1
    assert "is also read: name another output" in found.error
