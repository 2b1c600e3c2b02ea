"""Stores on disks that are full, broken, read-only, or not there."""

from pathlib import Path

import pytest
import rescorla as rw

pytestmark = pytest.mark.usefixtures("small_chunks")


def test_a_missing_folder_says_so(events: rw.Events, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no folder"):
        rw.learn(events, out=tmp_path / "none" / "w.zarr")
    assert list(tmp_path.iterdir()) == []
