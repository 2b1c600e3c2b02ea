"""What all commands have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


def new(
    commands: Any, run: Callable[[argparse.Namespace], None], usage: str, purpose: str, description: str = ""
) -> argparse.ArgumentParser:
    """A command, named by the first word of its usage."""
    name = usage.partition(" ")[0]
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=purpose,
        description=description or purpose.capitalize() + ".",
        # Arguments stand first: after them, --beta cannot take a file for a number.
        usage=f"rescorla {usage} [options]",
        formatter_class=_Help,
    )
    command.set_defaults(run=run, usage=command.error)
    command.add_argument(
        "--no-progress",
        dest="progress",
        action="store_const",
        const=False,
        help="show no bar (by default one is shown on a terminal)",
    )
    return command


def add_threads(command: argparse.ArgumentParser) -> None:
    """How many threads work."""
    command.add_argument("--threads", type=int, metavar="N", help="how many threads to use (default: all)")


def count(text: str) -> int:
    """A whole number of 0 or more."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is less than 0")
    return number


class _Help(argparse.HelpFormatter):
    """Options and what they do in two columns, the second starting further to the right; paragraphs stay."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, max_help_position=30, **more)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(super(_Help, self)._fill_text(each, width, indent) for each in text.split("\n\n"))
