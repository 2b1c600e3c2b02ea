"""What the commands that make weights have in common: their options, and what they print."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.plan import plan_of
from rescorla._shared.checks import number, rate
from rescorla._weights import files
from rescorla._weights.load import load_weights
from rescorla._weights.weights import Weights
from rescorla.cli import command, name_lists, printing

KEYS = printing.COUNTED | {
    "seconds": "how long the work took, without reading",
    "saved_to": "the file of the weights; null without -o",
    "parameters": "how the weights were learned: Weights.parameters",
    "strongest": "with --top: a list of objects with cue, outcome and weight",
}
"""What --json prints of weights that were made."""

# Arguments that are one number for each name, and the options that take them from a file.
_FILES = {"alpha": "alpha_file", "lambda_": "lambda_file"}


def add_beta(parser: argparse.ArgumentParser, default: float) -> None:
    """The learning rate."""
    parser.add_argument(
        "--beta",
        type=float,
        nargs="+",
        action="extend",
        metavar="B",
        help=f"learning rate, or two: for present and for absent outcomes (default {default:g})",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Lambda, and where weights go."""
    parser.add_argument(
        "--lambda",
        dest="lambda_",
        type=float,
        metavar="L",
        help="asymptote (default 1)",
    )
    name_lists.add_numbers(parser, "--lambda", "outcomes", "asymptote")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to save the weights: .npz, .npy, .nc, .zarr, or as a table: .csv, .tsv, .parquet",
    )
    parser.add_argument(
        "--top",
        type=command.count,
        metavar="N",
        help="print the N strongest associations, by size, positive or negative",
    )


def per_name(options: argparse.Namespace, events: Events, alpha: float | None) -> dict[str, Any]:
    """Saliences and asymptotes, of each name where there is a file of them."""
    sides = {"alpha": (events.cues, alpha, rate), "lambda_": (events.outcomes, 1.0, number)}
    found: dict[str, Any] = {}
    for name, (known, default, check) in sides.items():
        one, file = getattr(options, name), getattr(options, _FILES[name])
        if file is None:
            found[name] = default if one is None else one
            continue
        if one is not None:
            # Here, since what is wrong later is said to be wrong in the file.
            check(f"--{name.rstrip('_')}", one)
        found[name] = name_lists.numbers(file, known, one)
    return found


def tables(options: argparse.Namespace) -> dict[str, str]:
    """The arguments of `per_name` that a command was given in a file, and how."""
    given = {name: getattr(options, option, None) for name, option in _FILES.items()}
    return {name: f"--{_FILES[name].replace('_', '-')} {file}" for name, file in given.items() if file}


def beta(options: argparse.Namespace, default: float) -> float | tuple[float, float]:
    """The learning rate, or the pair of them."""
    if options.beta is None:
        return default
    if len(options.beta) > 2:
        options.usage("--beta takes one number or two")
    return options.beta[0] if len(options.beta) == 1 else tuple(options.beta)


def is_mapped(output: str | None) -> bool:
    """Whether weights go to a .npy file; anything wrong with the name fails before the work."""
    if output is None:
        return False
    if files.is_store(output):
        files.store_path(output)
        return False
    files.check_target(output)
    return output.lower().endswith(".npy")


def check_room(
    output: str,
    events: Events,
    initial: Weights | None,
    dtype: str,
    cure: str,
    *,
    cues: Sequence[str] | None = None,
    outcomes: Sequence[str] | None = None,
) -> None:
    """OSError where the disk has surely no room for the weights that are about to be made."""
    plan = plan_of(events, cues, outcomes, initial)
    files.check_room(output, (len(plan.cues), len(plan.outcomes)), np.dtype(dtype), cure)


def load(path: str) -> Weights:
    """The weights of a file that a command was given for one."""
    found = files.events_in(path)
    if found is not None:
        raise ValueError(
            f"{path}: expected weights ({files.NAMES}), found {found}; rescorla learn makes weights of it "
            "with -o FILE"
        )
    return load_weights(path)


def finish(options: argparse.Namespace, events: Events, weights: Weights) -> None:
    """Say what was learned of what."""
    seconds = weights.parameters["seconds"]
    counts = printing.counts(events)
    where = {"saved to": options.output} if options.output else {"not saved": "-o FILE saves the weights"}
    printing.show(printing.read_as(options) | counts | {"seconds": f"{seconds:.2f}"} | where)
    strongest = [] if options.top is None else list(_cleared(weights, weights.strongest(options.top)))
    if options.json:
        made = {"read_as": options.read_as} | counts
        made |= {"seconds": seconds, "saved_to": options.output, "parameters": weights.parameters}
        printing.data(options, made | ({} if options.top is None else {"strongest": as_objects(strongest)}))
    else:
        print_pairs(strongest)


def print_pairs(pairs: Iterable[tuple[str, str, float]]) -> None:
    """A cue, an outcome and the weight in each line."""
    for cue, outcome, weight in pairs:
        printing.row(cue, outcome, f"{weight:.6g}")


def as_objects(pairs: Iterable[tuple[str, str, float]]) -> list[dict[str, object]]:
    """Pairs as --json has them."""
    return [{"cue": cue, "outcome": outcome, "weight": weight} for cue, outcome, weight in pairs]


def _cleared(weights: Weights, pairs: Iterable[tuple[str, str, float]]) -> Iterator[tuple[str, str, float]]:
    """The pairs; of an equilibrium, what rounding leaves of weights that are zero is 0."""
    floor = 0.0
    for cue, outcome, weight in pairs:
        if not floor and weights.parameters["rule"] == "equilibrium":
            # Of the first, the largest: rounding leaves so much.
            floor = 8 * len(weights.cues) * float(np.finfo(weights.data.dtype).eps) * abs(weight)
        yield cue, outcome, 0.0 if abs(weight) <= floor else weight
