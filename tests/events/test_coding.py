"""Cues of words and of other cues: beside R's examples and values, and by what holds for all words."""

import csv
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import corpus_reference
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from test_golden import assert_golden

# A boundary within a word, a mark that combines, names that `_` would cut, and a letter beyond the BMP.
WORDS = st.lists(st.text("abß#_ \u0301𝒳", min_size=1, max_size=6), max_size=4)
SIZES = st.lists(st.integers(1, 8), min_size=1, max_size=3)
BOUNDARIES = st.sampled_from(["#", "", "<>", "^"])
SEPARATORS = st.sampled_from([".", "+", "::"])
CUES = st.lists(st.sampled_from(["a", "b", "bc", "x y"]), max_size=5)


def rows(path: Path) -> list[dict[str, str]]:
    """A table of the shared data."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.filterwarnings("ignore:cues_from gives the cue")
@given(WORDS, SIZES, BOUNDARIES)
def test_the_cues_are_those_of_running_text(words: list[str], sizes: list[int], boundary: str) -> None:
    found = rw.ortho_coding(words, sizes, boundary=boundary)
    events = rw.corpus_events([words], cues_from=list(sizes), boundary=boundary, duplicates="keep")
    assert found == [event.cues for event in events]
    specified = [corpus_reference.names([[word]], list(sizes), boundary=boundary) for word in words]
    assert [list(cues) for cues in found] == specified


@given(WORDS, SIZES, BOUNDARIES)
def test_sizes_come_one_after_another(words: list[str], sizes: list[int], boundary: str) -> None:
    by_size = [rw.ortho_coding(words, n, boundary=boundary) for n in sizes]
    for cues, *parts in zip(
        rw.ortho_coding(iter(words), iter(sizes), boundary=boundary), *by_size, strict=True
    ):
        assert cues == sum(parts, ())


@given(st.lists(st.text("abSß", max_size=6), max_size=4), SIZES, BOUNDARIES, SEPARATORS)
def test_what_is_separated_is_a_letter(
    words: list[str], sizes: list[int], boundary: str, separator: str
) -> None:
    # S stands for the letter sh, # for the boundary.
    letters = str.maketrans({"S": "sh", "#": boundary})
    single = rw.ortho_coding(words, sizes, boundary="#" if boundary else "")
    expected = [tuple(cue.translate(letters) for cue in cues) for cues in single]
    separated = [separator.join(word).translate(letters) for word in words]
    assert rw.ortho_coding(separated, sizes, boundary=boundary, separator=separator) == expected


@pytest.mark.parametrize(
    ("words", "options", "expected"),
    [
        # The examples of R's manual page, their strings split at "_".
        (["hel.lo", "wor.ld"], {}, ["#h_he_el_l._.l_lo_o#", "#w_wo_or_r._.l_ld_d#"]),
        (["hel.lo", "wor.ld"], {"separator": "."}, ["#hel_hello_lo#", "#wor_world_ld#"]),
        (["yena"], {"grams": 2}, ["#y_ye_en_na_a#"]),
        (["yena"], {"grams": (2, 4)}, ["#y_ye_en_na_a#_#yen_yena_ena#"]),
        # By R's documentation: sizes in the order given, unigrams without the boundary.
        (["hand"], {"grams": [3, 1]}, ["#ha_han_and_nd#_h_a_n_d"]),
        (["lass"], {"grams": 1}, ["l_a_s_s"]),
        (["hel.lo"], {"grams": 1, "separator": "."}, ["hel_lo"]),
        (["sh.i.p"], {"boundary": "", "separator": "."}, ["shi_ip"]),
        (["sh.i.p"], {"boundary": "<>", "separator": "."}, ["<>sh_shi_ip_p<>"]),
        # All sizes up to 2, as the first versions had it.
        (["hello"], {"grams": range(1, 3)}, ["h_e_l_l_o_#h_he_el_ll_lo_o#"]),
        # Where it differs from R, which writes "#a#NA_#a#".
        (["a"], {"grams": 4}, [""]),
        (["a"], {"grams": (1, 4)}, ["a"]),
        (["", "a"], {"grams": (1, 2), "separator": "."}, ["##", "a_#a_a#"]),
        ([], {}, []),
    ],
)
def test_words(words: list[str], options: dict[str, Any], expected: list[str]) -> None:
    assert ["_".join(cues) for cues in rw.ortho_coding(words, **options)] == expected


@pytest.mark.parametrize(("data", "column"), [("lexample", "Word"), ("plurals", "WordForm")])
def test_lexicons_have_the_cues_and_weights_of_r(shared: Path, data: str, column: str) -> None:
    lexicon = rows(shared / "data" / "ndl" / f"{data}.csv")
    golden = rows(shared / "golden" / f"{data}_events.csv")
    cues = rw.ortho_coding((row[column] for row in lexicon), grams=1)
    assert ["_".join(names) for names in cues] == [row["Cues"] for row in golden]
    outcomes, frequencies = [row["Outcomes"] for row in lexicon], [int(row["Frequency"]) for row in lexicon]
    events = rw.read_events(zip(cues, outcomes, frequencies, strict=True))
    assert_golden(rw.equilibrium(events), shared / "golden" / f"{data}_weights.csv")


@pytest.mark.parametrize("data", ["serbian", "serbianUniLat", "serbianUniCyr"])
def test_serbian_has_the_equilibrium_of_its_bigrams(shared: Path, data: str) -> None:
    lexicon = pd.read_csv(shared / "data" / "ndl" / f"{data}.csv")
    cues = rw.ortho_coding(lexicon["WordForm"], grams=2)
    events = rw.read_events(zip(cues, lexicon["LemmaCase"], lexicon["Frequency"], strict=True))
    weights = rw.equilibrium(events)
    # The definition: rows are words, weighted; cues that a word has twice count once; least norm.
    words = [f"#{word}#" for word in lexicon["WordForm"]]
    bigrams = sorted({word[i : i + 2] for word in words for i in range(len(word) - 1)})
    endings = ["nom", "gen", "dat", "acc", "ins", "loc", "Sg", "Pl"]
    root = np.sqrt(lexicon["Frequency"].to_numpy(dtype=np.float64))[:, None]
    present = np.array([[bigram in word for bigram in bigrams] for word in words]) * root
    wanted = np.array([[end in meaning.split("_") for end in endings] for meaning in lexicon["LemmaCase"]])
    expected = np.linalg.lstsq(present, wanted * root, rcond=1e-10)[0]
    assert sorted(weights.cues) == bigrams
    found = np.array([[weights[bigram, end] for end in endings] for bigram in bigrams])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("column", [pd.Series, pl.Series, pa.array, tuple, np.array, iter])
def test_columns_of_tables_are_words(column: Callable[[list[str]], Any]) -> None:
    expected = [("#a", "as", "s#"), ("#i", "i#")]
    assert rw.ortho_coding(column(["as", "i"])) == expected
    assert rw.cue_coding(column(["a_s", "i"])) == [("a", "s", "as"), ("i",)]


@given(st.lists(CUES, max_size=3), st.integers(1, 7))
def test_cues_that_come_together(events: list[list[str]], maxn: int) -> None:
    for cues, found in zip(events, rw.cue_coding(events, maxn), strict=True):
        places = [chosen for n in range(1, maxn + 1) for chosen in combinations(range(len(cues)), n)]
        assert list(found) == ["".join(cues[i] for i in chosen) for chosen in places]
        assert len(found) <= 2 ** len(cues) - 1
    for cues, found in zip(events, rw.cue_coding(events, maxn, adjacent=True), strict=True):
        runs = [cues[i : i + n] for n in range(1, maxn + 1) for i in range(len(cues) - n + 1)]
        assert list(found) == list(map("".join, runs))


@given(st.text("ab#", min_size=1, max_size=6), st.integers(2, 5))
def test_neighbouring_letters_are_n_grams(word: str, n: int) -> None:
    sizes = range(1, n + 1)
    assert rw.cue_coding([list(word)], n, adjacent=True) == rw.ortho_coding([word], sizes, boundary="")


@pytest.mark.parametrize(
    ("event", "options", "expected"),
    [
        # R's manual page and defaults, their strings split at "_".
        ("First_Plural_hs95", {"maxn": 1}, "First_Plural_hs95"),
        ("First_Plural_hs95", {"maxn": 2}, "First_Plural_hs95_FirstPlural_Firsths95_Pluralhs95"),
        ("hello_world", {"maxn": 1}, "hello_world"),
        ("hello_world", {"maxn": 9}, "hello_world_helloworld"),
        ("a_b_c", {"adjacent": True}, "a_b_c_ab_bc"),
        ("a_b_c", {"maxn": 3}, "a_b_c_ab_ac_bc_abc"),
        ("a", {"adjacent": True}, "a"),
        # Where it differs: R joins pairs.
        ("a_b_c", {"maxn": 3, "adjacent": True}, "a_b_c_ab_bc_abc"),
        ("a_b", {"maxn": 1, "adjacent": True}, "a_b"),
        # As read_events takes them.
        ("", {}, ""),
        (set("fdbeac"), {"maxn": 1}, "a_b_c_d_e_f"),
        (frozenset("fdbeac"), {"maxn": 1}, "a_b_c_d_e_f"),
        ({"b": 0, "a": 1}.keys(), {}, "b_a_ba"),
    ],
)
def test_cues(event: Any, options: dict[str, Any], expected: str) -> None:
    [found] = rw.cue_coding([event], **options)
    assert "_".join(found) == expected


def test_names_with_a_joint_stay_whole() -> None:
    assert rw.cue_coding([["New_York", "x"]]) == [("New_York", "x", "New_Yorkx")]
    assert rw.ortho_coding(["a_"], grams=(1, 3)) == [("a", "_", "#a_", "a_#")]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("hand",), {}, TypeError, "words must be several words, not the str 'hand'; write ['hand']"),
        ((b"hand",), {}, TypeError, "words must be several words, not b'hand'; write [b'hand']"),
        (
            (["hand", None],),
            {},
            TypeError,
            "word 1: expected a str, found None; leave out rows without a word",
        ),
        (([["h", "a"]],), {}, TypeError, "word 0: expected a str, found a list"),
        ((["hand"], 0), {}, ValueError, "grams must be a whole number of 1 or more, not 0"),
        ((["hand"], [2, -1]), {}, ValueError, "grams must be a whole number of 1 or more, not -1"),
        ((["hand"], []), {}, ValueError, "grams must be one size or more, not none"),
        ((["hand"], 2.0), {}, TypeError, "grams must be several numbers of letters, or one number, not 2.0"),
        (
            (["hand"], "2"),
            {},
            TypeError,
            "grams must be several numbers of letters, or one number, not the str '2'",
        ),
        ((["hand"], [2.0]), {}, TypeError, "grams must be a whole number of 1 or more, not 2.0"),
        ((["hand"], True), {}, TypeError, "grams must be a whole number of 1 or more, not True"),
        ((["hand"],), {"boundary": None}, TypeError, "boundary must be a str, not None"),
        ((["hand"],), {"separator": 1}, TypeError, "separator must be a str, not 1"),
        ((["hand"],), {"separator": ""}, ValueError, "separator must not be empty; leave it out"),
        (
            (["a.b", "a..b"],),
            {"separator": "."},
            ValueError,
            "word 1: expected something on both sides of each '.', found 'a..b'",
        ),
        ((["a."],), {"separator": "."}, ValueError, "word 0: expected something on both sides of each '.'"),
    ],
)
def test_what_is_no_word_is_refused(
    arguments: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        rw.ortho_coding(*arguments, **options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("a_b",), TypeError, "cues must be several events, not the str 'a_b'; write ['a_b']"),
        ((["a", 5],), TypeError, "event 1: expected a str or an iterable of names, found 5"),
        ((["a", b"bc"],), TypeError, "event 1: expected names of type str, found 98"),
        (([["a", None]],), TypeError, "event 0: expected names of type str, found None"),
        ((["a", "a__b"],), ValueError, "event 1: expected something on both sides of each '_', found 'a__b'"),
        ((["a"], 0), ValueError, "maxn must be a whole number of 1 or more, not 0"),
        ((["a"], (1, 2)), TypeError, "maxn must be a whole number of 1 or more, not a tuple"),
    ],
)
def test_what_are_no_cues_is_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        rw.cue_coding(*arguments)
