"""What commands print when they are done: names and values in two columns."""

from __future__ import annotations

import argparse

from rescorla._events.events import Events


def show(lines: dict[str, object]) -> None:
    """Print names and values."""
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name:<{width}}  {_shown(value)}")


def read_as(options: argparse.Namespace) -> dict[str, object]:
    """What the files were taken for."""
    return line("read as", getattr(options, "read_as", None))


def counts(events: Events) -> dict[str, object]:
    """How many there are of what."""
    return {
        "events": len(events),
        "tokens": events.n_tokens,
        "cues": events.n_cues,
        "outcomes": events.n_outcomes,
    }


def line(name: str, value: str | None) -> dict[str, object]:
    """A line, if there is something to say."""
    return {} if value is None else {name: value}


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return f"{len(value):,} numbers"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
