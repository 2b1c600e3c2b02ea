"""``rescorla completion``: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse
from typing import Any

from rescorla._shared.optional import need
from rescorla.cli import command, printing

KEYS = {"shell": "the shell", "script": "what the shell is to read"}

_DESCRIPTION = """\
Print a script for a shell, which then completes commands, options, their values and names of files. It needs
shtab: pip install 'rescorla[completion]'. Print it again when rescorla is updated; completing needs neither
shtab nor Python."""

SHELLS = ("bash", "zsh", "fish")

# What takes a file, by its name in the usage.
_FILES = {"FILE", "WEIGHTS", "OUTPUT", "PICTURE", "LIST", "MAP", "TABLE"}


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(
        commands,
        run,
        "completion SHELL",
        "print what makes a shell complete commands and options",
        _DESCRIPTION,
        keys=KEYS,
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")


def run(options: argparse.Namespace) -> None:
    """Print."""
    shtab = need("shtab", "completion")
    program = options.program()
    for each in command.all_of(program).values():
        for action in each._actions:
            if action.metavar in _FILES:
                vars(action)["complete"] = shtab.FILE
    script = shtab.complete(program, shell=options.shell)
    if options.json:
        printing.data(options, {"shell": options.shell, "script": script})
    else:
        print(script)
