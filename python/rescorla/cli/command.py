"""What all commands have in common."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rescorla._core import check_apart
from rescorla._events.text import files_of
from rescorla._shared.checks import near
from rescorla.cli import printing

# The arguments that name what a command reads, and what it writes.
_INPUTS = ("files", "file", "weights")
_WORD = re.compile(r"[a-z]{4,}")

_OUTPUTS = ("output", "table", "cue_counts", "outcome_counts", "test_output")

# Arguments of the library that are options of other names.
_ARGUMENTS = {"out": "output", "size": "bandsample", "test": "split"}


def new(
    commands: Any,
    run: Callable[[argparse.Namespace], int | None],
    usage: str,
    purpose: str,
    description: str = "",
    *,
    keys: Mapping[str, str],
    common: Sequence[str] | None = None,
) -> Parser:
    """A command, named by the first word of its usage.

    `keys` are those of the object that --json prints, and what they have. `common` are the options that -h
    shows; by default all.
    """
    name = usage.partition(" ")[0]
    command: Parser = commands.add_parser(
        name,
        help=purpose,
        description=description or purpose.capitalize() + ".",
        # Arguments stand first: after them, --beta cannot take a file for a number.
        usage=f"rescorla {usage} [options]",
        formatter_class=Help,
        # So that --cues, which are names, is not taken for --cues-from.
        allow_abbrev=False,
    )
    command.keys = keys
    command.add_helps(common)
    command.set_defaults(run=run, usage=command.error, command=command)
    command.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object on standard output; the report stays on standard error",
    )
    command.add_argument(
        "--no-progress",
        dest="progress",
        action="store_const",
        const=False,
        help="show no bar (by default one is shown on a terminal)",
    )
    return command


def all_of(program: argparse.ArgumentParser) -> dict[str, Parser]:
    """The commands of the program, by name."""
    [found] = [each.choices for each in program._actions if isinstance(each, argparse._SubParsersAction)]
    return dict(found)


def options_of(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All options of a command."""
    return (action for action in command._actions if action.option_strings)


def arguments(command: argparse.ArgumentParser) -> dict[str, str]:
    """The options of a command, by the arguments of the library that they give."""
    flags = {action.dest: action.option_strings[0] for action in options_of(command)}
    return flags | {name: flags[dest] for name, dest in _ARGUMENTS.items() if dest in flags}


def add_threads(command: argparse.ArgumentParser) -> None:
    """How many threads work."""
    command.add_argument("--threads", type=int, metavar="N", help="how many threads to use (default: all)")


def check_outputs(options: argparse.Namespace) -> None:
    """ValueError where a file that a command shall write is one that it reads, or writes besides."""
    inputs, outputs = _named(options)
    read = [file for name in inputs for file in _files(name)]
    written: list[str] = []
    for output in outputs:
        if os.path.isdir(output) and any(
            os.path.realpath(output) == os.path.realpath(each) for each in inputs
        ):
            raise ValueError(f"{output} is also read: name another output")
        check_apart(output, read)
        if os.path.realpath(output) in written:
            raise ValueError(f"{output} is written twice: name another output")
        written.append(os.path.realpath(output))


def begins_with_file(message: str, options: argparse.Namespace) -> bool:
    """Whether a message begins with a file that a command was given; it may be called as arguments are."""
    inputs, outputs = _named(options)
    return message.startswith(
        tuple(f"{file}{after}" for file in (*inputs, *outputs) for after in (":", ",", " is "))
    )


def _named(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The files that a command reads, and those that it writes."""
    given = vars(options)
    inputs = [name for argument in _INPUTS for name in _listed(given.get(argument))]
    # Options that take the file of a list or a table have it as a Path.
    inputs += [
        os.fspath(each) for value in given.values() for each in _listed(value) if isinstance(each, Path)
    ]
    return inputs, [each for argument in _OUTPUTS if (each := given.get(argument)) not in (None, "-")]


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _files(name: str) -> list[str]:
    """The files of an argument; what is wrong with it is said when they are read."""
    if name == "-":
        return ["/dev/stdin"] if os.path.exists("/dev/stdin") else []
    try:
        return files_of(name)
    except OSError:
        return []


def count(text: str) -> int:
    """A whole number of 0 or more."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is less than 0")
    return number


def as_number(text: str, wanted: str = "number") -> int | float:
    """A number, whole if it is written so; `wanted`, for the message, is what it should have been."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    raise argparse.ArgumentTypeError(f"{text!r} is no {wanted}")


class Parser(argparse.ArgumentParser):
    """A parser with a short help, that knows what may have been meant by a name that it does not know."""

    keys: Mapping[str, str]
    """Those of the object that --json prints, and what they have."""
    common: Sequence[str] | None
    """The options that -h shows; None: all."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more | {"add_help": False})
        self.keys, self.common = {}, None

    def add_helps(self, common: Sequence[str] | None = None) -> None:
        """Add -h, which shows the options of `common` alone if these are given, and --help."""
        self.common = common
        if common is None:
            self.add_argument("-h", "--help", action="help", help="show this help")
            return
        self.add_argument("-h", action=_ShortHelp, nargs=0, dest="help", help="show the common options")
        self.add_argument("--help", action="help", dest="help", help="show all options")

    def short_help(self) -> str:
        """What -h shows: what the command does, its arguments, and its common options."""
        chosen = {*(self.common or ()), "-h", "--help"}
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, (), ())
        formatter.add_text((self.description or "").partition("\n\n")[0])
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_arguments(
                action
                for action in group._group_actions
                if not action.option_strings or not chosen.isdisjoint(action.option_strings)
            )
            formatter.end_section()
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Exit with status 2, and a near match of what is misspelt."""
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if wrong is not None:
            message += near(wrong[1], [choice.strip(" '") for choice in wrong[2].split(",")])
        if missing := re.match(r"argument .*(--[\w-]+): expected (at least )?one argument", message):
            message += f"; one that begins with - follows an equals sign, as in {missing[1]}=-s"
        # Of what was given there may be anything in it.
        super().error(printing.escaped(message, sys.stderr))

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # Some versions of argparse take -- out of the values of options, too, and leave an empty list.
        if action.option_strings and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value if action.nargs is None else [value]
        return super()._get_values(action, arg_strings)

    def _print_message(self, message: str, file: Any = None) -> None:
        # As it is: argparse may set its own texts in colours, by control characters. And at once: argparse
        # passes over what cannot be written.
        stream = getattr(file, "unshielded", file)
        stream.write(message)
        stream.flush()


def unknown(given: Sequence[str], command: argparse.ArgumentParser) -> str:
    """What is wrong with arguments that a command does not take."""
    message = f"unrecognized arguments: {' '.join(given)}"
    flag = next((each.partition("=")[0] for each in given if each.startswith("-")), None)
    if flag is None:
        return f"{message}; put names with blanks into quotes, and see --help"
    word = flag.lstrip("-")
    options = list(options_of(command))
    flags = [each for option in options for each in option.option_strings]
    if longer := next((each for each in flags if word and each.startswith(f"--{word}")), None):
        return f"{message}; did you mean {longer!r}?"
    for option in options:
        values = option.choices or (_WORD.findall(str(option.help)) if option.metavar == "NAMES" else ())
        if word in values:
            return f"{message}; did you mean '{max(option.option_strings, key=len)} {word}'?"
    close = near(flag, flags)
    return message + (close or "; see --help for those there are")


class _ShortHelp(argparse.Action):
    """Show the short help and leave, as --help does with the whole."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        text = parser.short_help() if isinstance(parser, Parser) else parser.format_help()
        parser._print_message(text, sys.stdout)
        parser.exit()


class Help(argparse.HelpFormatter):
    """Options and what they do in two columns, the second starting further to the right; paragraphs stay."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, max_help_position=30, **more)

    def add_argument(self, action: argparse.Action) -> None:
        """Commands are indented once more than argparse has room for."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(super(Help, self)._fill_text(each, width, indent) for each in text.split("\n\n"))
