"""``rescorla verify``: whether a binary event file is sound."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla.cli import command
from rescorla.events import open_events


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(commands, run, "verify FILE", "check a binary event file against its checksums")
    parser.add_argument("file", metavar="FILE", help="a binary event file")


def run(options: argparse.Namespace) -> None:
    """Verify."""
    events = open_events(options.file)
    events.verify(progress=options.progress)
    print(f"{options.file}: sound, {len(events):,} events")
