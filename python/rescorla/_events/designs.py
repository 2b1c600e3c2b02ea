"""Events of experimental designs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, overload

import numpy as np

import rescorla._core as _core
from rescorla._events.design_text import US, Section, Trial, parse
from rescorla._events.events import Events
from rescorla._events.made import made_by
from rescorla._events.order import evenly, in_order
from rescorla._events.phases import Phase, stored_phases
from rescorla._shared.checks import Seed, generator, shown, whole

#: What the cue is called that is always there.
_CONTEXT = "context"
# The most trials of a phase where they are put in order one by one.
_ORDERED = 1_000_000


class _Kind(NamedTuple):
    """Trials that are all alike."""

    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    n: int
    is_probe: bool


class _Row(NamedTuple):
    """A row of events."""

    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    frequency: int


@overload
def design(
    text: str, *, context: bool | str = False, between: int = 0, seed: Seed | None = None
) -> Events: ...


@overload
def design(
    text: Mapping[str, str], *, context: bool | str = False, between: int = 0, seed: Seed | None = None
) -> dict[str, Events]: ...


def design(
    text: str | Mapping[str, str],
    *,
    context: bool | str = False,
    between: int = 0,
    seed: Seed | None = None,
) -> Events | dict[str, Events]:
    """Make events of an experimental design as psychologists write it: ``"A+ 40 | AB+ 40"`` is blocking.

    Parameters
    ----------
    text : str, or mapping from str to str
        The design, in the language below; or a design for each group.
    context : bool or str, default False
        A cue that is always there, the first of every trial, probes too: its name, or True for ``"context"``.
        Then trials need no other cue: ``"+ 10"`` and ``"- 30"`` are trials of the context alone.
    between : int, default 0
        How many tokens of the context alone, without outcomes, follow each trial that is no probe.
    seed : int, numpy.random.Generator or numpy.random.SeedSequence, optional
        Puts the trials of each phase in a random order, each order as likely as any other; the phases keep
        their order. A number gives the same order each time, a Generator goes on from where it is. None
        spreads the trials evenly, always in the same way: after t of the n trials of a phase, t * n_i / n of
        the n_i trials of a kind have come, to within less than 1; of equally due kinds the one written first
        comes first.

    Returns
    -------
    Events, or dict from str to Events
        In memory. Equal trials that follow one another within a phase are one row with a frequency; each
        probe is a row of its own. ``events.phases`` says which rows and tokens each phase has, and
        `trajectories` records after any of the tokens. For several groups: the events of each, as if it were
        alone.

    Raises
    ------
    ValueError
        When the design is malformed; the message has the place and the cure. When the context is a cue of the
        design; when there is none and `between` needs one; or where more than 1,000,000 trials would have to
        be put in order.
    TypeError
        When an argument is of a wrong type.

    Warns
    -----
    RescorlaWarning
        When ``A40+``, one trial of a cue A40, may be meant as 40 trials of A.

    Notes
    -----
    The language:

    - Phases stand one after another, divided by ``|``. Each may have a name and a colon before its trials,
      ``"train: A+ 40 | test: X?"``; those without one are called by their number, ``"1"``, ``"2"``. Blocks
      of trials are written as phases.
    - Trials divided by ``/`` or ``,`` are mixed within a phase.
    - A trial is ``cues mark``, with the number of such trials before or behind: ``40A+``, ``40 A+``,
      ``A+ 40`` and ``A+ x40`` are the same. Without a number it is one trial.
    - A cue is a capital letter, which digits or primes may follow: ``A``, ``B2``, ``X'``. Other names stand
      in brackets: ``(tone)(light)+``. ``AB`` is a compound, both cues at once.
    - The marks: ``A+``, the outcome ``"US"``; ``A-`` (hyphen or minus sign), no outcome; ``A>shock`` and
      ``A>shock_pain``, outcomes by name; ``A+- 40``, half with the outcome and half without; ``A?``, a probe:
      it asks what is predicted, and teaches nothing. It is an event of frequency 0.

    Where a trial is marked ``+`` or ``-``, ``"US"`` is an outcome of the events, whether it occurs or not.

    The order without a seed is that of Tijdeman (1980), and none is more even: with k kinds of trials it is
    off by at most ``1 - 1 / (2k - 2)`` trials.

    References
    ----------
    Tijdeman, R. (1980). The chairman assignment problem. Discrete Mathematics 32, 323-330.

    See Also
    --------
    Events.phases : where each phase lies.
    trajectories : weights after chosen tokens.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.design("train: A+ 40 | block: AB+ 40 | test: B?")
    >>> events
    <Events: 3 events, 80 tokens, 2 cues, 1 outcomes; in memory>
       cues  outcomes  frequency
    0  A     US               40
    1  A_B   US               40
    2  B                       0
    >>> events.phases["block"]
    Phase(rows=range(1, 2), tokens=range(40, 80))
    >>> rw.learn(events, alpha=0.5, beta=0.5)["B", "US"] < 0.01
    True

    Trials that are mixed, and groups:

    >>> [event.cues[0] for event in rw.design("A+ 3 / B- 3")]
    ['A', 'B', 'A', 'B', 'A', 'B']
    >>> groups = rw.design(
    ...     {"blocking": "A+ 40 | AB+ 40", "control": "C+ 40 | AB+ 40"}
    ... )
    >>> for name, each in groups.items():
    ...     print(name, round(rw.learn(each, alpha=0.3, beta=0.3)["B", "US"], 2))
    blocking 0.01
    control 0.5
    """
    if isinstance(text, Mapping):
        return {group: _of_group(group, each, context, between, seed) for group, each in text.items()}
    if not isinstance(text, str):
        raise TypeError(
            "text must be a str, as in rw.design('A+ 40 | AB+ 40'), or a mapping from groups to such, not "
            f"{shown(text)}"
        )
    return _events(text, context, between, seed)


def _of_group(group: object, text: object, context: bool | str, between: int, seed: Seed | None) -> Events:
    """The events of a group, whose name errors say."""
    if not isinstance(group, str):
        raise TypeError(f"text must name groups by a str, not by {shown(group)}")
    if not isinstance(text, str):
        raise TypeError(
            f"text must give the group {shown(group)} a str, as in 'A+ 40 | AB+ 40', not {shown(text)}"
        )
    try:
        return _events(text, context, between, seed)
    except ValueError as error:
        raise ValueError(f"group {group!r}: {error}") from None


def _events(text: str, context: bool | str, between: int, seed: Seed | None) -> Events:
    """The events of a design."""
    always = _context(context)
    between = whole("between", between)
    if between and not always:
        raise ValueError("between counts tokens of the context, and there is none; let context be True")
    random = None if seed is None else generator(seed)
    sections = parse(text, with_context=bool(always))
    if any(always == (cue,) for section in sections for trial in section.trials for cue in trial.cues):
        raise ValueError(f"context {always[0]!r} is a cue of the design already; choose another name")
    parts = [list(_rows(section, always, between, random)) for section in sections]
    phases: dict[str, Phase] = {}
    row = token = 0
    for section, rows in zip(sections, parts, strict=True):
        n_tokens = sum(each.frequency for each in rows)
        phases[section.name] = Phase(range(row, row + len(rows)), range(token, token + n_tokens))
        row, token = row + len(rows), token + n_tokens
    made = made_by(
        "design", text=text, context=context, between=between, seed=seed, phases=stored_phases(phases)
    )
    names = [trial.mark in ("+", "-", "+-") for section in sections for trial in section.trials]
    # The last row names the outcome that trials have or lack, and is left out again: names stay.
    last = [_Row((), (US,), 0)] if any(names) else []
    rows_of_all = (each for rows in (*parts, last) for each in rows)
    file = _core.compile_events(rows_of_all, None, "error", None, None)
    return Events(file.select(in_order(range(row)), row, parameters=made))


def _context(context: object) -> tuple[str, ...]:
    """The cue that is always there, if there is one."""
    if isinstance(context, bool | np.bool_):
        return (_CONTEXT,) if context else ()
    if not isinstance(context, str):
        raise TypeError(f"context must be True, False or the name of a cue, not {shown(context)}")
    if not context or "_" in context:
        raise ValueError(
            f"context must be the name of one cue, without _, not {shown(context)}; True names it "
            f"{_CONTEXT!r}"
        )
    return (context,)


def _rows(
    section: Section, context: tuple[str, ...], between: int, random: np.random.Generator | None
) -> Iterator[_Row]:
    """The rows of a phase: equal trials that follow one another in one, each probe in its own."""
    pending: _Row | None = None
    for row in _trials(section, context, between, random):
        if pending is not None:
            if pending[:2] == row[:2] and pending.frequency and row.frequency:
                row = row._replace(frequency=pending.frequency + row.frequency)
            else:
                yield pending
        pending = row
    if pending is not None:
        yield pending


def _trials(
    section: Section, context: tuple[str, ...], between: int, random: np.random.Generator | None
) -> Iterator[_Row]:
    """The trials of a phase in their order, and what comes between them."""
    kinds = [kind for trial in section.trials for kind in _kinds(trial, context)]
    if len(kinds) == 1 and not between and not kinds[0].is_probe:
        yield _Row(kinds[0].cues, kinds[0].outcomes, kinds[0].n)
        return
    n = sum(kind.n for kind in kinds)
    if n > _ORDERED:
        raise ValueError(
            f"phase {section.name!r} would put {n:,} trials in order, more than {_ORDERED:,}; write fewer, "
            "and take the events several times, by events.passes(n)"
        )
    counts = [kind.n for kind in kinds]
    if random is None:
        order = evenly(counts)
    else:
        order = np.repeat(np.arange(len(kinds)), counts)
        random.shuffle(order)
    rows = [_Row(kind.cues, kind.outcomes, 0 if kind.is_probe else 1) for kind in kinds]
    pause = _Row(context, (), between)
    for kind in order.tolist():
        yield rows[kind]
        if between and rows[kind].frequency:
            yield pause


def _kinds(trial: Trial, context: tuple[str, ...]) -> Iterator[_Kind]:
    """The kinds of trials that are written as one: two of half and half."""
    cues = (*context, *trial.cues)
    if trial.mark == "+-":
        yield _Kind(cues, trial.outcomes, trial.n // 2, False)
        yield _Kind(cues, (), trial.n // 2, False)
    else:
        yield _Kind(cues, trial.outcomes, trial.n, trial.mark == "?")
