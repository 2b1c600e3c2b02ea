"""Events of which equal ones become one, and events the other way round."""

import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import Event

MOST = 2**32 - 1
FREQUENCIES: list[Literal["sum", "one"]] = ["sum", "one"]
# Few names, so that events are often equal, or nearly.
NAMES = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
ROWS: list[Event] = [
    (("a", "b"), ("x", "y"), 2),
    (("b", "b", "a"), ("y", "x"), 1),
    (("b", "a"), ("y", "x"), 3),
    ((), ("x",), 0),
    (("x",), (), 4),
    (("b", "a", "b"), ("x", "y"), 0),
    ((), ("x",), 0),
    # The first cue and the first outcome have the same id.
    (("a",), ("x",), 5),
    (("a", "a"), (), 6),
]


@st.composite
def repeating(draw: st.DrawFn) -> list[Event]:
    """Events of few kinds, whose names come in any order."""
    kinds = st.sampled_from(draw(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4)))
    mixed = kinds.flatmap(lambda kind: st.tuples(*(st.permutations(names).map(tuple) for names in kind)))
    events = st.tuples(mixed, some.FREQUENCIES).map(lambda event: (*event[0], event[1]))
    return draw(st.lists(events, min_size=1, max_size=20))


def as_rows(events: Any) -> list[Event]:
    """Events as the reference has them."""
    return [(tuple(cues), tuple(outcomes), frequency) for cues, outcomes, frequency in events]


def merged(rows: list[Event]) -> list[Event]:
    """Each different event where it first stood, with the sum of the frequencies."""
    first: dict[Any, Event] = {}
    sums: dict[Any, int] = {}
    for event in rows:
        key = tuple(sorted(event[0])), tuple(sorted(event[1]))
        first.setdefault(key, event)
        sums[key] = sums.get(key, 0) + event[2]
    return [(cues, outcomes, sums[key]) for key, (cues, outcomes, _) in first.items()]


def once(rows: list[Event]) -> list[Event]:
    """The same events, of frequency 1 unless that is 0."""
    return [(cues, outcomes, min(frequency, 1)) for cues, outcomes, frequency in rows]


def read(rows: list[Event], times: int = 1) -> rw.Events:
    """The events; several times over they are stored as types, and not in full."""
    events = rw.read_events(rows, duplicates="keep").passes(times)
    assert events.info()["encoding"].startswith("types") == (times > 9)
    return events


def test_equal_events_become_one_where_the_first_stood() -> None:
    events = read(ROWS)
    assert as_rows(events.distinct()) == [
        (("a", "b"), ("x", "y"), 5),
        (("b", "b", "a"), ("y", "x"), 1),
        ((), ("x",), 0),
        (("x",), (), 4),
        (("a",), ("x",), 5),
        (("a", "a"), (), 6),
    ]
    assert events.distinct("one").frequencies.tolist() == [1, 1, 0, 1, 1, 1]


@pytest.mark.parametrize("times", [1, 50], ids=["in full", "as types"])
@given(repeating())
def test_the_events_are_those_of_a_plain_count(times: int, rows: list[Event]) -> None:
    events = rw.read_events(rows, duplicates="keep").passes(times)
    distinct = events.distinct()
    assert as_rows(distinct) == merged(rows * times)
    assert as_rows(events.distinct("one")) == once(merged(rows * times))
    assert (distinct.cues, distinct.outcomes) == (events.cues, events.outcomes)
    assert distinct.n_tokens == events.n_tokens
    assert distinct.cue_counts.tolist() == events.cue_counts.tolist()
    assert distinct.outcome_counts.tolist() == events.outcome_counts.tolist()
    assert as_rows(distinct.distinct()) == as_rows(distinct)
    distinct.verify()


def test_names_stay_though_no_event_has_them() -> None:
    events = rw.read_events([("c_a", "y"), ("a", "x"), ("a", "x")])[1:]
    for made in (events.distinct(), events.swapped().swapped()):
        assert (made.cues, made.outcomes) == (("c", "a"), ("y", "x"))


@given(repeating())
def test_the_equilibrium_is_the_same(rows: list[Event]) -> None:
    events = rw.read_events(rows, duplicates="keep")
    assume(events.n_tokens)
    some.assert_close(rw.equilibrium(events.distinct()).values, rw.equilibrium(events).values, 1e-12)


def test_an_event_of_several_rows_is_learned_at_once() -> None:
    events = rw.read_events([("a", "x"), ("a", "x"), ("a_b", ""), ("a_b", "")])
    assert some.bits(rw.learn(events.distinct()).values) == some.bits(rw.learn(events).values)


@given(repeating())
def test_cues_and_outcomes_change_places(rows: list[Event]) -> None:
    events = rw.read_events(rows, duplicates="keep").passes(1 + len(rows) % 2 * 30)
    swapped = events.swapped()
    assert as_rows(swapped) == [(outcomes, cues, n) for cues, outcomes, n in as_rows(events)]
    assert (swapped.cues, swapped.outcomes) == (events.outcomes, events.cues)
    assert swapped.cue_counts.tolist() == events.outcome_counts.tolist()
    assert swapped.outcome_counts.tolist() == events.cue_counts.tolist()
    assert as_rows(swapped.swapped()) == as_rows(events)
    assert swapped.swapped().cues == events.cues
    swapped.verify()


@pytest.mark.parametrize("make", ["distinct", "swapped"])
@pytest.mark.parametrize("times", [1, 50], ids=["in full", "as types"])
def test_files_are_read_and_written(make: str, times: int, tmp_path: Path) -> None:
    events = read(ROWS, times).save(tmp_path / "e.rw")
    for mapped in (True, False):
        written = getattr(rw.open_events(tmp_path / "e.rw", mapped=mapped), make)(path=tmp_path / "new.rw")
        assert written.path == str(tmp_path / "new.rw")
        again = rw.open_events(tmp_path / "new.rw")
        again.verify()
        assert as_rows(again) == as_rows(getattr(events, make)())
        assert again.digest == getattr(events, make)().digest


@pytest.mark.parametrize("frequencies", FREQUENCIES)
def test_phases_go_with_a_warning_at_the_line_of_the_user(frequencies: Literal["sum", "one"]) -> None:
    events = rw.design("train: A+ 4 / B- 4 | test: A+ 2")
    with pytest.warns(
        rw.RescorlaWarning, match=r"have phases.* events\[events\.phases\['train'\]\.rows\]$"
    ) as told:
        distinct = events.distinct(frequencies)
    assert [each.filename for each in told] == [__file__]
    assert distinct.phases == {}
    assert len(distinct) == 2
    assert "phases" not in distinct.parameters


def test_phases_stay_the_other_way_round() -> None:
    events = rw.design("train: A+ 4 / B- 4 | test: A+ 2 / B?")
    assert events.swapped().phases == events.phases


def test_a_sum_is_a_frequency(tmp_path: Path) -> None:
    rows: list[Event] = [(("b",), (), 7), (("a",), ("x",), MOST - 1), (("a",), ("x",), 1)]
    assert rw.read_events(rows).distinct().frequencies.tolist() == [7, MOST]
    for times in (1, 50):
        events = rw.read_events([*rows, (("a",), ("x",), 1)]).passes(times)
        found = f'found {(MOST + 1) * times}; let frequencies be "one", or divide all frequencies'
        with pytest.raises(ValueError, match=f"^event 1: .* at most 4,294,967,295, {re.escape(found)}$"):
            events.distinct(path=tmp_path / "new.rw")
        assert not list(tmp_path.iterdir())
        assert events.distinct("one").frequencies.tolist() == [1, 1]


def test_frequencies_are_one_of_two_words() -> None:
    with pytest.raises(
        ValueError, match="frequencies must be 'sum' or 'one', not 'ones'; did you mean 'one'"
    ):
        rw.read_events(ROWS).distinct("ones")  # type: ignore[arg-type]


@pytest.mark.parametrize("make", ["distinct", "swapped"])
def test_damage_is_refused_and_nothing_is_written(make: str, tmp_path: Path) -> None:
    for times in (1, 50):
        path = tmp_path / "damaged.rw"
        read(ROWS, times).save(path)
        content = bytearray(path.read_bytes())
        # The first chunk of events begins here.
        content[128 + 40] ^= 1
        path.write_bytes(content)
        with pytest.raises(rw.FormatError, match=r"damaged\.rw"):
            getattr(rw.open_events(path), make)(path=tmp_path / "new.rw")
        path.unlink()
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("make", "steps"), [("distinct", 2), ("swapped", 1)])
def test_progress_rises_to_its_total_and_may_stop_the_work(make: str, steps: int) -> None:
    rng = np.random.default_rng(1)
    events = rw.read_events((list(map(str, cues)), ["x"]) for cues in rng.integers(900, size=(20_000, 5)))
    seen: list[tuple[int, int]] = []
    getattr(events, make)(progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (steps * len(events), steps * len(events))

    class Stop(Exception):  # noqa: N818
        pass

    def stop(_done: int, _total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        getattr(events, make)(progress=stop)
