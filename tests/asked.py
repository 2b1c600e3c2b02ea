"""The learners with a choice of what must not change a bit: ``kernel=``, ``tile=`` and so on."""

from collections.abc import Callable
from typing import Any, TypeVar

import rescorla as rw
from rescorla import perceptrons
from rescorla._shared.testing import asking

R = TypeVar("R")

_CHOICES = ("kernel", "tile", "block", "budget", "ordered")


def _with_choices(function: Callable[..., R]) -> Callable[..., R]:
    def called(*args: Any, **keywords: Any) -> R:
        choices = {name: keywords.pop(name) for name in _CHOICES if name in keywords}
        with asking(**choices):
            return function(*args, **keywords)

    return called


learn = _with_choices(rw.learn)
trajectories = _with_choices(rw.trajectories)
delta_rule = _with_choices(rw.delta_rule)
widrow_hoff = _with_choices(rw.widrow_hoff)
minover = _with_choices(perceptrons.minover)
