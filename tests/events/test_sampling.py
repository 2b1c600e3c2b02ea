"""Events made of events: samples, permutations, repetitions, a background cue."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import Event
from rescorla._events import order

SEEDS = st.integers(0, 2**32)


def as_rows(events: Any) -> list[Event]:
    """Events as the reference has them."""
    return [(tuple(cues), tuple(outcomes), frequency) for cues, outcomes, frequency in events]


def names(events: rw.Events) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names in the order of their ids."""
    return events.cues, events.outcomes


def tokens(rows: list[Event]) -> list[Event]:
    """Each token as an event of its own."""
    return [(cues, outcomes, 1) for cues, outcomes, frequency in rows for _ in range(frequency)]


@pytest.fixture(params=[1 << 18, 4], ids=["one part", "several parts"])
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a permutation or a sample is made at once or in parts."""
    monkeypatch.setattr(order, "PICKED", request.param)
    monkeypatch.setattr(order, "PARTS", 3)


@pytest.mark.usefixtures("parts")
class TestAnyEvents:
    """What holds for all events, at once or in parts."""

    @given(some.events(), some.DUPLICATES, st.integers(0, 3), SEEDS)
    def test_every_pass_has_every_token_once(
        self, events: list[Event], duplicates: Any, n: int, seed: int
    ) -> None:
        source = rw.read_events(events, duplicates=duplicates)
        passes = source.passes(n, seed)
        assert names(passes) == names(source)
        expected = tokens(as_rows(source))
        found = as_rows(passes)
        assert len(found) == n * len(expected)
        for start in range(0, len(found), max(len(expected), 1)):
            assert sorted(found[start : start + len(expected)]) == sorted(expected)
        assert as_rows(source.shuffled(seed)) == as_rows(source.passes(1, seed))
        passes.verify()

    @given(some.events(), some.DUPLICATES, st.integers(0, 3))
    def test_passes_without_a_seed_are_the_events_as_they_are(
        self, events: list[Event], duplicates: Any, n: int
    ) -> None:
        source = rw.read_events(events, duplicates=duplicates)
        repeated = source.passes(n)
        assert as_rows(repeated) == as_rows(source) * n
        assert names(repeated) == names(source)
        assert repeated.cue_counts.tolist() == (n * source.cue_counts).tolist()

    @given(some.events(), some.DUPLICATES, st.integers(0, 20), SEEDS)
    def test_a_sample_is_of_tokens(self, events: list[Event], duplicates: Any, n: int, seed: int) -> None:
        source = rw.read_events(events, duplicates=duplicates)
        assume(source.n_tokens)
        sample = source.sample(n, seed)
        assert (len(sample), sample.n_tokens) == (n, n)
        assert names(sample) == names(source)
        assert set(as_rows(sample)) <= set(tokens(as_rows(source)))
        sample.verify()

    @given(some.events(), some.DUPLICATES)
    def test_a_background_cue_is_that_of_reading(self, events: list[Event], duplicates: Any) -> None:
        source = rw.read_events(events, duplicates=duplicates)
        later = source.with_background("always there")
        at_once = rw.read_events(events, duplicates=duplicates, background="always there")
        assert as_rows(later) == as_rows(at_once)
        assert names(later) == names(at_once)
        assert later.cue_counts.tolist() == at_once.cue_counts.tolist()

    def test_each_token_is_as_likely_as_any_other(self) -> None:
        source = rw.read_events([("a", "x", 1), ("b", "x", 0), ("c", "y", 6), ("d", "y", 3)])
        counts = source.sample(100_000, seed=1).cue_counts
        expected = np.array([0.1, 0.0, 0.6, 0.3])
        # Five standard deviations.
        bound = 5 * np.sqrt(expected * (1 - expected) / 100_000)
        assert (np.abs(counts / 100_000 - expected) <= bound).all()

    def test_every_permutation_is_as_likely_as_any_other(self) -> None:
        source = rw.read_events([("a", "x"), ("b", "x", 2), ("c", "y", 2)])
        cues = [cues[0] for cues, _, _ in source.passes(15_000, seed=1)]
        seen = Counter("".join(cues[start : start + 5]) for start in range(0, len(cues), 5))
        # 5! / (2! 2!) orders, 500 times each in the mean; five standard deviations.
        assert len(seen) == 30
        assert all(abs(count - 500) < 5 * np.sqrt(500) for count in seen.values())

    def test_the_passes_differ(self) -> None:
        source = rw.read_events([(f"c{i}", "x") for i in range(20)])
        cues = [cues[0] for cues, _, _ in source.passes(3, seed=1)]
        assert len({tuple(cues[start : start + 20]) for start in (0, 20, 40)}) == 3


MAKERS: dict[str, Callable[[rw.Events, Any], rw.Events]] = {
    "sample": lambda events, seed: events.sample(40, seed),
    "passes": lambda events, seed: events.passes(2, seed),
    "shuffled": lambda events, seed: events.shuffled(seed),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_same_seed_gives_the_same_events(make: Callable[[rw.Events, Any], rw.Events]) -> None:
    source = rw.read_events([(f"c{i}", "x", i) for i in range(8)])
    for seed in (7, np.int64(7), np.random.SeedSequence(7), np.random.default_rng(7)):
        assert as_rows(make(source, seed)) == as_rows(make(source, 7))
    assert as_rows(make(source, 8)) != as_rows(make(source, 7))
    generator = np.random.default_rng(7)
    assert as_rows(make(source, generator)) != as_rows(make(source, generator)), "a generator goes on"


def test_results_of_few_types_are_compact() -> None:
    source = rw.read_events([("a_b_c", "x", 9), ("d_e_f", "y")])
    for made in (source.passes(1000, seed=1), source.sample(10_000, seed=1), source.passes(5000)):
        assert made.info()["encoding"] == "types"
        assert made.info()["bytes_per_event"] < 3.1


def test_a_large_file_is_picked_from_in_any_order() -> None:
    # More than one chunk of the file, and more than one block of numbers.
    n = 300_000
    source = rw.read_events((f"c{i % 1000}", f"o{i % 7}", i % 3) for i in range(n))
    made = source.shuffled(3)
    assert made.n_tokens == source.n_tokens == len(made)
    assert made.cue_counts.tolist() == source.cue_counts.tolist()
    assert made.outcome_counts.tolist() == source.outcome_counts.tolist()
    assert as_rows(source[::-70_000]) == as_rows(source)[::-70_000]


def test_a_background_cue_of_a_name_that_is_taken_is_refused() -> None:
    source = rw.read_events([("a", "x")])
    with pytest.raises(ValueError, match="name 'a' is a cue of the events already"):
        source.with_background("a")
    with pytest.raises(TypeError, match="name must be a str"):
        source.with_background(None)  # type: ignore[arg-type]


def test_without_tokens_there_is_no_sample() -> None:
    for source in (rw.read_events([]), rw.read_events([("a", "x", 0)])):
        with pytest.raises(ValueError, match="tokens to draw from"):
            source.sample(1, seed=1)
        assert as_rows(source.passes(2, seed=1)) == []
        assert as_rows(source.shuffled(1)) == []


@pytest.mark.parametrize(("make", "arguments"), [("sample", (-1, 1)), ("passes", (-1, 1)), ("passes", (-1,))])
def test_a_negative_number_is_refused(make: str, arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="n must be a whole number of 0 or more, not -1"):
        getattr(rw.read_events([("a", "x")]), make)(*arguments)


@pytest.mark.parametrize(("make", "arguments"), [("sample", (1, None)), ("shuffled", (None,))])
def test_a_seed_must_be_given(make: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="seed must be a whole number"):
        getattr(rw.read_events([("a", "x")]), make)(*arguments)


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        ("sample", (600_000, 1)),
        ("passes", (150, 1)),
        ("passes", (300,)),
        ("with_background", ("always",)),
    ],
)
def test_progress_rises_to_its_total_and_may_stop_the_work(make: str, arguments: tuple[Any, ...]) -> None:
    source = rw.read_events([("a", "x", 3), ("b", "y")] * 1000)
    seen: list[tuple[int, int]] = []
    made = getattr(source, make)(*arguments, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (len(made), len(made))

    class Stop(Exception):  # noqa: N818
        pass

    def stop(_done: int, _total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        getattr(source, make)(*arguments, progress=stop)


def test_a_cue_set_is_counted_once() -> None:
    rows = [("b_a", "x_y", 2), ("a_b", "y"), ("a", ""), ("", "x", 5), ("a_b_a", "z", 0), ("a_b_a", "z", 3)]
    for times in (1, 50):  # in full, and as types
        source = rw.read_events(rows, duplicates="keep").passes(times)
        (pointers, cues, n_tokens), (sets, outcomes, joint) = source._file.cue_sets()
        # b is the first cue: number 0.
        assert np.split(cues, pointers[1:-1])[0].tolist() == [0, 1]
        assert [part.tolist() for part in np.split(cues, pointers[1:-1])] == [[0, 1], [1], [0, 1, 1]]
        assert n_tokens.tolist() == [3 * times, times, 3 * times]
        found = [(int(s), source.outcomes[o], int(n)) for s, o, n in zip(sets, outcomes, joint, strict=True)]
        assert found == [(0, "x", 2 * times), (0, "y", 3 * times), (2, "z", 3 * times)]


@given(some.events(), some.DUPLICATES)
def test_cue_sets_have_the_counts_of_the_events(events: list[Event], duplicates: Any) -> None:
    source = rw.read_events(events, duplicates=duplicates)
    (pointers, cues, n_tokens), (sets, outcomes, joint) = source._file.cue_sets()
    found: Counter[Any] = Counter()
    for number, total in enumerate(n_tokens):
        names_of = tuple(sorted(source.cues[cue] for cue in cues[pointers[number] : pointers[number + 1]]))
        found[names_of] += int(total)
        for outcome, count in zip(outcomes[sets == number], joint[sets == number], strict=True):
            found[names_of, source.outcomes[outcome]] += int(count)
    expected: Counter[Any] = Counter()
    for event_cues, event_outcomes, frequency in reference.normalised(events, duplicates):
        if event_cues and frequency:
            expected[tuple(sorted(event_cues))] += frequency
            for outcome in set(event_outcomes):
                expected[tuple(sorted(event_cues)), outcome] += frequency
    assert found == expected
