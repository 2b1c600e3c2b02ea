"""kill -9 at random moments of writing, and what is found afterwards.

    cd tests && python -m faults.kills [--writer NAME ...] [--kills 5] [--seed 1]

A process writes over an old file and is killed somewhere between the start and the end of that. Then the
file must be whole, old or new. Another process writes it once more, which must succeed and leave nothing
else in the folder. How long writing takes is measured first, and the moments are spread over that: one in
each of as many equal parts as there are kills. Exit status 1 when anything is wrong. `disk --kills` kills at
every call of the system instead.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from faults.disk import environment
from faults.subjects import (
    BETWEEN,
    MIXED,
    WRITERS,
    Material,
    Writer,
    grow_old,
    leftovers,
    renew,
    state,
    versions,
)

OLD, NEW = 1, 2


class Kill(NamedTuple):
    """What a kill left."""

    writer: str
    at: float
    """Seconds after the start of writing, and of how many that it takes."""
    of: float
    finished: bool
    """Whether writing was done before."""
    state: str
    left: list[str]
    again: str
    """What came of writing once more: the state, or the error."""
    left_again: list[str]

    def wrong(self) -> list[str]:
        """All that should not be."""
        whole = (str(OLD), str(NEW), BETWEEN)
        found = [] if self.state in whole else [f"the file is {self.state}"]
        if self.finished and self.state != str(NEW):
            found.append(f"written, and then {self.state}")
        if self.again != str(NEW):
            found.append(f"writing again: {self.again}")
        if self.left_again:
            found.append("leftovers after writing again")
        return found


class Process:
    """A process that has made all ready to write a file, and waits for the word."""

    def __init__(self, writer: Writer, size: int, folder: Path) -> None:
        command = [sys.executable, "-m", "faults.kills", "--inside", str(folder)]
        command += ["--writer", writer.name, "--size", str(size)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
        )
        self.line()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def start(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("write\n")
        self.process.stdin.flush()
        self.line()

    def end(self) -> str:
        """Whatever it still says."""
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        with self.process.stdout as lines:
            said = lines.read()
        self.process.wait()
        return said

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        self.process.wait()


def inside(writer: Writer, size: int, folder: Path) -> None:
    """What such a process does."""
    material = Material(NEW, size, folder / "material")
    writer.ready(material)
    print("ready", flush=True)
    if not sys.stdin.readline():
        return
    print("begin", flush=True)
    start = time.perf_counter()
    try:
        writer.write(material, str(folder / "target" / writer.files[0]))
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    else:
        print("done", time.perf_counter() - start, flush=True)
    # Whoever is to kill this may still be asleep.
    sys.stdin.readline()


def killed(writer: Writer, size: int, folder: Path, moments: Sequence[float]) -> Iterator[Kill]:
    """Kills at these shares of the time that writing takes."""
    target, old = folder / "target", folder / str(OLD)
    known = versions(writer, folder, (OLD, NEW), size)
    renew(target, old)
    seconds = float(_written(writer, size, folder).removeprefix("done "))
    for moment in moments:
        renew(target, old)
        with Process(writer, size, folder) as process:
            process.start()
            time.sleep(moment * seconds)
            process.process.kill()
            said = process.end()
        found, left = state(writer, target, known), leftovers(writer, target)
        grow_old(writer, target)
        said_again = _written(writer, size, folder)
        again = state(writer, target, known) if said_again.startswith("done") else said_again
        finished = said.startswith("done")
        yield Kill(
            writer.name, moment * seconds, seconds, finished, found, left, again, leftovers(writer, target)
        )


def _written(writer: Writer, size: int, folder: Path) -> str:
    """What a process says that writes undisturbed."""
    with Process(writer, size, folder) as process:
        process.start()
        return process.end().strip()


def moments(n: int, draw: random.Random) -> list[float]:
    """So many shares of a time, spread over it."""
    return [(i + draw.random()) / n for i in range(n)]


def table(kills: Sequence[Kill]) -> str:
    """Counts by writer."""
    heads = (
        *("kills", "at work", "old", "new", BETWEEN, MIXED, "torn"),
        *("leftovers", "left again", "wrong"),
    )
    lines = [f"{'':32}{'ms':>7}" + "".join(f"{head:>11}" for head in heads)]
    for name in dict.fromkeys(kill.writer for kill in kills):
        mine = [kill for kill in kills if kill.writer == name]
        by_state = {str(OLD): "old", str(NEW): "new"} | {each: each for each in (BETWEEN, MIXED)}
        states = [by_state.get(kill.state, "torn") for kill in mine]
        counts = [
            len(mine),
            sum(not kill.finished for kill in mine),
            *(states.count(head) for head in heads[2:7]),
            sum(bool(kill.left) for kill in mine),
            sum(bool(kill.left_again) for kill in mine),
            sum(bool(kill.wrong()) for kill in mine),
        ]
        lines.append(f"{name:32}{mine[0].of * 1000:7.0f}" + "".join(f"{count:>11}" for count in counts))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--writer", action="append", choices=list(WRITERS))
    parser.add_argument("--kills", type=int, default=5, help="kills of each writer (default 5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    writers = [WRITERS[name] for name in options.writer or WRITERS]
    warnings.simplefilter("ignore")
    if options.inside is not None:
        inside(writers[0], options.size, options.inside)
        return 0
    draw = random.Random(options.seed)
    found: list[Kill] = []
    for writer in writers:
        folder = Path(tempfile.mkdtemp(prefix="kills-"))
        try:
            found += killed(writer, writer.large, folder, moments(options.kills, draw))
        finally:
            shutil.rmtree(folder)
        print(table(found).splitlines()[-1], file=sys.stderr, flush=True)
    print(table(found))
    for kill in found:
        for what in kill.wrong():
            print(f"{kill.writer}, killed after {kill.at * 1000:.0f} ms: {what}: {kill.left_again}")
    return int(any(kill.wrong() for kill in found))


if __name__ == "__main__":
    sys.exit(main())
