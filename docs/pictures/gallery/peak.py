"""Peak shift

Two curves over tones: after training with tone 4 the peak is at 4; a tone
without food moves it away.

Near tones share cues. After `4+` and `4.5-` the strongest response is on the
far side of 4 (Hanson 1959). See
[estimators](howto/estimators.md#events-as-a-matrix).
"""

import numpy as np
from matplotlib import pyplot as plt
from rescorla.estimators import RescorlaWagnerRegressor

centres = np.linspace(0, 8, 81)


def cues(tones):
    """How much each cue is present: near its own tone the most."""
    return np.exp(-2 * (np.array(tones)[:, None] - centres) ** 2)


tones = np.linspace(2, 6, 201)
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for name, trained, food in [("4+", [4], [1]), ("4+, 4.5-", [4, 4.5], [1, 0])]:
    rule = RescorlaWagnerRegressor(beta=0.01, passes=200, fit_intercept=False)
    response = rule.fit(cues(trained), food).predict(cues(tones))
    ax.plot(tones, response, label=name)
    ax.axvline(tones[response.argmax()], color="0.8", lw=1)
ax.set(xlabel="tone", ylabel="predicted food")
ax.legend(frameon=False)
