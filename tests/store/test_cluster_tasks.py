"""Which tiles make a task."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._store.cluster_tasks import LONGEST, MOST, SHORTEST, Tasks, costs

COSTS = st.lists(st.floats(0.01, 100), min_size=1, max_size=300)


def all_of(tasks: Tasks, n_threads: int) -> list[tuple[int, ...]]:
    taken = []
    while tasks:
        taken.append(tasks.take(n_threads))
    return taken


@given(tiles=COSTS, n_tasks=st.none() | st.integers(1, 400), rate=st.floats(1e-4, 1e4), data=st.data())
def test_every_missing_tile_is_in_one_task(
    tiles: list[float], n_tasks: int | None, rate: float, data: st.DataObject
) -> None:
    missing = data.draw(st.sets(st.integers(0, len(tiles) - 1)))
    tasks = Tasks(np.array(tiles), missing, n_tasks)
    if data.draw(st.booleans()):
        tasks.measure([0], tiles[0] / rate)
    taken = all_of(tasks, data.draw(st.integers(0, 200)))
    assert sorted(tile for task in taken for tile in task) == sorted(missing)
    assert all(0 < len(task) <= MOST for task in taken)


@given(tiles=COSTS)
def test_the_dearest_come_first(tiles: list[float]) -> None:
    taken = [
        tiles[tile] for task in all_of(Tasks(np.array(tiles), range(len(tiles)), None), 2) for tile in task
    ]
    assert taken == sorted(tiles, reverse=True)


def test_before_a_time_is_known_a_task_is_a_tile() -> None:
    tasks = Tasks(np.ones(10), range(10), None)
    # Of a task that found its tiles there.
    tasks.measure([], 0.5)
    assert not tasks.measured
    assert [tasks.take(2) for _ in range(3)] == [(0,), (1,), (2,)]


@pytest.mark.parametrize(
    ("seconds", "n_tiles", "n_threads"),
    [(0.5, 4000, 4), (0.001, 4000, 4), (30.0, 400, 4), (2000.0, 50, 4), (7.0, 100_000, 1)],
)
def test_tasks_take_some_seconds_to_some_minutes(seconds: float, n_tiles: int, n_threads: int) -> None:
    tasks = Tasks(np.ones(n_tiles), range(n_tiles), None)
    tasks.measure([0, 1], 2 * seconds)
    taken = all_of(tasks, n_threads)
    for task in taken[:-1]:
        if len(task) > 1:
            assert seconds * len(task) <= LONGEST + seconds
        if len(task) < MOST:
            assert seconds * len(task) >= SHORTEST - seconds
    # The last are the shortest, so that threads end together.
    assert seconds * len(taken[-1]) <= max(SHORTEST, seconds) + seconds


@pytest.mark.parametrize("n_tasks", [1, 3, 7, 50])
def test_as_many_tasks_as_were_asked_for(n_tasks: int) -> None:
    taken = all_of(Tasks(np.ones(50), range(50), n_tasks), 4)
    assert abs(len(taken) - n_tasks) <= 1


def test_a_task_names_no_more_tiles_than_fit_a_short_message() -> None:
    taken = all_of(Tasks(np.ones(350), range(350), 1), 4)
    assert [len(task) for task in taken] == [MOST, MOST, MOST, 50]


def test_what_comes_back_is_next() -> None:
    tasks = Tasks(np.ones(5), range(5), None)
    assert tasks.take(1) == (0,)
    tasks.put_back([0])
    assert tasks.take(1) == (0,)


class Cut(NamedTuple):
    """As much of a store as `costs` asks for."""

    lanes: str
    cues: tuple[str, ...]
    outcomes: tuple[str, ...]

    @property
    def n_tiles(self) -> int:
        return 2

    def bounds(self, tile: int) -> tuple[int, int]:
        return (0, 2) if tile == 0 else (2, 3)


@pytest.mark.parametrize("lanes", ["columns", "rows"])
def test_a_tile_costs_what_its_names_occur(lanes: str) -> None:
    events = rw.read_events([("a", "x", 9), ("b", "y"), ("c", "z", 0)])
    store: Any = Cut(lanes, ("b", "new", "a"), ("x", "y", "new"))
    found = costs(events, store)
    n = events.n_tokens
    names = ["x", "y", "new"] if lanes == "columns" else ["b", "new", "a"]
    times = {"x": 9, "y": 1, "new": n, "b": 1, "a": 9}
    shares = [times[name] / (times[name] + 1) for name in names]
    assert found.tolist() == pytest.approx([shares[0] + shares[1], shares[2]])
