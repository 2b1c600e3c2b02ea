"""``rescorla learn``: weights, by the Rescorla-Wagner rule."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla._events.events import Events
from rescorla._learn.rescorla_wagner import learn
from rescorla._shared.checks import thread_count
from rescorla._store.learn import opened_or_made
from rescorla._store.work import go_on
from rescorla._weights import files
from rescorla.cli import command, report, source, weights


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
    parser.add_argument(
        "--resume", action="store_true", help="go on with the store that -o names: learn what is missing"
    )
    parser.add_argument(
        "--part",
        type=_part,
        metavar="I/N",
        help="learn only part I of N of the tiles of a store, I from 0 to N - 1; without a store it is made",
    )
    command.add_threads(parser)
    source.add_options(parser)


def run(options: argparse.Namespace) -> None:
    """Learn."""
    beta = weights.beta(options)
    mapped = weights.is_mapped(options.output)
    stored = options.output is not None and files.is_store(options.output)
    if (options.resume or options.part) and not stored:
        options.usage("--resume and --part need -o with a store, a name that ends in .zarr")
    if options.part and options.top is not None:
        options.usage("--top needs all tiles, and --part learns some of them")
    events = source.events(options.files, options)
    if options.part:
        _learn_part(options, events, beta)
        return
    learned = learn(
        events,
        alpha=options.alpha,
        beta=beta,
        lambda_=options.lambda_,
        dtype=options.dtype,
        method=options.method,
        threads=options.threads,
        out=options.output if mapped or stored else None,
        resume=options.resume,
        progress=options.progress,
    )
    if options.output is not None and not mapped and not stored:
        learned.save(options.output)
    weights.finish(options, events, learned)


def _learn_part(options: argparse.Namespace, events: Events, beta: float | tuple[float, float]) -> None:
    """Learn some of the tiles of a store."""
    how: dict[str, Any] = {"threads": thread_count(options.threads), "progress": options.progress}
    store, _, job = opened_or_made(
        events,
        files.store_path(options.output),
        method=None if options.method == "auto" else options.method,
        alpha=options.alpha,
        beta=beta,
        lambda_=options.lambda_,
        dtype=options.dtype,
        **how,
    )
    # Who made the store goes on with what the engine prepared for that.
    n, _ = go_on(store, events, job=job, part=options.part, **how)
    number, parts = options.part
    report.show({"tiles learned": n, "part": f"{number} of {parts}", "store": options.output})


def _part(text: str) -> tuple[int, int]:
    """Which part of how many."""
    number, slash, parts = text.partition("/")
    if not (slash and number.isascii() and number.isdigit() and parts.isascii() and parts.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no part I/N, such as 0/10")
    if int(number) >= int(parts):
        raise argparse.ArgumentTypeError(f"parts of {parts} are 0/{parts} to {int(parts) - 1}/{parts}")
    return int(number), int(parts)
