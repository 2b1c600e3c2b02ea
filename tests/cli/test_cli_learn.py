"""What rescorla learn and rescorla equilibrium are told beyond numbers."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla import cli
from rescorla.cli.command import all_of
from rescorla.cli.learn import size
from rescorla.cli.weight_files import schedule_of
from terminal import ok, said

TABLE = "cues\toutcomes\tfrequency\na_b\tx\t3\nb_c\ty\t1\na\tx\t2\nc\tx_y\t5\n"
ALPHAS = "cue\talpha\na\t0.1\nb\t0.2\nc\t0.3\n"

HALF = {"rule": "van_hamme_wasserman", "rule_parameters": {"k": 0.5}}

# What a command is told, and the same in Python.
LEARN: list[tuple[str, dict[str, Any]]] = [
    ("--outcomes y", {"outcomes": ["y"]}),
    ("--outcomes y x", {"outcomes": ["y", "x"]}),
    ("--outcomes @list", {"outcomes": ["y"]}),
    ("--cues c @list.cues", {"cues": ["c", "a", "b"]}),
    ("--alpha-file alphas.tab", {"alpha": {"a": 0.1, "b": 0.2, "c": 0.3}}),
    ("--alpha-file alphas.csv", {"alpha": {"a": 0.1, "b": 0.2, "c": 0.3}}),
    ("--alpha-file one.tab --alpha 0.4", {"alpha": {"a": 0.4, "b": 0.2, "c": 0.4}}),
    ("--lambda-file lambdas.tab", {"lambda_": {"x": 2.0, "y": 1.0}}),
    ("--schedule inverse_time:10", {"schedule": rw.schedules.inverse_time(10)}),
    ("--schedule piecewise:2/4,1/0.5/0.1", {"schedule": rw.schedules.piecewise([2, 4], [1, 0.5, 0.1])}),
    ("--average", {"average": True}),
    ("--rule no_competition", {"rule": "no_competition"}),
    ("--rule van_hamme_wasserman --rule-parameters k=0.5", HALF),
    ("--retention 0.999", {"retention": 0.999}),
    ("--event-memory 0", {"event_memory": 0}),
    ("--event-memory 1MiB", {"event_memory": 1 << 20}),
    ("--initial before.npz", {"initial": "before.npz"}),
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in (
        ("e.tab", TABLE),
        ("list", "y\n"),
        ("list.cues", "names\tfrequency\na\t3\nb\t4\n"),
        ("alphas.tab", ALPHAS),
        ("alphas.csv", 'cue,alpha\n"a",0.1\nb,0.2\nc,0.3\n'),
        ("one.tab", "b\t0.2\n"),
        ("lambdas.tab", "x\t2\ny\t1\n"),
    ):
        Path(name).write_text(content, encoding="utf-8")
    rw.learn(rw.read_events([("a", "x"), ("d", "z")])).save("before.npz")


@pytest.mark.parametrize(("told", "same"), LEARN)
def test_options_are_arguments_of_learn(told: str, same: dict[str, Any]) -> None:
    if "initial" in same:
        same = {"initial": rw.load_weights(same["initial"])}
    expected = rw.learn("e.tab", **same)
    for output in ("w.npz", "w.npy", "w.zarr"):
        ok("learn", "e.tab", *told.split(), "-o", output)
        found = rw.load_weights(output)
        assert (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
        assert np.array_equal(np.asarray(found), expected.values)
    ok("learn", "e.tab", *told.split(), "-o", "part.zarr", "--part", "0/1")
    assert np.array_equal(np.asarray(rw.load_weights("part.zarr")), expected.values)
    for name in ("schedule", "average"):
        assert rw.load_weights("w.npz").parameters[name] == expected.parameters[name]


def test_the_equilibrium_of_saliences_and_lambdas() -> None:
    Path("t.tab").write_text("cues\toutcomes\na_b\tx\nc\ty\n", encoding="utf-8")
    ok("equilibrium", "t.tab", "--alpha-file", "alphas.tab", "--lambda-file", "lambdas.tab", "-o", "w.npz")
    expected = rw.equilibrium("t.tab", alpha={"a": 0.1, "b": 0.2, "c": 0.3}, lambda_={"x": 2.0, "y": 1.0})
    assert np.array_equal(rw.load_weights("w.npz").values, expected.values)
    assert not np.array_equal(expected.values, rw.equilibrium("t.tab").values)


@pytest.mark.parametrize("more", ["", "--beta 1 0.5 --alpha 0.2", "--ridge 2 --method iterative"])
def test_the_equilibrium_from_initial_weights(more: str) -> None:
    ok("equilibrium", "e.tab", "--initial", "before.npz", *more.split(), "-o", "w.npz")
    arguments: dict[str, dict[str, Any]] = {
        "": {},
        "--beta 1 0.5 --alpha 0.2": {"beta": (1, 0.5), "alpha": 0.2},
        "--ridge 2 --method iterative": {"ridge": 2, "method": "iterative"},
    }
    expected = rw.equilibrium("e.tab", initial=rw.load_weights("before.npz"), **arguments[more])
    found = rw.load_weights("w.npz")
    assert (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
    assert "d" in found.cues
    assert np.array_equal(found.values, expected.values)
    assert found.parameters["continued"]
    wrong = said("equilibrium", "e.tab", "--initial", "e.tab")
    assert wrong.status == 1
    assert "expected weights" in wrong.error


@pytest.mark.parametrize("function", [rw.learn, rw.equilibrium])
def test_every_argument_is_an_option(function: Callable[..., Any]) -> None:
    # What is given as FILE and as -o; phases would be several results, and -o names one; vectors have no
    # file that is one format's.
    given = {"events", "out", "by", "cue_vectors", "outcome_vectors"}
    arguments = set(inspect.signature(function).parameters) - given
    assert arguments <= {action.dest for action in all_of(cli.parser())[function.__name__]._actions}


@pytest.mark.parametrize(
    ("told", "status", "message"),
    [
        ("--schedule powr:1,2", 2, "did you mean 'power'?"),
        ("--rule hybrid --rule-parameters salience_rate:2", 2, "is no NAME=NUMBER, such as k=0.5"),
        ("--rule hybrid --rule-parameters salience_rate=2", 1, "must be from 0 to 1, not 2"),
        ("--rule hybrid -o w.nc", 1, "w.nc: these weights have states (salience), which only .npz files"),
        ("--schedule power:1", 2, "does not say exponent; write power:tau=N,exponent=N"),
        ("--schedule power:1,2,3", 2, "'3' in 'power:1,2,3' is one too many"),
        ("--schedule power:tau=1,tau=2", 2, "'tau=2' in"),
        ("--schedule power:much,1", 2, "'much' is no number; write power:tau=N,exponent=N"),
        (
            "--schedule piecewise:1;2,1;0.5;0.1",
            2,
            "'1;2' is no number; write piecewise:ends=N/N/...,factors=N/",
        ),
        ("--schedule inverse_time:0", 2, "tau must be above 0"),
        ("--event-memory 5XB", 2, "'5XB' is no number of bytes; write 512MiB"),
        ("--event-memory -1", 2, "--event-memory"),
        ("--alpha-file missing", 1, "missing: No such file"),
        ("--alpha-file one.tab", 1, "--alpha-file one.tab has no entry for the cue 'a'"),
        ("--lambda-file few", 1, "--lambda-file few has no entry for the outcome 'y'"),
        (
            "--lambda-file one.tab --lambda 1",
            0,
            "--lambda-file one.tab has entries for 'b', not an outcome of",
        ),
        (
            "--alpha-file less --alpha 0.1",
            1,
            "--alpha-file less must be finite in float64 and 0 or more, not -1.0",
        ),
        ("--alpha-file one.tab --alpha -1", 1, "error: --alpha must be 0 or more, not -1.0"),
        ("--lambda-file few --lambda nan", 1, "error: --lambda must be "),
        ("--alpha-file e.tab", 1, "e.tab, line 1: expected a name and a number, found 3 cells"),
        ("--alpha-file twice", 1, "twice, line 2: expected each name once, found 'a' again"),
        ("--alpha-file words", 1, "words, line 2: expected a number, found 'much'"),
        ("--outcomes z", 1, "'z'"),
        ("--outcomes @missing", 1, "missing: No such file"),
        ("--initial e.tab", 1, "expected weights"),
        ("--cues words", 1, "--cues-from words says what words give"),
        ("--method adjoint --average", 1, "--method must be forward for a mean"),
        ("--initial before.npz -o before.npz", 1, "before.npz is also read: name another output"),
        ("--alpha-file one.npy -o one.npy", 1, "one.npy is also read: name another output"),
        ("--outcomes @one.npy -o one.npy", 1, "one.npy is also read: name another output"),
    ],
)
def test_what_is_wrong_is_said(told: str, status: int, message: str) -> None:
    Path("few").write_text("x\t2\n", encoding="utf-8")
    Path("less").write_text("a\t-1\n", encoding="utf-8")
    Path("twice").write_text("a\t1\na\t2\n", encoding="utf-8")
    Path("words").write_text("a\t1\nb\tmuch\n", encoding="utf-8")
    Path("one.npy").write_text("b\t0.2\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    found = said("learn", "e.tab", *told.split())
    assert (found.status, found.out) == (status, "")
    assert message in found.error
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_a_name_may_begin_with_an_at_sign() -> None:
    Path("t.tab").write_text("cues\toutcomes\na\t@user\na\t@\n", encoding="utf-8")
    ok("learn", "t.tab", "--outcomes", "@@user", "@", "-o", "w.npz")
    assert rw.load_weights("w.npz").outcomes == ("@user", "@")
    Path("l").write_text("@user\n", encoding="utf-8")
    ok("learn", "t.tab", "--outcomes", "@l", "-o", "w.npz")
    assert rw.load_weights("w.npz").outcomes == ("@user",)


@given(number=st.integers(0, 10**6), power=st.integers(0, 4))
def test_a_size_is_its_number_times_its_unit(number: int, power: int) -> None:
    for base, units in ((1024, ("B", "KiB", "MiB", "GiB", "TiB")), (1000, ("", "kB", "MB", "GB", "TB"))):
        assert size(f"{number}{units[power]}") == size(f"{number} {units[power]}") == number * base**power
    assert size("0.5KiB") == 512


@given(
    tau=st.floats(0.5, 1e6),
    exponent=st.floats(0, 3),
    ends=st.lists(st.integers(1, 99), min_size=1, unique=True).map(sorted),
)
def test_a_schedule_prints_as_in_python(tau: float, exponent: float, ends: list[int]) -> None:
    factors = [1 / (1 + each) for each in range(len(ends) + 1)]
    listed = "/".join(map(str, ends)) + "," + "/".join(map(str, factors))
    for text, made in (
        (f"inverse_time:tau={tau}", rw.schedules.inverse_time(tau)),
        (f"power:{tau},{exponent}", rw.schedules.power(tau, exponent)),
        (f"power:exponent={exponent},tau={tau}", rw.schedules.power(tau, exponent)),
        (f"piecewise:{listed}", rw.schedules.piecewise(ends, factors)),
    ):
        assert repr(schedule_of(text)) == repr(made)
