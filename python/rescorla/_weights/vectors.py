"""Arrays as data: numbers in rows, dense or sparse, with the names of their columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rescorla._events.frames import is_table, names_of
from rescorla._shared.checks import in_rows, named_twice, near, numbered, only_names, places, unmasked
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Examples: TypeAlias = Any
"""An array_like, a data frame, an xarray DataArray or a scipy sparse matrix or array, of two dimensions."""

Vectors: TypeAlias = Any
"""Vectors of names: a DataArray, a DataFrame, KeyedVectors, Weights, a mapping from names, an array, or an
array and the names of its rows in a tuple."""


class Table(NamedTuple):
    """Finite numbers, n x p, with the names of their columns.

    Dense: `values` has all of them, row after row in memory. Sparse: `values` are those that stand somewhere,
    `columns` says in which column, rising within a row, and `starts` where each row begins in both.
    """

    shape: tuple[int, int]
    values: NDArray[Any]
    names: tuple[str, ...]
    starts: NDArray[np.int64] | None = None
    columns: NDArray[np.uint32] | None = None


def table_of(argument: str, value: object, element: np.dtype[Any], prefix: str | None) -> Table:
    """The numbers that a caller gives.

    `value` is an array_like of two dimensions, a data frame, an xarray DataArray or a scipy sparse matrix or
    array. Names are those of the columns, as str, of the last dimension's coordinate, or the prefix with a
    number from 0 on. Without a prefix no names are made: there may be millions of columns.
    """
    if isinstance(value, str | os.PathLike):
        raise TypeError(
            f"{argument} must be an array or a data frame, not the file {str(os.fspath(value))!r}: read it "
            "first, as by pandas.read_csv(path, sep=' ', index_col=0, header=None, keep_default_na=False, "
            "quoting=3), which takes quotes and words such as nan as they are"
        )
    shape = getattr(value, "shape", None)
    if hasattr(value, "tocsr"):
        _two_dimensions(argument, shape)
        return _sparse(argument, value, element, prefix)
    names = _names(value)
    if not hasattr(value, "__array__") and is_table(value):
        raise TypeError(
            f"{argument} must be an array or a data frame that numpy takes, not {type(value).__name__}"
        )
    array = _array(argument, value)
    _two_dimensions(argument, array.shape)
    values = _finite(argument, array, element)
    return Table(array.shape, values, _distinct(argument, names, array.shape[1], prefix))


def targets_of(argument: str, value: object, element: np.dtype[Any]) -> Table:
    """The targets that a caller gives: as `table_of`, or one number for each row.

    A single column has the name that it has with the caller, or "y"; those of a table "z0", "z1" and so on.
    """
    if np.ndim(value) != 1:  # type: ignore[arg-type]
        return table_of(argument, value, element, "z")
    vector = vector_of(argument, value, element)
    name = getattr(value, "name", None)
    return Table((len(vector), 1), vector.reshape(-1, 1), ("y" if name is None else str(name),))


def vectors_of(
    kind: str,
    names: tuple[str, ...],
    vectors: Vectors,
    element: np.dtype[Any],
    prefix: str,
    *,
    sparse: bool = False,
) -> Table:
    """The vectors of some cues or outcomes, in their order."""
    argument = f"{kind}_vectors"
    rows, table = named_rows(argument, vectors, element, prefix, sparse=sparse)
    if rows is None:
        if table.shape[0] != len(names):
            raise ValueError(
                f"{argument} without names must have a row for each of the {len(names)} {kind}s of the "
                f"events, in their order, not {table.shape[0]} rows"
            )
        return table
    found = places(names, numbered(rows))
    if (found < 0).any():
        missing = names[int(found.argmin())]
        raise KeyError(f"{argument} has no row for the {kind} {missing!r}; add one{near(missing, rows)}")
    return taken(table, found)


def named_rows(
    argument: str, vectors: Vectors, element: np.dtype[Any], prefix: str, *, sparse: bool = False
) -> tuple[tuple[str, ...] | None, Table]:
    """The names of the rows, if they have some, and the rows; ValueError where two have one name."""
    if isinstance(vectors, tuple) and len(vectors) == 2 and _are_names(vectors[1]):
        return _named(argument, vectors[1]), _matrix(argument, vectors[0], element, prefix, sparse)
    if isinstance(vectors, Weights):
        table = table_of(argument, np.asarray(vectors), element, prefix)
        return vectors.cues, Table(table.shape, table.values, vectors.outcomes)
    wanted = f"{argument} must have a name for each row"
    if hasattr(vectors, "index_to_key") and hasattr(vectors, "vectors"):  # gensim's KeyedVectors
        rows = tuple(only_names(wanted, vectors.index_to_key))
        return rows, table_of(argument, vectors.vectors, element, prefix)
    if isinstance(vectors, Mapping):
        rows = tuple(only_names(wanted, vectors))
        lengths = {np.shape(vector) for vector in vectors.values()}
        if len(lengths) > 1:
            raise ValueError(f"{argument} must be vectors of one length, not of the shapes {sorted(lengths)}")
        return rows, table_of(argument, np.array(list(vectors.values())), element, prefix)
    table = _matrix(argument, vectors, element, prefix, sparse)
    labels: Any = None
    if hasattr(vectors, "dims") and hasattr(vectors, "coords"):
        first = vectors.dims[0]
        labels = vectors.coords[first].values if first in vectors.coords else None
    elif hasattr(vectors, "index") and hasattr(vectors, "columns"):
        labels = vectors.index
    if labels is None:
        return None, table
    cure = "make the index str, or give to_numpy(), whose rows are in the order of the names"
    return _named(argument, labels, cure), table


def _are_names(labels: Any) -> bool:
    """Whether something is names, in one dimension."""
    return np.ndim(labels) == 1 and isinstance(next(iter(labels), None), str)


def _matrix(argument: str, value: object, element: np.dtype[Any], prefix: str, sparse: bool) -> Table:
    table = table_of(argument, value, element, prefix)
    if table.starts is not None and not sparse:
        raise TypeError(f"{argument} must be dense, not a sparse matrix; use its toarray()")
    return table


def _named(argument: str, labels: Any, cure: str = "make them str") -> tuple[str, ...]:
    """The names of rows, of which no two are equal."""
    names = tuple(only_names(f"{argument} must have a name for each row", labels, cure=cure))
    if (twice := named_twice(names)) is not None:
        raise ValueError(f"{argument} has two rows for {twice!r}; keep one")
    return names


def of_names(
    argument: str, vectors: Vectors, names: Sequence[str], element: np.dtype[Any], prefix: str
) -> Table | None:
    """The vectors of some names, at the cost of these alone; None unless all are there to be looked up.

    Then `labelled`, which goes through everything, says what is wrong.
    """
    try:
        few = _looked_up(vectors, names)
        if isinstance(vectors, Weights) and few is not None:
            return table_of(argument, few, element, None)._replace(names=vectors.outcomes)
        return None if few is None else named_rows(argument, few, element, prefix)[1]
    except (TypeError, ValueError):
        return None


def _looked_up(vectors: Vectors, names: Sequence[str]) -> Vectors | None:
    """The vectors of some names, in their order, if they have a table in which they are found."""
    if isinstance(vectors, Mapping):
        return {name: vectors[name] for name in names} if all(name in vectors for name in names) else None
    array: Any
    numbers: Any
    if isinstance(vectors, Weights):
        array, numbers = vectors.data, vectors._row_numbers
    else:
        # gensim's KeyedVectors.
        array, numbers = getattr(vectors, "vectors", None), getattr(vectors, "key_to_index", None)
    if isinstance(array, np.ndarray) and numbers is not None:
        rows = [numbers.get(name, -1) for name in names]
        return None if -1 in rows else array[rows]
    if hasattr(vectors, "dims") and hasattr(vectors, "get_index"):
        index, of_rows = vectors.get_index(vectors.dims[0]), vectors
    elif hasattr(vectors, "index") and hasattr(vectors, "iloc"):
        index, of_rows = vectors.index, vectors.iloc
    else:
        return None
    if not index.is_unique:
        return None
    rows = index.get_indexer(list(names))
    return None if (rows < 0).any() else of_rows[rows]


def taken(table: Table, rows: NDArray[np.int64]) -> Table:
    """Some rows of a table, in this order."""
    shape = len(rows), table.shape[1]
    if table.starts is None or table.columns is None:
        return table._replace(shape=shape, values=table.values[rows])
    lengths = np.diff(table.starts)[rows]
    starts = np.append(0, np.cumsum(lengths)).astype(np.int64)
    places = np.arange(starts[-1]) + np.repeat(table.starts[rows] - starts[:-1], lengths)
    return Table(shape, table.values[places], table.names, starts, table.columns[places])


def vector_of(argument: str, value: object, element: np.dtype[Any]) -> NDArray[Any]:
    """Finite numbers in one dimension."""
    array = _array(argument, value)
    if array.ndim != 1:
        raise ValueError(f"{argument} must have one dimension, not the shape {array.shape}")
    return _finite(argument, array, element)


def _array(argument: str, value: object) -> NDArray[Any]:
    try:
        return np.asarray(unmasked(argument, value))
    except ValueError as error:
        raise ValueError(f"{argument} must be an array of numbers: {error}") from None


def kappas(x: Table, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of alpha x^2 of each row: of its own error, what a rate of 1 takes away."""
    values = x.values.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        if x.starts is None or x.columns is None:
            return np.asarray((values * values) @ alphas)
        squares = np.zeros(x.shape[0])
        # Of an empty row `reduceat` would give what stands in the next one.
        filled = np.diff(x.starts) > 0
        if filled.any():
            squares[filled] = np.add.reduceat(values * values * alphas[x.columns], x.starts[:-1][filled])
        return squares


def same_length(first: str, n: int, second: str, m: int) -> None:
    """ValueError unless both have as many rows."""
    if n != m:
        raise ValueError(f"{first} and {second} must have as many rows as each other, not {n} and {m}")


def _two_dimensions(argument: str, shape: tuple[int, ...] | None) -> None:
    if shape is None or len(shape) != 2:
        raise ValueError(
            f"{argument} must have two dimensions, rows of examples and columns of features, "
            f"not the shape {shape}"
        )


def _sparse(argument: str, value: Any, element: np.dtype[Any], prefix: str | None) -> Table:
    matrix = value.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    n, p = matrix.shape
    if p > np.iinfo(np.uint32).max:
        raise ValueError(f"{argument} must have fewer than 2^32 columns, not {p}")
    return Table(
        (n, p),
        _finite(argument, matrix.data, element, matrix),
        _distinct(argument, None, p, prefix),
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.uint32),
    )


def _finite(argument: str, array: NDArray[Any], element: np.dtype[Any], sparse: Any = None) -> NDArray[Any]:
    """The numbers, rounded to the type; ValueError that names the place of the first that is not finite."""
    if array.size and array.dtype.kind not in "biuf":
        raise TypeError(f"{argument} must consist of numbers, not of {array.dtype}")
    with np.errstate(over="ignore"):
        values = in_rows(array, element)
    finite = np.isfinite(values)
    if not finite.all():
        if sparse is None:
            place = tuple(int(i) for i in np.unravel_index(int(finite.argmin()), finite.shape))
        else:
            first = int(finite.argmin())
            row = int(np.searchsorted(sparse.indptr, first, side="right")) - 1
            place = row, int(sparse.indices[first])
        found = array.ravel()[int(finite.argmin())]
        raise ValueError(f"{argument} must be finite in {element}, but at {place} it is {found}")
    return values


def _names(value: Any) -> Sequence[Any] | None:
    """The names that the caller's columns have."""
    if hasattr(value, "dims") and hasattr(value, "coords"):
        last = value.dims[-1] if value.dims else None
        return value.coords[last].values.tolist() if last in value.coords else None
    return names_of(value) if is_table(value) else None


@lru_cache(maxsize=16)
def _counted(prefix: str, n: int) -> tuple[str, ...]:
    """The prefix with each number: kept, since one trial after another asks for the same."""
    return tuple(f"{prefix}{i}" for i in range(n))


def _distinct(argument: str, names: Sequence[Any] | None, n: int, prefix: str | None) -> tuple[str, ...]:
    if prefix is None:
        return ()
    if names is None:
        return _counted(prefix, n)
    distinct = tuple(only_names(f"{argument} must have a name for each column", names, numbers=True))
    if (twice := named_twice(distinct)) is not None:
        raise ValueError(f"{argument} has two columns called {twice!r}; rename one")
    return distinct
