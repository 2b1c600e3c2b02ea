"""``rescorla activations``: what weights predict."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from rescorla._events.events import Events
from rescorla._learn.activations import activations
from rescorla._weights.disk import check_folder, naming, replacing
from rescorla._weights.ranking import largest
from rescorla._weights.tables import quoted
from rescorla._weights.weights import Weights
from rescorla.cli import command, names, report, source
from rescorla.cli import weights as files
from rescorla.cli.coding import Like

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rows: TypeAlias = "Iterator[tuple[tuple[str, ...], NDArray[Any]]]"
"""Of each event its cues and its activations."""

KEYS = report.COUNTED | {
    "coded_as": "of running text, the options that were taken from what made the events of the weights",
    "shape": "a list of the number of rows, one for each event, and of columns, one for each outcome",
    "saved_to": "the file of the activations; null without -o",
    "activations": "with --top: a list of objects, one for each event, with cues (a list), known (whether "
    "the weights have any of them) and top, a list of objects with outcome and activation",
}

_DESCRIPTION = """\
Compute what weights predict.

Running text is coded as the events of the weights were, as far as the weights say how; what is taken is told
on standard error. An option that is given counts, with a warning where it says something else."""

# Activations held at a time: 32 MB.
_BLOCK = 1 << 22

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands,
        run,
        "activations FILE... WEIGHTS",
        "compute what weights predict",
        _DESCRIPTION,
        keys=KEYS,
        common=("-o", "--top", "--outcomes", "--unknown", "--cues-from", "--threads", "--json"),
    )
    source.add_files(parser)
    parser.add_argument("weights", metavar="WEIGHTS", help="a file of weights: .npz, .npy, .nc or .zarr")
    parser.add_argument(
        "--unknown",
        dest="unknown_cues",
        choices=("error", "ignore"),
        default="error",
        help="what to do with unknown cues (default error)",
    )
    names.add(parser, "--outcomes", "OUTCOME", "the activations of these outcomes only, in this order")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file to write, with a row for each event and a column for each outcome: .csv or .tsv, with "
        "the names, or .npy",
    )
    parser.add_argument(
        "--top", type=command.count, metavar="N", help="print the N most active outcomes of each event"
    )
    command.add_threads(parser)
    source.add_options(parser)


def run(options: argparse.Namespace) -> None:
    """Predict."""
    if options.output is None and options.top is None:
        options.usage("give -o FILE, --top N or both")
    delimiter = None if options.output is None else _delimiter(options.output)
    weights = files.load(options.weights)
    events = source.events(options.files, options, like=Like(options.weights, weights.parameters))
    outcomes = names.names("outcomes", options.outcomes)
    choices = {
        "outcomes": outcomes,
        "unknown": options.unknown_cues,
        "threads": options.threads,
        "progress": options.progress,
    }
    columns = weights.outcomes if outcomes is None else tuple(outcomes)
    shape = len(events), len(columns)
    if options.output is not None:
        if delimiter is None:
            activations(events, weights, out=options.output, **choices)
        else:
            _write_table(options.output, delimiter, columns, _activated(events, weights, columns, choices))
    lines = report.read_as(options) | report.counts(events)
    if options.output is not None:
        report.show(
            lines | {"activations": " x ".join(map(str, shape))} | report.line("saved to", options.output)
        )
    # No bar between the lines that are printed.
    rows = _activated(events, weights, columns, choices | {"progress": False})
    if options.json:
        values = {name.replace(" ", "_"): value for name, value in lines.items()}
        values |= report.line("coded_as", getattr(options, "coded_as", None))
        values |= {"shape": shape, "saved_to": options.output}
        if options.top is None:
            report.data(options, values)
        else:
            report.listing(values, "activations", _objects(rows, weights, columns, options.top))
    elif options.top is not None:
        _print(rows, weights, columns, options.top)


def _print(rows: Rows, weights: Weights, columns: tuple[str, ...], n: int) -> None:
    for event, row in rows:
        if not _known(event, weights):
            # All outcomes have 0, so that none is the most active.
            print("_".join(event), "(no known cue)", sep="\t")
            continue
        for column in largest(row, n):
            # Adding 0 leaves no -0.
            print("_".join(event), columns[column], f"{row[column] + 0.0:.6g}", sep="\t")


def _objects(rows: Rows, weights: Weights, columns: tuple[str, ...], n: int) -> Iterator[dict[str, object]]:
    for event, row in rows:
        known = _known(event, weights)
        places = largest(row, n) if known else ()
        top = [{"outcome": columns[place], "activation": float(row[place]) + 0.0} for place in places]
        yield {"cues": event, "known": known, "top": top}


def _known(event: tuple[str, ...], weights: Weights) -> bool:
    """Whether the weights have any cue of an event."""
    return not weights.cue_numbers.keys().isdisjoint(event)


def _delimiter(path: str) -> str | None:
    """What separates the cells of the table that a path names; None for a .npy file."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix != ".npy" and suffix not in _DELIMITERS:
        raise ValueError(f"{path}: -o writes .csv, .tsv or .npy; give the file one of these suffixes")
    check_folder(os.path.dirname(os.path.realpath(path)))
    return _DELIMITERS.get(suffix)


def _write_table(path: str, delimiter: str, columns: tuple[str, ...], rows: Rows) -> None:
    """Write a table of a row for each event: its cues, joined by _, and the activations."""
    with (
        naming(path),
        replacing(path) as temporary,
        open(temporary, "w", encoding="utf-8", newline="") as file,
    ):
        file.write(delimiter.join(["cues", *(quoted(name, delimiter) for name in columns)]) + "\n")
        for event, row in rows:
            # As numpy writes them: as few digits as tell the number from all others of its type.
            file.write(delimiter.join([quoted("_".join(event), delimiter), *map(str, row + 0)]) + "\n")


def _activated(events: Events, weights: Weights, columns: tuple[str, ...], choices: dict[str, Any]) -> Rows:
    """Each event's cues and activations, computed for as many events at a time as a bounded memory holds."""
    step = max(1, _BLOCK // max(1, len(columns)))
    for start in range(0, len(events), step):
        part = events[start : start + step]
        for event, row in zip(part, activations(part, weights, **choices), strict=True):
            yield event.cues, row
