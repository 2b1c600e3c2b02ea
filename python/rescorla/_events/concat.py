"""Events of several sources, one after another."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rescorla._core import EventFile, check_apart
from rescorla._events.events import Events
from rescorla._events.made import made_by, parameters_of
from rescorla._events.phases import joined, phases_of, stored_phases
from rescorla._events.read import events_of, files_of_events
from rescorla._shared.checks import PathName, maybe_path_name, path_name, several, shown
from rescorla._shared.progress import Progress, watching


def concat_events(
    parts: Iterable[Events | PathName], path: PathName | None = None, *, progress: Progress = None
) -> Events:
    """Put events one after another.

    Parameters
    ----------
    parts : iterable of Events or paths
        The events to put one after another, in this order; at least one. A path is that of a binary event
        file, which is mapped, or of an event table, which is read into memory (`read_events` makes a
        binary file of a large one).
    path : str or path-like, optional
        A binary event file to write, which may not be one of the parts; None keeps the events in memory.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Events
        In memory or the new file. The names are those of all parts, in order of first appearance: those of
        the first part in their order, then what the second adds, and so on.

        The phases of designs follow one another; rows of other parts belong to none.

    Raises
    ------
    ValueError
        When there are no parts.
    FormatError
        When a file is damaged, or is no event file or table.
    TypeError
        When a part is neither Events nor a path, or `parts` is one of these instead of several.

    Warns
    -----
    RescorlaWarning
        When phases of several parts have the same name: then the result has no phases.

    Examples
    --------
    >>> import rescorla as rw
    >>> monday = rw.read_events([("a_b", "x")])
    >>> tuesday = rw.read_events([("b_c", "y", 2), ("a", "x")])
    >>> week = rw.concat_events([monday, tuesday])
    >>> week.cues, [event.frequency for event in week]
    (('a', 'b', 'c'), [1, 2, 1])
    """
    if isinstance(path, Events):
        raise TypeError("path must be the name of a file to write; the parts go in one list: [first, second]")
    if isinstance(parts, Events | str | os.PathLike):
        raise TypeError(f"parts must be several Events or paths, not one {type(parts).__name__}; write [it]")
    parts = several("parts", parts, "Events or paths")
    for part in parts:
        if not isinstance(part, Events | str | os.PathLike):
            raise TypeError(
                f"parts must be Events or paths, not {shown(part)}; rescorla.read_events makes Events of it"
            )
    if path is not None:
        check_apart(path_name(path), [file for part in parts for file in files_of_events(part)])
    files = [events_of(part, progress=progress)._file for part in parts]
    if not files:
        raise ValueError("parts must be one or more, not none; rw.read_events([]) has no events")
    phases = joined((phases_of(file), file.n_events, file.n_tokens) for file in files)
    made = made_by("concat_events", of=[parameters_of(file) for file in files], phases=stored_phases(phases))
    with watching(progress, "writing", "events") as watch:
        return Events(EventFile.concat(files, maybe_path_name(path), watch, parameters=made))
