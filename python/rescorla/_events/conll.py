"""Text in columns, a word on each line: the relatives of CoNLL-U, and vertical text (.vrt)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import rescorla._core as _core
from rescorla._events.captions import unescaped

# Numbers of words, perhaps behind that of the sentence (12_1). Ranges (1-2) and empty nodes (1.1) are none.
_NUMBER = re.compile(r"(?:\d+_)?\d+")
_NO_WORD = re.compile(r"\d+[-.]\d+")
_FIRST = re.compile(r"(?:\d+_)?[01]|[01][-.]\d+")
_NAMES = re.compile(r"#\s*global\.columns\s*=(.*)")
_TAG = re.compile(r"""\s*<(?:/?[A-Za-z]|[!?])(?:[^<>"'\t]|"[^"]*"|'[^']*')*>\s*""")
_END = re.compile(r"\s*</?(?:s|sentence|p|paragraph|doc|text)\b")


class _Columns(NamedTuple):
    """What the lines of a file are."""

    word: int
    number: int | None
    has_tabs: bool
    # Whether lines that begin with # are comments everywhere, not only before the first word.
    has_comments: bool


def conll(lines: Iterable[str], name: str) -> Iterator[list[str]]:
    """The words of each sentence in one file that has a word on each line, in columns.

    The lines up to the second word say which column has the words:

    - FORM, after ``# global.columns = ID FORM ...`` (CoNLL-U Plus);
    - the second, where words are numbered (CoNLL-X, CoNLL-2006 to 2009);
    - the fourth, after ``#begin document`` where they are not (CoNLL-2011, CoNLL-2012);
    - else the first (CoNLL-2000 to 2003, TreeTagger, vertical text of CWB and Sketch Engine).

    If there is a tab in the line of the first word, tabs separate the columns; else blanks and tabs do.

    As in CoNLL-U, words are the syntactic words: ranges such as ``1-2`` and empty nodes such as ``1.1`` are
    left out. So are comments, ``-DOCSTART-``, and lines that are tags. In files with tags, references such as
    ``&amp;`` are decoded. Comments begin with ``#``; in files whose words are in the first column they stand
    before the first word, and ``#`` behind it is a word.

    A sentence ends at an empty or blank line, at ``-DOCSTART-``, and at the tags s, sentence, p,
    paragraph, doc and text.
    """
    rest = (line.lstrip("\ufeff").rstrip("\r\n") for line in lines)
    head, first = _head(rest)
    columns = _columns(head, first, name)
    words: list[str] = []
    has_begun = is_tagged = False
    for number, line in enumerate(chain(head, rest), 1):
        if line.startswith("#") and (columns.has_comments or not has_begun):
            continue
        if _has_word(line):
            has_begun = True
            if word := _word(line, columns, f"{name}, line {number}"):
                words.append(unescaped(word) if is_tagged else word)
            continue
        is_tag = _TAG.fullmatch(line) is not None
        is_tagged = is_tagged or is_tag
        if words and (not is_tag or _END.match(line)):
            yield words
            words = []
    if words:
        yield words


def _head(lines: Iterator[str]) -> tuple[list[str], list[str]]:
    """The lines up to the second word, and those of both words."""
    head: list[str] = []
    first: list[str] = []
    for line in lines:
        head.append(line)
        if _has_word(line) and not line.startswith("#"):
            first.append(line)
        if len(first) == 2:
            break
    return head, first


def _has_word(line: str) -> bool:
    """Whether a line that is no comment has a word: it is not blank, no tag and not -DOCSTART-."""
    return not (line.isspace() or not line or line.startswith("-DOCSTART-") or _TAG.fullmatch(line))


def _columns(head: list[str], first: list[str], name: str) -> _Columns:
    for number, line in enumerate(head, 1):
        if found := _NAMES.match(line):
            names = found[1].split()
            if "FORM" not in names:
                raise _core.FormatError(
                    f"{name}, line {number}: expected FORM among the columns, found {line[:40]!r}; name the "
                    "column of the words FORM"
                )
            return _Columns(names.index("FORM"), names.index("ID") if "ID" in names else None, True, True)
    has_tabs = "\t" in "".join(first[:1])
    rows = [_cells(line, has_tabs) for line in first]
    are_numbers = all(_NUMBER.fullmatch(row[0]) or _NO_WORD.fullmatch(row[0]) for row in rows)
    if rows and len(rows[0]) > 1 and are_numbers and _FIRST.fullmatch(rows[0][0]):
        return _Columns(1, 0, has_tabs, True)
    if any(line.startswith("#begin document") for line in head):
        return _Columns(3, None, has_tabs, True)
    return _Columns(0, None, has_tabs, False)


def _cells(line: str, has_tabs: bool) -> list[str]:
    # Other white space, such as that in "10 000", is part of a word.
    return line.split("\t") if has_tabs else re.split("[ \t]+", line.strip(" \t"))


def _word(line: str, columns: _Columns, place: str) -> str:
    """The word of a line, "" if it is a range or an empty node."""
    cells = _cells(line, columns.has_tabs)
    number = "1" if columns.number is None else "".join(cells[columns.number : columns.number + 1])
    if _NO_WORD.fullmatch(number):
        return ""
    word = "".join(cells[columns.word : columns.word + 1]).strip()
    if word and _NUMBER.fullmatch(number):
        return word
    between = "tabs" if columns.has_tabs else "blanks"
    expected = f"a word in column {columns.word + 1} of those between {between}"
    if columns.number is not None:
        expected += f", and its number, such as 1, 1-2 or 1.1, in column {columns.number + 1}"
    raise _core.FormatError(
        f"{place}: expected {expected}, found {line[:40]!r}; write all columns in each line, "
        "and _ in those without a value"
    )
