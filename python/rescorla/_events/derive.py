"""The events that can be made of events."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rescorla import _core
from rescorla._events import order
from rescorla._events.names import Map, Names
from rescorla._events.order import Seed, generator, in_order, members, permutation
from rescorla._events.renaming import Renaming
from rescorla._shared.checks import (
    DUPLICATES,
    Duplicates,
    PathName,
    maybe_path_name,
    one_of,
    path_name,
    whole,
)
from rescorla._shared.hints import hinting
from rescorla._shared.progress import Progress, part, watching

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Named as the class that users know, which is made of this one: Python's own messages have the name.
class Events:
    """What can be made of `Events`. Names keep their order, so that what is learned fits together."""

    __slots__ = ("_file",)

    def __init__(self, file: _core.EventFile) -> None:
        self._file = file

    @hinting
    def sample(self, n: int, seed: Seed, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """Tokens drawn at random with replacement: each time, every token is as likely as any other.

        Parameters
        ----------
        n : int
            How many tokens to draw, 0 or more.
        seed : int, numpy.random.Generator or numpy.random.SeedSequence
            Where the random numbers come from: anything for `numpy.random.default_rng` but None. The same
            seed gives the same events. A Generator goes on from where it is.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory or the new file: n events of frequency 1, equal neighbours not merged. All names stay,
            in their order.

        Raises
        ------
        ValueError
            When n is negative, or there are no tokens.
        TypeError
            When the seed is None or of a wrong type.

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
        >>> sample
        <Events: 1000 events, 1000 tokens, 2 cues, 2 outcomes; in memory>
        >>> bool(850 < sample.cue_counts[0] < 950)
        True
        """
        n, random = whole("n", n), generator(seed)
        ends = np.cumsum(self._file.frequencies())
        if self._file.n_tokens == 0:
            raise ValueError("a sample needs tokens to draw from; these events have none")

        def drawn() -> Iterator[NDArray[np.int64]]:
            for done in range(0, n, order.PICKED):
                tokens = random.integers(self._file.n_tokens, size=min(order.PICKED, n - done))
                yield np.searchsorted(ends, tokens, side="right")

        return self._select(drawn(), n, "drawing", path, progress, tokens=True)

    @hinting
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
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory or the new file: with a seed n times n_tokens events of frequency 1, else n times the
            events. All names stay, in their order.

        Raises
        ------
        ValueError
            When n is negative.
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
        >>> [sorted(event.cues[0] for event in passes[start : start + 3]) for start in (0, 3, 6)]
        [['a', 'a', 'b'], ['a', 'a', 'b'], ['a', 'a', 'b']]
        >>> [(event.cues[0], event.frequency) for event in events.passes(2)]
        [('a', 2), ('b', 1), ('a', 2), ('b', 1)]
        """
        if seed is None:
            return self.repeated(n, path=path, progress=progress)
        n, random = whole("n", n), generator(seed)
        frequencies = self._file.frequencies()
        orders = (order for _ in range(n) for order in permutation(frequencies, random))
        return self._select(orders, n * self._file.n_tokens, "drawing", path, progress, tokens=True)

    @hinting
    def shuffled(self, seed: Seed, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """All tokens once, in a random order: ``passes(1, seed)``.

        Parameters
        ----------
        seed : int, numpy.random.Generator or numpy.random.SeedSequence
            As for `sample`.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory or the new file: n_tokens events of frequency 1. All names stay, in their order.

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
        return self.passes(1, generator(seed), path=path, progress=progress)

    @hinting
    def repeated(self, n: int, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """The events n times over, in their order.

        Parameters
        ----------
        n : int
            How many times, 0 or more.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory or the new file: n times the events, with their frequencies. All names stay, in their
            order.

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
        n = whole("n", n)
        blocks = (block for _ in range(n) for block in in_order(range(self._file.n_events)))
        return self._select(blocks, n * self._file.n_events, "repeating", path, progress)

    @hinting
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
            None shows a bar if standard error is a terminal.

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
        >>> events = rw.read_events([("a", "x", 2), ("", "y")]).with_background("Environ")
        >>> events.cues
        ('Environ', 'a')
        >>> [event.cues for event in events]
        [('Environ', 'a'), ('Environ',)]
        """
        if not isinstance(name, str):
            raise TypeError(f"a background cue is named by a str, not by {type(name).__name__}")
        if name in self._file.cue_names():
            raise ValueError(f"background {name!r} is a cue of the events already; choose another name")
        n_events = self._file.n_events
        blocks = in_order(range(n_events))
        return self._select(blocks, n_events, "adding a cue", path, progress, background=name)

    @hinting
    def filter(
        self,
        path: PathName | None = None,
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
        progress: Progress = None,
    ) -> Self:
        """The events with some names only, or with other names.

        An event that loses all its cues is dropped: it would teach nothing. An event that loses its outcomes
        stays: it teaches that they were absent.

        Parameters
        ----------
        path : str or path-like, optional
            A binary event file to write, which may be that of these events; None keeps the events in memory.
        keep_cues, keep_outcomes : iterable of str, or pathlib.Path, optional
            The names that stay; others are removed. Names that the events lack are ignored, with a warning
            where they have none at all. A mapping, such as what `bandsample` returns, gives its keys. A path
            is that of a text file, one name a line, plain or compressed: see Notes.
        remove_cues, remove_outcomes : iterable of str, or pathlib.Path, optional
            The names that are removed; others stay.
        cue_map, outcome_map : mapping from str, or pathlib.Path, optional
            For each name that stays, what it becomes: a str is names joined by ``_``, another iterable of str
            gives names verbatim. Names that the map lacks, or maps to ``""`` or to none, are removed. A path
            is that of a text file of two columns: see Notes.
        min_cue_count, min_outcome_count : int, optional
            Names in fewer tokens are removed.
        max_cues, max_outcomes : int, optional
            Of all names that would stay so far, only so many stay: those in the most tokens, and of equally
            frequent ones those that come first in `cues` or `outcomes`.
        duplicates : {"drop", "keep", "error"}, default "drop"
            What to do when an event lists a name twice under the names of a map: keep the first, keep both,
            or raise ValueError. Without a map names stay as often as the event lists them.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory or the new file. The names are those that stay, in their order; of a map, in the order
            in which the old ones bring them up. A name stays even if all its events are dropped.

        Raises
        ------
        ValueError
            When more than one of a list to keep, a list to remove and a map is given for cues, or for
            outcomes; when a map gives an event a name twice and `duplicates` is "error"; when a count is
            negative.
        FormatError
            When a file is damaged, or no list or map.
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

        In the file of a list the names are what stands before the first tab of each line; empty lines are
        left out. The first line is a header if its second cell is ``freq`` or ``frequency``, and else a name
        like any other. So tables of counts are lists: those of pyndl's ``save_counter``, and those of
        `counts`.

        In the file of a map each line is a name, a tab, and what the name becomes: names joined by ``_``, or
        nothing. There is no header.

        Besides a result in memory this takes memory for the names, and at most 256 MiB for the types of
        events of the file that is read, and as much for those of the new one, however many events there are.

        Examples
        --------
        >>> import rescorla as rw
        >>> events = rw.read_events([("a_b", "x_y", 2), ("b_c", "y"), ("c", "z")])
        >>> [tuple(event) for event in events.filter(keep_cues=["a", "b"], remove_outcomes=["y"])]
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
        where = maybe_path_name(path)
        if where is not None:
            lists = (keep_cues, remove_cues, cue_map, keep_outcomes, remove_outcomes, outcome_map)
            _core.check_apart(where, [path_name(each) for each in lists if isinstance(each, os.PathLike)])
        with watching(progress, "filtering") as watch:
            n_events = self._file.n_events
            total = (1 + cues.counts_new_names + outcomes.counts_new_names) * n_events
            new_cues = cues.names(self._file, duplicates, part(watch, 0, total))
            done = cues.counts_new_names * n_events
            new_outcomes = outcomes.names(self._file, duplicates, part(watch, done, total))
            watch = part(watch, total - n_events, total)
            return type(self)(self._file.filter(new_cues, new_outcomes, where, watch))

    @hinting
    def head(self, n: int, *, path: PathName | None = None, progress: Progress = None) -> Self:
        """The first events.

        Parameters
        ----------
        n : int
            How many events (rows), 0 or more; all, if there are fewer.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

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
        """
        n = min(whole("n", n), self._file.n_events)
        return self._select(in_order(range(n)), n, "writing", path, progress)

    @hinting
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
            None: the second part is the last events. As for `sample`.
        paths : pair of paths, optional
            The binary event files to write, for the first and the second part; None keeps both in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

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
        repeated, passes : ``events.passes(1, seed)`` are tokens; split these where the tokens of an event may
            come into both parts.

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
        n_events = self._file.n_events
        n_test = _test_size(test, n_events)
        where = (None, None) if paths is None else tuple(maybe_path_name(path) for path in paths)
        if len(where) != 2 or where[0] == where[1] is not None:
            raise ValueError(f"paths must be a pair of two different paths, not {paths!r}")
        if seed is None:
            first = range(n_events - n_test)
            blocks = [in_order(first), in_order(range(len(first), n_events))]
        else:
            chosen = np.zeros(n_events, dtype=bool)
            chosen[:n_test] = True
            generator(seed).shuffle(chosen)
            blocks = [members(~chosen), members(chosen)]
        done, parts = 0, []
        with watching(progress, "splitting") as watch:
            for block, n, file in zip(blocks, (n_events - n_test, n_test), where, strict=True):
                selected = self._file.select(block, n, path=file, progress=part(watch, done, n_events))
                parts.append(type(self)(selected))
                done += n
        return parts[0], parts[1]

    @hinting
    def concat(self, *others: Self, path: PathName | None = None, progress: Progress = None) -> Self:
        """These events and then others: ``rw.concat_events([self, *others])``.

        Parameters
        ----------
        *others : Events
            What follows, in this order.
        path : str or path-like, optional
            A binary event file to write; None keeps the events in memory.
        progress : None, bool or callable(done, total), default None
            None shows a bar if standard error is a terminal.

        Returns
        -------
        Events
            In memory or the new file. The names are those of all, in order of first appearance: first these
            events' own names in their order, then what the others add.

        Raises
        ------
        TypeError
            When one of the others is no Events.

        Examples
        --------
        >>> import rescorla as rw
        >>> both = rw.read_events([("a", "x", 2)]).concat(rw.read_events([("b_a", "x")]))
        >>> both.cues, [event.frequency for event in both]
        (('a', 'b'), [2, 1])
        """
        files = [self._file]
        for other in others:
            if not isinstance(other, Events):
                raise TypeError(f"only Events follow Events, not {type(other).__name__}")
            files.append(other._file)
        with watching(progress, "writing") as watch:
            return type(self)(_core.EventFile.concat(files, maybe_path_name(path), watch))

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
        with watching(progress, label) as watch:
            return type(self)(
                self._file.select(blocks, n, path=maybe_path_name(path), progress=watch, **more)
            )


def _test_size(test: float, n_events: int) -> int:
    """How many of the events are for testing."""
    if isinstance(test, bool) or not isinstance(test, Real):
        raise TypeError(f"test must be a share of the events or a number of events, not {test!r}")
    if not isinstance(test, Integral):
        if not 0 < test < 1:
            raise ValueError(
                f"test, as a share of the events, must be more than 0 and less than 1, not {test}"
            )
        n_test = math.ceil(test * n_events)
    else:
        n_test = int(test)
    if not 0 < n_test < n_events:
        raise ValueError(
            f"test = {test} of {n_events} events would leave {n_events - n_test} to learn from and {n_test} "
            "to test with; each part needs one at least"
        )
    return n_test
