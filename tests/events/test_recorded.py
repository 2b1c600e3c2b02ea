"""How text was coded, by what is kept of what made its events."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._events.recorded import UnknownCodingError, coding_of
from rescorla._events.text import TextOptions

TEXT = [
    "The cat sat. A dog ran",
    "to the cät.",
    "",
    "the dog sat on the mat and the cat",
    "---end.of.document---",
    "a",
]
TABLE = {"the": ["article", "x_y"], "cat": "noun_animal", "dog": "noun_animal", "sat": ""}

NAMES = st.sampled_from(["words", "trigrams", "bigrams", "unigrams", 1, 4, ["words", 2], [3, TABLE], TABLE])
# Some values of each option; what is left out has its default.
OPTIONS = st.fixed_dictionaries(
    {"unknown": st.sampled_from(["keep", "ignore"])},
    optional={
        "cues_from": NAMES,
        "outcomes_from": NAMES | st.none(),
        "window": st.sampled_from([None, 1, 2, (1, 1), (0, 2), "context"]),
        "context": st.sampled_from(["line", "sentence", "paragraph", "document"]),
        "across": st.booleans(),
        "letters": st.sampled_from(["codepoints", "graphemes"]),
        "symbols": st.sampled_from([None, "a-z", "all", r"\w", "<a-z>"]),
        "lower": st.booleans(),
        "normalize": st.sampled_from([None, "NFD"]),
        "boundary": st.sampled_from(["#", "", "<s>"]),
        "stop_words": st.sampled_from([(), ["the"], {"the", "a"}]),
        "vocabulary": st.sampled_from([None, ["the", "cat", "dog", "sat", "a", "A", "The"]]),
        "sentence_end": st.sampled_from([".", ""]),
        "duplicates": st.sampled_from(["drop", "keep"]),
        "background": st.sampled_from([None, "always", "<b>"]),
    },
)
# What leaves events as they are coded.
CHOOSING: list[Callable[[rw.Events], rw.Events]] = [
    lambda events: events.head(3),
    lambda events: events.distinct(),
    lambda events: events.passes(2, 1),
    lambda events: events.passes(2),
    lambda events: events.sample(3, 1),
    lambda events: events[::-1],
    lambda events: events[[0]],
    lambda events: events.split(1)[0] if len(events) > 1 else events,
    lambda events: rw.concat_events([events, events]),
    lambda events: events.filter(min_cue_count=1),
]


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@given(OPTIONS, st.lists(st.sampled_from(CHOOSING), max_size=3))
def test_text_is_coded_alike_by_what_is_kept(
    options: dict[str, Any], steps: list[Callable[[rw.Events], rw.Events]]
) -> None:
    expected = rw.corpus_events(TEXT, **options)
    events = expected
    if len(events) > 2:
        for step in steps:
            events = step(events)
    options, lost = coding_of(events.parameters)
    assert lost == {}
    assert rw.corpus_events(TEXT, **options).digest == expected.digest


@given(st.sampled_from(sorted(TextOptions._fields)))
def test_defaults_are_not_told(name: str) -> None:
    found = coding_of(rw.corpus_events(TEXT, **{name: TextOptions._field_defaults[name]}).parameters)
    assert found == ({}, {})


def test_what_is_not_kept_is_named(tmp_path: Path) -> None:
    (tmp_path / "names.tab").write_text("the\tx\n")
    (tmp_path / "stop.list").write_text("the\n")
    events = rw.corpus_events(
        TEXT,
        cues_from=["words", tmp_path / "names.tab"],
        outcomes_from=str.upper,
        symbols=str.isalpha,
        stop_words=tmp_path / "stop.list",
        vocabulary=[f"w{n}" for n in range(1001)] + ["cat"],
        unknown="ignore",
    )
    options, lost = coding_of(events.parameters)
    assert options == {"unknown": "ignore"}
    assert lost == {
        "cues_from": "names.tab",
        "outcomes_from": "<method_descriptor upper>",
        "symbols": "<method_descriptor isalpha>",
        "stop_words": "stop.list",
        "vocabulary": "<list of 1,002>",
    }


def test_a_cue_of_every_event_is_kept(tmp_path: Path) -> None:
    events = rw.corpus_events(TEXT, duplicates="keep")
    assert coding_of(events.with_background("b").parameters).options == {
        "duplicates": "keep",
        "background": "b",
    }
    again = rw.read_events(events, tmp_path / "e.rw", background="c")
    # Names that come twice are dropped by default.
    assert coding_of(again.parameters).options == {"background": "c"}
    kept = rw.read_events(events, tmp_path / "f.rw", duplicates="keep", background="c")
    assert coding_of(kept.parameters).options == {"duplicates": "keep", "background": "c"}


def concatenated(**options: Any) -> rw.Events:
    return rw.concat_events([rw.corpus_events(TEXT), rw.corpus_events(TEXT, **options)])


UNKNOWN: dict[str, tuple[Callable[[], Any], str]] = {
    "nothing": (dict, "nothing is kept of what made the events"),
    "text": (lambda: "{} | pyndl", "nothing is kept of what made the events"),
    "a table": (lambda: rw.read_events([("a", "x")]).parameters, "read from list, which tells of no text"),
    "factors": (
        lambda: rw.factor_events({"Verb": ["give"], "Theme": ["new"]}, "Verb").parameters,
        "not made of running text",
    ),
    "two texts": (lambda: concatenated(lower=False).parameters, "coded in different ways"),
    "two cues": (
        lambda: rw.corpus_events(TEXT, background="a").with_background("b").parameters,
        "two cues were added to every event, 'a' and 'b'",
    ),
    "other cues": (
        lambda: rw.corpus_events(TEXT).swapped().parameters,
        "the cues of the events were their outcomes before",
    ),
    "a map": (
        lambda: rw.corpus_events(TEXT).filter(cue_map={"#th": "x"}).parameters,
        "the cues of the events were given other names",
    ),
    "steps": (
        lambda: {"function": "Events.head", "of": "<left out>"},
        "made in too many steps for all to be kept",
    ),
    "a later option": (
        lambda: {**rw.corpus_events(TEXT).parameters, "stems": True},
        "coded with stems=True, which this version does not know",
    ),
    "a window": (
        lambda: {**rw.corpus_events(TEXT).parameters, "window": [1]},
        "not kept as rescorla keeps it: window must be a number, a pair",
    ),
    "no truth value": (
        lambda: {**rw.corpus_events(TEXT).parameters, "lower": "yes"},
        "not kept as rescorla keeps it: lower must be True or False, not 'yes'",
    ),
    "a later function": (
        lambda: {"function": "Events.other", "of": rw.corpus_events(TEXT).parameters},
        "made by Events.other, which this version does not know",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_is_said(name: str) -> None:
    make, message = UNKNOWN[name]
    with pytest.raises(UnknownCodingError, match=message):
        coding_of(make())


@pytest.mark.filterwarnings("ignore:symbols .* cuts")
def test_outcomes_may_have_other_names() -> None:
    made = rw.corpus_events(TEXT, symbols="a-z").filter(outcome_map={"cat": "animal"}).parameters
    assert coding_of(made).options == {"symbols": "a-z"}
    assert coding_of(concatenated().parameters) == ({}, {})
