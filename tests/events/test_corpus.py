"""Running text: events are those of corpus_reference.py, for any options, threads and cuts into files."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import corpus_reference
import pytest
import reference
import rescorla as rw
import strategies as some
from corpus_reference import DOCUMENT_END, document_of_lines
from eventfiles import unmade
from hypothesis import given
from hypothesis import strategies as st
from reference import Event

# Any text will do here, and some of it looks like a table or is empty.
pytestmark = pytest.mark.filterwarnings("ignore:.*this (looks like|file is empty)")

Options = dict[str, Any]

# Unassigned characters are left out: Python's and Rust's tables of Unicode may differ in age. So is the byte
# order mark, which a file may begin with.
CHARACTERS = st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\ufeff")
# Few words, so that they repeat; letters whose case depends on neighbours, or whose lower case is longer.
WORDS = [
    "a",
    "A",
    "ab",
    "b",
    "the",
    "The",
    "ΑΣ",
    "σ",
    "İ",
    "ẞ",
    "ﬁ",
    "é",
    "e\u0301",
    "字",
    "Ა",
    "한",
    "\u1112\u1161",
]
SEPARATORS = [
    " ",
    "  ",
    "\t",
    "\u00a0",
    "\u2028",
    "\x0b",
    "\x0c",
    "\x1c",
    "_",
    "#",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\n \t\n",
    "\n\u3000\n",
    "\r\u00a0\x0b \u2028\r\n",
    "\u200b",
    "\xad",
    "\u200f",
    "\ufeff",
    "\u0301",
    "\u0650",
]
PUNCTUATION = [
    ".",
    ".",
    "?!",
    "…”.",
    "...",
    "…",
    "。",
    "！？",
    ",",
    "-",
    "'",
    '"',
    "’",
    "”",
    ")",
    "」",
    "(",
    "·",
]
MARKS = [
    DOCUMENT_END,
    DOCUMENT_END.upper(),
    DOCUMENT_END.title(),
    DOCUMENT_END[:-1],
    DOCUMENT_END[3:],
    "END",
    "end",
]


def texts(max_size: int = 30, *, marks: Sequence[str] = MARKS) -> st.SearchStrategy[str]:
    """Words, separators, punctuation and marks in any order; all Unicode now and then."""
    atoms = st.one_of(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
        st.sampled_from(WORDS),
        st.sampled_from(SEPARATORS),
        st.sampled_from([" ", *PUNCTUATION]),
        st.text(CHARACTERS, max_size=3),
        *([st.sampled_from(marks)] if marks else []),
    )
    return st.lists(atoms, min_size=min(4, max_size), max_size=max_size).map("".join)


def syllables(word: str) -> list[str]:
    """Pieces of two letters."""
    return [word[i : i + 2] for i in range(0, len(word), 2)]


def initial(word: str) -> str:
    """One name as a str, or none."""
    return word[0].replace("_", "")


TABLE = {"a": "A", "ab": ["a", "b_c"], "the": "the_article", "é": [], "b": "", "字": "zi"}
SPEC = st.one_of(
    st.sampled_from(["words", "trigrams", "bigrams", "unigrams", 1, 2, 3, 4, 7, TABLE, syllables, initial])
)
SPECS: st.SearchStrategy[Any] = st.one_of(SPEC, st.lists(SPEC, min_size=1, max_size=3), st.tuples(SPEC, SPEC))
WINDOWS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.integers(1, 5),
    st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any),
    st.just("context"),
)
CONTEXTS = st.sampled_from(["line", "sentence", "paragraph", "document"])
SYMBOLS = st.sampled_from([None, "a-z", "a-zA-Zα-ωÀ-ɏ'", "一-龥a-e.。", str.isalpha, str.islower])
STOP_WORDS = st.lists(st.sampled_from(WORDS), max_size=6)
VOCABULARY = st.lists(st.sampled_from(WORDS), min_size=8, unique=True)

# What says how contexts of words become events, and what says how texts become contexts of words.
OF_WORDS: dict[str, st.SearchStrategy[Any]] = {
    "cues_from": SPECS,
    "outcomes_from": st.one_of(SPECS, st.none()),
    "window": WINDOWS,
    "across": st.booleans(),
    "boundary": st.sampled_from(["#", "", "<>", "·", "e"]),
    "unknown": st.sampled_from(["error", "ignore", "keep"]),
    "duplicates": some.DUPLICATES,
    "background": st.sampled_from([None, "_always_"]),
}
OF_TEXT: dict[str, st.SearchStrategy[Any]] = {
    "context": CONTEXTS,
    "symbols": SYMBOLS,
    "lower": st.booleans(),
    "normalize": st.sampled_from([None, None, "NFC", "NFD", "NFKC", "NFKD"]),
    "stop_words": STOP_WORDS,
    "vocabulary": VOCABULARY,
    "sentence_end": st.sampled_from([".", ".;", "…", "·.", ")", ""]),
}


@st.composite
def some_options(draw: st.DrawFn, /, among: Options = OF_WORDS | OF_TEXT, **fixed: Any) -> Options:
    """A window, a context and a few other options: of all at once little would be left of a text."""
    others = draw(st.lists(st.sampled_from(sorted(among)), max_size=5, unique=True))
    names = dict.fromkeys([*(among.keys() & {"window", "context"}), *others])
    return {name: draw(among[name]) for name in sorted(names)} | fixed


OPTIONS = some_options()


def rows(events: Any) -> list[Event]:
    """Events as the reference has them."""
    return [(tuple(cues), tuple(outcomes), frequency) for cues, outcomes, frequency in events]


def assert_specified(found: Callable[[], rw.Events], expected: Callable[[], list[Event]]) -> None:
    """The events that the reference has, names in order of first appearance; or a KeyError as there."""
    try:
        wanted = expected()
    except KeyError:
        with pytest.raises(KeyError):
            found()
        return
    events = found()
    assert rows(events) == wanted
    if wanted:  # A background cue is known before the first event.
        assert (events.cues, events.outcomes) == reference.vocabularies(wanted)


def write(path: Path, text: str) -> Path:
    """A file of UTF-8 in which line ends are as they are."""
    path.write_text(text, encoding="utf-8", newline="")
    return path


# Of short texts and lists it is by chance whether they have a word in common, and what they look like.
by_chance = pytest.mark.filterwarnings(
    "ignore:.*(leaves? no word|takes no word|cuts|in two ways|are long|this file is empty)"
)


@by_chance
@given(texts(), OPTIONS)
def test_a_file_has_the_events_specified(folder: Path, text: str, options: Options) -> None:
    path = write(folder / "text.txt", text)
    assert_specified(
        lambda: rw.corpus_events(path, **options, format="text"),
        lambda: corpus_reference.corpus_events([text], **options),
    )


@by_chance
@given(st.lists(texts(), max_size=4), OPTIONS)
def test_lines_have_the_events_specified(lines: list[str], options: Options) -> None:
    # Where a document is the context, each item is one.
    documents = lines if options["context"] == "document" else [document_of_lines(lines)]
    for corpus in (lines, iter(lines)):
        assert_specified(
            lambda: rw.corpus_events(corpus, **options),  # noqa: B023
            lambda: corpus_reference.corpus_events(documents, **options),
        )


@by_chance
@given(st.lists(texts(), max_size=4), OPTIONS)
def test_documents_have_the_events_specified(folder: Path, documents: list[str], options: Options) -> None:
    expected = lambda: corpus_reference.corpus_events(documents, **options)  # noqa: E731
    # Sentences and paragraphs end at an empty line; it is a document, and a line, without events.
    apart = [line for document in documents for line in (document, "")]
    assert_specified(lambda: rw.corpus_events(apart, **options), expected)
    paths = [write(folder / f"{i}.txt", document) for i, document in enumerate(documents)]
    if paths:
        assert_specified(lambda: rw.corpus_events(paths, **options, format="text"), expected)


@by_chance
@given(
    st.lists(
        st.lists(
            st.one_of(st.sampled_from([*WORDS, *PUNCTUATION, "a_b c#"]), st.text(CHARACTERS, min_size=1))
        )
    ),
    some_options(OF_WORDS | {name: OF_TEXT[name] for name in ("stop_words", "vocabulary")}),
    CONTEXTS,
)
def test_words_that_are_given_stay_as_they_are(
    lines: list[list[str]], options: Options, context: Any
) -> None:
    contexts = corpus_reference.contexts_of_lines(lines, context)
    assert_specified(
        lambda: rw.corpus_events(lines, context=context, **options),
        lambda: corpus_reference.events_of_words(contexts, **options),
    )


def test_a_line_of_stop_words_is_no_empty_line() -> None:
    options: Options = {
        "stop_words": ["the"],
        "context": "paragraph",
        "window": "context",
        "cues_from": "words",
    }
    for corpus in (["a", "the", "b"], [["a"], ["the"], ["b"]]):
        assert [event.cues for event in rw.corpus_events(corpus, **options)] == [("a", "b")]


# A file is cut where its documents are, a mark in one case or the other between them.
@by_chance
@given(
    st.lists(texts(marks=[]), min_size=1, max_size=5),
    st.sampled_from([DOCUMENT_END, DOCUMENT_END.upper()]),
    some_options(OF_WORDS | OF_TEXT, unknown="ignore"),
)
def test_cuts_into_files_change_nothing(
    folder: Path, documents: list[str], mark: str, options: Options
) -> None:
    whole = write(folder / "whole.txt", f"\n{mark}\n".join(documents))
    paths = [write(folder / f"{i}.txt", document) for i, document in enumerate(documents)]
    rw.corpus_events(whole, folder / "whole.rw", **options)
    rw.corpus_events(paths, folder / "parts.rw", **options)
    assert unmade(folder / "parts.rw") == unmade(folder / "whole.rw")


@by_chance
@given(
    st.lists(st.one_of(texts(10).map(str.encode), st.binary(max_size=8)), max_size=8).map(b"".join),
    some_options(unknown="keep"),
)
def test_any_bytes_have_events_or_a_defect(folder: Path, content: bytes, options: Options) -> None:
    path = folder / "text.txt"
    path.write_bytes(content)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        with pytest.raises(rw.FormatError, match=r"text\.txt"):
            rw.corpus_events(path, **options, format="text")
    else:
        assert rows(rw.corpus_events(path, **options, format="text")) == corpus_reference.corpus_events(
            [text], **options
        )


# Long texts.


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3 MB of random text, which is read in many pieces: lines of all lengths, some documents."""
    rng = random.Random(1)
    atoms = [*WORDS * 8, *PUNCTUATION, *SEPARATORS, *[" "] * 60]
    pieces = ["".join(rng.choices(atoms, k=rng.choice([3, 30, 3000]))) for _ in range(200)]
    pieces.append("-".join(map(str, range(40_000))))
    path = tmp_path_factory.mktemp("long") / "text.txt"
    with path.open("w", encoding="utf-8", newline="") as file:
        while file.tell() < 3e6:
            file.write(rng.choice(pieces))
            file.write(rng.choice(["", "\n", "\n\n", " ", DOCUMENT_END]) if rng.random() < 0.5 else " ")
    return path


@by_chance
@pytest.mark.parametrize("context", ["line", "sentence", "paragraph", "document"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"window": 3, "across": True, "lower": False},
        {"window": (2, 1), "cues_from": ["words", "bigrams"], "normalize": "NFC"},
        {"window": "context", "cues_from": "words", "outcomes_from": syllables, "symbols": str.isalpha},
    ],
    ids=["words", "three", "neighbours", "contexts"],
)
def test_a_long_text_has_the_same_events_in_a_file_and_by_itself(
    long: Path, context: Any, options: Options
) -> None:
    text = long.read_bytes().decode()
    events = rw.corpus_events(long, context=context, **options)
    assert len(events) > 0
    assert events.digest == rw.corpus_events([text], context=context, **options).digest
    assert events.digest == rw.corpus_events(long, context=context, threads=3, **options).digest


# Files.


def test_a_context_too_long_to_be_one_event_is_refused_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("in the beginning\n---end.of.document---\n" + "a\n" * (2**24 + 1))
    with pytest.raises(rw.FormatError, match="contexts of at most 16777216 words") as refused:
        rw.corpus_events(path, window="context", context="document")
    assert str(refused.value).startswith(f"{path}, line {2**24 + 3}, ")
    assert len(rw.corpus_events(["a\n" * 9, "a"], window="context", context="document")) == 2
    assert len(rw.corpus_events(["a\n" * 9, "a"], window="context", context="paragraph")) == 1


def test_globs_and_folders_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("b.txt", "a.txt", "c.md", "below/a.txt"):
        write(tmp_path / name, Path(name).stem)
    assert rw.corpus_events(f"{tmp_path}/*.txt").outcomes == ("a", "b")
    assert rw.corpus_events(str(tmp_path)).outcomes == ("a", "b", "c")
    assert [event.outcomes for event in rw.corpus_events(tmp_path)] == [("a",), ("b",), ("a",), ("c",)]


def test_a_file_of_names_is_a_mapping(tmp_path: Path) -> None:
    table = write(tmp_path / "lemmas.tab", "was\tbe\nwent\tgo_past\nis\tbe\n")
    text = "It was, it is: we went"
    found = rw.corpus_events([text], symbols="a-z", outcomes_from=table, unknown="keep", window="context")
    assert found[0].outcomes == ("it", "be", "we", "go", "past")
    options: Options = {
        "outcomes_from": table,
        "unknown": "ignore",
        "cues_from": [table, "bigrams"],
        "window": 2,
    }
    assert_specified(
        lambda: rw.corpus_events([text], **options),
        lambda: corpus_reference.corpus_events([text], **options),
    )


def test_the_error_names_the_word_that_a_mapping_lacks() -> None:
    with pytest.raises(KeyError, match="word"):
        rw.corpus_events(["a word"], outcomes_from={"a": "x"})


def test_a_file_of_words_is_a_list(tmp_path: Path) -> None:
    words = write(tmp_path / "words.txt", "the\t12\nof\t3\n")
    text = ["The end of the word"]
    assert rw.corpus_events(text, stop_words=words).outcomes == ("end", "word")
    assert rw.corpus_events(text, vocabulary=words).outcomes == ("the", "of")


def test_a_byte_order_mark_is_none_of_the_text(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, "\ufeffa b") for name in ("1.txt", "2.txt")]
    assert rw.corpus_events(paths).outcomes == ("a", "b")


def test_lines_of_an_open_file_are_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "text.txt", "a b\nc\n\nd\n")
    options: Options = {"cues_from": "words", "context": "paragraph", "window": "context"}
    with path.open(encoding="utf-8") as lines:
        assert rows(rw.corpus_events(lines, **options)) == rows(
            rw.corpus_events(path, **options, format="text")
        )


def test_a_generator_is_read_as_it_comes() -> None:
    given: list[int] = []

    def lines() -> Iterator[str]:
        for i in range(3):
            given.append(i)
            yield f"word{i}"

    assert rw.corpus_events(lines()).outcomes == ("word0", "word1", "word2")
    assert given == [0, 1, 2]


# Names and characters that are lost.


def test_a_str_is_names_joined_wherever_it_stands(tmp_path: Path) -> None:
    table = write(tmp_path / "map.tab", "dog\tDOG_SG\nthe\t\n")
    said: list[Any] = [{"dog": "DOG_SG", "the": ""}, lambda word: {"dog": "DOG_SG", "the": ""}[word], table]
    said += [{"dog": ["DOG", "SG"], "the": ()}, lambda word: {"dog": ("DOG", "SG"), "the": []}[word]]
    for names in said:
        for side in ("cues", "outcomes"):
            events = rw.corpus_events(["the dog"], **{f"{side}_from": names}, window="context")
            assert getattr(events[0], side) == ("DOG", "SG")
    # Names that are given one by one stay as they are.
    assert rw.corpus_events(["dog"], outcomes_from={"dog": ["DOG_SG"]}).outcomes == ("DOG_SG",)


@pytest.mark.parametrize("names", ["DOG__SG", "_DOG", "DOG_", "_"])
def test_an_empty_name_among_others_is_refused(names: str) -> None:
    with pytest.raises(
        ValueError, match=f"outcomes_from maps 'dog' to '{names}', in which a name is empty; join"
    ):
        rw.corpus_events(["dog"], outcomes_from={"dog": names})
    with pytest.raises(ValueError, match=f'the word "dog" gives "{names}", in which a name is empty; join'):
        rw.corpus_events(["dog"], outcomes_from=lambda word: names)


def asked_of(corpus: Any, **options: Any) -> tuple[list[str], rw.Events]:
    """The characters that a function is asked about, and the events."""
    asked: list[str] = []

    def is_letter(character: str) -> bool:
        asked.append(character)
        return character.isalpha()

    return asked, rw.corpus_events(corpus, symbols=is_letter, **options)


def test_a_function_is_asked_about_the_characters_that_come() -> None:
    asked, events = asked_of(["The dog's 2 dogs", "the dog_Ä"])
    assert sorted(asked) == sorted(set("thedog's2ä"))
    assert events.outcomes == ("the", "dog", "s", "dogs", "ä")
    asked, _ = asked_of(["The dog"], lower=False)
    assert sorted(asked) == sorted(set("Thedog"))
    assert asked_of([])[0] == []


@by_chance
def test_a_function_is_asked_once_about_a_character_of_a_long_text(long: Path) -> None:
    asked, _ = asked_of(long, cues_from="words", window=2)
    assert len(asked) == len(set(asked))


def test_the_first_answer_about_a_character_holds() -> None:
    answers = iter([True])
    # Asked again it would raise StopIteration.
    events = rw.corpus_events(["aa a", "aaa"], symbols=lambda character: next(answers))
    assert events.outcomes == ("aa", "a", "aaa")


def test_what_a_function_of_characters_raises_is_raised(tmp_path: Path) -> None:
    def is_letter(character: str) -> bool:
        if character == "z":
            raise LookupError(f"what is {character}?")
        return True

    text = write(tmp_path / "text.txt", "a b\n" * 100_000 + "z\n")
    for corpus in (text, ["a b", "az"]):
        with pytest.raises(LookupError, match="what is z"):
            rw.corpus_events(corpus, symbols=is_letter)


@pytest.mark.parametrize("symbols", [None, "all", "*"])
def test_all_characters_may_be_symbols(symbols: str | None) -> None:
    assert rw.corpus_events(["all stars*, all"], symbols=symbols).outcomes == ("all", "stars*,")


@pytest.mark.parametrize("symbols", ["[a-z]", "[a-z]+", "[a-z]*"])
def test_brackets_about_symbols_are_left_out_with_a_warning(symbols: str) -> None:
    with pytest.warns(
        rw.RescorlaWarning, match=r"is taken for 'a-z', without the brackets; write 'a-z'"
    ) as seen:
        assert rw.corpus_events(["a [dog] +"], symbols=symbols).outcomes == ("a", "dog")
    assert seen[0].filename == __file__
    for literal in (r"\[a-z\]", "a-z[]"):
        assert rw.corpus_events(["a [dog]"], symbols=literal).outcomes == ("a", "[dog]")
    with pytest.raises(ValueError, match=r"'\[\^a-z\]' says which do not; name those that do"):
        rw.corpus_events(["a [dog]"], symbols="[^a-z]")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"symbols": "A-Z"},
            "symbols 'A-Z' leaves no word of the text; the text is lower-cased first:",
        ),
        ({"symbols": str.isupper}, "symbols leaves no word of the text; the text is lower"),
        (
            {"symbols": "0-9", "lower": False},
            "leaves no word of the text; name the characters that its",
        ),
        (
            {"vocabulary": ["Dog"]},
            "vocabulary leaves no word of the text: 'Dog' does not occur; the text",
        ),
        ({"vocabulary": ["cat", "cow"]}, "'cat', 'cow' do not occur; compare the spelling"),
        ({"vocabulary": [*"vwxyzq"]}, "'v', 'w', 'x', 'y', 'z' and 1 more do not occur"),
        (
            {"stop_words": ["The"]},
            "stop_words takes no word out of the text: 'The' does not occur; the",
        ),
        (
            {"stop_words": ["the", "dog", "a", "cart"]},
            "stop_words leaves no word of the text; make the list",
        ),
        (
            {"stop_words": ["the", "dog"], "vocabulary": ["dog", "cat"]},
            "stop_words and vocabulary together leave no word of the text; make the list of stop words",
        ),
    ],
)
def test_a_list_of_which_nothing_occurs_is_warned_of(options: Options, message: str, tmp_path: Path) -> None:
    for corpus in (["The dog", "a cart"], write(tmp_path / "text.txt", "The dog\na cart\n")):
        with pytest.warns(rw.RescorlaWarning, match=re.escape(message)) as seen:
            rw.corpus_events(corpus, **options)
        assert [each.filename for each in seen] == [__file__]


@pytest.mark.parametrize(
    "options",
    [
        {"symbols": "a-z"},
        {"vocabulary": ["dog", "cat"]},
        {"stop_words": ["the", "cat"]},
        # There is a word, if no event.
        {"vocabulary": ["the"], "window": (1, 1)},
    ],
)
def test_a_list_of_which_something_occurs_is_not(options: Options) -> None:
    rw.corpus_events(["The dog", "a cart"], **options)
    rw.corpus_events([["the", "dog"]], **options)


@pytest.mark.parametrize("options", [{"symbols": "A-Z"}, {"vocabulary": ["dog"]}, {"stop_words": ["dog"]}])
def test_of_no_text_nothing_is_lost(options: Options) -> None:
    assert len(rw.corpus_events(["", "  "], **options)) == 0


def test_lines_that_are_names_of_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "kjv.txt", "in the beginning")
    write(tmp_path / "b.txt", "the word")
    with pytest.raises(ValueError, match=r"'kjv.txt' is the name of a file; .*\[pathlib.Path\('kjv.txt'\)\]"):
        rw.corpus_events(["kjv.txt"])
    with pytest.raises(ValueError, match=r"'kjv.txt', 'b.txt' are names of files"):
        rw.corpus_events(("kjv.txt", "b.txt"))
    assert rw.corpus_events(["kjv.txt", "is read"]).outcomes == ("kjv.txt", "is", "read")
    assert rw.corpus_events(["a\0b"]).outcomes == ("a\0b",)


def test_a_number_of_words_is_no_str() -> None:
    with pytest.raises(TypeError, match=r"window must be a whole number of 1 or more.*, not '2'; write 2"):
        rw.corpus_events(["a b"], window="2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="path must be"):
        rw.corpus_events("kjv.txt", ["a line"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "space",
    [
        "",
        " ",
        "\t",
        "\f",
        "\v",
        "\x85",
        "\xa0",
        "\u1680",
        "\u2003",
        "\u2028",
        "\u202f",
        "\u3000",
        "\xa0 \u3000",
    ],
)
@pytest.mark.parametrize("context", ["paragraph", "sentence"])
def test_a_line_of_any_white_space_ends_a_paragraph(tmp_path: Path, context: Any, space: str) -> None:
    how: dict[str, Any] = {"context": context, "window": "context", "cues_from": "words", "progress": False}
    for text, ends in (
        (f"ab cd\n{space}\nef", True),
        (f"ab cd \r\n{space}\r\n{space}ef", True),
        (f"ab cd\n{space}ef", False),
        (f"ab cd{space}\nef", False),
        ("ab cd\n\u200b\nef", False),
    ):
        (tmp_path / "text").write_text(text, encoding="utf-8", newline="")
        expected = [("ab", "cd"), ("ef",)] if ends else [("ab", "cd", "ef")]
        for given_text in ([tmp_path / "text"], re.split("\r?\n", text)):
            found = rw.corpus_events(given_text, **how, symbols="a-z")
            assert [event.cues for event in found] == expected, (text, given_text)
