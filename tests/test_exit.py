"""The process ends quietly, whatever its daemon threads do in the engine at that moment, and soon."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

# Each is done again and again by two daemon threads, when the main thread ends.
PRELUDE = """
import atexit, pathlib, random, sys, threading, time
import rescorla as rw
rng = random.Random(1)
cues = [f"c{i}" for i in range(400)]
rows = [(rng.sample(cues, 6), [f"o{rng.randrange(500)}"]) for _ in range(20_000)]
events = rw.read_events(rows, progress=False)
def look(done, total):
    pass
"""
RUN = """
def forever():
    while True:
        work()
for _ in range(2):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(random.Random().uniform(0.1, 0.3))
print("end", flush=True)
"""
WORK = {
    "a generator is compiled": "rw.read_events((f'a{i}', 'x') for i in range(10**6))",
    "a generator of names is compiled": "rw.read_events([((f'a{i}' for i in range(10**6)), 'x')])",
    "with a function for progress": "rw.read_events(((f'a{i}', 'x') for i in range(10**6)), progress=look)",
    "lines are read": "rw.corpus_events(f'word{i} and' for i in range(10**6))",
    "a function is asked": "rw.corpus_events((f'w{i}' for i in range(10**6)), cues_from=lambda w: w)",
    "events are iterated": "list(events)",
    "events are learned": "rw.learn(events, method='forward', threads=2, progress=False)",
    "progress of learning is told": "rw.learn(events, method='forward', threads=2, progress=look)",
    "a progress function learns": (
        "rw.learn(events, method='forward', threads=2, progress=lambda done, total: rw.learn(events[:99]))"
    ),
    "events are chosen": "events.sample(10**6, 1, progress=look)",
}
ARROW = """
import pyarrow as pa
schema = pa.schema({"cues": pa.string(), "outcomes": pa.string()})
def batches():
    for i in range(10**6):
        yield pa.record_batch({"cues": [f"c{i}"] * 10, "outcomes": ["x"] * 10})
# The first one imports pandas, which may take longer than the exit waits for Python that the engine called.
next(batches())
class Owner:
    def __init__(self, table): self.table = table
    def __arrow_c_stream__(self, requested_schema=None): return self.table.__arrow_c_stream__()
"""


def end(script: str) -> float:
    """Runs the script, which must end as if it had no threads; the seconds after its last word."""
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "end\n"
        start = time.monotonic()
        printed, errors = child.communicate(timeout=60)
        assert (child.returncode, printed, errors) == (0, "", "")
        return time.monotonic() - start
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_the_process_ends_while_threads(work: str) -> None:
    for _ in range(5):
        end(PRELUDE + f"def work(): {work}\n" + RUN)


@pytest.mark.parametrize("source", ["{}", "Owner({})"], ids=["a reader", "a stream"])
def test_the_process_ends_while_threads_read_batches_of_python(source: str) -> None:
    reader = source.format("pa.RecordBatchReader.from_batches(schema, batches())")
    for _ in range(5):
        end(PRELUDE + ARROW + f"def work(): rw.read_events({reader}, progress=False)\n" + RUN)


def test_the_end_does_not_wait_for_a_function_that_does_not_come_back() -> None:
    work = "rw.learn(events, method='forward', progress=lambda done, total: time.sleep(1000))"
    assert end(PRELUDE + f"def work(): {work}\n" + RUN) < 10


def test_the_process_ends_while_threads_read_files_and_ask_a_function(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\n".join(f"word{i} and another{i}" for i in range(200_000)))
    options = "cues_from=lambda word: [word], threads=2, progress=False"
    work = f"rw.corpus_events(pathlib.Path({str(path)!r}), {options})"
    for _ in range(5):
        end(PRELUDE + f"def work(): {work}\n" + RUN)


def test_work_that_is_stopped_takes_its_temporary_file_along(tmp_path: Path) -> None:
    path = str(tmp_path / "events.bin")
    work = f"rw.read_events(((f'a{{i}}', 'x') for i in range(10**8)), {path!r})"
    end(PRELUDE + f"def work(): {work}\n" + RUN)
    assert list(tmp_path.iterdir()) == []


def test_what_runs_at_exit_has_the_engine(tmp_path: Path) -> None:
    """Functions that were registered before the engine's own run after it, also on threads of the engine."""
    path = tmp_path / "words.txt"
    path.write_text("b")
    script = f"""
import atexit, pathlib
def work():
    events = rw.read_events([("a", "x")])
    names = lambda word: rw.read_events([(word, "y")]).cues
    words = rw.corpus_events(pathlib.Path({str(path)!r}), cues_from=names)
    print(len(list(events)), rw.learn(events).cues, words.cues)
atexit.register(work)
import rescorla as rw
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "1 ('a',) ('b',)\n")
