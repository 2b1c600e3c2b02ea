"""Units that answer with a sign, and planes that separate two classes.

Examples
--------
>>> import rescorla as rw
>>> fit = rw.perceptrons.perceptron([[1.0, 2.0], [-1.0, -1.5]], [1, -1])
>>> fit.converged
True
"""

from rescorla._learn.margins import adatron, minover, separable
from rescorla._learn.perceptron import perceptron
from rescorla._learn.plane import LinearFit
from rescorla._learn.teacher import TeacherStudent, teacher_student

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
