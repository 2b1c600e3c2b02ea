"""The page of an influence: the sum of contributions over time, and the events of the greatest effects."""

from __future__ import annotations

from html import escape

import numpy as np

from rescorla._learn.influence.event_influence import Influence
from rescorla._report import page
from rescorla._report.cited import cited
from rescorla._report.page import packed
from rescorla._shared.show import rounded, short

# Tokens of the curve, where there is not room for all; characters of a name.
_TOKENS, _LONGEST = 20_000, 200

_HEAD = '<th scope="col">cues</th><th scope="col">outcomes</th>' + "".join(
    f'<th scope="col" class="number">{name}</th>' for name in ("row", "effect", "contribution")
)

_HELP = (
    "The line is the sum of what the rows added, up to each token; it ends at the value. Point at the chart, "
    "or go to it by the Tab key and use the arrow keys: the list says the sum there."
)
_EFFECTS = (
    "An effect is the value without the event, less the value with it. Effects of several events do not add "
    "up."
)


def page_of(influence: Influence, title: str | None, n: int) -> bytes:
    """The page, with n events."""
    n_rows = len(influence.events)
    if len(influence) < n_rows or not n_rows:
        raise ValueError(f"result must have all rows of the events, not {len(influence):,}; leave out n")
    tokens = np.cumsum(influence.events.frequencies, dtype=np.int64)
    sums = influence.initial + np.cumsum(influence.contributions)
    adds = np.flatnonzero(influence.contributions)
    some = adds[np.unique(np.linspace(0, max(len(adds) - 1, 0), min(len(adds), _TOKENS)).astype(int))]
    rows = np.union1d(some, [n_rows - 1])
    cues, value = " ".join(influence.cues), rounded(influence.value)
    title = title or short(f"What each event did: {cues} \N{RIGHTWARDS ARROW} {influence.outcome}", _LONGEST)
    return page.page(
        title=title,
        lead=f"the value after {n_rows:,} rows of events is {value}",
        body="curves",
        scripts=("curves", "recorded"),
        data={
            "tokens": packed(np.concatenate([[0], tokens[rows]]), "f8"),
            "names": [(cues, influence.outcome)],
            "curves": packed(np.concatenate([[influence.initial], sums[rows]]), "f8"),
            "first": [0],
            "digits": 17,
            "phases": [],
            "label": "sum of contributions",
        },
        facts=_greatest(influence, n)
        + page.parameters(influence.parameters)
        + cited(influence.parameters.get("rule")),
        marks={"heading": "Sum of contributions", "help": _HELP},
    )


def _greatest(influence: Influence, n: int) -> str:
    """The events of the greatest effects, as a section."""
    lines = [
        f'<tr><td class="name">{_names(event.cues)}</td><td class="name">{_names(event.outcomes)}</td>'
        f'<td class="number">{row:,}</td><td class="number">{rounded(effect)}</td>'
        f'<td class="number">{rounded(contribution)}</td></tr>'
        for row, effect, contribution, event in influence.top(n)
    ]
    table = f"<table><thead><tr>{_HEAD}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    said = f"<p>{escape(_EFFECTS)}</p>"
    return page.section("Events of the greatest effects", said, f'<div class="scroll">{table}</div>')


def _names(names: tuple[str, ...]) -> str:
    """Names in a cell."""
    return escape(" ".join(short(name, _LONGEST) for name in names))
