"""Association weights with their names."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

import numpy as np

from rescorla._core import FormatError
from rescorla._shared import show
from rescorla._shared.checks import (
    PathName,
    flag,
    named,
    named_twice,
    near,
    numbered,
    only_names,
    path_name,
    several,
    shown,
    unmasked,
    whole,
)
from rescorla._shared.optional import need
from rescorla._weights import files, tables
from rescorla._weights.disk import Content
from rescorla._weights.display import html_of, text_of
from rescorla._weights.labels import Names, places_of
from rescorla._weights.parameters import of_part, without_lists
from rescorla._weights.predict import predict
from rescorla._weights.ranking import largest, strongest

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import ArrayLike, DTypeLike, NDArray
    from pandas import DataFrame
    from xarray import DataArray

    from rescorla._events.events import Events
    from rescorla._weights.zarr.lazy import StoredArray


class Weights:
    """Association strengths between cues and outcomes.

    ``weights[cues, outcomes]`` takes, on either side, a name, which drops that axis; a list of names; or a
    slice from one name to another, both included, as pandas' ``.loc`` does. Two names give a float; one name
    gives an ndarray; lists and slices alone give Weights, with the same parameters. What slices give shares
    memory with ``values``; what lists give is a copy. ``(cue, outcome) in weights`` says whether there is
    such a pair, and ``np.asarray(weights)`` is ``values``. Weights are not iterable. Two Weights are equal
    only if they are the same object; compare ``values`` for more.

    Parameters
    ----------
    values : array_like, n_cues x n_outcomes
        The weights. float64 and float32 are kept, other numbers become float64.
    cues, outcomes : iterable of str
        The distinct names of the rows and of the columns.
    parameters : mapping, optional
        How the weights were learned: values that JSON can hold.
    state : mapping from str to array_like, n_cues x n_outcomes, optional
        What a rule keeps for each weight besides, by name: see the attribute.

    Attributes
    ----------
    values : ndarray of float64 or float32, n_cues x n_outcomes
        Of a store, all weights, read at each use.
    data : ndarray, or the array of a store
        What is behind `values`: the same array; of a store an array with ``shape``, ``dtype`` and
        ``data[rows, columns]``, of which no more is read than is asked for.
    cues, outcomes : tuple of str
    parameters : dict
        How the weights were learned: the rule and its parameters, how much was learned, in what time, by
        which version. ``parameters["events"]`` is the events' own ``Events.parameters``: what made them. It
        is missing where that is not known, as for arrays.
    state : dict of str to ndarray, n_cues x n_outcomes
        What the rule keeps for each weight, and changes with it: "salience" by the rules hybrid,
        pearce_kaye_hall, mackintosh and le_pelley; also "excitatory" and "inhibitory", the strengths whose
        difference the weight is, by pearce_kaye_hall and le_pelley; "associability" by le_pelley. Empty for
        other rules and for means. ``learn(..., initial=weights)`` goes on from it. Parts of the weights have
        their part of it; .npz files keep it, while data frames and other arrays leave it out.
    shape : tuple of (int, int)
        n_cues and n_outcomes.
    history : ndarray of float64, or None
        The learning curve, if one was recorded.

    Raises
    ------
    ValueError
        When names and values differ in number, or a name comes twice.

    Examples
    --------
    >>> import rescorla as rw
    >>> weights = rw.Weights(
    ...     [[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"]
    ... )
    >>> weights
    <Weights: 2 cues x 2 outcomes, float64>
             y     n
    red    0.5     0
    blue  0.25  -0.5
    >>> weights["red", :], weights[["blue", "red"], "y"]
    (array([0.5, 0. ]), array([0.25, 0.5 ]))
    >>> weights[:"red", ["n"]].shape
    (1, 1)
    >>> weights["red", "y"], ("red", "z") in weights, weights.shape
    (0.5, False, (2, 2))
    >>> weights.top(outcome="y")
    [('red', 0.5), ('blue', 0.25)]
    """

    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    parameters: dict[str, Any]
    state: dict[str, NDArray[Any]]
    _data: NDArray[Any] | StoredArray | None
    _path: str

    def __init__(
        self,
        values: ArrayLike,
        cues: Iterable[str],
        outcomes: Iterable[str],
        parameters: Mapping[str, Any] | None = None,
        state: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._data = array = _values(values)
        self.cues = _names("cues", cues, array.shape[0])
        self.outcomes = _names("outcomes", outcomes, array.shape[1])
        if parameters is not None and not isinstance(parameters, Mapping):
            raise TypeError(f"parameters must be a mapping, not {shown(parameters)}")
        self.parameters = dict(parameters or {})
        self.state = _state(state, array)

    @classmethod
    def _in_file(
        cls,
        path: str,
        data: NDArray[Any] | StoredArray | None,
        cues: tuple[str, ...],
        outcomes: tuple[str, ...],
        parameters: dict[str, Any],
    ) -> Weights:
        """Weights in a store or a .npy file; None: mapped when first looked at, as a limit left no room."""
        weights = cls.__new__(cls)
        weights._path, weights._data = os.path.abspath(path), data
        weights.cues, weights.outcomes, weights.parameters = cues, outcomes, parameters
        weights.state = {}
        return weights

    @property
    def data(self) -> NDArray[Any] | StoredArray:
        """What is behind `values`: the same array, or that of a store, which reads what is asked for."""
        if self._data is None:
            content = files.load(self._path)
            if (tuple(content.cues), tuple(content.outcomes)) != (self.cues, self.outcomes):
                raise FormatError(f"{self._path}: another file has taken the place of these weights; load it")
            self._data = content.values
        return self._data

    @property
    def values(self) -> NDArray[Any]:
        """The weights; those of a store are read, all of them, at each use."""
        data = self.data
        return data if isinstance(data, np.ndarray) else data.read()

    @cached_property
    def _row_numbers(self) -> Mapping[str, int]:
        """The row of each cue."""
        return numbered(self.cues)

    @cached_property
    def _column_numbers(self) -> Mapping[str, int]:
        """The column of each outcome."""
        return numbered(self.outcomes)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of cues and that of outcomes."""
        return len(self.cues), len(self.outcomes)

    @property
    def history(self) -> NDArray[np.float64] | None:
        """What was recorded after each pass, as ``record=`` of the learner says; None if nothing was.

        It stands as a list in ``parameters["history"]``, and so is kept by files.
        """
        values = self.parameters.get("history")
        return None if values is None else np.array(values, dtype=np.float64)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """``np.asarray(weights)`` is `values`, ``np.array(weights)`` a copy."""
        values = self.data
        if not isinstance(values, np.ndarray):
            return values.__array__(dtype, copy)
        if dtype is None or np.dtype(dtype) == values.dtype:
            return values.copy(order="K") if copy else values
        if copy is False:
            raise ValueError(
                f"copy cannot be False: these weights are {values.dtype}, and an array of {np.dtype(dtype)} "
                "needs a copy; leave it out, or take values"
            )
        return values.astype(dtype)

    # A str is an iterable of str as well, and what is said of it comes first.
    @overload
    def __getitem__(self, key: tuple[str, str]) -> float: ...  # type: ignore[overload-overlap]

    @overload
    def __getitem__(self, key: tuple[str, Names] | tuple[Names, str]) -> NDArray[Any]: ...  # type: ignore[overload-overlap]

    @overload
    def __getitem__(self, key: tuple[Names, Names]) -> Weights: ...

    def __getitem__(self, key: tuple[str | Names, str | Names]) -> float | NDArray[Any] | Weights:
        if not (isinstance(key, tuple) and len(key) == 2):
            raise TypeError(
                f"weights[cues, outcomes] takes two keys, each a name, a list or a slice, not {_key(key)}; "
                f"{_other_key(key)}"
            )
        cues, outcomes = key
        if isinstance(cues, str) and isinstance(outcomes, str):
            row, column = self._row_numbers.get(cues), self._column_numbers.get(outcomes)
            if row is None or column is None:
                raise self._unknown(cues, outcomes)
            return float(self._at(row, column))
        rows = places_of("cue", cues, self._row_numbers, lambda name: self._unknown(name, None))
        columns = places_of("outcome", outcomes, self._column_numbers, lambda name: self._unknown(None, name))
        values: NDArray[Any] = self._at(rows, columns)
        if values.ndim < 2:
            return values
        return Weights(
            values,
            _taken("cue", self.cues, rows),
            _taken("outcome", self.outcomes, columns),
            of_part(self.parameters, self.shape, rows, columns),
            {name: _part(numbers, rows, columns) for name, numbers in self.state.items()},
        )

    def __contains__(self, pair: object) -> bool:
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise TypeError(
                f"(cue, outcome) in weights takes two names, not {_key(pair)}; for one name write `in "
                "weights.cues` or `in weights.outcomes`"
            )
        return pair[0] in self._row_numbers and pair[1] in self._column_numbers

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "weights are not iterable: take weights.cues, weights.outcomes or weights.values, whose rows are "
            "cues; weights.top(outcome=...) gives pairs of a name and a weight"
        )

    def __repr__(self) -> str:
        # Of a store nothing is read.
        lines = text_of(self._at, self.cues, self.outcomes) if isinstance(self.data, np.ndarray) else []
        return "\n".join([self._head(), *lines])

    def _repr_html_(self) -> str:
        """The strongest cues and outcomes, for a notebook."""
        data = self.data
        if isinstance(data, np.ndarray):
            return html_of(self._head(), data, self.cues, self.outcomes, self.parameters)
        absent = len(data.missing())
        head = f"{self._head()} in {data.store.path}" + (f", {absent} tiles missing" if absent else "")
        return show.notebook_html(head, show.details(self.parameters))

    def _head(self) -> str:
        n_cues, n_outcomes = self.shape
        return f"<Weights: {n_cues} cues x {n_outcomes} outcomes, {self.data.dtype}>"

    def _at(self, rows: Any, columns: Any) -> Any:
        """The values at these places, each a number, a list or a slice; a view where numpy gives one."""
        data = self.data
        if not isinstance(data, np.ndarray):
            return data.at(rows, columns)
        return _part(data, rows, columns)

    def row(self, cue: str) -> NDArray[Any]:
        """The weights of one cue.

        Parameters
        ----------
        cue : str

        Returns
        -------
        ndarray, n_outcomes
            A view of ``values``; of a store, what is read.

        Raises
        ------
        KeyError
            When there is no such cue.
        """
        return self[named("cue", cue), :]

    def column(self, outcome: str) -> NDArray[Any]:
        """The weights to one outcome.

        Parameters
        ----------
        outcome : str

        Returns
        -------
        ndarray, n_cues
            A view of ``values``; of a store, what is read.

        Raises
        ------
        KeyError
            When there is no such outcome.
        """
        return self[:, named("outcome", outcome)]

    def top(
        self, *, cue: str | None = None, outcome: str | None = None, n: int = 10
    ) -> list[tuple[str, float]]:
        """The largest weights of one cue or of one outcome: negative ones come last, however strong they are.

        Parameters
        ----------
        cue : str
            Rank the outcomes of this cue. Give `cue` or `outcome`, not both.
        outcome : str
            Rank the cues of this outcome.
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
                "cue or outcome must be given, and not both: cue ranks outcomes, and outcome ranks cues"
            )
        return [(names[position], float(vector[position])) for position in largest(vector, n)]

    def strongest(self, n: int = 10) -> list[tuple[str, str, float]]:
        """The strongest weights of all, by their size, be they positive or negative.

        Parameters
        ----------
        n : int, default 10
            How many to give; fewer if there are fewer.

        Returns
        -------
        list of (str, str, float)
            Cues, outcomes and weights, from the largest absolute weight down; equal ones cue by cue, in the
            order of the names. NaN comes last.

        Notes
        -----
        The weights are read in blocks, in the order in which they lie, and are not all sorted: they may be
        mapped from a file that is larger than the memory.

        See Also
        --------
        top : the largest weights of one cue or of one outcome.

        Examples
        --------
        >>> import rescorla as rw
        >>> weights = rw.Weights(
        ...     [[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"]
        ... )
        >>> weights.strongest(3)
        [('red', 'y', 0.5), ('blue', 'n', -0.5), ('blue', 'y', 0.25)]
        """
        rows, columns, values = strongest(self._at, self.shape, whole("n", n), by_columns=self._by_columns())
        triples = zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True)
        return [(self.cues[row], self.outcomes[column], value) for row, column, value in triples]

    def predict(
        self,
        events: Events | PathName | Iterable[str | Iterable[str]],
        n: int = 1,
        *,
        unknown: Literal["error", "ignore"] = "error",
        threads: int | None = None,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The most active outcomes of each set of cues.

        The activation of an outcome is the sum of its weights from the cues that are there, a = W'c, as
        `activations` computes it.

        Parameters
        ----------
        events : Events, path or iterable of cue sets
            What `activations` takes: ``["a_b", ("a", "c")]`` are two sets.
        n : int, default 1
            How many outcomes to give for each set; all of them if there are fewer.
        unknown : {"error", "ignore"}, default "error"
            What to do with a cue that the weights do not have: raise KeyError, or leave it out.
        threads : int, optional
            How many threads to use; by default as many as the process may run on.

        Returns
        -------
        names : ndarray of str (dtype object), n_sets x n
            The outcomes of each set, from the most active down; equally active ones in the order of the
            weights' outcomes. NaN comes last. None for a set without any cue that the
            weights have: nothing speaks for one outcome more than for another.
        activations : ndarray, n_sets x n
            Their activations, of the type of the weights.

        Raises
        ------
        KeyError
            When a cue is not in the weights.
        ValueError, TypeError
            When an argument is not one of those listed.

        See Also
        --------
        rescorla.activations : the activations of all outcomes.

        Examples
        --------
        >>> import rescorla as rw
        >>> weights = rw.Weights(
        ...     [[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"]
        ... )
        >>> names, activations = weights.predict(["red_blue", "blue"], n=2)
        >>> names.tolist()
        [['y', 'n'], ['y', 'n']]
        >>> activations
        array([[ 0.75, -0.5 ],
               [ 0.25, -0.5 ]])
        """
        return predict(events, self, n, unknown, threads)

    @classmethod
    def from_xarray(cls, array: DataArray) -> Weights:
        """Weights of an xarray DataArray: what `to_xarray` gives, and what pyndl learns.

        Parameters
        ----------
        array : xarray.DataArray, dimensions cues and outcomes, in either order
            Its coordinates are the names, its attributes the parameters. Dimensions may be pyndl's
            ``cue_vector_dimensions`` and ``outcome_vector_dimensions`` in their place.

        Returns
        -------
        Weights
            Its values are a view of the array's if these are in memory and are float64 or float32.

        Raises
        ------
        TypeError
            When it is no DataArray, or its values are no real numbers.
        ValueError
            When it has other dimensions, one without names, or a name twice.

        Examples
        --------
        >>> import rescorla as rw
        >>> array = rw.Weights([[0.5, 1.0]], ["a"], ["x", "y"]).to_xarray()
        >>> rw.Weights.from_xarray(array.transpose("outcomes", "cues"))["a", "y"]
        1.0
        """
        return cls(*files.from_xarray(array))

    @classmethod
    def from_pandas(cls, frame: DataFrame) -> Weights:
        """Weights of a pandas DataFrame: its index names cues, its columns name outcomes.

        Parameters
        ----------
        frame : pandas.DataFrame, n_cues x n_outcomes
            A wide table, as `to_pandas` gives it. ``pandas.read_csv(path, index_col=0,
            keep_default_na=False)`` reads one that `save` wrote. A table with the columns cue, outcome and
            weight becomes one by ``frame.pivot(index="cue", columns="outcome", values="weight")``.

        Returns
        -------
        Weights
            Its parameters are the frame's ``attrs``. Its type is float32 where all columns are of it, also
            without rows, and otherwise float64: a frame without columns has no type.

        Raises
        ------
        TypeError
            When it is no data frame, a name is no str, or a value no real number.
        ValueError
            When a name comes twice.

        Examples
        --------
        >>> import pandas as pd
        >>> import rescorla as rw
        >>> frame = pd.DataFrame({"x": [0.5, 0.0], "y": [0.25, -1.0]}, index=["a", "b"])
        >>> rw.Weights.from_pandas(frame)["b", "y"]
        -1.0
        """
        _check_frame(frame)
        values = frame.to_numpy()
        if values.dtype == object and all(dtype.kind in "biuf" for dtype in frame.dtypes):
            # Of several types of numbers, or of pandas' own.
            small = len(frame.dtypes) and all(d.kind == "f" and d.itemsize == 4 for d in frame.dtypes)
            values = frame.to_numpy(np.float32 if small else np.float64, na_value=np.nan)
        return cls(values, frame.index, frame.columns, {str(k): v for k, v in frame.attrs.items()})

    def to_xarray(self, chunks: Any = None) -> DataArray:
        """The weights as an xarray DataArray.

        Parameters
        ----------
        chunks : optional
            None gives all weights. Anything else is for dask, which reads a part when it is asked for, as
            `xarray.open_zarr` takes it: {} takes the tiles of a store. It needs dask.

        Returns
        -------
        xarray.DataArray, dimensions cues and outcomes
            Its coordinates are the names. Its attributes are the parameters as text, as in JSON (None is left
            out): pyndl appends text to them when it goes on from these weights, which it takes as
            ``.transpose("outcomes", "cues")``. Saliences and lambdas with one number for each name are
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
        data = self.data
        lazy = None if chunks is None or isinstance(data, np.ndarray) else data
        values = self.values if lazy is None else lazy.in_chunks()
        array = files.to_xarray(Content(values, list(self.cues), list(self.outcomes), self.parameters))
        if chunks is None or (lazy is not None and not chunks):
            return array
        try:
            return array.chunk(chunks)
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise ValueError(f"chunks must be what DataArray.chunk takes: {error}") from None

    def to_pandas(self) -> DataFrame:
        """The weights as a pandas DataFrame: a row for each cue, a column for each outcome.

        Returns
        -------
        pandas.DataFrame, n_cues x n_outcomes
            Its ``attrs`` are the parameters, except saliences and lambdas with one number for each name,
            which would not follow the names when rows are sorted.

        Raises
        ------
        ImportError
            When pandas is not installed.

        Examples
        --------
        >>> import rescorla as rw
        >>> rw.Weights([[0.5, 1.0]], ["a"], ["x", "y"]).to_pandas().loc["a"].to_dict()
        {'x': 0.5, 'y': 1.0}
        """
        pd = need("pandas")
        rows, columns = pd.Index(self.cues, name="cues"), pd.Index(self.outcomes, name="outcomes")
        frame: DataFrame = pd.DataFrame(np.asarray(self), index=rows, columns=columns)
        frame.attrs.update(without_lists(self.parameters))
        return frame

    def to_arrow(self, long: bool = False) -> pyarrow.Table:
        """The weights as an Arrow table, which polars, duckdb and others take through ``__arrow_c_stream__``.

        Parameters
        ----------
        long : bool, default False
            False gives a column of cues and one for each outcome, a row for each cue. The first is called
            ``cue``, or ``cue_``, ``cue__`` and so on where an outcome is called that. True gives the columns
            ``cue``, ``outcome`` and ``weight``, a row for each weight, cue by cue; names are
            dictionary-encoded then, so that each takes four bytes.

        Returns
        -------
        pyarrow.Table
            The parameters are in its schema's metadata, as JSON under ``parameters``.

        Raises
        ------
        ImportError
            When pyarrow is not installed.

        Examples
        --------
        >>> import rescorla as rw
        >>> weights = rw.Weights(
        ...     [[0.5, 0.0], [0.25, -0.5]], ["red", "blue"], ["y", "n"]
        ... )
        >>> weights.to_arrow().to_pydict()
        {'cue': ['red', 'blue'], 'y': [0.5, 0.25], 'n': [0.0, -0.5]}
        >>> weights.to_arrow(long=True).to_pylist()[3]
        {'cue': 'blue', 'outcome': 'n', 'weight': -0.5}
        """
        return tables.to_arrow(self._content(), flag("long", long))

    def save(self, path: PathName, *, long: bool = False) -> None:
        """Write the weights to a file, whole or not at all; `load_weights` reads them back.

        Parameters
        ----------
        path : str or path-like
            The suffix names the format: ``.npz`` (needs only numpy), ``.npy`` with the names behind the
            elements, where `numpy.load` does not look (mapped when read, so weights may exceed the memory),
            ``.nc`` (netCDF; needs xarray and netCDF4), or ``.zarr`` (a store; needs zarr). Tables for other
            programs, which `load_weights` does not read, are ``.csv`` and ``.tsv`` (digits enough to restore
            each weight, names quoted as by the csv module, no parameters) and ``.parquet`` (needs pyarrow).
            An older file of that name is replaced. Weights with a `state` go to ``.npz`` files, or without
            it to tables.
        long : bool, default False
            Of tables: False writes a column of cues and one for each outcome, True the columns ``cue``,
            ``outcome`` and ``weight``, a row for each weight. The column of cues is called ``cue``, or
            ``cue_``, ``cue__`` and so on where an outcome is called that.

        Raises
        ------
        ValueError
            When the suffix is none of these, or the format cannot hold a name or a `state`.
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
        files.save(path_name(path), self._content(), flag("long", long))

    def missing(self) -> list[int]:
        """The numbers of a store's tiles that are not learned yet; empty for weights outside a store."""
        data = self.data
        return [] if isinstance(data, np.ndarray) else data.missing()

    def _content(self) -> Content:
        return Content(self.values, list(self.cues), list(self.outcomes), self.parameters, self.state)

    def _by_columns(self) -> bool:
        """Whether the values of an outcome lie side by side, not those of a cue."""
        data = self.data
        if not isinstance(data, np.ndarray):
            return data.by_columns
        return bool(data.flags.f_contiguous and not data.flags.c_contiguous)

    def _unknown(self, cue: str | None, outcome: str | None) -> KeyError:
        """What is wrong with the name of a cue, of an outcome, or with a pair of them."""
        if cue is not None and outcome is not None and (outcome, cue) in self:
            return KeyError(
                f"{cue!r} is an outcome and {outcome!r} a cue: weights[cue, outcome], so write "
                f"weights[{outcome!r}, {cue!r}]"
            )
        sides = {"cue": self._row_numbers, "outcome": self._column_numbers}
        kind, name = ("cue", cue) if cue is not None and cue not in sides["cue"] else ("outcome", outcome)
        other = "outcome" if kind == "cue" else "cue"
        if name in sides[other]:
            return KeyError(
                f"{kind} {name!r} is no {kind} of these weights but {'an' if other == 'outcome' else 'a'} "
                f"{other}: cues are rows, and outcomes are columns"
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
            f"{kind} {name!r} is none of the {len(known):,} {kind}s of these weights; compare the spelling"
            f"{near(name, known)}"
        )

    def __reduce__(self) -> tuple[type[KeyError], tuple[str]]:
        return KeyError, (str(self),)


def _values(values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(unmasked("values", values))
    if array.ndim != 2:
        raise ValueError(f"values must be a matrix, cues x outcomes, not an array of {array.ndim} dimensions")
    if array.dtype in (np.float64, np.float32):
        return array
    if array.dtype.kind not in "biuf":
        raise TypeError(f"values must be real numbers, not {array.dtype}")
    return array.astype(np.float64)


def _state(state: Mapping[str, ArrayLike] | None, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
    if state is not None and not isinstance(state, Mapping):
        raise TypeError(f"state must be a mapping from names to matrices, not {shown(state)}")
    found = {}
    for key, numbers in (state or {}).items():
        name = named("state", key)
        array = np.asarray(unmasked(f"state[{name!r}]", numbers))
        if array.dtype.kind not in "biuf":
            raise TypeError(f"state[{name!r}] must be real numbers, not {array.dtype}")
        if array.shape != values.shape:
            raise ValueError(
                f"state[{name!r}] must have a number for each weight, {values.shape}, not {array.shape}"
            )
        found[name] = array.astype(values.dtype, copy=False)
    return found


def _part(array: NDArray[Any], rows: Any, columns: Any) -> Any:
    """The numbers at these places, each a number, a list or a slice; a view where numpy gives one."""
    if isinstance(rows, int | slice) or isinstance(columns, int | slice):
        return array[rows, columns]
    return array[np.ix_(rows, columns)]


def _names(argument: str, names: Iterable[str], expected: int) -> tuple[str, ...]:
    labels = only_names(f"{argument} must be names", several(argument, names))
    if len(labels) != expected:
        raise ValueError(
            f"values have {expected} {argument}, but {len(labels)} names are given; rows are cues and "
            "columns outcomes, so give values.T where it is the other way round"
        )
    if (twice := named_twice(labels)) is not None:
        raise ValueError(f"{argument} must be distinct, but {twice!r} comes twice")
    return tuple(labels)


def _check_frame(frame: Any) -> None:
    """TypeError that says how to make a wide table with names of what is none."""
    if not all(hasattr(frame, attribute) for attribute in ("index", "columns", "dtypes")):
        if hasattr(frame, "to_pandas") and hasattr(frame, "columns"):
            cure = "write frame.to_pandas()"
        elif hasattr(frame, "dims"):
            cure = "from_xarray takes a DataArray"
        else:
            cure = "rescorla.Weights(values, cues, outcomes) gives an array its names"
        raise TypeError(f"frame must be a pandas DataFrame, not {shown(frame)}; {cure}")
    types = zip(frame.columns, frame.dtypes, strict=True)
    texts = [name for name, dtype in types if dtype.kind not in "biuf"]
    if texts:
        if {"cue", "outcome", "weight"} <= {*frame.columns, *frame.index.names}:
            cure = 'frame.reset_index().pivot(index="cue", columns="outcome", values="weight")'
        elif all(isinstance(name, str) for name in frame.index):
            cure = f"frame.drop(columns={texts!r}), or frame.astype(float) where it has numerals"
        else:
            cure = f"frame.set_index({texts[0]!r})" + (f".drop(columns={texts[1:]!r})" if texts[1:] else "")
        raise TypeError(
            f"frame must have numbers in all columns, and the names of cues as index, but the column "
            f"{texts[0]!r} is not of numbers; write {cure}"
        )
    only_names(
        "frame.index must be the names of cues",
        frame.index,
        cure="write frame.set_axis([...]) with the names, or frame.rename(index=str) where numbers are names",
    )
    only_names(
        "frame.columns must be the names of outcomes", frame.columns, cure="write frame.rename(columns=str)"
    )


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
    """What to write in place of a key that is no pair."""
    if isinstance(key, str):
        return f"weights[{key!r}, :] or weights.row({key!r}) has the weights of a cue"
    return "weights.values[...] takes numbers and masks"


def _taken(kind: str, names: tuple[str, ...], places: Any) -> tuple[str, ...]:
    """The names at some places, which must be distinct to be names of weights."""
    if isinstance(places, slice):
        return names[places]
    taken = tuple(names[place] for place in places.tolist())
    if (twice := named_twice(taken)) is not None:
        raise ValueError(f"{kind}s names {twice!r} twice; name it once")
    return taken
