"""What files are, told by their content, and what to say where one is not what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import rescorla._core as _core
from rescorla._shared.checks import PathName, path_name
from rescorla._shared.warn import warn

# Of more files a corpus is taken to be what the first ones are.
_MOST_FILES = 100

_COUNTS = frozenset({"freq", "freqs", "frequencies", "count", "counts"})


class Look(NamedTuple):
    """A file at a glance: what it is; its first line, quoted; its cells, if it looks like a table."""

    kind: str
    first: str
    columns: list[str]

    def reads_as_table(self, named: bool) -> bool:
        """Whether it is read as an event table; `named`: the caller says which columns are which."""
        return self.kind == "table" or (named and self.kind in ("unnamed", "conllu", "text"))


class Words(NamedTuple):
    """What users can do about a file that is no event table, in the words of the place where they are."""

    text: str
    unnamed: str
    conllu: str
    weights: str
    packed: str
    picture: str
    archive: str
    empty: str
    utf16: str
    frequency: str


PYTHON = Words(
    text="rescorla.corpus_events makes events of running text",
    unnamed='columns={"cues": 0, "outcomes": 1} says which columns they are, with header=False where '
    "line 1 is an event already",
    conllu='rescorla.corpus_events(..., format="conllu") makes events of it',
    weights="rescorla.load_weights reads weights",
    packed="decompress it first",
    picture="give the file of events",
    archive="save the table in it as .csv or as text, with tabs between the cells",
    empty="give a file that has events",
    utf16="save the file as UTF-8",
    frequency='columns={{"frequency": {0!r}}} takes it for frequency',
)

NOUNS = {
    "events": "a binary event file",
    "table": "an event table",
    "unnamed": "what looks like a table",
    "conllu": "what looks like CoNLL-U",
    "text": "running text",
    "packed": "a binary event file that is compressed",
    "weights": "weights, or another file of arrays",
    "picture": "a picture",
    "archive": "a zip archive, as spreadsheets and documents are",
    "empty": "an empty file",
    "utf16": "text in UTF-16",
}


def look(path: str) -> Look:
    """What a file is."""
    return Look(*_core.look(path))


def not_a_table(path: str, seen: Look, words: Words) -> str:
    """What to say of a file that was expected to be an event table."""
    cure = getattr(words, seen.kind)
    if seen.kind in ("unnamed", "conllu"):
        noun = "CoNLL-U" if seen.kind == "conllu" else "a table"
        return (
            f"{path}, line 1: expected the columns cues and outcomes of an event table, found {seen.first}; "
            f"this looks like {noun}: {cure}"
        )
    expected = "an event table"
    if seen.kind == "text":
        expected += ", whose first line names the columns cues and outcomes"
    return f"{path}: expected {expected}, found {NOUNS[seen.kind]}; {cure}"


def warn_of_counts(where: str, columns: Iterable[object], words: Words) -> None:
    """Warn of a column of counts that does not have the name by which it would be read."""
    names = [str(name) for name in columns]
    if any(name.lower() == "frequency" for name in names):
        return
    found = next((name for name in names if name.lower() in _COUNTS), None)
    if found is not None:
        cure = words.frequency.format(found)
        warn(f"{where}: the column {found!r} is not read, and each row counts as one token; {cure}")


def warn_of_text(files: Sequence[PathName]) -> None:
    """Warn of files that are read as running text and do not look like it."""
    for file in map(path_name, files[:_MOST_FILES]):
        try:
            seen = look(file)
        except (OSError, ValueError):
            continue  # Whoever reads it says what is wrong; and a pipe is not to be looked at.
        if seen.kind in ("table", "unnamed"):
            warn(
                f"{file}: this looks like a table, and is read as running text; line 1 is {seen.first}; "
                "rescorla.read_events reads event tables"
            )
        elif seen.kind == "conllu":
            warn(f"{file}: this looks like CoNLL-U, and is read as running text; {PYTHON.conllu}")
        elif seen.kind == "empty" and len(files) == 1:
            warn(f"{file}: this file is empty, and gives no events; give one that has text")
