"""How running text was coded, by what is kept of what made its events: so that other text is coded alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rescorla._events.text import ALL, GRAMS, SAID, TextOptions
from rescorla._shared.checks import DUPLICATES, one_of

# What is kept beside the options of text, and is no option of it.
_ABOUT = frozenset({"function", "source", "version", "of", "left_out"})
# The options that are not for text alone, and their defaults.
SHARED: dict[str, Any] = {"duplicates": "drop", "background": None}

_TYPES = {"across": bool, "lower": bool, "symbols": str | None, "background": str | None}

# What takes events and gives some of them, or the same in another order or number: what they are stays as it
# is.
_CHOOSING = frozenset(
    f"Events.{name}" for name in ("distinct", "head", "passes", "positions", "sample", "slice", "split")
)


class Coding(NamedTuple):
    """What `corpus_events` was told, or would have to be told for the same events.

    `options` are those that differ from their defaults, as arguments, with `duplicates` and `background`.
    `lost` are those whose values are not kept, each with what is kept in its place.
    """

    options: dict[str, Any]
    lost: dict[str, str]


class UnknownCodingError(ValueError):
    """Nothing says how the text of events was coded, or nothing that one call could do again."""


def coding_of(made: object) -> Coding:
    """How running text was coded; `made` is what made the events, as ``Events.parameters`` has it."""
    if not isinstance(made, Mapping) or not made:
        raise UnknownCodingError("nothing is kept of what made the events")
    function, before = made.get("function"), made.get("of")
    if function == "corpus_events":
        return _of_text(made)
    if function == "concat_events" and isinstance(before, list) and before:
        first, *others = (coding_of(each) for each in before)
        if any(other != first for other in others):
            raise UnknownCodingError("the events were joined of texts that were coded in different ways")
        return first
    if not isinstance(before, Mapping):
        if before is not None:
            raise UnknownCodingError("the events were made in too many steps for all to be kept")
        if function == "read_events":
            source = str(made.get("source", "elsewhere")).strip("<>")
            raise UnknownCodingError(f"the events were read from {source}, which tells of no text")
        raise UnknownCodingError("the events were not made of running text")
    found = coding_of(before)
    if function in _CHOOSING:
        return found
    if function == "Events.filter":
        # Cues that were removed are cues that weights do not have.
        if made.get("cue_map") is not None:
            raise UnknownCodingError("the cues of the events were given other names, by a map")
        return found
    if function == "Events.swapped":
        raise UnknownCodingError("the cues of the events were their outcomes before, by Events.swapped")
    if function == "Events.with_background":
        return with_background(found, made.get("name"))
    if function == "read_events":
        if made.get("duplicates") == "drop":
            found.options.pop("duplicates", None)
        return with_background(found, made.get("background"))
    raise UnknownCodingError(f"the events were made by {function}, which this version does not know")


def with_background(coding: Coding, name: object) -> Coding:
    """The coding, and this cue in each event."""
    if name is None:
        return coding
    known = coding.options.get("background")
    if known not in (None, name):
        raise UnknownCodingError(f"two cues were added to every event, {known!r} and {name!r}")
    return coding._replace(options=coding.options | {"background": name})


def _of_text(made: Mapping[str, Any]) -> Coding:
    defaults = TextOptions()._asdict() | SHARED
    for name, value in made.items():
        if name not in defaults and name not in _ABOUT:
            raise UnknownCodingError(
                f"the text was coded with {name}={value!r}, which this version does not know"
            )
    options: dict[str, Any] = {}
    lost: dict[str, str] = {}
    for name, default in defaults.items():
        if name not in made:
            continue
        try:
            value = _again(name, made[name])
        except _LostError as found:
            lost[name] = str(found)
            continue
        if not same_values(name, value, default):
            options[name] = value
    _check(defaults | options)
    return Coding(options, lost)


def _check(options: Mapping[str, Any]) -> None:
    """UnknownCodingError where values are none that these options have."""
    try:
        TextOptions(**{name: options[name] for name in TextOptions._fields}).check()
        one_of("duplicates", options["duplicates"], DUPLICATES)
        for name, types in _TYPES.items():
            if not isinstance(options[name], types):
                raise TypeError(f"{name} is {options[name]!r}")
    except (TypeError, ValueError) as error:
        raise UnknownCodingError(f"what made the events is not kept as rescorla keeps it: {error}") from None


class _LostError(Exception):
    """A value that is not kept; what is, in its place."""


def _again(name: str, kept: Any) -> Any:
    """The value of an argument, by what is kept of it."""
    if name in ("cues_from", "outcomes_from"):
        return [_names(each) for each in kept] if isinstance(kept, list) else _names(kept)
    if name in ("stop_words", "vocabulary"):
        # A list is kept as one, up to some length: text is the name of a file, or says what was too long.
        if kept is None or (isinstance(kept, list) and all(isinstance(word, str) for word in kept)):
            return kept
        raise _LostError(_told(kept))
    if name == "window" and isinstance(kept, list):
        return tuple(kept)
    if name == "symbols" and is_bracketed(kept):
        raise _LostError(kept)
    return kept


def _names(kept: Any) -> Any:
    """What words give: of tables only the names of their files are kept, of functions theirs."""
    if kept is None or isinstance(kept, int) or kept in (*GRAMS, *SAID):
        return kept
    if isinstance(kept, Mapping) and not any(map(is_bracketed, kept.values())):
        return dict(kept)
    raise _LostError(_told(kept))


def _told(kept: object) -> str:
    return kept if isinstance(kept, str) else "<dict>" if isinstance(kept, Mapping) else repr(kept)


def is_bracketed(kept: object) -> bool:
    """Whether this stands for a value that JSON cannot hold, or that was too long."""
    inner = kept[1:-1] if isinstance(kept, str) and kept[:1] + kept[-1:] == "<>" else ""
    return inner.partition(" ")[0].isidentifier()


def same_values(name: str, one: Any, other: Any) -> bool:
    """Whether two values of an argument say the same."""
    return bool(_plain(name, one) == _plain(name, other))


def _plain(name: str, value: Any) -> Any:
    """One form of what can be said in several."""
    if name in ("cues_from", "outcomes_from"):
        several = list(value) if isinstance(value, list | tuple) else [] if value is None else [value]
        return [GRAMS.get(each, each) if isinstance(each, str) else each for each in several]
    if name == "stop_words":
        return sorted(set(value))
    if name == "vocabulary":
        return None if value is None else sorted(set(value))
    if name == "window":
        return 1 if value is None else value
    if name == "format":
        return value or "text"
    if name == "symbols":
        return None if value in ALL else value
    return value
