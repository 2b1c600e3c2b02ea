"""Least squares of least norm: the minimum of |A w - z|^2 + ridge |w|^2 for each target z.

Dense rows are decomposed, without the means of the features. On sparse rows conjugate gradients go, all
targets side by side. Features are scaled to about the same length, which is what makes the iterations few:
where word counts of a text take 500, the same unscaled take many thousands.

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

Features that are on all rows are centred where there is a background, since what they differ by may be a
small part of what they are: 1e-4 of times in seconds since 1970, and conjugate gradients square that.

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
from scipy import linalg, sparse

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

# Lengths of columns that are equal may differ by so much of themselves.
_EQUAL = 1e-13

# Of a number, what rounding may have changed.
_ROUNDED = 4 * np.finfo(np.float64).eps

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


def decompose(
    X: NDArray[np.float64],
    Z: Any,
    ridge: float,
    frequencies: NDArray[np.float64] | None,
    background: bool,
) -> Solution:
    """The weights of least squares by singular values; where there is a background, its weights come first.

    The background has what makes the means right, so the other weights are those of centred features. These
    are scaled to length 1 before singular values tell which depend on each other: of times in seconds since
    1970 that leaves what they differ by.
    """
    frequencies = np.ones(len(X)) if frequencies is None else frequencies
    root, total = np.sqrt(frequencies)[:, np.newaxis], frequencies.sum() if background else 0.0
    rows, means, aims = X.copy(), np.zeros(X.shape[1]), np.zeros(Z.shape[1])
    if total:
        aims = Z.T @ frequencies / total
        # Twice, as the first means round.
        for _ in range(2):
            rounded = frequencies @ rows / total
            rows -= rounded
            means += rounded
    rows *= root
    lengths = _lengths(rows)
    uncentred = np.hypot(lengths, np.sqrt(total) * means)
    same = lengths <= _ROUNDED * uncentred
    lengths[same] = np.where(uncentred[same] > 0, uncentred[same], 1.0)
    rows[:, same] = 0.0
    rows /= lengths
    U, s, Vt = np.linalg.svd(rows, full_matrices=False)
    # Below this all is rounding: of the decomposition, and of the features, which have their digits for what
    # they are before they are centred.
    digits = _ROUNDED * _lengths((Vt * (uncentred / lengths)).T)
    known = s > max(rows.shape) * np.finfo(np.float64).eps * s.max(initial=0.0) + digits
    # Without copies of U, which may be as large as X.
    inner = ((Z.multiply(root) if hasattr(Z, "multiply") else Z * root).T @ U).T
    inner -= np.outer(root.T @ U, aims)
    s, V, inner = s[known], Vt[known].T, inner[known]
    found = V @ (inner / s[:, np.newaxis]) / lengths[:, np.newaxis]
    basis, beyond, first, combined = _row_space(V, lengths, means)
    size = 1 + beyond @ beyond
    if ridge:
        # In these directions; the background's weights are put in, which leaves a row of the means.
        pull = np.sqrt(total * ridge / (total * size + ridge))
        parts = [
            s[:, np.newaxis] * (V.T * lengths) @ basis,
            pull * means[np.newaxis] @ basis,
            np.sqrt(ridge) * np.eye(len(s)),
        ]
        goals = [inner, pull * aims[np.newaxis], np.zeros((len(s), len(aims)))]
        found = basis @ _regular(np.vstack(parts), np.vstack(goals))
        found += np.outer(beyond, (aims - means @ found) * total / (total * size + ridge))
    elif len(s) < len(V):
        shortest = basis @ (basis.T @ found)
        shortest += np.outer(beyond, (aims - means @ shortest) / size)
        # What they give on the rows remains, to the last digit.
        moved = lengths[:, np.newaxis] * (shortest - found)
        shortest[first] -= combined.T @ moved / lengths[first, np.newaxis]
        found = shortest
    rank = len(s) + int(total > 0)
    if not background:
        return Solution(np.ascontiguousarray(found), 1, True, rank)
    of_background = (aims - means @ found) * total / (total + ridge if total else 1.0)
    return Solution(np.vstack([of_background, found]), 1, True, rank)


def _row_space(
    V: NDArray[np.float64], lengths: NDArray[np.float64], means: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.integer], NDArray[np.float64]]:
    """What rows are combinations of: an orthonormal basis, where weights of least norm lie.

    Rows of [1 X] are combinations of (1, means) and of (0, lengths * v), for the columns v of V. The basis is
    of the latter, and then comes what the means have beyond it. Besides there are the features of which the
    others are sums, and by how much of each: what they have to do with each other is there without rounding.
    """
    n, rank = V.shape
    if rank == n:
        return np.eye(n), np.zeros(n), np.arange(n), np.eye(n)
    R, order = linalg.qr(V.T, mode="r", pivoting=True)
    first, others = order[:rank], order[rank:]
    sums = linalg.solve_triangular(R[:, :rank], R[:, rank:]).T
    sums[np.abs(sums) <= n * _ROUNDED] = 0.0
    combined = np.zeros((n, rank))
    combined[first], combined[others] = np.eye(rank), sums
    basis = _orthonormal(lengths[:, np.newaxis] * combined)
    scaled, beyond = means / lengths, np.zeros(n)
    beyond[others] = scaled[others] - sums @ scaled[first]
    sizes = np.abs(scaled)
    beyond[np.abs(beyond) <= n * _ROUNDED * (sizes + np.abs(combined) @ sizes[first])] = 0.0
    beyond *= lengths
    for _ in range(2):
        beyond -= basis @ (basis.T @ beyond)
    return basis, beyond, first, combined


def _orthonormal(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """An orthonormal basis of columns, to the last digits of each row: rows and columns go by size.

    Cox, A. J. and Higham, N. J. (1998). Stability of Householder QR factorization for weighted least squares
    problems. In D. F. Griffiths et al. (eds), Numerical Analysis 1997, 57-73. Longman.
    """
    order = np.argsort(-np.abs(columns).max(axis=1, initial=0.0))
    basis = np.empty_like(columns)
    basis[order] = linalg.qr(columns[order], mode="economic", pivoting=True)[0]
    return basis


def _regular(A: NDArray[np.float64], Z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least squares of columns that are independent, of whatever lengths."""
    lengths = _lengths(A)
    weights: NDArray[np.float64] = np.linalg.lstsq(A / lengths, Z, rcond=0)[0] / lengths[:, np.newaxis]
    return weights


def solve(
    A: Any,
    Z: Any,
    ridge: float,
    tol: float,
    max_iter: int,
    background: bool,
    show: Show | None,
) -> Solution:
    """The weights of least squares, n_columns x n_targets; the first column may be the background.

    The gradient A'(z - A w) - ridge w, each feature centred or not and scaled to length 1, comes below `tol`
    of what it is at zero weights, for each target: or below what rounding leaves of it.
    """
    kept, of_kept, shares = _apart(A)
    first = int(of_kept[0]) if background else -1
    problem = _Merged(A, kept, shares[kept], ridge, first)
    n_targets = Z.shape[1]
    width = int(np.clip(_NUMBERS // max(1, sum(problem.shape)), 1, _WIDEST))
    blocks = [range(start, min(start + width, n_targets)) for start in range(0, n_targets, width)]
    watch = _Watch(max_iter, 1 + len(blocks), show)
    plan, centred = _plan(problem, tol, watch), None
    if plan is None:
        centred, problem = problem, _Merged(A, kept, shares[kept], ridge)
        plan = _plan(problem, tol, watch) or problem.unscaled()
    values, converged = np.zeros((A.shape[1], n_targets)), True
    members = np.flatnonzero(of_kept >= 0)
    for block in blocks:
        # By a product, which takes any matrix, and leaves no column out.
        targets = np.asarray(Z @ np.eye(n_targets)[:, block])
        watch.begin()
        found = _descend(problem, plan.scales, targets, tol, watch)
        weights = plan.shortest(problem.of_uncentred(found.values, plan.constant))
        converged &= found.converged
        if centred is not None:
            # What was not to be seen beside features far from 0.
            rest = _descend(centred, centred.scales(), targets - problem.times(weights), tol, watch)
            weights += centred.of_uncentred(rest.values)
            converged &= rest.converged
        weights = weights[of_kept[members]]
        values[members[:, np.newaxis], np.asarray(block)] = weights * shares[members, np.newaxis]
    return Solution(values, watch.most, converged)


class _Plan(NamedTuple):
    """How features are scaled, and what is done to a solution.

    It is moved in orthonormal directions, if there are any; and some weights may be better than that of the
    background to give a constant.
    """

    scales: NDArray[np.float64]
    directions: NDArray[np.float64] | None = None
    constant: NDArray[np.float64] | None = None

    def shortest(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights without a part in the directions: taken away twice, since the first time rounds."""
        if self.directions is not None:
            for _ in range(2):
                weights = weights - self.directions @ (self.directions.T @ weights)
        return weights


class _Merged:
    """The rows, with one column for features that are multiples of each other.

    If one of these is the background, features that are on all of its rows are centred. What they lose, it
    gets, which changes what the weights are, and so their norm: `of_uncentred` has the weights themselves.
    Features that are 0 somewhere would not be sparse any more; nor are they far from 0.
    """

    def __init__(
        self, A: Any, kept: NDArray[np.int64], shares: NDArray[np.float64], ridge: float, background: int = -1
    ) -> None:
        A = sparse.csr_array(A)[:, kept]
        # Of the weight of a column the share is its feature's: so the column is that much longer than the
        # feature.
        self._A = sparse.csr_array((A.data / shares[A.indices], A.indices, A.indptr), shape=A.shape)
        self.shape = A.shape
        self.ridge = ridge
        self._background, self.means = background, np.zeros(len(kept))
        if background >= 0:
            self._centre()
        squares = np.bincount(A.indices, weights=self._A.data**2, minlength=len(kept))
        self.lengths = np.sqrt(squares + ridge * (1 + self.means**2))
        self._parts: dict[int, list[tuple[slice, Any, Any]]] = {}

    def _centre(self) -> None:
        A, n_columns = self._A, self.shape[1]
        counts = np.bincount(A.indices, weights=A.data != 0, minlength=n_columns)
        full = counts == counts[self._background]
        full[self._background] = False
        there = np.flatnonzero(full[A.indices])
        columns = A.indices[there]
        background = (A @ np.eye(1, n_columns, self._background)[0])[
            np.repeat(np.arange(self.shape[0]), np.diff(A.indptr))[there]
        ]
        size = float(np.sum(A.data[A.indices == self._background] ** 2)) + self.ridge
        # Twice, as the first means round.
        for _ in range(2):
            products = np.bincount(columns, weights=A.data[there] * background, minlength=n_columns)
            rounded = (products - self.ridge * self.means) / size
            A.data[there] -= rounded[columns] * background
            self.means += rounded

    def of_uncentred(
        self, weights: NDArray[np.float64], constant: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Weights of the features as they were: what was taken from their means is given as a constant."""
        if not self.means.any():
            return weights
        if constant is None:
            constant = np.eye(1, len(weights), self._background)[0]
        return weights - np.outer(constant, self.means @ weights)

    def penalty(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Half the gradient of ridge times the squared norm of the weights as they were."""
        plain = self.of_uncentred(weights)
        return self.ridge * (plain - np.outer(self.means, plain[self._background]))

    def constant(self, scales: NDArray[np.float64], tol: float, watch: _Watch) -> NDArray[np.float64]:
        """The weights of least norm that give what the background gives, to the last digits."""
        weights, rest = np.zeros((self.shape[1], 1)), self.times(np.eye(self.shape[1], 1, -self._background))
        for _ in range(2):
            found = _descend(self, scales, rest, tol, watch).values
            # Centred features have no part in it.
            found[self.means != 0] = 0.0
            weights, rest = weights + found, rest - self.times(found)
        return weights[:, 0]

    def scales(self) -> NDArray[np.float64]:
        """What makes features of one length."""
        return 1 / np.where(self.lengths > 0, self.lengths, 1.0)

    def unscaled(self) -> _Plan:
        """One scale for all features: the solution of least norm needs nothing else."""
        longest = float(self.lengths.max(initial=0.0))
        return _Plan(np.full(self.shape[1], 1 / longest if longest else 1.0))

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


def _plan(problem: _Merged, tol: float, watch: _Watch) -> _Plan | None:
    """How to come to the solution of least norm; None where that is not to be had of centred features."""
    n_rows, n_columns = problem.shape
    lengths = problem.lengths
    centred = bool(problem.means.any())
    plain = None if centred else problem.unscaled()
    longest = float(lengths.max(initial=0.0))
    scaled = _Plan(problem.scales())
    if problem.ridge:
        return scaled
    # There is one scale; or there are too many directions, which every scale but one would mix up.
    if (
        not centred and longest - lengths.min(initial=longest) <= _EQUAL * longest
    ) or n_columns - n_rows > _FEW:
        return plain
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
    plan = _Plan(1 / np.where(taking_part, lengths[taking_part].max(), lengths))
    if not centred:
        return plan
    if taking_part[problem.means != 0].any():
        return None
    return plan._replace(constant=problem.constant(plan.scales, tol, watch))


def _missing(
    problem: _Merged, scales: NDArray[np.float64], n: int, seed: int, tol: float, watch: _Watch
) -> NDArray[np.float64] | None:
    """Random scaled weights that change nothing, n of them; None if there were not iterations enough."""
    drawn = np.random.default_rng(seed).normal(size=(problem.shape[1], n))
    known = _descend(problem, scales, problem.times(scales[:, np.newaxis] * drawn), tol, watch)
    return drawn - known.values / scales[:, np.newaxis] if known.converged else None


def _directions(
    problem: _Merged, scales: NDArray[np.float64], sought: int, tol: float, watch: _Watch
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
    return _orthonormal(problem.of_uncentred(scales[:, np.newaxis] * left[:, :rank]))


def _descend(
    problem: _Merged, scales: NDArray[np.float64], targets: NDArray[np.float64], tol: float, watch: _Watch
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
            curvature = np.sum(turned * turned, axis=0)
            if ridge:
                curvature += np.sum(scaled * problem.penalty(scaled), axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                length = np.where(curvature > 0, square / curvature, 0.0)
            w += length * scaled
            r -= length * turned
            g = D * (problem.transposed(r) - (problem.penalty(w) if ridge else 0.0))
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
        gradient = D * (problem.transposed(residual) - (problem.penalty(weights) if ridge else 0.0))
        reached = _lengths(gradient)
    return Solution(weights, iteration, bool((reached <= goal).all()))


def _lengths(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of any size: squares of very large or small numbers would not be there."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    largest[largest == 0] = 1.0
    return np.asarray(largest * np.linalg.norm(columns / largest, axis=0))


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
    # As they are to the first value of their column: what is about constant may still differ by digits.
    ratios, others = (
        C.data[at] * first[column_of[beside]] for at, beside in ((at_one, at_other), (at_other, at_one))
    )
    differ = (C.indices[at_one] != C.indices[at_other]) | (
        np.abs(ratios - others) > 2 * _ROUNDED * np.abs(ratios)
    )
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
