"""Tables that R wrote."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rescorla._core as _core
from rescorla._shared.checks import PathName, path_name, shown
from rescorla._shared.warn import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NAME = re.compile(r"[A-Za-z.][A-Za-z0-9._]*")
_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|\Z)')
_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*(e[+-]?[0-9]+)?|Inf)|NaN")
# What R writes of letters that its locale does not have.
_SPELLED = re.compile(r"<U\+([0-9A-F]{4}|0010[0-9A-F]{4}|000[0-9A-F]{5})>")
_TRUTH = {"TRUE": True, "FALSE": False}


def from_r(package: str, name: str, *, folder: PathName = ".") -> dict[str, NDArray[Any]]:
    """Read a data set of an R package, from the CSV that R wrote.

    The data sets of R's packages have licences of their own, and do not come with rescorla. The file is
    ``folder/name.csv``; where it is missing, the error says the line of R that writes it.

    Parameters
    ----------
    package : str
        The R package, such as ``"ndl"``.
    name : str
        The data set, such as ``"think"``.
    folder : str or path-like, default "."
        Where the file is.

    Returns
    -------
    dict of ndarray
        The columns by name, each with an entry for every row. Strings and factors are arrays of str (dtype
        object, None where R has NA), and so are dates; what R writes as whole numbers is int64; other
        numbers, of which R writes 15 digits, and numbers of which some are NA (here NaN), are float64; truth
        values are bool (object with None, if some are NA). The word "NA" or "None" in a column of strings
        stays a word. A column of row names is left out.

    Raises
    ------
    FileNotFoundError
        When the file is missing; the message says the line of R.
    FormatError
        When the file is no table as R's ``write.csv`` writes it; the message names the line.
    ValueError, TypeError
        When the package or the data set has no name that R allows.

    Warns
    -----
    RescorlaWarning
        When R wrote ``<U+0161>`` and the like in place of letters, as it does where its locale has no UTF-8.

    See Also
    --------
    rescorla.factor_events : takes such a table of factors.
    rescorla.read_events : reads the file itself where it has the columns Cues, Outcomes and Frequency.

    Examples
    --------
    >>> import rescorla as rw
    >>> from pathlib import Path
    >>> _ = Path("verbs.csv").write_text(
    ...     '"Verb","Agent","n"\\n"think","None",2\\n"ponder",NA,3\\n'
    ... )
    >>> table = rw.datasets.from_r("ours", "verbs")
    >>> table["Agent"].tolist(), table["n"].tolist()
    (['None', None], [2, 3])
    >>> rw.factor_events(table, "Verb", frequency="n").cues
    ('AgentNone',)

    Where the file is missing:

    >>> rw.datasets.from_r("ndl", "think")
    Traceback (most recent call last):
        ...
    FileNotFoundError: ... in R, data(think, package = "ndl"); write.csv(think, ".../think.csv", ...
    """
    for argument, value in (("package", package), ("name", name)):
        if not isinstance(value, str):
            raise TypeError(f"{argument} must be a str, as in from_r('ndl', 'think'), not {shown(value)}")
        if _NAME.fullmatch(value) is None:
            raise ValueError(f"{argument} must be a name of R, as in from_r('ndl', 'think'), not {value!r}")
    path = Path(path_name(folder), f"{name}.csv")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, _missing(package, name, path), str(path)) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _core.FormatError(
            f"{path}: expected UTF-8, found the byte 0x{data[error.start]:02x} at offset {error.start}; give "
            'write.csv fileEncoding = "UTF-8"'
        ) from None
    if (spelled := _SPELLED.search(text)) is not None:
        line = text.count("\n", 0, spelled.start()) + 1
        warn(
            f"{path}, line {line}: R wrote {spelled[0]} where there was {chr(int(spelled[1], 16))!r}, since "
            "its locale has no UTF-8; write the file again by an R that was started with LC_ALL=C.UTF-8, or, "
            "on Windows, by R 4.2 or later"
        )
    return _columns(path, text)


def _missing(package: str, name: str, path: Path) -> str:
    """What is missing, and the line of R that writes it."""
    there = os.path.abspath(path).replace(os.sep, "/").replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'no file of {name} is there; write it in R, data({name}, package = "{package}"); write.csv({name}, '
        f'"{there}", row.names = FALSE, fileEncoding = "UTF-8"), or say where it is by folder='
    )


class _Cell(NamedTuple):
    """What stands in a cell, and whether it is quoted: then it is a str, whatever it looks like."""

    text: str
    is_quoted: bool

    @property
    def is_missing(self) -> bool:
        return not self.is_quoted and self.text in ("NA", "")


def _columns(path: Path, text: str) -> dict[str, NDArray[Any]]:
    """The columns of a table by name."""
    rows = _rows(path, text)
    _, header = next(rows, (1, []))
    names = [cell.text for cell in header]
    twice = sorted({name for name in names if names.count(name) > 1})
    if not names or twice:
        found = f"{twice[0]!r} twice" if twice else "an empty file"
        raise _core.FormatError(f"{path}, line 1: expected a name for each column, found {found}")
    table: list[list[_Cell]] = []
    for line, row in rows:
        if len(row) != len(names):
            raise _core.FormatError(
                f"{path}, line {line}: expected {len(names)} cells, as the header has, found {len(row)}; "
                "write the table by R's write.csv, which separates cells by commas"
            )
        table.append(row)
    columns = {name: _array([row[place] for row in table]) for place, name in enumerate(names)}
    # Of row names, where write.csv was not told row.names = FALSE.
    columns.pop("", None)
    return columns


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[_Cell]]]:
    """Each row, and the line in which it begins; a cell may go on over lines."""
    place, line, row, start = 0, 1, list[_Cell](), 1
    while place < len(text):
        found = _CELL.match(text, place)
        if found is None:
            raise _core.FormatError(
                f"{path}, line {line}: expected cells between commas, found a quote amid one"
            )
        quoted, plain, end = found.groups()
        row.append(_Cell(plain, False) if quoted is None else _Cell(quoted.replace('""', '"'), True))
        line += found[0].count("\n")
        place = found.end()
        if end == "," and place < len(text):
            continue
        if end == ",":
            row.append(_Cell("", False))
        if row != [_Cell("", False)]:
            yield start, row
        row, start = [], line


def _array(cells: Sequence[_Cell]) -> NDArray[np.generic]:
    """A column, of the type that R's column had."""
    texts = [cell.text for cell in cells if not cell.is_missing]
    is_whole = len(texts) == len(cells)
    if not any(cell.is_quoted for cell in cells):
        if all(text in _TRUTH for text in texts):
            truth = [None if cell.is_missing else _TRUTH[cell.text] for cell in cells]
            # Where there are no rows nobody knows.
            return np.array(truth, dtype=bool if is_whole and texts else object)
        if is_whole and all(map(_WHOLE.fullmatch, texts)):
            try:
                return np.array(list(map(int, texts)), dtype=np.int64)
            except OverflowError:
                pass
        if all(map(_NUMBER.fullmatch, texts)):
            return np.array([np.nan if cell.is_missing else float(cell.text) for cell in cells])
    return np.array([None if cell.is_missing else cell.text for cell in cells], dtype=object)
