"""What made events, in plain words: what was read, how text was coded, and what was done with it since."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rescorla._events.recorded import UnknownCodingError, coding_of, is_bracketed
from rescorla._events.text import TextOptions
from rescorla.cli import source
from rescorla.cli.coding import option

# Names that are listed, and parts of what was joined.
_FEW = 5


def lines(made: Mapping[str, Any], subject: str = "") -> dict[str, object]:
    """A line for each step, the first first; what they are of is the `subject`."""
    steps = [_printable(step) for step in _steps(made)]
    names = [f"made, step {n}" for n in range(1, len(steps) + 1)] if len(steps) > 1 else ["made of"]
    before = f"{subject}: " if subject else ""
    found: dict[str, object] = {f"{before}{name}": step for name, step in zip(names, steps, strict=True)}
    version = _printable(str(made.get("version", "")))
    if version:
        found[f"{before}made by"] = f"rescorla {version}"
    return found


def _steps(made: Any) -> list[str]:
    """What was done, one after another."""
    if not isinstance(made, Mapping):
        return ["steps that are not kept"]
    if not made:
        return ["what is not kept"]
    function, before = str(made.get("function")), made.get("of")
    if function == "concat_events":
        parts = before if isinstance(before, list) else []
        told = [f"({'; then '.join(_steps(part))})" for part in parts[:_FEW]]
        more = [f"and {len(parts) - _FEW:,} more"] if len(parts) > _FEW else []
        return [f"{len(parts):,} parts, joined: {', '.join([*told, *more])}"]
    say = _SAYING.get(function, _anything)
    return [*([] if before is None else _steps(before)), say(made)]


def _text(made: Mapping[str, Any]) -> str:
    try:
        options, lost = coding_of(made)
    except UnknownCodingError:
        return _anything(made)
    said = TextOptions(**{name: value for name, value in options.items() if name in TextOptions._fields})
    # Of tables the names of their files are known, of functions what they are.
    names: dict[str, Any] = {
        name: kept if is_bracketed(kept) else Path(kept)
        for name, kept in lost.items()
        if name.endswith("_from")
    }
    flags = _flags()
    unsaid = ("cues_from", "outcomes_from", "window", "format")
    given = [option(flags, name, value) for name, value in options.items() if name not in unsaid]
    given += [f"{flags[name]} {kept}" for name, kept in lost.items() if name not in unsaid]
    coded = f", {' '.join(given)}" if given else ""
    return f"{source.described(said._replace(**names))} of {_value(made.get('source'))}{coded}"


def _read(made: Mapping[str, Any]) -> str:
    given = {name: made.get(name) for name in ("columns", "limit", "background")}
    given["duplicates"] = None if made.get("duplicates") == "drop" else made.get("duplicates")
    given["header"] = None if made.get("header") is not False else "none"
    told = _options({name: value for name, value in given.items() if value is not None})
    what = "these events" if made.get("source") is None else f"the events of {_value(made['source'])}"
    return f"{what}, as they were read{told}"


def _filter(made: Mapping[str, Any]) -> str:
    return f"names that were filtered{_options(_given(made, 'duplicates'))}"


def _passes(made: Mapping[str, Any]) -> str:
    if made.get("seed") is None:
        return f"{made.get('n')} times over, in their order"
    times = "the tokens" if made.get("n") == 1 else f"{made.get('n')} times the tokens"
    return f"{times} in random order, seed {made['seed']}"


def _anything(made: Mapping[str, Any]) -> str:
    given = {name: value for name, value in _given(made).items() if value is not None}
    return f"{made.get('function')}{_options(given)}"


_SAYING: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "corpus_events": _text,
    "read_events": _read,
    "Events.filter": _filter,
    "Events.head": lambda made: f"the first {made.get('n')} events",
    "Events.passes": _passes,
}


def _given(made: Mapping[str, Any], *others: str) -> dict[str, Any]:
    """The options of a step."""
    return {name: value for name, value in made.items() if name not in ("function", "of", "version", *others)}


def _options(given: Mapping[str, Any]) -> str:
    told = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in given.items()]
    return f", {', '.join(told)}" if told else ""


def _value(value: object) -> str:
    """A value; of many names, how many."""
    if isinstance(value, Mapping):
        few = ", ".join(f"{name}={each}" for name, each in value.items()) if len(value) <= _FEW else ""
        return few or f"of {len(value):,} names"
    if isinstance(value, list):
        more = f" and {len(value) - _FEW:,} more" if len(value) > _FEW else ""
        return ", ".join(map(str, value[:_FEW])) + more
    return str(value)


def _printable(text: str) -> str:
    """Text that breaks no line, and that any terminal has: names of files may be anything."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


@cache
def _flags() -> dict[str, str]:
    """The options of running text, by the arguments that they are."""
    parser = argparse.ArgumentParser(add_help=False)
    source.add_options(parser)
    flags: dict[str, str] = parser.get_default("text_flags")
    return flags
