"""`equilibrium`: where the mean update vanishes, and where learning goes."""

from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import Event

SALIENCES = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])


def some_token(events: list[Event]) -> bool:
    """Whether there is anything to learn from."""
    return any(frequency for _, _, frequency in events)


# Large counts round, so that singular normal equations look regular; small ones are exact.
COUNTS = st.one_of(some.FREQUENCIES, st.integers(900, 2000))


@given(some.events(frequencies=COUNTS), some.DUPLICATES, st.data())
def test_equilibrium_is_least_squares_of_the_least_norm(
    events: list[Event], duplicates: Any, data: st.DataObject
) -> None:
    assume(some_token(events))
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    lambda_ = data.draw(st.one_of(some.LAMBDAS, st.fixed_dictionaries(dict.fromkeys(outcomes, some.LAMBDAS))))
    result = rw.equilibrium(rw.read_events(events, duplicates=duplicates), lambda_=lambda_)
    assert (tuple(result.cues), tuple(result.outcomes)) == (cues, outcomes)
    # Weights grow with lambda, and so do their errors.
    expected = reference.equilibrium(rows, cues, outcomes, lambda_)
    some.assert_close(result.values, expected, 1e-9 * max(1.0, np.abs(expected).max(initial=0.0)))


@given(some.events(), some.DUPLICATES)
def test_the_mean_update_is_zero(events: list[Event], duplicates: Any) -> None:
    assume(some_token(events))
    rows = reference.normalised(events, duplicates)
    weights = rw.equilibrium(rw.read_events(events, duplicates=duplicates))
    start = {(c, o): weights[c, o] for c in weights.cues for o in weights.outcomes}
    mean = dict.fromkeys(start, 0.0)
    for cues, outcomes, frequency in rows:
        after = reference.learn([(cues, outcomes, 1)], 1.0, 1.0, 1.0, weights.cues, weights.outcomes, start)
        for pair in mean:
            mean[pair] += frequency * (after[pair] - start[pair])
    some.assert_close(list(mean.values()), 0)


@given(some.events(), st.sampled_from([0.01, 1.0, 30.0]), st.data())
def test_ridge(events: list[Event], ridge: float, data: st.DataObject) -> None:
    assume(some_token(events))
    rows = reference.normalised(events)
    source = rw.read_events(events)
    # With a ridge there is one solution, so that saliences have nothing to choose.
    positive = st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES.filter(bool)))
    result = rw.equilibrium(source, ridge=ridge, alpha=data.draw(st.none() | positive))
    expected = reference.equilibrium(rows, result.cues, result.outcomes, ridge=ridge)
    some.assert_close(result.values, expected)


@given(some.events(frequencies=COUNTS), st.data())
def test_saliences_choose_among_the_solutions(events: list[Event], data: st.DataObject) -> None:
    assume(some_token(events))
    rows = reference.normalised(events)
    source = rw.read_events(events)
    alpha = data.draw(st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES)))
    result = rw.equilibrium(source, alpha=alpha)
    expected = reference.equilibrium(rows, source.cues, source.outcomes, alpha=alpha)
    some.assert_close(result.values, expected)


def test_many_outcomes() -> None:
    events = some.wide_events(1, 40, 6, 600)
    result = rw.equilibrium(rw.read_events(events))
    rows = reference.normalised(events)
    some.assert_close(result.values, reference.equilibrium(rows, result.cues, result.outcomes))


def test_the_tolerance_decides_what_counts_as_singular() -> None:
    # Cues that all but always come together: one eigenvalue is 4000 times the other.
    events = rw.read_events([("a_b", "x", 1000), ("a", "y", 1)])
    apart, together = rw.equilibrium(events), rw.equilibrium(events, tol=0.01)
    assert (apart.parameters["rank"], together.parameters["rank"]) == (2, 1)
    some.assert_close(apart.values, [[0.0, 1.0], [1.0, -1.0]])
    some.assert_close(together.values, [[0.5, 0.0], [0.5, 0.0]], 1e-3)


TRAINING: dict[str, list[Event]] = {
    "independent cues": [(("a", "b"), ("x",), 1), (("a",), ("y",), 2), (("b",), ("x",), 1)],
    "cues that come together": [
        (("a", "b", "c"), ("x",), 2),
        (("c",), ("y",), 1),
        (("a", "b", "c"), ("y",), 1),
    ],
    "twice the same cue": [(("a", "a", "b"), ("x",), 1), (("b",), ("x", "y"), 1), (("a", "a", "b"), (), 1)],
}


@pytest.mark.parametrize("events", TRAINING.values(), ids=TRAINING)
def test_long_training_approaches_it(events: list[Event]) -> None:
    alpha = {"a": 1.0, "b": 0.5, "c": 0.25}
    target = rw.equilibrium(rw.read_events(events, duplicates="keep"), alpha=alpha)
    passes = rw.read_events(events * 4000, duplicates="keep")
    # From zero, with a rate that falls, so that the steps no longer shake the weights.
    reached = None
    distances = []
    for rate in (0.1, 0.01, 0.001):
        reached = rw.learn(passes, alpha=alpha, beta=rate, initial=reached)
        distances.append(float(np.abs(reached.values - target.values).max()))
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 0.01


@given(some.events())
def test_a_background_cue_is_a_cue_of_every_event(events: list[Event]) -> None:
    assume(some_token(events))
    late = rw.equilibrium(rw.read_events(events), background="always there")
    early = rw.equilibrium(rw.read_events(events, background="always there"))
    expected = reference.normalised(events, background="always there")
    for result in (late, early):
        some.assert_close(result.values, reference.equilibrium(expected, result.cues, result.outcomes))


@pytest.mark.parametrize("multiplicities", [(1, 1), (1, 1, 1), (1, 2), (3, 1, 2)])
def test_cues_that_always_come_together_share_alike_at_every_count(multiplicities: tuple[int, ...]) -> None:
    cues = [f"c{i}" for i, times in enumerate(multiplicities) for _ in range(times)]
    # One set of cues: w is a multiple of the multiplicities m, and predicts x as often as it comes.
    expected = np.array(multiplicities)[:, None] / np.dot(multiplicities, multiplicities)
    wrong = [
        count
        for count in range(1, 2500)
        if not np.allclose(
            rw.equilibrium(rw.read_events([(cues, ["x"], count)], duplicates="keep")).values,
            expected,
            atol=1e-9,
        )
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "keywords", [{"ridge": -1.0}, {"ridge": np.nan}, {"lambda_": np.inf}, {"alpha": -1.0}]
)
def test_a_parameter_out_of_range_is_refused(keywords: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(keywords))):
        rw.equilibrium(rw.read_events([(["a"], ["x"], 1)]), **keywords)
