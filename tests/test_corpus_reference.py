"""The specification of running text by hand; without the product. For pyndl see test_pyndl_corpus.py."""

import pytest
from corpus_reference import (
    contexts,
    contexts_of_lines,
    corpus_events,
    document_of_lines,
    events_of_words,
    frames,
    names,
    parts,
    sentences,
    words,
)

# Any text will do here, and some of it looks like a table or is empty.
pytestmark = pytest.mark.filterwarnings("ignore:.*this (looks like|file is empty)")


def joined(texts: list[str], **options: object) -> list[str]:
    """The words of each event, with blanks between them."""
    events = corpus_events(texts, cues_from="words", outcomes_from=None, **options)  # type: ignore[arg-type]
    return [" ".join(cues) for cues, _, _ in events]


def test_the_default_is_an_event_a_word() -> None:
    assert corpus_events(["On it!"]) == [(("#on", "on#"), ("on",), 1), (("#it", "it!", "t!#"), ("it!",), 1)]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (None, ["a", "b", "c", "d"]),
        (1, ["a", "b", "c", "d"]),
        (3, ["a", "a b", "a b c", "b c d", "c d", "d"]),
        (9, ["a", "a b", "a b c", "a b c d", "b c d", "c d", "d"]),
        ((2, 1), ["b", "a c", "a b d", "b c"]),
        ((2, 0), ["a", "a b", "b c"]),
        ("context", ["a b c d"]),
    ],
)
def test_windows(window: object, expected: list[str]) -> None:
    assert joined(["a b c d"], window=window) == expected
    assert joined([" \n"], window=window) == []


def test_a_word_alone_has_no_neighbours() -> None:
    assert joined(["a\nb"], window=(1, 1)) == []


@pytest.mark.parametrize(
    "space", ["", " ", "\t", "\f", "\v", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u3000"]
)
def test_a_line_of_any_white_space_ends_a_paragraph(space: str) -> None:
    for context in ("paragraph", "sentence"):
        assert len(contexts(f"a\n{space}\r\nb", context)) == 2
    # What looks like white space and is none.
    assert len(contexts("a\n\u200b\nb", "paragraph")) == 1


def test_contexts() -> None:
    text = "a b. c\r\nd!\r \t\ne\n\n\nf"
    assert [c.split() for c in contexts(text, "line")] == [
        ["a", "b.", "c"],
        ["d!"],
        [],
        ["e"],
        [],
        [],
        ["f"],
    ]
    assert [c.split() for c in contexts(text, "sentence")] == [
        ["a", "b."],
        ["c", "d!"],
        [],
        ["e"],
        ["f"],
    ]
    assert [c.split() for c in contexts(text, "paragraph")] == [["a", "b.", "c", "d!"], ["e"], ["f"]]
    assert [c.split() for c in contexts(text, "document", str.upper)] == [text.upper().split()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Oh! No.", ["Oh!", "No."]),
        ("3.14 is e. g. pi", ["3.14 is e.", "g.", "pi"]),
        ("“Oh?” (No.) 'a.' b", ["“Oh?”", "(No.)", "'a.'", "b"]),
        ("好。“不！”是", ["好。", "“不！”", "是"]),
        ("Well…yes... no", ["Well…", "yes...", "no"]),
        ("a…?!)b .", ["a…?!)", "b ."]),
        ("“Wait…”. 「そうだ。」。よ", ["“Wait…”.", "「そうだ。」。", "よ"]),
        ("'\" ) a", ["'\" ) a"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [sentence.strip() for sentence in sentences(text) if sentence.strip()] == expected


def test_sentences_may_end_elsewhere() -> None:
    assert [sentence.strip() for sentence in sentences("a; b. c।d", str, ";।")] == ["a;", "b. c।", "d"]


def test_documents() -> None:
    assert parts("a---end.of.document---b\n---END.OF.DOCUMENT---") == ["a", "b\n", ""]
    assert parts("a---End.of.document---b") == ["a---End.of.document---b"]
    assert document_of_lines(["a\n", "\r\n", "b", "", "c\n\n"]) == "a\n\nb\n\nc\n\n"
    assert joined(["a b", "c"], context="document", window="context") == ["a b", "c"]


def test_words() -> None:
    assert words(" The\u00a0word_of#God\x85") == ["The", "word", "of", "God"]
    assert words("a<b>c", boundary="<>") == ["a", "b", "c"]
    assert words("Don't", symbols="a-z") == ["on", "t"]
    assert words("Don't", symbols=str.isupper) == ["D"]
    assert joined(["ΟΔΟΣ It"]) == ["οδος", "it"]
    assert joined(["ΟΔΟΣ It"], lower=False) == ["ΟΔΟΣ", "It"]
    assert joined(["The word the"], stop_words=["the"]) == ["word"]
    assert joined(["The word the"], vocabulary=["the", "a"]) == ["the", "the"]
    assert joined(["e\u0301"], normalize="NFC") == ["é"]
    assert joined(["ﬁ½"], normalize="NFKC") == ["fi1⁄2"]


def test_grams_run_across_words_that_are_neighbours() -> None:
    assert list(frames([["a", "b"], ["c"]], 2, across=True, boundary="#")) == ["#a#b#", "#c#"]
    assert list(frames([["a", "b"], []], 2, across=True, boundary="#")) == ["#a#b#"]
    assert list(frames([["a", "b"], ["c"]], 2, across=False, boundary="#")) == ["#a#", "#b#", "#c#"]
    assert list(frames([["a", "b"], ["c"]], 1, across=True, boundary="#")) == ["ab", "c"]
    assert names([["a", "b"]], "trigrams") == ["#a#", "a#b", "#b#"]
    assert names([["a"]], 4) == []


def test_names_of_several_specs_come_one_after_another() -> None:
    runs = [["ab", "b"]]
    assert names(runs, ["words", "unigrams", str.upper]) == ["ab", "b", "a", "b", "b", "AB", "B"]
    assert names(runs, {"ab": ["x", "y"], "b": "z"}) == ["x", "y", "z"]
    assert names(runs, {"ab": "x"}, unknown="ignore") == ["x"]
    assert names(runs, {"ab": "x"}, unknown="keep") == ["x", "b"]
    with pytest.raises(KeyError, match="b"):
        names(runs, {"ab": "x"})


def test_contexts_of_lines_that_are_cut_into_words() -> None:
    lines = [["a."], ["b"], [], ["c"]]
    assert contexts_of_lines(lines, "line") == lines
    assert contexts_of_lines(lines, "paragraph") == [["a.", "b"], ["c"]]
    assert contexts_of_lines(lines, "sentence") == [["a.", "b"], ["c"]]
    assert contexts_of_lines(lines, "document") == lines


def test_words_that_are_given_stay_as_they_are() -> None:
    assert events_of_words([["A_b", "#"]], cues_from="bigrams", window="context") == [
        (("#A", "A_", "_b", "b#", "##"), ("A_b", "#"), 1)
    ]
