"""Making a store: beside its place, then renamed to it, so that whoever comes second finds it whole."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from contextlib import suppress

from rescorla._core import exchange
from rescorla._weights.disk import alone, check_folder, naming, undisturbed
from rescorla._weights.zarr import chunks

# Seconds after which a temporary is that of a process that is gone. A lock would tell at once, but not on
# every disk that hosts share.
_STALE = 6 * 3600


class Folder:
    """A store being made in a temporary folder; on failure that goes. Links are followed."""

    def __init__(self, path: str) -> None:
        self.path, self._place = path, os.path.realpath(path)
        check_folder(os.path.dirname(self._place))
        remove_stale(path)
        self.temporary = _new(self._place, ".tmp")

    def __enter__(self) -> Folder:
        try:
            with naming(self.path):
                os.mkdir(self.temporary)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._remove()
        except BaseException:
            # An interrupt came before it was held off.
            self._remove()
            raise

    def _remove(self) -> None:
        # It closes a folder twice where the first time fails, and does not ignore that.
        with undisturbed(), suppress(OSError):
            shutil.rmtree(self.temporary, ignore_errors=True)

    def appear(self) -> bool:
        """Let the store have its name; False where another is there already."""
        with naming(self.path):
            _sync(self.temporary)
            return self._renamed()

    def replace(self) -> None:
        """Let the store have its name, in place of an older one.

        Where the system can exchange two folders in one step there is a store at every moment, and the older
        one then has the temporary name. Elsewhere a folder cannot take the place of another, and for a moment
        there is none. Then the older one has a name that nothing removes before there is a store again, and
        from which `is_there` puts it back; a lock on the folder above lets others wait for that.
        """
        with naming(self.path):
            _sync(self.temporary)
            while not self._renamed() and not self._exchanged():
                pass
        with suppress(OSError):
            for old in _hidden(self._place, ".old"):
                # Where there is a store, there was one after this was set aside.
                if os.path.lexists(self._place):
                    gone = _new(self._place, ".tmp")
                    os.rename(old, gone)
                    shutil.rmtree(gone)

    def _exchanged(self) -> bool:
        """Whether the store has its name now, and an older one that of the temporary or one aside."""
        try:
            if exchange(self.temporary, self._place):
                chunks.sync_folder(os.path.dirname(self._place))
                return True
        except FileNotFoundError:
            return False
        with alone(os.path.dirname(self._place)):
            try:
                while not self._renamed():
                    with suppress(FileNotFoundError):
                        os.rename(self._place, _new(self._place, ".old"))
            finally:
                _put_back(self.path)
        return True

    def _renamed(self) -> bool:
        try:
            os.rename(self.temporary, self._place)
        except OSError:
            if os.path.lexists(self._place):
                return False
            raise
        chunks.sync_folder(os.path.dirname(self._place))
        return True


def is_there(path: str) -> bool:
    """Whether there is something at a path; a store that a killed process set aside is put back first."""
    place = os.path.realpath(path)
    if os.path.lexists(place):
        return True
    if _hidden(place, ".old"):
        # Another process may be about to put one there.
        with alone(os.path.dirname(place)):
            return _put_back(path)
    return os.path.lexists(place)


def _put_back(path: str) -> bool:
    """Whether there is something at a path, a store that was set aside if nothing else."""
    place = os.path.realpath(path)
    if not os.path.lexists(place):
        for old in sorted(_hidden(place, ".old"), key=_changed, reverse=True):
            try:
                os.rename(old, place)
            except OSError as error:
                # Another process may be faster.
                if os.path.lexists(old) and not os.path.lexists(place):
                    what = f"{error.strerror}: a store that a killed process set aside cannot be put back"
                    raise OSError(error.errno, f"{what}; rename it", old, None, path) from error
    return os.path.lexists(place)


def _sync(folder: str) -> None:
    for root, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(root, name), "rb+", buffering=0) as stream:
                os.fsync(stream.fileno())
        chunks.sync_folder(root)


def _new(place: str, ending: str) -> str:
    """A hidden name beside a place."""
    above, name = os.path.split(place)
    return os.path.join(above, f".{name}.{secrets.token_hex(6)}{ending}")


def _hidden(place: str, ending: str) -> list[str]:
    """What has such names."""
    above, name = os.path.split(place)
    ours = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{12}}\{ending}")
    with suppress(FileNotFoundError):
        return [os.path.join(above, each) for each in os.listdir(above) if ours.fullmatch(each)]
    return []


def _changed(path: str) -> float:
    """When; for what is gone, long ago."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def remove_stale(path: str) -> None:
    """Remove what processes that were killed left of a store: beside it, and beside its chunks."""
    place = os.path.realpath(path)
    temporaries = _hidden(place, ".tmp")
    for array in ("weights", "checksums"):
        for folder, _, files in os.walk(os.path.join(place, array, "c")):
            temporaries += [os.path.join(folder, file) for file in files if file.endswith(".rescorla-tmp")]
    for left in temporaries:
        if _changed(left) < time.time() - _STALE:
            if os.path.isdir(left):
                shutil.rmtree(left, ignore_errors=True)
            else:
                with suppress(OSError):
                    os.unlink(left)
