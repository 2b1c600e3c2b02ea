"""``rescorla export``: weights, or some of them, in another format."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla._shared.checks import chosen
from rescorla.cli import command, name_lists, printing, weight_files

KEYS = {
    "weights": "the file of weights",
    "saved_to": "the file that was written",
    "cues": "how many cues it has",
    "outcomes": "how many outcomes it has",
}

_DESCRIPTION = """\
Write weights, or those of some cues and outcomes. The suffix of -o says the format. Tables (.csv, .tsv,
.parquet) are for other programs; rescorla reads .npz, .npy, .nc and .zarr.

The first column of a table has the cues. It is called cue; beside an outcome of that name cue_, cue__ and so
on."""

_TABLES = (".csv", ".tsv", ".parquet")


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands, run, "export FILE -o OUTPUT", "write weights in another format", _DESCRIPTION, keys=KEYS
    )
    parser.add_argument("file", metavar="FILE", help="a file of weights: .npz, .npy, .nc or .zarr")
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUTPUT",
        required=True,
        help="the file to write: .csv, .tsv, .parquet, .npz, .npy, .nc or .zarr",
    )
    name_lists.add(parser, "--cues", "CUE", "write the weights of these cues, in this order")
    name_lists.add(parser, "--outcomes", "OUTCOME", "write the weights to these outcomes, in this order")
    parser.add_argument(
        "--long",
        action="store_true",
        help="in a table a row for each pair, with cue, outcome and weight, instead of one for each cue",
    )


def run(options: argparse.Namespace) -> None:
    """Write."""
    if options.long and not options.output.lower().endswith(_TABLES):
        options.usage("--long is for tables: -o with a name that ends in .csv, .tsv or .parquet")
    weight_files.is_mapped(options.output)
    weights = weight_files.load(options.file)
    rows, columns = (name_lists.names(name, getattr(options, name)) for name in ("cues", "outcomes"))
    for side, names, known in (
        ("cues", rows, weights._row_numbers),
        ("outcomes", columns, weights._column_numbers),
    ):
        name_lists.check_apart(side, names, known)
        if names is not None:
            chosen(side, names, known)
    if rows is not None or columns is not None:
        everything = slice(None)
        weights = weights[everything if rows is None else rows, everything if columns is None else columns]
    weights.save(options.output, long=options.long)
    n_cues, n_outcomes = weights.shape
    written = {"weights": options.file, "saved to": options.output, "cues": n_cues, "outcomes": n_outcomes}
    printing.show(written)
    printing.data(options, {name.replace(" ", "_"): value for name, value in written.items()})
