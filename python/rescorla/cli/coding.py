"""Running text that is coded as the events of weights were, as far as no option says otherwise."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rescorla._events.events import Events
from rescorla._events.kinds import Look
from rescorla._events.names import listed, mapped
from rescorla._events.recorded import (
    SHARED,
    Coding,
    UnknownCodingError,
    coding_of,
    is_bracketed,
    same_values,
    with_background,
)
from rescorla._events.text import SAID, TextOptions
from rescorla._shared.warn import warn
from rescorla.cli import printing

# What weights predict does not depend on it.
_NO_MATTER = "outcomes_from"
# What files hold is no matter of what words are.
_FORMAT = "format"
_DEFAULTS = TextOptions()._asdict() | SHARED
_SIDES = {"cues_from": "cues", "outcomes_from": "outcomes"}


class Like:
    """What says how the events of weights were made: the parameters of the weights in a file."""

    def __init__(self, file: str, parameters: Mapping[str, Any]) -> None:
        self._file = file
        self._coding: Coding | None = None
        self._unknown = ""
        try:
            # Equilibria may have a cue that their events have not.
            background = parameters.get("background") if parameters.get("rule") == "equilibrium" else None
            self._coding = with_background(coding_of(parameters.get("events")), background)
        except UnknownCodingError as error:
            self._unknown = str(error)

    def take_format(self, options: argparse.Namespace, seen: Sequence[Look]) -> None:
        """Let files that look like those of that format be read as such."""
        said = None if self._coding is None else self._coding.options.get("format")
        if options.format is None and said is not None and seen and all(_looks(each, said) for each in seen):
            options.format = said

    def code(self, options: argparse.Namespace) -> None:
        """Give text the options that were not given, and say which; options are warned of that differ."""
        given = {name for name in (*options.text_flags, *SHARED) if getattr(options, name) is not None}
        if self._coding is None:
            if given.isdisjoint(options.text_flags):
                warn(
                    f"{self._file}: {self._unknown}; this text is coded as by default: give "
                    f"{options.text_flags['cues_from']} and whatever else the text of the weights was coded "
                    "with"
                )
            return
        if options.format != "conllu":
            self._check_treebank(options, given)
        self._check_lost(options, given | {_FORMAT, _NO_MATTER})
        self._warn_of_others(options, given - {_FORMAT, _NO_MATTER})
        taken = {n: each for n, each in self._coding.options.items() if n not in given | {_FORMAT}}
        lost = _NO_MATTER in self._coding.lost or (options.format != "conllu" and self._said(_NO_MATTER))
        if lost and _NO_MATTER not in given:
            taken[_NO_MATTER] = []
        for name, value in taken.items():
            one = name.endswith("_from") and not isinstance(value, list)
            # As the options have them; none is none of several.
            setattr(options, name, ([] if value is None else [value]) if one else value)
        if taken or not given:
            told = " ".join(shown(options.text_flags, name, value) for name, value in taken.items())
            options.coded_as = f"the events of {self._file}: {told or 'all options by default'}"
            printing.show({"coded as": options.coded_as})

    def warn_of_text(self, events: Events) -> None:
        """Warn where learning is to go on with events of running text from weights of a treebank."""
        now = Like("", {"events": events.parameters})._coding
        if now is None or now.options.get("format") == "conllu":
            return
        for name, side in _SIDES.items():
            if self._coding is not None and (said := self._said(name)):
                same = shown({name: f"--{side}-from"}, name, self._coding.options[name])
                warn(
                    f"--initial {self._file}: the {side} of its events are {' and '.join(said)}, and these "
                    "events, of running text, have none; parse the text and give it as CoNLL-U, with "
                    f"--format conllu {same}"
                )

    def _said(self, name: str) -> list[str]:
        """What only a treebank says of words, such as lemmas, and the cues or outcomes of the events are."""
        value = None if self._coding is None else self._coding.options.get(name)
        return [each for each in (value if isinstance(value, list) else [value]) if each in SAID]

    def _check_treebank(self, options: argparse.Namespace, given: set[str]) -> None:
        """ValueError where running text does not have what is needed."""
        for name, side in _SIDES.items():
            said = " and ".join(self._said(name))
            if said and name not in given and (name != _NO_MATTER or options.present_only):
                instead = (
                    "leave --present-only out"
                    if name == _NO_MATTER
                    else "give weights that were learned from running text"
                )
                raise ValueError(
                    f"{self._file}: the {side} of its events are {said}, and running text has none; parse "
                    f"this text and give it as CoNLL-U, or {instead}"
                )

    def _check_lost(self, options: argparse.Namespace, others: set[str]) -> None:
        """ValueError that names the first option whose value was not kept, and what to do."""
        lost = {} if self._coding is None else self._coding.lost
        for name, kept in lost.items():
            if name in others:
                continue
            flag = options.text_flags[name]
            if not is_bracketed(kept):
                place = "@" if name.endswith("_from") else ""
                cure = f"a file of which the name alone is kept; give {flag} {place}FILE"
            elif " of " in kept:
                cure = f"whose length alone is kept; give {flag} and a file of them"
            else:
                cure = (
                    f"which only Python has; give {flag} if it can say the same, or make events of this text "
                    "in Python and give these"
                )
            raise ValueError(f"{self._file}: the text of its events was coded with {flag} {kept}, {cure}")

    def _warn_of_others(self, options: argparse.Namespace, given: set[str]) -> None:
        """Warn of options that say something else than what the events were coded with."""
        for name in sorted(given):
            value = getattr(options, name)
            was = self._otherwise(options.text_flags, name, value)
            if was is not None:
                warn(
                    f"{shown(options.text_flags, name, value)}: the events of {self._file} were coded {was}, "
                    "so the same words may have other cues; leave it out to code this text alike"
                )

    def _otherwise(self, flags: Mapping[str, str], name: str, value: Any) -> str | None:
        """With what the events were coded, if that is known and something else."""
        options, lost = ({}, {}) if self._coding is None else self._coding
        if name in lost:
            # Of a file the name is known.
            known = isinstance(value, Path) and not is_bracketed(lost[name])
            return f"with {flags[name]} {lost[name]}" if known and value.name != lost[name] else None
        default = _DEFAULTS[name]
        was = options.get(name, default)
        if isinstance(value, Path):
            value = listed(name, value)
        if name.endswith("_from"):
            value = [mapped(name, each) if isinstance(each, Path) else each for each in value]
        if same_values(name, value, was):
            return None
        if name in options:
            return f"with {shown(flags, name, was)}"
        return f"with {shown(flags, name, was)}, the default" if isinstance(default, str) else "without it"


def shown(flags: Mapping[str, str], name: str, value: Any) -> str:
    """An option as it would be written; of what takes a file, how much is in it."""
    flag = flags.get(name, f"--{name}")
    if isinstance(value, bool):
        # Only what is no default has an option.
        return flag if not value else f"no {flag}"
    if name in ("stop_words", "vocabulary") and isinstance(value, list | tuple):
        return f"{flag} ({len(value):,} words)"
    if name.endswith("_from"):
        several = list(value) if isinstance(value, list | tuple) else [] if value is None else [value]
        return f"{flag} {','.join(map(_name, several)) or 'none'}"
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return f"{flag} {shlex.quote(str(value))}"


def _name(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"(a table of {len(value):,} words)"
    return f"@{os.fspath(value)}" if isinstance(value, Path) else str(value)


def _looks(seen: Look, format: str) -> bool:
    """Whether a file looks like one of a format of text."""
    return seen.kind == "conllu" if format == "conllu" else seen.kind == "text" and seen.first[:2] == '"<'
