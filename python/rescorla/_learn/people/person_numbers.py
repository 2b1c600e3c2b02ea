"""The parameters of each person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rescorla._events.events import Events
from rescorla._shared.checks import near, number, rate, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

PerPerson: TypeAlias = "float | Mapping[Any, float]"
"""A number for all persons, or a mapping from persons to numbers."""


class PersonNumbers(NamedTuple):
    """The parameters of each person."""

    alpha: NDArray[np.float64]
    saliences: NDArray[np.float64] | None
    beta1: NDArray[np.float64]
    beta2: NDArray[np.float64]
    lambda_: NDArray[np.float64]
    retention: NDArray[np.float64]
    theta: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        alpha: Any,
        beta: Any,
        lambda_: PerPerson,
        retention: PerPerson,
        theta: PerPerson,
        persons: tuple[Any, ...],
        events: Events,
        vectors: tuple[bool, bool],
    ) -> PersonNumbers:
        saliences = None
        if isinstance(alpha, Mapping) and not all(person in alpha for person in persons):
            if all(cue in alpha for cue in events.cues):
                saliences = np.array([rate("alpha", alpha[cue]) for cue in events.cues])
                alpha = 1.0
            else:
                missing = next(person for person in persons if person not in alpha)
                raise KeyError(
                    f"alpha has no number for the person {shown(missing)}; give one for each person, or for "
                    f"each of the {events.n_cues} cues{near(missing, map(str, alpha))}"
                )
        betas = _of_persons("beta", beta, persons)
        pairs = [each if isinstance(each, tuple | list) else (each, each) for each in betas]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError("beta must be a number or a pair (beta1, beta2)")
        beta1, beta2 = (np.array([rate("beta", pair[side]) for pair in pairs]) for side in (0, 1))
        asymptotes = np.array([number("lambda_", each) for each in _of_persons("lambda_", lambda_, persons)])
        kept = np.array([number("retention", each) for each in _of_persons("retention", retention, persons)])
        outside = ~((kept > 0) & (kept <= 1))
        if outside.any():
            raise ValueError(f"retention must be above 0 and at most 1, not {kept[outside][0]:g}")
        if any(vectors):
            for argument, wrong in (
                ("alpha of each cue", saliences is not None),
                ("beta with a pair of rates", (beta1 != beta2).any()),
                ("retention below 1", (kept < 1).any()),
                ("lambda_ other than 1", vectors[1] and (asymptotes != 1).any()),
            ):
                if wrong:
                    raise ValueError(
                        f"{argument} does not go with vectors, which have one rate eta = alpha * beta"
                    )
        return cls(
            np.array([rate("alpha", each) for each in _of_persons("alpha", alpha, persons)]),
            saliences,
            beta1,
            beta2,
            asymptotes,
            kept,
            np.array([number("theta", each) for each in _of_persons("theta", theta, persons)]),
        )

    def told(self) -> dict[str, Any]:
        """What the engine is told of them."""
        return {name: each for name, each in self._asdict().items() if name != "theta"}


def _of_persons(argument: str, value: Any, persons: tuple[Any, ...]) -> list[Any]:
    """The number, or the pair, of each person."""
    if not isinstance(value, Mapping):
        return [value] * len(persons)
    missing = next((person for person in persons if person not in value), None)
    if missing is not None:
        raise KeyError(
            f"{argument} has no number for the person {shown(missing)}{near(missing, map(str, value))}"
        )
    return [value[person] for person in persons]
