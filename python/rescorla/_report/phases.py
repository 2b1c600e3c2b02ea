"""The phases of events or trajectories, as a page has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def phases_of(result: object) -> list[dict[str, Any]]:
    """Those that have tokens: their names, and the tokens before their first and after their last one."""
    phases: Mapping[str, Any] = getattr(result, "phases", None) or {}
    return [
        {"name": name, "from": phase.tokens.start, "to": phase.tokens.stop}
        for name, phase in phases.items()
        if len(phase.tokens)
    ]
