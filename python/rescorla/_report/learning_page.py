"""The page of events that are learned in the page: designs of experiments, and other small ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.events import Events
from rescorla._report import page
from rescorla._report.cited import cited
from rescorla._report.page import packed, phases_with_tokens
from rescorla._shared.checks import PerName, is_number, near, numbered, per_name, rates
from rescorla._shared.warn import some

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cues of tokens that are learned anew whenever a slider moves: some 20 ms of a browser's time a million.
_SLOTS = 10_000_000
# Tokens after which weights are kept: all where there are no more, else so many of each group; and numbers of
# all curves.
_ALL, _TOKENS, _NUMBERS = 1000, 800, 4_000_000

_HELP = (
    "The weights are learned anew in the page whenever a slider moves. Point at a chart, or go to it by the "
    "Tab key and use the arrow keys: the list below says the values there. Ticks choose what is drawn; the "
    "line of several cues is their activation, and a ring is a probe."
)


def page_of(
    groups: Mapping[str, Events],
    title: str | None,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
) -> bytes:
    """The page of one or several groups, with the parameters to start with; each group has a chart."""
    cues = tuple(dict.fromkeys(name for events in groups.values() for name in events.cues))
    outcomes = tuple(dict.fromkeys(name for events in groups.values() for name in events.outcomes))
    if not cues or not outcomes:
        raise ValueError(
            f"there is nothing to learn: the events have {len(cues)} cues and {len(outcomes)} outcomes"
        )
    element = np.dtype(np.float64)
    _check_known("alpha", alpha, cues)
    _check_known("lambda_", lambda_, outcomes)
    alphas = per_name("alpha", alpha, cues, "cue", element)
    lambdas = per_name("lambda_", lambda_, outcomes, "outcome", element, negative=True)
    beta1, beta2 = rates(beta)
    _check_work(groups)
    data = {
        "cues": cues,
        "outcomes": outcomes,
        "groups": [
            _group(name, events, numbered(cues), numbered(outcomes)) for name, events in groups.items()
        ],
        "parameters": {
            "alpha": alphas.tolist(),
            "beta1": beta1,
            "beta2": beta2,
            "lambda": lambdas.tolist(),
        },
        "digits": 17,
    }
    start = {
        "alpha": float(alphas[0]) if is_number(alpha) else dict(zip(cues, alphas.tolist(), strict=True)),
        "beta1": beta1,
        "beta2": beta2,
        "lambda": float(lambdas[0])
        if is_number(lambda_)
        else dict(zip(outcomes, lambdas.tolist(), strict=True)),
    }
    facts = [
        page.section("What is in this file", page.sentences(_said(groups))),
        page.parameters({"rule": "rescorla_wagner"} | start | _made(groups)),
        cited("rescorla_wagner"),
    ]
    made = page.page(
        title=title or "Learning curves",
        lead=_lead(groups, cues, outcomes),
        body="curves",
        scripts=("curves", "learning"),
        data=data,
        facts="".join(facts),
        marks={"heading": "Learning curves", "help": _HELP},
    )
    if len(made) > page.LARGEST:
        raise ValueError(
            f"the page would have {len(made):,} bytes, more than {page.LARGEST:,}; report fewer events, "
            "as in events.head(10_000), or what rescorla.trajectories records of them"
        )
    return made


def _check_known(argument: str, value: PerName, names: tuple[str, ...]) -> None:
    """KeyError where a mapping has entries for other names."""
    if isinstance(value, Mapping) and (unknown := [name for name in value if name not in set(names)]):
        raise KeyError(
            f"{argument} has entries for {some(unknown)}, which are not in the events; take them out"
            f"{near(unknown[0], names)}"
        )


def _check_work(groups: Mapping[str, Events]) -> None:
    slots = 0
    for events in groups.values():
        ends, _ = events._file.csr("cues")
        # As Python's numbers: frequencies may be as large as their type.
        slots += int(np.dot(np.diff(ends).astype(np.float64), events.frequencies))
        slots += events.n_tokens
    if slots > _SLOTS:
        tokens = sum(events.n_tokens for events in groups.values())
        raise ValueError(
            f"{tokens:,} tokens are too many to learn in a page whenever a slider moves; report fewer "
            "events, as in events.head(10_000), the weights that rescorla.learn makes of them, or what "
            "rescorla.trajectories records"
        )


def _group(
    name: str, events: Events, cue_numbers: Mapping[str, int], outcome_numbers: Mapping[str, int]
) -> dict[str, Any]:
    """Its events, in the numbers of all groups' names."""
    found: dict[str, Any] = {"name": name}
    for side, names, places in (
        ("cues", events.cues, cue_numbers),
        ("outcomes", events.outcomes, outcome_numbers),
    ):
        ends, ids = events._file.csr("cues" if side == "cues" else "outcomes")
        common = np.array([places[each] for each in names], dtype=np.int64)
        found[side[:-1] + "Ends"] = packed(ends[1:], "u4")
        found[side] = packed(common[ids], "u4")
    found["frequencies"] = packed(events.frequencies, "u4")
    found["phases"] = phases_with_tokens(events)
    found["at"] = packed(_recorded(events.n_tokens, found["phases"], len(cue_numbers)), "f8")
    return found


def _recorded(n_tokens: int, phases: list[dict[str, Any]], n_cues: int) -> NDArray[np.int64]:
    """After which tokens weights are kept: evenly, and at the ends of phases."""
    most = min(_TOKENS, max(50, _NUMBERS // n_cues))
    if n_tokens <= min(_ALL, most):
        return np.arange(n_tokens + 1)
    evenly = np.linspace(0, n_tokens, most).astype(np.int64)
    return np.union1d(evenly, [phase[end] for phase in phases for end in ("from", "to")]).astype(np.int64)


def _lead(groups: Mapping[str, Events], cues: tuple[str, ...], outcomes: tuple[str, ...]) -> str:
    parts = [
        f"{len(each):,} {noun}{'' if len(each) == 1 else 's'}"
        for noun, each in (("cue", cues), ("outcome", outcomes))
    ]
    tokens = [f"{events.n_tokens:,}" for events in groups.values()]
    if len(groups) == 1:
        return f"{tokens[0]} tokens, {' and '.join(parts)}"
    told = f"{', '.join(tokens[:-1])} and {tokens[-1]}"
    return f"{len(groups)} groups of {told} tokens, {' and '.join(parts)}"


def _said(groups: Mapping[str, Events]) -> list[str]:
    said = [
        "All events are in this file, and the rule: what it learns has the bits of rescorla's learn with "
        'method="forward" in float64.'
    ]
    if any(events.n_tokens > _ALL for events in groups.values()):
        said.append(
            "Curves are drawn through some of the tokens, evenly among them and at the ends of phases."
        )
    return said


def _made(groups: Mapping[str, Events]) -> dict[str, Any]:
    """What made the events, of each group."""
    single = len(groups) == 1
    return {
        ("events" if single else f"events of {name}"): events.parameters
        for name, events in groups.items()
        if events.parameters
    }
