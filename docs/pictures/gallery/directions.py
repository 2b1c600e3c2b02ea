"""A spectrum and the bounds of the rate

Eigenvalues fall on a logarithmic scale; three lines are the bounds of the
learning rate.

See [convergence](howto/convergence.md).
"""

import rescorla as rw

convergence = rw.convergence(rw.datasets.plurals(), alpha=0.1, beta=0.5)
rw.plot.spectrum(convergence)
