"""What learning tends to."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from rescorla import _core
from rescorla.arguments import PathName, PerName, per_name, rate, rates, recorded, thread_count
from rescorla.events import Events, as_events
from rescorla.progress import Progress, watching
from rescorla.weights import Weights


def equilibrium(
    events: Events | PathName,
    *,
    beta: float | tuple[float, float] = 1.0,
    lambda_: PerName = 1.0,
    alpha: PerName | None = None,
    ridge: float = 0.0,
    background: str | None = None,
    tol: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Weights:
    """The weights at which the Rescorla-Wagner rule expects no change: Danks' equilibrium.

    E[dW] = 0 for a token drawn at random is the system of normal equations:

        (C'FC) W = C'F O diag(lambda)

    with C the matrix of events and cues (how often each event has each cue), O that of events and outcomes,
    and F the frequencies: weighted least squares. Where cues always come together the solution is not unique,
    and the one of least norm is given: that of the pseudo-inverse, and of the learner that starts at zero.

    Parameters
    ----------
    events : Events or path
        What is learned from; a path is that of a binary event file or of an event table, told apart by
        content.
    beta : float or pair of float, default 1.0
        The learning rate, more than 0. Where present and absent outcomes have the same rate, as in this
        version, the equilibrium does not depend on it.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The maximal activation: one number, or one per outcome.
    alpha : float, mapping or array_like of shape (n_cues,), optional
        The salience of cues, 0 or more. Where the solution is not unique, give the one of least sum of w^2 /
        alpha, which the learner with these saliences tends to.
    ridge : float, default 0.0
        Minimise sum of f (lambda o - c'w)^2 + ridge |w|^2 instead.
    background : str, optional
        A cue to add to every event, before its others, of a name that no cue has.
    tol : float, optional
        Eigenvalues below this part of the greatest count as zero; by default 8 n eps.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.
    progress : None, bool or callable(done, total), default None
        None shows a bar if standard error is a terminal.

    Returns
    -------
    Weights of float64, n_cues x n_outcomes
        ``parameters`` has the rank, the tolerance and the solver.

    Raises
    ------
    ValueError
        When beta is a pair of different rates or not positive, or another parameter is out of its range.
    KeyError
        When a mapping lacks a name.
    TypeError
        When an argument is of a wrong type.
    FormatError, OSError
        When the events cannot be read.
    MemoryError
        When n_cues x n_cues numbers do not fit into memory.

    See Also
    --------
    learn : the weights after one pass.

    References
    ----------
    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Evert, S. and Arppe, A. (2015). Some theoretical and experimental observations on naive discriminative
    learning. In Proceedings of the 6th Conference on Quantitative Investigations in Theoretical Linguistics.
    Tuebingen.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("pots", "n", 5), ("pots_red", "y", 10), ("pots_red", "n", 5)])
    >>> weights = rw.equilibrium(events)
    >>> [round(weights[cue, "y"], 4) + 0.0 for cue in weights.cues]
    [0.0, 0.6667]
    """
    beta1, beta2 = rates(beta)
    if beta1 != beta2:
        raise ValueError(
            f"in this version the equilibrium is for beta1 = beta2, not for beta = {(beta1, beta2)}"
        )
    if beta1 == 0:
        raise ValueError("beta must be more than 0: without learning everything is an equilibrium")
    ridge = rate("ridge", ridge)
    tol = None if tol is None else rate("tol", tol)
    n_threads = thread_count(threads)
    events = as_events(events, progress=progress)
    extended = events if background is None else events.with_background(background, progress=progress)
    file, cues, outcomes = extended._file, extended.cues, extended.outcomes
    element = np.dtype(np.float64)
    lambdas = per_name("lambda_", lambda_, outcomes, "outcome", element, negative=True)
    alphas = None if alpha is None else per_name("alpha", alpha, cues, "cue", element)
    values = np.zeros((len(cues), len(outcomes)))
    started = perf_counter()
    with watching(progress, "solving") as watch:
        report = _core.equilibrium(
            file,
            alpha=alphas,
            lambda_=lambdas,
            ridge=ridge,
            tol=tol,
            out=values,
            threads=n_threads,
            progress=watch,
        )
    parameters: dict[str, Any] = {
        "rule": "equilibrium",
        "alpha": None if alpha is None or alphas is None else recorded(alpha, alphas),
        "beta1": beta1,
        "beta2": beta2,
        "lambda": recorded(lambda_, lambdas),
        "ridge": ridge,
        "background": background,
        "n_events": len(events),
        "n_tokens": events.n_tokens,
        "n_cues": len(cues),
        "n_outcomes": len(outcomes),
        "dtype": str(element),
        **report,
        "threads": n_threads,
        "seconds": perf_counter() - started,
        "version": _core.__version__,
    }
    return Weights(values, cues, outcomes, parameters)
