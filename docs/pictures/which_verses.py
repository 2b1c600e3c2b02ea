"""Draws the picture of howto/influence.md: `python docs/pictures/which_verses.py kjv.txt` (needs matplotlib).

The King James Bible, a verse a line: the weight of the trigram #ki to the word king.
"""

import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import rescorla as rw
from rescorla.datasets._bible import _BOOKS

HERE = Path(__file__).parent
BLUE = "#1f6f9f"


def main(text: str) -> None:
    plt.rcParams.update(
        {
            "svg.hashsalt": "rescorla",
            "font.size": 9,
            "savefig.facecolor": "white",
        }
    )
    verses = rw.datasets.king_james(text)
    events = rw.corpus_events(verses, symbols="a-z")
    found = rw.influence(events, "#ki", "king")
    lengths = [len(re.findall("[a-z]+", verse.lower())) for verse in verses]
    book_of = np.repeat(np.repeat(list(_BOOKS), list(_BOOKS.values())), lengths)
    sums = found.by(book_of)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 6.2), layout="constrained", width_ratios=[3, 2])
    rw.plot.influence(found, ax=left)
    left.legend(frameon=False, loc="lower left")
    names = list(sums)
    adds = book_of[found.contributions != 0]
    counts = [int((adds == book).sum()) for book in names]
    right.barh(names, list(sums.values()), color=BLUE)
    right.invert_yaxis()
    right.margins(y=0.01)
    right.tick_params(axis="y", labelsize=7, length=0)
    for place, (total, count) in enumerate(zip(sums.values(), counts, strict=True)):
        right.annotate(
            str(count),
            (max(total, 0), place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=6.5,
            color="0.4",
        )
    right.set(xlabel="sum of contributions", title="by book")
    right.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "influence.svg", metadata={"Date": None})


if __name__ == "__main__":
    main(sys.argv[1])
