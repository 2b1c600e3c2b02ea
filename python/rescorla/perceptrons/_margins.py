"""Planes of optimal stability: MinOver and AdaTron; and whether there is a plane at all."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import rescorla._core as _core
from rescorla._learn.record import record as of
from rescorla._shared.checks import flag, number, whole
from rescorla._shared.optional import need
from rescorla._shared.progress import Progress, watching
from rescorla._shared.testing import asked
from rescorla._weights.vectors import Examples, Table, same_length, table_of
from rescorla.perceptrons._plane import LinearFit, signs_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FLOAT64 = np.dtype(np.float64)
# Linear programs are solved to this, the finest that HiGHS takes.
_FINEST = 1e-10


def minover(
    X: Examples,
    y: ArrayLike,
    *,
    max_steps: int,
    tol: float | None = None,
    bias: bool = False,
    record: bool = True,
    progress: Progress = None,
) -> LinearFit:
    """Learn the plane of optimal stability, which has the widest margin, by MinOver.

    From w = 0, each step learns the example that is least right:

        m = the first example of the least kappa_m = y_m w.x_m / |w|,    w += y_m x_m / N

    with N the number of features. While w is zero all kappa are 0, and the first example is learned. The
    stability, the least kappa, tends to the greatest that any plane has, if the classes are separable: that
    of the hard-margin support vector machine without an intercept.

    A step costs an addition for each example: a product of two examples is added to each field y w.x. An
    example's products are computed when it is first learned, and kept, up to 256 MiB of them. A copy of X is
    made.

    Parameters
    ----------
    X : array_like, sparse matrix or data frame, n_examples x n_features
        The examples. Sparse ones stay sparse.
    y : array_like of +1 and -1, n_examples
        Their classes.
    max_steps : int
        The most steps.
    tol : float between 0 and 1, optional
        Stop when the stability is certainly at least 1 - tol times the greatest: after t steps no plane has a
        stability above N |w| / t. Without it, all steps are made.
    bias : bool, default False
        Learn the weight of one more feature, the last, that is always 1. It counts in N, and in the
        stability, which is then that of planes through the origin of a space with one more dimension. There
        is no bias by default, unlike in `perceptron`, because Krauth and Mezard's units have no threshold,
        and the stability with one depends on where the origin is.
    record : bool, default True
        Record ``errors`` and ``stabilities``, 16 bytes a step.
    progress : bool, callable or None, default None
        None: a bar on a terminal. A callable gets (done, total) in steps.

    Returns
    -------
    LinearFit
        ``strengths`` says how often each example was learned: w is the sum of strength y x, divided by N.
        ``errors`` counts the examples with y w.x <= 0 before each step, ``stabilities`` has the least kappa
        before each. ``converged``: with `tol`, whether the stability is certainly within it; without, whether
        all examples are right. Where it is not, nothing is proven: there may be no such plane, or more steps
        may be needed; `separable` knows. Learning ends early when it comes to an example of zeros, which no
        step can make right. Without examples it has converged, at a stability of infinity.

    Raises
    ------
    ValueError
        When a number is not finite, a class is not +1 or -1, y has another length than X, or an argument is
        out of its range.
    MemoryError
        When there is no room for the copy.

    See Also
    --------
    adatron : The same plane in far fewer steps, where it is hard to find.
    separable : Whether there is a plane that gets all examples right.

    References
    ----------
    Krauth, W. and Mezard, M. (1987). Learning algorithms with optimal stability in neural networks. Journal
    of Physics A 20, L745-L752.

    Examples
    --------
    >>> import rescorla as rw
    >>> fit = rw.perceptrons.minover(
    ...     [[2.0, 0.0], [0.0, 1.0]], [1, 1], max_steps=1000, tol=0.001
    ... )
    >>> fit.converged
    True
    >>> fit.coef / fit.coef[0]
    array([1., 2.])
    >>> round(fit.stability, 4)
    0.8944
    >>> fit.strengths / fit.n_steps
    array([0.2, 0.8])
    """
    steps = whole("max_steps", max_steps)
    tolerance = None if tol is None else _between("tol", tol, 1.0)
    bias, record = flag("bias", bias), flag("record", record)
    table, signs = _examples(X, y)
    started = perf_counter()
    with watching(progress, "MinOver", "steps") as watch:
        found = _core.minover(
            table,
            signs,
            bias=bias,
            max_steps=steps,
            tol=tolerance,
            record=record,
            **asked("budget", "kernel"),
            progress=watch,
        )
    ended = _ended(found, len(signs), steps)
    facts = {"max_steps": steps, "tol": tolerance, "bias": bias, "ended": ended}
    return _fit(table, found, found["counts"].astype(np.float64), bias, of("minover", started, **facts))


def adatron(
    X: Examples,
    y: ArrayLike,
    *,
    max_sweeps: int = 1000,
    gamma: float = 1.0,
    tol: float = 1e-6,
    bias: bool = False,
    progress: Progress = None,
) -> LinearFit:
    """Learn the plane of optimal stability, which has the widest margin, by AdaTron.

    From zero strengths a and w = 0, each sweep visits the examples in order:

        d = max(-a_m, gamma (1 - y_m w.x_m) / |x_m|^2),    a_m += d,    w += d y_m x_m

    If the classes are separable, w tends to the shortest one with y w.x >= 1 for all examples: the plane of
    the greatest stability, which is 1 / |w|, and that of the hard-margin support vector machine without an
    intercept. A visit costs some operations for each feature that the example has. Between two sweeps, the
    examples with a strength above 0 are visited again and again, for about as long as a sweep takes.

    Anlauf and Biehl have patterns of +-1 and divide by N; |x|^2 is N there.

    Parameters
    ----------
    X : array_like, sparse matrix or data frame, n_examples x n_features
        The examples. Sparse ones stay sparse.
    y : array_like of +1 and -1, n_examples
        Their classes.
    max_sweeps : int, default 1000
        The most sweeps.
    gamma : float between 0 and 2, default 1.0
        How far to go: 1 makes each example exactly right, more goes beyond.
    tol : float between 0 and 1, default 1e-6
        Stop when the stability is certainly at least 1 - tol times the greatest: no plane has a stability
        above |w| / sum a.
    bias : bool, default False
        Learn the weight of one more feature, the last, that is always 1. There is no bias by default, as in
        `minover`, because Anlauf and Biehl's units have no threshold.
    progress : bool, callable or None, default None
        None: a bar on a terminal. A callable gets (done, total) in sweeps.

    Returns
    -------
    LinearFit
        ``strengths`` are a: w is the sum of strength y x. ``errors`` counts the examples that were wrong
        when they were visited, in each sweep. ``n_steps`` counts the visits that changed a strength.
        ``converged``: whether the stability is certainly within `tol`. Where it is not, there may be no such
        plane, or more sweeps may be needed; `separable` knows.

    Raises
    ------
    ValueError
        When a number is not finite, a class is not +1 or -1, y has another length than X, or an argument is
        out of its range.

    See Also
    --------
    minover : The same plane, step by step.

    References
    ----------
    Anlauf, J. K. and Biehl, M. (1989). The AdaTron: an adaptive perceptron algorithm. Europhysics Letters 10,
    687-692.

    Examples
    --------
    >>> import rescorla as rw
    >>> fit = rw.perceptrons.adatron(
    ...     [[2.0, 0.0], [0.0, 1.0], [3.0, 3.0]], [1, 1, 1]
    ... )
    >>> fit.coef
    array([0.5, 1. ])
    >>> fit.support
    array([0, 1])
    >>> fit.parameters["sweeps"]
    2
    """
    sweeps = whole("max_sweeps", max_sweeps)
    step, tolerance = _between("gamma", gamma, 2.0), _between("tol", tol, 1.0)
    bias = flag("bias", bias)
    table, signs = _examples(X, y)
    started = perf_counter()
    with watching(progress, "AdaTron", "sweeps") as watch:
        found = _core.adatron(
            table,
            signs,
            bias=bias,
            max_sweeps=sweeps,
            gamma=step,
            tol=tolerance,
            progress=watch,
        )
    facts = {"max_sweeps": sweeps, "gamma": step, "tol": tolerance, "bias": bias}
    parameters = of("adatron", started, **facts, sweeps=len(found["errors"]))
    return _fit(table, found, found["strengths"], bias, parameters)


def separable(X: Examples, y: ArrayLike, *, bias: bool = False) -> bool:
    """Whether a plane gets all examples right: y (w.x + w0) > 0.

    A linear program: the greatest t with y w.x / |x|_max >= t for all examples, and |w_i| <= 1. The plane
    that it finds is then checked, with a bound on rounding errors.

    Parameters
    ----------
    X : array_like, sparse matrix or data frame, n_examples x n_features
    y : array_like of +1 and -1, n_examples
    bias : bool, default False
        Whether the plane may have a bias w0. Without it the plane goes through the origin, as those of
        `minover` and `adatron` do by default; this function tells whether there is one.

    Returns
    -------
    bool
        True is certain. False is what the linear program finds: a t below 1e-9 may be missed, and numbers
        below 1e-9 of the greatest in their example count as 0. Without examples, True. An example of zeros,
        without a bias, is on every plane: False.

    Raises
    ------
    ImportError
        When scipy is not installed.
    ValueError
        When a number is not finite, a class is not +1 or -1, or y has another length than X.
    ArithmeticError
        When the linear program could not be solved.

    Notes
    -----
    Ctrl-C is heard when the linear program ends (one call of HiGHS). With random examples that took 0.5 s for
    2,000 with 200 features, 2 s for 1,000 with 400, and 5 s for 1,000 with 600.

    Examples
    --------
    >>> import rescorla as rw
    >>> inputs = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> rw.perceptrons.separable(inputs, [-1, 1, 1, 1], bias=True)  # OR
    True
    >>> rw.perceptrons.separable(inputs, [-1, 1, 1, -1], bias=True)  # XOR
    False
    """
    bias = flag("bias", bias)
    table, signs = _examples(X, y)
    linprog, sparse = need("scipy.optimize").linprog, need("scipy.sparse")
    n = len(signs)
    if n == 0:
        return True
    patterns = sparse.csr_array(
        table.values
        if table.starts is None or table.columns is None
        else (table.values, table.columns.astype(np.int64), table.starts),
        shape=table.shape,
    )
    ones = sparse.csr_array(np.ones((n, 1)))
    if bias:
        patterns = sparse.hstack([patterns, ones], format="csr")
    counts, greatest = np.diff(patterns.indptr), np.zeros(n)
    np.maximum.at(greatest, np.repeat(np.arange(n), counts), np.abs(patterns.data))
    if not greatest.all():
        return False
    patterns.data = patterns.data / np.repeat(signs * greatest, counts)
    p = patterns.shape[1]
    result = linprog(
        np.append(np.zeros(p), -1.0),
        A_ub=sparse.hstack([-patterns, ones], format="csr"),
        b_ub=np.zeros(n),
        bounds=np.array([(-1.0, 1.0)] * p + [(0.0, np.inf)]),
        method="highs",
        options={"primal_feasibility_tolerance": _FINEST, "dual_feasibility_tolerance": _FINEST},
    )
    if result.x is None:
        raise ArithmeticError(f"the linear program could not be solved: {result.message}")
    weights = result.x[:p]
    # A sum of p products is exact to p eps of the sum of their sizes, and the division costs one more.
    doubt = 2 * (p + 2) * np.finfo(np.float64).eps * (abs(patterns) @ np.abs(weights))
    return bool((patterns @ weights > doubt).all())


def _examples(X: Examples, y: ArrayLike) -> tuple[Table, NDArray[np.float64]]:
    table = table_of("X", X, _FLOAT64, "x")
    signs = signs_of(y)
    same_length("X", table.shape[0], "y", len(signs))
    return table, signs


def _fit(
    table: Table,
    found: dict[str, Any],
    strengths: NDArray[np.float64],
    bias: bool,
    parameters: dict[str, Any],
) -> LinearFit:
    weights = found["weights"]
    return LinearFit(
        weights[: table.shape[1]],
        weights[-1] if bias else 0.0,
        stability=found["stability"],
        n_steps=found["steps"],
        errors=found["errors"],
        converged=found["converged"],
        strengths=strengths,
        stabilities=found.get("stabilities", np.zeros(0)),
        feature_names=table.names,
        parameters=parameters,
    )


def _ended(found: dict[str, Any], n_examples: int, max_steps: int) -> str:
    """Why learning ended."""
    if n_examples == 0:
        return "no examples"
    if found["stuck"] and found["steps"] < max_steps:
        return "an example of zeros"
    return "converged" if found["steps"] < max_steps else "max_steps"


def _between(argument: str, value: object, most: float) -> float:
    """A number between 0 and another, both excluded."""
    converted = number(argument, value)
    if not 0 < converted < most:
        raise ValueError(f"{argument} must be between 0 and {most:g}, both excluded, not {converted:g}")
    return converted
