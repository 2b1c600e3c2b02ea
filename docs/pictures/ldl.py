"""Draws the picture of howto/ldl.md: `python docs/pictures/ldl.py kjv.txt.xz` (needs matplotlib).

The file is the King James Bible, a verse in each line.
"""

import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import rescorla as rw
from matplotlib.ticker import PercentFormatter

HERE = Path(__file__).parent
ENDING = re.compile(r"(\w{3,}?)(ing|eth|est|ed|es|s|ly)?")
# The colour of each curve, the group at which its name stands, and how far from it, in points.
CURVES = {
    "endstate": ("#1f6f9f", 7, (0, 7)),
    "frequency-informed": ("#e08a3c", 6, (6, -12)),
    "with JudiLing's ridge": ("#3a8a4d", 3, (8, -8)),
}
N_WORDS, N_GROUPS = 5000, 10


def features(word: str) -> list[str]:
    """The stem and the ending of a word, by a rule of thumb."""
    found = ENDING.fullmatch(word)
    return [part for part in found.groups() if part] if found else [word]


def main(path: str) -> None:
    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 10, "savefig.facecolor": "white"})
    events = rw.corpus_events(rw.datasets.king_james(path), symbols="a-z")
    order = np.argsort(-events.outcome_counts, kind="stable")[:N_WORDS]
    words, frequencies = [events.outcomes[i] for i in order], events.outcome_counts[order]
    vectors = rw.ldl.simulated_vectors([features(word) for word in words], 300, seed=1)
    types = rw.ldl.lexicon(words, vectors)
    tokens = rw.ldl.lexicon(words, vectors, frequencies=frequencies)
    mappings = dict(
        zip(
            CURVES,
            (
                rw.ldl.comprehension(types),
                rw.ldl.comprehension(tokens),
                rw.ldl.comprehension(tokens, ridge=0.02 * float(frequencies[0])),
            ),
            strict=True,
        )
    )
    figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
    G = rw.ldl.production(types)
    groups = np.array_split(np.arange(N_WORDS), N_GROUPS)
    for name, F in mappings.items():
        right = rw.ldl.measures(types, F, G)["rank"] == 1
        shares = [float(right[each].mean()) for each in groups]
        places = [float(np.median(frequencies[each])) for each in groups]
        colour, at, offset = CURVES[name]
        ax.plot(places, shares, "o-", color=colour, ms=4)
        ax.annotate(name, (places[at], shares[at]), xytext=offset, textcoords="offset points", color=colour)
        print(
            f"{name}: {right.mean():.3f} of the words, "
            f"{(right * frequencies).sum() / frequencies.sum():.3f} of the tokens, "
            f"from {right[:500].mean():.2f} of the 500 most frequent "
            f"to {right[-500:].mean():.2f} of the rarest"
        )
    ax.set(
        xscale="log", xlabel="how often a word occurs (median of 500 words)", ylabel="words that are right"
    )
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_ylim(0, 1.05)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "ldl-accuracy.svg", metadata={"Date": None})


if __name__ == "__main__":
    main(sys.argv[1])
