"""What results show of themselves: text in columns, and tables for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import islice, zip_longest

# Lines on each side of those that are left out; characters of a name in a cell, above a column of numbers,
# and of one that is pointed at; of a line; and of a parameter.
_SIDE, _NAME, NARROW, _TITLE, _LINE, _LONGEST = 3, 24, 16, 300, 88, 200

_GAP = "..."

_TEXT = "text-align: left; padding: 0.15em 0.6em; white-space: pre"
_NUMBER = "text-align: right; padding: 0.15em 0.6em; white-space: pre; font-variant-numeric: tabular-nums"


def ends(n: int, side: int = _SIDE) -> tuple[range, range]:
    """The first and the last places of n; all are first where only one would be left out."""
    return (range(n), range(0)) if n <= 2 * side + 1 else (range(side), range(n - side, n))


def with_gap(first: list[list[str]], last: list[list[str]]) -> list[list[str]]:
    """Lines, with one that says where some are left out."""
    return [*first, [_GAP] * len(first[0]), *last] if last else first


def short(name: str, most: int = _NAME) -> str:
    """A name that fits a column and breaks no line."""
    # Of a long name no more is looked at than is shown.
    name = name[: most + 1]
    plain = name if name.isprintable() else repr(name)[1:-1]
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def rounded(value: float) -> str:
    """A number with four digits."""
    return f"{value:.4g}"


def columns(lines: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Lines of cells that stand under each other: the first columns to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def grid(
    n_rows: int,
    n_columns: int,
    heads: Callable[[Sequence[int]], list[list[str]]],
    rows: Callable[[Sequence[int], Sequence[int]], list[list[str]]],
) -> list[str]:
    """The first and the last rows and columns of an array, as many columns as a line has room for.

    `heads` gives the lines above these columns, `rows` those of these rows; each begins with a cell of text.
    """
    if not n_rows or not n_columns:
        return []
    lines: list[str] = []
    for side in range(_SIDE, 0, -1):
        first, last = ends(n_columns, side)
        places = [*first, *last]
        early, late = (rows(part, places) for part in ends(n_rows))
        cells = [*heads(places), *with_gap(early, late)]
        if last:
            for line in cells:
                line.insert(1 + len(first), _GAP)
        lines = columns(cells)
        if max(map(len, lines)) <= _LINE:
            break
    return lines


def notebook_html(head: str, *parts: str) -> str:
    """What a notebook shows: the line that stands in text, and parts in HTML.

    There are no scripts, and colours are those of the page, be it light or dark.
    """
    body = "".join(parts)
    return f'<div class="rescorla" style="color: inherit"><div>{escape(head)}</div>{body}</div>'


def table(
    heads: Sequence[str],
    lines: Sequence[Sequence[str]],
    *,
    left: int = 1,
    caption: str = "",
    most: int = 2 * _NAME,
    shades: Sequence[Sequence[str]] = (),
) -> str:
    """Cells in HTML, each of `most` characters: the first columns are text, the others numbers.

    `shades` are the backgrounds of the cells of each line, empty where there is none.
    """

    def cell(text: str, tag: str, place: int, shade: str = "") -> str:
        # What a number is of, its line and its column say.
        title = f' title="{escape(short(text, _TITLE))}"' if text and (tag == "th" or place < left) else ""
        style = (_TEXT if place < left else _NUMBER) + (f"; background-color: {shade}" if shade else "")
        return f'<{tag} style="{style}"{title}>{escape(short(text, most))}</{tag}>'

    over = f'<div style="opacity: 0.7">{escape(caption)}</div>' if caption else ""
    rows = ["".join(cell(text, "th", place) for place, text in enumerate(heads))] if any(heads) else []
    for line, behind in zip_longest(lines, shades, fillvalue=()):
        cells = enumerate(zip_longest(line, behind, fillvalue=""))
        rows.append("".join(cell(text, "td", place, shade) for place, (text, shade) in cells))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'{over}<table style="border-collapse: collapse">{body}</table>'


def details(parameters: Mapping[str, object]) -> str:
    """The parameters, folded."""
    if not parameters:
        return ""
    lines = [[name, _told(value)] for name, value in parameters.items()]
    count = "1 parameter" if len(lines) == 1 else f"{len(lines)} parameters"
    return f"<details><summary>{count}</summary>{table(['', ''], lines, left=2, most=_LONGEST)}</details>"


def _told(value: object) -> str:
    if isinstance(value, Mapping):
        first = [f"{name}: {_counted(each)}" for name, each in islice(value.items(), _SIDE)]
        return ", ".join([_counted(value), *first, *(["..."] if len(value) > _SIDE else [])])
    if isinstance(value, list | tuple) and len(value) > 6:
        return f"{_counted(value)}, {', '.join(map(_counted, value[:_SIDE]))}, ..."
    if isinstance(value, list | tuple) and any(isinstance(each, Mapping | list | tuple) for each in value):
        return f"[{', '.join(map(_counted, value))}]"
    return str(value)


def _counted(value: object) -> str:
    """A value; of several, how many: there may be more in each."""
    if not isinstance(value, Mapping | list | tuple):
        return str(value)
    return "1 value" if len(value) == 1 else f"{len(value):,} values"
