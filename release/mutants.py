"""Small changes of the program, which tests should notice: python release/mutants.py FOLDER.

Draws changes by a seed, spread over the rooms: 40 of the Python package and 20 of the engine. Each is made
in a copy of the project in FOLDER, in turn, and the tests of its room run until one fails.
FOLDER needs room for a build of the engine; it keeps what is known (results.jsonl), and a run goes on where
the last one ended. A change that these tests do not notice is printed: tests of another room may notice it,
or no result depends on it, or a test is missing.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]

# The tests that know a room of the package best; others of it have a folder of their name.
TESTS = {
    "_shared": ["tests/shared", "tests/test_mistakes.py", "tests/weights/test_display.py"],
    "_events": ["tests/events"],
    "_weights": ["tests/weights", "tests/test_outputs.py"],
    "_learn": ["tests/learn", "tests/test_golden.py"],
    "_report": ["tests/report"],
    "schedules.py": ["tests/learn/test_schedule.py"],
    "tiles.py": ["tests/weights", "tests/learn"],
    "__init__.py": ["tests/test_rooms.py", "tests/test_numpy_alone.py"],
    "distributed.py": ["tests/distributed"],
    # Rooms of the engine, after its own tests.
    "events": ["tests/events"],
    "text": ["tests/events"],
    "files": ["tests/test_outputs.py"],
    "kernel": ["tests/learn"],
    "tiles": ["tests/learn"],
    "learn": ["tests/learn"],
    "rules": ["tests/learn", "tests/perceptrons"],
    "equilibrium": ["tests/learn"],
    "activate.rs": ["tests/learn/test_activations.py"],
    "learner.rs": ["tests/learn/test_learning.py"],
    "lists.rs": ["tests/events", "tests/learn"],
    "memory.rs": ["tests/test_memory.py"],
    "monitor.rs": ["tests/learn/test_interrupt.py"],
    "threads.rs": ["tests/learn/test_learning.py"],
    "vocab.rs": ["tests/events"],
}


class Mutant(NamedTuple):
    """A change: what of a file is replaced, and by what."""

    file: str
    start: int
    end: int
    new: str

    def apply(self, folder: Path) -> Callable[[], object]:
        """Make the change in a copy of the project; returns what takes it back."""
        path = folder / self.file
        text = path.read_bytes()
        path.write_bytes(text[: self.start] + self.new.encode() + text[self.end :])
        return lambda: path.write_bytes(text)

    def told(self) -> str:
        """Where it is, and what it does."""
        text = (ROOT / self.file).read_bytes()
        line = text[: self.start].count(b"\n") + 1
        return f"{self.file}:{line}: {text[self.start : self.end].decode()!r} -> {self.new!r}"


#: The result of a change that is no program: it counts neither as noticed nor as missed.
NOT_COMPILED = "does not compile"

COMPARISONS = {
    "Lt": "<=",
    "LtE": "<",
    "Gt": ">=",
    "GtE": ">",
    "Eq": "!=",
    "NotEq": "==",
    "Is": "is not",
    "IsNot": "is",
}
SIGNS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
}


def python_mutants(file: Path) -> Iterator[Mutant]:
    """All changes of a file of Python: comparisons, signs, numbers, conditions, results."""
    source = file.read_bytes()
    starts = [0, *(found.end() for found in re.finditer(rb"\n", source))]
    name = str(file.relative_to(ROOT))

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    def between(left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Mutant]:
        start = place(left.end_lineno or 0, left.end_col_offset or 0)
        gap = source[start : place(right.lineno, right.col_offset)].decode()
        if gap.count(old) == 1:
            at = start + len(gap[: gap.index(old)].encode())
            yield Mutant(name, at, at + len(old), new)

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            kind = type(node.ops[0]).__name__
            written = {
                "Lt": "<",
                "LtE": "<=",
                "Gt": ">",
                "GtE": ">=",
                "Eq": "==",
                "NotEq": "!=",
                "Is": "is",
                "IsNot": "is not",
            }
            if kind in COMPARISONS:
                yield from between(node.left, node.comparators[0], written[kind], COMPARISONS[kind])
        elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            yield from between(node.left, node.right, *SIGNS[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield from between(node.values[0], node.values[1], old, new)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            start, end = (
                place(node.lineno, node.col_offset),
                place(node.end_lineno or 0, node.end_col_offset or 0),
            )
            new = str(not node.value) if isinstance(node.value, bool) else str(node.value + 1)
            yield Mutant(name, start, end, new)
        elif (
            isinstance(node, ast.Return)
            and node.value is not None
            and not isinstance(node.value, ast.Constant)
        ):
            value = node.value
            end = place(value.end_lineno or 0, value.end_col_offset or 0)
            yield Mutant(name, place(value.lineno, value.col_offset), end, "None")
        elif isinstance(node, ast.If) and not isinstance(node.test, ast.Name):
            at = place(node.test.lineno, node.test.col_offset)
            end = place(node.test.end_lineno or 0, node.test.end_col_offset or 0)
            yield Mutant(name, at, end, f"not ({source[at:end].decode()})")


RUST = [
    *(
        (rf" {re.escape(old)} ", f" {new} ")
        for old, new in [("==", "!="), ("!=", "=="), ("<=", "<"), (">=", ">"), ("&&", "||")]
    ),
    *(
        (rf" {re.escape(old)} (?=[\w(])", f" {new} ")
        for old, new in [("<", "<="), (">", ">="), ("+", "-"), ("-", "+"), ("*", "+")]
    ),
    *((rf" {re.escape(old)}= ", f" {new}= ") for old, new in [("+", "-"), ("-", "+"), ("*", "+")]),
    (r"\.min\(", ".max("),
    (r"\.max\(", ".min("),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"(?<![\w.])0(?![\w.])", "1"),
    (r"(?<![\w.])1(?![\w.])", "2"),
]


def rust_mutants(file: Path) -> Iterator[Mutant]:
    """All changes of a file of Rust, its tests, comments, texts and attributes left out."""
    text = file.read_text("utf-8")
    code = text.partition("#[cfg(test)]")[0]

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", "\0", found[0])

    code = re.sub(
        r'//[^\n]*|"(?:[^"\\]|\\.)*"|#!?\[[^\]]*\]|impl[^{]*\{|fn [^{]*\{|where[^{]*\{', blank, code
    )
    for pattern, new in RUST:
        for found in re.finditer(pattern, code):
            start = len(text[: found.start()].encode())
            yield Mutant(str(file.relative_to(ROOT)), start, start + len(found[0].encode()), new)


def drawn(
    mutants: Callable[[Path], Iterator[Mutant]], rooms: dict[str, list[Path]], n: int, draw: Any
) -> list[Mutant]:
    """So many changes, from each room in turn."""
    of_room = {
        name: [mutant for file in sorted(files) for mutant in mutants(file)] for name, files in rooms.items()
    }
    names = sorted(name for name, known in of_room.items() if known)
    draw.shuffle(names)
    found: list[Mutant] = []
    while len(found) < n:
        mutant = draw.choice(of_room[names[len(found) % len(names)]])
        if mutant not in found:
            found.append(mutant)
    return found


def rooms_of(folder: Path, suffix: str) -> dict[str, list[Path]]:
    """The files of each room that have code."""
    rooms: dict[str, list[Path]] = {}
    for file in folder.rglob(f"*{suffix}"):
        room = file.relative_to(folder).parts[0]
        if (
            file.stat().st_size > 500
            and "__pycache__" not in file.parts
            and room not in ("bind", "_core.pyi")
        ):
            rooms.setdefault(room, []).append(file)
    return rooms


def failed(command: list[str], folder: Path, **more: str) -> str | None:
    """The first failure of tests in the copy, or that they took an hour; None if all pass."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "python"), "CI": "true", **more}
    environment.setdefault("RESCORLA_SHARED", str((ROOT / ".." / "shared").resolve()))
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=3600,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "an hour"
    if done.returncode == 0:
        return None
    if "could not compile" in done.stderr:
        return NOT_COMPILED
    found = re.search(
        r"^(?:FAILED|ERROR) (\S+)|^test (\S+) \.\.\. FAILED|^error: (test failed.*)",
        done.stdout + done.stderr,
        re.MULTILINE,
    )
    return next(filter(None, found.groups()), "") if found else f"status {done.returncode}"


def killed_by(mutant: Mutant, copy: Path, target: Path) -> str | None:
    """The first test that notices the change; None if none does."""
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "2"]
    undo = mutant.apply(copy)
    try:
        if mutant.file.endswith(".py"):
            room, stem = Path(mutant.file).parts[2], Path(mutant.file).stem.strip("_")
            named = [str(test) for test in sorted((copy / "tests").rglob(f"test_*{stem}*.py"))]
            near = TESTS.get(room, [f"tests/{room.removesuffix('.py')}"])
            near = [test for test in near if (copy / test).exists()]
            found = (failed([*pytest, *tests], copy) for tests in (named, near) if tests)
            return next(filter(None, found), None)
        cargo = failed(["cargo", "test", "--quiet"], copy, CARGO_TARGET_DIR=str(target))
        if cargo:
            return cargo if cargo == NOT_COMPILED else f"cargo: {cargo}"
        near = TESTS.get(Path(mutant.file).parts[1], [])
        if not near:
            return None
        build = ["cargo", "build", "--release", "--quiet", "--features", "python"]
        built = failed(build, copy, CARGO_TARGET_DIR=str(target))
        if built:
            return f"build: {built}"
        engine = copy / "python/rescorla/_core.abi3.so"
        shutil.copy(engine, target / "engine.so")
        shutil.copy(target / "release/librescorla.so", engine.with_suffix(".new"))
        engine.with_suffix(".new").rename(engine)
        try:
            return failed([*pytest, *near], copy)
        finally:
            (target / "engine.so").rename(engine)
    finally:
        undo()


def main() -> int:
    """Try the changes that are not tried yet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=48)
    parser.add_argument("--python", type=int, default=40, help="changes of the package")
    parser.add_argument("--rust", type=int, default=20, help="changes of the engine")
    parser.add_argument("--list", action="store_true", help="only print the changes")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    mutants = drawn(python_mutants, rooms_of(ROOT / "python/rescorla", ".py"), options.python, draw)
    mutants += drawn(rust_mutants, rooms_of(ROOT / "src", ".rs"), options.rust, draw)
    if options.list:
        print(*(mutant.told() for mutant in mutants), sep="\n")
        return 0
    folder: Path = options.folder.resolve()
    copy, log = folder / "copy", folder / "results.jsonl"
    shutil.copytree(ROOT, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("target", ".venv", ".git"))
    (folder / "target").mkdir(exist_ok=True)
    known = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    results = {each["change"]: each["killed"] for each in known}
    for mutant in mutants:
        if mutant.told() not in results:
            results[mutant.told()] = killed_by(mutant, copy, folder / "target")
            with log.open("a") as file:
                print(json.dumps({"change": mutant.told(), "killed": results[mutant.told()]}), file=file)
        print(f"{mutant.told()}: {results[mutant.told()] or 'SURVIVED'}", flush=True)
    tried = [mutant for mutant in mutants if results[mutant.told()] != NOT_COMPILED]
    survivors = sum(results[mutant.told()] is None for mutant in tried)
    print(f"{len(tried) - survivors} of {len(tried)} are noticed")
    return int(survivors > 0.05 * len(tried))


if __name__ == "__main__":
    sys.exit(main())
