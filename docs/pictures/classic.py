"""Draws classic-*.svg and tutorial-*.svg: `python docs/pictures/classic.py` (needs matplotlib).

The lines of code of a section of docs/classic.md or docs/tutorial.md draw its picture, as they stand.
"""

import doctest
import re
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
CLASSIC, TUTORIAL = HERE.parent / "classic.md", HERE.parent / "tutorial.md"


def experiments(path: Path = CLASSIC) -> Iterator[tuple[str, str, list[str]]]:
    """For each section of a page: its title, its examples, and the pictures that it shows."""
    page = re.sub(
        r"^<!-- needs.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for section in re.split(r"^##+ ", page, flags=re.MULTILINE):
        code = "\n".join(re.findall(r"^```pycon\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL))
        pictures = re.findall(r"!\[[^]]*\]\(pictures/([^)]*)\)", section)
        yield section.split("\n", 1)[0], code, pictures


def main() -> None:
    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 9})
    for path in CLASSIC, TUTORIAL:
        names: dict[str, Any] = {}
        for title, code, _ in experiments(path):
            with tempfile.TemporaryDirectory() as folder, chdir(folder):
                for example in doctest.DocTestParser().get_examples(code):
                    exec(compile(example.source, str(path), "single"), names)
            if plt.get_fignums():
                name = f"{path.stem}-{title.lower().replace(' ', '-')}.svg"
                plt.gcf().savefig(HERE / name, metadata={"Date": None})
                print(name)
            plt.close("all")


if __name__ == "__main__":
    main()
