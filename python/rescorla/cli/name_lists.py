"""Names that a command is given, and numbers for them: one after another, or in a file."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from rescorla._core import FormatError
from rescorla._events.names import cells_of_lines, listed
from rescorla.cli import joining


def add(parser: argparse.ArgumentParser, flag: str, metavar: str, purpose: str) -> None:
    """An option that takes names."""
    parser.add_argument(
        flag,
        nargs="+",
        action="extend",
        type=_name,
        metavar=metavar,
        help=f"{purpose}: names, or @LIST, a file of names",
    )


def add_numbers(parser: argparse.ArgumentParser, flag: str, side: str, what: str) -> None:
    """An option that takes a file of numbers for names."""
    parser.add_argument(
        f"{flag}-file",
        type=Path,
        metavar="TABLE",
        help=f"{what} by name: a name, a tab (in .csv a comma) and a number in each line; "
        f"{flag} is for {side} that it lacks",
    )


def names(flag: str, given: Sequence[str | Path] | None) -> list[str] | None:
    """The names that an option says."""
    if given is None:
        return None
    return [name for each in given for name in (listed(flag, each) if isinstance(each, Path) else [each])]


def check_apart(side: str, names: Sequence[str] | None, known: Collection[str]) -> None:
    """ValueError where names are joined as they are in tables, or as other options take them."""
    if names is None:
        return
    known = set(known)
    found = {
        name: joining.parts(name.replace("_", " "), known.__contains__) for name in names if name not in known
    }
    for name, parts in found.items():
        if parts:
            right = [part for each in names for part in found.get(each) or [each]]
            raise ValueError(
                f"--{side} names {name!r}, which is none of the {len(known)} {side} there are; separate "
                f"names by blanks: write --{side} {shlex.join(right)}"
            )


def number_per_name(path: Path, all_names: Sequence[str], default: float | None) -> dict[str, float]:
    """The number of each name: of those that the file lacks the default, if there is one."""
    found = {} if default is None else dict.fromkeys(all_names, default)
    return found | dict(_rows(path))


def _rows(path: Path) -> Iterator[tuple[str, float]]:
    seen: set[str] = set()
    for place, row in enumerate(cells_of_lines(str(path)), 1):
        if not row or row == [""]:
            continue
        if len(row) != 2:
            raise FormatError(
                f"{path}, line {place}: expected a name and a number, found {len(row)} "
                f"{'cell' if len(row) == 1 else 'cells'}; separate two columns by one tab, in .csv by a comma"
            )
        name, text = row
        try:
            number = float(text)
        except ValueError:
            if place == 1:
                continue  # A header.
            raise FormatError(f"{path}, line {place}: expected a number, found {text!r}") from None
        if name in seen:
            raise FormatError(f"{path}, line {place}: expected each name once, found {name!r} again")
        seen.add(name)
        yield name, number


def _name(text: str) -> str | Path:
    """A name, or the file of names that follows @; @@ is an @ with which a name begins."""
    if text.startswith("@@"):
        return text[1:]
    return Path(text[1:]) if text.startswith("@") and len(text) > 1 else text
