"""Draws the picture of howto/batches.md: `python docs/pictures/losses.py` (needs matplotlib)."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import rescorla as rw
from matplotlib.figure import Figure
from numpy.typing import NDArray

HERE = Path(__file__).parent

KINDS: dict[str, tuple[Any, Any, Any]] = {
    "mistakes": ("logistic", "squared", "accuracy"),
    "squared loss": ("logistic", "squared", "loss"),
    "log loss": ("logistic", "log", "loss"),
}


def examples() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """40 examples of one feature, with a column of ones; of one class some are far away."""
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.normal(-1.0, 1.0, 20), rng.normal(1.0, 1.0, 15), rng.normal(6.0, 0.5, 5)])
    return np.column_stack([x, np.ones(40)]), np.repeat([0.0, 1.0], 20)


def value(kind: str, weights: list[float]) -> float:
    """The loss of some weights, or the part of mistakes: a rate of 0 leaves weights as they are."""
    activation, loss, record = KINDS[kind]
    start = rw.Weights([[w] for w in weights], ["x0", "x1"], ["y"])
    found = rw.delta_rule(
        examples(),
        beta=0.0,
        activation=activation,
        loss=loss,
        record=record,
        initial=start,
    ).history
    assert found is not None
    return float(1 - found[0] if record == "accuracy" else found[0])


def main() -> None:
    with mpl.rc_context({"svg.hashsalt": "rescorla", "font.size": 9, "savefig.facecolor": "white"}):
        losses().savefig(HERE / "losses.svg", metadata={"Date": None})


def losses() -> Figure:
    """The losses as functions of the bias, and as learning curves."""
    figure, (across, along) = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained")
    biases = np.linspace(-8, 8, 641)
    for kind in KINDS:
        across.plot(biases, [value(kind, [1.0, bias]) for bias in biases], label=kind)
    across.set(xlabel="bias", ylabel="mean over the examples", ylim=(0, 1.5))
    for kind, (activation, loss, record) in KINDS.items():
        # Mistakes have no slope to go down: they are those of the weights that the log loss leads to.
        learned: Any = "log" if record == "accuracy" else loss
        rule: dict[str, Any] = {"beta": 0.3, "batch": "full", "reduction": "mean", "passes": 60}
        start = rw.Weights([[-1.0], [-2.0]], ["x0", "x1"], ["y"])
        curve = rw.delta_rule(
            examples(),
            activation=activation,
            loss=learned,
            record=record,
            initial=start,
            **rule,
        ).history
        assert curve is not None
        curve = 1 - curve if record == "accuracy" else curve
        along.plot(range(1, 61), curve, label=kind)
        print(kind, round(curve[0], 4), round(curve[-1], 4))
    along.set(xlabel="pass", ylim=(0, 1.5))
    along.legend(frameon=False)
    for ax in (across, along):
        ax.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    main()
