"""What theory says of students of a rule, for N to infinity.

A student w has the overlap R = w.w* / |w||w*| with the teacher, and is wrong about a part acos(R) / pi of
all inputs. Phi is the normal distribution, Dt its density.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import acos, exp, nan, pi, sqrt

from rescorla._shared.optional import need


def hebb(alpha: float) -> float:
    """The overlap of the sum of S x: along the teacher sqrt(2 / pi) alpha, beside it sqrt(alpha)."""
    return sqrt(2 * alpha / (2 * alpha + pi))


def least_squares(alpha: float) -> float:
    """The overlap of least squares, of least norm where alpha < 1.

    S is sqrt(2 / pi) times the teacher's field, and a rest of variance 1 - 2 / pi that is uncorrelated with
    the inputs. The inverse of a random matrix blows the rest up by 1 / |alpha - 1|.
    """
    if alpha < 1:
        return sqrt(2 * alpha * (1 - alpha) / (pi - 2 * alpha))
    return sqrt(2 * (alpha - 1) / (2 * alpha + pi - 4))


def optimal(alpha: float) -> float:
    """The overlap of the plane of greatest stability kappa, s = sqrt(1 - R^2):

    s^2 = 2 alpha * integral of Dt (kappa - t)^2 Phi(R t / s) over t < kappa
    R = alpha / (pi s) * integral of (kappa - t) exp(-t^2 / 2 s^2) over t < kappa
    """
    brentq, ndtr = need("scipy.optimize").brentq, need("scipy.special").ndtr

    def excess(r: float) -> float:
        s = sqrt(1 - r * r)

        # The second equation says what kappa is; its integral rises with kappa.
        def second(kappa: float) -> float:
            tail = kappa * s * sqrt(2 * pi) * float(ndtr(kappa / s))
            return s * s * exp(-((kappa / s) ** 2) / 2) + tail - pi * s * r / alpha

        high = 1.0
        while second(high) < 0:
            high *= 2
        kappa = brentq(second, -40 * s, high, xtol=1e-14)
        # For large alpha, s and kappa are small, and so is what of t counts.
        mean = _integral(lambda t: (kappa - t) ** 2 * float(ndtr(r / s * t)), kappa, min(kappa, 0.0) - 10 * s)
        return s * s - 2 * alpha * mean

    return float(brentq(excess, 1e-6, 1 - 1e-12, xtol=1e-14))


def gibbs(alpha: float) -> float:
    """The overlap of a plane drawn at random from all that get the examples right:

    R = alpha / pi * sqrt(1 - R) * integral of Dt exp(-R t^2 / 2) / Phi(-sqrt(R) t)
    """
    brentq, log_ndtr = need("scipy.optimize").brentq, need("scipy.special").log_ndtr

    def excess(r: float) -> float:
        mean = _integral(lambda t: exp(-r * t * t / 2 - float(log_ndtr(-sqrt(r) * t))))
        return r - alpha / pi * sqrt(1 - r) * mean

    return float(brentq(excess, 1e-12, 1 - 1e-12, xtol=1e-14))


def bayes(alpha: float) -> float:
    """The overlap of what is best on average: the centre of the planes that get the examples right."""
    return sqrt(gibbs(alpha))


_OVERLAPS: dict[str, Callable[[float], float]] = {
    "hebb": hebb,
    "least_squares": least_squares,
    "minover": optimal,
    "adatron": optimal,
    "gibbs": gibbs,
    "bayes": bayes,
}


def error(student: str, alpha: float) -> float:
    """The part of all inputs that a student is wrong about; NaN where no theory is known here."""
    if alpha == 0:
        return 0.5
    return acos(_OVERLAPS[student](alpha)) / pi if student in _OVERLAPS else nan


def _integral(integrand: Callable[[float], float], end: float = 12.0, middle: float = 0.0) -> float:
    """Of Dt, in two parts: beyond 12 there is nothing of the normal distribution."""
    quad = need("scipy.integrate").quad
    bounds = sorted((min(-12.0, end - 12.0), middle, min(end, 12.0)))
    return sum(
        float(
            quad(lambda t: exp(-t * t / 2) / sqrt(2 * pi) * integrand(t), *part, epsabs=1e-14, limit=200)[0]
        )
        for part in pairwise(bounds)
    )
