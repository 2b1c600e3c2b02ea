"""Trajectories: weights after chosen tokens, with their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rescorla._events.phases import Phase, joined
from rescorla._learn import trajectory_file
from rescorla._learn.sketch import COLOURS, POINTS, sketch
from rescorla._shared import show
from rescorla._shared.checks import PathName, named, near, numbered, path_name, plain, several, shown
from rescorla._shared.optional import need
from rescorla._weights.parameters import netcdf_attributes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame
    from xarray import DataArray


class Trajectories:
    """Weights over tokens. `trajectories` makes them.

    Attributes
    ----------
    tokens : ndarray of int64, n_times
        After how many tokens the weights were recorded; 0: before the first.
    values : ndarray of float64 or float32, n_times x n_pairs or n_times x n_cues x n_outcomes
        The weights of the pairs, or of the block of cues and outcomes.
    pairs : tuple of (str, str), or None
        The pairs (cue, outcome); None where there is a block.
    cues, outcomes : tuple of str
        The names of the block, or the distinct names of the pairs, in their order.
    parameters : dict
        How the weights were learned.
    predictions : ndarray with the fields token, outcome, activation and error, or None
        One entry for each outcome that is present at a recorded token, if its weights are learned: its
        activation just before the token was learned, and lambda - activation.
    probes : ndarray with the fields phase, token, cues, outcome and activation, or None
        One entry for each probe, which is an event of frequency 0 that has cues, up to the last recorded
        token and for each outcome that is recorded: the name of its phase, None outside of the phases of a
        `design`; how many tokens come before the probe, its cues (a tuple of str), the outcome, and its
        activation (the sum of the weights of the cues). None where there are no probes.
    phases : dict
        Where the phases of a `design` lie, as `Events.phases`; empty where there are none.
    all_predictions : ndarray, n_predicted x n_outcomes, or None
        A row for each recorded token but 0, ``tokens[tokens > 0]``, and a column for each of `outcomes`: the
        activation just before the token was learned, whether the outcome is present or absent. With all
        tokens recorded, row t is what is predicted by the cues of token t, counted from 0. None unless
        recorded with ``predictions=True``.
    saliences : ndarray, or None
        Of the shape of `values`: the salience of each recorded pair of a cue and an outcome, which the rules
        hybrid, pearce_kaye_hall, mackintosh and le_pelley change. None by other rules.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light", "food", 2), ("light_tone", "food", 2)])
    >>> traj = rw.trajectories(
    ...     events, [("light", "food"), ("tone", "food")], alpha=1.0, beta=0.5
    ... )
    >>> traj
    <Trajectories: 5 tokens x 2 pairs, float64>
    cue      light   tone
    outcome   food   food
    0            0      0
    1          0.5      0
    2         0.75      0
    3        0.875  0.125
    4        0.875  0.125
    >>> traj["tone", "food"]
    array([0.   , 0.   , 0.   , 0.125, 0.125])
    """

    __slots__ = (
        "_columns",
        "_rows",
        "all_predictions",
        "cues",
        "outcomes",
        "pairs",
        "parameters",
        "phases",
        "predictions",
        "probes",
        "saliences",
        "tokens",
        "values",
    )

    def __init__(
        self,
        tokens: NDArray[np.int64],
        values: NDArray[Any],
        pairs: tuple[tuple[str, str], ...] | None,
        cues: tuple[str, ...],
        outcomes: tuple[str, ...],
        parameters: Mapping[str, Any],
        predictions: NDArray[Any] | None = None,
        probes: NDArray[Any] | None = None,
        phases: Mapping[str, Phase] | None = None,
        all_predictions: NDArray[Any] | None = None,
        saliences: NDArray[Any] | None = None,
    ) -> None:
        self.tokens, self.values, self.pairs = tokens, values, pairs
        self.cues, self.outcomes = cues, outcomes
        self.parameters, self.predictions = dict(parameters), predictions
        self.probes, self.phases = probes, dict(phases or {})
        self.all_predictions, self.saliences = all_predictions, saliences
        names: Any = cues if pairs is None else pairs
        self._rows: dict[Any, int] = numbered(names)
        self._columns = numbered(outcomes)

    def __getitem__(self, pair: tuple[str, str]) -> NDArray[Any]:
        """The trajectory of one weight, a view of ``values``."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"trajectories[cue, outcome] takes two names, not {shown(pair)}")
        cue, outcome = pair = plain(pair[0]), plain(pair[1])
        trajectory: NDArray[Any]
        if self.pairs is not None:
            if pair not in self._rows:
                raise KeyError(
                    f"the pair {pair!r} is none of the {len(self.pairs)} that were recorded, such as "
                    f"{self.pairs[:3]}{near(pair[0], self.cues) or near(pair[1], self.outcomes)}"
                )
            trajectory = self.values[:, self._rows[pair]]
            return trajectory
        if cue not in self._rows:
            raise KeyError(
                f"the cue {cue!r} is none of the {len(self.cues)} that were recorded"
                f"{_swapped(cue, self._columns)}{near(cue, self.cues)}"
            )
        if outcome not in self._columns:
            raise KeyError(
                f"the outcome {outcome!r} is none of the {len(self.outcomes)} that were recorded"
                f"{_swapped(cue, self._columns)}{near(outcome, self.outcomes)}"
            )
        trajectory = self.values[:, self._rows[cue], self._columns[outcome]]
        return trajectory

    def activations(self, cues: str | Iterable[str]) -> NDArray[Any]:
        """The activations of the outcomes by some cues, over the recorded tokens.

        Each is the sum of the recorded weights of the cues, from +0.0 and in their order: the same bits as
        those of `rescorla.activations` with the weights after these tokens, and as those of a probe there.

        Parameters
        ----------
        cues : str or iterable of str
            One cue, or several. A cue that is named twice counts twice.

        Returns
        -------
        ndarray, n_times x n_outcomes
            A row for each of `tokens`, a column for each of `outcomes`.

        Raises
        ------
        KeyError
            When a cue was not recorded, or, where pairs were, not with every outcome.
        TypeError
            When the cues are no names, or a set, which has no order.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("light", "food", 2), ("light_tone", "food", 2)])
        >>> traj = rw.trajectories(events, alpha=1.0, beta=0.5)
        >>> traj.activations(["light", "tone"])[:, 0]
        array([0.  , 0.5 , 0.75, 1.  , 1.  ])
        """
        names = [cues] if isinstance(cues, str) else several("cues", cues)
        summed = np.zeros((len(self.tokens), len(self.outcomes)), dtype=self.values.dtype)
        for name in names:
            summed += self._of_cue(named("cues", name))
        return summed

    @classmethod
    def concat(cls, parts: Iterable[Trajectories]) -> Self:
        """Put trajectories of learning that went on one after another.

        Each part begins with the weights that the part before ended with, as `initial` gives them. So a
        parameter can change on the way. Tokens are counted through; what two parts have recorded of the
        same moment stands once.

        Parameters
        ----------
        parts : iterable of Trajectories
            The parts in their order, at least one, of the same pairs or the same cues and outcomes.

        Returns
        -------
        Trajectories
            ``predictions``, ``probes`` and ``saliences`` are there where all parts have them. ``parameters``
            has those of each part, in ``parts``. The phases of designs follow one another.

        Raises
        ------
        ValueError
            When there are no parts, they have other names or types, or a part begins with other weights.
        TypeError
            When a part is no Trajectories.

        Warns
        -----
        RescorlaWarning
            When phases of several parts have the same name: then the result has no phases.

        See Also
        --------
        concat_events : events one after another, for learning with one set of parameters.

        Examples
        --------
        >>> import rescorla as rw
        >>> early, late = rw.design("early: A+ 2"), rw.design("late: A+ 2")
        >>> slow = rw.trajectories(early, alpha=1.0, beta=0.1)
        >>> weights = rw.learn(early, alpha=1.0, beta=0.1)
        >>> fast = rw.trajectories(late, alpha=1.0, beta=0.5, initial=weights)
        >>> rw.Trajectories.concat([slow, fast])["A", "US"]
        array([0.    , 0.1   , 0.19  , 0.595 , 0.7975])
        """
        if isinstance(parts, Trajectories):
            raise TypeError("parts must be several Trajectories, not one; write [it]")
        parts = several("parts", parts, "Trajectories")
        for place, part in enumerate(parts):
            if not isinstance(part, Trajectories):
                raise TypeError(f"parts must be Trajectories, not {shown(part)}; rw.trajectories makes them")
            if place:
                _check_goes_on(parts[place - 1], part, place)
        if not parts:
            raise ValueError("parts must be one or more Trajectories, not none")
        sizes = [(part.parameters["n_events"], part.parameters["n_tokens"]) for part in parts]
        before = np.cumsum([0, *(n_tokens for _, n_tokens in sizes)])[:-1]
        first = parts[0]
        keep = [slice(0, None)]
        keep += [slice(int(_meet(last, part)), None) for last, part in pairwise(parts)]

        def joined_up(tables: Iterable[NDArray[Any] | None]) -> NDArray[Any] | None:
            found = list(tables)
            there = [each for each in found if each is not None]
            return np.concatenate(there) if len(there) == len(found) else None

        return cls(
            np.concatenate([part.tokens[k] + n for part, k, n in zip(parts, keep, before, strict=True)]),
            np.concatenate([part.values[k] for part, k in zip(parts, keep, strict=True)]),
            first.pairs,
            first.cues,
            first.outcomes,
            {
                "parts": [part.parameters for part in parts],
                "n_events": sum(n for n, _ in sizes),
                "n_tokens": sum(n for _, n in sizes),
            },
            joined_up(_later(part.predictions, n) for part, n in zip(parts, before, strict=True)),
            joined_up(_later(part.probes, n) for part, n in zip(parts, before, strict=True)),
            joined((part.phases, *size) for part, size in zip(parts, sizes, strict=True)),
            joined_up(part.all_predictions for part in parts),
            joined_up(
                None if part.saliences is None else part.saliences[k]
                for part, k in zip(parts, keep, strict=True)
            ),
        )

    def _of_cue(self, cue: str) -> NDArray[Any]:
        """The trajectories of the weights of a cue to all outcomes."""
        if cue not in (self.cues if self.pairs is not None else self._rows):
            raise KeyError(
                f"cues names {cue!r}, which is none of the {len(self.cues)} that were recorded; record it, "
                f"trajectories(..., cues=[..., {cue!r}]){near(cue, self.cues)}"
            )
        found: NDArray[Any]
        if self.pairs is None:
            found = self.values[:, self._rows[cue]]
            return found
        for outcome in self.outcomes:
            if (cue, outcome) not in self._rows:
                raise KeyError(
                    f"cues names {cue!r}, whose weight to the outcome {outcome!r} was not recorded; record "
                    f"a block, trajectories(..., cues=[..., {cue!r}], outcomes=[...])"
                )
        found = self.values[:, [self._rows[cue, outcome] for outcome in self.outcomes]]
        return found

    def __repr__(self) -> str:
        shape = len(self.tokens), prod(self.values.shape[1:])
        return "\n".join([self._head(), *show.grid(*shape, partial(_heads, self), partial(_lines, self))])

    def _repr_html_(self) -> str:
        """The first few curves, for a notebook."""
        n_tokens, n_curves = len(self.tokens), prod(self.values.shape[1:])
        places = range(min(n_curves, len(COLOURS)))
        times = np.unique(np.linspace(0, max(n_tokens - 1, 0), min(n_tokens, POINTS)).astype(int))
        names = [f"{cue} \N{RIGHTWARDS ARROW} {outcome}" for cue, outcome in _pairs_at(self, places)]
        picture = sketch(self.tokens[times], _curves(self, times, places), names)
        more = n_curves - len(places)
        note = f'<div style="opacity: 0.7">and {more:,} more</div>' if more and picture else ""
        return show.notebook_html(self._head(), picture, note, show.details(self.parameters))

    def _head(self) -> str:
        n_tokens, *cells = self.values.shape
        names = ("pairs",) if self.pairs is not None else ("cues", "outcomes")
        listed = " x ".join(f"{n} {name}" for n, name in zip(cells, names, strict=True))
        return f"<Trajectories: {n_tokens} tokens x {listed}, {self.values.dtype}>"

    def save(self, path: PathName) -> None:
        """Write the trajectories to an .npz file, whole or not at all; `Trajectories.load` reads them back.

        Parameters
        ----------
        path : str or path-like
            Where; it ends in ``.npz``. An older file of that name is replaced. Only numpy is needed to read
            it.

        Raises
        ------
        ValueError
            When the path has another suffix.
        TypeError
            When a parameter is no value that JSON can hold.
        OSError
            When the file cannot be written.

        Examples
        --------
        >>> import rescorla as rw, os, tempfile
        >>> traj = rw.trajectories([("light", "food", 2)], alpha=1.0, beta=0.5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "light.npz")
        ...     traj.save(path)
        ...     again = rw.Trajectories.load(path)
        >>> again["light", "food"]
        array([0.  , 0.5 , 0.75])
        """
        content = (getattr(self, name) for name in trajectory_file.TrajectoryContent._fields)
        trajectory_file.save(path_name(path), trajectory_file.TrajectoryContent(*content))

    @classmethod
    def load(cls, path: PathName) -> Self:
        """Read trajectories that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            The .npz file.

        Returns
        -------
        Trajectories
            With the same bits, names, predictions, probes, phases and parameters.

        Raises
        ------
        FormatError
            When it is no file of trajectories, or a damaged one.
        OSError
            When it cannot be read.
        """
        return cls(*trajectory_file.load(path_name(path)))

    def to_xarray(self) -> DataArray:
        """The weights as an xarray DataArray.

        Returns
        -------
        xarray.DataArray, dimensions token and pair, or token, cue and outcome
            A dimension pair has the coordinates cue and outcome. The attributes are the parameters, as far as
            netCDF has values for them (True and False are 1 and 0, None is left out, lists are JSON).

        Raises
        ------
        ImportError
            When xarray is not installed.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("light", "food", 2)])
        >>> array = rw.trajectories(events, alpha=1.0, beta=0.5).to_xarray()
        >>> array.sel(cue="light", outcome="food").values.tolist()
        [0.0, 0.5, 0.75]
        """
        xarray = need("xarray")
        coordinates: dict[str, Any] = {"token": self.tokens}
        dimensions: tuple[str, ...] = ("token", "cue", "outcome")
        if self.pairs is None:
            coordinates |= {"cue": list(self.cues), "outcome": list(self.outcomes)}
        else:
            dimensions = ("token", "pair")
            coordinates |= {
                "cue": ("pair", np.array([cue for cue, _ in self.pairs], dtype=object)),
                "outcome": ("pair", np.array([outcome for _, outcome in self.pairs], dtype=object)),
            }
        attributes = netcdf_attributes(self.parameters)
        array: DataArray = xarray.DataArray(
            self.values, dims=dimensions, coords=coordinates, name="weights", attrs=attributes
        )
        return array

    def to_pandas(self) -> DataFrame:
        """The weights as a pandas DataFrame: a row for each recorded token, a column for each weight.

        Returns
        -------
        pandas.DataFrame, n_times x n_pairs or n_times x (n_cues * n_outcomes)
            The index is called token, the columns have the levels cue and outcome. The weights of a block are
            copied.

        Raises
        ------
        ImportError
            When pandas is not installed.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("light", "food", 2)])
        >>> frame = rw.trajectories(events, alpha=1.0, beta=0.5).to_pandas()
        >>> frame["light", "food"].tolist()
        [0.0, 0.5, 0.75]
        """
        pd = need("pandas")
        names = ["cue", "outcome"]
        if self.pairs is None:
            columns = pd.MultiIndex.from_product([self.cues, self.outcomes], names=names)
        else:
            columns = pd.MultiIndex.from_arrays(
                [[pair[0] for pair in self.pairs], [pair[1] for pair in self.pairs]], names=names
            )
        values = self.values.reshape(len(self.tokens), len(columns))
        frame: DataFrame = pd.DataFrame(values, index=pd.Index(self.tokens, name="token"), columns=columns)
        return frame


def _check_goes_on(before: Trajectories, part: Trajectories, place: int) -> None:
    """Refuse a part of other names or type, or with other weights than the part before it ends with."""
    for what in ("pairs", "cues", "outcomes"):
        if getattr(before, what) != getattr(part, what):
            raise ValueError(
                f"parts must have recorded the same {what}, but parts[{place}] has others than "
                f"parts[{place - 1}]; give both the same pairs, or the same cues and outcomes"
            )
    if before.values.dtype != part.values.dtype:
        raise ValueError(
            f"parts must be of one dtype, but parts[{place}] is {part.values.dtype} and parts[{place - 1}] "
            f"{before.values.dtype}"
        )
    if _meet(before, part) and not np.array_equal(before.values[-1], part.values[0]):
        raise ValueError(
            f"parts must go on, but parts[{place}] begins with other weights than parts[{place - 1}] ends "
            "with; give what rw.learn makes of the events before as its initial"
        )


def _meet(before: Trajectories, part: Trajectories) -> bool:
    """Whether both have recorded the weights between them."""
    ends: bool = before.tokens[-1:].tolist() == [before.parameters["n_tokens"]]
    return ends and part.tokens[:1].tolist() == [0]


def _later(table: NDArray[Any] | None, n_tokens: int) -> NDArray[Any] | None:
    """Predictions or probes, so many tokens later."""
    if table is None:
        return None
    later = table.copy()
    later["token"] += n_tokens
    return later


def _swapped(cue: object, outcomes: Mapping[str, int]) -> str:
    return f"; {cue!r} is an outcome: write [cue, outcome]" if cue in outcomes else ""


def _heads(traj: Trajectories, places: Sequence[int]) -> list[list[str]]:
    pairs = _pairs_at(traj, places)
    return [
        [kind, *(show.short(pair[side], show.NARROW) for pair in pairs)]
        for side, kind in enumerate(("cue", "outcome"))
    ]


def _lines(traj: Trajectories, times: Sequence[int], places: Sequence[int]) -> list[list[str]]:
    return [
        [str(traj.tokens[time]), *map(show.rounded, values)]
        for time, values in zip(times, _curves(traj, times, places).tolist(), strict=True)
    ]


def _pairs_at(traj: Trajectories, places: Sequence[int]) -> list[tuple[str, str]]:
    """The pairs at these places, those of a block counted row by row."""
    if traj.pairs is not None:
        return [traj.pairs[place] for place in places]
    n_outcomes = len(traj.outcomes)
    return [(traj.cues[place // n_outcomes], traj.outcomes[place % n_outcomes]) for place in places]


def _curves(traj: Trajectories, times: Any, places: Sequence[int]) -> NDArray[Any]:
    """The weights at these times, a column for each of these places."""
    rows = np.asarray(times, dtype=np.intp)[:, np.newaxis]
    columns = np.asarray(places, dtype=np.intp)
    if traj.pairs is not None:
        found: NDArray[Any] = traj.values[rows, columns]
    else:
        cues, outcomes = np.divmod(columns, max(len(traj.outcomes), 1))
        found = traj.values[rows, cues, outcomes]
    return found
