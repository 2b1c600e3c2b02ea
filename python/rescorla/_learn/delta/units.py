"""Activation functions and losses of whole arrays: what the engine does number by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rescorla._learn.schedule import name_of
from rescorla._shared.checks import one_of, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

Function: TypeAlias = "Callable[[NDArray[Any]], Any]"
"""A function of an array of sums, tokens x outcomes, that gives an array of the same shape."""

Loss = Literal["squared", "log"]

SLOPING = ("identity", "logistic", "tanh", "relu")
"""Functions of each sum alone that have a slope."""

ENGINE = (*SLOPING, "threshold")
"""The functions that the engine has."""

UNBOUNDED = ("identity", "relu")
"""Those whose values, and errors, may grow without end."""

NAMES = (*ENGINE, "softmax")


class Unit(NamedTuple):
    """An activation function.

    `slope` is the derivative, given sums and values; of softmax, where each value depends on all sums of a
    token, there is none. `absent` is the target of an absent outcome, as a multiple of lambda.
    """

    name: str
    value: Function
    slope: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]] | None
    absent: float = 0.0
    own: bool = False


def unit_of(activation: object) -> Unit:
    """The unit of a name, or of a caller's pair of functions (g, g')."""
    if isinstance(activation, str):
        one_of("activation", activation, NAMES)
        return _UNITS[activation]
    if isinstance(activation, tuple | list) and len(activation) == 2 and all(map(callable, activation)):
        g, derivative = activation
        value = _checked(g, "g")
        slope = _checked(derivative, "g'")
        return Unit(f"({', '.join(map(name_of, activation))})", value, lambda sums, _: slope(sums), own=True)
    raise TypeError(
        f"activation must be one of {', '.join(map(repr, NAMES))}, or a pair of functions (g, g'), not "
        f"{shown(activation)}"
    )


def updates(unit: Unit, loss: Loss, sums: NDArray[Any], targets: NDArray[Any]) -> NDArray[Any]:
    """What is to be made of each sum: minus the derivative of its token's loss."""
    values = unit.value(sums)
    errors: NDArray[Any] = targets - values
    if unit.slope is None:
        if loss == "log":
            # A token with several outcomes is as many choices among all.
            return np.asarray(targets - values * targets.sum(axis=1, keepdims=True))
        return np.asarray(values * (errors - (errors * values).sum(axis=1, keepdims=True)))
    return errors if loss == "log" else errors * unit.slope(sums, values)


def losses(unit: Unit, loss: Loss, sums: NDArray[Any], targets: NDArray[Any]) -> NDArray[Any]:
    """The loss of each token, the sum of those of its outcomes."""
    if loss == "squared":
        errors = targets - unit.value(sums)
        return np.asarray((errors * errors).sum(axis=1) / 2)
    if unit.slope is None:
        return np.asarray((targets * (_log_of_sum(sums) - sums)).sum(axis=1))
    # -log g(h) and -log(1 - g(h)), finite where g is 0 or 1 but for rounding.
    missed, alarmed = np.logaddexp(0, -sums), np.logaddexp(0, sums)
    return np.asarray((targets * missed + (1 - targets) * alarmed).sum(axis=1))


def _checked(function: Function, name: str) -> Function:
    """A caller's function, which may not change what it is given, and must give as many numbers."""

    def values(sums: NDArray[Any]) -> NDArray[Any]:
        given = sums.view()
        given.flags.writeable = False
        found = np.asarray(function(given))
        if found.shape != sums.shape or found.dtype.kind not in "biuf":
            raise ValueError(
                f"activation must give an array of {' x '.join(map(str, sums.shape))} numbers, as it gets, "
                f"but {name} gave one of {found.dtype} of shape {found.shape}"
            )
        return found.astype(sums.dtype, copy=False)

    return values


def _logistic(sums: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-sums)))


def _log_of_sum(sums: NDArray[Any]) -> NDArray[Any]:
    """The logarithm of the sum of exp(h) over a token's outcomes."""
    greatest = sums.max(axis=1, keepdims=True)
    return np.asarray(greatest + np.log(np.exp(sums - greatest).sum(axis=1, keepdims=True)))


def _softmax(sums: NDArray[Any]) -> NDArray[Any]:
    # By the greatest sum, so that no exp overflows.
    powers = np.exp(sums - sums.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


_UNITS = {
    unit.name: unit
    for unit in (
        Unit("identity", np.asarray, lambda sums, _: np.ones_like(sums)),
        Unit("logistic", _logistic, lambda _, values: values * (1 - values)),
        Unit("tanh", np.tanh, lambda _, values: 1 - values * values, absent=-1.0),
        # The slope is 1 at zero: with 0 there weights that begin at zero would stay there.
        Unit("relu", lambda sums: np.maximum(sums, 0), lambda sums, _: (sums >= 0).astype(sums.dtype)),
        # No slope could teach: its errors move weights as they are.
        Unit("threshold", lambda sums: (sums > 0).astype(sums.dtype), lambda sums, _: np.ones_like(sums)),
        Unit("softmax", _softmax, None),
    )
}
