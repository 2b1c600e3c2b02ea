"""Draws the picture of relatives.md: `python docs/pictures/estimators.py` (matplotlib, scikit-learn)."""

import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from rescorla import estimators
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

HERE = Path(__file__).parent
COLOURS = ("#4477aa", "#aa8800", "#cc3311")
PALE = ("#d0ddea", "#f2efd0", "#f2ccc4")
LENGTH, WIDTH = 2, 3
LIMITS = (0.8, 7.2), (0.0, 2.7)
STEPS = 400

MODELS = {
    "least squares: equilibrium": estimators.EquilibriumClassifier(),
    "equilibrium, all pairs": OneVsOneClassifier(estimators.EquilibriumClassifier()),
    "Gaussian classes: LDA": LinearDiscriminantAnalysis(),
    "log loss, one-vs-rest: delta rule": estimators.DeltaRuleClassifier(
        batch="full", reduction="mean", passes=5000
    ),
    "log loss, all classes: LogisticRegression": LogisticRegression(C=np.inf, max_iter=1000),
    "counts: MultinomialNB": MultinomialNB(),
    "perceptron": estimators.Perceptron(max_sweeps=100),
    "squared hinge: LinearSVC": LinearSVC(),
    "widest margin, all pairs: AdaTron": OneVsOneClassifier(estimators.AdaTron()),
}


def main() -> None:
    data, y = load_iris(return_X_y=True)
    X = data[:, [LENGTH, WIDTH]]
    figure, axes = plt.subplots(3, 3, figsize=(10, 9), sharex=True, sharey=True, layout="constrained")
    for ax, (name, model) in zip(axes.flat, MODELS.items(), strict=True):
        with warnings.catch_warnings():
            # Versicolor lies between the others, and no plane parts it from them.
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = (model if name.startswith("counts") else make_pipeline(StandardScaler(), model)).fit(
                X, y
            )
        draw(ax, fitted, X, y)
        ax.set_title(f"{name}\n{fitted.score(X, y):.1%} right", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("petal length (cm)")
    for ax in axes[:, 0]:
        ax.set_ylabel("petal width (cm)")
    with mpl.rc_context({"svg.hashsalt": "rescorla", "savefig.facecolor": "white"}):
        figure.savefig(HERE / "estimators-regions.svg", metadata={"Date": None})


def draw(ax: Axes, fitted: Any, X: Any, y: Any) -> None:
    """The regions of the classes, and the flowers."""
    (left, right), (low, high) = LIMITS
    across, up = np.meshgrid(np.linspace(left, right, STEPS), np.linspace(low, high, STEPS))
    classes = fitted.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    extent = (left, right, low, high)
    ax.imshow(
        classes, ListedColormap(PALE), aspect="auto", interpolation="none", origin="lower", extent=extent
    )
    for number, colour in enumerate(COLOURS):
        lengths, widths = np.unique(X[y == number], axis=0).T
        ax.scatter(lengths, widths, s=8, color=colour, linewidths=0)


if __name__ == "__main__":
    main()
