"""Events at positions, as numpy has them: arrays of numbers, and masks."""

from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event


def objects(events: rw.Events) -> Any:
    """The events as numpy indexes them."""
    array = np.empty(len(events), dtype=object)
    array[:] = list(events)
    return array


@given(some.events(), st.data(), st.sampled_from(["list", "int64", "int8", "uint16"]))
def test_positions_take_what_numpy_takes(events: list[Event], data: st.DataObject, form: str) -> None:
    source = rw.read_events(events, duplicates="keep")
    least = 0 if form == "uint16" else -len(source) - 1
    drawn = data.draw(st.lists(st.integers(least, len(source)), max_size=9))
    key: Any = drawn if form == "list" else np.array(drawn, dtype=form)
    try:
        expected = objects(source)[key]
    except IndexError:
        with pytest.raises(IndexError, match="there is no event"):
            source[key]
        return
    found = source[key]
    assert list(found) == expected.tolist()
    assert (found.cues, found.outcomes, found.path) == (source.cues, source.outcomes, None)


@given(some.events(), st.data())
def test_a_mask_takes_the_events_for_which_it_is_true(events: list[Event], data: st.DataObject) -> None:
    source = rw.read_events(events, duplicates="keep")
    mask = data.draw(st.lists(st.booleans(), min_size=len(source), max_size=len(source)))
    for form in (mask, np.array(mask, dtype=bool)):
        assert list(source[form]) == objects(source)[np.array(mask, dtype=bool)].tolist()


@given(some.events(), st.data())
def test_events_cut_in_two_come_together_again(events: list[Event], data: st.DataObject) -> None:
    source = rw.read_events(events, duplicates="keep")
    cut = data.draw(st.integers(0, len(source)))
    numbers = np.arange(len(source))
    for parts in ([source[:cut], source[cut:]], [source[numbers[:cut]], source[numbers[cut:]]]):
        together = rw.concat_events(parts)
        assert list(together) == list(source)
        assert (together.cues, together.outcomes) == (source.cues, source.outcomes)


def test_very_many_positions_go_in_blocks() -> None:
    source = rw.read_events([("a", "x", number) for number in range(3)])
    drawn = np.random.default_rng(1).integers(-3, 3, size=(1 << 18) + 7)
    assert source[drawn].frequencies.tolist() == np.arange(3)[drawn].tolist()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([0.5], "positions must be integers, or a mask of truth values, not float64"),
        (np.array([]), "not float64"),
        (["a"], "positions must be integers"),
        ([[0]], "positions in 2 were given"),
        ((0, 1), r"write events\[\[0, 1\]\]"),
        ([True], "a mask needs a truth value for each of the 2 events, and has 1"),
        ([0, 2], "there is no event 2 among 2 events"),
        ([0, -3], "there is no event -3 among 2 events"),
        (np.array([2**64 - 1], dtype=np.uint64), "there is no event 18446744073709551615"),
        (7, "there is no event 7"),
    ],
)
def test_what_numpy_does_not_take_is_an_index_error(key: Any, message: str) -> None:
    with pytest.raises(IndexError, match=message):
        rw.read_events([("a", "x"), ("b", "y")])[key]


def test_parts_go_in_one_list() -> None:
    source = rw.read_events([("a", "x"), ("b", "y")])
    with pytest.raises(TypeError, match="the parts go in one list"):
        rw.concat_events(source[:1], source[1:])  # type: ignore[arg-type]
