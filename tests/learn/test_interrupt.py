"""Long calls stop for Ctrl-C and for a progress callback that raises, and count upwards to their total."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import rescorla as rw

# Seconds of work each, far more than the test waits. Cues far apart in frequency, so that no event repeats.
PRELUDE = """
import itertools, random, signal, sys
import rescorla as rw
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = random.Random(1)
def events(n):
    return ((rng.sample(range_of_cues, 8), [f"o{rng.randrange(5000)}"]) for _ in range(n))
range_of_cues = [f"c{i}" for i in range(3000)]
"""
LEARN = (
    PRELUDE
    + "known = rw.read_events((cues, outcomes, 10**6) for cues, outcomes in events(1000))\n"
    + "work = lambda: rw.learn(known, method='forward', progress=False)\n"
)
RECORD = (
    PRELUDE
    + "known = rw.read_events((cues, outcomes, 10**6) for cues, outcomes in events(1000))\n"
    + "record = lambda **what: rw.trajectories(known, every=10**5, cues=['c1'], progress=False, **what)\n"
    + "work = lambda: record(outcomes=known.outcomes[:99])\n"
)
SCHEDULE = (
    PRELUDE
    + "known = rw.read_events([('a', 'x', 2 * 10**8)])\n"
    + "work = lambda: rw.learn(known, schedule=rw.schedules.inverse_time(10.0), progress=False)\n"
)
INFLUENCE = (
    PRELUDE
    + "known = rw.read_events(events(20_000))\n"
    + "pairs = [(cue, outcome) for outcome in known.outcomes[:9] for cue in known.cues]\n"
    + "work = lambda: rw.influence(known, pairs=pairs, n=1, progress=False)\n"
)
DELTA = (
    PRELUDE
    + "known = rw.read_events((cues, outcomes, 10**6) for cues, outcomes in events(1000))\n"
    + "work = lambda: rw.delta_rule(known, beta=0.01, batch=1000, reduction='mean', activation='tanh', "
    + "progress=False)\n"
)
DELTA_ROWS = (
    PRELUDE
    + "import numpy as np\n"
    + "X, Z = np.ones((1000, 50)), np.ones((1000, 9))\n"
    + "work = lambda: rw.delta_rule((X, Z), beta=1e-9, batch='full', passes=10**7, progress=False)\n"
)
# Never learned: one row with both classes.
PERCEPTRON = (
    PRELUDE
    + "import numpy as np\n"
    + "X, y = np.ones((1000, 50)), np.resize([1, -1], 1000)\n"
    + "work = lambda: rw.perceptrons.perceptron(X, y, max_sweeps=10**9, progress=False)\n"
)
# Thousands of iterations, of cues that are all but dependent.
ITERATE = (
    PRELUDE
    + "chain = [([f'c{i}', f'c{i + 1}'], [f'o{i % 50}']) for i in range(30_000)]\n"
    + "known = rw.read_events(chain)\n"
    + "work = lambda: rw.equilibrium(known, method='iterative', progress=False)\n"
)
# A matrix of 6,000 cues, whose factorisation is 7e10 multiplications.
FACTORISE = (
    PRELUDE
    + "chain = [([f'c{i}', f'c{i + 1}', f'c{i * i % 6000}'], [f'o{i % 50}'], i) for i in range(6000)]\n"
    + "known = rw.read_events(chain)\n"
    + "work = lambda: rw.equilibrium(known, method='dense', threads=1, progress=False)\n"
)
# 3.6e9 pairs of slots of an event: none of them is to be looked at.
ONE_CUE = (
    PRELUDE
    + "n = 60_000\n"
    + "rows = [(['a'] * n, ['x']), (['b'] * (n // 2) + ['a'], ['y'])]\n"
    + "known = rw.read_events(rows, duplicates='keep')\n"
    + "work = lambda: [rw.equilibrium(known, threads=1, progress=False) for _ in range(10**5)]\n"
)
CONVERGENCE = (
    PRELUDE
    + "range_of_cues = range_of_cues[:60]\n"
    + "known = rw.read_events(events(20_000))\n"
    + "work = lambda: rw.convergence(known).oscillation()\n"
)
COMPILE_ITERABLE = PRELUDE + "work = lambda: rw.read_events(events(10**9), progress=False)\n"
# No Python runs between two of these events, so that nobody but the engine looks at signals.
COMPILE_REPEATED = PRELUDE + "work = lambda: rw.read_events(itertools.repeat(('a_b', 'x')), progress=False)\n"
# Batches as Python makes them, and one that the engine is long at.
COMPILE_BATCHES = (
    PRELUDE
    + """
import pyarrow as pa
def batches():
    while True:
        yield pa.record_batch({"cues": [f"c{rng.random()}"] * 10, "outcomes": ["x"] * 10})
# The first one imports pandas, which takes its time to hear of a signal.
next(batches())
schema = pa.schema({"cues": pa.string(), "outcomes": pa.string()})
work = lambda: rw.read_events(pa.RecordBatchReader.from_batches(schema, batches()), progress=False)
"""
)
COMPILE_ARROW = (
    PRELUDE
    + """
import pyarrow as pa
cues = pa.array(["_".join(map(str, range(1000)))]).dictionary_encode().take([0] * 10**6)
table = pa.table({"cues": cues, "outcomes": cues, "frequency": range(10**6)})
work = lambda: rw.read_events(table, progress=False)
"""
)
SAMPLE = PRELUDE + "work = lambda: rw.read_events(events(100)).sample(10**9, 1, progress=False)\n"
PASSES = PRELUDE + "work = lambda: rw.read_events(events(10**5)).passes(10**4, 1, progress=False)\n"
# Twenty million events, whose cues become a hundred each.
FILTER = (
    PRELUDE
    + "known = rw.read_events(events(1000)).passes(20_000)\n"
    + "cue_map = {cue: [cue] * 100 for cue in known.cues}\n"
    + "work = lambda: known.filter(cue_map=cue_map, duplicates='keep', min_cue_count=1, progress=False)\n"
)
CONCAT = (
    PRELUDE
    + "known = rw.read_events(events(1000)).passes(1000)\n"
    + "work = lambda: rw.concat_events([known] * 1000, progress=False)\n"
)
COMPILE_TABLE = PRELUDE + "work = lambda: rw.read_events(sys.argv[1], sys.argv[2], progress=False)\n"
# The same file again and again, with short events and with long ones.
COMPILE_TEXT = (
    PRELUDE
    + "import pathlib\n"
    + "paths = [pathlib.Path(sys.argv[1])] * 10**5\n"
    + "window, context = int(sys.argv[3]), 'document'\n"
    + "work = lambda: rw.corpus_events(paths, sys.argv[2], window=window, context=context, progress=False)\n"
)
# Words that are one event: soon read, long made into one, for all their n-grams are made anew for each event.
COMPILE_CONTEXT = (
    PRELUDE
    + """
import pathlib
line = " ".join(f"w{i * i % 7919:060}" for i in range(1000)) + "\\n"
path = pathlib.Path(sys.argv[1])
path.write_text(line * 800)
corpora = {"file": path, "item": [line * 800], "lines": [line] * 800, "words": [line.split()] * 800}
how = dict(cues_from=5, window="context", context="paragraph", progress=False)
work = lambda: rw.corpus_events(corpora[sys.argv[2]], **how)
"""
)
RUN = """
print("ready", flush=True)
try:
    work()
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
"""


def interrupted_after(script: str, *arguments: str) -> float:
    """Seconds from SIGINT, 0.3 s into the work, to KeyboardInterrupt."""
    child = subprocess.Popen(
        [sys.executable, "-c", script + RUN, *arguments], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        # Work that does not stop fails here instead of holding up all tests.
        printed, _ = child.communicate(timeout=20)
        assert printed == "interrupted\n"
        return time.monotonic() - start
    finally:
        child.kill()
        child.communicate()


def is_soon_interrupted(script: str, *arguments: str) -> bool:
    """Whether it takes less than a second: it takes 0.2 s, if not always where other programs run, too."""
    return any(interrupted_after(script, *arguments) < 1.0 for _ in range(3))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to a child")
class TestInterrupt:
    @pytest.mark.parametrize(
        "script",
        [
            LEARN,
            RECORD,
            SCHEDULE,
            INFLUENCE,
            DELTA,
            DELTA_ROWS,
            PERCEPTRON,
            ITERATE,
            FACTORISE,
            ONE_CUE,
            CONVERGENCE,
            COMPILE_ITERABLE,
            COMPILE_REPEATED,
            COMPILE_BATCHES,
            COMPILE_ARROW,
            SAMPLE,
            PASSES,
            FILTER,
            CONCAT,
        ],
        ids=[
            "learn",
            "record",
            "schedule",
            "influence",
            "delta_rule",
            "delta_rule on arrays",
            "perceptron",
            "iterate",
            "factorise",
            "an event of one cue",
            "convergence",
            "compile an iterable",
            "compile an iterable without Python",
            "compile batches of Python's",
            "compile a large batch",
            "sample",
            "passes",
            "filter",
            "concat",
        ],
    )
    def test_in_memory(self, script: str) -> None:
        assert is_soon_interrupted(script)

    def test_a_call_sets_nothing_up_that_an_interrupt_breaks(self) -> None:
        # numpy's interface for other languages, whose lookup calls the first, and its random numbers.
        script = (
            PRELUDE
            + "import numpy.lib\n"
            + "loaded = set(sys.modules)\n"
            + "def interrupted(*_): raise KeyboardInterrupt\n"
            + "numpy.lib.NumpyVersion = interrupted\n"
            + "known = rw.read_events(events(10)).passes(2, 1)\n"
            + "assert rw.learn(known).values.any()\n"
            + "assert not any(name.startswith('numpy.random') for name in set(sys.modules) - loaded)\n"
        )
        subprocess.run([sys.executable, "-c", script], check=True)

    def test_compiling_a_table_leaves_nothing_behind(self, tmp_path: Path) -> None:
        table, target = tmp_path / "events.tab", tmp_path / "events.bin"
        block = "".join(f"a{i}_b{i % 7}_c{i % 11}\to{i % 13}\n" for i in range(100_000))
        with table.open("w") as file:
            file.write("cues\toutcomes\n")
            for _ in range(250):
                file.write(block)
        assert is_soon_interrupted(COMPILE_TABLE, str(table), str(target))
        assert list(tmp_path.iterdir()) == [table]

    @pytest.mark.parametrize("window", [1, 3, 3000])
    def test_reading_text_leaves_nothing_behind(self, tmp_path: Path, window: int) -> None:
        text, target = tmp_path / "words.txt", tmp_path / "words.bin"
        text.write_text(" ".join(f"w{i * i % 7919}" for i in range(100_000)))
        assert is_soon_interrupted(COMPILE_TEXT, str(text), str(target), str(window))
        assert list(tmp_path.iterdir()) == [text]

    @pytest.mark.parametrize("source", ["file", "item", "lines", "words"])
    def test_making_one_event_of_a_long_context(self, tmp_path: Path, source: str) -> None:
        assert is_soon_interrupted(COMPILE_CONTEXT, str(tmp_path / "words.txt"), source)


EVENTS = [([f"c{i % 997}", f"d{i % 991}"], [f"o{i % 5003}"]) for i in range(60_000)]


def calls(tmp_path: Path) -> dict[str, Callable[[Any], object]]:
    """Every call that takes a callback, on enough work that it is called."""
    events = rw.read_events(EVENTS)
    table = tmp_path / "events.tab"
    events.to_table(table)
    frame = pl.concat([pl.DataFrame(EVENTS, schema=["cues", "outcomes"], orient="row")] * 20)
    return {
        "learn": lambda progress: rw.learn(events, method="forward", progress=progress),
        "trajectories": lambda progress: rw.trajectories(events, cues=["c1"], every=7, progress=progress),
        "dense": lambda progress: rw.equilibrium(events[:3000], method="dense", progress=progress),
        "iterative": lambda progress: rw.equilibrium(events[:999], method="iterative", progress=progress),
        "table": lambda progress: rw.read_events(table, tmp_path / "1.bin", progress=progress),
        "iterable": lambda progress: rw.read_events(iter(EVENTS * 20), tmp_path / "2.bin", progress=progress),
        "arrow": lambda progress: rw.read_events(frame, tmp_path / "3.bin", progress=progress),
    }


class Stop(Exception):  # noqa: N818
    """What the callback raises."""


def refuse(_done: int, _total: int) -> None:
    raise Stop


@pytest.mark.parametrize("call", ["learn", "trajectories", "iterative", "iterable", "arrow"])
def test_an_exception_of_the_callback_comes_out(call: str, tmp_path: Path) -> None:
    work = calls(tmp_path)[call]
    before = sorted(tmp_path.iterdir())
    with pytest.raises(Stop):
        work(refuse)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "call", ["learn", "trajectories", "dense", "iterative", "table", "iterable", "arrow"]
)
def test_done_rises_to_the_total(call: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    calls(tmp_path)[call](lambda done, total: seen.append((done, total)))
    assert seen
    done = [d for d, _ in seen]
    assert done == sorted(done)
    # A total of 0 says that it is not known.
    assert all(total == 0 or d <= total for d, total in seen)
