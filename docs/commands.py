"""The page on the command line, made of the parser: ``python docs/commands.py`` writes docs/cli.md.

The site cannot be built, and a test fails, where the page is not what the parser says.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rescorla import cli
from rescorla.cli.command import Parser, all_of

PAGE = Path(__file__).with_name("cli.md")

_COMMON = "\u2022"

_HEAD = """\
# Commands and options

<!-- Made by docs/commands.py of the parser: change that, and run it. -->

`rescorla COMMAND -h` shows the common options of a command, marked here by {common} where there are others,
and `rescorla COMMAND --help` all. [How to work on the command line](howto/command-line.md) has examples.

FILE is running text, an event table or a binary event file, as detected from its content. The result of a
command goes to standard output; its report, warnings and errors go to standard error. With `--json` standard
output has one JSON object; its keys are listed below each command. Keys of results that you did not ask for
may be missing. Numbers that are not finite are null.

| exit status | |
|---|---|
| 0 | done |
| 1 | an error, which one line on standard error describes |
| 2 | wrong usage |
| 3 | `verify`: tiles of a store are missing or bad |
| 129 | ended by SIGHUP, as when the terminal closes |
| 130 | interrupted by Ctrl-C |
| 141 | the program that read the output has closed the pipe |
| 143 | ended by SIGTERM, as by `kill` or a batch system |

SIGTERM and SIGHUP stop a command as Ctrl-C does, with one line on standard error: files that were being
written go, older ones of that name stay as they were, and so do the tiles of a store that are whole. Then the
process ends by the signal itself, which a shell reports as 143 or 129. Under `nohup`, SIGHUP does nothing.
"""


def page() -> str:
    """The page."""
    parts = [_HEAD.replace("{common}", _COMMON)]
    for name, command in all_of(cli.parser()).items():
        parts.append(f"## {name}\n\n```text\n{command.usage}\n```\n")
        parts += [
            f"{_text(paragraph)}\n"
            for paragraph in (command.description or "").split("\n\n")
        ]
        parts += list(_groups(command))
        if command.epilog:
            parts.append(f"{_text(command.epilog)}\n")
        rows = [
            f"| `{key}` | {_text(meaning)} |\n"
            for key, meaning in command.keys.items()
        ]
        parts.append(f"| keys of `--json` | |\n|---|---|\n{''.join(rows)}")
    return "\n".join(parts)


def _groups(command: Parser) -> Iterator[str]:
    """A table for each group of arguments."""
    for group in command._action_groups:
        rows = [
            _row(command, action)
            for action in group._group_actions
            if action.dest != "help"
        ]
        if not rows:
            continue
        own = group.title not in (
            "positional arguments",
            "options",
            "optional arguments",
        )
        title = (
            group.title
            if own
            else (
                "arguments"
                if group.title == "positional arguments"
                else "options"
            )
        )
        if own and group.description:
            yield f"{_text(group.description)}\n"
        yield f"| {title} | |\n|---|---|\n{''.join(rows)}"


def _row(command: Parser, action: argparse.Action) -> str:
    values = _values(action)
    called = (
        ", ".join(f"`{flag}{values}`" for flag in action.option_strings)
        or f"`{action.metavar}`"
    )
    if command.common and not set(command.common).isdisjoint(
        action.option_strings
    ):
        called += f" {_COMMON}"
    text = _text(str(action.help))
    if action.choices is not None and action.option_strings:
        text += f": {', '.join(f'`{choice}`' for choice in action.choices)}"
    return f"| {called} | {text} |\n"


def _values(action: argparse.Action) -> str:
    """What follows an option."""
    if action.nargs == 0:
        return ""
    name = action.metavar or action.dest.rstrip("_").upper()
    return f" {name}{' ...' if action.nargs == '+' else ''}"


def _text(text: str) -> str:
    """Plain text as Markdown, options and names of files as code."""
    text = re.sub(r"([\\`*_<>|\[\]{}])", r"\\\1", " ".join(text.split()))
    text = re.sub(r"(?<![\w-])(--?[a-z][\w-]*)", r"`\1`", text)
    return text.replace("\\|", "&#124;")


def on_pre_build(config: Any) -> None:
    """What mkdocs calls before it builds the site."""
    if PAGE.read_text(encoding="utf-8") != page():
        raise SystemExit(
            f"{PAGE} is not what the parser says: run python docs/commands.py"
        )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
