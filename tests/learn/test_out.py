"""`learn(out="w.npy")`: the bits of a result in memory, written without the memory for it."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import asked
import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event
from rescorla._learn import rescorla_wagner

METHODS = st.sampled_from(["forward", "adjoint"])
TILES = st.one_of(st.none(), st.integers(1, 40))


def assert_same(path: Path, learned: rw.Weights, expected: rw.Weights) -> None:
    """The weights in the file, however they are read, are the expected ones bit for bit."""
    for found in (learned, rw.load_weights(path)):
        assert some.bits(found.values) == some.bits(expected.values)
        assert (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
        assert found.parameters == learned.parameters
    assert some.bits(np.load(path)) == some.bits(expected.values)


@pytest.mark.filterwarnings("ignore:beta = .* may overshoot")
@pytest.mark.filterwarnings("ignore:initial shares no name")
@given(st.data(), some.events(), METHODS, TILES, some.DTYPES, some.THREADS)
def test_a_file_has_the_bits_of_the_memory(
    folder: Path,
    data: st.DataObject,
    events: list[Event],
    method: Any,
    tile: int | None,
    dtype: Any,
    threads: int,
) -> None:
    rows = reference.normalised(events, "keep")
    cues, outcomes = reference.vocabularies(rows)
    initial = data.draw(st.one_of(st.just({}), some.initials(cues, outcomes)))
    start = None
    if initial:
        known = [reference.distinct(pair[side] for pair in initial) for side in (0, 1)]
        start = rw.Weights(reference.matrix(initial, known[0], known[1], np.float64), known[0], known[1])
        cues, outcomes = (tuple(reference.distinct([*known[i], *(cues, outcomes)[i]])) for i in (0, 1))
    rule = data.draw(some.rules(cues, outcomes))
    if method == "adjoint" and isinstance(rule.beta, tuple):
        rule.beta = rule.beta[0]
    lambdas = rule.lambda_
    chosen = data.draw(st.one_of(st.none(), some.subsets(outcomes)))
    if isinstance(lambdas, dict) and chosen is not None:
        rule.lambda_ = {outcome: lambdas[outcome] for outcome in chosen}
    keywords = rule.keywords() | {
        "method": method,
        "tile": tile,
        "dtype": dtype,
        "initial": start,
        "cues": data.draw(st.one_of(st.none(), some.subsets(cues))),
        "outcomes": chosen,
    }
    source = rw.read_events(events, duplicates="keep")
    expected = asked.learn(source, **keywords)
    path = folder / "w.npy"
    assert_same(path, asked.learn(source, **keywords, threads=threads, out=path), expected)


@given(st.integers(0, 2**32), st.integers(1, 40), METHODS, TILES, some.DTYPES, some.THREADS)
def test_a_file_of_many_tiles_has_the_bits_of_the_memory(
    folder: Path, seed: int, n_cues: int, method: Any, tile: int | None, dtype: Any, threads: int
) -> None:
    source = rw.read_events(some.wide_events(seed, 12, n_cues, 90))
    keywords: dict[str, Any] = {"method": method, "tile": tile, "dtype": dtype}
    path = folder / "w.npy"
    learned = asked.learn(source, **keywords, threads=threads, out=path)
    assert_same(path, learned, asked.learn(source, **keywords))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("method", "fortran_order"), [("forward", True), ("adjoint", False)])
def test_a_file_has_the_order_in_which_it_is_learned(
    method: Any, fortran_order: bool, dtype: Any, tmp_path: Path
) -> None:
    events = rw.read_events([("a_b", "x"), ("b_c", "y")])
    path = tmp_path / "w.npy"
    rw.learn(events, method=method, dtype=dtype, out=path)
    with path.open("rb") as stream:
        assert np.lib.format.read_magic(stream) == (1, 0)
        header = np.lib.format.read_array_header_1_0(stream)
        assert header == ((3, 2), fortran_order, np.dtype(dtype))
        # Every header has this length, and what follows is aligned to cache lines.
        assert stream.tell() == 128
    assert path.stat().st_size > 128 + 6 * np.dtype(dtype).itemsize


def test_weights_by_columns_are_saved_by_columns(tmp_path: Path) -> None:
    events = rw.read_events([("a_b", "x"), ("b_c", "y")])
    learned = rw.learn(events, method="forward", out=tmp_path / "w.npy")
    learned.save(tmp_path / "again.npy")
    elements = learned.values.nbytes
    assert (tmp_path / "again.npy").read_bytes()[-elements:] == (tmp_path / "w.npy").read_bytes()[-elements:]
    again = rw.load_weights(tmp_path / "again.npy")
    assert again.values.flags.f_contiguous
    assert some.bits(again.values) == some.bits(learned.values)


def test_weights_have_no_attribute_that_nobody_gave_them(tmp_path: Path) -> None:
    events = rw.read_events([("a_b", "x")])
    for weights in (rw.learn(events), rw.learn(events, out=tmp_path / "w.npy")):
        with pytest.raises(AttributeError, match="'Weights' object has no attribute 'value'"):
            weights.value  # type: ignore[attr-defined]  # noqa: B018
        again = pickle.loads(pickle.dumps(weights))
        assert some.bits(again.values) == some.bits(weights.values)


def test_learning_stopped_from_outside_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    path.write_bytes(b"the old file")

    def stop(_done: int, _total: int) -> None:
        raise TimeoutError("enough")

    # Whoever stops it is not the disk: the error is as it was raised.
    with pytest.raises(TimeoutError, match="enough") as caught:
        rw.learn(rw.read_events([("a_b", "x")]), out=path, progress=stop)
    assert caught.value.filename is None
    assert path.read_bytes() == b"the old file"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.filterwarnings("ignore:beta = .* may overshoot")
@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_the_weight_that_diverges_is_the_same_for_any_tile(method: Any, tmp_path: Path) -> None:
    events = rw.read_events(some.wide_events(7, 12, 20, 90))
    lambdas = {outcome: 1e308 if i % 5 == 3 else 1.0 for i, outcome in enumerate(events.outcomes)}
    messages = set()
    for tile, threads, out in [(1, 1, None), (40, 3, None), (17, 2, tmp_path / "w.npy"), (None, 1, None)]:
        with pytest.raises(FloatingPointError) as caught:
            asked.learn(events, beta=1e3, lambda_=lambdas, method=method, tile=tile, threads=threads, out=out)
        messages.add(str(caught.value))
    assert len(messages) == 1
    assert list(tmp_path.iterdir()) == []


# Under a limit of the address space. The parent, without one, looks at what is in the file.

N_NAMES = 9000
N_THREADS = 2

LIMITED = """
import resource, sys
import rescorla as rw
from rescorla._learn import rescorla_wagner

path, method, needed, n, threads = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])

def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field + ":"))

events = rw.read_events(((f"c{i}", f"c{(7 * i + 1) % n}"), (f"o{i}",)) for i in range(n))
assert len(events.cues) == len(events.outcomes) == n
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak from here on
resident, limit = status("VmRSS"), status("VmSize") + needed
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(limit)
try:
    rw.learn(events, method=method, progress=False)
except MemoryError:
    print("no memory for the result")
weights = rw.learn(events, method=method, out=path, threads=threads, progress=False)
print(status("VmHWM") - resident)
try:
    weights.values
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and peaks are those of Linux")
@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_a_result_larger_than_the_address_space(method: Any, tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    events = rw.read_events(((f"c{i}", f"c{(7 * i + 1) % N_NAMES}"), (f"o{i}",)) for i in range(N_NAMES))
    memory = rescorla_wagner.forecast(events, method=method, threads=N_THREADS)["memory"]
    needed = sum(memory.values())
    # Neither of these libraries' room in the address space is ours.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, (path, method, needed, N_NAMES, N_THREADS))],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    limit, in_memory, peak, mapped = done.stdout.splitlines()
    assert path.stat().st_size > 128 + 8 * N_NAMES**2 > int(limit)
    assert in_memory == "no memory for the result"
    assert int(peak) <= needed
    assert mapped.startswith(f"{path} is whole, but this process has no room to map its ")
    weights = rw.load_weights(path)
    assert (weights.cues, weights.outcomes) == (events.cues, events.outcomes)
    parts: list[dict[str, Any]] = [
        {"cues": ["c1", "c8999", "c4500"]},
        {"outcomes": ["o0", "o8999", "o63"]},
    ]
    for names in parts:
        some_of_it = rw.learn(events, method=method, **names)
        rows = [weights.cues.index(cue) for cue in some_of_it.cues]
        columns = [weights.outcomes.index(outcome) for outcome in some_of_it.outcomes]
        assert some.bits(some_of_it.values) == some.bits(weights.values[np.ix_(rows, columns)])
        assert some_of_it.values.any()
    path.unlink()
