"""Weights in zarr stores: their format, and nothing of how they are learned."""
