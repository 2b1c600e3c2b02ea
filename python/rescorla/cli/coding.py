"""Running text that is coded as the events of weights were, as far as no option says otherwise."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rescorla._events.names import listed, mapping_of
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

_DEFAULTS = TextOptions()._asdict() | SHARED


def code_like(file: str, parameters: Mapping[str, Any], options: argparse.Namespace) -> None:
    """Give text the options that are not given, as the events of the weights in a file had them.

    `parameters` are those of the weights. What is taken is said; options are warned of that differ.
    """
    flags: Mapping[str, str] = options.text_flags
    given = {name for name in (*flags, *SHARED) if getattr(options, name) is not None}
    try:
        # Equilibria may have a cue that their events have not.
        background = parameters.get("background") if parameters.get("rule") == "equilibrium" else None
        coding = with_background(coding_of(parameters.get("events")), background)
    except UnknownCodingError as error:
        if given.isdisjoint(flags):
            warn(
                f"{file}: {error}; this text is coded as by default: give {flags['cues_from']} and whatever "
                "else the text of the weights was coded with"
            )
        return
    # What files hold is no matter of what words are; and outcomes matter only where they are asked for.
    apart = {"format"} if options.present_only else {"format", "outcomes_from"}
    for name in {"cues_from", "outcomes_from"} - given - apart:
        value = coding.options.get(name)
        said = [each for each in (value if isinstance(value, list) else [value]) if each in SAID]
        if said and getattr(options, "text_format", None) != "conllu":
            raise ValueError(
                f"{file}: the {name.removesuffix('_from')} of its events are {' and '.join(said)}, and "
                "running text has none; parse this text and give it as CoNLL-U, or give weights that were "
                "learned from running text"
            )
    for name, kept in coding.lost.items():
        if name not in given | apart:
            told = f"{flags[name]} {kept}, {_cure(name, kept, flags[name])}"
            raise ValueError(f"{file}: the text of its events was coded with {told}")
    for name in sorted(given - apart):
        value = getattr(options, name)
        if (was := _otherwise(coding, flags, name, value)) is not None:
            warn(
                f"{option(flags, name, value)}: the events of {file} were coded {was}, so the same words may "
                "have other cues; leave it out to code this text alike"
            )
    taken = {name: value for name, value in coding.options.items() if name not in given | apart}
    for name, value in taken.items():
        one = name.endswith("_from") and not isinstance(value, list)
        # As the options have them; none is none of several.
        setattr(options, name, ([] if value is None else [value]) if one else value)
    if taken or not given:
        told = " ".join(option(flags, name, value) for name, value in taken.items())
        options.coded_as = f"the events of {file}: {told or 'all options by default'}"
        printing.show({"coded as": options.coded_as})


def _cure(name: str, kept: str, flag: str) -> str:
    """What to do about an option whose value was not kept."""
    if not is_bracketed(kept):
        place = "@" if name.endswith("_from") else ""
        return f"a file of which the name alone is kept; give {flag} {place}FILE"
    if " of " in kept:
        return f"whose length alone is kept; give {flag} and a file of them"
    return (
        f"which only Python has; give {flag} if it can say the same, or make events of this text in Python "
        "and give these"
    )


def _otherwise(coding: Coding, flags: Mapping[str, str], name: str, value: Any) -> str | None:
    """With what the events were coded, if that is known and something else."""
    if name in coding.lost:
        # Of a file the name is known.
        kept = coding.lost[name]
        known = isinstance(value, Path) and not is_bracketed(kept)
        return f"with {flags[name]} {kept}" if known and value.name != kept else None
    default = _DEFAULTS[name]
    was = coding.options.get(name, default)
    if isinstance(value, Path):
        value = listed(name, value)
    if name.endswith("_from"):
        value = [mapping_of(name, each) if isinstance(each, Path) else each for each in value]
    if same_values(name, value, was):
        return None
    if name in coding.options:
        return f"with {option(flags, name, was)}"
    return f"with {option(flags, name, was)}, the default" if isinstance(default, str) else "without it"


def option(flags: Mapping[str, str], name: str, value: Any) -> str:
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
