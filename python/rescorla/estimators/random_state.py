"""Where estimators take random numbers from."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def random_of(random_state: Any) -> np.random.Generator | np.random.RandomState:
    """A Generator as it is; of an int, a RandomState or None what scikit-learn makes of it."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    generator: np.random.RandomState = check_random_state(random_state)
    return generator


def seed_of(random_state: Any) -> int | None:
    """A seed as `rescorla.delta_rule` takes it: an int is the seed itself, others draw one."""
    if random_state is None or isinstance(random_state, Integral):
        return random_state  # type: ignore[return-value]
    random, most = random_of(random_state), np.iinfo(np.int32).max
    return int(random.integers(most) if isinstance(random, np.random.Generator) else random.randint(most))
