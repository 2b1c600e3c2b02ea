"""How many examples a rule takes

Errors fall with the number of examples: Hebb's rule slowly, MinOver as theory
says.

A teacher's rule with 50 features, learned from examples. See [learning a
rule](howto/perceptron.md#learning-a-rule).
"""

import numpy as np
import rescorla as rw
from matplotlib import pyplot as plt

alphas = np.array([0.5, 1, 2, 3, 4, 5, 6])
found = rw.perceptrons.teacher_student(
    50, alphas, students=["minover", "hebb"], replicates=30, seed=1
)
figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
for i, student in enumerate(["minover", "hebb"]):
    ax.errorbar(
        alphas,
        found.mean[0, :, i],
        2 * found.sem[0, :, i],
        fmt="o",
        color=f"C{i}",
        label=student,
    )
    ax.plot(alphas, found.theory(student), color=f"C{i}", lw=1)
ax.set(xlabel="examples per feature", ylabel="error", ylim=(0, 0.5))
ax.legend(frameon=False)
