"""The temperature at which activations, as logits, tell best what is the case in the rows."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Temperatures are looked for from a thousandth of lambda to a thousand times as much, each to this part.
_RANGE, _NEAR = 1e3, 1e-5

# One number needs no more rows than these: with so many activations, and so many rows at the least. So `fit`
# takes hardly longer. `partial_fit` remembers so many rows. Where outcomes are very many, rows are so few
# that they have at most 2 MB.
_ACTIVATIONS, _ROWS, _MOST = 1 << 16, 1000, 1 << 18


class Seen(NamedTuple):
    """What rows were predicted to be: n rows x decisions x alternatives.

    A class for each row is one decision between all classes; each label is a decision between its presence
    and its absence. `above` says by how much an alternative is more active than what is the case.
    """

    above: NDArray[np.float64]
    frequencies: NDArray[np.float64]

    def of(self, rows: NDArray[np.int64]) -> Seen:
        """Some of the rows."""
        return Seen(self.above[rows], self.frequencies[rows])


def of_classes(
    activations: NDArray[np.float64], codes: NDArray[np.intp], frequencies: NDArray[np.float64]
) -> Seen:
    """Rows of one class each."""
    own = np.take_along_axis(activations, codes[:, np.newaxis], axis=1)
    return Seen((activations - own)[:, np.newaxis, :], frequencies)


def of_labels(
    activations: NDArray[np.float64], labels: Any, frequencies: NDArray[np.float64], lambda_: float
) -> Seen:
    """Rows of labels. The absence of a label has of lambda what its activation leaves."""
    above = (2 * activations - lambda_) * np.where(labels.toarray() != 0, -1.0, 1.0)
    return Seen(np.stack([np.zeros(above.shape), above], axis=2), frequencies)


def spread(n_rows: int, n_outcomes: int) -> NDArray[np.int64]:
    """The rows that `fit` looks at: all, or some at even distances."""
    return _even(n_rows, max(_room(n_outcomes), _ACTIVATIONS // max(1, n_outcomes)))


def latest(n_rows: int, n_outcomes: int) -> NDArray[np.int64]:
    """The rows of a piece that are remembered: all, or some at even distances."""
    return _even(n_rows, _room(n_outcomes))


def _room(n_outcomes: int) -> int:
    return max(1, min(_ROWS, _MOST // max(1, n_outcomes)))


def _even(n: int, most: int) -> NDArray[np.int64]:
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


class Remembered:
    """What the latest rows were predicted to be: enough for a temperature, in bounded memory."""

    def __init__(self) -> None:
        self._pieces: deque[Seen] = deque()
        self._n = 0

    def add(self, seen: Seen) -> None:
        """Rows come in, and pieces without which there are still enough go."""
        self._pieces.append(seen)
        self._n += len(seen.frequencies)
        most = _room(seen.above[0].size if len(seen.above) else 1)
        while self._n - len(self._pieces[0].frequencies) >= most:
            self._n -= len(self._pieces.popleft().frequencies)

    def all(self) -> Seen:
        """All that is remembered."""
        return Seen(*(np.concatenate(parts) for parts in zip(*self._pieces, strict=True)))


def temperature_of(seen: Seen, lambda_: float) -> float:
    """The temperature of the greatest likelihood: the product of 1 / sum exp(above / T)."""
    scale = abs(lambda_) or 1.0
    above, frequencies = seen
    highest = above.max(axis=2)
    below = above - highest[:, :, np.newaxis]
    total = float(frequencies.sum())
    if total == 0 or not (highest.any() or below.any()):
        return scale

    def loss(logarithm: float) -> float:
        sharpness = np.exp(-logarithm)
        with np.errstate(over="ignore"):
            surprise = highest * sharpness + np.log(np.exp(below * sharpness).sum(axis=2))
        return float(frequencies @ surprise.sum(axis=1)) / total

    # There is one minimum: the loss is convex in the inverse of the temperature.
    middle, reach = float(np.log(scale)), float(np.log(_RANGE))
    bounds = middle - reach, middle + reach
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": _NEAR})
    return float(np.exp(found.x))
