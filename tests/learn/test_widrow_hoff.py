"""`widrow_hoff`: the reference's weights, with names or vectors on either side, and pyndl's."""

import gzip
import re
import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import asked
import numpy as np
import pandas as pd
import pytest
import reference
import rescorla as rw
import strategies as some
import xarray as xr
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event
from rescorla import measures
from scipy import sparse
from test_delta_rows import tables

ETAS = st.sampled_from([0.0, 0.01, 0.1, 0.3])
NUMBERS = st.one_of(st.sampled_from([0.0, -0.0, 1.0, -0.5, 0.1]), st.floats(-1, 1, width=32))
METHODS = st.sampled_from(["auto", "forward", "adjoint"])
SIZES = st.integers(1, 4)
TILES = st.one_of(st.none(), st.integers(1, 5))

Vectors = dict[str, list[float]]


def quiet(source: Any, **keywords: Any) -> rw.Weights:
    """Without the warning that names the safe rate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return asked.widrow_hoff(source, **keywords)


def units(names: Sequence[str]) -> Vectors:
    """What a name that stands for itself is."""
    return {name: [float(i == j) for j in range(len(names))] for i, name in enumerate(names)}


@st.composite
def vectors(draw: st.DrawFn, names: Sequence[str], size: int) -> Vectors:
    """A vector for each name, and for one that does not occur."""
    known = [*names, "a name that does not occur"]
    return {name: draw(st.lists(NUMBERS, min_size=size, max_size=size)) for name in known}


def expected(
    rows: Sequence[Event],
    eta: float,
    cues: Mapping[str, Sequence[float]],
    outcomes: Mapping[str, Sequence[float]] | None,
    sizes: tuple[int, int],
    number: Any = float,
    initial: NDArray[Any] | None = None,
) -> list[list[Any]]:
    """The reference's weights. Vectors are added as often as named; without them outcomes are there or no."""
    own = units(reference.vocabularies(rows)[1])
    tokens = [
        (
            reference.vector_of(c, cues, sizes[0], number),
            reference.vector_of(dict.fromkeys(o), own, sizes[1], number)
            if outcomes is None
            else reference.vector_of(o, outcomes, sizes[1], number),
        )
        for c, o, frequency in rows
        for _ in range(frequency)
    ]
    start = np.zeros(sizes) if initial is None else initial
    return reference.widrow_hoff(tokens, eta, start.tolist(), number)


def near(found: NDArray[Any], wanted: Any, dtype: Any, scale: float = 1.0) -> None:
    """Equal but for rounding."""
    wanted = np.array(wanted, dtype=np.float64).reshape(found.shape)
    size = max(scale, np.abs(wanted).max(initial=0.0))
    assert np.abs(found - wanted).max(initial=0.0) <= (1e-12 if dtype == np.float64 else 1e-5) * size


# Equal to the reference.


def test_the_vector_of_an_outcome_is_added_as_often_as_it_is_named() -> None:
    vectors = {"x": [1.0, 0.5], "y": [0.0, 2.0]}
    kept = rw.read_events([("a_a", "x_y_x")], duplicates="keep")
    learned = rw.widrow_hoff(kept, eta=0.25, outcome_vectors=vectors)
    # Twice the cue: each of its two updates is eta * (2 x + y).
    assert learned.values.tolist() == [[2 * 0.25 * 2.0, 2 * 0.25 * 3.0]]
    by_vectors = rw.widrow_hoff(kept, eta=0.25, cue_vectors={"a": [1.0]}, outcome_vectors=vectors)
    assert by_vectors.values.tolist() == learned.values.tolist()
    once = rw.read_events([("a_a", "x_y_x")])
    assert rw.widrow_hoff(once, eta=0.25, outcome_vectors=vectors).values.tolist() == [[0.25, 0.625]]
    # Without vectors an outcome is there or not.
    assert rw.widrow_hoff(kept, eta=0.25).values.tolist() == [[0.5, 0.5]]


@given(st.data(), some.events(max_cues=4), some.DUPLICATES, some.DTYPES, some.THREADS, ETAS, SIZES, TILES)
def test_names_to_vectors_are_the_reference_bit_for_bit(
    data: st.DataObject,
    events: list[Event],
    duplicates: Any,
    dtype: Any,
    threads: int,
    eta: float,
    q: int,
    tile: int | None,
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    targets = data.draw(vectors(outcomes, q))
    number = float if dtype == np.float64 else dtype
    found = quiet(
        rw.read_events(events, duplicates=duplicates),
        eta=eta,
        outcome_vectors=targets,
        dtype=dtype,
        threads=threads,
        tile=tile,
        kernel=data.draw(st.sampled_from([None, "portable"])),
    )
    # Only the cues that are present: a product with 0 could make -0.0 of 0.0.
    names = [f"z{j}" for j in range(q)]
    weights = {(cue, name): number(0) for cue in cues for name in names}
    for c, o, frequency in rows:
        z = reference.vector_of(o, targets, q, number)
        for _ in range(frequency):
            for name, target in zip(names, z, strict=True):
                u = number(eta) * (target - reference.activation(weights, c, name, number))
                for cue in c:
                    weights[cue, name] = weights[cue, name] + u
    wanted = reference.matrix(weights, cues, names, dtype)
    assert (found.cues, found.outcomes) == (cues, tuple(names))
    assert some.bits(found.values) == some.bits(wanted)


@given(
    st.data(),
    some.events(max_cues=3),
    some.DUPLICATES,
    some.DTYPES,
    some.THREADS,
    ETAS,
    SIZES,
    st.one_of(st.none(), SIZES),
    METHODS,
    st.booleans(),
)
def test_vectors_are_the_reference(
    data: st.DataObject,
    events: list[Event],
    duplicates: Any,
    dtype: Any,
    threads: int,
    eta: float,
    p: int,
    q: int | None,
    method: Any,
    continued: bool,
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    inputs = data.draw(vectors(cues, p))
    targets = None if q is None else data.draw(vectors(outcomes, q))
    sizes = p, len(outcomes) if q is None else q
    start, initial = None, None
    if continued:
        numbers = st.lists(NUMBERS, min_size=sizes[0] * sizes[1], max_size=sizes[0] * sizes[1])
        start = np.array(data.draw(numbers)).reshape(sizes)
        labels = outcomes if q is None else [f"z{j}" for j in range(sizes[1])]
        initial = rw.Weights(start, [f"x{i}" for i in range(p)], labels)
    wanted = expected(rows, eta, inputs, targets, sizes, initial=start)
    found = quiet(
        rw.read_events(events, duplicates=duplicates),
        eta=eta,
        cue_vectors=inputs,
        outcome_vectors=targets,
        initial=initial,
        dtype=dtype,
        threads=threads,
        method=method,
        tile=data.draw(TILES),
        block=data.draw(st.one_of(st.none(), st.integers(1, 5))),
    )
    assert found.parameters["method"] in ("forward", "adjoint")
    assert method in ("auto", found.parameters["method"])
    assert found.values.shape == sizes
    # A cue vector of 12 numbers or fewer up to 3 in size: eta x'x stays near 1, and nothing grows.
    near(found.values, wanted, dtype, scale=10.0 if dtype == np.float64 else 100.0)


@given(some.events(max_cues=4), some.DUPLICATES, ETAS)
def test_names_on_both_sides_are_the_rule(events: list[Event], duplicates: Any, eta: float) -> None:
    source = rw.read_events(events, duplicates=duplicates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        learned = rw.learn(source, alpha=1.0, beta=eta, lambda_=1.0)
        found = rw.widrow_hoff(source, eta=eta)
    assert (found.cues, found.outcomes) == (learned.cues, learned.outcomes)
    assert some.bits(found.values) == some.bits(learned.values)
    assert found.parameters["rule"] == "widrow_hoff"


@pytest.mark.parametrize("method", ["forward", "adjoint"])
@pytest.mark.parametrize("sizes", [(70, 130), (130, 70), (1, 9), (49, 1)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_threads_change_no_bit(method: Any, sizes: tuple[int, int], dtype: Any) -> None:
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(300, sizes[0])), rng.normal(size=(300, sizes[1]))
    eta = 0.1 / sizes[0]
    whole = rw.widrow_hoff((X, Z), eta=eta, method=method, dtype=dtype, threads=1).values
    for threads in (2, 3):
        again = rw.widrow_hoff((X, Z), eta=eta, method=method, dtype=dtype, threads=threads).values
        assert some.bits(again) == some.bits(whole)
    # Neither tiles nor blocks change more than the last digits.
    other = quiet((X, Z), eta=eta, method=method, dtype=dtype, threads=2, tile=7, block=11)
    near(other.values, whole, whole.dtype)
    plain = reference.widrow_hoff(
        zip(X[:40].tolist(), Z[:40].tolist(), strict=True), eta, np.zeros(sizes).tolist()
    )
    near(rw.widrow_hoff((X[:40], Z[:40]), eta=eta, method=method, dtype=dtype).values, plain, whole.dtype)


# Properties.


@given(st.data(), some.events(max_cues=3), ETAS, SIZES)
def test_targets_are_linear(data: st.DataObject, events: list[Event], eta: float, q: int) -> None:
    """Learning names and multiplying by their vectors is learning the vectors."""
    source = rw.read_events(events)
    targets = data.draw(vectors(source.outcomes, q))
    matrix = np.array([targets[o] for o in source.outcomes]).reshape(-1, q)
    names = quiet(source, eta=eta)
    near(quiet(source, eta=eta, outcome_vectors=targets).values, names.values @ matrix, np.float64, 100.0)
    inputs = data.draw(vectors(source.cues, 3))
    names = quiet(source, eta=eta, cue_vectors=inputs)
    both = quiet(source, eta=eta, cue_vectors=inputs, outcome_vectors=targets)
    near(both.values, names.values @ matrix, np.float64, 100.0)


@given(some.events(max_cues=4), ETAS, METHODS)
def test_unit_vectors_are_names(events: list[Event], eta: float, method: Any) -> None:
    source = rw.read_events(events)
    names = quiet(source, eta=eta)
    found = quiet(
        source,
        eta=eta,
        cue_vectors=np.eye(source.n_cues),
        outcome_vectors=np.eye(source.n_outcomes),
        method=method,
    )
    near(found.values, names.values, np.float64, scale=100.0)


@given(st.data(), some.events(max_events=12, max_cues=3), st.integers(0, 12), ETAS)
def test_continuing_is_learning_at_once(
    data: st.DataObject, events: list[Event], cut: int, eta: float
) -> None:
    source = rw.read_events(events)
    keywords: dict[str, Any] = {"eta": eta}
    if data.draw(st.booleans(), "cue vectors"):
        keywords["cue_vectors"] = data.draw(vectors(source.cues, 2))
    if data.draw(st.booleans(), "outcome vectors"):
        keywords["outcome_vectors"] = data.draw(vectors(source.outcomes, 2))
    first = quiet(source[:cut], **keywords)
    second = quiet(source[cut:], initial=first, **keywords)
    whole = quiet(source, **keywords)
    assert set(second.cues) == set(whole.cues)
    assert set(second.outcomes) == set(whole.outcomes)
    near(second[list(whole.cues), list(whole.outcomes)].values, whole.values, np.float64, scale=100.0)


@given(st.data(), st.integers(1, 30), st.sampled_from([0.01, 0.4, 1.0, 1.9]), METHODS)
def test_a_frequency_is_so_many_tokens(data: st.DataObject, frequency: int, rate: float, method: Any) -> None:
    inputs = data.draw(vectors(["a", "b"], 2))
    # eta x'x = rate where both cues meet.
    square = sum((a + b) ** 2 for a, b in zip(inputs["a"], inputs["b"], strict=True))
    eta = rate / square if square > 1e-3 else 0.1
    targets = {"x": [1.0, -0.3]}
    tokens = [("a_b", "x", frequency), ("a", "x", 1)]
    once = [("a_b", "x")] * frequency + [("a", "x")]
    keywords: dict[str, Any] = {
        "eta": eta,
        "cue_vectors": inputs,
        "outcome_vectors": targets,
        "method": method,
    }
    wanted = quiet(rw.read_events(once), **keywords).values
    near(quiet(rw.read_events(tokens), **keywords).values, wanted, np.float64, scale=1e3)


def test_what_can_be_learned_is_learned() -> None:
    rng = np.random.default_rng(3)
    X, M = rng.normal(size=(4000, 5)), rng.normal(size=(5, 3))
    weights = rw.widrow_hoff((X, X @ M), eta=0.05)
    np.testing.assert_allclose(weights.values, M, atol=1e-9)


def test_exact_in_fractions() -> None:
    """The block's triangular system is the rule: no rounding hides a wrong term."""
    rng = np.random.default_rng(5)
    X, Z = rng.integers(-2, 3, (60, 4)) / 4, rng.integers(-3, 4, (60, 2)) / 2
    tokens = [([Fraction(v) for v in x], [Fraction(v) for v in z]) for x, z in zip(X, Z, strict=True)]
    exact = reference.widrow_hoff(tokens, Fraction(1, 4), [[0, 0]] * 4, Fraction)
    wanted = [[float(weight) for weight in row] for row in exact]
    methods: list[Any] = ["forward", "adjoint"]
    for method in methods:
        near(rw.widrow_hoff((X, Z), eta=0.25, method=method).values, wanted, np.float64)


# pyndl.


def test_weights_are_those_of_pyndl(tmp_path: Path) -> None:
    wh = pytest.importorskip("pyndl.wh", reason="pyndl is not installed: pip install rescorla[bench]")
    rng = np.random.default_rng(7)
    cues, outcomes = [f"c{i}" for i in range(30)], [f"o{i}" for i in range(20)]
    inputs = xr.DataArray(
        rng.normal(size=(30, 12)) / 4,
        dims=("cues", "cue_vector_dimensions"),
        coords={"cues": cues, "cue_vector_dimensions": [f"d{i}" for i in range(12)]},
    )
    targets = xr.DataArray(
        rng.normal(size=(20, 9)),
        dims=("outcomes", "outcome_vector_dimensions"),
        coords={"outcomes": outcomes, "outcome_vector_dimensions": [f"e{i}" for i in range(9)]},
    )
    path = tmp_path / "events.tab.gz"
    with gzip.open(path, "wt") as table:
        table.write("cues\toutcomes\n")
        for _ in range(500):
            c = "_".join(rng.choice(cues, rng.integers(1, 5), replace=False))
            o = "_".join(rng.choice(outcomes, rng.integers(1, 3), replace=False))
            table.write(f"{c}\t{o}\n")
    cases: list[dict[str, Any]] = [
        {},
        {"cue_vectors": inputs},
        {"outcome_vectors": targets},
        {"cue_vectors": inputs, "outcome_vectors": targets},
    ]
    for keywords in cases:
        theirs = wh.wh(str(path), 0.05, n_jobs=2, **keywords)
        sides = [next(str(d) for d in theirs.dims if str(d).startswith(side)) for side in ("cue", "outcome")]
        theirs = theirs.transpose(*sides)
        ours = rw.widrow_hoff(path, eta=0.05, **keywords)
        cues, outcomes = ([str(name) for name in theirs.coords[side].values] for side in sides)
        assert np.abs(ours[cues, outcomes].values - theirs.values).max() <= 1e-12


# What callers give.


EVENTS = [("a_b", "x"), ("b_c", "y"), ("a", "x_y")]
C = np.array([[1.0, 0.5], [0.0, -1.0], [0.25, 0.0]])
O = np.array([[1.0, 0.0, 2.0], [0.5, -1.0, 0.0]])  # noqa: E741


def test_vectors_come_in_many_forms() -> None:
    events = rw.read_events(EVENTS)
    assert (events.cues, events.outcomes) == (("a", "b", "c"), ("x", "y"))
    plain = rw.widrow_hoff(events, eta=0.1, cue_vectors=C, outcome_vectors=O)
    assert (plain.cues, plain.outcomes) == (("x0", "x1"), ("z0", "z1", "z2"))
    # In another order, with a name that does not occur.
    order, names = [2, 0, 1], ["c", "a", "b"]
    frame = pd.DataFrame([*C[order], [9.0, 9.0]], index=[*names, "unseen"], columns=["left", "right"])
    array = xr.DataArray(frame.to_numpy(), dims=("cues", "side"), coords={"cues": [*names, "unseen"]})
    known = rw.Weights(frame.to_numpy(), [*names, "unseen"], ["left", "right"])
    mapping = dict(zip([*names, "unseen"], frame.to_numpy(), strict=True))
    for form, labels in (
        (frame, ("left", "right")),
        (known, ("left", "right")),
        (array, ("x0", "x1")),
        (array.assign_coords(side=["l", "r"]), ("l", "r")),
        (mapping, ("x0", "x1")),
    ):
        found = rw.widrow_hoff(events, eta=0.1, cue_vectors=form, outcome_vectors=O)
        assert found.cues == labels
        assert some.bits(found.values) == some.bits(plain.values)


def test_pairs_keep_the_names_of_their_columns() -> None:
    X = pd.DataFrame({"height": [1.0, 2.0], "width": [0.5, 0.0]})
    Z = xr.DataArray([[1.0], [2.0]], dims=("row", "side"), coords={"side": ["area"]})
    weights = rw.widrow_hoff((X, Z), eta=0.1)
    assert (weights.cues, weights.outcomes) == (("height", "width"), ("area",))
    assert rw.widrow_hoff((X, [1.0, 2.0]), eta=0.1).outcomes == ("y",)
    assert some.bits(rw.widrow_hoff((X, [1.0, 2.0]), eta=0.1).values) == some.bits(weights.values)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_matrix])
def test_sparse_matrices_are_learned_as_dense_ones(form: Any) -> None:
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(50, 7)) * (rng.random((50, 7)) < 0.3), rng.normal(size=(50, 3))
    dense = rw.widrow_hoff((X, Z), eta=0.1)
    for data in ((form(X), Z), (X, form(Z)), (form(X), form(Z))):
        found = rw.widrow_hoff(data, eta=0.1)
        near(found.values, dense.values, np.float64)
        assert (found.cues, found.outcomes, found.parameters["rule"]) == (*names_of(dense), "widrow_hoff")
        again = rw.widrow_hoff(data, eta=0.1, initial=dense)
        near(again.values, rw.widrow_hoff((X, Z), eta=0.1, initial=dense).values, np.float64)
    with pytest.raises(ValueError, match="sparse matrices have 'forward' only"):
        rw.widrow_hoff((form(X), Z), eta=0.1, method="adjoint")


def names_of(weights: rw.Weights) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return weights.cues, weights.outcomes


def test_initial_dimensions_are_matched_by_name() -> None:
    events = rw.read_events(EVENTS)
    frame = pd.DataFrame(C, index=["a", "b", "c"], columns=["left", "right"])
    first = rw.widrow_hoff(events, eta=0.1, cue_vectors=frame)
    swapped = rw.Weights(first.values[::-1, ::-1], first.cues[::-1], first.outcomes[::-1])
    one = rw.widrow_hoff(events, eta=0.1, cue_vectors=frame, initial=first)
    two = rw.widrow_hoff(events, eta=0.1, cue_vectors=frame, initial=swapped)
    assert two.cues == ("right", "left")
    assert two.outcomes == ("y", "x")
    np.testing.assert_allclose(two.values[::-1, ::-1], one.values, rtol=1e-13)
    with pytest.raises(ValueError, match="dimensions of the cue vectors, but 'left' is only in one"):
        rw.widrow_hoff(events, eta=0.1, cue_vectors=C, initial=first)


def test_nothing_to_learn() -> None:
    assert rw.widrow_hoff((np.zeros((0, 3)), np.zeros((0, 2))), eta=0.1).values.tolist() == [[0.0] * 2] * 3
    assert rw.widrow_hoff((np.zeros((4, 0)), np.zeros((4, 2))), eta=0.1).values.shape == (0, 2)
    assert rw.widrow_hoff((np.ones((4, 3)), np.zeros((4, 0))), eta=0.1).values.shape == (3, 0)
    events = rw.read_events([("a", "x", 0)])
    for side in ("cue_vectors", "outcome_vectors"):
        keywords: dict[str, Any] = {side: [[1.0]]}
        assert rw.widrow_hoff(events, eta=0.1, **keywords).values.tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"eta": -0.1}, ValueError, "eta must be 0 or more"),
        ({"eta": np.nan}, ValueError, "eta must be finite"),
        (
            {"cue_vectors": C[:2]},
            ValueError,
            "a row for each of the 3 cues of the events, in their order, not 2",
        ),
        ({"cue_vectors": {"a": [1.0], "b": [2.0]}}, KeyError, "cue_vectors has no row for the cue 'c'"),
        ({"outcome_vectors": {"x": [1.0], "y": [1.0, 2.0]}}, ValueError, "vectors of one length"),
        ({"outcome_vectors": {"x": [1.0], "y": [np.nan]}}, ValueError, r"finite in float64, but at \(1, 0\)"),
        ({"outcome_vectors": pd.DataFrame(O, index=["x", "x"])}, ValueError, "two rows for 'x'"),
        ({"method": "backward"}, ValueError, "method must be 'auto' or 'forward' or 'adjoint'"),
        ({"method": "adjoint", "outcome_vectors": O}, ValueError, "cues that are names have 'forward' only"),
        ({"initial": C}, TypeError, "initial must be Weights, not an ndarray"),
        ({"dtype": "int8", "cue_vectors": C}, ValueError, "dtype must be"),
        ({"threads": 0}, ValueError, "threads must be a whole number of 1 or more"),
    ],
)
def test_what_does_not_fit_is_refused(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rw.widrow_hoff(rw.read_events(EVENTS), **{"eta": 0.1, **keywords})


@pytest.mark.parametrize(
    ("label", "told"),
    [
        (None, r"None is no name; if pandas took .*pandas.read_csv\(..., keep_default_na=False\)$"),
        (np.nan, "nan is no name; if pandas took a word such as nan or None for a missing entry, read"),
        (pd.NA, "<NA> is no name; if pandas took"),
        (True, "True is no name; "),
        (1, "1 is no name; "),
        (np.float64(1.5), "1.5 is no name; "),
        (b"nan", "b'nan' is no name; "),
    ],
)
def test_labels_that_are_no_names_are_refused(label: Any, told: str) -> None:
    names = pd.Index(["hand", label], dtype=object)
    events = [("a", "hand"), ("b", str(label))]
    vectors: list[Any] = [pd.DataFrame(np.eye(2), index=names), {name: [1.0, 0.0] for name in names}]
    vectors.append(SimpleNamespace(index_to_key=list(names), vectors=np.eye(2)))
    vectors.append(xr.DataArray(np.eye(2), dims=("w", "d"), coords={"w": names.to_numpy()}))
    for each in vectors:
        # xarray has NaN for what is missing.
        wanted = told.replace("None is", "(None|nan) is").replace("<NA> is", "(<NA>|nan) is")
        with pytest.raises(TypeError, match=f"^outcome_vectors must have a name for each row, but {wanted}"):
            rw.widrow_hoff(events, eta=0.1, outcome_vectors=each)
        with pytest.raises(TypeError, match=r"^vectors must have a name for each row, but"):
            measures.accuracy(np.eye(2), each, ["hand", "hand"])
    with pytest.raises(TypeError, match=f"targets must be names, but {told}"):
        measures.accuracy(np.eye(2), {"hand": [1.0, 0.0], str(label): [0.0, 1.0]}, ["hand", label])


def test_labels_become_names_as_is_said() -> None:
    events = [("a", "1"), ("b", "nan")]
    numbers = pd.DataFrame(np.eye(2), index=[1, 2])
    with pytest.raises(TypeError, match=r"1 is no name; make the index str, or give to_numpy\(\)"):
        rw.widrow_hoff(events, eta=0.1, outcome_vectors=numbers)
    expected = rw.widrow_hoff(events, eta=0.1, outcome_vectors=np.eye(2)).values.tolist()
    for vectors in (numbers.to_numpy(), numbers.set_axis(["1", "nan"])):
        assert rw.widrow_hoff(events, eta=0.1, outcome_vectors=vectors).values.tolist() == expected
    with pytest.raises(TypeError, match=r"1 is no name; write '1'$"):
        rw.widrow_hoff(events, eta=0.1, outcome_vectors={1: [1.0, 0.0], "nan": [0.0, 1.0]})
    # Dimensions may be numbers.
    frame = pd.DataFrame(np.eye(2), index=["1", "nan"], columns=[7, 8])
    assert rw.widrow_hoff(events, eta=0.1, outcome_vectors=frame).outcomes == ("7", "8")
    with pytest.raises(TypeError, match=r"^outcome_vectors must have a name for each column, but nan is no"):
        rw.widrow_hoff(events, eta=0.1, outcome_vectors=frame.set_axis([7, np.nan], axis=1))


def test_keyed_vectors_are_vectors() -> None:
    keyed = SimpleNamespace(index_to_key=["y", "x"], vectors=np.array([[0, 1], [1, 0]], dtype=np.float32))
    expected = rw.widrow_hoff(EVENTS, eta=0.1, outcome_vectors={"x": [1.0, 0.0], "y": [0.0, 1.0]})
    assert rw.widrow_hoff(EVENTS, eta=0.1, outcome_vectors=keyed).values.tolist() == expected.values.tolist()
    assert measures.accuracy([[1.0, 0.0]], keyed, ["x"]) == 1.0


def test_files_of_vectors_are_to_be_read_first(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text('hand 1 0\nnan 0 1\n" 1 1\n')
    for each in (path, str(path), np.str_(path)):
        with pytest.raises(
            TypeError, match=r"^outcome_vectors must be .*, not the file '.*vectors.txt': read it"
        ):
            rw.widrow_hoff([("a", "hand"), ("b", "nan")], eta=0.1, outcome_vectors=each)
    # As the message says.
    read = pd.read_csv(path, sep=" ", index_col=0, header=None, keep_default_na=False, quoting=3)
    assert list(read.index) == ["hand", "nan", '"']
    found = rw.widrow_hoff([("a", "hand"), ("b", '"')], eta=0.1, outcome_vectors=read)
    assert found.values.tolist() == [[0.1, 0.0], [0.1, 0.1]]


def test_a_pair_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="X and Z must have as many rows as each other, not 3 and 2"):
        rw.widrow_hoff((C, O), eta=0.1)
    with pytest.raises(ValueError, match="for Events; of a pair"):
        rw.widrow_hoff((C, C), eta=0.1, cue_vectors=C)
    with pytest.raises(TypeError, match="not a tuple of 3"):
        rw.widrow_hoff((C, C, C), eta=0.1)
    with pytest.raises(TypeError, match=r"events or a pair .*, not one ndarray; write rw\.widrow_hoff"):
        rw.widrow_hoff(C, eta=0.1)


def test_a_rate_that_overshoots_is_warned_of() -> None:
    with pytest.warns(
        RuntimeWarning, match=r"a token has x'x = 4, so a rate is safe only below 0.5"
    ) as record:
        rw.widrow_hoff(([[2.0]], [[1.0]]), eta=0.5)
    assert record[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="x'x = 2, so a rate is safe only below 1"):
        rw.widrow_hoff(rw.read_events(EVENTS), eta=1.0, outcome_vectors=O)


@pytest.mark.parametrize(
    ("data", "safe"),
    [
        (rw.read_events([("a_b_c_d", "x")]), "0.5"),
        ((sparse.csr_array([[2.0, 0.0]]), [[1.0]]), "0.5"),
        ((np.array([[2.0, 0.0]]), [[1.0]]), "0.5"),
    ],
    ids=["names", "sparse", "dense"],
)
def test_the_user_calls_the_rate_eta(data: Any, safe: str) -> None:
    with pytest.warns(
        rw.RescorlaWarning, match=f"^eta = 0.6 .* safe only below {safe}; lower eta$"
    ) as record:
        rw.widrow_hoff(data, eta=0.6)
    assert record[0].filename == __file__
    assert not re.search(r"\b(beta|alpha)\b", str(record[0].message))


def test_what_overflows_names_eta() -> None:
    for data in (
        rw.read_events([("a_b_c_d", "x", 3000)]),
        (sparse.csr_array(np.full((3000, 1), 2.0)), np.ones((3000, 1))),
    ):
        with pytest.raises(FloatingPointError, match="lower eta") as caught:
            quiet(data, eta=5.0)
        assert not re.search(r"\b(beta|alpha)\b", str(caught.value))


def test_divergence_names_the_weight() -> None:
    X, Z = np.full((3000, 1), 2.0), pd.DataFrame({"calm": np.zeros(3000), "steep": np.ones(3000)})
    with pytest.raises(FloatingPointError, match=r"cue 'x0' to outcome 'steep' became .*lower eta"):
        quiet((X, Z), eta=1.0, method="forward")
    # Backward one cue serves all outcomes.
    with pytest.raises(FloatingPointError, match=r"cue 'x0' to outcome '\w+' became .*lower eta"):
        quiet((X, Z), eta=1.0, method="adjoint")
    with pytest.raises(FloatingPointError, match=r"cue 'a' to outcome 'z0' became .*lower eta"):
        quiet(rw.read_events([("a", "x")]).passes(3000), eta=3.0, outcome_vectors=[[1.0]])


def test_progress_counts_to_its_total() -> None:
    seen: list[tuple[int, int]] = []
    X = np.random.default_rng(1).normal(size=(5000, 40))
    rw.widrow_hoff((X, X), eta=0.001, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0
    assert seen == sorted(seen)


# Passes, what is recorded of them, and how fast they are.

PLACES = {"a": [1.0, 0.3], "b": [0.0, 1.0], "c": [-0.5, 0.5]}
GOALS = {"x": [1.0, 0.0, 2.0], "y": [0.5, -1.0, 0.0]}


@st.composite
def coded(draw: st.DrawFn) -> tuple[list[Any], Any, Any]:
    """Events of three cues and two outcomes, some named twice, and what these stand for."""
    names = st.lists(st.sampled_from("abc"), max_size=3)
    goals = st.lists(st.sampled_from("xy"), max_size=3)
    events = draw(st.lists(st.tuples(names, goals, st.integers(0, 3)), max_size=8))
    return (
        [(list("abc"), list("xy"), 0), *events],
        draw(st.sampled_from([None, PLACES])),
        draw(st.sampled_from([None, GOALS])),
    )


@given(coded(), st.integers(1, 3), some.DTYPES)
def test_passes_are_learning_on_and_their_losses_those_of_the_weights(
    problem: tuple[Any, Any, Any], passes: int, dtype: Any
) -> None:
    events, cue_vectors, outcome_vectors = problem
    source = rw.read_events(events, duplicates="keep")
    rule: dict[str, Any] = {"eta": 0.01, "cue_vectors": cue_vectors, "outcome_vectors": outcome_vectors}
    rule |= {"dtype": dtype}
    weights = rw.widrow_hoff(source, **rule, passes=passes, record="loss")
    assert some.bits(weights.values) == some.bits(rw.widrow_hoff(source, **rule, passes=passes).values)
    assert weights.parameters["passes"] == passes
    on = None
    for _ in range(passes):
        on = rw.widrow_hoff(source, **rule, initial=on)
    assert on is not None
    some.assert_close(weights.values, on.values, 1e-12 if dtype == np.float64 else 1e-5)
    cues = cue_vectors or dict(zip("abc", np.eye(3), strict=True))
    outcomes = outcome_vectors or dict(zip("xy", np.eye(2), strict=True))
    losses = []
    for token_cues, token_outcomes, frequency in source:
        x = sum((np.array(cues[c], dtype) for c in token_cues), np.zeros(weights.shape[0]))
        # Vectors are added as often as they are named; a name is present or absent.
        named = list(token_outcomes) if outcome_vectors else sorted(set(token_outcomes))
        z = sum((np.array(outcomes[o], dtype) for o in named), np.zeros(weights.shape[1]))
        losses += [((z - x @ weights.values.astype(float)) ** 2).sum() / 2] * frequency
    assert weights.history is not None
    assert len(weights.history) == passes
    assert weights.history[-1] == pytest.approx(np.mean(losses) if losses else 0.0, rel=1e-12, abs=1e-14)


@given(coded())
def test_accuracy_is_that_of_names(problem: tuple[Any, Any, Any]) -> None:
    events, cue_vectors, outcome_vectors = problem
    source = rw.read_events(events, duplicates="keep")
    rule: dict[str, Any] = {"eta": 0.01, "cue_vectors": cue_vectors, "passes": 2, "record": "accuracy"}
    if outcome_vectors is not None:
        with pytest.raises(ValueError, match=r"outcomes that are names; rescorla\.measures\.accuracy"):
            rw.widrow_hoff(source, **rule, outcome_vectors=outcome_vectors)
        return
    weights = rw.widrow_hoff(source, **rule)
    cues = cue_vectors or dict(zip("abc", np.eye(3), strict=True))
    right = []
    for token_cues, token_outcomes, frequency in source:
        h = sum((np.array(cues[c]) for c in token_cues), np.zeros(weights.shape[0])) @ weights.values
        assume(not token_cues or abs(h[0] - h[1]) > 1e-9)
        right += [weights.outcomes[int(h.argmax())] in token_outcomes] * frequency
    assert weights.history is not None
    assert weights.history[-1] == pytest.approx(np.mean(right) if right else 0.0)


@pytest.mark.parametrize("is_sparse", [False, True])
@given(st.data(), st.integers(1, 9), some.DTYPES, st.integers(1, 3))
def test_a_schedule_is_a_rate_for_each_row(
    is_sparse: bool, data: st.DataObject, n: int, dtype: Any, passes: int
) -> None:
    X, Z = data.draw(tables(n, 3)), data.draw(tables(n, 2))
    given_x = sparse.csr_array(X) if is_sparse else X
    schedule = data.draw(
        st.sampled_from([rw.schedules.inverse_time(4.0), rw.schedules.piecewise([2, 7], [0.0, 1.0, 0.3])])
    )
    factors = schedule(np.arange(1, n * passes + 1))
    W = np.zeros((3, 2))
    for t, factor in enumerate(factors):
        x, z = X[t % n], Z[t % n]
        W += 0.2 * factor * np.outer(x, z - x @ W)
    rule: dict[str, Any] = {"eta": 0.2, "passes": passes, "dtype": dtype}
    found = rw.widrow_hoff((given_x, Z), **rule, schedule=schedule)
    some.assert_close(found.values, W, 1e-12 if dtype == np.float64 else 1e-5)
    constant = rw.widrow_hoff((given_x, Z), **rule, schedule=rw.schedules.piecewise([], [1.0]))
    assert some.bits(constant.values) == some.bits(rw.widrow_hoff((given_x, Z), **rule).values)


def test_schedules_and_passes_of_names() -> None:
    source = rw.read_events([("a_b", "x", 3), ("b", "y", 2), ("a", "x_y", 1)])
    schedule = rw.schedules.inverse_time(5.0)
    learned = rw.learn(source.passes(3), alpha=1.0, beta=0.1, schedule=schedule, method="forward")
    found = rw.widrow_hoff(source, eta=0.1, passes=3, schedule=schedule)
    assert some.bits(found.values) == some.bits(learned.values)
    assert found.parameters["schedule"] == "inverse_time(tau=5.0)"
    once = rw.widrow_hoff(source, eta=0.1, schedule=schedule)
    again = rw.learn(source, alpha=1.0, beta=0.1, schedule=schedule, method="forward")
    assert some.bits(once.values) == some.bits(again.values)
    with pytest.raises(ValueError, match="schedule is not for events whose cues have vectors"):
        rw.widrow_hoff(source, eta=0.1, schedule=schedule, cue_vectors=PLACES)
    with pytest.raises(ValueError, match="method 'adjoint' is for one pass"):
        rw.widrow_hoff(source, eta=0.1, passes=2, method="adjoint")
    with pytest.raises(ValueError, match="record must be 'loss' or 'accuracy'"):
        rw.widrow_hoff(source, eta=0.1, record="error")  # type: ignore[arg-type]
    with pytest.warns(
        rw.RescorlaWarning, match="x'x, times its factor, = 4, so a rate is safe only below 0.5"
    ):
        rw.widrow_hoff(([[1.0]], [1.0]), eta=0.6, schedule=rw.schedules.piecewise([], [4.0]))


@pytest.mark.parametrize("outcome_vectors", [None, GOALS])
def test_what_is_recorded_finds_the_places_of_initial_weights(outcome_vectors: Any) -> None:
    source = rw.read_events([("a_b", "x", 3), ("b", "y", 2)])
    goals = ["y", "x"] if outcome_vectors is None else ["z0", "z1", "z2"]
    start = rw.Weights(np.arange(3.0 * len(goals)).reshape(3, -1) / 10, ["b", "z", "a"], goals)
    rule: dict[str, Any] = {"eta": 0.0, "initial": start, "passes": 2, "record": "loss"}
    found = rw.widrow_hoff(source, **rule, outcome_vectors=outcome_vectors).history
    loss = 0.0
    for cues, (outcome,), frequency in source:
        h = np.sum([start.row(cue) for cue in cues], axis=0)
        z = np.array(outcome_vectors[outcome] if outcome_vectors else [o == outcome for o in goals], float)
        loss += frequency * float(np.square(z - h).sum()) / 2
    assert found is not None
    assert found.tolist() == pytest.approx([loss / 5] * 2)
