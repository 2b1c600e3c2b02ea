"""The phases of events or trajectories, as a page has them."""

from __future__ import annotations

from typing import Any

from rescorla._events.events import Events
from rescorla._learn.trajectory import Trajectories


def phases_of(result: Events | Trajectories) -> list[dict[str, Any]]:
    """Those that have tokens: their names, and the tokens before their first and after their last one."""
    return [
        {"name": name, "from": phase.tokens.start, "to": phase.tokens.stop}
        for name, phase in result.phases.items()
        if len(phase.tokens)
    ]
