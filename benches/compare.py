"""rescorla beside pyndl 1.2.4: the same events, the same number of threads, one process each, the same run.

    python benches/compare.py --text kjv.txt    # median of 3; some minutes, pyndl takes its time
    python benches/compare.py --smoke           # a small text, once: does it work, do the weights agree

Every step of each tool runs in a process of its own, so that peak memory is that step's. Steps alternate
between the tools within a repetition. The weights of both tools are compared bit for bit, aligned by label;
the comparison fails if they differ.
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ALPHA, BETA, LAMBDA = 0.1, 0.1, 1.0


def pyndl_table(text: Path, table: Path, threads: int) -> dict[str, object]:
    """pyndl writes its own event table: the input of both."""
    from pyndl import preprocess

    table.unlink(missing_ok=True)
    begun = time.perf_counter()
    preprocess.create_event_file(
        str(text),
        str(table),
        allowed_symbols="a-z",
        context_structure="document",
        event_structure="consecutive_words",
        event_options=(1,),
        cue_structure="trigrams_to_word",
        lower_case=True,
        remove_duplicates=True,
    )
    return {"seconds": time.perf_counter() - begun}


def pyndl_convert(work: Path, threads: int) -> dict[str, object]:
    """pyndl counts cues and outcomes and writes its binary files: what `ndl` does before it learns."""
    from collections import OrderedDict

    from pyndl import count, preprocess

    table = str(work / "events.tab.gz")
    begun = time.perf_counter()
    n_events, cues, outcomes = count.cues_outcomes(table, n_jobs=threads)
    cue_map = OrderedDict((cue, i) for i, cue in enumerate(cues))
    outcome_map = OrderedDict((outcome, i) for i, outcome in enumerate(outcomes))
    with tempfile.TemporaryDirectory(dir=work) as folder:
        preprocess.create_binary_event_files(
            table, folder, cue_map, outcome_map, overwrite=True, n_jobs=threads, remove_duplicates=None
        )
        seconds = time.perf_counter() - begun
        n_bytes = sum(file.stat().st_size for file in Path(folder).iterdir())
    return {"seconds": seconds, "n_events": n_events, "bytes": n_bytes}


def rescorla_convert(work: Path, threads: int) -> dict[str, object]:
    """rescorla reads the same table and writes its binary file."""
    import rescorla as rw

    begun = time.perf_counter()
    events = rw.compile_events(work / "events.tab.gz", work / "events.rw", duplicates="error", progress=False)
    return {
        "seconds": time.perf_counter() - begun,
        "n_events": len(events),
        "bytes": (work / "events.rw").stat().st_size,
    }


def pyndl_learn(work: Path, threads: int) -> dict[str, object]:
    """pyndl: event table to weights."""
    import numpy as np
    from pyndl import ndl

    begun = time.perf_counter()
    weights = ndl.ndl(
        str(work / "events.tab.gz"),
        ALPHA,
        (BETA, BETA),
        LAMBDA,
        method="openmp",
        n_jobs=threads,
        remove_duplicates=None,
    )
    seconds = time.perf_counter() - begun
    cues, outcomes = (np.array(weights.coords[name].values.tolist()) for name in ("cues", "outcomes"))
    np.savez(work / "pyndl.npz", values=weights.values, cues=cues, outcomes=outcomes)
    return {"seconds": seconds, "result": weights.values.nbytes}


def rescorla_learn(work: Path, threads: int) -> dict[str, object]:
    """rescorla: event table to weights in memory."""
    import rescorla as rw

    begun = time.perf_counter()
    events = rw.read_events(work / "events.tab.gz", duplicates="error", progress=False)
    weights = rw.learn(
        events, alpha=ALPHA, beta=BETA, lambda_=LAMBDA, method="forward", threads=threads, progress=False
    )
    seconds = time.perf_counter() - begun
    peak = peak_memory()
    weights.save(work / "rescorla.npz")
    return {
        "seconds": seconds,
        "result": weights.values.nbytes,
        "peak": peak,
        "learning": weights.parameters["seconds"],
    }


def rescorla_adjoint(work: Path, threads: int) -> dict[str, object]:
    """rescorla by the adjoint method, and how far it is from the forward method's weights."""
    import numpy as np
    import rescorla as rw

    begun = time.perf_counter()
    events = rw.read_events(work / "events.tab.gz", duplicates="error", progress=False)
    weights = rw.learn(
        events, alpha=ALPHA, beta=BETA, lambda_=LAMBDA, method="adjoint", threads=threads, progress=False
    )
    seconds = time.perf_counter() - begun
    difference = float(np.abs(weights.values - np.load(work / "rescorla.npz")["values"]).max())
    return {"seconds": seconds, "difference": difference}


def same_weights(work: Path) -> dict[str, object]:
    """Both results, aligned by label, bit for bit."""
    import numpy as np

    ours, theirs = np.load(work / "rescorla.npz"), np.load(work / "pyndl.npz")
    cue = {name: i for i, name in enumerate(theirs["cues"].tolist())}
    outcome = {name: i for i, name in enumerate(theirs["outcomes"].tolist())}
    rows = np.array([cue[name] for name in ours["cues"].tolist()])
    columns = np.array([outcome[name] for name in ours["outcomes"].tolist()])
    mine, aligned = ours["values"], theirs["values"][np.ix_(columns, rows)].T
    assert mine.shape == aligned.shape, f"shapes differ: {mine.shape} and {aligned.shape}"
    different = int((mine.view(np.int64) != np.ascontiguousarray(aligned).view(np.int64)).sum())
    return {"shape": list(mine.shape), "checksum": float(mine.sum()), "different": different}


def peak_memory() -> int:
    """The greatest resident size of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


STEPS: dict[str, Callable[..., dict[str, object]]] = {
    function.__name__: function
    for function in (
        pyndl_table,
        pyndl_convert,
        rescorla_convert,
        pyndl_learn,
        rescorla_learn,
        rescorla_adjoint,
        same_weights,
    )
}


def run(step: str, *arguments: object) -> dict[str, object]:
    """Runs a step in a process of its own. The seconds it returns do not count imports."""
    command = [sys.executable, __file__, "--step", step, *map(str, arguments)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    result: dict[str, object] = json.loads(output.splitlines()[-1])
    return result


def small_text(path: Path) -> None:
    """Some thousand words of a made-up language, by Zipf's law."""
    random.seed(1)
    words = ["".join(random.choices("abcdefghij", k=random.randint(2, 7))) for _ in range(300)]
    chosen = random.choices(words, weights=[1 / (rank + 1) for rank in range(300)], k=5000)
    path.write_text("\n".join(" ".join(chosen[i : i + 10]) for i in range(0, 5000, 10)), encoding="utf-8")


def compare(text: Path, threads: int, repetitions: int, work: Path) -> bool:
    """Prints the figures; True if the weights agree."""
    made = run("pyndl_table", text, work / "events.tab.gz", threads)
    size = (work / "events.tab.gz").stat().st_size
    print(f"event table (made by pyndl in {made['seconds']:.1f} s): {size:,} bytes")
    steps = ["pyndl_convert", "rescorla_convert", "pyndl_learn", "rescorla_learn", "rescorla_adjoint"]
    results: dict[str, list[dict[str, object]]] = {step: [] for step in steps}
    for _ in range(repetitions):
        for step in steps:
            results[step].append(run(step, work, threads))
    median = {step: statistics.median(float(str(r["seconds"])) for r in results[step]) for step in steps}
    events = results["rescorla_convert"][0]
    print(f"{events['n_events']:,} events, {threads} threads each, median of {repetitions}")
    for name, theirs, ours in [
        ("table -> binary file", "pyndl_convert", "rescorla_convert"),
        ("table -> weights", "pyndl_learn", "rescorla_learn"),
        ("  adjoint method", "pyndl_learn", "rescorla_adjoint"),
    ]:
        ratio = median[theirs] / median[ours]
        times = f"pyndl {median[theirs]:8.2f} s   rescorla {median[ours]:8.2f} s"
        print(f"{name:22} {times}   {ratio:6.1f} times")
    learning = statistics.median(float(str(r["learning"])) for r in results["rescorla_learn"])
    print(f"{'  of this learning':22} {'':16} rescorla {learning:8.2f} s")
    for step in ("pyndl_convert", "rescorla_convert"):
        size = int(str(results[step][0]["bytes"]))
        each = size / int(str(events["n_events"]))
        print(f"{step.split('_')[0]} binary: {size:,} bytes, {each:.2f} an event")
    best = min(results["rescorla_learn"], key=lambda r: int(str(r["peak"])))
    more = (int(str(best["peak"])) - int(str(best["result"]))) / 1e6
    print(f"rescorla peak memory: the result ({int(str(best['result'])) / 1e6:.1f} MB) and {more:.1f} MB")
    apart = max(float(str(r["difference"])) for r in results["rescorla_adjoint"])
    print(f"the adjoint method's weights differ from the forward method's by at most {apart:.1e}")
    same = run("same_weights", work)
    print(f"weights {same['shape']}: sum {same['checksum']!r}, {same['different']} differ in any bit")
    return same["different"] == 0 and apart <= 1e-12


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--text", type=Path, help="running text, UTF-8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="a small made-up text, once")
    parser.add_argument("--step", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        name, *arguments = options.step
        values = [int(value) if value.isdigit() else Path(value) for value in arguments]
        print(json.dumps(STEPS[name](*values)))
        return 0
    if not options.smoke and options.text is None:
        parser.error("give --text FILE or --smoke")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if options.smoke:
            small_text(work / "text.txt")
            agree = compare(work / "text.txt", options.threads, 1, work)
        else:
            agree = compare(options.text, options.threads, options.repetitions, work)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
