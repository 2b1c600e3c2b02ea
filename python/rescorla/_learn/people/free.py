"""Parameters that are fitted, on scales on which they may be any number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._learn.rule import FIRST, Rule
from rescorla._shared.checks import number, one_of, only_names, several, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The scale of each parameter, and its bounds.
SCALES: dict[str, tuple[str, float, float]] = {
    "alpha": ("log", 1e-6, 1e2),
    "beta": ("log", 1e-6, 1e2),
    "beta1": ("log", 1e-6, 1e2),
    "beta2": ("log", 1e-6, 1e2),
    "lambda_": ("identity", -1e2, 1e2),
    "retention": ("logit", 0.01, 1 - 1e-9),
    "theta": ("log", 1e-4, 1e4),
    "bias": ("identity", -1e2, 1e2),
    "lapse": ("logit", 1e-6, 0.9),
    "sigma": ("log", 1e-9, 1e9),
    "salience_rate": ("logit", 1e-4, 0.9999),
    "excitatory_rate": ("logit", 1e-4, 0.9999),
    "inhibitory_rate": ("logit", 1e-4, 0.9999),
    "k": ("logit", 1e-4, 0.9999),
}
# Where a logistic scale is not flat.
_STEEP = 0.01, 0.99
# Rules whose gradients go backward through the trials; of others what concerns learning has differences.
_EXACT = (FIRST, "van_hamme_wasserman")


class Entry(NamedTuple):
    """A number that is fitted, and the places of the engine's list that it fills."""

    name: str
    places: tuple[int, ...]
    scale: str
    lower: float
    upper: float

    def natural(self, phi: Any) -> Any:
        if self.scale == "log":
            return np.exp(phi)
        return 1 / (1 + np.exp(-phi)) if self.scale == "logit" else phi

    def slope(self, phi: Any) -> Any:
        """The derivative of the natural number."""
        value = self.natural(phi)
        if self.scale == "log":
            return value
        return value * (1 - value) if self.scale == "logit" else np.ones_like(value)

    def phi(self, value: float) -> float:
        if self.scale == "log":
            return float(np.log(value))
        return float(np.log(value) - np.log1p(-value)) if self.scale == "logit" else float(value)


class Free(NamedTuple):
    """All numbers that are fitted, and the list of the engine in which the others stand."""

    entries: tuple[Entry, ...]
    fixed: NDArray[np.float64]
    by_differences: NDArray[np.int64]
    """The numbers of which the engine has no gradient."""

    def values(self, phi: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the engine is told, a row for each row of numbers on their scales."""
        values = np.tile(self.fixed, (len(phi), 1))
        for at, entry in enumerate(self.entries):
            values[:, entry.places] = entry.natural(phi[:, at])[:, np.newaxis]
        return values

    def gradient(self, phi: NDArray[np.float64], of_values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The derivatives by the numbers on their scales."""
        columns = [
            entry.slope(phi[:, at]) * of_values[:, entry.places].sum(axis=1)
            for at, entry in enumerate(self.entries)
        ]
        return np.stack(columns, axis=1)

    def natural(self, phi: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows of natural numbers."""
        return np.stack([entry.natural(phi[:, at]) for at, entry in enumerate(self.entries)], axis=1)

    def errors(self, phi: NDArray[np.float64], covariances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standard errors of the natural numbers."""
        slopes = np.stack([entry.slope(phi[:, at]) for at, entry in enumerate(self.entries)], axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(np.diagonal(covariances, axis1=1, axis2=2)) * np.abs(slopes))

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    @property
    def bounds(self) -> list[tuple[float, float]]:
        return [(entry.phi(entry.lower), entry.phi(entry.upper)) for entry in self.entries]

    def start(self) -> NDArray[np.float64]:
        """The numbers that are given, within the bounds; not where a logistic scale is flat."""
        found = []
        for entry in self.entries:
            value = self.fixed[entry.places[0]]
            if entry.scale == "logit":
                value = np.clip(value, *_STEEP)
            found.append(entry.phi(float(np.clip(value, entry.lower, entry.upper))))
        return np.array(found)


def free_of(
    free: Any,
    bounds: Any,
    given: Mapping[str, float | tuple[float, float]],
    groups: Sequence[str],
    columns: Sequence[str],
    link: str,
    rule: Rule,
    *,
    from_zero: bool,
) -> Free:
    """Check what is to be fitted.

    The engine's list: what only the rule has, alpha of each group, beta1, beta2, lambda of each column,
    retention, theta, biases, spread.
    """
    asked = only_names("free must be names", several("free", free))
    spread = "lapse" if link == "softmax" else "sigma"
    known = ["alpha", "beta", "beta1", "beta2", "lambda_", "theta", "bias", spread, *rule.parameters]
    if rule.name == FIRST:
        known.append("retention")
    for name in asked:
        one_of("free", name, tuple(known))
    if link == "normal":
        asked = list(dict.fromkeys([*asked, "bias", "sigma"]))
    # Saliences that follow the error tell lambda and theta apart.
    _refuse(asked, len(groups), from_zero and not rule.kind.states, link)
    limits = {} if bounds is None else bounds
    if not isinstance(limits, Mapping):
        raise TypeError(f"bounds must be a mapping from names to pairs, not {shown(bounds)}")
    n_groups, n = len(groups), len(columns)
    beta = given["beta"]
    pair = beta if isinstance(beta, tuple) else (beta, beta)
    biases = n if link == "softmax" else 1
    fixed = np.concatenate(
        [
            list(rule.parameters.values()),
            np.full(n_groups, given["alpha"]),
            pair,
            np.full(n, given["lambda_"]),
            [given["retention"], given["theta"]],
            np.zeros(biases),
            [0.0 if link == "softmax" else 1.0],
        ]
    )
    first = len(rule.parameters)
    rates = first + n_groups
    rest = rates + 2 + n
    at: dict[str, list[tuple[str, tuple[int, ...]]]] = {
        "alpha": [
            ("alpha" if n_groups == 1 else f"alpha[{name}]", (first + i,)) for i, name in enumerate(groups)
        ],
        "beta": [("beta", (rates, rates + 1))],
        "beta1": [("beta1", (rates,))],
        "beta2": [("beta2", (rates + 1,))],
        "lambda_": [("lambda_", tuple(range(rates + 2, rest)))],
        "retention": [("retention", (rest,))],
        "theta": [("theta", (rest + 1,))],
        "bias": [("bias", (rest + 2,))]
        if link == "normal"
        else [(f"bias[{name}]", (rest + 2 + j,)) for j, name in enumerate(columns) if j > 0],
        spread: [(spread, (rest + 2 + biases,))],
        **{name: [(name, (i,))] for i, name in enumerate(rule.parameters)},
    }
    entries = []
    for name in asked:
        scale, lower, upper = SCALES[name]
        if name == "lambda_":
            upper = min(upper, rule.kind.greatest)
        if name in limits:
            pair_of = limits[name]
            if not isinstance(pair_of, tuple | list) or len(pair_of) != 2:
                raise ValueError(f"bounds must have a pair (least, most) for {name}, not {shown(pair_of)}")
            lower, upper = (number(f"bounds[{name!r}]", each) for each in pair_of)
        if not lower < upper or (scale != "identity" and lower <= 0) or (scale == "logit" and upper >= 1):
            raise ValueError(f"bounds of {name} must rise within its range, and are {lower:g} and {upper:g}")
        entries += [Entry(each, places, scale, lower, upper) for each, places in at[name]]
    for name in limits:
        if name not in asked:
            raise ValueError(f"bounds has {shown(name)}, which is not fitted; free has {', '.join(asked)}")
    learned = first if rule.name in _EXACT else rest
    guessed = [at for at, entry in enumerate(entries) if entry.places[0] < learned]
    return Free(tuple(entries), fixed, np.array(guessed, dtype=np.int64))


def _refuse(asked: list[str], n_groups: int, from_zero: bool, link: str) -> None:
    """ValueError where numbers cannot be told apart."""
    rates = {"beta", "beta1", "beta2"} & {*asked}
    if "beta" in asked and len(rates) > 1:
        raise ValueError("free must have beta, or beta1 and beta2, not both")
    if "alpha" in asked and (rates & {"beta"} or len(rates) == 2):
        raise ValueError(
            "free must not have alpha and beta: only their product matters; fix one of them"
            + (", such as the beta of all" if n_groups > 1 else "")
        )
    if from_zero and {"lambda_", "theta"} <= {*asked}:
        raise ValueError(
            "free must not have lambda_ and theta where learning starts at zero: only their product matters; "
            "fix lambda_"
        )
    if link == "softmax" and not asked:
        raise ValueError("free must have a name or more")
