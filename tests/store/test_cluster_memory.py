"""What learning tiles takes of the memory of a worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import clusters
import pytest
import rescorla as rw
from clusters import cluster, doing, random_events
from rescorla._store.forecast import Needs, needs
from rescorla._store.store import Store

MIB = 1 << 20


def test_threads_that_fit() -> None:
    need = Needs(process=300, thread=100)
    assert need.of(4) == 700
    assert [need.threads(room) for room in (0, 399, 400, 699, 700)] == [0, 0, 1, 3, 4]


def test_what_a_store_keeps_counts_too(tmp_path: Path) -> None:
    events = random_events(tmp_path / "events.rw", 300)
    initial = rw.learn(events)
    plain = _needs(tmp_path / "plain.zarr", events)
    assert plain.thread > 32 * MIB
    size = events.n_cues * events.n_outcomes * 8
    assert _needs(tmp_path / "initial.zarr", events, initial=initial).process == plain.process + 2 * size
    scheduled = _needs(tmp_path / "schedule.zarr", events, schedule=rw.schedules.inverse_time(9.0))
    assert scheduled.process == plain.process + 16 * events.n_tokens
    assert _needs(tmp_path / "mean.zarr", events, average=True).thread > plain.thread


def _needs(out: Path, events: rw.Events, **how: Any) -> Needs:
    rw.tiles.create(events, out, method="forward", **how)
    return needs(events, Store.open(out))


@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_a_worker_takes_no_more_than_was_forecast(tmp_path: Path, method: Any) -> None:
    events = random_events(tmp_path / "events.rw", 100_000, 3000, 3000)
    out = str(tmp_path / "weights.zarr")
    with cluster(1, threads=2) as client:
        doing(client, clusters.measure_memory)
        rw.distributed.learn(client, events, out, method=method)
        (measured,) = client.run(clusters.measured).values()
    assert 0 < measured <= needs(events, Store.open(out)).of(2)
