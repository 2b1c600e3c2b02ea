"""Whatever draws takes the same seeds: a number, or what numpy draws by."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import rescorla as rw

EVENTS = rw.read_events([(f"c{i}_c{i % 3}", f"o{i % 4}", i) for i in range(30)])
COUNTS = {f"n{i}": 7 for i in range(30)}
QUIET: dict[str, Any] = {"progress": False}


def shown(events: rw.Events) -> Any:
    """What can be compared of events."""
    return [tuple(event) for event in events]


# By each function, something that the seed decides.
DRAWN: dict[str, Callable[[Any], Any]] = {
    "sample": lambda seed: shown(EVENTS.sample(40, seed)),
    "passes": lambda seed: shown(EVENTS.passes(2, seed)),
    "shuffled": lambda seed: shown(EVENTS.shuffled(seed)),
    "split": lambda seed: shown(EVENTS.split(10, seed)[1]),
    "design": lambda seed: shown(rw.design("A+ 20 / B- 20", seed=seed)),
    "bandsample": lambda seed: rw.bandsample(COUNTS, 9, seed=seed),
    "delta_rule": lambda seed: rw.delta_rule(EVENTS, beta=0.1, passes=2, seed=seed, **QUIET).values.tolist(),
    "delta_rule, its start": lambda seed: rw.delta_rule(
        EVENTS, beta=0.0, initial="random", seed=seed, **QUIET
    ).values.tolist(),
    "perceptron": lambda seed: rw.perceptrons.perceptron(
        np.zeros((0, 3)), [], initial="random", seed=seed, **QUIET
    ).coef.tolist(),
}
TAKERS = DRAWN | {
    "teacher_student": lambda seed: rw.perceptrons.teacher_student(
        9, 1.0, students=["hebb"], replicates=2, seed=seed, **QUIET
    ).errors.tolist()
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_a_number_and_a_generator_of_it_draw_the_same(draw: Callable[[Any], Any]) -> None:
    expected = draw(7)
    for seed in (np.int64(7), np.random.default_rng(7), np.random.SeedSequence(7)):
        assert draw(seed) == expected
    assert draw(8) != expected


@pytest.mark.parametrize("draw", TAKERS.values(), ids=TAKERS)
def test_a_generator_is_drawn_from(draw: Callable[[Any], Any]) -> None:
    random = np.random.default_rng(7)
    first, second = draw(random), draw(random)
    assert first == draw(np.random.default_rng(7))
    assert first != second


@pytest.mark.parametrize("draw", TAKERS.values(), ids=TAKERS)
@pytest.mark.parametrize(
    ("seed", "error", "found"),
    [
        (-1, ValueError, "-1"),
        (1.5, TypeError, "1.5"),
        ("7", TypeError, "'7'"),
        (True, TypeError, "True"),
        ([1, 2], TypeError, "a list"),
        (np.random.RandomState(7), TypeError, "a RandomState"),
    ],
    ids=str,
)
def test_other_seeds_are_refused(
    draw: Callable[[Any], Any], seed: Any, error: type[Exception], found: str
) -> None:
    message = "seed must be a whole number of 0 or more, or a numpy Generator or SeedSequence, not "
    with pytest.raises(error, match=f"^{message}{found}$"):
        draw(seed)


def test_parameters_have_what_json_has() -> None:
    seeds: list[tuple[Any, int | None]] = [(np.int64(7), 7), (None, None), (np.random.default_rng(7), None)]
    for seed, told in seeds:
        for parameters in (
            rw.delta_rule(EVENTS, beta=0.1, seed=seed, **QUIET).parameters,
            rw.perceptrons.perceptron([[1.0]], [1], seed=seed, **QUIET).parameters,
        ):
            assert parameters["seed"] == told
            json.dumps(parameters)


def test_a_seed_that_a_generator_drew_draws_the_same_again() -> None:
    def found(seed: Any) -> rw.perceptrons.TeacherStudent:
        return rw.perceptrons.teacher_student(9, 1.0, students=["hebb"], replicates=2, seed=seed, **QUIET)

    first = found(np.random.default_rng(7))
    assert isinstance(first.parameters["seed"], int)
    assert found(first.parameters["seed"]).errors.tolist() == first.errors.tolist()
