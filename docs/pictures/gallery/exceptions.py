"""Which words speak against a rule

Without lens or bus, singulars in s, the weight would be higher; without arms or
keys it would be lower.

The weight is that of a final s to plural. Each bar is an event, with its row in
the data. See [influence](howto/influence.md).
"""

import rescorla as rw
from matplotlib import pyplot as plt

nouns = rw.datasets.plurals()
events = rw.read_events([(e.cues, e.outcomes) for e in nouns] * 4)
found = rw.influence(events, "s#", "plural")
top = found.top(10)[::-1]
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
names = [f"{' '.join(event.outcomes)} ({row})" for row, _, _, event in top]
ax.barh(names, [effect for _, effect, _, _ in top])
ax.axvline(0, color="0.4", lw=0.8)
ax.set(xlabel="effect on the weight of s# to plural")
