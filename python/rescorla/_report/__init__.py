"""Results as one page in HTML, which needs no network: weights, learning curves of designs, trajectories."""
