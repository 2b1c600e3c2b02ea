"""What the paper leaves open: which weights come near the equilibrium, how fast, how shakily."""

from pathlib import Path
from typing import Any

import numpy as np
import rescorla as rw
from numpy.typing import NDArray

import plurals
import think
from canvas import Numbers, Save, panels, plain
from curves import aligned, distance
from logistic import rank_correlation

ALPHA, BETA = 0.1, 0.1
TOLERANCES = (0.1, 0.01)
LONG = 2_000_000  # Tokens, long enough to see the oscillation of plurals.
SEED = 1
RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200)
NAMED = {
    "PersonThird": (6, -3),
    "AgentIndividual": (6, 3),
    "MoodIndicative": (6, 4),
    "PatientEvent": (-3, -12),
    "PatientIndirectQuestion": (-88, -12),
}
PAIRS = (0.025, 0.05, 0.1, 0.2)

SCHEDULES: dict[str, Numbers] = {
    "beta .1": {"beta": 0.1},
    "beta .01": {"beta": 0.01},
    "beta 1 / (1 + t / m)": {"beta": 1.0, "tau": 1},
    "beta .1 / (1 + t / 10 m)": {"beta": 0.1, "tau": 10},
    "beta .1, averaged": {"beta": 0.1, "average": True},
}


def study(folder: Path, save: Save | None = None) -> Numbers:
    """Spectra, half-lives, oscillation and schedules."""
    finnish = think.events(think.read(folder))
    english = rw.read_events(plurals.read(folder))
    convergences = {"THINK": of(finnish), "plurals": of(english)}
    distances = {name: scheduled(finnish, **choices) for name, choices in SCHEDULES.items()}
    if save is not None:
        draw_speed(finnish, convergences["THINK"], save)
        draw_schedules(finnish, distances, save)
    return {
        "alpha": ALPHA,
        "beta": BETA,
        "data": {
            name: described(events, convergences[name])
            for name, events in (("THINK", finnish), ("plurals", english))
        },
        "cues": by_cue(finnish, convergences["THINK"]),
        "rates": [traded(finnish, beta) for beta in RATES],
        "lengths": LENGTHS,
        "schedules": distances,
        "pairs_of_rates": [paired(finnish, beta2) for beta2 in PAIRS],
    }


def of(events: rw.Events, beta: float | tuple[float, float] = BETA) -> rw.Convergence[Any]:
    """Convergence at the salience of this page."""
    return rw.convergence(events, alpha=ALPHA, beta=beta)


def described(events: rw.Events, convergence: rw.Convergence[Any]) -> Numbers:
    """How fast and how shakily everything is learned."""
    tokens, target = events.n_tokens, convergence.equilibrium
    directions = np.asarray(convergence.half_life())
    directions = directions[np.isfinite(directions)]
    pairs = half_lives(convergence)
    pairs = pairs[np.isfinite(pairs)]  # Where the equilibrium is zero there is no way to go.
    shaking = np.asarray(convergence.oscillation())
    return {
        "n_tokens": tokens,
        "n_cues": events.n_cues,
        "n_pairs": pairs.size,
        "safe_rate": float(convergence.safe_rate),
        "mean_square_rate": float(convergence.mean_square_rate),
        "mean_rate": float(convergence.mean_rate),
        "fastest_direction": float(directions.min()),
        "slowest_direction": float(directions.max()),
        "slowest_direction_passes": float(directions.max()) / tokens,
        "directions_within_a_pass": int(np.sum(directions < tokens)),
        "median_pair": float(np.median(pairs)) / tokens,
        "pairs_within_a_pass": int(np.sum(pairs < tokens)),
        "slowest_pair_passes": float(pairs.max()) / tokens,
        "passes": {str(tolerance): float(convergence.passes(tolerance)) for tolerance in TOLERANCES},
        "oscillation": relative(shaking, target),
        # Where neither is more than rounding nothing drowns.
        "pairs_drowned": int(np.sum(shaking > np.maximum(np.abs(target.values), 1e-9))),
        "oscillation_measured": measured(events, convergence),
    }


def half_lives(convergence: rw.Convergence[Any]) -> NDArray[np.float64]:
    """The tokens in which the expected weight of each pair comes half its way, for good."""
    target = convergence.equilibrium
    return np.array(
        [[convergence.half_life(cue, outcome) for outcome in target.outcomes] for cue in target.cues]
    )


def relative(values: NDArray[np.float64], target: rw.Weights) -> float:
    """The norm as a part of that of the equilibrium."""
    return float(np.linalg.norm(values) / np.linalg.norm(target.values))


def measured(events: rw.Events, convergence: rw.Convergence[Any]) -> float:
    """The oscillation of tokens drawn with replacement, long after the beginning, in the same unit."""
    target = convergence.equilibrium
    late = np.linspace(LONG / 4, LONG, 3000).astype(np.int64)
    recorded = rw.trajectories(
        events.sample(LONG, SEED),
        cues=target.cues,
        outcomes=target.outcomes,
        at=late,
        alpha=ALPHA,
        beta=BETA,
    )
    return relative(np.sqrt(np.mean((recorded.values - target.values) ** 2, axis=0)), target)


def own(events: rw.Events) -> NDArray[np.float64]:
    """The sentences of its own of each cue: what its presence has that the other cues do not foretell.

    The residual sum of squares of the cue regressed on the others, 1 / ((C'C)^-1)_ii: its count, if it never
    comes together with others; 0 if they tell whether it is there.
    """
    counts = (events.cue_matrix().T @ events.cue_matrix()).toarray()
    return np.asarray(1 / np.diag(np.linalg.inv(counts)))


def still_to_go(events: rw.Events, convergence: rw.Convergence[Any]) -> NDArray[np.float64]:
    """How far the expected weights of each cue are from the equilibrium after one pass, over the outcomes."""
    target = convergence.equilibrium
    expected = np.array(
        [
            [float(convergence.mean_trajectory(events.n_tokens, cue, outcome)) for outcome in target.outcomes]
            for cue in target.cues
        ]
    )
    distances = np.linalg.norm(expected - target.values, axis=1)
    return np.asarray(distances / np.linalg.norm(target.values, axis=1))


def by_cue(events: rw.Events, convergence: rw.Convergence[Any]) -> Numbers:
    """Which cues arrive, over the verbs: by their frequency, and by how much of it is their own."""
    going, alone = still_to_go(events, convergence), own(events)
    shaking, target = np.asarray(convergence.oscillation()), convergence.equilibrium.values
    rows = {
        cue: {
            "count": int(events.cue_counts[place]),
            "own": float(alone[place]),
            "to_go": float(going[place]),
            "weight": rms(target[place]),
            "oscillation": rms(shaking[place]),
        }
        for place, cue in enumerate(events.cues)
    }
    return {
        "cues": {cue: rows[cue] for cue in sorted(rows, key=lambda cue: rows[cue]["to_go"])},
        "rank_with_count": rank_correlation(going, events.cue_counts.astype(np.float64)),
        "rank_with_own": rank_correlation(going, alone),
    }


def rms(values: NDArray[np.float64]) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))


def traded(events: rw.Events, beta: float) -> Numbers:
    """What a rate gains in speed and loses in rest."""
    convergence = of(events, beta)
    return {
        "beta": beta,
        "passes": float(convergence.passes(0.1)),
        "oscillation": relative(np.asarray(convergence.oscillation()), convergence.equilibrium),
        "measured": scheduled(events, beta=beta),
    }


def scheduled(
    events: rw.Events, *, beta: float, tau: float | None = None, average: bool = False
) -> list[float]:
    """The distance from the equilibrium after each of `LENGTHS` passes in random order; tau is in passes."""
    target = rw.equilibrium(events)
    schedule = None if tau is None else rw.schedules.inverse_time(tau * events.n_tokens)
    if average:
        means = (
            rw.learn(events.passes(n, SEED), alpha=ALPHA, beta=beta, average=True, schedule=schedule)
            for n in LENGTHS
        )
        return [distance(aligned(mean, target), target) for mean in means]
    at = np.array(LENGTHS) * events.n_tokens
    recorded = rw.trajectories(
        events.passes(LENGTHS[-1], SEED),
        cues=target.cues,
        outcomes=target.outcomes,
        at=at,
        alpha=ALPHA,
        beta=beta,
        schedule=schedule,
    )
    return [relative(values - target.values, target) for values in recorded.values]


def paired(events: rw.Events, beta2: float) -> Numbers:
    """Where learning goes when absent outcomes are learned at another rate than present ones."""
    ideal, moved = rw.equilibrium(events), rw.equilibrium(events, beta=(BETA, beta2))
    choices, others = (rw.activations(events, weights).argmax(axis=1) for weights in (ideal, moved))
    present = events.outcome_matrix().toarray().argmax(axis=1)
    return {
        "beta2": beta2,
        "distance": distance(moved, ideal),
        "same_choice": float(np.mean(choices == others)),
        "accuracy": float(np.mean(others == present)),
    }


def draw_speed(events: rw.Events, convergence: rw.Convergence[Any], save: Save) -> None:
    """The half-life of every direction, and how far every cue still has to go after one pass."""
    figure, ((left, right),) = panels(1, 2, (9, 3.8))
    rw.plot.spectrum(convergence, show="half_lives", ax=left)
    left.axhline(events.n_tokens, color="0.6", linewidth=0.8, linestyle="--")
    left.annotate("one pass", (1, events.n_tokens), xytext=(0, 3), textcoords="offset points", color="0.4")
    going, alone = still_to_go(events, convergence), own(events)
    shares = alone / events.cue_counts
    dots = right.scatter(alone, going, c=shares, cmap="cividis", vmin=0, vmax=1, s=18)
    for cue, (x, y) in NAMED.items():
        place = events.cues.index(cue)
        right.annotate(
            cue,
            (alone[place], going[place]),
            xytext=(x, y),
            textcoords="offset points",
            fontsize=8,
            color="0.3",
        )
    right.set(
        xscale="log",
        xlabel="sentences of its own",
        ylabel="still to go after one pass",
        ylim=(-0.1, None),
        xlim=(22, 600),
    )
    right.set_xticks([30, 100, 300], ["30", "100", "300"])
    right.minorticks_off()
    plain(right)
    figure.colorbar(dots, ax=right, label="its own as a part of its sentences")
    save(figure, "speed")


def draw_schedules(events: rw.Events, distances: dict[str, list[float]], save: Save) -> None:
    """The distance from the equilibrium, pass by pass."""
    figure, ((ax,),) = panels(1, 1, (6, 4))
    for (name, values), mark in zip(distances.items(), "osD^v", strict=True):
        ax.loglog(LENGTHS, values, f"{mark}-", markersize=4, linewidth=1.2, label=name)
    ax.set(xlabel="passes", ylabel="distance from the equilibrium")
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    plain(ax)
    save(figure, "schedules")
