"""Rates that fall

With a fixed rate the weight goes up and down without end; with a falling rate
it settles at 2/3.

See [schedules](howto/trajectories.md#rates-that-change).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

drawn = np.random.default_rng(1).choice(["x", "y", "y"], 3000)
events = rw.read_events(("a", outcome) for outcome in drawn.tolist())
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
falling = rw.schedules.inverse_time(tau=100)
for name, schedule in {"fixed rate": None, "falling rate": falling}.items():
    learned = rw.trajectories(
        events, [("a", "y")], alpha=1.0, beta=0.1, schedule=schedule, every=5
    )
    ax.plot(learned.tokens, learned["a", "y"], label=name, lw=1)
ax.axhline(2 / 3, color="0.4", ls=":")
ax.set(xlabel="token", ylabel="weight of a to y")
ax.legend(frameon=False)
