"""Weights, their files, and named vectors."""
