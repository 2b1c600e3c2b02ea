"""Several values of an option: joined in another way than it takes them, and such as begin with a hyphen."""

from collections.abc import Callable, Sequence
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
    Path("trigrams").write_text("a dog\n")
    rw.learn("e.tab").save("w.npz")


# What is given, and what is to be written.
COMMAS: list[tuple[Sequence[str], str]] = [
    (["--cues-from", "trigrams", "words"], "trigrams,words"),
    (["--cues-from=trigrams", "words"], "trigrams,words"),
    (["--cues-from", "trigrams words"], "trigrams,words"),
    (["--cues-from", "trigrams, words"], "trigrams,words"),
    (["--cues-from", "trigrams,", "words"], "trigrams,words"),
    (["--cues-from", "trigrams", ",", "words"], "trigrams,words"),
    (["--cues-from", "trigrams,,words"], "trigrams,words"),
    (["--cues-from", "trigrams;words;@some"], "trigrams,words,@some"),
    (["--cues-from", "2", "--cues-from", "3+words"], "2,3,words"),
    (["--outcomes-from", "words", "2", "--no-lower"], "words,2"),
    (["--window", "2", "1"], "2,1"),
    (["--window", "2;1"], "2,1"),
    (["--window", "(2, 1)"], "2,1"),
    (["--window", "2", "--window", "1"], "2,1"),
    (["--columns", "cues=1", "outcomes=2"], "cues=1,outcomes=2"),
    (["--columns", "cues=a;outcomes=b"], "cues=a,outcomes=b"),
    (["--columns", "cues=a outcomes=b"], "cues=a,outcomes=b"),
    (["--columns", "cues=1", "--columns", "outcomes=2"], "cues=1,outcomes=2"),
]


@pytest.mark.parametrize(("told", "right"), COMMAS, ids=lambda given: str(given))
def test_what_commas_separate_is_told_so(told: Sequence[str], right: str) -> None:
    flag = told[0].partition("=")[0]
    for around in (["learn", "text.txt", *told], ["learn", *told, "text.txt"]):
        found = said(*around)
        assert found.status == 2
        assert found.error.endswith(
            f"learn: error: argument {flag}: separate its values by commas: write {flag} {right}\n"
        )


@pytest.mark.parametrize("told", [["0.1,0.2"], ["0.1;0.2"], ["0.1 0.2"], ["0.1", "--beta", "0.2"]], ids=str)
@pytest.mark.parametrize("command", ["learn", "equilibrium", "report"])
def test_two_rates_are_told_to_be_apart(command: str, told: list[str]) -> None:
    found = said(command, "e.tab", "-o", "page.html", "--beta", *told)
    decimals = ", and decimals with a point" if "," in told[0] else ""
    assert found.error.endswith(
        f"argument --beta: separate its values by blanks: write --beta 0.1 0.2{decimals}\n"
    )


@pytest.mark.parametrize("told", [["2", "1", "3"], ["context", "1"]], ids=str)
def test_what_is_given_too_often_is_given_once(told: list[str]) -> None:
    again = [word for each in told for word in ("--window", each)]
    error = said("learn", "text.txt", *again).error
    assert error.endswith(f"argument --window: given {len(told)} times; give it once\n")


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
def test_what_is_right_is_taken(told: list[str]) -> None:
    ok("events", "text.txt", *told, "-o", "e.rw")
    ok("events", *told, "text.txt", "-o", "e.rw")
    # What is a file is none of the values.
    ok("events", *told, "trigrams", "text.txt", "-o", "e.rw")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (["--cues-from", "words", "nothing"], "unrecognized arguments: nothing; put names"),
        (["--outcomes-from", "words,none"], "'none' is none of words,"),
        (["--outcomes-from", "words", "none"], "unrecognized arguments: none; put names"),
        (["--columns", "cues", "1"], "'cues' does not say which column is which"),
        (["--", "--window", "2", "1"], "--window: No such file"),
        (["--beta", "much,more"], "argument --beta: invalid float value: 'much,more'"),
    ],
    ids=str,
)
def test_what_are_no_values_is_answered_as_ever(told: list[str], message: str) -> None:
    assert message in said("learn", "text.txt", *told).error


@pytest.mark.parametrize("names", [["x,y"], ["x;y"], ["x y"], ["x,", "y"], ["x_y"]], ids=str)
@pytest.mark.parametrize(
    "told",
    [
        ["learn", "e.tab"],
        ["export", "w.npz", "-o", "v.npz"],
        ["plot", "w.npz", "-o", "w.svg"],
        ["activations", "e.tab", "w.npz", "--top", "1"],
    ],
    ids=lambda told: told[0],
)
def test_names_are_told_to_be_apart(told: list[str], names: list[str]) -> None:
    assert said(*told, "--outcomes", *names).error == (
        f"rescorla: error: --outcomes names {names[0]!r}, which is none of the 2 outcomes there are; "
        "separate names by blanks: write --outcomes x y\n"
    )
    if told[0] != "activations":
        assert said(*told, "--cues", "a_b").error.endswith("names by blanks: write --cues a b\n")


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


@pytest.mark.parametrize(("command", "function"), [("learn", rw.learn), ("equilibrium", rw.equilibrium)])
def test_two_rates_are_a_pair(command: str, function: Callable[..., rw.Weights]) -> None:
    ok(command, "e.tab", "--beta", "0.3", "0.2", "-o", "v.npz")
    assert np.array_equal(rw.load_weights("v.npz").values, function("e.tab", beta=(0.3, 0.2)).values)
    ok(command, "e.tab", "-o", "v.npz")
    assert np.array_equal(rw.load_weights("v.npz").values, function("e.tab").values)


def test_ten_are_printed_unless_it_is_said() -> None:
    rw.Weights([[float(n) for n in range(1, 13)]], ["a"], [f"o{n}" for n in range(12)]).save("v.npz")
    assert ok("top", "v.npz").count("\n") == 10
    rw.read_events([("a", "x")] * 12).save("e.rw")
    assert ok("influence", "e.rw", "--cue", "a", "--outcome", "x").count("\n") == 10


@pytest.mark.parametrize(
    ("told", "message"),
    [(["--part", "3/3"], "parts of 3 are 0/3 to 2/3"), (["--top", "-1"], "-1 is less than 0")],
    ids=str,
)
def test_what_is_no_value_is_an_error(told: list[str], message: str) -> None:
    assert message in said("learn", "text.txt", *told).error
