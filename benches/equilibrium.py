"""The equilibrium beside R's way, on a whole Bible, and with more cues than a matrix has room for.

    python benches/equilibrium.py --table serbian.csv --text kjv.txt     # medians of 5
    python benches/equilibrium.py --smoke                                # small and made up, once

*R's way*: the trigrams of the word forms of a table with columns WordForm, LemmaCase and Frequency (R ndl's
`serbian`), which are linearly dependent; beside it what R's ndl does, the pseudo-inverse by singular values
(LAPACK's, through numpy) times C'FO, with the counting left out. The weights have to agree within 1e-8.
*Text*: trigrams to words, each word an event, of letters a to z. The residual has to be below 1e-11.
*Many cues*: made up, `--cues` of them, in a process of its own with `--limit` bytes of address space, so that
no matrix of all pairs of cues would fit. The residual has to be below 1e-9. Linux only.

The exit status is 1 where any of these does not hold, whatever the times are.
"""

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Rows = list[tuple[list[str], list[str], int]]
AGREE, DENSE_RESIDUAL, ITERATIVE_RESIDUAL = 1e-8, 1e-11, 1e-9
OUTCOMES = 8


def trigrams(word: str) -> list[str]:
    """The trigrams of a word between its boundaries."""
    marked = f"#{word}#"
    return [marked[i : i + 3] for i in range(len(marked) - 2)]


def table_rows(path: Path) -> Rows:
    """R's table as events."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            (trigrams(row["WordForm"]), row["LemmaCase"].split("_"), int(row["Frequency"]))
            for row in csv.DictReader(file)
        ]


def made_up_rows(n: int) -> Rows:
    """Stems with endings, as inflected words have them."""
    rng = random.Random(1)
    stems = ["".join(rng.choices("bdgklmnprst", k=2) + rng.choices("aeiou", k=2)) for _ in range(n)]
    endings = {"a": "nom", "u": "acc", "om": "ins", "ama": "dat"}
    return [
        ([*trigrams(s + e)], [s, case], rng.randrange(1, 900)) for s in stems for e, case in endings.items()
    ]


def timed(work: Callable[[], Any], repetitions: int) -> tuple[float, Any]:
    """The median time, and the last result."""
    seconds = []
    for _ in range(repetitions):
        begun = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds), result


def beside_r(rows: Rows, threads: int, repetitions: int) -> dict[str, Any]:
    """The equilibrium, and R's way to it."""
    import numpy as np
    import rescorla as rw

    events = rw.read_events(rows, progress=False)
    cues, outcomes = events.cue_matrix().astype(float), events.outcome_matrix().astype(float)
    frequencies = np.array([row[2] for row in rows], dtype=float)[:, None]
    gram = (cues.T @ cues.multiply(frequencies)).toarray()
    right = (cues.T @ outcomes.multiply(frequencies)).toarray()
    ours, weights = timed(lambda: rw.equilibrium(events, threads=threads, progress=False), repetitions)
    # MASS's ginv takes singular values below sqrt(eps) of the greatest for zero.
    theirs, expected = timed(
        lambda: np.linalg.pinv(gram, rcond=np.sqrt(np.finfo(float).eps)) @ right, repetitions
    )
    return {
        "cues": events.n_cues,
        "rank": weights.parameters["rank"],
        "seconds": ours,
        "pseudo-inverse": theirs,
        "times": theirs / ours,
        "difference": float(np.abs(weights.values - expected).max()),
    }


def conditions(events: Any) -> dict[str, Any]:
    """The greatest eigenvalue by the least that is not zero, of C'FC as it is and with a diagonal of ones."""
    import numpy as np

    cues = events.cue_matrix().astype(float)
    gram = (cues.T @ cues).toarray()
    root = np.sqrt(np.diag(gram))
    found: dict[str, Any] = {}
    for name, matrix in (("as it is", gram), ("scaled", gram / root / root[:, None])):
        values = np.linalg.eigvalsh(matrix)
        values = values[values > 8 * len(values) * np.finfo(float).eps * values[-1]]
        found[f"rank {name}"] = len(values)
        found[f"condition {name}"] = float(values[-1] / values[0])
    return found


def of_text(text: Path | list[str], threads: int, repetitions: int, spectrum: bool) -> dict[str, Any]:
    """The equilibrium of trigrams to words."""
    import rescorla as rw

    events = rw.corpus_events(text, symbols="a-z", progress=False)
    if spectrum:
        report("spectrum", conditions(events))
    seconds, weights = timed(lambda: rw.equilibrium(events, threads=threads, progress=False), repetitions)
    found = {name: weights.parameters[name] for name in ("solver", "rank", "residual")}
    return {"cues": events.n_cues, "outcomes": events.n_outcomes, "seconds": seconds} | found


def many(n_cues: int) -> Iterator[tuple[list[str], list[str]]]:
    """Events of three cues and an outcome; every cue occurs in two or more."""
    rng = random.Random(1)
    for i in range(2 * n_cues):
        cues = {i % n_cues, rng.randrange(n_cues), int(n_cues ** rng.random()) - 1}
        yield [f"c{cue}" for cue in sorted(cues)], [f"o{rng.randrange(OUTCOMES)}"]


def of_many_cues(n_cues: int, threads: int, limit: int) -> dict[str, Any]:
    """The equilibrium of many cues under a limit of the address space."""
    import resource

    import rescorla as rw

    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    events = rw.read_events(many(n_cues), progress=False)
    # Too many for the matrix, even where auto would take it.
    weights = rw.equilibrium(events, method="iterative", threads=threads, progress=False)
    found = {name: weights.parameters[name] for name in ("seconds", "solver", "iterations", "residual")}
    return {"cues": events.n_cues, "outcomes": events.n_outcomes} | found | {"peak": peak_memory()}


def peak_memory() -> int:
    """The greatest resident size of this program so far, in bytes; ru_maxrss has its parent's as well."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return 1024 * int(line.split()[1])


def limited(n_cues: int, threads: int, limit: int) -> dict[str, Any]:
    """`of_many_cues` in a process of its own."""
    command = [sys.executable, __file__, "--many", *map(str, (n_cues, threads, limit))]
    # Neither of these libraries' room in the address space is ours.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def report(part: str, found: dict[str, Any]) -> None:
    """Prints one part."""
    shown = [
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in found.items()
    ]
    print(f"{part}: {', '.join(shown)}", flush=True)


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--table", type=Path, help="R ndl's serbian, or another such table")
    parser.add_argument("--text", type=Path, help="a running text")
    parser.add_argument(
        "--spectrum", action="store_true", help="the condition of the text's C'FC as well: slow"
    )
    parser.add_argument("--cues", type=int, default=100_000, help="of the third part")
    parser.add_argument("--limit", type=float, default=2.0, help="of the address space, in GB")
    parser.add_argument("--threads", type=int, default=2, help="of rescorla; LAPACK has its own")
    parser.add_argument("--repetitions", type=int, default=5, help="figures are medians")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--smoke", action="store_true", help="small and made up, once")
    parser.add_argument("--many", nargs=3, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.many:
        print(json.dumps(of_many_cues(*options.many)))
        return 0
    if options.smoke:
        options.cues, options.repetitions = 3_000, 1
    found: dict[str, dict[str, Any]] = {}
    wrong = []
    rows = table_rows(options.table) if options.table else made_up_rows(80 if options.smoke else 1_000)
    found["R's way"] = beside_r(rows, options.threads, options.repetitions)
    report("R's way", found["R's way"])
    if not found["R's way"]["difference"] <= AGREE:
        wrong.append("the weights do not agree")
    if options.text or options.smoke:
        text = options.text or [row[1][0] for row in rows]
        found["text"] = of_text(text, options.threads, options.repetitions, options.spectrum or options.smoke)
        report("text", found["text"])
        if not found["text"]["residual"] <= DENSE_RESIDUAL:
            wrong.append("the equilibrium of the text is none")
    if sys.platform.startswith("linux"):
        found["many cues"] = limited(options.cues, options.threads, int(options.limit * 1e9))
        report("many cues", found["many cues"])
        if not found["many cues"]["residual"] <= ITERATIVE_RESIDUAL:
            wrong.append("the equilibrium of many cues is none")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for message in wrong:
        print(message.upper())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
