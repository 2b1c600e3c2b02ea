"""What the library says, in the words of the command line: options in place of arguments and functions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterator, Mapping

# Arguments of the library that an option of another name is.
_ARGUMENTS = {
    "bandsample": ("size",),
    "beta": ("beta1", "beta2"),
    "output": ("out",),
    "split": ("test",),
    "unknown_cues": ("unknown",),
}

# What the name of an argument is followed by where a message begins with it.
_VERBS = (
    "allows?|asks?|can|cannot|changes?|consists?|finds?|gives?|goes|go|has|have|is|are|keeps?|leaves?|lists?|maps?|"
    "may|must|names?|needs?|says?|takes?|tells?|would"
)

# A value that is written behind an argument, and what may follow it: no more of the name of a file.
_VALUE = (
    r"""(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<plain>[A-Za-z_]\w*|-?\d+(?:\.\d+)?))?(?=[\s,;:)?]|$)"""
)

# What the library tells users of Python to call or to write, and what does the same here.
_PYTHON = (
    (r"(?:(?:rescorla|rw)\.)?(?:corpus|read)_events(?:\([^()]*\))?", "rescorla events"),
    (r"(?:(?:rescorla|rw)\.)?(?:load_weights|open_events)(?:\(\.*\))?", "rescorla info"),
    (r"(?:rescorla|rw)\.(learn|equilibrium|activations)\b(?:\(\.*\))?", r"rescorla \1"),
    (r"(?:Events|events)\.(?:head|sample|split|passes)\b(?:\([^()]*\))?", "rescorla events"),
    (r"(?:Events\.|events\.)?to_table(?:\(\.*\))?", "--table"),
    (r"(?:Weights|weights|Events|events)\.save(?:\(\.*\))?", "-o"),
    (r"(?:the file )?(?:a )?pathlib\.Path\('([^']*)'\)", r"the file '\1'"),
    (r" or a pathlib\.Path", ""),
    (r", see \.(?:cues|outcomes)\b", ""),
    (r": weights\[cue, outcome\], row\(cue\), column\(outcome\), top\(.*\)", ""),
    (r"weights\[cues, outcomes\] names the (cue|outcome)", r"--\1s names the \1"),
    (r"rescorla\.Weights\.from_pandas takes a data frame of one", "give the weights that it was made of"),
    (r"(?:or )?a pair \(before, after\), 'context' or None", "a pair BEFORE,AFTER or context"),
    (r"a pair \(before, after\)", "a pair BEFORE,AFTER"),
    (r"a pair \(beta1, beta2\)", "two numbers"),
)


def said(
    message: str,
    command: argparse.ArgumentParser,
    files: Collection[str] = (),
    tables: Mapping[str, str] | None = None,
) -> str:
    """A message of the library as the command says it.

    The names of `files` are never taken for arguments. `tables` are arguments that the user gave in a file,
    and how: what is wrong with one of them is wrong there.
    """
    subjects = {} if tables is None else tables
    if " is not in the table of " in message:
        # `activations` has an option for unknown cues besides.
        message = re.sub(r'unknown="(\w+)"', r"--unknown-words \1", message)
    flags = {name: flag for name, flag in _flags(command) if name not in files}
    if flags:
        names = "|".join(sorted(map(re.escape, flags), key=len, reverse=True))
        if "columns" in flags:
            message = re.sub(r"columns=\{(?P<columns>[^{}]*)\}", _columns, message)
        message = re.sub(
            rf"(?<!--columns )(?<![\w./,-])(?P<name>{names})={_VALUE}",
            lambda found: _assigned(found, flags),
            message,
        )
        # At the beginning, or behind a line end of the library's own.
        message = re.sub(
            rf"^(?P<name>{names})(?=:|,? (?:as|{_VERBS})\b)",
            lambda found: subjects.get(found["name"], flags[found["name"]][0]),
            message,
        )
        # No word of English has an underscore.
        message = re.sub(
            rf"(?<![\w./'\"-])(?P<name>{names})(?![\w./'\"=])",
            lambda found: flags[found["name"]][0] if "_" in found["name"] else found[0],
            message,
        )
    for python, words in _PYTHON:
        message = re.sub(rf"(?<![\w./'\"-]){python}" if python[0] not in " ,:" else python, words, message)
    return message


def options_of(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All options of a command."""
    return (action for action in command._actions if action.option_strings)


def _flags(command: argparse.ArgumentParser) -> Iterator[tuple[str, tuple[str, object]]]:
    """For each argument of the library the option of a command that is it, and its constant."""
    others: list[tuple[str, tuple[str, object]]] = []
    for action in options_of(command):
        flag = max(action.option_strings, key=len)
        if action.dest == "output":
            flag = action.option_strings[0]
        yield action.dest, (flag, action.const)
        others += ((argument, (flag, action.const)) for argument in _ARGUMENTS.get(action.dest, ()))
    # Last, since these are what the command itself calls.
    yield from others


def _columns(found: re.Match[str]) -> str:
    """A mapping of columns as the option has it, which counts from 1."""
    columns = re.findall(r"""["']([\w']+)["']: (?:(\d+)|["']?([^"',]*)["']?)""", found["columns"])
    listed = (f"{role}={int(position) + 1 if position else name}" for role, position, name in columns)
    return f"--columns {','.join(listed)}"


def _assigned(found: re.Match[str], flags: Mapping[str, tuple[str, object]]) -> str:
    """An argument and its value, as in ``lower=False``, as an option."""
    flag, constant = flags[found["name"]]
    value = next((each for each in found.group("single", "double", "plain") if each is not None), None)
    if value is None:
        return flag
    if constant is not None and value == str(constant):
        return flag
    if value in ("None", "True", "False"):
        return f"no {flag}"
    return f"{flag} {value}"
