"""`activations`: the sums of the reference, and the half of the rule that predicts."""

from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event


@st.composite
def weighted(draw: st.DrawFn, dtype: Any) -> tuple[list[Event], Any, dict[tuple[str, str], float]]:
    """Events, and weights of their cues to some outcomes, as the product and as the reference have them."""
    events = draw(some.events())
    cues, outcomes = reference.vocabularies(events)
    rows = draw(st.permutations(cues))
    weights = {(c, o): draw(some.WEIGHTS) for c in rows for o in outcomes}
    return events, rw.Weights(reference.matrix(weights, rows, outcomes, dtype), rows, outcomes), weights


def expected_activations(
    rows: list[Event], weights: dict[tuple[str, str], float], outcomes: list[str], dtype: Any
) -> np.ndarray[Any, Any]:
    number = float if dtype == np.float64 else dtype
    typed = {pair: number(weight) for pair, weight in weights.items()}
    values = [
        [reference.activation(typed, cues, outcome, number) for outcome in outcomes] for cues, _, _ in rows
    ]
    return np.array(values, dtype).reshape(len(rows), len(outcomes))


@given(
    some.DTYPES.flatmap(lambda dtype: st.tuples(weighted(dtype), st.just(dtype))), some.DUPLICATES, st.data()
)
def test_activations_are_the_reference(case: Any, duplicates: Any, data: st.DataObject) -> None:
    (events, weights, plain), dtype = case
    rows = reference.normalised(events, duplicates)
    outcomes = data.draw(st.one_of(st.none(), some.subsets(weights.outcomes)))
    found = rw.activations(rw.read_events(events, duplicates=duplicates), weights, outcomes=outcomes)
    columns = list(weights.outcomes) if outcomes is None else outcomes
    assert some.bits(found) == some.bits(expected_activations(rows, plain, columns, dtype))


@given(weighted(np.float64))
def test_bare_cue_sets_are_events_without_outcomes(case: Any) -> None:
    events, weights, _ = case
    bare = rw.activations([cues for cues, _, _ in events], weights)
    assert some.bits(bare) == some.bits(rw.activations(rw.read_events(events), weights))


@given(some.events(frequencies=st.just(1)), st.data())
def test_a_step_of_learning_by_hand(events: list[Event], data: st.DataObject) -> None:
    *before, (cues, outcomes, _) = reference.normalised(events)
    # The last event alone at first, at frequency 0, so that all its names are known.
    weights = rw.learn(
        rw.read_events([(cues, outcomes, 0), *before]), alpha=0.1, beta=(0.2, 0.1), lambda_=0.9
    )
    [activation] = rw.activations([cues], weights)
    values = weights.values.copy()
    for j, outcome in enumerate(weights.outcomes):
        step = 0.1 * (0.2 * (0.9 - activation[j]) if outcome in outcomes else 0.1 * (0 - activation[j]))
        for cue in cues:
            values[weights.cues.index(cue), j] += step
    after = rw.learn(
        rw.read_events([(cues, outcomes, 1)]),
        alpha=0.1,
        beta=(0.2, 0.1),
        lambda_=0.9,
        initial=weights,
        method="forward",
    )
    assert some.bits(after.values) == some.bits(values)


def test_more_events_than_a_chunk_holds() -> None:
    weights = rw.Weights(np.arange(6.0).reshape(3, 2), ["a", "b", "c"], ["x", "y"])
    cues, outcomes = np.arange(140_000) % 7 % 3, np.arange(140_000) % 5 % 2
    events = rw.read_events((["abc"[i]], ["xy"[j]]) for i, j in zip(cues, outcomes, strict=True))
    found = rw.activations(events, weights, threads=2)
    assert some.bits(found) == some.bits(weights.values[cues])
    found = rw.activations(events, weights, present_only=True, threads=2)
    assert some.bits(found) == some.bits(weights.values[cues, outcomes])


def test_an_unknown_cue_is_an_error_or_ignored() -> None:
    weights = rw.Weights(np.array([[1.0, 2.0]]), ["a"], ["x", "y"])
    events = rw.read_events([(["a", "b"], ["x"], 1)])
    with pytest.raises(KeyError, match="b"):
        rw.activations(events, weights)
    assert rw.activations(events, weights, unknown="ignore").tolist() == [[1.0, 2.0]]


@given(weighted(np.float64))
def test_present_only_gives_the_outcomes_of_each_event(case: Any) -> None:
    events, weights, _ = case
    source = rw.read_events(events)
    whole = rw.activations(source, weights)
    present = [
        whole[i, weights.outcomes.index(name)] for i, event in enumerate(source) for name in event.outcomes
    ]
    assert some.bits(rw.activations(source, weights, present_only=True)) == some.bits(
        np.array(present, np.float64)
    )
