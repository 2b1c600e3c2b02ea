"""How much each factor matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.frames import columns_of
from rescorla._shared.checks import flag, whole
from rescorla._shared.optional import need
from rescorla.classify._validation import need_classifier

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    from rescorla.classify._classifier import NDLClassifier


# The most repeats.
_MOST = 1_000_000


@dataclass(frozen=True, eq=False)
class Importance:
    """How accurate a classification is when a factor is permuted. `variable_importance` makes it.

    Attributes
    ----------
    factors : tuple of str
        The columns.
    accuracy : ndarray of float64, n_factors x repeats
        With the column permuted.
    c_index : ndarray of float64, n_factors x repeats, or None
        The index of concordance, with two classes; else None.
    baseline : float
        The accuracy with all columns as they are.
    """

    factors: tuple[str, ...]
    accuracy: NDArray[np.float64]
    c_index: NDArray[np.float64] | None
    baseline: float

    @property
    def importance(self) -> NDArray[np.float64]:
        """By how much the accuracy falls, on average: one number for each factor."""
        fall: NDArray[np.float64] = (self.baseline - self.accuracy).mean(axis=1)
        return fall

    def to_pandas(self) -> DataFrame:
        """The factors by importance.

        Returns
        -------
        pandas.DataFrame
            Indexed by factor: importance, accuracy (its mean), and c_index (its mean) with two classes; the
            most important first.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        pd = need("pandas")
        columns = {"importance": self.importance, "accuracy": self.accuracy.mean(axis=1)}
        if self.c_index is not None:
            columns["c_index"] = self.c_index.mean(axis=1)
        index = pd.Index(self.factors, name="factor")
        table: DataFrame = pd.DataFrame(columns, index=index)
        return table.sort_values("importance", ascending=False, kind="stable")


def variable_importance(
    classifier: NDLClassifier,
    X: Any,
    y: ArrayLike,
    *,
    repeats: int = 1,
    refit: bool = True,
    sample_weight: ArrayLike | None = None,
    random_state: Any = None,
) -> Importance:
    """Permute the entries of one factor after another and see how the accuracy falls.

    Parameters
    ----------
    classifier : NDLClassifier
        Its parameters say what is learned. It is cloned, not fitted.
    X : table or mapping
        A table of factors.
    y : array_like of shape (n_rows,)
        The class of each row.
    repeats : int, default 1
        How many permutations of each factor.
    refit : bool, default True
        Whether the weights are learned anew from the permuted table, and the accuracy is that on the same
        table: what R's ``ndlVarimp`` does. False: the weights of the table as it is predict the permuted one,
        the permutation importance of Breiman (2001) and scikit-learn.
    sample_weight : array_like of shape (n_rows,), optional
        Frequencies.
    random_state : int, Generator, RandomState or None, default None
        The seed of the permutations. None: another one each time.

    Returns
    -------
    Importance
        The factors are those that the classifier uses, in the order of its terms; the columns of an
        interaction are permuted one at a time.

    Raises
    ------
    ImportError
        When scikit-learn is not installed.
    ValueError
        When `repeats` is less than 1.

    References
    ----------
    Baayen, R. H. (2011). Corpus linguistics and naive discriminative learning. Brazilian Journal of Applied
    Linguistics 11, 295-328.

    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> import rescorla as rw
    >>> table = {
    ...     "colour": ["red", "blue"] * 14,
    ...     "form": ["round", "round", "square", "square"] * 7,
    ... }
    >>> found = rw.classify.variable_importance(
    ...     rw.classify.NDLClassifier(),
    ...     table,
    ...     ["y", "n"] * 14,
    ...     repeats=5,
    ...     random_state=1,
    ... )
    >>> (
    ...     found.factors,
    ...     found.baseline,
    ...     bool(found.importance[0] > 0.3 > found.importance[1]),
    ... )
    (('colour', 'form'), 1.0, True)
    """
    clone = need("sklearn.base").clone
    repeats, refit = whole("repeats", repeats, 1, most=_MOST), flag("refit", refit)
    need_classifier("classifier", classifier)
    random = random_state
    if not isinstance(random, np.random.Generator):
        random = need("sklearn.utils").check_random_state(random)
    columns = columns_of(X)
    fitted = clone(classifier).fit(columns, y, sample_weight)
    factors = fitted.factor_columns_
    binary = len(fitted.classes_) == 2
    accuracy = np.zeros((len(factors), repeats))
    c_index = np.zeros_like(accuracy)
    for row, name in enumerate(factors):
        for repeat in range(repeats):
            entries = [columns[name][entry] for entry in random.permutation(len(columns[name]))]
            permuted = {**columns, name: entries}
            model = clone(classifier).fit(permuted, y, sample_weight) if refit else fitted
            fit = model.statistics(permuted, y, sample_weight)
            accuracy[row, repeat], c_index[row, repeat] = fit.accuracy, fit.c_index
    baseline = fitted.statistics(columns, y, sample_weight).accuracy
    return Importance(factors, accuracy, c_index if binary else None, baseline)
