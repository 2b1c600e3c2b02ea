"""What the equilibrium would predict of each row without that row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._events.given import Source, events_given, is_pair
from rescorla._learn.equilibrium import equilibrium
from rescorla._learn.leverage import DECIDES, distinct_rows, rows_and_targets, solutions
from rescorla._learn.sides import sides_of_events, sides_of_pair
from rescorla._shared.checks import one_of, rate, thread_count, whole
from rescorla._shared.optional import need
from rescorla._shared.progress import Progress, watching
from rescorla._weights.directions import best_ranks, blocks, directions
from rescorla._weights.vectors import Examples, Vectors

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from rescorla._learn.arrays import Rows


def leave_one_out(
    events: Source | tuple[Examples, Examples],
    *,
    ridge: float = 0.0,
    cue_vectors: Vectors | None = None,
    outcome_vectors: Vectors | None = None,
    leave: Literal["row", "token"] = "row",
    threads: int | None = None,
    progress: Progress = None,
) -> LeaveOneOut:
    """What the equilibrium predicts of each event when it is learned from all the others, without relearning.

    With X the rows of cues, Q their frequencies, Z the targets, W the `equilibrium` and P = (X'QX + ridge
    I)^+, row i has the leverage h_i and without it the error

        h_i = q_i x_i'P x_i,    e_(-i) = (z_i - W'x_i) / (1 - h_i)

    A row with h_i = 1 alone decides what is predicted of it. Without it the weights of least norm give

        e_(-i) = W'g_i / (q_i |g_i|^2),    g_i = P x_i

    Parameters
    ----------
    events : Events, path, iterable or data frame; or a pair (X, Z)
        What is learned from, as for `equilibrium`.
    ridge : float, default 0.0
        As for `equilibrium`.
    cue_vectors, outcome_vectors : optional
        The vectors of cues and of outcomes, as for `equilibrium`.
    leave : {"row", "token"}, default "row"
        What is left out: a row of the events with all its tokens, or one token of it. An event that stands in
        two rows is left out in one of them; see `Events.distinct`.
    threads : int, optional
        How many threads to use at the most; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    LeaveOneOut
        ``errors`` and ``predictions``, n_rows x n_outcomes or n_dimensions; ``leverages``; `ranks`,
        `accuracy`, `to_pandas`.

    Raises
    ------
    ValueError, TypeError, KeyError, FormatError, OSError, MemoryError, ArithmeticError
        As `equilibrium`.

    See Also
    --------
    equilibrium : the weights of all rows.
    standard_errors : how far they would vary in other samples.

    Notes
    -----
    Rows with the same cues share one solution; each takes 2 r^2 multiplications, and twice that to refine it,
    r being the rank. ``errors`` and ``predictions`` take 8 bytes for each row and outcome. Events of
    frequency 0 are predicted by the weights of all, since they are in none. A ridge stays as it is when a row
    is left out.

    References
    ----------
    Allen, D. M. (1974). The relationship between variable selection and data augmentation and a method for
    prediction. Technometrics 16, 125-127.

    Examples
    --------
    >>> import rescorla as rw
    >>> X = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]
    >>> found = rw.leave_one_out((X, [0.0, 1.0, 2.0, 5.0]))
    >>> found.errors.ravel().round(3)
    array([ 1.333, -0.286, -1.143,  2.   ])
    >>> found.leverages.round(3)
    array([0.7, 0.3, 0.3, 0.7])
    """
    one_of("leave", leave, ("row", "token"))
    ridge, n_threads = rate("ridge", ridge), thread_count(threads)
    given: Any = events if is_pair(events) else events_given(events, "leave_one_out", progress=progress)
    weights = equilibrium(
        given,
        ridge=ridge,
        cue_vectors=cue_vectors,
        outcome_vectors=outcome_vectors,
        threads=threads,
        progress=progress,
    )
    if is_pair(events):
        rows = rows_and_targets(None, sides_of_pair(given))
    else:
        rows = rows_and_targets(given, sides_of_events(given, cue_vectors, outcome_vectors))
    targets = rows.targets(np.dtype(np.float64))
    errors = targets - rows.sums(weights.values)
    distinct = distinct_rows(rows)
    leverages = np.zeros(len(rows.tokens))
    tokens = rows.tokens if leave == "row" else np.ones(len(rows.tokens))
    with watching(progress, "leaving out", "rows", len(distinct.tokens)) as watch:
        for _, g, shares, mine, local in solutions(distinct, ridge, n_threads, watch):
            h = tokens[mine] * shares[local]
            leverages[mine] = h
            decides = (1 - h < DECIDES) & (ridge == 0)
            errors[mine[~decides]] /= (1 - h[~decides])[:, np.newaxis]
            for row, number in zip(mine[decides].tolist(), local[decides].tolist(), strict=True):
                errors[row] = g[number] @ weights.values / (tokens[row] * (g[number] @ g[number]))
    return LeaveOneOut(errors, targets - errors, leverages, weights.outcomes, rows)


class LeaveOneOut:
    """Predictions of rows that were left out. `leave_one_out` makes them.

    Attributes
    ----------
    errors, predictions : ndarray of float64, n_rows x n_outcomes or n_dimensions
        The target of each row less its prediction without the row, and that prediction.
    leverages : ndarray of float64, n_rows
        From 0, where a row does not matter, to 1, where it alone decides what is predicted of it.
    outcomes : tuple of str
        The names of the columns.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("a_b", "x"), ("a", "x"), ("a", "y"), ("c", "y"), ("b_c", "x")]
    ... )
    >>> rw.leave_one_out(events)
    <LeaveOneOut: 5 rows x 2 outcomes, root mean squared error 0.6801>
    """

    def __init__(
        self,
        errors: NDArray[np.float64],
        predictions: NDArray[np.float64],
        leverages: NDArray[np.float64],
        outcomes: tuple[str, ...],
        rows: Rows,
    ) -> None:
        self.errors, self.predictions, self.leverages = errors, predictions, leverages
        self.outcomes = outcomes
        self._rows = rows

    def ranks(self) -> NDArray[np.int64]:
        """The place of each row's own outcome among all, by what is predicted without the row.

        Of names: 1 + the number of outcomes with a greater prediction. Of vectors: 1 + the number of vectors
        that correlate more with the prediction; those of all outcomes, or for a pair (X, Z) of all rows of Z.
        Where a row has several outcomes, the best of their places.

        Returns
        -------
        ndarray of int64, n_rows
            From 1 on; 0 for a row without outcomes. A prediction or a vector that is constant has no
            correlation, and comes last.

        Raises
        ------
        ValueError
            When vectors have one number, which has no correlation.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events(
        ...     [("a_b", "x"), ("a", "x"), ("a", "y"), ("c", "y"), ("b_c", "x")]
        ... )
        >>> rw.leave_one_out(events).ranks()
        array([1, 2, 2, 1, 2])
        """
        rows = self._rows
        starts: Any = rows.shares.starts
        own: Any = rows.shares.columns
        if rows.counted:
            return best_ranks(self.predictions, starts, own)
        if self.predictions.shape[1] < 2:
            raise ValueError("ranks need vectors of two numbers or more, since one number has no correlation")
        vectors = rows.vectors
        if vectors is None:
            n = len(self.predictions)
            vectors, starts, own = rows.targets(self.errors.dtype), np.arange(n + 1), np.arange(n)
        ranks = np.zeros(len(self.predictions), dtype=np.int64)
        right = directions(vectors, "correlation")
        for some in blocks(len(ranks), len(right)):
            near = directions(self.predictions[some], "correlation") @ right.T
            part = starts[some.start : some.stop + 1]
            ranks[some] = best_ranks(near, part - part[0], own[part[0] : part[-1]])
        return ranks

    def accuracy(self, k: int = 1) -> float:
        """The share of rows whose own outcome is among the first k; rows without outcomes do not count.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events(
        ...     [("a_b", "x"), ("a", "x"), ("a", "y"), ("c", "y"), ("b_c", "x")]
        ... )
        >>> rw.leave_one_out(events).accuracy()
        0.4
        """
        k, ranks = whole("k", k, 1), self.ranks()
        ranks = ranks[ranks > 0]
        return float((ranks <= k).mean()) if len(ranks) else float("nan")

    def to_pandas(self) -> pandas.DataFrame:
        """The predictions, a column for each outcome or dimension, and the leverage, a row for each row."""
        columns = {"leverage": self.leverages} | dict(zip(self.outcomes, self.predictions.T, strict=True))
        table: pandas.DataFrame = need("pandas").DataFrame(columns)
        return table

    def __repr__(self) -> str:
        n, d = self.errors.shape
        error = float(np.sqrt(np.square(self.errors).mean())) if self.errors.size else float("nan")
        return f"<LeaveOneOut: {n:,} rows x {d:,} outcomes, root mean squared error {error:.4g}>"
