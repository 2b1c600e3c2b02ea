"""Weights as pictures

Ten small pictures, one for each digit: blue where ink speaks for the digit,
red where against it.

The cues are the pixels of 8 x 8 pictures. See
[estimators](howto/estimators.md).
"""

from matplotlib import pyplot as plt
from rescorla.estimators import RescorlaWagnerClassifier
from sklearn.datasets import load_digits

X, y = load_digits(return_X_y=True)
fitted = RescorlaWagnerClassifier(beta=0.003).fit(X / 16, y)
limit = abs(fitted.coef_).max()
figure, axes = plt.subplots(2, 5, figsize=(7, 3), layout="constrained")
for ax, digit, weights in zip(
    axes.flat, fitted.classes_, fitted.coef_, strict=True
):
    ax.imshow(weights.reshape(8, 8), cmap="RdBu", vmin=-limit, vmax=limit)
    ax.set(title=digit, xticks=[], yticks=[])
