"""Error-driven associative learning at corpus scale: the Rescorla-Wagner rule, fast and exact.

Cues predict outcomes; each event moves the weights of the cues that are present by how far their prediction
was off:

    dw_ij = alpha_i * beta * (lambda_j * o_j - a_j),    a_j = sum of w_cj over the event's cues c

Examples
--------
>>> import rescorla as rw
>>> events = rw.read_events(
...     [("c_a_t", "cat"), ("c_a_t_s", "cat_plural"), ("h_a_t", "hat")]
... )
>>> weights = rw.learn(events, alpha=0.1, beta=0.1)
>>> round(weights["s", "plural"], 4)
0.01
>>> rw.equilibrium(events).top(outcome="plural", n=1)[0][0]
's'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rescorla._core import FormatError, __version__
from rescorla._events.bands import bandsample
from rescorla._events.concat import concat_events
from rescorla._events.cues import cue_coding, ortho_coding
from rescorla._events.designs import design
from rescorla._events.events import Event, Events, open_events
from rescorla._events.factors import factor_events
from rescorla._events.read import read_events
from rescorla._events.text import corpus_events
from rescorla._events.windows import cue_window
from rescorla._learn.activations import activations
from rescorla._learn.convergence import Convergence, convergence
from rescorla._learn.delta.delta_rule import delta_rule
from rescorla._learn.equilibrium import equilibrium
from rescorla._learn.influence.event_influence import Influence
from rescorla._learn.influence.influence import influence
from rescorla._learn.influence.sensitivity import Sensitivity, sensitivity
from rescorla._learn.leave_one_out import LeaveOneOut, leave_one_out
from rescorla._learn.people.fit import Fit
from rescorla._learn.people.fit_each import fit_each
from rescorla._learn.people.learn_each import learn_each
from rescorla._learn.people.trials import Trials
from rescorla._learn.rescorla_wagner import learn
from rescorla._learn.standard_errors import standard_errors
from rescorla._learn.trajectories import trajectories
from rescorla._learn.trajectory import Trajectories
from rescorla._learn.verify import Verified, verify
from rescorla._learn.versions import show_versions
from rescorla._learn.widrow_hoff import widrow_hoff
from rescorla._report.report import report
from rescorla._shared.warn import RescorlaWarning
from rescorla._weights.load import load_weights
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from rescorla import (
        classify,
        compat,
        datasets,
        distributed,
        estimators,
        ldl,
        measures,
        perceptrons,
        plot,
        schedules,
        tiles,
    )

__all__ = [
    "Convergence",
    "Event",
    "Events",
    "Fit",
    "FormatError",
    "Influence",
    "LeaveOneOut",
    "RescorlaWarning",
    "Sensitivity",
    "Trajectories",
    "Trials",
    "Verified",
    "Weights",
    "__version__",
    "activations",
    "bandsample",
    "classify",
    "compat",
    "concat_events",
    "convergence",
    "corpus_events",
    "cue_coding",
    "cue_window",
    "datasets",
    "delta_rule",
    "design",
    "distributed",
    "equilibrium",
    "estimators",
    "factor_events",
    "fit_each",
    "influence",
    "ldl",
    "learn",
    "learn_each",
    "leave_one_out",
    "load_weights",
    "measures",
    "open_events",
    "ortho_coding",
    "perceptrons",
    "plot",
    "read_events",
    "report",
    "schedules",
    "sensitivity",
    "show_versions",
    "standard_errors",
    "tiles",
    "trajectories",
    "verify",
    "widrow_hoff",
]

# Pickles, messages and help show the public name, wherever the code lies.
for _name in __all__:
    if getattr(globals().get(_name), "__module__", "").startswith("rescorla._"):
        globals()[_name].__module__ = "rescorla"


def __getattr__(name: str) -> Any:
    # What is public and not there yet is a room, which is loaded when first asked for.
    if name in __all__:
        return import_module(f"rescorla.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
