"""MinOver, AdaTron and separability: planes of optimal stability."""

import math
import os
from fractions import Fraction
from typing import Any

import asked
import numpy as np
import pytest
import reference
import rescorla as rw
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import nnls

CI = bool(os.environ.get("CI"))
EXACT = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.0, 0.25, 1.0, 3.0])
# Instruction sets that any machine has, the best of this one, and room for no, one and all rows of products.
KERNELS = (None, "portable")
BUDGETS = (None, 0, 8 * 64)


@st.composite
def examples(
    draw: st.DrawFn, numbers: st.SearchStrategy[float] = EXACT, most: int = 9
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows of numbers and their classes, which a plane may or may not part."""
    n, p = draw(st.integers(1, most)), draw(st.integers(1, 10))
    rows = draw(st.lists(st.lists(numbers, min_size=p, max_size=p), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n))
    return np.array(rows).reshape(n, p), np.array(y)


def problem(k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A random rule of 5 to 100 features, and 5 to 300 examples of it."""
    rng = np.random.default_rng([7, k])
    n, p = int(rng.integers(5, 101)), int(rng.integers(5, 301))
    X = rng.standard_normal((p, n))
    return X, np.sign(X @ rng.standard_normal(n))


def margin(X: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The margin of the hard-margin machine through the origin: 1 / |w|, |w| the least with y w.x >= 1.

    By Lawson and Hanson's reduction of least distance to nonnegative least squares; the conditions of Karush,
    Kuhn and Tucker are checked, so that it is the optimum whatever the solver did.
    """
    Z = X * y[:, None]
    system = np.vstack([Z.T, np.ones(len(Z))])
    right = np.append(np.zeros(Z.shape[1]), 1.0)
    strengths, _ = nnls(system, right, maxiter=100 * len(Z))
    rest = system @ strengths - right
    w, a = -rest[:-1] / rest[-1], -strengths / rest[-1]
    fields = Z @ w
    assert fields.min() > 1 - 1e-7
    assert a.min() >= 0
    assert np.abs(a * (fields - 1)).max() < 1e-6 * a.max()
    assert w == pytest.approx(Z.T @ a, rel=1e-6, abs=1e-6 * np.abs(w).max())
    return float(1 / np.linalg.norm(w))


def forms(X: NDArray[np.float64]) -> list[Any]:
    return [X, sparse.csr_array(X), sparse.coo_matrix(X)]


@given(examples(), st.integers(0, 30), st.booleans())
def test_minover_is_the_algorithm_in_fractions(
    data: tuple[NDArray[np.float64], NDArray[np.float64]], steps: int, bias: bool
) -> None:
    X, y = data
    rows = np.hstack([X, np.ones((len(X), 1))]) if bias else X
    w, counts, kappas, errors = reference.minover(rows.tolist(), y.astype(int).tolist(), steps)
    fits = [rw.perceptrons.minover(form, y, max_steps=steps, bias=bias) for form in forms(X)]
    for fit in fits:
        assert fit.strengths.tolist() == counts
        assert fit.errors.tolist() == errors
        assert fit.stabilities == pytest.approx(kappas, rel=1e-12, abs=1e-12)
        assert fit.n_steps == len(errors) == sum(counts)
        found = [*fit.coef.tolist(), fit.intercept] if bias else fit.coef.tolist()
        assert found == pytest.approx([float(v) for v in w], rel=1e-12, abs=1e-12)
        fields = reference.products(rows.tolist(), y.astype(int).tolist(), w)
        size = math.sqrt(sum(v * v for v in w))
        expected = float(min(fields)) / size if size else 0.0
        assert fit.stability == pytest.approx(expected, rel=1e-12, abs=1e-12)
        # Rounding has no say in the sign: quarters, divided by N once.
        assert fit.converged == (min(fields) > 0)
        # Sparse rows have the bits of dense ones.
        assert fit.coef.tobytes() == fits[0].coef.tobytes()
        assert fit.stabilities.tobytes() == fits[0].stabilities.tobytes()


@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 12))
def test_minover_is_the_same_with_little_memory_and_on_every_machine(seed: int, n: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    # There is a plane: where w comes back to nearly zero, the squares of its size lose digits.
    y = np.sign(X @ rng.standard_normal(p))
    w, counts, kappas, errors = reference.minover(X.tolist(), y.astype(int).tolist(), 12)
    for kernel in KERNELS:
        for budget in BUDGETS:
            fit = asked.minover(X, y, max_steps=12, tol=None, record=True, budget=budget, kernel=kernel)
            assert fit.strengths.tolist() == counts
            assert fit.errors.tolist() == errors
            assert fit.stabilities == pytest.approx(kappas, rel=1e-12, abs=1e-12)
            assert fit.coef == pytest.approx([float(v) for v in w], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("k", range(200))
def test_minover_comes_within_a_percent_of_the_machine_and_never_above(k: int) -> None:
    X, y = problem(k)
    best = margin(X, y)
    fit = rw.perceptrons.minover(X, y, max_steps=10_000 * len(y), tol=0.01, record=False)
    assert fit.converged
    assert 0.99 * best <= fit.stability <= best * (1 + 1e-9)
    assert fit.stability == pytest.approx(fit.functional_margins(X, y).min() / np.linalg.norm(fit.coef))
    # Without a tolerance, and a hundred steps fewer, it is not there yet: the steps were needed.
    if fit.n_steps > 1000:
        early = rw.perceptrons.minover(X, y, max_steps=fit.n_steps // 100, tol=0.01, record=False)
        assert not early.converged
        assert early.stability < fit.stability


@pytest.mark.parametrize("k", range(0, 200, 1 if CI else 10))
def test_adatron_finds_the_machine(k: int) -> None:
    X, y = problem(k)
    best = margin(X, y)
    fit = rw.perceptrons.adatron(X, y, max_sweeps=10**6, tol=1e-3)
    assert fit.converged
    assert (1 - 1e-3) * best <= fit.stability <= best * (1 + 1e-9)
    assert np.linalg.norm(fit.coef) >= (1 - 1e-3) / best
    assert fit.coef == pytest.approx((X * y[:, None]).T @ fit.strengths)


@given(examples(), st.integers(1, 5), st.sampled_from([0.5, 1.0, 1.9]), st.booleans())
def test_adatron_is_the_algorithm_in_plain_loops(
    data: tuple[NDArray[np.float64], NDArray[np.float64]], sweeps: int, gamma: float, bias: bool
) -> None:
    X, y = data
    rows = np.hstack([X, np.ones((len(X), 1))]) if bias else X
    fits = [
        rw.perceptrons.adatron(form, y, max_sweeps=sweeps, gamma=gamma, tol=1e-15, bias=bias)
        for form in forms(X)
    ]
    w, a, nearest = reference.adatron(rows.tolist(), y.astype(int).tolist(), len(fits[0].errors), gamma)
    # Where a strength comes so near zero, rounding decides which examples are visited next.
    assume(nearest > 1e-9)
    for fit in fits:
        found = [*fit.coef.tolist(), fit.intercept] if bias else fit.coef.tolist()
        assert found == pytest.approx(w.tolist(), rel=1e-9, abs=1e-9)
        assert fit.strengths == pytest.approx(a, rel=1e-9, abs=1e-9)
        assert fit.coef.tobytes() == fits[0].coef.tobytes()


@given(examples(most=7), st.booleans(), st.floats(0.01, 0.5))
def test_the_learners_agree_with_the_linear_program(
    data: tuple[NDArray[np.float64], NDArray[np.float64]], bias: bool, tol: float
) -> None:
    X, y = data
    parted = rw.perceptrons.separable(X, y, bias=bias)
    assert rw.perceptrons.separable(sparse.csr_array(X), y, bias=bias) == parted
    # Narrow planes take MinOver long; where there is none, it makes all its steps.
    most = 2_000_000 if parted else 20_000
    over = rw.perceptrons.minover(X, y, max_steps=most, tol=tol, bias=bias, record=False)
    ada = rw.perceptrons.adatron(X, y, max_sweeps=20_000, tol=tol, bias=bias)
    # Quarters and few rows: where there is a plane it is found, and where there is none none is claimed.
    assert over.converged == ada.converged == parted
    if parted:
        rows = np.hstack([X, np.ones((len(X), 1))]) if bias else X
        best = margin(rows, y)
        for fit in (over, ada):
            assert (1 - tol) * best * (1 - 1e-9) <= fit.stability <= best * (1 + 1e-9)


def test_a_plane_may_be_told_from_none_where_it_is_narrow() -> None:
    # An example, and one that is nearly its opposite.
    for width in (1e-6, 1e-8, 0.0, -1e-8, -1e-6):
        X = np.array([[1.0, 0.0], [-1.0, width]])
        assert rw.perceptrons.separable(X, [1, 1]) == (width != 0)
    # Scales of rows and of everything do not matter.
    X = np.array([[1.0, 0.0], [-1.0, 1e-6]])
    assert rw.perceptrons.separable(X * [[1e-12], [1e12]], [1, 1])
    assert rw.perceptrons.separable(X * 1e-150, [1, 1])


def test_the_logic_functions() -> None:
    inputs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    for name, y in {"and": [-1, -1, -1, 1], "or": [-1, 1, 1, 1], "nand": [1, 1, 1, -1]}.items():
        assert rw.perceptrons.separable(inputs, y, bias=True), name
        fit = rw.perceptrons.minover(inputs, y, max_steps=10_000, tol=0.01, bias=True)
        assert fit.converged
        assert fit.predict(inputs).tolist() == y
        assert rw.perceptrons.adatron(inputs, y, bias=True).predict(inputs).tolist() == y
    xor = [-1, 1, 1, -1]
    assert not rw.perceptrons.separable(inputs, xor, bias=True)
    assert not rw.perceptrons.minover(inputs, xor, max_steps=1000, tol=0.5, bias=True).converged
    assert not rw.perceptrons.adatron(inputs, xor, max_sweeps=100, tol=0.5, bias=True).converged


def test_no_examples_are_all_right() -> None:
    for X in (np.zeros((0, 3)), sparse.csr_array((0, 3))):
        over, ada = rw.perceptrons.minover(X, [], max_steps=10, tol=0.1), rw.perceptrons.adatron(X, [])
        for fit in (over, ada):
            assert fit.converged
            assert fit.n_steps == 0
            assert fit.stability == math.inf
            assert fit.coef.tolist() == [0.0, 0.0, 0.0]
        assert over.parameters["ended"] == "no examples"
        assert rw.perceptrons.separable(X, [])


def test_no_features_part_nothing() -> None:
    X = np.zeros((2, 0))
    assert not rw.perceptrons.minover(X, [1, 1], max_steps=10).converged
    assert not rw.perceptrons.adatron(X, [1, 1]).converged
    assert not rw.perceptrons.separable(X, [1, 1])
    assert rw.perceptrons.minover(X, [1, 1], max_steps=10, bias=True).converged
    assert rw.perceptrons.separable(X, [1, 1], bias=True)


def test_an_example_of_zeros_ends_learning() -> None:
    X = [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]
    fit = rw.perceptrons.minover(X, [1, -1, 1], max_steps=10**12, tol=0.1)
    assert fit.n_steps == 2
    assert fit.parameters["ended"] == "an example of zeros"
    assert not fit.converged
    assert fit.stability == 0.0
    # The others are right.
    assert fit.functional_margins(X, [1, -1, 1]).tolist() == [0.5, 2.0, 0.0]
    ada = rw.perceptrons.adatron(X, [1, -1, 1], max_sweeps=50)
    assert not ada.converged
    assert ada.coef.tolist() == [1.0, -0.5]
    assert not rw.perceptrons.separable(X, [1, -1, 1])


def test_one_example_is_its_own_plane() -> None:
    fit = rw.perceptrons.minover([[3.0, 4.0]], [-1], max_steps=100, tol=1e-9)
    assert (fit.n_steps, fit.converged, fit.stability) == (1, True, 5.0)
    assert fit.coef.tolist() == [-1.5, -2.0]
    assert fit.parameters["ended"] == "converged"
    assert fit.support.tolist() == [0]
    assert rw.perceptrons.adatron([[3.0, 4.0]], [-1]).stability == 5.0


def test_an_example_of_both_classes_is_never_learned() -> None:
    X, y = [[1.0, 2.0], [1.0, 2.0], [0.5, -1.0]], [1, -1, 1]
    fit = rw.perceptrons.minover(X, y, max_steps=1000, tol=0.5)
    assert (fit.n_steps, fit.converged) == (1000, False)
    assert fit.parameters["ended"] == "max_steps"
    assert fit.stability <= 0
    assert fit.errors.min() >= 1
    assert not rw.perceptrons.adatron(X, y, tol=0.5).converged
    assert not rw.perceptrons.separable(X, y)


def test_numbers_that_cannot_be_squared_are_refused() -> None:
    for scale, word in ((1e200, "large"), (1e-200, "small")):
        X = np.diag([1.0, scale])
        with pytest.raises(ValueError, match=f"example 1 are too {word} to be squared.*scale X"):
            rw.perceptrons.minover(X, [1, 1], max_steps=9)
        with pytest.raises(ValueError, match=f"example 1 are too {word} to be squared.*scale X"):
            rw.perceptrons.adatron(X, [1, 1])
    huge = rw.perceptrons.minover([[1e150, 0.0], [0.0, 1e150]], [1, 1], max_steps=100, tol=0.01)
    assert huge.converged
    assert huge.stability == pytest.approx(1e150 / math.sqrt(2), rel=0.01)


def test_arguments_are_checked() -> None:
    X, y = [[1.0]], [1]
    with pytest.raises(ValueError, match="max_steps must be a whole number of 0 or more, not -1"):
        rw.perceptrons.minover(X, y, max_steps=-1)
    with pytest.raises(TypeError, match="max_steps must be a whole number of 0 or more, not"):
        rw.perceptrons.minover(X, y, max_steps=1.5)  # type: ignore[arg-type]
    for tol in (0.0, 1.0, -1.0):
        with pytest.raises(ValueError, match="tol must be between 0 and 1, both excluded"):
            rw.perceptrons.minover(X, y, max_steps=1, tol=tol)
    with pytest.raises(ValueError, match="gamma must be between 0 and 2, both excluded, not 2"):
        rw.perceptrons.adatron(X, y, gamma=2.0)
    with pytest.raises(ValueError, match="X and y must have as many rows as each other, not 1 and 2"):
        rw.perceptrons.separable(X, [1, -1])
    with pytest.raises(ValueError, match="y must be"):
        rw.perceptrons.minover(X, [0], max_steps=1)


def test_names_and_parameters_come_along() -> None:
    import pandas as pd

    frame = pd.DataFrame({"height": [1.0, -2.0], "weight": [0.5, 0.0]})
    fit = rw.perceptrons.minover(frame, [1, -1], max_steps=50, bias=True, record=False)
    assert fit.feature_names == ("height", "weight")
    assert fit.parameters["rule"] == "minover"
    assert fit.parameters["bias"] is True
    assert len(fit.errors) == len(fit.stabilities) == 0
    assert rw.perceptrons.adatron(frame, [1, -1]).parameters["sweeps"] == len(
        rw.perceptrons.adatron(frame, [1, -1]).errors
    )


def test_the_reference_is_what_the_paper_says() -> None:
    # Two examples at a right angle, N = 2: by turns, the first first.
    w, counts, kappas, errors = reference.minover([[2, 0], [0, 2]], [1, 1], 3)
    assert w == [Fraction(2), Fraction(1)]
    assert counts == [2, 1]
    assert kappas == [0.0, 0.0, pytest.approx(2 / math.sqrt(2))]
    assert errors == [2, 1, 0]
