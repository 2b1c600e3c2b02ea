"""What learning tends to."""

from __future__ import annotations

from time import perf_counter
from typing import Literal

import numpy as np

from rescorla import _core
from rescorla._events.given import Source, events_given
from rescorla._learn.plan import warn_of_entries
from rescorla._learn.record import of_events, rates_of, record
from rescorla._shared.checks import PerName, one_of, per_name, rate, rates, recorded, thread_count
from rescorla._shared.hints import hinting
from rescorla._shared.progress import Progress, watching
from rescorla._shared.warn import NumericalWarning, warn
from rescorla._weights.weights import Weights


@hinting
def equilibrium(
    events: Source,
    *,
    beta: float | tuple[float, float] = 1.0,
    lambda_: PerName = 1.0,
    alpha: PerName | None = None,
    ridge: float = 0.0,
    background: str | None = None,
    method: Literal["auto", "dense", "iterative"] = "auto",
    tol: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Weights:
    """The weights at which the Rescorla-Wagner rule expects no change: Danks' equilibrium.

    E[dW] = 0 for a token drawn at random. With one learning rate that is the system of normal equations

        (C'FC) W = C'F O diag(lambda)

    with C the matrix of events and cues (how often each event has each cue), O that of events and outcomes,
    and F the frequencies: weighted least squares. With two rates each outcome j has least squares of its own:

        w_j minimises  sum over the events of  f * b_j * (lambda_j o_j - c'w)^2

    where b_j is beta1 if the event has outcome j and beta2 if not. Where cues always come together the
    solution is not unique, and the one of least norm is given: that of the pseudo-inverse, and of the
    learner that starts at zero.

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What is learned from: Events, or a source as `read_events` takes it, which is read first. Of an
        iterable each event is asked for once.
    beta : float or pair of float, default 1.0
        The learning rate, or the pair (beta1, beta2) for present and for absent outcomes; 0 or more. Their
        ratio alone matters. With beta2 = 0 an outcome is learned of only where it is present, so that all it
        knows is that lambda is to be predicted there. With beta1 = 0 nothing is learned: all
        weights are 0.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The maximal activation: one number, or one per outcome.
    alpha : float, mapping or array_like of shape (n_cues,), optional
        The salience of cues, 0 or more. Where the solution is not unique, give the one of least sum of w^2 /
        alpha, which the learner with these saliences tends to. A cue of salience 0 has weight 0.
    ridge : float, default 0.0
        Minimise sum of f (lambda o - c'w)^2 + ridge |w|^2 instead. With two rates an event weighs f times
        its rate relative to the larger of the two.
    background : str, optional
        A cue to add to every event, before its others, of a name that no cue has.
    method : "auto", "dense" or "iterative", default "auto"
        "dense" factorises the normal equations; "iterative" takes conjugate gradients on the events. "auto"
        is "dense" for up to 10,000 cues, those that always come together counted once. See the notes.
    tol : float, optional
        "dense": eigenvalues below this part of the greatest count as zero. By default cues decide one by
        one; see the notes. "iterative": stop where the gradient is below this part of what it was at zero
        weights; by default 1e-12.
    threads : int, optional
        How many threads to use at the most; by default as many as the process may run on. The bits of the
        result do not depend on it.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Weights of float64, n_cues x n_outcomes
        ``parameters`` has ``solver`` ("cholesky", "eigen" or "cgls"), ``rank`` (None where none was found
        that all outcomes share), ``tolerance``, ``iterations`` (None if dense), ``converged`` and
        ``residual``: the size of C'F (O lambda - C W) - ridge W, computed from the events, relative to that
        of C'F O lambda. Where frequencies lie far apart it is small for wrong weights, too; ``converged``
        looks at the weights.

    Raises
    ------
    ValueError
        When both rates are 0, or another parameter is out of its range.
    KeyError
        When a mapping lacks a name.
    TypeError
        When an argument is of a wrong type.
    FormatError, OSError
        When the events cannot be read.
    MemoryError
        When the counts, or n_cues x n_cues numbers for "dense", do not fit into memory.
    RuntimeError
        When the system starts no thread.
    ArithmeticError
        When a matrix cannot be factorised.

    Warns
    -----
    RescorlaWarning
        When "iterative" did not come within its tolerance, or rounding errors are left in what "dense" found.

    See Also
    --------
    learn : the weights after one pass.

    Notes
    -----
    The events are first counted: each set of cues that occurs, how often, and how often with each outcome.
    With s sets that list k cues in all and p pairs of a set and an outcome that takes 4 k + 16 (s + p) bytes,
    and while counting at most 24 k + 64 s + 128 p + 64 MB. Cues that always come together, equally often, are
    one from then on; n counts them once.

    *dense* takes 8 n^2 bytes twice, some n r^2 multiplications for the factors, r being the rank, and 2 r^2
    for each outcome, twice that where solutions need to be refined. It is Cholesky's factorisation with
    complete pivoting of C'FC, brought to a diagonal of ones. A pivot is the part of a cue's sum of squares
    that the cues before it do not explain. Pivots of 1e-8 and more count. If all others are below 8 n eps
    they are 0, and the solution of least norm is made from the basis that was found. Otherwise, and where
    `tol` is given, eigenvalues decide: those below `tol` (8 n eps) times the greatest are 0. R's ndl takes
    MASS's ``ginv`` of the matrix of conditional probabilities, for which singular values below 1.5e-8 of the
    greatest are 0. Solutions are refined by what the events say is left, so that errors are of the order of
    the condition of C, not of its square. Where rounding may still have moved weights by more than
    1e-11 of the outcome's largest (a set of cues that is rare beside others leaves less than those round
    off), they are refined further by residuals of twice the digits, until they are exact to rounding.

    With two rates an outcome that occurs with q sets of cues costs 2 r^2 q multiplications more; where 6 q is
    more than n, where beta2 is 0, or where `tol` is given, it has a factorisation of its own instead.

    *iterative* takes 16 (s + 3 n) bytes for each thread and outcome, for up to 32 outcomes at a time (fewer
    where that would be more than 256 MiB a thread), and no n^2 numbers. An iteration costs two
    multiplications for each of the k cues and each outcome. How many there are depends on how nearly
    dependent the cues are: dozens, or thousands.

    Ctrl-C is heard within 0.2 s, except while eigenvalues are computed: that is one call, of about 0.5 s for
    1,000 cues, 3.5 s for 2,000 and, by n^3, seven minutes for 10,000. For products of matrices "dense" asks
    for address space besides, of which it uses little: twice the third-level caches of the machine for each
    thread. That matters where address space is limited (ulimit -v).

    References
    ----------
    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Evert, S. and Arppe, A. (2015). Some theoretical and experimental observations on naive discriminative
    learning. In Proceedings of the 6th Conference on Quantitative Investigations in Theoretical Linguistics.
    Tuebingen.

    Bjorck, A. (1996). Numerical methods for least squares problems. SIAM.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("pots", "n", 5), ("pots_red", "y", 10), ("pots_red", "n", 5)])
    >>> weights = rw.equilibrium(events)
    >>> [round(weights[cue, "y"], 4) + 0.0 for cue in weights.cues]
    [0.0, 0.6667]

    Where the absence of an outcome teaches less than its presence, more is expected:

    >>> weights = rw.equilibrium(events, beta=(0.2, 0.05))
    >>> [round(weights[cue, "y"], 4) + 0.0 for cue in weights.cues]
    [0.0, 0.8889]
    """
    one_of("method", method, ("auto", "dense", "iterative"))
    beta1, beta2 = rates(beta)
    if beta1 == beta2 == 0:
        raise ValueError("beta must be more than 0: without learning everything is an equilibrium")
    ridge = rate("ridge", ridge)
    tol = None if tol is None else rate("tol", tol)
    n_threads = thread_count(threads)
    events = events_given(events, "equilibrium", progress=progress)
    extended = events if background is None else events.with_background(background, progress=progress)
    file, cues, outcomes = extended._file, extended.cues, extended.outcomes
    element = np.dtype(np.float64)
    lambdas = per_name("lambda_", lambda_, outcomes, "outcome", element, negative=True)
    alphas = None if alpha is None else per_name("alpha", alpha, cues, "cue", element)
    warn_of_entries("lambda_", lambda_, outcomes, "outcome")
    warn_of_entries("alpha", alpha, cues, "cue")
    values = np.zeros((len(cues), len(outcomes)))
    started = perf_counter()
    with watching(progress, "solving", "%", 100) as watch:
        report = _core.equilibrium(
            file,
            alpha=alphas,
            beta1=beta1,
            beta2=beta2,
            lambda_=lambdas,
            ridge=ridge,
            method=None if method == "auto" else method,
            tol=tol,
            out=values,
            threads=n_threads,
            progress=watch,
        )
    if not report["converged"]:
        if report["iterations"] is None:
            reached = (
                f"the equilibrium is not exact to rounding (residual {report['residual']:.2g}): frequencies "
                "or rates are too far apart for a factorisation"
            )
            cure = "a ridge, or method='iterative'"
        else:
            reached = (
                f"the equilibrium is not within tol = {report['tolerance']:g} after {report['iterations']:,} "
                f"iterations (residual {report['residual']:.2g})"
            )
            cure = "a larger tol, a ridge, or method='dense'"
        warn(f"{reached}; give {cure}", NumericalWarning)
    parameters = record(
        "equilibrium",
        started,
        **rates_of(
            None if alpha is None or alphas is None else recorded(alpha, alphas),
            (beta1, beta2),
            recorded(lambda_, lambdas),
        ),
        ridge=ridge,
        background=background,
        **of_events(events) | {"n_cues": len(cues), "n_outcomes": len(outcomes)},
        dtype=str(element),
        **report,
        threads=n_threads,
    )
    return Weights(values, cues, outcomes, parameters)
