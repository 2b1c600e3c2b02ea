"""Band samples: by pyndl where it is deterministic, and by what holds for all counts."""

import re
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st

COUNTS = st.dictionaries(st.text("abcde", max_size=4), st.integers(0, 200), max_size=40)
SIZES = st.integers(1, 50)
CUTOFFS = st.integers(0, 20)
SEEDS = st.integers(0, 2**32)


@given(COUNTS, SIZES, CUTOFFS, SEEDS)
def test_a_sample_has_names_of_all_bands(counts: dict[str, int], size: int, cutoff: int, seed: int) -> None:
    sample = rw.bandsample(counts, size, cutoff=cutoff, seed=seed)
    population = {name: count for name, count in counts.items() if count >= cutoff}
    assert sample.items() <= population.items()
    assert list(sample) == [name for name in counts if name in sample]
    assert len(sample) <= max(size, len(population) * (sum(population.values()) == 0))
    step = Fraction(sum(population.values()), size)
    assert {name for name, count in population.items() if count > step} <= sample.keys()
    # All names up to a count together have as many names in the sample as they have whole steps of tokens, or
    # as there are names; rounding of the step may move one.
    for bound in set(population.values()):
        tokens = sum(count for count in population.values() if count <= bound)
        names = sum(count <= bound for count in population.values())
        drawn = sum(count <= bound for count in sample.values())
        if step > 0 and all(count <= step for count in population.values()):
            assert abs(drawn - min(tokens // step, names)) <= 1


@given(COUNTS, SIZES, CUTOFFS, SEEDS)
def test_the_same_seed_gives_the_same_sample(
    counts: dict[str, int], size: int, cutoff: int, seed: int
) -> None:
    first = rw.bandsample(counts, size, cutoff=cutoff, seed=seed)
    for same in (seed, np.random.default_rng(seed), np.random.SeedSequence(seed)):
        assert rw.bandsample(counts, size, cutoff=cutoff, seed=same) == first


@given(st.sets(st.one_of(st.integers(1, 30), st.integers(1, 3000)), max_size=60), SIZES, CUTOFFS, SEEDS)
def test_counts_that_all_differ_give_the_sample_of_pyndl(
    counts: set[int], size: int, cutoff: int, seed: int
) -> None:
    preprocess = pytest.importorskip("pyndl.preprocess", reason="pyndl is not installed")
    population = Counter({f"word{count}": count for count in counts})
    expected = preprocess.bandsample(population, size, cutoff=cutoff)
    assert rw.bandsample(population, size, cutoff=cutoff, seed=seed) == expected


@given(COUNTS, SIZES, CUTOFFS, SEEDS)
def test_counts_of_the_sample_are_those_of_pyndl(
    counts: dict[str, int], size: int, cutoff: int, seed: int
) -> None:
    preprocess = pytest.importorskip("pyndl.preprocess", reason="pyndl is not installed")
    # Which of equally frequent names are drawn is chance; how many of them is not.
    expected = preprocess.bandsample(Counter(counts), size, cutoff=cutoff)
    assert sorted(rw.bandsample(counts, size, cutoff=cutoff, seed=seed).values()) == sorted(expected.values())


def test_equally_frequent_names_are_equally_likely() -> None:
    counts = dict.fromkeys("abcdefgh", 10)
    drawn = Counter(name for seed in range(2000) for name in rw.bandsample(counts, 2, seed=seed))
    # Two of eight each time; five standard deviations.
    assert sum(drawn.values()) == 4000
    assert all(abs(drawn[name] - 500) < 5 * np.sqrt(2000 * 0.25 * 0.75) for name in counts)


def test_a_sample_of_the_counts_of_events_is_a_list_for_filter() -> None:
    events = rw.read_events([(f"c{i}", f"o{i}", i) for i in range(1, 101)])
    sample = rw.bandsample(events.counts("outcomes"), 10, seed=1)
    assert list(sample.values()) == [32, 45, 55, 64, 71, 78, 84, 90, 95, 100]
    assert events.filter(keep_outcomes=sample).outcomes == tuple(sample)


def test_what_a_frequent_name_leaves_goes_to_the_nearest_before_it() -> None:
    # The step is 109 tokens; "d" makes 218.
    assert rw.bandsample({"a": 5, "b": 6, "c": 7, "d": 200}, 2, seed=1) == {"c": 7, "d": 200}


def test_the_defaults_are_those_of_pyndl() -> None:
    counts = {f"word{n}": n for n in range(100_000)}
    # Names in fewer than 5 tokens are no part of it.
    assert rw.bandsample({"a": 4, "b": 5}, seed=1) == {"b": 5}
    assert 49_000 < len(rw.bandsample(counts, seed=1)) <= 50_000


@pytest.mark.parametrize(
    ("counts", "options", "error", "message"),
    [
        ({"a": 5}, {"size": 0}, ValueError, "size must be a whole number of 1 or more, not 0"),
        ({"a": 5}, {"size": -1}, ValueError, "size must be a whole number of 1 or more, not -1"),
        ({"a": 5}, {"cutoff": -1}, ValueError, "cutoff must be a whole number of 0 or more, not -1"),
        ({"a": -5}, {}, ValueError, "counts of 'a' must be a whole number of 0 or more, not -5"),
        ({"a": 5.5}, {}, TypeError, "counts of 'a' must be a whole number of 0 or more, not 5.5"),
        ({"a": True}, {}, TypeError, "counts of 'a' must be a whole number of 0 or more, not True"),
        ({1: 5}, {}, TypeError, "counts must be of names, but 1 is no name; write '1'"),
        ({None: 5}, {}, TypeError, "counts must be of names, but None is no name; if pandas took a word"),
        (
            {"a": 5},
            {"seed": None},
            TypeError,
            "seed must be a whole number of 0 or more, or",
        ),
    ],
)
def test_what_is_no_count_size_or_seed_is_refused(
    counts: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        rw.bandsample(counts, **{"seed": 1, **options})
