"""rescorla top: the strongest weights, by size or by value."""

from pathlib import Path

import numpy as np
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from terminal import json_of, ok, said

WEIGHTS = rw.Weights([[0.5, -0.9], [0.25, 0.1], [-0.75, 0.0]], ["red", "blue", "green"], ["y", "n"])


def test_pairs_are_ranked_by_size_and_have_their_sign(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    WEIGHTS.save(path)
    assert ok("top", path, "-n", 2) == "red\tn\t-0.9\ngreen\ty\t-0.75\n"
    assert ok("top", path, "--outcome", "y") == "green\ty\t-0.75\nred\ty\t0.5\nblue\ty\t0.25\n"
    assert ok("top", path, "--cue", "red", "-n", 1) == "red\tn\t-0.9\n"
    assert ok("top", path, "--cue", "red", "--by", "value", "-n", 1) == "red\ty\t0.5\n"
    assert said("top", path, "--by", "value").status == 2
    assert ok("top", path, "-n", 0) == ""
    # Ten by default.
    assert ok("top", path).count("\n") == 6


@given(
    values=st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0]), min_size=6, max_size=6), n=st.integers(0, 7)
)
def test_top_is_a_sort(values: list[float], n: int, folder: Path) -> None:
    path = folder / "w.npz"
    weights = rw.Weights(np.array(values).reshape(3, 2), ["a", "b", "c"], ["x", "y"])
    weights.save(path)
    pairs = [(cue, outcome, weights[cue, outcome]) for cue in weights.cues for outcome in weights.outcomes]
    for told, keep in (
        ({}, pairs),
        ({"cue": "b"}, [pair for pair in pairs if pair[0] == "b"]),
        ({"outcome": "y"}, [pair for pair in pairs if pair[1] == "y"]),
    ):
        for by, rank in (("size", lambda pair: -abs(pair[2])), ("value", lambda pair: -pair[2])):
            if by == "value" and not told:
                continue
            options = [word for name, value in told.items() for word in (f"--{name}", value)]
            found = json_of("top", path, "-n", n, "--by", by, *options)["pairs"]
            assert [tuple(pair.values()) for pair in found] == sorted(keep, key=rank)[:n]
    assert [tuple(pair) for pair in weights.top(outcome="y", n=3)] == [
        (pair["cue"], pair["weight"])
        for pair in json_of("top", path, "--outcome", "y", "--by", "value")["pairs"]
    ]


def test_a_store_is_ranked_as_well(tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    WEIGHTS.save(path)
    assert ok("top", path, "-n", 1) == "red\tn\t-0.9\n"
    assert ok("top", path, "--outcome", "y", "-n", 1) == "green\ty\t-0.75\n"


def test_names_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    WEIGHTS.save(path)
    found = said("top", path, "--outcome", "yy")
    assert (found.status, found.out) == (1, "")
    assert found.error.startswith(
        "rescorla: error: --outcome 'yy' is none of the 2 outcomes of these weights"
    )
    assert said("top", path, "--outcome", "y", "--cue", "red").status == 2
