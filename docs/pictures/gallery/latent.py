"""Latent inhibition, by rule

Four panels. Exposure slows learning by the hybrid rule and by that of Pearce,
Kaye and Hall only.

A cue that came alone before is learned more slowly, says the experiment;
rules differ. See [other rules](classic.md#other-rules).
"""

import rescorla as rw
from matplotlib import pyplot as plt

groups = rw.design({"exposed": "A- 40 | A+ 20", "new": "C- 40 | A+ 20"})
figure, axes = plt.subplots(
    1, 4, figsize=(9, 2.6), sharey=True, layout="constrained"
)
rules = [
    "rescorla_wagner",
    "mackintosh",
    "hybrid",
    "pearce_kaye_hall",
]
for ax, rule in zip(axes, rules, strict=True):
    for (name, events), style in zip(groups.items(), ("-", "--"), strict=True):
        curve = rw.trajectories(events, rule=rule, alpha=0.3, beta=0.3)
        ax.plot(range(21), curve["A", "US"][40:], style, label=name)
    ax.set(title=rule, xlabel="trial with outcome")
axes[0].set_ylabel("weight of A")
axes[0].legend(frameon=False)
