"""Activations beside pyndl's: of one cue set and of many, by weights of either order in memory or in a file.

    python benches/activations.py --text kjv.txt    # trigrams of the words of a text
    python benches/activations.py --smoke           # a made-up text: do the activations agree?

For each order the weights are in memory, and mapped from a .npy file as `learn(out=...)` leaves them; that of
the forward method has its columns one after another. Each runs in a process of its own, on one thread. Times
are those of the processor, with the system's; `first` is the first call, which reads pages of a file.
`beside` is what Python and numpy allocate at most beside the result. The exit status is 1 where activations
are not the same bits in all of these, or pyndl's are further away than 1e-12.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import workloads

REPETITIONS = 5
MANY, SOME = 2_000, 50


def measured(call: Callable[[], Any], folder: Path) -> dict[str, float]:
    """What a call takes; its result goes to a file."""
    times = []
    for _ in range(REPETITIONS):
        begun = time.process_time()
        found = call()
        times.append(time.process_time() - begun)
        del found
    tracemalloc.start()
    found = np.asarray(call())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.save(folder / "found.npy", found)
    return {"seconds": statistics.median(times), "first": times[0], "beside": peak - found.nbytes}


def of_rescorla(folder: Path, what: str, where: str) -> dict[str, float]:
    """Activations by weights of an order, in memory or in a file."""
    import rescorla as rw

    order, home = where.split()
    weights = rw.load_weights(folder / f"{order}.npy")
    if home == "memory":
        weights = rw.Weights(np.array(weights.values), weights.cues, weights.outcomes)
    cue_sets: Any = json.loads((folder / "cues.json").read_text())[what]
    outcomes = weights.outcomes[:SOME] if what == "many, 50 outcomes" else None
    # Names are numbered once.
    rw.activations([cue_sets[0]], weights, outcomes=weights.outcomes[:1])
    return measured(lambda: rw.activations(cue_sets, weights, outcomes=outcomes, threads=1), folder)


def of_pyndl(folder: Path, what: str, where: str) -> dict[str, float]:
    """The same by pyndl, of weights in memory."""
    import rescorla as rw
    import xarray
    from pyndl.activation import activation

    weights = rw.load_weights(folder / "C.npy")
    outcomes = weights.outcomes[:SOME] if what == "many, 50 outcomes" else weights.outcomes
    values = np.ascontiguousarray(weights[:, list(outcomes)].values.T)
    names = {"outcomes": list(outcomes), "cues": list(weights.cues)}
    array = xarray.DataArray(values, coords=names, dims=("outcomes", "cues"))
    events: Any = [(cues, []) for cues in json.loads((folder / "cues.json").read_text())[what]]
    return measured(lambda: activation(events, array, n_jobs=1).values, folder)


def in_a_process(tool: str, folder: Path, what: str, where: str) -> dict[str, Any]:
    """One of the two, in a process of its own."""
    command = [sys.executable, __file__, "--run", tool, str(folder), what, where]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    result: dict[str, Any] = json.loads(output.splitlines()[-1])
    return result


def compare(folder: Path, text: Path) -> bool:
    """Times of both tools, and whether their activations agree."""
    import rescorla as rw

    events = rw.corpus_events(text, context="line", progress=False)
    rw.learn(events, method="forward", out=folder / "F.npy", progress=False)
    # The same bits row after row.
    forward = rw.load_weights(folder / "F.npy")
    rw.Weights(np.ascontiguousarray(forward.values), forward.cues, forward.outcomes).save(folder / "C.npy")
    sets = [list(event.cues) for event, _ in zip(events, range(MANY), strict=False) if event.cues]
    asked = {"one": sets[:1], "many": sets, "many, 50 outcomes": sets}
    (folder / "cues.json").write_text(json.dumps(asked))
    agree = True
    print(f"{len(forward.cues):,} cues x {len(forward.outcomes):,} outcomes, {len(sets):,} cue sets")
    for what in asked:
        first = None
        for tool, where in [
            ("rescorla", "C memory"),
            ("rescorla", "F memory"),
            ("rescorla", "C file"),
            ("rescorla", "F file"),
            ("pyndl", "memory"),
        ]:
            result = in_a_process(tool, folder, what, where)
            found = np.load(folder / "found.npy")
            found = found if tool == "rescorla" else found.T
            first = found if first is None else first
            same = (
                found.tobytes() == first.tobytes()
                if tool == "rescorla"
                else bool(np.abs(found - first).max() <= 1e-12)
            )
            agree &= same
            print(
                f"  {what:18} {tool:9} {where:9} {result['seconds'] * 1e3:10.2f} ms   first "
                f"{result['first'] * 1e3:10.2f} ms   beside {result['beside'] / 1e6:8.1f} MB   "
                f"{'agrees' if same else 'DIFFERS'}"
            )
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--text", type=Path)
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        tool, folder, what, where = arguments.run
        run = {"rescorla": of_rescorla, "pyndl": of_pyndl}[tool]
        print(json.dumps(run(Path(folder), what, where)))
        return 0
    with tempfile.TemporaryDirectory() as name:
        text = arguments.text
        if arguments.smoke or text is None:
            text = Path(name) / "text.txt"
            workloads.small_text(text)
        return 0 if compare(Path(name), text) else 1


if __name__ == "__main__":
    sys.exit(main())
