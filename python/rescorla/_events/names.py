"""Lists of names and maps between names, as callers say them or as files have them."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import rescorla._core as _core
from rescorla._shared.checks import path_name, several, shown, string

Names: TypeAlias = "Iterable[str] | os.PathLike[str]"
"""Several names, or the file whose first column they are."""
Map: TypeAlias = "Mapping[str, str | Iterable[str]] | os.PathLike[str]"
"""What each name becomes: names joined by "_", or an iterable of names; or the file that says so."""

_COUNTS = ("freq", "frequency")


def listed(argument: str, names: Names, *, words: bool = False) -> list[str]:
    """The names of a list.

    In a file they are the first cell of each line, and empty lines are left out. The first line is a header
    if its second cell is "freq" or "frequency": tables of counts are lists. Blanks around `words` are not
    read: no word of a text has any.
    """
    if isinstance(names, os.PathLike):
        rows = [row for row in cells_of_lines(path_name(names)) if row and row != [""]]
        header = bool(rows) and len(rows[0]) > 1 and rows[0][1].lower() in _COUNTS
        return [row[0].strip() if words else row[0] for row in rows[header:]]
    if isinstance(names, str):
        names = str(names)
        raise TypeError(
            f"{argument} must be several names or a pathlib.Path, not the str {names!r}; write [{names!r}], "
            f"or pathlib.Path({names!r}) for a file of names"
        )
    # A set will do: a list of names says which, not in what order.
    entries = (
        names if isinstance(names, set | frozenset) else several(argument, names, "names or a pathlib.Path")
    )
    return [_name(argument, name) for name in entries]


def cells_of_lines(path: str) -> Iterator[list[str]]:
    """The cells of each line of a file: in ``.csv`` between commas, in quotes or not, else between tabs."""
    lines = _core.read_lines(path)
    if _core.written_as(path) != "csv":
        yield from (line.split("\t") for line in lines)
        return
    reader = csv.reader(lines, strict=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _core.FormatError(
                f"{path}, line {reader.line_num}: expected cells between commas, found bad quotes: {error}; "
                "put a cell that has quotes in quotes, and double each quote within it"
            ) from None
        if row is None:
            return
        yield row


def mapping_of(argument: str, names: Map) -> dict[str, list[str]]:
    """What each name becomes: a str is names joined by "_", "" is none.

    In a file each line has two cells, a name and what it becomes, likewise.
    """
    if isinstance(names, os.PathLike):
        return _read_map(path_name(names))
    if isinstance(names, str):
        raise TypeError(
            f"{argument} must be a mapping or a pathlib.Path, not the str {str(names)!r}; write "
            f"pathlib.Path({str(names)!r}) for a file"
        )
    if not isinstance(names, Mapping):
        raise TypeError(f"{argument} must be a mapping or a pathlib.Path, not {type(names).__name__}")
    return {name: _several(argument, name, becomes) for name, becomes in names.items()}


def _read_map(path: str) -> dict[str, list[str]]:
    becomes: dict[str, list[str]] = {}
    for number, cells in enumerate(cells_of_lines(path), 1):
        if len(cells) != 2:
            found = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'}"
            raise _core.FormatError(
                f"{path}, line {number}: expected a name, a tab and what it becomes, found {found}; separate "
                "two columns by one tab, in .csv by a comma"
            )
        name, new = cells
        if name in becomes:
            raise _core.FormatError(
                f"{path}, line {number}: expected each name once, found {name!r} again; "
                "join all that it becomes by _ in one line"
            )
        becomes[name] = _parted(new)
        if "" in becomes[name]:
            raise _core.FormatError(
                f"{path}, line {number}: expected a name, found an empty one; join names by one _ each, with "
                "none at the ends"
            )
    return becomes


def _several(argument: str, name: str, becomes: object) -> list[str]:
    if isinstance(becomes, str):
        names = _parted(becomes)
        if "" in names:
            raise ValueError(
                f"{argument} maps {name!r} to {becomes!r}, in which a name is empty; join names by one _ "
                "each, with none at the ends"
            )
        return names
    if isinstance(becomes, bytes) or not isinstance(becomes, Iterable):
        raise TypeError(f"{argument} must map {shown(name)} to a name or several, not to {shown(becomes)}")
    return [_name(argument, new) for new in becomes]


def _parted(names: str) -> list[str]:
    """The names that "_" joins, empty ones among them; none of an empty str."""
    return names.split("_") if names else []


def _name(argument: str, name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{argument} must consist of names of type str, not of {shown(name)}")
    return string(argument, name)
