"""Draws the pictures of howto/plots.md: `python docs/pictures/plots.py` (needs matplotlib and scipy)."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import rescorla as rw
from matplotlib.axes import Axes

HERE = Path(__file__).parent
WORDS = {"cat": 25, "cats": 10, "hat": 12, "hats": 6, "has": 40, "at": 30, "as": 35, "chats": 2}
PLURALS = ("cats", "hats")


def main() -> None:
    events = rw.read_events(
        (list(word), [word.rstrip("s"), "plural"] if word in PLURALS else [word], count)
        for word, count in WORDS.items()
    )
    weights = rw.equilibrium(events)
    recorded = rw.trajectories(events.passes(100, seed=1), [(cue, "plural") for cue in "sah"], every=20)
    present = ["plural" if "plural" in event.outcomes else "singular" for event in events]
    activations = rw.activations(events, weights, outcomes=["plural"])[:, 0]
    save("weights", rw.plot.weights(weights))
    save("network", rw.plot.network(weights, n=12))
    save("trajectories", rw.plot.trajectories(recorded, equilibrium=weights))
    save("spectrum", rw.plot.spectrum(rw.convergence(events)))
    ax = rw.plot.activations(activations, by=present, frequencies=events.frequencies, bins=20)
    ax.set_xlabel("activation of plural")
    save("activations", ax)


def save(name: str, ax: Axes) -> None:
    """The same bytes for the same picture."""
    figure: Any = ax.figure
    with mpl.rc_context({"svg.hashsalt": "rescorla", "savefig.facecolor": "white"}):
        figure.savefig(HERE / f"plot-{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
