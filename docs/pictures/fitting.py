"""Draws the picture of howto/fitting.md: `python docs/pictures/fitting.py` (needs matplotlib)."""

import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import rescorla as rw
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import NDArray

HERE = Path(__file__).parent
MEALS = [
    (["shrimp"], "allergy"),
    (["cheese"], "well"),
    (["shrimp", "rice"], "allergy"),
    (["cheese", "nuts"], "well"),
]
CHOICES = ["allergy", "well"]
N_PEOPLE, N_TRIALS = 40, [20, 40, 80, 160]
BLUE, ORANGE = "#1f6f9f", "#e08a3c"


def simulated(n: int, seed: int) -> tuple[dict[str, list[Any]], NDArray[np.float64]]:
    """The trials and choices of people, and their learning rates."""
    random = np.random.default_rng(seed)
    people = np.repeat(np.arange(N_PEOPLE), n)
    meals = [MEALS[meal] for meal in random.integers(0, len(MEALS), len(people))]
    table: dict[str, list[Any]] = {
        "who": people.tolist(),
        "cues": [cues for cues, _ in meals],
        "outcomes": [CHOICES[(outcome == "well") ^ (random.random() < 0.2)] for _, outcome in meals],
    }
    rates = 0.1 * np.exp(random.normal(0, 0.5, N_PEOPLE))
    how: dict[str, Any] = {"by": "who", "choices": CHOICES, "alpha": 1.0, "record": ["choices"]}
    trials = rw.learn_each(table, beta=dict(enumerate(rates)), **how)
    p = 1 / (1 + np.exp(-4 * (trials["activation_allergy"] - trials["activation_well"])))
    table["choice"] = np.where(random.random(len(p)) < p, *CHOICES).tolist()
    return table, rates


def fitted(table: dict[str, list[Any]], pooling: Any) -> rw.Fit:
    """With bounds on the rate: a person alone may look like one who learns all at once, or nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rw.fit_each(
            table,
            by="who",
            response="choice",
            choices=CHOICES,
            pooling=pooling,
            bounds={"beta": (0.005, 2.0)},
        )


def rates_of(fit: rw.Fit) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimates and standard errors of the learning rates."""
    own = fit.parameters["name"] == "beta"
    return fit.parameters["estimate"][own], fit.parameters["standard_error"][own]


def main() -> None:
    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 9, "savefig.facecolor": "white"})
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.1), layout="constrained")
    table, rates = simulated(80, 1)
    fit = fitted(table, "hierarchical")
    found, errors = rates_of(fit)
    by = np.exp(1.96 * errors / found)
    ax = axes[0]
    ax.vlines(rates, found / by, found * by, color=BLUE, alpha=0.35, lw=1)
    ax.plot(rates, found, "o", color=BLUE, ms=3)
    ax.plot([0.02, 0.5], [0.02, 0.5], color="0.6", lw=0.8, zorder=0)
    ax.set(xscale="log", yscale="log", xlabel="true learning rate", ylabel="found, 80 trials each")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(FixedLocator([0.03, 0.1, 0.3]))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_locator(NullLocator())

    ax = axes[1]
    predictions = fit.predictions
    # Persons x blocks of 5 trials; "right" is what the meal mostly causes.
    usual = np.array(["allergy" if "shrimp" in cues else "well" for cues in table["cues"]])
    p = np.where(usual == "allergy", predictions["p_allergy"], predictions["p_well"])
    predicted, observed = (
        each.reshape(N_PEOPLE, -1, 5).mean(axis=2) for each in (p, np.array(table["choice"]) == usual)
    )
    middles = np.arange(3, 81, 5)
    lines = ax.plot(middles, predicted.T, color=BLUE, alpha=0.2, lw=0.8)
    lines[0].set_label("predicted, each person")
    ax.plot(middles, predicted.mean(axis=0), color=BLUE, lw=2.5, label="predicted, group")
    ax.plot(middles, observed.mean(axis=0), "o", color="0.2", ms=4, label="observed, group")
    ax.set(xlabel="trial", ylabel="right choices, blocks of 5 trials", ylim=(0.2, 1.0))
    ax.legend(loc="lower right", edgecolor="none", framealpha=0.85)

    ax = axes[2]
    for pooling, colour in (("none", ORANGE), ("hierarchical", BLUE)):
        apart = []
        for n in N_TRIALS:
            logs = [
                (rates_of(fitted(each, pooling))[0], true)
                for each, true in (simulated(n, s) for s in (2, 3, 4))
            ]
            apart.append(np.sqrt(np.mean([(np.log(own) - np.log(true)) ** 2 for own, true in logs])))
        ax.plot(N_TRIALS, apart, "o-", color=colour, ms=4, label=pooling)
        print(pooling, dict(zip(N_TRIALS, np.round(apart, 2).tolist(), strict=True)))
    ax.axhline(0.5, color="0.6", lw=0.8, ls="--")
    ax.annotate(
        "spread of people", (N_TRIALS[0], 0.5), xytext=(0, -11), textcoords="offset points", color="0.4"
    )
    ax.set(
        xscale="log",
        xticks=N_TRIALS,
        xlabel="trials of each person",
        ylabel="error of log beta (root mean square)",
    )
    ax.set_xticks([], minor=True)
    ax.set_xticklabels([str(n) for n in N_TRIALS])
    ax.set_ylim(0, None)
    ax.legend(frameon=False, title="pooling")
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "fitting.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
