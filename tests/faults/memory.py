"""Calls under a limit of the address space (RLIMIT_AS): what does not fit must be a MemoryError.

    python tests/faults/memory.py [--calls WORD ...] [--limits 20] [--threads 2] [--scale 1] [--verbose]

Each call runs in forked children of one process that has imported everything. First the least room is found
in which it succeeds; then it runs under limits spread evenly from none beyond what the process has to a
little more than that. The table says for each call how many runs succeeded, raised MemoryError, could not
start a thread, raised something else, died, or hung; below it are the causes of what should not be, and how
often each was seen. No library can help the death of a small allocation of fixed size; that of one whose
size comes from the data is a defect. Exit status 1 when runs hung, raised something else, or more than 1 %
died. For Linux with glibc.
"""

import argparse
import ctypes
import gzip
import lzma
import os
import random
import re
import resource
import select
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

MIB = 1 << 20
KINDS = ("ok", "MemoryError", "no thread", "other", "died", "hung")
FINE = KINDS[:3]
# What else a child exits with, or a signal, is a death.
CODES = {0: "ok", 10: "MemoryError", 11: "no thread", 12: "other"}
PATIENCE = 120

# What is imported under a limit fails in its own ways.
MODULES = ("scipy.sparse.linalg", "scipy.linalg", "scipy.special", "numpy.lib.format", "pandas", "pyarrow")

M_ARENA_MAX = -8

Calls = dict[str, Callable[[], object]]


class Run(NamedTuple):
    """How a run ended, and what it said."""

    kind: str
    said: str


class Heap(ctypes.Structure):
    """glibc's mallinfo2."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "free", "mapped", "bytes", "_1", "_2", "_3", "used", "unused", "top")
    ]


def inputs(folder: Path, scale: float) -> None:
    """Writes the files that the calls read: some MB, times the scale."""
    rw = import_module("rescorla")
    draw = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 11))) for _ in range(int(scale * 40_000))]
    weights = [1 / (i + 3) for i in range(len(words))]

    def some(n: int) -> list[str]:
        return draw.choices(words, weights, k=n)

    with (folder / "text.txt").open("w") as file:
        file.writelines(" ".join(some(draw.randint(3, 15))) + "\n" for _ in range(int(scale * 20_000)))
    with (folder / "subtitles.xml").open("w") as file:
        file.write("<document>\n")
        for i in range(int(scale * 8_000)):
            line = "".join(f'<w id="{i}.{n}">{word}</w>' for n, word in enumerate(some(9)))
            file.write(f'<s id="{i}">{line}</s>\n')
        file.write("</document>\n")
    cells = (("_".join(draw.choices(words, k=5)), "_".join(draw.choices(words, k=2))) for _ in iter(int, 1))
    lines = (f"{cues}\t{outcomes}\t{draw.randint(1, 3)}\n" for cues, outcomes in cells)
    table = "cues\toutcomes\tfrequency\n" + "".join(next(lines) for _ in range(int(scale * 60_000)))
    (folder / "table.tab").write_text(table)
    with gzip.open(folder / "table.tab.gz", "wt", compresslevel=1) as file:
        file.write(table)
    with lzma.open(folder / "table.tab.xz", "wt", preset=2) as file:
        file.write(table)
    rw.read_events(folder / "table.tab", folder / "rows.events", progress=False)
    kinds = [
        (draw.choices(words[:3000], k=6), draw.choices(words[:1500], k=2)) for _ in range(int(scale * 12_000))
    ]
    repeated = (draw.choice(kinds) for _ in range(int(scale * 60_000)))
    rw.read_events(repeated, folder / "types.events", progress=False)
    few = ((draw.choices(words[:1200], k=6), [draw.choice(words[:60])]) for _ in range(int(scale * 20_000)))
    rw.read_events(few, folder / "small.events", progress=False)


def calls_on(folder: Path, threads: int, scale: float) -> Calls:
    """The calls. What they take is made here; what they give is dropped."""
    np = import_module("numpy")
    rw = import_module("rescorla")
    draw = random.Random(2)
    numbers = np.random.default_rng(3)
    quiet: dict[str, Any] = {"progress": False}
    work: dict[str, Any] = {"threads": threads, "progress": False}
    n = int(scale * 60_000)

    def event(i: int) -> tuple[list[str], list[str]]:
        return [f"cue{i}", f"cue{i * 7 % 90_001}", f"cue{i % 997}"], [f"outcome{i % 20_011}"]

    listed = [event(i) for i in range(n)]
    table, text, new = folder / "table.tab", folder / "text.txt", folder / "new"
    rows, types, small = (rw.open_events(folder / f"{name}.events") for name in ("rows", "types", "small"))
    again = rw.open_events(folder / "rows.events")
    shorter = {cue: cue[:4] for cue in types.cues}
    counts = {f"word{i}": draw.randint(1, 1000) for i in range(3 * n)}
    of_small = rw.Weights(numbers.normal(size=(small.n_cues, small.n_outcomes)), small.cues, small.outcomes)
    names = [f"c{i}" for i in range(2000)], [f"o{i}" for i in range(1500)]
    weights = rw.Weights(np.ones((2000, 1500)), *names)
    weights.save(folder / "weights.npy")
    weights.save(folder / "weights.npz")
    x = numbers.normal(size=(4000, 300))
    y = np.where(x @ numbers.normal(size=300) > 0, 1, -1)
    z = numbers.normal(size=(4000, 40))
    logistic: dict[str, Any] = {"activation": "logistic", "loss": "log", "batch": 100}
    iterative: dict[str, Any] = {"method": "iterative", "tol": 1e-3}
    calls: Calls = {
        "read_events list": lambda: rw.read_events(listed, **quiet),
        "read_events generator": lambda: rw.read_events((event(i) for i in range(n)), **quiet),
        "read_events table": lambda: rw.read_events(table, **quiet),
        "read_events gz": lambda: rw.read_events(folder / "table.tab.gz", **quiet),
        "read_events xz": lambda: rw.read_events(folder / "table.tab.xz", **quiet),
        "read_events path": lambda: rw.read_events(table, new, **quiet),
        "corpus_events trigrams": lambda: rw.corpus_events(text, **work),
        "corpus_events words": lambda: rw.corpus_events(text, cues_from="words", window=5, **work),
        "corpus_events around": lambda: rw.corpus_events(
            text, cues_from="words", window=(4, 4), context="document", **work
        ),
        "corpus_events context": lambda: rw.corpus_events(
            text, cues_from=["words", "bigrams"], window="context", normalize="NFC", **work
        ),
        "corpus_events subtitles": lambda: rw.corpus_events(
            folder / "subtitles.xml", format="subtitles", **work
        ),
        "corpus_events lines": lambda: rw.corpus_events(
            (" ".join(cues) for cues, _ in listed), cues_from=4, window=3, **work
        ),
        "filter": lambda: rows.filter(min_cue_count=3, remove_outcomes=rows.outcomes[:500], **quiet),
        "filter types": lambda: types.filter(cue_map=shorter, **quiet),
        "distinct": lambda: rows.distinct(**quiet),
        "swapped types": lambda: types.swapped(**quiet),
        "slice": lambda: rows[::2],
        "sample": lambda: types.sample(2 * n, 1, **quiet),
        "passes": lambda: small.passes(6, 1, **quiet),
        "split": lambda: rows.split(0.2, seed=1),
        "concat": lambda: rw.concat_events([rows, again, types], **quiet),
        "bandsample": lambda: rw.bandsample(counts, n // 3, seed=1),
        "iterate": lambda: sum(len(cues) for cues, *_ in rows),
        "names": lambda: (rw.open_events(folder / "rows.events").cues, rows.outcome_counts),
        "cue_matrix": rows.cue_matrix,
        "cue_sets": lambda: rows._file.cue_sets(),
        "verify": lambda: rw.open_events(folder / "types.events").verify(**quiet),
        "save, to_table": lambda: (rows.save(new), types.to_table(folder / "new.tab", **quiet)),
        "learn forward": lambda: rw.learn(types, method="forward", **work),
        "learn adjoint": lambda: rw.learn(types, method="adjoint", **work),
        "learn average": lambda: rw.learn(small, average=True, dtype="float32", **work),
        "learn out": lambda: rw.learn(small, out=folder / "out.npy", **work),
        "learn out adjoint": lambda: rw.learn(types, out=folder / "out.npy", method="adjoint", **work),
        "trajectories": lambda: rw.trajectories(small, cues=small.cues[:50], every=40, **work),
        "activations": lambda: rw.activations(small, of_small, **work),
        "delta_rule": lambda: rw.delta_rule(small, beta=0.01, **logistic, **work),
        "delta_rule arrays": lambda: rw.delta_rule((x, z), beta=0.001, **work),
        "widrow_hoff": lambda: rw.widrow_hoff((x, z), eta=0.0001, **work),
        "widrow_hoff names": lambda: rw.widrow_hoff(small, eta=0.001, **work),
        "perceptron": lambda: rw.perceptrons.perceptron(x, y, max_sweeps=20, **quiet),
        "minover": lambda: rw.perceptrons.minover(x, y, max_steps=2000, **quiet),
        "adatron": lambda: rw.perceptrons.adatron(x[:1500], y[:1500], max_sweeps=30, **quiet),
        "teacher_student": lambda: rw.perceptrons.teacher_student(
            [40, 80], [1, 2], replicates=20, seed=1, **work
        ),
        "equilibrium dense": lambda: rw.equilibrium(small, method="dense", **work),
        "equilibrium iterative": lambda: rw.equilibrium(types, **iterative, **work),
        "equilibrium rates": lambda: rw.equilibrium(small, beta=(0.1, 0.2), **iterative, **work),
        "convergence": lambda: rw.convergence(small).summary(),
        "weights npz": lambda: (weights.save(folder / "new.npz"), rw.load_weights(folder / "weights.npz")),
        "weights npy": lambda: (weights.save(folder / "new.npy"), rw.load_weights(folder / "weights.npy")),
    }
    if pyarrow := sys.modules.get("pyarrow"):
        columns = pyarrow.table({"cues": [cues for cues, _ in listed], "outcomes": [o for _, o in listed]})
        calls["read_events arrow"] = lambda: rw.read_events(columns, **quiet)
    if pandas := sys.modules.get("pandas"):
        joined = {"cues": ["_".join(cues) for cues, _ in listed], "outcomes": [o[0] for _, o in listed]}
        frame = pandas.DataFrame(joined)
        calls["read_events pandas"] = lambda: rw.read_events(frame, **quiet)
    return calls


def fill_heap(libc: ctypes.CDLL) -> None:
    """Takes the large pieces that the heap has free: they would be room beside the limit."""
    libc.mallinfo2.restype = Heap
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    libc.malloc_trim(0)
    for size in (1 << bits for bits in range(24, 14, -1)):
        while (before := libc.mallinfo2()).unused >= size:
            block = libc.malloc(size - 16)
            after = libc.mallinfo2()
            if after.arena > before.arena or after.mapped > before.mapped:
                libc.free(block)
                libc.malloc_trim(0)
                break


def room_used() -> int:
    """The address space of this process."""
    pages = Path("/proc/self/statm").read_text().split()[0]
    return int(pages) * resource.getpagesize()


def child(call: Callable[[], object], room: int, tell: int) -> None:
    """Makes the call with so much room, and ends the process."""
    os.dup2(tell, 1)
    os.dup2(tell, 2)
    unlimited = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (room_used() + room, unlimited[1]))
    kind = "ok"
    try:
        call()
    except MemoryError:
        kind = "MemoryError"
    except BaseException as error:
        resource.setrlimit(resource.RLIMIT_AS, unlimited)
        sys.stderr.write(f"{type(error).__name__}: {error}")
        sys.stderr.flush()
        no_thread = isinstance(error, RuntimeError) and str(error).startswith("cannot start a thread")
        kind = "no thread" if no_thread else "other"
    os._exit(next(code for code, name in CODES.items() if name == kind))


def run(call: Callable[[], object], room: int) -> Run:
    """Makes the call in a child with so much room."""
    told, tell = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(told)
        child(call, room, tell)
    os.close(tell)
    said, hung, end = b"", False, time.monotonic() + PATIENCE
    while True:
        ready, _, _ = select.select([told], [], [], max(end - time.monotonic(), 0))
        if not ready:
            os.kill(pid, signal.SIGKILL)
            hung = True
            break
        piece = os.read(told, 1 << 16)
        if not piece:
            break
        said += piece
    os.close(told)
    _, status = os.waitpid(pid, 0)
    text = said.decode(errors="replace").strip()
    if hung:
        return Run("hung", text)
    if os.WIFSIGNALED(status):
        return Run("died", f"{signal.Signals(os.WTERMSIG(status)).name}: {text}")
    return Run(CODES.get(os.WEXITSTATUS(status), "died"), text)


def need_of(call: Callable[[], object]) -> int:
    """About the least room in which the call succeeds."""
    enough = MIB
    while (found := run(call, enough)).kind != "ok":
        enough *= 2
        if enough > 64 << 30:
            raise SystemExit(f"does not succeed in any room: {found}")
    too_little = enough // 2
    for _ in range(4):
        middle = (too_little + enough) // 2
        if run(call, middle).kind == "ok":
            enough = middle
        else:
            too_little = middle
    return enough


def cause(found: Run) -> str:
    """What a run died of, or raised, in one line."""
    lines = [line for line in found.said.splitlines() if line.strip()] or ["nothing said"]
    telling = [line for line in lines if re.search("memory allocation of|panicked|annot allocate", line)]
    signal_name, line = lines[0].split(":")[0], (telling or lines)[0]
    starts = found.kind != "died" or line.startswith(signal_name)
    return (line if starts else f"{signal_name}: {line}")[:150]


def sweep(calls: Calls, n_limits: int, verbose: bool) -> Counter[str]:
    """Runs all calls under all limits, prints the table, and counts how runs ended."""
    all_ends: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    print(f"{'call':26}{'need':>10}" + "".join(f"{kind:>12}" for kind in KINDS))
    for name, call in calls.items():
        need = need_of(call)
        ends: Counter[str] = Counter()
        for i in range(n_limits):
            room = need * i * 11 // (10 * (n_limits - 1))
            found = run(call, room)
            ends[found.kind] += 1
            if found.kind not in FINE:
                causes[f"{name}: {found.kind}: {cause(found)}"] += 1
                if verbose:
                    print(f"-- {name}, {room / MIB:.2f} MiB: {found.kind}\n{found.said}")
        print(f"{name:26}{need / MIB:6.1f} MiB" + "".join(f"{ends[kind]:12}" for kind in KINDS), flush=True)
        all_ends += ends
    print(f"{'all':36}" + "".join(f"{all_ends[kind]:12}" for kind in KINDS))
    for line, n in causes.most_common():
        print(f"{n:4}  {line}")
    return all_ends


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", nargs="*", default=[""], help="words that the names of the calls have")
    parser.add_argument("--limits", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.0, help="of the data")
    parser.add_argument("--verbose", action="store_true", help="all that failing runs say")
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["RUST_BACKTRACE"] = "1" if options.verbose else "0"
    # One heap for all threads: what the system keeps for threads to come would be room beside the limit.
    libc = ctypes.CDLL(None)
    libc.mallopt(M_ARENA_MAX, 1)
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for module in MODULES:
        try:
            import_module(module)
        except ImportError:
            print(f"without {module}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In a child, so that what making them takes is not room that the calls have.
        pid = os.fork()
        if pid == 0:
            inputs(folder, options.scale)
            os._exit(0)
        if os.waitpid(pid, 0)[1] != 0:
            raise SystemExit("the data could not be made")
        calls = calls_on(folder, options.threads, options.scale)
        chosen = {name: call for name, call in calls.items() if any(word in name for word in options.calls)}
        fill_heap(libc)
        ends = sweep(chosen, options.limits, options.verbose)
    n_runs = sum(ends.values())
    version = import_module("rescorla").__version__
    print(f"{n_runs} runs of rescorla {version}: {100 * ends['died'] / n_runs:.1f} % died")
    return int(ends["other"] + ends["hung"] > 0 or 100 * ends["died"] > n_runs)


if __name__ == "__main__":
    sys.exit(main())
