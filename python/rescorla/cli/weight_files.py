"""What the commands that make weights have in common: their options, and what they print."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rescorla import schedules
from rescorla._events.events import Events
from rescorla._learn.plan import plan_of
from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import near, number, rate
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

# Arguments of schedules that are lists, joined by /.
_LISTS = ("ends", "factors")


def add_beta(parser: argparse.ArgumentParser, default: float) -> None:
    """The learning rate."""
    parser.add_argument(
        "--beta",
        type=float,
        nargs="+",
        default=[default],
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


def add_course(parser: argparse.ArgumentParser) -> None:
    """What happens to weights in the course of learning, and what they are before it."""
    parser.add_argument(
        "--retention",
        type=float,
        default=1.0,
        metavar="GAMMA",
        help="what each token leaves of every weight (default 1: nothing is forgotten)",
    )
    parser.add_argument(
        "--schedule",
        type=schedule_of,
        metavar="NAME:VALUES",
        help="factors on the learning rate, token by token: inverse_time:TAU, power:TAU,EXPONENT or "
        "piecewise:ENDS,FACTORS, where a / separates several, as in piecewise:1000/2000,1/0.5/0.1",
    )
    parser.add_argument(
        "--initial", type=Path, metavar="WEIGHTS", help="continue from the weights in this file"
    )


def schedule_of(text: str) -> Schedule:
    """A schedule of `rescorla.schedules`, as in inverse_time:1000 or power:tau=1000,exponent=0.7."""
    name, _, given = text.partition(":")
    if name not in schedules.__all__:
        raise argparse.ArgumentTypeError(
            f"{name!r} is none of {', '.join(schedules.__all__)}{near(name, schedules.__all__)}"
        )
    make = getattr(schedules, name)
    wanted = list(inspect.signature(make).parameters)
    form = f"{name}:{','.join(f'{each}=' + ('N/N/...' if each in _LISTS else 'N') for each in wanted)}"
    told: dict[str, Any] = {}
    for place, each in enumerate(given.split(",") if given else ()):
        argument, equals, value = each.partition("=")
        if not equals:
            argument, value = wanted[place] if place < len(wanted) else "", each
        if argument not in wanted or argument in told:
            raise argparse.ArgumentTypeError(f"{each!r} in {text!r} is one too many; write {form}")
        try:
            told[argument] = (
                list(map(command.as_number, value.split("/")))
                if argument in _LISTS
                else command.as_number(value)
            )
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{error}; write {form}") from None
    if len(told) < len(wanted):
        missing = next(each for each in wanted if each not in told)
        raise argparse.ArgumentTypeError(f"{text!r} does not say {missing}; write {form}")
    try:
        made: Schedule = make(**told)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return made


def values_per_name(options: argparse.Namespace, events: Events, alpha: float | None) -> dict[str, Any]:
    """Saliences and asymptotes, of each name where there is a file of them."""
    sides = {"alpha": (events.cues, alpha, rate), "lambda_": (events.outcomes, 1.0, number)}
    found: dict[str, Any] = {}
    for name, (known, default, check) in sides.items():
        one, file = getattr(options, name), getattr(options, _FILES[name], None)
        if file is None:
            found[name] = default if one is None else one
            continue
        if one is not None:
            # Here, since what is wrong later is said to be wrong in the file.
            check(f"--{name.rstrip('_')}", one)
        found[name] = name_lists.number_per_name(file, known, one)
    return found


def tables(options: argparse.Namespace) -> dict[str, str]:
    """The arguments of `per_name` that a command was given in a file, and how."""
    given = {name: getattr(options, option, None) for name, option in _FILES.items()}
    return {name: f"--{_FILES[name].replace('_', '-')} {file}" for name, file in given.items() if file}


def beta(options: argparse.Namespace) -> float | tuple[float, float]:
    """The learning rate, or the pair of them."""
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
