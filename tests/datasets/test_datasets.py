"""Data to try things on: they are what their documentation says, and R's tables come back as they were."""

import gzip
import lzma
import math
import os
import re
import shutil
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


# What R wrote.


def cell(value: Any) -> str:
    """A value as write.csv writes it."""
    if value is None:
        return "NA"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    # R gives fifteen digits.
    return repr(value) if isinstance(value, int) else f"{value:.15g}"


# Text that UTF-8 can say; R has no NUL.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
WORDS = st.sampled_from(["None", "NA", "", "TRUE", "1", "a_b", 'a "b", c', "ä\nö", "š"])
KINDS = {
    "str": st.one_of(WORDS, TEXTS),
    "int": st.integers(-(2**31) + 1, 2**31 - 1),
    "float": st.one_of(st.floats(allow_nan=False, width=32), st.just(0.5)),
    "bool": st.booleans(),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, list[Any]]]:
    """Columns with the kinds of their entries, some of which are missing."""
    n = draw(st.integers(1, 6))
    names = draw(st.lists(TEXTS.filter(bool), min_size=1, max_size=4, unique=True))
    kinds = {name: draw(st.sampled_from(list(KINDS))) for name in names}
    entries = {
        name: draw(st.lists(st.one_of(st.none(), KINDS[kind]), min_size=n, max_size=n))
        for name, kind in kinds.items()
    }
    return kinds, entries


@given(tables(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_table_comes_back_as_it_was(
    folder: Path, table: tuple[dict[str, str], dict[str, list[Any]]], end: str, row_names: bool
) -> None:
    kinds, columns = table
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    named = [[*(["" if n == 0 else str(n)] if row_names else []), *row] for n, row in enumerate(rows)]
    text = "".join(",".join(map(cell, row)) + end for row in named)
    (folder / "drawn.csv").write_bytes(text.encode())
    found = datasets.from_r("ours", "drawn", folder=folder)
    assert list(found) == list(columns)
    for name, entries in columns.items():
        given_ = [entry for entry in entries if entry is not None]
        if kinds[name] == "str" or not given_:
            assert found[name].tolist() == entries
            assert found[name].dtype == object
        elif kinds[name] == "bool":
            assert found[name].tolist() == entries
            assert found[name].dtype == (bool if len(given_) == len(entries) else object)
        else:
            expected = [math.nan if entry is None else float(cell(entry)) for entry in entries]
            np.testing.assert_array_equal(found[name], expected)
            if kinds[name] == "int":
                assert found[name].dtype == (np.int64 if len(given_) == len(entries) else np.float64)


def test_what_is_quoted_is_a_word(tmp_path: Path) -> None:
    columns = {
        "a": ['say "a", "b"', '"'],
        "n": ["1", None],
        "t": ["TRUE", "FALSE"],
        "x": ["NA", ""],
        "none": [None, None],
    }
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    text = "".join(",".join(map(cell, row)) + "\n" for row in rows)
    assert text.splitlines()[1] == '"say ""a"", ""b""","1","TRUE","NA",NA'
    (tmp_path / "x.csv").write_text(text)
    found = datasets.from_r("ours", "x", folder=tmp_path)
    assert {name: column.tolist() for name, column in found.items()} == columns


def test_tables_of_r(shared: Path) -> None:
    folder = shared / "data" / "ndl"
    think = datasets.from_r("ndl", "think", folder=folder)
    assert (len(think), {len(column) for column in think.values()}) == (27, {3404})
    assert None not in think["Agent"]
    assert "None" in think["Agent"]
    events = rw.factor_events(think, "Lexeme", ["Agent", "Patient"], ignore=["None"])
    assert (events.n_tokens, events.n_outcomes) == (3404, 4)
    dative = datasets.from_r("ndl", "dative", folder=folder)
    assert dative["Speaker"][0] is None
    assert dative["LengthOfTheme"].dtype == np.int64
    serbian = datasets.from_r("ndl", "serbianLex", folder=folder)
    assert serbian["CosineSim"].dtype == np.float64
    assert serbian["IsMasc"][0] == "TRUE"


def test_numbers_that_are_not_quoted_are_words_if_one_is_a_word(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,c,d\n1_2,1e+20,12345678901234567890,\n3,2,1,2024-01-01\n")
    found = datasets.from_r("ours", "x", folder=tmp_path)
    assert found["a"].tolist() == ["1_2", "3"]
    assert found["b"].tolist() == [1e20, 2.0]
    assert found["c"].tolist() == [12345678901234567890.0, 1.0]
    assert found["d"].tolist() == [None, "2024-01-01"]


def test_the_line_of_r_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    expected = (
        'data(think, package = "ndl"); write.csv(think, '
        f'"{tmp_path.as_posix()}/think.csv", row.names = FALSE, fileEncoding = "UTF-8")'
    )
    for folder in (".", tmp_path):
        with pytest.raises(FileNotFoundError, match=re.escape(expected)) as refused:
            datasets.from_r("ndl", "think", folder=folder)
        assert refused.value.filename == str(Path(folder, "think.csv"))


# A package of R that has data, as its packages have them.
PACKAGE = r"""
hard <- data.frame(
  word = c('say "a", "b"', "NA", "", NA, "new\nline", "caf\u00e9 \u0161 \u4e2d", "back\\slash", "1", "TRUE"),
  level = factor(c("None", "x", "y", NA, "x", "y", "x", "None", "NA")),
  some = c(1L, 2L, NA, -4L, 5L, 6L, 7L, 8L, 9L), all = c(1:8, 100000L),
  real = c(0.1, 1 / 3, 1e300, 5e-324, -Inf, Inf, NaN, NA, 123456789.125),
  large = c(1e5, 2, 3, 4, 5, 6, 7, 8, 1e15),
  perhaps = c(TRUE, FALSE, NA, TRUE, FALSE, TRUE, FALSE, TRUE, TRUE), truth = rep(c(TRUE, FALSE, TRUE), 3),
  nothing = rep(NA, 9), "odd name" = letters[1:9], day = as.Date("2020-01-01") + 0:8,
  check.names = FALSE, stringsAsFactors = FALSE)
rownames(hard) <- paste0("row", 1:9)
one.column <- data.frame(x = c("a", NA, ""))
empty <- hard[0, c("word", "all")]
for (name in c("hard", "one.column", "empty"))
  save(list = name, file = file.path("data", paste0(name, ".rda")))
"""
DESCRIPTION = """Package: ours
Version: 1.0
Title: Data
Description: Data.
License: MIT
Author: A
Maintainer: A <a@b.org>
Encoding: UTF-8
"""
needs_r = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("Rscript") is None, reason="needs R, and the locales of Linux"
)


def in_r(code: str, where: Path, locale: str = "C.UTF-8") -> None:
    """Run lines of R, which finds the packages of this folder."""
    (where / "lines.R").write_text(code + "\n", encoding="utf-8")
    environment = os.environ | {"R_LIBS": str(where), "LC_ALL": locale}
    told = ["Rscript", "--vanilla", "lines.R"]
    subprocess.run(told, cwd=where, env=environment, check=True, capture_output=True)


def line_of(package: str, name: str, folder: Path) -> str:
    """What the error says to write in R."""
    with pytest.raises(FileNotFoundError) as refused:
        datasets.from_r(package, name, folder=folder)
    found = re.search(r"write it in R, (.*), or say where", str(refused.value))
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an installed package of R."""
    folder = tmp_path_factory.mktemp("library")
    source = folder / "source" / "ours"
    (source / "data").mkdir(parents=True)
    (source / "DESCRIPTION").write_text(DESCRIPTION)
    (source / "NAMESPACE").write_text("")
    in_r(PACKAGE, source)
    told = ["R", "CMD", "INSTALL", "--no-docs", f"--library={folder}", str(source)]
    subprocess.run(told, check=True, capture_output=True)
    return folder


@needs_r
def test_what_the_line_of_r_writes_comes_back(library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "with \"quotes\", 'blanks'"
    folder.mkdir()
    for name in ("hard", "one.column", "empty"):
        in_r(line_of("ours", name, folder), library)
    found = datasets.from_r("ours", "hard", folder=folder)
    strings = {
        "word": ['say "a", "b"', "NA", "", None, "new\nline", "café š 中", "back\\slash", "1", "TRUE"],
        "level": ["None", "x", "y", None, "x", "y", "x", "None", "NA"],
        "nothing": [None] * 9,
        "odd name": list("abcdefghi"),
        "day": [f"2020-01-0{n}" for n in range(1, 10)],
        "perhaps": [True, False, None, True, False, True, False, True, True],
    }
    for name, expected in strings.items():
        assert (str(found[name].dtype), found[name].tolist()) == ("object", expected)
    nan = math.nan
    numbers = {
        "some": [1, 2, nan, -4, 5, 6, 7, 8, 9],
        "real": [0.1, 0.333333333333333, 1e300, 5e-324, -math.inf, math.inf, nan, nan, 123456789.125],
        "large": [1e5, 2, 3, 4, 5, 6, 7, 8, 1e15],
    }
    for name, values in numbers.items():
        assert found[name].dtype == np.float64
        np.testing.assert_array_equal(found[name], values)
    assert (str(found["all"].dtype), found["all"].tolist()) == ("int64", [*range(1, 9), 100_000])
    assert (str(found["truth"].dtype), found["truth"].tolist()) == ("bool", [True, False, True] * 3)
    # No column of row names.
    assert len(found) == 11
    assert datasets.from_r("ours", "one.column", folder=folder)["x"].tolist() == ["a", None, ""]
    empty = datasets.from_r("ours", "empty", folder=folder)
    assert [(name, str(column.dtype), len(column)) for name, column in empty.items()] == [
        ("word", "object", 0),
        ("all", "object", 0),
    ]


@needs_r
def test_row_names_are_left_out_where_r_wrote_them(library: Path, tmp_path: Path) -> None:
    line = line_of("ours", "hard", tmp_path)
    in_r(line, library)
    expected = datasets.from_r("ours", "hard", folder=tmp_path)
    in_r(line.replace("row.names = FALSE, ", ""), library)
    assert '"row1"' in (tmp_path / "hard.csv").read_text(encoding="utf-8")
    found = datasets.from_r("ours", "hard", folder=tmp_path)
    assert found.keys() == expected.keys()
    for name, column in expected.items():
        # NaN equals itself as text.
        assert str(found[name].tolist()) == str(column.tolist())


@needs_r
def test_data_of_packages_that_load_them_at_once_come_back(library: Path, tmp_path: Path) -> None:
    in_r(line_of("datasets", "airquality", tmp_path), library)
    found = datasets.from_r("datasets", "airquality", folder=tmp_path)
    assert list(found) == ["Ozone", "Solar.R", "Wind", "Temp", "Month", "Day"]
    assert (len(found["Ozone"]), int(np.isnan(found["Ozone"]).sum())) == (153, 37)


@needs_r
def test_letters_that_the_locale_of_r_lacks_are_warned_of(library: Path, tmp_path: Path) -> None:
    in_r(line_of("ours", "hard", tmp_path), library, locale="C")
    message = r"hard.csv, line 8: R wrote <U\+00E9> where there was 'é', .* started with LC_ALL=C.UTF-8"
    with pytest.warns(rw.RescorlaWarning, match=message) as record:
        found = datasets.from_r("ours", "hard", folder=tmp_path)
    assert (len(record), record[0].filename) == (1, __file__)
    assert found["word"][5] == "caf<U+00E9> <U+0161> <U+4E2D>"


def test_letters_that_are_spelled_are_warned_of(tmp_path: Path) -> None:
    """The same without R."""
    for spelled, letter in (("<U+0161>", "'š'"), ("<U+0001F600>", "'\U0001f600'")):
        (tmp_path / "x.csv").write_text(f'"a"\n"b"\n"c{spelled}"\n')
        message = re.escape(f"line 3: R wrote {spelled} where there was {letter}")
        with pytest.warns(rw.RescorlaWarning, match=message):
            datasets.from_r("ours", "x", folder=tmp_path)
    (tmp_path / "x.csv").write_text('"a"\n"<U+xyz>"\n"<U+0>"\n')
    assert datasets.from_r("ours", "x", folder=tmp_path)["a"].tolist() == ["<U+xyz>", "<U+0>"]


def test_of_no_rows_nobody_knows_the_types(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('"a","b"\n')
    found = datasets.from_r("ours", "x", folder=tmp_path)
    assert [column.dtype for column in found.values()] == [object, object]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1: expected a name for each column, found an empty file"),
        (b'"a","a"\n1,2\n', "line 1: expected a name for each column, found 'a' twice"),
        (b'"a","b"\n1,2\n"x\ny",2\n3\n', "line 5: expected 2 cells, as the header has, found 1"),
        (b'"a","b"\n1,2,\n', "line 2: expected 2 cells, as the header has, found 3"),
        (b'"a"\n"b"c\n', "line 2: expected cells between commas, found a quote amid one"),
        (b'"a"\n"b\n', "line 2: expected cells between commas, found a quote amid one"),
        (b'"a"\n"\xe4"\n', "expected UTF-8, found the byte 0xe4 at offset 5; give write.csv fileEncoding"),
    ],
)
def test_a_table_that_is_none_is_refused(text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(text)
    with pytest.raises(rw.FormatError, match=re.escape(message)):
        datasets.from_r("ours", "x", folder=tmp_path)


@pytest.mark.parametrize("name", ["../think", "think.csv;", "", "a b"])
def test_names_are_names_of_r(name: str) -> None:
    with pytest.raises(ValueError, match="name must be a name of R"):
        datasets.from_r("ndl", name)
    with pytest.raises(ValueError, match="package must be a name of R"):
        datasets.from_r(name, "think")
    with pytest.raises(TypeError, match=r"name must be a str, as in from_r\('ndl', 'think'\), not 1"):
        datasets.from_r("ndl", 1)  # type: ignore[arg-type]


def test_data_are_loaded_when_asked_for() -> None:
    code = (
        "import sys, rescorla as rw; assert 'rescorla.datasets' not in sys.modules; rw.datasets.king_james()"
    )
    loaded = "assert not {'pandas', 'xarray', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"{code}; {loaded}"], check=True)
