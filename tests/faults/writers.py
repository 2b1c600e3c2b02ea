"""Writers of one path beside each other, and a reader.

    cd tests && python -m faults.writers [--kind NAME ...] [--writers 4] [--seconds 60]

Processes write one path over and over, each values and names that tell whose they are, while another one
loads it all the time. No writer may fail; what is loaded must be of one writer. Then they write once each,
together, over and over; after each round what is there must be whole and of one writer, with nothing beside
it. What a writer gives back must not be mixed; whether it is another writer's is only counted. Each half
takes half of the time. Exit status 1 when anything is wrong.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import rescorla as rw

from faults.disk import environment
from faults.subjects import (
    MIXED,
    WRITERS,
    Material,
    leftovers,
    renew,
    state,
    versions,
)

KINDS = (
    "Events.save",
    "read_events",
    "to_table",
    "Weights.save .npz",
    "Weights.save .npy",
    "Weights.save .nc",
    "Weights.save .zarr",
    "learn out=, forward",
)
"""Writers that do different things."""

SIZE = 400
OTHERS = "another writer's"


class Race(NamedTuple):
    """What came of writers beside each other."""

    kind: str
    writes: int
    failed: dict[str, int]
    """Errors of writers."""
    given_back: dict[str, int]
    """What writers gave back that was not theirs alone."""
    loads: int
    bad_loads: dict[str, int]
    """What was loaded that was not of one writer."""
    rounds: int
    bad_rounds: dict[str, int]
    """What was left of a round that was not of one writer."""
    left: list[str]

    def wrong(self) -> list[str]:
        """All that should not be."""
        found = [f"a writer failed {n} times: {error}" for error, n in self.failed.items()]
        if self.given_back.get(MIXED):
            found.append(f"a writer was given back what was mixed, {self.given_back[MIXED]} times")
        found += [f"loaded {n} times: {what}" for what, n in self.bad_loads.items()]
        found += [f"left at rest {n} times: {what}" for what, n in self.bad_rounds.items()]
        if self.left:
            found.append(f"leftovers: {self.left}")
        if not (self.writes and self.loads and self.rounds):
            found.append("nothing was done")
        return found


def race(kind: str, folder: Path, *, n_writers: int, seconds: float) -> Race:
    """So many writers, and a reader, for so long."""
    writer, target = WRITERS[kind], folder / "target"
    numbers = range(1, n_writers + 1)
    known = versions(writer, folder, numbers, SIZE)
    (folder / "known").write_text(json.dumps(known))
    renew(target, folder / "1")
    reader, *writers = processes = [_start(kind, number, folder, seconds / 2) for number in (0, *numbers)]
    for process in processes:
        _line(process)
    _tell(processes, "go")
    told = [_counts(process) for process in processes]
    rounds = Counter[str]()
    end = time.monotonic() + seconds / 2
    while time.monotonic() < end and all(process.poll() is None for process in writers):
        _tell(writers, "once")
        told += [_counts(process) for process in writers]
        rounds[state(writer, target, known)] += 1
    for process in processes:
        process.communicate()
    failed, given_back = Counter[str](), Counter[str]()
    for counts in told[1:]:
        failed.update(counts["failed"])
        given_back.update(counts["other"])
    loaded = told[0]["other"]
    if reader.returncode:
        loaded[f"such that the reader ended with status {reader.returncode}"] += 1
    return Race(
        kind,
        sum(counts["done"]["done"] for counts in told),
        failed,
        given_back,
        sum(loaded.values()),
        {what: n for what, n in loaded.items() if not what.isdigit()},
        sum(rounds.values()),
        {what: n for what, n in rounds.items() if not what.isdigit()},
        leftovers(writer, target),
    )


def _start(kind: str, number: int, folder: Path, seconds: float) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "faults.writers", "--inside", str(folder)]
    command += ["--kind", kind, "--number", str(number), "--seconds", str(seconds)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    )


def _line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _tell(processes: Sequence["subprocess.Popen[str]"], word: str) -> None:
    for process in processes:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(f"{word}\n")
            process.stdin.flush()


def _counts(process: "subprocess.Popen[str]") -> dict[str, Counter[str]]:
    """What a process tells of what it did; that it died, where it did."""
    told = _line(process)
    if not told:
        return {"done": Counter(), "failed": Counter({f"status {process.wait()}": 1}), "other": Counter()}
    return {name: Counter(counts) for name, counts in json.loads(told).items()}


def inside(kind: str, number: int, folder: Path, seconds: float) -> None:
    """What a writer does, or, with the number 0, the reader."""
    writer, target = WRITERS[kind], folder / "target"
    text = json.loads((folder / "known").read_text())
    known = {int(version): [tuple(parts) for parts in files] for version, files in text.items()}
    material = Material(number or 1, SIZE, folder / "material")
    writer.ready(material)
    # The first time takes long, for libraries are imported.
    state(writer, folder / "1", known)
    print("ready", flush=True)
    for word in sys.stdin:
        done, failed, other = Counter[str](done=0), Counter[str](), Counter[str]()
        end = time.monotonic() + (seconds if word == "go\n" else 0)
        while True:
            if not number:
                other[state(writer, target, known)] += 1
            else:
                try:
                    given = writer.write(material, str(target / writer.files[0]))
                except Exception as error:
                    failed[f"{type(error).__name__}: {getattr(error, 'strerror', None) or error}"] += 1
                else:
                    done["done"] += 1
                    if whose := _not_own(given, number):
                        other[whose] += 1
            if time.monotonic() >= end:
                break
        print(json.dumps({"done": done, "failed": failed, "other": other}), flush=True)


def _not_own(given: object, number: int) -> str | None:
    """What is wrong with what a writer gave back."""
    mark = f"v{number}"
    if isinstance(given, rw.Events):
        return None if all(name.startswith(mark) for name in given.cues) else OTHERS
    if isinstance(given, rw.Weights):
        names = all(name.startswith(mark) for name in given.cues)
        values = bool(np.all(given.values == number))
        if names and values:
            return None
        return MIXED if names or values else OTHERS
    return None


def table(races: Sequence[Race]) -> str:
    """Counts by kind of file."""
    heads = (
        "writes",
        "failed",
        "given mixed",
        "other's",
        "loads",
        MIXED,
        "else",
        "rounds",
        "bad",
        "left",
    )
    lines = [f"{'':24}" + "".join(f"{head:>12}" for head in heads)]
    for each in races:
        bad = Counter(each.bad_loads)
        counts = [
            each.writes,
            sum(each.failed.values()),
            each.given_back.get(MIXED, 0),
            each.given_back.get(OTHERS, 0),
            each.loads,
            bad[MIXED],
            sum(bad.values()) - bad[MIXED],
            each.rounds,
            sum(each.bad_rounds.values()),
            len(each.left),
        ]
        lines.append(f"{each.kind:24}" + "".join(f"{count:>12}" for count in counts))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kind", action="append", choices=list(WRITERS))
    parser.add_argument("--writers", type=int, default=4, help="how many beside each other (default 4)")
    parser.add_argument("--seconds", type=float, default=60, help="for all kinds together (default 60)")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    kinds = options.kind or list(KINDS)
    warnings.simplefilter("ignore")
    if options.inside is not None:
        inside(kinds[0], options.number, options.inside, options.seconds)
        return 0
    races = []
    for kind in kinds:
        folder = Path(tempfile.mkdtemp(prefix="writers-"))
        try:
            races.append(race(kind, folder, n_writers=options.writers, seconds=options.seconds / len(kinds)))
        finally:
            shutil.rmtree(folder)
    print(table(races))
    for each in races:
        for what in each.wrong():
            print(f"{each.kind}: {what}")
    return int(any(each.wrong() for each in races))


if __name__ == "__main__":
    sys.exit(main())
