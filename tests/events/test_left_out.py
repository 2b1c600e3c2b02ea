"""What options leave out of a text or cut is counted; masks; marks, scripts and invisible characters."""

import unicodedata
import warnings
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from corpus_reference import corpus_events as reference_events
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.text("abä", min_size=1, max_size=3)
LINES = st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=5)


def left_out(lines: list[str], **options: Any) -> dict[str, int]:
    counts: dict[str, int] = rw.corpus_events(lines, **options).parameters.get("left_out", {})
    return counts


@pytest.mark.filterwarnings("ignore:.*(leaves? no word|takes no word|cuts)")
@given(LINES, st.lists(WORDS, max_size=3), st.none() | st.lists(WORDS, min_size=1, max_size=3))
def test_each_word_that_is_left_out_counts(
    lines: list[str], stop: list[str], known: list[str] | None
) -> None:
    words = [word for line in lines for word in line.split()]
    stopped = [word for word in words if word in stop]
    unknown = [word for word in words if word not in stop and known is not None and word not in known]
    expected = {"stop_words": len(stopped), "vocabulary": len(unknown)}
    found = left_out(lines, stop_words=stop, vocabulary=known)
    assert found == {name: n for name, n in expected.items() if n}
    cut = sum("ä" in word for word in words)
    assert left_out(lines, symbols="a-z") == ({"symbols": cut} if cut else {})


@given(LINES, st.integers(0, 2), st.integers(0, 2))
def test_words_without_neighbours_count(lines: list[str], before: int, after: int) -> None:
    if before + after == 0:
        return
    events = rw.corpus_events(lines, cues_from="words", window=(before, after))
    n_words = sum(len(line.split()) for line in lines)
    assert len(events) + events.parameters.get("left_out", {}).get("window", 0) == n_words


@pytest.mark.filterwarnings("ignore:symbols .* leaves out")
def test_words_of_a_treebank_count_whole(tmp_path: Path) -> None:
    path = tmp_path / "we.conllu"
    words = ["we", "wé", ",", "we"]
    path.write_text("".join(f"{i}\t{w}\t{w}\tX\t_\t_\t0\t_\t_\t_\n" for i, w in enumerate(words, 1)))
    events = rw.corpus_events(path, symbols="a-z")
    assert events.parameters["left_out"] == {"symbols": 2}
    assert len(events) == 2


def test_punctuation_is_not_a_word_that_is_cut() -> None:
    events = rw.corpus_events(["In the beginning, God's (own) -- words."], symbols="a-z")
    assert events.parameters["left_out"] == {"symbols": 1}  # The dashes.


@given(LINES, st.sampled_from([2, 3, (1, 1), (2, 0), "context"]), st.sampled_from([None, "always"]))
def test_a_mask_gives_each_outcome_the_other_cues(
    lines: list[str], window: Any, background: str | None
) -> None:
    options: dict[str, Any] = {"cues_from": "words", "window": window, "mask": True, "background": background}
    events = rw.corpus_events(lines, **options)
    assert [tuple(event) for event in events] == reference_events(["\n".join(lines)], **options)
    for cues, outcomes, _ in events:
        assert len(outcomes) == 1
        assert not set(cues) & set(outcomes)


def test_a_mask_looks_at_names_and_not_at_words() -> None:
    lemmas = {"went": "go", "goes": "go", "home": "home"}
    events = rw.corpus_events(
        ["went goes home"], cues_from=lemmas, outcomes_from=lemmas, window="context", mask=True
    )
    assert [(event.cues, event.outcomes) for event in events] == [(("home",), ("go",)), (("go",), ("home",))]


@pytest.mark.parametrize(
    ("symbols", "text", "words"),
    [
        (r"\p{Katakana}", "コーヒー", ("コーヒー",)),
        (r"\p{Arabic}", "كِتَاب", ("كِتَاب",)),
        (r"\p{Latin}", "tie\u0302\u0301ng αe\u0301", ("tie\u0302\u0301ng", "e\u0301")),
        (r"\p{L}", "हिन्दी", ("हिन्दी",)),
        (r"\P{Greek}", "aα\u0301b", ("a", "b")),
        ("a-z", "cafe\u0301s", ("cafe", "s")),
        (r"\p{sc=Latin}", "aβ", ("a",)),
        (r"\pL", "aβ1", ("aβ",)),
    ],
)
@pytest.mark.filterwarnings("ignore:symbols .* cuts")
def test_marks_and_shared_characters_belong_to_their_letters(
    symbols: str, text: str, words: tuple[str, ...]
) -> None:
    assert rw.corpus_events([text], symbols=symbols).outcomes == words


@given(st.text("abcdéñ", min_size=1, max_size=6))
def test_composed_and_decomposed_words_are_cut_alike(word: str) -> None:
    decomposed = unicodedata.normalize("NFD", word)
    assert rw.corpus_events([decomposed], symbols=r"\p{Latin}").outcomes == (decomposed,)
    assert rw.corpus_events([word], symbols=r"\p{Latin}").outcomes == (word,)


@pytest.mark.parametrize(
    "invisible", ["\xad", "\u200e", "\u200f", "\u061c", "\u202b", "\u2060", "\u2066", "\ufeff"]
)
@pytest.mark.parametrize("symbols", [None, r"\w"])
def test_what_nobody_sees_makes_no_other_word(invisible: str, symbols: str | None) -> None:
    lines = [f"{invisible}Wert{invisible}papier{invisible} Wertpapier"]
    assert rw.corpus_events(lines, symbols=symbols).outcomes == ("wertpapier",)


def test_joiners_of_letters_stay_and_a_space_of_no_width_separates() -> None:
    assert rw.corpus_events(["می\u200cخواهم"]).outcomes == ("می\u200cخواهم",)
    assert rw.corpus_events(["สวัส\u200bดี"]).outcomes == ("สวัส", "ดี")


def test_a_word_of_a_list_has_no_blanks(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("god\nlight \n")
    assert rw.corpus_events(["god saw the light"], vocabulary=path).outcomes == ("god", "light")


@pytest.mark.parametrize(
    ("line", "unbroken"),
    [
        ("我喜欢猫", True),
        ("我喜欢", False),
        ("わたしは", True),
        ("カタカナカタカナ", True),
        ("カタカナカタカ", False),
        ("ฉันชอบแมว", True),
        ("ฉันชอบแ", False),
        ("我喜欢猫 a 他喜欢狗", True),
        ("我喜欢猫 a", False),
        ("Donaudampfschifffahrt", False),
    ],
)
def test_long_words_of_scripts_without_blanks_are_told_of_if_most_are_long(line: str, unbroken: bool) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rw.corpus_events([line])
    assert ["no blanks between words" in str(warning.message) for warning in told] == [True] * unbroken
