"""`LinearFit`: a plane, its margins and its distance from the origin."""

import math

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

NUMBERS = st.sampled_from([-2.0, -0.5, 0.0, 0.0, 1.0, 3.0])


@given(st.data(), st.integers(0, 6), st.integers(1, 4))
def test_f_is_the_sum_of_its_terms(data: st.DataObject, n: int, p: int) -> None:
    rows = data.draw(st.lists(st.lists(NUMBERS, min_size=p, max_size=p), min_size=n, max_size=n))
    w = data.draw(st.lists(NUMBERS, min_size=p, max_size=p))
    y = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    fit = rw.perceptrons.LinearFit(np.array(w), 0.25)
    X = np.array(rows).reshape(n, p)
    # Quarters: every sum is exact.
    expected = [0.25 + sum(a * b for a, b in zip(row, w, strict=True)) for row in rows]
    for form in (X, sparse.csr_array(X), sparse.coo_matrix(X)):
        assert fit.decision_function(form).tolist() == expected
        assert fit.predict(form).tolist() == [1 if f > 0 else -1 for f in expected]
        assert fit.functional_margins(form, y).tolist() == [
            f * sign for f, sign in zip(expected, y, strict=True)
        ]
    size = math.sqrt(sum(v * v for v in w))
    if size == 0:
        assert math.isnan(fit.distance)
        assert np.isnan(fit.geometric_margins(X, y)).all()
    else:
        assert fit.distance == pytest.approx(0.25 / size)
        margins = [f * sign / size for f, sign in zip(expected, y, strict=True)]
        assert fit.geometric_margins(X, y) == pytest.approx(margins)


def test_what_does_not_fit_is_refused() -> None:
    fit = rw.perceptrons.LinearFit(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="X must have 2 features, not 3"):
        fit.predict(np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"two dimensions.* not the shape \(2,\)"):
        fit.predict([1.0, 2.0])
    with pytest.raises(ValueError, match=r"y must be \+1 or -1, but at 1 it is 0"):
        fit.functional_margins(np.zeros((2, 2)), [1, 0])
    with pytest.raises(ValueError, match="X and y must have as many rows as each other, not 2 and 1"):
        fit.functional_margins(np.zeros((2, 2)), [1])
    with pytest.raises(ValueError, match=r"X must be finite in float64, but at \(0, 1\) it is nan"):
        fit.predict([[0.0, math.nan]])
    with pytest.raises(ValueError, match=r"X must be finite in float64, but at \(1, 1\) it is inf"):
        fit.predict(sparse.csr_array([[0.0, 1.0], [0.0, math.inf]]))
    with pytest.raises(TypeError, match="X must consist of numbers"):
        fit.predict(np.array([["a", "b"]]))


def test_the_support_are_the_examples_in_the_weights() -> None:
    assert rw.perceptrons.LinearFit(
        np.ones(1), strengths=np.array([0.0, 2.0, 0.0, 1.0])
    ).support.tolist() == [1, 3]


def test_a_plane_says_what_it_is() -> None:
    fit = rw.perceptrons.LinearFit([1.0, 2.0], stability=0.25, n_steps=3, converged=True)
    assert repr(fit) == "<LinearFit: 2 features, stability 0.25, 3 steps, converged>"
    assert (
        repr(rw.perceptrons.LinearFit([1.0]))
        == "<LinearFit: 1 features, stability nan, 0 steps, not converged>"
    )


@given(st.data(), st.booleans())
def test_projections_lie_on_the_plane_and_nearest(data: st.DataObject, packed: bool) -> None:
    numbers = st.integers(-4, 4)
    X = np.array(
        data.draw(st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=5)), float
    )
    coef = np.array(data.draw(st.lists(numbers, min_size=3, max_size=3)), float)
    fit = rw.perceptrons.LinearFit(coef, float(data.draw(numbers)))
    found = fit.projection(sparse.csr_array(X) if packed else X)
    if not coef.any():
        assert np.isnan(found).all()
        return
    assert fit.decision_function(found) == pytest.approx(0, abs=1e-12)
    # What is between is along w, and as long as the distance.
    size = np.linalg.norm(coef)
    np.testing.assert_allclose(X - found, np.outer(fit.decision_function(X) / size, coef / size), atol=1e-12)
