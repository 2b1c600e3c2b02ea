"""Rows that count as several tokens in a row, or as a part of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def frequencies_of(sample_weight: ArrayLike | None, X: Any) -> NDArray[np.float64] | None:
    """A number of 0 or more for each row; None where each is one token."""
    if sample_weight is None:
        return None
    checked = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return np.asarray(checked)


def present(
    X: Any, targets: Any, frequencies: NDArray[np.float64] | None
) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """The rows that are tokens at all, so that others have no say in any order; None where each is one."""
    if frequencies is None:
        return X, targets, None
    if not frequencies.any():
        raise ValueError(
            "all rows have the weight 0, so that there is nothing to learn: let at least one sample_weight, "
            "and the class_weight of its row, be more"
        )
    if not frequencies.all():
        rows = np.flatnonzero(frequencies)
        X, targets, frequencies = X[rows], targets[rows], frequencies[rows]
    return X, targets, None if (frequencies == 1).all() else frequencies


def median(values: NDArray[np.float64], frequencies: NDArray[np.float64] | None) -> float:
    """The median of the values, each as often as it is; 0 where there are none."""
    if not len(values):
        return 0.0
    if frequencies is None:
        return float(np.median(values))
    order = np.argsort(values)
    reached = np.cumsum(frequencies[order])
    half = reached[-1] / 2
    # Where one half ends with a value, and the other begins with the next, it is midway between the two.
    ends = [min(int(np.searchsorted(reached, half, side)), len(order) - 1) for side in ("left", "right")]
    return float(values[order[ends]].mean())


def factors_of(
    frequencies: NDArray[np.float64],
    beta: float,
    factors: NDArray[np.float64] | None,
    kappa: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The factors on beta by which a row is learned as so many tokens in a row, all at once.

    A token takes the part c = beta * kappa of its error away, so f of them leave (1 - c)^f of it. One token
    does the same at the rate (1 - (1 - c)^f) / kappa, for any f where c is below 1.
    """
    single = np.ones(len(kappa)) if factors is None else factors
    part = beta * single * kappa
    beyond = (part >= 1) & (frequencies != np.floor(frequencies))
    if beyond.any():
        row = int(np.argmax(np.where(beyond, kappa, 0.0)))
        raise ValueError(
            f"a row has the weight {frequencies[row]:g}, which is no whole number of tokens, and beta * "
            f"sum(alpha * x^2) = {part[row]:g}: parts of tokens are only there below 1; give a beta below "
            f"{1 / kappa[row]:g}, let it be None, or give whole numbers as sample_weight and class_weight"
        )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shrunk = -np.expm1(frequencies * np.log1p(-np.minimum(part, 1.0)))
        taken = np.where(part < 1, shrunk, 1 - np.power(1 - part, frequencies))
        many = single * np.where(part > 0, taken / part, frequencies)
    # A row that is one token is learned as without weights, to the last bit.
    return np.where(frequencies == 1, single, many)
