"""Warnings at the line of the user who called."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection

from rescorla._shared.checks import plain

# Between the user and the package there may be scikit-learn, which calls estimators, and what calls for it.
_INSIDE = frozenset({"rescorla", "sklearn", "joblib", "contextlib"})


class RescorlaWarning(UserWarning):
    """A warning of what is probably a mistake: it names what was found, where, and the cure.

    Examples
    --------
    To make an error of each:

    >>> import warnings
    >>> import rescorla as rw
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", rw.RescorlaWarning)
    ...     weights = rw.learn(
    ...         rw.read_events([("light_tone", "shock")]), alpha=0.1, beta=0.1
    ...     )
    """


class NumericalWarning(RescorlaWarning, RuntimeWarning):
    """Numbers that are not what they should be: a rate that is not safe, a solution that is not exact."""


def warn(message: str, category: type[Warning] = RescorlaWarning) -> None:
    """Warn at the line outside the package from which the present call came."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def some(names: Collection[str], most: int = 5) -> str:
    """The first names, quoted, and how many more there are."""
    first = [repr(plain(name)) for name, _ in zip(names, range(most), strict=False)]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more:,} more" if more else "")
