"""Designs as psychologists write them, "40A+ | 40AB+": read into phases and trials."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from rescorla._shared.warn import warn

Mark: TypeAlias = Literal["+", "-", "+-", ">", "?"]
"""The outcome US, none, half and half, outcomes by name, a probe."""

#: The outcome of a trial that is marked with +.
US = "US"

# The most trials of a kind: frequencies of event files end here.
_MOST = (1 << 32) - 1
_BARE_CUE = re.compile(r"[^\W\d_][0-9']*")
_BARE_OUTCOME = re.compile(r"[^\W_]+(?:[^\W_]|')*")
_PHASE = re.compile(r"[^\W_][\w .'-]*")
_NUMBER = re.compile(r"[0-9]+")
# What may be meant as a number of trials: A40, shock40.
_NUMBERED = re.compile(r"(.*[^0-9])([1-9][0-9]+)")
_WORD = re.compile(r"[^\W_]+")
# A name with its colon, where a phase begins: no cue stands before a colon.
_NAMED = re.compile(r"[^|/,:()]*:")
_MARKS: dict[str, Mark] = {"+": "+", "-": "-", "\u2212": "-", ">": ">", "?": "?"}
_TIMES = "x\u00d7"


class Trial(NamedTuple):
    """Trials of one kind: the cues in order, what follows them, and how many there are."""

    cues: tuple[str, ...]
    mark: Mark
    outcomes: tuple[str, ...]
    n: int


class Section(NamedTuple):
    """A phase: its name, and the trials that are mixed in it."""

    name: str
    trials: tuple[Trial, ...]


def parse(text: str, *, with_context: bool = False) -> tuple[Section, ...]:
    """The phases of a design; ValueError with the place where it is malformed.

    A trial without cues is one where there is a context.
    """
    reader = _Reader(text, with_context)
    if not text.strip():
        reader.fail(0, "expected a design, found nothing; write one, as in 'A+ 40 | AB+ 40'")
    sections: dict[str, Section] = {}
    while True:
        section = _section(reader, sections)
        sections[section.name] = section
        if not reader.take("|"):
            _warn_of_numbers(reader)
            return tuple(sections.values())


class _Reader:
    """A text, and how far it is read."""

    def __init__(self, text: str, with_context: bool) -> None:
        self.text, self.at, self.with_context = text, 0, with_context
        # The name that came last, if it stood in no brackets; all names that end in numbers; and those at the
        # end of trials of which no number is said.
        self.last = ""
        self.numbered: set[str] = set()
        self.uncounted: list[str] = []

    def blanks(self) -> None:
        """Go on to what is no blank."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def next(self) -> str:
        """The character that comes next, blanks left out; "" at the end."""
        self.blanks()
        return self.text[self.at : self.at + 1]

    def take(self, characters: str) -> str:
        """The character that comes next, if it is one of these, and go on behind it."""
        found = self.next()
        if not found or found not in characters:
            return ""
        self.at += 1
        return found

    def match(self, pattern: re.Pattern[str]) -> str:
        """What comes next and has a form, if it does, and go on behind it."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def name(self, pattern: re.Pattern[str]) -> str:
        """A name without brackets, if one comes next, and go on behind it."""
        self.last = self.match(pattern)
        if _NUMBERED.fullmatch(self.last):
            self.numbered.add(self.last)
        return self.last

    def found(self) -> str:
        """What comes next, for a message."""
        character = self.next()
        if not character:
            return "the end"
        word = _WORD.match(self.text, self.at)
        return repr(word[0][:20] if word else character)

    def fail(self, at: int, message: str) -> NoReturn:
        """ValueError that says where."""
        raise ValueError(f"{_place(self.text, at)}: {message}")


def _place(text: str, at: int) -> str:
    """Where something is in a design."""
    line = text.count("\n", 0, at)
    column = at - text.rfind("\n", 0, at)
    where = f"line {line + 1}, column {column}" if "\n" in text else f"column {column}"
    first, last = (0, len(text)) if len(text) <= 60 else (max(at - 25, 0), min(at + 25, len(text)))
    part = ("…" if first else "") + text[first:last] + ("…" if last < len(text) else "")
    return f"{where} of the design {part!r}"


def _section(reader: _Reader, before: dict[str, Section]) -> Section:
    """A phase: a name, if there is one, and trials."""
    reader.blanks()
    start = reader.at
    named = reader.match(_NAMED)[:-1].strip()
    if reader.at > start and not _PHASE.fullmatch(named):
        reader.fail(
            start,
            f"expected the name of a phase before the colon, found {named!r}; it begins with a letter or a "
            "digit, and has no other signs than blanks, - _ . and '",
        )
    name = named or str(len(before) + 1)
    if name in before:
        reader.fail(start, f"expected a name that no phase has yet, found {name!r}; name the phases apart")
    trials = [_trial(reader)]
    while reader.take("/,"):
        trials.append(_trial(reader))
    if reader.next() not in ("", "|"):
        reader.fail(
            reader.at,
            f"expected / or , or | after a trial, found {reader.found()}; / and , mix trials within a phase, "
            "| ends the phase, and the number of trials is whole: A+ 40",
        )
    return Section(name, tuple(trials))


def _warn_of_numbers(reader: _Reader) -> None:
    """Warn where A40+ may be meant as 40 trials of A: no other name of the design has such a number."""
    if len(reader.numbered) != 1 or not reader.uncounted:
        return
    name = reader.uncounted[0]
    stem, number = _NUMBERED.fullmatch(name).groups()  # type: ignore[union-attr]
    counted = f"{stem}+ {number}" if len(stem.strip("'")) == 1 and stem[0].isupper() else f"A>{stem} {number}"
    warn(
        f"the design {reader.text[:60]!r} has one trial of the name {name!r}; for {number} trials write "
        f"{counted!r}, for one trial write 1 behind it, or the name in brackets"
    )


def _trial(reader: _Reader) -> Trial:
    """Trials of one kind."""
    start, reader.last = reader.at if reader.next() else len(reader.text), ""
    before = _count(reader)
    cues = _cues(reader)
    mark_at = reader.at
    mark = _mark(reader, cues, start)
    outcomes = {"+": (US,), "-": (), "+-": (US,), "?": (), ">": ()}[mark]
    if mark == ">":
        outcomes = _outcomes(reader)
        if outcomes == (US,):
            mark = "+"
    if not cues and not reader.with_context:
        reader.fail(
            mark_at,
            f"expected cues before the mark {mark!r}, found none; write A{mark}, or let context=True be the "
            "cue",
        )
    after = _count_behind(reader)
    if before is not None and after is not None:
        reader.fail(
            start,
            f"expected one number of trials, found {before} before the cues and {after} behind; leave one "
            "out",
        )
    if before is None and after is None and mark != "?" and reader.last in reader.numbered:
        reader.uncounted.append(reader.last)
    n = before if before is not None else after if after is not None else 1
    if mark == "+-" and n % 2:
        reader.fail(
            start,
            f"expected an even number of trials of which half have the outcome, found {n}; write "
            f"{''.join(cues)}+- {n + 1}, or two kinds of trials",
        )
    return Trial(cues, mark, outcomes, n)


def _count(reader: _Reader) -> int | None:
    """The number that comes next, if there is one."""
    reader.blanks()
    start = reader.at
    digits = reader.match(_NUMBER)
    if not digits:
        return None
    # Longer ones need not be converted to be known as too large; Python refuses to convert very long ones.
    number = int(digits.lstrip("0")[:20] or "0")
    if not 0 < number <= _MOST:
        cure = "write fewer" if number else "a trial that asks and teaches nothing is a probe, A?"
        reader.fail(start, f"expected a number of trials from 1 to {_MOST:,}, found {digits[:20]}; {cure}")
    return number


def _count_behind(reader: _Reader) -> int | None:
    """The number behind the mark, perhaps with an x before it."""
    times = reader.take(_TIMES)
    number = _count(reader)
    if times and number is None:
        reader.fail(
            reader.at, f"expected a number of trials after {times}, found {reader.found()}; write {times}40"
        )
    return number


def _cues(reader: _Reader) -> tuple[str, ...]:
    """The cues of a trial: capital letters, perhaps with digits or primes, or names in brackets."""
    cues: dict[str, None] = {}
    while character := reader.next():
        at = reader.at
        if character == "(":
            cue = _in_brackets(reader, "cue")
        elif character.isupper() and (bare := reader.name(_BARE_CUE)):
            cue = bare
        else:
            break
        if cue in cues:
            reader.fail(
                at,
                f"expected each cue once in a trial, found {cue!r} twice; leave one out (how salient it is, "
                "alpha= of the learner says)",
            )
        cues[cue] = None
    return tuple(cues)


def _in_brackets(reader: _Reader, what: str) -> str:
    """A name in brackets."""
    start = reader.at
    end = next((i for i in range(start + 1, len(reader.text)) if reader.text[i] in "()"), None)
    if end is None or reader.text[end] == "(":
        found = "the end" if end is None else "another '('"
        reader.fail(
            start, f"expected ) after the name of the {what}, found {found}; close the bracket, as in (tone)"
        )
    name = " ".join(reader.text[start + 1 : end].split())
    if not name:
        reader.fail(start, f"expected the name of the {what} in brackets, found none; write it, as in (tone)")
    if "_" in name:
        several = "(tone)(light)" if what == "cue" else "food_water"
        reader.fail(
            start,
            f"expected the name of one {what}, found {name!r}, and _ joins names in tables of events; write "
            f"several as {several}, or - for _",
        )
    reader.at, reader.last = end + 1, ""
    return name


def _mark(reader: _Reader, cues: tuple[str, ...], start: int) -> Mark:
    """What follows the cues of the trial that starts there."""
    mark = _MARKS.get(reader.next())
    at = reader.at
    if mark is None:
        _no_mark(reader, cues, start)
    reader.at += 1
    if mark == "+" and _MARKS.get(reader.text[reader.at : reader.at + 1]) == "-":
        reader.at += 1
        mark = "+-"
    behind = reader.next()
    if behind in _MARKS:
        reader.fail(
            at,
            f"expected one mark, found {mark + behind!r}; leave one out: +- is half and half, and how strong "
            "an outcome is, lambda_= of the learner says",
        )
    return mark


def _no_mark(reader: _Reader, cues: tuple[str, ...], start: int) -> NoReturn:
    """What is wrong where a mark was expected."""
    found, before = reader.found(), reader.text[start : reader.at].rstrip()
    if len(cues) > 1 and before.endswith(")"):
        rest = before.rpartition("(")[0].rstrip()
        cure = f"if {cues[-1]} is the outcome, write {rest}+ or {rest}>{cues[-1]}"
    elif found in ("'rand'", "'random'"):
        cure = "the order of trials within a phase is random, by seed="
    else:
        cure = "write A+, A-, A>food, A+- or A?; names that are no capital letters stand in brackets: (tone)+"
    wanted = "a mark after the cues" if cues else "a trial"
    reader.fail(reader.at, f"expected {wanted}, found {found}; {cure}")


def _outcomes(reader: _Reader) -> tuple[str, ...]:
    """The names of outcomes, joined by _."""
    outcomes: dict[str, None] = {}
    while True:
        reader.blanks()
        at = reader.at
        name = _in_brackets(reader, "outcome") if reader.next() == "(" else reader.name(_BARE_OUTCOME)
        if not name:
            reader.fail(
                at,
                f"expected the name of an outcome, found {reader.found()}; write A>food, A>food_water, or - "
                "for none; names with other signs stand in brackets: A>(loud noise)",
            )
        if name in outcomes:
            reader.fail(at, f"expected each outcome once in a trial, found {name!r} twice; leave one out")
        outcomes[name] = None
        if not reader.text.startswith("_", reader.at):
            return tuple(outcomes)
        reader.at += 1
