"""Cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.frames import columns_of, is_table
from rescorla._shared import show
from rescorla._shared.checks import is_iterable, shown, unmasked
from rescorla._shared.optional import need
from rescorla.classify._goodness import Statistics, frequencies, statistics

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How well each fold of a cross-validation was predicted. `cross_validate` makes it.

    Attributes
    ----------
    fits : tuple of Statistics
        One for each fold, of its rows, which were not learned from.
    folds : tuple of ndarray of int
        The rows of each fold.
    """

    fits: tuple[Statistics, ...]
    folds: tuple[NDArray[np.intp], ...]

    def __repr__(self) -> str:
        sizes = sorted({len(fold) for fold in self.folds})
        rows = f" of {' to '.join(map(str, dict.fromkeys([sizes[0], sizes[-1]])))} rows" if sizes else ""
        statistics = self.summary() if self.fits else {}
        ranges = [
            f"{name} {found['mean']:.3g} ({found['minimum']:.3g} to {found['maximum']:.3g})"
            for name, found in statistics.items()
            if name in ("accuracy", "r2", "c_index")
        ]
        return f"<CrossValidation: {len(self.folds)} folds{rows}{''.join(f'; {each}' for each in ranges)}>"

    def _repr_html_(self) -> str:
        """The statistics over the folds, for a notebook."""
        lines = [
            [name, *map(show.rounded, found.values())]
            for name, found in (self.summary() if self.fits else {}).items()
        ]
        table = show.table(["", "mean", "minimum", "maximum"], lines) if lines else ""
        return show.notebook_html(repr(self), table)

    def summary(self) -> dict[str, dict[str, float]]:
        """The mean, least and greatest of each statistic over the folds.

        Returns
        -------
        dict of dict of float
            ``summary()["accuracy"]["mean"]``; the keys inside are mean, minimum and maximum.
        """
        rows = [fit.numbers() for fit in self.fits]
        return {
            name: {
                "mean": float(np.mean([row[name] for row in rows])),
                "minimum": float(np.min([row[name] for row in rows])),
                "maximum": float(np.max([row[name] for row in rows])),
            }
            for name in rows[0]
        }

    def to_pandas(self) -> DataFrame:
        """The statistics of each fold.

        Returns
        -------
        pandas.DataFrame
            One row for each fold, one column for each statistic; ``.describe()`` summarises.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        pd = need("pandas")
        index = pd.RangeIndex(len(self.fits), name="fold")
        table: DataFrame = pd.DataFrame([fit.numbers() for fit in self.fits], index=index)
        return table


def cross_validate(
    classifier: Any, X: Any, y: ArrayLike, *, cv: Any = 10, sample_weight: ArrayLike | None = None
) -> CrossValidation:
    """Learn from all rows but those of a fold, predict those, fold after fold: R's ``ndlCrossvalidate``.

    Parameters
    ----------
    classifier : estimator
        An `NDLClassifier`, or any classifier of scikit-learn with ``predict_proba``. It is cloned, not
        fitted.
    X : table, array or list of cue sets
        What the classifier learns from.
    y : array_like of shape (n_rows,)
        The class of each row.
    cv : int, cross-validation generator or iterable, default 10
        How many folds, each with the classes in proportion; or what scikit-learn's ``check_cv`` takes. R's
        folds are those of ``KFold(10, shuffle=True)``.
    sample_weight : array_like of shape (n_rows,), optional
        Frequencies. A row with all its tokens belongs to one fold; R deals out single tokens.

    Returns
    -------
    CrossValidation

    Raises
    ------
    ImportError
        When scikit-learn is not installed.
    ValueError
        When a class occurs in a fold but not in what is learned from.

    Notes
    -----
    ``cross_val_score`` and ``GridSearchCV`` of scikit-learn take an `NDLClassifier` too; this gives all
    statistics of each fold.

    Examples
    --------
    >>> import rescorla as rw
    >>> cues = ["red_round", "red_square", "blue_round", "blue_square"] * 5
    >>> fit = rw.classify.cross_validate(
    ...     rw.classify.NDLClassifier(), cues, ["y", "y", "n", "n"] * 5, cv=5
    ... )
    >>> fit
    <CrossValidation: 5 folds of 4 rows; accuracy 1 (1 to 1); r2 1 (1 to 1); c_index 1 (1 to 1)>
    >>> fit.summary()["accuracy"]["mean"]
    1.0
    """
    clone = need("sklearn.base").clone
    check_cv = need("sklearn.model_selection").check_cv
    need_classifier("classifier", classifier)
    targets = np.asarray(unmasked("y", y))
    n_rows = len(_entries(X))
    if n_rows != len(targets):
        raise ValueError(
            f"X and y must have as many rows, not {n_rows} and {len(targets)}; give a row for each"
        )
    # A name goes along, so that a classifier can tell y among its factors.
    named = y if hasattr(y, "name") else targets
    counts = None if sample_weight is None else frequencies(sample_weight, len(targets))
    fits, folds = [], []
    try:
        splits = list(check_cv(cv, targets, classifier=True).split(targets, targets))
        for rows in (rows for split in splits for rows in split):
            targets[rows]
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(f"cv must be what scikit-learn takes: {error}") from None
    if not splits:
        raise ValueError("cv must be one fold or more, not none")
    for train, test in splits:
        weights = {} if counts is None else {"sample_weight": counts[train]}
        model = clone(classifier).fit(_rows(X, train), _rows(named, train), **weights)
        held_out = _rows(X, test)
        fits.append(
            statistics(
                targets[test],
                model.predict(held_out),
                model.predict_proba(held_out),
                outcomes=model.classes_.tolist(),
                sample_weight=None if counts is None else counts[test],
                n_parameters=getattr(model, "n_parameters_", None),
            )
        )
        folds.append(test)
    return CrossValidation(tuple(fits), tuple(folds))


def need_classifier(argument: str, value: object) -> None:
    """TypeError unless something can be fitted."""
    if isinstance(value, type) or not hasattr(value, "fit"):
        raise TypeError(f"{argument} must be a classifier, such as NDLClassifier(), not {shown(value)}")


def _entries(X: Any) -> Any:
    """What has as many entries as X has rows."""
    if isinstance(X, Mapping):
        return next(iter(columns_of(X).values()), ())
    if isinstance(X, str | bytes) or not (is_iterable(X) or is_table(X)) or not hasattr(X, "__len__"):
        raise TypeError(f"X must be a table, an array or a list of cue sets, not {shown(X)}")
    return X


def _rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a table, of an array, or of a list of cue sets, in the same form."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and is_table(X):
        return X.take(rows)
    if isinstance(X, Mapping):
        return {name: [entries[row] for row in rows] for name, entries in columns_of(X).items()}
    if isinstance(X, Sequence):
        return [X[row] for row in rows]
    return X[rows]
