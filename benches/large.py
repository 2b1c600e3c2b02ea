"""Weights larger than the memory: learned into a file under a limit of the address space. Linux only.

    python benches/large.py                                    # 60,000 x 60,000: 28.8 GB on the disk
    python benches/large.py --cues 5000 --outcomes 5000 --events 20000 --method adjoint
    python benches/large.py --smoke                            # small, by both methods: does it work

The events are made up: some cues and outcomes by Zipf's law, and one of each in turn, so that every name
occurs. Learning runs in a process of its own whose address space is limited. Then some whole columns
(forward) or rows (adjoint) are learned again in memory and must have the bits of the file, which is removed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ZIPF_CUES, ZIPF_OUTCOMES = 5, 1
CHECKED = 5


def made_up(n_cues: int, n_outcomes: int, n_events: int) -> Iterator[tuple[list[str], list[str]]]:
    """Events in which every name occurs at least once, the common ones often."""
    import numpy as np

    rng = np.random.default_rng(1)
    in_turn = {n: rng.permutation(n) for n in (n_cues, n_outcomes)}

    def ids(n: int, by_zipf: int, events: range) -> Any:
        # The ranks of Zipf's law with exponent 1: their logarithms are nearly uniform.
        ranks = np.exp(rng.uniform(0, np.log(n), (len(events), by_zipf))).astype(np.int64)
        turns = in_turn[n][np.asarray(events) * n // n_events]
        return np.column_stack([ranks - 1, turns]).tolist()

    for start in range(0, n_events, 10_000):
        events = range(start, min(start + 10_000, n_events))
        cues, outcomes = ids(n_cues, ZIPF_CUES, events), ids(n_outcomes, ZIPF_OUTCOMES, events)
        for some_cues, some_outcomes in zip(cues, outcomes, strict=True):
            yield [f"c{cue}" for cue in some_cues], [f"o{outcome}" for outcome in some_outcomes]


def status(field: str) -> int:
    """A size of this process, in bytes."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


def learn_limited(events: Path, out: Path, method: Any, threads: int, limit: int) -> dict[str, Any]:
    """Learns into the file with no more than `limit` bytes of address space."""
    import resource

    import rescorla as rw

    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    opened = rw.open_events(events)
    before = status("VmRSS")
    begun = time.perf_counter()
    weights = rw.learn(opened, method=method, threads=threads, out=out, progress=False)
    return {
        "seconds": time.perf_counter() - begun,
        "learning": weights.parameters["seconds"],
        "method": weights.parameters["method"],
        "before": before,
        "resident": status("VmRSS"),
        "peak": status("VmHWM"),
    }


def in_a_process(*arguments: object) -> dict[str, Any]:
    """`learn_limited`, whose address space these libraries shall not fill with threads that do nothing."""
    command = [sys.executable, __file__, "--learn", *map(str, arguments)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    result: dict[str, Any] = json.loads(output)
    return result


def check(events: Path, out: Path) -> str:
    """Learns some lines of the file again, in memory, and compares bits."""
    import numpy as np
    import rescorla as rw

    weights = rw.load_weights(out)
    method = weights.parameters["method"]
    side, names = ("outcomes", weights.outcomes) if method == "forward" else ("cues", weights.cues)
    chosen = [names[i * (len(names) - 1) // (CHECKED - 1)] for i in range(CHECKED)]
    subset: dict[str, Any] = {side: chosen}
    again = rw.learn(events, method=method, progress=False, **subset)
    for name in chosen:
        found, expected = (
            np.ascontiguousarray(each.column(name) if side == "outcomes" else each.row(name))
            for each in (weights, again)
        )
        assert expected.any(), f"nothing was learned of {name}"
        assert found.tobytes() == expected.tobytes(), f"the file differs from the memory in {name}"
    return f"{CHECKED} whole {'columns' if side == 'outcomes' else 'rows'} have the bits of the memory"


def measure(events: Path, out: Path, method: str, threads: int, limit: int) -> None:
    """Learns, prints the figures, checks, and removes the file."""
    import rescorla as rw
    from rescorla._learn.rescorla_wagner import forecast

    opened = rw.open_events(events)
    size = 8 * opened.n_cues * opened.n_outcomes
    try:
        done = in_a_process(events, out, method, threads, limit)
        by_purpose = forecast(opened, method=done["method"], threads=threads)["memory"]
        needed = sum(by_purpose.values())
        print(
            f"{done['method']}, {threads} threads: {opened.n_cues:,} x {opened.n_outcomes:,} weights, "
            f"{size / 1e9:.2f} GB, address space limited to {limit / 1e9:.2f} GB"
        )
        print(
            f"  {done['seconds']:.1f} s, of which {done['learning']:.1f} s to learn and write, the rest to "
            f"sync; {size / done['seconds'] / 1e6:.0f} MB/s"
        )
        print(
            f"  resident: {done['before'] / 1e6:.0f} MB before, {done['peak'] / 1e6:.0f} MB at the peak, "
            f"{done['resident'] / 1e6:.0f} MB after; the bound of what learning adds: {needed / 1e6:.0f} MB"
        )
        assert done["peak"] - done["before"] <= needed, "more memory than the formula says"
        print(f"  {check(events, out)}", flush=True)
    finally:
        for path in (out, Path(f"{out}.json")):
            path.unlink(missing_ok=True)


def main() -> None:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cues", type=int, default=60_000)
    parser.add_argument("--outcomes", type=int, default=60_000)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path(), help="where the files go for a while")
    parser.add_argument("--limit", type=float, default=4.0, help="of the address space, in GB")
    parser.add_argument("--method", choices=["auto", "forward", "adjoint"], default="auto")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--learn", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.learn:
        events, out, method, threads, limit = options.learn
        print(json.dumps(learn_limited(Path(events), Path(out), method, int(threads), int(limit))))
        return

    import rescorla as rw

    methods = [options.method]
    if options.smoke:
        options.cues, options.outcomes, options.events = 3000, 2000, 5000
        methods = ["forward", "adjoint"]
    if options.events < max(options.cues, options.outcomes):
        parser.error("--events must be as many as there are names, so that every name occurs")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        events = Path(folder) / "events.rw"
        begun = time.perf_counter()
        rw.read_events(made_up(options.cues, options.outcomes, options.events), events, progress=False)
        print(
            f"{options.events:,} events made and compiled in {time.perf_counter() - begun:.1f} s: "
            f"{events.stat().st_size / 1e6:.1f} MB"
        )
        for method in methods:
            measure(events, Path(folder) / "w.npy", method, options.threads, int(options.limit * 1e9))


if __name__ == "__main__":
    main()
