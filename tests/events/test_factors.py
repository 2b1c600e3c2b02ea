"""`factor_events`: tables of factors as events."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st

TABLE = {
    "Verb": ["give", "send", "give", "give"],
    "Theme": ["new", "given", None, "new"],
    "Length": [2, 7, 3, 2],
    "Weight": [1, 0, 5, 2],
}

# Features of Arppe (2008) are the levels other than these.
NEUTRAL = ["None", "Other", "Overt", "FiniteVerbChain", "Absent"]

# Of a data frame, not of a mapping, missing levels are warned of.
levels_are_missing = pytest.mark.filterwarnings("ignore:entries are missing")

LEVELS = st.one_of(st.none(), st.sampled_from(["a", "b", "_", "New York", "ä"]))


def cues(events: rw.Events) -> list[tuple[str, ...]]:
    return [event.cues for event in events]


def test_each_level_is_a_cue() -> None:
    events = rw.factor_events(TABLE, "Verb", ["Theme"])
    assert cues(events) == [("Themenew",), ("Themegiven",), (), ("Themenew",)]
    assert [event.outcomes for event in events] == [("give",), ("send",), ("give",), ("give",)]
    assert events.frequencies.tolist() == [1, 1, 1, 1]


def test_by_default_all_columns_but_outcome_and_frequency_are_factors() -> None:
    events = rw.factor_events(TABLE, "Verb", frequency="Weight", separator="=", background="always")
    assert cues(events)[1] == ("always", "Theme=given", "Length=[3,7]")
    assert events.frequencies.tolist() == [1, 0, 5, 2]


@pytest.mark.filterwarnings("ignore:ignore names no level")
@given(st.lists(st.tuples(LEVELS, LEVELS, st.sampled_from("xy")), min_size=1, max_size=6), st.data())
def test_rows_become_events_as_plain_python_makes_them(
    rows: list[tuple[str | None, str | None, str]], data: st.DataObject
) -> None:
    table = {"p": [row[0] for row in rows], "q": [row[1] for row in rows], "o": [row[2] for row in rows]}
    ignore = data.draw(st.sampled_from([[], ["a"], {"q": ["a", "b"]}]))
    dropped = ignore if isinstance(ignore, dict) else {"p": ignore, "q": ignore}
    expected = [
        tuple(
            f"{name}/{level}"
            for name, level in zip("pq", row[:2], strict=True)
            if level is not None and level not in dropped.get(name, [])
        )
        for row in rows
    ]
    events = rw.factor_events(table, "o", ["p", "q"], ignore=ignore, separator="/")
    assert cues(events) == expected


@levels_are_missing
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_every_kind_of_table_gives_the_same_events(make: Any) -> None:
    assert list(rw.factor_events(make(TABLE), "Verb", frequency="Weight")) == list(
        rw.factor_events(TABLE, "Verb", frequency="Weight")
    )


@levels_are_missing
def test_what_is_missing_gives_no_cue() -> None:
    frame = pd.DataFrame({"o": ["x"] * 4, "p": pd.Series(["a", None, pd.NA, float("nan")], dtype=object)})
    assert cues(rw.factor_events(frame, "o")) == [("pa",), (), (), ()]
    numbers = pd.DataFrame({"o": ["x"] * 3, "p": [1.0, float("nan"), 2.0]})
    assert cues(rw.factor_events(numbers, "o")) == [("p1",), (), ("p2",)]


def test_truth_values_and_categories_are_no_numbers() -> None:
    frame = pd.DataFrame({"o": list("xyx"), "flag": [True, False, True]})
    frame["year"] = pd.Categorical([2001, 2003, 2002])
    assert cues(rw.factor_events(frame, "o")) == [
        ("flagTrue", "year2001"),
        ("flagFalse", "year2003"),
        ("flagTrue", "year2002"),
    ]


def test_equal_entries_of_different_types_are_different_levels() -> None:
    assert cues(rw.factor_events({"o": ["x"] * 3, "p": [1, True, 1.0]}, "o")) == [
        ("p1",),
        ("pTrue",),
        ("p1.0",),
    ]


def test_an_interaction_is_one_cue_of_the_levels_that_give_cues() -> None:
    table = {"o": list("xxx"), "p": ["a", "b", "None"], "q": ["c", "None", "None"]}
    events = rw.factor_events(table, "o", ["p", ("p", "q")], ignore=["None"])
    assert cues(events) == [("pa", "pa:qc"), ("pb",), ()]
    alone = rw.factor_events(table, "o", [("p", "q")], ignore=["None"])
    assert cues(alone) == [("pa:qc",), ("pb",), ()]


# Numbers.


@pytest.mark.parametrize(
    ("values", "quantiles", "levels"),
    [
        ([1, 2, 3, 4], 2, ["[1,3)", "[1,3)", "[3,4]", "[3,4]"]),
        ([1, 1, 1, 2, 3], 2, ["1", "1", "1", "[2,3]", "[2,3]"]),
        ([3, 1, 2, 3, 3, 3], 2, ["[1,3]"] * 6),
        ([0, 1, 1], 2, ["0", "1", "1"]),
        ([0.5, 0.25, 1.5], 1, ["[0.25,1.5]"] * 3),
        ([1, 2, 3, 4, 5, 6], 3, ["[1,3)", "[1,3)", "[3,5)", "[3,5)", "[5,6]", "[5,6]"]),
    ],
)
def test_numbers_are_cut_into_intervals(
    values: Sequence[float], quantiles: int, levels: Sequence[str]
) -> None:
    events = rw.factor_events({"o": ["x"] * len(values), "n": values}, "o", quantiles=quantiles)
    assert cues(events) == [(f"n{level}",) for level in levels]


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), min_size=1, max_size=12), st.integers(1, 4))
def test_intervals_end_where_their_share_of_tokens_is_reached(
    rows: list[tuple[int, int]], quantiles: int
) -> None:
    values = [row[0] for row in rows]
    table = {"o": ["x"] * len(rows), "n": values, "f": [row[1] for row in rows]}
    found = [event.cues[0][1:] for event in rw.factor_events(table, "o", quantiles=quantiles, frequency="f")]
    tokens = sorted(value for value, frequency in rows for _ in range(frequency)) or sorted(values)
    distinct = sorted(set(tokens))
    if len(distinct) <= quantiles:
        starts = distinct
    else:
        # The ceil(j n / g)-th token ends interval j.
        ends = [tokens[-(-j * len(tokens) // quantiles) - 1] for j in range(1, quantiles)]
        starts = [min(v for v in distinct if v > end) for end in sorted(set(ends)) if end < distinct[-1]]
        starts = [distinct[0], *starts]
    place = {value: max([i for i, s in enumerate(starts) if s <= value] or [0]) for value, _ in rows}
    for first, one in zip(values, found, strict=True):
        for second, other in zip(values, found, strict=True):
            assert (one == other) == (place[first] == place[second])
        members = sorted({value for value in values if place[value] == place[first]})
        assert one == str(members[0]) if len(members) == 1 else one.startswith(f"[{members[0]},")


# The data of Arppe (2008).


def test_think_has_its_known_features(shared: Path) -> None:
    think = pd.read_csv(shared / "data" / "ndl" / "think.csv", keep_default_na=False)
    factors = list(think.columns[1:24])
    assert (factors[0], factors[-1]) == ("Polarity", "CoordinatedVerb")
    all_levels = rw.factor_events(think, "Lexeme", factors)
    features = rw.factor_events(think, "Lexeme", factors, ignore=NEUTRAL)
    assert (len(all_levels), all_levels.n_cues, features.n_cues) == (3404, 69, 46)
    assert "PolarityNegation" in features.cues
    assert set(features.cues) < set(all_levels.cues)


# What is lost.


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_levels_that_a_data_frame_lacks_are_warned_of(make: Any) -> None:
    with pytest.warns(rw.RescorlaWarning, match="cue: 1 of 'Theme'; .* keep_default_na=False") as seen:
        rw.factor_events(make(TABLE), "Verb")
    assert [each.filename for each in seen] == [__file__]
    # A mapping says None where it means it; a number that is missing is no word; a column may be left out.
    rw.factor_events(TABLE, "Verb")
    rw.factor_events(pd.DataFrame(TABLE | {"Length": [1, None, 2, 3]}), "Verb", ["Length"])


@pytest.mark.parametrize(
    ("ignore", "message"),
    [
        (
            ["None", "Given"],
            "no level of the factors ['Theme', 'Length']: 'Given', 'None'; compare",
        ),
        (["Given"], "compare the spelling; did you mean 'given'?"),
        (
            {"Theme": ["New"]},
            "no level of the column 'Theme': 'New', and there are 'given', 'new'",
        ),
    ],
)
def test_levels_to_ignore_that_are_none_are_warned_of(ignore: Any, message: str) -> None:
    with pytest.warns(rw.RescorlaWarning, match=re.escape(message)) as seen:
        rw.factor_events(TABLE, "Verb", ["Theme", "Length"], ignore=ignore)
    assert [each.filename for each in seen] == [__file__]
    rw.factor_events(TABLE, "Verb", ["Theme"], ignore=["new", "None", "Other"])
    rw.factor_events(TABLE, "Verb", ["Theme"], ignore=[])


# What is refused.


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"outcome": "Nothing"}, KeyError, "outcome names the column 'Nothing'"),
        ({"factors": ["Nothing"]}, KeyError, "factors names the column 'Nothing'"),
        ({"factors": ["theme"]}, KeyError, r"'Weight'\]; did you mean 'Theme'\?"),
        ({"ignore": {"theme": ["new"]}}, KeyError, r"did you mean 'Theme'\?"),
        ({"factors": "Theme"}, TypeError, r"write \['Theme'\]"),
        ({"ignore": "new"}, TypeError, r"write \['new'\]"),
        ({"ignore": {"Theme": "new"}}, TypeError, r"write \['new'\]"),
        ({"ignore": {"Nothing": ["new"]}}, KeyError, "none of the factors"),
        ({"quantiles": 0}, ValueError, "quantiles must be a whole number of 1 or more"),
        ({"outcome": "Theme"}, ValueError, "'Theme', row 2: expected an outcome"),
        ({"frequency": "Theme"}, TypeError, "row 0: a frequency must be a whole number of 0 or more"),
    ],
)
def test_a_wrong_argument_is_named(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rw.factor_events(TABLE, **{"outcome": "Verb", **keywords})


@pytest.mark.parametrize(
    ("frequency", "error", "message"),
    [
        (-1, ValueError, "a frequency must be a whole number of 0 or more, not -1"),
        (0.5, TypeError, "a frequency must be a whole number of 0 or more, not 0.5"),
        (True, TypeError, "a frequency must be a whole number of 0 or more, not True"),
        (np.inf, TypeError, "a frequency must be a whole number of 0 or more, not inf"),
        (np.nan, ValueError, "expected a frequency, found none"),
    ],
)
def test_a_frequency_is_a_whole_number(frequency: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"column 'f', row 1: {message}"):
        rw.factor_events({"o": ["x", "y"], "f": [1, frequency]}, "o", frequency="f")


def test_cues_of_two_columns_are_told_apart() -> None:
    table = {"o": ["x"], "a": ["bc"], "ab": ["c"]}
    with pytest.raises(
        ValueError, match=r"separator '' gives the cue 'abc' to \['a'\] and \['ab'\].*take '='"
    ):
        rw.factor_events(table, "o")
    assert cues(rw.factor_events(table, "o", separator="=")) == [("a=bc", "ab=c")]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(TypeError, match="not list"):
        rw.factor_events([("a", "x")], "o")
    with pytest.raises(ValueError, match="columns of one length"):
        rw.factor_events({"o": ["x"], "p": []}, "o")
