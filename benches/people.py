"""Learning person by person, beside a loop of numpy on the rows that a person touches.

    python benches/people.py                                # 10,000 persons, 1,000 trials each
    python benches/people.py --persons 100 --threads 1
    python benches/people.py --smoke                        # small: do the predictions agree?

Every person begins with the same weights. A trial has seven of the cues and one outcome, all drawn at random:

vectors: weights of 4,000 cues x 300 numbers; recorded are the size of the prediction, its squared error and
its correlation with the outcome's vector.
names: weights of 4,613 cues x 2,000 outcomes; recorded is the activation of the outcome. The loop learns the
rows to all outcomes; beside it is a loop that first picks the columns of the person's own outcomes.
ranks: as vectors, of 20 persons alone, with the rank among 4,000 vectors.

Times are those of `learn_each` without reading the table, which is told apart, and of the loop for some
persons, one thread; both take turns. "copied" says how many bytes of weights a second is copied: of numpy, as
a yardstick. The exit status is 1 where a prediction is further from the loop's than 1e-10.
"""

import argparse
import resource
import statistics
import sys
import time
from typing import Any, NamedTuple

import numpy as np
import rescorla as rw
import rescorla._core as _core
from numpy.typing import NDArray

ETA, K = 0.01, 7


class Task(NamedTuple):
    """Persons, their trials, and the weights that they begin with."""

    weights: rw.Weights
    vectors: rw.Weights | None
    cues: NDArray[np.int64]
    outcomes: NDArray[np.int64]
    trials: int

    @property
    def table(self) -> dict[str, Any]:
        names, outcomes = self.weights.cues, self.outcome_names
        return {
            "who": np.repeat(np.arange(len(self.cues) // self.trials), self.trials),
            "cues": [[names[cue] for cue in row] for row in self.cues.tolist()],
            "outcomes": [[outcomes[outcome]] for outcome in self.outcomes.tolist()],
        }

    @property
    def outcome_names(self) -> tuple[str, ...]:
        return self.weights.outcomes if self.vectors is None else self.vectors.cues


def drawn(persons: int, trials: int, shape: tuple[int, int], *, vectors: bool) -> Task:
    """Random trials, no cue twice in one."""
    random = np.random.default_rng(1)
    n_cues, q = shape
    columns = [f"{'z' if vectors else 'o'}{i}" for i in range(q)]
    weights = rw.Weights(random.normal(0, 0.01, shape), [f"c{i}" for i in range(n_cues)], columns)
    table = None
    if vectors:
        table = rw.Weights(random.normal(size=shape), [f"o{i}" for i in range(n_cues)], columns)
    n = persons * trials
    # Distances between cues are above 0, so that none comes twice.
    steps = random.integers(1, n_cues // K, (n, K)).cumsum(axis=1)
    cues = (steps + random.integers(0, n_cues, (n, 1))) % n_cues
    return Task(weights, table, cues, random.integers(0, n_cues if vectors else q, n), trials)


def by_numpy(task: Task, person: int, picks: bool = False) -> tuple[NDArray[np.float64], float]:
    """What a loop records of a person, and its seconds for a trial."""
    rows = slice(person * task.trials, (person + 1) * task.trials)
    cues, outcomes = task.cues[rows], task.outcomes[rows]
    begun = time.perf_counter()
    touched, places = np.unique(cues, return_inverse=True)
    places = places.reshape(cues.shape)
    recorded = np.zeros((task.trials, 3))
    if task.vectors is not None:
        local, table = task.weights.values[touched], task.vectors.values
        for trial, (row, outcome) in enumerate(zip(places, outcomes.tolist(), strict=True)):
            a, z = local[row].sum(axis=0), table[outcome]
            error, p, t = z - a, a - a.mean(), z - z.mean()
            recorded[trial] = np.sqrt(a @ a), error @ error, (p @ t) / np.sqrt((p @ p) * (t @ t))
            local[row] += ETA * error
    else:
        if picks:
            columns, own = np.unique(outcomes, return_inverse=True)
            local = task.weights.values[np.ix_(touched, columns)]
        else:
            own, local = outcomes, task.weights.values[touched]
        for trial, (row, j) in enumerate(zip(places, own.tolist(), strict=True)):
            error = -local[row].sum(axis=0)
            recorded[trial] = -error[j]
            error[j] += 1.0
            local[row] += ETA * error
    return recorded, (time.perf_counter() - begun) / task.trials


def compared(name: str, task: Task, record: list[str], threads: int, turns: int) -> bool:
    """Prints times and ratios, and returns whether the predictions agree."""
    table, n = task.table, len(task.cues)
    engine, seconds = _core.learn_each, [0.0]

    def timed(*arguments: Any, **keywords: Any) -> None:
        begun = time.perf_counter()
        engine(*arguments, **keywords)
        seconds[0] = time.perf_counter() - begun

    how: dict[str, Any] = {"by": "who", "alpha": 1.0, "beta": ETA, "initial": task.weights, "record": record}
    if task.vectors is not None:
        how["outcome_vectors"] = task.vectors
    ours: dict[int, list[float]] = {1: [], threads: []}
    theirs: list[float] = []
    whole, agree = 0.0, True
    _core.learn_each = timed
    try:
        for person in range(turns):
            for n_threads in sorted(ours):
                begun = time.perf_counter()
                found = rw.learn_each(table, threads=n_threads, **how)
                whole = time.perf_counter() - begun
                ours[n_threads].append(seconds[0] / n)
            wanted, each = by_numpy(task, person)
            theirs.append(each)
            rows = slice(person * task.trials, (person + 1) * task.trials)
            for column, kind in enumerate(record[:3]):
                agree &= bool(np.allclose(found[kind][rows], wanted[:, column], rtol=0, atol=1e-10))
    finally:
        _core.learn_each = engine
    loop = statistics.median(theirs)
    picked = (
        "" if task.vectors is not None else f" ({by_numpy(task, 0, True)[1] * 1e6:.2f} on picked columns)"
    )
    print(f"{name}: {n:,} trials; numpy {loop * 1e6:.2f} us a trial{picked}")
    for n_threads, times in sorted(ours.items()):
        found_one = statistics.median(times)
        print(
            f"  threads={n_threads}: {found_one * 1e6:.2f} us a trial, {found_one * n:.1f} s in all, "
            f"{loop / found_one:.1f} times the loop ({loop / found_one / n_threads:.1f} a thread)"
        )
    print(f"  with reading the table: {whole:.1f} s; {'the same' if agree else 'DIFFERENT'} predictions")
    return agree


def copied(values: NDArray[np.float64]) -> float:
    """Bytes a second of a copy by numpy."""
    begun = time.perf_counter()
    for _ in range(3):
        values.copy()
    return 3 * values.nbytes / (time.perf_counter() - begun)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--persons", type=int, default=10_000)
    parser.add_argument("--trials", type=int, default=1_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="small")
    options = parser.parse_args()
    shapes, persons, trials = [(4_000, 300), (4_613, 2_000)], options.persons, options.trials
    if options.smoke:
        shapes, persons, trials = [(400, 30), (460, 50)], 8, 50
    vectors = ["norm", "squared_error", "correlation"]
    agree = [
        compared(
            "vectors",
            drawn(persons, trials, shapes[0], vectors=True),
            vectors,
            options.threads,
            options.turns,
        )
    ]
    names = drawn(persons, trials, shapes[1], vectors=False)
    agree.append(compared("names", names, ["activation"], options.threads, options.turns))
    ranked = drawn(min(persons, 20), trials, shapes[0], vectors=True)
    agree.append(compared("ranks", ranked, [*vectors, "rank"], options.threads, 1))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"a copy by numpy: {copied(names.weights.values) / 1e9:.1f} GB/s; peak memory {peak:,.0f} MB")
    return int(not all(agree))


if __name__ == "__main__":
    sys.exit(main())
