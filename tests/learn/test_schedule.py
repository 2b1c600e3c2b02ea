"""`learn` with a schedule or a mean: equal to the reference bit for bit."""

import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event
from rescorla import schedules
from test_learning import BUSY, KERNELS, WIDTHS, initial_weights, learn

EVENTS = some.events(frequencies=st.integers(0, 3))
WIDE = some.wide_events(1, 3000, 8, 3000)


# Equal to the reference.


@pytest.mark.filterwarnings("ignore:initial shares no name")
@given(st.data(), EVENTS, some.DUPLICATES, some.DTYPES, some.THREADS, st.booleans(), st.booleans())
def test_schedules_and_means_are_those_of_the_reference(
    data: st.DataObject,
    events: list[Event],
    duplicates: Any,
    dtype: Any,
    threads: int,
    average: bool,
    continued: bool,
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    initial = data.draw(some.initials(cues, outcomes)) if continued else {}
    all_cues = reference.distinct([*(c for c, _ in initial), *cues])
    all_outcomes = reference.distinct([*(o for _, o in initial), *outcomes])
    rule = data.draw(some.rules(all_cues, all_outcomes))
    schedule = data.draw(st.one_of(st.none(), some.schedules(rows)))
    more = {} if schedule is None else {"schedule": schedule.of}
    result = learn(
        rw.read_events(events, duplicates=duplicates),
        **rule.keywords(),
        dtype=dtype,
        threads=threads,
        initial=initial_weights(initial, dtype) if continued else None,
        schedule=schedule,
        average=average,
    )
    assert (list(result.cues), list(result.outcomes)) == (all_cues, all_outcomes)
    assert some.bits(result.values) == some.bits(
        some.reference_weights(rows, rule, all_cues, all_outcomes, dtype, initial, average=average, **more)
    )


@given(st.integers(0, 2**32), WIDTHS, some.DTYPES, some.DUPLICATES, some.THREADS, st.booleans(), st.data())
def test_over_many_outcomes_they_are_those_of_the_reference(
    seed: int, width: int, dtype: Any, duplicates: Any, threads: int, average: bool, data: st.DataObject
) -> None:
    events = some.wide_events(seed, 6, 5, width)
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    rule = some.Rule(dict(zip(cues, (0.1, 0.3, 0.0, 0.2, 0.07), strict=False)), (0.1, 0.05), 0.7)
    kernel = data.draw(st.sampled_from([None, *KERNELS]))
    tile = data.draw(st.one_of(st.none(), st.integers(1, 2 * width)))
    schedule = data.draw(some.schedules(rows))
    result = learn(
        rw.read_events(events, duplicates=duplicates),
        **rule.keywords(),
        dtype=dtype,
        threads=threads,
        kernel=kernel,
        tile=tile,
        schedule=schedule,
        average=average,
    )
    assert some.bits(result.values) == some.bits(
        some.reference_weights(rows, rule, cues, outcomes, dtype, average=average, schedule=schedule.of)
    )


@given(EVENTS, some.DTYPES, st.booleans(), st.data())
def test_chosen_outcomes_and_cues_are_columns_and_rows_of_the_whole(
    events: list[Event], dtype: Any, average: bool, data: st.DataObject
) -> None:
    source = rw.read_events(events)
    chosen = [
        data.draw(st.one_of(st.none(), some.subsets(names))) for names in (source.cues, source.outcomes)
    ]
    more = {"dtype": dtype, "average": average, "schedule": schedules.inverse_time(3)}
    part = learn(source, cues=chosen[0], outcomes=chosen[1], **more)
    whole = some.by_label(learn(source, **more))
    assert some.by_label(part) == {(c, o): whole[c, o] for c in part.cues for o in part.outcomes}


def busy(tile: int | None = None, threads: int = 3, **more: Any) -> Any:
    return learn(
        rw.read_events(BUSY), threads=threads, tile=tile, schedule=schedules.inverse_time(100), **more
    )


@pytest.mark.parametrize("average", [False, True])
def test_threads_and_tiles_at_work_change_no_bit(average: bool) -> None:
    one = busy(threads=1, average=average)
    assert busy(average=average).parameters["threads"] == 3
    assert some.bits(busy(average=average).values) == some.bits(one.values)
    assert some.bits(busy(tile=40, average=average).values) == some.bits(one.values)


def test_more_events_than_a_chunk_holds_are_as_many_tokens() -> None:
    # The late outcome has a tile of its own, which starts in the middle of the first chunk.
    early: list[Event] = [(("a",), tuple(f"o{j}" for j in range(8)), 1)] * 5
    late: Event = (("a", "b"), ("late",), 1)
    many, few = [*early, *[late] * 70_000], [*early, (*late[:2], 70_000)]
    for average in (False, True):
        weights = [
            learn(rw.read_events(events), tile=1, schedule=schedules.inverse_time(1e4), average=average)
            for events in (many, few)
        ]
        assert some.bits(weights[0].values) == some.bits(weights[1].values)


# What a schedule is.


@given(EVENTS, some.DTYPES, st.booleans())
def test_a_schedule_of_ones_has_the_bits_of_none(events: list[Event], dtype: Any, pair: bool) -> None:
    source = rw.read_events(events)
    ones = (lambda t: (np.ones(len(t)), np.ones(len(t)))) if pair else schedules.piecewise([], [1])
    plain, scheduled = (learn(source, dtype=dtype, beta=(0.1, 0.3), schedule=s) for s in (None, ones))
    assert some.bits(scheduled.values) == some.bits(plain.values)


@given(EVENTS, st.sampled_from([0.3, 1 / 3, 0.0]))
def test_a_constant_factor_is_another_rate(events: list[Event], factor: float) -> None:
    source = rw.read_events(events)
    scheduled = learn(source, beta=(0.1, 0.7), schedule=schedules.piecewise([], [factor]))
    assert some.bits(scheduled.values) == some.bits(learn(source, beta=(0.1 * factor, 0.7 * factor)).values)


def test_a_schedule_is_asked_once_in_order_by_the_calling_thread() -> None:
    asked: list[NDArray[np.int64]] = []

    def schedule(tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        assert threading.current_thread() is threading.main_thread()
        asked.append(tokens)
        return np.ones(len(tokens))

    rw.learn(rw.read_events([("a", "x", 150_000)]), schedule=schedule, threads=2)
    assert len(asked) > 1
    assert max(map(len, asked)) < 150_000
    assert np.array_equal(np.concatenate(asked), np.arange(1, 150_001))


@pytest.mark.parametrize(
    ("schedule", "error", "message"),
    [
        (0.5, TypeError, "schedule must be a function of token numbers"),
        (lambda t: np.where(t == 70_001, np.nan, 1.0), ValueError, "for token 70001 it gave nan"),
        (lambda t: np.where(t == 70_001, -0.25, 1.0), ValueError, "for token 70001 it gave -0.25"),
        (lambda t: np.where(t == 3, np.inf, 1.0), ValueError, "for token 3 it gave inf"),
        (lambda t: np.where(t == 3, 1e308, 1.0), ValueError, r"beta1 \* factor finite in float64.*token 3 "),
        (lambda t: (t * 0.0, np.where(t == 3, 1e308, 1.0)), ValueError, r"beta2 \* factor finite .*token 3 "),
        (lambda t: 0.5, ValueError, r"65536 numbers for tokens 1 to 65536, .* float64 of shape \(\)"),
        (lambda t: np.ones(len(t) - (t[0] > 1)), ValueError, r"tokens 65537 to 80000, .* \(14463,\)"),
        (lambda t: [np.ones(len(t))] * 2, ValueError, r"of shape \(2, 65536\)"),
        (lambda t: (np.ones(len(t)),) * 3, ValueError, "a tuple of two for beta1 and beta2, not one of 3"),
        (lambda t: (), ValueError, "not one of 0"),
        (lambda t: np.ones(len(t), bool), ValueError, "not an array of bool"),
        (
            lambda t: np.ones(len(t)) if t[0] == 1 else (t, t),
            ValueError,
            "gave two arrays for tokens 65537 to",
        ),
    ],
)
def test_a_schedule_that_gives_no_factors_is_refused(
    schedule: Any, error: type[Exception], message: str
) -> None:
    source = rw.read_events([("a", "x", 80_000)])
    with pytest.raises(error, match=message):
        rw.learn(source, beta=10.0, alpha=0.01, schedule=schedule)


def test_one_array_after_two_is_for_both() -> None:
    source = rw.read_events([("a", "x", 70_000)])
    early = learn(source, schedule=lambda t: (np.ones(len(t)),) * 2 if t[0] == 1 else np.ones(len(t)))
    assert some.bits(early.values) == some.bits(learn(source).values)


def test_factors_that_need_more_memory_than_there_is_are_refused() -> None:
    source = rw.read_events([("a", "x", 2**32 - 1)] * 10_000)
    with pytest.raises(MemoryError, match=f"need {(2**32 - 1) * 10_000 * 8} bytes"):
        rw.learn(source, schedule=schedules.piecewise([], [1]))


def test_an_exception_of_the_schedule_comes_out() -> None:
    def schedule(_tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        raise LookupError("no factors today")

    with pytest.raises(LookupError, match="no factors today"):
        rw.learn(rw.read_events([("a", "x")]), schedule=schedule)


def test_the_largest_rate_is_the_one_that_must_be_safe() -> None:
    source = rw.read_events([("a_b", "x", 3)])
    rw.learn(source, alpha=0.5, beta=4.0, schedule=schedules.piecewise([], [0.49]))
    with pytest.warns(
        RuntimeWarning, match=r"beta \* factor, 2.2 at most, may .* safe only below 2;"
    ) as seen:
        rw.learn(source, alpha=0.5, beta=(0.1, 1.0), schedule=lambda t: (t / t, t * 1.1 - 1.1))
    assert seen[0].filename == __file__


@pytest.mark.filterwarnings("ignore:.*safe:RuntimeWarning")
@pytest.mark.parametrize("average", [False, True])
def test_a_weight_that_leaves_the_finite_numbers_is_named(average: bool) -> None:
    source = rw.read_events([("a", "x"), ("b", "y", 9)])
    jump = schedules.piecewise([3], [1.0, 1e200])
    with pytest.raises(FloatingPointError, match=r"the weight of cue 'b' to outcome '[xy]' became "):
        rw.learn(source, schedule=jump, average=average)


# Methods.


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"schedule": schedules.piecewise([], [1])}, "for a schedule, .*at one learning rate"),
        ({"average": True}, "for a mean of the weights, .*after the last token alone"),
    ],
)
def test_only_the_forward_method_will_do(keywords: dict[str, Any], message: str) -> None:
    source = rw.read_events(WIDE)
    assert rw.learn(source).parameters["method"] == "adjoint"
    assert rw.learn(source, **keywords).parameters["method"] == "forward"
    with pytest.raises(ValueError, match=message):
        rw.learn(source, method="adjoint", **keywords)


# Means.


@given(EVENTS, some.DUPLICATES, some.DTYPES, st.data())
def test_the_mean_is_that_of_the_trajectory_within_rounding(
    events: list[Event], duplicates: Any, dtype: Any, data: st.DataObject
) -> None:
    source = rw.read_events(events, duplicates=duplicates)
    rule = data.draw(some.rules(source.cues, source.outcomes)).keywords()
    mean = learn(source, **rule, dtype=dtype, average=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        steps = rw.trajectories(source, **rule, dtype=dtype)
    if source.n_tokens == 0:
        assert not mean.values.any()
        return
    steps_mean = steps.values[1:].astype(np.float64).mean(axis=0)
    scale = max(1.0, float(np.abs(steps.values).max(initial=0)))
    some.assert_close(mean.values, steps_mean, scale * 4 * np.finfo(dtype).eps)


def test_weights_that_stay_are_their_mean_in_every_bit() -> None:
    # Three tenths, divided by three, are not a tenth.
    start = rw.Weights([[0.1], [0.1]], ["a", "b"], ["x"])
    mean = rw.learn(rw.read_events([("a", "x", 3)]), initial=start, average=True)
    assert mean["b", "x"] == 0.1 != 0.1 * 3 / 3
    assert mean["a", "x"] != 0.1


def test_a_mean_without_tokens_is_what_there_was() -> None:
    start = rw.Weights([[0.1]], ["a"], ["x"])
    assert rw.learn(rw.read_events([("a", "x", 0)]), initial=start, average=True)["a", "x"] == 0.1


def test_a_mean_in_float32_is_summed_in_float64() -> None:
    # A sum of 200,000 weights of about a tenth in float32 would be off by a thousandth.
    source = rw.read_events([("a", "x", 200_000)])
    rule: dict[str, Any] = {"alpha": 1.0, "beta": 0.5, "lambda_": 0.1, "dtype": "float32"}
    steps = rw.trajectories(source, [("a", "x")], **rule).values[1:].astype(np.float64)
    assert rw.learn(source, **rule, average=True)["a", "x"] == np.float32(steps.mean())


def test_a_mean_goes_to_a_file_too(tmp_path: Path) -> None:
    source = rw.read_events(BUSY)
    inside = rw.learn(source, average=True)
    outside = rw.learn(source, average=True, out=tmp_path / "mean.npy")
    assert some.bits(np.asarray(outside.values)) == some.bits(inside.values)
    assert rw.load_weights(tmp_path / "mean.npy").parameters["average"] is True


def test_average_is_true_or_false() -> None:
    with pytest.raises(TypeError, match="average must be True or False, not 1"):
        rw.learn(rw.read_events([("a", "x")]), average=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", ["npz", "npy", "nc"])
def test_files_tell_of_schedule_and_mean(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"w.{suffix}"
    weights = rw.learn(rw.read_events([("a", "x")]), schedule=schedules.inverse_time(10), average=True)
    weights.save(path)
    loaded = rw.load_weights(path).parameters
    assert loaded["schedule"] == "inverse_time(tau=10.0)"
    assert loaded["average"] is True


def test_parameters_name_a_function() -> None:
    def halved(tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.full(len(tokens), 0.5)

    weights = rw.learn(rw.read_events([("a", "x")]), schedule=halved)
    assert weights.parameters["schedule"] == "test_parameters_name_a_function.<locals>.halved"
    assert rw.learn(rw.read_events([("a", "x")])).parameters["schedule"] is None


# The schedules that there are.


@given(st.integers(1, 10**9), st.floats(0.1, 1e6), st.floats(0, 3))
def test_formulas(t: int, tau: float, exponent: float) -> None:
    tokens = np.array([t])
    assert schedules.inverse_time(tau)(tokens).tolist() == [1 / (1 + t / tau)]
    np.testing.assert_allclose(
        schedules.power(tau, exponent)(tokens), [(1 + t / tau) ** -exponent], rtol=1e-14
    )


def test_pieces_end_with_their_last_token() -> None:
    falling = schedules.piecewise([2, 5], [3.0, 2.0, 1.0])
    assert falling(np.arange(1, 8)).tolist() == [3, 3, 2, 2, 2, 1, 1]
    assert repr(falling) == "piecewise(ends=(2, 5), factors=(3.0, 2.0, 1.0))"
    assert repr(schedules.power(2, 0.5)) == "power(tau=2.0, exponent=0.5)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: schedules.inverse_time(0), "tau must be above 0"),
        (lambda: schedules.inverse_time(np.inf), "tau must be finite"),
        (lambda: schedules.power(1, -1), "exponent must be 0 or more"),
        (lambda: schedules.piecewise([2, 2], [1, 1, 1]), "ends must rise"),
        (lambda: schedules.piecewise([2], [1]), "one more than ends: 2, not 1"),
        (lambda: schedules.piecewise([2], [1, np.nan]), "factors must be finite"),
        (lambda: schedules.piecewise([2], [1, -1]), "factors must be 0 or more"),
    ],
)
def test_arguments_out_of_range_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
