"""Draws the pictures of howto/perceptron.md: `python docs/pictures/perceptron.py` (needs matplotlib)."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import rescorla as rw
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

HERE = Path(__file__).parent


def examples() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """300 examples of 20 features, parted by a plane, none of them on it."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 20))
    f = X @ np.ones(20) / np.sqrt(20)
    far = np.flatnonzero(abs(f) > 0.03)[:300]
    return X[far], np.sign(f[far])


def clouds() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two classes that a plane parts; of one of them some examples are far away."""
    rng = np.random.default_rng(2)
    centres = np.repeat([[0.0, 0.0], [2.5, 2.5], [12.0, 8.0]], [25, 25, 10], axis=0)
    return centres + rng.normal(size=(60, 2)) * 0.6, np.repeat([-1.0, 1.0], [25, 35])


def main() -> None:
    with mpl.rc_context({"svg.hashsalt": "rescorla", "font.size": 9, "savefig.facecolor": "white"}):
        save("curves", curves())
        save("planes", planes())


def curves() -> Figure:
    """The mistakes of each sweep."""
    X, y = examples()
    drawn = np.random.default_rng(0).normal(size=21)
    starts = {"zero": None, "random": rw.perceptrons.LinearFit(drawn[:20], drawn[20])}
    figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
    for rule, style in [("single", "-"), ("batch", "--")]:
        for (start, initial), colour in zip(starts.items(), ["C0", "C1"], strict=True):
            fit = rw.perceptrons.perceptron(X, y, rule=rule, initial=initial)  # type: ignore[arg-type]
            label = f"{rule}, {start} start"
            ax.plot(range(1, len(fit.errors) + 1), fit.errors, style, color=colour, label=label)
            print(label, len(fit.errors), "sweeps,", int(fit.strengths.sum()), "mistakes")
    ax.set(xlabel="sweep", ylabel="mistakes", yscale="symlog", yticks=[0, 1, 10, 100])
    ax.legend(frameon=False, loc="upper right")
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def planes() -> Figure:
    """The planes of a threshold unit and of a linear unit."""
    X, y = clouds()
    threshold = rw.perceptrons.perceptron(X, y)
    always = np.column_stack([X, np.ones(len(X))])
    rule = {"beta": 0.02, "batch": "full", "reduction": "mean", "passes": 20_000}
    weights = rw.delta_rule((always, y), **rule).column("y")  # type: ignore[arg-type]
    linear = rw.perceptrons.LinearFit(weights[:2], weights[2])
    figure, axes = plt.subplots(1, 2, figsize=(8, 2.8), sharey=True, layout="constrained")
    for ax, fit, name in zip(axes, (threshold, linear), ("threshold unit", "linear unit"), strict=True):
        wrong = int((fit.predict(X) != y).sum())
        draw(ax, X, y, fit)
        ax.set(title=f"{name}: {wrong} wrong", xlabel="$x_0$", ylim=(-3, 10))
        print(name, wrong, fit.coef, fit.intercept)
    axes[0].set_ylabel("$x_1$")
    return figure


def draw(ax: Axes, X: NDArray[np.float64], y: NDArray[np.float64], fit: rw.perceptrons.LinearFit) -> None:
    """Examples and a plane."""
    for sign, marker in [(-1, "o"), (1, "^")]:
        ax.plot(*X[y == sign].T, marker, markersize=4, label=f"y = {sign:+d}")
    ax.axline((0, -fit.intercept / fit.coef[1]), slope=-fit.coef[0] / fit.coef[1], color="black", linewidth=1)
    ax.legend(frameon=False, loc="lower right")
    ax.spines[["top", "right"]].set_visible(False)


def save(name: str, figure: Figure) -> None:
    """The same bytes for the same picture."""
    figure.savefig(HERE / f"perceptron-{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
