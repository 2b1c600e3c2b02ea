"""The page on the command line, made of the parser: ``python docs/commands.py`` writes docs/cli.md.

The site cannot be built, and a test fails, where the page is not what the parser says.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rescorla import cli
from rescorla.cli.command import Parser, all_of

PAGE = Path(__file__).with_name("cli.md")

_COMMON = "\u2022"
# Rows of at least so many commands stand once.
_MANY = 4
_KEYS = "keys of `--json`"
_TEXT = "running text"
_LINK = "[Shared options](#shared-options)"

_HEAD = """\
# Commands and options

<!-- Made by docs/commands.py of the parser: change that, and run it. -->

`rescorla COMMAND -h` shows the common options of a command, and `rescorla COMMAND --help` all. Here {common}
marks the common ones, where there are others. [The command line](howto/command-line.md) has examples.

The result of a command goes to standard output; its report, warnings and errors go to standard error. With
`--json` standard output has one JSON object; its keys are listed below each command. Keys of results that you
did not ask for may be missing. Numbers that are not finite are null.

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

SIGTERM and SIGHUP stop a command as Ctrl-C does. Files that were being written go; older ones of that name
stay, and so do whole tiles of a store. The process then ends by the signal, which a shell reports as 143 or
129. Under `nohup`, SIGHUP does nothing.
"""

_SHARED = """\
## Shared options

Many commands have these. Each command below names those that it has, but for `--json` and `--no-progress`,
which all have.
"""


class Row(NamedTuple):
    """A row, and the table that has it."""

    table: str
    title: str
    text: str

    @property
    def name(self) -> str:
        """What a command calls it by."""
        return f"`{re.split('[ `]', self.title)[1]}`"


def page() -> str:
    """The page."""
    commands = all_of(cli.parser())
    rows = {name: _rows(command) for name, command in commands.items()}
    counted = Counter(row for each in rows.values() for row in each)
    shared = [row for row, times in counted.items() if times >= _MANY]
    notes = {
        group.title: group.description
        for command in commands.values()
        for group in command._action_groups
    }
    parts = [_HEAD.replace("{common}", _COMMON), _SHARED]
    parts += _tables(dict.fromkeys(shared, ""), notes)
    for name, command in commands.items():
        parts.append(f"## {name}\n\n```text\n{command.usage}\n```\n")
        said = f"{command.description or ''}\n\n{command.epilog or ''}"
        parts += [f"{_text(each)}\n" for each in said.strip().split("\n\n")]
        also = {
            row: row.name + mark
            for row, mark in rows[name].items()
            if row in shared
        }
        named = [
            each
            for row, each in also.items()
            if row.table not in (_TEXT, _KEYS)
            and counted[row] < len(commands)
        ]
        if any(row.table == _TEXT for row in also):
            named.append(f"all of {_TEXT}")
        if named:
            parts.append(f"{_LINK}: {', '.join(named)}.\n")
        own = {
            row: mark for row, mark in rows[name].items() if row not in also
        }
        keys = [each for row, each in also.items() if row.table == _KEYS]
        if keys:
            own[Row(_KEYS, ", ".join(keys), _LINK)] = ""
        parts += _tables(own, notes)
    return "\n".join(parts)


def _rows(command: Parser) -> dict[Row, str]:
    """The rows of a command, with the mark of those that are common."""
    common = command.common or ()
    rows = {}
    for group in command._action_groups:
        table = str(group.title).rpartition("positional ")[2]
        for action in group._group_actions:
            if action.dest == "help":
                continue
            flags = action.option_strings
            values = _values(action)
            called = "`, `".join(flags) or action.metavar
            text = _text(str(action.help))
            if action.choices is not None and flags:
                text += (
                    f": {', '.join(f'`{each}`' for each in action.choices)}"
                )
            mark = "" if set(common).isdisjoint(flags) else f" {_COMMON}"
            rows[Row(table, f"`{called}{values}`", text)] = mark
    for key, meaning in command.keys.items():
        rows[Row(_KEYS, f"`{key}`", _text(meaning))] = ""
    return rows


def _tables(
    rows: dict[Row, str], notes: Mapping[str | None, str | None]
) -> Iterator[str]:
    """Rows as tables, each after the note on it."""
    for table in dict.fromkeys(row.table for row in rows):
        note = notes.get(table)
        if note:
            yield f"{_text(note)}\n"
        lines = [
            f"| {row.title}{mark} | {row.text} |\n"
            for row, mark in rows.items()
            if row.table == table
        ]
        yield f"| {table} | |\n|---|---|\n{''.join(lines)}"


def _values(action: argparse.Action) -> str:
    """What follows an option."""
    if action.nargs == 0 or not action.option_strings:
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
