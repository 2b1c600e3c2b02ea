"""Accuracy by the number of examples

Two curves rise with the number of examples; RescorlaWagnerClassifier and
SGDClassifier are alike until the last, where the second is ahead.

On scikit-learn's digits, beside `SGDClassifier`. See
[estimators](howto/estimators.md).
"""

from matplotlib import pyplot as plt
from rescorla.estimators import RescorlaWagnerClassifier
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import learning_curve

X, y = load_digits(return_X_y=True)
figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
for model in RescorlaWagnerClassifier(passes=20), SGDClassifier(random_state=1):
    sizes, _, scores = learning_curve(
        model,
        X / 16,
        y,
        train_sizes=[0.03, 0.1, 0.2, 0.4, 0.7, 1],
        shuffle=True,
        random_state=1,
    )
    ax.errorbar(
        sizes,
        scores.mean(axis=1),
        scores.std(axis=1),
        label=type(model).__name__,
    )
ax.set(xlabel="examples", ylabel="accuracy on other examples")
ax.legend(frameon=False, loc="lower right")
