"""``rescorla verify``: whether a file of events or of weights is sound."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla import tiles
from rescorla._core import FormatError
from rescorla._learn.verify import Verified, verify
from rescorla._weights import files
from rescorla.cli import command, printing

KEYS = {
    "file": "the file, as it was given",
    "kind": "events, weights or store",
    "sound": "whether nothing is missing or bad; a damaged file that is no store is an error instead",
    "events": "of events, how many there are",
    "cues": "of weights, how many cues",
    "outcomes": "of weights, how many outcomes",
    "tiles": "of a store, how many tiles it has",
    "missing": "of a store, the numbers of the tiles that are not there",
    "bad": "of a store, the numbers of the tiles that are damaged",
    "repaired": "of a store, the numbers of the tiles that --repair deleted",
}


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands,
        run,
        "verify FILE",
        "check a binary event file, or weights, against its checksums",
        keys=KEYS,
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
    if options.repair and not files.is_store(options.file):
        options.usage("--repair is for a store, a name that ends in .zarr")
    found = verify(options.file, progress=options.progress)
    if found.wrong and not found.bad:
        raise FormatError(found.wrong[0])
    described: dict[str, object] = {"file": options.file, "kind": found.kind, "sound": bool(found)}
    if found.kind == "store":
        repaired = _say_tiles(options, found)
        described |= {"tiles": found.n_tiles, "missing": found.missing, "bad": found.bad}
        described["repaired"] = repaired
    elif found.kind == "weights":
        n_cues, n_outcomes = found.shape
        _say(options, f"sound, weights of {n_cues:,} cues x {n_outcomes:,} outcomes")
        described |= {"cues": n_cues, "outcomes": n_outcomes}
    else:
        _say(options, f"sound, {found.shape[0]:,} events")
        described["events"] = found.shape[0]
    printing.data(options, described)
    return None if found else 3


def _say(options: argparse.Namespace, found: str) -> None:
    """A line of what was found, which is what was asked for unless --json asks for an object."""
    if not options.json:
        printing.row(f"{options.file}: {found}")


def _say_tiles(options: argparse.Namespace, found: Verified) -> list[int]:
    """Say what the tiles of a store are like; those that --repair deleted."""
    if found:
        _say(options, f"sound, all {found.n_tiles:,} tiles are there")
    for numbers, what in ((found.missing, "missing"), (found.bad, "bad")):
        if numbers:
            listed = ", ".join(map(str, numbers[:20])) + (" ..." if len(numbers) > 20 else "")
            _say(options, f"{len(numbers):,} of {found.n_tiles:,} tiles {what}: {listed}")
    if not (options.repair and found.bad):
        return []
    repaired = tiles.repair(options.file, tiles=found.bad)
    _say(options, "bad tiles deleted; learn --resume learns them again")
    return repaired
