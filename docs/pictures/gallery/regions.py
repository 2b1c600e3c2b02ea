"""Where each class is predicted

Three panels of flowers: the regions that three estimators give to three
species.

Iris flowers by three estimators. See [estimators](howto/estimators.md).
"""

from matplotlib import pyplot as plt
from rescorla import estimators
from sklearn.datasets import load_iris
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.preprocessing import StandardScaler

data, y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(data[:, 2:])
models = {
    "equilibrium": estimators.EquilibriumClassifier(),
    "Rescorla-Wagner": estimators.RescorlaWagnerClassifier(passes=20),
    "log loss": estimators.DeltaRuleClassifier(passes=200, random_state=1),
}
figure, axes = plt.subplots(
    1, 3, figsize=(9, 3), sharey=True, layout="constrained"
)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    DecisionBoundaryDisplay.from_estimator(
        model.fit(X, y), X, response_method="predict", alpha=0.3, ax=ax
    )
    ax.scatter(*X.T, c=y, s=10)
    ax.set(title=name, xlabel="petal length")
axes[0].set_ylabel("petal width")
