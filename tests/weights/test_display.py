"""How weights show themselves: as text and as HTML."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import example, given
from hypothesis import strategies as st
from pages import check_page
from rescorla._shared import show
from rescorla._weights import display

NAMES = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("<>&\"'\n"), min_size=1, max_size=30
)


def named(values: Any) -> rw.Weights:
    rows, columns = values.shape
    return rw.Weights(values, [f"c{i}" for i in range(rows)], [f"o{j}" for j in range(columns)])


# Text.


def test_the_text_is_a_table() -> None:
    known = rw.Weights([[0.5, -1.0], [0.25, 1e-7]], ["red", "blue"], ["y", "no"])
    assert repr(known).splitlines() == [
        "<Weights: 2 cues x 2 outcomes, float64>",
        "         y     no",
        "red    0.5     -1",
        "blue  0.25  1e-07",
    ]


def test_of_many_the_first_and_the_last_are_shown() -> None:
    lines = repr(named(np.arange(10_000.0).reshape(100, 100))).splitlines()
    assert len(lines) == 9
    assert lines[1].split() == ["o0", "o1", "o2", "...", "o97", "o98", "o99"]
    assert lines[4].split() == ["c2", "200", "201", "202", "...", "297", "298", "299"]
    assert set(lines[5].split()) == {"..."}
    assert lines[8].split()[:2] == ["c99", "9900"]


@pytest.mark.parametrize(("n", "shown"), [(7, "0 1 2 3 4 5 6"), (8, "0 1 2 ... 5 6 7")])
def test_no_gap_stands_for_one_alone(n: int, shown: str) -> None:
    lines = repr(rw.Weights(np.ones((n, n)), map(str, range(n)), map(str, range(n)))).splitlines()
    assert lines[1].split() == [line.split()[0] for line in lines[2:]] == shown.split()


@given(st.lists(NAMES, max_size=12, unique=True), st.lists(NAMES, max_size=12, unique=True))
def test_the_text_has_ten_lines_at_most(cues: list[str], outcomes: list[str]) -> None:
    known = rw.Weights(np.full((len(cues), len(outcomes)), -1.2345e-100), cues, outcomes)
    lines = repr(known).splitlines()
    assert 1 <= len(lines) <= 10
    assert max(map(len, lines)) <= 88
    assert lines[0] == f"<Weights: {len(cues)} cues x {len(outcomes)} outcomes, float64>"


# HTML.


@example(cues=["0"], outcomes=["00000000000000'0\"\x1f"], parameters={})
@given(
    st.lists(NAMES, min_size=1, max_size=10, unique=True),
    st.lists(NAMES, min_size=1, max_size=10, unique=True),
    st.dictionaries(NAMES, NAMES, max_size=3),
)
def test_names_are_escaped(cues: list[str], outcomes: list[str], parameters: dict[str, str]) -> None:
    values = np.random.default_rng(1).normal(size=(len(cues), len(outcomes)))
    page = check_page(rw.Weights(values, cues, outcomes, parameters))
    assert page.tags <= {"div", "table", "tr", "th", "td", "details", "summary"}
    assert page.attributes <= {"class", "style", "title"}
    n_columns, n_rows = min(8, len(outcomes)), min(8, len(cues))
    columns, rows = page.titles[:n_columns], page.titles[n_columns : n_columns + n_rows]
    # As Python writes them where they break lines or cannot be seen; whole names are kept else.
    assert set(columns) <= {show.short(name, 300) for name in outcomes}
    assert set(rows) <= {show.short(name, 300) for name in cues}
    assert len(cues) > 8 or len(outcomes) > 8 or rows == [show.short(name, 300) for name in cues]
    shown = [name for name in cues + outcomes if show.short(name, 300) in rows + columns]
    assert set(page.texts) >= {show.short(name, 16) for name in shown if name.isprintable()}


def test_the_strongest_are_shown_with_their_sign() -> None:
    values = np.zeros((30, 20))
    values[17, 3], values[4, 19] = -2.0, 1.0
    text = named(values)._repr_html_()
    page = check_page(named(values))
    assert page.titles[0] == "o3"
    assert page.titles[1] == "o19"
    assert page.titles[8:10] == ["c17", "c4"]
    assert "the strongest cues and outcomes" in page.texts
    assert text.count(f"rgba({display._RED}, 0.600)") == 1
    assert text.count(f"rgba({display._BLUE}, 0.300)") == 1
    assert text.count("rgba(") == 2
    assert "script" not in text
    assert "http" not in text


@pytest.mark.parametrize(
    ("shape", "n", "said"), [((8, 8), 16, False), ((9, 2), 10, True), ((2, 9), 10, True)]
)
def test_of_more_than_eight_names_the_strongest_are_shown(shape: tuple[int, int], n: int, said: bool) -> None:
    page = check_page(named(np.arange(1.0, 1 + shape[0] * shape[1]).reshape(shape)))
    assert len(page.titles) == n
    assert ("the strongest cues and outcomes" in page.texts) == said
    assert ("c0" in page.titles and "o0" in page.titles) == (not said)


def test_parameters_are_folded_and_long_ones_cut() -> None:
    known = rw.Weights(np.eye(2), ["a", "b"], ["x", "y"], {"alpha": [0.1] * 50, "note": "n" * 500})
    page = check_page(known)
    assert {"details", "summary"} <= page.tags
    assert "2 parameters" in page.texts
    assert "50 values, 0.1, 0.1, 0.1, ..." in page.texts
    assert max(map(len, page.texts)) <= 200
    assert "details" not in check_page(named(np.eye(2))).tags


@pytest.mark.parametrize("values", [np.full((2, 2), np.nan), np.array([[np.inf, 1.0]]), np.zeros((0, 3))])
def test_what_is_no_number_has_no_colour(values: Any) -> None:
    check_page(named(values))


def test_a_notebook_does_not_wait_for_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "_LOOKED_AT", 99)
    page = check_page(named(np.arange(200.0).reshape(10, 20)))
    assert page.titles[:2] == ["o0", "o1"]
    assert "the first cues and outcomes; weights.strongest(n) looks at all" in page.texts


def test_weights_of_a_store_are_shown_without_reading_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("zarr", reason="zarr is not installed: pip install rescorla[zarr]")
    named(np.eye(3)).save(tmp_path / "w.zarr")
    stored = rw.load_weights(tmp_path / "w.zarr")
    monkeypatch.setattr(type(stored.data), "part", None)
    assert repr(stored) == "<Weights: 3 cues x 3 outcomes, float64>"
    assert "w.zarr" in check_page(stored).texts[0]
