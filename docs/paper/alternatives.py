"""Two other classifiers that the paper mentions, on the same sentences: random forest, nearest neighbours."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier

from canvas import Numbers, Save
from penalties import SEED, Data, Fitted, Rows, ridge

TREES = 500
NEIGHBOURS = (1, 5, 15, 50)


def study(folder: Path, save: Save | None = None) -> Numbers:
    """The accuracy of each on the folds that it did not learn from."""
    data = Data(folder)
    fits: dict[str, Callable[[Data, Rows, Rows, float], Fitted]] = {
        "NDL at the equilibrium": ridge,
        f"random forest of {TREES} trees": forest,
    }
    found = {name: data.validate(fit, 0.0) for name, fit in fits.items()}
    for n in NEIGHBOURS:
        name = "the nearest neighbour" if n == 1 else f"{n} nearest neighbours"
        found[name] = data.validate(neighbours, n)
    return {name: {"accuracy": accuracy, "error": error} for name, (accuracy, error) in found.items()}


def forest(data: Data, train: Rows, test: Rows, strength: float) -> Fitted:
    """Trees, each on a bootstrap sample of the sentences; their mean probability of each verb."""
    return _classified(data, train, test, RandomForestClassifier(TREES, random_state=SEED))


def neighbours(data: Data, train: Rows, test: Rows, strength: float) -> Fitted:
    """The verbs of the sentences with the most features in common: learning by memory."""
    return _classified(data, train, test, KNeighborsClassifier(int(strength), metric="hamming"))


def _classified(data: Data, train: Rows, test: Rows, model: Any) -> Fitted:
    """Probabilities of the verbs. There are no weights to give."""
    model.fit(data.features[train], data.present[train])
    return model.predict_proba(data.features[test]), np.empty((0, 0))
