"""What each parameter of the rule does to a weight or to a prediction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

import rescorla._core as _core
from rescorla._events.given import Source
from rescorla._learn.influence.asked import Pair, asked_of
from rescorla._learn.schedule import Schedule
from rescorla._shared import show
from rescorla._shared.checks import PerName, whole
from rescorla._shared.progress import Progress
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cues that a notebook shows, and text.
_SHOWN = 10


@overload
def sensitivity(
    events: Source,
    cues: str | Iterable[str],
    outcome: str,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    progress: Progress = None,
) -> Sensitivity: ...


@overload
def sensitivity(
    events: Source,
    *,
    pairs: Iterable[Pair],
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    progress: Progress = None,
) -> list[Sensitivity]: ...


def sensitivity(
    events: Source,
    cues: str | Iterable[str] | None = None,
    outcome: str | None = None,
    *,
    pairs: Iterable[Pair] | None = None,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    schedule: Schedule | None = None,
    initial: Weights | None = None,
    progress: Progress = None,
) -> Sensitivity | list[Sensitivity]:
    """The exact derivatives of a weight or a prediction by the parameters of the rule.

    With y = v'w the weight, or the activation by several cues, as in `influence`; for each token, from the
    last to the first, with e = y at first, s = v'Dc and u = beta * (lambda * o - a):

        dy/dalpha_i   += c_i * v_i * u
        dy/dbeta1     += s * (lambda - a)   where the outcome is present
        dy/dbeta2     += -s * a             where it is absent
        dy/dlambda    += beta1 * s          where it is present
        dy/dretention += (e - s * u) / retention
        e <- e - s * u - beta * s * a
        v <- retention * v - beta * s * c

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What is learned from, as for `influence`.
    cues : str or sequence of str
        A cue, for its weight; several, for the activation by all of them.
    outcome : str
        The outcome.
    pairs : iterable of (str or sequence of str, str), optional
        Instead of `cues` and `outcome`: several pairs of both.
    alpha, beta, lambda_, retention, schedule, initial, progress
        As in `learn`. A mapping or array `lambda_` is for the outcomes that are asked for only.

    Returns
    -------
    Sensitivity, or a list of Sensitivity where there are `pairs`
        ``alpha``, an array with a number for each cue; the numbers ``beta1``, ``beta2``, ``lambda_`` and
        ``retention``; `top`.

    Raises
    ------
    ValueError, KeyError, TypeError, FloatingPointError, FormatError, OSError, MemoryError
        As `influence`.

    Warns
    -----
    RescorlaWarning
        As `learn`.

    Notes
    -----
    Where all cues have one salience, the derivative by it is ``alpha.sum()``. Where there is one rate beta,
    it is ``beta1 + beta2``. Factors of a schedule stay as they are. The derivative by the retention is there
    also where nothing is forgotten.

    The work is two passes over the events. Memory is 8 bytes for each row and outcome, and for each cue and
    pair.

    See Also
    --------
    influence : what each event does.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light", "food"), ("light_tone", "food")])
    >>> found = rw.sensitivity(
    ...     events, ["light", "tone"], "food", alpha=0.5, beta=0.5
    ... )
    >>> found.alpha
    array([0.625, 0.375])
    >>> found.top(1)
    [('light', 0.625)]
    """
    asked = asked_of(
        "sensitivity",
        events,
        cues,
        outcome,
        pairs,
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        retention=retention,
        schedule=schedule,
        initial=initial,
        progress=progress,
    )
    report, parameters = asked.answered(_core.sensitivity, progress)
    found = [
        Sensitivity(cues, outcome, value, asked.request.plan.all_cues, derivatives, parameters)
        for cues, outcome, value, derivatives in zip(
            asked.cues, asked.outcomes, report["values"], report["derivatives"], strict=True
        )
    ]
    return found[0] if asked.single else found


class Sensitivity:
    """The derivatives of a weight or a prediction by the rule's parameters. `sensitivity` makes it.

    Attributes
    ----------
    cues : tuple of str
        The cue whose weight it is; of several, the cues that predict.
    outcome : str
        The outcome.
    value : float
        The weight or the activation after the last event.
    all_cues : tuple of str
        All cues: those of the initial weights, then those of the events.
    alpha : ndarray of float64, n_cues
        The derivative by the salience of each of `all_cues`.
    beta1, beta2, lambda_, retention : float
        The derivatives by the learning rates where the outcome is present and where it is absent, by its
        asymptote, and by what each token leaves of the weights.
    parameters : dict
        How the weights were learned.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light", "food"), ("light_tone", "food")])
    >>> rw.sensitivity(events, ["light", "tone"], "food", alpha=0.5, beta=0.5)
    <Sensitivity: light tone -> food, value 0.625>
    derivative by
    beta1               1
    beta2               0
    lambda          0.625
    retention        0.25
    alpha of light  0.625
    alpha of tone   0.375
    """

    __slots__ = (
        "all_cues",
        "alpha",
        "beta1",
        "beta2",
        "cues",
        "lambda_",
        "outcome",
        "parameters",
        "retention",
        "value",
    )

    def __init__(
        self,
        cues: tuple[str, ...],
        outcome: str,
        value: float,
        all_cues: tuple[str, ...],
        derivatives: tuple[NDArray[np.float64], float, float, float, float],
        parameters: Mapping[str, Any],
    ) -> None:
        self.cues, self.outcome, self.value = cues, outcome, value
        self.all_cues = all_cues
        self.alpha, self.beta1, self.beta2, self.lambda_, self.retention = derivatives
        self.parameters = dict(parameters)

    def top(self, n: int = 10) -> list[tuple[str, float]]:
        """The cues whose saliences matter most, with the derivatives by these.

        Parameters
        ----------
        n : int, default 10
            How many.

        Returns
        -------
        list of (cue, derivative)
            By size, positive or negative; of equal ones the first cue.
        """
        places = np.argsort(-np.abs(self.alpha), kind="stable")[: whole("n", n)].tolist()
        return [(self.all_cues[place], float(self.alpha[place])) for place in places]

    def __repr__(self) -> str:
        return "\n".join([self._head(), *show.columns([["derivative by", ""], *self._lines()])])

    def _repr_html_(self) -> str:
        """All derivatives, those by saliences as far as they are the greatest, for a notebook."""
        table = show.table(["derivative by", ""], self._lines())
        return show.notebook_html(self._head(), table, show.details(self.parameters))

    def _head(self) -> str:
        cues = show.short(" ".join(self.cues))
        return f"<Sensitivity: {cues} -> {show.short(self.outcome)}, value {show.rounded(self.value)}>"

    def _lines(self) -> list[list[str]]:
        """Names and derivatives, as cells."""
        numbers = {
            "beta1": self.beta1,
            "beta2": self.beta2,
            "lambda": self.lambda_,
            "retention": self.retention,
            **{f"alpha of {show.short(cue)}": number for cue, number in self.top(_SHOWN)},
        }
        return [[name, show.rounded(number)] for name, number in numbers.items()]
