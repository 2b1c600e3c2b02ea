"""Sensitivity: the derivatives of a weight, with the names of the cues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared import show
from rescorla._shared.checks import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cues that a notebook shows, and text.
_SHOWN = 10


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
        return show.page(self._head(), table, show.details(self.parameters))

    def _head(self) -> str:
        cues = show.short(" ".join(self.cues))
        return f"<Sensitivity: {cues} -> {show.short(self.outcome)}, value {show.number(self.value)}>"

    def _lines(self) -> list[list[str]]:
        """Names and derivatives, as cells."""
        numbers = {
            "beta1": self.beta1,
            "beta2": self.beta2,
            "lambda": self.lambda_,
            "retention": self.retention,
            **{f"alpha of {show.short(cue)}": number for cue, number in self.top(_SHOWN)},
        }
        return [[name, show.number(number)] for name, number in numbers.items()]
