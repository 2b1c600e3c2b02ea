"""A map of meanings

Words in a plane: arrows lead from stems to their forms in -ed and -ing, all
in like directions.

What comprehension predicts of each form, in two principal components. See
[linear discriminative learning](howto/ldl.md).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

stems = ["walk", "help", "talk", "turn", "work"]
words = [stem + ending for ending in ("", "ed", "ing") for stem in stems]
meanings = [[s, e] for e in ("base", "past", "ing") for s in stems]
vectors = rw.ldl.simulated_vectors(meanings, 100, seed=3)
lexicon = rw.ldl.lexicon(words, vectors)
S = rw.ldl.predicted(lexicon, rw.ldl.comprehension(lexicon))
_, _, axes = np.linalg.svd(S - S.mean(axis=0))
places = (S - S.mean(axis=0)) @ axes[:2].T
figure, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
for i, (word, place) in enumerate(zip(words, places, strict=True)):
    ax.annotate(
        word,
        places[i % 5],
        place,
        color=f"C{i // 5}",
        fontsize=7,
        arrowprops={"arrowstyle": "<|-", "color": "0.8"},
    )
ax.set(xlabel="first component", ylabel="second component")
ax.scatter(*places.T, s=0)
