"""What each event did to a weight, beside learning a column and a row, and beside learning again.

    python benches/influence.py --text kjv.txt    # trigrams of the words of a text
    python benches/influence.py --smoke           # small: are effects those of learning again?

Times are medians of processor time, one thread, the calls in turns: `influence` of one pair, with all rows
and with the 20 of the greatest effects, and of 16 pairs; `sensitivity` of one pair; `learn` of one column by
the forward method, and of one row by the adjoint method. "ratio" is `influence` of one pair over these two
together. To learn again without each row takes as many columns as there are rows. The exit status is 1 where
contributions do not sum to the weight, or where the effect of a row is not that of learning again, each to
1e-11.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import rescorla as rw
from numpy.typing import NDArray

LINE = "the king of the kings and the kingdom of a king is king of all kin and kind to the kine"


def checked(events: rw.Events, cue: str, outcome: str, rows: int) -> bool:
    """Whether contributions sum to the weight, and effects of some rows are those of learning again."""
    found = rw.influence(events, cue, outcome, progress=False)
    learn: dict[str, Any] = {"outcomes": [outcome], "progress": False}
    weight = rw.learn(events, **learn)[cue, outcome]
    agree = abs(found.contributions.sum() - weight) <= 1e-11
    for row, effect, _, event in found.top(rows):
        token = int(events.frequencies[:row].sum())

        def absent(
            tokens: NDArray[np.int64], first: int = token, end: int = token + event.frequency
        ) -> NDArray[np.float64]:
            return np.where((tokens > first) & (tokens <= end), 0.0, 1.0)

        without = rw.learn(events, schedule=absent, **learn)[cue, outcome]
        agree &= abs(without - weight - effect) <= 1e-11
    return bool(agree)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", help="a text file")
    parser.add_argument("--cue", default="#ki")
    parser.add_argument("--outcome", default="king")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--smoke", action="store_true", help="small")
    options = parser.parse_args()
    if not options.smoke and options.text is None:
        parser.error("--text names a file, or --smoke needs none")
    source = [LINE] * 20 if options.text is None else options.text
    events = rw.corpus_events(source, symbols="a-z", progress=False)
    cue, outcome, turns = options.cue, options.outcome, 1 if options.smoke else options.turns
    some = list(zip(events.cues[:16], events.outcomes[:16], strict=False))
    quiet: dict[str, Any] = {"progress": False}
    one: dict[str, Any] = {**quiet, "threads": 1}
    calls: dict[str, Callable[[], object]] = {
        "influence of a pair": lambda: rw.influence(events, cue, outcome, **quiet),
        "the same, n=20": lambda: rw.influence(events, cue, outcome, n=20, **quiet),
        f"influence of {len(some)} pairs": lambda: rw.influence(events, pairs=some, **quiet),
        "sensitivity of a pair": lambda: rw.sensitivity(events, cue, outcome, **quiet),
        "a column, forward": lambda: rw.learn(events, outcomes=[outcome], method="forward", **one),
        "a row, adjoint": lambda: rw.learn(events, cues=[cue], method="adjoint", **one),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            begun = time.process_time()
            call()
            times[name].append(time.process_time() - begun)
    medians = {name: statistics.median(each) for name, each in times.items()}
    print(f"{len(events):,} events, {len(events.cues):,} cues, {len(events.outcomes):,} outcomes")
    for name, seconds in medians.items():
        print(f"{name:24} {seconds * 1000:8.1f} ms")
    both = medians["a column, forward"] + medians["a row, adjoint"]
    print(f"ratio {medians['influence of a pair'] / both:.2f}")
    again = len(events) * medians["a column, forward"]
    print(
        f"learning again without each row: {again:,.0f} s, "
        f"{again / medians['influence of a pair']:,.0f} times as long"
    )
    agree = checked(events, cue, outcome, 3)
    print("contributions and effects are those of learning again" if agree else "DIFFERENT")
    return int(not agree)


if __name__ == "__main__":
    sys.exit(main())
