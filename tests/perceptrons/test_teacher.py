"""Students of a rule: the same draws for all, whatever else is asked; theory; the page about it."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import stabilities as more
import teacher as script
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

COMMITTED = json.loads((script.HERE / "teacher.json").read_text(encoding="utf-8"))
STABILITIES = json.loads((script.HERE / "stabilities.json").read_text(encoding="utf-8"))
EVERYBODY = script.STUDENTS
QUIET: dict[str, Any] = {"progress": False}


def drawn(seed: int, n: int, p: int, replicate: int) -> tuple[NDArray[np.float64], ...]:
    """Teacher, start and inputs, as the documentation says."""
    rng = np.random.default_rng([seed, n, replicate])
    w = rng.standard_normal(n)
    return w * math.sqrt(n / sum(w * w)), rng.standard_normal(n), rng.standard_normal((p, n))


def wrong(w: NDArray[np.float64], teacher: NDArray[np.float64]) -> float:
    """The generalisation error."""
    sizes = float(np.linalg.norm(w) * np.linalg.norm(teacher))
    return math.acos(max(-1.0, min(1.0, float(w @ teacher) / sizes))) / math.pi if sizes else 0.5


def rosenblatt(X: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64], sweeps: int) -> Any:
    """Rosenblatt's perceptron from w; how many mistakes it made."""
    # From zero the rate scales the weights, and whole numbers shall stay whole.
    n = len(w) if w.any() else 1
    steps = 0
    for _ in range(sweeps):
        before = steps
        for x, sign in zip(X, y, strict=True):
            if sign * (x @ w) <= 0:
                w = w + sign * x / n
                steps += 1
        if steps == before:
            break
    return w, steps


@given(
    seed=st.integers(0, 2**64),
    n=st.integers(1, 12),
    p=st.integers(0, 30),
    n_max=st.integers(1, 5),
    replicate=st.integers(0, 3),
)
def test_each_student_is_the_learner_of_that_name(
    seed: int, n: int, p: int, n_max: int, replicate: int
) -> None:
    found = rw.perceptrons.teacher_student(
        n, p / n, students=EVERYBODY, replicates=replicate + 1, n_max=n_max, seed=seed, **QUIET
    )
    w, start, X = drawn(seed, n, p, replicate)
    y = np.sign(X @ w)
    over = rw.perceptrons.minover(X, y, max_steps=n_max * p)
    ada = rw.perceptrons.adatron(X, y, max_sweeps=n_max)
    zero, mistakes = rosenblatt(X, y, np.zeros(n), n_max)
    random, more = rosenblatt(X, y, start, n_max)
    squares = np.linalg.lstsq(X, y, rcond=None)[0]
    expected = [over.coef, zero, random, ada.coef, squares, X.T @ y]
    assert found.errors[0, 0, :, replicate] == pytest.approx(
        [wrong(student, w) for student in expected], abs=1e-6
    )
    assert found.steps[0, 0, :, replicate].tolist() == [over.n_steps, mistakes, more, ada.n_steps, 0, 0]


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_inputs_of_one_and_minus_one_are_on_the_plane_exactly(n: int, seed: int) -> None:
    # Sums of whole numbers are whole, and often 0, which is wrong; multiples of 1 / n round.
    found = rw.perceptrons.teacher_student(
        n, 3.0, students=["rosenblatt"], inputs="binary", replicates=1, n_max=5, seed=seed, **QUIET
    )
    rng = np.random.default_rng([seed, n, 0])
    w, _ = rng.standard_normal(n), rng.standard_normal(n)
    X: Any = 2.0 * rng.integers(0, 2, (3 * n, n), dtype=np.int8) - 1
    expected, steps = rosenblatt(X, np.sign(X @ w).astype(np.float64), np.zeros(n), 5)
    assert found.steps.item() == steps
    assert found.errors.item() == pytest.approx(wrong(expected, w), abs=1e-12)


@given(st.integers(2, 9), st.integers(1, 9), st.integers(0, 10**6))
def test_least_squares_are_the_shortest_where_inputs_repeat(n: int, p: int, seed: int) -> None:
    found = rw.perceptrons.teacher_student(
        n, p / n, students=["least_squares"], inputs="binary", replicates=1, seed=seed, **QUIET
    )
    rng = np.random.default_rng([seed, n, 0])
    w, _ = rng.standard_normal(n), rng.standard_normal(n)
    X = 2.0 * rng.integers(0, 2, (p, n), dtype=np.int8) - 1
    # With few signs, rows and columns are often equal or opposite: singular, at any shape.
    solution = np.linalg.lstsq(X, np.sign(X @ w), rcond=1e-9)[0]
    assert found.errors.item() == pytest.approx(wrong(solution, w), abs=1e-6)


@given(st.integers(1, 12), st.floats(0.0, 0.2), st.integers(0, 10**6))
def test_the_published_stop_is_the_first_small_change(n: int, stop: float, seed: int) -> None:
    p = 3 * n
    found = rw.perceptrons.teacher_student(
        n, 3.0, students=["minover"], replicates=1, stop=stop, seed=seed, **QUIET
    )
    w, _, X = drawn(seed, n, p, 0)
    y = np.sign(X @ w)
    steps = int(found.steps.item())
    errors = [wrong(rw.perceptrons.minover(X, y, max_steps=t).coef, w) for t in range(1, min(steps, 40) + 1)]
    changes = np.abs(np.diff(errors))
    assert found.errors.item() == pytest.approx(errors[-1], abs=1e-6) or steps > 40
    assert (changes[: min(steps, 40) - 2] > stop - 1e-9).all()
    if steps < min(40, 100 * p):
        assert changes[-1] <= stop + 1e-9


@given(
    seed=st.integers(0, 2**64),
    n=st.integers(1, 12),
    p=st.integers(0, 30),
    n_max=st.integers(1, 5),
    inputs=st.sampled_from(["gaussian", "binary"]),
)
def test_stabilities_are_the_least_fields_of_each_students_weights(
    seed: int, n: int, p: int, n_max: int, inputs: Any
) -> None:
    choices: Any = {"students": EVERYBODY, "replicates": 2, "n_max": n_max, "seed": seed, **QUIET}
    found = rw.perceptrons.teacher_student(n, p / n, inputs=inputs, stabilities=True, **choices)
    plain = rw.perceptrons.teacher_student(n, p / n, inputs=inputs, **choices)
    assert plain.stabilities is None
    assert plain.errors.tobytes() == found.errors.tobytes()
    assert found.stabilities is not None
    assert found.stabilities.shape == found.errors.shape
    for replicate in range(2):
        rng = np.random.default_rng([seed, n, replicate])
        w, start = rng.standard_normal(n), rng.standard_normal(n)
        binary = inputs == "binary"
        X: Any = (
            2.0 * rng.integers(0, 2, (p, n), dtype=np.int8) - 1 if binary else rng.standard_normal((p, n))
        )
        y = np.sign(X @ w)
        over = rw.perceptrons.minover(X, y, max_steps=n_max * p).coef
        ada = rw.perceptrons.adatron(X, y, max_sweeps=n_max).coef
        zero, random = (rosenblatt(X, y, initial, n_max)[0] for initial in (np.zeros(n), start))
        squares = np.linalg.lstsq(X, y, rcond=1e-7)[0]
        students = [over, zero, random, ada, squares, X.T @ y]
        sizes = [float(np.linalg.norm(student)) for student in students]
        least = [
            (min((y * (X @ student)).tolist(), default=math.inf) / size if size else 0.0) if p else math.inf
            for student, size in zip(students, sizes, strict=True)
        ]
        assert found.stabilities[0, 0, :, replicate] == pytest.approx(least, abs=1e-6)


def test_the_stability_of_a_stopped_minover_is_that_of_its_last_step() -> None:
    found = rw.perceptrons.teacher_student(
        20, 3.0, students=["minover"], replicates=5, stop=0.005, stabilities=True, seed=2, **QUIET
    )
    assert found.stabilities is not None
    for replicate in range(5):
        w, _, X = drawn(2, 20, 60, replicate)
        steps = int(found.steps[0, 0, 0, replicate])
        assert 2 <= steps < 6000
        fit = rw.perceptrons.minover(X, np.sign(X @ w), max_steps=steps)
        assert found.stabilities[0, 0, 0, replicate] == pytest.approx(fit.stability, abs=1e-12)


def test_stabilities_are_counted_in_the_progress_and_in_the_forms() -> None:
    seen: list[tuple[int, int]] = []
    found = rw.perceptrons.teacher_student(
        [4, 6],
        [1.0, 2.0],
        students=["hebb", "minover"],
        replicates=3,
        stabilities=True,
        seed=1,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert found.stabilities is not None
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {2 * 3 * 3 * (16 + 36)}
    assert seen[-1][0] == seen[-1][1]
    assert found.to_xarray().stabilities.values.tolist() == found.stabilities.tolist()
    frame = found.to_pandas().set_index(["N", "alpha", "student"])
    assert frame.loc[(6, 1.0, "minover"), "stability"] == pytest.approx(found.stabilities[1, 0, 1].mean())
    with pytest.raises(TypeError, match="stabilities must be True or False, not 'yes'"):
        rw.perceptrons.teacher_student(5, 1.0, stabilities="yes", seed=1)  # type: ignore[arg-type]


def test_nothing_else_has_a_say_in_the_draws() -> None:
    alone = rw.perceptrons.teacher_student(
        10, 2.0, students=["hebb"], replicates=3, seed=4, threads=1, **QUIET
    )
    many = rw.perceptrons.teacher_student(
        [5, 10], [1.0, 2.0, 3.0], students=EVERYBODY, replicates=5, seed=4, threads=3, **QUIET
    )
    assert many.errors.shape == many.steps.shape == (2, 3, 6, 5)
    assert many.errors[1, 1, 5, :3].tolist() == alone.errors[0, 0, 0].tolist()
    other = rw.perceptrons.teacher_student(10, 2.0, students=["hebb"], replicates=3, seed=5, **QUIET)
    assert not np.isin(other.errors, alone.errors).any()


def test_more_threads_than_there_can_be_are_as_many_as_help() -> None:
    one, most = (
        rw.perceptrons.teacher_student(
            10, 2.0, students=["hebb"], replicates=40, seed=4, threads=threads, **QUIET
        )
        for threads in (1, 2**31)
    )
    assert most.errors.tobytes() == one.errors.tobytes()


def test_many_draws_are_made_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rw.perceptrons.teacher_student(6, [0.5, 2.0], replicates=7, seed=1, **QUIET)
    monkeypatch.setattr("rescorla.perceptrons._teacher._AT_ONCE", 100)
    parts = rw.perceptrons.teacher_student(6, [0.5, 2.0], replicates=7, seed=1, **QUIET)
    assert parts.errors.tobytes() == whole.errors.tobytes()
    assert parts.steps.tobytes() == whole.steps.tobytes()


def test_scaling_the_teacher_changes_nothing() -> None:
    w = np.random.default_rng(3).standard_normal(12)
    some, more = (
        rw.perceptrons.teacher_student(
            12, [0.5, 2, 4], students=EVERYBODY, teacher=scale * w, replicates=20, seed=1, **QUIET
        )
        for scale in (1.0, 1024.0)
    )
    assert some.errors.tobytes() == more.errors.tobytes()
    assert some.steps.tobytes() == more.steps.tobytes()


@given(st.integers(1, 8), st.integers(0, 10**6))
def test_inputs_of_one_and_minus_one_are_never_on_the_plane(n: int, seed: int) -> None:
    # Half of all inputs are on the plane of ones where n = 2: labels of 0 would be refused.
    found = rw.perceptrons.teacher_student(
        n, 4.0, students=["hebb"], inputs="binary", teacher="ones", replicates=3, seed=seed, **QUIET
    )
    for replicate in range(3):
        rng = np.random.default_rng([seed, n, replicate])
        rng.standard_normal(2 * n)
        X = 2.0 * rng.integers(0, 2, (4 * n, n), dtype=np.int8) - 1
        for row in np.flatnonzero(X.sum(axis=1) == 0).tolist():
            again = np.random.default_rng([seed, n, replicate, row])
            while X[row].sum() == 0:
                X[row] = 2.0 * again.integers(0, 2, n, dtype=np.int8) - 1
        expected = wrong(X.T @ np.sign(X.sum(axis=1)), np.ones(n))
        assert found.errors[0, 0, 0, replicate] == pytest.approx(expected, abs=1e-6)


def test_a_teacher_of_zeros_has_no_rule_and_no_inputs_off_its_plane_none() -> None:
    with pytest.raises(ValueError, match="teacher must have a weight other than 0"):
        rw.perceptrons.teacher_student(3, 1.0, teacher=np.zeros(3), seed=1, **QUIET)
    with pytest.raises(ValueError, match="teacher must have 4 weights, as many as N, not 3"):
        rw.perceptrons.teacher_student([3, 4], 1.0, teacher=np.ones(3), seed=1, **QUIET)


def test_means_errors_and_forms() -> None:
    found = rw.perceptrons.teacher_student([4, 8], [1.0, 2.0], replicates=6, seed=1, **QUIET)
    assert found.mean == pytest.approx(np.mean(found.errors, axis=3))
    assert found.sem == pytest.approx(np.std(found.errors, axis=3, ddof=1) / math.sqrt(6))
    dataset = found.to_xarray()
    assert (
        dataset.errors.sel(N=8, alpha=2.0, student="hebb").values.tolist() == found.errors[1, 1, 4].tolist()
    )
    assert dataset.steps.dims == ("N", "alpha", "student", "replicate")
    assert dataset.attrs["seed"] == 1
    frame = found.to_pandas().set_index(["N", "alpha", "student"])
    assert frame.loc[(8, 1.0, "adatron"), "mean"] == pytest.approx(found.mean[1, 0, 2])
    assert frame.loc[(4, 2.0, "minover"), "sem"] == pytest.approx(found.sem[0, 1, 0])
    assert frame.loc[(4, 2.0, "minover"), "steps"] == pytest.approx(found.steps[0, 1, 0].mean())
    single = rw.perceptrons.teacher_student(4, 1.0, replicates=1, seed=1, **QUIET)
    assert np.isnan(single.sem).all()
    assert rw.perceptrons.teacher_student(4, 0.0, replicates=1, seed=1, **QUIET).errors.tolist() == [
        [[[0.5]] * 5]
    ]


def test_theory_has_the_values_of_the_literature() -> None:
    found = rw.perceptrons.teacher_student(
        2, [0.0, 1, 2, 3, 5, 200], students=["hebb"], replicates=1, seed=1, **QUIET
    )
    for student in ("minover", "adatron"):
        curve = found.theory(student)
        assert curve[:5] == pytest.approx([0.5, 0.266, 0.1885, 0.143, 0.094], abs=6e-4)
        assert curve[5] * 200 == pytest.approx(0.5, abs=2e-3)
    assert found.theory("gibbs")[5] * 200 == pytest.approx(0.625, abs=1e-3)
    assert found.theory("bayes")[5] * 200 == pytest.approx(0.442, abs=1e-3)
    a = np.array([1.0, 2.0, 3.0, 5.0])
    assert found.theory("hebb")[1:5] == pytest.approx(np.arccos(np.sqrt(2 * a / (2 * a + math.pi))) / math.pi)
    squares = np.arccos(np.sqrt(2 * (a - 1) / (2 * a + math.pi - 4))) / math.pi
    assert found.theory("least_squares")[1:5] == pytest.approx(squares)
    assert found.theory("least_squares").argmax() in (0, 1)
    assert np.isnan(found.theory("rosenblatt")[1:]).all()
    with pytest.raises(ValueError, match="student must be 'minover' or"):
        found.theory("kant")


@pytest.mark.parametrize("student", ["minover", "adatron", "hebb", "least_squares"])
def test_large_students_are_where_theory_says(student: str) -> None:
    # The error is about 0.1 / N below the curve; least squares at alpha = 1 is far from it at any N.
    alphas = [0.3, 0.7, 1.6, 3.0]
    found = rw.perceptrons.teacher_student(200, alphas, students=[student], replicates=40, seed=1, **QUIET)
    away = found.mean[0, :, 0] - found.theory(student)
    assert np.abs(away).max() < 4 * found.sem.max() + 0.2 / 200


def test_what_is_not_said() -> None:
    found = rw.perceptrons.teacher_student(3, 1.0, seed=1, **QUIET)
    assert found.students == ("minover", "rosenblatt", "adatron", "least_squares", "hebb")
    assert found.errors.shape == (1, 1, 5, 100)
    assert found.parameters["n_max"] == 100


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="N must be a whole number of 1 or more, not 0"):
        rw.perceptrons.teacher_student(0, 1.0, seed=1)
    with pytest.raises(TypeError, match=r"N must be a whole number of 1 or more, not 2\.5"):
        rw.perceptrons.teacher_student(2.5, 1.0, seed=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alpha must be 0 or more, and alpha"):
        rw.perceptrons.teacher_student(5, [1.0, -1.0], seed=1)
    with pytest.raises(ValueError, match="students must be 'minover' or"):
        rw.perceptrons.teacher_student(5, 1.0, students=["socrates"], seed=1)
    with pytest.raises(TypeError, match="students must be several names, not the str 'hebb'"):
        rw.perceptrons.teacher_student(5, 1.0, students="hebb", seed=1)
    with pytest.raises(ValueError, match="students names one twice"):
        rw.perceptrons.teacher_student(5, 1.0, students=["hebb", "hebb"], seed=1)
    with pytest.raises(ValueError, match="seed must be a whole number of 0 or more, or"):
        rw.perceptrons.teacher_student(5, 1.0, seed=-1)
    with pytest.raises(ValueError, match="stop must be 0 or more, not -1"):
        rw.perceptrons.teacher_student(5, 1.0, seed=1, stop=-1)
    with pytest.raises(ValueError, match="inputs must be 'gaussian' or 'binary', not 'real'"):
        rw.perceptrons.teacher_student(5, 1.0, seed=1, inputs="real")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="teacher must be 'random' or 'ones', not 'mean'"):
        rw.perceptrons.teacher_student(5, 1.0, seed=1, teacher="mean")


# The page.


def test_the_page_has_the_committed_numbers() -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.filled(page, COMMITTED) == page


@settings(max_examples=20)
@given(st.sampled_from(script.SIZES[:2]), st.sampled_from(script.ALPHAS))
def test_a_fresh_point_is_the_committed_one(n: int, alpha: float) -> None:
    fresh = script.study((n,), (alpha,))
    i, k = script.SIZES.index(n), script.ALPHAS.index(alpha)
    for key in ("full", "stopped"):
        for what in ("mean", "sem"):
            expected = COMMITTED[key][what][i][k]
            assert fresh[key][what][0][0] == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_the_claims_of_the_page_hold_in_the_committed_numbers() -> None:
    full, stopped = COMMITTED["full"], COMMITTED["stopped"]
    place = {name: k for k, name in enumerate(COMMITTED["students"])}
    mean, sem = np.array(full["mean"]), np.array(full["sem"])
    for student in ("minover", "hebb"):
        curve, bar = mean[-1, :, place[student]], sem[-1, :, place[student]]
        assert (np.diff(curve) < 0).all()
        assert (np.abs(curve - COMMITTED["theory"][student]) < 2 * bar).all()
    assert 3.5 < np.mean(np.array(stopped["steps"])[-1, 4:, 0]) < 4.5
    assert np.array(stopped["mean"])[-1, 4:, 0] == pytest.approx(0.44, abs=0.01)
    # Flatter with N where it stops, and not where it does not.
    falls = np.array(stopped["mean"])[:, 4, 0] - np.array(stopped["mean"])[:, 49, 0]
    assert falls[0] > 1.3 * falls[1] > 13 * abs(falls[2])
    assert np.ptp(mean[:, 49, 0]) < 0.01
    # The published figure's students differ little, random starts much.
    k = place["rosenblatt"]
    assert (mean[-1, :, k] - mean[-1, :, 0]).max() < 0.025
    assert (mean[-1, :, place["rosenblatt_random"]] > mean[-1, :, k] + 0.03).all()
    squares = mean[-1, :, place["least_squares"]]
    assert COMMITTED["alpha"][4 + squares[4:].argmax()] == 1.0


def test_the_smoke_run_writes_everything(tmp_path: Path) -> None:
    numbers = script.study((6, 8), (0.5, 1.0), 2)
    script.draw(numbers, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["teacher-stop.svg", "teacher-students.svg"]
    first = (tmp_path / "teacher-stop.svg").read_bytes()
    script.draw(numbers, tmp_path)
    assert (tmp_path / "teacher-stop.svg").read_bytes() == first
    page = script.filled(script.PAGE.read_text(encoding="utf-8"), numbers)
    assert re.search(r"\| 0.5 \| 0\.\d{3} \|", page)


def test_the_page_has_the_committed_stabilities() -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    assert more.filled(page, STABILITIES) == page
    course = STABILITIES["course"]
    says = [f"{course['falls']:.0%}", f"{course['last_negative']:,} steps"]
    values = [course["end"], course["greatest"]]
    values += [row["wrong"][k][0] for row in STABILITIES["noise"] if row["alpha"] != 2 for k in (0, 1)]
    values += [STABILITIES["laws"]["+1 and -1, teacher of ones"][what] for what in ("error", "fresh")]
    says += [f"{value:.3f}"[1:] for value in values]
    assert all(text in page for text in says)


def test_fresh_replicates_are_those_of_the_stabilities() -> None:
    fresh = more.length(2, STABILITIES["replicates"])
    committed = STABILITIES["lengths"][1]
    assert fresh["mean"] == pytest.approx(committed["mean"], rel=1e-3)
    assert fresh["stability"] == pytest.approx(committed["stability"], abs=1e-3)
    assert fresh["positive"] == pytest.approx(committed["positive"], abs=1)
    assert more.course() == pytest.approx(STABILITIES["course"], rel=1e-3)


@pytest.mark.parametrize("kind", more.LAWS.values())
def test_inputs_are_those_of_teacher_student(kind: tuple[Any, Any]) -> None:
    inputs, teacher = kind
    found = rw.perceptrons.teacher_student(
        more.N,
        1.0,
        students=["hebb"],
        inputs=inputs,
        teacher=teacher,
        replicates=2,
        seed=script.SEED,
        **QUIET,
    )
    for replicate in range(2):
        w, X, y = more.drawn(replicate, 1.0, *kind)
        assert found.errors[0, 0, 0, replicate] == pytest.approx(more.error(y @ X, w), abs=1e-9)


def test_the_claims_about_stability_hold_in_the_committed_numbers() -> None:
    course, lengths = STABILITIES["course"], STABILITIES["lengths"]
    for when in ("falls", "falls_early", "falls_late"):
        assert course[when] == pytest.approx(0.5, abs=0.02)
    assert [row["positive"][0] for row in lengths] == [0, 40, 100, 100, 100, 100, 100]
    errors = [row["mean"][0] for row in lengths]
    assert lengths[int(np.argmin(errors))]["n_max"] == 5
    assert lengths[-1]["mean"][1] - lengths[-1]["mean"][0] == pytest.approx(0.0014, abs=5e-5)
    assert lengths[2]["stability"][0] / course["greatest"] == pytest.approx(0.5, abs=0.05)
    for row in STABILITIES["noise"]:
        gains = np.subtract(row["wrong"][1], row["wrong"][0])
        assert (gains > 0.01).any() == (row["alpha"] < 5)
    alike = [row["wrong"] for row in STABILITIES["noise"] if row["alpha"] == 5]
    assert np.abs(np.subtract(*alike[0])).max() < 0.0025
    laws = dict(STABILITIES["laws"])
    ones = laws.pop("+1 and -1, teacher of ones")
    assert max(row["error"] for row in laws.values()) - min(row["error"] for row in laws.values()) < 0.003
    assert ones["fresh"] < ones["error"] - 0.02 < min(row["error"] for row in laws.values()) - 0.02
    assert ones["teacher_stability"] == pytest.approx(0.2)
    for row in STABILITIES["bayes"]:
        assert abs(row["mean_of_students"] - row["theory"]["bayes"]) < 0.002
        assert 0.03 < row["gain"] / row["minover"] < 0.075


def test_the_picture_of_stabilities_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    pictures = []
    for _ in range(2):
        more.draw(STABILITIES, tmp_path)
        pictures.append((tmp_path / "teacher-stability.svg").read_bytes())
    assert pictures[0] == pictures[1]
