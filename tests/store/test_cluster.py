"""Tiles of a store learned by a cluster of dask.distributed, on this machine."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Thread, Timer
from typing import Any

import clusters
import dask
import pandas as pd
import pytest
import rescorla as rw
from clusters import cluster, doing, random_events, small_tiles, weights_in
from distributed import Client
from distributed.comm.core import CommClosedError
from rescorla._store import cluster_run, cluster_workers, stage, task
from rescorla._store.cluster_workers import Crew, Seen, Work
from rescorla._store.forecast import Needs
from rescorla._store.store import Store
from rescorla._store.task import StoppedError, learn_tiles
from strategies import bits


@pytest.fixture(autouse=True)
def _small_tiles() -> Iterator[None]:
    with small_tiles():
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


def whole(events: rw.Events, **how: Any) -> Any:
    return rw.learn(events, **({"method": "forward"} | how)).values


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_the_weights_are_those_of_learn(
    client: Client, events: rw.Events, out: str, method: Any, dtype: str
) -> None:
    learned = rw.distributed.learn(client, events, out, alpha=0.2, method=method, dtype=dtype)
    expected = rw.learn(events, alpha=0.2, method=method, dtype=dtype)
    assert bits(weights_in(out)) == bits(expected.values)
    assert (learned.cues, learned.outcomes) == (expected.cues, expected.outcomes)
    assert learned["c3", "o5"] == expected["c3", "o5"]


@pytest.mark.parametrize("tasks", [1, 4, 1000])
def test_any_number_of_tasks_will_do(client: Client, events: rw.Events, out: str, tasks: int) -> None:
    rw.distributed.learn(client, events, out, method="forward", tasks=tasks)
    assert bits(weights_in(out)) == bits(whole(events))


def test_events_in_memory_and_the_default_client(client: Client, events: rw.Events, out: str) -> None:
    in_memory = events.head(2000)
    assert in_memory.path is None
    rw.distributed.learn(None, in_memory, out, method="forward")
    assert bits(weights_in(out)) == bits(whole(in_memory))


def test_progress_is_in_tiles_and_in_the_calling_thread(client: Client, events: rw.Events, out: str) -> None:
    calls: list[tuple[int, int]] = []
    rw.distributed.learn(client, events, out, progress=lambda done, total: calls.append((done, total)))
    n_tiles = calls[-1][1]
    assert calls[0] == (0, n_tiles)
    assert calls[-1] == (n_tiles, n_tiles)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_what_is_whole_needs_no_worker(client: Client, events: rw.Events, out: str) -> None:
    rw.distributed.learn(client, events, out)
    with Client(processes=False, n_workers=0, dashboard_address=":0") as empty:
        rw.distributed.learn(empty, events, out)


def test_a_task_is_short_and_nothing_is_kept(events: rw.Events, out: str) -> None:
    sizes: list[int] = []
    with cluster() as client:
        doing(client, clusters.be_slow, 0.05)
        rw.distributed.learn(
            client,
            events,
            out,
            tasks=5,
            progress=lambda *_: sizes.extend(client.run_on_scheduler(clusters.tasks_as_sent)),
        )
        assert 0 < max(sizes) < 1000
        time.sleep(0.2)
        assert client.run_on_scheduler(clusters.n_tasks) == 0
        assert set(client.run(clusters.kept).values()) == {0}


def test_tasks_are_cut_by_the_time_that_the_first_tiles_took(
    client: Client, events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, ...]] = []
    submit = client.submit

    def noting(*args: Any, **how: Any) -> Any:
        given.append(args[-1])
        return submit(*args, **how)

    monkeypatch.setattr(client, "submit", noting)
    rw.distributed.learn(client, events, out, method="forward")
    # Two threads in each of two processes have two tasks each. Then all other tiles are one of some seconds.
    n_tiles = Store.open(out).n_tiles
    assert [len(tiles) for tiles in given] == [1] * 8 + [n_tiles - 8]
    assert sorted(tile for tiles in given for tile in tiles) == list(range(n_tiles))


def test_a_thread_learns_a_tile_and_a_process_has_one_job(events: rw.Events, out: str) -> None:
    with cluster(2, threads=3) as client:
        doing(client, clusters.count)
        rw.distributed.learn(client, events, out, tasks=100)
        counts = list(client.run(clusters.counts).values())
    assert [each["jobs"] for each in counts] == [1, 1]
    assert {each["at a time"] for each in counts} == {3}
    assert {each["threads of the job"] for each in counts} == {3}
    assert {each["threads of a tile"] for each in counts} == {1}
    assert sum(each["tiles"] for each in counts) == Store.open(out).n_tiles


def n_missing(out: str) -> int:
    return len(Store.open(out).missing())


def test_a_task_that_comes_again_learns_what_is_missing(client: Client, events: rw.Events, out: str) -> None:
    rw.distributed.learn(client, events, out)
    os.unlink(clusters.files_of_tiles(out)[1])
    (lost,) = Store.open(out).missing()
    again = client.submit(learn_tiles, "a run", str(events.path), events.digest, out, tuple(range(4)))
    assert again.result()[0] == (lost,)
    assert Store.open(out).missing() == []


# Workers that die.


def test_a_worker_killed_amid_a_tile_costs_nothing_but_time(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    events = random_events(tmp_path / "events.rw", 20_000)
    expected = bits(whole(events))
    random = Random(os.urandom(8))
    with cluster() as client:
        doing(client, clusters.be_slow, 0.1)
        for number in range(pytestconfig.getoption("kills")):
            out = str(tmp_path / f"{number}.zarr")
            moment = random.uniform(0.1, 0.6)
            killer = Thread(target=_kill_a_worker, args=(client, moment))
            killer.start()
            rw.distributed.learn(client, events, out, method="forward")
            killer.join()
            assert bits(weights_in(out)) == expected, moment


def _kill_a_worker(client: Client, moment: float) -> None:
    time.sleep(moment)
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)


@pytest.mark.parametrize(("deaths", "comes"), [(2, True), (99, False)])
def test_a_tile_that_kills_its_workers(tmp_path: Path, events: rw.Events, deaths: int, comes: bool) -> None:
    out, folder = str(tmp_path / "weights.zarr"), tmp_path / "deaths"
    folder.mkdir()
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), cluster() as client:
        doing(client, clusters.die_at, 3, deaths, str(folder))
        if comes:
            rw.distributed.learn(client, events, out, method="forward", retries=2)
            assert len(list(folder.iterdir())) == deaths
            assert bits(weights_in(out)) == bits(whole(events))
        else:
            with pytest.raises(RuntimeError, match=r"^tile 3 of .*weights.zarr did not come, 3 times"):
                rw.distributed.learn(client, events, out, method="forward", retries=2)


def test_another_cluster_goes_on(tmp_path: Path, events: rw.Events, out: str) -> None:
    with cluster() as client:

        def close_at_half(done: int, total: int, made: Any = client.cluster) -> None:
            if done >= total / 2:
                made.close()

        doing(client, clusters.be_slow, 0.1)
        with pytest.raises((OSError, RuntimeError)):
            rw.distributed.learn(client, events, out, method="forward", tasks=100, progress=close_at_half)
    calls: list[tuple[int, int]] = []
    with cluster() as client:
        rw.distributed.learn(client, events, out, method="forward", progress=lambda *done: calls.append(done))
    assert calls[0][0] >= calls[0][1] / 2
    assert bits(weights_in(out)) == bits(whole(events))


def test_an_exception_of_progress_stops_the_tiles(events: rw.Events, out: str) -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def enough(done: int, total: int) -> None:
        if done >= 3:
            raise Enough

    with cluster() as client:
        doing(client, clusters.be_slow, 0.1)
        with pytest.raises(Enough):
            rw.distributed.learn(client, events, out, method="forward", progress=enough)
        time.sleep(0.5)
        assert client.run_on_scheduler(clusters.n_tasks) == 0
        assert set(client.run(clusters.kept).values()) == {0}
        rw.distributed.learn(client, events, out, method="forward")
    assert bits(weights_in(out)) == bits(whole(events))


def test_a_task_that_starts_after_its_run_ended_learns_nothing(events: rw.Events, out: str) -> None:
    rw.tiles.create(events, out)
    task.stop("a run that ended")
    with pytest.raises(StoppedError):
        learn_tiles("a run that ended", str(events.path), events.digest, out, [0])
    assert clusters.kept() == 0


@pytest.mark.usefixtures("interrupted")
def test_an_interrupt_stops_the_tiles(events: rw.Events, out: str) -> None:
    def interrupt(done: int, total: int) -> None:
        if not started:
            started.append(time.monotonic())
            Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

    started: list[float] = []
    with cluster() as client:
        doing(client, clusters.be_slow, 0.1)
        with pytest.raises(KeyboardInterrupt):
            rw.distributed.learn(client, events, out, method="forward", tasks=2, progress=interrupt)
        assert time.monotonic() - started[0] < 2
        left = n_missing(out)
        assert left > 0
        time.sleep(1)
        assert n_missing(out) >= left - 2
        assert set(client.run(clusters.kept).values()) == {0}


def test_a_cluster_that_grows_by_its_tasks(events: rw.Events, out: str) -> None:
    with cluster(0) as client:
        made: Any = client.cluster
        made.adapt(minimum=0, maximum=2)
        rw.distributed.learn(client, events, out, method="forward")
    assert bits(weights_in(out)) == bits(whole(events))


# What is refused before a worker is given anything.


@pytest.fixture
def idle(client: Client, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client that must not be given tasks."""

    def submit(*_: Any, **__: Any) -> None:
        raise AssertionError("a task was submitted")

    monkeypatch.setattr(client, "submit", submit)
    return client


def test_other_parameters_and_other_events(
    client: Client, tmp_path: Path, events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rw.distributed.learn(client, events, out, alpha=0.1)
    others = random_events(tmp_path / "others.rw", seed=2)
    monkeypatch.setattr(client, "submit", lambda *_, **__: pytest.fail("a task was submitted"))
    with pytest.raises(ValueError, match="alpha"):
        rw.distributed.learn(client, events, out, alpha=0.2)
    with pytest.raises(ValueError, match="events"):
        rw.distributed.learn(client, others, out, alpha=0.1)


def test_workers_with_too_little_memory(events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with cluster(1, threads=16, memory_limit="600MiB") as client:
        monkeypatch.setattr(client, "submit", lambda *_, **__: pytest.fail("a task was submitted"))
        with pytest.raises(MemoryError, match=r"with 16 threads would need up to .* at most \d+ threads?"):
            rw.distributed.learn(client, events, out)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (1000 << 20, "with at most 4 threads"),
        (550 << 20, "with at most 1 thread,"),
        (549 << 20, "one thread alone would not fit"),
        (1150 << 20, None),
        (None, None),
    ],
)
def test_the_message_says_how_many_threads_would_fit(limit: int | None, message: str | None) -> None:
    needs = Needs(process=300 << 20, thread=150 << 20)
    crew = Crew(Any, Work("e.rw", "d", "w.zarr"), needs, None)  # type: ignore[arg-type]
    seen = Seen(("host", "/tmp"), True, True, 5, limit, 100 << 20)
    if message is None:
        crew._check_memory({"tcp://1": seen})
        return
    with pytest.raises(MemoryError, match=message):
        crew._check_memory({"tcp://1": seen})


def test_no_client(client: Client, events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Client:
        raise ValueError("No clients found")

    monkeypatch.setattr("distributed.get_client", none)
    with pytest.raises(ValueError, match="there is no dask client"):
        rw.distributed.learn(None, events, out)
    with monkeypatch.context() as patch:
        patch.setattr(Client, "asynchronous", True)
        with pytest.raises(TypeError, match="client is asynchronous"):
            rw.distributed.learn(client, events, out)
    called: Any = rw.distributed.learn
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client or None, not 'tcp://h:1'"):
        called("tcp://h:1", events, out)
    with pytest.raises(TypeError, match="takes 3 arguments by position"):
        called(None, events, out, 0.1)
    assert not Path(out).exists()


def test_stage_and_numbers_are_checked(idle: Client, tmp_path: Path, events: rw.Events, out: str) -> None:
    with pytest.raises(FileNotFoundError, match="stage must be"):
        rw.distributed.learn(idle, events, out, stage=tmp_path / "nowhere")
    with pytest.raises(ValueError, match="tasks must be a whole number of 1 or more"):
        rw.distributed.learn(idle, events, out, tasks=0)
    with pytest.raises(ValueError, match="retries must be"):
        rw.distributed.learn(idle, events, out, retries=-1)
    assert not Path(out).exists()


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ("0.0.1", RuntimeError, r"has rescorla 0\.0\.1, and this process"),
        (ModuleNotFoundError("No module named 'rescorla'"), ImportError, "has no rescorla that works"),
    ],
)
def test_another_version_or_none(
    idle: Client,
    events: rw.Events,
    out: str,
    monkeypatch: pytest.MonkeyPatch,
    answer: Any,
    error: type[Exception],
    message: str,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cluster_workers, "_asked_scheduler", lambda _: answer)
        with pytest.raises(error, match=f"the scheduler {message}"):
            rw.distributed.learn(idle, events, out)
    asked = "__import__('sys').modules['nothing']" if error is ImportError else repr(answer)
    if error is ImportError:
        asked = "__import__('a_package_that_is_not_there')"
    monkeypatch.setattr(cluster_workers, "_asked_scheduler", lambda _: rw.__version__)
    monkeypatch.setattr(cluster_workers, "_VERSION", asked)
    with pytest.raises(error, match=f"tcp://.* {message}"):
        rw.distributed.learn(idle, events, out)


def test_a_store_that_workers_do_not_see(
    idle: Client, events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = cluster_workers._look
    monkeypatch.setattr(cluster_workers._beacon, "__wrapped__", None, raising=False)
    crew = Crew(idle, Work(str(events.path), "d", out), Needs(0, 1), None)
    with pytest.raises(FileNotFoundError, match="out= must lie in a folder that client and workers share"):
        crew._check_store({"tcp://1": Seen(("h", "/tmp"), False, True, 1, None, 0)})
    Path(out).mkdir()
    found = idle.run(look, str(events.path), "d", out, f"{out}.no-such-beacon")
    assert not any(seen.sees_store for seen in found.values())
    found = idle.run(look, str(events.path), "d", out, __file__)
    assert all(seen.sees_store for seen in found.values())


def test_a_worker_that_dies_while_it_is_asked_is_no_worker() -> None:
    class Answers:
        def run(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {"tcp://1": rw.__version__, "tcp://2": CommClosedError("killed"), "tcp://3": "gone since"}

        def nthreads(self) -> dict[str, int]:
            return {"tcp://1": 1, "tcp://2": 1}

    crew = Crew(Answers(), Work("e.rw", "d", "w.zarr"), Needs(0, 1), None)  # type: ignore[arg-type]
    assert crew._on(["tcp://1", "tcp://2", "tcp://3"], eval, "version") == {"tcp://1": rw.__version__}


def test_a_cluster_without_workers_is_waited_for_and_said(
    events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_run, "_LOOK", 0.2)
    monkeypatch.setattr(cluster_run, "_ALONE", 0.5)
    with cluster(1) as client:
        doing(client, clusters.be_slow, 0.1)
        changes: list[Timer] = []

        def lose_all(done: int, total: int, made: Any = client.cluster) -> None:
            if done and not changes:
                made.scale(0)
                changes.append(Timer(4, made.scale, [1]))
                changes[0].start()

        with pytest.warns(rw.RescorlaWarning, match="no worker for 0 s, .* tiles are missing") as told:
            rw.distributed.learn(client, events, out, method="forward", progress=lose_all)
    assert len(told) == 1
    assert bits(weights_in(out)) == bits(whole(events))


# Events that workers do not see.


@pytest.mark.parametrize("shared", [False, True])
def test_events_are_fetched_once_a_host(
    tmp_path: Path, events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    monkeypatch.setattr(stage, "PIECE", 1000)
    folder = tmp_path / "shared"
    folder.mkdir()
    with cluster(local_directory=str(tmp_path / "local")) as client:
        doing(client, clusters.count)
        doing(client, clusters.see_nothing, events.path)
        found: list[list[str]] = []

        def look(done: int, total: int) -> None:
            if done == total:
                found.extend(client.run(clusters.copies).values())

        rw.distributed.learn(
            client, events, out, method="forward", stage=folder if shared else "auto", progress=look
        )
        fetched = [each["bytes"] for each in client.run(clusters.counts).values()]
        left = client.run(clusters.copies)
    assert sorted(fetched) == [0, os.path.getsize(str(events.path))]
    assert found == [[f"{events.digest}.rw"]] * 2
    assert set(map(tuple, left.values())) == {()}
    assert [each.name for each in folder.iterdir()] == ([f"{events.digest}.rw"] if shared else [])
    assert bits(weights_in(out)) == bits(whole(events))


def test_without_staging_workers_must_see_the_events(tmp_path: Path, events: rw.Events, out: str) -> None:
    with cluster(1, local_directory=str(tmp_path / "local")) as client:
        doing(client, clusters.see_nothing, events.path)
        with pytest.raises(FileNotFoundError, match=r'cannot see the events at .* give stage="auto"'):
            rw.distributed.learn(client, events, out, stage=None)


def test_without_staging_events_in_memory_are_to_be_compiled(tmp_path: Path, out: str) -> None:
    """Another host does not see the temporary file; the error has the call that works."""
    with cluster(1, local_directory=str(tmp_path / "local")) as client:
        doing(client, clusters.see_nothing, tempfile.gettempdir())
        for source in ([("a_b", "x")], rw.read_events([("a_b", "x")])):
            with pytest.raises(FileNotFoundError, match="which are in memory here") as raised:
                rw.distributed.learn(client, source, out, stage=None)
            assert f"rw.distributed.learn(client, events, {os.path.abspath(out)!r})" in str(raised.value)


@pytest.mark.parametrize("form", ["list", "generator", "frame", "table"])
def test_any_source_is_learned_from(
    client: Client, events: rw.Events, out: str, form: str, tmp_path: Path
) -> None:
    rows = [(list(e.cues), list(e.outcomes), e.frequency) for e in events.head(2000)]
    frame = pd.DataFrame(rows, columns=["cues", "outcomes", "frequency"])
    events.head(2000).to_table(tmp_path / "e.tab")
    sources: dict[str, Any] = {
        "list": rows,
        "generator": iter(rows),
        "frame": frame,
        "table": tmp_path / "e.tab",
    }
    rw.distributed.learn(client, sources[form], out, method="forward")
    assert bits(weights_in(out)) == bits(whole(events.head(2000)))


def test_of_running_text_the_call_is_written(client: Client, out: str, tmp_path: Path) -> None:
    text = tmp_path / "kjv.txt"
    text.write_text("In the beginning God created the heaven\nand the earth.\n")
    with pytest.raises(ValueError, match="found running text") as raised:
        rw.distributed.learn(client, text, out)
    assert f"rw.distributed.learn(client, rw.corpus_events({str(text)!r}), {out!r})" in str(raised.value)


def test_a_worker_that_comes_later_is_given_the_events(
    tmp_path: Path, events: rw.Events, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    seen = Crew._seen

    def noting(self: Crew, workers: list[str]) -> dict[str, Seen]:
        looked.extend(workers)
        return seen(self, workers)

    monkeypatch.setattr(Crew, "_seen", noting)
    with cluster(1, local_directory=str(tmp_path / "local")) as client:

        def scale(done: int, total: int, made: Any = client.cluster) -> None:
            if done >= 2 and len(made.workers) == 1:
                made.scale(2)

        doing(client, clusters.be_slow, 0.3)
        doing(client, clusters.see_nothing, events.path)
        rw.distributed.learn(client, events, out, method="forward", progress=scale)
        assert len(client.nthreads()) == 2
        # The first again after it was given the events; the second has the first's copy.
        assert sorted(map(looked.count, client.nthreads())) == [1, 2]
    assert bits(weights_in(out)) == bits(whole(events))


# What a worker tells.


def test_a_worker_at_work_tells_that_it_lives(tmp_path: Path, out: str) -> None:
    events = random_events(tmp_path / "events.rw", 200_000, 300, 300)
    silences: list[float] = []
    with cluster() as client:
        rw.distributed.learn(
            client,
            events,
            out,
            method="forward",
            progress=lambda *_: silences.extend(client.run_on_scheduler(clusters.silences)),
        )
    assert len(silences) > 5
    assert max(silences) < 2.0


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
def test_a_weight_that_diverges_is_named(client: Client, tmp_path: Path, out: str) -> None:
    events = rw.read_events([("a_b", "x", 2000), ("b", "y", 5)], tmp_path / "steep.rw")
    message = r"the weight of cue '[ab]' to outcome 'x' became -?(inf|nan)"
    with pytest.raises(FloatingPointError, match=message):
        rw.distributed.learn(client, events, out, alpha=1.0, beta=2.0, method="forward")
