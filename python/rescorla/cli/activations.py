"""``rescorla activations``: what weights predict."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rescorla._events.events import Events
from rescorla._learn.activations import activations
from rescorla._weights.disk import check_folder, naming, replacing
from rescorla._weights.ranking import largest
from rescorla._weights.tables import first_header, quoted
from rescorla._weights.weights import Weights
from rescorla.cli import command, name_lists, printing, source, weight_files
from rescorla.cli.coding import code_like

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Row(NamedTuple):
    """An event's cues, and the activations of outcomes by them."""

    cues: tuple[str, ...]
    outcomes: Sequence[str]
    activations: NDArray[Any]


KEYS = printing.COUNTED | {
    "coded_as": "of running text, the options that were taken from what made the events of the weights",
    "shape": "a list of the numbers of rows (events) and columns (outcomes); with --present-only of one "
    "number, that of the outcomes of all events",
    "saved_to": "the file of the activations; null without -o",
    "activations": "with --top: for each event an object of cues (a list), known (whether the weights "
    "have any) and top (a list of objects of outcome and activation)",
}

_DESCRIPTION = """\
Compute the activations of outcomes.

Running text becomes cues as it did for the events of the weights, if the weights have a record of it.
Standard error shows the options that were taken from there. Options that you give count instead, with a
warning if they differ.

The first column of a table has the cues. It is called cues; beside an outcome of that name cues_, cues__ and
so on."""

# Activations held at a time: 32 MB.
_BLOCK = 1 << 22

# Events whose outcomes, which are few, have their activations held at a time.
_EVENTS = 1 << 16

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
        common=(
            "-o",
            "--top",
            "--outcomes",
            "--present-only",
            "--unknown",
            "--cues-from",
            "--threads",
            "--json",
        ),
    )
    source.add_files(parser)
    parser.add_argument("weights", metavar="WEIGHTS", help="a file of weights: .npz, .npy, .nc or .zarr")
    parser.add_argument(
        "--unknown",
        dest="unknown_cues",
        choices=("error", "ignore"),
        default="error",
        help="what to do with unknown cues and, with --present-only, unknown outcomes, which get NaN if they "
        "are ignored (default error)",
    )
    name_lists.add(
        parser, "--outcomes", "OUTCOME", "compute the activations of these outcomes only, in this order"
    )
    parser.add_argument(
        "--present-only",
        action="store_true",
        help="compute only the activations of the outcomes that are present in each event",
    )
    parser.add_argument(
        "--dtype", choices=("float64", "float32"), help="type to compute in (default: that of the weights)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file to write: .csv or .tsv, with names, or .npy; a row for each event and a column for "
        "each outcome; with --present-only a row for each outcome of each event: number of the event from "
        "1, cues, outcome, activation",
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
    if options.present_only and options.outcomes is not None:
        options.usage("--outcomes and --present-only ask for different things; give one of them")
    delimiter = None if options.output is None else _delimiter(options.output)
    weights = weight_files.load(options.weights)
    like = partial(code_like, options.weights, weights.parameters)
    events = source.events(options.files, options, like=like)
    outcomes = name_lists.names("outcomes", options.outcomes)
    name_lists.check_apart("outcomes", outcomes, weights._column_numbers)
    choices = {
        "outcomes": outcomes,
        "present_only": options.present_only,
        "unknown": options.unknown_cues,
        "dtype": options.dtype,
        "threads": options.threads,
        "progress": options.progress,
    }
    columns = None if options.present_only else weights.outcomes if outcomes is None else tuple(outcomes)
    shape = [_n_present(events)] if columns is None else [len(events), len(columns)]
    if options.output is not None:
        if delimiter is None:
            activations(events, weights, out=options.output, **choices)
        else:
            rows = _activated(events, weights, columns, choices)
            _write_table(options.output, delimiter, columns, rows)
    lines = printing.read_as(options) | printing.counts(events)
    if options.output is not None:
        size = " x ".join(map(str, shape))
        printing.show(lines | {"activations": size} | printing.line("saved to", options.output))
    # No bar between the lines that are printed.
    rows = _activated(events, weights, columns, choices | {"progress": False})
    if options.json:
        values = {name.replace(" ", "_"): value for name, value in lines.items()}
        values |= printing.line("coded_as", getattr(options, "coded_as", None))
        values |= {"shape": shape, "saved_to": options.output}
        if options.top is None:
            printing.data(options, values)
        else:
            printing.listing(values, "activations", _objects(rows, weights, options.top))
    elif options.top is not None:
        _print(rows, weights, options.top)


def _print(rows: Iterator[Row], weights: Weights, n: int) -> None:
    for event in rows:
        cues = "_".join(event.cues)
        if not _known(event.cues, weights):
            # All outcomes have 0, so that none is the most active.
            printing.row(cues, "(no known cue)")
            continue
        for column in largest(event.activations, n):
            # Adding 0 leaves no -0.
            printing.row(cues, event.outcomes[column], f"{event.activations[column] + 0.0:.6g}")


def _objects(rows: Iterator[Row], weights: Weights, n: int) -> Iterator[dict[str, object]]:
    for event in rows:
        known = _known(event.cues, weights)
        places = largest(event.activations, n) if known else ()
        top = [
            {"outcome": event.outcomes[place], "activation": float(event.activations[place]) + 0.0}
            for place in places
        ]
        yield {"cues": event.cues, "known": known, "top": top}


def _known(event: tuple[str, ...], weights: Weights) -> bool:
    """Whether the weights have any cue of an event."""
    return not weights._row_numbers.keys().isdisjoint(event)


def _n_present(events: Events) -> int:
    """How many outcomes events have, all told."""
    return int(events._file.csr("outcomes")[0][-1])


def _delimiter(path: str) -> str | None:
    """What separates the cells of the table that a path names; None for a .npy file."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix != ".npy" and suffix not in _DELIMITERS:
        raise ValueError(f"{path}: -o writes .csv, .tsv or .npy; give the file one of these suffixes")
    check_folder(os.path.dirname(os.path.realpath(path)))
    return _DELIMITERS.get(suffix)


def _write_table(path: str, delimiter: str, columns: Sequence[str] | None, rows: Iterator[Row]) -> None:
    """Write a table of a row for each event: its cues, joined by _, and the activations.

    Where there are no columns each event has outcomes of its own, and each of these a row.
    """
    if columns is None:
        head = ["event", "cues", "outcome", "activation"]
    else:
        head = [first_header("cues", columns), *columns]
    with (
        naming(path),
        replacing(path) as temporary,
        open(temporary, "w", encoding="utf-8", newline="") as file,
    ):
        file.write(delimiter.join(quoted(name, delimiter) for name in head) + "\n")
        for number, event in enumerate(rows, 1):
            cues = quoted("_".join(event.cues), delimiter)
            # As numpy writes them: as few digits as tell the number from all others of its type.
            cells = map(str, event.activations + 0)
            if columns is not None:
                file.write(delimiter.join([cues, *cells]) + "\n")
                continue
            for outcome, cell in zip(event.outcomes, cells, strict=True):
                file.write(delimiter.join([str(number), cues, quoted(outcome, delimiter), cell]) + "\n")


def _activated(
    events: Events, weights: Weights, columns: Sequence[str] | None, choices: dict[str, Any]
) -> Iterator[Row]:
    """Each event's activations, computed for as many events at a time as a bounded memory holds."""
    step = _EVENTS if columns is None else max(1, _BLOCK // max(1, len(columns)))
    for start in range(0, len(events), step):
        part = events[start : start + step]
        found = activations(part, weights, **choices)
        if columns is None:
            yield from _of_present(part, found)
        else:
            for event, row in zip(part, found, strict=True):
                yield Row(event.cues, columns, row)


def _of_present(events: Events, found: NDArray[Any]) -> Iterator[Row]:
    """Each event's part of the activations of the outcomes that are present."""
    end = 0
    for event in events:
        start, end = end, end + len(event.outcomes)
        yield Row(event.cues, event.outcomes, found[start:end])
