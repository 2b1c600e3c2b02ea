"""Equations of the pages as MathML, which browsers show without scripts: a hook of mkdocs.

The pages write them in LaTeX between two dollar signs, as GitHub reads them.
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


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """What mkdocs calls with the HTML of a page."""
    where = page.file.src_uri
    return _MADE.sub(
        lambda found: equation(html.unescape(found[1]), where), content
    )


def equation(latex: str, where: str) -> str:
    """One equation, which scrolls where the screen is narrow; read aloud it is its LaTeX."""
    made = convert(latex.strip(), display="block")
    if unknown := re.search(r"\\[a-zA-Z]+", made):
        raise ValueError(
            f"{where}: {unknown[0]} in an equation is not known to latex2mathml"
        )
    spoken = html.escape(" ".join(latex.split()))
    return f'<div class="equation" tabindex="0" role="math" aria-label="{spoken}">{made}</div>'
