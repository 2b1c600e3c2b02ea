"""Association weights with their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla import storage
from rescorla._core import FormatError
from rescorla.arguments import PathName, numbered, path_name, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame
    from xarray import DataArray


class Weights:
    """Association strengths between cues and outcomes.

    Two Weights are equal only if they are the same object; compare ``values`` for more.

    Parameters
    ----------
    values : array_like, n_cues x n_outcomes
        The weights. float64 and float32 are kept, other numbers become float64.
    cues, outcomes : iterable of str
        The distinct names of the rows and of the columns.
    parameters : mapping, optional
        How the weights came about: values that JSON has.

    Attributes
    ----------
    values : ndarray of float64 or float32, n_cues x n_outcomes
    cues, outcomes : tuple of str
    parameters : dict

    Raises
    ------
    ValueError
        When names and values differ in number, or a name comes twice.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights([[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"])
    >>> weights
    <Weights: 2 cues x 2 outcomes, float64>
    >>> weights["red", "y"]
    0.5
    >>> weights.top(outcome="y")
    [('red', 0.5), ('blue', 0.25)]
    """

    __slots__ = ("_cue_numbers", "_outcome_numbers", "_path", "cues", "outcomes", "parameters", "values")

    values: NDArray[Any]
    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    parameters: dict[str, Any]
    _path: str

    def __init__(
        self,
        values: ArrayLike,
        cues: Iterable[str],
        outcomes: Iterable[str],
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.values = _values(values)
        self.cues = _names("cues", cues, self.values.shape[0])
        self.outcomes = _names("outcomes", outcomes, self.values.shape[1])
        self.parameters = dict(parameters or {})
        self._cue_numbers: dict[str, int] | None = None
        self._outcome_numbers: dict[str, int] | None = None

    @classmethod
    def _in_file(
        cls,
        path: str,
        values: NDArray[Any] | None,
        cues: tuple[str, ...],
        outcomes: tuple[str, ...],
        parameters: dict[str, Any],
    ) -> Weights:
        """Weights in a .npy file, mapped; None: when first looked at, as a limit left no room for it."""
        weights = cls.__new__(cls)
        weights._path = os.path.abspath(path)
        weights.cues, weights.outcomes, weights.parameters = cues, outcomes, parameters
        weights._cue_numbers = weights._outcome_numbers = None
        if values is not None:
            weights.values = values
        return weights

    # Hidden from type checkers, to whom it would give every name.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Asked only for what is not there yet.
            if name != "values" or not hasattr(self, "_path"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            content = storage.load(self._path)
            if (tuple(content.cues), tuple(content.outcomes)) != (self.cues, self.outcomes):
                raise FormatError(f"{self._path}: another file has taken the place of these weights; load it")
            self.values = content.values
            return self.values

    @property
    def cue_numbers(self) -> Mapping[str, int]:
        """The row of each cue."""
        if self._cue_numbers is None:
            self._cue_numbers = numbered(self.cues)
        return self._cue_numbers

    @property
    def outcome_numbers(self) -> Mapping[str, int]:
        """The column of each outcome."""
        if self._outcome_numbers is None:
            self._outcome_numbers = numbered(self.outcomes)
        return self._outcome_numbers

    def __getitem__(self, pair: tuple[str, str]) -> float:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"weights[cue, outcome] takes two names, not {pair!r}; see also row() and column()"
            )
        cue, outcome = pair
        return float(self.values[self._row_of(cue), self._column_of(outcome)])

    def __repr__(self) -> str:
        n_cues, n_outcomes = self.values.shape
        return f"<Weights: {n_cues} cues x {n_outcomes} outcomes, {self.values.dtype}>"

    def row(self, cue: str) -> NDArray[Any]:
        """The weights of one cue.

        Parameters
        ----------
        cue : str

        Returns
        -------
        ndarray, n_outcomes
            A view of ``values``.

        Raises
        ------
        KeyError
            When there is no such cue.
        """
        row: NDArray[Any] = self.values[self._row_of(cue)]
        return row

    def column(self, outcome: str) -> NDArray[Any]:
        """The weights to one outcome.

        Parameters
        ----------
        outcome : str

        Returns
        -------
        ndarray, n_cues
            A view of ``values``.

        Raises
        ------
        KeyError
            When there is no such outcome.
        """
        column: NDArray[Any] = self.values[:, self._column_of(outcome)]
        return column

    def top(
        self, *, cue: str | None = None, outcome: str | None = None, n: int = 10
    ) -> list[tuple[str, float]]:
        """The strongest associations of one cue or of one outcome.

        Parameters
        ----------
        cue : str
            Rank the outcomes of this cue; or
        outcome : str
            rank the cues of this outcome.
        n : int, default 10
            How many to give; fewer if there are fewer.

        Returns
        -------
        list of (str, float)
            Names and weights, from the largest (most positive) weight down; equal ones in the order of the
            names.

        Raises
        ------
        KeyError
            When there is no such cue or outcome.

        Examples
        --------
        >>> import rescorla as rw
        >>> weights = rw.Weights([[-0.9, 0.1, 0.1, 0.3]], ["a"], ["w", "x", "y", "z"])
        >>> weights.top(cue="a", n=2)
        [('z', 0.3), ('x', 0.1)]
        """
        n = whole("n", n)
        if cue is not None and outcome is None:
            names, vector = self.outcomes, self.row(cue)
        elif outcome is not None and cue is None:
            names, vector = self.cues, self.column(outcome)
        else:
            raise ValueError("top takes either cue= or outcome=")
        return [(names[position], float(vector[position])) for position in strongest(vector, n)]

    def to_xarray(self) -> DataArray:
        """The weights as an xarray DataArray.

        Returns
        -------
        xarray.DataArray, dimensions cues and outcomes
            Its coordinates are the names; its attributes are the parameters, as far as netCDF has values for
            them (True and False are 1 and 0, None is left out). Saliences and lambdas per name are
            coordinates.

        Raises
        ------
        ImportError
            When xarray is not installed.

        Examples
        --------
        >>> import rescorla as rw
        >>> array = rw.Weights([[0.5]], ["a"], ["x"]).to_xarray()
        >>> float(array.sel(cues="a", outcomes="x"))
        0.5
        """
        return storage.to_xarray(self._content())

    def to_pandas(self) -> DataFrame:
        """The weights as a pandas DataFrame: cues index rows, outcomes index columns.

        Returns
        -------
        pandas.DataFrame, n_cues x n_outcomes

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("this needs pandas: pip install 'rescorla[pandas]'") from error
        rows, columns = pd.Index(self.cues, name="cues"), pd.Index(self.outcomes, name="outcomes")
        return pd.DataFrame(self.values, index=rows, columns=columns)

    def save(self, path: PathName) -> None:
        """Write the weights to a file, whole or not at all; `load_weights` reads them back.

        Parameters
        ----------
        path : str or path-like
            The suffix names the format: ``.npz`` (numpy alone reads it), ``.npy`` with the names beside it in
            ``.npy.json`` (mapped when read, so weights may exceed the memory), or ``.nc`` (netCDF; needs
            xarray and netCDF4). An older file of that name is replaced.

        Raises
        ------
        ValueError
            When the suffix is another, or a name cannot stand in that format.
        OSError
            When the file cannot be written.
        ImportError
            When a library that the format needs is not installed.

        Examples
        --------
        >>> import rescorla as rw, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "weights.npz")
        ...     rw.Weights([[0.5]], ["a"], ["x"]).save(path)
        ...     rw.load_weights(path)["a", "x"]
        0.5
        """
        storage.save(path_name(path), self._content())

    def _content(self) -> storage.Content:
        return storage.Content(self.values, list(self.cues), list(self.outcomes), self.parameters)

    def _row_of(self, cue: str) -> int:
        try:
            return self.cue_numbers[cue]
        except KeyError:
            raise KeyError(
                f"unknown cue {cue!r}; these weights have {len(self.cues)} cues, see .cues"
            ) from None

    def _column_of(self, outcome: str) -> int:
        try:
            return self.outcome_numbers[outcome]
        except KeyError:
            count = len(self.outcomes)
            raise KeyError(
                f"unknown outcome {outcome!r}; these weights have {count} outcomes, see .outcomes"
            ) from None


def load_weights(path: PathName) -> Weights:
    """Read weights that `Weights.save` wrote, or pyndl's netCDF files.

    Parameters
    ----------
    path : str or path-like
        A ``.npz``, ``.npy`` (mapped read-only) or ``.nc`` file. A netCDF file needs one variable over the
        dimensions ``cues`` and ``outcomes``, in either order.

    Returns
    -------
    Weights

    Raises
    ------
    FormatError
        When the file is damaged or holds something else.
    ValueError
        When the suffix is another.
    OSError
        When the file cannot be read; FileNotFoundError when there is none.
    ImportError
        When a library that the format needs is not installed.

    Examples
    --------
    >>> import os, tempfile
    >>> import rescorla as rw
    >>> weights = rw.learn(rw.read_events([("light_tone", "shock", 2)]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "weights.npz")
    ...     weights.save(path)
    ...     rw.load_weights(path)["light", "shock"] == weights["light", "shock"]
    True
    """
    name = path_name(path)
    content = storage.load(name)
    try:
        return Weights(*content)
    except (TypeError, ValueError) as error:
        raise FormatError(
            f"{name}: expected weights with their names, found a defect: {error}; save it again"
        ) from error


def strongest(vector: NDArray[Any], n: int) -> NDArray[np.intp]:
    """The positions of the n largest entries, largest first, equal ones in order; NaN counts as smallest."""
    falling = -vector
    if n < len(falling):
        # Everything that can be among the first n, ties with the n-th included, so that only these need
        # sorting.
        limit = np.partition(falling, n)[n]
        candidates = np.flatnonzero(~(falling > limit))
    else:
        candidates = np.arange(len(falling))
    return candidates[np.argsort(falling[candidates], kind="stable")][:n]


def _values(values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 2:
        raise ValueError(f"values must be a matrix, cues x outcomes, not an array of {array.ndim} dimensions")
    if array.dtype in (np.float64, np.float32):
        return array
    if array.dtype.kind not in "biuf":
        raise TypeError(f"values must be real numbers, not {array.dtype}")
    return array.astype(np.float64)


def _names(argument: str, names: Iterable[str], expected: int) -> tuple[str, ...]:
    if isinstance(names, str):
        raise TypeError(f"{argument} must be several names, not the str {names!r}")
    labels = tuple(names)
    for label in labels:
        if not isinstance(label, str):
            raise TypeError(f"{argument} must be names, but {label!r} is of type {type(label).__name__}")
    if len(labels) != expected:
        raise ValueError(f"values have {expected} {argument}, but {len(labels)} names are given")
    if len(set(labels)) != expected:
        seen: set[str] = set()
        twice = next(label for label in labels if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        raise ValueError(f"{argument} must be distinct, but {twice!r} comes twice")
    return tuple(map(str, labels))
