"""Running text to events as pyndl 1.2.4 makes them, event by event; and where it differs, why.

pyndl is an extra (`pip install rescorla[bench]`): without it these tests are skipped. It leaves open in which
order the names of an event come, so events are compared as pairs of sets.
"""

import gzip
import itertools
import lzma
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import corpus_reference
import pytest
import rescorla as rw

# Any text will do here, and some of it looks like a table or is empty.
pytestmark = pytest.mark.filterwarnings("ignore:.*this (looks like|file is empty)")

preprocess = pytest.importorskip(
    "pyndl.preprocess", reason="pyndl is not installed: pip install rescorla[bench]"
)

SetsOfNames = tuple[frozenset[str], frozenset[str]]

CUES = {"trigrams": "trigrams_to_word", "bigrams": "bigrams_to_word", "words": "word_to_word"}
WINDOWS: dict[str, Callable[[Any], Any]] = {
    "consecutive_words": lambda options: options[0],
    "word_to_word": lambda options: options,
    "line": lambda options: "context",
}


def is_letter(character: str) -> bool:
    """A callable that says which symbols are allowed."""
    return character.isalpha() or character == "'"


class Case(NamedTuple):
    """The options of `create_event_file` that matter here, by pyndl's names."""

    structure: str
    options: Any
    cues: str
    symbols: Any = "all"
    context: str = "document"
    lower: bool = True

    def __str__(self) -> str:
        symbols = self.symbols.__name__ if callable(self.symbols) else self.symbols
        n = "" if self.options is None else "-".join(map(str, self.options))
        case = "lower" if self.lower else "as it is"
        return f"{self.structure}{n}, {self.cues}, {symbols}, {self.context}, {case}"

    def pyndl(self) -> dict[str, Any]:
        """The options as `create_event_file` takes them."""
        return {
            "allowed_symbols": self.symbols,
            "context_structure": self.context,
            "event_structure": self.structure,
            "event_options": self.options,
            "cue_structure": CUES[self.cues],
            "lower_case": self.lower,
        }

    def rescorla(self) -> dict[str, Any]:
        """The options as `corpus_events` takes them."""
        # Here pyndl's consecutive words are cues to nothing.
        without_outcomes = self.structure == "consecutive_words" and self.cues == "words"
        return {
            "cues_from": self.cues,
            "outcomes_from": None if without_outcomes else "words",
            "window": WINDOWS[self.structure](self.options),
            "context": self.context,
            "symbols": None if self.symbols == "all" else self.symbols,
            "lower": self.lower,
        }


def pyndl_events(text: Path, folder: Path, **options: Any) -> Iterator[SetsOfNames]:
    """The events of a text file as pyndl makes them; an empty cell has no names."""
    table = folder / "events.tab.gz"
    table.unlink(missing_ok=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*are special symbols and were therefore removed")
        preprocess.create_event_file(str(text), str(table), **options)
    with gzip.open(table, "rt", encoding="utf-8", newline="\n") as lines:
        next(lines)
        for line in lines:
            cues, outcomes = (frozenset(cell.split("_")) - {""} for cell in line[:-1].split("\t"))
            yield cues, outcomes


def as_sets(events: Any) -> Iterator[SetsOfNames]:
    """Events without the order of their names."""
    return ((frozenset(cues), frozenset(outcomes)) for cues, outcomes, _ in events)


def assert_same(found: Iterator[SetsOfNames], expected: Iterator[SetsOfNames]) -> None:
    """The same events in the same order, and some."""
    n = 0
    for n, (ours, theirs) in enumerate(itertools.zip_longest(found, expected), start=1):
        assert ours == theirs, f"event {n}: {ours}, in pyndl {theirs}"
    assert n > 10


@pytest.fixture(scope="module")
def bible(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The King James text: 31,102 verses, one a line."""
    text = tmp_path_factory.mktemp("bible") / "kjv.txt"
    text.write_bytes(lzma.decompress((shared / "data" / "kjv.txt.xz").read_bytes()))
    return text


@pytest.fixture(scope="module")
def verses(bible: Path) -> dict[str, Path]:
    """The first 3,110 verses by context; for documents there is a mark every hundred."""
    lines = bible.read_text(encoding="utf-8").splitlines(keepends=True)[:3110]
    marked = list(lines)
    for i in range(3100, 0, -100):
        marked.insert(i, MARKS[i // 100 % 2] + "\n")
    return by_context(bible.parent, "".join(lines), "".join(marked))


def by_context(folder: Path, lines: str, documents: str) -> dict[str, Path]:
    """Texts by context. In the context of lines pyndl takes the mark of documents for a word."""
    paths = {context: folder / f"{context}.txt" for context in ("line", "document")}
    paths["line"].write_text(lines, encoding="utf-8", newline="")
    paths["document"].write_text(documents, encoding="utf-8", newline="")
    return paths


ALPHABETS = [
    "абвгдежзиѐё́АБЁЖ",
    "აბგდევზთჯᲐᲑᲒ",
    "가나다말한국어읽",
    "\u1100\u1112\u1161\u1175\u11ab\u11af",
    "aeou\u0301\u0308\u0323\u0327n\u0303AE",
    "αβγσςΑΒΣ\u0301",
    "שלום\u05b0\u05b8\u05c1",
    "क्षमानिा\u094d",
    "iıİIßẞSſﬁ",
    "漢字ひらがな",
    "𐐀𐐨𝒳🙂👩\u200d👩\u200d👧",
    "abcxyzABC'019-&.,;!?()[]…»“",
]
SPACES = [" "] * 8 + ["  ", "\t", "_", "#", " # ", "\n", "\n\n", "\r\n", "\r", " \n "]
MARKS = ["---end.of.document---", "---END.OF.DOCUMENT---"]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Words of many scripts by context; for documents with marks beside and inside of words."""
    rng = random.Random(1)
    lines, documents = [], []
    for _ in range(10_000):
        word = "".join(rng.choices(rng.choice(ALPHABETS), k=rng.randrange(1, 8)))
        space = rng.choice(SPACES)
        lines += [word, space]
        at = rng.randrange(len(word) + 1)
        documents += [word[:at], rng.choice(MARKS) if rng.random() < 0.01 else "", word[at:], space]
    return by_context(tmp_path_factory.mktemp("scripts"), "".join(lines), "".join(documents))


WHOLE = [
    Case("consecutive_words", (1,), "trigrams"),
    Case("consecutive_words", (3,), "trigrams", "a-zA-Z'", "line", lower=False),
    Case("word_to_word", (1, 1), "words", "a-z"),
]
STRUCTURES = [
    *(Case("consecutive_words", (n,), cues) for n in (1, 2, 3) for cues in ("trigrams", "bigrams", "words")),
    *(Case("word_to_word", window, "words") for window in ((1, 1), (2, 0), (0, 2), (3, 2))),
    *(Case("line", None, cues) for cues in CUES),
]
VARIANTS = [
    *(case._replace(context=context) for case in STRUCTURES for context in ("line", "document")),
    *(
        Case("consecutive_words", (2,), "bigrams", symbols, context, lower)
        for symbols in ("a-z", "a-zA-Z'", is_letter)
        for context in ("line", "document")
        for lower in (True, False)
    ),
]


@pytest.mark.parametrize("case", WHOLE, ids=str)
def test_the_events_of_the_bible_are_those_of_pyndl(case: Case, bible: Path, tmp_path: Path) -> None:
    found = rw.corpus_events(bible, **case.rescorla())
    assert_same(as_sets(found), pyndl_events(bible, tmp_path, **case.pyndl()))


@pytest.mark.filterwarnings("ignore:symbols.* cuts")
@pytest.mark.parametrize("case", VARIANTS, ids=str)
def test_each_structure_gives_the_events_of_pyndl(
    case: Case, verses: dict[str, Path], tmp_path: Path
) -> None:
    text = verses[case.context]
    found = rw.corpus_events(text, **case.rescorla())
    assert_same(as_sets(found), pyndl_events(text, tmp_path, **case.pyndl()))


@pytest.mark.filterwarnings("ignore:symbols.* cuts")
@pytest.mark.parametrize("case", VARIANTS, ids=str)
def test_each_script_gives_the_events_of_pyndl(case: Case, scripts: dict[str, Path], tmp_path: Path) -> None:
    text = scripts[case.context]
    found = rw.corpus_events(text, **case.rescorla())
    assert_same(as_sets(found), pyndl_events(text, tmp_path, **case.pyndl()))


@pytest.mark.parametrize("case", VARIANTS, ids=str)
def test_the_specification_gives_the_events_of_pyndl(
    case: Case, scripts: dict[str, Path], tmp_path: Path
) -> None:
    text = scripts[case.context]
    found = corpus_reference.corpus_events([text.read_bytes().decode(encoding="utf-8")], **case.rescorla())
    assert_same(as_sets(found), pyndl_events(text, tmp_path, **case.pyndl()))


# Where the two differ, each by design.


def both(text: str, folder: Path, case: Case, **other: Any) -> tuple[list[SetsOfNames], list[SetsOfNames]]:
    """The events of a text by rescorla and by pyndl."""
    path = folder / "text.txt"
    path.write_text(text, encoding="utf-8", newline="")
    ours = rw.corpus_events(path, **case.rescorla() | other)
    return list(as_sets(ours)), list(pyndl_events(path, folder, **case.pyndl()))


def of_words(*words: str) -> list[SetsOfNames]:
    """Events of one word each, which is its own cue."""
    return [(frozenset([word]), frozenset([word])) for word in words]


LINE_OF_WORDS = Case("line", None, "words", context="line")


@pytest.mark.parametrize("space", "\u00a0\u2003\u2028\u3000\x0b\x85", ids=ascii)
def test_all_white_space_separates_words_and_in_pyndl_the_blank_does(space: str, tmp_path: Path) -> None:
    ours, theirs = both(f"a{space}b", tmp_path, LINE_OF_WORDS)
    assert ours == [(frozenset("ab"), frozenset("ab"))]
    assert theirs == of_words(f"a{space}b")


def test_control_characters_are_letters_and_pyndl_strips_some(tmp_path: Path) -> None:
    # U+001C to U+001F are white space in Python, not in Unicode.
    ours, theirs = both("\x1ca\x1fb\x1d", tmp_path, LINE_OF_WORDS)
    assert ours == of_words("\x1ca\x1fb\x1d")
    assert theirs == of_words("a\x1fb")


def test_the_dots_of_the_mark_are_dots_and_in_pyndl_any_character(tmp_path: Path) -> None:
    case = Case("word_to_word", (1, 0), "words")
    ours, theirs = both("a ---end of document--- b", tmp_path, case)
    assert len(ours) == 4
    assert theirs == []


def test_the_mark_is_never_a_word_and_in_pyndl_lines_it_is(tmp_path: Path) -> None:
    ours, theirs = both("a ---end.of.document--- b", tmp_path, LINE_OF_WORDS)
    assert ours == of_words("a", "b")
    assert theirs == [(frozenset(["a", "---end.of.document---", "b"]),) * 2]


def test_the_grams_of_neighbours_are_theirs_and_in_pyndl_also_those_of_the_word(tmp_path: Path) -> None:
    ours, theirs = both("a b c", tmp_path, Case("word_to_word", (1, 1), "bigrams"))
    assert [sorted(cues) for cues, _ in ours] == [["#b", "b#"], ["#a", "#c", "a#", "c#"], ["#b", "b#"]]
    assert [sorted(outcomes) for _, outcomes in ours] == [["a"], ["b"], ["c"]]
    # The cues of pyndl hold the answer, and its outcomes the question.
    assert [sorted(cues) for cues, _ in theirs] == [
        ["#a", "#b", "a#", "b#"],
        ["#a", "#b", "#c", "a#", "b#", "c#"],
        ["#b", "#c", "b#", "c#"],
    ]
    assert [sorted(outcomes) for _, outcomes in theirs] == [["a", "b"], ["a", "b", "c"], ["b", "c"]]


def test_words_that_are_cues_have_outcomes_unless_none_are_wanted(tmp_path: Path) -> None:
    case = Case("consecutive_words", (2,), "words")
    ours, theirs = both("a b", tmp_path, case, outcomes_from="words")
    assert ours == [(frozenset(words),) * 2 for words in ("a", "ab", "b")]
    assert theirs == [(frozenset(words), frozenset()) for words in ("a", "ab", "b")]


def test_letters_hold_combining_marks_and_in_pyndl_they_do_not(tmp_path: Path) -> None:
    ours, theirs = both(
        "\u0928\u092e\u0938\u094d\u0924\u0947", tmp_path, LINE_OF_WORDS._replace(symbols=r"\w")
    )
    assert ours == of_words("\u0928\u092e\u0938\u094d\u0924\u0947")
    assert theirs == [(frozenset(["\u0928\u092e\u0938", "\u0924"]),) * 2]
