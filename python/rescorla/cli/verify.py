"""``rescorla verify``: whether a file of events or of weights is sound."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla import tiles
from rescorla._events.events import open_events
from rescorla._weights import files
from rescorla.cli import command


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands, run, "verify FILE", "check a binary event file, or weights, against its checksums"
    )
    parser.add_argument(
        "file", metavar="FILE", help="a binary event file, or weights: .npz, .npy, .nc or .zarr"
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="delete damaged tiles of a store, so that learn --resume can go on",
    )


def run(options: argparse.Namespace) -> int | None:
    """Verify; 3 where tiles of a store are missing or bad."""
    if files.is_store(options.file):
        return _verify_store(options)
    if options.repair:
        options.usage("--repair is for a store, a name that ends in .zarr")
    if files.is_weights_name(options.file):
        n_cues, n_outcomes = files.verify(options.file).values.shape
        print(f"{options.file}: sound, weights of {n_cues:,} cues x {n_outcomes:,} outcomes")
        return None
    events = open_events(options.file)
    events.verify(progress=options.progress)
    print(f"{options.file}: sound, {len(events):,} events")
    return None


def _verify_store(options: argparse.Namespace) -> int:
    found = tiles.verify(options.file)
    if found:
        print(f"{options.file}: sound, all {found.n_tiles:,} tiles are there")
        return 0
    for numbers, what in ((found.missing, "missing"), (found.bad, "bad")):
        if numbers:
            listed = ", ".join(map(str, numbers[:20])) + (" ..." if len(numbers) > 20 else "")
            print(f"{options.file}: {len(numbers):,} of {found.n_tiles:,} tiles {what}: {listed}")
    if options.repair and found.bad:
        tiles.repair(options.file, tiles=found.bad)
        print(f"{options.file}: bad tiles deleted; learn --resume learns them again")
    return 3
