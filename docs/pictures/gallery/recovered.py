"""Are the learning rates found again?

Dots of found over true learning rates scatter around the diagonal, on
logarithmic axes.

Plan an experiment: fit simulated people, and see how near the rates come. See
[how many trials](howto/fitting.md#how-many-trials).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

random = np.random.default_rng(1)
meals = random.permuted([["shrimp", "cheese"] * 40] * 40, axis=1).ravel()
ills = np.where(meals == "shrimp", "ill", "well")
trials = {"who": np.repeat(range(40), 80), "cues": meals, "outcomes": ills}
how = {"by": "who", "choices": ["ill", "well"], "alpha": 1.0}
rates = np.exp(random.normal(-3, 0.7, 40))
a = rw.learn_each(trials, beta=dict(enumerate(rates)), **how)
p = 1 / (1 + np.exp(-4 * (a["activation_ill"] - a["activation_well"])))
trials["choice"] = np.where(random.random(len(p)) < p, "ill", "well")
fit = rw.fit_each(trials, response="choice", free=["beta"], theta=4.0, **how)
figure, ax = plt.subplots(figsize=(4.2, 4), layout="constrained")
ax.loglog(rates, fit.parameters["estimate"], "o")
ax.loglog([0.01, 0.3], [0.01, 0.3], color="0.7")
ax.set(xlabel="true learning rate", ylabel="found, 80 trials each")
