"""What results show of themselves: text in columns, and tables for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

# Lines on each side of those that are left out, and characters of a name.
SIDE, NAME, _TITLE = 3, 24, 300

GAP = "..."

_TEXT = "text-align: left; padding: 0.15em 0.6em; white-space: pre"
_NUMBER = "text-align: right; padding: 0.15em 0.6em; font-variant-numeric: tabular-nums"


def ends(n: int, side: int = SIDE) -> tuple[range, range]:
    """The first and the last places of n; all are first where only one would be left out."""
    return (range(n), range(0)) if n <= 2 * side + 1 else (range(side), range(n - side, n))


def with_gap(first: list[list[str]], last: list[list[str]]) -> list[list[str]]:
    """Lines, with one that says where some are left out."""
    return [*first, [GAP] * len(first[0]), *last] if last else first


def short(name: str, most: int = NAME) -> str:
    """A name that fits a column and breaks no line."""
    # Of a long name no more is looked at than is shown.
    name = name[: most + 1]
    plain = name if name.isprintable() else repr(name)[1:-1]
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def number(value: float) -> str:
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


def page(head: str, *parts: str) -> str:
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
    full: bool = False,
) -> str:
    """Cells in HTML: the first columns are text, the others numbers; `full`: cells of any length."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} style="{_TEXT if place < left else _NUMBER}" title="{escape(short(cell, _TITLE))}">'
            f"{escape(cell if full else short(cell, 2 * NAME))}</{tag}>"
            for place, cell in enumerate(cells)
        )

    over = f'<div style="opacity: 0.7">{escape(caption)}</div>' if caption else ""
    top = f"<tr>{row(heads, 'th')}</tr>" if any(heads) else ""
    body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in lines)
    return f'{over}<table style="border-collapse: collapse">{top}{body}</table>'


def details(parameters: Mapping[str, object]) -> str:
    """The parameters, folded."""
    if not parameters:
        return ""
    lines = [[name, _told(value)] for name, value in parameters.items()]
    count = f"{len(lines)} parameters"
    return f"<details><summary>{count}</summary>{table(['', ''], lines, left=2, full=True)}</details>"


def _told(value: object) -> str:
    if isinstance(value, list | tuple) and len(value) > 6:
        return f"{len(value):,} values, {', '.join(map(str, value[:3]))}, ..."
    return short(str(value), 200)
