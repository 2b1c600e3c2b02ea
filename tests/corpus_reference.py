"""Running text to events in plain Python: what `corpus_events` does, readable as a specification.

    corpus -> documents -> contexts -> words -> windows -> names

Words are lists of str all the way from a context to an event; nothing here is fast.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from reference import Duplicates, Event, normalised

Names: TypeAlias = str | Iterable[str]
# What the words of an event have as cues or outcomes; several specs give their names one after another.
Spec: TypeAlias = str | int | Mapping[str, Names] | Callable[[str], Names] | Path | Sequence["Spec"] | None
Context: TypeAlias = Literal["line", "sentence", "paragraph", "document"]
Window: TypeAlias = int | tuple[int, int] | Literal["context"] | None
Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
Symbols: TypeAlias = str | Callable[[str], bool] | None
Unknown: TypeAlias = Literal["error", "ignore", "keep"]
# The words of an event that have cues, and those that have outcomes: runs of neighbouring words.
Occurrence: TypeAlias = tuple[list[list[str]], list[list[str]]]

SENTENCE_END = ".?!…。！？"
DOCUMENT_END = "---end.of.document---"
LETTERS = {"unigrams": 1, "bigrams": 2, "trigrams": 3}

LINE_END = r"(?:\r\n|\n|\r(?!\n))"
# Unicode's property White_Space, which Python's str.isspace is not: that holds U+001C to U+001F too.
WHITE_SPACE = frozenset(
    map(chr, [*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)])
) | frozenset("\u2028\u2029\u202f\u205f\u3000")
# Space of no width, in scripts that have no blanks between words.
ZERO_WIDTH_SPACE = "\u200b"
# Soft hyphen, marks of direction, word joiner, byte order mark: readers do not see them.
INVISIBLE = frozenset(
    "\xad\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
BLANK = f"[{''.join(sorted(WHITE_SPACE - {chr(10), chr(13)}))}]*"


def corpus_events(
    documents: Iterable[str],
    *,
    cues_from: Spec = "trigrams",
    outcomes_from: Spec = "words",
    window: Window = None,
    mask: bool = False,
    context: Context = "line",
    across: bool = True,
    symbols: Symbols = None,
    lower: bool = True,
    normalize: Form | None = None,
    boundary: str = "#",
    stop_words: Iterable[str] = (),
    vocabulary: Iterable[str] | None = None,
    sentence_end: str = SENTENCE_END,
    unknown: Unknown = "error",
    duplicates: Duplicates = "drop",
    background: str | None = None,
) -> list[Event]:
    """The events of documents: the texts of files, or of an iterable's items if documents are contexts."""

    def form(run: str) -> str:
        run = "".join(c for c in run if c not in INVISIBLE)
        normal = unicodedata.normalize(normalize, run) if normalize else run
        return normal.lower() if lower else normal

    found = [
        words(text, symbols, boundary)
        for document in documents
        for part in parts(document)
        for text in contexts(part, context, form, sentence_end)
    ]
    return events_of_words(
        found,
        cues_from=cues_from,
        outcomes_from=outcomes_from,
        window=window,
        mask=mask,
        across=across,
        boundary=boundary,
        stop_words=stop_words,
        vocabulary=vocabulary,
        unknown=unknown,
        duplicates=duplicates,
        background=background,
    )


def events_of_words(
    contexts: Iterable[list[str]],
    *,
    cues_from: Spec = "trigrams",
    outcomes_from: Spec = "words",
    window: Window = None,
    mask: bool = False,
    across: bool = True,
    boundary: str = "#",
    stop_words: Iterable[str] = (),
    vocabulary: Iterable[str] | None = None,
    unknown: Unknown = "error",
    duplicates: Duplicates = "drop",
    background: str | None = None,
) -> list[Event]:
    """The events of contexts that are cut into words."""
    kept = [
        [word for word in words if word not in stop_words and (vocabulary is None or word in vocabulary)]
        for words in contexts
    ]
    events: list[Event] = [
        (
            tuple(names(with_cues, cues_from, across=across, boundary=boundary, unknown=unknown)),
            tuple(names(with_outcomes, outcomes_from, across=across, boundary=boundary, unknown=unknown)),
            1,
        )
        for context in kept
        for with_cues, with_outcomes in occurrences(context, window)
    ]
    if mask:
        events = [event for masked in events for event in masked_events(masked)]
    return normalised(events, duplicates, background)


def masked_events(event: Event) -> Iterator[Event]:
    """An event for each outcome, with the cues of other names; none where there is no such cue."""
    cues, outcomes, frequency = event
    for outcome in dict.fromkeys(outcomes):
        if others := tuple(cue for cue in cues if cue != outcome):
            yield others, (outcome,), frequency


# Corpus to documents.


def document_of_lines(lines: Iterable[str]) -> str:
    """The one document that lines make. The line end that a line comes with, as a file's do, is its own."""
    return "".join(re.sub(rf"{LINE_END}\Z", "", line) + "\n" for line in lines)


def parts(document: str) -> list[str]:
    """What stands between the marks, which are found anywhere, in lower or upper case as a whole."""
    return re.split("|".join(map(re.escape, [DOCUMENT_END, DOCUMENT_END.upper()])), document)


# Documents to contexts.


def contexts(
    document: str,
    context: Context,
    form: Callable[[str], str] = str,
    sentence_end: str = SENTENCE_END,
) -> list[str]:
    """The lines, sentences or paragraphs of a document, or the document as a whole, in the form wanted.

    That is the form of each run of characters without white space: no letter has an effect on another across
    white space.
    """
    paragraphs = re.split(f"{LINE_END}(?:{BLANK}{LINE_END})+", document)
    if context == "sentence":
        return [text for paragraph in paragraphs for text in sentences(paragraph, form, sentence_end)]
    texts = {"line": re.split(LINE_END, document), "paragraph": paragraphs, "document": [document]}
    return [" ".join(map(form, runs_of(text))) for text in texts[context]]


def contexts_of_lines(lines: Iterable[list[str]], context: Context) -> list[list[str]]:
    """Contexts of lines that are cut into words: nothing in them is a mark or the end of a sentence."""
    if context in ("line", "document"):
        return list(lines)
    contexts: list[list[str]] = [[]]
    for line in lines:
        if not line:
            contexts.append([])
        contexts[-1].extend(line)
    return contexts


def runs_of(text: str) -> list[str]:
    """What stands between white space."""
    return "".join(" " if c in WHITE_SPACE or c == ZERO_WIDTH_SPACE else c for c in text).split(" ")


def sentences(
    paragraph: str, form: Callable[[str], str] = str, sentence_end: str = SENTENCE_END
) -> Iterator[str]:
    """The sentences of a paragraph, in which line ends are white space."""
    pieces: list[str] = []
    for run in runs_of(paragraph):
        for piece in re.findall(f"{inner_end(sentence_end)}|.+", form(run), re.DOTALL):
            pieces.append(piece)
            if ends_sentence(piece, sentence_end):
                yield " ".join(pieces)
                pieces = []
    yield " ".join(pieces)


def inner_end(sentence_end: str) -> str:
    """A pattern of text up to and with a mark that ends a sentence even where no white space follows.

    Ideographic full stops do, and all that is not ASCII; 3.14 and example.org stay whole. Further marks, and
    quotes and brackets that close, belong to the sentence.
    """
    inner = "".join(re.escape(mark) for mark in sentence_end if not mark.isascii())
    closers = "".join(re.escape(c) for c in {*CLOSERS, *sentence_end})
    return f".*?[{inner}][{closers}]*" if inner else "(?!)"


def ends_sentence(run: str, sentence_end: str) -> bool:
    """Whether text up to a white space ends a sentence: with a mark and then nothing but what closes."""
    bare = run.rstrip("".join(CLOSERS - set(sentence_end)))
    return bare != "" and bare[-1] in sentence_end


CLOSERS = frozenset(
    c for c in map(chr, range(0x110000)) if c in "\"'" or unicodedata.category(c) in ("Pf", "Pe")
)


# Contexts to words.


def words(text: str, symbols: Symbols = None, boundary: str = "#") -> list[str]:
    """The words of a text: what stands between the characters that separate."""
    cut = "".join(" " if separates(c, symbols, boundary) else c for c in text)
    return [word for word in cut.split(" ") if word]


def separates(character: str, symbols: Symbols, boundary: str) -> bool:
    """White space, `_`, the boundary's characters and all that is not among the symbols separate words."""
    if character in WHITE_SPACE or character == "_" or character in boundary:
        return True
    if symbols is None:
        return False
    return not (symbols(character) if callable(symbols) else re.fullmatch(f"[{symbols}]", character))


# Words to events.


def occurrences(context: list[str], window: Window = None) -> Iterator[Occurrence]:
    """The events of a context."""
    if window == "context":
        if context:
            yield [context], [context]
    elif isinstance(window, tuple):
        before, after = window
        for i, word in enumerate(context):
            neighbours = [context[max(i - before, 0) : i], context[i + 1 : i + 1 + after]]
            if any(neighbours):
                yield neighbours, [[word]]
    else:
        # The window slides in at the start and out at the end: (A), (A B), (A B C), (B C D), (C D), (D).
        n = min(window or 1, len(context))
        for last in range(len(context) + n - 1):
            seen = context[max(last - n + 1, 0) : last + 1]
            yield [seen], [seen]


def names(
    runs: Sequence[list[str]],
    spec: Spec,
    *,
    across: bool = True,
    boundary: str = "#",
    unknown: Unknown = "error",
) -> list[str]:
    """The names that the words of an event have."""
    if spec is None:
        return []
    if isinstance(spec, list | tuple):
        return [
            name
            for one in spec
            for name in names(runs, one, across=across, boundary=boundary, unknown=unknown)
        ]
    n = LETTERS.get(spec) if isinstance(spec, str) else spec
    if isinstance(n, int):
        return [
            gram for frame in frames(runs, n, across=across, boundary=boundary) for gram in ngrams(frame, n)
        ]
    return [name for run in runs for word in run for name in names_of_word(word, spec, unknown)]


def names_of_word(word: str, spec: Spec, unknown: Unknown = "error") -> list[str]:
    """The names of a word by itself."""
    if spec == "words":
        return [word]
    if callable(spec):
        return as_list(spec(word))
    table = spec if isinstance(spec, Mapping) else read_table(spec)
    if word in table:
        return as_list(table[word])
    if unknown == "error":
        raise KeyError(word)
    return [word] if unknown == "keep" else []


def as_list(names: Names) -> list[str]:
    """Several names, or a str of names joined by `_`, of which an empty one has none."""
    if isinstance(names, str):
        return names.split("_") if names else []
    return list(names)


def read_table(path: object) -> dict[str, list[str]]:
    """A table of two columns: words, and their names joined by `_`."""
    assert isinstance(path, Path), path
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {word: joined.split("_") for word, joined in rows}


def frames(runs: Sequence[list[str]], n: int, *, across: bool, boundary: str) -> Iterator[str]:
    """The strings of which n-grams are taken: words with their boundaries, joined where n-grams run across.

    Where some words of an event are not neighbours of the others, no n-gram runs across the gap.
    """
    for run in runs:
        if n == 1:
            yield "".join(run)
        elif across and run:
            yield boundary + "".join(word + boundary for word in run)
        elif not across:
            yield from (boundary + word + boundary for word in run)


def ngrams(frame: str, n: int) -> list[str]:
    """All runs of n letters, a letter being a code point."""
    return [frame[i : i + n] for i in range(len(frame) - n + 1)]
