"""Targets of several labels at once: matrices of 0 and 1, with a column for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import type_of_target

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_indicators(y: Any) -> bool:
    """Whether y says of each row which labels it has, and not which class it is of."""
    # What else may be wrong with a y of one dimension is said where classes are made of it.
    return getattr(y, "ndim", 2) != 1 and type_of_target(y, input_name="y") == "multilabel-indicator"


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
