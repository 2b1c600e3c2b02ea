"""Which words are alike

A square of colours, with a tree beside it: they, he and jesus are alike, and
so are was and had.

Words that come after like words have like columns of weights. See
[measures](howto/measures.md#for-each-name).
"""

import rescorla as rw
from matplotlib import pyplot as plt
from scipy.cluster.hierarchy import dendrogram, linkage

events = rw.corpus_events(
    rw.datasets.king_james(), cues_from="words", window=(2, 0), symbols="a-z"
)
words = events.counts("outcomes").nlargest(40).index.tolist()
weights = rw.learn(events, outcomes=words, alpha=0.1, beta=0.1)
alike = rw.measures.similarity(weights, words, side="outcomes")
figure, (left, right) = plt.subplots(
    1, 2, figsize=(8, 5.6), width_ratios=[1, 3], layout="constrained"
)
tree = dendrogram(
    linkage(alike, "average"), orientation="left", no_labels=True, ax=left
)
order = tree["leaves"]
right.imshow(
    alike[order][:, order], "RdBu", vmin=-0.5, vmax=0.5, origin="lower"
)
right.set_yticks(range(40), [words[i] for i in order], fontsize=7)
right.set_xticks([])
left.set_axis_off()
