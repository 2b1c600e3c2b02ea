"""Notebooks as pages of the site: a hook of mkdocs, which makes Markdown of each as it is built.

What cells gave stands below them, as it is stored. On the site, links to notebooks go to these pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any


def page(notebook: dict[str, Any], name: str) -> str:
    """The Markdown of a notebook; `name` is that of its file, to load it."""
    first, *rest = (
        part for cell in notebook["cells"] for part in _cell(cell)
    )
    told = (
        f"[Download this notebook]({name}){{download}}. Once a wheel is on PyPI, "
        "it will run in Google Colab, too, after `%pip install rescorla`."
    )
    return "\n\n".join([first, told, *rest]) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        # Markdown in <details> is that of code hosts; here it has to be asked for.
        yield source.replace("<details>", '<details markdown="1">')
        return
    yield _block("python", source.removesuffix(";"))
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" in data:
            drawn = "".join(data["image/png"].split())
            alt = escape(cell["metadata"].get("alt", ""))
            yield f'<p><img alt="{alt}" src="data:image/png;base64,{drawn}"></p>'
        elif "text/html" in data:
            yield "".join(data["text/html"])
        else:
            yield _block(
                "{ .text .no-copy }",
                "".join(output.get("text", data.get("text/plain", ""))),
            )


def _block(language: str, text: str) -> str:
    return f"````{language}\n{text.rstrip()}\n````"


def on_files(files: Any, config: Any) -> Any:
    """What mkdocs calls with the files that it has found."""
    # Where pages are read alone, as by tests, there need be no mkdocs.
    from mkdocs.structure.files import File

    for file in [each for each in files if each.src_uri.endswith(".ipynb")]:
        notebook = json.loads(
            Path(file.abs_src_path).read_text(encoding="utf-8")
        )
        made = page(notebook, Path(file.src_uri).name)
        files.append(
            File.generated(config, _of_page(file.src_uri), content=made)
        )
    return files


def on_page_markdown(
    markdown: str, page: Any, config: Any, files: Any
) -> str:
    """What mkdocs calls with the Markdown of each page."""
    return re.sub(
        r"\]\([^)\s]+\.ipynb\)(?!\{download\})",
        lambda link: _of_page(link[0]),
        markdown,
    )


def _of_page(name: str) -> str:
    """The name of a notebook's page, or a link to it."""
    return name.replace(".ipynb", ".md")
