"""Error-driven associative learning at corpus scale: the Rescorla-Wagner rule, fast and exact.

Cues predict outcomes; each event moves the weights of the cues that are present by how far their prediction
was off:

    dw_ij = alpha_i * beta * (lambda_j * o_j - a_j),    a_j = sum of w_cj over the event's cues c

Examples
--------
>>> import rescorla as rw
>>> events = rw.read_events([("c_a_t", "cat"), ("c_a_t_s", "cat_plural"), ("h_a_t", "hat")])
>>> weights = rw.learn(events, alpha=0.1, beta=0.1)
>>> round(weights["s", "plural"], 4)
0.01
>>> rw.equilibrium(events).top(outcome="plural", n=1)[0][0]
's'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rescorla import schedules
from rescorla._core import FormatError, __version__
from rescorla.activation import activations
from rescorla.bands import bandsample
from rescorla.coding import cue_coding, ortho_coding
from rescorla.concat import concat_events
from rescorla.convergence import Convergence, convergence
from rescorla.corpus import corpus_events
from rescorla.equilibrium import equilibrium
from rescorla.events import Event, Events, open_events
from rescorla.factors import factor_events
from rescorla.learning import learn
from rescorla.neighbours import (
    LinearFit,
    TeacherStudent,
    adatron,
    delta_rule,
    minover,
    perceptron,
    separable,
    teacher_student,
    widrow_hoff,
)
from rescorla.sources import compile_events, read_events
from rescorla.trajectory import Trajectories, trajectories
from rescorla.warn import RescorlaWarning
from rescorla.weights import Weights, load_weights
from rescorla.windows import cue_window

if TYPE_CHECKING:
    from rescorla import classify, estimators, measures, plot

__all__ = [
    "Convergence",
    "Event",
    "Events",
    "FormatError",
    "LinearFit",
    "RescorlaWarning",
    "TeacherStudent",
    "Trajectories",
    "Weights",
    "__version__",
    "activations",
    "adatron",
    "bandsample",
    "classify",
    "compile_events",
    "concat_events",
    "convergence",
    "corpus_events",
    "cue_coding",
    "cue_window",
    "delta_rule",
    "equilibrium",
    "estimators",
    "factor_events",
    "learn",
    "load_weights",
    "measures",
    "minover",
    "open_events",
    "ortho_coding",
    "perceptron",
    "plot",
    "read_events",
    "schedules",
    "separable",
    "teacher_student",
    "trajectories",
    "widrow_hoff",
]

# Outer rooms, loaded when first asked for.
_ROOMS = ("classify", "estimators", "measures", "plot")


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"rescorla.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
