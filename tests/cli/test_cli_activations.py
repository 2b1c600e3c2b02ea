"""rescorla activations: tables of events and outcomes."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
from hypothesis import example, given
from hypothesis import strategies as st
from rescorla import cli
from terminal import json_of, ok, said

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="_\0"), min_size=1, max_size=4)


@example(outcomes=["cues"], values=[0.5] * 8, single=False)
@example(outcomes=["cues_", "x", "cues"], values=[0.5] * 8, single=False)
@given(
    # Among them what the first column is called where no outcome is.
    outcomes=st.lists(NAMES | st.sampled_from(["cues", "cues_", "cue"]), min_size=1, max_size=4, unique=True),
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
        assert head[1:] == outcomes
        assert head[0] == next(name for name in ("cues", "cues_", "cues__") if name not in outcomes)
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


EVENTS: list[tuple[Any, ...]] = [("a_b", "x_y"), ("b", "y", 3), ("a", [])]


def of_present(folder: Path) -> tuple[list[object], rw.Events, rw.Weights]:
    """How the command is told, of what events and what weights."""
    events = rw.read_events(EVENTS).save(folder / "e.rw")
    weights = rw.Weights([[0.1, 1 / 3, 2.0], [0.25, -0.0, 1.0]], ["a", "b"], ["y", "x", "z"])
    weights.save(folder / "w.npz")
    return ["activations", folder / "e.rw", folder / "w.npz", "--present-only"], events, weights


@pytest.mark.parametrize("held", [1, 1 << 16])
def test_of_present_outcomes_alone_a_table_has_a_row_for_each(
    held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli.activations, "_EVENTS", held)
    told, events, weights = of_present(tmp_path)
    expected = rw.activations(events, weights, present_only=True)
    for suffix, delimiter in (("csv", ","), ("tsv", "\t")):
        ok(*told, "-o", tmp_path / f"a.{suffix}")
        with (tmp_path / f"a.{suffix}").open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file, delimiter=delimiter)
        assert head == ["event", "cues", "outcome", "activation"]
        assert [row[:3] for row in rows] == [["1", "a_b", "x"], ["1", "a_b", "y"], ["2", "b", "y"]]
        assert [float(row[3]) for row in rows] == expected.tolist()
    assert ok(*told, "--top", 1) == "a_b\ty\t0.35\nb\ty\t0.25\n"


def test_of_present_outcomes_alone_npy_and_json_have_one_number_each(tmp_path: Path) -> None:
    told, events, weights = of_present(tmp_path)
    found = json_of(*told, "-o", tmp_path / "a.npy", "--top", 5)
    assert found["shape"] == [3]
    assert np.array_equal(np.load(tmp_path / "a.npy"), rw.activations(events, weights, present_only=True))
    assert [[each["outcome"] for each in event["top"]] for event in found["activations"]] == [
        ["y", "x"],
        ["y"],
        [],
    ]


def test_a_present_outcome_that_the_weights_lack_is_an_error_or_nan(tmp_path: Path) -> None:
    told, _, weights = of_present(tmp_path)
    rw.Weights(weights.values[:, 1:], weights.cues, weights.outcomes[1:]).save(tmp_path / "w.npz")
    found = said(*told, "--top", 1)
    assert (found.status, "do not have the outcome 'y'" in found.error) == (1, True)
    ok(*told, "--unknown", "ignore", "-o", tmp_path / "a.npy")
    assert np.isnan(np.load(tmp_path / "a.npy")).tolist() == [False, True, True]
    assert ok(*told, "--unknown", "ignore", "--top", 1) == "a_b\tx\t0.333333\nb\ty\tnan\n"
    printed = json_of(*told, "--unknown", "ignore", "--top", 1)
    assert printed["activations"][1]["top"] == [{"outcome": "y", "activation": None}]


def test_present_outcomes_and_named_ones_are_two_questions(tmp_path: Path) -> None:
    told, _, _ = of_present(tmp_path)
    found = said(*told, "--outcomes", "x", "--top", 1)
    assert found.status == 2
    assert "--outcomes and --present-only ask for different things" in found.error


@pytest.mark.parametrize("present", [False, True])
def test_activations_are_of_the_type_that_is_asked_for(present: bool, tmp_path: Path) -> None:
    told, events, weights = of_present(tmp_path)
    told = told if present else told[:-1]
    expected = rw.activations(events, weights, present_only=present, dtype="float32")
    ok(*told, "--dtype", "float32", "-o", tmp_path / "a.npy")
    found = np.load(tmp_path / "a.npy")
    assert found.dtype == np.float32
    assert np.array_equal(found, expected)
    ok(*told, "-o", tmp_path / "b.npy")
    assert np.load(tmp_path / "b.npy").dtype == np.float64
    ok(*told, "--dtype", "float32", "-o", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in list(csv.reader(file))[1:] for cell in row[3 if present else 1 :]]
    assert cells == [str(value) for value in (expected + 0).ravel()]
