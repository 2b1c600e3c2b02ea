"""`learn(method="adjoint")`: the reference's weights up to rounding, by another way."""

import dataclasses
from pathlib import Path
from typing import Any

import asked
import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event

# What the contract allows, as a part of the largest of lambda, initial weights and weights, while
# beta * kappa <= 1 and saliences lie within a factor of 1000.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
ALPHAS = st.one_of(st.just(0.0), st.floats(1e-3, 1.0))


@st.composite
def rules(draw: st.DrawFn, rows: list[Event], cues: tuple[str, ...], outcomes: tuple[str, ...]) -> some.Rule:
    """Parameters for which the tolerance is promised."""
    rule = draw(some.rules(cues, outcomes))
    alpha = draw(st.one_of(ALPHAS, st.fixed_dictionaries(dict.fromkeys(cues, ALPHAS))))
    kappas = [
        sum(reference.of(alpha, cue) * present.count(cue) ** 2 for cue in set(present))
        for present, _, _ in rows
    ]
    beta = draw(st.floats(0.0, 1.0)) / max([1e-3, *kappas])
    return dataclasses.replace(rule, alpha=alpha, beta=beta)


def assert_near(found: Any, expected: Any, rule: some.Rule, initial: Any, dtype: str) -> None:
    lambdas = rule.lambda_.values() if isinstance(rule.lambda_, dict) else [rule.lambda_]
    scale = max(map(abs, [*lambdas, *initial, *np.ravel(expected), 0.0]))
    assert found.shape == expected.shape
    assert np.abs(found.astype(np.float64) - expected).max(initial=0.0) <= TOLERANCE[dtype] * scale


@pytest.mark.filterwarnings("ignore:initial shares no name")
@given(st.data(), some.events(), some.DUPLICATES, st.sampled_from(["float64", "float32"]), some.THREADS)
def test_adjoint_is_the_reference_up_to_rounding(
    data: st.DataObject, events: list[Event], duplicates: Any, dtype: Any, threads: int
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    initial = data.draw(st.one_of(st.just({}), some.initials(cues, outcomes)))
    all_cues = tuple(reference.distinct([*(c for c, _ in initial), *cues]))
    all_outcomes = tuple(reference.distinct([*(o for _, o in initial), *outcomes]))
    rule = data.draw(rules(rows, all_cues, all_outcomes))
    start = None
    if initial:
        known = [reference.distinct(pair[side] for pair in initial) for side in (0, 1)]
        values = reference.matrix(initial, known[0], known[1], np.float64)
        start = rw.Weights(values, known[0], known[1])
    source = rw.read_events(events, duplicates=duplicates)
    result = rw.learn(
        source, **rule.keywords(), initial=start, dtype=dtype, threads=threads, method="adjoint"
    )
    assert (result.cues, result.outcomes) == (all_cues, all_outcomes)
    assert result.parameters["method"] == "adjoint"
    expected = some.reference_weights(rows, rule, all_cues, all_outcomes, np.float64, initial)
    assert_near(result.values, expected, rule, initial.values(), dtype)


@given(st.data(), st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 80), some.THREADS)
def test_adjoint_does_not_depend_on_tiles_threads_subsets(
    data: st.DataObject, seed: int, n_cues: int, tile: int, threads: int
) -> None:
    source = rw.read_events(some.wide_events(seed, 6, n_cues, 9))
    whole = rw.learn(source, method="adjoint", threads=1)
    tiled = asked.learn(source, method="adjoint", threads=threads, tile=tile, kernel="portable")
    assert some.bits(whole.values) == some.bits(tiled.values)
    cues, outcomes = data.draw(some.subsets(whole.cues)), data.draw(some.subsets(whole.outcomes))
    part = rw.learn(source, method="adjoint", cues=cues, outcomes=outcomes, threads=threads)
    rows = [whole.cues.index(cue) for cue in cues]
    columns = [whole.outcomes.index(outcome) for outcome in outcomes]
    assert some.bits(part.values) == some.bits(whole.values[np.ix_(rows, columns)])


def test_a_column_does_not_depend_on_which_others_are_learned() -> None:
    # Without the outcome y the two events are the same, and would be a repetition.
    source = rw.read_events([("a", "x_y"), ("a", "x")] * 50)
    whole = rw.learn(source, alpha=0.3, method="adjoint")
    part = rw.learn(source, alpha=0.3, method="adjoint", outcomes=["x"])
    assert some.bits(part.column("x")) == some.bits(whole.column("x"))


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 258])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_initial_weights_give_a_slice_the_bits_of_the_whole(n: int, dtype: str) -> None:
    source = rw.read_events(some.wide_events(7, 1500, 40, 300))
    names = source.cues, source.outcomes[:300]
    values = np.random.default_rng(8).standard_normal([len(side) for side in names]).astype(dtype)
    start = rw.Weights(values, *names)
    whole = rw.learn(source, initial=start, dtype=dtype, method="adjoint")
    for outcomes in (names[1][:n], names[1][-n:]):
        part = rw.learn(source, initial=start, dtype=dtype, method="adjoint", outcomes=outcomes)
        columns = [whole.outcomes.index(outcome) for outcome in outcomes]
        assert some.bits(part.values) == some.bits(whole.values[:, columns])


def test_adjoint_meets_forward_on_real_text(shared: Path) -> None:
    import lzma

    with lzma.open(shared / "data" / "kjv.txt.xz", "rt", encoding="utf-8") as text:
        lines = [next(text) for _ in range(3000)]
    events = rw.corpus_events(lines, symbols="a-z")
    forward, adjoint = (rw.learn(events, method=method) for method in ("forward", "adjoint"))
    assert np.abs(forward.values - adjoint.values).max() <= 1e-12


def test_adjoint_needs_one_rate() -> None:
    events = rw.read_events([("a", "x")])
    with pytest.raises(
        ValueError, match=r"beta must be one learning rate .*, not 0\.1 and 0\.2.*the forward method"
    ):
        rw.learn(events, beta=(0.1, 0.2), method="adjoint")
