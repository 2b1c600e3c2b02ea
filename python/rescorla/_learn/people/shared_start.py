"""What cues and outcomes stand for, and the weights that all persons start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.people.person_numbers import PersonNumbers
from rescorla._learn.rescorla_wagner import learn
from rescorla._learn.rule import RuleName
from rescorla._learn.sides import check_dimensions
from rescorla._learn.widrow_hoff import widrow_hoff
from rescorla._shared.checks import numbered, places
from rescorla._weights.vectors import Table, Vectors, vectors_of
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SharedStart(NamedTuple):
    """What cues and outcomes stand for, and the weights that all start from."""

    x: Table | None
    z: Table | None
    initial: Weights | None
    weights: NDArray[Any]
    """W_0; no rows where it is zero."""

    @property
    def vectors(self) -> bool:
        return self.x is not None or self.z is not None

    @classmethod
    def of(
        cls,
        events: Events,
        cue_vectors: Vectors | None,
        outcome_vectors: Vectors | None,
        initial: Weights | None,
        element: np.dtype[Any],
    ) -> SharedStart:
        if initial is not None:
            need_weights(initial, "initial")
        if initial is not None and initial.state:
            raise ValueError(
                "initial must have no states: every person begins with those of the rule; go on without "
                "them, from rescorla.Weights(initial.values, initial.cues, initial.outcomes)"
            )
        x = z = None
        if cue_vectors is not None:
            x = vectors_of("cue", events.cues, cue_vectors, element, "x")
        if outcome_vectors is not None:
            z = vectors_of("outcome", events.outcomes, outcome_vectors, element, "z")
        if initial is None:
            n = len(z.names) if z is not None else 0
            return cls(x, z, None, np.zeros((0, n), dtype=element))
        values = np.asarray(initial)
        for kind, table, names, axis in (("cue", x, initial.cues, 0), ("outcome", z, initial.outcomes, 1)):
            if table is not None and table.names != names:
                check_dimensions(kind, table.names, names)
                values = values.take(places(table.names, numbered(names)), axis)
        if not np.isfinite(values).all():
            raise ValueError("initial weights must be finite")
        return cls(x, z, initial, np.ascontiguousarray(values, dtype=element))

    def rows(self, cues: Sequence[str]) -> NDArray[np.int64]:
        return places(cues, {} if self.initial is None else self.initial._row_numbers)

    def columns(self, outcomes: Sequence[str]) -> NDArray[np.int64]:
        return places(outcomes, {} if self.initial is None else self.initial._column_numbers)

    def learned(
        self,
        events: Events,
        numbers: PersonNumbers,
        person: int,
        rule: RuleName,
        rule_parameters: Mapping[str, float] | None,
        update: bool,
        element: np.dtype[Any],
    ) -> Weights:
        """What a person has learned of his events."""
        occurring = [cue for cue, count in zip(events.cues, events.cue_counts.tolist(), strict=True) if count]
        own = events.filter(keep_cues=occurring) if len(occurring) < events.n_cues else events
        if not update:
            own = own[:0]
        initial = self.initial
        if initial is not None and self.x is None:
            initial = initial[[cue for cue in own.cues if cue in initial._row_numbers], :]
        how: dict[str, Any] = {"initial": initial, "dtype": element}
        if not self.vectors:
            alpha: Any = numbers.alpha[person]
            if numbers.saliences is not None:
                alpha = dict(zip(events.cues, numbers.saliences.tolist(), strict=True))
            return learn(
                own,
                alpha=alpha,
                beta=(float(numbers.beta1[person]), float(numbers.beta2[person])),
                lambda_=float(numbers.lambda_[person]),
                rule=rule,
                rule_parameters=rule_parameters,
                retention=float(numbers.retention[person]),
                method="forward",
                **how,
            )
        return widrow_hoff(
            own,
            eta=float(numbers.alpha[person] * numbers.beta1[person]),
            cue_vectors=None if self.x is None else Weights(self.x.values, events.cues, self.x.names),
            outcome_vectors=None if self.z is None else Weights(self.z.values, events.outcomes, self.z.names),
            **how,
        )
