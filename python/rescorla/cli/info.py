"""``rescorla info``: what is in a file."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla._events.events import Events
from rescorla._learn.rescorla_wagner import forecast
from rescorla._weights import files
from rescorla._weights.weights import load_weights
from rescorla.cli import command, report, source


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(commands, run, "info FILE", "describe a file of events or of weights")
    parser.add_argument(
        "file", metavar="FILE", help="weights, running text, an event table or a binary event file"
    )
    source.add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Describe."""
    if files.is_weights_name(options.file) or files.is_store(options.file):
        weights = load_weights(options.file)
        shape = dict(zip(("cues", "outcomes"), weights.values.shape, strict=True))
        known = {"weights": options.file} | shape | {"values": weights.values.dtype} | weights.parameters
    else:
        events = source.events([options.file], options)
        known = {"file": options.file} | report.read_as(options) | events.info() | _prospect(events)
        # As given, rather than as the engine has it; and events in memory have none.
        del known["path"]
    report.show({name.replace("_", " "): value for name, value in known.items()})


def _prospect(events: Events) -> dict[str, str]:
    """What learning with the default parameters would cost."""
    prospect = forecast(events)
    updates = {
        f"learning: updates, {method}": f"{prospect[f'updates_{method}']:,}"
        for method in ("forward", "adjoint")
    }
    return updates | {
        "learning: method": prospect["method"],
        "learning: weights": f"{8 * events.n_cues * events.n_outcomes:,} bytes",
        "learning: memory besides": f"at most {sum(prospect['memory'].values()):,} bytes",
    }
