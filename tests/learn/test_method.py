"""`learn(method="auto")`: the counts of both methods, and which one it takes."""

from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event
from rescorla._learn import rescorla_wagner

# Few cues, many outcomes, more than the small amount of work for which the choice is no matter.
WIDE = some.wide_events(1, 3000, 8, 3000)


def naive_updates(rows: list[Event]) -> tuple[int, int]:
    """Cue slots from the first occurrence of each outcome on, and up to the last one of each cue."""
    tokens = [(cues, outcomes) for cues, outcomes, frequency in rows for _ in range(frequency)]
    slots = [len(cues) for cues, _ in tokens]
    first = {outcome: at for at in range(len(tokens) - 1, -1, -1) for outcome in tokens[at][1]}
    last = {cue: at for at in range(len(tokens)) for cue in tokens[at][0]}
    return sum(sum(slots[at:]) for at in first.values()), sum(sum(slots[: at + 1]) for at in last.values())


@given(some.events(), some.DUPLICATES)
def test_updates_are_counted_exactly(events: list[Event], duplicates: Any) -> None:
    source = rw.read_events(events, duplicates=duplicates)
    parameters = rw.learn(source).parameters
    expected = naive_updates(reference.normalised(events, duplicates))
    assert (parameters["updates_forward"], parameters["updates_adjoint"]) == expected
    prospect = rescorla_wagner.forecast(source)
    assert (prospect["updates_forward"], prospect["updates_adjoint"]) == expected
    assert prospect["method"] == parameters["method"] == "forward"


def test_updates_of_a_subset_are_those_of_its_names() -> None:
    source = rw.read_events([("a", "x"), ("a_b", "y"), ("b", "x")])
    parameters = rw.learn(source, cues=["a"], outcomes=["y"]).parameters
    assert (parameters["updates_forward"], parameters["updates_adjoint"]) == (3, 3)


def test_auto_takes_what_is_less_work() -> None:
    wide = rw.learn(rw.read_events(WIDE))
    assert wide.parameters["method"] == "adjoint"
    assert wide.parameters["updates_adjoint"] < wide.parameters["updates_forward"]
    assert rescorla_wagner.forecast(rw.read_events(WIDE))["method"] == "adjoint"
    tall = rw.learn(rw.read_events([(outcomes, cues, n) for cues, outcomes, n in WIDE]), beta=0.001)
    assert tall.parameters["method"] == "forward"
    exact = rw.learn(rw.read_events(WIDE), method="forward")
    assert np.abs(wide.values - exact.values).max() <= 1e-12
    assert some.bits(wide.values) != some.bits(exact.values)


def test_a_slice_has_the_bits_of_the_whole_by_the_same_method() -> None:
    source = rw.read_events(WIDE)
    whole, part = rw.learn(source), rw.learn(source, outcomes=source.outcomes[:5])
    # What is less work for all columns is not for five of them.
    assert (whole.parameters["method"], part.parameters["method"]) == ("adjoint", "forward")
    assert np.abs(part.values - whole.values[:, :5]).max() <= 1e-12
    for method in ("forward", "adjoint"):
        whole = rw.learn(source, method=method)
        part = rw.learn(source, method=method, outcomes=source.outcomes[:5])
        assert some.bits(part.values) == some.bits(whole.values[:, :5])


@pytest.mark.parametrize(
    "rule",
    [
        {"beta": (0.1, 0.05)},
        {"beta": 1.0, "alpha": 0.15},
        {"alpha": {f"c{i}": 1e-5 if i else 0.1 for i in range(8)}},
    ],
    ids=["two rates", "beta * kappa > 1", "saliences far apart"],
)
def test_auto_is_forward_where_the_adjoint_method_is_not_precise(rule: dict[str, Any]) -> None:
    weights = rw.learn(rw.read_events(WIDE), **rule)
    assert weights.parameters["method"] == "forward"


@pytest.mark.parametrize(("times", "method"), [(1000, "adjoint"), (1001, "forward")])
def test_auto_is_adjoint_up_to_saliences_a_thousand_times_apart(times: int, method: str) -> None:
    alpha = {f"c{i}": 2**-13 if i else times * 2**-13 for i in range(8)}
    assert rw.learn(rw.read_events(WIDE), alpha=alpha).parameters["method"] == method


@pytest.mark.parametrize("retention", [1.0, 1 - 2**-8])
def test_auto_is_adjoint_up_to_a_beta_kappa_of_the_retention(retention: float) -> None:
    source = rw.read_events(WIDE)
    kappa = rescorla_wagner.forecast(source, alpha=0.125)["max_kappa"]
    beta = retention / kappa
    assert beta * kappa == retention
    for factor, method in [(1.0, "adjoint"), (1.0 + 1e-9, "forward")]:
        weights = rw.learn(source, alpha=0.125, beta=beta * factor, retention=retention)
        assert weights.parameters["method"] == method


@given(st.integers(0, 2**32), st.integers(1, 5))
def test_the_forecast_counts_the_rows_of_tiles(seed: int, threads: int) -> None:
    source = rw.read_events(some.wide_events(seed, 30, 20, 10))
    rows = {"forward": source.n_cues, "adjoint": source.n_cues + source.n_outcomes}
    for method in ("forward", "adjoint"):
        memory = rescorla_wagner.forecast(source, method=method, threads=threads)["memory"]
        assert set(memory) == {"events", "tiles", "lines", "others"}
        width, rest = divmod(memory["tiles"], threads * rows[method])
        # Whole vectors, and no more of them than the few names need.
        assert (rest, width % 32) == (0, 0)
        assert 32 <= width <= 512


def test_the_forecast_has_no_more_for_events_than_they_may_take() -> None:
    source = rw.read_events(WIDE)
    chunk = 32 << 20
    all_events = rescorla_wagner.forecast(source, threads=1)["memory"]["events"] - chunk
    assert 1000 < all_events < 1 << 20
    for event_memory, expected in [(0, 0), (1000, 1000), (1 << 30, all_events)]:
        memory = rescorla_wagner.forecast(source, threads=2, event_memory=event_memory)["memory"]
        assert memory["events"] == 2 * chunk + expected
