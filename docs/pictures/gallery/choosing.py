"""Observed and predicted choices

Dots of right choices rise over trials, near the line that the fitted model
predicts.

Simulated choices of 30 people, fitted with a learning rate for each. See
[fitting](howto/fitting.md).
"""

import numpy as np
import rescorla as rw

random = np.random.default_rng(1)
meals = random.permuted([["shrimp", "cheese"] * 30] * 30, axis=1).ravel()
ills = np.where(meals == "shrimp", "ill", "well")
trials = {"who": np.repeat(range(30), 60), "cues": meals, "outcomes": ills}
how = {"by": "who", "choices": ["ill", "well"], "alpha": 1.0}
rates = dict(enumerate(np.exp(random.normal(-3, 0.5, 30))))
a = rw.learn_each(trials, beta=rates, **how)
p = 1 / (1 + np.exp(-4 * (a["activation_ill"] - a["activation_well"])))
trials["choice"] = np.where(random.random(len(p)) < p, "ill", "well")
fit = rw.fit_each(trials, response="choice", free=["beta"], theta=4.0, **how)
found = fit.predictions.to_pandas()
found["observed"] = found["choice"] == found["outcomes"]
found["predicted"] = found["p"].where(found["observed"], 1 - found["p"])
blocks = found.groupby((found["trial"] - 1) // 5 * 5 + 3)
means = blocks[["predicted", "observed"]].mean()
ax = means.plot(style=["-", "o"], figsize=(5, 3.4), ylim=(0.45, 1))
ax.set(xlabel="trial", ylabel="right choices")
