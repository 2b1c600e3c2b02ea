"""The sets of cues of the tokens, and the directions along which learning moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rescorla._events.events import Events

    Floats: TypeAlias = NDArray[np.float64]
    _Pairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], Floats]

# Eigenvalues below this many n * eps of the largest count as zero, as in `equilibrium`.
SLACK = 8

# To what part of its own size the largest eigenvalue of the second moment is found, and its stationary value.
_ACCURACY = 1e-12

# Pairs of cues within sets that are kept at the most,
_KEPT = 1 << 22
# and that are dealt with at a time. Python hears of Ctrl-C between two calls of numpy: none shall take long.
_AT_ONCE = 1 << 18
# Multiplications in one product of matrices, for the same reason.
_MULTIPLICATIONS = 1 << 28


class Tokens:
    """What the tokens are like: the sets of cues with their shares, and how often outcomes come with them.

    Active cues are those that occur and have a salience above 0. x is D^(1/2) c over these.
    """

    def __init__(self, events: Events, alpha: Floats) -> None:
        (pointers, self._cues, counts), self._joint = events._file.cue_sets()
        self.names = events.cues
        self.n_tokens = events.n_tokens
        self.share: Floats = counts / self.n_tokens
        self._set_of_slot = np.repeat(np.arange(len(counts)), np.diff(pointers))
        occurs = np.bincount(self._cues, minlength=len(self.names)) > 0
        self.active = np.flatnonzero(occurs & (alpha > 0))
        place = np.full(len(self.names), -1)
        place[self.active] = np.arange(len(self.active))
        # The slots of active cues: their set, their place among the active, and the root of their salience.
        slots = place[self._cues] >= 0
        self._of_set = self._set_of_slot[slots]
        self._place = place[self._cues[slots]]
        self._root = np.sqrt(alpha)[self._cues[slots]]
        self._lengths = np.bincount(self._of_set, minlength=len(counts))
        self._kept: list[_Pairs] | None = None
        if int((self._lengths**2).sum()) <= _KEPT:
            self._kept = list(self._made_pairs())
        # kappa = x'x: a cue in several slots, which are neighbours, counts as one of that multiplicity.
        new = np.ones(len(self._place), dtype=bool)
        new[1:] = (np.diff(self._of_set) != 0) | (np.diff(self._place) != 0)
        runs = np.flatnonzero(new)
        multiplicity = np.diff(runs, append=len(new))
        kappa = _sums(self._of_set[runs], (self._root[runs] * multiplicity) ** 2, len(counts))
        largest = float(kappa.max(initial=0.0))
        self.safe_rate = 2 / largest if largest > 0 else np.inf

    def joint(self, outcome: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sets with which an outcome comes, and in how many tokens."""
        sets, outcomes, counts = self._joint
        first, last = np.searchsorted(outcomes, [outcome, outcome + 1])
        return sets[first:last], counts[first:last]

    def activations(self, weights: Floats) -> Floats:
        """c'w for each set."""
        return _sums(self._set_of_slot, weights[self._cues], len(self.share))

    def spread(self, weights: Floats) -> Floats:
        """The sum of weights[s] x over the sets s."""
        return _sums(self._place, weights[self._of_set] * self._root, len(self.active))

    def gram(self, weights: Floats) -> Floats:
        """The sum of weights[s] x x' over the sets s."""
        n = len(self.active)
        total = np.zeros(n * n)
        for sets, places, products in self._pairs():
            np.add.at(total, places, weights[sets] * products)
        return total.reshape(n, n)

    def forms(self, matrix: Floats) -> Floats:
        """x' M x for each set."""
        found = np.zeros(len(self.share))
        flat = matrix.reshape(-1)
        for sets, places, products in self._pairs():
            np.add.at(found, sets, flat[places] * products)
        return found

    def _pairs(self) -> Iterable[_Pairs]:
        """Each pair of active slots of a set: the set, the place in a matrix, and the entry of x x'."""
        return self._made_pairs() if self._kept is None else self._kept

    def _made_pairs(self) -> Iterator[_Pairs]:
        # A slot is paired with every slot of its set, which are neighbours.
        partners = self._lengths[self._of_set]
        starts = (np.cumsum(self._lengths) - self._lengths)[self._of_set]
        pairs = np.cumsum(partners)
        first = 0
        while first < len(pairs):
            done = pairs[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(pairs, done + _AT_ONCE, side="right")))
            some = partners[first:last]
            left = np.repeat(np.arange(first, last), some)
            right = np.arange(len(left)) - np.repeat(np.cumsum(some) - some - starts[first:last], some)
            places = self._place[left] * len(self.active) + self._place[right]
            yield self._of_set[left], places, self._root[left] * self._root[right]
            first = last


class Spectrum:
    """The directions along which learning moves, and what they make of the second moment.

    In the eigenvectors of E[phi x x'], L(S) = E[phi x x'] S + S E[phi x x'] divides or multiplies each entry
    by a sum of two eigenvalues. phi is the token's part of the rate: 1 where there is one rate.
    """

    def __init__(self, tokens: Tokens, first: Floats, second: Floats) -> None:
        n = len(tokens.active)
        try:
            np.empty((6, n, n))
        except (MemoryError, ValueError):
            raise MemoryError(
                f"the spectrum of {n} cues needs {48 * n * n} bytes of memory, more than can be had; leave "
                "out rare cues, or use rescorla.equilibrium, which does without a spectrum"
            ) from None
        self._tokens = tokens
        self.second = second
        values, vectors = np.linalg.eigh(tokens.gram(first))
        moving = values > SLACK * n * np.finfo(float).eps * values.max(initial=0.0)
        falling = np.flatnonzero(moving)[::-1]
        self.values: Floats = values[falling]
        self.vectors: Floats = vectors[:, falling]

    @property
    def rank(self) -> int:
        return len(self.values)

    def padded(self, n: int) -> Floats:
        """The eigenvalues, and zeros for directions that do not move."""
        return np.concatenate([self.values, np.zeros(n - self.rank)])

    @property
    def mean_rate(self) -> float:
        return 2 / float(self.values[0]) if self.rank else np.inf

    @cached_property
    def mean_square_rate(self) -> float:
        """1 / rho(L^-1 Q).

        Q = sum of second[s] (x x') (x x')' over the sets s of cues, each x x' seen as a vector. So L^-1 Q has
        the nonzero eigenvalues of K[s, t] = root(second[s] second[t]) <x_s x_s', L^-1 (x_t x_t')>, which is
        symmetric and positive semidefinite, and has no negative entry.
        """
        if self.rank == 0:
            return np.inf
        root = np.sqrt(self.second)
        return 1 / _largest_eigenvalue(lambda vector: root * self._respond(root * vector), root)

    def steady(self, noise: Floats, beta: float) -> Floats:
        """x' S x for each set s, where L(S) = beta * (sum of (second[s] x'Sx + noise[s]) x x').

        With y = root(second) x'Sx this is (I - beta K) y = beta root(second) x'L^-1(noise)x, K as above, and
        I - beta K is positive definite below the mean-square rate.
        """
        root = np.sqrt(self.second)
        right = beta * root * self._respond(noise)
        solution = _conjugate_gradients(
            lambda vector: vector - beta * root * self._respond(root * vector), right
        )
        return beta * self._respond(root * solution + noise)

    def diagonal(self, weights: Floats) -> Floats:
        """The diagonal of L^-1 (sum of weights[s] x x')."""
        diagonal: Floats = (_product(self.vectors, self._rotated(weights)) * self.vectors).sum(axis=1)
        return diagonal

    def _respond(self, weights: Floats) -> Floats:
        """x' L^-1 (sum of weights[s] x x') x for each set."""
        return self._tokens.forms(_product(_product(self.vectors, self._rotated(weights)), self.vectors.T))

    def _rotated(self, weights: Floats) -> Floats:
        """L^-1 (sum of weights[s] x x') in the coordinates of the eigenvectors."""
        rotated: Floats = _product(_product(self.vectors.T, self._tokens.gram(weights)), self.vectors)
        rotated /= self.values[:, None] + self.values
        return rotated


def _product(left: Floats, right: Floats) -> Floats:
    """The product of two matrices, in stripes where it is large."""
    rows = max(1, _MULTIPLICATIONS // max(1, right.size))
    product = np.empty((len(left), right.shape[1]))
    for first in range(0, len(left), rows):
        np.matmul(left[first : first + rows], right, out=product[first : first + rows])
    return product


def _sums(places: NDArray[np.int64], values: Floats, n: int) -> Floats:
    """The sum of the values at each place."""
    # bincount of nothing gives integers, whatever the weights.
    return np.bincount(places, values, minlength=n).astype(np.float64, copy=False)


def _largest_eigenvalue(apply: Callable[[Floats], Floats], start: Floats) -> float:
    """The largest eigenvalue of a symmetric positive semidefinite operator, by Lanczos' method.

    The error is at most the residual, and of the order of its square.
    """
    basis = [start / np.linalg.norm(start)]
    diagonal: list[float] = []
    beside: list[float] = []
    while True:
        image = apply(basis[-1])
        diagonal.append(float(image @ basis[-1]))
        known = np.array(basis)
        # Twice, so that the basis stays orthogonal to the last digit.
        for _ in range(2):
            image = image - known.T @ (known @ image)
        values, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
        rest = float(np.linalg.norm(image))
        if rest * abs(vectors[-1, -1]) <= _ACCURACY * values[-1] or len(basis) == len(start):
            return float(values[-1])
        beside.append(rest)
        basis.append(image / rest)


def _conjugate_gradients(apply: Callable[[Floats], Floats], right: Floats) -> Floats:
    """The solution of a symmetric positive definite system."""
    solution = np.zeros_like(right)
    residual, direction = right, right
    square = float(residual @ residual)
    enough = _ACCURACY**2 * square
    # Exact arithmetic needs no more steps than there are unknowns. Rounding may double that.
    steps_left = 2 * len(right) + 10
    while square > enough:
        image = apply(direction)
        curvature = float(direction @ image)
        if curvature <= 0 or steps_left == 0:
            raise FloatingPointError(
                "beta is too near the mean_square_rate to tell the steady state; lower it"
            )
        step = square / curvature
        solution = solution + step * direction
        residual = residual - step * image
        before, square = square, float(residual @ residual)
        direction = residual + square / before * direction
        steps_left -= 1
    return solution
