"""Names of the version that is installed, so that the wheel of version 0.1 runs in the benchmarks too."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import rescorla as rw

OLD = rw.__version__.startswith("0.1.")

# What running text gives as cues: a parameter of `corpus_events`.
CUES = "cues" if OLD else "cues_from"

# Where what learning would take is worked out.
_FORECAST = "rescorla.learning" if OLD else "rescorla._learn.rescorla_wagner"

# Whether learning can be prepared once and done in slices.
HAS_JOBS = not OLD

# Perceptrons and their relatives.
PERCEPTRONS: Any = rw if OLD else import_module("rescorla.perceptrons")


def forecast(events: rw.Events, **parameters: Any) -> dict[str, Any]:
    """The memory and the work that learning takes."""
    function: Callable[..., dict[str, Any]] = import_module(_FORECAST).forecast
    return function(events, **parameters)
