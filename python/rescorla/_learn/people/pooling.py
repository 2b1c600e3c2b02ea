"""Modes, curvatures, and what persons have in common."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._learn.people.free import Free
from rescorla._shared.warn import NumericalWarning, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Step of the differences of exact gradients.
_STEP = 1e-4
# Steps of differences of likelihoods, and of such differences: wide, since many rules have kinks and jumps.
_WIDE, _WIDER = 2e-2, 1e-1
# A mode is found where a step would gain less than this part of the log likelihood; by wide differences.
_GAIN, _ROUGH_GAIN = 1e-11, 1e-7
# The longest step on a logarithmic or logistic scale, the least part of a step, and the most steps.
_LONGEST, _SHORTEST, _STEPS = 2.0, 1e-4, 200
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
        found, gradient = self._passed(persons, phi)
        guessed = self._free.by_differences
        if len(guessed):
            beside = _beside(phi, guessed, _WIDE)
            sides = self._passed(np.tile(persons, 2 * len(guessed)), beside.reshape(-1, phi.shape[1]))[0]
            above, below = sides.reshape(2, len(guessed), len(phi))
            with np.errstate(invalid="ignore"):
                gradient[:, guessed] = ((above - below) / (2 * _WIDE)).T
        return found, gradient

    def curvatures(self, persons: NDArray[np.int64], phi: NDArray[np.float64]) -> NDArray[np.float64]:
        """Minus the Hessian of each log likelihood, by central differences of gradients."""
        (n, k), by = phi.shape, _WIDER if len(self._free.by_differences) else _STEP
        beside = _beside(phi, np.arange(k), by).reshape(-1, k)
        above, below = self.evaluate(np.tile(persons, 2 * k), beside)[1].reshape(2, k, n, k)
        with np.errstate(invalid="ignore"):
            found = np.nan_to_num((below - above) / (2 * by), posinf=0.0, neginf=0.0).transpose(1, 0, 2)
        return np.asarray((found + found.transpose(0, 2, 1)) / 2)

    def _passed(
        self, persons: NDArray[np.int64], phi: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """As `evaluate`, with the gradient that the engine has."""
        values = self._free.values(phi)
        gradients = np.zeros_like(values)
        found = self._engine.evaluate(persons, values, gradients, threads=self._threads, progress=None)
        self.n_evaluations += len(persons)
        return found, self._free.gradient(phi, gradients)


class _Together:
    """The log likelihood of all persons, as that of one."""

    def __init__(self, persons: Persons) -> None:
        self._persons, self._everybody = persons, np.arange(len(persons))

    def __len__(self) -> int:
        return 1

    def evaluate(
        self, persons: NDArray[np.int64], phi: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found, gradients = self._persons.evaluate(*self._each(phi))
        return found.reshape(len(phi), -1).sum(axis=1), self._summed(gradients, phi)

    def curvatures(self, persons: NDArray[np.int64], phi: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._summed(self._persons.curvatures(*self._each(phi)), phi)

    def _each(self, phi: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return np.tile(self._everybody, len(phi)), np.repeat(phi, len(self._everybody), axis=0)

    def _summed(self, found: NDArray[np.float64], phi: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(found.reshape(len(phi), -1, *found.shape[1:]).sum(axis=1))


def _beside(phi: NDArray[np.float64], numbers: NDArray[np.int64], by: float) -> NDArray[np.float64]:
    """The rows with one number greater by so much, for each of these numbers; and with it smaller."""
    steps = by * np.eye(phi.shape[1])[numbers, np.newaxis]
    return np.stack([phi + steps, phi - steps])


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
    start = np.tile(free.start(), (len(persons), 1))
    phi, likelihoods, curvatures = _modes(persons, free, start, tell=tell)
    covariances = np.array(
        [_inverse(free, curvature, own) for curvature, own in zip(curvatures, phi, strict=True)]
    )
    k = phi.shape[1] * int((persons.n_responses > 0).sum())
    return Pooled(phi, covariances, None, None, None, float(likelihoods.sum()), k)


def completely(persons: Persons, free: Free, tell: Tell) -> Pooled:
    """The most likely numbers, the same for all persons."""
    phi, likelihood, curvature = _modes(_Together(persons), free, free.start()[np.newaxis])
    tell(len(persons))
    covariance = _inverse(free, curvature[0], phi[0])
    n = len(persons)
    phi, covariances = np.repeat(phi, n, axis=0), np.tile(covariance, (n, 1, 1))
    return Pooled(phi, covariances, None, None, None, float(likelihood[0]), phi.shape[1])


def hierarchically(persons: Persons, free: Free, tell: Tell) -> Pooled:
    """Numbers of persons who are drawn from a normal distribution, and that distribution.

    Expectation maximisation with Laplace's approximation. By itself it takes a thousand steps where persons
    differ little, so that two steps are extrapolated before each third (Varadhan and Roland, 2008).
    """
    phi, curvatures = completely(persons, free, tell).phi, None
    k = phi.shape[1]
    group = _Group(phi[0], np.zeros(k))
    before: list[_Group] = []
    for step in range(_MOST):
        prior = group.mean, np.exp(group.log_variance)
        phi, found, curvatures = _modes(persons, free, phi, prior, curvatures)
        covariances, log_determinants = _bounded_inverses(curvatures + np.diag(1 / prior[1]), prior[1])
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


def _extrapolated(first: _Group, second: _Group, third: _Group) -> _Group:
    """Where steps that shrink as these two do would end, at most sixteen times as far."""
    one, two, three = (np.concatenate(each) for each in (first, second, third))
    step, bend = two - one, three - 2 * two + one
    length = np.clip(np.abs(step) / np.maximum(np.abs(bend), 1e-12), 1.0, 16.0)
    mean, log_variance = np.split(one + 2 * length * step + length**2 * bend, 2)
    return _Group(mean, np.clip(log_variance, np.log(_ALIKE), -np.log(_ALIKE)))


def _modes(
    persons: Persons | _Together,
    free: Free,
    phi: NDArray[np.float64],
    prior: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    curvatures: NDArray[np.float64] | None = None,
    tell: Tell = lambda _: None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The most likely numbers of each person; log likelihoods and curvatures there, without the prior.

    All persons go at once, within the bounds, by steps of Newton. The curvature is that of the start, and
    follows the gradients (Broyden, Fletcher, Goldfarb, Shanno). A step that makes it worse is halved.
    """
    everybody, k = np.arange(len(persons)), phi.shape[1]
    mean, precision = (np.zeros(k), np.zeros(k)) if prior is None else (prior[0], 1 / prior[1])
    lower, upper = np.array(free.bounds).T
    gain = _ROUGH_GAIN if len(free.by_differences) else _GAIN
    longest = np.array([np.inf if entry.scale == "identity" else _LONGEST for entry in free.entries])

    def objective(
        who: NDArray[np.int64], phi: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found, gradient = persons.evaluate(who, phi)
        apart = precision * (phi - mean)
        return (apart * (phi - mean)).sum(axis=1) / 2 - found, apart - gradient

    if curvatures is None:
        curvatures = persons.curvatures(everybody, phi)
    sizes, vectors = np.linalg.eigh(curvatures + np.diag(precision))
    sizes = np.maximum(np.abs(sizes), 1e-8 * np.abs(sizes).max(axis=1, keepdims=True) + 1e-12)
    bent = (vectors * sizes[:, np.newaxis, :]) @ vectors.transpose(0, 2, 1)
    value, slope = objective(everybody, phi)
    phi, part, who = phi.copy(), np.ones(len(persons)), everybody
    for _ in range(_STEPS):
        at = phi[who]
        free_to_move = ((at > lower) | (slope[who] < 0)) & ((at < upper) | (slope[who] > 0))
        down = np.where(free_to_move, slope[who], 0.0)
        both = free_to_move[:, :, np.newaxis] & free_to_move[:, np.newaxis, :]
        step = -np.linalg.solve(np.where(both, bent[who], np.eye(k)), down[:, :, np.newaxis])[:, :, 0]
        least = gain * (1 + np.abs(value[who]))
        # Not where the likelihood is no number, either.
        moving = (-(step * down).sum(axis=1) > least) & (part[who] >= _SHORTEST)
        who, at, down, step, least = who[moving], at[moving], down[moving], step[moving], least[moving]
        tell(len(persons) - len(who))
        if len(who) == 0:
            break
        step *= (part[who] / np.maximum((np.abs(step) / longest).max(axis=1), 1.0))[:, np.newaxis]
        new = np.clip(at + step, lower, upper)
        new_value, new_slope = objective(who, new)
        step = new - at
        better = new_value <= value[who] + np.minimum(1e-4 * (step * down).sum(axis=1), 0) + least
        better &= np.isfinite(new_slope).all(axis=1)
        gains = value[who] - new_value > least
        part[who] = np.where(better, gains, part[who] / 2)
        own, step, new_slope = who[better], step[better], new_slope[better]
        change = new_slope - slope[own]
        phi[own], value[own], slope[own] = new[better], new_value[better], new_slope
        bent[own] = _followed(bent[own], step, change)
    else:
        warn(f"the search did not end within {_STEPS} steps; set narrower bounds", NumericalWarning)
    apart = phi - mean
    return phi, (precision * apart * apart).sum(axis=1) / 2 - value, persons.curvatures(everybody, phi)


def _followed(
    bent: NDArray[np.float64], step: NDArray[np.float64], change: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Curvatures after steps that changed the gradients so, where these say something."""
    moved = (bent @ step[:, :, np.newaxis])[:, :, 0]
    along, before = (step * change).sum(axis=1), (step * moved).sum(axis=1)
    known = along > 1e-8 * np.sqrt((step**2).sum(axis=1) * (change**2).sum(axis=1))
    outer = [each[known, :, np.newaxis] * each[known, np.newaxis, :] for each in (change, moved)]
    bent[known] += outer[0] / along[known, np.newaxis, np.newaxis]
    bent[known] -= outer[1] / before[known, np.newaxis, np.newaxis]
    return bent


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
