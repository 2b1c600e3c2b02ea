"""``rescorla learn``: weights, by the Rescorla-Wagner rule."""

from __future__ import annotations

import argparse
import os
import re
from typing import Any

from rescorla._learn.rescorla_wagner import FEWER, learn
from rescorla._learn.rule import FIRST, RULES
from rescorla._weights import files
from rescorla.cli import command, name_lists, printing, source, weight_files

KEYS = weight_files.KEYS | {
    "part": "with --part, which gives only this key and the next two: a list of the part and of how many "
    "there are",
    "store": "with --part: the store",
    "tiles_missing": "with --part: how many tiles of the store are not learned yet, of any part",
}

# Units of memory.
_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{unit}": base**power
    for unit, base, prefixes in (("iB", 1024, "KMGT"), ("B", 1000, "kMGT"))
    for power, prefix in enumerate(prefixes, 1)
}


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands,
        run,
        "learn FILE...",
        "learn association weights",
        keys=KEYS,
        common=("--alpha", "--beta", "--cues-from", "--outcomes", "-o", "--top", "--threads", "--json"),
    )
    source.add_files(parser)
    parser.add_argument("--alpha", type=float, metavar="A", help="salience of the cues (default 0.1)")
    name_lists.add_numbers(parser, "--alpha", "cues", "salience")
    weight_files.add_beta(parser, 0.1)
    weight_files.add_options(parser)
    _add_rule(parser)
    parser.add_argument(
        "--dtype", choices=("float64", "float32"), default="float64", help="type of the weights"
    )
    parser.add_argument(
        "--method",
        choices=("auto", "forward", "adjoint"),
        default="auto",
        help="the method of learning (default auto: the one with less work)",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue the store that -o names: learn the tiles that are missing",
    )
    parser.add_argument(
        "--part",
        type=_part,
        metavar="I/N",
        help="learn only part I of N of the tiles of a store, I from 0 to N - 1; makes the store if it is "
        "not there",
    )
    parser.add_argument(
        "--event-memory",
        type=size,
        metavar="SIZE",
        help="memory for events as they are learned, such as 2GiB (default 512MiB)",
    )
    command.add_threads(parser)
    source.add_options(parser)


def _add_rule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rule",
        choices=tuple(RULES),
        default=FIRST,
        help=f"the rule (default {FIRST})",
    )
    parser.add_argument(
        "--rule-parameters",
        type=_parameter,
        nargs="+",
        metavar="NAME=NUMBER",
        help="what the rule has besides alpha, beta and lambda, such as salience_rate=0.2 or k=0.5",
    )
    parser.add_argument(
        "--average",
        action="store_true",
        help="give the mean of the weights over all tokens instead of the last weights",
    )
    weight_files.add_course(parser)
    name_lists.add(
        parser, "--cues", "CUE", "learn only the weights of these cues (all cues still count for activations)"
    )
    name_lists.add(parser, "--outcomes", "OUTCOME", "learn only the weights to these outcomes")


def run(options: argparse.Namespace) -> None:
    """Learn."""
    # What is wrong with the options is said before files are read.
    rule: dict[str, Any] = {
        "beta": weight_files.beta(options),
        "rule": options.rule,
        "rule_parameters": None if options.rule_parameters is None else dict(options.rule_parameters),
        "retention": options.retention,
        "schedule": options.schedule,
        "average": options.average,
        "cues": name_lists.names("cues", options.cues),
        "outcomes": name_lists.names("outcomes", options.outcomes),
        "dtype": options.dtype,
        "method": options.method,
        "threads": options.threads,
        "progress": options.progress,
    }
    mapped = weight_files.is_mapped(options.output)
    stored = options.output is not None and files.is_store(options.output)
    if options.output is not None and not options.average:
        files.check_states(options.output, RULES[options.rule].states)
    if (options.resume or options.part) and not stored:
        options.usage("--resume and --part need -o with a store, a name that ends in .zarr")
    if options.part and options.top is not None:
        options.usage("--top needs all tiles, and --part learns some of them")
    if options.initial is not None:
        rule["initial"] = weight_files.load(os.fspath(options.initial))
    events = source.events(options.files, options)
    source.check_names_meant("cues", rule["cues"], events.cues)
    source.check_names_meant("outcomes", rule["outcomes"], events.outcomes)
    name_lists.check_apart("cues", rule["cues"], events.cues)
    name_lists.check_apart("outcomes", rule["outcomes"], events.outcomes)
    rule |= weight_files.values_per_name(options, events, 0.1)
    saved = options.output is not None and not mapped and not stored
    if saved:
        names = {side: rule[side] for side in ("cues", "outcomes")}
        start = rule.get("initial")
        weight_files.check_room(options.output, events, start, options.dtype, FEWER, **names)
    learned = learn(
        events,
        out=options.output if mapped or stored else None,
        resume=options.resume,
        part=options.part,
        event_memory=options.event_memory,
        **rule,
    )
    if options.part:
        number, parts = options.part
        n_missing = len(learned.missing())
        printing.show({"part": f"{number} of {parts}", "store": options.output, "tiles missing": n_missing})
        described = {"part": [number, parts], "store": options.output, "tiles_missing": n_missing}
        printing.data(options, described)
        return
    if saved:
        learned.save(options.output)
    weight_files.finish(options, events, learned)


def _parameter(text: str) -> tuple[str, float]:
    """A parameter of a rule, and its value."""
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME=NUMBER, such as k=0.5") from None


def _part(text: str) -> tuple[int, int]:
    """Which part of how many."""
    number, slash, parts = text.partition("/")
    if not (slash and number.isascii() and number.isdigit() and parts.isascii() and parts.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no part I/N, such as 0/10")
    if int(number) >= int(parts):
        raise argparse.ArgumentTypeError(f"parts of {parts} are 0/{parts} to {int(parts) - 1}/{parts}")
    return int(number), int(parts)


def size(text: str) -> int:
    """A number of bytes, as in 512MiB or 2GB."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)", text)
    if found is None or found[2] not in _UNITS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of bytes; write 512MiB, 2GB or 1000000, with a unit of "
            f"{', '.join(unit for unit in _UNITS if unit)}"
        )
    return int(float(found[1]) * _UNITS[found[2]]) if "." in found[1] else int(found[1]) * _UNITS[found[2]]
