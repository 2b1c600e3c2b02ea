"""What the rows and the columns of weights are: names, or the numbers of vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rescorla._events.events import Events
from rescorla._weights.vectors import Examples, Table, Vectors, same_length, table_of, targets_of, vectors_of
from rescorla._weights.weights import Weights

ELEMENT = np.dtype(np.float64)


def check_dimensions(kind: str, names: tuple[str, ...], initial: tuple[str, ...]) -> None:
    """ValueError where initial weights are of other vectors."""
    differing = {*names} ^ {*initial}
    if differing:
        raise ValueError(
            f"initial weights must have the dimensions of the {kind} vectors, but {min(differing)!r} is only "
            "in one of them"
        )


class Sides(NamedTuple):
    """What the rows and the columns of the weights are: names, or the numbers of vectors."""

    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    cue_vectors: Table | None
    outcome_vectors: Table | None

    @property
    def n_rows(self) -> int:
        """Of a pair, how many rows it has."""
        return 0 if self.cue_vectors is None else self.cue_vectors.shape[0]

    def check_initial(self, initial: Weights) -> None:
        """ValueError where the initial weights are of other vectors."""
        if self.cue_vectors is not None:
            check_dimensions("cue", self.cues, initial.cues)
        if self.outcome_vectors is not None:
            check_dimensions("outcome", self.outcomes, initial.outcomes)

    def recorded(self) -> dict[str, str]:
        """What ``parameters`` say of vectors."""
        kinds = {"cues_are": self.cue_vectors, "outcomes_are": self.outcome_vectors}
        if not any(vectors is not None for vectors in kinds.values()):
            return {}
        return {key: "names" if vectors is None else "vectors" for key, vectors in kinds.items()}


def sides_of_events(events: Events, cue_vectors: Vectors | None, outcome_vectors: Vectors | None) -> Sides:
    cues, outcomes = events.cues, events.outcomes
    x = z = None
    if cue_vectors is not None:
        x = vectors_of("cue", cues, cue_vectors, ELEMENT, "x", sparse=True)
        cues = x.names
    if outcome_vectors is not None:
        z = vectors_of("outcome", outcomes, outcome_vectors, ELEMENT, "z", sparse=True)
        outcomes = z.names
    return Sides(cues, outcomes, x, z)


def sides_of_pair(pair: tuple[Examples, Examples]) -> Sides:
    x, z = table_of("X", pair[0], ELEMENT, "x"), targets_of("Z", pair[1], ELEMENT)
    same_length("X", x.shape[0], "Z", z.shape[0])
    return Sides(x.names, z.names, x, z)
