"""How well predictions fit what was observed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import erfc, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared import show
from rescorla._shared.checks import numbered, rate, real_array, several, shown, unmasked, whole
from rescorla._shared.optional import need
from rescorla._shared.warn import NumericalWarning, warn

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame, Series

# What is shown in text, and how many classes in a notebook.
_SHOWN = (
    "lambda_prediction",
    "tau_classification",
    "r2",
    "r2_nagelkerke",
    "log_likelihood",
    "aic",
    "c_index",
)
_CLASSES = 12


@dataclass(frozen=True, eq=False)
class Statistics:
    """How well a classification fits: the statistics of R's ``ndlStatistics``.

    Attributes
    ----------
    outcomes : tuple
        The classes, in the order of the arrays below.
    n : float
        How many observations there are: the sum of the frequencies.
    crosstable : ndarray, n_outcomes x n_outcomes
        How many observations of each class (rows) were predicted to be of each class (columns).
    accuracy : float
        The share of observations that were predicted right.
    recall, precision : ndarray of float64, n_outcomes
        For each class, the share of its observations that were predicted right; and the share of its
        predictions that are right. NaN for a class without observations, or predictions.
    lambda_prediction, tau_classification : float
        The part of the errors that the model saves, compared with predicting the most frequent class; and
        with drawing classes at random in their observed proportions.
    d_lambda_prediction, d_tau_classification, p_lambda_prediction, p_tau_classification : float
        Their standardised values and one-sided p-values.
    log_likelihood, log_likelihood_null : float
        Of the probabilities; and of a model that has the observed proportions of classes throughout.
    deviance, deviance_null : float
        -2 times the log-likelihoods.
    r2, r2_nagelkerke : float
        McFadden's R^2, 1 - deviance / deviance_null, and Nagelkerke's. NaN where all observations are of one
        class, of which the null model is always right.
    n_parameters : int or None
        How many parameters the model has.
    df_null, df_model : int or None
        The number of outcomes times n; and that less `n_parameters`.
    aic, bic : float
        Akaike's and the Bayesian information criterion; NaN where `n_parameters` is None.
    c_index : float
        With two classes, the index of concordance C: of all pairs of an observation of each class, the share
        in which the one of the second class has the higher probability of it (ties count half). NaN with
        other numbers of classes, as R has none.
    """

    outcomes: tuple[Any, ...]
    n: float
    crosstable: NDArray[Any]
    accuracy: float
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    lambda_prediction: float
    tau_classification: float
    d_lambda_prediction: float
    d_tau_classification: float
    p_lambda_prediction: float
    p_tau_classification: float
    log_likelihood: float
    log_likelihood_null: float
    deviance: float
    deviance_null: float
    r2: float
    r2_nagelkerke: float
    n_parameters: int | None
    df_null: float
    df_model: float | None
    aic: float
    bic: float
    c_index: float

    def __repr__(self) -> str:
        found = self.numbers()
        shown = [[name, show.rounded(found[name])] for name in _SHOWN]
        return "\n".join([self._head(), *show.columns(shown)])

    def _repr_html_(self) -> str:
        """The cross table and the single numbers, for a notebook."""
        numbers = [[name, show.rounded(value)] for name, value in self.numbers().items()]
        classes = [str(outcome) for outcome in self.outcomes[:_CLASSES]]
        counts = [
            [name, *map(show.rounded, row)]
            for name, row in zip(classes, self.crosstable[:_CLASSES, :_CLASSES].tolist(), strict=True)
        ]
        more = len(self.outcomes) - len(classes)
        caption = "observed classes, and as what they were predicted" + (f"; {more} more" if more else "")
        crosstable = show.table(["", *classes], counts, caption=caption)
        return show.notebook_html(self._head(), crosstable, show.table(["", ""], numbers))

    def _head(self) -> str:
        counts = f"{self.n:g} observations of {len(self.outcomes)} classes"
        return f"<Statistics: {counts}; accuracy {self.accuracy:.3g}>"

    def to_pandas(self) -> Series[float]:
        """The single numbers, by name.

        Returns
        -------
        pandas.Series of float64
            NaN where there is no number.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        series: Series[float] = need("pandas").Series(self.numbers(), dtype=float)
        return series

    def crosstable_to_pandas(self) -> DataFrame:
        """The cross table with its classes.

        Returns
        -------
        pandas.DataFrame
            Rows are observed, columns predicted classes.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        pd = need("pandas")
        rows, columns = (pd.Index(self.outcomes, name=name) for name in ("observed", "predicted"))
        table: DataFrame = pd.DataFrame(self.crosstable, index=rows, columns=columns)
        return table

    def numbers(self) -> dict[str, float]:
        """The single numbers, by name; NaN for None.

        Returns
        -------
        dict of float
        """
        arrays = ("outcomes", "crosstable", "recall", "precision")
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in arrays}
        return {name: np.nan if value is None else float(value) for name, value in values.items()}


def statistics(
    observed: ArrayLike,
    predicted: ArrayLike,
    probabilities: ArrayLike,
    *,
    outcomes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    n_parameters: int | None = None,
    floor: float = 1e-10,
) -> Statistics:
    """Statistics of a classification, of any method that gives probabilities.

    With n_rs the number of observations of class r that were predicted to be of class s, n_r the number of
    all of class r, n = sum of n_r, e = n - sum of n_rr the number of errors, and p_i the probability that the
    model gives to what was observed in row i, of frequency f_i:

        lambda = 1 - e / e_l,    e_l = n - max n_r
        tau    = 1 - e / e_t,    e_t = sum of n_r (n - n_r) / n
        d      = (e_x - e) / n / sqrt((e_x / n) (1 - e_x / n) / n),    x = l or t
        p      = 1 - Phi(d)
        LL     = sum of f_i log p_i,     LL_0 = sum of n_r log(n_r / n)
        R^2    = 1 - LL / LL_0
        R^2    = (1 - exp(2 (LL_0 - LL) / n)) / (1 - exp(2 LL_0 / n))    Nagelkerke
        AIC    = 2 k - 2 LL,      BIC = k log n - 2 LL

    Parameters
    ----------
    observed, predicted : array_like of shape (n_rows,)
        The classes.
    probabilities : array_like of shape (n_rows, n_outcomes)
        Not negative. Each row is divided by its sum.
    outcomes : sequence, optional
        The classes of the columns of `probabilities`, in their order; by default the observed ones, sorted.
    sample_weight : array_like of shape (n_rows,), optional
        Frequencies: how many times each row was observed; by default once.
    n_parameters : int, optional
        k. R ndl takes the number of weights, n_cues x n_outcomes, free or not.
    floor : float, default 1e-10
        The least probability of what was observed: it replaces smaller ones, so that they have a logarithm.
        The default is that of R's ``ndlStatistics``, which replaces only 0.

    Returns
    -------
    Statistics

    Raises
    ------
    ValueError
        When the arrays do not fit together, a class is none of the outcomes, or a number is out of range.
    ImportError
        When there are two classes and scikit-learn is not installed.

    Warns
    -----
    RescorlaWarning
        When all observations are of one class, so that R^2 is NaN.

    References
    ----------
    Arppe, A. (2008). Univariate, bivariate and multivariate methods in corpus-based lexicography: a study of
    synonymy. Publications of the Department of General Linguistics 44, University of Helsinki.

    Menard, S. (1995). Applied logistic regression analysis. Thousand Oaks: Sage, pp. 24-32.

    Nagelkerke, N. J. D. (1991). A note on a general definition of the coefficient of determination.
    Biometrika 78, 691-692.

    Examples
    --------
    >>> import rescorla as rw
    >>> fit = rw.classify.statistics(
    ...     ["a", "a", "b", "c"],
    ...     ["a", "a", "c", "c"],
    ...     [[0.8, 0.1, 0.1], [0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]],
    ... )
    >>> fit.accuracy, fit.lambda_prediction
    (0.75, 0.5)
    >>> fit.crosstable
    array([[2, 0, 0],
           [0, 0, 1],
           [0, 0, 1]])
    >>> round(fit.log_likelihood, 4)
    -1.6094
    """
    floor = rate("floor", floor)
    shares = real_array("probabilities", probabilities)
    names = (
        tuple(np.unique(np.asarray(observed)).tolist())
        if outcomes is None
        else tuple(several("outcomes", outcomes))
    )
    for name in names:
        if not isinstance(name, Hashable):
            raise TypeError(f"outcomes must be classes, and {shown(name)} is none")
    numbers = numbered(names)
    truth, choice = (
        _classes(which, labels, numbers)
        for which, labels in (("observed", observed), ("predicted", predicted))
    )
    if len(choice) != len(truth):
        raise ValueError(f"predicted must be {len(truth)} classes, as many as observed, not {len(choice)}")
    if shares.shape != (len(truth), len(names)):
        raise ValueError(
            f"probabilities must have the shape {(len(truth), len(names))}, a row for each class observed "
            f"and a column for each of {list(names)}, not {shares.shape}; outcomes names the columns"
        )
    if not len(truth):
        raise ValueError("observed must be one class or more, not none")
    sums = shares.sum(axis=1)
    if not (np.isfinite(sums).all() and (shares >= 0).all() and (sums > 0).all()):
        raise ValueError("probabilities must be finite, 0 or more, and not all 0 in a row")
    counts = frequencies(sample_weight, len(truth))
    table = np.zeros((len(names), len(names)), dtype=counts.dtype)
    np.add.at(table, (truth, choice), counts)
    seen = np.maximum(shares[np.arange(len(truth)), truth] / sums, floor)
    # What never occurred has no say, be it impossible.
    some = counts > 0
    with np.errstate(divide="ignore"):
        model = float((counts[some] * np.log(seen[some])).sum())
    k = None if n_parameters is None else whole("n_parameters", n_parameters)
    concordance = _c_index(truth, (shares / sums[:, None])[:, 1], counts) if len(names) == 2 else np.nan
    classes = np.flatnonzero(table.sum(axis=1))
    if len(classes) == 1:
        warn(
            f"observed has no class but {names[classes[0]]!r}, so that nothing is left to explain: r2 and "
            "r2_nagelkerke are NaN; give rows of two classes or more",
            NumericalWarning,
        )
    fit = _errors(table) | _likelihoods(table, model, k)
    return Statistics(outcomes=names, crosstable=table, c_index=concordance, **fit)


def frequencies(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[Any]:
    """How many times each row counts; whole numbers as int64."""
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.int64)
    counts = np.asarray(unmasked("sample_weight", sample_weight))
    if counts.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have {n_rows} numbers, one for each row, not shape {counts.shape}"
        )
    if counts.dtype.kind not in "iuf" or not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("sample_weight must be finite numbers, 0 or more")
    if not counts.sum() > 0:
        raise ValueError("sample_weight must be more than zero in one row at least")
    return counts.astype(np.float64 if counts.dtype.kind == "f" else np.int64)


def _classes(which: str, labels: ArrayLike, numbers: Mapping[Any, int]) -> NDArray[np.intp]:
    values = np.asarray(unmasked(which, labels))
    if values.ndim != 1:
        raise ValueError(f"{which} must be one class for each row, not of {values.ndim} dimensions")
    found = np.fromiter((numbers.get(label, -1) for label in values.tolist()), np.intp, len(values))
    if (found < 0).any():
        row = int(found.argmin())
        raise ValueError(
            f"{which} must be of the classes {list(numbers)}, but row {row} has {values.tolist()[row]!r}; "
            "outcomes names all classes"
        )
    return found


def _errors(table: NDArray[Any]) -> dict[str, Any]:
    """What the cross table says, after Menard."""
    n = table.sum()
    observed, predicted, right = table.sum(axis=1), table.sum(axis=0), np.diag(table)
    errors = n - right.sum()
    result: dict[str, Any] = {"n": float(n), "accuracy": float(right.sum() / n)}
    with np.errstate(divide="ignore", invalid="ignore"):
        result |= {"recall": right / observed, "precision": right / predicted}
        baselines = {
            "lambda_prediction": n - observed.max(),
            "tau_classification": (observed * (n - observed) / n).sum(),
        }
        for name, baseline in baselines.items():
            share = baseline / n
            d = float((share - errors / n) / np.sqrt(share * (1 - share) / n))
            result[name] = float(1 - np.float64(errors) / baseline)
            result[f"d_{name}"] = d
            # 1 - Phi(d), without the cancellation.
            result[f"p_{name}"] = erfc(d / sqrt(2)) / 2
    return result


def _likelihoods(table: NDArray[Any], model: float, k: int | None) -> dict[str, Any]:
    n, observed = table.sum(), table.sum(axis=1)
    some = observed[observed > 0]
    null = float((some * np.log(some / n)).sum())
    r2 = nagelkerke = np.nan
    if len(some) > 1:
        r2 = 1 - model / null
        nagelkerke = float(np.expm1(2 * (null - model) / n) / np.expm1(2 * null / n))
    df_null = len(observed) * n.item()
    return {
        "log_likelihood": model,
        "log_likelihood_null": null,
        # Of 0 it would be -0.
        "deviance": 0.0 - 2 * model,
        "deviance_null": 0.0 - 2 * null,
        "r2": r2,
        "r2_nagelkerke": nagelkerke,
        "n_parameters": k,
        "df_null": df_null,
        "df_model": None if k is None else df_null - k,
        "aic": np.nan if k is None else 2 * k - 2 * model,
        "bic": np.nan if k is None else float(k * np.log(n) - 2 * model),
    }


def _c_index(truth: NDArray[np.intp], second: NDArray[np.float64], counts: NDArray[Any]) -> float:
    """The area under the receiver's operating curve, which is Somers' C."""
    if len(np.unique(truth[counts > 0])) < 2:
        return np.nan
    return float(need("sklearn.metrics").roc_auc_score(truth, second, sample_weight=counts))
