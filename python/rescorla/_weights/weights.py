"""Association weights with their names."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from rescorla._core import FormatError
from rescorla._shared.checks import PathName, near, numbered, path_name, shown, whole
from rescorla._shared.hints import hinting
from rescorla._shared.optional import need
from rescorla._weights import files

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray
    from pandas import DataFrame
    from xarray import DataArray


class Weights:
    """Association strengths between cues and outcomes.

    ``weights[cue, outcome]`` is one weight, ``(cue, outcome) in weights`` says whether there is such a pair,
    and ``np.asarray(weights)`` is ``values``. Weights are not iterable. Two Weights are equal only if they
    are the same object; compare ``values`` for more.

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
    shape : tuple of (int, int)
        n_cues and n_outcomes.

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
    >>> weights["red", "y"], ("red", "z") in weights, weights.shape
    (0.5, False, (2, 2))
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
            content = files.load(self._path)
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

    @property
    def shape(self) -> tuple[int, int]:
        """The number of cues and that of outcomes."""
        return len(self.cues), len(self.outcomes)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """``np.asarray(weights)`` is `values`, ``np.array(weights)`` a copy."""
        values = self.values
        if dtype is None or np.dtype(dtype) == values.dtype:
            return values.copy(order="K") if copy else values
        if copy is False:
            raise ValueError(
                f"these weights are {values.dtype}, and an array of {np.dtype(dtype)} needs a copy; leave "
                "copy=False out, or take values"
            )
        return values.astype(dtype)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise TypeError(f"weights[cue, outcome] takes two names, not {_key(pair)}; {_other_key(pair)}")
        row, column = self.cue_numbers.get(pair[0]), self.outcome_numbers.get(pair[1])
        if row is None or column is None:
            raise self._unknown(*pair)
        return float(self.values[row, column])

    def __contains__(self, pair: object) -> bool:
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise TypeError(
                f"(cue, outcome) in weights takes two names, not {_key(pair)}; for one name write `in "
                "weights.cues` or `in weights.outcomes`"
            )
        return pair[0] in self.cue_numbers and pair[1] in self.outcome_numbers

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "weights are not iterable: take weights.cues, weights.outcomes or weights.values, whose rows are "
            "cues; weights.top(outcome=...) gives pairs of a name and a weight"
        )

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
        """The largest weights of one cue or of one outcome: negative ones come last, however strong they are.

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
            raise ValueError(
                "top takes either cue= or outcome=: top(cue=...) ranks outcomes, top(outcome=...) ranks cues"
            )
        return [(names[position], float(vector[position])) for position in largest(vector, n)]

    def to_xarray(self) -> DataArray:
        """The weights as an xarray DataArray.

        Returns
        -------
        xarray.DataArray, dimensions cues and outcomes
            Its coordinates are the names. Its attributes are the parameters as text, as in JSON (None is left
            out), so that pyndl, which puts text behind them, can go on from these weights: it takes
            ``.transpose("outcomes", "cues")``. Saliences and lambdas per name are coordinates.

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
        return files.to_xarray(self._content())

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
        pd = need("pandas")
        rows, columns = pd.Index(self.cues, name="cues"), pd.Index(self.outcomes, name="outcomes")
        frame: DataFrame = pd.DataFrame(np.asarray(self), index=rows, columns=columns)
        return frame

    def save(self, path: PathName) -> None:
        """Write the weights to a file, whole or not at all; `load_weights` reads them back.

        Parameters
        ----------
        path : str or path-like
            The suffix names the format: ``.npz`` (numpy alone reads it), ``.npy`` with the names beside it in
            ``.npy.json`` (mapped when read, so weights may exceed the memory), ``.nc`` (netCDF; needs
            xarray and netCDF4), or ``.zarr`` (a store; needs zarr). An older file of that name is replaced.

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
        name = path_name(path)
        if files.is_store(name):
            # A later room: who has no store does not need it.
            from rescorla._store.save import save_store

            save_store(files.store_path(name), self)
            return
        files.save(name, self._content())

    def missing(self) -> list[int]:
        """The numbers of the tiles of a store that are not learned yet; weights elsewhere are whole."""
        return []

    def _content(self) -> files.Content:
        return files.Content(self.values, list(self.cues), list(self.outcomes), self.parameters)

    def _row_of(self, cue: str) -> int:
        row = self.cue_numbers.get(cue) if isinstance(cue, str) else None
        if row is None:
            raise self._unknown(cue, None)
        return row

    def _column_of(self, outcome: str) -> int:
        column = self.outcome_numbers.get(outcome) if isinstance(outcome, str) else None
        if column is None:
            raise self._unknown(None, outcome)
        return column

    def _unknown(self, cue: str | None, outcome: str | None) -> KeyError | TypeError:
        """What is wrong with the name of a cue, of an outcome, or with a pair of them."""
        for kind, name in (("cue", cue), ("outcome", outcome)):
            if name is not None and not isinstance(name, str):
                return TypeError(f"{kind} must be a name, a str, not {shown(name)}")
        if cue is not None and outcome is not None and (outcome, cue) in self:
            return KeyError(
                f"{cue!r} is an outcome and {outcome!r} a cue: weights[cue, outcome], so write "
                f"weights[{outcome!r}, {cue!r}]"
            )
        sides = {"cue": self.cue_numbers, "outcome": self.outcome_numbers}
        kind, name = ("cue", cue) if cue is not None and cue not in self.cue_numbers else ("outcome", outcome)
        other = "outcome" if kind == "cue" else "cue"
        if name in sides[other]:
            return KeyError(
                f"unknown {kind} {name!r}: {name!r} is the name of {'an' if other == 'outcome' else 'a'} "
                f"{other}: weights[cue, outcome], row(cue), column(outcome), top(cue=), top(outcome=)"
            )
        return UnknownNameError(kind, str(name), sides[kind])


class UnknownNameError(KeyError):
    """A name that weights do not have; the search for what was meant is left to whoever reads the message."""

    def __init__(self, kind: str, name: str, known: Collection[str]) -> None:
        super().__init__(name)
        self._about = kind, name, known

    def __str__(self) -> str:
        kind, name, known = self._about
        return (
            f"unknown {kind} {name!r}; these weights have {len(known):,} {kind}s, see .{kind}s"
            f"{near(name, known)}"
        )

    def __reduce__(self) -> tuple[type[KeyError], tuple[str]]:
        return KeyError, (str(self),)


@hinting
def load_weights(path: PathName) -> Weights:
    """Read weights that `Weights.save` wrote, or pyndl's netCDF files.

    Parameters
    ----------
    path : str or path-like
        A ``.npz``, ``.npy`` (mapped read-only) or ``.nc`` file; or a ``.zarr`` store, which is read when it
        is used: its ``missing()`` lists the tiles that are not learned yet, whose use is an error, and
        ``values`` is its zarr array. A netCDF file needs one variable over the dimensions ``cues`` and
        ``outcomes``, in either order; or, as of pyndl's ``wh``, over
        ``cue_vector_dimensions``, ``outcome_vector_dimensions`` or both in their place.

    Returns
    -------
    Weights

    Raises
    ------
    FormatError
        When the file is damaged or holds something else, such as events.
    ValueError
        When the suffix is another.
    OSError
        When the file cannot be read; FileNotFoundError when there is none.
    ImportError
        When a library that the format needs is not installed.

    Notes
    -----
    A ``.npy`` file stays mapped, a ``.nc`` file is while it is read. Another process must not cut it short
    meanwhile: the system then ends this process with SIGBUS. `Weights.save` replaces files, and never changes
    one in place.

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
    if files.is_store(name):
        # A later room: who has no store does not need it.
        from rescorla._store.lazy import load_stored

        return load_stored(name)
    content = files.load(name)
    try:
        return Weights(*content)
    except (TypeError, ValueError) as error:
        raise FormatError(
            f"{name}: expected weights with their names, found a defect: {error}; save it again"
        ) from error


def largest(vector: NDArray[Any], n: int) -> NDArray[np.intp]:
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
        raise ValueError(
            f"values have {expected} {argument}, but {len(labels)} names are given; rows are cues and "
            "columns outcomes, so give values.T where it is the other way round"
        )
    if len(set(labels)) != expected:
        seen: set[str] = set()
        twice = next(label for label in labels if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        raise ValueError(f"{argument} must be distinct, but {twice!r} comes twice")
    return tuple(map(str, labels))


def need_weights(value: object, argument: str = "weights") -> None:
    """TypeError that says what makes weights, where something else was given for them."""
    if isinstance(value, Weights):
        return
    if isinstance(value, str | os.PathLike):
        cure = "rescorla.load_weights reads a file of weights"
    elif hasattr(value, "__array__"):
        cure = "rescorla.Weights(values, cues, outcomes) gives an array its names"
    else:
        cure = "rescorla.learn makes weights of events"
    raise TypeError(f"{argument} must be Weights, not {shown(value)}; {cure}")


def _key(key: object) -> str:
    """The key of a look-up, for a message."""
    if isinstance(key, tuple) and key:
        return " and ".join(map(shown, key)) if len(key) <= 3 else f"{len(key)} keys"
    return shown(key)


def _other_key(key: object) -> str:
    """What to write in place of a key that is no pair of names."""
    cue, outcome = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
    if isinstance(cue, str):
        return f"weights.row({cue!r}) has the weights of a cue, weights.to_pandas() takes lists and slices"
    if isinstance(outcome, str):
        return (
            f"weights.column({outcome!r}) has the weights to an outcome, weights.to_pandas() takes lists and "
            "slices"
        )
    return "numbers, lists and slices go with weights.values[...]; row() and column() take one name"
