"""Weights learned in slices beside weights learned at once: what cutting the work costs.

    python benches/slices.py --text kjv.txt    # medians of 5
    python benches/slices.py --smoke           # small events, once: do the bits agree?

First, slices on one job in one process, its preparation among them, beside one `learn`: by both methods, on
one thread and on two. Slices are whole tiles of the engine, of which a chunk of a store is made, or 100
equal ones, whatever the tiles. Then a store: two processes with one thread each, of which each learns every
second chunk, beside one process with two threads. Each process has imported what it needs before the clock
starts.

Ways take turns within a repetition, and each begins with events that were just opened. The bits have to
agree: the exit status is 1 where they do not, whatever the times are.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal

import numpy as np
import rescorla as rw
import workloads
from jobs import Slice, job_of, learned, together
from numpy.typing import NDArray
from steps import machine

METHODS: tuple[Literal["forward", "adjoint"], ...] = ("forward", "adjoint")
EQUAL = 100
SYNTHETIC = workloads.Size(events=200_000, cues=5_000, outcomes=10_000, cues_per_event=5)
SMALL = workloads.Size(events=2_000, cues=100, outcomes=300, cues_per_event=4)
WEIGHTS = "weights.zarr"


def slices_of(n_lanes: int, wanted: int) -> list[Slice]:
    """So many slices that are as equal as can be."""
    n = min(wanted, n_lanes)
    return [(n_lanes * i // n, n_lanes * (i + 1) // n) for i in range(n)]


def tiles_of(n_lanes: int, width: int) -> list[Slice]:
    """A slice for each tile of the engine."""
    return [(start, min(start + width, n_lanes)) for start in range(0, n_lanes, width)]


# More tiles than a store has.
NO_TILE = 10**9

CUTS: dict[str, Callable[[Any], list[Slice]]] = {
    "whole tiles": lambda job: tiles_of(job.n_lanes, job.width),
    "equal slices": lambda job: slices_of(job.n_lanes, EQUAL),
}


def whole(path: Path, method: Any, threads: int) -> tuple[float, NDArray[Any]]:
    """The seconds of one `learn`, and its weights."""
    events = rw.open_events(path)
    begun = time.perf_counter()
    values = np.asarray(rw.learn(events, method=method, threads=threads, progress=False).values)
    return time.perf_counter() - begun, values


def in_slices(path: Path, method: Any, threads: int, cut: str) -> tuple[float, NDArray[Any], int]:
    """The seconds that slices take with their preparation, what they make up, and how many they are."""
    events = rw.open_events(path)
    begun = time.perf_counter()
    job = job_of(events, method=method, threads=threads)
    slices = CUTS[cut](job)
    parts = learned(job, slices, threads)
    return time.perf_counter() - begun, together(job, parts), len(slices)


def compare_slices(path: Path, repetitions: int) -> bool:
    """Prints the times of slices beside those of the whole; whether they have the same bits."""
    same = True
    for method in METHODS:
        for threads in (1, 2):
            times: dict[str, list[float]] = {name: [] for name in ("whole", *CUTS)}
            n_slices: dict[str, int] = {}
            for _ in range(repetitions):
                seconds, expected = whole(path, method, threads)
                times["whole"].append(seconds)
                for cut in CUTS:
                    seconds, found, n_slices[cut] = in_slices(path, method, threads, cut)
                    times[cut].append(seconds)
                    same &= found.tobytes() == expected.tobytes()
            medians = {name: statistics.median(each) for name, each in times.items()}
            print(f"  {method}, threads {threads}: whole {medians['whole']:.3f} s", end="")
            for cut, n in n_slices.items():
                print(
                    f"; {n} {cut} {medians[cut]:.3f} s ({medians[cut] / medians['whole']:.3f} times)", end=""
                )
            print(flush=True)
    return same


def work(store: str, events: str, method: Any, part: str, n: str, threads: str) -> None:
    """A process that learns a part of a store when it is told to."""
    # Opens the store once, so that all of zarr is there before the clock starts.
    rw.load_weights(store)
    print("ready", flush=True)
    sys.stdin.readline()
    rw.learn(events, out=store, part=(int(part), int(n)), method=method, threads=int(threads), progress=False)
    print("done", flush=True)


def by_processes(path: Path, store: Path, method: Any, n: int, threads: int) -> float:
    """The seconds until a store is learned by so many processes of so many threads."""
    # A part that no tile belongs to: the store is made, and nothing learned.
    rw.learn(path, out=store, part=(NO_TILE - 1, NO_TILE), method=method, threads=2, progress=False)
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, "--work", *map(str, (store, path, method, part, n, threads))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for part in range(n)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    begun = time.perf_counter()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
    seconds = time.perf_counter() - begun
    for process in processes:
        process.communicate()
    return seconds


def compare_processes(path: Path, folder: Path, repetitions: int) -> bool:
    """Prints the times of two processes beside one of two threads; whether both stores have the same bits."""
    same = True
    for method in METHODS:
        times: dict[tuple[int, int], list[float]] = {(1, 2): [], (2, 1): []}
        n_tiles = 0
        for _ in range(repetitions):
            found = []
            for processes, threads in times:
                store = folder / WEIGHTS
                times[processes, threads].append(by_processes(path, store, method, processes, threads))
                n_tiles = rw.verify(store).n_tiles
                found.append(np.asarray(rw.load_weights(store)).tobytes())
                rmtree(store)
            same &= found[0] == found[1]
        one, two = (statistics.median(each) for each in times.values())
        print(
            f"  {method}, a store of {n_tiles} chunks: one process of 2 threads {one:.3f} s, two of 1 "
            f"{two:.3f} s, {two / one:.3f} times",
            flush=True,
        )
    return same


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--text", type=Path, help="running text, UTF-8: trigrams of each word to the word")
    parser.add_argument("--repetitions", type=int, default=5, help="figures are medians")
    parser.add_argument("--folder", type=Path, help="where files go for a while")
    parser.add_argument("--smoke", action="store_true", help="small events, once")
    parser.add_argument("--work", nargs=6, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(*options.work)
        return 0
    about = machine()
    repetitions = 1 if options.smoke else options.repetitions
    print(f"{about['processor']}, {about['cores']} cores, rescorla {about['versions']['rescorla']}")
    print(f"medians of {repetitions}")
    same = True
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        made = {"zipf": folder / "zipf.rw"}
        table = folder / workloads.TABLE
        workloads.write_table(table, workloads.zipf_lines(SMALL if options.smoke else SYNTHETIC))
        rw.read_events(table, made["zipf"], duplicates="error", progress=False)
        text = options.text
        if options.smoke and text is None:
            text = folder / "text.txt"
            workloads.small_text(text)
        if text is not None:
            made["text"] = folder / "text.rw"
            rw.corpus_events(text, made["text"], symbols="a-z", progress=False)
        for source, path in made.items():
            events = rw.open_events(path)
            print(f"{source}: {len(events):,} events, {events.n_cues:,} cues, {events.n_outcomes:,} outcomes")
            same &= compare_slices(path, repetitions)
            same &= compare_processes(path, folder, repetitions)
    if not same:
        print("WEIGHTS DO NOT AGREE: the bits of slices are not those of the whole")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
