"""Whether files of events and of weights are sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rescorla._core import FormatError
from rescorla._events.events import Events, open_events
from rescorla._events.given import Source, events_given
from rescorla._shared.checks import PathName, Seed, generator, path_name, thread_count, whole
from rescorla._shared.progress import Progress, watching
from rescorla._weights import files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rescorla._weights.zarr.store import Store


class Verified(NamedTuple):
    """What `verify` found; true where everything is there and sound.

    Attributes
    ----------
    kind : {"events", "weights", "store"}
        What the file is.
    shape : tuple of int
        Of weights the numbers of cues and outcomes, of events that of rows; () where a defect hides it.
    wrong : list of str
        What is wrong, a sentence for each defect.
    n_tiles : int
        How many tiles a store has; 0 for all else.
    missing, bad : list of int
        The numbers of a store's tiles that are not learned yet, and of those that are damaged or differ from
        what was learned again.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light", "food")])
    >>> weights = rw.learn(events, out="one.zarr")
    >>> found = rw.verify("one.zarr")
    >>> found.kind, found.shape, found.n_tiles, found.wrong
    ('store', (1, 1), 1, [])
    """

    kind: Literal["events", "weights", "store"]
    shape: tuple[int, ...]
    wrong: list[str]
    n_tiles: int = 0
    missing: Sequence[int] = ()
    bad: Sequence[int] = ()

    def __bool__(self) -> bool:
        return not self.wrong and not self.missing


def verify(
    path: PathName,
    events: Source | None = None,
    *,
    sample: int = 0,
    seed: Seed | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Verified:
    """Whether a file of events or of weights, or a store, is there as a whole and sound.

    Every part is held against its checksum.

    Parameters
    ----------
    path : path
        A binary event file; weights in ``.npz``, ``.npy`` or ``.nc``; or a store, ``.zarr``.
    events : Events or a source of them, optional
        Of a store, the events that it was made of: whatever `rescorla.learn` takes. They are needed for a
        sample.
    sample : int, default 0
        Learn this many tiles of a store again, drawn at random, and compare them bit for bit.
    seed : int, Generator or SeedSequence, optional
        Where random numbers come from; None draws others each time.
    threads : int, optional
        How many threads learn tiles again.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Verified
        True where the file is sound and nothing is missing; otherwise it says what is wrong.

    Raises
    ------
    ValueError
        When `sample` is given without `events`, or either for what is no store; or when the store was made of
        other events.
    OSError
        When the file cannot be read; FileNotFoundError when there is none.

    See Also
    --------
    rescorla.tiles.repair : deletes damaged tiles, so that they can be learned again.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.read_events([("light_tone", "shock", 3), ("tone", "food")])
    >>> weights = rw.learn(events, out="weights.zarr")
    >>> found = rw.verify("weights.zarr", events, sample=1, seed=1)
    >>> bool(found), found.missing, found.bad
    (True, [], [])
    """
    name = path_name(path)
    sample = whole("sample", sample)
    if files.is_store(name):
        if sample and events is None:
            raise ValueError("sample learns tiles again, which needs the events")
        return _of_store(name, events, sample, seed, threads, progress)
    if sample or events is not None:
        given = "sample" if sample else "events"
        raise ValueError(f"{given} is for a store, of which tiles are learned again; leave it out for {name}")
    if files.is_weights_name(name):
        return _found("weights", lambda: files.verify(name).values.shape)

    def look() -> tuple[int, ...]:
        rows = open_events(name)
        rows.verify(progress=progress)
        return (len(rows),)

    return _found("events", look)


def _found(kind: Literal["events", "weights"], look: Callable[[], tuple[int, ...]]) -> Verified:
    """What a look at a whole file finds."""
    try:
        return Verified(kind, look(), [])
    except FormatError as error:
        return Verified(kind, (), [str(error)])


def _of_store(
    path: str, events: Source | None, sample: int, seed: Seed | None, threads: int | None, progress: Progress
) -> Verified:
    # Loaded when a store is verified.
    from rescorla._learn.tiled_store import check_events, check_kept
    from rescorla._weights.zarr.store import Store

    try:
        store = Store.open(path)
    except FormatError as error:
        return Verified("store", (), [str(error)])
    missing = store.missing()
    absent = set(missing)
    there = [] if 0 in store.shape else [tile for tile in range(store.n_tiles) if tile not in absent]
    wrong: dict[int, str] = {}
    others: list[str] = []
    try:
        check_kept(store)
    except FormatError as error:
        others.append(str(error))
    with watching(progress, "verifying", "tiles", len(there)) as watch:
        for done, tile in enumerate(there, 1):
            if (defect := store.defect(tile)) is not None:
                wrong[tile] = defect
            if watch is not None:
                watch(done, len(there))
    if events is not None:
        source = events_given(events, "verify", repr(path) + ", {}", progress=progress)
        check_events(store, source)
        sound = [tile for tile in there if tile not in wrong]
        if not others:
            wrong |= _learned_again(store, source, sound, sample, seed, threads)
    reasons = others + [wrong[tile] for tile in sorted(wrong)]
    return Verified("store", store.shape, reasons, store.n_tiles, missing, sorted(wrong))


def _learned_again(
    store: Store, events: Events, tiles: list[int], sample: int, seed: Seed | None, threads: int | None
) -> dict[int, str]:
    """What is wrong with tiles of a sample that differ from what is learned again."""
    if not sample or not tiles:
        return {}
    from rescorla._learn.tiles import tiles_of

    random: Any = np.random.default_rng() if seed is None else generator(seed)
    drawn = sorted(random.choice(tiles, min(sample, len(tiles)), replace=False).tolist())
    n_threads = thread_count(threads)
    ready = tiles_of(store, events, threads=n_threads)
    return {
        tile: f"{store.file(tile)}: expected what these events give, found others"
        for tile in drawn
        if ready.values(tile, threads=n_threads).tobytes() != store.mapped(tile).tobytes()
    }
