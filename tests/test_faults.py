"""Disks that fail, kill -9 and other writers of the same path, in short; `faults` has the long programs."""

import os
import platform
import random
import shutil
import sys
from pathlib import Path

import pytest
from faults import disk, kills, writers
from faults.subjects import WRITERS

CI = bool(os.environ.get("CI"))
KILLED_AT = ("create", "write", "sync", "rename", "unlink", "folder")
KILLED = (
    "Events.save",
    "to_table",
    "Weights.save .npz",
    "Weights.save .npy",
    "Weights.save .nc",
    "Weights.save .zarr",
    "learn out=, forward",
    "learn out= .zarr",
)


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that makes calls of the system fail."""
    lacks = next(
        (
            what
            for what, there in (
                ("glibc on Linux, for LD_PRELOAD", platform.libc_ver()[0] == "glibc"),
                ("gcc", shutil.which("gcc") is not None),
            )
            if not there
        ),
        None,
    )
    if lacks is None:
        return disk.compiled(tmp_path_factory.mktemp("shim"))
    message = f"this needs {lacks}"
    if CI and sys.platform == "linux":
        pytest.fail(message)
    pytest.skip(message)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_call_that_fails_leaves_a_whole_file_and_nothing_else(
    writer: str, shim: Path, tmp_path: Path
) -> None:
    cases = list(disk.sweep(writer, shim, tmp_path, ops=disk.PROMISED, quick=True))
    assert {case.fault.op for case in cases} >= {"create", "write", "sync", "rename", "folder"}
    assert not disk.findings(cases)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_kill_at_any_call_leaves_a_whole_file_and_what_the_next_writer_removes(
    writer: str, shim: Path, tmp_path: Path
) -> None:
    cases = list(disk.sweep(writer, shim, tmp_path, ops=KILLED_AT, quick=True, kills=True))
    assert {case.outcome for case in cases} == {"killed"}
    assert not disk.findings(cases)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
@pytest.mark.parametrize("writer", KILLED)
def test_a_kill_at_a_random_moment_leaves_a_whole_file_and_what_the_next_writer_removes(
    writer: str, tmp_path: Path
) -> None:
    moments = kills.moments(2, random.Random(writer))
    found = list(kills.killed(WRITERS[writer], WRITERS[writer].large // 4, tmp_path, moments))
    assert len(found) == 2
    assert not [(kill, kill.wrong()) for kill in found if kill.wrong()]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not replace files that are open")
@pytest.mark.parametrize("kind", writers.KINDS)
def test_writers_of_one_path_do_not_disturb_each_other(kind: str, tmp_path: Path) -> None:
    race = writers.race(kind, tmp_path, n_writers=4, seconds=2)
    assert not race.wrong()
