"""What is taken for what

A table of digits that were shown and digits that were predicted: nearly all
stand on the diagonal.

Rows of each class sum to 1. The pictures were not learned from. See
[estimators](howto/estimators.md).
"""

from matplotlib import pyplot as plt
from rescorla.estimators import RescorlaWagnerClassifier
from sklearn.datasets import load_digits
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import cross_val_predict

X, y = load_digits(return_X_y=True)
classifier = RescorlaWagnerClassifier(passes=20)
predicted = cross_val_predict(classifier, X / 16, y, cv=5)
figure, ax = plt.subplots(figsize=(5, 4.4), layout="constrained")
ConfusionMatrixDisplay.from_predictions(
    y,
    predicted,
    normalize="true",
    values_format=".2f",
    cmap="Blues",
    text_kw={"fontsize": 6},
    ax=ax,
)
