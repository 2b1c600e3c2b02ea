"""Forgetting

Three curves of a weight: without retention below 1 it stays when its cue is
gone, else it decays.

`retention` is what a token leaves of every weight. See
[forgetting](howto/trajectories.md#forgetting).
"""

import rescorla as rw
from matplotlib import pyplot as plt

events = rw.design("A+ 100 | B+ 400")
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for half_life in 100, 300, None:
    retention = 0.5 ** (1 / half_life) if half_life else 1.0
    learned = rw.trajectories(
        events, [("A", "US")], beta=0.3, retention=retention
    )
    label = f"half-life {half_life}" if half_life else "no forgetting"
    ax.plot(learned.tokens, learned["A", "US"], label=label)
ax.axvline(100, color="0.8", lw=1)
ax.set(xlabel="trial", ylabel="weight of A", ylim=(0, 1.05))
ax.legend(frameon=False)
