"""A network of words in a text

Words on the left predict god, sea and disciples on the right; the thickest
lines are the strongest.

The cues are the two words before. See [running text](howto/text.md).
"""

import rescorla as rw

events = rw.corpus_events(
    rw.datasets.king_james(), cues_from="words", window=(2, 0), symbols="a-z"
)
weights = rw.learn(events, alpha=0.1, beta=0.1)
rw.plot.network(weights, outcomes=["god", "sea", "disciples"], n=6)
