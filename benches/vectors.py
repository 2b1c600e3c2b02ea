"""Learning with vectors, beside numpy.

    python benches/vectors.py                    # all sections
    python benches/vectors.py --section in_place
    python benches/vectors.py --smoke            # small, a few times: do the weights agree?

Sections:

in_place: one trial of four cue names and an outcome that has a vector, on weights that are there, of two
sizes: `widrow_hoff(initial=w, out=w)`, with the vectors in a dict, in Weights and normalized;
`learn(initial=w, out=w)` of the same event; and numpy on the rows of the cues. Ratios are those of medians.

The exit status is 1 where weights are further from numpy's than 1e-12, or other rows have changed.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import rescorla as rw

ETA = 0.1
OTHER = 7.25


def microseconds(calls: dict[str, Callable[[], object]], n: int) -> dict[str, float]:
    """The median time of each call; they take turns, so that what else the machine does meets all alike."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(n):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(each) * 1e6 for name, each in times.items()}


def weights_of(n_cues: int, columns: list[str], rows: list[int]) -> rw.Weights:
    """Weights that are zero in some rows."""
    values = np.full((n_cues, len(columns)), OTHER)
    values[rows] = 0.0
    return rw.Weights(values, [f"c{i}" for i in range(n_cues)], columns)


def in_place(smoke: bool) -> bool:
    """One trial on weights that are there, of two sizes."""
    sizes, n = ([(40, 30), (400, 30)], 5) if smoke else ([(4_000, 300), (40_000, 300)], 1_000)
    agree = [one_trial(n_cues, q, n) for n_cues, q in sizes]
    return all(agree)


def one_trial(n_cues: int, q: int, n: int) -> bool:
    """One trial, n times: the medians side by side, and whether the weights agree."""
    rows = np.random.default_rng(1).choice(n_cues, 4, replace=False).tolist()
    event = rw.read_events([([f"c{row}" for row in rows], ["o5"])])
    table = np.random.default_rng(2).normal(size=(n_cues, q))
    names, dimensions = [f"o{i}" for i in range(n_cues)], [f"z{j}" for j in range(q)]
    in_dict = dict(zip(names, table, strict=True))
    in_weights = rw.Weights(table, names, dimensions)
    mine = {name: weights_of(n_cues, dimensions, rows) for name in ("dict", "Weights", "normalized")}
    theirs = weights_of(n_cues, ["o5", *dimensions[1:]], rows)
    plain = weights_of(n_cues, dimensions, rows).values

    def by_numpy() -> None:
        plain[rows] += ETA * (table[5] - plain[rows].sum(axis=0))

    def by_vectors(name: str, vectors: Any, **more: Any) -> object:
        of = mine[name]
        return rw.widrow_hoff(event, eta=ETA, outcome_vectors=vectors, initial=of, out=of, **more)

    calls: dict[str, Callable[[], object]] = {
        "numpy, the rows present": by_numpy,
        "learn(out=)": lambda: rw.learn(event, alpha=1.0, beta=ETA, initial=theirs, out=theirs),
        "widrow_hoff(out=), vectors in a dict": lambda: by_vectors("dict", in_dict),
        "widrow_hoff(out=), vectors in Weights": lambda: by_vectors("Weights", in_weights),
        "widrow_hoff(out=), normalized": lambda: by_vectors("normalized", in_dict, normalized=True),
    }
    medians = microseconds(calls, n)
    print(f"one trial on {n_cues:,} x {q} weights, {n} times, medians in microseconds")
    for name, median in medians.items():
        of_learn, of_numpy = median / medians["learn(out=)"], median / medians["numpy, the rows present"]
        print(f"  {name:38} {median:9.1f}   {of_learn:5.2f} x learn  {of_numpy:6.1f} x numpy")
    others = np.ones(n_cues, dtype=bool)
    others[rows] = False
    far = max(np.abs(mine[name].values - plain).max() for name in ("dict", "Weights"))
    kept = all((weights.values[others] == OTHER).all() for weights in mine.values())
    checksum = float(plain[rows].sum())
    print(f"  differ from numpy by {far:.1e} at most; other rows kept: {kept}; checksum {checksum:.6f}")
    return bool(far <= 1e-12 and kept)


SECTIONS = {"in_place": in_place}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--section", choices=SECTIONS, action="append")
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    chosen = arguments.section or list(SECTIONS)
    results = [SECTIONS[name](arguments.smoke) for name in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
