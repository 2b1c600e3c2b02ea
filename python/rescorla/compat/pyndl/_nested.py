"""Learning weights that lie in nested mappings, outcome by outcome and cue by cue, in place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from itertools import compress
from typing import Any, TypeAlias

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.rescorla_wagner import learn
from rescorla._learn.widrow_hoff import widrow_hoff
from rescorla._shared.warn import some
from rescorla._weights.weights import Weights

Nested: TypeAlias = "MutableMapping[Any, MutableMapping[Any, float]]"
"""Weights by outcome, then by cue."""

Row: TypeAlias = tuple[Sequence[Hashable], Sequence[Hashable]]
"""The cues and outcomes of a token."""


def learn_nested(
    rows: Iterable[Row],
    weights: Nested,
    *,
    alpha: float | Callable[[Any], float],
    beta: tuple[float, float],
    lambda_: float,
) -> int:
    """Learn tokens into nested weights, by the rule of `learn` and with its bits; how many there were.

    Cues and outcomes may be named by whatever a mapping may have as keys. What changes are the weights of the
    tokens' cues to all outcomes; nothing else is read. A weight comes into being with the first token that
    has its cue, when its outcome is there: in the weights already, or in a token. `alpha` gives the salience
    of each cue of the tokens. Where something is wrong, the weights stay as they are.
    """
    # For each cue the last token that has it, for each outcome the first from which on it is learned.
    last: dict[Hashable, int] = {}
    first: dict[Hashable, int] = dict.fromkeys(weights, 0)
    n_before, n_tokens = len(first), 0
    # What the engine, and messages, call names that are no str; equal ones may show themselves differently.
    labels: dict[Hashable, str] = {}

    def label(name: Hashable) -> str:
        return name if isinstance(name, str) else labels.setdefault(name, repr(name))

    def labelled() -> Iterator[tuple[list[str], list[str]]]:
        nonlocal n_tokens
        for token, (its_cues, its_outcomes) in enumerate(rows):
            n_tokens = token + 1
            for outcome in its_outcomes:
                first.setdefault(outcome, token)
            for cue in its_cues:
                last[cue] = token
            yield list(map(label, its_cues)), list(map(label, its_outcomes))

    events = Events(_core.compile_events(labelled(), None, "keep", None, None))
    if not last or not first:
        return n_tokens
    lives = np.array(list(last.values()))[:, None] >= np.array(list(first.values()))
    start, cues, outcomes, every = np.zeros(lives.shape), list(last), list(first), set(last)
    if n_before:
        start[:, :n_before] = np.array([_column(weights[each], cues, every) for each in list(weights)]).T
    names = _distinct("cue", map(label, cues)), _distinct("outcome", map(label, outcomes))
    learned = Weights(start, *names)
    alphas: Any = alpha if not callable(alpha) else np.array([alpha(cue) for cue in cues], dtype=float)
    learn(events, alpha=alphas, beta=beta, lambda_=lambda_, initial=learned, out=learned, progress=False)
    _write(weights, outcomes, cues, learned.values, lives)
    return n_tokens


def widrow_hoff_nested(
    rows: Iterable[Row],
    weights: Nested,
    *,
    eta: float,
    cue_vectors: tuple[Mapping[Hashable, int], np.ndarray, Sequence[str]],
    outcome_vectors: tuple[Mapping[Hashable, int], np.ndarray, Sequence[str]],
) -> int:
    """Learn tokens of one cue and one outcome each, which stand for vectors, by `widrow_hoff`; how many.

    Vectors are the row of each name, a matrix with these rows, and the names of its columns, which the
    weights have as cues and as outcomes.
    """
    pairs = [(_row(cue_vectors[0], "cue", c), _row(outcome_vectors[0], "outcome", o)) for (c,), (o,) in rows]
    if not pairs:
        return 0
    places = np.array(pairs)
    cues, outcomes = list(cue_vectors[2]), list(outcome_vectors[2])
    start = np.array([[_of(_of(weights, outcome), cue) for outcome in outcomes] for cue in cues], dtype=float)
    start = start.reshape(len(cues), len(outcomes))
    x = np.asarray(cue_vectors[1], dtype=float)[places[:, 0]]
    z = np.asarray(outcome_vectors[1], dtype=float)[places[:, 1]]
    initial = Weights(start, [f"x{i}" for i in range(len(cues))], [f"z{i}" for i in range(len(outcomes))])
    values = widrow_hoff((x, z), eta=eta, initial=initial, progress=False).values
    _write(weights, outcomes, cues, values, np.ones(values.shape, dtype=bool))
    return len(pairs)


def _distinct(kind: str, given: Iterable[str]) -> list[str]:
    """What names are called; ValueError where different ones look alike."""
    labels = list(given)
    if len(set(labels)) < len(labels):
        alike = {label for label in labels if labels.count(label) > 1}
        raise ValueError(f"different {kind}s look alike: {some(sorted(alike))}; name them differently")
    return labels


def _column(weights: Mapping[Any, float], names: list[Hashable], every: set[Hashable]) -> list[float]:
    """The weights of some names, all of them."""
    if weights.keys() >= every:
        return [weights[name] for name in names]
    return [_of(weights, name) for name in names]


def _of(mapping: Mapping[Any, Any], name: Hashable) -> Any:
    """What a mapping has for a name, or would make for it; the mapping stays as it is."""
    if name not in mapping and (factory := getattr(mapping, "default_factory", None)) is not None:
        return factory()
    return mapping[name]


def _write(
    weights: Nested, outcomes: Sequence[Any], cues: Sequence[Any], values: np.ndarray, written: np.ndarray
) -> None:
    """Put the weights that are to be written where they belong."""
    whole = np.all(written, axis=0).tolist()
    for n, (outcome, column) in enumerate(zip(outcomes, values.T.tolist(), strict=True)):
        if whole[n]:
            weights[outcome].update(zip(cues, column, strict=True))
        elif written[:, n].any():
            weights[outcome].update(compress(zip(cues, column, strict=True), written[:, n]))


def _row(rows: Mapping[Hashable, int], kind: str, name: Hashable) -> int:
    try:
        return rows[name]
    except KeyError:
        raise KeyError(f"{kind}_vectors has no row for the {kind} {name!r}; add one") from None
