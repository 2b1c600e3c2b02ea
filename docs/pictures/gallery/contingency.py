"""Contingency

A square of colours: the weight of a cue is positive below the diagonal,
negative above it, and 0 on it.

At the equilibrium the weight of a cue beside its context is P(US | A) - P(US
| no A). See [equilibrium](howto/equilibrium.md).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

n = 20
weights = np.empty((n + 1, n + 1))
for i, j in np.ndindex(weights.shape):
    events = [
        (["A", "context"], "US", j),
        (["A", "context"], "", n - j),
        (["context"], "US", i),
        (["context"], "", n - i),
    ]
    weights[i, j] = rw.equilibrium(events)["A", "US"]
figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
image = ax.imshow(
    weights, cmap="RdBu", vmin=-1, vmax=1, origin="lower", extent=(0, 1, 0, 1)
)
figure.colorbar(image, label="weight of A")
ax.set(xlabel="P(US | A)", ylabel="P(US | no A)")
