"""`equilibrium` from initial weights, and phase by phase."""

import warnings
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event

METHODS = st.sampled_from(["dense", "iterative"])
BOTH = pytest.mark.parametrize("method", ["dense", "iterative"])
# With a rate of 0 each outcome has a matrix of its own rank.
BETAS = st.sampled_from([(1.0, 1.0), (0.2, 0.05), (0.05, 0.2), (1.0, 0.0), (0.0, 1.0)])
SALIENCES = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])
# Of random names the library asks whether they were meant.
UNSHARED = pytest.mark.filterwarnings("ignore:initial shares no name")


def some_token(events: list[Event]) -> bool:
    """Whether there is anything to learn from."""
    return any(frequency for _, _, frequency in events)


def weights_of(initial: Mapping[tuple[str, str], float]) -> rw.Weights:
    """Initial weights by name as Weights."""
    cues = list(dict.fromkeys(cue for cue, _ in initial))
    outcomes = list(dict.fromkeys(outcome for _, outcome in initial))
    return rw.Weights(np.array([[initial[c, o] for o in outcomes] for c in cues]), cues, outcomes)


def values_of(weights: rw.Weights, cues: Sequence[str], outcomes: Sequence[str]) -> NDArray[np.float64]:
    """The weights of these names in this order."""
    return np.array([[weights[cue, outcome] for outcome in outcomes] for cue in cues])


# What it is.


@BOTH
def test_what_is_learned_first_blocks(method: Any) -> None:
    first = rw.read_events([("a", "x", 40)])
    both = rw.read_events([("a_b", "x", 40)])
    alone = rw.equilibrium(both, method=method)
    some.assert_close(values_of(alone, "ab", "x"), [[0.5], [0.5]], 1e-14)
    chained = rw.equilibrium(both, method=method, initial=rw.equilibrium(first, method=method))
    some.assert_close(values_of(chained, "ab", "x"), [[1.0], [0.0]], 1e-14)
    # Half learned before, half of the rest; then a cue that is three times as salient.
    half = rw.Weights([[0.5]], ["a"], ["x"])
    some.assert_close(rw.equilibrium(both, method=method, initial=half).values, [[0.75], [0.25]], 1e-14)
    alpha = {"a": 0.1, "b": 0.3}
    quarter = rw.equilibrium(both, method=method, initial=half, alpha=alpha)
    some.assert_close(quarter.values, [[0.625], [0.375]], 1e-14)


@BOTH
def test_extinction_inhibition_and_overexpectation(method: Any) -> None:
    trained = rw.equilibrium(rw.read_events([("a", "x"), ("b", "x")]), method=method)
    # a and b are 1 each, so together they expect 2 and lose a half.
    over = rw.equilibrium(rw.read_events([("a_b", "x")]), method=method, initial=trained)
    some.assert_close(over.values, [[0.5], [0.5]], 1e-14)
    # No event has the outcome: it is absent, and the two lose all.
    gone = rw.equilibrium(rw.read_events([("a_b", "")]), method=method, initial=trained)
    some.assert_close(gone.values, [[0.0], [0.0]], 1e-14)
    # a still predicts x where it comes alone, so that c becomes what takes it away.
    events = rw.read_events([("a", "x"), ("a_c", "")])
    inhibited = rw.equilibrium(events, method=method, initial=trained)
    assert inhibited.cues == ("a", "b", "c")
    some.assert_close(inhibited.values, [[1.0], [1.0], [-1.0]], 1e-12)


@st.composite
def problems(draw: st.DrawFn) -> tuple[rw.Events, list[Event], dict[str, Any], dict[tuple[str, str], float]]:
    """Events, as the product and the reference have them, parameters and initial weights."""
    events = draw(some.events())
    assume(some_token(events))
    duplicates: Any = draw(some.DUPLICATES)
    source = rw.read_events(events, duplicates=duplicates)
    alpha = draw(st.none() | st.fixed_dictionaries(dict.fromkeys(source.cues, SALIENCES)))
    lambda_ = draw(st.fixed_dictionaries(dict.fromkeys(source.outcomes, some.LAMBDAS)))
    initial = draw(some.initials(source.cues, source.outcomes))
    keywords: dict[str, Any] = {"beta": draw(BETAS), "lambda_": lambda_, "alpha": alpha}
    return source, reference.normalised(events, duplicates), keywords, initial


@UNSHARED
@given(problems(), METHODS)
def test_it_is_the_nearest_fixed_point(problem: Any, method: Any) -> None:
    source, rows, keywords, initial = problem
    result = rw.equilibrium(source, **keywords, method=method, initial=weights_of(initial))
    # An outcome that no event has is an absent one, and lambda does not matter.
    maxima = {**dict.fromkeys(result.outcomes, 1.0), **keywords["lambda_"]}
    alpha = {**dict.fromkeys(result.cues, 1.0), **(keywords["alpha"] or {})}
    names = result.cues, result.outcomes
    expected = reference.exact_equilibrium(rows, *names, keywords["beta"], maxima, alpha, initial)
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    some.assert_close(result.values, expected, (1e-12 if method == "dense" else 1e-8) * size)
    assert result.parameters["converged"]
    assert result.parameters["continued"]
    assert result.parameters["residual"] < 1e-10
    # Names as learning gives them, and what nothing can change.
    learned = rw.learn(source, initial=weights_of(initial))
    assert names == (learned.cues, learned.outcomes)
    for cue in {cue for cue, _ in initial}:
        if alpha[cue] == 0 or not any(cue in cues for cues, _, frequency in rows if frequency):
            for outcome in {outcome for _, outcome in initial}:
                assert result[cue, outcome] == initial[cue, outcome]


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, (0.3, 1.0), (1.0, 0.2)]), st.booleans())
def test_it_is_the_formula_with_the_pseudo_inverse(seed: int, beta: Any, even: bool) -> None:
    rng = np.random.default_rng(seed)
    shapes = [
        (tuple(f"c{c}" for c in np.flatnonzero(rng.random(6) < 0.5)), rng.random() < 0.5) for _ in range(8)
    ]
    rows = [(cues or ("c0",), ("x",) if there else ("y",), int(rng.integers(1, 5))) for cues, there in shapes]
    # All names, whatever was drawn.
    names = tuple(f"c{i}" for i in range(6)), ("x", "y")
    source = rw.read_events([*rows, (*names, 0)])
    alpha = dict(zip(source.cues, np.ones(6) if even else rng.uniform(0.1, 2.0, 6), strict=True))
    start = rw.Weights(rng.normal(size=(6, 2)), source.cues, source.outcomes)
    result = rw.equilibrium(source, beta=beta, alpha=alpha, lambda_={"x": 1.0, "y": 2.0}, initial=start)
    beta1, beta2 = beta if isinstance(beta, tuple) else (beta, beta)
    matrix = reference.incidence(rows, source.cues, "cues")
    scale = np.sqrt(np.diag([alpha[cue] for cue in source.cues]))
    for outcome, lambda_ in (("x", 1.0), ("y", 2.0)):
        present = np.array([float(outcome in outcomes) for _, outcomes, _ in rows])
        weight = np.array([f for _, _, f in rows]) * np.where(present == 1, beta1, beta2)
        root = np.diag(np.sqrt(weight))
        before = start.column(outcome)
        rest = lambda_ * present - matrix @ before
        expected = before + scale @ np.linalg.pinv(root @ matrix @ scale, rcond=1e-10) @ root @ rest
        some.assert_close(result.column(outcome), expected)


@UNSHARED
@given(problems(), METHODS)
def test_the_mean_update_is_zero(problem: Any, method: Any) -> None:
    source, rows, keywords, initial = problem
    result = rw.equilibrium(source, **keywords, method=method, initial=weights_of(initial))
    start = {(c, o): result[c, o] for c in result.cues for o in result.outcomes}
    maxima = {**dict.fromkeys(result.outcomes, 1.0), **keywords["lambda_"]}
    alpha = {**dict.fromkeys(result.cues, 1.0), **(keywords["alpha"] or {})}
    mean = dict.fromkeys(start, 0.0)
    for cues, outcomes, frequency in rows:
        token = [(cues, outcomes, 1)]
        after = reference.learn(token, alpha, keywords["beta"], maxima, result.cues, result.outcomes, start)
        for pair in mean:
            mean[pair] += frequency * (after[pair] - start[pair])
    size = max(1.0, *(abs(weight) for weight in start.values()))
    some.assert_close(list(mean.values()), 0, 1e-9 * max(size, *map(abs, maxima.values())))


@UNSHARED
@given(problems(), METHODS)
def test_it_gives_itself_back(problem: Any, method: Any) -> None:
    source, _, keywords, initial = problem
    for start in (None, weights_of(initial)):
        found = rw.equilibrium(source, **keywords, method=method, initial=start)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = rw.equilibrium(source, **keywords, method=method, initial=found)
        size = max(1.0, float(np.abs(found.values).max(initial=0.0)))
        some.assert_close(again.values, found.values, (1e-13 if method == "dense" else 1e-9) * size)
        assert (again.cues, again.outcomes) == (found.cues, found.outcomes)
        assert again.parameters["converged"]


@BOTH
@pytest.mark.parametrize("beta", [1.0, (0.2, 0.05), (0.0, 1.0)])
def test_many_cues_and_outcomes_give_themselves_back(method: Any, beta: Any) -> None:
    source = rw.read_events(some.wide_events(7, 300, 60, 40))
    found = rw.equilibrium(source, beta=beta)
    again = rw.equilibrium(source, beta=beta, method=method, initial=found)
    some.assert_close(again.values, found.values, 1e-12)
    assert again.parameters["residual"] < 1e-12


@UNSHARED
@given(problems(), METHODS)
def test_from_zeros_is_from_nothing(problem: Any, method: Any) -> None:
    source, _, keywords, _ = problem
    zeros = rw.Weights(np.zeros((source.n_cues, source.n_outcomes)), source.cues, source.outcomes)
    nothing, from_zeros = (
        rw.equilibrium(source, **keywords, method=method, initial=initial) for initial in (None, zeros)
    )
    size = max(1.0, float(np.abs(nothing.values).max(initial=0.0)))
    some.assert_close(from_zeros.values, nothing.values, (1e-12 if method == "dense" else 1e-8) * size)
    assert not nothing.parameters["continued"]
    some.assert_close(from_zeros.parameters["residual"], nothing.parameters["residual"], 1e-11)


# Where learning goes.


@st.composite
def trainings(draw: st.DrawFn) -> tuple[list[list[Event]], float, dict[str, float]]:
    """Phases, the ratio of the rates, and saliences: such that all there is to learn is learned in time."""
    cues = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True).map(tuple)
    outcomes = st.lists(st.sampled_from("xy"), max_size=2, unique=True).map(tuple)
    phase: Any = st.lists(st.tuples(cues, outcomes, st.integers(1, 2)), min_size=1, max_size=3)
    phases = draw(st.lists(phase, min_size=2, max_size=2))
    alpha = draw(st.fixed_dictionaries(dict.fromkeys("abc", st.sampled_from([0.0, 0.5, 1.0]))))
    ratio = draw(st.sampled_from([1.0, 0.5, 2.0]))
    root = np.sqrt([alpha[cue] for cue in "abc"])
    for events in phases:
        matrix = reference.incidence(events, "abc", "cues") * root
        values = np.linalg.eigvalsh(matrix.T @ matrix)
        assume(all(value > 0.1 for value in values if value > 1e-9))
    return phases, ratio, alpha


@UNSHARED
@settings(max_examples=15)
@given(trainings(), some.initials("abc", "xy"))
def test_long_training_in_phases_goes_there(training: Any, initial: dict[tuple[str, str], float]) -> None:
    phases, ratio, alpha = training
    alpha = {**alpha, "an initial cue": 1.0}
    target = weights_of(initial)
    ends = [target, target]
    for events in phases:
        names = ("a", "b", "c"), ("x", "y"), 0
        source = rw.read_events([names, *events])
        target = rw.equilibrium(source, alpha=alpha, beta=(ratio, 1.0), initial=target)
        # What is off at a small rate is in proportion to it, so that two rates tell what it is at none.
        for i, rate in enumerate((0.01, 0.005)):
            # No direction has an eigenvalue below .1: of the way along the slowest, exp(-7.2) is left.
            passes = rw.read_events([names, *(events * round(72 / rate / min(ratio, 1.0)))])
            ends[i] = rw.learn(passes, alpha=alpha, beta=(ratio * rate, rate), initial=ends[i])
        some.assert_close(2 * ends[1].values - ends[0].values, target.values, 0.01)


# What it composes with.


@UNSHARED
@given(problems(), st.sampled_from([0.1, 2.0]), METHODS)
def test_a_ridge_holds_back_the_change(problem: Any, ridge: float, method: Any) -> None:
    source, rows, keywords, initial = problem
    keywords["alpha"] = None
    result = rw.equilibrium(source, **keywords, method=method, ridge=ridge, initial=weights_of(initial))
    beta1, beta2 = np.array(keywords["beta"]) / max(keywords["beta"])
    matrix = reference.incidence(rows, result.cues, "cues")
    for outcome in result.outcomes:
        present = np.array([float(outcome in outcomes) for _, outcomes, _ in rows])
        weight = np.array([f for _, _, f in rows]) * np.where(present == 1, beta1, beta2)
        before = np.array([initial.get((cue, outcome), 0.0) for cue in result.cues])
        rest = keywords["lambda_"].get(outcome, 0.0) * present - matrix @ before
        gram = matrix.T @ (weight[:, None] * matrix) + ridge * np.eye(len(result.cues))
        expected = before + np.linalg.solve(gram, matrix.T @ (weight * rest))
        size = max(1.0, float(np.abs(expected).max()))
        some.assert_close(result.column(outcome), expected, 1e-9 * size)


@pytest.mark.parametrize("keywords", [{}, {"tol": 1e-13}, {"beta": (0.2, 0.05)}, {"beta": (0.0, 1.0)}])
def test_solvers_agree_on_many_cues_and_outcomes(keywords: dict[str, Any]) -> None:
    source = rw.read_events(some.wide_events(11, 200, 70, 50))
    start = rw.Weights(np.random.default_rng(1).normal(size=(70, 50)), source.cues, source.outcomes)
    alpha = np.where(np.arange(70) % 7 == 3, 0.0, 1.0)
    dense = rw.equilibrium(source, alpha=alpha, initial=start, **keywords)
    iterative = rw.equilibrium(
        source, alpha=alpha, initial=start, method="iterative", beta=keywords.get("beta", 1.0)
    )
    some.assert_close(iterative.values, dense.values, 1e-8)
    assert dense.parameters["residual"] < 1e-14
    assert some.bits(dense.values[alpha == 0]) == some.bits(np.asarray(start.values)[alpha == 0])


def test_where_frequencies_are_far_apart_it_is_exact() -> None:
    # What a rare set leaves is less than what a common one rounds off.
    events = rw.read_events([("a_b", "x", 4_000_000_000), ("a", "y", 1), ("c", "", 4_000_000_000)])
    start = rw.Weights([[0.1, 0.7], [0.2, -0.3], [0.3, 0.1]], ["a", "b", "c"], ["x", "y"])
    found = rw.equilibrium(events, initial=start)
    some.assert_close(found.values, [[0, 1], [1, -1], [0, 0]], 1e-13)
    again = rw.equilibrium(events, initial=found)
    some.assert_close(again.values, found.values, 1e-13)


@BOTH
@pytest.mark.parametrize("beta", [1.0, (0.2, 0.05), (0.1, 0.0), (0.0, 0.1)])
def test_threads_do_not_change_a_bit(method: Any, beta: Any) -> None:
    source = rw.read_events(some.wide_events(5, 200, 50, 40))
    start = rw.Weights(np.random.default_rng(2).normal(size=(50, 40)), source.cues, source.outcomes)
    alpha = np.where(np.arange(50) % 9 == 3, 0.0, 1.0)
    one, several = (
        rw.equilibrium(source, beta=beta, alpha=alpha, method=method, initial=start, threads=n)
        for n in (1, 3)
    )
    assert some.bits(one.values) == some.bits(several.values)


def test_a_background_cue_goes_on() -> None:
    first = rw.equilibrium(rw.read_events([("a", "x"), ("", "")]), background="Environ")
    events = rw.read_events([("b", "x"), ("", "x")])
    second = rw.equilibrium(events, background="Environ", initial=first)
    assert second.cues == ("Environ", "a", "b")
    some.assert_close(second.values, [[1.0], [1.0], [0.0]], 1e-14)


def test_initial_weights_stay_as_they_are_and_may_be_of_float32() -> None:
    events = rw.read_events([("a_b", "x")])
    start = rw.Weights(np.array([[1.0]], dtype=np.float32), ["a"], ["x"])
    found = rw.equilibrium(events, initial=start)
    assert (str(found.values.dtype), start["a", "x"]) == ("float64", 1.0)
    some.assert_close(found.values, [[1.0], [0.0]], 1e-14)
    whole = rw.equilibrium(events, initial=found, lambda_=3.0)
    assert not np.shares_memory(whole.values, found.values)
    some.assert_close(found.values, [[1.0], [0.0]], 1e-14)


def test_what_is_wrong_with_initial_weights_is_said() -> None:
    events = rw.read_events([("a", "x")])
    with pytest.raises(TypeError, match="initial must be Weights, not an ndarray"):
        rw.equilibrium(events, initial=np.zeros((1, 1)))  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="initial weights must be finite in float64, but that of cue 'a'"):
        rw.equilibrium(events, initial=rw.Weights([[np.inf]], ["a"], ["x"]))
    with pytest.warns(rw.RescorlaWarning, match="initial shares no name with the events"):
        rw.equilibrium(events, initial=rw.Weights([[1.0]], ["b"], ["y"]))
    with pytest.warns(rw.RescorlaWarning, match="alpha has entries for 'c'"):
        rw.equilibrium(events, initial=rw.Weights([[1.0]], ["b"], ["x"]), alpha={"a": 1, "b": 2, "c": 3})


# Phase by phase.


def phased(rows: Sequence[Event], ends: Mapping[str, int]) -> tuple[rw.Events, dict[str, Any]]:
    """Events, and their phases, of which each begins where the one before it ends."""
    events = rw.read_events(rows)
    before = np.concatenate([[0], np.cumsum([frequency for _, _, frequency in rows])])
    phases, start = {}, 0
    for name, end in ends.items():
        tokens = range(int(before[start]), int(before[end]))
        phases[name] = SimpleNamespace(rows=range(start, end), tokens=tokens)
        start = end
    return events, phases


@pytest.fixture
def phases(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The phases of all events."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(rw.Events, "phases", property(lambda _: found), raising=False)
    return found


ROWS: list[Event] = [
    (("a",), ("x",), 40),
    (("b",), (), 3),
    (("a", "b"), ("x",), 40),
    (("a", "b"), ("x",), 0),
    (("a", "c"), ("y",), 7),
]
ENDS = {"A+ B-": 2, "AB+": 3, "probe": 4, "AC": 5}


@BOTH
@pytest.mark.parametrize("beta", [1.0, (0.5, 1.0)])
def test_each_phase_begins_where_the_one_before_it_ended(phases: Any, method: Any, beta: Any) -> None:
    events, found = phased(ROWS, ENDS)
    phases.update(found)
    keywords: dict[str, Any] = {
        "method": method,
        "beta": beta,
        "alpha": {"a": 1, "b": 2, "c": 3},
        "ridge": 0.0,
    }
    ends = rw.equilibrium(events, by="phase", **keywords)
    assert list(ends) == list(ENDS)
    before = None
    for name, phase in phases.items():
        rows = events[phase.rows.start : phase.rows.stop]
        alone = rw.equilibrium(rows, initial=before, **keywords)
        assert (ends[name].cues, ends[name].outcomes) == (events.cues, events.outcomes)
        assert some.bits(ends[name].values) == some.bits(alone.values)
        assert ends[name].parameters["phase"] == name
        assert ends[name].parameters["n_tokens"] == rows.n_tokens
        before = ends[name]
    some.assert_close(values_of(ends["AB+"], "abc", "xy"), [[1, 0], [0, 0], [0, 0]], 1e-12)
    assert some.bits(ends["probe"].values) == some.bits(ends["AB+"].values)
    # a and c share what x loses and what y gains, by their saliences.
    expected = [[0.75, 0.25], [0, 0], [-0.75, 0.75]]
    some.assert_close(values_of(ends["AC"], "abc", "xy"), expected, 1e-12)


def test_phases_begin_at_initial_weights(phases: Any) -> None:
    events, found = phased([(("a", "b"), ("x",), 1), (("b", "c"), ("x",), 1)], {"AB+": 1, "BC+": 2})
    phases.update(found)
    start = rw.Weights([[7.0], [1.0]], ["z", "a"], ["x"])
    ends = rw.equilibrium(events, by="phase", initial=start)
    for name, expected in (("AB+", [7, 1, 0, 0]), ("BC+", [7, 1, 0.5, 0.5])):
        assert ends[name].cues == ("z", "a", "b", "c")
        some.assert_close(ends[name].column("x"), expected, 1e-14)
    assert ends["AB+"].parameters["continued"]
    assert start.cues == ("z", "a")


def test_a_background_cue_is_in_all_phases(phases: Any) -> None:
    events, found = phased([(("a",), ("x",), 1), ((), (), 1), ((), ("x",), 1)], {"first": 2, "second": 3})
    phases.update(found)
    ends = rw.equilibrium(events, by="phase", background="Environ")
    some.assert_close(values_of(ends["first"], ["Environ", "a"], "x"), [[0], [1]], 1e-14)
    some.assert_close(values_of(ends["second"], ["Environ", "a"], "x"), [[1], [1]], 1e-14)


def test_phases_that_are_not_there_are_an_error(phases: Any) -> None:
    events, found = phased(ROWS, ENDS)
    with pytest.raises(
        ValueError, match=r"by 'phase' needs events that have phases.*rw\.design.*initial=first"
    ):
        rw.equilibrium(events, by="phase")
    phases.update(found)
    with pytest.raises(ValueError, match="by must be None or 'phase', not 'phases'; did you mean 'phase'"):
        rw.equilibrium(events, by="phases")  # type: ignore[call-overload]
    del phases["AC"]
    with pytest.warns(rw.RescorlaWarning, match="leaves out 7 of the 90 tokens, which are in no phase"):
        ends = rw.equilibrium(events, by="phase")
    assert list(ends) == ["A+ B-", "AB+", "probe"]


def test_progress_rises_over_all_phases(phases: Any) -> None:
    events, found = phased(ROWS, ENDS)
    phases.update(found)
    calls: list[tuple[int, int]] = []
    rw.equilibrium(events, by="phase", progress=lambda done, total: calls.append((done, total)))
    assert calls
    assert calls == sorted(calls)
    assert {total for _, total in calls} == {4000}
    # The last phase is the last quarter.
    assert 3000 <= max(done for done, _ in calls) <= 4000

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rw.equilibrium(events, by="phase", progress=stop)
