"""Equations of the pages as MathML, which browsers show without scripts: a hook of mkdocs.

The pages write them in LaTeX, as GitHub reads them: between two dollar signs, or in a line between one.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

# What pymdownx.arithmatex makes of them.
_MADE = re.compile(
    r'<div class="arithmatex">\\\[(.*?)\\\]</div>', re.DOTALL
)
_MADE_IN_LINE = re.compile(
    r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL
)


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """What mkdocs calls with the HTML of a page."""
    where = page.file.src_uri
    content = _MADE_IN_LINE.sub(
        lambda found: _mathml(html.unescape(found[1]), where, "inline"),
        content,
    )
    return _MADE.sub(
        lambda found: equation(html.unescape(found[1]), where), content
    )


def equation(latex: str, where: str) -> str:
    """One equation, which scrolls where the screen is narrow; read aloud it is its LaTeX."""
    made = _mathml(latex, where, "block")
    spoken = html.escape(" ".join(latex.split()))
    return f'<div class="equation" tabindex="0" role="math" aria-label="{spoken}">{made}</div>'


def _mathml(latex: str, where: str, display: str) -> str:
    """The MathML of an equation."""
    made = convert(latex.strip(), display=display)
    if unknown := re.search(r"\\[a-zA-Z]+", made):
        raise ValueError(
            f"{where}: {unknown[0]} in an equation is not known to latex2mathml"
        )
    return made
