"""Learning by the Widrow-Hoff rule, of names or vectors: pyndl's ``wh``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.widrow_hoff import widrow_hoff
from rescorla._shared.checks import number, whole
from rescorla._shared.warn import some
from rescorla._weights.weights import Weights
from rescorla.compat.pyndl._arguments import (
    Path,
    Rows,
    check_temporary,
    duplicates_of,
    event_path,
    rows_of,
    threads_of,
    unique,
)
from rescorla.compat.pyndl._by_position import read_by_position
from rescorla.compat.pyndl._labelled import is_labelled, labels_of, named_array, of_nested, weights_of
from rescorla.compat.pyndl._name_order import Names, names_by_jobs
from rescorla.compat.pyndl._nested import widrow_hoff_nested
from rescorla.compat.pyndl._provenance import attributes, clock
from rescorla.compat.pyndl.ndl import WeightDict, learned, nested_of

if TYPE_CHECKING:
    import xarray

    _Vectors: TypeAlias = dict[str, xarray.DataArray | None]

__all__ = ["WeightDict", "dict_wh", "wh"]

_DIMENSIONS = {"cue": "cue_vector_dimensions", "outcome": "outcome_vector_dimensions"}


def wh(
    events: Path,
    eta: float,
    *,
    cue_vectors: xarray.DataArray | None = None,
    outcome_vectors: xarray.DataArray | None = None,
    method: Literal["openmp", "threading", "numpy"] = "openmp",
    weights: xarray.DataArray | None = None,
    n_jobs: int = 8,
    n_outcomes_per_job: int = 10,
    remove_duplicates: bool | None = None,
    verbose: bool = False,
    temporary_directory: Path | None = None,
    events_per_temporary_file: int = 10_000_000,
) -> xarray.DataArray:
    """Learn weights by the rule of Widrow and Hoff, by `rescorla.widrow_hoff`.

    Parameters
    ----------
    events : path
        A table compressed by gzip; see `io.events_from_file`.
    eta : float
        The learning rate.
    cue_vectors : xarray.DataArray, optional
        A row for each cue: the dimensions ``cues`` and ``cue_vector_dimensions``. Without it cues stand for
        themselves.
    outcome_vectors : xarray.DataArray, optional
        A row for each outcome: the dimensions ``outcomes`` and ``outcome_vector_dimensions``.
    method : {"openmp", "threading", "numpy"}, default "openmp"
        It is noted in the attributes, and changes no weight. As in pyndl, "threading" is for names on both
        sides alone, and "numpy" for vectors on both, of one cue and one outcome an event.
    weights : xarray.DataArray, optional
        Weights to start from, of the dimensions of the result.
    n_jobs : int, default 8
        The order of names, as in `count.cues_outcomes`, and the most threads to use. Neither changes a
        weight.
    n_outcomes_per_job : int, default 10
        It changes nothing.
    remove_duplicates : {None, True, False}, default None
        What to do when an event lists a name twice: raise ValueError, keep the first, or keep both.
    verbose : bool, default False
        Whether to show how far learning is.
    temporary_directory : path, optional
        It changes nothing: there are no temporary files.
    events_per_temporary_file : int, default 10000000
        It changes nothing.

    Returns
    -------
    xarray.DataArray
        The weights, of ``outcomes`` or ``outcome_vector_dimensions`` x ``cues`` or ``cue_vector_dimensions``.
        What they were learned from stands in the attributes.

    Raises
    ------
    ValueError
        When an argument is not one of those listed, a name has no vector, or dimensions do not fit.
    FloatingPointError
        When a weight became infinite or NaN.
    OSError
        When the events cannot be read.

    Examples
    --------
    >>> import os, tempfile
    >>> import xarray as xr
    >>> from rescorla.compat.pyndl import io, wh
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "events.tab.gz")
    >>> io.events_to_file([("c_a_t", "cat"), ("h_a_t", "hat")], path)
    >>> meanings = xr.DataArray(
    ...     [[1.0, 0.0], [0.5, 0.5]],
    ...     [
    ...         ("outcomes", ["cat", "hat"]),
    ...         ("outcome_vector_dimensions", ["animal", "thing"]),
    ...     ],
    ... )
    >>> weights = wh.wh(path, 0.1, outcome_vectors=meanings)
    >>> float(weights.loc["animal", "c"])
    0.1
    >>> folder.cleanup()
    """
    n_jobs = whole("n_jobs", n_jobs, 1)
    whole("n_outcomes_per_job", n_outcomes_per_job, 1)
    number("eta", eta)
    if cue_vectors is None and outcome_vectors is None:
        return learned(
            events,
            1.0,
            (eta, eta),
            1.0,
            function=f"{__name__}.wh",
            method=method,
            weights=weights,
            n_jobs=n_jobs,
            remove_duplicates=remove_duplicates,
            verbose=verbose,
            temporary_directory=temporary_directory,
            events_per_temporary_file=events_per_temporary_file,
        )
    began = clock()
    duplicates = duplicates_of(remove_duplicates)
    path = event_path(events)
    if not path:
        raise ValueError(f"'events' need to be the path to a gzipped event file not {type(events)}")
    check_temporary(temporary_directory, events_per_temporary_file)
    vectors: _Vectors = {"cue": cue_vectors, "outcome": outcome_vectors}
    source = _checked(path, duplicates, vectors, method, weights)
    rows, columns = _dimension("outcome", outcome_vectors), _dimension("cue", cue_vectors)
    order, initial = _order(source, vectors, weights, n_jobs)
    found = widrow_hoff(
        source,
        eta=eta,
        cue_vectors=None if cue_vectors is None else weights_of(cue_vectors, _DIMENSIONS["cue"], "cues"),
        outcome_vectors=None
        if outcome_vectors is None
        else weights_of(outcome_vectors, _DIMENSIONS["outcome"], "outcomes"),
        initial=initial,
        threads=threads_of(n_jobs),
        progress=bool(verbose),
    )
    values = _in_order(found, order)
    # As in pyndl: of cue vectors to outcomes the rates stand there as those of `ndl`, else as lambda.
    parameters: dict[str, object] = {"lambda": eta}
    if outcome_vectors is None:
        parameters = {"alpha": "varying", "betas": (eta, eta), "lambda": 1.0}
    attrs = attributes(
        began,
        event_path=path,
        number_events=source.n_tokens,
        **parameters,
        function=f"{__name__}.wh",
        method=method,
        before=getattr(weights, "attrs", None),
    )
    return named_array(
        values,
        (rows, order.outcomes if outcome_vectors is None else outcome_vectors.coords[rows].values),
        (columns, order.cues if cue_vectors is None else cue_vectors.coords[columns].values),
        attrs,
    )


def _checked(path: str, duplicates: Any, vectors: _Vectors, method: str, weights: object) -> Events:
    """The events, held against what else was given."""
    _check_method(method, all(given is not None for given in vectors.values()))
    for kind, given in vectors.items():
        if given is not None:
            _check_vectors(kind, given)
    if weights is not None and not is_labelled(weights):
        raise ValueError(f"weights need to be None or xarray.DataArray, not {type(weights).__name__}")
    source = read_by_position(path, duplicates=duplicates)
    if method == "numpy":
        _check_single(source)
    for kind, names in (("cue", source.cues), ("outcome", source.outcomes)):
        if vectors[kind] is not None:
            _check_known(kind, vectors[kind], names)
    return source


def _order(
    source: Events, vectors: _Vectors, weights: xarray.DataArray | None, n_jobs: int
) -> tuple[Names, Weights]:
    """The order of the names of the result, and weights to start from, which have it."""
    rows, columns = (_dimension(kind, vectors[kind]) for kind in ("outcome", "cue"))
    if weights is not None:
        initial = weights_of(weights, rows, columns)
        order = Names(
            _with_new(initial.cues, source, "cue", vectors["cue"]),
            _with_new(initial.outcomes, source, "outcome", vectors["outcome"]),
        )
        return order, initial
    by_jobs = names_by_jobs(source, n_jobs)
    order = Names(
        by_jobs.cues if vectors["cue"] is None else labels_of(vectors["cue"], columns),
        by_jobs.outcomes if vectors["outcome"] is None else labels_of(vectors["outcome"], rows),
    )
    # Names alone: with them the result has its order.
    return order, Weights(np.zeros((len(order.cues), len(order.outcomes))), *order)


def _check_method(method: str, both: bool) -> None:
    allowed = ("numpy", "openmp") if both else ("openmp",)
    if method not in allowed:
        wanted = " or ".join(f'"{each}"' for each in allowed)
        raise ValueError(f"method needs to be {wanted} for these vectors, not {method!r}")


def _check_vectors(kind: str, vectors: Any) -> None:
    """Raise what pyndl raises for vectors that it does not take."""
    argument = f"{kind}_vectors"
    if isinstance(vectors, Mapping) and not is_labelled(vectors):
        raise NotImplementedError(
            f"{argument}: dicts are not supported; rescorla.widrow_hoff takes them, here it is an "
            "xarray.DataArray"
        )
    if not is_labelled(vectors):
        raise TypeError(f"{argument} must be an xarray.DataArray, not {type(vectors).__name__}")
    if not vectors.data.flags.c_contiguous:
        raise ValueError(f"{argument} have to be c_contiguous; numpy.ascontiguousarray makes them so")
    if vectors.dtype != np.float64:
        raise ValueError(f"{argument} have to be of dtype np.float64, not {vectors.dtype}")
    if vectors.ndim != 2 or vectors.dims[1] != _DIMENSIONS[kind]:
        raise ValueError(
            f"The second dimension of the {argument!r} has to be named {_DIMENSIONS[kind]!r}, found "
            f"{vectors.dims}"
        )


def _check_known(kind: str, vectors: Any, names: Iterable[str]) -> None:
    """ValueError where a name has no vector."""
    known = set(labels_of(vectors, f"{kind}s"))
    if missing := [name for name in names if name not in known]:
        raise ValueError(
            f"all {kind}s in events need to be specified as rows in {kind}_vectors; it has none for "
            f"{some(missing)}"
        )


def _check_single(events: Events) -> None:
    """AssertionError where an event has several cues or outcomes."""
    for side in ("cues", "outcomes"):
        lengths = np.diff(events._file.csr(side)[0])[events.frequencies > 0]
        if (lengths != 1).any():
            row = int((lengths != 1).argmax())
            raise AssertionError(
                f"for method='numpy' only one of the {side} is allowed per event, found {lengths[row]}; "
                "method='openmp' takes several"
            )


def _dimension(kind: str, vectors: Any) -> str:
    return f"{kind}s" if vectors is None else _DIMENSIONS[kind]


def _with_new(old: tuple[str, ...], events: Events, kind: str, vectors: Any) -> list[str]:
    """The names or dimensions of the initial weights, and behind them new names."""
    if vectors is None:
        names = names_by_jobs(events, 1)
        return list(dict.fromkeys([*old, *(names.cues if kind == "cue" else names.outcomes)]))
    # That they are those of the weights `widrow_hoff` sees to.
    return labels_of(vectors, _DIMENSIONS[kind])


def _in_order(found: Weights, order: Names) -> Any:
    """The weights, outcomes x cues, one row after another."""
    if list(found.cues) != order.cues or list(found.outcomes) != order.outcomes:
        found = found[order.cues, order.outcomes]
    return np.ascontiguousarray(np.asarray(found.values).T)


def dict_wh(
    events: Path | Rows,
    eta: float,
    cue_vectors: xarray.DataArray,
    outcome_vectors: xarray.DataArray,
    *,
    weights: defaultdict[Any, Any] | None = None,
    inplace: bool = False,
    remove_duplicates: bool | None = None,
    make_data_array: bool = False,
    verbose: bool = False,
) -> Any:
    """Learn weights of vectors to vectors, in nested mappings.

    Parameters
    ----------
    events : path or iterable
        A table compressed by gzip (see `io.events_from_file`), or pairs of cues and outcomes, one of each in
        an event.
    eta : float
        The learning rate.
    cue_vectors, outcome_vectors : xarray.DataArray
        As for `wh`.
    weights : WeightDict or defaultdict, optional
        Weights to start from: ``weights[outcome_vector_dimension][cue_vector_dimension]``.
    inplace : bool, default False
        Whether to change `weights`, rather than a copy.
    remove_duplicates : {None, True, False}, default None
        What to do when an event lists a name twice: raise ValueError, keep the first, or keep both.
    make_data_array : bool, default False
        Whether to give an xarray.DataArray.
    verbose : bool, default False
        It changes nothing.

    Returns
    -------
    WeightDict or xarray.DataArray

    Raises
    ------
    ValueError
        When an argument is not one of those listed, or an event has a name twice.
    AssertionError
        When an event has several cues or outcomes.
    KeyError
        When a name has no vector.
    NotImplementedError
        When `weights` is an xarray.DataArray, which `wh` takes.

    Examples
    --------
    >>> import xarray as xr
    >>> from rescorla.compat.pyndl import wh
    >>> forms = xr.DataArray(
    ...     [[1.0, 2.0]], [("cues", ["cat"]), ("cue_vector_dimensions", ["a", "b"])]
    ... )
    >>> senses = xr.DataArray(
    ...     [[0.5]], [("outcomes", ["CAT"]), ("outcome_vector_dimensions", ["s"])]
    ... )
    >>> weights = wh.dict_wh([(["cat"], ["CAT"])], 0.1, forms, senses)
    >>> weights["s"]["a"], weights["s"]["b"]
    (0.05, 0.1)
    """
    began = clock()
    if not isinstance(make_data_array, bool):
        raise ValueError(f"make_data_array must be True or False, not {make_data_array!r}")
    duplicates_of(remove_duplicates)
    number("eta", eta)
    history = getattr(weights, "attrs", None)
    if is_labelled(weights):
        raise NotImplementedError("dict_wh does not go on from an xarray.DataArray; wh does")
    nested = nested_of(weights, inplace)
    path = event_path(events)
    n_tokens = widrow_hoff_nested(
        _single(unique(rows_of(events), remove_duplicates)),
        nested,
        eta=eta,
        cue_vectors=_vectors("cue", cue_vectors),
        outcome_vectors=_vectors("outcome", outcome_vectors),
    )
    attrs = attributes(
        began,
        event_path=path,
        number_events=n_tokens,
        **{"lambda": eta},
        function=f"{__name__}.dict_wh",
        method=None,
        before=history,
    )
    if make_data_array:
        return of_nested(nested, _DIMENSIONS["outcome"], _DIMENSIONS["cue"], attrs)
    if isinstance(nested, WeightDict):
        nested.attrs = attrs
    return nested


def _single(rows: Iterable[tuple[list[Any], list[Any]]]) -> Iterable[tuple[list[Any], list[Any]]]:
    """Rows of one cue and one outcome each."""
    for number_of_row, row in enumerate(rows):
        for kind, names in zip(("cue", "outcome"), row, strict=True):
            if len(names) != 1:
                raise AssertionError(
                    f"event {number_of_row}: for dict_wh only one {kind} is allowed per event, found "
                    f"{names}; wh takes several"
                )
        yield row


def _vectors(kind: str, vectors: Any) -> tuple[dict[Any, int], Any, list[str]]:
    """The row of each name, the rows, and the names of the dimensions."""
    if not is_labelled(vectors):
        raise TypeError(f"{kind}_vectors must be an xarray.DataArray, not {type(vectors).__name__}")
    names = vectors.coords[vectors.dims[0]].values.tolist()
    return (
        {name: row for row, name in enumerate(names)},
        vectors.values,
        labels_of(vectors, _DIMENSIONS[kind]),
    )
