"""Tables of factors as events: each level of a factor is a cue."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rescorla._events.events import Events
from rescorla._events.frames import Columns, column_of, columns_of, is_numeric, is_real
from rescorla._events.made import made_by
from rescorla._events.read import events_of
from rescorla._shared.checks import is_missing, near, several, shown, string, whole
from rescorla._shared.warn import some, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

Term: TypeAlias = str | tuple[str, ...]
"""A column, or several whose levels make one cue together: an interaction."""


def factor_events(
    frame: Any,
    outcome: str,
    factors: Iterable[Term] | None = None,
    *,
    frequency: str | None = None,
    ignore: Iterable[Hashable] | Mapping[str, Iterable[Hashable]] = (),
    quantiles: int = 2,
    separator: str = "",
    background: str | None = None,
) -> Events:
    """Make events of a table of factors: the level of each factor is a cue, named column + level.

    A row in which the column ``Polarity`` has the level ``Negation`` has the cue ``PolarityNegation``. This
    is what R's ``ndlCuesOutcomes`` makes.

    Parameters
    ----------
    frame : data frame or mapping
        A pandas, polars or arrow table, or a mapping from names of columns to their entries. Each row is an
        event.
    outcome : str
        The column of outcomes. Every row has one.
    factors : iterable of str or tuple of str, optional
        The columns whose levels are cues, in this order; by default all columns but those of the outcome and
        the frequency. A tuple of columns is an interaction: their cues joined by ``":"`` are one cue.
    frequency : str, optional
        The column that says how many times each row occurs. By default, once.
    ignore : iterable of levels, or mapping from columns to levels, optional
        Levels that give no cue, such as ``["None", "Other"]``: everywhere, or in the columns named.
    quantiles : int, default 2
        Into how many intervals of about equal numbers of tokens a column of numbers is cut. The level is the
        interval; see Notes.
    separator : str, default ""
        What stands between the name of the column and the level.
    background : str, optional
        A cue to add to every event, before its others.

    Returns
    -------
    Events
        One event for each row, in memory.

    Raises
    ------
    KeyError
        When the table lacks a column.
    ValueError
        When an outcome or a frequency is missing, a frequency is negative, or two columns would give the same
        cue.
    TypeError
        When an argument is of a wrong type, or a frequency is no whole number.

    Warns
    -----
    RescorlaWarning
        When levels are missing from a data frame, or none of the levels to ignore is there.

    See Also
    --------
    rescorla.classify.NDLClassifier : learns from such tables and predicts their outcomes.

    Notes
    -----
    A missing entry (None, NaN) gives no cue. R stops there. Note that ``pandas.read_csv`` takes the word None
    for a missing entry, unless it is told ``keep_default_na=False``; so where the entries of a data frame are
    no numbers, and some are missing, there is a warning.

    A column is numeric if all its entries are numbers (truth values are not); where numbers are mere names,
    make it strings or categorical (pandas). Let x(1) < x(2) < ... be its distinct values. The j-th of g
    intervals ends with the first value at which j/g of the tokens are reached, and the next interval starts
    with the next value. It is named ``[a,b)``, b being the start of the next one; the last ``[a,b]``; and an
    interval of one value by that value. R's ``cut2`` of Hmisc does the same, but rounds the numbers in the
    names. Ties may leave fewer than g intervals. A column of at most g values has a level for each of them.

    References
    ----------
    Arppe, A., Hendrix, P., Milin, P., Baayen, R. H., Sering, T. and Shaoul, C. (2018). ndl: Naive
    Discriminative Learning. R package version 0.2.18. ``ndlCuesOutcomes``.

    Examples
    --------
    >>> import rescorla as rw
    >>> frame = {
    ...     "Verb": ["give", "send", "give"],
    ...     "Theme": ["new", "given", None],
    ...     "Length": [2, 7, 3],
    ... }
    >>> events = rw.factor_events(frame, "Verb")
    >>> for event in events:
    ...     print(event.cues, event.outcomes)
    ('Themenew', 'Length[2,7)') ('give',)
    ('Themegiven', 'Length7') ('send',)
    ('Length[2,7)',) ('give',)
    >>> rw.factor_events(
    ...     frame,
    ...     "Verb",
    ...     ["Theme", ("Theme", "Length")],
    ...     ignore=["given"],
    ...     separator="=",
    ... ).cues
    ('Theme=new', 'Theme=new:Length=[2,7)', 'Length=7', 'Length=[2,7)')
    """
    columns = columns_of(frame)
    outcomes = [
        _present(value, outcome, row, "an outcome")
        for row, value in enumerate(column_of("outcome", columns, outcome))
    ]
    counts: Sequence[int] | None = None
    if frequency is not None:
        counts = [
            _count(value, frequency, row)
            for row, value in enumerate(column_of("frequency", columns, frequency))
        ]
    if factors is None:
        factors = [name for name in columns if name not in (outcome, frequency)]
    coding = learn_coding(columns, factors, counts, ignore=ignore, quantiles=quantiles, separator=separator)
    if not isinstance(frame, Mapping):
        warn_of_missing(columns, coding)
    names = [[str(value)] for value in outcomes]
    rows = coding.cues(columns, len(outcomes))
    frequencies = [1] * len(rows) if counts is None else counts
    return events_of(
        zip(rows, names, frequencies, strict=True),
        duplicates="drop",
        background=background,
        progress=False,
        parameters=made_by(
            "factor_events",
            frame,
            outcome=outcome,
            factors=factors,
            frequency=frequency,
            ignore=ignore,
            quantiles=quantiles,
            separator=separator,
            background=background,
        ),
    )


class Intervals(NamedTuple):
    """The intervals of a column of numbers: where each starts, rising, and what it is called."""

    starts: tuple[float, ...]
    labels: tuple[str, ...]

    def level(self, value: float) -> str:
        """The interval of a value; what is less than all starts belongs to the first."""
        return self.labels[bisect_right(self.starts[1:], value)]


class FactorCoding(NamedTuple):
    """How the rows of a table become cues; learned from one table and applied to others."""

    terms: tuple[tuple[str, ...], ...]
    intervals: Mapping[str, Intervals]
    ignored: Mapping[str, Collection[str]]
    separator: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are used, each once."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term))

    def cues(self, columns: Columns, n_rows: int) -> list[list[str]]:
        """The cues of each row, term after term."""
        parts = {name: self._column_cues(name, column_of("factors", columns, name)) for name in self.columns}
        origin: dict[str, frozenset[str]] = {}
        by_term = [self._term_cues(term, [parts[name] for name in term], origin) for term in self.terms]
        if not by_term:
            return [[] for _ in range(n_rows)]
        return [[cue for cue in row if cue is not None] for row in zip(*by_term, strict=True)]

    def _term_cues(
        self, term: tuple[str, ...], parts: list[list[str | None]], origin: dict[str, frozenset[str]]
    ) -> list[str | None]:
        """The cue of a term in each row; `origin` has the columns that each cue so far comes from."""
        joined: dict[tuple[str | None, ...], str | None] = {}
        for levels in dict.fromkeys(zip(*parts, strict=True)):
            cue = joined[levels] = ":".join(part for part in levels if part is not None) or None
            if cue is None:
                continue
            source = frozenset(name for name, part in zip(term, levels, strict=True) if part is not None)
            # Columns A of level BC and AB of level C would be told apart no more.
            if origin.setdefault(cue, source) != source:
                rivals = " and ".join(repr(sorted(names)) for names in (origin[cue], source))
                raise ValueError(
                    f"separator {self.separator!r} gives the cue {cue!r} to {rivals}, and each column needs "
                    "cues of its own; take '=' or another"
                )
        return [joined[levels] for levels in zip(*parts, strict=True)]

    def _column_cues(self, name: str, values: Sequence[Any]) -> list[str | None]:
        """What a column contributes to the cue of each row."""
        # By type too: 1 and True are equal, but different levels.
        known: dict[tuple[type, Any], str | None] = {}
        cues = []
        for row, value in enumerate(values):
            key = type(value), value
            if key not in known:
                known[key] = self._column_cue(name, value, row)
            cues.append(known[key])
        return cues

    def _column_cue(self, name: str, value: Any, row: int) -> str | None:
        if is_missing(value):
            return None
        intervals = self.intervals.get(name)
        if intervals is not None and not is_real(value):
            raise TypeError(
                f"column {name!r}, row {row}: expected a number, as in the rows that were learned from, "
                f"found {shown(value)}; make the column numbers or strings throughout"
            )
        level = str(value) if intervals is None else intervals.level(value)
        return None if level in self.ignored.get(name, ()) else f"{name}{self.separator}{level}"


def learn_coding(
    columns: Columns,
    factors: Iterable[Term],
    counts: Sequence[int] | NDArray[np.int64] | None = None,
    *,
    ignore: Iterable[Hashable] | Mapping[str, Iterable[Hashable]] = (),
    quantiles: int = 2,
    separator: str = "",
) -> FactorCoding:
    """The coding of some columns of a table, their intervals included; `counts` are the rows' frequencies."""
    listed = several("factors", factors, "columns")
    whole("quantiles", quantiles, 1)
    string("separator", separator)
    terms = tuple(term if isinstance(term, tuple) else (term,) for term in listed)
    for name in (name for term in terms for name in term):
        if not isinstance(name, Hashable):
            raise TypeError(f"factors must be columns, or tuples of some, not {shown(name)}")
    names = tuple(dict.fromkeys(name for term in terms for name in term))
    intervals = {
        name: _intervals(values, counts, quantiles)
        for name in names
        if is_numeric(values := column_of("factors", columns, name))
    }
    ignored = _ignored(ignore, names)
    _warn_of_unknown(
        ignore, ignored, {name: _levels_of(columns[name], intervals.get(name)) for name in ignored}
    )
    return FactorCoding(terms, intervals, ignored, separator)


def warn_of_missing(columns: Columns, coding: FactorCoding) -> None:
    """Warn of levels that are missing from a data frame. Of numbers nobody takes missing ones for a word."""
    missing = {
        name: n
        for name in coding.columns
        if name not in coding.intervals and (n := sum(map(is_missing, columns[name])))
    }
    if missing:
        rows = ", ".join(f"{n:,} of {name!r}" for name, n in list(missing.items())[:5])
        more = f" and {len(missing) - 5} more columns" if len(missing) > 5 else ""
        warn(
            f"entries are missing and give no cue: {rows}{more}; if None is a level, read the table with "
            "pandas.read_csv(..., keep_default_na=False), which keeps the word None, or fill in a name for it"
        )


def _levels_of(values: Sequence[Any], intervals: Intervals | None) -> set[str]:
    if intervals is not None:
        return set(intervals.labels)
    return {str(value) for value in values if not is_missing(value)}


def _warn_of_unknown(
    ignore: object, ignored: Mapping[str, Collection[str]], there: Mapping[str, set[str]]
) -> None:
    """Warn where none of the levels to ignore is one: in the columns named, or else in any."""
    if not isinstance(ignore, Mapping):
        wanted = next(iter(ignored.values()), ())
        if wanted and not any(levels & set(wanted) for levels in there.values()):
            all_levels = sorted(set().union(*there.values()))
            warn(
                f"ignore names no level of the factors {list(ignored)}: {some(sorted(wanted))}; compare the "
                f"spelling{near(min(wanted), all_levels)}"
            )
        return
    for name, wanted in ignored.items():
        if wanted and not there[name] & set(wanted):
            warn(
                f"ignore names no level of the column {name!r}: {some(sorted(wanted))}, and there are "
                f"{some(sorted(there[name]))}; compare the spelling{near(min(wanted), there[name])}"
            )


def _intervals(
    values: Sequence[Any], counts: Sequence[int] | NDArray[np.int64] | None, quantiles: int
) -> Intervals:
    """Intervals of about equal numbers of tokens."""
    frequencies = [1] * len(values) if counts is None else counts
    tokens: dict[float, int] = {}
    for value, frequency in zip(values, frequencies, strict=True):
        if not is_missing(value):
            tokens[float(value)] = tokens.get(float(value), 0) + int(frequency)
    starts = _starts(tokens, quantiles)
    # Values that never occur have no say in the starts, but belong to an interval.
    spans: list[list[float]] = [[] for _ in starts]
    for value in sorted(tokens):
        spans[bisect_right(starts[1:], value)].append(value)
    labels = []
    for i, span in enumerate(spans):
        first, last = _numeral(span[0]), _numeral(span[-1])
        end = f"{last}]" if i + 1 == len(spans) else f"{_numeral(starts[i + 1])})"
        labels.append(first if len(span) == 1 else f"[{first},{end}")
    return Intervals(tuple(starts), tuple(labels))


def _starts(tokens: Mapping[float, int], quantiles: int) -> list[float]:
    """Where each interval starts, the first at the least value or below it."""
    ordered = dict(sorted(tokens.items()))
    occurring = {value: count for value, count in ordered.items() if count} or dict.fromkeys(ordered, 1)
    distinct, reached = list(occurring), np.cumsum(list(occurring.values()))
    if len(distinct) <= quantiles:
        return distinct
    # The interval j ends with the first value whose cumulated count times g reaches j n: in integers, for
    # fractions of n would round.
    ends = np.searchsorted(reached * quantiles, np.arange(1, quantiles) * reached[-1])
    return [distinct[0], *(distinct[end + 1] for end in np.unique(ends) if end + 1 < len(distinct))]


def _ignored(
    ignore: Iterable[Hashable] | Mapping[str, Iterable[Hashable]], names: tuple[str, ...]
) -> dict[str, Collection[str]]:
    if not isinstance(ignore, Mapping):
        return dict.fromkeys(names, _levels("ignore", ignore))
    for name in ignore:
        if name not in names:
            raise KeyError(
                f"ignore names the column {shown(name)}, which is none of the factors {list(names)}"
                f"{near(name, names)}"
            )
    return {name: _levels(f"ignore[{name!r}]", levels) for name, levels in ignore.items()}


def _levels(argument: str, levels: Iterable[Hashable]) -> frozenset[str]:
    if isinstance(levels, set | frozenset):
        return frozenset(map(str, levels))
    return frozenset(map(str, several(argument, levels, "levels")))


def _present(value: Any, column: str, row: int, expected: str) -> Any:
    if is_missing(value):
        raise ValueError(
            f"column {column!r}, row {row}: expected {expected}, found none; leave such rows out"
        )
    return value


def _count(value: Any, column: str, row: int) -> int:
    number = _present(value, column, row, "a frequency")
    if is_real(number) and float(number).is_integer():
        # Tables may hold counts as floats.
        number = int(number)
    return whole(f"column {column!r}, row {row}: a frequency", number)


def _numeral(value: float) -> str:
    """The shortest numeral that means this number and no other."""
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
