"""Jobs: prepared once, learned in parts, with the bits of the whole."""

import threading
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import rescorla._core as _core
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from rescorla._learn.plan import plan_of, start_of
from rescorla._learn.rescorla_wagner import forecast

EVENTS = [(f"a{i % 7}_b{i % 11}_c{i % 5}", f"x{i % 13}_y{i % 5}") for i in range(400)]


def job(
    events: rw.Events,
    *,
    method: Any = None,
    dtype: str = "float64",
    initial: rw.Weights | None = None,
    average: bool = False,
    schedule: Any = None,
    event_memory: int | None = None,
    tile: int | None = None,
) -> _core.Job:
    plan = plan_of(events, None, None, initial)
    return _core.Job(
        events._file,
        dtype=dtype,
        alpha=np.full(len(plan.cues), 0.1),
        beta1=0.1,
        beta2=0.1,
        lambda_=np.ones(len(plan.outcomes)),
        rule="rescorla_wagner",
        rule_parameters={},
        retention=1.0,
        schedule=schedule,
        average=average,
        cue_rows=plan.cue_rows,
        outcome_columns=plan.outcome_columns,
        keep_rows=None,
        initial=None if initial is None else start_of(initial, np.dtype(dtype)),
        initial_columns=plan.initial_columns,
        initial_states=None,
        method=method,
        threads=2,
        event_memory=event_memory,
        kernel=None,
        tile=tile,
        progress=None,
    )


def learned(job: _core.Job, parts: list[tuple[int, int]], dtype: str) -> np.ndarray[Any, Any]:
    """The weights, learned part by part, and all other weights NaN."""
    out = np.full(job.shape, np.nan, dtype=dtype)
    columns = job.method == "forward"
    for start, stop in parts:
        rows = out[:, start:stop] if columns else out[start:stop]
        part = np.zeros(rows.shape, dtype=dtype)
        job.learn(start, stop, part)
        rows[:] = part
    return out


def too_little(events: rw.Events, method: Any, dtype: str) -> int:
    """One byte less than all events take as a method reads them."""
    memory = forecast(events, dtype=dtype, method=method, threads=1)["memory"]
    all_events: int = memory["events"] - (32 << 20)
    return max(0, all_events - 1)


@given(
    events=some.events(),
    method=st.sampled_from(["forward", "adjoint"]),
    dtype=st.sampled_from(["float64", "float32"]),
    continued=st.booleans(),
    room=st.sampled_from(["enough", "one byte less than needed", "none"]),
    tile=st.sampled_from([None, 8]),
    data=st.data(),
)
def test_parts_have_the_bits_of_the_whole(
    events: Any, method: Any, dtype: str, continued: bool, room: str, tile: Any, data: st.DataObject
) -> None:
    source = rw.read_events(events, duplicates="keep")
    initial = None
    if continued:
        # Other names first, so that columns are not in the order in which they occur.
        initial = (
            rw.Weights(
                [[0.5, 0.0], [0.0, -0.25]],
                ["?", *source.cues][:2],
                ["!", *reversed(source.outcomes), "?"][:2],
            )
            if source.cues
            else None
        )
    whole = rw.learn(source, method=method, dtype=dtype, initial=initial)
    event_memory = {"enough": None, "none": 0}.get(room, too_little(source, method, dtype))
    found = job(source, method=method, dtype=dtype, initial=initial, event_memory=event_memory, tile=tile)
    assert found.method == method
    n = found.n_lanes
    bounds = sorted(data.draw(st.sets(st.integers(0, n), max_size=4)) | {0, n})
    parts = data.draw(st.permutations(list(pairwise(bounds))))
    assert learned(found, parts, dtype).tobytes() == whole.values.tobytes()


@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_threads_share_a_job(method: Any) -> None:
    events = rw.read_events(EVENTS * 40)
    shared = job(events, method=method)
    out: dict[int, np.ndarray[Any, Any]] = {}

    def learn(lane: int) -> None:
        shape = (shared.shape[0], 1) if method == "forward" else (1, shared.shape[1])
        out[lane] = np.zeros(shape)
        shared.learn(lane, lane + 1, out[lane])

    threads = [threading.Thread(target=learn, args=(lane,)) for lane in range(shared.n_lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    parts = np.concatenate([out[lane] for lane in sorted(out)], axis=1 if method == "forward" else 0)
    assert parts.tobytes() == rw.learn(events, method=method).values.tobytes()
    done, total = shared.progress()
    assert done == total > 0


def test_a_mean_and_a_schedule_hold_for_parts() -> None:
    events = rw.read_events(EVENTS)
    factors = 1 / np.sqrt(np.arange(1, events.n_tokens + 1))
    whole = rw.learn(events, average=True, schedule=lambda token: 1 / np.sqrt(token), method="forward")
    found = job(events, average=True, schedule=(factors, factors), method="forward")
    n = found.n_lanes
    assert learned(found, [(n // 2, n), (0, n // 2)], "float64").tobytes() == whole.values.tobytes()


@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_parts_share_the_decoding_of_events_bit_for_bit(method: Any) -> None:
    events = rw.read_events(EVENTS * 400)
    whole = rw.learn(events, method=method)
    found = job(events, method=method, event_memory=too_little(events, method, "float64"), tile=1)
    n = found.n_lanes
    parts = [(n // 2, n), (0, n // 2)]
    assert learned(found, parts, "float64").tobytes() == whole.values.tobytes()
    done, total = found.progress()
    assert done == total > 0


def test_what_a_part_cannot_be_is_refused() -> None:
    shared = job(rw.read_events(EVENTS), method="forward")
    rows, columns = shared.shape
    for start, stop, shape in [(0, columns + 1, (rows, columns + 1)), (2, 1, (rows, 1)), (0, 2, (rows, 3))]:
        with pytest.raises(ValueError, match="expected"):
            shared.learn(start, stop, np.zeros(shape))
    with pytest.raises(ValueError, match="float64"):
        shared.learn(0, 1, np.zeros((rows, 1), dtype=np.float32))


def test_a_job_that_is_stopped_learns_no_more() -> None:
    shared = job(rw.read_events(EVENTS * 100), method="forward")
    shared.stop()
    with pytest.raises(KeyboardInterrupt):
        shared.learn(0, shared.n_lanes, np.zeros(shared.shape))
