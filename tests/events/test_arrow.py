"""Tables as Arrow data: the same events, byte for byte, as the same rows in a list."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import rescorla as rw
import rescorla._core as _core
import strategies as some
from eventfiles import unmade
from hypothesis import given
from hypothesis import strategies as st
from reference import Event
from rescorla._events import frames

TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
CODES = [pa.dictionary(code, text) for code in (pa.int8(), pa.uint32(), pa.int64()) for text in TEXTS[:2]]
INTEGERS = [getattr(pa, sign + width)() for sign in ("int", "uint") for width in ("8", "16", "32", "64")]


class Owner:
    """Has Arrow data and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """As the PyCapsule interface asks."""
        return self._table.__arrow_c_stream__(requested_schema)


def table_of(names: Any, integers: Any, rows: list[Event], *, listed: bool) -> Any:
    """An arrow table of events, in columns of the given types."""
    cell: Callable[[Any], Any] = list if listed else "_".join
    cells = [[cell(event[side]) for event in rows] for side in (0, 1)]
    frequency = pa.array([event[2] for event in rows], integers)
    return pa.table(
        {"cues": array(cells[0], names), "outcomes": array(cells[1], names), "frequency": frequency}
    )


def array(cells: list[Any], kind: Any) -> Any:
    """An arrow array of a type; arrow itself does not make codes of large strings before pyarrow 25."""
    if not pa.types.is_dictionary(kind):
        return pa.array(cells, kind)
    coded = pa.array(cells, kind.value_type).dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices.cast(kind.index_type), coded.dictionary)


def sliced(table: Any, cuts: list[int], *, padded: bool) -> Any:
    """The same rows in several chunks, which begin anywhere in their buffers."""
    if padded and len(table):
        table = pa.concat_tables([table, table, table]).combine_chunks().slice(len(table), len(table))
    ends = sorted({0, *(cut % (len(table) + 1) for cut in cuts), len(table)})
    parts = [table.slice(start, end - start) for start, end in pairwise(ends)]
    return pa.concat_tables(parts) if parts else table


@some.MAY_HAVE_BLANKS
@given(
    st.data(),
    some.DUPLICATES,
    st.sampled_from([*TEXTS, *CODES, *map(pa.list_, TEXTS), *map(pa.large_list, TEXTS)]),
    st.sampled_from(INTEGERS),
    st.lists(st.integers(0, 50), max_size=4),
    st.booleans(),
)
def test_arrow_data_are_the_events_of_their_rows(
    folder: Path,
    data: st.DataObject,
    duplicates: Any,
    names: Any,
    integers: Any,
    cuts: list[int],
    padded: bool,
) -> None:
    listed = pa.types.is_list(names) or pa.types.is_large_list(names)
    rows = data.draw(some.events(some.VERBATIM_NAMES if listed else some.TABLE_NAMES))
    rows = [(cues, outcomes, frequency % 100) for cues, outcomes, frequency in rows]
    expected = rw.read_events(rows, folder / "rows.bin", duplicates=duplicates, background="always")
    table = sliced(table_of(names, integers, rows, listed=listed), cuts, padded=padded)
    for source in (table, Owner(table), table.to_reader()):
        found = rw.read_events(source, folder / "arrow.bin", duplicates=duplicates, background="always")
        assert len(found) == len(expected)
        assert unmade(folder / "arrow.bin") == unmade(folder / "rows.bin")


@pytest.mark.filterwarnings("ignore:a str of outcomes", "ignore:.* by blanks at their ends")
@some.MAY_HAVE_BLANKS
@given(some.events(some.TABLE_NAMES), st.sampled_from(["pandas", "objects", "categories", "polars", "Enum"]))
def test_data_frames_are_the_events_of_their_rows(folder: Path, rows: list[Event], kind: str) -> None:
    joined = [("_".join(cues), "_".join(outcomes), frequency) for cues, outcomes, frequency in rows]
    columns = ["Cues", "outcomes", "FREQUENCY"]
    schema = [("Cues", pl.String), ("outcomes", pl.String), ("FREQUENCY", pl.Int64)]
    frame: Any
    if kind in ("polars", "Enum"):
        frame = pl.DataFrame(joined, schema=schema, orient="row")
        if kind == "Enum":
            frame = frame.with_columns(pl.col("Cues").cast(pl.Categorical))
    else:
        frame = pd.DataFrame(joined, columns=columns)
        if kind == "objects":
            frame = frame.astype({"Cues": object, "outcomes": object})
        elif kind == "categories":
            frame = frame.astype({"Cues": "category", "outcomes": "category"})
    rw.read_events(rows, folder / "rows.bin")
    rw.read_events(frame, folder / "frame.bin")
    assert unmade(folder / "frame.bin") == unmade(folder / "rows.bin")


def test_a_frame_of_polars_without_any_name_has_its_events() -> None:
    frame = pl.DataFrame({"cues": [[], []], "outcomes": [["x"], []], "frequency": [3, 4]})
    assert list(rw.read_events(frame)) == [((), ("x",), 3), ((), (), 4)]


def test_what_a_data_frame_holds_decides_how_it_is_read() -> None:
    data = {"cues": ["a_b"], "outcomes": ["x"], "note": [object()]}
    assert frames.gives_arrow(pd.DataFrame(data))
    assert frames.gives_arrow(pd.DataFrame(data).astype(object))
    assert not frames.gives_arrow(pd.DataFrame({"cues": [{"b", "a"}], "outcomes": ["x"]}))
    assert not frames.gives_arrow(pl.DataFrame({"cues": [{"b", "a"}], "outcomes": ["x"]}, strict=False))
    assert frames.gives_arrow(pl.DataFrame({"cues": [["a", "b"]], "outcomes": ["x"]}))
    assert not frames.gives_arrow(pl.DataFrame({"cues": [[], []], "outcomes": [["x"], []]}))
    assert not frames.gives_arrow(pd.Series(["a"]))
    assert not frames.gives_arrow([("a", "x")])


def test_a_set_in_a_data_frame_is_taken_in_sorted_order() -> None:
    names = [f"c{i}" for i in range(20)]
    for frame in (
        pd.DataFrame({"cues": [set(names), {"c1"}], "outcomes": ["x", "y"]}),
        pl.DataFrame({"cues": [set(names), {"c1"}], "outcomes": ["x", "y"]}, strict=False),
    ):
        assert rw.read_events(frame)[0].cues == tuple(sorted(names))


def test_a_data_frame_without_pyarrow_is_read_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", refuse)
    frame = pd.DataFrame({"cues": ["a_b", "a"], "outcomes": ["x", "y"]})
    assert rw.read_events(frame).cues == ("a", "b")


@pytest.mark.parametrize("listed", [False, True])
def test_rows_that_are_spelt_alike_are_told_apart(listed: bool) -> None:
    rows: list[Event] = [(("a",), ("b",), 1), (("a", "b"), (), 1), ((), ("a", "b"), 1), (("a",), ("b",), 2)]
    rows += [(("ab",), (), 1), ((), ("ab",), 1)]
    table = table_of(pa.list_(pa.string()) if listed else pa.string(), pa.int64(), rows * 2, listed=listed)
    assert [tuple(event) for event in rw.read_events(table)] == rows * 2


@pytest.mark.parametrize("empty", [pd.DataFrame, pl.DataFrame, pa.table])
def test_an_empty_table_has_no_events(empty: Any) -> None:
    assert len(rw.read_events(empty({"cues": [], "outcomes": []}))) == 0
    assert len(rw.read_events(empty({"cues": [], "outcomes": [], "frequency": []}))) == 0


def test_a_series_of_events_is_an_iterable() -> None:
    assert rw.read_events(pd.Series([("a_b", "x"), ("b", "y")])).cues == ("a", "b")


def test_a_struct_array_is_a_table() -> None:
    rows = pa.array([{"cues": "a_b", "outcomes": "x"}, {"cues": "b", "outcomes": "y"}])
    assert rw.read_events(pa.chunked_array([rows])).outcomes == ("x", "y")


def test_a_stream_is_read_as_it_is_made() -> None:
    made: list[int] = []

    def batches() -> Iterator[Any]:
        for number in range(200):
            made.append(number)
            yield pa.record_batch({"cues": [f"c{number}"] * 100, "outcomes": ["x"] * 100})

    schema = pa.schema({"cues": pa.string(), "outcomes": pa.string()})
    events = rw.read_events(pa.RecordBatchReader.from_batches(schema, batches()))
    assert (len(events), events.n_cues, made) == (20_000, 200, list(range(200)))


def test_an_error_of_a_stream_is_told() -> None:
    def batches() -> Iterator[Any]:
        yield pa.record_batch({"cues": ["a"], "outcomes": ["x"]})
        raise RuntimeError("the well is dry")

    schema = pa.schema({"cues": pa.string(), "outcomes": pa.string()})
    with pytest.raises(ValueError, match="the well is dry"):
        rw.read_events(pa.RecordBatchReader.from_batches(schema, batches()))


@given(known=some.events(frequencies=st.integers(1, 3)).filter(len))
def test_duckdb_takes_events_and_gives_them_back(known: list[Event]) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install rescorla[test]")
    events = rw.read_events(known, duplicates="keep")
    with duckdb.connect() as base:
        base.register("frame", events.to_polars())
        ((n_tokens, n_slots),) = base.sql(
            "SELECT sum(frequency)::INT, sum(len(cues))::INT FROM frame"
        ).fetchall()
        again = rw.read_events(base.sql("SELECT frequency, outcomes, cues FROM frame"), duplicates="keep")
    assert n_tokens == events.n_tokens
    assert n_slots == sum(len(event.cues) for event in events)
    assert list(again) == list(events)


def test_duckdb_takes_a_pandas_frame_of_events() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install rescorla[test]")
    events = rw.read_events([("a_b", "x", 3), ("b", "x_y", 2)])
    with duckdb.connect() as base:
        base.register("frame", events.to_pandas())
        again = rw.read_events(base.sql("SELECT * FROM frame WHERE list_contains(cues, 'a')"))
    assert list(again) == list(events[:1])


def test_activations_take_arrow_data() -> None:
    table = pa.table({"cues": ["a", "a_b"], "outcomes": ["x", "y"]})
    weights = rw.Weights(np.array([[1.0, 2.0], [3.0, 4.0]]), ["a", "b"], ["x", "y"])
    expected = [[1.0, 2.0], [4.0, 6.0]]
    assert rw.activations(table, weights).tolist() == expected
    owner: Any = Owner(table)
    assert rw.activations(owner, weights).tolist() == expected


# What is refused.


def with_column(name: str, column: Any) -> Any:
    """A table of two chunks whose last row, event 5, is that of the column."""
    good = {"cues": ["a_b"] * 5, "outcomes": ["x"] * 5, "frequency": [1] * 5}
    first = pa.table({**good, name: column.slice(0, 1).take([0] * 5)})
    last = pa.table({"cues": ["a"], "outcomes": ["x"], "frequency": [1]})
    last = last.set_column(last.column_names.index(name), name, column.slice(1))
    return pa.concat_tables([first, last])


# "a", and two bytes that are no text.
INVALID = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 3], "i4").tobytes()), pa.py_buffer(b"ab\xff")]
)
DEFECTS: dict[str, tuple[str, Any, str]] = {
    "null": ("cues", pa.array(["a", None]), "a value in the column cues, found null; fill the column"),
    "null outcomes": ("outcomes", pa.array(["a", None]), "in the column outcomes, found null"),
    "null list": ("cues", pa.array([["a"], None]), "in the column cues, found null"),
    "null in a list": ("cues", pa.array([["a"], ["a", None]]), "in the column cues, found null"),
    "null code": ("cues", pa.array(["a", None]).dictionary_encode(), "in the column cues, found null"),
    "null behind a code": (
        "cues",
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None])),
        "in the column cues, found null",
    ),
    "null frequency": ("frequency", pa.array([1, None]), "in the column frequency, found null"),
    "negative": ("frequency", pa.array([1, -1], pa.int8()), "a frequency of 0 or more, .* found -1"),
    "too many": ("frequency", pa.array([1, 2**40]), "found 1099511627776"),
    "beyond u64": ("frequency", pa.array([1, 2**64 - 1], pa.uint64()), "found 18446744073709551615"),
    "empty name": ("cues", pa.array(["a", "b__c"]), "a name, found an empty one"),
}


@pytest.mark.parametrize(("name", "column", "message"), DEFECTS.values(), ids=DEFECTS)
def test_a_defect_has_its_event(name: str, column: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^event 5: expected .*{message}"):
        rw.read_events(with_column(name, column))


def test_bytes_that_are_no_text_have_their_column() -> None:
    with pytest.raises(
        ValueError, match=r"expected batch 1 .*, found .*UTF8.* in the column cues; the library"
    ):
        rw.read_events(with_column("cues", INVALID))


def test_duplicates_as_errors() -> None:
    with pytest.raises(ValueError, match=r'event 1: .* found "a" twice'):
        rw.read_events(pa.table({"cues": ["a", "a_a"], "outcomes": ["x", "x"]}), duplicates="error")


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("cues", pa.array([1]), "strings or lists of strings in the column cues, found Int64"),
        ("cues", pa.array([b"a"]), "strings or lists of strings in the column cues, found Binary"),
        ("outcomes", pa.array([[[""]]]), "strings or lists of strings in the column outcomes, found List"),
        (
            "outcomes",
            pa.array([1]).dictionary_encode(),
            "strings .* in the column outcomes, found Dictionary",
        ),
        ("frequency", pa.array(["1"]), "whole numbers in the column frequency, found Utf8"),
        ("frequency", pa.array([True]), "whole numbers in the column frequency, found Boolean"),
    ],
)
def test_a_column_of_another_type_is_refused(name: str, column: Any, message: str) -> None:
    good = {"cues": pa.array(["a"]), "outcomes": pa.array(["x"]), "frequency": pa.array([1])}
    with pytest.raises(TypeError, match=f"expected {message}.*; convert the column"):
        rw.read_events(pa.table({**good, name: column}))


def test_columns_must_be_found() -> None:
    with pytest.raises(ValueError, match=r"found \['cues', 'y'\]; add outcomes"):
        rw.read_events(pa.table({"cues": ["a"], "y": ["x"]}))
    with pytest.raises(ValueError, match="expected one column cues, found 2"):
        rw.read_events(pa.table({"Cues": ["a"], "CUES": ["b"], "outcomes": ["x"]}))
    table = pa.table({"Cues": ["no"], "cues": ["a"], "CUES": ["no"], "outcomes": ["x"]})
    assert rw.read_events(table).cues == ("a",)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a table as an Arrow stream"):
        rw.read_events(pa.chunked_array([["a"]]))

    class Liar:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return "a stream"

    with pytest.raises(TypeError):
        rw.read_events(Liar())
    # A capsule of something else.
    capsule = pa.schema([]).__arrow_c_schema__()
    liar = Liar()
    type(liar).__arrow_c_stream__ = lambda self, requested_schema=None: capsule  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="PyCapsule"):
        rw.read_events(liar)
    # A stream can be taken once.
    capsule = pa.table({"cues": ["a"], "outcomes": ["x"]}).__arrow_c_stream__()
    assert len(rw.read_events(liar)) == 1
    with pytest.raises(ValueError, match="released"):
        rw.read_events(liar)


def test_the_policy_for_duplicates_is_checked() -> None:
    table = pa.table({"cues": ["a"], "outcomes": ["x"]})
    with pytest.raises(ValueError, match=r'expected duplicates to be .* found "no"'):
        _core.compile_arrow(table, None, "no", None, None)  # type: ignore[arg-type]


# Batches and buffers that contradict their schema. A crash would end all tests, so each is read in a process
# of its own.


class Made:
    """A reader whose batches are not looked at by the one who declares their schema, or its stream alone."""

    def __init__(self, declared: Any, *batches: Any) -> None:
        self.declared, self.batches = declared, batches

    def reader(self) -> Any:
        return pa.RecordBatchReader.from_batches(pa.schema(self.declared), iter(self.batches))

    def stream(self) -> Any:
        return Owner(self.reader())


S, LS, V, L = pa.string(), pa.large_string(), pa.string_view(), pa.list_(pa.string())
NAMES = [f"name{i:04}" for i in range(1000)]
GOOD = pa.record_batch({"cues": NAMES, "outcomes": NAMES})


def batch(cues: Any = None, outcomes: Any = None, **more: Any) -> Any:
    """Good columns, but for those given."""
    columns = {"cues": cues, "outcomes": outcomes}
    return pa.record_batch({name: NAMES if c is None else c for name, c in columns.items()} | more)


def declared(cues: Any = S, outcomes: Any = S, **more: Any) -> list[tuple[str, Any]]:
    return [("cues", cues), ("outcomes", outcomes), *more.items()]


ONES = pa.array([1] * 1000, pa.int8())
# The second: whether a stream without types shows it, too.
CONTRADICTIONS: dict[str, tuple[Made, bool]] = {
    "large_string, is string": (Made(declared(LS, LS), GOOD), False),
    "string, is large_string": (Made(declared(), batch(pa.array(NAMES, LS), pa.array(NAMES, LS))), True),
    "string, is int64": (Made(declared(), batch(pa.array(range(1000)), pa.array(range(1000)))), True),
    "string, is string_view": (Made(declared(), batch(pa.array(NAMES, V))), True),
    "string_view, is string": (Made(declared(V), GOOD), False),
    "list, is string": (Made(declared(L), GOOD), True),
    "string, is list": (Made(declared(), batch(pa.array([[n] for n in NAMES]))), True),
    "list of large, is list": (Made(declared(pa.list_(LS)), batch(pa.array([[n] for n in NAMES]))), False),
    "dictionary, is int32": (
        Made(declared(pa.dictionary(pa.int32(), S)), batch(pa.array(range(1000), pa.int32()))),
        True,
    ),
    "string, is dictionary": (Made(declared(), batch(pa.array(NAMES).dictionary_encode())), True),
    "dictionary of others": (
        Made(
            declared(pa.dictionary(pa.int32(), S)),
            batch(pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array([1, 2]))),
        ),
        True,
    ),
    "null, is string": (Made(declared(pa.null()), GOOD), True),
    "string, is null": (Made(declared(), batch(pa.nulls(1000))), True),
    "int64, is int8": (Made(declared(frequency=pa.int64()), batch(frequency=ONES)), False),
    "int64, is bool": (Made(declared(frequency=pa.int64()), batch(frequency=ONES.cast(pa.bool_()))), False),
    "int64, is string": (Made(declared(frequency=pa.int64()), batch(frequency=ONES.cast(S))), True),
    "fewer columns": (Made(declared(), pa.record_batch({"cues": NAMES})), True),
    "more columns": (Made(declared(), batch(frequency=ONES)), True),
    "no columns": (Made(declared(), pa.record_batch({})), True),
    "others in their places": (
        Made(declared(), pa.record_batch({"outcomes": NAMES, "cues": NAMES})),
        False,
    ),
    "the second batch": (Made(declared(), GOOD, batch(pa.array(range(1000)))), True),
}


def numbers(kind: str, *values: int) -> bytes:
    return np.array(values, kind).tobytes()


class Forged:
    """An array whose first buffer gets its contents behind the back of pyarrow, which saw zeros."""

    def __init__(self, kind: Any, n: int, contents: bytes, text: bytes | None = None, **more: Any) -> None:
        self.memory, self.contents = np.zeros(len(contents), "u1"), np.frombuffer(contents, "u1")
        parts = [None, *map(pa.py_buffer, [self.memory] if text is None else [self.memory, text])]
        self.array = pa.Array.from_buffers(kind, n, parts, **more)

    def sources(self) -> list[Callable[[], Any]]:
        """Tables of this column: a reader, a table, a batch, a stream."""
        names = pa.array(["x"] * len(self.array))
        made = pa.RecordBatch.from_arrays([self.array, names], ["cues", "outcomes"])
        table, reader = pa.Table.from_batches([made]), Made(made.schema, made)
        self.memory[:] = self.contents
        return [reader.reader, lambda: table, lambda: made, reader.stream]


def strings(*offsets: int, text: bytes = b"abcdef", kind: Any = S) -> Any:
    return Forged(kind, len(offsets) - 1, numbers("i8" if kind == LS else "i4", *offsets), text)


def view(length: int, prefix: bytes = b"", number: int = 0, start: int = 0) -> bytes:
    return numbers("i4", length) + prefix.ljust(4, b"\0") + numbers("i4", number, start)


def views(*each: bytes) -> Any:
    return Forged(V, len(each), b"".join(each), b"a text of some length")


def lists(*offsets: int) -> Any:
    names = pa.array(["a", "b", "c"])
    return Forged(L, len(offsets) - 1, numbers("i4", *offsets), children=[names])


def coded(*codes: int) -> Any:
    made = Forged(pa.int32(), len(codes), numbers("i4", *codes))
    made.array = pa.DictionaryArray.from_arrays(made.array, pa.array(["a", "b"]))
    return made


# Each with whether a stream without lengths shows it, too.
FORGED: dict[str, tuple[Forged, bool]] = {
    "offsets that fall": (strings(0, 4, 2), True),
    "offsets below 0": (strings(0, -4, 2), True),
    "a last offset below 0": (strings(0, 2, -2), True),
    "an offset far outside": (strings(0, 10**9, 2), True),
    "large offsets that fall": (strings(0, 4, 2, kind=LS), True),
    "large offsets far outside": (strings(0, 2**60, 2, kind=LS), True),
    "a last offset outside": (strings(0, 2, 10**9), False),
    "bytes that are no text": (strings(0, 1, 3, text=b"ab\xff"), True),
    "half a letter": (strings(0, 1, 3, text="é!".encode()), True),
    "a view outside": (views(view(3, b"abc"), view(20, b"a te", 0, 10)), True),
    "a view far outside": (views(view(3, b"abc"), view(20, b"a te", 0, 10**9)), True),
    "a view before": (views(view(3, b"abc"), view(20, b"a te", 0, -1)), True),
    "a view into no buffer": (views(view(3, b"abc"), view(20, b"a te", 7)), True),
    "a view into a buffer below 0": (views(view(3, b"abc"), view(20, b"a te", -1)), True),
    "a view of length below 0": (views(view(3, b"abc"), view(-1, b"abcd")), True),
    "a view of no text": (views(view(3, b"abc"), view(2, b"\xff\xfe")), True),
    "lists that fall": (lists(0, 3, 1), True),
    "lists below 0": (lists(0, -3, 1), True),
    "lists far outside": (lists(0, 10**9, 3), True),
    "last list outside": (lists(0, 1, 10**9), True),
    "a code outside": (coded(0, 2), True),
    "a code far outside": (coded(0, 2**31 - 1), True),
    "a code below 0": (coded(0, -1), True),
}


def outcome(source: Callable[[], Any]) -> str:
    """What reading makes of a source, in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                rw.read_events(source(), progress=False)
                said = "accepted"
            except BaseException as error:
                said = f"{type(error).__name__}: {error}"
            os.write(write, said.encode(errors="replace")[:4000])
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        said = stream.read().decode()
    _, status = os.waitpid(child, 0)
    return said if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}"


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="a crash must not end the tests")


@forks
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_batch_of_another_schema_is_refused(name: str) -> None:
    made, shown = CONTRADICTIONS[name]
    assert re.match(
        "ValueError: expected the columns of the schema .* in batch [01], found", outcome(made.reader)
    )
    if shown:
        assert re.match("(ValueError|TypeError): .*expected ", outcome(made.stream))


@forks
@pytest.mark.parametrize("name", FORGED)
def test_what_buffers_hold_is_checked(name: str) -> None:
    made, shown = FORGED[name]
    *typed, stream = made.sources()
    for source in typed + [stream] * shown:
        assert re.match("(ValueError|ArrowInvalid): ", outcome(source))


def test_children_of_lists_and_rows_of_structs_may_begin_anywhere() -> None:
    rows = pa.array([{"cues": [n, "z"], "outcomes": n} for n in "abcdef"]).slice(2, 3)
    expected = [((n, "z"), (n,), 1) for n in "cde"]
    assert [tuple(event) for event in rw.read_events(pa.chunked_array([rows]))] == expected
    valid = pa.StructArray.from_arrays(
        [pa.array(["a", "b", "c"]), pa.array(["x", "y", "z"])],
        ["cues", "outcomes"],
        mask=pa.array([False] * 3),
    )
    assert rw.read_events(pa.chunked_array([valid.slice(1)])).cues == ("b", "c")
    null = pa.StructArray.from_arrays(
        [pa.array(["a", "b", "c"]), pa.array(["x", "y", "z"])],
        ["cues", "outcomes"],
        mask=pa.array([False, True, False]),
    )
    with pytest.raises(ValueError, match="found rows that are null"):
        rw.read_events(pa.chunked_array([null]))
    assert rw.read_events(pa.chunked_array([null.slice(2)])).cues == ("c",)


def test_columns_that_are_not_wanted_may_be_anything() -> None:
    table = pa.table({"cues": ["a"], "outcomes": ["x"], "when": pa.array([1.5]), "what": [{"a": [1]}]})
    assert rw.read_events(table).cues == ("a",)
    assert rw.read_events(table.to_reader()).cues == ("a",)


# Progress; stopping is tested with that of the others.


def test_progress_counts_rows() -> None:
    # No row comes again, so that it takes long enough to be looked at.
    cues = pa.array(["_".join(f"c{i}" for i in range(60))]).take([0] * 200_000)
    table = pa.table({"cues": cues, "outcomes": ["x"] * 200_000, "frequency": range(200_000)})
    calls: list[tuple[int, int]] = []
    for source in (table, table.to_pandas(), pl.DataFrame(table), Owner(table)):
        calls.clear()
        rw.read_events(source, progress=lambda done, total: calls.append((done, total)))
        assert calls[-1] == (200_000, 200_000)
        assert all(done <= total for done, total in calls)
        assert [done for done, _ in calls] == sorted(done for done, _ in calls)
        if not isinstance(source, Owner):
            assert {total for _, total in calls if total} == {200_000}


def test_nothing_is_imported_to_read_a_table() -> None:
    """What has Arrow data can be read though pyarrow is not there."""
    script = """
import json, sys
import polars
import rescorla as rw
frame = polars.DataFrame({"cues": ["a_b"], "outcomes": ["x"]})
assert rw.read_events(frame).cues == ("a", "b")
print(json.dumps([name for name in ("pandas", "pyarrow") if name in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@given(
    st.lists(st.tuples(st.sampled_from(["a", "a_b", ""]), st.sampled_from(["x", "y"])), min_size=1), st.data()
)
def test_runs_are_the_rows_that_they_stand_for(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    cues, outcomes = (pa.array(column, pa.string()) for column in zip(*rows, strict=True))
    ends = data.draw(st.sampled_from([pa.int16(), pa.int32(), pa.int64()]))
    start = data.draw(st.integers(0, len(rows) - 1))
    runs = pc.run_end_encode(cues, run_end_type=ends)
    plain = pa.table({"cues": cues, "outcomes": outcomes}).slice(start)
    encoded = pa.table({"cues": runs, "outcomes": outcomes}).slice(start)
    assert list(rw.read_events(encoded)) == list(rw.read_events(plain))
