"""Factors on the learning rate that change from token to token.

A schedule is any function of token numbers (an int64 array, the first token is 1) that gives factors, as
``learn(schedule=...)``, `delta_rule` and `widrow_hoff` take it. The schedules made here print as the call
that made them, which is also what ``parameters`` of the learned weights show.

Examples
--------
>>> import numpy as np
>>> import rescorla as rw
>>> falling = rw.schedules.inverse_time(tau=2.0)
>>> falling
inverse_time(tau=2.0)
>>> falling(np.array([1, 2, 6]))
array([0.66666667, 0.5       , 0.25      ])
>>> weights = rw.learn(
...     rw.read_events([("light", "food", 3)]),
...     alpha=1.0,
...     beta=1.5,
...     schedule=falling,
... )
>>> weights["light", "food"], weights.parameters["schedule"]
(1.0, 'inverse_time(tau=2.0)')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import number, rate, several, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["inverse_time", "piecewise", "power"]


class _Schedule:
    """A formula of token numbers with its arguments. Prints as the call that made it."""

    __slots__ = ("_arguments", "_name")

    def __init__(self, name: str, **arguments: Any) -> None:
        self._name, self._arguments = name, arguments

    def __call__(self, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        factors: NDArray[np.float64] = _FORMULAS[self._name](tokens, **self._arguments)
        return factors

    def __repr__(self) -> str:
        listed = ", ".join(f"{argument}={value!r}" for argument, value in self._arguments.items())
        return f"{self._name}({listed})"


_FORMULAS: dict[str, Callable[..., Any]] = {
    "inverse_time": lambda tokens, tau: 1.0 / (1.0 + tokens / tau),
    "power": lambda tokens, tau, exponent: (1.0 + tokens / tau) ** -exponent,
    "piecewise": lambda tokens, ends, factors: np.array(factors)[np.searchsorted(ends, tokens)],
}


def inverse_time(tau: float) -> Schedule:
    """The factor 1 / (1 + t / tau) for token t.

    It is about 1 at the beginning, a half at token tau, and falls as tau / t from there on. Its sum has no
    bound and the sum of its squares has one: Robbins and Monro's conditions, under which weights converge
    although tokens come at random.

    Parameters
    ----------
    tau : float
        In tokens, above 0.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        When tau is not above 0 or not finite.

    References
    ----------
    Robbins, H. and Monro, S. (1951). A stochastic approximation method. Annals of Mathematical Statistics 22,
    400-407.

    Examples
    --------
    >>> import numpy as np
    >>> import rescorla as rw
    >>> rw.schedules.inverse_time(1000)(np.array([1000, 3000]))
    array([0.5 , 0.25])
    """
    return _Schedule("inverse_time", tau=_positive("tau", tau))


def power(tau: float, exponent: float) -> Schedule:
    """The factor (1 + t / tau) ** -exponent for token t.

    An exponent of 1 is `inverse_time`; between 1/2 and 1 rates fall more slowly, which suits the mean of the
    weights (``learn(average=True)``).

    Parameters
    ----------
    tau : float
        In tokens, above 0.
    exponent : float
        0 or more.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        When an argument is out of its range or not finite.

    References
    ----------
    Polyak, B. T. and Juditsky, A. B. (1992). Acceleration of stochastic approximation by averaging. SIAM
    Journal on Control and Optimization 30, 838-855.

    Examples
    --------
    >>> import numpy as np
    >>> import rescorla as rw
    >>> rw.schedules.power(tau=1, exponent=0.5)(np.array([3, 8]))
    array([0.5       , 0.33333333])
    """
    return _Schedule("power", tau=_positive("tau", tau), exponent=rate("exponent", exponent))


def piecewise(ends: Sequence[int], factors: Sequence[float]) -> Schedule:
    """One factor up to a token, another after it, and so on.

    Parameters
    ----------
    ends : sequence of int
        The last token of each piece except the last piece, in rising order.
    factors : sequence of float
        The factor of each piece, 0 or more: one more than there are ends.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        When the ends do not rise, a factor is negative or not finite, or the numbers do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import rescorla as rw
    >>> rw.schedules.piecewise([2, 4], [1.0, 0.5, 0.0])(np.arange(1, 7))
    array([1. , 1. , 0.5, 0.5, 0. , 0. ])
    """
    last = tuple(whole("ends", end) for end in several("ends", ends, "token numbers"))
    factors = several("factors", factors, "numbers")
    if len(factors) != len(last) + 1:
        raise ValueError(f"factors must be one more than ends: {len(last) + 1}, not {len(factors)}")
    if any(end >= later for end, later in pairwise(last)):
        raise ValueError(f"ends must rise, not be {list(last)}")
    each = tuple(rate("factors", factor) for factor in factors)
    return _Schedule("piecewise", ends=last, factors=each)


def _positive(argument: str, value: object) -> float:
    converted = number(argument, value)
    if converted <= 0:
        raise ValueError(f"{argument} must be above 0, not {converted}")
    return converted
