"""Parameters that are fitted, on scales on which they may be any number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

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
}


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
        """The numbers that are given, as far as they are within the bounds."""
        given = [
            float(np.clip(self.fixed[entry.places[0]], entry.lower, entry.upper)) for entry in self.entries
        ]
        return np.array([entry.phi(value) for entry, value in zip(self.entries, given, strict=True)])


def free_of(
    free: Any,
    bounds: Any,
    given: Mapping[str, float | tuple[float, float]],
    groups: Sequence[str],
    columns: Sequence[str],
    link: str,
    *,
    from_zero: bool,
) -> Free:
    """Check what is to be fitted.

    The engine's list: alpha of each group, beta1, beta2, lambda of each column, retention, theta, biases,
    spread.
    """
    asked = only_names("free must be names", several("free", free))
    spread = "lapse" if link == "softmax" else "sigma"
    known = [name for name in SCALES if name not in ({"lapse", "sigma"} - {spread})]
    for name in asked:
        one_of("free", name, tuple(known))
    if link == "normal":
        asked = list(dict.fromkeys([*asked, "bias", "sigma"]))
    _refuse(asked, len(groups), from_zero, link)
    limits = {} if bounds is None else bounds
    if not isinstance(limits, Mapping):
        raise TypeError(f"bounds must be a mapping from names to pairs, not {shown(bounds)}")
    n_groups, n = len(groups), len(columns)
    beta = given["beta"]
    pair = beta if isinstance(beta, tuple) else (beta, beta)
    biases = n if link == "softmax" else 1
    fixed = np.concatenate(
        [
            np.full(n_groups, given["alpha"]),
            pair,
            np.full(n, given["lambda_"]),
            [given["retention"], given["theta"]],
            np.zeros(biases),
            [0.0 if link == "softmax" else 1.0],
        ]
    )
    rest = n_groups + 2 + n
    at: dict[str, list[tuple[str, tuple[int, ...]]]] = {
        "alpha": [("alpha" if n_groups == 1 else f"alpha[{name}]", (i,)) for i, name in enumerate(groups)],
        "beta": [("beta", (n_groups, n_groups + 1))],
        "beta1": [("beta1", (n_groups,))],
        "beta2": [("beta2", (n_groups + 1,))],
        "lambda_": [("lambda_", tuple(range(n_groups + 2, rest)))],
        "retention": [("retention", (rest,))],
        "theta": [("theta", (rest + 1,))],
        "bias": [("bias", (rest + 2,))]
        if link == "normal"
        else [(f"bias[{name}]", (rest + 2 + j,)) for j, name in enumerate(columns) if j > 0],
        spread: [(spread, (rest + 2 + biases,))],
    }
    entries = []
    for name in asked:
        scale, lower, upper = SCALES[name]
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
    return Free(tuple(entries), fixed)


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
