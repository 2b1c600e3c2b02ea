"""docs/moving.md has a row for each function of R's ndl and edl; what it says of edl's rules holds."""

import re
from collections.abc import Mapping
from pathlib import Path
from random import Random

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event

PAGE = (Path(__file__).parents[2] / "docs" / "moving.md").read_text(encoding="utf-8")
# What the packages export, in their versions 0.2.18 and 1.1.
EXPORTS = {
    "ndl": """
        acts2probs anova crosstableStatistics cueCoding estimateActivations estimateWeights
        estimateWeightsCompact modelStatistics ndlClassify ndlCrossvalidate ndlCuesOutcomes
        ndlStatistics ndlVarimp orthoCoding plot predict RescorlaWagner summary
    """,
    "edl": """
        RWlearning RWlearningMatrix RWlearningNoCueCompetition RWlearningNoOutcomeCompetition
        activationsCueSet activationsEvents activationsMatrix activationsOutcomes check checkWM
        createTrainingData createWM cueWindow getActivations getCues getLambda getOutcomes getUpdate
        getValues getWM getWeightsByCue getWeightsByOutcome luceChoice plotActivations plotCueWeights
        plotNetwork plotOutcomeWeights setBackground updateWeights updateWeightsNoCueCompetition
        updateWeightsNoOutcomeCompetition
    """,
}
# Small enough for events of eight cues and lambda 2.
ETA = st.floats(0.001, 0.1)
LAMBDA = st.floats(0.5, 2.0)


@pytest.mark.parametrize(("package", "name"), [(p, n) for p, names in EXPORTS.items() for n in names.split()])
def test_each_function_has_a_row(package: str, name: str) -> None:
    section = PAGE.split(f"## From R's {package}\n")[1].split("\n## ")[0]
    firsts = [row.split(" | ")[0] for row in section.splitlines() if row.startswith("| `")]
    assert any(re.search(rf"\b{name}\b", first) for first in firsts)


def learned(
    events: rw.Events, eta: float, lambda_: float, *, cues_compete: bool, outcomes_compete: bool
) -> Mapping[tuple[str, str], float]:
    """edl's rules, as plain loops."""
    weights = {(cue, outcome): 0.0 for cue in events.cues for outcome in events.outcomes}
    for cues, outcomes, frequency in events:
        for _ in range(frequency):
            for outcome in events.outcomes:
                target = lambda_ if outcome in outcomes else 0.0
                total = sum((weights[cue, outcome] for cue in cues), 0.0)
                for cue in cues:
                    predicted = total if cues_compete else weights[cue, outcome]
                    step = eta * (target - predicted)
                    weights[cue, outcome] += step if outcomes_compete else step * target
    return weights


@given(some.events(frequencies=st.integers(0, 3)), ETA, LAMBDA)
def test_without_competition_of_cues_a_cue_has_an_error_of_its_own(
    rows: list[Event], eta: float, lambda_: float
) -> None:
    events = rw.read_events(rows)
    weights = rw.learn(events, alpha=1, beta=eta, lambda_=lambda_, rule="no_competition", method="forward")
    expected = learned(events, eta, lambda_, cues_compete=False, outcomes_compete=True)
    for cue in weights.cues:
        for outcome in weights.outcomes:
            assert weights[cue, outcome] == expected[cue, outcome]


@given(some.events(frequencies=st.integers(0, 3)), ETA, st.just(1.0) | LAMBDA)
def test_without_competition_of_outcomes_beta2_is_0(rows: list[Event], eta: float, lambda_: float) -> None:
    events = rw.read_events(rows)
    weights = rw.learn(events, alpha=1, beta=(eta * lambda_, 0), lambda_=lambda_, method="forward")
    expected = learned(events, eta, lambda_, cues_compete=True, outcomes_compete=False)
    for (cue, outcome), weight in expected.items():
        if lambda_ == 1:
            assert weights[cue, outcome] == weight
        else:
            assert weights[cue, outcome] == pytest.approx(weight, rel=1e-9, abs=1e-12)


@given(st.integers(0, 9), st.integers(0, 9), ETA, ETA, LAMBDA)
def test_the_mean_limit_of_a_cue_alone(
    present: int, absent: int, beta1: float, beta2: float, lambda_: float
) -> None:
    p = present / max(present + absent, 1)
    events = rw.read_events([("a", "x", present), ("a", "", absent), ("b", "x")])
    weights = rw.equilibrium(events, beta=(beta1, beta2), lambda_=lambda_)
    limit = lambda_ * beta1 * p / (beta1 * p + beta2 * (1 - p))
    assert weights["a", "x"] == pytest.approx(limit, rel=1e-9, abs=1e-12)


@given(some.events(frequencies=st.just(1)).filter(len), st.randoms())
def test_an_order_of_tokens_is_a_choice_of_events(rows: list[Event], random: Random) -> None:
    events = rw.read_events(rows)
    # Counted from 1, as in R.
    order = list(range(1, len(events) + 1))
    random.shuffle(order)
    assert list(events[np.array(order) - 1]) == [events[place - 1] for place in order]
