"""What is recorded of trials, and the choices that persons have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.frames import column_of
from rescorla._learn.people.trial_table import TrialTable
from rescorla._shared.checks import numbered, one_of, only_names, several
from rescorla._weights.directions import directions
from rescorla._weights.vectors import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OF_NAMES = ("activation", "choices", "surprisal", "change")
_OF_VECTORS = ("norm", "correlation", "squared_error", "rank", "change")


class Choices(NamedTuple):
    """The outcomes that persons choose from."""

    listed: list[list[str]]
    """The names for all trials, in one list; or those of each event."""
    starts: NDArray[np.int64] | None

    @classmethod
    def of(cls, choices: Any, table: TrialTable) -> Choices:
        if not isinstance(choices, str):
            names = only_names("choices must be names", several("choices", choices))
            if not names:
                raise ValueError("choices must be one name or more")
            twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
            if twice is not None:
                raise ValueError(f"choices must be different, and {twice!r} is there twice")
            return cls([names], None)
        column = column_of("choices", table.columns, choices)
        listed = [
            each.split("_")
            if isinstance(each, str)
            else only_names("choices must be names", several("choices", each))
            for each in (column[row] for row in table.order.tolist())
        ]
        starts = np.append(0, np.cumsum([len(each) for each in listed])).astype(np.int64)
        return cls(listed, starts)

    @property
    def names(self) -> list[str]:
        return list(numbered(name for each in self.listed for name in each))

    def ids(self, numbers: Mapping[str, int]) -> NDArray[np.int64]:
        return np.array([numbers[name] for each in self.listed for name in each], dtype=np.int64)

    def length(self, n_trials: int) -> int:
        return n_trials * len(self.listed[0]) if self.starts is None else int(self.starts[-1])


class Wanted(NamedTuple):
    """What is recorded."""

    names: tuple[str, ...]
    ranked: NDArray[np.bool_] | None
    """The events of which ranks are recorded; None: all."""

    @property
    def change(self) -> bool:
        return "change" in self.names

    @property
    def choices(self) -> bool:
        return "choices" in self.names or "surprisal" in self.names

    @classmethod
    def of(cls, record: Any, choices: object, table: TrialTable, of_vectors: bool) -> Wanted:
        known = _OF_VECTORS if of_vectors else _OF_NAMES
        if record is None:
            names: list[str] = [name for name in known if name not in ("change", "rank")]
            if choices is None and not of_vectors:
                names = ["activation"]
            return cls(tuple(names), None)
        asked = list(record) if isinstance(record, Mapping) else several("record", record)
        names = only_names("record must be names", asked)
        for name in names:
            one_of("record", name, known)
        ranked = None
        if isinstance(record, Mapping):
            ranked = _mask(record.get("rank", True), table)
            wrong = next((name for name in names if name != "rank" and record[name] is not True), None)
            if wrong is not None:
                raise ValueError(
                    f"record must say True of {wrong!r}: only ranks are recorded of chosen trials"
                )
        if choices is None and ("choices" in names or "surprisal" in names):
            raise ValueError("choices must be given to record choices or surprisal")
        return cls(tuple(numbered(names)), ranked)

    def arrays(self, n_trials: int, n_outcomes: int, n_choices: int) -> dict[str, NDArray[Any]]:
        """Room for what the engine records."""
        lengths = {"activation": n_outcomes, "choices": n_choices}
        names = [name for name in self.names if name not in ("rank", "surprisal")]
        if "surprisal" in self.names:
            names = list(numbered((*names, "choices")))
        arrays: dict[str, NDArray[Any]] = {
            ("outcomes" if name == "activation" else name): np.zeros(lengths.get(name, n_trials))
            for name in names
        }
        if "rank" in self.names:
            arrays["rank"] = np.full(n_trials, -1, dtype=np.int64)
            if self.ranked is not None:
                arrays["rank"][~self.ranked] = 0
        return arrays

    def columns(
        self,
        arrays: dict[str, NDArray[Any]],
        table: TrialTable,
        chosen: Choices | None,
        outcomes: tuple[NDArray[Any], NDArray[Any]],
        universe: tuple[str, ...],
        theta: NDArray[np.float64],
    ) -> dict[str, NDArray[Any]]:
        """The columns of the table, and what was recorded."""
        found: dict[str, NDArray[Any]] = {}
        for name in self.names:
            if name == "activation":
                found["activation"] = _by_trial(arrays["outcomes"], outcomes[0])
            elif name == "choices" and chosen is not None:
                if chosen.starts is None:
                    shared = arrays["choices"].reshape(-1, len(chosen.listed[0]))
                    found |= {f"activation_{each}": shared[:, at] for at, each in enumerate(chosen.listed[0])}
                else:
                    found["choice_activations"] = _by_trial(arrays["choices"], chosen.starts, always=True)
            elif name == "surprisal" and chosen is not None:
                per_trial = np.repeat(theta, np.diff(table.starts))
                found["surprisal"] = _surprisal(arrays["choices"], chosen, outcomes, universe, per_trial)
            else:
                found[name] = arrays[name]
        return table.beside(found)


def _mask(given: Any, table: TrialTable) -> NDArray[np.bool_] | None:
    """The events, person after person, that a mask or a column of truth values chooses among the rows."""
    if given is True:
        return None
    mask = np.asarray(column_of("record", table.columns, given) if isinstance(given, str) else given)
    if mask.shape != (len(table.order),) or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"record must say of rank at which of the {len(table.order)} trials, by truth values"
        )
    return mask.astype(bool)[table.order]


def _by_trial(values: NDArray[np.float64], starts: NDArray[Any], *, always: bool = False) -> NDArray[Any]:
    """The numbers of each trial; one number where each has one."""
    lengths = np.diff(starts)
    if not always and (lengths == 1).all():
        return values
    result = np.empty(len(lengths), dtype=object)
    for trial, (first, last) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        result[trial] = values[first:last]
    return result


def _surprisal(
    activations: NDArray[np.float64],
    chosen: Choices,
    outcomes: tuple[NDArray[Any], NDArray[Any]],
    universe: tuple[str, ...],
    theta: NDArray[np.float64],
) -> NDArray[np.float64]:
    """-log2 of the probability of each trial's outcome among the choices."""
    starts, ids = outcomes
    n, numbers = len(starts) - 1, numbered(universe)
    surprisal = np.full(n, np.nan)
    if chosen.starts is None:
        place = np.full(len(universe), -1)
        place[[numbers[name] for name in chosen.listed[0]]] = np.arange(len(chosen.listed[0]))
        trial, own = np.repeat(np.arange(n), np.diff(starts)), place[ids]
        trial, own = trial[own >= 0], own[own >= 0]
        once = np.bincount(trial, minlength=n)[trial] == 1
        trial, own = trial[once], own[once]
        scaled = activations.reshape(n, -1)[trial] * theta[trial, np.newaxis]
        surprisal[trial] = _bits(scaled, own)
        return surprisal
    names = [universe[each] for each in ids.tolist()]
    for row in range(n):
        options = chosen.listed[row]
        own_names = [name for name in names[starts[row] : starts[row + 1]] if name in options]
        if len(own_names) == 1:
            first, last = chosen.starts[row], chosen.starts[row + 1]
            scaled = activations[first:last][np.newaxis] * theta[row]
            surprisal[row] = _bits(scaled, np.array([options.index(own_names[0])]))[0]
    return surprisal


def _bits(scaled: NDArray[np.float64], own: NDArray[np.int64]) -> NDArray[np.float64]:
    scaled = scaled - scaled.max(axis=1, keepdims=True)
    logs = np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(len(own)), own]
    return np.asarray(logs / np.log(2))


def turned(vectors: Table) -> NDArray[np.float64]:
    """The vectors as directions, less their means, number after number."""
    values = vectors.values.astype(np.float64, copy=False)
    return np.ascontiguousarray(directions(values, "correlation").T)
