"""Draws classic-*.svg: `python docs/pictures/classic.py` (needs matplotlib).

Each experiment of docs/classic.md is drawn by its own lines of code there, as they stand.
"""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
PAGE = HERE.parent / "classic.md"


def experiments() -> Iterator[tuple[str, str, list[str]]]:
    """For each section of the page: its title, its examples, and the pictures that it shows."""
    page = PAGE.read_text(encoding="utf-8")
    for section in re.split(r"^##+ ", page, flags=re.MULTILINE):
        code = "\n".join(re.findall(r"^```pycon\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL))
        pictures = re.findall(r"!\[[^]]*\]\(pictures/([^)]*)\)", section)
        yield section.split("\n", 1)[0], code, pictures


def main() -> None:
    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 9})
    names: dict[str, Any] = {}
    for _, code, pictures in experiments():
        for example in doctest.DocTestParser().get_examples(code):
            exec(compile(example.source, str(PAGE), "single"), names)
        for picture in pictures:
            plt.gcf().savefig(HERE / picture, metadata={"Date": None})
        plt.close("all")


if __name__ == "__main__":
    main()
