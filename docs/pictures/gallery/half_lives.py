"""Half-lives

Half-lives of all directions of learning, from about ten tokens to tens of
thousands.

How many tokens each direction takes to come half-way. See
[convergence](howto/convergence.md).
"""

import rescorla as rw

convergence = rw.convergence(rw.datasets.plurals(), alpha=0.1, beta=0.5)
rw.plot.spectrum(convergence, show="half_lives")
