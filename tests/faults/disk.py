"""A disk that fails: for every writer, each call of each kind on the files of its folder fails in turn.

    cd tests && python -m faults.disk [--writer NAME ...] [--op NAME ...] [--quick] [--kills] [--verbose]

An old file stands where a writer writes, and one call fails (EIO once; ENOSPC from then on; a write that is
cut short, and ENOSPC from then on). Then the writer must either raise OSError with the number and the user's
name for the file, and leave the old file; or succeed, and leave the new one, whole. It must leave nothing
else behind, and work again in the same process. With --kills each call kills the process instead, as kill -9
does; then a new process must find a whole file, old or new, and leave nothing behind when it writes.

Needs gcc and glibc, as it preloads shim.c, which says what it cannot see. Exit status 1 when anything is
wrong.
"""

import argparse
import ctypes
import errno
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from faults.subjects import (
    BETWEEN,
    MIXED,
    PICTURE,
    WRITERS,
    CommandError,
    Material,
    Parts,
    Writer,
    grow_old,
    leftovers,
    renew,
    state,
    versions,
)

OPS = {
    "create": 1,
    "write": 2,
    "sync": 3,
    "rename": 4,
    "extend": 5,
    "close": 6,
    "unlink": 7,
    "read": 8,
    "folder": 9,
    "seek": 10,
    "lock": 11,
    "open": 12,
}
"""The kinds of calls in shim.c."""

LOOKING = ("read", "seek", "open")
"""Calls that may also be those that open what was written. Who cannot do that must say so."""

PROMISED = tuple(op for op in OPS if op not in (*LOOKING, "lock"))
"""Calls of which the disk tells that it is full or broken."""

TIDYING = ("unlink", "folder")
"""Calls without which temporaries cannot be removed."""

KILL = -1
NEVER = 1 << 30
PATIENCE = 60
OLD, NEW = 1, 2


class Fault(NamedTuple):
    """The n-th call of a kind, and how it fails."""

    op: str
    n: int
    error: int
    lasting: int = 0

    def __str__(self) -> str:
        how = "kill -9" if self.error == KILL else errno.errorcode[self.error]
        return f"{self.op} {self.n}: {how}{('', ' from then on', ', first cut short')[self.lasting]}"


class Case(NamedTuple):
    """What came of one fault."""

    writer: str
    fault: Fault
    fired: bool
    outcome: str
    """raised, survived, killed, crashed (what it did), hung, or something else that is wrong."""
    state: str
    left: list[str]
    again: str
    """What came of writing once more: the state, or the error."""
    left_again: list[str]
    remarks: list[str]
    said: str

    def wrong(self) -> list[str]:
        """All that should not be."""
        found = [*self.remarks]
        if self.outcome not in ("raised", "survived", "killed"):
            found.append(self.outcome)
        if self.state not in (str(OLD), str(NEW), BETWEEN):
            found.append(f"the file is {self.state}")
        elif self.outcome == "raised" and self.state == str(NEW) and self.fault.op not in LOOKING:
            found.append("raised, though the new file is in place")
        elif self.outcome == "survived" and self.state != str(NEW):
            found.append("said nothing, though the new file is not in place")
        if self.outcome == "survived" and self.fault.op == "sync":
            found.append("said nothing of a sync that failed")
        # What a rename set aside only a rename takes from there.
        left = [name for name in self.left if self.fault.op != "rename" or not name.endswith(".old")]
        if left and self.outcome in ("raised", "survived") and self.fault.op not in TIDYING:
            found.append("leftovers")
        if self.again != str(NEW):
            found.append(f"writing again: {self.again}")
        if self.left_again:
            found.append("leftovers after writing again")
        return found


def compiled(folder: Path) -> Path:
    """The shim, compiled into a folder."""
    shim = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", str(source), "-o", str(shim), "-ldl"], check=True)
    return shim


def sweep(
    writer: str,
    shim: Path,
    folder: Path,
    *,
    ops: Sequence[str] = (),
    quick: bool = False,
    kills: bool = False,
) -> Iterator[Case]:
    """All cases of a writer, from a process of its own that has the shim."""
    command = [sys.executable, "-m", "faults.disk", "--inside", str(folder), "--shim", str(shim)]
    command += ["--writer", writer, *(part for op in ops for part in ("--op", op))]
    command += ["--quick"] * quick + ["--kills"] * kills
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(shim))
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            fields = json.loads(line)
            yield Case(**(fields | {"fault": Fault(*fields["fault"])}))
    if process.wait():
        raise RuntimeError(f"the sweep of {writer} ended with status {process.returncode}")


def environment(shim: Path | None = None) -> dict[str, str]:
    """For a child that imports this package."""
    paths = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    found = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "OPENBLAS_NUM_THREADS": "1"}
    return found if shim is None else found | {"LD_PRELOAD": str(shim)}


class Inside:
    """The process with the shim. Each case runs in a fork of it, so that none sees what another broke."""

    def __init__(self, writer: Writer, shim: Path, folder: Path) -> None:
        self.writer, self.folder, self.target = writer, folder, folder / "target"
        self.library = ctypes.CDLL(str(shim))
        self.known: dict[int, list[Parts]] = versions(writer, folder, (OLD, NEW), writer.small)
        self.material = Material(NEW, writer.small, folder / "material")
        writer.ready(self.material)
        renew(self.target, folder / str(OLD))
        self.library.fault_dir(os.fsencode(self.target))

    def cases(self, ops: Sequence[str], *, quick: bool, kills: bool) -> Iterator[Case]:
        for op in ops:
            n_calls = self.count(op)
            for error, lasting in modes(op, quick=quick, kills=kills):
                for n in sorted({1, n_calls} - {0}) if quick else range(1, NEVER):
                    case = self.case(Fault(op, n, error, lasting))
                    if not case.fired:
                        break
                    yield case

    def count(self, op: str) -> int:
        """How many calls of a kind the writer makes."""

        def work(tell: Callable[..., None]) -> None:
            self.library.fault_arm(OPS[op], NEVER, errno.EIO, 0)
            self.write()
            self.library.fault_disarm()
            tell(calls=self.library.fault_calls())

        renew(self.target, self.folder / str(OLD))
        told, status = forked(work, self.folder / "said")
        if status:
            raise RuntimeError(f"{self.writer.name} fails without a fault")
        return int(told["calls"])

    def case(self, fault: Fault) -> Case:
        renew(self.target, self.folder / str(OLD))
        said = self.folder / "said"
        told, status = forked(lambda tell: self.faulty(fault, tell), said)
        output = said.read_text(errors="replace")
        killed = fault.error == KILL and status == -signal.SIGKILL and "outcome" not in told
        if killed:
            told |= {"fired": True, "outcome": "killed"}
        elif status:
            where = told.get("step", "the call")
            how = (
                "hung" if status == -signal.SIGALRM else f"crashed (status {status}, {first_line(output)!r})"
            )
            told |= {"fired": True, "outcome": f"{how} at {where}"}
        if status:
            # Who died cannot look at what is left; another does, and writes.
            after, status = forked(self.look, said)
            told |= after
            if status:
                told.setdefault("state", f"such that reading it ends with status {status}")
                told["again"] = f"status {status}"
        return Case(
            self.writer.name,
            fault,
            told["fired"],
            told["outcome"],
            told.get("state", "unknown"),
            told.get("left", []),
            told.get("again", "not tried"),
            told.get("left_again", []),
            told.get("remarks", []),
            output[-2000:],
        )

    def faulty(self, fault: Fault, tell: Callable[..., None]) -> None:
        """Write with the fault, then once more without it."""
        remarks: list[str] = []
        outcome, error = "survived", None
        self.library.fault_arm(OPS[fault.op], fault.n, fault.error, fault.lasting)
        try:
            self.write()
        except (OSError, CommandError) as raised:
            outcome, error = "raised", raised
        except Exception as raised:
            outcome = f"raised {type(raised).__name__}: {raised}"
        # What the writer dropped on the way goes while the fault lasts.
        gc.collect()
        fired = bool(self.library.fault_disarm())
        if error is not None:
            print(repr(error), getattr(error, "filename", None), file=sys.stderr)
            remarks += self.remarks(error, fault)
        tell(fired=fired, outcome=outcome, remarks=remarks, step="looking")
        if fired:
            del error
            self.look(tell)
        tell(step="the end")

    def remarks(self, error: OSError | CommandError, fault: Fault) -> list[str]:
        """What an error says wrongly."""
        # netCDF has one number for all that goes wrong below it; who cannot lock does not try to write.
        numbers = {fault.error, errno.EIO} if self.writer.files[0].endswith(".nc") else {fault.error}
        any_number = fault.op == "lock"
        if isinstance(error, CommandError):
            text = str(error)
            reasons = [*map(os.strerror, numbers), "HDF error"]
            told = any_number or any(reason in text for reason in reasons)
            return [
                *([] if told else ["no reason, or another one"]),
                *(["not the user's name"] if not any(f"{path}: " in text for path in self.paths()) else []),
            ]
        # A file in a store is the user's too.
        named = Path(os.fsdecode(error.filename or ""))
        right = any(named.is_relative_to(path) for path in self.paths())
        return [
            *(["no number"] if error.errno is None else []),
            *([] if any_number or error.errno in {None, *numbers} else ["another number"]),
            *(["not the user's name"] if not right else []),
        ]

    def look(self, tell: Callable[..., None]) -> None:
        """What is there, and whether the writer works."""
        tell(left=leftovers(self.writer, self.target))
        tell(state=state(self.writer, self.target, self.known), step="writing again")
        grow_old(self.writer, self.target)
        try:
            self.write()
        except Exception as error:
            tell(again=f"{type(error).__name__}: {error}")
        else:
            tell(step="looking again")
            tell(again=state(self.writer, self.target, self.known))
        tell(left_again=leftovers(self.writer, self.target), step="the end")

    def write(self) -> None:
        self.writer.write(self.material, str(self.target / self.writer.files[0]))

    def paths(self) -> list[str]:
        """All names that the user has for what is written."""
        return [str(self.target / file) for file in sorted(self.writer.files)]


def modes(op: str, *, quick: bool, kills: bool) -> list[tuple[int, int]]:
    """Error and whether it lasts."""
    if kills:
        return [(KILL, 0)]
    short = [(errno.ENOSPC, 2)] if op == "write" else []
    return [(errno.EIO, 0), *([] if quick else [(errno.ENOSPC, 1)]), *short]


def forked(work: Callable[[Callable[..., None]], None], said: Path) -> tuple[dict[str, Any], int]:
    """What a fork of this process tells, and its status; what it prints goes to a file."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        signal.alarm(PATIENCE)
        output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(output, 1)
        os.dup2(output, 2)
        try:
            work(lambda **facts: print_to(writing, facts))
            gc.collect()
            sys.stderr.flush()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        # Libraries in C clean up now, too, as at the end of any process.
        ctypes.CDLL(None).exit(0)
    os.close(writing)
    with open(reading, encoding="ascii") as lines:
        told: dict[str, Any] = {}
        for line in lines:
            told |= json.loads(line)
    _, status = os.waitpid(child, 0)
    return told, os.waitstatus_to_exitcode(status)


def print_to(pipe: int, facts: dict[str, Any]) -> None:
    os.write(pipe, (json.dumps(facts) + "\n").encode("ascii"))


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:120]


def table(cases: Sequence[Case]) -> str:
    """Counts by writer."""
    heads = (
        *("cases", "raised", "survived", "killed", "crashed"),
        *("old", "new", BETWEEN, MIXED, "leftovers", "left again", "wrong"),
    )
    lines = [f"{'':32}" + "".join(f"{head:>11}" for head in heads)]
    for name in dict.fromkeys(case.writer for case in cases):
        mine = [case for case in cases if case.writer == name]
        counts = Counter[str]()
        for case in mine:
            known = {str(OLD): "old", str(NEW): "new"}
            outcome = case.outcome if case.outcome in heads else "crashed"
            counts.update(("cases", outcome, known.get(case.state, case.state)))
            counts["leftovers"] += bool(case.left)
            counts["left again"] += bool(case.left_again)
            counts["wrong"] += bool(case.wrong())
        lines.append(f"{name:32}" + "".join(f"{counts[head]:>11}" for head in heads))
    return "\n".join(lines)


def findings(cases: Sequence[Case]) -> str:
    """What is wrong, each with how often and where."""
    found: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        for what in case.wrong():
            found.setdefault((case.writer, what), []).append(case)
    return "\n".join(
        f"{writer}: {what}: {len(where)} times, as with {', '.join(str(case.fault) for case in where[:6])}"
        for (writer, what), where in found.items()
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--writer", action="append", choices=[*WRITERS, PICTURE.name])
    parser.add_argument("--op", action="append", choices=list(OPS))
    parser.add_argument("--quick", action="store_true", help="the first and the last call of each kind only")
    parser.add_argument("--kills", action="store_true", help="kill -9 in place of errors")
    parser.add_argument("--verbose", action="store_true", help="print each case that is wrong")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--shim", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    ops = options.op or list(OPS)
    writers = options.writer or list(WRITERS)
    if options.inside is not None:
        warnings.simplefilter("ignore")
        every = WRITERS | {PICTURE.name: PICTURE}
        inside = Inside(every[writers[0]], options.shim, options.inside)
        for case in inside.cases(ops, quick=options.quick, kills=options.kills):
            print(json.dumps(case._asdict()), flush=True)
        return 0
    cases: list[Case] = []
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        shim = compiled(folder)
        for number, name in enumerate(writers):
            where = folder / str(number)
            where.mkdir()
            for case in sweep(name, shim, where, ops=ops, quick=options.quick, kills=options.kills):
                cases.append(case)
                if options.verbose and case.wrong():
                    print(case.writer, case.fault, case.wrong(), case, sep="\n  ", flush=True)
            shutil.rmtree(where)
            print(".", end="", file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(folder)
    print(file=sys.stderr)
    print(table(cases))
    print(findings(cases))
    return int(any(case.wrong() for case in cases))


if __name__ == "__main__":
    sys.exit(main())
