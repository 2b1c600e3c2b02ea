"""Numbers as overlapping cues."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real

import numpy as np

from rescorla._events.frames import entries_of
from rescorla._shared.checks import flag, number, rate, several, string, whole

# How much more than a whole number of steps a window may be, or beyond an end of the scale a cue may lie, in
# steps: what decimal fractions lose in binary.
_FUZZ = 1e-10
# All that a float64 has after the point.
_DIGITS = 1074
# The most cues on one side of a value.
_STEPS = 1_000_000


def cue_window(
    values: Iterable[float],
    n: float | tuple[float, float] = 1,
    *,
    step: float = 1,
    weights: Sequence[int] | None = None,
    min: float = 1,
    max: float = 100,
    rounded: bool = True,
    decimals: int | None = None,
    prefix: str = "",
    suffix: str = "",
) -> list[tuple[str, ...]]:
    """Make cues of numbers on a scale: a number becomes the cues within a window around it.

    Near numbers share cues, so that what is learned of one generalises to its neighbours: continuous input
    for a learner of discrete cues. The cues of x are

        x + i * step,    i = -floor(before / step), ..., 0, ..., floor(after / step)

    as far as they lie on the scale from `min` to `max`.

    Parameters
    ----------
    values : iterable of float
        Where on the scale each event is.
    n : float or pair of float, default 1
        The width of the window, of which one half lies on each side: 1 is the number alone, 3 has one
        neighbour on each side (and so has 2: a whole step must fit into each half). A pair gives (before,
        after).
    step : float, default 1
        How far neighbouring cues are apart.
    weights : sequence of int, optional
        How often each cue of the window is there, from the lowest to the highest, before the ends of the
        scale cut it: as many numbers as the window has cues. None: once each. With weights, tell
        `read_events` ``duplicates="keep"``, or it counts each cue once.
    min, max : float, default 1 and 100
        The ends of the scale; a window has no cues beyond them, and a number far outside has none at all.
    rounded : bool, default True
        Whether numbers move to the nearest multiple of `step` first, halves to the even one.
    decimals : int, optional
        Decimals in the names of cues. None: as many as `step` has.
    prefix, suffix : str, default ""
        What stands before and after each number in the names of the cues.

    Returns
    -------
    list of tuple of str
        The cues of each value, from the lowest to the highest: with outcomes beside them, events.

    Raises
    ------
    ValueError
        When a number is not finite, `step` not positive, `n` negative, `min` greater than `max`, or `weights`
        of another length than the window.
    TypeError
        When an argument is of a wrong type.

    Notes
    -----
    This is ``cueWindow`` of the R package edl, with these differences. Names come in tuples, not joined by
    ``_``; weights come out as repeated cues only. With ``rounded=True`` cues are whole multiples of `step`,
    so that binary fractions neither drop the last cue of a window, or of the scale, nor make a cue "-0".
    Names have the decimals of `step`: 0.25 gives "0.75" where edl has ``ceil(log10(1 / step))`` decimals and
    "0.8".

    References
    ----------
    van Rij, J. and Hoppe, D. (2021). edl: Toolbox for Error-Driven Learning Simulations with Two-Layer
    Networks. R package version 1.1.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.cue_window([3.2, 1, 10], n=3, max=10)
    [('2', '3', '4'), ('1', '2'), ('9', '10')]
    >>> rw.cue_window([0.5], n=(0.5, 0.25), step=0.25, min=0, max=1, prefix="f")
    [('f0.00', 'f0.25', 'f0.50', 'f0.75')]
    >>> loudness = rw.cue_window([4, 5], n=3, weights=[1, 2, 1], prefix="dB")
    >>> rw.read_events(zip(loudness, ["soft", "loud"]), duplicates="keep")[0].cues
    ('dB3', 'dB4', 'dB4', 'dB5')
    """
    spacing = number("step", step)
    if spacing <= 0:
        raise ValueError(f"step must be more than 0, not {step}")
    lowest, highest = number("min", min), number("max", max)
    if lowest > highest:
        raise ValueError(f"min must not be more than max: {min} is more than {max}")
    before, after = _reach(n, spacing)
    offsets = range(-before, after + 1)
    times = (
        [1] * len(offsets)
        if weights is None
        else [whole("weights", each) for each in several("weights", weights, "numbers")]
    )
    if len(times) != len(offsets):
        raise ValueError(
            f"weights must be {len(offsets)} numbers, one for each cue of the window, not {len(times)}"
        )
    places = _decimals(spacing) if decimals is None else whole("decimals", decimals, most=_DIGITS)
    rounded, prefix, suffix = flag("rounded", rounded), string("prefix", prefix), string("suffix", suffix)

    def cues(value: float) -> tuple[str, ...]:
        x = number("values", value)
        # In steps from 0, where a cue that is rounded is a whole number.
        origin = round(x * (1 / spacing)) if rounded else x / spacing
        found = []
        for offset, n_times in zip(offsets, times, strict=True):
            at = origin + offset
            if lowest / spacing - _FUZZ <= at <= highest / spacing + _FUZZ:
                found += [f"{prefix}{at * spacing:.{places}f}{suffix}"] * n_times
        return tuple(found)

    return [cues(value) for value in several("values", entries_of(values), "numbers")]


def _reach(n: float | tuple[float, float], step: float) -> tuple[int, int]:
    """How many whole steps the window reaches to each side."""
    if isinstance(n, int | float | Real):
        before = after = rate("n", n) / 2
    else:
        both = several("n", n, "numbers, (before, after)")
        if len(both) != 2:
            raise ValueError(f"n must be a width or a pair (before, after), not {len(both)} numbers")
        before, after = (rate("n", each) for each in both)
    if max(before, after) / step > _STEPS:
        raise ValueError(f"n must be at most {_STEPS} steps, of which each is a cue")
    return math.floor(before / step + _FUZZ), math.floor(after / step + _FUZZ)


def _decimals(number: float) -> int:
    """How many decimals a number has, written out."""
    return len(np.format_float_positional(number, trim="-").partition(".")[2])
