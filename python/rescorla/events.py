"""Streams of learning events, and other events made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np

from rescorla import _core
from rescorla.arguments import PathName, path_name
from rescorla.progress import Progress, watching

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

Seed: TypeAlias = "int | np.random.Generator | np.random.SeedSequence"

# Events decoded at a time when iterating: enough that the crossing into Rust costs nothing, few enough for
# any memory.
_BLOCK = 4096

# Events picked at a time when making other events of these, and at most so many parts of a permutation:
# enough that crossing into Rust costs nothing, few enough that Ctrl-C and the progress bar need not wait.
_PICKED = 1 << 18
_PARTS = 1 << 10


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
        In how many tokens each name occurs; a cue that one event keeps twice counts twice.
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

    __slots__ = ("_cues", "_file", "_outcomes")

    def __init__(self, file: _core.EventFile) -> None:
        self._file = file
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
        """In how many tokens each outcome occurs."""
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
            return Events(self._file.select(_in_order(rows), len(rows)))
        wanted = index(key)
        event = wanted + len(self) if wanted < 0 else wanted
        if not 0 <= event < len(self):
            raise IndexError(f"there is no event {wanted} among {len(self)} events")
        return Event._make(self._file.events(event, event + 1)[0])

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else repr(self.path)
        counts = f"{len(self)} events, {self.n_tokens} tokens, {self.n_cues} cues, {self.n_outcomes} outcomes"
        return f"<Events: {counts}; {where}>"

    def sample(self, n: int, seed: Seed, *, progress: Progress = None) -> Events:
        """Tokens drawn at random with replacement: each time, every token is as likely as any other.

        Parameters
        ----------
        n : int
            How many tokens to draw, 0 or more.
        seed : int, numpy.random.Generator or numpy.random.SeedSequence
            Where the random numbers come from: anything for `numpy.random.default_rng` but None. The same
            seed gives the same events. A Generator goes on from where it is.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory: n events of frequency 1, equal neighbours not merged. All names stay, in their order.

        Raises
        ------
        ValueError
            When n is negative, or there are no tokens.
        TypeError
            When the seed is None or of a wrong type.

        Notes
        -----
        Besides the result this takes 16 bytes for each event, and at most 256 MiB for decoded events.

        See Also
        --------
        convergence : what learning from such a sample tends to.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 900), ("b", "y", 100)])
        >>> sample = events.sample(1000, seed=1)
        >>> sample
        <Events: 1000 events, 1000 tokens, 2 cues, 2 outcomes; in memory>
        >>> bool(850 < sample.cue_counts[0] < 950)
        True
        """
        n, random = _count("n", n), _generator(seed)
        ends = np.cumsum(self.frequencies)
        if self.n_tokens == 0:
            raise ValueError("a sample needs tokens to draw from; these events have none")

        def drawn() -> Iterator[NDArray[np.int64]]:
            for done in range(0, n, _PICKED):
                tokens = random.integers(self.n_tokens, size=min(_PICKED, n - done))
                yield np.searchsorted(ends, tokens, side="right")

        return self._tokens(drawn(), n, progress)

    def passes(self, n: int, seed: Seed | None = None, *, progress: Progress = None) -> Events:
        """The events n times over, each time in a fresh random order of the tokens, or in their own order.

        Parameters
        ----------
        n : int
            How many passes, 0 or more.
        seed : int, numpy.random.Generator or numpy.random.SeedSequence, optional
            As for `sample`. Each pass is a permutation of all tokens, as likely as any other, independent of
            the other passes. None: each pass is in the order of the events, and these keep their frequencies.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory: with a seed n times n_tokens events of frequency 1, else n times the events. All names
            stay, in their order.

        Raises
        ------
        ValueError
            When n is negative.
        TypeError
            When the seed is of a wrong type.

        Notes
        -----
        With a seed this takes, besides the result, 16 bytes for each event, 5 for each token of one pass, and
        at most 256 MiB for decoded events.

        See Also
        --------
        shuffled : one pass in random order.
        sample : tokens drawn with replacement.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 2), ("b", "y")])
        >>> passes = events.passes(3, seed=5)
        >>> [sorted(event.cues[0] for event in passes[start : start + 3]) for start in (0, 3, 6)]
        [['a', 'a', 'b'], ['a', 'a', 'b'], ['a', 'a', 'b']]
        >>> [(event.cues[0], event.frequency) for event in events.passes(2)]
        [('a', 2), ('b', 1), ('a', 2), ('b', 1)]
        """
        if seed is None:
            return self.repeated(n, progress=progress)
        n, random = _count("n", n), _generator(seed)
        frequencies = self.frequencies
        orders = (order for _ in range(n) for order in _permutation(frequencies, random))
        return self._tokens(orders, n * self.n_tokens, progress)

    def shuffled(self, seed: Seed, *, progress: Progress = None) -> Events:
        """All tokens once, in a random order: ``passes(1, seed)``.

        Parameters
        ----------
        seed : int, numpy.random.Generator or numpy.random.SeedSequence
            As for `sample`.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory: n_tokens events of frequency 1. All names stay, in their order.

        Raises
        ------
        TypeError
            When the seed is None or of a wrong type.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 3), ("b", "y", 2)])
        >>> sorted(event.cues[0] for event in events.shuffled(seed=2))
        ['a', 'a', 'a', 'b', 'b']
        """
        return self.passes(1, _generator(seed), progress=progress)

    def repeated(self, n: int, *, progress: Progress = None) -> Events:
        """The events n times over, in their order.

        Parameters
        ----------
        n : int
            How many times, 0 or more.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory: n times the events, with their frequencies. All names stay, in their order.

        Raises
        ------
        ValueError
            When n is negative.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 2), ("b", "y")]).repeated(2)
        >>> [(event.cues[0], event.frequency) for event in events]
        [('a', 2), ('b', 1), ('a', 2), ('b', 1)]
        """
        n = _count("n", n)
        blocks = (block for _ in range(n) for block in _in_order(range(len(self))))
        with watching(progress, "repeating") as watch:
            return Events(self._file.select(blocks, n * len(self), progress=watch))

    def with_background(self, name: str, *, progress: Progress = None) -> Events:
        """The events with one more cue that is always there, as `read_events` adds it.

        Parameters
        ----------
        name : str
            The background cue: the first of all cues, and the first cue of every event. No cue has this name
            yet.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory. The names of the other cues and of the outcomes follow in their order.

        Raises
        ------
        ValueError
            When a cue has that name.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a", "x", 2), ("", "y")]).with_background("Environ")
        >>> events.cues
        ('Environ', 'a')
        >>> [event.cues for event in events]
        [('Environ', 'a'), ('Environ',)]
        """
        if not isinstance(name, str):
            raise TypeError(f"a background cue is named by a str, not by {type(name).__name__}")
        if name in self.cues:
            raise ValueError(f"background {name!r} is a cue of the events already; choose another name")
        with watching(progress, "adding a cue") as watch:
            blocks = _in_order(range(len(self)))
            return Events(self._file.select(blocks, len(self), background=name, progress=watch))

    def _tokens(self, blocks: Iterable[NDArray[np.int64]], n: int, progress: Progress) -> Events:
        """Events of frequency 1, by the numbers of those to take."""
        with watching(progress, "drawing") as watch:
            return Events(self._file.select(blocks, n, tokens=True, progress=watch))

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


def _in_order(rows: range) -> Iterator[NDArray[np.int64]]:
    """The numbers of a range in blocks."""
    for start in range(0, len(rows), _PICKED):
        block = rows[start : start + _PICKED]
        yield np.arange(block.start, block.stop, block.step, dtype=np.int64)


def _permutation(frequencies: NDArray[np.int64], random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """The events of all tokens in a random order, in blocks.

    Each token goes to one of the blocks at random, and each block is shuffled: a permutation, each as likely
    as any other (Rao 1961, Sandelius 1962). No step is long, and none jumps about in memory.
    """
    ends = np.cumsum(frequencies)
    n_tokens = int(ends[-1]) if len(ends) else 0
    n_parts = min(-(-n_tokens // _PICKED), _PARTS)
    number = np.uint32 if len(ends) < 1 << 32 else np.int64
    parts: list[list[NDArray[Any]]] = [[] for _ in range(n_parts)]
    for start in range(0, n_tokens, _PICKED):
        tokens = np.arange(start, min(start + _PICKED, n_tokens))
        events = np.searchsorted(ends, tokens, side="right").astype(number)
        part_of = random.integers(n_parts, size=len(events), dtype=np.uint16)
        by_part = events[np.argsort(part_of, kind="stable")]
        counts = np.bincount(part_of, minlength=n_parts)
        for part, some in zip(parts, np.split(by_part, np.cumsum(counts)[:-1]), strict=True):
            part.append(some)
    for part in parts:
        block = np.concatenate(part)
        part.clear()
        random.shuffle(block)
        yield block.astype(np.int64)


def _generator(seed: Seed) -> np.random.Generator:
    if seed is None:
        raise TypeError("seed must be an int, a numpy Generator or a SeedSequence, not None")
    return np.random.default_rng(seed)


def _count(argument: str, value: int) -> int:
    count = index(value)
    if count < 0:
        raise ValueError(f"{argument} must be 0 or more, not {count}")
    return count
