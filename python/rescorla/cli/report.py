"""``rescorla report``: a page in HTML."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from rescorla._events.events import Events
from rescorla._learn import trajectory_file
from rescorla._learn.trajectory import Trajectories
from rescorla._report.report import report as write
from rescorla._weights import files as kinds
from rescorla._weights.weights import Weights
from rescorla.cli import command, printing, source, weight_files

KEYS = {
    "files": "a list of the files, as they were given",
    "kind": "what was shown: weights, trajectories or events",
    "page": "the file that was written",
    "bytes": "how large it is",
}

_DESCRIPTION = """\
Write a page in HTML that shows weights, trajectories or events in any browser, without network and without
rescorla. Weights can be searched: each name has its strongest weights and its nearest names. Events are
learned in the page, and again when you move a slider. Several files of events are groups, each with a
chart."""


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands, run, "report FILE... -o PAGE", "write a page in HTML", _DESCRIPTION, keys=KEYS
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="weights (.npz, .npy, .nc or .zarr), trajectories (.npz), or events: event tables, binary event "
        "files or short running text",
    )
    parser.add_argument(
        "-o", "--output", metavar="PAGE", required=True, help="the file to write; its name ends in .html"
    )
    parser.add_argument(
        "--title", metavar="TEXT", help="the heading (default: the kind of content and its size)"
    )
    parser.add_argument(
        "-n",
        type=command.count,
        metavar="N",
        help="of weights: how many positive and negative ones to show for each name (default 50, or fewer "
        "if the page would exceed 10 MB)",
    )
    parser.add_argument(
        "--nearness",
        choices=("cosine", "correlation", "none"),
        help="of weights: the measure by which names are near; none leaves out the nearest names (default "
        "cosine)",
    )
    parser.add_argument("--alpha", type=float, metavar="A", help="of events: initial salience (default 0.1)")
    parser.add_argument(
        "--beta",
        type=float,
        nargs="+",
        metavar="B",
        help="of events: initial learning rate, or two: for present and for absent outcomes (default 0.1)",
    )
    parser.add_argument(
        "--lambda",
        dest="lambda_",
        type=float,
        metavar="L",
        help="of events: initial asymptote (default 1)",
    )
    source.add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Write."""
    given: dict[str, Any] = {
        "title": options.title,
        "n": options.n,
        "alpha": options.alpha,
        "beta": None if options.beta is None else weight_files.beta(options),
        "lambda_": options.lambda_,
        "nearness": options.nearness,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if options.nearness == "none":
        given["nearness"] = None
    result = _read(options)
    kind = "events" if isinstance(result, Events | dict) else type(result).__name__.lower()
    kind = "weights" if isinstance(result, Weights) else kind
    write(result, options.output, progress=options.progress, **given)
    n_bytes = os.path.getsize(options.output)
    shown = {f"{kind}": ", ".join(options.files), "page": options.output, "bytes": n_bytes}
    printing.show(printing.read_as(options) | shown)
    printing.data(options, {"files": options.files, "kind": kind, "page": options.output, "bytes": n_bytes})


def _read(options: argparse.Namespace) -> Weights | Trajectories | Events | dict[str, Events]:
    """What the files hold."""
    first = options.files[0]
    alone = len(options.files) == 1
    for file in options.files:
        if not alone and (
            trajectory_file.is_one(file) or kinds.is_weights_name(file) or kinds.is_store(file)
        ):
            options.usage(f"several files are groups of events, and {file} has none; report it by itself")
    if alone and trajectory_file.is_one(first):
        return Trajectories.load(first)
    if alone and (kinds.is_weights_name(first) or kinds.is_store(first)):
        return weight_files.load(first)
    if alone:
        return source.events(options.files, options)
    names = [Path(file).name.partition(".")[0] or file for file in options.files]
    if len(set(names)) < len(names):
        names = options.files
    if len(set(names)) < len(names):
        options.usage("a file is named twice; name it once")
    return {name: source.events([file], options) for name, file in zip(names, options.files, strict=True)}
