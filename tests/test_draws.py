"""Hypothesis and proptest draw the same cases in every run; random ones that fail are told as an @example."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis.internal.conjecture import providers

TESTS = Path(__file__).resolve().parent
CARGO = TESTS.parent / ".cargo" / "config.toml"

DRAWN = """
from hypothesis import given, strategies as st

@given(st.text(), st.integers())
def test_it(name, number):
    print(f"drawn: {name!r} {number}")
"""

FAILS = """
import pytest
from hypothesis import Phase, example, given, settings, strategies as st

@pytest.mark.parametrize("k", [0])
{}@given(
    numbers=st.lists(st.integers(0, 2000)),
    among=st.tuples(st.integers(), st.text("abc", min_size=1)),
)
def test_it(tmp_path_factory, k, numbers, among):
    assert sum(numbers) < 1000
"""

WITHIN = """
from hypothesis import given, strategies as st

@given(st.data())
def test_within(data):
    assert data.draw(st.integers()) < 5

@given(st.just(object()))
def test_without_text(shown):
    assert False
"""


def run(folder: Path, *arguments: str) -> str:
    """What pytest prints of the tests of a folder, with the plugin that this folder has."""
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    path = [str(folder), str(TESTS), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-s", *arguments],
        cwd=folder,
        env=environment | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def drawn(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if "drawn: " in line]


def test_every_run_draws_the_same_and_random_ones_do_not(tmp_path: Path) -> None:
    test = tmp_path / "test_drawn.py"
    test.write_text(DRAWN, encoding="utf-8")
    first = drawn(run(tmp_path))
    assert len(first) == 40
    once, again = (drawn(run(tmp_path, "--hypothesis-profile", "random")) for _ in range(2))
    assert len(once) == len(again) == 500
    assert once != again
    # A module whose constants may be drawn, as far as we know how to prevent it.
    if hasattr(providers, "_local_constants"):
        (tmp_path / "module.py").write_text(f"NUMBERS = {list(range(1000, 1500))}", encoding="utf-8")
        test.write_text(f"import module\n{DRAWN}", encoding="utf-8")
    assert drawn(run(tmp_path)) == first


def test_cases_of_several_processes_are_counted(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"test_{name}.py").write_text(DRAWN, encoding="utf-8")
    assert "hypothesis cases: 80\n" in run(tmp_path)
    assert "hypothesis cases: 80\n" in run(tmp_path, "-n", "2")


def test_a_case_that_fails_is_told_as_an_example_to_add(tmp_path: Path) -> None:
    test = tmp_path / "test_fails.py"
    test.write_text(FAILS.format(""), encoding="utf-8")
    told = run(tmp_path, "--hypothesis-profile", "random").splitlines()
    (line,) = [line for line in told if line.startswith("@example")]
    assert line == "@example(numbers=[1000], among=(0, 'a'))"
    assert "add to the test" in told[told.index(line) - 1]
    test.write_text(FAILS.format(f"{line}\n@settings(phases=[Phase.explicit])\n"), encoding="utf-8")
    assert "1 failed" in run(tmp_path)


def test_a_case_that_no_example_can_hold_says_so(tmp_path: Path) -> None:
    (tmp_path / "test_fails.py").write_text(WITHIN, encoding="utf-8")
    printed = run(tmp_path)
    assert "@example(" not in printed
    assert printed.count("No @example can hold this case: take the @reproduce_failure above.") == 2
    assert printed.count("@reproduce_failure(") == 2


@pytest.mark.skipif(not CARGO.exists(), reason="a source distribution")
def test_cargo_gives_a_seed_to_proptest_and_nothing_to_anything_else() -> None:
    """What stands there holds wherever the engine is built."""
    (key, value), *others = tomllib.loads(CARGO.read_text(encoding="utf-8"))["env"].items()
    assert (key, others) == ("PROPTEST_RNG_SEED", [])
    # Not a table that says force: release/deep gives another.
    assert int(value) >= 0
