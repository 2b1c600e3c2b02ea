"""The command line: ``rescorla events | learn | equilibrium | activations | info | verify | plot``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from rescorla import __version__, plot, storage
from rescorla._core import content_kind
from rescorla.activation import activations
from rescorla.corpus import corpus_events
from rescorla.equilibrium import equilibrium
from rescorla.events import Events, open_events
from rescorla.learning import forecast, learn
from rescorla.sources import compile_events, read_events
from rescorla.weights import Weights, load_weights, strongest

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Options for running text only, and for all events. One that is not given has the default of the package.
_TEXT_OPTIONS = ("cues", "symbols", "lower", "boundary")
_EVENT_OPTIONS = ("duplicates", "background")

# Weights ranked at a time, and activations held at a time: 32 MB.
_BLOCK = 1 << 22

_ERRORS = (ArithmeticError, ImportError, LookupError, MemoryError, OSError, RuntimeError, ValueError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the name of the program; by default that of this process.

    Returns
    -------
    int
        The exit status: 0, 1 after an error (one line on standard error), 130 after Ctrl-C, 141 where whoever
        reads the output went away. Wrong usage exits with 2 (SystemExit).
    """
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            warnings.simplefilter("always", RuntimeWarning)
            options.run(options)
            sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output once more at exit; that must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except _ERRORS as error:
        return _complain(f"error: {_message(error)}", 1)
    return 0


def _complain(message: str, status: int) -> int:
    print(f"rescorla: {' '.join(message.split())}", file=sys.stderr)
    return status


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])  # str(error) would show it quoted
    return str(error) or type(error).__name__


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"rescorla: warning: {message}", file=sys.stderr)


def _events(options: argparse.Namespace) -> None:
    if options.output is None and options.table is None:
        options.usage("give -o FILE, --table FILE or both")
    events = _source(options, options.output)
    if options.table is not None:
        events.to_table(options.table, progress=options.progress)
    _report(_counts(events) | _line("saved to", options.output) | _line("table", options.table))


def _beta(options: argparse.Namespace) -> float | tuple[float, float]:
    if len(options.beta) > 2:
        options.usage("--beta takes one number or two")
    return options.beta[0] if len(options.beta) == 1 else tuple(options.beta)


def _learn(options: argparse.Namespace) -> None:
    beta = _beta(options)
    mapped = _check_output(options.output)
    events = _source(options)
    weights = learn(
        events,
        alpha=options.alpha,
        beta=beta,
        lambda_=options.lambda_,
        dtype=options.dtype,
        method=options.method,
        threads=options.threads,
        out=options.output if mapped else None,
        progress=options.progress,
    )
    if options.output is not None and not mapped:
        weights.save(options.output)
    _finish(options, events, weights)


def _equilibrium(options: argparse.Namespace) -> None:
    beta = _beta(options)
    _check_output(options.output)
    events = _source(options)
    weights = equilibrium(
        events,
        beta=beta,
        lambda_=options.lambda_,
        ridge=options.ridge,
        method=options.method,
        tol=options.tol,
        threads=options.threads,
        progress=options.progress,
    )
    if options.output is not None:
        weights.save(options.output)
    _finish(options, events, weights)


def _activations(options: argparse.Namespace) -> None:
    if options.output is None and options.top is None:
        options.usage("give -o FILE, --top N or both")
    weights = load_weights(options.weights)
    events = _source(options)
    choices = {"unknown": options.unknown, "threads": options.threads, "progress": options.progress}
    if options.output is not None:
        values = activations(events, weights, out=options.output, **choices)
        shape = {"activations": " x ".join(map(str, values.shape))}
        _report(_counts(events) | shape | _line("saved to", options.output))
    if options.top is not None:
        # No bar between the lines that are printed.
        for event, row in _activated(events, weights, choices | {"progress": False}):
            for column in strongest(row, options.top):
                print("_".join(event), weights.outcomes[column], f"{row[column]:.6g}", sep="\t")


def _info(options: argparse.Namespace) -> None:
    if storage.is_weights_name(options.file):
        weights = load_weights(options.file)
        shape = dict(zip(("cues", "outcomes"), weights.values.shape, strict=True))
        known = {"weights": options.file} | shape | {"values": weights.values.dtype} | weights.parameters
    else:
        events = _source(options)
        known = {"file": options.file} | events.info() | _prospect(events)
        # As given, rather than as the engine has it; and events in memory have none.
        del known["path"]
    _report({name.replace("_", " "): value for name, value in known.items()})


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


def _verify(options: argparse.Namespace) -> None:
    events = open_events(options.file)
    events.verify(progress=options.progress)
    print(f"{options.file}: sound, {len(events):,} events")


def _plot(options: argparse.Namespace) -> None:
    weights = load_weights(options.file)
    draw = {"heatmap": plot.weights, "network": plot.network}[options.kind]
    chosen = {name: getattr(options, name) for name in ("cues", "outcomes", "n")}
    figure: Any = draw(weights, **{name: value for name, value in chosen.items() if value is not None}).figure
    import matplotlib.pyplot as plt

    try:
        figure.savefig(options.output, dpi=150)
    finally:
        # A new figure is pyplot's until it is closed.
        plt.close(figure)
    _report({"weights": options.file, "picture": options.output})


def _source(options: argparse.Namespace, path: str | None = None) -> Events:
    """The events of a file of any kind, in a binary event file `path` if there is one."""
    file = options.file
    kind = content_kind(file)
    given = {name: value for name in _TEXT_OPTIONS if (value := getattr(options, name, None)) is not None}
    shared = {name: value for name in _EVENT_OPTIONS if (value := getattr(options, name, None)) is not None}
    if kind == "text":
        return corpus_events(file, path, progress=options.progress, **given, **shared)
    if given:
        flag = "--no-lower" if "lower" in given else f"--{next(iter(given))}"
        noun = {"table": "an event table", "events": "a binary event file"}[kind]
        raise ValueError(f"{file}: {flag} is for running text, and this is {noun}; leave it out")
    if path is not None:
        return compile_events(file, path, progress=options.progress, **shared)
    if kind == "events" and not shared:
        return open_events(file)
    return read_events(file, progress=options.progress, **shared)


def _check_output(output: str | None) -> bool:
    """Whether weights go to a .npy file; anything wrong with the name fails before the work."""
    if output is None:
        return False
    storage.check_target(output)
    return output.lower().endswith(".npy")


def _finish(options: argparse.Namespace, events: Events, weights: Weights) -> None:
    seconds = {"seconds": f"{weights.parameters['seconds']:.2f}"}
    where = options.output or "nowhere; -o FILE saves the weights"
    _report(_counts(events) | seconds | _line("saved to", where))
    if options.top is not None:
        for cue, outcome, weight in strongest_pairs(weights, options.top):
            print(cue, outcome, f"{weight:.6g}", sep="\t")


def strongest_pairs(weights: Weights, n: int) -> Iterator[tuple[str, str, float]]:
    """The n largest weights with their names, largest first, equal ones row by row; in bounded memory."""
    n_cues, n_outcomes = weights.values.shape
    rows = max(1, _BLOCK // max(1, n_outcomes))
    best: NDArray[Any] = np.empty(0, dtype=weights.values.dtype)
    places: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    for start in range(0, n_cues, rows):
        block = weights.values[start : start + rows].ravel()
        found = strongest(block, n)
        # Those found before come first, so that of equal ones the earlier row stays.
        best = np.concatenate([best, block[found]])
        places = np.concatenate([places, found + start * n_outcomes])
        kept = strongest(best, n)
        best, places = best[kept], places[kept]
    for value, place in zip(best.tolist(), places.tolist(), strict=True):
        cue, outcome = divmod(place, n_outcomes)
        yield weights.cues[cue], weights.outcomes[outcome], value


def _activated(
    events: Events, weights: Weights, choices: dict[str, Any]
) -> Iterator[tuple[tuple[str, ...], NDArray[Any]]]:
    """Each event's cues and activations, computed for as many events at a time as a bounded memory holds."""
    step = max(1, _BLOCK // max(1, len(weights.outcomes)))
    for start in range(0, len(events), step):
        part = events[start : start + step]
        for event, row in zip(part, activations(part, weights, **choices), strict=True):
            yield event.cues, row


def _counts(events: Events) -> dict[str, object]:
    return {
        "events": len(events),
        "tokens": events.n_tokens,
        "cues": events.n_cues,
        "outcomes": events.n_outcomes,
    }


def _line(name: str, value: str | None) -> dict[str, object]:
    return {} if value is None else {name: value}


def _report(lines: dict[str, object]) -> None:
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name:<{width}}  {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return f"{len(value):,} numbers"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rescorla",
        description="Learn cue-outcome associations by the Rescorla-Wagner rule.",
        epilog="FILE is running text, an event table or a binary event file, told apart by content.",
    )
    parser.add_argument("--version", action="version", version=f"rescorla {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    command = _command(commands, "events", _events, "write a binary event file or an event table")
    _add_source_options(command)
    command.add_argument("-o", "--output", metavar="FILE", help="the binary event file to write")
    command.add_argument("--table", metavar="FILE", help="the event table to write")

    command = _command(commands, "learn", _learn, "learn association weights")
    _add_source_options(command)
    command.add_argument(
        "--alpha", type=float, default=0.1, metavar="A", help="salience of the cues (default 0.1)"
    )
    command.add_argument(
        "--beta",
        type=float,
        nargs="+",
        default=[0.1],
        metavar="B",
        help="learning rate, or two: for present and for absent outcomes (default 0.1)",
    )
    command.add_argument(
        "--dtype", choices=("float64", "float32"), default="float64", help="type of the weights"
    )
    command.add_argument(
        "--method",
        choices=("auto", "forward", "adjoint"),
        default="auto",
        help="how to compute (default auto: the one with less work)",
    )
    _add_weights_options(command)

    command = _command(commands, "equilibrium", _equilibrium, "compute the weights that learning tends to")
    _add_source_options(command)
    command.add_argument(
        "--beta",
        type=float,
        nargs="+",
        default=[1.0],
        metavar="B",
        help="learning rate, or two: for present and for absent outcomes (default 1)",
    )
    command.add_argument(
        "--ridge", type=float, default=0.0, metavar="R", help="penalty on large weights (default 0)"
    )
    command.add_argument(
        "--method",
        choices=("auto", "dense", "iterative"),
        default="auto",
        help="how to solve (default auto: dense for up to 10,000 cues)",
    )
    command.add_argument(
        "--tol", type=float, metavar="T", help="what counts as zero (dense), or where to stop (iterative)"
    )
    _add_weights_options(command)

    command = _command(commands, "activations", _activations, "compute what weights predict")
    command.add_argument("weights", metavar="WEIGHTS", help="a file of weights: .npz, .npy or .nc")
    _add_source_options(command)
    command.add_argument(
        "--unknown", choices=("error", "ignore"), default="error", help="what to do with unknown cues"
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", help="the .npy file to write: a row for each event"
    )
    command.add_argument(
        "--top", type=_count, metavar="N", help="print the N most active outcomes of each event"
    )
    _add_threads(command)

    command = _command(commands, "info", _info, "describe a file of events or of weights")
    command = _command(commands, "verify", _verify, "check a binary event file against its checksums")

    command = _command(commands, "plot", _plot, "draw weights into a picture")
    command.add_argument(
        "-o", "--output", metavar="PICTURE", required=True, help="the file to draw: .svg, .png or .pdf"
    )
    command.add_argument(
        "--kind",
        choices=("heatmap", "network"),
        default="heatmap",
        help="coloured cells, or lines between cues and outcomes (default heatmap)",
    )
    command.add_argument("--cues", nargs="+", metavar="CUE", help="draw these cues")
    command.add_argument("--outcomes", nargs="+", metavar="OUTCOME", help="draw these outcomes")
    command.add_argument(
        "-n", type=int, metavar="N", help="how many: cues and outcomes of a map (30), lines of a network (20)"
    )
    return parser


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], None], purpose: str
) -> argparse.ArgumentParser:
    # FILE stands first: after it, --beta cannot take it for a number.
    usage = f"rescorla {name} FILE {'WEIGHTS ' if name == 'activations' else ''}[options]"
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=purpose, description=purpose.capitalize() + ".", usage=usage
    )
    command.set_defaults(run=run, usage=command.error)
    kinds = "running text, an event table or a binary event file"
    command.add_argument(
        "file", metavar="FILE", help=kinds if name != "plot" else "a file of weights: .npz, .npy or .nc"
    )
    command.add_argument(
        "--no-progress",
        dest="progress",
        action="store_const",
        const=False,
        help="show no bar (by default one is shown on a terminal)",
    )
    return command


def _add_source_options(command: argparse.ArgumentParser) -> None:
    text = command.add_argument_group("running text")
    text.add_argument("--cues", choices=("trigrams", "bigrams", "unigrams", "words"), help="cues of a word")
    text.add_argument("--symbols", metavar="CHARS", help="characters that make up words, such as a-z")
    text.add_argument("--no-lower", dest="lower", action="store_const", const=False, help="keep upper case")
    text.add_argument("--boundary", metavar="MARK", help="mark of the ends of a word (default #)")
    command.add_argument(
        "--duplicates", choices=("drop", "keep", "error"), help="cues that an event lists twice"
    )
    command.add_argument("--background", metavar="CUE", help="a cue to add to every event")


def _add_weights_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--lambda",
        dest="lambda_",
        type=float,
        default=1.0,
        metavar="L",
        help="maximal activation (default 1)",
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", help="where to save the weights: .npz, .npy or .nc"
    )
    command.add_argument("--top", type=_count, metavar="N", help="print the N strongest associations")
    _add_threads(command)


def _add_threads(command: argparse.ArgumentParser) -> None:
    command.add_argument("--threads", type=int, metavar="N", help="how many threads to use (default: all)")


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError(f"{count} is less than 0")
    return count
