"""A heat map of weights

Colours of weights from bigrams to meanings: s# and n# are blue for plural, us
and ns are red.

See [heat maps](howto/plots.md#a-heat-map).
"""

import rescorla as rw

weights = rw.equilibrium(rw.datasets.plurals())
outcomes = ["plural", "bus", "glass", "cat", "dog", "hand"]
rw.plot.weights(weights, outcomes=outcomes, n=24)
