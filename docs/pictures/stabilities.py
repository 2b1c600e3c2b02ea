"""Stability, noise, inputs and the Bayes point: what Netz and Pannetier's experiment leaves open.

    python docs/pictures/stabilities.py

writes the figure teacher-stability.svg, all numbers as stabilities.json, and tables into howto/perceptron.md.
`--smoke` does all of it for a few replicates, and writes into a temporary folder.
"""

import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import rescorla as rw
from numpy.typing import NDArray

from teacher import HERE, PAGE, REPLICATES, SEED, Numbers, markdown, rounded

sys.path.insert(0, str(Path(__file__).parents[1] / "paper"))
from canvas import COLOURS, panels, plain, saver

N = 100
ALPHA = 5.0  # The experiment's largest.
ALPHAS = (1.0, 2.0, 5.0)
LENGTHS = (1, 2, 5, 10, 20, 50, 100)
FLIPPED = (0.02, 0.05, 0.1)
LAWS = {
    "Gaussian, random teacher": ("gaussian", "random"),
    "Gaussian, teacher of ones": ("gaussian", "ones"),
    "+1 and -1, random teacher": ("binary", "random"),
    "+1 and -1, teacher of ones": ("binary", "ones"),
}
# Students whose mean is the Bayes point: how many, of which part of the examples, in how many steps for each.
COMMITTEE, PART, SWEEPS = 50, 0.7, 20
FRESH = 2000
Floats = NDArray[np.float64]


def study(replicates: int = REPLICATES) -> Numbers:
    """All that the page says of stabilities, noise, inputs and the Bayes point."""
    return {
        "N": N,
        "alpha": ALPHA,
        "replicates": replicates,
        "course": course(),
        "lengths": [length(n_max, replicates) for n_max in LENGTHS],
        "noise": [noise(alpha, replicates) for alpha in ALPHAS],
        "laws": {name: law(*choice, replicates) for name, choice in LAWS.items()},
        "bayes": [bayes(alpha, replicates) for alpha in ALPHAS],
    }


def drawn(
    replicate: int, alpha: float, inputs: str = "gaussian", teacher: str = "random"
) -> tuple[Floats, Floats, Floats]:
    """Teacher, examples and classes, as `teacher_student` draws them."""
    rng = np.random.default_rng([SEED, N, replicate])
    w = rng.standard_normal(N)
    rng.standard_normal(N)  # The random start.
    if teacher == "ones":
        w = np.ones(N)
    X = some(rng, round(alpha * N), inputs)
    for row in np.flatnonzero(X @ w == 0).tolist():
        again = np.random.default_rng([SEED, N, replicate, row])
        while X[row] @ w == 0:
            X[row] = some(again, 1, inputs)[0]
    return w, X, np.sign(X @ w)


def some(rng: np.random.Generator, n: int, inputs: str) -> Floats:
    """So many inputs."""
    if inputs == "binary":
        return np.asarray(2.0 * rng.integers(0, 2, (n, N), dtype=np.int8) - 1)
    return rng.standard_normal((n, N))


def over(X: Floats, y: Floats, sweeps: int = 100, *, record: bool = False) -> rw.perceptrons.LinearFit:
    """MinOver, with so many steps for each example."""
    return rw.perceptrons.minover(X, y, max_steps=sweeps * len(y), record=record, progress=False)


def error(w: Floats, teacher: Floats) -> float:
    """The generalisation error."""
    cosine = w @ teacher / np.linalg.norm(w) / np.linalg.norm(teacher)
    return float(np.arccos(np.clip(cosine, -1, 1)) / np.pi)


def stabilities(replicate: int) -> tuple[Floats, float]:
    """MinOver's stability after each step, and the greatest there is."""
    _, X, y = drawn(replicate, ALPHA)
    fit = over(X, y, record=True)
    return np.append(fit.stabilities[1:], fit.stability), rw.perceptrons.adatron(
        X, y, progress=False
    ).stability


def course() -> Numbers:
    """How the stability of one student rises and falls."""
    values, greatest = stabilities(0)
    P = round(ALPHA * N)
    changes = np.diff(values)
    return {
        "falls": float(np.mean(changes < 0)),
        "falls_early": float(np.mean(changes[:P] < 0)),
        "falls_late": float(np.mean(changes[-P:] < 0)),
        "last_negative": int(np.flatnonzero(values <= 0)[-1]) + 1,
        "greatest": greatest,
        "end": float(values[-1]),
        "best": float(values.max()),
        "wanders": float(np.std(values[-P:])),
    }


def length(n_max: int, replicates: int) -> Numbers:
    """MinOver and Rosenblatt's perceptron with so many looks at each example."""
    found = rw.perceptrons.teacher_student(
        N,
        ALPHA,
        students=["minover", "rosenblatt"],
        n_max=n_max,
        replicates=replicates,
        stabilities=True,
        seed=SEED,
        progress=False,
    )
    assert found.stabilities is not None
    ends = found.stabilities[0, 0]
    return {
        "n_max": n_max,
        "mean": rounded(found.mean[0, 0]),
        "sem": rounded(found.sem[0, 0]),
        "stability": rounded(ends.mean(axis=1)),
        "positive": [int(n) for n in (ends > 0).sum(axis=1)],
    }


def noise(alpha: float, replicates: int) -> Numbers:
    """How many learned examples are wrong when some features of each have changed their sign."""
    rows = []
    for replicate in range(replicates):
        _, X, y = drawn(replicate, alpha, "binary")
        students = over(X, y), rw.perceptrons.perceptron(X, y, bias=False, max_sweeps=100, progress=False)
        chances = np.random.default_rng([SEED, N, replicate, 1]).random(X.shape)
        noisy = [np.where(chances < part, -X, X) for part in FLIPPED]
        rows.append(
            [
                [student.stability, *(float(np.mean(student.predict(x) != y)) for x in noisy)]
                for student in students
            ]
        )
    mean = np.mean(rows, axis=0)
    return {"alpha": alpha, "stability": rounded(mean[:, 0]), "wrong": rounded(mean[:, 1:])}


def law(inputs: str, teacher: str, replicates: int) -> Numbers:
    """MinOver on inputs of one kind: its angle, and how many new inputs of this kind it gets wrong."""
    rows = []
    for replicate in range(replicates):
        w, X, y = drawn(replicate, ALPHA, inputs, teacher)
        fit = over(X, y)
        fresh = some(np.random.default_rng([SEED, N, replicate, 2]), FRESH, inputs)
        fields = fresh @ w
        seen = fresh[fields != 0]
        missed = float(np.mean(fit.predict(seen) != np.sign(fields[fields != 0])))
        size = np.linalg.norm(w)
        rows.append([error(fit.coef, w), missed, fit.stability, float((y * (X @ w)).min() / size)])
    mean, sem = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(replicates)
    return {
        "error": rounded(mean[0]),
        "sem": rounded(sem[0]),
        "fresh": rounded(mean[1]),
        "stability": rounded(mean[2]),
        "teacher_stability": rounded(mean[3]),
    }


def bayes(alpha: float, replicates: int) -> Numbers:
    """The mean of many students, each of a random part of the examples, beside MinOver on all."""
    rows = []
    for replicate in range(replicates):
        w, X, y = drawn(replicate, alpha)
        rng = np.random.default_rng([SEED, N, replicate, 3])
        mean = np.zeros(N)
        for _ in range(COMMITTEE):
            part = rng.permutation(len(y))[: round(PART * len(y))]
            member = over(X[part], y[part], SWEEPS).coef
            mean += member / np.linalg.norm(member)
        alone, least = over(X, y), (y * (X @ mean)).min() / np.linalg.norm(mean)
        rows.append([error(alone.coef, w), error(mean, w), alone.stability, least])
    means = np.mean(rows, axis=0)
    gains = np.array(rows)[:, 0] - np.array(rows)[:, 1]
    curves = rw.perceptrons.teacher_student(2, alpha, students=["hebb"], replicates=1, seed=1, progress=False)
    return {
        "alpha": alpha,
        "minover": rounded(means[0]),
        "mean_of_students": rounded(means[1]),
        "gain": rounded(gains.mean()),
        "gain_sem": rounded(gains.std(ddof=1) / np.sqrt(replicates)),
        "stability": rounded(means[2:]),
        "theory": {name: float(rounded(curves.theory(name)[0])) for name in ("minover", "bayes", "gibbs")},
    }


def draw(numbers: Numbers, folder: Path) -> None:
    """One student's stability step by step; many students' errors by how long they learn."""
    figure, [[left, right]] = panels(1, 2, (9, 3.8))
    values, greatest = stabilities(0)
    P = round(ALPHA * N)
    left.plot(np.arange(1, len(values) + 1) / P, values, color=COLOURS[0], linewidth=0.6, label="MinOver")
    left.axhline(greatest, color="k", linestyle="--", linewidth=1, label="the greatest there is (AdaTron)")
    left.axhline(0, color="0.7", linewidth=0.8)
    left.set(xscale="log", xlim=(0.1, None), ylim=(-1.6, 0.4))
    left.set(xlabel="steps for each example", ylabel="stability")
    left.legend(frameon=False, loc="lower right")
    for k, name in enumerate(("MinOver", "Rosenblatt")):
        mean, sem = ([row[what][k] for row in numbers["lengths"]] for what in ("mean", "sem"))
        lengths = [row["n_max"] for row in numbers["lengths"]]
        right.errorbar(lengths, mean, sem, fmt="o-", markersize=4, color=COLOURS[k], label=name)
    right.axhline(numbers["bayes"][-1]["theory"]["minover"], color="k", linestyle="--", linewidth=1)
    right.annotate(
        "theory, greatest stability",
        (100, numbers["bayes"][-1]["theory"]["minover"]),
        xytext=(0, -16),
        textcoords="offset points",
        ha="right",
    )
    right.set(
        xscale="log", ylim=(0, None), xlabel="n_max: looks at each example", ylabel="generalisation error"
    )
    right.legend(frameon=False)
    for ax in (left, right):
        ax.xaxis.set_major_formatter("{x:g}")
        plain(ax)
    saver(folder)(figure, "teacher-stability")


def tables(numbers: Numbers) -> dict[str, str]:
    """The tables of the page, in Markdown."""
    above = f"above 0, of {numbers['replicates']}"
    lengths = [["n_max", "MinOver", "stability", above, "Rosenblatt", "stability", above]]
    for row in numbers["lengths"]:
        cells = [f"{row['n_max']}"]
        for k in range(2):
            cells += [f"{row['mean'][k]:.3f}", f"{row['stability'][k]:.3f}", f"{row['positive'][k]}"]
        lengths.append(cells)
    points = [["alpha", "MinOver", "mean of students", "gain", "theory: Bayes", "Gibbs"]]
    for row in numbers["bayes"]:
        gain = f"{row['gain']:.4f} ± {row['gain_sem']:.4f}"
        theory = [f"{row['theory'][name]:.4f}" for name in ("bayes", "gibbs")]
        points.append(
            [f"{row['alpha']:g}", f"{row['minover']:.4f}", f"{row['mean_of_students']:.4f}", gain, *theory]
        )
    return {"lengths": markdown(lengths), "bayes": markdown(points)}


def filled(page: str, numbers: Numbers) -> str:
    """The page with these tables in their places."""
    for name, text in tables(numbers).items():
        begin, end = f"<!-- table: {name} -->\n", "<!-- end -->"
        before, rest = page.split(begin)
        page = before + begin + text + "\n" + rest[rest.index(end) :]
    return page


def main() -> None:
    """Numbers, figure and tables."""
    started = perf_counter()
    smoke = sys.argv[1:] == ["--smoke"]
    folder = Path(tempfile.mkdtemp()) if smoke else HERE
    page = folder / "perceptron.md" if smoke else PAGE
    numbers: Any = study(3 if smoke else REPLICATES)
    draw(numbers, folder)
    (folder / "stabilities.json").write_text(json.dumps(numbers) + "\n", encoding="utf-8")
    page.write_text(filled(PAGE.read_text(encoding="utf-8"), numbers), encoding="utf-8")
    print(f"{perf_counter() - started:.1f} s; written to {folder} and {page}")


if __name__ == "__main__":
    main()
