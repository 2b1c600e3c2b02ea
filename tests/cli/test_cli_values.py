"""Values of options: several of them, and such as begin with a hyphen."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import rescorla as rw
from terminal import json_of, ok, said

TABLE = "cues\toutcomes\na_b\tx\nb\ty\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the dog\n")
    Path("e.tab").write_text(TABLE)
    Path("some table").write_text("the\tdet\na\tdet\ndog\tn\n")
    rw.learn("e.tab").save("w.npz")


@pytest.mark.parametrize(
    "told",
    [
        ["--cues-from", "trigrams,words"],
        ["--cues-from", "trigrams", "--cues-from", "words"],
        ["--cues-from", "@some table"],
        ["--window", "2, 1"],
        ["--outcomes-from", "none"],
    ],
    ids=str,
)
def test_several_values_are_taken(told: list[str]) -> None:
    ok("events", "text.txt", *told, "-o", "e.rw")
    ok("events", *told, "text.txt", "-o", "e.rw")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (
            ["--cues-from", "2", "words"],
            "unrecognized arguments: words; put names with blanks into quotes, and commas between values",
        ),
        (["--cues-from", "2;words"], "'2;words' is none of words,"),
        (["--outcomes-from", "words,none"], "'none' is none of words,"),
        (["--window", "2;1"], "'2;1' is no number, no pair"),
        (["--columns", "cues", "1"], "'cues' does not say which column is which"),
        (["--columns", "cues=a outcomes=b"], "expected a column named"),
        (["--", "--window", "2", "1"], "--window: No such file"),
        (["--beta", "0.1,0.2"], "argument --beta: invalid float value: '0.1,0.2'"),
        (["--beta", "1", "2", "--beta", "3"], "--beta takes one number or two"),
        (["--part", "3/3"], "parts of 3 are 0/3 to 2/3"),
        (["--top", "-1"], "-1 is less than 0"),
    ],
    ids=str,
)
def test_what_are_no_values_is_an_error(told: list[str], message: str) -> None:
    assert message in said("learn", "text.txt", *told).error


@pytest.mark.parametrize("told", [["0.3", "0.2"], ["0.3", "--beta", "0.2"]], ids=str)
@pytest.mark.parametrize(("command", "function"), [("learn", rw.learn), ("equilibrium", rw.equilibrium)])
def test_two_rates_are_a_pair(command: str, function: Callable[..., rw.Weights], told: list[str]) -> None:
    ok(command, "e.tab", "--beta", *told, "-o", "v.npz")
    assert np.array_equal(rw.load_weights("v.npz").values, function("e.tab", beta=(0.3, 0.2)).values)
    ok(command, "e.tab", "-o", "v.npz")
    assert np.array_equal(rw.load_weights("v.npz").values, function("e.tab").values)


def test_ten_are_printed_unless_it_is_said() -> None:
    rw.Weights([[float(n) for n in range(1, 13)]], ["a"], [f"o{n}" for n in range(12)]).save("v.npz")
    assert ok("top", "v.npz").count("\n") == 10
    rw.read_events([("a", "x")] * 12).save("e.rw")
    assert ok("influence", "e.rw", "--cue", "a", "--outcome", "x").count("\n") == 10


def test_a_name_may_be_called_so() -> None:
    rw.Weights([[1.0, 2.0, 3.0]], ["a"], ["x,y", "x", "y"]).save("v.npz")
    ok("export", "v.npz", "-o", "u.npz", "--outcomes", "x,y", "x")
    assert rw.load_weights("u.npz").outcomes == ("x,y", "x")


def test_names_may_be_given_one_by_one() -> None:
    ok("export", "w.npz", "-o", "v.npz", "--outcomes", "y", "--outcomes", "x")
    assert rw.load_weights("v.npz").outcomes == ("y", "x")


HYPHENS = ("--", "-s", "--json")


@pytest.mark.parametrize("name", HYPHENS)
def test_a_name_may_begin_with_a_hyphen(name: str) -> None:
    rw.Weights([[1.0, 2.0], [3.0, 4.0]], [name, "a"], [name, "x"]).save("v.npz")
    ok("export", "v.npz", "-o", "u.npz", f"--outcomes={name}", f"--cues={name}")
    assert rw.load_weights("u.npz").outcomes == rw.load_weights("u.npz").cues == (name,)
    ok("export", "v.npz", "-o", "u.npz", "--outcomes", "x", f"--outcomes={name}")
    assert rw.load_weights("u.npz").outcomes == ("x", name)
    assert ok("top", "v.npz", f"--cue={name}", "-n", 1) == f"{name}\tx\t2\n"
    assert json_of("top", "v.npz", f"--outcome={name}", "-n", 1)["outcome"] == name
    ok("learn", "text.txt", f"--background={name}", f"--boundary={name}", "-o", "t.npz")
    assert rw.load_weights("t.npz").parameters["events"]["boundary"] == name
    assert name in rw.load_weights("t.npz").cues


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("--alpha=--", "argument --alpha: invalid float value: '--'"),
        ("--beta=--", "argument --beta: invalid float value: '--'"),
        ("--dtype=--", "argument --dtype: invalid choice: '--'"),
        ("--stop-words=--", "--: No such file"),
    ],
)
def test_two_hyphens_are_a_value_like_others(told: str, message: str) -> None:
    assert message in said("learn", "text.txt", told).error


@pytest.mark.parametrize(
    "told",
    [["top", "w.npz", "--cue"], ["export", "w.npz", "-o", "v.npz", "--cues"], ["learn", "e.tab", "--cues"]],
    ids=lambda told: told[0],
)
@pytest.mark.parametrize("name", HYPHENS)
def test_a_name_with_a_hyphen_is_told_to_follow_an_equals_sign(told: list[str], name: str) -> None:
    assert said(*told, name).error.endswith(
        f" one argument; one that begins with - follows an equals sign, as in {told[-1]}=-s\n"
    )
