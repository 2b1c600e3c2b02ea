"""Transcripts in the format CHAT: what counts as a word, and who said it."""

from itertools import cycle, islice

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._events.chat import chat

TEXT = """\ufeff@UTF8
@Begin
@Languages:\teng
@Participants:\tCHI Eve Target_Child,
\tMOT Mother
@ID:\teng|Brown|CHI|1;06.|female|||Target_Child|||
*MOT:\twhat do you
\twant , Eve ?
%mor:\tpro:int|what mod|do pro|you
\tv|want cm|cm n:prop|Eve ?
%com:\t*CHI: is no speaker here
*CHI:\tmore cookie . \x15100_2000\x15

@Comment:\tEve points
*FA1-x:\txxx .
*CHI:\tno .
@End
"""


def read(text: str, *speakers: str) -> list[list[str]]:
    return list(chat(text.splitlines(keepends=True), "eve.cha", speakers or None))


def words(said: str) -> str:
    """The words of an utterance, between blanks."""
    return " ".join(word for found in read(f"*CHI:\t{said}\n") for word in found)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("more cookie .", "more cookie"),
        # Terminators and other punctuation, also where it touches words; linkers.
        ("what is that ?", "what is that"),
        ("no!", "no"),
        ("and then +...", "and then"),
        ("he said +/. [+ bch]", "he said"),
        ("what +//?", "what"),
        ("or +..?", "or"),
        ('she said +"/.', "she said"),
        ('+" please +".', "please"),
        ("+< +, ++ +^ yes +!?", "yes"),
        ("well , you know,honey„isn't it‡Eve ; no : „ .", "well you know honey isn't it Eve no"),
        ("“hello” she said «oui» .", "hello she said oui"),
        ("什么，这、那。", "什么 这 那"),
        ("نعم، لا؛ ماذا؟", "نعم لا ماذا"),
        ("क्या है ।", "क्या है"),
        # What is not understood, not said, or no word.
        ("xxx yyy www xx yy XXX xxx@s:eng more .", "more"),
        ("0 0is 0det [*] gone .", "gone"),
        ("(the) dog (is)! (now).", "dog"),
        ("(be)cause he's go(ing) ho(me) .", "because he's going home"),
        ("&-uh &+fr &~goo &um &=laughs &=clears:throat &*MOT:yeah &{l=X more &}l=X .", "more"),
        ("hi (.) there (..) you (...) and (1.5) me (2:03.4) too(.) .", "hi there you and me too"),
        # What is repeated or taken back.
        ("I [/] I want it .", "I want it"),
        ("<I want> [/] I want it .", "I want it"),
        ("<I wan(t)> [//] I like it .", "I like it"),
        ("the [///] give <me> [/-] it [/?] that .", "give that"),
        ("<<I want> [/] I like> [//] I have it .", "I have it"),
        ("I [/] I [/] I [/] [/] I do .", "I do"),
        ("yes I [//] [//] no .", "yes no"),
        ("I &-um [/] &-um do .", "I do"),
        ("the (.) [/] the dog .", "the dog"),
        ("<dog [* p:w]> [!] [/] dog .", "dog"),
        ("then [% pause] [//] and now .", "and now"),
        ("this is [e] <not this> [e] child .", "this child"),
        ("[/] more .", "more"),
        ("dog [x 3] <bow wow> [x 2] .", "dog bow wow"),
        # What is said of words.
        ("gonna [: going to] go .", "going to go"),
        ("<dat is> [: that is] it .", "that is it"),
        ("tika@u [: kitty] [* p:n] [//] kitty is nice .", "kitty is nice"),
        ("xxx [: Iolo] ran .", "Iolo ran"),
        ("piece [:: peach] [* s:r] .", "piece"),
        ("go [:] there .", "there"),
        (
            "that one [= the red ball] is [=! shouting, again] [?] mine [=? fine] [*] [* m:+ed] .",
            "that one is mine",
        ),
        ("<give me> [>] <that one> [<1] [>2] [!!] [!] [%act: runs] [# 2] .", "give me that one"),
        ("movement[?] now[= x] .", "movement now"),
        ("[- spa] más agua@s [+ exc] .", "más agua"),
        ("what [^ door] [^c] why .", "what why"),
        # Marks within words and behind them.
        ("no:: wa:nt o^kay ˈhello le~ha ba^na:na .", "no want okay hello leha banana"),
        (
            "gumma@c b@l hey@l$n run$v chup_chup@o Keks@s:deu hao3@s:eng+zho x@z:foo .",
            "gumma b hey run chupchup Keks hao3 x",
        ),
        ("ice+cream choo_choo thank_you Sesame_Street's .", "icecream choochoo thankyou SesameStreet's"),
        ("merry-go-round l'eau 'cause .", "merry-go-round l'eau 'cause"),
        (
            "butt⌈er⌉ ⌈2 yes ⌉2 °soft° he↑llo ↫b-b-b↫boy → ‹il y a› ∙hhh ⇗ .",
            "butter yes soft hello boy il y a hhh",
        ),
        ("w\x02\x01or\x02\x02d .", "word"),
        # Times, as they are, as programs show them, and as they are copied; and of old.
        ("hi . \x15123_456\x15", "hi"),
        ("hi . •123_456•", "hi"),
        ("hi \x15123_456\x15 there . 123_456", "hi there"),
        ('hi . \x15%snd:"eve"_1_2\x15', "hi"),
        ("hi # ## - .", "hi"),
        ("Mummy Eve's .", "Mummy Eve's"),
        ("", ""),
    ],
)
def test_words_are_told_from_codes(said: str, expected: str) -> None:
    assert words(said) == expected


def test_utterances_have_speakers_and_may_go_on_in_further_lines() -> None:
    mother, child = ["what", "do", "you", "want", "Eve"], [["more", "cookie"], ["no"]]
    assert read(TEXT) == [mother, *child]
    assert read(TEXT, "CHI") == child
    assert read(TEXT, "MOT", "CHI") == [mother, *child]
    assert read(TEXT, "FAT") == []
    assert read(TEXT.replace("\n", "\r\n").replace("\r\n\t", "\r\n    ")) == [mother, *child]
    assert read("*MOT:hello .") == [["hello"]]


def test_the_speakers_of_a_file_are_told() -> None:
    occurred = {"FAT"}
    assert list(chat(TEXT.splitlines(), "eve.cha", ["XYZ"], occurred)) == []
    assert occurred == {"FAT", "CHI", "MOT", "FA1-x"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "In the beginning\n",
            r"^eve\.cha, line 1: expected a speaker .* found 'In the beginning'; begin the line",
        ),
        ("@Begin\n*CHI:\thi .\nthere .\n", "line 3: expected a speaker"),
        ("*CHI hi .\n", "line 1: expected a speaker"),
        ("\thi .\n", r"line 1: expected a speaker .* found '\\thi \.'"),
        (
            "@Begin\n*CHI:\ta [/ a .\n",
            r"^eve\.cha, line 2: expected brackets in pairs, found one \[; add the other",
        ),
        ("*CHI:\ta\n\ta /] b .\n", r"line 1: .* found one \]"),
        ("*CHI:\t<a [/] a .\n", "line 1: .* found one <"),
        ("*CHI:\ta> [/] a .\n", "line 1: .* found one >"),
        ("*CHI:\t[= a [b] c .\n", r"line 1: .* found one \["),
    ],
)
def test_what_is_not_chat_is_refused(text: str, message: str) -> None:
    with pytest.raises(rw.FormatError, match=message):
        read(text)


def test_other_speakers_may_be_malformed_and_files_empty() -> None:
    assert read("*MOT:\ta [/ a .\n*CHI:\thi .\n", "CHI") == [["hi"]]
    assert [read(text) for text in ("", "\n", "@UTF8\n@Begin\n@End\n")] == [[], [], []]


def test_transcripts_stream() -> None:
    found = chat(cycle(["*CHI:\tagain .\n", "%com:\tand\n", "\tagain\n"]), "eve.cha")
    assert list(islice(found, 3)) == [["again"]] * 3


WORDS = st.text("abéß字'-", min_size=1, max_size=4).map("x{}".format)
CODES = st.sampled_from(
    [
        "",
        "[*]",
        "[= b a]",
        "(.)",
        "&-uh",
        "b [/]",
        "<b a> [//]",
        "xxx",
        "0a",
        "[+ b]",
        ",",
        "\x151_2\x15",
        "\n\t",
    ]
)
UTTERANCES = st.lists(st.tuples(CODES, WORDS, CODES), min_size=1, max_size=5)


@given(st.lists(st.tuples(st.sampled_from(["CHI", "MOT"]), UTTERANCES), max_size=4))
def test_words_come_back_from_among_codes(drawn: list[tuple[str, list[tuple[str, str, str]]]]) -> None:
    lines = ["@Begin\n"]
    for speaker, parts in drawn:
        said = " ".join(" ".join(part) for part in parts)
        lines += [f"*{speaker}:\t{said} .\n", "%com:\tb a\n"]
    expected = [[word for _, word, _ in parts] for speaker, parts in drawn if speaker == "CHI"]
    assert read("".join(lines), "CHI") == expected
