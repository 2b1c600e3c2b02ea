"""What the commands that make weights have in common: their options, and what they print."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.events import Events
from rescorla._weights import files
from rescorla._weights.weights import Weights, largest, load_weights
from rescorla.cli import command, names, report

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEYS = {
    "read_as": "what the files were taken for",
    "events": "how many events there are",
    "tokens": "how many tokens: events, each as often as its frequency says",
    "cues": "how many cues",
    "outcomes": "how many outcomes",
    "seconds": "how long the work took, without reading",
    "saved_to": "the file of the weights; null without -o",
    "parameters": "how the weights came about, as Weights.parameters has it",
    "strongest": "with --top: a list of objects with cue, outcome and weight",
}
"""What --json prints of weights that were made."""

# Weights ranked at a time: 32 MB.
_BLOCK = 1 << 22


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
        help="maximal activation (default 1)",
    )
    names.add_numbers(parser, "--lambda", "outcomes", "maximal activation")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to save the weights: .npz, .npy, .nc or .zarr"
    )
    parser.add_argument(
        "--top",
        type=command.count,
        metavar="N",
        help="print the N strongest associations, by size, positive or negative",
    )


def per_name(options: argparse.Namespace, events: Events, alpha: float | None) -> dict[str, Any]:
    """Saliences and maximal activations, of each name where there is a file of them."""

    def of(side: Sequence[str], number: float | None, file: Path | None, default: float | None) -> Any:
        if file is None:
            return default if number is None else number
        return names.numbers(file, side, number)

    return {
        "alpha": of(events.cues, options.alpha, options.alpha_file, alpha),
        "lambda_": of(events.outcomes, options.lambda_, options.lambda_file, 1.0),
    }


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
    counts = report.counts(events)
    where = {"saved to": options.output} if options.output else {"not saved": "-o FILE saves the weights"}
    report.show(report.read_as(options) | counts | {"seconds": f"{seconds:.2f}"} | where)
    strongest = [] if options.top is None else list(_cleared(weights, strongest_pairs(weights, options.top)))
    if options.json:
        made = {"read_as": options.read_as} | counts
        made |= {"seconds": seconds, "saved_to": options.output, "parameters": weights.parameters}
        report.data(options, made | ({} if options.top is None else {"strongest": as_objects(strongest)}))
    else:
        print_pairs(strongest)


def print_pairs(pairs: Iterable[tuple[str, str, float]]) -> None:
    """A cue, an outcome and the weight in each line."""
    for cue, outcome, weight in pairs:
        print(cue, outcome, f"{weight:.6g}", sep="\t")


def as_objects(pairs: Iterable[tuple[str, str, float]]) -> list[dict[str, object]]:
    """Pairs as --json has them."""
    return [{"cue": cue, "outcome": outcome, "weight": weight} for cue, outcome, weight in pairs]


def _cleared(weights: Weights, pairs: Iterable[tuple[str, str, float]]) -> Iterator[tuple[str, str, float]]:
    """The pairs; of an equilibrium, what rounding leaves of weights that are zero is 0."""
    floor = 0.0
    for cue, outcome, weight in pairs:
        if not floor and weights.parameters["rule"] == "equilibrium":
            # Of the first, the largest: rounding leaves so much.
            floor = 8 * len(weights.cues) * float(np.finfo(weights.values.dtype).eps) * abs(weight)
        yield cue, outcome, 0.0 if abs(weight) <= floor else weight


def strongest_pairs(weights: Weights, n: int, *, by_size: bool = True) -> Iterator[tuple[str, str, float]]:
    """The n weights of the largest size with their names, equal ones row by row; in bounded memory."""
    n_cues, n_outcomes = weights.values.shape
    rows = max(1, _BLOCK // max(1, n_outcomes))
    best: NDArray[Any] = np.empty(0, dtype=weights.values.dtype)
    places: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    for start in range(0, n_cues, rows):
        stop = min(start + rows, n_cues)
        part = getattr(weights, "part", None)
        block = (weights.values[start:stop] if part is None else part(range(start, stop))).ravel()
        found = largest(np.abs(block) if by_size else block, n)
        # Those found before come first, so that of equal ones the earlier row stays.
        best = np.concatenate([best, block[found]])
        places = np.concatenate([places, found + start * n_outcomes])
        kept = largest(np.abs(best) if by_size else best, n)
        best, places = best[kept], places[kept]
    for value, place in zip(best.tolist(), places.tolist(), strict=True):
        cue, outcome = divmod(place, n_outcomes)
        yield weights.cues[cue], weights.outcomes[outcome], value
