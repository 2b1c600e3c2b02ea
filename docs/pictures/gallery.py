"""The gallery: `python docs/pictures/gallery.py [NAME ...]` draws the pictures; also a hook of mkdocs.

Each file of docs/pictures/gallery draws one picture. Its docstring has a title, what is seen, and a text.
Comments in docs/gallery.md name the files; the site has thumbnails, pictures and code in their place.
"""

import ast
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_suffix("")


class Example(NamedTuple):
    """A picture, and the code that draws it."""

    name: str
    title: str
    seen: str
    text: str
    code: str


def example(name: str) -> Example:
    """What a file of the gallery has."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    title, seen, text = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")
    code = source.split('"""\n', 1)[1].strip()
    return Example(name, title, " ".join(seen.split()), text, code)


def page(markdown: str) -> str:
    """The page, with pictures and code in the place of the comments that name them."""
    groups = re.findall(r"^<!-- gallery: (.*?) -->$", markdown, re.M | re.S)
    thumbnails = "".join(map(_thumbnail, " ".join(groups).split()))
    markdown = re.sub(
        r"^<!-- gallery: (.*?) -->$",
        lambda names: "\n".join(map(_section, names[1].split())),
        markdown,
        flags=re.M | re.S,
    )
    return markdown.replace("<!-- thumbnails -->", f'<div class="thumbnails" markdown>\n{thumbnails}\n</div>')


def _thumbnail(name: str) -> str:
    title = example(name).title
    picture = f"![Thumbnail of the picture: {title}](pictures/gallery/{name}.svg)"
    return f"\n[{picture} {title}](#{name})\n"


def _section(name: str) -> str:
    _, title, seen, text, code = example(name)
    return (
        f"### {title} {{ #{name} }}\n\n![{seen}](pictures/gallery/{name}.svg)\n\n{text}\n\n"
        f"```python\n{code}\n```\n"
    )


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """What mkdocs calls with the Markdown of each page."""
    return globals()["page"](markdown) if page.file.src_uri == "gallery.md" else markdown


def main() -> None:
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 9, "savefig.facecolor": "white"})
    for name in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.py")):
        exec(compile(example(name).code, f"{name}.py", "exec"), {})
        plt.gcf().savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
        plt.close("all")


if __name__ == "__main__":
    main()
