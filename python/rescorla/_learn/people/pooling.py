"""Modes, curvatures, and what persons have in common."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._learn.people.free import Free
from rescorla._shared.optional import need
from rescorla._shared.warn import NumericalWarning, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Step of the differences of gradients.
_STEP = 1e-4
# What changes less does not matter: of a mean in standard deviations, of a variance in logarithms.
_SETTLED = 1e-3
_MOST = 500
# The least variance.
_ALIKE = 1e-6
# The part of the variance between persons above which what is unknown of each explains it.
_UNSEEN = 0.9
# Of the greatest eigenvalue: below it a direction is not determined.
_FLAT = 1e-6


class Persons:
    """The log likelihoods of persons, on the scales of what is fitted."""

    def __init__(self, engine: _core.Likelihoods, free: Free, threads: int) -> None:
        self._engine, self._free, self._threads = engine, free, threads
        self.n_responses = engine.n_responses()
        self.n_evaluations = 0

    def __len__(self) -> int:
        return len(self.n_responses)

    def evaluate(
        self, persons: NDArray[np.int64], phi: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The log likelihood of each person at a row of numbers, and its gradient."""
        values = self._free.values(phi)
        gradients = np.zeros_like(values)
        found = self._engine.evaluate(persons, values, gradients, threads=self._threads, progress=None)
        self.n_evaluations += len(persons)
        return found, self._free.gradient(phi, gradients)

    def curvatures(self, persons: NDArray[np.int64], phi: NDArray[np.float64]) -> NDArray[np.float64]:
        """Minus the Hessian of each log likelihood, by central differences of gradients."""
        n, k = phi.shape
        found = np.zeros((n, k, k))
        for at in range(k):
            step = np.zeros(k)
            step[at] = _STEP
            above, below = (self.evaluate(persons, phi + sign * step)[1] for sign in (1, -1))
            found[:, :, at] = (below - above) / (2 * _STEP)
        return np.asarray((found + found.transpose(0, 2, 1)) / 2)


class Pooled(NamedTuple):
    """What was found."""

    phi: NDArray[np.float64]
    """The numbers of each person, on their scales."""
    covariances: NDArray[np.float64]
    mean: NDArray[np.float64] | None
    variance: NDArray[np.float64] | None
    mean_error: NDArray[np.float64] | None
    log_likelihood: float
    n_parameters: int


Tell = Callable[[int], None]


def separately(persons: Persons, free: Free, tell: Tell) -> Pooled:
    """The most likely numbers of each person alone."""
    phi = np.tile(free.start(), (len(persons), 1))
    likelihoods = np.zeros(len(persons))
    for person in range(len(persons)):
        phi[person], likelihoods[person] = _mode(persons, free, np.array([person]), phi[person], None)
        tell(person + 1)
    curvatures = persons.curvatures(np.arange(len(persons)), phi)
    covariances = np.array(
        [_inverse(free, curvature, own) for curvature, own in zip(curvatures, phi, strict=True)]
    )
    k = phi.shape[1] * int((persons.n_responses > 0).sum())
    return Pooled(phi, covariances, None, None, None, float(likelihoods.sum()), k)


def completely(persons: Persons, free: Free, tell: Tell) -> Pooled:
    """The most likely numbers, the same for all persons."""
    everybody = np.arange(len(persons))
    phi, likelihood = _mode(persons, free, everybody, free.start(), None)
    tell(len(persons))
    repeated = np.tile(phi, (len(persons), 1))
    covariance = _inverse(free, persons.curvatures(everybody, repeated).sum(axis=0), phi)
    covariances = np.tile(covariance, (len(persons), 1, 1))
    return Pooled(repeated, covariances, None, None, None, likelihood, len(phi))


def hierarchically(persons: Persons, free: Free, tell: Tell) -> Pooled:
    """Numbers of persons who are drawn from a normal distribution, and that distribution.

    Expectation maximisation with Laplace's approximation. By itself it takes a thousand steps where persons
    differ little, so that two steps are extrapolated before each third (Varadhan and Roland, 2008).
    """
    mean, _ = _mode(persons, free, np.arange(len(persons)), free.start(), None)
    k = len(mean)
    group = _Group(mean, np.zeros(k))
    phi = np.tile(mean, (len(persons), 1))
    before: list[_Group] = []
    for step in range(_MOST):
        covariances, log_determinants, found = _expected(persons, free, group, phi)
        spread = np.diagonal(covariances, axis1=1, axis2=2)
        new_mean = phi.mean(axis=0)
        new_variance = ((phi - new_mean) ** 2 + spread).mean(axis=0)
        new = _Group(new_mean, np.log(np.maximum(new_variance, _ALIKE)))
        settled = (np.abs(new.mean - group.mean) < _SETTLED * np.exp(new.log_variance / 2)).all() and (
            np.abs(new.log_variance - group.log_variance) < _SETTLED
        ).all()
        before.append(group)
        group = new
        tell(min(step + 1, len(persons)))
        if settled:
            break
        if len(before) == 3:
            group, before = _extrapolated(before[1], before[2], new), []
    else:
        warn(
            f"pooling did not settle within {_MOST} steps; give more trials, or fit fewer numbers",
            NumericalWarning,
        )
    mean, variance = group.mean, np.exp(group.log_variance)
    unknown = spread.mean(axis=0) > _UNSEEN * variance
    for entry, sd in zip(compress(free.entries, unknown), np.sqrt(variance[unknown]), strict=True):
        warn(
            f"responses show no differences between persons in {entry.name} (sd {sd:.2g}); standard errors "
            "take the group as known, and are too small where persons or trials are few",
            NumericalWarning,
        )
    priors = -0.5 * ((phi - mean) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1)
    likelihood = float((found + priors + 0.5 * k * np.log(2 * np.pi) - 0.5 * log_determinants).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        error = variance / np.sqrt(np.maximum(variance - spread, 0).sum(axis=0))
    return Pooled(phi, covariances, mean, variance, error, likelihood, 2 * k)


class _Group(NamedTuple):
    """What numbers of persons are drawn from."""

    mean: NDArray[np.float64]
    log_variance: NDArray[np.float64]


def _expected(
    persons: Persons, free: Free, group: _Group, phi: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Move each person to his mode; the covariances there, log determinants, and log likelihoods."""
    everybody, variance = np.arange(len(persons)), np.exp(group.log_variance)
    found = np.zeros(len(persons))
    for person in range(len(persons)):
        own = np.array([person])
        phi[person], found[person] = _mode(persons, free, own, phi[person], (group.mean, variance))
    curvatures = persons.curvatures(everybody, phi) + np.diag(1 / variance)
    return *_bounded_inverses(curvatures, variance), found


def _extrapolated(first: _Group, second: _Group, third: _Group) -> _Group:
    """Where steps that shrink as these two do would end, at most sixteen times as far."""
    one, two, three = (np.concatenate(each) for each in (first, second, third))
    step, bend = two - one, three - 2 * two + one
    length = np.clip(np.abs(step) / np.maximum(np.abs(bend), 1e-12), 1.0, 16.0)
    mean, log_variance = np.split(one + 2 * length * step + length**2 * bend, 2)
    return _Group(mean, np.clip(log_variance, np.log(_ALIKE), -np.log(_ALIKE)))


def _mode(
    persons: Persons,
    free: Free,
    who: NDArray[np.int64],
    start: NDArray[np.float64],
    prior: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> tuple[NDArray[np.float64], float]:
    """The most likely numbers of some persons together, and the log likelihood there, without the prior."""
    if prior is not None and not persons.n_responses[who].any():
        return prior[0].copy(), 0.0

    def objective(phi: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        found, gradient = persons.evaluate(who, np.tile(phi, (len(who), 1)))
        value, slope = -float(found.sum()), -gradient.sum(axis=0)
        if prior is not None:
            apart = phi - prior[0]
            value, slope = value + float((apart**2 / (2 * prior[1])).sum()), slope + apart / prior[1]
        return value, slope

    value, slope = objective(start)
    # The search tries a first step as long as the gradient, and where rates are so great that weights diverge
    # the likelihood is no number. Both lead it astray.
    scale, most = max(float(np.linalg.norm(slope)), 1.0), value + 10 * (1 + abs(value))

    def bounded(phi: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, slope = objective(phi)
        if not value < most or not np.isfinite(slope).all():
            return most / scale, np.zeros_like(phi)
        return value / scale, slope / scale

    best = need("scipy.optimize").minimize(
        bounded,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=free.bounds,
        options={"ftol": 1e-12, "gtol": 1e-6 / scale},
    )
    phi = np.asarray(best.x)
    value = float(best.fun) * scale
    if prior is not None:
        value -= float(((phi - prior[0]) ** 2 / (2 * prior[1])).sum())
    return phi, -value


def _inverse(free: Free, curvature: NDArray[np.float64], phi: NDArray[np.float64]) -> NDArray[np.float64]:
    """The covariance of what was found; NaN where a number is at a bound or not determined."""
    at_bound = np.array(
        [
            np.isclose(value, edges, rtol=0, atol=1e-6).any()
            for value, edges in zip(phi, free.bounds, strict=True)
        ]
    )
    covariance = np.full_like(curvature, np.nan)
    inside = np.flatnonzero(~at_bound)
    if len(inside) == 0:
        return covariance
    values, vectors = np.linalg.eigh(curvature[np.ix_(inside, inside)])
    flat = values <= _FLAT * max(float(values[-1]), 0.0)
    if flat.any():
        # Numbers that take part in a direction that nothing determines.
        blind = (np.abs(vectors[:, flat]) > 1e-3).any(axis=1)
        inside, kept = inside[~blind], ~blind
        if not kept.any():
            return covariance
        values, vectors = np.linalg.eigh(curvature[np.ix_(inside, inside)])
    covariance[np.ix_(inside, inside)] = (vectors / values) @ vectors.T
    return covariance


def _bounded_inverses(
    curvatures: NDArray[np.float64], variance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Inverses, and logarithms of determinants, of curvatures that are at least those of the prior."""
    root = np.sqrt(variance)
    values, vectors = np.linalg.eigh(curvatures * root[:, np.newaxis] * root)
    values = np.maximum(values, 1.0)
    inverses = (vectors / values[:, np.newaxis, :]) @ vectors.transpose(0, 2, 1)
    return inverses * root[:, np.newaxis] * root, np.log(values).sum(axis=1) - np.log(variance).sum()
