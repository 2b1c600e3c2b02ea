"""The neighbours of the rule: learners of the same family."""

from rescorla.neighbours.delta import delta_rule
from rescorla.neighbours.linear import LinearFit
from rescorla.neighbours.minover import adatron, minover, separable
from rescorla.neighbours.perceptron import perceptron
from rescorla.neighbours.teacher import TeacherStudent, teacher_student
from rescorla.neighbours.widrow_hoff import widrow_hoff

__all__ = [
    "LinearFit",
    "TeacherStudent",
    "adatron",
    "delta_rule",
    "minover",
    "perceptron",
    "separable",
    "teacher_student",
    "widrow_hoff",
]
