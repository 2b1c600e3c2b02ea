"""Measures of learned weights and activations, as the literature on discriminative learning uses them.

Most measures are an array with one number for each event, in the order of the events, or for each name of the
weights, in their order. So ``pandas.DataFrame({"prior": rw.measures.prior(weights)},
index=weights.outcomes)`` is a table of them.
"""

from rescorla.measures._nearness import accuracy, correlation, correlations, nearness_rank
from rescorla.measures._of_events import activation, diversity, entropy, margin, rank
from rescorla.measures._of_weights import density, prior, similarity, typicality

__all__ = [
    "accuracy",
    "activation",
    "correlation",
    "correlations",
    "density",
    "diversity",
    "entropy",
    "margin",
    "nearness_rank",
    "prior",
    "rank",
    "similarity",
    "typicality",
]

# Pickles, messages and help show the public name, wherever the code lies.
for _name in __all__:
    globals()[_name].__module__ = "rescorla.measures"
