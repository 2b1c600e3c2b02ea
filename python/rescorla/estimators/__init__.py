"""The rule and its neighbours as scikit-learn estimators.

They take numbers, dense or sparse, in rows of examples, and go into pipelines, grid searches and
cross-validation. What each learns is `weights_`, with names; `coef_` and `intercept_` show the same numbers.

Examples
--------
>>> import rescorla as rw
>>> events = rw.read_events(
...     [("c_a_t", "singular"), ("c_a_t_s", "plural"), ("h_a_t", "singular")]
... )
>>> X, y = events.cue_matrix(), [event.outcomes[0] for event in events]
>>> rw.estimators.EquilibriumClassifier().fit(X, y).predict(X).tolist()
['singular', 'plural', 'singular']
"""

try:
    from rescorla.estimators._delta import DeltaRuleClassifier, DeltaRuleRegressor
    from rescorla.estimators._equilibrium import EquilibriumClassifier, EquilibriumRegressor
    from rescorla.estimators._linear import EstimatorWarning
    from rescorla.estimators._named_weights import named_weights
    from rescorla.estimators._planes import AdaTron, MinOver, Perceptron
    from rescorla.estimators._rescorla_wagner import RescorlaWagnerClassifier, RescorlaWagnerRegressor
except ImportError as error:
    if (error.name or "").partition(".")[0] not in ("scipy", "sklearn"):
        raise
    raise ImportError("estimators need scikit-learn 1.6: pip install 'rescorla[sklearn]'") from error

__all__ = [
    "AdaTron",
    "DeltaRuleClassifier",
    "DeltaRuleRegressor",
    "EquilibriumClassifier",
    "EquilibriumRegressor",
    "EstimatorWarning",
    "MinOver",
    "Perceptron",
    "RescorlaWagnerClassifier",
    "RescorlaWagnerRegressor",
    "named_weights",
]
