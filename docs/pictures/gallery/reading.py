"""Cues of a word, over a text

Curves over the Gospel of Mark: trigrams of kingdom gain weight step by step,
and ing loses some again.

See [trajectories](howto/trajectories.md) and [running text](howto/text.md).
"""

import rescorla as rw

events = rw.corpus_events(rw.datasets.king_james(), symbols="a-z")
pairs = [(cue, "kingdom") for cue in ("kin", "ing", "dom")]
learned = rw.trajectories(events, pairs, every=50)
ax = rw.plot.trajectories(learned)
ax.set_title("kingdom in the Gospel of Mark")
