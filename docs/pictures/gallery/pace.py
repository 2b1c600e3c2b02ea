"""Four learning rates

Curves of one weight at four learning rates: all rise to 1 and fall to 0, the
largest rate first.

Acquisition and extinction, by learning rate. See
[trajectories](howto/trajectories.md).
"""

import rescorla as rw
from matplotlib import pyplot as plt

events = rw.design("acquisition: A+ 40 | extinction: A- 40")
figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
for beta in 0.05, 0.1, 0.2, 0.4:
    learned = rw.trajectories(events, alpha=1.0, beta=beta)
    ax.plot(learned.tokens, learned["A", "US"], label=f"{beta:g}")
ax.axvline(40, color="0.8", lw=1)
ax.set(xlabel="trial", ylabel="weight of A", ylim=(0, 1.05))
ax.legend(title="beta", frameon=False)
