"""A network of letters and meanings

Bigrams on the left, meanings on the right; the thickest lines lead from se,
s# and n# to plural.

See [networks](howto/plots.md#a-network).
"""

import rescorla as rw

events = rw.datasets.plurals()
weights = rw.equilibrium(events)
rw.plot.network(weights, outcomes=["plural", "cat", "hand", "bus"], n=5)
