"""Which rule is learned by, with what only this rule has, and what weights keep from token to token."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rescorla._shared.checks import number, one_of, shown
from rescorla._shared.warn import NumericalWarning, warn

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

RuleName: TypeAlias = Literal["rescorla_wagner", "no_competition"]

RULES: dict[str, dict[str, float]] = {"rescorla_wagner": {}, "no_competition": {}}
"""The rules, and the parameters that each has besides alpha, beta and lambda, with their defaults."""

# The rule of which everything else holds: the adjoint method, forgetting, learning in place.
FIRST = "rescorla_wagner"

# A half-life in tokens below which forgetting is probably a mistake.
_BRIEF = 100


class Rule(NamedTuple):
    """A rule, checked."""

    name: str = FIRST
    parameters: Mapping[str, float] = {}
    retention: float = 1.0

    def told(self) -> dict[str, Any]:
        """What the engine is told of it."""
        return {"rule": self.name, "retention": self.retention}

    def recorded(self) -> dict[str, Any]:
        """What ``parameters`` say of it."""
        return {"rule": self.name, **self.parameters, "retention": self.retention}


def rule_in(recorded: Mapping[str, Any]) -> Rule:
    """The rule that ``parameters`` tell of."""
    name = recorded["rule"]
    return Rule(name, {each: recorded[each] for each in RULES[name]}, recorded["retention"])


def rule_given(
    rule: str = FIRST,
    rule_parameters: Mapping[str, float] | None = None,
    retention: float = 1.0,
    dtype: DTypeLike = "float64",
) -> Rule:
    """Check what a call says of its rule."""
    one_of("rule", rule, tuple(RULES))
    defaults = RULES[rule]
    if rule_parameters is not None and not isinstance(rule_parameters, Mapping):
        raise TypeError(
            f"rule_parameters must be a mapping from names to numbers, not {type(rule_parameters).__name__}"
        )
    given = dict(rule_parameters or {})
    for name in given:
        if name not in defaults:
            has = f"has only {', '.join(defaults)}" if defaults else "has none"
            raise ValueError(f"rule_parameters has {shown(name)}, but the rule {rule} {has}")
    parameters = defaults | {name: number(name, value) for name, value in given.items()}
    return Rule(rule, parameters, _retention(retention, rule, np.dtype(dtype)))


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
