"""Figure 3 and Section V: naive discriminative learning beside logistic regression."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rescorla as rw
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

import think
from canvas import Numbers, Save, panels

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Regressions:
    """Four logistic regressions without a penalty, one for each verb."""

    coefficients: Values  # features x verbs
    probabilities: Values  # events x verbs
    gradient: float  # the largest entry of X'(y - p), 0 at the maximum of the likelihood
    steps: int


def study(folder: Path, save: Save | None = None) -> Numbers:
    """The agreement of both models, for every way of coding the 46 features."""
    table = think.read(folder)
    events = think.events(table)
    regressions = {intercept: regress(events, intercept=intercept) for intercept in (True, False)}
    codings = {
        "46 features": think.events(table),
        "46 features and a background cue": think.events(table, background=True),
        "all 69 levels": think.events(table, every_level=True),
    }
    equilibria = {name: rw.equilibrium(coded) for name, coded in codings.items()}
    activations = {
        name: rw.activations(coded, equilibria[name], outcomes=events.outcomes)
        for name, coded in codings.items()
    }
    if save is not None:
        draw(activations["46 features and a background cue"], regressions[True].probabilities, events, save)
    present = events.outcome_matrix().toarray().argmax(axis=1)
    return {
        "comparisons": [
            {
                "coding": name,
                "intercept": intercept,
                **compared(activations[name], weights_of(equilibria[name], events), regression),
            }
            for intercept, regression in regressions.items()
            for name in codings
        ],
        "accuracy": {
            name: float(np.mean(found.argmax(axis=1) == present)) for name, found in activations.items()
        },
        "regression": {
            "with intercept" if intercept else "without": {
                "accuracy": float(np.mean(regression.probabilities.argmax(axis=1) == present)),
                "gradient": regression.gradient,
                "steps": regression.steps,
                "largest_coefficient": float(np.abs(regression.coefficients).max()),
            }
            for intercept, regression in regressions.items()
        },
        "n_events": len(events),
        "n_never": int(np.sum((events.cue_matrix().T @ events.outcome_matrix()).toarray() == 0)),
        "n_pairs": len(events.cues) * len(events.outcomes),
    }


def regress(events: rw.Events, *, intercept: bool) -> Regressions:
    """Maximum likelihood by Newton's method.

    Where no sentence has both a feature and a verb the likelihood grows for ever as the coefficient falls.
    The steps end when it hardly grows any more; the coefficient is then about -15.
    """
    features = events.cue_matrix().toarray().astype(float)
    verbs = events.outcome_matrix().toarray()
    models = [
        LogisticRegression(
            C=np.inf, solver="newton-cholesky", tol=1e-8, max_iter=100, fit_intercept=intercept
        ).fit(features, verb)
        for verb in verbs.T
    ]
    probabilities = np.array([model.predict_proba(features)[:, 1] for model in models]).T
    return Regressions(
        np.array([model.coef_[0] for model in models]).T,
        probabilities,
        float(np.abs(features.T @ (verbs - probabilities)).max()),
        max(int(model.n_iter_[0]) for model in models),
    )


def weights_of(weights: rw.Weights, events: rw.Events) -> Values:
    """The weights of the 46 features to the verbs, in the order of these events."""
    return weights[list(events.cues), list(events.outcomes)].values


def compared(activations: Values, weights: Values, regression: Regressions) -> Numbers:
    """The three figures of Section V."""
    same = activations.argmax(axis=1) == regression.probabilities.argmax(axis=1)
    shares = regression.probabilities / regression.probabilities.sum(axis=1, keepdims=True)
    return {
        "same_choice": int(same.sum()),
        "agreement": float(same.mean()),
        "maxima": rank_correlation(activations.max(axis=1), shares.max(axis=1)),
        "maxima_unscaled": rank_correlation(activations.max(axis=1), regression.probabilities.max(axis=1)),
        "weights": rank_correlation(weights, regression.coefficients),
    }


def rank_correlation(left: Values, right: Values) -> float:
    """Spearman's rho."""
    return float(spearmanr(left.ravel(), right.ravel()).statistic)


def draw(activations: Values, probabilities: Values, events: rw.Events, save: Save) -> None:
    """Both distributions of maxima, by the verb that is chosen; and one against the other."""
    shares = probabilities / probabilities.sum(axis=1, keepdims=True)
    figure, grid = panels(1, 2, (9, 3.8))
    bins = np.linspace(0.2, 1.4, 37)
    for ax, name, values in zip(
        grid[0],
        ("largest NDL association", "largest GLM probability"),
        (activations, shares),
        strict=True,
    ):
        choices = [events.outcomes[place] for place in values.argmax(axis=1)]
        order = np.argsort(choices, kind="stable")
        rw.plot.activations(
            values.max(axis=1)[order], by=[choices[place] for place in order], bins=bins, ax=ax
        )
        ax.set_xlabel(name)
    save(figure, "maxima")
