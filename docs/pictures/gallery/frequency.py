"""Frequency and activation

A cloud of words: the more often a word occurs, the higher is the activation
by its own trigrams.

Activation is a predictor of reaction times (Baayen et al. 2011). See
[measures](howto/measures.md).
"""

import rescorla as rw
from matplotlib import pyplot as plt

events = rw.corpus_events(rw.datasets.king_james(), symbols="a-z")
weights = rw.learn(events, alpha=0.1, beta=0.1)
words, counts = events.outcomes, events.outcome_counts
types = rw.read_events(
    (cues, [word])
    for cues, word in zip(rw.ortho_coding(words, 3), words, strict=True)
)
support = rw.measures.activation(types, weights)
figure, ax = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
ax.scatter(counts, support, s=6, alpha=0.3, lw=0, rasterized=True)
for word in "and", "jesus", "disciples", "sea", "kingdom", "as":
    i = words.index(word)
    ax.annotate(word, (counts[i], support[i]), color="C3")
ax.set(xscale="log", xlabel="how often a word occurs", ylabel="activation")
