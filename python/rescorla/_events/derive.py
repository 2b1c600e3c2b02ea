"""Event files made of event files, as the methods of Events say it. Names keep their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rescorla._core import EventFile, check_apart
from rescorla._events import order
from rescorla._events.made import made_of
from rescorla._events.order import in_order, members, permutation
from rescorla._events.phases import as_json, cut, phases_of
from rescorla._events.renaming import Renaming
from rescorla._shared.checks import (
    Duplicates,
    PathName,
    Seed,
    generator,
    maybe_path_name,
    one_of,
    path_name,
    several,
    shown,
    string,
    whole,
)
from rescorla._shared.progress import Progress, part, watching
from rescorla._shared.warn import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

Merged: TypeAlias = Literal["sum", "one"]
"""How often an event occurs that stands for all that equal it."""


def sample(file: EventFile, n: int, seed: Seed, path: PathName | None, progress: Progress) -> EventFile:
    """Tokens drawn with replacement."""
    n, random = whole("n", n), generator(seed)
    ends = np.cumsum(file.frequencies())
    if file.n_tokens == 0:
        raise ValueError("these events have no tokens to draw from")

    def drawn() -> Iterator[NDArray[np.int64]]:
        for done in range(0, n, order.PICKED):
            tokens = random.integers(file.n_tokens, size=min(order.PICKED, n - done))
            yield np.searchsorted(ends, tokens, side="right")

    made = made_of(file, "sample", n=n, seed=seed)
    return _select(file, drawn(), n, "drawing", path, progress, tokens=True, parameters=made)


def passes(
    file: EventFile, n: int, seed: Seed | None, path: PathName | None, progress: Progress
) -> EventFile:
    """The events n times over, in their order; with a seed, each time the tokens in a fresh random order."""
    n = whole("n", n)
    made = made_of(file, "passes", n=n, seed=seed)
    if seed is None:
        blocks = (block for _ in range(n) for block in in_order(range(file.n_events)))
        return _select(file, blocks, n * file.n_events, "repeating", path, progress, parameters=made)
    random, frequencies = generator(seed), file.frequencies()
    drawn = (block for _ in range(n) for block in permutation(frequencies, random))
    return _select(file, drawn, n * file.n_tokens, "drawing", path, progress, tokens=True, parameters=made)


def with_background(file: EventFile, name: str, path: PathName | None, progress: Progress) -> EventFile:
    """The events with one more cue, which comes first."""
    if string("name", name) in file.cue_names():
        raise ValueError(f"name {name!r} is a cue of the events already; choose another name")
    blocks = in_order(range(file.n_events))
    made = made_of(file, "with_background", as_json(cut(file, range(file.n_events))), name=name)
    return _select(
        file, blocks, file.n_events, "adding a cue", path, progress, background=name, parameters=made
    )


def distinct(file: EventFile, frequencies: Merged, path: PathName | None, progress: Progress) -> EventFile:
    """Each event that differs from all before it, with the frequencies of those that equal it."""
    one_of("frequencies", frequencies, ("sum", "one"))
    where = maybe_path_name(path)
    made = made_of(file, "distinct", frequencies=frequencies)
    if phases := phases_of(file):
        warn(
            "these events have phases, and distinct events have none, for equal events of several phases are "
            f"one; those of a phase alone are events[events.phases[{next(iter(phases))!r}].rows]"
        )
    with watching(progress, "finding equal events", "events", file.n_events) as watch:
        return file.distinct(frequencies, where, watch, parameters=made)


def swapped(file: EventFile, path: PathName | None, progress: Progress) -> EventFile:
    """The events with outcomes as cues and cues as outcomes."""
    made = made_of(file, "swapped", as_json(cut(file, range(file.n_events))))
    with watching(progress, "swapping", "events") as watch:
        return file.swapped(maybe_path_name(path), watch, parameters=made)


def filtered(
    file: EventFile,
    cues: Renaming,
    outcomes: Renaming,
    duplicates: Duplicates,
    inputs: Sequence[str],
    parameters: str,
    path: PathName | None,
    progress: Progress,
) -> EventFile:
    """The events with some names only, or with other names; none of the inputs is the file to write."""
    where = maybe_path_name(path)
    if where is not None:
        check_apart(where, inputs)
    with watching(progress, "filtering", "events", file.n_events) as watch:
        n_events = file.n_events
        total = (1 + cues.counts_new_names + outcomes.counts_new_names) * n_events
        new_cues = cues.names(file, duplicates, part(watch, 0, total))
        done = cues.counts_new_names * n_events
        new_outcomes = outcomes.names(file, duplicates, part(watch, done, total))
        last = part(watch, total - n_events, total)
        return file.filter(new_cues, new_outcomes, where, last, parameters=parameters)


def head(file: EventFile, n: int, path: PathName | None, progress: Progress) -> EventFile:
    """The first events."""
    n = min(whole("n", n), file.n_events)
    made = made_of(file, "head", as_json(cut(file, range(n))), n=n)
    return _select(file, in_order(range(n)), n, "writing", path, progress, parameters=made)


def split(
    file: EventFile,
    test: float,
    seed: Seed | None,
    paths: tuple[PathName, PathName] | None,
    progress: Progress,
) -> tuple[EventFile, EventFile]:
    """The events in two parts, each in their order: to learn from, and to test with."""
    n_events = file.n_events
    n_test = _test_size(test, n_events)
    where = (
        [None, None]
        if paths is None
        else [path_name(path, "paths") for path in several("paths", paths, "paths")]
    )
    if len(where) != 2 or where[0] == where[1] is not None:
        raise ValueError(f"paths must be a pair of two different paths, not {where!r}")
    n_train = n_events - n_test
    phases: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    if seed is None:
        first, last = range(n_train), range(n_train, n_events)
        train, held_out = in_order(first), in_order(last)
        phases = (as_json(cut(file, first)), as_json(cut(file, last)))
    else:
        chosen = np.zeros(n_events, dtype=bool)
        chosen[:n_test] = True
        generator(seed).shuffle(chosen)
        train, held_out = members(~chosen), members(chosen)
    with watching(progress, "splitting", "events") as watch:

        def chosen_part(which: str, blocks: Any, begin: int, n: int, path: str | None) -> EventFile:
            made = made_of(file, "split", phases[which == "test"], test=test, seed=seed, part=which)
            return file.select(blocks, n, path=path, progress=part(watch, begin, n_events), parameters=made)

        return (
            chosen_part("train", train, 0, n_train, where[0]),
            chosen_part("test", held_out, n_train, n_test, where[1]),
        )


def _select(
    file: EventFile,
    blocks: Iterable[NDArray[np.int64]],
    n: int,
    label: str,
    path: PathName | None,
    progress: Progress,
    **more: Any,
) -> EventFile:
    """The events of these numbers, n in all."""
    with watching(progress, label, "tokens" if more.get("tokens") else "events") as watch:
        return file.select(blocks, n, path=maybe_path_name(path), progress=watch, **more)


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
