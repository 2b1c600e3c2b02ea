"""Tiles of a store learned by a cluster of dask.distributed, on this machine."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread, Timer
from typing import Any

import clusters
import dask
import numpy as np
import pytest
import rescorla as rw
from clusters import cluster, doing, random_events
from distributed import Client
from rescorla import distributed
from rescorla._learn.rescorla_wagner import forecast
from rescorla._shared.testing import asking
from rescorla._weights.zarr.store import Store
from stores import bits


@pytest.fixture(autouse=True)
def _small_tiles() -> Iterator[None]:
    """Stores are made with four columns or rows in a tile, so that few weights have many."""
    with asking(chunk=4):
        yield


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """The client of a cluster that no test changes."""
    with cluster(2, threads=2) as client:
        yield client


@pytest.fixture
def events(tmp_path: Path) -> rw.Events:
    return random_events(tmp_path / "events.rw")


@pytest.fixture
def out(tmp_path: Path) -> str:
    return str(tmp_path / "weights.zarr")


def whole(events: rw.Events) -> tuple[Any, ...]:
    return bits(rw.learn(events, method="forward"))


def n_missing(out: str) -> int:
    return len(Store.open(out).missing())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_the_weights_are_those_of_learn(
    client: Client, events: rw.Events, out: str, method: Any, dtype: str
) -> None:
    calls: list[tuple[int, int]] = []
    learned = rw.distributed.learn(
        client, events, out, alpha=0.2, method=method, dtype=dtype, progress=lambda *done: calls.append(done)
    )
    expected = rw.learn(events, alpha=0.2, method=method, dtype=dtype)
    assert bits(learned) == bits(expected)
    assert (learned.cues, learned.outcomes, learned.missing()) == (expected.cues, expected.outcomes, [])
    assert rw.verify(out, events, sample=2, seed=1)
    n_tiles = Store.open(out).n_tiles
    assert (calls[0], calls[-1]) == ((0, n_tiles), (n_tiles, n_tiles))
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_events_in_memory_and_the_default_client(client: Client, events: rw.Events, out: str) -> None:
    in_memory = events.head(2000)
    assert in_memory.path is None
    rw.distributed.learn(None, in_memory, out, method="forward")
    assert bits(rw.load_weights(out)) == whole(in_memory)
    # Nothing of what was beside the store for the workers is left.
    assert sorted(os.listdir(os.path.dirname(out))) == ["events.rw", "weights.zarr"]


def test_what_is_whole_needs_no_worker(client: Client, events: rw.Events, out: str) -> None:
    rw.distributed.learn(client, events, out)
    assert set(client.run(clusters.kept).values()) == {0}
    with Client(processes=False, n_workers=0, dashboard_address=":0") as empty:
        rw.distributed.learn(empty, events, out)


def test_a_part_that_is_done_twice_learns_what_is_missing(
    client: Client, events: rw.Events, out: str
) -> None:
    rw.distributed.learn(client, events, out, method="forward")
    os.unlink(Store.open(out).file(1))
    times = {tile: os.stat(Store.open(out).file(tile)).st_mtime_ns for tile in (0, 2, 3)}
    work = distributed._Work(str(events.path), events.digest, out, "a run")
    for _ in range(2):
        client.submit(distributed._learn_part, range(4), work, pure=False).result()
    assert n_missing(out) == 0
    assert {tile: os.stat(Store.open(out).file(tile)).st_mtime_ns for tile in times} == times
    client.run(distributed._forget, "a run")
    # A task that comes after the end of its run prepares nothing that stays.
    with pytest.raises(RuntimeError, match="learning was stopped"):
        client.submit(distributed._learn_part, range(4), work, pure=False).result()
    assert set(client.run(clusters.kept).values()) == {0}
    assert bits(rw.load_weights(out)) == whole(events)


# Workers that die.


def test_a_worker_killed_amid_a_tile_costs_nothing_but_time(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    events = random_events(tmp_path / "events.rw", 20_000)
    random = Random(os.urandom(8))
    with cluster() as client:
        doing(client, clusters.be_slow, 0.1)
        for number in range(pytestconfig.getoption("kills")):
            out, moment, begun = str(tmp_path / f"{number}.zarr"), random.uniform(0, 0.6), Event()
            killer = Thread(target=_kill_a_worker, args=(client, begun, moment))
            killer.start()

            def begin(*_: int, begun: Event = begun) -> None:
                begun.set()

            rw.distributed.learn(client, events, out, method="forward", progress=begin)
            killer.join()
            assert bits(rw.load_weights(out)) == whole(events), moment


def _kill_a_worker(client: Client, begun: Event, moment: float) -> None:
    begun.wait(60)
    time.sleep(moment)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def test_a_tile_that_kills_its_workers(events: rw.Events, out: str) -> None:
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}), cluster() as client:
        doing(client, clusters.die_at, 3)
        with pytest.raises(RuntimeError, match="workers died again and again with the same tiles"):
            rw.distributed.learn(client, events, out, method="forward")
    rw.learn(events, out=out, method="forward", resume=True)
    assert bits(rw.load_weights(out)) == whole(events)


def test_another_cluster_goes_on(events: rw.Events, out: str) -> None:
    with cluster() as client:

        def close_at_half(done: int, total: int, made: Any = client.cluster) -> None:
            if done >= total / 2:
                made.close()

        doing(client, clusters.be_slow, 0.1)
        with pytest.raises((OSError, RuntimeError)):
            rw.distributed.learn(client, events, out, method="forward", progress=close_at_half)
    calls: list[tuple[int, int]] = []
    with cluster() as client:
        rw.distributed.learn(client, events, out, method="forward", progress=lambda *done: calls.append(done))
    assert calls[0][0] >= calls[0][1] / 2
    assert bits(rw.load_weights(out)) == whole(events)


@contextmanager
def stopped(events: rw.Events, out: str, error: type[BaseException], progress: Any) -> Iterator[None]:
    """A call that ends with an error, after which no tile is learned and nothing kept."""
    with cluster() as client:
        doing(client, clusters.be_slow, 0.1)
        with pytest.raises(error):
            rw.distributed.learn(client, events, out, method="forward", progress=progress)
        yield
        time.sleep(0.5)
        left = n_missing(out)
        time.sleep(0.5)
        assert n_missing(out) == left > 0
        assert set(client.run(clusters.kept).values()) == {0}
        rw.distributed.learn(client, events, out, method="forward")
    assert bits(rw.load_weights(out)) == whole(events)


def test_an_exception_of_progress_stops_the_tiles(events: rw.Events, out: str) -> None:
    def enough(done: int, total: int) -> None:
        if done >= 3:
            raise ArithmeticError

    with stopped(events, out, ArithmeticError, enough):
        pass


@pytest.mark.usefixtures("interrupted")
def test_an_interrupt_stops_the_tiles(events: rw.Events, out: str) -> None:
    started: list[float] = []

    def interrupt(done: int, total: int) -> None:
        if not started:
            started.append(time.monotonic())
            Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

    with stopped(events, out, KeyboardInterrupt, interrupt):
        assert time.monotonic() - started[0] < 2


# What is refused before a worker is given anything.


@pytest.fixture
def idle(client: Client, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client that must not be given tasks."""

    def give(*_: Any, **__: Any) -> None:
        raise AssertionError("a task was given")

    monkeypatch.setattr(client, "map", give)
    return client


@pytest.mark.parametrize("progress", [True, False, None, print])
def test_a_progress_function_is_told_of_tiles_alone(
    idle: Client, events: rw.Events, out: str, progress: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given(*_: Any, progress: Any) -> None:
        raise InterruptedError(progress)

    monkeypatch.setattr(distributed, "events_given", given)
    with pytest.raises(InterruptedError) as found:
        rw.distributed.learn(idle, events, out, progress=progress)
    assert found.value.args == (False if progress is print else progress,)


def test_other_parameters_and_other_events(idle: Client, tmp_path: Path, events: rw.Events, out: str) -> None:
    rw.learn(events, out=out, alpha=0.1, part=(0, 2))
    others = random_events(tmp_path / "others.rw", seed=2)
    with pytest.raises(ValueError, match="alpha"):
        rw.distributed.learn(idle, events, out, alpha=0.2)
    with pytest.raises(ValueError, match="events"):
        rw.distributed.learn(idle, others, out, alpha=0.1)


def test_a_worker_with_too_little_memory_is_given_nothing(
    events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster(1, threads=16, memory_limit="600MiB") as client:
        monkeypatch.setattr(client, "map", lambda *_, **__: pytest.fail("a task was given"))
        with pytest.raises(MemoryError, match=r"with 16 threads would need up to .* with at most"):
            rw.distributed.learn(client, events, out)


def test_the_message_says_how_many_threads_would_fit(
    events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rw.learn(events, out=out, part=(0, 2))
    store = Store.open(out)
    one, two = (distributed._bytes(events, store, n) for n in (1, 2))
    for room, message in ((one - 1, "one thread alone would not fit"), (two - 1, "at most 1 thread,")):
        with pytest.raises(MemoryError, match=message):
            distributed._check_memory({"tcp://1": distributed._Seen(True, True, 2, room)}, events, store)
    monkeypatch.setattr(distributed, "_bytes", lambda *_: 3 << 30)
    with pytest.raises(MemoryError, match=r"up to 3,072 MiB more than it has, and from 2,048 MiB more"):
        distributed._check_memory({"tcp://1": distributed._Seen(True, True, 2, 2 << 30)}, events, store)


def test_a_worker_with_memory_enough_is_given_work(events: rw.Events, out: str) -> None:
    rw.learn(events, out=out, part=(0, 2))
    store = Store.open(out)
    rooms: list[int | None] = [distributed._bytes(events, store, 2), None]
    for enough in rooms:
        distributed._check_memory({"tcp://1": distributed._Seen(True, True, 2, enough)}, events, store)


def test_what_a_store_keeps_counts_as_memory(tmp_path: Path) -> None:
    events = random_events(tmp_path / "events.rw", 300)

    def bytes_of(**how: Any) -> int:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.zarr"
        rw.learn(events, out=path, method="forward", part=(1, 2), **how)
        return distributed._bytes(events, Store.open(path), 2)

    plain, size = bytes_of(), events.n_cues * events.n_outcomes * 8
    taken = forecast(events, dtype=np.dtype(float), method="forward", threads=2)["memory"]
    chunk = 8 * math.prod(Store.open(tmp_path / "1.zarr").chunk)
    assert plain == sum(taken.values()) - taken["lines"] + 2 * 2 * chunk
    assert bytes_of(initial=rw.learn(events)) == plain + 2 * size
    assert bytes_of(schedule=rw.schedules.inverse_time(9)) == plain + 16 * events.n_tokens
    assert bytes_of(average=True) > plain


@pytest.mark.parametrize(
    ("answer", "asked", "error", "message"),
    [
        ("0.0.1", "'0.0.1'", RuntimeError, r"has rescorla 0\.0\.1, and this process"),
        (
            ModuleNotFoundError("No module named 'rescorla'"),
            "__import__('a_package_that_is_not_there')",
            ImportError,
            "has no rescorla that works",
        ),
    ],
)
def test_another_version_or_none(
    idle: Client,
    events: rw.Events,
    out: str,
    monkeypatch: pytest.MonkeyPatch,
    answer: Any,
    asked: str,
    error: type[Exception],
    message: str,
) -> None:
    def of_scheduler(*_: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(idle, "run_on_scheduler", of_scheduler)
        with pytest.raises(error, match=f"the scheduler {message}"):
            rw.distributed.learn(idle, events, out)
    monkeypatch.setattr(distributed, "_VERSION", asked)
    monkeypatch.setattr(idle, "run_on_scheduler", lambda *_: rw.__version__)
    with pytest.raises(error, match=f"tcp://.* {message}"):
        rw.distributed.learn(idle, events, out)


def _unseen_store(patch: pytest.MonkeyPatch, events: rw.Events) -> str:
    @contextmanager
    def no_beacon(store: str) -> Iterator[str]:
        yield f"{store}.none"

    patch.setattr(distributed, "_beacon", no_beacon)
    return r"out must lie in a folder that .* share .* 2 workers \(.*\) cannot see .*weights\.zarr"


def _unseen_events(patch: pytest.MonkeyPatch, events: rw.Events) -> str:
    work = distributed._Work
    patch.setattr(distributed, "_Work", lambda file, *more: work(f"{file}.none", *more))
    return r"events must lie in a folder that .* share .* cannot see .*events\.rw"


def _other_events(patch: pytest.MonkeyPatch, events: rw.Events) -> str:
    work = distributed._Work
    patch.setattr(distributed, "_Work", lambda file, digest, *more: work(file, "another", *more))
    return r"events must lie in .* or sees other events there"


@pytest.mark.parametrize("unseen", [_unseen_store, _unseen_events, _other_events])
def test_what_workers_do_not_see(
    idle: Client,
    events: rw.Events,
    out: str,
    monkeypatch: pytest.MonkeyPatch,
    unseen: Callable[[pytest.MonkeyPatch, rw.Events], str],
) -> None:
    message = unseen(monkeypatch, events)
    with pytest.raises(FileNotFoundError, match=message):
        rw.distributed.learn(idle, events, out)


def test_no_client(client: Client, events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Client:
        raise ValueError("No clients found")

    monkeypatch.setattr("distributed.get_client", none)
    with pytest.raises(ValueError, match="client is None and there is no default one"):
        rw.distributed.learn(None, events, out)
    with monkeypatch.context() as patch:
        patch.setattr(Client, "asynchronous", True)
        with pytest.raises(TypeError, match="client is asynchronous"):
            rw.distributed.learn(client, events, out)
    called: Any = rw.distributed.learn
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client or None, not 'tcp://h:1'"):
        called("tcp://h:1", events, out)
    assert not Path(out).exists()


def test_of_running_text_the_call_is_written(client: Client, out: str, tmp_path: Path) -> None:
    text = tmp_path / "kjv.txt"
    text.write_text("In the beginning God created the heaven\nand the earth.\n")
    with pytest.raises(ValueError, match="found running text") as raised:
        rw.distributed.learn(client, text, out)
    assert f"rw.distributed.learn(client, rw.corpus_events({str(text)!r}), {out!r})" in str(raised.value)


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
def test_a_weight_that_diverges_is_named(client: Client, tmp_path: Path, out: str) -> None:
    events = rw.read_events([("a_b", "x", 2000), ("b", "y", 5)], tmp_path / "steep.rw")
    message = r"the weight of cue '[ab]' to outcome 'x' became -?(inf|nan)"
    with pytest.raises(FloatingPointError, match=message):
        rw.distributed.learn(client, events, out, alpha=1.0, beta=2.0, method="forward")


def test_initial_weights_and_schedules_are_read_from_the_store(
    client: Client, events: rw.Events, out: str
) -> None:
    how: dict[str, Any] = {
        "initial": rw.learn(events.head(50)),
        "schedule": rw.schedules.inverse_time(100),
        "outcomes": events.outcomes[:20],
        "beta": (0.2, 0.1),
    }
    learned = rw.distributed.learn(client, events, out, **how)
    assert np.array_equal(learned.values, rw.learn(events, **how).values)
