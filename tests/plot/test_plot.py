"""Pictures show what they are given: lines, labels, colours and data."""

import lzma
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from rescorla import plot

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
EVENTS = [("light", "shock", 40), ("light_tone", "shock_fear", 40), ("tone", "none", 5)]

Values = NDArray[np.float64]
VALUES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    # Round numbers, so that equal ones and zeros come.
    elements=st.integers(-4, 4).map(lambda value: value / 4),
)


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    """No picture changes a setting."""
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before


def named(values: Values) -> rw.Weights:
    rows, columns = values.shape
    return rw.Weights(values, [f"c{row}" for row in range(rows)], [f"o{column}" for column in range(columns)])


def fresh() -> Axes:
    """Axes without a window or pyplot, so that many cases leave nothing behind."""
    return Figure().subplots()


def ydata(line: Line2D) -> Values:
    return np.asarray(line.get_ydata(), dtype=np.float64)


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


def drawn_without_overlap(ax: Axes) -> None:
    """No two texts of the picture lie on one another, and none leaves it."""
    figure = cast(Any, ax.figure)
    figure.draw_without_rendering()
    texts = [*ax.texts, ax.xaxis.label, ax.yaxis.label]
    for axis in (cast(Any, ax.xaxis), cast(Any, ax.yaxis)) if ax.axison else ():
        low, high = sorted(axis.get_view_interval())
        texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    found = ax.get_legend()
    texts += [] if found is None else found.get_texts()
    texts = [text for text in texts if text.get_text() and text.get_visible()]
    boxes = [text.get_window_extent() for text in texts]
    for i, box in enumerate(boxes):
        inside = np.clip(box.get_points(), figure.bbox.min - 1, figure.bbox.max + 1)
        assert inside.tolist() == box.get_points().tolist(), texts[i]
        # A box has some air above and below its letters.
        assert [texts[j] for j in range(i) if shrunk(box).overlaps(shrunk(boxes[j]))] == [], texts[i]


def shrunk(box: Any) -> Any:
    return box.shrunk(0.95, 0.8).translated(0, 0.1 * box.height)


# Trajectories.


def recorded(**choices: Any) -> Any:
    return rw.trajectories(rw.read_events(EVENTS), **choices)


def test_a_line_for_each_pair_and_its_equilibrium_dotted_in_its_colour() -> None:
    pairs = [("light", "shock"), ("tone", "shock"), ("tone", "none")]
    trajectories = recorded(pairs=pairs)
    equilibrium = rw.equilibrium(rw.read_events(EVENTS))
    ax = plot.trajectories(trajectories, equilibrium=equilibrium)
    solid, dotted = ax.lines[:3], ax.lines[3:]
    assert len(ax.lines) == 6
    for pair, line, level, colour in zip(pairs, solid, dotted, COLOURS, strict=False):
        assert line.get_label() == " → ".join(pair)
        np.testing.assert_array_equal(line.get_xdata(), trajectories.tokens)
        np.testing.assert_array_equal(line.get_ydata(), trajectories[pair])
        # The last two are both 0 as long as the light is alone.
        assert (line.is_dashed(), level.is_dashed()) == (pair == ("tone", "none"), True)
        assert np.unique(level.get_ydata()).tolist() == [equilibrium[pair]]
        assert to_hex(cast(str, line.get_color())) == to_hex(cast(str, level.get_color())) == colour
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("token", "weight")
    drawn_without_overlap(ax)


def test_the_legend_has_the_order_in_which_the_lines_end() -> None:
    trajectories = recorded(cues=["light", "tone"], outcomes=["shock", "none"])
    ax = plot.trajectories(trajectories)
    last = {f"{c} → {o}": trajectories[c, o][-1] for c, o in product(["light", "tone"], ["shock", "none"])}
    assert legend(ax) == sorted(last, key=lambda name: -last[name])
    assert len(ax.lines) == 4


def test_pairs_can_be_chosen_and_the_legend_left_out() -> None:
    ax = fresh()
    trajectories = recorded(cues=["light", "tone"], outcomes=["shock"])
    assert plot.trajectories(trajectories, [("tone", "shock")], legend=False, ax=ax) is ax
    assert [line.get_label() for line in ax.lines] == ["tone → shock"]
    assert legend(ax) == []
    with pytest.raises(KeyError, match="none"):
        plot.trajectories(trajectories, [("tone", "none")], ax=fresh())


def test_from_the_eighth_pair_on_lines_are_dashed() -> None:
    alpha = {f"c{i}": 0.02 * (i + 1) for i in range(9)}
    events = rw.read_events([(tuple(alpha), ["x"], 9)])
    ax = plot.trajectories(rw.trajectories(events, alpha=alpha), ax=fresh())
    styles = [(line.get_linestyle(), to_hex(cast(str, line.get_color()))) for line in ax.lines]
    assert styles == [*(("-", colour) for colour in COLOURS), *(("--", colour) for colour in COLOURS[:2])]


# Spectrum.


def test_the_spectrum_shows_the_eigenvalues_and_the_three_bounds() -> None:
    # a and b always come together: one direction of eigenvalue 0.
    convergence = rw.convergence(rw.read_events([("a_b", "x", 3), ("a_b_c", "y", 2)]))
    ax = plot.spectrum(convergence)
    points, *bounds = ax.lines
    np.testing.assert_allclose(ydata(points), convergence.eigenvalues[:2])
    assert ax.get_xlabel() == "direction (1 more with eigenvalue 0)"
    assert ax.get_yscale() == "log"
    rates = [convergence.mean_rate, convergence.mean_square_rate, convergence.safe_rate]
    for line, rate in zip(bounds, rates, strict=True):
        np.testing.assert_allclose(ydata(line), 2 / rate)
    names = ["in the mean", "in mean square", "in any order"]
    assert legend(ax) == [f"{name}: beta < {rate:.3g}" for name, rate in zip(names, rates, strict=True)]
    # What is just fast enough in the mean lies at the largest eigenvalue.
    np.testing.assert_allclose(ydata(bounds[0]), convergence.eigenvalues[0])


def test_half_lives() -> None:
    convergence = rw.convergence(rw.read_events(EVENTS))
    ax = plot.spectrum(convergence, show="half_lives", ax=fresh())
    (points,) = ax.lines
    np.testing.assert_allclose(ydata(points), convergence.half_life())
    assert (ax.get_ylabel(), ax.get_yscale()) == ("half-life in tokens", "log")


def test_a_pair_of_rates_has_a_spectrum_for_each_outcome() -> None:
    convergence = rw.convergence(rw.read_events(EVENTS), beta=(0.2, 0.1))
    ax = plot.spectrum(convergence)
    assert legend(ax)[:3] == ["shock", "fear", "none"]
    for line, eigenvalues, colour in zip(ax.lines, convergence.eigenvalues, COLOURS, strict=False):
        np.testing.assert_allclose(ydata(line), eigenvalues)
        assert to_hex(cast(str, line.get_color())) == colour
    rates = [convergence.mean_rate, convergence.mean_square_rate, convergence.safe_rate]
    least = [f"{np.min(rate):.3g}" for rate in rates]
    assert np.min(rates[0]) < np.max(rates[0])
    assert [text.split(" < ")[1] for text in legend(ax)[3:]] == least
    drawn_without_overlap(ax)


def test_another_spectrum_is_refused() -> None:
    with pytest.raises(ValueError, match="show must be 'eigenvalues' or 'half_lives'"):
        plot.spectrum(rw.convergence(rw.read_events(EVENTS)), show="rates")  # type: ignore[arg-type]


# Weights.


@given(VALUES, st.integers(1, 7), st.sampled_from(["float32", "float64"]))
def test_the_heat_map_has_the_n_strongest_in_order_and_white_is_zero(
    values: Values, n: int, dtype: str
) -> None:
    weights = named(values.astype(dtype))
    ax = plot.weights(weights, n=n, ax=fresh())
    (image,) = ax.images
    rows = [weights.cues.index(label.get_text()) for label in ax.get_yticklabels()]
    columns = [weights.outcomes.index(label.get_text()) for label in ax.get_xticklabels()]
    np.testing.assert_array_equal(image.get_array(), values[np.ix_(rows, columns)])
    assert (rows, columns) == (sorted(set(rows)), sorted(set(columns)))
    assert (len(rows), len(columns)) == (min(n, len(values)), min(n, values.shape[1]))
    reach = np.abs(values).max(axis=1)
    assert min(reach[rows]) >= max(np.delete(reach, rows), default=0)
    low, high = image.get_clim()
    assert low == -high
    assert high == (np.abs(values[np.ix_(rows, columns)]).max() or 1)


def test_the_heat_map_of_named_cues_and_outcomes() -> None:
    weights = named(np.array([[0.1, -0.9, 0.3], [0.5, 0.6, -0.2]]))
    ax = plot.weights(weights, cues=["c1", "c0"], outcomes=["o2"], limit=2.0)
    np.testing.assert_array_equal(ax.images[0].get_array(), [[-0.2], [0.3]])
    assert ax.images[0].get_clim() == (-2.0, 2.0)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c1", "c0"]
    bar = cast(Any, ax.figure).axes[1]
    assert bar.get_ylabel() == "weight"
    assert bar.get_ylim() == (-2.0, 2.0)
    drawn_without_overlap(ax)


@given(st.data(), VALUES, st.integers(1, 4))
def test_the_strongest_of_a_heat_map_are_those_of_the_names_that_are_drawn(
    data: st.DataObject, values: Values, n: int
) -> None:
    weights = named(values)
    side = data.draw(st.sampled_from(["cues", "outcomes"]))
    known = getattr(weights, side)
    chosen = data.draw(st.lists(st.sampled_from(known), unique=True, min_size=1))
    block = (
        values[[known.index(name) for name in chosen]]
        if side == "cues"
        else values[:, [known.index(name) for name in chosen]]
    )
    some: dict[str, Any] = {side: chosen}
    ax = plot.weights(weights, **some, n=n, ax=fresh())
    reach = np.abs(block).max(axis=1 if side == "outcomes" else 0)
    drawn = np.abs(cast(Any, ax.images[0].get_array())).max(axis=1 if side == "outcomes" else 0)
    assert sorted(drawn, reverse=True) == sorted(reach, reverse=True)[:n]
    labels = ax.get_xticklabels() if side == "outcomes" else ax.get_yticklabels()
    assert [label.get_text() for label in labels] == chosen


def test_named_outcomes_of_the_king_james_bible_have_their_own_cues(shared: Path) -> None:
    with lzma.open(shared / "data" / "kjv.txt.xz", "rt", encoding="utf-8") as text:
        events = rw.corpus_events(text, symbols="a-z")
    outcomes = ["god", "heaven", "earth"]
    # Beside them the words whose cues are stronger than those of the three.
    frequent = [events.outcomes[place] for place in np.argsort(-events.outcome_counts)[:300]]
    weights = rw.learn(events, outcomes=dict.fromkeys([*outcomes, *frequent]))
    ax = plot.network(weights, outcomes=outcomes)
    labels = {round(text.xy[1], 9): text.get_text() for text in cast(Any, ax.texts) if text.xy[0] == 0}
    strongest = ax.lines[-1]
    assert (labels[round(float(ydata(strongest)[0]), 9)], strongest.get_label()) == ("god", "+0.591")
    ax = plot.weights(weights, outcomes=outcomes)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert len(rows) == 30
    assert {"god", "od#", "hea"} <= set(rows)
    assert round(float(ax.images[0].get_array()[rows.index("god"), 0]), 3) == 0.591  # type: ignore[index]


def test_labels_do_not_meet_in_large_heat_maps() -> None:
    names = [f"a long name {i}" for i in range(40)]
    drawn_without_overlap(plot.weights(rw.Weights(np.eye(40), names, names), n=40))


# Network.


@given(VALUES.filter(np.any), st.integers(1, 12))
def test_the_network_has_the_strongest_pairs_wide_and_signed(values: Values, n: int) -> None:
    weights = named(values)
    ax = plot.network(weights, n=n, ax=fresh())
    places, found = named_places(ax), {}
    for line, pair in zip(ax.lines, pairs_of(ax), strict=True):
        found[pair] = weight = weights[pair]
        assert line.get_label() == f"{weight:+.3g}"
        red, _, blue, _ = cast(Any, line.get_color())
        assert (blue > red) == (weight > 0)
    sizes = sorted(np.abs(values[values != 0]), reverse=True)[:n]
    assert sorted((abs(weight) for weight in found.values()), reverse=True) == sizes
    widths = [line.get_linewidth() for line in ax.lines]
    assert widths == sorted(widths)
    assert widths[-1] == pytest.approx(5)
    # Every name has a line, and its own height.
    assert [set(side) for side in places.values()] == [set(side) for side in zip(*found, strict=True)]
    assert all(len(set(side.values())) == len(side) for side in places.values())


def named_places(ax: Axes) -> dict[int, dict[str, float]]:
    """The names of a network on the left, 0, and on the right, 1, with their heights."""
    return {
        side: {text.get_text(): text.xy[1] for text in cast(Any, ax.texts) if text.xy[0] == side}
        for side in (0, 1)
    }


def pairs_of(ax: Axes) -> list[tuple[str, str]]:
    """The names at the ends of each line of a network."""
    places = named_places(ax)
    left, right = ({height: name for name, height in places[side].items()} for side in (0, 1))
    assert all(list(cast(Any, line.get_xdata())) == [0, 1] for line in ax.lines)
    return [(left[heights[0]], right[heights[1]]) for heights in map(ydata, ax.lines)]


@given(st.data(), VALUES.filter(np.any), st.integers(1, 4))
def test_each_name_that_is_asked_for_is_drawn_with_its_n_strongest_lines(
    data: st.DataObject, values: Values, n: int
) -> None:
    weights = named(values)
    some = {
        side: data.draw(
            st.none() | st.lists(st.sampled_from(getattr(weights, side)), unique=True, min_size=1)
        )
        for side in ("cues", "outcomes")
    }
    if some == {"cues": None, "outcomes": None}:
        return
    cues, outcomes = (some[side] or getattr(weights, side) for side in ("cues", "outcomes"))
    block = weights[list(cues), list(outcomes)]
    if not np.any(block.values):
        return
    ax = plot.network(weights, **some, n=n, ax=fresh())
    drawn = pairs_of(ax)
    assert len(set(drawn)) == len(drawn)
    # A line is drawn because one of its ends is named, and nothing stronger of that name is left out.
    reasons: set[tuple[str, str]] = set()
    for at, side in enumerate(("cues", "outcomes")):
        for name in some[side] or ():
            assert name in named_places(ax)[at]
            line = np.abs(block.row(name) if side == "cues" else block.column(name))
            limit = float(np.sort(line)[::-1][:n][-1])
            mine = [pair for pair in drawn if pair[at] == name]
            assert len(mine) >= min(n, int(np.count_nonzero(line)))
            sizes = sorted((abs(weights[pair]) for pair in mine), reverse=True)
            assert sizes[:n] == sorted(line[line > 0], reverse=True)[:n]
            reasons |= {pair for pair in mine if abs(float(cast(Any, weights[pair]))) >= limit}
    assert set(drawn) == reasons
    if some["cues"] is None or some["outcomes"] is None:
        assert len(drawn) <= n * len(some["cues"] or some["outcomes"] or ())


def test_a_weak_outcome_that_is_asked_for_is_not_lost() -> None:
    weights = named(np.array([[0.9, 0.01, 0.0], [0.8, -0.02, 0.0], [0.7, 0.03, 0.0]]))
    ax = plot.network(weights, outcomes=weights.outcomes, n=2, ax=fresh())
    assert sorted(pairs_of(ax)) == [("c0", "o0"), ("c1", "o0"), ("c1", "o1"), ("c2", "o1")]
    # What has no line stands below the others.
    assert named_places(ax)[1] == {"o0": 1.0, "o1": 0.5, "o2": 0.0}


def test_a_network_of_many_names_is_higher() -> None:
    names = [f"name {place}" for place in range(60)]
    ax = plot.network(rw.Weights(np.eye(60), names, names), cues=names)
    width, height = cast(Any, ax.figure).get_size_inches()
    assert (width, height > 8) == (6, True)
    drawn_without_overlap(ax)


def test_what_is_no_number_has_no_line() -> None:
    ax = plot.network(named(np.array([[np.nan, 0.5], [0.25, np.nan]])), outcomes=["o0", "o1"], ax=fresh())
    assert sorted(pairs_of(ax)) == [("c0", "o1"), ("c1", "o0")]


def test_the_legend_of_the_network_has_the_extremes() -> None:
    ax = plot.network(named(np.array([[0.1, -0.9, 0.3], [0.5, 0.6, -0.2]])))
    assert legend(ax) == ["+0.6", "-0.9"]
    drawn_without_overlap(ax)
    assert legend(plot.network(named(np.array([[0.5, 0.25]])))) == ["+0.5"]


def test_lines_that_need_not_cross_do_not() -> None:
    ax = plot.network(named(np.fliplr(np.eye(6))))
    assert all(line.get_ydata()[0] == line.get_ydata()[1] for line in cast(Any, ax.lines))
    drawn_without_overlap(ax)


def test_ends_are_sorted_by_their_neighbours() -> None:
    # In the order of strength c2 to o0 would cross c1 to o1.
    ax = plot.network(named(np.array([[0.9, 0.0], [0.0, 0.8], [0.7, 0.0]])), ax=fresh())
    lines = sorted(tuple(ydata(line)) for line in ax.lines)
    assert sorted(right for _, right in lines) == [right for _, right in lines]


def test_a_network_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="all of these weights are zero"):
        plot.network(named(np.zeros((2, 2))))


# What both refuse.


@pytest.mark.parametrize("draw", [plot.weights, plot.network])
def test_wrong_choices_of_weights_are_refused(draw: Any) -> None:
    weights = named(np.ones((2, 2)))
    with pytest.raises(KeyError, match="cues names 'x'"):
        draw(weights, cues=["x"])
    with pytest.raises(ValueError, match="outcomes names 'o1' twice"):
        draw(weights, outcomes=["o1", "o1"])
    with pytest.raises(KeyError, match=r"cues names 'c00'.*did you mean 'c0'"):
        draw(weights, cues=["c00"])
    with pytest.raises(ValueError, match="n must be a whole number of 1 or more, not 0"):
        draw(weights, n=0)
    with pytest.raises(ValueError, match="one each at least to be drawn"):
        draw(weights, cues=[])
    with pytest.raises(ValueError, match="limit must be more than 0"):
        plot.weights(weights, limit=0)


# Activations.


@given(st.data(), VALUES)
def test_the_outlines_count_the_tokens_of_each_outcome(data: st.DataObject, values: Values) -> None:
    frequencies = data.draw(arrays.arrays(np.int64, len(values), elements=st.integers(0, 5)))
    outcomes = [f"o{column}" for column in range(values.shape[1])]
    ax = plot.activations(values, outcomes=outcomes, frequencies=frequencies, bins=5, ax=fresh())
    assert [patch.get_label() for patch in ax.patches] == outcomes
    for patch, column in zip(cast(Any, ax.patches), values.T, strict=True):
        heights, edges, _ = patch.get_data()
        repeated = np.repeat(column, frequencies)
        assert heights.tolist() == np.histogram(repeated, np.histogram_bin_edges(values, 5))[0].tolist()
        assert (edges[0] <= values.min(), edges[-1] >= values.max()) == (True, True)
    assert legend(ax) == (outcomes if len(outcomes) > 1 else [])


def test_events_are_grouped_by_what_is_present_or_chosen() -> None:
    ax = plot.activations([0.1, 0.9, 0.2, 0.8, 0.9], by=["no", "yes", "no", "yes", "no"], bins=[0, 0.5, 1])
    found = {patch.get_label(): patch.get_data().values.tolist() for patch in cast(Any, ax.patches)}
    assert found == {"no": [2, 1], "yes": [0, 2]}
    assert [patch.get_label() for patch in ax.patches] == ["no", "yes"]
    many = plot.activations(range(6), by=list("fedcba"), ax=fresh())
    assert legend(many) == list("fedcba")
    assert [to_hex(patch.get_edgecolor()) for patch in ax.patches] == COLOURS[:2]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("activation", "tokens")
    drawn_without_overlap(ax)


@pytest.mark.parametrize(
    ("values", "choices", "message"),
    [
        ([], {}, "events x outcomes"),
        ([[[1.0]]], {}, "events x outcomes"),
        ([[1.0, 2.0]], {"outcomes": ["x"]}, "2 columns, but 1 outcomes"),
        ([[1.0, 2.0]], {"by": ["x"]}, "by sorts"),
        ([1.0, 2.0], {"outcomes": ["x", "y"]}, "names columns"),
        ([1.0, 2.0], {"by": ["x"]}, "a group for each of 2 events, not 1"),
        ([1.0, 2.0], {"frequencies": [1]}, "frequencies must be one for each of 2 events"),
    ],
)
def test_activations_that_do_not_fit_are_refused(values: Any, choices: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot.activations(values, **choices)


NETWORK: Any = plot.network


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e, w, t: plot.weights(e), "weights must be Weights, not an Events; rescorla.learn makes"),
        (lambda e, w, t: NETWORK("w.npz"), "not 'w.npz'; rescorla.load_weights reads a file"),
        (
            lambda e, w, t: plot.weights(w.values),
            "not an ndarray; rescorla.Weights.* gives an array its names",
        ),
        (lambda e, w, t: plot.weights(t), "not a Trajectories; rescorla.plot.trajectories draws"),
        (lambda e, w, t: NETWORK(rw.convergence(e)), "rescorla.plot.spectrum draws a convergence"),
        (
            lambda e, w, t: plot.trajectories(w),
            "trajectories must be Trajectories, not a Weights; .*plot.weights and",
        ),
        (lambda e, w, t: plot.trajectories(e), "not an Events; rescorla.trajectories records them"),
        (lambda e, w, t: plot.trajectories(t, equilibrium=e), "equilibrium must be Weights, not an Events"),
        (lambda e, w, t: plot.spectrum(w), "must be Convergence, not a Weights; rescorla.plot.weights and"),
        (lambda e, w, t: plot.spectrum(e), "rescorla.convergence computes it"),
        (
            lambda e, w, t: plot.activations(w),
            "not a Weights; rescorla.activations.events, weights. has them; .*plot.weights",
        ),
        (lambda e, w, t: plot.activations(e), "not an Events; rescorla.activations"),
        (lambda e, w, t: plot.activations("a.npy"), "not 'a.npy'; rescorla.activations"),
    ],
)
def test_what_another_function_draws_names_that_function(call: Any, message: str) -> None:
    events = rw.read_events(EVENTS)
    with pytest.raises(TypeError, match=message):
        call(events, rw.learn(events), recorded())


# The house.


@pytest.mark.parametrize("times", [1, 500])
def test_an_influence_has_lines_from_zero(times: int) -> None:
    found = rw.influence([("light", "shock"), ("light", ""), ("tone", "shock")] * times, "light", "shock")
    ax = plot.influence(found, ax=fresh())
    assert legend(ax) == ["contribution", "effect"]
    for drawn, values in zip(ax.collections, (found.contributions, found.effects), strict=True):
        segments = np.array(cast("Any", drawn).get_segments())
        ends = segments[:, :, 1]
        assert len(segments) <= 600
        assert (ends[:, 0] <= 0).all()
        assert (ends[:, 1] >= 0).all()
        assert (ends.min(), ends.max()) == (min(values.min(), 0), max(values.max(), 0))
        if times == 1:
            assert segments[:, 0, 0].tolist() == np.flatnonzero(values).tolist()
    assert ax.get_title() == "light → shock"


def test_a_new_figure_is_drawn_into_only_where_no_axes_are_given() -> None:
    ax = fresh()
    weights = named(np.ones((2, 2)))
    assert plot.weights(weights, ax=ax) is ax
    assert plt.get_fignums() == []
    first, second = plot.weights(weights), plot.weights(weights)
    assert first.figure is not second.figure
    assert cast(Any, first.figure).get_size_inches().tolist() == [6, 4]


def test_the_package_does_not_import_matplotlib() -> None:
    program = "import sys, rescorla; rescorla.plot; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'rescorla\[plot\]'"):
        plot.weights(named(np.ones((1, 1))))
