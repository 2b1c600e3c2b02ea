"""``rescorla activations``: what weights predict."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rescorla._events.events import Events
from rescorla._learn.activations import activations
from rescorla._weights.weights import Weights, largest
from rescorla.cli import command, report, source
from rescorla.cli import weights as files

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Activations held at a time: 32 MB.
_BLOCK = 1 << 22


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(commands, run, "activations FILE... WEIGHTS", "compute what weights predict")
    source.add_files(parser)
    parser.add_argument("weights", metavar="WEIGHTS", help="a file of weights: .npz, .npy or .nc")
    parser.add_argument(
        "--unknown",
        dest="unknown_cues",
        choices=("error", "ignore"),
        default="error",
        help="what to do with unknown cues (default error)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the .npy file to write: a row for each event")
    parser.add_argument(
        "--top", type=command.count, metavar="N", help="print the N most active outcomes of each event"
    )
    command.add_threads(parser)
    source.add_options(parser)


def run(options: argparse.Namespace) -> None:
    """Predict."""
    if options.output is None and options.top is None:
        options.usage("give -o FILE, --top N or both")
    weights = files.load(options.weights)
    events = source.events(options.files, options)
    choices = {"unknown": options.unknown_cues, "threads": options.threads, "progress": options.progress}
    if options.output is not None:
        values = activations(events, weights, out=options.output, **choices)
        shape = {"activations": " x ".join(map(str, values.shape))}
        report.show(
            report.read_as(options) | report.counts(events) | shape | report.line("saved to", options.output)
        )
    if options.top is not None:
        # No bar between the lines that are printed.
        for event, row in _activated(events, weights, choices | {"progress": False}):
            if weights.cue_numbers.keys().isdisjoint(event):
                # All outcomes have 0, so that none is the most active.
                print("_".join(event), "(no known cue)", sep="\t")
                continue
            for column in largest(row, options.top):
                # Adding 0 leaves no -0.
                print("_".join(event), weights.outcomes[column], f"{row[column] + 0.0:.6g}", sep="\t")


def _activated(
    events: Events, weights: Weights, choices: dict[str, Any]
) -> Iterator[tuple[tuple[str, ...], NDArray[Any]]]:
    """Each event's cues and activations, computed for as many events at a time as a bounded memory holds."""
    step = max(1, _BLOCK // max(1, len(weights.outcomes)))
    for start in range(0, len(events), step):
        part = events[start : start + step]
        for event, row in zip(part, activations(part, weights, **choices), strict=True):
            yield event.cues, row
