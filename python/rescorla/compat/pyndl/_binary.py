"""pyndl's binary event files: numbers of four bytes.

A magic number, a version and the number of events; then for each event how many cues it has and their ids,
and how many outcomes and their ids.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import islice
from typing import BinaryIO

from rescorla._core import FormatError
from rescorla._shared.checks import whole
from rescorla.compat.pyndl import io
from rescorla.compat.pyndl._arguments import Path, duplicates_of, jobs

MAGIC_NUMBER = 14159265
CURRENT_VERSION_WITH_FREQ = 215
CURRENT_VERSION = 2048 + 215

Ids = tuple[Sequence[int], Sequence[int]]

# As many events as the header can say.
_MOST = 4294967295


def to_bytes(int_: int) -> bytes:
    """A number as a binary event file has it.

    Examples
    --------
    >>> from rescorla.compat.pyndl import preprocess
    >>> preprocess.to_bytes(258)
    b'\\x02\\x01\\x00\\x00'
    """
    return int_.to_bytes(4, "little")


def to_integer(byte_: bytes) -> int:
    """The number that these bytes are.

    Examples
    --------
    >>> from rescorla.compat.pyndl import preprocess
    >>> preprocess.to_integer(b"\\x02\\x01\\x00\\x00")
    258
    """
    return int.from_bytes(byte_, "little")


def read_binary_file(binary_file_path: Path) -> Generator[tuple[list[int], list[int]], None, None]:
    """Give the events of a binary file of pyndl's.

    Parameters
    ----------
    binary_file_path : str or path-like
        A file that `write_events` wrote.

    Yields
    ------
    cue_ids, outcome_ids : list of int, list of int

    Raises
    ------
    ValueError
        When it is no such file, or a damaged one.
    """
    with open(binary_file_path, "rb") as file:
        if _number(file) != MAGIC_NUMBER:
            raise FormatError(
                f"{binary_file_path}: Header does not match the magic number: this is no binary event file "
                "of pyndl"
            )
        if (version := _number(file)) != CURRENT_VERSION:
            raise FormatError(
                f"{binary_file_path}: Version is incorrectly specified: expected {CURRENT_VERSION}, found "
                f"{version}"
            )
        for _ in range(_number(file)):
            yield _ids(file), _ids(file)


def _number(file: BinaryIO) -> int:
    return to_integer(_read(file, 4))


def _ids(file: BinaryIO) -> list[int]:
    n = _number(file)
    return list(struct.unpack(f"<{n}I", _read(file, 4 * n)))


def _read(file: BinaryIO, n: int) -> bytes:
    found = file.read(n)
    if len(found) != n:
        raise FormatError(f"{file.name}: expected {n} bytes more, found {len(found)}: the file is cut short")
    return found


def write_events(
    events: Iterable[Ids],
    filename: Path,
    *,
    start: int = 0,
    stop: int = _MOST,
    remove_duplicates: bool | None = None,
) -> int:
    """Write some of the events to a binary file of pyndl's.

    Parameters
    ----------
    events : iterable of (cue_ids, outcome_ids)
        Their numbers.
    filename : str or path-like
        Where. Without events there is no file.
    start, stop : int, default 0 and 4294967295
        The first event, and the one behind the last.
    remove_duplicates : {None, True, False}, default None
        What to do when an event lists a number twice: raise ValueError, keep one, or both.

    Returns
    -------
    int
        How many events were written.

    Raises
    ------
    ValueError
        When an event lists a number twice.
    StopIteration
        When there are events, but fewer than `stop`: all are written, and the error's second argument,
        pyndl's ``error.value[1]``, is how many.
    """
    duplicates_of(remove_duplicates)
    n_events = 0
    with open(filename, "wb") as file:
        file.write(struct.pack("<3I", MAGIC_NUMBER, CURRENT_VERSION, stop - start))
        for number, event in enumerate(islice(events, start, stop), start):
            for ids in event:
                written: Sequence[int] = ids
                if remove_duplicates is not False:
                    once = set(ids)
                    if remove_duplicates is None and len(once) != len(ids):
                        raise ValueError(
                            f"event {number} does not have unique cues or outcomes: {event}. Use "
                            "remove_duplicates=True in order to force unique cues and outcomes, or "
                            "remove_duplicates=False to allow the same cue or outcome multiple times in the "
                            "same event (not recommended)"
                        )
                    written = list(once) if remove_duplicates else ids
                file.write(struct.pack(f"<{len(written) + 1}I", len(written), *written))
            n_events += 1
        if 0 < n_events != stop - start:
            file.seek(8)
            file.write(to_bytes(n_events))
    if n_events == 0:
        os.remove(filename)
    elif n_events != stop - start:
        raise StopIteration(("event generator was exhausted before stop", n_events))
    return n_events


def event_generator(
    event_file: Path,
    cue_id_map: Mapping[str, int],
    outcome_id_map: Mapping[str, int],
    *,
    sort_within_event: bool = False,
) -> Generator[tuple[list[int], list[int]], None, None]:
    """Give the events of a table as numbers.

    Parameters
    ----------
    event_file : str or path-like
        See `io.events_from_file`.
    cue_id_map, outcome_id_map : mapping from str to int
        The number of each name.
    sort_within_event : bool, default False
        Whether to sort the numbers of an event.

    Yields
    ------
    cue_ids, outcome_ids : list of int, list of int

    Raises
    ------
    KeyError
        When a name has no number.
    """
    for cues, outcomes in io.events_from_file(event_file):
        ids = [cue_id_map[cue] for cue in cues], [outcome_id_map[outcome] for outcome in outcomes]
        if sort_within_event:
            ids[0].sort()
            ids[1].sort()
        yield ids


def create_binary_event_files(
    event_file: Path,
    path_name: Path,
    cue_id_map: Mapping[str, int],
    outcome_id_map: Mapping[str, int],
    *,
    sort_within_event: bool = False,
    n_jobs: int = 2,
    events_per_file: int = 10_000_000,
    overwrite: bool = False,
    remove_duplicates: bool | None = None,
    verbose: bool = False,
) -> int:
    """Write the events of a table to binary files of pyndl's. Nothing here reads them: `ndl.ndl` needs none.

    Parameters
    ----------
    event_file : str or path-like
        See `io.events_from_file`.
    path_name : str or path-like
        A folder, which is made if need be, for the files ``events_0_0.dat``, ``events_0_1.dat`` ...
    cue_id_map, outcome_id_map : mapping from str to int
        The number of each name.
    sort_within_event : bool, default False
        Whether to sort the numbers of an event.
    n_jobs : int, default 2
        It changes nothing.
    events_per_file : int, default 10000000
        How many events a file has, 2 or more.
    overwrite : bool, default False
        Whether the folder may be there already; such files in it are removed.
    remove_duplicates : {None, True, False}, default None
        What to do when an event lists a name twice: raise ValueError, keep one, or both.
    verbose : bool, default False
        Whether to say what is done.

    Returns
    -------
    int
        How many events were written.

    Raises
    ------
    ValueError
        When an event lists a name twice, or `events_per_file` is less than 2.
    OSError
        When the folder is there and `overwrite` is False.
    KeyError
        When a name has no number.
    """
    jobs(n_jobs)
    duplicates_of(remove_duplicates)
    if whole("events_per_file", events_per_file) < 2:
        raise ValueError(f"events_per_file has to be larger than 1, not {events_per_file}")
    folder = os.fsdecode(path_name)
    if not os.path.isdir(folder):
        os.mkdir(folder, 0o773)
    elif not overwrite:
        raise FileExistsError(f"folder {folder} exists and overwrite is False")
    else:
        for name in os.listdir(folder):
            if "events_0_" in name:
                os.remove(os.path.join(folder, name))
    events = event_generator(event_file, cue_id_map, outcome_id_map, sort_within_event=sort_within_event)
    n_events = n_files = 0
    while True:
        file = os.path.join(folder, f"events_0_{n_files}.dat")
        try:
            n = write_events(events, file, stop=events_per_file, remove_duplicates=remove_duplicates)
        except StopIteration as stopped:
            # The last file, which is not full.
            return n_events + int(stopped.value[1])
        if n == 0:
            break
        n_events, n_files = n_events + n, n_files + 1
        if verbose:
            print(f"{file}: {n} events")
    return n_events
