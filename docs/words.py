"""How long the pages and their sentences are: ``python docs/words.py`` prints it.

Blocks of code do not count, nor do the pages of the API. Pages that are new in version 3 are counted apart. A
test says how long the others may be.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
NEW = {
    "gallery.md",
    "howto/fitting.md",
    "howto/influence.md",
    "howto/ldl.md",
    "howto/people.md",
    "howto/vectors.md",
    "judiling.md",
    "sources.md",
}
# Fewer words are a number or a name in a table, not a sentence.
SHORT = 4
LONG = 25

_CODE = re.compile(
    r"^ *```.*?^ *```[^\n]*$|<!--.*?-->", re.MULTILINE | re.DOTALL
)
# What is not read aloud word by word: formulas, code in a line, addresses of links and pictures.
_FORMULA = re.compile(r"^\$\$\n.*?^\$\$$", re.MULTILINE | re.DOTALL)
_ONE_WORD = re.compile(r"`+[^`]+`+|\$[^$\s](?:[^$]*[^$\s])?\$")
_LINK = re.compile(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])")
# Where a paragraph ends: at an empty line, a heading, an item, a row or a cell of a table.
_PARAGRAPH = re.compile(r"\n\s*(?:[-*:]|\d+\.) |\n(?=\s*(?:\n|#|\|))|\|")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[^a-z\s])")


class Length(NamedTuple):
    """Of a page: its words, its sentences, and those of more than `LONG` words."""

    words: int
    sentences: int
    long: list[str]


def length(page: str) -> Length:
    """The length of a page."""
    text = _CODE.sub("\n", page)
    words = len(text.split())
    text = _LINK.sub(r"\1", _ONE_WORD.sub("X", _FORMULA.sub("\n", text)))
    parts = [
        each
        for each in _PARAGRAPH.split(text)
        if not each.lstrip().startswith("#")
    ]
    sentences = [
        each.split() for part in parts for each in _SENTENCE.split(part)
    ]
    sentences = [each for each in sentences if len(each) >= SHORT]
    return Length(
        words,
        len(sentences),
        [" ".join(each) for each in sentences if len(each) > LONG],
    )


def lengths() -> dict[str, Length]:
    """The length of every page but those of the API, by its place in docs."""
    pages = {
        path.relative_to(DOCS).as_posix(): path
        for path in sorted(DOCS.rglob("*.md"))
    }
    return {
        name: length(path.read_text(encoding="utf-8"))
        for name, path in pages.items()
        if not name.startswith("api/")
    }


def total(of: dict[str, Length], *, new: bool) -> Length:
    """The length of all pages that are new, or of all others."""
    chosen = [each for name, each in of.items() if (name in NEW) == new]
    return Length(
        sum(each.words for each in chosen),
        sum(each.sentences for each in chosen),
        [sentence for each in chosen for sentence in each.long],
    )


def main() -> None:
    """Prints the table."""
    of = lengths()
    rows = {
        **of,
        "all but new pages": total(of, new=False),
        "new pages": total(of, new=True),
    }
    print(f"{'words':>6}  {'sentences':>9}  over {LONG} words")
    for name, each in rows.items():
        print(
            f"{each.words:6,}  {each.sentences:9,}  {len(each.long) / max(each.sentences, 1):13.1%}  {name}"
        )


if __name__ == "__main__":
    main()
