"""Streams of learning events."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from rescorla import _core
from rescorla._events.derive import Events as DerivedEvents
from rescorla._events.order import in_order
from rescorla._shared.checks import PathName, one_of, path_name
from rescorla._shared.hints import hinting
from rescorla._shared.progress import Progress, watching

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

# Events decoded at a time when iterating: enough that the crossing into Rust costs nothing, few enough for
# any memory.
_BLOCK = 4096


class Event(NamedTuple):
    """One learning event: what is there, what follows, and how many times in a row.

    Attributes
    ----------
    cues, outcomes : tuple of str
        The names, in the order in which the event lists them.
    frequency : int
        How many times the event occurs in a row.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.read_events([("light_tone", "shock", 3)])[0]
    Event(cues=('light', 'tone'), outcomes=('shock',), frequency=3)
    """

    cues: tuple[str, ...]
    outcomes: tuple[str, ...]
    frequency: int


class Events(DerivedEvents):
    """A sequence of learning events with their names, in memory or mapped from a binary event file.

    Made by `read_events`, `compile_events`, `corpus_events` and `open_events`. ``len(events)`` counts rows; a
    row of frequency f stands for f tokens in a row. Iterating and indexing give `Event`; a slice gives Events
    in memory that keep all names, so that what is learned from parts fits together.

    Attributes
    ----------
    path : str or None
        The binary event file; None for events in memory.
    n_tokens, n_cues, n_outcomes : int
        How many tokens, different cues and different outcomes there are.
    cues, outcomes : tuple of str
        The names, in order of first appearance.
    cue_counts, outcome_counts : ndarray of int64, one entry for each name
        In how many tokens each name occurs; a name that one event keeps twice counts twice.
    frequencies : ndarray of int64, one entry for each event
        How many tokens each event stands for.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("a_b", "x"), ("a", "y", 3)])
    >>> events
    <Events: 2 events, 4 tokens, 2 cues, 2 outcomes; in memory>
    >>> events[1]
    Event(cues=('a',), outcomes=('y',), frequency=3)
    >>> dict(zip(events.cues, events.cue_counts.tolist()))
    {'a': 4, 'b': 1}
    """

    __slots__ = ("_cues", "_outcomes")

    def __init__(self, file: _core.EventFile) -> None:
        super().__init__(file)
        self._cues: tuple[str, ...] | None = None
        self._outcomes: tuple[str, ...] | None = None

    @property
    def path(self) -> str | None:
        """The binary event file; None for events in memory."""
        return self._file.path

    @property
    def n_tokens(self) -> int:
        """The sum of the frequencies."""
        return self._file.n_tokens

    @property
    def n_cues(self) -> int:
        """How many different cues there are."""
        return self._file.n_cues

    @property
    def n_outcomes(self) -> int:
        """How many different outcomes there are."""
        return self._file.n_outcomes

    @property
    def cues(self) -> tuple[str, ...]:
        """The names of the cues, in order of first appearance."""
        if self._cues is None:
            self._cues = self._file.cue_names()
        return self._cues

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The names of the outcomes, in order of first appearance."""
        if self._outcomes is None:
            self._outcomes = self._file.outcome_names()
        return self._outcomes

    @property
    def cue_counts(self) -> NDArray[np.int64]:
        """In how many tokens each cue occurs; a cue that one event keeps twice counts twice."""
        return self._file.cue_counts()

    @property
    def outcome_counts(self) -> NDArray[np.int64]:
        """In how many tokens each outcome occurs; one that an event keeps twice counts twice."""
        return self._file.outcome_counts()

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """How many tokens each event stands for."""
        return self._file.frequencies()

    def __len__(self) -> int:
        return self._file.n_events

    def __iter__(self) -> Iterator[Event]:
        n_events = len(self)
        for start in range(0, n_events, _BLOCK):
            yield from map(Event._make, self._file.events(start, min(start + _BLOCK, n_events)))

    @overload
    def __getitem__(self, key: int) -> Event: ...

    @overload
    def __getitem__(self, key: slice) -> Events: ...

    def __getitem__(self, key: int | slice) -> Event | Events:
        if isinstance(key, slice):
            rows = range(*key.indices(len(self)))
            return Events(self._file.select(in_order(rows), len(rows)))
        wanted = index(key)
        event = wanted + len(self) if wanted < 0 else wanted
        if not 0 <= event < len(self):
            raise IndexError(f"there is no event {wanted} among {len(self)} events")
        return Event._make(self._file.events(event, event + 1)[0])

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else repr(self.path)
        counts = f"{len(self)} events, {self.n_tokens} tokens, {self.n_cues} cues, {self.n_outcomes} outcomes"
        return f"<Events: {counts}; {where}>"

    def counts(self, side: Literal["cues", "outcomes"]) -> pandas.Series[int]:
        """In how many tokens each cue or outcome occurs, as a pandas Series indexed by name.

        Parameters
        ----------
        side : {"cues", "outcomes"}
            Whose counts.

        Returns
        -------
        pandas.Series of int64
            `cue_counts` or `outcome_counts`, with the names in order of first appearance as index.

        Raises
        ------
        ImportError
            When pandas is not installed: ``pip install 'rescorla[pandas]'``.

        See Also
        --------
        filter : takes a table of counts as a list of names.
        bandsample : draws names by their counts.

        Examples
        --------
        >>> import rescorla as rw
        >>> counts = rw.read_events([("a_b", "x"), ("b", "y", 3)]).counts("cues")
        >>> int(counts["b"]), counts.idxmin()
        (4, 'a')

        ``counts.to_csv("counts.tab", sep="\\t", quoting=csv.QUOTE_NONE)`` writes a table that `filter` takes,
        and pyndl's ``load_counter``. Without `quoting` pandas would put quotes about names that have some.
        """
        one_of("side", side, ("cues", "outcomes"))
        try:
            from pandas import Index, Series
        except ImportError as error:
            raise ImportError("counts with names need pandas: pip install 'rescorla[pandas]'") from error
        cues = side == "cues"
        counts = self.cue_counts if cues else self.outcome_counts
        return Series(
            counts, Index(self.cues if cues else self.outcomes, dtype=object, name=side), name="frequency"
        )

    def cue_matrix(self) -> csr_array:
        """Which cues each event has, as a sparse matrix.

        Returns
        -------
        scipy.sparse.csr_array of int64, n_events x n_cues
            How often each event lists each cue: 1, or more where duplicates are kept. Frequencies are apart.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a_b", "x"), ("b_b", "y")], duplicates="keep")
        >>> events.cue_matrix().toarray()
        array([[1, 1],
               [0, 2]])
        """
        return self._matrix("cues", self.n_cues)

    def outcome_matrix(self) -> csr_array:
        """Which outcomes each event has, as a sparse matrix.

        Returns
        -------
        scipy.sparse.csr_array of int64, n_events x n_outcomes
            How often each event lists each outcome. Frequencies are apart.

        Examples
        --------
        >>> import rescorla as rw
        >>> rw.read_events([("a", "x_y"), ("b", "y")]).outcome_matrix().toarray()
        array([[1, 1],
               [0, 1]])
        """
        return self._matrix("outcomes", self.n_outcomes)

    def _matrix(self, side: Literal["cues", "outcomes"], n_names: int) -> csr_array:
        try:
            from scipy.sparse import csr_array
        except ImportError as error:
            raise ImportError("sparse matrices need scipy: pip install 'rescorla[scipy]'") from error
        indptr, indices = self._file.csr(side)
        ones = np.ones(len(indices), dtype=np.int64)
        # Some of scikit-learn takes 32-bit indices only.
        index = np.int32 if max(len(indices), n_names) <= np.iinfo(np.int32).max else np.int64
        indices, indptr = indices.astype(index, copy=False), indptr.astype(index, copy=False)
        matrix = csr_array((ones, indices, indptr), shape=(len(self), n_names))
        matrix.sum_duplicates()
        return matrix

    def save(self, path: PathName) -> Events:
        """Write a binary event file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            Where; an older file of that name is replaced.

        Returns
        -------
        Events
            The new file, opened.

        Examples
        --------
        >>> import rescorla as rw, os, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "events.rw")
        >>> saved = rw.read_events([("a", "x")]).save(path)
        >>> rw.open_events(path)[0].cues
        ('a',)
        >>> del saved; folder.cleanup()
        """
        return Events(self._file.save(path_name(path)))

    def to_table(self, path: PathName, *, progress: Progress = None) -> None:
        """Write the events as a text table that `read_events` and pyndl read.

        Parameters
        ----------
        path : str or path-like
            Where; an older file of that name is replaced.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Raises
        ------
        ValueError
            When a name contains ``_``, a tab or a line break, which tables cannot hold.
        """
        with watching(progress, "writing") as watch:
            self._file.to_table(path_name(path), watch)

    def verify(self, *, progress: Progress = None) -> None:
        """Read everything and check it against its checksums; opening a file checks its frame only.

        Parameters
        ----------
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Raises
        ------
        FormatError
            When a part is damaged; the message names the part.
        """
        with watching(progress, "verifying") as watch:
            self._file.verify(watch)

    def info(self) -> dict[str, Any]:
        """Counts, encoding and size of the binary form.

        Returns
        -------
        dict
            Keys and values as ``rescorla info`` prints them.
        """
        return self._file.info()


@hinting
def open_events(path: PathName) -> Events:
    """Open a binary event file without reading it: the system maps it, and parts come in when they are used.

    Parameters
    ----------
    path : str or path-like
        A file written by `compile_events`, `corpus_events` or `Events.save`.

    Returns
    -------
    Events

    Raises
    ------
    FormatError
        When it is no event file, or a damaged one.
    OSError
        When it cannot be read.

    Notes
    -----
    A mapped file must not be cut short by another process while it is open: the system then ends this process
    with SIGBUS. Files written by this package are replaced, never changed in place.

    Examples
    --------
    >>> import os, tempfile
    >>> import rescorla as rw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "blocking.rw")
    ...     _ = rw.compile_events([("light", "shock", 20), ("light_tone", "shock", 20)], path)
    ...     rw.open_events(path).n_tokens
    40
    """
    return Events(_core.EventFile.open(path_name(path)))
