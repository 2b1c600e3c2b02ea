"""Classification by naive discriminative learning: R ndl's family, as a scikit-learn classifier.

Examples
--------
>>> import rescorla as rw
>>> table = {
...     "Agent": ["person", "person", "group"],
...     "Section": ["news", "sport", "sport"],
... }
>>> classifier = rw.classify.NDLClassifier().fit(
...     table, ["think", "think", "ponder"]
... )
>>> classifier.predict(table).tolist()
['think', 'think', 'ponder']
"""

from typing import TYPE_CHECKING, Any

from rescorla._shared.optional import need
from rescorla.classify._deviance import Anova, anova
from rescorla.classify._goodness import Statistics, statistics
from rescorla.classify._importance import Importance, variable_importance
from rescorla.classify._probability import probabilities
from rescorla.classify._validation import CrossValidation, cross_validate

if TYPE_CHECKING:
    from rescorla.classify._classifier import NDLClassifier

__all__ = [
    "Anova",
    "CrossValidation",
    "Importance",
    "NDLClassifier",
    "Statistics",
    "anova",
    "cross_validate",
    "probabilities",
    "statistics",
    "variable_importance",
]


def __getattr__(name: str) -> Any:
    # Its base classes are scikit-learn's: it is loaded when first asked for.
    if name != "NDLClassifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    need("sklearn.base")
    from rescorla.classify._classifier import NDLClassifier

    return NDLClassifier
