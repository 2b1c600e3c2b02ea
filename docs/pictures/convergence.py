"""The tables of howto/convergence.md: what `rescorla.convergence` foretells and what learning does.

Reads plurals.csv and think.csv, the data sets of R's ndl as write.csv(..., row.names=FALSE) writes them:

    python docs/pictures/convergence.py plurals.csv think.csv
"""

import csv
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import rescorla as rw
from numpy.typing import NDArray

# Levels of the factors of think that say that nothing is there.
NO_FEATURE = {"None", "Other", "Overt", "FiniteVerbChain", "Absent"}
ALPHA = 0.1


def plurals(path: str) -> rw.Events:
    """Word forms: each letter once is a cue."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return rw.read_events((list(row["WordForm"]), row["Outcomes"], int(row["Frequency"])) for row in rows)


def think(path: str) -> rw.Events:
    """Sentences with one of four verbs: 46 features of the context are cues, an event a sentence."""
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    first, last = header.index("Polarity"), header.index("CoordinatedVerb") + 1
    return rw.read_events(
        (
            [
                name + level
                for name, level in zip(header[first:last], row[first:last], strict=True)
                if level not in NO_FEATURE
            ],
            [row[header.index("Lexeme")]],
        )
        for row in rows
    )


def size(values: Any) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.square(values).mean()))


def foretold(events: rw.Events) -> None:
    """What convergence says, for several rates."""
    print(rw.convergence(events, alpha=ALPHA).summary())
    for beta in (0.01, 0.1, 1.0):
        found = rw.convergence(events, alpha=ALPHA, beta=beta)
        weights = found.equilibrium.values
        away = [
            np.linalg.norm(
                [found.mean_trajectory(passes * events.n_tokens, *pair) for pair in pairs(found)]
                - weights.reshape(-1)
            )
            / np.linalg.norm(weights)
            for passes in (1, 10, 100)
        ]
        print(
            f"beta {beta:g}: mean away after 1, 10, 100 passes {', '.join(f'{part:.2g}' for part in away)};"
            f" within 1 % after {found.passes(0.01):.3g} passes;"
            f" oscillation {size(found.oscillation()) / size(weights):.2g} of the weights"
            f" ({size(found.oscillation(method='small_rate')) / size(weights):.2g} for small rates)"
        )
    found = rw.convergence(events, alpha=ALPHA)
    lives = [(float(np.asarray(found.half_life(*pair))) / events.n_tokens, pair) for pair in pairs(found)]
    lives = sorted((life, pair) for life, pair in lives if np.isfinite(life))
    quartiles = np.percentile([life for life, _ in lives], [0, 25, 50, 75, 100])
    print("half-lives in passes, quartiles:", ", ".join(f"{life:.3g}" for life in quartiles))
    for life, (cue, outcome) in [*lives[:2], *lives[-2:]]:
        print(f"  {cue} -> {outcome}: {life:.3g}; equilibrium {found.equilibrium[cue, outcome]:.3f}")


def pairs(found: rw.Convergence[Any]) -> list[tuple[str, str]]:
    """All pairs of a cue and an outcome, row after row."""
    return [(cue, outcome) for cue in found.cues for outcome in found.outcomes]


def learned(events: rw.Events, tokens: rw.Events, tau: float = np.inf) -> Iterator[NDArray[np.float64]]:
    """Weights after each pass of n_tokens tokens, by a rate that falls as 1 / (1 + pass / tau)."""
    weights, m = None, events.n_tokens
    for number, start in enumerate(range(0, len(tokens), m)):
        beta = 0.1 / (1 + number / tau)
        weights = rw.learn(
            tokens[start : start + m], alpha=ALPHA, beta=beta, initial=weights, method="forward"
        )
        yield weights.values


def measured(events: rw.Events, n_passes: int, tau: float) -> None:
    """What learning does, at beta = 0.1."""
    found = rw.convergence(events, alpha=ALPHA)
    target = found.equilibrium.values
    whole = size(target)
    sample, passes = events.sample(n_passes * events.n_tokens, seed=1), events.passes(n_passes, seed=1)
    print(f"{n_passes} passes; foretold oscillation {size(found.oscillation()) / whole:.3g} of the weights")
    for name, tokens in (("with replacement", sample), ("shuffled passes", passes)):
        after = np.array(list(learned(events, tokens)))[n_passes // 10 :]
        print(
            f"{name}: away from the equilibrium {size(after - target) / whole:.3g}, their mean by "
            f"{size(after.mean(axis=0) - target) / whole:.2g}"
        )
    *_, last = learned(events, sample, tau)
    print(
        f"with replacement, falling rate (tau = {tau:g} passes): at the end {size(last - target) / whole:.2g}"
    )


if __name__ == "__main__":
    for events, n_passes, tau in ((plurals(sys.argv[1]), 2000, 50), (think(sys.argv[2]), 300, 5)):
        foretold(events)
        measured(events, n_passes, tau)
        print()
