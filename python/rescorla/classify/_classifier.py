"""A classifier that learns by the Rescorla-Wagner rule, or goes to its equilibrium at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rescorla._events.factors import FactorCoding, Term, learn_coding, warn_of_missing
from rescorla._events.frames import Columns, columns_of, is_table
from rescorla._events.read import read_events
from rescorla._learn.activations import activations
from rescorla._learn.equilibrium import equilibrium
from rescorla._learn.rescorla_wagner import learn
from rescorla._shared.checks import PerName, generator, is_missing, one_of, whole
from rescorla._shared.warn import some, warn
from rescorla._weights.weights import Weights
from rescorla.classify._goodness import Statistics, frequencies, statistics
from rescorla.classify._probability import METHODS, ProbabilityMethod, probabilities
from rescorla.estimators._inputs import classes_of, require, seed_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# In so few rows a factor may tell the class by chance.
_FEW_ROWS = 30


class NDLClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive discriminative classification, as a scikit-learn estimator.

    The levels of factors are cues, the classes are outcomes. A row is predicted to be of the class of the
    largest activation, a = W'c. This is R's ``ndlClassify`` and its ``predict``.

    Parameters
    ----------
    method : {"equilibrium", "learn"}, default "equilibrium"
        Where the weights come from: the equilibrium (Danks 2003), as in R, or the Rescorla-Wagner rule.
    factors : sequence of str or tuple of str, optional
        The columns whose levels are cues; by default all. A tuple is an interaction. See `factor_events`.
    ignore : sequence of levels, or mapping from columns to levels, default ()
        Levels that give no cue.
    quantiles : int, default 2
        Into how many intervals a column of numbers is cut. The intervals are those of the rows learned from.
    separator : str, default ""
        What stands between the name of a column and a level in the name of a cue.
    background : str, optional
        A cue to add to every row.
    alpha : float or mapping from cues, optional
        Saliences; by default those of `equilibrium` or `learn`. A mapping names the background too.
    beta : float or pair of float, optional
        Learning rates; by default those of `equilibrium` or `learn`.
    lambda_ : float, default 1.0
        The asymptote.
    ridge : float, default 0.0
        The penalty on large weights; of the equilibrium only.
    passes : int, default 1
        How many times the learner goes through the rows.
    random_state : int, Generator, RandomState or None, default None
        The seed by which the learner draws a fresh order of all tokens for each pass, as `Events.passes`
        does. None: the order of rows.
    probability : {"shift", "softmax"}, default "shift"
        How probabilities are made of activations; see `probabilities`.
    threads : int, optional
        How many threads to use; by default as many as the process may run on.

    Attributes
    ----------
    classes_ : ndarray, n_classes
        The classes, sorted.
    weights_ : Weights of float64, n_cues x n_classes
        Its outcomes are the classes as str.
    minimum_ : float
        The least activation in the rows learned from, m in `probabilities`: "shift" adds |m|.
    n_parameters_ : int
        The number of weights, which R ndl takes for the number of parameters.
    terms_ : tuple of tuple of str
        The columns of each term; none with cue sets.
    factor_columns_ : tuple of str
        The columns that are used, each once.
    n_features_in_ : int
        How many columns there were. Not with cue sets.
    feature_names_in_ : ndarray of str
        Their names, if they have some.

    See Also
    --------
    rescorla.factor_events : the same coding, as events.
    cross_validate, variable_importance, anova : what to do with it.

    Notes
    -----
    X is one of

    - a pandas, polars or arrow table, or a mapping from columns to entries: a table of factors;
    - an array of two dimensions: a table of factors whose columns are called ``x0``, ``x1`` ...;
    - a list, or an array of one dimension, of cue sets as `read_events` takes them: a str is split at
      ``"_"``,
      another iterable gives names verbatim.

    A list of lists of numbers is taken for an array of two dimensions. A level or cue that was not seen when
    learning has no weights and is left out of the sum, as in R. So is a missing entry.

    A class may be learned and never predicted: where it is rare, others are more active whatever the cues.
    Frequencies can weigh it more: as ``sample_weight``, a whole number for each row, such as
    ``(counts.max() / counts).round()`` of its class, counts being the numbers of rows of the classes.
    `rescorla.estimators.RescorlaWagnerClassifier` has ``class_weight``.

    With "shift" the probabilities of the rows learned from are those of R. For other rows, R takes the least
    of their own activations, so that a row's probabilities depend on the rows beside it; here m remains the
    least activation of the rows learned from. ``probabilities(classifier.activations(X))`` gives R's.

    References
    ----------
    Arppe, A. and Baayen, R. H. (2011). Statistical classification and principles of human learning. 4th
    Conference on Quantitative Investigations in Theoretical Linguistics, Berlin.

    Danks, D. (2003). Equilibria of the Rescorla-Wagner model. Journal of Mathematical Psychology 47, 109-121.

    Examples
    --------
    >>> import rescorla as rw
    >>> table = {
    ...     "Agent": ["person", "person", "group", "group"],
    ...     "Polarity": ["yes", "no", "yes", "no"],
    ... }
    >>> classifier = rw.classify.NDLClassifier().fit(
    ...     table, ["think", "think", "think", "ponder"]
    ... )
    >>> classifier.predict({"Agent": ["person", "group"], "Polarity": ["no", "no"]})
    array(['think', 'ponder'], dtype='<U6')
    >>> round(classifier.weights_["Agentgroup", "ponder"], 3)
    0.375
    """

    classes_: NDArray[Any]
    weights_: Weights
    minimum_: float
    n_parameters_: int
    terms_: tuple[tuple[str, ...], ...]
    factor_columns_: tuple[str, ...]

    def __init__(
        self,
        *,
        method: Literal["equilibrium", "learn"] = "equilibrium",
        factors: Sequence[Term] | None = None,
        ignore: Iterable[Hashable] | Mapping[str, Iterable[Hashable]] = (),
        quantiles: int = 2,
        separator: str = "",
        background: str | None = None,
        alpha: PerName | None = None,
        beta: float | tuple[float, float] | None = None,
        lambda_: float = 1.0,
        ridge: float = 0.0,
        passes: int = 1,
        random_state: Any = None,
        probability: ProbabilityMethod = "shift",
        threads: int | None = None,
    ) -> None:
        self.method = method
        self.factors = factors
        self.ignore = ignore
        self.quantiles = quantiles
        self.separator = separator
        self.background = background
        self.alpha = alpha
        self.beta = beta
        self.lambda_ = lambda_
        self.ridge = ridge
        self.passes = passes
        self.random_state = random_state
        self.probability = probability
        self.threads = threads

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X : table, array or list of cue sets
            What is known of each row; see the notes of the class.
        y : array_like of shape (n_rows,)
            The class of each row.
        sample_weight : array_like of shape (n_rows,), optional
            The frequency of each row, a whole number; by default 1.

        Returns
        -------
        NDLClassifier
            Itself.

        Raises
        ------
        ValueError, TypeError, KeyError
            When an argument is out of range or of a wrong type, a column or a class is missing, or one of the
            factors is y itself, in a column of the same name.

        Warns
        -----
        RescorlaWarning
            When levels are missing from a data frame; when each level of a single column has one class only,
            in more than 30 rows: the column may be the class under another name.
        """
        one_of("method", self.method, ("equilibrium", "learn"))
        one_of("probability", self.probability, METHODS)
        if isinstance(y, str):
            y = str(y)
            raise TypeError(
                f"y must be one class for each row, not the str {y!r}; write fit(table, table[{y!r}]), with "
                "the other columns as factors"
            )
        require(self, y, "class")
        columns = self._columns(X, learning=True)
        n_rows = len(X) if columns is None else _n_rows(columns)
        targets = classes_of(y)
        if len(targets) != n_rows:
            raise ValueError(f"y must be one class for each of the {n_rows} rows, not {len(targets)}")
        self.classes_, codes = np.unique(targets, return_inverse=True)
        counts = _whole(frequencies(sample_weight, n_rows))
        if columns is None:
            self._coding: FactorCoding | None = None
        else:
            factors = list(columns) if self.factors is None else self.factors
            self._coding = learn_coding(
                columns,
                factors,
                counts,
                ignore=self.ignore,
                quantiles=self.quantiles,
                separator=self.separator,
            )
            _refuse_leaks(self._coding, columns, y, targets, codes, counts)
            if is_table(X):
                warn_of_missing(columns, self._coding)
        self.terms_ = () if self._coding is None else self._coding.terms
        self.factor_columns_ = () if self._coding is None else self._coding.columns
        cues = self._cue_sets(X, columns)
        outcomes = [str(label) for label in self.classes_.tolist()]
        self.weights_ = self._learn(cues, [outcomes[code] for code in codes], counts)
        self.n_parameters_ = self.weights_.values.size
        self.minimum_ = float(self._activate(cues)[counts > 0].min())
        return self

    def activations(self, X: Any) -> NDArray[np.float64]:
        """The activations of the classes: a = W'c for each row.

        Parameters
        ----------
        X : table, array or list of cue sets

        Returns
        -------
        ndarray of float64, n_rows x n_classes
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        return self._activate(self._cue_sets(X, self._columns(X, learning=False)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest activation; the first of equal ones.

        Parameters
        ----------
        X : table, array or list of cue sets

        Returns
        -------
        ndarray, n_rows
        """
        return self._choice(self.activations(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes, by R's formula or the softmax.

        Parameters
        ----------
        X : table, array or list of cue sets

        Returns
        -------
        ndarray of float64, n_rows x n_classes
            In the order of ``classes_``.

        See Also
        --------
        probabilities : the formulas.
        """
        return self._shares(self.activations(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Activations, in the form that scikit-learn expects.

        Parameters
        ----------
        X : table, array or list of cue sets

        Returns
        -------
        ndarray of float64
            n_rows x n_classes; with two classes, the activation of the second less that of the first, n_rows.
        """
        found = self.activations(X)
        return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found

    def statistics(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Statistics:
        """How well the predictions for some rows fit their classes: R's ``ndlStatistics``.

        Parameters
        ----------
        X : table, array or list of cue sets
        y : array_like of shape (n_rows,)
            The classes, all among ``classes_``.
        sample_weight : array_like of shape (n_rows,), optional
            Frequencies.

        Returns
        -------
        Statistics
            Its number of parameters is that of the weights.
        """
        found = self.activations(X)
        return statistics(
            column_or_1d(y),
            self._choice(found),
            self._shares(found),
            outcomes=self.classes_.tolist(),
            sample_weight=sample_weight,
            n_parameters=self.n_parameters_,
        )

    def __sklearn_is_fitted__(self) -> bool:
        # scikit-learn would take the parameter lambda_ for something learned.
        return hasattr(self, "weights_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _columns(self, X: Any, *, learning: bool) -> Columns | None:
        """The columns of a table of factors; None for cue sets. Records or checks their names."""
        # scipy's sparse matrices by key are mappings too.
        if isinstance(X, Mapping) and not hasattr(X, "tocsr"):
            columns = columns_of(X)
            if learning:
                self.n_features_in_ = len(columns)
            return columns
        if is_table(X):
            validate_data(self, X, reset=learning, skip_check_array=True)
            return columns_of(X)
        if _is_cue_sets(X):
            return None
        array = validate_data(self, X, reset=learning, dtype=None, ensure_all_finite="allow-nan")
        return {f"x{number}": column.tolist() for number, column in enumerate(array.T)}

    def _choice(self, found: NDArray[np.float64]) -> NDArray[Any]:
        choice: NDArray[Any] = self.classes_[found.argmax(axis=1)]
        return choice

    def _shares(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        return probabilities(found, method=self.probability, minimum=self.minimum_)

    def _cue_sets(self, X: Any, columns: Columns | None) -> Sequence[Any]:
        if (columns is None) != (self._coding is None):
            learned, found = ("cue sets", "a table") if self._coding is None else ("a table", "cue sets")
            raise TypeError(f"X must be {learned}, as was learned from, not {found}")
        if columns is None or self._coding is None:
            return list(X)
        return self._coding.cues(columns, _n_rows(columns))

    def _learn(self, cues: Sequence[Any], outcomes: Sequence[str], counts: NDArray[np.int64]) -> Weights:
        chosen: dict[str, Any] = {"lambda_": self.lambda_, "threads": self.threads, "progress": False}
        chosen |= {name: value for name in ("alpha", "beta") if (value := getattr(self, name)) is not None}
        rows = zip(cues, outcomes, counts.tolist(), strict=True)
        events = read_events(
            ((cue_set, (outcome,), count) for cue_set, outcome, count in rows),
            background=self.background,
            progress=False,
        )
        passes, seed = whole("passes", self.passes, 1), seed_of(self.random_state)
        if self.method == "equilibrium":
            return equilibrium(events, ridge=self.ridge, by=None, **chosen)
        # Names, in their order, before anything is learned.
        weights = Weights(
            np.zeros((events.n_cues, events.n_outcomes)), events.cues, events.outcomes, {"rule": "none"}
        )
        random = None if seed is None else generator(seed)
        for _ in range(passes):
            tokens = events if random is None else events.shuffled(random, progress=False)
            weights = learn(tokens, initial=weights, **chosen)
        return weights

    def _activate(self, cues: Sequence[Any]) -> NDArray[np.float64]:
        events = read_events(((row, ()) for row in cues), background=self.background, progress=False)
        names = [str(label) for label in self.classes_.tolist()]
        return activations(
            events, self.weights_, outcomes=names, unknown="ignore", threads=self.threads, progress=False
        )


def _is_cue_sets(X: Any) -> bool:
    """Whether X is a list, or an array of one dimension, of str or of iterables of str."""
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype.kind in "OUT"
    if not isinstance(X, list | tuple) or not X:
        return False
    first = X[0]
    if isinstance(first, str | set | frozenset):
        return True
    return isinstance(first, Sequence) and not (len(first) and isinstance(first[0], Number))


def _refuse_leaks(
    coding: FactorCoding,
    columns: Columns,
    y: Any,
    targets: NDArray[Any],
    codes: NDArray[np.intp],
    counts: NDArray[np.int64],
) -> None:
    """Refuse y as a factor under its own name, and warn of what says all of it under another."""
    name = getattr(y, "name", None)
    if isinstance(name, Hashable) and name in coding.columns:
        entries = columns[name]
        if [str(entry) for entry in entries] == [str(label) for label in targets.tolist()]:
            raise ValueError(
                f"X has the column {name!r}, which is y itself and would be a factor; leave it out, or name "
                "the columns to learn from as factors"
            )
    rows = np.flatnonzero(counts)
    if len(rows) <= _FEW_ROWS or len(np.unique(codes[rows])) < 2:
        return
    telling = [column for column in coding.columns if _tells_all(coding, column, columns, codes, rows)]
    if telling:
        which, has = ("the column", "has") if len(telling) == 1 else ("columns", "have each")
        warn(
            f"X has {which} {some(telling)} that {has} one class for each level, in all {len(rows):,} rows: "
            "is it the class under another name? leave it out, or name the columns to learn from as factors"
        )


def _tells_all(
    coding: FactorCoding, name: str, columns: Columns, codes: NDArray[np.intp], rows: NDArray[np.intp]
) -> bool:
    """Whether the level of a column tells the class of every row."""
    intervals, ignored = coding.intervals.get(name), coding.ignored.get(name, ())
    entries, classes = columns[name], codes.tolist()
    class_of: dict[str, int] = {}
    for row in rows.tolist():
        entry = entries[row]
        if is_missing(entry):
            return False
        level = str(entry) if intervals is None else intervals.level(entry)
        if level in ignored or class_of.setdefault(level, classes[row]) != classes[row]:
            return False
    return True


def _n_rows(columns: Columns) -> int:
    return len(next(iter(columns.values()), ()))


def _whole(counts: NDArray[Any]) -> NDArray[np.int64]:
    if (counts != np.floor(counts)).any():
        raise ValueError(
            "sample_weight must be whole numbers, the frequencies of rows; multiply them all by one number"
        )
    return counts.astype(np.int64)
