"""Figure 1: learning curves of the Finnish verbs, and the equilibrium they tend to."""

from pathlib import Path

import numpy as np
import rescorla as rw

import think
from canvas import Numbers, Save, panels

RATES: Numbers = {"alpha": 0.1, "beta": 0.1}  # R ndl's defaults
SEEDS = range(1, 21)
SHOWN = (
    "AgentIndividual",
    "ClauseEquivalentClauseEquivalent",
    "PatientIndirectQuestion",
    "PatientActivity",
    "PatientDirectQuote",
    "MannerAgreement",
)


def study(folder: Path, save: Save | None = None) -> Numbers:
    """How near one pass, in either order, and ten passes come to the equilibrium."""
    events = think.events(think.read(folder))
    target = rw.equilibrium(events)
    orders = {
        "one pass in random order": events.shuffled(1),
        "one pass in file order": events,
        "ten passes in random order": events.passes(10, 1),
    }
    if save is not None:
        draw(orders, target, save)
    repeats = [after(events.shuffled(seed), target) for seed in SEEDS]
    accuracies = [after(ordered, target) for ordered in orders.values()]
    return {
        "n_events": len(events),
        "n_cues": events.n_cues,
        "equilibrium_accuracy": accuracy(events, target),
        "orders": dict(zip(orders, accuracies, strict=True)),
        "random_orders": {
            "n": len(repeats),
            "mean_distance": float(np.mean([repeat["distance"] for repeat in repeats])),
            "sd_distance": float(np.std([repeat["distance"] for repeat in repeats], ddof=1)),
        },
    }


def after(events: rw.Events, target: rw.Weights) -> Numbers:
    """Where learning in this order ends."""
    learned = aligned(rw.learn(events, **RATES), target)
    choices, ideal = (rw.activations(events, weights).argmax(axis=1) for weights in (learned, target))
    return {
        "distance": distance(learned, target),
        "correlation": float(np.corrcoef(learned.values.ravel(), target.values.ravel())[0, 1]),
        "same_choice": float(np.mean(choices == ideal)),
        "accuracy": accuracy(events, learned),
    }


def aligned(weights: rw.Weights, like: rw.Weights) -> rw.Weights:
    """The weights with the names in the order of others."""
    return weights[list(like.cues), list(like.outcomes)]


def distance(weights: rw.Weights, target: rw.Weights) -> float:
    """|W - W*| as a part of |W*|, in the Frobenius norm."""
    return float(np.linalg.norm(weights.values - target.values) / np.linalg.norm(target.values))


def accuracy(events: rw.Events, weights: rw.Weights) -> float:
    """How often the verb with the highest activation is the one that is there."""
    activations = rw.activations(events, weights, outcomes=events.outcomes)
    return float(np.mean(activations.argmax(axis=1) == events.outcome_matrix().toarray().argmax(axis=1)))


def draw(orders: dict[str, rw.Events], target: rw.Weights, save: Save) -> None:
    """A row for each verb, a column for each order."""
    figure, grid = panels(len(think.VERBS), len(orders), (9, 9.5), sharex="col", sharey=True)
    for column, (name, events) in enumerate(orders.items()):
        every = max(1, events.n_tokens // 200)
        recorded = rw.trajectories(events, cues=SHOWN, outcomes=think.VERBS, every=every, **RATES)
        for ax, verb in zip(grid[:, column], think.VERBS, strict=True):
            pairs = [(cue, verb) for cue in SHOWN]
            rw.plot.trajectories(recorded, pairs, equilibrium=target, legend=False, ax=ax)
            ax.label_outer()
            if ax is grid[0, column]:
                ax.set_title(name, fontsize=10)
            if column == 0:
                ax.set_ylabel(f"weight to {verb}")
    lines = [line for line in grid[0, 0].lines if not str(line.get_label()).startswith("_")]
    figure.legend(lines, SHOWN, loc="outside lower center", ncols=3, frameon=False)
    save(figure, "curves")
