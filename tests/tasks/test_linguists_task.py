"""A linguist's task, done with what the docs say and nothing else, in Python and on the command line.

From raw text to a picture of the strongest cues, and to the words that unseen forms are taken for: words in
old spelling, and inflected forms that were held back.
"""

import csv
import lzma
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import rescorla as rw
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import imread

PAGES = Path(__file__).parents[2] / "docs" / "howto"

# Words as they were spelt in 1611, and as they are now.
OLD = """
sonne son, vp up, sinnes sins, vnto unto, iudea judaea, riuer river, iordane jordan, iohn john, haire hair,
loines loins, wilde wild, honie honey, commeth cometh, shooes shoes, downe down, haue have, hee he,
passe pass, daies days, iesus jesus, heauens heavens, doue dove, vpon upon, kingdome kingdom,
beleeue believe, sicke sick, deuils devils, euill evil, giue give, euery every, loue love, liue live,
heauen heaven, seuen seven, seruant servant, saue save, goe go, eate eat, worke work, booke book,
iudgement judgment, blinde blind, bloud blood, diuers divers, foorth forth, ouer over, onely only,
owne own, twelue twelve, tooke took, neere near, beganne began, againe again, mightie mighty,
himselfe himself, wildernesse wilderness, multitudes multitude, themselues themselves,
forgiuenesse forgiveness
"""
ENDINGS = ("eth", "est", "ing", "ed", "es", "s")


class Text:
    """A text, how many of its words are outcomes, and what share of unseen forms is found at least."""

    def __init__(self, path: Path, most: int | None, old: float, stems: float) -> None:
        self.path, self.most, self.old, self.stems = path, most, old, stems
        words = rw.corpus_events(path, symbols="a-z").filter(max_outcomes=most).outcomes
        known = set(words)
        self.spellings = {
            form: word
            for form, word in (pair.split() for pair in OLD.split(","))
            if word in known and form not in known
        }
        # Inflected forms of known words, by rule of thumb; every fourth is held back.
        self.stem_of = {
            word: stem
            for word in words
            for ending in ENDINGS
            for stem in (word.removesuffix(ending), word.removesuffix(ending) + "e")
            if word.endswith(ending) and stem != word and len(stem) > 2 and stem in known
        }
        ends = sorted(set(self.stem_of) - set(self.stem_of.values()))
        self.held = [form for form in ends if self.stem_of[form] not in self.stem_of][::4]
        self.forms = {form: self.stem_of[form] for form in self.held}


@pytest.fixture(scope="module", params=["mark", "king james"])
def text(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Text:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    if request.param == "mark":
        path.write_text("\n".join(rw.datasets.king_james()), encoding="utf-8")
        return Text(path, None, old=0.39, stems=0.64)
    shared: Path = request.getfixturevalue("shared")
    with lzma.open(shared / "data/kjv.txt.xz") as packed:
        path.write_bytes(packed.read())
    # The rarest words would make the weights 460 megabytes.
    return Text(path, 3000, old=0.45, stems=0.69)


def share(found: list[str], wanted: dict[str, str]) -> float:
    """How many of the forms were taken for the right word."""
    assert len(found) == len(wanted)
    return sum(map(str.__eq__, found, wanted.values())) / len(wanted)


def guesses(weights: rw.Weights, forms: Iterable[str]) -> list[str]:
    """The most active word of each form, coded as the text was."""
    new = rw.corpus_events([" ".join(forms)], symbols="a-z", outcomes_from=None)
    words, _ = weights.predict(new, unknown="ignore")
    return [str(word) for word in words[:, 0]]


def save(ax: Axes, path: Path) -> None:
    assert isinstance(ax.figure, Figure)
    ax.figure.savefig(path)


def drawn(path: Path) -> tuple[int, int]:
    """Width and height of a PNG file that is not of one colour."""
    assert path.read_bytes().startswith(b"\x89PNG")
    picture = imread(path)
    assert picture[..., :3].std() > 0.05
    height, width = picture.shape[:2]
    return width, height


SHOWN = ["god", "king", "kingdom", "son", "man"]


def test_in_python(text: Text, tmp_path: Path) -> None:
    events = rw.corpus_events(text.path, symbols="a-z").filter(max_outcomes=text.most)
    weights = rw.learn(events, alpha=0.1, beta=0.1)

    # The strongest cues, and a picture of them.
    assert {cue for cue, _ in weights.top(outcome="kingdom", n=4)} <= {
        "ngd",
        "gdo",
        "dom",
        "om#",
        "#ki",
        "kin",
    }
    ax = rw.plot.network(weights, outcomes=SHOWN, n=3)
    save(ax, tmp_path / "network.png")
    assert drawn(tmp_path / "network.png") == (600, 400)
    written = {label.get_text() for label in ax.texts}
    strongest = {cue for word in SHOWN for cue, _, _ in weights[:, [word]].strongest(3)}
    assert written == {*SHOWN, *strongest}
    save(rw.plot.weights(weights, outcomes=SHOWN, n=15), tmp_path / "map.png")
    assert drawn(tmp_path / "map.png") == (600, 405)

    # Words that the text does not have: old spellings, and forms that were held back.
    old = share(guesses(weights, text.spellings), text.spellings)
    seen = rw.corpus_events(
        text.path, symbols="a-z", outcomes_from=text.stem_of, unknown="keep", stop_words=text.held
    ).filter(max_outcomes=text.most)
    assert not set(text.held) & set(seen.outcomes)
    stems = share(guesses(rw.learn(seen, alpha=0.1, beta=0.3), text.forms), text.forms)
    assert old >= text.old
    assert stems >= text.stems


def rescorla(folder: Path, *told: object) -> list[list[str]]:
    """Runs a command in a folder; the lines of its output, split at tabs."""
    done = subprocess.run(
        [sys.executable, "-m", "rescorla", *map(str, told)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_on_the_command_line(text: Text, tmp_path: Path) -> None:
    rare = [] if text.most is None else ["--max-outcomes", text.most]
    rescorla(tmp_path, "events", text.path, "--symbols", "a-z", *rare, "-o", "text.rw")
    rescorla(tmp_path, "learn", "text.rw", "--alpha", 0.1, "--beta", 0.1, "-o", "text.npz")
    weights = rw.load_weights(tmp_path / "text.npz")

    # The strongest cues, a picture of them, and a table for other programs.
    top = rescorla(tmp_path, "top", "text.npz", "--outcome", "kingdom", "-n", 4, "--by", "value")
    assert [(cue, outcome) for cue, outcome, _ in top] == [
        (cue, "kingdom") for cue, _ in weights.top(outcome="kingdom", n=4)
    ]
    rescorla(tmp_path, "plot", "text.npz", "-o", "n.png", "--kind", "network", "--outcomes", *SHOWN, "-n", 3)
    rescorla(tmp_path, "plot", "text.npz", "-o", "map.png", "--outcomes", *SHOWN, "-n", 15)
    assert drawn(tmp_path / "n.png") == (900, 600)
    assert drawn(tmp_path / "map.png") == (900, 607)
    cues = [cue for cue, *_ in top]
    rescorla(tmp_path, "export", "text.npz", "-o", "some.csv", "--cues", *cues, "--outcomes", *SHOWN)
    with (tmp_path / "some.csv").open(encoding="utf-8", newline="") as table:
        (_, *names), *rows = csv.reader(table)
    assert names == SHOWN
    assert {cue: list(map(float, row)) for cue, *row in rows} == {
        cue: weights[cue, SHOWN].tolist() for cue in cues
    }

    # Words that the text does not have.
    def asked(forms: dict[str, str], file: str) -> list[str]:
        (tmp_path / "new.txt").write_text("\n".join(forms), encoding="utf-8")
        rescorla(tmp_path, "events", "new.txt", "--symbols", "a-z", "-o", "new.rw")
        lines = rescorla(tmp_path, "activations", "new.rw", file, "--unknown", "ignore", "--top", 1)
        return [word for _, word, *_ in lines]

    found = asked(text.spellings, "text.npz")
    assert share(found, text.spellings) >= text.old
    in_python = guesses(weights, text.spellings)
    assert all(one in (other, "(no known cue)") for one, other in zip(found, in_python, strict=True))
    assert found[list(text.spellings).index("vp")] == "(no known cue)"

    (tmp_path / "held.txt").write_text("\n".join(text.held), encoding="utf-8")
    table_of = "".join(f"{form}\t{stem}\n" for form, stem in text.stem_of.items())
    (tmp_path / "stems.tab").write_text(table_of, encoding="utf-8")
    words = ["--symbols", "a-z", "--outcomes-from", "@stems.tab", "--unknown-words", "keep"]
    rescorla(tmp_path, "events", text.path, *words, "--stop-words", "held.txt", *rare, "-o", "stems.rw")
    rescorla(tmp_path, "learn", "stems.rw", "--alpha", 0.1, "--beta", 0.3, "-o", "stems.npz")
    assert share(asked(text.forms, "stems.npz"), text.forms) >= text.stems


def test_the_pages_say_how() -> None:
    needed = {
        "text": [
            "corpus_events",
            "symbols=",
            "outcomes_from=None",
            "outcomes_from=lemmas",
            "stop_words=",
            "unknown=",
        ],
        "datasets": ["king_james()", ".top(outcome="],
        "eventtools": ["max_outcomes=", "--max-cues"],
        "weights": [".predict(", "strongest(", 'unknown="ignore"'],
        "plots": ["rw.plot.network", "rw.plot.weights", "savefig", "outcomes=", "n="],
        "command-line": [
            *("rescorla learn", "rescorla top", "rescorla plot", "rescorla export", "rescorla activations"),
            *("--symbols", "--unknown ignore", "--top", "--kind network", "--by value", "--stop-words"),
            *("--outcomes-from @", "--unknown-words keep", "--outcomes"),
        ],
    }
    for name, words in needed.items():
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert [word for word in words if word not in page] == [], name
