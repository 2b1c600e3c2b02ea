"""Streams of learning events."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from numbers import Integral, Real
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, overload

import numpy as np

import rescorla._core as _core
from rescorla._core import FormatError
from rescorla._events import frames, order, preview
from rescorla._events.made import made_of, parameters_of
from rescorla._events.names import Map, Names
from rescorla._events.phases import Phase, phases_in, phases_of, stored_phases
from rescorla._events.renaming import Renaming
from rescorla._shared.checks import (
    DUPLICATES,
    Duplicates,
    PathName,
    Seed,
    Side,
    flag,
    generator,
    maybe_path_name,
    one_of,
    path_name,
    plain,
    several,
    shown,
    string,
    whole,
)
from rescorla._shared.optional import need
from rescorla._shared.progress import Progress, part, watching
from rescorla._shared.warn import warn

if TYPE_CHECKING:
    import pandas
    import polars
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


class Events:
    """A sequence of learning events with their names, in memory or mapped from a binary event file.

    Made by `read_events`, `corpus_events`, `design` and `open_events`. ``len(events)`` counts rows; a row of
    frequency f stands for f tokens in a row. Iterating and indexing give `Event`. A slice, a list or array of
    positions (negative ones count from the end), or a mask (an array with a truth value for each event) gives
    Events in memory. They keep all names, so that what is learned from parts fits together.

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
       cues  outcomes  frequency
    0  a_b   x                 1
    1  a     y                 3
    >>> events[1]
    Event(cues=('a',), outcomes=('y',), frequency=3)
    >>> dict(zip(events.cues, events.cue_counts.tolist()))
    {'a': 4, 'b': 1}
    >>> [event.outcomes for event in events[[-1, 0, 0]]]
    [('y',), ('x',), ('x',)]
    >>> events[events.frequencies > 1].n_tokens
    3
    """

    __slots__ = ("_cues", "_digest", "_file", "_outcomes", "_place")

    def __init__(self, file: _core.EventFile) -> None:
        self._file = file
        self._cues: tuple[str, ...] | None = None
        self._outcomes: tuple[str, ...] | None = None
        self._digest: str | None = None
        # A pickle needs it, and by then the process may work in another folder.
        self._place = None if file.path is None else os.path.abspath(file.path)

    @property
    def digest(self) -> str:
        """The SHA-256 of names and events, in hex: the same for a file, its copies and its events in memory.

        It is computed from the names and the checksums of the chunks, so events are not read for it. It
        depends on how the file was written: the same events, written in another way, may have another digest.

        Examples
        --------
        >>> import rescorla as rw
        >>> one, other = (
        ...     rw.read_events([("a_b", "x"), ("a", "y", 3)]) for _ in range(2)
        ... )
        >>> one.digest == other.digest, len(one.digest)
        (True, 64)
        """
        if self._digest is None:
            digest = sha256()
            self._file.digest(digest.update)
            self._digest = digest.hexdigest()
        return self._digest

    @property
    def parameters(self) -> dict[str, Any]:
        """What made the events: the function, its source and its options, and the version of rescorla.

        Events made of other events have the parameters of those as ``"of"``, up to 32 steps back. Files are
        named without their folders, and no time is recorded. What JSON cannot hold, and lists of more than
        1,000, are named in angle brackets: ``"<function stem>"``, ``"<list of 20,000>"``. Phases are there as
        lists ``[start, stop]``. Of a file without parameters, such as older versions wrote, this is empty.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a_b", "x")], background="here").head(1)
        >>> made = events.parameters
        >>> (
        ...     made["function"],
        ...     made["n"],
        ...     made["of"]["function"],
        ...     made["of"]["background"],
        ... )
        ('Events.head', 1, 'read_events', 'here')
        """
        return parameters_of(self._file)

    @property
    def phases(self) -> dict[str, Phase]:
        """Where each phase of a design lies: which rows are its events, and which of the tokens are its own.

        A mapping from the names of the phases, in their order, to records with the ranges ``rows`` and
        ``tokens``; empty where events have no phases. ``events[phase.rows]`` are the events of a phase, and
        after ``phase.tokens.stop`` tokens `trajectories` records what the phase taught.

        Files and pickles keep phases. So do contiguous slices, `head`, and `split` without a seed, for the
        rows that they take; `with_background` and `swapped`; `read_events` of events; and `concat_events`,
        unless two phases have the same name. Events made in other ways (by `filter`, `distinct`, `sample`,
        `passes`, positions or masks) have no phases.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.design("train: A+ 40 | test: AB+ 10 / X?")
        >>> events.phases["train"]
        Phase(rows=range(0, 1), tokens=range(0, 40))
        >>> events[events.phases["test"].rows].n_tokens
        10
        """
        return phases_of(self._file)

    def __reduce__(self) -> tuple[Callable[..., Events], tuple[Any, ...]]:
        """Pickles have the path of a file and its digest, or the bytes of events in memory."""
        if self._place is None:
            return _in_memory, (self._file.content(),)
        return _reopened, (self._place, self.digest, self._file.mapped)

    def __copy__(self) -> Events:
        return Events(self._file)

    def __deepcopy__(self, memo: object) -> Events:
        # They never change.
        return Events(self._file)

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "rescorla.Events", self.digest

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
    def __getitem__(self, key: slice | Sequence[int] | NDArray[np.integer[Any] | np.bool_]) -> Events: ...

    def __getitem__(
        self, key: int | slice | Sequence[int] | NDArray[np.integer[Any] | np.bool_]
    ) -> Event | Events:
        """An event by its number, or Events in memory by a slice, an array of numbers or a mask, as numpy."""
        if isinstance(key, range) and key.step == 1 and 0 <= key.start <= key.stop <= len(self):
            key = slice(key.start, key.stop)
        if isinstance(key, slice):
            rows = range(*key.indices(len(self)))
            made = made_of(
                self._file,
                "slice",
                stored_phases(phases_in(self._file, rows)),
                start=rows.start,
                stop=rows.stop,
                step=rows.step,
            )
            return Events(self._file.select(order.in_order(rows), len(rows), parameters=made))
        if (chosen := order.positions(key, len(self))) is not None:
            made = made_of(self._file, "positions", positions=chosen)
            return Events(self._file.select(order.in_blocks(chosen), len(chosen), parameters=made))
        if isinstance(key, tuple):
            listed = list(map(plain, key))
            raise IndexError(f"events have one dimension; write events[{listed!r}] for several of them")
        wanted = index(key)  # type: ignore[arg-type]
        event = wanted + len(self) if wanted < 0 else wanted
        if not 0 <= event < len(self):
            raise IndexError(f"there is no event {wanted} among {len(self)} events")
        return Event._make(self._file.events(event, event + 1)[0])

    def __repr__(self) -> str:
        return "\n".join([self._head(), *preview.text_of(self._file)])

    def _repr_html_(self) -> str:
        """The first and last events, for a notebook."""
        return preview.html_of(self._head(), self._file)

    def _head(self) -> str:
        where = "in memory" if self.path is None else repr(self.path)
        counts = f"{len(self)} events, {self.n_tokens} tokens, {self.n_cues} cues, {self.n_outcomes} outcomes"
        return f"<Events: {counts}; {where}>"

    def counts(self, side: Side) -> pandas.Series[int]:
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

        ``counts.to_csv("counts.tab", sep="\\t", quoting=csv.QUOTE_NONE)`` writes a table that `filter` and
        pyndl's ``load_counter`` take. Without `quoting`, pandas would put quotes around names that contain
        quotes.
        """
        one_of("side", side, ("cues", "outcomes"))
        pd = need("pandas")
        cues = side == "cues"
        counts = self.cue_counts if cues else self.outcome_counts
        names = pd.Index(self.cues if cues else self.outcomes, dtype=object, name=side)
        series: pandas.Series[int] = pd.Series(counts, names, name="frequency")
        return series

    def cue_matrix(self) -> csr_array:
        """Which cues each event has, as a sparse matrix.

        Returns
        -------
        scipy.sparse.csr_array of int64, n_events x n_cues
            How often each event lists each cue: 1, or more where duplicates are kept. Frequencies are not
            counted in.

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
            How often each event lists each outcome. Frequencies are not counted in.

        Examples
        --------
        >>> import rescorla as rw
        >>> rw.read_events([("a", "x_y"), ("b", "y")]).outcome_matrix().toarray()
        array([[1, 1],
               [0, 1]])
        """
        return self._matrix("outcomes", self.n_outcomes)

    def _matrix(self, side: Side, n_names: int) -> csr_array:
        sparse = need("scipy.sparse")
        indptr, indices = self._file.csr(side)
        ones = np.ones(len(indices), dtype=np.int64)
        # Some of scikit-learn takes 32-bit indices only.
        index = np.int32 if max(len(indices), n_names) <= np.iinfo(np.int32).max else np.int64
        indices, indptr = indices.astype(index, copy=False), indptr.astype(index, copy=False)
        matrix: csr_array = sparse.csr_array((ones, indices, indptr), shape=(len(self), n_names))
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
            Where; an older file of that name is replaced. A name that ends in ``.gz``, ``.xz`` or ``.zst``
            makes a compressed table. One that ends in ``.csv`` (or ``.csv.gz`` ...) makes a table with commas
            and quoted names; all others have tabs.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Raises
        ------
        ValueError
            When a name contains ``_``, a tab or a line break, which tables cannot hold (those with commas can
            hold tabs and line breaks).
        OSError
            When the file cannot be written. The older one is then as it was.

        Examples
        --------
        >>> import rescorla as rw, pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name, "events.csv")
        >>> events = rw.read_events([("a_b", "x"), ("b", "y", 2)])
        >>> events.to_table(path)
        >>> print(path.read_text(), end="")
        "cues","outcomes","frequency"
        "a_b","x",1
        "b","y",2
        >>> folder.cleanup()
        """
        with watching(progress, "writing", "events", len(self)) as watch:
            self._file.to_table(path_name(path), watch)

    def to_pandas(self) -> pandas.DataFrame:
        """The events as a pandas DataFrame, which `read_events` reads back.

        Returns
        -------
        pandas.DataFrame, n_events rows
            Columns ``cues`` and ``outcomes``, whose entries are lists of names, and ``frequency``, int64. The
            index counts events from 0.

        Raises
        ------
        ImportError
            When pandas is not installed: ``pip install 'rescorla[pandas]'``.

        Notes
        -----
        All events are decoded, and each becomes two lists in memory. Names that no event has are not in the
        table. Where an event keeps a name twice, ``read_events(frame, duplicates="keep")`` gives the same
        events.

        See Also
        --------
        to_table : a text table, event by event.
        cue_matrix, outcome_matrix : sparse matrices.

        Examples
        --------
        >>> import rescorla as rw
        >>> frame = rw.read_events([("a_b", "x"), ("a", "y", 3)]).to_pandas()
        >>> frame["cues"].tolist(), frame["frequency"].tolist()
        ([['a', 'b'], ['a']], [1, 3])
        >>> rw.read_events(frame[frame["frequency"] > 1])
        <Events: 1 events, 3 tokens, 1 cues, 1 outcomes; in memory>
           cues  outcomes  frequency
        0  a     y                 3
        """
        return frames.to_pandas(self._file)

    def to_polars(self) -> polars.DataFrame:
        """The events as a polars DataFrame, which `read_events` reads back.

        Returns
        -------
        polars.DataFrame, n_events rows
            Columns ``cues`` and ``outcomes`` of type ``List(String)``, and ``frequency`` of type ``Int64``.

        Raises
        ------
        ImportError
            When polars is not installed: ``pip install 'rescorla[polars]'``.

        Notes
        -----
        As for `to_pandas`.

        Examples
        --------
        >>> import rescorla as rw
        >>> frame = rw.read_events([("a_b", "x"), ("a", "y", 3)]).to_polars()
        >>> frame.columns, frame["cues"].to_list()
        (['cues', 'outcomes', 'frequency'], [['a', 'b'], ['a']])
        """
        return frames.to_polars(self._file)

    def verify(self, *, progress: Progress = None) -> None:
        """Read everything and check it against its checksums; opening a file checks all but its chunks.

        Parameters
        ----------
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Raises
        ------
        FormatError
            When a part is damaged; the message names the part.
        """
        with watching(progress, "verifying", "events") as watch:
            self._file.verify(watch)

    def info(self) -> dict[str, Any]:
        """Counts, encoding and size of the binary form.

        Returns
        -------
        dict
            Keys and values as ``rescorla info`` prints them.
        """
        return self._file.info()

    def sample(self, n: int, seed: Seed, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """Tokens drawn at random with replacement: each time, every token is as likely as any other.

        Parameters
        ----------
        n : int
            How many tokens to draw, 0 or more.
        seed : int, numpy.random.Generator or numpy.random.SeedSequence
            Where the random numbers come from. The same seed gives the same events. A Generator goes on from
            where it is.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file: n events of frequency 1, equal neighbours not merged. All names stay,
            in their order.

        Raises
        ------
        ValueError
            When n or the seed is negative, or there are no tokens.
        TypeError
            When the seed is of a wrong type.

        Notes
        -----
        Besides a result in memory this takes 16 bytes for each event, and at most 256 MiB for decoded events.

        See Also
        --------
        convergence : what learning from such a sample tends to.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 900), ("b", "y", 100)])
        >>> sample = events.sample(1000, seed=1)
        >>> len(sample), sample.n_tokens
        (1000, 1000)
        >>> bool(850 < sample.cue_counts[0] < 950)
        True
        """
        n, random = whole("n", n), generator(seed)
        n_tokens, ends = self.n_tokens, np.cumsum(self.frequencies)
        if n_tokens == 0:
            raise ValueError("these events have no tokens to draw from")

        def drawn() -> Iterator[NDArray[np.int64]]:
            for done in range(0, n, order.PICKED):
                tokens = random.integers(n_tokens, size=min(order.PICKED, n - done))
                yield np.searchsorted(ends, tokens, side="right")

        made = made_of(self._file, "sample", n=n, seed=seed)
        return self._select(drawn(), n, "drawing", path, progress, tokens=True, parameters=made)

    def passes(
        self, n: int, seed: Seed | None = None, *, path: PathName | None = None, progress: Progress = None
    ) -> Self:
        """The events n times over, each time in a fresh random order of the tokens, or in their own order.

        Parameters
        ----------
        n : int
            How many passes, 0 or more.
        seed : int, numpy.random.Generator or numpy.random.SeedSequence, optional
            As for `sample`. Each pass is a permutation of all tokens, as likely as any other, independent of
            the other passes. None: each pass is in the order of the events, and these keep their frequencies.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file: with a seed n times n_tokens events of frequency 1, else n times the
            events. All names stay, in their order.

        Raises
        ------
        ValueError
            When n or the seed is negative.
        TypeError
            When the seed is of a wrong type.

        Notes
        -----
        With a seed this takes, besides a result in memory, 16 bytes for each event, 5 for each token of one
        pass, and at most 256 MiB for decoded events.

        See Also
        --------
        shuffled : one pass in random order.
        sample : tokens drawn with replacement.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 2), ("b", "y")])
        >>> passes = events.passes(3, seed=5)
        >>> [
        ...     sorted(event.cues[0] for event in passes[start : start + 3])
        ...     for start in (0, 3, 6)
        ... ]
        [['a', 'a', 'b'], ['a', 'a', 'b'], ['a', 'a', 'b']]
        >>> [(event.cues[0], event.frequency) for event in events.passes(2)]
        [('a', 2), ('b', 1), ('a', 2), ('b', 1)]
        """
        n = whole("n", n)
        made = made_of(self._file, "passes", n=n, seed=seed)
        if seed is None:
            blocks = (block for _ in range(n) for block in order.in_order(range(len(self))))
            return self._select(blocks, n * len(self), "repeating", path, progress, parameters=made)
        random, frequencies = generator(seed), self.frequencies
        blocks = (block for _ in range(n) for block in order.permutation(frequencies, random))
        n_events = n * self.n_tokens
        return self._select(blocks, n_events, "drawing", path, progress, tokens=True, parameters=made)

    def shuffled(self, seed: Seed, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """All tokens once, in a random order: ``passes(1, seed)``.

        Parameters
        ----------
        seed : int, numpy.random.Generator or numpy.random.SeedSequence
            As for `sample`.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file: n_tokens events of frequency 1. All names stay, in their order.

        Raises
        ------
        TypeError
            When the seed is of a wrong type.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 3), ("b", "y", 2)])
        >>> sorted(event.cues[0] for event in events.shuffled(seed=2))
        ['a', 'a', 'a', 'b', 'b']
        """
        # Without a seed there would be no order to draw.
        generator(seed)
        return self.passes(1, seed, path=path, progress=progress)

    def with_background(self, name: str, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """The events with one more cue that is always there, as `read_events` adds it.

        Parameters
        ----------
        name : str
            The background cue: the first of all cues, and the first cue of every event. No cue has this name
            yet.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file. The names of the other cues and of the outcomes follow in their order.

        Raises
        ------
        ValueError
            When a cue has that name.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 2), ("", "y")])
        >>> events = events.with_background("Environ")
        >>> events.cues
        ('Environ', 'a')
        >>> [event.cues for event in events]
        [('Environ', 'a'), ('Environ',)]
        """
        if string("name", name) in self.cues:
            raise ValueError(f"name {name!r} is a cue of the events already; choose another name")
        rows = range(len(self))
        made = made_of(self._file, "with_background", stored_phases(phases_in(self._file, rows)), name=name)
        return self._select(
            order.in_order(rows), len(rows), "adding a cue", path, progress, background=name, parameters=made
        )

    def distinct(
        self,
        frequencies: Literal["sum", "one"] = "sum",
        *,
        path: PathName | None = None,
        progress: Progress = None,
    ) -> Self:
        """Each different event once, where it first stood.

        Events are equal if they have the same cues and the same outcomes, in any order. A name that an event
        keeps twice counts twice: ``a_a`` differs from ``a``.

        Parameters
        ----------
        frequencies : {"sum", "one"}, default "sum"
            How often each of the new events occurs: as often as all that equal it together, or once. An event
            that has the frequency 0 wherever it stands keeps it either way.
        path : str or path-like, optional
            A binary event file to write, other than that of these events; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file. Each event lists its names in the order of the first that equals it.
            All names stay, in their order, also those that no event has. Phases do not stay.

        Raises
        ------
        ValueError
            When `frequencies` is another word; when a sum is more than 4,294,967,295, the greatest frequency.
        FormatError
            When a file is damaged.
        OSError
            When a file cannot be read or written.

        Warns
        -----
        RescorlaWarning
            When the events have phases.

        See Also
        --------
        equilibrium : does not depend on the order of events, so it is the same for the sums.

        Notes
        -----
        Learning depends on the order of events, so it gives other weights for them.

        The events are read twice. Besides a result in memory this takes memory for the names, and for each
        different event about 4 bytes for each of its names and 50 more, however many events there are.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a_b", "x"), ("a", "y"), ("b_a", "x", 3)])
        >>> events.distinct()
        <Events: 2 events, 5 tokens, 2 cues, 2 outcomes; in memory>
           cues  outcomes  frequency
        0  a_b   x                 4
        1  a     y                 1
        >>> events.distinct("one").frequencies
        array([1, 1])
        """
        one_of("frequencies", frequencies, ("sum", "one"))
        where = maybe_path_name(path)
        made = made_of(self._file, "distinct", frequencies=frequencies)
        if phases := self.phases:
            warn(
                "these events have phases, and distinct events have none, for equal events of several phases "
                f"are one; those of a phase alone are events[events.phases[{next(iter(phases))!r}].rows]"
            )
        with watching(progress, "finding equal events", "events", len(self)) as watch:
            return type(self)(self._file.distinct(frequencies, where, watch, parameters=made))

    def swapped(self, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """The events with outcomes as cues and cues as outcomes: to learn the other way round.

        Parameters
        ----------
        path : str or path-like, optional
            A binary event file to write, other than that of these events; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file: as many events, in their order, with their frequencies. All names stay,
            in their order, also within each event. Phases stay, too.

        Raises
        ------
        FormatError
            When a file is damaged.
        OSError
            When a file cannot be read or written.

        Notes
        -----
        An event without outcomes becomes one without cues, which teaches nothing.

        Besides a result in memory this takes memory for the names, at most 256 MiB for the event types of the
        file that is read, and as much for those of the new one, however many events there are.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("furry_barks", "dog"), ("furry_meows", "cat", 2)])
        >>> events.swapped()
        <Events: 2 events, 3 tokens, 2 cues, 3 outcomes; in memory>
           cues  outcomes     frequency
        0  dog   furry_barks          1
        1  cat   furry_meows          2
        """
        made = made_of(self._file, "swapped", stored_phases(phases_in(self._file, range(len(self)))))
        with watching(progress, "swapping", "events") as watch:
            return type(self)(self._file.swapped(maybe_path_name(path), watch, parameters=made))

    def filter(
        self,
        *,
        keep_cues: Names | None = None,
        keep_outcomes: Names | None = None,
        remove_cues: Names | None = None,
        remove_outcomes: Names | None = None,
        cue_map: Map | None = None,
        outcome_map: Map | None = None,
        min_cue_count: int | None = None,
        min_outcome_count: int | None = None,
        max_cues: int | None = None,
        max_outcomes: int | None = None,
        duplicates: Duplicates = "drop",
        path: PathName | None = None,
        progress: Progress = None,
    ) -> Self:
        """The events with some names only, or with other names.

        An event that loses all its cues is dropped: it would teach nothing. An event that loses its outcomes
        stays: it teaches that they were absent.

        Parameters
        ----------
        path : str or path-like, optional
            A binary event file to write, other than that of these events; None keeps the events in memory.
        keep_cues, keep_outcomes : iterable of str, or pathlib.Path, optional
            The names that stay; others are removed. Names that the events lack are ignored, with a warning if
            they have none of the names. A mapping, such as what `bandsample` returns, gives its keys. A path
            is that of a text file, one name a line, plain or compressed: see Notes.
        remove_cues, remove_outcomes : iterable of str, or pathlib.Path, optional
            The names that are removed; others stay.
        cue_map, outcome_map : mapping from str, or pathlib.Path, optional
            For each name that stays, what it becomes: a str is names joined by ``_``, another iterable of str
            gives names verbatim. Names that the map lacks, or maps to ``""`` or an empty iterable, are
            removed. A path is that of a text file of two columns: see Notes.
        min_cue_count, min_outcome_count : int, optional
            Names in fewer tokens are removed.
        max_cues, max_outcomes : int, optional
            Of all names that would stay so far, keep only this many: those in the most tokens, and of equally
            frequent ones those that come first in `cues` or `outcomes`.
        duplicates : {"drop", "keep", "error"}, default "drop"
            What to do when a map gives an event a name twice: keep the first, keep both, or raise ValueError.
            Without a map names stay as often as the event lists them.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file. The names are those that stay, in their order; with a map, the new
            names, in the order of the old names that first become them. A name stays even if all its events
            are dropped.

        Raises
        ------
        ValueError
            When more than one of a list to keep, a list to remove and a map is given for cues, or for
            outcomes; when a map gives an event a name twice and `duplicates` is "error"; when a count is
            negative.
        FormatError
            When a file is damaged, or is no list or map.
        TypeError
            When a list or map is of a wrong type.
        OSError
            When a file cannot be read or written.

        Warns
        -----
        RescorlaWarning
            When the events have none of the names of a list or of a map.

        Notes
        -----
        Counts are in tokens of these events, before any event is dropped, as `counts` gives them; with a map
        they are those of the new names.

        In the file of a list the names are the first cell of each line; empty lines are left out. Cells end
        at tabs, in a file whose name ends in ``.csv`` at commas. The first line is a header if its second
        cell is ``freq`` or ``frequency``, and else a name like any other. So tables of counts can be given as
        lists: those of pyndl's ``save_counter`` and those of `counts`.

        In the file of a map each line has two such cells, a name and what it becomes: names joined by ``_``,
        or nothing. There is no header.

        Besides a result in memory this takes memory for the names, at most 256 MiB for the event types of the
        file that is read, and as much for those of the new one, however many events there are.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a_b", "x_y", 2), ("b_c", "y"), ("c", "z")])
        >>> [
        ...     tuple(event)
        ...     for event in events.filter(keep_cues=["a", "b"], remove_outcomes=["y"])
        ... ]
        [(('a', 'b'), ('x',), 2), (('b',), (), 1)]
        >>> [event.cues for event in events.filter(cue_map={"a": "A", "b": ["B", "A"]})]
        [('A', 'B'), ('B', 'A')]
        >>> events.filter(max_cues=1, min_outcome_count=2).cues
        ('b',)
        """
        one_of("duplicates", duplicates, DUPLICATES)
        cues = Renaming.of("cues", keep_cues, remove_cues, cue_map, min_cue_count, max_cues)
        outcomes = Renaming.of(
            "outcomes", keep_outcomes, remove_outcomes, outcome_map, min_outcome_count, max_outcomes
        )
        given = {
            "keep_cues": keep_cues,
            "remove_cues": remove_cues,
            "cue_map": cue_map,
            "min_cue_count": min_cue_count,
            "max_cues": max_cues,
            "keep_outcomes": keep_outcomes,
            "remove_outcomes": remove_outcomes,
            "outcome_map": outcome_map,
            "min_outcome_count": min_outcome_count,
            "max_outcomes": max_outcomes,
        }
        given = {name: value for name, value in given.items() if value is not None}
        made = made_of(self._file, "filter", **given, duplicates=duplicates)
        where, n_events = maybe_path_name(path), len(self)
        if where is not None:
            inputs = [path_name(value) for value in given.values() if isinstance(value, os.PathLike)]
            _core.check_apart(where, inputs)
        with watching(progress, "filtering", "events", n_events) as watch:
            total = (1 + cues.counts_new_names + outcomes.counts_new_names) * n_events
            new_cues = cues.names(self._file, duplicates, part(watch, 0, total))
            done = cues.counts_new_names * n_events
            new_outcomes = outcomes.names(self._file, duplicates, part(watch, done, total))
            last = part(watch, total - n_events, total)
            return type(self)(self._file.filter(new_cues, new_outcomes, where, last, parameters=made))

    def head(self, n: int, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """The first events.

        Parameters
        ----------
        n : int
            How many events (rows), 0 or more; all, if there are fewer.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        Events
            In memory or the new file. All names stay, in their order.

        Raises
        ------
        ValueError
            When n is negative.

        Examples
        --------
        >>> import rescorla as rw
        >>> rw.read_events([("a", "x", 2), ("b", "y"), ("a", "y")]).head(2)
        <Events: 2 events, 3 tokens, 2 cues, 2 outcomes; in memory>
           cues  outcomes  frequency
        0  a     x                 2
        1  b     y                 1
        """
        rows = range(min(whole("n", n), len(self)))
        made = made_of(self._file, "head", stored_phases(phases_in(self._file, rows)), n=len(rows))
        return self._select(order.in_order(rows), len(rows), "writing", path, progress, parameters=made)

    def split(
        self,
        test: float,
        seed: Seed | None = None,
        *,
        paths: tuple[PathName, PathName] | None = None,
        progress: Progress = None,
    ) -> tuple[Self, Self]:
        """The events in two parts: to learn from, and to test with.

        Parameters
        ----------
        test : float or int
            How large the second part is: a share of the events, more than 0 and less than 1 (of n events
            ``ceil(test * n)``, as scikit-learn's ``train_test_split`` has it), or a number of events.
        seed : int, numpy.random.Generator or numpy.random.SeedSequence, optional
            Draws the events of the second part at random, without replacement, each as likely as any other.
            None: the second part is the last events. Otherwise as for `sample`.
        paths : pair of paths, optional
            The binary event files to write, for the first and the second part; None keeps both in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar on a terminal and in a notebook.

        Returns
        -------
        train, test : Events
            In memory or the new files. Each event is in one of them, whole, with its frequency; both are in
            the order of the events, for the order matters to learning. All names stay in both, in their
            order, so what is learned from one fits the other.

        Raises
        ------
        ValueError
            When a part would have no events.
        TypeError
            When `test` is no number, or the seed is of a wrong type.

        See Also
        --------
        passes : ``events.passes(1, seed)`` gives each token as an event; split that if tokens of
            one event may go to both parts.

        Notes
        -----
        An event is a row: one of frequency f goes to one part with all its f tokens. Equal events in several
        rows may come into both parts. Besides results in memory this takes at most 256 MiB for decoded
        events, and with a seed 2 bytes for each event.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([(f"c{i}", "x", i) for i in range(10)])
        >>> train, test = events.split(0.2)
        >>> [event.frequency for event in test]
        [8, 9]
        >>> train, test = events.split(3, seed=1)
        >>> len(train), len(test), train.cues == test.cues == events.cues
        (7, 3, True)
        """
        n_events = len(self)
        n_test = _test_size(test, n_events)
        n_train = n_events - n_test
        where = (
            [None, None]
            if paths is None
            else [path_name(path, "paths") for path in several("paths", paths, "paths")]
        )
        if len(where) != 2 or where[0] == where[1] is not None:
            raise ValueError(f"paths must be a pair of two different paths, not {where!r}")
        if seed is None:
            rows = range(n_train), range(n_train, n_events)
            numbers = [order.in_order(each) for each in rows]
            phases = [stored_phases(phases_in(self._file, each)) for each in rows]
        else:
            chosen = np.zeros(n_events, dtype=bool)
            chosen[:n_test] = True
            generator(seed).shuffle(chosen)
            numbers, phases = [order.members(~chosen), order.members(chosen)], [{}, {}]
        with watching(progress, "splitting", "events") as watch:

            def chosen_part(which: int, begin: int, n: int) -> _core.EventFile:
                name, done = ("train", "test")[which], part(watch, begin, n_events)
                made = made_of(self._file, "split", phases[which], test=test, seed=seed, part=name)
                path = where[which]
                return self._file.select(numbers[which], n, path=path, progress=done, parameters=made)

            train, held_out = chosen_part(0, 0, n_train), chosen_part(1, n_train, n_test)
        return type(self)(train), type(self)(held_out)

    def _select(
        self,
        blocks: Iterable[NDArray[np.int64]],
        n: int,
        label: str,
        path: PathName | None,
        progress: Progress,
        **more: Any,
    ) -> Self:
        """The events of these numbers, n in all."""
        with watching(progress, label, "tokens" if more.get("tokens") else "events") as watch:
            file = self._file.select(blocks, n, path=maybe_path_name(path), progress=watch, **more)
        return type(self)(file)


def open_events(path: PathName, *, mapped: bool = True) -> Events:
    """Open a binary event file without reading it: the system maps it, and parts come in when they are used.

    Parameters
    ----------
    path : str or path-like
        A file written by `read_events`, `corpus_events` or `Events.save`.
    mapped : bool, default True
        False reads each part when it is needed instead. That suits files on network disks, which may fail or
        be cut short: this raises an error, and does not end the process.

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
    ...     _ = rw.read_events(
    ...         [("light", "shock", 20), ("light_tone", "shock", 20)], path
    ...     )
    ...     rw.open_events(path).n_tokens
    40
    """
    return Events(_core.EventFile.open(path_name(path), flag("mapped", mapped)))


def _test_size(test: float, n_events: int) -> int:
    """How many of the events are for testing."""
    if isinstance(test, bool) or not isinstance(test, Real):
        raise TypeError(f"test must be a share of the events or a number of events, not {shown(test)}")
    if not isinstance(test, Integral):
        if not 0 < test < 1:
            raise ValueError(
                f"test must be more than 0 and less than 1 where it is a share of the events, not {test}"
            )
        n_test = math.ceil(test * n_events)
    else:
        n_test = int(test)
    if not 0 < n_test < n_events:
        raise ValueError(
            f"test must leave each part one event at least, but {test} of {n_events} would leave "
            f"{n_events - n_test} to learn from and {n_test} to test with"
        )
    return n_test


def _in_memory(data: bytes) -> Events:
    """Events of a pickle."""
    return Events(_core.EventFile.of_content(data))


def _reopened(path: str, digest: str, mapped: bool) -> Events:
    """The file of a pickle, if it is still that file."""
    events = open_events(path, mapped=mapped)
    if events.digest != digest:
        raise FormatError(
            f"{path}: expected the events that were pickled, with the digest {digest}, found others, with "
            f"{events.digest}; pickle them again"
        )
    return events
