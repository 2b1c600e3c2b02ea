"""Which rule is learned by, with what only this rule has, and what weights keep from token to token."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rescorla._shared.checks import in_rows, number, one_of, shown
from rescorla._shared.warn import NumericalWarning, warn

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from rescorla._weights.weights import Weights

RuleName: TypeAlias = Literal[
    "rescorla_wagner",
    "no_competition",
    "hybrid",
    "pearce_kaye_hall",
    "mackintosh",
    "le_pelley",
    "van_hamme_wasserman",
]


class Kind(NamedTuple):
    """What a rule has besides alpha, beta and lambda."""

    parameters: Mapping[str, float] = {}
    """Their defaults; each is from 0 to 1."""
    states: tuple[str, ...] = ()
    """What each weight has, in the order of the engine."""
    own_error: bool = False
    """Whether each cue has an error of its own."""
    greatest: float = math.inf
    """What no asymptote may exceed."""


_STRENGTHS = ("salience", "excitatory", "inhibitory")

RULES: dict[str, Kind] = {
    "rescorla_wagner": Kind(),
    "no_competition": Kind(own_error=True),
    "hybrid": Kind({"salience_rate": 0.1}, ("salience",)),
    "pearce_kaye_hall": Kind({"salience_rate": 0.1}, _STRENGTHS),
    "mackintosh": Kind({"salience_rate": 0.1}, ("salience",), own_error=True),
    "le_pelley": Kind(
        {"salience_rate": 0.1, "excitatory_rate": 0.1, "inhibitory_rate": 0.1},
        (*_STRENGTHS, "associability"),
        greatest=1.0,
    ),
    "van_hamme_wasserman": Kind({"k": 1.0}),
}
"""The rules."""

# The rule of which everything else holds: the adjoint method, forgetting, learning in place.
FIRST = "rescorla_wagner"

# A half-life in tokens below which forgetting is probably a mistake.
_BRIEF = 100


class Rule(NamedTuple):
    """A rule, checked."""

    name: str = FIRST
    parameters: Mapping[str, float] = {}
    retention: float = 1.0

    @property
    def kind(self) -> Kind:
        """What it has that others have not."""
        return RULES[self.name]

    def refuse_above(self, greatest: float) -> None:
        """ValueError where an asymptote is greater than the rule has them."""
        if greatest > self.kind.greatest:
            most = f"lambda_ must be at most {self.kind.greatest:g}"
            raise ValueError(
                f"{most} for the rule {self.name}, whose strengths go no further, not {greatest:g}"
            )

    def told(self) -> dict[str, Any]:
        """What the engine is told of it."""
        return {"rule": self.name, "rule_parameters": dict(self.parameters), "retention": self.retention}

    def states_of(self, initial: Weights, element: np.dtype[Any]) -> NDArray[Any] | None:
        """The states of initial weights, one below the other; None where they have none."""
        if not initial.state:
            return None
        states, made = self.kind.states, initial.parameters.get("rule", self.name)
        if made != self.name or initial.state.keys() != {*states}:
            of = f" of the rule {made}" if made != self.name else ""
            has = f"has {', '.join(states)}" if states else "has none"
            raise ValueError(
                f"initial has states{of} ({', '.join(initial.state)}), and the rule {self.name} {has}; learn "
                "by the same rule, or go on without them, from "
                "rescorla.Weights(initial.values, initial.cues, initial.outcomes)"
            )
        with np.errstate(over="ignore"):
            stacked = in_rows(np.concatenate([initial.state[name] for name in states]), element)
        finite = np.isfinite(stacked)
        if not finite.all():
            row, column = np.unravel_index(int(finite.argmin()), finite.shape)
            which, cue = divmod(int(row), max(len(initial.cues), 1))
            raise ValueError(
                f"initial must have finite states in {element}, but the {states[which]} of cue "
                f"{initial.cues[cue]!r} and outcome {initial.outcomes[column]!r} is {stacked[row, column]}"
            )
        return stacked

    def recorded(self) -> dict[str, Any]:
        """What ``parameters`` say of it."""
        return {"rule": self.name, **self.parameters, "retention": self.retention}


def rule_in(recorded: Mapping[str, Any]) -> Rule:
    """The rule that ``parameters`` tell of."""
    name = recorded["rule"]
    return Rule(name, {each: recorded[each] for each in RULES[name].parameters}, recorded["retention"])


def rule_given(
    rule: str = FIRST,
    rule_parameters: Mapping[str, float] | None = None,
    retention: float = 1.0,
    dtype: DTypeLike = "float64",
) -> Rule:
    """Check what a call says of its rule."""
    one_of("rule", rule, tuple(RULES))
    defaults = RULES[rule].parameters
    if rule_parameters is not None and not isinstance(rule_parameters, Mapping):
        raise TypeError(
            f"rule_parameters must be a mapping from names to numbers, not {type(rule_parameters).__name__}"
        )
    given = dict(rule_parameters or {})
    for name in given:
        if name not in defaults:
            has = f"has only {', '.join(defaults)}" if defaults else "has none"
            raise ValueError(f"rule_parameters has {shown(name)}, but the rule {rule} {has}")
    parameters = {name: _share(name, given.get(name, default)) for name, default in defaults.items()}
    return Rule(rule, parameters, _retention(retention, rule, np.dtype(dtype)))


def _share(name: str, value: object) -> float:
    """A parameter of a rule."""
    argument = f"rule_parameters of {name!r}"
    share = number(argument, value)
    if not 0 <= share <= 1:
        raise ValueError(f"{argument} must be from 0 to 1, not {share:g}")
    return share


def _retention(retention: object, rule: str, element: np.dtype[Any]) -> float:
    """What each token leaves of a weight; a warning where that is soon nothing."""
    gamma = number("retention", retention)
    if gamma == 1:
        return gamma
    if not 0 < gamma < 1:
        raise ValueError(f"retention must be above 0 and at most 1 (nothing is forgotten), not {gamma:g}")
    if rule != FIRST:
        raise ValueError(f"retention must be 1 for the rule {rule}: only weights of {FIRST} are forgotten")
    rounded = element.type(gamma)
    if rounded in (0, 1):
        raise ValueError(f"retention must not round to {rounded:g} in {element}, as {gamma!r} does")
    half_life = math.log(0.5) / math.log(gamma)
    if half_life < _BRIEF:
        warn(
            f"retention = {gamma:g} halves every weight within {half_life:.3g} tokens, whatever is learned: "
            f"to forget half within n tokens, give 0.5 ** (1 / n)",
            NumericalWarning,
        )
    return gamma
