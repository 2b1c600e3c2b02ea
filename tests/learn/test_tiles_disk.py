"""Stores on disks that are full, read-only, or not there, and kills while they are written."""

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from rescorla._shared.testing import asking
from rescorla._weights.zarr.store import Store
from stores import bits, made
from unnamed import can_be_unnamed

pytestmark = pytest.mark.usefixtures("small_chunks")

WORK = """
import sys
import rescorla as rw
from rescorla._shared.testing import asking

file, path, what = sys.argv[1:4]
events, weights = rw.open_events(file), rw.load_weights(sys.argv[4])
if "full" in sys.argv:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))
try:
    with asking(chunk=4):
        {
            "part": lambda: rw.learn(events, out=path, method="forward", part=(0, 2)),
            "learn": lambda: rw.learn(events, out=path, method="forward", resume=True, threads=1),
            "save": lambda: weights.save(path),
            "load": lambda: rw.load_weights(path),
            "verify": lambda: rw.verify(path),
        }[what]()
except OSError as error:
    print(error.errno, error.filename, error.strerror, sep="|")
"""


def done(before: Sequence[str], what: str, events: rw.Events, path: Path, *more: str) -> list[str]:
    """The error of a process that works on a store: its number, the file and what it says; [""] if none."""
    beside = path.parents[1]
    events.save(beside / "e.rw")
    rw.learn(events, alpha=0.5).save(beside / "w.npz")
    command = [*before, sys.executable, "-c", WORK, str(beside / "e.rw"), str(path), what]
    process = subprocess.run(
        [*command, str(beside / "w.npz"), *more], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip().split("|")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be, alone in a folder."""
    (tmp_path / "stores").mkdir()
    return tmp_path / "stores" / "w.zarr"


def half_learned(events: rw.Events, path: Path) -> tuple[Any, ...]:
    """A store of which every second tile is missing; what all are."""
    rw.learn(events, out=path, method="forward", part=(0, 2))
    return bits(rw.learn(events, method="forward"))


def content(path: Path) -> dict[str, bytes]:
    """All files of a folder, and what they hold."""
    return {str(each): each.read_bytes() for each in path.rglob("*") if each.is_file()}


def test_a_missing_folder_says_so(events: rw.Events, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no folder"):
        rw.learn(events, out=tmp_path / "none" / "w.zarr")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no RLIMIT_FSIZE")
def test_a_store_that_a_full_disk_stops_keeps_its_tiles_and_goes_on(events: rw.Events, path: Path) -> None:
    whole = half_learned(events, path)
    before = content(path)
    number, file, says = done([], "learn", events, path, "full")
    assert (int(number), file) == (errno.EFBIG, Store.open(path).file(1))
    cure = "mend this, and resume"
    assert says == f"File too large; tiles that are whole stay: {cure}"
    assert content(path) == before
    assert bits(rw.learn(events, out=path, method="forward", resume=True)) == whole


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no RLIMIT_FSIZE")
@pytest.mark.parametrize("what", ["part", "learn"])
def test_a_disk_that_is_full_while_a_store_is_made_has_none(events: rw.Events, path: Path, what: str) -> None:
    assert done([], what, events, path, "full") == [str(errno.EFBIG), str(path), "File too large"]
    assert os.listdir(path.parent) == []


@pytest.fixture
def read_only(path: Path) -> list[str]:
    """A command before a command, which then finds the folder of stores read-only, whoever runs it."""
    if sys.platform != "linux":
        pytest.skip("needs the mounts of Linux")
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, str(path.parent)]
    try:
        tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs unshare")
    if tried.returncode:
        pytest.skip(f"mounts of its own are not allowed here: {tried.stderr.strip()}")
    return command


def test_a_store_in_a_read_only_folder_is_read_and_nothing_else(
    events: rw.Events, path: Path, read_only: list[str]
) -> None:
    half_learned(events, path)
    before = content(path.parent)
    for what in ("load", "verify", "part"):
        assert done(read_only, what, events, path) == [""]
    number, file, says = done(read_only, "learn", events, path)
    store = Store.open(path)
    # Of the threads that fail one is the first.
    assert int(number) == errno.EROFS
    assert file in map(store.file, store.missing())
    assert says.startswith("Read-only file system; tiles that are whole stay")
    number, file, says = done(read_only, "save", events, path)
    assert (int(number), file, says) == (errno.EROFS, str(path), "Read-only file system")
    assert content(path.parent) == before


def test_in_a_read_only_folder_no_store_is_made_nor_put_back(
    events: rw.Events, path: Path, read_only: list[str]
) -> None:
    for what in ("part", "learn", "save"):
        assert done(read_only, what, events, path) == [str(errno.EROFS), str(path), "Read-only file system"]
    assert os.listdir(path.parent) == []
    half_learned(events, path)
    aside = path.rename(path.parent / ".w.zarr.0123456789ab.old")
    number, file, says = done(read_only, "load", events, path)
    assert (int(number), file) == (errno.EROFS, str(aside))
    assert says == (
        "Read-only file system: a store that a killed process set aside cannot be put back; rename it"
    )


def die_amid_a_chunk(path: str, events: str) -> None:
    """Learn, and be killed when half of a chunk's bytes are written."""
    from rescorla._weights.zarr import chunks

    write = chunks._write_all

    def half(stream: Any, piece: Any) -> None:
        write(stream, piece[: len(piece) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    chunks._write_all = half
    with asking(chunk=4):
        rw.learn(events, out=path, resume=True, threads=1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
@pytest.mark.parametrize("method", ["forward", "adjoint"])
@pytest.mark.parametrize("by_another", [False, True])
def test_of_half_a_chunk_nothing_stays(events: rw.Events, path: Path, method: Any, by_another: bool) -> None:
    """Whether the process that goes on writes the chunk again, or another one had written it meanwhile."""
    file = path.parents[1] / "e.rw"
    events.save(file)
    made(events, path, method)
    tile = Path(Store.open(path).file(0))
    for _ in range(2):
        process = multiprocessing.get_context("spawn").Process(
            target=die_amid_a_chunk, args=(str(path), str(file))
        )
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    left = [*tile.parent.glob(".*")]
    if can_be_unnamed(tile.parent):
        assert left == []
        # As on another disk.
        half = tile.parent / f".{tile.name}.1-0.rescorla-tmp"
        half.write_bytes(b"half")
    else:
        # The second process removed what the first one left.
        (half,) = left
        size = half.stat().st_size
        assert size == 4 * 8 * (len(events.cues) if method == "forward" else len(events.outcomes)) + 4
    if by_another:
        kept = half.read_bytes()
        rw.learn(events, out=path, resume=True, method=method)
        half.write_bytes(kept)
        rw.learn(events, out=path, resume=True, method=method)
        assert half.exists()
        os.utime(half, (0, 0))
    assert bits(rw.learn(events, out=path, method=method, resume=True)) == bits(
        rw.learn(events, method=method)
    )
    assert rw.verify(path)
    assert [*path.parent.rglob(".*")] == []
