"""What estimators are given: weights of rows, targets of several labels, seeds, and X as a matrix."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, check_consistent_length, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from rescorla._shared.checks import is_missing, seed_number, unmasked, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rescorla._weights.vectors import Table

# Numbers that are made at a time, 8 MB.
_AT_ONCE = 1 << 20


def frequencies_of(sample_weight: ArrayLike | None, X: Any) -> NDArray[np.float64] | None:
    """A number of 0 or more for each row; None where each is one token."""
    if sample_weight is None:
        return None
    given = np.asarray(unmasked("sample_weight", sample_weight))
    # scikit-learn refuses weights that are all 0, as a piece may have them: it is shown ones.
    nothing = given.dtype.kind in "biuf" and not given.any()
    told = given + 1.0 if nothing else sample_weight
    try:
        checked = np.asarray(_check_sample_weight(told, X, dtype=np.float64, ensure_non_negative=True))
    except OverflowError:
        raise ValueError("sample_weight must be finite as float64, and has a number that is not") from None
    if not np.isfinite(checked).all():
        raise ValueError("sample_weight must be finite")
    return np.zeros(len(checked)) if nothing else checked


def present(
    X: Any, targets: Any, frequencies: NDArray[np.float64] | None, *, piece: bool
) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """The rows that are tokens at all, so that others have no say in any order; None where each is one.

    A piece may have none.
    """
    if frequencies is None:
        return X, targets, None
    if not piece and not frequencies.any():
        raise ValueError(
            "all rows have a weight of zero, so there is nothing to learn: let at least one sample_weight, "
            "and the class_weight of its row, be more"
        )
    if not frequencies.all():
        rows = np.flatnonzero(frequencies)
        X, targets, frequencies = X[rows], targets[rows], frequencies[rows]
    return X, targets, None if (frequencies == 1).all() else frequencies


def median(values: NDArray[np.float64], frequencies: NDArray[np.float64] | None) -> float:
    """The median of the values, each as often as it is; 0 where there are none."""
    if not len(values):
        return 0.0
    if frequencies is None:
        return float(np.median(values))
    order = np.argsort(values)
    reached = np.cumsum(frequencies[order])
    half = reached[-1] / 2
    # Where one half ends with a value, and the other begins with the next, it is midway between the two.
    ends = [min(int(np.searchsorted(reached, half, side)), len(order) - 1) for side in ("left", "right")]
    return float(values[order[ends]].mean())


def paces_of(
    frequencies: NDArray[np.float64],
    beta: float,
    paces: NDArray[np.float64] | None,
    kappa: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The factors on beta by which a row is learned as so many tokens in a row, all at once.

    A token takes the part c = beta * kappa of its error away, so f of them leave (1 - c)^f of it. One token
    does the same at the rate (1 - (1 - c)^f) / kappa, for any f where c is below 1.
    """
    single = np.ones(len(kappa)) if paces is None else paces
    part = beta * single * kappa
    beyond = (part >= 1) & (frequencies != np.floor(frequencies))
    if beyond.any():
        row = int(np.argmax(np.where(beyond, kappa, 0.0)))
        raise ValueError(
            f"a row has the weight {frequencies[row]:g}, which is no whole number of tokens, and beta * "
            f"sum(alpha * x^2) = {part[row]:g}: parts of tokens are only there below 1; give a beta below "
            f"{1 / kappa[row]:g}, let it be None, or give whole numbers as sample_weight and class_weight"
        )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shrunk = -np.expm1(frequencies * np.log1p(-np.minimum(part, 1.0)))
        taken = np.where(part < 1, shrunk, 1 - np.power(1 - part, frequencies))
        many = single * np.where(part > 0, taken / part, frequencies)
    # A row that is one token is learned as without weights, to the last bit.
    return np.where(frequencies == 1, single, many)


def require(estimator: object, y: object, what: str) -> None:
    """Refuse no y, and the name of y in its place."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: "
            f"give one {what} for each row"
        )
    if isinstance(y, str):
        name = str(y)
        raise TypeError(
            f"y must be one {what} for each row, not the str {name!r}; give the column itself, "
            f"table[{name!r}]"
        )


def classes_of(y: Any) -> NDArray[Any]:
    """The class of each row; ValueError where one is missing."""
    labels = np.asarray(column_or_1d(y, warn=True))
    # Of a list with other words numpy makes a NaN the word nan.
    entries = y if isinstance(y, list | tuple) else labels.tolist() if labels.dtype.kind in "Of" else ()
    row = next((row for row, entry in enumerate(entries) if is_missing(entry)), None)
    if row is not None:
        raise ValueError(
            f"y must have a class for each row, but row {row} has None or NaN: leave such rows out; if the "
            "word None is a class, read the table with pandas.read_csv(..., keep_default_na=False)"
        )
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels


def is_indicators(y: Any) -> bool:
    """Whether y says of each row which labels it has, and not which class it is of."""
    # What else may be wrong with a y of one dimension is said where classes are made of it.
    n_dimensions = getattr(y, "ndim", np.ndim(y[0]) + 1 if isinstance(y, list | tuple) and y else 2)
    return n_dimensions != 1 and type_of_target(y, input_name="y") == "multilabel-indicator"


def indicators(X: Any, y: Any) -> sparse.csr_array:
    """y in sparse rows of float64."""
    check_consistent_length(X, y)
    labels = sparse.csr_array(y if hasattr(y, "tocsr") else np.asarray(y), dtype=np.float64)
    labels.eliminate_zeros()
    return labels


def names_of_labels(y: Any) -> NDArray[Any]:
    """The names of the columns of a data frame, or their numbers."""
    names = getattr(y, "columns", None)
    if names is None:
        shape = getattr(y, "shape", None)
        return np.arange(shape[1] if shape else len(y[0]))
    found = np.asarray(names)
    if len({str(name) for name in found.tolist()}) < len(found):
        raise ValueError("y has two columns of one name; rename one")
    return found


def matrix_of(table: Table) -> Any:
    """The same numbers, as an array or in sparse rows."""
    if table.starts is None or table.columns is None:
        return table.values
    return sparse.csr_array((table.values, table.columns, table.starts), shape=table.shape)


def mean_square(
    x: Table, z: Table, weights: NDArray[np.float64], frequencies: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean squared error of what weights predict, each row as often as it is: one number."""
    rows, targets = matrix_of(x), matrix_of(z)
    n, n_outcomes = z.shape
    step = max(1, _AT_ONCE // max(1, n_outcomes))
    total = 0.0
    for start in range(0, n, step):
        part = slice(start, start + step)
        errors = np.asarray(rows[part] @ weights - targets[part])
        total += float(frequencies[part] @ np.einsum("ij,ij->i", errors, errors))
    return np.array([total / (float(frequencies.sum()) * n_outcomes)])


def seed_of(random_state: Any) -> int | None:
    """A seed that is a number, or None: an int is the seed itself, others draw one."""
    if random_state is None:
        return None
    if isinstance(random_state, Integral):
        return whole("random_state", random_state)
    if isinstance(random_state, np.random.Generator):
        return seed_number(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
