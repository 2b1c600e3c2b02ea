"""Every rule with every option: what is learned is the reference's, or the refusal says why."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

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
    given = {"initial": None, "average": False} | more
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
    steps = reference.trajectory(EVENTS, range(8), *told, rule=rule)
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
    if refused is not None:
        with pytest.raises(ValueError, match=refused.format(rule)):
            OPTIONS[option](rule, tmp_path)
        return
    found, wanted = OPTIONS[option](rule, tmp_path)
    assert some.bits(np.asarray(found)) == some.bits(wanted)


@given(st.data(), some.events(), some.DTYPES, some.THREADS)
def test_without_competition_it_is_the_reference(
    data: st.DataObject, events: list[Event], dtype: Any, threads: int
) -> None:
    rows = reference.normalised(events, "drop")
    cues, outcomes = reference.vocabularies(rows)
    parameters = data.draw(some.rules(cues, outcomes))
    told: dict[str, Any] = {**parameters.keywords(), "dtype": dtype, "threads": threads}
    weights = rw.learn(rw.read_events(events), rule="no_competition", **told)
    expected = some.reference_weights(rows, parameters, cues, outcomes, dtype, rule="no_competition")
    assert some.bits(weights.values) == some.bits(expected)


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
    with pytest.raises(TypeError, match="rule_parameters must be a mapping"):
        rw.learn(EVENTS, rule_parameters=0.5)  # type: ignore[arg-type]


def test_the_rate_must_be_safe_for_each_cue_alone() -> None:
    events = rw.read_events([("a_b_c", "x")])
    rw.learn(events, rule="no_competition", alpha=1.0, beta=1.9)
    with pytest.warns(rw.RescorlaWarning, match=r"a cue has alpha = 1, so a rate is safe only below 2"):
        rw.learn(events, rule="no_competition", alpha={"a": 1.0, "b": 0.5, "c": 0.1}, beta=2.0)
