"""The factors that a schedule gives, asked for and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rescorla._shared.checks import room

if TYPE_CHECKING:
    from numpy.typing import NDArray

Schedule: TypeAlias = "Callable[[NDArray[np.int64]], Any]"
"""A function of token numbers: factors on beta, or a pair of arrays of them, for beta1 and for beta2."""


class Factors(NamedTuple):
    """The factors of all tokens. Where beta1 and beta2 have the same, both arrays are one."""

    present: NDArray[np.float64]
    absent: NDArray[np.float64]
    fastest: float
    """The largest beta * factor."""


# Tokens that a schedule is asked for at a time.
_BLOCK = 1 << 16


def tabulated(schedule: Any, n_tokens: int, betas: tuple[float, float], element: np.dtype[Any]) -> Factors:
    """Ask a schedule for the factors of all tokens, block by block, and check them.

    The engine's threads are at different tokens at any time, and go through them once for each tile. So they
    are given all factors at once: 8 bytes a token, or 16 where beta1 and beta2 have their own.
    """
    check_callable(schedule)
    factors = [_no_factors(n_tokens)]
    fastest = 0.0
    for start in range(0, n_tokens, _BLOCK):
        tokens = np.arange(start + 1, min(start + _BLOCK, n_tokens) + 1, dtype=np.int64)
        block = _block(schedule(tokens), tokens)
        if len(block) > len(factors):
            if start > 0:
                raise ValueError(
                    f"schedule gave two arrays for tokens {start + 1} to {start + len(tokens)}, but one "
                    "before; let it give as many for all tokens"
                )
            factors.append(_no_factors(n_tokens))
        for each, beta, kind in zip(block * (3 - len(block)), betas, ("beta1", "beta2"), strict=True):
            _check_factors(each, beta, kind, tokens, element)
            fastest = max(fastest, beta * float(each.max()))
        for all_tokens, each in zip(factors, block * (len(factors) + 1 - len(block)), strict=True):
            all_tokens[start : start + len(tokens)] = each
    return Factors(factors[0], factors[-1], fastest)


def factors_of(
    schedule: Any, tokens: NDArray[np.int64], beta: float, element: np.dtype[Any]
) -> NDArray[np.float64]:
    """The factors of some tokens, for a rule of one learning rate, checked."""
    check_callable(schedule)
    factors = _no_factors(len(tokens))
    for start in range(0, len(tokens), _BLOCK):
        some = tokens[start : start + _BLOCK]
        block = _block(schedule(some), some)
        if len(block) > 1:
            raise ValueError("schedule must give one array: this rule has one learning rate, not two")
        _check_factors(block[0], beta, "beta", some, element)
        factors[start : start + len(some)] = block[0]
    return factors


def name_of(function: object) -> str:
    """How a function prints, without its address."""
    return str(getattr(function, "__qualname__", None) or repr(function))


def _no_factors(n_tokens: int) -> NDArray[np.float64]:
    return room("the factors of a schedule", n_tokens, np.dtype(np.float64), "learn fewer tokens at a time")


def check_callable(schedule: object) -> None:
    """TypeError for what is no function."""
    if not callable(schedule):
        raise TypeError(
            "schedule must be a function of token numbers, such as rescorla.schedules.inverse_time(1000), "
            f"not {type(schedule).__name__}"
        )


def _block(given: object, tokens: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """One or two arrays of what a schedule gave for some tokens."""
    arrays, length = [], len(tokens)
    for each in given if isinstance(given, tuple) else (given,):
        array = np.asarray(each)
        if array.shape != (length,) or array.dtype.kind not in "iuf":
            raise ValueError(
                f"schedule must give {length} numbers for tokens {tokens[0]} to {tokens[-1]}, or a tuple "
                f"of two such arrays, not an array of {array.dtype} of shape {array.shape}"
            )
        arrays.append(array.astype(np.float64))
    if not 1 <= len(arrays) <= 2:
        raise ValueError(
            f"schedule must give an array, or a tuple of two for beta1 and beta2, not one of {len(arrays)}"
        )
    return arrays


def _check_factors(
    factors: NDArray[np.float64], beta: float, kind: str, tokens: NDArray[np.int64], element: np.dtype[Any]
) -> None:
    """Refuse a factor that makes no rate."""
    with np.errstate(over="ignore", invalid="ignore"):
        good = (factors >= 0) & np.isfinite((beta * factors).astype(element)) & np.isfinite(factors)
    if not good.all():
        at = int(good.argmin())
        raise ValueError(
            f"schedule must give factors that are finite and 0 or more, with {kind} * factor finite in "
            f"{element}, but for token {tokens[at]} it gave {factors[at]}"
        )
