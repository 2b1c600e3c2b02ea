"""Designs of experiments: the language, the order of trials, and where phases lie."""

import copy
import json
import pickle
import re
import warnings
from collections import Counter
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import rescorla._core as _core
from hypothesis import given
from hypothesis import strategies as st
from rescorla._events import design_text, order
from rescorla._events.design_text import Section, Trial, parse
from rescorla._events.phases import Phase

# Names such as A40 may be alone in a random design.
pytestmark = pytest.mark.filterwarnings("ignore:the design .* has one trial of the name")


def written(sections: tuple[Section, ...]) -> str:
    """The text of a design that `parse` reads as these phases."""
    return " | ".join(
        ("" if section.name == str(number) else f"{section.name}: ")
        + " / ".join(map(written_trial, section.trials))
        for number, section in enumerate(sections, 1)
    )


def written_trial(trial: Trial) -> str:
    cues = "".join(map(written_cue, trial.cues))
    outcomes = "_".join(
        name if design_text._BARE_OUTCOME.fullmatch(name) else f"({name})"
        for name in trial.outcomes
        if trial.mark == ">"
    )
    return f"{cues}{trial.mark}{outcomes}" + (f" {trial.n}" if trial.n != 1 else "")


def written_cue(cue: str) -> str:
    return cue if cue[0].isupper() and design_text._BARE_CUE.fullmatch(cue) else f"({cue})"


# Parsed designs, as they can be written.
PLAIN_CUES = st.from_regex(r"[A-ZÄΣ][0-9']{0,2}", fullmatch=True)
NAMES_IN_BRACKETS = st.text(
    st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters="()_"), min_size=1, max_size=5
).filter(lambda name: name.split() == [name])
CUE = PLAIN_CUES | NAMES_IN_BRACKETS | st.just("two words")
OUTCOMES = st.lists(NAMES_IN_BRACKETS | st.just("two words"), min_size=1, max_size=3, unique=True).filter(
    lambda names: names != ["US"]
)
NUMBERS = st.integers(1, 6)
PHASES = st.from_regex(r"[a-zA-Z0-9ä][\w .'-]{0,5}", fullmatch=True).map(str.strip)
BLANKS = st.sampled_from(["", " ", "  ", "\n\t", "\u00a0"])
SOME_BLANKS = BLANKS.filter(bool)


@st.composite
def trials(draw: st.DrawFn, least: int) -> Trial:
    cues = draw(st.lists(CUE, min_size=least, max_size=4, unique=True))
    marks: list[design_text.Mark] = ["+", "-", "+-", ">", "?"]
    mark = draw(st.sampled_from(marks))
    outcomes = {"+": ["US"], "+-": ["US"]}.get(mark, [])
    if mark == ">":
        outcomes = draw(OUTCOMES)
    n = draw(NUMBERS)
    return Trial(tuple(cues), mark, tuple(outcomes), 2 * n if mark == "+-" else n)


@st.composite
def designs(draw: st.DrawFn, least: int = 1) -> tuple[Section, ...]:
    """Designs whose trials have so many cues at least."""
    n = draw(st.integers(1, 4))
    names = [str(number) for number in range(1, n + 1)]
    for position in draw(st.sets(st.integers(0, n - 1))):
        name = draw(PHASES)
        if name and name not in names and name not in map(str, range(1, n + 1)):
            names[position] = name
    return tuple(
        Section(name, tuple(draw(st.lists(trials(least), min_size=1, max_size=4)))) for name in names
    )


def scribbled(design: tuple[Section, ...], data: st.DataObject) -> str:
    """A design as somebody writes it: with blanks, other separators and numbers before or behind."""

    def some(strategy: st.SearchStrategy[str]) -> str:
        return data.draw(strategy)

    def cue(name: str) -> str:
        bare = design_text._BARE_CUE.fullmatch(name) and name[0].isupper()
        return (
            name if bare and some(st.sampled_from("01")) == "1" else f"({some(BLANKS)}{name}{some(BLANKS)})"
        )

    def trial(each: Trial) -> str:
        cues = "".join(f"{cue(name)}{some(BLANKS)}" for name in each.cues)
        mark: str = each.mark
        if mark == ">":
            mark += some(BLANKS) + "_".join(f"({name})" for name in each.outcomes)
        elif mark == "+" and some(st.sampled_from("01")) == "1":
            mark = ">US"
        elif mark != ">" and some(st.sampled_from("01")) == "1":
            mark = mark.replace("-", "\u2212")
        number = str(each.n)
        ways = [
            f"{number}{some(BLANKS)}{cues}{mark}",
            f"{cues}{mark} {some(st.sampled_from(['', 'x', '×', 'x ']))}{number}",
        ]
        if each.n == 1:
            ways.append(f"{cues}{mark}")
        return some(st.sampled_from(ways))

    phases = []
    for number, section in enumerate(design, 1):
        text = trial(section.trials[0])
        for each in section.trials[1:]:
            text += some(BLANKS) + some(st.sampled_from("/,")) + some(BLANKS) + trial(each)
        named = section.name != str(number) or some(st.sampled_from("01")) == "1"
        phases.append(
            (f"{section.name}{some(BLANKS)}:" if named else "") + some(BLANKS) + text + some(BLANKS)
        )
    return "|".join(some(BLANKS) + phase for phase in phases)


@given(designs(), st.data())
def test_a_design_is_read_as_it_was_meant(design: tuple[Section, ...], data: st.DataObject) -> None:
    assert parse(scribbled(design, data)) == design


@given(designs(least=0), st.data())
def test_with_a_context_trials_need_no_cues(design: tuple[Section, ...], data: st.DataObject) -> None:
    text = scribbled(design, data)
    assert parse(text, with_context=True) == parse(written(design), with_context=True) == design
    events = rw.design(text, context="\u2603")
    assert events.cues[:1] == ("\u2603",)
    assert events.digest == rw.design(written(design), context="\u2603").digest


@given(designs(), st.data())
def test_a_design_that_is_written_and_read_again_gives_the_same_events(
    design: tuple[Section, ...], data: st.DataObject
) -> None:
    text = scribbled(design, data)
    again = written(parse(text))
    assert parse(again) == design
    one, other = rw.design(text), rw.design(again)
    assert (one.digest, str(one.phases)) == (other.digest, str(other.phases))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("40A+ | 40AB+", "A+ 40 | AB+ 40"),
        ("A+ x40, 40 AB -", "A+ 40 / AB- 40"),
        ("20 (tone)- | 20 (tone)+", "(tone)- 20 | (tone)+ 20"),
        ("AX+- 40 / BX+\u2212 40 | X?", "AX+- 40 / BX+- 40 | X?"),
        (" 1 : A>US\n|2:\n(B2)X''>shock_pain 1", "A+ | B2X''>shock_pain"),
        ("training 1: (red  light)>(loud noise)", "training 1: (red light)>(loud noise)"),
        ("2: A+ | B- | x: AB? 3", "2: A+ | B- | x: AB? 3"),
    ],
)
def test_a_design_has_one_plain_form(text: str, expected: str) -> None:
    if text.startswith("2:"):
        with pytest.raises(ValueError, match="found '2'"):
            parse(text)
        return
    assert written(parse(text)) == expected


# By each malformed design: the column, what was found, and the cure.
MALFORMED = {
    "": (1, "expected a design, found nothing", "write one"),
    " \n ": (1, "expected a design, found nothing", "write one"),
    "|": (1, "expected a trial, found '|'", "write A+, A-"),
    "A+ | ": (6, "expected a trial, found the end", "write A+"),
    "A+ || B+": (5, "expected a trial, found '|'", "or A?"),
    "A+ / , B+": (6, "expected a trial, found ','", "write A+"),
    "A++ 40": (2, "expected one mark, found '++'", "lambda_="),
    "A-+": (2, "expected one mark, found '-+'", "+- is half and half"),
    "A--": (2, "expected one mark, found '--'", "leave one out"),
    "A+ ?": (2, "expected one mark, found '+?'", "leave one out"),
    "A+-+ 4": (2, "expected one mark, found '+-+'", "leave one out"),
    "A>shock-": (8, "expected / or , or | after a trial, found '-'", "ends the phase"),
    "A\u2013 40": (2, "expected a mark after the cues, found '–'", "write A+, A-"),
    "A(US)": (6, "expected a mark after the cues, found the end", "write A+ or A>US"),
    "A(US) 40": (7, "expected a mark after the cues, found '40'", "write A+ or A>US"),
    "A(B)": (5, "expected a mark after the cues, found the end", "write A+ or A>B"),
    "(tone) (A2) / B+": (13, "expected a mark after the cues, found '/'", "write (tone)+ or (tone)>A2"),
    "A(shock)|B+": (9, "expected a mark after the cues, found '|'", "write A+ or A>shock"),
    "A": (2, "expected a mark after the cues, found the end", "write A+, A-, A>food, A+- or A?"),
    "(tone)": (7, "expected a mark after the cues, found the end", "A+- or A?"),
    "A 40": (3, "expected a mark after the cues, found '40'", "write A+"),
    "tone+ 40": (1, "expected a trial, found 'tone'", "in brackets: (tone)+"),
    "Tone+": (2, "expected a mark after the cues, found 'one'", "in brackets: (tone)+"),
    "A_B+": (2, "expected a mark after the cues, found '_'", "write A+"),
    "AA+": (2, "expected each cue once in a trial, found 'A' twice", "leave one out"),
    "A(A)+": (2, "expected each cue once in a trial, found 'A' twice", "leave one out"),
    "()+": (1, "expected the name of the cue in brackets, found none", "as in (tone)"),
    "( )+": (1, "expected the name of the cue in brackets, found none", "as in (tone)"),
    "(tone+": (1, "expected ) after the name of the cue, found the end", "close the bracket"),
    "(tone+ | (light)+": (1, "expected ) after the name of the cue, found another '('", "close the"),
    "(red_light)+": (1, "expected the name of one cue, found 'red_light'", "several as (tone)(light)"),
    "(_)+": (1, "expected the name of one cue, found '_'", "(tone)"),
    "A>": (3, "expected the name of an outcome, found the end", "write A>food"),
    "A> / B+": (4, "expected the name of an outcome, found '/'", "- for none"),
    "A>_x": (3, "expected the name of an outcome, found '_'", "A>(loud noise)"),
    "A>x_": (5, "expected the name of an outcome, found the end", "A>(loud noise)"),
    "A>x_x": (5, "expected each outcome once in a trial, found 'x' twice", "leave one out"),
    "A>()": (3, "expected the name of the outcome in brackets, found none", "as in (tone)"),
    "A>(x": (3, "expected ) after the name of the outcome, found the end", "close the bracket"),
    "A>(x_y)": (3, "expected the name of one outcome, found 'x_y'", "several as food_water"),
    "A>x y": (5, "expected / or , or | after a trial, found 'y'", "| ends the phase"),
    "40 A+ 40": (1, "expected one number of trials, found 40 before the cues and 40 behind", "leave one"),
    "A+ 0": (4, "expected a number of trials from 1 to 4,294,967,295, found 0", "a probe, A?"),
    "0A+": (1, "expected a number of trials from 1 to 4,294,967,295, found 0", "a probe, A?"),
    "A+ 4294967296": (4, "expected a number of trials from 1 to 4,294,967,295, found 4294967296", "fewer"),
    "A+ " + "9" * 5000: (4, "expected a number of trials from 1 to 4,294,967,295, found 9999", "fewer"),
    "A+ 4.5": (5, "expected / or , or | after a trial, found '.'", "the number of trials is whole"),
    "A+ x": (5, "expected a number of trials after x, found the end", "write x40"),
    "A+ xB": (5, "expected a number of trials after x, found 'B'", "write x40"),
    "A+ X40": (4, "expected / or , or | after a trial, found 'X40'", "the number of trials is whole"),
    "40": (3, "expected a trial, found the end", "write A+"),
    "A+- 3": (1, "expected an even number of trials of which half have the outcome, found 3", "A+- 4"),
    "B- / A+-": (6, "expected an even number of trials of which half have the outcome, found 1", "A+- 2"),
    "A+ B+": (4, "expected / or , or | after a trial, found 'B'", "| ends the phase"),
    "A+ (b)+": (4, "expected / or , or | after a trial, found '('", "| ends the phase"),
    "A+; B+": (3, "expected / or , or | after a trial, found ';'", "| ends the phase"),
    "A*+": (2, "expected a mark after the cues, found '*'", "write A+"),
    ": A+": (1, "expected the name of a phase before the colon, found ''", "begins with a letter"),
    "A+ 40: B+": (1, "expected the name of a phase before the colon, found 'A+ 40'", "begins with"),
    "x: A+ : B+": (7, "expected / or , or | after a trial, found ':'", "ends the phase"),
    "x: A+ | x: B+": (9, "expected a name that no phase has yet, found 'x'", "name the phases apart"),
    "2: A+ | B+": (9, "expected a name that no phase has yet, found '2'", "name the phases apart"),
    "+ 10": (1, "expected cues before the mark '+', found none", "write A+, or let context=True"),
    "A+ / 30 -": (9, "expected cues before the mark '-', found none", "write A-, or let context=True"),
}


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_design_says_where_what_and_the_cure(text: str) -> None:
    column, found, cure = MALFORMED[text]
    with pytest.raises(ValueError, match=r"^(line 1, )?column \d+ of the design '") as caught:
        rw.design(text)
    message = str(caught.value)
    place, _, wrong = message.partition(": expected")
    assert re.findall(r"column (\d+)", place) == [str(column)], message
    assert f"expected{wrong}".startswith(found), message
    assert cure in wrong.partition("; ")[2], message
    assert len(message) < 400


@pytest.mark.parametrize(
    ("text", "name", "cure"),
    [
        ("A40+ | AB+ 40", "A40", "'A+ 40'"),
        ("B+ 3 / A'12- ", "A'12", '"A\'+ 12"'),
        ("AB40+- 2 / AB40>x", None, ""),
        ("AB40-", "B40", "'B+ 40'"),
        ("A>shock40", "shock40", "'A>shock 40'"),
        ("A4+", None, ""),
        ("A40+ 1", None, ""),
        ("1A40+", None, ""),
        ("(A40)+", None, ""),
        ("A40(tone)+", None, ""),
        ("A40+ 2 / -", None, ""),
        ("A>(shock40)", None, ""),
        ("A40?", None, ""),
        ("A10+ / A11+", None, ""),
        ("A10+ / A>x12", None, ""),
    ],
)
def test_a_number_that_may_be_one_of_trials_warns(text: str, name: str | None, cure: str) -> None:
    if name is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rw.design(text, context=True)
        return
    with pytest.warns(
        rw.RescorlaWarning, match=f"has one trial of the name .{name}.; for [0-9]+ tr"
    ) as caught:
        rw.design(text)
    assert f"write {cure}, for one trial write 1 behind it" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_a_place_is_a_line_and_a_column_where_there_are_lines() -> None:
    with pytest.raises(
        ValueError, match=r"^line 3, column 2 of the design 'A\+ 40 \|\\n  B\+ 40 \|\\nC': expected a mark"
    ):
        rw.design("A+ 40 |\n  B+ 40 |\nC")


def test_of_a_long_design_the_part_is_shown() -> None:
    with pytest.raises(
        ValueError, match=r"^column 701 of the design '….{25}c\+…|column 701 of the design '….{25}c\+'"
    ):
        rw.design("A+ 40 |" * 100 + "c+")


@given(st.text(st.sampled_from("AB'2(x)+-\u2212>?|/,: _40\n") | st.characters(), max_size=12))
def test_any_text_is_a_design_or_malformed_at_a_place(text: str) -> None:
    try:
        sections = parse(text)
    except ValueError:
        with pytest.raises(
            ValueError, match=r"(line \d+, )?column \d+ of the design .*: expected .*, found .*; "
        ):
            rw.design(text)
    else:
        assert parse(written(sections)) == sections
        if sum(trial.n for section in sections for trial in section.trials) < 1000:
            assert list(rw.design(text).phases) == [section.name for section in sections]


def test_groups_have_a_design_each() -> None:
    texts = {"blocking": "A+ 40 | AB+ 40", "control": "C+ 40 | AB+ 40"}
    groups = rw.design(texts, context="box", between=2, seed=1)
    assert list(groups) == list(texts)
    for name, text in texts.items():
        alone = rw.design(text, context="box", between=2, seed=1)
        assert groups[name].digest == alone.digest
        assert groups[name].parameters == alone.parameters
    assert rw.design({}) == {}
    with pytest.raises(
        ValueError, match=r"^group 'control': column 2 of the design 'C\+\+': expected one mark"
    ):
        rw.design({"blocking": "A+", "control": "C++"})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ((40, {}), "text must be a str, as in .* not 40$"),
        ((["A+"], {}), "text must be a str, .* not a list$"),
        (({"g": 4}, {}), "text must give the group 'g' a str, .* not 4$"),
        (({4: "A+"}, {}), "text must name groups by a str, not by 4$"),
        (("A+", {"context": 4}), "context must be True, False or the name of a cue, not 4$"),
        (("A+", {"context": True, "between": 1.0}), "between must be a whole number of 0 or more, not 1.0"),
        (("A+", {"seed": "x"}), "seed must be a whole number"),
    ],
)
def test_arguments_of_wrong_types_say_so(call: tuple[Any, dict[str, Any]], message: str) -> None:
    text, keywords = call
    with pytest.raises(TypeError, match=message):
        rw.design(text, **keywords)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"context": ""}, "context must be the name of one cue, without _, not ''; True names it 'context'"),
        ({"context": "a_b"}, "context must be the name of one cue, without _, not 'a_b'"),
        ({"context": "A"}, "context 'A' is a cue of the design already; choose another name"),
        ({"between": 2}, "between counts tokens of the context, and there is none; let context be True"),
        ({"between": -1, "context": True}, "between must be a whole number of 0 or more, not -1"),
        ({"seed": -1}, "seed must be a whole number of 0 or more"),
    ],
)
def test_arguments_that_do_not_fit_say_so(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        rw.design("A+ 4", **keywords)


def test_what_cannot_be_put_in_order_is_refused() -> None:
    assert rw.design("A+ 4294967295").n_tokens == 4294967295
    cases: list[tuple[str, dict[str, Any]]] = [
        ("A+ 999999 / B- 2", {}),
        ("A+ 1000001", {"context": True, "between": 1}),
        ("A? 1000001", {}),
    ]
    for text, more in cases:
        with pytest.raises(
            ValueError, match=r"^phase '1' would put 1,000,001 trials in order, more than 1,000,000; "
        ):
            rw.design(text, **more)


# What the trials are.
def rows(events: rw.Events) -> list[tuple[str, str, int]]:
    return [("_".join(cues), "_".join(outcomes), n) for cues, outcomes, n in events]


def tokens(events: rw.Events) -> list[tuple[str, str]]:
    return [(cues, outcomes) for cues, outcomes, n in rows(events) for _ in range(n)]


@pytest.mark.parametrize(
    ("text", "keywords", "expected"),
    [
        ("40A+ | 40AB+", {}, [("A", "US", 40), ("A_B", "US", 40)]),
        ("A+ 2 / AB- 2", {}, [("A", "US", 1), ("A_B", "", 1), ("A", "US", 1), ("A_B", "", 1)]),
        ("2 (tone)- | 2 (tone)+", {}, [("tone", "", 2), ("tone", "US", 2)]),
        (
            "AX+- 2/BX+- 2|X?",
            {},
            [("A_X", "US", 1), ("A_X", "", 1), ("B_X", "US", 1), ("B_X", "", 1), ("X", "", 0)],
        ),
        ("A+ 2 | A+ 3", {}, [("A", "US", 2), ("A", "US", 3)]),
        ("A+ / A+ 3", {}, [("A", "US", 4)]),
        ("BA>x_y 2, B-", {}, [("B_A", "x_y", 1), ("B", "", 1), ("B_A", "x_y", 1)]),
        ("A- / A?", {}, [("A", "", 1), ("A", "", 0)]),
        ("A? / A-", {}, [("A", "", 0), ("A", "", 1)]),
        ("A? 2 | B+", {}, [("A", "", 0), ("A", "", 0), ("B", "US", 1)]),
        ("A+ 4 / B?", {}, [("A", "US", 2), ("B", "", 0), ("A", "US", 2)]),
        (
            "A+ | - 3 | A? | ?",
            {"context": True},
            [("context_A", "US", 1), ("context", "", 3), ("context_A", "", 0), ("context", "", 0)],
        ),
        ("+ 10", {"context": "box"}, [("box", "US", 10)]),
        (
            "A+ 2 | B? / B-",
            {"context": True, "between": 3},
            [
                ("context_A", "US", 1),
                ("context", "", 3),
                ("context_A", "US", 1),
                ("context", "", 3),
                ("context_B", "", 0),
                ("context_B", "", 1),
                ("context", "", 3),
            ],
        ),
        ("- 2", {"context": True, "between": 3}, [("context", "", 8)]),
    ],
)
def test_trials_become_rows(text: str, keywords: dict[str, Any], expected: list[Any]) -> None:
    assert rows(rw.design(text, **keywords)) == expected


def test_us_is_an_outcome_where_trials_have_it_or_lack_it() -> None:
    assert rw.design("A- 4").outcomes == rw.design("A+- 4").outcomes == ("US",)
    assert rw.design("A>food 4 | B?").outcomes == ("food",)
    assert rw.design("A>food / A-").outcomes == ("food", "US")
    assert rw.learn(rw.design("A- 4"))["A", "US"] == 0


@given(designs(), st.booleans(), st.integers(0, 2), st.none() | st.integers(0, 9))
def test_phases_share_rows_and_tokens_out(
    design: tuple[Section, ...], context: bool, between: int, seed: int | None
) -> None:
    always = "\u2603" if context else ""
    between = between if context else 0
    events = rw.design(written(design), context=always or False, between=between, seed=seed)
    assert list(events.phases) == [section.name for section in design]
    assert [len(events), events.n_tokens] == [
        sum(len(getattr(phase, field)) for phase in events.phases.values()) for field in ("rows", "tokens")
    ]
    row = token = 0
    for section, phase in zip(design, events.phases.values(), strict=True):
        assert (phase.rows.start, phase.tokens.start) == (row, token)
        row, token = phase.rows.stop, phase.tokens.stop
        part = events[phase.rows]
        assert part.n_tokens == len(phase.tokens)
        expected: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
        probes: Counter[tuple[str, ...]] = Counter()
        for trial in section.trials:
            cues = (always, *trial.cues) if always else trial.cues
            n = trial.n
            if trial.mark == "?":
                probes[cues] += n
                continue
            if trial.mark == "+-":
                n //= 2
                expected[cues, ()] += n
            expected[cues, trial.outcomes] += n
            if always and between:
                expected[(always,), ()] += between * trial.n
        found: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
        for cues, outcomes, n in part:
            found[cues, outcomes] += n
        assert {**found} == {**expected} | {(cues, ()): found[cues, ()] for cues in probes}
        assert Counter(cues for cues, _, n in part if not n) == probes


# The order of trials.
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_trials_are_spread_as_evenly_as_can_be(counts: list[int]) -> None:
    found = order.evenly(counts).tolist()
    assert Counter(found) == dict(enumerate(counts))
    bound = 1 - Fraction(1, max(2 * len(counts) - 2, 1))
    taken = [0] * len(counts)
    for t, kind in enumerate(found, 1):
        taken[kind] += 1
        for n_i, so_far in zip(counts, taken, strict=True):
            assert abs(Fraction(t * n_i, len(found)) - so_far) <= bound
    assert found == order.evenly(counts).tolist()


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.integers(1, 5))
def test_a_design_spreads_as_evenly_said(counts: list[int], times: int) -> None:
    text = " / ".join(f"{name}- {n * times}" for name, n in zip("ABCD", counts, strict=False))
    events = rw.design(text)
    expected = ["ABCD"[kind] for kind in order.evenly(counts)] * times
    assert [cue for cue, _ in tokens(events)] == expected
    assert rw.design(text).digest == events.digest


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 99))
def test_a_seed_permutes_trials_within_phases_alone(counts: list[int], seed: int) -> None:
    phase = " / ".join(f"{name}- {n}" for name, n in zip("ABCD", counts, strict=False))
    text = f"{phase} | X+ 3 | {phase}"
    drawn = rw.design(text, seed=seed)
    assert drawn.digest == rw.design(text, seed=seed).digest
    plain = rw.design(text)
    for name, found in drawn.phases.items():
        assert str(found.tokens) == str(plain.phases[name].tokens)
        assert Counter(tokens(drawn[found.rows])) == Counter(tokens(plain[plain.phases[name].rows]))
    generator = np.random.default_rng(seed)
    assert rw.design(text, seed=generator).digest == drawn.digest


def test_every_order_is_as_likely() -> None:
    random = np.random.default_rng(1)
    found = Counter(
        "".join(cue for cue, _ in tokens(rw.design("A- 2 / B-", seed=random))) for _ in range(3000)
    )
    assert set(found) == {"AAB", "ABA", "BAA"}
    assert all(850 < n < 1150 for n in found.values())
    different = {rw.design("A- 20 / B- 20", seed=seed).digest for seed in range(9)}
    assert len(different) == 9


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(1, 3))
def test_equal_trials_in_a_row_are_one_row(counts: list[int], between: int) -> None:
    text = " / ".join(f"{name}- {n}" for name, n in zip("ABC", counts, strict=False))
    for events in (rw.design(text), rw.design(text, context=True, between=between)):
        found = rows(events)
        assert all(len(list(group)) == 1 for _, group in groupby(found, key=lambda row: row[:2]))


# Phases, through everything.
TEXT = "one: A+ 4 / B- 4 | two: AB+ 5 | probes: A? / B? | last: AB- 2"
EVENTS = rw.design(TEXT)


def where(events: rw.Events) -> dict[str, tuple[int, int, int, int]]:
    """Where the phases lie: empty ranges are equal wherever they are."""
    return {
        name: (phase.rows.start, phase.rows.stop, phase.tokens.start, phase.tokens.stop)
        for name, phase in events.phases.items()
    }


ALL = {"one": (0, 8, 0, 8), "two": (8, 9, 8, 13), "probes": (9, 11, 13, 13), "last": (11, 12, 13, 15)}


def test_phases_are_records() -> None:
    assert where(EVENTS) == ALL
    phase = EVENTS.phases["two"]
    assert repr(phase) == "Phase(rows=range(8, 9), tokens=range(8, 13))"
    assert phase == Phase(range(8, 9), range(8, 13)) != Phase(range(8, 9), range(9, 13))
    assert pickle.loads(pickle.dumps(phase)) == phase
    with pytest.raises(AttributeError):
        phase.rows = range(2)  # type: ignore[misc]
    EVENTS.phases.clear()
    assert where(EVENTS) == ALL
    assert rw.read_events([("a", "x")]).phases == {}


def test_what_made_a_design_is_kept() -> None:
    made = rw.design("A+ | B-", context="box", between=2, seed=np.int64(3)).parameters  # type: ignore[call-overload]
    assert {name: made[name] for name in ("function", "text", "context", "between", "seed")} == {
        "function": "design",
        "text": "A+ | B-",
        "context": "box",
        "between": 2,
        "seed": 3,
    }
    assert rw.design("A+", seed=np.random.default_rng(1)).parameters["seed"] == "<Generator>"
    cut = EVENTS[3:].parameters
    assert cut["of"]["text"] == TEXT
    assert "phases" not in cut["of"]


def test_files_and_copies_keep_phases(tmp_path: Path) -> None:
    saved = EVENTS.save(tmp_path / "e.rw")
    for events in (
        saved,
        rw.open_events(tmp_path / "e.rw"),
        rw.open_events(tmp_path / "e.rw", mapped=False),
        pickle.loads(pickle.dumps(EVENTS)),
        pickle.loads(pickle.dumps(saved)),
        copy.copy(EVENTS),
        copy.deepcopy(EVENTS),
        rw.read_events(EVENTS, tmp_path / "f.rw"),
        rw.read_events(tmp_path / "e.rw", tmp_path / "g.rw"),
        rw.read_events(EVENTS),
        rw.read_events(saved, background="box"),
        EVENTS.with_background("box", path=tmp_path / "h.rw"),
        EVENTS.swapped(path=tmp_path / "k.rw"),
        rw.concat_events([EVENTS, rw.read_events([("a", "x")])]),
        rw.concat_events([EVENTS], tmp_path / "i.rw"),
    ):
        assert where(events) == ALL
        assert events[events.phases["last"].rows].n_tokens == 2
    assert where(rw.read_events(EVENTS, tmp_path / "j.rw", limit=9)) == where(EVENTS[:9])


@given(st.integers(-14, 14), st.integers(-14, 14))
def test_a_slice_cuts_phases(start: int, stop: int) -> None:
    part = EVENTS[start:stop]
    chosen = range(len(EVENTS))[start:stop]
    before = np.concatenate([[0], np.cumsum(EVENTS.frequencies)])
    expected = {}
    for name, phase in EVENTS.phases.items():
        inside = [row for row in phase.rows if row in chosen]
        if inside:
            first, end = inside[0], inside[-1] + 1
            expected[name] = (
                first - chosen.start,
                end - chosen.start,
                int(before[first] - before[chosen.start]),
                int(before[end] - before[chosen.start]),
            )
    assert where(part) == expected
    if chosen.start == 0:
        assert where(EVENTS.head(len(chosen))) == expected
    assert where(EVENTS[chosen]) == expected
    assert where(EVENTS[start:stop:2]) == {}
    assert rows(EVENTS[chosen]) == rows(part)


def test_a_split_without_a_seed_cuts_phases() -> None:
    train, test = EVENTS.split(4)
    assert (where(train), where(test)) == (where(EVENTS[:8]), where(EVENTS[8:]))
    assert [part.phases for part in EVENTS.split(4, seed=1)] == [{}, {}]


def test_other_orders_have_no_phases() -> None:
    for events in (
        EVENTS.filter(keep_cues=["A", "B"]),
        EVENTS.shuffled(1),
        EVENTS.sample(5, 1),
        EVENTS.passes(2, 1),
        EVENTS.passes(1),
        EVENTS.passes(2),
        EVENTS[::-1],
        EVENTS[[0, 1, 2]],
        EVENTS[EVENTS.frequencies > 0],
    ):
        assert events.phases == {}
        assert len(events)


def test_designs_one_after_another_have_all_phases() -> None:
    more = rw.design("more: C+ 3 | C?")
    joined = rw.concat_events([more, rw.read_events([("a", "x", 7)]), EVENTS])
    assert where(joined) == {"more": (0, 1, 0, 3), "2": (1, 2, 3, 3)} | {
        name: (rows_from + 3, rows_to + 3, first + 10, last + 10)
        for name, (rows_from, rows_to, first, last) in ALL.items()
    }
    for name, phase in EVENTS.phases.items():
        assert rows(joined[joined.phases[name].rows]) == rows(EVENTS[phase.rows])


def test_phases_of_one_name_warn_and_are_left_out() -> None:
    one, other = rw.design("A+ 4 | x: B+ 2"), rw.design("A- 3 | x: B-")
    with pytest.warns(
        rw.RescorlaWarning, match="phases named '1', 'x', so together they have no phases"
    ) as caught:
        joined = rw.concat_events([one, other])
    assert caught[0].filename == __file__
    assert joined.phases == {}
    assert rows(joined) == rows(one) + rows(other)


@pytest.mark.parametrize(
    "phases",
    [
        [],
        {"a": 1},
        {"a": {"rows": [0, 1]}},
        {"a": {"rows": [0, 1], "tokens": [0, 4]}},
        {"a": {"rows": [1, 0], "tokens": [0, 1]}},
        {"a": {"rows": [-1, 1], "tokens": [0, 1]}},
        {"a": {"rows": [0, 1.0], "tokens": [0, 1]}},
        {"a": {"rows": [0, True], "tokens": [0, 1]}},
        {"a": {"rows": [0, 1, 1], "tokens": [0, 1]}},
    ],
)
def test_a_file_with_other_phases_is_damaged(phases: Any, tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    parameters = json.dumps({"function": "design", "phases": phases})
    _core.compile_events([("a", "x", 3)], str(path), "drop", None, None, parameters=parameters)
    events = rw.open_events(path)
    with pytest.raises(rw.FormatError, match=r"e\.rw: expected phases, each with .*; write the file again"):
        _ = events.phases
    assert len(events) == 1


def test_phases_stay_where_what_made_events_is_too_long() -> None:
    events = rw.design("A+ / B- 2 | " + " " * (1 << 20) + "last: C+ 3")
    assert events.parameters["function"] == "design"
    assert "text" not in events.parameters
    assert where(events) == {"1": (0, 3, 0, 3), "last": (3, 4, 3, 6)}
