"""One more trial on weights that are there, beside pyndl's `dict_ndl(inplace=True)`.

    python benches/in_place.py            # 852 cues x 357 outcomes, and larger weights for rescorla alone
    python benches/in_place.py --smoke    # a few trials: do the weights agree?

Both tools learn the same trials, one call each. `call` is the call alone, of events that are read already;
`with events` reads them as well. pyndl keeps its weights in dictionaries and takes lists. The exit status is
1 where the weights are not those of one call of `learn` with all trials, bit for bit, or pyndl's are further
away than 1e-12 of them.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import rescorla as rw

RULE: dict[str, Any] = {"alpha": 0.1, "beta": 0.1}
Trial = tuple[list[str], list[str]]


def trials(n: int, n_cues: int, n_outcomes: int) -> list[Trial]:
    """Made-up trials of four cues and an outcome."""
    rng = np.random.default_rng(1)
    return [
        ([f"c{i}" for i in rng.choice(n_cues, 4, replace=False)], [f"o{rng.integers(n_outcomes)}"])
        for _ in range(n)
    ]


def beginning(n_cues: int, n_outcomes: int) -> rw.Weights:
    """Weights of which none is zero."""
    values = np.random.default_rng(2).normal(scale=0.1, size=(n_cues, n_outcomes))
    return rw.Weights(values, [f"c{i}" for i in range(n_cues)], [f"o{j}" for j in range(n_outcomes)])


def milliseconds(call: Callable[[Any], object], each: Iterable[object]) -> float:
    """The median time of a call."""
    times = []
    for item in each:
        begun = time.perf_counter()
        call(item)
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1e3


def learn_in(weights: rw.Weights, events: rw.Events) -> None:
    """A call in place."""
    rw.learn(events, initial=weights, out=weights, **RULE)


def of_pyndl(weights: rw.Weights) -> Any:
    """The same weights as pyndl has them in memory."""
    from pyndl.ndl import WeightDict

    started = WeightDict()
    for j, outcome in enumerate(weights.outcomes):
        for i, cue in enumerate(weights.cues):
            started[outcome][cue] = float(weights.values[i, j])
    return started


def compare(n: int, n_cues: int, n_outcomes: int) -> bool:
    """Times of both tools, and whether their weights agree."""
    from pyndl import ndl

    learned, given = trials(n, n_cues, n_outcomes), beginning(n_cues, n_outcomes)
    whole = rw.learn(rw.read_events(learned), initial=given, method="forward", **RULE)
    mine, theirs = beginning(n_cues, n_outcomes), of_pyndl(given)
    events = [rw.read_events([trial]) for trial in learned]
    again = beginning(n_cues, n_outcomes)
    times = {
        "rescorla, in place, call": milliseconds(
            lambda event: rw.learn(event, initial=mine, out=mine, **RULE), events
        ),
        "rescorla, in place, with events": milliseconds(
            lambda trial: rw.learn(rw.read_events([trial]), initial=again, out=again, **RULE), learned
        ),
        "rescorla, into new weights, call": milliseconds(
            lambda event: rw.learn(event, initial=given, **RULE), events[:20]
        ),
        "pyndl, dict_ndl(inplace=True)": milliseconds(
            lambda trial: ndl.dict_ndl([trial], 0.1, (0.1, 0.1), weights=theirs, inplace=True), learned
        ),
    }
    print(f"one trial on {n_cues} x {n_outcomes} weights, {n} trials, medians in milliseconds")
    for name, time_of_it in times.items():
        print(f"  {name:34} {time_of_it:9.3f}")
    same = all(weights.values.tobytes() == whole.values.tobytes() for weights in (mine, again))
    far = max(
        abs(theirs[outcome][cue] - whole.values[i, j])
        for j, outcome in enumerate(whole.outcomes)
        for i, cue in enumerate(whole.cues)
    )
    print(f"  bits of one call with all trials: {same}; pyndl's weights differ by {far:.1e} at most")
    return same and far <= 1e-12


def alone(n: int, sizes: Sequence[tuple[int, int]]) -> None:
    """Times of larger weights: a trial costs what its rows cost."""
    for n_cues, n_outcomes in sizes:
        weights = rw.Weights(
            np.zeros((n_cues, n_outcomes)),
            [f"c{i}" for i in range(n_cues)],
            [f"o{j}" for j in range(n_outcomes)],
        )
        events = [rw.read_events([trial]) for trial in trials(n, n_cues, n_outcomes)]
        rw.learn(events[0], initial=weights, out=weights, **RULE)
        took = milliseconds(partial(learn_in, weights), events)
        print(f"  {n_cues:,} x {n_outcomes:,}, in place, call: {took:.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    n = 20 if arguments.smoke else 500
    agree = compare(n, 852, 357)
    alone(n, [(852, 10)] if arguments.smoke else [(852, 10), (10_000, 357), (100_000, 357), (4_613, 12_544)])
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
