"""What the benchmark's processes do: `python benches/steps.py STEP ARGUMENTS`, the arguments as JSON.

A step prints a JSON object. Its `seconds` count neither imports nor checks; its `peak` is the greatest
resident size of the process before the checks, in bytes.
"""

import json
import os
import platform
import resource
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import workloads
from numpy.typing import NDArray

ALPHA, BETA, LAMBDA = 0.1, 0.1, 1.0
# How far weights may be from pyndl's, relative to the largest of lambda and weights; 0: same in every bit.
BOUNDS = {("forward", "float64"): 0.0, ("adjoint", "float64"): 1e-12}
SINGLE = 1e-5
Result = dict[str, Any]


def machine() -> Result:
    """What the figures hold for."""
    import rescorla as rw

    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    kernel = rw.learn(rw.read_events([("cue", "outcome")]), progress=False).parameters["kernel"]
    return {
        "processor": f"{model[0] if model else platform.processor()} ({kernel})",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("pyndl", "numpy", "xarray")}
        | {"rescorla": rw.__version__},
    }


def make_table(workload: str, text: str, smoke: bool, folder: str) -> Result:
    """Writes the event table that both tools start from."""
    begun = time.perf_counter()
    workloads.WORKLOADS[workload].write(workloads.Source(Path(text), smoke), Path(folder))
    return {"seconds": time.perf_counter() - begun, "bytes": (Path(folder) / workloads.TABLE).stat().st_size}


def pyndl_convert(folder: str, threads: int) -> Result:
    """pyndl counts cues and outcomes and writes its binary files: what `ndl` does before it learns."""
    from pyndl import count

    table = str(Path(folder) / workloads.TABLE)
    begun = time.perf_counter()
    _, cues, outcomes = count.cues_outcomes(table, n_jobs=threads)
    with tempfile.TemporaryDirectory(dir=folder) as binary:
        _pyndl_binary(table, binary, list(cues), list(outcomes), threads)
        seconds = time.perf_counter() - begun
        n_bytes = sum(file.stat().st_size for file in Path(binary).iterdir())
    return {"seconds": seconds, "bytes": n_bytes}


def _pyndl_binary(table: str, folder: str, cues: list[str], outcomes: list[str], threads: int) -> None:
    from pyndl import preprocess

    cue_map, outcome_map = (
        OrderedDict((name, i) for i, name in enumerate(names)) for names in (cues, outcomes)
    )
    preprocess.create_binary_event_files(
        table, folder, cue_map, outcome_map, overwrite=True, n_jobs=threads, remove_duplicates=None
    )


def rescorla_convert(folder: str, threads: int) -> Result:
    """rescorla reads the same table and writes its binary file."""
    import rescorla as rw

    path = Path(folder) / "events.rw"
    begun = time.perf_counter()
    events = rw.read_events(Path(folder) / workloads.TABLE, path, duplicates="error", progress=False)
    seconds = time.perf_counter() - begun
    return {
        "seconds": seconds,
        "bytes": path.stat().st_size,
        "n_events": len(events),
        "n_cues": events.n_cues,
        "n_outcomes": events.n_outcomes,
    }


def pyndl_learn(folder: str, threads: int) -> Result:
    """pyndl: event table to weights in memory. They are saved for the checks."""
    from pyndl import ndl

    begun = time.perf_counter()
    weights = ndl.ndl(
        str(Path(folder) / workloads.TABLE),
        ALPHA,
        (BETA, BETA),
        LAMBDA,
        method="openmp",
        n_jobs=threads,
        remove_duplicates=None,
    )
    result = {"seconds": time.perf_counter() - begun, "peak": peak_memory(), "result": weights.values.nbytes}
    cues, outcomes = (weights.coords[name].values.tolist() for name in ("cues", "outcomes"))
    _save(Theirs(weights.values, cues, outcomes), Path(folder))
    return result


def rescorla_learn(
    folder: str, threads: int, method: str, dtype: str, table: str = workloads.TABLE
) -> Result:
    """rescorla: event table to weights in memory, and how far they are from pyndl's."""
    weights, result = _rescorla_learn(Path(folder) / table, threads, method, dtype)
    apart = differences(weights.values, weights.cues, weights.outcomes, _load(Path(folder)))
    return result | apart | {"bound": bound(result)}


def bound(result: Result) -> float:
    """How far the weights of a result may be from pyndl's."""
    return BOUNDS.get((result["method"], result["dtype"]), SINGLE)


def _rescorla_learn(table: Path, threads: int, method: Any, dtype: str) -> tuple[Any, Result]:
    import rescorla as rw

    begun = time.perf_counter()
    events = rw.read_events(table, duplicates="error", progress=False)
    weights = rw.learn(
        events,
        alpha=ALPHA,
        beta=BETA,
        lambda_=LAMBDA,
        method=method,
        dtype=dtype,
        threads=threads,
        progress=False,
    )
    seconds = time.perf_counter() - begun
    return weights, {
        "seconds": seconds,
        "peak": peak_memory(),
        "result": weights.values.nbytes,
        "learning": weights.parameters["seconds"],
        "method": weights.parameters["method"],
        "kernel": weights.parameters["kernel"],
        "dtype": dtype,
        "n_events": len(events),
        "n_cues": events.n_cues,
        "n_outcomes": events.n_outcomes,
    }


def pyndl_sample(folder: str, n_events: int, threads: int) -> Result:
    """pyndl learns the first events of a table with the names of the whole, by the functions `ndl` calls.

    The weights are touched before the clock starts, so that memory that the system hands out for the first
    time does not count as learning.
    """
    from pyndl import count, ndl_openmp

    names = json.loads((Path(folder) / workloads.NAMES).read_text(encoding="utf-8"))
    cues, outcomes = names["cues"], names["outcomes"]
    weights = np.empty((len(outcomes), len(cues)))
    weights.fill(0.0)
    table = str(workloads.sample_table(Path(folder), n_events))
    begun = time.perf_counter()
    count.cues_outcomes(table, n_jobs=threads)
    with tempfile.TemporaryDirectory(dir=folder) as binary:
        _pyndl_binary(table, binary, cues, outcomes, threads)
        files = [str(file) for file in sorted(Path(binary).iterdir())]
        chosen = np.arange(len(outcomes), dtype=np.uint32)
        ndl_openmp.learn_inplace_binary_to_binary(
            files, ALPHA, BETA, BETA, LAMBDA, weights, chosen, 10, threads
        )
    seconds = time.perf_counter() - begun
    _save_seen(Theirs(weights, cues, outcomes), Path(table), Path(folder))
    return {"seconds": seconds, "n_events": n_events}


def _save_seen(theirs: "Theirs", table: Path, folder: Path) -> None:
    """Saves the weights between names that are in a table."""
    import rescorla as rw

    events = rw.read_events(table, progress=False)
    rows, columns = places(events.outcomes, theirs.outcomes), places(events.cues, theirs.cues)
    _save(Theirs(theirs.values[np.ix_(rows, columns)], list(events.cues), list(events.outcomes)), folder)


def rescorla_whole(folder: str, threads: int, dtype: str) -> Result:
    """rescorla learns all events, and how far that is from the forward method on some of the outcomes."""
    import rescorla as rw

    table = Path(folder) / workloads.TABLE
    weights, result = _rescorla_learn(table, threads, "auto", dtype)
    some = [weights.outcomes[i] for i in np.linspace(0, len(weights.outcomes) - 1, 64).astype(int)]
    rule = rw.learn(
        rw.read_events(table, progress=False),
        alpha=ALPHA,
        beta=BETA,
        lambda_=LAMBDA,
        outcomes=some,
        method="forward",
        threads=threads,
        progress=False,
    )
    ours = weights.values[:, places(some, weights.outcomes)]
    theirs = Theirs(np.ascontiguousarray(rule.values.T), list(rule.cues), list(rule.outcomes))
    apart = differences(ours, weights.cues, some, theirs)
    return result | apart | {"bound": bound(result), "checked": len(some)}


def rescorla_serial(folder: str, method: str | None) -> Result:
    """rescorla: how much of `learn` is outside tiles, on one thread.

    What `learn` does is done by its parts, from events that were just read: all that comes before the tiles,
    which is to look at the events, to number them anew and to make them ready; then the tiles, each with what
    it writes of the result.
    """
    import rescorla as rw
    from jobs import job_of

    events = rw.read_events(Path(folder) / workloads.TABLE, duplicates="error", progress=False)
    begun = time.perf_counter()
    job = job_of(events, method=method, threads=1)
    out = np.zeros(job.shape)
    prepared = time.perf_counter()
    job.learn(0, job.n_lanes, out)
    done = time.perf_counter()
    return {"method": job.method, "seconds": done - begun, "share": (prepared - begun) / (done - begun)}


def pyndl_chain(text: str, folder: str, threads: int) -> Result:
    """pyndl: running text to saved weights."""
    from pyndl import ndl

    table = str(Path(folder) / workloads.TABLE)
    Path(table).unlink(missing_ok=True)
    workloads.trigrams_to_word(workloads.Source(Path(text), smoke=False), Path(folder))
    weights = ndl.ndl(table, ALPHA, (BETA, BETA), LAMBDA, method="openmp", n_jobs=threads)
    weights.to_netcdf(Path(folder) / "pyndl.nc")
    return {"peak": peak_memory()}


def rescorla_chain(text: str, folder: str, threads: int, way: str) -> Result:
    """rescorla: running text to saved weights, by way of memory or learned into the file."""
    import rescorla as rw

    path = _chain_path(folder, way)
    out = path if way.startswith("out=") else None
    events = rw.corpus_events(Path(text), symbols="a-z", progress=False)
    weights = rw.learn(
        events, alpha=ALPHA, beta=BETA, lambda_=LAMBDA, out=out, threads=threads, progress=False
    )
    if out is None:
        weights.save(path)
    return {"peak": peak_memory(), "method": weights.parameters["method"]}


def _chain_path(folder: str, way: str) -> Path:
    """Where the weights of a way to save them are: `.npz`, say, or `out=.npy`."""
    kind, suffix = way.split(".")
    return Path(folder) / f"{kind.strip('=')}weights.{suffix}"


def check_chain(folder: str, way: str) -> Result:
    """The saved weights of both. pyndl orders the cues of a word at random, so rounding may differ."""
    import rescorla as rw
    import xarray

    ours = rw.load_weights(_chain_path(folder, way))
    with xarray.open_dataarray(Path(folder) / "pyndl.nc") as saved:
        cues, outcomes = (saved.coords[name].values.tolist() for name in ("cues", "outcomes"))
        theirs = Theirs(saved.transpose("outcomes", "cues").values, cues, outcomes)
        return differences(ours.values, ours.cues, ours.outcomes, theirs) | {"bound": 1e-12}


def pyndl_text(text: str, folder: str, options: Result) -> Result:
    """pyndl: running text to its event table."""
    from pyndl import preprocess

    table = Path(folder) / workloads.TABLE
    table.unlink(missing_ok=True)
    begun = time.perf_counter()
    preprocess.create_event_file(text, str(table), **options)
    return {"seconds": time.perf_counter() - begun, "peak": peak_memory(), "bytes": table.stat().st_size}


def rescorla_text(text: str, folder: str, threads: int, options: Result) -> Result:
    """rescorla: running text to its binary event file."""
    import rescorla as rw

    path = Path(folder) / "events.rw"
    path.unlink(missing_ok=True)
    before = peak_memory()
    begun = time.perf_counter()
    events = rw.corpus_events(Path(text), path, threads=threads, progress=False, **_given(options))
    seconds = time.perf_counter() - begun
    return {
        "seconds": seconds,
        "before": before,
        "peak": peak_memory(),
        "bytes": path.stat().st_size,
        "n_events": len(events),
        "n_cues": events.n_cues,
        "n_outcomes": events.n_outcomes,
    }


def _given(options: Result) -> Result:
    """Options as they were before JSON made lists of tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}


def check_text(text: str, folder: str, options: Result) -> Result:
    """How many events of a text differ from those in pyndl's table, as sets; a set keeps no order."""
    import gzip

    import rescorla as rw

    events = rw.corpus_events(Path(text), progress=False, **_given(options))
    different = 0
    with gzip.open(Path(folder) / workloads.TABLE, "rt", encoding="utf-8", newline="\n") as table:
        next(table)
        for line, event in zip_longest(table, events):
            cells = [] if line is None else [set(cell.split("_")) for cell in line[:-1].split("\t")]
            different += event is None or cells != [set(event.cues), set(event.outcomes)]
    return {"n_events": len(events), "different": different}


class Theirs(NamedTuple):
    """Weights to compare with, in pyndl's order: outcomes x cues."""

    values: NDArray[Any]
    cues: list[str]
    outcomes: list[str]


def _save(theirs: Theirs, folder: Path) -> None:
    np.save(folder / "pyndl.npy", theirs.values)
    labels = {"cues": theirs.cues, "outcomes": theirs.outcomes}
    (folder / "pyndl.json").write_text(json.dumps(labels), encoding="utf-8")


def _load(folder: Path) -> Theirs:
    labels = json.loads((folder / "pyndl.json").read_text(encoding="utf-8"))
    return Theirs(np.load(folder / "pyndl.npy", mmap_mode="r"), labels["cues"], labels["outcomes"])


def differences(values: NDArray[Any], cues: Any, outcomes: Any, theirs: Theirs) -> Result:
    """How far weights are apart, aligned by label.

    `difference` is the greatest, relative to the largest of lambda and weights; `different` is the number of
    weights that differ in any bit.
    """
    if set(cues) != set(theirs.cues) or set(outcomes) != set(theirs.outcomes):
        raise ValueError(
            f"names differ: {len(cues)} cues and {len(outcomes)} outcomes in rescorla, "
            f"{len(theirs.cues)} and {len(theirs.outcomes)} to compare with"
        )
    columns, rows = places(cues, theirs.cues), places(outcomes, theirs.outcomes)
    largest, apart, different = LAMBDA, 0.0, 0
    for start in range(0, len(rows), 500):
        part = np.ascontiguousarray(values[:, start : start + 500].T, dtype=np.float64)
        same = theirs.values[rows[start : start + 500]][:, columns]
        different += int((part.view(np.int64) != same.view(np.int64)).sum())
        largest = max(largest, float(np.abs(same).max()))
        # A weight that is no number is as far away as can be; comparisons would pass over it.
        apart = max(apart, float(np.nan_to_num(np.abs(part - same), nan=np.inf).max()))
    return {"difference": apart / largest, "different": different}


def places(names: Any, among: Any) -> NDArray[np.int64]:
    """Where names stand among others."""
    numbers = {name: i for i, name in enumerate(among)}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def peak_memory() -> int:
    """The greatest resident size of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


STEPS: dict[str, Callable[..., Result]] = {
    function.__name__: function
    for function in (
        machine,
        make_table,
        pyndl_convert,
        rescorla_convert,
        pyndl_learn,
        rescorla_learn,
        pyndl_sample,
        rescorla_whole,
        rescorla_serial,
        pyndl_chain,
        rescorla_chain,
        check_chain,
        pyndl_text,
        rescorla_text,
        check_text,
    )
}

if __name__ == "__main__":
    print(json.dumps(STEPS[sys.argv[1]](**json.loads(sys.argv[2]))))
