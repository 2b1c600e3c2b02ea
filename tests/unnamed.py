"""Files that have no name until they are whole."""

import os
from pathlib import Path


def can_be_unnamed(folder: Path) -> bool:
    """Whether a file in this folder may have no name."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except (AttributeError, OSError):
        return False
    return True
