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
    """A file at a glance: what it is; its first line, quoted; its cells, if it looks like a table.

    `counts` is its only column besides cues and outcomes, if it has whole numbers.
    """

    kind: str
    first: str
    columns: list[str]
    counts: str | None = None

    def reads_as_table(self, named: bool) -> bool:
        """Whether it is read as an event table; `named`: the caller says which columns are which."""
        return self.kind == "table" or (named and self.kind in ("unnamed", "conllu", "conll", "text"))


class Cures(NamedTuple):
    """What users can do about a file that is not what was expected, in the words of the place they are at."""

    text: str
    unnamed: str
    events: str
    weights: str
    frequency: str
    plain: str


PYTHON = Cures(
    text="rescorla.corpus_events makes events of it",
    unnamed='columns={"cues": 0, "outcomes": 1} says which columns they are, with header=False where '
    "line 1 is an event already",
    events="rescorla.open_events opens it",
    weights="rescorla.load_weights reads weights",
    frequency='columns={{"frequency": {0!r}}} takes it for frequency',
    plain='format="text" reads it as running text',
)

NOUNS = {
    "events": "a binary event file",
    "table": "an event table",
    "unnamed": "what looks like a table",
    "text": "running text",
    "subtitles": "subtitles in the XML of OpenSubtitles",
    "captions": "subtitles",
    "chat": "a transcript in CHAT",
    "conllu": "CoNLL-U",
    "conll": "a relative of CoNLL-U",
    "json": "JSON",
    "html": "HTML or XML",
    "rtf": "rich text (RTF)",
    "packed": "a binary event file that is compressed",
    "compressed": "a compressed file of a kind that is not read",
    "weights": "weights, or another file of arrays",
    "frames": "a file of data frames",
    "picture": "a picture",
    "archive": "a zip archive, as spreadsheets and documents are",
    "empty": "an empty file",
    "utf16": "text in UTF-16",
}

# The format of text that content shows.
FORMATS = {
    "text": "text",
    "empty": "text",
    "subtitles": "subtitles",
    "captions": "subtitles",
    "chat": "chat",
    "conllu": "conllu",
    "conll": "conll",
}

# What text is not, whoever says so.
_NO_TEXT = ("events", "weights", "frames", "packed", "compressed", "picture", "archive", "utf16")

_CURES = {
    "json": "give its texts in Python: "
    'rescorla.corpus_events(json.loads(line)["text"] for line in open(...))',
    "html": "save it as plain text, as pandoc -t plain does",
    "rtf": "save it as plain text",
    "packed": "decompress it first",
    "compressed": "decompress it first, or pack it as gz, zst or xz",
    "frames": "read it with pandas, polars or pyarrow, and give the data frame",
    "picture": "give the file of events or text",
    "archive": "save the table in it as .csv or as text, with tabs between the cells",
    "empty": "give a file that has events or text",
    "utf16": "save the file as UTF-8",
}


def look(path: str) -> Look:
    """What a file is."""
    return Look(*_core.look(path))


def _cure(kind: str, words: Cures) -> str:
    own = words._asdict()
    return _CURES.get(kind) or own.get(kind) or words.text


def not_a_table(path: str, seen: Look, words: Cures) -> str:
    """What to say of a file that was expected to be an event table."""
    cure = _cure(seen.kind, words)
    if seen.kind == "unnamed":
        return (
            f"{path}, line 1: expected the columns cues and outcomes of an event table, found {seen.first}; "
            f"this looks like a table: {cure}"
        )
    expected = "an event table"
    if seen.kind == "text":
        expected += ", whose first line names the columns cues and outcomes"
    return f"{path}: expected {expected}, found {NOUNS[seen.kind]}; {cure}"


def text_format(said: str | None, files: Iterable[tuple[str, Look]], words: Cures) -> str:
    """The format of files of text: what a caller said, or what the content of the files shows.

    ValueError where a file is no text, or where files have different formats.
    """
    first: tuple[str, str] | None = None
    for file, seen in files:
        kind = seen.kind
        if kind in _NO_TEXT or (said is None and kind in _CURES and kind != "empty"):
            plain = "" if kind in _NO_TEXT else f"; {words.plain}"
            raise ValueError(
                f"{file}: expected running text, found {NOUNS[kind]}; {_cure(kind, words)}{plain}"
            )
        if kind == "empty":
            continue
        found = FORMATS.get(kind, "text")
        if said is None and first is not None and found != first[1]:
            raise ValueError(
                f"{file}: expected the format of {first[0]}, which is {first[1]!r}, found {NOUNS[kind]}; "
                "read files of different formats one after another, and join their events"
            )
        first = first or (file, found)
    return said or (first[1] if first else "text")


def warn_of_counts(where: str, columns: Iterable[object], words: Cures, counts: str | None = None) -> None:
    """Warn of a column of counts that is not read for its name: `counts`, or a usual one."""
    names = [str(name) for name in columns]
    if any(name.lower() == "frequency" for name in names):
        return
    found = next((name for name in names if name.lower() in _COUNTS), counts)
    if found is not None:
        cure = words.frequency.format(found)
        warn(f"{where}: the column {found!r} is not read, and each row counts as one token; {cure}")


def looks_at(files: Sequence[PathName]) -> list[tuple[str, Look]]:
    """The first files of a corpus and what they are. Whoever reads the others says what is wrong."""
    found = []
    for file in map(path_name, files[:_MOST_FILES]):
        try:
            found.append((file, look(file)))
        except (OSError, ValueError):
            continue  # And a pipe is not to be looked at.
    return found


def warn_of_text(seen: Sequence[tuple[str, Look]], n_files: int) -> None:
    """Warn of files that are read as running text and do not look like it."""
    for file, each in seen:
        if each.kind in ("table", "unnamed"):
            warn(
                f"{file}: this looks like a table, and is read as running text; line 1 is {each.first}; "
                f"rescorla.read_events reads event tables, and {PYTHON.plain} without this warning"
            )
        elif each.kind == "empty" and n_files == 1:
            warn(f"{file}: this file is empty, and gives no events; give one that has text")
