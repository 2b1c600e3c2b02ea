"""Data to try things on: they are what their documentation says."""

import gzip
import lzma
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla import datasets
from rescorla.datasets import _bible


def whole() -> list[str]:
    """As many lines as the Bible has verses, each with its book and its number."""
    return [f"{book} {verse + 1}" for book, n in _bible._BOOKS.items() for verse in range(n)]


# The King James Bible.


def test_mark_comes_with_the_package() -> None:
    verses = datasets.king_james()
    assert verses == datasets.king_james(book="Mark")
    assert verses[-1].endswith("confirming the word with signs following. Amen.")
    assert files("rescorla.datasets").joinpath("mark.txt.gz").is_file()


def test_mark_is_that_of_the_whole(shared: Path) -> None:
    path = shared / "data" / "kjv.txt.xz"
    assert datasets.king_james(path, book="Mark") == datasets.king_james()
    assert len(datasets.king_james(path)) == 31_102
    first = {book: datasets.king_james(path, book=book)[0] for book in ("Genesis", "Psalms", "3 John")}
    assert first["Genesis"].startswith("In the beginning God created")
    assert first["Psalms"].startswith("Blessed is the man that walketh not")
    assert first["3 John"].startswith("The elder unto the wellbeloved Gaius")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_the_whole_is_read_packed_or_not(pack: Any, tmp_path: Path) -> None:
    path = tmp_path / "bible"
    path.write_bytes(pack(("\n\n".join(whole()) + "\n").encode("utf-8-sig")))
    assert datasets.king_james(str(path)) == whole()


def test_every_book_is_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "bible.txt"
    path.write_text("\n".join(whole()), encoding="utf-8")
    assert len(_bible._BOOKS) == 66
    for book, n in list(_bible._BOOKS.items())[::13]:
        assert datasets.king_james(path, book=book) == [f"{book} {verse + 1}" for verse in range(n)]


def test_what_is_wrong_with_the_bible_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="book must be 'Mark', which alone comes with rescorla, not 'Luke'"):
        datasets.king_james(book="Luke")
    with pytest.raises(ValueError, match=r"one of the 66 books.*not 'Genisis'; did you mean 'Genesis'\?"):
        datasets.king_james(book="Genisis")
    path = tmp_path / "text.txt"
    with pytest.raises(FileNotFoundError):
        datasets.king_james(path)
    path.write_text("a line\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"text\.txt: expected 31,102 lines, a verse in each, found 1; of"):
        datasets.king_james(path)
    with pytest.raises(ValueError, match="book must be"):
        datasets.king_james(book=1)  # type: ignore[arg-type]


# Plants and plurals.


def test_blue_comes_with_red_and_does_nothing() -> None:
    events = datasets.plants()
    assert (len(events), events.n_tokens) == (8, 32)
    weights = rw.equilibrium(events)
    np.testing.assert_allclose(weights.column("flower"), [0.25, 0.5, 0.0], atol=1e-12)
    np.testing.assert_allclose(weights.column("bare"), [0.75, -0.5, 0.0], atol=1e-12)
    flowers = {True: 0, False: 0}
    for event in events:
        flowers["blue" in event.cues] += event.frequency * ("flower" in event.outcomes)
    assert flowers == {True: 10, False: 6}


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True))
def test_each_noun_has_a_singular_and_a_plural(grams: list[int]) -> None:
    events = datasets.plurals(grams)
    assert (len(events), events.n_outcomes) == (64, 33)
    for singular, plural in zip(events[::2], events[1::2], strict=True):
        assert len(singular.outcomes) == 1
        assert plural.outcomes == (*singular.outcomes, "plural")
        [word] = singular.outcomes
        assert singular.cues == tuple(dict.fromkeys(rw.ortho_coding([word], grams)[0]))
        assert word not in {"sheep", "fish"} or plural.cues == singular.cues
    assert datasets.plurals(grams[0]).cues == datasets.plurals(grams[:1]).cues


def test_a_new_word_is_a_plural() -> None:
    weights = rw.learn(datasets.plurals().passes(10, seed=1), alpha=0.1, beta=0.1)
    cue_sets = rw.ortho_coding(["wugs", "wug"])
    [wugs, wug] = rw.activations(cue_sets, weights, outcomes=["plural"], unknown="ignore")
    assert wugs > 0.5 > 0 > wug


def test_data_are_loaded_when_asked_for() -> None:
    code = (
        "import sys, rescorla as rw; assert 'rescorla.datasets' not in sys.modules; rw.datasets.king_james()"
    )
    loaded = "assert not {'pandas', 'xarray', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"{code}; {loaded}"], check=True)
