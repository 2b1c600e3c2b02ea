"""Units that answer with a sign, and planes that separate two classes.

Examples
--------
>>> import rescorla as rw
>>> fit = rw.perceptrons.perceptron([[1.0, 2.0], [-1.0, -1.5]], [1, -1])
>>> fit.converged
True
"""

from rescorla.perceptrons._margins import adatron, minover, separable
from rescorla.perceptrons._perceptron import perceptron
from rescorla.perceptrons._plane import LinearFit
from rescorla.perceptrons._teacher import TeacherStudent, teacher_student

__all__ = [
    "LinearFit",
    "TeacherStudent",
    "adatron",
    "minover",
    "perceptron",
    "separable",
    "teacher_student",
]

# Pickles, messages and help show the public name, wherever the code lies.
for _name in __all__:
    globals()[_name].__module__ = "rescorla.perceptrons"
