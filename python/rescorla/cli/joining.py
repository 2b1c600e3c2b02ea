"""Values of an option that are joined in another way than it takes them, and what to write."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile

from rescorla.cli.command import Parser, options_of

# Options that take several values, and what stands between these; and what may stand there by mistake.
_JOINED = {"cues_from": ",", "outcomes_from": ",", "window": ",", "columns": ",", "beta": " "}
_BETWEEN = re.compile(r"[\s,;|+()\[\]]+")


def check_joined(told: Sequence[str], command: Parser) -> None:
    """Exit with what to write where the values of an option are joined wrongly."""
    for action in options_of(command):
        joint = _JOINED.get(action.dest)
        if joint is None:
            continue
        is_value = partial(_is_value, action)
        given = [_values(words, is_value) for words in _given(told, action.option_strings)]
        flag, many = action.option_strings[0], action.nargs == "+"
        repeated = len(given) > 1 and not isinstance(action, argparse._ExtendAction)
        if not repeated and all((many or len(words) == 1) and all(map(is_value, words)) for words in given):
            continue
        text = " ".join(word for words in given for word in words)
        right = joint.join(parts(text, is_value))
        if right and (many or is_value(right)):
            decimals = ", and decimals with a point" if many and "," in text else ""
            between = "blanks" if many else "commas"
            command.error(
                f"argument {flag}: separate its values by {between}: write {flag} {right}{decimals}"
            )
        if repeated:
            command.error(f"argument {flag}: given {len(given)} times; give it once")


def parts(text: str, is_value: Callable[[str], bool]) -> list[str]:
    """The values in a text, whatever stands between them; none where not all are values."""
    values = [each for each in _BETWEEN.split(text) if each]
    return values if all(map(is_value, values)) else []


def _given(told: Sequence[str], flags: Sequence[str]) -> Iterator[list[str]]:
    """The words after an option, each time that it is given."""
    for place, word in enumerate(told):
        if word == "--":
            return
        flag, equals, value = word.partition("=")
        if flag in flags:
            more = takewhile(lambda each: not each.startswith("-"), told[place + 1 :])
            yield [*([value] if equals else []), *more]


def _values(words: list[str], is_value: Callable[[str], bool]) -> list[str]:
    """The words after an option that are for it, also where it takes fewer; files may follow."""

    def are_values(word: str) -> bool:
        return not os.path.exists(word) and all(is_value(each) for each in _BETWEEN.split(word) if each)

    return [*words[:1], *takewhile(are_values, words[1:])]


def _is_value(action: argparse.Action, text: str) -> bool:
    try:
        return not callable(action.type) or action.type(text) is not None
    except (argparse.ArgumentTypeError, ValueError):
        return False
