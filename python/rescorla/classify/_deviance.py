"""Comparing nested models by their deviance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.frames import columns_of
from rescorla._shared.optional import need
from rescorla.classify._validation import need_classifier

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    from rescorla.classify._classifier import NDLClassifier


@dataclass(frozen=True, eq=False)
class Anova:
    """An analysis of deviance: each model beside the one before it.

    Attributes
    ----------
    models : tuple of str
        Their terms.
    df_residual, deviance : ndarray of float64, n_models
        Of each model: the number of outcomes times the number of observations, less that of the weights; and
        the deviance.
    df, deviance_difference : ndarray of float64, n_models
        By how much they fall from the model before; NaN for the first.
    p : ndarray of float64, n_models
        The probability of such a fall, or a greater one, under the chi-square distribution with `df` degrees
        of freedom; NaN where there are none.
    """

    models: tuple[str, ...]
    df_residual: NDArray[np.float64]
    deviance: NDArray[np.float64]
    df: NDArray[np.float64]
    deviance_difference: NDArray[np.float64]
    p: NDArray[np.float64]

    def to_pandas(self) -> DataFrame:
        """The table of the analysis.

        Returns
        -------
        pandas.DataFrame
            One row for each model.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        names = ("df_residual", "deviance", "df", "deviance_difference", "p")
        pd = need("pandas")
        index = pd.Index(self.models, name="model")
        table: DataFrame = pd.DataFrame({name: getattr(self, name) for name in names}, index=index)
        return table


def anova(
    models: NDLClassifier | Sequence[NDLClassifier],
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> Anova:
    """Compare nested models by their deviance: R's ``anova.ndlClassify``.

    Parameters
    ----------
    models : NDLClassifier or sequence of NDLClassifier
        Several models, each within the next; or one, whose terms are added one after another to a model
        without any. Clones of them are fitted.
    X : table, array or list of cue sets
        What all models learn from; for one model, a table.
    y : array_like of shape (n_rows,)
        The class of each row.
    sample_weight : array_like of shape (n_rows,), optional
        Frequencies.

    Returns
    -------
    Anova

    Raises
    ------
    ImportError
        When scikit-learn or scipy is not installed.
    ValueError
        When no model is given.

    Notes
    -----
    As in R, the number of parameters is that of all weights, although levels of factors are collinear, and
    the deviance is that of probabilities made of activations, which learning does not maximise: it can rise
    with the number of terms. Then the difference is negative, and p = 1.

    Examples
    --------
    >>> import rescorla as rw
    >>> table = {
    ...     "colour": ["red", "blue"] * 14,
    ...     "form": ["round", "round", "square", "square"] * 7,
    ... }
    >>> y = ["y", "n"] * 14
    >>> found = rw.classify.anova(rw.classify.NDLClassifier(), table, y)
    >>> found.models
    ('no terms', 'colour', 'colour + form')
    >>> found.df[1:], bool(found.p[1] < 1e-6)
    (array([4., 4.]), True)
    """
    chdtrc = need("scipy.special", "sklearn").chdtrc
    clone = need("sklearn.base").clone
    one = not isinstance(models, Sequence)
    given = list(models) if isinstance(models, Sequence) else [models]
    for model in given:
        need_classifier("models", model)
    nested = _growing(given[0], X) if one else given
    fitted = [clone(model).fit(X, y, sample_weight) for model in nested]
    if not fitted:
        raise ValueError("models must be one or more, not none")
    fits = [model.statistics(X, y, sample_weight) for model in fitted]
    names = [_named(model) for model in fitted]
    df_residual = [float(fit.df_model or 0) for fit in fits]
    deviance = [fit.deviance for fit in fits]
    if one:
        names.insert(0, "no terms")
        df_residual.insert(0, float(fits[0].df_null))
        deviance.insert(0, fits[0].deviance_null)
    df = np.array([np.nan, *-np.diff(df_residual)])
    difference = np.array([np.nan, *-np.diff(deviance)])
    # The distribution with no degrees of freedom, or fewer, tests nothing.
    tested = df > 0
    p = np.full(len(df), np.nan)
    p[tested] = chdtrc(df[tested], np.maximum(difference[tested], 0.0))
    return Anova(tuple(names), np.array(df_residual), np.array(deviance), df, difference, p)


def _growing(model: NDLClassifier, X: Any) -> list[NDLClassifier]:
    """The models of the first term, the first two, and so on."""
    from sklearn.base import clone

    terms = list(columns_of(X)) if model.factors is None else list(model.factors)
    return [clone(model).set_params(factors=terms[: count + 1]) for count in range(len(terms))]


def _named(model: NDLClassifier) -> str:
    terms = model.terms_
    return " + ".join(":".join(term) for term in terms) if terms else "cue sets"
