"""What results show of themselves, in text and in notebooks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from pages import check_page
from reference import Event
from rescorla import classify

EVENTS = some.events(some.VERBATIM_NAMES, frequencies=st.integers(0, 3), max_events=12)
# Those that would do harm, were they not escaped.
WILD = ["<script>alert(1)</script>", "a&b", '"quoted"', "'", "</td>", "<b>", "]]>", "\t", "line\nline"]


def check_text(thing: Any, kind: str) -> list[str]:
    lines = repr(thing).split("\n")
    assert lines[0].startswith(f"<{kind}: ")
    assert len(lines) <= 10
    assert all(line.isprintable() and len(line) <= 130 for line in lines[1:])
    return lines


@given(EVENTS)
def test_events_show_themselves(events: list[Event]) -> None:
    source = rw.read_events(events, duplicates="keep")
    lines, page = check_text(source, "Events"), check_page(source)
    assert len(lines) == (1 if not events else 2 + min(len(events), 7))
    if not events:
        return
    for number in (0, len(events) - 1):
        row = next(line for line in lines[2:] if line.startswith(f"{number} "))
        assert row.endswith(f" {source[number].frequency}")
        assert str(number) in page.texts


@pytest.mark.filterwarnings("ignore:every = ")
@given(EVENTS, st.booleans(), some.DTYPES)
def test_trajectories_show_themselves(events: list[Event], by_pairs: bool, dtype: Any) -> None:
    source = rw.read_events(events)
    pairs = [(cue, outcome) for cue in source.cues for outcome in source.outcomes[:1]] if by_pairs else None
    traj = rw.trajectories(source, pairs, dtype=dtype)
    lines, page = check_text(traj, "Trajectories"), check_page(traj)
    if traj.values.size:
        assert lines[-1].split()[0] == str(traj.tokens[-1])
        assert {"svg", "polyline"} <= page.tags
        assert {"token", "weight", f"{traj.tokens[-1]:,}"} <= set(page.texts)


@given(EVENTS)
def test_convergence_shows_itself(events: list[Event]) -> None:
    source = rw.read_events(events)
    if source.n_tokens == 0:
        return
    rate = rw.convergence(source)
    lines, page = check_text(rate, "Convergence"), check_page(rate)
    assert any(line.startswith("safe in any order") for line in lines)
    assert "safe in any order" in page.texts


@given(st.permutations(WILD))
def test_names_are_shown_and_nothing_else(names: list[str]) -> None:
    source = rw.read_events([([name], [name]) for name in names[:6]])
    shown = check_page(source).texts
    traj = rw.trajectories(source, [(name, name) for name in names[:6]], alpha=dict.fromkeys(names[:6], 0.1))
    drawn = check_page(traj).texts
    for name in names[:6]:
        if name.isprintable():
            assert name in shown
            assert f"{name} → {name}"[:19] in {text[:19] for text in drawn}
    fit = classify.statistics(names, names, np.eye(len(names)), outcomes=names)
    assert {name for name in names if name.isprintable()} <= set(check_page(fit).texts)
    check_page(classify.CrossValidation((fit, fit), (np.arange(3), np.arange(3))))


def test_statistics_are_shown_by_name() -> None:
    fit = classify.statistics(["a", "b", "a"], ["a", "b", "b"], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    lines = check_text(fit, "Statistics")
    assert lines[0] == "<Statistics: 3 observations of 2 classes; accuracy 0.667>"
    assert lines[3].split() == ["r2", f"{fit.r2:.4g}"]
    many = [f"class {number}" for number in range(30)]
    fit = classify.statistics(many, many, np.eye(30), outcomes=many)
    assert "18 more" in "".join(check_page(fit).texts)
    empty = classify.CrossValidation((), ())
    assert check_page(empty).texts == [repr(empty)]


def test_what_is_long_or_large_is_cut() -> None:
    name = "n" * 1_000_000
    source = rw.read_events([([name, *(f"c{n}" for n in range(500))], [name])] * 9)
    assert len(repr(source)) < 1500
    assert len(source._repr_html_()) < 20_000
    traj = rw.trajectories(source, every=3, alpha=0.001)
    assert len(repr(traj)) < 1500
    assert len(traj._repr_html_()) < 20_000
    assert "and 495 more" in check_page(traj).texts
    rate = rw.convergence(source)
    assert repr(rate).count("\n") == 0
    assert "summary() has the other bounds, and half-lives" in check_page(rate).texts


@pytest.mark.parametrize("weights", [[0.0, np.inf], [1e308, -1e308], [np.nan, np.nan], [-1.0, -2.0]])
def test_curves_of_any_numbers_are_drawn_or_left_out(weights: list[float]) -> None:
    values = np.array(weights)[:, np.newaxis]
    traj = rw.Trajectories(np.array([0, 1]), values, (("a", "x"),), ("a",), ("x",), {})
    page = check_page(traj)
    assert ("svg" in page.tags) == bool(np.isfinite(values).any())
    assert "nan" not in traj._repr_html_()
    assert "inf" not in traj._repr_html_()


def test_a_damaged_file_still_shows_its_counts(tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    rw.read_events([(f"c{n}", "x") for n in range(50)]).save(path)
    content = bytearray(path.read_bytes())
    content[200] ^= 0xFF
    path.write_bytes(content)
    damaged = rw.open_events(path)
    with pytest.raises(rw.FormatError):
        damaged.verify()
    assert repr(damaged).startswith("<Events: 50 events")
    assert "50 events" in check_page(damaged).texts[0]
