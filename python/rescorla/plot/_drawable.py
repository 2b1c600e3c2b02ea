"""Which picture is of what: a wrong argument is told where it belongs."""

from __future__ import annotations

from rescorla._learn.convergence import Convergence
from rescorla._learn.influence.event_influence import Influence
from rescorla._learn.trajectory import Trajectories
from rescorla._shared.checks import shown
from rescorla._weights.weights import Weights, need_weights

# What draws, or makes, what.
DRAWN: dict[type, str] = {
    Weights: "rescorla.plot.weights and rescorla.plot.network draw weights",
    Trajectories: "rescorla.plot.trajectories draws trajectories",
    Convergence: "rescorla.plot.spectrum draws a convergence",
    Influence: "rescorla.plot.influence draws an influence",
}
MADE: dict[type, str] = {
    Trajectories: "rescorla.trajectories records them of events",
    Convergence: "rescorla.convergence computes it of events",
    Influence: "rescorla.influence computes it of events",
}


def of_kind(argument: str, value: object, kind: type) -> None:
    """TypeError that names the right function, where a picture is asked for of something else."""
    if isinstance(value, kind):
        return
    if kind is Weights and not isinstance(value, tuple(DRAWN)):
        need_weights(value, argument)
    cure = drawn_by(value) or f"; {MADE[kind]}"
    raise TypeError(f"{argument} must be {kind.__name__}, not {shown(value)}{cure}")


def drawn_by(value: object) -> str:
    """Which function draws something, to end a message with; or nothing."""
    return "".join(f"; {function}" for kind, function in DRAWN.items() if isinstance(value, kind))
