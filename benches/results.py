"""Measures beside the activations that they are made of, and netCDF files of weights, beside pyndl.

    python benches/results.py                     # 4,000 x 5,000 weights; medians of 5
    python benches/results.py --smoke             # small, once

Weights are random, from a seeded generator; events have seven cues and an outcome each. `activation` needs
the activations of what is present only. pyndl has none but those of all outcomes, so it is given fewer
events, and times are per event. `rank`, `margin`, `diversity` and `entropy` need those of all outcomes.

A netCDF file is saved and loaded by `Weights.save` and `load_weights`, and as pyndl's manual says, by
`to_netcdf` and `open_dataarray`, loaded. Ours is on the disk when `save` returns, and is held against its
checksums when it is loaded; so theirs is timed with the `fsync` that this takes as well.

What both compute has to agree, or the exit status is 1, whatever the times are.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import rescorla as rw

AGREE, N_CUES_PER_EVENT = 1e-12, 7
MEASURES = ("rank", "margin", "diversity", "entropy")


def medians(works: dict[str, Callable[[], Any]], repetitions: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds of works that take turns, and what each gave last."""
    times: dict[str, list[float]] = {name: [] for name in works}
    found: dict[str, Any] = {}
    for _ in range(repetitions):
        for name, work in works.items():
            begun = time.perf_counter()
            found[name] = work()
            times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(each) for name, each in times.items()}, found


def made(n_cues: int, n_outcomes: int, n_events: int) -> tuple[rw.Weights, rw.Events]:
    """Random weights, and events of their names."""
    rng = np.random.default_rng(1)
    cues, outcomes = [f"c{i}" for i in range(n_cues)], [f"o{i}" for i in range(n_outcomes)]
    weights = rw.Weights(
        rng.normal(size=(n_cues, n_outcomes)), cues, outcomes, {"rule": "none", "alpha": 0.1}
    )
    places = rng.integers(n_cues, size=(n_events, N_CUES_PER_EVENT))
    events = (
        ([cues[place] for place in row], [outcomes[target]])
        for row, target in zip(places, rng.integers(n_outcomes, size=n_events), strict=True)
    )
    return weights, rw.read_events(events)


def measures(weights: rw.Weights, events: rw.Events, few: rw.Events, repetitions: int) -> dict[str, float]:
    """Seconds for each event, of measures and of what they wrap."""
    from pyndl.activation import activation

    quiet: dict[str, Any] = {"progress": False}
    theirs = weights.to_xarray().transpose("outcomes", "cues")
    pairs = [(event.cues, event.outcomes) for event in few]
    columns = {outcome: column for column, outcome in enumerate(weights.outcomes)}

    def pyndl() -> Any:
        found = activation(pairs, theirs)
        rows = [columns[outcomes[0]] for _, outcomes in pairs]
        return found.values[rows, np.arange(len(rows))]

    present, found = medians(
        {
            "activations, present": lambda: rw.activations(events, weights, present_only=True, **quiet),
            "measures.activation": lambda: rw.measures.activation(events, weights, **quiet),
        },
        repetitions,
    )
    same(found["activations, present"], found["measures.activation"], 0.0)
    wrapping: dict[str, Callable[[], Any]] = {
        f"measures.{name}": partial(getattr(rw.measures, name), few, weights, **quiet) for name in MEASURES
    }
    every, values = medians(
        {"activations": lambda: rw.activations(few, weights, **quiet)} | wrapping, repetitions
    )
    best = values["activations"].argmax(axis=1)
    same(values["measures.rank"] == 1, best == [columns[event.outcomes[0]] for event in few], 0)
    other, picked = medians({"pyndl's activation": pyndl}, 1)
    same(picked["pyndl's activation"], found["measures.activation"][: len(few)], AGREE)
    of_few = {name: seconds / len(few) for name, seconds in (every | other).items()}
    return {name: seconds / len(events) for name, seconds in present.items()} | of_few


def files(weights: rw.Weights, folder: Path, repetitions: int) -> dict[str, float]:
    """Seconds to save and to load netCDF files."""
    import xarray as xr

    ours, theirs = folder / "ours.nc", folder / "theirs.nc"
    array = weights.to_xarray().transpose("outcomes", "cues")
    array = array.copy(data=np.ascontiguousarray(array.values))

    def synced() -> None:
        array.to_netcdf(theirs)
        with theirs.open("rb+") as stream:
            os.fsync(stream.fileno())

    def opened() -> Any:
        with xr.open_dataarray(theirs) as found:
            return found.load()

    saved, _ = medians(
        {
            "save": lambda: weights.save(ours),
            "to_netcdf": lambda: array.to_netcdf(theirs),
            "to_netcdf, fsync": synced,
        },
        repetitions,
    )
    loaded, found = medians(
        {"load_weights": lambda: rw.load_weights(ours), "open_dataarray": opened}, repetitions
    )
    same(found["load_weights"].values, weights.values, 0.0)
    same(found["open_dataarray"].values.T, weights.values, 0.0)
    same(rw.load_weights(theirs).values, weights.values, 0.0)
    return saved | loaded


def same(found: Any, expected: Any, most: float) -> None:
    """Ends with exit status 1 where numbers are further apart."""
    apart = np.abs(np.asarray(found, dtype=float) - np.asarray(expected, dtype=float)).max(initial=0.0)
    if not apart <= most:
        sys.exit(f"what should be the same is {apart:.3g} apart")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--smoke", action="store_true", help="small, once")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    sizes = (60, 50, 500, 40, 1) if options.smoke else (4_000, 5_000, 200_000, 1_000, options.repetitions)
    n_cues, n_outcomes, n_events, n_few, repetitions = sizes
    weights, events = made(n_cues, n_outcomes, n_events)
    of_events = measures(weights, events, events[:n_few], repetitions)
    for name, seconds in of_events.items():
        print(f"{name:<22}{seconds * 1e6:12.2f} microseconds an event")
    with tempfile.TemporaryDirectory() as folder:
        of_files = files(weights, Path(folder), repetitions)
    for name, seconds in of_files.items():
        print(f"{name:<22}{seconds:12.3f} s for {weights.values.nbytes / 1e6:.0f} MB")
    if options.json is not None:
        options.json.write_text(json.dumps({"events": of_events, "files": of_files}, indent=1) + "\n")


if __name__ == "__main__":
    main()
