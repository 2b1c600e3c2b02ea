"""Every rule with every option: what is learned is the reference's, or the refusal says why."""

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import asked
import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event
from rescorla._learn.rule import RULES, RuleName

EVENTS: list[Event] = [
    (("a", "b"), ("x",), 2),
    (("b", "c"), ("y", "z"), 1),
    (("a", "c"), ("x", "z"), 0),
    (("c",), (), 3),
    (("a", "b", "c"), ("z", "x"), 1),
]
CUES, OUTCOMES = reference.vocabularies(EVENTS)
PARAMETERS = some.Rule({"a": 0.3, "b": 0.1, "c": 1.0}, (0.2, 0.05), {"x": 1.0, "y": 0.7, "z": -0.3})
START = {("a", "x"): 0.25, ("a", "y"): -0.0, ("c", "x"): -1.0, ("c", "y"): 0.1}
RATE = some.Schedule([1.0, 0.5, 0.25, 0.25, 1.5, 1.0, 1 / 3], None)
Found = tuple[Any, Any]


def expected(rule: Any, rows: list[Event] | None = None, dtype: Any = np.float64, **more: Any) -> Any:
    given = {"initial": None, "average": False, "rule_parameters": RULES[rule].parameters} | more
    return some.reference_weights(
        EVENTS if rows is None else rows, PARAMETERS, CUES, OUTCOMES, dtype, rule=rule, **given
    )


def learned(rule: Any, events: Any = None, **more: Any) -> Any:
    source = events if isinstance(events, rw.Events) else rw.read_events(EVENTS if events is None else events)
    return rw.learn(source, rule=rule, **PARAMETERS.keywords(), **more).values


def start() -> rw.Weights:
    return rw.Weights(reference.matrix(START, ["a", "c"], ["x", "y"], np.float64), ["a", "c"], ["x", "y"])


def initial(rule: Any, folder: Path) -> Found:
    weights = rw.learn(rw.read_events(EVENTS), rule=rule, **PARAMETERS.keywords(), initial=start())
    return weights[list(CUES), list(OUTCOMES)].values, expected(rule, initial=START)


def frequencies(rule: Any, folder: Path) -> Found:
    once = [(cues, outcomes, 1) for cues, outcomes, frequency in EVENTS for _ in range(frequency)]
    return learned(rule), learned(rule, [*once, (("a", "c"), ("x",), 0)])


def duplicates(rule: Any, folder: Path) -> Found:
    rows: list[Event] = [*EVENTS, (("a", "a", "b"), ("x", "x"), 2)]
    return learned(rule, rw.read_events(rows, duplicates="keep")), expected(rule, rows)


def trajectories(rule: Any, folder: Path) -> Found:
    recorded = rw.trajectories(rw.read_events(EVENTS), rule=rule, **PARAMETERS.keywords())
    told = PARAMETERS.alpha, PARAMETERS.beta, PARAMETERS.lambda_, CUES, OUTCOMES
    more = {"rule": rule, "rule_parameters": RULES[rule].parameters}
    steps = reference.trajectory(EVENTS, range(8), *told, **more)
    return recorded.values, np.array(
        [reference.matrix(steps[t], CUES, OUTCOMES, np.float64) for t in range(8)]
    )


def parts(rule: Any, folder: Path) -> Found:
    for part in range(2):
        found = learned(rule, out=folder / "w.zarr", part=(part, 2))
    return found, expected(rule)


def in_place(rule: Any, folder: Path) -> Found:
    weights = rw.learn(rw.read_events(EVENTS), rule=rule, **PARAMETERS.keywords())
    rw.learn(rw.read_events(EVENTS), rule=rule, initial=weights, out=weights, **PARAMETERS.keywords())
    return weights.values, expected(rule, EVENTS * 2)


def adjoint(rule: Any, folder: Path) -> Found:
    told: dict[str, Any] = PARAMETERS.keywords() | {"beta": 0.2}
    values = [
        rw.learn(rw.read_events(EVENTS), rule=rule, method=m, **told).values for m in ("adjoint", "forward")
    ]
    return values[0].round(12), values[1].round(12)


OPTIONS: dict[str, Callable[[Any, Path], Found]] = {
    "initial": initial,
    "schedule": lambda rule, folder: (learned(rule, schedule=RATE), expected(rule, schedule=RATE.of)),
    "average": lambda rule, folder: (learned(rule, average=True), expected(rule, average=True)),
    "float64": lambda rule, folder: (learned(rule), expected(rule)),
    "float32": lambda rule, folder: (learned(rule, dtype="float32"), expected(rule, dtype=np.float32)),
    "trajectories": trajectories,
    "a store": lambda rule, folder: (learned(rule, out=folder / "w.zarr"), expected(rule)),
    "parts of a store": parts,
    "a file": lambda rule, folder: (np.asarray(learned(rule, out=folder / "w.npy")), expected(rule)),
    "passes": lambda rule, folder: (
        learned(rule, rw.read_events(EVENTS).passes(3)),
        expected(rule, EVENTS * 3),
    ),
    "frequencies": frequencies,
    "duplicates": duplicates,
    "in place": in_place,
    "adjoint": adjoint,
    "retention": lambda rule, folder: (learned(rule, retention=0.995), expected(rule, retention=0.995)),
}

# Stores and .npy files have no place for states.
ON_DISK = {"a store", "parts of a store", "a file"}

# Where a rule cannot have an option, what it says.
OTHERS = {
    "duplicates": "events must not name a cue twice for the rule {}",
    "in place": "rule does not go with weights as out: only the rule rescorla_wagner learns in place",
    "adjoint": "method must be forward for the rule {}, not adjoint",
    "retention": "retention must be 1 for the rule {}",
}


def test_the_table_has_every_rule() -> None:
    assert set(RULES) == set(get_args(RuleName.__value__ if hasattr(RuleName, "__value__") else RuleName))


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("rule", RULES)
def test_an_option_works_or_is_refused_with_the_reason(rule: Any, option: str, tmp_path: Path) -> None:
    refused = OTHERS.get(option) if rule != "rescorla_wagner" else None
    if option in ON_DISK and RULES[rule].states:
        refused = "out must be an array, or left out, for the rule {}"
    if refused is not None:
        with pytest.raises(ValueError, match=refused.format(rule)):
            OPTIONS[option](rule, tmp_path)
        return
    found, wanted = OPTIONS[option](rule, tmp_path)
    assert some.bits(np.asarray(found)) == some.bits(wanted)


SHARES = st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 1.0])
STATES = st.floats(0, 1, width=32)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "rescorla_wagner"])
@given(st.data(), some.events(frequencies=st.integers(0, 3)), some.DTYPES, some.THREADS)
def test_a_rule_is_the_reference(
    rule: Any, data: st.DataObject, events: list[Event], dtype: Any, threads: int
) -> None:
    rows = reference.normalised(events, "drop")
    vocabularies = reference.vocabularies(rows)
    start = data.draw(st.one_of(st.none(), some.initials(*vocabularies)))
    firsts: tuple[list[str], list[str]] = ([], [])
    if start is not None:
        firsts = reference.distinct(cue for cue, _ in start), reference.distinct(o for _, o in start)
    cues, outcomes = (reference.distinct([*a, *b]) for a, b in zip(firsts, vocabularies, strict=True))
    parameters = data.draw(some.rules(cues, outcomes))
    if rule == "le_pelley":
        # No asymptote may exceed 1.
        parameters.lambda_ = data.draw(st.sampled_from([1.0, 0.7, 0.0, -0.3]))
    numbers = {name: data.draw(SHARES) for name in RULES[rule].parameters}
    schedule = data.draw(st.one_of(st.none(), some.schedules(rows)))
    given: dict[str, Any] = {"rule": rule, "rule_parameters": numbers}

    def matrix(found: Any, cues: Any, outcomes: Any) -> Any:
        return reference.matrix(found, cues, outcomes, dtype)

    told: dict[str, Any] = {**parameters.keywords(), **given, "dtype": dtype, "threads": threads}
    told |= {"tile": data.draw(st.one_of(st.none(), st.integers(1, 9))), "schedule": schedule}
    number = float if dtype == np.float64 else dtype
    states: reference.States = {}
    if start is not None:
        state = {}
        if data.draw(st.sampled_from([bool(RULES[rule].states), False])):
            states = {pair: {n: number(data.draw(STATES)) for n in RULES[rule].states} for pair in start}
            state = {
                name: matrix({pair: each[name] for pair, each in states.items()}, *firsts)
                for name in RULES[rule].states
            }
        told["initial"] = rw.Weights(matrix(start, *firsts), *firsts, {}, state)
    source = rw.read_events(events)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", rw.RescorlaWarning)
        weights = asked.learn(source, **told)
        curves = asked.trajectories(source, **told)
        each = parameters.alpha, parameters.beta, parameters.lambda_, cues, outcomes, start, number
        given |= {"schedule": reference.unscheduled if schedule is None else schedule.of}
        first = {pair: dict(each) for pair, each in states.items()}
        found = reference.learn(rows, *each, **given, states=states)
        n = sum(frequency for *_, frequency in rows)
        steps = reference.trajectory(rows, range(n + 1), *each, **given, states=first)
    assert some.bits(weights.values) == some.bits(matrix(found, cues, outcomes))
    assert tuple(weights.state) == RULES[rule].states
    for name, values in weights.state.items():
        wanted = matrix({pair: each[name] for pair, each in states.items()}, cues, outcomes)
        assert some.bits(values) == some.bits(wanted)
    assert some.bits(curves.values) == some.bits(
        np.array([matrix(steps[t], cues, outcomes) for t in range(n + 1)], dtype)
    )
    if "salience" in weights.state:
        assert curves.saliences is not None
        assert some.bits(curves.saliences[-1]) == some.bits(weights.state["salience"])
        assert curves.saliences.shape == curves.values.shape
    else:
        assert curves.saliences is None


@pytest.mark.parametrize("rule", [rule for rule in RULES if RULES[rule].states])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_learning_in_pieces_is_learning_at_once(rule: Any, dtype: Any, tmp_path: Path) -> None:
    told: dict[str, Any] = {**PARAMETERS.keywords(), "rule": rule, "dtype": dtype}
    weights = rw.learn(EVENTS[:2], **told)
    weights.save(tmp_path / "w.npz")
    for first in (weights, rw.load_weights(tmp_path / "w.npz"), pickle.loads(pickle.dumps(weights))):
        after, once = rw.learn(EVENTS[2:], initial=first, **told), rw.learn(EVENTS, **told)
        assert some.bits(after.values) == some.bits(once.values)
        assert after.state.keys() == once.state.keys()
        assert all(some.bits(after.state[name]) == some.bits(once.state[name]) for name in once.state)


def test_saliences_are_recorded_and_kept_in_files(tmp_path: Path) -> None:
    told: dict[str, Any] = {**PARAMETERS.keywords(), "rule": "le_pelley"}
    block = rw.trajectories(EVENTS, **told)
    pairs = rw.trajectories(EVENTS, [("c", "x"), ("a", "y")], at=[1, 4], **told)
    assert block.saliences is not None
    assert pairs.saliences is not None
    places = [(CUES.index(cue), OUTCOMES.index(outcome)) for cue, outcome in (("c", "x"), ("a", "y"))]
    for column, (row, outcome) in enumerate(places):
        assert pairs.saliences[:, column].tolist() == block.saliences[[1, 4], row, outcome].tolist()
    for t in range(8):
        rows = [(c, o, 1) for c, o, f in EVENTS for _ in range(f)][:t]
        weights = rw.learn([*((*row[:2], 0) for row in EVENTS), *rows], **told)
        assert some.bits(weights.state["salience"]) == some.bits(block.saliences[t])
    pairs.save(tmp_path / "t.npz")
    again = rw.Trajectories.load(tmp_path / "t.npz")
    assert again.saliences is not None
    assert some.bits(again.saliences) == some.bits(pairs.saliences)


def test_states_follow_their_weights() -> None:
    weights = rw.learn(EVENTS, rule="pearce_kaye_hall", beta=0.4, lambda_=0.5)
    part = weights[["c", "a"], "y":]
    assert isinstance(part, rw.Weights)
    assert part.state["salience"].tolist() == weights.state["salience"][[2, 0], 1:].tolist()
    chosen = rw.learn(
        EVENTS, rule="pearce_kaye_hall", beta=0.4, lambda_=0.5, cues=["c", "a"], outcomes=["y", "z"]
    )
    assert all(some.bits(chosen.state[name]) == some.bits(part.state[name]) for name in part.state)
    assert np.array_equal(weights.values, weights.state["excitatory"] - weights.state["inhibitory"])
    # Nothing can go on from a mean, and the strengths of a weight that is known alone are on one side.
    assert rw.learn(EVENTS, rule="hybrid", average=True).state == {}
    alone = rw.Weights([[0.5, -0.25]], ["q"], ["x", "y"])
    state = rw.learn([("r", "x")], rule="pearce_kaye_hall", initial=alone).state
    assert state["excitatory"][0].tolist() == [0.5, 0.0]
    assert state["inhibitory"][0].tolist() == [0.0, 0.25]


def test_states_are_refused_where_they_do_not_fit(tmp_path: Path) -> None:
    weights = rw.learn(EVENTS, rule="hybrid")
    with pytest.raises(
        ValueError, match=r"initial has states of the rule hybrid \(salience\), and the rule mack"
    ):
        rw.learn(EVENTS, rule="mackintosh", initial=weights)
    with pytest.raises(
        ValueError, match="the rule rescorla_wagner has none; learn by the same rule, or go on"
    ):
        rw.learn(EVENTS, initial=weights)
    with pytest.raises(ValueError, match="out must be weights without states"):
        rw.learn(EVENTS, initial=weights, out=weights)
    # A mean has no states, but a store does not keep those that it began with.
    with pytest.raises(ValueError, match="out must be an array, or left out, for the rule hybrid"):
        rw.learn(EVENTS, rule="hybrid", average=True, initial=weights, out=tmp_path / "w.zarr")
    for name in ("w.nc", "w.npy", "w.zarr"):
        with pytest.raises(ValueError, match=r"have states \(salience\), which only \.npz files keep"):
            weights.save(tmp_path / name)
    weights.save(tmp_path / "w.csv")
    wrong = rw.Weights([[0.0]], ["a"], ["x"], state={"salience": [[np.inf]]})
    with pytest.raises(
        ValueError, match="finite states in float64, but the salience of cue 'a' and outcome 'x'"
    ):
        rw.learn(EVENTS, rule="hybrid", initial=wrong)
    with pytest.raises(ValueError, match=r"state\['salience'\] must have a number for each weight"):
        rw.Weights([[0.0]], ["a"], ["x"], state={"salience": [0.0]})
    with pytest.raises(TypeError, match=r"state\['salience'\] must be real numbers"):
        rw.Weights([[0.0]], ["a"], ["x"], state={"salience": [["much"]]})
    with pytest.raises(TypeError, match="state must be a mapping"):
        rw.Weights([[0.0]], ["a"], ["x"], state=[[0.0]])  # type: ignore[arg-type]


# What the rules are known for.

FAST: dict[str, Any] = {"alpha": 0.3, "beta": 0.3}


def of(text: str, rule: Any, cue: str, **more: Any) -> tuple[float, dict[str, float]]:
    """The weight of a cue after a design, and its states."""
    weights = rw.learn(rw.design(text), rule=rule, **FAST | more)
    return weights[cue, "US"], {name: float(each[0, 0]) for name, each in weights[[cue], :].state.items()}


def test_mackintosh_a_blocked_cue_loses_salience() -> None:
    weight, blocked = of("A+ 40 | AB+ 40", "mackintosh", "B")
    free, shared = of("AB+ 40", "mackintosh", "B")
    assert blocked["salience"] == 0.05 < shared["salience"]
    assert weight < free / 2


@pytest.mark.parametrize("rule", ["hybrid", "pearce_kaye_hall"])
def test_salience_falls_as_the_outcome_is_predicted(rule: Any) -> None:
    saliences = rw.trajectories(rw.design("A+ 60"), rule=rule, **FAST).saliences
    assert saliences is not None
    assert saliences[0, 0, 0] == 1
    assert saliences[-1, 0, 0] < 0.15
    assert (np.diff(saliences[:, 0, 0]) <= 0).all()


@pytest.mark.parametrize("rule", ["hybrid", "pearce_kaye_hall"])
def test_latent_inhibition(rule: Any) -> None:
    exposed, fresh = (of(text, rule, "X")[0] for text in ("X- 40 | X+ 10", "X+ 10"))
    assert exposed < fresh / 2
    # The salience falls from the first token on, and not from where the outcome begins.
    curve = rw.trajectories(rw.design("X- 40 | X+ 10"), rule=rule, **FAST).saliences
    assert curve is not None
    some.assert_close(curve[40, 0, 0], 0.9**40, 1e-12)


def test_van_hamme_wasserman_backward_blocking() -> None:
    before, after = (of(text, "van_hamme_wasserman", "B")[0] for text in ("AB+ 40", "AB+ 40 | A+ 40"))
    half = of("AB+ 40 | A+ 40", "van_hamme_wasserman", "B", rule_parameters={"k": 0.5})[0]
    assert after < half < before
    assert after < 0.05
    assert of("AB+ 40 | A+ 40", "van_hamme_wasserman", "B", rule_parameters={"k": 0.0}) == of(
        "AB+ 40 | A+ 40", "rescorla_wagner", "B"
    )
    # C was never with A.
    assert of("AB+ 40 / C+ 40 | A+ 40", "van_hamme_wasserman", "C") == of("C+ 40", "rescorla_wagner", "C")


def test_le_pelley_the_salience_of_a_blocked_cue_ends_at_its_least() -> None:
    weight, state = of("A+ 40 | AB+ 40", "le_pelley", "B")
    assert state["salience"] == 0.05
    assert weight < of("AB+ 40", "le_pelley", "B")[0] / 4
    assert of("A+ 40 | AB+ 40", "le_pelley", "A")[1]["salience"] == 1


def test_without_competition_the_mean_limit_is_the_probability() -> None:
    events = rw.read_events([("a_b", "x", 3), ("a", "y"), ("b", "x_y", 2)])
    share = rw.Weights([[3 / 4, 1 / 4], [1, 2 / 5]], ["a", "b"], ["x", "y"])
    after = np.zeros((2, 2))
    for cues, outcomes, frequency in events:
        one = rw.read_events([(cues, outcomes, 1)])
        learned = rw.learn(one, rule="no_competition", initial=share, alpha=0.3, beta=0.2)
        after += frequency * (learned.values - share.values)
    some.assert_close(after, np.zeros((2, 2)), 1e-15)


def test_what_a_rule_does_not_have_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"rule must be .*, not 'no_competion'; did you mean 'no_competition'"
    ):
        rw.learn(EVENTS, rule="no_competion")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rule_parameters has 'k', but the rule no_competition has none"):
        rw.learn(EVENTS, rule="no_competition", rule_parameters={"k": 1})
    with pytest.raises(ValueError, match="has 'g', but the rule van_hamme_wasserman has only k"):
        rw.learn(EVENTS, rule="van_hamme_wasserman", rule_parameters={"g": 1})
    with pytest.raises(ValueError, match=r"rule_parameters of 'k' must be from 0 to 1, not 1.5"):
        rw.learn(EVENTS, rule="van_hamme_wasserman", rule_parameters={"k": 1.5})
    for k in (0.0, 1.0):
        weights = rw.learn(EVENTS, rule="van_hamme_wasserman", rule_parameters={"k": k})
        assert weights.parameters["k"] == k
    with pytest.raises(ValueError, match=r"rule_parameters of 'k' must be from 0 to 1, not -0.01"):
        rw.learn(EVENTS, rule="van_hamme_wasserman", rule_parameters={"k": -0.01})
    with pytest.raises(TypeError, match=r"rule_parameters of 'k' must be a number"):
        rw.learn(EVENTS, rule="van_hamme_wasserman", rule_parameters={"k": "1"})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match=r"lambda_ must be at most 1 for the rule le_pelley, .*, not 2"):
        rw.learn(EVENTS, rule="le_pelley", lambda_=2.0)
    with pytest.raises(TypeError, match="rule_parameters must be a mapping"):
        rw.learn(EVENTS, rule_parameters=0.5)  # type: ignore[arg-type]


def test_the_rate_must_be_safe_for_each_cue_alone() -> None:
    events = rw.read_events([("a_b_c", "x")])
    rw.learn(events, rule="no_competition", alpha=1.0, beta=1.9)
    with pytest.warns(rw.RescorlaWarning, match=r"a cue has alpha = 1, so a rate is safe only below 2"):
        rw.learn(events, rule="no_competition", alpha={"a": 1.0, "b": 0.5, "c": 0.1}, beta=2.0)
