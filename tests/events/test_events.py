"""Events: the sources that they come from, and how they are looked at."""

import itertools
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import rescorla._core as _core

ROWS = [(("a", "b"), ("x",), 2), (("b", "c"), ("y", "x"), 1), (("a",), (), 0)]


def rows(events: rw.Events) -> list[tuple[tuple[str, ...], tuple[str, ...], int]]:
    return [(event.cues, event.outcomes, event.frequency) for event in events]


# Looking at events.


def test_counts_and_names() -> None:
    events = rw.read_events(ROWS)
    assert (len(events), events.n_tokens, events.n_cues, events.n_outcomes) == (3, 3, 3, 2)
    assert (events.cues, events.outcomes) == (("a", "b", "c"), ("x", "y"))
    assert events.cues is events.cues
    for counts, expected in (
        (events.cue_counts, [2, 3, 1]),
        (events.outcome_counts, [3, 1]),
        (events.frequencies, [2, 1, 0]),
    ):
        assert counts.dtype == np.int64
        assert counts.tolist() == expected


def test_an_event_has_fields() -> None:
    event = rw.read_events(ROWS)[1]
    assert isinstance(event, rw.Event)
    assert (event.cues, event.outcomes, event.frequency) == (("b", "c"), ("y", "x"), 1)


def test_iteration_crosses_blocks() -> None:
    expected = [((f"c{i % 100}",), (f"o{i % 7}",), i % 3) for i in range(10_001)]
    events = rw.read_events(expected)
    assert rows(events) == expected
    assert rows(events[4090:4100]) == expected[4090:4100]


def test_events_iterate_more_than_once_and_side_by_side() -> None:
    events = rw.read_events(ROWS)
    assert [(one, two) for one in events for two in events] == list(itertools.product(ROWS, ROWS))


# What the garbage collector runs while events are made. A test that hangs ends itself, and fails.
READ_IN_FINALISERS = """
import faulthandler, threading, sys
import rescorla as rw
faulthandler.dump_traceback_later(60, exit=True)
sys.setswitchinterval(1e-4)
events = rw.read_events([(f"c{i % 997}", f"o{i % 13}") for i in range(20_000)])
expected = list(events)
ran = []
class Node:
    def __init__(self):
        self.me = self
    def __del__(self):
        ran.append(finish())
def work():
    for _ in range(repeats):
        for start in range(0, 20_000, 4096):
            for _ in range(300):
                Node()
            found = events._file.events(start, start + 4096)
            assert found == [tuple(event) for event in expected[start : start + 4096]]
threads = [threading.Thread(target=work) for _ in range(n_threads)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert ran
print("finished")
"""


@pytest.mark.parametrize(
    ("finish", "n_threads"),
    [
        ("events[0] == expected[0]", 1),
        # Long enough for another thread to run meanwhile.
        ("sum(range(2000))", 2),
        ("events[9000] == expected[9000]", 2),
    ],
)
def test_a_finaliser_may_read_events_while_they_are_made(finish: str, n_threads: int) -> None:
    script = f"finish = lambda: {finish}\nn_threads, repeats = {n_threads}, 3\n{READ_IN_FINALISERS}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "finished\n", "")


@pytest.mark.parametrize("place", [0, 2, -1, -3, np.int32(1), True])
def test_an_index_is_that_of_a_sequence(place: Any) -> None:
    assert rw.read_events(ROWS)[place] == ROWS[place]


@pytest.mark.parametrize("place", [3, -4, 10**30])
def test_an_index_out_of_range(place: int) -> None:
    with pytest.raises(IndexError, match=f"no event {place} among 3"):
        rw.read_events(ROWS)[place]


@pytest.mark.parametrize("place", ["a", 1.0, None])
def test_an_index_of_another_type(place: Any) -> None:
    with pytest.raises(TypeError):
        rw.read_events(ROWS)[place]


@pytest.mark.parametrize("part", [slice(None, None, -1), slice(0, 0), slice(-2, None), slice(0, 99, 2)])
def test_a_slice_keeps_all_names(part: slice, tmp_path: Path) -> None:
    for events in (rw.read_events(ROWS), rw.read_events(ROWS, tmp_path / "e.rw")):
        found = events[part]
        assert rows(found) == ROWS[part]
        assert (found.cues, found.outcomes, found.path) == (events.cues, events.outcomes, None)
        assert found.n_tokens == sum(frequency for _, _, frequency in ROWS[part])


def test_parts_learn_what_the_whole_learns() -> None:
    events = rw.read_events(ROWS)
    weights = rw.learn(events[:1])
    weights = rw.learn(events[1:], initial=weights)
    whole = rw.learn(events)
    assert (weights.cues, weights.outcomes) == (whole.cues, whole.outcomes)
    assert weights.values.tobytes() == whole.values.tobytes()


def test_the_representation_begins_with_counts(tmp_path: Path) -> None:
    events = rw.read_events(ROWS)
    assert repr(events).split("\n")[0] == "<Events: 3 events, 3 tokens, 3 cues, 2 outcomes; in memory>"
    saved = events.save(tmp_path / "e.rw")
    where = repr(str(tmp_path / "e.rw"))
    assert repr(saved).startswith(f"<Events: 3 events, 3 tokens, 3 cues, 2 outcomes; {where}>\n")


def test_events_are_equal_by_identity() -> None:
    events = rw.read_events(ROWS)
    assert events == events
    assert events != rw.read_events(ROWS)


def test_matrices_count_duplicates() -> None:
    events = rw.read_events([("b_a_b", "x"), ("a", "y_x", 7)], duplicates="keep")
    cues, outcomes = events.cue_matrix(), events.outcome_matrix()
    assert cues.dtype == outcomes.dtype == np.int64
    assert cues.toarray().tolist() == [[2, 1], [0, 1]]
    assert outcomes.toarray().tolist() == [[1, 0], [1, 1]]
    assert cues.has_canonical_format
    # As all of scikit-learn takes them.
    assert cues.indices.dtype == cues.indptr.dtype == outcomes.indices.dtype == np.int32
    assert events.cue_counts.tolist() == [2, 8]


def test_no_events(tmp_path: Path) -> None:
    for events in (rw.read_events([]), rw.read_events([], tmp_path / "e.rw"), rw.read_events(ROWS)[:0]):
        assert (len(events), events.n_tokens, list(events)) == (0, 0, [])
        assert events.cue_matrix().shape == (0, events.n_cues)
        assert rw.learn(events).values.shape == (events.n_cues, events.n_outcomes)


# Sources.


@pytest.mark.parametrize(
    ("event", "cues", "outcomes"),
    [
        (("h_a_n_d", "hand_plural"), ("h", "a", "n", "d"), ("hand", "plural")),
        ((["h_a", "b"], ("x_y",)), ("h_a", "b"), ("x_y",)),
        (({"c", "a", "b"}, frozenset("yx")), ("a", "b", "c"), ("x", "y")),
        ((iter("ab"), {"y": 1, "x": 2}), ("a", "b"), ("y", "x")),
        (["a", "x"], ("a",), ("x",)),
        (("a", []), ("a",), ()),
        (([], "x"), (), ("x",)),
    ],
)
def test_an_iterable_of_events(event: Any, cues: tuple[str, ...], outcomes: tuple[str, ...]) -> None:
    assert rows(rw.read_events([event])) == [(cues, outcomes, 1)]


def frames() -> dict[str, Callable[[dict[str, Any]], Any]]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    return {
        "pandas": pd.DataFrame,
        "arrow-backed pandas": lambda data: pa.table(data).to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.DataFrame,
        "arrow": pa.table,
        "arrow batch": pa.record_batch,
    }


@pytest.mark.parametrize("library", frames())
@pytest.mark.parametrize("header", [("cues", "outcomes", "frequency"), ("Cues", "OUTCOMES", "Frequency")])
@pytest.mark.parametrize("listed", [False, True])
def test_a_data_frame(library: str, header: tuple[str, str, str], listed: bool, tmp_path: Path) -> None:
    columns: list[list[Any]] = [["a_b", "c"], ["x", "y_x"]]
    if listed:
        columns = [[names.split("_") for names in column] for column in columns]
    data = {"other": [1.5, None], header[2]: [2, 3], **dict(zip(header, columns, strict=False))}
    expected = [(("a", "b"), ("x",), 2), (("c",), ("y", "x"), 3)]
    frame = frames()[library](data)
    assert rows(rw.read_events(frame)) == expected
    assert rows(rw.read_events(frame, tmp_path / "e.rw")) == expected
    del data[header[2]]
    assert rows(rw.read_events(frames()[library](data))) == [
        (cues, outcomes, 1) for cues, outcomes, _ in expected
    ]


@pytest.mark.parametrize("library", frames())
def test_a_data_frame_without_a_column(library: str) -> None:
    with pytest.raises(
        ValueError, match=r"columns cues, outcomes .* found \['cues', 'words'\]; add outcomes"
    ):
        rw.read_events(frames()[library]({"cues": ["a"], "words": ["x"]}))


def test_an_exact_name_of_a_column_wins() -> None:
    data = {"CUES": ["wrong"], "cues": ["a"], "outcomes": ["x"], "Outcomes": ["wrong"]}
    assert rows(rw.read_events(frames()["polars"](data))) == [(("a",), ("x",), 1)]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_value_in_a_data_frame_names_its_event(missing: Any) -> None:
    frame = frames()["pandas"]({"cues": ["a", missing], "outcomes": ["x", "y"]}).astype(object)
    with pytest.raises(TypeError, match="event 1"):
        rw.read_events(frame)


def test_events_are_a_source() -> None:
    again = rw.read_events(rw.read_events(ROWS), background="always")
    assert [event.frequency for event in again] == [2, 1, 0]
    assert all("always" in event.cues for event in again)


def table(path: Path) -> Path:
    path.write_text("cues\toutcomes\na_b\tx\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", [str, Path, os.fsencode])
def test_a_path_is_a_table_or_an_event_file(kind: Any, tmp_path: Path) -> None:
    source = kind(table(tmp_path / "e.tab"))
    if kind is os.fsencode:
        with pytest.raises(TypeError, match="not bytes"):
            rw.read_events(source)
        return
    expected = [(("a", "b"), ("x",), 1)]
    assert rows(rw.read_events(source)) == expected
    compiled = rw.read_events(source, tmp_path / "e.rw")
    assert (rows(compiled), compiled.path) == (expected, str(tmp_path / "e.rw"))
    assert rows(rw.read_events(kind(tmp_path / "e.rw"), background="c")) == [(("c", "a", "b"), ("x",), 1)]
    for path in (source, kind(tmp_path / "e.rw")):
        assert rw.learn(path).cues == ("a", "b")
        assert rw.equilibrium(path).cues == ("a", "b")
        assert rw.activations(path, rw.learn(path)).shape == (1, 1)


@pytest.mark.parametrize(
    "call", [rw.read_events, rw.learn, rw.equilibrium, lambda p: rw.read_events(p, f"{p}.rw")]
)
def test_running_text_is_for_corpus_events(call: Any, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("In the beginning was the word.\n")
    with pytest.raises(ValueError, match=r"text\.txt: expected an event table.*corpus_events"):
        call(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("source", [5, None, b"a_b", {"cues": ["a"], "outcomes": ["x"]}, object()])
def test_a_source_of_another_type(source: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(source).__name__}"):
        rw.read_events(source)


def test_duplicates_is_one_of_three() -> None:
    calls: list[Callable[..., rw.Events]] = [rw.read_events, rw.corpus_events]
    for call in calls:
        with pytest.raises(ValueError, match="'drop' or 'keep' or 'error', not 'no'"):
            call([], duplicates="no")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing"
    calls: list[Callable[..., object]] = [rw.open_events, rw.read_events, rw.corpus_events, rw.learn]
    for call in calls:
        with pytest.raises(FileNotFoundError) as caught:
            call(path)
        assert str(caught.value.filename) == str(path)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_text_comes_back_whole(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    missing = folder + b"/missing-\xff"
    calls: list[Callable[..., object]] = [rw.open_events, rw.read_events, rw.learn]
    for call in calls:
        with pytest.raises(FileNotFoundError) as caught:
            call(os.fsdecode(missing))
        assert os.fsencode(caught.value.filename) == missing
    with pytest.raises(FileNotFoundError) as caught:
        rw.read_events(ROWS, os.fsdecode(missing + b"/events.bin"))
    assert os.fsencode(caught.value.filename).startswith(missing)
    path = folder + b"/events-\xff"
    for events in (rw.read_events(ROWS, os.fsdecode(path)), rw.open_events(os.fsdecode(path))):
        assert events.path is not None
        assert os.fsencode(events.path) == path
        assert rows(events) == ROWS


def test_open_events_refuses_a_table(tmp_path: Path) -> None:
    with pytest.raises(rw.FormatError, match=r"e\.tab"):
        rw.open_events(table(tmp_path / "e.tab"))


def test_a_table_goes_round(tmp_path: Path) -> None:
    events = rw.read_events(ROWS)
    events.to_table(tmp_path / "e.tab")
    assert rows(rw.read_events(tmp_path / "e.tab")) == ROWS
    events.verify()
    assert events.info()["n_events"] == 3


def test_a_frequency_in_any_chunk_makes_a_column(tmp_path: Path) -> None:
    events = [(("a",), ("x",), 2), *[(("a",), ("x",), 1)] * 70_000]
    rw.read_events(events).to_table(tmp_path / "e.tab")
    assert rows(rw.read_events(tmp_path / "e.tab")) == events


# Running text.


def test_one_path_several_paths_or_lines(tmp_path: Path) -> None:
    one, two = tmp_path / "1.txt", tmp_path / "2.txt"
    one.write_text("the cat\n")
    two.write_text("The mat\n")
    outcomes = [("the",), ("cat",), ("the",), ("mat",)]
    corpus: Any
    for corpus in ([one, two], (one, two), iter([one, two]), (each for each in (one, str(two)))):
        assert [event.outcomes for event in rw.corpus_events(corpus)] == outcomes
    for corpus in (["the cat", "The mat"], iter(["the cat", "", "The mat"])):
        assert [event.outcomes for event in rw.corpus_events(corpus)] == outcomes
    for corpus in (one, str(one)):
        assert [event.outcomes for event in rw.corpus_events(corpus)] == outcomes[:2]
    assert len(rw.corpus_events([])) == 0
    compiled = rw.corpus_events([one, two], tmp_path / "e.rw")
    assert compiled.path == str(tmp_path / "e.rw")
    assert [event.outcomes for event in compiled] == outcomes


@pytest.mark.parametrize(
    ("keywords", "cues"),
    [
        ({}, ("#no", "noo", "oon", "on#")),
        ({"cues_from": "bigrams"}, ("#n", "no", "oo", "on", "n#")),
        ({"cues_from": "unigrams"}, ("n", "o")),
        ({"cues_from": "words"}, ("noon",)),
        ({"boundary": "+"}, ("+no", "noo", "oon", "on+")),
        ({"background": "always"}, ("always", "#no", "noo", "oon", "on#")),
        ({"cues_from": "unigrams", "duplicates": "keep"}, ("n", "o", "o", "n")),
        ({"window": 1, "context": "line", "outcomes_from": "words"}, ("#no", "noo", "oon", "on#")),
        ({"symbols": "a-z"}, ("#no", "noo", "oon", "on#")),
    ],
)
def test_what_of_a_word_is_its_cues(keywords: dict[str, Any], cues: tuple[str, ...]) -> None:
    assert rows(rw.corpus_events(["Noon"], **keywords)) == [(cues, ("noon",), 1)]


def test_symbols_make_up_words() -> None:
    found = rw.corpus_events(["Don't, I said!"], symbols="A-Za-z", lower=False)
    assert [event.outcomes[0] for event in found] == ["Don", "t", "I", "said"]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"cues_from": "letters"}, "'trigrams' or 'bigrams' or 'unigrams' or 'words', not 'letters'"),
        (
            {"outcomes_from": "lemmas"},
            "outcomes_from can be 'lemmas' with the format 'conllu' only, not 'text'",
        ),
        (
            {"cues_from": 0},
            "cues_from must be a whole number of 1 or more, or a name such as 'trigrams', not 0",
        ),
        ({"window": 0}, "window must be a whole number of 1 or more, or a pair"),
        ({"window": "line"}, "window must be None or 'context', not 'line'"),
        ({"window": (0, 0)}, "window must have a neighbour"),
        ({"window": (1, 2, 3)}, r"a pair \(before, after\) or 'context', not 3 numbers"),
        ({"context": "text"}, "'line' or 'sentence' or 'paragraph' or 'document', not 'text'"),
        ({"letters": "bytes"}, "letters must be 'codepoints' or 'graphemes', not 'bytes'"),
        ({"normalize": "nfc"}, "normalize must be None or 'NFC' or .* not 'nfc'"),
        ({"unknown": "drop"}, "unknown must be 'error' or 'ignore' or 'keep', not 'drop'"),
        (
            {"format": "xml"},
            "format must be None or 'text' or 'subtitles' or 'conllu' or 'conll' or 'chat', not 'xml'",
        ),
    ],
)
def test_an_argument_that_is_not_there_lists_those_that_are(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rw.corpus_events(["a"], **keywords)


class Liar(list[Any]):
    """Says that it is as long as no memory is."""

    def __len__(self) -> int:
        return 10**12


@pytest.mark.parametrize(
    "symbols", [range(10**12), Liar(["a"]), [("a",)], [("ab", "c")], {"a": "b"}, 5, ["a-z", "b"]]
)
def test_symbols_of_another_type(symbols: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="symbols"):
        rw.corpus_events(["a"], symbols=symbols)


def test_as_many_items_are_taken_as_there_are() -> None:
    file = rw.read_events(ROWS)._file
    assert _core.EventFile.concat(Liar([file, file])).n_events == 6
    pointers, ids = np.arange(4), np.zeros(3, dtype=np.int64)
    assert file.filter((Liar(["n"]), pointers, ids, "drop"), None).cue_names() == ("n",)
    for wrong in ("ab", range(10**12), 5, iter([file])):
        with pytest.raises(TypeError):
            _core.EventFile.concat(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("corpus", [5, b"text", {"a": 1}, None, [1], ["a", 1], [pathlib.PurePath("a"), 1]])
def test_a_corpus_of_another_type(corpus: Any) -> None:
    with pytest.raises(TypeError):
        rw.corpus_events(corpus)


# Activations of events and of bare cue sets.

WEIGHTS = rw.Weights([[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"])


@pytest.mark.parametrize(
    ("cues", "expected"),
    [
        ("red", [0.5, 0.0]),
        ("red_blue", [0.75, -0.5]),
        ("red_red", [0.5, 0.0]),
        (["red", "blue", "red"], [0.75, -0.5]),
        ({"blue"}, [0.25, -0.5]),
        ([], [0.0, 0.0]),
    ],
)
def test_a_bare_cue_set(cues: Any, expected: list[float]) -> None:
    assert rw.activations([cues], WEIGHTS).tolist() == [expected]
    assert rw.activations(iter([cues, "red"]), WEIGHTS, outcomes=["n"]).tolist() == [expected[1:], [0.0]]


def test_an_outcome_that_is_named_twice_is_kept_as_cues_are(tmp_path: Path) -> None:
    rows = [("a_b_a", "x_y_x", 2), ("b", "y"), ("b_c", "z_z_z_x", 3)]
    kept, dropped = (rw.read_events(rows, duplicates=each) for each in ("keep", "drop"))
    assert [event.outcomes for event in kept] == [("x", "y", "x"), ("y",), ("z", "z", "z", "x")]
    assert kept.outcomes == ("x", "y", "z")
    assert kept.outcome_counts.tolist() == [2 * 2 + 3, 2 + 1, 3 * 3]
    assert kept.outcome_matrix().toarray().tolist() == [[2, 1, 0], [0, 1, 0], [1, 0, 3]]
    kept.save(tmp_path / "kept.rw").verify()
    kept.to_table(tmp_path / "kept.tab")
    assert list(rw.read_events(tmp_path / "kept.tab", duplicates="keep")) == list(kept)
    stored, joined = rw.open_events(tmp_path / "kept.rw"), rw.concat_events([kept, kept[3:]])
    for same in (kept[:], stored, joined, kept.filter()):
        assert list(same) == list(kept)
    renamed = kept.filter(outcome_map={"x": "X", "y": "X"}, duplicates="keep")
    assert [event.outcomes for event in renamed] == [("X", "X", "X"), ("X",), ("X",)]
    assert kept.filter(keep_outcomes=["x"])[0].outcomes == ("x", "x")
    assert [event.outcomes for event in dropped] == [("x", "y"), ("y",), ("z", "x")]
    # A word that a window has twice, in text.
    text = rw.corpus_events(["no no"], cues_from="unigrams", window="context", duplicates="keep")
    assert text[0].outcomes == ("no", "no")


def test_duplicates_that_events_keep_count() -> None:
    events = rw.read_events([("red_red", "y", 5), ("blue", "n_y")], duplicates="keep")
    assert rw.activations(events, WEIGHTS).tolist() == [[1.0, 0.0], [0.25, -0.5]]
    assert rw.activations(events, WEIGHTS, present_only=True).tolist() == [1.0, -0.5, 0.25]


def test_a_data_frame_has_events() -> None:
    frame = frames()["polars"]({"cues": ["red_blue"], "outcomes": ["n"]})
    assert rw.activations(frame, WEIGHTS).tolist() == [[0.75, -0.5]]


def test_unknown_names() -> None:
    events = rw.read_events([("red_green", "y_z"), ("green", "n")])
    with pytest.raises(KeyError, match=r"do not have the cue 'green'.*let unknown be 'ignore'"):
        rw.activations(events, WEIGHTS)
    assert rw.activations(events, WEIGHTS, unknown="ignore").tolist() == [[0.5, 0.0], [0.0, 0.0]]
    known = rw.read_events([("red", "y_z")])
    assert rw.activations(known, WEIGHTS).tolist() == [[0.5, 0.0]]
    with pytest.raises(KeyError, match="do not have the outcome 'z'"):
        rw.activations(known, WEIGHTS, present_only=True)
    found = rw.activations(known, WEIGHTS, present_only=True, unknown="ignore")
    np.testing.assert_array_equal(found, [0.5, np.nan])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
def test_the_type_is_that_of_the_weights_or_the_one_asked_for(dtype: Any, order: Any) -> None:
    weights = rw.Weights(np.array(WEIGHTS.values, "f4", order=order), WEIGHTS.cues, WEIGHTS.outcomes)
    found = rw.activations(["red_blue"], weights, dtype=dtype)
    assert found.dtype == np.dtype(dtype or "float32")
    assert found.tolist() == [[0.75, -0.5]]


def test_activations_into_an_array_or_a_file(tmp_path: Path) -> None:
    events = rw.read_events([("red", "y"), ("red_blue", "n")])
    expected = [[0.5, 0.0], [0.75, -0.5]]
    out = np.full((2, 2), 9.0)
    assert rw.activations(events, WEIGHTS, out=out) is out
    assert out.tolist() == expected
    found = rw.activations(events, WEIGHTS, out=tmp_path / "a.npy")
    assert isinstance(found.base, np.memmap)
    assert np.load(tmp_path / "a.npy").tolist() == found.tolist() == expected
    assert [each.name for each in tmp_path.iterdir()] == ["a.npy"]


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"weights": WEIGHTS.values}, TypeError, "weights must be Weights, not an ndarray"),
        ({"unknown": "drop"}, ValueError, "'error' or 'ignore'"),
        ({"outcomes": "y"}, TypeError, "several names"),
        ({"outcomes": ["z"]}, KeyError, "'z'"),
        ({"outcomes": ["y", "y"]}, ValueError, "twice"),
        ({"outcomes": ["y"], "present_only": True}, ValueError, "one of them"),
        ({"events": ["red"], "present_only": True}, ValueError, "bare cue sets"),
        ({"events": 5}, TypeError, "not int"),
        ({"events": {"red": 1}}, TypeError, "not dict"),
        ({"out": np.zeros((1, 3))}, ValueError, "shape"),
        ({"out": np.zeros((1, 2), "f4")}, ValueError, "float32"),
        ({"out": "a.txt"}, ValueError, r"\.npy"),
        ({"dtype": "int8"}, ValueError, "float64"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(keywords: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        rw.activations(**{"events": rw.read_events([("red", "y")]), "weights": WEIGHTS, **keywords})


# Progress.

MANY = [("a_b", "x")] * 20_000


def test_a_callable_is_told_and_its_exception_comes_out() -> None:
    seen: list[tuple[int, int]] = []
    rw.read_events(iter(MANY), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == len(MANY)

    def stop(done: int, total: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        rw.read_events(iter(MANY), progress=stop)


@pytest.mark.parametrize("with_tqdm", [True, False])
@pytest.mark.parametrize("source", [list, iter], ids=["known total", "unknown total"])
def test_a_bar_is_shown_and_taken_away(
    with_tqdm: bool, source: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    rw.read_events(source(MANY), progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "reading" in shown.err
    assert shown.err.endswith("\r")
    rw.read_events(MANY, progress=False)
    rw.read_events(MANY)
    assert capsys.readouterr().err == ""


def test_a_bar_by_default_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    rw.read_events(MANY)
    assert "reading" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stderr", None)
    rw.read_events(MANY)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("read", [rw.read_events, rw.learn])
def test_what_can_be_read_once_is_refused(tmp_path: pathlib.Path, read: Any) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Somebody has it open for writing, so that opening does not wait.
    end = os.open(pipe, os.O_RDWR)
    try:
        with pytest.raises(ValueError, match="expected a file, whose content tells what it is"):
            read(pipe)
    finally:
        os.close(end)
