"""Where estimators take random numbers from."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rescorla._shared.checks import seed_number, whole


def random_of(random_state: Any) -> np.random.Generator | np.random.RandomState:
    """A Generator as it is; of an int, a RandomState or None what scikit-learn makes of it."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    generator: np.random.RandomState = check_random_state(random_state)
    return generator


def seed_of(random_state: Any) -> int | None:
    """A seed that is a number, or None: an int is the seed itself, others draw one."""
    if random_state is None:
        return None
    if isinstance(random_state, Integral):
        return whole("random_state", random_state)
    if isinstance(random_state, np.random.Generator):
        return seed_number(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
