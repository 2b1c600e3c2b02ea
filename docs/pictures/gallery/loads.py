"""Which part of a word carries its meaning

Bars for the trigrams of three words: at the end of walked and walking they
stand for the ending.

How well each trigram agrees with the word's meaning: its functional load. See
[linear discriminative learning](howto/ldl.md).
"""

import rescorla as rw
from matplotlib import pyplot as plt

stems = ["walk", "help", "look", "talk", "call", "turn", "jump", "work"]
words, meanings = [], []
for ending in "", "ed", "ing", "s":
    words += [stem + ending for stem in stems]
    meanings += [[stem, ending] if ending else [stem] for stem in stems]
vectors = rw.ldl.simulated_vectors(meanings, 100, seed=1)
lexicon = rw.ldl.lexicon(words, vectors)
F = rw.ldl.comprehension(lexicon)
loads = rw.ldl.functional_load(lexicon, F)
shown = ["walk", "walked", "walking"]
figure, axes = plt.subplots(
    1, 3, figsize=(8, 2.6), sharey=True, layout="constrained"
)
for ax, word, trigrams in zip(
    axes, shown, rw.ortho_coding(shown, 3), strict=True
):
    ax.bar(trigrams, loads[words.index(word)])
    ax.set_title(word)
axes[0].set_ylabel("functional load")
