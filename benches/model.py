"""What learning into a store will take: constants of a cost model, and what it predicts. Linux only.

    python benches/model.py --folder /scratch    # 100,000 cues x 100,000 outcomes, 4 cues an event; minutes
    python benches/model.py --smoke              # small: does it work; prints no time of an event

The model, for n hosts of c threads each:

    T = F / B  +  ceil(K / (n c)) E (t_tile + t_decode / g)  +  unhidden R / D

F bytes of the event file are read at B bytes a second by each host; K tiles are learned, each from all E
events, which are decoded for every g tiles, or once if they fit `event_memory`; R bytes of the result are
written at D bytes a second to one disk that all hosts share. What is written while other tiles are learned
is hidden; the tiles of the last round are not. A tile is what a thread learns at a time: one of the engine,
or what a chunk of the store holds where that is less.

The constants are measured on made-up events by Zipf's law, fewer than the prediction is for, and on some of
the tiles, with all threads at work at once. What takes a time for each event is measured with all events and
with the first quarter of them, so that what names and results take is left out. What is printed for many
hosts is a prediction: nothing of it was run.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from math import ceil
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
import rescorla as rw
import rescorla._core as _core
import workloads
from jobs import at_work, job_of, shape_of
from rescorla._learn.rescorla_wagner import forecast
from rescorla._weights.zarr import chunks
from rescorla._weights.zarr.describe import lanes_of_chunk
from steps import machine

HOSTS = (1, 10, 100)
THREADS_A_HOST = 16
EVENTS = 1_000_000_000
EVENT_MEMORY = 512 << 20
# Calls that each thread makes.
CALLS = 3
# Tiles that are learned in one call, to see how many share a decoded run.
IN_A_CALL = 8
PIECE = 1 << 20


class Constants(NamedTuple):
    """What the model is made of. Times are in seconds of one thread."""

    file_fixed: float
    file_each: float
    read: float
    tile: float
    decode: float
    run: float
    write: float
    chunks: int
    tiles_a_chunk: int
    result: float
    decoded_each: float
    needed: int
    about: str
    warm: float
    lanes: int
    chunk: int


def main() -> None:
    """Parses the command line, measures and predicts."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--events", type=int, default=2_000_000, help="to measure with")
    parser.add_argument("--cues", type=int, default=100_000)
    parser.add_argument("--outcomes", type=int, default=100_000)
    parser.add_argument("--slots", type=int, default=4, help="cues an event")
    parser.add_argument("--method", choices=["auto", "forward", "adjoint"], default="auto")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="at work at once")
    parser.add_argument("--repetitions", type=int, default=3, help="constants are medians")
    parser.add_argument("--disk", type=int, default=1024, help="MB to write and read")
    parser.add_argument("--folder", type=Path, help="on the disk that is measured")
    parser.add_argument("--smoke", action="store_true", help="small, once")
    options = parser.parse_args()
    if options.smoke:
        options.events, options.cues, options.outcomes = 20_000, 1_500, 1_000
        options.repetitions, options.disk = 1, 2
    about = machine()
    print(f"{about['processor']}, {about['cores']} cores, rescorla {about['versions']['rescorla']}")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        constants = measured(options, Path(folder))
    describe(constants, options)
    lines = prediction(constants, options)
    if options.smoke:
        print("the times of an event, and what follows from them, need more events than a smoke run has")
        return
    if constants.tile <= 0:
        raise SystemExit("four times the events took no longer: take more --events, or a quieter machine")
    print(*lines, sep="\n")


def measured(options: argparse.Namespace, folder: Path) -> Constants:
    """Measures the constants."""
    files = made(options, folder)
    often, threads = int(options.repetitions), int(options.threads)
    method = None if options.method == "auto" else options.method
    few, events = (rw.open_events(file) for file in files)
    jobs = {
        decoded: [job_of(each, method=method, threads=threads, event_memory=room) for each in (few, events)]
        for decoded, room in (("once", 1 << 40), ("again", 0))
    }
    job = jobs["once"][-1]
    n_lanes, lane = options.outcomes, options.cues
    if job.method == "adjoint":
        n_lanes, lane = lane, n_lanes
    chunk = lanes_of_chunk(n_lanes, lane, job.width, np.dtype("float64"), max(HOSTS) * THREADS_A_HOST)
    tiles_a_chunk = ceil(chunk / job.width)
    lanes = ceil(chunk / tiles_a_chunk)
    tile, decode = in_turn(jobs, lanes, 1, threads, often)
    _, shared = in_turn(jobs, lanes, IN_A_CALL, threads, often)
    run = min(IN_A_CALL, max(1.0, decode / max(shared, 1e-12)))
    write, cold, warm = disk(folder, lane * chunk * 8, options.disk << 20, often)
    needed = forecast(events, method=job.method, threads=THREADS_A_HOST)["memory"]
    # Names, and what a large file keeps of its events besides, stand behind the events.
    each = (names_begin(files[1]) - names_begin(files[0])) / (len(events) - len(few))
    about = (
        f"{len(events):,} events of {options.slots} cues and one outcome, {events.n_cues:,} cues, "
        f"{events.n_outcomes:,} outcomes; {job.method} method, float64, {threads} threads at once; medians "
        f"of {often}"
    )
    return Constants(
        file_fixed=files[1].stat().st_size - each * len(events),
        file_each=each,
        read=cold,
        tile=tile,
        decode=decode,
        run=run,
        write=write,
        chunks=ceil(n_lanes / chunk),
        tiles_a_chunk=tiles_a_chunk,
        result=8 * n_lanes * lane,
        decoded_each=(needed["events"] - THREADS_A_HOST * (32 << 20)) / len(events),
        needed=sum(needed.values()),
        about=about,
        warm=warm,
        lanes=lanes,
        chunk=lane * chunk * 8,
    )


def describe(found: Constants, options: argparse.Namespace) -> None:
    """Prints the constants; of a smoke run those that are not differences of times, which are noise there."""
    print(found.about)
    print(
        f"  F        {found.file_fixed / 1e6:.1f} MB for the names, and {found.file_each:.2f} bytes an event"
    )
    print(
        f"  B        {found.read / 1e6:,.0f} MB/s cold, {found.warm / 1e6:,.0f} MB/s from the cache of files"
    )
    print(
        f"  K        {found.chunks * found.tiles_a_chunk:,} tiles of {found.lanes} lanes, "
        f"{found.tiles_a_chunk} in a chunk of the store, which has {found.chunk / 1e6:.0f} MB"
    )
    if not options.smoke:
        weight = found.tile / found.lanes
        print(f"  t_tile   {found.tile * 1e9:.1f} ns an event, which is {weight * 1e12:.0f} ps a weight")
        print(
            f"  t_decode {found.decode * 1e9:.1f} ns an event; decoded, it has {found.decoded_each:.0f} bytes"
        )
        print(
            f"  g        {found.run:.1f} tiles, where a call learns {IN_A_CALL}; in a chunk "
            f"{found.tiles_a_chunk} at most"
        )
    print(f"  R        {found.result / 1e9:.1f} GB")
    print(f"  D        {found.write / 1e6:,.0f} MB/s, with the checksum and fsync")
    print(
        f"  memory of a process of {THREADS_A_HOST} threads: at most {found.needed / 1e9:.1f} GB, "
        f"and {THREADS_A_HOST * 2 * found.chunk / 1e9:.1f} GB for chunks"
    )


def median(often: int, measure: Callable[[], float]) -> float:
    """The median of some measurements."""
    return statistics.median(measure() for _ in range(often))


def made(options: argparse.Namespace, folder: Path) -> tuple[Path, Path]:
    """The files of the first quarter of the events, and of all. Both have all names."""
    size = workloads.Size(options.events, options.cues, options.outcomes, options.slots)
    table, few, path = folder / workloads.TABLE, folder / "few.rw", folder / "events.rw"
    workloads.write_table(table, workloads.zipf_lines(size))
    events = rw.read_events(table, path, duplicates="error", progress=False)
    table.unlink()
    events.head(len(events) // 4).save(few)
    return few, path


def names_begin(file: Path) -> int:
    """Where the names of an event file begin, by its header: see docs/format.md."""
    with file.open("rb") as stream:
        return int.from_bytes(stream.read(80)[72:], "little")


def slope(seconds: list[float], numbers: list[int]) -> float:
    """The seconds of one more."""
    return (seconds[1] - seconds[0]) / (numbers[1] - numbers[0])


def in_turn(
    jobs: dict[str, list[_core.Job]], lanes: int, tiles: int, threads: int, often: int
) -> tuple[float, float]:
    """The seconds for an event and tile where events were decoded once, and what decoding again adds."""
    pairs = [
        (learned(jobs["once"], lanes, tiles, threads), learned(jobs["again"], lanes, tiles, threads))
        for _ in range(often)
    ]
    added = statistics.median(again - once for once, again in pairs)
    return statistics.median(once for once, _ in pairs), max(0.0, added)


def learned(jobs: list[_core.Job], lanes: int, tiles: int, threads: int) -> float:
    """The seconds of a thread for an event and tile, where a call learns so many tiles."""
    seconds, tokens = zip(*(learned_by(job, lanes * tiles, threads) for job in jobs), strict=True)
    return slope(list(seconds), list(tokens))


def learned_by(job: _core.Job, lanes: int, threads: int) -> tuple[float, int]:
    """The seconds of all threads in some calls that learn so many lanes, and the tokens of their tiles.

    A tile leaves out the events before the first one that can change it, so the job says how many it learned.
    The first lanes are not among them: those have the commonest names, and cost more than most.
    """
    lanes = min(lanes, job.n_lanes // 2)
    starts = iter([lanes + i * lanes % (job.n_lanes - 2 * lanes + 1) for i in range(CALLS * threads)])
    before, lock = job.progress()[0], Lock()
    seconds: list[float] = []

    def work() -> None:
        out = np.zeros(shape_of(job, 0, lanes))
        while True:
            with lock:
                start = next(starts, None)
            if start is None:
                return
            # Touches the memory, too.
            out.fill(0)
            begun = time.perf_counter()
            job.learn(start, start + lanes, out)
            seconds.append(time.perf_counter() - begun)

    at_work(work, threads)
    return sum(seconds), job.progress()[0] - before


def disk(folder: Path, chunk: int, total: int, often: int) -> tuple[float, float, float]:
    """Bytes a second: chunks written as a store does it, and read again, from the disk and from memory."""
    values = np.random.default_rng(1).random((max(1, chunk // 8), 1))
    paths = [str(folder / f"chunk-{i}") for i in range(max(1, total // max(1, values.nbytes)))]
    size = len(paths) * values.nbytes

    def write() -> float:
        begun = time.perf_counter()
        for path in paths:
            chunks.write(path, values, (len(values), 1), 0)
        return size / (time.perf_counter() - begun)

    def read(cold: bool) -> float:
        for path in paths if cold else ():
            forget(path)
        begun = time.perf_counter()
        for path in paths:
            with open(path, "rb", buffering=0) as stream:
                while stream.read(PIECE):
                    pass
        return size / (time.perf_counter() - begun)

    written = median(often, write)
    cold = median(often, lambda: read(True))
    read(False)
    return written, cold, median(often, lambda: read(False))


def forget(path: str) -> None:
    """Lets the system drop a file from memory; the host of a virtual machine may still have it there."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def prediction(constants: Constants, options: argparse.Namespace) -> list[str]:
    """What the model says of many events."""
    file = constants.file_fixed + constants.file_each * EVENTS
    lines = [
        f"PREDICTION, {EVENTS:,} events of {options.slots} cues, {options.cues:,} cues x "
        f"{options.outcomes:,} outcomes, hosts of {THREADS_A_HOST} threads; the event file has "
        f"{file / 1e9:.1f} GB:"
    ]
    for n_hosts in HOSTS:
        parts = predicted(constants, EVENTS, n_hosts, THREADS_A_HOST)
        shown = ", ".join(f"{name} {seconds:,.0f} s" for name, seconds in parts.items())
        total = sum(parts.values())
        lines.append(f"  {n_hosts:3} hosts: {total:,.0f} s, or {total / 3600:.2f} h: {shown}")
    return lines


def predicted(constants: Constants, events: int, n_hosts: int, threads: int) -> dict[str, float]:
    """The terms of the model, in seconds."""
    file = constants.file_fixed + constants.file_each * events
    # A chunk of the store is learned by one thread, in one call.
    rounds = ceil(constants.chunks / (n_hosts * threads))
    decoded_again = constants.decoded_each * events > EVENT_MEMORY
    share = min(constants.run, constants.tiles_a_chunk)
    if decoded_again:
        once, each = 0.0, constants.decode / share
    else:
        once, each = constants.decode * events / threads, 0.0
    one_round = constants.tiles_a_chunk * events * (constants.tile + each)
    writing = constants.result / constants.write
    return {
        "reading": file / constants.read,
        "decoding": once,
        "tiles": rounds * one_round,
        "unhidden writing": max(writing / rounds, writing - (rounds - 1) * one_round),
    }


if __name__ == "__main__":
    main()
