"""The decision lines of linear discriminant analysis and of least squares, for equal and for unequal classes.

    python docs/pictures/linear.py

writes linear.svg, which docs/relatives.md shows.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

sys.path.insert(0, str(Path(__file__).parents[1] / "paper"))
from canvas import COLOURS, panels, plain, saver

HERE = Path(__file__).parent
SIZES = ((200, 200), (300, 30))
MIX = np.array([[1.0, 0.8], [0.0, 0.6]])  # Its product with itself is the covariance.
MEAN = (2, 1)
Floats = NDArray[np.float64]


def drawn(rng: np.random.Generator, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Inputs and classes."""
    clouds = [rng.standard_normal((n, 2)) @ MIX + mean for n, mean in zip(sizes, ((0, 0), MEAN), strict=True)]
    return np.vstack(clouds), np.repeat([0.0, 1.0], sizes)


def least_squares(X: Floats, y: Floats) -> tuple[Floats, float]:
    """Weights and bias on targets of 0 and 1; the line is where the sum is a half."""
    solution = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y)[0]
    return np.asarray(solution[:-1], dtype=np.float64), float(solution[-1]) - 0.5


def discriminant(X: Floats, y: Floats) -> tuple[Floats, float]:
    """The same of linear discriminant analysis; the line is where the sum is zero."""
    model = LinearDiscriminantAnalysis().fit(X, y)
    return model.coef_[0], float(model.intercept_[0])


def draw(ax: Any, X: Floats, y: Floats) -> None:
    """Both clouds and both lines."""
    for number in (0, 1):
        cloud = X[y == number]
        ax.plot(*cloud.T, ".", color=COLOURS[number], markersize=3, alpha=0.6)
    across = np.array([X[:, 0].min(), X[:, 0].max()])
    for (weights, bias), style, name in (
        (least_squares(X, y), "-", "least squares"),
        (discriminant(X, y), "--", "LDA"),
    ):
        width = 1.4 if style == "-" else 2.2
        height = -(bias + weights[0] * across) / weights[1]
        ax.plot(across, height, style, color="0.35", linewidth=width, label=name)
    ax.set(ylim=(X[:, 1].min(), X[:, 1].max()), xlabel="x1")
    plain(ax)


def main() -> None:
    """Both panels, from one stream of random numbers, as the page draws them."""
    rng = np.random.default_rng(1)
    figure, (axes,) = panels(1, 2, (8, 3.6))
    for ax, sizes in zip(axes, SIZES, strict=True):
        draw(ax, *drawn(rng, sizes))
        ax.set_title(f"{sizes[0]} and {sizes[1]} points", fontsize=10)
    axes[0].set_ylabel("x2")
    axes[0].legend(frameon=False, fontsize=8, loc="upper left")
    saver(HERE)(figure, "linear")


if __name__ == "__main__":
    main()
