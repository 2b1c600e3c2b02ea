"""Learning by the rule of Rescorla and Wagner: pyndl's ``ndl``."""

from __future__ import annotations

import copy
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from numbers import Real
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.rescorla_wagner import learn
from rescorla._shared.checks import number, whole
from rescorla.compat.pyndl._arguments import (
    Path,
    Rows,
    check_temporary,
    duplicates_of,
    event_path,
    renamed,
    rows_of,
    threads_of,
    unique,
)
from rescorla.compat.pyndl._by_position import read_by_position
from rescorla.compat.pyndl._labelled import is_labelled, named_array, of_nested, weights_of
from rescorla.compat.pyndl._name_order import names_by_jobs
from rescorla.compat.pyndl._nested import learn_nested
from rescorla.compat.pyndl._provenance import attributes, clock
from rescorla.compat.pyndl.io import events_from_list

if TYPE_CHECKING:
    import xarray

__all__ = ["WeightDict", "data_array", "dict_ndl", "ndl"]


class WeightDict(defaultdict[Any, Any]):
    """Weights by outcome, then by cue: ``weights[outcome][cue]``, 0.0 where there is none.

    Attributes
    ----------
    attrs : OrderedDict
        How they were learned.

    Examples
    --------
    >>> from rescorla.compat.pyndl import ndl
    >>> ndl.WeightDict()["hand"]["#ha"]
    0.0
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # A copy is made of the factory and the weights.
        super().__init__(_row_of_zeros, *args[1:])
        self._attrs: OrderedDict[str, Any] = OrderedDict(kwargs.get("attrs", {}))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (), {"_attrs": self._attrs}, None, iter(self.items())

    def __copy__(self) -> WeightDict:
        again = WeightDict(None, self)
        again.attrs = self._attrs
        return again

    def copy(self) -> WeightDict:
        """The same rows, under the same attributes."""
        return self.__copy__()

    @property
    def attrs(self) -> OrderedDict[str, Any]:
        """How the weights were learned."""
        return self._attrs

    @attrs.setter
    def attrs(self, attrs: Mapping[str, Any]) -> None:
        self._attrs = OrderedDict(attrs)


def _row_of_zeros() -> defaultdict[Any, float]:
    return defaultdict(float)


def ndl(
    events: Path | Iterator[tuple[Any, Any]],
    alpha: float,
    betas: tuple[float, float],
    lambda_: float = 1.0,
    *,
    method: Literal["openmp", "threading"] = "openmp",
    weights: xarray.DataArray | None = None,
    number_of_threads: int | None = None,
    n_jobs: int = 8,
    len_sublists: int | None = None,
    n_outcomes_per_job: int = 10,
    remove_duplicates: bool | None = None,
    verbose: bool = False,
    temporary_directory: Path | None = None,
    events_per_temporary_file: int = 10_000_000,
) -> xarray.DataArray:
    """Learn the weights of all cues to all outcomes of the events, by `rescorla.learn`.

    Parameters
    ----------
    events : path or generator
        A table compressed by gzip (see `io.events_from_file`), or a generator of cues and outcomes.
    alpha : float
        The salience of all cues.
    betas : (float, float)
        The learning rates for present and for absent outcomes.
    lambda_ : float, default 1.0
        The asymptote.
    method : {"openmp", "threading"}, default "openmp"
        It is noted in the attributes, and changes nothing.
    weights : xarray.DataArray, optional
        Weights to start from, of the dimensions ``outcomes`` and ``cues``.
    number_of_threads, len_sublists : int, optional
        The old names of `n_jobs` and `n_outcomes_per_job`.
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
    xarray.DataArray, n_outcomes x n_cues
        The weights, with their names. What they were learned from stands in the attributes. Names of
        `weights` come first; new ones follow in order of first appearance.

    Raises
    ------
    ValueError
        When an argument is not one of those listed, or an event has a name twice.
    FloatingPointError
        When a weight became infinite or NaN.
    OSError
        When the events cannot be read.

    Examples
    --------
    >>> from rescorla.compat.pyndl import ndl
    >>> events = (event for event in [("#ha_han", "hand"), ("#ha_hat", "hat")])
    >>> weights = ndl.ndl(events, alpha=0.1, betas=(0.1, 0.1))
    >>> weights.dims, round(float(weights.loc["hat", "#ha"]), 4)
    (('outcomes', 'cues'), 0.01)
    """
    n_jobs = whole("n_jobs", renamed("number_of_threads", "n_jobs", number_of_threads, n_jobs), 1)
    whole(
        "n_outcomes_per_job",
        renamed("len_sublists", "n_outcomes_per_job", len_sublists, n_outcomes_per_job),
        1,
    )
    number("alpha", alpha)
    return learned(
        events,
        alpha,
        betas,
        lambda_,
        function=f"{__name__}.ndl",
        method=method,
        weights=weights,
        n_jobs=n_jobs,
        remove_duplicates=remove_duplicates,
        verbose=verbose,
        temporary_directory=temporary_directory,
        events_per_temporary_file=events_per_temporary_file,
    )


def learned(
    events: Any,
    alpha: float,
    betas: tuple[float, float],
    lambda_: float,
    *,
    function: str,
    method: str,
    weights: Any,
    n_jobs: int,
    remove_duplicates: bool | None,
    verbose: bool,
    temporary_directory: Path | None,
    events_per_temporary_file: int,
) -> xarray.DataArray:
    """The weights of names to names, for `ndl` and `wh`."""
    began = clock()
    duplicates_of(remove_duplicates)
    check_temporary(temporary_directory, events_per_temporary_file)
    if method not in ("openmp", "threading"):
        raise ValueError(f'method needs to be either "threading" or "openmp", not {method!r}')
    path = event_path(events)
    if not path and not isinstance(events, GeneratorType):
        raise ValueError(
            f"'events' need to be the path to a gzipped event file or a generator, not {type(events)}; of a "
            "list: (event for event in events)"
        )
    if weights is not None and not is_labelled(weights):
        raise ValueError(f"weights need to be None or xarray.DataArray, not {type(weights).__name__}")
    initial = None if weights is None else weights_of(weights)
    beta1, beta2 = betas
    source = _events(events, remove_duplicates)
    if initial is None:
        names = names_by_jobs(source, n_jobs)
        cues, outcomes = names.cues, names.outcomes
    else:
        # All rows that have a frequency.
        names = names_by_jobs(source, 1)
        cues = list(dict.fromkeys([*initial.cues, *names.cues]))
        outcomes = list(dict.fromkeys([*initial.outcomes, *names.outcomes]))
    values = np.zeros((len(outcomes), len(cues)))
    learn(
        source,
        alpha=alpha,
        beta=(beta1, beta2),
        lambda_=lambda_,
        cues=cues,
        outcomes=outcomes,
        initial=initial,
        method="forward",
        threads=threads_of(n_jobs),
        out=values.T,
        progress=bool(verbose),
    )
    attrs = attributes(
        began,
        event_path=path,
        number_events=source.n_tokens,
        alpha=alpha,
        betas=(beta1, beta2),
        **{"lambda": lambda_},
        function=function,
        method=method,
        before=getattr(weights, "attrs", None),
    )
    return named_array(values, ("outcomes", outcomes), ("cues", cues), attrs)


def _events(events: Path | Rows, remove_duplicates: bool | None) -> Events:
    """The events of a table or of a generator."""
    duplicates = duplicates_of(remove_duplicates)
    if isinstance(events, GeneratorType):
        return Events(_core.compile_events(_cells(events), None, duplicates, None, None))
    return read_by_position(events, duplicates=duplicates)  # type: ignore[arg-type]


def _cells(events: Rows) -> Iterator[tuple[list[str], list[str]]]:
    """Rows as a table would have them: names that contain `_` are several."""
    for cues, outcomes in events_from_list(events):
        yield "_".join(cues).split("_"), "_".join(outcomes).split("_")


def dict_ndl(
    events: Path | Rows,
    alphas: float | Mapping[Any, float],
    betas: tuple[float, float],
    lambda_: float = 1.0,
    *,
    weights: defaultdict[Any, Any] | xarray.DataArray | None = None,
    inplace: bool = False,
    remove_duplicates: bool | None = None,
    make_data_array: bool = False,
    verbose: bool = False,
) -> Any:
    """Learn weights in nested mappings, with a salience for each cue.

    Parameters
    ----------
    events : path or iterable
        A table compressed by gzip (see `io.events_from_file`), or pairs of cues and outcomes: lists of names,
        which may be anything that a mapping can have as keys, or a str of names joined by ``_``.
    alphas : float or mapping
        The salience of all cues, or of each; only those of the events are looked up.
    betas : (float, float)
        The learning rates for present and for absent outcomes.
    lambda_ : float, default 1.0
        The asymptote.
    weights : WeightDict, defaultdict or xarray.DataArray, optional
        Weights to start from.
    inplace : bool, default False
        Whether to change `weights`, rather than a copy. Only weights of the events' cues are looked at.
    remove_duplicates : {None, True, False}, default None
        What to do when an event lists a name twice: raise ValueError, keep the first, or keep both.
    make_data_array : bool, default False
        Whether to give an xarray.DataArray.
    verbose : bool, default False
        It changes nothing.

    Returns
    -------
    WeightDict or xarray.DataArray
        ``weights[outcome][cue]``, or the array of outcomes x cues. Their attributes say what they were
        learned from; a defaultdict of another type has none.

    Raises
    ------
    ValueError
        When an argument is not one of those listed, or an event has a name twice.
    KeyError
        When `alphas` has no entry for a cue.

    Examples
    --------
    >>> from rescorla.compat.pyndl import ndl
    >>> weights = ndl.dict_ndl(
    ...     [("light_tone", "shock")], {"light": 0.1, "tone": 0.2}, (0.1, 0.1)
    ... )
    >>> round(weights["shock"]["tone"], 3)
    0.02
    >>> same = ndl.dict_ndl(
    ...     [("tone", "food")], 0.1, (0.1, 0.1), weights=weights, inplace=True
    ... )
    >>> same is weights, round(weights["food"]["tone"], 3)
    (True, 0.01)
    """
    began = clock()
    if not isinstance(make_data_array, bool):
        raise ValueError(f"make_data_array must be True or False, not {make_data_array!r}")
    duplicates_of(remove_duplicates)
    beta1, beta2 = betas
    history = getattr(weights, "attrs", None)
    nested = nested_of(weights, inplace)
    path = event_path(events)
    n_tokens = learn_nested(
        unique(rows_of(events), remove_duplicates),
        nested,
        alpha=_saliences(alphas),
        beta=(beta1, beta2),
        lambda_=lambda_,
    )
    attrs = attributes(
        began,
        event_path=path,
        number_events=n_tokens,
        alpha=alphas if isinstance(alphas, Real) else "varying",
        betas=(beta1, beta2),
        **{"lambda": lambda_},
        function=f"{__name__}.dict_ndl",
        method=None,
        before=history,
    )
    if make_data_array:
        return data_array(nested, attrs=attrs)
    if isinstance(nested, WeightDict):
        nested.attrs = attrs
    return nested


def nested_of(weights: Any, inplace: bool) -> defaultdict[Any, Any]:
    """Nested weights to learn in: those given, or a copy."""
    if weights is None:
        return WeightDict()
    if is_labelled(weights):
        matrix = weights_of(weights)
        nested = WeightDict()
        for outcome, column in zip(matrix.outcomes, matrix.values.T.tolist(), strict=True):
            nested[outcome].update(zip(matrix.cues, column, strict=True))
        return nested
    if not isinstance(weights, defaultdict):
        raise ValueError(f"weights needs to be a defaultdict or None, not {type(weights).__name__}")
    return weights if inplace else copy.deepcopy(weights)


def _saliences(alphas: Any) -> Any:
    """A number, or what gives the salience of a cue."""
    if isinstance(alphas, Real):
        return number("alphas", alphas)
    if not hasattr(alphas, "__getitem__"):
        raise TypeError(f"alphas must be a number or a mapping from cues, not {type(alphas).__name__}")

    def of(cue: Any) -> float:
        try:
            return float(alphas[cue])
        except KeyError:
            raise KeyError(f"alphas has no entry for the cue {cue!r}; add one") from None

    return of


def data_array(weights: Any, *, attrs: Mapping[str, Any] | None = None) -> xarray.DataArray:
    """Nested weights as an array.

    Parameters
    ----------
    weights : WeightDict, dict of dicts, or xarray.DataArray
        ``weights[outcome][cue]``; an array of outcomes x cues is given back as it is.
    attrs : mapping, optional
        The attributes; by default those of `weights`. A plain dict has none.

    Returns
    -------
    xarray.DataArray, n_outcomes x n_cues
        0.0 where there is no weight. Names are in order of first appearance.

    Raises
    ------
    AttributeError
        When `weights` has no attributes and `attrs` is not given.

    Examples
    --------
    >>> from rescorla.compat.pyndl import ndl
    >>> ndl.data_array({"hand": {"#ha": 0.5}, "hat": {"hat": 1.0}}, attrs={}).values
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    if is_labelled(weights) and weights.dims == ("outcomes", "cues"):
        return weights  # type: ignore[no-any-return]
    if attrs is None:
        try:
            attrs = weights.attrs
        except AttributeError:
            raise AttributeError(
                "weights does not have attributes and no attrs argument is given; give attrs={}"
            ) from None
    return of_nested(weights, "outcomes", "cues", attrs)
