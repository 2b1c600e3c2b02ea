"""Regularisation: how large weights may grow, and how well unseen sentences are then told apart.

Ridge is rescorla's. Lasso, elastic net and logistic regression with an L1 penalty are scikit-learn's, on the
same matrices. All have an intercept, here the background cue; only scikit-learn leaves it without a penalty.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import rescorla as rw
from numpy.typing import NDArray
from sklearn.linear_model import ElasticNet, LogisticRegression
from sklearn.model_selection import StratifiedKFold

import think
from canvas import COLOURS, Numbers, Save, panels, plain

Rows = NDArray[np.intp]
Values = NDArray[np.float64]
Fitted: TypeAlias = tuple[Values, Values]
"""Activations of the events to test, and the weights, features x verbs."""

FOLDS, SEED = 10, 1
RIDGES = np.geomspace(1e-1, 1e4, 16)
LASSOS = np.geomspace(1e-4, 1e-1, 13)
LOGISTICS = np.geomspace(1e-1, 1e3, 13)
VERB = "ajatella"
STYLE: Numbers = {"fmt": "o-", "color": COLOURS[0], "markersize": 3.5, "linewidth": 1, "elinewidth": 0.6}

KEYS = {"strength": "strengths", "accuracy": "accuracies", "error": "errors", "left": "left"}


def study(folder: Path, save: Save | None = None) -> Numbers:
    """The best strength of each penalty, by cross-validation, and how many weights it leaves."""
    data = Data(folder)
    methods: dict[str, tuple[Values, Callable[[Data, Rows, Rows, float], Fitted]]] = {
        "ridge": (RIDGES, ridge),
        "lasso": (LASSOS, lasso),
        "elastic net": (LASSOS, elastic_net),
        "L1 logistic": (LOGISTICS, l1_logistic),
    }
    whole = np.arange(len(data.verbs), dtype=np.intp)
    least_squares, _ = data.validate(ridge, 0.0)
    paths: dict[str, Numbers] = {}
    for name, (strengths, fit) in methods.items():
        accuracies, errors = np.array([data.validate(fit, strength) for strength in strengths]).T
        weights = [fit(data, whole, whole, strength)[1] for strength in strengths]
        paths[name] = {
            "strengths": strengths.tolist(),
            "accuracies": accuracies.tolist(),
            "errors": errors.tolist(),
            "left": [int(np.sum(np.abs(fitted) > 1e-6)) for fitted in weights],
            "weights": weights,
        }
    if save is not None:
        draw(paths, least_squares, data, save)
    return {
        "folds": FOLDS,
        "least_squares": least_squares,
        "chance": float(data.verbs.mean(axis=0).max()),
        "n_weights": data.features.shape[1] * data.verbs.shape[1],
        "methods": {name: summary(path) for name, path in paths.items()},
    }


def summary(path: Numbers) -> Numbers:
    """The strength of the best accuracy; and of the simplest weights that are within its standard error."""
    accuracies = np.array(path["accuracies"])
    best = int(accuracies.argmax())
    near = np.flatnonzero(accuracies >= accuracies[best] - path["errors"][best])
    simplest = min(near, key=lambda place: (path["left"][place], -path["strengths"][place]))
    return {
        which: {key: path[values][place] for key, values in KEYS.items()}
        for which, place in (("best", best), ("simplest", int(simplest)))
    }


class Data:
    """The sentences as matrices, and their folds."""

    def __init__(self, folder: Path) -> None:
        self.events = think.events(think.read(folder))
        self.features = self.events.cue_matrix().toarray().astype(np.float64)
        self.verbs = self.events.outcome_matrix().toarray()
        self.present = self.verbs.argmax(axis=1)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        self.folds = list(folds.split(self.features, self.present))

    def validate(
        self, fit: Callable[["Data", Rows, Rows, float], Fitted], strength: float
    ) -> tuple[float, float]:
        """The mean accuracy on folds that were not learned from, and its standard error."""
        accuracies = [
            float(np.mean(fit(self, train, test, strength)[0].argmax(axis=1) == self.present[test]))
            for train, test in self.folds
        ]
        return float(np.mean(accuracies)), float(np.std(accuracies, ddof=1) / np.sqrt(FOLDS))


def ridge(data: Data, train: Rows, test: Rows, strength: float) -> Fitted:
    """The equilibrium with a ridge."""
    rows = [data.events[int(place)] for place in train]
    weights = rw.equilibrium(rw.read_events(rows), ridge=strength, background=think.BACKGROUND)
    asked = [(think.BACKGROUND, *data.events[int(place)].cues) for place in test]
    activations = rw.activations(asked, weights, outcomes=data.events.outcomes, unknown="ignore")
    known = [cue for cue in data.events.cues if cue in weights.cues]
    return activations, weights[known, list(data.events.outcomes)].values


def lasso(data: Data, train: Rows, test: Rows, strength: float) -> Fitted:
    """Least squares with a penalty on absolute weights."""
    return _linear(data, train, test, ElasticNet(alpha=strength, l1_ratio=1.0, tol=1e-6, max_iter=10_000))


def elastic_net(data: Data, train: Rows, test: Rows, strength: float) -> Fitted:
    """Half the penalty on absolute weights, half on squares."""
    return _linear(data, train, test, ElasticNet(alpha=strength, l1_ratio=0.5, tol=1e-6, max_iter=10_000))


def l1_logistic(data: Data, train: Rows, test: Rows, strength: float) -> Fitted:
    """Logistic regressions, one verb against the rest, with a penalty on absolute coefficients."""
    activations, weights = [], []
    for verb in data.verbs.T:
        # liblinear shuffles the features it goes through; the seed fixes how.
        model = LogisticRegression(
            C=1 / strength, l1_ratio=1.0, solver="liblinear", tol=1e-6, max_iter=1000, random_state=SEED
        )
        # It penalises the intercept as one more feature; a large constant makes that penalty negligible.
        model.set_params(intercept_scaling=100.0)
        model.fit(data.features[train], verb[train])
        activations.append(model.predict_proba(data.features[test])[:, 1])
        weights.append(model.coef_[0])
    return np.array(activations).T, np.array(weights).T


def _linear(data: Data, train: Rows, test: Rows, model: ElasticNet) -> Fitted:
    model.fit(data.features[train], data.verbs[train].astype(np.float64))
    return model.predict(data.features[test]), model.coef_.T


def draw(paths: dict[str, Numbers], plain_accuracy: float, data: Data, save: Save) -> None:
    """Weights to one verb as the lasso relents; accuracy by the strength of the ridge; by what is left."""
    figure, (axes,) = panels(1, 3, (9.5, 3.6), width_ratios=[1.2, 1, 1.2])
    verb = data.events.outcomes.index(VERB)
    curves = np.array([weights[:, verb] for weights in paths["lasso"]["weights"]])
    axes[0].semilogx(LASSOS, curves, color="0.85", linewidth=0.8)
    for number, place in enumerate(np.argsort(-np.abs(curves[0]), kind="stable")[:5]):
        name = data.events.cues[place]
        axes[0].semilogx(LASSOS, curves[:, place], color=COLOURS[number], label=name)
    axes[0].set(xlabel="lasso penalty", ylabel=f"weight to {VERB}", ylim=(-0.7, 1.15))
    axes[0].invert_xaxis()
    axes[1].errorbar(RIDGES, paths["ridge"]["accuracies"], paths["ridge"]["errors"], **STYLE, label="ridge")
    axes[1].set(xscale="log", xlabel="ridge", ylabel="cross-validated accuracy")
    axes[1].invert_xaxis()
    for name, colour in zip(("lasso", "elastic net", "L1 logistic"), COLOURS[1:], strict=False):
        path = paths[name]
        axes[2].errorbar(
            path["left"], path["accuracies"], path["errors"], **STYLE | {"color": colour}, label=name
        )
    axes[2].set(xlabel="weights that are not zero")
    axes[2].sharey(axes[1])
    axes[2].tick_params(labelleft=False)
    for ax in axes[1:]:
        ax.axhline(plain_accuracy, color="0.5", linewidth=0.8, linestyle=":", label="least squares")
    axes[0].legend(frameon=False, fontsize=8, loc="upper left")
    axes[1].legend(frameon=False, fontsize=8, loc="lower right")
    axes[2].legend(frameon=False, fontsize=8, loc="lower right")
    for ax in axes:
        plain(ax)
    save(figure, "penalties")
