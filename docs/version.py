"""The version that the pages are about, at their foot: a hook of mkdocs."""

from __future__ import annotations

from typing import Any

import rescorla


def on_config(config: Any) -> Any:
    """What mkdocs calls once it has read its configuration."""
    config.copyright = f"rescorla {rescorla.__version__}, MIT licence"
    return config
