"""rescorla activations codes text as that of weights was coded; rescorla info says what made a file."""

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla import cli
from rescorla._events.text import TextOptions
from rescorla.cli import origin, source
from terminal import json_of, ok, said

TEXT = "The cat sat. A dog ran\nto the cat\n"
OTHER = "the dog sat, the cat ran\nA cat\n"
ALL = "all options by default"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text(TEXT)
    Path("other.txt").write_text(OTHER)


def learned(*told: str, name: str = "w.npz") -> None:
    ok("learn", "text.txt", *told, "-o", name)


def activations(*told: str, status: int = 0) -> str:
    """What is said of it; the activations are those of Python."""
    found = said("activations", "other.txt", "w.npz", "--unknown", "ignore", "-o", "a.npy", *told)
    assert found.status == status, found.error
    return found.error


def check(**options: Any) -> None:
    """The activations are those of text that is coded so."""
    events = rw.corpus_events("other.txt", **options)
    expected = rw.activations(events, rw.load_weights("w.npz"), unknown="ignore")
    assert np.array_equal(np.load("a.npy"), expected)


# On the command line, in Python, and what is said where it is no more than what is given.
CODINGS: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "defaults": ([], {}, ALL),
    "bigrams": (["--cues-from", "bigrams"], {"cues_from": "bigrams"}, "--cues-from bigrams"),
    "several": (["--cues-from", "2,words"], {"cues_from": [2, "words"]}, "--cues-from 2,words"),
    "neighbours": (
        ["--cues-from", "words", "--window", "2,1"],
        {"cues_from": "words", "window": (2, 1)},
        "--cues-from words --window 2,1",
    ),
    "context": (["--window", "context"], {"window": "context"}, "--window context"),
    "flags": (
        ["--no-lower", "--within-words", "--window", "2"],
        {"lower": False, "across": False, "window": 2},
        "--window 2 --within-words --no-lower",
    ),
    "symbols": (["--symbols", r"\p{Latin}'"], {"symbols": r"\p{Latin}'"}, """--symbols '\\p{Latin}'"'"''"""),
    "outcomes": (["--outcomes-from", "none"], {"outcomes_from": None}, ALL),
    "shared": (
        ["--background", "always", "--duplicates", "keep", "--boundary", "<s>"],
        {"background": "always", "duplicates": "keep", "boundary": "<s>"},
        "--boundary '<s>' --duplicates keep --background always",
    ),
}


@pytest.mark.parametrize("name", CODINGS)
def test_text_is_coded_as_the_events_of_the_weights(name: str) -> None:
    told, options, shown = CODINGS[name]
    learned(*told)
    error = activations()
    assert f"coded as  the events of w.npz: {shown}\n" in error
    assert "warning" not in error
    check(**options)
    # Said again it is the same, and nothing is to be said of that.
    error = activations(*told)
    assert "warning" not in error
    check(**options)
    assert ("coded as" in error) == (not told)


def test_every_option_of_text_is_taken() -> None:
    parser = argparse.ArgumentParser()
    source.add_options(parser)
    assert set(parser.get_default("text_flags")) | {"format"} == set(TextOptions._fields)


def test_what_was_coded_in_python_is_taken_too() -> None:
    table = {"the": ["article", "x_y"], "cat": "noun_animal"}
    options: dict[str, Any] = {"cues_from": table, "unknown": "keep", "stop_words": ["sat", "a"]}
    rw.learn(rw.corpus_events("text.txt", outcomes_from=str.upper, **options)).save("w.npz")
    # Outcomes that only Python can make are not needed.
    assert (
        "coded as  the events of w.npz: --cues-from (a table of 2 words) --stop-words (2 words) "
        "--unknown-words keep\n"
    ) in activations()
    check(**options)


def test_outcomes_matter_where_they_are_asked_for() -> None:
    rw.learn(rw.corpus_events("text.txt", outcomes_from=2)).save("w.npz")
    assert f"the events of w.npz: {ALL}\n" in activations()
    assert "the events of w.npz: --outcomes-from 2\n" in activations("--present-only")
    rw.learn(rw.corpus_events("text.txt", outcomes_from=str.upper)).save("w.npz")
    assert f"the events of w.npz: {ALL}\n" in activations()
    assert "coded with --outcomes-from <method_descriptor upper>, which only Python has" in (
        activations("--present-only", status=1)
    )


def test_steps_after_the_text_do_not_matter() -> None:
    events = rw.corpus_events("text.txt", symbols="a-z").filter(min_cue_count=1).passes(2, 1)
    rw.learn(events.with_background("bg")).save("w.npz")
    assert "the events of w.npz: --symbols a-z --background bg\n" in activations()
    check(symbols="a-z", background="bg")


def test_an_equilibrium_may_have_a_cue_of_its_own() -> None:
    rw.equilibrium(rw.corpus_events("text.txt", symbols="a-z"), background="bg").save("w.npz")
    assert "the events of w.npz: --symbols a-z --background bg\n" in activations()
    check(symbols="a-z", background="bg")


def test_what_is_said_counts_and_differs_aloud() -> None:
    learned("--symbols", "a-z", "--cues-from", "bigrams")
    error = activations("--symbols", "a-zA-Z", "--no-lower", "--context", "sentence", "--cues-from", "2")
    assert error.count("rescorla: warning") == 3
    for text in (
        "--symbols a-zA-Z: the events of w.npz were coded with --symbols a-z, so the same words may have",
        "--no-lower: the events of w.npz were coded without it, so",
        "--context sentence: the events of w.npz were coded with --context line, the default, so",
    ):
        assert text in error
    assert "coded as" not in error
    check(symbols="a-zA-Z", lower=False, context="sentence", cues_from="bigrams")
    # The others are taken.
    error = activations("--background", "bg")
    assert "warning: --background bg: the events of w.npz were coded without it" in error
    assert "the events of w.npz: --cues-from bigrams --symbols a-z\n" in error
    check(symbols="a-z", cues_from="bigrams", background="bg")
    # Outcomes do not matter.
    assert "warning" not in activations("--outcomes-from", "bigrams")


LOST: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "a function": (
        {"symbols": str.isalpha},
        ["--symbols", "a-z"],
        "with --symbols <method_descriptor isalpha>, which only Python has; give --symbols if it can say the "
        "same, or make events of this text in Python and give these",
    ),
    "a function of words": (
        {"cues_from": ["words", str.upper]},
        ["--cues-from", "words"],
        "with --cues-from <method_descriptor upper>, which only Python has; give --cues-from if it can",
    ),
    "a table of functions": (
        {"cues_from": {"the": ["article"]}, "unknown": "ignore"},
        ["--cues-from", "words"],
        "with --cues-from <dict>, which only Python has; give --cues-from if it can",
    ),
    "a file": (
        {"stop_words": Path("stop.list")},
        ["--stop-words", "stop.list"],
        "with --stop-words stop.list, a file of which the name alone is kept; give --stop-words FILE\n",
    ),
    "a table": (
        {"cues_from": Path("names.tab"), "unknown": "ignore"},
        ["--cues-from", "@names.tab"],
        "with --cues-from names.tab, a file of which the name alone is kept; give --cues-from @FILE\n",
    ),
    "a long list": (
        {"vocabulary": ["the", "cat", *map(str, range(1000))]},
        ["--vocabulary", "stop.list"],
        "with --vocabulary <list of 1,002>, whose length alone is kept; give --vocabulary and a file of them",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_what_cannot_be_had_again_is_an_error_that_says_what_to_give(name: str) -> None:
    options, told, message = LOST[name]
    Path("stop.list").write_text("the\ncat\n")
    Path("names.tab").write_text("the\tx\ncat\ty\n")
    weights = rw.learn(rw.corpus_events("text.txt", **options))
    if name == "a table of functions":
        weights.parameters["events"]["cues_from"] = {"the": "<function article>"}
    weights.save("w.npz")
    error = activations(status=1)
    assert f"rescorla: error: w.npz: the text of its events was coded {message}" in error
    assert error.count("\n") == 1
    assert not Path("a.npy").exists()
    assert "warning" not in activations(*told)


def test_another_file_than_that_of_the_weights_differs() -> None:
    for name in ("stop.list", "other.list"):
        Path(name).write_text("the\ncat\n")
    learned("--stop-words", "stop.list")
    assert "--stop-words other.list: the events of w.npz were coded with --stop-words stop.list, so" in (
        activations("--stop-words", "other.list")
    )
    # A list is compared with what a file has.
    rw.learn(rw.corpus_events("text.txt", stop_words=["cat", "the"])).save("w.npz")
    assert "warning" not in activations("--stop-words", "other.list")
    Path("other.list").write_text("cat\n")
    assert "were coded with --stop-words (2 words), so" in activations("--stop-words", "other.list")


def test_weights_that_do_not_say_are_warned_of() -> None:
    rw.Weights(np.eye(1), ["#th"], ["x"]).save("w.npz")
    assert (
        "rescorla: warning: w.npz: nothing is kept of what made the events; this text is coded as by "
        "default: give --cues-from and whatever else the text of the weights was coded with\n"
    ) in activations()
    check()
    assert "warning" not in activations("--cues-from", "bigrams")
    rw.learn([("#th", "x")]).save("w.npz")
    assert "w.npz: the events were read from list, which tells of no text; this text is" in activations()


def test_tables_and_events_are_what_they_are() -> None:
    learned("--symbols", "a-z")
    ok("events", "other.txt", "--cues-from", "bigrams", "-o", "e.rw", "--table", "e.tab")
    for file in ("e.rw", "e.tab"):
        found = said("activations", file, "w.npz", "--unknown", "ignore", "-o", "a.npy")
        assert "coded as" not in found.error
        assert "warning" not in found.error
        check(cues_from="bigrams")


def test_text_that_is_piped_in_is_coded_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    learned("--cues-from", "bigrams", "--symbols", "a-z")
    with Path("other.txt").open() as piped:
        monkeypatch.setattr("sys.stdin", piped)
        found = said("activations", "-", "w.npz", "--unknown", "ignore", "-o", "a.npy")
    assert "coded as  the events of w.npz: --cues-from bigrams --symbols a-z\n" in found.error
    check(cues_from="bigrams", symbols="a-z")


def treebank() -> None:
    words = "1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\tcats\tcat\tNOUN\t_\tNumber=Plur\t0\troot\t_\t_\n\n"
    Path("a.conllu").write_text(words)


def test_what_files_hold_is_taken_where_they_look_like_it() -> None:
    treebank()
    options: dict[str, Any] = {"format": "conllu", "cues_from": ["lemmas", "features"]}
    rw.learn(rw.corpus_events("a.conllu", **options)).save("w.npz")
    found = said("activations", "a.conllu", "w.npz", "-o", "a.npy")
    assert "coded as  the events of w.npz: --cues-from lemmas,features\n" in found.error
    assert "read as      CoNLL-U (lemmas of words, features of words -> words)" in found.error
    expected = rw.activations(rw.corpus_events("a.conllu", **options), rw.load_weights("w.npz"))
    assert np.array_equal(np.load("a.npy"), expected)
    # Other text has no lemmas.
    assert activations(status=1) == (
        "rescorla: error: w.npz: the cues of its events are lemmas and features, and running text has none; "
        "parse this text and give it as CoNLL-U, or give weights that were learned from running text\n"
    )
    assert "warning: --cues-from words: the events of w.npz were coded with --cues-from lemmas,features" in (
        activations("--cues-from", "words")
    )


def test_outcomes_of_a_treebank_matter_only_where_they_are_asked_for() -> None:
    treebank()
    options: dict[str, Any] = {"format": "conllu", "cues_from": "words", "outcomes_from": ["lemmas", "upos"]}
    rw.learn(rw.corpus_events("a.conllu", **options)).save("w.npz")
    assert "the events of w.npz: --cues-from words\n" in activations()
    check(cues_from="words")
    assert "the outcomes of its events are lemmas and upos, and running text has none" in (
        activations("--present-only", status=1)
    )
    assert said("activations", "a.conllu", "w.npz", "--present-only", "-o", "a.npy").status == 0
    assert np.load("a.npy").size == 4


def test_json_has_it() -> None:
    learned("--symbols", "a-z")
    told = ["activations", "other.txt", "w.npz", "--unknown", "ignore", "--top", "1"]
    assert json_of(*told)["coded_as"] == "the events of w.npz: --symbols a-z"
    assert "coded_as" not in json_of(*told, "--symbols", "a-z")


# info.


def lines(*told: object) -> dict[str, str]:
    """The description, by name."""
    found = ok("info", *told).splitlines()
    return {name.rstrip(): value for name, _, value in (line.partition("  ") for line in found)}


def described(file: str) -> dict[str, str]:
    """What info says of what made a file."""
    said_of = {name: value.strip() for name, value in lines(file).items()}
    return {name: value for name, value in said_of.items() if "made" in name}


BY = f"rescorla {rw.__version__}"


def test_info_says_each_step_in_plain_words() -> None:
    Path("cats.list").write_text("the\ncat\n")
    told = ["--symbols", "a-z", "--stop-words", "cats.list", "--cues-from", "words", "--window", "1,1"]
    told += ["--min-cue-count", "1", "--head", "2", "--passes", "3", "--shuffle", "--seed", "4"]
    ok("events", "text.txt", *told, "-o", "e.rw")
    steps = [
        "running text (up to 1 words before and 1 after -> words) of text.txt, cats.list, --symbols a-z "
        "--stop-words cats.list",
        "names that were filtered, min cue count 1",
        "the first 2 events",
        "3 times the tokens in random order, seed 4",
    ]
    # The corpus alone is what was read as text.
    steps[0] = steps[0].replace("text.txt, cats.list", "text.txt")
    expected = {f"made, step {n}": step for n, step in enumerate(steps, 1)} | {"made by": BY}
    assert described("e.rw") == expected
    ok("learn", "e.rw", "-o", "w.npz")
    assert described("w.npz") == {f"events: {name}": value for name, value in expected.items()}
    assert "events" not in lines("w.npz")
    parameters = rw.open_events("e.rw").parameters
    assert json_of("info", "e.rw")["parameters"] == parameters
    assert json_of("info", "w.npz")["parameters"]["events"] == parameters


def test_info_of_text_tables_and_files_that_do_not_say(tmp_path: Path) -> None:
    from eventfiles import unmade

    assert described("text.txt") == {}
    assert json_of("info", "text.txt")["parameters"]["function"] == "corpus_events"
    rw.read_events([("a", "x")], "e.rw")
    Path("e.rw").write_bytes(unmade(Path("e.rw")))
    assert described("e.rw") == {"made of": "what is not kept"}
    assert json_of("info", "e.rw")["parameters"] == {}
    rw.Weights(np.eye(1), ["a"], ["x"], {"events": "{} | padded"}).save("w.npz")
    assert lines("w.npz")["events"].strip() == "{} | padded"


STEPS: dict[str, tuple[Any, list[str]]] = {
    "a table": (
        lambda: rw.read_events([("a", "x"), ("b", "y")], limit=1, background="bg", duplicates="keep"),
        ["the events of <list>, as they were read, limit 1, background bg, duplicates keep"],
    ),
    "parts": (
        lambda: rw.concat_events([rw.read_events([("a", "x")]), rw.read_events([("b", "x")]).head(1)]),
        [
            "2 parts, joined: (the events of <list>, as they were read), (the events of <list>, as they were "
            "read; then the first 1 events)"
        ],
    ),
    "many parts": (
        lambda: rw.concat_events([rw.read_events([("a", "x")])] * 7),
        [f"7 parts, joined: {', '.join(['(the events of <list>, as they were read)'] * 5)}, and 2 more"],
    ),
    "others": (
        lambda: rw.read_events([("a", "x")] * 9)[[0, 1, 2, 3, 4, 5]].sample(3, 1).passes(2).swapped(),
        [
            "the events of <list>, as they were read",
            "Events.positions, positions 0, 1, 2, 3, 4 and 1 more",
            "Events.sample, n 3, seed 1",
            "2 times over, in their order",
            "Events.swapped",
        ],
    ),
    "lost": (
        lambda: rw.corpus_events(["a b"], cues_from=["words", str.upper], vocabulary={"a", "b"}),
        ["running text (<method_descriptor upper> of words -> words) of <list>, --vocabulary (2 words)"],
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_all_that_makes_events_has_words(name: str) -> None:
    make, steps = STEPS[name]
    events = make()
    found = [str(value) for value in origin.lines(events.parameters).values()]
    assert found[: len(steps)] == steps
    assert found[-1] == BY


def test_a_file_of_any_name_is_printed() -> None:
    odd = os.fsdecode(b"\xff\n.txt")
    found = origin.lines({"function": "corpus_events", "source": [odd], "version": "1\n"})
    assert found == {
        "made of": r"running text (trigrams of words -> words) of \udcff\n.txt",
        "made by": r"rescorla 1\n",
    }


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["<list of 3>"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*TextOptions._fields, "of", "function"]) | st.text(max_size=3), inner
        )
    ),
    max_leaves=8,
)


@given(
    st.sampled_from([*origin._SAYING, "concat_events", "other", 3]),
    st.dictionaries(
        st.sampled_from([*TextOptions._fields, "of", "source", "n", "seed", "test", "positions", "name"]),
        VALUES,
    ),
)
def test_whatever_is_kept_can_be_told(function: Any, kept: dict[str, Any]) -> None:
    found = origin.lines({"function": function, **kept})
    assert all(str(line).isprintable() for line in found.values())


def test_the_page_of_commands_says_that_text_is_coded_alike() -> None:
    assert (
        "as it did for the events of the weights"
        in cli.command.all_of(cli.parser())["activations"].format_help()
    )
