"""Widrow-Hoff learning beside pyndl's `wh.wh`, in all its modes with vectors.

    python benches/widrow_hoff.py                     # 100,000 events; medians of 3, of pyndl 1
    python benches/widrow_hoff.py --smoke             # small, once

Events are random, from a seeded generator, in one gzipped event table for both tools. *Vectors to vectors*
and *vectors to names* have one cue and one outcome an event; *names to vectors* have three cues. Vectors
are normal numbers, those of cues divided by the root of their length. A time is that from the table to the
weights in memory, with the vectors in an xarray DataArray, as pyndl wants them; the tools take turns. The
weights have to agree within 1e-12 of the largest, or the exit status is 1, whatever the times are.
"""

import argparse
import gzip
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

AGREE, ETA, NAMES = 1e-12, 0.05, 2_000


def write_table(path: Path, n_events: int, n_names: int, n_cues: int) -> None:
    """Random events of so many different cues each."""
    rng = random.Random(1)
    cues, outcomes = [f"c{i}" for i in range(n_names)], [f"o{i}" for i in range(n_names)]
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as table:
        table.write("cues\toutcomes\n")
        # Every name once, so that the weights of names have the same shape whatever the number of events.
        for i in range(max(n_events, n_names)):
            named = rng.sample(cues, n_cues) if i >= n_names else [cues[i]]
            outcome = rng.choice(outcomes) if i >= n_names else outcomes[i]
            table.write(f"{'_'.join(named)}\t{outcome}\n")


def vectors(side: str, n_names: int, size: int) -> Any:
    """Random vectors of names."""
    import xarray as xr

    rng = np.random.default_rng(len(side))
    values = rng.normal(size=(n_names, size)) / (np.sqrt(size) if side == "cue" else 1.0)
    names, dimensions = f"{side}s", f"{side}_vector_dimensions"
    labels = {
        names: [f"{side[0]}{i}" for i in range(n_names)],
        dimensions: [f"{side}{i}" for i in range(size)],
    }
    return xr.DataArray(values, dims=(names, dimensions), coords=labels)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The time, and the result."""
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def difference(ours: Any, theirs: Any) -> float:
    """The greatest difference of the weights, by name, as a share of the largest."""
    sides = [next(str(d) for d in theirs.dims if str(d).startswith(side)) for side in ("cue", "outcome")]
    theirs = theirs.transpose(*sides)
    cues, outcomes = ([str(name) for name in theirs.coords[side].values] for side in sides)
    apart = np.abs(ours[cues, outcomes].values - theirs.values).max()
    return float(apart / np.abs(theirs.values).max())


def compared(path: Path, keywords: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """The times of both tools, taking turns."""
    import rescorla as rw
    from pyndl import wh

    ours: list[float] = []
    theirs: list[float] = []
    weights: Any = None
    expected: Any = None
    for turn in range(options.repetitions):
        seconds, weights = timed(
            lambda: rw.widrow_hoff(path, eta=ETA, threads=options.threads, progress=False, **keywords)
        )
        ours.append(seconds)
        if turn < options.pyndl_repetitions:
            seconds, expected = timed(lambda: wh.wh(str(path), ETA, n_jobs=options.threads, **keywords))
            theirs.append(seconds)
    found = {"pyndl": statistics.median(theirs), "rescorla": statistics.median(ours)}
    found["ratio"] = found["pyndl"] / found["rescorla"]
    return found | {"method": weights.parameters["method"], "difference": difference(weights, expected)}


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--size", type=int, default=300, help="numbers in a vector")
    parser.add_argument("--names", type=int, default=NAMES, help="cues, and outcomes")
    parser.add_argument("--threads", type=int, default=2, help="of both tools")
    parser.add_argument("--repetitions", type=int, default=3, help="figures are medians")
    parser.add_argument("--pyndl-repetitions", type=int, default=1, help="of pyndl, which takes minutes")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--smoke", action="store_true", help="small, once")
    options = parser.parse_args()
    if options.smoke:
        options.events, options.size, options.names, options.repetitions = 500, 20, 50, 1
    cue, outcome = (vectors(side, options.names, options.size) for side in ("cue", "outcome"))
    modes: dict[str, tuple[int, dict[str, Any]]] = {
        "vectors to vectors": (1, {"cue_vectors": cue, "outcome_vectors": outcome}),
        "vectors to names": (1, {"cue_vectors": cue}),
        "names to vectors": (3, {"outcome_vectors": outcome}),
    }
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode, (n_cues, keywords) in modes.items():
            path = Path(folder) / f"{n_cues}.tab.gz"
            if not path.exists():
                write_table(path, options.events, options.names, n_cues)
            found = results[mode] = compared(path, keywords, options)
            print(
                f"{mode}: pyndl {found['pyndl']:.3g} s, rescorla {found['rescorla']:.3g} s "
                f"({found['method']}), ratio {found['ratio']:.3g}, difference {found['difference']:.1g}",
                flush=True,
            )
    if options.json:
        facts = {
            "events": options.events,
            "size": options.size,
            "threads": options.threads,
            "cpus": os.cpu_count(),
        }
        options.json.write_text(json.dumps(facts | results, indent=1) + "\n", encoding="utf-8")
    apart = [mode for mode, found in results.items() if not found["difference"] <= AGREE]
    if apart:
        print("THE WEIGHTS DO NOT AGREE:", ", ".join(apart))
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
