"""Arrays as callers have them: wherever their elements lie the numbers are right, or the array is refused."""

import threading
from collections.abc import Callable
from typing import Any

import asked
import numpy as np
import pytest
import rescorla as rw
import rescorla._core as _core
from rescorla._weights.vectors import Table

EVENTS = rw.read_events([("a_b", "x", 3), ("b_c", "y", 2)])
SHAPE = EVENTS.n_cues, EVENTS.n_outcomes


def field(array: Any) -> Any:
    """As a field of records that are one byte longer than it is."""
    records = np.zeros(array.shape, dtype=[("flag", "u1"), ("value", array.dtype)])
    records["value"] = array
    return records["value"]


def aligned_field(array: Any) -> Any:
    """As a field of records, aligned, but not whole numbers of elements apart."""
    item = array.dtype.itemsize
    pad = {8: "f4", 4: "u2"}[item]
    layout: Any = {"names": ["value", "pad"], "formats": [array.dtype, pad], "offsets": [0, item]}
    layout["itemsize"] = item + item // 2
    records: Any = np.zeros(array.shape, dtype=layout)
    records["value"] = array
    return records["value"]


def off_by_one(array: Any) -> Any:
    """One element after another, beginning at an odd address."""
    buffer = np.zeros(array.nbytes + 1, dtype="u1")
    shifted = buffer[1:].view(array.dtype).reshape(array.shape)
    shifted[...] = array
    return shifted


def swapped(array: Any) -> Any:
    return array.astype(array.dtype.newbyteorder())


def backwards(array: Any) -> Any:
    """Along every axis."""
    turned = array[tuple(slice(None, None, -1) for _ in array.shape)].copy()
    return turned[tuple(slice(None, None, -1) for _ in array.shape)]


def apart(array: Any) -> Any:
    """Every other element of a larger array."""
    wide = np.zeros([2 * n for n in array.shape], dtype=array.dtype)
    part = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    part[...] = array
    return part


def columns(array: Any) -> Any:
    return np.asfortranarray(array)


def read_only(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


UNALIGNED = [field, aligned_field, off_by_one]
ANYWHERE = [*UNALIGNED, swapped, backwards, apart, columns, read_only]
Layout = Callable[[Any], Any]


def test_the_layouts_are_what_they_say() -> None:
    array = np.arange(6.0).reshape(2, 3)
    assert not field(array).flags.aligned
    assert field(array).strides == (27, 9)
    assert aligned_field(array.astype("f4")).strides == (18, 6)
    assert not off_by_one(array).flags.aligned
    assert off_by_one(array).flags.c_contiguous
    assert backwards(array).strides == (-24, -8)
    for layout in ANYWHERE:
        assert layout(array).tolist() == array.tolist()


# Arrays that are read.

VALUES = np.arange(6.0).reshape(SHAPE) / 7
X = np.array([[1.0, 0.0, 2.0], [0.5, -1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 1.0, 0.0]])
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])
TOKENS = np.array([1, 2, 4])


def weights(values: Any) -> rw.Weights:
    return rw.Weights(values, EVENTS.cues, EVENTS.outcomes)


class Told:
    """A schedule that gives an array of a layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def __call__(self, tokens: Any) -> Any:
        return self.layout(1.0 / tokens)


READ: dict[str, Callable[[Layout], Any]] = {
    "alpha": lambda at: rw.learn(EVENTS, alpha=at(np.array([0.1, 0.2, 0.3]))).values,
    "lambda": lambda at: rw.learn(EVENTS, lambda_=at(np.array([0.5, 2.0]))).values,
    "schedule": lambda at: rw.learn(EVENTS, schedule=Told(at)).values,
    "initial": lambda at: rw.learn(EVENTS, initial=weights(at(VALUES))).values,
    "initial of float32": lambda at: (
        rw.learn(EVENTS, initial=weights(at(VALUES.astype("f4"))), dtype="f4").values
    ),
    "initial of trajectories": lambda at: rw.trajectories(EVENTS, initial=weights(at(VALUES))).values,
    "initial of influence": lambda at: rw.influence(EVENTS, "a", "x", initial=weights(at(VALUES))).effects,
    "tokens of trajectories": lambda at: rw.trajectories(EVENTS, at=at(TOKENS)).values,
    "activations": lambda at: rw.activations(EVENTS, weights(at(VALUES))),
    "activations of float32": lambda at: rw.activations(EVENTS, weights(at(VALUES.astype("f4"))), dtype="f4"),
    "equilibrium": lambda at: rw.equilibrium(EVENTS, alpha=at(np.array([0.1, 0.2, 0.3]))).values,
    "delta rule": lambda at: rw.delta_rule(EVENTS, beta=0.1, initial=weights(at(VALUES))).values,
    "delta rule on X": lambda at: rw.delta_rule((at(X), at(X)), beta=0.1).values,
    "delta rule on z": lambda at: rw.delta_rule((at(X), at(SIGNS)), beta=0.1).values,
    "Widrow-Hoff": lambda at: rw.widrow_hoff((at(X), at(X)), eta=0.01).values,
    "vectors of names": lambda at: rw.widrow_hoff(EVENTS, cue_vectors=weights(at(VALUES)), eta=0.01).values,
    "perceptron": lambda at: rw.perceptrons.perceptron(at(X), at(SIGNS), initial=at(X[0]), max_sweeps=9).coef,
    "MinOver": lambda at: rw.perceptrons.minover(at(X), at(SIGNS), max_steps=9).coef,
    "AdaTron": lambda at: rw.perceptrons.adatron(at(X), at(SIGNS), max_sweeps=9).coef,
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("layout", ANYWHERE)
@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_what_is_read_may_lie_anywhere(read: Callable[[Layout], Any], layout: Layout) -> None:
    expected, found = read(np.array), read(layout)
    np.testing.assert_array_equal(found, expected)


# Arrays that are written to.

INTO: dict[str, Callable[[Any], Any]] = {
    "learn": lambda out: rw.learn(EVENTS, out=out, dtype=out.dtype.newbyteorder("=")).values,
    "learn, adjoint": lambda out: (
        rw.learn(EVENTS, out=out, dtype=out.dtype.newbyteorder("="), method="adjoint").values
    ),
}


@pytest.mark.parametrize("element", ["f4", "f8"])
@pytest.mark.parametrize("layout", [backwards, apart, columns])
@pytest.mark.parametrize("into", INTO.values(), ids=INTO)
def test_a_result_may_lie_anywhere(into: Callable[[Any], Any], layout: Layout, element: str) -> None:
    expected = into(np.ones(SHAPE, dtype=element))
    out = layout(np.ones(SHAPE, dtype=element))
    assert into(out) is out
    assert out.tolist() == expected.tolist()
    assert expected.any()


def test_nothing_but_the_result_is_written() -> None:
    wide = np.full((2 * SHAPE[0], 3 * SHAPE[1]), 9.0)
    rw.learn(EVENTS, out=wide[::-2, ::3])
    wide[::-2, ::3] = 9.0
    assert (wide == 9.0).all()


def overlapping(array: Any) -> Any:
    """Every row begins one element after the one before."""
    flat = np.ones(array.size, dtype=array.dtype)
    return np.lib.stride_tricks.as_strided(flat, array.shape, (array.itemsize, array.itemsize))


def repeated(array: Any) -> Any:
    out = np.broadcast_to(array[0], array.shape)
    out.flags.writeable = True
    return out


REFUSED = [
    *((layout, "elements lie a whole number of elements apart, aligned") for layout in UNALIGNED),
    (swapped, "out must be an array of float"),
    (read_only, "out must be writeable"),
    (repeated, "elements do not share memory"),
    (overlapping, "elements do not share memory"),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("element", ["f4", "f8"])
@pytest.mark.parametrize(("layout", "message"), REFUSED)
def test_a_result_that_cannot_be_written_right_is_refused(layout: Layout, message: str, element: str) -> None:
    array = np.full(SHAPE, 9.0, dtype=element)
    known = weights(VALUES.astype(element))

    def activate(out: Any) -> Any:
        return rw.activations([["a"], ["b"], ["a", "c"]], known, out=out)

    for into in (*INTO.values(), activate):
        out = layout(array)
        before = out.tobytes()
        with pytest.raises(ValueError, match=message):
            into(out)
        assert out.tobytes() == before


# The engine by itself takes no array that lies wrong, whoever calls it.

PLAN: dict[str, Any] = {
    "alpha": np.full(3, 0.1),
    "beta1": 0.1,
    "beta2": 0.1,
    "lambda_": np.ones(2),
    "schedule": None,
    "cue_rows": np.arange(3),
    "outcome_columns": np.arange(2),
    "initial": None,
    "threads": 1,
    "kernel": None,
    "tile": None,
    "progress": None,
}
LEARN = PLAN | {
    "average": False,
    "keep_rows": None,
    "initial_columns": None,
    "method": None,
    "out": np.zeros(SHAPE),
    "states": None,
}
DELTA: dict[str, Any] = {
    "beta": 0.1,
    "activation": "identity",
    "loss": "squared",
    "batch": None,
    "mean": False,
    "passes": 1,
    "order": np.arange(5).reshape(1, 5),
}
TOKEN = PLAN | {
    "initial_columns": None,
    "tokens": np.arange(3),
    "rows": np.arange(3),
    "columns": None,
    "predictions": False,
    "probes": (np.zeros(0, np.int64),) * 3,
    "predicted": np.zeros(0),
    "probed": np.zeros(0),
    "saliences": np.zeros(0),
    "out": np.zeros(18),
}
SUMS = PLAN | {
    "initial_columns": None,
    "lengths": np.ones(1, np.int64),
    "rows": np.zeros(1, np.int64),
    "columns": np.zeros(1, np.int64),
}
ROW = DELTA | {"alpha": np.full(3, 0.1), "initial": None, "out": np.zeros((3, 3)), "order": None}
ROW |= {"threads": 1, "kernel": None, "tile": None, "progress": None}
HOFF: dict[str, Any] = {"eta": 0.1, "initial": None, "out": np.zeros((3, 3)), "method": None, "threads": 1}
HOFF |= {"schedule": None, "normalized": False, "kernel": None, "tile": None, "block": None, "progress": None}
ACTIVE: dict[str, Any] = {"cue_rows": np.arange(3), "columns": np.arange(2), "present_only": False}
ACTIVE |= {"weights": VALUES, "out": np.zeros((2, 2)), "threads": 1, "progress": None}
SOLVE: dict[str, Any] = {"alpha": np.full(3, 0.1), "lambda_": np.ones(2), "out": np.zeros(SHAPE)}
SOLVE |= {
    "cue_vectors": None,
    "outcome_vectors": None,
    "initial": False,
    "beta1": 0.1,
    "beta2": 0.1,
    "ridge": 0.0,
    "method": None,
    "tol": None,
    "threads": 1,
    "progress": None,
}
DRAWS: dict[str, Any] = {"inputs": X[None], "labels": SIGNS[None], "teachers": X[:1], "starts": X[:1]}
DRAWS |= {"students": ["hebb"], "n_max": 9, "stop": None, "threads": 1, "progress": None}
PLANE: dict[str, Any] = {"y": SIGNS, "initial": X[0], "bias": None, "rule": "single", "eta": 1.0}
PLANE |= {"factors": None, "max_sweeps": 9, "progress": None}
OVER: dict[str, Any] = {"y": SIGNS, "bias": False, "max_steps": 9, "tol": None, "record": False}
OVER |= {"budget": None, "kernel": None, "progress": None}
TRON: dict[str, Any] = {
    "y": SIGNS,
    "bias": False,
    "max_sweeps": 9,
    "gamma": 1.0,
    "tol": 1e-6,
    "progress": None,
}


def table(values: Any) -> Table:
    return Table((4, 3), values, ())


def sparse(values: Any, starts: Any, places: Any) -> Table:
    return Table((4, 3), values, (), starts, places)


SPARSE = {"values": np.ones(4), "starts": np.arange(5), "places": np.zeros(4, "u4")}


def rows_of(x: Any, **more: Any) -> Any:
    return _core.delta_rule_rows(x, table(X), **{**ROW, **more})


CALLS: list[tuple[Callable[..., Any], dict[str, Any], list[str]]] = [
    (
        lambda **arrays: _core.learn(EVENTS._file, **arrays),
        LEARN | {"initial": VALUES, "initial_columns": np.arange(2), "keep_rows": np.arange(3)},
        ["alpha", "lambda_", "cue_rows", "outcome_columns", "keep_rows", "initial", "initial_columns", "out"],
    ),
    (
        lambda present, absent: _core.learn(EVENTS._file, **LEARN | {"schedule": (present, absent)}),
        {"present": np.ones(5), "absent": np.ones(5)},
        ["present", "absent"],
    ),
    (
        lambda **arrays: _core.trajectories(EVENTS._file, **arrays),
        TOKEN,
        ["alpha", "lambda_", "cue_rows", "outcome_columns", "tokens", "rows", "out"],
    ),
    (
        lambda lengths, rows, columns, contributions, effects, **arrays: _core.influence(
            EVENTS._file, sums=(lengths, rows, columns), out=(contributions, effects), n=0, **arrays
        ),
        SUMS | {"contributions": np.zeros(len(EVENTS)), "effects": np.zeros(len(EVENTS))},
        [
            "alpha",
            "lambda_",
            "cue_rows",
            "outcome_columns",
            "lengths",
            "rows",
            "columns",
            "contributions",
            "effects",
        ],
    ),
    (
        lambda lengths, rows, columns, **arrays: _core.sensitivity(
            EVENTS._file, sums=(lengths, rows, columns), **arrays
        ),
        SUMS,
        ["alpha", "lambda_", "cue_rows", "outcome_columns", "lengths", "rows", "columns"],
    ),
    (
        lambda **arrays: _core.delta_rule(EVENTS._file, **arrays),
        {name: value for name, value in PLAN.items() if name not in ("beta1", "beta2", "schedule")}
        | DELTA
        | {"initial": VALUES, "out": np.zeros(SHAPE)},
        ["alpha", "lambda_", "cue_rows", "outcome_columns", "initial", "order", "out"],
    ),
    (lambda x, **more: rows_of(table(x), **more), {"x": X, "out": np.zeros((3, 3))}, ["x", "out"]),
    (lambda **parts: rows_of(sparse(**parts)), SPARSE, ["values", "starts", "places"]),
    (
        lambda x, z, **arrays: _core.widrow_hoff(4, cues=(x, None), outcomes=(z, None), **arrays),
        HOFF | {"x": X, "z": X, "initial": np.zeros((3, 3))},
        ["x", "z", "initial", "out"],
    ),
    (
        lambda cues, **arrays: _core.widrow_hoff(
            EVENTS._file, cues=(cues, 3), outcomes=(np.arange(2), 2), **arrays
        ),
        HOFF | {"cues": np.arange(3), "out": np.zeros(SHAPE)},
        ["cues"],
    ),
    (
        lambda **arrays: _core.activations(EVENTS._file, **arrays),
        ACTIVE,
        ["weights", "cue_rows", "columns", "out"],
    ),
    (lambda **arrays: _core.equilibrium(EVENTS._file, **arrays), SOLVE, ["alpha", "lambda_", "out"]),
    (_core.students, DRAWS, ["inputs", "labels", "teachers", "starts"]),
    (lambda **arrays: _core.perceptron(table(X), **arrays), PLANE, ["y", "initial"]),
    (lambda **arrays: _core.minover(table(X), **arrays), OVER, ["y"]),
    (lambda **arrays: _core.adatron(table(X), **arrays), TRON, ["y"]),
    (lambda block: EVENTS._file.select([block], 2), {"block": np.array([0, 1])}, ["block"]),
    (
        lambda pointers, ids: EVENTS._file.filter((["n"], pointers, ids, "drop"), None),
        {"pointers": np.arange(4), "ids": np.zeros(3, "i8")},
        ["pointers", "ids"],
    ),
]
CASES = [(call, arrays, name) for call, arrays, names in CALLS for name in names]


def again(value: Any) -> Any:
    """Results anew, so that each call has zeros."""
    return value.copy() if isinstance(value, np.ndarray) else value


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("call", "arrays", "name"), CASES)
def test_the_engine_takes_no_array_that_lies_between_others(
    call: Callable[..., Any], arrays: dict[str, Any], name: str
) -> None:
    def given(layout: Layout) -> dict[str, Any]:
        return {each: layout(value) if each == name else again(value) for each, value in arrays.items()}

    call(**given(np.array))
    for layout in UNALIGNED:
        if layout is aligned_field and arrays[name].itemsize == 8 and np.dtype("f8").alignment > 4:
            continue  # Such a field is not aligned.
        with pytest.raises(ValueError, match="whole number of elements apart, aligned"):
            call(**given(layout))
    with pytest.raises((TypeError, ValueError)):
        call(**given(swapped))


# One array in two calls.


def test_a_result_that_is_being_learned_cannot_be_read_or_given_again() -> None:
    events = rw.read_events([(f"c{i % 300}_d{i % 7}", f"o{i % 400}", 20) for i in range(100_000)])
    out = np.zeros((events.n_cues, events.n_outcomes))
    running = rw.Weights(out, events.cues, events.outcomes)
    attempts: list[Callable[[], object]] = [
        lambda: rw.activations(events[:9], running, progress=False),
        lambda: rw.learn(events[:9], initial=running, progress=False),
        lambda: rw.trajectories(events[:9], initial=running, at=[9], progress=False),
        lambda: rw.widrow_hoff((out[:4], out[:4]), eta=0.1, progress=False),
        lambda: rw.delta_rule((out[:4], out[:4]), beta=0.1, progress=False),
        lambda: rw.learn(events, out=out, progress=False),
    ]
    raised: list[BaseException | None] = []

    def look(done: int, total: int) -> None:
        while len(raised) < len(attempts) and done < total:
            try:
                attempts[len(raised)]()
                raised.append(None)
            except BaseException as error:
                raised.append(error)

    rw.learn(events, out=out, method="forward", threads=1, progress=look)
    np.testing.assert_array_equal(out, rw.learn(events, method="forward", progress=False).values)
    assert [type(error) for error in raised] == [ValueError] * len(attempts)
    assert all("wait until" in str(error) for error in raised)
    # Now it can.
    for attempt in attempts[:2]:
        attempt()


def test_two_threads_cannot_learn_into_one_array() -> None:
    events = rw.read_events([(f"c{i % 300}_d{i % 7}", f"o{i % 400}", 20) for i in range(100_000)])
    out = np.zeros((events.n_cues, events.n_outcomes))
    known: dict[str, Any] = {"method": "forward", "threads": 1}
    expected = asked.learn(events, **known, progress=False).values
    raised: list[str] = []

    def other() -> None:
        try:
            rw.learn(events, out=out, **known, progress=False)
        except ValueError as error:
            raised.append(str(error))

    looks = 0

    def look(done: int, total: int) -> None:
        nonlocal looks
        if done < total:
            looks += 1
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()

    # Of many tiles, each of which is in the result once it is learned.
    asked.learn(events, **known, out=out, tile=8, progress=look)
    assert 0 < looks == len(raised)
    assert all("wait until it is done" in message for message in raised)
    np.testing.assert_array_equal(out, expected)
