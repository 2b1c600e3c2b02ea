"""Fitting learners to persons' responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._events.frames import column_of
from rescorla._learn.people.fit import Columns, Fit
from rescorla._learn.people.free import Free, free_of
from rescorla._learn.people.pooling import Persons, Pooled, completely, hierarchically, separately
from rescorla._learn.people.records import Choices
from rescorla._learn.people.shared_start import SharedStart
from rescorla._learn.people.trial_table import TrialTable, as_column, columns_of_trials
from rescorla._learn.people.trials import Trials
from rescorla._learn.rule import FIRST, Rule, RuleName, rule_given
from rescorla._shared.checks import (
    is_missing,
    number,
    numbered,
    one_of,
    places,
    rate,
    rates,
    shown,
    thread_count,
)
from rescorla._shared.progress import Progress, watching
from rescorla._shared.warn import NumericalWarning, some, warn
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Link = Literal["softmax", "normal"]
Pooling = Literal["hierarchical", "none", "complete"]

_POOLING = {"hierarchical": hierarchically, "none": separately, "complete": completely}


def fit_each(
    trials: Any,
    *,
    by: str | None,
    response: str,
    cues: str = "cues",
    outcomes: str = "outcomes",
    choices: str | Iterable[str] | None = None,
    order: str | None = None,
    link: Link = "softmax",
    free: Iterable[str] = ("beta", "theta"),
    groups: Mapping[str, str] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    pooling: Pooling = "hierarchical",
    rule: RuleName = "rescorla_wagner",
    rule_parameters: Mapping[str, float] | None = None,
    alpha: float = 1.0,
    beta: float | tuple[float, float] = 0.1,
    lambda_: float = 1.0,
    retention: float = 1.0,
    theta: float = 1.0,
    initial: Weights | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Fit:
    """Fit the rule to persons' responses: the numbers under which what they did is most likely.

    Each person learns his trials as in `learn_each`. Before a trial his activations a predict his response:

        softmax: p(y) = (1 - lapse) exp(theta a_y + bias_y) / sum of exp(theta a_k + bias_k) + lapse / K
        normal:  y ~ N(bias + theta a, sigma^2)

    Gradients are exact, by one backward pass through the trials; those of some rules are differences.

    Parameters
    ----------
    trials, by, cues, outcomes, order
        As for `learn_each`; ``by=None``: all trials are those of one person.
    response : str
        The column of responses: for "softmax" one of the choices, for "normal" a number. Where it is missing
        the trial is learned, and counts for nothing.
    choices : str or iterable of str
        What persons choose from: a column, or names for all trials. With "normal" it is left out: the
        activation of the trial's outcome predicts.
    link : {"softmax", "normal"}, default "softmax"
        How activations become responses.
    free : iterable of str, default ("beta", "theta")
        What is fitted: "alpha", "beta" or "beta1" and "beta2", "lambda_", "retention", "theta", "bias" (of
        each choice but the first), "lapse", and what only the rule has, such as "salience_rate". With
        "normal" bias and sigma are fitted always.
    groups : mapping from cues to groups, optional
        With "alpha" free, one salience for each group of cues; ``{cue: cue for cue in cues}``: for each cue.
    bounds : mapping from names to pairs, optional
        The least and the greatest of some numbers.
    pooling : {"hierarchical", "none", "complete"}, default "hierarchical"
        "hierarchical": the numbers of persons vary about those of the group, and each person's few responses
        borrow from the others. "none": each person alone. "complete": all persons have the same numbers.
    rule, rule_parameters
        As for `rescorla.learn`. Of "rescorla_wagner" and "van_hamme_wasserman" the gradient is exact; of
        other rules, and by what only a rule has, it is by differences.
    alpha, beta, lambda_, retention, theta : float, defaults 1.0, 0.1, 1.0, 1.0, 1.0
        What is not fitted, and where the search begins.
    initial : Weights, optional
        The weights that all persons start from; zero by default.
    threads : int, optional
        How many threads to use at the most.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError, TypeError, KeyError
        As `learn_each`; when numbers that are to be fitted cannot be told apart, such as alpha and beta; when
        a response is none of the choices; when one person is to be pooled.
    Warns
    -----
    RescorlaWarning
        When persons do not differ in a number, when responses are all of one kind, or do not determine a
        number.

    See Also
    --------
    learn_each : what persons predict, by numbers that are known.

    Notes
    -----
    Rates, theta and sigma are fitted on a logarithmic scale, retention and lapse on a logistic one; on these
    scales persons are normal about the group. The search takes steps of Newton, whose curvature follows the
    gradients. Hierarchical pooling is expectation maximisation with Laplace's approximation, two of whose
    steps are extrapolated before each third. Standard errors come from the curvature at the mode, by
    differences of gradients; those of persons take the group as known, and are too small where persons or
    trials are few. The rate and theta of a person are nearly one number where trials are few: the standard
    errors say so.

    Rules with saliences have likelihoods with kinks, and "pearce_kaye_hall" one with jumps, since strengths
    change whole where an error changes its sign. There the search may end beside the best numbers, and
    standard errors are rough.

    References
    ----------
    Huys, Q. J. M., Cools, R., Goelzer, M., Friedel, E., Heinz, A., Dolan, R. J. and Dayan, P. (2011).
    Disentangling the roles of approach, activation and valence in instrumental and Pavlovian responding. PLoS
    Computational Biology 7, e1002028.

    Varadhan, R. and Roland, C. (2008). Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm. Scandinavian Journal of Statistics 35, 335-353.

    Examples
    --------
    >>> import numpy as np
    >>> import rescorla as rw
    >>> random = np.random.default_rng(1)
    >>> table = {"who": [], "cues": [], "outcomes": [], "answer": []}
    >>> for person in range(20):
    ...     weights, rate = np.zeros(2), 0.1 * np.exp(random.normal())
    ...     theta = 4 * np.exp(random.normal())
    ...     for _ in range(80):
    ...         came = int(random.random() < 0.7)
    ...         p = 1 / (1 + np.exp(-theta * (weights[1] - weights[0])))
    ...         answer = "food" if random.random() < p else "nothing"
    ...         table["who"].append(person)
    ...         table["cues"].append("light")
    ...         table["outcomes"].append(["nothing", "food"][came])
    ...         table["answer"].append(answer)
    ...         weights += rate * (np.eye(2)[came] - weights)
    >>> fit = rw.fit_each(
    ...     table,
    ...     by="who",
    ...     response="answer",
    ...     choices=["nothing", "food"],
    ... )
    >>> fit.group["name"].tolist()
    ['beta', 'theta']
    >>> bool(0.05 < fit.group["typical"][0] < 0.2)
    True
    """
    one_of("link", link, ("softmax", "normal"))
    one_of("pooling", pooling, tuple(_POOLING))
    one_rule = rule_given(rule, rule_parameters, retention)
    if link == "softmax" and choices is None:
        raise ValueError("choices must be given with the link 'softmax': what persons choose from")
    if link == "normal" and choices is not None:
        raise ValueError(
            "choices must be left out with the link 'normal', which predicts from the trial's outcome"
        )
    asymptote = number("lambda_", lambda_)
    one_rule.refuse_above(asymptote)
    given: dict[str, float | tuple[float, float]] = {
        "alpha": rate("alpha", alpha),
        "beta": rates(beta),
        "lambda_": asymptote,
        "retention": one_rule.retention,
        "theta": number("theta", theta),
    }
    if groups is not None and not isinstance(groups, Mapping):
        raise TypeError(f"groups must be a mapping from cues to groups, not {shown(groups)}")
    n_threads = thread_count(threads)
    model = _Model(
        by, response, cues, outcomes, choices, order, link, one_rule, initial, groups or {}, n_threads
    )
    study = model.study(trials)
    if pooling == "hierarchical" and len(study.table.persons) < 2:
        raise ValueError("pooling must be 'none' or 'complete' for one person, who has no group")
    names = model.group_names(study)
    what = free_of(free, bounds, given, names, study.columns, link, one_rule, from_zero=initial is None)
    persons = Persons(study.engine(model, names), what, n_threads)
    _warn_of_responses(study)
    with watching(progress, "fitting", "persons", len(persons)) as watch:

        def tell(done: int) -> None:
            if watch is not None:
                watch(done, len(persons))

        pooled = _POOLING[pooling](persons, what, tell)
    return _Fitted(model, study, what, names, pooled, pooling).fit(persons)


class _Model(NamedTuple):
    """What is fitted, whatever the responses are."""

    by: str | None
    response: str
    cues: str
    outcomes: str
    choices: Any
    order: str | None
    link: str
    rule: Rule
    initial: Weights | None
    groups: Mapping[str, str]
    threads: int

    def group_names(self, study: _Study) -> list[str]:
        """The groups of cues that have a salience of their own."""
        if not self.groups:
            return ["all"]
        return list(dict.fromkeys(self.groups.get(cue, cue) for cue in study.table.events.cues))

    def study(self, trials: Any) -> _Study:
        """The trials, person after person, with their responses."""
        by = self.by
        if by is None:
            by, trials = "person", _of_one(trials)
        table = TrialTable.of(trials, by, self.cues, self.outcomes, self.order)
        answers = column_of("response", table.columns, self.response)
        ordered = [answers[row] for row in table.order.tolist()]
        if self.link == "normal":
            numbers = np.array([np.nan if is_missing(each) else number("response", each) for each in ordered])
            starts, ids = table.events._file.csr("outcomes")
            if (np.diff(starts) != 1).any():
                raise ValueError("outcomes must be one in each trial with the link 'normal'")
            own = np.asarray(ids, dtype=np.int64)
            return _Study(table, list(table.events.outcomes), own, None, None, numbers)
        chosen = Choices.of(self.choices, table)
        picked = np.full(len(ordered), -1, dtype=np.int64)
        for trial, answer in enumerate(ordered):
            options = chosen.listed[0 if chosen.starts is None else trial]
            if is_missing(answer) or answer == "":
                continue
            if answer not in options:
                raise ValueError(f"response must be one of the choices {some(options)}, not {shown(answer)}")
            picked[trial] = options.index(answer)
        begins, places_of = chosen.starts, chosen.ids(numbered(chosen.names))
        if begins is None:
            begins = np.arange(len(ordered) + 1, dtype=np.int64) * len(places_of)
            places_of = np.tile(places_of, len(ordered))
        return _Study(table, chosen.names, places_of, begins, picked, None)


class _Study(NamedTuple):
    """Trials and responses, person after person."""

    table: TrialTable
    columns: list[str]
    """The outcomes whose weights matter."""
    options: NDArray[np.int64]
    """The columns from which the response to each trial is predicted, trial after trial."""
    starts: NDArray[np.int64] | None
    """Where the choices of each trial begin among them; None where responses are numbers."""
    picked: NDArray[np.int64] | None
    """The place of each response among the choices of its trial; -1 where it is missing."""
    numbers: NDArray[np.float64] | None

    def engine(self, model: _Model, names: list[str]) -> _core.Likelihoods:
        events = self.table.events
        start = SharedStart.of(events, None, None, model.initial, np.dtype(np.float64))
        group = numbered(names)
        of_cues = [group[model.groups.get(cue, cue)] if model.groups else 0 for cue in events.cues]
        return _core.Likelihoods(
            events._file,
            starts=self.table.starts,
            initial=start.weights,
            rows=start.rows(events.cues),
            columns=start.columns(self.columns),
            of_outcomes=places(events.outcomes, numbered(self.columns)),
            groups=np.array(of_cues, dtype=np.int64),
            options=self.options,
            option_starts=self.starts,
            chosen=self.picked,
            numbers=self.numbers,
            rule=model.rule.name,
            rule_parameters=list(model.rule.parameters),
        )

    def picked_columns(self) -> NDArray[np.int64]:
        """The column of each response; -1 where it is missing."""
        picked, starts = np.asarray(self.picked), np.asarray(self.starts)
        return np.where(picked < 0, -1, self.options[starts[:-1] + np.maximum(picked, 0)])

    def simulated(self, shares: NDArray[np.float64], random: np.random.Generator) -> _Study:
        """The same trials with responses drawn anew; those that are missing stay missing."""
        if self.starts is None:
            drawn = random.normal(shares[:, 0], shares[:, 1])
            return self._replace(numbers=np.where(np.isnan(np.asarray(self.numbers)), np.nan, drawn))
        cumulated = shares.cumsum(axis=1)
        drawn = random.random((len(shares), 1)) * cumulated[:, -1:]
        columns = (cumulated <= drawn).sum(axis=1)
        ends = zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), columns.tolist(), strict=True)
        picked = [self.options[first:last].tolist().index(column) for first, last, column in ends]
        return self._replace(
            picked=np.where(np.asarray(self.picked) < 0, -1, np.array(picked, dtype=np.int64))
        )


def _of_one(trials: Any) -> Any:
    """Trials of one person, as columns."""
    columns = dict(columns_of_trials(trials))
    return columns | {"person": ["all"] * len(next(iter(columns.values()), []))}


def _warn_of_responses(study: _Study) -> None:
    if study.starts is not None and len({*study.picked_columns().tolist()} - {-1}) < 2:
        warn(
            "responses are all of one kind, so that only theta times the activations is bounded; the "
            "estimates depend on the bounds",
            NumericalWarning,
        )


class _Fitted(NamedTuple):
    """A study that was fitted."""

    model: _Model
    study: _Study
    what: Free
    groups: list[str]
    pooled: Pooled
    pooling: str

    def fit(self, persons: Persons) -> Fit:
        """What users see of it."""
        what, pooled, who = self.what, self.pooled, self.study.table.persons
        natural, errors = what.natural(pooled.phi), what.errors(pooled.phi, pooled.covariances)
        undetermined = np.isnan(errors)
        if undetermined.any():
            names = [name for name, column in zip(what.names, undetermined.T, strict=True) if column.any()]
            warn(
                f"{undetermined.sum()} of {errors.size} numbers are at a bound, or the responses do not "
                f"determine them ({', '.join(names)}); their standard errors are NaN",
                NumericalWarning,
            )
        mean, variance, error = pooled.mean, pooled.variance, pooled.mean_error
        if mean is None or variance is None or error is None:
            mean, variance = pooled.phi.mean(axis=0), pooled.phi.var(axis=0, ddof=min(len(who) - 1, 1))
            error = np.sqrt(variance / len(who))
            if self.pooling == "complete":
                error = np.sqrt(np.diagonal(pooled.covariances[0]))
        k = len(what.names)
        parameters = Columns(
            person=np.repeat(as_column(who), k),
            name=np.array(what.names * len(who)),
            estimate=natural.ravel(),
            standard_error=errors.ravel(),
        )
        group = Columns(
            name=np.array(what.names),
            typical=what.natural(mean[np.newaxis])[0],
            scale=np.array([entry.scale for entry in what.entries]),
            mean=mean,
            sd=np.sqrt(variance),
            standard_error=error,
        )
        n = int(persons.n_responses.sum())
        counts = pooled.log_likelihood, pooled.n_parameters, n, persons.n_evaluations
        rule = "" if self.model.rule.name == FIRST else f"{self.model.rule.name}, "
        described = f"{rule}{self.model.link}, {', '.join(what.names)}; pooling {self.pooling}"
        if len(what.by_differences):
            described += "; gradients by differences"
        return Fit(parameters, group, counts, self, described)

    def score(self, trials: Any) -> float:
        study, pooled = self.model.study(trials), self.pooled
        if study.columns != self.study.columns:
            raise ValueError("trials must have the outcomes and choices of those that were fitted")
        known = {person: at for at, person in enumerate(self.study.table.persons)}
        phi = []
        for person in study.table.persons:
            if person in known:
                phi.append(pooled.phi[known[person]])
            elif pooled.mean is not None:
                phi.append(pooled.mean)
            else:
                raise KeyError(f"person {shown(person)} was not fitted, and there is no group to go by")
        persons = Persons(study.engine(self.model, self.groups), self.what, self.model.threads)
        return float(persons.evaluate(np.arange(len(phi)), np.array(phi))[0].sum())

    def recovered(self, random: np.random.Generator) -> Columns:
        """One study simulated and fitted: what is true, and what is found."""
        what, pooled, who = self.what, self.pooled, self.study.table.persons
        true = pooled.phi
        if pooled.mean is not None and pooled.variance is not None:
            true = random.normal(pooled.mean, np.sqrt(pooled.variance), true.shape)
        shares = self._shares(self._activations(true), true)
        engine = self.study.simulated(shares, random).engine(self.model, self.groups)
        again = _POOLING[self.pooling](Persons(engine, what, self.model.threads), what, lambda _: None)
        n, k = true.shape
        return Columns(
            person=np.repeat(as_column(who), k),
            name=np.array(what.names * n),
            true=what.natural(true).ravel(),
            found=what.natural(again.phi).ravel(),
            standard_error=what.errors(again.phi, again.covariances).ravel(),
        )

    def predictions(self) -> Trials:
        """The trials with activations and the probability of each response."""
        study, phi = self.study, self.pooled.phi
        activations = self._activations(phi)
        shares = self._shares(activations, phi)
        found: dict[str, NDArray[Any]] = {}
        if study.starts is None:
            mean, sigma = shares.T
            z = (np.asarray(study.numbers) - mean) / sigma
            found["mean"], found["p"] = mean, np.exp(-0.5 * z * z) / (sigma * np.sqrt(2 * np.pi))
        else:
            for at, name in enumerate(study.columns):
                found[f"activation_{name}"], found[f"p_{name}"] = activations[:, at], shares[:, at]
            picked = study.picked_columns()
            found["p"] = np.where(picked < 0, np.nan, shares[np.arange(len(shares)), picked])

        def weights_of(_: int) -> Weights:
            raise ValueError("weights come from learn_each: call it with the numbers of the fit")

        return Trials(study.table.beside(found), study.table.persons, {"link": self.model.link}, weights_of)

    def _activations(self, phi: NDArray[np.float64]) -> NDArray[np.float64]:
        """n_trials x n_columns, person after person."""
        engine, n = self.study.engine(self.model, self.groups), len(self.study.columns)
        values = self.what.values(phi)
        own = [engine.predictions(person, each).reshape(-1, n) for person, each in enumerate(values)]
        return np.concatenate(own)

    def _shares(self, activations: NDArray[np.float64], phi: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of choices the probability of each column, 0 where it is no option; of numbers mean and sd."""
        study, n = self.study, len(self.study.columns)
        values = np.repeat(self.what.values(phi), np.diff(study.table.starts), axis=0)
        if study.starts is None:
            theta, bias, sigma = values[:, -3:].T
            own = activations[np.arange(len(values)), study.options]
            return np.stack([bias + theta * own, sigma], axis=1)
        is_open = np.zeros(activations.shape, dtype=np.bool_)
        is_open[np.repeat(np.arange(len(is_open)), np.diff(study.starts)), study.options] = True
        logits = values[:, [-n - 2]] * activations + values[:, -n - 1 : -1]
        logits = np.where(is_open, logits, -np.inf)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        lapse, p = values[:, -1:], powers / powers.sum(axis=1, keepdims=True)
        return np.where(is_open, (1 - lapse) * p + lapse / is_open.sum(axis=1, keepdims=True), 0.0)
