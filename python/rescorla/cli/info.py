"""``rescorla info``: what is in a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from rescorla._learn.rescorla_wagner import forecast
from rescorla._weights import files
from rescorla._weights.load import load_weights
from rescorla.cli import command, origin, printing, source

KEYS = {
    "file": "the file, as it was given",
    "kind": "events or weights",
    "read_as": "of events, the format that the file was read as",
    "version": "of events, the version of the binary event file",
    "encoding": "of events, how the binary form has them",
    "n_events": "how many events",
    "n_tokens": "how many tokens: events, each as often as its frequency says",
    "n_cues": "how many cues",
    "n_outcomes": "how many outcomes",
    "n_types": "how many event types the dictionary of the binary form has",
    "n_chunks": "how many chunks the binary form has",
    "n_bytes": "how many bytes the binary form takes",
    "bytes_per_event": "the same for each event",
    "learning": "of events, what learning with the default parameters would cost: an object of method, "
    "updates_forward, updates_adjoint, bytes_of_weights and bytes_besides (at most)",
    "dtype": "of weights, their type",
    "parameters": "of events, what made them (Events.parameters); of weights, how they were learned and what "
    "made their events (Weights.parameters)",
}


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(commands, run, "info FILE", "describe a file of events or of weights", keys=KEYS)
    parser.add_argument(
        "file", metavar="FILE", help="weights, running text, an event table or a binary event file"
    )
    source.add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Describe."""
    if files.is_weights_name(options.file) or files.is_store(options.file):
        known, described = _of_weights(options.file)
    else:
        known, described = _of_events(options)
    if options.json:
        printing.data(options, described)
    else:
        # The description is what was asked for.
        printing.show({name.replace("_", " "): value for name, value in known.items()}, file=sys.stdout)


def _of_weights(file: str) -> tuple[dict[str, object], dict[str, object]]:
    weights = load_weights(file)
    n_cues, n_outcomes = weights.shape
    dtype = weights.data.dtype
    known = {"weights": file, "cues": n_cues, "outcomes": n_outcomes, "values": dtype} | weights.parameters
    # What pyndl learned of weights of ours has it as text.
    if isinstance(events := known.get("events"), Mapping):
        del known["events"]
        known |= origin.lines(events, "events")
    described = {"file": file, "kind": "weights", "n_cues": n_cues, "n_outcomes": n_outcomes}
    return known, described | {"dtype": str(dtype), "parameters": weights.parameters}


def _of_events(options: argparse.Namespace) -> tuple[dict[str, object], dict[str, object]]:
    events = source.events([options.file], options)
    numbers = events.info()
    # As given, rather than as the engine has it; and events in memory have none.
    del numbers["path"]
    prospect = forecast(events)
    method, besides = prospect["method"], sum(prospect["memory"].values())
    bytes_of_weights = 8 * events.n_cues * events.n_outcomes
    updates = {each: prospect[f"updates_{each}"] for each in ("forward", "adjoint")}
    known = {"file": options.file} | printing.read_as(options) | numbers
    known |= {f"learning: updates, {each}": f"{n:,}" for each, n in updates.items()}
    known |= {
        "learning: method": method,
        "learning: weights": f"{bytes_of_weights:,} bytes",
        "learning: memory besides": f"at most {besides:,} bytes",
    }
    learning = {"method": method} | {f"updates_{each}": n for each, n in updates.items()}
    learning |= {"bytes_of_weights": bytes_of_weights, "bytes_besides": besides}
    described = {"file": options.file, "kind": "events", "read_as": options.read_as} | numbers
    described["parameters"] = events.parameters
    if events.path is not None:
        # Of text and tables it is this command that makes events.
        known |= origin.lines(events.parameters)
    return known, described | {"learning": learning}
