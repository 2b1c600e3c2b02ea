"""How far weights of the equilibrium would vary in other samples of events."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._events.events import Events
from rescorla._events.given import Source, events_given
from rescorla._learn.arrays import products
from rescorla._learn.leverage import DECIDES, distinct_rows, rows_and_targets, solutions
from rescorla._learn.record import of_events, record
from rescorla._learn.sides import sides_of_events
from rescorla._shared.checks import one_of, thread_count
from rescorla._shared.progress import Progress, watching
from rescorla._weights.vectors import Table, taken
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def standard_errors(
    events: Source,
    weights: Weights,
    *,
    sample: Literal["tokens", "rows"] = "tokens",
    correction: Literal["hc3", "none"] = "hc3",
    threads: int | None = None,
    progress: Progress = None,
) -> Weights:
    """The standard errors of the weights of `equilibrium`, if the events are a sample.

    With G^+ = (C'FC + ridge I)^+ and r_t the error of token t, its residual, the covariance of the weights to
    an outcome is the sandwich (robust to residuals of differing size)

        V = G^+ (sum over the tokens of r_t^2 c_t c_t') G^+

    and the standard errors are the roots of its diagonal.

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What the weights were made from.
    weights : Weights
        ``equilibrium(events)``, of names, with one rate, also with a ridge, lambdas or a background; without
        `initial` weights and saliences.
    sample : {"tokens", "rows"}, default "tokens"
        What is drawn anew in another sample: every token on its own, or rows of the events with all their
        tokens, whose terms are f^2 r^2 then. Where a row is one document, one speaker or one word with its
        frequency, its tokens are not independent.
    correction : {"hc3", "none"}, default "hc3"
        "hc3" takes r / (1 - h) in place of r, with h the leverage: the error without the token, or row. A cue
        that occurs once is predicted without error; by its residual, 0, its weight would seem certain.
    threads : int, optional
        How many threads to use at the most; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Weights, n_cues x n_outcomes
        Standard errors. NaN where one token, or row, alone decides the weight: where its leverage is 1 (to
        1e-10) and the cue takes part in its solution. 0 for cues and outcomes that have no tokens.

    Raises
    ------
    ValueError
        When the weights are not those of the equilibrium of these events, or of another kind.
    TypeError
        When an argument is of a wrong type.
    FormatError, OSError, MemoryError, ArithmeticError
        As `equilibrium`.

    See Also
    --------
    leave_one_out : the errors that "hc3" takes.

    Notes
    -----
    Where cues depend on each other these are errors of the solution of least norm whose null space stays as
    it is. A bootstrap draws samples that lose cues, so that it changes: its standard deviations differ for
    rare cues. For cues in many rows both agree.

    Rows with the same cues share one solution, of 2 r^2 multiplications and as many to refine it, r being the
    rank; and n_cues x n_outcomes multiplications each besides.

    References
    ----------
    White, H. (1980). A heteroskedasticity-consistent covariance matrix estimator and a direct test for
    heteroskedasticity. Econometrica 48, 817-838.

    MacKinnon, J. G. and White, H. (1985). Some heteroskedasticity-consistent covariance matrix estimators
    with improved finite sample properties. Journal of Econometrics 29, 305-325.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("red", "y", 30), ("red", "n", 10), ("blue", "n", 40)]
    ... )
    >>> weights = rw.equilibrium(events)
    >>> errors = rw.standard_errors(events, weights, correction="none")
    >>> round(weights["red", "y"], 3), round(errors["red", "y"], 3)
    (0.75, 0.068)
    """
    one_of("sample", sample, ("tokens", "rows"))
    one_of("correction", correction, ("hc3", "none"))
    n_threads = thread_count(threads)
    need_weights(weights)
    made = weights.parameters
    given = events_given(events, "standard_errors", "{}, weights", progress=progress)
    _check_made(given, weights)
    background = made["background"]
    extended = given if background is None else given.with_background(background, progress=progress)
    started = perf_counter()
    lambdas = np.broadcast_to(np.asarray(made["lambda"], dtype=np.float64), len(weights.outcomes))
    rows = rows_and_targets(extended, sides_of_events(extended, None, None))
    distinct = distinct_rows(rows)
    values, variances = weights.values, np.zeros(weights.shape)
    decided = np.zeros(len(weights.cues), dtype=np.bool_)
    with watching(progress, "standard errors", "rows", len(distinct.tokens)) as watch:
        for x, g, shares, mine, local in solutions(distinct, made["ridge"], n_threads, watch):
            f = rows.tokens[mine]
            # Of each token, or row, the leverage and what its squared residual weighs.
            h = shares[local] if sample == "tokens" else f * shares[local]
            weigh = f if sample == "tokens" else f * f
            alone = 1 - h < DECIDES
            if correction == "hc3":
                weigh = np.divide(weigh, np.square(1 - h), out=np.zeros_like(h), where=~alone)
            for number in np.unique(local[alone]):
                decided |= np.abs(g[number]) > DECIDES * np.linalg.norm(g[number])
            activations = products(x, values)
            squares = _residual_squares(activations, taken(rows.shares, mine), local, weigh, lambdas)
            variances += np.square(g).T @ squares
    found = np.sqrt(variances)
    found[decided] = np.nan
    parameters = record(
        "standard_errors",
        started,
        sample=sample,
        correction=correction,
        ridge=made["ridge"],
        **of_events(given),
    )
    return Weights(found, weights.cues, weights.outcomes, parameters)


def _residual_squares(
    activations: NDArray[np.float64],
    shares: Table,
    local: NDArray[np.int64],
    weigh: NDArray[np.float64],
    lambdas: NDArray[np.float64],
) -> NDArray[np.float64]:
    """For rows with the same cues the sum of the weighed squares of their residuals, to each outcome."""
    n = len(activations)
    present = np.zeros(activations.shape)
    if shares.starts is not None and shares.columns is not None:
        of = np.repeat(np.arange(len(local)), np.diff(shares.starts))
        np.add.at(present, (local[of], shares.columns), weigh[of])
    absent = np.bincount(local, weigh, n)[:, np.newaxis] - present
    return np.asarray(present * np.square(lambdas - activations) + absent * np.square(activations))


def _check_made(events: Events, weights: Weights) -> None:
    """ValueError unless the weights are those of `equilibrium` of these events, of a kind that has them."""
    made: dict[str, Any] = weights.parameters
    if made.get("rule") != "equilibrium":
        raise ValueError("weights must be those of rw.equilibrium(events), with their parameters")
    for wrong, what in (
        (made["alpha"] is not None, "saliences (alpha)"),
        (made["beta1"] != made["beta2"], "two rates (beta)"),
        (made["continued"], "initial weights"),
        ("cues_are" in made, "vectors"),
    ):
        if wrong:
            raise ValueError(f"weights must be those of an equilibrium without {what}; leave them out there")
    names = (() if made["background"] is None else (made["background"],)) + events.cues
    if (names, events.outcomes, events.n_tokens) != (weights.cues, weights.outcomes, made["n_tokens"]):
        raise ValueError(
            "weights must be those of these events, but names or tokens differ; give the events that they "
            "were made from"
        )
