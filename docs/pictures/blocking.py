"""Draws blocking.svg: `python docs/pictures/blocking.py` (needs matplotlib).

Kamin's blocking experiment: a light is followed by a shock; then light and tone together are. The tone learns
next to nothing, for the light predicts the shock already. Without the first phase it learns as much as the
light.
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
    light, both = [("light", "shock")] * TRIALS, [("light_tone", "shock")] * TRIALS
    curves = weights_by_trial(light + both)
    alone = weights_by_trial(both)["tone"]
    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 9})
    figure, ax = plt.subplots(figsize=(4.1, 3), layout="constrained")
    ax.plot(curves["light"], "C0-")
    ax.plot(curves["tone"], "C1--")
    ax.plot(range(TRIALS, 2 * TRIALS + 1), alone, "C2-.")
    ax.axvline(TRIALS, color="0.8", linewidth=1)
    ax.text(TRIALS + 2, 0.91, "light", color="C0")
    ax.text(TRIALS + 2, 0.05, "tone: blocked", color="#b35a00")
    ax.text(TRIALS + 12, 0.53, "tone, without phase 1", color="#1d7a1d")
    ax.text(TRIALS / 2, 1.06, "light", ha="center")
    ax.text(1.5 * TRIALS, 1.06, "light and tone", ha="center")
    ax.set(xlabel="trial, each followed by a shock", ylabel="weight to shock", ylim=(-0.05, 1.14))
    ax.set_title("Blocking, by the Rescorla-Wagner rule", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
