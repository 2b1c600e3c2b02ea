"""Figure 2: English plurals, 200 passes, and what R's duplicated cue does.

R ndl 0.2.18 counts the s of l_a_s_s twice when it predicts, and updates it once. This is imitated here, in
plain Python, and nowhere in rescorla: there a cue that comes twice is dropped, or counted twice and updated
twice.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import rescorla as rw

from canvas import Numbers, Save, panels

RATES: Numbers = {"alpha": 0.1, "beta": 0.1}
PASSES = 200
LATE = 150  # Passes after which learning has arrived and only shakes.
EVERY = 100
OUTCOME = "PLURAL"
SEED = 1


def study(folder: Path, save: Save | None = None) -> Numbers:
    """Where 200 passes lead, with the duplicate dropped and with the quirk, and the fixed points of both."""
    words = read(folder)
    once, twice = rw.read_events(words), rw.read_events(words, duplicates="keep")
    # One order of the tokens for both.
    tokens = twice.passes(PASSES, SEED)
    pairs = [(cue, OUTCOME) for cue in once.cues]
    sound = rw.trajectories(rw.read_events(tokens), pairs, every=EVERY, **RATES)
    quirk = quirk_trajectories(tokens, once.cues)
    fixed = {
        "duplicates dropped": rw.equilibrium(once),
        "R's quirk": quirk_fixed_point(twice),
        "duplicates kept": rw.equilibrium(twice),
    }
    if save is not None:
        draw(sound, quirk, fixed, save)
    late = sound.tokens > LATE * once.n_tokens
    convergence = rw.convergence(once, **RATES, outcomes=[OUTCOME])
    return {
        "n_tokens": once.n_tokens,
        "passes": PASSES,
        "late": LATE,
        "fixed_points": {
            name: {cue: weights[cue, OUTCOME] for cue in once.cues} for name, weights in fixed.items()
        },
        "late_means": {
            name: {cue: float(recorded[cue, OUTCOME][late].mean()) for cue in once.cues}
            for name, recorded in (("duplicates dropped", sound), ("R's quirk", quirk))
        },
        "late_sd": {cue: float(sound[cue, OUTCOME][late].std()) for cue in once.cues},
        "oscillation": {cue: float(convergence.oscillation(cue, OUTCOME)) for cue in once.cues},
    }


def read(folder: Path) -> list[tuple[list[str], str, int]]:
    """The letters, the outcomes and the frequency of each word form."""
    with (folder / "plurals.csv").open(encoding="utf-8", newline="") as file:
        return [
            (list(row["WordForm"]), row["Outcomes"], int(row["Frequency"])) for row in csv.DictReader(file)
        ]


def quirk_trajectories(events: rw.Events, cues: tuple[str, ...]) -> rw.Trajectories:
    """What the quirk learns, as `rescorla.trajectories` records it."""
    values = np.array(list(quirky(events, cues)))
    tokens = EVERY * np.arange(len(values))
    pairs = tuple((cue, OUTCOME) for cue in cues)
    return rw.Trajectories(tokens, values, pairs, cues, (OUTCOME,), {"rule": "R's quirk"})


def quirky(events: rw.Events, cues: tuple[str, ...]) -> Iterator[list[float]]:
    """The weights to the outcome after every `EVERY` tokens: all cues predict, each is updated once."""
    weights = dict.fromkeys(cues, 0.0)
    yield list(weights.values())
    token = 0
    for event in events:
        for _ in range(event.frequency):
            activation = 0.0
            for cue in event.cues:
                activation += weights[cue]
            error = (1.0 if OUTCOME in event.outcomes else 0.0) - activation
            for cue in set(event.cues):
                weights[cue] += RATES["alpha"] * RATES["beta"] * error
            token += 1
            if token % EVERY == 0:
                yield list(weights.values())


def quirk_fixed_point(events: rw.Events) -> rw.Weights:
    """Where the quirk's mean update is zero: (B'F C) W = B'F O, B being C with no number above 1."""
    predicts = events.cue_matrix().toarray()
    updated = np.minimum(predicts, 1) * events.frequencies[:, None]
    values = np.linalg.solve(updated.T @ predicts, updated.T @ events.outcome_matrix().toarray())
    return rw.Weights(values, events.cues, events.outcomes)


def draw(sound: rw.Trajectories, quirk: rw.Trajectories, fixed: dict[str, rw.Weights], save: Save) -> None:
    """Both learners beside each other, each with its own fixed point."""
    figure, grid = panels(1, 2, (9, 3.8), sharey=True)
    for ax, name, recorded in zip(grid[0], ("duplicates dropped", "R's quirk"), (sound, quirk), strict=True):
        rw.plot.trajectories(recorded, equilibrium=fixed[name], legend=False, ax=ax)
        ax.set_title(name, fontsize=10)
        ax.label_outer()
    grid[0, 0].set_ylabel("weight to PLURAL")
    lines = grid[0, 0].lines[::2]
    figure.legend(lines, sound.cues, loc="outside right upper", frameon=False)
    save(figure, "plurals")
