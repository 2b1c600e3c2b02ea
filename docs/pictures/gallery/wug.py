"""A wug test

Two curves over learning: wugs becomes a plural and wug does not.

Neither word is among the 32 nouns that are learned (after Berko 1958). See [a
lexicon](howto/datasets.md#a-lexicon).
"""

import rescorla as rw
from matplotlib import pyplot as plt

events = rw.datasets.plurals().passes(10, seed=1)
learned = rw.trajectories(events, outcomes=["plural"], every=10)
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for word, bigrams in zip(
    ["wugs", "wug"], rw.ortho_coding(["wugs", "wug"]), strict=True
):
    known = [cue for cue in bigrams if cue in learned.cues]
    ax.plot(learned.tokens, learned.activations(known)[:, 0], label=word)
ax.set(xlabel="token", ylabel="activation of plural")
ax.legend(frameon=False)
