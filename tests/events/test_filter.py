"""Events filtered: lists, maps and counts beside a plain account of them, and beside pyndl."""

import gzip
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from eventfiles import unmade
from hypothesis import given
from hypothesis import strategies as st
from reference import Event, normalised

Side = Literal["cues", "outcomes"]
SIDES: tuple[Side, Side] = ("cues", "outcomes")
NAMES = st.lists(some.PLAIN_NAMES, max_size=6)


def as_rows(events: Any) -> list[Event]:
    """Events as the reference has them."""
    return [(tuple(cues), tuple(outcomes), frequency) for cues, outcomes, frequency in events]


# What `filter` does, in plain Python.


def once(names: Sequence[str]) -> list[str]:
    """Each name at its first place."""
    return list(dict.fromkeys(names))


def kept(row: Event, side: Side) -> Sequence[str]:
    """The cues or the outcomes of an event."""
    return row[0] if side == "cues" else row[1]


def becoming(side: Side, options: dict[str, Any]) -> Callable[[str], list[str]]:
    """What a name becomes by the lists and the map."""
    one = side[:-1]
    if f"{one}_map" in options:
        new = options[f"{one}_map"]
        return lambda name: listed(new.get(name, ()))
    if f"keep_{side}" in options:
        return lambda name: [name] if name in options[f"keep_{side}"] else []
    return lambda name: [name] if name not in options.get(f"remove_{side}", ()) else []


def listed(names: str | Sequence[str]) -> list[str]:
    """Names of a map: a str is names joined by "_", and "" none."""
    if isinstance(names, str):
        return names.split("_") if names else []
    return list(names)


def renamed(names: Sequence[str], side: Side, options: dict[str, Any]) -> list[str]:
    """The new names of one side of an event."""
    new = [name for old in names for name in becoming(side, options)(old)]
    drops = options.get("duplicates") != "keep" and f"{side[:-1]}_map" in options
    return once(new) if drops else new


def staying(rows: list[Event], names: Sequence[str], side: Side, options: dict[str, Any]) -> list[str]:
    """The new names of one side, in their order."""
    one = side[:-1]
    new = once([name for old in names for name in becoming(side, options)(old)])
    counts: Counter[str] = Counter()
    for row in rows:
        for name in renamed(kept(row, side), side, options):
            counts[name] += row[2]
    frequent = [name for name in new if counts[name] >= options.get(f"min_{one}_count", 0)]
    by_count = sorted(frequent, key=lambda name: -counts[name])[: options.get(f"max_{side}")]
    return [name for name in frequent if name in by_count]


def filtered(events: rw.Events, options: dict[str, Any]) -> tuple[list[Event], list[str], list[str]]:
    """The rows, cues and outcomes that are left."""
    rows = as_rows(events)
    cues = staying(rows, events.cues, "cues", options)
    outcomes = staying(rows, events.outcomes, "outcomes", options)
    left: list[Event] = []
    for row in rows:
        new_cues = [name for name in renamed(row[0], "cues", options) if name in cues]
        new_outcomes = [name for name in renamed(row[1], "outcomes", options) if name in outcomes]
        if new_cues or not row[0]:
            left.append((tuple(new_cues), tuple(new_outcomes), row[2]))
    return left, cues, outcomes


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    """Arguments of `filter`."""
    drawn: dict[str, Any] = {"duplicates": draw(some.DUPLICATES)}
    names = st.lists(some.PLAIN_NAMES, max_size=3)
    becomes = st.one_of(some.PLAIN_NAMES, names, names.map("_".join))
    for side in SIDES:
        one = side[:-1]
        kind = draw(st.sampled_from(["", f"keep_{side}", f"remove_{side}", f"{one}_map"]))
        if kind == f"{one}_map":
            drawn[kind] = draw(st.dictionaries(some.PLAIN_NAMES, becomes, max_size=8))
        elif kind:
            drawn[kind] = draw(NAMES)
        if draw(st.booleans()):
            drawn[f"min_{one}_count"] = draw(st.integers(0, 6))
        if draw(st.booleans()):
            drawn[f"max_{side}"] = draw(st.integers(0, 5))
    return drawn


# Of names by chance none may be that of an event.
lists_may_be_foreign = pytest.mark.filterwarnings(
    "ignore:((keep|remove)_(cues|outcomes)|(cue|outcome)_map) names no"
)


@lists_may_be_foreign
class TestAnyEvents:
    """What holds for all events."""

    @given(some.events(), some.DUPLICATES, options(), st.sampled_from([1, 40]))
    def test_the_events_are_those_of_a_plain_account(
        self, events: list[Event], duplicates: Any, options: dict[str, Any], times: int
    ) -> None:
        # Many times over, events are stored as types.
        source = rw.read_events(events * times, duplicates=duplicates)
        rows, cues, outcomes = filtered(source, options)
        found = source.filter(**options)
        assert as_rows(found) == rows
        assert (list(found.cues), list(found.outcomes)) == (cues, outcomes)
        found.verify()

    @given(some.events(some.VERBATIM_NAMES), some.DUPLICATES)
    def test_without_arguments_nothing_changes(
        self, folder: Path, events: list[Event], duplicates: Any
    ) -> None:
        source = rw.read_events(events, folder / "same.bin", duplicates=duplicates)
        source.filter(path=folder / "again.bin")
        assert unmade(folder / "again.bin") == unmade(folder / "same.bin")

    @given(some.events(), options())
    def test_learning_is_learning_on_the_filtered_table(
        self, folder: Path, events: list[Event], options: dict[str, Any]
    ) -> None:
        source = rw.read_events(events)
        rows, _, _ = filtered(source, options)
        table = folder / "filtered.tab"
        table.write_text(some.table_text(rows), encoding="utf-8")
        by_table = some.by_label(rw.learn(rw.read_events(table, duplicates="keep"), beta=0.1))
        by_filter = some.by_label(rw.learn(source.filter(**options), beta=0.1))
        # Names that lost all their events are no names of the table: nothing is learned of them.
        zero = np.float64(0).tobytes()
        assert {pair: bits for pair, bits in by_filter.items() if pair in by_table} == by_table
        assert all(bits == zero for pair, bits in by_filter.items() if pair not in by_table)

    @given(some.events(), options())
    def test_a_file_has_the_bytes_of_memory_and_tables_come_again(
        self, folder: Path, events: list[Event], options: dict[str, Any]
    ) -> None:
        source = rw.read_events(events)
        written = source.filter(path=folder / "filtered.bin", **options)
        assert written.path == str(folder / "filtered.bin")
        source.filter(**options).save(folder / "saved.bin")
        assert (folder / "filtered.bin").read_bytes() == (folder / "saved.bin").read_bytes()
        for name in ("1.tab", "2.tab"):
            source.filter(**options).to_table(folder / name)
        assert (folder / "1.tab").read_bytes() == (folder / "2.tab").read_bytes()

    @given(some.events(), options())
    def test_events_stay_as_they_are_when_their_file_is_replaced(
        self, folder: Path, events: list[Event], options: dict[str, Any]
    ) -> None:
        source = rw.read_events(events, folder / "itself.bin")
        expected, before = as_rows(source.filter(**options)), as_rows(source)
        with pytest.raises(ValueError, match="is also read: name another output"):
            source.filter(path=folder / "itself.bin", **options)
        source.filter(path=folder / "filtered.bin", **options)
        os.replace(folder / "filtered.bin", folder / "itself.bin")
        assert as_rows(rw.open_events(folder / "itself.bin")) == expected
        # What was open stays as it was.
        assert as_rows(source) == before
        source.verify()


def test_a_large_file_goes_through_in_chunks(tmp_path: Path) -> None:
    rows: list[Event] = [((f"c{i % 1000}", f"d{i % 3}"), (f"o{i % 7}",), i % 3) for i in range(150_000)]
    source = rw.read_events(iter(rows), tmp_path / "large.bin")
    options = {"remove_cues": {f"c{i}" for i in range(0, 1000, 2)}, "keep_outcomes": ["o1", "o2"]}
    found = source.filter(path=tmp_path / "left.bin", **options)  # type: ignore[arg-type]
    assert as_rows(found) == filtered(source, options)[0]


def test_an_event_that_never_had_cues_stays_and_one_that_lost_them_goes() -> None:
    source = rw.read_events([("a", "x"), ("", "x"), ("b", "x", 0), ("a_b", "y")])
    found = source.filter(keep_cues=["b"], remove_outcomes=["x"])
    assert as_rows(found) == [((), (), 1), (("b",), (), 0), (("b",), ("y",), 1)]
    # Kept, and not in any event any more: a name all the same, so that filtered parts fit together.
    assert source.filter(keep_cues=["b"])[:1].outcomes == ("x", "y")


def test_equally_frequent_names_stay_by_first_appearance() -> None:
    source = rw.read_events([("d_c_b_a", "x"), ("a", "y", 2), ("b", "z", 2), ("c", "z", 0)])
    assert source.filter(max_cues=3).cues == ("d", "b", "a")
    assert source.filter(max_cues=1).cues == ("b",)
    assert source.filter(max_outcomes=0).outcomes == ()
    assert source.filter(min_cue_count=3, max_cues=5).cues == ("b", "a")


def test_counts_are_those_before_events_are_dropped_and_of_new_names() -> None:
    source = rw.read_events([("a", "x"), ("b", "x"), ("b", "y")])
    assert source.filter(keep_cues=["a"], min_outcome_count=2).outcomes == ("x",)
    assert source.filter(cue_map={"a": "A", "b": "A"}, min_cue_count=3).cues == ("A",)
    doubled = rw.read_events([("a_b", "x")])
    merge: dict[str, str] = {"a": "A", "b": "A"}
    assert doubled.filter(cue_map=merge, min_cue_count=2).cues == ()
    assert doubled.filter(cue_map=merge, min_cue_count=2, duplicates="keep")[0].cues == ("A", "A")


def test_a_map_that_gives_a_name_twice_follows_the_policy() -> None:
    source = rw.read_events([("c", "x"), ("a_b_c", "x_y")])
    merge = {"a": "A", "b": "A", "c": "C"}
    assert source.filter(cue_map=merge)[1].cues == ("A", "C")
    assert source.filter(cue_map=merge, duplicates="keep")[1].cues == ("A", "A", "C")
    with pytest.raises(ValueError, match='event 1: expected every cue of an event once, found "A" twice'):
        source.filter(cue_map=merge, duplicates="error")
    assert source.filter(outcome_map={"x": "X", "y": "X"})[1].outcomes == ("X",)
    assert source.filter(outcome_map={"x": "X", "y": "X"}, duplicates="keep")[1].outcomes == ("X", "X")
    with pytest.raises(ValueError, match="event 1: expected every outcome of an event once"):
        source.filter(outcome_map={"x": "X", "y": "X"}, duplicates="error")


def test_cues_that_events_keep_twice_stay_twice_without_a_map() -> None:
    source = rw.read_events([("a_a_b", "x")], duplicates="keep")
    assert source.filter(remove_cues=["b"], duplicates="error")[0].cues == ("a", "a")
    assert source.filter(cue_map={"a": "A"})[0].cues == ("A",)


class TestFiles:
    """Lists and maps in files."""

    source = rw.read_events([("key_the_of", "x"), ("of_freq", "y")])

    @pytest.mark.parametrize("layout", ["plain", "gz", "zst"])
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("of\nthe\n", ("the", "of")),
            ("of\r\nthe", ("the", "of")),
            ("\ufeffof\tanything\tat all\n\nthe\n", ("the", "of")),
            ("key\tfreq\nof\t2\n", ("of",)),
            ("the\tFrequency\nof\t2\n", ("of",)),
            ("key\nof\n", ("key", "of")),
            ("key\t7\nof\t2\n", ("key", "of")),
            ("of\t2\nkey\tfreq\n", ("key", "of")),
            ("freq\nof", ("of", "freq")),
            ("", ()),
        ],
    )
    def test_a_list(self, layout: str, text: str, expected: tuple[str, ...], tmp_path: Path) -> None:
        path = self.written(text, layout, tmp_path)
        assert self.source.filter(keep_cues=path).cues == expected
        left = tuple(name for name in self.source.cues if name not in expected)
        assert self.source.filter(remove_cues=path).cues == left

    @staticmethod
    def written(text: str, layout: str, folder: Path) -> Path:
        """A text file, compressed or not."""
        path = folder / "names"
        data = text.encode()
        if layout == "zst":
            pyarrow = pytest.importorskip("pyarrow")
            with pyarrow.CompressedOutputStream(str(path), "zstd") as stream:
                stream.write(data)
        else:
            path.write_bytes(gzip.compress(data) if layout == "gz" else data)
        return path

    def test_an_empty_line_is_no_name(self, tmp_path: Path) -> None:
        (tmp_path / "names").write_text("\na\n\n", encoding="utf-8")
        source = rw.read_events([(["", "a", "b"], "x")])
        assert source.filter(remove_cues=tmp_path / "names").cues == ("", "b")

    def test_a_table_of_counts_is_a_list(self, tmp_path: Path) -> None:
        path = tmp_path / "counts.tab"
        counts = self.source.counts("cues")
        counts[counts > 1].to_csv(path, sep="\t")
        assert self.source.filter(keep_cues=path).cues == ("of",)

    @given(events=some.events(some.TABLE_NAMES), least=st.integers(0, 3))
    def test_counts_as_csv_are_a_list(self, folder: Path, events: list[Event], least: int) -> None:
        source = rw.read_events(events)
        path = folder / "counts.csv"
        counts = source.counts("cues")
        counts[counts >= least].to_csv(path)
        with warnings.catch_warnings():
            # Of these events perhaps no cue is frequent enough.
            warnings.filterwarnings("ignore", "keep_cues names no")
            kept = source.filter(keep_cues=path)
        assert list(kept.cues) == list(counts[counts >= least].index)

    def test_a_map_as_csv(self, tmp_path: Path) -> None:
        path = tmp_path / "map.csv"
        path.write_text('of,"OF_A,ND"\n"the",\n', encoding="utf-8")
        assert as_rows(self.source.filter(cue_map=path)) == [
            (("OF", "A,ND"), ("x",), 1),
            (("OF", "A,ND"), ("y",), 1),
        ]
        path.write_text('of,"OF\n', encoding="utf-8")
        with pytest.raises(rw.FormatError, match=r"map.csv, line 1: expected cells between commas, found"):
            self.source.filter(cue_map=path)

    def test_a_map(self, tmp_path: Path) -> None:
        path = tmp_path / "map.tab"
        path.write_text("of\tOF_AND\nthe\t\nkey\tfreq\n", encoding="utf-8")
        with pytest.warns(rw.RescorlaWarning, match="outcome_map names no outcome .*: 'of', 'the'"):
            found = self.source.filter(cue_map=path, outcome_map=tmp_path / "map.tab")
        assert as_rows(found) == [(("freq", "OF", "AND"), (), 1), (("OF", "AND"), (), 1)]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("of\ta\nthe\n", "line 2: expected a name, a tab and what it becomes, found 1 cell; sep"),
            ("of\ta\tb\n", "line 1: expected a name, a tab and what it becomes, found 3 cells; sep"),
            ("of\ta\nof\tb\n", "line 2: expected each name once, found 'of' again; join"),
            ("of\ta__b\n", "line 1: expected a name, found an empty one; join"),
        ],
    )
    def test_a_map_that_is_none_is_refused(self, text: str, message: str, tmp_path: Path) -> None:
        path = tmp_path / "map.tab"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(rw.FormatError, match=re.escape(f"{path}, {message}")):
            self.source.filter(cue_map=path)

    def test_files_that_are_no_text_or_not_there_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "latin").write_bytes(b"of\nth\xe9\n")
        with pytest.raises(
            rw.FormatError, match="latin, line 2, column 3: expected text in UTF-8, found byte 0xe9"
        ):
            self.source.filter(keep_cues=tmp_path / "latin")
        with pytest.raises(FileNotFoundError, match="none"):
            self.source.filter(outcome_map=tmp_path / "none")


class TestArguments:
    """What is no list, map or count."""

    source = rw.read_events([("a", "x")])

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            (
                {"keep_cues": [], "remove_cues": []},
                ValueError,
                "keep_cues and remove_cues ask for different things",
            ),
            ({"keep_cues": ["a"], "cue_map": {}}, ValueError, "keep_cues and cue_map ask"),
            ({"remove_outcomes": [], "outcome_map": {}}, ValueError, "remove_outcomes and outcome_map ask"),
            ({"keep_cues": "abc"}, TypeError, "not the str 'abc'; write ['abc'], or pathlib.Path('abc')"),
            ({"keep_cues": 3}, TypeError, "keep_cues must be several names or a pathlib.Path, not 3"),
            (
                {"remove_outcomes": [3]},
                TypeError,
                "remove_outcomes must consist of names of type str, not of 3",
            ),
            ({"cue_map": "m.tab"}, TypeError, "not the str 'm.tab'; write pathlib.Path('m.tab') for a file"),
            ({"cue_map": {"a": "b__c"}}, ValueError, "cue_map maps 'a' to 'b__c', in which a name is empty"),
            ({"cue_map": [("a", "b")]}, TypeError, "cue_map must be a mapping or a pathlib.Path, not list"),
            ({"cue_map": {"a": 3}}, TypeError, "cue_map must map 'a' to a name or several, not to 3"),
            ({"cue_map": {"a": [3]}}, TypeError, "cue_map must consist of names of type str, not of 3"),
            ({"min_cue_count": -1}, ValueError, "min_cue_count must be a whole number of 0 or more, not -1"),
            ({"max_outcomes": -2}, ValueError, "max_outcomes must be a whole number of 0 or more, not -2"),
            ({"max_outcomes": 1.5}, TypeError, "max_outcomes must be a whole number"),
            ({"duplicates": "twice"}, ValueError, "duplicates must be 'drop' or 'keep' or 'error'"),
        ],
    )
    def test_is_refused(self, options: dict[str, Any], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=re.escape(message)):
            self.source.filter(**options)

    def test_names_may_come_from_anything(self) -> None:
        source = rw.read_events([("a_b_c", "x")])
        names: list[Any] = [["c", "z", "a"], ("c", "a"), {"a", "c"}, {"a": 3, "c": 5}, iter(["a", "c"])]
        for listed in names:
            assert source.filter(keep_cues=listed).cues == ("a", "c")
        read_only = MappingProxyType({"a": "A", "b": "", "c": ()})
        assert source.filter(cue_map=read_only).cues == ("A",)
        # A str is split, as in events; names in a list stay as they are.
        assert source.filter(cue_map={"a": "DOG_SG"}).cues == ("DOG", "SG")
        assert source.filter(cue_map={"a": ["New_York"]}).cues == ("New_York",)

    @pytest.mark.parametrize("argument", ["keep_cues", "remove_cues", "keep_outcomes", "remove_outcomes"])
    def test_lists_of_foreign_names_are_warned_of(self, argument: Any) -> None:
        source: Any = rw.read_events([("Dog_cat", "Dog_x")])
        one = "cue" if argument.endswith("cues") else "outcome"
        with pytest.warns(rw.RescorlaWarning) as seen:
            source.filter(**{argument: ["dog", "p", "q", "r", "s", "t"]})
        assert [each.filename for each in seen] == [__file__]
        message = str(seen[0].message)
        assert message.startswith(
            f"{argument} names no {one} of the events: 'dog', 'p', 'q', 'r', 's' and 1 more are none of the 2"
        )
        assert message.endswith("compare the spelling of both; did you mean 'Dog'?")
        # One that is there is enough: lists are made for many events.
        source.filter(**{argument: ["Dog", "p", "q"]})
        source.filter(**{argument: []})

    def test_maps_of_foreign_names_are_warned_of(self) -> None:
        for argument in ("cue_map", "outcome_map"):
            options: dict[str, Any] = {argument: {"b": "c"}}
            with pytest.warns(rw.RescorlaWarning, match=f"{argument} names no .* 'b' is none of the 1"):
                self.source.filter(**options)
        assert self.source.filter(cue_map={"a": "b", "z": "y"}).cues == ("b",)


def test_damage_is_refused_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "events.bin"
    rw.read_events([(f"c{i}", "x") for i in range(500)], path)
    damaged = bytearray(path.read_bytes())
    damaged[200] ^= 1
    path.write_bytes(damaged)
    source = rw.open_events(path)
    calls: list[Callable[[], object]] = [
        lambda: source.filter(path=tmp_path / "new.bin", remove_cues=["c1"]),
        lambda: source.filter(cue_map={"c1": "c"}, min_cue_count=1),
        lambda: rw.concat_events([source], tmp_path / "new.bin"),
        lambda: source.head(100, path=tmp_path / "new.bin"),
    ]
    for filtering in calls:
        with pytest.raises(rw.FormatError, match=re.escape(str(path))):
            filtering()
        assert os.listdir(tmp_path) == ["events.bin"]


def test_progress_rises_to_its_total_and_may_stop_the_work(tmp_path: Path) -> None:
    source = rw.read_events([([f"c{i % 997}", f"d{i % 991}"], [f"o{i % 503}"]) for i in range(300_000)])
    halves = {name: name[0] for name in source.cues}
    thirds = {name: name[:2] for name in source.outcomes}
    seen: list[tuple[int, int]] = []
    source.filter(
        cue_map=halves,
        outcome_map=thirds,
        min_cue_count=2,
        max_outcomes=3,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == sorted(seen)
    # Two counts, then the events.
    assert {done for done, _ in seen} >= {300_000, 600_000, 900_000}
    assert {total for _, total in seen} == {900_000}

    class Stop(Exception):  # noqa: N818
        pass

    def stop(_done: int, _total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        source.filter(path=tmp_path / "filtered.bin", cue_map=halves, progress=stop)


def test_counts_have_names() -> None:
    source = rw.read_events([("b_a_b", "x"), ("a", "y", 3)], duplicates="keep")
    assert source.counts("cues").to_dict() == {"b": 2, "a": 4}
    assert list(source.counts("cues").index) == ["b", "a"]
    assert source.counts("outcomes").to_dict() == {"x": 1, "y": 3}
    assert source.counts("outcomes").dtype == np.int64
    with pytest.raises(ValueError, match="side must be 'cues' or 'outcomes'"):
        source.counts("names")  # type: ignore[arg-type]


EVENTS: list[Event] = [
    (("a", "b"), ("x", "y"), 1),
    (("b",), ("y",), 1),
    (("c", "a", "d"), ("z",), 1),
    (("d",), ("x", "z"), 1),
    (("a", "b"), ("x",), 1),
]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keep_cues": ["a", "d"]},
        {"keep_outcomes": ["x"]},
        {"remove_cues": ["a", "b"], "remove_outcomes": ["z"]},
        {"cue_map": {"a": "A", "b": "B", "d": "A"}, "outcome_map": {"x": "y", "z": "Z"}},
        {"cue_map": {"a": "", "b": "B"}, "keep_outcomes": ["y", "q"]},
        {"outcome_map": {}},
    ],
)
def test_the_table_is_that_of_pyndl(options: dict[str, Any], tmp_path: Path) -> None:
    preprocess = pytest.importorskip("pyndl.preprocess", reason="pyndl is not installed")
    before, after = tmp_path / "before.tab.gz", tmp_path / "after.tab.gz"
    text = some.table_text(EVENTS).replace("\tfrequency", "").replace("\t1\n", "\n")
    before.write_bytes(gzip.compress(text.encode()))
    preprocess.filter_event_file(str(before), str(after), **options)
    # Where a map merges cues of an event, pyndl's table has them twice.
    expected = normalised(as_rows(rw.read_events(after, duplicates="keep")), "keep")
    found = rw.read_events(before).filter(**options, duplicates="keep")
    assert as_rows(found) == expected
    found.to_table(tmp_path / "ours.tab")
    assert (tmp_path / "ours.tab").read_bytes() == gzip.decompress(after.read_bytes())
