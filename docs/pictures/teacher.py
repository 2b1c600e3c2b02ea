"""Netz and Pannetier's experiment, "Learning a rule": the figures and tables of howto/perceptron.md.

    python docs/pictures/teacher.py

writes the figures teacher-stop.svg and teacher-students.svg, all numbers as teacher.json, and the tables into
the page. `--smoke` does all of it for a few points, and writes into a temporary folder.
"""

import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import rescorla as rw

sys.path.insert(0, str(Path(__file__).parents[1] / "paper"))
from canvas import COLOURS, panels, plain, saver

HERE = Path(__file__).parent
PAGE = HERE.parent / "howto" / "perceptron.md"
SIZES = (10, 20, 100)
ALPHAS = tuple(tenth / 10 for tenth in range(1, 51))
REPLICATES = 100
STOP = 0.005
SEED = 1
STUDENTS = ("minover", "rosenblatt", "rosenblatt_random", "adatron", "least_squares", "hebb")
NAMES = {
    "minover": "MinOver",
    "rosenblatt": "Rosenblatt",
    "rosenblatt_random": "Rosenblatt, random start",
    "adatron": "AdaTron",
    "least_squares": "least squares",
    "hebb": "Hebb",
}
SHOWN = (0.5, 1.0, 2.0, 5.0)
Numbers = dict[str, Any]


def study(
    sizes: tuple[int, ...] = SIZES, alphas: tuple[float, ...] = ALPHAS, replicates: int = REPLICATES
) -> Numbers:
    """Every student on the same draws, to t_max; and MinOver with the published stop."""
    known: Numbers = {"replicates": replicates, "seed": SEED}
    full = rw.perceptrons.teacher_student(sizes, alphas, students=STUDENTS, **known)
    stopped = rw.perceptrons.teacher_student(sizes, alphas, students=["minover"], stop=STOP, **known)
    theory = {name: rounded(full.theory(name)) for name in (*STUDENTS, "bayes", "gibbs")}
    return {
        "N": list(sizes),
        "alpha": list(alphas),
        "students": list(STUDENTS),
        "replicates": replicates,
        "theory": {name: curve for name, curve in theory.items() if None not in curve},
        "full": table(full),
        "stopped": table(stopped),
    }


def table(found: rw.perceptrons.TeacherStudent) -> Numbers:
    """Means, standard errors and mean steps: sizes x alphas x students."""
    return {
        "mean": rounded(found.mean),
        "sem": rounded(found.sem),
        "steps": rounded(found.steps.mean(axis=3)),
    }


def rounded(values: Any) -> Any:
    """To what is worth keeping, as lists; None for NaN."""
    if np.ndim(values) > 0:
        return [rounded(value) for value in values]
    return None if np.isnan(values) else float(f"{values:.6g}")


def draw(numbers: Numbers, folder: Path) -> None:
    """The two figures."""
    save = saver(folder)
    alphas, theory = np.array(numbers["alpha"]), numbers["theory"]
    figure, [axes] = panels(1, 2, (9, 3.8), sharex=True, sharey=True)
    for ax, key, title in zip(
        axes,
        ("stopped", "full"),
        (f"as published: stop where the error changes by {STOP} or less", "to the end: 100 P steps"),
        strict=True,
    ):
        for i, n in enumerate(numbers["N"]):
            mean, sem = (np.array(numbers[key][what])[i, :, 0] for what in ("mean", "sem"))
            ax.plot(alphas, mean, label=f"N = {n}")
            ax.fill_between(alphas, mean - sem, mean + sem, alpha=0.3, linewidth=0)
        ax.plot(alphas, theory["minover"], "k--", linewidth=1, label="theory, greatest stability")
        ax.set_title(title, fontsize=9)
        ax.set_xlabel("examples per feature, alpha")
        plain(ax)
    axes[0].set_ylabel("generalisation error")
    axes[0].set_ylim(0, 0.52)
    axes[0].legend(frameon=False)
    save(figure, "teacher-stop")
    figure, [[ax]] = panels(1, 1, (7, 4.8))
    for k, student in enumerate(numbers["students"]):
        mean, sem = (np.array(numbers["full"][what])[-1, :, k] for what in ("mean", "sem"))
        ax.errorbar(alphas, mean, sem, fmt=".", markersize=3, color=COLOURS[k], label=NAMES[student])
        if student in theory and student != "adatron":
            ax.plot(alphas, theory[student], color=COLOURS[k], linewidth=0.8)
    ax.plot(alphas, theory["bayes"], "k:", linewidth=1, label="the best there is (Bayes)")
    ax.set_xlabel("examples per feature, alpha")
    ax.set_ylabel("generalisation error")
    ax.set_title(f"N = {numbers['N'][-1]}; lines: theory", fontsize=9)
    ax.set_ylim(0, 0.52)
    ax.legend(frameon=False)
    plain(ax)
    save(figure, "teacher-students")


def tables(numbers: Numbers) -> dict[str, str]:
    """The tables of the page, in Markdown."""
    places = [numbers["alpha"].index(alpha) for alpha in SHOWN if alpha in numbers["alpha"]]
    sizes = [f"N = {n}" for n in numbers["N"]]
    stop = [["alpha", *sizes, *(f"{size}, to the end" for size in sizes)]]
    students = [["alpha", *(NAMES[student] for student in numbers["students"])]]
    for place in places:
        alpha = f"{numbers['alpha'][place]:g}"
        rows = [*numbers["stopped"]["mean"], *numbers["full"]["mean"]]
        stop.append([alpha, *(f"{row[place][0]:.3f}" for row in rows)])
        cells = []
        for k, student in enumerate(numbers["students"]):
            expected = numbers["theory"].get(student)
            theory = "" if expected is None else f" ({expected[place]:.3f})"
            cells.append(f"{numbers['full']['mean'][-1][place][k]:.3f}{theory}")
        students.append([alpha, *cells])
    return {"stop": markdown(stop), "students": markdown(students)}


def markdown(rows: list[list[str]]) -> str:
    """Rows of cells, the first of them the heads."""
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def filled(page: str, numbers: Numbers) -> str:
    """The page with these tables in their places."""
    for name, text in tables(numbers).items():
        begin, end = f"<!-- table: {name} -->\n", "<!-- end -->"
        before, rest = page.split(begin)
        page = before + begin + text + "\n" + rest[rest.index(end) :]
    return page


def main() -> None:
    started = perf_counter()
    if sys.argv[1:] == ["--smoke"]:
        folder = Path(tempfile.mkdtemp())
        numbers, page = study((10, 20), (0.5, 1.0, 2.0), 3), folder / "perceptron.md"
    else:
        folder, numbers, page = HERE, study(), PAGE
    draw(numbers, folder)
    (folder / "teacher.json").write_text(json.dumps(numbers) + "\n", encoding="utf-8")
    page.write_text(filled(PAGE.read_text(encoding="utf-8"), numbers), encoding="utf-8")
    print(f"{perf_counter() - started:.1f} s; written to {folder} and {page}")


if __name__ == "__main__":
    main()
