"""Names that are unknown: which known one is asked for, wherever a name is looked up."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._shared.checks import near

EVENTS = rw.read_events([("god_earth", "god", 2), ("earth_light", "heaven", 3), ("light", "earth")])
WEIGHTS = rw.learn(EVENTS)


@given(
    st.text(st.characters(exclude_categories=["Cs", "Zs", "Cc"]), min_size=1),
    st.sampled_from([str.upper, str.title, str.casefold, "  {}".format, "{} ".format]),
    st.sampled_from(["NFC", "NFD"]),
)
def test_case_blanks_and_encoding_are_overlooked(name: str, written: Any, form: Any) -> None:
    unlike = ["something", "quite", "different"]
    found = unicodedata.normalize(form, written(name))
    if found == name or unicodedata.normalize("NFC", found.strip().casefold()) != unicodedata.normalize(
        "NFC", name.strip().casefold()
    ):
        return
    asked = near(found, [*unlike, name, name + "s"])
    assert asked == f"; did you mean {name!r}?" or asked.startswith(f"; did you mean {name!a}, which looks")


def test_which_name_is_asked_for() -> None:
    assert near("God", ["Gad", "Rod", "God's", "god"]) == "; did you mean 'god'?"
    assert near("GDO", ["moon", "god"]) == "; did you mean 'god'?"
    assert near("hevan", ["heaven", "earth"]) == "; did you mean 'heaven'?"
    assert near("moon", ["heaven", "earth"]) == ""
    # A name that is there is not what is missing, and what is no name is like none.
    assert near("god", ["god", "gods"]) == ""
    assert near(1, ["1"]) == near("1", [1, None]) == ""
    assert near("Stra\u00dfe", ["strasse"]) == "; did you mean 'strasse'?"
    # They would be written alike.
    assert near("e\u0301", ["\u00e9"]) == r"; did you mean '\xe9', which looks the same?"


def test_the_name_is_found_among_very_many() -> None:
    many = [f"Word{number}" for number in range(50_000)]
    assert near("God", [*many, "god"]) == "; did you mean 'god'?"
    assert near("wrod17", many) == "; did you mean 'Word17'?"


@pytest.mark.parametrize(
    "look_up",
    [
        lambda: WEIGHTS.top(outcome="God"),
        lambda: WEIGHTS.top(cue=" god"),
        lambda: WEIGHTS.row("God"),
        lambda: WEIGHTS.column("GOD"),
        lambda: WEIGHTS["God", "heaven"],
        lambda: WEIGHTS[["earth", "God"], :],
        lambda: WEIGHTS["God":, :],
        lambda: rw.learn(EVENTS, cues=["God"]),
        lambda: rw.learn(EVENTS, alpha={"God": 0.1, "earth": 0.1, "light": 0.1}),
        lambda: rw.activations([["God"]], WEIGHTS),
        lambda: rw.convergence(EVENTS).half_life("God", "god"),
        lambda: rw.convergence(EVENTS).half_life("light", "God"),
        lambda: rw.trajectories(EVENTS)["God", "god"],
        lambda: rw.trajectories(EVENTS, [("God", "god")]),
        lambda: rw.trajectories(EVENTS, [("god", "god")])["God", "god"],
        lambda: rw.plot.trajectories(dict.fromkeys("ab", rw.trajectories(EVENTS)), pairs=[("God", "god")]),
        lambda: rw.plot.trajectories(dict.fromkeys("ab", rw.trajectories(EVENTS)), pairs=[("god", "God")]),
        lambda: rw.widrow_hoff(EVENTS, eta=0.1, cue_vectors={"God": [1], "earth": [1], "light": [1]}),
        lambda: rw.measures.accuracy([[1.0]], {"god": [1.0]}, ["God"]),
        lambda: rw.measures.activation([["god"]], WEIGHTS, targets=["God"]),
        lambda: rw.report(EVENTS, "page.html", alpha={"God": 0.1, "god": 0.1, "earth": 0.1, "light": 0.1}),
    ],
)
@pytest.mark.filterwarnings("ignore:alpha has entries")
def test_every_look_up_asks(look_up: Callable[[], object]) -> None:
    with pytest.raises(KeyError, match=r"; did you mean '[Gg]od'\?"):
        look_up()
