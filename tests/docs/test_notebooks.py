"""The notebooks run without a warning, say what their text says of them, and are stored as they run."""

import ast
import base64
import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import page
import pytest
import rescorla as rw

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
STEMS = [path.stem for path in NOTEBOOKS]

# A process of its own: what runs notebooks leaves sockets to the garbage collector, which warns of them.
RUN = """
import json, sys
from pathlib import Path
import execute
json.dump(execute.run(Path(sys.argv[1]), sys.argv[2:]), sys.stdout)
"""

# What is asked of each after its last cell.
ASKED = {
    "conditioning-class": [
        "curve.tolist()",
        "mixed['light', 'food']",
        "[recorded[cue, 'shock'][-1] for cue in ('noise', 'light')]",
        "{name: end['light', 'shock'] for name, end in ends.items()}",
        "[shared[cue, 'shock'] for cue in ('noise', 'light')]",
    ],
    "rules-class": [
        "{rule: weights[-1] for rule, weights in table.items()}",
        "recorded.saliences[[40, -1], 0].tolist()",
        "{rule: rw.learn(backward, rule=rule, **rates)['tone', 'food'] for rule in rules}",
    ],
    "scikit-learn": [
        "auc",
        "[word for _, word, _ in ranked[:8]]",
        "[kind for _, _, kind in ranked[:8]]",
        "dict(strongest)",
        "areas",
        "search.best_params_['countvectorizer__ngram_range']",
        "len(names)",
    ],
    "text-to-weights": [
        "len(spellings)",
        "right(guessed)",
        "right(guessed_folded)",
        "right_stems",
        "sum('ing' in word for word in weights.outcomes)",
        "weights['ing', 'king'] / weights['kin', 'king']",
        "weights.top(outcome='kingdom', n=1)[0][0]",
        "sorted(set(held_back) & set(seen.outcomes))",
        "[cue for cue in rw.ortho_coding(['vp'], 3)[0] if cue in weights.cues]",
    ],
}


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def run(path: Path, ask: Sequence[str] = ()) -> tuple[Any, dict[str, Any]]:
    """A notebook after a run, and what was asked of it."""
    paths = [str(FOLDER), str(Path(rw.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path), *ask],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    notebook, values = json.loads(done.stdout)
    return nbformat.from_dict(notebook), values  # type: ignore[no-untyped-call]


@functools.cache
def ran(stem: str) -> tuple[Any, dict[str, Any]]:
    """One of the notebooks, after the one run of it that all tests have."""
    path = next(path for path in NOTEBOOKS if path.stem == stem)
    return run(path, ASKED[stem])


def claims(stem: str) -> list[Any]:
    return list(ran(stem)[1].values())


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def streams(notebook: Any, name: str) -> list[str]:
    """What each cell has written."""
    return [
        "".join(each.text for each in cell.outputs if each.output_type == "stream" and each.name == name)
        for cell in code(notebook)
    ]


def shown(notebook: Any) -> list[list[str]]:
    """What each cell has shown as text: no pictures, and not how long something took and on what machine."""
    return [
        [
            re.sub("<details>.*?</details>", "", text, flags=re.DOTALL)
            for output in cell.outputs
            for kind, text in sorted(output.get("data", {}).items())
            if "image/png" not in output.data and kind.startswith("text/")
        ]
        for cell in code(notebook)
    ]


def drawn(cell: Any) -> list[str]:
    """The pictures of a cell."""
    return [output.data["image/png"] for output in cell.outputs if "image/png" in output.get("data", {})]


def test_each_is_asked_for_what_it_claims() -> None:
    assert sorted(ASKED) == STEMS
    assert len(STEMS) == 4


@pytest.mark.parametrize("stem", STEMS)
def test_it_runs_without_a_warning(stem: str) -> None:
    notebook, _ = ran(stem)
    assert not any(streams(notebook, "stderr"))
    assert len(code(notebook)) >= 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_what_a_run_gives(path: Path) -> None:
    stored, (new, _) = read(path), ran(path.stem)
    again = "run python docs/notebooks/execute.py"
    assert streams(stored, "stdout") == streams(new, "stdout"), again
    assert shown(stored) == shown(new), again
    assert [cell.execution_count for cell in code(stored)] == list(range(1, 1 + len(code(stored))))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pictures_are_stored_small_and_described(path: Path) -> None:
    assert path.stat().st_size < 300_000
    for stored, new in zip(code(read(path)), code(ran(path.stem)[0]), strict=True):
        pictures = drawn(stored)
        assert len(pictures) == len(drawn(new))
        assert bool(pictures) == bool(stored.metadata.get("alt"))
        for picture in pictures:
            assert base64.b64decode(picture).startswith(b"\x89PNG")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_needs_what_an_extra_brings_and_fits_a_page(path: Path) -> None:
    sources = [cell.source for cell in code(read(path))]
    imported = {
        (node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert "rescorla" in imported
    assert imported <= {"re", "rescorla", "matplotlib", "sklearn"}
    # The site and code hosts show so much of a line.
    assert max(len(line) for source in sources for line in source.splitlines()) <= 80


def test_letters_tell_words_in_old_spelling_and_stems() -> None:
    n, plain, folded, stems, with_ing, part, best, leaked, known = claims("text-to-weights")
    assert n == 59
    assert plain == pytest.approx(24 / 59)
    assert folded == pytest.approx(31 / 59)
    assert stems == pytest.approx(37 / 63)
    assert with_ing == 101
    assert part < 0.5
    assert best == "ngd"
    assert leaked == []
    assert known == []


def test_conditioning_is_as_the_class_says() -> None:
    curve, mixed, last, ends, shared = claims("conditioning-class")
    assert curve[1:41] == pytest.approx([1 - 0.91**n for n in range(1, 41)])
    assert curve[80] == pytest.approx(curve[40] * 0.91**40)
    assert mixed == pytest.approx(0.5)
    assert last == pytest.approx([0.75, 0.25], abs=0.005)
    assert shared == pytest.approx([0.75, 0.25])
    assert ends["blocking group"] == pytest.approx(0.0, abs=1e-9)
    assert ends["control group"] == pytest.approx(0.5)
    printed = "".join(streams(ran("conditioning-class")[0], "stdout"))
    assert "blocking group: light 0.01, equilibrium 0.00\n" in printed
    assert "control group: light 0.50, equilibrium 0.50\n" in printed


def test_the_answers_of_the_exercises_are_right() -> None:
    path = next(path for path in NOTEBOOKS if path.stem == "conditioning-class")
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    answers = re.findall(r"(?m)^\d\. (.*)$", text.partition("What you should find")[2])
    learn = functools.partial(rw.learn, alpha=0.3, beta=0.3)
    long = rw.read_events([("light", "food", 200)])
    fast, slow = (
        (rw.trajectories(long, [("light", "food")], alpha=alpha, beta=0.3)["light", "food"] > 0.9).argmax()
        for alpha in (0.3, 0.1)
    )
    assert answers[0] == f"After {fast} trials; with alpha = 0.1, after {slow}."

    apart = [("light", "food", 40), ("noise", "food", 40)]
    before = learn(apart).column("food")
    after = learn([*apart, ("light_noise", "food", 40)]).column("food")
    assert before[0] == before[1]
    assert after[0] == after[1]
    assert f"from {before[0]:.2f} towards {after[0]:.2f}:" in answers[1]

    in_turn = learn([("light", "food"), ("light_noise", "")] * 200)
    light, noise = in_turn.column("food")
    assert f"light goes to {light:.2f} and the noise to {noise:.2f}." in answers[2]

    first = learn([("noise", "shock", 40)])
    second = learn([("noise_light", "shock", 40)], initial=first, lambda_=2.0)
    assert f"{second['light', 'shock']:.2f}." in answers[3]
    new = 2 - first["noise", "shock"]
    assert second["light", "shock"] == pytest.approx(new / 2, abs=0.01)

    exposed = learn([("light", "", 40), ("light", "food", 40)])
    assert exposed["light", "food"] == learn([("light", "food", 40)])["light", "food"]
    assert answers[4].startswith("No.")

    lights = [("light", "food", 20), ("light", "", 20)]
    for rest, light, box in (([("", "food", 20), ("", "", 20)], 0.0, 0.5), ([("", "", 40)], 0.5, 0.0)):
        end = rw.equilibrium(rw.read_events([*lights, *rest], background="box"))
        assert end.column("food") == pytest.approx([box, light], abs=1e-9)
    assert answers[5] == "The light has 0.00, since the box says as much; then 0.50, and the box 0.00."


def test_letters_tell_names() -> None:
    auc, words, kinds, weights, areas, runs, n = claims("scikit-learn")
    assert n == 85
    assert auc == pytest.approx(0.92, abs=0.005)
    assert runs == [2, 3]
    assert "judaea" in words
    assert kinds.count("name") >= 6
    assert weights["ae"] > 0 > weights["oo"]
    assert areas[-1] > 0.9 > areas[0]


def of_cells(folder: Path, *sources: str) -> Path:
    """A notebook of these cells."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]  # type: ignore[no-untyped-call]
    path = folder / "some.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)  # type: ignore[no-untyped-call]
    return path


def test_this_python_runs_them_and_ends_with_them(tmp_path: Path) -> None:
    path = of_cells(tmp_path, "import os, sys\nimport rescorla as rw", "print(1)", "2")
    asked = ["sys.executable", "rw.__file__", "os.environ.get('MPLBACKEND')", "os.getpid()"]
    notebook, found = run(path, asked)
    executable, package, backend, process = found.values()
    assert Path(executable).samefile(sys.executable)
    assert package == rw.__file__
    assert backend != "Agg"  # No figure would be shown.
    assert streams(notebook, "stdout") == ["", "1\n", ""]
    assert shown(notebook) == [[], [], ["2"]]
    if os.name == "posix":
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_a_warning_is_seen_and_an_error_raised(tmp_path: Path) -> None:
    deprecated = "import warnings\nwarnings.warn('old', DeprecationWarning)"
    overshoots = "import rescorla as rw\nweights = rw.learn([('a', 'x')], alpha=1.0, beta=3.0)"
    written = streams(run(of_cells(tmp_path, deprecated, overshoots, "1"))[0], "stderr")
    assert "old" in written[0]
    assert "beta" in written[1]
    assert written[2] == ""
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run(of_cells(tmp_path, "1 / 0"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_page_has_all_of_it(path: Path) -> None:
    notebook = read(path)
    made = page.page(notebook, path.name)
    assert re.match(r"# [A-Z]", made)
    assert made.count(f"]({path.name}){{download}}") == 1
    for cell in notebook.cells:
        text = cell.source.replace("<details>", '<details markdown="1">')
        assert text.removesuffix(";") in made
        for output in cell.get("outputs", []):
            said = output.get("text") or output.data.get("text/html") or ""
            assert said.rstrip() in made
            if "image/png" in output.get("data", {}):
                assert f'<p><img alt="{cell.metadata.alt}" src="data:image/png;base64,iVBOR' in made
    assert made.count("````python\n") == len(code(notebook))
    assert "<Figure" not in made


def test_links_to_notebooks_are_to_their_pages_on_the_site() -> None:
    told = "[a](../notebooks/text-to-weights.ipynb) `x.ipynb` [b](c.md) [d](e.ipynb){download}"
    made = page.on_page_markdown(told, page=None, config=None, files=None)
    assert made == told.replace("text-to-weights.ipynb", "text-to-weights.md")


def test_the_site_has_a_page_of_each() -> None:
    site = (Path(__file__).parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    assert sorted(re.findall(r"notebooks/([\w-]+)\.md", site)) == STEMS


def test_the_class_on_rules_says_what_happens() -> None:
    ends, salience, backward = claims("rules-class")
    assert ends["hybrid"] < ends["mackintosh"] < ends["rescorla_wagner"] == ends["van_hamme_wasserman"]
    # Of Mackintosh's tone: while the light comes alone, and at the end.
    assert salience == pytest.approx([0.9, 0.05])
    assert min(backward, key=backward.get) == "van_hamme_wasserman"
