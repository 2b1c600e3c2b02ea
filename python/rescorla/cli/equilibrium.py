"""``rescorla equilibrium``: the weights that learning tends to."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from rescorla._learn.equilibrium import equilibrium
from rescorla.cli import command, name_lists, source, weight_files


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands,
        run,
        "equilibrium FILE...",
        "compute the weights that learning tends to",
        keys=weight_files.KEYS,
        common=("--beta", "--cues-from", "--ridge", "-o", "--top", "--threads", "--json"),
    )
    source.add_files(parser)
    parser.add_argument(
        "--alpha",
        type=float,
        metavar="A",
        help="salience of the cues; if there are several solutions, give the one with the least sum of w^2/A",
    )
    name_lists.add_numbers(parser, "--alpha", "cues", "salience")
    weight_files.add_beta(parser, 1.0)
    parser.add_argument(
        "--ridge",
        type=float,
        default=0.0,
        metavar="R",
        help="penalty on large weights, with --initial on large changes (default 0)",
    )
    parser.add_argument(
        "--initial",
        type=Path,
        metavar="WEIGHTS",
        help="start from the weights in this file; if there are several solutions, give the one nearest to "
        "them",
    )
    parser.add_argument(
        "--method",
        choices=("auto", "dense", "iterative"),
        default="auto",
        help="the method of solving (default auto: dense for up to 10,000 cues)",
    )
    parser.add_argument(
        "--tol",
        type=float,
        metavar="T",
        help="the tolerance: what counts as zero (dense), or when to stop (iterative)",
    )
    weight_files.add_options(parser)
    command.add_threads(parser)
    source.add_options(parser)


def run(options: argparse.Namespace) -> None:
    """Solve."""
    beta = weight_files.beta(options)
    # Solving does not fill a file: only what is wrong with its name matters here.
    weight_files.is_mapped(options.output)
    initial = None if options.initial is None else weight_files.load(os.fspath(options.initial))
    events = source.events(options.files, options)
    if options.output is not None:
        cure = "name a file on another disk"
        weight_files.check_room(options.output, events, initial, "float64", cure)
    solved = equilibrium(
        events,
        beta=beta,
        **weight_files.values_per_name(options, events, None),
        ridge=options.ridge,
        method=options.method,
        tol=options.tol,
        threads=options.threads,
        initial=initial,
        progress=options.progress,
    )
    if options.output is not None:
        solved.save(options.output)
    weight_files.finish(options, events, solved)
