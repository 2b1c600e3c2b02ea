"""Copies of event files on the disks of workers, one on each host, named by their digest.

A copy appears by a rename, whole. Who makes it holds a lock file, which it touches at every piece; a lock
that nobody touched for a minute is taken over. Were two to make the same copy, each writes a file of its own,
and the second rename changes nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from time import sleep, time
from typing import Literal, NamedTuple

from rescorla._core import FormatError
from rescorla._events.events import Events, open_events

# What is sent or copied at a time.
PIECE = 8 << 20

# How long a lock holds that nobody touches.
_LEASE = 60.0

Claim = Literal["here", "busy", "ours"]


class NotHereError(RuntimeError):
    """The events are neither at their path nor in a copy on this host."""


def folder_of(local_directory: str) -> str:
    """Where copies lie: beside the own folders of the workers of a host."""
    return os.path.join(os.path.dirname(os.path.abspath(local_directory)), "rescorla-events")


def events_here(path: str, digest: str, local_directory: str) -> Events:
    """The events with this digest: of the copy on this host, else of the file at the path."""
    copy = Copy(folder_of(local_directory), digest)
    events = copy.events() or opened(path, digest, mapped=False)
    if events is None:
        raise NotHereError(f"{path} is not seen by this worker, and there is no copy of it")
    return events


def opened(path: str, digest: str, *, mapped: bool) -> Events | None:
    """The events of a file; None where there is none, or other events.

    A file on a network disk may be cut or change under a map, so it is read instead.
    """
    try:
        events = open_events(path, mapped=mapped)
    except (OSError, FormatError):
        return None
    return events if events.digest == digest else None


class Copy(NamedTuple):
    """The copy of the events with this digest in a folder."""

    folder: str
    digest: str

    @property
    def path(self) -> str:
        return os.path.join(self.folder, f"{self.digest}.rw")

    @property
    def lock(self) -> str:
        return f"{self.path}.lock"

    def part(self, token: str) -> str:
        """What there is of it while it is made."""
        return f"{self.path}.{token}.part"

    def events(self) -> Events | None:
        """The events, where the copy is whole."""
        return opened(self.path, self.digest, mapped=True)

    def claim(self, token: str) -> Claim:
        """Whether the copy is there, or somebody makes it, or the caller, who has this token, is to."""
        if self.events() is not None:
            return "here"
        os.makedirs(self.folder, exist_ok=True)
        for _ in range(2):
            try:
                with open(self.lock, "x", encoding="ascii") as file:
                    file.write(token)
            except FileExistsError:
                with suppress(FileNotFoundError):
                    if time() - os.stat(self.lock).st_mtime < _LEASE:
                        return "busy"
                    with open(self.lock, encoding="ascii") as file:
                        dead = file.read()
                    self.abandon(dead)
            else:
                # Who had the lock until now may have finished since the copy was looked for.
                if self.events() is not None:
                    self.abandon(token)
                    return "here"
                with open(self.part(token), "wb"):
                    return "ours"
        return "busy"

    def write(self, token: str, piece: bytes) -> None:
        """Append what comes next."""
        with open(self.part(token), "ab") as file:
            file.write(piece)
        with suppress(OSError):
            os.utime(self.lock)

    def finish(self, token: str) -> None:
        """The copy is whole: it appears, and the lock goes."""
        part = self.part(token)
        if opened(part, self.digest, mapped=False) is None:
            self.abandon(token)
            raise OSError(f"the copy of the events at {part} is not what was sent; try again")
        os.replace(part, self.path)
        self.abandon(token)

    def abandon(self, token: str) -> None:
        """Remove what there is of an unfinished copy, and the lock."""
        with suppress(OSError):
            os.unlink(self.part(token))
        with suppress(OSError):
            with open(self.lock, encoding="ascii") as file:
                held = file.read()
            if held == token:
                os.unlink(self.lock)

    def fetch(self, source: str, token: str) -> bool:
        """Make the copy from a file that this host sees; whether it was made by this call."""
        while (claim := self.claim(token)) == "busy":
            sleep(0.5)
        if claim == "here":
            return False
        try:
            for piece in pieces(source):
                self.write(token, piece)
            self.finish(token)
        except BaseException:
            self.abandon(token)
            raise
        return True

    def remove(self) -> None:
        """Remove the copy; who has it open reads on."""
        with suppress(OSError):
            os.unlink(self.path)
        with suppress(OSError):
            os.rmdir(self.folder)


def pieces(path: str) -> Iterator[bytes]:
    """The bytes of a file, some at a time."""
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield piece


def check_room(folder: str, size: int) -> None:
    """OSError where a disk has no room for a copy of so many bytes."""
    free = shutil.disk_usage(folder).free
    if free < size:
        raise OSError(
            f"{folder} has {free:,} bytes free, and a copy of the events takes {size:,}; give workers "
            "another local_directory, or put the event file where they all see it"
        )
