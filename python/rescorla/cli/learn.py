"""``rescorla learn``: weights, by the Rescorla-Wagner rule."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla._learn.rescorla_wagner import learn
from rescorla.cli import command, source, weights


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(commands, run, "learn FILE...", "learn association weights")
    source.add_files(parser)
    parser.add_argument(
        "--alpha", type=float, default=0.1, metavar="A", help="salience of the cues (default 0.1)"
    )
    weights.add_beta(parser, 0.1)
    parser.add_argument(
        "--dtype", choices=("float64", "float32"), default="float64", help="type of the weights"
    )
    parser.add_argument(
        "--method",
        choices=("auto", "forward", "adjoint"),
        default="auto",
        help="how to compute (default auto: the one with less work)",
    )
    weights.add_options(parser)
    command.add_threads(parser)
    source.add_options(parser)


def run(options: argparse.Namespace) -> None:
    """Learn."""
    beta = weights.beta(options)
    mapped = weights.is_mapped(options.output)
    events = source.events(options.files, options)
    learned = learn(
        events,
        alpha=options.alpha,
        beta=beta,
        lambda_=options.lambda_,
        dtype=options.dtype,
        method=options.method,
        threads=options.threads,
        out=options.output if mapped else None,
        progress=options.progress,
    )
    if options.output is not None and not mapped:
        learned.save(options.output)
    weights.finish(options, events, learned)
