"""rescorla influence: the events that made a weight."""

from pathlib import Path

import pytest
import rescorla as rw
from terminal import json_of, ok, said

ROWS = [("a_b", "x", 3), ("b_c", "y", 2), ("a", "x_y", 1), ("a", "", 1)]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rw.read_events(ROWS).to_table("e.tab")
    rw.learn(rw.read_events(ROWS)).save("w.npz")
    Path("alpha.tab").write_text("a\t0.4\n")


def test_rows_are_those_of_the_library() -> None:
    found = rw.influence("e.tab", "a", "x").top(2)
    lines = [
        line.split("\t") for line in ok("influence", "e.tab", "--cue", "a", "--outcome", "x").splitlines()
    ]
    lines = [line for line in lines if len(line) == 6]
    assert len(lines) == 3
    for line, (row, effect, contribution, event) in zip(lines, found, strict=False):
        assert line[:1] + line[3:] == [
            str(row),
            "_".join(event.cues),
            "_".join(event.outcomes),
            str(event.frequency),
        ]
        assert (float(line[1]), float(line[2])) == pytest.approx((effect, contribution), rel=1e-5)


def test_options_are_arguments() -> None:
    options = "--alpha 0.2 --alpha-file alpha.tab --beta 0.2 0.1 --lambda 2 --retention 0.999 --initial w.npz"
    told = ["influence", "e.tab", "--cue", "a", "b", "--outcome", "y", "-n", "3", *options.split()]
    printed = json_of(*told, "--schedule", "inverse_time:5")
    expected = rw.influence(
        "e.tab",
        ["a", "b"],
        "y",
        alpha={"a": 0.4, "b": 0.2, "c": 0.2},
        beta=(0.2, 0.1),
        lambda_=2.0,
        retention=0.999,
        schedule=rw.schedules.inverse_time(5),
        initial=rw.load_weights("w.npz"),
    )
    assert (printed["value"], printed["initial"]) == (expected.value, expected.initial)
    listed = [(each["row"], each["effect"], each["contribution"]) for each in printed["greatest"]]
    assert listed == [tuple(each[:3]) for each in expected.top(3)]


def test_what_is_asked_must_be_there() -> None:
    assert "--cue names 'z'" in said("influence", "e.tab", "--cue", "z", "--outcome", "x").error
    assert said("influence", "e.tab", "--cue", "a").status == 2
