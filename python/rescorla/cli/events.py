"""``rescorla events``: events of text, of tables, of events."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from rescorla._core import Scratch, written_as
from rescorla._events.bands import bandsample
from rescorla._events.events import Events
from rescorla.cli import command, event_tables, printing, source

# The options that are arguments of Events.filter, apart from duplicates.
_NAMES = (
    "keep_cues",
    "keep_outcomes",
    "remove_cues",
    "remove_outcomes",
    "cue_map",
    "outcome_map",
    "min_cue_count",
    "min_outcome_count",
    "max_cues",
    "max_outcomes",
)

KEYS = printing.COUNTED | {
    "saved_to": "the binary event file",
    "table": "the event table",
    "cue_counts": "the table of cues",
    "outcome_counts": "the table of outcomes",
    "test_events": "with --split: how many events were held back",
    "test_saved_to": "with --split: the file of the events that were held back",
}

_DESCRIPTION = """\
Write a binary event file, an event table, or how often names occur.

Options apply in this order, however you give them. FILEs are read one after another. Names are filtered. A
band sample of the remaining outcomes is drawn. The first events are taken. Tokens are drawn, shuffled or
repeated. What is left is split. Each random step uses --seed. With -o, events between two steps go into
temporary files beside it, not into memory."""

_EPILOG = """\
A LIST has a name in each line. What follows a tab is ignored, so a table of --cue-counts is a LIST. A MAP has
a name, a tab and its new name in each line. Several new names are joined by _. Both may be compressed."""


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands,
        run,
        "events FILE...",
        "write a binary event file, an event table or counts",
        _DESCRIPTION,
        keys=KEYS,
        common=(
            "-o",
            "--table",
            "--outcome-counts",
            "--cues-from",
            "--window",
            "--symbols",
            "--head",
            "--json",
        ),
    )
    parser.epilog = _EPILOG
    source.add_files(parser)
    _add_outputs(parser)
    command.add_threads(parser)
    source.add_options(parser)
    _add_names(parser)
    _add_tokens(parser)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="FILE", help="the binary event file to write")
    group.add_argument(
        "--table",
        type=event_tables.target,
        metavar="FILE",
        help="the event table to write, compressed if its name ends in .gz, .xz or .zst, with commas and "
        "quotes if in .csv; - for standard output",
    )
    group.add_argument(
        "--cue-counts",
        type=event_tables.target,
        metavar="FILE",
        help="the table to write with each cue and its number of tokens; suffixes as for --table",
    )
    group.add_argument(
        "--outcome-counts", type=event_tables.target, metavar="FILE", help="the same for outcomes"
    )


def _add_names(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "names",
        "Give at most one list or map for cues, and one for outcomes. An event that loses all its cues is "
        "dropped.",
    )
    for side in ("cues", "outcomes"):
        one = side[:-1]
        group.add_argument(f"--keep-{side}", type=Path, metavar="LIST", help=f"remove all {side} but these")
        group.add_argument(f"--remove-{side}", type=Path, metavar="LIST", help=f"remove these {side}")
        group.add_argument(
            f"--{one}-map",
            type=Path,
            metavar="MAP",
            help=f"new names of {side}; {side} that the map lacks are removed",
        )
        group.add_argument(
            f"--min-{one}-count",
            type=command.count,
            metavar="N",
            help=f"remove {side} that are in fewer than N tokens",
        )
        group.add_argument(
            f"--max-{side}",
            type=command.count,
            metavar="N",
            help=f"remove all {side} but the N most frequent",
        )
    group.add_argument(
        "--bandsample",
        type=command.count,
        metavar="N",
        help="remove all outcomes but about N, drawn from all bands of frequency",
    )
    group.add_argument(
        "--cutoff",
        type=command.count,
        metavar="C",
        help="draw no outcomes that are in fewer than C tokens (default 5)",
    )


def _add_tokens(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("events and tokens")
    group.add_argument(
        "--head",
        type=command.count,
        metavar="N",
        help="take the first N events; the rest of an event table is not read, and its names are not kept",
    )
    group.add_argument("--sample", type=command.count, metavar="N", help="draw N tokens, with replacement")
    group.add_argument("--shuffle", action="store_true", help="put the tokens in random order")
    group.add_argument(
        "--passes",
        type=command.count,
        metavar="N",
        help="repeat the events N times; with --shuffle, the tokens in another random order each time",
    )
    group.add_argument(
        "--split",
        type=_part,
        metavar="PART",
        help="hold back events for testing, a share such as 0.1 or a number: the last ones, or random "
        "ones with --seed; the others go to -o",
    )
    group.add_argument(
        "--test-output",
        metavar="FILE",
        help="the binary event file to write with the events that --split holds back",
    )
    group.add_argument(
        "--seed", type=command.count, metavar="S", help="the seed of random numbers, a whole number"
    )


def run(options: argparse.Namespace) -> None:
    """Make events and write them."""
    _check(options)
    # Names that are removed leave events out: then the first ones are those that are left.
    limit = None if _filters(options) else options.head
    steps = list(_steps(options, head=limit is None))
    with _scratch(options.output) as scratch:
        # The last step writes what is to be written.
        last = options.output if options.split is None else None
        events = source.events(options.files, options, None if steps else last, scratch, limit)
        for step in steps:
            events = step(events, (last if step is steps[-1] else None) or scratch())
        test = None
        if options.split is not None:
            events, test = events.split(
                options.split,
                options.seed,
                paths=(options.output, options.test_output),
                progress=options.progress,
            )
        if options.table is not None:
            event_tables.write_events(events, options.table, progress=options.progress)
        if options.cue_counts is not None:
            event_tables.write_counts("cues", events.cues, events.cue_counts.tolist(), options.cue_counts)
        if options.outcome_counts is not None:
            counts = events.outcome_counts.tolist()
            event_tables.write_counts("outcomes", events.outcomes, counts, options.outcome_counts)
    if event_tables.STANDARD_OUTPUT in _tables(options):
        return
    written = (
        printing.read_as(options)
        | printing.counts(events)
        | printing.line("saved to", options.output)
        | printing.line("table", options.table)
        | printing.line("cue counts", options.cue_counts)
        | printing.line("outcome counts", options.outcome_counts)
        | ({} if test is None else {"test events": len(test), "test saved to": options.test_output})
    )
    printing.show(written)
    printing.data(options, {name.replace(" ", "_"): value for name, value in written.items()})


def _filters(options: argparse.Namespace) -> bool:
    """Whether names are removed."""
    return options.bandsample is not None or any(getattr(options, name) is not None for name in _NAMES)


def _tables(options: argparse.Namespace) -> tuple[str | None, ...]:
    return options.table, options.cue_counts, options.outcome_counts


def _check(options: argparse.Namespace) -> None:
    """Wrong usage of options together."""
    written = _tables(options)
    for flag, path in (("-o", options.output), ("--test-output", options.test_output)):
        if path is not None and written_as(path) != "other":
            raise ValueError(
                f"{path}: {flag} writes a binary file; --table writes tables, and a binary file needs "
                "another suffix, such as .rw"
            )
    if options.output is None and all(table is None for table in written):
        options.usage("give -o FILE, --table FILE, --cue-counts FILE, --outcome-counts FILE or several")
    if written.count(event_tables.STANDARD_OUTPUT) > 1:
        options.usage("only one table can go to standard output (-)")
    if options.json and event_tables.STANDARD_OUTPUT in written:
        options.usage("--json writes to standard output, and so does a table with -; name a file for it")
    if (options.split is None) != (options.test_output is None):
        options.usage("--split PART and --test-output FILE go together")
    if options.split is not None and options.output is None:
        options.usage("--split needs -o FILE for the events that it does not hold back")
    if options.sample is not None and (options.shuffle or options.passes is not None):
        options.usage("--sample goes without --shuffle and --passes: a sample is in random order")
    if options.cutoff is not None and options.bandsample is None:
        options.usage("--cutoff goes with --bandsample N")
    drawing = {
        "--sample": options.sample is not None,
        "--shuffle": options.shuffle,
        "--bandsample": options.bandsample is not None,
    }
    if options.seed is None and any(drawing.values()):
        options.usage(f"{next(flag for flag, given in drawing.items() if given)} needs --seed S")
    if options.seed is not None and options.split is None and not any(drawing.values()):
        options.usage("--seed S is for --sample, --shuffle, --bandsample and --split")


def _steps(options: argparse.Namespace, *, head: bool) -> Iterator[Callable[[Events, str | None], Events]]:
    """What is done with the events that are read, in this order: events of events, in memory or in a file.

    With `head` more are read than are taken.
    """
    progress, seed = options.progress, options.seed
    names = {name: value for name in _NAMES if (value := getattr(options, name)) is not None}
    if names:
        if options.duplicates is not None:
            names["duplicates"] = options.duplicates
        yield lambda events, path: events.filter(path=path, **names, progress=progress)
    if options.bandsample is not None:
        yield lambda events, path: events.filter(
            path=path, keep_outcomes=_drawn(options, events), progress=progress
        )
    if options.head is not None and head:
        yield lambda events, path: events.head(options.head, path=path, progress=progress)
    if options.sample is not None:
        yield lambda events, path: events.sample(options.sample, seed, path=path, progress=progress)
    elif options.shuffle or options.passes is not None:
        n = 1 if options.passes is None else options.passes
        order = seed if options.shuffle else None
        yield lambda events, path: events.passes(n, order, path=path, progress=progress)


def _drawn(options: argparse.Namespace, events: Events) -> dict[str, int]:
    """Outcomes from all bands of frequency."""
    counts = dict(zip(events.outcomes, events.outcome_counts.tolist(), strict=True))
    cutoff = {} if options.cutoff is None else {"cutoff": options.cutoff}
    return bandsample(counts, options.bandsample, seed=options.seed, **cutoff)


@contextmanager
def _scratch(output: str | None) -> Iterator[Callable[[], str | None]]:
    """Names for the files of steps, in a folder beside the output that is gone in the end; None in memory."""
    if output is None:
        yield lambda: None
        return
    folders: list[Scratch] = []
    numbers = count()

    def name() -> str:
        if not folders:
            folders.append(Scratch(output))
        return os.path.join(folders[0].path, str(next(numbers)))

    try:
        yield name
    except OSError as error:
        if folders and str(error.filename).startswith(folders[0].path):
            # What the user knows of is the file that comes of it.
            raise OSError(error.errno, error.strerror, output) from error
        raise
    finally:
        for folder in folders:
            folder.remove()


def _part(text: str) -> int | float:
    return command.as_number(text, "share, such as 0.1, and no number of events")
