"""Activations of two groups

Two outlines of a distribution: the activation of plural is high for plurals
and near 0 for singulars.

See [activations](howto/plots.md#activations).
"""

import rescorla as rw

events = rw.datasets.plurals()
weights = rw.learn(events.passes(5, seed=1), alpha=0.1, beta=0.1)
activations = rw.activations(events, weights, outcomes=["plural"])[:, 0]
number = [
    "plural" if "plural" in event.outcomes else "singular" for event in events
]
ax = rw.plot.activations(
    activations, by=number, frequencies=events.frequencies, bins=25
)
ax.set_xlabel("activation of plural")
