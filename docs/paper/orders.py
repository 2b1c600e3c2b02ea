"""Orders of the tokens: shuffled as a whole, pass by pass, the file's own; the pairs that the paper names."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import rescorla as rw
from scipy.stats import t

import plurals
import speed
import think
from canvas import Numbers, Save
from curves import RATES, aligned, distance

SEEDS = range(1, 21)
REPEATS = 10
PAIRS = (
    ("AgentGroup", "pohtia"),
    ("AgentIndividual", "pohtia"),
    ("PatientInfinitive", "ajatella"),
    ("PatientDirectQuote", "ajatella"),
)
FAR = 3  # Standard deviations between the file's order and random orders.
LETTER, WORD = "s", "as"


def study(folder: Path, save: Save | None = None) -> Numbers:
    """Distances after each kind of order; half-lives of the named pairs; what the file's order changes."""
    finnish = think.events(think.read(folder))
    english = rw.read_events(plurals.read(folder))
    return {
        "n": len(SEEDS),
        "repeated": {
            "THINK": {"passes": REPEATS, **repeated(finnish, REPEATS)},
            "plurals": {"passes": plurals.PASSES, **repeated(english, plurals.PASSES)},
        },
        "pairs": [pair(finnish, *names) for names in PAIRS],
        "file": file_order(finnish),
        "letter": letter(folder, english),
    }


def repeated(events: rw.Events, n: int) -> Numbers:
    """All tokens n times over: shuffled as a whole, or pass by pass."""
    return {
        "shuffled": distances(events, lambda seed: events.passes(n).shuffled(seed)),
        "permutations": distances(events, lambda seed: events.passes(n, seed)),
    }


def distances(events: rw.Events, order: Callable[[int], rw.Events]) -> Numbers:
    """The least, the mean and the largest distance from the equilibrium over the seeds."""
    target = rw.equilibrium(events)
    found = [distance(aligned(rw.learn(order(seed), **RATES), target), target) for seed in SEEDS]
    return {"least": min(found), "mean": float(np.mean(found)), "largest": max(found)}


def pair(events: rw.Events, cue: str, outcome: str) -> Numbers:
    """How fast one weight is learned."""
    convergence = speed.of(events)
    target = convergence.equilibrium[cue, outcome]
    expected = float(convergence.mean_trajectory(events.n_tokens, cue, outcome))
    return {
        "cue": cue,
        "outcome": outcome,
        "half_life": float(convergence.half_life(cue, outcome)) / events.n_tokens,
        "equilibrium": target,
        "expected": expected,
        "oscillation": float(convergence.oscillation(cue, outcome)),
    }


def file_order(events: rw.Events) -> Numbers:
    """How many weights one pass in the file's order puts beyond what random orders do."""
    target = rw.equilibrium(events)
    learned = [aligned(rw.learn(events.shuffled(seed), **RATES), target).values for seed in SEEDS]
    deviations = aligned(rw.learn(events, **RATES), target).values - np.mean(learned, axis=0)
    deviations = np.abs(deviations / np.std(learned, axis=0, ddof=1))
    far = np.argwhere(deviations > FAR)
    # What one more random order would do: Student's t, for mean and standard deviation are estimated.
    n = len(SEEDS)
    chance = 2 * float(t.sf(FAR / np.sqrt(1 + 1 / n), n - 1))
    return {
        "far": len(far),
        "n_pairs": deviations.size,
        "far_by_chance": chance * deviations.size,
        "largest": float(deviations.max()),
        "pairs": [f"{target.cues[cue]} to {target.outcomes[outcome]}" for cue, outcome in far],
    }


def letter(folder: Path, english: rw.Events) -> Numbers:
    """The weight of one letter to one word at the equilibrium, and with R's duplicated cue."""
    twice = rw.read_events(plurals.read(folder), duplicates="keep")
    return {
        "equilibrium": rw.equilibrium(english)[LETTER, WORD],
        "quirk": plurals.quirk_fixed_point(twice)[LETTER, WORD],
    }
