"""What made events is kept with them: through every maker, chain, file and pickle."""

import copy
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rescorla as rw
import strategies as some
from eventfiles import unmade
from hypothesis import given
from hypothesis import strategies as st
from reference import Event
from rescorla import _core, cli
from rescorla._events import made

ROWS: list[Event] = [
    (("a", "b"), ("x",), 2),
    (("b", "c"), ("y",), 1),
    (("a",), ("x", "y"), 3),
    (("d",), (), 1),
]
VERSION = {"version": rw.__version__}
READ = {
    "function": "read_events",
    "source": "<list>",
    "duplicates": "drop",
    "columns": None,
    "header": True,
    "limit": None,
    "background": None,
    **VERSION,
}

# What each maker of events from events says, but for what those were made of.
MAKERS: dict[str, tuple[Callable[[rw.Events], rw.Events], dict[str, Any]]] = {
    "sample": (lambda events: events.sample(9, 1), {"n": 9, "seed": 1}),
    "passes": (lambda events: events.passes(2, 3), {"n": 2, "seed": 3}),
    "passes, shuffled": (lambda events: events.shuffled(4), {"n": 1, "seed": 4}),
    "passes, of a generator": (
        lambda events: events.passes(2, np.random.default_rng(1)),
        {"n": 2, "seed": "<Generator>"},
    ),
    "passes, in order": (lambda events: events.passes(3), {"n": 3, "seed": None}),
    "with_background": (lambda events: events.with_background("always"), {"name": "always"}),
    "filter": (
        lambda events: events.filter(
            remove_cues=set("hgfecb"), outcome_map={"x": ["X", "x"]}, min_cue_count=1, duplicates="keep"
        ),
        {
            "remove_cues": list("bcefgh"),
            "min_cue_count": 1,
            "outcome_map": {"x": ["X", "x"]},
            "duplicates": "keep",
        },
    ),
    "distinct": (lambda events: events.distinct("one"), {"frequencies": "one"}),
    "head": (lambda events: events.head(3), {"n": 3}),
    "positions": (lambda events: events[[2, 0, 2]], {"positions": [2, 0, 2]}),
    "slice": (lambda events: events[3:0:-2], {"start": 3, "stop": 0, "step": -2}),
    "swapped": (lambda events: events.swapped(), {}),
    "split, to learn from": (
        lambda events: events.split(0.5, 2)[0],
        {"test": 0.5, "seed": 2, "part": "train"},
    ),
    "split, to test with": (lambda events: events.split(1)[1], {"test": 1, "seed": None, "part": "test"}),
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_method_says_what_it_did_and_to_what(name: str) -> None:
    make, options = MAKERS[name]
    events = rw.read_events(ROWS)
    assert events.parameters == READ
    function = f"Events.{name.partition(',')[0]}"
    assert make(events).parameters == {"function": function, **options, "of": READ, **VERSION}


def test_concat_has_all_its_parts() -> None:
    one, other = rw.read_events(ROWS), rw.read_events(iter(ROWS))
    expected = [READ, {**READ, "source": "<list_iterator>"}]
    joined = rw.concat_events([one, other])
    assert joined.parameters == {"function": "concat_events", "of": expected, **VERSION}


def test_readers_say_what_they_read(tmp_path: Path) -> None:
    table = tmp_path / "deep" / "events.tab"
    table.parent.mkdir()
    rw.read_events(ROWS).to_table(table)
    for source in (table, str(table)):
        assert rw.read_events(source, limit=2).parameters == {**READ, "source": "events.tab", "limit": 2}
    told = {"duplicates": "keep", "background": "always"}
    compiled = rw.read_events(
        table,
        tmp_path / "e.rw",
        columns={"cues": 0, "outcomes": "outcomes"},
        duplicates="keep",
        background="always",
    )
    expected = {
        **READ,
        **told,
        "source": "events.tab",
        "columns": {"cues": 0, "outcomes": "outcomes"},
    }
    assert compiled.parameters == expected
    again = rw.read_events(tmp_path / "e.rw", tmp_path / "f.rw")
    assert again.parameters == {**READ, "source": "e.rw", "of": expected}
    again = rw.read_events(compiled, tmp_path / "f.rw")
    assert again.parameters == {
        **{name: value for name, value in READ.items() if name != "source"},
        "of": expected,
    }
    frame = pd.DataFrame({"cues": ["a"], "outcomes": ["x"]})
    assert rw.read_events(frame).parameters["source"] == "<DataFrame>"


def test_text_has_its_files_and_all_options(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text("the words of a text\n", encoding="utf-8")
    (tmp_path / "stop.list").write_text("of\n", encoding="utf-8")
    found = rw.corpus_events(
        tmp_path,
        tmp_path / "e.rw",
        cues_from=["bigrams", str.upper],
        window=(1, 1),
        symbols="a-z",
        vocabulary=["words", "text", "the", "stop"],
        stop_words=tmp_path / "stop.list",
    ).parameters
    assert found["function"] == "corpus_events"
    assert found["source"] == ["a.txt", "b.txt", "stop.list"]
    assert found["cues_from"] == ["bigrams", "<method_descriptor upper>"]
    assert found["window"] == [1, 1]
    assert found["symbols"] == "a-z"
    assert found["stop_words"] == "stop.list"
    assert found["vocabulary"] == ["words", "text", "the", "stop"]
    assert found["boundary"] == "#"
    assert str(tmp_path) not in json.dumps(found)
    assert rw.corpus_events(["a line"]).parameters["source"] == "<list>"


def test_factors_are_a_maker_of_their_own() -> None:
    found = rw.factor_events({"Verb": ["give"], "Theme": ["new"]}, "Verb", separator="=").parameters
    assert (found["function"], found["source"]) == ("factor_events", "<dict>")
    assert (found["outcome"], found["factors"], found["separator"]) == ("Verb", ["Theme"], "=")


def test_the_command_line_says_what_python_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the words of a text\n", encoding="utf-8")
    told = ["--window", "2", "--symbols", "a-z", "--head", "2", "--shuffle", "--seed", "3"]
    assert cli.main(["events", "text.txt", *told, "-o", "told.rw"]) == 0
    rw.corpus_events("text.txt", window=2, symbols="a-z").head(2).shuffled(3).save("same.rw")
    assert Path("told.rw").read_bytes() == Path("same.rw").read_bytes()
    assert rw.open_events("told.rw").parameters["of"]["of"]["source"] == ["text.txt"]


# All of these take events and give events.
STEPS: dict[str, Callable[[rw.Events, Path], rw.Events]] = {
    **{name: lambda events, _, make=make: make(events) for name, (make, _) in MAKERS.items()},  # type: ignore[misc]
    "concat": lambda events, _: rw.concat_events([events, events]),
    "save": lambda events, path: events.save(path),
    "open": lambda events, path: rw.open_events(events.save(path).path or "", mapped=False),
    "pickle": lambda events, _: pickle.loads(pickle.dumps(events)),
    "copy": lambda events, _: copy.deepcopy(events),
}
# Those that do not change the events.
SAME = {"save", "open", "pickle", "copy"}


@pytest.mark.filterwarnings("ignore:.* names no ")
@given(some.events(max_events=4), st.lists(st.sampled_from(sorted(STEPS)), max_size=5), some.DUPLICATES)
def test_chains_say_each_step(folder: Path, rows: list[Event], names: list[str], duplicates: Any) -> None:
    rows = [*rows, *ROWS]
    events = rw.read_events(rows, duplicates=duplicates)
    expected: dict[str, Any] = {**READ, "duplicates": duplicates}
    for n, name in enumerate(names):
        if "always" in events.cues and name == "with_background":
            continue
        if len(events) < 4:
            break
        before, events = events, STEPS[name](events, folder / f"{n}.rw")
        if name in SAME:
            assert events.digest == before.digest
        elif name == "concat":
            expected = {"function": "concat_events", "of": [expected, expected], **VERSION}
        else:
            function = f"Events.{name.partition(',')[0]}"
            expected = {"function": function, **MAKERS[name][1], "of": expected, **VERSION}
        assert events.parameters == expected
        events.verify()


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(st.characters()),
        st.sampled_from(
            [Path("folder/name"), np.float32(0.5), np.int8(3), np.bool_(True), str.upper, object()]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.dictionaries(st.one_of(st.text(), st.integers()), inner),
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.text("abcdefg", min_size=1), VALUES))
def test_whatever_is_given_becomes_json(options: dict[str, Any]) -> None:
    text = made.made_by("f", **options)
    assert text == made.made_by("f", **options)
    text.encode()  # A name may have surrogates, the text has none.
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert list(found) == ["function", *options, "version"]
    for name, value in options.items():
        if value is None or isinstance(value, bool | str | int):
            assert found[name] == value


def test_what_is_long_is_counted() -> None:
    names = ["b", *(f"name {n}" for n in range(999)), "a"]
    events = rw.read_events(ROWS)
    for several, kind in ((names, "list"), (set(names), "set"), (dict.fromkeys(names, 1), "dict")):
        assert events.filter(keep_cues=several).parameters["keep_cues"] == f"<{kind} of 1,001>"
    assert events.filter(keep_cues=np.array(names)).parameters["keep_cues"] == "<ndarray of 1,001>"
    assert events.filter(keep_cues=np.array(["b", "a"])).parameters["keep_cues"] == ["b", "a"]
    assert events.filter(keep_cues=names[1:]).parameters["keep_cues"] == names[1:]


def test_loops_end() -> None:
    events = rw.read_events(ROWS)
    for _ in range(1100):
        events = events.head(4)
    found, depth = events.parameters, 0
    while isinstance(found["of"], dict):
        found, depth = found["of"], depth + 1
    assert (found["of"], depth) == ("<left out>", 32)
    for _ in range(30):
        events = rw.concat_events([events, events])[:4]
    assert len(json.dumps(events.parameters)) < 1 << 20
    with_names = events.filter(keep_cues=["a", *["b" * 2000] * 999])
    assert with_names.parameters == {"function": "Events.filter", **VERSION}
    assert with_names.head(1).parameters["of"] == with_names.parameters


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xe4.tab")
    path = tmp_path / name
    try:
        path.write_text("cues\toutcomes\na\tx\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system has no such names")
    assert made._source(path) == name
    assert json.loads(made.made_by("f", path))["source"] == name


def test_the_same_call_gives_the_same_bytes(tmp_path: Path) -> None:
    """Wherever the files lie: there are no folders in it, no times and no order of sets."""
    contents = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        (folder / "text.txt").write_text("the words of a text\n", encoding="utf-8")
        (folder / "list").write_text("the\nof\nwor\n", encoding="utf-8")
        events = rw.corpus_events(folder / "text.txt", folder / "e.rw", stop_words=folder / "list")
        events.filter(path=folder / "f.rw", keep_outcomes={"words", "text"}, keep_cues=folder / "list")
        contents.append([(folder / name).read_bytes() for name in ("e.rw", "f.rw")])
    assert contents[0] == contents[1]


def test_the_digest_does_not_know_what_made_the_events(tmp_path: Path) -> None:
    one = rw.read_events(ROWS, tmp_path / "one.rw")
    other = rw.read_events(iter(ROWS), tmp_path / "other.rw")
    assert one.parameters != other.parameters
    assert one.digest == other.digest
    assert unmade(tmp_path / "one.rw") == unmade(tmp_path / "other.rw")


def test_a_file_that_does_not_say_has_none(tmp_path: Path) -> None:
    path = tmp_path / "old.rw"
    rw.read_events(ROWS, path)
    path.write_bytes(unmade(path))
    old = rw.open_events(path)
    old.verify()
    assert old.parameters == {}
    assert old.digest == rw.read_events(ROWS).digest
    assert old.head(1).parameters["of"] == {}


@pytest.mark.parametrize(
    "text", ["", "[1]", "null", "{", "[" * 100_000], ids=["", "list", "null", "{", "deep"]
)
def test_what_is_no_json_object_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    _core.compile_events(ROWS, str(path), "drop", None, None, parameters=text)
    events = rw.open_events(path)
    with pytest.raises(rw.FormatError, match=r"e\.rw: expected parameters as a JSON object, found "):
        _ = events.parameters
    assert len(events) == len(ROWS)
