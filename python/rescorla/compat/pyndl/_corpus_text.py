"""Text as pyndl finds words in it, in contexts that events do not reach beyond."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from rescorla._shared.warn import warn

# Its dots are any characters: a mark is found as pyndl finds it.
_MARK = re.compile("(---end.of.document---|---END.OF.DOCUMENT---)")
_SPECIAL = re.compile("[#_\t]")

Filter = Callable[[str], str]


class WordFinder:
    """Finds the words of lines."""

    def __init__(self, allowed_symbols: str | Callable[[str], object], lower_case: bool) -> None:
        self._filter = _filter_of(allowed_symbols)
        self._lower = lower_case
        self._warned = False

    def __call__(self, line: str) -> list[str]:
        """The words of a line: between blanks, what is not allowed being one."""
        if self._lower:
            line = line.lower()
        if _SPECIAL.search(line):
            if not self._warned:
                self._warned = True
                warn('"_", "#", and "\\t" are special symbols and were therefore removed')
            line = _SPECIAL.sub(" ", line)
        return [word for piece in self._filter(line).split(" ") if (word := piece.strip())]


def _filter_of(allowed: str | Callable[[str], object]) -> Filter:
    """What turns characters that are not allowed to blanks."""
    if callable(allowed):
        # Of each different character it is asked once.
        known: dict[int, str] = {}

        def filtered(line: str) -> str:
            new = {character for character in set(line) if ord(character) not in known}
            known.update({ord(character): character if allowed(character) else " " for character in new})
            return line.translate(known)

        return filtered
    if allowed == "all":
        return lambda line: line
    others = re.compile(f"[^{allowed}]")
    return lambda line: others.sub(" ", line)


def contexts(lines: Iterable[str], words: WordFinder, context: str) -> Iterator[list[str]]:
    """The words of each context, which is a line, or a document between marks."""
    if context == "line":
        for line in lines:
            yield words(line.strip())
        return
    document: list[str] = []
    for line in lines:
        line = line.strip()
        first, *others = _MARK.split(line)
        document += words(first.strip() if others else first)
        # Of the rest every second piece is a mark.
        for part in others[1::2]:
            yield document
            document = words(part.strip())
    yield document
