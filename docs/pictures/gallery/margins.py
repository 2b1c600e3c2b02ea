"""Two planes between two classes

Points of two classes and two lines: that of the perceptron is near a point,
that of MinOver is midway.

The perceptron stops at the first line that is right; MinOver looks for the
widest margin. See [perceptrons](howto/perceptron.md).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

random = np.random.default_rng(2)
X = random.normal(np.repeat([[-1.5, 0], [1.5, 0.5]], 25, axis=0), 0.6)
y = np.repeat([-1, 1], 25)
figure, ax = plt.subplots(figsize=(4.8, 3.6), layout="constrained")
ax.scatter(*X.T, c=y, cmap="coolwarm", s=18)
widest = rw.perceptrons.minover(X, y, max_steps=100_000, bias=True)
for name, fit, style in [
    ("perceptron", rw.perceptrons.perceptron(X, y), "C2--"),
    ("MinOver", widest, "k-"),
]:
    up = np.array([-2.0, 2.5])
    across = -(fit.coef[1] * up + fit.intercept) / fit.coef[0]
    ax.plot(across, up, style, label=name)
ax.set(xlabel="$x_0$", ylabel="$x_1$")
ax.legend(frameon=False)
