"""The neighbours of the rule: learners of the same family."""

from rescorla.neighbours.delta import delta_rule
from rescorla.neighbours.linear import LinearFit
from rescorla.neighbours.perceptron import perceptron

__all__ = ["LinearFit", "delta_rule", "perceptron"]
