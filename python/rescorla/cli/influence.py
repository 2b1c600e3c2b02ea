"""``rescorla influence``: the events that made a weight."""

from __future__ import annotations

import argparse
import os
from typing import Any

from rescorla._learn.influence.influence import influence
from rescorla.cli import command, name_lists, printing, source, weight_files

KEYS = printing.COUNTED | {
    "seconds": "how long the work took, without reading",
    "value": "the weight, or the activation by several cues, after the last event",
    "initial": "what is left in it of the initial weights",
    "greatest": "a list of objects with row, effect, contribution, cues, outcomes and frequency",
}

_DESCRIPTION = """\
Print the events with the greatest effects on the weight of a cue to an outcome, or on the activation of the
outcome by several cues. Each line has the number of the row, the effect (the value without the row, less the
value with it), the contribution (what the row added), the cues, the outcomes and the frequency, with tabs
between. Rows are counted from 0."""


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands,
        run,
        "influence FILE... --cue CUE --outcome OUTCOME",
        "print the events that made a weight",
        _DESCRIPTION,
        keys=KEYS,
        common=("--cue", "--outcome", "-n", "--alpha", "--beta", "--cues-from", "--json"),
    )
    source.add_files(parser)
    parser.add_argument(
        "--cue",
        dest="cues",
        nargs="+",
        required=True,
        metavar="CUE",
        help="the cue; several, to ask about the activation",
    )
    parser.add_argument("--outcome", required=True, metavar="OUTCOME", help="the outcome")
    parser.add_argument(
        "-n", type=command.count, default=10, metavar="N", help="how many to print (default 10)"
    )
    parser.add_argument("--alpha", type=float, metavar="A", help="salience of the cues (default 0.1)")
    name_lists.add_numbers(parser, "--alpha", "cues", "salience")
    weight_files.add_beta(parser, 0.1)
    parser.add_argument(
        "--lambda", dest="lambda_", type=float, default=1.0, metavar="L", help="asymptote (default 1)"
    )
    weight_files.add_course(parser)
    source.add_options(parser)


def run(options: argparse.Namespace) -> None:
    """Find them."""
    beta = weight_files.beta(options)
    initial = None if options.initial is None else weight_files.load(os.fspath(options.initial))
    events = source.events(options.files, options)
    found = influence(
        events,
        options.cues,
        options.outcome,
        beta=beta,
        **weight_files.values_per_name(options, events, 0.1),
        retention=options.retention,
        schedule=options.schedule,
        initial=initial,
        n=max(options.n, 1),
        progress=options.progress,
    )
    counts, seconds = printing.counts(events), found.parameters["seconds"]
    numbers = {"value": found.value, "initial": found.initial}
    said = {"seconds": f"{seconds:.2f}"} | {name: f"{value:.6g}" for name, value in numbers.items()}
    printing.show(printing.read_as(options) | counts | said)
    greatest = found.top(options.n)
    if options.json:
        made = {"read_as": options.read_as} | counts | {"seconds": seconds} | numbers
        listed = [
            {"row": row, "effect": effect, "contribution": contribution} | event._asdict()
            for row, effect, contribution, event in greatest
        ]
        printing.data(options, made | {"greatest": listed})
        return
    for row, effect, contribution, event in greatest:
        names = ("_".join(event.cues), "_".join(event.outcomes))
        printing.row(str(row), f"{effect:.6g}", f"{contribution:.6g}", *names, str(event.frequency))
