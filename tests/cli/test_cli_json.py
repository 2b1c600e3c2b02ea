"""--json: every command prints one object, whose keys are documented."""

import json
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from rescorla import cli
from rescorla.cli import printing
from rescorla.cli.command import all_of
from stores import made
from terminal import json_of, said

TABLE = "cues\toutcomes\tfrequency\na_b\tx\t3\nb_c\ty\t1\na\tx\t2\n"

# Of each command how it is told to print as much as it can, and what some keys then have.
CALLS: list[tuple[str, dict[str, Any]]] = [
    (
        "events e.tab -o new.rw --table t.tab --cue-counts c.tab --outcome-counts o.tab --split 1 "
        "--test-output test.rw",
        {"read_as": "event table", "events": 2, "test_events": 1, "table": "t.tab", "saved_to": "new.rw"},
    ),
    ("learn e.tab -o new.npz --top 1", {"tokens": 6, "saved_to": "new.npz"}),
    ("learn e.tab", {"saved_to": None}),
    ("learn e.tab -o new.zarr --part 0/1", {"part": [0, 1], "store": "new.zarr", "tiles_missing": 0}),
    ("equilibrium e.tab --top 2", {"cues": 3, "outcomes": 2, "saved_to": None}),
    ("influence e.tab --cue a --outcome x -n 2", {"tokens": 6, "initial": 0.0}),
    ("activations e.tab w.npz -o a.npy --top 1", {"shape": [3, 2], "saved_to": "a.npy"}),
    ("activations t.txt t.npz --unknown ignore --top 1", {"coded_as": "the events of t.npz: --symbols a-z"}),
    ("activations e.tab w.npz -o a.csv", {"shape": [3, 2], "saved_to": "a.csv"}),
    ("top w.npz --cue a", {"weights": "w.npz", "cue": "a", "outcome": None}),
    ("export w.npz -o new.npy", {"saved_to": "new.npy", "cues": 3, "outcomes": 2}),
    ("info e.tab", {"kind": "events", "n_events": 3, "file": "e.tab"}),
    ("info e.rw", {"kind": "events", "read_as": "binary event file"}),
    ("info w.npz", {"kind": "weights", "n_cues": 3, "dtype": "float64"}),
    ("verify e.rw", {"kind": "events", "sound": True, "events": 3}),
    ("verify w.npz", {"kind": "weights", "sound": True, "cues": 3}),
    ("verify w.zarr", {"kind": "store", "sound": True, "missing": [], "bad": []}),
    ("plot w.npz -o p.svg", {"weights": "w.npz", "picture": "p.svg"}),
    ("report w.npz -o p.html", {"files": ["w.npz"], "kind": "weights", "page": "p.html"}),
    ("report e.tab e.rw -o p.html", {"files": ["e.tab", "e.rw"], "kind": "events"}),
    ("completion bash", {"shell": "bash"}),
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.tab").write_text(TABLE)
    rw.read_events("e.tab", "e.rw")
    Path("t.txt").write_text("some words\n")
    rw.learn(rw.corpus_events("t.txt", symbols="a-z")).save("t.npz")
    for name in ("w.npz", "w.zarr"):
        rw.learn("e.tab").save(name)


@pytest.mark.parametrize(("told", "expected"), CALLS)
def test_every_command_prints_one_object(told: str, expected: dict[str, Any]) -> None:
    if told.startswith("completion"):
        pytest.importorskip("shtab")
    found = json_of(*told.split())
    assert {key: found[key] for key in expected} == expected
    assert found.keys() <= all_of(cli.parser())[told.split()[0]].keys.keys()


def test_every_key_of_every_command_is_printed_by_a_call() -> None:
    pytest.importorskip("shtab")
    printed: dict[str, set[str]] = {}
    for told, _ in CALLS:
        printed.setdefault(told.split()[0], set()).update(json_of(*told.split()))
        for new in Path().glob("new.*"):
            if new.is_file():
                new.unlink()
    assert printed == {name: set(command.keys) for name, command in all_of(cli.parser()).items()}


def test_the_report_and_warnings_go_to_standard_error() -> None:
    found = said("learn", "e.tab", "--beta", 30, "--json")
    assert found.out.count("\n") == 1
    assert "rescorla: warning: --beta = 30 may overshoot" in found.error
    assert "tokens     6" in found.error
    assert json.loads(found.out)["parameters"]["beta1"] == 30


def test_what_is_listed_is_what_python_gives() -> None:
    weights = rw.load_weights("w.npz")
    listed = json_of("learn", "e.tab", "--top", 9)["strongest"]
    assert {(pair["cue"], pair["outcome"]): pair["weight"] for pair in listed} == {
        (cue, outcome): weights[cue, outcome] for cue in weights.cues for outcome in weights.outcomes
    }
    activations = rw.activations("e.tab", weights)
    rows = json_of("activations", "e.tab", "w.npz", "--top", 2)["activations"]
    assert [row["cues"] for row in rows] == [["a", "b"], ["b", "c"], ["a"]]
    for row, values in zip(rows, activations, strict=True):
        assert {each["outcome"]: each["activation"] for each in row["top"]} == dict(
            zip(weights.outcomes, values.tolist(), strict=True)
        )
    Path("u.tab").write_text("cues\toutcomes\nz\tx\n")
    rows = json_of("activations", "u.tab", "w.npz", "--top", 2, "--unknown", "ignore")["activations"]
    assert rows == [{"cues": ["z"], "known": False, "top": []}]


def test_a_store_with_a_missing_tile_is_an_object_and_status_3() -> None:
    made(rw.read_events("e.tab"), "half.zarr")
    found = json_of("verify", "half.zarr", status=3)
    assert (found["sound"], found["missing"], found["tiles"]) == (False, [0], 1)


def test_an_error_leaves_standard_output_empty() -> None:
    found = said("learn", "missing", "--json")
    assert (found.status, found.out) == (1, "")
    assert found.error.count("\n") == 1
    found = said("events", "e.tab", "--table", "-", "--json")
    assert (found.status, found.out) == (2, "")
    assert "--json writes to standard output" in found.error


def test_what_json_has_not_is_null_or_text(capsys: pytest.CaptureFixture[str]) -> None:
    printing.listing({"a": float("nan"), "b": Path("é")}, "c", iter([(1, float("inf"))]))
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": "é", "c": [[1, None]]}
    printing.listing({}, "c", iter([]))
    assert json.loads(capsys.readouterr().out) == {"c": []}
