"""Draws blocking.svg: `python docs/pictures/blocking.py` (needs matplotlib).

Kamin's blocking experiment: a light is followed by a shock; then light and tone together are. The tone learns
next to nothing, for the light predicts the shock already. Without the first phase both learn alike.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import rescorla as rw

TRIALS = 40


def weights_by_trial(trials: list[tuple[str, str]]) -> dict[str, list[float]]:
    """The weights of light and tone to shock after every trial, learned one trial after the other."""
    weights = rw.learn(rw.read_events([("light_tone", "shock", 0)]))
    curves: dict[str, list[float]] = {"light": [0.0], "tone": [0.0]}
    for trial in trials:
        weights = rw.learn(rw.read_events([trial]), alpha=0.3, beta=0.3, initial=weights)
        for cue, curve in curves.items():
            curve.append(weights[cue, "shock"])
    return curves


def main() -> None:
    both = [("light_tone", "shock")] * TRIALS
    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 9})
    figure, axes = plt.subplots(1, 2, figsize=(8, 2.8), sharey=True, layout="constrained")
    panels = {
        "light, then light and tone: the tone is blocked": [("light", "shock")] * TRIALS + both,
        "light and tone from the start": both,
    }
    for ax, (title, trials) in zip(axes, panels.items(), strict=True):
        for (cue, curve), style in zip(weights_by_trial(trials).items(), ["-", "--"], strict=True):
            ax.plot(curve, style, label=cue)
        equilibrium = rw.equilibrium(rw.read_events(trials))
        for cue, colour in [("light", "C0"), ("tone", "C1")]:
            ax.axhline(equilibrium[cue, "shock"], color=colour, linestyle=":", linewidth=1)
        ax.set(title=title, xlabel="trial")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].axvline(TRIALS, color="0.8", linewidth=1)
    axes[0].set_ylabel("weight to shock")
    axes[0].legend(frameon=False)
    figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
