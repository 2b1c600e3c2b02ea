"""Pictures of designs: groups side by side, phases, probes, and lines that lie upon each other."""

from itertools import pairwise
from typing import Any, cast

import classic
import numpy as np
import pytest
import rescorla as rw
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from rescorla import plot
from rescorla.plot._dashes import dots, styles
from test_plot import COLOURS, drawn_without_overlap, fresh, legend, ydata

BLOCKING = {
    "blocking": "light: A+ 40 | both: AB+ 40 | test: B? / AB?",
    "control": "other: C+ 40 | both: AB+ 40 | test: B? / AB?",
}


def recorded(design: str, **choices: Any) -> rw.Trajectories:
    return rw.trajectories(rw.design(design), alpha=0.3, beta=0.3, **choices)


def by_group() -> dict[str, rw.Trajectories]:
    return {name: recorded(design) for name, design in BLOCKING.items()}


def dashes(line: Any) -> tuple[float, list[float] | None]:
    """The offset and lengths of a line's dashes, in widths of the line."""
    offset, lengths = line._unscaled_dash_pattern
    return offset, lengths


def xdata(line: Any) -> Any:
    return np.asarray(line.get_xdata(), dtype=np.float64)


def lines_of(ax: Axes) -> dict[str, Any]:
    return {str(line.get_label()): line for line in ax.lines if "→" in str(line.get_label())}


# Groups.


def test_groups_stand_side_by_side_on_one_scale_with_one_colour_for_a_pair() -> None:
    trajectories = by_group()
    axes = plot.trajectories(trajectories)
    assert [ax.get_title() for ax in axes] == ["blocking", "control"]
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert (axes[0].get_ylabel(), axes[1].get_ylabel()) == ("weight", "")
    colours = [{name: line.get_color() for name, line in lines_of(ax).items()} for ax in axes]
    assert set(colours[0]) & set(colours[1]) >= {"A → US", "B → US"}
    assert all(colours[0][name] == colours[1][name] for name in set(colours[0]) & set(colours[1]))
    for ax, each in zip(axes, trajectories.values(), strict=True):
        np.testing.assert_array_equal(ydata(lines_of(ax)["B → US"]), each["B", "US"])
    # One legend, of all groups, by where lines end.
    assert next(legend(ax) for ax in axes) == []
    assert legend(axes[1]) == ["A → US", "C → US", "B → US", "B? → US", "AB? → US"]
    for ax in axes:
        drawn_without_overlap(ax)
    plt.close("all")


def test_a_group_has_the_lines_that_it_recorded() -> None:
    axes = plot.trajectories(by_group(), [("C", "US"), ("B", "US")])
    assert [sorted(name for name in lines_of(ax) if "?" not in name) for ax in axes] == [
        ["B → US"],
        ["B → US", "C → US"],
    ]
    with pytest.raises(KeyError, match="which no group has recorded"):
        plot.trajectories(by_group(), [("D", "US")])
    plt.close("all")


def test_groups_can_be_drawn_into_axes_that_are_there() -> None:
    there = Figure().subplots(1, 2)
    assert list(plot.trajectories(by_group(), ax=there)) == list(there)
    with pytest.raises(ValueError, match="an Axes for each of the 2 groups, not 1"):
        plot.trajectories(by_group(), ax=[fresh()])
    with pytest.raises(ValueError, match="no groups"):
        plot.trajectories({})


def test_equilibria_of_groups() -> None:
    groups = {name: rw.design(design) for name, design in BLOCKING.items()}
    equilibrium = {name: rw.equilibrium(events) for name, events in groups.items()}
    axes = plot.trajectories(by_group(), equilibrium=equilibrium)
    for ax, name in zip(axes, groups, strict=True):
        levels = {float(ydata(line)[0]) for line in ax.lines if line.get_path_effects()}
        assert levels == {equilibrium[name][cue, "US"] for cue in equilibrium[name].cues}
    with pytest.raises(TypeError, match="mapping from the groups"):
        plot.trajectories(by_group(), equilibrium=equilibrium["control"])  # type: ignore[call-overload]
    with pytest.raises(KeyError, match="none of the groups"):
        plot.trajectories(by_group(), equilibrium={"contrl": equilibrium["control"]})
    plt.close("all")


# Phases.


def test_phases_are_divided_and_named() -> None:
    trajectories = recorded(BLOCKING["blocking"])
    ax = plot.trajectories(trajectories)
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    borders = [xdata(line)[0] for line in ax.lines if line.get_linestyle() == "-" and line.get_zorder() == 0]
    assert borders == [40]
    (above,) = ax.child_axes
    assert [label.get_text() for label in above.get_xticklabels()] == ["light", "both"]
    assert above.get_xticks().tolist() == [20, 60]
    plt.close("all")


def test_one_phase_has_no_line_and_no_name() -> None:
    ax = plot.trajectories(recorded("A+ 10 / AB- 10"), ax=fresh())
    assert len(ax.lines) == 2
    assert ax.child_axes == []


def test_an_equilibrium_by_phase_lies_within_its_phase() -> None:
    events = rw.design("A+ 40 | A- 60")
    one, zero = (rw.Weights([[level]], ["A"], ["US"]) for level in (1.0, 0.0))
    trajectories = rw.trajectories(events)
    ax = plot.trajectories(trajectories, equilibrium={"1": one, "2": zero}, ax=fresh())
    levels = [(list(xdata(line)), list(ydata(line))) for line in ax.lines if line.get_path_effects()]
    assert levels == [([0, 40], [1.0, 1.0]), ([40, 100], [0.0, 0.0])]
    with pytest.raises(KeyError, match="equilibrium has '3', which is none of the phases"):
        plot.trajectories(trajectories, equilibrium={"3": one}, ax=fresh())
    with pytest.raises(TypeError, match="equilibrium must be Weights"):
        plot.trajectories(trajectories, equilibrium={"1": 1.0}, ax=fresh())  # type: ignore[dict-item]


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.text("abcdefgh ", min_size=1, max_size=16), st.integers(1, 3000)), min_size=1, max_size=9
    ),
    # Below, matplotlib finds no room for axes beside names at an angle, and says so.
    st.floats(2.5, 6),
    st.integers(1, 3),
)
def test_no_tick_and_no_name_lies_on_another(phases: list[tuple[str, int]], inches: float, n: int) -> None:
    design = " | ".join(f"p{i}{name}: A+ {length}" for i, (name, length) in enumerate(phases))
    n_tokens = sum(length for _, length in phases)
    trajectories = rw.trajectories(rw.design(design), at=[0, n_tokens])
    figure = Figure(figsize=(inches * n, 3), layout="constrained")
    axes = np.ravel(cast(Any, figure.subplots(1, n)))
    plot.trajectories({f"group {i}": trajectories for i in range(n)}, ax=axes, legend=False)
    figure.draw_without_rendering()
    for ax in axes:
        low, high = ax.get_xlim()
        ticks = [tick.label1 for tick in ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        boxes = [label.get_window_extent() for label in ticks if label.get_text()]
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes)), [
            label.get_text() for label in ticks
        ]
        for above in ax.child_axes:
            labels = above.get_xticklabels()
            angle = labels[0].get_rotation()
            if not angle:
                boxes = [label.get_window_extent() for label in labels]
                assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
            else:
                places = np.diff([label.get_window_extent().x0 for label in labels])
                height = labels[0].get_fontsize() * figure.dpi / 72
                # The layout may move names a little once they are turned; letters are lower than their size.
                assert (places * np.sin(np.radians(angle)) > 0.9 * height).all()


def test_long_axes_have_short_numbers() -> None:
    trajectories = rw.trajectories(rw.design("A+ 200000"), every=50_000)
    ax = plot.trajectories(trajectories, ax=fresh())
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    assert "100k" in [label.get_text() for label in ax.get_xticklabels()]


# Probes.


def test_probes_are_points_in_the_colour_of_their_line() -> None:
    trajectories = recorded("A+ 40 | A? | AB+ 40 | A? / AB?")
    ax = plot.trajectories(trajectories, ax=fresh())
    found = lines_of(ax)
    a, ab = found["A? → US"], found["AB? → US"]
    assert a.get_xdata().tolist() == [40, 80]
    np.testing.assert_array_equal(a.get_ydata(), trajectories["A", "US"][[40, 80]])
    assert ydata(ab).tolist() == [trajectories["A", "US"][80] + trajectories["B", "US"][80]]
    assert to_hex(a.get_color()) == to_hex(found["A → US"].get_color())
    assert to_hex(ab.get_color()) not in COLOURS
    assert (a.get_linestyle(), a.get_marker() != ab.get_marker()) == ("None", True)
    # A and AB are close at the end: the second is drawn around the first.
    assert ab.get_markersize() > a.get_markersize()


def test_probes_have_names_as_in_designs() -> None:
    ax = plot.trajectories(recorded("(tone)(light)+ 9 | (tone)(light)?"))
    assert legend(ax)[-1] == "tone + light? → US"
    plt.close("all")


def test_probes_of_any_events_are_drawn() -> None:
    events = rw.read_events([("tone", "shock", 9), ("tone", "", 0), ("tone_light", "", 0)])
    found = lines_of(plot.trajectories(rw.trajectories(events, [("tone", "shock")]), ax=fresh()))
    assert list(found) == ["tone → shock", "tone? → shock", "tone + light? → shock"]
    assert found["tone? → shock"].get_xdata().tolist() == [9]


def test_of_very_many_probes_the_first_are_drawn() -> None:
    events = rw.read_events([("c0", "x", 9), *((f"c{i}", "", 0) for i in range(50)), ("c0", "", 0)])
    assert len(lines_of(plot.trajectories(rw.trajectories(events, [("c0", "x")]), ax=fresh()))) == 51
    more = rw.concat_events([events, rw.read_events([("c50", "", 0)])])
    with pytest.warns(rw.RescorlaWarning, match="^trajectories have 51 probes .* the first 50") as seen:
        found = lines_of(plot.trajectories(rw.trajectories(more, [("c0", "x")]), ax=fresh()))
    assert seen[0].filename == __file__
    assert len(found) == 51
    assert "c50? → x" not in found


# Lines upon each other.


def test_lines_upon_each_other_take_turns() -> None:
    ax = plot.trajectories(recorded("ABC+ 40"), ax=fresh())
    first, second, third = (dashes(line) for line in ax.lines)
    assert first[1] is None
    (offset2, (on2, off2)), (offset3, (on3, off3)) = cast(Any, (second, third))
    assert (on2, off2) == (on3, off3) == (on2, 2 * on2)
    # Strokes of the second and the third begin one stroke apart.
    assert (offset2 - offset3) % (on2 + off2) == on2


def test_lines_apart_are_whole() -> None:
    ax = plot.trajectories(recorded("A+ 40 / B- 40"), ax=fresh())
    assert [dashes(line)[1] for line in ax.lines] == [None, None]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=7))
def test_lines_of_equal_levels_differ_in_dash_and_others_do_not(levels: list[float]) -> None:
    """Of lines upon each other the first is whole; dots all have a place of their own."""
    curves = [{0: np.full(10, level)} for level in levels]
    for style, level, i in zip(styles(curves, 1.0), levels, range(len(levels)), strict=True):
        alone = levels.index(level) == i
        assert (style.dash == "-") == alone
    found = dots(levels, 1.0)
    for level in set(levels):
        together = [dash for dash, other in zip(found, levels, strict=True) if other == level]
        assert len(set(together)) == len(together)
        if len(together) == 1:
            assert together == [":"]
        else:
            starts = sorted((period - offset) % period for offset, period in map(_period, together))
            stroke = cast(Any, together[0])[1][0]
            assert np.diff(starts).min() == pytest.approx(2 * stroke)


# The page.


def test_each_classic_experiment_has_its_picture() -> None:
    sections = [(title, pictures) for title, code, pictures in classic.experiments() if "rw.plot" in code]
    assert len(sections) == 20
    for title, pictures in sections:
        assert pictures == [f"classic-{title.lower().replace(' ', '-')}.svg"]
        assert (classic.HERE / pictures[0]).is_file()


def _period(dash: Any) -> tuple[float, float]:
    offset, lengths = dash
    return offset, sum(lengths)
