"""Influence: what each event did to a weight, with the events."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.events import Event, Events
from rescorla._shared import show
from rescorla._shared.checks import one_of, several, whole
from rescorla._shared.optional import need

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

# Rows that a notebook shows, and text.
_SHOWN = 10

_HEADS = ("row", "effect", "contribution", "cues", "outcomes", "frequency")


class Influential(NamedTuple):
    """A row of the events, and what it did.

    Attributes
    ----------
    row : int
        Its number in the events.
    effect, contribution : float
        As in `Influence`.
    event : Event
        Its cues, outcomes and frequency.
    """

    row: int
    effect: float
    contribution: float
    event: Event


class Influence:
    """What each event did to a weight or to a prediction. `influence` makes it.

    Attributes
    ----------
    cues : tuple of str
        The cue whose weight it is; of several, the cues that predict.
    outcome : str
        The outcome.
    events : Events
        What was learned from.
    rows : ndarray of int64, n_rows
        The numbers of the rows of the events, in order: all, or with ``n=`` those of the greatest effects.
    contributions : ndarray of float64, n_rows
        What each row added. All of them sum to ``value - initial``.
    effects : ndarray of float64, n_rows
        The value without the row, less the value with it.
    value : float
        The weight or the activation after the last event.
    initial : float
        What is left in it of the initial weights; 0 without them.
    parameters : dict
        How the weights were learned.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("light", "food"), ("light_tone", "food"), ("light", "")]
    ... )
    >>> rw.influence(events, "light", "food", alpha=1.0, beta=0.5)
    <Influence: light -> food, value 0.375, 3 rows>
    row  effect  contribution  cues        outcomes  frequency
      2   0.375             0  light                         1
      0  -0.125         0.125  light       food              1
      1  -0.125          0.25  light_tone  food              1
    """

    __slots__ = (
        "_n",
        "contributions",
        "cues",
        "effects",
        "events",
        "initial",
        "outcome",
        "parameters",
        "rows",
        "value",
    )

    def __init__(
        self,
        events: Events,
        cues: tuple[str, ...],
        outcome: str,
        numbers: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
        sums: Iterable[float],
        n: int | None,
        parameters: Mapping[str, Any],
    ) -> None:
        self.events, self.cues, self.outcome = events, cues, outcome
        self.rows, self.contributions, self.effects = numbers
        self.value, self.initial = sums
        self.parameters = dict(parameters)
        self._n = n

    def top(self, n: int = 10) -> list[Influential]:
        """The rows with the greatest effects, positive or negative, with their events.

        Parameters
        ----------
        n : int, default 10
            How many.

        Returns
        -------
        list of (row, effect, contribution, event)
            The greatest effect first; of equal ones the first row.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events(
        ...     [("light", "food"), ("light_tone", "food"), ("light", "")]
        ... )
        >>> found = rw.influence(events, "light", "food", alpha=1.0, beta=0.5)
        >>> row, effect, contribution, event = found.top(1)[0]
        >>> row, effect, event.cues
        (2, 0.375, ('light',))
        """
        places = np.argsort(-np.abs(self.effects), kind="stable")[: whole("n", n)]
        rows = self.rows[places]
        numbers = zip(
            rows.tolist(), self.effects[places].tolist(), self.contributions[places].tolist(), strict=True
        )
        return [Influential(*three, event) for three, event in zip(numbers, self.events[rows], strict=True)]

    def by(
        self, groups: Callable[[Event], Hashable] | Iterable[Hashable], values: str = "contributions"
    ) -> dict[Any, float]:
        """The sums of contributions over groups of rows: months, speakers, documents, types of events.

        Contributions add up. Effects do not: without one row, another row has another effect.

        Parameters
        ----------
        groups : function, or iterable with an entry for each row of the events
            The group of each row: a column, such as one of a data frame, or a function of an `Event`.
        values : "contributions"
            What is summed. "effects" is refused.

        Returns
        -------
        dict
            The sum of each group to which a row contributes, in order of their first such rows.

        Raises
        ------
        ValueError
            For effects; for a column of another length; when rows were left out by ``n=``.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events(
        ...     [("light", "food"), ("light_tone", "food"), ("light", "")]
        ... )
        >>> found = rw.influence(events, "light", "food", alpha=1.0, beta=0.5)
        >>> found.by(["Monday", "Tuesday", "Tuesday"])
        {'Monday': 0.125, 'Tuesday': 0.25}
        >>> found.by(lambda event: len(event.cues))
        {1: 0.125, 2: 0.25}
        """
        one_of("values", values, ("contributions", "effects"))
        if values == "effects":
            raise ValueError(
                "values must be 'contributions', which add up; effects do not: to leave out several rows "
                "together, learn without them"
            )
        if self._n is not None:
            raise ValueError(f"groups need all rows, and n = {self._n} were kept; leave out n")
        places = np.flatnonzero(self.contributions)
        keys: Iterable[Any]
        if callable(groups):
            keys = map(groups, self.events[places])
        else:
            column = several("groups", groups, "groups")
            if len(column) != len(self.events):
                raise ValueError(
                    f"groups must have an entry for each of the {len(self.events):,} rows of the events, not "
                    f"{len(column):,}"
                )
            keys = [column[place] for place in places.tolist()]
        sums: dict[Any, float] = {}
        for key, contribution in zip(keys, self.contributions[places].tolist(), strict=True):
            sums[key] = sums.get(key, 0.0) + contribution
        return sums

    def to_pandas(self) -> DataFrame:
        """The contributions and effects as a pandas DataFrame, with the number of the row as index.

        Returns
        -------
        pandas.DataFrame, columns contribution and effect
            ``frame.join(events.to_pandas())`` puts the events beside them.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        pd = need("pandas")
        index = pd.Index(self.rows, name="row")
        columns = {"contribution": self.contributions, "effect": self.effects}
        frame: DataFrame = pd.DataFrame(columns, index=index)
        return frame

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        lines = [list(_HEADS), *self._lines()]
        # Of cues and outcomes, which are text, the left ends stand under each other.
        for place in (3, 4):
            width = max(len(line[place]) for line in lines)
            for line in lines:
                line[place] = line[place].ljust(width)
        return "\n".join([self._head(), *show.columns(lines, left=0)])

    def _repr_html_(self) -> str:
        """The rows of the greatest effects, for a notebook."""
        order = [3, 4, 0, 1, 2, 5]
        lines = [[line[place] for place in order] for line in self._lines()]
        table = show.table([_HEADS[place] for place in order], lines, left=2)
        return show.notebook_html(self._head(), table, show.details(self.parameters))

    def _head(self) -> str:
        cues = show.short(" ".join(self.cues))
        kept = "" if self._n is None else f" of {len(self.events):,}"
        of = f"{cues} -> {show.short(self.outcome)}, value {show.rounded(self.value)}"
        return f"<Influence: {of}, {len(self):,}{kept} rows>"

    def _lines(self) -> list[list[str]]:
        """The rows of the greatest effects, as cells."""
        return [
            [
                str(row),
                show.rounded(effect),
                show.rounded(contribution),
                show.short("_".join(event.cues), 40),
                show.short("_".join(event.outcomes)),
                str(event.frequency),
            ]
            for row, effect, contribution, event in self.top(_SHOWN)
        ]
