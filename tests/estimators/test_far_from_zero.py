"""Least squares of features that are far from zero for what they vary by: seconds since 1970, Julian days."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rescorla.estimators import EquilibriumClassifier, EquilibriumRegressor
from scipy import sparse

SECONDS = np.linspace(0, 604800, 500)
FAR: dict[str, NDArray[np.float64]] = {
    "seconds": 1.7e9 + SECONDS,
    "one second": 1.7e9 + np.linspace(0, 1, 500),
    "nanoseconds": 1.7e18 + SECONDS * 1e9,
    "Julian days": 2440587.5 + (1.7e9 + SECONDS) / 86400,
}
FORMS: list[Callable[[Any], Any]] = [np.asarray, sparse.csr_array]


def dummies(rng: np.random.Generator, n: int, levels: list[int]) -> NDArray[np.float64]:
    return np.hstack([np.eye(count)[rng.integers(0, count, n)] for count in levels])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FAR)
def test_what_a_feature_says_is_not_lost_beside_its_mean(name: str, form: Any) -> None:
    far = FAR[name]
    # Digits are lost in the feature, but not by us.
    y = (far - far[0]) / (far[-1] - far[0])
    fitted = EquilibriumRegressor().fit(form(far[:, np.newaxis]), y)
    assert fitted.score(form(far[:, np.newaxis]), y) > 1 - 1e-9
    np.testing.assert_allclose(fitted.coef_, 1 / (far[-1] - far[0]), rtol=1e-9)
    classifier = EquilibriumClassifier().fit(form(far[:, np.newaxis]), y > 0.5)
    assert classifier.score(form(far[:, np.newaxis]), y > 0.5) > 0.99


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("others", ["levels", "many levels", "more than rows"])
@pytest.mark.parametrize("name", FAR)
def test_beside_others_that_depend_on_each_other(name: str, others: str, form: Any) -> None:
    rng, far = np.random.default_rng(1), FAR[name]
    beside = {
        "levels": dummies(rng, 500, [3, 4]),
        "many levels": dummies(rng, 500, [3] * 60),
        "more than rows": rng.poisson(0.1, (500, 600)).astype(float),
    }[others]
    X = np.column_stack([beside, far])
    y = (far - far[0]) / (far[-1] - far[0]) + X[:, 0] - 2 * X[:, 1]
    assert EquilibriumRegressor().fit(form(X), y).score(form(X), y) > 1 - 1e-9


@pytest.mark.parametrize("form", FORMS)
def test_the_least_norm_is_that_of_all_weights_in_their_units(form: Any) -> None:
    rng, far = np.random.default_rng(2), FAR["seconds"]
    levels = dummies(rng, 500, [3, 4])
    X = np.column_stack([levels, far, far, 2 * far, np.full(500, 7.0), np.zeros(500)])
    y = rng.normal(size=500) + SECONDS / 604800
    frequencies = rng.integers(0, 3, 500)
    fitted = EquilibriumRegressor().fit(form(X), y, frequencies)
    weights = fitted.weights_.values[:, 0]
    # Features that are multiples of each other share what they say; so do a constant and the background.
    slope = weights[8:11]
    np.testing.assert_allclose(slope, slope[0] * np.array([1, 1, 2]), rtol=1e-6)
    np.testing.assert_allclose(weights[11], 7 * weights[0], rtol=1e-9)
    assert weights[12] == 0
    # The background is the sum of the levels of a factor.
    np.testing.assert_allclose(weights[1:4].sum(), weights[0], rtol=1e-9)
    np.testing.assert_allclose(weights[4:8].sum(), weights[0], rtol=1e-9)
    # What is left is as of seconds from 0.
    root = np.sqrt(frequencies)
    rows = np.column_stack([np.ones(500), SECONDS / 604800, levels]) * root[:, np.newaxis]
    left = y * root - rows @ np.linalg.lstsq(rows, y * root, rcond=None)[0]
    np.testing.assert_allclose((y - fitted.predict(form(X))) * root, left, atol=1e-7)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ridge", [1e-12, 1e-6, 1.0])
def test_a_ridge_is_on_the_background_too(ridge: float, form: Any) -> None:
    far, n = FAR["seconds"], 500
    z = SECONDS + 1e5
    x, mean, aim = SECONDS - SECONDS.mean(), far.mean(), z.mean()
    # The background takes what is best for it, and what is left is one unknown.
    part = n * ridge / (n + ridge)
    slope = (x @ (z - aim) + part * mean * aim) / (x @ x + part * mean**2 + ridge)
    fitted = EquilibriumRegressor(ridge=ridge).fit(form(far[:, np.newaxis]), z)
    np.testing.assert_allclose(fitted.coef_, slope, rtol=1e-9)
    np.testing.assert_allclose(fitted.intercept_, (aim - mean * slope) * n / (n + ridge), rtol=1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("ridge", [0.0, 0.01, 1.0])
def test_levels_of_factors_have_the_weights_of_the_pseudo_inverse(
    ridge: float, background: bool, form: Any
) -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 200))
        X = dummies(rng, n, rng.integers(2, 10, rng.integers(1, 6)).tolist())
        # With others in every third; more columns than rows in some.
        X = np.hstack([X, rng.normal(size=(n, 3))]) if seed % 3 == 0 else X
        y, frequencies = rng.normal(size=n), rng.integers(1, 4, n)
        root = np.sqrt(frequencies)
        A = (np.column_stack([np.ones(n), X]) if background else X) * root[:, np.newaxis]
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
        kept = s > 1e-11 * s[0]
        expected = Vt[kept].T @ (U[:, kept].T @ (y * root) * s[kept] / (s[kept] ** 2 + ridge))
        fitted = EquilibriumRegressor(fit_intercept=background, ridge=ridge).fit(form(X), y, frequencies)
        np.testing.assert_allclose(fitted.weights_.values[:, 0], expected, atol=1e-9, rtol=1e-9)
        if form is np.asarray:
            assert fitted.weights_.parameters["rank"] == kept.sum()


@pytest.mark.parametrize("background", [True, False])
def test_numbers_of_any_size(background: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 3))
    y = X @ [1.0, 2.0, 3.0]
    for size in (1e-160, 1e150):
        fitted = EquilibriumRegressor(fit_intercept=background).fit(X * size, y)
        np.testing.assert_allclose(fitted.coef_ * size, [1.0, 2.0, 3.0], rtol=1e-9)
