"""``rescorla top``: the strongest weights."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla._weights.weights import Weights
from rescorla.cli import command, printing, weight_files

KEYS = {
    "weights": "the file of weights",
    "cue": "the cue that --cue names, or null",
    "outcome": "the outcome that --outcome names, or null",
    "pairs": "a list of objects with cue, outcome and weight, in order",
}

_DESCRIPTION = """\
Print the strongest weights of a cue, of an outcome or of all pairs, by size, with their sign. Each line has
cue, outcome and weight, with tabs between."""


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(commands, run, "top FILE", "print the strongest weights", _DESCRIPTION, keys=KEYS)
    parser.add_argument("file", metavar="FILE", help="a file of weights: .npz, .npy, .nc or .zarr")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--cue", metavar="CUE", help="the outcomes of this cue")
    which.add_argument("--outcome", metavar="OUTCOME", help="the cues of this outcome")
    parser.add_argument(
        "-n", type=command.count, default=10, metavar="N", help="how many to print (default 10)"
    )
    parser.add_argument(
        "--by",
        choices=("size", "value"),
        default="size",
        help="the order: size, whatever the sign, or, with --cue or --outcome, value, from the most positive "
        "down (default size)",
    )


def run(options: argparse.Namespace) -> None:
    """Rank."""
    if options.by == "value" and options.cue is None and options.outcome is None:
        options.usage("--by value goes with --cue or --outcome")
    weights = weight_files.load(options.file)
    pairs = _ranked(weights, options)
    if options.json:
        asked = {"weights": options.file, "cue": options.cue, "outcome": options.outcome}
        printing.data(options, asked | {"pairs": weight_files.as_objects(pairs)})
    else:
        weight_files.print_pairs(pairs)


def _ranked(weights: Weights, options: argparse.Namespace) -> list[tuple[str, str, float]]:
    cue, outcome, n = options.cue, options.outcome, options.n
    if options.by == "size":
        if cue is not None:
            weights = weights[[cue], :]
        elif outcome is not None:
            weights = weights[:, [outcome]]
        return weights.strongest(n)
    pairs = weights.top(cue=cue, outcome=outcome, n=n)
    if outcome is None:
        return [(cue, name, weight) for name, weight in pairs]
    return [(name, outcome, weight) for name, weight in pairs]
