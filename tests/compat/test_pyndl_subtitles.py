"""`rescorla.compat.pyndl.corpus` beside pyndl's: the same text from subtitles."""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from beside_pyndl import REASON, beside, case, raised

pyndl = pytest.importorskip("pyndl", reason=REASON)

from pyndl import corpus as theirs  # noqa: E402
from rescorla.compat.pyndl import corpus as ours  # noqa: E402

WORDS = ["Oh", ".", "!", "'", "s", "(", "é", "a b", "<&>", " ", "?!", "日本"]


def clock(seconds: float, frames: int) -> str:
    """A time in frames, which both read alike."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}:{frames:02}"


def film(rng: random.Random) -> str:
    """Subtitles as OpenSubtitles has them."""
    now, parts = 0.0, ['<?xml version="1.0" encoding="utf-8"?>\n<document id="1">']
    for number in range(rng.randint(0, 12)):
        parts.append(f'<s id="{number}">')
        for kind in rng.choice(["S", "SE", "E", "", "SES"]):
            now += rng.choice([0, 1, 2, 2, 5, 6, 70])
            parts.append(f'<time id="T{number}{kind}" value="{clock(now, rng.randrange(30))}" />')
        parts += [f"<w>{escape(rng.choice(WORDS))}</w>" for _ in range(rng.randint(0, 4))]
        parts.append(rng.choice(["", "<i><w>not read</w></i>"]) + "</s>")
    return "".join(parts) + "</document>"


def save(path: Path, content: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(content)
    return str(path)


def test_create_corpus_from_gz_writes_the_text_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            folder = tmp_path / f"films{seed}"
            folder.mkdir()
            for n in range(rng.randint(0, 4)):
                save(folder / rng.choice(["", "a", "b/c"]) / f"{n}.xml.gz", film(rng))
            (folder / "other.xml").write_text("not read")
            out = tmp_path / f"ours{seed}", tmp_path / f"theirs{seed}"
            ours.create_corpus_from_gz(str(folder), str(out[0]), n_threads=rng.choice([1, 1, 2]))
            beside(theirs.create_corpus_from_gz, str(folder), str(out[1]), n_threads=1)
            assert out[0].read_bytes() == out[1].read_bytes()


# Subtitles that are none.
WRONG = {
    "no text": "<d><s><w></w></s></d>",
    "a time of another kind": '<d><s><time id="T1X" value="00:00:01:00"/><w>a</w></s></d>',
    "no time": '<d><s><time id="T1S" value="now"/><w>a</w></s></d>',
}


@pytest.mark.parametrize("wrong", WRONG)
def test_subtitles_that_pyndl_refuses_are_refused(wrong: str, tmp_path: Path) -> None:
    save(tmp_path / "films" / "film.xml.gz", WRONG[wrong])
    found, expected = (
        raised(module.create_corpus_from_gz, str(tmp_path / "films"), str(tmp_path / out), n_threads=1)
        for module, out in ((ours, "ours"), (theirs, "theirs"))
    )
    assert isinstance(found, type(expected)), (found, expected)
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize(("folder", "out"), [("missing", "out"), (".", "there")])
def test_paths_that_pyndl_refuses_are_refused(
    folder: str, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").write_text("old")
    found, expected = (raised(module.create_corpus_from_gz, folder, out) for module in (ours, theirs))
    assert isinstance(found, type(expected)), (found, expected)
    assert Path("there").read_text() == "old"
