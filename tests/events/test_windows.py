"""Windows of cues: beside what R's edl documents and computes, and by what holds for all numbers."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st

STEPS = st.sampled_from([1.0, 0.5, 0.25, 0.1, 0.01, 2.0, 10.0])
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "step": STEPS,
        "min": st.sampled_from([-3, 0, 0.5]),
        "max": st.sampled_from([3, 3.3, 40]),
        "prefix": st.sampled_from(["", "f"]),
        "suffix": st.sampled_from(["", "Hz"]),
    },
)


@given(st.lists(st.decimals(-5, 45, places=3), max_size=5), st.integers(0, 4), st.integers(0, 4), OPTIONS)
def test_cues_are_the_multiples_of_the_step_around_a_number(
    values: list[Decimal], before: int, after: int, options: dict[str, Any]
) -> None:
    step = Decimal(str(options.get("step", 1.0)))
    low, high = (Decimal(str(options.get(end, default))) for end, default in (("min", 1), ("max", 100)))
    n = (float(before * step), float(after * step))
    found = rw.cue_window([float(value) for value in values], n, **options)
    for value, cues in zip(values, found, strict=True):
        names = [
            cue.removeprefix(options.get("prefix", "")).removesuffix(options.get("suffix", ""))
            for cue in cues
        ]
        at = [Decimal(name) for name in names]
        assert all(low <= cue <= high and cue % step == 0 for cue in at)
        assert at == sorted(set(at))
        assert "-0" not in {name.rstrip("0").rstrip(".") for name in names}
        # Half-way to either side, the rest of the window on each.
        for cue in at:
            assert -(before + Decimal("0.5001")) * step <= cue - value <= (after + Decimal("0.5001")) * step
        inside = [low <= value - (before + 1) * step, value + (after + 1) * step <= high]
        if all(inside):
            assert len(at) == before + after + 1


@given(st.floats(2, 99), st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_weights_repeat_cues(value: float, weights: list[int]) -> None:
    [cues] = rw.cue_window([value], 2, weights=weights, min=-10, max=200)
    [once] = rw.cue_window([value], 2, min=-10, max=200)
    assert list(cues) == [cue for cue, times in zip(once, weights, strict=True) for _ in range(times)]


@pytest.mark.parametrize(
    ("arguments", "options", "expected"),
    [
        # As cueWindow of edl 1.1 gives them, its strings split at "_".
        (([3.4, 8.1], 3), {"max": 10}, ["2_3_4", "7_8_9"]),
        (([0.8, 10.1], 3), {"max": 10}, ["1_2", "9_10"]),
        (([3.4], 2), {"max": 10}, ["2_3_4"]),
        (([3.4], 1), {"max": 10}, ["3"]),
        (([3.4], 3), {"max": 10, "step": 0.5}, ["2.0_2.5_3.0_3.5_4.0_4.5_5.0"]),
        (([8.1], (2, 1)), {"max": 10, "step": 0.5}, ["6.0_6.5_7.0_7.5_8.0_8.5_9.0"]),
        (([5.0], 5), {"max": 10, "weights": [1, 2, 3, 2, 1]}, ["3_4_4_5_5_5_6_6_7"]),
        (([5.0], (2, 1)), {"max": 10, "weights": [1, 1, 0, 1]}, ["3_4_6"]),
        (([5.0], 2), {"prefix": "stimulus"}, ["stimulus4_stimulus5_stimulus6"]),
        # Halves go to the even number; numbers outside have a part of a window, or none.
        (([2.5, 3.5], 1), {}, ["2", "4"]),
        (([0.2, -3, 104], 3), {}, ["1", "", ""]),
        (([3.7], 2), {"rounded": False, "decimals": 1}, ["2.7_3.7_4.7"]),
        # Where it differs: no cue is lost to binary fractions, and names have the decimals of the step.
        (([0.3], 0.2), {"step": 0.1, "min": 0, "max": 0.3}, ["0.2_0.3"]),
        (([5.0], (0.3, 0.3)), {"step": 0.1}, ["4.7_4.8_4.9_5.0_5.1_5.2_5.3"]),
        (([0.5], (0.5, 0.25)), {"step": 0.25, "min": 0}, ["0.00_0.25_0.50_0.75"]),
        (([-0.4], 2), {"min": -5}, ["-1_0_1"]),
        (([42], 20), {"step": 10}, ["30_40_50"]),
    ],
)
def test_windows(arguments: Any, options: dict[str, Any], expected: list[str]) -> None:
    assert ["_".join(cues) for cues in rw.cue_window(*arguments, **options)] == expected


def test_windows_are_cues_of_events() -> None:
    values = np.array([4, 5], dtype=np.float32)
    windows = rw.cue_window(values, 3, weights=np.array([1, 2, 1]))  # type: ignore[arg-type]
    events = rw.read_events(zip(windows, ["soft", "loud"], strict=True), duplicates="keep")
    assert [event.cues for event in events] == [("3", "4", "4", "5"), ("4", "5", "5", "6")]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([1.0],), {"step": 0}, ValueError, "step must be more than 0, not 0"),
        (([1.0],), {"min": 3, "max": 2}, ValueError, "min must not be more than max: 3 is more than 2"),
        (([1.0], -1), {}, ValueError, "n must be 0 or more, not -1.0"),
        (([1.0], (1, -1)), {}, ValueError, "n must be 0 or more, not -1.0"),
        (([1.0], (1, 1, 1)), {}, ValueError, "n must be a width or a pair (before, after), not 3 numbers"),
        (([float("nan")],), {}, ValueError, "values must be finite, not nan"),
        ((["a"],), {}, TypeError, "values must be a number, not str"),
        (
            ([1.0], 3),
            {"weights": [1, 1]},
            ValueError,
            "weights must be 3 numbers, one for each cue of the window",
        ),
        (
            ([1.0], 3),
            {"weights": [1, -1, 1]},
            ValueError,
            "weights must be a whole number of 0 or more",
        ),
        (([1.0], 3), {"weights": [1, 0.5, 1]}, TypeError, "weights must be a whole number"),
        (([1.0], 3), {"decimals": -1}, ValueError, "decimals must be a whole number of 0 or more, not -1"),
    ],
)
def test_what_is_no_window_is_refused(
    arguments: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        rw.cue_window(*arguments, **options)
