"""The command line: ``rescorla events | learn | equilibrium | activations | top | export | ...``.

Each command has a file: how it is called (`add`), and what it does (`run`).
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TextIO

from rescorla import __version__
from rescorla._shared.checks import thread_count
from rescorla._shared.warn import RescorlaWarning
from rescorla.cli import (
    activations,
    command,
    completion,
    ending,
    equilibrium,
    events,
    export,
    influence,
    info,
    joining,
    learn,
    plot,
    printing,
    report,
    top,
    verify,
    weight_files,
)

_COMMANDS = (
    events,
    learn,
    equilibrium,
    influence,
    activations,
    top,
    export,
    info,
    verify,
    plot,
    report,
    completion,
)
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
        The exit status: 0, 1 after an error (one line on standard error), 3 where tiles of a store
        are missing or bad, 130 after Ctrl-C, 141 where whoever
        reads the output went away. Wrong usage exits with 2 (SystemExit). SIGTERM and SIGHUP stop the
        command like Ctrl-C and then end the process, which its parent sees (status 143 or 129 of a shell).
    """
    told = sys.argv[1:] if arguments is None else list(arguments)
    with ending.stopping() as signals, printing.streams():
        try:
            status = _run(told)
        except BrokenPipeError:
            return 141
        except printing.StreamError as error:
            return _complain(f"error: {error}", 1)
        except KeyboardInterrupt:
            # Here, where nothing of the command is left that an exception would keep from being removed.
            status = 130
            # A terminal that has closed takes nothing more.
            with suppress(OSError):
                _complain(f"ended by {signals[0].name}" if signals else "interrupted", status)
    return ending.end_by(signals[0]) if signals and status == 130 else status


def _run(told: Sequence[str]) -> int:
    program = parser()
    if not told:
        program.print_help(sys.stderr)
        raise SystemExit(2)
    if known := command.all_of(program).get(told[0]):
        joining.check_joined(told[1:], known)
    options, unknown = program.parse_known_args(told)
    if unknown:
        options.usage(command.unknown(unknown, options.command))
    try:
        with warnings.catch_warnings():
            warnings.showwarning = partial(_show_warning, options)
            warnings.simplefilter("always", RescorlaWarning)
            options.n_warnings = 0
            command.check_outputs(options)
            # Also where no thread is asked for: a table is read by one.
            thread_count(getattr(options, "threads", None))
            status: int | None = options.run(options)
            sys.stdout.flush()
    except BrokenPipeError:
        raise  # An OSError, but none to tell of.
    except _ERRORS as error:
        return _complain(f"error: {_message(error, options)}", 1)
    return status or 0


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    program = command.Parser(
        prog="rescorla",
        usage="rescorla COMMAND ...",
        formatter_class=command.Help,
        description="Learn cue-outcome associations by the Rescorla-Wagner rule.",
        epilog="FILE is running text, an event table or a binary event file, as detected from its content. "
        "'rescorla COMMAND -h' lists the common options of a command, --help all.",
    )
    program.add_helps()
    program.add_argument(
        "--version", action="version", version=f"rescorla {__version__}", help="show the version"
    )
    commands = program.add_subparsers(title="commands", metavar="COMMAND", prog="rescorla", required=True)
    for each in _COMMANDS:
        each.add(commands)
    program.set_defaults(program=parser)
    return program


def _complain(message: str, status: int) -> int:
    print(f"rescorla: {' '.join(message.split())}", file=sys.stderr)
    return status


def _message(error: BaseException, options: argparse.Namespace) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        return f"{os.fsdecode(error.filename)}: {_said(error.strerror, options)}"
    if type(error) is KeyError and error.args:
        return _said(str(error.args[0]), options)  # str(error) would show it quoted
    return _said(str(error), options) or type(error).__name__


def _said(message: str, options: argparse.Namespace) -> str:
    """A message of the library; where it begins with an argument, this is named as the user gave it."""
    argument, blank, rest = message.partition(" ")
    given = command.arguments(options.command) | weight_files.tables(options)
    if argument not in given or command.begins_with_file(message, options):
        return message
    return f"{given[argument]}{blank}{rest}"


def _show_warning(
    options: argparse.Namespace,
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    options.n_warnings += 1
    print(f"rescorla: warning: {_said(str(message), options)}", file=sys.stderr)
