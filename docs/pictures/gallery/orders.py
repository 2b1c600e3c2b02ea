"""Twenty orders of the same events

Twenty grey curves of a weight scatter around their mean, inside the band that
theory gives.

The line and the band (two standard deviations) are computed, not simulated.
See [convergence](howto/convergence.md).
"""

import rescorla as rw
from matplotlib import pyplot as plt

events = rw.datasets.plants()
found = rw.convergence(events, alpha=1.0, beta=0.03)
pair = ("red", "flower")
figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
for seed in range(20):
    learned = rw.trajectories(
        events.sample(1200, seed), [pair], alpha=1.0, beta=0.03, every=10
    )
    ax.plot(learned.tokens, learned[pair], color="0.8", lw=0.6)
mean = found.mean_trajectory(learned.tokens, *pair)
spread = 2 * found.oscillation(*pair)
ax.plot(learned.tokens, mean, label="expected weight")
end = found.equilibrium[pair]
ax.axhspan(end - spread, end + spread, color="C0", alpha=0.15, lw=0)
ax.set(xlabel="token", ylabel="weight of red to flower")
ax.legend(frameon=False)
