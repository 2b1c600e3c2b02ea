"""Weights in a zarr store, learned tile by tile."""
