"""How learning time grows: one factor at a time is varied around a centre.

    python benches/scaling.py --json scaling.json    # medians of 3
    python benches/scaling.py --smoke                # small events, once

Events are made as for the Zipf workloads of compare.py. What is measured is `learn` alone: events in memory
to weights in memory, both methods in turn. Their weights have to agree, within 1e-12 of the largest of lambda
and weights in float64 and 1e-5 in float32; the exit status is 1 where they do not, whatever the times are.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import rescorla as rw
import workloads
from steps import machine

CENTRE = workloads.Size(events=100_000, cues=5_000, outcomes=5_000, cues_per_event=8)
SMALL = workloads.Size(events=1_000, cues=100, outcomes=100, cues_per_event=4)
TIMES = (0.25, 0.5, 1, 2, 4)
METHODS: tuple[Literal["forward", "adjoint"], ...] = ("forward", "adjoint")
BOUNDS = {"float64": 1e-12, "float32": 1e-5}


class Setting(NamedTuple):
    """What is measured, and which factor it varies."""

    factor: str
    size: workloads.Size
    threads: int
    dtype: str

    def value(self) -> Any:
        """The value of the factor."""
        return getattr(self if hasattr(self, self.factor) else self.size, self.factor)


def settings(centre: workloads.Size, threads: int) -> Iterator[Setting]:
    """Sizes first; then threads and the type of the weights at the centre."""
    for factor in centre._fields:
        for times in TIMES:
            size = centre._replace(**{factor: round(getattr(centre, factor) * times)})
            yield Setting(factor, size, threads, "float64")
    for n in range(1, threads + 1):
        yield Setting("threads", centre, n, "float64")
    for dtype in BOUNDS:
        yield Setting("dtype", centre, threads, dtype)


@cache
def events_of(size: workloads.Size) -> rw.Events:
    """Synthetic events in memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / workloads.TABLE
        workloads.write_table(path, workloads.zipf_lines(size))
        return rw.read_events(path, duplicates="error", progress=False)


def measure(setting: Setting, repetitions: int) -> dict[str, Any]:
    """The times of both methods, taking turns, and how far their weights are apart."""
    events = events_of(setting.size)
    seconds: dict[str, list[float]] = {method: [] for method in METHODS}
    apart = 0.0
    for _ in range(repetitions):
        results = []
        for method in METHODS:
            begun = time.perf_counter()
            weights = rw.learn(
                events,
                method=method,
                dtype=setting.dtype,
                threads=setting.threads,
                progress=False,
            )
            seconds[method].append(time.perf_counter() - begun)
            results.append(weights.values)
        apart = max(apart, difference(*results))
    medians = {method: statistics.median(each) for method, each in seconds.items()}
    record = setting._asdict() | {"size": setting.size._asdict(), "value": setting.value()}
    return record | {"seconds": medians, "all": seconds, "difference": apart}


def difference(forward: Any, adjoint: Any) -> float:
    """The greatest difference, relative to the largest of lambda and weights."""
    return float(np.abs(forward - adjoint).max() / max(1.0, np.abs(forward).max()))


def report(record: dict[str, Any]) -> None:
    """Prints one line of the table."""
    forward, adjoint = (record["seconds"][method] for method in METHODS)
    print(
        f"{record['factor']:15} {record['value']!s:>9} {forward:11.4f} {adjoint:11.4f} "
        f"{record['difference']:11.1e}",
        flush=True,
    )


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3, help="figures are medians")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--smoke", action="store_true", help="small events, once")
    options = parser.parse_args()
    centre, repetitions = (SMALL, 1) if options.smoke else (CENTRE, options.repetitions)
    about = machine()
    print(f"{about['processor']}, {about['cores']} cores, rescorla {about['versions']['rescorla']}")
    print("centre: " + ", ".join(f"{name} {value:,}" for name, value in centre._asdict().items()))
    print(f"seconds, medians of {repetitions}; {options.threads} threads and float64 where not varied")
    print(f"{'factor':15} {'value':>9} {'forward':>11} {'adjoint':>11} {'difference':>11}")
    records = []
    for setting in settings(centre, options.threads):
        records.append(measure(setting, repetitions))
        report(records[-1])
    if options.json:
        run = {"machine": about, "threads": options.threads, "repetitions": repetitions}
        run |= {"centre": centre._asdict(), "settings": records}
        options.json.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    wrong = [record for record in records if not record["difference"] <= BOUNDS[record["dtype"]]]
    for record in wrong:
        print(f"WEIGHTS DO NOT AGREE: {record['factor']} {record['value']}: {record['difference']:.1e}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
