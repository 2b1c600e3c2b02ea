"""What a letter string activates

Bars: hands activates hand and plural alike; mouses and foxes activate plural
the most.

Activations by the bigrams of known and new forms. See
[activations](api/activations.md).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

events = rw.datasets.plurals().passes(10, seed=1)
weights = rw.learn(events)
strings = ["hands", "mouses", "foxes"]
figure, axes = plt.subplots(
    1, 3, figsize=(8, 2.6), sharex=True, layout="constrained"
)
for ax, string in zip(axes, strings, strict=True):
    cues = rw.ortho_coding([string])
    a = rw.activations(cues, weights, unknown="ignore")[0]
    best = np.argsort(-a)[:6][::-1]
    ax.barh([weights.outcomes[i] for i in best], a[best])
    ax.set(title=string, xlabel="activation")
