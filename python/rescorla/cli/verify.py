"""``rescorla verify``: whether a file of events or of weights is sound."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla._events.events import open_events
from rescorla._weights import files
from rescorla.cli import command


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands, run, "verify FILE", "check a binary event file, or weights, against its checksums"
    )
    parser.add_argument("file", metavar="FILE", help="a binary event file, or weights: .npz, .npy or .nc")


def run(options: argparse.Namespace) -> None:
    """Verify."""
    if files.is_weights_name(options.file):
        n_cues, n_outcomes = files.verify(options.file).values.shape
        print(f"{options.file}: sound, weights of {n_cues:,} cues x {n_outcomes:,} outcomes")
        return
    events = open_events(options.file)
    events.verify(progress=options.progress)
    print(f"{options.file}: sound, {len(events):,} events")
