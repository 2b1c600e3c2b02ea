"""`retention=`: what every token leaves of a weight, by either method, on the way, in pieces, in stores."""

import warnings
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

RETENTIONS = st.sampled_from([0.5, 0.9, 1 / 3, 0.99, 0.999999, 1e-3, 1.0])
EVENTS: list[Event] = [
    (("a", "b"), ("x",), 3),
    ((), ("y",), 2),
    (("b",), ("y",), 0),
    (("a",), ("x", "y"), 70),
]
SLOWLY = 0.995


def quiet(function: Any, *args: Any, **keywords: Any) -> Any:
    """A call without its warnings of rates, half-lives and initial weights of other names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RescorlaWarning)
        return function(*args, **keywords)


@given(st.data(), some.events(), some.DUPLICATES, some.DTYPES, some.THREADS, RETENTIONS)
def test_forgetting_is_the_reference(
    data: st.DataObject, events: list[Event], duplicates: Any, dtype: Any, threads: int, retention: float
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    initial = data.draw(st.one_of(st.none(), some.initials(cues, outcomes)))
    all_cues = reference.distinct([*(cue for cue, _ in initial or ()), *cues])
    all_outcomes = reference.distinct([*(outcome for _, outcome in initial or ()), *outcomes])
    rule = data.draw(some.rules(all_cues, all_outcomes))
    schedule = data.draw(st.one_of(st.none(), some.schedules(rows)))
    start = None if initial is None else weights_of(initial, dtype)
    how = {"dtype": dtype, "threads": threads, "initial": start, "schedule": schedule}
    tile = data.draw(st.one_of(st.none(), st.integers(1, 9)))
    source = rw.read_events(events, duplicates=duplicates)
    told = {**rule.keywords(), **how, "retention": retention}
    found = quiet(asked.learn, source, method="forward", tile=tile, **told)
    more: dict[str, Any] = {"retention": retention} | ({} if schedule is None else {"schedule": schedule.of})
    names = all_cues, all_outcomes
    expected = some.reference_weights(rows, rule, *names, dtype, initial, **more)
    assert some.bits(found.values) == some.bits(expected)
    tokens = st.lists(st.integers(0, source.n_tokens), unique=True, min_size=1).map(sorted)
    at = data.draw(tokens)
    recorded = quiet(asked.trajectories, source, at=at, tile=tile, **told)
    with np.errstate(all="ignore"):
        number = float if dtype == np.float64 else dtype
        parts = rule.alpha, rule.beta, rule.lambda_, *names, initial, number
        steps = reference.trajectory(rows, at, *parts, **more)
    for values, token in zip(recorded.values, at, strict=True):
        assert some.bits(values) == some.bits(reference.matrix(steps[token], *names, dtype))


def weights_of(initial: dict[tuple[str, str], float], dtype: Any) -> rw.Weights:
    cues = reference.distinct(cue for cue, _ in initial)
    outcomes = reference.distinct(outcome for _, outcome in initial)
    return rw.Weights(reference.matrix(initial, cues, outcomes, dtype), cues, outcomes)


@given(st.data(), some.events(), some.DUPLICATES, RETENTIONS, st.integers(1, 3))
def test_the_adjoint_method_forgets_alike(
    data: st.DataObject, events: list[Event], duplicates: Any, retention: float, passes: int
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    alpha = data.draw(st.sampled_from([0.1, dict(zip(cues, (0.1, 0.3, 0.0, 0.01) * 2, strict=False))]))
    initial = data.draw(st.one_of(st.none(), some.initials(cues, outcomes)))
    start = None if initial is None else weights_of(initial, np.float64)
    # An event has up to 8 cues, of which one may come 8 times: beta * kappa is below the retention.
    told: dict[str, Any] = {"alpha": alpha, "beta": retention / 20, "initial": start, "retention": retention}
    source = rw.read_events(events, duplicates=duplicates).passes(passes)
    forward, adjoint = (quiet(rw.learn, source, method=method, **told) for method in ("forward", "adjoint"))
    some.assert_close(adjoint.values, forward.values, 1e-12 * max(1.0, np.abs(forward.values).max(initial=0)))


@given(some.events(), st.floats(0.9, 0.9999), st.integers(0, 8))
def test_in_pieces_it_is_the_same_up_to_rounding(events: list[Event], retention: float, n: int) -> None:
    source = rw.read_events(events)
    whole = quiet(rw.learn, source, retention=retention)
    first, rest = source[:n], source[n:]
    weights = quiet(rw.learn, rest, initial=quiet(rw.learn, first, retention=retention), retention=retention)
    np.testing.assert_allclose(
        weights[list(whole.cues), list(whole.outcomes)].values, whole.values, 1e-13, 1e-300
    )


@pytest.mark.parametrize("alpha", [0.2, 0.05])
@pytest.mark.parametrize("beta", [0.3, (0.3, 0.1)])
def test_the_mean_limit_is_the_equilibrium_with_a_ridge(alpha: float, beta: Any) -> None:
    events = rw.read_events([("a_b", "x", 3), ("a", "y"), ("b_c", "x_y", 2), ("c", "", 4)])
    ridge = events.n_tokens * (1 - SLOWLY) / (alpha * float(np.max(beta)))
    limit = rw.equilibrium(
        events, beta=np.array(beta).tolist() if not isinstance(beta, tuple) else beta, ridge=ridge
    )
    after = np.zeros_like(limit.values)
    for i, (_, _, frequency) in enumerate(events):
        one = rw.read_events([(*events[i][:2], 1)])
        learned = quiet(rw.learn, one, initial=limit, alpha=alpha, beta=beta, retention=SLOWLY)
        after += frequency * learned[list(limit.cues), list(limit.outcomes)].values
    # A token drawn at random changes nothing in the mean.
    some.assert_close(after / events.n_tokens, limit.values, 1e-14)


def test_a_row_of_salience_0_is_forgotten_and_no_token_is_too_small() -> None:
    start = rw.Weights([[1.0], [1.0]], ["a", "b"], ["x"])
    weights = rw.learn([("a", "x", 10), ([], "x", 5)], alpha=0, initial=start, retention=SLOWLY)
    some.assert_close(weights.values, [[SLOWLY**15], [SLOWLY**15]], 1e-15)


@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_stores_and_files_have_the_same_bits(method: Any, tmp_path: Path) -> None:
    events = rw.read_events([(f"c{i % 7}_d{i % 3}", f"o{i % 40}", i % 4) for i in range(300)])
    told: dict[str, Any] = {"retention": SLOWLY, "method": method}
    weights = rw.learn(events, **told)
    assert weights.parameters["retention"] == SLOWLY
    for part in range(3):
        stored = rw.learn(events, out=tmp_path / "w.zarr", part=(part, 3), **told)
    mapped = rw.learn(events, out=tmp_path / "w.npy", **told)
    assert some.bits(stored.values) == some.bits(weights.values) == some.bits(np.asarray(mapped.values))
    assert rw.load_weights(tmp_path / "w.zarr").parameters["retention"] == SLOWLY
    assert rw.verify(tmp_path / "w.zarr", events, sample=1)
    with pytest.raises(ValueError, match=r"retention: the store was made with 0.995, this call has 1.0"):
        rw.learn(events, out=tmp_path / "w.zarr", resume=True, method=method)


def test_many_events_over_several_chunks_are_as_few_rows_of_many_tokens() -> None:
    late: Event = (("a", "b"), ("late",), 1)
    many, few = [late] * 70_000 + [(("a",), ("x",), 1)], [(*late[:2], 70_000), (("a",), ("x",), 1)]
    told: dict[str, Any] = {"alpha": 0.01, "beta": 0.001, "retention": 0.9999}
    forward = [rw.learn(rw.read_events(events), method="forward", **told).values for events in (many, few)]
    assert some.bits(forward[0]) == some.bits(forward[1])
    for events in (many, few):
        some.assert_close(
            rw.learn(rw.read_events(events), method="adjoint", **told).values, forward[0], 1e-12
        )


def test_what_forgetting_does_not_go_with_says_why() -> None:
    events = rw.read_events(EVENTS)
    weights = rw.learn(events)
    refused: list[tuple[str, Any]] = [
        ("retention must be 1 for a mean", lambda: rw.learn(events, retention=SLOWLY, average=True)),
        (
            "retention does not go with weights as out: it forgets the rows of all cues",
            lambda: rw.learn(events, retention=SLOWLY, initial=weights, out=weights),
        ),
        (
            "retention must be 1: .* equilibrium with a ridge",
            lambda: rw.convergence(events, retention=SLOWLY),
        ),
        ("retention must be above 0 and at most 1", lambda: rw.learn(events, retention=0)),
        ("retention must be above 0 and at most 1", lambda: rw.learn(events, retention=1.01)),
        ("retention must be finite", lambda: rw.learn(events, retention=float("nan"))),
        (
            "retention must not round to 1 in float32",
            lambda: rw.learn(events, retention=1 - 1e-9, dtype="float32"),
        ),
        (
            "retention must not round to 0 in float32",
            lambda: rw.learn(events, retention=1e-60, dtype="float32"),
        ),
        (
            "retention must be 1 for the rule no_competition",
            lambda: rw.learn(events, retention=SLOWLY, rule="no_competition"),
        ),
    ]
    for message, call in refused:
        with pytest.raises(ValueError, match=message):
            call()


def test_what_is_forgotten_at_once_is_told() -> None:
    events = rw.read_events(EVENTS)
    with pytest.warns(rw.RescorlaWarning, match=r"retention = 0.99 halves every weight within 69 tokens"):
        rw.learn(events, retention=0.99)
    rw.learn(events, retention=0.5 ** (1 / 101))
    # Safe is below 1 + retention.
    rw.learn(rw.read_events([("a", "x")]), alpha=1, beta=1.9, retention=SLOWLY)
    with pytest.warns(rw.RescorlaWarning, match=r"safe only below 1.995"):
        rw.learn(rw.read_events([("a", "x")]), alpha=1, beta=1.999, retention=SLOWLY)


def test_auto_takes_the_forward_method_where_the_adjoint_one_is_not_precise() -> None:
    events = rw.read_events([(f"c{i % 9}", f"o{i % 500}") for i in range(20_000)])
    methods = [
        quiet(rw.learn, events, alpha=1, beta=0.7, retention=retention).parameters["method"]
        for retention in (1.0, 0.75, 0.65)
    ]
    assert methods == ["adjoint", "adjoint", "forward"]
