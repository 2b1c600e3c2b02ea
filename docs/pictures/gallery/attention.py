"""Attention to a blocked cue

Saliences over trials by Mackintosh's rule: that of A rises to 1, that of B
falls when it joins A.

In Mackintosh's rule, attention goes to the better predictor. See [saliences
that change](howto/parameters.md#saliences-that-change).
"""

import rescorla as rw
from matplotlib import pyplot as plt

events = rw.design("A+ 20 | AB+ 40")
learned = rw.trajectories(events, rule="mackintosh", alpha=0.3, beta=0.3)
figure, axes = plt.subplots(
    1, 2, figsize=(8, 3), sharey=True, layout="constrained"
)
for ax, values, title in zip(
    axes,
    (learned.values, learned.saliences),
    ("weight", "salience"),
    strict=True,
):
    for i, cue in enumerate(learned.cues):
        ax.plot(learned.tokens, values[:, i, 0], label=cue)
    ax.axvline(20, color="0.8", lw=1)
    ax.set(xlabel="trial", title=title)
axes[0].legend(frameon=False)
