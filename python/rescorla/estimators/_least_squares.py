"""Least squares of least norm: the minimum of |A w - z|^2 + ridge |w|^2 for each target z.

Dense rows are decomposed. On sparse rows conjugate gradients go, all targets side by side. Features are
scaled to about the same length, which is what makes the iterations few: where word counts of a text take
500, the same unscaled take many thousands.

Scaling changes which of several solutions is found: that of the least norm of the scaled weights. So where
features are dependent, those that take part in the dependence must have one scale, or the solution has to
be moved along the dependence. Three steps find out:

1. Features that are multiples of each other are made one (of texts: words that only ever come together).
2. The scaled problem is solved for some random targets of which the solution is known but for its part in the
   directions that change nothing. What is missing of it is such a direction, drawn at random. If nothing is
   missing, features are independent, and every solution is the only one.
3. If there are few such directions, all of them are found in this way, and solutions are made orthogonal to
   them. If there are many, all features that take part in one have one scale: the solution of least norm in
   the scaled weights is then that in the weights.

Each step pays. Where a seventh of 1,500 words stand a second time, multiplied, the first makes 150 iterations
of 2,895; with four factors of 2,355 levels the third makes 30 of 1,025. scipy's lsmr takes one target at a
time: of the word counts of the King James Bible one takes nearly as long as all twelve classes do here, and
needs the same steps: unscaled it is at 1e-5 of the gradient after 4,000 iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# The engine of the iterations hears of Ctrl-C between products of so many multiplications: some 50 ms.
_AT_ONCE = 1 << 25

# Numbers of rows and columns that are worked on side by side: some arrays of 128 MiB. And the most targets.
_NUMBERS, _WIDEST = 1 << 24, 32

# Random targets by which directions that change nothing are sought; if there are no more than so many, all
# are found.
_PROBES, _FEW = 4, 48

# Of random numbers of standard deviation 1, what may be missing for reasons of rounding.
_MISSING = 1e-3

# Features of which a direction has less than this part of its greatest do not take part in it.
_PART = 1e-6

# Values that are multiples of each other may differ by so much of themselves.
_EQUAL = 1e-13

# Of the bar, for each run.
_STEPS = 1000

# How often the iterations begin again where their gradient is not what they took it for.
_RESTARTS = 5


class Solution(NamedTuple):
    """Weights, and how they were found: the rank if dense, the iterations of the slowest target if sparse."""

    values: NDArray[np.float64]
    n_iter: int
    converged: bool
    rank: int | None = None


Show = Callable[[int, int], object]


def decompose(A: NDArray[np.float64], Z: Any, ridge: float) -> Solution:
    """V diag(s / (s^2 + ridge)) U' Z, with A = U diag(s) V'; without a ridge the pseudo-inverse."""
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int((s > s.max(initial=0.0) * max(A.shape) * np.finfo(np.float64).eps).sum())
    U, s, Vt = U[:, :rank], s[:rank], Vt[:rank]
    # Z may be sparse; then it is on the left that it can be.
    inner = (Z.T @ U).T
    values = Vt.T @ ((s / (s * s + ridge))[:, np.newaxis] * inner)
    return Solution(np.ascontiguousarray(values), 1, True, rank)


def solve(A: Any, Z: Any, ridge: float, tol: float, max_iter: int, show: Show | None = None) -> Solution:
    """The weights of least squares, n_columns x n_targets.

    The gradient A'(z - A w) - ridge w, each feature scaled to length 1, comes below `tol` of what it is at
    zero weights, for each target: or below what rounding leaves of it.
    """
    kept, of_kept, shares = _apart(A)
    problem = _Problem(A, kept, shares[kept], ridge)
    n_targets = Z.shape[1]
    width = int(np.clip(_NUMBERS // max(1, sum(problem.shape)), 1, _WIDEST))
    blocks = [range(start, min(start + width, n_targets)) for start in range(0, n_targets, width)]
    watch = _Watch(max_iter, 1 + len(blocks), show)
    plan = _plan(problem, tol, watch)
    values, converged = np.zeros((A.shape[1], n_targets)), True
    members = np.flatnonzero(of_kept >= 0)
    for block in blocks:
        # By a product, which takes any matrix, and leaves no column out.
        targets = np.asarray(Z @ np.eye(n_targets)[:, block])
        watch.begin()
        found = _descend(problem, plan.scales, targets, tol, watch)
        weights = plan.shortest(found.values)[of_kept[members]]
        values[members[:, np.newaxis], np.asarray(block)] = weights * shares[members, np.newaxis]
        converged &= found.converged
    return Solution(values, watch.most, converged)


class _Plan(NamedTuple):
    """How features are scaled, and the orthonormal directions in which to move a solution, if any."""

    scales: NDArray[np.float64]
    directions: NDArray[np.float64] | None = None

    def shortest(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights without a part in the directions: taken away twice, since the first time rounds."""
        if self.directions is not None:
            for _ in range(2):
                weights = weights - self.directions @ (self.directions.T @ weights)
        return weights


class _Problem:
    """The rows, with one column for features that are multiples of each other."""

    def __init__(self, A: Any, kept: NDArray[np.int64], shares: NDArray[np.float64], ridge: float) -> None:
        A = sparse.csr_array(A)[:, kept]
        # Of the weight of a column the share is its feature's: so the column is that much longer than the
        # feature.
        self._A = sparse.csr_array((A.data / shares[A.indices], A.indices, A.indptr), shape=A.shape)
        self.shape = A.shape
        self.ridge = ridge
        squares = np.bincount(A.indices, weights=self._A.data**2, minlength=len(kept))
        self.lengths = np.sqrt(squares + ridge)
        self._parts: dict[int, list[tuple[slice, Any, Any]]] = {}

    def times(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """A X."""
        result = np.empty((self.shape[0], X.shape[1]))
        for rows, part, _ in self._in_parts(X.shape[1]):
            result[rows] = part @ X
        return result

    def transposed(self, R: NDArray[np.float64]) -> NDArray[np.float64]:
        """A' R."""
        result = np.zeros((self.shape[1], R.shape[1]))
        for rows, _, part in self._in_parts(R.shape[1]):
            result += part @ R[rows]
        return result

    def _in_parts(self, width: int) -> list[tuple[slice, Any, Any]]:
        """The rows in parts that take some moments each, and these turned."""
        n_parts = max(1, -(-self._A.nnz * width // _AT_ONCE))
        if n_parts not in self._parts:
            A = self._A
            bounds = np.searchsorted(A.indptr, np.linspace(0, A.nnz, n_parts + 1)[1:-1]).tolist()
            parts = []
            for start, end in zip([0, *bounds], [*bounds, A.shape[0]], strict=True):
                there = slice(A.indptr[start], A.indptr[end])
                pointers = A.indptr[start : end + 1] - A.indptr[start]
                # Views of the numbers, not copies.
                rows = (A.data[there], A.indices[there], pointers)
                part = sparse.csr_array(rows, shape=(end - start, A.shape[1]))
                parts.append((slice(start, end), part, part.T))
            self._parts[n_parts] = parts
        return self._parts[n_parts]


class _Watch:
    """How many iterations a run may make, the most that one made, and the bar, which is of some runs."""

    def __init__(self, max_iter: int, n_runs: int, show: Show | None) -> None:
        self.max_iter, self.most = max_iter, 1
        self._show, self._n_runs, self._run, self._done = show, n_runs, 0, 0

    def begin(self) -> None:
        """The next run."""
        self._run, self._done = self._run + 1, 0

    def report(self, iteration: int, gradient: float, tol: float) -> None:
        """How near to the tolerance the gradient is: in digits, since each takes about as long."""
        self.most = max(self.most, iteration)
        if self._show is not None and 0 < tol < 1:
            done = np.log(max(gradient, tol)) / np.log(tol)
            self._done = max(self._done, int(_STEPS * min(max(done, 0.0), 1.0)))
            self._show(self._run * _STEPS + self._done, self._n_runs * _STEPS)


def _plan(problem: _Problem, tol: float, watch: _Watch) -> _Plan:
    n_rows, n_columns = problem.shape
    lengths = problem.lengths
    longest = float(lengths.max(initial=0.0))
    plain = _Plan(np.full(n_columns, 1 / longest if longest else 1.0))
    # There is one scale; or there are too many directions, which every scale but one would mix up.
    if longest - lengths.min(initial=longest) <= _EQUAL * longest or (
        not problem.ridge and n_columns - n_rows > _FEW
    ):
        return plain
    scaled = _Plan(1 / lengths)
    if problem.ridge:
        return scaled
    missing = _missing(problem, scaled.scales, min(_PROBES, n_columns), 0, tol, watch)
    if missing is None:
        return plain
    n_directions = float(np.mean(np.sum(missing**2, axis=0)))
    if np.sqrt(n_directions) <= _MISSING:
        return scaled
    if n_directions <= _FEW:
        sought = min(n_columns, 3 * int(n_directions) + 16)
        directions = _directions(problem, scaled.scales, sought, tol, watch)
        if directions is not None:
            return scaled._replace(directions=directions)
    sizes = np.abs(missing).max(axis=1)
    taking_part = sizes > _PART * sizes.max()
    return _Plan(1 / np.where(taking_part, lengths[taking_part].max(), lengths))


def _missing(
    problem: _Problem, scales: NDArray[np.float64], n: int, seed: int, tol: float, watch: _Watch
) -> NDArray[np.float64] | None:
    """Random scaled weights that change nothing, n of them; None if there were not iterations enough."""
    drawn = np.random.default_rng(seed).normal(size=(problem.shape[1], n))
    known = _descend(problem, scales, problem.times(scales[:, np.newaxis] * drawn), tol, watch)
    return drawn - known.values / scales[:, np.newaxis] if known.converged else None


def _directions(
    problem: _Problem, scales: NDArray[np.float64], sought: int, tol: float, watch: _Watch
) -> NDArray[np.float64] | None:
    """An orthonormal basis of the weights that change nothing, if there are no more than are sought."""
    missing = _missing(problem, scales, sought, 1, tol, watch)
    if missing is None:
        return None
    # Orthonormal while they are scaled, to see how many there are; and then as weights.
    left, sizes, _ = np.linalg.svd(missing, full_matrices=False)
    rank = int((sizes > _MISSING).sum())
    if rank == sought and rank < len(scales):
        return None
    basis: NDArray[np.float64] = np.linalg.qr(scales[:, np.newaxis] * left[:, :rank])[0]
    return basis


def _descend(
    problem: _Problem, scales: NDArray[np.float64], targets: NDArray[np.float64], tol: float, watch: _Watch
) -> Solution:
    """Conjugate gradients on the normal equations of the scaled columns (CGLS), from zero, target by target.

    Bjorck, A. (1996). Numerical methods for least squares problems. SIAM. Section 7.4.
    """
    D, ridge = scales[:, np.newaxis], problem.ridge
    n_targets = targets.shape[1]
    weights = np.zeros((problem.shape[1], n_targets))
    gradient = D * problem.transposed(targets)
    at_zero = _lengths(gradient)
    # Rounding leaves of the gradient what it leaves of the products of columns and residuals.
    rounding = 8 * np.finfo(np.float64).eps * np.linalg.norm(scales * problem.lengths)
    goal = np.maximum(tol * at_zero, rounding * _lengths(targets))
    iteration, residual = 0, targets
    reached = at_zero
    for _ in range(_RESTARTS):
        # Of the targets that are not there yet; the others are left alone.
        going = np.flatnonzero(reached > goal)
        if not len(going) or iteration >= watch.max_iter:
            break
        w, r, g = weights[:, going], residual[:, going].copy(), gradient[:, going]
        step, square = g.copy(), np.sum(g * g, axis=0)
        while iteration < watch.max_iter:
            scaled = D * step
            turned = problem.times(scaled)
            curvature = np.sum(turned * turned, axis=0) + ridge * np.sum(scaled * scaled, axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                length = np.where(curvature > 0, square / curvature, 0.0)
            w += length * scaled
            r -= length * turned
            g = D * (problem.transposed(r) - ridge * w)
            before, square = square, np.sum(g * g, axis=0)
            iteration += 1
            far = np.sqrt(square) > goal[going]
            with np.errstate(divide="ignore", invalid="ignore"):
                parts = np.where(at_zero[going] > 0, np.sqrt(square) / at_zero[going], 0.0)
                step = g + np.where(far & (before > 0), square / before, 0.0) * step
            step[:, ~far] = 0.0
            square = np.where(far, square, 0.0)
            watch.report(iteration, float(parts[far].max(initial=0.0)), tol)
            if not far.any() or not (length[far] > 0).any():
                break
        weights[:, going] = w
        # Not what the steps added up to, but what is.
        residual = targets - problem.times(weights)
        gradient = D * (problem.transposed(residual) - ridge * weights)
        reached = _lengths(gradient)
    return Solution(weights, iteration, bool((reached <= goal).all()))


def _lengths(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(np.sum(columns * columns, axis=0)))


def _apart(A: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Features that are multiples of each other, taken together.

    Which features stand for all; the place of each feature among these, -1 where it is 0 everywhere; and
    how much of the weight of all is the feature's, so that the squares of these shares sum to 1.
    """
    C = sparse.csc_array(A)
    C.sort_indices()
    n_columns = C.shape[1]
    counts = np.diff(C.indptr)
    column_of = np.repeat(np.arange(n_columns), counts)
    there = np.flatnonzero(np.bincount(column_of, weights=C.data != 0, minlength=n_columns))
    lengths = np.sqrt(np.bincount(column_of, weights=C.data**2, minlength=n_columns))
    # Of length 1, and the first value positive.
    first = np.zeros(n_columns)
    filled = np.flatnonzero(counts)
    first[filled] = C.data[C.indptr[filled]]
    signs = np.where(first < 0, -1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = C.data * (signs / lengths)[column_of]
    # Equal columns have equal products with random numbers; columns of equal products are then compared.
    rng = np.random.default_rng(0)
    products = np.bincount(
        column_of, weights=values * rng.normal(size=C.shape[0])[C.indices], minlength=n_columns
    )
    order = there[np.lexsort((products[there], counts[there]))]
    one, other = order[:-1], order[1:]
    alike = np.flatnonzero(
        (counts[one] == counts[other]) & (np.abs(products[one] - products[other]) <= 16 * _EQUAL)
    )
    one, other = one[alike], other[alike]
    slots = np.repeat(np.arange(len(one)), counts[one])
    within = np.arange(len(slots)) - np.repeat(np.cumsum(counts[one]) - counts[one], counts[one])
    at_one, at_other = C.indptr[one][slots] + within, C.indptr[other][slots] + within
    differ = (C.indices[at_one] != C.indices[at_other]) | (np.abs(values[at_one] - values[at_other]) > _EQUAL)
    same = np.bincount(slots, weights=differ, minlength=len(one)) == 0
    starts = np.ones(len(order), dtype=bool)
    starts[alike[same] + 1] = False
    group = np.cumsum(starts) - 1
    of_kept = np.full(n_columns, -1)
    of_kept[order] = group
    shares = np.zeros(n_columns)
    together = np.sqrt(np.bincount(group, weights=lengths[order] ** 2))
    shares[order] = signs[order] * lengths[order] / together[group] if len(order) else 0.0
    # The first of each group in the order of the features.
    kept = np.full(int(starts.sum()), n_columns)
    np.minimum.at(kept, group, order)
    return kept, of_kept, shares
