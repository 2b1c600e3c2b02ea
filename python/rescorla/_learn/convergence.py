"""How quickly learning approaches the equilibrium, and how close it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, overload

import numpy as np

import rescorla._core as _core
from rescorla._events.given import Source, events_given
from rescorla._learn.plan import warn_unknown
from rescorla._learn.record import of_events, rates_of
from rescorla._learn.spectrum import SLACK, Spectrum, Tokens
from rescorla._shared import show
from rescorla._shared.checks import (
    PerName,
    chosen,
    is_number,
    named,
    near,
    number,
    numbered,
    one_of,
    per_name,
    places,
    rates,
    recorded,
    unmasked,
)
from rescorla._weights.weights import Weights, need_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rescorla._learn.spectrum import Floats

Number = TypeVar("Number", bound="float | Floats")
"""A number of a convergence: with a pair of rates an array of them, one for each outcome."""

# Times x directions that are dealt with at a time.
_AT_ONCE = 1 << 22
# A weight below this part of the largest of its outcome is zero but for rounding.
_NOTHING = 1e-12
# exp of it is 0: what the logarithm of 0 stands for where it is multiplied by 0, too.
_VANISHED = -1e6
# Of so many cues, and outcomes with rates of their own, all bounds are found in some milliseconds.
_BRIEF, _FEW = 60, 4


@overload
def convergence(
    events: Source,
    *,
    alpha: PerName = 0.1,
    beta: float = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    outcomes: Iterable[str] | None = None,
) -> Convergence[float]: ...


@overload
def convergence(
    events: Source,
    *,
    alpha: PerName = 0.1,
    beta: tuple[float, float],
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    outcomes: Iterable[str] | None = None,
) -> Convergence[Floats]: ...


def convergence(
    events: Source,
    *,
    alpha: PerName = 0.1,
    beta: float | tuple[float, float] = 0.1,
    lambda_: PerName = 1.0,
    retention: float = 1.0,
    outcomes: Iterable[str] | None = None,
) -> Convergence[Any]:
    """Say how quickly learning by the Rescorla-Wagner rule approaches its equilibrium, and how close it gets.

    For tokens drawn at random with replacement the expected weights follow exactly

        E[W] <- (I - beta D R) E[W] + beta D C'FO diag(lambda) / m,    R = C'FC / m

    with D = diag(alpha), C the matrix of events and cues, O that of events and outcomes, F the frequencies
    and m the number of tokens. How the weights scatter around them follows in the same way from the second
    moment.

    Parameters
    ----------
    events : Events, path, iterable or data frame
        What is learned from: Events, or a source that `read_events` takes, which is read first. An iterable
        is read once.
    alpha : float, mapping or array_like of shape (n_cues,), default 0.1
        The salience of cues, 0 or more: one number, or one per cue.
    beta : float or pair of float, default 0.1
        The learning rate, or the pair (beta1, beta2) of those for present and for absent outcomes, 0 or more,
        not both 0. With two different rates each outcome has its own R, and results come per outcome.
    lambda_ : float, mapping or array_like of shape (n_outcomes,), default 1.0
        The asymptote: one number, or one per outcome. An array has the order of the result.
    retention : float, default 1.0
        1 alone: weights that are forgotten (see `learn`) tend to the equilibrium with a ridge, which
        `equilibrium` gives.
    outcomes : iterable of str, optional
        The outcomes to look at, in this order; by default all.

    Returns
    -------
    Convergence
        Numbers are computed when they are asked for.

    Raises
    ------
    ValueError
        When there are no tokens, a parameter is out of its range, or both rates are 0.
    KeyError
        When a mapping lacks a name, or ``outcomes=`` has an unknown name.
    TypeError
        When an argument is of a wrong type.
    FormatError, OSError
        When the events cannot be read.
    MemoryError
        When there are too many cues: this works with matrices of n_cues x n_cues.

    Notes
    -----
    Let n be the number of cues that occur and have a salience above 0. The spectrum takes one
    eigendecomposition: of the order of 10 n^3 operations, and at most six matrices of n x n numbers. With two
    rates each outcome takes one, and keeps a matrix. `Convergence.mean_square_rate`, and each outcome of
    `Convergence.oscillation`, take some tens of steps of 8 n^3 operations. Events are counted as sets of
    cues, each with its number of tokens, so the number of events matters little.

    Ctrl-C is heard within 0.2 s, except during the eigendecomposition, which is one call of LAPACK: about
    0.5 s for 1,000 cues, 3 s for 2,000 and, by n^3, seven minutes for 10,000.

    See Also
    --------
    equilibrium : the weights alone, for many cues and outcomes.
    learn : learning itself.
    Events.sample : tokens drawn at random with replacement.

    References
    ----------
    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Evert, S. and Arppe, A. (2015). Some theoretical and experimental observations on naive discriminative
    learning. In Proceedings of the 6th Conference on Quantitative Investigations in Theoretical Linguistics.
    Tuebingen.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events(
    ...     [("pots", "n", 5), ("pots_red", "y", 10), ("pots_red", "n", 5)]
    ... )
    >>> rate = rw.convergence(events, alpha=1, beta=0.1)
    >>> print(rate.summary())
    20 tokens drawn at random with replacement; 2 cues, 2 outcomes, 2 directions that move
                            largest beta    beta = 0.1
    safe in any order                  1    below
    stable in mean square         1.0509    below
    stable in the mean             1.223    below
    slowest half-lives: 60.1 and 3.9 tokens
    >>> (
    ...     round(rate.equilibrium["red", "y"], 4),
    ...     round(rate.oscillation("red", "y"), 4),
    ... )
    (0.6667, 0.0844)

    So after long learning the weight of red to y is 0.67 give or take 0.08.
    """
    beta1, beta2 = rates(beta)
    if number("retention", retention) != 1:
        raise ValueError(
            "retention must be 1: weights that are forgotten tend to the equilibrium with a ridge of "
            "m * (1 - retention) / (alpha * beta), where m is the number of tokens"
        )
    if beta1 == beta2 == 0:
        raise ValueError("beta must be more than 0: without learning everything stays as it is")
    events = events_given(events, "convergence")
    if events.n_tokens == 0:
        raise ValueError("events must have tokens to draw from; these have none")
    columns = (
        np.arange(events.n_outcomes)
        if outcomes is None
        else chosen("outcomes", outcomes, numbered(events.outcomes))
    )
    names = tuple(events.outcomes[column] for column in columns)
    element = np.dtype(np.float64)
    alphas = per_name("alpha", alpha, events.cues, "cue", element)
    lambdas = per_name("lambda_", lambda_, names, "outcome", element, negative=True)
    warn_unknown("alpha", alpha, set(events.cues), "cue")
    warn_unknown("lambda_", lambda_, set(events.outcomes), "outcome")
    parameters: dict[str, Any] = {
        **rates_of(recorded(alpha, alphas), (beta1, beta2), recorded(lambda_, lambdas)),
        **of_events(events),
        "version": _core.__version__,
    }
    tokens = Tokens(events, alphas)
    is_pair = not is_number(beta)
    return Convergence(tokens, columns, names, (beta1, beta2), is_pair, alphas, lambdas, parameters)


class Convergence(Generic[Number]):
    """How quickly learning approaches the equilibrium, and how close it gets; made by `convergence`.

    Everything is for tokens drawn at random with replacement, as `Events.sample` draws them. With beta1 =
    beta2 one spectrum serves all outcomes. With a pair of rates each outcome j has its own

        R_j = E[beta_j / max(beta1, beta2) c c']

    where beta_j is beta1 for a token with the outcome and beta2 for one without. Where a pair is given,
    rates, eigenvalues and so on are arrays with an entry for each outcome, and bounds on beta are bounds on
    max(beta1, beta2) while the ratio of the two stays as it is.

    Attributes
    ----------
    cues, outcomes : tuple of str
        The names of the rows and columns: all cues of the events, the outcomes that were chosen.
    beta1, beta2 : float
        The rates that were given.
    n_tokens : int
        The tokens in one pass over the data.
    parameters : dict
        What was asked for.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("a", "x", 3), ("a_b", "y")])
    >>> rate = rw.convergence(events, alpha=0.5, beta=0.2)
    >>> rate
    <Convergence: 2 cues, 2 outcomes; beta = 0.2, safe below 2>
                            largest beta    beta = 0.2
    safe in any order                  2    below
    stable in mean square         2.567    below
    stable in the mean            3.7185    below
    slowest half-lives: 39.4 and 6.1 tokens
    >>> rate.eigenvalues.round(4)
    array([0.5378, 0.0872])
    """

    def __init__(
        self,
        tokens: Tokens,
        columns: NDArray[np.intp] | NDArray[np.int64],
        outcomes: tuple[str, ...],
        beta: tuple[float, float],
        is_pair: bool,
        alpha: Floats,
        lambda_: Floats,
        parameters: dict[str, Any],
    ) -> None:
        self.cues = tokens.names
        self.outcomes = outcomes
        self.beta1, self.beta2 = beta
        # Then all numbers are arrays, also where the two rates are equal.
        self._is_pair = is_pair
        self.n_tokens = tokens.n_tokens
        self.parameters = parameters
        self._tokens = tokens
        self._columns = columns
        self._salience = np.sqrt(alpha[tokens.active])
        self._lambda = lambda_
        self._cue_numbers = numbered(self.cues)
        self._outcome_numbers = numbered(outcomes)
        self._spectra: dict[int, Spectrum] = {}

    # What is there.

    @property
    def eigenvalues(self) -> Floats:
        """The eigenvalues of D^(1/2) R D^(1/2), largest first.

        Along direction i the mean distance from the equilibrium is multiplied by 1 - beta * eigenvalues[i]
        with each token. Directions along which nothing is learned (cues that always come together, cues of
        salience 0, cues that never occur) have eigenvalue 0.

        Returns
        -------
        ndarray of float64, n_cues; with a pair of rates n_outcomes x n_cues
        """
        return self._rows(lambda spectrum: spectrum.padded(len(self.cues)))

    @property
    def eigenvectors(self) -> Floats | tuple[Floats, ...]:
        """The eigenvectors of D^(1/2) R D^(1/2) that belong to eigenvalues above 0.

        Returns
        -------
        ndarray of float64, n_cues x rank; with a pair of rates a tuple of these, one for each outcome
            Columns of length 1 in the order of the eigenvalues. Weights move along D^(1/2) times a column.
        """
        if not self._is_pair:
            return self._embedded(self._spectrum(0).vectors)
        return tuple(self._embedded(self._spectrum(j).vectors) for j in range(len(self.outcomes)))

    @property
    def safe_rate(self) -> Number:
        """The bound on beta below which no order of tokens enlarges a difference: 2 / max of kappa.

        kappa = sum of alpha_c m_c^2 over the cues of a token. This is the bound of which `learn` warns. With
        a pair of rates it is the same for all outcomes.

        Returns
        -------
        float; with a pair of rates ndarray of float64, n_outcomes
        """
        return self._numbers(lambda _: self._tokens.safe_rate)

    @property
    def mean_rate(self) -> Number:
        """The bound on beta below which the expected weights converge: 2 / the largest eigenvalue.

        It is necessary, and far from sufficient: the mean may converge while the weights scatter ever more.

        Returns
        -------
        float; with a pair of rates ndarray of float64, n_outcomes
        """
        return self._numbers(lambda spectrum: spectrum.mean_rate)

    @property
    def mean_square_rate(self) -> Number:
        """The bound on beta below which the weights' scatter around the equilibrium stays bounded.

        The largest beta with rho(E[A kron A]) < 1, A = I - beta D c c', among the directions that move: with
        L(S) = R S + S R and Q(S) = E[(c'Sc) c c'] (alpha = 1) it is 1 / rho(L^-1 Q). It lies between
        safe_rate and mean_rate.

        Returns
        -------
        float; with a pair of rates ndarray of float64, n_outcomes
        """
        return self._numbers(lambda spectrum: spectrum.mean_square_rate)

    @cached_property
    def equilibrium(self) -> Weights:
        """The weights to which the mean goes from zero: those of `equilibrium` with this alpha.

        Returns
        -------
        Weights of float64, n_cues x n_outcomes
        """
        values = np.zeros((len(self.cues), len(self.outcomes)))
        for j in range(len(self.outcomes)):
            values[self._tokens.active, j] = self._salience * self._fixed_point(j)
        ranks = [spectrum.rank for spectrum in self._all()]
        about = {
            "rule": "equilibrium",
            "solver": "eigen",
            "rank": ranks[0] if self._one_rate else ranks,
            "tolerance": SLACK * len(self._salience) * np.finfo(float).eps,
        }
        return Weights(values, self.cues, self.outcomes, self.parameters | about)

    # How fast.

    @overload
    def half_life(self) -> Floats: ...

    @overload
    def half_life(self, cue: str, outcome: str) -> float: ...

    def half_life(self, cue: str | None = None, outcome: str | None = None) -> float | Floats:
        """After how many tokens half of the way is done: in the mean, along each direction or for one weight.

        Parameters
        ----------
        cue, outcome : str, optional
            Both or none: one weight, or all directions.

        Returns
        -------
        ndarray of float64 or float
            Without names, for each eigenvalue g the tokens ln 2 / -ln|1 - beta g|, in the shape of
            ``eigenvalues``; inf where nothing moves, and where beta is not below mean_rate.

            With names, the number of tokens after which the mean weight, started at zero, has gone half of
            the way to its equilibrium and stays at least so near: a whole number; inf where it does not
            converge, nan where the equilibrium is zero (there is no way to go).

        Raises
        ------
        KeyError
            When there is no such cue or outcome.
        ValueError
            When one name is given without the other.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 3), ("a_b", "y")])
        >>> rate = rw.convergence(events, alpha=0.5, beta=0.2)
        >>> rate.half_life().round(1)
        array([ 6.1, 39.4])
        >>> rate.half_life("b", "y")
        35.0
        """
        if cue is None and outcome is None:
            return self._rows(self._half_lives)
        if cue is None or outcome is None:
            raise ValueError("cue and outcome go together; give both, or neither")
        spectrum, terms = self._way(cue, outcome)
        way = float(terms.sum())
        largest = np.abs(self._salience * self._fixed_point(self._outcome_numbers[outcome])).max(initial=0.0)
        if abs(way) <= _NOTHING * largest:
            return np.nan
        return _last_reached(terms, *self._decay(spectrum), abs(way) / 2)

    def mean_trajectory(
        self, tokens: ArrayLike, cue: str, outcome: str, *, initial: Weights | None = None
    ) -> float | Floats:
        """The expected weight after some numbers of tokens, in closed form.

            E[w(t)] = w(0) + sum over k of (1 - (1 - beta g_k)^t) * d_k

        d_k is the part of the difference between equilibrium and start along direction k.

        Parameters
        ----------
        tokens : array_like of int
            Numbers of tokens, 0 or more.
        cue, outcome : str
            Which weight.
        initial : Weights, optional
            Weights to start from; zero where it has none.

        Returns
        -------
        ndarray of float64 in the shape of tokens, or float

        Raises
        ------
        KeyError
            When there is no such cue or outcome.
        ValueError
            When a number of tokens is negative.
        TypeError
            When a number of tokens is no whole number.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 3), ("a_b", "y")])
        >>> rate = rw.convergence(events, alpha=0.5, beta=0.2)
        >>> rate.mean_trajectory([0, 1, 10, 1000], "b", "y").round(4)
        array([0.    , 0.025 , 0.2048, 1.    ])
        """
        if initial is not None:
            need_weights(initial, "initial")
        times = np.asarray(unmasked("tokens", tokens))
        if times.dtype.kind not in "iu" and times.size:
            raise TypeError(f"tokens must be whole numbers, not {times.dtype}")
        if (times < 0).any():
            raise ValueError(f"tokens must be 0 or more, not {times.min()}")
        spectrum, terms = self._way(cue, outcome, initial)
        logs, signs = self._decay(spectrum)
        start = 0.0
        if initial is not None and cue in initial._row_numbers and outcome in initial._column_numbers:
            start = initial[cue, outcome]
        flat = times.reshape(-1).astype(np.float64)
        path = np.empty(len(flat))
        step = max(1, _AT_ONCE // max(spectrum.rank, 1))
        for first in range(0, len(flat), step):
            some = flat[first : first + step]
            # A mean that diverges leaves what a float holds: inf, or nan where two infinities meet.
            with np.errstate(over="ignore", invalid="ignore"):
                path[first : first + step] = start + _progress(some, logs, signs) @ terms
        return path.reshape(times.shape) if times.shape else float(path[0])

    def passes(self, tol: float) -> Number:
        """After how many passes over the data the mean weights are within a tolerance of the equilibrium.

        Distance and size are measured by sum of w^2 / alpha, in which the mean comes nearer with each token;
        with equal alphas that is the ordinary sum of squares.

        Parameters
        ----------
        tol : float
            The distance from the equilibrium as a part of its own size, more than 0.

        Returns
        -------
        float; with a pair of rates ndarray of float64, n_outcomes
            Passes of n_tokens tokens each, drawn at random with replacement; not rounded to whole passes. inf
            where the mean does not converge.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 3), ("a_b", "y")])
        >>> rw.convergence(events, alpha=0.5, beta=0.2).passes(0.01)
        64.25
        """
        tol = number("tol", tol)
        if tol <= 0:
            raise ValueError(f"tol must be more than 0, not {tol}: the equilibrium is never quite reached")
        square = tol * tol
        squares = [self._target(j) ** 2 for j in range(len(self.outcomes))]
        if not self._is_pair:
            # With one rate, all outcomes together.
            squares = [sum(squares, np.zeros(self._spectrum(0).rank))]

        def passes(spectrum: Spectrum, terms: Floats) -> float:
            logs, _ = self._decay(spectrum)
            # All terms are positive and all powers even, so that no sign matters.
            return _last_reached(terms, 2 * logs, np.ones(len(logs)), square * terms.sum()) / self.n_tokens

        found = [passes(self._spectrum(j), terms) for j, terms in enumerate(squares)]
        return cast("Number", np.array(found) if self._is_pair else found[0])

    # How nearly.

    def oscillation(
        self,
        cue: str | None = None,
        outcome: str | None = None,
        method: Literal["exact", "small_rate"] = "exact",
    ) -> float | Floats:
        """The standard deviation of weights around the equilibrium, after long learning at this rate.

        The covariance S of the weights to an outcome solves, with r = lambda o - c'w at the equilibrium,

            S = E[A S A'] + beta^2 D E[r^2 c c'] D,    A = I - beta D c c'

        Parameters
        ----------
        cue, outcome : str, optional
            One row, one column, one weight; all of them without names.
        method : {"exact", "small_rate"}, default "exact"
            "small_rate" solves D R S + S R D = beta D E[r^2 c c'] D, without the terms that are small at
            small rates, in one step instead of some tens. Its result is too small.

        Returns
        -------
        ndarray of float64, n_cues x n_outcomes; n_cues; n_outcomes; or float

        Raises
        ------
        ValueError
            When beta is not below mean_square_rate: then there is no steady state.
        FloatingPointError
            When beta is so near mean_square_rate that rounding decides.
        KeyError
            When there is no such cue or outcome.

        Notes
        -----
        Shuffled passes, where each token comes once before any comes again, oscillate less.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x"), ("a", "y")])
        >>> rate = rw.convergence(events, alpha=1, beta=0.2)
        >>> round(rate.oscillation("a", "x"), 4)  # sqrt(beta / (2 - beta)) / 2
        0.1667
        >>> small = rate.oscillation("a", "x", method="small_rate")
        >>> round(small, 4)  # sqrt(beta / 2) / 2
        0.1581
        """
        one_of("method", method, ("exact", "small_rate"))
        row = None if cue is None else self._row(cue)
        columns = range(len(self.outcomes)) if outcome is None else [self._column(outcome)]
        result = np.zeros((len(self.cues), len(columns)))
        for place, j in enumerate(columns):
            result[self._tokens.active, place] = self._deviations(j, exact=method == "exact")
        if row is None:
            return result if outcome is None else result[:, 0]
        return result[row] if outcome is None else float(result[row, 0])

    # What to print.

    def summary(self) -> str:
        """The bounds beside the given rate and the slowest half-lives, as a small table.

        Returns
        -------
        str
            Several lines. With a pair of rates, the smallest bounds and longest half-lives of all outcomes.
        """
        ranks = sorted({spectrum.rank for spectrum in self._all()})
        directions = f"{ranks[-1]} directions that move" if ranks else "no outcomes"
        counts = f"{len(self.cues)} cues, {len(self.outcomes)} outcomes, {directions}"
        lines = [
            f"{self.n_tokens} tokens drawn at random with replacement; {counts}",
            f"{'':24}largest beta    beta = {self._given()}",
            *(f"{label:24}{least:>12}    {which}" for label, least, which in self._bounds()),
        ]
        return "\n".join(filter(None, [*lines, self._slowest()]))

    def _bounds(self) -> list[list[str]]:
        """The bounds on beta, and whether it is below; with a pair of rates, the smallest of all outcomes."""
        bounds: dict[str, Any] = {
            "safe in any order": self.safe_rate,
            "stable in mean square": self.mean_square_rate,
            "stable in the mean": self.mean_rate,
        }
        least = {label: float(np.min(rate, initial=np.inf)) for label, rate in bounds.items()}
        return [
            [label, f"{rate:.5g}", "below" if self._rate < rate else "NOT below"]
            for label, rate in least.items()
        ]

    def _given(self) -> str:
        return f"{self._rate:g}" if self._one_rate else f"({self.beta1:g}, {self.beta2:g})"

    def _slowest(self) -> str:
        """The longest half-lives, in words."""
        lives = np.unique(np.round(self.half_life(), 1))
        slowest = [f"{life:,.1f}" for life in lives[np.isfinite(lives)][::-1][:3]]
        listed = " and ".join(filter(None, [", ".join(slowest[:-1]), *slowest[-1:]]))
        return f"slowest half-lives: {listed} tokens" if slowest else ""

    def _is_brief(self) -> bool:
        """Whether all bounds are found at once, so that showing this may ask for them."""
        return len(self.cues) <= _BRIEF and (self._one_rate or len(self.outcomes) <= _FEW)

    def __repr__(self) -> str:
        lines = self.summary().splitlines()[1:] if self._is_brief() else []
        return "\n".join([self._head(), *lines])

    def _repr_html_(self) -> str:
        """The bounds on beta and the slowest half-lives, for a notebook."""
        parameters = show.details(self.parameters)
        if not self._is_brief():
            note = "<div>summary() has the other bounds, and half-lives</div>"
            return show.notebook_html(self._head(), note, parameters)
        table = show.table(["", "largest beta", f"beta = {self._rate:g}"], self._bounds())
        return show.notebook_html(self._head(), table, f"<div>{self._slowest()}</div>", parameters)

    def _head(self) -> str:
        counts = f"{len(self.cues)} cues, {len(self.outcomes)} outcomes"
        return f"<Convergence: {counts}; beta = {self._given()}, safe below {self._tokens.safe_rate:g}>"

    # Inside, weights are D^(1/2) v: there every step is the symmetric I - beta x x' with x = D^(1/2) c.

    @property
    def _one_rate(self) -> bool:
        return self.beta1 == self.beta2

    @property
    def _rate(self) -> float:
        return max(self.beta1, self.beta2)

    def _spectrum(self, j: int) -> Spectrum:
        """The spectrum of an outcome; with one rate there is but one."""
        key = 0 if self._one_rate else j
        if key not in self._spectra:
            first, second = self._moments(key)
            self._spectra[key] = Spectrum(self._tokens, first, second)
        return self._spectra[key]

    def _all(self) -> list[Spectrum]:
        return [self._spectrum(j) for j in range(1 if self._one_rate else len(self.outcomes))]

    def _numbers(self, of: Callable[[Spectrum], float]) -> Number:
        """A number of each spectrum; with one rate there is but one."""
        found = [of(spectrum) for spectrum in self._all()]
        if not self._is_pair:
            return cast("Number", found[0])
        same = np.full(len(self.outcomes), found[0]) if self._one_rate else found
        return cast("Number", np.array(same, dtype=np.float64))

    def _rows(self, of: Callable[[Spectrum], Floats]) -> Floats:
        """Entries for all directions of each spectrum; with one rate there is but one."""
        found = [of(spectrum) for spectrum in self._all()]
        if not self._is_pair:
            return found[0]
        many = found * len(self.outcomes) if self._one_rate else found
        return np.array(many).reshape(len(self.outcomes), len(self.cues))

    def _share(self, j: int) -> Floats:
        """Which part of all tokens has a set of cues and the outcome, for each set."""
        sets, counts = self._tokens.joint(int(self._columns[j]))
        share = np.zeros(len(self._tokens.share))
        share[sets] = counts / self.n_tokens
        return share

    def _factors(self) -> tuple[float, float]:
        """beta1 and beta2 as parts of the larger."""
        return self.beta1 / self._rate, self.beta2 / self._rate

    def _moments(self, j: int) -> tuple[Floats, Floats]:
        """For each set, its share of the tokens times the mean of phi and of phi^2: the part of the rate."""
        everything = self._tokens.share
        if self._one_rate:
            return everything, everything
        (present, absent), share = self._factors(), self._share(j)
        without = everything - share
        return present * share + absent * without, present**2 * share + absent**2 * without

    def _target(self, j: int, held: Floats | None = None) -> Floats:
        """The fixed point in the coordinates of the eigenvectors; `held`: activations by cues that stay."""
        spectrum = self._spectrum(j)
        pull = self._factors()[0] * self._lambda[j] * self._share(j)
        if held is not None:
            pull = pull - self._moments(j)[0] * held
        return spectrum.vectors.T @ self._tokens.spread(pull) / spectrum.values

    def _fixed_point(self, j: int) -> Floats:
        fixed: Floats = self._spectrum(j).vectors @ self._target(j)
        return fixed

    def _way(self, cue: str, outcome: str, initial: Weights | None = None) -> tuple[Spectrum, Floats]:
        """How far a weight has to go along each direction."""
        row, j = self._row(cue), self._column(outcome)
        spectrum, tokens = self._spectrum(j), self._tokens
        if initial is None:
            way = self._target(j)
        else:
            start = _column_of(initial, outcome, self.cues)
            held = start.copy()
            held[tokens.active] = 0.0
            now = spectrum.vectors.T @ (start[tokens.active] / self._salience)
            way = self._target(j, tokens.activations(held)) - now
        place = np.flatnonzero(tokens.active == row)
        if len(place) == 0:
            return spectrum, np.zeros(spectrum.rank)
        return spectrum, self._salience[place] * spectrum.vectors[place[0]] * way

    def _decay(self, spectrum: Spectrum) -> tuple[Floats, Floats]:
        """The logarithms of |1 - beta g| for the eigenvalues g, and the signs of 1 - beta g."""
        steps = self._rate * spectrum.values
        logs = np.full(len(steps), _VANISHED)
        below, above = steps < 1, steps > 1
        # Near 0 this keeps the digits that 1 - beta g would lose.
        logs[below] = np.log1p(-steps[below])
        logs[above] = np.log(steps[above] - 1)
        return logs, np.where(above, -1.0, 1.0)

    def _half_lives(self, spectrum: Spectrum) -> Floats:
        logs, _ = self._decay(spectrum)
        lives = np.full(len(self.cues), np.inf)
        falling = logs < 0
        lives[: spectrum.rank][falling] = np.log(2) / -logs[falling]
        lives[: spectrum.rank][logs == _VANISHED] = 0.0
        return lives

    def _deviations(self, j: int, *, exact: bool) -> Floats:
        """Standard deviations of the weights of active cues to an outcome."""
        spectrum, beta = self._spectrum(j), self._rate
        # Below the safe rate there is a steady state, so that the other bound need not be known.
        if beta >= self._tokens.safe_rate and beta >= spectrum.mean_square_rate:
            raise ValueError(
                f"there is no steady state at beta = {beta:g}: the weights to {self.outcomes[j]!r} scatter "
                f"without bound unless beta is below {spectrum.mean_square_rate:g}, the mean_square_rate"
            )
        (present, absent), share = self._factors(), self._share(j)
        weights = np.zeros(len(self.cues))
        weights[self._tokens.active] = self._salience * self._fixed_point(j)
        activations = self._tokens.activations(weights)
        noise = share * (present * (self._lambda[j] - activations)) ** 2
        noise += (self._tokens.share - share) * (absent * activations) ** 2
        if exact:
            noise = noise + spectrum.second * spectrum.steady(noise, beta)
        variances = beta * spectrum.diagonal(noise)
        deviations: Floats = self._salience * np.sqrt(np.maximum(variances, 0.0))
        return deviations

    def _embedded(self, vectors: Floats) -> Floats:
        everywhere = np.zeros((len(self.cues), vectors.shape[1]))
        everywhere[self._tokens.active] = vectors
        return everywhere

    def _row(self, cue: str) -> int:
        return _place("cue", cue, self._cue_numbers)

    def _column(self, outcome: str) -> int:
        return _place("outcome", outcome, self._outcome_numbers)


def _place(kind: str, name: str, numbers: dict[str, int]) -> int:
    """The number of a name."""
    name = named(kind, name)
    if name not in numbers:
        raise KeyError(
            f"{kind} {name!r} is none of the {len(numbers)} there are, see .{kind}s{near(name, numbers)}"
        )
    return numbers[name]


def _progress(times: Floats, logs: Floats, signs: Floats) -> Floats:
    """1 - r^t for each time t and each r of these logarithms of |r| and signs of r."""
    exponents = times[:, None] * logs
    odd = times % 2 == 1
    flips = odd[:, None] & (signs < 0)
    done: Floats = np.where(flips, 1 + np.exp(exponents), -np.expm1(exponents))
    return done


def _last_reached(terms: Floats, logs: Floats, signs: Floats, bound: float) -> float:
    """The least T such that |sum of terms * r^t| <= bound for all t >= T, with r given as in `_progress`.

    The sum may come below the bound and leave it again. But a sum of falling terms of one sign lies between
    its values at the ends of an interval, and terms with r < 0 are no larger than at its beginning. So whole
    intervals are ruled out, from the last one on, and the others halved.
    """
    there = terms != 0
    terms, logs, signs = terms[there], logs[there], signs[there]
    if (logs >= 0).any():
        return np.inf
    falling = signs > 0
    positive, negative = (terms > 0) & falling, (terms < 0) & falling
    sizes = np.abs(terms)

    def size_of(which: NDArray[np.bool_], time: int) -> float:
        return float(sizes[which] @ np.exp(time * logs[which]))

    end = 1
    while size_of(there[there], end) > bound:
        end *= 2
    waiting = [(0, end)]
    while waiting:
        first, last = waiting.pop()
        flipping = size_of(~falling, first)
        highest = size_of(positive, first) - size_of(negative, last) + flipping
        lowest = size_of(positive, last) - size_of(negative, first) - flipping
        if max(highest, -lowest) <= bound:
            continue
        if first == last:
            now = float((terms * signs ** (first % 2)) @ np.exp(first * logs))
            if abs(now) > bound:
                return float(first + 1)
            continue
        middle = (first + last) // 2
        waiting += [(first, middle), (middle + 1, last)]
    return 0.0


def _column_of(weights: Weights, outcome: str, cues: tuple[str, ...]) -> Floats:
    """The weights of cues to an outcome; zero where there are none."""
    column = np.zeros(len(cues))
    if outcome in weights._column_numbers:
        rows = places(cues, weights._row_numbers)
        column[rows >= 0] = weights.column(outcome)[rows[rows >= 0]]
    return column
