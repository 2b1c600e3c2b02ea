"""Frequent and rare words

Two curves over frequency: frequency-informed learning loses rare words, the
endstate hardly any.

Comprehension of the words of Mark, with simulated vectors. See [linear
discriminative learning](howto/ldl.md).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

events = rw.corpus_events(rw.datasets.king_james(), symbols="a-z")
order = np.argsort(-events.outcome_counts, kind="stable")
words = [events.outcomes[i] for i in order]
counts = events.outcome_counts[order]
vectors = rw.ldl.simulated_vectors([[word] for word in words], 100, seed=1)
figure, ax = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
types = rw.ldl.lexicon(words, vectors)
for name, learned in {
    "endstate": types,
    "frequency-informed": rw.ldl.lexicon(words, vectors, frequencies=counts),
}.items():
    F = rw.ldl.comprehension(learned)
    right = rw.ldl.measures(types, F, rw.ldl.production(types))["rank"] == 1
    parts = np.array_split(np.arange(len(words)), 12)
    x, y = np.array([(counts[p].mean(), right[p].mean()) for p in parts]).T
    ax.plot(x, y, "o-", label=name)
ax.set(xscale="log", xlabel="frequency", ylabel="words that are right")
ax.legend(frameon=False)
