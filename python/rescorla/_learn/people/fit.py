"""What was fitted to persons' responses."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._learn.people.trials import Trials
from rescorla._shared import show
from rescorla._shared.checks import Seed, generator, whole
from rescorla._shared.optional import need

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray


class Columns(dict[str, "NDArray[Any]"]):
    """Columns of a table, arrays of one length."""

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a data frame."""
        frame: pandas.DataFrame = need("pandas").DataFrame(dict(self))
        return frame

    def __repr__(self) -> str:
        return "\n".join(show.columns([list(self), *self._lines()], left=0))

    def _repr_html_(self) -> str:
        return show.table(list(self), self._lines(), left=0)

    def _lines(self) -> list[list[str]]:
        """The cells of each row."""
        return [
            [
                show.rounded(float(each)) if isinstance(each, float | np.floating) else str(each)
                for each in row
            ]
            for row in zip(*self.values(), strict=True)
        ]


class Fit:
    """A model of persons' responses, fitted; `fit_each` makes it.

    Attributes
    ----------
    parameters : Columns
        ``person``, ``name``, ``estimate`` and ``standard_error`` of each number of each person; NaN where
        responses do not determine it.
    group : Columns
        Of each number over the persons: ``name``; ``typical``, the natural number of the mean; ``mean``,
        ``sd`` and ``standard_error`` of the mean, on the ``scale`` on which they are normal. With pooling
        "none" of the estimates; with "complete" the sd is 0.
    log_likelihood : float
        Of all responses; with hierarchical pooling of the group, the persons' numbers integrated out.
    aic, bic : float
    n_parameters, n_responses, n_evaluations : int
        How many numbers were fitted, responses there were, and passes through a person's trials it took.

    Examples
    --------
    >>> import rescorla as rw
    >>> trials = {
    ...     "cues": ["light"] * 6,
    ...     "outcomes": ["food"] * 6,
    ...     "answer": ["none", "none", "food", "none", "food", "food"],
    ... }
    >>> fit = rw.fit_each(
    ...     trials,
    ...     by=None,
    ...     response="answer",
    ...     choices=["none", "food"],
    ...     free=["beta"],
    ...     theta=3.0,
    ...     pooling="none",
    ... )
    >>> fit.parameters["estimate"].round(3)
    array([0.095])
    >>> fit.aic == 2 - 2 * fit.log_likelihood
    True
    >>> fit.predictions["p_food"].round(2)
    array([0.5 , 0.57, 0.63, 0.69, 0.73, 0.77])
    """

    def __init__(
        self,
        parameters: Columns,
        group: Columns,
        counts: tuple[float, int, int, int],
        fitted: Any,
        described: str,
    ) -> None:
        self.parameters, self.group = parameters, group
        self.log_likelihood, self.n_parameters, self.n_responses, self.n_evaluations = counts
        self._fitted, self._described = fitted, described

    @property
    def aic(self) -> float:
        """2 k - 2 log likelihood, k being the number of parameters."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """k log n - 2 log likelihood, n being the number of responses."""
        return self.n_parameters * float(np.log(max(self.n_responses, 1))) - 2 * self.log_likelihood

    @cached_property
    def predictions(self) -> Trials:
        """The trials with what each person predicts; ``p`` is the probability of his response, or density."""
        trials: Trials = self._fitted.predictions()
        return trials

    def score(self, trials: Any) -> float:
        """The log likelihood of responses that were held out, by each person's numbers.

        Parameters
        ----------
        trials : as for `fit_each`
            All trials of the persons from the first on; the responses that were fitted are missing in them.

        Returns
        -------
        float
        """
        return float(self._fitted.score(trials))

    def recover(self, n: int, seed: Seed) -> Columns:
        """Simulate responses to the same trials, fit them, and put what is found beside what is true.

        Parameters
        ----------
        n : int
            How many studies to simulate.
        seed : int or numpy Generator
            Persons' numbers are drawn from the group; without one they are those that were fitted.

        Returns
        -------
        Columns
            ``study``, ``person``, ``name``, ``true``, ``found``, ``standard_error``.
        """
        n, random = whole("n", n, 1), generator(seed)
        studies = [self._fitted.recovered(random) for _ in range(n)]
        columns = {name: np.concatenate([study[name] for study in studies]) for name in studies[0]}
        return Columns(
            study=np.repeat(np.arange(1, n + 1), [len(study["name"]) for study in studies]), **columns
        )

    def compare(self, *fits: Fit) -> Columns:
        """This fit and others of the same responses, side by side, the best by AIC first.

        Parameters
        ----------
        *fits : Fit
            Others of the same responses.

        Returns
        -------
        Columns
            ``fit`` (0 is this one), ``model``, ``n_parameters``, ``log_likelihood``, ``aic``, ``bic``.

        Raises
        ------
        ValueError
            When a fit is of another number of responses.
        """
        for fit in fits:
            if not isinstance(fit, Fit):
                raise TypeError(f"fits must be made by fit_each, not {type(fit).__name__}")
            if fit.n_responses != self.n_responses:
                raise ValueError(
                    f"fits must be of the same responses, and have {self.n_responses:,} and "
                    f"{fit.n_responses:,}"
                )
        beside = (self, *fits)
        order = sorted(range(len(beside)), key=lambda at: beside[at].aic)
        names = ("n_parameters", "log_likelihood", "aic", "bic")
        return Columns(
            fit=np.array(order),
            model=np.array([beside[at]._described for at in order]),
            **{name: np.array([getattr(beside[at], name) for at in order]) for name in names},
        )

    def __repr__(self) -> str:
        return f"{self._head()}\n{self.group!r}"

    def _repr_html_(self) -> str:
        return show.notebook_html(self._head(), self.group._repr_html_())

    def _head(self) -> str:
        return f"<Fit: {self._described}; log likelihood {self.log_likelihood:.2f}>"
